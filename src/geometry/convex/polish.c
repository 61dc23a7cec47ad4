/* Newton's method for the local minimum of h near a direction n.
 *
 * Near the minimum, h(n) = max_i n . w_i + c(n), where w_i are the k <= 3 differences of corners that carry the nearest
 * face of M, and c is the support function of the curve parts, whose gradient is the curve's support point. With
 * multipliers that add up to 1, x = sum of l_i w_i + grad c(n) is a point of M; n is the minimum when x is parallel to
 * n, when all n . w_i are equal, and when no multiplier is negative. For a step d across n, with the curvature K = Hess
 *   c - h(n) on the tangent plane: K d + sum of l_i w_i = - grad c,    d . (w_i - w_1) = - n . (w_i - w_1).
 * A corner that exceeds the others joins them; one whose multiplier is negative leaves. */
#include "geometry/convex/convex.h"

enum { MOST_STEPS = 12, MOST_CHANGES = 4 };

/* Adds t . Hess c . t for the curve part of a core at n, on the tangents t1, t2: (11, 12, 22). All in the frame of the
 * core. */
CDNI_INLINE void add_curvature(const core *c, cdn_vec3 n, cdn_vec3 t1, cdn_vec3 t2, double K[3]) {
  if (c->curve == CURVE_DISK) {
    const double square = n.x * n.x + n.y * n.y;
    if (!(square > 1e-300)) return;
    const double f = c->size[0] / (square * sqrt(square));
    const double u1 = n.x * t1.y - n.y * t1.x, u2 = n.x * t2.y - n.y * t2.x;
    K[0] += f * u1 * u1, K[1] += f * u1 * u2, K[2] += f * u2 * u2;
    return;
  }
  const double *s = c->size;
  const cdn_vec3 e = cdn_v3(s[0] * n.x, s[1] * n.y, s[2] * n.z);
  const cdn_vec3 e1 = cdn_v3(s[0] * t1.x, s[1] * t1.y, s[2] * t1.z), e2 = cdn_v3(s[0] * t2.x, s[1] * t2.y, s[2] * t2.z);
  /* (e_i . e_j - (e . e_i)(e . e_j) / e . e) / |e|, as products of vectors across e, which lose nothing. */
  const cdn_vec3 c1 = cdn_cross(e, e1), c2 = cdn_cross(e, e2);
  const double square = cdn_dot(e, e), f = 1 / (square * sqrt(square));
  K[0] += f * cdn_dot(c1, c1), K[1] += f * cdn_dot(c1, c2), K[2] += f * cdn_dot(c2, c2);
}

typedef struct newton {
  core_pair *pair;
  cdn_vec3 n, t1, t2;
  double h, K[3];
  cdn_vec3 curve; /* grad c at n, of M */
  int k;
  cdn_vec3 a[4], b[4], w[4]; /* corners */
  double weight[4];
  double d1, d2; /* the step */
} newton;

CDNI_INLINE void look_at(newton *s, cdn_vec3 n, const probe *q, double h) {
  s->n = n, s->h = h;
  /* Tangents without a root: columns of a reflection that takes the z axis to n. */
  const double sign = copysign(1, n.z), a = -1 / (sign + n.z), b = n.x * n.y * a;
  s->t1 = cdn_v3(1 + sign * n.x * n.x * a, sign * b, -sign * n.x);
  s->t2 = cdn_v3(b, sign + n.y * n.y * a, -n.y);
  /* Along a valley of equal minima the curvature is zero to rounding: a little more makes a step of nothing there. */
  s->K[0] = s->K[2] = -h + (h > 0 && s->pair->curved ? 1e-8 * s->pair->scale : 0), s->K[1] = 0;
  s->curve = cdn_v3(0, 0, 0);
  if (!s->pair->curved) return;
  s->curve = cdn_sub(q->w, cdn_sub(q->corner_a, q->corner_b));
  if (s->pair->a.curve) add_curvature(&s->pair->a, n, s->t1, s->t2, s->K);
  if (s->pair->b.curve) {
    const cdn_rotation *R = &s->pair->R;
    add_curvature(&s->pair->b, g_rotate_inv(R, n), g_rotate_inv(R, s->t1), g_rotate_inv(R, s->t2), s->K);
  }
}

/* The corners along the tangents and n, from the first one; the sum of the first one and the curve along the tangents.
 */
typedef struct corner_view {
  double x[4], y[4], z[4], g1, g2;
} corner_view;

