/* <asset>, cameras and lights. */
#include <stdio.h>

#include "io/mjcf_write.h"

static const double PI = 3.14159265358979323846;

/* ---- assets ---------------------------------------------------------------------------------- */

static cdn_status put_file(mjcf_writer *w, const char *attribute, const char *file) {
  char seen[4096];
  if (!file) return CDN_OK;
  io_path_from(w->spec, file, w->path, seen, sizeof seen);
  return io_put_text(&w->xml, attribute, seen);
}

static cdn_status put_mesh(mjcf_writer *w, const cdn_spec_asset *a, const cdn_spec_asset *usual) {
  CDNI_TRY(io_put_unless(&w->xml, "scale", a->scale, usual->scale, 3));
  CDNI_TRY(io_put_unless(&w->xml, "refpos", a->refpos, usual->refpos, 3));
  CDNI_TRY(io_put_unless(&w->xml, "refquat", a->refquat, usual->refquat, 4));
  return a->n_data > 0 ? io_put_numbers(&w->xml, "vertex", a->data, a->n_data) : CDN_OK;
}

/* The file has the row of the largest y first. */
static cdn_status put_heights(mjcf_writer *w, const cdn_spec_asset *a) {
  CDNI_TRY(io_put_numbers(&w->xml, "size", a->size, 4));
  if (a->file) return CDN_OK;
  CDNI_TRY(io_put_int(&w->xml, "nrow", a->n_rows));
  CDNI_TRY(io_put_int(&w->xml, "ncol", a->n_columns));
  if (a->n_data != a->n_rows * a->n_columns || a->n_data == 0) return CDN_OK;
  const size_t bytes = (size_t)a->n_data * sizeof(double), row = (size_t)a->n_columns;
  double *turned = cdni_alloc(NULL, bytes);
  if (!turned) return cdni_refuse(CDN_ERR_NOMEM, "cdn_spec_save", "out of memory");
  for (int i = 0; i < a->n_rows; i++)
    memcpy(turned + (size_t)i * row, a->data + (size_t)(a->n_rows - 1 - i) * row, row * sizeof(double));
  const cdn_status status = io_put_numbers(&w->xml, "elevation", turned, a->n_data);
  cdni_free(NULL, turned, bytes);
  return status;
}

static cdn_status put_texture(mjcf_writer *w, const cdn_spec_asset *a, const cdn_spec_asset *usual) {
  static const char *const builtins[] = { "none", "gradient", "checker", "flat" },
                           *const types[] = { "2d", "cube", "skybox" },
                           *const marks[] = { "none", "edge", "cross", "random" };
  static const char *const sides[] = { "fileright", "fileleft", "fileup", "filedown", "filefront", "fileback" };
  CDNI_TRY(io_put_text(&w->xml, "type", types[a->texture_type]));
  if (a->builtin != CDN_SPEC_TEXTURE_NONE) CDNI_TRY(io_put_text(&w->xml, "builtin", builtins[a->builtin]));
  if (a->mark != CDN_SPEC_MARK_NONE) CDNI_TRY(io_put_text(&w->xml, "mark", marks[a->mark]));
  CDNI_TRY(io_put_int_unless(&w->xml, "width", a->width, 0));
  CDNI_TRY(io_put_int_unless(&w->xml, "height", a->height, 0));
  if (a->hflip) CDNI_TRY(io_put_bool(&w->xml, "hflip", true));
  if (a->vflip) CDNI_TRY(io_put_bool(&w->xml, "vflip", true));
  CDNI_TRY(io_put_unless(&w->xml, "rgb1", a->rgb1, usual->rgb1, 3));
  CDNI_TRY(io_put_unless(&w->xml, "rgb2", a->rgb2, usual->rgb2, 3));
  CDNI_TRY(io_put_unless(&w->xml, "markrgb", a->markrgb, usual->markrgb, 3));
  CDNI_TRY(io_put_number_unless(&w->xml, "random", a->random, usual->random));
  if (a->gridsize[0] != 1 || a->gridsize[1] != 1)
    CDNI_TRY(io_put_numbers(&w->xml, "gridsize", (double[2]){ a->gridsize[0], a->gridsize[1] }, 2));
  if (a->gridlayout[0]) CDNI_TRY(io_put_text(&w->xml, "gridlayout", a->gridlayout));
  for (int i = 0; i < CDNI_COUNT(sides); i++) CDNI_TRY(put_file(w, sides[i], a->side_file[i]));
  return CDN_OK;
}

static cdn_status put_material(mjcf_writer *w, const cdn_spec_asset *a, const cdn_spec_asset *usual) {
  CDNI_TRY(io_put_text(&w->xml, "texture", a->texture));
  CDNI_TRY(io_put_unless(&w->xml, "rgba", a->rgba, usual->rgba, 4));
  CDNI_TRY(io_put_unless(&w->xml, "texrepeat", a->texrepeat, usual->texrepeat, 2));
  if (a->texuniform) CDNI_TRY(io_put_bool(&w->xml, "texuniform", true));
  CDNI_TRY(io_put_number_unless(&w->xml, "specular", a->specular, usual->specular));
  CDNI_TRY(io_put_number_unless(&w->xml, "shininess", a->shininess, usual->shininess));
  CDNI_TRY(io_put_number_unless(&w->xml, "emission", a->emission, usual->emission));
  return io_put_number_unless(&w->xml, "reflectance", a->reflectance, usual->reflectance);
}

