/* Reading measures with their messages, and a cart that a measure pushes. */
#ifndef CARDAN_TESTS_MEASURE_RIG_H
#define CARDAN_TESTS_MEASURE_RIG_H

#include "event_rig.h"

static inline cdn_measure z_measure(cdn_system *system, const char *name, int slot) {
  return cdn_system_add_slot_measure(system, name, CDN_Z, slot);
}

/* All numbers of a measure's value, which must be there. */
static inline const double *values_in(cdn_state *state, cdn_measure m) {
  const double *value = cdn_measure_value(state, m);
  cdn_error reason;
  cdn_state_last_error(state, &reason);
  ck_assert_msg(value != NULL, "no value: [%s] %s", reason.element, reason.text);
  return value;
}

static inline double value_in(cdn_state *state, cdn_measure m) { return *values_in(state, m); }
static inline double measured(cdn_stepper *stepper, cdn_measure m) { return value_in(cdn_stepper_state(stepper), m); }

/* z[slot], as a measure that does not know its derivative. */
static inline cdn_status opaque_z_value(const void *self, cdn_state *state, int derivative, double *value) {
  (void)derivative;
  *value = cdn_state_z(state)[*(const int *)self];
  return CDN_OK;
}

static inline cdn_measure opaque_z(cdn_system *system, const char *name, int slot) {
  const cdn_measure_ops ops = {
    .struct_size = sizeof ops, .self_size = sizeof slot, .n = 1, .stage = CDN_STAGE_FORCE, .calc_value = opaque_z_value
  };
  return cdn_system_add_custom_measure(system, name, &ops, &slot);
}

/* ---- a cart of 1 kg on a slider --------------------------------------------------------------- */

typedef struct pusher {
  cdn_body cart;
  cdn_measure by;
} pusher;

static inline cdn_status push_calc(const void *self, cdn_state *state, cdn_forces *forces) {
  const pusher *p = self;
  const double *f = cdn_measure_value(state, p->by);
  if (!f) return CDN_ERR_CALLBACK;
  cdn_forces_add_mobility(forces, p->cart, 0, *f);
  return CDN_OK;
}

static inline cdn_body add_cart(cdn_system *system, double q0, double u0) {
  cdn_body_def def = cdn_default_body_def();
  def.name = "cart", def.mobilizer = CDN_SLIDER;
  def.mass.mass = 1;
  def.q0 = &q0, def.u0 = &u0;
  return cdn_system_add_body(system, &def);
}

/* The force is what the measure says. */
static inline void push_by(cdn_system *system, cdn_body cart, cdn_measure by, cdn_force_reads reads) {
  const pusher p = { cart, by };
  const cdn_ticket ticket = cdn_measure_ticket(system, by);
  cdn_force_ops ops = {
    .struct_size = sizeof ops, .reads = reads, .calc_force = push_calc, .prerequisites = &ticket, .n_prerequisites = 1
  };
  ops.subsystem.name = "push", ops.subsystem.self_size = sizeof p;
  cdn_system_add_custom_force(system, &ops, &p);
}

static inline cdn_system *audited_system(void) {
  cdn_system_def def = cdn_default_system_def();
  def.audit = true;
  return cdn_system_create(&def);
}

#endif
