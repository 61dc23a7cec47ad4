/* MJCF sensors as measures: names, kinds, what is not read, mistakes, failing memory. Their values are compared with
 * MuJoCo's in peers/test_mujoco_sensors.c. */
#include <cardan/random.h>

#include "../robust/counting_allocator.h"
#include "mjcf_reading.h"
#include "system/system.h"

#define ARM                                                                                                         \
  "<worldbody><site name='post' pos='0 0 1'/><body name='arm'><joint name='hinge' axis='0 1 0'/>"                   \
  "<inertial pos='0 0 -1' mass='2' diaginertia='0.1 0.1 0.1'/><geom name='g' size='.1'/><site name='tip' pos='0 0 " \
  "-2' euler='0 0 90'/>"                                                                                            \
  "<body name='ball'><joint name='wrist' type='ball'/><inertial pos='0 0 0' mass='1' diaginertia='1 1 1'/></body>"  \
  "</body></worldbody>"

static cdn_model *load(const char *sensors, cdn_status expected, const cdn_allocator *a) {
  char text[4000];
  cdn_model *model = NULL;
  cdn_error reason;
  cdn_model_options options = cdn_default_model_options();
  if (a) options.allocator = *a;
  snprintf(text, sizeof text, "<mujoco model='m'>\n%s\n<sensor>%s</sensor></mujoco>", ARM, sensors);
  const cdn_status status = cdn_model_load_string(text, strlen(text), "m.xml", &options, &model);
  cdn_model_last_error(model, &reason);
  ck_assert_msg(status == expected, "%s: %s", cdn_status_name(status), reason.text);
  return model;
}

START_TEST(sensors_are_measures) {
  cdn_model *model =
      load("<jointpos name='angle' joint='hinge'/><clock/><framepos name='tip' objtype='site' objname='tip'/>"
           "<accelerometer name='acc' site='post' cutoff='5'/><e_kinetic name='ke'/><e_potential/>"
           "<subtreecom name='com' body='arm'/><clock name='clock1'/>",
           CDN_OK, NULL);
  static const struct {
    const char *name;
    int n, derivatives;
    cdn_stage stage;
  } expected[] = { { "angle", 1, 1, CDN_STAGE_POSITION }, { "clock1_", 1, CDN_MEASURE_ALL_DERIVATIVES, CDN_STAGE_TIME },
                   { "tip", 3, 2, CDN_STAGE_POSITION },   { "acc", 3, 0, CDN_STAGE_ACCELERATION },
                   { "ke", 1, 0, CDN_STAGE_VELOCITY },    { "e_potential5", 1, 0, CDN_STAGE_POSITION },
                   { "com", 3, 0, CDN_STAGE_POSITION } };
  const cdn_system *system = cdn_model_system(model);
  ck_assert_int_eq(cdn_model_not_understood_count(model), 0);
  ck_assert_int_eq(cdn_system_measure_count(system), 8);
  for (int i = 0; i < CDNI_COUNT(expected); i++) {
    ck_assert_str_eq(cdn_measure_name(system, (cdn_measure){ i }), expected[i].name);
    ck_assert_int_eq(cdn_measure_size(system, (cdn_measure){ i }), expected[i].n);
    ck_assert_int_eq(cdn_measure_derivatives(system, (cdn_measure){ i }), expected[i].derivatives);
    ck_assert_int_eq(cdn_measure_stage(system, (cdn_measure){ i }), expected[i].stage);
  }
  cdn_state *state = NULL;
  OK(cdn_state_create(system, &state));
  OK_ON(state, cdn_body_set_q(state, cdn_model_body(model, 0), 1, &(double){ PI / 2 }));
  const double *tip = cdn_measure_value(state, (cdn_measure){ 2 }); /* a quarter turn about y takes -z to -x */
  NEAR(tip[0], -2, 1e-15);
  NEAR(tip[2], 0, 1e-15);
  const double *acc = cdn_measure_value(state, (cdn_measure){ 3 }); /* the post is held up, by more than it can show */
  ck_assert(acc[0] == 0 && acc[1] == 0 && acc[2] == 5);
  NEAR(cdn_measure_value(state, cdn_system_find_measure(system, "com"))[0], -2. / 3, 1e-15);
  cdn_state_destroy(state);
  cdn_model_destroy(model);
}
END_TEST

