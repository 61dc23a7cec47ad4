#include "molecules_openmm.h"

#include <cmath>
#include <string>

#include <OpenMM.h>

namespace bench {

namespace {

constexpr double per_kcal = CDN_KJ_PER_KCAL, per_nm = CDN_ANGSTROM_PER_NM;

class Run : public OpenMMRun {
public:
  OpenMM::System system;
  std::unique_ptr<OpenMM::VerletIntegrator> integrator;
  std::unique_ptr<OpenMM::Context> context;

  double potential() override { return context->getState(OpenMM::State::Energy).getPotentialEnergy(); }
  void step(int n) override { integrator->step(n); }
};

void add_bonded(const cdn_prmtop *p, OpenMM::System *system) {
  auto *bonds = new OpenMM::HarmonicBondForce;
  auto *angles = new OpenMM::HarmonicAngleForce;
  auto *torsions = new OpenMM::PeriodicTorsionForce;
  for (int i = 0; i < p->n_bonds; i++) {
    const cdn_prmtop_bond &b = p->bonds[i];
    bonds->addBond(b.atom[0], b.atom[1], b.r0 / per_nm, 2 * b.k * per_kcal * per_nm * per_nm);
  }
  for (int i = 0; i < p->n_angles; i++) {
    const cdn_prmtop_angle &a = p->angles[i];
    angles->addAngle(a.atom[0], a.atom[1], a.atom[2], a.theta0, 2 * a.k * per_kcal);
  }
  for (int i = 0; i < p->n_dihedrals; i++) {
    const cdn_prmtop_dihedral &d = p->dihedrals[i];
    if (d.k != 0)
      torsions->addTorsion(d.atom[0], d.atom[1], d.atom[2], d.atom[3], d.periodicity, d.phase, d.k * per_kcal);
  }
  system->addForce(bonds);
  system->addForce(angles);
  system->addForce(torsions);
}

// Radius and depth of two types that meet by A and B.
void mix(const cdn_prmtop *p, int i, int j, double *sigma, double *depth) {
  const int k = i * p->n_lj_types + j;
  const double A = p->lj_A[k], B = p->lj_B[k];
  *sigma = B > 0 ? std::pow(A / B, 1 / 6.0) / per_nm : 0.1;
  *depth = A > 0 ? B * B / (4 * A) * per_kcal : 0;
}

void add_pairs(const cdn_prmtop *p, OpenMM::System *system) {
  auto *pairs = new OpenMM::NonbondedForce;
  double sigma, depth;
  pairs->setNonbondedMethod(OpenMM::NonbondedForce::NoCutoff);
  for (int i = 0; i < p->n_atoms; i++) {
    mix(p, p->lj_type[i], p->lj_type[i], &sigma, &depth);
    pairs->addParticle(p->charge[i], sigma, depth);
  }
  for (int i = 0; i < p->n_atoms; i++)
    for (int k = p->excluded_first[i]; k < p->excluded_first[i + 1]; k++)
      pairs->addException(i, p->excluded[k], 0, 0.1, 0);
  for (int i = 0; i < p->n_dihedrals; i++) {
    const cdn_prmtop_dihedral &d = p->dihedrals[i];
    if (d.improper || d.ignore_14) continue;
    const int a = d.atom[0], b = d.atom[3];
    mix(p, p->lj_type[a], p->lj_type[b], &sigma, &depth);
    pairs->addException(a, b, p->charge[a] * p->charge[b] / d.scee, sigma, depth / d.scnb, true);
  }
  system->addForce(pairs);
}

void add_obc2(const cdn_prmtop *p, OpenMM::System *system) {
  auto *solvent = new OpenMM::GBSAOBCForce;
  solvent->setNonbondedMethod(OpenMM::GBSAOBCForce::NoCutoff);
  for (int i = 0; i < p->n_atoms; i++) solvent->addParticle(p->charge[i], p->born_radius[i] / per_nm, p->screen[i]);
  system->addForce(solvent);
}

} // namespace

std::unique_ptr<OpenMMRun> make_openmm(const cdn_prmtop *prmtop, const std::vector<double> &x, bool obc2, double step) {
  const std::string plugins = OpenMM::Platform::getDefaultPluginsDirectory();
  auto run = std::make_unique<Run>();
  for (int i = 0; i < prmtop->n_atoms; i++) run->system.addParticle(prmtop->mass[i]);
  add_bonded(prmtop, &run->system);
  add_pairs(prmtop, &run->system);
  if (obc2) add_obc2(prmtop, &run->system);
  try {
    if (OpenMM::Platform::getNumPlatforms() < 2) OpenMM::Platform::loadPluginLibrary(plugins + "/libOpenMMCPU.so");
    OpenMM::Platform &cpu = OpenMM::Platform::getPlatformByName("CPU");
    run->integrator = std::make_unique<OpenMM::VerletIntegrator>(step);
    run->context = std::make_unique<OpenMM::Context>(run->system, *run->integrator, cpu,
                                                     std::map<std::string, std::string>{ { "Threads", "1" } });
  } catch (const std::exception &) { return nullptr; }
  std::vector<OpenMM::Vec3> positions;
  for (size_t i = 0; i < x.size(); i += 3) positions.emplace_back(x[i], x[i + 1], x[i + 2]);
  run->context->setPositions(positions);
  return run;
}

} // namespace bench
