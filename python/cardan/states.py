"""A State: all variables of a model, and the results computed from them."""
import numpy

from ._low import array, doubles, encode, ffi, fill, lib, numbers, view
from .errors import check, failure_of
from .models import Model, POOLS, unknown

LEVELS = {'position': 'CDN_STAGE_POSITION', 'velocity': 'CDN_STAGE_VELOCITY', 'acceleration': 'CDN_STAGE_ACCELERATION'}


class Joint:
    """Coordinates and speeds of one joint in a State: `state["knee"].q = 0.3`."""

    def __init__(self, state, joint):
        self._state, self._joint = state, joint

    def _read(self, pool, first, n):
        values = getattr(self._state, pool)[first:first + n]
        return float(values[0]) if n == 1 else values

    def _write(self, pool, first, n, values):
        values = numbers([values] if n == 1 and numpy.ndim(values) == 0 else values, (n,), pool)
        self._state._set_slots(pool, first, values)

    @property
    def q(self):
        """Coordinates, rad or m (a quaternion's are numbers): a float if there is one, else a read-only view."""
        return self._read('q', self._joint.first_q, self._joint.nq)

    @q.setter
    def q(self, values): self._write('q', self._joint.first_q, self._joint.nq, values)

    @property
    def u(self):
        """Speeds, rad/s or m/s."""
        return self._read('u', self._joint.first_u, self._joint.nu)

    @u.setter
    def u(self, values): self._write('u', self._joint.first_u, self._joint.nu, values)


