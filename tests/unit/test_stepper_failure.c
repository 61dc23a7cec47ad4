/* The stepper when something goes wrong: failures that shorter steps cure, those that they do not, and the reports;
 * memory; what discrete variables see of trial steps. */
#include "ode.h"

static cdn_failure failure_of(const cdn_stepper *stepper) {
  cdn_failure f;
  cdn_stepper_failure(stepper, &f);
  return f;
}

/* ---- the minimum step ------------------------------------------------------------------------- */

/* z[1]' = z[1]^2 from 1: goes to infinity at t = 1. */
static cdn_status explode(cdn_state *state, double t, const double *z, double *zdot) {
  (void)state, (void)t;
  zdot[0] = 1;
  zdot[1] = z[1] * z[1];
  return CDN_OK;
}

static const ode bomb = { .n = 2, .z0 = { 0, 1 }, .rates = explode };

START_TEST(singularity_is_reported) {
  cdn_state *state = ode_state(&bomb, NULL);
  cdn_stepper_def def = cdn_default_stepper_def();
  def.accuracy = 1e-6;
  cdn_stepper *stepper = ode_stepper(state, &def);
  ck_assert_int_eq(failure_of(stepper).error.code, CDN_OK);
  FAILS(cdn_stepper_advance(stepper, 2, NULL), CDN_ERR_STEP);

  cdn_failure f = failure_of(stepper);
  ck_assert_int_eq(f.error.code, CDN_ERR_STEP);
  NEAR(f.time, 1, 1e-5);
  AT_MOST(f.step, 1e-14);
  char slot[96];
  cdn_system_slot_name(cdn_state_system(state), CDN_POOL_Z, 1, slot, sizeof slot);
  ck_assert_str_eq(f.coordinate, slot);
  ck_assert_str_eq(f.error.element, slot);
  ck_assert(f.coordinate_error > 1);
  ck_assert(strlen(f.advice) > 20 && strstr(f.error.text, slot));

  /* the last attempts, oldest first, are those that led there */
  ck_assert_int_eq(f.n_last, CDN_FAILURE_STEPS);
  for (int i = 1; i < f.n_last; i++) {
    ck_assert(f.last_time[i] >= f.last_time[i - 1]);
    if (f.last_error[i - 1] <= 1) ck_assert(f.last_time[i] > f.last_time[i - 1]);
  }
  ck_assert(f.last_step[f.n_last - 1] == f.step && f.last_error[f.n_last - 1] > 1);

  /* the State shows where it happened */
  ck_assert(cdn_state_time(cdn_stepper_state(stepper)) == f.time);
  double z = cdn_state_z(cdn_stepper_state(stepper))[1];
  NEAR(cdn_state_z(cdn_stepper_state(stepper))[0], f.time, 1e-12);
  ck_assert(z > 1e5 && isfinite(z));

  /* and the stepper can go on from elsewhere */
  OK_STEP(stepper, cdn_stepper_restart(stepper, state));
  OK_STEP(stepper, cdn_stepper_advance(stepper, 0.5, NULL));
  NEAR(cdn_state_z(cdn_stepper_state(stepper))[1], 2, 1e-4);
  cdn_stepper_destroy(stepper);
  cdn_state_destroy(state);
}
END_TEST

START_TEST(min_step_is_a_limit) {
  cdn_state *state = ode_state(&bomb, NULL);
  cdn_stepper_def def = cdn_default_stepper_def();
  def.min_step = 1e-3;
  cdn_stepper *stepper = ode_stepper(state, &def);
  FAILS(cdn_stepper_advance(stepper, 2, NULL), CDN_ERR_STEP);
  cdn_failure f = failure_of(stepper);
  NEAR(f.step, 1e-3, 1e-15);
  ck_assert_ptr_nonnull(strstr(f.advice, "min_step"));
  AT_MOST(f.time, 1);
  cdn_stepper_destroy(stepper);
  cdn_state_destroy(state);
}
END_TEST

START_TEST(attempts_are_limited) {
  cdn_state *state = ode_state(&bomb, NULL);
  cdn_stepper_def def = cdn_default_stepper_def();
  def.max_steps = 5;
  cdn_stepper *stepper = ode_stepper(state, &def);
  FAILS(cdn_stepper_advance(stepper, 0.99, NULL), CDN_ERR_LIMIT);
  double t = cdn_state_time(cdn_stepper_state(stepper));
  ck_assert(t > 0 && t == certificate_of(stepper).time_final);
  /* calling again goes on */
  cdn_status status = CDN_ERR_LIMIT;
  for (int i = 0; i < 20 && status == CDN_ERR_LIMIT; i++) status = cdn_stepper_advance(stepper, 0.99, NULL);
  OK_STEP(stepper, status);
  NEAR(cdn_state_z(cdn_stepper_state(stepper))[1], 100, 1);
  cdn_stepper_destroy(stepper);
  cdn_state_destroy(state);
}
END_TEST

