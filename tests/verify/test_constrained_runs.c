/* Mechanisms with closed loops through time: every method, the literature, singular poses, long runs. Values are those
 * of tests/data/SOURCES.md, which were computed to more digits than are checked here. */
#include <stdio.h>
#include <stdlib.h>

#include "mechanisms.h"
#include "runs.h"

static bool verbose(void) { return getenv("CARDAN_TEST_VERBOSE") != NULL; }

/* CVODE's Adams cannot project, and refuses. */
static bool projects(int method) { return method != CDN_METHOD_CVODE_ADAMS && controls_errors(method); }
static bool is_of_low_order(int method) {
  return method == CDN_METHOD_IMPLICIT_CONTACT || (method >= CDN_METHOD_VERLET && method <= CDN_METHOD_TRAPEZOID);
}

static bool is_of_first_order(cdn_method method) {
  return method == CDN_METHOD_EXPLICIT_EULER || method == CDN_METHOD_SEMI_EXPLICIT_EULER ||
         method == CDN_METHOD_SEMI_EXPLICIT_EULER_2;
}

static cdn_stepper *stepper_for(mechanism *m, cdn_method method, double accuracy) {
  cdn_stepper *stepper = NULL;
  cdn_stepper_def def = cdn_default_stepper_def();
  def.method = method;
  def.accuracy = accuracy;
  OK_ON(m->state, cdn_stepper_create(m->state, &def, &stepper));
  return stepper;
}

/* What holds of every run: errors within the tolerance wherever one looks. */
static cdn_certificate finish(cdn_stepper *stepper, double accuracy) {
  cdn_certificate c;
  OK_STEP(stepper, cdn_stepper_certificate(stepper, &c));
  AT_MOST(c.max_position_error, accuracy / 10);
  AT_MOST(c.max_velocity_error, accuracy / 10);
  AT_MOST(c.max_constraint_error, accuracy / 10);
  return c;
}

static void release(mechanism *m, cdn_stepper *stepper) {
  cdn_stepper_destroy(stepper);
  cdn_state_destroy(m->state);
}

/* Largest error of all constraints where the State is, velocities times 0.1. */
static double error_of(cdn_state *state) {
  const cdn_system *system = cdn_state_system(state);
  double error = 0;
  for (int i = 0; i < cdn_system_nqerr(system); i++) error = fmax(error, fabs(cdn_state_qerr(state)[i]));
  for (int i = 0; i < cdn_system_nuerr(system); i++) error = fmax(error, 0.1 * fabs(cdn_state_uerr(state)[i]));
  return error;
}

/* ---- singular poses: the ladder of four-bars -------------------------------------------------------- */

/* Its rods are in line ten times in ten seconds; another motion branches off there. On its branch its first two cranks
 * stay parallel. */
static double ladder_error(mechanism m, int n, cdn_method method, double accuracy, double t, cdn_certificate *c) {
  const cdn_body next = { m.body[0].i + 1 };
  cdn_stepper *stepper = stepper_for(&m, method, accuracy);
  OK_STEP(stepper, cdn_stepper_advance(stepper, t, NULL));
  *c = finish(stepper, accuracy);
  cdn_state *state = cdn_stepper_state(stepper);
  const double angle = *cdn_body_q(state, m.body[0]), apart = fabs(angle - *cdn_body_q(state, next));
  release(&m, stepper);
  AT_MOST(apart, 10 * accuracy);
  return fabs(angle - ladder_angle(n, t));
}

START_TEST(test_reference_of_the_ladder) {
  /* IFToMM A02 at 10 s */
  NEAR(ladder_angle(1, 10), -30.34394497094312788937778, 1e-11);
  NEAR(ladder_angle(2, 10), -30.17980086019120519785003, 1e-11);
  NEAR(ladder_angle(40, 10), -30.02663741719084110064109, 1e-11);
}
END_TEST

