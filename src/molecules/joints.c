/* The bodies of a molecule: frames, mass, mobilizers.
 *
 * The joint of a bond a-b, with a nearer to the root, in the frame of the description: e is the direction from a to b,
 * x and y are the atoms of its dihedral, d_x and d_y the parts of a-x and b-y across e.
 *
 *   pin            z = e, from d_x to d_y                                      q = dihedral
 *   universal      y_F along a-x, x_F = y_F x e: a turn about it by the angle x-a-b brings y into e, about which the
 *                  second turn goes; then d_x is along -z                      q = (angle, dihedral)
 *   function-based the same, and M's origin moves along e                      q = (angle, dihedral, length)
 * Where there is no y, or no x, the mobilizers are those without the dihedral, or without the angle (references.c). */
#include <cardan/mobilizers.h>
#include <math.h>
#include <stdio.h>

#include "molecules/parts.h"
#include "system/system.h"

/* ---- geometry ---- */

static cdn_vec3 unit(cdn_vec3 v) { return cdn_scale(1 / cdn_norm(v), v); }
static cdn_rotation from_z_x(cdn_vec3 z, cdn_vec3 x) { return (cdn_rotation){ x, cdn_cross(z, x), z }; }
static cdn_vec3 place_of(const mol_parts *p, int atom) { return MOL_ATOM(p->m, atom).p; }

/* ---- lengths along a bond that turns: r cos q0, r sin q0 ---- */

static cdn_status calc_leg(const void *self, const double *v, int order, cdn_function_result *out) {
  const double turn = *(const double *)self, c = cos(v[0] - turn), s = sin(v[0] - turn), r = v[1];
  out->value = r * c;
  if (order > 0) out->d1[0] = -r * s, out->d1[1] = c;
  if (order > 1) out->d2[0] = -r * c, out->d2[1] = out->d2[2] = -s;
  if (order > 2) out->d3[0] = r * s, out->d3[1] = out->d3[2] = out->d3[4] = -c;
  return CDN_OK;
}

/* turn 0: the cosine; pi/2: the sine. */
static cdn_function *make_leg(const char *name, double turn) {
  const cdn_function_ops ops = {
    .struct_size = sizeof ops, .name = name, .self_size = sizeof turn, .n_inputs = 2, .calc = calc_leg
  };
  return cdn_function_create(&ops, &turn);
}

/* ---- the joint ---- */

typedef struct joint {
  cdn_body_def def;
  cdn_transform X_F, X_M; /* in the frame of the description */
  double q0[7];
} joint;

static void put_quaternion(joint *j) {
  const cdn_quaternion q =
      cdn_quaternion_from_rotation(cdn_rotation_multiply(cdn_rotation_transpose(j->X_F.R), j->X_M.R));
  j->q0[0] = q.w, j->q0[1] = q.x, j->q0[2] = q.y, j->q0[3] = q.z;
}

static void choose(const mol_parts *p, int i, joint *j) {
  const mol_part *part = &p->part[i];
  const mol_bond *bond = &MOL_BOND(p->m, part->bond);
  const cdn_vec3 a = place_of(p, part->a), b = place_of(p, part->b), e = unit(cdn_sub(b, a));
  const double length = cdn_norm(cdn_sub(b, a));
  const bool has_x = part->x >= 0, has_y = part->y >= 0;

  const cdn_rotation any = cdn_rotation_z_to(e); /* where there is nothing to measure from */
  cdn_vec3 d_x = any.x, d_y = any.x, g = any.x;
  if (has_x) mol_across(cdn_sub(place_of(p, part->x), a), e, &d_x), g = unit(cdn_sub(place_of(p, part->x), a));
  if (has_y) mol_across(cdn_sub(place_of(p, part->y), b), e, &d_y);
  else d_y = d_x;
  const double dihedral = atan2(cdn_dot(e, cdn_cross(d_x, d_y)), cdn_dot(d_x, d_y));
  const double angle = atan2(cdn_norm(cdn_cross(g, e)), cdn_dot(g, e));
  const cdn_vec3 bend = has_x ? unit(cdn_cross(g, e)) : any.y;

  const cdn_rotation pin_F = from_z_x(e, d_x), pin_M = from_z_x(e, d_y);
  const cdn_rotation turn_F = { bend, g, cdn_cross(bend, g) };              /* x, y, z */
  const cdn_rotation turn_M = { cdn_cross(d_y, e), e, cdn_scale(-1, d_y) }; /* x = y cross z */
  const cdn_rotation bend_F = from_z_x(bend, g), bend_M = from_z_x(bend, e);
  cdn_mobilizer kind = CDN_WELD;
  j->X_F = (cdn_transform){ pin_F, a }, j->X_M = (cdn_transform){ pin_M, a };
  switch (bond->mobility) {
    case CDN_BOND_TORSION:
    case CDN_BOND_TORSION_BEND:
      if (bond->mobility == CDN_BOND_TORSION_BEND && has_x) {
        kind = has_y ? CDN_UNIVERSAL : CDN_PIN;
        j->X_F.R = has_y ? turn_F : bend_F, j->X_M.R = has_y ? turn_M : bend_M;
        j->q0[0] = angle, j->q0[1] = dihedral;
      } else if (has_y) {
        kind = CDN_PIN;
        j->X_F.p = j->X_M.p = b;
        j->q0[0] = dihedral;
      }
      break;
    case CDN_BOND_FLEXIBLE:
      j->X_M.p = b;
      if (has_x && has_y) {
        kind = CDN_FUNCTION_BASED;
        j->X_F.R = turn_F, j->X_M.R = turn_M;
        j->q0[0] = angle, j->q0[1] = dihedral, j->q0[2] = length;
      } else if (has_x) {
        kind = CDN_BEND_STRETCH;
        j->X_F.R = bend_F, j->X_M.R = bend_M;
        j->q0[0] = angle, j->q0[1] = length;
      } else {
        kind = has_y ? CDN_CYLINDER : CDN_SLIDER;
        if (!has_y) j->X_F.R = j->X_M.R = (cdn_rotation){ e, d_x, cdn_cross(e, d_x) };
        j->q0[0] = has_y ? dihedral : length, j->q0[1] = length;
      }
      break;
    default: /* CDN_BOND_BALL */ kind = has_y ? CDN_BALL : CDN_LINE_ORIENTATION; put_quaternion(j);
  }
  j->def.mobilizer = kind;
}

