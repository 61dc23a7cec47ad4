#!/usr/bin/env python3
"""Reads the public headers and writes C: one function for each of the library's, which calls it with arguments that
test_extreme_arguments.c draws by type; and a table of them. So the test keeps up with the interface.

    extreme_calls.py HEADER... > extreme_calls.h
"""
import pathlib
import re
import sys

sys.path.insert(0, str(pathlib.Path(__file__).parents[2] / 'tools'))
import headers

# Ends what the test still needs, waits for the world outside, takes as long as it is asked to, or is of no interest. Callbacks that tests bring (ops, providers), and
# problems of arrays whose lengths belong together (molecules and their files, tables and sweeps, too), have tests of their own.
LEFT_OUT = re.compile(r'_destroy$|^cdn_renderer_measure$|_release$|_free$|_retain$|^cdn_(buffer|file)_|^cdn_model_load|^cdn_(prmtop|restart|pdb|dcd|table|system_follow|assembly_add_table|molecule|cluster|force_field|mix|hmc|sweep)_|^cdn_model_build$|^cdn_spec_load|^cdn_describe$|^cdn_decorat|^cdn_work_pop$|^cdn_law_add$|^cdn_source_add$|^cdn_trajectory_(open|close)$|_ops\b|_provider\b|^cdn_view_(open|run|close|write)$|^cdn_deliver_sized$|^cdn_philox$|^cdn_random_(uniform|normal)$|cdn_invertible_(create|problem|motion_advance|optimize_path_sized)\b')

# Functions that know how long a list can be, so that they refuse a longer one before they look at it. The others believe what
# they are told, and are told the truth.
KNOW_THE_LENGTH = re.compile(r'cdn_(state_set_|body_set_|body_lock_at|displace|function_linear|track|declare_|element_set_parameters)|'
                             r'(constant|variable)_measure')

# What a call needs of the world that the test makes; the first that fits decides how it is run.
OBJECTS = {
    'cdn_declarer *': ('DECLARER', 'w->declarer'),
    'cdn_forces *': ('FORCES', 'w->forces'),
    'cdn_rows *': ('ROWS', 'w->rows'),
    'cdn_row_list *': ('PROVIDED', 'w->provided'),
    'cdn_region_output *': ('OUTPUT', 'w->output'),
    'cdn_force_derivatives *': ('DERIVATIVES', 'w->derivatives'),
    'cdn_zdot_derivatives *': ('RATES', 'w->rates'),
    'cdn_system *': ('BUILDING', 'w->building'),
    'cdn_stepper *': ('RUNNING', 'w->stepper'),
    'cdn_ensemble *': ('RUNNING', 'w->ensemble'),
    'cdn_assembly *': ('RUNNING', 'w->assembly'),
    'cdn_trajectory *': ('RUNNING', 'w->trajectory'),
    'cdn_model *': ('RUNNING', 'w->model'),
    'cdn_check *': ('RUNNING', 'w->check'),
    'cdn_spec *': ('RUNNING', 'w->spec'),
    'cdn_carry_report *': ('RUNNING', 'w->report'),
    'cdn_invertible *': ('RUNNING', 'w->invertible'),
    'cdn_invertible_motion *': ('RUNNING', 'w->motion'),
    'cdn_spec_tree *': ('RUNNING', 'w->tree'),
    'cdn_function *': ('RUNNING', 'w->function'),
    'cdn_surface *': ('RUNNING', 'w->surface'),
    'cdn_scene *': ('RUNNING', 'w->scene'),
    'cdn_renderer *': ('RUNNING', 'w->renderer'),
    'cdn_view *': ('RUNNING', 'w->view'),
    'cdn_state *': ('RUNNING', 'w->state'),
}
IDS = ['body', 'force', 'event', 'motion', 'constraint', 'measure', 'subsystem', 'goal', 'row_set', 'control', 'shape', 'contact_pair', 'soft_element', 'path', 'one_sided', 'dry_friction', 'kept_reaction']
# Ids of which { -1 } says none or any, and is no mistake.
MAY_BE_NONE = ['except', 'shape_a', 'shape_b', 'body_a', 'body_b']
ENUMS = ['reaction', 'stage', 'pool', 'mobilizer', 'motion_level', 'method', 'status', 'station_quantity', 'energy', 'extreme',
         'sequence', 'axes_fixed', 'spec_kind', 'spec_cone', 'spec_solver_kind', 'spec_integrator', 'geometry_kind', 'element_type', 'invertible_growth', 'soft_kind', 'carry_fate', 'energy_term', 'minimize_end', 'units']
