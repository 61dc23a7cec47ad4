/* Subsystems that move: a circuit as auxiliary states, an oscillator with coordinates but without matter. */
#include "bare_system.h"

/* ---- an electric circuit as z --------------------------------------------------------------- */

/* A source, a resistor, a coil and a capacitor in series: charge' = current, L current' = V - R current - charge/C. */
typedef struct circuit {
  cdn_zvar y;       /* charge, current */
  cdn_dvar parts;   /* R, L, C */
  cdn_dvar voltage; /* switched from outside */
  cdn_cache drop;   /* voltages over the three parts */
  cdn_autovar peak; /* the largest charge at any step */
} circuit;
typedef struct drop {
  double resistor, coil, capacitor;
} drop;

static cdn_status calc_drop(const void *self, cdn_state *state, void *out) {
  const circuit *c = self;
  const double *y = cdn_state_zvar(state, c->y), *p = cdn_state_parameters(state, c->parts);
  const double *v = cdn_state_discrete(state, c->voltage);
  drop *d = out;
  d->resistor = p[0] * y[1];
  d->capacitor = y[0] / p[2];
  d->coil = *v - d->resistor - d->capacitor;
  return CDN_OK;
}

static cdn_status calc_peak(const void *self, cdn_state *state, void *out) {
  const circuit *c = self;
  const double *before = cdn_state_discrete(state, c->peak.variable), *y = cdn_state_zvar(state, c->y);
  *(double *)out = fmax(*before, y[0]);
  return CDN_OK;
}

static cdn_status declare_circuit(void *self, cdn_declarer *d) {
  circuit *c = self;
  const double parts[3] = { 2, 0.5, 0.02 }, y0[2] = { 0.1, 0 }, voltage = 0, peak = 0.1;
  c->y = cdn_declare_z(d, 2, y0);
  c->parts = cdn_declare_parameters(d, "parts", 3, parts);
  c->voltage = cdn_declare_discrete(d, "voltage", sizeof voltage, &voltage, CDN_STAGE_TIME);
  cdn_ticket reads[] = { c->y.ticket, c->parts.ticket, c->voltage.ticket };
  c->drop = cdn_declare_cache(d, "drop", sizeof(drop), calc_drop, 3, reads);
  c->peak = cdn_declare_auto_update(d, "peak", sizeof peak, &peak, calc_peak, 1, &c->y.ticket);
  return CDN_OK;
}

static cdn_status circuit_zdot(const void *self, cdn_state *state, double *zdot) {
  const circuit *c = self;
  const drop *d = cdn_eval(state, c->drop);
  if (!d || !cdn_eval(state, c->peak.update)) return CDN_ERR_CALLBACK;
  zdot[0] = cdn_state_zvar(state, c->y)[1];
  zdot[1] = d->coil / cdn_state_parameters(state, c->parts)[1];
  return CDN_OK;
}

static const cdn_subsystem_ops circuit_ops = { .struct_size = sizeof circuit_ops,
                                               .name = "circuit",
                                               .self_size = sizeof(circuit),
                                               .declare = declare_circuit,
                                               .calc_zdot = circuit_zdot };

/* Charge at t of the under-damped circuit, from q0 and no current, towards C V. */
static double charge(double q0, double voltage, double t) {
  const double R = 2, L = 0.5, C = 0.02, a = R / (2 * L), w = sqrt(1 / (L * C) - a * a), rest = C * voltage;
  return rest + (q0 - rest) * exp(-a * t) * (cos(w * t) + a / w * sin(w * t));
}

START_TEST(test_circuit) {
  double previous = INFINITY;
  for (double accuracy = 1e-4; accuracy > 1e-11; accuracy *= 0.01) {
    cdn_system *system = bare_system(true);
    circuit blank = { .peak = { .variable = { 0, { 0 } } } };
    cdn_subsystem id = cdn_system_add_subsystem(system, &circuit_ops, &blank);
    cdn_state *state = bare_state(system);
    const circuit *c = cdn_subsystem_self(system, id);
    ck_assert_int_eq(cdn_system_nq(system), 0);
    ck_assert_int_eq(cdn_system_nu(system), 0);
    ck_assert_int_eq(cdn_system_nz(system), 2);
    NEAR(cdn_state_zdot(state)[1], -0.1 / 0.02 / 0.5, 1e-14);

    cdn_stepper *stepper = NULL;
    cdn_stepper_def def = cdn_default_stepper_def();
    def.accuracy = accuracy;
    OK_ON(state, cdn_stepper_create(state, &def, &stepper));
    double worst = 0;
    for (int i = 1; i <= 20; i++) {
      OK_STEP(stepper, cdn_stepper_advance(stepper, 0.1 * i, NULL));
      worst = fmax(worst, fabs(cdn_state_z(cdn_stepper_state(stepper))[0] - charge(0.1, 0, 0.1 * i)));
    }
    AT_MOST(worst, 20 * accuracy);
    AT_MOST(worst, fmax(0.1 * previous, 1e-14));
    previous = worst;
    /* the peak was the start; it is kept through steps, and belongs to accepted ones only */
    const double *peak = cdn_state_discrete(cdn_stepper_state(stepper), c->peak.variable);
    ck_assert_double_eq(*peak, 0.1);

    cdn_certificate certificate;
    OK_STEP(stepper, cdn_stepper_certificate(stepper, &certificate));
    ck_assert_double_eq(certificate.energy_final, 0); /* nothing mechanical here */
    ck_assert_double_eq(certificate.energy_residual, 0);
    cdn_stepper_destroy(stepper);
    cdn_state_destroy(state);
  }
}
END_TEST

