/* <asset>: meshes, height fields, textures and materials, as data. Their files are named, and not read
 * here. */
#include <stdio.h>

#include "io/mjcf.h"

/* A mesh, texture or height field without a name has its file's, without directories and ending. */
static void find_stem(const char *file, char *stem, size_t size) {
  const char *slash = strrchr(file, '/');
  snprintf(stem, size, "%s", slash ? slash + 1 : file);
  char *dot = strrchr(stem, '.');
  if (dot && dot != stem) *dot = '\0';
}

enum { PATH_SIZE = 1024 };

/* The file with the compiler's directory before it, in `path` or as it stands. */
static const char *path_of(mjcf_reader *r, const char *directory, const char *file, char path[PATH_SIZE]) {
  const size_t n = directory ? strlen(directory) : 0;
  const char *slash = n == 0 || directory[n - 1] == '/' ? "" : "/";
  if (r->compiler.strippath && strrchr(file, '/')) file = strrchr(file, '/') + 1;
  if (file[0] == '/') return file;
  const bool whole = snprintf(path, PATH_SIZE, "%s%s%s", n > 0 ? directory : "", slash, file) < PATH_SIZE;
  return whole ? path : file;
}

/* ---- data in the file itself ---- */

/* All numbers of an attribute, which the asset owns from then on. `least`: fewer are too few. */
static cdn_status read_list(mjcf_reader *r, io_xml_node *node, const char *attribute, int least,
                            cdn_spec_asset *asset) {
  const char *text = io_xml_string(node, attribute);
  if (!text) return CDN_OK;
  const int n = io_xml_count(text);
  if (n < least)
    return io_xml_fail(r->log, CDN_ERR_PARSE, node, "attribute '%s' has %d numbers, and %d are needed", attribute, n,
                       least);
  double *values = cdni_alloc(&r->log->allocator, (size_t)n * sizeof *values);
  if (!values) return io_mjcf_out_of_memory(r);
  asset->data = values, asset->n_data = n;
  int count;
  return io_xml_doubles_upto(r->log, node, attribute, values, n, n, &count);
}

static cdn_status read_vertices(mjcf_reader *r, const mjcf_element *e, cdn_spec_asset *asset) {
  CDNI_TRY(io_mjcf_doubles(r, e, "refpos", asset->refpos, 3, NULL));
  CDNI_TRY(io_mjcf_doubles(r, e, "refquat", asset->refquat, 4, NULL));
  if (asset->file) return CDN_OK;
  CDNI_TRY(read_list(r, e->node, "vertex", 12, asset));
  if (asset->n_data % 3 == 0) return CDN_OK;
  return io_xml_fail(r->log, CDN_ERR_PARSE, e->node, "attribute 'vertex' has %d numbers: three a vertex are needed",
                     asset->n_data);
}

/* The file has the row of the largest y first, so that the numbers look like the field from above. */
static cdn_status read_heights(mjcf_reader *r, const mjcf_element *e, cdn_spec_asset *asset) {
  static const char *const counts[] = { "nrow", "ncol" };
  int *const targets[] = { &asset->n_rows, &asset->n_columns };
  CDNI_TRY(io_mjcf_doubles(r, e, "size", asset->size, 4, NULL));
  if (asset->file) return CDN_OK;
  for (int i = 0; i < 2; i++) {
    CDNI_TRY(io_mjcf_int(r, e, counts[i], targets[i]));
    if (*targets[i] < 2 || *targets[i] > 10000)
      return io_xml_fail(r->log, CDN_ERR_PARSE, e->node, "%s is %d; a height field without a file needs 2 to 10000",
                         counts[i], *targets[i]);
  }
  const int n = asset->n_rows * asset->n_columns;
  CDNI_TRY(read_list(r, e->node, "elevation", n, asset));
  if (asset->data && asset->n_data != n)
    return io_xml_fail(r->log, CDN_ERR_PARSE, e->node, "attribute 'elevation' has %d numbers; nrow * ncol is %d",
                       asset->n_data, n);
  double *rows = (double *)asset->data;
  for (int i = 0; rows && i < asset->n_rows / 2; i++)
    for (int j = 0; j < asset->n_columns; j++) {
      double *a = &rows[i * asset->n_columns + j], *b = &rows[(asset->n_rows - 1 - i) * asset->n_columns + j];
      const double kept = *a;
      *a = *b, *b = kept;
    }
  return CDN_OK;
}

