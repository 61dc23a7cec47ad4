"""What a newcomer does wrong: the exception says what, and what would be right. Nothing crashes, hangs or prints."""
import math
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

import numpy

import cardan

ROOT = pathlib.Path(os.environ.get('CARDAN_SOURCE_ROOT', pathlib.Path(__file__).parents[2]))
MODELS = ROOT / 'examples/models'


class Messages(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.model = cardan.load(MODELS / 'walker.xml')
        cls.state = cls.model.state()

    def said(self, kind, said, call, *arguments, **keywords):
        with self.assertRaisesRegex(kind, said): call(*arguments, **keywords)

    def test_loading(self):
        self.said(OSError, 'none.xml: cannot open the file', cardan.load, 'none.xml')
        self.said(OSError, 'give the model file inside it', cardan.load, ROOT)
        self.said(TypeError, "'contact' is there", cardan.load, MODELS / 'walker.xml', contacts='soft')
        self.said(ValueError, "'soft' is there", cardan.load, MODELS / 'walker.xml', contact='softt')
        self.said(ValueError, 'the file is empty', cardan.loads, '')

    def test_simulating(self):
        def run(**keywords): return cardan.simulate(self.model, **{'duration': 0.1, **keywords})
        for name, wrong in (('duration', (None, '3', True)), ('accuracy', (None, 'high')), ('step', ('a',)),
                            ('max_step', ('a',)), ('reports', ('all',))):
            for value in wrong: self.said(TypeError, f'{name}: a number is needed', run, **{name: value})
        for name, wrong in (('duration', (0, -1, math.nan, math.inf)), ('accuracy', (0, -1, math.nan)), ('step', (0, -1)),
                            ('max_step', (0,)), ('reports', (0, math.nan))):
            for value in wrong: self.said(ValueError, f'{name}: a positive number is needed', run, **{name: value})
        self.said(ValueError, "'mujoco-rk4' is there", run, method='mujoco-rk')
        self.said(KeyError, "no control 'push'; there is none at all", run, controls={'push': 1})
        self.said(TypeError, "a State of 'walker' is needed", run, state=self.model)
        self.said(TypeError, "a State of 'walker' is needed", run, state=cardan.load(MODELS / 'arm.urdf').state())
        self.said(TypeError, 'state=state', cardan.simulate, self.state, 0.1)
        again = cardan.load(MODELS / 'walker.xml').state()  # of a model that is alike
        self.assertEqual(run(duration=0.01, state=again).q.shape, (101, 26))

    def test_names(self):
        self.said(KeyError, "'knee_left' is there", lambda: self.state['knee'])
        self.said(KeyError, 'there are 13 others', self.state.body, 'nobody')
        self.said(KeyError, r'there are \d+ others', self.state.calc_frame_J, 'nobody', [0, 0, 0])
        self.said(TypeError, 'body is missing', self.state.calc_frame_J)
        self.said(ValueError, 'a pool is "q", "u" or "z"', self.model.slots, 'x')
        self.said(TypeError, 'a str, not NoneType', cardan.simulate(self.model, 0.01).q.places, None)
        model = cardan.Model('two')
        for name in ('left', 'right'): model.add_body(name, mobilizer='pin', mass=(1, [0] * 3, [1] * 3))
        self.said(KeyError, "there is no body 'up'; there are Ground, left, right", model.add_body, 'third', parent='up')

    def test_ensembles_functions_and_cameras(self):
        many = cardan.Ensemble(self.state, 3)
        self.said(ValueError, 'a pool is', many.get, 'y')
        self.said(IndexError, 'the ensemble has 3', many.error, 7)
        self.said(cardan.ArgumentError, 'the ensemble has 3', many.state, -1)
        self.said(TypeError, 'integer', cardan.Ensemble, self.state, 2.5)
        self.said(TypeError, 'takes a cardan.State', many.set_state, 0, None)
        self.said(ValueError, 'two points or more', cardan.Function.spline, [1], [2])
        self.said(ValueError, 'polynomial', cardan.Function.polynomial, [])
        self.said(TypeError, 'sees States', cardan.Camera, None)
        self.said(ValueError, '0 x 9', cardan.Camera, self.state, 0, 9)
        self.said(TypeError, 'a view shows', cardan.view, 'walker.xml')
        self.said(TypeError, 'a cardan.Model', cardan.Run.of, None, [0], [[1]])

    def test_a_notebook_without_the_viewer(self):
        before, os.environ['CARDAN_PAGE'] = os.environ.get('CARDAN_PAGE'), '/there/is/none.html'
        try: shown = cardan.simulate(self.model, 0.01)._repr_html_()
        finally:
            del os.environ['CARDAN_PAGE']
            if before is not None: os.environ['CARDAN_PAGE'] = before
        self.assertRegex(shown, 'asked 1e-4, delivered.*`./run page` makes.*<td>knee_left.q</td><td>rad</td><td>0.261799</td>')
        self.assertIn('<td>delivered</td>', cardan.simulate(self.model, 0.01).certificate._repr_html_())


class Anything(unittest.TestCase):
    """Every method and property of every object, with None, wrong kinds and wrong numbers."""

    def test_every_method(self):
        code = '''
import math, sys
import cardan
RAISED = (TypeError, ValueError, KeyError, IndexError, OverflowError, FileNotFoundError, cardan.Error)
model = cardan.load(sys.argv[1])
state = model.state()
run = cardan.simulate(model, 0.01)
joint = state[model.joints[0]]
things = [state, model, cardan.Stepper(state), cardan.Ensemble(state, 2), run, run.q, cardan.Assembly(model), joint,
          cardan.Function.polynomial([1, 2]), cardan.Camera(state, 32, 32)]
GIVEN = ([None], [None] * 2, [None] * 3, [-5], [-5] * 2, [math.nan], [math.nan] * 2, [[]], [[]] * 2, [{}], [object()],
         [model], [b"x"])
for thing in things:
    own = ("places",) if thing is run.q else dir(type(thing))
    for name in own:
        if name.startswith("_") or name in ("render", "view"): continue
        try: member = getattr(thing, name)
        except RAISED: continue
        for given in GIVEN if callable(member) else ():
            try: member(*given)
            except RAISED: pass
        found = getattr(type(thing), name, None)
        for given in (None, "b", object(), math.nan, [], {}) if isinstance(found, property) and found.fset else ():
            try: setattr(thing, name, given)
            except RAISED: pass
for made in (cardan.State, cardan.Model, cardan.Stepper, cardan.Ensemble, cardan.Assembly, cardan.Function, cardan.Camera,
             cardan.load, cardan.loads, cardan.simulate):
    for given in [], *GIVEN, ["b"], [model, None]:
        try: made(*given)
        except RAISED: pass
state.copy()
'''
        with tempfile.TemporaryDirectory() as folder:  # of what `save` writes
            said = subprocess.run([sys.executable, '-c', code, str(MODELS / 'walker.xml')], stdout=subprocess.PIPE,
                                  stderr=subprocess.STDOUT, text=True, cwd=folder)
        self.assertEqual((said.returncode, said.stdout), (0, ''))


if __name__ == '__main__':
    unittest.main()
