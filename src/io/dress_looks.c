/* Colours, materials, textures and the sky of a model file, for a scene. A texture that cannot be had is left out
 * with a warning. */
#include "io/dress.h"

#include <math.h>
#include <stdio.h>

#include "io/pictures.h"

/* ---- textures ---- */

/* Its number in the scene becomes -1, and the warning will have it. Lack of memory stays an error. */
static cdn_status lose(dresser *r, cdn_status status, const char *name) {
  if (status == CDN_ERR_NOMEM) return status;
  cdn_error error;
  cdn_last_error(&error);
  const char *slash = strrchr(name, '/');
  if (r->lost_textures.count == 0) snprintf(r->texture_reason, sizeof r->texture_reason, "%.390s", error.text);
  io_list_add(&r->lost_textures, slash && slash[1] ? slash + 1 : name);
  return CDN_OK;
}

static cdn_status add_picture(dresser *r, const char *name, const io_picture *p, int *texture) {
  cdn_texture_def def = cdn_default_texture_def();
  def.name = name;
  def.width = p->width, def.height = p->height, def.cube = p->cube, def.rgba = p->rgba;
  return cdn_scene_add_texture(r->scene, &def, texture);
}

static cdn_status remember(dresser *r, int asset, const char *path, int texture) {
  const cdn_allocator *a = &r->model->allocator;
  const dressed_texture t = { asset, cdni_strdup(a, path), texture };
  if ((!path || t.path) && cdni_array_push(a, &r->textures, sizeof t, &t)) return CDN_OK;
  cdni_strfree(a, t.path);
  return cdni_refuse(CDN_ERR_NOMEM, "cdn_model_dress", "out of memory");
}

/* A texture of the model: -1 if it cannot be had. */
static cdn_status texture_of_asset(dresser *r, int asset, int *texture) {
  for (size_t i = 0; i < r->textures.count; i++)
    if (CDNI_AT(r->textures, dressed_texture, i).asset == asset) {
      *texture = CDNI_AT(r->textures, dressed_texture, i).texture;
      return CDN_OK;
    }
  const cdn_spec_asset *a = io_spec_asset(r->model->spec, asset);
  const char *name = a->name ? a->name : a->texture_type == CDN_SPEC_TEXTURE_SKYBOX ? "skybox" : "?";
  io_picture p;
  *texture = -1;
  cdn_status status = io_make_texture(r->log, a, &p);
  if (status == CDN_OK) status = add_picture(r, name, &p, texture);
  io_picture_free(&p);
  if (status != CDN_OK) CDNI_TRY(lose(r, status, name));
  return remember(r, asset, NULL, *texture);
}

/* A picture that is no texture of the model, by its path. */
static cdn_status texture_of_file(dresser *r, const char *path, int *texture) {
  for (size_t i = 0; i < r->textures.count; i++) {
    const dressed_texture *t = &CDNI_AT(r->textures, dressed_texture, i);
    if (!t->path || strcmp(t->path, path) != 0) continue;
    *texture = t->texture;
    return CDN_OK;
  }
  io_picture p;
  *texture = -1;
  cdn_status status = io_picture_load(&r->log->files, path, &p);
  if (status == CDN_OK) status = add_picture(r, path, &p, texture);
  io_picture_free(&p);
  if (status != CDN_OK) CDNI_TRY(lose(r, status, path));
  return remember(r, -1, path, *texture);
}

/* ---- meshes ---- */

static bool is_mesh(const cdn_spec_shape *shape) { return shape->type == CDN_SHAPE_MESH && shape->fit_scale <= 0; }

/* By looks, or as one, with the places of its corners. */
static const dressed_mesh *mesh_of(dresser *r, const cdn_spec_shape *shape, bool by_looks) {
  const int i = is_mesh(shape) ? io_dress_asset(r, shape->asset, CDN_ASSET_MESH) : -1;
  if (i < 0) return NULL;
  dressed_mesh *m = &CDNI_AT(r->meshes, dressed_mesh, i);
  const cdn_spec_asset *asset = io_spec_asset(r->model->spec, i);
  if (!m->tried[by_looks])
    (void)!io_load_parts(r->log, asset, by_looks, by_looks ? &m->part : &m->whole, by_looks ? &m->n : &m->n_whole);
  m->tried[by_looks] = true;
  return m;
}

const dressed_mesh *io_dress_parts(dresser *r, const cdn_spec_shape *shape) {
  const cdn_spec_shape usual = cdn_default_spec_shape();
  if (!r->model->spec->whole.meshes_have_looks || !shape->visual ||
      io_dress_asset(r, shape->material, CDN_ASSET_MATERIAL) >= 0 ||
      memcmp(shape->rgba, usual.rgba, sizeof usual.rgba) != 0)
    return NULL;
  const dressed_mesh *m = mesh_of(r, shape, true);
  return m && m->n > 0 ? m : NULL;
}

