/* Functions of the user's that find contacts: they do what the library does, wherever contact is; they are called again
 * only if what they read has changed; and where they fail, an evaluation fails with their message. */
#include "../testing.h"

/* ---- a ball on a half-space ---- */

static const double radius = 0.1, depth = 1e-3;

typedef enum finder { LIBRARY, LAW_OF_KINDS, LAW_OF_SHAPES, SOURCE } finder;
enum { FINDERS = SOURCE + 1 };

typedef struct counts {
  cdn_shape ground, ball;
  cdn_control control;
  int law, source[3];
  int mistake;
} counts;

/* The ball is b, and the materials of both are equal. */
static cdn_law_contact touching(cdn_transform ground, cdn_vec3 ball) {
  cdn_law_contact c = cdn_default_law_contact();
  c.normal = ground.R.z, c.depth = radius - cdn_dot(c.normal, cdn_sub(ball, ground.p));
  c.point = cdn_sub(ball, cdn_scale(radius - 0.5 * c.depth, c.normal));
  c.curvature[0] = c.curvature[1] = 1 / radius;
  return c;
}

static cdn_status of_pair(const void *self, const cdn_law_input *in, cdn_law_output *out) {
  counts *n = (counts *)(uintptr_t)self;
  const bool ground_first = in->geometry_a->kind == CDN_GEOMETRY_HALF_SPACE;
  cdn_law_contact c = touching(ground_first ? in->X_GA : in->X_GB, ground_first ? in->X_GB.p : in->X_GA.p);
  if (!ground_first) c.normal = cdn_scale(-1, c.normal);
  n->law++;
  return c.depth < -in->margin || (in->margin == 0 && c.depth == 0) ? CDN_OK : cdn_law_add(out, &c);
}

static cdn_status facing(const void *self, const cdn_law_input *in, cdn_law_output *out) {
  cdn_law_contact c = cdn_default_law_contact();
  (void)self;
  c.normal = in->X_GA.R.z, c.depth = cdn_dot(c.normal, cdn_sub(in->X_GA.p, in->X_GB.p)), c.point = in->X_GB.p;
  return c.depth < -in->margin ? CDN_OK : cdn_law_add(out, &c);
}

static cdn_status find_at(cdn_state *state, const counts *n, int feature, cdn_source_output *out) {
  cdn_transform ground, ball;
  cdn_geometry geometry;
  CDN_TRY(cdn_shape_get(state, n->ground, &geometry, &ground));
  CDN_TRY(cdn_shape_get(state, n->ball, &geometry, &ball));
  cdn_law_contact c = touching(ground, ball.p);
  c.feature = feature;
  if (n->mistake == 1) c.normal = cdn_scale(2, c.normal);
  if (n->mistake == 2) return cdn_state_fail(state, CDN_ERR_SINGULAR, true, NULL, "the field has no gradient here");
  if (n->mistake == 3) return cdn_source_add(out, n->ground, n->ground, &c);
  if (n->mistake == 4) CDN_TRY(cdn_source_add(out, n->ground, n->ball, &c));
  if (n->mistake == 5) return cdn_source_add(out, n->ground, (cdn_shape){ 77 }, &c);
  if (n->mistake == 6) c.feature = 1 << 24;
  return cdn_source_add(out, n->ground, n->ball, &c);
}

static cdn_status plain(const void *self, cdn_state *state, cdn_source_output *out) {
  counts *n = (counts *)(uintptr_t)self;
  n->source[0]++;
  return find_at(state, n, 0, out);
}

static cdn_contact_source_def source_of(counts *n, const char *name, cdn_contact_source_fn *find) {
  cdn_contact_source_def def = cdn_default_contact_source_def();
  def.name = name, def.find = find, def.self = n;
  return def;
}

