/* Checkpoints: what is saved of a State, which System it may be loaded into, and what is told where it cannot. */
#include "checkpoint_rig.h"

#include <stdio.h>

/* ---- the State -------------------------------------------------------------------------------- */

START_TEST(a_state_comes_back) {
  rig r;
  cdn_state *state = rig_state(&r, true, NULL), *other = NULL;
  const cdn_system *system = cdn_state_system(state);
  OK(cdn_state_create(system, &other));
  uint32_t stream = 12345;
  double z = 1.25, memory = -3;
  OK(cdn_state_set_time(state, 1.5));
  OK(cdn_state_set_zvar(state, r.drift.z, &z));
  OK(cdn_state_set_discrete(state, r.drift.stream, &stream));
  OK(cdn_state_set_discrete(state, r.drift.memory.variable, &memory));
  OK(cdn_mobility_damper_set(state, r.damper, 0.75));
  OK(cdn_gravity_set(state, (cdn_force){ 0 }, cdn_v3(1, 2, 3)));

  cdn_buffer bytes = { 0 };
  OK_ON(state, cdn_state_save(state, cdn_buffer_write, &bytes));
  OK(cdn_realize(other, CDN_STAGE_REPORT));
  uint64_t serial = cdn_state_serial(other, CDN_Q);
  OK_ON(other, cdn_state_load(other, cdn_buffer_read, &bytes));
  ck_assert(bytes.at == bytes.size);
  ck_assert(cdn_state_serial(other, CDN_Q) > serial);
  ck_assert_int_lt(cdn_state_stage(other), CDN_STAGE_TIME); /* what had been computed is not valid any more */
  ck_assert(cdn_state_time(other) == 1.5);
  ck_assert_mem_eq(cdn_state_q(other), cdn_state_q(state), sizeof(double) * (size_t)cdn_system_nq(system));
  ck_assert_mem_eq(cdn_state_u(other), cdn_state_u(state), sizeof(double) * (size_t)cdn_system_nu(system));
  ck_assert(*cdn_state_zvar(other, r.drift.z) == 1.25);
  ck_assert(*(const uint32_t *)cdn_state_discrete(other, r.drift.stream) == 12345);
  ck_assert(*(const double *)cdn_state_discrete(other, r.drift.memory.variable) == -3);
  cdn_vec3 g = cdn_gravity_get(other, (cdn_force){ 0 });
  ck_assert(g.x == 1 && g.y == 2 && g.z == 3);
  size_t nu = (size_t)cdn_system_nu(system);
  ck_assert_mem_eq(cdn_state_udot(other), cdn_state_udot(state), sizeof(double) * nu);

  /* the bytes depend on the State alone */
  cdn_buffer again = { 0 };
  OK_ON(other, cdn_state_load(other, cdn_buffer_read, &(cdn_buffer){ .bytes = bytes.bytes, .size = bytes.size }));
  OK_ON(other, cdn_state_save(other, cdn_buffer_write, &again));
  ck_assert_uint_eq(again.size, bytes.size);
  ck_assert_mem_eq(again.bytes, bytes.bytes, bytes.size);
  cdn_buffer_free(&again);
  cdn_buffer_free(&bytes);
  cdn_state_destroy(other);
  cdn_state_destroy(state);
}
END_TEST

/* ---- results that follow from an update ---- */

/* A memory that is 1 more at each step, and forces of both kinds that follow from it. */
typedef struct ratchet {
  cdn_body body;
  cdn_autovar memory;
} ratchet;

static cdn_status ratchet_update(const void *self, cdn_state *state, void *out) {
  const ratchet *x = self;
  *(double *)out = 1 + *(const double *)cdn_state_discrete(state, x->memory.variable);
  return CDN_OK;
}

