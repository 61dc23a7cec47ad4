"""The Python package, as a program uses it: python3 -m unittest, with the package in the path."""
import copy
import gc
import math
import os
import pathlib
import pickle
import resource
import signal
import subprocess
import sys
import tempfile
import threading
import time
import unittest

import numpy

import cardan

ROOT = pathlib.Path(os.environ.get('CARDAN_SOURCE_ROOT', pathlib.Path(__file__).parents[2]))
PENDULUM = '''<mujoco model="pendulum"><compiler angle="radian"/><worldbody><body name="bob" pos="0 0 2">
  <joint name="hinge" type="hinge" axis="0 1 0" pos="0 0 1" damping="0"/>
  <inertial pos="0 0 0" mass="2" diaginertia="0.001 0.001 0.001"/></body></worldbody>
  <actuator><motor name="push" joint="hinge"/></actuator></mujoco>'''
TOP = '''<mujoco><worldbody><body name="top"><freejoint name="loose"/>
  <inertial pos="0 0 0" mass="1" diaginertia="0.1 0.2 0.3"/></body></worldbody></mujoco>'''


class Names(unittest.TestCase):
    def test_a_model_tells_its_names(self):
        model = cardan.loads(PENDULUM)
        self.assertEqual((model.name, model.nq, model.nu, model.nz), ('pendulum', 1, 1, 0))
        self.assertEqual((model.joints, model.controls, model.slots('q')), (['hinge'], ['push'], ['hinge.q']))
        self.assertEqual(model.units('u'), ['rad/s'])

    def test_units_of_a_free_joint(self):
        model = cardan.loads(TOP)
        self.assertEqual(model.units('q'), [''] * 4 + ['m'] * 3)
        self.assertEqual(model.units('u'), ['rad/s'] * 3 + ['m/s'] * 3)

    def test_a_wrong_name_tells_the_nearest(self):
        state = cardan.loads(PENDULUM).state()
        with self.assertRaisesRegex(KeyError, "'hinge' is there"): state['hnge']
        with self.assertRaisesRegex(KeyError, "'push' is there"): state.set_control('pus', 1)
        with self.assertRaisesRegex(KeyError, "'bob' is there"): state.body('bub')


