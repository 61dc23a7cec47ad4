/* Captured steps with shapes that touch rigidly: heaps, which crowd moments, against what must be so (energy, momentum,
 * no overlap, rest), and scenes whose bodies do not act on each other, against closed forms. */
#include "hybrid_scenes.h"

static const double G = 9.81;
enum { MOST_BODIES = 40 };

typedef struct heap {
  cdn_system *system;
  double mu, e;
  int n;
  double q[7 * MOST_BODIES], u[6 * MOST_BODIES];
} heap;

static heap begin_heap(double gravity, double mu, double e) {
  heap h = { .system = cdn_system_create(NULL), .mu = mu, .e = e };
  cdn_contact_def contact = cdn_default_contact_def();
  contact.model = CDN_CONTACT_RIGID;
  cdn_system_set_contact(h.system, &contact);
  cdn_system_add_gravity(h.system, "gravity", cdn_v3(0, 0, -gravity));
  return h;
}

static void put(heap *h, cdn_body body, cdn_geometry geometry) {
  cdn_contact_material m = cdn_default_contact_material();
  cdn_shape_def d = cdn_default_shape_def();
  m.static_friction = m.dynamic_friction = h->mu, m.restitution = h->e;
  d.body = body, d.geometry = geometry, d.material = &m;
  cdn_system_add_shape(h->system, &d);
}

static void put_floor(heap *h) { put(h, cdn_ground(), (cdn_geometry){ .kind = CDN_GEOMETRY_HALF_SPACE }); }

/* A ball or a box of half the edge a at p, of mass 1. */
static void drop(heap *h, bool ball, double a, cdn_vec3 p) {
  cdn_body_def d = cdn_default_body_def();
  const double J = ball ? 0.4 * a * a : 2 * a * a / 3;
  d.mobilizer = CDN_FREE, d.mass = (cdn_mass_properties){ 1, { 0, 0, 0 }, { J, J, J, 0, 0, 0 } };
  put(h, cdn_system_add_body(h->system, &d),
      (cdn_geometry){ .kind = ball ? CDN_GEOMETRY_SPHERE : CDN_GEOMETRY_BOX, .size = { a, ball ? 0 : a, a } });
  double *q = h->q + 7 * h->n++;
  q[0] = 1, q[4] = p.x, q[5] = p.y, q[6] = p.z;
}

static cdn_stepper *run_of(heap *h, double accuracy, bool companion) {
  cdn_state *state = hybrid_state(h->system, h->q, h->u);
  cdn_stepper *run = NULL;
  cdn_stepper_def def = cdn_default_stepper_def();
  def.accuracy = accuracy, def.companion = companion;
  OK_ON(state, cdn_stepper_create(state, &def, &run));
  cdn_state_destroy(state);
  return run;
}

static double energy_of(cdn_state *state, double *kinetic) {
  double potential;
  OK_ON(state, cdn_kinetic_energy(state, kinetic));
  OK_ON(state, cdn_potential_energy(state, &potential));
  return *kinetic + potential;
}

/* The deepest overlap of any two shapes. */
static double overlap_of(cdn_state *state) {
  const int n = cdn_system_shape_count(cdn_state_system(state));
  double worst = 0;
  for (int i = 0; i < n; i++)
    for (int j = i + 1; j < n; j++) {
      cdn_proximity near;
      if (cdn_shapes_distance(state, (cdn_shape){ i }, (cdn_shape){ j }, &near) == CDN_OK)
        worst = fmax(worst, -near.distance);
    }
  return worst;
}

/* Looks at the run each 0.05 s: no look shows more energy than the last one, but for what putting down overlaps has
 * given, and what steps of second order leave; and no overlap but what paths bend within a step. Returns the kinetic
 * energy at the end. */
static double fall(cdn_stepper *run, double accuracy, int looks, double deepest) {
  cdn_state *state = cdn_stepper_state(run);
  double kinetic, before = energy_of(state, &kinetic), lifted = 0;
  const double start = before;
  for (int k = 1; k <= looks; k++) {
    OK_STEP(run, cdn_stepper_advance(run, 0.05 * k, NULL));
    const cdn_hybrid_totals totals = cdn_hybrid_get_totals(state);
    const double now = energy_of(state, &kinetic);
    AT_MOST(now, before + fmax(0, totals.lift_energy - lifted) + accuracy * accuracy * start);
    AT_MOST(overlap_of(state), deepest);
    before = now, lifted = totals.lift_energy;
  }
  const cdn_hybrid_totals totals = cdn_hybrid_get_totals(state);
  ck_assert_double_gt(totals.crowded_steps, 20);
  /* of boxes that fall from heights that differ by some 1e-4 m: from 1.0e-3 to 1.6e-3 */
  AT_MOST(fabs(totals.lift_energy), 2e-3 * start);
  return kinetic;
}

