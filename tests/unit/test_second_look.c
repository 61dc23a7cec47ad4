/* Pulses that fall between the stages of a step: a run that is shown there sees them, and goes back. Smooth motions
 * take the steps that they take without reports. */
#include "../testing.h"

/* ---- a mass that flies freely, and is pushed once ---------------------------------------------- */

typedef struct pulse {
  cdn_body body;
  double size, width, middle; /* size exp(-((t - middle) / width)^2) */
  bool declared, jumps;       /* known beforehand; a rectangle of 2 width */
} pulse;

static const double SPEED = 0.3, END = 10;

static cdn_status push(const void *self, cdn_state *state, cdn_forces *forces) {
  const pulse *p = self;
  const double x = (cdn_state_time(state) - p->middle) / p->width;
  cdn_forces_add_mobility(forces, p->body, 0, p->jumps ? (fabs(x) < 1 ? p->size : 0) : p->size * exp(-x * x));
  return CDN_OK;
}

/* Where the pulse begins, its middle, and where it ends. */
static double next_stop(const void *self, const cdn_state *state) {
  const pulse *p = self;
  const double t = cdn_state_time(state), reach = (p->jumps ? 1 : 6) * p->width;
  if (!p->declared) return INFINITY;
  for (int k = -2; k <= 2; k++)
    if (t < p->middle + 0.5 * k * reach) return p->middle + 0.5 * k * reach;
  return INFINITY;
}

static cdn_state *pushed(pulse p) {
  cdn_system *system = cdn_system_create(NULL);
  cdn_body_def def = cdn_default_body_def();
  def.mobilizer = CDN_SLIDER;
  def.name = "mass";
  def.mass.mass = 1;
  p.body = cdn_system_add_body(system, &def);
  cdn_force_ops ops = { .struct_size = sizeof ops, .reads = CDN_READS_POSITION, .calc_force = push };
  ops.subsystem.name = "pulse", ops.subsystem.self_size = sizeof p, ops.subsystem.next_stop = next_stop;
  cdn_system_add_custom_force(system, &ops, &p);
  OK_FREEZE(system);
  cdn_state *state;
  OK(cdn_state_create(system, &state));
  OK(cdn_state_set_u(state, &SPEED));
  cdn_system_release(system);
  return state;
}

/* In closed form. */
static void truth(const pulse *p, double t, double *q, double *u) {
  const double whole = p->size * p->width * sqrt(3.14159265358979323846) / 2, x = (t - p->middle) / p->width;
  const double square = fmin(fmax(x, -1), 1) + 1;
  *u = SPEED + (p->jumps ? p->size * p->width * square : whole * (erf(x) + 1));
  *q = SPEED * t;
  if (p->jumps) *q += p->size * p->width * p->width * (0.5 * square * square + 2 * fmax(x - 1, 0));
  else *q += whole * ((t - p->middle) * (erf(x) + 1) + p->width / sqrt(3.14159265358979323846) * exp(-x * x));
}

typedef struct outcome {
  cdn_certificate c;
  double error;
} outcome;

static double error_at(cdn_stepper *stepper, const pulse *p) {
  const cdn_state *state = cdn_stepper_state(stepper);
  double q, u;
  truth(p, cdn_state_time(state), &q, &u);
  return fmax(fabs(cdn_state_q(state)[0] - q), fabs(cdn_state_u(state)[0] - u) / fmax(1, fabs(u)));
}

/* Reports each 0.1 s, and at the time `look`. */
static outcome fly(pulse p, cdn_method method, double accuracy, int reports, double look) {
  outcome out = { .error = 0 };
  cdn_state *state = pushed(p);
  cdn_stepper_def def = cdn_default_stepper_def();
  def.method = method, def.accuracy = accuracy, def.final_time = END, def.companion = true;
  cdn_stepper *stepper;
  OK_ON(state, cdn_stepper_create(state, &def, &stepper));
  for (int k = 1; k <= reports; k++) {
    const double t = END * k / reports;
    if (look > t - END / reports && look < t) OK_STEP(stepper, cdn_stepper_advance(stepper, look, NULL));
    OK_STEP(stepper, cdn_stepper_advance(stepper, t, NULL));
    out.error = fmax(out.error, error_at(stepper, &p));
  }
  OK_STEP(stepper, cdn_stepper_certificate(stepper, &out.c));
  cdn_stepper_destroy(stepper);
  cdn_state_destroy(state);
  return out;
}

static bool takes_many_steps(cdn_method m) {
  return m == CDN_METHOD_EXPLICIT_EULER || m == CDN_METHOD_SEMI_EXPLICIT_EULER ||
         m == CDN_METHOD_SEMI_EXPLICIT_EULER_2 || m == CDN_METHOD_VERLET || m == CDN_METHOD_TRAPEZOID ||
         m == CDN_METHOD_IMPLICIT_CONTACT;
}

