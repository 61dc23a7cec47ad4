/* cdn_deliver: what is said to be delivered is, in chaotic motion, over events, contact and closed loops, too; it is
 * never less than what a plain run delivers; and how it ends where something fails. */
#include "../robust/counting_allocator.h"
#include "run.h"

/* Under sanitizers everything takes ten times as long. */
#ifdef CDNI_SANITIZED
enum { APART = 5 };
#else
enum { APART = 1 };
#endif

/* ---- motions whose truth is known ---- */

typedef struct watcher {
  const true_motion *truth;
  cdn_state *scratch;
  double worst, kept, plain; /* errors: of the present attempt, of the one that is kept, of the first */
  cdn_certificate first;
  int64_t rows;
} watcher;

static cdn_status watch(void *context, cdn_stepper *stepper, int attempt, int64_t row) {
  watcher *w = context;
  if (row == 0) w->worst = 0, w->rows = 0;
  w->rows++;
  if (row == 0 || row > w->truth->n) return CDN_OK;
  const distance d = distance_of(cdn_stepper_state(stepper), w->truth->y[row - 1], w->scratch);
  w->worst = fmax(w->worst, distance_norm(&d));
  if (attempt == 0) w->plain = w->worst;
  return attempt == 0 ? cdn_stepper_certificate(stepper, &w->first) : CDN_OK;
}

static cdn_status take(void *context, int attempt) {
  watcher *w = context;
  (void)attempt;
  w->kept = w->worst;
  return CDN_OK;
}

typedef struct result {
  cdn_certificate certificate;
  cdn_delivery delivery;
  watcher seen;
  cdn_stepper *kept;
} result;

static void run_study(cdn_state *start, const true_motion *truth, double end, double accuracy, result *out) {
  cdn_stepper_def def = cdn_default_stepper_def();
  cdn_deliver_def how = cdn_default_deliver_def();
  memset(out, 0, sizeof *out);
  out->seen.truth = truth;
  OK(cdn_state_create(cdn_state_system(start), &out->seen.scratch));
  def.accuracy = accuracy, def.final_time = end;
  how.times = truth->t, how.n_times = truth->n;
  how.report = watch, how.keep = take, how.context = &out->seen;
  OK_ON(start, cdn_deliver(start, &def, &how, &out->kept, &out->certificate, &out->delivery));
  cdn_state_destroy(out->seen.scratch);
}

/* Nothing is claimed that is not true, and nothing is worse than the first attempt. */
static void check_claims(const char *name, double accuracy, const result *r) {
  const cdn_certificate *c = &r->certificate;
  const bool claims = c->delivered == CDN_VERDICT_DELIVERED;
  ck_assert(c->accuracy == accuracy);
  ck_assert_msg(!claims || r->seen.kept <= 10 * accuracy, "%s at %.3g: error %.3g of it", name, accuracy,
                r->seen.kept / accuracy);
  ck_assert_msg(claims == (r->delivery.reason == CDN_DELIVER_DONE), "%s at %.3g", name, accuracy);
  ck_assert_msg(claims == !r->delivery.message[0], "%s at %.3g: '%s'", name, accuracy, r->delivery.message);
  if (r->seen.first.delivered != CDN_VERDICT_DELIVERED) return;
  ck_assert_msg(claims && r->seen.kept <= fmax(r->seen.plain, accuracy), "%s at %.3g is worse", name, accuracy);
}

typedef struct tally {
  int claims, later, cheap;
} tally;

