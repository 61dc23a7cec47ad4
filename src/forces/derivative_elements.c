/* Building blocks of forces' derivatives: forces at a station, along a line, on mobilities, and by z.
 *
 * In the recursion a force on a body moves along with the body (matter/derivatives.h). These functions add the
 * remaining change: a force with a constant direction does not turn with the body, a spring's force grows. */
#include <math.h>

#include "forces/derivatives.h"

/* ---- forces at a station ---- */

static bool is_zero(const m3 *A) {
  const double *x = (const double *)A;
  for (int k = 0; k < 9; k++)
    if (x[k] != 0) return false;
  return true;
}

void cdni_derivative_of_point(cdn_force_derivatives *d, int body, v3 r, v3 f, const m3 *df_dp, const m3 *df_dv) {
  derivative_pass *p = d->pass;
  if (body == 0) return;
  cdni_derivatives_constant_force(p, body, r, f);
  const bool by_p = df_dp && !is_zero(df_dp), by_v = df_dv && !is_zero(df_dv);
  if (!by_p && !by_v) return;
  cdni_derivatives_need_responses(p);
  /* Place and velocity of the station by unit motions about M's origin; v turns with the body. */
  const v3 v = sv_shift_motion(p->twist[body].V, r).v;
  static const v3 unit[3] = { { 1, 0, 0 }, { 0, 1, 0 }, { 0, 0, 1 } };
  for (int k = 0; k < 6; k++) {
    const bool turn = k < 3;
    const v3 dp = turn ? v3_cross(unit[k], r) : unit[k - 3];
    v3 place = by_p ? m3_mul(*df_dp, dp) : v3_zero();
    if (by_v && turn) place = m3_mul_add(*df_dv, v3_cross(unit[k], v), place);
    sv *at = &p->by_place[body].by[k], *to = &p->by_motion[body].by[k];
    *at = sv_add(*at, sv_shift_force((sv){ v3_zero(), place }, r));
    if (by_v) *to = sv_add(*to, sv_shift_force((sv){ v3_zero(), m3_mul(*df_dv, dp) }, r));
  }
}

/* ---- forces along a line ---- */

typedef struct line_law {
  v3 P;    /* b's station, in Ground, */
  v3 n, f; /* direction from a to b, force on a */
  double pull, by_length, by_rate;
  v3 y;   /* d rate / d place of b's station seen from a */
  sv V_b; /* velocity of b, at P */
} line_law;

/* One end moves by mobility l of joint j; `sign` is that of the end. Adds to columns of the matrices. The force at
 * the moving end is carried along by the recursion, the force at the other end is not. */
static void line_column(const cdn_force_derivatives *d, const line_law *law, int a, int b, int j, int l, double sign) {
  const derivative_pass *p = d->pass;
  const mobility_motion *s = &p->motion[p->node[j].u + l];
  const int column = p->node[j].u + l, nu = p->m->tree.nu;
  const v3 r = v3_sub(law->P, p->pose[j].p_GM), n = law->n;
  const v3 g = sv_shift_motion(s->S, r).v;
  const v3 at_a = v3_sub(law->P, p->pose[a].p_GM), at_b = v3_sub(law->P, p->pose[b].p_GM);
  if (p->dq) {
    /* The velocity of b seen from a, in the frame that moves with j: S x V_b + eta. */
    const v3 v_b = v3_sub(law->V_b.v, p->twist[j].V.v);
    const v3 e = v3_add(v3_cross_add(s->S.w, v_b, v3_cross(g, law->V_b.w)), sv_shift_motion(s->eta, r).v);
    const double along = v3_dot(n, g);
    const double dT = law->by_length * along + law->by_rate * (v3_dot(law->y, g) + v3_dot(n, e));
    const v3 df = v3_fma(dT - law->pull * along, n, v3_scale(law->pull, g));
    const v3 lever = v3_cross(g, law->f);
    const sv dW = { v3_scale(sign, lever), v3_scale(sign, df) };
    const sv carried = { lever, v3_cross(s->S.w, law->f) };
    sv on_b = { v3_neg(dW.w), v3_neg(dW.v) };
    on_b = sign > 0 ? sv_add(on_b, carried) : sv_sub(on_b, carried);
    cdni_derivatives_push(p, a, sv_shift_force(dW, at_a), p->dq, nu, column);
    cdni_derivatives_push(p, b, sv_shift_force(on_b, at_b), p->dq, nu, column);
  }
  if (p->du && law->by_rate != 0) {
    const v3 df = v3_scale(sign * law->by_rate * v3_dot(n, g), n);
    cdni_derivatives_push(p, a, sv_shift_force((sv){ v3_zero(), df }, at_a), p->du, nu, column);
    cdni_derivatives_push(p, b, sv_shift_force((sv){ v3_zero(), v3_neg(df) }, at_b), p->du, nu, column);
  }
}

