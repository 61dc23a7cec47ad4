/* The integration methods: their coefficients, their orders by fixed steps, dense output, energies, stiffness. */
#include "../robust/counting_allocator.h"
#include "integrators/explicit_rk.h"
#include "ode.h"

/* ---- coefficients against the order conditions of rooted trees ----------------------------------- */

/* A tree of n vertices by its level sequence: level[0] = 0, each next at most one deeper than the one before. */
enum { MOST_VERTICES = 8, RATES = CDNI_RK_RATES };

/* A method's rates with what each is evaluated from: the stages, the one at the end, the extra ones. */
typedef struct whole {
  int n;
  double c[RATES], a[RATES][RATES];
} whole;

static whole whole_of(const cdni_rk_tableau *rk) {
  whole w = { .n = rk->stages + 1 + rk->extra };
  const double *a = rk->a;
  for (int i = 1; i < rk->stages; i++) {
    for (int j = 0; j < i; j++) w.a[i][j] = *a++;
  }
  for (int j = 0; j < rk->stages; j++) w.a[rk->stages][j] = rk->b[j];
  a = rk->extra_a;
  for (int i = rk->stages + 1; i < w.n; i++) {
    for (int j = 0; j < i; j++) w.a[i][j] = *a++;
  }
  for (int i = 0; i < rk->stages; i++) w.c[i] = rk->c[i];
  w.c[rk->stages] = 1;
  for (int i = 0; i < rk->extra; i++) w.c[rk->stages + 1 + i] = rk->extra_c[i];
  return w;
}

/* The elementary weights of the subtree at `root` on every rate, and the product of subtree sizes, gamma. */
static void weights_of_tree(const whole *w, const int *level, int n, int root, long double *phi, double *gamma) {
  int end = root + 1;
  while (end < n && level[end] > level[root]) end++;
  *gamma = end - root;
  for (int i = 0; i < w->n; i++) phi[i] = 1;
  for (int child = root + 1; child < end; child++) {
    long double below[RATES];
    double factor;
    if (level[child] != level[root] + 1) continue;
    weights_of_tree(w, level, n, child, below, &factor);
    *gamma *= factor;
    for (int i = 0; i < w->n; i++) {
      long double sum = 0;
      for (int j = 0; j < i; j++) sum += (long double)w->a[i][j] * below[j];
      phi[i] *= sum;
    }
  }
}

/* The largest |b . Phi(t) - theta^n / gamma(t)| over all trees of n vertices (some come in several orders; no
 * matter). */
static double worst_of_order(const whole *w, const double *b, int rates, int n, double theta) {
  int level[MOST_VERTICES] = { 0 };
  double worst = 0;
  for (int i = 1; i < n; i++) level[i] = 1;
  for (;;) {
    long double phi[RATES], sum = 0;
    double gamma;
    weights_of_tree(w, level, n, 0, phi, &gamma);
    for (int i = 0; i < rates; i++) sum += b[i] * phi[i];
    worst = fmax(worst, fabs((double)(sum - powl(theta, n) / gamma)));
    /* the next sequence: like an odometer whose wheel i goes from 1 to level[i - 1] + 1 */
    int i = n - 1;
    while (i > 0 && level[i] == level[i - 1] + 1) i--;
    if (i <= 0) return worst;
    level[i]++;
    for (int j = i + 1; j < n; j++) level[j] = 1;
  }
}

/* Weights b have this order: all conditions up to it hold to rounding, and one of the next does not. */
static void has_order(const char *what, const whole *w, const double *b, int rates, int order, double theta) {
  double size = 0;
  for (int i = 0; i < rates; i++) size += fabs(b[i]);
  /* doubles in the place of exact numbers: coefficients of 40 in the rows of a, twice over */
  double rounding = 2e-14 * fmax(1, size) * (w->n > 12 ? 10 : 1);
  for (int n = 1; n <= order; n++) {
    double worst = worst_of_order(w, b, rates, n, theta);
    ck_assert_msg(worst <= rounding, "%s: order %d at theta = %g: off by %.2g", what, n, theta, worst);
  }
  if (order < MOST_VERTICES) {
    double worst = worst_of_order(w, b, rates, order + 1, theta);
    ck_assert_msg(worst > 1e-6, "%s: of higher order than claimed: %.2g", what, worst);
  }
}

