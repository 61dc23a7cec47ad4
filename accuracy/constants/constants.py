"""Where the constants of src/ come from: constants.py check | write | sweep [FOLDER [NAME...]]

check   the list (list.txt, bare.txt) agrees with the source, and docs/constants.md with the list and the measurements
write   makes docs/constants.md anew
sweep   builds a copy of the project in FOLDER (default: build/constants), halves and doubles every constant that is no
        fact, layout or look, or those of these names, runs problems (problems.py), and keeps what changed in
        measured.json"""
import json
import os
import subprocess
import sys

sys.dont_write_bytecode = True  # the test leaves nothing beside the source

import listed
import report
import source
import sweep
import tree

ROOT = os.path.dirname(os.path.dirname(listed.HERE))
MEASURED = os.path.join(listed.HERE, 'measured.json')
DOCUMENT = os.path.join(ROOT, 'docs', 'constants.md')
# The rooms that calculate.
SWEPT_ROOMS = ['constraints', 'contact', 'dynamics', 'forces', 'geometry', 'integrators', 'math', 'matter', 'measures',
               'soft', 'studies']
BUDGET = 7e7  # blocks that one constant may take: some three seconds
# Bounds of arrays stay as they are, and what tables begin with.
NOT_SCALED = {('double', 'HERTZ_DAMPING')} | {('enum', name) for name in (
    'ADAMS_MOST', 'CDNI_MARKS', 'LARGEST_POOL', 'MOST_PAIRS', 'MOST', 'MOST_FOLLOWED', 'SOFT_MOST_RECORDS',
    'MOST_STATES', 'MOST_THREADS', 'MOST_POSES')} | {('define', 'CDNI_MARKS')}


def complaints():
    kind_of = listed.read_list()
    places = source.all_places(os.path.join(ROOT, 'src'))
    in_source = {p.key: p for p in places}
    rows = []
    for key in sorted(set(in_source) - set(kind_of)):
        rows.append(f'src/{in_source[key].path}: {key[1]} = {key[2]} is not in accuracy/constants/list.txt: say there, '
                    'in its room, why it has this value')
    for key in sorted(set(kind_of) - set(in_source)):
        rows.append(f'accuracy/constants/list.txt: {key[0]} has no {key[1]} = {key[2]} any more')
    texts = {}
    for path in source.files_of(os.path.join(ROOT, 'src')):
        with open(os.path.join(ROOT, 'src', path), encoding='utf-8') as f:
            texts.setdefault(path.split(os.sep)[0], []).append(f.read())
    for room, piece, number in listed.read_bare():
        if number not in piece or not any(piece in text for text in texts[room]):
            rows.append(f'accuracy/constants/bare.txt: {room} has no "{piece}" with {number} any more')
    return rows


def swept():
    kind_of = listed.read_list()
    named = []
    for p in source.all_places(os.path.join(ROOT, 'src')):
        is_swept = p.room in SWEPT_ROOMS and kind_of.get(p.key) in listed.SWEPT and (p.kind, p.name) not in NOT_SCALED
        if is_swept and p.key not in named:
            named.append(p.key)
    return named + listed.read_bare()


def main():
    verb = sys.argv[1] if len(sys.argv) > 1 else ''
    if verb == 'check':
        rows = complaints()
        with open(DOCUMENT, encoding='utf-8') as f:
            if not rows and f.read() != report.document(MEASURED):
                rows.append('docs/constants.md is not what the list and the measurements say: '
                            'python3 accuracy/constants/constants.py write')
        print('\n'.join(rows))
        sys.exit(bool(rows))
    elif verb == 'write':
        with open(DOCUMENT, 'w', encoding='utf-8') as f:
            f.write(report.document(MEASURED))
    elif verb == 'sweep':
        folder = os.path.abspath(sys.argv[2] if len(sys.argv) > 2 else os.path.join(ROOT, 'build', 'constants'))
        keys = swept()
        build = tree.make(ROOT, folder, keys, listed.read_bare())
        programs = ['apps/cardan/cardan', 'accuracy/one_run'] + [f'examples/{e}' for e in sweep.problems.EXAMPLES]
        subprocess.run(['ninja', '-C', build] + programs, check=True, stdout=subprocess.DEVNULL)
        only = [i for i, key in enumerate(keys) if key[1] in sys.argv[3:]] or None
        found = sweep.run(ROOT, build, len(keys), budget=BUDGET, workers=os.cpu_count(), only=only)
        with open(os.path.join(folder, 'rows.json'), 'w', encoding='utf-8') as f:
            json.dump([[keys[i], row] for i, row in found.items()], f)
        sweep.save(found, keys, MEASURED)
    else:
        sys.exit(__doc__)


main()
