/* How attached elements get into the spec and into the reader's tables, so that elements of the file may name them.
 * Assets and what lies on the child's Ground are attached where the <attach> stands, bodies when their turn comes, and
 * elements that name others after the file's own of their kind. */
#include <stdio.h>

#include "io/mjcf_attach.h"

/* ---- names ----------------------------------------------------------------------------------- */

/* The table of a kind's names; NULL: it has none. */
static io_names *table_of(mjcf_reader *r, cdn_spec_kind kind) {
  static const int tables[CDN_SPEC_KIND_COUNT] = { [CDN_SPEC_BODY] = MJCF_NAME_BODY + 1,
                                                   [CDN_SPEC_JOINT] = MJCF_NAME_JOINT + 1,
                                                   [CDN_SPEC_KEY] = MJCF_NAME_KEY + 1,
                                                   [CDN_SPEC_SENSOR] = MJCF_NAME_SENSOR + 1,
                                                   [CDN_SPEC_ACTUATOR] = MJCF_NAME_ACTUATOR + 1,
                                                   [CDN_SPEC_TENDON] = MJCF_NAME_TENDON + 1,
                                                   [CDN_SPEC_CONSTRAINT] = MJCF_NAME_EQUALITY + 1 };
  return tables[kind] ? &r->names[tables[kind] - 1] : kind == CDN_SPEC_FRAME ? &r->site_names : NULL;
}

/* "light3" */
static bool is_numbered(int kind, const char *name) {
  const char *word = io_element_kinds()[kind].word;
  const size_t n = strlen(word), digits = strncmp(name, word, n) == 0 ? strspn(name + n, "0123456789") : 0;
  return digits > 0 && name[n + digits] == '\0';
}

/* Whether the child's file gives the name; else it was made up. */
static bool is_given(const mjcf_reader *child, int kind, const char *name) {
  const io_names *table = table_of((mjcf_reader *)child, (cdn_spec_kind)kind);
  if (kind == CDN_SPEC_FRAME || kind == CDN_SPEC_ASSET) return true;
  if (table) return io_names_find(table, name) > 0;
  if (kind == CDN_SPEC_SHAPE) return io_mjcf_find_object(child, MJCF_OBJECT_GEOM, name) != NULL;
  return !is_numbered(kind, name);
}

static const char *mark_of(void *context, int kind, const char *name);
static cdn_status on_ground(void *context, cdn_spec_kind kind, int i, int at, const io_reference *ref);

typedef struct joining {
  mjcf_reader *r;
  mjcf_attachment *a;
} joining;

static io_affix affix_of(joining *j) {
  const mjcf_attachment *a = j->a;
  return (io_affix){ .prefix = a->prefix,
                     .suffix = a->suffix ? a->suffix : "",
                     .X_BA = a->X,
                     .asset_prefix = a->child->reader.itself ? "" : a->prefix,
                     .asset_suffix = "",
                     .folder = a->child->folder,
                     .on_ground = on_ground,
                     .mark = mark_of,
                     .context = j };
}

static const char *mark_of(void *context, int kind, const char *name) {
  const mjcf_attachment *a = ((const joining *)context)->a;
  return a->mark[0] && !is_given(&a->child->reader, kind, name) ? a->mark : "";
}

static cdn_status claim(joining *j, cdn_spec_kind kind, const char *name, int value) {
  mjcf_reader *r = j->r;
  io_names *table = table_of(r, kind);
  if (table && io_names_find(table, name) >= 0)
    return io_xml_fail(r->log, CDN_ERR_PARSE, j->a->node,
                       "the model has a %s '%.60s' already; attach under another prefix", io_element_kinds()[kind].word,
                       name);
  if (!table) return CDN_OK;
  return io_names_add(&r->log->allocator, table, name, value) < 0 ? io_mjcf_out_of_memory(r) : CDN_OK;
}

/* In a replicate what names it is copied with it. */
static void note_copy(joining *j, cdn_spec_kind kind, const char *own, const char *full) {
  static const mjcf_named kinds[CDN_SPEC_KIND_COUNT] = { [CDN_SPEC_BODY] = MJCF_OF_BODY + 1,
                                                         [CDN_SPEC_JOINT] = MJCF_OF_JOINT + 1,
                                                         [CDN_SPEC_SHAPE] = MJCF_OF_GEOM + 1,
                                                         [CDN_SPEC_FRAME] = MJCF_OF_SITE + 1,
                                                         [CDN_SPEC_CAMERA] = MJCF_OF_CAMERA + 1 };
  char bare[1000];
  if (!j->a->suffix || !kinds[kind]) return;
  snprintf(bare, sizeof bare, "%.450s%.450s", j->a->prefix, own);
  io_mjcf_note_attached(j->r, (mjcf_named)(kinds[kind] - 1), bare, full, j->a->suffix);
}

