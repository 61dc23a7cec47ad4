/* Operators of the constraints: G and its transpose, and forces. */
#include "constraints/internal.h"
#include "constraints/loops.h"
#include "constraints/project.h"
#include "matter/operators.h"

/* ---- products with the rows ---- */

void cdni_constraint_multiply(const constraint_room *room, const constraint_rows *rows, const sv *A, const double *a,
                              double *out) {
  const loop_plan *plan = rows->plan;
  for (int i = 0; i < plan->n_constraints; i++) {
    const constraint_element *c = constraint_on(room, plan, i);
    const int32_t *body = constraint_bodies_on(plan, i);
    const constraint_mobility *mobility =
        c->n_mobilities ? (const constraint_mobility *)room->mobilities.data + c->first_mobility : NULL;
    const sv *J = rows->J + plan->J[i];
    const double *g = rows->g + plan->g[i];
    for (int k = 0; k < c->m; k++) {
      double sum = 0;
      for (int b = 0; b < c->n_bodies; b++) sum += sv_dot(*J++, A[body[b]]);
      for (int j = 0; a && j < c->n_mobilities; j++) sum += g[k * c->n_mobilities + j] * a[mobility[j].u];
      *out++ = sum;
    }
  }
}

double cdni_constraint_row_rate(const constraint_view *v, int k) {
  const constraint_element *c = v->c;
  double rate = 0;
  for (int b = 0; b < c->n_bodies; b++) rate += sv_dot(v->J[k * c->n_bodies + b], v->twist[v->body[b]].V);
  for (int g = 0; g < c->n_mobilities; g++) rate += v->g[k * c->n_mobilities + g] * v->u[v->mobility[g].u];
  return rate;
}

static void add_transpose(const constraint_room *room, int i, const constraint_rows *rows, double scale,
                          const double *lambda, sv *F, double *f) {
  const constraint_element *c = constraint_on(room, rows->plan, i);
  const int32_t *body = constraint_bodies_on(rows->plan, i);
  const constraint_mobility *mobility =
      c->n_mobilities ? (const constraint_mobility *)room->mobilities.data + c->first_mobility : NULL;
  const sv *J = rows->J + rows->plan->J[i];
  const double *coefficient = rows->g + rows->plan->g[i];
  for (int k = 0; k < c->m; k++) {
    const double by = scale * lambda[c->row + k];
    for (int b = 0; F && b < c->n_bodies; b++) F[body[b]] = sv_fma(by, J[k * c->n_bodies + b], F[body[b]]);
    for (int g = 0; f && g < c->n_mobilities; g++) f[mobility[g].u] += by * coefficient[k * c->n_mobilities + g];
  }
}

void cdni_constraint_multiply_transpose(const constraint_room *room, const constraint_rows *rows, double scale,
                                        const double *lambda, sv *F, double *f) {
  for (int i = 0; i < rows->plan->n_constraints; i++) add_transpose(room, i, rows, scale, lambda, F, f);
}

/* ---- the door ---- */

typedef struct operand {
  const constraint_room *room;
  const matter *m;
  constraint_rows rows;
  tree_data d;
  int first_u, nu; /* matter's run, and all speeds of the System */
} operand;

/* room NULL: the System has no constraints, and there is nothing to do. */
static cdn_status begin(cdn_state *state, operand *o) {
  const cdn_system *system = cdn_state_system(state);
  *o = (operand){ .room = cdni_constraints(system), .nu = cdn_system_nu(system) };
  if (!o->room || o->room->m == 0) {
    o->room = NULL;
    return CDN_OK;
  }
  o->m = o->room->matter;
  o->first_u = cdni_subsystem_runs(system, o->m->subsystem).u;
  CDNI_TRY(cdni_constraint_rows(o->room, state, &o->rows));
  o->d = cdni_matter_data(o->m, state);
  return CDN_OK;
}

static cdn_status work(cdn_state *state, const char *function, size_t bytes, void **frame) {
  return cdni_operator_work(state, function, bytes, frame);
}

