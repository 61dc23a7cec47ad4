/* The URDF reader: first all links, then all joints (a file may name them in any order), then the tree. */
#include "io/urdf.h"

static cdn_status read_elements(urdf_graph *graph, io_xml_node *root) {
  io_log *log = graph->log;
  for (io_xml_node *n = io_xml_first(root); n; n = io_xml_next(n)) {
    if (strncmp(io_xml_name(n), "xacro:", 6) == 0)
      return io_xml_fail(log, CDN_ERR_PARSE, n, "this is a xacro file; expand it first: xacro FILE.xacro > FILE.urdf");
    if (!io_xml_is(n, "link")) continue;
    io_xml_mark(n);
    CDNI_TRY(urdf_read_link(graph, n));
  }
  for (io_xml_node *n = io_xml_first(root); n; n = io_xml_next(n)) {
    if (io_xml_is(n, "joint")) {
      io_xml_mark(n);
      CDNI_TRY(urdf_read_joint(graph, n));
    } else if (io_xml_is(n, "material")) {
      io_xml_mark(n);
      CDNI_TRY(urdf_read_material(graph, n));
    }
  }
  return CDN_OK;
}

/* A transmission that is wrong is left out: nothing drives the joint, as without it. */
static cdn_status read_transmissions(urdf_graph *graph, io_xml_node *root) {
  for (io_xml_node *n = io_xml_child(root, "transmission"); n; n = io_xml_next_named(n, "transmission"))
    CDNI_TRY(io_forgive(graph->log, urdf_read_transmission(graph, n), "the transmission is left out"));
  return CDN_OK;
}

static cdn_status read_robot(urdf_graph *graph, io_xml_node *root) {
  io_log *log = graph->log;
  io_whole *whole = &graph->spec->whole;
  const char *name = io_xml_string(root, "name");
  io_xml_ignore(root, "version");
  if (!name || !*name) io_warn(log, io_xml_line(root), "<robot> has no name; it is called 'robot' here");
  graph->spec->name = cdni_strdup(&log->allocator, name && *name ? name : "robot");
  if (!graph->spec->name) return io_fail(log, CDN_ERR_NOMEM, 0, "out of memory");
  log->body_word = "link";
  whole->has_gravity = true;
  whole->overlaps_pass = true;
  whole->meshes_have_looks = true;
  whole->gravity = cdn_v3(0, 0, -9.81);
  CDNI_TRY(read_elements(graph, root));
  for (io_xml_node *n = io_xml_child(root, "transmission"); n; n = io_xml_next_named(n, "transmission")) io_xml_mark(n);
  io_xml_report_rest(log, root);
  if (graph->links.count == 0)
    return io_fail(log, CDN_ERR_PARSE, io_xml_line(root), "the robot has no <link>; there is nothing to simulate");
  CDNI_TRY(urdf_connect(graph));
  CDNI_TRY(urdf_emit(graph));
  CDNI_TRY(read_transmissions(graph, root));
  if (io_shapes_touch(graph->options)) CDNI_TRY(urdf_read_srdf(graph));
  io_tell_beyond_limits(graph->spec, true); /* the format gives no pose: that of zeros is brought within the limits */
  return CDN_OK;
}

cdn_status io_read_urdf(cdn_spec *spec, io_xml_node *root, const cdn_model_options *options) {
  io_log *log = &spec->log;
  urdf_graph graph = { .spec = spec, .log = log, .tree.spec = spec, .options = options, .root = -1 };
  const cdn_status status = read_robot(&graph, root);
  io_tree_free(&graph.tree);
  cdni_array_free(&log->allocator, &graph.shape_links);
  cdni_array_free(&log->allocator, &graph.links);
  cdni_array_free(&log->allocator, &graph.joints);
  io_names_free(&log->allocator, &graph.link_names);
  io_names_free(&log->allocator, &graph.joint_names);
  io_names_free(&log->allocator, &graph.material_names);
  io_names_free(&log->allocator, &graph.mesh_names);
  return status;
}
