"""spec_fields.py SOURCE_ROOT: the table in src/io/spec_fields.c has every member of the structs of spec.h."""
import os
import re
import sys

# Not data of a file: sizes, lines, lengths that lists have, and objects of a program (spec_save.c refuses them).
FREE = {'struct_size', 'line', 'nq', 'nu', 'n_data', 'n_actuators', 'functions', 'custom', 'custom_self'}
NO_ELEMENT = {'def', 'tree', 'mobilizer', 'loop'}


def members(body):
    body = re.sub(r'/\*.*?\*/', '', body, flags=re.S).replace('CDN_DEF_HEADER;', '')
    for declaration in body.split(';'):
        declaration = re.sub(r'\[[^\]]*\]', '', declaration).strip()
        for part in declaration.split(','):
            word = re.search(r'(\w+)\s*$', part)
            if word:
                yield word.group(1)


def main():
    root = sys.argv[1]
    read = lambda *path: open(os.path.join(root, *path), encoding='utf-8').read()
    headers = read('include', 'cardan', 'spec.h') + read('include', 'cardan', 'spec_joints.h')
    table = read('src', 'io', 'spec_fields.c')
    missing = []
    for kind, body in re.findall(r'typedef struct cdn_spec_(\w+) \{(.*?)\n\} cdn_spec_', headers, flags=re.S):
        for member in members(body) if kind not in NO_ELEMENT else ():
            if member not in FREE and not re.search(rf'\(\s*{kind}, (?:"[^"]*", )?{member}\b', table):
                missing.append(f'cdn_spec_{kind}.{member}')
    print('\n'.join(missing))
    sys.exit(f'{len(missing)} members have no field in src/io/spec_fields.c: files would lose them' if missing else 0)


main()
