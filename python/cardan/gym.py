"""Environments of Gymnasium: one, and many at once over an ensemble. Needs the package gymnasium.

A Task says what is done: the model, how observations, rewards and ends follow from K x nq and K x nu arrays. The same
task serves one environment and many:

    env = cardan.gym.Environment(cardan.gym.Quadruped())
    many = cardan.gym.VectorEnvironment(cardan.gym.Quadruped(), 4096, threads=8)
"""
from __future__ import annotations

import math
import pathlib

import numpy

from ._low import ffi, lib
from .ensembles import Ensemble
from .errors import check
from .models import Model, load
from .views import Camera

try: import gymnasium
except ImportError as missing:
    raise ImportError('cardan.gym needs the package gymnasium: pip install gymnasium') from missing

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Dict, Optional, Tuple

    from ._methods import Array

DATA = pathlib.Path(__file__).parent / 'data'


class Task:
    """What environments do. Arrays have a row for each environment: q (K x nq), u (K x nu), action (K x controls).

    model; steps: `substeps` steps of `step` seconds for each action; method: of the steps (None: Dormand-Prince 5(4));
    limit: how many actions an episode has at most. Actions are the controls of the model, within their limits.
    """

    def __init__(self, model: Model, *, step: float, substeps: int, method: Optional[str] = None,
                 limit: int = 1000) -> None:
        self.model, self.step, self.substeps, self.method, self.limit = model.freeze(), step, substeps, method, limit
        state, lower, upper = model.state(), ffi.new('double *'), ffi.new('double *')
        bounds = []
        for i in range(len(model.controls)):
            check(lib.cdn_control_limits(state._state, ffi.new('cdn_control *', [i])[0], lower, upper))
            bounds.append((lower[0], upper[0]))
        self.lower, self.upper = numpy.array(bounds, dtype=numpy.float32).T
        self.q0, self.u0 = state.q.copy(), state.u.copy()

    def start(self, rng: Any) -> Tuple[Array, Array]:
        """q and u at the start of an episode, drawn from a numpy.random.Generator."""
        return self.q0.copy(), self.u0 + 0.01 * rng.standard_normal(self.model.nu)

    def observe(self, q: Array, u: Array) -> Array:
        """What is seen: K rows."""
        return numpy.hstack([q, u])

    def reward(self, before: Tuple[Array, Array], after: Tuple[Array, Array], action: Array) -> Array:
        """K rewards of one action: `before` and `after` are (q, u)."""
        raise NotImplementedError

    def ended(self, q: Array, u: Array) -> Any:
        """Which episodes are over: K truths. An environment whose State cannot be computed is over in any case."""
        return numpy.zeros(len(q), dtype=bool)


class _Legged(Task):
    """A body on a free joint that is to walk along x, and not to fall."""

    def __init__(self, path: Any, height: Tuple[float, float], effort: float, key: Optional[str] = None,
                 step: float = 0.002, substeps: int = 10, limit: int = 1000) -> None:
        super().__init__(load(path, contact='soft'), step=step, substeps=substeps, method='mujoco-euler', limit=limit)
        self.height, self.effort = height, effort
        if key is not None: self.q0 = self.model.state(key).q.copy()

    def start(self, rng: Any) -> Tuple[Array, Array]:
        q, u = super().start(rng)
        q[7:] += 0.01 * rng.standard_normal(len(q) - 7)
        return q, u

    def observe(self, q: Array, u: Array) -> Array:
        seen = numpy.hstack([q[:, :4], q[:, 6:], u])  # not where it is on the ground
        seen[:, :4] *= numpy.where(seen[:, :1] < 0, -1, 1)  # both quaternions of a rotation are the same
        return seen

    def reward(self, before: Tuple[Array, Array], after: Tuple[Array, Array], action: Array) -> Array:
        speed = (after[0][:, 4] - before[0][:, 4]) / (self.step * self.substeps)
        return 1 + speed - self.effort * (action ** 2).sum(axis=1)

    def ended(self, q: Array, u: Array) -> Any:
        return (q[:, 6] < self.height[0]) | (q[:, 6] > self.height[1])


class Quadruped(_Legged):
    """A trunk on four legs with three motors each, which starts in a crouch."""

    def __init__(self, path: Any = DATA / 'quadruped.xml', **more: Any) -> None:
        super().__init__(path, (0.12, 1.0), 5e-5, key='crouch', **more)


class Humanoid(_Legged):
    """A humanoid with 17 motors, which starts upright."""

    def __init__(self, path: Any = DATA / 'humanoid.xml', **more: Any) -> None:
        super().__init__(path, (0.8, 2.0), 1e-4, **more)


