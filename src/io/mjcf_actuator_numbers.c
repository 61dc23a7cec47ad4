/* <actuator>, its numbers. MuJoCo's compiler writes all kinds of actuators into the same numbers: a default class may
 * be of one kind and the actuator of another. So the numbers are found as MuJoCo finds them: the elements of the
 * default classes, from the outermost inwards, and then the actuator write what they say. */
#include "io/mjcf_actuator.h"

static const double PI = 3.14159265358979323846;

typedef io_mjcf_drive settings;
typedef io_mjcf_bounds range;

io_mjcf_drive io_mjcf_start_drive(void) {
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
  CDNI_TRY(io_xml_doubles(r->log, node, "lengthrange", s->length_range, 2, NULL));
  CDNI_TRY(io_xml_double(r->log, node, "cranklength", &s->rod, NULL));
  CDNI_TRY(read_range(r, node, "ctrllimited", "ctrlrange", &s->control));
  CDNI_TRY(read_range(r, node, "forcelimited", "forcerange", &s->force));
  CDNI_TRY(io_mjcf_read_history(r, node, &s->delay, &s->samples, &s->interpolation));
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
  static const char *const dyn[] = { "none", "integrator", "filter", "filterexact", "muscle", "user", "dcmotor" };
  static const char *const gain[] = { "fixed", "affine", "muscle", "user", "dcmotor" };
  static const char *const bias[] = { "none", "affine", "muscle", "user", "dcmotor" };
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

/* Numbers that are those of every actuator become those of a muscle, as MuJoCo has it. The last one of dynprm is the
 * width of newer files. */
static cdn_status read_muscle(mjcf_reader *r, io_xml_node *node, settings *s) {
  static const struct {
    const char *name;
    int at;
    double usual, of_muscle;
  } numbers[] = { { "force", 2, 0, -1 }, { "scale", 3, 0, 200 }, { "lmin", 4, 0, 0.5 }, { "lmax", 5, 0, 1.6 },
                  { "vmax", 6, 0, 1.5 }, { "fpmax", 7, 0, 1.3 }, { "fvmax", 8, 0, 1.2 } };
  double *p = s->gainprm;
  if (s->dynprm[0] == 1) s->dynprm[0] = 0.01;
  if (s->dynprm[1] == 0) s->dynprm[1] = 0.04;
  if (p[0] == 1) p[0] = 0.75;
  if (p[1] == 0) p[1] = 1.05;
  CDNI_TRY(io_xml_doubles(r->log, node, "timeconst", s->dynprm, 2, NULL));
  CDNI_TRY(io_xml_double(r->log, node, "tausmooth", &s->dynprm[2], NULL));
  CDNI_TRY(io_xml_doubles(r->log, node, "range", p, 2, NULL));
  for (int i = 0; i < CDNI_COUNT(numbers); i++) {
    double *number = &p[numbers[i].at];
    if (*number == numbers[i].usual) *number = numbers[i].of_muscle;
    CDNI_TRY(io_xml_double(r->log, node, numbers[i].name, number, NULL));
  }
  memcpy(s->biasprm, s->gainprm, sizeof s->biasprm);
  set_types(s, DYN_MUSCLE, GAIN_MUSCLE, BIAS_MUSCLE);
  return CDN_OK;
}

static cdn_status read_adhesion(mjcf_reader *r, io_xml_node *node, settings *s) {
  CDNI_TRY(io_xml_double(r->log, node, "gain", &s->gainprm[0], NULL));
  s->control.limited = 1;
  set_types(s, DYN_NONE, FIXED, BIAS_NONE);
  return CDN_OK;
}

/* A plugin and the like. */
static cdn_status read_other(mjcf_reader *r, io_xml_node *node, settings *s) {
  (void)r, (void)node;
  set_types(s, DYN_OTHER, GAIN_OTHER, BIAS_OTHER);
  return CDN_OK;
}

cdn_status io_mjcf_read_drive(mjcf_reader *r, io_xml_node *node, void *into) {
  static const struct {
    const char *name;
    cdn_status (*read)(mjcf_reader *r, io_xml_node *node, settings *s);
  } kinds[] = { { "general", read_general },   { "motor", read_motor },   { "position", read_position },
                { "velocity", read_velocity }, { "damper", read_damper }, { "intvelocity", read_intvelocity },
                { "cylinder", read_cylinder }, { "muscle", read_muscle }, { "adhesion", read_adhesion } };
  settings *s = into;
  CDNI_TRY(read_common(r, node, s));
  for (int i = 0; i < CDNI_COUNT(kinds); i++)
    if (io_xml_is(node, kinds[i].name)) return kinds[i].read(r, node, s);
  return read_other(r, node, s);
}