static void view_corners(const newton *s, corner_view *v) {
  const cdn_vec3 g = cdn_add(s->w[0], s->curve);
  v->g1 = cdn_dot(s->t1, g), v->g2 = cdn_dot(s->t2, g);
  v->x[0] = v->y[0] = v->z[0] = 0;
  for (int i = 1; i < s->k; i++) {
    const cdn_vec3 e = cdn_sub(s->w[i], s->w[0]);
    v->x[i] = cdn_dot(s->t1, e), v->y[i] = cdn_dot(s->t2, e), v->z[i] = cdn_dot(s->n, e);
  }
}

/* The step and the multipliers for the corners at[0 .. k - 1]. False: the equations have no solution that is a minimum.
 * */
static bool solve(const double K[3], const corner_view *v, int k, const int *at, double weight[3], double *d1,
                  double *d2) {
  const int first = at[0];
  const double g1 = v->g1 + v->x[first], g2 = v->g2 + v->y[first];
  if (k == 1) {
    const double det = K[0] * K[2] - K[1] * K[1];
    if (!(K[0] > 0 && K[2] > 0 && det > 1e-14 * K[0] * K[2])) return false;
    *d1 = -(K[2] * g1 - K[1] * g2) / det, *d2 = -(K[0] * g2 - K[1] * g1) / det;
    weight[0] = 1;
    return true;
  }
  const double e1 = v->x[at[1]] - v->x[first], e2 = v->y[at[1]] - v->y[first], rise = v->z[first] - v->z[at[1]];
  if (k == 2) {
    const double length = sqrt(e1 * e1 + e2 * e2);
    if (!(length > 0)) return false;
    const double c = e1 / length, z = e2 / length, along = rise / length;
    /* Across the edge the curvature decides; along it the constraint. */
    const double across_across = K[0] * z * z - 2 * K[1] * c * z + K[2] * c * c;
    const double across_along = (K[2] - K[0]) * c * z + K[1] * (c * c - z * z);
    if (!(across_across > 0)) return false;
    const double sideways = ((g1 * z - g2 * c) - along * across_along) / across_across;
    *d1 = along * c - sideways * z, *d2 = along * z + sideways * c;
    const double r1 = g1 + K[0] * *d1 + K[1] * *d2, r2 = g2 + K[1] * *d1 + K[2] * *d2;
    weight[1] = -(c * r1 + z * r2) / length;
    weight[0] = 1 - weight[1];
    return true;
  }
  const double f1 = v->x[at[2]] - v->x[first], f2 = v->y[at[2]] - v->y[first], fall = v->z[first] - v->z[at[2]];
  const double det = e1 * f2 - e2 * f1;
  if (!(fabs(det) > 1e-14 * (fabs(e1) + fabs(e2)) * (fabs(f1) + fabs(f2)))) return false;
  const double over = 1 / det;
  *d1 = (rise * f2 - fall * e2) * over, *d2 = (fall * e1 - rise * f1) * over;
  const double r1 = g1 + K[0] * *d1 + K[1] * *d2, r2 = g2 + K[1] * *d1 + K[2] * *d2;
  weight[1] = -(r1 * f2 - r2 * f1) * over, weight[2] = -(r2 * e1 - r1 * e2) * over;
  weight[0] = 1 - weight[1] - weight[2];
  return true;
}

static const double least_weight = -1e-12;