cdn_status cdn_multiply_by_G(cdn_state *state, const double *a, double *r) {
  CDNI_NEED_SOME(state, r, cdn_system_nudoterr(cdn_state_system(state)));
  operand o;
  void *V;
  CDNI_TRY(begin(state, &o));
  if (!o.room) return CDN_OK;
  CDNI_TRY(cdni_operator_check(state, __func__, "the mobility vector", a, o.nu));
  const size_t bodies = (size_t)o.m->tree.n * sizeof(sv);
  CDNI_TRY(work(state, __func__, bodies + (size_t)o.rows.plan->m * sizeof(double), &V));
  double *on = (double *)((char *)V + bodies);
  o.m->kernels->jacobian(&o.m->tree, &o.d, a + o.first_u, V);
  cdni_constraint_multiply(o.room, &o.rows, V, a + o.first_u, on);
  cdni_constraint_spread(o.room, o.rows.plan, on, r + o.room->first_row);
  cdn_work_pop(state, V);
  return CDN_OK;
}

/* What constraint `only`, or all (-1), put on bodies (about M's origins) and directly on mobilities by scale lambda. */
typedef struct pushed {
  sv *F;
  double *f; /* matter's nu */
} pushed;

static cdn_status push(cdn_state *state, const operand *o, const char *function, int only, double scale,
                       const double *lambda, size_t more, pushed *out) {
  const tree *t = &o->m->tree;
  void *frame;
  CDNI_TRY(work(state, function, (size_t)t->n * sizeof(sv) + (size_t)(t->nu + 1) * sizeof(double) + more, &frame));
  out->F = frame;
  out->f = (double *)(out->F + t->n);
  for (int i = 0; i < t->n; i++) out->F[i] = sv_zero();
  if (t->nu) memset(out->f, 0, (size_t)t->nu * sizeof(double));
  lambda += o->room->first_row;
  const int at = only < 0 ? -1 : cdni_loop_plan_find(o->rows.plan, only);
  if (only < 0) cdni_constraint_multiply_transpose(o->room, &o->rows, scale, lambda, out->F, out->f);
  else if (at >= 0) add_transpose(o->room, at, &o->rows, scale, lambda, out->F, out->f);
  return CDN_OK;
}

cdn_status cdn_multiply_by_G_transpose(cdn_state *state, const double *lambda, double *f) {
  CDNI_NEED_SOME(state, f, cdn_system_nu(cdn_state_system(state)));
  operand o;
  pushed by;
  CDNI_TRY(begin(state, &o));
  if (o.nu) memset(f, 0, (size_t)o.nu * sizeof *f);
  if (!o.room) return CDN_OK;
  const tree *t = &o.m->tree;
  CDNI_TRY(
      cdni_operator_check(state, __func__, "the multipliers", lambda, cdn_system_nudoterr(cdn_state_system(state))));
  CDNI_TRY(push(state, &o, __func__, -1, 1, lambda, (size_t)t->nu * sizeof(double), &by));
  double *through = by.f + t->nu + 1;
  o.d.z = by.F;
  o.m->kernels->jacobian_transpose(t, &o.d, through);
  for (int k = 0; k < t->nu; k++) f[o.first_u + k] = by.f[k] + through[k];
  cdn_work_pop(state, by.F);
  return CDN_OK;
}

static cdn_status forces(cdn_state *state, const char *function, int only, cdn_spatial *F_G, double *f) {
  operand o;
  pushed by;
  CDNI_TRY(begin(state, &o));
  if (f && o.nu) memset(f, 0, (size_t)o.nu * sizeof *f);
  if (F_G) memset(F_G, 0, (size_t)cdn_system_body_count(cdn_state_system(state)) * sizeof *F_G);
  if (!o.room) return CDN_OK;
  CDNI_TRY(cdni_state_ensure(state, CDN_MULTIPLIERS));
  CDNI_TRY(push(state, &o, function, only, -1, cdn_state_multipliers(state), 0, &by));
  const body_origins origins = cdni_body_origins(o.m, state, o.d.pose);
  for (int i = 0; F_G && i < o.m->tree.n; i++)
    F_G[i] = cdni_from_sv(sv_shift_force(by.F[i], v3_neg(cdni_body_offset(&origins, i))));
  if (f && o.m->tree.nu) memcpy(f + o.first_u, by.f, (size_t)o.m->tree.nu * sizeof *f);
  cdn_work_pop(state, by.F);
  return CDN_OK;
}

cdn_status cdn_constraint_forces(cdn_state *state, cdn_spatial *F_G, double *f) {
  CDNI_NEED_OBJECT(state, CDN_ERR_ARG);
  return forces(state, "cdn_constraint_forces", -1, F_G, f);
}

