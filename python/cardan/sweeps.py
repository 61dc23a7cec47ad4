"""Sweeps: studies of many cases of one model, run by threads, processes or clusters."""
from __future__ import annotations

import os
import threading

import numpy

from ._low import Working, doubles, encode, ffi, lib, text
from .errors import LimitError, callback, check
from .structs import Record, Writer, read
from .tables import Table, in_a_file, read_table

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Dict, List, Mapping, Optional, Union

    from ._methods import Array, Path


class Sweep(Working):
    """A study: a file in JSON (docs/sweeps.md), or what such a file says, as a dict. `path` stands for the file of a
    dict: paths in it are relative to its folder, and the folder of results is beside it.

    Nothing is run yet: `run` does it. `values`, `table`, `status` and `gather` tell of what has been run, by whom ever.
    """

    path: str
    count: int   # of cases
    blocks: int  # pieces of work

    def __init__(self, study: Union[Path, Mapping[str, Any]], path: Path = 'study.json') -> None:
        if hasattr(study, 'keys'):
            import json
            return self._load(json.dumps(study).encode(), path)
        with open(os.fsdecode(encode(study)), 'rb') as file: self._load(file.read(), study)

    def _load(self, study, path):
        self._text, self.path, out = study, os.path.abspath(os.fsdecode(encode(path))), ffi.new('cdn_sweep **')
        check(lib.cdn_sweep_load_string(study, len(study), encode(self.path), out))
        self._sweep = ffi.gc(out[0], lib.cdn_sweep_destroy)
        self.count, self.blocks = lib.cdn_sweep_case_count(self._sweep), lib.cdn_sweep_block_count(self._sweep)

    # ---- what there is to run

    @property
    def variables(self) -> List[str]:
        """The names of what varies."""
        return self._names('variable', lib.cdn_sweep_variable_name)

    @property
    def columns(self) -> List[str]:
        """The names of the numbers that each case has in the results."""
        return self._names('column', lib.cdn_sweep_column_name)

    def _names(self, kind, name):
        return [text(name(self._sweep, i)) for i in range(getattr(lib, f'cdn_sweep_{kind}_count')(self._sweep))]

    @property
    def folder(self) -> str:
        """The folder of results."""
        return text(lib.cdn_sweep_folder(self._sweep))

    def case(self, k: int) -> Dict[str, float]:
        """What case k has for each variable."""
        made = numpy.empty(len(self.variables))
        check(lib.cdn_sweep_values(self._sweep, k, doubles(made)))
        return dict(zip(self.variables, made.tolist()))

    def run_case(self, k: int) -> Dict[str, float]:
        """Runs case k here and now, without files: its row of the results by column. `message`: why it has failed."""
        made = numpy.empty(len(self.columns))
        check(lib.cdn_sweep_run_case(self._sweep, k, doubles(made)))
        return dict(zip(self.columns, made.tolist()))

    @property
    def message(self) -> str:
        """Why the last case that run_case ran has failed, or ""."""
        return text(lib.cdn_sweep_message(self._sweep))

    @property
    def missing(self) -> List[int]:
        """The blocks that are not there yet; those in which a program crashed come last."""
        room, count = ffi.new('int64_t[]', self.blocks or 1), ffi.new('int64_t *')
        check(lib.cdn_sweep_missing(self._sweep, 0, 1, self.blocks, room, count))
        return ffi.unpack(room, count[0]) if count[0] else []

    # ---- running

    def run(self, executor: Any = None, progress: Optional[bool] = None) -> Sweep:
        """Runs the blocks that are missing, and returns the sweep. executor: anything with the `submit` of
        concurrent.futures; None: as many threads as there are processors. Ctrl-C ends it; what is missing then runs at
        the next call. progress: a line on a terminal (default: if there is one)."""
        import concurrent.futures
        import sys
        own = executor is None
        if own: executor = concurrent.futures.ThreadPoolExecutor(processors())
        if not hasattr(executor, 'submit'): raise TypeError(f'an executor has submit, unlike {executor!r}')
        progress = sys.stderr.isatty() if progress is None else progress
        token, waiting = os.urandom(16), set()
        try:
            for k in self.missing: waiting.add(executor.submit(run_block, self._text, self.path, token, k))
            while waiting:
                done, waiting = concurrent.futures.wait(waiting, 0.2, concurrent.futures.FIRST_COMPLETED)
                for each in done: each.result()
                if progress: self._show(sys.stderr, len(waiting))
        finally:
            if waiting: self._stop(token, waiting)
            if own: executor.shutdown()
            if progress: print('\r\033[K', end='', file=sys.stderr)
        return self

    def _show(self, file, waiting):
        print(f'\r{os.path.basename(self.path)}: {self.blocks - waiting} of {self.blocks} blocks ', end='', file=file)

    def _stop(self, token, waiting):
        """Ends what threads of this process are running; other processes end the blocks that they have begun."""
        for each in waiting: each.cancel()
        with _lock:
            _stopped.add(token)
            for sweep in _running.get(token, ()): lib.cdn_sweep_interrupt(sweep._sweep)

    # ---- results

    @property
    def status(self) -> Record:
        """Where it stands: members of cdn_sweep_report, and `reasons`, a list of (words, how many, the first case) of
        those that failed."""
        out = ffi.new('cdn_sweep_report *')
        check(lib.cdn_sweep_status(self._sweep, out))
        found = {name: value for name, value in vars(read(out[0])).items() if not name.startswith(('reason', 'n_'))}
        words = lambda i: text(lib.cdn_sweep_status_text(out.reason[i]))
        return Record({**found, 'reasons': [(words(i), out.reason_count[i], out.reason_case[i])
                                            for i in range(out.n_reasons)]})

    def gather(self, path: Path) -> None:
        """Writes one table of all cases; the ending of the path says the format. LimitError: blocks are missing."""
        check(lib.cdn_sweep_gather(self._sweep, encode(path)))

    @property
    def table(self) -> Table:
        """The results: a row for each case."""
        import tempfile
        with tempfile.TemporaryDirectory() as folder: return read_table(in_a_file(self.gather, folder))

    @property
    def values(self) -> Dict[str, Array]:
        """The results: an array for each column, with a number for each case; NaN where there is none."""
        table = self.table
        return {name: numpy.array(table.values[:, i]) for i, name in enumerate(table.names)}

    def __len__(self) -> int: return self.count

    def __repr__(self) -> str:
        return f'<cardan.Sweep {os.path.basename(self.path)!r}: {self.count} cases in {self.blocks} blocks>'


