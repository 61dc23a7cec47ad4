/* Assembly under bad input, callbacks that fail, and memory that runs out. */
#include "../property/mechanisms.h"
#include "counting_allocator.h"

static const double nan_ = NAN, inf_ = INFINITY;

static cdn_assembly *assembly_of(const cdn_state *state) {
  cdn_assembly *a = NULL;
  OK(cdn_assembly_create(cdn_state_system(state), NULL, &a));
  return a;
}

/* The assembly's last message has this code and mentions this. */
static void tells(const cdn_assembly *a, cdn_status code, const char *what) {
  cdn_error e;
  cdn_assembly_last_error(a, &e);
  ck_assert_msg(e.code == code, "%s instead of %s: %s", cdn_status_name(e.code), cdn_status_name(code), e.text);
  ck_assert_msg(strstr(e.text, what) || strstr(e.element, what), "'%s' is not in '%s' or '%s'", what, e.text,
                e.element);
}

/* ---- making one ---- */

START_TEST(test_defs) {
  cdn_system *system = cdn_system_create(NULL);
  cdn_assembly *a = NULL;
  FAILS(cdn_assembly_create(system, NULL, &a), CDN_ERR_NOT_FROZEN);
  FAILS(cdn_assembly_create(NULL, NULL, &a), CDN_ERR_ARG);
  FAILS(cdn_assembly_create(system, NULL, NULL), CDN_ERR_ARG);
  OK_FREEZE(system);
  const cdn_assembly_def standard = cdn_default_assembly_def();
  cdn_assembly_def bad[8];
  for (int i = 0; i < 8; i++) bad[i] = standard;
  bad[0].tolerance = 0, bad[1].tolerance = nan_, bad[2].accuracy = -1, bad[3].accuracy = inf_;
  bad[4].time_scale = 0, bad[5].most_iterations = 0, bad[6].restarts = -1, bad[7].tolerance = inf_;
  for (int i = 0; i < 8; i++) FAILS(cdn_assembly_create(system, &bad[i], &a), CDN_ERR_ARG);
  cdn_assembly_def other = standard;
  other.struct_size--;
  FAILS(cdn_assembly_create(system, &other, &a), CDN_ERR_VERSION);
  ck_assert_ptr_null(a);
  /* a System without anything can be assembled, too */
  cdn_state *state = NULL;
  OK(cdn_state_create(system, &state));
  OK(cdn_assembly_create(system, NULL, &a));
  cdn_assembly_report report;
  OK(cdn_assemble(a, state, &report));
  OK(cdn_assemble_speeds(a, state, &report));
  ck_assert_int_eq(report.dof, 0);
  FAILS(cdn_assembly_lock(a, (cdn_body){ 1 }, true), CDN_ERR_ARG);
  cdn_assembly_destroy(a), cdn_state_destroy(state), cdn_system_release(system);
  cdn_assembly_destroy(NULL);
  FAILS(cdn_assemble(NULL, NULL, NULL), CDN_ERR_ARG);
  FAILS(cdn_assemble_speeds(NULL, NULL, NULL), CDN_ERR_ARG);
  FAILS(cdn_track(NULL, NULL, 0, 0, NULL, NULL), CDN_ERR_ARG);
  ck_assert_int_eq(cdn_assembly_add_marker(NULL, NULL, (cdn_body){ 1 }, cdn_v3(0, 0, 0), 1).i, -1);
  cdn_error e;
  cdn_assembly_last_error(NULL, &e);
  ck_assert_int_eq(e.code, CDN_OK);
}
END_TEST

/* ---- adders are sticky ---- */

static cdn_status one(const void *self, cdn_state *state, double *r) {
  (void)self, (void)state;
  r[0] = 1;
  return CDN_OK;
}