/* ---- looks ---- */

static cdn_status read_grid(mjcf_reader *r, const mjcf_element *e, cdn_spec_asset *made) {
  double size[2] = { 1, 1 };
  const char *layout = NULL;
  CDNI_TRY(io_mjcf_doubles(r, e, "gridsize", size, 2, NULL));
  CDNI_TRY(io_mjcf_string(r, e, "gridlayout", &layout));
  for (int k = 0; k < 2; k++) made->gridsize[k] = size[k] >= 1 && size[k] <= 12 ? (int)size[k] : 0;
  if (layout) snprintf(made->gridlayout, sizeof made->gridlayout, "%s", layout);
  return CDN_OK;
}

static cdn_status read_texture(mjcf_reader *r, const mjcf_element *e, cdn_spec_asset *made) {
  static const char *const builtins[] = { "none", "gradient", "checker", "flat" },
                           *const types[] = { "2d", "cube", "skybox" },
                           *const marks[] = { "none", "edge", "cross", "random" };
  int builtin = 0, type = CDN_SPEC_TEXTURE_CUBE, mark = 0;
  CDNI_TRY(io_mjcf_keyword(r, e, "type", types, CDNI_COUNT(types), &type));
  CDNI_TRY(io_mjcf_keyword(r, e, "builtin", builtins, CDNI_COUNT(builtins), &builtin));
  CDNI_TRY(io_mjcf_keyword(r, e, "mark", marks, CDNI_COUNT(marks), &mark));
  made->texture_type = (cdn_spec_texture_type)type;
  made->builtin = (cdn_spec_texture)builtin, made->mark = (cdn_spec_texture_mark)mark;
  CDNI_TRY(io_mjcf_int(r, e, "width", &made->width));
  CDNI_TRY(io_mjcf_int(r, e, "height", &made->height));
  CDNI_TRY(io_mjcf_bool(r, e, "hflip", &made->hflip));
  CDNI_TRY(io_mjcf_bool(r, e, "vflip", &made->vflip));
  CDNI_TRY(io_mjcf_double(r, e, "random", &made->random));
  CDNI_TRY(io_mjcf_doubles(r, e, "markrgb", made->markrgb, 3, NULL));
  CDNI_TRY(io_mjcf_doubles(r, e, "rgb1", made->rgb1, 3, NULL));
  CDNI_TRY(io_mjcf_doubles(r, e, "rgb2", made->rgb2, 3, NULL));
  return read_grid(r, e, made);
}

/* The six files of a cube. */
static cdn_status read_sides(mjcf_reader *r, const mjcf_element *e, cdn_spec_asset *made, char paths[6][PATH_SIZE]) {
  static const char *const names[] = { "fileright", "fileleft", "fileup", "filedown", "filefront", "fileback" };
  for (int i = 0; i < CDNI_COUNT(names); i++) {
    const char *file = NULL;
    CDNI_TRY(io_mjcf_string(r, e, names[i], &file));
    if (file) made->side_file[i] = path_of(r, r->compiler.texturedir, file, paths[i]);
  }
  return CDN_OK;
}

static cdn_status read_material(mjcf_reader *r, const mjcf_element *e, cdn_spec_asset *made) {
  const struct {
    const char *name;
    double *value;
  } parts[] = { { "specular", &made->specular },
                { "shininess", &made->shininess },
                { "emission", &made->emission },
                { "reflectance", &made->reflectance } };
  CDNI_TRY(io_mjcf_string(r, e, "texture", &made->texture));
  CDNI_TRY(io_mjcf_doubles(r, e, "rgba", made->rgba, 4, NULL));
  CDNI_TRY(io_mjcf_doubles(r, e, "texrepeat", made->texrepeat, 2, NULL));
  CDNI_TRY(io_mjcf_bool(r, e, "texuniform", &made->texuniform));
  for (int i = 0; i < CDNI_COUNT(parts); i++) CDNI_TRY(io_mjcf_double(r, e, parts[i].name, parts[i].value));
  return CDN_OK;
}

