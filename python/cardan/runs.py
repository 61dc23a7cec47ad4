"""Runs under error control, and what they deliver."""
from __future__ import annotations

import math
import os
import sys
import time
from typing import NamedTuple

import numpy

from ._low import Working, doubles, ffi, lib, text, version, within
from .columns import Columns
from .errors import FileError, callback, check, failure_of, failure_of_run
from .inputs import Inputs
from .models import Model, html_table, load
from .states import PassingState, State
from .structs import Record, read, unknown
from .tables import Table, TableWriter

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Callable, Dict, List, Mapping, Optional, Union

    from ._methods import Array, Numbers, Path

METHODS = {text(lib.cdn_method_name(i)): i for i in range(lib.CDN_METHOD_COUNT)}


class Certificate(Record):
    """What a run says of its own accuracy: every member of cdn_certificate is an attribute. `verdict` says it in a
    sentence; `delivered` is "delivered", "not_delivered" or "unknown"."""

    verdict: str
    delivered: str
    suggestion: float

    def __init__(self, certificate):
        self.__dict__.update(read(certificate).__dict__)
        room = ffi.new('char[1024]')
        lib.cdn_certificate_verdict(ffi.addressof(certificate), room, 1024)
        self.verdict = text(room)
        self.suggestion = lib.cdn_certificate_suggestion(ffi.addressof(certificate))

    def __repr__(self):
        return f'<cardan.Certificate: {self.verdict}>'

    def _repr_html_(self):
        return html_table(self.verdict, ('member', 'value'), self.__dict__.items())


def method_of(name: str) -> int:
    if name not in METHODS: raise ValueError(f'{unknown("method", name, METHODS)}: {", ".join(METHODS)}')
    return METHODS[name]


def positive(value, what, unit):
    """A finite number above 0."""
    if isinstance(value, bool) or not isinstance(value, (int, float, numpy.number)):
        raise TypeError(f'{what}: a number is needed ({unit}), not {value!r}')
    if not 0 < value < math.inf: raise ValueError(f'{what}: a positive number is needed ({unit}), not {value!r}')
    return float(value)


class Event(NamedTuple):
    """What rigid contact, a limit or dry friction did at one moment. change: "touches", "lets go", "bounces", "is hit";
    of friction "sticks", "slips", "ends", "rubs". impulse: N s or N m s; energy: what it took, J."""

    time: float
    element: str
    change: str
    impulse: float
    energy: float


class _Events:
    """The events of one attempt."""

    def __init__(self): self.found, self.moments = [], 0.0

    @staticmethod
    def are_there(state):
        """Whether the System of a cdn_state has elements that make events."""
        system = lib.cdn_state_system(state)
        return lib.cdn_system_one_sided_count(system) + lib.cdn_system_dry_friction_count(system) > 0

    def note(self, state):
        """The last moment of a cdn_state, unless it is known."""
        moments = lib.cdn_hybrid_get_totals(state).moments
        if moments == self.moments: return
        self.moments, system = moments, lib.cdn_state_system(state)
        for kind in ('one_sided', 'dry_friction'):
            change = getattr(lib, f'cdn_{kind}_get_change')
            for i in range(getattr(lib, f'cdn_system_{kind}_count')(system)):
                what = change(state, [i])
                if what.what == ffi.NULL: continue
                impulse = math.hypot(*what.impulse)
                self.found.append(Event(what.time, text(what.element), text(what.what), impulse, what.energy))


def _definition(accuracy, step, method, max_step, companion):
    d = ffi.new('cdn_stepper_def *', lib.cdn_default_stepper_def())
    d.accuracy, d.companion = positive(accuracy, 'accuracy', 'such as 1e-4'), companion
    d.max_steps = 16  # Python looks for interrupts in between
    if step is not None: d.fixed_step = positive(step, 'step', 's')
    if max_step is not None: d.max_step = positive(max_step, 'max_step', 's')
    if method is not None: d.method = method_of(method)
    return d