typedef struct claim {
  const cdni_method *method;
  cdn_method id;
  int order, embedded, high, look, dense; /* of b - e, b - e_high and b - look; 0: there is none */
} claim;

static const claim claims[] = {
  { &cdni_merson, CDN_METHOD_MERSON, 4, 3, 0, 0, 4 },
  { &cdni_dormand_prince, CDN_METHOD_DORMAND_PRINCE, 5, 4, 0, 3, 4 },
  { &cdni_bogacki_shampine, CDN_METHOD_BOGACKI_SHAMPINE, 3, 2, 0, 0, 3 },
  { &cdni_fehlberg, CDN_METHOD_FEHLBERG, 5, 4, 0, 3, 4 },
  { &cdni_dormand_prince_8, CDN_METHOD_DORMAND_PRINCE_8, 8, 5, 6, 0, 7 },
  { &cdni_trapezoid, CDN_METHOD_TRAPEZOID, 2, 1, 0, 0, 2 },
  { &cdni_explicit_euler, CDN_METHOD_EXPLICIT_EULER, 1, 2, 0, 0, 1 },
};
enum { N_CLAIMS = sizeof claims / sizeof claims[0] };

START_TEST(coefficients_have_their_order) {
  const claim *k = &claims[_i];
  const cdni_rk_tableau *rk = k->method->data;
  whole w = whole_of(rk);
  double b[RATES] = { 0 }, other[RATES] = { 0 };
  memcpy(b, rk->b, sizeof(double) * (size_t)rk->stages);
  has_order(k->method->name, &w, b, rk->stages + 1, k->order, 1);
  for (int i = 0; i <= rk->stages; i++) other[i] = b[i] - rk->e[i];
  has_order("embedded", &w, other, rk->stages + 1, k->embedded, 1);
  ck_assert_int_eq(rk->e_high != NULL, k->high > 0);
  for (int i = 0; rk->e_high && i <= rk->stages; i++) other[i] = b[i] - rk->e_high[i];
  if (rk->e_high) has_order("higher embedded", &w, other, rk->stages + 1, k->high, 1);
  ck_assert_int_eq(rk->look != NULL, k->look > 0);
  for (int i = 0; rk->look && i <= rk->stages; i++) other[i] = b[i] - rk->look[i];
  if (rk->look) has_order("second look", &w, other, rk->stages + 1, k->look, 1);
  /* each stage is where its row leads */
  for (int i = 0; i < w.n; i++) {
    double sum = 0;
    for (int j = 0; j < i; j++) sum += w.a[i][j];
    NEAR(sum, w.c[i], 2e-14);
  }
}
END_TEST

START_TEST(dense_weights_have_their_order) {
  const claim *k = &claims[_i];
  const cdni_rk_tableau *rk = k->method->data;
  whole w = whole_of(rk);
  double b[RATES] = { 0 };
  for (int i = 1; i < 8; i++) {
    rk->dense(i / 8.0, b);
    has_order("dense", &w, b, w.n, k->dense, i / 8.0);
  }
  /* it joins the steps: nothing at the start, the method's weights at the end, and the slopes there */
  double start[RATES], near_start[RATES], end[RATES], near_end[RATES], h = 1e-6;
  rk->dense(0, start);
  rk->dense(h, near_start);
  rk->dense(1, end);
  rk->dense(1 - h, near_end);
  for (int i = 0; i < w.n; i++) {
    NEAR(start[i], 0, 1e-15);
    NEAR(end[i], i < rk->stages ? rk->b[i] : 0, 1e-13);
    NEAR((near_start[i] - start[i]) / h, i == 0, 2e-3);
    NEAR((end[i] - near_end[i]) / h, i == rk->stages, 2e-3);
  }
}
END_TEST

/* ---- orders by fixed steps ------------------------------------------------------------------------ */

/* A pendulum and its energy-like companion: z = (q, u) of q'' = -sin q, with the time in it so that it is no autonomous
 * equation: u' = -sin q + cos t. */
static cdn_status driven(cdn_state *state, double t, const double *z, double *zdot) {
  (void)state;
  zdot[0] = z[1];
  zdot[1] = -sin(z[0]) + cos(t);
  return CDN_OK;
}

static const ode equation = { .n = 2, .z0 = { 1, 0.3 }, .rates = driven };