static void sweep(const char *name, double loosest, double tightest, double factor, tally *t) {
  const problem *p = find_problem(name);
  static true_motion truth;
  ck_assert_ptr_nonnull(p);
  find_truth(p, &truth);
  ck_assert(!truth.failed);
  cdn_state *start = p->start(p);
  for (double accuracy = loosest; accuracy >= fmax(tightest, 100 * truth.doubt); accuracy *= pow(factor, APART)) {
    result r;
    run_study(start, &truth, p->end, accuracy, &r);
    if (getenv("CARDAN_TEST_VERBOSE"))
      printf("%s at %.3g: error %.3g, estimate %.3g, %d attempts, %lld evaluations; %s\n", name, accuracy,
             r.seen.kept / accuracy, r.certificate.error_estimate / accuracy, r.delivery.attempts,
             (long long)r.delivery.evaluations, r.delivery.message);
    check_claims(name, accuracy, &r);
    const bool claims = r.certificate.delivered == CDN_VERDICT_DELIVERED, later = claims && r.delivery.attempts > 1;
    t->claims += claims;
    t->later += later;
    t->cheap += later && r.delivery.evaluations <= 4.1 * (double)r.seen.first.evaluations;
    cdn_stepper_destroy(r.kept);
  }
  cdn_state_destroy(start);
}

START_TEST(chaotic_motion) {
  static const char *const names[] = { "double-pendulum-12s", "double-pendulum-16s", "double-pendulum-20s",
                                       "double-pendulum-30s" };
  tally t = { 0 };
  for (int i = 0; i < 4; i++) sweep(names[i], 1e-1, 1e-8, 0.0113, &t);
  ck_assert_int_ge(t.claims, 3 / APART);
}
END_TEST

START_TEST(errors_that_grow_are_made_small) {
  tally t = { 0 };
  sweep("double-pendulum-5s", 3e-2, 1e-9, 0.037, &t);
  sweep("orbit", 1e-3, 1e-9, 0.037, &t);
  sweep("top-middle-5", 1e-3, 1e-9, 0.037, &t);
  sweep("spinning-pair", 1e-2, 1e-6, 0.037, &t);
  ck_assert_int_ge(t.later, 12 / APART);
  /* one more run is enough for most of them, and the companion of the first attempt certifies it */
  if (APART == 1) ck_assert_int_ge(2 * t.cheap, t.later);
}
END_TEST

START_TEST(stops_loops_and_events) {
  static const char *const names[] = { "stops",    "stops-hard", "a02-ladder-1", "a02-ladder-5",
                                       "bouncing", "ball-0.9",   "relay",        "pendulum-stop" };
  tally t = { 0 };
  for (int i = 0; i < 8; i++) sweep(names[i], 2e-2, 1e-10, 0.0137, &t);
  ck_assert_int_ge(t.claims, 28 / APART);
  ck_assert_int_ge(t.later, 3 / APART); /* most of these deliver at once */
}
END_TEST

/* ---- events and contact in motions that amplify errors ---- */

static cdn_status angle(const void *self, cdn_state *state, double *value) {
  *value = cdn_state_q(state)[1] - *(const double *)self;
  return CDN_OK;
}

static cdn_status turn_back(const void *self, cdn_state *state, const cdn_occurrence *what, cdn_action *action) {
  const double u = -0.9 * cdn_state_u(state)[1];
  (void)self, (void)what, (void)action;
  return cdn_state_set_slots(state, CDN_POOL_U, 1, 1, &u);
}

/* Two links that swing high; the elbow meets a wall. */
static cdn_state *swinging(cdn_allocator allocator, double wall) {
  cdn_system_def system_def = cdn_default_system_def();
  system_def.allocator = allocator;
  cdn_system *system = cdn_system_create(&system_def);
  if (!system) return NULL;
  cdn_body parent = cdn_ground();
  for (int i = 0; i < 2; i++) {
    cdn_body_def body = cdn_default_body_def();
    body.parent = parent, body.mobilizer = CDN_PIN, body.X_PF.p = cdn_v3(0, i ? -1 : 0, 0);
    body.mass = point_mass(1, cdn_v3(0, -1, 0));
    parent = cdn_system_add_body(system, &body);
  }
  cdn_system_add_gravity(system, "gravity", cdn_v3(0, -9.81, 0));
  if (wall > 0) {
    cdn_event_def event = cdn_default_event_def();
    event.name = "wall", event.value = angle, event.direction = CDN_RISING, event.handle = turn_back;
    event.self = &wall, event.self_size = sizeof wall;
    cdn_system_add_event(system, &event);
  }
  cdn_state *state = NULL;
  if (cdn_system_freeze(system) == CDN_OK && cdn_state_create(system, &state) == CDN_OK) {
    const double q[2] = { 2.5, 0.3 };
    if (cdn_state_set_q(state, q) != CDN_OK) cdn_state_destroy(state), state = NULL;
  }
  cdn_system_release(system);
  return state;
}