class Stepper(Working):
    """A run that a program advances: `run.advance(t)`, then `run.state`. Starts from a copy of `state`.

    accuracy: of the run up to final_time (or of each step, if that is infinite). step: equal steps of this size, s,
    without error control. method: as `cardan simulate --method`. companion: a second run tells the error.
    """

    state: State
    step_size: Optional[float]  # of equal steps, s

    def __init__(self, state: State, *, accuracy: float = 1e-4, step: Optional[float] = None,
                 method: Optional[str] = None, max_step: Optional[float] = None, final_time: Optional[float] = None,
                 companion: bool = False) -> None:
        if not isinstance(state, State): raise TypeError('a run starts from a cardan.State')
        definition = _definition(accuracy, step, method, max_step, companion)
        if final_time is not None: definition.final_time = final_time
        definition.return_on_events = _Events.are_there(state._state)
        out = ffi.new('cdn_stepper **')
        if lib.cdn_stepper_create(state._state, definition, out): raise state._failure()
        self._stepper, self.step_size = ffi.gc(out[0], lib.cdn_stepper_destroy), step
        self._advance, self._events = lib.cdn_stepper_advance, _Events()
        self.state = State._of(state.model, within(lib.cdn_stepper_state(self._stepper), self._stepper))

    @property
    def time(self) -> float:
        """The time, s."""
        return self.state.time

    @property
    def stopped(self) -> bool:
        """Whether the handler of an event has stopped the run."""
        return lib.cdn_stepper_is_stopped(self._stepper)

    def advance(self, t: float, pause: Optional[Callable[[State], Any]] = None) -> None:
        """Advances to time t, s. An interrupt (Ctrl-C) ends it within a moment: the State is at the last step then.
        pause: called with the State every few steps."""
        reason, state = ffi.new('cdn_return_reason *'), lib.cdn_stepper_state(self._stepper)
        while (status := self._advance(self._stepper, t, reason)) == lib.CDN_ERR_LIMIT or \
                not status and reason[0] == lib.CDN_HANDLED_EVENT:
            self._events.note(state)
            if pause: pause(self.state)
        self._events.note(state)
        if status: raise failure_of_run(self._stepper, status)
        check(status)

    @property
    def events(self) -> List[Event]:
        """What rigid contact, limits and dry friction have done so far."""
        return list(self._events.found)

    def __repr__(self) -> str: return f'<cardan.Stepper of {self.state.model.name!r} at t = {self.time:g} s>'

    def step(self) -> None:
        """Takes one accepted step; the State is at its end then."""
        if status := lib.cdn_stepper_step(self._stepper, math.inf): raise failure_of_run(self._stepper, status)
        self._events.note(lib.cdn_stepper_state(self._stepper))
        check(status)

    @property
    def certificate(self) -> Certificate:
        """What the run says of its accuracy so far."""
        out = ffi.new('cdn_certificate *')
        check(lib.cdn_stepper_certificate(self._stepper, out))
        return Certificate(out[0])


# ---- whole runs

class _Recorder:
    """What the library calls during a study: rows of the attempt that is under way, and of the best one. The former go
    to a file as they come."""

    def __init__(self, model, progress, duration, output, inputs):
        self.model, self.rows, self.kept, self.output, self.writer = model, [], [], output, None
        self.inputs, self.events, self.kept_events = inputs, _Events(), None
        self.attempt, self.progress, self.duration, self.shown = -1, progress, duration, 0.0

    def row(self, state, attempt=0):
        if attempt != self.attempt:
            self.attempt, self.rows, self.events = attempt, [], _Events()
            if self.output is not None: self.begin()
        self.events.note(state._state)
        self.rows.append(numpy.concatenate(([state.time], state.q, state.u, state.z)))
        if self.writer: self.writer.rows(self.rows[-1])

    def begin(self):
        self.close()
        rows = zip(*[('time', 's'), *self.model.table()])
        self.writer = TableWriter(self.output, *rows)
        self.writer.attributes(_origin(self.model))

    def end(self, run):
        """The run is whole. If another attempt has been kept than that which was written last, it is written."""
        if self.writer is None: return
        if self.kept and self.kept is not self.rows:
            self.begin()
            self.writer.rows(self.kept)
        self.writer.attributes(run.attributes())
        self.close()

    def close(self):
        if self.writer: self.writer.close()

    def drop(self):
        """The run may have failed: what was written is there."""
        if self.writer: self.writer._drop()

    def pause(self, state, attempt=0):
        self.events.note(state._state)
        now = time.monotonic()
        if self.progress and now - self.shown > 0.2:
            self.shown = now
            print(f'\r{self.model.name}: t = {state.time:.4g} of {self.duration:g} s, attempt {attempt + 1} ', end='',
                  file=sys.stderr)

    def state(self, stepper):
        return PassingState(self.model, lib.cdn_stepper_state(stepper))


