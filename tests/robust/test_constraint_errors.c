/* What becomes of mistakes with constraints: refused with the element's name and the reason when they are added or set,
 * told with the element's name when they show in a State. */
#include "../property/constraint_samples.h"

#include "core/core.h"

/* ---- while building ---- */

typedef struct bodies {
  cdn_system *system;
  cdn_body pin, slider, ball;
} bodies;

static bodies make_bodies(void) {
  bodies b = { .system = cdn_system_create(NULL) };
  cdn_body_def def = cdn_default_body_def();
  def.mass = (cdn_mass_properties){ .mass = 1, .inertia = { .xx = 1, .yy = 1, .zz = 1 } };
  def.name = "arm", def.mobilizer = CDN_PIN;
  b.pin = cdn_system_add_body(b.system, &def);
  def.name = "drawer", def.mobilizer = CDN_SLIDER;
  b.slider = cdn_system_add_body(b.system, &def);
  def.name = "head", def.mobilizer = CDN_BALL, def.parent = b.pin;
  b.ball = cdn_system_add_body(b.system, &def);
  return b;
}

static void refused(bodies *b, cdn_constraint id, cdn_status code, const char *element, const char *word) {
  cdn_error error;
  ck_assert_int_eq(id.i, -1);
  FAILS(cdn_system_freeze(b->system), code);
  cdn_system_last_error(b->system, &error);
  ck_assert_int_eq(error.code, code);
  ck_assert_str_eq(error.element, element);
  ck_assert_msg(strstr(error.text, word) != NULL, "no '%s' in: %s", word, error.text);
  cdn_system_release(b->system);
  *b = make_bodies();
}

