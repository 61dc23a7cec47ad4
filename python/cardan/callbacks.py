"""Functions of Python that the library calls: forces, events, measures, constraints, mobilizers, motions. contacts.py
has those of contact.

An adapter turns the arguments of C into Python's, calls the function, and writes what it returns. What the function
raises ends the call of the library, and comes out of it unchanged. Arguments are valid during the call.
"""
from __future__ import annotations

import weakref

import numpy

from ._low import array, doubles, ffi, lib, text
from .errors import callback
from .structs import Record, Writer, flat, read

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Sequence

    from ._methods import Body, Numbers


class Held:
    """What the private part of an element points to. The model owns it, and is not owned by it."""

    def __init__(self, model, functions, sizes=()):
        self.model, self.functions, self.sizes = weakref.ref(model), functions, dict(sizes)

    def state(self, pointer):
        from .states import PassingState
        return PassingState(self.model(), pointer)


def adapter(struct, member, returns=lib.CDN_OK):
    """Makes a function the one that C calls for a member of a struct: given(held, function, *arguments of C)."""
    def made(given):
        def called(self, *rest):
            held = ffi.from_handle(ffi.cast('void **', self)[0])
            given(held, held.functions[member], *rest)
            return returns
        extern(struct, member, called, None if returns is None else lib.CDN_ERR_CALLBACK)
        return given
    return made


def extern(struct, member, called, failed):
    """Makes a function the one that C calls for a member of a struct. failed: what C gets if it raises."""
    called.__name__ = called.__qualname__ = f'cardan_{struct}_{member}'
    callback(called, failed)


def put(target, values, n, what):
    """Writes the n numbers that a function has returned."""
    made = numpy.ascontiguousarray(values, dtype=numpy.float64).ravel()
    if made.size != n: raise ValueError(f'{what}: {n} numbers are needed, not {made.size}')
    ffi.memmove(target, doubles(made), 8 * n)


def number(value, what):
    if numpy.ndim(value) == 0: return float(value)
    raise TypeError(f'{what}: a number is needed, not {value!r}')


class Passing:
    """Takes what a function adds, as long as it is called: afterwards it has let go of C's part."""

    def __init__(self, held, pointer):
        self._model, self._pointer, self._writer = held.model(), pointer, Writer(held.model()._system)

    def __enter__(self): return self
    def __exit__(self, *_): self._pointer = ffi.NULL
    def _body(self, body): return self._writer.value(ffi.typeof('cdn_body'), body, 'body')
    def _vector(self, values): return self._writer.value(ffi.typeof('cdn_vec3'), values, 'a vector')


# ---- forces

class Adder(Passing):
    """What a force gives its forces to, by names of bodies and joints. Vectors are in Ground's axes, N and N m."""

    def point(self, body: Body, station: Numbers, f: Numbers) -> None:
        """A force on a point of a body; the point is in the body's frame, m."""
        lib.cdn_forces_add_point(self._pointer, self._body(body), self._vector(station), self._vector(f))

    def at(self, body: Body, place: Numbers, f: Numbers) -> None:
        """A force on a body at a place in Ground, m."""
        lib.cdn_forces_add_at(self._pointer, self._body(body), self._vector(place), self._vector(f))

    def torque(self, body: Body, moment: Numbers) -> None:
        """A moment on a body, N m."""
        lib.cdn_forces_add_torque(self._pointer, self._body(body), self._vector(moment))

    def joint(self, name: str, value: float, k: int = 0) -> None:
        """A generalized force on speed k of a joint, N m or N."""
        lib.cdn_forces_add_mobility(self._pointer, self._model.joint(name).body, k, value)


@adapter('cdn_force_ops', 'calc_force')
def _force(held, function, state, forces):
    with held.state(state) as state, Adder(held, forces) as add: function(state, add)


@adapter('cdn_force_ops', 'calc_potential')
def _potential(held, function, state, energy):
    with held.state(state) as state: energy[0] = number(function(state), 'a potential')