/* z at `end` by n fixed steps, or at theta of a single step from an accurate start. */
static void run_fixed(cdn_method method, int n, double end, double z[2]) {
  cdn_state *state = ode_state(&equation, NULL);
  cdn_stepper_def def = cdn_default_stepper_def();
  def.method = method;
  def.fixed_step = end / n;
  def.final_time = end;
  cdn_stepper *stepper = ode_stepper(state, &def);
  OK_STEP(stepper, cdn_stepper_advance(stepper, end, NULL));
  ck_assert_int_eq(certificate_of(stepper).steps, n);
  memcpy(z, cdn_state_z(cdn_stepper_state(stepper)), 2 * sizeof *z);
  cdn_stepper_destroy(stepper);
  cdn_state_destroy(state);
}

static double distance(const double *a, const double *b) { return hypot(a[0] - b[0], a[1] - b[1]); }

typedef struct measured {
  cdn_method method;
  int order, dense, steps, evaluations; /* steps: where errors are asymptotic; evaluations a step */
} measured;

static const measured methods[] = {
  { CDN_METHOD_MERSON, 4, 4, 64, 5 },
  { CDN_METHOD_DORMAND_PRINCE, 5, 4, 128, 6 },
  { CDN_METHOD_BOGACKI_SHAMPINE, 3, 3, 128, 3 },
  { CDN_METHOD_FEHLBERG, 5, 4, 64, 6 },
  { CDN_METHOD_DORMAND_PRINCE_8, 8, 7, 12, 12 },
  { CDN_METHOD_VERLET, 2, 2, 256, 0 },
  { CDN_METHOD_SEMI_EXPLICIT_EULER, 1, 1, 1024, 1 },
  { CDN_METHOD_SEMI_EXPLICIT_EULER_2, 1, 1, 1024, 2 },
  { CDN_METHOD_EXPLICIT_EULER, 1, 1, 1024, 1 },
  { CDN_METHOD_TRAPEZOID, 2, 2, 256, 2 },
};
enum { N_METHODS = sizeof methods / sizeof methods[0] };

START_TEST(order_by_fixed_steps) {
  const measured *m = &methods[_i];
  double truth[2], z[2], last = 0;
  run_fixed(CDN_METHOD_DORMAND_PRINCE_8, 400, 3, truth);
  for (int k = 0; k < (m->order < 8 ? 3 : 2); k++) {
    run_fixed(m->method, m->steps << k, 3, z);
    double error = distance(z, truth);
    if (getenv("CARDAN_TEST_VERBOSE"))
      printf("method %d: %d steps: error %.2e\n", (int)m->method, m->steps << k, error);
    if (k) NEAR(log2(last / error), m->order, 0.2);
    last = error;
  }
}
END_TEST

/* Largest error of dense output within one step from t = 0. */
static double within(cdn_method method, double h, int *evaluations) {
  cdn_state *state = ode_state(&equation, NULL);
  cdn_stepper_def def = cdn_default_stepper_def();
  def.method = method;
  def.fixed_step = h;
  cdn_stepper *stepper = ode_stepper(state, &def);
  double worst = 0;
  for (int i = 1; i < 16; i++) {
    double z[2], t = h * i / 16;
    OK_STEP(stepper, cdn_stepper_advance(stepper, t, NULL));
    run_fixed(CDN_METHOD_DORMAND_PRINCE_8, 20, t, z);
    worst = fmax(worst, distance(cdn_state_z(cdn_stepper_state(stepper)), z));
  }
  cdn_certificate c = certificate_of(stepper);
  ck_assert_int_eq(c.steps, 1);
  *evaluations = (int)c.evaluations;
  cdn_stepper_destroy(stepper);
  cdn_state_destroy(state);
  return worst;
}

START_TEST(order_of_dense_output) {
  const measured *m = &methods[_i];
  double h = m->dense > 5 ? 0.8 : m->dense > 2 ? 0.2 : 0.02;
  int evaluations;
  double coarse = within(m->method, h, &evaluations), fine = within(m->method, h / 2, &evaluations);
  /* an error of order p + 1 in one step; Verlet and the Eulers may be better at this equation */
  ck_assert_msg(log2(coarse / fine) >= m->dense + 1 - 0.5, "order %.2f", log2(coarse / fine));
  if (m->evaluations) ck_assert_int_eq(evaluations, m->evaluations + 1);
}
END_TEST

/* ---- error control ---------------------------------------------------------------------------------- */

typedef struct outcome {
  double error, between; /* at the ends of reports, largest; between: at the middle of the last step */
  cdn_certificate c;
} outcome;

