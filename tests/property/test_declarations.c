/* What subsystems may not do: each is refused with a message that names it. */
#include "bare_system.h"

static cdn_status no_zdot(const void *self, cdn_state *state, double *zdot) {
  (void)self, (void)state;
  zdot[0] = 0;
  return CDN_OK;
}

/* ---- what must be refused ------------------------------------------------------------------- */

/* A subsystem with one entry, whose prerequisite is named, and whose function is given. */
typedef struct misfit {
  const char *prerequisite; /* a name, or NULL for z */
  cdn_calc_fn *calc;
  cdn_zvar z;
  cdn_cache entry;
} misfit;

static cdn_status declare_misfit(void *self, cdn_declarer *d) {
  misfit *m = self;
  m->z = cdn_declare_z(d, 1, NULL);
  cdn_ticket ticket = m->prerequisite ? cdn_find_ticket(d, m->prerequisite) : m->z.ticket;
  m->entry = cdn_declare_cache(d, "entry", sizeof(double), m->calc, 1, &ticket);
  return CDN_OK;
}

static cdn_subsystem add_misfit(cdn_system *system, const char *name, const char *prerequisite, cdn_calc_fn *calc) {
  cdn_subsystem_ops ops = { .struct_size = sizeof ops,
                            .name = name,
                            .self_size = sizeof(misfit),
                            .declare = declare_misfit,
                            .calc_zdot = no_zdot };
  misfit m = { .prerequisite = prerequisite, .calc = calc };
  return cdn_system_add_subsystem(system, &ops, &m);
}

static cdn_status calc_nothing(const void *self, cdn_state *state, void *out) {
  (void)self, (void)state;
  *(double *)out = 1;
  return CDN_OK;
}

/* Reads time, which was not declared. */
static cdn_status calc_from_time(const void *self, cdn_state *state, void *out) {
  (void)self;
  *(double *)out = cdn_state_time(state);
  return CDN_OK;
}

/* Asks for itself. */
static cdn_status calc_from_itself(const void *self, cdn_state *state, void *out) {
  const double *x = cdn_eval(state, ((const misfit *)self)->entry);
  *(double *)out = x ? *x : 0;
  return x ? CDN_OK : CDN_ERR_CALLBACK;
}

/* Fails for negative z, with a message; reports a failure that a smaller step may cure. */
static cdn_status calc_root(const void *self, cdn_state *state, void *out) {
  double z = cdn_state_zvar(state, ((const misfit *)self)->z)[0];
  if (z < 0) return cdn_state_fail(state, CDN_ERR_CALLBACK, true, "root", "no root of %g", z);
  *(double *)out = sqrt(z);
  return CDN_OK;
}

/* "early" must be there before positions are, and reads what comes after velocities; "late" lies in between. */
static cdn_status declare_cycle(void *self, cdn_declarer *d) {
  (void)self;
  cdn_ticket velocity = cdn_stage_ticket(CDN_STAGE_VELOCITY);
  cdn_cache late = cdn_declare_cache(d, "late", sizeof(double), calc_nothing, 1, &velocity);
  cdn_declare_eager_cache(d, "early", sizeof(double), calc_nothing, 1, &late.ticket, CDN_STAGE_POSITION);
  return CDN_OK;
}

START_TEST(test_cycle_is_named) {
  static const cdn_subsystem_ops ops = { .struct_size = sizeof ops, .name = "ring", .declare = declare_cycle };
  cdn_error error;
  cdn_system *system = bare_system(true);
  cdn_system_add_subsystem(system, &ops, NULL);
  FAILS(cdn_system_freeze(system), CDN_ERR_CYCLE);
  cdn_system_last_error(system, &error);
  ck_assert_int_eq(error.code, CDN_ERR_CYCLE);
  ck_assert_msg(strstr(error.text, "ring.early") && strstr(error.text, "ring.late"), "%s", error.text);
  cdn_system_release(system);
}
END_TEST

START_TEST(test_unknown_ticket_is_named) {
  cdn_error error;
  cdn_system *system = bare_system(true);
  add_misfit(system, "lonely", "nobody.nothing", calc_nothing);
  ck_assert_int_ne(cdn_system_freeze(system), CDN_OK);
  cdn_system_last_error(system, &error);
  ck_assert_msg(strstr(error.text, "nobody.nothing") != NULL, "%s", error.text);
  cdn_system_release(system);
}
END_TEST

START_TEST(test_found_ticket_works) {
  cdn_system *system = bare_system(true);
  add_misfit(system, "first", NULL, calc_root);
  cdn_subsystem id = add_misfit(system, "second", "first.entry", calc_nothing);
  cdn_state *state = bare_state(system);
  const double *x = cdn_eval(state, ((const misfit *)cdn_subsystem_self(system, id))->entry);
  ck_assert_ptr_nonnull(x);
  ck_assert_double_eq(*x, 1);
  cdn_state_destroy(state);
}
END_TEST

