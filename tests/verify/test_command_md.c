/* cardan md: energies against ../shared/molecular, conserved energy, trajectories read back, what is refused. */
#define _XOPEN_SOURCE 700
#include <stdlib.h>

#include "command_run.h"

#include <cardan/modes.h>
#include <cardan/molecule.h>
#include <cardan/operators.h>
#include <cardan/scene.h>

static char shared[4096]; /* an absolute path: tests work elsewhere */

static bool set_up(void) {
  const char *given = getenv("CARDAN_SHARED");
  char path[4096];
  snprintf(path, sizeof path, "%s/molecular", given ? given : "../shared");
  if (!realpath(path, shared)) return false;
  enter_directory();
  return true;
}
#define SET_UP() \
  if (!set_up()) SKIP("no ../shared/molecular")
/* Under sanitizers a protein would take most of the time of all tests here; its code runs with small molecules, too. */
#define SET_UP_PROTEIN() \
  if (SANITIZED) return; \
  SET_UP()

/* "NAME.prmtop NAME.inpcrd", good for two calls. */
static const char *files(const char *name) {
  static char text[2][9000];
  static int k;
  k = 1 - k;
  snprintf(text[k], sizeof text[k], "%s/%s.prmtop %s/%s.inpcrd", shared, name, shared, name);
  return text[k];
}

static json_t *reference(const char *name) {
  char path[4200];
  snprintf(path, sizeof path, "%s/%s.json", shared, name);
  json_t *json = json_load_file(path, 0, NULL);
  ck_assert(json);
  return json;
}

/* ---- energies ------------------------------------------------------------------------------ */

static const struct {
  const char *ours, *theirs;
} terms[] = {
  { "stretch", "bond" }, { "bend", "angle" },      { "torsion", "torsion_proper" }, { "improper", "torsion_improper" },
  { "lj", "lj" },        { "coulomb", "coulomb" }, { "lj_scaled", "lj14" },         { "coulomb_scaled", "coulomb14" }
};

/* The first conformation is that of the file; the references' van der Waals numbers are good to 1e-7 (SOURCES.md). */
START_TEST(energies_are_the_references) {
  SET_UP();
  json_t *all = reference("alanine-dipeptide");
  json_t *expected = member(json_array_get(member(all, "conformations"), 0), "energies");
  static const char *const solvents[] = { "vacuum", "hct", "obc1", "obc2", "gbn", "gbn2" };
  for (size_t s = 0; s < sizeof solvents / sizeof *solvents; s++) {
    SUCCEEDS("md %s --energies --json --solvent %s", files("alanine-dipeptide"), solvents[s]);
    json_t *got = parse(output), *energies = member(got, "energies");
    double sum = 0;
    for (size_t i = 0; i < sizeof terms / sizeof *terms; i++) {
      const double x = number(expected, terms[i].theirs);
      NEAR(number(energies, terms[i].ours), x, 1e-7 * (fabs(x) + 1e-3));
      sum += number(energies, terms[i].ours);
    }
    char key[32];
    snprintf(key, sizeof key, "gb_%s", solvents[s]);
    const double polar = s == 0 ? 0 : number(expected, key);
    NEAR(number(energies, "polar"), polar, 1e-7 * (fabs(polar) + 1e-3));
    sum += number(energies, "polar") + number(energies, "surface");
    NEAR(number(got, "sum"), sum, 1e-12 * 1000);
    ck_assert(integer(got, "atoms") == 22 && integer(got, "mobilities") == 13);
    json_decref(got);
  }
  json_decref(all);
}
END_TEST

START_TEST(cutoffs_are_the_references) {
  SET_UP_PROTEIN();
  json_t *all = reference("bpti-cutoffs"), *c = json_array_get(member(all, "cases"), 0);
  SUCCEEDS("md %s --energies --json --cutoff %.17g --threads 2", files("bpti"), number(c, "cutoff"));
  json_t *got = parse(output);
  NEAR(number(member(got, "energies"), "coulomb"), number(c, "coulomb"), 1e-9 * fabs(number(c, "coulomb")));
  json_decref(got);
  json_decref(all);
}
END_TEST

/* The salt at which Debye's length is 1 nm, by the definition of the Bjerrum length l: kappa^2 = 8 pi l NA c. */
START_TEST(salt_is_debyes) {
  SET_UP();
  json_t *all = reference("alanine-dipeptide");
  json_t *expected = member(json_array_get(member(all, "conformations"), 0), "energies");
  const double pi = acos(-1), kT = 1.380649e-23 * 300, e = 1.602176634e-19;
  const double bjerrum = e * e / (4 * pi * 8.8541878128e-12 * 78.5 * kT);
  const double molar = 1e18 / (8 * pi * bjerrum * 6.02214076e23) / 1000;
  NEAR(1 / sqrt(molar), 3.3, 0.03); /* the usual rule: 3.3 sqrt(M) 1/nm */
  SUCCEEDS("md %s --energies --json --solvent obc2 --salt %.17g", files("alanine-dipeptide"), molar);
  json_t *got = parse(output);
  const double polar = number(expected, "gb_obc2_kappa1");
  NEAR(number(member(got, "energies"), "polar"), polar, 1e-9 * fabs(polar));
  json_decref(got), json_decref(all);
}
END_TEST