/* A ball of 0.1 m above two that lie at rest, a little off the middle, over a floor. */
static cdn_state *billiard(void) {
  cdn_system *system = cdn_system_create(NULL);
  cdn_body_def body = cdn_default_body_def();
  cdn_shape_def shape = cdn_default_shape_def();
  cdn_contact_material rubber = cdn_default_contact_material();
  rubber.modulus = 1e5;
  const double x[3] = { 0, 0.35, 0.06 }, y[3] = { 0.1, 0.12, 0.9 };
  shape.geometry.kind = CDN_GEOMETRY_HALF_SPACE;
  shape.X_BS.R = cdn_rotation_axis_angle(cdn_v3(1, 0, 0), -PI / 2);
  cdn_system_add_shape(system, &shape);
  body.mobilizer = CDN_PLANAR;
  body.mass = (cdn_mass_properties){ .mass = 1, .inertia = { 0.004, 0.004, 0.004, 0, 0, 0 } };
  for (int i = 0; i < 3; i++) {
    shape = cdn_default_shape_def();
    shape.body = cdn_system_add_body(system, &body);
    shape.material = &rubber;
    shape.geometry.kind = CDN_GEOMETRY_SPHERE, shape.geometry.size[0] = 0.1;
    cdn_system_add_shape(system, &shape);
  }
  cdn_contact_def contact = cdn_default_contact_def();
  cdn_system_set_contact(system, &contact);
  cdn_system_add_gravity(system, "gravity", cdn_v3(0, -9.81, 0));
  OK_FREEZE(system);
  cdn_state *state;
  OK(cdn_state_create(system, &state));
  double q[9];
  for (int i = 0; i < 3; i++) q[3 * i] = 0, q[3 * i + 1] = x[i], q[3 * i + 2] = y[i];
  OK_ON(state, cdn_state_set_q(state, q));
  cdn_system_release(system);
  return state;
}

/* The truth by two runs of different methods. */
static double find_motion(cdn_state *start, double end, true_motion *out) {
  static double other[REPORTS][TRUTH_MOST];
  const cdn_method methods[2] = { CDN_METHOD_DORMAND_PRINCE_8, CDN_METHOD_DEFAULT };
  const int nq = cdn_system_nq(cdn_state_system(start)), nu = cdn_system_nu(cdn_state_system(start));
  double apart = 0;
  out->n = REPORTS;
  for (int m = 0; m < 2; m++) {
    cdn_stepper_def def = cdn_default_stepper_def();
    cdn_stepper *stepper;
    def.method = methods[m], def.accuracy = m ? 1e-11 : 1e-12, def.final_time = end;
    OK_ON(start, cdn_stepper_create(start, &def, &stepper));
    for (int i = 0; i < REPORTS; i++) {
      double *y = m ? other[i] : out->y[i];
      out->t[i] = end * (i + 1) / REPORTS;
      OK_STEP(stepper, cdn_stepper_advance(stepper, out->t[i], NULL));
      memcpy(y, cdn_state_q(cdn_stepper_state(stepper)), sizeof *y * (size_t)nq);
      memcpy(y + nq, cdn_state_u(cdn_stepper_state(stepper)), sizeof *y * (size_t)nu);
      for (int k = 0; m && k < nq; k++) apart = fmax(apart, fabs(y[k] - out->y[i][k]));
    }
    cdn_stepper_destroy(stepper);
  }
  return apart;
}

