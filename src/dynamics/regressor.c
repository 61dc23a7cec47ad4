/* Regressors: derivatives by the inertial parameters of bodies. */
#include <cardan/derivatives.h>
#include <math.h>

#include "dynamics/fixman.h"
#include "math/difference.h"
#include "matter/checks.h"
#include "matter/derivatives.h"
#include "matter/operators.h"

/* ---- inertia and weight ---- */

/* The force about B's origin that inertial parameter k of a body asks for: acceleration A of that origin (less
 * gravity), angular velocity w, axes R of the body. */
static sv parameter_force(int k, sv A, v3 w, m3 R) {
  const v3 axes[3] = { R.x, R.y, R.z };
  if (k == 0) return (sv){ v3_zero(), A.v };
  if (k < 4) {
    const v3 e = axes[k - 1];
    return (sv){ v3_cross(e, A.v), v3_cross_add(w, v3_cross(w, e), v3_cross(A.w, e)) };
  }
  /* The inertia e_i e_j^T, made symmetric: moment I alpha + w x I w. */
  static const int at[6][2] = { { 0, 0 }, { 1, 1 }, { 2, 2 }, { 0, 1 }, { 0, 2 }, { 1, 2 } };
  const v3 a = axes[at[k - 4][0]], b = axes[at[k - 4][1]];
  v3 Ia = v3_scale(v3_dot(b, A.w), a), Iw = v3_scale(v3_dot(b, w), a);
  if (k > 6) Ia = v3_fma(v3_dot(a, A.w), b, Ia), Iw = v3_fma(v3_dot(a, w), b, Iw);
  return (sv){ v3_cross_add(w, Iw, Ia), v3_zero() };
}

/* Adds to Y. */
static void regressor(const derivative_pass *p, double *Y) {
  const int nb = p->m->tree.n, columns = CDN_INERTIAL_PARAMETERS * nb;
  const double *excluded = NULL;
  const force_room *room = cdni_forces(cdn_state_system(p->state));
  const v3 g = room ? cdni_gravity(room, p->state, &excluded) : v3_zero();
  for (int i = 1; i < nb; i++) {
    const cdn_body body = { i };
    const m3 R_GM = p->pose[i].R_GM, R_BM = m3_load(cdni_matter_X_BM(p->m, p->state, body));
    const m3 R = { m3_mul(R_GM, (v3){ R_BM.x.x, R_BM.y.x, R_BM.z.x }),
                   m3_mul(R_GM, (v3){ R_BM.x.y, R_BM.y.y, R_BM.z.y }),
                   m3_mul(R_GM, (v3){ R_BM.x.z, R_BM.y.z, R_BM.z.z }) };
    const v3 w = p->twist[i].V.w;
    const v3 r = cdni_to_v3(cdni_matter_station(p->m, p->state, p->pose, body, cdn_v3(0, 0, 0)));
    sv A = sv_shift_motion(p->A[i], r);
    A.v = v3_cross_add(w, v3_cross(w, r), A.v);
    if (excluded && excluded[i] == 0) A.v = v3_fma(-cdni_compensation_left(room, p->state, i), g, A.v);
    for (int k = 0; k < CDN_INERTIAL_PARAMETERS; k++) {
      const sv F = sv_shift_force(parameter_force(k, A, w, R), r);
      cdni_derivatives_push(p, i, (sv){ v3_neg(F.w), v3_neg(F.v) }, Y, columns, CDN_INERTIAL_PARAMETERS * i + k);
    }
  }
}

/* The pass over matter, with all forces but those of rows. */
static cdn_status begin(derivative_pass *p, cdn_state *state, const char *function, const double *udot, double *M) {
  const dynamics *d = cdni_dynamics(cdn_state_system(state));
  const sv *force = NULL;
  if (d) CDNI_TRY(cdni_dynamics_applied_forces(d, state, &force, NULL));
  return cdni_derivatives_begin(p, state, function, udot, force, NULL, NULL, M);
}

