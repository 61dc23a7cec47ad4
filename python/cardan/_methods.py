"""Methods that are functions of C: what adds to a model, and what sets something in a State. _methods.pyi has their
signatures, which are made of the headers as well."""
from ._interface import BUILDING, COMMENTS, SETTING


class Adders:
    """The functions that build a System."""


class Setters:
    """The functions that set something in a State."""


def _method(of, name, function):
    def method(self, *positional, **keywords): return self._call(name, function, positional, keywords)
    method.__name__, method.__qualname__, method.__doc__ = name, f'{of.__name__}.{name}', COMMENTS[function]
    setattr(of, name, method)


for _of, _table in ((Adders, BUILDING), (Setters, SETTING)):
    for _name, _function in _table.items(): _method(_of, _name, _function)
