/* <actuator>. MuJoCo's compiler writes all kinds of actuators into the same numbers: a default class may be of one kind
 * and the actuator of another. So the numbers are found as MuJoCo finds them: the elements of the default classes,
 * from the outermost inwards, and then the actuator write what they say. */
#include <math.h>
#include <stdio.h>

#include "io/joints.h"
#include "io/mjcf.h"

static const double PI = 3.14159265358979323846;

enum { DYN_NONE, DYN_INTEGRATOR, DYN_FILTER, DYN_FILTEREXACT, DYN_OTHER };
enum { FIXED, AFFINE, GAIN_OTHER };
enum { BIAS_NONE, BIAS_AFFINE, BIAS_OTHER };
enum { MOST_NUMBERS = 10 }; /* of dynprm, gainprm, biasprm */

/* limited: 0 no, 1 yes, 2 if there is a range. */
typedef struct range {
  int limited;
  double bounds[2];
} range;

typedef struct settings {
  int dyntype, gaintype, biastype;
  double dynprm[MOST_NUMBERS], gainprm[MOST_NUMBERS], biasprm[MOST_NUMBERS];
  double gear[6];
  range control, force, activation;
  double inherited; /* the control's range is this times the joint's; 0: it is not */
  double dampratio;
} settings;

static settings start(void) {
  return (settings){ .dynprm = { 1 },
                     .gainprm = { 1 },
                     .gear = { 1 },
                     .control = { .limited = 2 },
                     .force = { .limited = 2 },
                     .activation = { .limited = 2 } };
}

/* ---- the numbers ----------------------------------------------------------------------------- */

static cdn_status read_range(mjcf_reader *r, io_xml_node *node, const char *limited, const char *bounds, range *out) {
  static const char *const words[] = { "false", "true", "auto" };
  CDNI_TRY(io_xml_keyword(r->log, node, limited, words, 3, &out->limited, NULL));
  return io_xml_doubles(r->log, node, bounds, out->bounds, 2, NULL);
}

static cdn_status read_common(mjcf_reader *r, io_xml_node *node, settings *s) {
  int count;
  CDNI_TRY(io_xml_doubles_upto(r->log, node, "gear", s->gear, 1, 6, &count));
  CDNI_TRY(read_range(r, node, "ctrllimited", "ctrlrange", &s->control));
  CDNI_TRY(read_range(r, node, "forcelimited", "forcerange", &s->force));
  return read_range(r, node, "actlimited", "actrange", &s->activation);
}

static cdn_status read_type(mjcf_reader *r, io_xml_node *node, const char *attribute, const char *const *words, int n,
                            int other, int *type) {
  int word = *type;
  bool present;
  CDNI_TRY(io_xml_keyword(r->log, node, attribute, words, n, &word, &present));
  if (present) *type = word < other ? word : other;
  return CDN_OK;
}

static cdn_status read_general(mjcf_reader *r, io_xml_node *node, settings *s) {
  static const char *const dyn[] = { "none", "integrator", "filter", "filterexact", "muscle", "dcmotor", "user" };
  static const char *const gain[] = { "fixed", "affine", "muscle", "dcmotor", "user" };
  static const char *const bias[] = { "none", "affine", "muscle", "dcmotor", "user" };
  int count;
  CDNI_TRY(read_type(r, node, "dyntype", dyn, CDNI_COUNT(dyn), DYN_OTHER, &s->dyntype));
  CDNI_TRY(read_type(r, node, "gaintype", gain, CDNI_COUNT(gain), GAIN_OTHER, &s->gaintype));
  CDNI_TRY(read_type(r, node, "biastype", bias, CDNI_COUNT(bias), BIAS_OTHER, &s->biastype));
  CDNI_TRY(io_xml_doubles_upto(r->log, node, "dynprm", s->dynprm, 1, MOST_NUMBERS, &count));
  CDNI_TRY(io_xml_doubles_upto(r->log, node, "gainprm", s->gainprm, 1, MOST_NUMBERS, &count));
  return io_xml_doubles_upto(r->log, node, "biasprm", s->biasprm, 1, MOST_NUMBERS, &count);
}

static void set_types(settings *s, int dyntype, int gaintype, int biastype) {
  s->dyntype = dyntype, s->gaintype = gaintype, s->biastype = biastype;
}

static cdn_status read_motor(mjcf_reader *r, io_xml_node *node, settings *s) {
  (void)r, (void)node;
  s->gainprm[0] = 1;
  set_types(s, DYN_NONE, FIXED, BIAS_NONE);
  return CDN_OK;
}

