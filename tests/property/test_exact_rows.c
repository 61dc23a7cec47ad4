/* Exact rows on random trees, with bounds and without, beside constraints and soft rows: each one holds, or its force
 * is at a bound towards which the row is left. */
#include <math.h>

#include "../testing.h"
#include "random_constraints.h"
#include "random_tree.h"

enum { MOST_ROWS = 12, MOST_NU = 6 * TREE_MOST_BODIES };

/* A row: a station of a body along a direction, with or without one of another body, or a mobility. */
typedef struct exact_row {
  cdn_body body[2];
  cdn_vec3 station[2], direction;
  int mobility; /* of body[0]; -1: none */
  double lower, upper, target, R;
} exact_row;

typedef struct source {
  const exact_row *row;
  const int *n;
  cdn_row_set *set;
} source;

static cdn_status add_all(const void *self, cdn_state *state, cdn_row_list *list) {
  const source *s = self;
  (void)state;
  for (int i = 0; i < *s->n; i++) {
    const exact_row *r = &s->row[i];
    cdn_row_def def = cdn_default_row_def();
    def.lower = r->lower, def.upper = r->upper, def.target[0] = r->target, def.R[0] = r->R;
    cdn_row_list_add(list, &def);
    if (r->mobility >= 0) cdn_row_list_add_mobility(list, r->body[0], r->mobility, 1);
    else
      for (int k = 0; k < 2; k++)
        cdn_row_list_add_point(list, r->body[k], r->station[k], cdn_scale(k ? -1 : 1, r->direction));
  }
  return CDN_OK;
}

static cdn_status declare_source(void *self, cdn_declarer *d) {
  const cdn_row_provider provider = { .struct_size = sizeof provider, .name = "source", .calc_rows = add_all };
  *((source *)self)->set = cdn_declare_rows(d, &provider);
  return CDN_OK;
}

static void draw_row(rng *r, const cdn_system *s, int bodies, bool finite, exact_row *row) {
  const double size = exp(uniform(r, -2, 4)), first = uniform(r, -1, 1) * size,
               second = first + size * uniform(r, 0, 2);
  *row = (exact_row){ .direction = random_vec3(r, 1), .target = uniform(r, -5, 5), .mobility = -1 };
  for (int k = 0; k < 2; k++) row->station[k] = random_vec3(r, 0.5);
  row->body[0].i = 1 + pick(r, bodies), row->body[1].i = pick(r, 2) ? 0 : pick(r, bodies + 1);
  if (row->body[1].i == row->body[0].i) row->body[1].i = 0;
  const int nu = cdn_body_nu(s, row->body[0]);
  if (nu > 0 && pick(r, 3) == 0) row->mobility = pick(r, nu);
  row->lower = pick(r, 3) ? first : -INFINITY, row->upper = pick(r, 3) ? second : INFINITY;
  if (finite) row->lower = first, row->upper = second;
  if (pick(r, 4) == 0) row->R = exp(uniform(r, -30, 0));
}

/* J A of a row, and the size of its terms. */
static double left_side(cdn_state *state, const exact_row *r, double *size) {
  const double *udot = cdn_state_udot(state);
  if (r->mobility >= 0) {
    const double a = udot[cdn_body_first_u(cdn_state_system(state), r->body[0]) + r->mobility];
    *size = fabs(a);
    return a;
  }
  cdn_vec3 A[2];
  OK_ON(state, cdn_calc_station_accelerations(state, udot, 2, r->body, r->station, A));
  *size = cdn_norm(r->direction) * (cdn_norm(A[0]) + cdn_norm(A[1]));
  return cdn_dot(r->direction, cdn_sub(A[0], A[1]));
}

static int n_hold, n_bound, n_singular;

static void check(cdn_state *state, const exact_row *row, int n, cdn_row_set set, bool finite) {
  double force[MOST_ROWS], size[MOST_ROWS], r[MOST_ROWS], most = 1, strong = 0;
  int count;
  const cdn_status status = cdn_realize(state, CDN_STAGE_ACCELERATION);
  if (status == CDN_ERR_SINGULAR && !finite) {
    n_singular++;
    return;
  }
  OK_ON(state, status);
  OK_ON(state, cdn_row_forces(state, set, MOST_ROWS, force, &count));
  ck_assert_int_eq(count, n);
  for (int i = 0; i < n; i++) {
    r[i] = left_side(state, &row[i], &size[i]) - row[i].target + row[i].R * force[i];
    most = fmax(most, fmax(size[i], fabs(row[i].R * force[i]))), strong = fmax(strong, fabs(force[i]));
  }
  for (int i = 0; i < n; i++) {
    const double little = 1e-9 * most + 1e-14 * strong;
    const bool low = force[i] <= row[i].lower, high = force[i] >= row[i].upper;
    ck_assert(force[i] >= row[i].lower && force[i] <= row[i].upper);
    if (!high) ck_assert_msg(r[i] >= -little, "row %d of %d: %g of %g is left", i, n, r[i], most);
    if (!low) ck_assert_msg(r[i] <= little, "row %d of %d: %g of %g is left", i, n, r[i], most);
    n_hold += !low && !high, n_bound += low != high;
  }
}

static void run(int bodies, int constraints, int rows, bool finite, uint64_t seed) {
  static exact_row row[MOST_ROWS];
  cdn_row_set set;
  rng r = rng_of(seed + 9);
  const tree_options options = { .bodies = bodies, .shape = seed, .numbers = seed + 1, .forces = true };
  random_tree tree = make_random_tree(&options);
  if (constraints > 0) add_random_constraints(&tree, constraints, seed + 3);
  const source self = { row, &rows, &set };
  const cdn_subsystem_ops ops = {
    .struct_size = sizeof ops, .name = "source", .self_size = sizeof self, .declare = declare_source
  };
  cdn_system_add_subsystem(tree.system, &ops, &self);
  const int wanted = rows;
  rows = 0;
  cdn_state *state = random_tree_state(&tree, seed + 2);
  for (; rows < wanted; rows++) draw_row(&r, cdn_state_system(state), bodies, finite, &row[rows]);
  double t = cdn_state_time(state);
  OK(cdn_state_set_time(state, t + 1e-3));
  double u[MOST_NU];
  memcpy(u, cdn_state_u(state), (size_t)cdn_system_nu(cdn_state_system(state)) * sizeof *u);
  OK(cdn_state_set_u(state, u)); /* the rows are new */
  check(state, row, rows, set, finite);
  cdn_state_destroy(state);
}

/* Finite bounds: no rows contradict each other. */
START_TEST(test_bounded) {
  for (uint64_t i = 0; i < 400; i++) run(1 + (int)(i % 12), 0, 1 + (int)(i % 12), true, 1000 + 10 * i);
  for (uint64_t i = 0; i < 200; i++) run(3 + (int)(i % 10), 1 + (int)(i % 3), 1 + (int)(i % 12), true, 9000 + 10 * i);
  ck_assert_int_ge(n_hold, 400);
  ck_assert_int_ge(n_bound, 500);
}
END_TEST

/* Bounds on one side, or on none: few rows on many bodies seldom contradict each other. */
START_TEST(test_free) {
  for (uint64_t i = 0; i < 300; i++) run(6 + (int)(i % 12), 0, 1 + (int)(i % 4), false, 20000 + 10 * i);
  ck_assert_int_le(n_singular, 30);
  ck_assert_int_ge(n_hold, 200);
}
END_TEST

CHECK_MAIN("exact rows", test_bounded, test_free)
