/* Runs in which events switch constraints: many others that are declared and off change no bit of them, and neither do
 * checkpoints in between. */
#include "../testing.h"

enum { LINKS = 4 };

typedef struct rig {
  cdn_body link[LINKS];
  cdn_constraint rod[3];
} rig;

/* The station of the link that a rod holds. */
static const cdn_vec3 tip = { 0.5, 0, 0 };

static cdn_vec3 anchor_of(int rod) { return cdn_v3(rod - 1, 0.4, 0.3); }

/* One rod lets go, and another one holds where the chain is, as far as it is. */
static cdn_status swap(const void *self, cdn_state *state, const cdn_occurrence *what, cdn_action *action) {
  const rig *x = self;
  const int takes = (int)(what->count % 3), holder = LINKS - 1 - takes;
  cdn_vec3 place;
  (void)action;
  cdn_status status = cdn_body_station(state, x->link[holder], tip, &place, NULL);
  const double length = cdn_norm(cdn_sub(place, anchor_of(takes)));
  if (status == CDN_OK) status = cdn_rod_set(state, x->rod[takes], anchor_of(takes), tip, length);
  for (int i = 0; i < 3 && status == CDN_OK; i++)
    status = cdn_constraint_set_enabled(state, x->rod[i], i == takes || (what->count % 5 == 4 && i == (takes + 1) % 3));
  /* so does a second one that is on */
  for (int i = 0; i < 3 && status == CDN_OK; i++) {
    if (i == takes || !cdn_constraint_is_enabled(state, x->rod[i])) continue;
    status = cdn_body_station(state, x->link[LINKS - 1 - i], tip, &place, NULL);
    if (status == CDN_OK)
      status = cdn_rod_set(state, x->rod[i], anchor_of(i), tip, cdn_norm(cdn_sub(place, anchor_of(i))));
  }
  return status == CDN_OK ? cdn_project_u(state, NULL, NULL) : status;
}

/* `others` rods are declared among those that take part, and never on. */
static cdn_state *make(rig *x, int others) {
  cdn_system *s = cdn_system_create(NULL);
  cdn_body_def body = cdn_default_body_def();
  body.mobilizer = CDN_BALL;
  body.mass =
      (cdn_mass_properties){ .mass = 1, .com = { 0.25, 0, 0 }, .inertia = { .xx = 0.02, .yy = 0.1, .zz = 0.1 } };
  for (int i = 0; i < LINKS; i++) {
    body.parent = i ? x->link[i - 1] : cdn_ground();
    body.X_PF.p = i ? tip : cdn_v3(0, 0, 0);
    x->link[i] = cdn_system_add_body(s, &body);
  }
  for (int i = 0; i < 3; i++) {
    for (int k = 0; k < others; k++)
      cdn_system_disable_constraint(
          s, cdn_system_constrain_rod(s, NULL, x->link[k % LINKS], cdn_v3(0, 0, 0.1), cdn_ground(), anchor_of(i), 1));
    x->rod[i] = cdn_system_constrain_rod(s, NULL, cdn_ground(), anchor_of(i), x->link[LINKS - 1 - i], tip, 1);
    cdn_system_disable_constraint(s, x->rod[i]);
  }
  cdn_system_add_gravity(s, "gravity", cdn_v3(0.3, -9.81, 0.2));
  cdn_event_def event = cdn_default_event_def();
  event.kind = CDN_EVENT_PERIODIC;
  event.period = 0.13, event.phase = 0.05;
  event.handle = swap;
  event.self = x, event.self_size = sizeof *x;
  cdn_system_add_event(s, &event);
  cdn_state *state;
  OK_FREEZE(s);
  OK(cdn_state_create(s, &state));
  cdn_system_release(s);
  return state;
}

static cdn_stepper *start(cdn_state *state, cdn_method method) {
  cdn_stepper_def def = cdn_default_stepper_def();
  def.accuracy = 1e-5;
  def.method = method;
  def.final_time = 2;
  cdn_stepper *stepper;
  OK_ON(state, cdn_stepper_create(state, &def, &stepper));
  return stepper;
}