START_TEST(test_refused_when_added) {
  bodies b = make_bodies();
  cdn_system *const *s = &b.system;
  const cdn_vec3 o = { 0, 0, 0 }, x = { 1, 0, 0 }, bad = { 0, NAN, 0 };
  const cdn_transform I = cdn_transform_identity();
  const cdn_body none = { 44 };
  cdn_transform skew = I, nowhere = I;
  skew.R.x.y = 0.3, nowhere.p.x = INFINITY;
  const double five[5] = { 0, 1, 0, 0, NAN };

  refused(&b, cdn_system_constrain_point_on_line(*s, "k", b.pin, o, o, b.ball, o), CDN_ERR_ARG, "k", "no direction");
  refused(&b, cdn_system_constrain_point_on_line(*s, "k", b.pin, x, bad, b.ball, o), CDN_ERR_NONFINITE, "k", "p_A.y");
  refused(&b, cdn_system_constrain_point_in_plane(*s, "k", b.pin, bad, 0, b.ball, o), CDN_ERR_NONFINITE, "k", "n.");
  refused(&b, cdn_system_constrain_rod(*s, "k", b.pin, o, b.pin, x, 1), CDN_ERR_ARG, "k", "both ends");
  refused(&b, cdn_system_constrain_rod(*s, "k", b.pin, o, none, x, 1), CDN_ERR_ARG, "k", "no body 44");
  refused(&b, cdn_system_constrain_rod(*s, NULL, b.pin, o, b.ball, x, 0), CDN_ERR_ARG, "constraint0", "length");
  refused(&b, cdn_system_constrain_angle(*s, "k", b.pin, x, b.ball, x, 4), CDN_ERR_ARG, "k", "between 0 and pi");
  refused(&b, cdn_system_constrain_joint(*s, "k", CDN_WELD, b.pin, skew, b.ball, I, NULL), CDN_ERR_ARG, "k", "X_AF");
  refused(&b, cdn_system_constrain_joint(*s, "k", CDN_PIN, b.pin, I, b.ball, nowhere, NULL), CDN_ERR_NONFINITE, "k",
          "X_BM.p.x");
  refused(&b, cdn_system_constrain_joint(*s, "k", CDN_FREE, b.pin, I, b.ball, I, NULL), CDN_ERR_ARG, "k",
          "takes nothing");
  refused(&b, cdn_system_constrain_joint(*s, "k", CDN_FUNCTION_BASED, b.pin, I, b.ball, I, NULL), CDN_ERR_UNSUPPORTED,
          "k", "custom constraint");
  refused(&b, cdn_system_constrain_joint(*s, "k", (cdn_mobilizer)77, b.pin, I, b.ball, I, NULL), CDN_ERR_ARG, "k",
          "77");
  refused(&b, cdn_system_constrain_joint(*s, "k", CDN_ELLIPSOID, b.pin, I, b.ball, I, (double[]){ 1, -1, 1, 0 }),
          CDN_ERR_ARG, "k", "half length 1");
  refused(&b, cdn_system_constrain_coordinate(*s, "k", b.ball, 0, 1), CDN_ERR_ARG, "k", "head");
  refused(&b, cdn_system_constrain_coordinate(*s, "k", b.pin, 1, 1), CDN_ERR_ARG, "k", "number 1");
  refused(&b, cdn_system_constrain_speed(*s, "k", b.ball, 3, 1), CDN_ERR_ARG, "k", "number 3");
  refused(&b, cdn_system_constrain_acceleration(*s, "k", b.pin, 0, NAN), CDN_ERR_NONFINITE, "k", "acceleration");
  refused(&b, cdn_system_constrain_motion(*s, "k", b.pin, 0, NULL), CDN_ERR_ARG, "k", "no function");
  const cdn_mobility at[] = { { b.pin, 0 }, { b.slider, 0 } };
  cdn_function *f = cdn_function_linear(3, (double[]){ 1, 1, 1 }, 0);
  refused(&b, cdn_system_couple_coordinates(*s, "k", f, 2, at), CDN_ERR_ARG, "k", "3 inputs");
  refused(&b, cdn_system_couple_coordinates(*s, "k", f, 0, at), CDN_ERR_ARG, "k", "0 coordinates");
  refused(&b, cdn_system_couple_speeds(*s, "k", f, at, 2, NULL, 1), CDN_ERR_ARG, "k", "2 speeds and 1");
  refused(&b, cdn_system_couple_speeds(*s, "k", NULL, at, 2, NULL, 0), CDN_ERR_ARG, "k", "no function");
  cdn_function_release(f);
  refused(&b, cdn_system_couple_by_polynomial(*s, "k", at[0], 0, at[1], 0, five), CDN_ERR_NONFINITE, "k", "a[4]");
  refused(&b, cdn_system_constrain_sphere_on_plane(*s, "k", b.pin, I, b.ball, o, -1, true), CDN_ERR_ARG, "k", "radius");
  refused(&b, cdn_system_constrain_sphere_on_sphere(*s, "k", b.pin, o, 0, b.ball, o, 0, true), CDN_ERR_ARG, "k",
          "radii");
  refused(&b, cdn_system_constrain_line_on_line(*s, "k", b.pin, I, b.ball, skew, true), CDN_ERR_ARG, "k", "X_BE");
  cdn_system_disable_constraint(*s, (cdn_constraint){ 7 });
  refused(&b, (cdn_constraint){ -1 }, CDN_ERR_ARG, "", "no constraint 7");
  refused(&b, cdn_system_constrain_no_slip(*s, "k", none, o, x, b.pin, b.ball), CDN_ERR_ARG, "k", "no body 44");
  refused(&b, cdn_system_constrain_no_slip(*s, "k", b.pin, o, x, b.ball, b.ball), CDN_ERR_ARG, "k", "both ends");
  refused(&b, cdn_system_constrain_rotation(*s, "k", b.pin, none), CDN_ERR_ARG, "k", "no body 44");
  refused(&b, cdn_system_constrain_slip_on_line(*s, "k", b.pin, o, b.ball, o), CDN_ERR_ARG, "k", "no direction");
  cdn_system_release(b.system);
}
END_TEST

/* ---- setting ---- */

