/* Two boxes: the fifteen axes that may part them. The largest separation is the signed distance where the boxes
 * overlap, and a lower bound of the distance where they are apart. */
#include "geometry/convex/convex.h"

typedef struct boxes {
  double a[3], b[3], p[3], q[3]; /* half lengths; the middle of b seen from that of a, along the axes of a and of b */
  double R[3][3], S[3][3];       /* R[i][j]: axis j of b along axis i of a; S: their absolute values */
  double apart[6];               /* along the axes of a, then of b */
} boxes;

static int thinnest(const double half[3]) {
  const int low = half[1] < half[0];
  return half[2] < half[low] ? 2 : low;
}

/* Flat boxes that are apart most often are so across the faces of the thinner sides: those are tried first. False: they
 * are farther apart than the reach. */
static bool place_boxes(boxes *x, const cdn_geometry *a, const cdn_transform *X_WA, const cdn_geometry *b,
                        const cdn_transform *X_WB, double reach) {
  const cdn_vec3 between = cdn_sub(X_WB->p, X_WA->p), *axes_a = &X_WA->R.x, *axes_b = &X_WB->R.x;
  for (int j = 0; j < 3; j++) x->a[j] = a->size[j], x->b[j] = b->size[j];
  for (int k = 0, first = thinnest(x->a); k < 3; k++) {
    const int i = (first + k) % 3;
    x->p[i] = cdn_dot(axes_a[i], between);
    for (int j = 0; j < 3; j++) x->R[i][j] = cdn_dot(axes_a[i], axes_b[j]), x->S[i][j] = fabs(x->R[i][j]);
    x->apart[i] = fabs(x->p[i]) - (x->a[i] + x->S[i][0] * x->b[0] + x->S[i][1] * x->b[1] + x->S[i][2] * x->b[2]);
    if (x->apart[i] > reach) return false;
  }
  for (int k = 0, first = thinnest(x->b); k < 3; k++) {
    const int j = (first + k) % 3;
    x->q[j] = x->p[0] * x->R[0][j] + x->p[1] * x->R[1][j] + x->p[2] * x->R[2][j];
    x->apart[3 + j] = fabs(x->q[j]) - (x->b[j] + x->S[0][j] * x->a[0] + x->S[1][j] * x->a[1] + x->S[2][j] * x->a[2]);
    if (x->apart[3 + j] > reach) return false;
  }
  return true;
}

typedef struct axis {
  double separation;
  int kind; /* 0-2: a face of a; 3-5: a face of b; 6 + 3 i + j: the edges i of a and j of b */
  double n[3];
} axis;

/* False: farther apart than the reach. */
static bool largest_separation(const boxes *x, double reach, axis *best) {
  best->separation = -INFINITY;
  for (int i = 0; i < 6; i++)
    if (x->apart[i] > best->separation) best->separation = x->apart[i], best->kind = i;
  /* An axis across two edges must part the boxes farther than the faces do, by more than rounding. */
  const double size = x->a[0] + x->a[1] + x->a[2] + x->b[0] + x->b[1] + x->b[2];
  double most = best->separation + 1e-14 * size;
  for (int i = 0; i < 3; i++) {
    const int i1 = (i + 1) % 3, i2 = (i + 2) % 3;
    for (int j = 0; j < 3; j++) {
      const int j1 = (j + 1) % 3, j2 = (j + 2) % 3;
      /* e_i x b_j has the components -R[i2][j] along i1 and R[i1][j] along i2. */
      const double square = x->R[i1][j] * x->R[i1][j] + x->R[i2][j] * x->R[i2][j];
      const double over =
          fabs(x->p[i2] * x->R[i1][j] - x->p[i1] * x->R[i2][j]) -
          (x->a[i1] * x->S[i2][j] + x->a[i2] * x->S[i1][j] + x->b[j1] * x->S[i][j2] + x->b[j2] * x->S[i][j1]);
      /* over / sqrt(square) > most, without the root and the division where they decide nothing. */
      if (most >= 0 ? (over <= 0 || over * over <= most * most * square)
                    : (over < 0 && over * over >= most * most * square))
        continue;
      if (!(square > 1e-20)) continue;
      const double s = over / sqrt(square);
      if (s > reach) return false;
      if (s > most) most = s, best->separation = s, best->kind = 6 + 3 * i + j;
    }
  }
  if (best->kind < 3) {
    for (int i = 0; i < 3; i++) best->n[i] = 0;
    best->n[best->kind] = copysign(1, x->p[best->kind]);
  } else if (best->kind < 6) {
    const int j = best->kind - 3;
    for (int i = 0; i < 3; i++) best->n[i] = copysign(1, x->q[j]) * x->R[i][j];
  } else {
    const int i = (best->kind - 6) / 3, j = (best->kind - 6) % 3, i1 = (i + 1) % 3, i2 = (i + 2) % 3;
    const double over = x->p[i2] * x->R[i1][j] - x->p[i1] * x->R[i2][j];
    const double f = copysign(1, over) / hypot(x->R[i1][j], x->R[i2][j]);
    best->n[i] = 0, best->n[i1] = -f * x->R[i2][j], best->n[i2] = f * x->R[i1][j];
  }
  return true;
}

