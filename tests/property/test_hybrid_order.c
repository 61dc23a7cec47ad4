/* The order in which bodies and elements are declared does not matter: the same statuses, energies and motion, also
 * where pushes are not unique (boxes that lie on several corners). Random scenes in the plane that run: boxes on
 * corners, ropes between them, stops, and rods on pins that rub. Random scenes in space, of boxes that strike the
 * floor with four corners at once: the least of many solutions, also while all corners slip. */
#include <stdio.h>

#include "random_tree.h"

enum { BOXES = 3, RODS = 1, BODIES = BOXES + RODS, MOST = 40 };

typedef enum kind { CORNER, ROPE, STOP, BEARING } kind;
typedef struct element {
  kind kind;
  int a, b; /* bodies; ROPE: from a to b */
  cdn_vec3 p, p_b;
  double mu, e, length;
} element;

/* What is declared, in whatever order. */
typedef struct plan {
  bool space;
  double size[BOXES][3], mass[BODIES], q[BODIES][7], u[BODIES][6];
  element elements[MOST];
  int n;
} plan;

static int q_count(const plan *p, int b) { return b >= BOXES ? 1 : p->space ? 7 : 3; }
static int u_count(const plan *p, int b) { return b >= BOXES ? 1 : p->space ? 6 : 3; }

static element *add(plan *p, kind k, int a) {
  p->elements[p->n] = (element){ .kind = k, .a = a };
  return &p->elements[p->n++];
}

static void draw_box(plan *p, rng *r, int b, double mu, double e) {
  double *s = p->size[b], *q = p->q[b];
  for (int k = 0; k < 3; k++) s[k] = uniform(r, 0.1, 0.2);
  random_numbers(r, 1, p->u[b], 6);
  if (p->space) {
    const cdn_vec3 turn = random_vec3(r, 0.2);
    q[0] = sqrt(1 - turn.z * turn.z), q[3] = turn.z;
    q[4] = b, q[5] = 0, q[6] = s[2]; /* flat on the floor */
    p->u[b][0] *= 0.1, p->u[b][1] *= 0.1, p->u[b][5] -= 1.5;
  } else {
    q[0] = uniform(r, -0.3, 0.3), q[1] = b, q[2] = uniform(r, 0.3, 0.5);
  }
  for (int i = 0; i < (p->space ? 8 : 4); i++) {
    element *c = add(p, CORNER, b);
    c->p = cdn_v3(i & 1 ? s[0] : -s[0], i & 2 ? s[1] : -s[1], !p->space ? 0 : i & 4 ? s[2] : -s[2]);
    c->mu = mu, c->e = e;
  }
}

static plan draw(uint64_t seed, bool space) {
  rng r = rng_of(seed);
  plan p = { .space = space };
  const double mu = uniform(&r, 0, 1), e = uniform(&r, 0, 0.5);
  for (int b = 0; b < BODIES; b++) p.mass[b] = uniform(&r, 0.5, 2);
  for (int b = 0; b < BOXES; b++) draw_box(&p, &r, b, mu, e);
  for (int b = 0; b + 1 < BOXES; b++) {
    element *rope = add(&p, ROPE, b);
    rope->b = b + 1, rope->length = uniform(&r, 1.02, 1.1), rope->e = uniform(&r, 0, 0.5);
  }
  add(&p, STOP, BOXES)->length = uniform(&r, 0.2, 0.6); /* of the rod's angle */
  p.elements[p.n - 1].e = uniform(&r, 0, 0.5);
  add(&p, BEARING, BOXES)->mu = uniform(&r, 0.005, 0.05);
  p.q[BOXES][0] = uniform(&r, -1, 0), p.u[BOXES][0] = uniform(&r, 0, 2);
  return p;
}

typedef struct scene {
  cdn_state *state;
  cdn_body body[BODIES];
  cdn_one_sided side[MOST];
  cdn_dry_friction friction[MOST];
} scene;

static cdn_body add_body(cdn_system *system, const plan *p, int b) {
  cdn_body_def d = cdn_default_body_def();
  const double m = p->mass[b];
  if (b >= BOXES) {
    d.mobilizer = CDN_PIN, d.X_PF.p = cdn_v3(-3, 2, 0);
    d.mass = (cdn_mass_properties){ m, { 0, -0.4, 0 }, { 0.05 * m, 0.05 * m, 0.05 * m, 0, 0, 0 } };
  } else {
    const double *s = p->size[b], x = s[0] * s[0], y = s[1] * s[1], z = s[2] * s[2];
    d.mobilizer = p->space ? CDN_FREE : CDN_PLANAR;
    d.mass = (cdn_mass_properties){ m, { 0, 0, 0 }, { m / 3 * (y + z), m / 3 * (x + z), m / 3 * (x + y), 0, 0, 0 } };
  }
  return cdn_system_add_body(system, &d);
}

