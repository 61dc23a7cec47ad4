// The force field beside OpenMM's Reference platform, in random conformations: energies by term and forces on atoms, in
// vacuum, with cutoffs, in five solvents; and the rules of mixing.
//
// OpenMM makes a radius and a depth of van der Waals' numbers and back again, which costs digits of tables that have
// nine: tolerances are 1e-7 of an energy, and of the largest force.
#include "../check_main.h"

#ifdef TEST_OPENMM
#  include "openmm_system.h"

#  include <cardan/core.h>
#  include <cardan/derivatives.h>
#  include <cardan/modes.h>

#  include <cmath>
#  include <random>
#  include <string>
#  include <vector>

namespace {

using openmm_peer::Molecule;
using openmm_peer::Pairs;
using std::string;
using std::vector;

void ok(cdn_status status) { ck_assert_msg(status == CDN_OK, "%s", cdn_last_error_text()); }
void near(double a, double b, double tolerance) {
  ck_assert_msg(std::fabs(a - b) <= tolerance, "%.15g, not %.15g", a, b);
}

string shared_file(const string &name) {
  const char *shared = getenv("CARDAN_SHARED");
  return string(shared ? shared : "../shared") + "/molecular/" + name;
}

// A System of ours with its State.
struct Ours {
  cdn_system *system = cdn_system_create(nullptr);
  cdn_state *state = nullptr;
  cdn_force field;
  explicit Ours(const cdn_molecule *m) : field(cdn_system_add_molecule(system, nullptr, m, cdn_ground())) {
    ok(cdn_system_freeze(system));
    ok(cdn_state_create(system, &state));
  }
  Ours(const Ours &) = delete;
  ~Ours() {
    cdn_state_destroy(state);
    cdn_system_release(system);
  }
};

// Turns all pins, and moves the root, by random numbers of this size.
void move(const Ours &o, std::mt19937 &random, double size) {
  std::normal_distribution<double> normal(0, size);
  vector<double> q(cdn_state_q(o.state), cdn_state_q(o.state) + cdn_system_nq(o.system));
  for (double &x : q) x += normal(random);
  ok(cdn_state_set_q(o.state, q.data()));
}

void compare(const Ours &ours, Molecule &peer, int n) {
  vector<double> x(3 * n), f(3 * n), energy(CDN_TERM_COUNT);
  ok(cdn_force_field_positions(ours.state, ours.field, x.data()));
  ok(cdn_force_field_energies(ours.state, ours.field, energy.data()));
  ok(cdn_force_field_forces(ours.state, ours.field, f.data()));
  const vector<double> expected = peer.energies(x), g = peer.forces(x);
  for (int k = 0; k < CDN_TERM_COUNT; k++)
    ck_assert_msg(std::fabs(energy[k] - expected[k]) <= 1e-7 * (std::fabs(expected[k]) + 1e-3), "%s: %.12g, not %.12g",
                  cdn_energy_term_name((cdn_energy_term)k), energy[k], expected[k]);
  double most = 0;
  for (double each : g) most = std::fmax(most, std::fabs(each));
  for (int i = 0; i < 3 * n; i++) near(f[i], g[i], 1e-7 * most);
}

struct Case {
  const char *name;
  double turn; // rad: so much that few atoms come to lie on top of each other
  bool solvents;
};
const Case cases[] = { { "alanine-dipeptide", 0.5, true }, { "trpzip2", 0.03, true }, { "bpti", 0.01, false } };

void in_conformations(const Case &c, const cdn_prmtop *prmtop, const cdn_molecule *m, const Pairs &pairs,
                      const cdn_solvent_def &solvent, int times) {
  Ours ours(m);
  Molecule peer(*prmtop, pairs, solvent);
  std::mt19937 random(static_cast<unsigned>(7 + solvent.model));
  for (int i = 0; i < times; i++) {
    move(ours, random, c.turn);
    compare(ours, peer, prmtop->n_atoms);
  }
}

// A System of each kind of pairs and of solvent.
void compare_molecule(const Case &c, const cdn_prmtop *prmtop, const cdn_vec3 *positions) {
  cdn_molecule *m = cdn_molecule_from_prmtop(prmtop, positions);
  cdn_molecule_set_mobility(m, "torsions");
  cdn_solvent_def solvent = cdn_default_solvent_def();
  in_conformations(c, prmtop, m, Pairs(), solvent, 3);
  for (int k = 0; c.solvents && k < 6; k++) {
    static const cdn_solvent_model models[] = { CDN_SOLVENT_HCT,  CDN_SOLVENT_OBC1, CDN_SOLVENT_OBC2,
                                                CDN_SOLVENT_OBC2, CDN_SOLVENT_GBN,  CDN_SOLVENT_GBN2 };
    solvent = cdn_default_solvent_def();
    solvent.model = models[k], solvent.kappa = k == 3 ? 1.2 : 0, solvent.solute = k == 1 ? 2 : 1;
    // OpenMM's OBC2 has ACE's term; the rest is written as formulas, without it
    if (k != 2) solvent.surface = 0;
    cdn_molecule_set_solvent(m, &solvent);
    in_conformations(c, prmtop, m, Pairs(), solvent, k < 4 ? 2 : 1);
  }
  solvent = cdn_default_solvent_def();
  cdn_molecule_set_solvent(m, &solvent);
  for (const Pairs &pairs : { Pairs{ 0.6, 0.45, 78.3 }, Pairs{ 1.0, 0.8, 10 }, Pairs{ 0.9, 0.9, 1 } }) {
    cdn_cutoff_def cutoff = cdn_default_cutoff_def();
    cutoff.distance = pairs.cutoff, cutoff.switching = pairs.switching, cutoff.permittivity = pairs.permittivity;
    cdn_molecule_set_cutoff(m, &cutoff);
    in_conformations(c, prmtop, m, pairs, solvent, 2);
  }
  cdn_molecule_destroy(m);
}

START_TEST(proteins) {
  const Case &c = cases[_i];
  cdn_prmtop *prmtop = nullptr;
  cdn_restart *restart = nullptr;
  if (cdn_prmtop_load(shared_file(string(c.name) + ".prmtop").c_str(), nullptr, &prmtop)) SKIP("no %s.prmtop", c.name);
  ok(cdn_restart_load(shared_file(string(c.name) + ".inpcrd").c_str(), prmtop, nullptr, &restart));
  compare_molecule(c, prmtop, restart->positions);
  cdn_restart_destroy(restart);
  cdn_prmtop_destroy(prmtop);
}
END_TEST

// ---- second derivatives -----------------------------------------------------------------------------

// The change of OpenMM's forces with coordinate k, by differences of steps h and h/2, extrapolated.
vector<double> change(Molecule &peer, const vector<double> &x, size_t k) {
  vector<double> found(x.size(), 0);
  for (int half = 0; half < 2; half++) {
    const double h = half ? 1e-4 : 2e-4, weight = half ? 4.0 / 3 : -1.0 / 3;
    vector<double> there(x);
    there[k] = x[k] + h;
    const vector<double> ahead = peer.forces(there);
    there[k] = x[k] - h;
    const vector<double> behind = peer.forces(there);
    for (size_t i = 0; i < x.size(); i++) found[i] += weight * (ahead[i] - behind[i]) / (2 * h);
  }
  return found;
}

// All atoms move freely: derivatives of the forces, and normal modes as vectors for which H x = omega^2 M x.
void compare_derivatives(const Ours &ours, Molecule &peer, const vector<double> &mass) {
  const size_t n = 3 * mass.size();
  vector<size_t> slot(n); // of each coordinate
  vector<double> x(n), H(n * n), expected(n * n), omega2(n), shapes(n * n);
  for (size_t i = 0; i < n; i++) {
    cdn_body body;
    ok(cdn_force_field_atom_place(ours.system, ours.field, static_cast<int>(i / 3), &body, nullptr));
    slot[i] = static_cast<size_t>(cdn_body_first_u(ours.system, body)) + i % 3;
  }
  ok(cdn_force_field_positions(ours.state, ours.field, x.data()));
  ok(cdn_inverse_dynamics_derivatives(ours.state, nullptr, H.data(), nullptr, nullptr));
  double most = 0;
  for (size_t k = 0; k < n; k++) {
    const vector<double> column = change(peer, x, k);
    for (size_t i = 0; i < n; i++) {
      expected[i * n + k] = -column[i];
      most = std::fmax(most, std::fabs(column[i]));
    }
  }
  for (size_t i = 0; i < n; i++)
    for (size_t k = 0; k < n; k++) near(H[slot[i] * n + slot[k]], expected[i * n + k], 1e-7 * most);
  int modes = 0;
  ok(cdn_normal_modes(ours.state, &modes, omega2.data(), shapes.data()));
  ck_assert(static_cast<size_t>(modes) == n);
  for (size_t mode = 0; mode < n; mode++)
    for (size_t i = 0; i < n; i++) {
      const double *shape = &shapes[mode * n]; // x^T M x = 1: no number is far from 1
      double sum = -omega2[mode] * mass[i / 3] * shape[slot[i]];
      for (size_t k = 0; k < n; k++) sum += expected[i * n + k] * shape[slot[k]];
      near(sum, 0, 3e-7 * most);
    }
}

START_TEST(second_derivatives) {
  cdn_prmtop *prmtop = nullptr;
  cdn_restart *restart = nullptr;
  if (cdn_prmtop_load(shared_file("alanine-dipeptide.prmtop").c_str(), nullptr, &prmtop))
    SKIP("no alanine-dipeptide.prmtop");
  ok(cdn_restart_load(shared_file("alanine-dipeptide.inpcrd").c_str(), prmtop, nullptr, &restart));
  cdn_molecule *m = cdn_molecule_from_prmtop(prmtop, restart->positions);
  cdn_molecule_set_mobility(m, "atoms");
  cdn_solvent_def solvent = cdn_default_solvent_def();
  Pairs pairs;
  if (_i == 1) {
    cdn_cutoff_def cutoff = cdn_default_cutoff_def();
    pairs = Pairs{ 0.61, 0.35, 78.3 }; // no pair is so far apart: there the slope jumps
    cutoff.distance = pairs.cutoff, cutoff.switching = pairs.switching, cutoff.permittivity = pairs.permittivity;
    cdn_molecule_set_cutoff(m, &cutoff);
  } else if (_i == 2) {
    solvent.model = CDN_SOLVENT_OBC2;
    cdn_molecule_set_solvent(m, &solvent);
  }
  const Ours ours(m);
  Molecule peer(*prmtop, pairs, solvent);
  vector<double> mass;
  for (int i = 0; i < prmtop->n_atoms; i++) {
    cdn_atom_def atom;
    ok(cdn_molecule_atom(m, i, &atom));
    mass.push_back(atom.mass);
  }
  compare_derivatives(ours, peer, mass);
  cdn_molecule_destroy(m);
  cdn_restart_destroy(restart);
  cdn_prmtop_destroy(prmtop);
}
END_TEST

// ---- mixing -----------------------------------------------------------------------------------------

// The rules as M. Waldman and A. T. Hagler write them, J. Comput. Chem. 14:1077 (1993), r half the distance of the
// minimum; Kong's by e r^6 and e r^12.
const char *const rules[CDN_MIX_COUNT] = {
  "r0 = (r1 + r2)/2; e = sqrt(e1*e2)",
  "r0 = sqrt(r1*r2); e = sqrt(e1*e2)",
  "r0 = (r1^3 + r2^3)/(r1^2 + r2^2); e = 4*e1*e2/(sqrt(e1) + sqrt(e2))^2",
  "r0 = six^(1/6); e = sqrt(e1*e2)*r1^3*r2^3/six; six = (r1^6 + r2^6)/2",
  "r0 = (twelve/six)^(1/6); e = six^2/twelve; six = sqrt(e1*r1^6*e2*r2^6); "
  "twelve = (((e1*r1^12)^(1/13) + (e2*r2^12)^(1/13))/2)^13",
};

START_TEST(mixing) {
  enum { ATOMS = 24, CLASSES = 6 };
  std::mt19937 random(5);
  std::uniform_real_distribution<double> uniform(0, 1);
  cdn_molecule *m = cdn_molecule_create(nullptr);
  OpenMM::System system;
  auto *force = new OpenMM::CustomNonbondedForce("e*((2*r0/r)^12 - 2*(2*r0/r)^6); " + string(rules[_i]));
  force->addPerParticleParameter("r"), force->addPerParticleParameter("e");
  double radius[CLASSES], depth[CLASSES];
  for (int c = 0; c < CLASSES; c++) {
    radius[c] = 0.1 + 0.1 * uniform(random), depth[c] = 0.05 + uniform(random);
    cdn_molecule_add_class(m, nullptr, radius[c], depth[c]);
  }
  cdn_molecule_set_mixing(m, (cdn_mixing)_i);
  vector<OpenMM::Vec3> x;
  for (int i = 0; i < ATOMS; i++) {
    cdn_atom_def a = cdn_default_atom_def();
    a.mass = 12, a.atom_class = i % CLASSES;
    a.position =
        cdn_v3(0.3 * (i % 3) + 0.05 * uniform(random), 0.3 * (i / 3 % 3), 0.3 * (i / 9) + 0.05 * uniform(random));
    cdn_molecule_add_atom(m, &a);
    system.addParticle(12);
    force->addParticle({ radius[i % CLASSES], depth[i % CLASSES] });
    x.emplace_back(a.position.x, a.position.y, a.position.z);
  }
  system.addForce(force);
  OpenMM::VerletIntegrator integrator(0.001);
  OpenMM::Context context(system, integrator, OpenMM::Platform::getPlatformByName("Reference"));
  context.setPositions(x);
  const OpenMM::State expected = context.getState(OpenMM::State::Energy | OpenMM::State::Forces);
  Ours ours(m);
  double energy[CDN_TERM_COUNT], f[3 * ATOMS], most = 0;
  ok(cdn_force_field_energies(ours.state, ours.field, energy));
  ok(cdn_force_field_forces(ours.state, ours.field, f));
  near(energy[CDN_TERM_LJ], expected.getPotentialEnergy(), 1e-11 * std::fabs(energy[CDN_TERM_LJ]));
  for (double each : f) most = std::fmax(most, std::fabs(each));
  for (int i = 0; i < 3 * ATOMS; i++) near(f[i], expected.getForces()[i / 3][i % 3], 1e-11 * most);
  cdn_molecule_destroy(m);
}
END_TEST

} // namespace

#else
START_TEST(proteins) { SKIP("OpenMM (libopenmm-dev) was not there when this was built"); }
END_TEST
START_TEST(second_derivatives) { SKIP("OpenMM (libopenmm-dev) was not there when this was built"); }
END_TEST
START_TEST(mixing) { SKIP("OpenMM (libopenmm-dev) was not there when this was built"); }
END_TEST
#endif

static void tests(TCase *tc) {
  tcase_add_loop_test(tc, proteins, 0, 3);
  tcase_add_loop_test(tc, second_derivatives, 0, 3);
  tcase_add_loop_test(tc, mixing, 0, CDN_MIX_COUNT);
}

CHECK_MAIN_OF("openmm_molecules", CHECK_TIMEOUT, tests)