static void add_bad(cdn_assembly *a, int which) {
  const cdn_body platform = { 1 }, leg = { 2 }, nobody = { 99 };
  const cdn_vec3 o = cdn_v3(0, 0, 0);
  cdn_rotation R = cdn_rotation_identity();
  cdn_goal_ops ops = { .struct_size = sizeof ops, .name = "own", .rows = 1, .residual = one };
  cdn_goal id = { 0 };
  switch (which) {
    case 0: id = cdn_assembly_add_coordinate(a, "wish", platform, 0, 1, 1); break; /* a quaternion */
    case 1: id = cdn_assembly_add_coordinate(a, "wish", leg, 2, 1, 1); break;
    case 2: id = cdn_assembly_add_coordinate(a, "wish", leg, 0, nan_, 1); break;
    case 3: id = cdn_assembly_add_coordinate(a, "wish", leg, 0, 1, -1); break;
    case 4: id = cdn_assembly_add_coordinate(a, "wish", nobody, 0, 1, 1); break;
    case 5: id = cdn_assembly_add_marker(a, "wish", nobody, o, 1); break;
    case 6: id = cdn_assembly_add_marker(a, "wish", leg, cdn_v3(0, inf_, 0), 1); break;
    case 7: id = cdn_assembly_add_orientation(a, "wish", (cdn_body){ -1 }, R, 1); break;
    case 8: R.y.z = nan_, id = cdn_assembly_add_orientation(a, "wish", leg, R, 1); break;
    case 9: id = cdn_assembly_add_speed(a, "wish", platform, 6, 1, 1); break;
    case 10: id = cdn_assembly_add_goal(a, "wish", NULL, NULL, 1); break;
    case 11: ops.rows = 0, id = cdn_assembly_add_goal(a, "wish", &ops, NULL, 1); break;
    case 12: ops.residual = NULL, id = cdn_assembly_add_goal(a, "wish", &ops, NULL, 1); break;
    case 13: ops.self_size = 8, id = cdn_assembly_add_goal(a, "wish", &ops, NULL, 1); break;
    case 14: ops.struct_size = 1, id = cdn_assembly_add_goal(a, "wish", &ops, NULL, 1); break;
    default: id = cdn_assembly_add_marker(a, "wish", leg, o, nan_); break;
  }
  ck_assert_int_eq(id.i, -1);
}

START_TEST(test_mistakes_stick) {
  cdn_state *state = mechanism_state(stewart());
  for (int which = 0; which <= 15; which++) {
    cdn_assembly *a = assembly_of(state);
    add_bad(a, which);
    add_bad(a, (which + 1) % 16); /* the first one counts */
    cdn_error first;
    cdn_assembly_last_error(a, &first);
    cdn_assembly_add_marker(a, "good", (cdn_body){ 1 }, cdn_v3(0, 0, 0), 1);
    double *q = coordinate_copy(state);
    const cdn_status status = cdn_assemble(a, state, NULL);
    ck_assert(status == CDN_ERR_ARG || status == CDN_ERR_NONFINITE || status == CDN_ERR_VERSION);
    tells(a, status, which == 10 ? "ops" : "wish");
    ck_assert_int_eq(memcmp(q, cdn_state_q(state), (size_t)cdn_system_nq(cdn_state_system(state)) * sizeof *q), 0);
    free(q);
    cdn_assembly_destroy(a);
  }
  cdn_state_destroy(state);
}
END_TEST

START_TEST(test_setters_refuse) {
  cdn_state *state = mechanism_state(stewart()), *other = mechanism_state(four_bar());
  cdn_assembly *a = assembly_of(state);
  const cdn_body platform = { 1 }, leg = { 2 }, nobody = { 99 };
  const cdn_goal marker = cdn_assembly_add_marker(a, "marker", platform, cdn_v3(0, 0, 0), 1), none = { 7 };
  const cdn_goal sensor = cdn_assembly_add_orientation(a, "sensor", platform, cdn_rotation_identity(), 1);
  FAILS(cdn_assembly_set_weight(a, none, 1), CDN_ERR_ARG);
  FAILS(cdn_assembly_set_weight(a, marker, -1), CDN_ERR_ARG);
  FAILS(cdn_assembly_set_weight(a, marker, nan_), CDN_ERR_NONFINITE);
  FAILS(cdn_assembly_set_value(a, marker, 1), CDN_ERR_ARG);
  FAILS(cdn_assembly_observe_marker(a, sensor, cdn_v3(0, 0, 0)), CDN_ERR_ARG);
  FAILS(cdn_assembly_observe_marker(a, marker, cdn_v3(0, inf_, 0)), CDN_ERR_NONFINITE);
  tells(a, CDN_ERR_NONFINITE, "marker");
  FAILS(cdn_assembly_observe_orientation(a, marker, cdn_rotation_identity()), CDN_ERR_ARG);
  FAILS(cdn_assembly_lock(a, nobody, true), CDN_ERR_ARG);
  FAILS(cdn_assembly_lock_coordinate(a, platform, 1, true), CDN_ERR_ARG);
  tells(a, CDN_ERR_ARG, "platform");
  FAILS(cdn_assembly_lock_coordinate(a, leg, -1, true), CDN_ERR_ARG);
  FAILS(cdn_assembly_set_bounds(a, leg, 0, 1, -1), CDN_ERR_ARG);
  FAILS(cdn_assembly_set_bounds(a, leg, 0, inf_, inf_), CDN_ERR_ARG);
  FAILS(cdn_assembly_set_bounds(a, leg, 0, nan_, 1), CDN_ERR_NONFINITE);
  FAILS(cdn_assembly_set_bounds(a, leg, 5, 0, 1), CDN_ERR_ARG);
  FAILS(cdn_assemble(a, other, NULL), CDN_ERR_ARG);
  const cdn_vec3 seen[2] = { { 0, 0, 1 }, { 0, 0, 0 } };
  FAILS(cdn_track(a, state, 0, 2, seen, NULL), CDN_ERR_ARG);
  FAILS(cdn_track(a, state, 0, 1, NULL, NULL), CDN_ERR_ARG);
  FAILS(cdn_track(a, state, nan_, 1, seen, NULL), CDN_ERR_NONFINITE);
  /* none of this has stuck */
  OK(cdn_track(a, state, 0.5, 1, seen, NULL));
  ck_assert_ptr_null(cdn_assembly_goal_name(a, none));
  ck_assert_str_eq(cdn_assembly_goal_name(a, sensor), "sensor");
  ck_assert_int_eq(cdn_assembly_goal_count(a), 2);
  cdn_assembly_destroy(a), cdn_state_destroy(state), cdn_state_destroy(other);
}
END_TEST

