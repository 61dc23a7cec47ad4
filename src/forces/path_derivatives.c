/* How a tension along a path varies. Each gap has stations at its ends and at the origin of its obstacle, and their
 * forces change where the stations move: the tension by the length of the whole path and its rate, the directions by
 * the bends of the gap (paths/wrap.h), seen from the obstacle. */
#include <math.h>

#include "forces/derivatives.h"

/* A gap with what its change needs; vectors in Ground. */
typedef struct gap_law {
  const path_gap *gap;
  wrap_bend bend;
  v3 v_P, v_Q; /* velocities of the ends: seen from the obstacle, or as they are */
  v3 v_O, w_O; /* of the obstacle */
} gap_law;

typedef struct gap_change gap_change;
typedef struct path_law {
  double tension, by_length, by_rate;
  int n;
  gap_law *gap;
  gap_change *change; /* of each, for one change of the stations */
} path_law;

enum { AT_P, AT_O, AT_Q, STATIONS };

/* ---- one gap ---- */

struct gap_change {
  v3 P, Q;         /* the ends' displacements, as velocities above */
  v3 from_P, to_Q; /* of the directions */
  double length, rate;
};

static gap_change change_straight(const gap_law *g, const station_motion *m) {
  const v3 n = g->gap->path.to_Q;
  gap_change c = { .P = m[AT_P].X.v, .Q = m[AT_Q].X.v };
  const v3 e = v3_sub(c.Q, c.P);
  c.length = v3_dot(n, e);
  c.from_P = c.to_Q = g->gap->path.length > 0 ? v3_scale(1 / g->gap->path.length, v3_fma(-c.length, n, e)) : v3_zero();
  c.rate = v3_dot(c.to_Q, v3_sub(g->v_Q, g->v_P)) + v3_dot(n, v3_sub(m[AT_Q].V.v, m[AT_P].V.v));
  return c;
}

/* A vector a that the obstacle carries, or a difference from a to where the obstacle would carry it. */
static v3 beside(v3 moved, const station_motion *obstacle, v3 arm) {
  return v3_sub(v3_sub(moved, obstacle->X.v), v3_cross(obstacle->X.w, arm));
}

static gap_change change_wrapped(const gap_law *g, const station_motion *m) {
  const path_gap *gap = g->gap;
  const v3 p = v3_sub(gap->P, gap->O), q = v3_sub(gap->Q, gap->O), turn = m[AT_O].X.w;
  gap_change c = { .P = beside(m[AT_P].X.v, &m[AT_O], p), .Q = beside(m[AT_Q].X.v, &m[AT_O], q) };
  const v3 dP = v3_add(m3_mul(g->bend.PP, c.P), m3_mul(g->bend.PQ, c.Q));
  const v3 dQ = v3_add(m3_tmul(g->bend.PQ, c.P), m3_mul(g->bend.QQ, c.Q));
  c.from_P = v3_sub(v3_cross(turn, gap->path.from_P), dP);
  c.to_Q = v3_add(v3_cross(turn, gap->path.to_Q), dQ);
  c.length = v3_dot(gap->path.to_Q, c.Q) - v3_dot(gap->path.from_P, c.P);
  /* the velocities seen from the obstacle, whose arm moves with the ends */
  const v3 by_P = v3_sub(v3_sub(m[AT_P].V.v, m[AT_O].V.v), v3_cross(m[AT_O].V.w, p));
  const v3 by_Q = v3_sub(v3_sub(m[AT_Q].V.v, m[AT_O].V.v), v3_cross(m[AT_O].V.w, q));
  const v3 on_P = v3_sub(by_P, v3_cross(g->w_O, v3_sub(m[AT_P].X.v, m[AT_O].X.v)));
  const v3 on_Q = v3_sub(by_Q, v3_cross(g->w_O, v3_sub(m[AT_Q].X.v, m[AT_O].X.v)));
  c.rate =
      v3_dot(c.to_Q, g->v_Q) + v3_dot(gap->path.to_Q, on_Q) - v3_dot(c.from_P, g->v_P) - v3_dot(gap->path.from_P, on_P);
  return c;
}

/* ---- the path ---- */