/* ---- evaluations that fail ---------------------------------------------------------------------- */

/* A decay that is not defined below zero, where a step that is too long leads. */
static cdn_status decay(cdn_state *state, double t, const double *z, double *zdot) {
  (void)t;
  if (z[0] < 0) return cdn_state_fail(state, CDN_ERR_CALLBACK, true, "decay", "a negative amount");
  zdot[0] = -50 * z[0];
  return CDN_OK;
}

START_TEST(shorter_steps_cure_a_recoverable_failure) {
  cdn_state *state = ode_state(&(ode){ .n = 1, .z0 = { 1 }, .rates = decay }, NULL);
  cdn_stepper_def def = cdn_default_stepper_def();
  def.accuracy = 1e-8;
  def.initial_step = 1;
  cdn_stepper *stepper = ode_stepper(state, &def);
  OK_STEP(stepper, cdn_stepper_advance(stepper, 0.2, NULL));
  NEAR(z_of(stepper), exp(-10), 1e-7);
  ck_assert_int_gt(certificate_of(stepper).rejected, 0);
  cdn_stepper_destroy(stepper);

  /* where steps are fixed there is no cure */
  def.fixed_step = 1;
  stepper = ode_stepper(state, &def);
  FAILS(cdn_stepper_advance(stepper, 1, NULL), CDN_ERR_CALLBACK);
  cdn_failure f = failure_of(stepper);
  ck_assert_str_eq(f.error.element, "decay");
  ck_assert_str_eq(f.error.text, "a negative amount");
  ck_assert_ptr_nonnull(strstr(f.advice, "fixed"));
  ck_assert(f.time == 0 && f.step == 1);
  cdn_stepper_destroy(stepper);
  cdn_state_destroy(state);
}
END_TEST

/* Walls at t = 0.5: fails there for good, recoverably or not, or turns into a NaN. */
static cdn_status wall(cdn_state *state, double t, const double *z, double *zdot) {
  zdot[0] = z[1] == 3 && t > 0.5 ? sqrt(0.5 - t) : cos(t);
  zdot[1] = 0;
  if (t > 0.5 && z[1] < 3) return cdn_state_fail(state, CDN_ERR_LIMIT, z[1] == 2, "wall", "there is a wall at 0.5");
  return CDN_OK;
}

START_TEST(failures_pass_through) {
  for (int kind = 1; kind <= 3; kind++) { /* hard, recoverable, NaN */
    cdn_state *state = ode_state(&(ode){ .n = 2, .z0 = { 0, kind }, .rates = wall }, NULL);
    cdn_stepper *stepper = ode_stepper(state, NULL);
    /* of a stepper CDN_ERR_LIMIT means that another call goes on; that of a callback does not */
    const cdn_status expected = kind == 3 ? CDN_ERR_NONFINITE : CDN_ERR_STEP;
    FAILS(cdn_stepper_advance(stepper, 2, NULL), expected);
    cdn_failure f = failure_of(stepper);
    ck_assert_int_eq(f.error.code, expected);
    if (kind == 3) {
      char slot[96];
      cdn_system_slot_name(cdn_state_system(state), CDN_POOL_Z, 0, slot, sizeof slot);
      ck_assert_msg(strstr(f.error.text, slot), "[%s] %s", f.error.element, f.error.text);
    } else {
      ck_assert_str_eq(f.error.element, "wall");
      ck_assert_str_eq(f.error.text, "there is a wall at 0.5");
    }
    /* steps shorten until the wall is reached to rounding; a failure that is final ends the run at once */
    AT_MOST(f.time, 0.5);
    if (kind > 1) NEAR(f.time, 0.5, 1e-13);
    ck_assert(cdn_state_time(cdn_stepper_state(stepper)) == f.time);
    NEAR(z_of(stepper), sin(f.time), 1e-4);
    AT_MOST((double)certificate_of(stepper).rejected, 200);
    ck_assert(strlen(f.advice) > 20);
    cdn_stepper_destroy(stepper);
    cdn_state_destroy(state);
  }
}
END_TEST

