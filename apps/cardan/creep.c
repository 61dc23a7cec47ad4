/* Dry friction of joints as soft rows: it grows with the speed up to its loss, so that a joint creeps under less. */
#include "command.h"

#include <cardan/elements.h>
#include <cardan/operators.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct creep {
  const char *joint;
  bool turns;
  double loss;  /* N m or N */
  double speed; /* below it friction is viscous, rad/s or m/s */
} creep;

/* Friction over speed and inertia, by the row's law (docs/soft_elements.md). */
static double slope_of(const double ref[2], const double imp[2]) {
  static const double least = 1e-4; /* MuJoCo's bounds of impedances */
  const double d0 = fmin(fmax(imp[0], least), 1 - least), d1 = fmin(fmax(imp[1], least), 1 - least);
  return d0 / (1 - d0) * (ref[0] > 0 ? 2 / (d1 * ref[0]) : -ref[1] / d1);
}

/* What is to be said of joint i of the model; false: nothing. Rows are scaled by the inertia at `rest`, the default
 * State. */
static bool find_creep(const cdn_model *model, cdn_state *rest, int i, creep *out) {
  enum { LOSS, REF, IMP = 3, NUMBERS = 5 };
  const cdn_system *system = cdn_model_system(model);
  const cdn_model_joint joint = cdn_model_joint_get(model, i);
  const int nu = cdn_system_nu(system);
  char name[300];
  double p[NUMBERS];
  int k;
  snprintf(name, sizeof name, "%.200s friction", joint.name);
  if (joint.nu != 1 || cdn_element_find(system, CDN_SORT_SOFT_ELEMENT, name, &k) != CDN_OK ||
      cdn_element_get_parameters(rest, CDN_SORT_SOFT_ELEMENT, k, 0, NUMBERS, p) != CDN_OK)
    return false;
  double *f = allocate(2 * (size_t)nu, sizeof *f), *a = f + nu;
  f[joint.first_u] = 1;
  const bool ok = cdn_multiply_by_M_inv(rest, f, a) == CDN_OK;
  *out = (creep){ joint.name, strcmp(joint.units, "rad") == 0, p[LOSS],
                  p[LOSS] * a[joint.first_u] / slope_of(p + REF, p + IMP) };
  free(f);
  return ok && isfinite(out->speed);
}

static cdn_state *default_state(const cdn_model *model) {
  cdn_state *rest = NULL;
  const bool any = cdn_element_count(cdn_model_system(model), CDN_SORT_SOFT_ELEMENT) > 0;
  if (!any || cdn_state_create(cdn_model_system(model), &rest) == CDN_OK) return rest;
  return NULL;
}

void print_creep_json(json_writer *w, const cdn_model *model) {
  cdn_state *rest = default_state(model);
  creep c;
  jw_array(w, "dry_friction", false);
  for (int i = 0; rest && i < cdn_model_joint_count(model); i++) {
    if (!find_creep(model, rest, i, &c)) continue;
    jw_object(w, NULL, true);
    jw_text(w, "joint", c.joint);
    jw_number(w, "loss", c.loss);
    jw_number(w, "viscous_below", c.speed);
    jw_close(w);
  }
  jw_close(w);
  cdn_state_destroy(rest);
}

void print_creep(const cdn_model *model) {
  cdn_state *rest = default_state(model);
  creep c;
  int printed = 0;
  for (int i = 0; rest && i < cdn_model_joint_count(model); i++) {
    char loss[CDN_NUMBER_SIZE], speed[CDN_NUMBER_SIZE];
    if (!find_creep(model, rest, i, &c)) continue;
    if (printed++ == 0)
      printf("\n  dry friction: a loss, and the speed below which it is viscous (docs/soft_elements.md)\n");
    printf("  %12s %-3s  %12s %-5s  %s\n", rounded(c.loss, loss), c.turns ? "N m" : "N", rounded(c.speed, speed),
           c.turns ? "rad/s" : "m/s", visible(c.joint));
  }
  cdn_state_destroy(rest);
}
