"""mpi.py CARDAN CARDAN_MPI ROOT: studies over the ranks of MPI jobs give the bytes that `cardan sweep` gives, for any
number of ranks, over shared memory and over TCP, with ranks killed at random. Skipped where there is no mpirun."""
import json
import os
import pathlib
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time

cardan, cardan_mpi, root = (pathlib.Path(a).resolve() for a in sys.argv[1:4])
MPIRUN = shutil.which("mpirun")
if not MPIRUN:
    print("skipped: there is no mpirun here (Debian: openmpi-bin)")
    sys.exit(77)
folder = pathlib.Path(tempfile.mkdtemp(prefix="cardan-mpi-"))
mistakes = []
# OpenMPI refuses root, and more ranks than processors, unless it is told. What it keeps until the program ends is in
# modules that are gone by then: LeakSanitizer cannot be told to leave them out.
ENV = {**os.environ, "ASAN_OPTIONS": os.environ.get("ASAN_OPTIONS", "") + ":detect_leaks=0",
       "OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
       "OMPI_MCA_rmaps_base_oversubscribe": "1", "OMPI_MCA_hwloc_base_binding_policy": "none"}
TCP = {"OMPI_MCA_btl": "tcp,self"}
MOST = 120 # s that a job may take


def study(name, block, cases, duration):
    """A file of a study of the falling arm, whose cases are as long as their duration says."""
    path = folder / f"{name}.json"
    path.write_text(json.dumps({
        "cardan study": 1, "model": str(root / "examples/models/arm.urdf"), "seed": 3, "cases": cases, "block": block,
        "vary": {"shoulder.q": {"uniform": [-1, 1]}, "body/wrist_plate/mass": {"normal": [0.5, 0.05]}},
        "duration": duration, "accuracy": 1e-5, "keep": {"end": ["elbow.q"], "max": ["kinetic energy"]}}))
    return path


def results(path):
    return path.with_suffix(".sweep")