class Slopes(Passing):
    """What a force tells its derivatives to: each force that it adds, once more. Vectors are in Ground's axes, stations
    in the body's. Matrices are 3 x 3; None: zero."""

    def joint(self, name: str, by: str, df_dq: float = 0, df_du: float = 0, k: int = 0, by_k: int = 0) -> None:
        """A generalized force on speed k of a joint: its derivatives by speed by_k of a joint, and by what it is the
        rate of."""
        joint = self._model.joint
        lib.cdn_force_derivatives_add_mobility(self._pointer, joint(name).body, k, joint(by).body, by_k, df_dq, df_du)

    def point(self, body: Body, station: Numbers, f: Numbers, df_dp: Any = None, df_dv: Any = None) -> None:
        """A force on a point of a body, N: its derivatives by the point's place and velocity. Constant forces, too."""
        lib.cdn_force_derivatives_add_point(self._pointer, self._body(body), self._vector(station), self._vector(f),
                                            self._matrix(df_dp, 3), self._matrix(df_dv, 3))

    def torque(self, body: Body, moment: Numbers) -> None:
        """A moment that is constant in Ground, N m."""
        lib.cdn_force_derivatives_add_torque(self._pointer, self._body(body), self._vector(moment))

    def line(self, a: Body, p_A: Numbers, b: Body, p_B: Numbers, tension: float, by_length: float = 0,
             by_rate: float = 0) -> None:
        """A tension along the line between two stations, N: its derivatives by their distance, and by its rate."""
        lib.cdn_force_derivatives_add_line(self._pointer, self._body(a), self._vector(p_A), self._body(b),
                                           self._vector(p_B), tension, by_length, by_rate)

    def path(self, path: Any, tension: float, by_length: float = 0, by_rate: float = 0) -> None:
        """A tension along a path, N: its derivatives by the path's length, and by its rate."""
        of = self._writer.value(ffi.typeof('cdn_path'), path, 'path')
        lib.cdn_force_derivatives_add_path(self._pointer, of, tension, by_length, by_rate)

    def bodies(self, bodies: Sequence[Body], stations: Any, F: Any, dF_dX: Any = None, dF_dV: Any = None,
               relative: bool = False) -> None:
        """Forces on n bodies by each other's poses and velocities. F: n x 6, moments about the stations and forces;
        dF_dX, dF_dV: 6 n x 6 n. relative: nothing changes if all bodies move as one piece."""
        n = len(bodies)
        several = lambda kind, values: [self._writer.value(ffi.typeof(kind), each, kind) for each in values]
        if len(stations) != n or len(F) != n: raise ValueError(f'{n} stations and {n} forces are needed')
        lib.cdn_force_derivatives_add_bodies(self._pointer, n, several('cdn_body', bodies),
                                             several('cdn_vec3', stations), several('cdn_spatial', F),
                                             self._matrix(dF_dX, 6 * n), self._matrix(dF_dV, 6 * n), relative)

    def _matrix(self, values, n):
        return ffi.NULL if values is None else ffi.new('double[]', flat(values, n * n, f'a {n} x {n} matrix'))


@adapter('cdn_force_ops', 'calc_derivative')
def _force_derivative(held, function, state, derivatives):
    with held.state(state) as state, Slopes(held, derivatives) as add: function(state, add)


@adapter('cdn_force_ops', 'calc_control_derivative')
def _control_derivative(held, function, state, control, forces):
    name = text(lib.cdn_control_name(held.model()._system, control))
    with held.state(state) as state, Adder(held, forces) as add: function(state, name, add)


@adapter('cdn_force_ops', 'calc_kinks')
def _kinks(held, function, state, values, rates):
    """The function returns its n_kinks values, or (values, rates)."""
    n = held.sizes['n_kinks']
    with held.state(state) as state: made = function(state)
    if not isinstance(made, tuple): return put(values, made, n, 'kinks')
    if len(made) != 2: raise ValueError(f'kinks: values are needed, or (values, rates), not a tuple of {len(made)}')
    put(values, made[0], n, 'kinks')
    if rates != ffi.NULL: put(rates, made[1], n, 'rates of kinks')


# ---- measures and events

@adapter('cdn_measure_ops', 'calc_value')
def _measure(held, function, state, derivative, value):
    with held.state(state) as state:
        made = function(state, derivative) if held.sizes.get('derivatives') else function(state)
        put(value, made, held.sizes.get('n', 1), 'a measure')


@adapter('cdn_event_def', 'value')
def _value(held, function, state, value):
    with held.state(state) as state: value[0] = number(function(state), 'the value of an event')


@adapter('cdn_event_def', 'next_time')
def _next_time(held, function, state, after, time):
    with held.state(state) as state: time[0] = number(function(state, after), 'the next time of an event')


def occurrence(what):
    return Record({'name': text(what.name), 'time': what.time, 'earliest': what.earliest, 'count': what.count,
                   'direction': read(what.direction, ffi.typeof('cdn_direction'))})


@adapter('cdn_event_def', 'report')
def _report(held, function, state, what):
    with held.state(state) as state: function(state, occurrence(what))


@adapter('cdn_event_def', 'handle')
def _handle(held, function, state, what, action):
    with held.state(state) as state: answer = function(state, occurrence(what))
    if answer not in (None, 'continue', 'stop'): raise ValueError(f'a handler returns None or "stop", not {answer!r}')
    if answer == 'stop': action[0] = lib.CDN_STOP


# ---- constraints

