/* shared by tests in this folder */
/* Features: one-sided elements, dry friction and rigid contact of shapes, in each status. Forces and speeds are chosen
 * so that, alone, a feature has the status that its name says. */
#include "matrix.h"

/* ---- speeds ---- */

/* A number that is linear in u. */
typedef double rate_of(scene *s, cdn_state *state, const void *what);

static void set_u(cdn_state *state, const double *u) { OK_ON(state, cdn_state_set_u(state, u)); }

/* Changes u as an impulse would, so that the number becomes `wanted`: constraints and what is prescribed stay. */
static void set_rate(scene *s, cdn_state *state, rate_of *rate, const void *what, double wanted) {
  enum { MOST = 6 * SCENE_MOST_BODIES };
  double u[MOST], unit[MOST] = { 0 }, row[MOST], du[MOST], known[MOST] = { 0 }, b[MOST] = { 0 };
  double lambda[MOST], tau[MOST], along = 0;
  const int nu = cdn_system_nu(cdn_state_system(state));
  memcpy(u, cdn_state_u(state), (size_t)nu * sizeof *u);
  const double now = rate(s, state, what);
  set_u(state, unit);
  const double zero = rate(s, state, what);
  for (int k = 0; k < nu; k++) {
    unit[k] = 1;
    set_u(state, unit);
    row[k] = rate(s, state, what) - zero, unit[k] = 0;
  }
  set_u(state, u);
  OK_ON(state, cdn_solve_impulses(state, row, b, known, du, lambda, tau));
  for (int k = 0; k < nu; k++) along += row[k] * du[k];
  for (int k = 0; k < nu && along > 1e-6; k++) u[k] += (wanted - now) / along * du[k]; /* else it cannot change */
  set_u(state, u);
  if (along > 1e-6) s->speeds_off = fmax(s->speeds_off, fabs(wanted - now));
}

typedef struct equation {
  const char *constraint;
  int k;
} equation;
static double error_rate(scene *s, cdn_state *state, const void *what) {
  const equation *e = what;
  double verr[3] = { 0, 0, 0 };
  (void)s;
  const cdn_constraint c = cdn_system_find_constraint(cdn_state_system(state), e->constraint);
  OK_ON(state, cdn_calc_constraint_verr(state, c, verr));
  return verr[e->k];
}

/* ---- elements ---- */

typedef struct element {
  const char *name, *slip, *reaction; /* of constraints; NULL: none */
  bool open, slips;
  int tangents;
  double load, mu;
} element;
static const element *element_of(const scene *s) { return scene_feature(s)->data; }

/* Gaps stay closed; what is to slip has 0.5 m/s, what is to stick has none. */
static void begin_element(scene *s, cdn_state *state) {
  const element *x = element_of(s);
  for (int round = 0; round < 40; round++) {
    if (x->name && !x->open) set_rate(s, state, error_rate, &(equation){ x->name, 0 }, 0);
    for (int k = 0; k < x->tangents; k++)
      set_rate(s, state, error_rate, &(equation){ x->slip, k }, x->slips ? 0.5 - 0.2 * k : 0);
  }
}

/* What presses it on is 40 N or N m. */
static void make_one_sided(scene *s, cdn_constraint constraint, bool upper) {
  cdn_one_sided_def def = cdn_default_one_sided_def();
  def.constraint = constraint, def.upper = upper, def.restitution = element_of(s)->open ? 0.4 : 0;
  cdn_system_make_one_sided(s->system, &def);
  s->element[s->now] = element_of(s)->name, s->id[s->now] = upper;
}

static void add_stop(scene *s) {
  const element *x = element_of(s);
  const cdn_mobility at = scene_coordinate(s);
  const double limit = scene_q(s, at.body, at.k) + (x->open ? 0.05 : 0);
  make_one_sided(s, cdn_system_constrain_coordinate(s->system, x->name, at.body, at.k, limit), true);
  if (!x->open) cdn_system_add_mobility_force(s->system, NULL, at.body, at.k, 40);
}

static void add_ratchet(scene *s) {
  const cdn_mobility at = scene_coordinate(s);
  make_one_sided(s, cdn_system_constrain_speed(s->system, element_of(s)->name, at.body, at.k, 0), false);
  cdn_system_add_mobility_force(s->system, NULL, at.body, at.k, -40);
}

