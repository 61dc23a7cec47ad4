/* Draws what an example shows: linked with one, in place of the functions that end Studies and States, so that the
 * example itself stays as it is. `./run pictures` makes the pictures of docs/examples.md with it.
 *
 * The picture is of the State of the last stepper that the program destroys, with pale pictures of how it came there;
 * of the first State that it destroys, if it has no stepper. A model of a file has the looks of the file.
 * CARDAN_PICTURE names the picture, a PPM. */
#include <cardan/cardan.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

cdn_status __real_cdn_stepper_create(cdn_state *initial, const cdn_stepper_def *def, cdn_stepper **out);
cdn_status __real_cdn_stepper_advance(cdn_stepper *stepper, double t, cdn_return_reason *reason);
void __real_cdn_stepper_destroy(cdn_stepper *stepper);
void __real_cdn_state_destroy(cdn_state *state);
cdn_status __real_cdn_model_load(const char *path, const cdn_model_options *options, cdn_model **out);
cdn_status __real_cdn_model_load_into(const char *path, const cdn_model_options *options, cdn_system *system,
                                      cdn_model **out);
void __real_cdn_model_destroy(cdn_model *model);
cdn_status __wrap_cdn_stepper_create(cdn_state *initial, const cdn_stepper_def *def, cdn_stepper **out);
cdn_status __wrap_cdn_stepper_advance(cdn_stepper *stepper, double t, cdn_return_reason *reason);
void __wrap_cdn_stepper_destroy(cdn_stepper *stepper);
void __wrap_cdn_state_destroy(cdn_state *state);
cdn_status __wrap_cdn_model_load(const char *path, const cdn_model_options *options, cdn_model **out);
cdn_status __wrap_cdn_model_load_into(const char *path, const cdn_model_options *options, cdn_system *system,
                                      cdn_model **out);
void __wrap_cdn_model_destroy(cdn_model *model);

enum { WIDTH = 400, HEIGHT = 300, GHOSTS = 5, MOST_SEEN = 4096, MOST_MODELS = 4 };
static bool drawn;

/* ---- how it came there ---- */

/* The coordinates after each call of advance, of one stepper at a time. */
static double *seen[MOST_SEEN];
static int n_seen;

static void forget(void) {
  while (n_seen > 0) free(seen[--n_seen]);
}

static void see(const cdn_state *state) {
  const int nq = cdn_system_nq(cdn_state_system(state));
  if (n_seen == MOST_SEEN || nq == 0) return;
  seen[n_seen] = malloc((size_t)nq * sizeof(double));
  if (seen[n_seen]) memcpy(seen[n_seen++], cdn_state_q(state), (size_t)nq * sizeof(double));
}

/* Whether a pose is so near to the State's that a pale picture of it would only blur the other. */
static bool is_near(const cdn_state *state, const double *q) {
  const double *now = cdn_state_q(state);
  double most = 0, size = 0.05;
  for (int i = 0; i < cdn_system_nq(cdn_state_system(state)); i++) {
    most = fmax(most, fabs(now[i] - q[i]));
    for (int k = 0; k < n_seen; k++) size = fmax(size, fabs(seen[k][i] - now[i]));
  }
  return most < 0.1 * size;
}

/* A visual in the place of a pale one would be striped by it. */
static bool has_stayed(const cdn_scene *scene, cdn_state *state, const cdn_visual *v, cdn_vec3 past_G) {
  cdn_transform X_GB;
  cdn_vec3 least, most;
  if (cdn_body_pose(state, v->body, &X_GB) != CDN_OK || !cdn_scene_bounds(scene, &least, &most)) return true;
  const cdn_vec3 now_G = cdn_transform_point(X_GB, v->X_BV.p);
  return cdn_norm(cdn_sub(now_G, past_G)) < 0.02 * cdn_norm(cdn_sub(most, least));
}

/* Faces of what moves in a plane stay in theirs: pale ones are a little smaller, each by another bit, so that no two
 * are in one place. */
static void shrink(cdn_geometry *geometry, int ghost) {
  for (int k = 0; k < 3; k++) geometry->size[k] *= 1 - 0.004 * (GHOSTS - ghost);
}