static void add_element(cdn_system *system, const plan *p, scene *s, int i) {
  const element *x = &p->elements[i];
  const cdn_vec3 o = cdn_v3(0, 0, 0), up = p->space ? cdn_v3(0, 0, 1) : cdn_v3(0, 1, 0);
  cdn_one_sided_def side = cdn_default_one_sided_def();
  side.restitution = x->e, side.upper = true;
  s->side[i].i = s->friction[i].i = -1;
  if (x->kind == CORNER) {
    cdn_rigid_contact_def c = cdn_default_rigid_contact_def();
    c.b = s->body[x->a], c.p_B = x->p, c.mu_dynamic = x->mu, c.restitution = x->e;
    c.X_AP.R = cdn_rotation_z_to(up);
    const cdn_rigid_contact made = cdn_system_add_rigid_contact(system, &c);
    s->side[i] = made.normal, s->friction[i] = made.friction;
  } else if (x->kind == ROPE) {
    side.constraint = cdn_system_constrain_rod(system, NULL, s->body[x->a], o, s->body[x->b], o, x->length);
    s->side[i] = cdn_system_make_one_sided(system, &side);
  } else if (x->kind == STOP) {
    side.constraint = cdn_system_constrain_coordinate(system, NULL, s->body[x->a], 0, x->length);
    s->side[i] = cdn_system_make_one_sided(system, &side);
  } else {
    cdn_dry_friction_def f = cdn_default_dry_friction_def();
    f.slip = cdn_system_constrain_speed(system, NULL, s->body[x->a], 0, 0);
    f.mobilizer = s->body[x->a], f.mu_dynamic = x->mu;
    s->friction[i] = cdn_system_add_dry_friction(system, &f);
  }
}

/* A permutation; of seed 0 the identity. */
static void shuffle(uint64_t seed, int *order, int n) {
  rng r = rng_of(seed);
  for (int i = 0; i < n; i++) order[i] = i;
  for (int i = n - 1; i > 0 && seed > 0; i--) {
    const int k = pick(&r, i + 1), kept = order[i];
    order[i] = order[k], order[k] = kept;
  }
}

static scene declare(const plan *p, uint64_t seed) {
  int bodies[BODIES], elements[MOST];
  scene s;
  cdn_system *system = cdn_system_create(NULL);
  shuffle(seed, bodies, BODIES), shuffle(seed, elements, p->n);
  cdn_system_add_gravity(system, "gravity", p->space ? cdn_v3(0, 0, -9.81) : cdn_v3(0, -9.81, 0));
  for (int k = 0; k < BODIES; k++) s.body[bodies[k]] = add_body(system, p, bodies[k]);
  for (int k = 0; k < p->n; k++) add_element(system, p, &s, elements[k]);
  OK_FREEZE(system);
  OK(cdn_state_create(system, &s.state));
  double q[7 * BODIES], u[6 * BODIES];
  for (int b = 0; b < BODIES; b++) {
    memcpy(q + cdn_body_first_q(system, s.body[b]), p->q[b], (size_t)q_count(p, b) * sizeof *q);
    memcpy(u + cdn_body_first_u(system, s.body[b]), p->u[b], (size_t)u_count(p, b) * sizeof *u);
  }
  OK_ON(s.state, cdn_state_set_q(s.state, q));
  OK_ON(s.state, cdn_state_set_u(s.state, u));
  cdn_system_release(system);
  return s;
}

static cdn_stepper *run_of(const scene *s) {
  cdn_stepper *run = NULL;
  cdn_stepper_def def = cdn_default_stepper_def();
  def.accuracy = 2.3e-10, def.final_time = 0.6;
  OK_ON(s->state, cdn_stepper_create(s->state, &def, &run));
  return run;
}

/* Corners of boxes that lie flat may open and close by rounding: a push that is none. */
static bool same_side(const scene *s, cdn_state *a, const scene *t, cdn_state *b, int i) {
  double push[2];
  if (cdn_one_sided_is_on(a, s->side[i]) == cdn_one_sided_is_on(b, t->side[i])) return true;
  OK_ON(a, cdn_one_sided_push(a, s->side[i], &push[0]));
  OK_ON(b, cdn_one_sided_push(b, t->side[i], &push[1]));
  return fabs(push[0]) < 1e-7 && fabs(push[1]) < 1e-7;
}

