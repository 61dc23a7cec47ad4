"""Many States of one model at once."""
from __future__ import annotations

import operator
import threading

import numpy

from ._low import Working, doubles, ffi, fill, given, lib
from .errors import check, failure, failure_of, raised_here, remember
from .models import POOL_NAMES, POOLS, Model, pool_of
from .runs import Certificate, method_of
from .states import State
from .structs import Writer, choice

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Optional, Sequence, Tuple, Union

    from ._methods import Array, Pool
    from .structs import Element


MANY = 1000  # steps of States for which a thread is worth while


class Ensemble(Working):
    """K States of one model. Arrays are K x nq, K x nu, K x nz.

    of: a State, whose copies they all are at first, or a model. count: K; None: as many as q, u or z has rows. q, u,
    z: where they start. vary: what else may differ between them: a list of "controls", "forces", "masses" and so on
    (cdn_vary). Other keywords are members of cdn_ensemble_def: method, accuracy, threads (with the caller's), lanes,
    companion, max_steps.
    """

    model: Model
    count: int

    def __init__(self, of: Union[State, Model], count: Optional[int] = None, *, q: Any = None, u: Any = None,
                 z: Any = None, vary: Union[str, Sequence[str]] = (), **members: Any) -> None:
        state = of.state() if isinstance(of, Model) else of
        if not isinstance(state, State): raise TypeError('an ensemble is made of a cardan.State or a cardan.Model')
        if count is not None: count = operator.index(count)
        starts = {pool: values for pool, values in (('q', q), ('u', u), ('z', z)) if values is not None}
        if count is None and not starts: raise TypeError('an ensemble needs a count, or rows of q, u or z')
        members['count'] = len(next(iter(starts.values()))) if count is None else count
        members['vary'] = sum(choice('cdn_vary', what) for what in ([vary] if isinstance(vary, str) else vary))
        if 'method' in members: members['method'] = method_of(members['method'])
        d, out = Writer(state.model._system).filled('cdn_ensemble_def', members), ffi.new('cdn_ensemble **')
        if status := lib.cdn_ensemble_create(state._state, d, out): raise failure_of('cdn_state', state._state, status)
        self.model, self.count = state.model, members['count']
        self._ensemble = ffi.gc(out[0], lib.cdn_ensemble_destroy)
        self._start, self._n_controls = state, lib.cdn_system_control_count(state.model._system)
        self._sizes = {'q': self.model.nq, 'u': self.model.nu, 'z': self.model.nz}
        for pool in POOL_NAMES:
            if pool in starts: self.set(pool, starts[pool])

    def _advance(self, function, *arguments, steps=MANY):
        """Calls what may take long. Python hears of Ctrl-C only in the main thread and not in C: so that thread waits,
        and interrupts the call."""
        main = threading.current_thread() is threading.main_thread()
        if not main or steps * self.count < MANY: return function(self._ensemble, *arguments)
        answer, done = [], threading.Event()  # an interrupted Thread.join takes a thread for ended, up to Python 3.12

        def work():
            try: answer.extend([function(self._ensemble, *arguments), raised_here()])
            finally: done.set()
        threading.Thread(target=work).start()
        try: done.wait()
        except BaseException:
            while not done.is_set():
                lib.cdn_ensemble_interrupt(self._ensemble)
                done.wait(0.01)
            lib.cdn_ensemble_advance(self._ensemble, 1.0, 0)  # what came too late interrupts no other call
            raise
        status, raised = answer
        if raised is not None: remember(*raised)
        return status

    def _check(self, status):
        if status: raise failure_of('cdn_ensemble', self._ensemble, status)
        check(status)

    def get(self, pool: Pool, out: Optional[Array] = None) -> Array:
        """The numbers of "q", "u" or "z": K rows."""
        made = fill(out, (self.count, self._sizes[pool_of(pool)]), pool)
        self._check(lib.cdn_ensemble_get(self._ensemble, POOLS[pool], doubles(made), self._sizes[pool]))
        return made

    def set(self, pool: Pool, values: Any) -> None:
        """Sets the numbers of "q", "u" or "z": K rows."""
        n = self._sizes[pool_of(pool)]
        self._check(lib.cdn_ensemble_set(self._ensemble, POOLS[pool], given(values, (self.count, n), pool), n))

    def rates(self, pool: Pool, out: Optional[Array] = None) -> Array:
        """The rates of "q", "u" or "z": K rows."""
        made = fill(out, (self.count, self._sizes[pool_of(pool)]), pool)
        self._check(lib.cdn_ensemble_rates(self._ensemble, POOLS[pool], doubles(made), self._sizes[pool]))
        return made

    def set_controls(self, values: Any) -> None:
        """Sets the control inputs: K rows, in the order of model.controls."""
        n = self._n_controls
        self._check(lib.cdn_ensemble_set_controls(self._ensemble, given(values, (self.count, n), 'controls'), n))

    @property
    def q(self) -> Any:
        """Coordinates, rad or m: a copy, K rows."""
        return self.get('q')
    @q.setter
    def q(self, values: Any) -> None: self.set('q', values)
    @property
    def u(self) -> Any:
        """Speeds, rad/s or m/s: a copy, K rows."""
        return self.get('u')
    @u.setter
    def u(self, values: Any) -> None: self.set('u', values)
    @property
    def z(self) -> Any:
        """Auxiliary states: a copy, K rows."""
        return self.get('z')
    @z.setter
    def z(self, values: Any) -> None: self.set('z', values)

    @property
    def time(self) -> Array:
        """The times of the States, s."""
        return numpy.array([lib.cdn_ensemble_time(self._ensemble, k) for k in range(self.count)])

    def step(self, h: float, n: int = 1) -> None:
        """n steps of h seconds of every State. Ctrl-C ends it within a moment: States are at different times then, each
        at the end of a step."""
        self._check(self._advance(lib.cdn_ensemble_advance, float(h), int(n), steps=int(n)))

    def try_step(self, h: float, n: int = 1) -> Any:
        """As step; a State that fails is no exception. Returns which States have failed: K truths. They keep the values
        of their last step until they are set."""
        status = self._advance(lib.cdn_ensemble_advance, float(h), int(n), steps=int(n))
        if not status: return numpy.zeros(self.count, dtype=bool)
        failed = numpy.array([lib.cdn_ensemble_status(self._ensemble, k) for k in range(self.count)], dtype=bool)
        if not failed.any(): self._check(status)
        return failed

    def advance(self, t: float) -> None:
        """Every State to time t, s, under error control. Ctrl-C ends it within a moment; a further call goes on."""
        self._check(self._advance(lib.cdn_ensemble_advance_to, float(t)))

    def body(self, name: Union[str, Element]) -> Tuple[Array, Array]:
        """Where a body is in all States: rotation matrices (K x 3 x 3) and positions (K x 3), m."""
        X = numpy.empty((self.count, 12))
        self._check(lib.cdn_ensemble_body(self._ensemble, self.model.body(name),
                                          ffi.from_buffer('cdn_transform[]', X), ffi.NULL))
        return X[:, :9].reshape(-1, 3, 3).transpose(0, 2, 1).copy(), X[:, 9:].copy()

    @property
    def energies(self) -> Tuple[Array, Array]:
        """Kinetic and potential energies, J: two arrays of K numbers."""
        kinetic, potential = numpy.empty(self.count), numpy.empty(self.count)
        self._check(lib.cdn_ensemble_energies(self._ensemble, doubles(kinetic), doubles(potential)))
        return kinetic, potential

    def certificate(self, k: int) -> Certificate:
        """The certificate of State k since its values were last set."""
        out = ffi.new('cdn_certificate *')
        self._check(lib.cdn_ensemble_certificate(self._ensemble, k, out))
        return Certificate(out[0])

    def error(self, k: int) -> Optional[Exception]:
        """Why State k has failed, as an exception; None if it has not."""
        if not 0 <= k < self.count: raise IndexError(f'there is no State {k}: the ensemble has {self.count}')
        out = ffi.new('cdn_error *')
        lib.cdn_ensemble_error(self._ensemble, k, out)
        return failure(out.code, out) if out.code else None

    def set_state(self, k: int, state: State) -> None:
        """Gives State k the variables of a State."""
        if not isinstance(state, State): raise TypeError('an ensemble takes a cardan.State')
        self._check(lib.cdn_ensemble_set_state(self._ensemble, k, state._state))

    def set_time(self, t: float) -> None:
        """Sets the time of all States, s."""
        self._check(lib.cdn_ensemble_set_time(self._ensemble, t))

    def state(self, k: int) -> State:
        """A copy of State k."""
        made = self._start.copy()
        self._check(lib.cdn_ensemble_get_state(self._ensemble, k, made._state))
        return made

    def __len__(self) -> int: return self.count

    def __repr__(self) -> str: return f'<cardan.Ensemble of {self.count} States of {self.model.name!r}>'