START_TEST(test_refused_when_set) {
  bodies b = make_bodies();
  const cdn_vec3 o = { 0, 0, 0 }, x = { 1, 0, 0 };
  const cdn_transform I = cdn_transform_identity();
  cdn_transform skew = I;
  skew.R.x.y = 0.3;
  const cdn_constraint joint =
      cdn_system_constrain_joint(b.system, "joint", CDN_SCREW, b.pin, I, b.ball, I, (double[]){ 0.5, 0, 0, 0 });
  const cdn_constraint line = cdn_system_constrain_point_on_line(b.system, "line", b.pin, x, o, b.ball, x);
  cdn_state *state = NULL;
  OK_FREEZE(b.system);
  OK(cdn_state_create(b.system, &state));
  cdn_error e;
  FAILS(cdn_joint_set(state, joint, skew, I, NULL), CDN_ERR_ARG);
  cdn_state_last_error(state, &e);
  ck_assert_str_eq(e.element, "joint");
  ck_assert_msg(strstr(e.text, "X_AF") && strstr(e.text, "nothing was changed"), "%s", e.text);
  FAILS(cdn_joint_set(state, line, I, I, NULL), CDN_ERR_ARG);
  cdn_state_last_error(state, &e);
  ck_assert_msg(strstr(e.text, "is a point on line, not a joint"), "%s", e.text);
  FAILS(cdn_rod_set(state, joint, o, o, 1), CDN_ERR_ARG);
  cdn_state_last_error(state, &e);
  ck_assert_msg(strstr(e.text, "is a screw joint, not a rod"), "%s", e.text);
  FAILS(cdn_joint_set(state, (cdn_constraint){ 9 }, I, I, NULL), CDN_ERR_ARG);
  FAILS(cdn_point_on_line_set(state, line, o, o, o), CDN_ERR_ARG);
  FAILS(cdn_point_on_line_set(state, line, x, o, cdn_v3(NAN, 0, 0)), CDN_ERR_NONFINITE);

  /* what is set is what is got, directions of unit length, and parameters that are not given stay */
  int n;
  OK_ON(state, cdn_point_on_line_set(state, line, cdn_v3(0, 3, 0), x, o));
  const double *p = cdn_constraint_params(state, line, &n), expected[] = { 0, 1, 0, 1, 0, 0, 0, 0, 0 };
  ck_assert_int_eq(n, 9);
  for (int i = 0; i < n; i++) NEAR(p[i], expected[i], 0);
  OK_ON(state, cdn_joint_set(state, joint, I, (cdn_transform){ I.R, x }, NULL));
  p = cdn_constraint_params(state, joint, &n);
  ck_assert_int_eq(n, 24 + CDN_MOBILIZER_PARAMS);
  NEAR(p[24], 0.5, 0);
  NEAR(p[21], 1, 0);
  ck_assert_ptr_null(cdn_constraint_params(state, (cdn_constraint){ 2 }, &n));
  ck_assert_int_eq(n, 0);
  ck_assert_str_eq(cdn_constraint_kind_name(b.system, joint), "screw joint");
  cdn_state_destroy(state);
  cdn_system_release(b.system);
}
END_TEST

/* ---- in a State ---- */

static void fails_with(cdn_state *state, cdn_status code, bool recoverable, const char *element, const char *word) {
  cdn_error e;
  FAILS(cdn_realize(state, CDN_STAGE_ACCELERATION), code);
  cdn_state_last_error(state, &e);
  ck_assert_str_eq(e.element, element);
  ck_assert_int_eq(e.recoverable, recoverable);
  ck_assert_msg(strstr(e.text, word) != NULL, "no '%s' in: %s", word, e.text);
}

START_TEST(test_places_without_equations) {
  const cdn_vec3 o = { 0, 0, 0 };
  const cdn_transform I = cdn_transform_identity();
  const cdn_transform back = { { { 1, 0, 0 }, { 0, -1, 0 }, { 0, 0, -1 } }, { 0, 0, 0 } };
  static const char *const words[] = { "rod's ends", "centres", "parallel", "opposite", "opposite" };
  for (int which = 0; which < 5; which++) {
    bodies b = make_bodies();
    switch (which) {
      case 0: cdn_system_constrain_rod(b.system, "k", cdn_ground(), o, b.ball, o, 1); break;
      case 1: cdn_system_constrain_sphere_on_sphere(b.system, "k", cdn_ground(), o, 1, b.ball, o, 1, true); break;
      case 2: cdn_system_constrain_line_on_line(b.system, "k", cdn_ground(), I, b.ball, I, true); break;
      default:
        cdn_system_constrain_joint(b.system, "k", which == 3 ? CDN_PIN : CDN_SCREW, cdn_ground(), I, b.ball, back,
                                   NULL);
    }
    cdn_state *state = NULL;
    OK_FREEZE(b.system);
    OK(cdn_state_create(b.system, &state));
    fails_with(state, CDN_ERR_SINGULAR, true, "k", words[which]);
    const cdn_constraint k = cdn_system_find_constraint(b.system, "k");
    OK_ON(state, cdn_constraint_set_enabled(state, k, false)); /* off, it is not asked */
    OK_ON(state, cdn_realize(state, CDN_STAGE_ACCELERATION));
    cdn_state_destroy(state);
    cdn_system_release(b.system);
  }
}
END_TEST

