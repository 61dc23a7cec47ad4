/* The bodies of a molecule: frames, mass, mobilizers.
 *
 * The joint of a bond a-b, with a nearer to the root, in the frame of the description: e is the direction from a to b,
 * x and y are the atoms of its dihedral, d_x and d_y the parts of a-x and b-y across e.
 *
 *   pin            z = e, from d_x to d_y                                      q = dihedral
 *   universal      y_F along a-x, x_F = y_F x e: a turn about it by the angle x-a-b brings y into e, about which the
 *                  second turn goes; then d_x is along -z                      q = (angle, dihedral)
 *   function-based the same, and M's origin moves along e                      q = (angle, dihedral, length)
 * Where there is no y, or no x, the mobilizers are those without the dihedral, or without the angle (references.c).
 * Where another bond decides the plane, the first turn is one about a-x, by the azimuth, which is 0 in the description
 * and the last q: then the mobilizer is function-based, too. */
#include <cardan/mobilizers.h>
#include <math.h>
#include <stdio.h>

#include "molecules/parts.h"
#include "system/system.h"

/* ---- geometry ---- */

static cdn_vec3 unit(cdn_vec3 v) { return cdn_scale(1 / cdn_norm(v), v); }
static cdn_rotation from_z_x(cdn_vec3 z, cdn_vec3 x) { return (cdn_rotation){ x, cdn_cross(z, x), z }; }
/* ---- lengths along a bond that turns: of a length r, an angle and an azimuth the product of r and of one of cos and
 * sin, or 1, of each ---- */

typedef struct leg {
  int inputs;     /* length, angle, azimuth */
  double turn[2]; /* of angle and azimuth: 0, the cosine; pi/2, the sine */
} leg;
static const double QUARTER = 1.57079632679489661923;

static cdn_status calc_leg(const void *self, const double *v, int order, cdn_function_result *out) {
  const leg *l = self;
  const int n = l->inputs;
  double d[3][4] = { { v[0], 1 } }; /* of each factor its derivatives */
  for (int i = 1; i < n; i++) {
    const double c = cos(v[i] - l->turn[i - 1]), s = sin(v[i] - l->turn[i - 1]);
    d[i][0] = c, d[i][1] = -s, d[i][2] = -c, d[i][3] = s;
  }
  double *const to[4] = { &out->value, out->d1, out->d2, out->d3 };
  for (int k = 0, count = 1; k <= order; k++, count *= n)
    for (int at = 0; at < count; at++) {
      int times[3] = { 0, 0, 0 };
      for (int digit = 0, rest = at; digit < k; digit++, rest /= n) times[rest % n]++;
      to[k][at] = 1;
      for (int i = 0; i < n; i++) to[k][at] *= d[i][times[i]];
    }
  return CDN_OK;
}

static cdn_function *make_leg(const char *name, leg l) {
  const cdn_function_ops ops = {
    .struct_size = sizeof ops, .name = name, .self_size = sizeof l, .n_inputs = l.inputs, .calc = calc_leg
  };
  return cdn_function_create(&ops, &l);
}

/* ---- the joint ---- */

enum { ANGLE, DIHEDRAL, LENGTH, AZIMUTH, COORDINATES };
typedef struct joint {
  cdn_body_def def;
  cdn_transform X_F, X_M; /* in the frame of the description */
  double q0[7];
  int place[COORDINATES]; /* of a function-based one: which q they are; -1 */
} joint;

static void put_quaternion(joint *j) {
  const cdn_quaternion q =
      cdn_quaternion_from_rotation(cdn_rotation_multiply(cdn_rotation_transpose(j->X_F.R), j->X_M.R));
  j->q0[0] = q.w, j->q0[1] = q.x, j->q0[2] = q.y, j->q0[3] = q.z;
}

