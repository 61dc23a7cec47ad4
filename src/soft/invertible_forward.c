/* The forward problem (17): a primal interior point method with continuation in kappa and an elastic mode. */
#include "soft/invertible_forward.h"

#include <math.h>

#include "core/sized.h"

struct cdn_invertible {
  cdn_allocator allocator;
  double *memory;
  size_t size;
  cdn_invertible_report report;
  bool has_report;
};

cdn_status cdn_invertible_create(const cdn_allocator *allocator, cdn_invertible **out) {
  CDNI_NEED_OBJECT(out, CDN_ERR_ARG);
  *out = NULL;
  const cdn_allocator a = cdni_allocator_or_default(allocator ? *allocator : (cdn_allocator){ 0 });
  cdn_invertible *solver = cdni_calloc(&a, sizeof *solver);
  if (!solver) return cdni_refuse(CDN_ERR_NOMEM, __func__, "out of memory for a solver of contacts");
  solver->allocator = a;
  *out = solver;
  return CDN_OK;
}

void cdn_invertible_destroy(cdn_invertible *solver) {
  if (!solver) return;
  const cdn_allocator a = solver->allocator;
  cdni_free(&a, solver->memory, solver->size);
  cdni_free(&a, solver, sizeof *solver);
}

cdn_status cdn_invertible_get_report_sized(const cdn_invertible *solver, cdn_invertible_report *out, size_t size) {
  CDNI_NEED_OBJECT(solver, CDN_ERR_ARG);
  CDNI_NEED_OBJECT(out, CDN_ERR_ARG);
  const cdn_invertible_report none = { .worst = -1 };
  cdni_sized_write(out, size, solver->has_report ? &solver->report : &none, sizeof none);
  return CDN_OK;
}

/* ---- memory ---- */

enum { FORWARD_VECTORS = 9, BOUNCE_VECTORS = 3 };
static size_t doubles_of(size_t n) { return 2 * n * n + (FORWARD_VECTORS + BOUNCE_VECTORS) * n; }

static cdn_status reserve(const char *function, cdn_invertible *solver, int rows) {
  const size_t size = doubles_of((size_t)rows) * sizeof(double);
  if (size <= solver->size) return CDN_OK;
  double *memory = cdni_alloc(&solver->allocator, size);
  if (!memory) return cdni_refuse(CDN_ERR_NOMEM, function, "out of memory for %d rows of contacts", rows);
  cdni_free(&solver->allocator, solver->memory, solver->size);
  solver->memory = memory, solver->size = size;
  return CDN_OK;
}

static forward forward_at(const cdn_invertible_problem *p, double *memory) {
  const size_t n = (size_t)invertible_rows(p);
  forward k = { .p = p, .n = (int)n, .normals = invertible_normals(p) };
  k.A = memory, k.H = k.A + n * n, k.R = k.H + n * n;
  k.c = k.R + n, k.scale = k.c + n, k.f = k.scale + n, k.Af = k.f + n, k.g = k.Af + n, k.d = k.g + n, k.Ad = k.d + n;
  k.s = k.Ad + n;
  return k;
}
static double *behind(const forward *k) { return k->s + k->n; }

/* ---- what is given ---- */

static cdn_status check(const char *function, const cdn_invertible_problem *p, const double *c) {
  CDNI_TRY(cdni_invertible_check_rows(function, p));
  const int n = invertible_rows(p);
  if (!cdni_all_finite(c, (size_t)n, NULL)) return cdni_invertible_not_finite(function, p, "c", c);
  if (!cdni_all_finite(p->A, (size_t)n * (size_t)n, NULL)) return cdni_invertible_not_finite(function, p, "A", p->R);
  for (int i = 0; i < n; i++)
    for (int j = 0; j < i; j++) {
      const double a = p->A[i * n + j], b = p->A[j * n + i];
      const double size = fmax(sqrt(fabs(p->A[i * n + i])) * sqrt(fabs(p->A[j * n + j])), fabs(a));
      if (fabs(a - b) > 1e-6 * size)
        return cdni_refuse(CDN_ERR_ARG, function,
                           "A has %g in row %d and column %d, and %g opposite: give a symmetric "
                           "matrix",
                           a, i, j, b);
    }
  return CDN_OK;
}

