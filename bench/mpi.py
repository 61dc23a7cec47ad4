"""mpi.py CARDAN_MPI MODEL [CASES]: how much faster two ranks run a study than one, within the machine and over TCP.

Prints wall time and processor time of all ranks, without the start of MPI, which a study of one case measures. Ratios of
wall time mean something where two processors are free. Ratios of processor time do so on a busy machine as well: a rank
that waits for another one turns in MPI meanwhile, so its waiting is counted."""
import json
import os
import pathlib
import resource
import shutil
import subprocess
import sys
import tempfile
import time

program, model = (pathlib.Path(a).resolve() for a in sys.argv[1:3])
cases = int(sys.argv[3]) if len(sys.argv) > 3 else 2000
ENV = {**os.environ, "OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
       "OMPI_MCA_rmaps_base_oversubscribe": "1"}
folder = pathlib.Path(tempfile.mkdtemp())


def run(n, ranks, btl):
    """Wall time, processor time, what the summary says of the ranks."""
    path = folder / "study.json"
    path.write_text(json.dumps({
        "cardan study": 1, "model": str(model), "cases": n, "block": 20, "duration": 1, "accuracy": 1e-5,
        "vary": {"shoulder.q": {"uniform": [-1, 1]}}, "keep": {"end": ["elbow.q"]}}))
    shutil.rmtree(path.with_suffix(".sweep"), ignore_errors=True)
    before, began = resource.getrusage(resource.RUSAGE_CHILDREN), time.monotonic()
    done = subprocess.run(["mpirun", "-n", str(ranks), program, path], capture_output=True, text=True,
                          env={**ENV, **({"OMPI_MCA_btl": btl} if btl else {})})
    wall, after = time.monotonic() - began, resource.getrusage(resource.RUSAGE_CHILDREN)
    if done.returncode: sys.exit(done.stderr)
    used = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return wall, used, done.stdout.split("each ran ")[-1].split(" cases")[0]


print(f"{cases} cases; processors here: {os.cpu_count()}, load before: {os.getloadavg()[0]:.1f}")
for btl in ("", "tcp,self"):
    walls, times = {}, {}
    for ranks in (1, 2):
        starts = [run(1, ranks, btl) for _ in range(3)]
        wall, used, share = run(cases, ranks, btl)
        walls[ranks], times[ranks] = wall - min(s[0] for s in starts), used - min(s[1] for s in starts)
        print(f"{btl or 'memory':9} {ranks} ranks: {walls[ranks]:7.2f} s; {1e3 * times[ranks] / cases:6.2f} ms of "
              f"processor time a case; cases of a rank: {share}")
    print(f"{btl or 'memory':9} two ranks are {walls[1] / walls[2]:.2f} times as fast as one, "
          f"{2 * times[1] / times[2]:.2f} times by processor time")
shutil.rmtree(folder)
