/* How a System answers the pushes of a moment, as a law of impact is told: against dense matrices, for random trees of
 * which constraints connect some. Rows of different trees are answered together, which must not show. */
#include <cardan/cardan.h>

#include "math/lu.h"
#include "random_tree.h"

enum { MOST_BODIES = 14, MOST_STRUTS = 12, MOST_RODS = 2, MOST_SPEEDS = 6 * MOST_BODIES };

/* Struts between random points, in the place where they begin to push; rods hold others together. */
typedef struct scene {
  int bodies, struts, rods;
  int parent[MOST_BODIES + 1], kind[MOST_BODIES + 1];
  cdn_vec3 at[MOST_BODIES + 1], off[MOST_BODIES + 1]; /* origins, in Ground and from the parent */
  int ends[MOST_STRUTS + MOST_RODS][2];
  cdn_vec3 points[MOST_STRUTS + MOST_RODS][2];
} scene;

static cdn_vec3 anywhere(rng *r) { return cdn_v3(uniform(r, -1, 1), uniform(r, -1, 1), uniform(r, -1, 1)); }

static scene draw(rng *r) {
  scene s = { .bodies = 2 + (int)pick(r, MOST_BODIES - 1), .struts = 1 + (int)pick(r, MOST_STRUTS) };
  s.rods = (int)pick(r, MOST_RODS + 1);
  for (int i = 1; i <= s.bodies; i++) {
    s.parent[i] = uniform(r, 0, 1) < 0.5 ? 0 : (int)pick(r, (uint64_t)i);
    s.kind[i] = (int)pick(r, 3), s.off[i] = anywhere(r);
    s.at[i] = cdn_add(s.at[s.parent[i]], s.off[i]);
  }
  for (int k = 0; k < s.struts + s.rods; k++) {
    s.ends[k][0] = (int)pick(r, (uint64_t)s.bodies + 1);
    do s.ends[k][1] = 1 + (int)pick(r, (uint64_t)s.bodies);
    while (s.ends[k][1] == s.ends[k][0]);
    for (int e = 0; e < 2; e++) s.points[k][e] = anywhere(r);
  }
  return s;
}

static cdn_constraint add_rod(cdn_system *system, const scene *s, int k) {
  char name[20];
  const int a = s->ends[k][0], b = s->ends[k][1];
  const cdn_vec3 from = cdn_add(s->at[a], s->points[k][0]), to = cdn_add(s->at[b], s->points[k][1]);
  snprintf(name, sizeof name, "rod %d", k);
  return cdn_system_constrain_rod(system, name, (cdn_body){ a }, s->points[k][0], (cdn_body){ b }, s->points[k][1],
                                  cdn_norm(cdn_sub(to, from)));
}

static cdn_state *build(const scene *s, const cdn_impact_def *impact) {
  static const cdn_mobilizer kinds[] = { CDN_PIN, CDN_FREE, CDN_TRANSLATION };
  cdn_system *system = cdn_system_create(NULL);
  cdn_state *state = NULL;
  for (int i = 1; i <= s->bodies; i++) {
    cdn_body_def d = cdn_default_body_def();
    d.parent = (cdn_body){ s->parent[i] }, d.mobilizer = kinds[s->kind[i]], d.X_PF.p = s->off[i];
    d.mass = (cdn_mass_properties){ 1 + 0.1 * i, { 0.1, 0.2, -0.1 }, { 0.3, 0.4, 0.5, 0, 0, 0 } };
    cdn_system_add_body(system, &d);
  }
  for (int k = 0; k < s->struts + s->rods; k++) {
    cdn_one_sided_def side = cdn_default_one_sided_def();
    side.constraint = add_rod(system, s, k);
    if (impact && k < s->struts) cdn_system_make_one_sided(system, &side);
  }
  if (impact) cdn_system_set_impact(system, impact);
  OK(cdn_system_freeze(system));
  OK(cdn_state_create(system, &state));
  cdn_system_release(system);
  return state;
}

