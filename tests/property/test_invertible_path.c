/* The derivative of the inverse dynamics with invertible contact against differences. */
#include "../testing.h"
#include "random_contacts.h"
#include "studies/invertible.h"

/* Free bodies, a hinge and a slider with a limit, with balls and capsules near a floor. */
static cdn_invertible_motion *make(const cdn_invertible_law *law) {
  cdn_system *s = cdn_system_create(NULL);
  cdn_shape_def shape = cdn_default_shape_def();
  shape.geometry.kind = CDN_GEOMETRY_HALF_SPACE;
  cdn_system_add_shape(s, &shape);
  cdn_body_def body = cdn_default_body_def();
  body.mobilizer = CDN_FREE;
  body.mass = (cdn_mass_properties){ 2, { 0.01, 0.02, -0.01 }, { 0.02, 0.03, 0.025, 0.001, 0, 0.002 } };
  body.parent = cdn_system_add_body(s, &body);
  shape.body = body.parent, shape.geometry = (cdn_geometry){ .kind = CDN_GEOMETRY_SPHERE, .size = { 0.1 } };
  cdn_system_add_shape(s, &shape);
  body.mobilizer = CDN_PIN, body.X_PF.p = cdn_v3(0.25, 0, 0);
  shape.body = cdn_system_add_body(s, &body);
  shape.geometry = (cdn_geometry){ .kind = CDN_GEOMETRY_CAPSULE, .size = { 0.07, 0.1 } };
  cdn_system_add_shape(s, &shape);
  body.parent = cdn_ground(), body.mobilizer = CDN_SLIDER, body.X_PF.p = cdn_v3(0, 0.3, 0.13);
  shape.body = cdn_system_add_body(s, &body);
  shape.geometry = (cdn_geometry){ .kind = CDN_GEOMETRY_SPHERE, .size = { 0.1 } };
  cdn_system_add_shape(s, &shape);
  cdn_system_add_gravity(s, "gravity", cdn_v3(0, 0, -9.81));
  OK_FREEZE(s);
  cdn_state *state;
  OK(cdn_state_create(s, &state));
  const cdn_invertible_limit limit = { shape.body, -0.05, 0.5 };
  cdn_invertible_motion_def def = cdn_default_invertible_motion_def();
  def.law = law, def.limits = &limit, def.n_limits = 1;
  cdn_invertible_motion *motion;
  OK_ON(state, cdn_invertible_motion_create(state, &def, &motion));
  cdn_state_destroy(state);
  cdn_system_release(s);
  return motion;
}

enum { NQ = 9, NU = 8 };

/* q moved by a random displacement. */
static void step_from(cdn_invertible_motion *motion, const double *q, const double *by, double size, double *out) {
  cdn_state *state = cdn_invertible_motion_state(motion);
  double rate[NQ];
  OK_ON(state, cdn_state_set_q(state, q));
  OK_ON(state, cdn_multiply_by_N(state, by, rate));
  for (int k = 0; k < NQ; k++) out[k] = q[k] + size * rate[k];
  const double length = sqrt(out[0] * out[0] + out[1] * out[1] + out[2] * out[2] + out[3] * out[3]);
  for (int k = 0; k < 4; k++) out[k] /= length;
}

START_TEST(derivative) {
  cdn_invertible_law law = cdn_default_invertible_law();
  uint64_t seed = 1;
  int most = 0;
  for (int trial = 0; trial < 40; trial++) {
    law.kappa = trial % 2 ? 0.1 : 0.01, law.elastic = trial % 4 < 2 ? 1 : 0.1;
    law.growth = trial % 8 < 4 ? CDN_INVERTIBLE_LINEAR : CDN_INVERTIBLE_EXPONENTIAL;
    cdn_invertible_motion *motion = make(&law);
    double q[3 * NQ], moved[3 * NQ], by[NU], tau[NU], high[NU], low[NU], slope[NU * 3 * NU];
    const double at[NQ] = { 1, 0.02, -0.03, 0.01, 0, 0, 0.14, 0.1, 0.01 };
    for (int k = 0; k < NU; k++) by[k] = random_part(&seed) - 0.5;
    step_from(motion, at, by, 0.1, q);
    for (int i = 1; i < 3; i++) {
      for (int k = 0; k < NU; k++) by[k] = random_part(&seed) - 0.5;
      step_from(motion, q + (i - 1) * NQ, by, 0.01, q + i * NQ);
    }
    cdn_state *state = cdn_invertible_motion_state(motion);
    OK_ON(state, cdni_motion_inverse_at(motion, &law, q, tau, slope));
    const int contacts = motion->own[0].n;
    most = contacts > most ? contacts : most;
    double size = 0;
    for (int i = 0; i < NU * 3 * NU; i++) size = fmax(size, fabs(slope[i]));
    const double e = 1e-6;
    for (int column = 0; column < 3 * NU; column++) {
      memset(by, 0, sizeof by);
      by[column % NU] = 1;
      for (int side = -1; side < 2; side += 2) {
        memcpy(moved, q, sizeof q);
        step_from(motion, q + column / NU * NQ, by, side * e, moved + column / NU * NQ);
        OK(cdni_motion_inverse_at(motion, &law, moved, side < 0 ? low : high, NULL));
      }
      for (int i = 0; i < NU; i++) NEAR(slope[i * 3 * NU + column], (high[i] - low[i]) / (2 * e), 2e-6 * size);
    }
    cdn_invertible_motion_destroy(motion);
  }
  ck_assert_int_ge(most, 7);
}
END_TEST

CHECK_MAIN("invertible paths", derivative)
