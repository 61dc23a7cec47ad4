/* The MJCF reader's entry. The sections of a file may come in any order and more than once; they are understood in
 * the order compiler, default, asset, option, worldbody, contact, tendon, equality, actuator, sensor, keyframe. */
#include <stdio.h>

#include "io/mjcf_expand.h"

cdn_status io_mjcf_read_sections(mjcf_reader *r, io_xml_node *root, const char *name, mjcf_section *read) {
  mjcf_walk walk = io_mjcf_walk(r, root);
  for (io_xml_node *section; (section = io_mjcf_walk_next(&walk)) != NULL;)
    if (io_xml_is(section, name)) CDNI_TRY(read(r, section));
  return walk.status;
}

/* ---- sections whose contents are not simulated, each listed by its children: "deformable/skin" ---- */

static bool is_silent_child(const char *section, io_xml_node *child) {
  const char *name = io_xml_name(child);
  if (strcmp(section, "asset") == 0) return strcmp(name, "skin") != 0; /* a skin is deformable, the others are drawn */
  return false;
}

static cdn_status report_children(mjcf_reader *r, io_xml_node *node) {
  const char *section = io_xml_name(node);
  mjcf_walk walk = io_mjcf_walk(r, node);
  for (io_xml_node *child; (child = io_mjcf_walk_next(&walk)) != NULL;) {
    if (is_silent_child(section, child)) continue;
    char note[120];
    snprintf(note, sizeof note, "%.50s/%.60s", section, io_xml_name(child));
    io_not_understood(r->log, io_xml_line(child), note);
  }
  return walk.status;
}

static cdn_status report_sections(mjcf_reader *r, io_xml_node *root) {
  static const char *const listed[] = { "deformable", "asset", "extension" };
  /* Read elsewhere, or for drawing, bookkeeping and users only. */
  static const char *const known[] = { "compiler", "option", "default",  "worldbody", "equality",
                                       "actuator", "sensor", "keyframe", "contact",   "tendon",
                                       "size",     "visual", "custom",   "statistic" };
  mjcf_walk walk = io_mjcf_walk(r, root);
  for (io_xml_node *section; (section = io_mjcf_walk_next(&walk)) != NULL;) {
    bool done = false;
    for (int i = 0; i < CDNI_COUNT(known); i++) done = done || io_xml_is(section, known[i]);
    for (int i = 0; i < CDNI_COUNT(listed) && !done; i++) {
      if (!io_xml_is(section, listed[i])) continue;
      CDNI_TRY(report_children(r, section));
      done = true;
    }
    if (!done) io_not_understood(r->log, io_xml_line(section), io_xml_name(section));
  }
  return walk.status;
}

/* ---- the whole ---- */

/* The model's name, or else the file's without directory and ending. */
static cdn_status read_name(mjcf_reader *r, io_xml_node *root) {
  const char *name = io_xml_string(root, "model");
  char stem[120];
  if (!name || !name[0]) {
    const char *slash = strrchr(r->log->file, '/');
    snprintf(stem, sizeof stem, "%s", slash ? slash + 1 : r->log->file);
    char *dot = strrchr(stem, '.');
    if (dot && dot != stem) *dot = '\0';
    name = stem;
  }
  if (r->spec->name) cdni_strfree(&r->log->allocator, r->spec->name);
  r->spec->name = cdni_strdup(&r->log->allocator, name);
  return r->spec->name ? CDN_OK : io_mjcf_out_of_memory(r);
}

/* The world's options, of the main file alone. */
static cdn_status read_options(mjcf_reader *r) {
  CDNI_TRY(io_mjcf_merge_options(r));
  CDNI_TRY(io_mjcf_read_sections(r, r->root, "option", io_mjcf_read_option));
  if (!r->flags.passive) r->spec->whole.medium.density = r->spec->whole.medium.viscosity = 0;
  if (!r->flags.gravity) r->spec->whole.gravity = cdn_v3(0, 0, 0);
  r->spec->whole.parents_touch = !r->flags.filterparent;
  return CDN_OK;
}

/* Elements that name bodies, joints and one another. */
static cdn_status read_references(mjcf_reader *r) {
  static const struct {
    const char *name;
    mjcf_section *read;
    cdn_spec_kind kind;
  } sections[] = { { "contact", io_mjcf_read_contact, CDN_SPEC_CONTACT },
                   { "tendon", io_mjcf_read_tendons, CDN_SPEC_TENDON },
                   { "equality", io_mjcf_read_equality, CDN_SPEC_CONSTRAINT },
                   { "actuator", io_mjcf_read_actuators, CDN_SPEC_ACTUATOR },
                   { "sensor", io_mjcf_read_sensors, CDN_SPEC_SENSOR },
                   { "keyframe", io_mjcf_read_keyframe, CDN_SPEC_KEY } };
  for (int i = 0; i < CDNI_COUNT(sections); i++) {
    CDNI_TRY(io_mjcf_read_sections(r, r->root, sections[i].name, sections[i].read));
    CDNI_TRY(io_mjcf_attach_section(r, sections[i].kind));
    if (sections[i].kind == CDN_SPEC_CONTACT) io_mjcf_override_contacts(r);
  }
  return CDN_OK;
}

