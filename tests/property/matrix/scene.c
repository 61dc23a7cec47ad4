/* shared by tests in this folder */
/* Random trees with places for features, built twice: the first time for the pose. */
#include "matrix.h"

#include <stdlib.h>

#include "../random_tree.h"

double scene_number(scene *s, double low, double high) { return uniform(s->random, low, high); }
cdn_vec3 scene_vec3(scene *s, double size) { return random_vec3(s->random, size); }
cdn_rotation scene_rotation(scene *s) { return random_rotation(s->random); }
double scene_q(const scene *s, cdn_body body, int k) { return s->q[s->first_q[body.i] + k]; }
cdn_vec3 scene_station(const scene *s, cdn_body body, cdn_vec3 p_G) {
  return cdn_transform_point(cdn_transform_invert(s->X[body.i]), p_G);
}
cdn_transform scene_frame(const scene *s, cdn_body body, cdn_transform X_GF) {
  return cdn_transform_multiply(cdn_transform_invert(s->X[body.i]), X_GF);
}

void scene_pair(scene *s, cdn_body *a, cdn_body *b) {
  const bool first = s->n_pairs++ % 2 == 0;
  *a = first ? s->ball : s->pin, *b = s->loose[first ? 0 : 1];
}

cdn_mobility scene_coordinate(scene *s) {
  const cdn_mobility all[] = { { s->slider, 0 }, { s->cylinder, 1 }, { s->pin, 0 }, { s->cylinder, 0 } };
  return all[s->n_taken++ % 4];
}

/* ---- building ---- */

static cdn_body add_place(cdn_system *system, rng *r, const char *name, cdn_mobilizer kind, bool euler,
                          cdn_body parent) {
  cdn_body_def def = cdn_default_body_def();
  def.name = name, def.parent = parent, def.mobilizer = kind, def.euler = euler;
  def.X_PF.R = random_rotation(r), def.X_PF.p = random_vec3(r, 0.4);
  def.X_BM.R = random_rotation(r), def.X_BM.p = random_vec3(r, 0.2);
  const double m = uniform(r, 0.5, 2), a = uniform(r, 0.05, 0.1), b = uniform(r, 0.05, 0.1), c = uniform(r, 0.05, 0.1);
  def.mass.mass = m, def.mass.com = random_vec3(r, 0.2);
  def.mass.inertia = cdn_inertia_reexpress(random_rotation(r),
                                           (cdn_inertia){ .xx = m * (b + c), .yy = m * (a + c), .zz = m * (a + b) });
  if (kind == CDN_PIN) def.armature = 0.1;
  return cdn_system_add_body(system, &def);
}

static void add_tree(scene *s) {
  random_tree tree = make_random_tree(&(tree_options){ .bodies = s->size, .shape = s->seed, .numbers = s->seed + 5 });
  rng r = rng_of(s->seed + 99);
  const cdn_body base = { pick(&r, s->size + 1) };
  s->system = tree.system;
  s->odd_joint = NULL;
  for (int i = 1; i <= s->size && !s->odd_joint; i++) {
    const cdn_body body = { i };
    const bool odd =
        tree.kind[i] == CDN_LINE_ORIENTATION || tree.kind[i] == CDN_FREE_LINE ||
        (tree.kind[i] == CDN_CUSTOM_MOBILIZER && cdn_body_nq(tree.system, body) != cdn_body_nu(tree.system, body));
    if (odd) s->odd_joint = cdn_body_name(tree.system, body);
  }
  s->pin = add_place(s->system, &r, "pin", CDN_PIN, false, base);
  s->slider = add_place(s->system, &r, "slider", CDN_SLIDER, false, s->pin);
  s->ball = add_place(s->system, &r, "ball", CDN_BALL, false, s->slider);
  s->cylinder = add_place(s->system, &r, "cylinder", CDN_CYLINDER, false, cdn_ground());
  s->loose[0] = add_place(s->system, &r, "loose", CDN_FREE, false, cdn_ground());
  s->loose[1] = add_place(s->system, &r, "other", CDN_FREE, true, cdn_ground());
}

static cdn_state *state_of(scene *s) {
  cdn_state *state = NULL;
  OK(cdn_state_create(s->system, &state));
  cdn_system_release(s->system);
  s->system = NULL;
  return state;
}