DEF = r'cdn_\w+_(?:def|options|material)|cdn_invertible_law|cdn_spec_(?:body|joint|constraint|frame|shape|asset|sensor|key|solver)'
VALUES = ['vec3', 'quaternion', 'rotation', 'transform', 'spatial', 'angles', 'inertia', 'spatial_inertia', 'mass_properties', 'mobility', 'dvar', 'cache',
          'zvar', 'ticket', 'geometry', 'region', 'computed_region', 'soft_law', 'muscle']


def parameter(p):
    """A Variable's type, and its name: arrays are pointers, and all functions are of one type."""
    if '(*)(' in p.type or p.name == '': return 'function *', ''
    return (p.type + ' *' if p.lengths else p.type), p.name


def argument(kind, name):
    """The C expression that draws it, and the declaration that it needs first."""
    bare = kind.replace('const ', '')
    if bare in OBJECTS:
        return OBJECTS[bare][1]
    if kind == 'double':
        return 'draw_double(w)'
    if kind in ('int', 'int32_t', 'uint32_t', 'unsigned'):
        return '(%s)draw_int(w)' % kind
    if kind == 'int64_t':
        return 'draw_steps(w)'
    if kind == 'size_t':
        return 'draw_stride(w)' if name.endswith('stride') else 'draw_size(w)'
    if kind == 'bool':
        return 'draw_bool(w)'
    m = re.match(r'cdn_(\w+)$', kind)
    if m and m.group(1) in IDS:
        return '(%s){ draw_id(w, w->n_%s) }' % (kind, m.group(1))
    if m and m.group(1) in ENUMS:
        return '(%s)draw_enum(w)' % kind
    if m and m.group(1) in VALUES:
        return 'draw_%s(w)' % m.group(1)
    if kind == 'const char *':
        return '"text"' if name == 'format' else 'draw_text(w)'
    m = re.match(r'const (%s) \*' % DEF, kind)
    if m:
        return 'draw_%s(w)' % m.group(1)
    if re.match(r'cdn_(write|read)_fn \*', kind):
        return 'cdn_buffer_' + re.match(r'cdn_(write|read)', kind).group(1)
    if kind == 'function *':
        return 'visit_nothing'
    if kind == 'cdn_tell_fn *':
        return 'tell_nothing'
    if kind == 'cdn_calc_fn *':
        return 'calc_nothing'
    if kind == 'cdn_contact_filter_fn *':
        return 'accept_all'
    if kind == 'cdn_region_fn *':
        return 'find_nothing'
    if kind == 'void *' and name == 'context':
        return '&w->bytes'
    if kind in ('const double *', 'const cdn_vec3 *', 'const cdn_spatial *'):
        return 'draw_doubles(w)'
    if kind in ('const cdn_body *', 'const cdn_measure *', 'const cdn_mobility *', 'const cdn_ticket *'):
        return 'draw_ids(w)'
    if kind == 'const cdn_geometry *':
        return 'draw_geometry_at(w)'
    if kind == 'const int *':
        return 'draw_ids(w)'
    if kind in ('const void **', 'size_t *'):
        return 'w->out'
    if re.match(r'const (void|bool|cdn_\w+) \*', kind):
        return 'draw_bytes(w)'
    if re.match(r'(double|int|bool|char|void|uint8_t|cdn_\w+|const double|const cdn_occurrence \*) ?\*+$', kind):
        return 'w->out'
    return None


def field(member):
    """Statements that draw a numeric member of a def."""
    kind, name = member.type, member.name
    if member.lengths or not re.fullmatch(r'double|int|int64_t|bool|unsigned|cdn_\w+', kind) or kind.endswith('_fn') or \
            kind in ('cdn_allocator', 'cdn_drive_user'):
        return []
    if name in MAY_BE_NONE:
        value = '(%s){ draw_below(w, w->n_%s + 1) - 1 }' % (kind, kind.replace('cdn_', '', 1))
    else:
        value = 'draw_count(w)' if name.startswith('n_') else argument(kind, name) or ('(%s)draw_enum(w)' % kind)
    return ['def.%s = %s;' % (name, value)]


