/* What an ensemble's States amount to: each question is one round over the batches. */
#include <math.h>

#include <cardan/operators.h>

#include "studies/ensemble.h"

/* One question: arrays have a row a State. */
typedef struct question {
  cdn_ensemble *e;
  cdn_pool pool;
  cdn_body body;
  cdn_transform *X_GB;
  cdn_spatial *V_GB;
  double *kinetic, *potential;
  const double *in;
  double *out;
  size_t in_stride, out_stride;
  cdn_status (*visit)(void *context, int k, cdn_state *state);
  void *context;
  bool sets; /* the visitor may have set anything: the view becomes the State again that the ensemble was made from */
} question;

static void fill_nan(double *row, size_t n) {
  for (size_t i = 0; i < n; i++) row[i] = NAN;
}

/* Rows of the batch's States: read into a lane block, and written from one. NULL reads zeros. */
static void read_rows(const cdn_ensemble *e, int batch, const double *rows, size_t stride, size_t n, double *block) {
  for (int l = 0; l < e->lanes; l++) {
    const int k = batch * e->lanes + l;
    if (rows && k < e->count) lane_put(block, e->lanes, l, rows + (size_t)k * stride, n);
    else
      for (size_t i = 0; i < n; i++) block[i * (size_t)e->lanes + (size_t)l] = 0;
  }
}

static void write_rows(const cdn_ensemble *e, int batch, const double *block, size_t n, double *rows, size_t stride) {
  for (int l = 0; l < e->lanes; l++) {
    const int k = batch * e->lanes + l;
    if (k >= e->count) continue;
    if (e->status[k] == CDN_OK) lane_get(block, e->lanes, l, rows + (size_t)k * stride, n);
    else fill_nan(rows + (size_t)k * stride, n);
  }
}

/* The batch as its States are; the view, where there is one State. */
static cdn_state *stand(const question *x, worker *w, int batch) {
  const cdn_ensemble *e = x->e;
  cdni_ensemble_at(w, batch, ensemble_t(e, batch), ensemble_y(e, batch));
  return e->kernels ? NULL : cdni_ensemble_lane_state(w, 0);
}

/* Failures of a lane that kinematics found. */
static void tell_kinematics(worker *w) {
  for (int l = 0; l < w->e->lanes; l++) {
    if (!w->failed[l]) continue;
    w->failed[l] = false;
    cdn_state *state = cdni_ensemble_lane_state(w, l);
    if (!state) continue;
    const cdn_status status = cdn_realize(state, CDN_STAGE_POSITION);
    if (status != CDN_OK) cdni_ensemble_lane_failed(w, l, status);
  }
}

/* ---- rates ---- */

static void rates_of(void *context, int thread, int batch) {
  const question *x = context;
  const cdn_ensemble *e = x->e;
  cdni_ensemble_know(&e->workers[thread], batch);
  const double *block = ensemble_rates(e, batch) + ensemble_pool_first(e, x->pool) * (size_t)e->lanes;
  write_rows(e, batch, block, ensemble_pool_size(e, x->pool), x->out, x->out_stride);
}

cdn_status cdn_ensemble_rates(cdn_ensemble *e, cdn_pool pool, double *rates, size_t stride) {
  static const char function[] = "cdn_ensemble_rates";
  if ((int)pool < CDN_POOL_Q || (int)pool > CDN_POOL_Z || (!rates && ensemble_pool_size(e, pool) > 0))
    return cdni_ensemble_fail(e, CDN_ERR_ARG, function, -1, rates ? "there is no pool %d" : "no array for pool %d",
                              (int)pool);
  question x = { .e = e, .pool = pool, .out = rates };
  x.out_stride = stride ? stride : ensemble_pool_size(e, pool);
  return cdni_ensemble_run(e, function, rates_of, &x);
}

/* ---- bodies ---- */

static const double *X_BM_of(const question *x, int k) {
  const cdn_ensemble *e = x->e;
  const double *frames = cdn_state_parameters(e->prototype, e->m->frames);
  for (size_t i = 0; i < e->varying.count; i++) {
    const varying *v = &CDNI_AT(e->varying, varying, i);
    if (v->v.i == e->m->frames.i) frames = e->values + (size_t)k * e->n_values + v->at;
  }
  return frames + FORCE_FRAME * x->body.i + FORCE_X_BM;
}