static void add_rope(scene *s) {
  const element *x = element_of(s);
  cdn_body a, b;
  scene_pair(s, &a, &b);
  const cdn_vec3 p = scene_vec3(s, 0.3), q = scene_vec3(s, 0.3);
  const cdn_vec3 d = cdn_sub(cdn_transform_point(s->X[b.i], q), cdn_transform_point(s->X[a.i], p));
  const double length = cdn_norm(d) + (x->open ? 0.05 : 0);
  make_one_sided(s, cdn_system_constrain_rod(s->system, x->name, a, p, b, q, length), true);
  if (!x->open) cdn_system_add_body_force(s->system, NULL, b, q, cdn_scale(40 / cdn_norm(d), d), cdn_v3(0, 0, 0));
}

/* A ball and the plane that it touches, or is 0.05 m above of, on two bodies. */
static void add_rigid_ball(scene *s) {
  const element *x = element_of(s);
  cdn_rigid_contact_def def = cdn_default_rigid_contact_def();
  scene_pair(s, &def.a, &def.b);
  def.name = x->name, def.p_B = scene_vec3(s, 0.3), def.radius = 0.1, def.mu_dynamic = x->mu,
  def.viscous = 0.05 * x->mu;
  def.mu_static = 1.2 * x->mu, def.restitution = x->open ? 0.3 : 0;
  cdn_transform P = { scene_rotation(s), cdn_transform_point(s->X[def.b.i], def.p_B) };
  const cdn_vec3 n = P.R.z;
  P.p = cdn_add(P.p, cdn_sub(cdn_scale(0.07, P.R.x), cdn_scale(0.1 + (x->open ? 0.05 : 0), n)));
  def.X_AP = scene_frame(s, def.a, P);
  cdn_system_add_rigid_contact(s->system, &def);
  s->element[s->now] = x->name, s->id[s->now] = 0;
  if (!x->open) cdn_system_add_body_force(s->system, NULL, def.b, def.p_B, cdn_scale(-40, n), cdn_v3(0, 0, 0));
}

/* Of a joint's speed, by a load, or by the reaction of a rod. */
static void add_brake(scene *s) {
  const element *x = element_of(s);
  const cdn_mobility at = scene_coordinate(s);
  cdn_dry_friction_def def = cdn_default_dry_friction_def();
  def.slip = cdn_system_constrain_speed(s->system, x->slip, at.body, at.k, x->slips ? 0.1 : 0); /* at rest it holds */
  def.load = x->load, def.mu_dynamic = x->mu, def.viscous = 0.1;
  cdn_system_add_dry_friction(s->system, &def);
  s->element[s->now] = x->slip;
}
static void add_bearing(scene *s) {
  const element *x = element_of(s);
  const cdn_mobility at = scene_coordinate(s);
  cdn_body a, b;
  scene_pair(s, &a, &b);
  const cdn_vec3 p = scene_vec3(s, 0.3), q = scene_vec3(s, 0.3);
  const cdn_vec3 d = cdn_sub(cdn_transform_point(s->X[b.i], q), cdn_transform_point(s->X[a.i], p));
  cdn_dry_friction_def def = cdn_default_dry_friction_def();
  def.reaction = cdn_system_constrain_rod(s->system, x->reaction, a, p, b, q, cdn_norm(d));
  def.slip = cdn_system_constrain_speed(s->system, x->slip, at.body, at.k, 0);
  def.load = x->load, def.mu_dynamic = x->mu;
  cdn_system_add_dry_friction(s->system, &def);
  s->element[s->now] = x->slip;
}

/* ---- shapes ---- */

typedef struct pair {
  element is;
  cdn_geometry_kind below, above;
  double tilt; /* of the upper one, so that it stands on a corner or on an edge */
} pair;

/* Where they meet, and the axes there. */
static cdn_transform meeting(const scene *s) {
  cdn_transform X = { cdn_rotation_axis_angle(cdn_v3(1, 2, 0.5), 0.7 + s->now), s->X[s->loose[0].i].p };
  X.p = cdn_add(X.p, cdn_v3(0.06, -0.08, 0.03 + 0.02 * s->now));
  return X;
}

