"""What States answer, and assemblies: against differences, and against each other."""
import math
import os
import pathlib
import unittest

import numpy

import cardan
from cardan._interface import ANSWERING, PARAMETERS, SHAPES

ROOT = pathlib.Path(os.environ.get('CARDAN_SOURCE_ROOT', pathlib.Path(__file__).parents[2]))


def moving():
    """A quadruped that moves, with the loop of two feet that are tied."""
    model = cardan.load(ROOT / 'examples/models/quadruped.xml', contact='no_contact', building=True)
    model.constrain_rod('tie', 'fl_shank', [0, 0, -0.2], 'hr_shank', [0, 0, -0.2], length=0.5)
    state, rng = model.state(), numpy.random.default_rng(3)
    q = state.q + 0.1 * rng.standard_normal(model.nq)
    q[:4] /= numpy.linalg.norm(q[:4])
    state.q, state.u = q, rng.standard_normal(model.nu)
    for name in model.controls: state.set_control(name, rng.uniform(-5, 5))
    return state


class Operators(unittest.TestCase):
    def setUp(self):
        self.state = moving()
        self.nu, self.rng = self.state.model.nu, numpy.random.default_rng(4)

    def along(self, u, value, h=1e-6):
        """The derivative of value(state) along the velocity u."""
        ends = []
        for way in (h, -h):
            other = self.state.copy()
            other.q = other.q + way * self.state.multiply_by_N(u)
            ends.append(numpy.asarray(value(other)))
        return (ends[0] - ends[1]) / (2 * h)

    def near(self, one, other, delta): self.assertLess(numpy.abs(numpy.asarray(one) - other).max(), delta)

    def test_jacobians_are_derivatives(self):
        state, station = self.state, [0.1, 0.2, -0.3]
        J, frame = state.calc_station_J('fl_shank', station), state.calc_frame_J('fl_shank', station)
        center = state.calc_subtree_center_J('trunk')
        for u in self.rng.standard_normal((3, self.nu)):
            place = lambda other: other.body_station('fl_shank', station)[0]
            self.near(J @ u, self.along(u, place), 1e-8)
            self.near(frame[3:] @ u, J @ u, 1e-13)
            self.near(state.multiply_by_station_J('fl_shank', station, u)[0], J @ u, 1e-13)
            turned = self.along(u, lambda other: other.body('fl_shank')[0]) @ state.body('fl_shank')[0].T
            self.near(frame[:3] @ u, [turned[2, 1], turned[0, 2], turned[1, 0]], 1e-8)
            self.near(center @ u, self.along(u, lambda other: other.center_of_mass()), 1e-8)
            self.near(state.calc_centroidal_momentum_matrix() @ u, self.state_with(u).central_momentum(), 1e-12)
            self.near(state.calc_G() @ u, numpy.append(self.along(u, lambda other: other.qerr), []), 1e-7)
        both = state.calc_station_J(['fl_shank', 'trunk'], [station, [0, 0, 0]])
        self.near(both[:3], J, 1e-300)
        self.near(state.calc_J().reshape(-1, 6, self.nu)[state.model.body('trunk').i][3:], both[3:], 1e-13)

    def state_with(self, u):
        other = self.state.copy()
        other.u = u
        return other

    def test_dynamics_agree_with_each_other(self):
        state = self.state
        M, udot = state.calc_M(), self.rng.standard_normal(self.nu)
        self.near(M, M.T, 1e-300)
        self.near(M @ state.calc_M_inv(), numpy.eye(self.nu), 1e-8)
        self.near(state.inverse_dynamics(udot), M @ udot + state.calc_bias(), 1e-11)
        F_G, f_mob = state.total_forces()
        self.near(state.inverse_dynamics(state.udot, F_G, f_mob), 0, 1e-8)
        self.near(state.forward_dynamics(F_G, f_mob=f_mob)[0], state.udot, 1e-8)
        self.near(state.calc_udoterr(state.udot), 0, 1e-9)
        self.assertAlmostEqual(state.u @ M @ state.u / 2, state.energy[0], delta=1e-12)
        self.assertAlmostEqual(state.calc_log_det_M(), numpy.linalg.slogdet(M)[1], delta=1e-10)
        self.near(state.calc_G_M_inv_G_transpose(), state.calc_G() @ state.calc_M_inv() @ state.calc_G().T, 1e-9)
        x, multipliers = state.solve_constrained(f=udot)
        self.near(M @ x + state.multiply_by_G_transpose(multipliers), udot, 1e-10)
        self.near(state.calc_gravity_compensation(), -state.calc_gravity_forces([0, 0, -9.81]), 1e-12)
        regressor = state.inverse_dynamics_regressor(udot) @ state.inertial_parameters().ravel()
        weight = state.calc_gravity_forces([0, 0, -9.81])
        armature = numpy.append(numpy.zeros(6), numpy.full(12, 0.01))
        self.near(regressor + armature * udot, M @ udot + state.calc_bias() - weight, 1e-10)

    def test_derivatives_are_differences(self):
        by_q, by_u, by_f, by_z = self.state.forward_dynamics_derivatives()
        self.assertEqual((by_q.shape, by_z.shape), ((self.nu, self.nu), (self.nu, 0)))
        u = self.rng.standard_normal(self.nu)
        self.near(by_q @ u, self.along(u, lambda other: other.udot), 1e-4)
        f = self.rng.standard_normal(self.nu)
        x, _ = self.state.solve_constrained(f=f)
        self.near(by_f @ f, x, 1e-8)
        free = cardan.Model('bead')
        free.add_body('bead', mobilizer='slider', mass=(2, [0, 0, 0], [0.1] * 3))
        free.add_mobility_spring('spring', 'bead', 0, k=8, q0=0)
        dx, dtau, dc = free.state().step_derivatives('semi_explicit_euler', 0.1)
        self.near(dx, [[1 - 0.04, 0.1], [-0.4, 1]], 1e-14)
        self.near(dtau, [[0.005], [0.05]], 1e-14)
        self.assertEqual(dc.shape, (2, 0))

    def test_every_one_answers(self):
        words = {'body': 'trunk', 'where': 'at_m', 'g': [0, 0, -1], 'p_B': [0, 0, 0], 'method': 'mujoco_euler',
                 'h': 1e-3, 'station_B': [0, 0, 0], 'origin_B': [0, 0, 0], 'axis_B': [0, 0, 1]}
        for method, function in ANSWERING.items():
            reads, writes = SHAPES[function]
            given = {n: words[n] for n in PARAMETERS[function][1:] if n in words and n not in writes}
            if 'where' in given: given['where'] = cardan.structs.word('cdn_reaction', 0)
            sizes = {**self.state._sizes(), 'n': 1}
            for name, shape in reads.items():
                given[name] = numpy.ones([cardan.operators.size(s, sizes) for s in shape])
            state = self.state
            if method == 'step_derivatives': state = cardan.load(ROOT / 'examples/models/arm.urdf').state()
            answer = getattr(state, method)(**given)
            for one in answer if isinstance(answer, tuple) else (answer,):
                self.assertTrue(numpy.isfinite(one).all(), method)
            for wrong in ({'nothing': 1}, *({n: numpy.ones(77)} for n in reads), *({n: 'wrong'} for n in given)):
                with self.assertRaises((TypeError, ValueError, KeyError), msg=(method, wrong)):
                    getattr(state, method)(**{**given, **wrong})

    def test_out(self):
        out = numpy.empty((self.nu, self.nu))
        self.assertIs(self.state.calc_M(out=out), out)
        with self.assertRaises(ValueError): self.state.calc_M(out=numpy.empty(3))