START_TEST(a_table_for_people) {
  SET_UP();
  SUCCEEDS("md %s --energies --quiet", files("alanine-dipeptide"));
  SAYS(output, "22 atoms, 13 mobilities; kJ/mol");
  SAYS(output, "-335.24958");
  ck_assert(!strstr(output, "polar"));
  ck_assert_str_eq(errors, "");
  SUCCEEDS("md %s --energies --json --mobile 'none; torsions 2'", files("alanine-dipeptide"));
  json_t *got = parse(output);
  ck_assert(integer(got, "mobilities") == 9); /* phi, psi, the methyl group, and the root's six */
  json_decref(got);
}
END_TEST

/* ---- runs ---------------------------------------------------------------------------------- */

/* The energy error is of second order in the step; the next term is (2 pi h/T)^2/12 of it, 1 % at 4 fs for the fastest
 * vibration, of 62 fs. */
START_TEST(the_swing_falls_fourfold) {
  SET_UP_PROTEIN();
  double swing[3];
  for (int i = 0; i < 3; i++) {
    SUCCEEDS("md %s --solvent obc2 --duration 200fs --step %dfs --json", files("trpzip2"), 4 >> i);
    json_t *got = parse(output);
    swing[i] = number(got, "swing");
    ck_assert(integer(got, "steps") == 50 << i && integer(got, "mobilities") == 74);
    ck_assert(fabs(number(got, "drift")) < 1e-3 * number(got, "kinetic_energy"));
    ck_assert(swing[i] > 0);
    json_decref(got);
  }
  NEAR(swing[0] / swing[1], 4, 0.2);
  NEAR(swing[1] / swing[2], 4, 0.1);
}
END_TEST

/* With 13 mobilities the method ends with the largest eigenvalue; differences of forces know it to 1e-6. */
START_TEST(the_fastest_period_is_that_of_the_modes) {
  SET_UP();
  char path[4200];
  cdn_prmtop *prmtop;
  cdn_restart *restart;
  snprintf(path, sizeof path, "%s/alanine-dipeptide.prmtop", shared);
  OK(cdn_prmtop_load(path, NULL, &prmtop));
  snprintf(path, sizeof path, "%s/alanine-dipeptide.inpcrd", shared);
  OK(cdn_restart_load(path, prmtop, NULL, &restart));
  cdn_molecule *m = cdn_molecule_from_prmtop(prmtop, restart->positions);
  cdn_molecule_set_mobility(m, "torsions");
  cdn_system *system = cdn_system_create(NULL);
  cdn_system_add_molecule(system, NULL, m, cdn_ground());
  OK_FREEZE(system);
  cdn_state *state;
  OK(cdn_state_create(system, &state));
  int n;
  double omega_squared[13];
  OK_ON(state, cdn_normal_modes(state, &n, omega_squared, NULL));
  SUCCEEDS("md %s --duration 20fs --step 2fs --json", files("alanine-dipeptide"));
  json_t *got = parse(output);
  const double period = 2 * acos(-1) / sqrt(omega_squared[n - 1]);
  NEAR(number(got, "fastest_period"), period, 1e-6 * period);
  json_decref(got);
  EXITS(0, "md %s --duration 60fs --step %.3gfs", files("alanine-dipeptide"), 1e3 * period / 4.5);
  SAYS(errors, "above a fifth of the fastest vibration");
  cdn_state_destroy(state), cdn_system_release(system), cdn_molecule_destroy(m);
  cdn_restart_destroy(restart), cdn_prmtop_destroy(prmtop);
}
END_TEST