static cdn_shape shape_at(scene *s, cdn_body body, cdn_geometry geometry, cdn_transform X_G, const char *name) {
  cdn_contact_material material = cdn_default_contact_material();
  cdn_shape_def def = cdn_default_shape_def();
  material.static_friction = material.dynamic_friction = element_of(s)->mu, material.viscous_friction = 0;
  def.name = name, def.body = body, def.type = def.affinity = 2u << s->now, def.material = &material;
  def.geometry = geometry, def.X_BS = scene_frame(s, body, X_G);
  return cdn_system_add_shape(s->system, &def);
}

/* How far below its origin a geometry reaches, turned by R. */
static double reach(const cdn_geometry *g, cdn_rotation R) {
  if (g->kind == CDN_GEOMETRY_SPHERE) return g->size[0];
  return g->size[0] * fabs(R.x.z) + g->size[1] * fabs(R.y.z) + g->size[2] * fabs(R.z.z);
}

static void add_pair(scene *s) {
  const pair *x = scene_feature(s)->data;
  static const char *const names[2][2] = { { "table", "dice" }, { "shelf", "jar" } };
  const cdn_geometry sizes[] = { { .kind = CDN_GEOMETRY_SPHERE, .size = { 0.1 } },
                                 { .kind = CDN_GEOMETRY_BOX, .size = { 0.15, 0.1, 0.08 } },
                                 { .kind = CDN_GEOMETRY_HALF_SPACE } };
  const cdn_geometry *above = &sizes[x->above == CDN_GEOMETRY_BOX];
  const cdn_geometry *below = x->below == CDN_GEOMETRY_HALF_SPACE ? &sizes[2] : &sizes[x->below == CDN_GEOMETRY_BOX];
  const cdn_transform X = meeting(s);
  cdn_transform lower = X, upper = X;
  if (below->kind != CDN_GEOMETRY_HALF_SPACE)
    lower.p = cdn_sub(X.p, cdn_scale(below->size[below->kind == CDN_GEOMETRY_BOX ? 2 : 0], X.R.z));
  const cdn_rotation turn = cdn_rotation_axis_angle(cdn_v3(1, 2, 0.3), x->tilt);
  upper.R = cdn_rotation_multiply(X.R, turn);
  upper.p = cdn_add(X.p, cdn_scale(reach(above, turn) + (x->is.open ? 0.01 : 0), X.R.z));
  /* rigid, whatever shapes of other features are to each other */
  cdn_contact_pair_def touches = cdn_default_contact_pair_def();
  touches.a = shape_at(s, s->ball, *below, lower, names[s->now][0]);
  touches.b = shape_at(s, s->loose[0], *above, upper, names[s->now][1]);
  touches.model = CDN_CONTACT_RIGID;
  cdn_system_add_contact_pair(s->system, &touches);
  s->element[s->now] = names[s->now][1];
  if (!x->is.open)
    cdn_system_add_body_force(s->system, NULL, s->loose[0], scene_station(s, s->loose[0], X.p), cdn_scale(-40, X.R.z),
                              cdn_v3(0, 0, 0));
}

/* The speed of the upper one's point beyond that of the lower one's, where they meet, along an axis there. */
static double meeting_rate(scene *s, cdn_state *state, const void *what) {
  const cdn_transform X = meeting(s);
  const cdn_vec3 axes[3] = { X.R.x, X.R.y, X.R.z };
  cdn_vec3 p, v[2];
  for (int k = 0; k < 2; k++) {
    const cdn_body body = k ? s->loose[0] : s->ball;
    OK_ON(state, cdn_body_station(state, body, scene_station(s, body, X.p), &p, &v[k]));
  }
  return cdn_dot(axes[*(const int *)what], cdn_sub(v[1], v[0]));
}

static void begin_pair(scene *s, cdn_state *state) {
  const pair *x = scene_feature(s)->data;
  const double wanted[3] = { x->is.slips ? 0.5 : 0, x->is.slips ? 0.3 : 0, x->is.open || x->is.slips ? 0 : -0.1 };
  for (int k = 0; k < 3; k++) set_rate(s, state, meeting_rate, &k, wanted[k]);
}

/* ---- laws ---- */