/* ---- goals of the user's ---- */

typedef struct own {
  int calls, fail_at, destroyed;
  bool nan;
} own;

/* The height of the platform is to be 1.5; in the Jacobian's absence by differences. */
static cdn_status height(const void *self, cdn_state *state, double *r) {
  own *o = *(own *const *)self;
  cdn_transform X;
  if (++o->calls == o->fail_at) {
    if (!o->nan) return cdn_state_fail(state, CDN_ERR_CALLBACK, false, "height", "no height today");
    r[0] = NAN;
    return CDN_OK;
  }
  const cdn_status status = cdn_body_pose(state, (cdn_body){ 1 }, &X);
  r[0] = X.p.z - 1.5, r[1] = 0;
  return status;
}
static void count_destroyed(void *self) { (*(own **)self)->destroyed++; }

START_TEST(test_own_goals) {
  const cdn_goal_ops ops = { .struct_size = sizeof ops,
                             .name = "height",
                             .self_size = sizeof(own *),
                             .rows = 2,
                             .residual = height,
                             .destroy = count_destroyed };
  cdn_state *state = mechanism_state(stewart());
  double *q0 = coordinate_copy(state);
  const size_t size = (size_t)cdn_system_nq(cdn_state_system(state)) * sizeof *q0;
  int total = 0;
  for (int fail_at = 0; fail_at <= total; fail_at++)
    for (int nan = 0; nan < 2; nan++) {
      own o = { .fail_at = fail_at, .nan = nan };
      own *self = &o;
      cdn_assembly *a = assembly_of(state);
      const cdn_goal g = cdn_assembly_add_goal(a, NULL, &ops, &self, 1);
      ck_assert_str_eq(cdn_assembly_goal_name(a, g), "height");
      OK_ON(state, cdn_state_set_q(state, q0));
      cdn_assembly_report report;
      const cdn_status status = cdn_assemble(a, state, &report);
      cdn_transform X;
      OK_ON(state, cdn_body_pose(state, (cdn_body){ 1 }, &X));
      if (fail_at == 0) {
        ck_assert_int_eq(status, CDN_OK);
        NEAR(X.p.z, 1.5, 1e-8);
        total = o.calls;
      } else if (status != CDN_OK) {
        ck_assert(status == (nan ? CDN_ERR_NONFINITE : CDN_ERR_CALLBACK));
        tells(a, status, "height");
        ck_assert_int_eq(memcmp(q0, cdn_state_q(state), size), 0);
      } /* else it was at trial coordinates, which were then others */
      cdn_assembly_destroy(a);
      ck_assert_int_eq(o.destroyed, 1);
    }
  ck_assert_int_gt(total, 10);
  free(q0);
  cdn_state_destroy(state);
}
END_TEST

/* ---- memory ---- */

