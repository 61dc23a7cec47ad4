"""What the package is made of, beside its own files: the binding that cffi compiles, names and comments of functions
that build models, and stubs. All of it follows from the public headers.

Run as a program it writes one of them: binding.py ROOT binding|interface|stubs FILE
"""
import keyword
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
FUNCTIONS = {'cdn_force_ops': ['calc_force', 'calc_potential', 'calc_derivative', 'calc_kinks',
                               'calc_control_derivative'],
             'cdn_measure_ops': ['calc_value'],
             'cdn_constraint_ops': ['calc_position', 'calc_rows', 'calc_velocity', 'calc_bias'],
             'cdn_custom_mobilizer_ops': ['across', 'Hdot_u', 'N', 'N_inv', 'Ndot_u', 'fit'],
             'cdn_motion_ops': ['q', 'qdot', 'qdotdot', 'u', 'udot'], 'cdn_function_ops': ['calc'],
             'cdn_event_def': ['value', 'next_time', 'handle', 'report'],
             'cdn_contact_law_def': ['find', 'pressure', 'slopes', 'potential', 'bends'],
             'cdn_contact_source_def': ['find'], 'cdn_deliver_def': ['report', 'keep', 'pause', 'advance'],
             'cdn_sweep_run_def': ['between']}


def read(root=ROOT):
    """The reading of the headers, with parameters that Python can have: lambda_. (Members of a def are keywords.)"""
    reading = headers.read(root)
    for item in reading.functions.values():
        for p in item.parameters: p.name += '_' * (keyword.iskeyword(p.name) and p.name != 'def')
    return reading


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
    reading = read(root)
    ffi = cffi.FFI()
    ffi.cdef(reading.declarations())
    ffi.cdef('\n'.join(callbacks(reading)))
    ffi.set_source('cardan._binding', '#include <cardan/cardan.h>', **compiling)
    return ffi


# What needs handles that the package does not have.
NOT_BUILDING = {'cdn_system_freeze', 'cdn_system_add_subsystem', 'cdn_system_add_molecule', 'cdn_element_set_user',
                'cdn_system_set_contact_filter', 'cdn_system_follow_table'}


def building(reading):
    """The functions that add to a model, by the names of methods."""
    return {re.sub('^cdn_(system_)?', '', f.name): f for f in reading.functions.values()
            if f.parameters and f.parameters[0].type == 'cdn_system *' and not f.behind and f.name not in NOT_BUILDING}


def assembling(reading):
    """The functions of an assembly, by the names of methods."""
    return {f.name[13:]: f for f in reading.functions.values()
            if f.name.startswith('cdn_assembly_') and f.exported and not f.behind and
            f.parameters[0].type == 'cdn_assembly *' and not f.name.endswith(('destroy', 'add_goal', 'add_table_markers'))}


# What takes lists whose lengths nobody tells, or has other ways in Python.
NOT_SETTING = 'cdn_(state|realize|project|settle|model|region|displace|force_field|draw|element|control_set_all)'


def setting(reading):
    """The functions that set something in a State and give nothing back, by the names of methods."""
    inward = lambda p: p.type.startswith('const ') or not p.type.endswith('*')
    return {f.name[4:]: f for f in reading.functions.values()
            if f.returns == 'cdn_status' and f.exported and not f.behind and f.parameters[0].type == 'cdn_state *' and
            len(f.parameters) > 1 and all(inward(p) for p in f.parameters[1:]) and f.parameters[-1].name and
            not re.match(NOT_SETTING, f.name) and not any(p.lengths for p in f.parameters)}


