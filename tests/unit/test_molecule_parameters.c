/* Numbers of a force field in a State: van der Waals' and terms'; functions of one's own in the place of terms. */
#include "../molecule_system.h"

/* Four atoms in a row, the last one off the plane. */
static const double places[4][3] = { { 0, 0, 0 }, { 0.15, 0.01, 0 }, { 0.2, 0.15, 0.02 }, { 0.31, 0.2, 0.11 } };

static cdn_molecule *row_of_four(void) {
  cdn_molecule *m = cdn_molecule_create("row");
  const int classes[2] = { cdn_molecule_add_class(m, "A", 0.15, 0.5), cdn_molecule_add_class(m, "B", 0.17, 0.4) };
  cdn_molecule_add_class(m, "unused", 0.1, 0.1);
  for (int i = 0; i < 4; i++) {
    cdn_atom_def a = cdn_default_atom_def();
    a.mass = 12 + i, a.atom_class = classes[i == 3];
    a.position = cdn_v3(places[i][0], places[i][1], places[i][2]);
    cdn_molecule_add_atom(m, &a);
    if (i > 0) cdn_molecule_add_bond(m, i - 1, i);
  }
  static const double all[4] = { 1, 1, 1, 1 };
  cdn_molecule_set_neighbour_scales(m, all, all);
  return m;
}

/* A description of every kind of term, with these numbers. */
static void add_terms(cdn_molecule *m, double k, double x0) {
  cdn_molecule_add_stretch(m, 0, 1, 1000 * k, 0.1 + 0.01 * x0);
  cdn_molecule_add_bend(m, 0, 1, 2, 100 * k, 2 * x0);
  cdn_molecule_add_torsion(m, 0, 1, 2, 3, 3, 2 * k, x0);
  cdn_molecule_add_improper(m, 0, 1, 2, 3, 2, 3 * k, -x0);
}

/* Energies by term and accelerations of two Systems are the same. */
static void same(const molecule_system *a, const molecule_system *b, double tolerance) {
  double e[CDN_TERM_COUNT], g[CDN_TERM_COUNT], f[12], h[12];
  OK_ON(a->state, cdn_force_field_energies(a->state, a->field, e));
  OK_ON(b->state, cdn_force_field_energies(b->state, b->field, g));
  for (int k = 0; k < CDN_TERM_COUNT; k++) NEAR(e[k], g[k], tolerance * (1 + fabs(e[k])));
  OK_ON(a->state, cdn_force_field_forces(a->state, a->field, f));
  OK_ON(b->state, cdn_force_field_forces(b->state, b->field, h));
  for (int i = 0; i < 12; i++) NEAR(f[i], h[i], tolerance * (1 + fabs(f[i])));
  OK_ON(a->state, cdn_realize(a->state, CDN_STAGE_ACCELERATION));
  OK_ON(b->state, cdn_realize(b->state, CDN_STAGE_ACCELERATION));
  for (int i = 0; i < cdn_system_nu(a->system); i++) {
    const double x = cdn_state_udot(a->state)[i];
    NEAR(x, cdn_state_udot(b->state)[i], tolerance * (1 + fabs(x)));
  }
}

/* A State whose numbers were set is a State of a System that was made with them; its sisters keep theirs. */
START_TEST(numbers_of_a_state) {
  static const char *const rules[] = { "none", "torsions", "flexible", "atoms" };
  cdn_molecule *one = row_of_four(), *other = row_of_four();
  add_terms(one, 1, 0.5), add_terms(other, 1.7, 0.8);
  cdn_molecule_set_lj(other, 0, 1, 2e-7, 3e-4);
  cdn_molecule_set_mobility(one, rules[_i]), cdn_molecule_set_mobility(other, rules[_i]);
  molecule_system a = build_molecule(one), b = build_molecule(other), sister = a;
  OK(cdn_state_create(a.system, &sister.state));
  const molecule_system before = build_molecule(one);

  ck_assert(cdn_force_field_term_count(a.system, a.field) == 4);
  static const int atoms[4] = { 3, 2, 1, 0 };
  for (int i = 0; i < 4; i++) {
    cdn_energy_term kind;
    double k, x0;
    int n, at[4];
    OK(cdn_force_field_term(b.state, b.field, i, &kind, &n, at, &k, &x0));
    ck_assert((int)kind == CDN_TERM_STRETCH + i && at[0] == 0 && at[1] == 1 && at[2] == (i > 0 ? 2 : -1) &&
              at[3] == (i > 1 ? 3 : -1));
    ck_assert(n == (i == 2 ? 3 : i == 3 ? 2 : 0));
    ck_assert(cdn_force_field_find_term(b.system, b.field, kind, n, at) == i);
    OK_ON(a.state, cdn_force_field_set_term(a.state, a.field, i, k, x0));
  }
  ck_assert(cdn_force_field_find_term(b.system, b.field, CDN_TERM_TORSION, 3, atoms) == 2);
  ck_assert(cdn_force_field_find_term(b.system, b.field, CDN_TERM_IMPROPER, 2, atoms) == -1);
  double A, B;
  OK(cdn_force_field_lj(b.state, b.field, 1, 0, &A, &B));
  ck_assert(A == 2e-7 && B == 3e-4);
  OK_ON(a.state, cdn_force_field_set_lj(a.state, a.field, 0, 1, A, B));
  same(&a, &b, 1e-13);
  same(&sister, &before, 0);

  /* a copy has the numbers, too */
  OK_ON(sister.state, cdn_state_copy(sister.state, a.state));
  same(&sister, &b, 1e-13);
  cdn_state_destroy(sister.state);
  molecule_system rest = before;
  drop_molecule(&a), drop_molecule(&b), drop_molecule(&rest);
  cdn_molecule_destroy(one), cdn_molecule_destroy(other);
}
END_TEST

