/* <actuator>: what actuators act on, and what the numbers of one become (mjcf_actuator_numbers.c finds them). */
#include <math.h>
#include <stdio.h>

#include "io/joints.h"
#include "io/mjcf_actuator.h"

typedef io_mjcf_drive settings;
typedef io_mjcf_bounds range;

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
  if (a->made.rod > 0) return CDN_OK; /* the slider is its reference */
  if (io_xml_has(node, "refsite")) return find_reference(r, node, a);
  if (a->at.place > 0) return CDN_OK;
  return io_xml_fail(r->log, CDN_ERR_PARSE, node,
                     "site '%.60s' is in the world, which does not move; name a site of a body", name);
}

/* A slider-crank has two sites. */
static cdn_status find_crank(mjcf_reader *r, io_xml_node *node, const char *name, const settings *s, acting *a) {
  const char *slider;
  CDNI_TRY(io_xml_need_string(r->log, node, "slidersite", &slider));
  if (!(s->rod > 0))
    return io_xml_fail(r->log, CDN_ERR_PARSE, node,
                       "its rod has a length of %g; write cranklength='METRES' with a number above zero", s->rod);
  a->made.rod = s->rod;
  CDNI_TRY(find_site(r, node, name, a));
  a->made.has_reference = io_mjcf_find_site(r, slider, &a->reference);
  if (!a->made.has_reference)
    return io_xml_fail(r->log, CDN_ERR_PARSE, node, "there is no site '%.60s' in the model; correct slidersite",
                       slider);
  if (a->at.place != a->reference.place) return CDN_OK;
  return io_xml_fail(r->log, CDN_ERR_PARSE, node, "its crank and its slider are on one body; name sites of two");
}

static cdn_status find_body(mjcf_reader *r, io_xml_node *node, const char *name, acting *a) {
  a->made.on_contacts = true;
  a->made.body = name;
  if (cdn_spec_find(r->spec, CDN_SPEC_BODY, name) >= 0) return CDN_OK;
  return io_xml_fail(r->log, CDN_ERR_PARSE, node, "there is no body '%.60s' in the model; correct the name", name);
}

static cdn_status find_tendon(mjcf_reader *r, io_xml_node *node, const char *name, acting *a) {
  a->made.tendon = name;
  return cdn_spec_find(r->spec, CDN_SPEC_TENDON, name) >= 0
             ? CDN_OK
             : leave_out(r, node, "on a tendon that is not simulated", a);
}

static cdn_status read_target(mjcf_reader *r, io_xml_node *node, const settings *s, acting *a) {
  enum { JOINT, IN_PARENT, SITE, TENDON, CRANK, BODY };
  static const char *const words[] = { "joint", "jointinparent", "site", "tendon", "cranksite", "body" };
  int found = -1;
  for (int i = 0; i < CDNI_COUNT(words); i++) {
    if (!io_xml_has(node, words[i])) continue;
    if (found >= 0)
      return io_xml_fail(r->log, CDN_ERR_PARSE, node, "it has a %s and a %s; an actuator acts on one thing: remove one",
                         words[found], words[i]);
    found = i;
  }
  if (found < 0 && io_xml_has(node, "slidersite"))
    return io_xml_fail(r->log, CDN_ERR_PARSE, node, "it has a slidersite without a crank; add cranksite='NAME'");
  if (found < 0)
    return io_xml_fail(r->log, CDN_ERR_PARSE, node,
                       "it acts on nothing; add joint='NAME' (or jointinparent, tendon, site, cranksite, body)");
  const char *name;
  CDNI_TRY(io_xml_need_string(r->log, node, words[found], &name));
  a->made.in_parent = found == IN_PARENT;
  switch (found) {
    case TENDON: return find_tendon(r, node, name, a);
    case SITE: return find_site(r, node, name, a);
    case CRANK: return find_crank(r, node, name, s, a);
    case BODY: return find_body(r, node, name, a);
    default: return find_joint(r, node, name, a);
  }
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
  if (io_xml_is(node, "adhesion") && a->control_lower < 0)
    return io_xml_fail(r->log, CDN_ERR_PARSE, node,
                       "an adhesion whose ctrlrange goes below 0 pushes surfaces apart; write 0 or more");
  return CDN_OK;
}