/* Two balls side by side, of which the user's function finds one, and the library the other. */
static cdn_system *make(finder by, const cdn_contact_def *contact, counts *n) {
  cdn_system_def audited = cdn_default_system_def();
  audited.audit = true;
  cdn_system *system = cdn_system_create(&audited);
  cdn_system_set_contact(system, contact);
  cdn_body_def body = cdn_default_body_def();
  body.mobilizer = CDN_FREE, body.mass.mass = 1, body.mass.inertia = (cdn_inertia){ 1, 1, 1, 0, 0, 0 };
  cdn_contact_material material = cdn_default_contact_material();
  material.modulus = 2e6, material.torsional_friction = 0.01, material.dissipation = 0.1;
  cdn_soft_material soft = cdn_default_soft_material();
  soft.margin = 0.01, soft.gap = 0.002, soft.condim = 4;
  cdn_shape_def shape = cdn_default_shape_def();
  shape.material = &material, shape.soft = &soft;
  shape.geometry.kind = CDN_GEOMETRY_HALF_SPACE, shape.name = "ground";
  if (by == SOURCE) shape.affinity = 0, shape.type = 2;
  n->ground = cdn_system_add_shape(system, &shape);
  shape.geometry = (cdn_geometry){ .kind = CDN_GEOMETRY_SPHERE, .size = { radius } };
  for (int i = 0; i < 2; i++) {
    body.X_PF.p = cdn_v3(i, 0, radius - depth);
    shape.body = cdn_system_add_body(system, &body), shape.name = i ? "other ball" : "ball";
    shape.type = 1, shape.affinity = i ? 3 : 1;
    const cdn_shape s = cdn_system_add_shape(system, &shape);
    if (i == 0) n->ball = s;
  }
  cdn_contact_law_def law = cdn_default_contact_law_def();
  law.name = "mine", law.find = of_pair, law.self = n;
  if (by == LAW_OF_SHAPES) law.shape_a = n->ball, law.shape_b = n->ground;
  else law.a = CDN_GEOMETRY_SPHERE, law.b = CDN_GEOMETRY_HALF_SPACE;
  if (by == LAW_OF_KINDS || by == LAW_OF_SHAPES) cdn_system_add_contact_law(system, &law);
  const cdn_contact_source_def def = source_of(n, "field", plain);
  if (by == SOURCE) cdn_system_add_contact_source(system, &def);
  return system;
}

static cdn_state *state_of(cdn_system *system) {
  static const double u[] = { 0.1, 0.2, 3, 0.05, -0.03, -0.07, -0.2, 0.1, 1, 0.02, 0.04, -0.1 };
  cdn_state *state;
  OK_FREEZE(system);
  OK(cdn_state_create(system, &state));
  OK_ON(state, cdn_state_set_u(state, u));
  return state;
}

static void end(cdn_system *system, cdn_state *state) {
  cdn_state_destroy(state);
  cdn_system_release(system);
}

/* Compliant contact without and with memory of friction, and soft contact. */
static cdn_contact_def contact_of(int which) {
  cdn_contact_def def = cdn_default_contact_def();
  if (which == 1) def.friction = CDN_FRICTION_STICKING, def.memory_slots = 4;
  if (which == 2) def.model = CDN_CONTACT_SOFT;
  return def;
}
enum { MODELS = 3 };