static cdn_status ratchet_force(const void *self, cdn_state *state, cdn_forces *forces) {
  const ratchet *x = self;
  const double *update = cdn_eval(state, x->memory.update);
  if (!update) return CDN_ERR_CALLBACK;
  cdn_forces_add_mobility(forces, x->body, 0, *update);
  cdn_forces_add_body(forces, x->body, (cdn_spatial){ { 0, 0, *update }, { 1, 2, *update } });
  return CDN_OK;
}

static cdn_status ratchet_declare(void *self, cdn_declarer *d) {
  ratchet *x = self;
  const double start = 3;
  x->memory = cdn_declare_auto_update(d, "memory", sizeof start, &start, ratchet_update, 1, &CDN_T);
  const cdn_force_provider force = { .struct_size = sizeof force,
                                     .name = "ratchet",
                                     .reads = CDN_READS_POSITION,
                                     .calc_force = ratchet_force,
                                     .prerequisites = &x->memory.update.ticket,
                                     .n_prerequisites = 1 };
  cdn_declare_forces(d, &force);
  return CDN_OK;
}

/* After a step they are those of the step. All parts of them come back, also those that are stored apart. */
START_TEST(results_of_an_update_come_back_whole) {
  static const cdn_subsystem_ops ops = {
    .struct_size = sizeof ops, .name = "ratchet", .self_size = sizeof(ratchet), .declare = ratchet_declare
  };
  cdn_system *system = cdn_system_create(NULL);
  cdn_body_def def = cdn_default_body_def();
  def.mobilizer = CDN_PIN;
  def.mass = (cdn_mass_properties){ .mass = 1, .com = { 0.2, 0, 0 }, .inertia = { .xx = 1, .yy = 1, .zz = 1 } };
  const ratchet x = { .body = cdn_system_add_body(system, &def) };
  cdn_system_add_subsystem(system, &ops, &x);
  OK_FREEZE(system);
  cdn_state *state = NULL, *other = NULL;
  OK(cdn_state_create(system, &state));
  OK(cdn_state_create(system, &other));
  cdn_spatial F[2][2];
  double f[2];
  OK_ON(state, cdn_realize(state, CDN_STAGE_FORCE));
  OK_ON(state, cdn_state_auto_update(state));
  cdn_buffer bytes = { 0 };
  OK_ON(state, cdn_state_save(state, cdn_buffer_write, &bytes));
  OK_ON(other, cdn_state_load(other, cdn_buffer_read, &bytes));
  OK_ON(state, cdn_applied_forces(state, F[0], &f[0]));
  OK_ON(other, cdn_applied_forces(other, F[1], &f[1]));
  ck_assert(f[0] == 4 && F[0][1].v.z == 4);
  ck_assert(f[1] == f[0]);
  ck_assert_mem_eq(F[1], F[0], sizeof F[0]);
  cdn_buffer_free(&bytes);
  cdn_state_destroy(other);
  cdn_state_destroy(state);
  cdn_system_release(system);
}
END_TEST

/* ---- another System ---------------------------------------------------------------------------- */

/* A chain whose parts are told apart by this. */
static cdn_state *chain_state(int bodies, cdn_mobilizer last, const char *last_name, const char *force) {
  cdn_system *system = cdn_system_create(NULL);
  cdn_body_def def = cdn_default_body_def();
  cdn_state *state = NULL;
  def.parent = cdn_ground();
  def.mass = (cdn_mass_properties){ .mass = 1, .inertia = { .xx = 1, .yy = 1, .zz = 1 } };
  for (int i = 0; i < bodies; i++) {
    char name[16];
    snprintf(name, sizeof name, "link%d", i);
    def.name = i + 1 < bodies ? name : last_name;
    def.mobilizer = i + 1 < bodies ? CDN_PIN : last;
    def.parent = cdn_system_add_body(system, &def);
  }
  cdn_system_add_gravity(system, force, cdn_v3(0, -9.81, 0));
  OK_FREEZE(system);
  OK(cdn_state_create(system, &state));
  cdn_system_release(system);
  return state;
}

