/* shared by tests in this folder */
/* Features: one soft element of each kind, from the library's own list of kinds; soft rows of one's own of each
 * kind; each solver; what else a System can ask of its soft rows. */
#include "soft/elements.h"
#include "matrix.h"

/* ---- elements ---- */

static void add_limit(scene *s) {
  cdn_soft_limit_def def = cdn_default_soft_limit_def();
  const double q = scene_q(s, s->slider, 0);
  def.name = s->now ? "second limit" : "limit", def.body = s->slider, def.lower = q + 0.02, def.upper = q + 2;
  cdn_system_add_soft_limit(s->system, &def);
}
static void add_ball_limit(scene *s) {
  cdn_soft_limit_def def = cdn_default_soft_limit_def();
  def.name = "ball limit", def.body = s->ball, def.upper = 0.2;
  cdn_system_add_soft_limit(s->system, &def);
}
static void add_loss(scene *s) { /* one that slides, and one that holds */
  cdn_friction_loss_def def = cdn_default_friction_loss_def();
  def.name = s->now ? "second loss" : "loss", def.body = s->ball, def.loss = 0.1;
  cdn_system_add_friction_loss(s->system, &def);
  def.name = s->now ? "second brake" : "brake", def.body = s->pin, def.loss = 1e4;
  cdn_system_add_friction_loss(s->system, &def);
  def.name = s->now ? "second drag" : "drag", def.body = s->loose[1], def.loss = 0.05;
  cdn_system_add_friction_loss(s->system, &def);
}
static void add_equality(scene *s, cdn_soft_equality_kind kind, const char *name) {
  cdn_soft_equality_def def = cdn_default_soft_equality_def();
  def.name = name, def.kind = kind;
  switch (kind) {
    case CDN_SOFT_WELD:
    case CDN_SOFT_CONNECT: {
      def.a = s->ball, def.b = s->loose[0], def.p_A = scene_vec3(s, 0.3);
      const cdn_transform A = { s->X[s->ball.i].R, cdn_transform_point(s->X[s->ball.i], def.p_A) };
      const cdn_transform X_AB = cdn_transform_multiply(cdn_transform_invert(s->X[s->ball.i]), s->X[s->loose[0].i]);
      def.p_B = scene_station(s, s->loose[0], cdn_add(A.p, cdn_v3(0.01, 0.02, -0.01)));
      def.q_AB =
          cdn_quaternion_from_rotation(cdn_rotation_multiply(X_AB.R, cdn_rotation_axis_angle(cdn_v3(1, 2, 3), 0.05)));
      break;
    }
    case CDN_SOFT_COUPLE:
      def.y = (cdn_mobility){ s->slider, 0 }, def.x = (cdn_mobility){ s->cylinder, 0 };
      def.y0 = scene_q(s, s->slider, 0) + 0.01, def.x0 = scene_q(s, s->cylinder, 0) - 0.1, def.polynomial[2] = 0.5;
      break;
  }
  cdn_system_add_soft_equality(s->system, &def);
}
static void add_connect(scene *s) { add_equality(s, CDN_SOFT_CONNECT, s->now ? "second connect" : "connect"); }
static void add_weld(scene *s) { add_equality(s, CDN_SOFT_WELD, "weld"); }
static void add_couple(scene *s) { add_equality(s, CDN_SOFT_COUPLE, "couple"); }

static void add_tendon(scene *s, cdn_soft_tendon_kind kind, const char *name) {
  cdn_soft_tendon_def def = cdn_default_soft_tendon_def();
  def.name = name, def.kind = kind, def.joints = 2;
  def.joint[0] = (cdn_mobility){ s->slider, 0 }, def.joint[1] = (cdn_mobility){ s->cylinder, 1 };
  def.coefficient[0] = 1, def.coefficient[1] = -0.7;
  const double length = scene_q(s, s->slider, 0) - 0.7 * scene_q(s, s->cylinder, 1);
  switch (kind) {
    case CDN_TENDON_LIMIT: def.lower = length + 0.02, def.upper = length + 1; break;
    case CDN_TENDON_LOSS: def.loss = 0.5; break;
    case CDN_TENDON_COUPLE:
    case CDN_TENDON_INERTIA: break; /* of paths alone */
  }
  cdn_system_add_soft_tendon(s->system, &def);
}
static void add_path(scene *s, cdn_soft_tendon_kind kind, const char *name) {
  cdn_soft_tendon_def def = cdn_default_soft_tendon_def();
  double length, other;
  def.name = name, def.kind = kind, def.path = scene_cable(s, name, &length);
  /* rows of paths are differenced: impedances that vary within a millimetre are known less exactly */
  def.law.imp[2] = 0.1;
  switch (kind) {
    case CDN_TENDON_LIMIT: def.lower = length + 0.01, def.upper = length + 1; break;
    case CDN_TENDON_LOSS: def.loss = 0.5; break;
    case CDN_TENDON_COUPLE: /* with a sum of coordinates */
      def.x = cdn_system_add_path(s->system, "sum");
      cdn_path_add_coordinate(s->system, def.x, s->slider, 0, 1);
      cdn_path_add_coordinate(s->system, def.x, s->cylinder, 1, -0.7);
      other = scene_q(s, s->slider, 0) - 0.7 * scene_q(s, s->cylinder, 1);
      def.y0 = length + 0.01, def.x0 = other + 0.02, def.polynomial[1] = 0.3, def.polynomial[2] = 0.2;
      break;
    case CDN_TENDON_INERTIA: def.mass = 0.5; break;
  }
  cdn_system_add_soft_tendon(s->system, &def);
}
static void add_tendon_limit(scene *s) { add_tendon(s, CDN_TENDON_LIMIT, "tendon limit"); }
static void add_tendon_loss(scene *s) { add_tendon(s, CDN_TENDON_LOSS, "tendon loss"); }
static void add_path_limit(scene *s) { add_path(s, CDN_TENDON_LIMIT, "path limit"); }
static void add_path_loss(scene *s) { add_path(s, CDN_TENDON_LOSS, "path loss"); }
static void add_path_couple(scene *s) { add_path(s, CDN_TENDON_COUPLE, "path couple"); }
static void add_path_inertia(scene *s) { add_path(s, CDN_TENDON_INERTIA, "path inertia"); }