START_TEST(what_is_not_read_is_listed) {
  cdn_model *model = load("<plugin plugin='p'/><framepos objtype='light' objname='g'/><tendonpos tendon='t'/>"
                          "<user dim='257' datatype='real'/><user name='own' dim='2' needstage='pos'/>"
                          "<framepos objtype='site' objname='tip' reftype='light' refname='c'/>"
                          "<gyro site='tip' interval='0.1' nsample='1' noise='1' user='2'/>",
                          CDN_OK, NULL);
  static const char *const listed[] = { "sensor/plugin", "sensor/framepos of this objtype or reftype",
                                        "sensor/tendonpos of a tendon that is not simulated",
                                        "sensor/user of more than 256 numbers" };
  const cdn_system *system = cdn_model_system(model);
  ck_assert_int_eq(cdn_model_not_understood_count(model), CDNI_COUNT(listed));
  for (int i = 0; i < CDNI_COUNT(listed); i++) ck_assert_str_eq(cdn_model_not_understood(model, i).element, listed[i]);
  ck_assert_int_eq(cdn_model_not_understood(model, 1).count, 2);
  ck_assert_int_eq(cdn_system_measure_count(system), 3); /* own, gyro, and what it is sampled from */
  /* A program's own sensor has what the program says. */
  const cdn_measure own = cdn_system_find_measure(system, "own");
  cdn_state *state = NULL;
  OK(cdn_state_create(system, &state));
  ck_assert(cdn_measure_value(state, own)[1] == 0);
  OK_ON(state, cdn_measure_set_value(state, own, (double[]){ 3, 4 }));
  ck_assert(cdn_measure_value(state, own)[1] == 4);
  cdn_state_destroy(state);
  cdn_model_destroy(model);
}
END_TEST

START_TEST(mistakes_have_a_line) {
  static const struct {
    const char *sensor, *word;
  } mistakes[] = { { "<jointpos joint='elbow'/>", "no joint 'elbow'" },
                   { "<jointpos/>", "joint" },
                   { "<jointvel joint='wrist'/>", "hinge or slide" },
                   { "<ballquat joint='hinge'/>", "must be a ball" },
                   { "<gyro site='nose'/>", "no site 'nose'" },
                   { "<framepos objtype='xbody' objname='leg'/>", "no body 'leg'" },
                   { "<framepos objname='arm'/>", "objtype" },
                   { "<framepos objtype='site' objname='tip' reftype='site'/>", "refname" },
                   { "<subtreecom body='leg'/>", "no body 'leg'" },
                   { "<framepos objtype='geom' objname='h'/>", "no geom 'h'" },
                   { "<framepos objtype='camera' objname='c'/>", "no camera 'c'" },
                   { "<insidesite site='tip' objtype='body'/>", "objname" },
                   { "<camprojection site='tip' camera='c'/>", "no camera 'c'" },
                   { "<distance geom1='g'/>", "geom2" },
                   { "<distance geom1='g' geom2='h'/>", "no geom 'h'" },
                   { "<distance geom1='g' body1='arm' geom2='g'/>", "a side is one thing" },
                   { "<rangefinder site='tip' data='dist colour'/>", "dist, dir, origin, point, normal and depth" },
                   { "<rangefinder camera='c'/>", "no camera 'c'" },
                   { "<clock delay='.1'/>", "nsample" },
                   { "<clock delay='-1' nsample='2'/>", "0 or more" },
                   { "<clock nsample='-2'/>", "nsample is -2" },
                   { "<clock interval='.1 -.1' nsample='1'/>", "phase" },
                   { "<clock interp='round'/>", "interp" },
                   { "<user/>", "dim" },
                   { "<clock cutoff='much'/>", "cutoff" },
                   { "<clock cutoff='-1'/>", "its cutoff is negative" },
                   { "<clock noise='-1'/>", "its noise is negative" },
                   { "<clock name='a'/><clock name='a'/>", "another sensor" } };
  for (int i = 0; i < CDNI_COUNT(mistakes); i++) {
    cdn_error reason;
    cdn_model *model = load(mistakes[i].sensor, CDN_ERR_PARSE, NULL);
    cdn_model_last_error(model, &reason);
    ck_assert_msg(strstr(reason.text, mistakes[i].word) && strstr(reason.text, "m.xml:3"), "no '%s' and line in: %s",
                  mistakes[i].word, reason.text);
    cdn_model_destroy(model);
  }
  /* sites */
  read_text("<default><site pos='1 2 3'/></default><worldbody><site name='a'/><site/><site/></worldbody>");
  done();
  FAILS(try_read("<worldbody><site name='a'/><site name='a'/></worldbody>"), CDN_ERR_PARSE);
  ck_assert_msg(strstr(spec->log.error.text, "another site"), "%s", spec->log.error.text);
  done();
  FAILS(try_read("<worldbody><site fromto='0 0 1 0 0 1'/></worldbody>"), CDN_ERR_PARSE);
  ck_assert_msg(strstr(spec->log.error.text, "coincide"), "%s", spec->log.error.text);
  done();
}
END_TEST