class States(unittest.TestCase):
    def setUp(self):
        self.model = cardan.loads(PENDULUM)
        self.state = self.model.state()

    def test_views_follow_and_cannot_be_written(self):
        q = self.state.q
        self.state.q = [0.3]
        self.assertEqual(q[0], 0.3)
        with self.assertRaises(ValueError): q[0] = 1
        with self.assertRaises(ValueError): q.flags.writeable = True

    def test_a_view_keeps_its_state(self):
        q = self.state.q
        self.state.q = [0.7]
        self.state = None
        gc.collect()
        for _ in range(100): self.model.state()
        self.assertEqual(q[0], 0.7)

    def test_what_is_computed_is_a_copy(self):
        self.state['hinge'].q = 0.5
        before = self.state.udot
        self.state['hinge'].q = -0.5
        self.assertEqual(before[0], -self.state.udot[0])

    def test_the_pendulum_falls_as_it_should(self):
        self.state['hinge'].q = 0.5
        # the bob is below the pivot by 1 m: I udot = m g l sin q
        self.assertAlmostEqual(self.state.udot[0], -2 * 9.81 * math.sin(0.5) / (2 + 0.001), delta=1e-14)
        self.assertAlmostEqual(self.state.calc_M()[0, 0], 2.001, delta=1e-15)
        R, p = self.state.body('bob')
        self.assertAlmostEqual(numpy.abs(R @ R.T - numpy.eye(3)).max(), 0, delta=1e-15)

    def test_shapes_and_kinds_are_checked(self):
        for wrong in ([1, 2], [[1]], 'a', [1j], None):
            with self.assertRaises((ValueError, TypeError), msg=repr(wrong)): self.state.q = wrong
        with self.assertRaises(cardan.NonfiniteError): self.state.q = [math.nan]
        self.state.q = numpy.array([1, 2, 3, 4], dtype=numpy.float32)[::4]
        self.assertEqual(self.state.q[0], 1)
        with self.assertRaises(ValueError): self.state.calc_M(out=numpy.empty(3))
        out = numpy.empty((1, 1))
        self.assertIs(self.state.calc_M(out=out), out)

    def test_copies_and_pickles_have_the_same_bits(self):
        self.state.q = [0.1]
        self.state.u = [1 / 3]
        self.state.time = 0.7
        for other in (self.state.copy(), copy.deepcopy(self.state), pickle.loads(pickle.dumps(self.state))):
            self.assertEqual((other.q[0], other.u[0], other.time), (0.1, 1 / 3, 0.7))
        self.assertEqual(pickle.loads(pickle.dumps(self.model)).joints, ['hinge'])

    def test_runs_are_pickled_and_what_works_is_not(self):
        run = cardan.simulate(self.model, 0.1)
        again = pickle.loads(pickle.dumps(run))
        self.assertEqual((again.verdict, again.q.units), (run.verdict, ['rad']))
        self.assertTrue((again.q == run.q).all() and (again.state.q == run.state.q).all())
        for working in (cardan.Ensemble(self.model, 2), cardan.Stepper(self.state), cardan.Assembly(self.model)):
            with self.assertRaisesRegex(TypeError, 'cannot be pickled or copied: its model'): pickle.dumps(working)
            with self.assertRaisesRegex(TypeError, 'cannot be pickled or copied'): copy.deepcopy(working)

    def test_another_process_gets_it(self):
        import multiprocessing
        self.state['hinge'].q = 0.5
        with multiprocessing.get_context('spawn').Pool(1) as pool:
            self.assertEqual(pool.apply(_udot, (self.state,)), self.state.udot[0])

    def test_controls(self):
        self.state.set_control('push', 1.5)
        self.assertEqual(self.state.controls, {'push': 1.5})
        self.assertAlmostEqual(self.state.udot[0], 1.5 / 2.001, delta=1e-15)


def _udot(state):
    return state.udot[0]


class Failures(unittest.TestCase):
    def test_each_status_has_a_class(self):
        names = [n for n in dir(cardan.lib) if n.startswith('CDN_ERR_')]
        classes = {e for e in map(cardan.errors._classes.get, (getattr(cardan.lib, n) for n in names))}
        self.assertNotIn(None, classes)
        self.assertEqual(len(classes), len(names))

    def test_files(self):
        with self.assertRaises(OSError): cardan.load('/there/is/none.xml')
        with self.assertRaisesRegex(cardan.ParseError, 'model:1'): cardan.loads('<mujoco><worldbody>')
        with self.assertRaises(cardan.UnsupportedError) as caught:
            cardan.loads('<mujoco><wrong/></mujoco>', strict=True)
        again = pickle.loads(pickle.dumps(caught.exception))
        self.assertEqual((str(again), again.name), (str(caught.exception), 'CDN_ERR_UNSUPPORTED'))

    def test_a_run_that_fails_tells_its_story(self):
        model = cardan.Model('jump')
        model.add_body('bob', mobilizer='pin', mass=(1, [0, 1, 0], [0.1] * 3))
        model.add_custom_force('jump', calc_force=lambda state, add: add.joint('bob', 1e6 * (-1) ** int(1e9 * state.time)))
        for run in (lambda: cardan.simulate(model, 1, accuracy=1e-6, max_step=1e-3),
                    lambda: cardan.Stepper(model.state(), accuracy=1e-6).advance(1)):
            with self.assertRaises(cardan.StepError) as caught: run()
            error = caught.exception
            self.assertEqual((len(error.report.last_step), error.report.coordinate[:3]), (8, 'bob'))
            self.assertNotEqual(error.advice, '')
            self.assertEqual(pickle.loads(pickle.dumps(error)).report.coordinate, error.report.coordinate)

    def test_none_is_a_type_error(self):
        for call in (lambda: cardan.load(None), lambda: cardan.State(None), lambda: cardan.simulate(None, 1),
                     lambda: cardan.Ensemble(None, 3), lambda: cardan.Stepper(None),
                     lambda: cardan.loads(None), lambda: cardan.lib.cdn_state_q(None)):
            with self.assertRaises(TypeError): call()
        self.assertEqual(cardan.lib.cdn_state_q(cardan.ffi.NULL), cardan.ffi.NULL)
        with self.assertRaisesRegex(ValueError, 'soft'): cardan.loads(PENDULUM, contact='hard')
        with self.assertRaises(ValueError): cardan.simulate(cardan.loads(PENDULUM), -1)


