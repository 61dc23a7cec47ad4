/* What follows tables: joints have the values of a table at its rows, and the derivatives of what is between them;
 * markers lead back to the poses that made them. */
#define _GNU_SOURCE
#include <cardan/follow.h>
#include <cardan/trajectory.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../check_main.h"
#include "../testing.h"

static const char *path_of(const char *name) {
  static char folder[] = "/tmp/cardan-follow-XXXXXX", path[256];
  static bool made;
  if (!made) ck_assert(mkdtemp(folder) != NULL);
  made = true;
  snprintf(path, sizeof path, "%s/%s", folder, name);
  return path;
}

static cdn_table *read_text(const char *name, const char *text) {
  cdn_table *t = NULL;
  FILE *file = fopen(path_of(name), "w");
  ck_assert_ptr_nonnull(file);
  fputs(text, file);
  fclose(file);
  OK(cdn_table_read(path_of(name), &t));
  return t;
}

/* A pin "hip", a slider "rail" on it, a ball "wrist" on that. */
static cdn_system *make_system(void) {
  cdn_system *s = cdn_system_create(NULL);
  cdn_body_def def = cdn_default_body_def();
  def.mass = (cdn_mass_properties){ 1, cdn_v3(0, -0.1, 0), { 0.1, 0.1, 0.1, 0, 0, 0 } };
  static const char *const names[] = { "hip", "rail", "wrist" };
  static const cdn_mobilizer kinds[] = { CDN_PIN, CDN_SLIDER, CDN_BALL };
  for (int i = 0; i < 3; i++) {
    def.name = def.mobilizer_name = names[i], def.mobilizer = kinds[i];
    def.parent = cdn_system_add_body(s, &def);
  }
  return s;
}

static const double degree = 3.14159265358979323846 / 180;

/* A spline through the points of a straight line is the line; lengths stay what they are, angles are turned. */
START_TEST(joints_follow_columns) {
  static const char text[] = "walk\nversion=1\nnRows=4\nnColumns=4\ninDegrees=yes\nendheader\n"
                             "time\t/jointset/leg/hip/value\trail.q\tother\n"
                             "0\t0\t1\t9\n1\t90\t1.5\t9\n2\t180\t2\t9\n4\t360\t3\t9\n";
  for (int linear = 0; linear < 2; linear++) {
    cdn_table *t = read_text("walk.mot", text);
    cdn_system *s = make_system();
    cdn_follow_def def = cdn_default_follow_def();
    def.linear = linear;
    bool used[4];
    int n;
    OK(cdn_system_follow_table(s, t, &def, used, &n));
    ck_assert(n == 2 && !used[0] && used[1] && used[2] && !used[3]);
    OK(cdn_system_freeze(s));
    cdn_state *state = NULL;
    OK(cdn_state_create(s, &state));
    for (double time = -1; time < 6; time += 0.37) {
      OK(cdn_state_set_time(state, time));
      OK(cdn_realize(state, CDN_STAGE_ACCELERATION));
      AT_MOST(fabs(cdn_state_q_eff(state)[0] - 90 * degree * time), 1e-14 * 10);
      AT_MOST(fabs(cdn_state_q_eff(state)[1] - (1 + 0.5 * time)), 1e-14 * 10);
      AT_MOST(fabs(cdn_state_u_eff(state)[0] - 90 * degree), 1e-13);
      AT_MOST(fabs(cdn_state_u_eff(state)[1] - 0.5), 1e-13);
      AT_MOST(fabs(cdn_state_udot(state)[0]) + fabs(cdn_state_udot(state)[1]), 1e-12);
    }
    cdn_state_destroy(state);
    cdn_system_release(s);
    cdn_table_destroy(t);
  }
}
END_TEST

