/* Derivatives of constrained dynamics: what constant multipliers add to those of tau, derivatives of the
 * acceleration errors, and solutions for many columns.
 *
 * Matter's recursion takes every force as carried along by what moves its body. Whatever moves the outmost common
 * ancestor of what an element names carries all its forces, and changes no error: only mobilities beyond the
 * ancestor count here. */
#include "constraints/derivatives.h"

#include "constraints/loops.h"
#include "matter/operators.h"

typedef struct differentiation {
  const constraint_room *room;
  derivative_pass *p;
  const double *lambda; /* the room's m */
  double *by_q, *by_u;  /* m x nu; NULL if not wanted */
  bool off;             /* one constraint that is off: errors are those of velocities, and forces have been added */
  constraint_copy copy;
  double *local; /* for the largest element */
  void *frame;
} differentiation;

/* ---- one element, by what it names ---- */

/* Numbers that it names: displacements of bodies, then coordinates (`half` in all); their rates. A column for each
 * of both: changes of forces on bodies beyond being carried, of forces on mobilities, of errors. */
typedef struct local_derivatives {
  const constraint_view *v;
  const double *lambda; /* the element's */
  int half, height;
  double *column, *input;
  sv *A, *F;
  double *udot;
  bool of_speeds; /* A and udot are velocities */
} local_derivatives;

static size_t local_size(const constraint_element *c) {
  const size_t half = 6 * (size_t)c->n_bodies + (size_t)c->n_mobilities, height = half + (size_t)c->m;
  return 2 * half * height + 2 * half + 12 * (size_t)c->n_bodies + (size_t)c->n_mobilities;
}

static local_derivatives local_of(const differentiation *d, const constraint_view *v) {
  const constraint_element *c = v->c;
  local_derivatives l = { .v = v, .lambda = d->lambda + c->row, .half = 6 * c->n_bodies + c->n_mobilities };
  l.height = l.half + c->m;
  l.column = d->local;
  l.input = l.column + 2 * l.half * l.height;
  l.A = (sv *)(l.input + 2 * l.half);
  l.F = l.A + c->n_bodies;
  l.udot = (double *)(l.F + c->n_bodies);
  for (int b = 0; b < c->n_bodies; b++) {
    l.A[b] = d->p->A[v->body[b]];
    l.F[b] = sv_zero();
    for (int e = 0; e < c->m; e++) l.F[b] = sv_fma(l.lambda[e], v->J[e * c->n_bodies + b], l.F[b]);
  }
  for (int k = 0; k < c->n_mobilities; k++) l.udot[k] = d->p->udot ? d->p->udot[v->mobility[k].u] : 0;
  return l;
}

static const double *local_column(const local_derivatives *l, int k) {
  return l->column + (size_t)k * (size_t)l->height;
}

/* Whether number k of a half is there to be varied: Ground stays, and not every speed has a coordinate. */
static bool varies(const local_derivatives *l, int k, bool rate) {
  const int bodies = 6 * l->v->c->n_bodies;
  return k < bodies ? l->v->body[k / 6] != 0 : rate || l->v->mobility[k - bodies].q >= 0;
}

static cdn_status fill_local(const local_derivatives *l, const constraint_copy *copy) {
  const constraint_element *c = l->v->c;
  const constraint_kind *kind = cdni_constraint_kinds[c->kind];
  const int bodies = 6 * c->n_bodies;
  memset(l->column, 0, (size_t)(2 * l->half * l->height + 2 * l->half) * sizeof *l->column);
  for (int k = 0; k < 2 * l->half; k++) {
    const int at = k % l->half;
    double *column = l->column + (size_t)k * (size_t)l->height;
    const constraint_change change = { .S = (const sv *)l->input,
                                       .dq = l->input + bodies,
                                       .dV = (const sv *)(l->input + l->half),
                                       .du = l->input + l->half + bodies,
                                       .A = l->A,
                                       .udot = l->udot,
                                       .lambda = l->lambda,
                                       .of_speeds = l->of_speeds,
                                       .dF = (sv *)column,
                                       .df = column + bodies,
                                       .da = column + l->half };
    if (!varies(l, at, k >= l->half)) continue;
    l->input[k] = 1;
    CDNI_TRY(kind->vary ? kind->vary(l->v, &change) : cdni_constraint_vary_by_differences(l->v, copy, &change));
    if (k < bodies) {
      const int b = k / 6;
      const v3 w = change.S[b].w;
      change.dF[b] = sv_sub(change.dF[b], (sv){ v3_cross(w, l->F[b].w), v3_cross(w, l->F[b].v) });
    }
    l->input[k] = 0;
  }
  return CDN_OK;
}