static void compare(const plan *p, const scene *s, cdn_state *a, const scene *t, cdn_state *b) {
  const double at = cdn_state_time(a);
  for (int k = 0; k < BODIES; k++) {
    const double *qa = cdn_body_q(a, s->body[k]), *qb = cdn_body_q(b, t->body[k]);
    const double *ua = cdn_body_u(a, s->body[k]), *ub = cdn_body_u(b, t->body[k]);
    for (int i = 0; i < q_count(p, k); i++)
      ck_assert_msg(fabs(qa[i] - qb[i]) < 1e-9, "at %g, body %d, q[%d]: %.12g, %.12g", at, k, i, qa[i], qb[i]);
    for (int i = 0; i < u_count(p, k); i++)
      ck_assert_msg(fabs(ua[i] - ub[i]) < 1e-8, "at %g, body %d, u[%d]: %.12g, %.12g", at, k, i, ua[i], ub[i]);
  }
  for (int i = 0; i < p->n; i++) {
    double push[2];
    if (s->side[i].i < 0) continue;
    ck_assert_msg(same_side(s, a, t, b, i), "at %g: element %d is on in one of the two", at, i);
    OK_ON(a, cdn_one_sided_push(a, s->side[i], &push[0]));
    OK_ON(b, cdn_one_sided_push(b, t->side[i], &push[1]));
    ck_assert_msg(fabs(push[0] - push[1]) < 1e-6, "at %g: element %d pushes with %.12g, %.12g", at, i, push[0],
                  push[1]);
  }
  const cdn_hybrid_totals x = cdn_hybrid_get_totals(a), y = cdn_hybrid_get_totals(b);
  NEAR(x.impact_energy, y.impact_energy, 1e-8);
}

START_TEST(order_does_not_matter_in_a_run) {
  const plan p = draw(100 + (uint64_t)_i, false);
  const scene s = declare(&p, 0), t = declare(&p, 7 + (uint64_t)_i);
  cdn_stepper *a = run_of(&s), *b = run_of(&t);
  for (int k = 1; k <= 12; k++) {
    OK_STEP(a, cdn_stepper_advance(a, 0.05 * k, NULL));
    OK_STEP(b, cdn_stepper_advance(b, 0.05 * k, NULL));
    compare(&p, &s, cdn_stepper_state(a), &t, cdn_stepper_state(b));
  }
  cdn_stepper_destroy(a), cdn_stepper_destroy(b);
  cdn_state_destroy(s.state), cdn_state_destroy(t.state);
}
END_TEST

/* The largest difference of speeds and impulses that the order makes when a scene is settled. */
static double settle(uint64_t seed) {
  const plan p = draw(1000 + seed, true);
  const scene s = declare(&p, 0), t = declare(&p, 3 + seed);
  double worst = 0;
  OK_ON(s.state, cdn_settle(s.state, 1e-9));
  OK_ON(t.state, cdn_settle(t.state, 1e-9));
  for (int k = 0; k < BODIES; k++)
    for (int i = 0; i < u_count(&p, k); i++)
      worst = fmax(worst, fabs(cdn_body_u(s.state, s.body[k])[i] - cdn_body_u(t.state, t.body[k])[i]));
  for (int i = 0; i < p.n; i++) {
    if (s.side[i].i < 0) continue;
    const double a = cdn_one_sided_get_change(s.state, s.side[i]).impulse[0];
    worst = fmax(worst, fabs(a - cdn_one_sided_get_change(t.state, t.side[i]).impulse[0]));
  }
  cdn_state_destroy(s.state), cdn_state_destroy(t.state);
  return worst;
}

/* Of many solutions the least is that of rows that give way by 1e-7 of the largest number: it is found so exactly, and
 * friction that slips follows it. The way there begins without pushes, so it does not depend on the order; of 3000 such
 * scenes, with three boxes each, five do, where rounding decides on the way (docs/hybrid.md, "What is missing"). Of
 * solutions without a search for the least a third does. */
START_TEST(order_does_not_matter_at_a_moment) {
  const int scenes = 300;
  int others = 0;
  for (int seed = 0; seed < scenes; seed++) others += !(settle((uint64_t)seed) < 1e-7);
  printf("%d of %d scenes depend on the order\n", others, scenes);
  AT_MOST(others, 3);
}
END_TEST

static void add_tests(TCase *c) {
  tcase_add_loop_test(c, order_does_not_matter_in_a_run, 0, 6);
  tcase_add_test(c, order_does_not_matter_at_a_moment);
}

CHECK_MAIN_OF("hybrid order", 60, add_tests)