/* ---- the child's Ground ---------------------------------------------------------------------- */

/* The source of a text of the child's element i, as the part counts them; NULL: it has none. */
static const mjcf_source *source_of(const mjcf_attachment *a, cdn_spec_kind kind, int i, size_t text) {
  int n;
  const mjcf_source *s = io_mjcf_sources(&a->child->reader, kind, io_mjcf_from(a->part, kind, i), &n);
  for (int k = 0; k < n; k++)
    if (s[k].text == text) return &s[k];
  return NULL;
}

/* The world that is named is that of the whole; what is named in it has moved. */
static bool names_world(const mjcf_attachment *a, cdn_spec_kind kind, int i, size_t text) {
  static const bool by_name[CDN_SPEC_KIND_COUNT] = { [CDN_SPEC_CONTACT] = true };
  const mjcf_source *s = source_of(a, kind, i, text);
  const bool target = (kind == CDN_SPEC_CAMERA && text == offsetof(cdn_spec_camera, target)) ||
                      (kind == CDN_SPEC_LIGHT && text == offsetof(cdn_spec_light, target));
  return by_name[kind] || target || (s && s->of == CDN_SPEC_BODY && s->place == 0);
}

static cdn_status on_ground(void *context, cdn_spec_kind kind, int i, int at, const io_reference *ref) {
  joining *j = context;
  mjcf_reader *r = j->r;
  const mjcf_attachment *a = j->a;
  if (names_world(a, kind, i, ref->text)) return CDN_OK;
  io_reference_carry(ref, kind, io_spec_element(r->spec, kind, at), &a->X, a->place == 0);
  if (a->place == 0) return CDN_OK;
  CDNI_TRY(io_spec_retext(r->spec, io_spec_text(r->spec, kind, at, ref->text), NULL));
  return io_tree_refer(&r->tree, kind, at, ref->text, a->place);
}

/* ---- tables ---------------------------------------------------------------------------------- */

/* A place of the child in the tree; what is on none of the part's is where that is attached. */
static int place_of(const mjcf_attachment *a, int place) {
  return place > 0 && a->places[place] >= 0 ? a->places[place] : a->place;
}
static bool is_ground(const mjcf_attachment *a, int place) { return place == 0 || a->places[place] < 0; }

static cdn_status join_site(joining *j, int i) {
  const mjcf_attachment *a = j->a;
  mjcf_site site = CDNI_AT(a->child->reader.sites, mjcf_site, io_mjcf_from(a->part, CDN_SPEC_FRAME, i));
  site.place = place_of(a, site.place);
  return cdni_array_push(&j->r->log->allocator, &j->r->sites, sizeof site, &site) ? CDN_OK
                                                                                  : io_mjcf_out_of_memory(j->r);
}

static cdn_status join_object(joining *j, mjcf_object_kind kind, int from, const char *name, const char *mesh) {
  const mjcf_attachment *a = j->a;
  mjcf_object object = CDNI_AT(a->child->reader.objects[kind], mjcf_object, from);
  if (is_ground(a, object.place)) {
    object.X = cdn_transform_multiply(a->X, object.X);
    object.solid.X_BS = cdn_transform_multiply(a->X, object.solid.X_BS);
  }
  object.place = place_of(a, object.place);
  if (object.name) object.name = name;
  if (object.mesh) object.mesh = mesh;
  return io_mjcf_add_object(j->r, kind, &object);
}

/* For the model to which this one is attached. */
static cdn_status join_sources(joining *j, cdn_spec_kind kind, int i, int at) {
  const mjcf_attachment *a = j->a;
  int n;
  const mjcf_source *s = io_mjcf_sources(&a->child->reader, kind, io_mjcf_from(a->part, kind, i), &n);
  for (int k = 0; k < n && j->r->outer; k++) {
    mjcf_source made = s[k];
    made.element = at;
    if (made.of != CDN_SPEC_BODY) made.i = a->at[made.of][io_mjcf_to(a->part, made.of, made.i)];
    if (made.place != 0 || made.of != CDN_SPEC_BODY) made.place = place_of(a, made.place);
    if (!cdni_array_push(&j->r->log->allocator, &j->r->sources[kind], sizeof made, &made))
      return io_mjcf_out_of_memory(j->r);
  }
  return CDN_OK;
}