static cdn_status fail_calc(const void *self, const double *x, int order, cdn_function_result *out) {
  (void)self, (void)x, (void)order, (void)out;
  return CDN_ERR_CALLBACK;
}

static cdn_status nan_calc(const void *self, const double *x, int order, cdn_function_result *out) {
  (void)self, (void)x;
  if (order >= 1) out->d1[0] = NAN;
  return CDN_OK;
}

START_TEST(test_functions_that_fail) {
  for (int which = 0; which < 2; which++) {
    bodies b = make_bodies();
    const cdn_mobility at[] = { { b.pin, 0 }, { b.slider, 0 } };
    const cdn_function_ops ops = { .struct_size = sizeof ops, .n_inputs = 2, .calc = which ? nan_calc : fail_calc };
    cdn_function *f = cdn_function_create(&ops, NULL);
    cdn_system_couple_coordinates(b.system, "gear", f, 2, at);
    cdn_function_release(f);
    cdn_state *state = NULL;
    OK_FREEZE(b.system);
    OK(cdn_state_create(b.system, &state));
    if (which) fails_with(state, CDN_ERR_NONFINITE, true, "gear", "row coefficient 0");
    else fails_with(state, CDN_ERR_CALLBACK, false, "gear", "its function failed");
    cdn_state_destroy(state);
    cdn_system_release(b.system);
  }
}
END_TEST

/* ---- custom ---- */

typedef struct says {
  cdn_body on, other;
  int equation, k;
  double force;
  bool balanced;
  cdn_status position, rows, velocity, bias;
  double value;
} says;

static cdn_status say_position(const void *self, const cdn_constraint_input *in, double *perr) {
  (void)in;
  perr[0] = ((const says *)self)->value;
  return ((const says *)self)->position;
}
static cdn_status say_rows(const void *self, const cdn_constraint_input *in, cdn_rows *rows) {
  const says *s = self;
  (void)in;
  cdn_rows_add_point(rows, s->equation, s->on, cdn_v3(0, 0, 0), cdn_v3(s->force, 0, 0));
  if (s->balanced) cdn_rows_add_point(rows, s->equation, s->other, cdn_v3(0, 0, 0), cdn_v3(-s->force, 0, 0));
  if (s->k >= 0) cdn_rows_add_mobility(rows, 0, s->on, s->k, 1);
  return s->rows;
}
static cdn_status say_velocity(const void *self, const cdn_constraint_input *in, double *verr) {
  (void)in, (void)verr;
  return ((const says *)self)->velocity;
}
static cdn_status say_bias(const void *self, const cdn_constraint_input *in, double *bias) {
  (void)in;
  bias[0] = ((const says *)self)->value;
  return ((const says *)self)->bias;
}

static cdn_constraint_ops say_ops(void) {
  return (cdn_constraint_ops){ .struct_size = sizeof(cdn_constraint_ops),
                               .name = "sayer",
                               .self_size = sizeof(says),
                               .np = 1,
                               .calc_position = say_position,
                               .calc_rows = say_rows,
                               .calc_velocity = say_velocity,
                               .calc_bias = say_bias };
}

/* Two hands on a body: where it is free their path ends before Ground. */
typedef struct hands {
  cdn_system *system;
  cdn_body base, left, right;
} hands;

static hands make_hands(cdn_mobilizer platform) {
  hands h = { .system = cdn_system_create(NULL) };
  cdn_body_def def = cdn_default_body_def();
  def.mass = (cdn_mass_properties){ .mass = 1, .inertia = { .xx = 1, .yy = 1, .zz = 1 } };
  def.mobilizer = platform;
  h.base = def.parent = cdn_system_add_body(h.system, &def);
  def.mobilizer = CDN_SLIDER;
  h.left = cdn_system_add_body(h.system, &def);
  def.X_PF.R = cdn_rotation_axis_angle(cdn_v3(0, 0, 1), 0.3);
  h.right = cdn_system_add_body(h.system, &def);
  return h;
}