class State:
    """The variables of a model: t, q, u, z and parameters. One thread at a time may use it.

    q, u, z: read-only views of the numbers; they follow the State and keep it alive. Set them whole: `state.q = x`, or
    by joint: `state["knee"].q = 0.3`. What is computed from them is a new array, or goes to `out=`.
    """

    def __init__(self, model, key=None):
        if not isinstance(model, Model): raise TypeError('a State is made of a cardan.Model')
        out = ffi.new('cdn_state **')
        check(lib.cdn_state_create(model._system, out))
        self._hold(model, ffi.gc(out[0], lib.cdn_state_destroy))
        if key is not None: check(lib.cdn_model_set_key(model._model, encode(key), self._state))

    def _hold(self, model, pointer):
        self.model, self._state = model, pointer

    @classmethod
    def _of(cls, model, pointer):
        """A State that another object owns; the pointer keeps that object alive."""
        made = cls.__new__(cls)
        made._hold(model, pointer)
        return made

    def _set_slots(self, pool, first, values):
        check(lib.cdn_state_set_slots(self._state, POOLS[pool], first, len(values), doubles(values)))

    # ---- variables

    @property
    def time(self):
        """The time, s."""
        return lib.cdn_state_time(self._state)

    @time.setter
    def time(self, t): check(lib.cdn_state_set_time(self._state, t))

    @property
    def q(self): return view(lib.cdn_state_q(self._state), self.model.nq, self._state)
    @q.setter
    def q(self, values): check(lib.cdn_state_set_q(self._state, doubles(numbers(values, (self.model.nq,), 'q'))))

    @property
    def u(self): return view(lib.cdn_state_u(self._state), self.model.nu, self._state)
    @u.setter
    def u(self, values): check(lib.cdn_state_set_u(self._state, doubles(numbers(values, (self.model.nu,), 'u'))))

    @property
    def z(self): return view(lib.cdn_state_z(self._state), self.model.nz, self._state)
    @z.setter
    def z(self, values): check(lib.cdn_state_set_z(self._state, doubles(numbers(values, (self.model.nz,), 'z'))))

    def __getitem__(self, joint):
        return Joint(self, self.model.joint(joint))

    @property
    def controls(self):
        """Values of the control inputs as they act, within their limits, by name."""
        return {name: self._control(i) for i, name in enumerate(self.model.controls)}

    def _control(self, i):
        out = ffi.new('double *')
        check(lib.cdn_control_value(self._state, ffi.new('cdn_control *', [i])[0], out))
        return out[0]

    def set_control(self, name, value):
        """Sets a control input."""
        control = lib.cdn_system_find_control(self.model._system, encode(name))
        if control.i < 0: raise KeyError(unknown('control', name, self.model.controls))
        check(lib.cdn_control_set(self._state, control, value))

    # ---- results

    def _result(self, pointer, n):
        if pointer == ffi.NULL and n: raise self._failure()
        return array(pointer, n)

    def _failure(self):
        return failure_of('cdn_state', self._state)

    @property
    def qdot(self): return self._result(lib.cdn_state_qdot(self._state), self.model.nq)
    @property
    def udot(self): return self._result(lib.cdn_state_udot(self._state), self.model.nu)
    @property
    def zdot(self): return self._result(lib.cdn_state_zdot(self._state), self.model.nz)

    def realize(self, stage):
        """Computes all up to "position", "velocity" or "acceleration"."""
        if stage not in LEVELS: raise ValueError(f'stage is one of {", ".join(LEVELS)}, not {stage!r}')
        check(lib.cdn_realize(self._state, getattr(lib, LEVELS[stage])))

    def mass_matrix(self, out=None):
        """M, nu x nu, kg, kg m or kg m^2."""
        made = fill(out, (self.model.nu, self.model.nu), 'mass_matrix')
        check(lib.cdn_calc_M(self._state, doubles(made)))
        return made

    def bias(self, out=None):
        """The bias forces of the equations of motion (Coriolis and gyroscopic), nu."""
        made = fill(out, (self.model.nu,), 'bias')
        check(lib.cdn_calc_bias(self._state, doubles(made)))
        return made

    def measure(self, name):
        """The numbers of a measure or sensor."""
        which = lib.cdn_system_find_measure(self.model._system, encode(name))
        if which.i < 0: raise KeyError(unknown('measure', name, self.model.measures))
        return self._result(lib.cdn_measure_value(self._state, which), lib.cdn_measure_size(self.model._system, which))

    @property
    def energy(self):
        """Kinetic and potential energy, J."""
        out = ffi.new('double[2]')
        check(lib.cdn_kinetic_energy(self._state, out))
        check(lib.cdn_potential_energy(self._state, out + 1))
        return out[0], out[1]

    def body(self, name):
        """Where a body is in Ground: rotation matrix (3 x 3) and position (3), m."""
        X = ffi.new('cdn_transform *')
        check(lib.cdn_body_pose(self._state, self.model.body(name), X))
        numbers_of = array(ffi.cast('double *', X), 12)
        return numbers_of[:9].reshape(3, 3).T.copy(), numbers_of[9:]

    # ---- copies

    def copy(self):
        """A State with the same values and results."""
        made = State(self.model)
        check(lib.cdn_state_copy(made._state, self._state))
        return made

    def __copy__(self): return self.copy()
    def __deepcopy__(self, memo): return self.copy()

    def save(self):
        """All variables as bytes: load gives them back to the last bit."""
        saved = ffi.gc(ffi.new('cdn_buffer *'), lib.cdn_buffer_free)
        check(lib.cdn_state_save(self._state, ffi.addressof(lib, 'cdn_buffer_write'), saved))
        return bytes(ffi.buffer(saved.bytes, saved.size))

    def load(self, saved):
        """Sets all variables to those of saved bytes, of a State of the same model."""
        own = ffi.from_buffer(saved)
        buffer = ffi.new('cdn_buffer *', {'bytes': own, 'size': len(own)})
        check(lib.cdn_state_load(self._state, ffi.addressof(lib, 'cdn_buffer_read'), buffer))

    def __reduce__(self):
        return (_restored, (self.model, self.save()))

    def __repr__(self):
        return f'<cardan.State of {self.model.name!r} at t = {self.time:g} s>'


def _restored(model, saved):
    made = State(model)
    made.load(saved)
    return made
