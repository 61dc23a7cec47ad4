/* The mass of meshes: that of the solid within the mesh. Files are read for it, each once, where a body has no <inertial>.
 * MuJoCo counts meshes that are not convex too heavy where they do not say inertia="exact"; here they are exact. */
#include <stdio.h>

#include "io/build.h"
#include "io/mjcf.h"

cdn_status io_mjcf_read_mesh_inertia(mjcf_reader *r, const mjcf_element *e) {
  static const char *const words[] = { "legacy", "exact", "convex", "shell" };
  int word = 0;
  CDNI_TRY(io_mjcf_keyword(r, e, "inertia", words, CDNI_COUNT(words), &word));
  const mjcf_mesh mesh = { .asset = (int)r->d->assets.count - 1, .convex = word == 2, .shell = word == 3 };
  return cdni_array_push(&r->d->allocator, &r->meshes, sizeof mesh, &mesh) ? CDN_OK : io_mjcf_out_of_memory(r);
}

static mjcf_mesh *find_mesh(const mjcf_reader *r, const char *name) {
  for (size_t i = 0; i < r->meshes.count; i++) {
    mjcf_mesh *m = &CDNI_AT(r->meshes, mjcf_mesh, i);
    const char *own = CDNI_AT(r->d->assets, cdn_spec_asset, m->asset).name;
    if (own && strcmp(own, name) == 0) return m;
  }
  return NULL;
}

static cdn_status measure(const io_description *d, const cdn_spec_asset *asset, bool hull, cdn_mass_properties *out) {
  io_loaded_asset loaded;
  cdn_surface_info info;
  CDNI_TRY(io_load_asset(d, asset, hull, &loaded));
  cdn_status status = cdn_surface_get_info(loaded.surface, &info);
  if (status == CDN_OK && !info.closed)
    status = cdni_refuse(CDN_ERR_ARG, "cdn_model_load", "the mesh '%.200s' is not closed", asset->name);
  if (status == CDN_OK) status = io_solid_of(loaded.surface, out);
  cdn_surface_release(loaded.surface);
  if (status == CDN_OK) *out = cdn_mass_properties_transform(loaded.X, *out);
  return status;
}

static void measure_once(const mjcf_reader *r, mjcf_mesh *m) {
  const cdn_spec_asset *asset = &CDNI_AT(r->d->assets, cdn_spec_asset, m->asset);
  io_description main_file = *r->d; /* files are named as seen from there, also in a document that it includes */
  cdn_error error = { .code = CDN_OK };
  main_file.file = CDNI_AT(r->documents, mjcf_document, 0).path;
  m->measured = true;
  if (m->shell) {
    snprintf(m->why, sizeof m->why, "inertia='shell' is not understood");
    return;
  }
  if (measure(&main_file, asset, m->convex || !asset->file, &m->solid) == CDN_OK) return;
  cdn_last_error(&error);
  snprintf(m->why, sizeof m->why, "%.390s", error.text);
  if (measure(&main_file, asset, true, &m->solid) != CDN_OK) m->solid = (cdn_mass_properties){ 0 };
}

const mjcf_mesh *io_mjcf_mesh_solid(mjcf_reader *r, const char *name) {
  mjcf_mesh *m = name ? find_mesh(r, name) : NULL;
  if (m && !m->measured) measure_once(r, m);
  return m;
}