static void push_change(const gap_law *g, const gap_change *c, const station_motion *m, double T, double dT, sv *dF) {
  const path_gap *gap = g->gap;
  const v3 f_P = v3_scale(T, gap->path.from_P), f_Q = v3_scale(-T, gap->path.to_Q);
  const v3 df_P = v3_fma(T, c->from_P, v3_scale(dT, gap->path.from_P));
  const v3 df_Q = v3_fma(-T, c->to_Q, v3_scale(-dT, gap->path.to_Q));
  dF[AT_P] = (sv){ v3_zero(), df_P };
  dF[AT_Q] = (sv){ v3_zero(), df_Q };
  dF[AT_O] = sv_zero();
  if (!gap->wraps) return;
  const v3 p = v3_sub(gap->P, gap->O), q = v3_sub(gap->Q, gap->O);
  const v3 dp = v3_sub(m[AT_P].X.v, m[AT_O].X.v), dq = v3_sub(m[AT_Q].X.v, m[AT_O].X.v);
  const v3 moment = v3_add(v3_cross_add(p, df_P, v3_cross(dp, f_P)), v3_cross_add(q, df_Q, v3_cross(dq, f_Q)));
  dF[AT_O] = (sv){ v3_neg(moment), v3_neg(v3_add(df_P, df_Q)) };
}

static void change(const void *data, int n, const station_motion *motion, sv *dF) {
  const path_law *law = data;
  gap_change *c = law->change;
  double dT = 0;
  (void)n;
  for (int k = 0; k < law->n; k++) {
    const gap_law *g = &law->gap[k];
    c[k] = g->gap->wraps ? change_wrapped(g, motion + STATIONS * k) : change_straight(g, motion + STATIONS * k);
    dT += g->gap->weight * (law->by_length * c[k].length + law->by_rate * c[k].rate);
  }
  for (int k = 0; k < law->n; k++) {
    const double weight = law->gap[k].gap->weight;
    push_change(&law->gap[k], &c[k], motion + STATIONS * k, weight * law->tension, weight * dT, dF + STATIONS * k);
  }
}

static v3 velocity_at(const derivative_pass *p, int body, v3 place) {
  return sv_shift_motion(p->twist[body].V, v3_sub(place, p->pose[body].p_GM)).v;
}

static void prepare(const derivative_pass *p, const path_gap *gap, gap_law *g) {
  *g =
      (gap_law){ .gap = gap, .v_P = velocity_at(p, gap->body[0], gap->P), .v_Q = velocity_at(p, gap->body[2], gap->Q) };
  if (!gap->wraps) return;
  cdni_gap_bend(gap, &g->bend);
  g->w_O = p->twist[gap->body[1]].V.w;
  g->v_P = v3_sub(g->v_P, velocity_at(p, gap->body[1], gap->P));
  g->v_Q = v3_sub(g->v_Q, velocity_at(p, gap->body[1], gap->Q));
}

/* A path of coordinates. */
static void vary_coordinates(cdn_force_derivatives *d, const path_view *view, double by_length, double by_rate) {
  for (int i = 0; i < view->n_coordinates; i++)
    for (int k = 0; k < view->n_coordinates; k++) {
      const double product = view->coefficient[i * PATH_NUMBERS] * view->coefficient[k * PATH_NUMBERS];
      derivative_of_mobility(d, view->coordinates[i].u, view->coordinates[k].u, -by_length * product,
                             -by_rate * product);
    }
}

/* By speeds the tension alone varies, by the rate, which is the moments times the speeds. */
static cdn_status vary_speeds(cdn_force_derivatives *d, const path_view *view, double by_rate) {
  const derivative_pass *p = d->pass;
  const int nu = p->m->tree.nu;
  if (d->damping || !p->du) return CDN_OK; /* no tension acts on a lone mobility */
  double *moments = cdn_work_push(p->state, ((size_t)nu + 1) * sizeof *moments);
  if (!moments) return CDN_ERR_NOMEM;
  memset(moments, 0, (size_t)nu * sizeof *moments);
  const tree_data data = cdni_matter_data(p->m, p->state);
  cdni_path_add_moments(p->m, &data, view, moments);
  for (int i = 0; i < nu; i++)
    for (int k = 0; k < nu && moments[i] != 0; k++)
      if (moments[k] != 0) derivative_of_mobility(d, i, k, 0, -by_rate * moments[i] * moments[k]);
  cdn_work_pop(p->state, moments);
  return CDN_OK;
}