/* Keeps of the corners those that carry the step: the subset whose multipliers are not negative. */
static bool choose(newton *s) {
  static const struct {
    int k, all, at[3]; /* it needs so many corners in all */
  } subsets[] = { { 3, 3, { 0, 1, 2 } }, { 3, 4, { 3, 0, 1 } }, { 3, 4, { 3, 1, 2 } }, { 3, 4, { 3, 2, 0 } },
                  { 2, 2, { 0, 1 } },    { 2, 3, { 1, 2 } },    { 2, 3, { 2, 0 } },    { 2, 4, { 3, 0 } },
                  { 2, 4, { 3, 1 } },    { 2, 4, { 3, 2 } },    { 1, 1, { 0 } },       { 1, 2, { 1 } },
                  { 1, 3, { 2 } },       { 1, 4, { 3 } } };
  int best = -1;
  double best_rise = INFINITY, weight[3], d1 = 0, d2 = 0;
  corner_view v;
  view_corners(s, &v);
  for (int i = 0; i < CDNI_COUNT(subsets); i++) {
    const int k = subsets[i].k, *at = subsets[i].at;
    if (subsets[i].all > s->k || !solve(s->K, &v, k, at, weight, &d1, &d2)) continue;
    bool carries = true;
    for (int j = 0; j < k; j++) carries = carries && weight[j] >= least_weight;
    if (!carries) continue;
    /* By how much another corner exceeds these, to first order. */
    const int first = at[0];
    double rise = 0;
    for (int j = 0; j < s->k; j++) {
      const double r = d1 * (v.x[j] - v.x[first]) + d2 * (v.y[j] - v.y[first]) + (v.z[j] - v.z[first]);
      rise = r > rise ? r : rise;
    }
    if (!(rise < best_rise)) continue;
    best = i, best_rise = rise;
    s->d1 = d1, s->d2 = d2;
    for (int j = 0; j < k; j++) s->weight[j] = weight[j];
    if (rise <= 1e-15 * s->pair->scale) break;
  }
  if (best < 0) return false;
  const int k = subsets[best].k, *at = subsets[best].at;
  if (k == s->k) return true;
  cdn_vec3 a[3], b[3];
  for (int j = 0; j < k; j++) a[j] = s->a[at[j]], b[j] = s->b[at[j]];
  for (int j = 0; j < k; j++) s->a[j] = a[j], s->b[j] = b[j], s->w[j] = cdn_sub(a[j], b[j]);
  s->k = k;
  return true;
}

static void add_corner(newton *s, const probe *q) {
  const cdn_vec3 w = cdn_sub(q->corner_a, q->corner_b);
  for (int i = 0; i < s->k; i++) {
    const cdn_vec3 r = cdn_sub(s->w[i], w);
    if (cdn_dot(r, r) <= 1e-30 * s->pair->scale * s->pair->scale) return;
  }
  if (s->k == 4) return;
  s->a[s->k] = q->corner_a, s->b[s->k] = q->corner_b, s->w[s->k] = w;
  s->k++;
}

static bool finish(const newton *s, const probe *q, cdn_vec3 n, double h, minimum *found) {
  cdn_vec3 a = cdn_sub(q->a, q->corner_a), b = cdn_sub(q->b, q->corner_b);
  for (int i = 0; i < s->k; i++) a = g_fma(s->weight[i], s->a[i], a), b = g_fma(s->weight[i], s->b[i], b);
  /* b - a must be along n: otherwise the multipliers are of another point. */
  const cdn_vec3 rest = g_fma(h, n, cdn_sub(b, a));
  if (!(cdn_dot(rest, rest) <= 1e-18 * s->pair->scale * s->pair->scale)) return false;
  *found = (minimum){ .answer = { -h, n, a, b }, .k = s->k };
  for (int i = 0; i < s->k; i++) found->corner[i] = s->w[i], found->weight[i] = s->weight[i];
  return true;
}

/* A minimum where the cap of a cylinder lies flat: n is its axis, and the point of the cap is where the other lets it
 * be. */
