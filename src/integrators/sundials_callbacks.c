/* What SUNDIALS calls back: rates, error weights, messages, and Newton's equations. */
#include <stdio.h>

#include "integrators/ggl.h"
#include "integrators/method.h"
#include "integrators/newton.h"
#include "integrators/norm.h"
#include "integrators/step.h"
#include "integrators/stepper.h"
#include "integrators/sundials.h"

int cdni_sundials_verdict(cdni_sundials *m, cdn_status status) {
  m->status = status;
  if (status == CDN_OK) return 0;
  m->hopeless = !cdni_is_recoverable(m->s, status);
  return m->hopeless ? -1 : 1;
}

int cdni_sundials_rates(double t, N_Vector y, N_Vector ydot, void *user) {
  cdni_sundials *m = user;
  double *f = cdni_vector_data(ydot);
  /* functional iteration tries again whatever it is told */
  if (m->hopeless) return -1;
  m->tried = t;
  return cdni_sundials_verdict(m, cdni_evaluate(m->s, t, cdni_vector_data(y), f, &f[m->s->ny]));
}

int cdni_sundials_weights(N_Vector y, N_Vector weights, void *user) {
  cdni_sundials *m = user;
  double *w = cdni_vector_data(weights);
  /* those of q belong to the norm itself, and the work and algebraic variables have none; SUNDIALS wants them
   * positive */
  N_VConst(1, weights);
  cdni_error_weights(m->s, cdni_vector_data(y), cdni_vector_data(y), w);
  return 0;
}

void cdni_sundials_message(int code, const char *module, const char *function, char *text, void *user) {
  cdni_sundials *m = user;
  (void)code, (void)module, (void)function;
  snprintf(m->text, sizeof m->text, "%s", text);
}

/* ---- Newton's equations behind SUNDIALS' generic objects ---- */

static SUNMatrix_ID matrix_id(SUNMatrix A) {
  (void)A;
  return SUNMATRIX_CUSTOM;
}

static void matrix_destroy(SUNMatrix A) { SUNMatFreeEmpty(A); }

static int matrix_zero(SUNMatrix A) {
  (void)A;
  return 0;
}

static SUNLinearSolver_Type solver_type(SUNLinearSolver L) {
  (void)L;
  return SUNLINEARSOLVER_DIRECT;
}

static SUNLinearSolver_ID solver_id(SUNLinearSolver L) {
  (void)L;
  return SUNLINEARSOLVER_CUSTOM;
}

static int solver_solve(SUNLinearSolver L, SUNMatrix A, N_Vector x, N_Vector b, double tolerance) {
  cdni_sundials *m = L->content;
  double *data = cdni_vector_data(x);
  const int ny = m->s->ny;
  (void)A, (void)tolerance;
  /* the work, whose rate depends on all but on which nothing depends, is carried over */
  if (x != b) N_VScale(1, b, x);
  cdni_newton_solve(m->newton, data);
  for (int i = 0; m->gain != 1 && i <= ny; i++) data[i] *= m->gain;
  return m->ggl ? cdni_sundials_verdict(m, cdni_ggl_solve(m->s, m->ggl, data, data + ny + 1)) : 0;
}

static int solver_free(SUNLinearSolver L) {
  SUNLinSolFreeEmpty(L);
  return 0;
}

bool cdni_sundials_newton(cdni_sundials *m) {
  m->matrix = SUNMatNewEmpty(m->context);
  m->linear = SUNLinSolNewEmpty(m->context);
  if (!m->matrix || !m->linear) return false;
  m->matrix->ops->getid = matrix_id;
  m->matrix->ops->destroy = matrix_destroy;
  m->matrix->ops->zero = matrix_zero;
  m->linear->content = m;
  m->linear->ops->gettype = solver_type;
  m->linear->ops->getid = solver_id;
  m->linear->ops->solve = solver_solve;
  m->linear->ops->free = solver_free;
  return cdni_newton_create(m->s, &m->newton) == CDN_OK;
}
