/* One frozen System, shared by threads with a State each: the same bits as alone. Meant for ThreadSanitizer as well. */
#define _POSIX_C_SOURCE 200809L
#include <pthread.h>
#include <stdatomic.h>
#include <time.h>

#include "../testing.h"

enum { THREADS = 4, LINKS = 6, REPORTS = 20, ROW = 2 * LINKS };

/* A chain with forces of every kind and a custom force with a z, which reads a measure with a memory, too. */
typedef struct lag {
  cdn_zvar z;
  cdn_body body;
  cdn_measure held;
} lag;

static cdn_status declare_lag(void *self, cdn_declarer *d) {
  ((lag *)self)->z = cdn_declare_z(d, 1, NULL);
  return CDN_OK;
}
static cdn_status lag_force(const void *self, cdn_state *state, cdn_forces *forces) {
  const lag *l = self;
  const double *held = cdn_measure_value(state, l->held);
  if (!held) return CDN_ERR_CALLBACK;
  cdn_forces_add_mobility(forces, l->body, 0, -0.5 * cdn_state_zvar(state, l->z)[0] - 0.1 * *held);
  return CDN_OK;
}
static cdn_status lag_zdot(const void *self, cdn_state *state, double *zdot) {
  const lag *l = self;
  zdot[0] = 3 * (cdn_body_u(state, l->body)[0] - cdn_state_zvar(state, l->z)[0]);
  return CDN_OK;
}

static cdn_system *chain(void) {
  cdn_system *system = cdn_system_create(NULL);
  cdn_body_def def = cdn_default_body_def();
  def.mobilizer = CDN_PIN;
  def.mass = (cdn_mass_properties){ .mass = 1, .com = { 0.5, 0, 0 }, .inertia = { .xx = 0.1, .yy = 0.2, .zz = 0.2 } };
  for (int i = 0; i < LINKS; i++) {
    def.parent = cdn_system_add_body(system, &def);
    def.X_PF.p = cdn_v3(1, 0, 0);
    def.X_PF.R = cdn_rotation_axis_angle(cdn_v3(1, 0, 0), 0.3 * i);
    cdn_system_add_mobility_damper(system, NULL, def.parent, 0, 0.1);
  }
  cdn_system_add_gravity(system, "gravity", cdn_v3(0, -9.81, 0));
  cdn_system_add_two_point_spring(system, "cord", def.parent, cdn_v3(1, 0, 0), cdn_ground(), cdn_v3(2, 2, 2), 10, 1);
  cdn_delay_def late = cdn_default_delay_def();
  late.operand = cdn_system_add_coordinate_measure(system, "u", def.parent, CDN_U, 0), late.delay = 0.2;
  cdn_measure delayed = cdn_system_add_delay_measure(system, &late);
  cdn_measure most = cdn_system_add_extreme_measure(system, "most", delayed, CDN_MAX_ABS);
  cdn_measure held = cdn_system_add_sample_hold_measure(system, "held", most, 0.07, 0, NULL);
  const cdn_ticket reads = cdn_measure_ticket(system, held);
  cdn_force_ops ops = { .struct_size = sizeof ops,
                        .reads = CDN_READS_EVERYTHING,
                        .calc_force = lag_force,
                        .prerequisites = &reads,
                        .n_prerequisites = 1 };
  ops.subsystem = (cdn_subsystem_ops){ .struct_size = sizeof ops.subsystem,
                                       .name = "lag",
                                       .self_size = sizeof(lag),
                                       .declare = declare_lag,
                                       .calc_zdot = lag_zdot };
  cdn_system_add_custom_force(system, &ops, &(lag){ .body = { 1 }, .held = held });
  OK_FREEZE(system);
  return system;
}

typedef struct job {
  const cdn_system *system;
  double start; /* every job begins elsewhere */
  cdn_status status;
  double row[REPORTS][ROW];
} job;

