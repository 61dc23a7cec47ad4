"""The reference of the Python package: its classes and functions as its files have them, and the methods that are
functions of C, as the binding makes them of the headers."""
import ast
import pathlib
import re
import subprocess
import sys
import tempfile

# The methods that are functions of C, by the class of the package that has them.
METHODS = {'Adders': 'Model', 'Setters': 'State', 'Answers': 'State', 'Assemblers': 'Assembly'}


def public(body):
    return [node for node in body if isinstance(node, (ast.FunctionDef, ast.ClassDef)) and
            (not node.name.startswith('_') or node.name == '__init__')]


def signature(node):
    """Parameters without self, and what is returned."""
    arguments = node.args
    if arguments.args and arguments.args[0].arg in ('self', 'cls'): arguments.args = arguments.args[1:]
    returned = f' -> {ast.unparse(node.returns)}' if node.returns else ''
    return f'({ast.unparse(arguments)}){returned}'


def directive(kind, text, doc): return f'````{{py:{kind}}} {text}\n\n{doc}\n````\n'


class Reference:
    def __init__(self, root, prose):
        self.root, self.prose = root, prose
        self.modules = {path.stem: ast.parse(path.read_text()) for path in sorted((root / 'python/cardan').glob('*.py'))}
        self.where = {alias.name: node.module for node in ast.walk(self.modules['__init__'])
                      if isinstance(node, ast.ImportFrom) for alias in node.names}
        self.names = next(ast.literal_eval(node.value) for node in self.modules['__init__'].body
                          if isinstance(node, ast.Assign) and node.targets[0].id == '__all__')

    def text(self, node):
        """A docstring: what is indented in it is code."""
        doc = ast.get_docstring(node) or ''
        return '\n'.join(line if line.startswith('    ') else self.prose(line) for line in doc.splitlines())

    def is_inherited(self, node, method):
        """Whether a base, in the same file, has said what this method does."""
        bases = {ast.unparse(base) for base in node.bases}
        return any(ast.get_docstring(member) for tree in self.modules.values() for other in tree.body
                   if isinstance(other, ast.ClassDef) and other.name in bases
                   for member in public(other.body) if member.name == method)

    def members(self, node, name):
        for member in public(node.body):
            marks = {ast.unparse(mark) for mark in member.decorator_list} if isinstance(member, ast.FunctionDef) else set()
            if any(mark.endswith('.setter') for mark in marks) or isinstance(member, ast.ClassDef): continue
            if member.name == '__init__': continue
            doc = self.text(member)
            if not doc and self.is_inherited(node, member.name): continue
            if 'property' in marks: yield directive('property', f'{name}.{member.name}', doc)
            else: yield directive('method', f'{name}.{member.name}{signature(member)}', doc)

    def described(self, node, name):
        """A function, or a class with its members; name: as programs write it."""
        if isinstance(node, ast.FunctionDef):
            return f'## {name}\n\n' + directive('function', f'{name}{signature(node)}', self.text(node))
        first = next((n for n in node.body if isinstance(n, ast.FunctionDef) and n.name == '__init__'), None)
        made = f'{name}{signature(first) if first else ""}'.replace(' -> None', '')
        return f'## {name}\n\n' + directive('class', made, self.text(node)) + '\n'.join(self.members(node, node.name))

    def own(self):
        for name in self.names:
            tree = self.modules.get(self.where.get(name, '__init__'))
            node = next((n for n in tree.body if getattr(n, 'name', None) == name), None) if tree else None
            if node and (name == 'Error' or not name.endswith('Error')): yield self.described(node, f'cardan.{name}')
        for node in public(self.modules['gym'].body): yield self.described(node, f'cardan.gym.{node.name}')

    def of_c(self):
        """Methods of the stubs, with the functions that they are and the first sentence of their comments."""
        with tempfile.TemporaryDirectory() as folder:
            made = {what: pathlib.Path(folder) / what for what in ('interface', 'stubs')}
            for what, path in made.items():
                subprocess.run([sys.executable, self.root / 'python/binding.py', self.root, what, path], check=True)
            tables = {}
            exec(compile(made['interface'].read_text(), 'interface', 'exec'), tables)
            stubs = ast.parse(made['stubs'].read_text())
        functions = {}
        for table in ('BUILDING', 'SETTING', 'ANSWERING', 'ASSEMBLING'): functions.update(tables[table])
        for node in stubs.body:
            if not isinstance(node, ast.ClassDef) or node.name not in METHODS: continue
            name = METHODS[node.name]
            yield f'## Methods of {name}: {node.name.lower()}\n'
            for method in public(node.body):
                function = functions[method.name]
                doc = re.split(r'(?<=[.:])\s', tables['COMMENTS'][function].strip())[0]
                yield directive('method', f'{name}.{method.name}{signature(method)}', f'{{c:func}}`{function}`. {self.prose(doc)}')


def page(root, prose):
    reference = Reference(root, prose)
    return ('# The Python package\n\n[docs/python.md](../docs/python.md) tells how to use it. Numbers are plain SI. Errors are '
            'subclasses of `cardan.Error`.\n\n' + '\n'.join(reference.own()) + '\n' + '\n'.join(reference.of_c()))
