/* IDA: backward differences of variable order and step, applied to the residual form F = ydot - f(t, y) = 0, with
 * constraints as equations (ggl.h). IDA is a cross-check of the other methods: it reaches the same motion by another
 * algorithm. The norm ignores algebraic variables, so IDA's own option to leave them out of its error test is not
 * needed. */
#include <ida/ida.h>
#include <ida/ida_ls.h>

#include "integrators/ggl.h"
#include "integrators/newton.h"
#include "integrators/stepper.h"
#include "integrators/sundials.h"

static int residual(double t, N_Vector y, N_Vector ydot, N_Vector r, void *user) {
  cdni_sundials *m = user;
  const double *algebraic = cdni_vector_data(y) + m->s->ny + 1;
  double *out = cdni_vector_data(r);
  int verdict = cdni_sundials_rates(t, y, r, user);
  if (verdict == 0 && m->ggl) verdict = cdni_sundials_verdict(m, cdni_ggl_add_rates(m->s, m->ggl, algebraic, out));
  N_VLinearSum(1, ydot, -1, r, r);
  if (verdict == 0 && m->ggl)
    verdict = cdni_sundials_verdict(m, cdni_ggl_residual(m->s, m->ggl, algebraic, out + m->s->ny + 1));
  return verdict;
}

/* dF/dy + cj dF/dydot = cj (1 - J / cj). */
static int linear_system(double t, double cj, N_Vector y, N_Vector ydot, N_Vector r, SUNMatrix A, void *user,
                         N_Vector a, N_Vector b, N_Vector c) {
  cdni_sundials *m = user;
  (void)ydot, (void)r, (void)A, (void)a, (void)b, (void)c;
  int verdict = cdni_sundials_verdict(m, cdni_newton_evaluate(m->s, m->newton, t, cdni_vector_data(y)));
  if (verdict != 0) return verdict;
  m->gain = 1 / cj;
  bool singular = !cdni_newton_factor(m->newton, 1 / cj);
  if (!singular && m->ggl)
    verdict = cdni_sundials_verdict(m, cdni_ggl_factor(m->s, m->ggl, m->newton, 1 / cj, &singular));
  return verdict != 0 ? verdict : singular;
}

/* If a step could grow by less than this factor, its size stays. IDA's own factor is 2. The error estimate also
 * contains the rest that Newton's iteration leaves, so a smooth motion may never reach the factor 2: a pendulum took
 * 2925 steps at 1e-9 and 1983 at 1e-10. With a factor below 1.7 that does not happen. A smaller factor means more
 * factorizations of Newton's matrix. */
static const double LEAST_GROWTH = 1.3;

static int create(cdn_stepper *s, cdni_sundials *m) {
  int order = s->def.max_order;
  m->memory = IDACreate(m->context);
  if (!m->memory || !cdni_sundials_newton(m)) return IDA_MEM_FAIL;
  int flag = IDASetErrHandlerFn(m->memory, cdni_sundials_message, m);
  if (flag == 0) flag = IDAInit(m->memory, residual, cdn_state_time(s->work), m->y, m->rates);
  if (flag == 0) flag = IDASetUserData(m->memory, m);
  if (flag == 0) flag = IDAWFtolerances(m->memory, cdni_sundials_weights);
  if (flag == 0) flag = IDASetMaxNumSteps(m->memory, -1);
  if (flag == 0) flag = IDASetEtaFixedStepBounds(m->memory, 1, LEAST_GROWTH);
  if (flag == 0 && order > 0) flag = IDASetMaxOrd(m->memory, order < 5 ? order : 5);
  if (flag == 0) flag = IDASetLinearSolver(m->memory, m->linear, m->matrix);
  if (flag == 0) flag = IDASetJacFn(m->memory, linear_system);
  return flag;
}

static int restart(cdni_sundials *m, double t, double h) {
  N_VConst(0, m->rates);
  int flag = cdni_sundials_rates(t, m->y, m->rates, m) == 0 ? 0 : IDA_RES_FAIL;
  if (flag == 0 && m->ggl && cdni_sundials_verdict(m, cdni_ggl_choose(m->s, m->ggl)) != 0) flag = IDA_RES_FAIL;
  if (flag == 0) flag = IDAReInit(m->memory, t, m->y, m->rates);
  return flag == 0 ? IDASetInitStep(m->memory, h) : flag;
}

static int step(cdni_sundials *m, double least, double end, double *t) {
  int flag = IDASetMinStep(m->memory, least);
  if (flag == 0 && m->s->def.max_step > 0) flag = IDASetMaxStep(m->memory, m->s->def.max_step);
  if (flag == 0) flag = IDASetStopTime(m->memory, end);
  return flag == 0 ? IDASolve(m->memory, end, t, m->y, m->rates, IDA_ONE_STEP) : flag;
}

static int within(const cdni_sundials *m, double t, int k, N_Vector y) { return IDAGetDky(m->memory, t, k, y); }
static int order(const cdni_sundials *m, int *k) { return IDAGetLastOrder(m->memory, k); }
static int error(cdni_sundials *m, N_Vector e) { return IDAGetEstLocalErrors(m->memory, e); }
static int next(const cdni_sundials *m, double *h) { return IDAGetCurrentStep(m->memory, h); }
static int limit(cdni_sundials *m, int most) { return IDASetMaxOrd(m->memory, most); }

static int failures(const cdni_sundials *m, long *error_tests, long *convergence) {
  int flag = IDAGetNumErrTestFails(m->memory, error_tests);
  return flag == 0 ? IDAGetNumStepSolveFails(m->memory, convergence) : flag;
}

static cdni_sundials_cause cause(int flag) {
  switch (flag) {
    case IDA_ERR_FAIL: return CDNI_SUNDIALS_ERROR;
    case IDA_CONV_FAIL:
    case IDA_NLS_FAIL:
    case IDA_NLS_SETUP_FAIL: return CDNI_SUNDIALS_ITERATION;
    case IDA_LSETUP_FAIL:
    case IDA_LSOLVE_FAIL:
    case IDA_RES_FAIL:
    case IDA_REP_RES_ERR:
    case IDA_FIRST_RES_FAIL: return CDNI_SUNDIALS_CALLBACK;
    case IDA_TOO_MUCH_ACC: return CDNI_SUNDIALS_ACCURACY;
    case IDA_MEM_FAIL: return CDNI_SUNDIALS_MEMORY;
    default: return CDNI_SUNDIALS_OTHER;
  }
}

static const cdni_sundials_ops ops = { "IDA",  0.01,  0.2,   cause, create, IDAFree,  restart, step,
                                       within, order, error, next,  limit,  failures, true };

const cdni_method cdni_ida = CDNI_SUNDIALS_METHOD("IDA", ops, .unconstrained = false);