/* The other end is Ground's: then it is a force at one station. */
static void line_to_ground(cdn_force_derivatives *d, const line_law *law, int body, v3 r) {
  const v3 n = law->n, zero = v3_zero();
  m3 K = { { -law->pull, 0, 0 }, { 0, -law->pull, 0 }, { 0, 0, -law->pull } };
  K = m3_plus_outer(K, n, v3_add(v3_scale(law->pull - law->by_length, n), v3_scale(-law->by_rate, law->y)));
  const m3 C = m3_plus_outer((m3){ zero, zero, zero }, n, v3_scale(-law->by_rate, n));
  cdni_derivative_of_point(d, body, r, v3_neg(law->f), &K, &C);
}

void cdni_derivative_of_line(cdn_force_derivatives *d, int a, v3 r_a, int b, v3 r_b, double pull, double by_length,
                             double by_rate) {
  const derivative_pass *p = d->pass;
  if (b == 0) { /* Ground is a */
    b = a, a = 0;
    const v3 r = r_a;
    r_a = r_b, r_b = r;
  }
  line_law law = { .P = v3_add(p->pose[b].p_GM, r_b), .pull = pull, .by_length = by_length, .by_rate = by_rate };
  const v3 x = v3_sub(law.P, v3_add(p->pose[a].p_GM, r_a));
  const double length = cdn_norm(cdni_from_v3(x));
  if (length > 0) law.n = v3_scale(1 / length, x);
  law.f = v3_scale(pull, x);
  law.V_b = sv_shift_motion(p->twist[b].V, r_b);
  const sv V_a = sv_shift_motion(p->twist[a].V, v3_sub(law.P, p->pose[a].p_GM)), V = sv_sub(law.V_b, V_a);
  if (length > 0 && by_rate != 0) law.y = v3_scale(1 / length, v3_fma(-v3_dot(law.n, V.v), law.n, V.v));
  if (a == 0) {
    line_to_ground(d, &law, b, r_b);
    return;
  }
  /* The station carries its velocity with it. */
  law.y = v3_add(law.y, v3_cross(law.n, V.w));
  for (int i = a, j = b; i != j;) {
    /* Mobilities inboard of both ends move the two together and change nothing. */
    const bool first = i > j;
    const int at = first ? i : j;
    for (int l = 0; l < p->node[at].nu; l++) line_column(d, &law, a, b, at, l, first ? -1 : 1);
    if (first) i = p->node[i].parent;
    else j = p->node[j].parent;
  }
}

/* ---- by z ---- */

void cdni_derivative_end_z(cdn_force_derivatives *d) {
  if (d->z < 0) return;
  const derivative_pass *p = d->pass;
  const sv *F = d->by_z.to.F;
  const double *f = d->by_z.to.f;
  for (int i = 1; i < p->m->tree.n; i++) {
    const double *x = (const double *)&F[i];
    if (x[0] != 0 || x[1] != 0 || x[2] != 0 || x[3] != 0 || x[4] != 0 || x[5] != 0)
      cdni_derivatives_push(p, i, F[i], d->dz, d->nz, d->z);
  }
  for (int k = 0; k < p->m->tree.nu; k++) d->dz[(size_t)k * (size_t)d->nz + (size_t)d->z] -= f[k];
  if (d->mistake == CDN_OK) d->mistake = d->by_z.mistake, d->body = d->by_z.body, d->mobility = d->by_z.mobility;
  d->z = -1;
}

/* ---- the public side: ids and numbers are checked as in accumulator.c ---- */

void cdni_derivative_mistake(cdn_force_derivatives *d, cdn_status mistake, cdn_body body, int mobility) {
  if (d->mistake != CDN_OK) return;
  d->mistake = mistake;
  d->body = body.i;
  d->mobility = mobility;
}

bool cdni_derivative_accepts(cdn_force_derivatives *d, cdn_body body, const double *numbers, size_t n) {
  if (!cdni_body_exists(d->pass->m, body)) cdni_derivative_mistake(d, CDN_ERR_ARG, body, -1);
  else if (!cdni_all_finite(numbers, n, NULL)) cdni_derivative_mistake(d, CDN_ERR_NONFINITE, body, -1);
  else return true;
  return false;
}

static v3 station(const cdn_force_derivatives *d, cdn_body body, cdn_vec3 p_B) {
  return cdni_to_v3(cdni_matter_station(d->pass->m, d->pass->state, d->pass->pose, body, p_B));
}