def main():
    reading = headers.Reading({path.split('/')[-1]: open(path).read() for path in sys.argv[1:]})
    functions = [(item.returns, item.name, [parameter(p) for p in item.parameters if p.name != '' or '(*)(' in p.type])
                 for item in reading.functions.values() if item.exported]
    out = ['/* Made by extreme_calls.py. */']
    used = set(re.findall(r'const (%s) \*' % DEF, ' '.join(
        k for _, name, parameters in functions if not LEFT_OUT.search(name) for k, _ in parameters)))
    for item in reading.structs.values():
        name = item.name
        if name not in used or not re.fullmatch(DEF, name): continue
        statements = [s for member in item.members for s in field(member)]
        out.append('static const %s *draw_%s(world *w) {' % (name, name))
        out.append('  static %s def;' % name)
        out.append('  def = %s();' % name.replace('cdn_', 'cdn_default_', 1))
        out.append('  prepare_%s(w, &def);' % name if name in ('cdn_event_def', 'cdn_trajectory_def') else '  (void)w;')
        out.append('  switch (draw_below(w, %d)) {' % (len(statements) + 2))
        for i, s in enumerate(statements):
            out.append('    case %d: %s break;' % (i, s))
        out.append('    default: break;\n  }\n  return &def;\n}')
    table, left_out = [], []
    for returns, name, parameters in functions:
        if LEFT_OUT.search(name) or any(LEFT_OUT.search(k) for k, _ in parameters):
            left_out.append(name)
            continue
        drawn = [argument(k, n) for k, n in parameters]
        for i, (kind, _) in enumerate(parameters[1:]):
            is_list = parameters[i][0] == 'int' and re.match(r'const .*\*$', kind)
            if is_list and (parameters[i][1] == 'n_prerequisites' or not KNOW_THE_LENGTH.search(name)):
                drawn[i] = 'draw_count(w)'
        if None in drawn:
            sys.exit('extreme_calls.py: %s has an argument of a type that is not known: %s' % (name, parameters))
        needs = [OBJECTS[k.replace('const ', '')][0] for k, _ in parameters if k.replace('const ', '') in OBJECTS]
        const_system = any(k == 'const cdn_system *' for k, _ in parameters)
        drawn = ['w->system' if k == 'const cdn_system *' else d for (k, _), d in zip(parameters, drawn)]
        kind = needs[0] if needs and not const_system else 'RUNNING'
        pointers = [i for i, (k, _) in enumerate(parameters) if k.endswith('*')]
        objects = [at for at, i in enumerate(pointers) if parameters[i][0].replace('const ', '') in OBJECTS]
        for at, i in enumerate(pointers):
            drawn[i] = 'w->null == %d ? NULL : %s' % (at, drawn[i])
        call = '%s(%s)' % (name, ', '.join(drawn))
        status = returns == 'cdn_status'
        made = re.search(r'cdn_(\w+) \*\*', ' '.join(k for k, _ in parameters if not k.startswith('const')))
        body = 'return %s;' % call if status else '(void)%s; return CDN_OK;' % call
        for filled in ('cdn_triangles', 'cdn_painted_triangles'):
            if filled + ' *' in [k for k, _ in parameters]:
                body = '*(%s *)w->out = (%s){ 0 }; const cdn_status status = %s; %s_free((%s *)w->out); return status;' % (
                    filled, filled, call, filled, filled)
        if made: # what it makes goes at once
            end = 'release' if made.group(1) == 'surface' else 'destroy'
            body = '*(void **)w->out = NULL; const cdn_status status = %s; cdn_%s_%s(*(cdn_%s **)w->out); return status;' % (
                call, made.group(1), end, made.group(1))
        elif returns in ('cdn_system *', 'cdn_function *'):
            body = '%s_release(%s); return CDN_OK;' % (returns.split()[0], call)
        out.append('static cdn_status call_%s(world *w) { (void)w; %s }' % (name, body))
        table.append('{ "%s", call_%s, %s, %s, %d, %d }' % (name, name, kind, 'true' if status else 'false', len(pointers), objects[0] if objects else -1))
    out.append('static const extreme_call calls[] = {\n  %s\n};' % ',\n  '.join(table))
    out.append('/* left out: %s */' % ' '.join(left_out))
    # what the message of a failure may name: inline functions and callbacks' own included
    public = sorted({*reading.functions, *reading.callbacks})
    out.append('static const char *const public_functions[] = {\n  %s\n};' % ',\n  '.join('"%s"' % name for name in public))
    print('\n'.join(out))


main()
