/* The force field against ../shared/molecular: energies by term, forces, torques on pins, det M, which bonds move. The
 * numbers are of OpenMM 7.7's Reference platform, checked by a second evaluation (SOURCES.md there). */
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>

#include "../molecule_system.h"

static const char *directory(void) {
  const char *shared = getenv("CARDAN_SHARED");
  return shared ? shared : "../shared";
}

typedef struct reference {
  cdn_prmtop *prmtop;
  json_t *json;
} reference;

static bool load(reference *r, const char *name) {
  char path[512];
  snprintf(path, sizeof path, "%s/molecular/%s.json", directory(), name);
  r->json = json_load_file(path, 0, NULL);
  if (!r->json) return false;
  snprintf(path, sizeof path, "%s/molecular/%s.prmtop", directory(), name);
  OK(cdn_prmtop_load(path, NULL, &r->prmtop));
  return true;
}

static void unload(reference *r) {
  cdn_prmtop_destroy(r->prmtop);
  json_decref(r->json);
}

static double number(const json_t *object, const char *key) { return json_number_value(json_object_get(object, key)); }

/* Rows of three numbers. */
static double *rows_of(const json_t *array) {
  double *x = malloc((3 * json_array_size(array) + 1) * sizeof *x);
  for (size_t i = 0; i < json_array_size(array); i++)
    for (size_t k = 0; k < 3; k++) x[3 * i + k] = json_number_value(json_array_get(json_array_get(array, i), k));
  return x;
}

/* A System of a conformation. */
static molecule_system make(const reference *r, const double *x, const char *rule, const cdn_solvent_def *solvent) {
  cdn_molecule *m = cdn_molecule_from_prmtop(r->prmtop, NULL);
  cdn_molecule_set_positions(m, x);
  cdn_molecule_set_mobility(m, rule);
  if (solvent) cdn_molecule_set_solvent(m, solvent);
  const molecule_system out = build_molecule(m);
  cdn_molecule_destroy(m);
  return out;
}

/* The references' van der Waals numbers went through radius and depth: SOURCES.md tells to compare to 1e-7. Atoms on
 * top of each other (rotated2) have terms of 1e9, to which rounding of positions is amplified. */
static void check_energies(const molecule_system *m, const json_t *energies) {
  static const struct {
    cdn_energy_term term;
    const char *key;
  } terms[] = { { CDN_TERM_STRETCH, "bond" },
                { CDN_TERM_BEND, "angle" },
                { CDN_TERM_TORSION, "torsion_proper" },
                { CDN_TERM_IMPROPER, "torsion_improper" },
                { CDN_TERM_LJ, "lj" },
                { CDN_TERM_COULOMB, "coulomb" },
                { CDN_TERM_LJ_SCALED, "lj14" },
                { CDN_TERM_COULOMB_SCALED, "coulomb14" } };
  double energy[CDN_TERM_COUNT];
  OK_ON(m->state, cdn_force_field_energies(m->state, m->field, energy));
  for (size_t i = 0; i < sizeof terms / sizeof terms[0]; i++) {
    const double expected = number(energies, terms[i].key);
    ck_assert_msg(fabs(energy[terms[i].term] - expected) <= 1e-7 * (fabs(expected) + 1e-3), "%s: %.12g, not %.12g",
                  terms[i].key, energy[terms[i].term], expected);
  }
}

static double largest(const double *x, size_t n) {
  double most = 0;
  for (size_t i = 0; i < n; i++) most = fmax(most, fabs(x[i]));
  return most;
}

static void check_forces(const molecule_system *m, const json_t *expected, size_t n) {
  if (!expected) return;
  double *f = malloc(3 * n * sizeof *f), *g = rows_of(expected);
  OK_ON(m->state, cdn_force_field_forces(m->state, m->field, f));
  const double most = largest(g, 3 * n);
  for (size_t i = 0; i < 3 * n; i++) NEAR(f[i], g[i], 1e-7 * most);
  free(f), free(g);
}

