#!/usr/bin/env python3
"""Makes of today's public headers those of another release, in one file, or the lists that test_sized.c loops over.

    headers.py older HEADER...    the last members of the structs below are not there yet
    headers.py newer HEADER...    structs that programs fill have a member more
    headers.py lists HEADER...    the defs, and the functions that take a size

Every public struct is in one of these tables: a new one fails the build of the tests until somebody has decided.
"""
import pathlib
import re
import sys

sys.path.insert(0, str(pathlib.Path(__file__).parents[2] / 'tools'))
import headers

# Structs that grow, and the member from which on the older headers lack them.
DEFS = {
    'cdn_invertible_law': 'correction', 'cdn_invertible_problem': 'elastic', 'cdn_invertible_motion_def': 'n_limits', 'cdn_invertible_path_def': 'most_iterations',
    'cdn_exponential_spring_def': 'transition_velocity',
    'cdn_smooth_contact_def': 'rate_sharpness',
    'cdn_law_contact': 'rolling_friction', 'cdn_contact_law_def': 'self_size',
    'cdn_contact_measure_def': 'body_b',
    'cdn_shape_query_def': 'context',
    'cdn_system_def': 'audit', 'cdn_row_def': 'g', 'cdn_body_def': 'lock', 'cdn_control_def': 'initial', 'cdn_actuator_def': 'lower', 'cdn_drive_def': 'exact_filter', 'cdn_function_mobilizer': 'axis',
    'cdn_motion_def': 'custom',
    'cdn_event_def': 'self_size', 'cdn_delay_def': 'capacity', 'cdn_record_def': 'step', 'cdn_custom_constraint_def': 'params',
    'cdn_projection_def': 'always', 'cdn_assembly_def': 'most_iterations', 'cdn_stepper_def': 'companion', 'cdn_deliver_def': 'pause',
    'cdn_trajectory_def': 'own', 'cdn_table_def': 'chunk_rows', 'cdn_follow_def': 'linear', 'cdn_molecule_read_def': 'read_file', 'cdn_restart_def': 'time', 'cdn_pdb_def': 'bonds', 'cdn_dcd_def': 'title', 'cdn_atom_def': 'screen', 'cdn_fixman_def': 'coordinates', 'cdn_contact_source_def': 'self_size', 'cdn_solvent_def': 'probe', 'cdn_cutoff_def': 'skin', 'cdn_contact_material': 'thickness', 'cdn_shape_def': 'group', 'cdn_contact_pair_def': 'material', 'cdn_contact_def': 'transition_velocity', 'cdn_soft_material': 'margin', 'cdn_soft_def': 'rates', 'cdn_soft_limit_def': 'disabled', 'cdn_friction_loss_def': 'disabled', 'cdn_soft_equality_def': 'disabled', 'cdn_soft_tendon_def': 'disabled', 'cdn_one_sided_def': 'capture_speed', 'cdn_dry_friction_def': 'viscous', 'cdn_kept_reaction_def': 'keep', 'cdn_rigid_contact_def': 'radius', 'cdn_impact_def': 'law', 'cdn_soft_pair_material': 'margin', 'cdn_check_def': 'tolerance',
    'cdn_ensemble_def': 'vary', 'cdn_equilibrium_def': 'most_iterations', 'cdn_minimize_def': 'most_evaluations', 'cdn_model_options': 'armature', 'cdn_save_options': 'context', 'cdn_attach_def': 'tell',
    'cdn_scene_def': 'layers', 'cdn_view_def': 'keep', 'cdn_render_def': 'groups', 'cdn_visual_def': 'collision', 'cdn_texture_def': 'rgba', 'cdn_camera_def': 'mode', 'cdn_light_def': 'rgb',
    'cdn_spec_def': 'allocator', 'cdn_spec_body': 'must_be_base', 'cdn_spec_joint': 'weight',
    'cdn_spec_constraint': 'c', 'cdn_spec_frame': 'X_BF', 'cdn_spec_shape': 'friction', 'cdn_spec_asset': 'rgba',
    'cdn_spec_contact': 'friction', 'cdn_spec_camera': 'mode', 'cdn_spec_solver': 'refsafe', 'cdn_spec_medium': 'wind', 'cdn_fluid_box_def': 'wind', 'cdn_fluid_ellipsoid_def': 'kutta_lift', 'cdn_spec_light': 'rgb', 'cdn_spec_tendon': 'friction', 'cdn_spec_path_item': 'divisor', 'cdn_spec_sensor': 'cutoff', 'cdn_spec_key': 'q', 'cdn_spec_actuator': 'force_lower', 'cdn_nose_hoover_def': 'length', 'cdn_hmc_def': 'user', 'cdn_sweep_run_def': 'suspect'}
OPS = {
    'cdn_subsystem_ops': 'next_stop', 'cdn_force_provider': 'n_kinks', 'cdn_row_provider': 'prerequisites',
    'cdn_force_ops': 'calc_derivative', 'cdn_constraint_ops': 'calc_bias',
    'cdn_custom_mobilizer_ops': 'N', 'cdn_motion_ops': 'destroy', 'cdn_goal_ops': 'jacobian', 'cdn_impact_ops': 'destroy',
    'cdn_measure_ops': 'destroy', 'cdn_surface_ops': 'destroy', 'cdn_function_ops': 'destroy'}
