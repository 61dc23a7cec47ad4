/* Height fields: their making, and what is found by their grid. */
#include <math.h>

#include "geometry/surfaces/surfaces.h"

cdn_status cdn_surface_create_height_field(int n_x, int n_y, const double *heights, double half_x, double half_y,
                                           cdn_surface **out) {
  static const double most = 1e50; /* as the coordinates of meshes */
  if (!out) return cdni_misses(__func__, "out");
  *out = NULL;
  if (!heights) return cdni_misses(__func__, "heights");
  if (n_x < 2 || n_y < 2)
    return cdni_refuse(CDN_ERR_ARG, __func__, "the grid has %d x %d heights: give at least 2 x 2", n_x, n_y);
  if (n_x > INT32_MAX / 2 / n_y)
    return cdni_refuse(CDN_ERR_ARG, __func__, "the grid has %d x %d heights: give at most %d in all", n_x, n_y,
                       INT32_MAX / 2);
  if (!(half_x > 0 && half_x <= most && half_y > 0 && half_y <= most))
    return cdni_refuse(CDN_ERR_ARG, __func__, "the half lengths are %g and %g: give numbers > 0, and at most %g m",
                       half_x, half_y, most);
  const size_t n = (size_t)n_x * (size_t)n_y;
  for (size_t i = 0; i < n; i++)
    if (!(fabs(heights[i]) <= most))
      return cdni_refuse(CDN_ERR_ARG, __func__, "height (%zu, %zu) is %g: give a finite number of at most %g m",
                         i % (size_t)n_x, i / (size_t)n_x, heights[i], most);

  cdn_surface *s = cdni_surface_allocate(CDN_GEOMETRY_HEIGHT_FIELD, n * sizeof(double));
  if (!s) return cdni_refuse(CDN_ERR_NOMEM, __func__, "no memory for %d x %d heights", n_x, n_y);
  s->heights = (double *)(s + 1);
  memcpy(s->heights, heights, n * sizeof(double));
  s->n_x = n_x, s->n_y = n_y, s->half_x = half_x, s->half_y = half_y;
  s->lowest = s->highest = heights[0];
  for (size_t i = 1; i < n; i++) {
    s->lowest = fmin(s->lowest, heights[i]);
    s->highest = fmax(s->highest, heights[i]);
  }
  s->info.n_vertices = n_x * n_y;
  s->info.n_triangles = 2 * (n_x - 1) * (n_y - 1);
  s->center = cdn_v3(0, 0, 0.5 * (s->lowest + s->highest));
  s->radius = INFINITY; /* what lies below the heights has no end */
  *out = s;
  return CDN_OK;
}

/* The cell along one axis that has x, or the nearest one. */
static int cell_of(double x, double half, int n) {
  const double at = floor((x + half) / (2 * half) * (n - 1));
  return at > 0 ? at < n - 2 ? (int)at : n - 2 : 0;
}

void field_cell(const cdn_surface *s, double x, double y, int *i, int *j) {
  *i = cell_of(x, s->half_x, s->n_x);
  *j = cell_of(y, s->half_y, s->n_y);
}

bool field_height(const cdn_surface *s, double x, double y, double *height, int *triangle) {
  if (!(fabs(x) <= s->half_x && fabs(y) <= s->half_y)) return false;
  int i, j;
  field_cell(s, x, y, &i, &j);
  const cdn_vec3 a = field_vertex(s, i, j), d = field_vertex(s, i + 1, j + 1);
  const double u = (x - a.x) / (d.x - a.x), v = (y - a.y) / (d.y - a.y);
  const bool upper = v > u; /* beyond the diagonal */
  const double corner = upper ? field_vertex(s, i, j + 1).z : field_vertex(s, i + 1, j).z;
  *height = upper ? a.z + v * (corner - a.z) + u * (d.z - corner) : a.z + u * (corner - a.z) + v * (d.z - corner);
  *triangle = 2 * (j * (s->n_x - 1) + i) + upper;
  return true;
}

void field_cells_in(const cdn_surface *s, cdn_vec3 least, cdn_vec3 most, int first[2], int last[2]) {
  /* One cell more on each side: where a cell ends is rounded. */
  field_cell(s, least.x, least.y, &first[0], &first[1]);
  field_cell(s, most.x, most.y, &last[0], &last[1]);
  for (int k = 0; k < 2; k++) {
    const int n = k ? s->n_y : s->n_x;
    if (first[k] > 0) first[k]--;
    if (last[k] < n - 2) last[k]++;
  }
}