static bool try_flat(core_pair *pair, bool on_b, cdn_vec3 n, double level, int k, const probe *probes, minimum *found) {
  const cdn_vec3 axis = on_b ? pair->R.z : cdn_v3(0, 0, 1);
  const double along = cdn_dot(axis, n);
  if (fabs(along) < 0.8) return false;
  n = along > 0 ? axis : g_neg(axis);
  probe q[4];
  pair_probe(pair, n, &q[0]);
  const double h = cdn_dot(n, q[0].w);
  core *other = on_b ? &pair->a : &pair->b;
  const cdn_vec3 other_axis = on_b ? cdn_v3(0, 0, 1) : pair->R.z;
  double radius = on_b ? pair->b.size[0] : pair->a.size[0], share = 1;
  /* The curve parts: what the cap contributes is left open. */
  cdn_vec3 a = cdn_sub(q[0].a, q[0].corner_a), b = cdn_sub(q[0].b, q[0].corner_b);
  if (on_b) b = cdn_v3(0, 0, 0);
  else a = cdn_v3(0, 0, 0);
  if (other->curve == CURVE_DISK && fabs(cdn_dot(other_axis, n)) > 1 - 1e-14) {
    share = radius / (radius + other->size[0]);
    radius += other->size[0];
    a = b = cdn_v3(0, 0, 0);
  }
  /* The corners that are as far along n as any. */
  const cdn_vec3 w0 = cdn_sub(q[0].corner_a, q[0].corner_b), curve = cdn_sub(a, b);
  simplex s = { .n = 1, .probe = { q[0] } };
  for (int i = 0; i < k && s.n < 3; i++) {
    const cdn_vec3 w = cdn_sub(probes[i].corner_a, probes[i].corner_b);
    bool known = cdn_dot(n, cdn_sub(w, w0)) < -1e-13 * pair->scale;
    for (int j = 0; j < s.n; j++) {
      const cdn_vec3 v = cdn_sub(w, cdn_sub(s.probe[j].corner_a, s.probe[j].corner_b));
      known = known || cdn_dot(v, v) < 1e-26 * pair->scale * pair->scale;
    }
    if (!known) s.probe[s.n++] = probes[i];
  }
  for (int i = 0; i < s.n; i++) {
    const cdn_vec3 x = cdn_add(cdn_sub(s.probe[i].corner_a, s.probe[i].corner_b), curve);
    s.at[i] = g_fma(-cdn_dot(n, x), n, x);
  }
  cdni_simplex_reduce(&s);
  const double far = cdn_norm(s.nearest);
  if (!(far <= radius)) return false;
  const cdn_vec3 p = g_neg(s.nearest);
  for (int i = 0; i < s.n; i++)
    a = g_fma(s.weight[i], s.probe[i].corner_a, a), b = g_fma(s.weight[i], s.probe[i].corner_b, b);
  a = g_fma(on_b ? 1 - share : share, p, a);
  b = g_fma(on_b ? -share : share - 1, p, b);
  if (h > level) return false; /* there is something better near n */
  *found = (minimum){ .answer = { -h, n, a, b }, .k = s.n, .flat = radius, .from_center = p };
  for (int i = 0; i < s.n; i++) {
    found->corner[i] = cdn_sub(s.probe[i].corner_a, s.probe[i].corner_b);
    found->weight[i] = s.weight[i];
  }
  return true;
}

bool cdni_polish(core_pair *pair, cdn_vec3 n, int k, const probe *probes, minimum *found) {
  const double tolerance = 4e-15 * pair->scale;
  probe q;
  pair_probe(pair, n, &q);
  const double level = cdn_dot(n, q.w) + tolerance;
  if (pair->a.curve == CURVE_DISK && try_flat(pair, false, n, level, k, probes, found)) return true;
  if (pair->b.curve == CURVE_DISK && try_flat(pair, true, n, level, k, probes, found)) return true;
  newton s = { .pair = pair };
  for (int i = 0; i < k; i++) add_corner(&s, &probes[i]);
  add_corner(&s, &q);
  look_at(&s, n, &q, cdn_dot(n, q.w));
  double last = INFINITY;
  int carried = 0, changes = 0; /* in the last steps by as many corners as before; by others, in all */
  for (int step = 0; step < MOST_STEPS; step++) {
    const int before = s.k;
    if (!choose(&s)) return false;
    carried = s.k == before ? carried + 1 : 0;
    if (carried == 0 && ++changes > MOST_CHANGES) return false; /* it goes around in a circle */
    double size = sqrt(s.d1 * s.d1 + s.d2 * s.d2);
    if (!isfinite(size)) return false;
    double fraction = size > 1 ? 1 / size : 1;
    for (int halving = 0;; halving++) {
      const cdn_vec3 to = g_fma(fraction * s.d1, s.t1, g_fma(fraction * s.d2, s.t2, s.n));
      n = cdn_scale(1 / sqrt(cdn_dot(to, to)), to);
      pair_probe(pair, n, &q);
      const double h = cdn_dot(n, q.w);
      if (h < pair->far) {
        pair->parted = true;
        return false;
      }
      const cdn_vec3 w = cdn_sub(q.corner_a, q.corner_b);
      const bool exceeds = cdn_dot(n, cdn_sub(w, s.w[0])) > tolerance;
      /* Steps square: the next one would be this one times the square of its ratio to the last one. */
      const double ratio = size / last;
      const bool ends = size <= 1e-10 || (size <= 1e-7 && ratio > 0.5) ||
                        (carried >= 2 && size <= 1e-5 && size * ratio * ratio <= 1e-14);
      if (!exceeds && ends) return finish(&s, &q, n, h, found);
      if (h <= s.h + tolerance || (exceeds && s.k < 3 && size < 0.1)) {
        if (exceeds) add_corner(&s, &q);
        look_at(&s, n, &q, h);
        break;
      }
      if (exceeds) {
        add_corner(&s, &q);
        break; /* a better model at the same place */
      }
      if (halving == 6) return false;
      fraction *= 0.25;
    }
    last = size;
  }
  return false;
}