RESULTS = {
    'cdn_hmc_report': 'last_energy_error', 'cdn_sweep_report': 'seconds_left',
    'cdn_contact_law_info': 'lacks',
    'cdn_invertible_report': 'shortfall', 'cdn_invertible_contact': 'velocity', 'cdn_invertible_path_report': 'converged', 'cdn_error': 'text', 'cdn_parameter': 'initial', 'cdn_certificate': 'doubt', 'cdn_distance': 'slot', 'cdn_delivery': 'message', 'cdn_failure': 'advice',
    'cdn_assembly_report': 'attempt', 'cdn_equilibrium': 'stable', 'cdn_minimization': 'gradient', 'cdn_freedom': 'net', 'cdn_model_joint': 'lower',
    'cdn_model_note': 'line', 'cdn_check_entry': 'text', 'cdn_model_frame': 'X_BF', 'cdn_model_sensor': 'n', 'cdn_model_actuator': 'activation',
    'cdn_spec_mobilizer': 'part', 'cdn_dcd_info': 'warning',
    'cdn_spec_loop': 'a', 'cdn_driver': 'motion', 'cdn_constraint_equations': 'qerr', 'cdn_surface_info': 'turned', 'cdn_model_hull_info': 'triangles', 'cdn_attached': 'X_BA', 'cdn_carried': 'text', 'cdn_contact': 'radius', 'cdn_visual': 'collision', 'cdn_perturbation': 'force_G', 'cdn_view_wishes': 'stopped', 'cdn_soft_group': 'force', 'cdn_soft_statistics': 'residual', 'cdn_soft_iteration': 'gradient', 'cdn_imbalance': 'slot', 'cdn_entry_time': 'stage', 'cdn_hybrid_totals': 'worst_residual', 'cdn_hybrid_change': 'element'}
# What the library hands to callbacks: it may grow, and a program reads what it knows.
GIVEN = {'cdn_impact_set': 'response', 'cdn_prmtop': 'warnings', 'cdn_restart': 'warnings', 'cdn_pdb': 'warnings', 'cdn_drive_view': 'length', 'cdn_law_input': 'combined', 'cdn_occurrence': 'user', 'cdn_constraint_input': 'u', 'cdn_motion_input': 'u'}
# Never changed.
FROZEN = set('''cdn_one_sided cdn_impact_contact cdn_dry_friction cdn_kept_reaction cdn_rigid_contact cdn_drive_slopes cdn_fixman_coordinate cdn_near_pair cdn_random_place cdn_muscle cdn_drive_user cdn_law_bends cdn_allocator cdn_angles cdn_autovar cdn_body cdn_buffer cdn_cache cdn_constraint cdn_contact_pair cdn_control cdn_dvar cdn_event cdn_force
    cdn_function_result cdn_invertible_limit cdn_geometry cdn_goal cdn_inertia cdn_mass_properties cdn_manifold cdn_mark cdn_measure cdn_mobility cdn_motion cdn_painted_triangles cdn_path cdn_pdb_atom cdn_prmtop_angle cdn_prmtop_bond cdn_prmtop_dihedral cdn_proximity cdn_quaternion cdn_pick cdn_ray_hit
    cdn_rotation cdn_region cdn_computed_region cdn_auto_region cdn_row_set cdn_shape cdn_shape_hit cdn_shape_proximity cdn_soft_element cdn_soft_law cdn_spatial cdn_spatial_inertia cdn_subsystem cdn_ticket cdn_transform cdn_triangles cdn_vec3 cdn_view_point cdn_zvar'''.split())


def amalgamate(paths):
    """All headers in one text, each where the first include asks for it."""
    texts = {path.split('/')[-1]: open(path).read() for path in paths}
    done = set()

    def put(name):
        if name in done:
            return ''
        done.add(name)
        return re.sub(r'#include <cardan/(\w+\.h)>', lambda m: put(m.group(1)), texts[name])

    return ''.join(put(name) for name in texts)


def struct(text, name):
    m = re.search(r'typedef struct %s \{(.*?)\n\} %s;' % (name, name), text, flags=re.S)
    return m or sys.exit('headers.py: there is no struct %s' % name)


def cut(text, name, member):
    m = struct(text, name)
    body = m.group(1)
    at = re.search(r'(\n *(/\*\*(?:(?!\*/).)*\*/)?)?\n *[\w][^;/]*?\b%s\b[^;]*;' % member, body, flags=re.S)
    if not at:
        sys.exit('headers.py: %s has no member %s' % (name, member))
    return text[:m.start(1)] + body[:at.start()] + text[m.end(1):]


def grow(text, name):
    m = struct(text, name)
    return text[:m.end(1)] + '\n  double added_later[3];' + text[m.end(1):]


def main():
    mode, text = sys.argv[1], amalgamate(sys.argv[2:])
    known = {**DEFS, **OPS, **RESULTS, **GIVEN}
    reading = headers.Reading({'cardan.h': text})
    for name in reading.structs:
        if name not in known and name not in FROZEN:
            sys.exit('headers.py: does struct %s grow? Put it into one of the tables of this script, and see docs/abi.md.'
                     % name)
    defs = [item.name for item in reading.defs]
    for item in reading.structs.values():
        name, first = item.name, item.members[0].name
        if name in OPS or first != 'struct_size': continue
        if name not in DEFS:
            sys.exit('headers.py: %s is a def, and not in DEFS' % name)
        if name not in defs:
            sys.exit('headers.py: %s is a def, and its defaults are not declared: CDN_DEF(...) after it' % name)
    if mode == 'older':
        for name, member in known.items():
            text = cut(text, name, member)
    elif mode == 'newer':
        for name in list(DEFS) + list(OPS) + list(RESULTS):
            text = grow(text, name)
    else:
        sized = [item.name for item in reading.functions.values() if item.name.endswith('_sized')]
        text = '#define DEF_LIST(X) %s\n' % ' '.join('X(%s)' % name for name in DEFS)
        text += 'static const char *const sized_functions[] = { %s };\n' % ', '.join('"%s"' % s for s in sized)
    print('/* Made by headers.py. */\n' + text)


if __name__ == '__main__': main()