class Runs(unittest.TestCase):
    def test_the_five_lines_of_a_newcomer(self):
        model = cardan.load(ROOT / 'examples/models/walker.xml')
        run = cardan.simulate(model, 0.2, accuracy=1e-6)
        self.assertEqual(run.certificate.delivered, 'delivered')
        self.assertLess(run.certificate.error_estimate, 3e-6)
        self.assertRegex(run.verdict, 'asked 1e-6, delivered')
        self.assertEqual(run.q.shape, (101, model.nq))
        self.assertEqual(run.q['forward'].shape, (101,))
        self.assertEqual((run.time[0], run.time[-1]), (0, 0.2))

    def test_the_period_of_a_pendulum(self):
        model = cardan.loads(PENDULUM)
        state = model.state()
        state['hinge'].q = 1.2
        # by the arithmetic-geometric mean; the length of the equivalent pendulum is 2.001 / 2 m
        a, b = 1, math.cos(0.6)
        while abs(a - b) > 1e-15: a, b = (a + b) / 2, math.sqrt(a * b)
        period = 2 * math.pi * math.sqrt(2.001 / 2 / 9.81) / a
        run = cardan.simulate(model, period, accuracy=1e-9, state=state)
        self.assertAlmostEqual(run.q['hinge'][-1], 1.2, delta=3e-9)
        self.assertEqual(state.time, 0)

    def test_events_of_rigid_limits(self):
        """2 kg between walls 1 m apart hit them with 2 m/s and less by e each time, e from the damping ratio."""
        model = cardan.loads("""<mujoco><option gravity="0 0 0"/><worldbody><body name="puck"><joint name="rail"
          type="slide" axis="1 0 0" range="0 1" solreflimit="0.02 0.1"/><geom size=".1" mass="2" contype="0"
          conaffinity="0"/></body></worldbody></mujoco>""", contact='rigid')
        e, start = math.exp(-math.pi * 0.1 / math.sqrt(0.99)), model.state()
        start['rail'].q, start['rail'].u = 0.5, 2
        stepper = cardan.Stepper(start, accuracy=1e-8)
        stepper.advance(3)
        runs = cardan.simulate(model, 3, state=start, accuracy=1e-8), cardan.simulate(model, 3, state=start, step=1e-2)
        for events, tolerance in (runs[0].events, 3e-8), (runs[1].events, 1e-9), (stepper.events, 3e-8):
            self.assertEqual([x.change for x in events], ['bounces'] * 3)
            self.assertEqual([x.element for x in events], [f'rail {x} limit' for x in ('upper', 'lower', 'upper')])
            v, t = 2, 0.25
            for x in events:
                numpy.testing.assert_allclose(x[0::3] + x[4:], [t, 2 * (1 + e) * v, v * v * (1 - e * e)], atol=tolerance)
                v, t = e * v, t + 1 / (e * v)
        self.assertEqual(cardan.simulate(cardan.loads(PENDULUM), 0.1).events, [])

    def test_statuses_of_a_box_on_a_slope(self):
        """A box of 2 kg on a floor that is aslant sticks: four corners carry g cos, friction g sin. A limit is off."""
        slope = 0.2
        model = cardan.loads(f"""<mujoco><option gravity="{9.81 * math.sin(slope)} 0 {-9.81 * math.cos(slope)}"/><worldbody>
          <geom name="floor" type="plane" size="1 1 1"/><body name="box" pos="0 0 .1"><freejoint name="free"/>
          <geom name="cube" type="box" size=".1 .1 .1" mass="2"/></body><body name="far" pos="3 0 3"><joint name="rail"
          type="slide" axis="0 1 0" range="-1 1"/><geom size=".1" mass="1"/></body></worldbody></mujoco>""",
                             contact='rigid')
        state = model.state()
        state.settle()
        limits = [x for x in state.statuses if x.element.startswith('rail')]
        pushes = [x for x in state.statuses if x.status == 'on']
        frictions = [x for x in state.statuses if x.status == 'sticks']
        self.assertEqual([x[1:] for x in limits], [('off', 0), ('off', 0)])
        self.assertEqual({x.element for x in pushes + frictions}, {'floor - cube'})
        self.assertEqual((len(pushes), len(frictions)), (4, 4))
        self.assertAlmostEqual(sum(x.force for x in pushes), 2 * 9.81 * math.cos(slope), delta=1e-10)
        self.assertAlmostEqual(sum(x.force for x in frictions), 2 * 9.81 * math.sin(slope), delta=1e-10)
        self.assertEqual(cardan.loads(PENDULUM).state().statuses, [])

    def test_equal_steps_and_a_stepper_agree(self):
        model = cardan.loads(PENDULUM)
        run = cardan.simulate(model, 0.5, step=0.01, method='mujoco-rk4', reports=0.1, controls={'push': 1})
        state = model.state()
        state.set_control('push', 1)
        stepper = cardan.Stepper(state, step=0.01, method='mujoco-rk4', companion=True, final_time=0.5)
        for t in run.time: stepper.advance(t)
        self.assertEqual(run.q['hinge'][-1], stepper.state.q[0])
        self.assertEqual(run.certificate.steps, stepper.certificate.steps)

    def test_a_table_is_read_back(self):
        run = cardan.simulate(cardan.loads(PENDULUM), 0.1, controls={'push': 1})
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, 'run.csv')
            run.save(path)
            table = numpy.genfromtxt(path, delimiter=',', names=True, deletechars='')
        self.assertTrue((table['hinge.q'] == run.q['hinge']).all())

    def test_progress_is_for_terminals(self):
        import pty
        code = f"import cardan; cardan.simulate({str(ROOT / 'examples/models/walker.xml')!r}, 1, accuracy=1e-7)"
        master, slave = pty.openpty()
        said = subprocess.run([sys.executable, '-c', code], stdout=subprocess.PIPE, stderr=slave)
        os.close(slave)
        terminal = os.read(master, 65536).decode()
        os.close(master)
        self.assertRegex(terminal, r'walker: t = .* of 1 s')
        self.assertEqual((said.returncode, said.stdout), (0, b''))
        piped = subprocess.run([sys.executable, '-c', code], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        self.assertEqual((piped.returncode, piped.stdout, piped.stderr), (0, b'', b''))

    def test_pages_and_tables(self):
        """A run as a page, in a file and in a notebook: with a viewer of four lines in place of the real one."""
        model = cardan.loads(PENDULUM)
        run = cardan.simulate(model, 0.1, controls={'push': 1})
        with tempfile.TemporaryDirectory() as folder:
            viewer = os.path.join(folder, 'viewer.html')
            pathlib.Path(viewer).write_text(
                '<!doctype html><meta http-equiv="Content-Security-Policy" content="script-src \'sha256-a=\'; style-src '
                '\'sha256-b=\';"><!--cardan-data--><p>end</p>')
            before, os.environ['CARDAN_PAGE'] = os.environ.get('CARDAN_PAGE'), viewer
            try:
                page = pathlib.Path(run.view(os.path.join(folder, 'run.html'))).read_text()
                again = cardan.Run.of(model, run.time, run.q, run.u)
                self.assertEqual(pathlib.Path(again.view(os.path.join(folder, 'b.html'))).read_text()[-14:], page[-14:])
                self.assertIn('&lt;p&gt;end', run._repr_html_())
                with cardan.view(model, open=False) as live: self.assertRegex(live.address, r'^http://127.0.0.1:\d+/')
            finally:
                if before is None: del os.environ['CARDAN_PAGE']
                else: os.environ['CARDAN_PAGE'] = before
        self.assertIn('<p>end</p>', page)
        self.assertGreater(len(page), 1000)
        self.assertIn('<td>hinge.q</td><td>0</td><td>rad</td>', model.state()._repr_html_())
        self.assertIn('<td>hinge.u</td><td>rad/s</td>', model._repr_html_())
        with self.assertRaises(ValueError): cardan.Run.of(model, [0, 1], [[0], [1], [2]])

    def test_an_interrupt_ends_a_run_soon(self):
        model = cardan.load(ROOT / 'examples/models/walker.xml')
        for start in (lambda: cardan.simulate(model, 1e5, accuracy=1e-8),
                      lambda: cardan.Stepper(model.state(), accuracy=1e-8).advance(1e5)):
            sent = []
            def send():
                sent.append(time.monotonic())
                os.kill(os.getpid(), signal.SIGINT)
            timer = threading.Timer(0.3, send)
            timer.start()
            with self.assertRaises(KeyboardInterrupt): start()
            self.assertLess(time.monotonic() - sent[0], 2)  # 0.2 s, where no other wants the processor
        state = model.state()
        state.realize('acceleration')

    def test_calls_release_the_lock(self):
        """While one thread is in a call that takes long, another one goes on."""
        model, times = cardan.load(ROOT / 'examples/models/walker.xml'), []
        many = cardan.Ensemble(model, 20)
        thread = threading.Thread(target=lambda: many.step(1e-3, 200))
        thread.start()
        while thread.is_alive():
            times.append(time.monotonic())
            time.sleep(0)
        self.assertGreater(len(times), 20)

    def test_threads_run_at_once(self):
        model = cardan.loads(PENDULUM)
        runs = [None] * 4
        def work(i): runs[i] = cardan.simulate(model, 1, controls={'push': i}).q['hinge'][-1]
        threads = [threading.Thread(target=work, args=(i,)) for i in range(4)]
        for t in threads: t.start()
        for t in threads: t.join()
        self.assertEqual(runs, [cardan.simulate(model, 1, controls={'push': i}).q['hinge'][-1] for i in range(4)])


class Ensembles(unittest.TestCase):
    def test_each_state_goes_its_own_way(self):
        model = cardan.loads(PENDULUM)
        ensemble = cardan.Ensemble(model.state(), 5, accuracy=1e-8)
        starts = numpy.linspace(0, 1, 5)[:, None]
        ensemble.q = starts
        ensemble.advance(0.7)
        self.assertTrue((ensemble.time == 0.7).all())
        for k, start in enumerate(starts):
            state = model.state()
            state.q = start
            run = cardan.simulate(model, 0.7, accuracy=1e-9, state=state)
            self.assertAlmostEqual(ensemble.q[k, 0], run.q['hinge'][-1], delta=1e-7)
        with self.assertRaises(ValueError): ensemble.q = starts.T
        R, p = ensemble.body('bob')
        kinetic, potential = ensemble.energies
        for k in (1, 4):
            self.assertTrue((p[k] == ensemble.state(k).body('bob')[1]).all() and (R[k] == ensemble.state(k).body('bob')[0]).all())
            self.assertEqual((kinetic[k], potential[k]), ensemble.state(k).energy)

    def test_an_interrupt_ends_a_call_soon(self):
        model = cardan.loads(PENDULUM)
        for call in (lambda many: many.step(1e-3, 10 ** 9), lambda many: many.advance(1e6)):
            many, sent = cardan.Ensemble(model, q=numpy.linspace(0.1, 1, 100)[:, None], threads=2), []
            def send():
                sent.append(time.monotonic())
                os.kill(os.getpid(), signal.SIGINT)
            threading.Timer(0.3, send).start()
            with self.assertRaises(KeyboardInterrupt): call(many)
            self.assertLess(time.monotonic() - sent[0], 2)  # 0.2 s, where no other wants the processor
            self.assertEqual([many.error(k) for k in range(100)], [None] * 100)
            end = many.time.max() + 0.01
            many.advance(end)
            self.assertTrue((many.time == end).all())

    def test_rows_say_how_many_there_are(self):
        model = cardan.loads(PENDULUM)
        many = cardan.Ensemble(model, q=[[0.1], [0.2], [0.3]], u=numpy.ones((3, 1)), vary='controls', companion=True)
        many.set_controls([[0], [0], [1]])
        many.advance(0.1)
        self.assertEqual((len(many), many.certificate(2).delivered, many.error(1)), (3, 'delivered', None))
        with self.assertRaises(TypeError): cardan.Ensemble(model)


class Documents(unittest.TestCase):
    def test_words_are_there(self):
        """Every word of ours in the tables of docs/python_words.md."""
        import re
        objects = {'cardan': cardan, 'model': cardan.Model, 'state': cardan.State, 'stepper': cardan.Stepper}
        found = 0
        for line in (ROOT / 'docs/python_words.md').read_text().splitlines():
            if not line.startswith('| `'): continue
            for of, name in re.findall(r'\b(cardan|model|state|stepper)\.(\w+)', line.split('|')[2]):
                self.assertTrue(hasattr(objects[of], name), line)
                found += 1
        self.assertGreater(found, 80)

    def test_examples_run(self):
        with tempfile.TemporaryDirectory() as folder:
            for path in sorted((ROOT / 'examples/python').glob('*.py')):
                paths = [str(pathlib.Path(__file__).parent / 'stand_in'), *filter(None, [os.environ.get('PYTHONPATH')])]
                said = subprocess.run([sys.executable, str(path)], cwd=folder, capture_output=True, text=True,
                                      env={**os.environ, 'PYTHONPATH': os.pathsep.join(paths)})
                self.assertEqual((said.returncode, said.stderr), (0, ''), path.name)
                self.assertNotEqual(said.stdout, '')


class Nothing(unittest.TestCase):
    """No method crashes or prints, whatever it is given."""

    def test_every_method(self):
        code = '''
import cardan
from cardan._interface import BUILDING, PARAMETERS, SETTING
WRONG = (TypeError, ValueError, KeyError, AttributeError, IndexError, OverflowError, cardan.Error)
def model():
    made = cardan.Model("m")
    made.add_body("b", mobilizer="pin", mass=(1, [0, 0, 0], [1, 1, 1]))
    return made
state = model().state()
for methods in (BUILDING, SETTING):
    for method, function in methods.items():
        n = len(PARAMETERS[function]) - 1
        for given in ([None] * n, ["b"] * n, [1] * n, [-5] * n, [[]] * n, [{}] * n, [float("nan")] * n, ["b", None]):
            of = model() if methods is BUILDING else state
            try: getattr(of, method)(*given)
            except WRONG: pass
            if methods is BUILDING:
                try: of.state().udot
                except WRONG: pass
state.udot
'''
        said = subprocess.run([sys.executable, '-c', code], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        self.assertEqual((said.returncode, said.stdout), (0, ''))


class Memory(unittest.TestCase):
    def test_it_stays_flat(self):
        def turn():
            model = cardan.loads(PENDULUM)
            state = model.state()
            state.q, state.udot
            pickle.dumps(state)
        for _ in range(200): turn()
        gc.collect()
        before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        for _ in range(800): turn()
        self.assertLess(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before, 1000)  # kB


if __name__ == '__main__':
    unittest.main()
