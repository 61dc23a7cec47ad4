/* Bodies and frames. A frame only changes coordinates for its contents, so they are placed directly in the body
 * around it. */
#include <math.h>
#include <stdio.h>

#include "io/joints.h"
#include "io/mjcf_expand.h"

enum { MAX_FRAME_DEPTH = 200 };

/* Data gathered while the contents of one body are read. */
typedef struct contents {
  bool has_inertial, massless_geoms;
  mjcf_body_mass inertial, geoms;
  int selected;         /* geoms in the groups that count for inertia */
  size_t first_pending; /* child bodies found so far are r->pending[first_pending ..] in the file's order */
  bool carries;         /* there are such, or bodies that are attached */
} contents;

cdn_status io_mjcf_read_inertial(mjcf_reader *r, io_xml_node *node, mjcf_body_mass *out) {
  const mjcf_element e = { node, MJCF_NO_DEFAULTS, 0 };
  double diagonal[3] = { 0, 0, 0 }, full[6];
  bool has_mass, has_diagonal, has_full, oriented;
  cdn_rotation R_BI = cdn_rotation_identity();
  *out = (mjcf_body_mass){ 0 };
  cdn_mass_properties *mass = &out->of;
  CDNI_TRY(io_xml_vec3(r->log, node, "pos", &mass->com, NULL));
  CDNI_TRY(io_xml_double(r->log, node, "mass", &mass->mass, &has_mass));
  if (!has_mass) return io_xml_missing(r->log, node, "mass", "write the body's mass in kg");
  CDNI_TRY(io_xml_doubles(r->log, node, "diaginertia", diagonal, 3, &has_diagonal));
  CDNI_TRY(io_xml_doubles(r->log, node, "fullinertia", full, 6, &has_full));
  CDNI_TRY(io_mjcf_orientation(r, &e, &R_BI, &oriented));
  io_xml_report_rest(r->log, node);
  if (has_full && has_diagonal)
    return io_xml_fail(r->log, CDN_ERR_PARSE, node, "both diaginertia and fullinertia are given; keep one of them");
  if (has_full && oriented)
    return io_xml_fail(r->log, CDN_ERR_PARSE, node,
                       "fullinertia is in the body's own axes; take the orientation out, or "
                       "use diaginertia with it");
  if (mass->mass < 0) return io_xml_fail(r->log, CDN_ERR_PARSE, node, "the mass is negative");
  /* The file's order of a full matrix: xx yy zz xy xz yz. */
  if (has_full) mass->inertia = (cdn_inertia){ full[0], full[1], full[2], full[3], full[4], full[5] };
  else mass->inertia = cdn_inertia_reexpress(R_BI, (cdn_inertia){ diagonal[0], diagonal[1], diagonal[2], 0, 0, 0 });
  if (!has_full) out->principal = R_BI;
  return CDN_OK;
}

/* ---- contents of bodies and frames ---- */

static cdn_status read_contents(mjcf_reader *r, io_xml_node *node, const mjcf_scope *scope, contents *c);

static cdn_status add_frame(mjcf_reader *r, const char *name, const mjcf_scope *outer) {
  const mjcf_frame made = { .name = cdni_strdup(&r->log->allocator, name),
                            .outer = outer->frame,
                            .X_BS = outer->X_BS,
                            .before = io_mjcf_count(r) };
  if (made.name && cdni_array_push(&r->log->allocator, &r->frames, sizeof made, &made)) return CDN_OK;
  cdni_strfree(&r->log->allocator, made.name);
  return io_mjcf_out_of_memory(r);
}