/* Frames are where the rows are; the first is the file's conformation; bonds keep their lengths. */
START_TEST(trajectories_are_read_back) {
  SET_UP();
  char path[4200];
  cdn_prmtop *prmtop;
  cdn_restart *restart;
  cdn_dcd *dcd;
  cdn_dcd_info info;
  snprintf(path, sizeof path, "%s/alanine-dipeptide.prmtop", shared);
  OK(cdn_prmtop_load(path, NULL, &prmtop));
  snprintf(path, sizeof path, "%s/alanine-dipeptide.inpcrd", shared);
  OK(cdn_restart_load(path, prmtop, NULL, &restart));
  SUCCEEDS("md %s --solvent obc2 --duration 0.1 --step 2fs --report 10fs -o run.dcd --table run.csv",
           files("alanine-dipeptide"));
  SAYS(output, "50 of 2 fs");
  SAYS(output, "known from kinetic + potential energy");
  ck_assert(!strchr(errors, '\r')); /* no progress on a pipe */
  OK(cdn_dcd_open("run.dcd", prmtop, NULL, &dcd));
  OK(cdn_dcd_get_info(dcd, &info));
  ck_assert(info.n_frames == 11 && info.interval == 5 && info.first_step == 0);
  NEAR(info.time_step, 0.002, 1e-8); /* kept in single precision, in AKMA units */
  cdn_vec3 first[22], last[22];
  OK(cdn_dcd_read(dcd, 0, first));
  OK(cdn_dcd_read(dcd, 10, last));
  double moved = 0;
  for (int i = 0; i < 22; i++) {
    NEAR(cdn_norm(cdn_sub(first[i], restart->positions[i])), 0, 5e-7);
    moved = fmax(moved, cdn_norm(cdn_sub(first[i], last[i])));
  }
  ck_assert(moved > 0.01);
  for (int i = 0; i < prmtop->n_bonds; i++) {
    const int32_t *a = prmtop->bonds[i].atom;
    NEAR(cdn_norm(cdn_sub(last[a[0]], last[a[1]])), cdn_norm(cdn_sub(first[a[0]], first[a[1]])), 1e-6);
  }
  table *t = parse_csv_file("run.csv");
  SAYS(t->header, "time,stretch,bend,torsion");
  SAYS(t->header, "ALA2:N-ALA2:CA");
  ck_assert(t->rows == 11 && t->columns == 15 + 7);
  for (int i = 0; i < t->rows; i++) {
    double sum = 0;
    for (int k = 1; k <= CDN_TERM_COUNT; k++) sum += t->value[i][k];
    NEAR(t->value[i][0], 0.01 * i, 1e-12);
    NEAR(t->value[i][11], sum, 1e-10);
    NEAR(t->value[i][13], sum + t->value[i][12], 1e-10);
    NEAR(t->value[i][13], t->value[0][13], 0.02);
    NEAR(t->value[i][14], 2 * t->value[i][12] / (13 * CDN_GAS_CONSTANT), 1e-10 * 1000);
    for (int k = 15; k < t->columns; k++) ck_assert(fabs(t->value[i][k]) <= acos(-1));
  }
  cdn_dcd_close(dcd), cdn_restart_destroy(restart), cdn_prmtop_destroy(prmtop);
}
END_TEST

/* Velocities of a rigid motion are met by the root alone: the kinetic energy is that of the atoms. Of others the part
 * that the joints cannot make is lost. */
START_TEST(speeds_are_fitted_to_velocities) {
  SET_UP();
  char path[4200];
  cdn_prmtop *prmtop;
  cdn_restart *restart;
  snprintf(path, sizeof path, "%s/alanine-dipeptide.prmtop", shared);
  OK(cdn_prmtop_load(path, NULL, &prmtop));
  snprintf(path, sizeof path, "%s/alanine-dipeptide.inpcrd", shared);
  OK(cdn_restart_load(path, prmtop, NULL, &restart));
  cdn_vec3 v[22];
  double kinetic = 0;
  for (int i = 0; i < 22; i++) {
    v[i] = cdn_add(cdn_v3(1, -0.5, 0.25), cdn_cross(cdn_v3(3, 2, -1), restart->positions[i]));
    kinetic += 0.5 * prmtop->mass[i] * cdn_dot(v[i], v[i]);
  }
  cdn_restart_def def = cdn_default_restart_def();
  def.n_atoms = 22, def.positions = restart->positions, def.velocities = v, def.time = 12.5;
  OK(cdn_restart_save("moving.rst7", &def));
  SUCCEEDS("md %s/alanine-dipeptide.prmtop moving.rst7 --duration 10fs --table run.csv -o run.dcd", shared);
  ck_assert(!strstr(output, "from rest"));
  table *t = parse_csv_file("run.csv");
  NEAR(t->value[0][0], 12.5, 0);
  NEAR(t->value[0][12], kinetic, 1e-6 * kinetic); /* of 7 decimals in the file */
  for (int i = 0; i < 22; i++) v[i] = cdn_v3(sin(i), sin(2 * i), cos(3 * i));
  double all = 0;
  for (int i = 0; i < 22; i++) all += 0.5 * prmtop->mass[i] * cdn_dot(v[i], v[i]);
  OK(cdn_restart_save("moving.rst7", &def));
  SUCCEEDS("md %s/alanine-dipeptide.prmtop moving.rst7 --duration 10fs --table run.csv", shared);
  t = parse_csv_file("run.csv");
  ck_assert(t->value[0][12] > 0 && t->value[0][12] < all);
  SUCCEEDS("md %s/alanine-dipeptide.prmtop moving.rst7 --duration 10fs --table run.csv --mobile atoms", shared);
  t = parse_csv_file("run.csv");
  NEAR(t->value[0][12], all, 1e-6 * all);
  cdn_restart_destroy(restart), cdn_prmtop_destroy(prmtop);
}
END_TEST