static cdn_status put_muscle(mjcf_reader *r, io_xml_node *node, const settings *s, const double *p, cdn_muscle *m) {
  const double numbers[] = { p[3], p[6], p[7], p[8] };
  const double *lengths = s->length_range;
  m->range[0] = p[0], m->range[1] = p[1], m->peak = p[2], m->scale = p[3], m->lmin = p[4], m->lmax = p[5];
  m->vmax = p[6], m->fpmax = p[7], m->fvmax = p[8];
  m->length_range[0] = lengths[0], m->length_range[1] = lengths[1];
  if (!(p[0] < p[1]))
    return io_xml_fail(
        r->log, CDN_ERR_PARSE, node,
        "its range '%g %g' is empty; write range='LOWER UPPER' in optimal lengths, with LOWER below UPPER", p[0], p[1]);
  if (!(p[4] < 1 && p[5] > 1))
    return io_xml_fail(r->log, CDN_ERR_PARSE, node, "lmin is %g and lmax %g; write lmin below 1 and lmax above 1", p[4],
                       p[5]);
  for (int i = 0; i < CDNI_COUNT(numbers); i++)
    if (!(numbers[i] > 0))
      return io_xml_fail(r->log, CDN_ERR_PARSE, node,
                         "scale, vmax, fpmax and fvmax are %g, %g, %g and %g; write numbers above zero", numbers[0],
                         numbers[1], numbers[2], numbers[3]);
  if (!(lengths[0] < lengths[1]) && (lengths[0] != 0 || lengths[1] != 0))
    return io_xml_fail(r->log, CDN_ERR_PARSE, node,
                       "its lengthrange '%g %g' is empty; write lengthrange='SHORTEST LONGEST'", lengths[0],
                       lengths[1]);
  return CDN_OK;
}

static cdn_status bad_time(mjcf_reader *r, io_xml_node *node, const char *of, double time) {
  return io_xml_fail(r->log, CDN_ERR_PARSE, node,
                     "the time constant of its %s is %g; write one above zero, or no dynamics", of, time);
}

static cdn_status put_activation(mjcf_reader *r, io_xml_node *node, const settings *s, cdn_spec_actuator *a) {
  static const cdn_actuator_dynamics dynamics[] = { CDN_ACTUATOR_DIRECT, CDN_ACTUATOR_INTEGRATOR, CDN_ACTUATOR_FILTER,
                                                    CDN_ACTUATOR_FILTER, CDN_ACTUATOR_MUSCLE,     CDN_ACTUATOR_USER };
  const double *time = s->dynprm;
  a->dynamics = dynamics[s->dyntype];
  if (a->dynamics == CDN_ACTUATOR_FILTER) {
    a->time_constant = time[0];
    a->exact_filter = s->dyntype == DYN_FILTEREXACT;
    return time[0] > 0 ? CDN_OK : bad_time(r, node, "filter", time[0]);
  }
  if (a->dynamics != CDN_ACTUATOR_MUSCLE) return CDN_OK;
  memcpy(a->muscle_time, time, sizeof a->muscle_time);
  for (int i = 0; i < 2; i++)
    if (!(time[i] > 0)) return bad_time(r, node, "muscle", time[i]);
  if (time[2] >= 0) return CDN_OK;
  return io_xml_fail(r->log, CDN_ERR_PARSE, node, "tausmooth is %g; write 0 or more", time[2]);
}

static cdn_status put_law(mjcf_reader *r, io_xml_node *node, const settings *s, cdn_spec_actuator *a) {
  static const cdn_drive_law laws[] = { CDN_LAW_AFFINE, CDN_LAW_AFFINE, CDN_LAW_OF_MUSCLE, CDN_LAW_OF_USER };
  a->gain_law = laws[s->gaintype], a->bias_law = laws[s->biastype];
  for (int k = 0; k < 3; k++) a->gain[k] = k == 0 || s->gaintype == AFFINE ? s->gainprm[k] : 0;
  for (int k = 0; k < 3; k++) a->bias[k] = s->biastype == BIAS_AFFINE ? s->biasprm[k] : 0;
  if (s->gaintype == GAIN_MUSCLE) CDNI_TRY(put_muscle(r, node, s, s->gainprm, &a->muscle));
  if (s->biastype == BIAS_MUSCLE) CDNI_TRY(put_muscle(r, node, s, s->biasprm, &a->passive));
  return put_activation(r, node, s, a);
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
  if (!a->made.has_reference || a->made.rod > 0 || !has_length || !turned ||
      (gear[0] == 0 && gear[1] == 0 && gear[2] == 0))
    return;
  io_warn(r->log, a->made.line,
          "the angle of actuator '%.60s' is that of its site in its refsite; MuJoCo has another one where sites are "
          "turned in their bodies",
          name ? name : "");
}

/* An actuator that can move nothing is a mistake, though a harmless one. */
static void tell_idle(mjcf_reader *r, const acting *a, const char *name) {
  bool geared = false;
  for (int k = 0; k < 6; k++) geared = geared || a->made.gear[k] != 0;
  const bool beside_itself = a->made.has_reference && a->at.place == a->reference.place && !(a->made.rod > 0);
  if (!geared)
    io_warn(r->log, a->made.line, "actuator '%.60s' moves nothing, as its gear is zero; write another one",
            name ? name : "");
  else if (beside_itself)
    io_warn(
        r->log, a->made.line,
        "actuator '%.60s' moves nothing, as its site and its refsite are on one body; name a refsite of another one",
        name ? name : "");
}

/* Of a servo on the position a positive last number of biasprm is a damping ratio, as newer MuJoCos have it. */
static double ratio_of(const settings *s) {
  const bool servo = s->gaintype == FIXED && s->biastype == BIAS_AFFINE && s->gainprm[0] == -s->biasprm[1];
  return s->dampratio > 0 ? s->dampratio : servo && s->gainprm[0] > 0 ? fmax(s->biasprm[2], 0) : 0;
}