/* ---- all mobilities ---- */

/* How a body's M origin moves by one mobility inboard of it: displaced by S, and by q (or u) V and A change. */
typedef struct carried {
  sv S, dV, dA;
} carried;

/* From what matter's recursion has in the inertial frame that moves with the joint's own M origin. */
static carried carry(const derivative_pass *p, int joint, const mobility_motion *s, int body, bool by_q) {
  const v3 r = v3_sub(p->pose[body].p_GM, p->pose[joint].p_GM);
  const v3 w = p->twist[body].V.w, v = v3_sub(p->twist[body].V.v, p->twist[joint].V.v);
  const sv A = p->A[body];
  /* the body's motion about the joint's origin: spatial velocity and acceleration */
  const sv V_J = { w, v3_sub(v, v3_cross(w, r)) };
  const v3 a_J = v3_sub(v3_sub(A.v, v3_cross(A.w, r)), v3_cross(w, v));
  const sv S = s->S;
  carried c = { .S = sv_shift_motion(S, r) };
  sv dV = S, dA;
  v3 moved = v3_zero();
  if (by_q) {
    moved = c.S.v;
    dV = (sv){ v3_add(v3_cross(S.w, V_J.w), s->eta.w),
               v3_add(v3_add(v3_cross(S.w, V_J.v), v3_cross(S.v, V_J.w)), s->eta.v) };
    dA = (sv){ v3_add(v3_cross(S.w, A.w), v3_cross(s->eta.w, V_J.w)),
               v3_add(v3_add(v3_cross(S.w, a_J), v3_cross(S.v, A.w)),
                      v3_add(v3_cross(s->eta.w, V_J.v), v3_cross(s->eta.v, V_J.w))) };
    dA = sv_add(dA, s->alpha);
  } else {
    dA = (sv){ v3_cross(S.w, V_J.w), v3_add(v3_cross(S.w, V_J.v), v3_cross(S.v, V_J.w)) };
    dA = sv_add(dA, s->beta);
  }
  c.dV = (sv){ dV.w, v3_cross_add(w, moved, v3_cross_add(dV.w, r, dV.v)) };
  c.dA.w = dA.w;
  c.dA.v = v3_add(v3_cross_add(dA.w, r, dA.v), v3_cross(A.w, moved));
  c.dA.v = v3_cross_add(w, c.dV.v, v3_cross_add(dV.w, v, c.dA.v));
  return c;
}

/* matrix[first + e, column] += x by `a` times the errors of a local column. */
static void add_errors(const differentiation *d, const local_derivatives *l, double *matrix, int column, double x,
                       const double *from) {
  const constraint_element *c = l->v->c;
  const size_t nu = (size_t)d->p->m->tree.nu;
  if (!matrix || x == 0) return;
  const int row = d->off ? 0 : c->row;
  for (int e = 0; e < c->m; e++) matrix[(size_t)(row + e) * nu + (size_t)column] += x * from[l->half + e];
}

/* Column of dtau/dq or dtau/du by changes of the forces on bodies and mobilities. */
static void add_forces(const differentiation *d, const local_derivatives *l, double *matrix, int column,
                       const double *changes) {
  const derivative_pass *p = d->p;
  const constraint_element *c = l->v->c;
  const size_t nu = (size_t)p->m->tree.nu;
  double *to = matrix + column;
  for (int b = 0; b < c->n_bodies; b++) {
    sv F = ((const sv *)changes)[b];
    for (int i = l->v->body[b]; i > 0; i = p->node[i].parent) {
      const tree_node *n = &p->node[i];
      for (int k = n->u; k < n->u + n->nu; k++) to[(size_t)k * nu] += sv_dot(p->motion[k].S, F);
      F = sv_shift_force(F, p->pose[i].r);
    }
  }
  for (int k = 0; k < c->n_mobilities; k++) to[(size_t)l->v->mobility[k].u * nu] += changes[6 * c->n_bodies + k];
}

/* changes += x times the forces of a local column. */
static void add_changes(const local_derivatives *l, double x, int column, double *changes) {
  const double *from = local_column(l, column);
  for (int i = 0; i < l->half && x != 0; i++) changes[i] += x * from[i];
}