START_TEST(a_companion_measures_the_error) {
  SET_UP();
  static const char *const of[] = { "", "--temperature 300 --thermostat none",
                                    "--temperature 300 --thermostat nose-hoover" };
  for (int k = 0; k < 3; k++) {
    double error[2];
    for (int i = 0; i < 2; i++) {
      SUCCEEDS("md %s --duration 50fs --step %dfs --companion --json %s", files("alanine-dipeptide"), 2 >> i, of[k]);
      json_t *got = parse(output);
      error[i] = number(got, "error_estimate");
      ck_assert_str_eq(json_string_value(member(got, "delivered")), "measured");
      json_decref(got);
    }
    NEAR(error[0] / error[1], 4, 0.2); /* of second order */
  }
}
END_TEST

/* ---- at a temperature ---------------------------------------------------------------------- */

/* What is conserved is so at every step length, but for an error of second order. With 13 freedoms the temperature of
 * 2500 steps that are drawn anew each 50 fs scatters by 300 sqrt(2/13/200) = 8 K. */
START_TEST(thermostats_keep_their_balance) {
  SET_UP();
  static const char *const names[] = { "langevin", "nose-hoover", "redraw" };
  for (int k = 0; k < 3; k++) {
    double swing[2];
    for (int i = 0; i < 2; i++) {
      SUCCEEDS("md %s --temperature 300 --thermostat %s --thermostat-time 50fs --duration %s --step %dfs --table a.csv "
               "--json",
               files("alanine-dipeptide"), names[k],
               i           ? "0.5"
               : SANITIZED ? "0.5"
                           : "10",
               4 >> i);
      json_t *got = parse(output);
      swing[i] = number(got, "swing");
      ck_assert_str_eq(json_string_value(member(got, "thermostat")), names[k]);
      if (i == 0 && !SANITIZED) NEAR(number(got, "temperature"), 300, k == 1 ? 100 : 40);
      table *t = parse_csv_file("a.csv");
      SAYS(t->header, "total,conserved,temperature");
      const double *first = t->value[0], *last = t->value[t->rows - 1];
      NEAR(last[13] - last[14], number(got, "heat"), 1e-9 * (1 + fabs(number(got, "heat"))));
      NEAR(last[14], first[14], 10 * swing[i]);
      json_decref(got);
    }
    ck_assert(swing[0] > 2 * swing[1]);
  }
}
END_TEST

START_TEST(monte_carlo_keeps_its_balance) {
  SET_UP();
  SUCCEEDS("md %s --temperature 300 --sampler hmc --trajectory 30fs --step 10fs --duration %s --json",
           files("alanine-dipeptide"), SANITIZED ? "0.9" : "6");
  json_t *got = parse(output);
  const int64_t trajectories = integer(got, "trajectories"), accepted = integer(got, "accepted");
  ck_assert(trajectories == (SANITIZED ? 30 : 200) && integer(got, "steps") == 3 * trajectories);
  ck_assert(accepted > trajectories / 2 && accepted <= trajectories && integer(got, "unsolved") == 0);
  NEAR(number(got, "mean_exp"), 1, 4 * number(got, "mean_exp_error"));
  json_decref(got);
  SUCCEEDS("md %s --temperature 300 --sampler hmc --duration 95fs --step 2fs", files("alanine-dipeptide"));
  SAYS(output, "50 of 2 fs"); /* whole trajectories */
  SAYS(output, "of 5 trajectories of 10 steps");
}
END_TEST

/* RT/2 ln det M, which the references have for the model of torsions, their free body at the same atoms or not: det M
 * does not depend on which body is the root. */
START_TEST(fixmans_potential_is_that_of_the_references) {
  SET_UP();
  json_t *all = reference("alanine-dipeptide");
  const double log_det = number(member(json_array_get(member(all, "conformations"), 0), "torsion_model"), "logdet_M");
  SUCCEEDS("md %s --energies --json --fixman --temperature 300", files("alanine-dipeptide"));
  json_t *got = parse(output);
  NEAR(number(got, "fixman"), 0.5 * CDN_GAS_CONSTANT * 300 * log_det, 1e-9);
  json_decref(got), json_decref(all);
  SUCCEEDS("md %s --duration 20fs --step 2fs --table a.csv --fixman --temperature 300 --thermostat none",
           files("alanine-dipeptide"));
  table *t = parse_csv_file("a.csv");
  SAYS(t->header, "potential,fixman,kinetic,total");
  for (int i = 0; i < t->rows; i++) NEAR(t->value[i][11] + t->value[i][12] + t->value[i][13], t->value[i][14], 1e-9);
}
END_TEST

