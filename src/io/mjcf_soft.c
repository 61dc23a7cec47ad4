/* What MuJoCo's soft rows need beside the model itself: solref and solimp of elements, the options of the solver, and
 * overrides of all contacts. */
#include <math.h>

#include "io/mjcf.h"

/* ---- solref and solimp ---- */

static const cdn_soft_law usual = { { 0.02, 1 }, { 0.9, 0.95, 0.001, 0.5, 2 } };

static double clamp(double x, double least, double most) { return fmin(fmax(x, least), most); }

/* MuJoCo warns of a solref of mixed signs, and takes the default. It brings numbers of solimp that are out of their
 * limits back into them. */
static void make_valid(mjcf_reader *r, int line, const char *attribute, const char *impedance, cdn_soft_law *law) {
  if ((law->ref[0] > 0) != (law->ref[1] > 0)) {
    io_warn(r->log, line,
            "%s '%g %g' is neither a time constant and damping ratio (both positive) nor a stiffness and damping (both "
            "negative); the default 0.02 1 is used",
            attribute, law->ref[0], law->ref[1]);
    memcpy(law->ref, usual.ref, sizeof law->ref);
  }
  double *imp = law->imp;
  const double valid[5] = { clamp(imp[0], 0, 1), clamp(imp[1], 0, 1), fmax(imp[2], 0), clamp(imp[3], 0, 1),
                            fmax(imp[4], 1) };
  if (memcmp(imp, valid, sizeof valid) == 0) return;
  io_warn(
      r->log, line,
      "%s '%g %g %g %g %g' is out of its limits (dmin, dmax and midpoint are from 0 to 1, the width is not negative, "
      "the power is at least 1); the nearest numbers are used",
      impedance, imp[0], imp[1], imp[2], imp[3], imp[4]);
  memcpy(imp, valid, sizeof valid);
}

cdn_status io_mjcf_law(mjcf_reader *r, const mjcf_element *e, const char *ref, const char *imp, cdn_soft_law *law) {
  int count;
  *law = usual;
  CDNI_TRY(io_mjcf_doubles_upto(r, e, ref, law->ref, 2, &count));
  CDNI_TRY(io_mjcf_doubles_upto(r, e, imp, law->imp, 5, &count));
  make_valid(r, io_xml_line(e->node), ref, imp, law);
  return CDN_OK;
}

/* ---- option ---- */

cdn_status io_mjcf_read_solver(mjcf_reader *r, io_xml_node *node) {
  static const char *const integrators[] = { "Euler", "RK4", "implicit", "implicitfast" };
  static const char *const cones[] = { "pyramidal", "elliptic" };
  static const char *const solvers[] = { "Newton", "CG", "PGS" };
  cdn_spec_solver s = r->spec->whole.solver;
  int integrator = (int)s.integrator, cone = (int)s.cone, solver = (int)s.solver, count;
  CDNI_TRY(io_xml_keyword(r->log, node, "integrator", integrators, CDNI_COUNT(integrators), &integrator, NULL));
  CDNI_TRY(io_xml_keyword(r->log, node, "cone", cones, CDNI_COUNT(cones), &cone, NULL));
  CDNI_TRY(io_xml_keyword(r->log, node, "solver", solvers, CDNI_COUNT(solvers), &solver, NULL));
  s.integrator = (cdn_spec_integrator)integrator, s.cone = (cdn_spec_cone)cone;
  s.solver = (cdn_spec_solver_kind)solver;
  CDNI_TRY(io_xml_double(r->log, node, "timestep", &s.timestep, NULL));
  CDNI_TRY(io_xml_double(r->log, node, "impratio", &s.impratio, NULL));
  CDNI_TRY(io_xml_double(r->log, node, "tolerance", &s.tolerance, NULL));
  CDNI_TRY(io_xml_double(r->log, node, "ls_tolerance", &s.ls_tolerance, NULL));
  CDNI_TRY(io_xml_double(r->log, node, "noslip_tolerance", &s.noslip_tolerance, NULL));
  CDNI_TRY(io_xml_int(r->log, node, "iterations", &s.iterations, NULL));
  CDNI_TRY(io_xml_int(r->log, node, "ls_iterations", &s.ls_iterations, NULL));
  CDNI_TRY(io_xml_int(r->log, node, "noslip_iterations", &s.noslip_iterations, NULL));
  const char *wrong = io_check_solver(&s);
  if (wrong) io_warn(r->log, io_xml_line(node), "option: %s; the settings of the solver are not used", wrong);
  else r->spec->whole.solver = s;
  mjcf_override *o = &r->override;
  CDNI_TRY(io_xml_double(r->log, node, "o_margin", &o->margin, NULL));
  CDNI_TRY(io_xml_doubles_upto(r->log, node, "o_solref", o->law.ref, 1, 2, &count));
  CDNI_TRY(io_xml_doubles_upto(r->log, node, "o_solimp", o->law.imp, 1, 5, &count));
  CDNI_TRY(io_xml_doubles_upto(r->log, node, "o_friction", o->friction, 1, 5, &count));
  if (count > 0) o->frictions = count;
  return CDN_OK;
}

void io_mjcf_default_solver(mjcf_reader *r) {
  r->spec->whole.solver = cdn_default_spec_solver(), r->spec->whole.has_solver = true;
  r->override = (mjcf_override){ .law = usual, .friction = { 1, 1, 0.005, 0.0001, 0.0001 } };
}

/* ---- override ---- */

void io_mjcf_override_contacts(mjcf_reader *r) {
  mjcf_override *o = &r->override;
  if (!o->enabled || r->outer) return; /* of an attached model the outer one does it */
  if (o->frictions > 0 && (o->friction[0] != o->friction[1] || o->friction[3] != o->friction[4]))
    io_warn(r->log, 0,
            "o_friction differs between two directions: of contacts that no <pair> names the first number counts");
  make_valid(r, 0, "o_solref", "o_solimp", &o->law);
  for (int i = 0; i < cdn_spec_count(r->spec, CDN_SPEC_SHAPE); i++) {
    cdn_spec_shape *shape = io_spec_shape(r->spec, i);
    shape->margin = o->margin, shape->law = o->law;
    /* Of a shape: sliding, torsional, rolling. Of a contact: two of sliding, torsional, two of rolling. */
    for (int k = 0; o->frictions > 0 && k < 3; k++) shape->friction[k] = o->friction[k == 0 ? 0 : k + 1];
  }
  for (int i = 0; i < cdn_spec_count(r->spec, CDN_SPEC_CONTACT); i++) {
    cdn_spec_contact *contact = io_spec_contact(r->spec, i);
    if (contact->exclude) continue;
    contact->margin = o->margin, contact->law = o->law;
    if (o->frictions > 0) memcpy(contact->friction, o->friction, sizeof contact->friction);
  }
}