static void resolved_or_said(const pulse *p, cdn_method method, double accuracy, double look) {
  const outcome o = fly(*p, method, accuracy, 100, look);
  ck_assert_msg(o.error <= 10 * accuracy || o.c.delivered != CDN_VERDICT_DELIVERED,
                "%s at %.2g, width %.2g: error %.3g of it, and said to be delivered", cdn_method_name(method), accuracy,
                p->width, o.error / accuracy);
  if (method == CDN_METHOD_DEFAULT) AT_MOST(o.error, 10 * accuracy);
}

/* Under sanitizers without the tightest accuracies, which take most of the time. */
enum { LEFT_OUT = SANITIZED ? 3 : 0 };

/* Methods of error control: those before CDN_METHOD_MUJOCO_EULER, and the implicit contact step. */
enum { METHODS = CDN_METHOD_MUJOCO_EULER + 1 };
static cdn_method method_of(int i) {
  return i == CDN_METHOD_MUJOCO_EULER ? CDN_METHOD_IMPLICIT_CONTACT : (cdn_method)i;
}

START_TEST(a_pulse_at_a_report_is_resolved_or_said) {
  const cdn_method method = method_of(_i);
  static const double widths[] = { 1e-1, 1e-2, 1e-3, 1e-4 };
  if (!cdn_method_is_available(method)) return;
  for (int digits = 1; digits <= (takes_many_steps(method) ? 5 : 7) - LEFT_OUT; digits++) {
    for (int k = 0; k < 4; k++) {
      const pulse p = { .size = 0.5 / widths[k], .width = widths[k], .middle = 4.371 };
      /* in its front, at its top, and in its tail */
      for (int side = -1; side <= 1; side++)
        resolved_or_said(&p, method, 0.7 * pow(10, -digits), p.middle + 1.1 * side * p.width);
      /* where reports happen to be */
      if (k < 2) resolved_or_said(&p, method, 0.7 * pow(10, -digits), 0);
    }
  }
}
END_TEST

START_TEST(a_force_that_jumps_is_resolved_or_said) {
  const cdn_method method = method_of(_i);
  if (!cdn_method_is_available(method)) return;
  for (int digits = 1; digits <= (takes_many_steps(method) ? 4 : 6) - LEFT_OUT; digits++) {
    for (double width = 0.1; width > 5e-4; width *= 0.1) {
      const pulse p = { .size = 0.5 / width, .width = width, .middle = 4.371, .jumps = true };
      resolved_or_said(&p, method, 0.7 * pow(10, -digits), p.middle + 0.3 * width);
    }
  }
}
END_TEST

/* A force tells the times at which it changes: no report is needed. */
START_TEST(declared_times_are_ends_of_steps) {
  const cdn_method method = method_of(_i);
  if (!cdn_method_is_available(method)) return;
  for (double width = 0.1; width > 5e-5; width *= 0.1) {
    pulse p = { .size = 0.5 / width, .width = width, .middle = 4.371, .declared = true };
    const outcome o = fly(p, method, 1e-4, 1, 0);
    ck_assert_msg(o.error <= 1e-3 || o.c.delivered == CDN_VERDICT_NOT_DELIVERED, "%s, width %.2g: error %.3g",
                  cdn_method_name(method), width, o.error);
    p.jumps = true;
    AT_MOST(fly(p, method, 1e-4, 1, 0).error, 1e-3);
  }
}
END_TEST

/* ---- the companion's steps --------------------------------------------------------------------- */

typedef struct ends {
  int n;
  double t[256], longest;
} ends;

static cdn_status note_end(const void *self, cdn_state *state, const cdn_occurrence *what, cdn_action *action) {
  ends *e = what->user;
  (void)self, (void)state, (void)action;
  ck_assert_int_lt(e->n, 256);
  e->t[e->n++] = what->time;
  if (e->n > 1) e->longest = fmax(e->longest, what->time - e->t[e->n - 2]);
  return CDN_OK;
}

START_TEST(the_companion_takes_other_steps_in_free_flight) {
  const cdn_method method = method_of(_i);
  ends of_run = { 0 }, of_companion = { 0 };
  if (!cdn_method_is_available(method)) return;
  cdn_system *system = cdn_system_create(NULL);
  cdn_body_def body = cdn_default_body_def();
  body.mobilizer = CDN_SLIDER;
  body.mass.mass = 1;
  cdn_system_add_body(system, &body);
  /* a method of order 1 or 2 errs under gravity */
  if (!takes_many_steps(method)) cdn_system_add_gravity(system, NULL, cdn_v3(9.81, 0, 0));
  cdn_event_def event = cdn_default_event_def();
  event.name = "step", event.kind = CDN_EVENT_STEP, event.handle = note_end;
  cdn_system_add_event(system, &event);
  OK_FREEZE(system);
  cdn_state *state;
  OK(cdn_state_create(system, &state));
  OK(cdn_state_set_u(state, &SPEED));
  cdn_stepper_def def = cdn_default_stepper_def();
  def.method = method, def.companion = true, def.user = &of_run, def.companion_user = &of_companion;
  cdn_stepper *stepper;
  OK_ON(state, cdn_stepper_create(state, &def, &stepper));
  OK_STEP(stepper, cdn_stepper_advance(stepper, 1000, NULL));
  int same = 0;
  for (int i = 0; i < of_run.n; i++)
    for (int j = 0; j < of_companion.n; j++) same += fabs(of_run.t[i] - of_companion.t[j]) <= 1e-9 * of_run.t[i];
  ck_assert_msg(of_run.n > 2 && of_companion.n > 2 && same == 0,
                "%s: %d of %d ends of steps are those of the companion", cdn_method_name(method), same, of_run.n);
  cdn_stepper_destroy(stepper);
  cdn_state_destroy(state);
  cdn_system_release(system);
}
END_TEST

