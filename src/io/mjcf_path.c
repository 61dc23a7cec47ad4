/* What a <spatial> tendon passes: sites, geoms around which it goes, pulleys that begin a new branch. */
#include <stdio.h>

#include "io/mjcf.h"
#include "paths/paths.h"

/* A name that the file does not have, or that is in a part that is not understood: *lost. */
static cdn_status refuse_name(mjcf_reader *r, io_xml_node *node, const char *attribute, const char *name,
                              const char *word, bool *lost) {
  *lost = *lost || r->lost_joints || r->suffixes.count > 0;
  if (*lost) return CDN_OK;
  return io_xml_fail(r->log, CDN_ERR_PARSE, node, "%s='%.60s' names no %s; correct the name", attribute, name, word);
}

static cdn_status read_site(mjcf_reader *r, io_xml_node *node, mjcf_path_item *item, bool *lost) {
  const char *name;
  mjcf_where where;
  item->made.kind = CDN_SPEC_PATH_POINT;
  CDNI_TRY(io_xml_need_string(r->log, node, "site", &name));
  if (!io_mjcf_find_site(r, name, &where)) return refuse_name(r, node, "site", name, "site", lost);
  item->made.X_BP = where.X, item->at = where;
  return CDN_OK;
}

static cdn_status read_side(mjcf_reader *r, io_xml_node *node, mjcf_path_item *item, bool *lost) {
  const char *name = io_xml_string(node, "sidesite");
  mjcf_where where;
  if (!name || !name[0]) return CDN_OK;
  if (!io_mjcf_find_site(r, name, &where)) return refuse_name(r, node, "sidesite", name, "site", lost);
  item->made.has_side = true;
  item->made.side = where.X.p, item->side = where;
  return CDN_OK;
}

static cdn_status read_geom(mjcf_reader *r, io_xml_node *node, mjcf_path_item *item, bool *lost) {
  const char *name;
  CDNI_TRY(io_xml_need_string(r->log, node, "geom", &name));
  CDNI_TRY(read_side(r, node, item, lost));
  const int i = cdn_spec_find(r->spec, CDN_SPEC_SHAPE, name);
  if (i < 0) return refuse_name(r, node, "geom", name, "geom", lost);
  const cdn_spec_shape *shape = io_spec_shape(r->spec, i);
  if ((shape->type != CDN_SHAPE_SPHERE && shape->type != CDN_SHAPE_CYLINDER) || shape->fit_scale > 0)
    return io_xml_fail(r->log, CDN_ERR_PARSE, node,
                       "geom '%.60s' is no sphere and no cylinder, and tendons go around these alone; add one of them "
                       "with contype='0' conaffinity='0' mass='0'",
                       name);
  item->made.kind = shape->type == CDN_SHAPE_SPHERE ? CDN_SPEC_PATH_SPHERE : CDN_SPEC_PATH_CYLINDER;
  item->made.X_BP = shape->X_BS, item->made.radius = shape->size[0];
  const int place = CDNI_AT(r->objects[MJCF_OBJECT_GEOM], mjcf_object, i).place;
  item->at = (mjcf_where){ place, shape->X_BS, CDN_SPEC_SHAPE, i };
  return CDN_OK;
}

static cdn_status read_pulley(mjcf_reader *r, io_xml_node *node, mjcf_path_item *item) {
  bool present;
  item->made.kind = CDN_SPEC_PATH_PULLEY;
  CDNI_TRY(io_xml_double(r->log, node, "divisor", &item->made.divisor, &present));
  if (!present)
    return io_xml_missing(r->log, node, "divisor", "give the number by which lengths behind it are divided");
  if (item->made.divisor > 0) return CDN_OK;
  return io_xml_fail(r->log, CDN_ERR_PARSE, node, "its divisor %g is not positive; give a number above 0",
                     item->made.divisor);
}

/* *known: it is something that a path has. */
static cdn_status read_item(mjcf_reader *r, io_xml_node *node, mjcf_path_item *item, bool *known, bool *lost) {
  *item = (mjcf_path_item){ .made = cdn_default_spec_path_item() };
  item->made.line = io_xml_line(node);
  *known = true;
  if (io_xml_is(node, "site")) CDNI_TRY(read_site(r, node, item, lost));
  else if (io_xml_is(node, "geom")) CDNI_TRY(read_geom(r, node, item, lost));
  else if (io_xml_is(node, "pulley")) CDNI_TRY(read_pulley(r, node, item));
  else *known = false;
  if (*known) {
    io_xml_report_rest(r->log, node);
    return CDN_OK;
  }
  char note[100];
  snprintf(note, sizeof note, "spatial/%.60s", io_xml_name(node));
  io_not_understood(r->log, io_xml_line(node), note);
  return CDN_OK;
}

/* ---- whether they make a path ---- */

static bool is(const mjcf_path *path, int i, cdn_spec_path_item_kind kind) {
  return i >= 0 && i < (int)path->items.count && CDNI_AT(path->items, mjcf_path_item, i).made.kind == kind;
}
static bool is_point(const mjcf_path *path, int i) { return is(path, i, CDN_SPEC_PATH_POINT); }