static void scale(forward *k, const double *c) {
  const int n = k->n, limits = k->p->n_limits;
  for (int i = 0; i < n; i++) k->scale[i] = i < limits || (i - limits) % 3 == 2 ? 1 : k->p->mu[(i - limits) / 3];
  for (int i = 0; i < n; i++) {
    k->c[i] = k->scale[i] * c[i];
    k->R[i] = k->scale[i] * k->scale[i] * k->p->R[i];
    for (int j = 0; j < n; j++)
      k->A[i * n + j] = k->scale[i] * k->scale[j] * 0.5 * (k->p->A[i * n + j] + k->p->A[j * n + i]);
  }
}

/* The normal impulse by which a lone contact without friction has the least of (17) without (11). */
static double lone_impulse(double kappa, double stiff, double c) {
  const double root = sqrt(c * c + 12 * kappa * stiff);
  return c > 0 ? 6 * kappa / (c + root) : (root - c) / (2 * stiff);
}

/* Many contacts share the load: f becomes as long as is best for all of them together. */
static void share(forward *k, double kappa) {
  double square = 0, linear = 0;
  cdni_forward_velocities(k);
  for (int i = 0; i < k->n; i++) {
    square += k->f[i] * (k->Af[i] + k->R[i] * k->f[i]);
    linear += k->f[i] * k->c[i];
  }
  const double part = lone_impulse(kappa * k->normals, square, linear);
  for (int i = 0; square > 0 && i < k->n; i++) k->f[i] *= part;
}

static void begin(forward *k, const double *start, double kappa) {
  const int n = k->n, limits = k->p->n_limits;
  for (int i = 0; i < k->normals; i++) {
    const int row = invertible_normal_row(k->p, i);
    const double own = lone_impulse(kappa, k->A[row * n + row] + k->R[row], k->c[row] - fmax(k->p->v_min[i], 0));
    k->f[row] = start && start[row] > 0 && isfinite(start[row]) ? start[row] : own;
  }
  for (int i = limits; i < n; i += 3) {
    double x[2] = { 0, 0 };
    for (int t = 0; start && t < 2; t++)
      if (k->scale[i + t] > 0 && isfinite(start[i + t])) x[t] = start[i + t] / k->scale[i + t];
    const double length = hypot(x[0], x[1]), normal = k->f[i + 2];
    const double part = length < (1 - 1e-9) * normal ? 1 : 0.9 * normal / length;
    k->f[i] = part * x[0], k->f[i + 1] = part * x[1];
  }
  if (!start) share(k, kappa);
}

/* ---- phases ---- */

/* Of which a part of 1e-16 is lost to rounding. */
static double energy(const forward *k) {
  double sum = 0;
  for (int i = 0; i < k->n; i++) sum += fabs(k->f[i]) * (fabs(k->Af[i]) + fabs(k->c[i]) + k->R[i] * fabs(k->f[i]));
  for (int i = 0; i < k->normals; i++) {
    const int row = invertible_normal_row(k->p, i);
    double first, second;
    invertible_barrier(k->kappa, k->q, k->s[i], &first, &second);
    sum += fabs(first) * (fabs(k->Af[row]) + fabs(k->c[row]) + fabs(k->p->v_min[i]));
  }
  return sum;
}

/* Newton's steps for one kappa and q until the decrement, over kappa, is small. The elastic mode ends where all normals
 * are above v_min. */
enum { MOST_STEPS = 60 };
static cdn_status minimize(forward *k, bool last, bool *elastic, cdn_invertible_report *report, int *bad) {
  double before = HUGE_VAL;
  int stalled = 0;
  for (int i = 0; i < MOST_STEPS; i++) {
    if (*elastic && k->p->elastic == 0 && cdni_forward_feasible(k))
      *elastic = false, k->q = 0, k->inside = true, stalled = 0;
    double decrement;
    CDNI_TRY(cdni_forward_direction(k, &decrement, bad));
    if (!isfinite(decrement)) return CDN_ERR_NONFINITE;
    if (decrement <= 1e-30 * k->kappa) return CDN_OK;
    /* so near the end the decrement falls to its square, unless rounding rules */
    const bool is_near = decrement < 1e-2 * k->kappa || decrement < 1e-13 * energy(k);
    if (is_near && decrement > 0.1 * before && ++stalled >= 3)
      return last && decrement > 1e-2 * k->kappa ? CDN_ERR_LIMIT : CDN_OK;
    before = decrement;
    cdni_forward_step(k, decrement);
    cdni_forward_velocities(k);
    report->iterations++;
    if (decrement <= (last ? 1e-18 : 1e-2) * k->kappa) return CDN_OK;
  }
  return CDN_ERR_LIMIT;
}