static void custom_fails(const says *self, cdn_status code, bool recoverable, const char *word) {
  hands h = make_hands(CDN_FREE);
  const cdn_constraint_ops ops = say_ops();
  const cdn_body hand[] = { h.left, h.right };
  const cdn_mobility at = { h.left, 0 };
  cdn_custom_constraint_def def = cdn_default_custom_constraint_def();
  def.name = "mine", def.ops = &ops, def.self = self;
  def.bodies = hand, def.n_bodies = 2, def.mobilities = &at, def.n_mobilities = 1;
  const cdn_constraint id = cdn_system_constrain_custom(h.system, &def);
  cdn_state *state = NULL;
  OK_FREEZE(h.system);
  ck_assert_str_eq(cdn_constraint_kind_name(h.system, id), "sayer");
  OK(cdn_state_create(h.system, &state));
  cdn_error e;
  const double *errors = cdn_state_qerr(state);
  if (errors) errors = cdn_state_uerr(state);
  if (errors) errors = cdn_state_udoterr(state);
  cdn_state_last_error(state, &e);
  ck_assert_int_eq(errors != NULL, code == CDN_OK);
  if (code != CDN_OK) {
    ck_assert_int_eq(e.code, code);
    ck_assert_str_eq(e.element, "mine");
    ck_assert_int_eq(e.recoverable, recoverable);
    ck_assert_msg(strstr(e.text, word) != NULL, "no '%s' in: %s", word, e.text);
  }
  cdn_state_destroy(state);
  cdn_system_release(h.system);
}

START_TEST(test_custom_callbacks) {
  const says good = { .on = { 2 }, .other = { 3 }, .k = 0, .force = 1, .balanced = true };
  says bad;
#define BAD(change, ...) bad = good, bad.change, custom_fails(&bad, __VA_ARGS__)
  custom_fails(&good, CDN_OK, false, "");
  BAD(position = CDN_ERR_CALLBACK, CDN_ERR_CALLBACK, false, "calc_position of custom constraint 'mine' failed");
  BAD(rows = CDN_ERR_CALLBACK, CDN_ERR_CALLBACK, false, "calc_rows");
  BAD(velocity = CDN_ERR_NONFINITE, CDN_ERR_NONFINITE, true, "calc_velocity");
  BAD(bias = (cdn_status)77, (cdn_status)77, false, "calc_bias");
  BAD(value = NAN, CDN_ERR_NONFINITE, true, "position error 0 is");
  BAD(force = INFINITY, CDN_ERR_NONFINITE, true, "row 0 on body 2");
  BAD(on.i = 1, CDN_ERR_ARG, false, "row 0 on body 1, which its def does not list");
  BAD(on.i = -5, CDN_ERR_ARG, false, "body -5");
  BAD(equation = 1, CDN_ERR_ARG, false, "row 1 of 1");
  BAD(equation = -1, CDN_ERR_ARG, false, "row -1 of 1");
  BAD(k = 1, CDN_ERR_ARG, false, "mobility 1 of body 2");
  BAD(balanced = false, CDN_ERR_ARG, false, "ops.absolute");
#undef BAD
}
END_TEST

START_TEST(test_custom_defs) {
  const says good = { .on = { 1 }, .k = -1, .force = 1 };
  for (int which = 0; which < 12; which++) {
    bodies b = make_bodies();
    cdn_constraint_ops ops = say_ops();
    const cdn_body on[2] = { b.pin, { which == 0 ? 99 : 2 } };
    cdn_mobility at = { b.pin, which == 1 ? 1 : 0 };
    cdn_custom_constraint_def def = cdn_default_custom_constraint_def();
    def.name = "mine", def.ops = &ops, def.self = &good;
    def.bodies = on, def.n_bodies = 2, def.mobilities = &at, def.n_mobilities = 1;
    static const char *const words[] = { "no body 99",    "number 1",     "struct_size",   "default_custom",
                                         "calc_position", "calc_rows",    "calc_velocity", "equations",
                                         "equations",     "self is NULL", "neither",       "missing" };
    switch (which) {
      case 2: ops.struct_size = 7; break;
      case 3: def.struct_size = 7; break;
      case 4: ops.calc_position = NULL; break;
      case 5: ops.calc_rows = NULL; break;
      case 6: ops.calc_velocity = NULL, ops.rheonomic = true; break;
      case 7: ops.np = 0; break;
      case 8: ops.nv = INT32_MAX, ops.na = INT32_MAX; break;
      case 9: def.self = NULL; break;
      case 10: def.n_bodies = def.n_mobilities = 0; break;
      case 11: def.n_params = 3; break;
      default: break;
    }
    const bool version = which == 2 || which == 3;
    refused(&b, cdn_system_constrain_custom(b.system, &def), version ? CDN_ERR_VERSION : CDN_ERR_ARG,
            which == 3 ? "constraint0" : "mine", words[which]);
    cdn_system_release(b.system);
  }
}
END_TEST