static void body_in_lane(const question *x, const worker *w, int lane, int k) {
  body_pose pose;
  body_twist twist;
  const size_t width = (size_t)x->e->lanes, body = (size_t)x->body.i;
  lane_get((const double *)w->d.pose + body * RECORD_NUMBERS(pose) * width, x->e->lanes, lane, (double *)&pose,
           RECORD_NUMBERS(pose));
  if (x->X_GB) x->X_GB[k] = cdni_body_transform(X_BM_of(x, k), &pose);
  if (!x->V_GB) return;
  lane_get((const double *)w->d.twist + body * RECORD_NUMBERS(twist) * width, x->e->lanes, lane, (double *)&twist,
           RECORD_NUMBERS(twist));
  x->V_GB[k] = cdni_body_spatial_velocity(X_BM_of(x, k), &pose, &twist);
}

static void body_of(void *context, int thread, int batch) {
  const question *x = context;
  const cdn_ensemble *e = x->e;
  worker *w = &e->workers[thread];
  cdn_state *state = stand(x, w, batch);
  if (e->kernels) {
    cdni_ensemble_kinematics(w, false, x->V_GB != NULL);
    tell_kinematics(w);
  }
  for (int l = 0; l < e->lanes; l++) {
    const int k = batch * e->lanes + l;
    cdn_status status = CDN_OK;
    if (k >= e->count) break;
    if (state && x->X_GB) status = cdn_body_pose(state, x->body, &x->X_GB[k]);
    if (state && x->V_GB && status == CDN_OK) status = cdn_body_velocity(state, x->body, &x->V_GB[k]);
    if (status != CDN_OK) cdni_ensemble_lane_failed(w, l, status);
    if (e->status[k] == CDN_OK && e->kernels) body_in_lane(x, w, l, k);
    if (e->status[k] == CDN_OK) continue;
    if (x->X_GB) fill_nan((double *)&x->X_GB[k], sizeof *x->X_GB / sizeof(double));
    if (x->V_GB) fill_nan((double *)&x->V_GB[k], sizeof *x->V_GB / sizeof(double));
  }
}

cdn_status cdn_ensemble_body(cdn_ensemble *e, cdn_body body, cdn_transform *X_GB, cdn_spatial *V_GB) {
  static const char function[] = "cdn_ensemble_body";
  if (!cdni_body_exists(e->m, body))
    return cdni_ensemble_fail(e, CDN_ERR_ARG, function, -1, "there is no body %d in this System", (int)body.i);
  question x = { .e = e, .body = body, .X_GB = X_GB, .V_GB = V_GB };
  return cdni_ensemble_run(e, function, body_of, &x);
}

/* ---- operators ---- */

/* No bodies, or no array where numbers must be. */
static cdn_status check_rows(cdn_ensemble *e, const char *function, const double *in, bool needed, size_t stride,
                             const double *out) {
  if (!e->m) return cdni_ensemble_fail(e, CDN_ERR_ARG, function, -1, "the System has no bodies");
  const size_t n = (size_t)e->m->tree.nu;
  if (n > 0 && (!out || (needed && !in))) return cdni_ensemble_fail(e, CDN_ERR_ARG, function, -1, "an array is NULL");
  for (int k = 0; in && n > 0 && k < e->count; k++) {
    size_t bad;
    if (!cdni_all_finite(in + (size_t)k * stride, n, &bad))
      return cdni_ensemble_fail(e, CDN_ERR_NONFINITE, function, k, "number %zu of State %d's row is %g", bad, k,
                                in[(size_t)k * stride + bad]);
  }
  return CDN_OK;
}

/* From rows of nu numbers to rows of nu numbers; a stride of 0: one row after another. */
static question rows_of(cdn_ensemble *e, const double *in, size_t in_stride, double *out, size_t out_stride) {
  const size_t n = e->m ? (size_t)e->m->tree.nu : 0;
  return (question){
    .e = e, .in = in, .in_stride = in_stride ? in_stride : n, .out = out, .out_stride = out_stride ? out_stride : n
  };
}

static void inverse_dynamics_of(void *context, int thread, int batch) {
  const question *x = context;
  const cdn_ensemble *e = x->e;
  worker *w = &e->workers[thread];
  cdn_state *state = stand(x, w, batch);
  const size_t n = (size_t)e->m->tree.nu;
  double *udot = x->in ? w->mobility[0] : NULL, *f = w->mobility[1];
  if (udot) read_rows(e, batch, x->in, x->in_stride, n, udot);
  if (e->kernels) {
    cdni_ensemble_kinematics(w, true, true);
    tell_kinematics(w);
    w->d.udot = udot;
    e->kernels->inverse(&e->m->tree, &w->d, true, f);
  } else if (state) {
    const cdn_status status = cdn_inverse_dynamics(state, udot, NULL, NULL, f);
    if (status != CDN_OK) cdni_ensemble_lane_failed(w, 0, status);
  }
  write_rows(e, batch, w->mobility[1], n, x->out, x->out_stride);
}