/* Between the rows of sin(t), 0.05 apart, a cubic spline is off by 5/384 h^4 at most in the middle of the table. */
START_TEST(splines_have_derivatives) {
  enum { ROWS = 200 };
  const double h = 0.05;
  char *text = malloc(ROWS * 64 + 64);
  int at = sprintf(text, "time,hip\n");
  for (int i = 0; i < ROWS; i++) at += sprintf(text + at, "%.17g,%.17g\n", i * h, sin(i * h));
  cdn_table *t = read_text("sine.csv", text);
  free(text);
  cdn_system *s = make_system();
  OK(cdn_system_follow_table(s, t, NULL, NULL, NULL));
  OK(cdn_system_freeze(s));
  cdn_state *state = NULL;
  OK(cdn_state_create(s, &state));
  for (double time = 3; time < 7; time += 0.0173) {
    OK(cdn_state_set_time(state, time));
    OK(cdn_realize(state, CDN_STAGE_ACCELERATION));
    AT_MOST(fabs(cdn_state_q_eff(state)[0] - sin(time)), 5. / 384 * h * h * h * h * 1.01);
    AT_MOST(fabs(cdn_state_u_eff(state)[0] - cos(time)), 1. / 24 * h * h * h * 1.01);
    AT_MOST(fabs(cdn_state_udot(state)[0] + sin(time)), 3. / 8 * h * h * 1.01);
  }
  cdn_state_destroy(state);
  cdn_system_release(s);
  cdn_table_destroy(t);
}
END_TEST

START_TEST(tables_that_do_not_fit) {
  static const struct {
    const char *text, *says;
    cdn_status status;
  } wrong[] = { { "time,knee\n0,1\n1,2\n", "no column has the name of a joint", CDN_ERR_ARG },
                { "t,hip\n0,1\n1,2\n", "'time'", CDN_ERR_ARG },
                { "time,hip\n0,1\n", "2 to", CDN_ERR_ARG },
                { "time,hip\n0,1\n1,2\n1,3\n", "do not increase", CDN_ERR_ARG },
                { "time,hip\n0,1\n1,nan\n2,3\n", "'hip' has no number in row 1", CDN_ERR_NONFINITE },
                { "time,wrist[0]\n0,1\n1,2\n", "quaternion", CDN_ERR_ARG } };
  for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
    cdn_table *t = read_text("wrong.csv", wrong[i].text);
    cdn_system *s = make_system();
    const cdn_status status = cdn_system_follow_table(s, t, NULL, NULL, NULL);
    ck_assert_msg(status == wrong[i].status && strstr(cdn_last_error_text(), wrong[i].says), "%s: %s", wrong[i].text,
                  cdn_last_error_text());
    FAILS(cdn_system_follow_table(NULL, t, NULL, NULL, NULL), CDN_ERR_ARG);
    FAILS(cdn_system_follow_table(s, NULL, NULL, NULL, NULL), CDN_ERR_ARG);
    OK(cdn_system_freeze(s));
    FAILS(cdn_system_follow_table(s, t, NULL, NULL, NULL), CDN_ERR_FROZEN);
    cdn_system_release(s);
    cdn_table_destroy(t);
  }
}
END_TEST

/* ---- markers ---- */

static const char arm[] =
    "<mujoco><worldbody><body name='upper'><joint name='shoulder' axis='0 1 0'/>"
    "<geom size='0.1' mass='1'/><site name='elbow mark' pos='0.3 0.02 0'/>"
    "<body name='lower' pos='0.3 0 0'><joint name='elbow' axis='0 1 0'/><geom size='0.1' mass='1'/>"
    "<site name='wrist' pos='0.25 0 0.01'/><site name='tip' pos='0.3 0.03 0'/></body></body>"
    "</worldbody></mujoco>";

