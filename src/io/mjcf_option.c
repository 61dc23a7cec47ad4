/* <compiler> says how to read the file, <option> has properties of the world. Settings of MuJoCo's own numerics that
 * do not belong to its soft rows are not part of the model and are skipped. */
#include "io/mjcf.h"

void io_mjcf_default_compiler(mjcf_compiler *compiler) {
  *compiler = (mjcf_compiler){ .degrees = true,
                               .autolimits = true,
                               .eulerseq = "xyz",
                               .inertia_source = MJCF_INERTIA_AUTO,
                               .mesh_inertia = MJCF_UNSAID_INERTIA,
                               .first_group = 0,
                               .last_group = 5,
                               .totalmass = -1 };
}

void io_mjcf_default_options(mjcf_reader *r) {
  io_mjcf_default_compiler(&r->compiler);
  r->flags = (mjcf_flags){ true, true, true, true, true, true, true, true, true, true, false, false, true };
  r->magnetic = cdn_v3(0, -0.5, 0);
  io_mjcf_default_solver(r);
  r->spec->whole.has_gravity = true;
  r->spec->whole.gravity = cdn_v3(0, 0, -9.81);
}

static void ignore(io_xml_node *node, const char *const *attributes, int n) {
  for (int i = 0; i < n; i++) io_xml_ignore(node, attributes[i]);
}

/* Upper case turns about the fixed axes, lower case about the moved ones: the letters keep their case. */
static cdn_status read_eulerseq(mjcf_reader *r, io_xml_node *node) {
  const char *text = io_xml_string(node, "eulerseq");
  if (!text) return CDN_OK;
  if (strlen(text) != 3 || strspn(text, "xyzXYZ") != 3)
    return io_xml_fail(r->log, CDN_ERR_PARSE, node,
                       "attribute 'eulerseq' is '%.20s'; three letters of x, y, z (moved "
                       "axes) or X, Y, Z (fixed axes) are needed",
                       text);
  memcpy(r->compiler.eulerseq, text, 4);
  return CDN_OK;
}

static cdn_status read_groups(mjcf_reader *r, io_xml_node *node) {
  double range[2];
  bool present;
  CDNI_TRY(io_xml_doubles(r->log, node, "inertiagrouprange", range, 2, &present));
  if (!present) return CDN_OK;
  if (range[0] > range[1])
    return io_xml_fail(r->log, CDN_ERR_PARSE, node,
                       "inertiagrouprange: the first group is larger than the last; write "
                       "the smaller one first");
  r->compiler.first_group = range[0] < -1e9 ? -1000000000 : range[0] > 1e9 ? 1000000000 : (int)range[0];
  r->compiler.last_group = range[1] < -1e9 ? -1000000000 : range[1] > 1e9 ? 1000000000 : (int)range[1];
  return CDN_OK;
}

/* A lower bound, or a total, for masses. */
static cdn_status read_bound(mjcf_reader *r, io_xml_node *node, const char *attribute, double *value) {
  bool present;
  CDNI_TRY(io_xml_double(r->log, node, attribute, value, &present));
  if (present && *value < 0 && strcmp(attribute, "settotalmass") != 0)
    return io_xml_fail(r->log, CDN_ERR_PARSE, node, "%s is negative; it must be 0 (off) or more", attribute);
  return CDN_OK;
}