START_TEST(another_system_is_refused_by_name) {
  static const struct {
    int bodies;
    cdn_mobilizer last;
    const char *last_name, *force, *element, *text;
  } others[] = {
    { 3, CDN_SLIDER, "hand", "gravity", "hand", "slider" }, { 3, CDN_PIN, "claw", "gravity", "claw", "hand" },
    { 4, CDN_PIN, "hand", "gravity", "link2", "hand" },     { 2, CDN_PIN, "hand", "gravity", "hand", "link1" },
    { 3, CDN_PIN, "hand", "weight", "weight", "gravity" },  { 3, CDN_WELD, "hand", "gravity", "hand", "weld" },
  };
  cdn_buffer bytes = { 0 }, run = { 0 };
  cdn_state *state = chain_state(3, CDN_PIN, "hand", "gravity");
  cdn_stepper *stepper = NULL;
  OK_ON(state, cdn_state_save(state, cdn_buffer_write, &bytes));
  OK_ON(state, cdn_stepper_create(state, NULL, &stepper));
  OK_STEP(stepper, cdn_stepper_save(stepper, cdn_buffer_write, &run));
  cdn_stepper_destroy(stepper);
  for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
    cdn_state *other = chain_state(others[i].bodies, others[i].last, others[i].last_name, others[i].force);
    double q = cdn_system_nq(cdn_state_system(other)) ? cdn_state_q(other)[0] : 0;
    cdn_error error;
    for (int k = 0; k < 2; k++) {
      bytes.at = run.at = 0;
      if (k == 0) FAILS(cdn_state_load(other, cdn_buffer_read, &bytes), CDN_ERR_ARG);
      else FAILS(cdn_stepper_load(other, NULL, NULL, cdn_buffer_read, &run, &stepper), CDN_ERR_ARG);
      cdn_state_last_error(other, &error);
      ck_assert_str_eq(error.element, others[i].element);
      ck_assert_msg(strstr(error.text, others[i].text), "no '%s' in: %s", others[i].text, error.text);
      ck_assert(cdn_system_nq(cdn_state_system(other)) == 0 || cdn_state_q(other)[0] == q);
    }
    ck_assert_ptr_null(stepper);
    cdn_state_destroy(other);
  }
  /* the same model built again is the same System */
  cdn_state *same = chain_state(3, CDN_PIN, "hand", "gravity");
  bytes.at = run.at = 0;
  OK_ON(same, cdn_state_load(same, cdn_buffer_read, &bytes));
  OK_ON(same, cdn_stepper_load(same, NULL, NULL, cdn_buffer_read, &run, &stepper));
  cdn_stepper_destroy(stepper);
  /* a State is no stepper */
  bytes.at = run.at = 0;
  FAILS(cdn_stepper_load(same, NULL, NULL, cdn_buffer_read, &bytes, &stepper), CDN_ERR_PARSE);
  FAILS(cdn_state_load(same, cdn_buffer_read, &run), CDN_ERR_PARSE);
  cdn_state_destroy(same);
  cdn_state_destroy(state);
  cdn_buffer_free(&bytes);
  cdn_buffer_free(&run);
}
END_TEST

/* ---- what elements act on, and what functions are ------------------------------------------------ */

/* What can differ between two Systems of the same elements with the same names. */
enum {
  SPRING_ELSEWHERE = 1,
  TETHER_ON_ANOTHER_BODY,
  TETHER_AT_ANOTHER_STATION,
  PUSH_AT_ANOTHER_STATION,
  BUSHING_ON_ANOTHER_BODY,
  ANOTHER_SPLINE,
  A_POLYNOMIAL,
  ANOTHER_INPUT,
  ANOTHER_AXIS,
  ANOTHER_NAME,
  ANOTHER_MOTION,
  ANOTHER_OPERAND,
  DIFFERENCES
};

static cdn_status calc_square(const void *self, const double *x, int order, cdn_function_result *out) {
  (void)self;
  out->value = x[0] * x[0];
  if (order >= 1) out->d1[0] = 2 * x[0];
  if (order >= 2) out->d2[0] = 2;
  return CDN_OK;
}

