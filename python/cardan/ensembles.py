"""Many States of one model at once."""
import numpy

from ._low import doubles, ffi, fill, lib, numbers
from .errors import failure_of
from .models import POOLS
from .runs import method_of
from .states import State


class Ensemble:
    """`count` States of one model, all alike at first. Arrays are K x nq, K x nu, K x nz.

    method, accuracy: as those of simulate. threads: with the caller's. controls: whether each State has its own.
    """

    def __init__(self, state, count, *, method=None, accuracy=1e-4, threads=1, controls=False, companion=False):
        if not isinstance(state, State): raise TypeError('an ensemble is made of a cardan.State')
        d = ffi.new('cdn_ensemble_def *', lib.cdn_default_ensemble_def())
        d.count, d.threads, d.accuracy, d.companion = count, threads, accuracy, companion
        if controls: d.vary = lib.CDN_VARY_CONTROLS
        if method is not None: d.method = method_of(method)
        out = ffi.new('cdn_ensemble **')
        if lib.cdn_ensemble_create(state._state, d, out): raise state._failure()
        self.model, self.count = state.model, count
        self._ensemble = ffi.gc(out[0], lib.cdn_ensemble_destroy)
        self._start = state

    def _size(self, pool): return {'q': self.model.nq, 'u': self.model.nu, 'z': self.model.nz}[pool]

    def _check(self, status):
        if status: raise failure_of('cdn_ensemble', self._ensemble, status)

    def get(self, pool, out=None):
        """The numbers of "q", "u" or "z": K rows."""
        made = fill(out, (self.count, self._size(pool)), pool)
        self._check(lib.cdn_ensemble_get(self._ensemble, POOLS[pool], doubles(made), self._size(pool)))
        return made

    def set(self, pool, values):
        """Sets the numbers of "q", "u" or "z": K rows."""
        values = numbers(values, (self.count, self._size(pool)), pool)
        self._check(lib.cdn_ensemble_set(self._ensemble, POOLS[pool], doubles(values), self._size(pool)))

    def rates(self, pool, out=None):
        """The rates of "q", "u" or "z": K rows."""
        made = fill(out, (self.count, self._size(pool)), pool)
        self._check(lib.cdn_ensemble_rates(self._ensemble, POOLS[pool], doubles(made), self._size(pool)))
        return made

    def set_controls(self, values):
        """Sets the control inputs: K rows, in the order of model.controls."""
        n = len(self.model.controls)
        values = numbers(values, (self.count, n), 'controls')
        self._check(lib.cdn_ensemble_set_controls(self._ensemble, doubles(values), n))

    q = property(lambda self: self.get('q'), lambda self, values: self.set('q', values))
    u = property(lambda self: self.get('u'), lambda self, values: self.set('u', values))
    z = property(lambda self: self.get('z'), lambda self, values: self.set('z', values))

    @property
    def time(self):
        """The times of the States, s."""
        return numpy.array([lib.cdn_ensemble_time(self._ensemble, k) for k in range(self.count)])

    def step(self, h, n=1):
        """n steps of h seconds of every State."""
        self._check(lib.cdn_ensemble_advance(self._ensemble, h, n))

    def advance(self, t):
        """Every State to time t, s, under error control."""
        self._check(lib.cdn_ensemble_advance_to(self._ensemble, t))

    def state(self, k):
        """A copy of State k."""
        made = self._start.copy()
        self._check(lib.cdn_ensemble_get_state(self._ensemble, k, made._state))
        return made

    def __len__(self): return self.count