static void same(const rig *x, const rig *y, cdn_stepper *a, cdn_stepper *b) {
  cdn_state *s = cdn_stepper_state(a), *t = cdn_stepper_state(b);
  const cdn_system *system = cdn_state_system(s), *other = cdn_state_system(t);
  cdn_certificate c, d;
  ck_assert(cdn_state_time(s) == cdn_state_time(t));
  ck_assert_mem_eq(cdn_state_q(s), cdn_state_q(t), (size_t)cdn_system_nq(system) * sizeof(double));
  ck_assert_mem_eq(cdn_state_u(s), cdn_state_u(t), (size_t)cdn_system_nu(system) * sizeof(double));
  ck_assert_mem_eq(cdn_state_udot(s), cdn_state_udot(t), (size_t)cdn_system_nu(system) * sizeof(double));
  for (int i = 0; i < 3; i++) {
    ck_assert(cdn_constraint_is_enabled(s, x->rod[i]) == cdn_constraint_is_enabled(t, y->rod[i]));
    const int row = cdn_constraint_get_equations(system, x->rod[i]).row;
    const int other_row = cdn_constraint_get_equations(other, y->rod[i]).row;
    ck_assert(cdn_state_multipliers(s)[row] == cdn_state_multipliers(t)[other_row]);
  }
  OK_STEP(a, cdn_stepper_certificate(a, &c));
  OK_STEP(b, cdn_stepper_certificate(b, &d));
  ck_assert(c.steps == d.steps && c.evaluations == d.evaluations && c.energy_residual == d.energy_residual);
  AT_MOST(c.max_constraint_error, 1e-5);
}

static void run_beside(cdn_method method) {
  rig x, y;
  cdn_state *few = make(&x, 0), *many = make(&y, 60);
  cdn_stepper *a = start(few, method), *b = start(many, method);
  for (int i = 1; i <= 20; i++) {
    OK_STEP(a, cdn_stepper_advance(a, 0.1 * i, NULL));
    OK_STEP(b, cdn_stepper_advance(b, 0.1 * i, NULL));
    same(&x, &y, a, b);
  }
  cdn_stepper_destroy(a);
  cdn_stepper_destroy(b);
  cdn_state_destroy(few);
  cdn_state_destroy(many);
}

START_TEST(test_what_is_never_on_changes_no_bit_of_a_run) {
  run_beside(CDN_METHOD_DEFAULT);
  run_beside(CDN_METHOD_MERSON);
  run_beside(CDN_METHOD_ADAMS);
}
END_TEST

/* Saved, thrown away and loaded after every stretch. */
static void run_resumed(cdn_method method) {
  rig x;
  cdn_state *state = make(&x, 7);
  cdn_stepper *a = start(state, method), *b = start(state, method);
  for (int i = 1; i <= 40; i++) {
    OK_STEP(a, cdn_stepper_advance(a, 0.05 * i, NULL));
    OK_STEP(b, cdn_stepper_advance(b, 0.05 * i, NULL));
    same(&x, &x, a, b);
    cdn_buffer bytes = { 0 };
    OK_STEP(b, cdn_stepper_save(b, cdn_buffer_write, &bytes));
    cdn_stepper_destroy(b);
    OK_ON(state, cdn_stepper_load(state, NULL, NULL, cdn_buffer_read, &bytes, &b));
    cdn_buffer_free(&bytes);
  }
  cdn_stepper_destroy(a);
  cdn_stepper_destroy(b);
  cdn_state_destroy(state);
}

START_TEST(test_runs_with_switches_go_on_from_checkpoints) {
  run_resumed(CDN_METHOD_DEFAULT);
  run_resumed(CDN_METHOD_ADAMS);
}
END_TEST

/* What was computed with a plan is not in a checkpoint of a State, and is computed again. */
START_TEST(test_a_state_that_was_evaluated_is_loaded_with_its_set) {
  rig x;
  cdn_state *state = make(&x, 3), *loaded;
  cdn_buffer bytes = { 0 };
  OK_ON(state, cdn_constraint_set_enabled(state, x.rod[1], true));
  OK_ON(state, cdn_realize(state, CDN_STAGE_ACCELERATION));
  OK_ON(state, cdn_state_save(state, cdn_buffer_write, &bytes));
  OK(cdn_state_create(cdn_state_system(state), &loaded));
  OK_ON(loaded, cdn_state_load(loaded, cdn_buffer_read, &bytes));
  const cdn_system *s = cdn_state_system(state);
  const size_t nu = (size_t)cdn_system_nu(s), m = (size_t)cdn_system_nudoterr(s);
  double *f = calloc(3 * nu + 2 * m, sizeof *f), *x1 = f + nu, *x2 = x1 + nu, *l1 = x2 + nu, *l2 = l1 + m;
  for (size_t k = 0; k < nu; k++) f[k] = 1 + 0.1 * (double)k;
  OK_ON(loaded, cdn_solve_constrained(loaded, f, NULL, x2, l2));
  OK_ON(state, cdn_solve_constrained(state, f, NULL, x1, l1));
  ck_assert_mem_eq(x1, x2, nu * sizeof *f);
  ck_assert_mem_eq(l1, l2, m * sizeof *f);
  free(f);
  cdn_buffer_free(&bytes);
  cdn_state_destroy(state);
  cdn_state_destroy(loaded);
}
END_TEST

CHECK_MAIN("unit/constraint_switches", test_what_is_never_on_changes_no_bit_of_a_run,
           test_runs_with_switches_go_on_from_checkpoints, test_a_state_that_was_evaluated_is_loaded_with_its_set)
