/* Which geoms touch, and with which friction, in Cardan and in MuJoCo 2.2.2: the same random files, whose bodies,
 * masks, exclusions, pairs, priorities and switches differ, at the same random poses. All geoms are spheres, capsules
 * and a plane, for which MuJoCo's distances are closed forms. */
#include "mujoco_bridge.h"

#include <stdarg.h>
#include <stdio.h>

#include "../testing.h"
#include "random_mjcf.h"

/* ---- random files ---- */

enum { BODIES = 9, MOST_GEOMS = 3 * BODIES, TEXT = 40000 };

typedef struct maker {
  uint64_t rng;
  char text[TEXT];
  size_t used;
  int geoms, bodies;
  int body_of[MOST_GEOMS]; /* a geom each */
} maker;

static void put(maker *k, const char *format, ...) {
  va_list args;
  va_start(args, format);
  k->used += (size_t)vsnprintf(k->text + k->used, sizeof k->text - k->used, format, args);
  va_end(args);
  ck_assert(k->used < sizeof k->text);
}

static int below(maker *k, int n) { return random_below(&k->rng, n); }
static double within(maker *k, double lo, double hi) { return random_uniform(&k->rng, lo, hi); }

static void put_geom(maker *k, int body) {
  static const int condims[] = { 1, 3, 3, 4, 6 };
  k->body_of[k->geoms] = body;
  put(k, "<geom name='g%d' mass='1' pos='%.2f %.2f %.2f' ", k->geoms++, within(k, -.3, .3), within(k, -.3, .3),
      within(k, -.3, .3));
  if (below(k, 2)) put(k, "type='sphere' size='%.2f' ", within(k, .1, .4));
  else
    put(k, "type='capsule' size='%.2f %.2f' euler='%.1f 20 30' ", within(k, .1, .3), within(k, .1, .4),
        within(k, 0, 90));
  if (below(k, 3) == 0) put(k, "contype='%d' conaffinity='%d' ", below(k, 4), below(k, 4));
  if (below(k, 2)) put(k, "condim='%d' ", condims[below(k, 5)]);
  if (below(k, 2)) put(k, "friction='%.2f %.3f %.4f' ", within(k, .1, 1), within(k, 0, .1), within(k, 0, .01));
  if (below(k, 5) == 0) put(k, "priority='%d' ", below(k, 3));
  put(k, "/>");
}

/* A body with 0, 1 or 2 joints, or a free one, and those that hang on it. */
static void put_body(maker *k, int depth) {
  const int body = ++k->bodies;
  put(k, "<body name='b%d' pos='%.2f %.2f %.2f'>", body, within(k, -.5, .5), within(k, -.5, .5), within(k, 0, .5));
  if (depth == 0 && below(k, 2)) put(k, "<freejoint/>");
  else
    for (int n = below(k, 3), i = 0; i < n; i++) put(k, "<joint axis='%d %d 1'/>", i, 1 - i);
  for (int n = 1 + below(k, 2); n > 0; n--) put_geom(k, body);
  for (int n = 1 + below(k, 2); n > 0 && k->bodies < BODIES; n--) put_body(k, depth + 1);
  put(k, "</body>");
}

static void put_contacts(maker *k) {
  put(k, "<contact>");
  for (int n = below(k, 3); n > 0; n--)
    put(k, "<exclude body1='b%d' body2='b%d'/>", 1 + below(k, k->bodies / 2),
        1 + k->bodies / 2 + below(k, k->bodies - k->bodies / 2));
  const int first = below(k, k->geoms), second = below(k, k->geoms);
  if (k->body_of[first] != k->body_of[second]) {
    put(k, "<pair geom1='g%d' geom2='g%d' ", first, second);
    if (below(k, 2)) put(k, "condim='4' ");
    if (below(k, 2)) put(k, "friction='.33 .33 .044 .0055 .0055' ");
    put(k, "/>");
  }
  put(k, "</contact>");
}

static void make(maker *k, uint64_t seed) {
  static const char *const collisions[] = { "all", "all", "all", "predefined", "dynamic" };
  k->rng = seed, k->used = 0, k->geoms = 1, k->bodies = 0;
  k->body_of[0] = 0;
  put(k, "<mujoco><option gravity='0 0 -9.8' collision='%s'>", collisions[below(k, 5)]);
  if (below(k, 4) == 0) put(k, "<flag filterparent='disable'/>");
  put(k, "</option><worldbody><geom name='g0' type='plane' size='9 9 9'/>");
  while (k->bodies < BODIES) put_body(k, 0);
  put(k, "</worldbody>");
  put_contacts(k);
  put(k, "</mujoco>");
}

/* ---- comparison ---- */

