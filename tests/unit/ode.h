/* Plain differential equations as Systems without bodies, for tests of the stepper. */
#ifndef CARDAN_TESTS_ODE_H
#define CARDAN_TESTS_ODE_H

#include <stdio.h>

#include "../testing.h"

enum { ODE_MOST = 4 };

/* zdot from t and z; may fail through the State. */
typedef cdn_status ode_rates(cdn_state *state, double t, const double *z, double *zdot);

typedef struct ode {
  int n;
  double z0[ODE_MOST];
  ode_rates *rates;
  cdn_zvar z; /* filled in by the System */
} ode;

static cdn_status ode_declare(void *self, cdn_declarer *d) {
  ode *o = self;
  o->z = cdn_declare_z(d, o->n, o->z0);
  return CDN_OK;
}

static cdn_status ode_zdot(const void *self, cdn_state *state, double *zdot) {
  const ode *o = self;
  return o->rates(state, cdn_state_time(state), cdn_state_zvar(state, o->z), zdot);
}

/* A State of a System that holds this equation; `allocator` may be NULL. */
static inline cdn_state *ode_state(const ode *equation, const cdn_allocator *allocator) {
  static const cdn_subsystem_ops ops = {
    .struct_size = sizeof ops,
    .name = "ode",
    .self_size = sizeof(ode),
    .declare = ode_declare,
    .calc_zdot = ode_zdot,
  };
  cdn_system_def def = cdn_default_system_def();
  if (allocator) def.allocator = *allocator;
  cdn_system *system = cdn_system_create(&def);
  cdn_state *state = NULL;
  cdn_system_add_subsystem(system, &ops, equation);
  OK_FREEZE(system);
  OK(cdn_state_create(system, &state));
  cdn_system_release(system);
  return state;
}

static inline cdn_stepper *ode_stepper(cdn_state *state, const cdn_stepper_def *def) {
  cdn_stepper *stepper = NULL;
  OK_ON(state, cdn_stepper_create(state, def, &stepper));
  return stepper;
}

static inline cdn_certificate certificate_of(cdn_stepper *stepper) {
  cdn_certificate c;
  OK_STEP(stepper, cdn_stepper_certificate(stepper, &c));
  return c;
}

/* z[0] where the stepper stands. */
static inline double z_of(cdn_stepper *stepper) { return cdn_state_z(cdn_stepper_state(stepper))[0]; }

/* Van der Pol's oscillator with mu = 1000: it creeps along a slow manifold whose attraction is a thousand times
 * faster. */
static inline cdn_status van_der_pol_rate(cdn_state *state, double t, const double *z, double *zdot) {
  (void)state, (void)t;
  zdot[0] = z[1];
  zdot[1] = 1000 * (1 - z[0] * z[0]) * z[1] - z[0];
  return CDN_OK;
}

#endif