static cdn_status join_tables(joining *j, cdn_spec_kind kind, int i, int at) {
  const mjcf_attachment *a = j->a;
  const int from = io_mjcf_from(a->part, kind, i);
  const char *own = io_element_name(a->part->spec, kind, i), *name = io_element_name(j->r->spec, kind, at);
  const bool given = is_given(&a->child->reader, kind, own);
  if (kind != CDN_SPEC_PATH_ITEM) CDNI_TRY(claim(j, kind, name, kind == CDN_SPEC_FRAME ? at : given));
  if (given) note_copy(j, kind, own, name);
  if (kind == CDN_SPEC_FRAME) CDNI_TRY(join_site(j, i));
  if (kind == CDN_SPEC_SHAPE)
    CDNI_TRY(join_object(j, MJCF_OBJECT_GEOM, from, name, io_spec_shape(j->r->spec, at)->asset));
  if (kind == CDN_SPEC_CAMERA) CDNI_TRY(join_object(j, MJCF_OBJECT_CAMERA, from, name, NULL));
  return join_sources(j, kind, i, at);
}

/* Element i of the part. */
static cdn_status attach_one(joining *j, cdn_spec_kind kind, int i) {
  mjcf_reader *r = j->r;
  const io_affix by = affix_of(j);
  const int at = cdn_spec_count(r->spec, kind);
  if (j->a->at[kind][i] >= 0) return CDN_OK;
  if (io_attach_element(r->spec, j->a->part->spec, &j->a->part->names, kind, i, &by) != CDN_OK)
    return io_mjcf_out_of_memory(r);
  io_set_line(r->spec, kind, at, io_xml_line(j->a->node));
  j->a->at[kind][i] = at;
  return join_tables(j, kind, i, at);
}

static cdn_status attach_all(joining *j, cdn_spec_kind kind) {
  for (int i = 0; i < cdn_spec_count(j->a->part->spec, kind); i++) CDNI_TRY(attach_one(j, kind, i));
  return CDN_OK;
}

/* ---- where the <attach> stands --------------------------------------------------------------- */

/* Assets of different types may share a name. */
static bool has_asset(const cdn_spec *spec, cdn_asset_type type, const char *name) {
  bool there = false;
  for (int i = 0; i < cdn_spec_count(spec, CDN_SPEC_ASSET) && !there; i++) {
    const cdn_spec_asset *asset = io_spec_element(spec, CDN_SPEC_ASSET, i);
    there = asset->type == type && asset->name && strcmp(asset->name, name) == 0;
  }
  return there;
}

static cdn_status attach_assets(joining *j) {
  mjcf_reader *r = j->r;
  const mjcf_attachment *a = j->a;
  const mjcf_reader *child = &a->child->reader;
  if (a->shares || child->itself) return CDN_OK;
  for (int i = 0; i < cdn_spec_count(a->part->spec, CDN_SPEC_ASSET); i++) {
    char name[1000];
    snprintf(name, sizeof name, "%.450s%.450s", a->prefix, io_element_name(a->part->spec, CDN_SPEC_ASSET, i));
    const cdn_spec_asset *asset = io_spec_element(a->part->spec, CDN_SPEC_ASSET, i);
    if (has_asset(r->spec, asset->type, name))
      return io_xml_fail(r->log, CDN_ERR_PARSE, a->node,
                         "the model has an asset '%.60s' already; attach under another prefix", name);
    CDNI_TRY(attach_one(j, CDN_SPEC_ASSET, i));
  }
  for (size_t i = 0; i < child->meshes.count; i++) {
    mjcf_mesh mesh = CDNI_AT(child->meshes, mjcf_mesh, i);
    const int asset = io_mjcf_to(a->part, CDN_SPEC_ASSET, mesh.asset);
    if (asset < 0) continue;
    mesh.asset = a->at[CDN_SPEC_ASSET][asset];
    if (!cdni_array_push(&r->log->allocator, &r->meshes, sizeof mesh, &mesh)) return io_mjcf_out_of_memory(r);
  }
  return io_mjcf_join_classes(r, child, a->prefix);
}

static bool lies_on_ground(const mjcf_attachment *a, cdn_spec_kind kind, int i) {
  const io_reference *ref;
  io_references(kind, &ref); /* the first one is the body that it is on */
  return io_is_ground(&a->part->names, io_reference_text(ref, io_spec_element(a->part->spec, kind, i)));
}

