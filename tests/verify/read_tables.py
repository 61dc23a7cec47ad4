"""read_tables.py CARDAN ROOT: what the command writes is what h5py, h5dump, NumPy and pandas read, to the last bit; of a
run that was killed, too. Exits with 77, which means skipped, where h5py or pandas is not there.

Cardan reads what h5py, pandas and NumPy write.
"""
import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time

try:
    import h5py
    import numpy
    import pandas
except ImportError as reason:
    print(f'skipped: {reason}; apt-get install python3-h5py python3-pandas')
    sys.exit(77)

cardan, root = os.path.abspath(sys.argv[1]), pathlib.Path(sys.argv[2]).resolve()
model = str(root / 'examples/models/pendulum.xml')
folder = tempfile.mkdtemp(prefix='cardan-read-')
os.chdir(folder)


def run(*words, code=0):
    done = subprocess.run([cardan, *words], capture_output=True, text=True)
    assert done.returncode == code, f'{words}: {done.returncode}: {done.stderr}'
    return done.stdout + done.stderr


def same(a, b): assert len(a) == len(b) and a.tobytes() == b.tobytes(), 'other numbers'


def check_runs():
    for ending in ('csv', 'h5', 'npz', 'sto'):
        run('simulate', model, '--key', 'small', '--duration', '1', '-o', 'run.' + ending, '--quiet')
    csv = numpy.genfromtxt('run.csv', delimiter=',', names=True, deletechars='')
    file = h5py.File('run.h5')
    rows, packed = file['table'][:], numpy.load('run.npz')
    assert rows.dtype.names == csv.dtype.names == packed['table'].dtype.names
    for name in rows.dtype.names:
        same(rows[name], csv[name])
        same(rows[name], packed['table'][name])
    head = open('run.sto').read().split('endheader')[0].count('\n') + 1
    storage = pandas.read_csv('run.sto', sep='\t', skiprows=head, float_precision='round_trip')
    assert list(storage.columns) == list(rows.dtype.names) and len(storage) == len(rows)
    for name in storage.columns: same(storage[name].to_numpy(), rows[name])
    assert re.search(r'^nRows=101 *$', open('run.sto').read(), re.M)
    assert list(pandas.DataFrame(rows).columns) == list(csv.dtype.names)
    kept = file['table'].attrs
    assert list(kept['units'][:3]) == ['s', 'rad', 'rad'] and list(packed['units'][:3]) == ['s', 'rad', 'rad']
    assert kept['model'] == model and '"steps"' in kept['certificate'] and str(packed['model']) == model
    assert file.libver[0] == 'earliest'
    assert b'"time"' in subprocess.run(['h5dump', '-H', 'run.h5'], capture_output=True, check=True).stdout


def check_others():
    """Files of others."""
    t = numpy.linspace(0, 1, 50)
    with h5py.File('theirs.h5', 'w') as f:
        table = numpy.zeros(50, dtype=[('time', '<f8'), ('small', '>f4'), ('count', '<i2')])
        table['time'], table['small'], table['count'] = t, numpy.sin(t), numpy.arange(50)
        f.create_dataset('table', data=table, compression='gzip')
    with h5py.File('matrix.h5', 'w') as f:
        f['table'] = numpy.stack([t, numpy.sin(t).astype('f4'), numpy.arange(50)], axis=1)
        f['columns'] = ['time', 'small', 'count']
    numpy.savez('theirs.npz', time=t, small=numpy.sin(t).astype('f4'), count=numpy.arange(50))
    numpy.savez_compressed('packed.npz', small=numpy.sin(t).astype('f4'), count=numpy.arange(50, dtype='u1'), time=t)
    for other in ('matrix.h5', 'theirs.npz', 'packed.npz'):
        assert 'equal to the last bit: 2 quantities at 50 times' in run('compare', 'theirs.h5', other), other
    with h5py.File('strange.h5', 'w') as f: f['numbers'] = t
    assert "no dataset 'table'" in run('plot', 'strange.h5', code=3)
    with h5py.File('words.h5', 'w') as f: f['table'] = numpy.array([(b'a', 1.)], dtype=[('name', 'S1'), ('x', '<f8')])
    assert "'name' holds no numbers" in run('plot', 'words.h5', code=3)
    with h5py.File('latest.h5', 'w', libver='latest') as f: f['table'] = table
    assert 'equal to the last bit' in run('compare', 'theirs.h5', 'latest.h5')


def check_rollouts():
    """States of many runs, as an array and as tables."""
    pathlib.Path('arm.xml').write_text("<mujoco><worldbody><body><joint name='elbow'/><geom size='0.1' mass='1'/></body>"
                                       "</worldbody><actuator><motor name='pull' joint='elbow'/></actuator></mujoco>")
    with h5py.File('plans.h5', 'w') as f:
        f['table'] = numpy.array([(k // 5, k / 10) for k in range(20)], dtype=[('run', '<f8'), ('pull', '<f8')])
    for ending in ('npy', 'h5', 'csv'):
        run('rollout', 'arm.xml', '--controls', 'plans.h5', '--step', '0.01', '-o', 'states.' + ending, '--quiet')
    states, rows = numpy.load('states.npy'), h5py.File('states.h5')['table'][:]
    assert states.shape == (4, 6, 3) and rows.dtype.names == ('run', 'time', 'elbow.q', 'elbow.u')
    same(numpy.stack([rows[name] for name in rows.dtype.names[1:]], axis=1), states.reshape(24, 3))
    assert list(rows['run']) == [k // 6 for k in range(24)]
    same(numpy.genfromtxt('states.csv', delimiter=',', names=True, deletechars='')['elbow.q'], rows['elbow.q'])


def check_poses():
    """Poses of bodies."""
    for ending in ('csv', 'h5', 'npz'): run('export', model, 'run.h5', '-o', 'poses.' + ending, '--quiet')
    rows, packed = h5py.File('poses.h5')['table'], numpy.load('poses.npz')['table']
    csv = numpy.genfromtxt('poses.csv', delimiter=',', names=True, deletechars='')
    assert rows.dtype.names == csv.dtype.names and list(rows.attrs['units'][:5]) == ['s', 'm', 'm', 'm', '1']
    for name in csv.dtype.names:
        same(rows[name], csv[name])
        same(packed[name], csv[name])


def check_killed():
    """After kill -9 the file opens, and has the first rows of the run."""
    common = ['simulate', model, '--key', 'small', '--duration', '2000', '--report', '1e-3', '--no-companion',
              '--accuracy', '1e-3', '--quiet']
    child = subprocess.Popen([cardan, *common, '-o', 'killed.h5'])
    while not os.path.exists('killed.h5') or os.path.getsize('killed.h5') < 2000000: time.sleep(0.01)
    child.send_signal(signal.SIGKILL)
    child.wait()
    rows = h5py.File('killed.h5')['table'][:]
    assert len(rows) > 10000 and numpy.array_equal(rows['time'], numpy.arange(len(rows)) * 1e-3)
    subprocess.run(['h5dump', '-d', 'table', '-c', '1', 'killed.h5'], capture_output=True, check=True)
    energy = rows['kinetic_energy'] + rows['potential_energy']
    assert abs(energy - energy[0]).max() < 1e-2 * abs(energy[0])


check_runs()
check_others()
check_rollouts()
check_poses()
check_killed()
shutil.rmtree(folder)
print('what is written is read')
