#include "openmm_system.h"

#include <cmath>
#include <set>
#include <utility>

extern "C" {
#include "molecules/necks.h"
}

namespace openmm_peer {

using std::pow;
using std::sqrt;
using std::string;
using std::vector;

namespace {

constexpr double kcal = 4.184, angstrom = 0.1;

void add_terms(OpenMM::System &system, const cdn_prmtop &p) {
  auto *stretch = new OpenMM::HarmonicBondForce;
  auto *bend = new OpenMM::HarmonicAngleForce;
  auto *proper = new OpenMM::PeriodicTorsionForce, *improper = new OpenMM::PeriodicTorsionForce;
  for (int i = 0; i < p.n_bonds; i++) {
    const cdn_prmtop_bond &e = p.bonds[i];
    stretch->addBond(e.atom[0], e.atom[1], e.r0 * angstrom, 2 * e.k * kcal / (angstrom * angstrom));
  }
  for (int i = 0; i < p.n_angles; i++) {
    const cdn_prmtop_angle &e = p.angles[i];
    bend->addAngle(e.atom[0], e.atom[1], e.atom[2], e.theta0, 2 * e.k * kcal);
  }
  for (int i = 0; i < p.n_dihedrals; i++) {
    const cdn_prmtop_dihedral &e = p.dihedrals[i];
    if (e.periodicity > 0)
      (e.improper ? improper : proper)
          ->addTorsion(e.atom[0], e.atom[1], e.atom[2], e.atom[3], e.periodicity, e.phase, e.k * kcal);
  }
  OpenMM::Force *const forces[] = { stretch, bend, proper, improper };
  const int groups[] = { CDN_TERM_STRETCH, CDN_TERM_BEND, CDN_TERM_TORSION, CDN_TERM_IMPROPER };
  for (int i = 0; i < 4; i++) forces[i]->setForceGroup(groups[i]), system.addForce(forces[i]);
}

// Distance of the zero and depth of a type.
std::pair<double, double> sigma_epsilon(const cdn_prmtop &p, int type) {
  const double A = p.lj_A[type * p.n_lj_types + type], B = p.lj_B[type * p.n_lj_types + type];
  if (A == 0 || B == 0) return { 1, 0 };
  return { pow(A / B, 1.0 / 6) * angstrom, B * B / (4 * A) * kcal };
}

// One force for Coulomb's term, one for van der Waals': OpenMM has them in one.
void add_pairs(OpenMM::System &system, const cdn_prmtop &p, const Pairs &pairs) {
  OpenMM::NonbondedForce *both[] = { new OpenMM::NonbondedForce, new OpenMM::NonbondedForce };
  for (int kind = 0; kind < 2; kind++) {
    OpenMM::NonbondedForce *f = both[kind];
    for (int i = 0; i < p.n_atoms; i++) {
      const auto lj = sigma_epsilon(p, p.lj_type[i]);
      f->addParticle(kind ? p.charge[i] : 0, lj.first, kind ? 0 : lj.second);
    }
    for (int i = 0; i < p.n_atoms; i++)
      for (int k = p.excluded_first[i]; k < p.excluded_first[i + 1]; k++) f->addException(i, p.excluded[k], 0, 1, 0);
    if (pairs.cutoff > 0) {
      f->setNonbondedMethod(OpenMM::NonbondedForce::CutoffNonPeriodic);
      f->setCutoffDistance(pairs.cutoff);
      f->setUseSwitchingFunction(pairs.switching < pairs.cutoff);
      f->setSwitchingDistance(pairs.switching);
      f->setReactionFieldDielectric(pairs.permittivity);
    }
    f->setForceGroup(kind ? CDN_TERM_COULOMB : CDN_TERM_LJ);
    system.addForce(f);
  }
}

// Pairs of dihedrals' ends, each once.
void add_scaled(OpenMM::System &system, const cdn_prmtop &p) {
  auto *coulomb = new OpenMM::CustomBondForce("qq / r"), *lj = new OpenMM::CustomBondForce("A / r^12 - B / r^6");
  coulomb->addPerBondParameter("qq");
  lj->addPerBondParameter("A"), lj->addPerBondParameter("B");
  std::set<std::pair<int, int>> seen;
  for (int i = 0; i < p.n_dihedrals; i++) {
    const cdn_prmtop_dihedral &e = p.dihedrals[i];
    const int a = std::min(e.atom[0], e.atom[3]), b = std::max(e.atom[0], e.atom[3]);
    if (e.improper || e.ignore_14 || !seen.insert({ a, b }).second) continue;
    const int at = p.lj_type[a] * p.n_lj_types + p.lj_type[b];
    coulomb->addBond(a, b, { CDN_COULOMB_CONSTANT * p.charge[a] * p.charge[b] / e.scee });
    lj->addBond(a, b,
                { p.lj_A[at] * kcal * pow(angstrom, 12) / e.scnb, p.lj_B[at] * kcal * pow(angstrom, 6) / e.scnb });
  }
  coulomb->setForceGroup(CDN_TERM_COULOMB_SCALED), system.addForce(coulomb);
  lj->setForceGroup(CDN_TERM_LJ_SCALED), system.addForce(lj);
}

// ---- generalized Born -------------------------------------------------------------------------------

// Numbers of the models, from the papers: J. Mongan et al. 2007; H. Nguyen, D. R. Roe and C. Simmerling 2013.
struct Element {
  int number;
  double gbn_screen, gbn2_screen, alpha, beta, gamma;
};
const Element elements[] = {
  { 1, 1.09085413633, 1.425952, 0.788440, 0.798699, 0.437334 },
  { 6, 0.48435382330, 1.058554, 0.733756, 0.506378, 0.205844 },
  { 7, 0.700147318409, 0.733599, 0.503364, 0.316828, 0.192915 },
  { 8, 1.06557401132, 1.061039, 0.867814, 0.876635, 0.387882 },
  { 16, 0.602256336067, -0.703469, 0.867814, 0.876635, 0.387882 },
};
const Element &element(int number) {
  for (const Element &e : elements)
    if (e.number == number) return e;
  return elements[1];
}

const char *const descreened =
    "select(step(r + sr2 - or1), 0.5 * (1/L - 1/U + 0.25 * (r - sr2^2/r) * (1/U^2 - 1/L^2) + "
    "0.5 * log(L/U) / r + C), 0)";
const char *const limits =
    "; U = r + sr2; C = 2 * (1/or1 - 1/L) * step(sr2 - r - or1); L = max(or1, D); D = abs(r - sr2)";

void add_solvent(OpenMM::System &system, const cdn_prmtop &p, const cdn_solvent_def &solvent) {
  const bool hct = solvent.model == CDN_SOLVENT_HCT, gbn = solvent.model == CDN_SOLVENT_GBN,
             gbn2 = solvent.model == CDN_SOLVENT_GBN2, obc1 = solvent.model == CDN_SOLVENT_OBC1;
  const double offset = gbn2 ? 0.0195141 : 0.009, neck = gbn2 ? 0.826836 : 0.361825;
  auto *f = new OpenMM::CustomGBForce;
  for (const char *name : { "q", "radius", "or", "sr", "alpha", "beta", "gamma", "index" })
    f->addPerParticleParameter(name);
  for (int i = 0; i < p.n_atoms; i++) {
    const Element &e = element(p.atomic_number[i]);
    const double radius = p.born_radius[i] * angstrom, rho = radius - offset;
    const double screen = gbn ? e.gbn_screen : gbn2 ? e.gbn2_screen : p.screen[i];
    const double tanh_numbers[3] = { gbn2   ? e.alpha
                                     : gbn  ? 1.09511284
                                     : obc1 ? 0.8
                                            : 1.0,
                                     gbn2   ? e.beta
                                     : gbn  ? 1.907992938
                                     : obc1 ? 0.0
                                            : 0.8,
                                     gbn2   ? e.gamma
                                     : gbn  ? 2.50798245
                                     : obc1 ? 2.909125
                                            : 4.85 };
    f->addParticle({ p.charge[i], radius, rho, screen * rho, tanh_numbers[0], tanh_numbers[1], tanh_numbers[2],
                     std::round((radius - 0.1) * 200) });
  }
  string integral = descreened;
  if (gbn || gbn2) {
    // The tables have angstrom; the first index is that of the other atom.
    vector<double> d0, m0;
    for (int b = 0; b < NECK_RADII; b++)
      for (int a = 0; a < NECK_RADII; a++)
        d0.push_back(cdni_neck_d0[a * NECK_RADII + b] * 0.1), m0.push_back(cdni_neck_m0[a * NECK_RADII + b] * 10);
    f->addTabulatedFunction("d0", new OpenMM::Discrete2DFunction(NECK_RADII, NECK_RADII, d0));
    f->addTabulatedFunction("m0", new OpenMM::Discrete2DFunction(NECK_RADII, NECK_RADII, m0));
    integral += " + scale * step(radius1 + radius2 + 0.68 - r) * m0(index2, index1) / "
                "(1 + 100 * (r - d0(index2, index1))^2 + 0.3 * 1000000 * (r - d0(index2, index1))^6)";
    f->addGlobalParameter("scale", neck);
  }
  f->addComputedValue("I", integral + limits, OpenMM::CustomGBForce::ParticlePairNoExclusions);
  f->addComputedValue("B",
                      hct ? "1 / (1/or - I)"
                          : "1 / (1/or - tanh(alpha * psi - beta * psi^2 + gamma * psi^3) / radius); psi = I * or",
                      OpenMM::CustomGBForce::SingleParticle);
  f->addGlobalParameter("solute", solvent.solute), f->addGlobalParameter("solvent", solvent.solvent);
  f->addGlobalParameter("kappa", solvent.kappa), f->addGlobalParameter("k", CDN_COULOMB_CONSTANT);
  f->addEnergyTerm("-0.5 * k * (1/solute - exp(-kappa * B)/solvent) * q^2 / B", OpenMM::CustomGBForce::SingleParticle);
  f->addEnergyTerm("-k * (1/solute - exp(-kappa * f)/solvent) * q1 * q2 / f; f = sqrt(r^2 + B1*B2*exp(-r^2/(4*B1*B2)))",
                   OpenMM::CustomGBForce::ParticlePairNoExclusions);
  f->setForceGroup(CDN_TERM_POLAR);
  system.addForce(f);
}

// OBC2 has a force of its own; ACE's term is that of the same force without charges.
void add_obc2(OpenMM::System &system, const cdn_prmtop &p, const cdn_solvent_def &solvent) {
  for (int kind = 0; kind < 2; kind++) {
    auto *f = new OpenMM::GBSAOBCForce;
    for (int i = 0; i < p.n_atoms; i++)
      f->addParticle(kind ? 0 : p.charge[i], p.born_radius[i] * angstrom, p.screen[i]);
    f->setSoluteDielectric(solvent.solute), f->setSolventDielectric(solvent.solvent);
    f->setSurfaceAreaEnergy(kind ? solvent.surface / (4 * M_PI) : 0);
    f->setForceGroup(kind ? CDN_TERM_SURFACE : CDN_TERM_POLAR);
    system.addForce(f);
  }
}

} // namespace

Molecule::Molecule(const cdn_prmtop &p, const Pairs &pairs, const cdn_solvent_def &solvent) {
  for (int i = 0; i < p.n_atoms; i++) system.addParticle(p.mass[i]);
  add_terms(system, p);
  add_pairs(system, p, pairs);
  add_scaled(system, p);
  if (solvent.model == CDN_SOLVENT_OBC2 && solvent.kappa == 0) add_obc2(system, p, solvent);
  else if (solvent.model != CDN_SOLVENT_VACUUM) add_solvent(system, p, solvent);
  in_context = std::make_unique<OpenMM::Context>(system, integrator, OpenMM::Platform::getPlatformByName("Reference"));
}

void Molecule::set(const vector<double> &x) {
  vector<OpenMM::Vec3> positions(x.size() / 3);
  for (size_t i = 0; i < positions.size(); i++) positions[i] = OpenMM::Vec3(x[3 * i], x[3 * i + 1], x[3 * i + 2]);
  in_context->setPositions(positions);
}

vector<double> Molecule::energies(const vector<double> &x) {
  set(x);
  vector<double> energy(CDN_TERM_COUNT);
  for (int k = 0; k < CDN_TERM_COUNT; k++)
    energy[k] = in_context->getState(OpenMM::State::Energy, false, 1 << k).getPotentialEnergy();
  return energy;
}

vector<double> Molecule::forces(const vector<double> &x) {
  set(x);
  vector<double> out;
  const OpenMM::State state = in_context->getState(OpenMM::State::Forces);
  for (const OpenMM::Vec3 &f : state.getForces())
    for (int k = 0; k < 3; k++) out.push_back(f[k]);
  return out;
}

} // namespace openmm_peer
