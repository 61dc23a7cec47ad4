/* Results of the States of an ensemble. Each function goes through all batches once. */
#include <math.h>

#include <cardan/operators.h>

#include "studies/ensemble.h"

/* One request. Arrays have one row for each State. */
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
  bool sets; /* the visitor may set variables: the view is then restored from the prototype */
} question;

static void fill_nan(double *row, size_t n) {
  for (size_t i = 0; i < n; i++) row[i] = NAN;
}

/* Reads the rows of the batch's States into a lane block, and writes them from a lane block. NULL reads zeros. */
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

/* The worker's State at the present t and y of the batch. */
static cdn_state *stand(const cdn_ensemble *e, worker *w, int batch) {
  return cdni_ensemble_at(w, batch, ensemble_t(e, batch), ensemble_y(e, batch));
}

/* The same for requests about kinematics and the mass matrix only. */
static void realize_entry(worker *w, cdn_state *state, cdn_ticket entry, cdn_stage stage) {
  if (!state) return;
  const cdn_status status = cdni_state_ensure(state, entry);
  if (w->state) cdni_ensemble_tell(w, status, stage);
  else if (status != CDN_OK) cdni_ensemble_lane_failed(w, 0, status);
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
  CDNI_NEED_OBJECT(e, CDN_ERR_ARG);
  if ((int)pool < CDN_POOL_Q || (int)pool > CDN_POOL_Z || (!rates && ensemble_pool_size(e, pool) > 0))
    return cdni_ensemble_fail(e, CDN_ERR_ARG, __func__, -1, rates ? "there is no pool %d" : "no array for pool %d",
                              (int)pool);
  question x = { .e = e, .pool = pool, .out = rates };
  x.out_stride = stride ? stride : ensemble_pool_size(e, pool);
  return cdni_ensemble_run(e, __func__, rates_of, &x);
}

/* ---- bodies ---- */

static const double *X_BM_of(const question *x, int k) {
  const cdn_ensemble *e = x->e;
  const double *shared = cdni_matter_X_BM(e->m, e->prototype, x->body);
  const ptrdiff_t at = shared - cdn_state_parameters(e->prototype, e->m->frames);
  for (size_t i = 0; i < e->varying.count; i++) {
    const varying *v = &CDNI_AT(e->varying, varying, i);
    if (v->v.ticket.i == e->m->frames.ticket.i) return e->values + (size_t)k * e->n_values + v->at + at;
  }
  return shared;
}

static void body_in_lane(const question *x, const worker *w, int lane, int k) {
  body_pose pose;
  body_twist twist;
  enum { POSE = sizeof pose / sizeof(double), TWIST = sizeof twist / sizeof(double) };
  const tree_data d = cdni_matter_data(cdni_matter(x->e->twin), w->state);
  const size_t width = (size_t)x->e->lanes, body = (size_t)x->body.i;
  lane_get((const double *)d.pose + body * POSE * width, x->e->lanes, lane, (double *)&pose, POSE);
  if (x->X_GB) x->X_GB[k] = cdni_body_transform(X_BM_of(x, k), &pose);
  if (!x->V_GB) return;
  lane_get((const double *)d.twist + body * TWIST * width, x->e->lanes, lane, (double *)&twist, TWIST);
  x->V_GB[k] = cdni_body_spatial_velocity(X_BM_of(x, k), &pose, &twist);
}

