"""Assembly: coordinates that satisfy the constraints and come closest to what is wanted (inverse kinematics)."""
from __future__ import annotations

import numpy

from ._low import Working, array, ffi, lib
from ._methods import Assemblers
from .errors import check, failure_of
from .models import Model
from .states import State
from .structs import Element, Record, Writer, call, is_id, named, read

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Tuple, Union

    from ._methods import Array, Path
    from .runs import Run
    from .tables import Table


class Assembly(Assemblers, Working):
    """What is wanted of a model's States: markers, orientations, coordinates with weights; locks and bounds.

        arm = cardan.Assembly(model)
        hand = arm.add_marker("hand", "forearm", [0, 0, -0.3], weight=1)
        arm.observe_marker(hand, [0.4, 0.1, 0.9])
        arm.assemble(state)

    The methods are functions of C, without "cdn_assembly_"; keywords here are members of cdn_assembly_def. Without a
    goal the nearest coordinates that satisfy the constraints are found.
    """

    def __init__(self, model: Model, **members: Any) -> None:
        if not isinstance(model, Model): raise TypeError('an assembly is made of a cardan.Model')
        self.model, out = model.freeze(), ffi.new('cdn_assembly **')
        writer = Writer(model._system)
        status = lib.cdn_assembly_create(model._system, writer.filled('cdn_assembly_def', members), out)
        self._assembly = ffi.gc(out[0], lib.cdn_assembly_destroy) if out[0] else ffi.NULL
        if status: raise failure_of('cdn_assembly', self._assembly, status)

    def _want(self, method, function, positional, keywords):
        made, _ = call(function, self._assembly, self.model._system, positional, keywords)
        if isinstance(made, int) and made: raise failure_of('cdn_assembly', self._assembly, made)
        if isinstance(made, ffi.CData) and is_id(ffi.typeof(made)):
            if made.i < 0: raise failure_of('cdn_assembly', self._assembly)
            return Element(named(ffi.typeof(made))[4:], made.i)

    def _found(self, function, state):
        if not isinstance(state, State): raise TypeError('an assembly changes a cardan.State')
        report = ffi.new('cdn_assembly_report *')
        if status := function(self._assembly, state._state, report):
            raise failure_of('cdn_assembly', self._assembly, status)
        return read(report[0])

    def assemble(self, state: State) -> Record:
        """Changes the State's q; returns the report, whose members are those of cdn_assembly_report. Raises
        ConstraintError if the constraints cannot be satisfied."""
        return self._found(lib.cdn_assemble, state)

    def track(self, state: State, table: Union[Table, Path]) -> Tuple[Run, Array]:
        """Inverse kinematics of a recording of markers, a Table or its file (.trc): columns NAME.x, NAME.y, NAME.z, m
        in Ground, for named frames of the model (sites of MJCF). The State is the first guess, and has the last frame in
        the end. Returns the Run of all frames, and what is left in each: the root mean square of the distances, m."""
        from .runs import Run
        from .tables import opened
        if not isinstance(state, State): raise TypeError('an assembly changes a cardan.State')
        if not self.model._model: raise TypeError('markers belong to named frames, which models of files have')
        table = opened(table)
        columns, n = ffi.new('int[]', lib.cdn_table_column_count(table)), ffi.new('int *')
        status = lib.cdn_assembly_add_table_markers(self._assembly, self.model._model, table, columns, n)
        if status: raise failure_of('cdn_assembly', self._assembly, status)
        k, width = lib.cdn_table_row_count(table), lib.cdn_table_column_count(table)
        q, left, report = numpy.empty((k, self.model.nq)), numpy.empty(k), ffi.new('cdn_assembly_report *')
        times = array(lib.cdn_table_values(table), k * width).reshape(k, width)[:, 0]
        markers = ffi.new('cdn_vec3[]', n[0])
        for i in range(k):
            check(lib.cdn_table_markers(table, i, n[0], columns, markers))
            if status := lib.cdn_track(self._assembly, state._state, times[i], n[0], markers, report):
                raise failure_of('cdn_assembly', self._assembly, status)
            q[i], left[i] = state.q, report.marker_rms
        return Run.of(self.model, times, q), left

    def assemble_speeds(self, state: State) -> Record:
        """Likewise of u."""
        return self._found(lib.cdn_assemble_speeds, state)