static outcome run_controlled(cdn_method method, int max_order, double accuracy, double end, int reports) {
  cdn_state *state = ode_state(&equation, NULL);
  cdn_stepper_def def = cdn_default_stepper_def();
  outcome o = { 0 };
  def.method = method;
  def.max_order = max_order;
  def.accuracy = accuracy;
  cdn_stepper *stepper = ode_stepper(state, &def);
  for (int i = 1; i <= reports; i++) {
    double z[2], t = end * i / reports;
    OK_STEP(stepper, cdn_stepper_advance(stepper, t, NULL));
    run_fixed(CDN_METHOD_DORMAND_PRINCE_8, 40 + (int)(20 * t), t, z);
    o.error = fmax(o.error, distance(cdn_state_z(cdn_stepper_state(stepper)), z));
  }
  o.c = certificate_of(stepper);
  cdn_stepper_destroy(stepper);
  cdn_state_destroy(state);
  return o;
}

static const cdn_method every_method[] = {
  CDN_METHOD_DEFAULT,
  CDN_METHOD_MERSON,
  CDN_METHOD_DORMAND_PRINCE,
  CDN_METHOD_BOGACKI_SHAMPINE,
  CDN_METHOD_FEHLBERG,
  CDN_METHOD_DORMAND_PRINCE_8,
  CDN_METHOD_ADAMS,
  CDN_METHOD_VERLET,
  CDN_METHOD_SEMI_EXPLICIT_EULER,
  CDN_METHOD_SEMI_EXPLICIT_EULER_2,
  CDN_METHOD_EXPLICIT_EULER,
  CDN_METHOD_TRAPEZOID,
};
enum { N_EVERY = sizeof every_method / sizeof every_method[0] };

START_TEST(error_follows_accuracy) {
  cdn_method method = every_method[_i];
  /* methods that estimate the error of the solution they carry on by its own order deliver its square root */
  bool first_order = method == CDN_METHOD_EXPLICIT_EULER || method == CDN_METHOD_SEMI_EXPLICIT_EULER ||
                     method == CDN_METHOD_SEMI_EXPLICIT_EULER_2;
  int finest = first_order || method == CDN_METHOD_VERLET || method == CDN_METHOD_TRAPEZOID ? 6 : 10;
  double last = INFINITY, before = INFINITY;
  for (int k = 3; k <= finest; k++) {
    double accuracy = pow(10, -k);
    outcome o = run_controlled(method, 0, accuracy, 10, 50);
    if (getenv("CARDAN_TEST_VERBOSE")) {
      printf("method %2d at %.0e: error %.2e = %7.1f of it, %5d steps, %3d rejected, %6d evaluations\n", (int)method,
             accuracy, o.error, o.error / accuracy, (int)o.c.steps, (int)o.c.rejected, (int)o.c.evaluations);
    }
    AT_MOST(o.error, first_order ? 30 * sqrt(accuracy) : 100 * accuracy);
    /* an error may happen to be small at one accuracy, where it changes its sign: compared over two decades */
    AT_MOST(o.error, 1.2 * last);
    AT_MOST(o.error, (first_order ? 0.3 : 0.15) * before);
    AT_MOST((double)o.c.rejected, 0.1 * (double)o.c.steps + 5);
    ck_assert_int_eq(o.c.stiff_steps, 0);
    before = last;
    last = o.error;
  }
}
END_TEST

START_TEST(same_calls_same_bits) {
  outcome a = run_controlled(every_method[_i], 0, 1e-5, 3, 7), b = run_controlled(every_method[_i], 0, 1e-5, 3, 7);
  ck_assert(a.error == b.error && a.c.evaluations == b.c.evaluations && a.c.smallest_step == b.c.smallest_step);
}
END_TEST

START_TEST(no_allocation_in_a_step) {
  counting_allocator counter = { 0 };
  cdn_allocator allocator = allocator_of(&counter);
  cdn_state *state = ode_state(&equation, &allocator);
  cdn_stepper_def def = cdn_default_stepper_def();
  def.method = every_method[_i];
  def.accuracy = 1e-3;
  cdn_stepper *stepper = ode_stepper(state, &def);
  int64_t calls = counter.calls;
  for (int i = 1; i <= 30; i++) OK_STEP(stepper, cdn_stepper_advance(stepper, 0.1 * i, NULL));
  ck_assert_int_eq(counter.calls, calls);
  cdn_stepper_destroy(stepper);
  cdn_state_destroy(state);
  ck_assert_int_eq(counter.outstanding, 0);
}
END_TEST