static void events_and_contact(const char *name, cdn_state *start, double end, bool at_events) {
  static true_motion truth;
  const double doubt = find_motion(start, end, &truth);
  AT_MOST(doubt, 1e-7);
  int later = 0;
  for (double accuracy = 3e-2; accuracy > fmax(1e-7, 100 * doubt); accuracy *= pow(0.07, fmin(2, APART))) {
    result r;
    run_study(start, &truth, end, accuracy, &r);
    /* a report between the times at which two runs have an event is no fair comparison */
    if (!at_events) check_claims(name, accuracy, &r);
    ck_assert_int_eq(r.seen.rows, REPORTS + 1);
    if (r.certificate.delivered == CDN_VERDICT_DELIVERED) {
      const double *q = cdn_state_q(cdn_stepper_state(r.kept));
      for (int k = 0; k < cdn_system_nq(cdn_state_system(start)); k++)
        NEAR(q[k], truth.y[REPORTS - 1][k], 20 * accuracy);
    }
    if (r.delivery.attempts > 1) {
      later++;
      /* only a companion knows what happens between reports */
      ck_assert_ptr_nonnull(cdn_stepper_companion(r.kept));
    }
    cdn_stepper_destroy(r.kept);
  }
  /* runs with contact, which expect impacts, deliver at once as a rule */
  if (at_events) ck_assert_int_ge(later, 1);
  cdn_state_destroy(start);
}

START_TEST(a_companion_confirms_events_and_touches) {
  events_and_contact("wall", swinging((cdn_allocator){ 0 }, 1.5), 5, true);
  events_and_contact("billiard", billiard(), 0.8, false);
}
END_TEST

/* ---- how it is called ---- */

/* Up to there errors of the two links grow some hundredfold. */
enum { END = 5 };

static cdn_stepper_def to(double end, double accuracy) {
  cdn_stepper_def def = cdn_default_stepper_def();
  def.final_time = end, def.accuracy = accuracy;
  return def;
}

START_TEST(it_takes_ten_lines) {
  cdn_state *start = swinging((cdn_allocator){ 0 }, 0);
  cdn_stepper_def def = to(4, 1e-5);
  cdn_stepper *kept;
  cdn_certificate c;
  cdn_delivery d;
  OK_ON(start, cdn_deliver(start, &def, NULL, &kept, &c, &d));
  ck_assert_int_eq(c.delivered, CDN_VERDICT_DELIVERED);
  AT_MOST(c.error_estimate, 2e-5);
  ck_assert(c.accuracy == 1e-5 && c.step_accuracy == d.accuracy && d.accuracy < 1e-6);
  ck_assert_int_eq(d.reason, CDN_DELIVER_DONE);
  ck_assert_int_eq(d.attempts, 2);
  ck_assert_int_eq(d.kept, 1);
  ck_assert_int_eq(d.runs, 3);
  ck_assert(cdn_state_time(cdn_stepper_state(kept)) == 4);
  /* the State that it started from is as it was */
  ck_assert(cdn_state_time(start) == 0 && cdn_state_q(start)[0] == 2.5);
  cdn_stepper_destroy(kept);
  OK_ON(start, cdn_deliver(start, &def, NULL, NULL, NULL, NULL));
  cdn_state_destroy(start);
}
END_TEST

