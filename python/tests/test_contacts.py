"""Laws and sources of contact that are functions of Python."""
import gc
import math
import unittest

import numpy

import cardan

G, RADIUS = 9.81, 0.1
FREE = dict(mobilizer='free', mass=dict(mass=1, inertia=[0.1, 0.2, 0.3]))
SMOOTH = dict(static_friction=0, dynamic_friction=0)


def ball(height=0.12):
    """A ball of 1 kg and 0.1 m over a floor."""
    model = cardan.Model('ball')
    model.add_gravity('gravity', [0, 0, -G])
    model.add_body('ball', q0=[1, 0, 0, 0, 0, 0, height], **FREE)
    model.add_shape('floor', geometry=('half_space',))
    model.add_shape('skin', body='ball', geometry=('sphere', [RADIUS]))
    return model


def touch(given, add, **more):
    """The contact of a ball with the floor, whichever of them is which."""
    ball, way = (given.X_GB[1], 1) if given.b.kind == 'sphere' else (given.X_GA[1], -1)
    depth = RADIUS - ball[2]
    if depth > 0: add([ball[0], ball[1], -depth / 2], [0, 0, way], depth, **{**SMOOTH, **more})


def deepest(k, height=0.12):
    """How deep a ball falls into a linear spring: it is an oscillator about the depth g m / k."""
    v, w = math.sqrt(2 * G * (height - RADIUS)), math.sqrt(k)
    return G / k + math.hypot(G / k, v / w)


class Pairs(unittest.TestCase):
    def test_a_pair_that_is_rigid_beside_springs(self):
        model = ball()
        model.add_contact_pair('touch', a='floor', b='skin', model='rigid')
        run = cardan.simulate(model, 0.5, accuracy=1e-6, reports=1e-2)
        self.assertAlmostEqual(run.q['ball'][-1][6], RADIUS, delta=1e-12)
        self.assertGreater(RADIUS - cardan.simulate(ball(), 0.5, reports=1e-2).q['ball'][:, 6].min(), 1e-5)


class Laws(unittest.TestCase):
    def test_a_linear_spring(self):
        k = 500
        def find(given, add):
            depth = RADIUS - (given.X_GB if given.b.kind == 'sphere' else given.X_GA)[1][2]
            touch(given, add, elastic=k * depth, energy=k * depth ** 2 / 2)
        model = ball()
        model.add_contact_law('linear', a='half_space', b='sphere', find=find)
        run = cardan.simulate(model, 0.5, accuracy=1e-7, reports=1e-3)
        self.assertAlmostEqual(RADIUS - run.q['ball'][:, 6].min(), deepest(k), delta=1e-5)
        self.assertLess(abs(run.certificate.energy_residual), 1e-6)

    def law(self, **more):
        """A law with a pressure: k depth (1 + d rate), of which a contact tells k and d."""
        model = ball()
        model.add_contact_law('pressing', a='half_space', b='sphere', **{
            'find': lambda given, add: touch(given, add, numbers=more.get('numbers', [500, 0])),
            'pressure': lambda n, depth, rate: n[0] * depth * (1 + n[1] * rate),
            'slopes': lambda n, depth, rate: (n[0] * (1 + n[1] * rate), n[0] * n[1] * depth),
            'potential': lambda n, depth: n[0] * depth ** 2 / 2,
            'bends': lambda n: (None, -1 / n[1] if n[1] else None), **{k: v for k, v in more.items() if k != 'numbers'}})
        return model

    def test_a_pressure(self):
        run = cardan.simulate(self.law(), 0.5, accuracy=1e-7, reports=1e-3)
        self.assertAlmostEqual(RADIUS - run.q['ball'][:, 6].min(), deepest(500), delta=1e-5)
        self.assertLess(abs(run.certificate.energy_residual), 1e-6)

    def test_its_slopes_are_the_derivatives(self):
        for slopes in ({}, {'slopes': None}):  # without them the library takes differences
            state = self.law(numbers=[500, 0.2], **slopes).state()
            q = numpy.array(state.q)
            q[6] = RADIUS - 0.01
            state.q, state.u = q, [0, 0, 0, 0, 0, -0.5]
            by_q, by_u, *_ = state.forward_dynamics_derivatives()
            self.assertAlmostEqual(by_q[5, 5], -500 * (1 + 0.2 * 0.5), delta=1e-4)
            self.assertAlmostEqual(by_u[5, 5], -500 * 0.2 * 0.01, delta=1e-6)
            self.assertAlmostEqual(state.udot[5], 500 * 0.01 * 1.1 - G, delta=1e-12)
            self.assertAlmostEqual(state.energy[1] - G * (RADIUS - 0.01), 500 * 0.01 ** 2 / 2, delta=1e-12)

    def test_an_implicit_step(self):
        """That of Alexander's method of two stages, for a mass on a linear spring with a constant force."""
        state = self.law().state()
        q, h = numpy.array(state.q), 0.004
        q[6] = RADIUS - 0.01
        state.q = q
        stepper = cardan.Stepper(state, step=h, method='implicit-contact')
        stepper.advance(h)
        A, b, y, gamma = numpy.array([[0, 1], [-500, 0]]), numpy.array([0, 500 * RADIUS - G]), [q[6], 0], 1 - math.sqrt(0.5)
        stage = lambda start: numpy.linalg.solve(numpy.eye(2) - h * gamma * A, A @ start + b)
        first = stage(y)
        end = y + h * ((1 - gamma) * first + gamma * stage(y + h * (1 - gamma) * first))
        self.assertAlmostEqual(stepper.state.q[6], end[0], delta=1e-12)
        self.assertAlmostEqual(stepper.state.u[5], end[1], delta=1e-12)

    def test_two_laws_do_not_mix(self):
        model = self.law()
        model.add_body('box', q0=[1, 0, 0, 0, 1, 0, RADIUS - 0.01], **FREE)
        model.add_shape('other', body='box', geometry=('sphere', [RADIUS]))
        model.add_contact_law('stiff', shape_a='floor', shape_b='other', find=lambda given, add: touch(given, add),
                              pressure=lambda n, depth, rate: 3e4 * depth)
        state = model.state()
        self.assertAlmostEqual(state.udot[11], 300 - G, delta=1e-9)
        self.assertAlmostEqual(state.udot[5], -G, delta=1e-12)

    def test_what_they_raise_comes_out(self):
        class Mine(Exception): pass
        def fails(*_): raise Mine('here')
        implicit = lambda m: cardan.Stepper(m.state(), step=0.002, method='implicit-contact').advance(0.2)
        explicit = (lambda m: cardan.simulate(m, 0.2), lambda m: cardan.Stepper(m.state()).advance(0.2),
                    lambda m: cardan.Ensemble(m.state(), 3, threads=2).advance(0.2))
        for wrong in ('find', 'pressure', 'slopes', 'potential', 'bends'):
            for run in [*([] if wrong == 'slopes' else explicit), *([] if wrong == 'bends' else [implicit])]:
                with self.assertRaises(Mine, msg=wrong): run(self.law(**{wrong: fails}))
        with self.assertRaisesRegex(ValueError, '4 at most'): cardan.simulate(self.law(numbers=[1] * 5), 0.2)
        with self.assertRaisesRegex(TypeError, 'a pressure: a number'):
            cardan.simulate(self.law(pressure=lambda *_: [1, 2]), 0.2)


