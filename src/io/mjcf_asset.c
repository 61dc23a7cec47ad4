/* <asset>: meshes, height fields, textures and materials, as data. Their files are named, and not read. */
#include <stdio.h>

#include "io/mjcf.h"

/* A mesh, texture or height field without a name has its file's, without directories and ending. */
static char *stem_of(mjcf_reader *r, const char *file) {
  char stem[200];
  const char *slash = strrchr(file, '/');
  snprintf(stem, sizeof stem, "%s", slash ? slash + 1 : file);
  char *dot = strrchr(stem, '.');
  if (dot && dot != stem) *dot = '\0';
  return cdni_strdup(&r->d->allocator, stem);
}

/* The file with the compiler's directory before it. */
static char *path_of(mjcf_reader *r, const char *directory, const char *file) {
  const size_t n = directory ? strlen(directory) : 0;
  if (n == 0 || file[0] == '/') return cdni_strdup(&r->d->allocator, file);
  char path[1024];
  const bool whole =
      snprintf(path, sizeof path, "%s%s%s", directory, directory[n - 1] == '/' ? "" : "/", file) < (int)sizeof path;
  return cdni_strdup(&r->d->allocator, whole ? path : file);
}

/* `e` has the default class of its kind. The description owns the asset as soon as there is one. */
static cdn_status read_one(mjcf_reader *r, const mjcf_element *e, cdn_asset_type type) {
  const char *name = io_xml_string(e->node, "name"), *file = NULL, *texture = NULL;
  cdn_spec_asset made = cdn_default_spec_asset();
  made.type = type;
  made.line = io_xml_line(e->node);
  CDNI_TRY(io_mjcf_string(r, e, "file", &file));
  if (type == CDN_ASSET_MESH) CDNI_TRY(io_mjcf_doubles(r, e, "scale", made.scale, 3, NULL));
  if (type == CDN_ASSET_HFIELD) CDNI_TRY(io_mjcf_doubles(r, e, "size", made.size, 4, NULL));
  if (type == CDN_ASSET_MATERIAL) {
    CDNI_TRY(io_mjcf_string(r, e, "texture", &texture));
    CDNI_TRY(io_mjcf_doubles(r, e, "rgba", made.rgba, 4, NULL));
  }
  cdn_spec_asset *kept = cdni_array_push(&r->d->allocator, &r->d->assets, sizeof made, &made);
  if (!kept) return io_mjcf_out_of_memory(r);
  const char *directory = type == CDN_ASSET_TEXTURE ? r->compiler.texturedir : r->compiler.meshdir;
  if (file && !(kept->file = path_of(r, directory, file))) return io_mjcf_out_of_memory(r);
  if (texture && !(kept->texture = cdni_strdup(&r->d->allocator, texture))) return io_mjcf_out_of_memory(r);
  if (name && name[0]) kept->name = cdni_strdup(&r->d->allocator, name);
  else if (file) kept->name = stem_of(r, file);
  else return CDN_OK;
  return kept->name ? CDN_OK : io_mjcf_out_of_memory(r);
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
    for (int i = 0; i < CDNI_COUNT(kinds); i++) {
      if (!io_xml_is(child, kinds[i].name)) continue;
      mjcf_element e = { child, MJCF_NO_DEFAULTS, 0 };
      if (kinds[i].kind != MJCF_NO_DEFAULTS) CDNI_TRY(io_mjcf_element(r, child, kinds[i].kind, 0, &e));
      CDNI_TRY(read_one(r, &e, kinds[i].type));
    }
  }
  return walk.status;
}
