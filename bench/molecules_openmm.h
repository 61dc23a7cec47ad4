// A molecule in OpenMM's CPU platform, on one thread: all atoms move.
#ifndef CARDAN_BENCH_MOLECULES_OPENMM_H
#define CARDAN_BENCH_MOLECULES_OPENMM_H

#include <memory>
#include <vector>

#include <cardan/molecule_files.h>

namespace bench {

class OpenMMRun {
public:
  virtual ~OpenMMRun() = default;
  virtual double potential() = 0; // kJ/mol, of the present positions
  virtual void step(int n) = 0;   // velocity Verlet's relative, leapfrog
};

// x: 3 numbers an atom, nm; step in ps. nullptr: this OpenMM has no CPU platform.
std::unique_ptr<OpenMMRun> make_openmm(const cdn_prmtop *prmtop, const std::vector<double> &x, bool obc2, double step);

} // namespace bench

#endif