/* What a user should have given, and what needs soft contact. */
static void tell_missing(mjcf_reader *r, const cdn_spec_actuator *a) {
  const cdn_drive_user *user = &r->actuator_user;
  if ((a->dynamics == CDN_ACTUATOR_USER && !user->rate) || (a->gain_law == CDN_LAW_OF_USER && !user->gain) ||
      (a->bias_law == CDN_LAW_OF_USER && !user->bias))
    io_not_understood(r->log, a->line, "actuator of a user without a function (options.actuator_user)");
  if (a->on_contacts && !r->soft_rows)
    io_not_understood(r->log, a->line, "actuator on the contacts of a body (contact is not soft)");
}

static cdn_status fill(mjcf_reader *r, io_xml_node *node, settings *s, const char *name, acting *a) {
  if (s->dyntype == DYN_OTHER || s->gaintype == GAIN_OTHER || s->biastype == BIAS_OTHER) {
    const bool general = io_xml_is(node, "general");
    return leave_out(r, node, general ? "of this dyntype, gaintype or biastype" : "", a);
  }
  CDNI_TRY(read_target(r, node, s, a));
  if (a->lost) return CDN_OK;
  const cdn_spec_joint *j = a->joint;
  a->made.damping_ratio = ratio_of(s);
  put_gear(s->gear, j ? j->kind == CDN_FREE : !a->made.tendon && !(a->made.rod > 0) && !a->made.on_contacts, &a->made);
  a->made.unit = unit_of(node, s, j);
  a->made.delay = s->delay, a->made.samples = s->samples;
  a->made.interpolation = (cdn_interpolation)s->interpolation;
  CDNI_TRY(io_mjcf_check_history(r, node, s->delay, 0, s->samples));
  CDNI_TRY(put_law(r, node, s, &a->made));
  tell_missing(r, &a->made);
  CDNI_TRY(inherit(r, node, j, s));
  tell_turned(r, a, name);
  tell_idle(r, a, name);
  return put_ranges(r, node, s, &a->made);
}

/* Actuators may be switched off, all or by groups. */
static cdn_status acts_at_all(mjcf_reader *r, const mjcf_element *e, bool *acts) {
  int group = 0;
  CDNI_TRY(io_mjcf_int(r, e, "group", &group));
  *acts = r->flags.actuation && !(group >= 0 && group < MJCF_ACTUATOR_GROUPS && (r->idle_groups >> group & 1));
  return CDN_OK;
}

static cdn_status add(mjcf_reader *r, acting *a, mjcf_drive *drive) {
  a->made.X_BS = a->at.X, a->made.X_RF = a->reference.X;
  a->made.name = drive->name;
  CDNI_TRY(io_spec_append(r->spec, CDN_SPEC_ACTUATOR, &a->made, &drive->element));
  CDNI_TRY(MJCF_REFER(r, ACTUATOR, actuator, drive->element, body, &a->at));
  return MJCF_REFER(r, ACTUATOR, actuator, drive->element, reference, &a->reference);
}

static cdn_status read_actuator(mjcf_reader *r, io_xml_node *node) {
  const mjcf_where ground = { .X = cdn_transform_identity() };
  acting a = { .made = cdn_default_spec_actuator(), .at = ground, .reference = ground };
  settings s = io_mjcf_start_drive();
  mjcf_element e;
  a.made.line = io_xml_line(node);
  mjcf_drive *drive = cdni_array_push(&r->log->allocator, &r->drives, sizeof *drive, NULL);
  if (!drive) return io_mjcf_out_of_memory(r);
  drive->element = -1;
  CDNI_TRY(io_mjcf_take_name(r, node, MJCF_NAME_ACTUATOR, &drive->name));
  CDNI_TRY(io_mjcf_element(r, node, MJCF_ACTUATOR, MJCF_MAIN_CLASS, &e));
  CDNI_TRY(io_mjcf_visit(r, &e, io_mjcf_read_drive, &s));
  drive->has_activation = s.dyntype != DYN_NONE;
  bool acts;
  CDNI_TRY(acts_at_all(r, &e, &acts));
  CDNI_TRY(io_mjcf_bool(r, &e, "actearly", &a.made.early));
  if (acts) CDNI_TRY(fill(r, node, &s, drive->name, &a));
  if (acts && !a.lost) CDNI_TRY(add(r, &a, drive));
  io_mjcf_finish_element(r, &e);
  return CDN_OK;
}

cdn_status io_mjcf_read_actuators(mjcf_reader *r, io_xml_node *node) {
  mjcf_walk walk = io_mjcf_walk(r, node);
  for (io_xml_node *child; (child = io_mjcf_walk_next(&walk)) != NULL;)
    CDNI_TRY(io_mjcf_leave_strangers(r, read_actuator(r, child)));
  io_xml_report_rest(r->log, node);
  return walk.status;
}