/* ---- limits that are stops -------------------------------------------------------------------- */

/* Without gravity the stop alone accelerates: its force is the inertia times that. */
START_TEST(stops_are_limits) {
  static const char text[] =
      "<mujoco><compiler angle='radian'/><option gravity='0 0 0'/><worldbody>"
      "<body><joint name='hinge' axis='0 0 1' limited='true' range='-.5 .7'/><inertial pos='0 0 0' mass='1' "
      "diaginertia='2 2 2'/></body><body><joint name='ball' type='ball' limited='true' range='0 1'/><inertial pos='0 0 0'"
      " mass='1' diaginertia='3 3 3'/></body></worldbody><sensor><jointlimitpos name='p' joint='hinge'/>"
      "<jointlimitvel name='v' joint='hinge'/><jointlimitfrc name='f' joint='hinge'/><jointlimitpos name='bp' "
      "joint='ball'/><jointlimitvel name='bv' joint='ball'/><jointlimitfrc name='bf' joint='ball'/></sensor></mujoco>";
  cdn_model *model = NULL;
  cdn_state *state = NULL;
  cdn_model_options options = cdn_default_model_options();
  options.contact = CDN_MODEL_COMPLIANT, options.strict = true;
  OK(cdn_model_load_string(text, strlen(text), "m.xml", &options, &model));
  const cdn_system *system = cdn_model_system(model);
  OK(cdn_state_create(system, &state));
  static const struct {
    double q, u, p, v;
  } rows[] = { { 0.1, 1, 0, 0 }, { 0.75, -0.05, -0.05, 0.05 }, { -0.6, -0.3, -0.1, -0.3 } };
  for (int i = 0; i < CDNI_COUNT(rows); i++) {
    const double angle = 1.2 + 0.1 * i, w = 0.1 * i;
    const double q[5] = { rows[i].q, cos(angle / 2), 0, sin(angle / 2), 0 }, u[4] = { rows[i].u, 0.3, w, -0.2 };
    OK_ON(state, cdn_state_set_q(state, q));
    OK_ON(state, cdn_state_set_u(state, u));
    const double *udot = cdn_state_udot(state);
    ck_assert_ptr_nonnull(udot);
    NEAR(*cdn_measure_value(state, cdn_system_find_measure(system, "p")), rows[i].p, 1e-15);
    NEAR(*cdn_measure_value(state, cdn_system_find_measure(system, "v")), rows[i].v, 1e-15);
    NEAR(*cdn_measure_value(state, cdn_system_find_measure(system, "f")), 2 * fabs(udot[0]), 1e-12 * fabs(udot[0]));
    ck_assert(i == 0 || fabs(udot[0]) > 1);
    NEAR(*cdn_measure_value(state, cdn_system_find_measure(system, "bp")), 1 - angle, 1e-15);
    NEAR(*cdn_measure_value(state, cdn_system_find_measure(system, "bv")), -w, 1e-15);
    NEAR(*cdn_measure_value(state, cdn_system_find_measure(system, "bf")), 3 * fabs(udot[2]), 1e-12 * fabs(udot[2]));
  }
  cdn_state_destroy(state);
  cdn_model_destroy(model);
}
END_TEST

