/* Regions and shared arrays in runs: steps, checkpoints, handlers, inputs, companions, ensembles, derivatives. */
#include <cardan/derivatives.h>
#include <cardan/ensemble.h>

#include "region_rig.h"

/* Adds a mark, and changes a charge, at 0.35, 0.7, ... */
static cdn_status add_mark(const void *self, cdn_state *state, const cdn_occurrence *what, cdn_action *action) {
  const rig *r = cdn_subsystem_self(cdn_state_system(state), *(const cdn_subsystem *)self);
  const double charge = 5 + what->time;
  (void)action;
  cdn_status status = cdn_region_append(state, r->marks, 1, &(mark){ (float)what->time, 3, (int32_t)what->count });
  return status == CDN_OK ? cdn_state_set_parameters(state, r->charges, 7, 1, &charge) : status;
}

static cdn_system *eventful(bool shares, const rig **r) {
  cdn_system_def def = cdn_default_system_def();
  def.audit = true;
  cdn_system *system = cdn_system_create(&def);
  const cdn_subsystem id = rig_add(system, shares, NULL);
  cdn_event_def event = cdn_default_event_def();
  event.kind = CDN_EVENT_PERIODIC, event.period = 0.35, event.phase = 0.35, event.handle = add_mark;
  event.self = &id, event.self_size = sizeof id;
  cdn_system_add_event(system, &event);
  OK_FREEZE(system);
  *r = cdn_subsystem_self(system, id);
  return system;
}

static cdn_stepper *start(cdn_system *system, bool companion) {
  cdn_state *state = NULL;
  cdn_stepper *stepper = NULL;
  OK(cdn_state_create(system, &state));
  cdn_stepper_def def = cdn_default_stepper_def();
  def.accuracy = 1e-6, def.companion = companion;
  OK_ON(state, cdn_stepper_create(state, &def, &stepper));
  cdn_state_destroy(state);
  return stepper;
}

/* To time 3 in pieces; what is saved at the end. If `through`, by way of a checkpoint at each piece. */
static cdn_buffer run(cdn_system *system, bool through) {
  cdn_stepper *stepper = start(system, false);
  for (int k = 1; k <= 12; k++) {
    OK_STEP(stepper, cdn_stepper_advance(stepper, 0.25 * k, NULL));
    if (!through) continue;
    cdn_buffer b = { 0 };
    cdn_state *state = NULL;
    OK(cdn_state_create(system, &state));
    OK_STEP(stepper, cdn_stepper_save(stepper, cdn_buffer_write, &b));
    cdn_stepper_destroy(stepper);
    OK_ON(state, cdn_stepper_load(state, NULL, NULL, cdn_buffer_read, &b, &stepper));
    cdn_state_destroy(state);
    cdn_buffer_free(&b);
  }
  cdn_buffer end = { 0 };
  OK_STEP(stepper, cdn_stepper_save(stepper, cdn_buffer_write, &end));
  cdn_stepper_destroy(stepper);
  return end;
}

START_TEST(a_run_goes_on_from_its_checkpoint_with_the_same_bits) {
  const rig *r;
  cdn_system *system = eventful(true, &r);
  cdn_buffer a = run(system, false), b = run(system, true);
  ck_assert_uint_eq(a.size, b.size);
  ck_assert_mem_eq(a.bytes, b.bytes, a.size);
  cdn_buffer_free(&a);
  cdn_buffer_free(&b);
  cdn_system_release(system);
}
END_TEST

START_TEST(sharing_changes_no_bit_of_a_run) {
  const rig *r;
  cdn_system *shared = eventful(true, &r), *apart = eventful(false, &r);
  cdn_buffer a = run(shared, false), b = run(apart, false);
  /* the two write the same, and each reads what the other has written */
  ck_assert_uint_eq(a.size, b.size);
  ck_assert_mem_eq(a.bytes, b.bytes, a.size);
  cdn_state *state = NULL;
  cdn_stepper *stepper = NULL;
  OK(cdn_state_create(apart, &state));
  OK_ON(state, cdn_stepper_load(state, NULL, NULL, cdn_buffer_read, &a, &stepper));
  cdn_stepper_destroy(stepper);
  cdn_state_destroy(state);
  cdn_buffer_free(&a);
  cdn_buffer_free(&b);
  cdn_system_release(shared);
  cdn_system_release(apart);
}
END_TEST

