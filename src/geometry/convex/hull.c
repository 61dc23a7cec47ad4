/* Convex hulls: which points are corners, and which facets they span, is found by qhull; planes and neighbours are
 * computed here. */
#define _POSIX_C_SOURCE 200809L /* fmemopen */
#include <stdio.h>

#include <libqhull_r/qhull_ra.h>

#include "geometry/convex/convex.h"
#include "geometry/convex/hull.h"

static const char function[] = "cdn_surface_create_convex";

/* What is taken from qhull: triangles, as indices of the points, fans of the facets. */
typedef struct found {
  int n_triangles, room;
  int32_t *triangles;
  bool no_memory;
} found;

static void take_triangle(found *f, int a, int b, int c) {
  if (f->n_triangles == f->room) {
    const int room = f->room ? 2 * f->room : 64;
    int32_t *more = room > f->room ? realloc(f->triangles, sizeof *more * 3 * (size_t)room) : NULL;
    if (!more) {
      f->no_memory = true;
      return;
    }
    f->triangles = more, f->room = room;
  }
  int32_t *t = &f->triangles[3 * (size_t)f->n_triangles++];
  t[0] = a, t[1] = b, t[2] = c;
}

static void take_facets(qhT *qh, found *f) {
  facetT *facet;
  vertexT *vertex, **vertexp;
  FORALLfacets {
    setT *corners = qh_facet3vertex(qh, facet); /* clockwise from outside */
    int first = -1, last = -1;
    FOREACHvertex_(corners) {
      const int point = qh_pointid(qh, vertex->point);
      if (first < 0) first = point;
      else if (last >= 0) take_triangle(f, first, point, last), last = point;
      else last = point;
    }
    qh_settempfree(qh, &corners);
  }
}

/* Runs qhull; its errors arrive by longjmp. Returns its exit code. */
static int run_qhull(int n, double *points, char *options, char *message, size_t size, found *f) {
  qhT memory = { 0 }, *qh = &memory;
  FILE *errors = fmemopen(message, size, "w");
  if (!errors) return qh_ERRmem;
  qh_zero(qh, errors);
  int code = qh_new_qhull(qh, 3, n, points, False, options, NULL, errors);
  if (code == qh_ERRnone) {
    code = setjmp(qh->errexit);
    if (code == qh_ERRnone) {
      qh->NOerrexit = False;
      take_facets(qh, f);
    }
    qh->NOerrexit = True;
  }
  int current, total;
  qh_freeqhull(qh, !qh_ALL);
  qh_memfreeshort(qh, &current, &total);
  fclose(errors);
  return code;
}

/* Hulls of points go with the points when axes are stretched: with all extents near 1, a thin set is not flat to qhull.
 * The factors are powers of two; `evenly`: of all axes the same one. */
static bool normalize(int n, const double *points, bool evenly, double *to, int exponent[3]) {
  bool flat = false;
  double middle[3];
  for (int k = 0; k < 3; k++) {
    double least = INFINITY, most = -INFINITY;
    for (int i = 0; i < n; i++) least = fmin(least, points[3 * i + k]), most = fmax(most, points[3 * i + k]);
    const double half = 0.5 * most - 0.5 * least;
    middle[k] = 0.5 * least + 0.5 * most;
    if (!(half > 1e-15 * fmax(fabs(least), fabs(most)))) flat = true;
    frexp(half, &exponent[k]);
  }
  for (int k = 0; k < 3 && evenly; k++)
    for (int l = 0; l < 3; l++)
      if (exponent[l] > exponent[k]) exponent[k] = exponent[l];
  for (int i = 0; i < 3 * n; i++) to[i] = ldexp(points[i] - middle[i % 3], -exponent[i % 3]);
  return !flat;
}

/* Points may stay outside by `within`. */
static cdn_status find_hull(int n, const double *points, double within, found *f) {
  double *copy = malloc(sizeof *copy * 3 * (size_t)n);
  if (!copy) return cdni_refuse(CDN_ERR_NOMEM, function, "no memory for %d points", n);
  int exponent[3] = { 0, 0, 0 };
  char message[400] = "", left_out[40] = "";
  /* The second attempt moves the points by rounding errors, which always succeeds. */
  static const char *const attempts[] = { "qhull Pp", "qhull QJ Pp" };
  int code = normalize(n, points, within > 0, copy, exponent) ? qh_ERRqhull : qh_ERRsingular;
  if (within > 0) cdni_print(left_out, sizeof left_out, " W%.17g", ldexp(within, -exponent[0]));
  for (int i = 0; i < CDNI_COUNT(attempts) && code != qh_ERRnone && code != qh_ERRsingular && code != qh_ERRmem; i++) {
    char options[60];
    snprintf(options, sizeof options, "%s%s", attempts[i], left_out);
    f->n_triangles = 0;
    code = run_qhull(n, copy, options, message, sizeof message - 1, f);
  }
  free(copy);
  if (f->no_memory || code == qh_ERRmem)
    return cdni_refuse(CDN_ERR_NOMEM, function, "no memory for the hull of %d points", n);
  if (code == qh_ERRsingular)
    return cdni_refuse(
        CDN_ERR_ARG, function,
        "all %d points are in a plane, and a flat set has no inside; add points off the plane, or use a mesh or a thin box",
        n);
  if (code != qh_ERRnone || f->n_triangles < 4) {
    message[strcspn(message, "\n")] = '\0';
    return cdni_refuse(CDN_ERR_ARG, function,
                       "qhull finds no hull of the %d points: %s; remove points that nearly coincide", n, message);
  }
  return CDN_OK;
}

cdn_status cdni_hull_find(int n, const double *points, double within, cdn_surface **out) {
  found f = { 0 };
  *out = NULL;
  cdn_status status = find_hull(n, points, within, &f);
  if (status == CDN_OK) {
    *out = cdni_hull_build(n, points, f.n_triangles, f.triangles);
    if (!*out) status = cdni_refuse(CDN_ERR_NOMEM, function, "no memory for a hull of %d triangles", f.n_triangles);
  }
  free(f.triangles);
  return status;
}

cdn_status cdn_surface_create_convex(int n, const double *points, cdn_surface **out) {
  if (!out) return cdni_misses(function, "out");
  *out = NULL;
  if (!points) return cdni_misses(function, "points");
  if (n < 4) return cdni_refuse(CDN_ERR_ARG, function, "%d points have no hull with an inside; give 4 or more", n);
  if (n > INT32_MAX / 8)
    return cdni_refuse(CDN_ERR_ARG, function, "%d points are too many; give at most %d", n, INT32_MAX / 8);
  size_t bad;
  if (!cdni_all_finite(points, 3 * (size_t)n, &bad))
    return cdni_refuse(CDN_ERR_ARG, function, "point %zu has the coordinate %g; every coordinate must be finite",
                       bad / 3, points[bad]);
  for (size_t i = 0; i < 3 * (size_t)n; i++)
    if (fabs(points[i]) > 1e150)
      return cdni_refuse(CDN_ERR_ARG, function, "point %zu has the coordinate %g; scale the points to at most 1e150",
                         i / 3, points[i]);
  return cdni_hull_find(n, points, 0, out);
}