static const char *check_item(const mjcf_path *path, int i) {
  const int n = (int)path->items.count;
  const bool before = is_point(path, i - 1), behind = is_point(path, i + 1);
  switch (CDNI_AT(path->items, mjcf_path_item, i).made.kind) {
    case CDN_SPEC_PATH_POINT:
      if (i > 0 && !is(path, i - 1, CDN_SPEC_PATH_PULLEY)) break;
      if (i + 1 < n && !is(path, i + 1, CDN_SPEC_PATH_PULLEY)) break;
      return "it is the only site of its branch, which needs two: add one before it or behind it";
    case CDN_SPEC_PATH_PULLEY:
      if (i + 1 == n) return "the tendon ends with a pulley: add the sites of a branch behind it";
      if (!behind) return "behind a pulley a branch begins with a site: add one";
      break;
    default:
      if (!before || !behind)
        return "a tendon goes around a geom between two sites: add one before it and one behind it";
  }
  return NULL;
}

/* How far a site is from the centre of a sphere or the axis of a cylinder in the reference configuration. */
static double distance(const mjcf_reader *r, const mjcf_path_item *site, const mjcf_path_item *obstacle) {
  const cdn_transform X = cdn_transform_multiply(io_mjcf_reference_pose(r, obstacle->at.place), obstacle->made.X_BP);
  const cdn_vec3 p = cdn_transform_point(io_mjcf_reference_pose(r, site->at.place), site->made.X_BP.p);
  cdn_vec3 from = cdn_transform_point(cdn_transform_invert(X), p);
  if (obstacle->made.kind == CDN_SPEC_PATH_CYLINDER) from.z = 0;
  return cdn_norm(from);
}

/* A tendon that begins within what it goes around passes straight through it. */
static void warn_of_sites_within(mjcf_reader *r, const mjcf_path *path) {
  for (int i = 0; i < (int)path->items.count; i++) {
    const mjcf_path_item *at = &CDNI_AT(path->items, mjcf_path_item, i);
    if (at->made.kind != CDN_SPEC_PATH_SPHERE && at->made.kind != CDN_SPEC_PATH_CYLINDER) continue;
    for (int side = -1; side <= 1; side += 2) {
      const mjcf_path_item *site = &CDNI_AT(path->items, mjcf_path_item, i + side);
      const double d = distance(r, site, at);
      if (!(d < at->made.radius)) continue;
      io_warn(r->log, at->made.line,
              "the site %s this geom is within it in the reference configuration, %g m from its %s: while it is there "
              "the tendon goes straight; move the site out to more than %g m, or make the geom smaller",
              side < 0 ? "before" : "behind", d, at->made.kind == CDN_SPEC_PATH_SPHERE ? "centre" : "axis",
              at->made.radius);
    }
  }
}

/* Sites and geoms of one body are always as far apart. */
static void warn_of_no_motion(mjcf_reader *r, io_xml_node *node, const mjcf_path *path) {
  const int place = CDNI_AT(path->items, mjcf_path_item, 0).at.place;
  for (int i = 1; i < (int)path->items.count; i++) {
    const mjcf_path_item *item = &CDNI_AT(path->items, mjcf_path_item, i);
    if (item->made.kind != CDN_SPEC_PATH_PULLEY && item->at.place != place) return;
    if (item->made.has_side && item->side.place != place) return;
  }
  io_warn(r->log, io_xml_line(node),
          "all that this tendon passes is on one body: its length does not change, and what pulls along it moves "
          "nothing; name a site of another body");
}

static cdn_status check_path(mjcf_reader *r, io_xml_node *node, const mjcf_path *path) {
  if (path->items.count == 0)
    return io_xml_fail(r->log, CDN_ERR_PARSE, node, "the tendon goes through nothing: give it two sites at least");
  for (int i = 0; i < (int)path->items.count; i++) {
    const char *wrong = check_item(path, i);
    if (wrong) return io_fail(r->log, CDN_ERR_PARSE, CDNI_AT(path->items, mjcf_path_item, i).made.line, "%s", wrong);
  }
  warn_of_sites_within(r, path);
  warn_of_no_motion(r, node, path);
  return CDN_OK;
}

cdn_status io_mjcf_read_path(mjcf_reader *r, io_xml_node *node, mjcf_path *path, bool *lost) {
  mjcf_walk walk = io_mjcf_walk(r, node);
  for (io_xml_node *child; (child = io_mjcf_walk_next(&walk)) != NULL;) {
    mjcf_path_item item;
    bool known;
    CDNI_TRY(read_item(r, child, &item, &known, lost));
    if (known && !cdni_array_push(&r->log->allocator, &path->items, sizeof item, &item))
      return io_mjcf_out_of_memory(r);
  }
  CDNI_TRY(walk.status);
  if (!*lost) return check_path(r, node, path);
  io_not_understood(r->log, io_xml_line(node), "tendon/spatial (of what was not understood)");
  return CDN_OK;
}