static cdn_status read_position(mjcf_reader *r, io_xml_node *node, settings *s) {
  double kv, timeconst = 0;
  bool present, filtered;
  CDNI_TRY(io_xml_double(r->log, node, "kp", &s->gainprm[0], NULL));
  CDNI_TRY(io_xml_double(r->log, node, "kv", &kv, &present));
  CDNI_TRY(io_xml_double(r->log, node, "dampratio", &s->dampratio, NULL));
  CDNI_TRY(io_xml_double(r->log, node, "inheritrange", &s->inherited, NULL));
  CDNI_TRY(io_xml_double(r->log, node, "timeconst", &timeconst, &filtered));
  memset(s->biasprm, 0, sizeof s->biasprm);
  s->biasprm[1] = -s->gainprm[0];
  if (present) s->biasprm[2] = -kv;
  if (filtered) s->dynprm[0] = timeconst;
  set_types(s, filtered && timeconst != 0 ? DYN_FILTEREXACT : DYN_NONE, FIXED, BIAS_AFFINE);
  return CDN_OK;
}

static cdn_status read_velocity(mjcf_reader *r, io_xml_node *node, settings *s) {
  memset(s->biasprm, 0, sizeof s->biasprm);
  CDNI_TRY(io_xml_double(r->log, node, "kv", &s->gainprm[0], NULL));
  s->biasprm[2] = -s->gainprm[0];
  set_types(s, DYN_NONE, FIXED, BIAS_AFFINE);
  return CDN_OK;
}

static cdn_status read_intvelocity(mjcf_reader *r, io_xml_node *node, settings *s) {
  CDNI_TRY(read_position(r, node, s));
  s->dyntype = DYN_INTEGRATOR;
  s->activation.limited = 1;
  return CDN_OK;
}

static cdn_status read_damper(mjcf_reader *r, io_xml_node *node, settings *s) {
  double kv = 0;
  CDNI_TRY(io_xml_double(r->log, node, "kv", &kv, NULL));
  if (kv < 0) return io_xml_fail(r->log, CDN_ERR_PARSE, node, "kv is negative; a damper needs 0 or more");
  memset(s->gainprm, 0, sizeof s->gainprm);
  s->gainprm[2] = -kv;
  s->control.limited = 1;
  set_types(s, DYN_NONE, AFFINE, BIAS_NONE);
  return CDN_OK;
}

static cdn_status read_cylinder(mjcf_reader *r, io_xml_node *node, settings *s) {
  double diameter = 0;
  bool present;
  CDNI_TRY(io_xml_double(r->log, node, "timeconst", &s->dynprm[0], NULL));
  CDNI_TRY(io_xml_doubles(r->log, node, "bias", s->biasprm, 3, NULL));
  CDNI_TRY(io_xml_double(r->log, node, "area", &s->gainprm[0], NULL));
  CDNI_TRY(io_xml_double(r->log, node, "diameter", &diameter, &present));
  if (present) s->gainprm[0] = PI / 4 * diameter * diameter;
  set_types(s, DYN_FILTER, FIXED, BIAS_AFFINE);
  return CDN_OK;
}

/* A muscle and the like; of those an adhesion actuator has no activation. */
static cdn_status read_other(mjcf_reader *r, io_xml_node *node, settings *s) {
  (void)r;
  set_types(s, io_xml_is(node, "adhesion") ? DYN_NONE : DYN_OTHER, GAIN_OTHER, BIAS_OTHER);
  return CDN_OK;
}

static cdn_status read_numbers(mjcf_reader *r, io_xml_node *node, void *into) {
  static const struct {
    const char *name;
    cdn_status (*read)(mjcf_reader *r, io_xml_node *node, settings *s);
  } kinds[] = { { "general", read_general },   { "motor", read_motor },   { "position", read_position },
                { "velocity", read_velocity }, { "damper", read_damper }, { "intvelocity", read_intvelocity },
                { "cylinder", read_cylinder } };
  settings *s = into;
  CDNI_TRY(read_common(r, node, s));
  for (int i = 0; i < CDNI_COUNT(kinds); i++)
    if (io_xml_is(node, kinds[i].name)) return kinds[i].read(r, node, s);
  return read_other(r, node, s);
}

/* ---- what it acts on ------------------------------------------------------------------------- */

/* An actuator on its way into the spec: its texts are the document's or static, and its bodies have places. */
typedef struct acting {
  cdn_spec_actuator made;
  const cdn_spec_joint *joint; /* NULL: it acts on a tendon or a site */
  mjcf_where at, reference;
  bool lost;
} acting;

