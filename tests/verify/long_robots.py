#!/usr/bin/env python3
"""Models that people bring, for one second of motion, under the command's defaults.

    long_robots.py CARDAN FOLDER

Each URDF of FOLDER/robots and FOLDER/urdf runs as it is, floating, and floating above a plane; each file of FOLDER/mjcf as
it is, and above a plane. A line each: seconds of processor, evaluations, the energy residual in units of the accuracy, the verdict.
Ends with 1 if a run does not deliver what was asked, or if its energy residual is above ten accuracies. Runs that take more
than two seconds of processor are marked. Without the folder nothing runs, and it ends with 77.
"""
import json
import pathlib
import resource
import subprocess
import sys
import tempfile

program, folder = sys.argv[1], pathlib.Path(sys.argv[2])
MOST_SECONDS, LIMIT = 2, 300
if not folder.is_dir():
    print(f'skipped: there is no folder {folder} of models')
    sys.exit(77)


def spent():
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


def run(path, options):
    """Processor seconds, and the summary of the run; None: it did not end, or has none."""
    with tempfile.NamedTemporaryFile(suffix='.json') as summary:
        before = spent()
        try:
            subprocess.run([program, 'simulate', path, '--duration', '1', '--quiet', '--summary', summary.name, *options],
                           stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, timeout=LIMIT)
            found = json.loads(pathlib.Path(summary.name).read_text())
        except (subprocess.TimeoutExpired, ValueError):
            found = None
        return spent() - before, found


urdf = sorted({*folder.glob('robots/**/*.urdf'), *folder.glob('urdf/*.urdf')})
cases = [(path, how) for path in urdf for how in ('', '--floating-base', '--floating-base --ground')]
cases += [(path, how) for path in sorted(folder.glob('mjcf/*.xml')) for how in ('', '--ground')]
wrong = slow = 0
print('  seconds  evaluations  energy residual  model')
for path, how in cases:
    seconds, found = run(path, how.split())
    # where nothing moves there is no energy in motion to compare with
    moved = abs(found['energy_final'] - found['energy_initial']) + abs(found['work']) if found else 0
    residual = abs(found['energy_residual']) / found['accuracy'] if moved > 1e-12 else 0.0
    delivered = bool(found) and not found['failed'] and found['delivered'] is True
    slow += seconds > MOST_SECONDS
    bad = not delivered or not residual <= 10
    wrong += bad
    print(f'{seconds:9.2f}{"*" if seconds > MOST_SECONDS else " "}{found["evaluations"] if found else 0:12d}{residual:17.2g}  '
          f'{path.relative_to(folder)} {how}{"  WRONG: " if bad else "  "}{found["verdict"] if found else "no end"}', flush=True)
print(f'{len(cases)} runs, {slow} take more than {MOST_SECONDS} s (*), {wrong} are wrong')
sys.exit(1 if wrong else 0)