static cdn_status read_frame(mjcf_reader *r, io_xml_node *node, const mjcf_scope *outer, contents *c) {
  if (outer->depth >= MAX_FRAME_DEPTH)
    return io_xml_fail(r->log, CDN_ERR_LIMIT, node, "frames are nested more than %d deep", MAX_FRAME_DEPTH);
  const mjcf_element e = { node, MJCF_NO_DEFAULTS, 0 };
  mjcf_scope scope = *outer;
  cdn_transform X_SF;
  CDNI_TRY(io_mjcf_pose(r, &e, &X_SF));
  CDNI_TRY(io_mjcf_find_class(r, node, "childclass", &scope.class));
  scope.X_BS = cdn_transform_multiply(outer->X_BS, X_SF);
  scope.depth++;
  const char *name = io_mjcf_name(r, node);
  const bool named = name && name[0];
  const int index = (int)r->frames.count;
  if (named) CDNI_TRY(add_frame(r, name, outer));
  if (named) scope.frame = index;
  CDNI_TRY(read_contents(r, node, &scope, c));
  if (named) CDNI_AT(r->frames, mjcf_frame, index).after = io_mjcf_count(r);
  io_xml_report_rest(r->log, node);
  return CDN_OK;
}

/* Copies of its contents, each moved by `offset` and turned by `euler` against the one before. */
static cdn_status read_replicate(mjcf_reader *r, io_xml_node *node, const mjcf_scope *outer, contents *c) {
  enum { MOST_COPIES = 100000 };
  double euler[3] = { 0, 0, 0 };
  cdn_vec3 offset = { 0, 0, 0 };
  int count = 0;
  bool present;
  if (outer->depth >= MAX_FRAME_DEPTH)
    return io_xml_fail(r->log, CDN_ERR_LIMIT, node, "frames are nested more than %d deep", MAX_FRAME_DEPTH);
  CDNI_TRY(io_xml_int(r->log, node, "count", &count, &present));
  if (!present) return io_xml_missing(r->log, node, "count", "write how many copies there are");
  if (count < 1 || count > MOST_COPIES)
    return io_xml_fail(r->log, CDN_ERR_PARSE, node, "count is %d; from 1 to %d are possible", count, MOST_COPIES);
  CDNI_TRY(io_xml_vec3(r->log, node, "offset", &offset, NULL));
  CDNI_TRY(io_xml_doubles(r->log, node, "euler", euler, 3, NULL));
  const char *separator = io_xml_string(node, "sep");
  mjcf_scope scope = *outer;
  CDNI_TRY(io_mjcf_find_class(r, node, "childclass", &scope.class));
  scope.depth++;
  cdn_vec3 at = { 0, 0, 0 };
  cdn_rotation way = cdn_rotation_identity(); /* of the offset: turn by turn */
  for (int i = 0; i < count; i++) {
    const double turned[3] = { i * euler[0], i * euler[1], i * euler[2] };
    const cdn_transform X = { io_mjcf_euler(r, turned), at };
    scope.X_BS = cdn_transform_multiply(outer->X_BS, X);
    CDNI_TRY(io_mjcf_make_suffix(r, separator, count, i, outer->suffix, &scope.suffix));
    CDNI_TRY(read_contents(r, node, &scope, c));
    at = cdn_add(at, cdn_rotate(way, offset));
    way = cdn_rotation_multiply(way, io_mjcf_euler(r, euler));
  }
  io_xml_report_rest(r->log, node);
  return CDN_OK;
}

static cdn_status read_inertial_of(mjcf_reader *r, io_xml_node *node, const mjcf_scope *scope, contents *c) {
  if (scope->place == 0)
    return io_xml_fail(r->log, CDN_ERR_PARSE, node,
                       "the worldbody does not move and has no inertia; take <inertial> "
                       "out, or put it into a <body>");
  if (scope->depth > 0)
    return io_xml_fail(r->log, CDN_ERR_PARSE, node, "<inertial> cannot stand in a <frame>; move it into the <body>");
  if (c->has_inertial)
    return io_xml_fail(r->log, CDN_ERR_PARSE, node, "the body has a second <inertial>; keep one of them");
  c->has_inertial = true;
  return io_mjcf_read_inertial(r, node, &c->inertial);
}