class FourBar(Task):
    """A four-bar linkage whose crank is to turn at a steady speed while its load varies with the angle. The loop is
    closed by constraints that hold exactly, and every start is on them."""

    LENGTHS = {'ground': 0.9, 'crank': 0.4, 'coupler': 1.0, 'rocker': 0.8}  # m

    def __init__(self, speed: float = 4.0, limit: int = 500) -> None:
        super().__init__(self.linkage(), step=0.01, substeps=4, limit=limit)
        self.speed = speed

    @classmethod
    def linkage(cls) -> Model:
        """The model: a crank that a motor turns, a coupler, a rocker."""
        L = cls.LENGTHS
        rod = lambda length: (1.0, [0, 0, 0], [length ** 2 / 12 + 0.001] * 3)
        model = Model('four-bar')
        model.add_gravity('gravity', [0, -9.81, 0])
        model.add_body('crank', mobilizer='pin', X_BM=[-L['crank'] / 2, 0, 0], mass=rod(L['crank']))
        model.add_body('coupler', parent='crank', mobilizer='pin', X_PF=[L['crank'] / 2, 0, 0],
                       X_BM=[-L['coupler'] / 2, 0, 0], mass=rod(L['coupler']))
        model.add_body('rocker', mobilizer='pin', X_PF=[L['ground'], 0, 0], X_BM=[-L['rocker'] / 2, 0, 0],
                       mass=rod(L['rocker']))
        ends = [L['coupler'] / 2, 0, 0], [L['rocker'] / 2, 0, 0]
        model.constrain_point_in_plane('along', 'coupler', [1, 0, 0], ends[0][0], 'rocker', ends[1])
        model.constrain_point_in_plane('across', 'coupler', [0, 1, 0], 0, 'rocker', ends[1])
        model.add_mobility_damper('load', 'rocker', 0, c=1)
        model.add_control('torque', unit='N m', lower=-20, upper=20)
        model.add_actuator('motor', body='crank', control='torque')
        return model

    def closed(self, crank: float) -> Array:
        """q of the closed linkage at an angle of the crank."""
        L = self.LENGTHS
        gap = [L['ground'] - L['crank'] * math.cos(crank), -L['crank'] * math.sin(crank)]
        distance = math.hypot(*gap)
        inner = math.acos((L['coupler'] ** 2 + distance ** 2 - L['rocker'] ** 2) / (2 * L['coupler'] * distance))
        coupler = math.atan2(gap[1], gap[0]) + inner
        rocker = math.atan2(L['coupler'] * math.sin(coupler) - gap[1], L['coupler'] * math.cos(coupler) - gap[0])
        return numpy.array([crank, coupler - crank, rocker])

    def start(self, rng: Any) -> Tuple[Array, Array]:
        return self.closed(rng.uniform(-math.pi, math.pi)), numpy.zeros(3)

    def observe(self, q: Array, u: Array) -> Array:
        return numpy.hstack([numpy.cos(q[:, :1]), numpy.sin(q[:, :1]), u[:, :1]])

    def reward(self, before: Tuple[Array, Array], after: Tuple[Array, Array], action: Array) -> Array:
        return 1 - ((after[1][:, 0] - self.speed) / self.speed) ** 2 - 1e-4 * action[:, 0] ** 2


class _World:
    """The States of the environments of a task."""

    def __init__(self, task: Task, count: int, **members: Any) -> None:
        if not isinstance(task, Task): raise TypeError('an environment needs a cardan.gym.Task')
        method = {} if task.method is None else {'method': task.method}
        self.task, self.ensemble = task, Ensemble(task.model, count, vary='controls', **method, **members)
        self._state, self.steps = task.model.state(), numpy.zeros(count, dtype=int)
        self.action_space = gymnasium.spaces.Box(task.lower, task.upper, dtype=numpy.float32)
        n = task.observe(task.q0[None], task.u0[None]).shape[1]
        self.observation_space = gymnasium.spaces.Box(-numpy.inf, numpy.inf, (n,), dtype=numpy.float64)

    def begin(self, k: int, rng: Any) -> None:
        self._state.time, (self._state.q, self._state.u) = 0.0, self.task.start(rng)
        self.ensemble.set_state(k, self._state)
        self.steps[k] = 0

    def now(self) -> Tuple[Array, Array]: return self.ensemble.q, self.ensemble.u

    def advance(self, actions: Array) -> Tuple[Array, Any, Any]:
        """One action of all: rewards, and which episodes are over, by themselves or by their length."""
        actions, task = numpy.asarray(actions, dtype=numpy.float64), self.task
        before = self.now()
        self.ensemble.set_controls(actions)
        failed = self.ensemble.try_step(task.step, task.substeps)
        after = self.now()
        self.steps += 1
        with numpy.errstate(all='ignore'):  # of States that have failed
            rewards = task.reward(before, after, numpy.clip(actions, task.lower, task.upper))
            over = task.ended(*after) | failed
        return numpy.where(failed, 0.0, rewards), over, (self.steps >= task.limit) & ~over


