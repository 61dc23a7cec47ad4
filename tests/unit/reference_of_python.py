#!/usr/bin/env python3
"""The reference of the Python package, which the site has, describes whatever the package offers, and
nothing in it is without a comment. reference_of_python.py ROOT"""
import pathlib
import re
import sys

root = pathlib.Path(sys.argv[1]).resolve()
sys.path.insert(0, str(root / 'docs/site'))
from python_reference import Reference

reference = Reference(root, lambda doc: doc)
text = '\n'.join(reference.own())
described = set(re.findall(r'\{py:(?:class|function)\} cardan\.(\w+)', text))
# what has no text of its own: kinds of errors, and what is C's
wanted = {name for name in reference.names if not name.endswith('Error') or name == 'Error'} - {'ffi', 'lib'}
methods = re.findall(r'\{py:method\} (\w+\.\w+)', '\n'.join(reference.of_c()))
mistakes = [f'{name} has no comment: say what it is, with its unit'
            for name, doc in re.findall(r'````\{py:\w+\} ([\w.]+).*\n\n(.*)\n', text) if not doc.strip()]
mistakes += [f'the reference lacks cardan.{name}' for name in sorted(wanted - described)]
if len(methods) < 200: mistakes.append(f'{len(methods)} methods are functions of C: too few')
print('\n'.join(mistakes) or f'{len(described)} classes and functions, and {len(methods)} methods of C are described')
sys.exit(1 if mistakes else 0)
