/* What rigid bonds bias, and how Fixman's potential undoes it: three atoms on two rods, free in space, without any
 * force. The mean of cos^2 of their angle is 1/3 if stiff springs hold the bonds. Of rigid bonds and masses of 12, 1
 * and 12 it is 0.2733, by the density sqrt(1 - f c^2) of the cosine c (Kramers 1946; Fixman 1974). Hamiltonian Monte
 * Carlo gives both. */
#include <cardan/core.h>
#include <cardan/fixman.h>
#include <cardan/molecule.h>
#include <cardan/sampling.h>
#include <math.h>
#include <stdio.h>

enum { BLOCKS = 20, PER_BLOCK = 80 };
static const double masses[3] = { 12, 1, 12 };

/* The mean of cos^2, and its standard error from blocks. */
static cdn_status sample(bool fixman, double *mean, double *error) {
  static const double x[3][3] = { { -0.1, 0, 0 }, { 0, 0, 0 }, { 0.02, 0.1, 0 } };
  cdn_molecule *m = cdn_molecule_create("chain");
  cdn_system *system = cdn_system_create(NULL);
  cdn_state *state = NULL;
  cdn_hmc *hmc = NULL;
  cdn_fixman_coordinate angle[1];
  cdn_fixman_def def = cdn_default_fixman_def();
  cdn_hmc_def how = cdn_default_hmc_def();
  for (int i = 0; i < 3; i++) {
    cdn_atom_def atom = cdn_default_atom_def();
    atom.mass = masses[i], atom.position = cdn_v3(x[i][0], x[i][1], x[i][2]);
    cdn_molecule_add_atom(m, &atom);
    if (i > 0) cdn_molecule_add_bond(m, i - 1, i);
  }
  cdn_molecule_set_bond_mobility(m, 1, 2, CDN_BOND_TORSION_BEND);
  const cdn_force field = cdn_system_add_molecule(system, NULL, m, cdn_ground());
  /* The angle is a coordinate: space measures it by its sine, which has to stay. */
  def.coordinates = angle, def.n_coordinates = cdn_force_field_fixman_coordinates(system, field, angle, 1);
  if (fixman) cdn_system_add_fixman(system, NULL, &def);
  cdn_system_use_random(system, 8);
  how.kT = 300 * CDN_GAS_CONSTANT, how.step = 0.01, how.steps = 6;
  cdn_status status = cdn_system_freeze(system);
  const int q = cdn_body_first_q(system, cdn_force_field_bond_body(system, field, 1, 2));
  if (!status) status = cdn_state_create(system, &state);
  if (!status) status = cdn_hmc_create(state, &how, &hmc);
  double sum = 0, squares = 0;
  for (int b = 0; b < BLOCKS && !status; b++) {
    double block = 0;
    for (int i = 0; i < PER_BLOCK && !status; i++) {
      status = cdn_hmc_advance(hmc, 1);
      block += pow(cos(cdn_state_q(cdn_hmc_state(hmc))[q]), 2) / PER_BLOCK;
    }
    sum += block / BLOCKS, squares += block * block / BLOCKS;
  }
  *mean = sum, *error = sqrt((squares - sum * sum) / (BLOCKS - 1));
  if (status) fprintf(stderr, "rigid_bonds: %s\n", cdn_last_error_text());
  cdn_hmc_destroy(hmc), cdn_state_destroy(state), cdn_system_release(system), cdn_molecule_destroy(m);
  return status;
}

int main(void) {
  const double f = masses[0] * masses[2] / ((masses[0] + masses[1]) * (masses[1] + masses[2]));
  double of = 0, expected[2] = { 0, 1.0 / 3 };
  for (int i = 0; i < 2000; i++) { /* the integral, by the middles of intervals */
    const double c = -1 + (i + 0.5) / 1000, weight = sqrt(1 - f * c * c);
    of += weight, expected[0] += weight * c * c;
  }
  expected[0] /= of;
  bool good = true;
  for (int fixman = 0; fixman < 2; fixman++) {
    double mean, error;
    if (sample(fixman, &mean, &error)) return 1;
    printf("%s: <cos^2> = %.3f +- %.3f, expected %.4f\n", fixman ? "with Fixman's potential" : "rigid bonds", mean,
           error, expected[fixman]);
    good = good && fabs(mean - expected[fixman]) < 4 * error;
  }
  return good ? 0 : 1;
}
