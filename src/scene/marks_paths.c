/* Marks of paths: their straight parts, and lines along their arcs. */
#include <limits.h>

#include <cardan/paths.h>

#include "scene/internal.h"

enum { ARC_POINTS = 12 };

/* `part` has room for as many numbers as there are points. */
static cdn_status mark_path(cdn_decorations *d, cdn_path path, cdn_vec3 *points, int *part, int most) {
  int n, next = 1;
  for (int i = 0; i < most; i++) part[i] = INT_MAX;
  CDNI_TRY(cdn_path_points(d->state, path, ARC_POINTS, points, part, &n));
  for (int i = 1; i < n; i++) {
    if (next < most && part[next] == i) next++; /* a part begins here: nothing leads to it */
    else CDNI_TRY(cdn_decorate_line(d, points[i - 1], points[i], NULL));
  }
  return CDN_OK;
}

cdn_status cdni_marks_paths(cdn_decorations *d) {
  const cdn_system *system = d->scene->system;
  cdn_status first = CDN_OK;
  for (int i = 0; i < cdn_system_path_count(system); i++) {
    const cdn_path path = { i };
    const int most = cdn_path_most_points(system, path, ARC_POINTS);
    if (most == 0) continue; /* of coordinates */
    cdn_vec3 *points = cdn_work_push(d->state, (size_t)most * (sizeof *points + sizeof(int)));
    if (!points) return CDN_ERR_NOMEM;
    const cdn_status status = mark_path(d, path, points, (int *)(points + most), most);
    cdn_work_pop(d->state, points);
    if (first == CDN_OK) first = status;
  }
  return first;
}
