#!/usr/bin/env python3
"""Whoever fails tells where: every function that the library names in a message is public. Fractions are written by
cdni_print, whose decimal point no locale changes. Every example, and the README's program, prints the message when it
fails, by the one call for it; the shortest is short. messages.py ROOT
"""
import pathlib
import re
import sys

root = pathlib.Path(sys.argv[1])
sys.path.insert(0, str(root / 'tools'))
import headers
public = {item.name for item in headers.read(root) if item.kind in ('function', 'callback')}
mistakes = []
named = 0
for path in sorted((root / 'src').rglob('*.[ch]')):
    for name in re.findall(r'"(cdn_\w+)"', re.sub(r'/\*.*?\*/', '', path.read_text(), flags=re.S)):
        named += 1
        if name not in public:
            mistakes.append(f'{path.relative_to(root)}: the message of a failure names "{name}", which is no public function')
writers = {root / 'src/core/print.c', root / 'src/core/number.c'}
for path in sorted(set((root / 'src').rglob('*.[ch]')) - writers):
    for call in re.findall(r'\bsnprintf\([^;]*;', path.read_text()):
        if re.search(r'%[-+0-9.*]*[efgEFG]', ' '.join(re.findall(r'"(?:[^"\\]|\\.)*"', call))):
            mistakes.append(f'{path.relative_to(root)}: a fraction is written by snprintf, not by cdni_print: {call[:60]}')
assert named > 300, 'the sources are not written as this program expects'

programs = sorted((root / 'examples').glob('*.c'))
assert len(programs) > 20
for path in programs:
    text = path.read_text()
    if not re.search(r'fprintf\(stderr, "%s: %%s\\n", cdn_last_error_text\(\)\);' % path.stem, text):
        mistakes.append(f'{path.name}: a failure does not print its message: fprintf(stderr, "{path.stem}: %s\\n", '
                        'cdn_last_error_text())')
    for other in re.findall(r'\bcdn_\w+_last_error\b|\bcdn_status_text\b', text):
        mistakes.append(f'{path.name}: {other} is another way to the message: cdn_last_error_text() is enough')
lines = len((root / 'examples/double_pendulum.c').read_text().splitlines())
if lines > 30:
    mistakes.append(f'double_pendulum.c has {lines} lines: a double pendulum with energies and rows takes 30 at most')

print('\n'.join(mistakes) or f'{named} names of functions, {len(programs)} examples')
sys.exit(1 if mistakes else 0)
