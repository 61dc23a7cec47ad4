#!/usr/bin/env python3
"""The commands of README.md and docs/tutorial.md run as printed, and print what the tutorial shows. The README's program is
examples/pendulum.c.

    first_hour.py ROOT CARDAN
"""
import pathlib
import re
import shlex
import subprocess
import sys
import tempfile

root, cardan = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2]).resolve()
readme, tutorial = (root / 'README.md').read_text(), (root / 'docs/tutorial.md').read_text()
mistakes = []


def run(line, where):
    words = shlex.split(line, comments=True)
    assert words[0].split('/')[-1] == 'cardan', line
    done = subprocess.run([cardan, *words[1:]], cwd=where, capture_output=True, text=True, timeout=100)
    lacks = 'without' in done.stderr and 'built' in done.stderr
    if done.returncode != 0 and not lacks:
        mistakes.append(f'{line}\n  ends with {done.returncode}: {done.stderr.strip()}')
    return done.stdout + done.stderr


def same(shown, printed):
    """Whether a line was printed: words alike, numbers to a part in a hundred; it may go on."""
    a, b = shown.split(), printed.split()
    for x, y in zip(a, b):
        try:
            if abs(float(x) - float(y)) > 0.01 * abs(float(x)):
                return False
        except ValueError:
            if x != y:
                return False
    return len(a) <= len(b)


with tempfile.TemporaryDirectory() as folder:
    where = pathlib.Path(folder)
    (where / 'examples').symlink_to(root / 'examples')
    blocks = re.findall(r'^```sh\n(.*?)^```', readme, flags=re.M | re.S)
    commands = [line for block in blocks for line in block.splitlines() if re.match(r'\S*\bcardan ', line)]
    if len(commands) < 5:
        mistakes.append('README.md: its commands were not found')
    for line in commands:
        run(line, where)
    verbs = set(re.findall(r'^  (\w+)', (root / 'run').read_text().split('usage: ./run')[1].split('END')[0], flags=re.M))
    for verb in re.findall(r'\./run (\w+)', readme):
        if verb not in verbs:
            mistakes.append(f'README.md: ./run has no verb {verb}')

    printed, steps = [], 0
    for line in re.findall(r'^    (.*)$', tutorial, flags=re.M):
        if line.startswith('$ '):
            printed, steps = run(line[2:], where).splitlines(), steps + 1
        elif not any(same(line, p) for p in printed):
            mistakes.append(f'docs/tutorial.md shows what is not printed: {line}')
    if steps < 6:
        mistakes.append('docs/tutorial.md: its commands were not found')

program = re.search(r'^```c\n(.*?)^```', readme, flags=re.M | re.S).group(1)
if program != (root / 'examples/pendulum.c').read_text():
    mistakes.append('README.md and examples/pendulum.c differ: copy the program over')
print('\n'.join(mistakes) if mistakes else f'{len(commands)} commands of the README and {steps} of the tutorial run')
sys.exit(bool(mistakes))