/* Adds to the scene, on Ground and pale, what was to be seen on the bodies. */
static cdn_status add_ghosts(cdn_scene *scene, cdn_state *state) {
  cdn_state *past = NULL;
  const int n = cdn_scene_visual_count(scene), ghosts = n_seen < GHOSTS ? n_seen : GHOSTS;
  cdn_status status = cdn_state_create(cdn_state_system(state), &past);
  if (status == CDN_OK) status = cdn_state_copy(past, state);
  for (int g = 0; g < ghosts && status == CDN_OK; g++) {
    const double *q = seen[g * n_seen / ghosts];
    if (is_near(state, q)) continue;
    status = cdn_state_set_q(past, q);
    for (int i = 0; i < n && status == CDN_OK; i++) {
      cdn_visual v;
      cdn_transform X_GB;
      cdn_visual_def def = cdn_default_visual_def();
      if ((status = cdn_scene_visual(scene, i, &v)) != CDN_OK || v.body.i == 0) continue;
      if ((status = cdn_body_pose(past, v.body, &X_GB)) != CDN_OK) continue;
      def.geometry = v.geometry;
      shrink(&def.geometry, g);
      def.X_BV = cdn_transform_multiply(X_GB, v.X_BV);
      if (has_stayed(scene, state, &v, def.X_BV.p)) continue;
      memcpy(def.rgba, v.rgba, sizeof def.rgba);
      def.rgba[3] *= 0.08 + 0.2 * g / GHOSTS;
      status = cdn_scene_add_visual(scene, &def, NULL);
    }
  }
  __real_cdn_state_destroy(past);
  return status;
}

/* ---- models of files ---- */

static cdn_model *models[MOST_MODELS];

static void remember(cdn_model *model) {
  int i = 0;
  while (i < MOST_MODELS && models[i]) i++;
  if (i < MOST_MODELS) models[i] = model;
}

static cdn_status dress(cdn_scene *scene, const cdn_system *system) {
  for (int i = 0; i < MOST_MODELS; i++)
    if (models[i] && cdn_model_system(models[i]) == system) return cdn_model_dress(models[i], scene);
  return CDN_OK;
}

/* ---- the picture ---- */

/* Against gravity; without it y for a model that is flat across z, else z. */
static cdn_vec3 find_up(const cdn_state *state, cdn_vec3 size) {
  const cdn_system *system = cdn_state_system(state);
  for (int i = 0; i < cdn_element_count(system, CDN_ELEMENT_FORCE); i++) {
    double g[3];
    if (strcmp(cdn_element_kind(system, CDN_ELEMENT_FORCE, i), "gravity") != 0) continue;
    if (cdn_element_get_parameters(state, CDN_ELEMENT_FORCE, i, 0, 3, g) != CDN_OK) continue;
    if (g[0] != 0 || g[1] != 0 || g[2] != 0) return cdn_v3(-g[0], -g[1], -g[2]);
  }
  return size.z < 0.3 * fmin(size.x, size.y) ? cdn_v3(0, 1, 0) : cdn_v3(0, 0, 1);
}

/* A flat model is seen from its side, any other from a corner, a little from above. */
static cdn_vec3 find_direction(cdn_vec3 size, cdn_vec3 up) {
  up = cdn_scale(1 / cdn_norm(up), up);
  cdn_vec3 side = fabs(up.z) > 0.9 ? cdn_v3(0, -1, 0) : cdn_v3(0, 0, 1);
  if (fabs(up.z) > 0.9 && size.x < 0.5 * size.y) side = cdn_v3(1, 0, 0);
  const bool flat = fabs(cdn_dot(size, side)) < 0.3 * cdn_norm(size);
  return cdn_add(cdn_add(side, cdn_scale(flat ? 0.15 : 0.5, cdn_cross(up, side))), cdn_scale(flat ? 0.1 : 0.3, up));
}