class Sources(unittest.TestCase):
    def test_a_floor_that_the_program_alone_knows(self):
        """A ball on a slope that is no shape: the normal force, and nothing along it."""
        k, up = 3000, numpy.array([0.6, 0, 0.8])
        def find(state, add):
            depth = RADIUS - state.body('ball')[1] @ up
            if depth > 0:
                add('floor', 'skin', state.body('ball')[1] - RADIUS * up, up, depth, elastic=k * depth,
                    energy=k * depth ** 2 / 2, **SMOOTH)
        model = ball(1)
        model.add_contact_source('slope', find=find)
        state = model.state()
        self.assertEqual(state.udot.tolist(), [0, 0, 0, 0, 0, -G])
        q = numpy.array(state.q)
        q[4:] = up * (RADIUS - 0.01)
        q[6] += RADIUS  # clear of the floor, by moving along the slope
        q[4] -= RADIUS * 0.8 / 0.6
        state.q = q
        self.assertLess(numpy.abs(state.udot[3:] - (k * 0.01 * up - [0, 0, G])).max(), 1e-9)

    def test_it_says_what_it_reads(self):
        model, called = ball(1), []
        model.add_control('on')
        def find(state, add):
            called.append(state.controls['on'])
            if called[-1]: add('floor', 'skin', [0, 0, 0.9], [0, 0, 1], 0.01, elastic=5, **SMOOTH)
        model.add_contact_source('switch', find=find, reads=[model_control(model)])
        state = model.state()
        self.assertEqual(state.udot[5], -G)
        state.set_control('on', 1)
        self.assertAlmostEqual(state.udot[5], 5 - G, delta=1e-12)
        self.assertEqual(sorted(set(called)), [0, 1])

    def test_mistakes(self):
        for add, kind in ((lambda add: add('floor', 'skn', [0] * 3, [0, 0, 1], 1), KeyError),
                          (lambda add: add('floor', 'skin', [0] * 3, [0, 0, 2], 1), cardan.ArgumentError),
                          (lambda add: add('floor', 'skin', [0] * 3, [0, 0, 1], 1, elastik=1), TypeError)):
            model = ball()
            model.add_contact_source('wrong', find=lambda state, given, add=add: add(given))
            with self.assertRaises(kind): model.state().udot
        kept = []
        model = ball()
        model.add_contact_source('late', find=lambda state, add: kept.append(add))
        model.state().udot
        del model
        gc.collect()
        with self.assertRaises(cardan.Error): kept[0](0, 1, [0] * 3, [0, 0, 1], 1)


def model_control(model): return cardan.Element('control', 0)


if __name__ == '__main__':
    unittest.main()
