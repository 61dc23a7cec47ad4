// A molecule in OpenMM: the terms of an AMBER topology, each kind in a force group of its own, whose energy can be
// asked for. Numbers are turned from the file into OpenMM's units here, not by Cardan.
#ifndef CARDAN_TESTS_OPENMM_SYSTEM_H
#define CARDAN_TESTS_OPENMM_SYSTEM_H

#include <OpenMM.h>

#include <memory>
#include <string>
#include <vector>

#include <cardan/molecule.h>

namespace openmm_peer {

// Which pairs count: all, or those within a cutoff, with a switch and a reaction field.
struct Pairs {
  double cutoff = 0, switching = 0, permittivity = 78.3;
};

class Molecule {
public:
  // The bonded terms and pairs of a topology, on the Reference platform. OBC2 without salt is OpenMM's own force, with
  // ACE's term; the other models are written as formulas, without it.
  Molecule(const cdn_prmtop &prmtop, const Pairs &pairs, const cdn_solvent_def &solvent);
  // Energies by term.
  std::vector<double> energies(const std::vector<double> &x);
  std::vector<double> forces(const std::vector<double> &x);

private:
  void set(const std::vector<double> &x);
  OpenMM::System system;
  OpenMM::VerletIntegrator integrator{ 0.001 };
  std::unique_ptr<OpenMM::Context> in_context;
};

} // namespace openmm_peer

#endif