/* ---- Adams ------------------------------------------------------------------------------------------- */

START_TEST(adams_takes_fewer_evaluations) {
  for (int k = 6; k <= 10; k++) {
    outcome adams = run_controlled(CDN_METHOD_ADAMS, 0, pow(10, -k), 30, 1);
    outcome pair = run_controlled(CDN_METHOD_DORMAND_PRINCE, 0, pow(10, -k), 30, 1);
    AT_MOST((double)adams.c.evaluations, 0.7 * (double)pair.c.evaluations);
  }
}
END_TEST

START_TEST(adams_orders) {
  /* with its order limited to k the corrected solution is of order k + 1: errors go with the steps to that power; the
   * start, at order 1, is a small part of a long run. Single runs may be lucky: a straight line through five. */
  for (int k = 1; k <= 7; k += 2) {
    double x = 0, y = 0, xx = 0, xy = 0;
    for (int i = 0; i < 5; i++) {
      outcome o = run_controlled(CDN_METHOD_ADAMS, k, k < 2 ? pow(10, -4 - 0.5 * i) : pow(10, -6 - 1.25 * i), 30, 30);
      double a = log((double)o.c.steps), b = -log(o.error);
      x += a / 5, y += b / 5, xx += a * a / 5, xy += a * b / 5;
    }
    double order = (xy - x * y) / (xx - x * x);
    if (getenv("CARDAN_TEST_VERBOSE")) printf("Adams of order %d: errors of order %.2f\n", k, order);
    NEAR(order, k + 1, 0.25 * (k + 1));
  }
}
END_TEST

START_TEST(adams_dense_output_is_as_good_as_its_steps) {
  /* many reports cost nothing and are no worse than the solution at the ends of steps, by much */
  outcome few = run_controlled(CDN_METHOD_ADAMS, 0, 1e-8, 10, 5),
          many = run_controlled(CDN_METHOD_ADAMS, 0, 1e-8, 10, 500);
  ck_assert_int_eq(few.c.evaluations, many.c.evaluations);
  AT_MOST(many.error, 5 * few.error);
}
END_TEST

/* Dense output of this method leads from each accepted step to the next without a jump. */
START_TEST(dense_output_is_continuous) {
  cdn_state *state = ode_state(&equation, NULL);
  cdn_stepper_def def = cdn_default_stepper_def();
  def.method = every_method[_i];
  def.accuracy = 1e-3;
  cdn_stepper *stepper = ode_stepper(state, &def);
  for (int i = 0; i < 20; i++) {
    double z[2], t;
    OK_STEP(stepper, cdn_stepper_step(stepper, INFINITY));
    t = cdn_state_time(cdn_stepper_state(stepper));
    memcpy(z, cdn_state_z(cdn_stepper_state(stepper)), sizeof z);
    OK_STEP(stepper, cdn_stepper_advance(stepper, t + 1e-13, NULL));
    AT_MOST(distance(z, cdn_state_z(cdn_stepper_state(stepper))), 1e-12);
  }
  cdn_stepper_destroy(stepper);
  cdn_state_destroy(state);
}
END_TEST

/* ---- what is relative -------------------------------------------------------------------------------- */

/* z = exp(t), and a small wave beside it. */
static cdn_status growing(cdn_state *state, double t, const double *z, double *zdot) {
  (void)state;
  zdot[0] = z[0];
  zdot[1] = cos(3 * t);
  return CDN_OK;
}

static double steps_of_growing(bool all, const bool *each) {
  cdn_state *state = ode_state(&(ode){ .n = 2, .z0 = { 1, 0 }, .rates = growing }, NULL);
  cdn_stepper_def def = cdn_default_stepper_def();
  def.method = CDN_METHOD_DORMAND_PRINCE;
  def.accuracy = 1e-8;
  def.z_absolute = all;
  def.z_absolute_each = each;
  cdn_stepper *stepper = ode_stepper(state, &def);
  OK_STEP(stepper, cdn_stepper_advance(stepper, 12, NULL));
  double steps = (double)certificate_of(stepper).steps;
  cdn_stepper_destroy(stepper);
  cdn_state_destroy(state);
  return steps;
}