cdn_status io_mjcf_read_compiler(mjcf_reader *r, io_xml_node *node) {
  static const char *const angles[] = { "radian", "degree" };
  static const char *const sources[] = { "false", "true", "auto" };
  static const char *const frames[] = { "local", "global" };
  /* MuJoCo's options for compiling and keeping assets: no effect on the motion. */
  static const char *const silent[] = { "discardvisual", "usethread", "convexhull", "fusestatic", "saveinertial" };
  mjcf_compiler *c = &r->compiler;
  int word;
  bool present;
  const char *both = io_xml_string(node, "assetdir"), *meshes = io_xml_string(node, "meshdir");
  const char *textures = io_xml_string(node, "texturedir");
  CDNI_TRY(io_xml_bool(r->log, node, "fitaabb", &c->fit_boxes, &present));
  CDNI_TRY(io_xml_bool(r->log, node, "strippath", &c->strippath, NULL));
  bool exact = false; /* before the meshes themselves could say it */
  CDNI_TRY(io_xml_bool(r->log, node, "exactmeshinertia", &exact, NULL));
  if (exact) c->mesh_inertia = MJCF_EXACT_INERTIA;
  if (both || meshes) c->meshdir = meshes ? meshes : both;
  if (both || textures) c->texturedir = textures ? textures : both;
  CDNI_TRY(io_xml_keyword(r->log, node, "angle", angles, 2, &word, &present));
  if (present) c->degrees = word == 1;
  CDNI_TRY(io_xml_keyword(r->log, node, "inertiafromgeom", sources, 3, &word, &present));
  if (present) c->inertia_source = (mjcf_inertia_source)word;
  CDNI_TRY(io_xml_keyword(r->log, node, "coordinate", frames, 2, &word, &present));
  if (present && word == 1)
    return io_xml_fail(r->log, CDN_ERR_UNSUPPORTED, node,
                       "coordinate='global' is not supported; load the model in "
                       "MuJoCo 2.3.3 or earlier and save it with local coordinates");
  CDNI_TRY(read_eulerseq(r, node));
  CDNI_TRY(io_xml_bool(r->log, node, "autolimits", &c->autolimits, NULL));
  CDNI_TRY(io_xml_bool(r->log, node, "balanceinertia", &c->balanceinertia, NULL));
  CDNI_TRY(read_groups(r, node));
  CDNI_TRY(read_bound(r, node, "boundmass", &c->boundmass));
  CDNI_TRY(read_bound(r, node, "boundinertia", &c->boundinertia));
  CDNI_TRY(read_bound(r, node, "settotalmass", &c->totalmass));
  CDNI_TRY(io_xml_bool(r->log, node, "alignfree", &c->alignfree, NULL));

  static const char *const conflicts[] = { "warning", "merge", "error" };
  CDNI_TRY(io_xml_keyword(r->log, node, "conflict", conflicts, 3, &word, &present));
  if (present && !r->outer) r->conflict_merges = word == 1, r->conflict_fails = word == 2;
  else if (present && word > 0) io_not_understood(r->log, io_xml_line(node), "compiler conflict of an attached model");
  ignore(node, silent, CDNI_COUNT(silent));
  io_xml_node *lengthrange = io_xml_child(node, "lengthrange");
  if (lengthrange) io_xml_mark(lengthrange);
  io_xml_report_rest(r->log, node);
  return CDN_OK;
}

/* ---- option ---- */

static cdn_status read_flag(mjcf_reader *r, io_xml_node *node, const char *attribute, bool *on) {
  static const char *const words[] = { "disable", "enable" };
  int word;
  bool present;
  CDNI_TRY(io_xml_keyword(r->log, node, attribute, words, 2, &word, &present));
  if (present) *on = word == 1;
  return CDN_OK;
}

static cdn_status read_flags(mjcf_reader *r, io_xml_node *node) {
  /* These choose MuJoCo's numerics and output. */
  static const char *const silent[] = { "warmstart", "sensor",   "midphase", "autoreset", "nativeccd",
                                        "island",    "multiccd", "energy",   "fwdinv",    "invdiscrete" };
  mjcf_flags *f = &r->flags;
  CDNI_TRY(read_flag(r, node, "spring", &f->springs));
  CDNI_TRY(read_flag(r, node, "damper", &f->dampers));
  CDNI_TRY(read_flag(r, node, "limit", &f->limits));
  CDNI_TRY(read_flag(r, node, "contact", &f->contacts));
  CDNI_TRY(read_flag(r, node, "frictionloss", &f->frictionloss));
  CDNI_TRY(read_flag(r, node, "equality", &f->equality));
  CDNI_TRY(read_flag(r, node, "actuation", &f->actuation));
  CDNI_TRY(read_flag(r, node, "gravity", &f->gravity));
  CDNI_TRY(read_flag(r, node, "clampctrl", &f->clampctrl));
  CDNI_TRY(read_flag(r, node, "filterparent", &f->filterparent));
  CDNI_TRY(read_flag(r, node, "sleep", &f->sleep));
  CDNI_TRY(read_flag(r, node, "refsafe", &r->spec->whole.solver.refsafe));
  CDNI_TRY(read_flag(r, node, "eulerdamp", &r->spec->whole.solver.eulerdamp));
  CDNI_TRY(read_flag(r, node, "override", &r->override.enabled));
  CDNI_TRY(read_flag(r, node, "diagexact", &r->spec->whole.solver.exact_diagonal));
  CDNI_TRY(read_flag(r, node, "sensornoise", &f->sensornoise));
  /* Two that stand for several. */
  bool passive = true, constraint = true;
  CDNI_TRY(read_flag(r, node, "passive", &passive));
  CDNI_TRY(read_flag(r, node, "constraint", &constraint));
  if (!passive) f->springs = f->dampers = false;
  f->passive = f->springs || f->dampers; /* without both MuJoCo has no passive forces at all */
  if (!constraint) f->limits = f->contacts = f->frictionloss = f->equality = false;
  ignore(node, silent, CDNI_COUNT(silent));
  io_xml_report_rest(r->log, node);
  return CDN_OK;
}