static void choose(const mol_parts *p, int i, joint *j) {
  const mol_part *part = &p->part[i];
  const mol_bond *bond = &MOL_BOND(p->m, part->bond);
  const cdn_vec3 a = mol_place_of(p, part->a), b = mol_place_of(p, part->b), e = unit(cdn_sub(b, a));
  const double length = cdn_norm(cdn_sub(b, a));
  const bool has_x = part->x >= 0, has_y = part->y >= 0, stretches = bond->mobility == CDN_BOND_FLEXIBLE;

  const cdn_rotation any = cdn_rotation_z_to(e); /* where there is nothing to measure from */
  cdn_vec3 d_x = any.x, d_y = any.x, g = any.x;
  if (has_x) mol_across(cdn_sub(mol_place_of(p, part->x), a), e, &d_x), g = unit(cdn_sub(mol_place_of(p, part->x), a));
  if (has_y) mol_across(cdn_sub(mol_place_of(p, part->y), b), e, &d_y);
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
  if (part->azimuth || (stretches && has_x && has_y)) {
    int n = 0;
    j->def.mobilizer = CDN_FUNCTION_BASED;
    j->X_F.R = turn_F, j->X_M = (cdn_transform){ turn_M, stretches ? b : a };
    j->place[ANGLE] = n, j->q0[n++] = angle;
    if (has_y) j->place[DIHEDRAL] = n, j->q0[n++] = dihedral;
    if (stretches) j->place[LENGTH] = n, j->q0[n++] = length;
    if (part->azimuth) j->place[AZIMUTH] = n++;
    return;
  }
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
      if (has_x) {
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
  const cdn_vec3 at = mol_place_of(p, p->part[i].atom);
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
    p->station[k] = cdn_transform_point(from, mol_place_of(p, k));
    const cdn_mass_properties one = { .mass = MOL_ATOM(p->m, k).mass, .com = p->station[k] };
    sum = sum.mass > 0 ? cdn_mass_properties_merge(sum, one) : one;
  }
  return sum;
}

/* Turns about axes of F in this order: by the azimuth about y, by the angle about x, by the dihedral about y; and the
 * bond as a vector in F. */
static cdn_body add_function_based(cdn_system *system, joint *j) {
  static const cdn_vec3 x = { 1, 0, 0 }, y = { 0, 1, 0 };
  static const double same[] = { 1 };
  const int turns[3] = { j->place[AZIMUTH], j->place[ANGLE], j->place[DIHEDRAL] };
  const bool turned = j->place[AZIMUTH] >= 0;
  cdn_function *used[4] = { cdn_function_linear(1, same, 0), NULL, NULL, NULL };
  cdn_function_mobilizer m = cdn_default_function_mobilizer();
  m.nu = 0;
  for (int k = 0; k < COORDINATES; k++) m.nu += j->place[k] >= 0;
  for (int k = turned ? 0 : 1, f = 0; k < 3; k++) {
    if (turns[k] < 0) continue;
    m.function[f] = used[0], m.input[f][0] = turns[k], m.axis[f++] = k == 1 ? x : y;
  }
  if (j->place[LENGTH] >= 0) {
    const int inputs = turned ? 3 : 2;
    used[1] = turned ? make_leg("r sin sin", (leg){ 3, { QUARTER, QUARTER } }) : NULL;
    used[2] = make_leg("r cos", (leg){ 2, { 0, 0 } });
    used[3] = make_leg(turned ? "r sin cos" : "r sin", (leg){ inputs, { QUARTER, 0 } });
    for (int f = 1; f < 4; f++) {
      m.function[2 + f] = used[f];
      m.input[2 + f][0] = j->place[LENGTH], m.input[2 + f][1] = j->place[ANGLE], m.input[2 + f][2] = j->place[AZIMUTH];
    }
  }
  j->def.functions = &m;
  const cdn_body body = cdn_system_add_body(system, &j->def);
  for (int f = 0; f < 4; f++) cdn_function_release(used[f]);
  return body;
}

void mol_part_add_body(mol_parts *p, int i, cdn_system *system, const char *prefix, cdn_body root) {
  mol_part *part = &p->part[i];
  char name[MOL_LABEL + 2 * MOLECULE_NAME + 2], label[MOL_LABEL];
  joint j = { .def = cdn_default_body_def(), .place = { -1, -1, -1, -1 } };
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
  const bool by_functions = j.def.mobilizer == CDN_FUNCTION_BASED;
  part->body = by_functions ? add_function_based(system, &j) : cdn_system_add_body(system, &j.def);
}