/* What touches: MuJoCo's geoms are the spec's shapes, in the same order. */
typedef struct touching {
  bool touches;
  double sliding, torsional, rolling; /* NAN: not known */
  double depth;
} touching;

static void mark_theirs(const mjModel *m, const mjData *d, int n, touching *pairs) {
  for (int i = 0; i < d->ncon; i++) {
    const mjContact *c = &d->contact[i];
    if (c->dist >= 0 || m->body_weldid[m->geom_bodyid[c->geom1]] == m->body_weldid[m->geom_bodyid[c->geom2]]) continue;
    const int a = c->geom1 < c->geom2 ? c->geom1 : c->geom2, b = c->geom1 < c->geom2 ? c->geom2 : c->geom1;
    pairs[a * n + b] = (touching){ true, c->dim >= 3 ? c->friction[0] : 0, c->dim >= 4 ? c->friction[2] : 0,
                                   c->dim >= 6 ? c->friction[3] : 0, -c->dist };
  }
}

static void mark_ours(const cdn_model *model, cdn_state *state, int n, touching *pairs) {
  const cdn_system *system = cdn_state_system(state);
  int contacts;
  OK_ON(state, cdn_contact_count(state, &contacts));
  for (int i = 0; i < contacts; i++) {
    cdn_contact c;
    OK_ON(state, cdn_contact_get(state, i, &c));
    const int a = cdn_spec_find(cdn_model_spec(model), CDN_SPEC_SHAPE, cdn_shape_name(system, c.a));
    const int b = cdn_spec_find(cdn_model_spec(model), CDN_SPEC_SHAPE, cdn_shape_name(system, c.b));
    ck_assert(a >= 0 && b > a);
    /* Fast slip has its whole friction. */
    const double slip = hypot(c.slip[0], c.slip[1]);
    pairs[a * n + b].touches = true;
    pairs[a * n + b].sliding = slip > 1 && c.force > 0 ? cdn_norm(c.friction) / c.force : NAN;
  }
}

static int n_touches, n_frictions;

static void compare_at(const mjModel *m, mjData *d, const cdn_model *model, cdn_state *state) {
  static touching theirs[MOST_GEOMS * MOST_GEOMS], ours[MOST_GEOMS * MOST_GEOMS];
  const int n = m->ngeom;
  ck_assert(n <= MOST_GEOMS);
  memset(theirs, 0, sizeof theirs);
  memset(ours, 0, sizeof ours);
  mj_forward(m, d);
  mark_theirs(m, d, n, theirs);
  mark_ours(model, state, n, ours);
  for (int i = 0; i < n * n; i++) {
    /* The distance of our capsules is smooth, and exceeds the exact one by 8e-4 m at most (half lengths of 0.4 m). */
    if (theirs[i].touches && !ours[i].touches && theirs[i].depth < 8e-4) continue;
    ck_assert_msg(theirs[i].touches == ours[i].touches, "geoms %d and %d: MuJoCo %d (depth %g), ours %d", i / n, i % n,
                  theirs[i].touches, theirs[i].depth, ours[i].touches);
    n_touches += ours[i].touches;
    if (!ours[i].touches || isnan(ours[i].sliding)) continue;
    /* MuJoCo's is at least 1e-5. */
    ck_assert_msg(fabs(ours[i].sliding - theirs[i].sliding) < 2e-5, "geoms %d and %d: friction %g, MuJoCo %g", i / n,
                  i % n, ours[i].sliding, theirs[i].sliding);
    n_frictions++;
  }
}

static void compare(const char *text, const char *name, int poses) {
  char message[500] = "";
  mjModel *m = mj_bridge_load_string(text, "model.xml", message, sizeof message);
  ck_assert_msg(m != NULL, "%s: MuJoCo: %s", name, message);
  cdn_model_options options = cdn_default_model_options();
  options.contact = CDN_MODEL_COMPLIANT;
  options.contact_dissipation = 0;
  options.contact_friction = CDN_FRICTION_SLIP_SPEED; /* what slips fast shows its coefficient at once */
  cdn_model *model;
  cdn_state *state;
  const cdn_status status = cdn_model_load_string(text, strlen(text), name, &options, &model);
  cdn_error reason;
  cdn_model_last_error(model, &reason);
  ck_assert_msg(status == CDN_OK, "%s", reason.text);
  OK(cdn_state_create(cdn_model_system(model), &state));
  mj_bridge bridge;
  mjData *d = mj_makeData(m);
  ck_assert(mj_bridge_init(&bridge, m, model));
  uint64_t rng = 7;
  for (int k = 0; k < poses; k++) {
    double q[100], u[100];
    const cdn_system *system = cdn_model_system(model);
    for (int i = 0; i < cdn_system_nq(system); i++) q[i] = random_uniform(&rng, -1, 1);
    for (int i = 0; i < cdn_system_nu(system); i++) u[i] = random_uniform(&rng, -9, 9);
    for (int i = 0; i < cdn_model_joint_count(model); i++) {
      const cdn_model_joint joint = cdn_model_get_joint(model, i);
      if (joint.nq >= 4) random_quaternion(&rng, q + joint.first_q);
    }
    OK_ON(state, cdn_state_set_q(state, q));
    OK_ON(state, cdn_state_set_u(state, u));
    mj_bridge_q_to_mujoco(&bridge, q, d->qpos);
    mj_bridge_u_to_mujoco(&bridge, q, u, d->qvel);
    compare_at(m, d, model, state);
  }
  mj_bridge_free(&bridge);
  mj_deleteData(d);
  mj_deleteModel(m);
  cdn_state_destroy(state);
  cdn_model_destroy(model);
}

