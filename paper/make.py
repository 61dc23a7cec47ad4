#!/usr/bin/env python3
"""make.py ROOT BUILD FOLDER: the figures and the numbers of the paper, and the paper itself, in FOLDER. `./run paper` calls
it.

BUILD has the programs: accuracy, the Python package and, where MuJoCo is to be had, bench_soft. FOLDER/figures gets
the figures, FOLDER/numbers.json every number of the text. `{{name}}` in paper.md is such a number. A part between
`<!-- if NAME -->` and `<!-- end -->` is left out where the number NAME is not there. Pandoc makes the document.
"""
import json
import math
import pathlib
import re
import shutil
import statistics
import subprocess
import sys

root, build, out = (pathlib.Path(p).resolve() for p in sys.argv[1:4])
sys.path.insert(0, str(build / 'python'))
import matplotlib
matplotlib.use('Agg')
import matplotlib.pyplot as plot
import numpy

import cardan

LOOPS = ['a02-ladder-1', 'a02-ladder-2', 'a02-ladder-5', 'a02-ladder-10', 'ladder-pinned-5', 'a03-andrews', 'a04-bricard',
         'a05-governor', 'slider-crank', 'crank-heavy', 'crank-fast', 'crank-whip-0.8', 'crank-whip-0.96',
         'crank-whip-0.99', 'crank-driven']
COST = {'double-pendulum-60': 'a double pendulum, 30 s', 'a03-andrews': "Andrews' mechanism", 'heavy-top': 'a heavy top'}
METHODS = ['default', 'merson', 'dormand-prince', 'dormand-prince-8', 'cvode-bdf']
NAMES = {'version', 'accuracies', 'loosest', 'tightest', 'problems', 'runs', 'failed', 'within', 'beyond', 'said', 'unknown', 'denied', 'estimates', 'price', 'loops',
         'loop_problems', 'loops_within', 'gap', 'drift_4', 'drift_6', 'drift_8', 'drift_euler', 'drift_rk4', 'peer',
         'scattered_boxes', 'scattered_ratio', 'heaped_boxes', 'heaped_ratio'}
numbers = {}  # of the text, by these names

plot.rcParams.update({'font.size': 9, 'axes.grid': True, 'grid.alpha': 0.3, 'legend.fontsize': 8, 'svg.hashsalt': 'cardan',
                      'lines.linewidth': 1.2, 'figure.constrained_layout.use': True})


def save(figure, name):
    for suffix in ('svg', 'pdf'): figure.savefig(out / 'figures' / f'{name}.{suffix}')
    plot.close(figure)


def runs_of(name, *arguments):
    """What the program of accuracies says: a list of runs. Runs that were made before are taken as they are."""
    path = out / f'{name}.json'
    if not path.exists():
        print(f'== accuracy {" ".join(arguments)}', flush=True)
        subprocess.run([build / 'accuracy/accuracy', *arguments, '--json', path], check=True, stdout=subprocess.DEVNULL)
    return json.loads(path.read_text())


def percent(part, whole): return f'{100 * part / whole:.1f}'


# ---- what is delivered