/* What place b does along the mobilities of one joint. */
static void meet_joint(const differentiation *d, const local_derivatives *l, int b, int joint, double *changes) {
  const derivative_pass *p = d->p;
  const constraint_element *c = l->v->c;
  const tree_node *n = &p->node[joint];
  const size_t nu = (size_t)p->m->tree.nu;
  for (int k = n->u; k < n->u + n->nu; k++)
    for (int by_q = 0; by_q < 2; by_q++) {
      double *errors = by_q ? d->by_q : d->by_u, *forces = by_q ? p->dq : c->nonlinear ? p->du : NULL;
      if (!errors && !forces) continue;
      const carried x = carry(p, joint, &p->motion[k], l->v->body[b], by_q);
      const double *S = (const double *)&x.S, *dV = (const double *)&x.dV;
      memset(changes, 0, (size_t)l->half * sizeof *changes);
      for (int s = 0; s < 6; s++) {
        const int place = 6 * b + s, rate = l->half + place;
        if (by_q) add_errors(d, l, errors, k, S[s], local_column(l, place));
        add_errors(d, l, errors, k, dV[s], local_column(l, rate));
        if (by_q) add_changes(l, S[s], place, changes);
        if (c->nonlinear) add_changes(l, dV[s], rate, changes);
      }
      for (int e = 0; errors && e < c->m; e++)
        errors[(size_t)(d->off ? e : c->row + e) * nu + (size_t)k] +=
            sv_dot(l->v->J[e * c->n_bodies + b], l->of_speeds ? x.dV : x.dA);
      if (forces) add_forces(d, l, forces, k, changes);
    }
}

/* An element's part, with its rows in the view. */
static void add_element(const differentiation *d, const local_derivatives *l) {
  derivative_pass *p = d->p;
  const constraint_view *v = l->v;
  const constraint_element *c = v->c;
  for (int b = 0; b < c->n_bodies; b++) {
    if (v->body[b] == 0) continue;
    if (!d->off) p->sum[v->body[b]].F = sv_add(p->sum[v->body[b]].F, l->F[b]);
    for (int joint = v->body[b]; joint > c->ancestor; joint = p->node[joint].parent)
      meet_joint(d, l, b, joint, l->input);
  }
  for (int k = 0; k < c->n_mobilities; k++) {
    const int at = 6 * c->n_bodies + k, u = v->mobility[k].u;
    add_errors(d, l, d->by_q, u, 1, local_column(l, at));
    add_errors(d, l, d->by_u, u, 1, local_column(l, l->half + at));
    if (p->dq) add_forces(d, l, p->dq, u, local_column(l, at));
    if (p->du && c->nonlinear) add_forces(d, l, p->du, u, local_column(l, l->half + at));
  }
}

static cdn_status one_element(const differentiation *d, int i, const constraint_rows *rows) {
  constraint_view v = cdni_constraint_view(d->room, d->p->state, rows->plan->constraint[i]);
  v.J = (sv *)rows->J + rows->plan->J[i], v.g = (double *)rows->g + rows->plan->g[i]; /* only read here */
  const local_derivatives l = local_of(d, &v);
  CDNI_TRY(fill_local(&l, &d->copy));
  add_element(d, &l);
  return CDN_OK;
}

/* Copies of what kinds read are made only where some have to be differenced. */
static cdn_status take_memory(differentiation *d, int elements, const int32_t *which) {
  const tree *t = &d->p->m->tree;
  const size_t n = (size_t)t->n, nq = (size_t)t->nq, nu = (size_t)t->nu;
  size_t most = 0, most_J = 0, most_g = 0, most_m = 0;
  for (int i = 0; i < elements; i++) {
    const constraint_element *c = constraint_at(d->room, which[i]);
    const size_t size = local_size(c), m = (size_t)c->m;
    most = size > most ? size : most;
    most_m = m > most_m ? m : most_m;
    most_J = m * (size_t)c->n_bodies > most_J ? m * (size_t)c->n_bodies : most_J;
    most_g = m * (size_t)c->n_mobilities > most_g ? m * (size_t)c->n_mobilities : most_g;
  }
  CDNI_TRY(cdni_operator_work(d->p->state, "derivatives",
                              n * (sizeof(body_pose) + sizeof(body_twist)) + most_J * sizeof(sv) +
                                  (most + nq + nu + most_g + most_m) * sizeof(double),
                              &d->frame));
  constraint_copy *copy = &d->copy;
  copy->pose = d->frame;
  copy->twist = (body_twist *)(copy->pose + n);
  copy->J = (sv *)(copy->twist + n);
  copy->q = (double *)(copy->J + most_J);
  copy->u = copy->q + nq;
  copy->g = copy->u + nu;
  copy->bias = copy->g + most_g;
  d->local = copy->bias + most_m;
  const tree_data now = cdni_matter_data(d->p->m, d->p->state);
  memcpy(copy->pose, now.pose, n * sizeof *copy->pose);
  memcpy(copy->twist, now.twist, n * sizeof *copy->twist);
  if (nq) memcpy(copy->q, now.q, nq * sizeof *copy->q);
  if (nu) memcpy(copy->u, now.u, nu * sizeof *copy->u);
  return CDN_OK;
}