cdn_status io_mjcf_attach_ground(mjcf_reader *r, mjcf_attachment *a, mjcf_body_mass *sum, int *selected) {
  static const cdn_spec_kind kinds[] = { CDN_SPEC_SHAPE, CDN_SPEC_FRAME, CDN_SPEC_CAMERA, CDN_SPEC_LIGHT };
  joining j = { r, a };
  const int before = io_mjcf_enter(r, 0);
  const int shapes = cdn_spec_count(r->spec, CDN_SPEC_SHAPE);
  cdn_status status = attach_assets(&j);
  for (int k = 0; k < CDNI_COUNT(kinds); k++)
    for (int i = 0; i < cdn_spec_count(a->part->spec, kinds[k]) && status == CDN_OK; i++)
      if (lies_on_ground(a, kinds[k], i)) status = attach_one(&j, kinds[k], i);
  io_mjcf_enter(r, before);
  for (int i = shapes; i < cdn_spec_count(r->spec, CDN_SPEC_SHAPE) && status == CDN_OK && sum; i++)
    status = io_mjcf_add_solid(&CDNI_AT(r->objects[MJCF_OBJECT_GEOM], mjcf_object, i).solid, r->log, sum, selected);
  return status;
}

/* ---- when the turn of its bodies comes ------------------------------------------------------- */

static cdn_status join_place(joining *j, int place) {
  mjcf_reader *r = j->r;
  mjcf_attachment *a = j->a;
  io_place made = *io_place_at(&a->child->reader.tree, place);
  const int body = io_mjcf_to(a->part, CDN_SPEC_BODY, made.body);
  if (body < 0) return CDN_OK;
  const bool first = is_ground(a, made.parent);
  if (first) {
    made.X_PB = cdn_transform_multiply(a->X, made.X_PB);
    made.X_PS = cdn_transform_multiply(a->X, made.X_PS);
    made.frame = a->frame;
  } else {
    made.frame = -1;
  }
  made.parent = place_of(a, made.parent);
  made.body = a->at[CDN_SPEC_BODY][body];
  made.first_joint = a->at[CDN_SPEC_JOINT][io_mjcf_to(a->part, CDN_SPEC_JOINT, made.first_joint)];
  made.attached = true, made.itself = a->child->reader.itself;
  a->places[place] = (int)r->tree.places.count;
  if (!cdni_all_finite((const double *)&made.X_PB, sizeof made.X_PB / sizeof(double), NULL))
    return io_xml_fail(r->log, CDN_ERR_NONFINITE, a->node,
                       "what it attaches is farther away than the largest number; some position around it is far too "
                       "large");
  return cdni_array_push(&r->log->allocator, &r->tree.places, sizeof made, &made) ? CDN_OK : io_mjcf_out_of_memory(r);
}

static cdn_status attach_bodies(joining *j) {
  static const cdn_spec_kind kinds[] = { CDN_SPEC_SHAPE, CDN_SPEC_FRAME, CDN_SPEC_CAMERA, CDN_SPEC_LIGHT };
  j->a->joints = cdn_spec_count(j->r->spec, CDN_SPEC_JOINT);
  CDNI_TRY(attach_all(j, CDN_SPEC_BODY));
  CDNI_TRY(attach_all(j, CDN_SPEC_JOINT));
  for (int i = 1; i < (int)j->a->child->reader.tree.places.count; i++) CDNI_TRY(join_place(j, i));
  for (int k = 0; k < CDNI_COUNT(kinds); k++) CDNI_TRY(attach_all(j, kinds[k]));
  return CDN_OK;
}

cdn_status io_mjcf_attach_bodies(mjcf_reader *r, int attachment) {
  if (!cdni_array_push(&r->log->allocator, &r->attached_order, sizeof attachment, &attachment))
    return io_mjcf_out_of_memory(r);
  return attach_bodies(&(joining){ r, io_mjcf_attachment(r, attachment) });
}

/* ---- what names others ----------------------------------------------------------------------- */

/* Of what is connected with the world, or welded to it, the pose there follows from the reference configuration. */
static void place_on_world(joining *j, int i) {
  const mjcf_attachment *a = j->a;
  const mjcf_source *ends[] = { source_of(a, CDN_SPEC_CONSTRAINT, i, offsetof(cdn_spec_constraint, body_a)),
                                source_of(a, CDN_SPEC_CONSTRAINT, i, offsetof(cdn_spec_constraint, body_b)) };
  cdn_spec_constraint *made = io_spec_constraint(j->r->spec, a->at[CDN_SPEC_CONSTRAINT][i]);
  int places[2];
  if (made->kind != CDN_SPEC_CONNECT && made->kind != CDN_SPEC_WELD) return;
  for (int k = 0; k < 2; k++) {
    if (ends[k]->of != CDN_SPEC_BODY || ends[k]->i == MJCF_POSE_GIVEN) return;
    places[k] = ends[k]->place == 0 ? 0 : place_of(a, ends[k]->place);
  }
  if (ends[0]->place == 0 || ends[1]->place == 0) io_mjcf_place_equality(j->r, places[0], places[1], made);
}