cdn_status io_mjcf_read_model(mjcf_reader *r) {
  io_xml_node *root = r->root;
  CDNI_TRY(read_name(r, root));
  CDNI_TRY(io_mjcf_expand_composites(r, root, root));
  CDNI_TRY(io_mjcf_read_sections(r, root, "compiler", io_mjcf_read_compiler));
  CDNI_TRY(io_mjcf_start_classes(r));
  CDNI_TRY(io_mjcf_read_sections(r, root, "default", io_mjcf_read_defaults));
  CDNI_TRY(io_mjcf_read_sections(r, root, "asset", io_mjcf_read_assets));
  if (!r->outer) CDNI_TRY(read_options(r));
  CDNI_TRY(io_tree_start(&r->tree, r->spec));
  CDNI_TRY(io_mjcf_name_world(r));
  CDNI_TRY(io_mjcf_read_sections(r, root, "worldbody", io_mjcf_read_worldbody));
  io_mjcf_finish_masses(r);
  CDNI_TRY(io_mjcf_copy_references(r));
  CDNI_TRY(read_references(r));
  CDNI_TRY(report_sections(r, root));
  io_xml_report_rest(r->log, root); /* its attributes: the walks have marked its children */
  CDNI_TRY(io_mjcf_name_the_rest(r));
  CDNI_TRY(io_mjcf_check_masses(r));
  CDNI_TRY(io_tree_finish(&r->tree));
  return io_mjcf_read_sections(r, root, "custom", io_mjcf_restore);
}

cdn_status io_mjcf_leave_strangers(mjcf_reader *r, cdn_status status) {
  if (!r->itself || status != CDN_ERR_PARSE) return status;
  r->log->error = (cdn_error){ .code = CDN_OK };
  return CDN_OK;
}

/* ---- the reader ---- */

cdn_status io_mjcf_start(mjcf_reader *r, cdn_spec *spec, io_xml_node *root, mjcf_reader *outer) {
  io_log *log = &spec->log;
  *r = (mjcf_reader){ .spec = spec, .log = log, .tree.spec = spec, .root = root, .outer = outer };
  const mjcf_document main_file = { .path = log->file, .parent = -1 };
  io_mjcf_default_options(r);
  return cdni_array_push(&log->allocator, &r->documents, sizeof main_file, &main_file) ? CDN_OK
                                                                                       : io_mjcf_out_of_memory(r);
}

void io_mjcf_inherit(mjcf_reader *r) {
  const mjcf_reader *outer = r->outer;
  r->flags = outer->flags, r->collision = outer->collision, r->override = outer->override;
  r->idle_groups = outer->idle_groups, r->magnetic = outer->magnetic;
  r->shapes_touch = outer->shapes_touch, r->soft_rows = outer->soft_rows, r->actuator_user = outer->actuator_user;
  r->spec->whole = outer->spec->whole;
}

void io_mjcf_free(mjcf_reader *r) {
  const cdn_allocator *a = &r->log->allocator;
  io_mjcf_free_attachments(r);
  if (r->documents.count > 0) r->log->file = CDNI_AT(r->documents, mjcf_document, 0).path;
  io_mjcf_close_documents(r);
  io_names_free(a, &r->class_names);
  cdni_array_free(a, &r->classes);
  cdni_array_free(a, &r->defaults);
  cdni_array_free(a, &r->pending);
  cdni_array_free(a, &r->meshes);
  io_tree_free(&r->tree);
  for (size_t i = 0; i < r->drives.count; i++) cdni_strfree(a, (char *)CDNI_AT(r->drives, mjcf_drive, i).name);
  cdni_array_free(a, &r->drives);
  cdni_array_free(a, &r->sites);
  for (int i = 0; i < MJCF_OBJECT_KINDS; i++) cdni_array_free(a, &r->objects[i]);
  for (int i = 0; i < CDN_SPEC_KIND_COUNT; i++) cdni_array_free(a, &r->sources[i]);
  io_names_free(a, &r->site_names);
  io_mjcf_free_copies(r);
  for (int i = 0; i < CDNI_COUNT(r->names); i++) io_names_free(a, &r->names[i]);
}

cdn_status io_read_mjcf(cdn_spec *spec, io_xml_node *root, const cdn_model_options *options) {
  mjcf_reader r;
  cdn_model_options resolved = *options;
  if (resolved.contact == CDN_MODEL_AS_FILE) resolved.contact = CDN_MODEL_SOFT;
  cdn_status status = io_mjcf_start(&r, spec, root, NULL);
  r.actuator_user = options->actuator_user;
  r.shapes_touch = io_shapes_touch(options), r.soft_rows = io_has_soft_rows(&resolved);
  /* strict is applied to the finished spec */
  if (status == CDN_OK) status = io_mjcf_read_model(&r);
  io_mjcf_free(&r);
  return status;
}
