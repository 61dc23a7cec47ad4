/* Derivatives of forces that read q, u and z by way of measures and cache entries, whatever `reads` says of them.
 * Sliders, whose derivatives are those of the force's own law over the mass. */
#include "../testing.h"

/* f = -C u - K q + A z^2 on a slider: each number by another way. */
static const double C = 3, K = 7, A = 0.5, MASS = 2;

typedef struct law {
  cdn_body body;
  cdn_measure q, u, z; /* { -1 }: not by a measure */
  cdn_cache speed;     /* its own entry */
  bool by_entry;
} law;

static cdn_status calc_speed(const void *self, cdn_state *state, void *out) {
  const double *u = cdn_body_u(state, ((const law *)self)->body);
  if (!u) return CDN_ERR_CALLBACK;
  *(double *)out = u[0];
  return CDN_OK;
}

static cdn_status declare(void *self, cdn_declarer *d) {
  law *l = self;
  if (l->by_entry) l->speed = cdn_declare_cache(d, "speed", sizeof(double), calc_speed, 1, &CDN_U_EFF);
  return CDN_OK;
}

static cdn_status calc_force(const void *self, cdn_state *state, cdn_forces *forces) {
  const law *l = self;
  double f = 0;
  if (l->by_entry) {
    const double *u = cdn_eval(state, l->speed);
    if (!u) return CDN_ERR_CALLBACK;
    f -= C * *u;
  }
  const cdn_measure reads[3] = { l->q, l->u, l->z };
  for (int k = 0; k < 3; k++) {
    if (reads[k].i < 0) continue;
    const double *x = cdn_measure_value(state, reads[k]);
    if (!x) return CDN_ERR_CALLBACK;
    f += k == 0 ? -K * *x : k == 1 ? -C * *x : A * *x * *x;
  }
  cdn_forces_add_mobility(forces, l->body, 0, f);
  return CDN_OK;
}

enum { BY_MEASURES, BY_ENTRY, BY_SUM, WAYS };

/* An audited System of one slider, whose u comes to the force one way or another. */
static cdn_system *make(int way, cdn_force_reads reads) {
  cdn_system_def audited = cdn_default_system_def();
  audited.audit = true;
  cdn_system *system = cdn_system_create(&audited);
  cdn_body_def def = cdn_default_body_def();
  def.mobilizer = CDN_SLIDER;
  def.mass.mass = MASS;
  law l = { .body = cdn_system_add_body(system, &def), .u = { -1 }, .by_entry = way == BY_ENTRY };
  l.q = cdn_system_add_coordinate_measure(system, "q", l.body, CDN_Q, 0);
  const cdn_measure u = cdn_system_add_coordinate_measure(system, "u", l.body, CDN_U, 0);
  l.z = cdn_system_add_integral_measure(system, "way", u, (const double[]){ 0.4 }, 1);
  if (way == BY_MEASURES) l.u = u;
  if (way == BY_SUM) /* 3 u - 2 u: two measures away */
    l.u = cdn_system_add_sum_measure(system, "speed", 2, (const cdn_measure[]){ u, u }, (const double[]){ 3, -2 });
  const cdn_ticket tickets[] = { cdn_measure_ticket(system, l.q), cdn_measure_ticket(system, l.z),
                                 cdn_measure_ticket(system, u), cdn_measure_ticket(system, l.u) };
  const cdn_force_ops ops = { .subsystem = { .name = "law", .self_size = sizeof l, .declare = declare },
                              .struct_size = sizeof ops,
                              .reads = reads,
                              .calc_force = calc_force,
                              .prerequisites = tickets,
                              .n_prerequisites = way == BY_MEASURES ? 3
                                                 : way == BY_SUM    ? 4
                                                                    : 2 };
  cdn_system_add_custom_force(system, &ops, &l);
  OK_FREEZE(system);
  return system;
}