cdn_status cdn_constraint_force(cdn_state *state, cdn_constraint constraint, cdn_spatial *F_G, double *f) {
  CDNI_NEED_OBJECT(state, CDN_ERR_ARG);
  if (!constraint_exists(cdni_constraints(cdn_state_system(state)), constraint))
    return cdni_state_lacks(state, __func__, "constraint", (int)constraint.i);
  return forces(state, __func__, constraint.i, F_G, f);
}

cdn_status cdn_constraint_power(cdn_state *state, double *power) {
  CDNI_NEED(state, power);
  operand o;
  *power = 0;
  CDNI_TRY(begin(state, &o));
  if (!o.room || !cdni_constraint_any_enabled(o.room, state)) return CDN_OK;
  const double *lambda = cdn_state_multipliers(state), *u = cdn_state_u_eff(state);
  void *frame;
  if (!lambda || !u || cdni_state_ensure(state, CDN_TWIST) != CDN_OK) {
    cdn_error e;
    cdn_state_last_error(state, &e);
    return e.code;
  }
  /* -lambda . (G u) */
  const int n = o.m->tree.n;
  const loop_plan *plan = o.rows.plan;
  CDNI_TRY(work(state, "cdn_constraint_power", (size_t)n * sizeof(sv) + (size_t)plan->m * sizeof(double), &frame));
  sv *V = frame;
  double *Gu = (double *)(V + n);
  for (int i = 0; i < n; i++) V[i] = i ? o.d.twist[i].V : sv_zero();
  cdni_constraint_multiply(o.room, &o.rows, V, u + o.first_u, Gu);
  for (int k = 0; k < plan->m; k++) *power -= lambda[o.room->first_row + plan->row[k]] * Gu[k];
  cdn_work_pop(state, frame);
  return CDN_OK;
}

/* On the manifold G u is what the rest of the velocity equation demands, G u = -rest; equations of accelerations demand
 * whatever it is. */
static cdn_status add_source_power(const constraint_view *v, const double *lambda, double *power) {
  const constraint_kind *kind = cdni_constraint_kinds[v->c->kind];
  const int n = v->c->np + v->c->nv;
  double rate[CONSTRAINT_MOST_EQUATIONS], error[CONSTRAINT_MOST_EQUATIONS];
  for (int k = 0; k < n; k++) error[k] = rate[k] = cdni_constraint_row_rate(v, k);
  if (kind->finish_velocity) CDNI_TRY(kind->finish_velocity(v, error));
  for (int k = 0; k < n; k++) *power += lambda[k] * (error[k] - rate[k]);
  for (int k = n; k < v->c->m; k++) *power -= lambda[k] * cdni_constraint_row_rate(v, k);
  return CDN_OK;
}

cdn_status cdni_constraint_source_power(cdn_state *state, double *power) {
  const constraint_room *room = cdni_constraints(cdn_state_system(state));
  constraint_rows rows;
  *power = 0;
  if (!room || !room->drives || !cdni_constraint_any_enabled(room, state)) return CDN_OK;
  CDNI_TRY(cdni_state_ensure(state, CDN_MULTIPLIERS));
  CDNI_TRY(cdni_constraint_rows(room, state, &rows));
  const double *lambda = cdn_state_multipliers(state) + room->first_row;
  for (int i = 0; i < rows.plan->n_constraints; i++) {
    constraint_view v = cdni_constraint_view(room, state, rows.plan->constraint[i]);
    v.J = (sv *)rows.J + rows.plan->J[i], v.g = (double *)rows.g + rows.plan->g[i]; /* only read here */
    CDNI_TRY(add_source_power(&v, lambda + v.c->row, power));
  }
  return CDN_OK;
}

/* ---- matrices ---- */

