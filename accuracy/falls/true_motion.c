/* The motion of a scene by runs that cannot step over anything: while bodies are near each other their steps are short,
 * and where the bodies are apart their distance, over their speed, tells for how long they will be. */
#include <stdlib.h>

#include "distance.h"
#include "trial.h"

static const int most_looks = 20000; /* at distances: each with some ten steps at most */

/* ---- how long bodies stay apart ---- */

static double reach_of(const cdn_geometry *g) {
  const cdn_transform here = cdn_transform_identity();
  cdn_vec3 least, most;
  if (g->kind == CDN_GEOMETRY_HALF_SPACE || cdn_geometry_bounds(g, &here, &least, &most)) return 0;
  return cdn_norm(
      cdn_v3(fmax(fabs(least.x), fabs(most.x)), fmax(fabs(least.y), fabs(most.y)), fmax(fabs(least.z), fabs(most.z))));
}

/* No point of the shape is faster. */
static double speed_of(cdn_state *at, cdn_shape shape, const cdn_geometry *g, const cdn_transform *X) {
  const cdn_body body = cdn_shape_body(cdn_state_system(at), shape);
  cdn_spatial V;
  cdn_transform X_GB;
  if (cdn_body_velocity(at, body, &V) || cdn_body_pose(at, body, &X_GB)) return INFINITY;
  return cdn_norm(V.v) + cdn_norm(V.w) * (reach_of(g) + cdn_norm(cdn_sub(X->p, X_GB.p)));
}

/* A time, s, for which nothing touches if accelerations are at most 100 m/s^2; 0 where shapes touch. */
static double time_apart(cdn_state *at) {
  const cdn_system *system = cdn_state_system(at);
  const int n = cdn_system_shape_count(system);
  double least = INFINITY;
  for (int i = 0; i < n; i++) {
    for (int j = i + 1; j < n; j++) {
      const cdn_shape a = { i }, b = { j };
      cdn_geometry g[2];
      cdn_transform X[2];
      cdn_proximity near;
      if (!cdn_shapes_may_touch(system, a, b)) continue;
      if (cdn_shape_get(at, a, &g[0], &X[0]) || cdn_shape_get(at, b, &g[1], &X[1])) return 0;
      if (cdn_geometry_distance(&g[0], &X[0], &g[1], &X[1], &near) || near.distance <= 0) return 0;
      const double speed = speed_of(at, a, &g[0], &X[0]) + speed_of(at, b, &g[1], &X[1]);
      least = fmin(least, 0.5 * near.distance / (speed + sqrt(100 * near.distance)));
    }
  }
  return least;
}

/* ---- a run ---- */

typedef struct careful {
  const scene *s;
  cdn_method method;
  double accuracy, finest;
  cdn_stepper *stepper;
  bool near;
  int looks;
} careful;

static bool begin(careful *run, cdn_state *from, bool near) {
  cdn_stepper *next = NULL;
  cdn_stepper_def def = cdn_default_stepper_def();
  def.method = run->method, def.accuracy = run->accuracy, def.final_time = run->s->end;
  def.max_step = near ? run->finest : 0, def.max_steps = 1000;
  if (cdn_stepper_create(from, &def, &next)) return false;
  cdn_stepper_destroy(run->stepper);
  run->stepper = next, run->near = near;
  return true;
}

static bool follow(careful *run, double end) {
  for (;;) {
    cdn_state *at = cdn_stepper_state(run->stepper);
    const double now = cdn_state_time(at);
    if (now >= end) return true;
    if (run->looks++ > most_looks) return false;
    const double apart = time_apart(at);
    const bool near = apart < 2 * run->finest;
    if (near != run->near && !begin(run, at, near)) return false;
    const double step = near ? 8 * run->finest : apart;
    if (cdn_stepper_advance(run->stepper, fmin(end, now + step), NULL)) return false;
  }
}

static bool find(const scene *s, cdn_method method, double accuracy, double finest, int n_y, double *y, bool *behind) {
  careful run = { s, method, accuracy, finest, .near = true };
  bool well = begin(&run, s->start, true);
  for (int i = 0; i < s->reports && well; i++) {
    if (s->write) s->write(s, cdn_stepper_state(run.stepper), i);
    well = follow(&run, scene_time(s, i));
    if (!well) break;
    scene_values(cdn_stepper_state(run.stepper), y + i * n_y);
    *behind |= scene_is_behind(s, cdn_stepper_state(run.stepper));
  }
  cdn_stepper_destroy(run.stepper);
  return well;
}

/* ---- the truth ---- */

double scene_error(const scene *s, const double *a, const double *b, int reports) {
  const cdn_system *system = cdn_state_system(s->start);
  const int nq = cdn_system_nq(system), nu = cdn_system_nu(system), nz = cdn_system_nz(system), n = nq + nu + nz;
  cdn_state *here = NULL, *scratch = NULL;
  double worst = 0;
  MUST(s->start, cdn_state_create(system, &here)), MUST(s->start, cdn_state_create(system, &scratch));
  for (int i = 0; i < reports; i++) {
    const double *x = a + i * n;
    MUST(here, cdn_state_set_time(here, scene_time(s, i)));
    MUST(here, cdn_state_set_q(here, x)), MUST(here, cdn_state_set_u(here, x + nq));
    if (nz) MUST(here, cdn_state_set_z(here, x + nq + nu));
    const distance d = distance_of(here, b + i * n, scratch);
    worst = fmax(worst, distance_norm(&d));
  }
  cdn_state_destroy(here), cdn_state_destroy(scratch);
  return worst;
}

/* Contact that is too stiff for tight accuracies leaves looser ones. */
void scene_find_truth(const scene *s, scene_truth *t) {
  const bool soft = s->law == LAW_SOFT;
  const cdn_method method[2] = { soft ? CDN_METHOD_DORMAND_PRINCE : CDN_METHOD_DORMAND_PRINCE_8, CDN_METHOD_MERSON };
  const size_t room = (size_t)(scene_value_count(s) * s->reports) * sizeof(double);
  double *other = malloc(room), accuracy = soft ? 1e-9 : 1e-11;
  bool behind;
  t->tried = true, t->n_y = scene_value_count(s), t->doubt = INFINITY, t->y = malloc(room);
  if (s->exact && t->y) {
    for (int i = 0; i < s->reports; i++) s->exact(s, scene_time(s, i), t->y + i * t->n_y);
    t->known = true, t->doubt = 1e-12;
    free(other);
    return;
  }
  for (int i = 0; i < 3 && t->y && other && !t->known; i++, accuracy *= 100) {
    t->behind = false;
    t->known = find(s, method[0], accuracy, s->finest, t->n_y, t->y, &t->behind);
  }
  if (t->known && find(s, method[1], 10 * accuracy, 0.7 * s->finest, t->n_y, other, &behind))
    t->doubt = scene_error(s, t->y, other, s->reports);
  free(other);
}

void scene_truth_clear(scene_truth *t) {
  free(t->y);
  t->y = NULL;
}
