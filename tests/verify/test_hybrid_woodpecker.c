/* The woodpecker toy, which climbs down its pole by impacts and friction: the linear model of Pfeiffer and Glocker, of
 * y, phi_M and phi_S. Reference values are those of its limit cycle with 30 digits
 * (../shared/hybrid/reference_values.json). */
#include "hybrid_scenes.h"
#include "problem.h"

static const double period = 0.1459760651437518, drop = 0.01944537928471653, lM = 0.01, lG = 0.015;

/* ---- its changes ---- */

/* The sleeve's angle at its ends. */
#define END 0.103448275862069

typedef struct change {
  const char *what;
  double t, y, M, S, v, wM, wS;
  double loss; /* J, of an impact */
} change;

static const change changes[] = {
  { "sleeve below lets go", 0.005820757234809802, -5.552881343107333e-5, -END, -END, -0.02859366170073768, 0,
    17.41731332857105, 0 },
  { "sleeve above touches", 0.0167098252806435, -0.002616096136109447, END, 0.06686490554872879, -0.122466897160926, 0,
    16.70945211491633, 3.876433029191648e-6 },
  { "beak touches", 0.01981117893963643, -0.002929887563391619, 0.08940385274225082, 0.12, -0.09377519167867474,
    22.87850327957143, -8.455588684110431, 9.605177075523718e-5 },
  { "sleeve above touches", 0.02039070047798867, -0.002992213586108204, END, 0.1150263272694686, 0.07225667474861843, 0,
    -6.246388756615384, 1.460270637779971e-5 },
  { "sleeve above lets go", 0.02224539127203278, -0.002876352980213196, END, END, 0.05302650577121128, 0,
    -6.240672359217889, 0 },
  { "sleeve below touches", 0.05753380196015821, -0.0054455763769449, -END, -0.09743000472042587, -0.2877100947176723,
    0, -6.270713990254869, 8.873568912529336e-6 },
  { "sleeve below touches", 0.06026253599142089, -0.006267183281611405, -END, -0.1145411153859493, -0.3137079239417247,
    0, -6.274969895002762, 1.109874194287576e-6 },
  { "sleeve below sticks", 0.1063826581442899, -0.01944537928471653, -END, -0.4686515939285134, 0, 0,
    -10.50379929471625, 0 },
  { "sleeve below slips", 0.1459760651437518, -0.01944537928471653, -END, -0.2051353492435258, 0, 0, 17.57466620557608,
    0 },
};

/* A problem of ./run accuracy, whose State is that at which the lower sleeve begins to slip. */
static cdn_state *woodpecker(void) {
  const problem *p = find_problem("rigid-woodpecker");
  return p->start(p);
}

START_TEST(a_woodpecker_climbs_down) {
  cdn_state *state = woodpecker();
  cdn_stepper *run = event_run(state, 1e-10);
  const cdn_state *now = cdn_stepper_state(run);
  double taken = 0;
  ck_assert(run_to_event(run, "statuses", 1));
  for (int round = 0; round < 3; round++)
    for (int k = 0; k < (int)(sizeof changes / sizeof *changes); k++) {
      const change *c = &changes[k];
      ck_assert(run_to_event(run, c->what, 1));
      const double *q = cdn_state_q(now), *u = cdn_state_u(now);
      NEAR(cdn_state_time(now), c->t + round * period, 1e-8);
      NEAR(q[0], c->y - round * drop, 1e-8);
      NEAR(q[1], c->M, 1e-8);
      NEAR(q[2], c->S, 1e-7); /* 1e-8 s at 17 rad/s */
      NEAR(u[0], c->v, 1e-7);
      NEAR(u[1], c->wM, 1e-5); /* the spring turns the sleeve back with 2e5 rad/s^2 */
      NEAR(u[2], c->wS, 1e-6);
      const double total = cdn_hybrid_get_totals(now).impact_energy;
      NEAR(total - taken, c->loss, 1e-11);
      taken = total;
    }
  check_verdict(run);
  end_event_run(run, state);
}
END_TEST

/* ---- how fast it comes to its limit cycle ---- */

/* The speed of the woodpecker when the lower sleeve slips next, if it slips first with this one. Slip begins at one
 * angle of it, so this speed is all that there is to change. */
static double next_speed(double speed) {
  cdn_state *state = woodpecker();
  double u[4];
  memcpy(u, cdn_state_u(state), sizeof u);
  u[2] = speed, u[3] = lG * speed;
  OK_ON(state, cdn_state_set_u(state, u));
  cdn_stepper *run = event_run(state, 1e-11);
  ck_assert(run_to_event(run, "sleeve below sticks", 1));
  ck_assert(run_to_event(run, "sleeve below slips", 1));
  const double found = cdn_state_u(cdn_stepper_state(run))[2];
  end_event_run(run, state);
  return found;
}

START_TEST(a_woodpecker_has_its_multiplier) {
  const double speed = 17.57466620557608, h = 0.02;
  double slope[2];
  for (int k = 0; k < 2; k++) {
    const double step = h / (1 + k);
    slope[k] = (next_speed(speed + step) - next_speed(speed - step)) / (2 * step);
  }
  NEAR((4 * slope[1] - slope[0]) / 3, -0.83915565, 1e-7); /* differences of runs with 1e-9 rad/s */
}
END_TEST

static void add(TCase *c) {
  tcase_add_test(c, a_woodpecker_climbs_down);
  tcase_add_test(c, a_woodpecker_has_its_multiplier);
}

CHECK_MAIN_OF("hybrid woodpecker", 60, add)