START_TEST(handlers_and_steps_change_regions) {
  const rig *r;
  cdn_system *system = eventful(true, &r);
  cdn_stepper *stepper = start(system, false);
  OK_STEP(stepper, cdn_stepper_advance(stepper, 1.2, NULL));
  const cdn_state *state = cdn_stepper_state(stepper);
  const mark *marks;
  int n;
  OK(cdn_region_get(state, r->marks, (const void **)&marks, &n));
  ck_assert_int_eq(n, RIG_MARKS + 3);
  for (int k = 0; k < 3; k++) NEAR((double)marks[RIG_MARKS + k].x, 0.35 * (k + 1), 1e-6);
  ck_assert_double_eq(cdn_state_parameters(state, r->charges)[7], 5 + 3 * 0.35);
  ck_assert_int_gt(rig_count(state, r->memory.variable), 1);
  cdn_stepper_destroy(stepper);
  cdn_system_release(system);
}
END_TEST

/* ---- inputs ----------------------------------------------------------------------------------- */

/* The run, and a lone one that starts where the other was written to. */
static void write_into(bool companion) {
  const rig *r;
  cdn_system *system = rig_system(NULL, true, NULL, &r);
  cdn_stepper *stepper = start(system, companion), *fresh = NULL;
  const double charges[2] = { 100, -100 };
  double z[2];
  OK_STEP(stepper, cdn_stepper_advance(stepper, 0.5, NULL));
  cdn_state *state = cdn_stepper_state(stepper), *there = NULL;
  OK_ON(state, cdn_region_append(state, r->marks, 100, NULL));
  OK_ON(state, cdn_state_set_parameters(state, r->charges, 3, 2, charges));
  OK(cdn_state_create(system, &there));
  OK_ON(there, cdn_state_copy(there, state));
  cdn_stepper_def def = cdn_default_stepper_def();
  def.accuracy = 1e-6;
  OK_ON(there, cdn_stepper_create(there, &def, &fresh));
  OK_STEP(stepper, cdn_stepper_advance(stepper, 1.5, NULL));
  OK_STEP(fresh, cdn_stepper_advance(fresh, 1.5, NULL));
  z[0] = *cdn_state_zvar(cdn_stepper_state(stepper), r->z), z[1] = *cdn_state_zvar(cdn_stepper_state(fresh), r->z);
  NEAR(z[0], z[1], 1e-4);
  ck_assert_int_eq(rig_count(cdn_stepper_state(stepper), r->marks), RIG_MARKS + 100);
  cdn_certificate c;
  OK(cdn_stepper_certificate(stepper, &c));
  if (companion) {
    ck_assert_msg(c.companion_message[0] == 0, "%s", c.companion_message);
    const cdn_state *other = cdn_stepper_state(cdn_stepper_companion(stepper));
    ck_assert_int_eq(rig_count(other, r->marks), RIG_MARKS + 100);
    ck_assert_double_eq(cdn_state_parameters(other, r->charges)[4], -100);
    ck_assert_double_eq(cdn_state_parameters(other, r->charges)[5], 0.01 * 5 - 3);
  }
  cdn_stepper_destroy(fresh);
  cdn_stepper_destroy(stepper);
  cdn_state_destroy(there);
  cdn_system_release(system);
}

START_TEST(what_is_written_into_a_run_takes_effect) {
  write_into(false);
  write_into(true);
}
END_TEST

