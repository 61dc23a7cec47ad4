/* Dry friction of joints: a force that sticks and gives way elastically, or does not give way at all, or a soft row,
 * which grows with the speed up to its loss, so that a joint creeps under less. */
#include "command.h"

#include <cardan/elements.h>
#include <cardan/operators.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct dry_friction {
  const char *joint;
  bool turns;
  double loss;    /* N m or N */
  double elastic; /* how far it gives way under the loss, rad or m; 0: rigid; NaN: a row */
  double speed;   /* of a row: below it friction is viscous, rad/s or m/s; NaN: it sticks */
} dry_friction;

/* Friction over speed and inertia, by the row's law (docs/soft_elements.md). */
static double slope_of(const double ref[2], const double imp[2]) {
  static const double least = 1e-4; /* MuJoCo's bounds of impedances */
  const double d0 = fmin(fmax(imp[0], least), 1 - least), d1 = fmin(fmax(imp[1], least), 1 - least);
  return d0 / (1 - d0) * (ref[0] > 0 ? 2 / (d1 * ref[0]) : -ref[1] / d1);
}

/* Rows are scaled by the inertia at `rest`, the default State. */
static bool find_row(const cdn_system *system, cdn_state *rest, const char *name, int slot, dry_friction *out) {
  enum { LOSS, REF, IMP = 3, NUMBERS = 5 };
  const int nu = cdn_system_nu(system);
  double p[NUMBERS];
  const int k = cdn_system_find_element(system, CDN_ELEMENT_SOFT, name);
  if (k < 0 || cdn_element_get_parameters(rest, CDN_ELEMENT_SOFT, k, 0, NUMBERS, p) != CDN_OK) return false;
  double *f = allocate(2 * (size_t)nu, sizeof *f), *a = f + nu;
  f[slot] = 1;
  const bool ok = cdn_multiply_by_M_inv(rest, f, a) == CDN_OK;
  out->loss = p[LOSS], out->elastic = NAN;
  out->speed = p[LOSS] * a[slot] / slope_of(p + REF, p + IMP);
  free(f);
  return ok && isfinite(out->speed);
}

static bool find_bristle(const cdn_system *system, const cdn_state *rest, const char *name, dry_friction *out) {
  enum { LOSS, STIFFNESS, NUMBERS };
  double p[NUMBERS];
  const int k = cdn_system_find_element(system, CDN_ELEMENT_FORCE, name);
  if (k < 0 || strcmp(cdn_element_kind(system, CDN_ELEMENT_FORCE, k), "mobility_friction") != 0 ||
      cdn_element_get_parameters(rest, CDN_ELEMENT_FORCE, k, 0, NUMBERS, p) != CDN_OK)
    return false;
  out->loss = p[LOSS], out->elastic = p[LOSS] / p[STIFFNESS], out->speed = NAN;
  return true;
}

static bool find_rigid(const cdn_system *system, const cdn_state *rest, const char *name, dry_friction *out) {
  enum { LOAD, STATIC, DYNAMIC, NUMBERS };
  double p[NUMBERS];
  const int k = cdn_system_find_element(system, CDN_ELEMENT_DRY_FRICTION, name);
  if (k < 0 || cdn_element_get_parameters(rest, CDN_ELEMENT_DRY_FRICTION, k, 0, NUMBERS, p) != CDN_OK) return false;
  out->loss = p[LOAD] * p[DYNAMIC], out->elastic = 0, out->speed = NAN;
  return true;
}

/* What is to be said of joint i of the model; false: nothing. */
static bool find(const cdn_model *model, cdn_state *rest, int i, dry_friction *out) {
  const cdn_system *system = cdn_model_system(model);
  const cdn_model_joint joint = cdn_model_get_joint(model, i);
  char name[300];
  snprintf(name, sizeof name, "%.200s friction", joint.name);
  *out = (dry_friction){ .joint = joint.name, .turns = strcmp(joint.units, "rad") == 0 };
  return joint.nu == 1 && (find_bristle(system, rest, name, out) || find_rigid(system, rest, name, out) ||
                           find_row(system, rest, name, joint.first_u, out));
}

static cdn_state *default_state(const cdn_model *model) {
  cdn_state *rest = NULL;
  return cdn_state_create(cdn_model_system(model), &rest) == CDN_OK ? rest : NULL;
}

void print_dry_friction_json(json_writer *w, const cdn_model *model) {
  cdn_state *rest = default_state(model);
  dry_friction d;
  jw_array(w, "dry_friction", false);
  for (int i = 0; rest && i < cdn_model_joint_count(model); i++) {
    if (!find(model, rest, i, &d)) continue;
    jw_object(w, NULL, true);
    jw_text(w, "joint", d.joint);
    jw_number(w, "loss", d.loss);
    jw_number(w, "elastic", d.elastic);
    jw_number(w, "viscous_below", d.speed);
    jw_close(w);
  }
  jw_close(w);
  cdn_state_destroy(rest);
}

void print_dry_friction(const cdn_model *model) {
  cdn_state *rest = default_state(model);
  dry_friction d;
  int printed = 0;
  for (int i = 0; rest && i < cdn_model_joint_count(model); i++) {
    char loss[CDN_NUMBER_SIZE], number[CDN_NUMBER_SIZE];
    if (!find(model, rest, i, &d)) continue;
    const bool sticks = isnan(d.speed);
    if (printed++ == 0)
      printf(sticks ? "\n  dry friction that sticks: a loss, and how far the joint gives way under it\n"
                    : "\n  dry friction: a loss, and the speed below which it is viscous (docs/soft_elements.md)\n");
    printf("  %12s %-3s  %12s %-5s  %s\n", rounded(d.loss, loss), d.turns ? "N m" : "N",
           rounded(sticks ? d.elastic : d.speed, number),
           sticks ? (d.turns ? "rad" : "m") : (d.turns ? "rad/s" : "m/s"), visible(d.joint));
  }
  cdn_state_destroy(rest);
}