static void body_of(void *context, int thread, int batch) {
  const question *x = context;
  const cdn_ensemble *e = x->e;
  worker *w = &e->workers[thread];
  cdn_state *state = stand(e, w, batch);
  if (x->V_GB) realize_entry(w, state, CDN_TWIST, CDN_STAGE_VELOCITY);
  else realize_entry(w, state, CDN_POSE, CDN_STAGE_POSITION);
  for (int l = 0; l < e->lanes; l++) {
    const int k = batch * e->lanes + l;
    cdn_status status = CDN_OK;
    if (k >= e->count) break;
    const bool alone = !w->state && e->status[k] == CDN_OK;
    if (alone && x->X_GB) status = cdn_body_pose(state, x->body, &x->X_GB[k]);
    if (alone && x->V_GB && status == CDN_OK) status = cdn_body_velocity(state, x->body, &x->V_GB[k]);
    if (status != CDN_OK) cdni_ensemble_lane_failed(w, l, status);
    if (e->status[k] == CDN_OK && w->state) body_in_lane(x, w, l, k);
    if (e->status[k] == CDN_OK) continue;
    if (x->X_GB) fill_nan((double *)&x->X_GB[k], sizeof *x->X_GB / sizeof(double));
    if (x->V_GB) fill_nan((double *)&x->V_GB[k], sizeof *x->V_GB / sizeof(double));
  }
}

cdn_status cdn_ensemble_body(cdn_ensemble *e, cdn_body body, cdn_transform *X_GB, cdn_spatial *V_GB) {
  CDNI_NEED_OBJECT(e, CDN_ERR_ARG);
  if (!cdni_body_exists(e->m, body))
    return cdni_ensemble_fail(e, CDN_ERR_ARG, __func__, -1, "there is no body %d in this System", (int)body.i);
  question x = { .e = e, .body = body, .X_GB = X_GB, .V_GB = V_GB };
  return cdni_ensemble_run(e, __func__, body_of, &x);
}

/* ---- operators ---- */

/* Refuses Systems without bodies, and a NULL array. */
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

/* A request with rows of nu numbers as input and output. Stride 0: rows without gaps. */
static question rows_of(cdn_ensemble *e, const double *in, size_t in_stride, double *out, size_t out_stride) {
  const size_t n = e->m ? (size_t)e->m->tree.nu : 0;
  return (question){
    .e = e, .in = in, .in_stride = in_stride ? in_stride : n, .out = out, .out_stride = out_stride ? out_stride : n
  };
}

/* The data of the kernels, without forces. */
static tree_data passes_of(const cdn_ensemble *e, const worker *w) {
  tree_data d = cdni_matter_data(cdni_matter(e->twin), w->state);
  d.force = NULL, d.f_mob = NULL;
  return d;
}

static void inverse_dynamics_of(void *context, int thread, int batch) {
  const question *x = context;
  const cdn_ensemble *e = x->e;
  worker *w = &e->workers[thread];
  cdn_state *state = stand(e, w, batch);
  const size_t n = (size_t)e->m->tree.nu;
  double *udot = x->in ? w->mobility[0] : NULL, *f = w->mobility[1];
  if (udot) read_rows(e, batch, x->in, x->in_stride, n, udot);
  if (w->state) {
    realize_entry(w, state, e->m->inertia.ticket, CDN_STAGE_POSITION);
    realize_entry(w, state, CDN_TWIST, CDN_STAGE_VELOCITY);
    tree_data d = passes_of(e, w);
    d.udot = udot;
    cdni_matter(e->twin)->kernels->inverse(&e->m->tree, &d, true, f);
  } else if (state) {
    const cdn_status status = cdn_inverse_dynamics(state, udot, NULL, NULL, f);
    if (status != CDN_OK) cdni_ensemble_lane_failed(w, 0, status);
  }
  write_rows(e, batch, w->mobility[1], n, x->out, x->out_stride);
}

cdn_status cdn_ensemble_inverse_dynamics(cdn_ensemble *e, const double *udot, size_t udot_stride, double *f,
                                         size_t f_stride) {
  CDNI_NEED_OBJECT(e, CDN_ERR_ARG);
  question x = rows_of(e, udot, udot_stride, f, f_stride);
  CDNI_TRY(check_rows(e, __func__, udot, false, x.in_stride, f));
  return cdni_ensemble_run(e, __func__, inverse_dynamics_of, &x);
}