/* Steps may be more accurate than what the verdict is about; a checkpoint keeps both. */
START_TEST(the_verdict_is_about_what_was_asked) {
  cdn_state *start = swinging((cdn_allocator){ 0 }, 0), *again;
  cdn_stepper_def def = to(END, 1e-6);
  cdn_certificate c, loaded;
  cdn_stepper *runs[2];
  cdn_buffer bytes = { 0 };
  def.companion = true;
  OK(cdn_state_create(cdn_state_system(start), &again));
  for (int i = 0; i < 2; i++) {
    def.asked_accuracy = i ? 1e-4 : 0;
    OK_ON(start, cdn_stepper_create(start, &def, &runs[i]));
    OK_STEP(runs[i], cdn_stepper_advance(runs[i], 4.5, NULL));
    if (i) {
      OK_STEP(runs[i], cdn_stepper_save(runs[i], cdn_buffer_write, &bytes));
      cdn_stepper_destroy(runs[i]);
      OK_ON(again, cdn_stepper_load(again, NULL, NULL, cdn_buffer_read, &bytes, &runs[i]));
    }
    OK_STEP(runs[i], cdn_stepper_advance(runs[i], END, NULL));
  }
  OK(cdn_stepper_certificate(runs[0], &c));
  OK(cdn_stepper_certificate(runs[1], &loaded));
  ck_assert_int_eq(c.delivered, CDN_VERDICT_NOT_DELIVERED);
  ck_assert_int_eq(loaded.delivered, CDN_VERDICT_DELIVERED);
  ck_assert(c.accuracy == 1e-6 && loaded.accuracy == 1e-4 && loaded.step_accuracy == 1e-6);
  ck_assert(c.error_estimate == loaded.error_estimate && loaded.delivered_until == END);
  def.asked_accuracy = 2;
  cdn_stepper_destroy(runs[0]), cdn_stepper_destroy(runs[1]);
  FAILS(cdn_stepper_create(start, &def, &runs[0]), CDN_ERR_ARG);
  cdn_buffer_free(&bytes);
  cdn_state_destroy(again), cdn_state_destroy(start);
}
END_TEST

START_TEST(wrong_arguments_are_refused) {
  cdn_state *start = swinging((cdn_allocator){ 0 }, 0);
  static const double late[] = { 1, 4, 8 }, falling[] = { 2, 1 };
  const cdn_stepper_def good = to(END, 1e-4);
  cdn_stepper_def def = good;
  cdn_deliver_def how = cdn_default_deliver_def();
  cdn_stepper *kept = (void *)start;
  FAILS(cdn_deliver(NULL, &def, NULL, &kept, NULL, NULL), CDN_ERR_ARG);
  ck_assert_ptr_null(kept);
  FAILS(cdn_deliver(start, NULL, NULL, NULL, NULL, NULL), CDN_ERR_ARG);
  def.final_time = INFINITY;
  FAILS(cdn_deliver(start, &def, NULL, NULL, NULL, NULL), CDN_ERR_ARG);
  def.final_time = 0;
  FAILS(cdn_deliver(start, &def, NULL, NULL, NULL, NULL), CDN_ERR_ARG);
  def = good, def.fixed_step = 0.1;
  FAILS(cdn_deliver(start, &def, NULL, NULL, NULL, NULL), CDN_ERR_ARG);
  def = good, def.accuracy = 2;
  FAILS(cdn_deliver(start, &def, NULL, NULL, NULL, NULL), CDN_ERR_ARG);
  def.struct_size = 0;
  FAILS(cdn_deliver(start, &def, NULL, NULL, NULL, NULL), CDN_ERR_VERSION);
  struct {
    double interval;
    const double *times;
    int n, most;
  } wrong[] = { { -1, NULL, 0, 7 },     { NAN, NULL, 0, 7 }, { INFINITY, NULL, 0, 7 },
                { 1e-300, NULL, 0, 7 }, { 0, late, 3, 7 },   { 0, falling, 2, 7 },
                { 0, late, -1, 7 },     { 0, NULL, 1, 7 },   { 0, NULL, 0, 0 } };
  for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
    how = cdn_default_deliver_def();
    how.interval = wrong[i].interval, how.times = wrong[i].times, how.n_times = wrong[i].n,
    how.most_attempts = wrong[i].most;
    FAILS(cdn_deliver(start, &good, &how, NULL, NULL, NULL), CDN_ERR_ARG);
  }
  how = cdn_default_deliver_def(), how.struct_size = 3;
  FAILS(cdn_deliver(start, &good, &how, NULL, NULL, NULL), CDN_ERR_VERSION);
  cdn_state_destroy(start);
}
END_TEST

