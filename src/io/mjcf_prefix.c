/* Names of attached models: the prefix (and the suffix of copies) goes to every name and to everything that refers to
 * one. What refers to something that is not attached does not come along. */
#include "io/mjcf_expand.h"
#include "io/xml.h"

/* ---- renaming -------------------------------------------------------------------------------- */

static bool affix(const mjcf_model *m, io_xml_node *node, const char *attribute, mjcf_named of) {
  const char *text = io_xml_peek(node, attribute);
  const bool world = of == MJCF_OF_BODY && text && strcmp(text, "world") == 0;
  if (of == MJCF_OF_ASSET && text && strcmp(text, MJCF_PLAIN_CLASS) == 0) return true;
  if (!text || !text[0] || world || (m->itself && of == MJCF_OF_ASSET)) return true;
  return io_xml_affix(node, attribute, m->prefix, m->suffix);
}

static bool is_asset(const io_xml_node *node) {
  static const char *const words[] = { "mesh", "hfield", "texture" };
  const io_xml_node *parent = io_xml_parent(node);
  for (int i = 0; parent && io_xml_is(parent, "asset") && i < CDNI_COUNT(words); i++)
    if (io_xml_is(node, words[i])) return true;
  return false;
}

static bool rename_element(const mjcf_model *m, io_xml_node *node) {
  if (is_asset(node) && !io_xml_peek(node, "name") && io_xml_peek(node, "file")) {
    char stem[200];
    io_mjcf_stem(io_xml_peek(node, "file"), stem, sizeof stem);
    if (!io_xml_set(node, "name", stem)) return false;
  }
  bool good = affix(m, node, "name", MJCF_OF_ANYTHING);
  mjcf_reference ref;
  for (int i = 0; good && io_mjcf_reference(node, i, &ref); i++) good = affix(m, node, ref.attribute, ref.of);
  return good;
}

/* Models have their names within the file that has them, and <attach> names what is in another file. */
static bool keeps_names(const io_xml_node *node) {
  static const char *const words[] = { "visual", "compiler", "option", "statistic", "size", "attach", "model" };
  for (int i = 0; i < CDNI_COUNT(words); i++)
    if (io_xml_is(node, words[i])) return true;
  return false;
}

cdn_status io_mjcf_prefix_document(mjcf_reader *r, int document) {
  const mjcf_document *from = &CDNI_AT(r->documents, mjcf_document, document);
  const mjcf_model *m = &CDNI_AT(r->models, mjcf_model, from->model);
  io_xml_node *root = io_xml_root(from->xml), *node = io_xml_first(root);
  while (node) {
    const bool whole = keeps_names(node);
    if (!whole && !rename_element(m, node)) return io_mjcf_out_of_memory(r);
    io_xml_node *next = whole ? NULL : io_xml_first(node);
    while (!next && node && node != root) {
      next = io_xml_next(node);
      node = io_xml_parent(node);
    }
    node = next;
  }
  return CDN_OK;
}

/* ---- what does not come along ---------------------------------------------------------------- */

typedef struct kept {
  io_names names[MJCF_OF_KINDS];
} kept;

static cdn_status keep(mjcf_reader *r, kept *k, mjcf_named kind, const io_xml_node *node) {
  const char *name = io_xml_peek(node, "name");
  if (kind >= MJCF_OF_KINDS || !name || !name[0]) return CDN_OK;
  return io_names_add(&r->log->allocator, &k->names[kind], name, 0) >= 0 ? CDN_OK : io_mjcf_out_of_memory(r);
}

static cdn_status keep_name(mjcf_reader *r, void *context, const mjcf_attached *at, bool *deeper) {
  *deeper = true;
  return keep(r, context, io_mjcf_kind_of_element(at->node), at->node);
}

static bool element_stays(const kept *k, io_xml_node *node) {
  mjcf_reference ref;
  for (int i = 0; io_mjcf_reference(node, i, &ref); i++)
    if (io_mjcf_is_of_the_model(&ref) && io_names_find(&k->names[ref.of], ref.text) < 0) return false;
  return true;
}

static bool stays(const kept *k, io_xml_node *node) {
  if (!element_stays(k, node)) return false;
  for (io_xml_node *child = io_xml_first(node); child; child = io_xml_next(child))
    for (io_xml_node *inner = child; inner; inner = inner == child ? io_xml_first(child) : io_xml_next(inner))
      if (!element_stays(k, inner)) return false;
  return true;
}

static cdn_status drop(mjcf_reader *r, io_xml_node *root, const char *section, mjcf_named kind, kept *k) {
  mjcf_walk sections = io_mjcf_walk(r, root);
  for (io_xml_node *node; (node = io_mjcf_walk_next(&sections)) != NULL;) {
    if (!io_xml_is(node, section)) continue;
    mjcf_walk walk = io_mjcf_walk(r, node);
    for (io_xml_node *child; (child = io_mjcf_walk_next(&walk)) != NULL;) {
      if (!stays(k, child)) io_xml_remove(child);
      else CDNI_TRY(keep(r, k, kind, child));
    }
    CDNI_TRY(walk.status);
  }
  return sections.status;
}

cdn_status io_mjcf_drop_strangers(mjcf_reader *r, io_xml_node *root, const mjcf_attached *from) {
  kept k = { 0 };
  cdn_status status = keep(r, &k, io_mjcf_kind_of_element(from->node), from->node);
  if (status == CDN_OK) status = io_mjcf_descend(r, from, keep_name, &k);
  if (status == CDN_OK) status = drop(r, root, "tendon", MJCF_OF_TENDON, &k);
  if (status == CDN_OK) status = drop(r, root, "contact", MJCF_OF_ANYTHING, &k);
  if (status == CDN_OK) status = drop(r, root, "equality", MJCF_OF_ANYTHING, &k);
  if (status == CDN_OK) status = drop(r, root, "actuator", MJCF_OF_ACTUATOR, &k);
  if (status == CDN_OK) status = drop(r, root, "sensor", MJCF_OF_ANYTHING, &k);
  for (int i = 0; i < MJCF_OF_KINDS; i++) io_names_free(&r->log->allocator, &k.names[i]);
  return status;
}