static cdn_status defer_body(mjcf_reader *r, io_xml_node *node, const mjcf_scope *scope, contents *c) {
  const mjcf_pending later = { .node = node,
                               .document = r->document,
                               .parent = scope->place,
                               .class = scope->class,
                               .frame = scope->frame,
                               .X_PS = scope->X_BS,
                               .suffix = scope->suffix,
                               .attachment = -1 };
  c->carries = true;
  if (!cdni_array_push(&r->log->allocator, &r->pending, sizeof later, &later)) return io_mjcf_out_of_memory(r);
  return CDN_OK;
}

/* Elements that make further bodies, which are then missing. */
static const struct {
  const char *name, *lost;
} generators[] = { { "composite", "the bodies and joints that it stands for" },
                   { "flexcomp", "the soft body that it stands for" } };

static void report_child(mjcf_reader *r, io_xml_node *node) {
  const char *name = io_xml_name(node);
  io_not_understood(r->log, io_xml_line(node), name);
  for (int i = 0; i < CDNI_COUNT(generators); i++) {
    if (strcmp(name, generators[i].name) != 0) continue;
    io_warn(r->log, io_xml_line(node), "<%s> is not understood: %s will be missing", name, generators[i].lost);
    r->lost_joints = true;
  }
}

/* Its bodies wait for their turn, with those of the file. */
static cdn_status read_attach(mjcf_reader *r, io_xml_node *node, const mjcf_scope *scope, contents *c) {
  mjcf_pending later = { .node = node, .document = r->document, .attachment = -1 };
  mjcf_body_mass *sum = c->massless_geoms ? NULL : &c->geoms;
  CDNI_TRY(io_mjcf_attach(r, node, scope, sum, &c->selected, &later.attachment));
  if (later.attachment < 0) return CDN_OK;
  c->carries = c->carries || io_mjcf_attachment_has_bodies(r, later.attachment);
  return cdni_array_push(&r->log->allocator, &r->pending, sizeof later, &later) ? CDN_OK : io_mjcf_out_of_memory(r);
}

static cdn_status read_contents(mjcf_reader *r, io_xml_node *node, const mjcf_scope *scope, contents *c) {
  mjcf_walk walk = io_mjcf_walk(r, node);
  for (io_xml_node *child; (child = io_mjcf_walk_next(&walk)) != NULL;) {
    const char *name = io_xml_name(child);
    r->suffix = scope->suffix;
    if (strcmp(name, "joint") == 0 || strcmp(name, "freejoint") == 0) CDNI_TRY(io_mjcf_read_joint(r, child, scope));
    else if (strcmp(name, "geom") == 0)
      CDNI_TRY(io_mjcf_read_geom(r, child, scope, c->massless_geoms, &c->geoms, &c->selected));
    else if (strcmp(name, "site") == 0) CDNI_TRY(io_mjcf_read_site(r, child, scope));
    else if (strcmp(name, "body") == 0) CDNI_TRY(defer_body(r, child, scope, c));
    else if (strcmp(name, "frame") == 0) CDNI_TRY(read_frame(r, child, scope, c));
    else if (strcmp(name, "replicate") == 0) CDNI_TRY(read_replicate(r, child, scope, c));
    else if (strcmp(name, "attach") == 0) CDNI_TRY(read_attach(r, child, scope, c));
    else if (strcmp(name, "camera") == 0) CDNI_TRY(io_mjcf_read_camera(r, child, scope));
    else if (strcmp(name, "light") == 0) CDNI_TRY(io_mjcf_read_light(r, child, scope));
    else if (strcmp(name, "inertial") == 0) CDNI_TRY(read_inertial_of(r, child, scope, c));
    else report_child(r, child);
  }
  r->suffix = NULL;
  return walk.status;
}

/* ---- bodies ---- */

/* Whether the body has an <inertial> of its own; known before its geoms are read, wherever the element is in the
 * body. */