static cdn_status draw(cdn_state *state, const char *path) {
  cdn_scene *scene = NULL;
  cdn_renderer *renderer = NULL;
  cdn_view_point view;
  cdn_scene_def show = cdn_default_scene_def();
  cdn_render_def how = cdn_default_render_def();
  static uint8_t rgba[4 * WIDTH * HEIGHT];
  how.width = WIDTH, how.height = HEIGHT, how.samples = 4;
  show.layers |= CDN_LAYER_CONSTRAINTS | CDN_LAYER_FORCES;
  cdn_status status = cdn_scene_create(state, &show, &scene);
  if (status == CDN_OK) status = dress(scene, cdn_state_system(state));
  if (status == CDN_OK) status = cdn_scene_complete(scene, state);
  if (status == CDN_OK) status = cdn_scene_update(scene, state);
  if (status == CDN_OK) status = add_ghosts(scene, state);
  if (status == CDN_OK) status = cdn_scene_update(scene, state);
  if (status == CDN_OK) status = cdn_renderer_create(scene, &how, &renderer);
  cdn_vec3 least, most;
  if (status == CDN_OK) cdn_scene_bounds(scene, &least, &most);
  const cdn_vec3 size = status == CDN_OK ? cdn_sub(most, least) : cdn_v3(0, 0, 0), up = find_up(state, size);
  const cdn_vec3 direction = find_direction(size, up);
  if (status == CDN_OK) status = cdn_fit_view(least, most, direction, up, (double)WIDTH / HEIGHT, &view);
  if (status == CDN_OK) status = cdn_renderer_draw(renderer, &view, rgba);
  int n_marks = 0;
  if (status == CDN_OK) cdn_scene_marks(scene, &n_marks);
  /* a lone ball says nothing: such an example has no picture */
  FILE *file = status == CDN_OK && cdn_scene_visual_count(scene) + n_marks > 1 ? fopen(path, "wb") : NULL;
  if (file) {
    fprintf(file, "P6 %d %d 255\n", WIDTH, HEIGHT);
    for (int i = 0; i < WIDTH * HEIGHT; i++) fwrite(rgba + 4 * i, 1, 3, file);
    fclose(file);
  }
  cdn_renderer_destroy(renderer);
  cdn_scene_destroy(scene);
  return status;
}

static void picture(cdn_state *state) {
  const char *path = getenv("CARDAN_PICTURE");
  if (!path || !state) return;
  if (draw(state, path) != CDN_OK) fprintf(stderr, "%s: %s\n", path, cdn_last_error_text());
  drawn = true;
}

/* ---- in place of the library's ---- */

cdn_status __wrap_cdn_stepper_create(cdn_state *initial, const cdn_stepper_def *def, cdn_stepper **out) {
  const cdn_status status = __real_cdn_stepper_create(initial, def, out);
  forget();
  if (status == CDN_OK) see(cdn_stepper_state(*out));
  return status;
}

cdn_status __wrap_cdn_stepper_advance(cdn_stepper *stepper, double t, cdn_return_reason *reason) {
  const cdn_status status = __real_cdn_stepper_advance(stepper, t, reason);
  see(cdn_stepper_state(stepper));
  return status;
}

void __wrap_cdn_stepper_destroy(cdn_stepper *stepper) {
  if (stepper) picture(cdn_stepper_state(stepper));
  forget();
  __real_cdn_stepper_destroy(stepper);
}

void __wrap_cdn_state_destroy(cdn_state *state) {
  if (!drawn) picture(state);
  __real_cdn_state_destroy(state);
}

cdn_status __wrap_cdn_model_load(const char *path, const cdn_model_options *options, cdn_model **out) {
  const cdn_status status = __real_cdn_model_load(path, options, out);
  if (status == CDN_OK) remember(*out);
  return status;
}

cdn_status __wrap_cdn_model_load_into(const char *path, const cdn_model_options *options, cdn_system *system,
                                      cdn_model **out) {
  const cdn_status status = __real_cdn_model_load_into(path, options, system, out);
  if (status == CDN_OK) remember(*out);
  return status;
}

void __wrap_cdn_model_destroy(cdn_model *model) {
  for (int i = 0; i < MOST_MODELS; i++)
    if (models[i] == model) models[i] = NULL;
  __real_cdn_model_destroy(model);
}
