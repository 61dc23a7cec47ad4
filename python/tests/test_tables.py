"""Tables in files: written and read in every format, while a run goes on, and by other programs."""
import os
import pathlib
import pickle
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import unittest

import numpy

import cardan

ROOT = pathlib.Path(os.environ.get('CARDAN_SOURCE_ROOT', pathlib.Path(__file__).parents[2]))
WALKER = ROOT / 'examples/models/walker.xml'


def is_built(ending):
    """Whether the library was built with this format."""
    with tempfile.TemporaryDirectory() as folder:
        try: cardan.Table([[1]], ['time'], ['s']).save(os.path.join(folder, 'a' + ending))
        except cardan.UnsupportedError: return False
        return True


FORMATS = [ending for ending in ('.h5', '.hdf5', '.npz', '.csv', '.sto', '.mot') if is_built(ending)]
BINARY = [ending for ending in ('.h5', '.npz') if ending in FORMATS]


class InFolder(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)

    def path(self, name): return os.path.join(self.folder.name, name)


class Tables(InFolder):
    def test_every_format_has_the_same_bits(self):
        values = numpy.random.default_rng(1).standard_normal((50, 3)) * 10.0 ** numpy.arange(-150, 150, 6)[:50, None]
        values[:, 0] = numpy.arange(50) / 7
        table = cardan.Table(values, ['time', 'knee.q', 'hand,left'], ['s', 'rad', ''], {'model': 'arm', 'accuracy': 1 / 3})
        for ending in FORMATS:
            table.save(self.path('table' + ending))
            again = cardan.read_table(self.path('table' + ending))
            self.assertTrue((again.values == values).all(), ending)
            self.assertEqual((again.names, len(again), again.cut), (table.names, 50, False), ending)
            self.assertTrue((again['knee'] == values[:, 1]).all())
            if ending == '.csv': continue
            self.assertEqual(float(again.attributes['accuracy']), 1 / 3, ending)
            self.assertEqual((again.units, again.attributes['model']), (table.units, 'arm'), ending)

    def test_markers(self):
        table = cardan.Table([[0, 1, 2, 3], [0.01, 1, 2, 4]], ['time', 'heel.x', 'heel.y', 'heel.z'], ['s', 'm', 'm', 'm'])
        table.save(self.path('heel.trc'))
        self.assertTrue((cardan.read_table(self.path('heel.trc')).values == table.values).all())

    def test_mistakes(self):
        for wrong in (lambda: cardan.Table([[1, 2]], ['a']), lambda: cardan.Table([1, 2], ['a', 'b']),
                      lambda: cardan.Table([[1, 2]], ['a', 'b'], ['m'])):
            with self.assertRaises(ValueError): wrong()
        with self.assertRaises(OSError): cardan.read_table(self.path('none.h5'))
        with self.assertRaises(OSError): cardan.TableWriter('/there/is/no/folder/a.csv', ['a'])
        with self.assertRaises(TypeError): cardan.read_table(None)
        for ending in [*BINARY, '.sto']:
            pathlib.Path(self.path('foreign' + ending)).write_bytes(b'no table at all' * 9)
            with self.assertRaisesRegex(cardan.ParseError, 'foreign'): cardan.read_table(self.path('foreign' + ending))
        with cardan.TableWriter(self.path('a.csv'), ['a', 'b']) as writer:
            for rows in ([1], [[1, 2, 3]], 'x', None):
                with self.assertRaises((ValueError, TypeError)): writer.rows(rows)
            with self.assertRaises(TypeError): pickle.dumps(writer)
        with self.assertRaisesRegex(ValueError, 'closed'): writer.rows([1, 2])
        table = cardan.read_table(self.path('a.csv'))
        self.assertEqual((table.names, len(table)), (['a', 'b'], 0))
        with self.assertRaisesRegex(KeyError, "'b' is there"): cardan.Table([[1]], ['b'])['bb']
        with self.assertRaisesRegex(TypeError, 'by name'): table[0]

    @unittest.skipUnless(os.path.exists('/dev/full'), 'there is no /dev/full')
    def test_a_full_disk_is_said(self):
        for ending in {'.csv', '.h5'} & set(FORMATS):
            os.symlink('/dev/full', self.path('full' + ending))
            with self.assertRaises(OSError):
                cardan.Table(numpy.ones((100000, 2)), ['a', 'b']).save(self.path('full' + ending))

    def test_a_table_that_is_cut_says_so(self):
        cardan.Table([[1, 2], [3, 4]], ['a', 'b']).save(self.path('cut.csv'))
        whole = pathlib.Path(self.path('cut.csv')).read_bytes()
        pathlib.Path(self.path('cut.csv')).write_bytes(whole[:-3])
        table = cardan.read_table(self.path('cut.csv'))
        self.assertEqual((len(table), table.cut), (1, True))

    def test_a_notebook_shows_it(self):
        shown = cardan.Table(numpy.arange(60).reshape(30, 2), ['a', 'b'], ['m', ''])._repr_html_()
        self.assertIn('<th>a (m)</th><th>b</th>', shown)
        self.assertEqual(shown.count('<tr>'), 21)


