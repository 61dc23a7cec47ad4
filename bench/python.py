#!/usr/bin/env python3
"""What the Python package costs: over NumPy's import, over pybind11's calls, over loops of C. Needs pybind11-dev, the
package cardan in Python's path, and the library and headers that it was made with.

    python.py INCLUDE LIBRARY [NAME ...]     # names of measurements; all without

A line each: what, the ratio, the target, the times. Times are the processor's; ratios are of the least of several
turns, both sides in turn.
"""
import gc
import importlib.util
import os
import pathlib
import resource
import signal
import subprocess
import sys
import sysconfig
import tempfile
import threading
import time

import numpy

import cardan
from cardan import ffi, lib

HERE, DATA = pathlib.Path(__file__).resolve().parent, pathlib.Path(cardan.__file__).parent / 'data'
TURNS = 9


def address(thing): return int(ffi.cast('uintptr_t', thing))


def peer(include, library):
    """bench/python_peer.cpp, compiled."""
    folder = tempfile.mkdtemp(prefix='cardan-bench-')
    target = os.path.join(folder, 'python_peer' + sysconfig.get_config_var('EXT_SUFFIX'))
    subprocess.run(['g++', '-O2', '-std=c++17', '-shared', '-fPIC', f'-I{include}',
                    f'-I{sysconfig.get_paths()["include"]}',
                    str(HERE / 'python_peer.cpp'), library, '-o', target,
                    f'-Wl,-rpath,{os.path.dirname(os.path.abspath(library))}'], check=True)
    spec = importlib.util.spec_from_file_location('python_peer', target)
    made = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(made)
    return made


def least(*functions, turns=TURNS):
    """The least times of functions that return seconds, taken in turn."""
    times = [[] for _ in functions]
    for _ in range(turns):
        for function, found in zip(functions, times): found.append(function())
    return [min(found) for found in times]


def say(what, ratio, target, detail): print(f'{what:50s} {ratio:7.3f}  (target {target})  {detail}', flush=True)


def imports(other):
    def started(code):
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        subprocess.run([sys.executable, '-c', code], check=True, env={**os.environ, 'PYTHONDONTWRITEBYTECODE': ''})
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    nothing, numpys, ours = least(lambda: started('pass'), lambda: started('import numpy'),
                                  lambda: started('import cardan'), turns=15)
    say('import, over NumPy\'s', (ours - nothing) / (numpys - nothing), 1.3,
        f'{(ours - nothing) * 1e3:.0f} ms, {(numpys - nothing) * 1e3:.0f} ms')


def calls(other):
    state = cardan.load(DATA / 'humanoid.xml').state()._state
    at, n = address(state), 200000
    turn = lambda function, argument: lambda: _loop(function, argument, n)
    ours, theirs, released = least(turn(lib.cdn_state_time, state), turn(other.state_time, at),
                                   turn(other.state_time_released, at))
    say('raw call, over pybind11\'s', ours / theirs, 1.2, f'{ours * 1e9:.0f} ns, {theirs * 1e9:.0f} ns, '
        f'{released * 1e9:.0f} ns where pybind11 releases the lock as well')


def _loop(function, argument, n):
    start = time.thread_time()
    for _ in range(n): function(argument)
    return (time.thread_time() - start) / n


def rates(other, what, model):
    """Each time another q, from an array of its own."""
    state, n = model.state(), 3000
    u, out = numpy.full(model.nu, 0.1), numpy.empty(model.nu)
    table = numpy.tile(state.q, (n, 1))
    table[:, -1] += 1e-9 * numpy.arange(n)
    rows = list(table)
    def ours():
        start = time.thread_time()
        for q in rows:
            state.q = q
            state.u = u
            state.udot
        return (time.thread_time() - start) / n
    theirs = lambda: other.udot_loop(address(state._state), table.ctypes.data, u.ctypes.data, out.ctypes.data,
                                     model.nq, model.nu, n) / n
    ours, theirs = least(ours, theirs)
    say(f'set q, set u, udot, {what}, over C', ours / theirs, 1.7, f'{ours * 1e6:.2f} us, {theirs * 1e6:.2f} us')