START_TEST(test_what_is_read_by_way_of_others) {
  for (int way = 0; way < WAYS; way++) {
    for (int reads = CDN_READS_POSITION; reads <= CDN_READS_EVERYTHING; reads++) {
      cdn_system *system = make(way, (cdn_force_reads)reads);
      cdn_state *state = NULL;
      OK(cdn_state_create(system, &state));
      const double q = 0.3, u = -1.2, z = 0.9;
      OK(cdn_state_set_q(state, &q));
      OK(cdn_state_set_u(state, &u));
      OK(cdn_state_set_z(state, &z));
      ck_assert_ptr_nonnull(cdn_state_udot(state));
      NEAR(cdn_state_udot(state)[0], (-C * u - K * q + A * z * z) / MASS, 1e-15);
      double by_q, by_u, by_f, by_z;
      OK_ON(state, cdn_forward_dynamics_derivatives(state, &by_q, &by_u, &by_f, &by_z));
      NEAR(by_q, -K / MASS, 1e-9);
      NEAR(by_u, -C / MASS, 1e-9);
      NEAR(by_f, 1 / MASS, 1e-15);
      NEAR(by_z, 2 * A * z / MASS, 1e-9);
      const double udot = 0.5;
      OK_ON(state, cdn_inverse_dynamics_derivatives(state, &udot, &by_q, &by_u, &by_z));
      NEAR(by_q, K, 1e-9);
      NEAR(by_u, C, 1e-9);
      NEAR(by_z, -2 * A * z, 1e-9);
      cdn_state_destroy(state);
      cdn_system_release(system);
    }
  }
}
END_TEST

#ifdef TEST_SUNDIALS
/* A method that differentiates takes few steps of a damper so hard that without its derivative no step would
 * converge. */
typedef struct brake {
  cdn_body body;
  cdn_measure speed;
} brake;
static cdn_status calc_brake(const void *self, cdn_state *state, cdn_forces *forces) {
  const brake *b = self;
  const double *u = cdn_measure_value(state, b->speed);
  if (!u) return CDN_ERR_CALLBACK;
  cdn_forces_add_mobility(forces, b->body, 0, -1e6 * (*u - 1));
  return CDN_OK;
}

START_TEST(test_implicit_methods_see_it) {
  cdn_system *system = cdn_system_create(NULL);
  cdn_body_def def = cdn_default_body_def();
  def.mobilizer = CDN_SLIDER;
  def.mass.mass = 1;
  brake b = { .body = cdn_system_add_body(system, &def) };
  b.speed = cdn_system_add_coordinate_measure(system, "speed", b.body, CDN_U, 0);
  const cdn_ticket reads[] = { cdn_measure_ticket(system, b.speed) };
  const cdn_force_ops ops = { .subsystem = { .name = "brake", .self_size = sizeof b },
                              .struct_size = sizeof ops,
                              .calc_force = calc_brake,
                              .prerequisites = reads,
                              .n_prerequisites = 1 };
  cdn_system_add_custom_force(system, &ops, &b);
  OK_FREEZE(system);
  cdn_state *state = NULL;
  OK(cdn_state_create(system, &state));
  cdn_stepper_def how = cdn_default_stepper_def();
  how.method = CDN_METHOD_CVODE_BDF;
  cdn_stepper *stepper = NULL;
  OK_ON(state, cdn_stepper_create(state, &how, &stepper));
  OK_STEP(stepper, cdn_stepper_advance(stepper, 1, NULL));
  NEAR(cdn_state_u(cdn_stepper_state(stepper))[0], 1, 1e-3);
  NEAR(cdn_state_q(cdn_stepper_state(stepper))[0], 1, 1e-3);
  cdn_certificate c;
  OK(cdn_stepper_certificate(stepper, &c));
  ck_assert_int_lt(c.steps, 1000);
  cdn_stepper_destroy(stepper);
  cdn_state_destroy(state);
  cdn_system_release(system);
}
END_TEST

CHECK_MAIN("derivatives and what is read", test_what_is_read_by_way_of_others, test_implicit_methods_see_it)
#else
CHECK_MAIN("derivatives and what is read", test_what_is_read_by_way_of_others)
#endif