def delivered(runs):
    ended = [r for r in runs if not r['failed'] and r['error'] is not None]
    beyond = [r for r in ended if r['delivered_over_asked'] > 10]
    judged = [r for r in ended if not r['rounding'] and r['error'] < 0.3 and r['estimate']]
    loops = [r for r in ended if r['problem'] in LOOPS]
    asked = sorted({r['accuracy'] for r in runs})
    numbers.update(
        accuracies=len(asked), loosest=f'{asked[-1]:.0e}', tightest=f'{asked[0]:.0e}',
        problems=len({r['problem'] for r in runs}), runs=len(runs), failed=len(runs) - len(ended),
        within=percent(len(ended) - len(beyond), len(runs)), beyond=len(beyond),
        said=sum(r['verdict'] == 'not delivered' for r in beyond), unknown=sum(r['verdict'] == 'unknown' for r in beyond),
        denied=sum(r['verdict'] == 'delivered' for r in beyond),
        estimates=percent(sum(1 / 3 <= r['estimate_over_true'] <= 3 for r in judged), len(judged)),
        price=f'{statistics.median(1 + r["companion_evaluations"] / r["evaluations"] for r in ended):.1f}',
        loops=len(loops), loop_problems=len({r['problem'] for r in loops}),
        loops_within=percent(sum(r['delivered_over_asked'] <= 10 for r in loops), len(loops)))

    figure, (left, right) = plot.subplots(1, 2, figsize=(7, 3))
    for wanted, label, colour in ((False, 'trees', '#0072b2'), (True, 'closed loops', '#d55e00')):
        those = [r for r in ended if (r['problem'] in LOOPS) == wanted and r['error'] > 0]
        left.loglog([r['accuracy'] for r in those], [r['error'] for r in those], '.', ms=3, color=colour, label=label)
    line = numpy.array([1e-11, 1e-2])
    left.loglog(line, line, 'k-', lw=0.8)
    left.set(xlabel='accuracy asked for', ylabel='error delivered', ylim=(1e-15, 10))
    left.legend(loc='lower right')
    right.hist([math.log10(r['estimate_over_true']) for r in judged], bins=numpy.linspace(-2, 2, 81), color='#0072b2')
    right.set(xlabel='log10 of the estimated error over the true one', ylabel='runs')
    save(figure, 'delivered')


def cost(runs):
    figure, axes = plot.subplots(1, len(COST), figsize=(7, 2.8), sharey=False)
    for axis, (problem, title) in zip(axes, COST.items()):
        for method in METHODS:
            those = sorted((r for r in runs if r['problem'] == problem and r['method'] == method and not r['failed']
                            and r['error']), key=lambda r: r['accuracy'])
            axis.loglog([r['error'] for r in those], [r['evaluations'] for r in those], '.-', ms=4, label=method)
        axis.invert_xaxis()
        axis.set(title=title, xlabel='error delivered')
    axes[0].set_ylabel('evaluations')
    figure.suptitle(' ')  # room for the legend
    figure.legend(*axes[-1].get_legend_handles_labels(), loc='upper center', ncol=len(METHODS))
    save(figure, 'cost')


# ---- energy and loops, by the Python package

def chain():
    """Three rods that hang from pins and start to the side; nothing takes energy."""
    model, parent = cardan.Model('chain'), None
    for k in range(3):
        parent = model.add_body(f'rod{k}', parent=parent, mobilizer='pin', X_PF=[0, 0 if k == 0 else -1, 0], q0=[1 if k == 0 else 0],
                                mass=(1, [0, -0.5, 0], [1 / 12, 0.001, 1 / 12]))
    model.add_gravity('gravity', [0, -9.81, 0])
    return model.state()


def energy():
    state, times = chain(), numpy.linspace(0, 1000, 201)[1:]
    before = sum(state.energy)
    figure, axis = plot.subplots(figsize=(5, 3))
    ways = {f'accuracy {a:.0e}': dict(accuracy=a) for a in (1e-4, 1e-6, 1e-8)}
    ways |= {'MuJoCo\'s Euler steps of 2 ms': dict(step=0.002, method='mujoco-euler'),
             'Runge-Kutta steps of 2 ms': dict(step=0.002, method='mujoco-rk4')}
    for label, way in ways.items():
        run, lost, kinetic = cardan.Stepper(state, **way), [], []
        for t in times:
            run.advance(t)
            kinetic.append(run.state.energy[0])
            lost.append(abs(sum(run.state.energy) - before))
        lost = numpy.array(lost) / max(kinetic)
        axis.semilogy(times, numpy.maximum(lost, 1e-16), label=label)
        key = 'drift_' + (f'{-math.log10(way["accuracy"]):.0f}' if 'accuracy' in way else way['method'].split('-')[1])
        numbers[key] = f'{max(lost):.0e}'
    axis.set(xlabel='time, s', ylabel='relative change of energy')
    axis.legend(loc='upper right', bbox_to_anchor=(1, 0.9))
    save(figure, 'energy')