cdn_status cdn_calc_G(cdn_state *state, double *G) {
  CDNI_NEED_SOME(state, G, cdn_system_nudoterr(cdn_state_system(state)));
  operand o;
  CDNI_TRY(begin(state, &o));
  if (!o.room) return CDN_OK;
  const size_t nu = (size_t)o.nu;
  if (nu) memset(G + (size_t)o.room->first_row * nu, 0, (size_t)o.room->m * nu * sizeof *G);
  const loop_plan *plan = o.rows.plan;
  for (int i = 0; i < plan->n_constraints; i++) {
    const constraint_element *c = constraint_on(o.room, plan, i);
    for (int k = 0; k < c->m; k++) {
      double *row = G + (size_t)(o.room->first_row + c->row + k) * nu + o.first_u;
      for (int g = 0; g < c->n_mobilities; g++)
        row[CDNI_AT(o.room->mobilities, constraint_mobility, c->first_mobility + g).u] +=
            o.rows.g[plan->g[i] + k * c->n_mobilities + g];
      for (int b = 0; b < c->n_bodies; b++) {
        sv F = o.rows.J[plan->J[i] + k * c->n_bodies + b];
        int at = constraint_bodies_on(plan, i)[b];
        for (; at > plan->ancestor[i]; at = o.m->tree.node[at].parent) {
          const tree_node *n = &o.m->tree.node[at];
          for (int l = 0; l < n->nu; l++) row[n->u + l] += sv_dot(F, cdni_hinge_column(n, o.d.H, l));
          F = sv_shift_force(F, o.d.pose[at].r);
        }
      }
    }
  }
  return CDN_OK;
}

cdn_status cdn_calc_Pq(cdn_state *state, double *Pq) {
  CDNI_NEED_SOME(state, Pq, cdn_system_nudoterr(cdn_state_system(state)));
  operand o;
  void *frame;
  CDNI_TRY(begin(state, &o));
  if (!o.room) return CDN_OK;
  const size_t nu = (size_t)o.nu, nq = (size_t)cdn_system_nq(cdn_state_system(state)), m = (size_t)o.room->m;
  CDNI_TRY(work(state, __func__, ((size_t)o.room->first_row + m) * nu * sizeof(double) + 8, &frame));
  cdn_status status = cdn_calc_G(state, frame);
  const cdni_runs runs = cdni_subsystem_runs(cdn_state_system(state), o.room->subsystem);
  if (o.room->np) memset(Pq + (size_t)runs.qerr * nq, 0, (size_t)o.room->np * nq * sizeof *Pq);
  for (int i = 0; i < o.rows.plan->n_constraints && status == CDN_OK; i++) {
    const constraint_element *c = constraint_on(o.room, o.rows.plan, i);
    for (int k = 0; k < c->np && status == CDN_OK; k++)
      status = cdn_multiply_by_N_inv_transpose(state, (double *)frame + (size_t)(o.room->first_row + c->row + k) * nu,
                                               Pq + (size_t)(runs.qerr + c->qerr + k) * nq);
  }
  cdn_work_pop(state, frame);
  return status;
}

/* ---- the acceleration level ---- */

/* udot NULL: zero. */
static cdn_status acceleration_errors(cdn_state *state, const char *function, const double *udot, double scale,
                                      double *out) {
  operand o;
  const double *bias;
  void *frame;
  CDNI_TRY(begin(state, &o));
  if (!o.room) return CDN_OK;
  CDNI_TRY(cdni_operator_check_optional(state, function, "udot", udot, o.nu));
  CDNI_TRY(cdni_constraint_bias(o.room, state, &bias));
  const size_t bodies = (size_t)o.m->tree.n * sizeof(sv);
  CDNI_TRY(work(state, function, bodies + (size_t)o.rows.plan->m * sizeof(double), &frame));
  double *on = (double *)((char *)frame + bodies);
  if (udot) udot += o.first_u;
  cdni_operator_accelerations(o.m, &o.d, udot, frame);
  cdni_constraint_multiply(o.room, &o.rows, frame, udot, on);
  for (int k = 0; k < o.rows.plan->m; k++) on[k] = scale * (on[k] + bias[k]);
  cdni_constraint_spread(o.room, o.rows.plan, on, out + o.room->first_row);
  cdn_work_pop(state, frame);
  return CDN_OK;
}

cdn_status cdn_calc_constraint_bias(cdn_state *state, double *b) {
  CDNI_NEED_SOME(state, b, cdn_system_nudoterr(cdn_state_system(state)));
  return acceleration_errors(state, "cdn_calc_constraint_bias", NULL, -1, b);
}

cdn_status cdn_calc_udoterr(cdn_state *state, const double *udot, double *udoterr) {
  CDNI_NEED_SOME(state, udoterr, cdn_system_nudoterr(cdn_state_system(state)));
  CDNI_TRY(cdni_operator_check(state, __func__, "udot", udot, cdn_system_nu(cdn_state_system(state))));
  return acceleration_errors(state, __func__, udot, 1, udoterr);
}
