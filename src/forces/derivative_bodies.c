/* Derivatives of forces that depend on the poses and velocities of several bodies: bends, torsions, bushings.
 *
 * A joint moves the bodies outboard of it as one piece. Each body has a spatial force at its station. The recursion
 * carries along the forces on moved bodies (matter/derivatives.h); the rest is added here, joint by joint. Forces
 * that turn with their bodies, if all bodies move as one piece, add nothing at joints that carry all these bodies. */
#include <math.h>

#include "forces/derivatives.h"

/* The motion that one mobility gives to the stations. */
typedef struct joint_motion {
  const derivative_pass *p;
  int joint, mobility;
  bool *moves; /* by station */
} joint_motion;

/* Columns of the matrices by a mobility: `still` are the forces there are, `change` how they vary, by q and by u. */
static void push(const cdn_force_derivatives *d, const joint_motion *j, int n, const int *bodies, const v3 *r,
                 const sv *still, const sv *by_q, const sv *by_u) {
  const derivative_pass *p = d->pass;
  const int nu = p->m->tree.nu;
  const v3 turn = p->motion[j->mobility].S.w;
  for (int k = 0; k < n; k++) {
    if (bodies[k] == 0) continue;
    if (p->dq) {
      sv change = by_q[k];
      if (j->moves[k]) {
        change.w = v3_sub(change.w, v3_cross(turn, still[k].w));
        change.v = v3_sub(change.v, v3_cross(turn, still[k].v));
      }
      cdni_derivatives_push(p, bodies[k], sv_shift_force(change, r[k]), p->dq, nu, j->mobility);
    }
    if (p->du && by_u) cdni_derivatives_push(p, bodies[k], sv_shift_force(by_u[k], r[k]), p->du, nu, j->mobility);
  }
}

/* How the stations are displaced by a mobility, and how their velocities change by q and by u. */
static void move(const joint_motion *j, int n, const int *bodies, const v3 *r, station_motion *by_q,
                 station_motion *by_u) {
  const derivative_pass *p = j->p;
  const mobility_motion *s = &p->motion[j->mobility];
  /* in Ground's own inertial frame */
  const sv rest = { s->eta.w, v3_sub(s->eta.v, v3_cross(s->S.w, p->twist[j->joint].V.v)) };
  for (int k = 0; k < n; k++) {
    by_q[k] = by_u[k] = (station_motion){ sv_zero(), sv_zero() };
    if (!j->moves[k]) continue;
    const v3 at = v3_sub(v3_add(p->pose[bodies[k]].p_GM, r[k]), p->pose[j->joint].p_GM);
    const sv V = sv_shift_motion(p->twist[bodies[k]].V, r[k]);
    by_q[k].X = by_u[k].V = sv_shift_motion(s->S, at);
    by_q[k].V = sv_add(sv_shift_motion(rest, at), (sv){ v3_cross(s->S.w, V.w), v3_cross(s->S.w, V.v) });
  }
}

void cdni_derivative_of_stations(cdn_force_derivatives *d, int n, const int *bodies, const v3 *r, const sv *F,
                                 bool relative, bool by_velocity, force_change *change, const void *law, void *room) {
  const derivative_pass *p = d->pass;
  station_motion *by_q = room, *by_u = by_q + n;
  sv *dF_q = (sv *)(by_u + n), *dF_u = dF_q + n;
  int *at = (int *)(dF_u + n);
  bool *moves = (bool *)(at + n);
  memcpy(at, bodies, (size_t)n * sizeof *at);
  for (;;) {
    int outermost = 0;
    bool all = true;
    for (int k = 0; k < n; k++) {
      outermost = at[k] > outermost ? at[k] : outermost;
      all = all && at[k] == at[0];
    }
    if (outermost == 0 || (relative && all)) return;
    joint_motion j = { .p = p, .joint = outermost, .moves = moves };
    for (int k = 0; k < n; k++) {
      j.moves[k] = at[k] == outermost;
      if (j.moves[k]) at[k] = p->node[outermost].parent;
    }
    for (int l = 0; l < p->node[outermost].nu; l++) {
      j.mobility = p->node[outermost].u + l;
      move(&j, n, bodies, r, by_q, by_u);
      change(law, n, by_q, dF_q);
      if (by_velocity) change(law, n, by_u, dF_u);
      push(d, &j, n, bodies, r, F, dF_q, by_velocity ? dF_u : NULL);
    }
  }
}

void cdni_derivative_of_bodies(cdn_force_derivatives *d, int n, const int *bodies, const v3 *r, const sv *F,
                               bool relative, bool by_velocity, force_change *change, const void *law) {
  double room[CDN_FORCE_BODIES * (FORCE_STATION_ROOM / sizeof(double) + 1)];
  cdni_derivative_of_stations(d, n, bodies, r, F, relative, by_velocity, change, law, room);
}

/* ---- the public side ---- */

typedef struct matrices {
  const double *by_X, *by_V;
} matrices;

static void add_product(int n, const double *A, const double *x, int column, double *y) {
  for (int i = 0; A && i < 6 * n; i++)
    for (int k = 0; k < 6; k++) y[i] += A[i * 6 * n + 6 * column + k] * x[k];
}

static void multiply(const void *law, int n, const station_motion *x, sv *dF) {
  const matrices *m = law;
  memset(dF, 0, (size_t)n * sizeof *dF);
  for (int k = 0; k < n; k++) {
    add_product(n, m->by_X, &x[k].X.w.x, k, &dF[0].w.x);
    add_product(n, m->by_V, &x[k].V.w.x, k, &dF[0].w.x);
  }
}

void cdn_force_derivatives_add_bodies(cdn_force_derivatives *d, int n, const cdn_body *bodies, const cdn_vec3 *stations,
                                      const cdn_spatial *F_G, const double *dF_dX, const double *dF_dV, bool relative) {
  CDNI_NEED_OBJECT_OR_NOTHING(d);
  const derivative_pass *p = d->pass;
  const matrices law = { dF_dX, dF_dV };
  int body[CDN_FORCE_BODIES];
  v3 r[CDN_FORCE_BODIES];
  sv F[CDN_FORCE_BODIES];
  if (n < 1 || n > CDN_FORCE_BODIES || !bodies || !stations || !F_G) {
    cdni_derivative_mistake(d, CDN_ERR_ARG, (cdn_body){ n }, -1);
    return;
  }
  const size_t square = 36 * (size_t)n * (size_t)n;
  for (int k = 0; k < n; k++) {
    const double numbers[9] = { stations[k].x, stations[k].y, stations[k].z, F_G[k].w.x, F_G[k].w.y,
                                F_G[k].w.z,    F_G[k].v.x,    F_G[k].v.y,    F_G[k].v.z };
    if (!cdni_derivative_accepts(d, bodies[k], numbers, 9)) return;
    body[k] = bodies[k].i;
    r[k] = cdni_to_v3(cdni_matter_station(p->m, p->state, p->pose, bodies[k], stations[k]));
    F[k] = (sv){ cdni_to_v3(F_G[k].w), cdni_to_v3(F_G[k].v) };
  }
  if ((dF_dX && !cdni_derivative_accepts(d, bodies[0], dF_dX, square)) ||
      (dF_dV && !cdni_derivative_accepts(d, bodies[0], dF_dV, square)))
    return;
  cdni_derivative_of_bodies(d, n, body, r, F, relative, dF_dV != NULL, multiply, &law);
}