START_TEST(a_state_that_is_loaded_counts_as_written) {
  const rig *r;
  cdn_system *system = rig_system(NULL, true, NULL, &r);
  cdn_stepper *stepper = start(system, false);
  OK_STEP(stepper, cdn_stepper_advance(stepper, 0.5, NULL));
  cdn_state *state = cdn_stepper_state(stepper);
  const double *q = cdn_state_z(state);
  OK_ON(state, cdn_region_resize(state, r->marks, 50));
  cdn_buffer b = rig_saved(state);
  OK_ON(state, cdn_region_resize(state, r->marks, 0));
  const uint64_t serial = cdn_state_serial(state, r->marks.ticket);
  OK_ON(state, cdn_state_load(state, cdn_buffer_read, &b));
  ck_assert_uint_gt(cdn_state_serial(state, r->marks.ticket), serial);
  ck_assert_ptr_eq(cdn_state_z(state), q);
  OK_STEP(stepper, cdn_stepper_advance(stepper, 1, NULL));
  ck_assert_int_eq(rig_count(cdn_stepper_state(stepper), r->marks), 50);
  cdn_buffer_free(&b);
  cdn_stepper_destroy(stepper);
  cdn_system_release(system);
}
END_TEST

/* ---- ensembles -------------------------------------------------------------------------------- */

START_TEST(ensembles_share_regions_and_compute_what_lone_states_do) {
  const rig *r;
  cdn_system *system = rig_system(NULL, true, NULL, &r);
  cdn_state *state = NULL;
  OK(cdn_state_create(system, &state));
  OK_ON(state, cdn_region_resize(state, r->marks, 7));
  cdn_ensemble_def def = cdn_default_ensemble_def();
  def.count = 9, def.threads = 3, def.vary = CDN_VARY_OWN;
  cdn_ensemble *e = NULL;
  OK_ON(state, cdn_ensemble_create(state, &def, &e));
  double rates[9], alone[9];
  for (int k = 0; k < 9; k++) {
    const double z = 0.1 * k, charge = k;
    OK_ON(state, cdn_state_set_z(state, &z));
    OK_ON(state, cdn_state_set_parameters(state, r->charges, 2, 1, &charge));
    alone[k] = *cdn_state_zdot(state);
    OK(cdn_ensemble_set_state(e, k, state));
  }
  OK(cdn_ensemble_rates(e, CDN_POOL_Z, rates, 1));
  ck_assert_mem_eq(rates, alone, sizeof rates);
  cdn_state *there = NULL;
  OK(cdn_state_create(system, &there));
  for (int k = 0; k < 9; k++) {
    OK(cdn_ensemble_get_state(e, k, there));
    ck_assert_double_eq(cdn_state_parameters(there, r->charges)[2], k);
    ck_assert_int_eq(rig_count(there, r->marks), 7);
  }
  /* how long they are is shared by all */
  OK_ON(state, cdn_region_resize(state, r->marks, 8));
  FAILS(cdn_ensemble_set_state(e, 0, state), CDN_ERR_ARG);
  cdn_error error;
  cdn_ensemble_last_error(e, &error);
  ck_assert_msg(strstr(error.text, "rig.marks") != NULL, "%s", error.text);
  cdn_state_destroy(there);
  cdn_ensemble_destroy(e);
  cdn_state_destroy(state);
  cdn_system_release(system);
}
END_TEST

/* ---- derivatives by differences ---------------------------------------------------------------- */

/* A spring to each of the places that are found: as many as the body's coordinate says. */
typedef struct springs {
  cdn_body body;
  cdn_computed_region found;
} springs;

static cdn_status find_places(const void *self, cdn_state *state, cdn_region_output *out) {
  const springs *s = self;
  const double x = cdn_body_q(state, s->body)[0];
  void *to;
  const int n = 3 + (x > 1);
  cdn_status status = cdn_region_output_add(out, n, &to);
  for (int i = 0; status == CDN_OK && i < n; i++) ((double *)to)[i] = 0.5 * i + x * x;
  return status;
}

static cdn_status declare_springs(void *self, cdn_declarer *d) {
  ((springs *)self)->found =
      cdn_declare_computed_region(d, "found", sizeof(double), find_places, 1, &CDN_POSE, CDN_STAGE_EMPTY);
  return CDN_OK;
}

static cdn_status pull_springs(const void *self, cdn_state *state, cdn_forces *forces) {
  const springs *s = self;
  const double *places, x = cdn_body_q(state, s->body)[0];
  int n;
  cdn_status status = cdn_region_eval(state, s->found, (const void **)&places, &n);
  for (int i = 0; status == CDN_OK && i < n; i++) cdn_forces_add_mobility(forces, s->body, 0, places[i] - x);
  return status;
}

