"""What functions of Python raise while the library calls them, and what is left behind."""
import copy
import gc
import pickle
import threading
import unittest
import weakref

import numpy

import cardan
from test_building import FREE, pendulum


class Raising(unittest.TestCase):
    """What a function of Python raises comes out unchanged, of every kind and every call."""

    def test_every_kind(self):
        class Mine(Exception): pass
        def fails(*_): raise Mine('here')
        free = lambda model: model.add_body('top', **FREE)
        kinds = {
            'force': lambda m: m.add_custom_force('f', calc_force=fails),
            'event': lambda m: m.add_event('e', value=fails, handle=fails),
            'handler': lambda m: m.add_event('e', kind='start', handle=fails),
            'reporter': lambda m: m.add_event('e', kind='step', report=fails),
            'time': lambda m: m.add_event('e', kind='scheduled', next_time=fails, report=fails),
            'measure': lambda m: m.add_integral_measure('i', m.add_custom_measure('m', calc_value=fails, stage='time', n=1), [0], 1),
            'constraint': lambda m: m.constrain_custom('c', mobilities=[('bob', 0)], na=1, calc_rows=fails),
            'mobilizer': lambda m: m.add_body('b', mobilizer='custom_mobilizer', nq=1, nu=1, across=fails, mass=(1, [0] * 3, [1] * 3)),
            'rates': lambda m: m.add_body('b', mobilizer='custom_mobilizer', nq=1, nu=1, mass=(1, [0] * 3, [1] * 3),
                                          across=lambda q, p: ([0, 0, q[0]], [0, 0, 0, 0, 0, 1]), N=fails, N_inv=fails, Ndot_u=fails),
            'motion': lambda m: m.add_motion('t', body='bob', kind='custom', level='acceleration', udot=fails)}
        for name, add in kinds.items():
            for run in (lambda m: cardan.simulate(m, 0.1), lambda m: cardan.Stepper(m.state()).advance(0.1),
                        lambda m: cardan.Ensemble(m.state(), 3, threads=2).advance(0.1)):
                model = pendulum()
                add(model)
                with self.assertRaises(Mine, msg=name): run(model)
        model = pendulum(q0=[0.1])
        model.add_custom_force('f', calc_force=lambda state, add: None, calc_derivative=fails)
        with self.assertRaises(Mine): model.state().forward_dynamics_derivatives()
        model = pendulum(q0=[0.1])
        model.add_custom_force('f', calc_force=lambda state, add: None, n_kinks=1, calc_kinks=fails)
        with self.assertRaises(Mine): cardan.Stepper(model.state()).advance(0.1)
        model = pendulum(q0=[0.1])
        model.constrain_motion('c', 'bob', 0, cardan.Function(lambda t: 0.1))
        with self.assertRaisesRegex(NotImplementedError, 'derivative'): model.state().udot

    def test_late_ones(self):
        def fails(state, add):
            if state.time > 0.1: raise LookupError('no table beyond 0.1 s')
        model = pendulum()
        model.add_custom_force('table', calc_force=fails)
        with self.assertRaisesRegex(LookupError, 'beyond 0.1 s'): cardan.simulate(model, 1)
        state = model.state()
        state.time = 0.2
        with self.assertRaisesRegex(LookupError, 'beyond 0.1 s'): state.udot
        with self.assertRaises(LookupError): state.realize('acceleration')
        state.time = 0
        self.assertEqual(state.udot[0], 0)

    def test_threads_do_not_mix_them(self):
        def fails(state, add): raise LookupError(threading.get_ident())
        model, wrong = pendulum(), []
        model.add_custom_force('f', calc_force=fails)
        model.freeze()
        def work():
            for _ in range(50):
                try: model.state().udot
                except LookupError as error: wrong.extend([] if error.args[0] == threading.get_ident() else [error])
        threads = [threading.Thread(target=work) for _ in range(4)]
        for t in threads: t.start()
        for t in threads: t.join()
        self.assertEqual(wrong, [])

    def test_states_and_adders_end_with_the_call(self):
        kept = []
        model = pendulum()
        model.add_custom_force('f', calc_force=lambda state, add: kept.extend([state, add, state.q]))
        model.state().udot
        state, add, q = kept[:3]
        self.assertEqual(q.tolist(), [0])
        with self.assertRaises(ValueError): state.q
        with self.assertRaises(cardan.Error): state.udot
        with self.assertRaises(cardan.Error): state.q = numpy.ones(1)
        add.joint('bob', 1)
        add.point('bob', [0, 0, 0], [1, 2, 3])

    def test_wrong_answers(self):
        for answer in (None, 'text', [1, 2], object()):
            model = pendulum()
            model.add_custom_measure('m', calc_value=lambda state: answer, stage='time', n=1)
            with self.assertRaises((TypeError, ValueError)): model.state().measure('m')
        model = pendulum()
        model.add_event('e', kind='start', handle=lambda state, what: 'halt')
        with self.assertRaisesRegex(ValueError, 'stop'): cardan.Stepper(model.state()).advance(1)

    def test_pickles_say_why_not(self):
        model = pendulum()
        model.add_custom_force('mine', calc_force=lambda state, add: None)
        for thing in (model, model.state()):
            with self.assertRaisesRegex(TypeError, "functions of Python cannot be pickled, and add_custom_force 'mine'"):
                pickle.dumps(thing)
        self.assertIs(copy.deepcopy(model), model)
        self.assertEqual(copy.deepcopy(model.state()).q[0], 0)


class Memory(unittest.TestCase):
    def test_cycles_are_collected(self):
        def turn():
            held = []
            model = pendulum()
            model.add_custom_force('own', calc_force=lambda state, add: held and None)
            model.add_event('e', value=lambda state: 1 + 0 * len(held), handle=lambda state, what: held and None)
            held.append((model, model.state(), cardan.Function(lambda t: len(held))))
            held[0][1].udot
            return weakref.ref(model)
        gone = [turn() for _ in range(5)]
        gc.collect()
        self.assertEqual([ref() for ref in gone], [None] * 5)


if __name__ == '__main__':
    unittest.main()
