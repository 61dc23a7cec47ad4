"""What a State answers: functions of C that write arrays or structs, with shapes that are checked."""
import re

import numpy

from ._interface import PARAMETERS, SHAPES
from ._low import ffi, fill, lib, numbers
from .errors import check
from .structs import Writer, is_count, is_list, named, read, unknown

def size(text, sizes):
    """The length that a text such as "nu", "6n" or "10" tells."""
    factor, name = re.fullmatch(r'(\d*)([a-z]*)', text).groups()
    return int(factor or 1) * (sizes[name] if name else 1)


def answer(function, state, positional, keywords, out=None):
    """Calls the function: arguments by names, then what it writes as one thing, or as a tuple of several."""
    names, call, (reads, writes) = PARAMETERS[function][1:], getattr(lib, function), SHAPES[function]
    kinds = dict(zip(names, ffi.typeof(call).args[1:]))
    inward = [n for n in names if n not in writes and not is_count(n, kinds)]
    if len(positional) > len(inward): raise TypeError(f'{function}: {len(inward)} arguments at most')
    given = dict(zip(inward, positional))
    for name, value in keywords.items():
        if name not in inward: raise TypeError(f'{function}: {unknown("argument", name, inward)}')
        if name in given: raise TypeError(f'{function}: {name} is given twice')
        given[name] = value
    sizes = dict(state._sizes())
    missing = [n for n in inward if n not in given and n not in reads]
    if missing: raise TypeError(f'{function}: {missing[0]} is missing')
    for name in inward:  # lists of bodies with their points: one of them alone is a list of one
        if is_list(kinds[name]) and named(kinds[name].item) == 'cdn_body' and name in given:
            one = not isinstance(given[name], (list, tuple))
            given[name] = [given[name]] if one else given[name]
            sizes['n'] = len(given[name])
            points = inward[inward.index(name) + 1]
            given[points] = numpy.reshape(given[points], (-1, 3)) if points in given else None
    shape_of = lambda shape: shape and tuple(size(each, sizes) for each in shape)
    writer, made, arguments = Writer(state.model._system), [], []
    for name, kind in kinds.items():
        if is_count(name, kinds): arguments.append(sizes['n'])
        elif name in writes:
            shape = shape_of(writes[name])
            arguments.append(place(kind.item, shape, out if len(writes) == 1 else None, made))
        elif name in reads and given.get(name) is None: arguments.append(ffi.NULL)
        elif name in reads:
            values = writer.keep(numbers(given[name], shape_of(reads[name]), name))
            arguments.append(ffi.cast(kind, ffi.from_buffer(values)))
        elif is_list(kind) and named(kind.item) == 'cdn_vec3' and len(given[name]) != sizes['n']:
            raise ValueError(f'{name}: {sizes["n"]} points are needed, not {len(given[name])}')
        else: arguments.append(writer.value(kind, given[name], name))
    check(call(state._state, *arguments))
    results = [result(each) for each in made]
    return results[0] if len(results) == 1 else tuple(results)


def result(made):
    """What was written, as Python has it."""
    if not isinstance(made, numpy.ndarray): return read(made[0])
    return made if made.ndim else float(made)


def place(kind, shape, out, made):
    """Where C writes an array of this shape, or a struct."""
    if shape is None:  # of a struct
        made.append(ffi.new(named(kind) + ' *'))
        return made[-1]
    made.append(fill(out, shape, 'out'))
    return ffi.cast(ffi.typeof(named(kind) + ' *'), ffi.from_buffer(made[-1]))
