/* Marks of paths: their straight parts, and lines along their arcs, in colours that tell what pulls along them. */
#include <limits.h>
#include <math.h>

#include <cardan/elements.h>
#include <cardan/operators.h>
#include <cardan/paths.h>
#include <cardan/soft.h>

#include "actuators/actuators.h"
#include "forces/forces.h"
#include "scene/internal.h"
#include "soft/soft.h"

enum { ARC_POINTS = 12 };

/* `part` has room for as many numbers as there are points. */
static cdn_status mark_path(cdn_decorations *d, cdn_path path, const float *color, cdn_vec3 *points, int *part,
                            int most) {
  int n, next = 1;
  for (int i = 0; i < most; i++) part[i] = INT_MAX;
  CDNI_TRY(cdn_path_points(d->state, path, ARC_POINTS, points, part, &n));
  for (int i = 1; i < n; i++) {
    if (next < most && part[next] == i) next++; /* a part begins here: nothing leads to it */
    else CDNI_TRY(cdn_decorate_line(d, points[i - 1], points[i], color));
  }
  return CDN_OK;
}

/* ---- colours ---- */

/* From nothing, blue, to all, red, as MuJoCo shows muscles. */
static void color_of(double part, float rgba[4]) {
  static const float none[4] = { 0.15f, 0.25f, 0.90f, 1 }, all[4] = { 0.90f, 0.10f, 0.10f, 1 };
  const float x = (float)fmin(fmax(part, 0), 1);
  for (int k = 0; k < 4; k++) rgba[k] = none[k] + x * (all[k] - none[k]);
}

/* What pulls along a path. */
typedef struct pull {
  bool is_pulled;
  double tension;    /* N, of all but muscles: positive if it shortens the path */
  double activation; /* of the muscle with most of it; 0: there is none */
} pull;

/* Muscles are seen by their activation, all else by its force over the weight of the model. */
static double part_of(const cdn_decorations *d, const pull *p) {
  return fmax(p->activation, fabs(p->tension) / d->scene->weight);
}

static cdn_status add_actuator(cdn_decorations *d, cdn_force force, const actuator_on_path *a, pull *p) {
  double x;
  CDNI_TRY(a->is_muscle ? cdn_actuator_signal(d->state, force, &x) : cdn_actuator_force(d->state, force, &x));
  if (a->is_muscle) p->activation = fmax(p->activation, x);
  else p->tension -= a->gear * x;
  p->is_pulled = true;
  return CDN_OK;
}

/* From the generalized forces of what pulls: f = -tension moments. Both arrays have nu numbers. */
static cdn_status add_tension(cdn_decorations *d, cdn_path path, const double *f, double *moments, pull *p) {
  const int nu = cdn_system_nu(d->scene->system);
  double product = 0, square = 0;
  CDNI_TRY(cdn_path_moments(d->state, path, moments));
  for (int k = 0; k < nu; k++) product += f[k] * moments[k], square += moments[k] * moments[k];
  if (square > 0) p->tension -= product / square;
  p->is_pulled = true;
  return CDN_OK;
}

/* Actuators, springs, dampers and stops. */
static cdn_status add_forces(cdn_decorations *d, double *f, double *moments, pull *pulls) {
  cdn_status first = CDN_OK;
  for (int i = 0; i < cdn_system_force_count(d->scene->system); i++) {
    const cdn_force force = { i };
    const cdn_path path = cdni_force_path(d->scene->system, i);
    cdn_status status = CDN_OK;
    actuator_on_path a;
    if (path.i >= 0) {
      status = cdn_force_contribution(d->state, force, NULL, f, NULL, NULL);
      if (status == CDN_OK) status = add_tension(d, path, f, moments, &pulls[path.i]);
    } else if (cdni_actuator_on_path(d->scene->system, force, &a)) {
      status = add_actuator(d, force, &a, &pulls[a.path.i]);
    }
    if (first == CDN_OK) first = status;
  }
  return first;
}

static bool has_rows(const cdn_system *system) {
  for (int i = 0; i < cdn_element_count(system, CDN_ELEMENT_SOFT); i++)
    if (cdni_soft_element_path(system, i).i >= 0) return true;
  return false;
}

/* Limits and friction of paths that are soft rows. What couples two paths does not belong to one of them alone. */
static cdn_status add_rows(cdn_decorations *d, double *f, double *moments, pull *pulls) {
  const int nu = cdn_system_nu(d->scene->system);
  int n = 0;
  if (!has_rows(d->scene->system)) return CDN_OK;
  CDNI_TRY(cdn_soft_count(d->state, &n));
  for (int i = 0; i < n; i++) {
    cdn_soft_group g;
    CDNI_TRY(cdn_soft_get(d->state, i, &g));
    const cdn_path path = cdni_soft_element_path(d->scene->system, g.element);
    if (path.i < 0) continue;
    CDNI_TRY(cdn_soft_group_forces(d->state, i, d->scene->loads, moments));
    CDNI_TRY(cdn_multiply_by_J_transpose(d->state, d->scene->loads, f));
    for (int k = 0; k < nu; k++) f[k] += moments[k];
    CDNI_TRY(add_tension(d, path, f, moments, &pulls[path.i]));
  }
  return CDN_OK;
}

static cdn_status measure_all(cdn_decorations *d, pull *pulls) {
  const size_t nu = (size_t)cdn_system_nu(d->scene->system);
  double *f = cdn_work_push(d->state, (2 * nu + 1) * sizeof *f);
  if (!f) return CDN_ERR_NOMEM;
  const cdn_status first = add_forces(d, f, f + nu, pulls), status = add_rows(d, f, f + nu, pulls);
  cdn_work_pop(d->state, f);
  return first != CDN_OK ? first : status;
}

static cdn_status mark_paths(cdn_decorations *d, const pull *pulls) {
  const cdn_system *system = d->scene->system;
  cdn_status first = CDN_OK;
  for (int i = 0; i < cdn_system_path_count(system); i++) {
    const cdn_path path = { i };
    const int most = cdn_path_most_points(system, path, ARC_POINTS);
    if (most == 0) continue; /* of coordinates */
    cdn_vec3 *points = cdn_work_push(d->state, (size_t)most * (sizeof *points + sizeof(int)));
    if (!points) return CDN_ERR_NOMEM;
    float rgba[4];
    color_of(part_of(d, &pulls[i]), rgba);
    const cdn_status status =
        mark_path(d, path, pulls[i].is_pulled ? rgba : NULL, points, (int *)(points + most), most);
    cdn_work_pop(d->state, points);
    if (first == CDN_OK) first = status;
  }
  return first;
}

cdn_status cdni_marks_paths(cdn_decorations *d) {
  const int n = cdn_system_path_count(d->scene->system);
  if (n == 0) return CDN_OK;
  pull *pulls = cdn_work_push(d->state, (size_t)n * sizeof *pulls);
  if (!pulls) return CDN_ERR_NOMEM;
  memset(pulls, 0, (size_t)n * sizeof *pulls);
  const cdn_status first = measure_all(d, pulls), status = mark_paths(d, pulls);
  cdn_work_pop(d->state, pulls);
  return first != CDN_OK ? first : status;
}