/* Level, all rods are in line: of two equations in the plane one is left. */
START_TEST(test_the_level_pose_is_singular) {
  static const struct {
    double angle;
    int redundant;
  } poses[] = { { 0.3, 1 }, { 1e-3, 1 }, { 1e-5, 1 }, { 1e-7, 2 }, { 0, 2 } };
  for (size_t i = 0; i < sizeof poses / sizeof *poses; i++) {
    mechanism m = make_ladder(1);
    const double sign[3] = { 1, 1, -1 }; /* the coupler turns back on its crank */
    bool redundant[3];
    int n;
    for (int k = 0; k < 3; k++) {
      const double q = sign[k] * poses[i].angle;
      OK_ON(m.state, cdn_body_set_q(m.state, (cdn_body){ k + 1 }, 1, &q));
    }
    AT_MOST(error_of(m.state), 1e-15);
    OK_ON(m.state, cdn_redundant_equations(m.state, redundant, &n));
    ck_assert_msg(n == poses[i].redundant, "at %g rad: %d redundant", poses[i].angle, n);
    cdn_state_destroy(m.state);
  }
}
END_TEST

START_TEST(test_every_method_passes_the_singular_poses_of_a_four_bar) {
  const cdn_method method = (cdn_method)_i;
  if (!projects(_i)) return;
  for (double accuracy = 1e-3; accuracy > 0.5e-7; accuracy /= 10) {
    cdn_certificate c;
    if (is_of_low_order(_i) && accuracy < 0.5e-4) break;
    const double error = ladder_error(make_ladder(1), 1, method, accuracy, 10, &c);
    if (verbose())
      printf("four-bar, %-22s %.0e: error %.1e, %d steps, %d evaluations, residual %.1e\n", cdn_method_name(method),
             accuracy, error, (int)c.steps, (int)c.evaluations, c.energy_residual);
    /* Five turns, whose errors of time add up. Methods of order 1 err by the square root of the accuracy at every turn:
     * theirs are no numbers to compare. They keep energy, the symplectic ones no better, as their steps change with the
     * speed. */
    if (is_of_first_order(method)) AT_MOST(fabs(c.energy_residual), 0.6 * sqrt(accuracy));
    else AT_MOST(error, is_of_low_order(_i) ? fmax(50 * accuracy, 0.1 * sqrt(accuracy)) : 50 * accuracy);
    if (!is_of_low_order(_i)) AT_MOST(fabs(c.energy_residual), 5 * accuracy);
  }
}
END_TEST

START_TEST(test_overconstrained_loops_move_as_others_do) {
  for (double accuracy = 1e-3; accuracy > 0.5e-7; accuracy /= 100) {
    cdn_certificate c, of_pins;
    const double error = ladder_error(make_ladder(3), 3, CDN_METHOD_DEFAULT, accuracy, 10, &c);
    const double of_pinned = ladder_error(make_pinned_ladder(3), 3, CDN_METHOD_DEFAULT, accuracy, 10, &of_pins);
    if (verbose()) printf("three four-bars at %.0e: %.1e, with pins %.1e\n", accuracy, error, of_pinned);
    AT_MOST(error, 10 * accuracy);
    AT_MOST(of_pinned, 10 * accuracy);
    ck_assert_int_le(of_pins.steps, c.steps + 5);
  }
}
END_TEST

/* Between decades, too: where steps land near a pose is chance, and so is by how much they amplify rounding there. At
 * 1e-11 that is some 1e-9, with and without fused operations. */
START_TEST(test_accuracies_between_decades_pass_the_singular_poses) {
  static const int bars[] = { 1, 2, 5 };
  for (int i = 0; i <= 30; i++) {
    const double accuracy = pow(10, -2 - 0.3 * i);
    for (int k = 0; k < 3; k++) {
      cdn_certificate c;
      const double error = ladder_error(make_ladder(bars[k]), bars[k], CDN_METHOD_DEFAULT, accuracy, 10, &c);
      if (verbose()) printf("%d four-bars at %.1e: error %.3g accuracies\n", bars[k], accuracy, error / accuracy);
      AT_MOST(error, 100 * fmax(accuracy, 2e-11));
      AT_MOST(fabs(c.energy_residual), 10 * accuracy);
    }
  }
}
END_TEST