/* ---- smooth motions ---------------------------------------------------------------------------- */

typedef struct rods {
  cdn_mobilizer joint;
  int n;
  double stiffness, damping;
} rods;

static cdn_state *hang(const rods *r) {
  cdn_system *system = cdn_system_create(NULL);
  cdn_body_def def = cdn_default_body_def();
  def.mobilizer = r->joint;
  def.mass = (cdn_mass_properties){ .mass = 1, .com = { 0.1, -0.4, 0 }, .inertia = { 0.3, 0.2, 0.35, 0, 0, 0 } };
  def.X_PF.p = cdn_v3(0, -1, 0);
  for (int i = 0; i < r->n; i++) {
    cdn_body b = cdn_system_add_body(system, &def);
    if (r->joint == CDN_PIN && r->stiffness > 0) cdn_system_add_mobility_spring(system, NULL, b, 0, r->stiffness, 0);
    if (r->joint == CDN_PIN && r->damping > 0) cdn_system_add_mobility_damper(system, NULL, b, 0, r->damping);
    def.parent = b;
  }
  cdn_system_add_gravity(system, NULL, cdn_v3(0, -9.81, 0));
  OK_FREEZE(system);
  cdn_state *state;
  OK(cdn_state_create(system, &state));
  double u[16];
  for (int i = 0; i < cdn_system_nu(system); i++) u[i] = 1 + 0.3 * i;
  OK(cdn_state_set_u(state, u));
  cdn_system_release(system);
  return state;
}

static void swing(cdn_state *state, cdn_method method, double accuracy, int reports, int64_t *steps, double *q) {
  cdn_stepper_def def = cdn_default_stepper_def();
  def.method = method, def.accuracy = accuracy, def.final_time = 3;
  cdn_stepper *stepper;
  cdn_certificate c;
  OK_ON(state, cdn_stepper_create(state, &def, &stepper));
  for (int k = 1; k <= reports; k++) OK_STEP(stepper, cdn_stepper_advance(stepper, 3. * k / reports, NULL));
  OK_STEP(stepper, cdn_stepper_certificate(stepper, &c));
  *steps = c.steps + c.rejected;
  memcpy(q, cdn_state_q(cdn_stepper_state(stepper)), sizeof(double) * (size_t)cdn_system_nq(cdn_state_system(state)));
  cdn_stepper_destroy(stepper);
}

START_TEST(smooth_runs_take_their_own_steps) {
  static const rods motions[] = { { CDN_PIN, 1, 0, 0 },    { CDN_PIN, 2, 0, 0 },      { CDN_PIN, 5, 200, 0.5 },
                                  { CDN_PIN, 2, 0, 1000 }, { CDN_BALL, 2, 0, 0 },     { CDN_FREE, 1, 0, 0 },
                                  { CDN_SLIDER, 1, 0, 0 }, { CDN_UNIVERSAL, 2, 0, 0 } };
  const cdn_method method = method_of(_i);
  if (!cdn_method_is_available(method)) return;
  for (int m = 0; m < (int)(sizeof motions / sizeof *motions); m++) {
    cdn_state *state = hang(&motions[m]);
    const int nq = cdn_system_nq(cdn_state_system(state));
    const bool stiff = motions[m].damping > 100;
    /* at the limit of stability the rates of methods of order 1 jump to and fro: not a smooth run */
    for (int digits = 2; digits <= (takes_many_steps(method) ? (stiff ? 0 : 4) : stiff ? 5 : 9) - LEFT_OUT; digits++) {
      int64_t alone, shown;
      double q[2][32];
      swing(state, method, pow(10, -digits), 1, &alone, q[0]);
      swing(state, method, pow(10, -digits), 211, &shown, q[1]);
      ck_assert_msg(alone == shown && memcmp(q[0], q[1], sizeof(double) * (size_t)nq) == 0,
                    "%s, motion %d at 1e-%d: %d steps, and %d with reports", cdn_method_name(method), m, digits,
                    (int)alone, (int)shown);
    }
    cdn_state_destroy(state);
  }
}
END_TEST

static void add(TCase *tcase) {
  tcase_add_loop_test(tcase, a_pulse_at_a_report_is_resolved_or_said, 0, METHODS);
  tcase_add_loop_test(tcase, a_force_that_jumps_is_resolved_or_said, 0, METHODS);
  tcase_add_loop_test(tcase, declared_times_are_ends_of_steps, 0, METHODS);
  tcase_add_loop_test(tcase, the_companion_takes_other_steps_in_free_flight, 0, METHODS);
  tcase_add_loop_test(tcase, smooth_runs_take_their_own_steps, 0, METHODS);
}

CHECK_MAIN_OF("second look", 120, add)