cdn_status cdn_inertial_parameters(cdn_state *state, double *pi) {
  CDNI_NEED(state, pi);
  const matter *m = cdni_matter(cdn_state_system(state));
  if (!m)
    return cdni_state_fail(state, CDN_ERR_ARG, false, "cdn_inertial_parameters", NULL, "the System has no bodies");
  memset(pi, 0, CDN_INERTIAL_PARAMETERS * sizeof *pi);
  for (int i = 1; i < m->tree.n; i++) {
    const cdn_mass_properties p = cdn_body_mass_properties(state, (cdn_body){ i });
    const cdn_inertia I = cdn_inertia_shift(p.inertia, p.mass, p.com);
    const double numbers[CDN_INERTIAL_PARAMETERS] = {
      p.mass, p.mass * p.com.x, p.mass * p.com.y, p.mass * p.com.z, I.xx, I.yy, I.zz, I.xy, I.xz, I.yz
    };
    memcpy(pi + CDN_INERTIAL_PARAMETERS * i, numbers, sizeof numbers);
  }
  return CDN_OK;
}

static void clear(const matter *m, double *Y) {
  const size_t columns = CDN_INERTIAL_PARAMETERS * (size_t)m->tree.n;
  if (m->tree.nu) memset(Y, 0, (size_t)m->tree.nu * columns * sizeof *Y);
}

cdn_status cdn_inverse_dynamics_regressor(cdn_state *state, const double *udot, double *Y) {
  CDNI_NEED_SOME(state, Y, cdn_system_nu(cdn_state_system(state)));
  derivative_pass p;
  CDNI_TRY(cdni_forces_refuse_masses(state, __func__));
  CDNI_TRY(begin(&p, state, "cdn_inverse_dynamics_regressor", udot, NULL));
  clear(p.m, Y);
  regressor(&p, Y);
  cdni_derivatives_end(&p);
  return CDN_OK;
}

/* ---- soft rows ----
 *
 * Rows of contacts and soft elements are scaled by how light bodies are, so that at constant udot their forces follow
 * the inertial parameters. These forces are differenced with a point mass that is added to a body, and taken away.
 * Whatever the body is, it has mass properties with it; by its place p the change of the force is the quadratic
 * function
 *
 *   Q(p) = g_m + g_c . p + sum g_I (|p|^2 1 - p p^T)
 *
 * of the derivatives g that are looked for. Ten places tell them. */

enum { PLACES = 10 };
static const double PLACE[PLACES][3] = { { 0, 0, 0 }, { 1, 0, 0 },  { -1, 0, 0 }, { 0, 1, 0 }, { 0, -1, 0 },
                                         { 0, 0, 1 }, { 0, 0, -1 }, { 1, 1, 0 },  { 1, 0, 1 }, { 0, 1, 1 } };

/* g, from Q at the places, where the unit of length is L. */
static void derivatives_of(const double *Q, double L, double *g) {
  double square[3];
  g[0] = Q[0];
  for (int k = 0; k < 3; k++) {
    g[1 + k] = (Q[1 + 2 * k] - Q[2 + 2 * k]) / (2 * L);
    square[k] = (Q[1 + 2 * k] + Q[2 + 2 * k] - 2 * Q[0]) / (2 * L * L);
  }
  /* x^2 stands in Iyy and Izz, and -x y is Ixy */
  for (int k = 0; k < 3; k++) {
    const int a = (k + 1) % 3, b = (k + 2) % 3;
    g[4 + k] = (square[a] + square[b] - square[k]) / 2;
  }
  static const int pair[3][2] = { { 0, 1 }, { 0, 2 }, { 1, 2 } };
  for (int k = 0; k < 3; k++) g[7 + k] = -(Q[7 + k] - Q[1 + 2 * pair[k][0]] - Q[1 + 2 * pair[k][1]] + Q[0]) / (L * L);
}

static cdn_mass_properties with_point(cdn_mass_properties b, double mass, cdn_vec3 p) {
  const double all = b.mass + mass;
  const cdn_vec3 arm = cdn_sub(p, b.com);
  return (cdn_mass_properties){ .mass = all,
                                .com = cdn_add(b.com, cdn_scale(mass / all, arm)),
                                .inertia = cdn_inertia_shift(b.inertia, b.mass / all * mass, arm) };
}