/* Leaves the actuator out; its place in keyframes remains. */
static cdn_status leave_out(mjcf_reader *r, io_xml_node *node, const char *because, acting *a) {
  char note[120];
  const char *name = io_xml_string(node, "name");
  snprintf(note, sizeof note, "actuator/%.60s%s%s", io_xml_name(node), because[0] ? " " : "", because);
  io_not_understood(r->log, io_xml_line(node), note);
  if (name && name[0])
    io_warn(r->log, io_xml_line(node), "actuator '%.60s' is left out, and the System has no control of this name",
            name);
  a->lost = true;
  return CDN_OK;
}

static cdn_status find_joint(mjcf_reader *r, io_xml_node *node, const char *name, acting *a) {
  a->joint = io_mjcf_find_joint(r, name);
  a->made.joint = name;
  if (a->joint) return CDN_OK;
  if (r->lost_joints || r->suffixes.count > 0) return leave_out(r, node, "on a joint that was not understood", a);
  return io_xml_fail(r->log, CDN_ERR_PARSE, node, "there is no joint '%.60s' in the model; correct the name", name);
}

static bool is_identity(cdn_rotation R) { return R.x.x == 1 && R.y.y == 1 && R.z.z == 1; }

static cdn_status find_reference(mjcf_reader *r, io_xml_node *node, acting *a) {
  const char *name;
  CDNI_TRY(io_xml_need_string(r->log, node, "refsite", &name));
  a->made.has_reference = io_mjcf_find_site(r, name, &a->reference);
  if (a->made.has_reference) return CDN_OK;
  return io_xml_fail(r->log, CDN_ERR_PARSE, node, "there is no site '%.60s' in the model; correct refsite", name);
}

static cdn_status find_site(mjcf_reader *r, io_xml_node *node, const char *name, acting *a) {
  if (!io_mjcf_find_site(r, name, &a->at))
    return io_xml_fail(r->log, CDN_ERR_PARSE, node, "there is no site '%.60s' in the model; correct the name", name);
  if (a->at.place == 0) a->made.body = "Ground";
  if (io_xml_has(node, "refsite")) return find_reference(r, node, a);
  if (a->at.place > 0) return CDN_OK;
  return io_xml_fail(r->log, CDN_ERR_PARSE, node,
                     "site '%.60s' is in the world, which does not move; name a site of a body", name);
}

static cdn_status find_tendon(mjcf_reader *r, io_xml_node *node, const char *name, acting *a) {
  a->made.tendon = name;
  return io_mjcf_has_sum(r, name) ? CDN_OK : leave_out(r, node, "on a tendon that is not simulated", a);
}

static cdn_status read_target(mjcf_reader *r, io_xml_node *node, acting *a) {
  static const char *const words[] = { "joint", "jointinparent", "site", "tendon", "slidersite", "body" };
  static const char *const because[] = { "", "", "", "", "with a slider-crank", "on a body" };
  int found = -1;
  for (int i = 0; i < CDNI_COUNT(words); i++) {
    if (!io_xml_has(node, words[i])) continue;
    if (found >= 0)
      return io_xml_fail(r->log, CDN_ERR_PARSE, node, "it has a %s and a %s; an actuator acts on one thing: remove one",
                         words[found], words[i]);
    found = i;
  }
  if (found < 0)
    return io_xml_fail(r->log, CDN_ERR_PARSE, node, "it acts on nothing; add joint='NAME' (or jointinparent, or site)");
  const char *name;
  CDNI_TRY(io_xml_need_string(r->log, node, words[found], &name));
  if (because[found][0]) return leave_out(r, node, because[found], a);
  a->made.in_parent = found == 1;
  if (found == 3) return find_tendon(r, node, name, a);
  return found == 2 ? find_site(r, node, name, a) : find_joint(r, node, name, a);
}

/* ---- from the numbers to the actuator -------------------------------------------------------- */

static cdn_status put_range(mjcf_reader *r, io_xml_node *node, const range *from, const char *attribute, double *lower,
                            double *upper) {
  const double *b = from->bounds;
  const bool empty = b[0] == 0 && b[1] == 0;
  if (from->limited == 0 || (from->limited == 2 && (empty || !r->compiler.autolimits))) return CDN_OK;
  if (!(b[0] < b[1]))
    return io_xml_fail(r->log, CDN_ERR_PARSE, node,
                       "its %s '%g %g' is empty, but it is limited; write %s='LOWER UPPER' with LOWER below UPPER",
                       attribute, b[0], b[1], attribute);
  *lower = b[0];
  *upper = b[1];
  return CDN_OK;
}

