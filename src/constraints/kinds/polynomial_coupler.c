/* MuJoCo's coupling of two joints: y - y0 = a0 + a1 (x - x0) + ... + a4 (x - x0)^4 for two coordinates y and x. */
#include "constraints/kinds/equations.h"

enum { Y0 = 5, X0 };
static const cdni_parameter table[] = { CDNI_ANY("a[0]", NULL), CDNI_ANY("a[1]", NULL), CDNI_ANY("a[2]", NULL),
                                        CDNI_ANY("a[3]", NULL), CDNI_ANY("a[4]", NULL), CDNI_ANY("y0", NULL),
                                        CDNI_ANY("x0", NULL) };

/* a[k] has the unit of y over that of x to the k-th. */
static void unit_of(const matter *m, const constraint_mobility *mobility, int k, char *text, size_t size) {
  const char of_y = cdni_mobility_dimension(m, mobility[0].u), of_x = cdni_mobility_dimension(m, mobility[1].u);
  const char *y = of_y == 'A' ? "rad" : "m", *x = of_x == 'A' ? "rad" : "m";
  if (!of_y || !of_x) return;
  if (k == X0) snprintf(text, size, "%s", x);
  else if (k == Y0 || k == 0) snprintf(text, size, "%s", y);
  else if (of_x == of_y && k == 1) snprintf(text, size, "1");
  else if (of_x == of_y && k == 2) snprintf(text, size, "1/%s", x);
  else if (of_x == of_y) snprintf(text, size, "1/%s^%d", x, k - 1);
  else if (k == 1) snprintf(text, size, "%s/%s", y, x);
  else snprintf(text, size, "%s/%s^%d", y, x, k);
}

/* The polynomial and its derivatives over k! (Horner's scheme). */
static void evaluate(const constraint_view *v, double p[3]) {
  const double x = v->q[v->mobility[1].q] - v->params[X0];
  p[0] = p[1] = p[2] = 0;
  for (int i = 4; i >= 0; i--) {
    p[2] = p[2] * x + p[1];
    p[1] = p[1] * x + p[0];
    p[0] = p[0] * x + v->params[i];
  }
}

static cdn_status calc_position(const constraint_view *v, double *e) {
  double p[3];
  evaluate(v, p);
  e[0] = v->q[v->mobility[0].q] - v->params[Y0] - p[0];
  return CDN_OK;
}

static cdn_status calc_rows(const constraint_view *v) {
  double p[3];
  evaluate(v, p);
  v->g[0] = 1, v->g[1] = -p[1];
  return CDN_OK;
}

static cdn_status add_bias(const constraint_view *v, double *bias) {
  double p[3], u = v->u[v->mobility[1].u];
  evaluate(v, p);
  bias[0] -= 2 * p[2] * u * u;
  return CDN_OK;
}

const constraint_kind cdni_constraint_polynomial_coupler = {
  .name = "polynomial coupler",
  .n_params = 7,
  .params = table,
  .unit_of = unit_of,
  .calc_position = calc_position,
  .calc_rows = calc_rows,
  .add_bias = add_bias,
};

static void pack(const double a[5], double y0, double x0, double params[7]) {
  memcpy(params, a, 5 * sizeof *a);
  params[Y0] = y0, params[X0] = x0;
}

cdn_constraint cdn_system_couple_by_polynomial(cdn_system *system, const char *name, cdn_mobility y, double y0,
                                               cdn_mobility x, double x0, const double a[5]) {
  CDNI_NEED_OBJECT(a, (cdn_constraint){ -1 });
  constraint_adder adder;
  double params[7];
  cdni_constraint_begin(&adder, system, CONSTRAINT_POLYNOMIAL_COUPLER, "cdn_system_couple_by_polynomial", name, 1, 0,
                        0);
  cdni_constraint_add_coordinate(&adder, y.body, y.k);
  cdni_constraint_add_coordinate(&adder, x.body, x.k);
  pack(a, y0, x0, params);
  return cdni_constraint_add(&adder, NULL, 0, params);
}

cdn_status cdn_polynomial_coupler_set(cdn_state *state, cdn_constraint constraint, double y0, double x0,
                                      const double a[5]) {
  CDNI_NEED(state, a);
  double params[7];
  pack(a, y0, x0, params);
  return cdni_constraint_set(state, constraint, CONSTRAINT_POLYNOMIAL_COUPLER, "cdn_polynomial_coupler_set", params);
}