/* ---- roots ---- */

static void choose_root(const mol_parts *p, int i, joint *j) {
  const mol_root *root = &p->part[i].root;
  const cdn_vec3 at = place_of(p, p->part[i].atom);
  j->X_F = (cdn_transform){ cdn_rotation_identity(), cdn_v3(0, 0, 0) };
  j->X_M = (cdn_transform){ cdn_rotation_identity(), at };
  static const cdn_mobilizer kinds[] = {
    [MOL_ROOT_FREE] = CDN_FREE, [MOL_ROOT_LINE] = CDN_FREE_LINE, [MOL_ROOT_POINT] = CDN_TRANSLATION
  };
  j->def.mobilizer = kinds[root->kind];
  double *p0 = j->q0;
  if (root->kind == MOL_ROOT_LINE) j->X_M.R = cdn_rotation_z_to(root->along);
  if (root->kind != MOL_ROOT_POINT) put_quaternion(j), p0 += 4;
  p0[0] = at.x, p0[1] = at.y, p0[2] = at.z;
}

/* ---- the body ---- */

/* Stations of the part's atoms, and its mass. */
static cdn_mass_properties weigh(mol_parts *p, int i) {
  const cdn_transform from = cdn_transform_invert(p->part[i].X);
  cdn_mass_properties sum = { 0 };
  for (int k = 0; k < (int)p->m->atoms.count; k++) {
    if (p->of_atom[k] != i) continue;
    p->station[k] = cdn_transform_point(from, place_of(p, k));
    const cdn_mass_properties one = { .mass = MOL_ATOM(p->m, k).mass, .com = p->station[k] };
    sum = sum.mass > 0 ? cdn_mass_properties_merge(sum, one) : one;
  }
  return sum;
}

void mol_part_add_body(mol_parts *p, int i, cdn_system *system, const char *prefix, cdn_body root) {
  mol_part *part = &p->part[i];
  char name[MOL_LABEL + 2 * MOLECULE_NAME + 2], label[MOL_LABEL];
  joint j = { .def = cdn_default_body_def() };
  cdn_function_mobilizer functions = cdn_default_function_mobilizer();
  cdn_function *legs[2] = { NULL, NULL };
  if (part->parent < 0) choose_root(p, i, &j);
  else choose(p, i, &j);
  part->X = j.X_M;
  mol_label(p->m, part->parent < 0 ? part->atom : part->b, label);
  snprintf(name, sizeof name, prefix ? "%2$s.%1$s" : "%1$s", label, prefix);
  j.def.name = name;
  j.def.parent = part->parent < 0 ? root : p->part[part->parent].body;
  j.def.X_PF = part->parent < 0 ? j.X_F : cdn_transform_multiply(cdn_transform_invert(p->part[part->parent].X), j.X_F);
  j.def.q0 = j.q0;
  j.def.mass = weigh(p, i);
  j.def.allow_improper = true; /* atoms on one line have no inertia about it; the tree beyond them may have */
  if (j.def.mobilizer == CDN_FUNCTION_BASED) {
    legs[0] = make_leg("r cos", 0), legs[1] = make_leg("r sin", 0.5 * 3.14159265358979323846);
    static const double turns[] = { 1 };
    cdn_function *turn = cdn_function_linear(1, turns, 0);
    functions.nu = 3;
    functions.function[0] = turn, functions.input[0][0] = 0, functions.axis[0] = cdn_v3(1, 0, 0);
    functions.function[1] = turn, functions.input[1][0] = 1, functions.axis[1] = cdn_v3(0, 1, 0);
    functions.function[4] = legs[0], functions.axis[4] = cdn_v3(0, 1, 0);
    functions.function[5] = legs[1], functions.axis[5] = cdn_v3(0, 0, 1);
    for (int f = 4; f < 6; f++) functions.input[f][0] = 0, functions.input[f][1] = 2;
    j.def.functions = &functions;
    part->body = cdn_system_add_body(system, &j.def);
    cdn_function_release(turn);
  } else {
    part->body = cdn_system_add_body(system, &j.def);
  }
  for (int f = 0; f < 2; f++) cdn_function_release(legs[f]);
}