/* ---- the caller's functions ---- */

typedef struct caller {
  cdn_status report, keep, pause; /* to return */
  int from;                       /* attempt from which on */
  int64_t rows, pauses;
  int begun, kept;
  double times[16];
} caller;

static cdn_status note(void *context, cdn_stepper *stepper, int attempt, int64_t row) {
  caller *c = context;
  if (row == 0) {
    ck_assert_int_eq(attempt, c->begun++);
    c->rows = 0;
  }
  ck_assert_int_eq(row, c->rows++);
  if (row < 16) c->times[row] = cdn_state_time(cdn_stepper_state(stepper));
  return attempt >= c->from && row > 1 ? c->report : CDN_OK;
}

static cdn_status note_keep(void *context, int attempt) {
  caller *c = context;
  c->kept = attempt;
  return attempt >= c->from ? c->keep : CDN_OK;
}

static cdn_status note_pause(void *context, cdn_stepper *stepper, int attempt) {
  caller *c = context;
  ck_assert_ptr_nonnull(stepper);
  c->pauses++;
  return attempt >= c->from ? c->pause : CDN_OK;
}

static cdn_deliver_def calls_of(caller *c) {
  cdn_deliver_def how = cdn_default_deliver_def();
  how.report = note, how.keep = note_keep, how.pause = note_pause, how.context = c;
  return how;
}

START_TEST(statuses_of_callers_pass_through) {
  const caller callers[] = { { .report = CDN_ERR_FILE },    { .report = CDN_ERR_FILE, .from = 1 },
                             { .keep = CDN_ERR_PARSE },     { .keep = CDN_ERR_PARSE, .from = 1 },
                             { .pause = CDN_ERR_CALLBACK }, { .pause = CDN_ERR_CALLBACK, .from = 1 } };
  cdn_state *start = swinging((cdn_allocator){ 0 }, 0);
  cdn_stepper_def def = to(END, 1e-5);
  cdn_error error;
  def.max_steps = 3;
  for (int i = 0; i < 6; i++) {
    caller c = callers[i];
    const cdn_deliver_def how = calls_of(&c);
    const cdn_status expected = i < 2 ? CDN_ERR_FILE : i < 4 ? CDN_ERR_PARSE : CDN_ERR_CALLBACK;
    cdn_stepper *kept;
    cdn_delivery d;
    FAILS(cdn_deliver(start, &def, &how, &kept, NULL, &d), expected);
    cdn_state_last_error(start, &error);
    ck_assert_msg(strstr(error.text, i < 2 ? "`report`" : i < 4 ? "`keep`" : "`pause`"), "%s", error.text);
    ck_assert_int_eq(d.attempts, c.from + 1);
    cdn_stepper_destroy(kept);
  }
  cdn_state_destroy(start);
}
END_TEST

START_TEST(reports_are_where_they_were_asked_for) {
  static const double times[] = { 0.5, 0.5, 1.25 };
  cdn_state *start = swinging((cdn_allocator){ 0 }, 0);
  const cdn_stepper_def def = to(2, 1e-5);
  caller c = { .from = 99 };
  cdn_deliver_def how = calls_of(&c);
  how.interval = 0.3;
  OK_ON(start, cdn_deliver(start, &def, &how, NULL, NULL, NULL));
  ck_assert_int_eq(c.rows, 8);
  for (int i = 0; i < 8; i++) NEAR(c.times[i], fmin(0.3 * i, 2), 1e-15);
  ck_assert_int_eq(c.pauses, 0);
  c = (caller){ .from = 99 };
  how.times = times, how.n_times = 3;
  OK_ON(start, cdn_deliver(start, &def, &how, NULL, NULL, NULL));
  ck_assert_int_eq(c.rows, 5);
  for (int i = 1; i < 4; i++) ck_assert(c.times[i] == times[i - 1]);
  ck_assert(c.times[4] == 2);
  cdn_state_destroy(start);
}
END_TEST

