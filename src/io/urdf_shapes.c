/* <visual>, <collision> and <material>, as data. The looks of a link have no effect on the motion. So a shape that
 * breaks a rule of the format is left out with a warning, and the robot still loads. */
#include <stdio.h>

#include "io/urdf.h"

static cdn_status no_memory(urdf_graph *graph) { return io_fail(graph->log, CDN_ERR_NOMEM, 0, "out of memory"); }

/* Enters an asset unless there is one of its name. */
static cdn_status add_asset(urdf_graph *graph, io_names *names, const cdn_spec_asset *asset) {
  int i;
  if (io_names_find(names, asset->name) >= 0) return CDN_OK;
  CDNI_TRY(io_spec_add(graph->spec, CDN_SPEC_ASSET, asset, &i));
  return io_names_add(&graph->log->allocator, names, io_spec_asset(graph->spec, i)->name, i) == i ? CDN_OK
                                                                                                  : no_memory(graph);
}

/* ---- materials ------------------------------------------------------------------------------- */

static cdn_status try_material(urdf_graph *graph, io_xml_node *node, double rgba[4], const char **name) {
  cdn_spec_asset asset = cdn_default_spec_asset();
  io_xml_node *color = urdf_take_child(node, "color"), *texture = urdf_take_child(node, "texture");
  *name = io_xml_string(node, "name");
  bool colored = false;
  if (color) CDNI_TRY(io_xml_doubles(graph->log, color, "rgba", rgba, 4, &colored));
  if ((!colored && !texture) || !*name || !**name) return CDN_OK;
  asset.name = *name;
  asset.type = CDN_ASSET_MATERIAL;
  asset.line = io_xml_line(node);
  asset.file = texture ? io_xml_string(texture, "filename") : NULL;
  if (colored) memcpy(asset.rgba, rgba, sizeof asset.rgba);
  return add_asset(graph, &graph->material_names, &asset);
}

/* ---- shapes ---------------------------------------------------------------------------------- */

static cdn_status need_number(urdf_graph *graph, io_xml_node *node, const char *attribute, double *value) {
  bool present;
  CDNI_TRY(io_xml_double(graph->log, node, attribute, value, &present));
  return present ? CDN_OK : io_xml_missing(graph->log, node, attribute, "give it in metres");
}

/* A mesh is an asset by its file, and its scale if it has one. */
static cdn_status read_mesh(urdf_graph *graph, io_xml_node *node, char *name, size_t size) {
  cdn_spec_asset asset = cdn_default_spec_asset();
  const double *s = asset.scale;
  bool scaled;
  CDNI_TRY(io_xml_need_string(graph->log, node, "filename", &asset.file));
  CDNI_TRY(io_xml_doubles(graph->log, node, "scale", asset.scale, 3, &scaled));
  scaled = scaled && (s[0] != 1 || s[1] != 1 || s[2] != 1);
  if (scaled) cdni_print(name, size, "%.900s * %g %g %g", asset.file, s[0], s[1], s[2]);
  else snprintf(name, size, "%.1000s", asset.file);
  asset.name = name;
  asset.line = io_xml_line(node);
  return add_asset(graph, &graph->mesh_names, &asset);
}