static void wear(const mesh_part *part, cdn_visual_def *def) {
  def->geometry.kind = CDN_GEOMETRY_MESH;
  def->geometry.surface = part->surface;
  def->corners = part->corners;
}

/* A picture has its own colours; where it is missing, the part has its colour, or grey. */
cdn_status io_dress_part(dresser *r, const mesh_part *part, cdn_visual_def *def) {
  const cdn_visual_def usual = cdn_default_visual_def();
  def->texture = -1;
  if (part->look.texture && part->corners) CDNI_TRY(texture_of_file(r, part->look.texture, &def->texture));
  wear(part, def);
  if (def->texture < 0) def->corners = NULL;
  for (int k = 0; k < 3; k++)
    def->rgba[k] = def->texture >= 0 ? 1 : part->look.rgb[0] >= 0 ? (double)part->look.rgb[k] : usual.rgba[k];
  return CDN_OK;
}

/* ---- materials ---- */

/* The material of a shape; NULL: it has none. */
static const cdn_spec_asset *material_of(const dresser *r, const cdn_spec_shape *shape) {
  const int i = io_dress_asset(r, shape->material, CDN_ASSET_MATERIAL);
  return i < 0 ? NULL : io_spec_asset(r->model->spec, i);
}

/* The shape's own colour, or its material's where it has none. */
static void color_of(const cdn_spec_shape *shape, const cdn_spec_asset *material, double rgba[4]) {
  const cdn_spec_shape usual = cdn_default_spec_shape();
  const bool has_own = !material || memcmp(shape->rgba, usual.rgba, sizeof usual.rgba) != 0;
  memcpy(rgba, has_own ? shape->rgba : material->rgba, 4 * sizeof *rgba);
}

/* Half the size of a shape along its axes: MuJoCo fits textures to it. 0: it has no end. */
static void half_sizes(const cdn_visual_def *def, const cdn_spec_shape *shape, double half[3]) {
  const cdn_transform here = cdn_transform_identity();
  cdn_vec3 least, most;
  const double *s = def->geometry.size;
  for (int k = 0; k < 3; k++) half[k] = s[k];
  switch (def->geometry.kind) {
    case CDN_GEOMETRY_HALF_SPACE: half[0] = shape->size[0], half[1] = shape->size[1], half[2] = 0; break;
    case CDN_GEOMETRY_SPHERE: half[1] = half[2] = s[0]; break;
    case CDN_GEOMETRY_CAPSULE:
    case CDN_GEOMETRY_CYLINDER: half[1] = s[0], half[2] = s[1]; break;
    case CDN_GEOMETRY_BOX:
    case CDN_GEOMETRY_ELLIPSOID: break;
    default:
      if (cdn_geometry_bounds(&def->geometry, &here, &least, &most) != CDN_OK) break;
      half[0] = 0.5 * (most.x - least.x), half[1] = 0.5 * (most.y - least.y), half[2] = 0.5 * (most.z - least.z);
  }
}

/* A picture is seen from +z, as often as `texrepeat` says on the shape, or on 2 m. A cube is around a shape of unit
 * size, or, if it is
 * uniform, or a mesh, around the shape as it is. */
static void place_texture(const cdn_spec_shape *shape, const cdn_spec_asset *material, bool cube, cdn_visual_def *def) {
  const bool is_mesh_like = def->geometry.kind >= CDN_GEOMETRY_CONVEX;
  const bool uniform = material->texuniform || (cube && is_mesh_like);
  double half[3];
  half_sizes(def, shape, half);
  memset(def->place, 0, sizeof def->place);
  for (int k = 0; k < 3; k++) {
    const double size = uniform || !(half[k] > 0) ? 1 : half[k];
    def->place[k][k] = cube ? 1 / size : k == 2 ? 0 : (k == 1 ? -0.5 : 0.5) * material->texrepeat[k] / size;
    if (!cube && k < 2) def->place[k][3] = -0.5;
  }
}

