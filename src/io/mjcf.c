/* The MJCF reader's entry. The sections of a file may come in any order and more than once; they are understood in
 * the order compiler, default, asset, option, worldbody, contact, equality, actuator, sensor, keyframe. */
#include <stdio.h>

#include "io/mjcf.h"

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

static cdn_status read_model(mjcf_reader *r, io_xml_node *root) {
  CDNI_TRY(read_name(r, root));
  CDNI_TRY(io_mjcf_read_sections(r, root, "compiler", io_mjcf_read_compiler));
  CDNI_TRY(io_mjcf_start_classes(r, "main"));
  CDNI_TRY(io_mjcf_read_sections(r, root, "default", io_mjcf_read_defaults));
  CDNI_TRY(io_mjcf_read_sections(r, root, "asset", io_mjcf_read_assets));
  CDNI_TRY(io_mjcf_merge_options(r));
  CDNI_TRY(io_mjcf_read_sections(r, root, "option", io_mjcf_read_option));
  if (!r->flags.passive) r->spec->whole.medium.density = r->spec->whole.medium.viscosity = 0;
  if (!r->flags.gravity) r->spec->whole.gravity = cdn_v3(0, 0, 0);
  r->spec->whole.parents_touch = !r->flags.filterparent;
  CDNI_TRY(io_tree_start(&r->tree, r->spec));
  CDNI_TRY(io_mjcf_name_world(r));
  CDNI_TRY(io_mjcf_read_sections(r, root, "worldbody", io_mjcf_read_worldbody));
  io_mjcf_finish_masses(r);
  CDNI_TRY(io_mjcf_order_models(r));
  CDNI_TRY(io_mjcf_compare_options(r));
  CDNI_TRY(io_mjcf_read_everywhere(r, "contact", io_mjcf_read_contact));
  io_mjcf_override_contacts(r);
  CDNI_TRY(io_mjcf_read_everywhere(r, "tendon", io_mjcf_read_tendons));
  CDNI_TRY(io_mjcf_read_everywhere(r, "equality", io_mjcf_read_equality));
  CDNI_TRY(io_mjcf_read_everywhere(r, "actuator", io_mjcf_read_actuators));
  CDNI_TRY(io_mjcf_read_everywhere(r, "sensor", io_mjcf_read_sensors));
  CDNI_TRY(io_mjcf_read_everywhere(r, "keyframe", io_mjcf_read_keyframe));
  CDNI_TRY(report_sections(r, root));
  CDNI_TRY(io_mjcf_report_models(r, report_sections));
  io_xml_report_rest(r->log, root); /* its attributes: the walks have marked its children */
  CDNI_TRY(io_mjcf_name_the_rest(r));
  CDNI_TRY(io_mjcf_check_masses(r));
  CDNI_TRY(io_tree_finish(&r->tree));
  return io_mjcf_read_sections(r, root, "custom", io_mjcf_restore);
}

cdn_status io_read_mjcf(cdn_spec *spec, io_xml_node *root, const cdn_model_options *options) {
  io_log *log = &spec->log;
  mjcf_reader r = { .spec = spec, .log = log, .tree.spec = spec, .root = root };
  char *file = log->file;
  const mjcf_document main_file = { .path = file, .parent = -1 };
  const mjcf_model main_model = { .prefix = (char[]){ "" }, .suffix = "", .outer = -1 };
  if (!cdni_array_push(&log->allocator, &r.documents, sizeof main_file, &main_file)) return io_mjcf_out_of_memory(&r);
  if (!cdni_array_push(&log->allocator, &r.models, sizeof main_model, &main_model)) {
    cdni_array_free(&log->allocator, &r.documents);
    return io_mjcf_out_of_memory(&r);
  }
  cdn_model_options resolved = *options;
  if (resolved.contact == CDN_MODEL_AS_FILE) resolved.contact = CDN_MODEL_SOFT;
  io_mjcf_default_options(&r);
  r.actuator_user = options->actuator_user;
  r.shapes_touch = io_shapes_touch(options), r.soft_rows = io_has_soft_rows(&resolved);
  /* strict is applied to the finished spec */
  const cdn_status status = read_model(&r, root);
  io_mjcf_close_documents(&r);
  io_mjcf_free_models(&r);
  log->file = file;
  io_names_free(&log->allocator, &r.class_names);
  cdni_array_free(&log->allocator, &r.classes);
  cdni_array_free(&log->allocator, &r.defaults);
  cdni_array_free(&log->allocator, &r.pending);
  cdni_array_free(&log->allocator, &r.meshes);
  io_tree_free(&r.tree);
  for (size_t i = 0; i < r.drives.count; i++)
    cdni_strfree(&log->allocator, (char *)CDNI_AT(r.drives, mjcf_drive, i).name);
  cdni_array_free(&log->allocator, &r.drives);
  cdni_array_free(&log->allocator, &r.sites);
  cdni_array_free(&log->allocator, &r.objects);
  io_names_free(&log->allocator, &r.site_names);
  for (size_t i = 0; i < r.suffixes.count; i++) cdni_strfree(&log->allocator, CDNI_AT(r.suffixes, char *, i));
  cdni_array_free(&log->allocator, &r.suffixes);
  for (int i = 0; i < CDNI_COUNT(r.names); i++) io_names_free(&log->allocator, &r.names[i]);
  return status;
}
