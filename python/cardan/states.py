"""A State: all variables of a model, and the results computed from them."""
from __future__ import annotations

import math
from typing import NamedTuple

import numpy

from ._low import DOUBLES, FLOAT, array, encode, ffi, given, lib, text, view
from ._methods import Answers, Setters
from .errors import check, failure, failure_of
from .models import Model, POOLS, html_table
from .operators import answer
from .structs import call, choice, unknown

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Dict, List, Optional, Tuple, Union

    from ._methods import Array, Numbers
    from .structs import Element


# Setting q and u, and getting udot, are written out below: most of the time of short calls is Python's.
from_buffer, NOT_PLAIN = ffi.from_buffer, (AttributeError, BufferError, ValueError)


class Status(NamedTuple):
    """What rigid contact, a limit or dry friction does in a State. status: "on", "off"; of friction "off", "sticks",
    "slips". force: its push, or the size of its friction, N or N m."""

    element: str
    status: str
    force: float


FRICTION = 'off', 'sticks', 'slips'  # cdn_friction_status


class Joint:
    """Coordinates and speeds of one joint in a State: `state["knee"].q = 0.3`."""
    __slots__ = ('_state', '_slots')

    def __init__(self, state, slots):
        self._state, self._slots = state, slots

    @property
    def q(self) -> Any:
        """Coordinates, rad or m (a quaternion's are numbers): a float if there is one, else a read-only view."""
        return one_or_all(self._state.q[self._slots.first_q:self._slots.first_q + self._slots.nq])

    @q.setter
    def q(self, values: Union[float, Numbers]) -> None:
        self._state._set_slots(lib.CDN_POOL_Q, self._slots.first_q, self._slots.nq, values, 'q')

    @property
    def u(self) -> Any:
        """Speeds, rad/s or m/s: as q."""
        return one_or_all(self._state.u[self._slots.first_u:self._slots.first_u + self._slots.nu])

    @u.setter
    def u(self, values: Union[float, Numbers]) -> None:
        self._state._set_slots(lib.CDN_POOL_U, self._slots.first_u, self._slots.nu, values, 'u')


def one_or_all(values): return float(values[0]) if len(values) == 1 else values


