/* What sensors and actuators name: sites, and where geoms and cameras are. */
#include "io/mjcf.h"

/* ---- sites ---- */

/* What a sensor of touch looks at. */
static cdn_status read_volume(mjcf_reader *r, const mjcf_element *e, mjcf_site *site) {
  static const char *const types[] = { "sphere", "capsule", "ellipsoid", "cylinder", "box" };
  static const cdn_shape_type volumes[] = { CDN_SHAPE_SPHERE, CDN_SHAPE_CAPSULE, CDN_SHAPE_ELLIPSOID,
                                            CDN_SHAPE_CYLINDER, CDN_SHAPE_BOX };
  int type = 0, count;
  double v[6], usual[3] = { 0.005, 0.005, 0.005 };
  memcpy(site->volume_size, usual, sizeof usual);
  CDNI_TRY(io_mjcf_keyword(r, e, "type", types, CDNI_COUNT(types), &type));
  CDNI_TRY(io_mjcf_doubles_upto(r, e, "size", site->volume_size, 3, &count));
  site->volume = volumes[type];
  if (!io_mjcf_has(r, e, "fromto")) return CDN_OK;
  CDNI_TRY(io_mjcf_doubles(r, e, "fromto", v, 6, NULL));
  const double half = cdn_norm(cdn_sub(cdn_v3(v[0], v[1], v[2]), cdn_v3(v[3], v[4], v[5]))) / 2;
  site->volume_size[type == 2 || type == 4 ? 2 : 1] = half;
  if (type == 2 || type == 4) site->volume_size[1] = site->volume_size[0];
  return CDN_OK;
}

cdn_status io_mjcf_read_site(mjcf_reader *r, io_xml_node *node, const mjcf_scope *scope) {
  const char *name = io_mjcf_name(r, node);
  mjcf_element e;
  cdn_transform X_SS;
  CDNI_TRY(io_mjcf_element(r, node, MJCF_SITE, scope->class, &e));
  CDNI_TRY(io_mjcf_pose(r, &e, &X_SS));
  if (io_mjcf_has(r, &e, "fromto")) {
    double v[6];
    if (cdn_norm(X_SS.p) != 0)
      return io_xml_fail(r->log, CDN_ERR_PARSE, node, "both pos and fromto place the site; keep one of them");
    CDNI_TRY(io_mjcf_doubles(r, &e, "fromto", v, 6, NULL));
    CDNI_TRY(io_mjcf_fromto(r, &e, v, &X_SS));
  }
  io_xml_ignore_all(node);
  if (!name || !name[0]) return CDN_OK;
  if (io_names_find(&r->site_names, name) >= 0) {
    return io_xml_fail(r->log, CDN_ERR_PARSE, node, "another site has this name; names of sites must differ");
  }
  cdn_spec_frame frame = cdn_default_spec_frame();
  mjcf_site site = { .place = scope->place };
  int index;
  CDNI_TRY(read_volume(r, &e, &site));
  frame.name = name;
  frame.line = io_xml_line(node);
  frame.X_BF = cdn_transform_multiply(scope->X_BS, X_SS);
  CDNI_TRY(io_spec_append(r->spec, CDN_SPEC_FRAME, &frame, &index));
  if (io_names_add(&r->log->allocator, &r->site_names, io_spec_frame(r->spec, index)->name, index) < 0 ||
      !cdni_array_push(&r->log->allocator, &r->sites, sizeof site, &site))
    return io_mjcf_out_of_memory(r);
  return IO_REFER(&r->tree, FRAME, frame, index, body, scope->place);
}

bool io_mjcf_find_site(const mjcf_reader *r, const char *name, mjcf_where *where) {
  const int i = io_names_find(&r->site_names, name);
  if (i >= 0)
    *where = (mjcf_where){ CDNI_AT(r->sites, mjcf_site, i).place, io_spec_frame(r->spec, i)->X_BF, CDN_SPEC_FRAME, i };
  return i >= 0;
}

/* ---- geoms, cameras ---- */

cdn_status io_mjcf_add_object(mjcf_reader *r, mjcf_object_kind kind, const mjcf_object *object) {
  return cdni_array_push(&r->log->allocator, &r->objects[kind], sizeof *object, object) ? CDN_OK
                                                                                        : io_mjcf_out_of_memory(r);
}

const mjcf_object *io_mjcf_find_object(const mjcf_reader *r, mjcf_object_kind kind, const char *name) {
  for (size_t i = 0; i < r->objects[kind].count; i++) {
    const mjcf_object *o = &CDNI_AT(r->objects[kind], mjcf_object, i);
    if (o->name && strcmp(o->name, name) == 0) return o;
  }
  return NULL;
}

/* ---- what a text names ---- */

cdn_status io_mjcf_refer(mjcf_reader *r, cdn_spec_kind kind, int element, size_t text, const mjcf_where *where) {
  const mjcf_source made = { element, text, where->of, where->i, where->place };
  if (r->outer && !cdni_array_push(&r->log->allocator, &r->sources[kind], sizeof made, &made))
    return io_mjcf_out_of_memory(r);
  return io_tree_refer(&r->tree, kind, element, text, where->place);
}

const mjcf_source *io_mjcf_sources(const mjcf_reader *r, cdn_spec_kind kind, int element, int *n) {
  const mjcf_source *all = r->sources[kind].data;
  size_t low = 0, high = r->sources[kind].count;
  while (low < high) {
    const size_t middle = (low + high) / 2;
    if (all[middle].element < element) low = middle + 1;
    else high = middle;
  }
  for (*n = 0; low + (size_t)*n < r->sources[kind].count && all[low + (size_t)*n].element == element;) ++*n;
  return *n ? all + low : NULL;
}