/* The same by every method, as far as it comes in a tenth of a second. IDA's iteration feels rounding before a pose is
 * near: its finer runs may fail, and say so. */
START_TEST(test_every_method_passes_the_poses_between_decades) {
  static const double finest[] = { [CDN_METHOD_MERSON] = 1e-11,
                                   [CDN_METHOD_DORMAND_PRINCE] = 1e-11,
                                   [CDN_METHOD_BOGACKI_SHAMPINE] = 1e-7,
                                   [CDN_METHOD_FEHLBERG] = 1e-11,
                                   [CDN_METHOD_DORMAND_PRINCE_8] = 1e-11,
                                   [CDN_METHOD_ADAMS] = 1e-11,
                                   [CDN_METHOD_VERLET] = 1e-4,
                                   [CDN_METHOD_TRAPEZOID] = 1e-4,
                                   [CDN_METHOD_SEMI_EXPLICIT_EULER] = 1e-4,
                                   [CDN_METHOD_SEMI_EXPLICIT_EULER_2] = 1e-4,
                                   [CDN_METHOD_EXPLICIT_EULER] = 1e-4,
                                   [CDN_METHOD_CVODE_BDF] = 1e-10,
                                   [CDN_METHOD_IDA] = 1e-8 };
  const cdn_method method = (cdn_method)_i;
  if (_i >= (int)(sizeof finest / sizeof *finest) || finest[_i] == 0) return;
  for (double x = 2.13; x < -log10(finest[_i]); x += 0.37) {
    const double accuracy = pow(10, -x);
    const int bars = x > 6 ? 1 : 2;
    cdn_certificate c;
    const double error = ladder_error(make_ladder(bars), bars, method, accuracy, 10, &c);
    if (verbose())
      printf("%d four-bars, %-22s %.1e: error %.3g accuracies, %d steps, residual %.1e\n", bars,
             cdn_method_name(method), accuracy, error / accuracy, (int)c.steps, c.energy_residual);
    if (!is_of_first_order(method)) AT_MOST(error, 100 * accuracy);
  }
}
END_TEST

/* Thirty singular poses of a parallelogram, at what most users ask for: passed on the branch that it is on, or
 * reported. */
START_TEST(test_parallelogram_for_half_a_minute) {
  for (double accuracy = 1e-3; accuracy > 0.5e-6; accuracy /= 10) {
    cdn_certificate c;
    const double error = ladder_error(make_ladder(1), 1, CDN_METHOD_DEFAULT, accuracy, 30, &c);
    if (verbose())
      printf("parallelogram, 30 s at %.0e: error %.1e, %d steps, residual %.1e\n", accuracy, error, (int)c.steps,
             c.energy_residual);
    AT_MOST(error, 50 * accuracy); /* of 90 rad */
    AT_MOST(fabs(c.energy_residual), 10 * accuracy);
  }
}
END_TEST

/* A hundred singular poses. */
START_TEST(test_long_runs_stay_on_their_branch) {
  static const cdn_method methods[] = { CDN_METHOD_DEFAULT, CDN_METHOD_ADAMS };
  for (int n = 1; n <= 9; n += 4) {
    for (int k = 0; k < 2; k++) {
      cdn_certificate c;
      const double error = ladder_error(make_ladder(n), n, methods[k], 1e-7, 100, &c);
      if (verbose())
        printf("%d four-bars, %-16s: error %.1e, %d steps, residual %.1e\n", n, cdn_method_name(methods[k]), error,
               (int)c.steps, c.energy_residual);
      AT_MOST(error, 1e-4); /* of 314 rad */
      AT_MOST(fabs(c.energy_residual), 3e-6);
    }
  }
}
END_TEST

/* ---- the literature ---------------------------------------------------------------------------------- */