static cdn_status find_inertial(mjcf_reader *r, io_xml_node *node, bool *found) {
  *found = false;
  mjcf_walk walk = io_mjcf_walk(r, node);
  for (io_xml_node *child; (child = io_mjcf_walk_next(&walk)) != NULL;)
    if (io_xml_is(child, "inertial")) *found = true;
  return walk.status;
}

/* The stack gives the last one first: turn the new ones round. */
static void reverse_pending(mjcf_reader *r, size_t first) {
  mjcf_pending *p = r->pending.data;
  for (size_t i = first, k = r->pending.count; i + 1 < k; i++) {
    k--;
    const mjcf_pending swap = p[i];
    p[i] = p[k];
    p[k] = swap;
  }
}

static cdn_status read_attributes(mjcf_reader *r, io_xml_node *node, mjcf_scope *scope) {
  const mjcf_element e = { node, MJCF_NO_DEFAULTS, 0 };
  cdn_transform X_SB;
  io_place *place = io_place_at(&r->tree, scope->place);
  cdn_spec_body *b = io_body_at(&r->tree, scope->place);
  CDNI_TRY(io_mjcf_pose(r, &e, &X_SB));
  place->X_PB = cdn_transform_multiply(place->X_PB, X_SB); /* until now where the surrounding frame is in the parent */
  CDNI_TRY(io_mjcf_take_name(r, node, MJCF_NAME_BODY, &b->name));
  CDNI_TRY(io_mjcf_find_class(r, node, "childclass", &scope->class));

  bool mocap = false;
  double gravcomp = 0;
  CDNI_TRY(io_xml_bool(r->log, node, "mocap", &mocap, NULL));
  CDNI_TRY(io_xml_double(r->log, node, "gravcomp", &gravcomp, NULL));
  if (mocap && place->parent != 0)
    return io_xml_fail(
        r->log, CDN_ERR_PARSE, node,
        "a mocap body must be directly in the worldbody: move it there, and write its pose in the world");
  b->mocap = mocap;
  b->gravity_compensation = r->flags.passive ? gravcomp : 0;
  io_xml_ignore(node, "user");
  const char *sleep = io_xml_string(node, "sleep");
  if (sleep && strcmp(sleep, "init") == 0 && r->flags.sleep)
    io_not_understood(r->log, io_xml_line(node), "body sleep=init"); /* it does not move until something touches it */
  io_xml_ignore(node, "simple");
  return CDN_OK;
}

/* Numbers of a file are finite, but results of huge ones may not be. Transforms and mass properties consist of
 * doubles only, so they can be searched as arrays. */
static cdn_status check_finite(mjcf_reader *r, int place, io_xml_node *node) {
  const io_place *at = io_place_at(&r->tree, place);
  const cdn_mass_properties *mass = &io_body_at(&r->tree, place)->mass;
  bool finite = cdni_all_finite((const double *)&at->X_PB, sizeof at->X_PB / sizeof(double), NULL) &&
                cdni_all_finite((const double *)mass, sizeof *mass / sizeof(double), NULL);
  for (int i = 0; i < at->n_joints && finite; i++) {
    const cdn_spec_joint *j = io_spec_joint(r->spec, at->first_joint + i);
    finite = cdni_all_finite((const double *)&j->X_CM, sizeof j->X_CM / sizeof(double), NULL) &&
             isfinite(j->limit_timeconst) && isfinite(j->limit_dampratio);
  }
  if (finite) return CDN_OK;
  return io_xml_fail(r->log, CDN_ERR_NONFINITE, node,
                     "its pose, mass, inertia or joints are beyond the largest number; "
                     "some position, size, mass or density in it or around it is far too large");
}

