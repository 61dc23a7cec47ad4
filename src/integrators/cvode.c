/* CVODE: backward differences with Newton's method for stiff problems, Adams-Moulton with functional iteration
 * otherwise. Variable order and step. With backward differences y is projected within the step (Eich 1993); CVODE does
 * not project with Adams, whose quaternions are normalized where they are shown, and which therefore refuses
 * constraints. */
#include <cvode/cvode.h>
#include <cvode/cvode_ls.h>
#include <cvode/cvode_proj.h>
#include <sunnonlinsol/sunnonlinsol_fixedpoint.h>

#include "integrators/newton.h"
#include "integrators/project.h"
#include "integrators/stepper.h"
#include "integrators/sundials.h"
#include "system/system.h"

/* ---- callbacks ---- */

/* Newton's matrix 1 - gamma J; the Jacobian is that of an earlier step if CVODE finds it good enough. */
static int linear_system(double t, N_Vector y, N_Vector ydot, SUNMatrix A, int old_is_good, int *renewed, double gamma,
                         void *user, N_Vector a, N_Vector b, N_Vector c) {
  cdni_sundials *m = user;
  (void)ydot, (void)A, (void)a, (void)b, (void)c;
  *renewed = !old_is_good;
  if (!old_is_good) {
    int verdict = cdni_sundials_verdict(m, cdni_newton_evaluate(m->s, m->newton, t, cdni_vector_data(y)));
    if (verdict != 0) return verdict;
  }
  return cdni_newton_factor(m->newton, gamma) ? 0 : 1;
}

/* At order 1 the error of a rotation at constant speed is along its quaternion, where it does not count. So order 1
 * seems as good as order 2 is, and CVODE, which compares it with the whole error of order 2, may stay there for good.
 * After so many steps the whole error counts at order 1, too. */
enum { LONG_AT_ORDER_ONE = 20 };

static bool stays_at_order_one(cdni_sundials *m) {
  int order = 0;
  return m->since > LONG_AT_ORDER_ONE && CVodeGetCurrentOrder(m->memory, &order) == 0 && order == 1;
}

/* The way of y to its manifold, and of the error estimate to the manifold's tangent (10.1). */
static int project(double t, N_Vector y, N_Vector correction, double tolerance, N_Vector error, void *user) {
  cdni_sundials *m = user;
  cdn_stepper *s = m->s;
  double *speeds = s->scratch, *e = error ? cdni_vector_data(error) : NULL;
  (void)tolerance;
  N_VScale(1, y, correction);
  cdn_status status = cdni_project(s, s->work, t, cdni_vector_data(correction), CDNI_ALWAYS);
  N_VLinearSum(1, correction, -1, y, correction);
  if (e && stays_at_order_one(m)) e = NULL;
  if (e && status == CDN_OK) status = cdni_state_multiply_by_N_inv(s->work, e, speeds);
  if (e && status == CDN_OK) status = cdni_state_multiply_by_N(s->work, speeds, e);
  if (e && status == CDN_OK) status = cdni_project_estimate(s, e);
  return cdni_sundials_verdict(m, status);
}

/* ---- life ---- */

static int set_up(cdn_stepper *s, cdni_sundials *m, int most) {
  int order = s->def.max_order, flag = CVodeSetErrHandlerFn(m->memory, cdni_sundials_message, m);
  if (flag == 0) flag = CVodeInit(m->memory, cdni_sundials_rates, cdn_state_time(s->work), m->y);
  if (flag == 0) flag = CVodeSetUserData(m->memory, m);
  if (flag == 0) flag = CVodeWFtolerances(m->memory, cdni_sundials_weights);
  if (flag == 0) flag = CVodeSetMaxHnilWarns(m->memory, -1);
  if (flag == 0) flag = CVodeSetMaxNumSteps(m->memory, -1);
  if (flag == 0 && order > 0) flag = CVodeSetMaxOrd(m->memory, order < most ? order : most);
  return flag;
}

