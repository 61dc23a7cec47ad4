/* The mass of meshes, and their frames. The mass is that of the solid within the mesh, or of its surface. Files are
 * read for it, each once, where a body has no <inertial>. The legacy way counts meshes that are not convex too heavy.
 * It is taken where the file asks for it. MuJoCo takes it also where the file says nothing; there meshes are exact
 * here, and a warning has both. */
#include <math.h>
#include <stdio.h>

#include "io/build.h"
#include "io/mjcf.h"

/* Beyond this part of the volume or of the inertia the two ways are said to differ. */
static const double ALIKE = 0.01;

cdn_status io_mjcf_read_mesh_inertia(mjcf_reader *r, const mjcf_element *e) {
  static const char *const words[] = { "legacy", "exact", "convex", "shell" };
  int word = (int)r->compiler.mesh_inertia;
  CDNI_TRY(io_mjcf_keyword(r, e, "inertia", words, CDNI_COUNT(words), &word));
  const mjcf_mesh mesh = { .asset = cdn_spec_count(r->spec, CDN_SPEC_ASSET) - 1,
                           .inertia = (mjcf_mesh_inertia)word,
                           .node = e->node };
  return cdni_array_push(&r->log->allocator, &r->meshes, sizeof mesh, &mesh) ? CDN_OK : io_mjcf_out_of_memory(r);
}

static mjcf_mesh *find_mesh(const mjcf_reader *r, const char *name) {
  for (size_t i = 0; i < r->meshes.count; i++) {
    mjcf_mesh *m = &CDNI_AT(r->meshes, mjcf_mesh, i);
    const char *own = io_spec_asset(r->spec, m->asset)->name;
    if (own && strcmp(own, name) == 0) return m;
  }
  return NULL;
}

/* ---- surfaces ---- */

static cdn_status surface_of_lists(const cdn_spec_asset *asset, const double *faces, int n, cdn_surface **out) {
  double *vertices = cdni_alloc(NULL, (size_t)asset->n_data * sizeof *vertices);
  int *triangles = cdni_alloc(NULL, (size_t)n * sizeof *triangles);
  for (int i = 0; vertices && i < asset->n_data; i++) vertices[i] = asset->scale[i % 3] * asset->data[i];
  for (int i = 0; triangles && i < n; i++) triangles[i] = fabs(faces[i]) < 1e9 ? (int)faces[i] : -1;
  const cdn_status status = vertices && triangles
                                ? cdn_surface_create_mesh(asset->n_data / 3, vertices, n / 3, triangles, out)
                                : cdni_refuse(CDN_ERR_NOMEM, "cdn_model_load", "out of memory");
  cdni_free(NULL, vertices, 0);
  cdni_free(NULL, triangles, 0);
  return status;
}

/* Vertices and triangles in the file itself; *out stays NULL where there are no triangles, and the hull is meant. */
static cdn_status surface_in_file(const mjcf_reader *r, const mjcf_mesh *m, cdn_surface **out) {
  const cdn_spec_asset *asset = io_spec_asset(r->spec, m->asset);
  const char *text = asset->file || !asset->data ? NULL : io_xml_string(m->node, "face");
  const int n = text ? io_xml_count(text) : 0;
  if (n == 0) return CDN_OK;
  if (n % 3 != 0)
    return cdni_refuse(CDN_ERR_ARG, "cdn_model_load", "its 'face' has %d numbers: three a triangle are needed", n);
  double *faces = cdni_alloc(NULL, (size_t)n * sizeof *faces);
  int count;
  cdn_status status = CDN_ERR_NOMEM;
  if (faces) status = io_xml_doubles_upto(r->log, m->node, "face", faces, n, n, &count);
  if (status == CDN_OK) status = surface_of_lists(asset, faces, n, out);
  cdni_free(NULL, faces, 0);
  return status;
}

static cdn_status load(const mjcf_reader *r, const mjcf_mesh *m, bool hull, io_loaded_asset *out) {
  const cdn_spec_asset *asset = io_spec_asset(r->spec, m->asset);
  io_log main_file = *r->log; /* files are named as seen from there, also in a document that it includes */
  main_file.file = CDNI_AT(r->documents, mjcf_document, 0).path;
  cdn_surface *own = NULL;
  if (!hull) CDNI_TRY(surface_in_file(r, m, &own));
  const cdn_status status = io_load_asset(&main_file, asset, hull || !asset->file, out);
  if (status != CDN_OK || !own) {
    cdn_surface_release(own);
    return status;
  }
  cdn_surface_release(out->surface);
  out->surface = own;
  return CDN_OK;
}

/* ---- solids and shells ---- */

static bool differ(double a, double b) { return fabs(a - b) > ALIKE * fabs(b); }

static double trace(cdn_inertia I) { return I.xx + I.yy + I.zz; }