/* Markers of known poses, in mm, one of them not seen now and then. */
START_TEST(markers_lead_back) {
  enum { FRAMES = 20, MARKERS = 3 };
  cdn_model *model = NULL;
  cdn_state *state = NULL;
  OK(cdn_model_load_string(arm, strlen(arm), "arm.xml", NULL, &model));
  OK(cdn_state_create(cdn_model_system(model), &state));
  static const char *const names[MARKERS] = { "elbow mark", "wrist", "tip" };
  char *text = malloc(FRAMES * 400 + 1000);
  int at = sprintf(text,
                   "PathFileType\t4\t(X/Y/Z)\tarm.trc\nDataRate\tCameraRate\tNumFrames\tNumMarkers\tUnits\t"
                   "OrigDataRate\tOrigDataStartFrame\tOrigNumFrames\n100\t100\t%d\t4\tmm\t100\t1\t%d\n"
                   "Frame#\tTime\telbow mark\t\t\tstranger\t\t\twrist\t\t\ttip\t\t\n\t\tX1\tY1\tZ1\tX2\tY2\tZ2\tX3"
                   "\tY3\tZ3\tX4\tY4\tZ4\n\n",
                   FRAMES, FRAMES);
  double pose[FRAMES][2];
  for (int f = 0; f < FRAMES; f++) {
    pose[f][0] = 0.5 * sin(0.2 * f), pose[f][1] = 0.8 * cos(0.3 * f) - 0.9;
    OK(cdn_state_set_q(state, pose[f]));
    at += sprintf(text + at, "%d\t%.17g", f + 1, f / 100.);
    for (int i = 0; i < MARKERS; i++) {
      cdn_model_frame frame;
      cdn_vec3 p;
      OK(cdn_model_find_frame(model, names[i], &frame));
      OK(cdn_body_station(state, frame.body, frame.X_BF.p, &p, NULL));
      if (i == 1) at += sprintf(text + at, "\t1\t2\t3");
      if (i == 2 && f % 3 == 0) at += sprintf(text + at, "\t\t\t");
      else at += sprintf(text + at, "\t%.17g\t%.17g\t%.17g", 1e3 * p.x, 1e3 * p.y, 1e3 * p.z);
    }
    at += sprintf(text + at, "\n");
  }
  cdn_table *t = read_text("arm.trc", text);
  free(text);
  ck_assert_int_eq(cdn_table_row_count(t), FRAMES);
  ck_assert(!cdn_table_is_cut(t));
  cdn_assembly *assembly = NULL;
  int n, columns[4];
  cdn_vec3 markers[4];
  OK(cdn_assembly_create(cdn_model_system(model), NULL, &assembly));
  OK(cdn_assembly_add_table_markers(assembly, model, t, columns, &n));
  ck_assert(n == MARKERS && columns[0] == 1 && columns[1] == 7 && columns[2] == 10);
  for (int f = 0; f < FRAMES; f++) {
    cdn_assembly_report report;
    OK(cdn_table_markers(t, f, n, columns, markers));
    OK(cdn_track(assembly, state, f / 100., n, markers, &report));
    ck_assert_int_eq(report.markers, f % 3 == 0 ? 2 : 3);
    AT_MOST(report.marker_rms, 1e-9);
    AT_MOST(fabs(cdn_state_q(state)[0] - pose[f][0]) + fabs(cdn_state_q(state)[1] - pose[f][1]), 1e-7);
  }
  FAILS(cdn_table_markers(t, FRAMES, n, columns, markers), CDN_ERR_ARG);
  columns[0] = 11;
  FAILS(cdn_table_markers(t, 0, n, columns, markers), CDN_ERR_ARG);
  cdn_table *none = read_text("none.csv", "time,a.x,a.y,a.z\n0,1,2,3\n");
  FAILS(cdn_assembly_add_table_markers(assembly, model, none, columns, &n), CDN_ERR_ARG);
  cdn_table_destroy(none);
  cdn_table_destroy(t);
  cdn_assembly_destroy(assembly);
  cdn_state_destroy(state);
  cdn_model_destroy(model);
}
END_TEST

CHECK_MAIN("follow", joints_follow_columns, splines_have_derivatives, tables_that_do_not_fit, markers_lead_back)