START_TEST(a_bad_start_is_told_on_the_state) {
  cdn_state *state = ode_state(&(ode){ .n = 1, .z0 = { -1 }, .rates = decay }, NULL);
  cdn_stepper *stepper = NULL;
  cdn_error error;
  FAILS(cdn_stepper_create(state, NULL, &stepper), CDN_ERR_CALLBACK);
  ck_assert_ptr_null(stepper);
  cdn_state_last_error(state, &error);
  ck_assert_str_eq(error.text, "a negative amount");

  /* a restart from it leaves the stepper as it was */
  double z = 1;
  cdn_state *good = ode_state(&(ode){ .n = 1, .z0 = { 1 }, .rates = decay }, NULL);
  stepper = ode_stepper(good, NULL);
  OK_STEP(stepper, cdn_stepper_advance(stepper, 0.01, NULL));
  z = -z;
  OK(cdn_state_set_z(good, &z));
  FAILS(cdn_stepper_restart(stepper, good), CDN_ERR_CALLBACK);
  ck_assert_str_eq(failure_of(stepper).error.text, "a negative amount");
  OK_STEP(stepper, cdn_stepper_advance(stepper, 0.02, NULL));
  NEAR(z_of(stepper), exp(-1), 1e-3);
  cdn_stepper_destroy(stepper);
  cdn_state_destroy(good);
  cdn_state_destroy(state);
}
END_TEST

START_TEST(definitions_are_checked) {
  cdn_state *state = ode_state(&bomb, NULL);
  cdn_stepper *stepper = NULL;
  double zero[2] = { 1, 0 };
  cdn_stepper_def wrong[12];
  for (int i = 0; i < 12; i++) wrong[i] = cdn_default_stepper_def();
  wrong[0].accuracy = 0;
  wrong[1].accuracy = NAN;
  wrong[2].accuracy = 2;
  wrong[3].constraint_tolerance = -1;
  wrong[4].fixed_step = INFINITY;
  wrong[5].initial_step = NAN;
  wrong[6].max_step = 0.1, wrong[6].min_step = 0.2;
  wrong[7].final_time = -1;
  wrong[8].z_weights = zero;
  wrong[9].max_steps = -1;
  wrong[10].norm = (cdn_error_norm)7;
  wrong[11].max_step = -1;
  for (int i = 0; i < 12; i++) {
    cdn_error error = { .code = CDN_OK };
    ck_assert_msg(cdn_stepper_create(state, &wrong[i], &stepper) == CDN_ERR_ARG, "wrong def %d was accepted", i);
    cdn_state_last_error(state, &error);
    ck_assert_int_eq(error.code, CDN_ERR_ARG);
    ck_assert_ptr_null(stepper);
  }
  wrong[0].struct_size = 4;
  FAILS(cdn_stepper_create(state, &wrong[0], &stepper), CDN_ERR_VERSION);
  FAILS(cdn_stepper_create(NULL, NULL, &stepper), CDN_ERR_ARG);
  FAILS(cdn_stepper_create(state, NULL, NULL), CDN_ERR_ARG);
  FAILS(cdn_stepper_advance(NULL, 1, NULL), CDN_ERR_ARG);
  ck_assert_ptr_null(cdn_stepper_state(NULL));
  cdn_stepper_destroy(NULL);
  cdn_state_destroy(state);
}
END_TEST

/* ---- memory --------------------------------------------------------------------------------------- */

typedef struct counter {
  int allocations, live, fail_at;
} counter;

static void *count_alloc(void *context, size_t size, size_t align) {
  counter *c = context;
  if (++c->allocations == c->fail_at) return NULL;
  void *memory = aligned_alloc(align, (size + align - 1) / align * align);
  if (memory) c->live++;
  return memory;
}

static void count_free(void *context, void *memory, size_t size) {
  (void)size;
  ((counter *)context)->live--;
  free(memory);
}

/* An oscillator, with a report that reads. */
static cdn_status oscillate(cdn_state *state, double t, const double *z, double *zdot) {
  (void)t;
  double *work = cdn_work_push(state, 1000);
  if (!work) return CDN_ERR_NOMEM;
  zdot[0] = z[1];
  zdot[1] = -z[0];
  cdn_work_pop(state, work);
  return CDN_OK;
}

static const ode oscillator = { .n = 2, .z0 = { 1, 0 }, .rates = oscillate };

START_TEST(no_allocation_after_creation) {
  counter count = { 0 };
  cdn_allocator allocator = { count_alloc, count_free, &count };
  cdn_state *state = ode_state(&oscillator, &allocator);
  cdn_stepper *stepper = ode_stepper(state, NULL);
  int before = count.allocations;
  for (int i = 1; i <= 100; i++) {
    OK_STEP(stepper, cdn_stepper_advance(stepper, 0.1 * i, NULL));
    ck_assert_ptr_nonnull(cdn_state_zdot(cdn_stepper_state(stepper)));
    certificate_of(stepper);
  }
  OK_STEP(stepper, cdn_stepper_restart(stepper, state));
  OK_STEP(stepper, cdn_stepper_advance(stepper, 1, NULL));
  ck_assert_int_eq(count.allocations, before);
  cdn_stepper_destroy(stepper);
  cdn_state_destroy(state);
  ck_assert_int_eq(count.live, 0);
}
END_TEST

