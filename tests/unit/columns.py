"""columns.py SOURCE_ROOT: no line of code or prose is longer than 120 columns.

Free are lines that cannot be broken: of code those with a string outside a comment, or of a macro; of Markdown tables,
code and addresses."""
import os
import re
import sys

WIDTH = 120
FOLDERS = ['src', 'include', 'apps', 'accuracy', 'bench', 'tests', 'examples', 'python', 'tools', 'docs', '.']


def lines_of_code(path):
    for number, line in enumerate(open(path, encoding='utf-8', errors='replace'), 1):
        line = line.rstrip('\n')
        if (re.match(r'\s*(/?\*|//)', line) or '"' not in line) and not line.endswith('\\'):
            yield number, line


def lines_of_prose(path):
    fenced = False
    for number, line in enumerate(open(path, encoding='utf-8'), 1):
        line = line.rstrip('\n')
        if re.match(r'\s*(```|~~~)', line):
            fenced = not fenced
        elif not fenced and not re.match(r'    |\s*(\||\[[^\]]+\]:|!\[|<)', line):
            yield number, line


def main():
    root, long = sys.argv[1], []
    for folder in FOLDERS:
        for place, folders, names in os.walk(os.path.join(root, folder)):
            folders[:] = [] if folder == '.' else [f for f in folders if f != 'node_modules']
            for name in names:
                path = os.path.join(place, name)
                lines = {'.c': lines_of_code, '.h': lines_of_code, '.cpp': lines_of_code, '.md': lines_of_prose}
                read = lines.get(os.path.splitext(name)[1])
                if read and not os.path.islink(path):
                    long += [f'{os.path.relpath(path, root)}:{number}: {len(line)} columns'
                             for number, line in read(path) if len(line) > WIDTH]
    print('\n'.join(long))
    sys.exit(f'{len(long)} lines are longer than {WIDTH} columns' if long else 0)


main()
