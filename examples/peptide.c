/* A peptide at 300 K, in implicit solvent: an alanine between two caps, of which phi and psi move. Hamiltonian Monte
 * Carlo draws conformations; Fixman's potential makes them those of stiff bonds, not rigid ones. Lengths and angles are
 * textbook values; charges, radii and depths are round numbers near those of OPLS with united atoms. */
#include <cardan/core.h>
#include <cardan/fixman.h>
#include <cardan/molecule.h>
#include <cardan/sampling.h>
#include <math.h>
#include <stdio.h>

static const double DEGREE = 3.14159265358979323846 / 180, kT = 300 * CDN_GAS_CONSTANT;
enum { ATOMS = 12, TRAJECTORIES = 400 };

/* Each atom: what it is, and where: its distance from atom a, its angle a-b, its dihedral a-b-c. nm, degrees. */
static const struct {
  const char *name;
  int residue, element;
  double mass, charge, radius, depth;
  int a, b, c;
  double length, angle, dihedral;
} atoms[ATOMS] = {
  { "CH3", 0, 6, 15.03, 0, 0.22, 0.67, -1, -1, -1, 0, 0, 0 },
  { "C", 0, 6, 12.01, 0.5, 0.21, 0.44, 0, -1, -1, 0.151, 0, 0 },
  { "O", 0, 8, 16, -0.5, 0.166, 0.88, 1, 0, -1, 0.123, 121, 0 },
  { "N", 1, 7, 14.01, -0.57, 0.182, 0.71, 1, 0, 2, 0.1335, 116, 180 },
  { "H", 1, 1, 1.008, 0.37, 0.06, 0.02, 3, 1, 0, 0.101, 120, 0 },
  { "CA", 1, 6, 13.02, 0.2, 0.213, 0.33, 3, 1, 0, 0.145, 122, 180 },
  { "CB", 1, 6, 15.03, 0, 0.22, 0.67, 5, 3, 1, 0.153, 110, 158 },
  { "C", 1, 6, 12.01, 0.5, 0.21, 0.44, 5, 3, 1, 0.1525, 111, -80 },
  { "O", 1, 8, 16, -0.5, 0.166, 0.88, 7, 5, 3, 0.123, 121, -100 },
  { "N", 2, 7, 14.01, -0.57, 0.182, 0.71, 7, 5, 3, 0.1335, 116, 80 },
  { "H", 2, 1, 1.008, 0.37, 0.06, 0.02, 9, 7, 5, 0.101, 120, 0 },
  { "CH3", 2, 6, 15.03, 0.2, 0.22, 0.67, 9, 7, 5, 0.145, 122, 180 },
};

static cdn_vec3 place(const cdn_vec3 *p, int i) {
  const double r = atoms[i].length, angle = atoms[i].angle * DEGREE, turn = atoms[i].dihedral * DEGREE;
  if (i == 0) return cdn_v3(0, 0, 0);
  const cdn_vec3 a = p[atoms[i].a];
  if (i == 1) return cdn_v3(r, 0, 0);
  const cdn_vec3 out = cdn_sub(a, p[atoms[i].b]), e = cdn_scale(1 / cdn_norm(out), out);
  const cdn_vec3 far = i == 2 ? cdn_v3(0, 1, 0) : cdn_sub(p[atoms[i].b], p[atoms[i].c]);
  const cdn_vec3 across = cdn_cross(far, e), n = cdn_scale(1 / cdn_norm(across), across), m = cdn_cross(n, e);
  cdn_vec3 d = cdn_scale(-cos(angle), e);
  d = cdn_add(d, cdn_scale(sin(angle) * cos(turn), m));
  return cdn_add(a, cdn_scale(r, cdn_add(d, cdn_scale(sin(angle) * sin(turn), n))));
}

static cdn_molecule *make_peptide(void) {
  static const char *const residues[] = { "ACE", "ALA", "NME" };
  cdn_molecule *m = cdn_molecule_create("peptide");
  cdn_solvent_def solvent = cdn_default_solvent_def();
  cdn_vec3 p[ATOMS];
  for (int k = 0; k < 3; k++) cdn_molecule_add_residue(m, residues[k], k + 1);
  for (int i = 0; i < ATOMS; i++) {
    cdn_atom_def atom = cdn_default_atom_def();
    atom.name = atoms[i].name, atom.residue = atoms[i].residue, atom.element = atoms[i].element;
    atom.mass = atoms[i].mass, atom.charge = atoms[i].charge, atom.radius = atoms[i].element == 1 ? 0.12 : 0.17;
    atom.atom_class = cdn_molecule_add_class(m, atoms[i].name, atoms[i].radius, atoms[i].depth);
    atom.position = p[i] = place(p, i);
    cdn_molecule_add_atom(m, &atom);
    if (i > 0) cdn_molecule_add_bond(m, atoms[i].a, i);
  }
  solvent.model = CDN_SOLVENT_OBC2;
  cdn_molecule_set_solvent(m, &solvent);
  cdn_molecule_set_mobility(m, "backbone");
  return m;
}

int main(void) {
  cdn_molecule *molecule = make_peptide();
  cdn_system *system = cdn_system_create(NULL);
  cdn_state *state = NULL;
  cdn_hmc *hmc = NULL;
  cdn_hmc_report report = { 0 };
  cdn_hmc_def how = cdn_default_hmc_def();
  const cdn_force field = cdn_system_add_molecule(system, NULL, molecule, cdn_ground());
  const cdn_body phi = cdn_force_field_bond_body(system, field, 3, 5),
                 psi = cdn_force_field_bond_body(system, field, 5, 7);
  cdn_system_add_fixman(system, "fixman", NULL); /* 300 K */
  cdn_system_use_random(system, 1);
  how.kT = kT, how.step = 0.01, how.steps = 12, how.burn_in = 60; /* ps */
  cdn_status status = cdn_system_freeze(system);
  if (!status) status = cdn_state_create(system, &state);
  if (!status) status = cdn_hmc_create(state, &how, &hmc);
  if (!status) status = cdn_hmc_advance(hmc, how.burn_in);
  double sum[2] = { 0, 0 }; /* of cosines */
  for (int i = 0; i < TRAJECTORIES && !status; i++) {
    status = cdn_hmc_advance(hmc, 1);
    const double *q = cdn_state_q(cdn_hmc_state(hmc));
    const double a = q[cdn_body_first_q(system, phi)], b = q[cdn_body_first_q(system, psi)];
    sum[0] += cos(a), sum[1] += cos(b);
    if (i % 50 == 0) printf("phi %5.0f  psi %5.0f\n", remainder(a / DEGREE, 360), remainder(b / DEGREE, 360));
  }
  if (status) fprintf(stderr, "peptide: %s\n", cdn_last_error_text());
  cdn_hmc_get_report(hmc, &report);
  const double accepted = (double)report.accepted / TRAJECTORIES, off = fabs(report.mean_exp - 1);
  printf("<cos phi> %.2f, <cos psi> %.2f; steps of %.1f fs, accepted %.2f, <exp(-dH/kT)> = %.3f, error %.3f\n",
         sum[0] / TRAJECTORIES, sum[1] / TRAJECTORIES, 1000 * report.step, accepted, report.mean_exp,
         report.mean_exp_error);
  cdn_hmc_destroy(hmc), cdn_state_destroy(state), cdn_system_release(system), cdn_molecule_destroy(molecule);
  return !status && accepted > 0.5 && off < 4 * report.mean_exp_error ? 0 : 1;
}
