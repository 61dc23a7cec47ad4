"""Methods that are functions of C: what adds to a model, what sets something in a State or asks it, what an assembly
wants. _methods.pyi has their signatures, which are made of the headers as well."""
from ._interface import ANSWERING, ASSEMBLING, BUILDING, COMMENTS, SETTING


class Adders:
    """The functions that build a System."""


class Setters:
    """The functions that set something in a State."""


class Answers:
    """The functions that a State answers: operators, Jacobians, dynamics, derivatives."""


class Assemblers:
    """The functions of an assembly."""


def _method(of, how, name, function):
    def method(self, *positional, **keywords): return getattr(self, how)(name, function, positional, keywords)
    method.__name__, method.__qualname__, method.__doc__ = name, f'{of.__name__}.{name}', COMMENTS[function]
    setattr(of, name, method)


for _of, _how, _table in ((Adders, '_add', BUILDING), (Setters, '_set', SETTING), (Answers, '_answer', ANSWERING),
                          (Assemblers, '_want', ASSEMBLING)):
    for _name, _function in _table.items(): _method(_of, _how, _name, _function)