class Runs(InFolder):
    def test_runs_are_saved_in_every_format(self):
        run = cardan.simulate(WALKER, 0.1, accuracy=1e-5)
        for ending in FORMATS:
            run.save(self.path('run' + ending))
            table = cardan.read_table(self.path('run' + ending))
            self.assertTrue((table['knee_left.q'] == run.q['knee_left']).all(), ending)
            self.assertTrue((table['time'] == run.time).all(), ending)
        if '.h5' not in FORMATS: return
        table = cardan.read_table(self.path('run.h5'))
        self.assertEqual(table.units[table.names.index('knee_left.u')], 'rad/s')
        self.assertEqual((table.attributes['cardan'], table.attributes['system']), (cardan.version(), 'walker'))
        self.assertEqual((table.attributes['verdict'], float(table.attributes['steps'])), (run.verdict, run.certificate.steps))

    def test_h5py_reads_it_in_one_line(self):
        try: import h5py
        except ImportError: self.skipTest('h5py is not here')
        if '.h5' not in FORMATS: self.skipTest('the library was built without HDF5')
        run = cardan.simulate(WALKER, 0.1, output=self.path('run.h5'))
        self.assertTrue((h5py.File(self.path('run.h5'))['table']['knee_left.q'] == run.q['knee_left']).all())

    def test_rows_go_to_a_file_on_the_way(self):
        for step in (None, 0.001):
            for ending in ['.csv', *BINARY]:
                run = cardan.simulate(WALKER, 0.05, step=step, accuracy=1e-7, output=self.path('run' + ending))
                table = cardan.read_table(self.path('run' + ending))
                self.assertTrue((table.values == run.table().values).all(), (step, ending))
                if ending != '.csv': self.assertEqual(table.attributes['verdict'], run.verdict)

    def test_an_attempt_that_was_kept_is_what_is_written(self):
        """The last attempt of a run is not always the best one: what is in the file is what the Run has."""
        from cardan.runs import _Recorder
        model = cardan.load(WALKER)
        state, recorder = model.state(), _Recorder(model, False, 1, self.path('run.csv'), None)
        for attempt, height in ((0, 1), (1, 2)):
            state['up'].q = height
            recorder.row(state, attempt)
            if attempt == 0: recorder.kept = recorder.rows
        recorder.end(cardan.Run.of(model, [0], [state.q]))
        self.assertEqual(cardan.read_table(self.path('run.csv'))['up.q'].tolist(), [1])

    def test_a_run_that_is_killed_leaves_its_rows(self):
        code = 'import cardan, sys; cardan.simulate(sys.argv[1], 1e4, step=1e-3, reports=1e-2, output=sys.argv[2])'
        for ending in {'.h5', '.csv'} & set(FORMATS):
            path = self.path('killed' + ending)
            run = subprocess.Popen([sys.executable, '-c', code, str(WALKER), path])
            end = time.monotonic() + 60
            while time.monotonic() < end:
                time.sleep(0.2)
                try:
                    if len(cardan.read_table(path)) > 10: break
                except cardan.Error: pass
            run.send_signal(signal.SIGKILL)
            run.wait()
            table = cardan.read_table(path)
            self.assertGreater(len(table), 10, ending)
            self.assertTrue(numpy.isfinite(table.values).all())

    def test_a_run_that_fails_or_is_interrupted_leaves_its_rows(self):
        model = cardan.load(WALKER, building=True)
        def fails(state, what): raise KeyboardInterrupt
        model.add_event('late', kind='scheduled', times=[0.05], handle=fails)
        for step in (None, 0.001):
            with self.assertRaises(KeyboardInterrupt):
                cardan.simulate(model, 0.1, step=step, reports=0.01, output=self.path('run.csv'))
            self.assertIn(len(cardan.read_table(self.path('run.csv'))), (4, 5))