/* Groups of actuators that do not act. */
static cdn_status read_disabled_groups(mjcf_reader *r, io_xml_node *node) {
  double groups[MJCF_ACTUATOR_GROUPS];
  int count;
  CDNI_TRY(io_xml_doubles_upto(r->log, node, "actuatorgroupdisable", groups, 0, MJCF_ACTUATOR_GROUPS, &count));
  for (int i = 0; i < count; i++) {
    if (!(groups[i] >= 0 && groups[i] < MJCF_ACTUATOR_GROUPS && groups[i] == (int)groups[i]))
      return io_xml_fail(r->log, CDN_ERR_PARSE, node,
                         "actuatorgroupdisable has %g; groups are whole numbers from 0 to %d", groups[i],
                         MJCF_ACTUATOR_GROUPS - 1);
    r->idle_groups |= 1u << (int)groups[i];
  }
  return CDN_OK;
}

static cdn_status read_medium(mjcf_reader *r, io_xml_node *node) {
  cdn_spec_medium *m = &r->spec->whole.medium;
  CDNI_TRY(io_xml_double(r->log, node, "density", &m->density, NULL));
  CDNI_TRY(io_xml_double(r->log, node, "viscosity", &m->viscosity, NULL));
  CDNI_TRY(io_xml_vec3(r->log, node, "wind", &m->wind, NULL));
  const char *wrong = io_check_medium(m);
  if (wrong) return io_xml_fail(r->log, CDN_ERR_PARSE, node, "%s", wrong);
  return CDN_OK;
}

cdn_status io_mjcf_read_option(mjcf_reader *r, io_xml_node *node) {
  static const char *const silent[] = { "apirate",        "mpr_tolerance",  "ccd_tolerance",
                                        "jacobian",       "mpr_iterations", "ccd_iterations",
                                        "sdf_iterations", "sdf_initpoints", "sleep_tolerance" };
  CDNI_TRY(io_xml_vec3(r->log, node, "gravity", &r->spec->whole.gravity, NULL));
  CDNI_TRY(read_medium(r, node));
  CDNI_TRY(io_xml_vec3(r->log, node, "magnetic", &r->magnetic, NULL));
  CDNI_TRY(io_mjcf_read_solver(r, node));
  CDNI_TRY(read_disabled_groups(r, node));
  static const char *const collisions[] = { "all", "predefined", "dynamic" };
  int collision = (int)r->collision;
  CDNI_TRY(io_xml_keyword(r->log, node, "collision", collisions, 3, &collision, NULL));
  r->collision = (mjcf_collision)collision;
  ignore(node, silent, CDNI_COUNT(silent));
  mjcf_walk walk = io_mjcf_walk(r, node);
  for (io_xml_node *child; (child = io_mjcf_walk_next(&walk)) != NULL;) {
    if (io_xml_is(child, "flag")) CDNI_TRY(read_flags(r, child));
    else io_not_understood(r->log, io_xml_line(child), io_xml_name(child));
  }
  io_xml_report_rest(r->log, node);
  return walk.status;
}