def udot(other):
    path = pathlib.Path(os.environ.get('CARDAN_SHARED', HERE.parent.parent / 'shared')) / 'models/mjcf/humanoid.xml'
    if path.exists(): rates(other, "MuJoCo's humanoid", cardan.load(path))
    rates(other, 'our humanoid', cardan.load(DATA / 'humanoid.xml'))


def ensembles(other):
    """Controls, a step, and new arrays of q and u."""
    for count, n in ((256, 10), (4096, 2)):
        model = cardan.load(DATA / 'quadruped.xml', contact='soft')
        many = cardan.Ensemble(model.state('crouch'), count, vary='controls', method='mujoco-euler', threads=2)
        start, controls, rest = many.q, numpy.zeros((count, 12)), numpy.zeros((count, model.nu))
        q, u = many.q, many.u
        def ours():
            many.q, many.u = start, rest
            begun, cpu = time.monotonic(), time.process_time()
            for _ in range(n):
                many.set_controls(controls)
                many.step(0.002)
                many.q, many.u
            return (time.process_time() - cpu) / n, (time.monotonic() - begun) / n
        def theirs():
            many.q, many.u = start, rest
            begun, cpu = time.monotonic(), time.process_time()
            other.ensemble_loop(address(many._ensemble), controls.ctypes.data, q.ctypes.data, u.ctypes.data, 0.002, n)
            return (time.process_time() - cpu) / n, (time.monotonic() - begun) / n
        (ours, wall), (theirs, walls) = least(ours, theirs)
        say(f'{count} quadrupeds with contact, a step, over C', ours / theirs, 1.05, f'{ours * 1e3:.2f} ms, '
            f'{theirs * 1e3:.2f} ms of the processor; {count / wall:.0f} and {count / walls:.0f} States a second')


def memory(other):
    held = []
    def turn(k):
        model = cardan.Model('pendulum')
        model.add_body('bob', mobilizer='pin', mass=(1, [0, 1, 0], [0.1] * 3))
        model.add_custom_force('own', calc_force=lambda state, add: held and model and None)  # a cycle
        state = model.state()
        state.q, state.udot
        cardan.Ensemble(state, 3) if k % 10 == 0 else None
    for k in range(1000): turn(k)
    gc.collect()
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    start = time.thread_time()
    for k in range(10000): turn(k)
    gc.collect()
    grown = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before
    say('10000 builds and frees, kB more', grown, '0', f'{(time.thread_time() - start) / 10000 * 1e6:.0f} us each')


def interrupts(other):
    worst = 0
    state = cardan.load(DATA / 'quadruped.xml', contact='soft').state('crouch')
    many = cardan.Ensemble(state, 256, method='mujoco-euler', threads=2)
    for run in (lambda: cardan.simulate(DATA / 'humanoid.xml', 1e5, accuracy=1e-9, progress=False),
                lambda: many.step(1e-4, 10 ** 6),
                lambda: cardan.Stepper(state, step=1e-5, method='mujoco-euler').advance(1e4)):
        for _ in range(5):
            sent = []
            def send():
                sent.append(time.monotonic())
                os.kill(os.getpid(), signal.SIGINT)
            threading.Timer(0.3, send).start()
            try: run()
            except KeyboardInterrupt: worst = max(worst, time.monotonic() - sent[0])
    say('Ctrl-C ends a run, s', worst, 0.2, 'the worst of 15')


MEASUREMENTS = {f.__name__: f for f in (imports, calls, udot, ensembles, memory, interrupts)}

if __name__ == '__main__':
    include, library, *names = sys.argv[1:]
    made = peer(include, library)
    for name in names or MEASUREMENTS: MEASUREMENTS[name](made)
