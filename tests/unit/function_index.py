#!/usr/bin/env python3
"""docs/functions.md is what docs/make_functions.py makes of the headers, each of which lists its functions. Every
link between documents leads to a file, and to a heading in it. Pages that sources name are there, and so are the
sources that the architecture's page and the picture of contact name. function_index.py ROOT
"""
import pathlib
import re
import subprocess
import sys

root = pathlib.Path(sys.argv[1])
sys.path.insert(0, str(root / 'tools'))
import headers
reading = headers.read(root)
functions = reading.functions
names = {item.name for item in reading}
assert len(functions) > 400, 'the headers are not written as this program expects'

mistakes = []
made = subprocess.run([sys.executable, root / 'docs/make_functions.py', root, '--check'],
                      capture_output=True, text=True)
if made.returncode:
    mistakes += (made.stdout + made.stderr).splitlines()
words = (root / 'docs/words.md').read_text().split('## Old names')[0]
mistakes += [f'docs/words.md: {name} is not in the headers: correct it'
             for name in sorted(set(re.findall(r'\bcdn_\w*[a-z0-9]\b(?![*{])', words)) - names)]

pages = {path.resolve(): re.sub(r'```.*?```', '', path.read_text(), flags=re.S)
         for path in [*sorted(root.glob('*.md')), *sorted((root / 'docs').rglob('*.md'))]}
headings = {page: {re.sub(r'[^\w\- ]', '', heading.strip().lower()).replace(' ', '-')
                   for heading in re.findall(r'^#+ (.*)$', text, flags=re.M)} for page, text in pages.items()}
for page, text in pages.items():
    for target, heading in re.findall(r'\]\((?![a-z]+:)([^)#\s]*)#?([^)\s]*)\)', text):
        goal = (page.parent / target).resolve() if target else page
        if not goal.exists():
            mistakes.append(f'{page.name}: the link to {target} leads nowhere')
        elif heading and goal in headings and heading not in headings[goal]:
            mistakes.append(f'{page.name}: {goal.name} has no heading #{heading}')

for folder in ('src', 'include', 'apps', 'tests', 'examples', 'bench', 'accuracy'):
    for path in sorted((root / folder).rglob('*')):
        if path.suffix in ('.c', '.h', '.cpp', '.py', '.xml', '.ts', '.mjs') and 'node_modules' not in path.parts:
            for page in sorted(set(re.findall(r'\bdocs/[\w/-]+\.md\b', path.read_text(errors='replace')))):
                if not (root / page).exists():
                    mistakes.append(f'{path.relative_to(root)}: {page} is no page')

for name in ('docs/architecture.md', 'docs/pictures/contact_path.svg'):
    for source in sorted(set(re.findall(r'(?:(?<=src/)|(?<![\w/]))((?!src/)[a-z]+/[a-z0-9_/]+\.[ch])\b', (root / name).read_text()))):
        if not (root / 'src' / source).exists():
            mistakes.append(f'{name}: src/{source} is not there')

print('\n'.join(mistakes) or f'{len(functions)} functions are indexed')
sys.exit(1 if mistakes else 0)