/* What the law is told. */
typedef struct told {
  int rows, element[MOST_STRUTS];
  double response[MOST_STRUTS * MOST_STRUTS];
} told;

static cdn_status listen(const void *self, const cdn_impact_set *set, double *impulses) {
  told *to = *(told *const *)self;
  (void)impulses;
  to->rows = set->rows;
  for (int i = 0; i < set->n; i++) to->element[set->contacts[i].normal_row] = set->contacts[i].normal.i;
  memcpy(to->response, set->response, (size_t)(set->rows * set->rows) * sizeof(double));
  return CDN_ERR_ARG; /* that is all */
}

/* X: solutions of M x + B^T l = g, B x = 0 for the rows g of the struts that take part, of which B are the rods. */
static void expect(const scene *s, const told *heard) {
  cdn_state *state = build(s, NULL);
  const int nu = cdn_system_nu(cdn_state_system(state)), all = s->struts + s->rods, n = nu + s->rods;
  static double M[MOST_SPEEDS * MOST_SPEEDS], G[(MOST_STRUTS + MOST_RODS) * MOST_SPEEDS],
      A[(MOST_SPEEDS + MOST_RODS) * (MOST_SPEEDS + MOST_RODS)], x[MOST_SPEEDS + MOST_RODS];
  OK_ON(state, cdn_realize(state, CDN_STAGE_VELOCITY));
  OK_ON(state, cdn_calc_M(state, M));
  OK_ON(state, cdn_calc_G(state, G));
  ck_assert_int_eq(cdn_system_nudoterr(cdn_state_system(state)), all);
  double largest = 0;
  for (int k = 0; k < heard->rows * heard->rows; k++) largest = fmax(largest, fabs(heard->response[k]));
  for (int c = 0; c < heard->rows; c++) {
    memset(A, 0, sizeof A), memset(x, 0, sizeof x);
    for (int i = 0; i < nu; i++) {
      for (int j = 0; j < nu; j++) A[i * n + j] = M[i * nu + j];
      for (int b = 0; b < s->rods; b++) A[i * n + nu + b] = A[(nu + b) * n + i] = G[(s->struts + b) * nu + i];
      x[i] = G[heard->element[c] * nu + i];
    }
    if (!cdni_eliminate(n, 100, A, 1, x)) break; /* rods that hold nothing, or the same */
    for (int r = 0; r < heard->rows; r++) {
      double w = 0;
      for (int i = 0; i < nu; i++) w += G[heard->element[r] * nu + i] * x[i];
      NEAR(heard->response[r * heard->rows + c], w, 1e-10 * largest);
    }
  }
  cdn_state_destroy(state);
}

START_TEST(a_law_is_told_how_trees_answer) {
  rng r = rng_of(31 + (uint64_t)_i);
  int heard_rows = 0;
  for (int k = 0; k < FEWER(40); k++) {
    const scene s = draw(&r);
    told heard = { 0 }, *self = &heard;
    const cdn_impact_ops ops = {
      .struct_size = sizeof ops, .name = "listens", .self_size = sizeof self, .solve = listen
    };
    cdn_impact_def impact = cdn_default_impact_def();
    impact.ops = &ops, impact.self = &self;
    cdn_state *state = build(&s, &impact);
    double u[MOST_SPEEDS];
    for (int i = 0; i < cdn_system_nu(cdn_state_system(state)); i++) u[i] = uniform(&r, -1, 1);
    OK_ON(state, cdn_state_set_u(state, u));
    OK_ON(state, cdn_project_u(state, NULL, NULL)); /* rods hold */
    (void)!cdn_settle(state, 0);
    cdn_state_destroy(state);
    if (heard.rows > 0) expect(&s, &heard);
    heard_rows += heard.rows;
  }
  ck_assert_int_gt(heard_rows, FEWER(40));
}
END_TEST

static void add(TCase *c) { tcase_add_loop_test(c, a_law_is_told_how_trees_answer, 0, 3); }

CHECK_MAIN_OF("hybrid answers", 30, add)