START_TEST(minima_have_no_forces) {
  SET_UP();
  SUCCEEDS("md %s --energies --json", files("alanine-dipeptide"));
  json_t *before = parse(output);
  SUCCEEDS("md %s --energies --json --minimize --fixman --temperature 300", files("alanine-dipeptide"));
  json_t *after = parse(output), *m = member(after, "minimization");
  NEAR(number(m, "energy_before"), number(before, "sum"), 1e-9);
  NEAR(number(m, "energy"), number(after, "sum"), 1e-9);
  ck_assert(number(m, "energy") < number(m, "energy_before") - 1 && number(m, "largest_force") <= 1);
  ck_assert_str_eq(json_string_value(member(m, "end")), "balanced");
  SUCCEEDS("md %s --minimize --duration 20fs --table a.csv", files("alanine-dipeptide"));
  SAYS(output, "minimum");
  NEAR(parse_csv_file("a.csv")->value[0][11], number(after, "sum"), 1e-9);
  json_decref(before), json_decref(after);
}
END_TEST

START_TEST(runs_repeat_from_a_seed) {
  SET_UP();
  static char text[3][TEXT_SIZE];
  static const char *const seeds[] = { "7", "7", "8" };
  for (int k = 0; k < 2; k++) {
    for (int i = 0; i < 3; i++) {
      SUCCEEDS("md %s --temperature 300 %s --duration 60fs --step 2fs --report 20fs --table a.csv --seed %s",
               files("alanine-dipeptide"), k ? "--sampler hmc" : "", seeds[i]);
      read_file("a.csv", text[i]);
    }
    ck_assert_str_eq(text[0], text[1]);
    ck_assert(strcmp(text[0], text[2]) != 0);
  }
}
END_TEST

/* The root of the tree is heavy: steps of a large molecule have an end, hot and away from a minimum, too. */
START_TEST(large_molecules_move) {
  SET_UP_PROTEIN();
  SUCCEEDS("md %s --temperature 300 --thermostat none --duration 8fs --step 4fs --json", files("dhfr"));
  json_t *got = parse(output);
  ck_assert(integer(got, "steps") == 2 && number(got, "swing") < 0.01 * number(got, "kinetic_energy"));
  json_decref(got);
}
END_TEST

START_TEST(disulfides_hold) {
  SET_UP_PROTEIN();
  SUCCEEDS("md %s --duration 20fs --step 2fs --json", files("bpti"));
  json_t *got = parse(output);
  ck_assert(integer(got, "mobilities") == integer(got, "freedoms") + 3);
  ck_assert(number(got, "max_constraint_error") < 1e-8);
  json_decref(got);
}
END_TEST

/* A ball an atom, two rods a bond, where the atoms are. */
START_TEST(scenes_have_atoms_and_bonds) {
  cdn_molecule *m = cdn_molecule_create("water");
  for (int i = 0; i < 3; i++) {
    cdn_atom_def atom = cdn_default_atom_def();
    atom.element = i == 0 ? 8 : 1, atom.mass = i == 0 ? 16 : 1;
    atom.position = cdn_v3(0.05 * i, i == 2 ? 0.08 : 0, i == 1 ? 0.09 : 0);
    cdn_molecule_add_atom(m, &atom);
    if (i > 0) cdn_molecule_add_bond(m, 0, i);
  }
  cdn_system *system = cdn_system_create(NULL);
  const cdn_force field = cdn_system_add_molecule(system, NULL, m, cdn_ground());
  OK_FREEZE(system);
  cdn_state *state;
  cdn_scene *scene;
  int n;
  double x[9];
  OK(cdn_state_create(system, &state));
  OK_ON(state, cdn_state_set_q(state, (const double[]){ 0.6, 0, 0.8, 0, 1, 2, 3 }));
  OK_ON(state, cdn_force_field_positions(state, field, x));
  OK_ON(state, cdn_scene_create(state, NULL, &scene));
  OK_ON(state, cdn_scene_update(scene, state));
  const cdn_mark *marks = cdn_scene_marks(scene, &n);
  ck_assert_int_eq(n, 3 + 2 * 2);
  for (int i = 0; i < 3; i++) {
    ck_assert(marks[i].kind == CDN_MARK_POINT);
    NEAR(cdn_norm(cdn_sub(marks[i].X_G.p, cdn_v3(x[3 * i], x[3 * i + 1], x[3 * i + 2]))), 0, 1e-12);
    NEAR(marks[i].size[0], i == 0 ? 0.038 : 0.0275, 1e-12); /* a quarter of 0.152 and 0.11 nm */
  }
  const double bond[] = { hypot(0.05, 0.09), hypot(0.1, 0.08) };
  for (int i = 3; i < 7; i++) {
    ck_assert(marks[i].kind == CDN_MARK_LINE && marks[i].size[1] > 0);
    NEAR(marks[i].size[0], bond[(i - 3) / 2] / 2, 1e-12);
  }
  cdn_scene_destroy(scene), cdn_state_destroy(state), cdn_system_release(system), cdn_molecule_destroy(m);
}
END_TEST