START_TEST(survives_lack_of_memory) {
  bool succeeded = false;
  for (int k = 1; !succeeded; k++) {
    counter count = { 0 };
    cdn_allocator allocator = { count_alloc, count_free, &count };
    cdn_state *state = ode_state(&oscillator, &allocator);
    cdn_stepper *stepper = NULL;
    count.fail_at = count.allocations + k;
    cdn_status status = cdn_stepper_create(state, NULL, &stepper);
    succeeded = status == CDN_OK;
    if (!succeeded) {
      cdn_error error = { .code = CDN_OK };
      ck_assert_int_eq(status, CDN_ERR_NOMEM);
      ck_assert_ptr_null(stepper);
      cdn_state_last_error(state, &error);
      ck_assert_int_eq(error.code, CDN_ERR_NOMEM);
    }
    cdn_stepper_destroy(stepper);
    cdn_state_destroy(state);
    ck_assert_int_eq(count.live, 0);
    ck_assert_int_lt(k, 50);
  }
}
END_TEST

/* ---- auto-update variables ------------------------------------------------------------------------- */

/* The largest z so far: a memory that trial steps must not touch. */
typedef struct memory {
  cdn_zvar z;
  cdn_autovar peak;
} memory;

static cdn_status calc_peak(const void *self, cdn_state *state, void *out) {
  const memory *m = self;
  double last = *(const double *)cdn_state_discrete(state, m->peak.variable), z = *cdn_state_zvar(state, m->z);
  *(double *)out = fmax(last, z);
  return CDN_OK;
}

static cdn_status declare_memory(void *self, cdn_declarer *d) {
  memory *m = self;
  double start = 0;
  m->z = cdn_declare_z(d, 1, &start);
  cdn_ticket on[] = { m->z.ticket };
  m->peak = cdn_declare_auto_update(d, "peak", sizeof(double), &start, calc_peak, 1, on);
  return CDN_OK;
}

static cdn_status memory_zdot(const void *self, cdn_state *state, double *zdot) {
  const double *peak = cdn_eval(state, ((const memory *)self)->peak.update);
  if (!peak) return CDN_ERR_CALLBACK;
  zdot[0] = cos(cdn_state_time(state)) + 0 * *peak;
  return CDN_OK;
}

START_TEST(memory_sees_accepted_steps_only) {
  static const cdn_subsystem_ops ops = {
    .struct_size = sizeof ops,
    .name = "memory",
    .self_size = sizeof(memory),
    .declare = declare_memory,
    .calc_zdot = memory_zdot,
  };
  cdn_system *system = cdn_system_create(NULL);
  memory m = { 0 };
  cdn_state *state = NULL;
  cdn_subsystem id = cdn_system_add_subsystem(system, &ops, &m);
  OK_FREEZE(system);
  m = *(const memory *)cdn_subsystem_self(system, id);
  OK(cdn_state_create(system, &state));
  cdn_stepper_def def = cdn_default_stepper_def();
  def.method = CDN_METHOD_DORMAND_PRINCE;
  def.initial_step = 3; /* far too long: many trial steps beyond the peak of sin t */
  cdn_stepper *stepper = ode_stepper(state, &def);
  double largest = 0;
  while (cdn_state_time(cdn_stepper_state(stepper)) < 6) {
    OK_STEP(stepper, cdn_stepper_step(stepper, 6));
    largest = fmax(largest, z_of(stepper));
    double peak = *(const double *)cdn_state_discrete(cdn_stepper_state(stepper), m.peak.variable);
    ck_assert_msg(peak == largest, "the memory holds %.17g, the accepted steps reached %.17g", peak, largest);
  }
  ck_assert_int_gt(certificate_of(stepper).rejected, 0);
  ck_assert_int_eq(certificate_of(stepper).evaluations,
                   1 + 6 * (certificate_of(stepper).steps + certificate_of(stepper).rejected));
  cdn_stepper_destroy(stepper);
  cdn_state_destroy(state);
  cdn_system_release(system);
}
END_TEST

CHECK_MAIN("stepper failures", singularity_is_reported, min_step_is_a_limit, attempts_are_limited,
           shorter_steps_cure_a_recoverable_failure, failures_pass_through, a_bad_start_is_told_on_the_state,
           definitions_are_checked, no_allocation_after_creation, survives_lack_of_memory,
           memory_sees_accepted_steps_only)
