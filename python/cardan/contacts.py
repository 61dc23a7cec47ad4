"""Functions of Python that the library calls for contact: laws between shapes, and sources of further contacts."""
from __future__ import annotations

import itertools
import math
import weakref

from ._low import array, ffi, lib
from .callbacks import Passing, adapter, extern, number, put
from .errors import failure
from .structs import Element, Record, read

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Union

    from ._methods import Numbers

# The pressure of a law knows the numbers of a contact and nothing else. The last of them tells whose law it is.
OWN = lib.CDN_LAW_NUMBERS - 1
_laws, _count = weakref.WeakValueDictionary(), itertools.count(1)


class Contacts(Passing):
    """What a law of contact adds its contacts to: members of cdn_law_contact by keywords. A law with a pressure may
    give a contact four numbers."""

    def __init__(self, held, pointer):
        super().__init__(held, pointer)
        self._held = held

    def __call__(self, point: Numbers, normal: Numbers, depth: float, **more: Any) -> None:
        if status := lib.cdn_law_add(self._pointer, self._contact(point, normal, depth, more)): raise failure(status)

    def _contact(self, point, normal, depth, more):
        if 'pressure' in self._held.functions: more = {**more, 'numbers': self._numbers(*more.get('numbers', ()))}
        return self._writer.filled('cdn_law_contact', {'point': point, 'normal': normal, 'depth': depth, **more})

    def _numbers(self, *numbers):
        if len(numbers) > OWN: raise ValueError(f'numbers: {OWN} at most, not {len(numbers)}')
        if not hasattr(self._held, 'number'):
            self._held.number = next(_count)
            _laws[self._held.number] = self._held
        return [*numbers, *[0] * (OWN - len(numbers)), self._held.number]


class Sources(Contacts):
    """What a source of contacts adds its contacts to: two shapes, and members of cdn_law_contact by keywords."""

    def __call__(self, a: Union[str, Element], b: Union[str, Element], point: Numbers,  # type: ignore[override]
                 normal: Numbers, depth: float, **more: Any) -> None:
        shapes = (self._writer.value(ffi.typeof('cdn_shape'), shape, 'shape') for shape in (a, b))
        contact = self._contact(point, normal, depth, more)
        if status := lib.cdn_source_add(self._pointer, *shapes, contact): raise failure(status)


@adapter('cdn_contact_law_def', 'find')
def _find(held, function, given, out):
    kind = ffi.typeof('cdn_geometry_kind')
    shape = lambda geometry: Record({'kind': read(geometry.kind, kind), 'size': read(geometry.size)})
    touching = Record({'a': shape(given.geometry_a), 'b': shape(given.geometry_b), 'X_GA': read(given.X_GA),
                       'X_GB': read(given.X_GB), 'shape_a': Element('shape', given.a.i),
                       'shape_b': Element('shape', given.b.i), 'material': read(given.combined[0]),
                       'margin': given.margin})
    with Contacts(held, out) as add: function(touching, add)


@adapter('cdn_contact_source_def', 'find')
def _source(held, function, state, out):
    with held.state(state) as state, Sources(held, out) as add: function(state, add)


def _law(member, failed=math.nan):
    """Makes a function the one that C calls for a member of a law: given(function, numbers of the contact, ...)."""
    def made(given):
        def called(numbers, *rest):
            return given(_laws[int(numbers[OWN])].functions[member], array(numbers, OWN), *rest)
        extern('cdn_contact_law_def', member, called, failed)
        return given
    return made


@_law('pressure')
def _pressure(function, numbers, depth, rate): return number(function(numbers, depth, rate), 'a pressure')


@_law('potential')
def _potential(function, numbers, depth): return number(function(numbers, depth), 'the potential of a pressure')


@_law('slopes', None)
def _slopes(function, numbers, depth, rate, slope):
    slope[0] = slope[1] = math.nan  # what remains if the function raises
    put(slope, function(numbers, depth, rate), 2, 'slopes of a pressure')


@_law('bends', None)
def _bends(function, numbers, bends):
    made = function(numbers)
    if made is not None: bends.depth, bends.rate = (math.nan if each is None else each for each in made)