class Rows(Passing):
    """What a constraint adds its rows to: equation 0, 1, ... Vectors are in Ground's axes."""

    def point(self, equation: int, body: Body, station: Numbers, f: Numbers) -> None:
        """The term f . v, v the velocity of a point of a body."""
        lib.cdn_rows_add_point(self._pointer, equation, self._body(body), self._vector(station), self._vector(f))

    def torque(self, equation: int, body: Body, moment: Numbers) -> None:
        """The term m . w, w the angular velocity of a body."""
        lib.cdn_rows_add_torque(self._pointer, equation, self._body(body), self._vector(moment))

    def joint(self, equation: int, name: str, coefficient: float, k: int = 0) -> None:
        """The term c u, u speed k of a joint."""
        lib.cdn_rows_add_mobility(self._pointer, equation, self._model.joint(name).body, k, coefficient)


def constraint_input(held, given):
    several = lambda pointer, n: [read(pointer[i]) for i in range(n)] if pointer != ffi.NULL else None
    numbers_of = lambda pointer, n: array(pointer, n) if pointer != ffi.NULL else None
    return Record({'time': given.t, 'params': numbers_of(given.params, held.sizes.get('n_params', 0)),
                   'X_GB': several(given.X_GB, given.n_bodies), 'V_GB': several(given.V_GB, given.n_bodies),
                   'q': numbers_of(given.q, given.n_mobilities), 'u': numbers_of(given.u, given.n_mobilities)})


def _errors(member, counted):
    @adapter('cdn_constraint_ops', member)
    def calc(held, function, given, out):
        n = sum(held.sizes.get(name, 0) for name in counted)
        put(out, function(constraint_input(held, given)), n, member)


_errors('calc_position', ['np'])
_errors('calc_velocity', ['np', 'nv'])
_errors('calc_bias', ['np', 'nv', 'na'])


@adapter('cdn_constraint_ops', 'calc_rows')
def _rows(held, function, given, rows):
    with Rows(held, rows) as add: function(constraint_input(held, given), add)


# ---- mobilizers: functions of params, q and u

def _pose(held, X_FM, H_FM, made):
    X_FM[0] = Writer(ffi.NULL).value(ffi.typeof('cdn_transform'), made[0], 'X_FM')
    put(H_FM, numpy.asarray(made[1], dtype=numpy.float64).reshape(6, held.sizes['nu']).T, 6 * held.sizes['nu'], 'H_FM')


@adapter('cdn_custom_mobilizer_ops', 'across')
def _across(held, function, params, q, X_FM, H_FM):
    _pose(held, X_FM, H_FM, function(array(q, held.sizes['nq']), array(params, lib.CDN_MOBILIZER_PARAMS)))


@adapter('cdn_custom_mobilizer_ops', 'Hdot_u')
def _hdot_u(held, function, params, q, u, A_FM):
    put(A_FM, function(array(q, held.sizes['nq']), array(u, held.sizes['nu']), array(params, lib.CDN_MOBILIZER_PARAMS)),
        6, 'Hdot_u')


def _rates(member, second, out):
    @adapter('cdn_custom_mobilizer_ops', member, None)
    def calc(held, function, q, given, made):
        n = held.sizes[out]
        ffi.buffer(made, 8 * n)[:] = numpy.full(n, numpy.nan).tobytes()  # what remains if the function raises
        put(made, function(array(q, held.sizes['nq']), array(given, held.sizes[second])), n, member)


_rates('N', 'nu', 'nq')
_rates('N_inv', 'nq', 'nu')
_rates('Ndot_u', 'nu', 'nq')


@adapter('cdn_custom_mobilizer_ops', 'fit')
def _fit(held, function, params, R_FM, p_FM, q):
    """The function gets q, and R and p, of which one may be None."""
    n = held.sizes['nq']
    R, p = (None if given == ffi.NULL else read(given[0]) for given in (R_FM, p_FM))
    put(q, function(array(q, n), R, p, array(params, lib.CDN_MOBILIZER_PARAMS)), n, 'fit')


# ---- motions

def _motion(member):
    @adapter('cdn_motion_ops', member)
    def calc(held, function, given, out):
        n = given.nq if member[0] == 'q' else given.nu
        of = lambda pointer, pool: array(pointer, getattr(held.model(), pool)) if pointer != ffi.NULL else None
        put(out, function(Record({'time': given.t, 'params': array(given.params, lib.CDN_MOTION_PARAMS),
                                  'q': of(given.q, '_nq'), 'u': of(given.u, '_nu'), 'first_q': given.first_q,
                                  'first_u': given.first_u})), n, f'a motion: {member}')


for _member in ('q', 'qdot', 'qdotdot', 'u', 'udot'): _motion(_member)


# ---- functions of a few numbers

@adapter('cdn_function_ops', 'calc')
def _calc(held, function, x, order, out):
    """The function returns its value, or (value, first, second, third derivatives) as far as it knows them."""
    n = held.sizes['n_inputs']
    made = function(*array(x, n).tolist())
    made = made if isinstance(made, tuple) else (made,)
    if len(made) <= order: raise NotImplementedError(f'derivative {len(made)} of a function is needed')
    out.value = number(made[0], 'a function')
    for k in range(1, order + 1): put(getattr(out, f'd{k}'), made[k], n ** k, f'derivative {k} of a function')