START_TEST(pictures) {
  SET_UP();
  const int code = cardan("md %s --energies --picture a.png", files("alanine-dipeptide"));
  if (code == 1 && (strstr(errors, "Cairo") || strstr(errors, "Embree"))) SKIP("this build draws nothing");
  ck_assert_msg(code == 0, "%s", errors);
  FILE *f = fopen("a.png", "rb");
  char begin[8] = "";
  ck_assert(f && fread(begin, 1, 8, f) == 8 && memcmp(begin, "\x89PNG\r\n\x1a\n", 8) == 0);
  fclose(f);
}
END_TEST

/* A run that is resumed writes the bytes of one that was not. */
static void check_resumed(const char *options) {
  static char whole[TEXT_SIZE], parts[TEXT_SIZE];
  char common[200];
  const char *of = files("alanine-dipeptide");
  snprintf(common, sizeof common, "--solvent obc2 --step 2fs --report 20fs %s", options);
  SUCCEEDS("md %s %s --duration 92fs -o whole.dcd --table whole.csv --json", of, common);
  json_t *a = parse(output);
  SUCCEEDS("md %s %s --duration 44fs -o run.dcd --table run.csv --checkpoint run.checkpoint", of, common);
  SUCCEEDS("md %s %s --duration 92fs -o run.dcd --table run.csv --resume run.checkpoint --json", of, common);
  json_t *b = parse(output);
  ck_assert(integer(b, "steps") == 46 && integer(b, "frames") == 5);
  static const char *const same[] = { "kinetic_energy", "swing",    "drift",   "heat",
                                      "error_estimate", "mean_exp", "accepted" };
  for (size_t k = 0; k < sizeof same / sizeof *same; k++) {
    const json_t *of_a = json_object_get(a, same[k]);
    if (of_a) NEAR(json_number_value(json_object_get(b, same[k])), json_number_value(of_a), 0);
  }
  json_decref(a), json_decref(b);
  read_file("whole.csv", whole), read_file("run.csv", parts);
  ck_assert_str_eq(whole, parts);
  ck_assert(system("cmp -s whole.dcd run.dcd") == 0);
}

START_TEST(runs_are_resumed) {
  SET_UP();
  static const char *const options[] = { "", "--temperature 300",
                                         "--temperature 300 --thermostat nose-hoover --companion --fixman --minimize",
                                         "--temperature 300 --thermostat redraw --thermostat-time 20fs",
                                         "--temperature 300 --sampler hmc --trajectory 4fs" };
  for (size_t i = 0; i < sizeof options / sizeof *options; i++) check_resumed(options[i]);
}
END_TEST

START_TEST(checkpoints_of_other_runs_are_refused) {
  SET_UP();
  const char *of = files("alanine-dipeptide"), *common = "--solvent obc2 --step 2fs --report 10fs";
  SUCCEEDS("md %s %s --duration 44fs --table run.csv --checkpoint run.checkpoint", of, common);
  EXITS(2, "md %s %s --duration 20fs --table run.csv --resume run.checkpoint", of, common);
  SAYS(errors, "has taken 22 steps already");
  EXITS(2, "md %s --solvent obc2 --step 1fs --duration 94fs --table run.csv --resume run.checkpoint", of);
  SAYS(errors, "is of a run with other options: --step 0.002 --mobile 'torsions' --solvent obc2");
  EXITS(2, "md %s %s --duration 94fs --resume run.checkpoint", of, common);
  SAYS(errors, "with --table");
  EXITS(3, "md %s %s --duration 94fs --table run.csv --resume run.checkpoint", files("trpzip2"), common);
  EXITS(3, "md %s %s --duration 94fs --table run.csv --resume run.csv", of, common);
  SAYS(errors, "is no checkpoint");
  EXITS(2, "md %s %s --duration 94fs --table run.csv --resume run.checkpoint --mobile backbone", of, common);
  EXITS(3, "md %s %s --duration 94fs --table run.csv --resume nothing", of, common);
  EXITS(4, "md %s %s --duration 94fs --table one.xml --resume run.checkpoint", of, common);
  SAYS(errors, "is not the table");
}
END_TEST

/* Bonds that bend have dihedrals too, where something further on is off their line, and azimuths at branches: of 22
 * atoms and 21 bonds of alanine dipeptide nothing is kept but lengths; where these move, nothing. */