START_TEST(test_undeclared_read_is_named) {
  cdn_error error;
  cdn_system *system = bare_system(true);
  cdn_subsystem id = add_misfit(system, "sneak", NULL, calc_from_time);
  cdn_state *state = bare_state(system);
  ck_assert_ptr_null(cdn_eval(state, ((const misfit *)cdn_subsystem_self(system, id))->entry));
  cdn_state_last_error(state, &error);
  ck_assert_int_eq(error.code, CDN_ERR_UNDECLARED);
  ck_assert_msg(strstr(error.text, "sneak.entry") || strstr(error.element, "sneak.entry"), "[%s] %s", error.element,
                error.text);
  ck_assert_msg(strstr(error.text, "'t'") != NULL, "%s", error.text);
  cdn_state_destroy(state);

  /* without the audit the same is the user's own affair */
  system = bare_system(false);
  id = add_misfit(system, "sneak", NULL, calc_from_time);
  state = bare_state(system);
  ck_assert_ptr_nonnull(cdn_eval(state, ((const misfit *)cdn_subsystem_self(system, id))->entry));
  cdn_state_destroy(state);
}
END_TEST

START_TEST(test_evaluating_what_is_being_evaluated) {
  for (int audit = 0; audit < 2; audit++) {
    cdn_error error;
    cdn_system *system = bare_system(audit);
    cdn_subsystem id = add_misfit(system, "ouroboros", NULL, calc_from_itself);
    cdn_state *state = bare_state(system);
    ck_assert_ptr_null(cdn_eval(state, ((const misfit *)cdn_subsystem_self(system, id))->entry));
    cdn_state_last_error(state, &error);
    ck_assert_int_ne(error.code, CDN_OK);
    ck_assert_msg(strstr(error.text, "ouroboros.entry") || strstr(error.element, "ouroboros.entry"), "[%s] %s",
                  error.element, error.text);
    cdn_state_destroy(state);
  }
}
END_TEST

START_TEST(test_failure_passes_through_and_heals) {
  cdn_error error;
  cdn_system *system = bare_system(true);
  cdn_subsystem id = add_misfit(system, "sqrt", NULL, calc_root);
  cdn_state *state = bare_state(system);
  cdn_cache entry = ((const misfit *)cdn_subsystem_self(system, id))->entry;
  double z = -4;
  OK(cdn_state_set_z(state, &z));
  ck_assert_ptr_null(cdn_eval(state, entry));
  cdn_state_last_error(state, &error);
  ck_assert_int_eq(error.code, CDN_ERR_CALLBACK);
  ck_assert(error.recoverable);
  ck_assert_str_eq(error.element, "root");
  ck_assert_str_eq(error.text, "no root of -4");
  z = 9;
  OK(cdn_state_set_z(state, &z));
  const double *root = cdn_eval(state, entry);
  ck_assert_ptr_nonnull(root);
  ck_assert_double_eq(*root, 3);
  cdn_state_destroy(state);
}
END_TEST

static cdn_status declare_refusal(void *self, cdn_declarer *d) {
  (void)self;
  return cdn_declare_error(d, CDN_ERR_ARG, "a wheel of %d corners", 3);
}

START_TEST(test_declare_may_refuse) {
  static const cdn_subsystem_ops ops = { .struct_size = sizeof ops, .name = "cart", .declare = declare_refusal };
  cdn_error error;
  cdn_system *system = bare_system(true);
  cdn_system_add_subsystem(system, &ops, NULL);
  FAILS(cdn_system_freeze(system), CDN_ERR_ARG);
  cdn_system_last_error(system, &error);
  ck_assert_ptr_nonnull(strstr(error.text, "a wheel of 3 corners"));
  cdn_system_release(system);
}
END_TEST

START_TEST(test_z_without_rates_is_refused) {
  cdn_subsystem_ops ops = { .struct_size = sizeof ops, .name = "inert", .self_size = sizeof(misfit) };
  misfit m = { .calc = calc_nothing };
  ops.declare = declare_misfit;
  cdn_system *system = bare_system(true);
  cdn_system_add_subsystem(system, &ops, &m);
  ck_assert_int_ne(cdn_system_freeze(system), CDN_OK);
  cdn_system_release(system);
}
END_TEST

CHECK_MAIN("declarations", test_cycle_is_named, test_unknown_ticket_is_named, test_found_ticket_works,
           test_undeclared_read_is_named, test_evaluating_what_is_being_evaluated,
           test_failure_passes_through_and_heals, test_declare_may_refuse, test_z_without_rates_is_refused)