/* The range of the joint, scaled about its middle. */
static cdn_status inherit(mjcf_reader *r, io_xml_node *node, const cdn_spec_joint *j, settings *s) {
  if (s->inherited == 0) return CDN_OK;
  if (s->inherited < 0 || !j || !j->limited || !io_spec_joint_has_range(j))
    return io_xml_fail(r->log, CDN_ERR_PARSE, node,
                       "inheritrange needs a number above zero, and a hinge or slide with a range");
  range *to = s->dyntype == DYN_INTEGRATOR ? &s->activation : &s->control;
  const double middle = (j->lower + j->upper) / 2, half = s->inherited * (j->upper - j->lower) / 2;
  *to = (range){ 1, { middle - half, middle + half } };
  return CDN_OK;
}

static cdn_status put_ranges(mjcf_reader *r, io_xml_node *node, const settings *s, cdn_spec_actuator *a) {
  if (r->flags.clampctrl) CDNI_TRY(put_range(r, node, &s->control, "ctrlrange", &a->control_lower, &a->control_upper));
  CDNI_TRY(put_range(r, node, &s->force, "forcerange", &a->force_lower, &a->force_upper));
  if (a->dynamics != CDN_ACTUATOR_DIRECT)
    CDNI_TRY(put_range(r, node, &s->activation, "actrange", &a->activation_lower, &a->activation_upper));
  if (io_xml_is(node, "damper") && a->control_lower < 0)
    return io_xml_fail(r->log, CDN_ERR_PARSE, node, "a damper whose ctrlrange goes below 0 drives; write 0 or more");
  return CDN_OK;
}

static cdn_status put_law(mjcf_reader *r, io_xml_node *node, const settings *s, cdn_spec_actuator *a) {
  for (int k = 0; k < 3; k++) a->gain[k] = k == 0 || s->gaintype == AFFINE ? s->gainprm[k] : 0;
  for (int k = 0; k < 3; k++) a->bias[k] = s->biastype == BIAS_AFFINE ? s->biasprm[k] : 0;
  if (s->dyntype == DYN_NONE) return CDN_OK;
  a->dynamics = s->dyntype == DYN_INTEGRATOR ? CDN_ACTUATOR_INTEGRATOR : CDN_ACTUATOR_FILTER;
  if (a->dynamics == CDN_ACTUATOR_INTEGRATOR) return CDN_OK;
  a->time_constant = s->dynprm[0];
  if (a->time_constant > 0) return CDN_OK;
  return io_xml_fail(r->log, CDN_ERR_PARSE, node,
                     "the time constant of its filter is %g; write one above zero, or no dynamics", s->dynprm[0]);
}

/* MuJoCo's wrenches begin with the force, ours with the moment. */
static void put_gear(const double gear[6], bool wrench, cdn_spec_actuator *a) {
  for (int k = 0; k < 6; k++) a->gear[k] = gear[wrench ? (k + 3) % 6 : k];
}

/* Known where the gear does not change it. */
static const char *unit_of(const io_xml_node *node, const settings *s, const cdn_spec_joint *j) {
  static const struct {
    const char *name, *angular, *linear;
  } units[] = { { "motor", "N m", "N" },
                { "position", "rad", "m" },
                { "velocity", "rad/s", "m/s" },
                { "intvelocity", "rad/s", "m/s" } };
  if (!j || !io_spec_joint_has_range(j) || s->gear[0] != 1) return NULL;
  for (int i = 0; i < CDNI_COUNT(units); i++)
    if (io_xml_is(node, units[i].name)) return j->kind == CDN_PIN ? units[i].angular : units[i].linear;
  return NULL;
}

/* MuJoCo takes the orientation of a turned site as if body and site were turned in the other order. */
static void tell_turned(mjcf_reader *r, const acting *a, const char *name) {
  const double *gear = a->made.gear;
  const bool has_length = a->made.gain[1] != 0 || a->made.bias[1] != 0;
  const bool turned = !is_identity(a->at.X.R) || !is_identity(a->reference.X.R);
  if (!a->made.has_reference || !has_length || !turned || (gear[0] == 0 && gear[1] == 0 && gear[2] == 0)) return;
  io_warn(r->log, a->made.line,
          "the angle of actuator '%.60s' is that of its site in its refsite; MuJoCo has another one where sites are "
          "turned in their bodies",
          name ? name : "");
}

