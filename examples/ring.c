/* A flexible ring: cyclohexane of six united atoms, from its chair. Bonds keep their lengths, angles and dihedrals
 * move. The tree cannot close a ring: one bond is cut, and a rod keeps its length. The ring has the twelve degrees of
 * freedom of six atoms at six rods, it stays closed, and its energy is kept. */
#include <cardan/core.h>
#include <cardan/modes.h>
#include <cardan/molecule.h>
#include <math.h>
#include <stdio.h>

enum { N = 6 };
static const double BOND = 0.154, ANGLE = 1.9106332362490186; /* nm; the tetrahedron's */

/* Atoms are above and below a plane in turn. */
static cdn_molecule *make_ring(void) {
  const double r = BOND * sqrt(2 * (1 - cos(ANGLE)) / 3), h = sqrt(BOND * BOND - r * r) / 2;
  cdn_molecule *m = cdn_molecule_create("cyclohexane");
  cdn_molecule_add_residue(m, "CYH", 1);
  for (int i = 0; i < N; i++) {
    const double turn = i * 1.0471975511965976;
    cdn_atom_def atom = cdn_default_atom_def();
    atom.element = 6, atom.mass = 14.027; /* CH2 */
    atom.position = cdn_v3(r * cos(turn), r * sin(turn), i % 2 ? h : -h);
    cdn_molecule_add_atom(m, &atom);
  }
  for (int i = 0; i < N; i++) {
    const int a = i, b = (i + 1) % N, c = (i + 2) % N, d = (i + 3) % N;
    cdn_molecule_add_bond(m, a, b);
    cdn_molecule_set_bond_mobility(m, a, b, i < N - 1 ? CDN_BOND_TORSION_BEND : CDN_BOND_CUT);
    cdn_molecule_add_bend(m, a, b, c, 260, ANGLE);      /* kJ/mol/rad^2 */
    cdn_molecule_add_torsion(m, a, b, c, d, 3, 6.6, 0); /* staggered is lowest */
  }
  return m;
}

static double worst_bond(cdn_state *state, cdn_force field) {
  double x[3 * N], worst = 0;
  if (cdn_force_field_positions(state, field, x)) return INFINITY;
  for (int i = 0; i < N; i++) {
    const double *a = x + 3 * i, *b = x + 3 * ((i + 1) % N);
    worst = fmax(worst, fabs(sqrt(pow(a[0] - b[0], 2) + pow(a[1] - b[1], 2) + pow(a[2] - b[2], 2)) - BOND));
  }
  return worst;
}

int main(void) {
  cdn_molecule *molecule = make_ring();
  cdn_system *system = cdn_system_create(NULL);
  cdn_state *state = NULL;
  cdn_stepper *stepper = NULL;
  cdn_freedom freedom = { 0 };
  cdn_certificate certificate = { 0 };
  double worst = 0, u[3 * N] = { 0 };
  const cdn_force field = cdn_system_add_molecule(system, NULL, molecule, cdn_ground());
  cdn_stepper_def how = cdn_default_stepper_def();
  how.method = CDN_METHOD_VERLET, how.fixed_step = 0.00025, how.constraint_tolerance = 1e-9;
  cdn_status status = cdn_system_freeze(system);
  if (!status) status = cdn_state_create(system, &state);
  if (!status) status = cdn_degrees_of_freedom(state, &freedom, NULL);
  for (int i = 6; i < cdn_system_nu(system); i++) u[i] = 8 * sin(i); /* rad/ps: hot */
  if (!status) status = cdn_state_set_u(state, u);
  if (!status) status = cdn_project_u(state, NULL, NULL); /* the ring stays closed */
  if (!status) status = cdn_stepper_create(state, &how, &stepper);
  for (int i = 1; i <= 100 && !status; i++) {
    status = cdn_stepper_advance(stepper, 0.02 * i, NULL);
    worst = fmax(worst, worst_bond(cdn_stepper_state(stepper), field));
  }
  if (!status) status = cdn_stepper_certificate(stepper, &certificate);
  if (status) fprintf(stderr, "ring: %s\n", cdn_last_error_text());
  const double energy = certificate.energy_initial, change = certificate.energy_final - energy;
  printf("%d mobilities, %d degrees of freedom; bonds differ by %.1e nm at most; %g kJ/mol change by %.2g\n",
         freedom.nu, freedom.net, worst, energy, change);
  cdn_stepper_destroy(stepper), cdn_state_destroy(state), cdn_system_release(system), cdn_molecule_destroy(molecule);
  return !status && freedom.net == 3 * N - N && worst < 1e-8 && fabs(change) < 1e-3 * energy ? 0 : 1;
}