void cdn_force_derivatives_add_path(cdn_force_derivatives *d, cdn_path path, double tension, double by_length,
                                    double by_rate) {
  CDNI_NEED_OBJECT_OR_NOTHING(d);
  const cdn_body at = { path.i };
  if (!cdni_path_exists(cdni_paths(cdn_state_system(d->pass->state)), path))
    cdni_derivative_mistake(d, CDN_ERR_ARG, at, MISTAKE_OF_PATH);
  else if (!isfinite(tension) || !isfinite(by_length) || !isfinite(by_rate))
    cdni_derivative_mistake(d, CDN_ERR_NONFINITE, at, MISTAKE_OF_PATH);
  else {
    const cdn_status status = cdni_derivative_of_path(d, path, tension, by_length, by_rate);
    if (status != CDN_OK)
      cdni_derivative_mistake(d, status == CDN_ERR_NOMEM ? status : CDN_ERR_SINGULAR, at, MISTAKE_OF_PATH);
  }
}

/* The stations of a gap, and the forces there. */
static void place_gap(const derivative_pass *p, const path_gap *gap, double tension, int *body, v3 *r, sv *f) {
  const double T = tension * gap->weight;
  const v3 place[STATIONS] = { gap->P, gap->O, gap->Q };
  for (int e = 0; e < STATIONS; e++) {
    body[e] = e == AT_O && !gap->wraps ? 0 : gap->body[e];
    r[e] = v3_sub(place[e], p->pose[body[e]].p_GM);
  }
  f[AT_P] = (sv){ v3_zero(), v3_scale(T, gap->path.from_P) };
  f[AT_Q] = (sv){ v3_zero(), v3_scale(-T, gap->path.to_Q) };
  f[AT_O] = sv_zero();
  if (!gap->wraps) return;
  const v3 moment = v3_add(v3_cross(v3_sub(gap->P, gap->O), f[AT_P].v), v3_cross(v3_sub(gap->Q, gap->O), f[AT_Q].v));
  f[AT_O] = (sv){ v3_neg(moment), v3_neg(v3_add(f[AT_P].v, f[AT_Q].v)) };
}

/* Bytes for n ints, behind which doubles may be. */
static size_t int_room(size_t n) { return (n * sizeof(int) + sizeof(double) - 1) / sizeof(double) * sizeof(double); }

static void vary_gaps(cdn_force_derivatives *d, const path_view *view, path_law *law, char *frame) {
  const size_t n = (size_t)view->n_gaps, stations = STATIONS * n;
  law->n = view->n_gaps;
  law->gap = (gap_law *)(void *)frame;
  law->change = (gap_change *)(law->gap + n);
  sv *F = (sv *)(law->change + n);
  v3 *r = (v3 *)(F + stations);
  int *body = (int *)(r + stations);
  void *room = (char *)body + int_room(stations);
  for (int k = 0; k < view->n_gaps; k++) {
    const int at = STATIONS * k;
    prepare(d->pass, &view->gaps[k], &law->gap[k]);
    place_gap(d->pass, &view->gaps[k], law->tension, body + at, r + at, F + at);
  }
  if (d->pass->dq) cdni_derivative_of_stations(d, STATIONS * view->n_gaps, body, r, F, true, false, change, law, room);
}

cdn_status cdni_derivative_of_path(cdn_force_derivatives *d, cdn_path path, double tension, double by_length,
                                   double by_rate) {
  const derivative_pass *p = d->pass;
  path_law law = { .tension = tension, .by_length = by_length, .by_rate = by_rate };
  path_view view;
  CDNI_TRY(cdni_path_view(cdni_paths(cdn_state_system(p->state)), p->state, path, &view));
  vary_coordinates(d, &view, by_length, by_rate);
  if (view.n_gaps == 0) return CDN_OK;
  const size_t gap = sizeof(gap_law) + sizeof(gap_change);
  const size_t n = (size_t)view.n_gaps, station = sizeof(sv) + sizeof(v3) + FORCE_STATION_ROOM;
  char *frame = cdn_work_push(p->state, n * (gap + STATIONS * station) + int_room(STATIONS * n));
  if (!frame) return CDN_ERR_NOMEM;
  vary_gaps(d, &view, &law, frame);
  cdn_work_pop(p->state, frame);
  return by_rate != 0 ? vary_speeds(d, &view, by_rate) : CDN_OK;
}
