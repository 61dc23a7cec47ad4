/* <contact>: pairs of geoms that touch whatever their masks are, and pairs of bodies that do not touch. */
#include <stdio.h>

#include "io/mjcf.h"

/* A name that the file does not have, or that is in a part that is not understood: *lost. */
static cdn_status refuse_name(mjcf_reader *r, io_xml_node *node, const char *attribute, const char *name,
                              const char *word, bool *lost) {
  *lost = r->lost_joints || r->suffixes.count > 0;
  if (*lost) return CDN_OK;
  return io_xml_fail(r->log, CDN_ERR_PARSE, node, "%s='%.60s' names no %s; correct the name", attribute, name, word);
}

/* The file's names of bodies and geoms. */
typedef struct known_names {
  io_names bodies, geoms;
} known_names;

static cdn_status list_names(mjcf_reader *r, known_names *known) {
  const cdn_allocator *a = &r->log->allocator;
  bool good = io_names_add(a, &known->bodies, "world", 0) >= 0;
  for (int i = 1; i < (int)r->tree.places.count && good; i++) {
    const char *name = io_body_at(&r->tree, i)->name;
    good = !name || io_names_add(a, &known->bodies, name, i) >= 0;
  }
  for (int i = 0; i < cdn_spec_count(r->spec, CDN_SPEC_SHAPE) && good; i++) {
    const char *name = io_spec_shape(r->spec, i)->name;
    good = !name || io_names_add(a, &known->geoms, name, i) >= 0;
  }
  return good ? CDN_OK : io_mjcf_out_of_memory(r);
}

static cdn_status read_exclude(mjcf_reader *r, io_xml_node *node, const known_names *known, cdn_spec_contact *made,
                               bool *lost) {
  static const char *const attributes[] = { "body1", "body2" };
  const char **const targets[] = { &made->body_a, &made->body_b };
  made->exclude = true;
  for (int i = 0; i < 2; i++) {
    const char *name;
    CDNI_TRY(io_xml_need_string(r->log, node, attributes[i], &name));
    const int body = io_names_find(&known->bodies, name);
    if (body < 0) return refuse_name(r, node, attributes[i], name, "body", lost);
    if (body > 0) *targets[i] = name;
  }
  io_xml_report_rest(r->log, node);
  return CDN_OK;
}

static cdn_status read_pair(mjcf_reader *r, io_xml_node *node, const known_names *known, cdn_spec_contact *made,
                            bool *lost) {
  static const char *const attributes[] = { "geom1", "geom2" };
  const char **const targets[] = { &made->shape_a, &made->shape_b };
  mjcf_element e;
  int count;
  CDNI_TRY(io_mjcf_element(r, node, MJCF_PAIR, MJCF_MAIN_CLASS, &e));
  for (int i = 0; i < 2; i++) {
    const char *name;
    CDNI_TRY(io_xml_need_string(r->log, node, attributes[i], &name));
    if (io_names_find(&known->geoms, name) < 0) return refuse_name(r, node, attributes[i], name, "geom", lost);
    *targets[i] = name;
  }
  /* MuJoCo 2.2.2 does not look at the geoms for what a pair omits. */
  static const double usual[5] = { 1, 1, 0.005, 0.0001, 0.0001 };
  made->condim = 3;
  memcpy(made->friction, usual, sizeof usual);
  CDNI_TRY(io_mjcf_int(r, &e, "condim", &made->condim));
  CDNI_TRY(io_mjcf_doubles_upto(r, &e, "friction", made->friction, 5, &count));
  CDNI_TRY(io_mjcf_double(r, &e, "margin", &made->margin));
  CDNI_TRY(io_mjcf_double(r, &e, "gap", &made->gap));
  CDNI_TRY(io_mjcf_law(r, &e, "solref", "solimp", &made->law));
  double sliding[2] = { 0, 0 };
  CDNI_TRY(io_mjcf_doubles_upto(r, &e, "solreffriction", sliding, 2, &count));
  if ((sliding[0] != 0 || sliding[1] != 0) && memcmp(sliding, made->law.ref, sizeof sliding) != 0)
    io_not_understood(r->log, io_xml_line(node), "contact/pair solreffriction");
  io_mjcf_finish_element(r, &e);
  return CDN_OK;
}

static cdn_status read_one(mjcf_reader *r, io_xml_node *node, const known_names *known, bool exclude) {
  cdn_spec_contact made = cdn_default_spec_contact();
  bool lost = false;
  made.line = io_xml_line(node);
  made.name = io_xml_string(node, "name");
  CDNI_TRY(exclude ? read_exclude(r, node, known, &made, &lost) : read_pair(r, node, known, &made, &lost));
  if (!lost) return io_spec_add(r->spec, CDN_SPEC_CONTACT, &made, NULL);
  io_not_understood(r->log, io_xml_line(node), exclude ? "contact/exclude" : "contact/pair");
  return CDN_OK;
}

static cdn_status read_children(mjcf_reader *r, io_xml_node *node, const known_names *known) {
  mjcf_walk walk = io_mjcf_walk(r, node);
  for (io_xml_node *child; (child = io_mjcf_walk_next(&walk)) != NULL;) {
    const bool exclude = io_xml_is(child, "exclude"), pair = io_xml_is(child, "pair");
    if (!r->flags.contacts || (pair && r->collision == MJCF_COLLISION_DYNAMIC)) continue;
    if (pair && !r->shapes_touch) io_not_understood(r->log, io_xml_line(child), "contact/pair");
    if (exclude || pair) {
      CDNI_TRY(io_mjcf_leave_strangers(r, read_one(r, child, known, exclude)));
    } else {
      char note[100];
      snprintf(note, sizeof note, "contact/%.60s", io_xml_name(child));
      io_not_understood(r->log, io_xml_line(child), note);
    }
  }
  io_xml_report_rest(r->log, node);
  return walk.status;
}

cdn_status io_mjcf_read_contact(mjcf_reader *r, io_xml_node *node) {
  known_names known = { { 0 }, { 0 } };
  cdn_status status = list_names(r, &known);
  if (status == CDN_OK) status = read_children(r, node, &known);
  io_names_free(&r->log->allocator, &known.bodies);
  io_names_free(&r->log->allocator, &known.geoms);
  return status;
}