/* What only meshes have, of the newest asset. */
static cdn_status read_mesh(mjcf_reader *r, const mjcf_element *e, cdn_spec_asset *kept) {
  int vertices = -1;
  CDNI_TRY(io_mjcf_int(r, e, "maxhullvert", &vertices));
  if (vertices >= 0) io_not_understood(r->log, io_xml_line(e->node), "mesh maxhullvert");
  CDNI_TRY(io_mjcf_read_mesh_inertia(r, e));
  return read_vertices(r, e, kept);
}

/* `e` has the default class of its kind. Lists of numbers are read into the spec's asset. */
static cdn_status read_one(mjcf_reader *r, const mjcf_element *e, cdn_asset_type type) {
  const char *file = NULL;
  char stem[200], path[PATH_SIZE], sides[6][PATH_SIZE];
  cdn_spec_asset made = cdn_default_spec_asset();
  int index;
  made.type = type;
  made.line = io_xml_line(e->node);
  made.name = io_xml_string(e->node, "name");
  CDNI_TRY(io_mjcf_string(r, e, "file", &file));
  if (type == CDN_ASSET_MESH) CDNI_TRY(io_mjcf_doubles(r, e, "scale", made.scale, 3, NULL));
  if (type == CDN_ASSET_MATERIAL) CDNI_TRY(read_material(r, e, &made));
  if (type == CDN_ASSET_TEXTURE) CDNI_TRY(read_texture(r, e, &made));
  if (type == CDN_ASSET_TEXTURE) CDNI_TRY(read_sides(r, e, &made, sides));
  const char *directory = type == CDN_ASSET_TEXTURE ? r->compiler.texturedir : r->compiler.meshdir;
  if (file) made.file = path_of(r, directory, file, path);
  if (file) find_stem(file, stem, sizeof stem);
  if (file && (!made.name || !made.name[0])) made.name = stem;
  CDNI_TRY(io_spec_add(r->spec, CDN_SPEC_ASSET, &made, &index));
  cdn_spec_asset *kept = io_spec_asset(r->spec, index);
  if (type == CDN_ASSET_MESH) return read_mesh(r, e, kept);
  return type == CDN_ASSET_HFIELD ? read_heights(r, e, kept) : CDN_OK;
}

cdn_status io_mjcf_read_assets(mjcf_reader *r, io_xml_node *node) {
  static const struct {
    const char *name;
    cdn_asset_type type;
    mjcf_kind kind;
  } kinds[] = { { "mesh", CDN_ASSET_MESH, MJCF_MESH },
                { "hfield", CDN_ASSET_HFIELD, MJCF_NO_DEFAULTS },
                { "texture", CDN_ASSET_TEXTURE, MJCF_NO_DEFAULTS },
                { "material", CDN_ASSET_MATERIAL, MJCF_MATERIAL } };
  mjcf_walk walk = io_mjcf_walk(r, node);
  for (io_xml_node *child; (child = io_mjcf_walk_next(&walk)) != NULL;) {
    if (io_xml_is(child, "model")) CDNI_TRY(io_mjcf_read_model_asset(r, child));
    for (int i = 0; i < CDNI_COUNT(kinds); i++) {
      if (!io_xml_is(child, kinds[i].name)) continue;
      mjcf_element e = { child, MJCF_NO_DEFAULTS, 0 };
      if (kinds[i].kind != MJCF_NO_DEFAULTS) CDNI_TRY(io_mjcf_element(r, child, kinds[i].kind, MJCF_MAIN_CLASS, &e));
      CDNI_TRY(read_one(r, &e, kinds[i].type));
    }
  }
  return walk.status;
}
