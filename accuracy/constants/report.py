"""docs/constants.md, from the list and from what the sweep has measured."""
import json

import listed

COST, ERROR, RESULT = 0.02, 1.25, 1e-3  # what counts as a change

INTRODUCTION = '''# Where constants come from

Every named constant of `src/` (`static const`, `#define`, `enum`) is in the list below, by its room, and so are numbers
without a name that were chosen by somebody. A test compares the list with the source: a new constant, or another value,
needs an entry in `accuracy/constants/list.txt` that says why it has its value.

`./run constants` measures: it builds a copy of the library in which each constant can be scaled, halves and doubles one
after the other, and runs the problems of `accuracy/constants/problems.py` that read it. Costs are counted in basic
blocks that run (edges of the program, which `-fsanitize-coverage=trace-pc` of gcc counts): they are the same each time,
on a busy machine, too. Blocks within BLAS, qhull and SUNDIALS do not count, nor does what one block costs. For a
constant near 1, such as 0.99 or 1.05, its distance from 1 is halved and doubled.

- **cost**: blocks, over those with the constant as it is; the least and the largest of all problems, where one is more
  than {cost} % away from 1.
- **error**: the largest distance from the true motion, over that with the constant as it is, where a factor is beyond
  {error} and the larger error is above a hundredth of the accuracy. Only for problems whose motion is known.
- **results**: of the other problems, those that print a number which differs by more than {result} of itself. Falls and
  walks amplify any difference, that of rounding, too.
- **ends otherwise**: problems in which a run failed, or took more than half a minute, or no longer did.

Of each constant the shortest problems that read it are run, up to some seconds; all that read it are counted.
'''


def name_of(key):
    room, name, number = key
    return f'`{number}` of `{name}`' if is_bare(key) else f'`{name}` = {number}'


def is_bare(key):
    return not key[1].isidentifier()


def is_effective(side):
    return bool(side['cost'] or side['error'] or side['results'] or side['otherwise'])


def is_cheaper(side):
    cost, error = side['cost'], side['error']
    cheaper = cost and cost[0] < 1 - COST and cost[1] <= 1.01
    return bool(cheaper and not (error and error[1] > ERROR)) and not side['otherwise']


def condense(rows):
    """What the rows of one constant and factor show: [problem, cost, error ratio, change of results, failed]."""
    side = {'cost': None, 'error': None, 'results': 0, 'otherwise': []}
    costs = [r[1] for r in rows if r[1] is not None]
    if costs and (min(costs) < 1 - COST or max(costs) > 1 + COST):
        side['cost'] = [round(min(costs), 3), round(max(costs), 3)]
    errors = [r[2] for r in rows if r[2] is not None]
    if errors and (min(errors) < 1 / ERROR or max(errors) > ERROR):
        side['error'] = [float(f'{min(errors):.3g}'), float(f'{max(errors):.3g}')]
    side['results'] = sum(1 for r in rows if r[3] is not None and r[3] > RESULT)
    side['otherwise'] = [r[0] for r in rows if r[4]]
    return side


def cell(side):
    parts = []
    if side['cost']:
        parts.append('cost {:.2f} to {:.2f}'.format(*side['cost']))
    if side['error']:
        parts.append('error {:.2g} to {:.2g}'.format(*side['error']))
    if side['results']:
        parts.append(f'results {side["results"]}')
    if side['otherwise']:
        parts.append('ends otherwise: ' + '; '.join(side['otherwise']))
    return ', '.join(parts) or 'nothing'


def listing(room, items):
    """An item of a list, no longer than a line may be."""
    lines, line = [], f'- **{room}**:'
    for i, item in enumerate(items):
        item += ',' if i < len(items) - 1 else ''
        if len(line) + 1 + len(item) > 118:
            lines.append(line)
            line = ' '
        line += ' ' + item
    return '\n'.join(lines + [line]) + '\n'


def document(path):
    kind_of = listed.read_list()
    with open(path, encoding='utf-8') as f:
        measured = {tuple(key): row for key, row in json.load(f)}
    bare = listed.read_bare()
    measured = {key: row for key, row in measured.items() if key in bare or kind_of.get(key) in listed.SWEPT}
    new = [k for k in list(kind_of) + bare if k not in measured and kind_of.get(k, 'measured') == 'measured']
    text = INTRODUCTION.format(cost=round(100 * COST), error=ERROR, result=RESULT)
    effective = [k for k, r in measured.items() if is_effective(r['0.5']) or is_effective(r['2'])]
    strong = lambda r: max([abs(x - 1) for s in ('0.5', '2') if r[s]['cost'] for x in r[s]['cost']] or [0])
    effective.sort(key=lambda k: (k[0], -strong(measured[k])))
    still = [k for k, r in measured.items() if k not in effective and r['problems']]
    unread = [k for k, r in measured.items() if not r['problems']]
    text += f'''
## Constants that change something

{len(effective)} of {len(measured)}.

| room | constant | why | halved | doubled | problems: run, of |
|---|---|---|---|---|---|
'''
    for k in effective:
        r = measured[k]
        why = 'no name' if is_bare(k) else kind_of.get(k, '')
        text += f'| {k[0]} | {name_of(k)} | {why} | {cell(r["0.5"])} | {cell(r["2"])} | {r["ran"]}, {r["problems"]} |\n'
    cheaper = [(k, f) for k in effective for f in ('0.5', '2') if is_cheaper(measured[k][f])]
    text += '''
## Values that cost less

Here half of the value, or twice as much, costs less in some problem and more in none, without larger errors in those
whose motion is known; of runs with contact and of studies errors are not known here. This is no reason to change it:
the problems are few, and some of these constants decide how closely a run is watched (how accurate its companion is,
when a problem counts as stiff), which shows in no cost and in no error.

'''
    for k, f in cheaper:
        text += f'- {k[0]}, {name_of(k)}, {"halved" if f == "0.5" else "doubled"}: {cell(measured[k][f])}\n'
    text += f'''
## Constants that change nothing

{len(still)}, by their rooms. The numbers of problems that read them are behind them.

'''
    rooms = sorted({k[0] for k in list(kind_of) + list(measured)})
    for room in rooms:
        here = [f'{name_of(k)} ({measured[k]["problems"]})' for k in still if k[0] == room]
        if here:
            text += listing(room, here)
    text += f'''
## Constants that no problem reads

{len(unread)}. Nothing is measured of these.

'''
    for room in rooms:
        here = [name_of(k) for k in unread if k[0] == room]
        if here:
            text += listing(room, here)
    if new:
        text += f'\n## Chosen by trial, and not in the sweep\n\n{len(new)}.\n\n'
        for room in rooms:
            here = [name_of(k) for k in new if k[0] == room]
            if here:
                text += listing(room, here)
    text += f'''
## The list

{len(kind_of)} named constants.

'''
    for kind, meaning in listed.KINDS.items():
        text += f'### {kind[0].upper() + kind[1:]}: {meaning}\n\n'
        for room in rooms:
            here = [name_of(k) for k, other in kind_of.items() if k[0] == room and other == kind]
            if here:
                text += listing(room, here)
        text += '\n'
    return text.rstrip('\n') + '\n'
