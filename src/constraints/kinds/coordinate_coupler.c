/* Coordinates are coupled: f(q_1, ..., q_n) = 0 for a function of the user's. */
#include "constraints/kinds/equations.h"

static cdn_status evaluate(const constraint_view *v, int order, cdn_function_result *f) {
  double x[CDN_FUNCTION_MOST_INPUTS];
  for (int i = 0; i < v->c->n_mobilities; i++) x[i] = v->q[v->mobility[i].q];
  return constraint_function(v, constraint_function_of(v->data), x, order, f);
}

static cdn_status calc_position(const constraint_view *v, double *e) {
  cdn_function_result f;
  CDNI_TRY(evaluate(v, 0, &f));
  e[0] = f.value;
  return CDN_OK;
}

static cdn_status calc_rows(const constraint_view *v) {
  cdn_function_result f;
  CDNI_TRY(evaluate(v, 1, &f));
  memcpy(v->g, f.d1, (size_t)v->c->n_mobilities * sizeof *v->g);
  return CDN_OK;
}

static cdn_status add_bias(const constraint_view *v, double *bias) {
  cdn_function_result f;
  const int n = v->c->n_mobilities;
  CDNI_TRY(evaluate(v, 2, &f));
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) bias[0] += v->u[v->mobility[i].u] * f.d2[i * n + j] * v->u[v->mobility[j].u];
  return CDN_OK;
}

static void destroy(void *data) { cdn_function_release(constraint_function_of(data)); }

const constraint_kind cdni_constraint_coordinate_coupler = {
  .name = "coordinate coupler",
  .calc_position = calc_position,
  .calc_rows = calc_rows,
  .add_bias = add_bias,
  .destroy = destroy,
};

cdn_constraint cdn_system_couple_coordinates(cdn_system *system, const char *name, const cdn_function *f, int n,
                                             const cdn_mobility *coordinates) {
  constraint_adder adder;
  cdni_constraint_begin(&adder, system, CONSTRAINT_COORDINATE_COUPLER, "cdn_system_couple_coordinates", name, 1, 0, 0);
  if (n < 1 || n > CDN_FUNCTION_MOST_INPUTS || !coordinates)
    cdni_adder_refuse(&adder.by, CDN_ERR_ARG, "%d coordinates are given; it couples 1 to %d", n,
                      CDN_FUNCTION_MOST_INPUTS);
  for (int i = 0; i < n && adder.by.ok; i++)
    cdni_constraint_add_coordinate(&adder, coordinates[i].body, coordinates[i].k);
  return constraint_add_function(&adder, f, n, &f, sizeof f);
}
