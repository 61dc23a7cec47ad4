/* Marks of paths: their straight parts, and lines along their arcs, in colours that tell what pulls along them. */
#include <limits.h>
#include <math.h>

#include <cardan/paths.h>

#include "actuators/actuators.h"
#include "scene/internal.h"

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

/* How much an actuator pulls: the activation of a muscle; else its force over the weight of the model. */
static cdn_status measure(cdn_decorations *d, cdn_force force, const actuator_on_path *a, double *part) {
  if (a->is_muscle) return cdn_actuator_signal(d->state, force, part);
  CDNI_TRY(cdn_actuator_force(d->state, force, part));
  *part = fabs(a->gear * *part) / d->scene->weight;
  return CDN_OK;
}

/* Of several actuators along a path the one that pulls most counts; paths without any keep NaN. */
static cdn_status measure_all(cdn_decorations *d, double *parts) {
  cdn_status first = CDN_OK;
  for (int i = 0; i < cdn_system_force_count(d->scene->system); i++) {
    actuator_on_path a;
    double part = NAN;
    if (!cdni_actuator_on_path(d->scene->system, (cdn_force){ i }, &a)) continue;
    const cdn_status status = measure(d, (cdn_force){ i }, &a, &part);
    if (status == CDN_OK) parts[a.path.i] = fmax(parts[a.path.i], part); /* NaN gives way */
    else if (first == CDN_OK) first = status;
  }
  return first;
}

static cdn_status mark_paths(cdn_decorations *d, const double *parts) {
  const cdn_system *system = d->scene->system;
  cdn_status first = CDN_OK;
  for (int i = 0; i < cdn_system_path_count(system); i++) {
    const cdn_path path = { i };
    const int most = cdn_path_most_points(system, path, ARC_POINTS);
    if (most == 0) continue; /* of coordinates */
    cdn_vec3 *points = cdn_work_push(d->state, (size_t)most * (sizeof *points + sizeof(int)));
    if (!points) return CDN_ERR_NOMEM;
    float rgba[4];
    if (!isnan(parts[i])) color_of(parts[i], rgba);
    const cdn_status status = mark_path(d, path, isnan(parts[i]) ? NULL : rgba, points, (int *)(points + most), most);
    cdn_work_pop(d->state, points);
    if (first == CDN_OK) first = status;
  }
  return first;
}

cdn_status cdni_marks_paths(cdn_decorations *d) {
  const int n = cdn_system_path_count(d->scene->system);
  if (n == 0) return CDN_OK;
  double *parts = cdn_work_push(d->state, (size_t)n * sizeof *parts);
  if (!parts) return CDN_ERR_NOMEM;
  for (int i = 0; i < n; i++) parts[i] = NAN;
  const cdn_status first = measure_all(d, parts), status = mark_paths(d, parts);
  cdn_work_pop(d->state, parts);
  return first != CDN_OK ? first : status;
}