/* A checker without marks is a plane's pattern, and one colour a colour: they need no pixels. */
static bool paint_simply(const cdn_spec_shape *shape, const cdn_spec_asset *material, const cdn_spec_asset *texture,
                         cdn_visual_def *def) {
  const bool is_plane = def->geometry.kind == CDN_GEOMETRY_HALF_SPACE, flat = texture->builtin == CDN_SPEC_TEXTURE_FLAT;
  if (texture->mark != CDN_SPEC_MARK_NONE || texture->texture_type != CDN_SPEC_TEXTURE_2D ||
      !(flat || (is_plane && texture->builtin == CDN_SPEC_TEXTURE_CHECKER)))
    return false;
  for (int k = 0; k < 3; k++) {
    def->rgb2[k] = def->rgba[k] * texture->rgb2[k];
    def->rgba[k] *= texture->rgb1[k];
  }
  if (flat) return true;
  def->pattern = CDN_PATTERN_CHECKER;
  for (int k = 0; k < 2; k++) {
    const double whole = material->texuniform || !(shape->size[k] > 0) ? 2 : 2 * shape->size[k];
    if (material->texrepeat[k] > 0) def->tile[k] = whole / material->texrepeat[k] / 2;
  }
  return true;
}

static cdn_status paint_texture(dresser *r, const cdn_spec_shape *shape, const cdn_spec_asset *material,
                                cdn_visual_def *def) {
  const int i = io_dress_asset(r, material->texture, CDN_ASSET_TEXTURE);
  char path[4096];
  bool cube = false;
  if (i >= 0) {
    const cdn_spec_asset *texture = io_spec_asset(r->model->spec, i);
    cube = texture->texture_type != CDN_SPEC_TEXTURE_2D;
    if (paint_simply(shape, material, texture, def)) return CDN_OK;
    CDNI_TRY(texture_of_asset(r, i, &def->texture));
  } else if (material->file) { /* URDF's materials have pictures of their own */
    const cdn_status found = io_find_file(r->log, material->file, path, sizeof path);
    if (found != CDN_OK) return lose(r, found, material->file);
    CDNI_TRY(texture_of_file(r, path, &def->texture));
  }
  if (def->texture < 0) return CDN_OK;
  place_texture(shape, material, cube, def);
  const dressed_mesh *mesh = cube ? NULL : mesh_of(r, shape, false);
  if (mesh && mesh->n_whole == 1 && mesh->whole[0].corners) wear(&mesh->whole[0], def);
  return CDN_OK;
}

cdn_status io_dress_paint(dresser *r, const cdn_spec_shape *shape, cdn_visual_def *def) {
  const cdn_spec_asset *material = material_of(r, shape);
  const bool is_plane = def->geometry.kind == CDN_GEOMETRY_HALF_SPACE;
  color_of(shape, material, def->rgba);
  for (int k = 0; k < 2 && is_plane; k++) def->half[k] = shape->size[k];
  if (!material) return CDN_OK;
  def->specular = material->specular, def->shininess = material->shininess;
  def->emission = material->emission;
  def->reflectance = is_plane ? material->reflectance : 0;
  if (!is_plane && material->reflectance > 0 && r->unmirrored == 0) r->unmirrored = material->line;
  return paint_texture(r, shape, material, def);
}

/* ---- the sky ---- */

/* The first one counts, as in MuJoCo. Its front is where y is least, and its upper side is above. */
cdn_status io_dress_sky(dresser *r) {
  const cdn_rotation R_GS = { { 1, 0, 0 }, { 0, 0, 1 }, { 0, -1, 0 } };
  for (int i = 0; i < cdn_spec_count(r->model->spec, CDN_SPEC_ASSET); i++) {
    const cdn_spec_asset *a = io_spec_asset(r->model->spec, i);
    int texture;
    if (a->type != CDN_ASSET_TEXTURE || a->texture_type != CDN_SPEC_TEXTURE_SKYBOX) continue;
    CDNI_TRY(texture_of_asset(r, i, &texture));
    return texture < 0 ? CDN_OK : cdn_scene_set_sky(r->scene, texture, R_GS);
  }
  return CDN_OK;
}

/* ---- the end ---- */

void io_dress_tell(dresser *r) {
  if (r->lost_textures.count > 0)
    io_warn(r->log, 0, "pictures are drawn without textures: %s%s; the first: %s", r->lost_textures.text,
            io_list_rest(&r->lost_textures), r->texture_reason);
  if (r->unmirrored > 0)
    io_warn(r->log, 0, "pictures are drawn without: material reflectance of what is no plane (line %d)", r->unmirrored);
}

void io_dress_free(dresser *r) {
  const cdn_allocator *a = &r->model->allocator;
  for (size_t i = 0; i < r->meshes.count; i++) {
    dressed_mesh *m = &CDNI_AT(r->meshes, dressed_mesh, i);
    cdni_mesh_free_parts(m->part, m->n);
    cdni_mesh_free_parts(m->whole, m->n_whole);
  }
  for (size_t i = 0; i < r->textures.count; i++) cdni_strfree(a, CDNI_AT(r->textures, dressed_texture, i).path);
  cdni_array_free(a, &r->meshes);
  cdni_array_free(a, &r->textures);
}