# ---- where blocks run: a thread has a sweep of its own

def processors():
    """How many processors this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, 'sched_getaffinity') else os.cpu_count() or 1


_own, _lock = threading.local(), threading.Lock()
_running, _stopped = {}, set()  # sweeps by the token of their run; tokens of runs that have ended early


@callback
def cardan_cdn_sweep_run_def_between(context, block, done, cases):
    """Between two cases Python hears of Ctrl-C, in the main thread of a worker."""
    return lib.CDN_OK


def run_block(study, path, token, k):
    """What an executor runs, in this process or another one: block k."""
    if getattr(_own, 'token', None) != token:
        _own.token, _own.sweep = token, Sweep.__new__(Sweep)
        _own.sweep._load(study, path)
    with _lock:
        if token in _stopped: return k
        _running.setdefault(token, set()).add(_own.sweep)
    try:
        how = Writer(ffi.NULL).filled('cdn_sweep_run_def', {'between': cardan_cdn_sweep_run_def_between})
        check(lib.cdn_sweep_run_block(_own.sweep._sweep, k, how))
    except LimitError:
        if token not in _stopped: raise
    finally:
        with _lock: _running[token].discard(_own.sweep)
    return k


def sweep(study: Union[Path, Mapping[str, Any]], executor: Any = None, *, path: Path = 'study.json',
          progress: Optional[bool] = None) -> Sweep:
    """Runs all cases of a study that are not there yet, and returns the Sweep: `values`, `status`, `gather(path)`.

    study: the path of a file, or its contents as a dict, for whose file `path` stands. executor: anything with the
    `submit` of concurrent.futures: a ProcessPoolExecutor, a ThreadPoolExecutor, Dask's client.get_executor(),
    mpi4py.futures; None: threads of this process. All of them and `cardan sweep` leave the same bytes.
    """
    return Sweep(study, path).run(executor, progress)
