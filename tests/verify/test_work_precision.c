/* Error delivered against accuracy asked, and what it costs, on bodies; energies over long times. */
#include <stdio.h>

#include "runs.h"

enum { LINKS = 10, REPORTS = 10 };

/* Ten rods on pins whose axes turn from link to link, released near hanging. */
static cdn_state *rods(void) {
  cdn_system *system = cdn_system_create(NULL);
  cdn_body parent = cdn_ground();
  for (int i = 0; i < LINKS; i++) {
    cdn_vec3 axis = i % 3 == 0 ? cdn_v3(1, 0, 0) : i % 3 == 1 ? cdn_v3(0, 1, 0) : cdn_v3(0.3, 0.2, 1);
    parent = add_pin(system, NULL, parent, axis, cdn_v3(0, 0, i ? -0.3 : 0),
                     solid(1, cdn_v3(0.01, 0.02, -0.15), 0.03, 0.03, 0.004));
  }
  cdn_system_add_gravity(system, "gravity", cdn_v3(0, 0, -9.81));
  cdn_state *state = state_of(system);
  double q[LINKS], u[LINKS];
  for (int i = 0; i < LINKS; i++) {
    q[i] = 0.15 * sin(i + 1.0);
    u[i] = 0.2 * cos(2.0 * i);
  }
  OK(cdn_state_set_q(state, q));
  OK(cdn_state_set_u(state, u));
  return state;
}

typedef struct run {
  double y[REPORTS][2 * LINKS];
  cdn_certificate c;
} run;

static void run_rods(cdn_method method, double accuracy, run *out) {
  cdn_state *state = rods();
  cdn_stepper *stepper = NULL;
  cdn_stepper_def def = cdn_default_stepper_def();
  def.method = method;
  def.accuracy = accuracy;
  OK_ON(state, cdn_stepper_create(state, &def, &stepper));
  for (int i = 0; i < REPORTS; i++) {
    OK_STEP(stepper, cdn_stepper_advance(stepper, i + 1, NULL));
    memcpy(out->y[i], cdn_state_q(cdn_stepper_state(stepper)), sizeof(double) * LINKS);
    memcpy(out->y[i] + LINKS, cdn_state_u(cdn_stepper_state(stepper)), sizeof(double) * LINKS);
  }
  OK_STEP(stepper, cdn_stepper_certificate(stepper, &out->c));
  cdn_stepper_destroy(stepper);
  cdn_state_destroy(state);
}

/* Largest root mean square over q or u of any report; speeds relative above 1. */
static double error_of(const run *a, const run *truth) {
  double worst = 0;
  for (int i = 0; i < REPORTS; i++) {
    double q = 0, u = 0;
    for (int k = 0; k < LINKS; k++) {
      double of_q = a->y[i][k] - truth->y[i][k], of_u = a->y[i][LINKS + k] - truth->y[i][LINKS + k];
      of_u /= fmax(1, fabs(truth->y[i][LINKS + k]));
      q += of_q * of_q;
      u += of_u * of_u;
    }
    worst = fmax(worst, sqrt(fmax(q, u) / LINKS));
  }
  return worst;
}

START_TEST(delivers_what_is_asked) {
  static const cdn_method methods[] = { CDN_METHOD_DEFAULT, CDN_METHOD_MERSON,           CDN_METHOD_DORMAND_PRINCE,
                                        CDN_METHOD_ADAMS,   CDN_METHOD_DORMAND_PRINCE_8, CDN_METHOD_FEHLBERG };
  run truth, other, r;
  /* two methods that have nothing in common agree on the truth */
  run_rods(CDN_METHOD_DORMAND_PRINCE_8, 1e-13, &truth);
  run_rods(CDN_METHOD_ADAMS, 1e-13, &other);
  AT_MOST(error_of(&other, &truth), 5e-11);
  for (int m = 0; m < 6; m++) {
    for (int k = 3; k <= 9; k++) {
      double accuracy = pow(10, -k);
      run_rods(methods[m], accuracy, &r);
      double error = error_of(&r, &truth);
      if (getenv("CARDAN_TEST_VERBOSE"))
        printf("method %d at %.0e: error %.2e = %6.2f of it, %5d evaluations\n", (int)methods[m], accuracy, error,
               error / accuracy, (int)r.c.evaluations);
      AT_MOST(error, 10 * accuracy);
    }
  }
}
END_TEST

START_TEST(tight_accuracy_is_cheap) {
  run pair, eighth, adams;
  run_rods(CDN_METHOD_DORMAND_PRINCE, 1e-9, &pair);
  run_rods(CDN_METHOD_DORMAND_PRINCE_8, 1e-9, &eighth);
  run_rods(CDN_METHOD_ADAMS, 1e-9, &adams);
  AT_MOST((double)eighth.c.evaluations, 0.5 * (double)pair.c.evaluations);
  AT_MOST((double)adams.c.evaluations, 0.7 * (double)eighth.c.evaluations);
}
END_TEST

/* ---- energy of a conservative motion over long times, by fixed steps -------------------------------- */

/* Energy of a pendulum of 1 m: largest departure in the first and in the last tenth of 500 s. */
static void swing(cdn_method method, double h, double *first, double *last) {
  cdn_system *system = cdn_system_create(NULL);
  cdn_body rod =
      add_pin(system, "rod", cdn_ground(), cdn_v3(0, 1, 0), cdn_v3(0, 0, 0), point_mass(1, cdn_v3(0, 0, -1)));
  cdn_system_add_gravity(system, "gravity", cdn_v3(0, 0, -9.81));
  cdn_state *state = state_of(system);
  cdn_stepper *stepper = NULL;
  cdn_stepper_def def = cdn_default_stepper_def();
  def.method = method;
  def.fixed_step = h;
  OK(cdn_body_set_q(state, rod, 1, (double[]){ 1 }));
  OK_ON(state, cdn_stepper_create(state, &def, &stepper));
  double start = 0;
  *first = *last = 0;
  for (int i = 0; i <= 5000; i++) {
    double kinetic, potential, off;
    if (i) OK_STEP(stepper, cdn_stepper_advance(stepper, 0.1 * i, NULL));
    OK(cdn_kinetic_energy(cdn_stepper_state(stepper), &kinetic));
    OK(cdn_potential_energy(cdn_stepper_state(stepper), &potential));
    if (i == 0) start = kinetic + potential;
    off = fabs(kinetic + potential - start);
    if (i <= 500) *first = fmax(*first, off);
    if (i >= 4500) *last = fmax(*last, off);
  }
  cdn_stepper_destroy(stepper);
  cdn_state_destroy(state);
}

START_TEST(symplectic_methods_keep_energy_in_bounds) {
  double first, last;
  swing(CDN_METHOD_VERLET, 0.01, &first, &last);
  AT_MOST(first, 3e-3); /* (w h)^2 / 8 of the energy's scale */
  AT_MOST(last, 1.05 * first);
  swing(CDN_METHOD_SEMI_EXPLICIT_EULER, 0.01, &first, &last);
  AT_MOST(first, 0.2); /* w h / 2 */
  AT_MOST(last, 1.05 * first);
  /* and the explicit trapezoid does not */
  swing(CDN_METHOD_TRAPEZOID, 0.01, &first, &last);
  AT_MOST(3 * first, last);
}
END_TEST

CHECK_MAIN("work and precision", delivers_what_is_asked, tight_accuracy_is_cheap,
           symplectic_methods_keep_energy_in_bounds)