START_TEST(random_models_touch_alike) {
  mj_bridge_handlers();
  static maker k;
  n_touches = n_frictions = 0;
  for (int seed = 1; seed <= 150; seed++) {
    char name[40];
    snprintf(name, sizeof name, "seed %d", seed);
    make(&k, (uint64_t)seed);
    compare(k.text, name, 10);
  }
  ck_assert_int_gt(n_touches, 5000);
  ck_assert_int_gt(n_frictions, 3000);
}
END_TEST

START_TEST(a_humanoid_touches_itself_alike) {
  static char text[200000];
  if (!mj_bridge_read_model("humanoid.xml", text, sizeof text))
    SKIP("there is no humanoid.xml among the shared models");
  mj_bridge_handlers();
  n_touches = 0;
  compare(text, "humanoid", 300);
  ck_assert_int_gt(n_touches, 1000);
}
END_TEST

/* Primitives that are fitted to a wedge: their sizes and poses. */
START_TEST(primitives_are_fitted_alike) {
  static const char *const types[] = { "sphere", "capsule", "cylinder", "ellipsoid", "box" };
  mj_bridge_handlers();
  for (int i = 0; i < 5; i++) {
    char text[800], message[500] = "";
    snprintf(
        text, sizeof text,
        "<mujoco><asset><mesh name='w' scale='1 1.2 0.9' vertex='0 0 0 .5 0 0 0 .3 0 .1 .2 .9 .4 .3 .7'/></asset>"
        "<worldbody><body name='b'><freejoint/><inertial pos='0 0 0' mass='1' diaginertia='1 1 1'/>"
        "<geom name='g' type='%s' mesh='w' fitscale='1.1' pos='.1 .2 .3' euler='10 20 30'/></body></worldbody></mujoco>",
        types[i]);
    mjModel *m = mj_bridge_load_string(text, "fit.xml", message, sizeof message);
    ck_assert_msg(m != NULL, "MuJoCo: %s", message);
    cdn_model_options options = cdn_default_model_options();
    options.contact = CDN_MODEL_COMPLIANT;
    cdn_model *model;
    cdn_state *state;
    OK(cdn_model_load_string(text, strlen(text), "fit.xml", &options, &model));
    ck_assert_int_eq(cdn_model_warning_count(model), 0);
    OK(cdn_state_create(cdn_model_system(model), &state));
    cdn_geometry g;
    cdn_transform X;
    ck_assert_int_eq(cdn_system_shape_count(cdn_model_system(model)), 1);
    OK_ON(state, cdn_shape_get(state, (cdn_shape){ 0 }, &g, &X));
    for (int k = 0; k < (i == 0 ? 1 : i < 3 ? 2 : 3); k++) NEAR(g.size[k], m->geom_size[k], 1e-6);
    NEAR(X.p.x, m->geom_pos[0], 1e-6);
    NEAR(X.p.y, m->geom_pos[1], 1e-6);
    NEAR(X.p.z, m->geom_pos[2], 1e-6);
    /* axes of a box may point either way */
    const cdn_vec3 *axes = &X.R.x;
    const double *q = m->geom_quat;
    const cdn_rotation theirs = cdn_rotation_from_quaternion((cdn_quaternion){ q[0], q[1], q[2], q[3] });
    for (int k = i == 0 ? 3 : i < 3 ? 2 : 0; k < 3; k++) NEAR(fabs(cdn_dot(axes[k], (&theirs.x)[k])), 1, 1e-6);
    cdn_state_destroy(state);
    cdn_model_destroy(model);
    mj_deleteModel(m);
  }
}
END_TEST

CHECK_MAIN("mujoco contact pairs", primitives_are_fitted_alike, random_models_touch_alike,
           a_humanoid_touches_itself_alike)