/* ---- what may go wrong on the way ---- */

static cdn_status stop(const void *self, cdn_state *state, const cdn_occurrence *what, cdn_action *action) {
  (void)self, (void)state, (void)what;
  *action = CDN_STOP;
  return CDN_OK;
}

static int failing; /* the attempt from which on the force fails */
static int attempts_begun;

static cdn_status fail_late(const void *self, cdn_state *state, cdn_forces *forces) {
  (void)self, (void)forces;
  return attempts_begun > failing && cdn_state_time(state) > 1.5 ? CDN_ERR_CALLBACK : CDN_OK;
}

static cdn_status count_begun(void *context, cdn_stepper *stepper, int attempt, int64_t row) {
  (void)context, (void)stepper, (void)row;
  attempts_begun = attempt + 1;
  return CDN_OK;
}

static cdn_state *failing_or_stopping(bool stops) {
  cdn_system *system = cdn_system_create(NULL);
  cdn_body parent = cdn_ground();
  for (int i = 0; i < 2; i++) {
    cdn_body_def body = cdn_default_body_def();
    body.parent = parent, body.mobilizer = CDN_PIN, body.X_PF.p = cdn_v3(0, i ? -1 : 0, 0);
    body.mass = point_mass(1, cdn_v3(0, -1, 0));
    parent = cdn_system_add_body(system, &body);
  }
  cdn_system_add_gravity(system, "gravity", cdn_v3(0, -9.81, 0));
  static const double wall = 1.5;
  cdn_event_def event = cdn_default_event_def();
  event.value = angle, event.handle = stop, event.self = &wall;
  cdn_force_ops force = { .struct_size = sizeof force, .reads = CDN_READS_EVERYTHING, .calc_force = fail_late };
  if (stops) cdn_system_add_event(system, &event);
  else cdn_system_add_custom_force(system, &force, NULL);
  OK_FREEZE(system);
  cdn_state *state;
  OK(cdn_state_create(system, &state));
  OK_ON(state, cdn_state_set_q(state, (double[]){ 2.5, 0.3 }));
  cdn_system_release(system);
  return state;
}

/* The force fails in the attempt `from` and in all later ones. */
static cdn_stepper *deliver_failing(int from, cdn_status expected, cdn_certificate *c, cdn_delivery *d) {
  cdn_state *start = failing_or_stopping(false);
  const cdn_stepper_def def = to(END, 1e-5);
  cdn_deliver_def how = cdn_default_deliver_def();
  cdn_stepper *kept;
  how.report = count_begun;
  failing = from;
  ck_assert_int_eq(cdn_deliver(start, &def, &how, &kept, c, d), expected);
  cdn_state_destroy(start);
  return kept;
}

START_TEST(a_first_attempt_that_fails_fails) {
  cdn_certificate c;
  cdn_failure failure;
  cdn_stepper *kept = deliver_failing(0, CDN_ERR_CALLBACK, &c, NULL);
  cdn_stepper_failure(kept, &failure);
  ck_assert_int_eq(failure.error.code, CDN_ERR_CALLBACK);
  AT_MOST(failure.time, 1.5);
  ck_assert_str_ne(c.failure_message, "");
  ck_assert_int_ne(c.delivered, CDN_VERDICT_DELIVERED);
  cdn_stepper_destroy(kept);
}
END_TEST

START_TEST(a_tighter_attempt_that_fails_is_not_kept) {
  cdn_certificate c;
  cdn_delivery d;
  cdn_stepper *kept = deliver_failing(1, CDN_OK, &c, &d);
  ck_assert_int_eq(c.delivered, CDN_VERDICT_NOT_DELIVERED);
  ck_assert_int_eq(d.reason, CDN_DELIVER_FAILED);
  ck_assert_int_eq(d.kept, 0);
  ck_assert_msg(strstr(d.message, "a more accurate run, at"), "%s", d.message);
  ck_assert(cdn_state_time(cdn_stepper_state(kept)) == END);
  cdn_stepper_destroy(kept);
}
END_TEST