/* URDF has whole lengths where a spec has half ones. */
static cdn_status read_form(urdf_graph *graph, io_xml_node *form, cdn_spec_shape *shape, char *mesh, size_t size) {
  static const char *const names[] = { "box", "cylinder", "sphere", "mesh", "capsule" };
  static const cdn_shape_type types[] = { CDN_SHAPE_BOX, CDN_SHAPE_CYLINDER, CDN_SHAPE_SPHERE, CDN_SHAPE_MESH,
                                          CDN_SHAPE_CAPSULE };
  int k = 0;
  while (k < CDNI_COUNT(names) && !io_xml_is(form, names[k])) k++;
  if (k == CDNI_COUNT(names))
    return io_xml_fail(graph->log, CDN_ERR_PARSE, form, "a shape is a box, cylinder, capsule, sphere or mesh");
  shape->type = types[k];
  if (k == 0) {
    bool present;
    CDNI_TRY(io_xml_doubles(graph->log, form, "size", shape->size, 3, &present));
    if (!present) return io_xml_missing(graph->log, form, "size", "give three lengths in metres");
    for (int i = 0; i < 3; i++) shape->size[i] /= 2;
    return CDN_OK;
  }
  if (k == 3) return read_mesh(graph, form, mesh, size);
  CDNI_TRY(need_number(graph, form, "radius", &shape->size[0]));
  if (k == 2) return CDN_OK;
  CDNI_TRY(need_number(graph, form, "length", &shape->size[1]));
  shape->size[1] /= 2;
  return CDN_OK;
}

static cdn_status try_shape(urdf_graph *graph, io_xml_node *node, int link) {
  cdn_spec_shape shape = cdn_default_spec_shape();
  char mesh[1100] = "";
  shape.name = io_xml_string(node, "name");
  CDNI_TRY(urdf_read_origin(graph->log, node, &shape.X_BS));
  io_xml_node *geometry = urdf_take_child(node, "geometry"), *form = geometry ? io_xml_first(geometry) : NULL;
  if (!form) return io_xml_fail(graph->log, CDN_ERR_PARSE, node, "it has no <geometry> with a shape in it");
  CDNI_TRY(read_form(graph, form, &shape, mesh, sizeof mesh));
  io_xml_node *look = urdf_take_child(node, "material");
  if (look) CDNI_TRY(try_material(graph, look, shape.rgba, &shape.material));
  shape.line = io_xml_line(node);
  shape.visual = io_xml_is(node, "visual");
  shape.collision = !shape.visual;
  if (shape.visual) shape.contype = shape.conaffinity = 0;
  shape.asset = mesh;
  CDNI_TRY(io_spec_append(graph->spec, CDN_SPEC_SHAPE, &shape, NULL));
  return cdni_array_push(&graph->log->allocator, &graph->shape_links, sizeof link, &link) ? CDN_OK : no_memory(graph);
}

/* ---- what the others call -------------------------------------------------------------------- */

cdn_status urdf_read_material(urdf_graph *graph, io_xml_node *node) {
  double rgba[4];
  const char *name;
  return io_forgive(graph->log, try_material(graph, node, rgba, &name), "the material is left out");
}

cdn_status urdf_read_shapes(urdf_graph *graph, io_xml_node *node, int link) {
  for (io_xml_node *n = io_xml_first(node); n; n = io_xml_next(n)) {
    const bool visual = io_xml_is(n, "visual");
    const bool collision = io_xml_is(n, "collision");
    /* Without contact, collisions are listed as not simulated. */
    if (visual || io_xml_is(n, "material") || (collision && io_shapes_touch(graph->options))) io_xml_mark(n);
    if (visual || collision) CDNI_TRY(io_forgive(graph->log, try_shape(graph, n, link), "the shape is left out"));
  }
  return CDN_OK;
}

cdn_status urdf_place_shapes(urdf_graph *graph) {
  for (int i = 0; i < cdn_spec_count(graph->spec, CDN_SPEC_SHAPE); i++) {
    cdn_spec_shape *shape = io_spec_shape(graph->spec, i);
    urdf_link *link = &CDNI_AT(graph->links, urdf_link, CDNI_AT(graph->shape_links, int, i));
    const bool merged = strcmp(io_body_at(&graph->tree, link->place)->name, link->name) != 0;
    if (merged && !(shape->part = cdni_strdup(&graph->log->allocator, link->name))) return no_memory(graph);
    link->collides = link->collides || shape->collision;
    shape->X_BS = cdn_transform_multiply(link->X_BL, shape->X_BS);
    CDNI_TRY(IO_REFER(&graph->tree, SHAPE, shape, i, body, link->place));
  }
  return CDN_OK;
}
