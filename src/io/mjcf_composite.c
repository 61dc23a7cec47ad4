/* <composite>: bodies, joints, tendons and equalities, which take the place of the element in the document before
 * anything is read. Names and frames are MuJoCo's. Default classes of the file have no effect on them. */
#include "io/mjcf_composite.h"

bool io_composite_set(io_xml_node *node, const char *attribute, const double *x, int n) {
  char text[200];
  size_t used = 0;
  for (int i = 0; i < n; i++) {
    cdni_print(text + used, sizeof text - used, "%s%.17g", i ? " " : "", x[i]);
    used += strlen(text + used);
  }
  return io_xml_set(node, attribute, text);
}

bool io_composite_copy(io_xml_node *from, io_xml_node *to, const char *const *but, int n) {
  const char *name, *text;
  bool good = true;
  for (int i = 0; from && good && io_xml_attribute(from, i, &name, &text); i++) {
    bool left_out = false;
    for (int k = 0; k < n; k++) left_out = left_out || strcmp(name, but[k]) == 0;
    if (!left_out) good = io_xml_set(to, name, text);
  }
  return good;
}

static cdn_status expand(mjcf_reader *r, io_xml_node *node, const char *type, io_xml_node *root) {
  const int lattice = io_mjcf_lattice_type(type);
  const bool cable = strcmp(type, "cable") == 0;
  if (!cable && lattice < 0) return CDN_OK; /* it is listed where it stands */
  if (cable) CDNI_TRY(io_mjcf_expand_cable(r, node, root));
  else CDNI_TRY(io_mjcf_expand_lattice(r, node, lattice, root));
  io_xml_remove(node);
  return CDN_OK;
}

cdn_status io_mjcf_expand_composites(mjcf_reader *r, io_xml_node *in, io_xml_node *root) {
  io_xml_node *node = io_xml_first(in);
  while (node) {
    const char *type = io_xml_is(node, "composite") ? io_xml_peek(node, "type") : NULL;
    const bool whole = type != NULL;
    io_xml_node *next = whole ? NULL : io_xml_first(node), *done = node;
    while (!next && node && node != in) {
      next = io_xml_next(node);
      node = io_xml_parent(node);
    }
    node = next;
    if (type) CDNI_TRY(expand(r, done, type, root));
  }
  return CDN_OK;
}
