"""A little of MuJoCo's Python, for programs that use no more of it: `import cardan.mujoco_like as mujoco`.

Models have MuJoCo's contact, equalities, steps and numbers: qpos, qvel and qacc are in MuJoCo's order and axes. As
there, you write into arrays of MjData, and mj_forward or mj_step takes what you have written. What is not here raises
AttributeError; docs/python_words.md has the words of the package itself, which needs no mj_forward.
"""
from __future__ import annotations

import types

import numpy

from ._low import doubles, ffi, lib, text
from .errors import check
from .models import Model, load, loads
from .runs import Stepper
from .structs import elements

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Optional

    from ._methods import Path

mjtObj = types.SimpleNamespace(mjOBJ_BODY=1, mjOBJ_JOINT=3, mjOBJ_ACTUATOR=19, mjOBJ_SENSOR=20, mjOBJ_KEY=23)
_KINDS = {1: 'body', 3: 'joint', 19: 'actuator', 20: 'sensor', 23: 'key'}


class _Option:
    """timestep, s, and gravity, m/s^2: both may be set."""

    def __init__(self, timestep: float, gravity: Any) -> None: self.timestep, self.gravity = timestep, gravity


class MjModel:
    """A model file with MuJoCo's physics. `cardan` is the cardan.Model behind it."""

    def __init__(self, model: Model) -> None:
        self.cardan, method, step = model, ffi.new('cdn_method *'), ffi.new('double *')
        check(lib.cdn_model_steps_of_file(model._model, method, step))
        self._method = text(lib.cdn_method_name(method[0]))
        state = model.state()
        self._gravity = next((e for e in elements(model._system, 'force') if e == 'gravity'), None)
        gravity = [state.parameter('force', 'gravity', f'g.{x}') for x in 'xyz'] if self._gravity else [0, 0, 0]
        self.opt = _Option(step[0], numpy.array(gravity, dtype=numpy.float64))
        self._names = {'body': ['world', *model.bodies], 'joint': model.joints, 'actuator': model.controls,
                       'key': model.keys}
        sensors, out = [], ffi.new('cdn_model_sensor *')
        for i in range(lib.cdn_model_sensor_count(model._model)):
            check(lib.cdn_model_get_sensor(model._model, i, out))
            sensors.append((text(out.name), ffi.new('cdn_measure *', [out.measure.i])[0], out.n))
        self._sensors = sensors
        self._names['sensor'] = [name for name, *_ in sensors]
        self.nq, self.nv, self.na, self.nu = model.nq, model.nu, model.nz, len(model.controls)
        self.nbody, self.njnt, self.nsensordata = len(model.bodies) + 1, len(model.joints), sum(n for *_, n in sensors)
        self.nkey, self.nsensor = len(model.keys), len(sensors)
        self._turning = [(s, s.nq == 7) for s in model._slots.values() if s.nq > s.nu]  # balls, and free joints
        for slots in model._slots.values():
            if lib.cdn_body_mobilizer(model._system, slots.body) not in _SAME:
                raise NotImplementedError('joints of this model have no numbers of MuJoCo')

    @classmethod
    def from_xml_path(cls, path: Path) -> MjModel: return cls(load(path, contact='soft', equality='soft'))

    @classmethod
    def from_xml_string(cls, xml: str) -> MjModel: return cls(loads(xml, contact='soft', equality='soft'))

    def body(self, name: str) -> Any: return types.SimpleNamespace(id=self._id('body', name), name=name)
    def actuator(self, name: str) -> Any: return types.SimpleNamespace(id=self._id('actuator', name), name=name)

    def joint(self, name: str) -> Any:
        slots = self.cardan.joint(name)
        return types.SimpleNamespace(id=self._id('joint', name), name=name, qposadr=slots.first_q, dofadr=slots.first_u)

    def _id(self, kind: str, name: str) -> int:
        if name not in self._names[kind]: raise KeyError(f'there is no {kind} {name!r}: {", ".join(self._names[kind])}')
        return self._names[kind].index(name)

    # ---- numbers of MuJoCo and ours: q of free joints, and the axes of angular velocities

    def _q_of(self, qpos: Any) -> Any:
        q = qpos.copy()
        for s, free in self._turning:
            if free: q[s.first_q:s.first_q + 7] = numpy.roll(qpos[s.first_q:s.first_q + 7], 4)
        return q

    def _qpos_of(self, q: Any) -> Any:
        qpos = q.copy()
        for s, free in self._turning:
            if free: qpos[s.first_q:s.first_q + 7] = numpy.roll(q[s.first_q:s.first_q + 7], -4)
        return qpos

    def _T(self, q: Any) -> Any:
        """u = T qvel."""
        T = numpy.eye(self.nv)
        for s, free in self._turning:
            w, x, y, z = q[s.first_q:s.first_q + 4] / numpy.linalg.norm(q[s.first_q:s.first_q + 4])
            R = numpy.array([[1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
                             [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
                             [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)]])
            a = s.first_u
            T[a:a + s.nu, a:a + s.nu] = 0
            T[a:a + 3, a + 3 * free:a + 3 * free + 3] = R
            if free: T[a + 3:a + 6, a:a + 3] = numpy.eye(3)
        return T


_SAME = {lib.CDN_PIN, lib.CDN_SLIDER, lib.CDN_BALL, lib.CDN_FREE}


class MjData:
    """What you write: qpos, qvel, act, ctrl, qfrc_applied, xfrc_applied, time. What mj_forward and mj_step write: qpos,
    qvel, act, time, qacc, xpos, xquat, xmat, sensordata, energy. `cardan` is the State behind it."""

    def __init__(self, model: MjModel) -> None:
        self.model = m = model
        self._stepper: Optional[Stepper] = None
        self.qpos, self.qvel, self.qacc = numpy.zeros(m.nq), numpy.zeros(m.nv), numpy.zeros(m.nv)
        self.act, self.ctrl, self.sensordata = numpy.zeros(m.na), numpy.zeros(m.nu), numpy.zeros(m.nsensordata)
        self.qfrc_applied, self.xfrc_applied = numpy.zeros(m.nv), numpy.zeros((m.nbody, 6))
        self.xpos, self.xquat = numpy.zeros((m.nbody, 3)), numpy.zeros((m.nbody, 4))
        self.xmat = numpy.zeros((m.nbody, 9))
        self.energy, self.time = numpy.zeros(2), 0.0
        self._bodies = [lib.cdn_model_body(m.cardan._model, i) for i in range(m.nbody - 1)]
        self._begin(m.cardan.state())

    def _begin(self, state: Any) -> None:
        self._stepper, self.cardan = None, state
        self._read(False)
        self.ctrl[:] = list(state.controls.values())
        self.qfrc_applied[:] = 0
        self.xfrc_applied[:] = 0

    def joint(self, name: str) -> Any:
        s = self.model.cardan.joint(name)
        q, u = slice(s.first_q, s.first_q + s.nq), slice(s.first_u, s.first_u + s.nu)
        return types.SimpleNamespace(qpos=self.qpos[q], qvel=self.qvel[u], qacc=self.qacc[u])

    def body(self, name: str) -> Any:
        i = self.model._id('body', name)
        return types.SimpleNamespace(xpos=self.xpos[i], xquat=self.xquat[i], xmat=self.xmat[i],
                                     xfrc_applied=self.xfrc_applied[i])

    def actuator(self, name: str) -> Any:
        i = self.model._id('actuator', name)
        return types.SimpleNamespace(ctrl=self.ctrl[i:i + 1])

    def sensor(self, name: str) -> Any:
        i = self.model._id('sensor', name)
        first = sum(n for *_, n in self.model._sensors[:i])
        return types.SimpleNamespace(data=self.sensordata[first:first + self.model._sensors[i][2]])

    def _write(self, state: Any) -> None:
        """Gives a State what was written into the arrays."""
        m, q = self.model, self.model._q_of(self.qpos)
        T = m._T(q)
        for now, wanted, pool in ((state.q, q, 'q'), (state.u, T @ self.qvel, 'u'), (state.z, self.act, 'z')):
            if not numpy.array_equal(now, wanted): setattr(state, pool, wanted)
        check(lib.cdn_control_set_all(state._state, doubles(self.ctrl)))
        if m._gravity: state.gravity_set('gravity', m.opt.gravity)
        f = numpy.linalg.solve(T.T, self.qfrc_applied)
        check(lib.cdn_state_set_applied_mobility_forces(state._state, doubles(f)))
        for body, F in zip(self._bodies, self.xfrc_applied[1:]):
            if not F.any() and not self._pushed: continue
            com = lib.cdn_body_mass_properties(state._state, body).com
            arm = state.body_pose(_element(body))[0] @ [com.x, com.y, com.z]
            moment = F[3:] + numpy.cross(arm, F[:3])
            spatial = ffi.new('cdn_spatial *')
            ffi.memmove(spatial, numpy.concatenate([moment, F[:3]]), 48)
            check(lib.cdn_state_set_applied_body_force(state._state, body, spatial[0]))
        self._pushed = bool(self.xfrc_applied.any())

    _pushed = False

    def _read(self, computed: bool = True) -> None:
        """Fills the arrays of what a State has; `computed`: of what follows from it, too."""
        m, state = self.model, self.cardan
        self.qpos[:], self.act[:], self.time = m._qpos_of(state.q), state.z, state.time
        T = m._T(state.q)
        self.qvel[:] = numpy.linalg.solve(T, state.u)
        if not computed: return
        self.qacc[:] = numpy.linalg.solve(T, state.udot)
        self.xquat[0], self.xmat[0] = (1, 0, 0, 0), numpy.eye(3).ravel()
        for i, body in enumerate(self._bodies, 1):
            R, self.xpos[i] = state.body_pose(_element(body))
            self.xmat[i] = R.ravel()
            rotation = ffi.new('cdn_rotation *')
            ffi.memmove(rotation, numpy.ascontiguousarray(R.T), 72)
            q = lib.cdn_quaternion_from_rotation(rotation[0])
            self.xquat[i] = q.w, q.x, q.y, q.z
        values = [numpy.zeros(n) if measure.i < 0 else
                  state._result(lib.cdn_measure_value(state._state, measure), n) for _, measure, n in m._sensors]
        if values: self.sensordata[:] = numpy.concatenate(values)
        self.energy[:] = state.energy[::-1]  # potential first


def _element(body: Any) -> Any:
    from .structs import Element
    return Element('body', body.i)


def mj_forward(m: MjModel, d: MjData) -> None:
    """Takes what was written, and fills what follows from it."""
    d._write(d.cardan)
    d.cardan.time = d.time
    d._read()


def mj_step(m: MjModel, d: MjData, nstep: int = 1) -> None:
    """Steps of m.opt.timestep by the integrator of the file. qacc and what follows are those of the end."""
    stepper = d._stepper
    if stepper is None or d.time != d.cardan.time or stepper.step_size != m.opt.timestep:
        d._write(d.cardan)
        d.cardan.time = d.time
        d._stepper = stepper = Stepper(d.cardan, step=m.opt.timestep, method=m._method)
        d.cardan = stepper.state
    d._write(d.cardan)
    for _ in range(nstep): stepper.step()
    d._read()


def mj_resetData(m: MjModel, d: MjData) -> None: d._begin(m.cardan.state())


def mj_resetDataKeyframe(m: MjModel, d: MjData, key: int) -> None: d._begin(m.cardan.state(m._names['key'][key]))


def mj_name2id(m: MjModel, kind: int, name: str) -> int:
    names = m._names[_KINDS[kind]]
    return names.index(name) if name in names else -1


def mj_id2name(m: MjModel, kind: int, i: int) -> Optional[str]:
    names = m._names[_KINDS[kind]]
    return names[i] if 0 <= i < len(names) else None


def mj_fullM(m: MjModel, M: Any, d: Any) -> None:
    """Writes the mass matrix, nv x nv. d: the MjData (in MuJoCo: its qM)."""
    T = m._T(d.cardan.q)
    M[:] = T.T @ d.cardan.calc_M() @ T


def mj_jac(m: MjModel, d: MjData, jacp: Any, jacr: Any, point: Any, body: int) -> None:
    """Writes the Jacobians, 3 x nv, of a point of a body that is given in the world. Either may be None."""
    R, p = (numpy.eye(3), numpy.zeros(3)) if body == 0 else d.cardan.body_pose(_element(d._bodies[body - 1]))
    element = _element(d._bodies[body - 1]) if body else _element(types.SimpleNamespace(i=0))
    J = d.cardan.calc_frame_J(element, R.T @ (numpy.asarray(point) - p)) @ m._T(d.cardan.q)
    if jacp is not None: jacp[:] = J[3:]
    if jacr is not None: jacr[:] = J[:3]


def mj_jacBody(m: MjModel, d: MjData, jacp: Any, jacr: Any, body: int) -> None:
    mj_jac(m, d, jacp, jacr, d.xpos[body], body)
