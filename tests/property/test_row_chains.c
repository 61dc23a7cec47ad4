/* Exact rows on every joint of long chains: their forces are those of inverse dynamics, and passes stay few. */
#include "../unit/row_rig.h"

enum { MOST = 1000 };

typedef struct chain {
  cdn_state *state;
  cdn_subsystem provider;
} chain;

static double target(int i) { return 0.1 * sin(i); }

/* udot of every joint. Numbers: bounds. */
static cdn_status hold_joints(const row_source *s, cdn_state *state, cdn_row_list *rows) {
  (void)state;
  for (int i = 1; i <= s->body.i; i++) {
    cdn_row_def def = cdn_default_row_def();
    def.lower = s->numbers[0], def.upper = s->numbers[1], def.target[0] = target(i);
    cdn_row_list_add(rows, &def);
    cdn_row_list_add_mobility(rows, (cdn_body){ i }, 0, 1);
  }
  return CDN_OK;
}

/* The tips of links, relative to Ground, along x. */
static cdn_status hold_tips(const row_source *s, cdn_state *state, cdn_row_list *rows) {
  (void)state;
  for (int i = 1; i <= s->body.i; i++) {
    cdn_row_def def = cdn_default_row_def();
    def.lower = s->numbers[0], def.upper = s->numbers[1], def.target[0] = target(i);
    cdn_row_list_add(rows, &def);
    cdn_row_list_add_point(rows, (cdn_body){ i }, v(0, -1, 0), v(1, 0, 0));
  }
  return CDN_OK;
}

static chain make_chain(int links, cdn_status (*calc)(const row_source *, cdn_state *, cdn_row_list *), double lower,
                        double upper) {
  chain c;
  cdn_system *system = cdn_system_create(NULL);
  cdn_body b = ground;
  double u[MOST];
  for (int i = 0; i < links; i++) {
    cdn_body_def def = cdn_default_body_def();
    def.mobilizer = CDN_PIN, def.parent = b;
    def.mass = (cdn_mass_properties){ 1, v(0, -0.5, 0), { 1, 1, 1, 0, 0, 0 } };
    def.X_PF.p = v(0, i > 0 ? -1 : 0, 0);
    b = cdn_system_add_body(system, &def);
    u[i] = 1e-3 * cos(i);
  }
  cdn_system_add_gravity(system, NULL, v(3, -9.81, 0));
  c.provider = add_rows(system, (row_source){ .calc = calc, .body = b, .numbers = { lower, upper } });
  OK_FREEZE(system);
  OK(cdn_state_create(system, &c.state));
  OK(cdn_state_set_u(c.state, u));
  cdn_system_release(system);
  return c;
}

static const double *forces_of(const chain *c, int n) {
  static double f[MOST];
  const row_source *s = cdn_subsystem_self(cdn_state_system(c->state), c->provider);
  int count;
  OK_ON(c->state, cdn_row_forces(c->state, s->set, MOST, f, &count));
  ck_assert_int_eq(count, n);
  return f;
}

static int factorizations(cdn_state *state) {
  cdn_soft_statistics stats;
  OK_ON(state, cdn_soft_get_statistics(state, &stats));
  return stats.factorizations;
}

/* Bounds that no force reaches are none. A chain of a thousand links takes as many passes as one of ten, or two
 * more. */
START_TEST(test_held_joints) {
  const int links[] = { 10, 100, 1000 };
  for (int k = 0; k < 6; k++) {
    const int n = links[k / 2];
    const double bound = k % 2 ? 1e9 : INFINITY;
    const chain c = make_chain(n, hold_joints, -bound, bound);
    const double *f = forces_of(&c, n), *udot = cdn_state_udot(c.state);
    double wanted[MOST], expected[MOST], most = 0;
    for (int i = 0; i < n; i++) wanted[i] = target(i + 1);
    OK_ON(c.state, cdn_residual(c.state, wanted, expected));
    for (int i = 0; i < n; i++) most = fmax(most, fabs(expected[i]));
    /* rounding of udot is that of the largest force on a light link; rounding of the forces is M times that */
    for (int i = 0; i < n; i++) NEAR(f[i], expected[i], 1e-14 * n * n * n * most);
    for (int i = 0; i < n; i++) NEAR(udot[i], wanted[i], 1e-14 * (10 + most));
    ck_assert_int_le(factorizations(c.state), 8);
    cdn_state_destroy(c.state);
  }
}
END_TEST

/* Joints that bear little: each one holds, or bears what it can and goes the other way. So do tips of links. */
START_TEST(test_weak_joints) {
  const double low[] = { -1, 0, -3 }, high[] = { 1, 50, 3 };
  for (int k = 0; k < 6; k++) {
    const int n = k % 2 ? 60 : 10;
    const chain c = make_chain(n, k < 4 ? hold_joints : hold_tips, low[k / 2], high[k / 2]);
    const row_source *s = cdn_subsystem_self(cdn_state_system(c.state), c.provider);
    const double *f = forces_of(&c, n), *udot = cdn_state_udot(c.state);
    double size = 0;
    int hold = 0;
    for (int i = 0; i < n; i++) size = fmax(size, fabs(udot[i]));
    for (int i = 0; i < n; i++) {
      double a = udot[i];
      if (k >= 4) {
        const cdn_body link = { i + 1 };
        const cdn_vec3 tip = v(0, -1, 0);
        cdn_vec3 A;
        OK_ON(c.state, cdn_calc_station_accelerations(c.state, udot, 1, &link, &tip, &A));
        a = A.x;
      }
      const double r = a - target(i + 1), little = 1e-11 * size * n;
      ck_assert(f[i] >= s->numbers[0] && f[i] <= s->numbers[1]);
      if (f[i] < s->numbers[1]) ck_assert_double_ge(r, -little);
      if (f[i] > s->numbers[0]) ck_assert_double_le(r, little);
      hold += f[i] > s->numbers[0] && f[i] < s->numbers[1];
    }
    ck_assert(hold > 0 && hold < n);
    cdn_state_destroy(c.state);
  }
}
END_TEST

/* Tips of links that are held: rows on bodies. */
START_TEST(test_held_tips) {
  const int links[] = { 5, 20, 60 };
  for (int k = 0; k < 3; k++) {
    const int n = links[k];
    const chain c = make_chain(n, hold_tips, -INFINITY, INFINITY);
    const double *f = forces_of(&c, n), *udot = cdn_state_udot(c.state);
    double size = 0;
    for (int i = 0; i < n; i++) size = fmax(size, fabs(f[i]));
    for (int i = 0; i < n; i++) {
      const cdn_body link = { i + 1 };
      const cdn_vec3 tip = v(0, -1, 0);
      cdn_vec3 A;
      OK_ON(c.state, cdn_calc_station_accelerations(c.state, udot, 1, &link, &tip, &A));
      NEAR(A.x, target(i + 1), 1e-13 * (1 + size));
    }
    ck_assert_int_le(factorizations(c.state), 40);
    cdn_state_destroy(c.state);
  }
}
END_TEST

CHECK_MAIN("rows on chains", test_held_joints, test_weak_joints, test_held_tips)