START_TEST(they_do_what_the_library_does) {
  for (int which = 0; which < MODELS; which++)
    for (int by = LIBRARY + 1; by < FINDERS; by++) {
      const cdn_contact_def contact = contact_of(which);
      counts n = { .law = 0 }, none = { .law = 0 };
      cdn_system *theirs = make(LIBRARY, &contact, &none), *mine = make((finder)by, &contact, &n);
      cdn_state *a = state_of(theirs), *b = state_of(mine);
      cdn_contact c, d;
      int n_a, n_b;
      OK_ON(a, cdn_contact_count(a, &n_a));
      OK_ON(b, cdn_contact_count(b, &n_b));
      ck_assert_int_eq(n_a, 2);
      ck_assert_int_eq(n_b, 2);
      OK_ON(a, cdn_contact_get(a, 0, &c));
      OK_ON(b, cdn_contact_get(b, 0, &d));
      ck_assert_int_eq(d.feature, by == SOURCE ? 1 << 24 : 0);
      NEAR(d.force, c.force, 1e-12 * c.force);
      NEAR(d.depth, c.depth, 1e-16);
      NEAR(cdn_norm(cdn_sub(d.point, c.point)), 0, 1e-15);
      NEAR(cdn_norm(cdn_sub(d.friction, c.friction)), 0, 1e-12 * c.force);
      if (which != 2) NEAR(d.elastic, c.elastic, 1e-12 * c.elastic);
      OK_ON(a, cdn_realize(a, CDN_STAGE_ACCELERATION));
      OK_ON(b, cdn_realize(b, CDN_STAGE_ACCELERATION));
      for (int k = 0; k < 12; k++) NEAR(cdn_state_udot(b)[k], cdn_state_udot(a)[k], 1e-11 * c.force);
      double by_q[2][144], by_u[2][144];
      OK_ON(a, cdn_forward_dynamics_derivatives(a, by_q[0], by_u[0], NULL, NULL));
      OK_ON(b, cdn_forward_dynamics_derivatives(b, by_q[1], by_u[1], NULL, NULL));
      double size = 0;
      for (int k = 0; k < 144; k++) size = fmax(size, fmax(fabs(by_q[0][k]), fabs(by_u[0][k])));
      /* differences by steps of 6e-6 of what varies within a millimetre */
      for (int k = 0; k < 144; k++) NEAR(by_q[1][k], by_q[0][k], 2e-5 * size);
      for (int k = 0; k < 144; k++) NEAR(by_u[1][k], by_u[0][k], 1e-7 * size);
      end(theirs, a), end(mine, b);
    }
}
END_TEST

START_TEST(invertible_contact_asks_them) {
  double q[2][14];
  for (int by = LIBRARY; by <= LAW_OF_SHAPES; by++) {
    const cdn_contact_def contact = contact_of(0);
    counts n = { .law = 0 };
    cdn_system *system = make((finder)by, &contact, &n);
    cdn_state *state = state_of(system);
    cdn_invertible_motion *motion;
    OK_ON(state, cdn_invertible_motion_create(state, NULL, &motion));
    OK_ON(cdn_invertible_motion_state(motion), cdn_invertible_motion_advance(motion, 5));
    memcpy(q[by > LIBRARY], cdn_state_q(cdn_invertible_motion_state(motion)), sizeof q[0]);
    if (by > LIBRARY) {
      ck_assert_int_gt(n.law, 0);
      for (int k = 0; k < 14; k++) NEAR(q[1][k], q[0][k], 1e-13);
    }
    cdn_invertible_motion_destroy(motion);
    end(system, state);
  }
}
END_TEST

START_TEST(invertible_contact_refuses_sources) {
  const cdn_contact_def contact = contact_of(0);
  counts n = { .law = 0 };
  cdn_system *system = make(SOURCE, &contact, &n);
  cdn_state *state = state_of(system);
  cdn_invertible_motion *motion;
  cdn_error error;
  FAILS(cdn_invertible_motion_create(state, NULL, &motion), CDN_ERR_UNSUPPORTED);
  ck_assert_ptr_null(motion);
  cdn_state_last_error(state, &error);
  ck_assert_msg(strstr(error.text, "invertible contact") && strstr(error.text, "source 'field'"), "%s", error.text);
  end(system, state);
}
END_TEST

START_TEST(runs_have_them) {
  for (int which = 0; which < MODELS; which++)
    for (int by = LAW_OF_KINDS; by < FINDERS; by++) {
      const cdn_contact_def contact = contact_of(which);
      counts n = { .law = 0 }, none = { .law = 0 };
      cdn_system *theirs = make(LIBRARY, &contact, &none), *mine = make((finder)by, &contact, &n);
      cdn_state *states[2] = { state_of(theirs), state_of(mine) };
      double q[2][14];
      for (int k = 0; k < 2; k++) {
        cdn_stepper_def def = cdn_default_stepper_def();
        def.method = CDN_METHOD_SEMI_EXPLICIT_EULER, def.fixed_step = 1e-3;
        cdn_stepper *stepper;
        OK_ON(states[k], cdn_stepper_create(states[k], &def, &stepper));
        OK_STEP(stepper, cdn_stepper_advance(stepper, 0.02, NULL));
        memcpy(q[k], cdn_state_q(cdn_stepper_state(stepper)), sizeof q[k]);
        cdn_stepper_destroy(stepper);
      }
      for (int k = 0; k < 14; k++) NEAR(q[1][k], q[0][k], 1e-10);
      end(theirs, states[0]), end(mine, states[1]);
    }
}
END_TEST

