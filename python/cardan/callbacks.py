"""Functions of Python that the library calls: forces, events, measures, constraints, mobilizers, laws of contact.

An entry of ADAPTERS turns the arguments of C into Python's, calls the function, and writes what it returns. What the
function raises ends the call of the library, and comes out of it unchanged. Arguments are valid during the call.
"""
from __future__ import annotations

import weakref

import numpy

from ._low import array, doubles, ffi, lib, text
from .errors import callback
from .structs import Element, Record, Writer, read

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from ._methods import Body, Numbers

ADAPTERS = {}


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
        ADAPTERS[struct, member] = f'cardan_{struct}_{member}'

        def called(self, *rest):
            held = ffi.from_handle(ffi.cast('void **', self)[0])
            given(held, held.functions[member], *rest)
            return returns
        called.__name__ = called.__qualname__ = ADAPTERS[struct, member]
        callback(called, None if returns is None else lib.CDN_ERR_CALLBACK)
        return given
    return made


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


# ---- laws of contact

class Contacts(Passing):
    """What a law of contact adds its contacts to: members of cdn_law_contact by keywords."""

    def __call__(self, point: Numbers, normal: Numbers, depth: float, **more: Any) -> None:
        from .errors import check
        writer = Writer(self._model._system)
        contact = writer.filled('cdn_law_contact', {'point': point, 'normal': normal, 'depth': depth, **more})
        check(lib.cdn_law_add(self._pointer, contact))


@adapter('cdn_contact_law_def', 'find')
def _find(held, function, given, out):
    kind = ffi.typeof('cdn_geometry_kind')
    shape = lambda geometry: Record({'kind': read(geometry.kind, kind), 'size': read(geometry.size)})
    touching = Record({'a': shape(given.geometry_a), 'b': shape(given.geometry_b), 'X_GA': read(given.X_GA),
                       'X_GB': read(given.X_GB), 'shape_a': Element('shape', given.a.i),
                       'shape_b': Element('shape', given.b.i), 'material': read(given.combined[0]),
                       'margin': given.margin})
    with Contacts(held, out) as add: function(touching, add)
