/* A picture of a molecule: its force field decorates the scene with atoms and bonds. */
#include <cardan/render.h>

#include <math.h>
#include <stdlib.h>

#include "md.h"
#include "render.h"

enum { WIDTH = 960, HEIGHT = 720 };
static const double MARGIN = 0.05; /* nm: the radius of an atom's ball */

/* The camera looks along the axis in which the molecule is thinnest, with the longest one across. */
static void find_view(const md_molecule *m, const double *x, cdn_view_point *view) {
  cdn_vec3 least = { INFINITY, INFINITY, INFINITY }, most = { -INFINITY, -INFINITY, -INFINITY };
  for (int i = 0; i < m->n_atoms; i++) {
    least = cdn_v3(fmin(least.x, x[3 * i]), fmin(least.y, x[3 * i + 1]), fmin(least.z, x[3 * i + 2]));
    most = cdn_v3(fmax(most.x, x[3 * i]), fmax(most.y, x[3 * i + 1]), fmax(most.z, x[3 * i + 2]));
  }
  const cdn_vec3 margin = cdn_v3(MARGIN, MARGIN, MARGIN), size = cdn_sub(most, least);
  const bool x_thin = size.x <= size.y && size.x <= size.z, z_thin = !x_thin && size.z <= size.y;
  const cdn_vec3 from = x_thin ? cdn_v3(1, 0.3, 0.3) : z_thin ? cdn_v3(0.3, 0.3, 1) : cdn_v3(0.3, -1, 0.3);
  const cdn_vec3 up = z_thin ? (size.x >= size.y ? cdn_v3(0, 1, 0) : cdn_v3(1, 0, 0)) : cdn_v3(0, 0, 1);
  (void)!cdn_fit_view(cdn_sub(least, margin), cdn_add(most, margin), from, up, (double)WIDTH / HEIGHT, view);
}

static cdn_status draw(const md_molecule *m, cdn_scene *scene, uint8_t *rgba, cdn_renderer **renderer) {
  cdn_view_point view;
  double *x = allocate(3 * (size_t)m->n_atoms, sizeof *x);
  cdn_status status = cdn_force_field_positions(m->state, m->field, x);
  if (!status) find_view(m, x, &view);
  free(x);
  cdn_render_def def = cdn_default_render_def();
  def.width = WIDTH, def.height = HEIGHT;
  if (!status) status = cdn_scene_update(scene, m->state);
  if (!status) status = cdn_renderer_create(scene, &def, renderer);
  return status ? status : cdn_renderer_draw(*renderer, &view, rgba);
}

int md_draw(const md_arguments *a, const md_molecule *m) {
  cdn_scene *scene = NULL;
  cdn_renderer *renderer = NULL;
  picture p = { WIDTH, HEIGHT, allocate(4 * (size_t)WIDTH * HEIGHT, 1) };
  int code = CMD_OK;
  cdn_scene_def def = cdn_default_scene_def();
  def.layers = CDN_LAYER_OWN;
  cdn_status status = cdn_scene_create(m->state, &def, &scene);
  if (!status) status = draw(m, scene, p.rgba, &renderer);
  if (status) {
    complain("%s: %s", visible(a->picture), cdn_last_error_text());
    code = CMD_FAILED;
  } else if (!picture_write(&p, a->picture)) code = CMD_OUTPUT;
  cdn_renderer_destroy(renderer);
  cdn_scene_destroy(scene);
  free(p.rgba);
  return code;
}