/* Root of the mean square of a body's distances from its origin; 0 without mass. */
static double size_of(cdn_mass_properties b) {
  const cdn_inertia I = cdn_inertia_shift(b.inertia, b.mass, b.com);
  return b.mass > 0 ? sqrt((I.xx + I.yy + I.zz) / (2 * b.mass)) : 0;
}

typedef struct soft_probe {
  const char *function;
  const matter *m;
  cdn_state *other; /* whose masses change */
  const double *udot;
  double mass, size; /* the smallest ones of the System, for bodies that have none */
  double *Q;         /* nu x PLACES, and twice nu */
} soft_probe;

static void find_scales(soft_probe *x) {
  x->mass = x->size = INFINITY;
  for (int i = 1; i < x->m->tree.n; i++) {
    const cdn_mass_properties b = cdn_body_mass_properties(x->other, (cdn_body){ i });
    if (b.mass > 0) x->mass = fmin(x->mass, b.mass);
    if (size_of(b) > 0) x->size = fmin(x->size, size_of(b));
  }
  if (isinf(x->mass)) x->mass = 1;
  if (isinf(x->size)) x->size = 1;
}

static cdn_status set_mass(soft_probe *x, int i, cdn_mass_properties mass) {
  double packed[MASS_PARAMETERS];
  cdni_pack_mass(packed, mass); /* a mass less than none is no body's, but has derivatives */
  return cdn_state_set_parameters(x->other, x->m->mass, MASS_PARAMETERS * i, MASS_PARAMETERS, packed);
}

/* Body i's columns of Y, less the derivatives of the forces of soft rows. */
static cdn_status probe_body(soft_probe *x, int i, double *Y) {
  const int nu = x->m->tree.nu, columns = CDN_INERTIAL_PARAMETERS * x->m->tree.n;
  const cdn_mass_properties b = cdn_body_mass_properties(x->other, (cdn_body){ i });
  const double h = CDNI_DIFFERENCE * (b.mass > 0 ? b.mass : x->mass), L = size_of(b) > 0 ? size_of(b) : x->size;
  double *side[2] = { x->Q + nu * PLACES, x->Q + nu * (PLACES + 1) };
  for (int k = 0; k < PLACES; k++) {
    const cdn_vec3 p = cdn_v3(L * PLACE[k][0], L * PLACE[k][1], L * PLACE[k][2]);
    for (int s = 0; s < 2; s++) {
      CDNI_TRY(set_mass(x, i, with_point(b, s ? -h : h, p)));
      CDNI_TRY(cdni_soft_generalized_forces(x->other, x->function, x->udot, SOFT_SCALED, side[s]));
    }
    for (int r = 0; r < nu; r++) x->Q[r * PLACES + k] = (side[0][r] - side[1][r]) / (2 * h);
  }
  for (int r = 0; r < nu; r++) {
    double g[CDN_INERTIAL_PARAMETERS], *row = Y + (size_t)r * (size_t)columns + CDN_INERTIAL_PARAMETERS * (size_t)i;
    derivatives_of(x->Q + r * PLACES, L, g);
    for (int k = 0; k < CDN_INERTIAL_PARAMETERS; k++) row[k] -= g[k];
  }
  return set_mass(x, i, b);
}

static cdn_status probe(soft_probe *x, cdn_state *state, double *Y) {
  CDNI_TRY(cdn_state_copy(x->other, state));
  find_scales(x);
  for (int i = 1; i < x->m->tree.n; i++) CDNI_TRY(probe_body(x, i, Y));
  return CDN_OK;
}

/* Adds to Y what soft rows have in it at constant udot. */
static cdn_status add_soft(cdn_state *state, const char *function, const matter *m, const double *udot, double *Y) {
  const soft_room *soft = cdni_soft(cdn_state_system(state));
  bool any = false;
  if (soft && cdni_soft_is_scaled(soft)) CDNI_TRY(cdni_soft_any(soft, state, &any));
  if (!any) return CDN_OK;
  soft_probe x = { .m = m, .udot = udot, .function = function };
  void *frame;
  CDNI_TRY(cdni_operator_work(state, function, ((size_t)m->tree.nu * (PLACES + 2) + 1) * sizeof(double), &frame));
  x.Q = frame;
  cdn_status status = cdn_state_create(cdn_state_system(state), &x.other);
  if (status != CDN_OK) status = cdni_state_fail(state, status, false, function, NULL, "no memory for a second State");
  else if ((status = probe(&x, state, Y)) != CDN_OK) cdni_state_take_error(state, x.other);
  cdn_state_destroy(x.other);
  cdn_work_pop(state, frame);
  return status;
}