/* ---- noise ------------------------------------------------------------------------------------- */

#define NOISY                                                                                                           \
  "<framepos name='p' objtype='site' objname='tip' noise='.01'/><framequat name='q' objtype='site' objname='tip' "      \
  "noise='.02'/><framezaxis name='z' objtype='site' objname='tip' noise='.03'/><touch name='t' site='tip' noise='.5'/>" \
  "<rangefinder name='r' site='tip' noise='.1'/><clock name='plain'/>"

/* Of number k over many places: mean and deviation of its difference from what it is without noise. */
static void moments_of(cdn_state *state, const char *name, int k, double exact, double *mean, double *deviation) {
  const cdn_measure measure = cdn_system_find_measure(cdn_state_system(state), name);
  double sum = 0, squares = 0;
  enum { DRAWS = 4000 };
  for (int i = 0; i < DRAWS; i++) {
    OK_ON(state, cdn_state_set_random(state, &(cdn_random_place){ .seed = 3, .count = (uint64_t)i }));
    const double *value = cdn_measure_value(state, measure);
    ck_assert_ptr_nonnull(value);
    double length = 0;
    for (int n = 0; n < cdn_measure_size(cdn_state_system(state), measure); n++) length += value[n] * value[n];
    ck_assert(strchr("qz", name[0]) == NULL || fabs(length - 1) < 1e-14);
    sum += value[k] - exact, squares += (value[k] - exact) * (value[k] - exact);
  }
  *mean = sum / DRAWS, *deviation = sqrt(squares / DRAWS);
}

START_TEST(noise_is_drawn_when_asked_for) {
  cdn_model *silent = load(NOISY, CDN_OK, NULL), *noisy = NULL, *told = NULL;
  ck_assert_int_eq(cdn_system_random_ticket(cdn_model_system(silent)).i, 0);
  cdn_model_options options = cdn_default_model_options();
  options.noise = true, options.seed = 3;
  static const char text[] = "<mujoco>" ARM "<sensor>" NOISY "</sensor></mujoco>";
  static const char asks[] =
      "<mujoco><option><flag sensornoise='enable'/></option>" ARM "<sensor>" NOISY "</sensor></mujoco>";
  OK(cdn_model_load_string(text, strlen(text), "m.xml", &options, &noisy));
  options = cdn_default_model_options(), options.seed = 3, options.strict = true;
  OK(cdn_model_load_string(asks, strlen(asks), "m.xml", &options, &told));
  cdn_state *exact, *state, *other;
  OK(cdn_state_create(cdn_model_system(silent), &exact));
  OK(cdn_state_create(cdn_model_system(noisy), &state));
  OK(cdn_state_create(cdn_model_system(told), &other));
  const cdn_system *system = cdn_model_system(noisy);
  static const struct {
    const char *name;
    int k;
    double deviation;
  } rows[] = { { "p", 2, 0.01 }, { "q", 1, 0.01 }, { "z", 0, 0.03 } }; /* a turn of a is a quaternion's a / 2 */
  for (int i = 0; i < CDNI_COUNT(rows); i++) {
    const cdn_measure measure = cdn_system_find_measure(system, rows[i].name);
    double mean, deviation, expected = rows[i].deviation;
    /* At the default coordinates the frame turns about z alone. */
    moments_of(state, rows[i].name, rows[i].k, cdn_measure_value(exact, measure)[rows[i].k], &mean, &deviation);
    NEAR(mean, 0, 5 * expected / sqrt(4000));
    NEAR(deviation, expected, 5 * expected / sqrt(2 * 4000));
    const double *here = cdn_measure_value(state, measure), *there;
    OK_ON(other, cdn_state_set_random(other, &(cdn_random_place){ .seed = 3, .count = 3999 }));
    there = cdn_measure_value(other, measure);
    ck_assert(here[0] == there[0] && here[1] == there[1]);
  }
  double mean, deviation;
  moments_of(state, "t", 0, 0, &mean, &deviation); /* the positive half of the draws */
  NEAR(mean, 0.5 / sqrt(2 * PI), 5 * 0.3 / sqrt(4000));
  ck_assert(*cdn_measure_value(state, cdn_system_find_measure(system, "t")) >= 0);
  ck_assert(*cdn_measure_value(state, cdn_system_find_measure(system, "r")) == -1); /* nothing is there */
  cdn_state_destroy(exact);
  cdn_state_destroy(state);
  cdn_state_destroy(other);
  cdn_model_destroy(silent);
  cdn_model_destroy(noisy);
  cdn_model_destroy(told);
}
END_TEST