/* ---- rows of one's own ---- */

typedef struct own_rows {
  cdn_body joint, a, b;
  cdn_soft_kind kind;
} own_rows;

static cdn_status calc_groups(const void *self, cdn_state *state, cdn_row_list *list) {
  const own_rows *o = self;
  cdn_row_def g = cdn_default_row_def();
  const double q = q_of(state, o->joint), u = u_of(state, o->joint);
  cdn_transform X;
  CDN_TRY(cdn_body_pose(state, o->b, &X));
  g.kind = o->kind;
  switch (o->kind) {
    case CDN_SOFT_EQUALITY:
      g.joint = o->joint, g.g[0][0] = 1 + 0.1 * cos(q), g.target[0] = 1 - 3 * u - 4 * q, g.R[0] = 1 / (2 + q * q);
      break;
    case CDN_SOFT_FRICTION_LOSS:
      g.joint = o->joint, g.g[0][0] = 1, g.target[0] = -30 * u + q, g.R[0] = 1, g.loss = 0.2 + 0.1 * q * q;
      break;
    case CDN_SOFT_LIMIT: g.joint = o->joint, g.g[0][0] = 1, g.target[0] = 40 - 3 * u - 2 * q, g.R[0] = 1 / 1.5; break;
    case CDN_SOFT_ELLIPTIC:
    case CDN_SOFT_PYRAMIDAL:
      g.rows = 3, g.a = o->a, g.b = o->b, g.point_G = X.p;
      g.J[0].v = X.R.x, g.J[1].v = X.R.y, g.J[2].v = X.R.z;
      g.R[0] = 0.5, g.R[1] = g.R[2] = 1, g.friction[0] = g.friction[1] = 0.5, g.mu = 0.5 * sqrt(2);
      g.target[0] = 30 - u, g.target[1] = 15 + q, g.target[2] = 25 - 0.5 * u;
      break;
    case CDN_SOFT_BOUNDED: break; /* features_own.c */
  }
  cdn_row_list_add(list, &g);
  return CDN_OK;
}
static cdn_status declare_own(void *self, cdn_declarer *d) {
  const cdn_row_provider p = { .struct_size = sizeof p, .name = "own soft rows", .calc_rows = calc_groups };
  (void)self;
  cdn_declare_rows(d, &p);
  return CDN_OK;
}
static void add_own(scene *s) {
  const cdn_subsystem_ops ops = {
    .struct_size = sizeof ops, .name = "own soft rows", .self_size = sizeof(own_rows), .declare = declare_own
  };
  const own_rows self = { s->slider, s->ball, s->loose[0], *(const cdn_soft_kind *)scene_feature(s)->data };
  cdn_system_add_subsystem(s->system, &ops, &self);
}
static const cdn_soft_kind own_kinds[] = { CDN_SOFT_EQUALITY, CDN_SOFT_FRICTION_LOSS, CDN_SOFT_LIMIT, CDN_SOFT_ELLIPTIC,
                                           CDN_SOFT_PYRAMIDAL };

/* ---- options ---- */

static void use_soft(scene *s) {
  s->has_soft = true;
  add_loss(s);
  add_limit(s);
}
static void add_solver(scene *s) {
  use_soft(s);
  s->soft.solver = *(const cdn_soft_solver *)scene_feature(s)->data;
  switch (s->soft.solver) {
    case CDN_SOFT_NEWTON:
    case CDN_SOFT_CG: break;
    case CDN_SOFT_PGS: s->soft.iterations = 20000; break;
  }
}
static const cdn_soft_solver solvers[] = { CDN_SOFT_CG, CDN_SOFT_PGS };
static void add_exact_diagonal(scene *s) {
  use_soft(s);
  s->soft.exact_diagonal = true;
}
static void add_onset(scene *s) {
  use_soft(s);
  s->soft.onset = 0.05;
}
static void add_without_rates(scene *s) {
  s->has_soft = true;
  s->soft.rates = false;
  add_connect(s);
}

static const feature table[] = {
#define SOFT_ROW(ENUM, kind) { .name = "soft " #kind, .add = add_##kind, .soft = true },
  SOFT_ELEMENT_LIST(SOFT_ROW)
#undef SOFT_ROW
      { .name = "own soft equality", .add = add_own, .data = &own_kinds[0], .soft = true },
  { .name = "own soft loss", .add = add_own, .data = &own_kinds[1], .soft = true },
  { .name = "own soft limit", .add = add_own, .data = &own_kinds[2], .soft = true },
  { .name = "own elliptic cone", .add = add_own, .data = &own_kinds[3], .soft = true },
  { .name = "own pyramid", .add = add_own, .data = &own_kinds[4], .soft = true },
  { .name = "soft rows by CG", .add = add_solver, .data = &solvers[0], .soft = true },
  { .name = "soft rows by PGS", .add = add_solver, .data = &solvers[1], .soft = true },
  { .name = "exact diagonal", .add = add_exact_diagonal, .soft = true },
  { .name = "onset of soft rows", .add = add_onset, .soft = true },
  { .name = "soft rows without rates", .add = add_without_rates, .soft = true },
};

feature_table soft_features(void) { return (feature_table){ table, (int)(sizeof table / sizeof *table) }; }