START_TEST(mistakes) {
  cdn_molecule *m = row_of_four();
  add_terms(m, 1, 0.5);
  cdn_function *line = cdn_function_linear(1, (const double[]){ 2 }, 1);
  cdn_molecule_add_custom_stretch(m, 1, 2, line);
  cdn_function_release(line);
  molecule_system a = build_molecule(m);
  FAILS(cdn_force_field_set_term(a.state, a.field, 5, 1, 1), CDN_ERR_ARG);
  FAILS(cdn_force_field_set_term(a.state, a.field, -1, 1, 1), CDN_ERR_ARG);
  FAILS(cdn_force_field_set_term(a.state, a.field, 0, -1, 1), CDN_ERR_ARG);
  FAILS(cdn_force_field_set_term(a.state, a.field, 0, 1, 0), CDN_ERR_ARG);
  FAILS(cdn_force_field_set_term(a.state, a.field, 2, NAN, 0), CDN_ERR_ARG);
  FAILS(cdn_force_field_set_term(a.state, a.field, 4, 1, 1), CDN_ERR_UNSUPPORTED);
  FAILS(cdn_force_field_term(a.state, a.field, 5, NULL, NULL, NULL, NULL, NULL), CDN_ERR_ARG);
  FAILS(cdn_force_field_set_lj(a.state, a.field, 0, 2, 1, 1), CDN_ERR_ARG); /* no atom has it */
  FAILS(cdn_force_field_set_lj(a.state, a.field, 0, 7, 1, 1), CDN_ERR_ARG);
  FAILS(cdn_force_field_set_lj(a.state, a.field, 0, 1, NAN, 1), CDN_ERR_NONFINITE);
  FAILS(cdn_force_field_lj(a.state, a.field, -1, 0, NULL, NULL), CDN_ERR_ARG);
  FAILS(cdn_force_field_set_term(a.state, (cdn_force){ 7 }, 0, 1, 1), CDN_ERR_ARG);
  drop_molecule(&a);
  cdn_molecule_destroy(m);
}
END_TEST

/* ---- functions of one's own ---- */

/* k (x - x0)^2, or k (1 + cos(n x - x0)). */
typedef struct law {
  double k, x0;
  int n;
} law;

static cdn_status calc_law(const void *self, const double *x, int order, cdn_function_result *out) {
  (void)order;
  const law *l = self;
  const double d = *x - l->x0, turn = l->n * *x - l->x0;
  out->value = l->n ? l->k * (1 + cos(turn)) : l->k * d * d;
  out->d1[0] = l->n ? -l->k * l->n * sin(turn) : 2 * l->k * d;
  out->d2[0] = l->n ? -l->k * l->n * l->n * cos(turn) : 2 * l->k;
  return CDN_OK;
}

static cdn_function *function(law l) {
  const cdn_function_ops ops = { .struct_size = sizeof ops, .self_size = sizeof l, .n_inputs = 1, .calc = calc_law };
  return cdn_function_create(&ops, &l);
}

/* Written as functions, the terms are what they are as numbers: whichever bonds move, alone on a pin or not. */
START_TEST(functions_stand_for_terms) {
  static const char *const rules[] = { "none", "torsions", "flexible", "atoms" };
  cdn_molecule *numbers = row_of_four(), *functions = row_of_four();
  add_terms(numbers, 1.3, 0.6);
  cdn_function *f[] = { function((law){ 1300, 0.106, 0 }), function((law){ 130, 1.2, 0 }),
                        function((law){ 2.6, 0.6, 3 }), function((law){ 3.9, -0.6, 2 }) };
  cdn_molecule_add_custom_stretch(functions, 0, 1, f[0]);
  cdn_molecule_add_custom_bend(functions, 0, 1, 2, f[1]);
  cdn_molecule_add_custom_torsion(functions, 0, 1, 2, 3, f[2]);
  cdn_molecule_add_custom_improper(functions, 0, 1, 2, 3, f[3]);
  for (int i = 0; i < 4; i++) cdn_function_release(f[i]);
  cdn_molecule_set_mobility(numbers, rules[_i]), cdn_molecule_set_mobility(functions, rules[_i]);
  molecule_system a = build_molecule(numbers), b = build_molecule(functions);
  same(&a, &b, 1e-12);
  const int nq = cdn_system_nq(a.system);
  double q[64];
  memcpy(q, cdn_state_q(a.state), (size_t)nq * sizeof *q);
  for (int i = _i == 3 ? 0 : 7; i < nq; i++) q[i] += 0.01 * (i + 1);
  OK_ON(a.state, cdn_state_set_q(a.state, q));
  OK_ON(b.state, cdn_state_set_q(b.state, q));
  same(&a, &b, 1e-12);
  drop_molecule(&a), drop_molecule(&b);
  cdn_molecule_destroy(numbers), cdn_molecule_destroy(functions);
}
END_TEST

static void tests(TCase *tc) {
  tcase_add_loop_test(tc, numbers_of_a_state, 0, 4);
  tcase_add_test(tc, mistakes);
  tcase_add_loop_test(tc, functions_stand_for_terms, 0, 4);
}

CHECK_MAIN_OF("molecule_parameters", CHECK_TIMEOUT, tests)