@callback
def cardan_cdn_deliver_def_report(context, stepper, attempt, row):
    recorder = ffi.from_handle(context)
    with recorder.state(stepper) as state: recorder.row(state, attempt)
    return lib.CDN_OK


@callback
def cardan_cdn_deliver_def_keep(context, attempt):
    recorder = ffi.from_handle(context)
    recorder.kept, recorder.kept_events = recorder.rows, recorder.events
    return lib.CDN_OK


@callback
def cardan_cdn_deliver_def_pause(context, stepper, attempt):
    recorder = ffi.from_handle(context)
    with recorder.state(stepper) as state: recorder.pause(state, attempt)
    return lib.CDN_OK


@callback
def cardan_cdn_deliver_def_advance(context, stepper, attempt, t, reason):
    return ffi.from_handle(context).inputs.advance(stepper, t, reason, attempt)


def simulate(model: Union[Model, Path], duration: float, *, accuracy: float = 1e-4, step: Optional[float] = None,
             method: Optional[str] = None, max_step: Optional[float] = None,
             reports: Union[float, Numbers, None] = None, state: Optional[State] = None, key: Optional[str] = None,
             controls: Union[Mapping[str, float], Table, Path, None] = None, output: Optional[Path] = None,
             progress: Optional[bool] = None) -> Run:
    """Simulates a model for `duration` seconds, and returns the Run.

    accuracy: what is delivered, or the verdict says why not: steps are refined until it is. step: equal steps, s,
    without error control; then nothing is refined. method: as `cardan simulate --method`. reports: times between rows,
    s (default: a hundredth of the run), or an array of times; start and end have rows in any case. state: where it
    starts, which stays as it is; key: a keyframe. controls: values of control inputs by name; or a Table, or its file,
    with a column `time` and columns of controls: a row holds until the next one. output: a file that gets the rows as
    they come (docs/data.md): what is there of a run that is killed can be read; Run.save writes the same. progress: a
    line on a terminal (default: if there is one).
    """
    if isinstance(model, (str, os.PathLike)): model = load(model)
    if isinstance(model, State): raise TypeError('simulate needs a model: simulate(state.model, ..., state=state)')
    if not isinstance(model, Model): raise TypeError('simulate needs a cardan.Model, or the path of a model file')
    if state is not None and not (isinstance(state, State) and (state.model is model or
                                                                state.model.table() == model.table())):
        raise TypeError(f'state: a State of {model.name!r} is needed, not {state!r}')
    duration = positive(duration, 'duration', 's')
    start = State(model, key) if state is None else state.copy()
    inputs = Inputs(controls, start.model) if isinstance(controls, (Table, str, os.PathLike)) else None
    if inputs: inputs.begin(start)
    else:
        for name, value in dict(controls or {}).items(): start.set_control(name, value)
    progress = sys.stderr.isatty() if progress is None else progress
    recorder = _Recorder(start.model, progress, duration, output, inputs)
    end = start.time + duration
    if reports is None: times = numpy.linspace(start.time, end, 101)
    elif numpy.ndim(reports) == 0:
        times = numpy.arange(start.time, end - 1e-9 * duration, positive(reports, 'reports', 's, or a list of times'))
    else: times = numpy.array(reports, dtype=numpy.float64)
    times = times[(times > start.time) & (times < end)]  # start and end are reports as well
    try:
        if step is None:
            run = _delivered(start, _definition(accuracy, None, method, max_step, True), end, times, recorder)
            recorder.end(run)
            return run
        stepper = Stepper(start, accuracy=accuracy, step=step, method=method, max_step=max_step, final_time=end,
                          companion=True)
        if inputs: stepper._advance = inputs.advance
        for t in (start.time, *times, end):
            stepper.advance(t, recorder.pause)
            recorder.row(stepper.state)
        run = Run(start.model, recorder.rows, stepper.state.copy(), stepper.certificate, '')
        run.events = stepper.events
        recorder.end(run)
        return run
    finally:
        recorder.drop()
        if progress: print('\r\033[K', end='', file=sys.stderr)


