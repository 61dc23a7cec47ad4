"""Python's values as C's, and back, by what cffi knows of the types: members of structs are keywords.

One mechanism serves every def, ops and function of the interface:
- an enum is a text, the last part of the constant's name: "pin" for CDN_PIN; an id is a name or an Element;
- a vector is three numbers; a rotation a 3 x 3 matrix; a transform (rotation, position), a position alone, or a 4 x 4
  matrix; an inertia three moments, six numbers or a 3 x 3 matrix; any other struct a dict or a sequence of its members;
- a list stands for a pointer, and its length for the count beside it;
- a function stands for a pointer to one (callbacks.py).
"""
from __future__ import annotations

import functools
import numbers as real

import numpy

from ._interface import CHOICES, PARAMETERS
from ._low import array, encode, ffi, lib, text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

ROOM = 256  # lists without a count beside them are filled with zeros up to this length; none is longer


class Element:
    """An element of a model: a body, a force, a constraint. `kind` is "body" and so on, `i` its number."""
    kind: str
    i: int
    __slots__ = ('kind', 'i')

    def __init__(self, kind: str, i: int) -> None: self.kind, self.i = kind, i
    def __repr__(self): return f'<cardan {self.kind} {self.i}>'
    def __eq__(self, other): return isinstance(other, Element) and (self.kind, self.i) == (other.kind, other.i)
    def __hash__(self): return hash((self.kind, self.i))
    def __reduce__(self): return (Element, (self.kind, self.i))


def named(kind):
    """The name of a type, without "struct" or "enum"."""
    return kind.cname.rpartition(' ')[2] if kind.kind in ('struct', 'enum') else kind.cname


def unknown(what, name, known):
    """What to say of a name that is not there."""
    import difflib  # what few calls need is imported there: all of it would take as long as NumPy
    known = [str(k) for k in known]
    near = difflib.get_close_matches(str(name), known, 1)
    said = f'{near[0]!r} is there' if near else 'there is none at all' if not known else \
        f'there are {", ".join(known)}' if len(known) <= 8 else f'there are {len(known)} others'
    return f'there is no {what} {name!r}; {said}'


def elements(system, kind):
    """The names of all elements of a kind, such as "body"."""
    count, name = (getattr(lib, each, None) for each in (f'cdn_system_{kind}_count', f'cdn_{kind}_name'))
    if not count or not name: return []
    return [text(name(system, ffi.new(f'cdn_{kind} *', [i])[0])) for i in range(count(system))]


# ---- enums

@functools.lru_cache(None)
def choices(enum):
    """{"pin": CDN_PIN, ...} of an enum of C: names without what all of them begin with."""
    return {word: getattr(lib, name) for word, name in CHOICES[enum].items()}


def choice(enum, given):
    """The number of an enum's constant by its text; numbers stay."""
    if isinstance(given, real.Integral) and not isinstance(given, bool): return int(given)
    table = choices(enum)
    if not isinstance(given, str): raise TypeError(f'{enum}: a text is needed, not {type(given).__name__}')
    key = given.lower().replace('-', '_').replace(' ', '_')
    parts = [name for name in table if set(key.split('_')) <= set(name.split('_'))]
    if key not in table and len(parts) == 1: key = parts[0]  # "exact" for "exact_equality"
    if key not in table: raise ValueError(f'{enum[4:]}: {unknown("choice", given, table)}')
    return table[key]


def word(enum, value):
    """The text of an enum's constant."""
    return next((key for key, number in choices(enum).items() if number == value), str(value))


# ---- Python to C

def flat(value, n, what):
    made = numpy.asarray(value, dtype=numpy.float64).ravel()
    if made.size != n: raise ValueError(f'{what}: {n} numbers are needed, not {made.size}')
    return made.tolist()


def rotation(value):
    made = numpy.asarray(value, dtype=numpy.float64)
    if made.shape != (3, 3): raise ValueError(f'a rotation is a 3 x 3 matrix, not of shape {made.shape}')
    return made.T.ravel().tolist()  # C has its columns


def transform(value):
    if isinstance(value, (tuple, list)) and len(value) == 2 and numpy.ndim(value[0]) == 2:
        return rotation(value[0]) + flat(value[1], 3, 'a position')
    made = numpy.asarray(value, dtype=numpy.float64)
    if made.shape == (4, 4): return rotation(made[:3, :3]) + made[:3, 3].tolist()
    return [1, 0, 0, 0, 1, 0, 0, 0, 1] + flat(made, 3, 'a position')