static void tell_both(const mjcf_reader *r, const mjcf_mesh *m, const cdn_mass_properties *legacy,
                      const cdn_mass_properties *exact) {
  const cdn_spec_asset *asset = io_spec_asset(r->spec, m->asset);
  if (!differ(legacy->mass, exact->mass) && !differ(trace(legacy->inertia), trace(exact->inertia))) return;
  const bool obeyed = m->inertia == MJCF_LEGACY_INERTIA;
  io_warn(r->log, asset->line,
          "mesh '%.60s': the solid within it has %.4g m^3, and by inertia='legacy'%s it has %.4g m^3. %s counts: write "
          "inertia='%s' to have the other",
          asset->name, exact->mass, obeyed ? "" : ", MuJoCo's default,", legacy->mass,
          obeyed ? "The second" : "The first", obeyed ? "exact" : "legacy");
}

static cdn_status solid_of(const mjcf_reader *r, const mjcf_mesh *m, const cdn_surface *surface,
                           cdn_mass_properties *out) {
  const cdn_spec_asset *asset = io_spec_asset(r->spec, m->asset);
  cdn_mass_properties legacy = { 0 }, exact = { 0 };
  cdn_surface_info info;
  CDNI_TRY(cdn_surface_get_info(surface, &info));
  if (info.closed) CDNI_TRY(io_solid_of(surface, &exact));
  const bool obeyed = m->inertia == MJCF_LEGACY_INERTIA, asked = obeyed || m->inertia == MJCF_UNSAID_INERTIA;
  if (asked) CDNI_TRY(io_legacy_solid_of(surface, &legacy));
  if (asked && info.closed) tell_both(r, m, &legacy, &exact);
  if (!info.closed && !obeyed)
    return cdni_refuse(CDN_ERR_ARG, "cdn_model_load", "the mesh '%.200s' is not closed", asset->name);
  *out = obeyed ? legacy : exact;
  return CDN_OK;
}

static cdn_status measure(const mjcf_reader *r, const mjcf_mesh *m, bool hull, bool shell, cdn_mass_properties *out) {
  io_loaded_asset loaded;
  cdn_mass_properties own = { 0 };
  CDNI_TRY(load(r, m, hull, &loaded));
  const cdn_status status = shell ? io_shell_of(loaded.surface, &own) : solid_of(r, m, loaded.surface, &own);
  cdn_surface_release(loaded.surface);
  *out = status == CDN_OK ? cdn_mass_properties_transform(loaded.X, own) : (cdn_mass_properties){ 0 };
  return status;
}

static void measure_once(const mjcf_reader *r, const mjcf_mesh *m, bool shell, mjcf_mesh_mass *mass) {
  cdn_error error = { .code = CDN_OK };
  mass->measured = true;
  if (measure(r, m, !shell && m->inertia == MJCF_CONVEX_INERTIA, shell, &mass->of) == CDN_OK) return;
  cdn_last_error(&error);
  snprintf(mass->reason, sizeof mass->reason, "%.390s", error.text);
  if (shell || measure(r, m, true, false, &mass->of) != CDN_OK) mass->of = (cdn_mass_properties){ 0 };
}

const mjcf_mesh_mass *io_mjcf_mesh_mass(mjcf_reader *r, const char *name, bool shell) {
  mjcf_mesh *m = name ? find_mesh(r, name) : NULL;
  if (!m) return NULL;
  shell = shell || m->inertia == MJCF_SHELL_INERTIA;
  mjcf_mesh_mass *mass = shell ? &m->shell : &m->solid;
  if (!mass->measured) measure_once(r, m, shell, mass);
  return mass;
}

/* ---- frames ---- */

/* What MuJoCo takes for the mass: by the legacy way where nothing is said. */
static cdn_status measure_for_frame(const mjcf_reader *r, const mjcf_mesh *m, cdn_mass_properties *out) {
  io_loaded_asset loaded;
  CDNI_TRY(load(r, m, m->inertia == MJCF_CONVEX_INERTIA, &loaded));
  const bool shell = m->inertia == MJCF_SHELL_INERTIA;
  const bool legacy = m->inertia == MJCF_LEGACY_INERTIA || m->inertia == MJCF_UNSAID_INERTIA;
  const cdn_status status = shell    ? io_shell_of(loaded.surface, out)
                            : legacy ? io_legacy_solid_of(loaded.surface, out)
                                     : io_solid_of(loaded.surface, out);
  cdn_surface_release(loaded.surface);
  if (status == CDN_OK) *out = cdn_mass_properties_transform(loaded.X, *out);
  return status;
}

bool io_mjcf_mesh_frame(mjcf_reader *r, const char *name, cdn_transform *X) {
  mjcf_mesh *m = find_mesh(r, name);
  cdn_mass_properties mass;
  if (!m) return false;
  if (!m->framed && measure_for_frame(r, m, &mass) == CDN_OK)
    m->frame = (cdn_transform){ io_mujoco_axes(mass.inertia), mass.com }, m->has_frame = true;
  m->framed = true;
  *X = m->frame;
  return m->has_frame;
}
