"""Assembly: coordinates that satisfy the constraints and come closest to what is wanted (inverse kinematics)."""
from __future__ import annotations

from ._low import Working, ffi, lib
from ._methods import Assemblers
from .errors import failure_of
from .models import Model
from .states import State
from .structs import Element, Record, Writer, call, is_id, named, read

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


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

    def assemble_speeds(self, state: State) -> Record:
        """Likewise of u."""
        return self._found(lib.cdn_assemble_speeds, state)