def inertia(value):
    made = numpy.asarray(value, dtype=numpy.float64)
    if made.shape == (3, 3): return [made[0, 0], made[1, 1], made[2, 2], made[0, 1], made[0, 2], made[1, 2]]
    return flat(made, 3, 'moments of inertia') + [0, 0, 0] if made.size == 3 else flat(made, 6, 'an inertia')


_VALUES = {'cdn_rotation': rotation, 'cdn_transform': transform, 'cdn_inertia': inertia}


def is_id(kind):
    return kind.kind == 'struct' and named(kind) != 'cdn_ticket' and bool(kind.fields) and \
        [name for name, _ in kind.fields] == ['i']


class Writer:
    """Turns the arguments of one call into C's. What C reads during the call lives as long as the Writer."""

    def __init__(self, system):
        self.system, self.kept, self.functions, self.objects = system, [], {}, []

    def keep(self, made):
        self.kept.append(made)
        return made

    def id(self, kind, given):
        """The number of an element: of a name, an Element or its number."""
        what = kind[4:]
        if isinstance(given, Element):
            if given.kind != what: raise TypeError(f'a {what} is needed, not a {given.kind}')
            return given.i
        if isinstance(given, real.Integral) and not isinstance(given, bool): return int(given)
        if given is None and what == 'body' or given == 'Ground': return 0
        find = getattr(lib, f'cdn_system_find_{what}', None)
        if find is None: raise TypeError(f'a {what} is an Element: what adding it has returned')
        i = find(self.system, encode(given)).i
        if i < 0: raise KeyError(unknown(what, given, elements(self.system, what)))
        return i

    def ticket(self, given):
        if not isinstance(given, (str, Element)):
            raise TypeError(f'a ticket is an Element or a name, not {type(given).__name__}')
        if isinstance(given, Element):
            name = {'measure': 'cdn_measure_ticket', 'control': 'cdn_control_ticket', 'path': 'cdn_path_ticket'}
            if given.kind not in name: raise TypeError(f'a {given.kind} has no ticket')
            return getattr(lib, name[given.kind])(self.system, ffi.new(f'cdn_{given.kind} *', [given.i])[0])
        made = getattr(lib, 'CDN_' + given.upper(), None) if given.isidentifier() else None
        if made is None: made = lib.cdn_system_find_ticket(self.system, encode(given))
        if made.i == 0: raise KeyError(f'there is no ticket {given!r}')
        return made

    def value(self, kind, given, what, place=None):
        """`given` as a value of a type of C. place: where a struct of this type is, whose other members stay."""
        if isinstance(given, ffi.CData): return given
        if kind.kind == 'enum': return choice(named(kind), given)
        if kind.kind == 'primitive':
            if isinstance(given, (str, bytes)) or given is None:
                raise TypeError(f'{what}: a number is needed, not {given!r}')
            return {'_Bool': bool, 'double': float, 'float': float}.get(named(kind), int)(given)
        if kind.kind == 'struct': return self.struct(kind, given, what, place)
        if kind.kind == 'array':
            if named(kind.item) == 'char': return encode(given)
            return [self.value(kind.item, each, what) for each in given]
        if kind.kind == 'pointer': return self.pointer(kind.item, given, what)
        raise TypeError(f'{what}: {given!r} cannot be given to C')

    def struct(self, kind, given, what, place=None):
        made = ffi.new(f'{named(kind)} *', place) if place is not None else ffi.new(f'{named(kind)} *')
        if named(kind) == 'cdn_ticket': return self.ticket(given)
        if is_id(kind): made.i = self.id(named(kind), given)
        elif isinstance(given, dict): self.members(made, given)
        elif named(kind) in _VALUES: ffi.memmove(made, numpy.array(_VALUES[named(kind)](given)), ffi.sizeof(kind))
        elif all(named(field.type) == 'double' or named(field.type) == 'cdn_vec3' for _, field in kind.fields):
            ffi.memmove(made, numpy.array(flat(given, ffi.sizeof(kind) // 8, what)), ffi.sizeof(kind))
        else:
            given = (given,) if isinstance(given, (str, Element, real.Real)) else tuple(given)
            if len(given) > len(kind.fields): raise ValueError(f'{what}: {named(kind)} has {len(kind.fields)} members')
            self.members(made, {name: each for (name, _), each in zip(kind.fields, given)})
        return made[0]

    def pointer(self, item, given, what):
        if given is None: return ffi.NULL
        if named(item) == 'char': return self.keep(ffi.new('char[]', encode(given)))
        if named(item) == 'cdn_function' and hasattr(given, '_pointer'):
            self.objects.append(given)
            return given._pointer
        if item.kind == 'struct' and isinstance(given, dict) and item.fields: return self.filled(named(item), given)
        if named(item) == 'double':
            return self.keep(ffi.new('double[]', [*map(float, numpy.ravel(given)), *[0] * ROOM]))
        if item.kind == 'struct' and item.fields and (named(item) in _VALUES and numpy.ndim(given[0]) != 1):
            return self.keep(ffi.new(named(item) + ' *', self.value(item, given, what)))
        if item.kind in ('struct', 'enum', 'primitive', 'pointer') and isinstance(given, (list, tuple, numpy.ndarray)):
            return self.keep(ffi.new(f'{ffi.getctype(item)}[]', [self.value(item, each, what) for each in given] or 1))
        raise TypeError(f'{what}: {given!r} cannot be given to C')

    # ---- defs and ops

    def filled(self, name, keywords):
        """A def or ops of its defaults and of these members."""
        default = getattr(lib, name.replace('cdn_', 'cdn_default_', 1), None)
        made = self.keep(ffi.new(name + ' *', default()) if default else ffi.new(name + ' *'))
        if not default and any(member == 'struct_size' for member, _ in ffi.typeof(name).fields):
            made.struct_size = ffi.sizeof(name)
        self.members(made, keywords)
        return made

    def members(self, made, keywords):
        """Sets members of a struct. A keyword that it does not have is one of its ops, or of its subsystem."""
        kind = ffi.typeof(made).item
        fields, inner = dict(kind.fields), {}
        known = [n for n in fields if n != 'struct_size']
        within = next((n for n, f in kind.fields if n == 'subsystem' or f.type.kind == 'pointer' and
                       named(f.type.item).endswith('_ops')), None)
        inside = within and (fields[within].type.item if fields[within].type.kind == 'pointer' else fields[within].type)
        for name, given in keywords.items():
            if name in fields and name != 'struct_size':
                self.member(kind, made, name, fields[name].type, given, fields)
            elif within and name in dict(inside.fields): inner[name] = given
            else: raise TypeError(unknown(f'member of {named(kind)}', name, known))
        if inner and fields[within].type.kind == 'pointer':
            setattr(made, within, self.filled(named(fields[within].type.item), inner))
        elif inner: self.members(ffi.addressof(made, within), inner)

    def member(self, kind, made, name, type_, given, fields):
        if callable(given) and type_.kind == 'function':
            call = getattr(lib, f'cardan_{named(kind)}_{name}', None)
            if call is None: raise TypeError(f'{named(kind)}.{name} cannot be a function of Python')
            from . import contacts  # it and callbacks.py have what C calls
            self.functions[name] = given
            return setattr(made, name, call)
        if given is None and type_.kind == 'function': return setattr(made, name, ffi.NULL)
        if type_.kind == 'struct': return setattr(made, name, self.value(type_, given, name, getattr(made, name)))
        setattr(made, name, self.value(type_, given, name))
        if type_.kind == 'pointer' and f'n_{name}' in fields and given is not None:
            setattr(made, f'n_{name}', len(given))


def arguments(function, positional, keywords):
    """The arguments of a function of C by the names of its parameters, without the first: {name: value}. Further
    keywords are members of its def or ops. Counts are those of the lists beside them."""
    names = PARAMETERS[function][1:]
    types = ffi.typeof(getattr(lib, function)).args[1:]
    kinds = dict(zip(names, types))
    taken = next((n for n in names if n in ('def', 'ops')), None)
    visible = [n for n in names if n not in ('def', 'ops', 'self') and not is_count(n, kinds)]
    if taken and 'name' not in visible: visible.insert(0, 'name')
    if len(positional) > len(visible):
        raise TypeError(f'{function}: {len(visible)} arguments at most, by position: {", ".join(visible)}')
    given = dict(zip(visible, positional))
    for name, value in keywords.items():
        if name in given: raise TypeError(f'{function}: {name} is given twice')
        given[name] = value
    missing = [n for n in visible if n not in given and n != 'name']
    if missing: raise TypeError(f'{function}: {missing[0]} is missing')
    inside = {n: given.pop(n) for n in list(given) if n not in kinds}
    if inside and not taken: raise TypeError(f'{function}: {unknown("argument", next(iter(inside)), visible)}')
    return given, taken, inside, kinds


def is_count(name, kinds):
    return named(kinds[name]) == 'int' and (name in ('n', 'm', 'mobilities') or name.startswith('n_'))


def is_list(kind):
    return kind.kind == 'pointer' and kind.item.kind != 'function' and named(kind.item) not in ('char', 'void') and \
        not (kind.item.kind == 'struct' and not kind.item.fields)


def call(function, first, system, positional, keywords, private=None):
    """Calls a function of C by names: first, and what arguments() says. private: makes the private part of functions of
    Python. Returns what C returns, and the Writer."""
    given, taken, inside, kinds = arguments(function, positional, keywords)
    writer = Writer(system)
    made = {}
    if taken: made[taken] = writer.filled(named(kinds[taken].item), inside)
    names, used = list(kinds), set()
    for at, name in enumerate(names):
        if name == taken or name == 'self': continue
        if is_count(name, kinds):
            before = names[at - 1] if at and is_list(kinds[names[at - 1]]) and names[at - 1] not in used else None
            of = before or next(n for n in names[at + 1:] if is_list(kinds[n]))
            used.add(of)
            made[name] = 0 if given.get(of) is None else len(given[of])
        else: made[name] = None if name not in given else writer.value(kinds[name], given[name], name)
        if made[name] is None: made[name] = ffi.NULL
    if writer.functions: hold(made.get(taken), private(writer), made, kinds)
    if 'self' in kinds and 'self' not in made: made['self'] = ffi.NULL
    return getattr(lib, function)(first, *[made[name] for name in kinds]), writer


def hold(struct, private, made, kinds):
    """Puts the private part of functions of Python to where the def or the function wants it."""
    place = struct
    for name in ('ops', 'custom', 'subsystem'):
        if name in dict(ffi.typeof(place).item.fields):
            inner = getattr(place, name)
            if ffi.typeof(inner).kind == 'struct': inner = ffi.addressof(place, name)
            if inner != ffi.NULL: place = inner
    place.self_size = ffi.sizeof('void *')
    if 'self' in kinds: made['self'] = private
    else: setattr(struct, 'custom_self' if 'custom_self' in dict(ffi.typeof(struct).item.fields) else 'self', private)


# ---- C to Python

class Record:
    """Members of a struct of C, as they were."""

    def __init__(self, members): self.__dict__.update(members)

    if TYPE_CHECKING:
        def __getattr__(self, name: str) -> Any: ...

    def __repr__(self): return f'{type(self).__name__}({", ".join(f"{k}={v!r}" for k, v in self.__dict__.items())})'


def read(value, kind=None):
    """A value of C as Python's: numbers, texts, arrays, and Records of structs."""
    kind = kind or ffi.typeof(value)
    name = named(kind)
    if kind.kind == 'primitive': return value
    if kind.kind == 'enum': return word(name, value)
    if kind.kind == 'array':
        if named(kind.item) == 'char': return text(value)
        if named(kind.item) == 'double': return array(value, kind.length)
        return [read(each, kind.item) for each in value]
    if kind.kind == 'struct':
        if is_id(kind): return Element(name[4:], value.i)
        if name in ('cdn_vec3', 'cdn_spatial', 'cdn_rotation', 'cdn_transform', 'cdn_quaternion'):
            made = array(ffi.cast('double *', ffi.addressof(value)), ffi.sizeof(kind) // 8)
            if name == 'cdn_rotation': return made.reshape(3, 3).T.copy()
            return (made[:9].reshape(3, 3).T.copy(), made[9:]) if name == 'cdn_transform' else made
        return Record({n: read(getattr(value, n), f.type) for n, f in kind.fields if readable(f.type)})
    if value == ffi.NULL: return None
    return text(value) if named(kind.item) == 'char' else read(value[0], kind.item)


def readable(kind):
    if kind.kind != 'pointer': return True
    return named(kind.item) == 'char' or kind.item.kind == 'struct' and bool(kind.item.fields)