def job(path, ranks, more=None, quiet=False):
    return subprocess.Popen([MPIRUN, "-n", str(ranks), cardan_mpi, path] + ["--quiet"] * quiet, env={**ENV, **(more or {})},
                            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def run(path, ranks, more=None, quiet=False, code=0):
    """What a job prints on its two streams, once it has ended with this code."""
    started = job(path, ranks, more, quiet)
    try:
        out, err = started.communicate(timeout=MOST)
    except subprocess.TimeoutExpired:
        started.kill()
        sys.exit(f"{path.name}: {ranks} ranks did not end within {MOST} s")
    if started.returncode != code:
        mistakes.append(f"{path.name}, {ranks} ranks: ended with {started.returncode}, not {code}:\n{out}{err}")
    return out, err


def gathered(path):
    to = path.with_suffix(".csv")
    done = subprocess.run([cardan, "sweep", path, "--gather", to], capture_output=True, text=True)
    if done.returncode: mistakes.append(f"{path.name}: not gathered: {done.stderr}")
    return to.read_bytes() if to.exists() else None


def ranks_of(mpirun):
    """Processes of this job that run the program."""
    found = []
    for entry in pathlib.Path("/proc").glob("[0-9]*"):
        try:
            if int((entry / "stat").read_text().rsplit(")", 1)[1].split()[1]) == mpirun.pid and \
                    os.readlink(entry / "exe") == str(cardan_mpi):
                found.append(int(entry.name))
        except OSError:
            pass
    return found


def wait_for(mpirun, what, there):
    """Until it is so; a job that ends before has done too little."""
    end = time.monotonic() + MOST
    while not there():
        if mpirun.poll() is not None or time.monotonic() > end:
            out, err = mpirun.communicate(timeout=MOST)
            sys.exit(f"{what}: the job ended before, or waited too long:\n{out}{err}")
        time.sleep(0.002)


def end(mpirun, what):
    """A job that is being ended does end, and says by its code that it was."""
    try:
        mpirun.communicate(timeout=MOST)
    except subprocess.TimeoutExpired:
        mpirun.kill()
        sys.exit(f"{what}: the job went on")
    if mpirun.returncode == 0: mistakes.append(f"{what}: the code of the job is 0")


def blocks(path):
    return [p for p in results(path).glob("block-*.csv") if ".begun" not in p.name]


def crashed(path):
    """Files that tell of a crash, and what they say."""
    texts = {p: p.read_text() for p in results(path).glob("block-*.begun.csv")}
    return {p: text for p, text in texts.items() if text.split()[-1:] != ["stop"]}


def same_whatever_ranks():
    path = study("ranks", 4, 96, 0.2)
    if subprocess.run([cardan, "sweep", path, "--quiet"]).returncode: sys.exit("cardan sweep failed")
    expected = gathered(path)
    for ranks, more in ((1, None), (2, None), (4, None), (2, TCP)):
        shutil.rmtree(results(path))
        out, _ = run(path, ranks, more)
        if gathered(path) != expected: mistakes.append(f"{ranks} ranks give other bytes than cardan sweep")
        if "96 of 96 cases" not in out or f"ranks          {ranks}, each ran" not in out:
            mistakes.append(f"{ranks} ranks: the summary is\n{out}")
    out, _ = run(path, 2, quiet=True)
    if out: mistakes.append(f"--quiet prints {out!r}")


def nobody_starves_over_tcp():
    path = study("tcp", 2, 80, 0.5)
    out, _ = run(path, 2, TCP)
    least = int(out.split("each ran ")[1].split()[0])
    if least < 12: mistakes.append(f"over TCP one of two ranks ran {least} of 80 cases")


def kill(path, ranks, more, all_of_them, chance):
    """Whether a rank of a job has been killed, or all ranks. They are not where one may run a case that was killed
    before: such a case would be recorded as one that crashes. All ranks stand still meanwhile."""
    before, had, wanted = crashed(path), len(blocks(path)), chance.randint(1, 4)
    started = job(path, ranks, more)
    while started.poll() is None and len(blocks(path)) < had + wanted: time.sleep(0.002)
    pids = ranks_of(started)
    for pid in pids: os.kill(pid, signal.SIGSTOP)
    good = len(pids) == ranks and all(p.exists() and p.read_text() == text for p, text in before.items())
    for pid in (pids if all_of_them else chance.sample(pids, 1)) if good else []: os.kill(pid, signal.SIGKILL)
    for pid in pids:
        try: os.kill(pid, signal.SIGCONT)
        except ProcessLookupError: pass
    if good: end(started, "a rank is killed")
    else: started.communicate(timeout=MOST)
    return good


def same_whatever_is_killed():
    path, chance = study("killed", 2, 96, 1), random.Random()
    if subprocess.run([cardan, "sweep", path, "--quiet"]).returncode: sys.exit("cardan sweep failed")
    expected = gathered(path)
    shutil.rmtree(results(path))
    left = [(2, None, False), (4, None, True), (2, TCP, False), (2, None, False)]
    while left:
        if kill(path, *left[0], chance):
            left.pop(0)
            continue
        run(path, 2)
        for block in chance.sample(blocks(path), 30): block.unlink() # nothing is left to do: there is again
    run(path, 4) # with some cases that are suspected
    if gathered(path) != expected: mistakes.append("a study whose ranks were killed has other bytes")


def marks(path):
    """What stands in the file beside the only block: which of its cases were begun."""
    mark = results(path) / "block-000000.begun.csv"
    return mark.read_text().split() if mark.exists() else []


def end_in_first_case(path, how):
    """A job is started, and its rank gets a signal while it runs case 0."""
    runs = marks(path).count("run")
    started = job(path, 1)
    wait_for(started, how.name, lambda: marks(path).count("run") > runs and marks(path)[-1] == "0")
    os.kill(ranks_of(started)[0], how)
    end(started, how.name)


def crashes_are_recorded_and_signals_are_none():
    path = study("crashes", 2, 2, 12)
    for _ in range(3):
        end_in_first_case(path, signal.SIGTERM)
        if marks(path)[-1] != "stop": mistakes.append(f"SIGTERM counts as a crash: {marks(path)}")
    for _ in range(2): end_in_first_case(path, signal.SIGKILL)
    out, _ = run(path, 1)
    if "2 of 2 cases" not in out or "first: case 0" not in out or "failed         1" not in out:
        mistakes.append(f"a case that was killed twice is not recorded:\n{out}")


def bad_studies_are_told_once():
    path = folder / "bad.json"
    path.write_text('{ "cardan study": 1, "modell": "arm.urdf" }')
    _, err = run(path, 2, code=3)
    if err.count("modell") != 1: mistakes.append(f"a bad study is told as\n{err}")
    path = study("unwritable", 1, 4, 0.1)
    results(path).write_text("no folder")
    _, err = run(path, 2, code=4)
    if err.count("rank ") < 1: mistakes.append(f"a folder that cannot be made is told as\n{err}")


for check in (same_whatever_ranks, nobody_starves_over_tcp, same_whatever_is_killed,
              crashes_are_recorded_and_signals_are_none, bad_studies_are_told_once):
    began = time.monotonic()
    check()
    if os.environ.get("CARDAN_TEST_VERBOSE"): print(f"{time.monotonic() - began:6.2f} s {check.__name__}")
shutil.rmtree(folder)
print("\n".join(mistakes) or "studies over MPI give the bytes of cardan sweep")
sys.exit(bool(mistakes))