/* Torques on pins, sums of the applied forces, and ln det M with its gradient. */
static void check_pins(const molecule_system *m, const reference *r, const json_t *of, const char *key,
                       const char *also) {
  const json_t *axes = json_object_get(json_object_get(r->json, "torsion_model"), "axes");
  const json_t *torque = json_object_get(of, key), *more = json_object_get(of, also),
               *by_q = json_object_get(of, "dlogdet_M");
  const size_t nu = (size_t)cdn_system_nu(m->system), bodies = (size_t)cdn_system_body_count(m->system);
  cdn_spatial *F = calloc(bodies, sizeof *F);
  double *f = calloc(nu, sizeof *f), *on_mob = calloc(nu, sizeof *on_mob), *g = calloc(nu, sizeof *g), most = 0;
  OK_ON(m->state, cdn_applied_forces(m->state, F, on_mob));
  OK_ON(m->state, cdn_multiply_by_J_transpose(m->state, F, f));
  OK_ON(m->state, cdn_calc_log_det_M_gradient(m->state, g));
  for (size_t i = 0; i < json_array_size(torque); i++)
    most = fmax(most, fabs(json_number_value(json_array_get(torque, i))));
  ck_assert(nu == json_array_size(axes) + 6);
  for (size_t i = 0; i < json_array_size(axes); i++) {
    const json_t *axis = json_array_get(axes, i);
    const cdn_body body =
        cdn_force_field_bond_body(m->system, m->field, (int)json_integer_value(json_array_get(axis, 0)),
                                  (int)json_integer_value(json_array_get(axis, 1)));
    ck_assert_msg(body.i > 0, "the bond of axis %zu does not move", i);
    const int k = cdn_body_first_u(m->system, body);
    const double expected = json_number_value(json_array_get(torque, i)) + json_number_value(json_array_get(more, i));
    if (torque) NEAR(f[k] + on_mob[k], expected, 1e-7 * most);
    /* Of large molecules the reference's own complex step is good to 1e-8: differences of ln det M, of fourth order,
     * agree with ours to 2e-9 and with it to 1e-8. */
    if (by_q) NEAR(g[k], json_number_value(json_array_get(by_q, i)), nu < 100 ? 1e-9 : 2e-8);
  }
  double log_det;
  OK_ON(m->state, cdn_calc_log_det_M(m->state, &log_det));
  if (json_object_get(of, "logdet_M")) NEAR(log_det, number(of, "logdet_M"), 1e-9);
  free(F), free(f), free(on_mob), free(g);
}

static void check_solvent(const reference *r, const double *x, const json_t *energies, cdn_solvent_model solvent,
                          double kappa, const char *key, const char *surface) {
  cdn_solvent_def def = cdn_default_solvent_def();
  def.model = solvent, def.kappa = kappa;
  molecule_system m = make(r, x, "torsions", &def);
  double energy[CDN_TERM_COUNT];
  OK_ON(m.state, cdn_force_field_energies(m.state, m.field, energy));
  const double expected = number(energies, key);
  ck_assert_msg(fabs(energy[CDN_TERM_POLAR] - expected) <= 1e-9 * fabs(expected), "%s: %.12g, not %.12g", key,
                energy[CDN_TERM_POLAR], expected);
  /* The references' surface term has 4 pi gamma rounded to 9 digits. */
  if (surface) NEAR(energy[CDN_TERM_SURFACE], number(energies, surface), 1e-9 * number(energies, surface));
  drop_molecule(&m);
}