/* Of a servo on the position a positive last number of biasprm is a damping ratio, as newer MuJoCos have it. */
static double ratio_of(const settings *s) {
  const bool servo = s->gaintype == FIXED && s->biastype == BIAS_AFFINE && s->gainprm[0] == -s->biasprm[1];
  return s->dampratio > 0 ? s->dampratio : servo && s->gainprm[0] > 0 ? fmax(s->biasprm[2], 0) : 0;
}

static cdn_status fill(mjcf_reader *r, io_xml_node *node, settings *s, const char *name, acting *a) {
  if (s->dyntype == DYN_OTHER || s->gaintype == GAIN_OTHER || s->biastype == BIAS_OTHER) {
    const bool general = io_xml_is(node, "general");
    return leave_out(r, node, general ? "of this dyntype, gaintype or biastype" : "", a);
  }
  CDNI_TRY(read_target(r, node, a));
  if (a->lost) return CDN_OK;
  const cdn_spec_joint *j = a->joint;
  a->made.damping_ratio = ratio_of(s);
  put_gear(s->gear, j ? j->kind == CDN_FREE : !a->made.tendon, &a->made);
  a->made.unit = unit_of(node, s, j);
  CDNI_TRY(put_law(r, node, s, &a->made));
  CDNI_TRY(inherit(r, node, j, s));
  tell_turned(r, a, name);
  return put_ranges(r, node, s, &a->made);
}

/* Actuators may be switched off, all or by groups. */
static cdn_status acts_at_all(mjcf_reader *r, const mjcf_element *e, bool *acts) {
  int group = 0;
  CDNI_TRY(io_mjcf_int(r, e, "group", &group));
  *acts = r->flags.actuation && !(group >= 0 && group < MJCF_ACTUATOR_GROUPS && (r->idle_groups >> group & 1));
  return CDN_OK;
}

/* A force that follows the activation of the end of a step belongs to steps, and not to the model. */
static cdn_status report_early(mjcf_reader *r, const mjcf_element *e, bool has_activation) {
  bool early = false;
  CDNI_TRY(io_mjcf_bool(r, e, "actearly", &early));
  if (early && has_activation) io_not_understood(r->log, io_xml_line(e->node), "actuator actearly");
  return CDN_OK;
}

static cdn_status add(mjcf_reader *r, acting *a, mjcf_drive *drive) {
  a->made.X_BS = a->at.X, a->made.X_RF = a->reference.X;
  a->made.name = drive->name;
  CDNI_TRY(io_spec_append(r->spec, CDN_SPEC_ACTUATOR, &a->made, &drive->element));
  CDNI_TRY(IO_REFER(&r->tree, ACTUATOR, actuator, drive->element, body, a->at.place));
  return IO_REFER(&r->tree, ACTUATOR, actuator, drive->element, reference, a->reference.place);
}

static cdn_status read_actuator(mjcf_reader *r, io_xml_node *node) {
  const mjcf_where ground = { 0, cdn_transform_identity() };
  acting a = { .made = cdn_default_spec_actuator(), .at = ground, .reference = ground };
  settings s = start();
  mjcf_element e;
  a.made.line = io_xml_line(node);
  mjcf_drive *drive = cdni_array_push(&r->log->allocator, &r->drives, sizeof *drive, NULL);
  if (!drive) return io_mjcf_out_of_memory(r);
  drive->element = -1, drive->model = r->model;
  CDNI_TRY(io_mjcf_take_name(r, node, MJCF_NAME_ACTUATOR, &drive->name));
  CDNI_TRY(io_mjcf_element(r, node, MJCF_ACTUATOR, io_mjcf_first_class(r), &e));
  CDNI_TRY(io_mjcf_visit(r, &e, read_numbers, &s));
  drive->has_activation = s.dyntype != DYN_NONE;
  bool acts;
  CDNI_TRY(acts_at_all(r, &e, &acts));
  CDNI_TRY(report_early(r, &e, drive->has_activation));
  if (acts) CDNI_TRY(fill(r, node, &s, drive->name, &a));
  if (acts && !a.lost) CDNI_TRY(add(r, &a, drive));
  io_mjcf_finish_element(r, &e);
  return CDN_OK;
}

cdn_status io_mjcf_read_actuators(mjcf_reader *r, io_xml_node *node) {
  mjcf_walk walk = io_mjcf_walk(r, node);
  for (io_xml_node *child; (child = io_mjcf_walk_next(&walk)) != NULL;) CDNI_TRY(read_actuator(r, child));
  io_xml_report_rest(r->log, node);
  return walk.status;
}