def _delivered(start, definition, end, times, recorder):
    definition.final_time, definition.return_on_events = end, _Events.are_there(start._state)
    how = ffi.new('cdn_deliver_def *', lib.cdn_default_deliver_def())
    how.times, how.n_times = doubles(times), len(times)
    handle = ffi.new_handle(recorder)
    how.context, how.report = handle, lib.cardan_cdn_deliver_def_report
    how.keep, how.pause = lib.cardan_cdn_deliver_def_keep, lib.cardan_cdn_deliver_def_pause
    if recorder.inputs: how.advance = lib.cardan_cdn_deliver_def_advance
    run, certificate, delivery = ffi.new('cdn_stepper **'), ffi.new('cdn_certificate *'), ffi.new('cdn_delivery *')
    status = lib.cdn_deliver(start._state, definition, how, run, certificate, delivery)
    stepper = ffi.gc(run[0], lib.cdn_stepper_destroy) if run[0] != ffi.NULL else None
    if status and stepper is not None: raise failure_of_run(stepper, status)
    if status: raise failure_of('cdn_state', start._state, status)
    check(status)
    final = State(start.model)
    check(lib.cdn_state_copy(final._state, lib.cdn_stepper_state(stepper)))
    made = Run(start.model, recorder.kept or recorder.rows, final, Certificate(certificate[0]), text(delivery.message))
    made.events = (recorder.kept_events or recorder.events).found
    return made


def _origin(model):
    """What made a table."""
    made = {'cardan': version(), 'system': model.name}
    return {**made, 'model': model.path} if model.path else made