/* ---- who is called when ---- */

static cdn_status by_control(const void *self, cdn_state *state, cdn_source_output *out) {
  counts *n = (counts *)(uintptr_t)self;
  double c;
  n->source[1]++;
  CDN_TRY(cdn_control_value(state, n->control, &c));
  return c > 0.5 ? find_at(state, n, 1, out) : CDN_OK;
}

static cdn_status by_speed(const void *self, cdn_state *state, cdn_source_output *out) {
  counts *n = (counts *)(uintptr_t)self;
  n->source[2]++;
  return cdn_state_u_eff(state)[2] > 1 ? find_at(state, n, 2, out) : CDN_OK;
}

static void expect(cdn_state *state, const counts *n, int law, int plainly, int controlled, int fast) {
  OK_ON(state, cdn_realize(state, CDN_STAGE_ACCELERATION));
  ck_assert_int_eq(n->law, law);
  ck_assert_int_eq(n->source[0], plainly);
  ck_assert_int_eq(n->source[1], controlled);
  ck_assert_int_eq(n->source[2], fast);
}

START_TEST(they_are_called_when_what_they_read_has_changed) {
  for (int which = 0; which < MODELS; which++) {
    const cdn_contact_def contact = contact_of(which);
    counts n = { .law = 0 };
    cdn_system *system = make(LAW_OF_KINDS, &contact, &n);
    cdn_control_def control = cdn_default_control_def();
    control.name = "valve";
    n.control = cdn_system_add_control(system, &control);
    cdn_contact_source_def def = source_of(&n, "plain", plain);
    cdn_system_add_contact_source(system, &def);
    const cdn_ticket of_control = cdn_control_ticket(system, n.control);
    def = source_of(&n, "controlled", by_control), def.reads = &of_control, def.n_reads = 1;
    cdn_system_add_contact_source(system, &def);
    def = source_of(&n, "fast", by_speed), def.reads = &CDN_U_EFF, def.n_reads = 1;
    cdn_system_add_contact_source(system, &def);
    cdn_state *state = state_of(system);
    int contacts;
    const int pairs = 2; /* the law is asked for each ball */
    const cdn_ticket pose = cdn_system_find_ticket(system, "matter.pose");
    expect(state, &n, pairs, 1, 1, 1);
    OK_ON(state, cdn_contact_count(state, &contacts));
    ck_assert_int_eq(contacts, 2 + 1 + 0 + 1);
    /* new u: no position, and no contact that does not read u */
    const uint64_t poses = cdn_state_serial(state, pose);
    OK_ON(state, cdn_state_set_slots(state, CDN_POOL_U, 2, 1, &(double){ 0.5 }));
    expect(state, &n, pairs, 1, 1, 2);
    OK_ON(state, cdn_contact_count(state, &contacts));
    ck_assert_int_eq(contacts, 2 + 1 + 0 + 0);
    /* new controls: none but the one that reads them */
    OK_ON(state, cdn_control_set(state, n.control, 1));
    expect(state, &n, pairs, 1, 2, 2);
    OK_ON(state, cdn_contact_count(state, &contacts));
    ck_assert_int_eq(contacts, 2 + 1 + 1 + 0);
    ck_assert_uint_eq(cdn_state_serial(state, pose), poses);
    /* new time: nothing reads it */
    OK_ON(state, cdn_state_set_time(state, 3));
    expect(state, &n, pairs, 1, 2, 2);
    /* new q: all of them */
    OK_ON(state, cdn_state_set_slots(state, CDN_POOL_Q, 6, 1, &(double){ -1e-4 }));
    expect(state, &n, 2 * pairs, 2, 3, 3);
    end(system, state);
  }
}
END_TEST

