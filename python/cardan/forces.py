"""Forces written in Python."""
import weakref

from ._low import encode, ffi, lib, numbers
from .errors import callback

READS = {'position': lib.CDN_READS_POSITION, 'velocity': lib.CDN_READS_VELOCITY, 'everything': lib.CDN_READS_EVERYTHING}


class Force:
    """A force of your own: `calc(state, add)` reads the State and adds forces.

    reads: "position" (t, q, parameters), "velocity" (also u) or "everything" (also z): what decides when it is computed
    again. potential: a function of the State, J; without one, the power of the force counts as work in the certificate.
    """

    def __init__(self, calc, reads='everything', potential=None):
        if not callable(calc): raise TypeError('a force is a function of a State and of what adds forces')
        if reads not in READS: raise ValueError(f'reads is one of {", ".join(READS)}, not {reads!r}')
        if potential is not None and not callable(potential): raise TypeError('a potential is a function of a State')
        self.calc, self.reads, self.potential = calc, reads, potential


def force(calc=None, *, reads='everything', potential=None):
    """Makes a Force of a function: `@cardan.force(reads="velocity")`."""
    if calc is None: return lambda function: Force(function, reads, potential)
    return Force(calc, reads, potential)


class Adder:
    """What a force gives its forces to, by names of bodies and joints. Vectors are in Ground's axes, N and N m."""

    def __init__(self, model, forces):
        self._model, self._forces = model, forces

    def point(self, body, station, f):
        """A force on a point of a body; the point is in the body's frame, m."""
        lib.cdn_forces_add_point(self._forces, self._model.body(body), _vector(station), _vector(f))

    def at(self, body, place, f):
        """A force on a body at a place in Ground, m."""
        lib.cdn_forces_add_at(self._forces, self._model.body(body), _vector(place), _vector(f))

    def torque(self, body, moment):
        lib.cdn_forces_add_torque(self._forces, self._model.body(body), _vector(moment))

    def joint(self, name, value, k=0):
        """A generalized force on speed k of a joint, N m or N."""
        lib.cdn_forces_add_mobility(self._forces, self._model.joint(name).mobilized, k, value)


def _vector(values):
    x, y, z = numbers(values, (3,), 'a vector').tolist()
    return ffi.new('cdn_vec3 *', (x, y, z))[0]


class _Held:
    """What the System's copy of a force points to. The model owns it, and is not owned by it."""

    def __init__(self, model, given):
        self.model, self.given = weakref.ref(model), given

    def state(self, pointer):
        from .states import State
        return State._of(self.model(), pointer)


def _held(self):
    return ffi.from_handle(ffi.cast('void **', self)[0])


@callback
def cardan_calc_force(self, state, forces):
    held = _held(self)
    held.given.calc(held.state(state), Adder(held.model(), forces))
    return lib.CDN_OK


@callback
def cardan_calc_potential(self, state, energy):
    held = _held(self)
    energy[0] = held.given.potential(held.state(state))
    return lib.CDN_OK


def add(model, system, name, given):
    """Adds a force to a System that is not frozen; returns what has to live as long as the model."""
    given = given if isinstance(given, Force) else Force(given)
    handle = ffi.new_handle(_Held(model, given))
    ops, private, text = ffi.new('cdn_force_ops *'), ffi.new('void **', handle), ffi.new('char[]', encode(name))
    ops.subsystem.name, ops.subsystem.self_size = text, ffi.sizeof('void *')
    ops.struct_size, ops.reads = ffi.sizeof('cdn_force_ops'), READS[given.reads]
    ops.calc_force = lib.cardan_calc_force
    if given.potential: ops.calc_potential = lib.cardan_calc_potential
    lib.cdn_system_add_custom_force(system, ops, private)
    return handle