/* A body that rides on functions of two coordinates: a spline, and a function of our own. */
static cdn_body add_rider(cdn_system *system, cdn_body_def def, int difference) {
  const double x[] = { -1, 0, 1 }, y[] = { 0, 0.5, difference == ANOTHER_SPLINE ? 0.25 : 0 }, slope[] = { 1, 0 };
  const cdn_function_ops ops = { .struct_size = sizeof ops,
                                 .name = difference == ANOTHER_NAME ? "cube" : "square",
                                 .n_inputs = 1,
                                 .calc = calc_square };
  cdn_function *spline =
      difference == A_POLYNOMIAL ? cdn_function_polynomial(2, slope) : cdn_function_natural_spline(3, x, y);
  cdn_function *own = cdn_function_create(&ops, NULL), *line = cdn_function_polynomial(2, slope);
  cdn_function_mobilizer functions = cdn_default_function_mobilizer();
  functions.nu = 2;
  functions.function[0] = line, functions.input[0][0] = 0;
  functions.function[3] = spline, functions.input[3][0] = difference == ANOTHER_INPUT ? 0 : 1;
  functions.function[4] = own, functions.input[4][0] = 1;
  functions.function[5] = line, functions.input[5][0] = 1;
  if (difference == ANOTHER_AXIS) functions.axis[0] = cdn_v3(0, 1, 1);
  def.name = "rider", def.mobilizer = CDN_FUNCTION_BASED;
  def.functions = &functions;
  cdn_body rider = cdn_system_add_body(system, &def);
  cdn_function_release(spline), cdn_function_release(own), cdn_function_release(line);
  return rider;
}

static cdn_state *element_state(int difference) {
  cdn_system *system = cdn_system_create(NULL);
  cdn_body_def def = cdn_default_body_def();
  cdn_state *state = NULL;
  def.mass = (cdn_mass_properties){ .mass = 1, .inertia = { .xx = 1, .yy = 1, .zz = 1 } };
  def.name = "arm", def.mobilizer = CDN_UNIVERSAL;
  cdn_body arm = cdn_system_add_body(system, &def);
  def.parent = arm;
  cdn_body rider = add_rider(system, def, difference);
  const cdn_vec3 tip = { 0, 0.1, difference == TETHER_AT_ANOTHER_STATION ? 0.2 : 0.3 };
  const double angle = difference == PUSH_AT_ANOTHER_STATION ? 0.1 : nextafter(0.1, 1);
  cdn_system_add_mobility_spring(system, "spring", arm, difference == SPRING_ELSEWHERE, 1, 0);
  cdn_system_add_two_point_spring(system, "tether", cdn_ground(), cdn_v3(1, 0, 0),
                                  difference == TETHER_ON_ANOTHER_BODY ? rider : arm, tip, 1, 0.5);
  cdn_system_add_body_force(system, "push", arm, cdn_v3(angle, 0, 0), cdn_v3(1, 0, 0), cdn_v3(0, 0, 0));
  cdn_system_add_linear_bushing(system, "bushing", cdn_ground(), cdn_transform_identity(),
                                difference == BUSHING_ON_ANOTHER_BODY ? rider : arm, cdn_transform_identity(), NULL,
                                NULL);
  cdn_motion_def motion = cdn_default_motion_def();
  motion.name = "drive", motion.body = rider;
  motion.level = difference == ANOTHER_MOTION ? CDN_LEVEL_VELOCITY : CDN_LEVEL_POSITION;
  cdn_system_add_motion(system, &motion);
  cdn_measure t = cdn_system_add_time_measure(system, "t"), t2 = cdn_system_add_time_measure(system, "t2");
  cdn_system_add_integral_measure(system, "area", difference == ANOTHER_OPERAND ? t2 : t, NULL, 1);
  OK_FREEZE(system);
  OK(cdn_state_create(system, &state));
  cdn_system_release(system);
  return state;
}