/* f = sum_i (0.5 i + x^2 - x), so df/dx = n (2 x - 1). */
START_TEST(differences_leave_computed_regions_as_they_were) {
  cdn_system *system = cdn_system_create(NULL);
  cdn_body_def def = cdn_default_body_def();
  def.mobilizer = CDN_SLIDER, def.mass = (cdn_mass_properties){ .mass = 1, .inertia = { .xx = 1, .yy = 1, .zz = 1 } };
  springs s = { .body = cdn_system_add_body(system, &def) };
  cdn_force_ops ops = { .struct_size = sizeof ops, .reads = CDN_READS_POSITION, .calc_force = pull_springs };
  ops.subsystem = (cdn_subsystem_ops){
    .struct_size = sizeof ops.subsystem, .name = "springs", .self_size = sizeof s, .declare = declare_springs
  };
  cdn_system_add_custom_force(system, &ops, &s);
  OK_FREEZE(system);
  const springs *known = cdn_subsystem_self(system, (cdn_subsystem){ 1 });
  cdn_state *state = NULL;
  OK(cdn_state_create(system, &state));
  cdn_system_release(system);
  for (int k = 0; k < 2; k++) {
    /* the second time one more is found on one side */
    const double x = k ? 1.0 : 0.75, n = 3;
    double before[3], dq, du;
    const double *places;
    int count;
    OK_ON(state, cdn_state_set_q(state, &x));
    OK_ON(state, cdn_region_eval(state, known->found, (const void **)&places, &count));
    ck_assert_int_eq(count, 3);
    memcpy(before, places, sizeof before);
    OK_ON(state, cdn_forward_dynamics_derivatives(state, &dq, &du, NULL, NULL));
    if (k == 0) NEAR(dq, n * (2 * x - 1), 1e-6);
    OK_ON(state, cdn_region_eval(state, known->found, (const void **)&places, &count));
    ck_assert_int_eq(count, 3);
    ck_assert_mem_eq(places, before, sizeof before);
  }
  cdn_state_destroy(state);
}
END_TEST

START_TEST(differences_of_rates_leave_them_too) {
  const rig *r;
  cdn_system *system = rig_system(NULL, true, NULL, &r);
  cdn_state *state = NULL;
  const double z = 0.5; /* on one side of it one more is found */
  double dz, found[64], memory[64];
  const double *is;
  int n_found, n_memory, n;
  OK(cdn_state_create(system, &state));
  OK_ON(state, cdn_state_set_z(state, &z));
  OK_ON(state, cdn_realize(state, CDN_STAGE_ACCELERATION));
  OK_ON(state, cdn_region_eval(state, r->found, (const void **)&is, &n_found));
  memcpy(found, is, (size_t)n_found * sizeof *is);
  OK_ON(state, cdn_region_eval(state, r->memory.update, (const void **)&is, &n_memory));
  memcpy(memory, is, (size_t)n_memory * sizeof *is);
  OK_ON(state, cdn_calc_zdot_derivatives(state, NULL, NULL, &dz));
  OK_ON(state, cdn_region_eval(state, r->found, (const void **)&is, &n));
  ck_assert_int_eq(n, n_found);
  ck_assert_mem_eq(is, found, (size_t)n * sizeof *is);
  OK_ON(state, cdn_region_eval(state, r->memory.update, (const void **)&is, &n));
  ck_assert_int_eq(n, n_memory);
  ck_assert_mem_eq(is, memory, (size_t)n * sizeof *is);
  cdn_state_destroy(state);
  cdn_system_release(system);
}
END_TEST

CHECK_MAIN("region runs", a_run_goes_on_from_its_checkpoint_with_the_same_bits, sharing_changes_no_bit_of_a_run,
           handlers_and_steps_change_regions, what_is_written_into_a_run_takes_effect,
           a_state_that_is_loaded_counts_as_written, ensembles_share_regions_and_compute_what_lone_states_do,
           differences_leave_computed_regions_as_they_were, differences_of_rates_leave_them_too)
