/* Invertible contact against the solved problems of todorov2011.json, to their digits as far as doubles have them. */
#include <jansson.h>

#include "../testing.h"

static json_t *load(void) {
  char path[512];
  const char *root = getenv("CARDAN_SOURCE_ROOT");
  snprintf(path, sizeof path, "%s/tests/data/todorov2011.json", root ? root : ".");
  json_error_t error;
  json_t *facts = json_load_file(path, 0, &error);
  ck_assert_msg(facts, "%s: %s", path, error.text);
  return facts;
}

enum { MOST_ROWS = 6 };
/* The file has numbers as texts, some in lists of lists; returns how many. */
static int numbers(const json_t *from, double *to) {
  if (json_is_string(from)) return *to = strtod(json_string_value(from), NULL), 1;
  int n = 0;
  for (size_t i = 0; i < json_array_size(from); i++) n += numbers(json_array_get(from, i), to + n);
  return n;
}

START_TEST(solved_problems) {
  json_t *facts = load(), *problems = json_object_get(facts, "cases");
  cdn_invertible *solver;
  OK(cdn_invertible_create(NULL, &solver));
  ck_assert_int_eq((int)json_array_size(problems), 3);
  for (size_t k = 0; k < json_array_size(problems); k++) {
    const json_t *one = json_array_get(problems, k);
    double A[MOST_ROWS * MOST_ROWS], R[MOST_ROWS], mu[2], v_min[2], c[MOST_ROWS], f[MOST_ROWS], v[MOST_ROWS];
    double f_true[MOST_ROWS], v_true[MOST_ROWS], v_given[MOST_ROWS];
    cdn_invertible_problem p = cdn_default_invertible_problem();
    p.A = A, p.R = R, p.mu = mu, p.v_min = v_min;
    numbers(json_object_get(one, "kappa"), &p.kappa);
    p.n_contacts = numbers(json_object_get(one, "mu"), mu);
    const int n = 3 * p.n_contacts;
    ck_assert_int_eq(numbers(json_object_get(one, "A"), A), n * n);
    ck_assert_int_eq(numbers(json_object_get(one, "R_diag"), R), n);
    numbers(json_object_get(one, "vmin"), v_min);
    numbers(json_object_get(one, "c"), c);
    numbers(json_object_get(one, "f"), f_true);
    numbers(json_object_get(one, "v"), v_true);
    OK(cdn_invertible_forward(solver, &p, c, NULL, f, v));
    for (int i = 0; i < n; i++) {
      NEAR(f[i], f_true[i], 1e-13);
      NEAR(v[i], v_true[i], 1e-13);
    }
    cdn_invertible_report report;
    OK(cdn_invertible_get_report(solver, &report));
    AT_MOST(report.residual, 1e-13);
    AT_MOST(report.iterations, 40);
    memcpy(v_given, v_true, sizeof v_given);
    OK(cdn_invertible_inverse(&p, v_given, f, v));
    for (int i = 0; i < n; i++) {
      NEAR(f[i], f_true[i], 1e-13);
      NEAR(v[i], c[i], 1e-13);
    }
    /* the model whose barrier is (25) has the same answers as long as its parabola is out of reach */
    p.elastic = 10;
    OK(cdn_invertible_forward(solver, &p, c, NULL, f, v));
    for (int i = 0; i < n; i++) NEAR(f[i], f_true[i], 1e-13);
  }
  cdn_invertible_destroy(solver);
  json_decref(facts);
}
END_TEST

CHECK_MAIN("invertible contact", solved_problems)