START_TEST(test_circuit_switched) {
  /* switch the source on at t = 0 of a second State: parameters and discrete variables belong to the State */
  cdn_system *system = bare_system(true);
  circuit blank = { .peak = { .variable = { 0, { 0 } } } };
  cdn_subsystem id = cdn_system_add_subsystem(system, &circuit_ops, &blank);
  cdn_state *off = bare_state(system), *on = NULL;
  const circuit *c = cdn_subsystem_self(system, id);
  OK(cdn_state_create(system, &on));
  double volts = 12, zero[2] = { 0, 0 };
  OK(cdn_state_set_discrete(on, c->voltage, &volts));
  OK(cdn_state_set_zvar(on, c->y, zero));
  OK(cdn_state_set_zvar(off, c->y, zero));
  ck_assert_double_eq(cdn_state_zdot(on)[1], 12 / 0.5);
  ck_assert_double_eq(cdn_state_zdot(off)[1], 0);
  cdn_stepper *stepper = NULL;
  cdn_stepper_def def = cdn_default_stepper_def();
  def.accuracy = 1e-9;
  OK_ON(on, cdn_stepper_create(on, &def, &stepper));
  OK_STEP(stepper, cdn_stepper_advance(stepper, 0.5, NULL));
  NEAR(cdn_state_z(cdn_stepper_state(stepper))[0], charge(0, 12, 0.5), 1e-8);
  /* the largest charge seen at the steps is close below that of the first swing, at half a period */
  double w = sqrt(1 / (0.5 * 0.02) - 4),
         peak = *(const double *)cdn_state_discrete(cdn_stepper_state(stepper), c->peak.variable);
  AT_MOST(peak, charge(0, 12, PI / w) + 1e-8);
  ck_assert_double_gt(peak, 0.95 * charge(0, 12, PI / w));
  cdn_stepper_destroy(stepper);
  cdn_state_destroy(on);
  cdn_state_destroy(off);
}
END_TEST

/* ---- coordinates without matter ------------------------------------------------------------- */

static cdn_status declare_oscillator(void *self, cdn_declarer *d) {
  const double q0 = 1, u0 = 0;
  (void)self;
  cdn_declare_qu(d, 1, &q0, 1, &u0);
  return CDN_OK;
}

static cdn_status oscillator_udot(const void *self, cdn_state *state, double *udot) {
  (void)self;
  udot[0] = -4 * cdn_state_q(state)[0];
  return CDN_OK;
}

START_TEST(test_coordinates_of_a_subsystem) {
  static const cdn_subsystem_ops ops = {
    .struct_size = sizeof ops, .name = "oscillator", .declare = declare_oscillator, .calc_udot = oscillator_udot
  };
  cdn_system *system = bare_system(true);
  cdn_system_add_subsystem(system, &ops, NULL);
  cdn_state *state = bare_state(system);
  ck_assert_int_eq(cdn_system_nq(system), 1);
  ck_assert_int_eq(cdn_system_nu(system), 1);
  ck_assert_double_eq(cdn_state_udot(state)[0], -4);
  ck_assert_double_eq(cdn_state_qdot(state)[0], 0);
  cdn_stepper *stepper = NULL;
  cdn_stepper_def def = cdn_default_stepper_def();
  def.accuracy = 1e-9;
  OK_ON(state, cdn_stepper_create(state, &def, &stepper));
  OK_STEP(stepper, cdn_stepper_advance(stepper, 3, NULL));
  NEAR(cdn_state_q(cdn_stepper_state(stepper))[0], cos(6), 1e-7);
  NEAR(cdn_state_u(cdn_stepper_state(stepper))[0], -2 * sin(6), 1e-7);
  cdn_stepper_destroy(stepper);
  cdn_state_destroy(state);
}
END_TEST

CHECK_MAIN("circuit", test_circuit, test_circuit_switched, test_coordinates_of_a_subsystem)