/* What the pose of a mocap body is the coordinates of. */
static cdn_status add_mocap_joint(mjcf_reader *r, int place, io_xml_node *node) {
  if (io_place_at(&r->tree, place)->n_joints > 0)
    return io_xml_fail(r->log, CDN_ERR_PARSE, node,
                       "a mocap body has no joints, since its pose is an input: take out its joints, or mocap");
  cdn_spec_joint joint = cdn_default_spec_joint();
  joint.line = io_xml_line(node);
  joint.kind = CDN_FREE;
  return io_tree_add_joint(&r->tree, &joint, cdn_v3(0, 0, 0), cdn_v3(0, 0, 1), 0);
}

static cdn_status read_body(mjcf_reader *r, const mjcf_pending *p) {
  const int place = (int)r->tree.places.count;
  const mjcf_counts before = io_mjcf_count(r);
  cdn_spec_body body = cdn_default_spec_body();
  body.line = io_xml_line(p->node);
  body.allow_improper = true;
  CDNI_TRY(io_tree_add_body(&r->tree, p->parent, p->X_PS, &body));
  io_place_at(&r->tree, place)->frame = p->frame;
  io_place_at(&r->tree, place)->X_PS = p->X_PS;
  mjcf_scope scope = { place, p->class, 0, cdn_transform_identity(), p->suffix, -1 };
  r->suffix = p->suffix;
  CDNI_TRY(read_attributes(r, p->node, &scope));

  const mjcf_inertia_source source = r->compiler.inertia_source;
  contents c = { .first_pending = r->pending.count };
  bool given;
  r->aligns = false;
  CDNI_TRY(find_inertial(r, p->node, &given));
  const bool from_geoms = source == MJCF_INERTIA_GEOMS || (source == MJCF_INERTIA_AUTO && !given);
  c.massless_geoms = !from_geoms;
  CDNI_TRY(read_contents(r, p->node, &scope, &c));
  CDNI_TRY(io_mjcf_check_joints(r, place, p->node));
  if (io_body_at(&r->tree, place)->mocap) CDNI_TRY(add_mocap_joint(r, place, p->node));
  /* Without geoms to take it from, the inertia of the file counts. */
  const bool geoms_count = from_geoms && !(given && c.selected == 0);
  const mjcf_body_mass *mass = geoms_count ? &c.geoms : &c.inertial;
  io_body_at(&r->tree, place)->mass = mass->of;
  io_body_at(&r->tree, place)->principal = mass->principal;
  io_mjcf_align(r, &before, !c.carries);
  CDNI_TRY(check_finite(r, place, p->node));
  CDNI_TRY(io_tree_end_body(&r->tree));
  reverse_pending(r, c.first_pending);
  io_xml_report_rest(r->log, p->node);
  return CDN_OK;
}

cdn_status io_mjcf_read_worldbody(mjcf_reader *r, io_xml_node *node) {
  mjcf_scope scope = { 0, MJCF_MAIN_CLASS, 0, cdn_transform_identity(), NULL, -1 };
  contents c = { .massless_geoms = true };
  CDNI_TRY(io_mjcf_find_class(r, node, "childclass", &scope.class));
  io_xml_ignore(node, "name");
  CDNI_TRY(read_contents(r, node, &scope, &c));
  reverse_pending(r, 0);
  io_xml_report_rest(r->log, node);
  /* Depth first: a body's children are pushed above its siblings. */
  const int main_document = r->document;
  while (r->pending.count > 0) {
    const mjcf_pending p = CDNI_AT(r->pending, mjcf_pending, r->pending.count - 1);
    r->pending.count--;
    io_mjcf_enter(r, p.document);
    CDNI_TRY(p.attachment < 0 ? read_body(r, &p) : io_mjcf_attach_bodies(r, p.attachment));
  }
  io_mjcf_enter(r, main_document);
  return CDN_OK;
}

cdn_transform io_mjcf_reference_pose(const mjcf_reader *r, int place) {
  cdn_transform X = cdn_transform_identity();
  for (; place > 0; place = io_place_at(&r->tree, place)->parent)
    X = cdn_transform_multiply(io_place_at(&r->tree, place)->X_PB, X);
  return X;
}
