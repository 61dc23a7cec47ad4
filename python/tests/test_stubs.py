"""What type checkers see: signatures made of the headers are those of the methods, and mypy --strict passes on the
examples and finds mistakes."""
import ast
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

import cardan

ROOT = pathlib.Path(os.environ.get('CARDAN_SOURCE_ROOT', pathlib.Path(__file__).parents[2]))
PACKAGE = pathlib.Path(cardan.__file__).parent


class Stubs(unittest.TestCase):
    def test_every_method_has_a_signature(self):
        tree = ast.parse((PACKAGE / '_methods.pyi').read_text())
        classes = {node.name: {f.name: f for f in node.body} for node in tree.body if isinstance(node, ast.ClassDef)}
        from cardan import _interface as made
        self.assertEqual(set(classes['Adders']), set(made.BUILDING))
        self.assertEqual(set(classes['Setters']), set(made.SETTING))
        self.assertEqual([a.arg for a in classes['Adders']['add_two_point_spring'].args.args],
                         ['self', *made.PARAMETERS['cdn_system_add_two_point_spring'][1:]])
        self.assertIn('armature', [a.arg for a in classes['Adders']['add_body'].args.kwonlyargs])

    def test_words_of_enums_are_constants(self):
        from cardan import _interface as made
        for enum, words in made.CHOICES.items():
            for constant in words.values(): self.assertIsInstance(getattr(cardan.lib, constant), int, enum)
        self.assertEqual(made.CHOICES['cdn_mobilizer']['spherical_coords'], 'CDN_SPHERICAL_COORDS')


@unittest.skipUnless(shutil.which('mypy'), 'mypy is not here')
class Mypy(unittest.TestCase):
    MYPY = '/usr/bin/mypy' if os.path.exists('/usr/bin/mypy') else 'mypy'
    cache = tempfile.TemporaryDirectory()

    def checked(self, *files):
        """The mistakes that mypy finds, a line each."""
        said = subprocess.run([self.MYPY, '--strict', '--follow-imports=silent', '--no-error-summary', '--cache-dir',
                               self.cache.name, *map(str, files)], capture_output=True, text=True,
                              env={**os.environ, 'MYPYPATH': str(PACKAGE.parent)})
        self.assertEqual(said.stderr, '')
        return [line for line in said.stdout.splitlines() if ': error: ' in line]

    def test_examples_pass_and_mistakes_are_found(self):
        mistakes = {'model.add_gravity("g")': 'Missing positional argument "g"',
                    'model.add_body("b", mobilizer="pinn")': 'Argument "mobilizer"',
                    'model.add_body("b", colour=3)': 'Unexpected keyword argument "colour"',
                    'model.state().gravity_set("g", 3)': 'Argument 2 to "gravity_set"',
                    'cardan.simulate(model, "long")': 'Argument 2 to "simulate"',
                    'cardan.Stepper(model)': 'Argument 1 to "Stepper"',
                    'model.state().udott': 'has no attribute "udott"'}
        with tempfile.TemporaryDirectory() as folder:
            wrong = pathlib.Path(folder) / 'wrong.py'
            wrong.write_text('import cardan\nmodel = cardan.Model("m")\n' + '\n'.join(mistakes) + '\n')
            said = self.checked(wrong, *sorted((ROOT / 'examples/python').glob('*.py')))
        for line, (code, wanted) in enumerate(mistakes.items(), 3):
            self.assertTrue(any(f'wrong.py:{line}:' in s and wanted in s for s in said), (code, said))
        self.assertEqual([s for s in said if 'wrong.py' not in s], [])


if __name__ == '__main__':
    unittest.main()
