/* Functions with derivatives: values from their definitions, derivatives from differences of the ones below. */
#include "../testing.h"

/* d1 from values, d2 from d1, d3 from d2: central differences with h = 1e-5 err by h^2/6 f''' + eps f / h, below 1e-9
 * for functions of about one unit. */
static void check_derivatives(const cdn_function *f, const double *at) {
  int n = cdn_function_n_inputs(f);
  cdn_function_result r, a, b;
  double x[CDN_FUNCTION_MOST_INPUTS];
  OK(cdn_function_calc(f, at, 3, &r));
  memcpy(x, at, (size_t)n * sizeof *x);
  for (int k = 0; k < n; k++) {
    x[k] = at[k] + 1e-5;
    OK(cdn_function_calc(f, x, 2, &b));
    x[k] = at[k] - 1e-5;
    OK(cdn_function_calc(f, x, 2, &a));
    x[k] = at[k];
    NEAR(r.d1[k], (b.value - a.value) / 2e-5, 1e-9);
    for (int i = 0; i < n; i++) {
      NEAR(r.d2[i * n + k], (b.d1[i] - a.d1[i]) / 2e-5, 1e-9);
      for (int j = 0; j < n; j++) NEAR(r.d3[(i * n + j) * n + k], (b.d2[i * n + j] - a.d2[i * n + j]) / 2e-5, 2e-9);
    }
  }
}

START_TEST(test_simple) {
  cdn_function_result r;
  cdn_function *f = cdn_function_constant(2.5);
  ck_assert_int_eq(cdn_function_n_inputs(f), 0);
  OK(cdn_function_calc(f, NULL, 3, &r));
  ck_assert_double_eq(r.value, 2.5);
  cdn_function_release(f);

  f = cdn_function_linear(2, (double[]){ 2, -3 }, 0.5);
  OK(cdn_function_calc(f, (double[]){ 4, 1 }, 0, &r));
  ck_assert_double_eq(r.value, 5.5);
  check_derivatives(f, (double[]){ 0.3, -0.7 });
  cdn_function_release(f);

  f = cdn_function_polynomial(5, (double[]){ 0.5, -1, 2, 3, -4 });
  OK(cdn_function_calc(f, (double[]){ 2 }, 3, &r));
  ck_assert_double_eq(r.value, 0.5 * 16 - 8 + 8 + 6 - 4);
  ck_assert_double_eq(r.d1[0], 2 * 8 - 3 * 4 + 4 * 2 + 3);
  ck_assert_double_eq(r.d2[0], 6 * 4 - 6 * 2 + 4);
  ck_assert_double_eq(r.d3[0], 12 * 2 - 6);
  cdn_function_release(f);
  cdn_function_release(NULL);
}
END_TEST