cdn_status cdn_ensemble_inverse_dynamics(cdn_ensemble *e, const double *udot, size_t udot_stride, double *f,
                                         size_t f_stride) {
  static const char function[] = "cdn_ensemble_inverse_dynamics";
  question x = rows_of(e, udot, udot_stride, f, f_stride);
  CDNI_TRY(check_rows(e, function, udot, false, x.in_stride, f));
  return cdni_ensemble_run(e, function, inverse_dynamics_of, &x);
}

/* Articulated inertias of the batch; States whose mass matrix is singular fail. */
static void articulate(worker *w) {
  const cdn_ensemble *e = w->e;
  int64_t singular[CDNI_MOST_LANES] __attribute__((aligned(CDNI_ALIGN)));
  cdni_ensemble_kinematics(w, true, false);
  tell_kinematics(w);
  e->kernels->articulate(&e->m->tree, &w->d, singular);
  for (int l = 0; l < e->lanes; l++) {
    cdn_state *state = singular[l] >= 0 ? cdni_ensemble_lane_state(w, l) : NULL;
    if (state) cdni_ensemble_lane_failed(w, l, cdni_state_ensure(state, e->m->articulated.ticket));
  }
}

static void multiply_by_M_inv_of(void *context, int thread, int batch) {
  const question *x = context;
  const cdn_ensemble *e = x->e;
  worker *w = &e->workers[thread];
  cdn_state *state = stand(x, w, batch);
  const size_t n = (size_t)e->m->tree.nu;
  read_rows(e, batch, x->in, x->in_stride, n, w->mobility[0]);
  if (e->kernels) {
    articulate(w);
    w->d.f_mob = w->mobility[0];
    w->d.udot = w->mobility[1];
    e->kernels->solve(&e->m->tree, &w->d);
  } else if (state) {
    const cdn_status status = cdn_multiply_by_M_inv(state, w->mobility[0], w->mobility[1]);
    if (status != CDN_OK) cdni_ensemble_lane_failed(w, 0, status);
  }
  write_rows(e, batch, w->mobility[1], n, x->out, x->out_stride);
}

cdn_status cdn_ensemble_multiply_by_M_inv(cdn_ensemble *e, const double *f, size_t f_stride, double *a,
                                          size_t a_stride) {
  static const char function[] = "cdn_ensemble_multiply_by_M_inv";
  question x = rows_of(e, f, f_stride, a, a_stride);
  CDNI_TRY(check_rows(e, function, f, true, x.in_stride, a));
  return cdni_ensemble_run(e, function, multiply_by_M_inv_of, &x);
}

/* ---- State by State ---- */

static void visit_all(void *context, int thread, int batch) {
  const question *x = context;
  const cdn_ensemble *e = x->e;
  worker *w = &e->workers[thread];
  for (int l = 0; l < e->lanes; l++) {
    stand(x, w, batch);
    cdn_state *state = cdni_ensemble_lane_state(w, l);
    if (!state) continue;
    const cdn_status status = x->visit(x->context, batch * e->lanes + l, state);
    if (status != CDN_OK) cdni_ensemble_lane_failed(w, l, status);
    if (!x->sets) continue;
    (void)!cdn_state_copy(w->view, e->prototype); /* of one System: cannot fail */
    w->viewed = -1;
  }
}

cdn_status cdn_ensemble_visit(cdn_ensemble *e, cdn_status (*visit)(void *context, int k, cdn_state *state),
                              void *context) {
  static const char function[] = "cdn_ensemble_visit";
  if (!visit) return cdni_ensemble_fail(e, CDN_ERR_ARG, function, -1, "there is no function to call");
  question x = { .e = e, .visit = visit, .context = context, .sets = true };
  return cdni_ensemble_run(e, function, visit_all, &x);
}

static cdn_status energies_of(void *context, int k, cdn_state *state) {
  const question *x = context;
  if (x->kinetic) CDNI_TRY(cdn_kinetic_energy(state, &x->kinetic[k]));
  return x->potential ? cdn_potential_energy(state, &x->potential[k]) : CDN_OK;
}

cdn_status cdn_ensemble_energies(cdn_ensemble *e, double *kinetic, double *potential) {
  question x = { .e = e, .kinetic = kinetic, .potential = potential, .visit = energies_of };
  x.context = &x;
  const cdn_status status = cdni_ensemble_run(e, "cdn_ensemble_energies", visit_all, &x);
  for (int k = 0; k < e->count; k++) {
    if (e->status[k] == CDN_OK) continue;
    if (kinetic) kinetic[k] = NAN;
    if (potential) potential[k] = NAN;
  }
  return status;
}
