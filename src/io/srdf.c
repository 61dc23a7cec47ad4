/* SRDF files of ROS: of them <disable_collisions link1='..' link2='..'/> is read, pairs of links that never touch. (The
 * format: wiki.ros.org/srdf.) */
#include <stdio.h>

#include "io/urdf.h"

/* ---- where it is ---- */

static bool find_beside(const urdf_graph *graph, char *path, size_t size) {
  const char *file = graph->log->file, *slash = strrchr(file, '/');
  const int directory = slash ? (int)(slash - file) + 1 : 0;
  const char *base = file + directory, *dot = strrchr(base, '.');
  const int stem = dot ? (int)(dot - base) : (int)strlen(base);
  static const char *const places[] = { "", "../srdf/" };
  for (int k = 0; k < 4; k++) {
    const bool by_file = k % 2 == 0;
    if (snprintf(path, size, "%.*s%s%.*s.srdf", directory, file, places[k / 2],
                 by_file ? stem : (int)strlen(graph->spec->name), by_file ? base : graph->spec->name) < (int)size &&
        io_file_look(&graph->log->files, path) == IO_FILE_REGULAR)
      return true;
  }
  return false;
}

/* ---- what it says ---- */

/* Links that the robot does not have: how many, and the first of them. */
typedef struct unknown_links {
  int n, line;
  char name[64];
} unknown_links;

static cdn_status find_link(const urdf_graph *graph, io_xml_node *node, const char *attribute, unknown_links *unknown,
                            const urdf_link **out) {
  const char *name;
  CDNI_TRY(io_xml_need_string(graph->log, node, attribute, &name));
  const int i = io_names_find(&graph->link_names, name);
  *out = i >= 0 ? &CDNI_AT(graph->links, urdf_link, i) : NULL;
  if (i >= 0 || unknown->n++ > 0) return CDN_OK;
  unknown->line = io_xml_line(node);
  snprintf(unknown->name, sizeof unknown->name, "%s", name);
  return CDN_OK;
}

static cdn_status keep_apart(urdf_graph *graph, io_xml_node *node, unknown_links *unknown) {
  cdn_spec_contact apart = cdn_default_spec_contact();
  const urdf_link *links[2];
  CDNI_TRY(find_link(graph, node, "link1", unknown, &links[0]));
  CDNI_TRY(find_link(graph, node, "link2", unknown, &links[1]));
  apart.name = io_xml_string(node, "reason");
  if (!links[0] || !links[1] || !links[0]->collides || !links[1]->collides || links[0]->place == links[1]->place)
    return CDN_OK; /* nothing to keep apart */
  apart.exclude = true;
  apart.line = io_xml_line(node);
  apart.body_a = links[0]->name;
  apart.body_b = links[1]->name;
  return io_spec_add(graph->spec, CDN_SPEC_CONTACT, &apart, NULL);
}

static cdn_status read_pairs(urdf_graph *graph, io_xml_node *root) {
  io_log *log = graph->log;
  unknown_links unknown = { 0 };
  if (!io_xml_is(root, "robot"))
    return io_xml_fail(log, CDN_ERR_PARSE, root, "the root element of an SRDF file is <robot>");
  const char *name = io_xml_string(root, "name");
  if (name && strcmp(name, graph->spec->name) != 0)
    io_warn(log, io_xml_line(root), "this is for the robot '%.60s', and is used for '%.60s'", name, graph->spec->name);
  for (io_xml_node *n = io_xml_first(root); n; n = io_xml_next(n)) {
    if (io_xml_is(n, "disable_collisions"))
      CDNI_TRY(io_forgive(log, keep_apart(graph, n, &unknown), "this pair of links is not kept apart"));
    else if (io_xml_is(n, "disable_default_collisions") || io_xml_is(n, "enable_collisions"))
      io_warn(log, io_xml_line(n), "<%s> is not obeyed: write pairs with <disable_collisions>", io_xml_name(n));
  }
  if (unknown.n > 0)
    io_warn(log, unknown.line, "%d name%s of links %s not the robot's; the first: '%.60s'", unknown.n,
            unknown.n == 1 ? "" : "s", unknown.n == 1 ? "is" : "are", unknown.name);
  return CDN_OK;
}

cdn_status urdf_read_srdf(urdf_graph *graph) {
  io_log *log = graph->log;
  char path[4096], *file = log->file;
  if (!find_beside(graph, path, sizeof path)) return CDN_OK;
  log->file = path; /* messages tell where they are from */
  io_xml_document *document = NULL;
  cdn_status status = io_xml_open(log, path, &document);
  if (status == CDN_OK) status = read_pairs(graph, io_xml_root(document));
  io_xml_close(document);
  status = io_forgive(log, status, "the file is left out");
  log->file = file;
  return status;
}