/* A mechanism, how long it runs, and how far it is then from where it should be. */
typedef struct published {
  const char *name;
  mechanism (*make)(void);
  double t, factor, implicit; /* errors are at most factor * accuracy; `implicit`: those of CVODE BDF and IDA */
  double time_scale;
  double (*error)(cdn_state *state, const mechanism *m);
} published;

static double pendulum_error(cdn_state *state, const mechanism *m) {
  const double *q = cdn_body_q(state, m->body[0]), *u = cdn_body_u(state, m->body[0]);
  return fmax(fmax(fabs(q[0] - 1), fabs(q[1])), fmax(fabs(u[0]), fabs(u[1])) / 10);
}

/* At 0.03 s the crank has turned two and a half times. */
static double andrews_error(cdn_state *state, const mechanism *m) {
  return fmax(fabs(*cdn_body_q(state, m->body[0]) - 15.8107711951537070971),
              fabs(*cdn_body_u(state, m->body[0]) / 1139.9203022591060642 - 1));
}

static double crank_error(cdn_state *state, const mechanism *m) {
  return fmax(fmax(fabs(*cdn_body_q(state, m->body[0]) - 1.27567584865023941071),
                   fabs(*cdn_body_q(state, m->body[1]) - 1.0235785589798395036)),
              fmax(fabs(*cdn_body_q(state, m->body[2]) + 0.49881304918249874929),
                   fabs(*cdn_body_u(state, m->body[0]) + 0.239914997196000683926)));
}

static double apart(cdn_vec3 a, double x, double y, double z) {
  return fmax(fabs(a.x - x), fmax(fabs(a.y - y), fabs(a.z - z)));
}

static double bricard_error(cdn_state *state, const mechanism *m) {
  cdn_vec3 p2, v2, p3, v3;
  OK_ON(state, cdn_body_station(state, m->body[0], cdn_v3(0, -1, 0), &p2, &v2));
  OK_ON(state, cdn_body_station(state, m->body[1], cdn_v3(0, 0, 1), &p3, &v3));
  return fmax(apart(p2, 0.999264610089414863675, -0.999999729799615457128, -0.000735119511424841117972),
              apart(p3, 0.999999729401917774795, -1.0007353899105120206, 0.999264339690327737961));
}

/* How far its axis is down after a period of nutation. */
static double top_error(cdn_state *state, const mechanism *m) {
  const double *q = cdn_body_q(state, m->body[0]);
  return fabs(q[6] / 0.25 - 0.5);
}

static double published_error(const published *p, cdn_method method, double accuracy, cdn_certificate *c) {
  mechanism m = p->make();
  cdn_stepper_def def = cdn_default_stepper_def();
  cdn_stepper *stepper = NULL;
  def.method = method;
  def.accuracy = accuracy;
  def.time_scale = p->time_scale;
  OK_ON(m.state, cdn_stepper_create(m.state, &def, &stepper));
  for (int i = 1; i <= 20; i++) {
    OK_STEP(stepper, cdn_stepper_advance(stepper, p->t * i / 20, NULL));
    /* what is shown within steps is projected as well */
    AT_MOST(error_of(cdn_stepper_state(stepper)) * fmin(1, p->time_scale / 0.1), accuracy / 10);
  }
  const double error = p->error(cdn_stepper_state(stepper), &m);
  *c = finish(stepper, accuracy);
  release(&m, stepper);
  return error;
}

static const published cases[] = {
  { "rod pendulum, 15 periods", make_rod_pendulum, 30, 10, 50, 0.1, pendulum_error },
  { "Andrews, 0.03 s", make_andrews, 0.03, 0.1, 1, 1e-3, andrews_error },
  { "slider-crank, 10 s", make_slider_crank, 10, 1, 5, 0.1, crank_error },
  { "Bricard, 10 s", make_bricard, 10, 0.5, 1, 0.1, bricard_error },
  { "top, a nutation", make_top, 0.3286441817517896278030073, 0.1, 1, 0.1, top_error },
};
enum { N_CASES = sizeof cases / sizeof cases[0] };

