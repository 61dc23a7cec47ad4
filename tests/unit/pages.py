#!/usr/bin/env python3
"""What tests/verify/pages.py takes for the same output, and what it finds in a page. pages.py ROOT"""
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(sys.argv[1]) / 'tests/verify'))
from pages import alike, blocks, compare

for shown, printed, same in (
        ('x = 1.234 m', 'x = 1.235 m', True), ('x = 1.234 m', 'x = 1.237 m', False), ('x = 1.234 m', 'y = 1.234 m', False),
        ('x  = 1', 'x = 1', True), ('-1.5', '1.5', False), ('1e-3', '1.001e-3', True), ('0', '3e-12', True), ('0', '0.1', False),
        ('291 steps', '289 steps', True), ('3 s', '4 s', False), ('2e-7 m', '4e-7 m', False), ('1.2e-4', '1.5e-4', False),
        ('asked 1e-4, delivered about 2.6e-7', 'asked 1e-4, delivered about 9e-8', True),
        ('asked 1e-4, delivered about 2.6e-7', 'asked 1e-5, delivered about 2.6e-7', False),
        ('asked 1e-4, delivered about 2.6e-7', 'asked 1e-4, delivered about 2.6e-5', False),
        ('wall time ...', 'wall time 3 s', True), ('wall time ...', 'time 3 s', False), ('a ... b', 'a 1 b', True), ('at 2.30 a ...', 'at 2.3059 a b', True),
        ('at 2.3 ... b', 'at 5 b', False), ('3 ... 4.0', '3 of 4.1', True), ('3 ... 4.0', '3 of 5', False),
        ('q1 = 2', 'q2 = 2', False)):
    assert alike(shown, printed) == same, (shown, printed)

for shown, printed, right in (
        ('1\n2\n', '1\n2\n', True), ('1\n', '1\n2\n', False), ('2\n', '1\n2\n', False), ('...\n2\n', '1\n2\n', True),
        ('1\n...\n', '1\n2\n', True), ('', '1\n', False), ('', '', True), ('1\n...\n3\n', '1\n2\n4\n', False), ('...\n2.6\n3\n', '2.5\n2.6\n3\n', True)):
    assert (compare(shown.splitlines(), printed) is None) == right, (shown, printed)

page = '''Save it as `a.c`:

```c
int main(void) { return 0; }
```

<!-- given: int n; -->
```c
n = 3;
```

    cardan info examples/models/arm.urdf

    cardan info robot.urdf

```output
3
```
'''
found = blocks(page)
assert [b.language for b in found] == ['c', 'c', None, None, 'output'], [b.language for b in found]
assert (found[0].file, found[0].line, found[1].file, found[1].given) == ('a.c', 4, None, 'int n;')
assert [bool(b.is_program()) for b in found[:2]] == [True, False]
assert [b.is_commands() for b in found] == [False, False, True, False, False]
assert page.splitlines()[found[1].line - 1] == 'n = 3;'
print('pages are read, and outputs are compared')