cdn_status io_mjcf_write_assets(mjcf_writer *w) {
  static const char *const words[] = { "mesh", "hfield", "texture", "material" };
  const cdn_spec_asset usual = cdn_default_spec_asset();
  const int n = cdn_spec_count(w->spec, CDN_SPEC_ASSET);
  if (n == 0) return CDN_OK;
  CDNI_TRY(io_put_begin(&w->xml, "asset"));
  CDNI_TRY(io_put_into(&w->xml));
  for (int i = 0; i < n; i++) {
    const cdn_spec_asset *a = io_spec_asset(w->spec, i);
    CDNI_TRY(io_put_begin(&w->xml, words[a->type]));
    CDNI_TRY(io_put_text(&w->xml, "name", a->name));
    CDNI_TRY(put_file(w, "file", a->file));
    if (a->type == CDN_ASSET_MESH) CDNI_TRY(put_mesh(w, a, &usual));
    if (a->type == CDN_ASSET_HFIELD) CDNI_TRY(put_heights(w, a));
    if (a->type == CDN_ASSET_TEXTURE) CDNI_TRY(put_texture(w, a, &usual));
    if (a->type == CDN_ASSET_MATERIAL) CDNI_TRY(put_material(w, a, &usual));
    CDNI_TRY(io_put_end(&w->xml));
  }
  return io_put_close(&w->xml, "asset");
}

/* ---- cameras and lights ---------------------------------------------------------------------- */

static cdn_status put_mode(mjcf_writer *w, cdn_camera_mode mode, const char *target) {
  static const char *const modes[] = { "fixed", "track", "trackcom", "targetbody", "targetbodycom" };
  if (mode == CDN_CAMERA_FIXED) return CDN_OK;
  CDNI_TRY(io_put_text(&w->xml, "mode", modes[mode]));
  return io_put_text(&w->xml, "target", target);
}

/* The size of its picture, where a sensor looks through it. */
static cdn_status put_resolution(mjcf_writer *w, const cdn_spec_camera *c) {
  for (int i = 0; i < cdn_spec_count(w->spec, CDN_SPEC_SENSOR); i++) {
    const cdn_spec_sensor *s = io_spec_sensor(w->spec, i);
    const bool rays = s->kind == CDN_SENSOR_RANGE && s->of_pixels;
    if (!rays && s->kind != CDN_SENSOR_CAMERA_PROJECTION) continue;
    const cdn_transform *X = rays ? &s->X_BS : &s->X_RS;
    if (io_mjcf_body_of(w, c->body) == io_mjcf_body_of(w, rays ? s->body : s->reference) &&
        memcmp(&c->X_BC, X, sizeof *X) == 0)
      return io_put_numbers(&w->xml, "resolution", s->pixels, 2);
  }
  return CDN_OK;
}

cdn_status io_mjcf_write_camera(mjcf_writer *w, const cdn_spec_camera *c) {
  CDNI_TRY(io_put_begin(&w->xml, "camera"));
  CDNI_TRY(io_put_text(&w->xml, "name", c->name));
  CDNI_TRY(io_mjcf_put_pose(w, &c->X_BC));
  CDNI_TRY(io_put_number(&w->xml, "fovy", c->fovy * 180 / PI)); /* degrees, always */
  CDNI_TRY(put_resolution(w, c));
  CDNI_TRY(put_mode(w, c->mode, c->target));
  return io_put_end(&w->xml);
}

cdn_status io_mjcf_write_light(mjcf_writer *w, const cdn_spec_light *l) {
  const cdn_spec_light usual = cdn_default_spec_light();
  CDNI_TRY(io_put_begin(&w->xml, "light"));
  CDNI_TRY(io_put_text(&w->xml, "name", l->name));
  CDNI_TRY(io_put_unless(&w->xml, "pos", &l->position.x, &usual.position.x, 3));
  CDNI_TRY(io_put_unless(&w->xml, "dir", &l->direction.x, &usual.direction.x, 3));
  if (l->directional) CDNI_TRY(io_put_bool(&w->xml, "directional", true));
  CDNI_TRY(io_put_unless(&w->xml, "diffuse", l->rgb, usual.rgb, 3));
  CDNI_TRY(io_put_unless(&w->xml, "attenuation", l->attenuation, usual.attenuation, 3));
  CDNI_TRY(io_put_number(&w->xml, "cutoff", l->cutoff * 180 / PI));
  CDNI_TRY(io_put_number_unless(&w->xml, "exponent", l->exponent, usual.exponent));
  if (!l->castshadow) CDNI_TRY(io_put_bool(&w->xml, "castshadow", false));
  CDNI_TRY(put_mode(w, l->mode, l->target));
  return io_put_end(&w->xml);
}