/* ---- forward dynamics ---- */

/* What the derivatives are with rows and friction that slips, from what they are with forces of these that do not
 * follow udot and multipliers. lambda (NULL: there are none): derivatives of the multipliers. */
static cdn_status follow(cdn_state *state, const char *function, int columns, double *dudot_dpi, double *lambda) {
  const dynamics *d = cdni_dynamics(cdn_state_system(state));
  const soft_variation soft = { .columns = columns, .udot = dudot_dpi, .lambda = lambda };
  const slip_variation slips = { .columns = columns, .udot = dudot_dpi, .lambda = lambda };
  bool any = false;
  if (d->hybrid) CDNI_TRY(cdni_hybrid_refuse_joints(d->hybrid, state, function));
  if (d->soft) CDNI_TRY(cdni_soft_any(d->soft, state, &any));
  if (any) CDNI_TRY(cdni_soft_vary(d->soft, state, function, 1, &soft));
  const bool pressed = lambda && d->hybrid && cdni_hybrid_follows(d->hybrid, state);
  return pressed ? cdni_hybrid_vary(d->hybrid, state, function, 1, &slips) : CDN_OK;
}

cdn_status cdn_forward_dynamics_regressor(cdn_state *state, double *dudot_dpi) {
  CDNI_NEED_SOME(state, dudot_dpi, cdn_system_nu(cdn_state_system(state)));
  const matter *m = cdni_matter(cdn_state_system(state));
  if (!m) return cdni_state_fail(state, CDN_ERR_ARG, false, __func__, NULL, "the System has no bodies");
  CDNI_TRY(cdni_forces_refuse_masses(state, __func__));
  const double *udot = cdn_state_udot(state);
  if (!udot) return cdni_state_last_status(state);
  udot += cdni_subsystem_runs(cdn_state_system(state), m->subsystem).u;
  const int columns = CDN_INERTIAL_PARAMETERS * m->tree.n;
  const constraint_room *room = cdni_constraints(cdn_state_system(state));
  const bool is_constrained = cdni_dynamics_is_constrained(cdni_dynamics(cdn_state_system(state)), state);
  const size_t size = is_constrained ? (size_t)cdni_constraints_equations(room) * (size_t)columns
                                     : (size_t)m->tree.nu * (size_t)m->tree.nu;
  double *work = cdn_work_push(state, (size + 1) * sizeof *work); /* M, or the derivatives of the multipliers */
  if (!work) return cdni_state_fail(state, CDN_ERR_NOMEM, false, __func__, NULL, "out of memory");
  derivative_pass p;
  clear(m, dudot_dpi);
  cdn_status status = add_soft(state, __func__, m, udot, dudot_dpi);
  if (status == CDN_OK) status = begin(&p, state, __func__, udot, is_constrained ? NULL : work);
  if (status == CDN_OK) {
    regressor(&p, dudot_dpi);
    if (is_constrained) {
      memset(work, 0, size * sizeof *work);
      status = cdni_constraint_solve_columns(room, state, -1, columns, dudot_dpi, work);
    } else {
      mass_solver solver;
      status = cdni_derivatives_fill(&p);
      if (status == CDN_OK) status = cdni_mass_solver_begin(&solver, &p, work);
      if (status == CDN_OK) {
        cdni_mass_solver_apply(&solver, -1, dudot_dpi, columns);
        cdni_mass_solver_end(&solver);
      }
    }
    cdni_derivatives_end(&p);
  }
  if (status == CDN_OK) status = follow(state, __func__, columns, dudot_dpi, is_constrained ? work : NULL);
  cdn_work_pop(state, work);
  return status;
}