static void find_pose(scene *s) {
  rng r = rng_of(s->seed + 7);
  OK_FREEZE(s->system);
  cdn_state *state = state_of(s);
  const cdn_system *system = cdn_state_system(state);
  ck_assert_int_le(cdn_system_body_count(system), SCENE_MOST_BODIES);
  set_random_qu(state, &r, 1);
  memcpy(s->q, cdn_state_q(state), (size_t)cdn_system_nq(system) * sizeof(double));
  for (int b = 0; b < cdn_system_body_count(system); b++) {
    OK_ON(state, cdn_body_pose(state, (cdn_body){ b }, &s->X[b]));
    s->first_q[b] = b > 0 ? cdn_body_first_q(system, (cdn_body){ b }) : 0;
  }
  cdn_state_destroy(state);
}

/* Constraints allow the speeds, and features that ask for some of them have these, as far as constraints let them. */
static void settle_speeds(scene *s, cdn_state *state, const cdn_projection_def *projection) {
  s->speeds_off = 1;
  OK_ON(state, cdn_prescribe(state, NULL));
  OK_ON(state, cdn_project_u(state, projection, NULL));
  for (int round = 0; round < 40 && s->speeds_off > 1e-14; round++) {
    s->speeds_off = 0;
    for (s->now = 0; s->now < s->features; s->now++)
      if (s->feature[s->now]->settles) s->feature[s->now]->begin(s, state);
  }
}

/* In the pose, with speeds that the constraints allow. */
static void begin_state(scene *s) {
  cdn_state *state = s->state;
  const cdn_system *system = cdn_state_system(state);
  double u[6 * SCENE_MOST_BODIES], z[256];
  const int nu = cdn_system_nu(system), nz = cdn_system_nz(system);
  cdn_projection_def projection = cdn_default_projection_def();
  projection.tolerance = 1e-12;
  OK_ON(state, cdn_state_set_q(state, s->q));
  random_numbers(s->random, s->u_size, u, nu);
  OK_ON(state, cdn_state_set_u(state, u));
  for (int i = 0; i < s->features; i++) {
    s->now = i;
    if (s->feature[i]->begin && !s->feature[i]->settles) s->feature[i]->begin(s, state);
  }
  OK_ON(state, cdn_prescribe(state, NULL));
  OK_ON(state, cdn_project_q(state, &projection, NULL));
  settle_speeds(s, state, &projection);
  OK_ON(state, cdn_prescribe(state, NULL));
  ck_assert_int_le(nz, 256);
  for (int i = 0; i < nz; i++) z[i] = cdn_state_z(state)[i] + uniform(s->random, -1e-4, 1e-4);
  OK_ON(state, cdn_state_set_z(state, z));
  bool settles = false;
  for (int i = 0; i < s->features; i++) settles = settles || s->feature[i]->settles;
  if (settles) {
    const cdn_status status = cdn_settle(state, 0);
    s->unsettled = status == CDN_ERR_CONSTRAINT && strstr(cdn_last_error_text(), "beside soft rows");
    if (!s->unsettled) OK_ON(state, status);
  }
  /* What contacts remember begins as in a run. */
  if (cdn_realize(state, CDN_STAGE_ACCELERATION) == CDN_OK) OK_ON(state, cdn_state_auto_update(state));
}

void scene_build(scene *s, const feature *const *features, int n, int size, uint64_t seed) {
  *s = (scene){ .features = n, .size = size, .seed = seed, .u_size = 0.3, .id = { -1, -1 } };
  s->contact = cdn_default_contact_def();
  s->soft = cdn_default_soft_def();
  s->soft.tolerance = 1e-14, s->soft.iterations = 2000, s->soft.line_tolerance = 1e-9;
  rng r = rng_of(seed + 12345);
  s->random = malloc(sizeof(rng));
  memcpy(s->random, &r, sizeof r);
  add_tree(s);
  find_pose(s);
  add_tree(s);
  for (s->now = 0; s->now < n; s->now++) {
    s->feature[s->now] = features[s->now];
    features[s->now]->add(s);
  }
  if (s->has_contact) cdn_system_set_contact(s->system, &s->contact);
  if (s->has_soft) cdn_system_set_soft(s->system, &s->soft);
  if (cdn_system_freeze(s->system) != CDN_OK) return;
  s->state = state_of(s);
  begin_state(s);
}

void scene_drop(scene *s) {
  cdn_state_destroy(s->state);
  if (s->system) cdn_system_release(s->system);
  free(s->random);
  s->state = NULL, s->system = NULL, s->random = NULL;
}