START_TEST(what_elements_act_on_is_compared) {
  static const struct {
    const char *element, *here, *there;
  } told[DIFFERENCES] = {
    [SPRING_ELSEWHERE] = { "spring", "at arm.uy", "at arm.ux" },
    [TETHER_ON_ANOTHER_BODY] = { "tether", "of rider", "of arm" },
    [TETHER_AT_ANOTHER_STATION] = { "tether", "(0.0 0.1 0.2)", "(0.0 0.1 0.3)" },
    [PUSH_AT_ANOTHER_STATION] = { "push", "(0.1 0.0 0.0)", "(0.10000000000000002 0.0 0.0)" },
    [BUSHING_ON_ANOTHER_BODY] = { "bushing", "and rider", "and arm" },
    [ANOTHER_SPLINE] = { "rider", "natural_spline", "natural_spline" },
    [A_POLYNOMIAL] = { "rider", "polynomial", "natural_spline" },
    [ANOTHER_INPUT] = { "rider", "of q0", "of q1" },
    [ANOTHER_AXIS] = { "rider", "axis", "axis" },
    [ANOTHER_NAME] = { "rider", "'cube'", "'square'" },
    [ANOTHER_MOTION] = { "drive", "velocity level", "position level" },
    [ANOTHER_OPERAND] = { "area", "on t2", "on t" },
  };
  cdn_state *one = element_state(0), *same = element_state(0);
  cdn_buffer bytes = { 0 };
  OK_ON(one, cdn_state_save(one, cdn_buffer_write, &bytes));
  OK_ON(same, cdn_state_load(same, cdn_buffer_read, &bytes));
  for (int i = 1; i < DIFFERENCES; i++) {
    cdn_state *other = element_state(i);
    cdn_error error;
    bytes.at = 0;
    FAILS(cdn_state_load(other, cdn_buffer_read, &bytes), CDN_ERR_ARG);
    cdn_state_last_error(other, &error);
    ck_assert_str_eq(error.element, told[i].element);
    const char *here = strstr(error.text, told[i].here);
    ck_assert_msg(here && strstr(here, told[i].there), "no '%s' and '%s' in: %s", told[i].here, told[i].there,
                  error.text);
    cdn_state_destroy(other);
  }
  cdn_buffer_free(&bytes);
  cdn_state_destroy(same);
  cdn_state_destroy(one);
}
END_TEST

/* What a subsystem of one's own says about itself. */
typedef struct lens {
  double focus;
} lens;

static void describe_lens(const void *self, const cdn_system *system, cdn_description *d) {
  ck_assert(cdn_system_is_frozen(system));
  cdn_describe(d, "front\nlens", "a lens of focus %g", ((const lens *)self)->focus);
}

static cdn_state *camera_state(double focus) {
  static const cdn_subsystem_ops ops = {
    .struct_size = sizeof ops, .name = "camera", .self_size = sizeof(lens), .describe = describe_lens
  };
  cdn_system *system = cdn_system_create(NULL);
  cdn_state *state = NULL;
  cdn_system_add_subsystem(system, &ops, &(lens){ focus });
  OK_FREEZE(system);
  OK(cdn_state_create(system, &state));
  cdn_system_release(system);
  return state;
}

START_TEST(subsystems_describe_themselves) {
  cdn_state *one = camera_state(0.05), *same = camera_state(0.05), *other = camera_state(0.1);
  cdn_buffer bytes = { 0 };
  cdn_error error;
  OK_ON(one, cdn_state_save(one, cdn_buffer_write, &bytes));
  OK_ON(same, cdn_state_load(same, cdn_buffer_read, &bytes));
  bytes.at = 0;
  FAILS(cdn_state_load(other, cdn_buffer_read, &bytes), CDN_ERR_ARG);
  cdn_state_last_error(other, &error);
  ck_assert_str_eq(error.element, "front lens");
  ck_assert_ptr_nonnull(strstr(error.text, "'a lens of focus 0.1' here and 'a lens of focus 0.05' there"));
  cdn_buffer_free(&bytes);
  cdn_state_destroy(one), cdn_state_destroy(same), cdn_state_destroy(other);
}
END_TEST