START_TEST(bends_have_dihedrals) {
  SET_UP();
  SUCCEEDS("md %s --duration 2fs --step 0.5fs --mobile bends --table a.csv --json", files("alanine-dipeptide"));
  json_t *got = parse(output);
  ck_assert(integer(got, "mobilities") == 3 * 22 - 21);
  table *t = parse_csv_file("a.csv");
  SAYS(t->header, "ALA2:N-ALA2:CA.angle,ALA2:N-ALA2:CA.dihedral");
  json_decref(got);
  SUCCEEDS("md %s --duration 2fs --step 0.5fs --mobile flexible --table a.csv --json", files("alanine-dipeptide"));
  got = parse(output);
  ck_assert(integer(got, "mobilities") == 3 * 22);
  t = parse_csv_file("a.csv");
  SAYS(t->header, "ALA2:N-ALA2:CA.angle,ALA2:N-ALA2:CA.dihedral,ALA2:N-ALA2:CA.length");
  SAYS(t->header, "ALA2:CA-ALA2:HA.angle,ALA2:CA-ALA2:HA.length,ALA2:CA-ALA2:HA.azimuth");
  json_decref(got);
}
END_TEST

static double dihedral(const double *x, int i, int j, int k, int l) {
  cdn_vec3 p[4];
  const int at[] = { i, j, k, l };
  for (int n = 0; n < 4; n++) p[n] = cdn_v3(x[3 * at[n]], x[3 * at[n] + 1], x[3 * at[n] + 2]);
  const cdn_vec3 b1 = cdn_sub(p[1], p[0]), b2 = cdn_sub(p[2], p[1]), b3 = cdn_sub(p[3], p[2]);
  return atan2(cdn_norm(b2) * cdn_dot(b1, cdn_cross(b2, b3)), cdn_dot(cdn_cross(b1, b2), cdn_cross(b2, b3)));
}

/* A chain of which all bonds but two bend and turn, or also stretch: its dihedrals are coordinates, whatever angles
 * do. */
START_TEST(a_chain_that_bends_keeps_its_dihedrals) {
  for (int flexible = 0; flexible < 2; flexible++) {
    cdn_molecule *m = cdn_molecule_create("chain");
    cdn_molecule_add_residue(m, "CHN", 1);
    for (int i = 0; i < 6; i++) {
      cdn_atom_def atom = cdn_default_atom_def();
      atom.mass = 14, atom.position = cdn_v3(0.12 * i, 0.05 * (i % 2), 0.03 * (i % 3));
      cdn_molecule_add_atom(m, &atom);
      if (i > 0) cdn_molecule_add_bond(m, i - 1, i);
      if (i > 2) cdn_molecule_set_bond_mobility(m, i - 1, i, flexible ? CDN_BOND_FLEXIBLE : CDN_BOND_TORSION_BEND);
    }
    cdn_system *system = cdn_system_create(NULL);
    const cdn_force field = cdn_system_add_molecule(system, NULL, m, cdn_ground());
    OK_FREEZE(system);
    cdn_state *state, *other;
    OK(cdn_state_create(system, &state));
    OK(cdn_state_create(system, &other));
    /* of six atoms an angle, a dihedral and two lengths, or all five, are rigid */
    ck_assert_int_eq(cdn_system_nu(system), flexible ? 14 : 11);
    double q[32], x[18], y[18], log_det;
    const int nq = cdn_system_nq(system);
    memcpy(q, cdn_state_q(state), (size_t)nq * sizeof *q);
    for (int k = 2; k < 4; k++) {
      const int first = cdn_body_first_q(system, cdn_force_field_bond_body(system, field, k, k + 1));
      q[first] += 0.2 * k, q[first + 1] = k; /* angle, dihedral */
    }
    OK_ON(state, cdn_state_set_q(state, q));
    OK_ON(state, cdn_calc_log_det_M(state, &log_det));
    ck_assert(isfinite(log_det));
    OK_ON(state, cdn_force_field_positions(state, field, x));
    for (int k = 2; k < 4; k++) NEAR(dihedral(x, k - 1, k, k + 1, k + 2), remainder(k, 2 * acos(-1)), 1e-12);
    OK_ON(other, cdn_force_field_set_positions(other, field, x));
    OK_ON(other, cdn_force_field_positions(other, field, y));
    for (int i = 0; i < 18; i++) NEAR(y[i], x[i], 1e-12);
    cdn_state_destroy(state), cdn_state_destroy(other), cdn_system_release(system), cdn_molecule_destroy(m);
  }
}
END_TEST

/* ---- what is wrong ------------------------------------------------------------------------- */

