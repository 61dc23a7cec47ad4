"""mjcf_page.py SOURCE_ROOT: docs/mjcf.md has what the reader of MJCF asks for.

Every attribute that the sources ask a file for by name is on the page. Every attribute that the page says has an effect
is in the sources."""
import glob
import os
import re
import sys

ASK = re.compile(r'io_(?:xml|mjcf)_(?:u?int|double|doubles|doubles_upto|vec3|bool|tristate|keyword|string|need_string|'
                 r'has|ignore)\((?:[^";]*,\s*)?"(\w+)"')


def cells(page):
    for line in page.splitlines():
        if line.startswith('| `'):
            yield [re.findall(r'`([\w/]+)`', cell) for cell in line.strip('| ').split(' | ')]


def main():
    root = sys.argv[1]
    with open(os.path.join(root, 'docs', 'mjcf.md'), encoding='utf-8') as file:
        page = file.read()
    sources = ''.join(open(path, encoding='utf-8').read() for path in sorted(glob.glob(os.path.join(root, 'src/io/*.[ch]'))))
    readers = ''.join(open(path, encoding='utf-8').read() for path in sorted(glob.glob(os.path.join(root, 'src/io/mjcf*.c')))
                      if 'write' not in os.path.basename(path))
    rows = list(cells(page))
    words = set(re.findall(r'`(\w+)`', page))
    wrong = 0
    for name in sorted(set(ASK.findall(readers)) - words):
        print(f'docs/mjcf.md: the reader asks for "{name}", which is not on the page')
        wrong += 1
    literals = set(re.findall(r'"(\w+)"', sources))
    for row in rows:
        for name in row[1] if len(row) > 1 else []:
            if name not in literals:
                print(f'docs/mjcf.md: {row[0]}: "{name}" should have an effect, but no source has it')
                wrong += 1
    if len(rows) < 50:
        print(f'docs/mjcf.md: {len(rows)} rows of elements are too few')
        wrong += 1
    print(f'{len(rows)} rows, {len(words)} names, {wrong} are wrong')
    return 1 if wrong else 0


sys.exit(main())