/* ---- what nobody reads ---------------------------------------------------------------------------- */

/* A run of a second; q at its end. *computed: how many values of measures were found at the ends of its steps. */
static double run(const char *sensors, int *computed) {
  cdn_model *model = load(sensors, CDN_OK, NULL);
  const cdn_system *system = cdn_model_system(model);
  cdn_state *state;
  cdn_stepper *stepper;
  OK(cdn_state_create(system, &state));
  OK_ON(state, cdn_body_set_q(state, cdn_model_body(model, 0), 1, &(double){ 1 }));
  OK_ON(state, cdn_stepper_create(state, NULL, &stepper));
  const cdn_state *now = cdn_stepper_state(stepper);
  *computed = 0;
  while (cdn_state_time(now) < 1) {
    OK_STEP(stepper, cdn_stepper_step(stepper, 1));
    for (int i = 0; i < cdn_system_measure_count(system); i++)
      *computed += cdni_state_is_valid(now, cdn_measure_ticket(system, (cdn_measure){ i }));
  }
  const double end = cdn_state_q(now)[0];
  cdn_stepper_destroy(stepper);
  cdn_state_destroy(state);
  cdn_model_destroy(model);
  return end;
}

START_TEST(what_nobody_reads_is_not_computed) {
  int computed;
  const double alone = run("", &computed);
  ck_assert(
      run("<force site='tip'/><torque site='tip'/><touch site='tip'/><rangefinder site='tip'/><accelerometer "
          "site='tip'/><gyro site='tip'/><subtreeangmom body='arm'/><jointpos joint='hinge'/><contact geom1='g' "
          "data='found force'/><distance geom1='g' body2='arm'/><e_kinetic/><framepos objtype='geom' objname='g'/>"
          "<magnetometer site='tip'/><insidesite site='tip' objtype='geom' objname='g'/>",
          &computed) == alone);
  ck_assert_int_eq(computed, 0);
}
END_TEST

START_TEST(memory_may_run_out) {
  static const char sensors[] =
      "<framepos objtype='site' objname='tip' reftype='xbody' refname='ball'/><clock/>"
      "<subtreeangmom name='L' body='arm'/><jointpos joint='hinge' cutoff='1'/><touch site='tip'/>"
      "<contact geom1='g' body2='arm' data='found force' num='2'/><distance geom1='g' body2='arm'/>"
      "<jointlimitfrc joint='hinge'/><insidesite site='tip' objtype='geom' objname='g'/><rangefinder site='tip'/>";
  counting_allocator memory = { 0 };
  const cdn_allocator a = allocator_of(&memory);
  cdn_model_destroy(load(sensors, CDN_OK, &a));
  const int64_t calls = memory.calls;
  for (int64_t k = 1; k <= calls; k++) {
    memory = (counting_allocator){ .fail_at = k };
    cdn_model_destroy(load(sensors, CDN_ERR_NOMEM, &a));
    ck_assert_msg(memory.outstanding == 0 && memory.misuse == 0, "call %d: %d blocks left", (int)k,
                  (int)memory.outstanding);
  }
}
END_TEST

CHECK_MAIN("sensors", sensors_are_measures, what_is_not_read_is_listed, mistakes_have_a_line, memory_may_run_out,
           stops_are_limits, noise_is_drawn_when_asked_for, what_nobody_reads_is_not_computed)