ROTOR = '''<mujoco model="rotor"><compiler angle="radian"/><option gravity="0 0 0"/><worldbody><body name="disk">
  <joint name="axle" type="hinge" axis="0 1 0"/><inertial pos="0 0 0" mass="1" diaginertia="0.5 0.5 0.5"/></body>
  </worldbody><actuator><motor name="push" joint="axle"/></actuator></mujoco>'''


class Inputs(InFolder):
    DRIVE = cardan.Table([[0, 1], [0.1, -2], [0.15, 3], [0.15, 4], [0.3, 0]], ['time', 'push'], ['s', 'N m'])

    def setUp(self):
        super().setUp()
        pathlib.Path(self.path('rotor.xml')).write_text(ROTOR)
        self.model = cardan.load(self.path('rotor.xml'))

    def test_rows_hold_until_the_next_one(self):
        """The speed is the integral of the torque over the inertia; in equal steps of 0.05 s all rows act in time."""
        wanted = numpy.array([0, 0.05, 0.1, 0, 0.2, 0.4, 0.6, 0.6]) / 0.5
        wanted[3:] += (-2 * 0.05 + 0.1) / 0.5
        for more in (dict(accuracy=1e-7), dict(step=0.05, method='mujoco-rk4'), dict(step=0.025, method='mujoco-euler')):
            run = cardan.simulate(self.model, 0.35, controls=self.DRIVE, reports=0.05, **more)
            self.assertLess(numpy.abs(run.u['axle'] - wanted).max(), 1e-7, more)
        state = self.model.state()
        state.time = 0.2  # within the fourth row
        run = cardan.simulate(self.model, 0.2, controls=self.DRIVE, state=state)
        self.assertAlmostEqual(run.u['axle'][-1], 4 * 0.1 / 0.5, delta=1e-7)

    def test_the_command_has_the_same_bits(self):
        command = os.environ.get('CARDAN_BIN') or shutil.which('cardan')
        if not command: self.skipTest('the command is not here')
        self.DRIVE.save(self.path('drive.csv'))
        for keywords, options in ((dict(accuracy=1e-6), ('--accuracy', '1e-6', '--deliver')),
                                  (dict(step=0.004, method='mujoco-euler'), ('--step', '0.004', '--method', 'mujoco-euler'))):
            run = cardan.simulate(self.model, 0.5, controls=self.path('drive.csv'), reports=0.05, **keywords)
            subprocess.run([command, 'simulate', self.path('rotor.xml'), '--duration', '0.5', '--controls',
                            self.path('drive.csv'), '--report', '0.05', '-o', self.path('run.csv'), '--quiet', *options],
                           check=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
            self.assertTrue((cardan.read_table(self.path('run.csv'))['axle.u'] == run.u['axle']).all(), options)

    def test_mistakes(self):
        def run(values, names): cardan.simulate(self.model, 0.1, controls=cardan.Table(values, names))
        with self.assertRaisesRegex(KeyError, "'push' is there"): run([[0, 1]], ['time', 'pus'])
        with self.assertRaisesRegex(ValueError, 'first column'): run([[0, 1]], ['push', 'time'])
        with self.assertRaisesRegex(ValueError, 'decrease'): run([[1, 1], [0, 1]], ['time', 'push'])
        with self.assertRaisesRegex(ValueError, 'finite'): run([[0, numpy.nan]], ['time', 'push'])
        with self.assertRaises(OSError): cardan.simulate(self.model, 0.1, controls=self.path('none.csv'))

    def test_a_table_drives_a_motion(self):
        """A recorded motion is a constraint by its spline: the joint follows it, and the torque is what it takes."""
        t = numpy.linspace(0, 1, 101)
        recorded = cardan.Table(numpy.column_stack([t, t ** 3]), ['time', 'axle.q'], ['s', 'rad'])
        def follow(table, **more):
            model = cardan.load(self.path('rotor.xml'), building=True)
            self.assertEqual(model.follow_table(table, **more), ['axle.q'])
            return model
        recorded.save(self.path('motion.csv'))
        degrees = cardan.Table(recorded.values * [1, 180 / numpy.pi], recorded.names, ['s', 'deg'])
        models = [follow(recorded), follow(self.path('motion.csv')), follow(degrees)]
        for model in (*models, pickle.loads(pickle.dumps(models[0]))):
            run = cardan.simulate(model, 0.505, accuracy=1e-6)
            self.assertAlmostEqual(run.q['axle'][-1], 0.505 ** 3, delta=1e-6)
            self.assertAlmostEqual(run.state.udot[0], 6 * 0.505, delta=1e-3)
        straight = cardan.simulate(follow(recorded, linear=True), 0.505, accuracy=1e-6)
        self.assertAlmostEqual(straight.q['axle'][-1], (0.5 ** 3 + 0.51 ** 3) / 2, delta=1e-9)
        with self.assertRaisesRegex(cardan.ArgumentError, 'column'): follow(cardan.Table([[0, 1], [1, 1]], ['time', 'axl']))
        with self.assertRaises(cardan.FrozenError): models[0].follow_table(recorded)

    def test_poses_follow_markers(self):
        """Two markers on an arm of two links tell its angles."""
        model = cardan.loads('''<mujoco><compiler angle="radian"/><worldbody><body name="upper"><joint name="shoulder"
          axis="0 1 0"/><inertial pos="0 0 0" mass="1" diaginertia="1 1 1"/><site name="elbow" pos="0 0 -0.4"/>
          <body name="lower" pos="0 0 -0.4"><joint name="bend" axis="0 1 0"/><inertial pos="0 0 0" mass="1"
          diaginertia="1 1 1"/><site name="hand" pos="0 0 -0.3"/></body></body></worldbody></mujoco>''')
        t = numpy.linspace(0, 1, 21)
        a, b = 0.3 * numpy.sin(t), 0.5 + 0.2 * t
        elbow = -0.4 * numpy.array([numpy.sin(a), 0 * t, numpy.cos(a)])
        hand = elbow - 0.3 * numpy.array([numpy.sin(a + b), 0 * t, numpy.cos(a + b)])
        names = ['time', *(f'{name}.{x}' for name in ('elbow', 'hand') for x in 'xyz')]
        marks = cardan.Table(numpy.vstack([t, elbow, hand]).T, names, ['s', *['m'] * 6])
        marks.save(self.path('marks.trc'))
        for given in (marks, self.path('marks.trc')):
            run, left = cardan.Assembly(model).track(model.state(), given)
            self.assertLess(max(numpy.abs(run.q['shoulder'] - a).max(), numpy.abs(run.q['bend'] - b).max()), 1e-6)
            self.assertLess(left.max(), 1e-7)
            self.assertTrue((run.time == t).all())
        with self.assertRaisesRegex(TypeError, 'models of files'):
            own = cardan.Model('own')
            own.add_body('b', mobilizer='pin', mass=(1, [0] * 3, [1] * 3))
            cardan.Assembly(own).track(own.state(), marks)


if __name__ == '__main__':
    unittest.main()
