"""What stands in for the package gymnasium in tests: the parts of its interface that environments use, and the rules of
its checker (gymnasium.utils.env_checker), written anew."""
import inspect
import types

import numpy


class Box:
    def __init__(self, low, high, shape=None, dtype=numpy.float32, seed=None):
        self.dtype = numpy.dtype(dtype)
        self.shape = tuple(shape) if shape is not None else numpy.shape(low)
        self.low = numpy.broadcast_to(low, self.shape).astype(self.dtype)
        self.high = numpy.broadcast_to(high, self.shape).astype(self.dtype)
        self._random = numpy.random.default_rng(seed)

    def seed(self, seed): self._random = numpy.random.default_rng(seed)

    def sample(self):
        finite = numpy.isfinite(self.low) & numpy.isfinite(self.high)
        made = self._random.standard_normal(self.shape)
        made[finite] = self._random.uniform(self.low[finite], self.high[finite])
        return made.astype(self.dtype)

    def contains(self, x):
        return isinstance(x, numpy.ndarray) and numpy.can_cast(x.dtype, self.dtype) and x.shape == self.shape and \
            bool((x >= self.low).all() and (x <= self.high).all())


class Env:
    metadata, render_mode, spec, _np_random = {'render_modes': []}, None, None, None

    @property
    def unwrapped(self): return self

    @property
    def np_random(self):
        if self._np_random is None: self._np_random = numpy.random.default_rng()
        return self._np_random

    def reset(self, *, seed=None, options=None):
        if seed is not None: self._np_random = numpy.random.default_rng(seed)


class VectorEnv:
    pass


spaces = types.SimpleNamespace(Box=Box)
vector = types.SimpleNamespace(VectorEnv=VectorEnv, AutoresetMode=types.SimpleNamespace(NEXT_STEP='NextStep'))


def check_env(env):
    """The rules of the checker, for environments of boxes; an AssertionError says which one is broken."""
    assert isinstance(env, Env) and isinstance(env.action_space, Box) and isinstance(env.observation_space, Box)
    for space in (env.action_space, env.observation_space):
        assert (space.low <= space.high).all() and space.low.shape == space.high.shape == space.shape
    assert numpy.isfinite(env.action_space.low).all() and not (env.action_space.low == env.action_space.high).any()
    parameters = inspect.signature(env.reset).parameters
    assert 'seed' in parameters and parameters['seed'].default is None and 'options' in parameters
    pair = env.reset(seed=123)
    assert isinstance(pair, tuple) and len(pair) == 2 and isinstance(pair[1], dict)
    assert env.observation_space.contains(pair[0]), 'the observation is not in its space'
    state = env.unwrapped._np_random.bit_generator.state
    again, _ = env.reset(seed=123)
    assert (pair[0] == again).all() and env.unwrapped._np_random.bit_generator.state == state
    other, _ = env.reset(seed=456)
    assert env.unwrapped._np_random.bit_generator.state != state and not (other == again).all()
    env.reset(options={})
    env.reset()
    runs = []
    for _ in range(2):
        env.reset(seed=7)
        env.action_space.seed(7)
        runs.append([env.step(env.action_space.sample()) for _ in range(3)])
    for one, two in zip(*runs):
        assert (one[0] == two[0]).all() and one[1:4] == two[1:4], 'the same seed and actions give other results'
        seen, reward, terminated, truncated, info = one
        assert env.observation_space.contains(seen) and not numpy.isnan(seen).any()
        assert isinstance(reward, (float, int, numpy.floating)) and numpy.isfinite(reward)
        assert isinstance(terminated, bool) and isinstance(truncated, bool) and isinstance(info, dict)
    modes = env.metadata['render_modes']
    assert isinstance(modes, list) and env.metadata['render_fps'] > 0
    assert env.render_mode is None or env.render_mode in modes
    if env.render_mode == 'rgb_array':
        picture = env.render()
        assert picture.dtype == numpy.uint8 and picture.ndim == 3 and picture.shape[2] == 3
    else: assert env.render() is None
    env.close()
    env.close()