START_TEST(test_published_motions) {
  static const cdn_method methods[] = { CDN_METHOD_DEFAULT, CDN_METHOD_DORMAND_PRINCE, CDN_METHOD_ADAMS,
                                        CDN_METHOD_CVODE_BDF, CDN_METHOD_IDA };
  const published *p = &cases[_i];
  for (int k = 0; k < 5; k++) {
    if (!cdn_method_is_available(methods[k])) continue;
    for (double accuracy = 1e-3; accuracy > 0.5e-9; accuracy /= 10) {
      cdn_certificate c;
      if (k >= 3 && accuracy < 0.5e-7) break;
      const double error = published_error(p, methods[k], accuracy, &c);
      if (verbose())
        printf("%-26s %-16s %.0e: error %.1e (%.3g), %d steps, %d evaluations, residual %.1e, errors %.1e %.1e\n",
               p->name, cdn_method_name(methods[k]), accuracy, error, error / accuracy, (int)c.steps,
               (int)c.evaluations, c.energy_residual, c.max_position_error / accuracy, c.max_velocity_error / accuracy);
      AT_MOST(error, (k < 3 ? p->factor : p->implicit) * accuracy);
    }
  }
}
END_TEST

static double governor_error(cdn_state *state, const mechanism *m) {
  return fmax(fabs(*cdn_body_q(state, m->body[0]) - 55.9354099091023787685) / 10,
              fmax(fabs(cdn_body_q(state, m->body[1])[1] - 0.619622917061365658823),
                   fabs(*cdn_body_q(state, m->body[2]) - 0.390073701844645080544)));
}

/* Dampers of 4e4 N s/m on 3 kg: the implicit method needs a thirtieth of the evaluations. */
START_TEST(test_governor_is_stiff) {
  static const struct {
    cdn_method method;
    double accuracy, most;
  } runs[] = { { CDN_METHOD_DORMAND_PRINCE, 1e-4, 3e-4 },
#ifdef TEST_SUNDIALS
               { CDN_METHOD_CVODE_BDF, 1e-4, 3e-4 },
               { CDN_METHOD_CVODE_BDF, 1e-6, 3e-6 },
               { CDN_METHOD_CVODE_BDF, 1e-8, 3e-8 }
#endif
  };
  for (size_t i = 0; i < sizeof runs / sizeof *runs; i++) {
    const published p = { "governor", make_governor, 10, 1, 1, 0.1, governor_error };
    cdn_certificate c;
    const double error = published_error(&p, runs[i].method, runs[i].accuracy, &c);
    if (verbose())
      printf("governor, %-16s %.0e: error %.1e, %d steps (%d stiff), %d evaluations, %d Jacobians, residual %.1e\n",
             cdn_method_name(runs[i].method), runs[i].accuracy, error, (int)c.steps, (int)c.stiff_steps,
             (int)c.evaluations, (int)c.jacobians, c.energy_residual);
    AT_MOST(error, runs[i].most);
  }
}
END_TEST

static void add(TCase *c) {
  tcase_add_test(c, test_reference_of_the_ladder);
  tcase_add_test(c, test_the_level_pose_is_singular);
  tcase_add_test(c, test_overconstrained_loops_move_as_others_do);
  tcase_add_test(c, test_accuracies_between_decades_pass_the_singular_poses);
  tcase_add_test(c, test_parallelogram_for_half_a_minute);
  tcase_add_test(c, test_long_runs_stay_on_their_branch);
  tcase_add_loop_test(c, test_every_method_passes_the_singular_poses_of_a_four_bar, 0, ALL_METHODS);
  tcase_add_loop_test(c, test_every_method_passes_the_poses_between_decades, 0, ALL_METHODS);
  tcase_add_loop_test(c, test_published_motions, 0, N_CASES);
  tcase_add_test(c, test_governor_is_stiff);
}

CHECK_MAIN_OF("runs with constraints", 300, add)