class Assembly(unittest.TestCase):
    def test_a_five_bar_reaches_its_tool(self):
        """examples/closed_loop_robot.c: the tool is where two circles meet."""
        model = cardan.load(ROOT / 'examples/models/five_bar.xml')
        state, wanted = model.state(), {'left_motor': -0.35, 'right_motor': -0.15}
        robot = cardan.Assembly(model)
        for name, angle in wanted.items():
            state[name].q = angle
            robot.lock(next(b for b in model.bodies if model.body(b).i == model.joint(name).body.i), True)
        report = robot.assemble(state)
        self.assertLess(report.error, 1e-8)
        self.assertEqual([state[name].q for name in wanted], list(wanted.values()))
        self.assertLess(numpy.abs(state.qerr).max(), 1e-8)

    def test_a_marker_is_reached(self):
        model = cardan.load(ROOT / 'examples/models/arm.urdf')
        arm, state = cardan.Assembly(model, accuracy=1e-10), model.state()
        hand = arm.add_marker('hand', 'finger', [0, 0, 0], weight=1)
        arm.observe_marker(hand, [0.3, 0.1, 0.4])
        self.assertLess(arm.assemble(state).marker_most, 1e-6)
        self.assertLess(numpy.abs(state.body('finger')[1] - [0.3, 0.1, 0.4]).max(), 1e-6)
        arm.set_bounds('forearm', 0, -0.1, 0.1)
        arm.assemble(state)
        self.assertLess(abs(state.q[2]), 0.1 + 1e-9)
        with self.assertRaises(cardan.ArgumentError): arm.set_weight(hand, -1)
        with self.assertRaises(TypeError): arm.assemble(model)
        with self.assertRaises(cardan.Error): cardan.Assembly(model, accuracy=-1)


if __name__ == '__main__':
    unittest.main()