static cdn_system *linkage(cdn_allocator allocator) {
  cdn_system_def sd = cdn_default_system_def();
  sd.allocator = allocator;
  cdn_system *s = cdn_system_create(&sd);
  ck_assert_ptr_nonnull(s);
  cdn_body_def def = cdn_default_body_def();
  def.mobilizer = CDN_BALL;
  def.mass = (cdn_mass_properties){ 1, cdn_v3(0.5, 0, 0), { 0.1, 0.2, 0.2, 0, 0, 0 } };
  for (int i = 0; i < 5; i++) {
    def.X_PF.p = cdn_v3(i ? 1 : 0, 0, 0);
    def.parent = cdn_system_add_body(s, &def);
  }
  /* twice, so that half of the equations are redundant */
  cdn_system_constrain_ball(s, "end", cdn_ground(), cdn_v3(2, 1, 0), def.parent, cdn_v3(1, 0, 0));
  cdn_system_constrain_ball(s, "again", cdn_ground(), cdn_v3(2, 1, 0), def.parent, cdn_v3(1, 0, 0));
  OK_FREEZE(s);
  return s;
}

/* Everything that allocates, from a State that is there; the first status that is not CDN_OK. */
static cdn_status use(cdn_state *state, cdn_assembly **a) {
  own o = { .calls = 0 };
  own *self = &o;
  const cdn_goal_ops ops = { .struct_size = sizeof ops, .self_size = sizeof self, .rows = 2, .residual = height };
  cdn_status status = cdn_assembly_create(cdn_state_system(state), NULL, a);
  if (status != CDN_OK) return status;
  const cdn_goal g = cdn_assembly_add_marker(*a, "m", (cdn_body){ 3 }, cdn_v3(0.5, 0, 0), 1);
  if (g.i >= 0) OK(cdn_assembly_observe_marker(*a, g, cdn_v3(1, 1, 0.3)));
  cdn_assembly_add_goal(*a, "height", &ops, &self, 0.1);
  cdn_assembly_add_speed(*a, "v", (cdn_body){ 1 }, 0, 1, 1);
  status = cdn_assemble(*a, state, NULL);
  return status == CDN_OK ? cdn_assemble_speeds(*a, state, NULL) : status;
}

START_TEST(test_allocation_failure_at_every_call) {
  counting_allocator c = { .calls = 0 };
  cdn_system *system = linkage(allocator_of(&c));
  const int64_t built = c.outstanding;
  int failed = 0;
  for (int64_t k = 1;; k++) {
    cdn_state *state = NULL;
    cdn_assembly *a = NULL;
    OK(cdn_state_create(system, &state));
    double *q = coordinate_copy(state);
    c.fail_at = c.calls + k;
    const cdn_status status = use(state, &a);
    const bool reached = c.calls >= c.fail_at;
    c.fail_at = 0;
    if (status != CDN_OK) {
      ck_assert_int_eq(status, CDN_ERR_NOMEM);
      failed++;
      if (a) tells(a, CDN_ERR_NOMEM, "memory");
    }
    cdn_assembly_destroy(a), cdn_state_destroy(state);
    free(q);
    ck_assert_int_eq(c.outstanding, built);
    if (!reached) break;
  }
  ck_assert_int_gt(failed, 8);
  ck_assert_int_eq(c.misuse, 0);
  cdn_system_release(system);
  ck_assert_int_eq(c.outstanding, 0);
}
END_TEST

START_TEST(test_tracking_does_not_allocate) {
  counting_allocator c = { .calls = 0 };
  cdn_system *system = linkage(allocator_of(&c));
  cdn_state *state = NULL;
  cdn_assembly *a = NULL;
  OK(cdn_state_create(system, &state));
  OK(cdn_assembly_create(system, NULL, &a));
  cdn_assembly_add_marker(a, NULL, (cdn_body){ 2 }, cdn_v3(0.5, 0.1, 0), 1);
  cdn_assembly_add_marker(a, NULL, (cdn_body){ 4 }, cdn_v3(0.5, 0, 0.1), 1);
  OK(cdn_assembly_set_bounds(a, (cdn_body){ 1 }, 0, -1, 1) == CDN_ERR_ARG ? CDN_OK : CDN_ERR_ARG);
  int64_t before = 0;
  for (int i = 0; i < 50; i++) {
    const cdn_vec3 seen[] = { { 1 + 0.01 * i, 0.6, 0.2 }, { i % 5 ? 2 : NAN, 1.2, 0.5 } };
    OK(cdn_track(a, state, 0.01 * i, 2, seen, NULL));
    OK(cdn_assemble_speeds(a, state, NULL));
    if (i == 1) before = c.calls;
  }
  ck_assert_int_eq(c.calls, before);
  cdn_assembly_destroy(a), cdn_state_destroy(state), cdn_system_release(system);
  ck_assert_int_eq(c.outstanding, 0);
}
END_TEST

CHECK_MAIN("assembly_failures", test_defs, test_mistakes_stick, test_setters_refuse, test_own_goals,
           test_allocation_failure_at_every_call, test_tracking_does_not_allocate)
