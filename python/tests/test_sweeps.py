"""Sweeps from Python: threads, processes and the command leave the same bytes; Ctrl-C, failures, mistakes."""
import concurrent.futures
import json
import multiprocessing
import os
import pathlib
import pickle
import shutil
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
STUDY = {'cardan study': 1, 'model': str(ROOT / 'examples/models/arm.urdf'), 'seed': 3, 'cases': 60, 'block': 7,
         'vary': {'elbow.q': {'uniform': [-0.5, 0.5]}, 'force/elbow damper/c': {'grid': [0.1, 0.2]}}, 'duration': 0.2,
         'accuracy': 1e-4, 'keep': {'end': ['elbow.q'], 'max': ['wrist.q']}}


class Sweeps(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def path(self, name, study=STUDY):
        """A study in a folder of its own."""
        (self.folder / name).mkdir()
        (self.folder / name / 'study.json').write_text(json.dumps(study))
        return self.folder / name / 'study.json'

    def gathered(self, sweep, ending='.csv'):
        path = self.folder / ('all' + ending)
        sweep.gather(path)
        return path.read_bytes()

    def test_a_study_tells_what_it_has(self):
        sweep = cardan.Sweep(STUDY, self.folder / 'study.json')
        self.assertEqual((len(sweep), sweep.count, sweep.blocks, sweep.missing), (120, 120, 18, list(range(18))))
        self.assertEqual(sorted(sweep.variables), ['elbow.q', 'force/elbow damper/c'])
        self.assertEqual(sweep.folder, str(self.folder / 'study.sweep'))
        case, row = sweep.case(5), sweep.run_case(5)
        self.assertEqual({name: row[name] for name in case}, case)
        self.assertEqual((list(row), row['case'], row['status'], row['delivered']), (sweep.columns, 5, 0, 1))
        self.assertFalse(os.path.exists(sweep.folder))
        # the case is a run: of the same State the same end
        model = cardan.load(STUDY['model'], building=False)
        state = model.state()
        state['elbow'].q = case['elbow.q']
        state.parameter_set('force', 'elbow damper', 'c', case['force/elbow damper/c'])
        run = cardan.simulate(model, 0.2, accuracy=1e-6, state=state)
        self.assertAlmostEqual(row['end elbow.q'], run.q['elbow'][-1], delta=1e-4)

    def test_all_executors_and_the_command_leave_the_same_bytes(self):
        alone = cardan.sweep(self.path('alone'), progress=False)
        wanted = self.gathered(alone)
        self.assertEqual(alone.status.cases_done, 120)
        values = alone.values
        self.assertTrue((values['case'] == numpy.arange(120)).all() and (values['delivered'] == 1).all())
        self.assertEqual([alone.case(k)['elbow.q'] for k in (0, 59, 119)], values['elbow.q'][[0, 59, 119]].tolist())
        with concurrent.futures.ThreadPoolExecutor(3) as threads:
            self.assertEqual(self.gathered(cardan.sweep(self.path('threads'), threads)), wanted)
        spawn = multiprocessing.get_context('spawn')
        with concurrent.futures.ProcessPoolExecutor(2, mp_context=spawn) as processes:
            self.assertEqual(self.gathered(cardan.sweep(self.path('processes'), processes)), wanted)
            os.mkdir(self.folder / 'dict')
            made = cardan.sweep(STUDY, processes, path=self.folder / 'dict/study.json')
            self.assertEqual(self.gathered(made), wanted)
        command = os.environ.get('CARDAN_BIN') or shutil.which('cardan')
        if command:
            path = self.path('command')
            subprocess.run([command, 'sweep', path, '--quiet'], check=True)
            self.assertEqual(self.gathered(cardan.Sweep(path)), wanted)

    def test_failures_are_counted(self):
        study = {**STUDY, 'cases': 10, 'duration': 5, 'limits': {'steps': 40}}
        sweep = cardan.sweep(study, path=self.folder / 'study.json')
        status = sweep.status
        self.assertEqual((status.cases_done, status.failed, len(status.reasons)), (20, 20, 1))
        self.assertEqual((status.reasons[0][1:], (sweep.values['status'] == 2).all()), ((20, 0), True))
        refused = cardan.Sweep({**STUDY, 'vary': {'body/wrist_plate/mass': {'list': [-1]}}}, self.folder / 'other.json')
        row = refused.run_case(0)
        self.assertEqual((row['status'], numpy.isnan(row['end elbow.q'])), (cardan.lib.CDN_ERR_ARG, True))
        self.assertIn('wrist_plate', refused.message)

    def test_an_interrupt_ends_it_and_the_rest_runs_later(self):
        study = {**STUDY, 'cases': 2000, 'block': 50, 'duration': 1}
        path, sent = self.path('long', study), []
        def send():
            while not cardan.Sweep(path).status.blocks_done: time.sleep(0.02)
            sent.append(time.monotonic())
            os.kill(os.getpid(), signal.SIGINT)
        threading.Thread(target=send).start()
        with self.assertRaises(KeyboardInterrupt): cardan.sweep(path)
        self.assertLess(time.monotonic() - sent[0], 2)  # 0.2 s, where no other wants the processor
        left = cardan.Sweep(path).missing
        self.assertTrue(0 < len(left) < 80, left)
        with self.assertRaises(cardan.LimitError): cardan.Sweep(path).table
        self.assertEqual(cardan.Sweep(path).status.blocks_done, 80 - len(left))

    def test_a_worker_that_dies_costs_what_it_was_running(self):
        code = ('import cardan, os, sys, threading; '
                'threading.Timer(0.4, lambda: os.kill(os.getpid(), 9)).start(); cardan.sweep(sys.argv[1])')
        path = self.path('killed', {**STUDY, 'cases': 600, 'block': 50})
        wanted = self.gathered(cardan.sweep(self.path('whole', {**STUDY, 'cases': 600, 'block': 50})))
        said = subprocess.run([sys.executable, '-c', code, str(path)])
        self.assertIn(said.returncode, (0, -9))
        self.assertEqual(self.gathered(cardan.sweep(path)), wanted)

    def test_mistakes(self):
        with self.assertRaisesRegex(cardan.ParseError, 'did you mean "elbow.q"'):
            cardan.Sweep({**STUDY, 'vary': {'elbw.q': {'list': [1]}}})
        with self.assertRaises(OSError): cardan.sweep(self.folder / 'none.json')
        for wrong in (None, 3): self.assertRaises(TypeError, cardan.sweep, wrong)
        sweep = cardan.Sweep(STUDY, self.folder / 'study.json')
        with self.assertRaisesRegex(TypeError, 'has submit'): sweep.run(4)
        for call in (sweep.case, sweep.run_case):
            for wrong in (-1, 120): self.assertRaises(cardan.ArgumentError, call, wrong)
            self.assertRaises(TypeError, call, None)
        with self.assertRaises(TypeError): pickle.dumps(sweep)
        with self.assertRaises(OSError): cardan.sweep(STUDY, path='/there/is/none/study.json')

    def test_progress_is_for_terminals(self):
        code = f'import cardan; cardan.sweep({str(self.path("quiet"))!r})'
        said = subprocess.run([sys.executable, '-c', code], capture_output=True, text=True)
        self.assertEqual((said.returncode, said.stdout, said.stderr), (0, '', ''))


if __name__ == '__main__':
    unittest.main()
