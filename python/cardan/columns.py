"""Arrays whose columns have names and units."""
from __future__ import annotations

import numpy

from .structs import unknown


class Columns(numpy.ndarray):
    """Rows of numbers, one column a slot, with `names` and `units`. A text finds columns: the name of a slot
    ("knee.q", "torso.q[2]"), or of a joint ("knee": all its slots; one dimension less if it has one)."""

    def __new__(cls, values, names, units=None):
        made = numpy.asarray(values, dtype=numpy.float64).view(cls)
        made.names, made.units = list(names), list(units or [''] * len(names))
        return made

    def __array_finalize__(self, other):
        self.names, self.units = getattr(other, 'names', None), getattr(other, 'units', None)

    def places(self, name: str) -> list[int]:
        """The columns of a slot or joint."""
        if not isinstance(name, str): raise TypeError(f'the name of a column is a str, not {type(name).__name__}')
        found = [i for i, slot in enumerate(self.names or []) if slot == name]
        found = found or [i for i, slot in enumerate(self.names or []) if joint_of(slot) == name]
        if not found:
            raise KeyError(unknown('column', name, sorted({*map(joint_of, self.names or []), *(self.names or [])})))
        return found

    def __getitem__(self, key):
        if isinstance(key, str):
            found = self.places(key)
            return numpy.asarray(self)[..., found[0] if len(found) == 1 else found]
        made = super().__getitem__(key)
        if isinstance(made, Columns) and made.shape[-1:] != self.shape[-1:]: return numpy.asarray(made)
        return made

    def __array_wrap__(self, made, context=None, return_scalar=False):
        return made[()] if made.ndim == 0 else numpy.asarray(made)

    def __reduce__(self):
        return (Columns, (numpy.asarray(self), self.names, self.units))


def joint_of(slot):
    """"torso" for "torso.q[2]"."""
    return slot.rpartition('.')[0] or slot