cdn_status cdni_constraint_differentiate(const void *context, derivative_pass *p, const double *lambda, double *by_q,
                                         double *by_u) {
  differentiation d = { .room = context, .p = p, .lambda = lambda, .by_q = by_q, .by_u = by_u };
  constraint_rows rows;
  const size_t size = (size_t)d.room->m * (size_t)p->m->tree.nu * sizeof(double);
  CDNI_TRY(cdni_constraint_rows(d.room, p->state, &rows));
  if (by_q) memset(by_q, 0, size);
  if (by_u) memset(by_u, 0, size);
  if (!lambda) {
    if (*cdn_state_parameters(p->state, d.room->baumgarte) > 0)
      return cdni_state_fail(p->state, CDN_ERR_UNSUPPORTED, false, "cdn_forward_dynamics_derivatives", NULL,
                             "accelerations with Baumgarte's stabilization are not differentiated: switch it off "
                             "(cdn_constraints_set_baumgarte)");
    d.lambda = cdn_state_multipliers(p->state);
    if (!d.lambda) return cdni_state_last_status(p->state);
    d.lambda += d.room->first_row;
  }
  CDNI_TRY(take_memory(&d, rows.plan->n_constraints, rows.plan->constraint));
  cdn_status status = CDN_OK;
  for (int i = 0; i < rows.plan->n_constraints && status == CDN_OK; i++) status = one_element(&d, i, &rows);
  cdn_work_pop(p->state, d.frame);
  return status;
}

/* With the velocities in place of accelerations, at rest, the errors are those of velocities. */
static cdn_status one_that_is_off(differentiation *d, int i) {
  const tree *t = &d->p->m->tree;
  constraint_view v;
  CDNI_TRY(cdni_constraint_take_rows(d->room, d->p->state, i, &v));
  local_derivatives l = local_of(d, &v);
  for (int b = 0; b < v.c->n_bodies; b++) l.A[b] = d->p->twist[v.body[b]].V;
  for (int k = 0; k < v.c->n_mobilities; k++) l.udot[k] = v.u[v.mobility[k].u];
  memset(d->copy.twist, 0, (size_t)t->n * sizeof *d->copy.twist);
  if (t->nu) memset(d->copy.u, 0, (size_t)t->nu * sizeof *d->copy.u);
  constraint_view still = v;
  still.twist = d->copy.twist, still.u = d->copy.u;
  l.v = &still, l.of_speeds = true;
  const cdn_status status = fill_local(&l, &d->copy);
  if (status == CDN_OK) add_element(d, &l);
  cdn_work_pop(d->p->state, v.J);
  return status;
}

cdn_status cdni_constraint_differentiate_off(const constraint_room *room, derivative_pass *p, int i,
                                             const double *force, double *by_q) {
  const constraint_element *c = constraint_at(room, i);
  const int32_t which = i;
  double *lambda;
  if (c->nonlinear)
    return cdni_state_fail(p->state, CDN_ERR_UNSUPPORTED, false, p->function, c->name,
                           "the velocity error of constraint '%s' is not linear in u: it is not differentiated while "
                           "its friction slips",
                           c->name);
  CDNI_TRY(cdni_operator_work(p->state, p->function, ((size_t)room->m + 1) * sizeof *lambda, (void **)&lambda));
  for (int k = 0; k < c->m; k++) lambda[c->row + k] = -force[k];
  differentiation d = { .room = room, .p = p, .lambda = lambda, .by_q = by_q, .off = true };
  memset(by_q, 0, (size_t)c->m * (size_t)p->m->tree.nu * sizeof *by_q);
  cdn_status status = take_memory(&d, 1, &which);
  if (status == CDN_OK) {
    status = one_that_is_off(&d, i);
    cdn_work_pop(p->state, d.frame);
  }
  cdn_work_pop(p->state, lambda);
  return status;
}