class State(Setters, Answers):
    """The variables of a model: t, q, u, z and parameters. One thread at a time may use it.

    Methods such as gravity_set, body_lock, force_set_enabled or parameter_set are the functions of C that set something
    in a State: elements by name, what they are in C's comments. So are calc_M, calc_frame_J, inverse_dynamics and the
    other operators, which return arrays; one array can go to `out=`.

    q, u, z: read-only views of the numbers; they follow the State and keep it alive. Set them whole: `state.q = x`, or
    by joint: `state["knee"].q = 0.3`. What is computed from them is a new array, or goes to `out=`.
    """

    model: Model

    def __init__(self, model: Model, key: Optional[str] = None) -> None:
        if not isinstance(model, Model): raise TypeError('a State is made of a cardan.Model')
        model.freeze()
        out = ffi.new('cdn_state **')
        check(lib.cdn_state_create(model._system, out))
        self._hold(model, ffi.gc(out[0], lib.cdn_state_destroy))
        if key is not None:
            if key not in model.keys: raise KeyError(unknown('key', key, model.keys))
            check(lib.cdn_model_set_key(model._model, encode(key), self._state))

    def _hold(self, model, pointer):
        self.model, self._state = model, pointer
        self._nq, self._nu, self._nz = model._nq, model._nu, model._nz
        self._views, self._copy_udot = {}, None  # C's arrays stay where they are

    @classmethod
    def _of(cls, model, pointer):
        """A State that another object owns; the pointer keeps that object alive."""
        made = cls.__new__(cls)
        made._hold(model, pointer)
        return made

    def _set_slots(self, pool, first, n, values, what):
        values = [values] if n == 1 and numpy.ndim(values) == 0 else values
        check(lib.cdn_state_set_slots(self._state, pool, first, n, given(values, (n,), what)))

    def _view(self, pool, n):
        """The numbers of a pool: a view that follows the State."""
        if pool not in self._views:
            self._views[pool] = view(getattr(lib, 'cdn_state_' + pool)(self._state), n, self._state)
        return self._views[pool]

    # ---- variables

    @property
    def time(self) -> float:
        """The time, s."""
        return lib.cdn_state_time(self._state)

    @time.setter
    def time(self, t: float) -> None: check(lib.cdn_state_set_time(self._state, t))

    @property
    def q(self) -> Any:
        """Coordinates, rad or m: a view."""
        return self._view('q', self._nq)
    @q.setter
    def q(self, values: Numbers) -> None:
        try: made = from_buffer(DOUBLES, values) if values.dtype is FLOAT and values.ndim == 1 else None
        except NOT_PLAIN: made = None
        if made is None or len(made) != self._nq: made = given(values, (self._nq,), 'q')
        if status := lib.cdn_state_set_q(self._state, made): raise failure(status)

    @property
    def u(self) -> Any:
        """Speeds, rad/s or m/s: a view."""
        return self._view('u', self._nu)
    @u.setter
    def u(self, values: Numbers) -> None:
        try: made = from_buffer(DOUBLES, values) if values.dtype is FLOAT and values.ndim == 1 else None
        except NOT_PLAIN: made = None
        if made is None or len(made) != self._nu: made = given(values, (self._nu,), 'u')
        if status := lib.cdn_state_set_u(self._state, made): raise failure(status)

    @property
    def z(self) -> Any:
        """Auxiliary states: a view."""
        return self._view('z', self._nz)
    @z.setter
    def z(self, values: Numbers) -> None:
        if status := lib.cdn_state_set_z(self._state, given(values, (self._nz,), 'z')): raise failure(status)

    def __getitem__(self, joint: str) -> Joint:
        return Joint(self, self.model.joint(joint))

    @property
    def controls(self) -> Dict[str, float]:
        """Values of the control inputs as they act, within their limits, by name."""
        return {name: self._control(i) for i, name in enumerate(self.model.controls)}

    def _control(self, i):
        out = ffi.new('double *')
        check(lib.cdn_control_value(self._state, ffi.new('cdn_control *', [i])[0], out))
        return out[0]

    def set_control(self, name: str, value: float) -> None:
        """Sets a control input."""
        control = lib.cdn_system_find_control(self.model._system, encode(name))
        if control.i < 0: raise KeyError(unknown('control', name, self.model.controls))
        check(lib.cdn_control_set(self._state, control, value))

    def _set(self, method, function, positional, keywords):
        check(call(function, self._state, self.model._system, positional, keywords)[0])

    def _answer(self, method, function, positional, keywords):
        return answer(function, self, positional, keywords, keywords.pop('out', None))

    def _sizes(self):
        system = self.model._system
        return {'nq': self._nq, 'nu': self._nu, 'nz': self._nz, 'y': 2 * self._nu + self._nz,
                'nb': lib.cdn_system_body_count(system), 'm': lib.cdn_system_nudoterr(system),
                'c': lib.cdn_system_control_count(system)}

    # ---- results

    def _result(self, pointer, n):
        """A copy of what was computed."""
        if not pointer and n: raise self._failure()
        return array(pointer, n)

    def _failure(self):
        return failure_of('cdn_state', self._state)

    @property
    def qdot(self) -> Array:
        """The rates of q, 1/s: a copy."""
        return self._result(lib.cdn_state_qdot(self._state), self._nq)
    @property
    def zdot(self) -> Array:
        """The rates of z, 1/s: a copy."""
        return self._result(lib.cdn_state_zdot(self._state), self._nz)
    @property
    def udot(self) -> Array:
        """Accelerations, rad/s^2 or m/s^2: a copy. Computes what they need."""
        pointer, copy = lib.cdn_state_udot(self._state), self._copy_udot
        return copy() if pointer and copy else self._first_udot(pointer)

    def _first_udot(self, pointer):
        made = self._result(pointer, self._nu)
        if self._nu: self._copy_udot = view(pointer, self._nu, self._state).copy
        return made

    def realize(self, stage: str) -> None:
        """Computes all up to a stage: "position", "velocity", "force", "acceleration"."""
        check(lib.cdn_realize(self._state, choice('cdn_stage', stage)))

    def settle(self, accuracy: float = 1e-6) -> None:
        """Sets the statuses of rigid contact, limits and dry friction that follow from q, u and the forces. Bodies that
        approach where they touch change u by their impact. `accuracy` stands for that of a run."""
        check(lib.cdn_settle(self._state, accuracy))

    def measure(self, name: str) -> Array:
        """The numbers of a measure or sensor."""
        which = lib.cdn_system_find_measure(self.model._system, encode(name))
        if which.i < 0: raise KeyError(unknown('measure', name, self.model.measures))
        return self._result(lib.cdn_measure_value(self._state, which), lib.cdn_measure_size(self.model._system, which))

    def parameter(self, kind: str, element: str, name: str) -> float:
        """A parameter of an element, such as ("force", "spring", "k"), as the State has it; parameter_set sets it."""
        out = ffi.new('double *')
        check(lib.cdn_parameter_get(self._state, choice('cdn_element_type', kind), encode(element), encode(name), out))
        return out[0]

    @property
    def multipliers(self) -> Array:
        """Multipliers of the constraint equations."""
        return self._result(lib.cdn_state_multipliers(self._state), lib.cdn_system_nudoterr(self.model._system))

    @property
    def qerr(self) -> Array:
        """Errors of the position constraints."""
        return self._result(lib.cdn_state_qerr(self._state), lib.cdn_system_nqerr(self.model._system))

    @property
    def statuses(self) -> List[Status]:
        """What rigid contact, limits and dry friction do: of limits all, of shapes those that touch. A State that no
        run has come to, and in which a variable was set, has the statuses of before; `settle()` finds its own."""
        found, state, system = [], self._state, self.model._system
        name, push, force = ffi.new('char[256]'), ffi.new('double *'), ffi.new('double[3]')
        for i in range(lib.cdn_system_one_sided_count(system)):
            if lib.cdn_one_sided_is_free(state, [i]): continue
            lib.cdn_one_sided_text(state, [i], name, 256)
            check(lib.cdn_one_sided_push(state, [i], push))
            found.append(Status(text(name), 'on' if lib.cdn_one_sided_is_on(state, [i]) else 'off', push[0]))
        for i in range(lib.cdn_system_dry_friction_count(system)):
            if lib.cdn_dry_friction_is_free(state, [i]): continue
            lib.cdn_dry_friction_text(state, [i], name, 256)
            check(lib.cdn_dry_friction_force(state, [i], force))
            what = FRICTION[lib.cdn_dry_friction_get_status(state, [i])]
            found.append(Status(text(name), what, math.hypot(*force)))
        return found

    @property
    def energy(self) -> Tuple[float, float]:
        """Kinetic and potential energy, J."""
        out = ffi.new('double[2]')
        check(lib.cdn_kinetic_energy(self._state, out))
        check(lib.cdn_potential_energy(self._state, out + 1))
        return out[0], out[1]

    def body(self, name: Union[str, Element]) -> Tuple[Array, Array]:
        """Where a body is in Ground: rotation matrix (3 x 3) and position (3), m."""
        X = ffi.new('cdn_transform *')
        check(lib.cdn_body_pose(self._state, self.model.body(name), X))
        numbers_of = array(ffi.cast('double *', X), 12)
        return numbers_of[:9].reshape(3, 3).T.copy(), numbers_of[9:]

    def table(self) -> List[Tuple[str, float, str]]:
        """Rows of all coordinates, speeds and auxiliary states: [(name, value, unit)]."""
        values = [*self.q.tolist(), *self.u.tolist(), *self.z.tolist()]
        return [(name, value, unit) for (name, unit), value in zip(self.model.table(), values)]

    def _repr_html_(self):
        return html_table(f'{self.model.name}, t = {self.time:g} s', ('slot', 'value', 'unit'),
                          [(name, f'{value:.6g}', unit) for name, value, unit in self.table()])

    # ---- copies

    def copy(self) -> State:
        """A State with the same values and results."""
        made = State(self.model)
        check(lib.cdn_state_copy(made._state, self._state))
        return made

    def __copy__(self): return self.copy()
    def __deepcopy__(self, memo): return self.copy()

    def save(self) -> bytes:
        """All variables as bytes: load gives them back to the last bit."""
        saved = ffi.gc(ffi.new('cdn_buffer *'), lib.cdn_buffer_free)
        check(lib.cdn_state_save(self._state, ffi.addressof(lib, 'cdn_buffer_write'), saved))
        return bytes(ffi.buffer(saved.bytes, saved.size))

    def load(self, saved: bytes) -> None:
        """Sets all variables to those of saved bytes, of a State of the same model."""
        own = ffi.from_buffer(saved)
        buffer = ffi.new('cdn_buffer *', {'bytes': own, 'size': len(own)})
        check(lib.cdn_state_load(self._state, ffi.addressof(lib, 'cdn_buffer_read'), buffer))

    def __reduce__(self):
        return (_restored, (self.model, self.save()))

    def __repr__(self):
        return f'<cardan.State of {self.model.name!r} at t = {self.time:g} s>'


class PassingState(State):
    """The State that a function of Python is called with. When the function returns it is no State any more, so its q,
    u and z are copies."""

    def __init__(self, model, pointer):
        self._hold(model, pointer)

    def __enter__(self): return self
    def __exit__(self, *_): self._state = ffi.NULL

    def _view(self, pool, n):
        pointer = getattr(lib, 'cdn_state_' + pool)(self._state)
        if not pointer: raise ValueError('the State was there during the call of the function only: copy it')
        made = array(pointer, n)
        made.flags.writeable = False
        return made

    def _first_udot(self, pointer): return self._result(pointer, self._nu)

    def __reduce__(self):
        return (_restored, (self.model, self.save()))


def _restored(model, saved):
    made = State(model)
    made.load(saved)
    return made