/* The left hand does not move along Ground's x: a row that balances only where it acts on another body, too. */
static cdn_status hold_rows(const void *self, const cdn_constraint_input *in, cdn_rows *rows) {
  const says *s = self;
  (void)in;
  cdn_rows_add_point(rows, 0, s->on, cdn_v3(0, 0, 0), cdn_v3(1, 0, 0));
  if (s->balanced) cdn_rows_add_point(rows, 0, s->other, cdn_v3(0, 0, 0), cdn_v3(-1, 0, 0));
  return CDN_OK;
}

enum { ON_PLATFORM, ON_GROUND, WITH_GROUND, PLACES };

/* The hands on a platform that moves, or on Ground; or one of them on the platform, and Ground. */
static void check_hold(int place, bool balanced, bool absolute) {
  hands h = make_hands(place == ON_GROUND ? CDN_WELD : CDN_FREE);
  const says self = { .on = h.left, .other = place == WITH_GROUND ? (cdn_body){ 0 } : h.right, .balanced = balanced };
  const cdn_constraint_ops ops = {
    .struct_size = sizeof ops, .self_size = sizeof self, .nv = 1, .absolute = absolute, .calc_rows = hold_rows
  };
  const cdn_body listed[] = { self.on, self.other };
  cdn_custom_constraint_def def = cdn_default_custom_constraint_def();
  def.name = "hold", def.ops = &ops, def.self = &self, def.bodies = listed, def.n_bodies = 2;
  cdn_system_constrain_custom(h.system, &def);
  cdn_state *state = NULL;
  OK_FREEZE(h.system);
  OK(cdn_state_create(h.system, &state));
  OK(cdn_state_set_applied_body_force(state, h.left, (cdn_spatial){ { 0, 0, 0 }, { 2, 0, 0 } }));
  OK(cdn_state_set_applied_body_force(state, h.right, (cdn_spatial){ { 0, 0, 0 }, { 0.5, 0, 0 } }));
  cdn_spatial left, other;
  const cdn_status status = cdn_body_acceleration(state, h.left, &left);
  if (!balanced && !absolute) {
    cdn_error e;
    cdn_state_last_error(state, &e);
    ck_assert_msg(status == CDN_ERR_ARG, "place %d: %s", place, cdn_status_name(status));
    ck_assert_str_eq(e.element, "hold");
    ck_assert_msg(strstr(e.text, "ops.absolute") != NULL, "%s", e.text);
  } else {
    OK_ON(state, status);
    OK_ON(state, cdn_body_acceleration(state, self.other, &other));
    NEAR(left.v.x, balanced ? other.v.x : 0, 1e-12);
    if (balanced && place != WITH_GROUND) AT_MOST(0.1, fabs(left.v.x)); /* they go together, but they go */
  }
  cdn_state_destroy(state);
  cdn_system_release(h.system);
}

START_TEST(test_rows_balance_wherever_they_are) {
  for (int place = 0; place < PLACES; place++) {
    check_hold(place, false, false);
    check_hold(place, false, true);
    check_hold(place, true, false);
    check_hold(place, true, true);
  }
}
END_TEST

CHECK_MAIN("constraint errors", test_refused_when_added, test_refused_when_set, test_places_without_equations,
           test_functions_that_fail, test_custom_callbacks, test_rows_balance_wherever_they_are, test_custom_defs)