START_TEST(z_may_be_absolute) {
  double relative = steps_of_growing(false, NULL), absolute = steps_of_growing(true, NULL);
  /* exp(12) is 160,000: absolute accuracy of it takes steps shorter by up to the fifth root, which is eleven */
  AT_MOST(2 * relative, absolute);
  ck_assert(steps_of_growing(false, (bool[]){ true, false }) == absolute);
  ck_assert(steps_of_growing(false, (bool[]){ false, true }) == relative);
}
END_TEST

/* ---- stiffness --------------------------------------------------------------------------------------- */

/* The methods that can tell (docs/methods.md says why the others cannot). */
static const cdn_method noticing[] = {
  CDN_METHOD_DEFAULT,          CDN_METHOD_ADAMS,    CDN_METHOD_MERSON,    CDN_METHOD_DORMAND_PRINCE,
  CDN_METHOD_DORMAND_PRINCE_8, CDN_METHOD_FEHLBERG, CDN_METHOD_TRAPEZOID, CDN_METHOD_BOGACKI_SHAMPINE,
};

START_TEST(stiffness_is_noticed) {
  cdn_state *state = ode_state(&(ode){ .n = 2, .z0 = { 2, 0 }, .rates = van_der_pol_rate }, NULL);
  cdn_stepper_def def = cdn_default_stepper_def();
  def.method = noticing[_i];
  cdn_stepper *stepper = ode_stepper(state, &def);
  OK_STEP(stepper, cdn_stepper_advance(stepper, 2, NULL));
  cdn_certificate c = certificate_of(stepper);
  if (getenv("CARDAN_TEST_VERBOSE")) {
    printf("stiff: %d of %d steps, %d rejected\n", (int)c.stiff_steps, (int)c.steps, (int)c.rejected);
  }
  AT_MOST(0.5 * (double)c.steps, (double)c.stiff_steps);
  cdn_stepper_destroy(stepper);

  /* the report of a run that gives up says so */
  def.max_steps = 400;
  cdn_failure failure;
  stepper = ode_stepper(state, &def);
  FAILS(cdn_stepper_advance(stepper, 100, NULL), CDN_ERR_LIMIT);
  cdn_stepper_failure(stepper, &failure);
  ck_assert_msg(strstr(failure.advice, "stiff"), "%s", failure.advice);
  cdn_stepper_destroy(stepper);
  cdn_state_destroy(state);
}
END_TEST

START_TEST(refuses_what_is_no_method) {
  cdn_state *state = ode_state(&equation, NULL);
  cdn_stepper *stepper;
  cdn_stepper_def def = cdn_default_stepper_def();
  def.method = (cdn_method)99;
  FAILS(cdn_stepper_create(state, &def, &stepper), CDN_ERR_ARG);
  def = cdn_default_stepper_def();
  def.max_order = -1;
  FAILS(cdn_stepper_create(state, &def, &stepper), CDN_ERR_ARG);
  def = cdn_default_stepper_def();
  def.time_scale = 0;
  FAILS(cdn_stepper_create(state, &def, &stepper), CDN_ERR_ARG);
  cdn_state_destroy(state);
}
END_TEST

static void add(TCase *c) {
  tcase_add_loop_test(c, coefficients_have_their_order, 0, N_CLAIMS);
  tcase_add_loop_test(c, dense_weights_have_their_order, 0, N_CLAIMS);
  tcase_add_loop_test(c, order_by_fixed_steps, 0, N_METHODS);
  tcase_add_loop_test(c, order_of_dense_output, 0, N_METHODS);
  tcase_add_loop_test(c, error_follows_accuracy, 0, N_EVERY);
  tcase_add_loop_test(c, same_calls_same_bits, 0, N_EVERY);
  tcase_add_loop_test(c, no_allocation_in_a_step, 0, N_EVERY);
  tcase_add_loop_test(c, dense_output_is_continuous, 0, N_EVERY);
  tcase_add_test(c, adams_takes_fewer_evaluations);
  tcase_add_test(c, adams_orders);
  tcase_add_test(c, adams_dense_output_is_as_good_as_its_steps);
  tcase_add_test(c, z_may_be_absolute);
  tcase_add_loop_test(c, stiffness_is_noticed, 0, CDNI_COUNT(noticing));
  tcase_add_test(c, refuses_what_is_no_method);
}

CHECK_MAIN_OF("methods", 120, add)