# What a State answers with: shapes of the arrays, by the names of parameters. nq, nu, nz; nb: bodies, Ground included;
# m: constraint equations; n: length of a list of bodies; y: 2 nu + nz; c: controls; nothing: one number. Structs that
# are written (a pose, a vector) have none.
OPERATORS = '''
multiply_by_N u=nu qdot=nq
multiply_by_N_inv qdot=nq u=nu
multiply_by_N_transpose f_q=nq f_u=nu
multiply_by_N_inv_transpose f_u=nu f_q=nq
calc_qdotdot udot=nu qdotdot=nq
calc_udot_of_qdotdot qdotdot=nq udot=nu
difference q=nq v=nu
body_pose
body_velocity
body_acceleration
body_X_FM
body_V_FM
body_station
center_of_mass
center_of_mass_velocity
calc_center_of_mass_acceleration udot=nu
momentum
central_momentum
calc_momentum_rate udot=nu
calc_centroidal_momentum_matrix A_G=6,nu
calc_centroidal_momentum_bias
calc_subtree_center_J J=3,nu
calc_subtree_momentum_matrix H=3,nu
multiply_by_J u=nu V_G=nb,6
multiply_by_J_transpose F_G=nb,6 f=nu
calc_J J=6nb,nu
calc_Jdot_u A_G=nb,6
multiply_by_station_J u=nu v_G=n,3
multiply_by_station_J_transpose f_G=n,3 f=nu
calc_station_J J=3n,nu
calc_station_Jdot_u a_G=n,3
multiply_by_frame_J u=nu V_G=n,6
multiply_by_frame_J_transpose F_G=n,6 f=nu
calc_frame_J J=6n,nu
calc_frame_Jdot_u A_G=n,6
calc_axis_J J=3n,nu
calc_body_accelerations udot=nu A_G=nb,6
calc_station_accelerations udot=nu a_G=n,3
calc_station_operational_inertia Lambda=3n,3n
calc_station_operational_inertia_inv Lambda_inv=3n,3n
calc_frame_operational_inertia Lambda=6n,6n
calc_frame_operational_inertia_inv Lambda_inv=6n,6n
multiply_by_M a=nu f=nu
multiply_by_M_inv f=nu a=nu
calc_M M=nu,nu
calc_M_inv M_inv=nu,nu
calc_log_det_M log_det=
calc_log_det_M_gradient g=nu
calc_body_kinetic_energies energy=nb
inverse_dynamics udot=nu F_G=nb,6 f_mob=nu f=nu
forward_dynamics F_G=nb,6 f_mob=nu udot=nu A_G=nb,6
residual udot=nu r=nu
calc_bias f_bias=nu
calc_gravity_forces f=nu
calc_gravity_compensation f=nu
calc_reaction_forces udot=nu F_G=nb,6
applied_forces F_G=nb,6 f_mob=nu
total_forces F_G=nb,6 f_mob=nu
external_forces F_G=nb,6
nonpotential_power power=
constraint_power power=
multiply_by_G a=nu r=m
multiply_by_G_transpose lambda_=m f=nu
calc_G G=m,nu
calc_constraint_bias b=m
calc_udoterr udot=nu udoterr=m
calc_G_M_inv_G_transpose W=m,m
solve_constrained f=nu b=m x=nu lambda_=m
inverse_dynamics_derivatives udot=nu dtau_dq=nu,nu dtau_du=nu,nu dtau_dz=nu,nz
forward_dynamics_derivatives dudot_dq=nu,nu dudot_du=nu,nu dudot_df=nu,nu dudot_dz=nu,nz
qdot_derivatives dqdot_dq=nq,nq N=nq,nu N_inv=nu,nq
step_derivatives dx_dx=y,y dx_dtau=y,nu dx_dc=y,c
step_inverse_dynamics u_next=nu tau=nu
inertial_parameters pi=nb,10
inverse_dynamics_regressor udot=nu Y=nu,10nb
'''


def operators(reading):
    """{method: (function, shapes of what it reads, shapes of what it writes; None: a struct)}."""
    found = {}
    for line in OPERATORS.split('\n'):
        if not line: continue
        method, *given = line.split()
        function = reading.functions['cdn_' + method]
        shapes = {name: tuple(filter(None, shape.split(','))) for name, shape in (a.split('=') for a in given)}
        arrays = [p.name for p in function.parameters if re.match(r'(const )?double \*', p.type)]
        missing = [name for name in arrays if name not in shapes]
        if missing: raise SystemExit(f'binding.py: {method}: no shapes of {missing}')
        writes = [p.name for p in function.parameters[1:] if p.type.endswith('*') and not p.type.startswith('const')]
        found[method] = (function, {n: s for n, s in shapes.items() if n not in writes},
                         {n: shapes.get(n) for n in writes})
    return found


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
    methods = {'Adders': building(reading), 'Setters': setting(reading), 'Assemblers': assembling(reading)}
    return '\n'.join(stubs.stubs(reading, choices, FUNCTIONS, methods, operators(reading))) + '\n'


def interface(reading):
    """Names of parameters, which cffi does not keep, comments of the functions that build and set, words of enums."""
    answering = operators(reading)
    tables = {'BUILDING': building(reading), 'SETTING': setting(reading), 'ASSEMBLING': assembling(reading),
              'ANSWERING': {method: f for method, (f, *_) in answering.items()}}
    functions = {f.name: f for table in tables.values() for f in table.values()}
    tables = {name: {method: f.name for method, f in table.items()} for name, table in tables.items()}
    tables['CHOICES'] = {enum.name: choices(enum) for enum in reading.enums.values() if ' ' not in enum.name}
    tables['SHAPES'] = {f.name: shapes for f, *shapes in answering.values()}
    tables['PARAMETERS'] = {name: tuple(p.name for p in f.parameters) for name, f in functions.items()}
    tables['COMMENTS'] = {name: f.doc for name, f in functions.items()}
    lines = ['"""Made by binding.py of the public headers."""']
    for name, table in tables.items(): lines += [f'{name} = {{', *(f'    {k!r}: {v!r},' for k, v in table.items()), '}']
    return '\n'.join(lines) + '\n'


if __name__ == '__main__':
    root, what, file = sys.argv[1:]
    if what == 'binding': builder(root).emit_c_code(file)
    else: pathlib.Path(file).write_text({'interface': interface, 'stubs': signatures}[what](read(root)))