/* The middle of the part of [-half, half] where |from + t slope| <= limit. */
static double middle_within(double from, double slope, double limit, double *low, double *high) {
  if (fabs(slope) > 1e-12) {
    const double t0 = (-limit - from) / slope, t1 = (limit - from) / slope;
    *low = fmax(*low, fmin(t0, t1)), *high = fmin(*high, fmax(t0, t1));
  }
  return 0.5 * (*low + *high);
}

/* The point of box b (half lengths b, middle p, axes R as in boxes) that is deepest along -n in a face of a across axis
 * i, above the face. Where an edge or a face of b is parallel to the face of a, a point that is above it. False: there
 * is none. */
static bool deepest_over_face(const double a[3], const double b[3], const double p[3], const double R[3][3], int i,
                              double side, double at[3]) {
  const int i1 = (i + 1) % 3, i2 = (i + 2) % 3;
  int free[3], n_free = 0;
  for (int k = 0; k < 3; k++) at[k] = p[k];
  for (int j = 0; j < 3; j++) {
    const double along = side * R[i][j];
    if (fabs(along) < 1e-9) {
      free[n_free++] = j;
      continue;
    }
    const double t = -copysign(b[j], along);
    for (int k = 0; k < 3; k++) at[k] += t * R[k][j];
  }
  if (n_free == 1) {
    const int j = free[0];
    double low = -b[j], high = b[j];
    middle_within(at[i1], R[i1][j], a[i1], &low, &high);
    const double t = middle_within(at[i2], R[i2][j], a[i2], &low, &high);
    if (low > high) return false;
    for (int k = 0; k < 3; k++) at[k] += t * R[k][j];
  } else if (n_free >= 2) {
    /* Two rectangles that overlap: from one to the other and back, until a point of one is in the other. */
    const int j = free[0], m = free[1];
    const double o1 = at[i1], o2 = at[i2];
    double y1 = 0, y2 = 0;
    for (int turn = 0; turn < 200; turn++) {
      const double t = fmin(fmax((y1 - o1) * R[i1][j] + (y2 - o2) * R[i2][j], -b[j]), b[j]);
      const double u = fmin(fmax((y1 - o1) * R[i1][m] + (y2 - o2) * R[i2][m], -b[m]), b[m]);
      const double x1 = o1 + t * R[i1][j] + u * R[i1][m], x2 = o2 + t * R[i2][j] + u * R[i2][m];
      at[i1] = x1, at[i2] = x2;
      y1 = fmin(fmax(x1, -a[i1]), a[i1]), y2 = fmin(fmax(x2, -a[i2]), a[i2]);
      if (x1 == y1 && x2 == y2) break;
    }
  }
  const double slack = 1e-9 * (a[i1] + a[i2]);
  return fabs(at[i1]) <= a[i1] + slack && fabs(at[i2]) <= a[i2] + slack;
}