static double law_of_sides(cdn_state *state) {
  double worst = 0, gap, push;
  for (int i = 0; i < cdn_system_one_sided_count(cdn_state_system(state)); i++) {
    const cdn_one_sided id = { i };
    const bool on = cdn_one_sided_is_on(state, id);
    if (cdn_one_sided_is_free(state, id)) continue;
    if (cdn_one_sided_gap(state, id, &gap) != CDN_OK || cdn_one_sided_push(state, id, &push) != CDN_OK) return INFINITY;
    worst = fmax(worst, on ? fmax(fabs(gap), -push) : fmax(-gap, fabs(push)));
  }
  return worst;
}

/* Of the feature's own friction: within its bound, or at it, against the slip. */
static double law_of_friction(scene *s, cdn_state *state) {
  const element *x = element_of(s);
  const cdn_system *system = cdn_state_system(state);
  const cdn_dry_friction id = cdn_system_find_dry_friction(system, x->name ? x->name : x->slip);
  double force[3] = { 0, 0, 0 }, v[3] = { 0, 0, 0 }, N = x->load;
  if (id.i < 0) return 0;
  if (cdn_dry_friction_force(state, id, force) != CDN_OK) return INFINITY;
  const cdn_one_sided normal = x->name ? cdn_system_find_one_sided(system, x->name) : (cdn_one_sided){ -1 };
  double push = 0;
  if (normal.i >= 0 && cdn_one_sided_push(state, normal, &push) != CDN_OK) return INFINITY;
  if (x->reaction) {
    const cdn_constraint strut = cdn_system_find_constraint(system, x->reaction);
    N += fabs(cdn_state_multipliers(state)[cdn_constraint_get_equations(system, strut).row]);
  }
  N += push;
  const double size = cdn_norm(cdn_v3(force[0], force[1], force[2]));
  if (cdn_calc_constraint_verr(state, cdn_system_find_constraint(system, x->slip), v) != CDN_OK) return INFINITY;
  switch (cdn_dry_friction_get_status(state, id)) {
    case CDN_FRICTION_OFF: return size;
    case CDN_FRICTION_STICK: return fmax(cdn_norm(cdn_v3(v[0], v[1], v[2])), size / fmax(1, N) - 1.2 * x->mu);
    case CDN_FRICTION_SLIP: break;
  }
  const double viscous = x->name ? 0.05 * x->mu : !x->reaction ? 0.1 : 0, slip = cdn_norm(cdn_v3(v[0], v[1], v[2]));
  if (slip < 1e-9) return size / fmax(1, N) - x->mu; /* it is about to */
  const double bound = (x->mu + viscous * slip) * N;
  double worst = 0;
  for (int k = 0; k < 3; k++) worst = fmax(worst, fabs(force[k] - -bound * v[k] / slip));
  return worst / fmax(1, bound);
}

/* Whether, alone, it does what it is called; then 0. */
static double law_of_name(const scene *s, const cdn_state *state) {
  const element *x = element_of(s);
  const bool with_side = cdn_system_one_sided_count(cdn_state_system(state)) > 0;
  const cdn_dry_friction friction = { 0 };
  if (s->features > 1) return 0;
  if (with_side && cdn_one_sided_is_on(state, (cdn_one_sided){ 0 }) == x->open) return INFINITY;
  if (cdn_system_dry_friction_count(cdn_state_system(state)) == 0 || x->mu == 0) return 0;
  const cdn_friction_status wanted = x->open ? CDN_FRICTION_OFF : x->slips ? CDN_FRICTION_SLIP : CDN_FRICTION_STICK;
  return cdn_dry_friction_get_status(state, friction) == wanted ? 0 : INFINITY;
}

static double law_of_element(scene *s, cdn_state *state) {
  const double sides = fmax(law_of_sides(state), law_of_name(s, state));
  return element_of(s)->tangents > 0 ? fmax(sides, law_of_friction(s, state)) : sides;
}
static double law_of_pair(scene *s, cdn_state *state) { return fmax(law_of_sides(state), law_of_name(s, state)); }

/* ---- the table ---- */

#define ELEMENT(adder, refused, ...)                                                                \
  .add = adder, .begin = begin_element, .law = law_of_element, .settles = true, .refuses = refused, \
  .data = &(const element) {                                                                        \
    __VA_ARGS__                                                                                     \
  }
#define PAIR(lower, upper, slope, refused, ...)                                                        \
  .add = add_pair, .begin = begin_pair, .law = law_of_pair, .settles = true, .refuses = refused,       \
  .contact = RIGID_CONTACT, .differenced = true, .data = &(const pair) {                               \
    .is = { __VA_ARGS__ }, .below = CDN_GEOMETRY_##lower, .above = CDN_GEOMETRY_##upper, .tilt = slope \
  }