/* No Check in here: its assertions are for the main thread. */
static void *work(void *argument) {
  job *j = argument;
  cdn_state *state = NULL;
  cdn_stepper *stepper = NULL;
  j->status = cdn_state_create(j->system, &state);
  if (j->status == CDN_OK) j->status = cdn_body_set_q(state, (cdn_body){ 1 }, 1, &j->start);
  if (j->status == CDN_OK) j->status = cdn_body_set_armature(state, (cdn_body){ 2 }, 0.1 * j->start);
  if (j->status == CDN_OK) j->status = cdn_stepper_create(state, NULL, &stepper);
  for (int i = 0; i < REPORTS && j->status == CDN_OK; i++) {
    j->status = cdn_stepper_advance(stepper, 0.05 * (i + 1), NULL);
    memcpy(j->row[i], cdn_state_q(cdn_stepper_state(stepper)), LINKS * sizeof(double));
    memcpy(j->row[i] + LINKS, cdn_state_u(cdn_stepper_state(stepper)), LINKS * sizeof(double));
  }
  cdn_stepper_destroy(stepper);
  cdn_state_destroy(state);
  cdn_system_release(j->system);
  return NULL;
}

static job alone[THREADS], together[THREADS];

START_TEST(test_shared_system) {
  cdn_system *system = chain();
  pthread_t thread[THREADS];
  for (int k = 0; k < THREADS; k++) {
    alone[k].system = together[k].system = system;
    alone[k].start = together[k].start = 0.2 * (k + 1);
    cdn_system_retain(system);
    work(&alone[k]);
    ck_assert_int_eq(alone[k].status, CDN_OK);
  }
  for (int k = 0; k < THREADS; k++) {
    cdn_system_retain(system); /* one reference a thread, which gives it back */
    ck_assert_int_eq(pthread_create(&thread[k], NULL, work, &together[k]), 0);
  }
  cdn_system_release(system); /* whoever ends last frees it */
  for (int k = 0; k < THREADS; k++) {
    ck_assert_int_eq(pthread_join(thread[k], NULL), 0);
    ck_assert_int_eq(together[k].status, CDN_OK);
    ck_assert_msg(memcmp(alone[k].row, together[k].row, sizeof alone[k].row) == 0, "thread %d went another way", k);
  }
  ck_assert_msg(memcmp(alone[0].row, alone[1].row, sizeof alone[0].row) != 0, "the jobs were all the same");
}
END_TEST

/* Another thread that keeps interrupting ends calls, and changes nothing else. */
static atomic_bool over;

static void *interrupt_often(void *stepper) {
  while (!atomic_load(&over)) {
    cdn_stepper_interrupt(stepper);
    nanosleep(&(struct timespec){ .tv_nsec = 200000 }, NULL);
  }
  return NULL;
}

/* The speeds at the end; *calls: how many calls there were. */
static void run_beside(const cdn_system *system, bool interrupted, double u[LINKS], int *calls) {
  cdn_state *state = NULL;
  cdn_stepper *stepper = NULL;
  pthread_t thread;
  OK(cdn_state_create(system, &state));
  cdn_stepper_def def = cdn_default_stepper_def();
  def.companion = true;
  OK(cdn_stepper_create(state, &def, &stepper));
  atomic_store(&over, false);
  if (interrupted) ck_assert_int_eq(pthread_create(&thread, NULL, interrupt_often, stepper), 0);
  *calls = 0;
  for (cdn_status status = CDN_ERR_LIMIT; status == CDN_ERR_LIMIT; ++*calls) {
    status = cdn_stepper_advance(stepper, 2, NULL);
    ck_assert(status == CDN_OK || status == CDN_ERR_LIMIT);
  }
  atomic_store(&over, true);
  if (interrupted) ck_assert_int_eq(pthread_join(thread, NULL), 0);
  memcpy(u, cdn_state_u(cdn_stepper_state(stepper)), LINKS * sizeof *u);
  cdn_stepper_destroy(stepper);
  cdn_state_destroy(state);
}

START_TEST(test_interrupting_thread) {
  cdn_system *system = chain();
  double u[2][LINKS];
  int calls;
  run_beside(system, false, u[0], &calls);
  ck_assert_int_eq(calls, 1);
  run_beside(system, true, u[1], &calls);
  ck_assert_int_gt(calls, 1);
  ck_assert_int_eq(memcmp(u[0], u[1], sizeof u[0]), 0);
  cdn_system_release(system);
}
END_TEST

CHECK_MAIN("threads", test_shared_system, test_interrupting_thread)
