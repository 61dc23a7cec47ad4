"""What the package is made of, beside its own files: the binding that cffi compiles, names and comments of functions
that build models, and stubs. All of it follows from the public headers.

Run as a program it writes one of them: binding.py ROOT binding|interface|stubs FILE
"""
import pathlib
import re
import sys

import cffi

ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / 'tools'))
sys.path.insert(0, str(ROOT / 'python'))
import headers
import stubs

# Functions that may be Python's: the package has what converts their arguments (callbacks.py).
FUNCTIONS = {'cdn_force_ops': ['calc_force', 'calc_potential'], 'cdn_measure_ops': ['calc_value'],
             'cdn_constraint_ops': ['calc_position', 'calc_rows', 'calc_velocity', 'calc_bias'],
             'cdn_custom_mobilizer_ops': ['across', 'Hdot_u', 'N', 'N_inv', 'Ndot_u'], 'cdn_function_ops': ['calc'],
             'cdn_event_def': ['value', 'next_time', 'handle', 'report'], 'cdn_contact_law_def': ['find'],
             'cdn_deliver_def': ['report', 'keep', 'pause']}


def callbacks(reading):
    """Declares a function of Python for each of them: cardan_STRUCT_MEMBER."""
    for name, wanted in FUNCTIONS.items():
        types = {member.name: member.type for member in reading.structs[name].members}
        for member in wanted:
            if types[member].endswith('_fn *'):
                named = reading.callbacks[types[member][:-2]]
                returns, taken = named.returns, re.search(r'\(.*\)', named.text).group()
            else: returns, taken = types[member].split(' (*)')
            yield f'extern "Python" {returns} cardan_{name}_{member}{taken};'


def builder(root=ROOT, **compiling):
    reading = headers.read(root)
    ffi = cffi.FFI()
    ffi.cdef(reading.declarations())
    ffi.cdef('\n'.join(callbacks(reading)))
    ffi.set_source('cardan._binding', '#include <cardan/cardan.h>', **compiling)
    return ffi


# What needs handles that the package does not have.
NOT_BUILDING = {'cdn_system_freeze', 'cdn_system_add_subsystem', 'cdn_system_add_molecule', 'cdn_element_set_user',
                'cdn_system_set_contact_filter', 'cdn_system_add_contact_source'}


def building(reading):
    """The functions that add to a model, by the names of methods."""
    return {re.sub('^cdn_(system_)?', '', f.name): f for f in reading.functions.values()
            if f.parameters and f.parameters[0].type == 'cdn_system *' and not f.behind and f.name not in NOT_BUILDING}


# What takes lists whose lengths nobody tells, or has other ways in Python.
NOT_SETTING = 'cdn_(state|realize|project|model|region|displace|force_field|draw|element|control_set_all)'


def setting(reading):
    """The functions that set something in a State and give nothing back, by the names of methods."""
    inward = lambda p: p.type.startswith('const ') or not p.type.endswith('*')
    return {f.name[4:]: f for f in reading.functions.values()
            if f.returns == 'cdn_status' and f.exported and not f.behind and f.parameters[0].type == 'cdn_state *' and
            len(f.parameters) > 1 and all(inward(p) for p in f.parameters[1:]) and f.parameters[-1].name and
            not re.match(NOT_SETTING, f.name) and not any(p.lengths for p in f.parameters)}


def choices(enum):
    """{"pin": "CDN_PIN", ...}: constants of an enum by what is left of their names without what all begin with."""
    names = [c.name for c in enum.members if not c.name.endswith('_COUNT')]
    words = [name.split('_') for name in names]
    shared = 1
    while len(words) > 1 and all(len(w) > shared + 1 for w in words) and len({w[shared] for w in words}) == 1:
        shared += 1
    return {'_'.join(w[shared:]).lower(): name for w, name in zip(words, names)}


def signatures(reading):
    """The stub of the methods."""
    methods = {'Adders': building(reading), 'Setters': setting(reading)}
    return '\n'.join(stubs.stubs(reading, choices, FUNCTIONS, methods)) + '\n'


def interface(reading):
    """Names of parameters, which cffi does not keep, comments of the functions that build and set, words of enums."""
    tables = {'BUILDING': building(reading), 'SETTING': setting(reading)}
    functions = {f.name: f for table in tables.values() for f in table.values()}
    tables = {name: {method: f.name for method, f in table.items()} for name, table in tables.items()}
    tables['CHOICES'] = {enum.name: choices(enum) for enum in reading.enums.values() if ' ' not in enum.name}
    tables['PARAMETERS'] = {name: tuple(p.name for p in f.parameters) for name, f in functions.items()}
    tables['COMMENTS'] = {name: f.doc for name, f in functions.items()}
    lines = ['"""Made by binding.py of the public headers."""']
    for name, table in tables.items(): lines += [f'{name} = {{', *(f'    {k!r}: {v!r},' for k, v in table.items()), '}']
    return '\n'.join(lines) + '\n'


if __name__ == '__main__':
    root, what, file = sys.argv[1:]
    if what == 'binding': builder(root).emit_c_code(file)
    else: pathlib.Path(file).write_text({'interface': interface, 'stubs': signatures}[what](headers.read(root)))
