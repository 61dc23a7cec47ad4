/* A program of a stranger, which is compiled with headers of three releases (headers.py) and run with this library: it
 * uses every def, ops struct and result. Its motions have closed forms, so that a member read in the wrong place shows.
 * Behind each def and result are bytes that nobody may change. */
#include ABI_HEADERS

#include <math.h>
#include <stdio.h>
#include <string.h>

static int failures;
#define CHECK(condition)                                                      \
  do {                                                                        \
    if (!(condition)) {                                                       \
      fprintf(stderr, "%s:%d: not so: %s\n", __FILE__, __LINE__, #condition); \
      failures++;                                                             \
    }                                                                         \
  } while (0)
#define OK(call) CHECK((call) == CDN_OK)

/* A struct with a guard behind it. */
#define GUARDED(type, name)   \
  struct {                    \
    type value;               \
    unsigned char guard[256]; \
  } name;                     \
  memset(&name, 0xAA, sizeof name)
static int intact(const unsigned char *guard) {
  for (int i = 0; i < 256; i++)
    if (guard[i] != 0xAA) return 0;
  return 1;
}
#define CHECK_GUARD(name) CHECK(intact((name).guard))

/* cdn_default_TYPE() into a guarded struct, by the call that other languages make. */
#define DEF(type, name)                                    \
  GUARDED(type, name##_guarded);                           \
  type##_init(&name##_guarded, sizeof(type));              \
  CHECK_GUARD(name##_guarded);                             \
  CHECK(name##_guarded.value.struct_size == sizeof(type)); \
  type name = name##_guarded.value

/* ---- what is of the user's ---- */

static int destroyed;

/* A subsystem: z' = -z. */
static cdn_status declare_z(void *self, cdn_declarer *d) {
  const double one = 1;
  *(cdn_zvar *)self = cdn_declare_z(d, 1, &one);
  return CDN_OK;
}
static cdn_status calc_zdot(const void *self, cdn_state *state, double *zdot) {
  zdot[0] = -cdn_state_zvar(state, *(const cdn_zvar *)self)[0];
  return CDN_OK;
}

/* A spring of stiffness 4 on the slider. */
static cdn_body slider;
static cdn_status pull(const void *self, cdn_state *state, cdn_forces *forces) {
  (void)self;
  cdn_forces_add_mobility(forces, slider, 0, -4 * cdn_body_q(state, slider)[0]);
  return CDN_OK;
}
static cdn_status energy(const void *self, cdn_state *state, double *e) {
  (void)self;
  *e = 2 * cdn_body_q(state, slider)[0] * cdn_body_q(state, slider)[0];
  return CDN_OK;
}

static cdn_status square(const void *self, const double *x, int order, cdn_function_result *out) {
  (void)self, (void)order;
  out->value = x[0] * x[0], out->d1[0] = 2 * x[0], out->d2[0] = 2;
  return CDN_OK;
}

static cdn_status across(const void *self, const double *params, const double *q, cdn_transform *X, cdn_spatial *H) {
  (void)self, (void)params;
  X->p = cdn_v3(0, q[0], 0);
  H[0].v = cdn_v3(0, 1, 0);
  return CDN_OK;
}

/* q = t^2 */
static cdn_status driven_q(const void *self, const cdn_motion_input *in, double *out) {
  (void)self;
  out[0] = in->t * in->t;
  return CDN_OK;
}
static cdn_status driven_qdot(const void *self, const cdn_motion_input *in, double *out) {
  (void)self;
  out[0] = 2 * in->t;
  return CDN_OK;
}
static cdn_status driven_qdotdot(const void *self, const cdn_motion_input *in, double *out) {
  (void)self, (void)in;
  out[0] = 2;
  return CDN_OK;
}

/* A custom constraint holds a mobility at speed `params[0]`. */
static cdn_status hold(const void *self, const cdn_constraint_input *in, cdn_rows *rows) {
  (void)in;
  cdn_rows_add_mobility(rows, 0, *(const cdn_body *)self, 0, 1);
  return CDN_OK;
}

static cdn_status time_value(const void *self, cdn_state *state, int derivative, double *value) {
  (void)self;
  value[0] = derivative == 0 ? cdn_state_time(state) : derivative == 1;
  return CDN_OK;
}

static cdn_status residual(const void *self, cdn_state *state, double *r) {
  (void)self;
  r[0] = cdn_body_q(state, slider)[0] - 0.25;
  return CDN_OK;
}

static int crossings;
static cdn_status value(const void *self, cdn_state *state, double *v) {
  (void)self;
  *v = cdn_state_time(state) - 0.5;
  return CDN_OK;
}
static cdn_status report(const void *self, cdn_state *state, const cdn_occurrence *what) {
  (void)self, (void)state;
  crossings += fabs(what->time - 0.5) < 1e-6 && strcmp(what->name, "half") == 0;
  return CDN_OK;
}

#ifndef ABI_OLDER
static void gone(void *self) {
  (void)self;
  destroyed++;
}
#endif

/* ---- a System of all of it ---- */

static cdn_body add_bodies(cdn_system *system, cdn_body *held) {
  DEF(cdn_body_def, def);
  def.name = "slider", def.mobilizer = CDN_SLIDER, def.mass.mass = 1;
  def.mass.inertia = (cdn_inertia){ 1, 1, 1, 0, 0, 0 };
  slider = cdn_system_add_body(system, &def);

  DEF(cdn_function_mobilizer, functions);
  cdn_function_ops ops;
  memset(&ops, 0, sizeof ops);
  ops.struct_size = sizeof ops, ops.n_inputs = 1, ops.calc = square;
  cdn_function *f = cdn_function_create(&ops, NULL);
  CHECK(f != NULL);
  functions.function[3] = f;
  def.name = "curve", def.mobilizer = CDN_FUNCTION_BASED, def.functions = &functions;
  const double one = 1;
  def.q0 = &one;
  cdn_body curve = cdn_system_add_body(system, &def);
  cdn_function_release(f);

  cdn_custom_mobilizer_ops own;
  memset(&own, 0, sizeof own);
  own.struct_size = sizeof own, own.name = "own", own.nq = own.nu = 1, own.across = across;
  def.name = "driven", def.mobilizer = CDN_CUSTOM_MOBILIZER, def.custom = &own, def.q0 = NULL;
  cdn_body driven = cdn_system_add_body(system, &def);
  def.name = "held";
  *held = cdn_system_add_body(system, &def);

  cdn_motion_ops motion_ops;
  memset(&motion_ops, 0, sizeof motion_ops);
  motion_ops.struct_size = sizeof motion_ops;
  motion_ops.q = driven_q, motion_ops.qdot = driven_qdot, motion_ops.qdotdot = driven_qdotdot;
  DEF(cdn_motion_def, motion);
  motion.body = driven;
#ifdef ABI_OLDER                              /* has no custom motions */
  motion.params[0] = 1, motion.params[1] = 1; /* sin t */
#else
  motion.kind = CDN_MOTION_CUSTOM, motion.custom = &motion_ops;
#endif
  cdn_system_add_motion(system, &motion);
  return curve;
}

static void add_others(cdn_system *system, cdn_body held) {
  cdn_zvar z;
  cdn_subsystem_ops decay;
  memset(&decay, 0, sizeof decay);
  decay.struct_size = sizeof decay, decay.name = "decay", decay.self_size = sizeof z;
  decay.declare = declare_z, decay.calc_zdot = calc_zdot;
  memset(&z, 0, sizeof z);
  cdn_system_add_subsystem(system, &decay, &z);

  /* two springs of half the stiffness each would do, too: one that says the size of its subsystem, one that does not */
  cdn_force_ops spring;
  memset(&spring, 0, sizeof spring);
  spring.struct_size = sizeof spring, spring.reads = CDN_READS_POSITION;
  spring.calc_force = pull, spring.calc_potential = energy;
  cdn_force first = cdn_system_add_custom_force(system, &spring, NULL);
  spring.subsystem.struct_size = sizeof spring.subsystem, spring.subsystem.name = "second";
  cdn_force second = cdn_system_add_custom_force(system, &spring, NULL);
  CHECK(first.i >= 0 && second.i == first.i + 1);
  CHECK(strcmp(cdn_force_name(system, second), "second") == 0);

  cdn_measure_ops clock;
  memset(&clock, 0, sizeof clock);
  clock.struct_size = sizeof clock, clock.n = 1, clock.derivatives = 1, clock.stage = CDN_STAGE_TIME;
  clock.calc_value = time_value;
#ifndef ABI_OLDER
  clock.destroy = gone;
#endif
  DEF(cdn_delay_def, delay);
  delay.name = "late", delay.delay = 0.25;
  delay.operand = cdn_system_add_custom_measure(system, "clock", &clock, NULL);
  cdn_system_add_delay_measure(system, &delay);

  DEF(cdn_event_def, half);
  half.name = "half", half.value = value, half.report = report, half.stage = CDN_STAGE_TIME;
  cdn_system_add_event(system, &half);

  cdn_constraint_ops rows;
  memset(&rows, 0, sizeof rows);
  rows.struct_size = sizeof rows, rows.name = "hold", rows.self_size = sizeof held, rows.nv = 1, rows.calc_rows = hold;
  const cdn_mobility mobility = { held, 0 };
  DEF(cdn_custom_constraint_def, constraint);
  constraint.name = "hold", constraint.ops = &rows, constraint.self = &held;
  constraint.mobilities = &mobility, constraint.n_mobilities = 1;
  cdn_system_constrain_custom(system, &constraint);
}

/* ---- asking for results ---- */

static void run(const cdn_system *system, cdn_state *state, cdn_body curve) {
  const double half = 0.5;
  DEF(cdn_stepper_def, def);
  def.accuracy = 1e-9, def.final_time = 1, def.user = &failures;
  OK(cdn_body_set_q(state, slider, 1, &half));
  cdn_stepper *stepper;
  OK(cdn_stepper_create(state, &def, &stepper));
  OK(cdn_stepper_advance(stepper, 1, NULL));
  cdn_state *end = cdn_stepper_state(stepper);
  /* two springs of 4 on a mass of 1 */
  CHECK(fabs(cdn_body_q(end, slider)[0] - 0.5 * cos(sqrt(8))) < 1e-7);
  CHECK(fabs(cdn_body_q(end, curve)[0] - 1) < 1e-9);
  CHECK(fabs(cdn_state_z(end)[0] - exp(-1)) < 1e-7);
  CHECK(crossings == 1);
  const double *late = cdn_measure_value(end, cdn_system_find_measure(system, "late"));
  CHECK(late && fabs(*late - 0.75) < 1e-6);

  GUARDED(cdn_certificate, certificate);
  OK(cdn_stepper_certificate(stepper, &certificate.value));
  CHECK_GUARD(certificate);
  CHECK(certificate.value.accuracy == 1e-9 && certificate.value.time_final == 1);
  CHECK(certificate.value.max_constraint_error < 1e-8);
  char text[400];
  cdn_certificate_verdict(&certificate.value, text, sizeof text);
  CHECK(strstr(text, "asked 1e-09") || strstr(text, "asked 1e-9"));
  CHECK(cdn_certificate_suggestion(&certificate.value) == 0);

  GUARDED(cdn_distance, distance);
  OK(cdn_stepper_distance(stepper, end, &distance.value));
  CHECK_GUARD(distance);
  CHECK(distance.value.largest == 0);

  CHECK(cdn_stepper_advance(stepper, 2, NULL) != CDN_OK);
  GUARDED(cdn_failure, failure);
  cdn_stepper_failure(stepper, &failure.value);
  CHECK_GUARD(failure);
  CHECK(failure.value.error.code == CDN_ERR_ARG && strcmp(failure.value.error.function, "cdn_stepper_advance") == 0);
  CHECK(failure.value.time == 1 && failure.value.n_last == 0);

  cdn_stepper_def got = cdn_stepper_get_def(stepper);
  CHECK(got.struct_size == sizeof got && got.accuracy == 1e-9 && got.user == &failures);
  cdn_stepper *again;
  OK(cdn_stepper_create(state, &got, &again));
  cdn_stepper_destroy(again);
  cdn_stepper_destroy(stepper);
}

static void study(const cdn_system *system, cdn_state *state) {
  DEF(cdn_projection_def, projection);
  projection.tolerance = 1e-9;
  OK(cdn_project_u(state, &projection, NULL));

  DEF(cdn_assembly_def, def);
  cdn_assembly *assembly;
  OK(cdn_assembly_create(system, &def, &assembly));
  cdn_goal_ops ops;
  memset(&ops, 0, sizeof ops);
  ops.struct_size = sizeof ops, ops.rows = 1, ops.residual = residual;
  cdn_assembly_add_goal(assembly, "quarter", &ops, NULL, 1);
  GUARDED(cdn_assembly_report, done);
  OK(cdn_assemble(assembly, state, &done.value));
  CHECK_GUARD(done);
  CHECK(fabs(cdn_body_q(state, slider)[0] - 0.25) < 1e-6 && done.value.goal < 1e-12 && done.value.worst_goal.i == 0);
  OK(cdn_assemble_speeds(assembly, state, &done.value));
  OK(cdn_track(assembly, state, 0, 0, NULL, &done.value));
  CHECK_GUARD(done);
  CHECK(cdn_assembly_set_weight(assembly, (cdn_goal){ 99 }, 1) != CDN_OK);
  GUARDED(cdn_error, error);
  cdn_assembly_last_error(assembly, &error.value);
  CHECK_GUARD(error);
  CHECK(error.value.code == CDN_ERR_ARG);
  cdn_assembly_destroy(assembly);

  GUARDED(cdn_freedom, freedom);
  OK(cdn_degrees_of_freedom(state, &freedom.value, NULL));
  CHECK_GUARD(freedom);
  CHECK(freedom.value.nu == 4 && freedom.value.prescribed == 1 && freedom.value.independent == 1);
  GUARDED(cdn_driver, driver);
  driver.value = cdn_body_driver(state, cdn_system_find_body(system, "driven"));
  CHECK_GUARD(driver);
  CHECK(driver.value.level == CDN_LEVEL_POSITION && !driver.value.locked);
  const cdn_constraint_equations equations = cdn_constraint_get_equations(system, (cdn_constraint){ 0 });
  CHECK(equations.np == 0 && equations.nv == 1 && equations.na == 0);

  DEF(cdn_equilibrium_def, rest);
  rest.goal = CDN_EQUILIBRIUM_ANY;
  GUARDED(cdn_equilibrium, found);
  OK(cdn_find_equilibrium(state, &rest, &found.value));
  CHECK_GUARD(found);
  CHECK(fabs(cdn_body_q(state, slider)[0]) < 1e-8 && found.value.unbalanced < 1e-8);

  GUARDED(cdn_error, message);
  CHECK(cdn_state_set_time(state, NAN) == CDN_ERR_NONFINITE);
  cdn_last_error(&message.value);
  CHECK_GUARD(message);
  CHECK(message.value.code == CDN_ERR_NONFINITE && strcmp(message.value.function, "cdn_state_set_time") == 0);
  cdn_state_last_error(state, &message.value);
  CHECK_GUARD(message);
  CHECK(message.value.code == CDN_ERR_NONFINITE && strcmp(message.value.function, "cdn_state_set_time") == 0);

  DEF(cdn_ensemble_def, many);
  many.count = 3;
  cdn_ensemble *ensemble;
  OK(cdn_ensemble_create(state, &many, &ensemble));
  CHECK(cdn_ensemble_count(ensemble) == 3);
  cdn_ensemble_error(ensemble, 1, &message.value);
  CHECK(message.value.code == CDN_OK && message.value.index == 1);
  cdn_ensemble_last_error(ensemble, &message.value);
  CHECK_GUARD(message);
  cdn_ensemble_destroy(ensemble);

  DEF(cdn_trajectory_def, columns);
  columns.u = columns.energies = false;
  cdn_buffer buffer = { 0 };
  cdn_trajectory *trajectory;
  OK(cdn_trajectory_create(state, &columns, cdn_buffer_write, &buffer, &trajectory));
  CHECK(cdn_trajectory_columns(trajectory) == 5);
  cdn_trajectory_destroy(trajectory);
  cdn_buffer_free(&buffer);
}

/* ---- a subsystem that gives a force and a row ---- */

static cdn_status push(const void *self, cdn_state *state, cdn_forces *forces) {
  (void)state;
  cdn_forces_add_mobility(forces, *(const cdn_body *)self, 0, 4);
  return CDN_OK;
}
static cdn_status drive(const void *self, cdn_state *state, cdn_row_list *rows) {
  DEF(cdn_row_def, row);
  row.target[0] = cdn_state_time(state) == 0 ? 3 : 0;
  cdn_row_list_add(rows, &row);
  cdn_row_list_add_mobility(rows, *(const cdn_body *)self, 0, 1);
  return CDN_OK;
}
static cdn_row_set driven_row;
static cdn_status declare_providers(void *self, cdn_declarer *d) {
  (void)self;
  cdn_force_provider forces;
  memset(&forces, 0, sizeof forces);
  forces.struct_size = sizeof forces, forces.name = "push", forces.reads = CDN_READS_POSITION;
  forces.calc_force = push;
  CHECK(cdn_declare_forces(d, &forces).i == 0);
  cdn_row_provider rows;
  memset(&rows, 0, sizeof rows);
  rows.struct_size = sizeof rows, rows.calc_rows = drive;
  driven_row = cdn_declare_rows(d, &rows);
  return CDN_OK;
}
/* A mass of 2 under a force of 4, which the row holds to an acceleration of 3. */
static void provide(void) {
  cdn_system *system = cdn_system_create(NULL);
  DEF(cdn_body_def, def);
  def.name = "mass", def.mobilizer = CDN_SLIDER, def.mass.mass = 2;
  cdn_body mass = cdn_system_add_body(system, &def);
  cdn_subsystem_ops ops;
  memset(&ops, 0, sizeof ops);
  ops.struct_size = sizeof ops, ops.name = "providers", ops.self_size = sizeof mass, ops.declare = declare_providers;
  cdn_system_add_subsystem(system, &ops, &mass);
  cdn_state *state;
  OK(cdn_system_freeze(system));
  OK(cdn_state_create(system, &state));
  OK(cdn_realize(state, CDN_STAGE_ACCELERATION));
  CHECK(fabs(cdn_state_udot(state)[0] - 3) < 1e-14);
  double force;
  int n;
  OK(cdn_row_forces(state, driven_row, 1, &force, &n));
  CHECK(n == 1 && fabs(force - 2) < 1e-14);
  cdn_state_destroy(state);
  cdn_system_release(system);
}

static void load(void) {
  static const char urdf[] =
      "<robot name='r'><link name='a'/><link name='b'><inertial><mass value='1'/><inertia ixx='1' "
      "iyy='1' izz='1'/></inertial><visual/></link><joint name='j' type='revolute'><parent "
      "link='a'/><child link='b'/><axis xyz='0 0 1'/><limit lower='-1' upper='1' effort='1' "
      "velocity='1'/></joint></robot>";
  DEF(cdn_model_options, options);
  options.tree_only = true;
  cdn_model *model;
  OK(cdn_model_load_string(urdf, strlen(urdf), "r.urdf", &options, &model));
  GUARDED(cdn_model_joint, joint);
  joint.value = cdn_model_get_joint(model, 0);
  CHECK_GUARD(joint);
  CHECK(strcmp(joint.value.name, "j") == 0 && strcmp(joint.value.units, "rad") == 0 && joint.value.nu == 1);
  for (int i = 0; i < cdn_model_not_understood_count(model); i++) CHECK(cdn_model_not_understood(model, i).count > 0);
  CHECK(cdn_model_not_understood(model, 99).count == 0);
  GUARDED(cdn_error, error);
  cdn_model_last_error(model, &error.value);
  CHECK_GUARD(error);
  CHECK(error.value.code == CDN_OK);
  cdn_model_destroy(model);
}

#ifdef ABI_NEWER
/* What a newer program sets, and this library does not have, is refused in so many words. */
#  define REFUSED(system, call, def)                                            \
    do {                                                                        \
      (def).added_later[1] = 1;                                                 \
      call;                                                                     \
      CHECK(cdn_system_freeze(system) == CDN_ERR_VERSION);                      \
      cdn_error error;                                                          \
      cdn_system_last_error(system, &error);                                    \
      CHECK(strstr(error.text, "newer headers") && strstr(error.text, "cdn_")); \
      cdn_system_release(system);                                               \
    } while (0)
static void refuse(void) {
  cdn_system *system = cdn_system_create(NULL);
  cdn_body_def body = cdn_default_body_def();
  REFUSED(system, cdn_system_add_body(system, &body), body);
  system = cdn_system_create(NULL);
  cdn_event_def event = cdn_default_event_def();
  REFUSED(system, cdn_system_add_event(system, &event), event);
  cdn_force_ops force;
  memset(&force, 0, sizeof force);
  force.struct_size = sizeof force, force.calc_force = pull;
  system = cdn_system_create(NULL);
  REFUSED(system, cdn_system_add_custom_force(system, &force, NULL), force);
  force.added_later[1] = 0;
  system = cdn_system_create(NULL);
  REFUSED(system, cdn_system_add_custom_force(system, &force, NULL), force.subsystem);
}
#endif

int main(void) {
  DEF(cdn_system_def, def);
  def.name = "all of it";
  cdn_system *system = cdn_system_create(&def);
  CHECK(system && strcmp(cdn_system_name(system), "all of it") == 0);
  cdn_body held, curve = add_bodies(system, &held);
  add_others(system, held);
  const cdn_status status = cdn_system_freeze(system);
  GUARDED(cdn_error, error);
  cdn_system_last_error(system, &error.value);
  CHECK_GUARD(error);
  if (status != CDN_OK) {
    fprintf(stderr, "%s in %s, '%s'\n", cdn_status_name(status), error.value.function, error.value.element);
    return 1;
  }
  cdn_state *state;
  OK(cdn_state_create(system, &state));
  run(system, state, curve);
  study(system, state);
  provide();
  load();
#ifdef ABI_NEWER
  refuse();
#endif
  cdn_state_destroy(state);
  cdn_system_release(system);
#ifndef ABI_OLDER
  CHECK(destroyed == 1);
#else
  CHECK(destroyed == 0);
#endif
  return failures != 0;
}
