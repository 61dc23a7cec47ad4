/* Speeds are coupled: f(u_1, ..., u_n, q_1, ..., q_m) = 0 for a function of the user's, which need not be linear. The
 * rows are its derivatives with respect to the speeds, where the State is. */
#include "constraints/kinds/equations.h"

typedef struct coupler {
  const cdn_function *f;
  int n; /* speeds: the first of the mobilities; the others stand for coordinates */
} coupler;

static cdn_status evaluate(const constraint_view *v, int order, cdn_function_result *f) {
  const coupler *self = v->data;
  double x[CDN_FUNCTION_MOST_INPUTS];
  for (int i = 0; i < v->c->n_mobilities; i++) x[i] = i < self->n ? v->u[v->mobility[i].u] : v->q[v->mobility[i].q];
  return constraint_function(v, self->f, x, order, f);
}

static cdn_status calc_rows(const constraint_view *v) {
  cdn_function_result f;
  CDNI_TRY(evaluate(v, 1, &f));
  memcpy(v->g, f.d1, (size_t)((const coupler *)v->data)->n * sizeof *v->g);
  return CDN_OK;
}

static cdn_status finish_velocity(const constraint_view *v, double *e) {
  cdn_function_result f;
  CDNI_TRY(evaluate(v, 0, &f));
  e[0] = f.value;
  return CDN_OK;
}

static cdn_status add_bias(const constraint_view *v, double *bias) {
  cdn_function_result f;
  CDNI_TRY(evaluate(v, 1, &f));
  for (int i = ((const coupler *)v->data)->n; i < v->c->n_mobilities; i++) bias[0] += f.d1[i] * v->u[v->mobility[i].u];
  return CDN_OK;
}

static void destroy(void *data) { cdn_function_release(((coupler *)data)->f); }

const constraint_kind cdni_constraint_speed_coupler = {
  .name = "speed coupler",
  .calc_rows = calc_rows,
  .finish_velocity = finish_velocity,
  .add_bias = add_bias,
  .destroy = destroy,
};

cdn_constraint cdn_system_couple_speeds(cdn_system *system, const char *name, const cdn_function *f,
                                        const cdn_mobility *speeds, int n, const cdn_mobility *coordinates, int m) {
  constraint_adder adder;
  cdni_constraint_begin(&adder, system, CONSTRAINT_SPEED_COUPLER, "cdn_system_couple_speeds", name, 0, 1, 0);
  adder.element.nonlinear = true;
  if (n < 1 || m < 0 || n > CDN_FUNCTION_MOST_INPUTS || m > CDN_FUNCTION_MOST_INPUTS - n || !speeds ||
      (m > 0 && !coordinates))
    cdni_adder_refuse(&adder.by, CDN_ERR_ARG,
                      "%d speeds and %d coordinates are given; it couples 1 speed at least and %d of both at most", n,
                      m, CDN_FUNCTION_MOST_INPUTS);
  for (int i = 0; i < n && adder.by.ok; i++) cdni_constraint_add_mobility(&adder, speeds[i].body, speeds[i].k);
  for (int i = 0; i < m && adder.by.ok; i++)
    cdni_constraint_add_coordinate(&adder, coordinates[i].body, coordinates[i].k);
  const coupler self = { f, n };
  return constraint_add_function(&adder, f, adder.by.ok ? n + m : 0, &self, sizeof self);
}
