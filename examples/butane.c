/* Butane of united atoms, of which one bond moves: the dihedral is a coordinate. Its potential is TraPPE's (Martin and
 * Siepmann 1998), with minima at trans and gauche. It is known at trans and cis, and energy is kept on the way. */
#include <cardan/core.h>
#include <cardan/molecule.h>
#include <math.h>
#include <stdio.h>

static const double PI = 3.14159265358979323846, BOND = 0.154, ANGLE = 114 * 3.14159265358979323846 / 180;
static const double C[3] = { 335.03, -68.19, 791.32 }; /* K, of cos(phi), cos(2 phi), cos(3 phi) */

/* In nm, Da, kJ/mol. A zigzag: the dihedral is at trans, pi. */
static cdn_molecule *make_butane(void) {
  cdn_molecule *m = cdn_molecule_create("butane");
  cdn_molecule_add_residue(m, "BUT", 1);
  for (int i = 0; i < 4; i++) {
    static const char *const names[] = { "C1", "C2", "C3", "C4" };
    cdn_atom_def atom = cdn_default_atom_def();
    atom.name = names[i], atom.element = 6;
    atom.mass = i == 0 || i == 3 ? 15.035 : 14.027; /* CH3, CH2 */
    atom.position = cdn_v3(i * BOND * sin(ANGLE / 2), i % 2 * BOND * cos(ANGLE / 2), 0);
    cdn_molecule_add_atom(m, &atom);
    if (i > 0) cdn_molecule_add_bond(m, i - 1, i);
  }
  for (int n = 1; n <= 3; n++) cdn_molecule_add_torsion(m, 0, 1, 2, 3, n, C[n - 1] * CDN_GAS_CONSTANT, n == 2 ? PI : 0);
  cdn_molecule_set_mobility(m, "torsions");
  return m;
}

int main(void) {
  cdn_molecule *molecule = make_butane();
  cdn_system *system = cdn_system_create(NULL);
  cdn_state *state = NULL;
  cdn_stepper *stepper = NULL;
  cdn_certificate certificate = { 0 };
  const cdn_force field = cdn_system_add_molecule(system, NULL, molecule, cdn_ground());
  double trans = 0, cis = 0, end = 0;
  cdn_stepper_def how = cdn_default_stepper_def();
  how.method = CDN_METHOD_VERLET, how.fixed_step = 0.002; /* ps */
  cdn_status status = cdn_system_freeze(system);
  if (!status) status = cdn_state_create(system, &state);
  const cdn_body bond = cdn_force_field_bond_body(system, field, 1, 2);
  if (!status) status = cdn_potential_energy(state, &trans);
  if (!status) status = cdn_body_set_q(state, bond, 1, &(double){ 0 });
  if (!status) status = cdn_potential_energy(state, &cis);
  if (!status)
    status = cdn_body_set_q(state, bond, 1, &(double){ 0.1 }); /* it falls from near cis, over gauche and trans */
  if (!status) status = cdn_stepper_create(state, &how, &stepper);
  for (int i = 0; i < 10 && !status; i++) {
    status = cdn_stepper_advance(stepper, 0.1 * (i + 1), NULL);
    const double phi = cdn_state_q(cdn_stepper_state(stepper))[cdn_body_first_q(system, bond)];
    printf("%4.1f ps  dihedral %7.1f degrees\n", 0.1 * (i + 1), remainder(phi, 2 * PI) * 180 / PI);
  }
  if (!status) status = cdn_stepper_certificate(stepper, &certificate);
  if (status) fprintf(stderr, "butane: %s\n", cdn_last_error_text());
  end = certificate.energy_final - certificate.energy_initial;
  printf("trans %g, cis %.6f kJ/mol; energy changes by %.2g kJ/mol\n", trans, cis, end);
  const double expected = 2 * (C[0] + C[2]) * CDN_GAS_CONSTANT;
  const int good = fabs(trans) < 1e-12 && fabs(cis - expected) < 1e-9 && fabs(end) < 1e-3 * expected;
  cdn_stepper_destroy(stepper), cdn_state_destroy(state), cdn_system_release(system), cdn_molecule_destroy(molecule);
  return !status && good ? 0 : 1;
}