class Environment(gymnasium.Env):  # type: ignore[misc]
    """One environment. render_mode "rgb_array": render() is a picture."""

    def __init__(self, task: Task, render_mode: Optional[str] = None, width: int = 480, height: int = 360) -> None:
        self.metadata = {'render_modes': ['rgb_array'], 'render_fps': round(1 / (task.step * task.substeps))}
        if render_mode not in (None, 'rgb_array'): raise ValueError(f'render_mode is "rgb_array", not {render_mode!r}')
        self._world, self.task, self.render_mode = _World(task, 1), task, render_mode
        self.action_space, self.observation_space = self._world.action_space, self._world.observation_space
        self._size = width, height
        self._camera: Optional[Camera] = None

    def reset(self, *, seed: Optional[int] = None, options: Optional[Dict[str, Any]] = None) -> Any:
        """Begins an episode; seed: of its random numbers. Returns what is seen, and an empty dict."""
        super().reset(seed=seed)
        self._world.begin(0, self.np_random)
        return self.task.observe(*self._world.now())[0], {}

    def step(self, action: Any) -> Any:
        """One action: what is seen, the reward, whether it is over, whether it is cut off, an empty dict."""
        rewards, over, cut = self._world.advance(numpy.reshape(action, (1, -1)))
        return self.task.observe(*self._world.now())[0], float(rewards[0]), bool(over[0]), bool(cut[0]), {}

    @property
    def state(self) -> Any:
        """A copy of the State."""
        return self._world.ensemble.state(0)

    def render(self) -> Any:
        """A picture, height x width x 3 bytes; None without a render_mode."""
        if self.render_mode is None: return None
        if self._camera is None: self._camera = Camera(self.state, *self._size)
        return self._camera(self.state)[:, :, :3].copy()

    def close(self) -> None:
        """Frees what draws."""
        self._camera = None


class VectorEnvironment(gymnasium.vector.VectorEnv):  # type: ignore[misc]
    """K environments of one task, advanced together: in the lanes of the processor, and by `threads` threads. An
    environment whose episode is over begins anew at the next step, whatever its action then is (NEXT_STEP). Other
    keywords are members of cdn_ensemble_def."""

    def __init__(self, task: Task, num_envs: int, **members: Any) -> None:
        self._world, self.task, self.num_envs = _World(task, num_envs, **members), task, num_envs
        modes = getattr(gymnasium.vector, 'AutoresetMode', None)
        self.metadata = {'autoreset_mode': modes.NEXT_STEP if modes else 'NextStep'}
        self.single_action_space = self._world.action_space
        self.single_observation_space = self._world.observation_space
        batch = lambda space: gymnasium.spaces.Box(numpy.tile(space.low, (num_envs, 1)),
                                                   numpy.tile(space.high, (num_envs, 1)), dtype=space.dtype)
        self.action_space = batch(self.single_action_space)
        self.observation_space = batch(self.single_observation_space)
        self._over = numpy.zeros(num_envs, dtype=bool)
        self._seed(None)

    def _seed(self, seed: Any) -> None:
        seeds = numpy.random.SeedSequence(seed).spawn(self.num_envs) if not isinstance(seed, (list, tuple)) else seed
        self._random = [numpy.random.default_rng(each) for each in seeds]

    def reset(self, *, seed: Any = None, options: Optional[Dict[str, Any]] = None) -> Any:
        """seed: a number for all, or a list of one for each."""
        if seed is not None: self._seed(seed)
        for k, rng in enumerate(self._random): self._world.begin(k, rng)
        self._over[:] = False
        return self.task.observe(*self._world.now()), {}

    def step(self, actions: Any) -> Any:
        """K actions: K rows of what is seen, rewards, what is over, what is cut off, a dict."""
        begun = self._over.copy()
        rewards, over, cut = self._world.advance(actions)
        for k in numpy.flatnonzero(begun): self._world.begin(k, self._random[k])
        rewards[begun], over[begun], cut[begun] = 0.0, False, False
        self._over = over | cut
        return self.task.observe(*self._world.now()), rewards, over, cut, {}

    def close_extras(self, **more: Any) -> None:
        """Nothing is to be closed."""
        pass