cdn_status cdni_constraint_differentiate_accelerations(const constraint_room *room, derivative_pass *p, int i,
                                                       double *by_q, double *by_u) {
  const constraint_element *c = constraint_at(room, i);
  const size_t size = (size_t)c->m * (size_t)p->m->tree.nu * sizeof(double);
  const int32_t which = i;
  derivative_pass errors_alone = *p;
  double *lambda;
  errors_alone.dq = errors_alone.du = NULL;
  CDNI_TRY(cdni_operator_work(p->state, p->function, ((size_t)room->m + 1) * sizeof *lambda, (void **)&lambda));
  memset(lambda, 0, (size_t)room->m * sizeof *lambda);
  differentiation d = { .room = room, .p = &errors_alone, .lambda = lambda, .by_q = by_q, .by_u = by_u, .off = true };
  memset(by_q, 0, size), memset(by_u, 0, size);
  cdn_status status = take_memory(&d, 1, &which);
  if (status == CDN_OK) {
    constraint_view v;
    status = cdni_constraint_take_rows(room, p->state, i, &v);
    if (status == CDN_OK) {
      const local_derivatives l = local_of(&d, &v);
      status = fill_local(&l, &d.copy);
      if (status == CDN_OK) add_element(&d, &l);
      cdn_work_pop(p->state, v.J);
    }
    cdn_work_pop(p->state, d.frame);
  }
  cdn_work_pop(p->state, lambda);
  return status;
}

/* ---- products and solutions ---- */

cdn_status cdni_constraint_multiply_by_G(const void *context, cdn_state *state, const double *a, double *r) {
  const constraint_room *room = context;
  const matter *m = room->matter;
  constraint_rows rows;
  void *V;
  CDNI_TRY(cdni_constraint_rows(room, state, &rows));
  const size_t bodies = (size_t)m->tree.n * sizeof(sv);
  CDNI_TRY(cdni_operator_work(state, "derivatives", bodies + (size_t)rows.plan->m * sizeof(double), &V));
  double *on = (double *)((char *)V + bodies);
  const tree_data d = cdni_matter_data(m, state);
  m->kernels->jacobian(&m->tree, &d, a, V);
  cdni_constraint_multiply(room, &rows, V, a, on);
  cdni_constraint_spread(room, rows.plan, on, r);
  cdn_work_pop(state, V);
  return CDN_OK;
}

cdn_status cdni_constraint_solve_columns(const void *context, cdn_state *state, double scale, int columns, double *X,
                                         double *b) {
  const constraint_room *room = context;
  const loop_plan *p;
  const loop_factor *factor;
  void *frame;
  CDNI_TRY(cdni_constraint_factor(room, state, &p, &factor));
  const size_t n = (size_t)p->tree->n, nu = (size_t)p->tree->nu, m = (size_t)p->m, width = (size_t)columns;
  const size_t numbers = cdni_aligned(n * sizeof(sv) + 2 * (nu + m) * sizeof(double));
  const size_t scratch = cdni_aligned(cdni_loop_solve_scratch(p, factor));
  CDNI_TRY(cdni_operator_work(state, "derivatives", numbers + scratch + cdni_loop_prepare_size(p, factor), &frame));
  const tree_data d = cdni_matter_data(room->matter, state);
  double *f = (double *)((sv *)frame + n), *right = f + nu, *x = right + m, *lambda = x + nu;
  const loop_problem problem = {
    .f = f, .b = right, .weight = cdn_state_parameters(state, room->weights), .x = x, .lambda = lambda, .A = frame
  };
  size_t n_L;
  void *L = NULL;
  loop_null null = cdni_loop_prepare(p, factor, problem.weight, (char *)frame + numbers + scratch, &n_L);
  const cdn_status status = n_L > 0 ? cdni_operator_work(state, "derivatives", n_L * sizeof(double), &L) : CDN_OK;
  if (L) cdni_loop_null_factor(p, &null, (double *)((char *)frame + numbers + scratch), L);
  for (size_t c = 0; c < width && status == CDN_OK; c++) {
    for (size_t k = 0; k < nu; k++) f[k] = scale * X[k * width + c];
    for (size_t k = 0; k < m; k++) right[k] = scale * b[(size_t)p->row[k] * width + c];
    cdni_loop_solve_prepared(p, &d, factor, &problem, &null, (char *)frame + numbers);
    for (size_t k = 0; k < nu; k++) X[k * width + c] = x[k];
    for (size_t k = 0; k < m; k++) b[(size_t)p->row[k] * width + c] = lambda[k];
  }
  if (L) cdn_work_pop(state, L);
  cdn_work_pop(state, frame);
  return status;
}
