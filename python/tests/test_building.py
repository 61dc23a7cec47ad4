"""Models that Python builds, and elements that are functions of Python."""
import copy
import math
import pickle
import unittest

import numpy

import cardan

G = 9.81


def pendulum(**members):
    """A bob of 2 kg, 1 m below a pin along z; gravity along -y."""
    model = cardan.Model('pendulum')
    model.add_body('bob', mobilizer='pin', X_BM=[0, 1, 0], mass=(2, [0, 0, 0], [1e-3] * 3), **members)
    model.add_gravity('gravity', [0, -G, 0])
    return model


def rate(q): return -2 * G * math.sin(q) / 2.001  # of the pendulum above


FREE = dict(mobilizer='free', mass=dict(mass=1, inertia=[0.1, 0.2, 0.3]))


class Building(unittest.TestCase):
    def test_a_pendulum_falls_as_it_should(self):
        state = pendulum().state()
        state['bob'].q = 0.5
        self.assertAlmostEqual(state.udot[0], rate(0.5), delta=1e-14)
        self.assertEqual((state.model.name, state.model.bodies, state.model.joints), ('pendulum', ['bob'], ['bob']))
        self.assertEqual(state.table(), [('bob.q', 0.5, 'rad'), ('bob.u', 0.0, 'rad/s')])

    def test_it_is_the_same_as_the_file(self):
        file = cardan.loads('''<mujoco><compiler angle="radian"/><worldbody><body name="arm"><joint name="shoulder"
          type="ball"/><inertial pos="0 0 -0.5" mass="2" diaginertia="0.1 0.2 0.3"/><body name="hand" pos="0 0 -1">
          <joint name="wrist" type="slide" axis="1 0 0"/><inertial pos="0.1 0 0" mass="1" diaginertia="0.1 0.1 0.1"/>
          </body></body></worldbody></mujoco>''')
        own = cardan.Model('own')
        arm = own.add_body('arm', mobilizer_name='shoulder', mobilizer='ball', mass=(2, [0, 0, -0.5], [0.1, 0.2, 0.3]))
        own.add_body('hand', parent=arm, mobilizer_name='wrist', mobilizer='slider', X_PF=[0, 0, -1],
                     mass=(1, [0.1, 0, 0], numpy.diag([0.1] * 3)))
        own.add_gravity('gravity', g=[0, 0, -G])
        self.assertEqual(own.slots('q'), file.slots('q'))
        q = numpy.array([0.7, 0.1, -0.5, 0.5, 0.3])
        rates = []
        for model in (own, file):
            state = model.state()
            state.q, state.u = q, [0.1, 0.2, -0.3, 0.4]
            rates.append(state.udot)
        self.assertLess(numpy.abs(rates[0] - rates[1]).max(), 1e-13)

    def test_units_of_every_kind(self):
        """As the joints of files tell them, and the comments of cdn_mobilizer."""
        wanted = {'pin': 'A', 'slider': 'L', 'universal': 'AA', 'cylinder': 'AL', 'bend_stretch': 'AL', 'planar': 'ALL',
                  'gimbal': 'AAA', 'bushing': 'AAALLL', 'translation': 'LLL', 'spherical_coords': 'AAL', 'screw': 'A',
                  'ball': '----', 'ellipsoid': '----', 'free': '----LLL', 'line_orientation': '----',
                  'free_line': '----LLL'}
        for kind, letters in wanted.items():
            model = cardan.Model(kind)
            model.add_body('body', mobilizer=kind, mass=(1, [0, 0, 0], [0.1, 0.1, 0.1]))
            self.assertEqual(model.units('q'), [{'A': 'rad', 'L': 'm', '-': ''}[c] for c in letters], kind)
            speeds = letters.replace('----', 'AA' if 'line' in kind else 'AAA')
            self.assertEqual(model.units('u'), [{'A': 'rad/s', 'L': 'm/s'}[c] for c in speeds], kind)

    def test_mistakes_are_raised_where_they_are_made(self):
        model = cardan.Model('wrong')
        for call, kind, said in (
                (lambda: model.add_body('b', mobiliser='pin'), TypeError, "'mobilizer' is there"),
                (lambda: model.add_body('b', mobilizer='pinn'), ValueError, "'pin' is there"),
                (lambda: model.add_body('b', parent='nobody'), KeyError, 'nobody'),
                (lambda: model.add_body('b', X_BM=[1, 2]), ValueError, '3 numbers'),
                (lambda: model.add_body('b', mass='heavy'), (TypeError, ValueError), ''),
                (lambda: model.add_gravity('g'), TypeError, 'g is missing'),
                (lambda: model.add_gravity('g', [0, 0, -1], k=3), TypeError, 'no argument'),
                (lambda: model.add_rod('r'), AttributeError, 'add_rod'),
                (lambda: model.add_event('e', value=lambda s: 1, samples='many'), TypeError, 'number')):
            with self.assertRaisesRegex(kind, said): call()
        with self.assertRaisesRegex(cardan.ArgumentError, "'b'.*mass"): model.add_body('b', mass=(-1, [0, 0, 0], [0] * 3))
        model = pendulum()
        model.state()
        with self.assertRaises(cardan.FrozenError): model.add_body('late')

    def test_every_adder_says_what_c_says(self):
        self.assertGreater(len([n for n in dir(cardan.Model) if n.startswith(('add_', 'constrain_'))]), 60)
        self.assertIn('m/s^2', cardan.Model.add_gravity.__doc__)
        self.assertIn('mass', cardan.Model.add_body.__doc__)

    def test_forces_constraints_paths_controls(self):
        model = pendulum()
        model.add_body('ball', **{**FREE, 'mobilizer': 'translation'})
        model.add_two_point_spring('spring', 'bob', [0, 0, 0], 'ball', [0, 0, 0], k=10, rest=0.5)
        model.add_linear_bushing('bushing', 'Ground', [0, 0, 0], 'ball', [0, 0, 0], k=[1, 2, 3, 4, 5, 6], c=[0] * 6)
        path = model.add_path('cable')
        model.path_add_point(path, 'Ground', [1, 0, 0])
        model.path_add_point(path, 'ball', [0, 0, 0])
        model.add_path_spring('cable spring', path, k=100, lower=-math.inf, upper=1)
        push = model.add_control('push', unit='N m', lower=-1, upper=1)
        model.control_follow_samples(push, t=[0, 1], values=[0, 1])
        model.add_actuator('motor', body='bob', control=push, gain=2)
        model.couple_by_polynomial('gear', y=('bob', 0), y0=0, x=('ball', 0), x0=0, a=[0, 2, 0, 0, 0])
        model.add_sum_measure('twice', terms=[model.add_time_measure('t')] * 2, weights=[1, 1])
        state = model.state()
        self.assertEqual(len(state.qerr), 1)
        state.time = 0.25
        self.assertEqual((state.controls, state.measure('twice')[0]), ({'push': 0.25}, 0.5))
        self.assertEqual(state.parameter('force', 'spring', 'k'), 10)
        state.two_point_spring_set('spring', k=20, rest=0)
        state.gravity_set('gravity', [0, 0, 0])
        self.assertEqual(state.parameter('force', 'spring', 'k'), 20)
        state.body_lock('bob', 'position')
        self.assertEqual(state.udot[0], 0)

    def test_contact_of_shapes(self):
        model = cardan.Model('bounce')
        model.add_gravity('gravity', [0, 0, -G])
        model.add_body('ball', **FREE)
        material = dict(modulus=1e6, dissipation=0)
        model.add_shape('floor', geometry=('half_space',), material=material)
        model.add_shape('skin', body='ball', geometry=('sphere', [0.1]), material=material)
        state = model.state()
        q = numpy.array(state.q)
        q[6] = 0.3
        state.q = q
        run = cardan.simulate(model, 2 * math.sqrt(2 * 0.2 / G) + 0.1, accuracy=1e-6, state=state, reports=5e-4)
        height = run.q['ball'][:, 6]
        self.assertGreater(height[len(height) // 2:].max(), 0.28)  # nothing is lost
        # at the deepest point all energy is in Hertz' spring, of a modulus of two equal bodies
        modulus = 1e6 / 2 ** 1.5
        d = 0.016
        for _ in range(50): d = (G * (0.2 + d) / (8 / 15 * modulus * math.sqrt(0.1))) ** 0.4
        self.assertAlmostEqual(height.min(), 0.1 - d, delta=2e-4)

    def test_description_is_pickled(self):
        model = pendulum(q0=[0.3])
        model.constrain_coordinate('hold', 'bob', 0, 0.3)
        for other in (pickle.loads(pickle.dumps(model)), copy.deepcopy(model)):
            self.assertIsNot(other, model)
            self.assertEqual(other.state().multipliers[0], model.state().multipliers[0])
        state = model.state()
        self.assertIs(copy.deepcopy(model), model)  # it is frozen now
        self.assertEqual(pickle.loads(pickle.dumps(state)).q[0], 0.3)

    def test_functions_of_c(self):
        f = cardan.Function.polynomial([1, 0, 2])
        self.assertEqual((f(3), pickle.loads(pickle.dumps(f))(3), cardan.Function.linear([1, 2], 3)(4, 5)), (11, 11, 17))
        model = cardan.Model('spiral')
        model.add_body('bead', mobilizer='function_based', mass=(1, [0, 0, 0], [0.1] * 3),
                       functions=dict(nu=1, function=[None, None, f, None, None, cardan.Function(lambda q: (q, [1], [0], [0]))]))
        state = model.state()
        state['bead'].q = 0.5
        R, p = state.body('bead')
        self.assertAlmostEqual(math.atan2(R[1, 0], R[0, 0]), 0.25 + 2, delta=1e-14)
        self.assertEqual(p.tolist(), [0, 0, 0.5])


class Forces(unittest.TestCase):
    def test_a_spring_is_that_of_the_library(self):
        runs = []
        for own in (True, False):
            model = pendulum(q0=[0.7])
            if own:
                pull = lambda state, add: add.joint('bob', -3 * state['bob'].q - 0.2 * state['bob'].u)
                model.add_custom_force('spring', calc_force=pull, reads='velocity')
            else:
                model.add_mobility_spring('spring', 'bob', 0, k=3, q0=0)
                model.add_mobility_damper('damper', 'bob', 0, c=0.2)
            runs.append(cardan.simulate(model, 1, accuracy=1e-8))
        self.assertEqual([run.certificate.delivered for run in runs], ['delivered'] * 2)
        self.assertLess(numpy.abs(runs[0].q - runs[1].q).max(), 3e-8)

    def test_a_potential_keeps_the_energy(self):
        k, place, station = 20, numpy.array([1.0, 0, 2]), numpy.array([0, 0, 0.3])
        def stretch(state):
            R, p = state.body('top')
            return p + R @ station - place
        model = cardan.Model('top')
        model.add_body('top', **FREE)
        model.add_custom_force('pull', reads='position', calc_force=lambda state, add: add.point('top', station, -k * stretch(state)),
                               calc_potential=lambda state: k / 2 * stretch(state) @ stretch(state))
        run = cardan.simulate(model, 0.5, accuracy=1e-7)
        self.assertEqual((run.certificate.delivered, run.certificate.work), ('delivered', 0))
        self.assertLess(abs(run.certificate.energy_residual), 1e-7)

    def springs(self, own, **more):
        """A ball on a spring of the library's, or of Python's, from a place in Ground."""
        k, c, place = 20, 0.3, numpy.array([1.0, 0, 2])
        def pull(state, add): add.point('top', [0, 0, 0.3], self.tension(state, k, c, place))
        model = cardan.Model('top')
        model.add_body('top', q0=[1, 0, 0, 0, 0.2, 0.1, -0.3], **FREE)
        if own: model.add_custom_force('pull', reads='velocity', calc_force=pull, **more)
        else:
            model.add_two_point_spring('spring', 'Ground', place, 'top', [0, 0, 0.3], k=k, rest=0.5)
            model.add_two_point_damper('damper', 'Ground', place, 'top', [0, 0, 0.3], c=c)
        state = model.state()
        state.u = [0.1, -0.2, 0.3, 0.4, 0.5, -0.6]
        return state

    @staticmethod
    def line(state, place):
        """From the place to the station on the ball: its length, direction, and the rate of the length."""
        (R, p), V = state.body('top'), state.body_velocity('top')
        arm = R @ [0, 0, 0.3]
        d = p + arm - place
        return numpy.linalg.norm(d), d / numpy.linalg.norm(d), (V[3:] + numpy.cross(V[:3], arm)) @ d / numpy.linalg.norm(d)

    def tension(self, state, k, c, place):
        length, n, rate = self.line(state, place)
        return -(k * (length - 0.5) + c * rate) * n

    def test_derivatives_are_those_of_the_library(self):
        """Three ways to say the same derivatives, beside the library's spring and damper."""
        k, c, place = 20, 0.3, numpy.array([1.0, 0, 2])
        told = []
        def line(state, add):
            told.append('line')
            length, n, rate = self.line(state, place)
            add.line(None, place, 'top', [0, 0, 0.3], k * (length - 0.5) + c * rate, k, c)
        def by_point(state):
            """The force, and its derivatives by place and velocity of the station."""
            (R, p), V = state.body('top'), state.body_velocity('top')
            length, n, rate = self.line(state, place)
            v = V[3:] + numpy.cross(V[:3], R @ [0, 0, 0.3])
            across = (numpy.eye(3) - numpy.outer(n, n)) / length
            tension = k * (length - 0.5) + c * rate
            return -tension * n, -numpy.outer(n, k * n + c * across @ v) - tension * across, -c * numpy.outer(n, n)
        def point(state, add):
            told.append('point')
            add.point('top', [0, 0, 0.3], *by_point(state))
        def bodies(state, add):
            told.append('bodies')
            f, df_dp, df_dv = by_point(state)
            zero = numpy.zeros((3, 3))
            matrix = lambda d: numpy.block([[zero, zero], [zero, d]])
            add.bodies(['top'], [[0, 0, 0.3]], [[0, 0, 0, *f]], matrix(df_dp), matrix(df_dv))
        wanted = self.springs(False).forward_dynamics_derivatives()
        for way in (line, point, bodies):
            found = self.springs(True, calc_derivative=way).forward_dynamics_derivatives()
            for one, other in zip(found[:2], wanted[:2]): self.assertLess(numpy.abs(one - other).max(), 1e-11, way)
        self.assertEqual(set(told), {'line', 'point', 'bodies'})

    def test_derivatives_by_joints_and_controls(self):
        def model(**more):
            model = pendulum(q0=[0.4])
            push = model.add_control('push')
            drive = lambda state, add: add.joint('bob', 3 * state.controls['push'] - 7 * state['bob'].q - 2 * state['bob'].u)
            model.add_custom_force('drive', calc_force=drive, reads='velocity', prerequisites=[push], **more)
            return model.state()
        given = []
        def slopes(state, add):
            given.append('slopes')
            add.joint('bob', 'bob', -7, -2)
        def by_control(state, control, add):
            given.append(control)
            add.joint('bob', 3)
        state = model(calc_derivative=slopes, calc_control_derivative=by_control)
        by_q, by_u, *_ = state.forward_dynamics_derivatives()
        self.assertAlmostEqual(by_q[0, 0], (-2 * G * math.cos(0.4) - 7) / 2.001, delta=1e-13)
        self.assertAlmostEqual(by_u[0, 0], -2 / 2.001, delta=1e-13)
        *_, by_c = state.step_derivatives('mujoco-euler', 0.01)
        self.assertAlmostEqual(by_c[1, 0], 0.01 * 3 / 2.001, delta=1e-12)
        self.assertEqual(set(given), {'slopes', 'push'})

    def test_a_step_ends_at_a_kink(self):
        """A stone flies up at 10 m/s, and above 4.95 m it is 100 m/s^2 that slow it. Long steps pass over that, unless the
        kink is told with its rate. It arrives there after 0.9 s at 1 m/s, and comes back 0.02 s later."""
        ends = []
        for more in ({}, dict(n_kinks=1, calc_kinks=lambda state: ([state['stone'].q - 4.95], [state['stone'].u])),
                     dict(n_kinks=1, calc_kinks=lambda state: [state['stone'].q - 4.95])):
            model = cardan.Model('stone')
            model.add_body('stone', mobilizer='slider', mass=dict(mass=1), u0=[10])
            model.add_custom_force('weight', reads='position', **more,
                                   calc_force=lambda state, add: add.joint('stone', -100 if state['stone'].q > 4.95 else -10))
            stepper = cardan.Stepper(model.state(), accuracy=1e-6)
            stepper.advance(1.5)
            ends.append(stepper.state.q[0] - (4.95 - 0.58 - 5 * 0.58 ** 2))
        self.assertLess(abs(ends[1]), 1e-5)
        for missed in ends[0], ends[2]: self.assertGreater(missed, 0.1)

    def test_a_model_of_a_file_has_it_as_well(self):
        model = cardan.loads('<mujoco><worldbody><body name="b"><freejoint name="b"/><inertial pos="0 0 0" mass="2"'
                             ' diaginertia="1 1 1"/></body></worldbody></mujoco>', building=True)
        model.add_custom_force('lift', calc_force=lambda state, add: add.point('b', [0, 0, 0], [0, 0, 2 * G + 1]))
        self.assertAlmostEqual(model.state().udot[5], 0.5, delta=1e-14)


class Events(unittest.TestCase):
    def test_a_pendulum_passes_its_lowest_point(self):
        model, seen = pendulum(q0=[0.3]), []
        model.add_event('bottom', value=lambda state: state['bob'].q, direction='falling',
                        report=lambda state, what: seen.append((what.name, state.time, what.direction)))
        cardan.Stepper(model.state(), accuracy=1e-9).advance(1.5)
        # a quarter of the period, by the arithmetic-geometric mean
        a, b = 1, math.cos(0.15)
        while abs(a - b) > 1e-15: a, b = (a + b) / 2, math.sqrt(a * b)
        quarter = math.pi / 2 * math.sqrt(2.001 / 2 / G) / a
        self.assertEqual([(name, way) for name, _, way in seen], [('bottom', 'falling')])
        self.assertAlmostEqual(seen[0][1], quarter, delta=1e-8)

    def test_a_handler_changes_the_state_and_stops(self):
        model = pendulum(q0=[0.3])
        def turn(state, what):
            state.u = -state.u
            return 'stop' if what.count else None
        model.add_event('bottom', value=lambda state: state['bob'].q, handle=turn)
        stepper = cardan.Stepper(model.state(), accuracy=1e-8)
        stepper.advance(10)
        self.assertTrue(stepper.stopped)
        self.assertLess(abs(stepper.state.q[0]), 1e-7)
        self.assertAlmostEqual(stepper.state.u[0] ** 2 / 2 * 2.001, 2 * G * (1 - math.cos(0.3)), delta=1e-6)

    def test_times(self):
        model, seen = pendulum(), []
        look = lambda state, what: seen.append((what.name, round(state.time, 12)))
        model.add_event('clock', kind='periodic', period=0.25, report=look)
        model.add_event('list', kind='scheduled', times=[0.1, 0.3], report=look)
        model.add_event('next', kind='scheduled', next_time=lambda state, after: 0.2 if after < 0.2 else math.inf, report=look)
        cardan.Stepper(model.state()).advance(0.3)
        self.assertEqual(seen, [('clock', 0), ('list', 0.1), ('next', 0.2), ('clock', 0.25), ('list', 0.3)])


class Measures(unittest.TestCase):
    def test_a_value_its_integral_and_feedback(self):
        model = pendulum(q0=[0.3])
        height = model.add_custom_measure('height', calc_value=lambda state: 1 - math.cos(state['bob'].q), stage='position', n=1)
        model.add_integral_measure('area', height, initial=[0], scale=1)
        model.add_custom_measure('two', calc_value=lambda state: [state.time, -state.time], stage='time', n=2)
        state = model.state()
        self.assertEqual(state.measure('height')[0], 1 - math.cos(0.3))
        run = cardan.simulate(model, 1, accuracy=1e-9, reports=1e-3)
        value = 1 - numpy.cos(run.q['bob'])
        simpson = (value[:-2:2] + 4 * value[1:-1:2] + value[2::2]).sum() * 1e-3 / 3
        self.assertAlmostEqual(run.state.measure('area')[0], simpson, delta=1e-8)
        self.assertEqual(run.state.measure('two').tolist(), [1, -1])
        model = pendulum()
        model.add_custom_measure('wrong', calc_value=lambda state: [1, 2, 3], stage='position', n=2)
        with self.assertRaisesRegex(ValueError, '2 numbers'): model.state().measure('wrong')


class Constraints(unittest.TestCase):
    def test_a_rod_is_that_of_the_library(self):
        L = 1.2
        class Rod:
            def line(self, given): return given.X_GB[0][1] - [0, 0, 2]
            def error(self, given): return [numpy.linalg.norm(self.line(given)) - L]
            def rows(self, given, add):
                n = self.line(given) / numpy.linalg.norm(self.line(given))
                add.point(0, 'top', [0, 0, 0], n)
            def bias(self, given):
                d, v = self.line(given), given.V_GB[0][3:]
                length = numpy.linalg.norm(d)
                return [(v @ v - (v @ d / length) ** 2) / length]
        rod, runs = Rod(), []
        for own in (True, False):
            model = cardan.Model('rod')
            model.add_gravity('gravity', [0, 0, -G])
            model.add_body('top', q0=[1, 0, 0, 0, 1.2, 0, 2], **FREE)
            if own:
                model.constrain_custom('rod', bodies=['top'], np=1, calc_position=rod.error, calc_rows=rod.rows,
                                       calc_bias=rod.bias, absolute=True)
            else: model.constrain_rod('rod', 'Ground', [0, 0, 2], 'top', [0, 0, 0], length=L)
            runs.append(cardan.simulate(model, 1, accuracy=1e-8))
            self.assertEqual(runs[-1].certificate.delivered, 'delivered')
            self.assertLess(runs[-1].certificate.max_position_error, 1e-8)
        self.assertLess(numpy.abs(runs[0].q - runs[1].q).max(), 3e-8)


class Mobilizers(unittest.TestCase):
    def test_a_screw_is_that_of_the_library(self):
        pitch, states = 0.3, []
        def across(q, params):
            c, s = math.cos(q[0]), math.sin(q[0])
            return (([[c, -s, 0], [s, c, 0], [0, 0, 1]], [0, 0, params[0] * q[0]]), [0, 0, 1, 0, 0, params[0]])
        for own in (True, False):
            model = cardan.Model('screw')
            model.add_gravity('gravity', [0, 0, -G])
            kind = dict(mobilizer='custom_mobilizer', nq=1, nu=1, across=across) if own else dict(mobilizer='screw')
            model.add_body('nut', mass=(2, [0.1, 0, 0], [0.1, 0.2, 0.3]), params=[pitch, 0, 0, 0], **kind)
            state = model.state()
            state.q, state.u = [0.4], [2]
            states.append((state.udot[0], state.body('nut')[1][2], state.energy[0]))
        for one, other in zip(*states): self.assertAlmostEqual(one, other, delta=1e-14)

    def test_coordinates_of_its_own(self):
        """A slider whose coordinate is the logarithm of its place: udot is that of a falling body."""
        model = cardan.Model('log')
        model.add_gravity('gravity', [0, 0, -G])
        model.add_body('stone', mobilizer='custom_mobilizer', nq=1, nu=1, mass=(1, [0, 0, 0], [0] * 3),
                       across=lambda q, params: ([0, 0, math.exp(q[0])], [0, 0, 0, 0, 0, 1]),
                       N=lambda q, u: u / math.exp(q[0]), N_inv=lambda q, qdot: qdot * math.exp(q[0]),
                       Ndot_u=lambda q, u: -(u / math.exp(q[0])) ** 2)
        run = cardan.simulate(model, 0.4, accuracy=1e-8)
        self.assertAlmostEqual(math.exp(run.q['stone'][-1]), 1 - G * 0.4 ** 2 / 2, delta=1e-7)


    def test_its_own_fit(self):
        """A slider whose coordinate is ten times its place, which only its own function finds exactly."""
        model, asked = cardan.Model('fit'), []
        def fit(q, R, p, params):
            asked.append((R is None, p[2]))
            return 10 * p[2]
        model.add_body('stone', mobilizer='custom_mobilizer', nq=1, nu=1, mass=(1, [0, 0, 0], [0] * 3), fit=fit,
                       across=lambda q, params: ([0, 0, q[0] / 10], [0, 0, 0, 0, 0, 0.1]))
        state = model.state()
        state.body_set_q_to_fit_translation('stone', [0, 0, 0.7])
        self.assertEqual((state.q[0], asked), (7, [(True, 0.7)]))


class Motions(unittest.TestCase):
    def test_each_level(self):
        """q = 0.2 + t^2 / 2, told as itself, as its speed, and as its acceleration."""
        ways = dict(position=dict(q=lambda given: 0.2 + given.time ** 2 / 2, qdot=lambda given: given.time,
                                  qdotdot=lambda given: 1),
                    velocity=dict(u=lambda given: math.sqrt(2 * max(given.q[given.first_q] - 0.2, 0)), udot=lambda given: 1),
                    acceleration=dict(udot=lambda given: given.params[0] + 0 * given.u[given.first_u]))
        for level, functions in ways.items():
            if level == 'velocity': functions['u'] = lambda given: given.time
            model = pendulum(q0=[0.2])
            model.add_motion('turn', body='bob', kind='custom', level=level, params=[1, 0, 0, 0, 0, 0], **functions)
            run = cardan.simulate(model, 0.5, accuracy=1e-8)
            self.assertAlmostEqual(run.q['bob'][-1], 0.2 + 0.125, delta=1e-8, msg=level)
            self.assertAlmostEqual(run.u['bob'][-1], 0.5, delta=1e-8, msg=level)
            self.assertEqual(run.state.udot[0], 1)

    def test_wrong_ones(self):
        model = pendulum()
        model.add_motion('turn', body='bob', kind='custom', level='position', q=lambda given: [1, 2], qdot=lambda given: 0,
                         qdotdot=lambda given: 0)
        with self.assertRaisesRegex(ValueError, 'a motion: q: 1 numbers are needed, not 2'): model.state().udot
        model = pendulum()
        with self.assertRaisesRegex(cardan.ArgumentError, "'turn'.* need q, qdot and qdotdot"):
            model.add_motion('turn', body='bob', kind='custom', level='position', q=lambda given: 1)


if __name__ == '__main__':
    unittest.main()