/* Layers of four, each turned a little against the one below. Plastic ones come to rest. */
static void pile(heap *h, int layers, bool balls, bool boxes) {
  put_floor(h);
  for (int i = 0; i < 4 * layers; i++) {
    const double angle = acos(-1) / 2 * i + 0.4 * (i / 4), r = 0.26 + 0.003 * (i % 3);
    const bool ball = balls && (!boxes || i % 2);
    drop(h, ball, 0.1, cdn_v3(r * cos(angle), r * sin(angle), 0.2 + 0.36 * (i / 4) + 0.011 * (i % 4)));
    const double turn[4] = { 1, 0.2 * (i % 3), 0.15 - 0.1 * (i % 2), 0.5 * angle };
    const double size = sqrt(cdn_dot(cdn_v3(turn[1], turn[2], turn[3]), cdn_v3(turn[1], turn[2], turn[3])) + 1);
    for (int k = 0; k < 4; k++) h->q[7 * i + k] = turn[k] / size;
  }
}

START_TEST(a_heap_falls_and_rests) {
  heap h = begin_heap(G, 0.5, 0);
  pile(&h, 3, _i != 1, _i != 0);
  cdn_stepper *run = run_of(&h, 1e-2, false);
  const double kinetic = fall(run, 1e-2, 40, 1e-4);
  if (_i == 1) AT_MOST(kinetic, 1e-12); /* balls roll away */
  cdn_stepper_destroy(run);
}
END_TEST

/* With restitution and without friction, too. */
START_TEST(a_heap_that_bounces_gains_nothing) {
  heap h = begin_heap(G, _i ? 0.3 : 0, 0.6);
  pile(&h, 3, true, false);
  cdn_stepper *run = run_of(&h, 3e-3, false);
  fall(run, 3e-3, 20, 1e-5);
  cdn_stepper_destroy(run);
}
END_TEST

/* Balls in space fly at each other: nothing but their contacts changes their momentum, and the contacts do not. About
 * the origin it follows from the speeds of balls: the sum of x cross v + J w. */
START_TEST(what_meets_in_space_keeps_its_momentum) {
  heap h = begin_heap(0, 0.4, 0.2);
  for (int i = 0; i < 27; i++) {
    const double x[3] = { i % 3 - 1, i / 3 % 3 - 1, i / 9 - 1 };
    drop(&h, true, 0.1,
         cdn_v3(0.23 * x[0] + 0.01 * x[1] * x[2], 0.24 * x[1] - 0.015 * x[2] + 0.004 * x[0],
                0.235 * x[2] + 0.02 * x[0] * x[1]));
    for (int k = 0; k < 3; k++) h.u[6 * i + 3 + k] = -3 * x[k] - 0.3 * x[(k + 1) % 3] * x[(k + 2) % 3] + 0.5;
  }
  cdn_stepper *run = run_of(&h, 1e-2, false);
  OK_STEP(run, cdn_stepper_advance(run, 0.5, NULL));
  const double *q = cdn_state_q(cdn_stepper_state(run)), *u = cdn_state_u(cdn_stepper_state(run));
  ck_assert_double_gt(cdn_hybrid_get_totals(cdn_stepper_state(run)).crowded_steps, 0);
  double p[2][3] = { { 0 } }, L[2][3] = { { 0 } };
  for (int k = 0; k < 2; k++)
    for (int i = 0; i < h.n; i++) {
      const double *x = (k ? q : h.q) + 7 * i + 4, *w = (k ? u : h.u) + 6 * i, *v = w + 3;
      for (int a = 0; a < 3; a++) {
        const int b = (a + 1) % 3, c = (a + 2) % 3;
        p[k][a] += v[a], L[k][a] += x[b] * v[c] - x[c] * v[b] + 0.004 * w[a];
      }
    }
  for (int a = 0; a < 3; a++) {
    NEAR(p[1][a], p[0][a], 1e-10);
    NEAR(L[1][a], L[0][a], 1e-9);
  }
  cdn_stepper_destroy(run);
}
END_TEST

/* Boxes that fall flat, side by side: each lies on the floor after sqrt(2 height / g), whatever order they are added
 * in. */