START_TEST(wrong_usage_exits_2) {
  SET_UP();
  const struct {
    const char *options, *message;
  } wrong[] = {
    { "", "needs --duration" },
    { "--duration 1 --step 2as", "'2as' is not a time" },
    { "--duration -1ps", "'-1ps' is not a time" },
    { "--duration 1fs --step 4fs", "less than a step" },
    { "--energies --table a.csv", "takes no steps" },
    { "--energies --solvent obc3", "did you mean obc1" },
    { "--energies --salt 0.1", "--salt needs a solvent" },
    { "--energies --cutoff 1 --solvent obc2", "--cutoff is for vacuum" },
    { "--energies --threads 1.5", "a whole number up to 4096" },
    { "--energies --mobile wings", "there is no rule 'wings'" },
    { "--duration 1 -o run.dcd.gz", "ends in .dcd" },
    { "--duration 1 --sampler mdd", "did you mean md" },
    { "--duration 1 --sampler hmc", "--sampler hmc needs a temperature" },
    { "--duration 1 --sampler hmc --temperature 300 --thermostat langevin", "draws speeds by itself" },
    { "--duration 1 --trajectory 5fs", "--sampler hmc" },
    { "--duration 1 --sampler hmc --temperature 300 --trajectory 0.1fs", "1 to 1e9 steps" },
    { "--duration 1 --thermostat langevin", "--thermostat needs a temperature" },
    { "--duration 1 --temperature 300 --thermostat langvin", "did you mean langevin" },
    { "--duration 1 --temperature 300 --thermostat none --thermostat-time 1", "there is no thermostat" },
    { "--duration 1 --temperature 300 --thermostat-time 0.1fs", "less than a step" },
    { "--duration 1 --temperature 0", "above zero" },
    { "--duration 1 --fixman", "--fixman needs a temperature" },
    { "--duration 1 --seed -1", "'-1' is not a whole number" },
    { "--duration 1 --seed 1.5", "'1.5' is not a whole number" },
    { "--duration 1 --seed 4294967296", "from 0 to 4294967295" },
    { "--duration 1 --temperature 300 --companion", "lead two runs apart" },
    { "--energies --sampler md", "takes no steps" },
    { "--energies --picture a.jpg", "PNG" },
    { "extra --energies", "one file of coordinates" },
  };
  for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i += SANITIZED ? 3 : 1) {
    EXITS(2, "md %s %s", files("alanine-dipeptide"), wrong[i].options);
    SAYS(errors, wrong[i].message);
    ck_assert_str_eq(output, "");
  }
  EXITS(2, "md");
  SAYS(errors, "which molecule");
  EXITS(2, "md %s/trpzip2.prmtop", shared);
  SAYS(errors, "which coordinates");
}
END_TEST

START_TEST(refused_files_exit_3) {
  SET_UP();
  EXITS(3, "md %s --energies", files("extra-points"));
  SAYS(errors, "extra points");
  EXITS(3, "md %s/trpzip2.prmtop %s/bpti.inpcrd --energies", shared, shared);
  SAYS(errors, "give two files of one molecule");
  EXITS(3, "md nothing.prmtop nothing.inpcrd --energies");
  SAYS(errors, "nothing.prmtop");
  EXITS(3, "md one.xml %s/bpti.inpcrd --energies", shared);
  SAYS(errors, "one.xml");
  EXITS(4, "md %s --duration 2fs -o nowhere/run.dcd", files("alanine-dipeptide"));
  EXITS(4, "md %s --duration 2fs --table nowhere/run.csv", files("alanine-dipeptide"));
}
END_TEST

/* A box behind the coordinates is refused, and dropped on request. */
START_TEST(boxes_are_dropped_on_request) {
  SET_UP();
  static char text[TEXT_SIZE];
  char path[4200];
  snprintf(path, sizeof path, "%s/alanine-dipeptide.inpcrd", shared);
  read_file(path, text);
  strcat(text, "  30.0000000  30.0000000  30.0000000  90.0000000  90.0000000  90.0000000\n");
  write_file("box.inpcrd", text);
  EXITS(3, "md %s/alanine-dipeptide.prmtop box.inpcrd --energies", shared);
  SAYS(errors, "--ignore-box");
  SUCCEEDS("md %s/alanine-dipeptide.prmtop box.inpcrd --energies --ignore-box", shared);
  SAYS(output, "-335.24958");
}
END_TEST

CHECK_MAIN("md", energies_are_the_references, cutoffs_are_the_references, salt_is_debyes, a_table_for_people,
           the_swing_falls_fourfold, the_fastest_period_is_that_of_the_modes, trajectories_are_read_back,
           speeds_are_fitted_to_velocities, a_companion_measures_the_error, thermostats_keep_their_balance,
           monte_carlo_keeps_its_balance, fixmans_potential_is_that_of_the_references, minima_have_no_forces,
           runs_repeat_from_a_seed, large_molecules_move, disulfides_hold, runs_are_resumed,
           checkpoints_of_other_runs_are_refused, bends_have_dihedrals, a_chain_that_bends_keeps_its_dihedrals,
           scenes_have_atoms_and_bonds, pictures, wrong_usage_exits_2, refused_files_exit_3,
           boxes_are_dropped_on_request)