/* ---- streams -------------------------------------------------------------------------------------- */

/* Fails after so many bytes. */
typedef struct narrow {
  cdn_buffer buffer;
  size_t room;
} narrow;

static cdn_status write_narrow(void *context, const void *bytes, size_t size) {
  narrow *n = context;
  if (size > n->room) return CDN_ERR_CALLBACK;
  n->room -= size;
  return cdn_buffer_write(&n->buffer, bytes, size);
}

START_TEST(streams_that_fail_are_told) {
  rig r;
  cdn_state *state = rig_state(&r, true, NULL);
  rig_log log = { 0 };
  cdn_stepper_def def = cdn_default_stepper_def();
  def.user = &log;
  cdn_stepper *stepper = NULL, *loaded = NULL;
  cdn_error error;
  cdn_failure failure;
  OK_ON(state, cdn_stepper_create(state, &def, &stepper));
  for (size_t room = 0; room < 200; room += 100) {
    narrow n = { .room = room };
    FAILS(cdn_state_save(state, write_narrow, &n), CDN_ERR_CALLBACK);
    cdn_state_last_error(state, &error);
    ck_assert_int_eq(error.code, CDN_ERR_CALLBACK);
    FAILS(cdn_stepper_save(stepper, write_narrow, &n), CDN_ERR_CALLBACK);
    cdn_stepper_failure(stepper, &failure);
    ck_assert_int_eq(failure.error.code, CDN_ERR_CALLBACK);
    ck_assert_ptr_nonnull(strstr(failure.error.text, "saved"));
    cdn_buffer_free(&n.buffer);
  }
  OK_STEP(stepper, cdn_stepper_advance(stepper, 0.1, NULL)); /* no harm was done */

  cdn_buffer none = { 0 };
  FAILS(cdn_state_load(state, cdn_buffer_read, &none), CDN_ERR_FILE);
  FAILS(cdn_stepper_load(state, NULL, NULL, cdn_buffer_read, &none, &loaded), CDN_ERR_FILE);
  FAILS(cdn_state_save(NULL, cdn_buffer_write, &none), CDN_ERR_ARG);
  FAILS(cdn_state_save(state, NULL, NULL), CDN_ERR_ARG);
  FAILS(cdn_state_load(NULL, cdn_buffer_read, &none), CDN_ERR_ARG);
  FAILS(cdn_state_load(state, NULL, NULL), CDN_ERR_ARG);
  FAILS(cdn_stepper_save(NULL, cdn_buffer_write, &none), CDN_ERR_ARG);
  FAILS(cdn_stepper_save(stepper, NULL, NULL), CDN_ERR_ARG);
  FAILS(cdn_stepper_load(NULL, NULL, NULL, cdn_buffer_read, &none, &loaded), CDN_ERR_ARG);
  FAILS(cdn_stepper_load(state, NULL, NULL, cdn_buffer_read, &none, NULL), CDN_ERR_ARG);
  FAILS(cdn_stepper_load(state, NULL, NULL, NULL, NULL, &loaded), CDN_ERR_ARG);
  FAILS(cdn_buffer_write(NULL, "", 1), CDN_ERR_ARG);
  FAILS(cdn_buffer_read(NULL, &none, 1), CDN_ERR_ARG);
  cdn_buffer_free(NULL);
  cdn_stepper_destroy(stepper);
  cdn_state_destroy(state);
}
END_TEST

CHECK_MAIN("checkpoints", a_state_comes_back, results_of_an_update_come_back_whole, another_system_is_refused_by_name,
           what_elements_act_on_is_compared, subsystems_describe_themselves, streams_that_fail_are_told)