/* An energy at which the cones and the velocities matter little. */
static double large_kappa(const forward *k) {
  double most = k->p->kappa;
  for (int i = 0; i < k->n; i++) {
    const double stiff = k->A[i * k->n + i] + k->R[i];
    if (stiff > 0) most = fmax(most, k->c[i] * k->c[i] / stiff);
  }
  for (int i = 0; i < k->normals; i++) {
    const int row = invertible_normal_row(k->p, i);
    const double v = fmax(k->p->v_min[i] - k->c[row], 0);
    most = fmax(most, fmax(v * v / (k->A[row * k->n + row] + k->R[row]), k->p->elastic * v));
  }
  return most;
}

/* A velocity such as the contacts have. */
static double large_velocity(const forward *k) {
  double most = 0;
  for (int i = 0; i < k->normals; i++) {
    const int row = invertible_normal_row(k->p, i);
    most = fmax(most, fabs(k->c[row]) + fabs(k->p->v_min[i]));
  }
  return most > 0 ? most : 1;
}

static void measure(const forward *k, cdn_invertible_report *report) {
  report->elastic = 0, report->worst = -1, report->shortfall = 0;
  const double s0 = k->q > 0 ? k->kappa / k->q : 0;
  for (int i = 0; i < k->normals; i++) {
    if (k->s[i] <= 0 || k->s[i] < s0) report->elastic++;
    if (k->s[i] < -report->shortfall) report->worst = i, report->shortfall = -k->s[i];
  }
  report->residual = 0;
  for (int i = 0; i < k->n; i++) report->residual = fmax(report->residual, fabs(k->g[i]) / (1 + fabs(k->c[i])));
}

/* Leads f above v_min, if it can: with kappa raised, and the parabola of (25) below a velocity such as the contacts
 * have, the barriers outweigh the energy, and f goes to where they are least. */
enum { MOST_RAISES = 14 };
static cdn_status enter(forward *k, cdn_invertible_report *report, int *bad) {
  const double velocity = 0.1 * large_velocity(k);
  for (int raised = 0;; raised++) {
    bool elastic = true;
    k->q = k->kappa / velocity;
    const cdn_status status = minimize(k, false, &elastic, report, bad);
    if (status != CDN_OK && status != CDN_ERR_LIMIT && raised == 0) return status;
    report->phases++;
    /* impulses that grow without end show in numbers that do not fit together any more */
    if (status != CDN_OK && status != CDN_ERR_LIMIT) return CDN_ERR_CONSTRAINT;
    if (!elastic || cdni_forward_feasible(k)) break;
    if (raised == MOST_RAISES) return CDN_ERR_CONSTRAINT;
    k->kappa *= 10;
  }
  k->q = 0, k->inside = true;
  return CDN_OK;
}

static cdn_status follow(forward *k, bool warm, cdn_invertible_report *report, int *bad) {
  const double final = k->p->kappa;
  k->kappa = warm ? final : large_kappa(k);
  k->q = k->p->elastic;
  k->inside = k->q == 0 && cdni_forward_feasible(k);
  if (k->q == 0 && !k->inside) {
    k->kappa = large_kappa(k);
    CDNI_TRY(enter(k, report, bad));
  }
  for (int raised = 0;; report->phases++) {
    const bool last = k->kappa <= final;
    bool elastic = k->q > 0;
    const cdn_status status = minimize(k, last, &elastic, report, bad);
    if (status == CDN_ERR_LIMIT && raised++ < MOST_RAISES) { /* a larger kappa has longer steps */
      k->kappa *= 100;
      continue;
    }
    if (status != CDN_OK) return status;
    if (last) break;
    k->kappa = fmax(final, 0.1 * k->kappa);
  }
  report->phases++;
  return CDN_OK;
}

static cdn_status tell(const char *function, const forward *k, const cdn_invertible_report *report, cdn_status status,
                       int bad) {
  char name[INVERTIBLE_NAME_SIZE];
  switch (status) {
    case CDN_ERR_SINGULAR:
      return cdni_refuse(status, function, "A is not positive semidefinite in row %d: give J M^-1 J^T", bad);
    case CDN_ERR_CONSTRAINT:
      return cdni_refuse(status, function,
                         "no impulses bring %s to its v_min: %g m/s are missing; lower v_min, or give "
                         "elastic > 0",
                         cdni_invertible_name(k->p, report->worst < 0 ? 0 : report->worst, name), report->shortfall);
    case CDN_ERR_NONFINITE:
      return cdni_refuse(status, function, "the impulses are too large for numbers: scale the problem");
    case CDN_ERR_LIMIT:
      return cdni_refuse(status, function,
                         "%d Newton steps did not suffice, and a residual of %g is left: give a larger "
                         "kappa, or scale the problem",
                         report->iterations, report->residual);
    default: return status;
  }
}