/* Statuses change at events, which a motion with an inverse has not. */
static const refusal all_refuse[] = {
  { "invertible motion", NULL, NULL },
  { "method", "cvode-adams", "CVODE Adams" },
  { "checkpoint of a run", "cvode-adams", "CVODE Adams" },
  { "run from a vector", "cvode-adams", "CVODE Adams" },
  { NULL, NULL, NULL },
};

/* What slips, besides. */
#define SLIPS                                                                                                      \
  { "invertible motion", NULL, NULL }, { "normal modes", NULL, NULL }, { "method", "cvode-adams", "CVODE Adams" }, \
      { "checkpoint of a run", "cvode-adams", "CVODE Adams" }, {                                                   \
    "run from a vector", "cvode-adams", "CVODE Adams"                                                              \
  }
static const refusal slips_refuse[] = { SLIPS, { NULL, NULL, NULL } };
static const refusal belt_refuses[] = { SLIPS, { "equilibrium", NULL, NULL }, { NULL, NULL, NULL } };
/* Shapes have another law there, and may touch nothing (questions_runs.c). */
static const refusal pairs_refuse[] = { { "method", "cvode-adams", "CVODE Adams" },
                                        { "checkpoint of a run", "cvode-adams", "CVODE Adams" },
                                        { "run from a vector", "cvode-adams", "CVODE Adams" },
                                        { NULL, NULL, NULL } };

static const refusal pairs_slip_refuse[] = { { "normal modes", NULL, NULL },
                                             { "method", "cvode-adams", "CVODE Adams" },
                                             { "checkpoint of a run", "cvode-adams", "CVODE Adams" },
                                             { "run from a vector", "cvode-adams", "CVODE Adams" },
                                             { NULL, NULL, NULL } };

static const feature table[] = {
  { .name = "stop out of reach", ELEMENT(add_stop, all_refuse, .name = "far stop", .open = true) },
  { .name = "stop", ELEMENT(add_stop, all_refuse, .name = "stop") },
  { .name = "ratchet", ELEMENT(add_ratchet, all_refuse, .name = "ratchet") },
  { .name = "slack rope", ELEMENT(add_rope, all_refuse, .name = "slack", .open = true) },
  { .name = "taut rope", ELEMENT(add_rope, all_refuse, .name = "rope") },
  { .name = "brake that holds", ELEMENT(add_brake, all_refuse, .slip = "hold", .tangents = 1, .load = 2e4, .mu = 0.8) },
  { .name = "brake that slips",
    ELEMENT(add_brake, belt_refuses, .slip = "brake", .tangents = 1, .load = 5, .mu = 0.4, .slips = true) },
  { .name = "bearing that holds",
    ELEMENT(add_bearing, all_refuse, .slip = "tight", .tangents = 1, .load = 200, .mu = 0.6,
            .reaction = "tight strut") },
  { .name = "bearing that slips",
    ELEMENT(add_bearing, slips_refuse, .slip = "bearing", .tangents = 1, .load = 1, .mu = 0.1, .slips = true,
            .reaction = "strut") },
  { .name = "rigid ball out of reach",
    ELEMENT(add_rigid_ball, all_refuse, .name = "above", .slip = "above slip", .mu = 0.3, .open = true) },
  { .name = "rigid ball that slips",
    ELEMENT(add_rigid_ball, slips_refuse, .name = "contact", .slip = "contact slip", .tangents = 2, .mu = 0.1,
            .slips = true) },
  { .name = "rigid shapes out of reach", PAIR(HALF_SPACE, SPHERE, 0, pairs_refuse, .mu = 0.3, .open = true) },
  { .name = "rigid shapes without friction", PAIR(HALF_SPACE, BOX, 0.4, pairs_refuse, .mu = 0) },
  { .name = "rigid shapes that stick", PAIR(BOX, SPHERE, 0, pairs_refuse, .mu = 8) },
  { .name = "rigid shapes that slip", PAIR(BOX, SPHERE, 0, pairs_slip_refuse, .mu = 0.1, .slips = true) },
};

feature_table hybrid_features(void) { return (feature_table){ table, (int)(sizeof table / sizeof *table) }; }
