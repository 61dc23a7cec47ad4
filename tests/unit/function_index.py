#!/usr/bin/env python3
"""docs/functions.md is complete and true: it names every public function, and nothing that is not public. Every link
between documents leads to a file.

    function_index.py ROOT
"""
import pathlib
import re
import sys

root = pathlib.Path(sys.argv[1])
headers = '\n'.join(path.read_text() for path in sorted((root / 'include/cardan').glob('*.h')))
headers = re.sub(r'/\*.*?\*/', '', headers, flags=re.S)
functions = set(re.findall(r'(?:CDN_API|static inline)\b[^;{(]*?\b(cdn_\w+)\s*\(', headers))
names = set(re.findall(r'\bcdn_\w+', headers))
assert len(functions) > 400, 'the headers are not written as this program expects'

mistakes = []
index = (root / 'docs/functions.md').read_text()
indexed = set(re.findall(r'`(cdn_\w+)`', index))
mistakes += [f'docs/functions.md: {name} is missing: add a row to the table of its task' for name in sorted(functions - indexed)]
mistakes += [f'docs/functions.md: {name} is no public function: correct or delete its row' for name in sorted(indexed - functions)]
words = (root / 'docs/words.md').read_text()
mistakes += [f'docs/words.md: {name} is not in the headers: correct it'
             for name in sorted(set(re.findall(r'\bcdn_\w*[a-z0-9]\b(?![*{])', words)) - names)]

for page in [*sorted(root.glob('*.md')), *sorted((root / 'docs').rglob('*.md'))]:
    for target in re.findall(r'\]\(([^)#\s]+)', re.sub(r'```.*?```', '', page.read_text(), flags=re.S)):
        if not re.match(r'[a-z]+:', target) and not (page.parent / target).exists():
            mistakes.append(f'{page.relative_to(root)}: the link to {target} leads nowhere')

print('\n'.join(mistakes) or f'{len(functions)} functions are indexed')
sys.exit(1 if mistakes else 0)