static cdn_status solve(const char *function, forward *k, const double *c, const double *start,
                        cdn_invertible_report *report, double *f, double *v) {
  const int n = k->n;
  *report = (cdn_invertible_report){ .worst = -1 };
  scale(k, c);
  begin(k, start, start ? k->p->kappa : large_kappa(k));
  cdni_forward_velocities(k);
  int bad = -1;
  const cdn_status status = follow(k, start, report, &bad);
  cdni_forward_gradient(k);
  measure(k, report);
  for (int i = 0; i < n; i++) f[i] = k->scale[i] * k->f[i];
  for (int i = 0; i < n; i++) {
    double sum = c[i];
    for (int j = 0; j < n; j++) sum += k->p->A[i * n + j] * f[j];
    v[i] = sum;
  }
  return tell(function, k, report, status, bad);
}

cdn_status cdn_invertible_forward(cdn_invertible *solver, const cdn_invertible_problem *problem, const double *c,
                                  const double *start, double *f, double *v) {
  CDNI_NEED_OBJECT(solver, CDN_ERR_ARG);
  cdn_invertible_problem p;
  CDNI_TRY(cdni_invertible_read_problem(__func__, &p, problem));
  solver->has_report = true, solver->report = (cdn_invertible_report){ .worst = -1 };
  if (invertible_rows(&p) == 0) return CDN_OK;
  CDNI_NEED_OBJECT(c, CDN_ERR_ARG);
  CDNI_NEED_OBJECT(f, CDN_ERR_ARG);
  CDNI_NEED_OBJECT(v, CDN_ERR_ARG);
  CDNI_TRY(check(__func__, &p, c));
  CDNI_TRY(reserve(__func__, solver, invertible_rows(&p)));
  forward k = forward_at(&p, solver->memory);
  return solve(__func__, &k, c, start, &solver->report, f, v);
}

/* ---- restitution ---- */

cdn_status cdn_invertible_bounce(cdn_invertible *solver, const cdn_invertible_problem *problem, const double *e,
                                 const double *c, double *f, double *v) {
  CDNI_NEED_OBJECT(solver, CDN_ERR_ARG);
  cdn_invertible_problem p;
  CDNI_TRY(cdni_invertible_read_problem(__func__, &p, problem));
  solver->has_report = true, solver->report = (cdn_invertible_report){ .worst = -1 };
  const int n = invertible_rows(&p);
  if (n == 0) return CDN_OK;
  CDNI_NEED_OBJECT(e, CDN_ERR_ARG);
  CDNI_NEED_OBJECT(c, CDN_ERR_ARG);
  CDNI_NEED_OBJECT(f, CDN_ERR_ARG);
  CDNI_NEED_OBJECT(v, CDN_ERR_ARG);
  char name[INVERTIBLE_NAME_SIZE];
  for (int i = 0; i < invertible_normals(&p); i++)
    if (!(e[i] >= 0 && e[i] <= 1))
      return cdni_refuse(isfinite(e[i]) ? CDN_ERR_ARG : CDN_ERR_NONFINITE, __func__,
                         "the restitution of %s is %g: give a number from 0 to 1", cdni_invertible_name(&p, i, name),
                         e[i]);
  CDNI_TRY(check(__func__, &p, c));
  CDNI_TRY(reserve(__func__, solver, n));
  forward k = forward_at(&p, solver->memory);
  double *given = behind(&k), *back = given + n, *own = back + n;
  memcpy(given, c, (size_t)n * sizeof *given);
  CDNI_TRY(solve(__func__, &k, given, NULL, &solver->report, f, v));
  for (int i = 0; i < n; i++) own[i] = f[i] * (1 + e[i < p.n_limits ? i : p.n_limits + (i - p.n_limits) / 3]);
  for (int i = 0; i < n; i++) {
    given[i] = c[i];
    for (int j = 0; j < n; j++) given[i] += p.A[i * n + j] * own[j];
  }
  const cdn_invertible_report first = solver->report;
  CDNI_TRY(solve(__func__, &k, given, NULL, &solver->report, back, v));
  for (int i = 0; i < n; i++) f[i] = own[i] + back[i];
  solver->report.iterations += first.iterations, solver->report.phases += first.phases;
  return CDN_OK;
}