static void check_conformation(const reference *r, const json_t *c) {
  const json_t *energies = json_object_get(c, "energies"), *forces = json_object_get(c, "forces");
  const json_t *pins = json_object_get(c, "torsion_model");
  double *x = rows_of(json_object_get(c, "positions"));
  const size_t n = (size_t)r->prmtop->n_atoms;
  const bool on_top = strcmp(json_string_value(json_object_get(c, "name")), "rotated2") == 0;
  molecule_system m = make(r, x, "torsions", NULL);
  check_energies(&m, energies);
  check_forces(&m, json_object_get(forces, "vacuum"), n);
  double *y = malloc(3 * n * sizeof *y);
  OK_ON(m.state, cdn_force_field_positions(m.state, m.field, y));
  for (size_t i = 0; i < 3 * n; i++) NEAR(y[i], x[i], 1e-12);
  check_pins(&m, r, pins, "torque_vacuum", "");
  drop_molecule(&m);

  cdn_solvent_def solvent = cdn_default_solvent_def();
  solvent.model = CDN_SOLVENT_OBC2;
  m = make(r, x, "torsions", &solvent);
  check_pins(&m, r, pins, "torque_vacuum", "torque_obc2_ace");
  drop_molecule(&m);
  if (!on_top || n < 100) {
    check_solvent(r, x, energies, CDN_SOLVENT_HCT, 0, "gb_hct", NULL);
    check_solvent(r, x, energies, CDN_SOLVENT_OBC1, 0, "gb_obc1", "sa_obc1");
    check_solvent(r, x, energies, CDN_SOLVENT_OBC2, 0, "gb_obc2", "sa_obc2");
    check_solvent(r, x, energies, CDN_SOLVENT_OBC2, 1, "gb_obc2_kappa1", NULL);
    check_solvent(r, x, energies, CDN_SOLVENT_GBN, 0, "gb_gbn", NULL);
    /* Where a sphere swallows an atom AMBER, and we, count its inner part twice; the reference's GBn2 does not. */
    if (!on_top) check_solvent(r, x, energies, CDN_SOLVENT_GBN2, 0, "gb_gbn2", NULL);
  }
  free(x), free(y);
}

START_TEST(every_conformation) {
  static const char *const names[] = { "alanine-dipeptide", "trpzip2", "bpti", "dhfr" };
  reference r;
  if (SANITIZED && _i > 1) return; /* the same code, for minutes */
  if (!load(&r, names[_i])) SKIP("no %s.json", names[_i]);
  const json_t *all = json_object_get(r.json, "conformations");
  const size_t n = json_array_size(all);
  for (size_t i = 0; i < n; i++)
    if (i == 0 || i + 1 == n || !SANITIZED) check_conformation(&r, json_array_get(all, i));
  unload(&r);
}
END_TEST

/* Moving the pins of the first conformation by the reference's turns gives the others; and q follows positions. */
START_TEST(turns) {
  reference r;
  if (!load(&r, "trpzip2")) SKIP("no trpzip2.json");
  const json_t *all = json_object_get(r.json, "conformations"), *first = json_array_get(all, 0);
  double *x = rows_of(json_object_get(first, "positions"));
  molecule_system m = make(&r, x, "torsions", NULL);
  const size_t n = 3 * (size_t)r.prmtop->n_atoms;
  double *y = malloc(n * sizeof *y);
  for (size_t i = 1; i < json_array_size(all); i++) {
    double *z = rows_of(json_object_get(json_array_get(all, i), "positions"));
    if (strncmp(json_string_value(json_object_get(json_array_get(all, i), "name")), "rotated", 7) == 0) {
      OK_ON(m.state, cdn_force_field_set_positions(m.state, m.field, z));
      OK_ON(m.state, cdn_force_field_positions(m.state, m.field, y));
      /* The file's positions are rounded to 1e-9 nm or so, which chains of pins carry on. */
      for (size_t k = 0; k < n; k++) NEAR(y[k], z[k], 1e-7);
    }
    free(z);
  }
  drop_molecule(&m);
  free(x), free(y);
  unload(&r);
}
END_TEST

static void tests(TCase *tc) {
  tcase_add_loop_test(tc, every_conformation, 0, 4);
  tcase_add_test(tc, turns);
}

CHECK_MAIN_OF("molecules", CHECK_TIMEOUT, tests)