class Run:
    """A run: `time` (K), `q`, `u`, `z` (K x n, columns by name), its last `state`, its `certificate`, and `verdict`;
    `events`: what rigid contact, limits and dry friction did, a cardan.Event each.

    Run.of(model, time, q, u, z) makes one of arrays: of a recording, or of one State of an ensemble.
    """

    model: Model
    time: Array
    q: Columns
    u: Columns
    z: Columns
    state: State
    certificate: Any  # a Certificate; None if nothing is known
    message: str
    events: List[Event]

    def __init__(self, model, rows, state, certificate, message):
        self.events = []
        table = numpy.array(rows, dtype=numpy.float64).reshape(len(rows), 1 + model.nq + model.nu + model.nz)
        self.model, self.state, self.certificate, self.message = model, state, certificate, message
        self.time = table[:, 0].copy()
        ends = numpy.cumsum([1, model.nq, model.nu, model.nz])
        for pool, first, end in zip('quz', ends, ends[1:]):
            setattr(self, pool, Columns(table[:, first:end].copy(), model.slots(pool), model.units(pool)))

    @classmethod
    def of(cls, model: Model, time: Numbers, q: Any, u: Any = None, z: Any = None) -> Run:
        """A Run of K times and of K x nq, K x nu and K x nz arrays (u, z: zeros unless they are given). Nothing is
        known of its accuracy: it has no certificate."""
        if not isinstance(model, Model): raise TypeError('a run is one of a cardan.Model')
        parts = [numpy.reshape(time, (-1, 1))]
        for pool, given, n in (('q', q, model.nq), ('u', u, model.nu), ('z', z, model.nz)):
            part = numpy.zeros((len(parts[0]), n)) if given is None else numpy.asarray(given, dtype=numpy.float64)
            if part.shape != (len(parts[0]), n):
                raise ValueError(f'{pool}: shape {(len(parts[0]), n)} is needed, not {part.shape}')
            parts.append(part)
        made = cls(model, numpy.hstack(parts), model.state(), None, '')
        if len(made): made._set(made.state, len(made) - 1)
        return made

    def _table(self, title):
        rows = [(name, unit, *(f'{x:.6g}' for x in (values[0], values[-1], values.min(), values.max())))
                for part in (self.q, self.u, self.z) for name, unit, values in zip(part.names, part.units, part.T)]
        heads = 'slot', 'unit', f't = {self.time[0]:g} s', f't = {self.time[-1]:g} s', 'least', 'largest'
        return html_table(f'{self.verdict} ({title})', heads, rows if len(self) else [])

    def _set(self, state, k):
        """Sets a State to row k."""
        state.time, state.q, state.u, state.z = self.time[k], self.q[k], self.u[k], self.z[k]

    @property
    def verdict(self) -> str:
        """How accurate the run is, and how that is known, in a sentence."""
        return self.certificate.verdict if self.certificate else 'nothing is known of its accuracy'

    def __len__(self) -> int: return len(self.time)

    def __repr__(self):
        return f'<cardan.Run of {self.model.name!r}: {len(self)} rows to t = {self.time[-1]:g} s; {self.verdict}>'

    def attributes(self) -> Dict[str, Any]:
        """What a table of it has beside its rows: model, version, and the certificate."""
        found = _origin(self.model)
        if self.certificate is None: return found
        known = {name: value for name, value in vars(self.certificate).items() if isinstance(value, (str, int, float))}
        return {**found, **known}

    def table(self) -> Table:
        """Time, q, u, z in one table, with the certificate as attributes."""
        names, units = zip(*[('time', 's'), *self.model.table()])
        values = numpy.column_stack([self.time, self.q, self.u, self.z])
        return Table(values, names, units, self.attributes())

    def save(self, path: Path) -> None:
        """Writes time, q, u, z as a table that the command's plot, view and render read. The ending of the path says
        the format: .h5, .npz, .sto, .csv (docs/data.md)."""
        self.table().save(path)

    def _command(self, verb, *arguments):
        """The command draws: it is asked for what the library alone does not do."""
        import shutil
        import subprocess
        import tempfile
        if self.model.path is None: raise ValueError(f'{verb} draws with the command, which needs a model of a file')
        command = shutil.which('cardan')
        if command is None: raise FileNotFoundError(f'{verb} needs the command cardan, which is not in PATH')
        with tempfile.TemporaryDirectory() as folder:
            table = os.path.join(folder, 'run.csv')
            self.save(table)
            done = subprocess.run([command, verb, self.model.path, table, *arguments, '--quiet'],
                                  stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        if done.returncode: raise RuntimeError(done.stderr.strip())

    def render(self, path: Path, *arguments: str) -> Path:
        """A picture (.png) of the end, or a video (.mp4, .gif). Arguments as those of `cardan render`."""
        self._command('render', '-o', os.fspath(path), *arguments)
        return path

    def view(self, path: Optional[Path] = None) -> Path:
        """One page that plays the run in a browser, without a server. Opens it, unless a path is given to keep it."""
        import tempfile
        from .views import page
        kept = path or os.path.join(tempfile.mkdtemp(prefix='cardan-'), 'run.html')
        state = self.state.copy()
        page(state, len(self), lambda k: self._set(state, k), kept)
        if path is None:
            import webbrowser
            webbrowser.open('file://' + os.path.abspath(kept))
        return kept

    def _repr_html_(self):
        """In a notebook: the page, and the verdict; a table, where the viewer is not installed."""
        import html
        import tempfile
        with tempfile.TemporaryDirectory() as folder:
            try: self.view(os.path.join(folder, 'run.html'))
            except FileError as error: return self._table(str(error))
            with open(os.path.join(folder, 'run.html'), encoding='utf-8') as file: made = file.read()
        return (f'<iframe srcdoc="{html.escape(made)}" width="100%" height="480" style="border:0"></iframe>'
                f'<p>{html.escape(self.verdict)}</p>')