static cdn_status attach_constraints(joining *j) {
  CDNI_TRY(attach_all(j, CDN_SPEC_CONSTRAINT));
  for (int i = 0; i < cdn_spec_count(j->a->part->spec, CDN_SPEC_CONSTRAINT); i++) place_on_world(j, i);
  return CDN_OK;
}

/* Actuators that are left out have their places in keyframes; of a part it is not known whether they were its own. */
static cdn_status join_drive(joining *j, const mjcf_drive *drive) {
  const mjcf_attachment *a = j->a;
  mjcf_drive made = *drive;
  const int i = drive->element < 0 ? -1 : io_mjcf_to(a->part, CDN_SPEC_ACTUATOR, drive->element);
  if (i < 0 && (drive->element >= 0 || a->part->name)) return CDN_OK;
  made.element = i < 0 ? -1 : a->at[CDN_SPEC_ACTUATOR][i];
  made.itself = a->child->reader.itself;
  char name[1000];
  if (made.name) snprintf(name, sizeof name, "%.450s%.450s%.90s", a->prefix, made.name, a->suffix ? a->suffix : "");
  made.name = made.name ? cdni_strdup(&j->r->log->allocator, name) : NULL;
  if ((made.name || !drive->name) && cdni_array_push(&j->r->log->allocator, &j->r->drives, sizeof made, &made))
    return CDN_OK;
  cdni_strfree(&j->r->log->allocator, (char *)made.name);
  return io_mjcf_out_of_memory(j->r);
}

static cdn_status attach_actuators(joining *j) {
  const mjcf_reader *child = &j->a->child->reader;
  j->a->actuators = cdn_spec_count(j->r->spec, CDN_SPEC_ACTUATOR);
  CDNI_TRY(attach_all(j, CDN_SPEC_ACTUATOR));
  for (size_t i = 0; i < child->drives.count; i++) CDNI_TRY(join_drive(j, &CDNI_AT(child->drives, mjcf_drive, i)));
  return CDN_OK;
}

/* As in MuJoCo, the first one of a replicate's copies has the keyframes, under their names without a suffix, and what
 * is attached of the model itself has those of its file alone. */
static cdn_status attach_keys(joining *j) {
  mjcf_reader *r = j->r;
  const cdn_spec *from = j->a->part->spec;
  io_affix by = affix_of(j);
  by.suffix = "";
  const mjcf_reader *child = &j->a->child->reader;
  const int n = j->a->again ? 0 : child->itself ? child->own_keys : cdn_spec_count(from, CDN_SPEC_KEY);
  for (int i = 0; i < n; i++) {
    const int at = cdn_spec_count(r->spec, CDN_SPEC_KEY);
    if (io_attach_key(r->spec, io_spec_key(from, i), j->a->joints, j->a->actuators, &by) != CDN_OK)
      return io_mjcf_out_of_memory(r);
    /* without coordinates, velocities are meant in the reference configuration, in which the file's are turned */
    if (!io_spec_key(from, i)->q) io_key_turn(r->spec, at, j->a->joints, from, &j->a->part->names, i, j->a->X.R);
    io_set_line(r->spec, CDN_SPEC_KEY, at, io_xml_line(j->a->node));
    CDNI_TRY(join_tables(j, CDN_SPEC_KEY, i, at));
  }
  return CDN_OK;
}

static cdn_status attach_section(joining *j, cdn_spec_kind kind) {
  switch ((int)kind) {
    case CDN_SPEC_CONSTRAINT: return attach_constraints(j);
    case CDN_SPEC_ACTUATOR: return attach_actuators(j);
    case CDN_SPEC_KEY: return attach_keys(j);
    case CDN_SPEC_TENDON: CDNI_TRY(attach_all(j, CDN_SPEC_TENDON)); return attach_all(j, CDN_SPEC_PATH_ITEM);
    default: return attach_all(j, kind);
  }
}

cdn_status io_mjcf_attach_section(mjcf_reader *r, cdn_spec_kind kind) {
  cdn_status status = CDN_OK;
  for (size_t i = 0; i < r->attached_order.count && status == CDN_OK; i++) {
    mjcf_attachment *a = io_mjcf_attachment(r, CDNI_AT(r->attached_order, int, i));
    status = attach_section(&(joining){ r, a }, kind);
  }
  return status;
}