START_TEST(what_lands_flat_stays_in_any_order) {
  static const double height = 0.02, apart = 0.004;
  heap h = begin_heap(G, 0.5, 0);
  put_floor(&h);
  for (int i = 0; i < MOST_BODIES; i++) {
    const int k = _i ? MOST_BODIES - 1 - i : i;
    drop(&h, false, 0.05, cdn_v3(0.2 * k, 0, 0.05 + height + apart * k));
  }
  cdn_stepper *run = run_of(&h, 1e-2, false);
  OK_STEP(run, cdn_stepper_advance(run, 0.15, NULL));
  ck_assert_double_gt(cdn_hybrid_get_totals(cdn_stepper_state(run)).crowded_steps, 0);
  const double *q = cdn_state_q(cdn_stepper_state(run)), fallen = G / 2 * 0.15 * 0.15;
  for (int i = 0; i < h.n; i++) {
    const int k = _i ? MOST_BODIES - 1 - i : i;
    NEAR(q[7 * i + 4], 0.2 * k, 1e-11);
    NEAR(q[7 * i + 6], 0.05 + fmax(0, height + apart * k - fallen), 1e-10);
  }
  cdn_stepper_destroy(run);
}
END_TEST

/* Balls side by side: the mean error of heights falls at least with the power 0.8 of the step, and all together are no
 * more than the run says. */
START_TEST(captured_balls_converge) {
  static const double accuracies[] = { 8e-3, 2e-3 };
  double errors[2];
  for (int k = 0; k < 2; k++) {
    heap h = begin_heap(G, 0.5, 0.7);
    put_floor(&h);
    double sum = 0, start[MOST_BODIES];
    for (int i = 0; i < MOST_BODIES; i++) {
      start[i] = 0.05 + 0.001 * i + 0.0007 * ((i * 37) % 11);
      drop(&h, true, 0.04, cdn_v3(0.1 * i, 0, 0.04 + start[i]));
    }
    cdn_stepper *run = run_of(&h, accuracies[k], false);
    OK_STEP(run, cdn_stepper_advance(run, 0.35, NULL));
    const double *q = cdn_state_q(cdn_stepper_state(run));
    const cdn_hybrid_totals totals = cdn_hybrid_get_totals(cdn_stepper_state(run));
    for (int i = 0; i < h.n; i++) sum += fabs(q[7 * i + 6] - 0.04 - bouncing_height(G, start[i], h.e, 0.35));
    ck_assert_double_gt(totals.crowded_steps, 5);
    AT_MOST(sum, totals.crowded_error);
    errors[k] = sum / h.n;
    cdn_stepper_destroy(run);
  }
  AT_MOST(errors[1], errors[0] * pow(accuracies[1] / accuracies[0], 0.8));
}
END_TEST

/* The companion finds every event: what the verdict says is delivered is so. */
START_TEST(the_verdict_on_balls_is_honest) {
  heap h = begin_heap(G, 0.5, 0.5);
  double worst = 0;
  put_floor(&h);
  for (int i = 0; i < 20; i++) drop(&h, true, 0.04, cdn_v3(0.1 * i, 0, 0.09 + 0.002 * i));
  cdn_stepper *run = run_of(&h, 1e-2, true);
  OK_STEP(run, cdn_stepper_advance(run, 0.3, NULL));
  const double *q = cdn_state_q(cdn_stepper_state(run));
  for (int i = 0; i < h.n; i++)
    worst = fmax(worst, fabs(q[7 * i + 6] - 0.04 - bouncing_height(G, 0.05 + 0.002 * i, h.e, 0.3)));
  cdn_certificate c;
  OK_STEP(run, cdn_stepper_certificate(run, &c));
  ck_assert_double_gt(cdn_hybrid_get_totals(cdn_stepper_state(run)).crowded_steps, 0);
  if (c.delivered == CDN_VERDICT_DELIVERED) AT_MOST(worst, 1e-2);
  cdn_stepper_destroy(run);
}
END_TEST

/* Boxes that fall on each other, askew. Captured steps meet their corners and edges early, and what follows is another
 * motion: if the verdict says that the accuracy was delivered, a run of a much higher one must agree. */
static heap tower(int n) {
  heap h = begin_heap(G, 0.5, 0);
  put_floor(&h);
  for (int i = 0; i < n; i++) {
    const double angle = acos(-1) / 2 * i + 0.4 * (i / 4), r = 0.091 + 0.001 * (i % 3);
    drop(&h, false, 0.1, cdn_v3(r * cos(angle), r * sin(angle), 0.2 + 0.36 * i));
    const double turn[4] = { 1, 0.2 * (i % 3), 0.15 - 0.1 * (i % 2), 0.5 * angle };
    double size = 0;
    for (int k = 0; k < 4; k++) size = hypot(size, turn[k]);
    for (int k = 0; k < 4; k++) h.q[7 * i + k] = turn[k] / size;
  }
  return h;
}