/* Through the points, smooth to the second derivative, natural and straight at and beyond the ends. */
START_TEST(test_spline) {
  const double x[] = { -1, -0.4, 0.1, 0.9, 1.5 }, y[] = { 0.2, 1, -0.5, 0.3, 0.4 };
  cdn_function *f = cdn_function_natural_spline(5, x, y);
  cdn_function_result r, left, right;
  for (int i = 0; i < 5; i++) {
    OK(cdn_function_calc(f, &x[i], 2, &r));
    NEAR(r.value, y[i], 1e-15);
    double below = x[i] - 1e-9, above = x[i] + 1e-9; /* derivatives differ by 1e-9 of the next ones, some 50 */
    OK(cdn_function_calc(f, &below, 2, &left));
    OK(cdn_function_calc(f, &above, 2, &right));
    NEAR(left.d1[0], right.d1[0], 2e-7);
    NEAR(left.d2[0], right.d2[0], 1e-6);
    if (i == 0 || i == 4) NEAR(r.d2[0], 0, 1e-13);
  }
  for (double at = -0.95; at < 1.5; at += 0.17) check_derivatives(f, &at);
  OK(cdn_function_calc(f, (double[]){ 1.5 }, 1, &left));
  OK(cdn_function_calc(f, (double[]){ 3.5 }, 3, &r));
  NEAR(r.value, left.value + 2 * left.d1[0], 1e-14);
  NEAR(r.d1[0], left.d1[0], 1e-14);
  ck_assert_double_eq(r.d2[0], 0);
  ck_assert_double_eq(r.d3[0], 0);
  OK(cdn_function_calc(f, (double[]){ -1 }, 1, &left));
  OK(cdn_function_calc(f, (double[]){ -2 }, 1, &r));
  NEAR(r.value, left.value - left.d1[0], 1e-14);
  cdn_function_release(f);

  /* two points: the straight line; points of a line: the line */
  f = cdn_function_natural_spline(2, x, y);
  OK(cdn_function_calc(f, (double[]){ -0.7 }, 2, &r));
  NEAR(r.value, 0.6, 1e-15);
  ck_assert_double_eq(r.d2[0], 0);
  cdn_function_release(f);
  f = cdn_function_natural_spline(5, x, x);
  OK(cdn_function_calc(f, (double[]){ 0.77 }, 1, &r));
  NEAR(r.value, 0.77, 1e-15);
  NEAR(r.d1[0], 1, 1e-15);
  cdn_function_release(f);
}
END_TEST

static int destroyed;
static void count_destroy(void *self) { destroyed += *(int *)self; }
static cdn_status product(const void *self, const double *x, int order, cdn_function_result *out) {
  (void)self;
  if (order > 2) return CDN_ERR_UNSUPPORTED;
  out->value = x[0] * x[1];
  out->d1[0] = x[1], out->d1[1] = x[0];
  if (order > 1) out->d2[1] = out->d2[2] = 1;
  return CDN_OK;
}

START_TEST(test_own) {
  cdn_function_ops ops = {
    .struct_size = sizeof ops, .self_size = sizeof(int), .n_inputs = 2, .calc = product, .destroy = count_destroy
  };
  int one = 1;
  cdn_function_result r;
  cdn_function *f = cdn_function_create(&ops, &one);
  cdn_function_retain(f);
  OK(cdn_function_calc(f, (double[]){ 2, 3 }, 2, &r));
  ck_assert_double_eq(r.value, 6);
  ck_assert_double_eq(r.d2[0], 0);
  ck_assert_double_eq(r.d2[1], 1);
  FAILS(cdn_function_calc(f, (double[]){ 2, 3 }, 3, &r), CDN_ERR_UNSUPPORTED);
  FAILS(cdn_function_calc(f, (double[]){ 2, 3 }, 4, &r), CDN_ERR_ARG);
  FAILS(cdn_function_calc(f, NULL, 0, &r), CDN_ERR_ARG);
  cdn_function_release(f);
  ck_assert_int_eq(destroyed, 0);
  cdn_function_release(f);
  ck_assert_int_eq(destroyed, 1);
  ops.n_inputs = 7;
  ck_assert_ptr_null(cdn_function_create(&ops, &one));
}
END_TEST

START_TEST(test_refusals) {
  const double nan_number = NAN, falling[] = { 0, 1, 1 }, y[] = { 1, 2, 3 };
  ck_assert_ptr_null(cdn_function_constant(NAN));
  ck_assert_ptr_null(cdn_function_linear(1, &nan_number, 0));
  ck_assert_ptr_null(cdn_function_linear(7, y, 0));
  ck_assert_ptr_null(cdn_function_polynomial(0, y));
  ck_assert_ptr_null(cdn_function_natural_spline(3, falling, y));
  ck_assert_ptr_null(cdn_function_natural_spline(1, y, y));
  ck_assert_ptr_null(cdn_function_create(NULL, NULL));
}
END_TEST

CHECK_MAIN("functions", test_simple, test_spline, test_own, test_refusals)