static int create_bdf(cdn_stepper *s, cdni_sundials *m) {
  m->memory = CVodeCreate(CV_BDF, m->context);
  if (!m->memory || !cdni_sundials_newton(m)) return CV_MEM_FAIL;
  int flag = set_up(s, m, 5);
  if (flag == 0) flag = CVodeSetLinearSolver(m->memory, m->linear, m->matrix);
  if (flag == 0) flag = CVodeSetLinSysFn(m->memory, linear_system);
  if (flag == 0 && s->nq) flag = CVodeSetProjFn(m->memory, project);
  return flag;
}

static int create_adams(cdn_stepper *s, cdni_sundials *m) {
  m->memory = CVodeCreate(CV_ADAMS, m->context);
  m->nonlinear = SUNNonlinSol_FixedPoint(m->y, 0, m->context);
  if (!m->memory || !m->nonlinear) return CV_MEM_FAIL;
  int flag = set_up(s, m, 12);
  if (flag == 0) flag = CVodeSetNonlinearSolver(m->memory, m->nonlinear);
  return flag;
}

/* ---- steps ---- */

static int restart(cdni_sundials *m, double t, double h) {
  int flag = CVodeReInit(m->memory, t, m->y);
  return flag == 0 ? CVodeSetInitStep(m->memory, h) : flag;
}

static int step(cdni_sundials *m, double least, double end, double *t) {
  int flag = CVodeSetMinStep(m->memory, least);
  if (flag == 0) flag = CVodeSetMaxStep(m->memory, m->s->def.max_step);
  if (flag == 0) flag = CVodeSetStopTime(m->memory, end);
  return flag == 0 ? CVode(m->memory, end, m->y, t, CV_ONE_STEP) : flag;
}

static int within(const cdni_sundials *m, double t, int k, N_Vector y) { return CVodeGetDky(m->memory, t, k, y); }
static int order(const cdni_sundials *m, int *k) { return CVodeGetLastOrder(m->memory, k); }
static int error(cdni_sundials *m, N_Vector e) { return CVodeGetEstLocalErrors(m->memory, e); }
static int next(const cdni_sundials *m, double *h) { return CVodeGetCurrentStep(m->memory, h); }
static int limit(cdni_sundials *m, int most) { return CVodeSetMaxOrd(m->memory, most); }

static int failures(const cdni_sundials *m, long *error_tests, long *convergence) {
  int flag = CVodeGetNumErrTestFails(m->memory, error_tests);
  return flag == 0 ? CVodeGetNumStepSolveFails(m->memory, convergence) : flag;
}

static cdni_sundials_cause cause(int flag) {
  switch (flag) {
    case CV_ERR_FAILURE: return CDNI_SUNDIALS_ERROR;
    case CV_CONV_FAILURE:
    case CV_NLS_FAIL:
    case CV_NLS_SETUP_FAIL: return CDNI_SUNDIALS_ITERATION;
    case CV_LSETUP_FAIL:
    case CV_LSOLVE_FAIL:
    case CV_RHSFUNC_FAIL:
    case CV_FIRST_RHSFUNC_ERR:
    case CV_REPTD_RHSFUNC_ERR:
    case CV_UNREC_RHSFUNC_ERR:
    case CV_PROJFUNC_FAIL:
    case CV_REPTD_PROJFUNC_ERR: return CDNI_SUNDIALS_CALLBACK;
    case CV_TOO_MUCH_ACC: return CDNI_SUNDIALS_ACCURACY;
    case CV_MEM_FAIL: return CDNI_SUNDIALS_MEMORY;
    default: return CDNI_SUNDIALS_OTHER;
  }
}

static const cdni_sundials_ops bdf = { "CVODE BDF", 0.01,  0.2,   cause, create_bdf, CVodeFree, restart, step,
                                       within,      order, error, next,  limit,      failures,  false };
static const cdni_sundials_ops adams = { "CVODE Adams", 0.02,  0,     cause, create_adams, CVodeFree, restart, step,
                                         within,        order, error, next,  NULL,         failures,  false };

const cdni_method cdni_cvode_bdf = CDNI_SUNDIALS_METHOD("CVODE BDF", bdf, .unconstrained = false);
const cdni_method cdni_cvode_adams = CDNI_SUNDIALS_METHOD("CVODE Adams", adams, .unconstrained = true);