START_TEST(the_verdict_on_boxes_is_honest) {
  static const double accuracies[] = { 1e-3, 2.2e-4 }, until = 0.65;
  heap h = tower(6), exact = tower(6);
  cdn_stepper *run = run_of(&h, accuracies[_i], true), *other = run_of(&exact, 1e-6, false);
  OK_STEP(run, cdn_stepper_advance(run, until, NULL));
  OK_STEP(other, cdn_stepper_advance(other, until, NULL));
  const double *q = cdn_state_q(cdn_stepper_state(run)), *at = cdn_state_q(cdn_stepper_state(other));
  double worst = 0;
  for (int i = 0; i < 7 * h.n; i++) worst = fmax(worst, fabs(q[i] - at[i]));
  cdn_certificate c;
  OK_STEP(run, cdn_stepper_certificate(run, &c));
  ck_assert_double_gt(cdn_hybrid_get_totals(cdn_stepper_state(run)).crowded_steps, 0);
  if (c.delivered == CDN_VERDICT_DELIVERED) AT_MOST(worst, 3 * accuracies[_i]);
  cdn_stepper_destroy(run);
  cdn_stepper_destroy(other);
}
END_TEST

/* ---- dominoes ---- */

typedef struct row {
  int n;
  double mu, accuracy;
} row;

/* The first leans so far that it falls on the second. All are as wide as each other, so that corners are on the sides
 * of the next one, and at the end each lies on others along whole edges: friction holds them in many ways. */
static heap dominoes(int n, double mu) {
  static const double size[3] = { 0.008, 0.044, 0.089 }, mass = 0.09, lean = 0.15;
  heap h = begin_heap(G, mu, 0);
  put_floor(&h);
  for (int i = 0; i < n; i++) {
    const double *s = size, x = s[0] * s[0], y = s[1] * s[1], z = s[2] * s[2];
    cdn_body_def d = cdn_default_body_def();
    d.mobilizer = CDN_FREE;
    d.mass = (cdn_mass_properties){ mass,
                                    { 0, 0, 0 },
                                    { mass / 3 * (y + z), mass / 3 * (x + z), mass / 3 * (x + y), 0, 0, 0 } };
    const cdn_geometry box = { .kind = CDN_GEOMETRY_BOX, .size = { s[0], s[1], s[2] } };
    put(&h, cdn_system_add_body(h.system, &d), box);
    double *q = h.q + 7 * h.n++;
    const double angle = i == 0 ? lean : 0;
    q[0] = cos(angle / 2), q[2] = sin(angle / 2), q[4] = 0.05 * i, q[6] = s[2] * cos(angle) + s[0] * sin(angle);
  }
  return h;
}

/* They wedge and jam, so that no accelerations agree with friction, and slip by the rounding of a jam. */
START_TEST(dominoes_fall_and_rest) {
  static const row rows[] = { { 3, 1, 1e-3 }, { 3, 0.3, 3.7e-4 }, { 4, 0.6, 1e-3 } };
  const row *r = &rows[_i];
  heap h = dominoes(r->n, r->mu);
  cdn_stepper *run = run_of(&h, r->accuracy, false);
  cdn_state *state = cdn_stepper_state(run);
  double kinetic, least = energy_of(state, &kinetic), lifted = 0;
  for (int k = 1; k <= 30; k++) {
    OK_STEP(run, cdn_stepper_advance(run, 0.05 * k, NULL));
    const cdn_hybrid_totals totals = cdn_hybrid_get_totals(state);
    const double now = energy_of(state, &kinetic);
    AT_MOST(now, least + fmax(0, totals.lift_energy - lifted) + 1e-2 * r->accuracy);
    AT_MOST(overlap_of(state), 2e-2 * r->accuracy);
    least = fmin(least, now), lifted = totals.lift_energy;
  }
  AT_MOST(kinetic, 1e-12);
  cdn_stepper_destroy(run);
}
END_TEST

static void add(TCase *c) {
  tcase_add_loop_test(c, a_heap_falls_and_rests, 0, 3);
  tcase_add_loop_test(c, a_heap_that_bounces_gains_nothing, 0, 2);
  tcase_add_test(c, what_meets_in_space_keeps_its_momentum);
  tcase_add_loop_test(c, what_lands_flat_stays_in_any_order, 0, 2);
  tcase_add_test(c, captured_balls_converge);
  tcase_add_test(c, the_verdict_on_balls_is_honest);
  tcase_add_loop_test(c, the_verdict_on_boxes_is_honest, 0, 2);
  tcase_add_loop_test(c, dominoes_fall_and_rest, 0, 3);
}

CHECK_MAIN_OF("hybrid heaps", 60, add)
