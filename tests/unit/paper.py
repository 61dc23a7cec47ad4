#!/usr/bin/env python3
"""paper/paper.md takes its numbers and figures from paper/make.py, and cites works of paper/paper.bib. paper.py ROOT"""
import ast
import pathlib
import re
import sys

folder = pathlib.Path(sys.argv[1]) / 'paper'
text, program, works = ((folder / name).read_text() for name in ('paper.md', 'make.py', 'paper.bib'))
names = ast.literal_eval(re.search(r'^NAMES = (\{.*?\})$', program, flags=re.S | re.M).group(1))
used = set(re.findall(r'\{\{(\w+)\}\}', text)) | set(re.findall(r'<!-- if (\w+) -->', text))
mistakes = [f'paper.md: make.py makes no number {name}' for name in sorted(used - names)]
mistakes += [f'make.py: paper.md does not use the number {name}' for name in sorted(names - used)]

figures, made = set(re.findall(r'\]\(figures/(\w+)\)', text)), set(re.findall(r"save\(figure, '(\w+)'\)", program))
mistakes += [f'the figure {name} is not both in paper.md and in make.py' for name in sorted(figures ^ made)]

cited, known = set(re.findall(r'@(\w+\d{4})', text)), set(re.findall(r'^@\w+\{(\w+),', works, flags=re.M))
mistakes += [f'the work {name} is not both in paper.md and in paper.bib' for name in sorted(cited ^ known)]

# what is measured is not typed: the part about it has no other numbers than those of the problem
typed = re.sub(r'\{\{\w+\}\}|\[@[^\]]*\]|!\[.*?\]\([^)]*\)', '', text.split('# Verification')[1].split('# Limits')[0], flags=re.S)
allowed = {'1e-4', '1e-6', '1e-8', '1000', '2', '4'}
mistakes += [f'paper.md: {number} is typed; let make.py make it'
             for number in sorted(set(re.findall(r'(?<![\w.-])\d[\d.]*(?:e-?\d+)?\b', typed)) - allowed)]

print('\n'.join(mistakes) or f'{len(used)} numbers and {len(figures)} figures are made')
sys.exit(1 if mistakes else 0)