static bool faces_answer(const boxes *x, const axis *best, cdn_vec3 *point_a, cdn_vec3 *normal) {
  const double *n = best->n;
  *normal = cdn_v3(n[0], n[1], n[2]);
  if (best->kind < 3) {
    double at[3];
    if (!deepest_over_face(x->a, x->b, x->p, x->R, best->kind, n[best->kind], at)) return false;
    at[best->kind] = copysign(x->a[best->kind], n[best->kind]);
    *point_a = cdn_v3(at[0], at[1], at[2]);
    return true;
  }
  /* The same from the other side: the point of a over the face of b. */
  double Rt[3][3], p[3], at[3];
  for (int i = 0; i < 3; i++) {
    p[i] = 0;
    for (int j = 0; j < 3; j++) Rt[i][j] = x->R[j][i], p[i] -= x->R[j][i] * x->p[j];
  }
  const int j = best->kind - 3;
  const double side = -(n[0] * x->R[0][j] + n[1] * x->R[1][j] + n[2] * x->R[2][j]);
  if (!deepest_over_face(x->b, x->a, p, Rt, j, copysign(1, side), at)) return false;
  const cdn_vec3 r = cdn_v3(at[0], at[1], at[2]);
  *point_a = cdn_v3(x->p[0] + x->R[0][0] * r.x + x->R[0][1] * r.y + x->R[0][2] * r.z,
                    x->p[1] + x->R[1][0] * r.x + x->R[1][1] * r.y + x->R[1][2] * r.z,
                    x->p[2] + x->R[2][0] * r.x + x->R[2][1] * r.y + x->R[2][2] * r.z);
  return true;
}

/* The nearest points of the two edges are where their common perpendicular meets them. */
static bool edges_answer(const boxes *x, const axis *best, cdn_vec3 *point_a, cdn_vec3 *normal) {
  const double *n = best->n;
  const int i = (best->kind - 6) / 3, j = (best->kind - 6) % 3;
  double a[3], b[3], dot = x->R[i][j];
  for (int k = 0; k < 3; k++) a[k] = k == i ? 0 : copysign(x->a[k], n[k]), b[k] = x->p[k];
  for (int m = 0; m < 3; m++) {
    if (m == j) continue;
    const double t = -copysign(x->b[m], n[0] * x->R[0][m] + n[1] * x->R[1][m] + n[2] * x->R[2][m]);
    for (int k = 0; k < 3; k++) b[k] += t * x->R[k][m];
  }
  /* a + s e_i and b + t b_j. */
  double ri = b[i] - a[i], rj = 0;
  for (int k = 0; k < 3; k++) rj += (b[k] - a[k]) * x->R[k][j];
  const double down = 1 - dot * dot;
  const double s = (ri - dot * rj) / down, t = (dot * ri - rj) / down;
  if (fabs(s) > x->a[i] * (1 + 1e-9) || fabs(t) > x->b[j] * (1 + 1e-9)) return false;
  a[i] = s;
  *point_a = cdn_v3(a[0], a[1], a[2]);
  *normal = cdn_v3(n[0], n[1], n[2]);
  return true;
}

bool cdni_boxes_distance(const cdn_geometry *a, const cdn_transform *X_WA, const cdn_geometry *b,
                         const cdn_transform *X_WB, double reach, cdn_proximity *out) {
  boxes x;
  if (!place_boxes(&x, a, X_WA, b, X_WB, reach)) return false;
  axis best;
  if (!largest_separation(&x, reach, &best)) return false;
  cdn_vec3 point_a, normal;
  /* Where the nearest features are not those of the axis, the boxes are apart, and corners or edges face each other. */
  if (!(best.kind < 6 ? faces_answer(&x, &best, &point_a, &normal) : edges_answer(&x, &best, &point_a, &normal)))
    return cdni_convex_distance(a, X_WA, b, X_WB, reach, out);
  proximity_from_a(best.separation, g_rotate(&X_WA->R, normal), g_point(X_WA, point_a), out);
  return true;
}
