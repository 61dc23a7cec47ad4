"""Controls over time: a table whose rows hold from their times until the next ones (docs/controls.md)."""
from __future__ import annotations

import numpy

from ._low import encode, ffi, lib
from .errors import check
from .structs import unknown
from .tables import Table, read_table

ROUNDING = 1e-6  # of a step: a row acts in a step that begins so little before it


class Inputs:
    """What a run takes of a table, or of the file of one. A row acts at its time; in equal steps from the first step
    that begins then or later. Controls that it does not name keep their values."""

    def __init__(self, source, model):
        table = source if isinstance(source, Table) else read_table(source)
        values = numpy.asarray(table.values)
        if not table.names or table.names[0] != 'time': raise ValueError('controls: the first column is not `time`')
        if not numpy.isfinite(values).all(): raise ValueError('controls: the table has numbers that are not finite')
        if (numpy.diff(values[:, 0]) < 0).any(): raise ValueError('controls: the times of the table decrease')
        self.controls = []
        for name in table.names[1:]:
            found = lib.cdn_system_find_control(model._system, encode(name))
            if found.i < 0: raise KeyError(unknown('control', name, model.controls))
            self.controls.append(found)
        self.times, self.rows = values[:, 0].tolist(), values[:, 1:].tolist()
        self.first = self.next = self.attempt = 0
        self.untaken = False

    def begin(self, state):
        """The row that holds at the start."""
        while self.first < len(self.times) and self.times[self.first] <= state.time: self.first += 1
        if self.first: check(self._set(state._state, self.first - 1))
        self.next = self.first

    def _set(self, state, k):
        for control, value in zip(self.controls, self.rows[k]):
            if status := lib.cdn_control_set(state, control, value): return status
        return lib.CDN_OK

    def advance(self, stepper, t, reason=ffi.NULL, attempt=0):
        """As cdn_stepper_advance, with the rows before t; CDN_ERR_LIMIT after each of them: to be called again."""
        if attempt != self.attempt: self.attempt, self.next, self.untaken = attempt, self.first, False
        stop, due = self._stop(stepper, t)
        if due:
            self.next, self.untaken = self.next + 1, True
            return self._set(lib.cdn_stepper_state(stepper), self.next - 1) or lib.CDN_ERR_LIMIT
        why = ffi.new('cdn_return_reason *')
        if status := lib.cdn_stepper_advance(stepper, stop, why): return status
        self.untaken = False
        if reason != ffi.NULL: reason[0] = why[0]
        return lib.CDN_ERR_LIMIT if why[0] == lib.CDN_REACHED_TIME and stop < t else lib.CDN_OK

    def _stop(self, stepper, t):
        """Where to advance to, and whether the next row acts there and now. The run sees a row before the next one."""
        now, step = lib.cdn_state_time(lib.cdn_stepper_state(stepper)), lib.cdn_stepper_get_def(stepper).fixed_step
        if self.untaken: return now, False
        due = self.times[self.next] - ROUNDING * step if self.next < len(self.times) else t
        if due >= t: return t, False
        if now < due: return due, False
        certificate = ffi.new('cdn_certificate *')
        if step > 0 and not lib.cdn_stepper_certificate(stepper, certificate) and certificate.time_final > now:
            return min(certificate.time_final, t), False  # a State within a step comes to its end first
        return now, True