/* A control lifts the ground. */
static cdn_status lifted(const void *self, cdn_state *state, cdn_source_output *out) {
  const counts *n = self;
  cdn_transform ground, ball;
  cdn_geometry geometry;
  double lift;
  CDN_TRY(cdn_shape_get(state, n->ground, &geometry, &ground));
  CDN_TRY(cdn_shape_get(state, n->ball, &geometry, &ball));
  CDN_TRY(cdn_control_value(state, n->control, &lift));
  ground.p.z += lift;
  cdn_law_contact c = touching(ground, ball.p);
  return cdn_source_add(out, n->ground, n->ball, &c);
}

START_TEST(steps_vary_with_controls_that_they_read) {
  for (int which = 0; which < MODELS; which++) {
    const cdn_contact_def contact = contact_of(which);
    counts n = { .law = 0 };
    cdn_system *system = make(LIBRARY, &contact, &n);
    cdn_control_def control = cdn_default_control_def();
    control.name = "lift", control.initial = 1e-3;
    n.control = cdn_system_add_control(system, &control);
    const cdn_ticket of_control = cdn_control_ticket(system, n.control);
    cdn_contact_source_def def = source_of(&n, "lift", lifted);
    def.reads = &of_control, def.n_reads = 1;
    cdn_system_add_contact_source(system, &def);
    cdn_state *state = state_of(system);
    const int nu = 12, rows = 2 * nu + cdn_system_nz(system);
    double by_c[60], udot[2][12], size = 0;
    const double h = 1e-3, d = 1e-7;
    ck_assert_int_le(rows, 60);
    OK_ON(state, cdn_step_derivatives(state, CDN_METHOD_SEMI_EXPLICIT_EULER, h, NULL, NULL, by_c));
    for (int side = 0; side < 2; side++) {
      OK_ON(state, cdn_control_set(state, n.control, 1e-3 + (side ? -d : d)));
      OK_ON(state, cdn_realize(state, CDN_STAGE_ACCELERATION));
      memcpy(udot[side], cdn_state_udot(state), sizeof udot[side]);
    }
    for (int k = 0; k < nu; k++) size = fmax(size, fabs(udot[0][k] - udot[1][k]) / (2 * d));
    ck_assert(size > 10);
    /* the library's steps of 6e-6 are 0.3% of the depth: (0.003)^2 / 24 of a power of 3/2 or so */
    for (int k = 0; k < nu; k++) NEAR(by_c[nu + k], h * (udot[0][k] - udot[1][k]) / (2 * d), 1e-5 * h * size);
    end(system, state);
  }
}
END_TEST

/* ---- mistakes ---- */

START_TEST(their_failures_have_their_messages) {
  static const char *const words[] = {
    "", "no unit vector", "the field has no gradient here", "on one body", "have the feature 0", "does not have", "2^24"
  };
  for (int which = 0; which < MODELS; which++)
    for (int mistake = 1; mistake < 7; mistake++) {
      const cdn_contact_def contact = contact_of(which);
      counts n = { .mistake = mistake };
      cdn_system *system = make(SOURCE, &contact, &n);
      cdn_state *state = state_of(system);
      cdn_error error;
      FAILS(cdn_realize(state, CDN_STAGE_ACCELERATION), mistake == 2 ? CDN_ERR_SINGULAR : CDN_ERR_ARG);
      cdn_state_last_error(state, &error);
      ck_assert_msg(strstr(error.text, "'field'") && strstr(error.text, words[mistake]), "%d, %d: %s", which, mistake,
                    error.text);
      n.mistake = 0;
      OK_ON(state, cdn_state_set_slots(state, CDN_POOL_Q, 6, 1, &(double){ 1e-5 }));
      OK_ON(state, cdn_realize(state, CDN_STAGE_ACCELERATION));
      end(system, state);
    }
}
END_TEST

static void refused(cdn_system *system, cdn_status code, const char *words) {
  cdn_error error;
  FAILS(cdn_system_freeze(system), code);
  cdn_system_last_error(system, &error);
  ck_assert_msg(strstr(error.text, words), "%s", error.text);
  cdn_system_release(system);
}