/* Lanes without M^-1 fail, each with the message from its own articulated inertias. */
static void articulate(worker *w, cdn_state *state) {
  const cdn_ensemble *e = w->e;
  bool before[CDNI_MOST_LANES];
  realize_entry(w, state, CDN_POSE, CDN_STAGE_POSITION);
  memcpy(before, w->in_lanes.failed, sizeof before);
  const cdn_status status = cdni_state_ensure(state, e->m->articulated.ticket);
  for (int l = 0; l < e->lanes; l++) {
    if (before[l] || (status == CDN_OK && !w->in_lanes.failed[l])) continue;
    w->in_lanes.failed[l] = false;
    cdn_state *one = cdni_ensemble_lane_state(w, l);
    if (one) cdni_ensemble_lane_failed(w, l, cdni_state_ensure(one, e->m->articulated.ticket));
  }
}

static void multiply_by_M_inv_of(void *context, int thread, int batch) {
  const question *x = context;
  const cdn_ensemble *e = x->e;
  worker *w = &e->workers[thread];
  cdn_state *state = stand(e, w, batch);
  const size_t n = (size_t)e->m->tree.nu;
  read_rows(e, batch, x->in, x->in_stride, n, w->mobility[0]);
  if (w->state) {
    articulate(w, state);
    tree_data d = passes_of(e, w);
    d.f_mob = w->mobility[0];
    d.udot = w->mobility[1];
    CDNI_LANE_FINDINGS(singular);
    cdni_matter(e->twin)->kernels->solve(&e->m->tree, &d, 1, e->m->tree.n, true, singular);
  } else if (state) {
    const cdn_status status = cdn_multiply_by_M_inv(state, w->mobility[0], w->mobility[1]);
    if (status != CDN_OK) cdni_ensemble_lane_failed(w, 0, status);
  }
  write_rows(e, batch, w->mobility[1], n, x->out, x->out_stride);
}

cdn_status cdn_ensemble_multiply_by_M_inv(cdn_ensemble *e, const double *f, size_t f_stride, double *a,
                                          size_t a_stride) {
  CDNI_NEED_OBJECT(e, CDN_ERR_ARG);
  question x = rows_of(e, f, f_stride, a, a_stride);
  CDNI_TRY(check_rows(e, __func__, f, true, x.in_stride, a));
  return cdni_ensemble_run(e, __func__, multiply_by_M_inv_of, &x);
}

/* ---- State by State ---- */

static void visit_all(void *context, int thread, int batch) {
  const question *x = context;
  const cdn_ensemble *e = x->e;
  worker *w = &e->workers[thread];
  for (int l = 0; l < e->lanes; l++) {
    stand(e, w, batch);
    cdn_state *state = cdni_ensemble_lane_state(w, l);
    if (!state) continue;
    const cdn_status status = x->visit(x->context, batch * e->lanes + l, state);
    if (status != CDN_OK) cdni_ensemble_lane_failed(w, l, status);
    if (!x->sets) continue;
    (void)!cdn_state_copy(state, e->prototype); /* of one System: cannot fail */
    for (int i = 0; i < w->n_views; i++)
      if (w->views[i].state == state) w->views[i].viewed = -1;
  }
}

cdn_status cdn_ensemble_visit(cdn_ensemble *e, cdn_status (*visit)(void *context, int k, cdn_state *state),
                              void *context) {
  CDNI_NEED_OBJECT(e, CDN_ERR_ARG);
  if (!visit) return cdni_ensemble_fail(e, CDN_ERR_ARG, __func__, -1, "there is no function to call");
  question x = { .e = e, .visit = visit, .context = context, .sets = true };
  return cdni_ensemble_run(e, __func__, visit_all, &x);
}

static cdn_status energies_of(void *context, int k, cdn_state *state) {
  const question *x = context;
  if (x->kinetic) CDNI_TRY(cdn_kinetic_energy(state, &x->kinetic[k]));
  return x->potential ? cdn_potential_energy(state, &x->potential[k]) : CDN_OK;
}

cdn_status cdn_ensemble_energies(cdn_ensemble *e, double *kinetic, double *potential) {
  CDNI_NEED_OBJECT(e, CDN_ERR_ARG);
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