START_TEST(a_handler_may_stop_the_run) {
  cdn_state *start = failing_or_stopping(true);
  const cdn_stepper_def def = to(END, 1e-5);
  caller c = { .from = 99 };
  const cdn_deliver_def how = calls_of(&c);
  cdn_stepper *kept;
  cdn_certificate certificate;
  OK_ON(start, cdn_deliver(start, &def, &how, &kept, &certificate, NULL));
  ck_assert(cdn_stepper_is_stopped(kept));
  ck_assert_int_eq(certificate.delivered, CDN_VERDICT_DELIVERED);
  const double t = cdn_state_time(cdn_stepper_state(kept));
  ck_assert(t > 0.1 && t < END - 0.1);
  ck_assert_int_eq(c.rows, (int64_t)ceil(t * 100 / END) + 1);
  cdn_stepper_destroy(kept);
  cdn_state_destroy(start);
}
END_TEST

START_TEST(it_tells_what_it_cannot_do) {
  cdn_state *start = swinging((cdn_allocator){ 0 }, 0);
  cdn_stepper_def def = to(60, 1e-6);
  cdn_deliver_def how = cdn_default_deliver_def();
  cdn_certificate c;
  cdn_delivery d;
  OK_ON(start, cdn_deliver(start, &def, NULL, NULL, &c, &d));
  ck_assert_int_eq(d.reason, CDN_DELIVER_CHAOS);
  ck_assert_msg(strstr(d.message, "those of rounding"), "%s", d.message);
  ck_assert_int_eq(c.delivered, CDN_VERDICT_NOT_DELIVERED);
  ck_assert(c.delivered_until > 5 && c.delivered_until < 60);
  ck_assert(cdn_certificate_suggestion(&c) == 0);
  def.final_time = 8, def.accuracy = 3e-4, how.most_attempts = 1;
  OK_ON(start, cdn_deliver(start, &def, &how, NULL, &c, &d));
  ck_assert_int_eq(d.attempts, 1);
  ck_assert_int_ne(d.reason, CDN_DELIVER_DONE);
  cdn_state_destroy(start);
}
END_TEST

/* At every tenth call of the allocator, and then at every later one. */
START_TEST(memory_may_run_out) {
  int64_t calls = 1;
  int failed = 0;
  for (int64_t at = 0; at < calls; at += at ? 10 * APART : 1) {
    counting_allocator a = { .fail_at = at, .fail_after = at % 20 == 1 };
    cdn_state *start = swinging(allocator_of(&a), at % 3 ? 1.5 : 0);
    const cdn_stepper_def def = to(END, 1e-5);
    cdn_stepper *kept = NULL;
    const cdn_status status = start ? cdn_deliver(start, &def, NULL, &kept, NULL, NULL) : CDN_ERR_NOMEM;
    ck_assert_msg(status == CDN_OK || status == CDN_ERR_NOMEM, "%s", cdn_status_name(status));
    failed += status == CDN_ERR_NOMEM;
    cdn_stepper_destroy(kept);
    cdn_state_destroy(start);
    if (at == 0) calls = a.calls;
    ck_assert_int_eq(a.outstanding, 0);
    ck_assert_int_eq(a.misuse, 0);
  }
  ck_assert_int_ge(failed, 5 / APART);
}
END_TEST

CHECK_MAIN("deliver", chaotic_motion, errors_that_grow_are_made_small, stops_loops_and_events,
           a_companion_confirms_events_and_touches, it_takes_ten_lines, the_verdict_is_about_what_was_asked,
           wrong_arguments_are_refused, statuses_of_callers_pass_through, reports_are_where_they_were_asked_for,
           a_first_attempt_that_fails_fails, a_tighter_attempt_that_fails_is_not_kept, a_handler_may_stop_the_run,
           it_tells_what_it_cannot_do, memory_may_run_out)