def loops(runs):
    figure, (left, right) = plot.subplots(1, 2, figsize=(7, 3))
    for problem in LOOPS:
        those = sorted((r for r in runs if r['problem'] == problem and r['error']), key=lambda r: r['accuracy'])
        left.loglog([r['accuracy'] for r in those], [r['error'] for r in those], '.-', ms=3, lw=0.7)
    line = numpy.array([1e-11, 1e-2])
    left.loglog(line, line, 'k-', lw=0.8)
    left.set(xlabel='accuracy asked for', ylabel='error delivered')
    model = cardan.load(root / 'examples/models/five_bar.xml')
    state, accuracies, opened = model.state('reach'), [1e-2, 1e-3, 1e-4, 1e-5, 1e-6, 1e-7, 1e-8], []
    cardan.Assembly(model).assemble(state)
    for accuracy in accuracies:
        run = cardan.Stepper(state, accuracy=accuracy, final_time=10)
        run.advance(10)
        opened.append(run.certificate.max_position_error)
    right.loglog(accuracies, numpy.maximum(opened, 1e-17), 'o-', ms=4)
    right.set(xlabel='accuracy asked for', ylabel='largest gap of the loop, m', ylim=(1e-17, 1e-9))
    numbers['gap'] = f'{max(opened):.0e}'
    save(figure, 'loops')


# ---- contact, beside MuJoCo

def contact():
    program, path = build / 'bench/bench_soft', out / 'contact.json'
    if not program.exists(): return
    if not path.exists():
        print('== bench_soft boxes', flush=True)
        subprocess.run([program, '--json', path, 'boxes'], check=True, stdout=subprocess.DEVNULL)
    rows = json.loads(path.read_text())
    figure, axis = plot.subplots(figsize=(5, 3))
    for kind, colour in (('scattered', '#0072b2'), ('heaped', '#d55e00')):
        those = [(int(r['name'].split()[1]), r['ours'], r.get('peer')) for r in rows if r['name'].startswith(kind)]
        axis.loglog([n for n, *_ in those], [ours / 1e3 for _, ours, _ in those], 'o-', ms=4, color=colour, label=f'Cardan, {kind}')
        both = [(n, peer / 1e3) for n, _, peer in those if peer]
        axis.loglog(*zip(*both), 's--', ms=4, color=colour, label=f'{next(r["peer_name"] for r in rows if r.get("peer"))}, {kind}')
        n, ours, peer = max(row for row in those if row[2])
        numbers[kind + '_boxes'], numbers[kind + '_ratio'] = n, f'{peer / ours:.1f}'
    numbers['peer'] = next(r['peer_name'] for r in rows if r.get('peer'))
    axis.set(xlabel='boxes', ylabel='a step, ms')
    axis.legend()
    save(figure, 'contact')


# ---- the document

def text():
    made = (root / 'paper/paper.md').read_text()
    made = re.sub(r'<!-- if (\w+) -->\n(.*?)<!-- end -->\n', lambda m: m.group(2) if m.group(1) in numbers else '', made, flags=re.S)
    return re.sub(r'\{\{(\w+)\}\}', lambda m: str(numbers[m.group(1)]), made)


def main():
    (out / 'figures').mkdir(parents=True, exist_ok=True)
    every = runs_of('delivered', '--quick', '--method', 'default')
    delivered(every)
    loops(every)
    cost(runs_of('cost', '--each', '9', *(word for problem in COST for word in ('--problem', problem)),
                 *(word for method in METHODS for word in ('--method', method))))
    energy()
    contact()
    numbers['version'] = cardan.version()
    assert set(numbers) <= NAMES, set(numbers) - NAMES
    (out / 'numbers.json').write_text(json.dumps(numbers, indent=1) + '\n')
    (out / 'paper.md').write_text(text())
    shutil.copy(root / 'paper/paper.bib', out)
    if not shutil.which('pandoc'): return print(f'there is no pandoc: {out}/paper.md is the document')
    engine = next((e for e in ('xelatex', 'lualatex', 'pdflatex') if shutil.which(e)), None)
    made = [('paper.html', ['--self-contained', '--default-image-extension=svg'])]
    if engine: made.append(('paper.pdf', [f'--pdf-engine={engine}', '--default-image-extension=pdf']))
    for name, options in made:
        subprocess.run(['pandoc', 'paper.md', '--citeproc', '--standalone', '-o', name, *options], cwd=out, check=True)
        print(out / name)


main()
