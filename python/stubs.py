"""Signatures of the methods that are functions of C, for type checkers and editors: the stub _methods.pyi."""
import re

HEAD = '''"""Made by binding.py of the public headers."""
import os
from typing import Any, Callable, Literal, Mapping, Optional, Sequence, Tuple, Union

import numpy
from numpy.typing import NDArray

from .models import Function
from .structs import Element

Array = NDArray[numpy.float64]
Body = Union[str, Element, None]
Path = Union[str, 'os.PathLike[str]']
Pool = Literal['q', 'u', 'z']
Numbers = Union[Sequence[float], NDArray[Any]]
Matrix = Union[Sequence[Sequence[float]], NDArray[Any]]
Transform = Union[Numbers, Matrix, Tuple[Matrix, Numbers]]
Members = Union[Mapping[str, Any], Tuple[Any, ...]]
Call = Callable[..., Any]
'''
VALUES = {'double': 'float', 'float': 'float', 'bool': 'bool', 'cdn_vec3': 'Numbers', 'cdn_spatial': 'Numbers',
          'cdn_quaternion': 'Numbers', 'cdn_rotation': 'Matrix', 'cdn_transform': 'Transform',
          'cdn_inertia': 'Union[Numbers, Matrix]', 'cdn_ticket': 'Union[str, Element]',
          'cdn_body': 'Body', 'char': 'str'}
INTEGERS = {'int', 'unsigned', 'int32_t', 'uint32_t', 'int64_t', 'uint64_t', 'size_t'}


class Types:
    def __init__(self, reading, choices):
        self.reading, self.used = reading, {}
        self.choices = {enum.name: choices(enum) for enum in reading.enums.values() if ' ' not in enum.name}

    def value(self, kind):
        """The type of one value of a type of C."""
        if kind in VALUES: return VALUES[kind]
        if kind in INTEGERS: return 'int'
        if kind in self.choices:
            alias = ''.join(part.title() for part in kind.split('_')[1:])
            words = ', '.join(repr(word) for word in self.choices[kind])
            self.used[alias] = f'Union[int, Literal[{words}]]'
            return alias
        struct = self.reading.structs.get(kind)
        if struct and [m.name for m in struct.members] == ['i']: return 'Union[str, Element]'
        return 'Members' if struct else 'Any'

    def of(self, variable):
        """The type of a parameter or a member; None: Python cannot give it."""
        kind, lengths = variable.type, variable.lengths
        if '(*)' in kind or kind.endswith('_fn *'): return 'Call'
        bare = re.sub(r'^const | \*$', '', kind.replace('const char *', 'text'))
        if kind == 'const char *': return 'Sequence[str]' if lengths else 'Optional[str]'
        if bare == 'cdn_function': return 'Sequence[Optional[Function]]' if lengths else 'Function'
        if kind.endswith('*'):
            struct = self.reading.structs.get(bare)
            if kind.endswith('* *') or bare in ('void', 'text') or bare.startswith('cdn_') and not struct and \
                    bare not in self.choices: return None
            if struct and struct.members[0].name == 'struct_size': return 'Members'
            if bare == 'cdn_transform': return 'Transform'
            lengths = ['']
        if lengths: return 'Numbers' if bare == 'double' else f'Sequence[{self.value(bare)}]'
        return self.value(kind)


def members(types, functions, struct):
    """Keywords that set the members of a def or ops; a function only where it may be Python's."""
    counts = {f'n_{m.name}' for m in struct.members}
    for member in struct.members:
        ops = types.reading.structs.get(re.sub(r'^const | \*$', '', member.type))
        if member.name in ('struct_size', 'self', 'custom_self', 'self_size', 'name') or member.name in counts: continue
        if ops and (ops.name.endswith('_ops')): yield from members(types, functions, ops)
        else:
            made = types.of(member)
            if made is None or made == 'Call' and member.name not in functions.get(struct.name, []): continue
            yield f'{member.name}: {made} = ...'


def signature(types, functions, function):
    taken, after, out = None, [], []
    for p in function.parameters[1:]:
        if p.name in ('def', 'ops'): taken = types.reading.structs[re.sub(r'^const | \*$', '', p.type)]
        elif p.name == 'self' or p.type == 'int' and (p.name in ('n', 'm', 'mobilities') or p.name.startswith('n_')):
            continue
        else:
            alone = p.name == 'name' and len(function.parameters) < 3
            out.append(f'{p.name}: {types.of(p)}' + (' = ...' if alone else ''))
    if taken:
        if not any(p.startswith('name:') for p in out): out.insert(0, 'name: Optional[str] = ...')
        named = {p.split(':')[0] for p in out}
        first = list(dict.fromkeys(m for m in members(types, functions, taken) if m.split(':')[0] not in named))
        if out[0].endswith('= ...') and len(out) > 1: out[0] = out[0].replace(' = ...', '')
        after = ['*', *first] if first else []
    returns = function.returns
    made = 'None' if returns in ('void', 'cdn_status') else 'Element'
    return ', '.join(['self', *out, *after]), made


def answering(types, function, reads, writes):
    """The signature of what a State answers."""
    out = []
    for p in function.parameters[1:]:
        if p.name in writes or p.type == 'int' and p.name == 'n': continue
        if p.name in reads: made = 'Any' if len(reads[p.name]) > 1 else 'Optional[Numbers]'
        elif p.type == 'const cdn_body *': made = 'Union[Body, Sequence[Body]]'
        elif p.type == 'const cdn_vec3 *': made = 'Any'
        else: made = types.of(p)
        out.append(f'{p.name}: {made}' + (' = ...' if p.name in reads else ''))
    defaults = [o for o in out if o.endswith('= ...')]
    last = lambda i: all(o in defaults for o in out[i:])  # only these may be left out
    out = [o if last(i) else o.replace(' = ...', '') for i, o in enumerate(out)]
    kinds = {p.name: p.type for p in function.parameters}
    results = ['Tuple[Array, Array]' if 'transform' in kinds[n] and shape is None else
               'float' if shape == () else 'Array' for n, shape in writes.items()]
    if results == ['Array'] and None not in writes.values(): out += ['*', 'out: Optional[Array] = ...']
    return ', '.join(['self', *out]), results[0] if len(results) == 1 else f'Tuple[{", ".join(results)}]'


def stubs(reading, choices, functions, methods, operators):
    types, body = Types(reading, choices), []
    for name, table in methods.items():
        body += ['', '', f'class {name}:']
        for method, function in table.items():
            inside, returns = signature(types, functions, function)
            body.append(f'    def {method}({inside}) -> {returns}: ...')
    body += ['', '', 'class Answers:']
    for method, (function, reads, writes) in operators.items():
        inside, returns = answering(types, function, reads, writes)
        body.append(f'    def {method}({inside}) -> {returns}: ...')
    yield HEAD
    yield from (f'{alias} = {made}' for alias, made in sorted(types.used.items()))
    yield from body