START_TEST(building_mistakes_are_told) {
  const cdn_contact_def contact = contact_of(2);
  counts n = { .law = 0 };
  cdn_contact_law_def law = cdn_default_contact_law_def();
  law.find = of_pair, law.self = &n;
  cdn_system *system = make(LAW_OF_SHAPES, &contact, &n);
  law.shape_a = n.ground, law.shape_b = n.ball;
  cdn_system_add_contact_law(system, &law);
  refused(system, CDN_ERR_ARG, "'mine' is the law of shapes 'ground' and 'ball' already");
  system = make(LIBRARY, &contact, &n);
  law.shape_b = n.ground;
  cdn_system_add_contact_law(system, &law);
  refused(system, CDN_ERR_ARG, "both of its shapes are 'ground'");
  system = make(LIBRARY, &contact, &n);
  law.shape_b.i = -1;
  cdn_system_add_contact_law(system, &law);
  refused(system, CDN_ERR_ARG, "there is no shape -1");
  system = make(LIBRARY, &contact, &n);
  cdn_contact_source_def source = source_of(&n, "field", NULL);
  cdn_system_add_contact_source(system, &source);
  refused(system, CDN_ERR_ARG, "no function `find`");
  system = make(LIBRARY, &contact, &n);
  source.find = plain, source.n_reads = 2;
  cdn_system_add_contact_source(system, &source);
  refused(system, CDN_ERR_ARG, "no list of them");
  system = cdn_system_create(NULL);
  source.n_reads = 0;
  cdn_system_add_contact_source(system, &source);
  refused(system, CDN_ERR_ARG, "there are none");
  /* what is computed from contacts cannot make contacts */
  system = make(LIBRARY, &contact, &n);
  cdn_contact_measure_def measure = cdn_default_contact_measure_def();
  measure.quantity = CDN_CONTACT_DEPTH, measure.name = "depth";
  const cdn_ticket ticket = cdn_measure_ticket(system, cdn_system_add_contact_measure(system, &measure));
  source.reads = &ticket, source.n_reads = 1;
  cdn_system_add_contact_source(system, &source);
  refused(system, CDN_ERR_CYCLE, "");
}
END_TEST

/* ---- kinds whose distance the library does not know ---- */

/* A half-space that faces another one. */
static cdn_system *face_to_face(bool with_law, counts *n) {
  const cdn_contact_def contact = contact_of(2);
  cdn_system *system = cdn_system_create(NULL);
  cdn_system_set_contact(system, &contact);
  cdn_shape_def shape = cdn_default_shape_def();
  shape.geometry.kind = CDN_GEOMETRY_HALF_SPACE, shape.name = "floor";
  n->ground = cdn_system_add_shape(system, &shape);
  cdn_body_def body = cdn_default_body_def();
  body.mobilizer = CDN_TRANSLATION, body.mass.mass = 1, body.X_PF.p = cdn_v3(0, 0, -depth);
  shape.body = cdn_system_add_body(system, &body), shape.name = "lid";
  shape.X_BS.R = (cdn_rotation){ { 1, 0, 0 }, { 0, -1, 0 }, { 0, 0, -1 } };
  n->ball = cdn_system_add_shape(system, &shape);
  cdn_contact_law_def law = cdn_default_contact_law_def();
  law.find = facing, law.self = n, law.shape_a = n->ground, law.shape_b = n->ball;
  if (with_law) cdn_system_add_contact_law(system, &law);
  return system;
}

START_TEST(soft_contact_takes_kinds_that_the_library_cannot_measure) {
  counts n = { .law = 0 };
  cdn_contact c;
  refused(face_to_face(false, &n), CDN_ERR_UNSUPPORTED, "'floor'");
  cdn_system *system = face_to_face(true, &n);
  cdn_state *state;
  OK_FREEZE(system);
  OK(cdn_state_create(system, &state));
  OK_ON(state, cdn_contact_get(state, 0, &c));
  NEAR(c.depth, depth, 1e-16);
  ck_assert(c.force > 0);
  end(system, state);
}
END_TEST

CHECK_MAIN("hooks", they_do_what_the_library_does, invertible_contact_asks_them, invertible_contact_refuses_sources,
           runs_have_them, they_are_called_when_what_they_read_has_changed, steps_vary_with_controls_that_they_read,
           their_failures_have_their_messages, building_mistakes_are_told,
           soft_contact_takes_kinds_that_the_library_cannot_measure)