static m3 from_rows(const double *A) {
  return (m3){ { A[0], A[3], A[6] }, { A[1], A[4], A[7] }, { A[2], A[5], A[8] } };
}

void cdn_force_derivatives_add_mobility(cdn_force_derivatives *d, cdn_body body, int k, cdn_body with, int l,
                                        double df_dq, double df_du) {
  CDNI_NEED_OBJECT_OR_NOTHING(d);
  const matter *m = d->pass->m;
  if (!cdni_body_exists(m, body) || k < 0 || k >= m->tree.node[body.i].nu)
    cdni_derivative_mistake(d, CDN_ERR_ARG, body, k);
  else if (!cdni_body_exists(m, with) || l < 0 || l >= m->tree.node[with.i].nu)
    cdni_derivative_mistake(d, CDN_ERR_ARG, with, l);
  else if (!isfinite(df_dq) || !isfinite(df_du)) cdni_derivative_mistake(d, CDN_ERR_NONFINITE, body, k);
  else derivative_of_mobility(d, m->tree.node[body.i].u + k, m->tree.node[with.i].u + l, df_dq, df_du);
}

void cdn_force_derivatives_add_point(cdn_force_derivatives *d, cdn_body body, cdn_vec3 p_B, cdn_vec3 f_G,
                                     const double df_dp[9], const double df_dv[9]) {
  CDNI_NEED_OBJECT_OR_NOTHING(d);
  const double numbers[6] = { p_B.x, p_B.y, p_B.z, f_G.x, f_G.y, f_G.z };
  if (!cdni_derivative_accepts(d, body, numbers, 6) || (df_dp && !cdni_derivative_accepts(d, body, df_dp, 9)) ||
      (df_dv && !cdni_derivative_accepts(d, body, df_dv, 9)))
    return;
  m3 K = { v3_zero(), v3_zero(), v3_zero() }, C = K;
  if (df_dp) K = from_rows(df_dp);
  if (df_dv) C = from_rows(df_dv);
  cdni_derivative_of_point(d, body.i, station(d, body, p_B), cdni_to_v3(f_G), &K, &C);
}

void cdn_force_derivatives_add_torque(cdn_force_derivatives *d, cdn_body body, cdn_vec3 moment_G) {
  CDNI_NEED_OBJECT_OR_NOTHING(d);
  const double numbers[3] = { moment_G.x, moment_G.y, moment_G.z };
  if (cdni_derivative_accepts(d, body, numbers, 3))
    cdni_derivatives_constant_moment(d->pass, body.i, cdni_to_v3(moment_G));
}

void cdn_force_derivatives_add_line(cdn_force_derivatives *d, cdn_body a, cdn_vec3 p_A, cdn_body b, cdn_vec3 p_B,
                                    double tension, double dtension_dlength, double dtension_drate) {
  CDNI_NEED_OBJECT_OR_NOTHING(d);
  const double numbers[] = { p_A.x, p_A.y, p_A.z, p_B.x, p_B.y, p_B.z, tension, dtension_dlength, dtension_drate };
  if (!cdni_derivative_accepts(d, a, numbers, 9) || !cdni_derivative_accepts(d, b, numbers, 9)) return;
  const derivative_pass *p = d->pass;
  const v3 r_a = station(d, a, p_A), r_b = station(d, b, p_B);
  const v3 x = v3_sub(v3_add(p->pose[b.i].p_GM, r_b), v3_add(p->pose[a.i].p_GM, r_a));
  const double length = cdn_norm(cdni_from_v3(x));
  if (length > 0) cdni_derivative_of_line(d, a.i, r_a, b.i, r_b, tension / length, dtension_dlength, dtension_drate);
  else cdni_derivative_mistake(d, CDN_ERR_SINGULAR, a, -1);
}

cdn_forces *cdn_force_derivatives_wrt_z(cdn_force_derivatives *d, cdn_zvar z, int k) {
  CDNI_NEED_OBJECT(d, NULL);
  cdni_derivative_end_z(d);
  const cdn_state *state = d->pass->state;
  const double *first = cdn_state_zvar(state, z);
  if (!d->dz || !first || k < 0) return NULL;
  const ptrdiff_t at = first - cdn_state_z(state) + k;
  if (at >= d->nz) return NULL;
  d->z = (int)at;
  d->by_z.mistake = CDN_OK;
  memset(d->by_z.to.F, 0, (size_t)d->pass->m->tree.n * sizeof(sv));
  if (d->pass->m->tree.nu) memset(d->by_z.to.f, 0, (size_t)d->pass->m->tree.nu * sizeof(double));
  return &d->by_z.to;
}
