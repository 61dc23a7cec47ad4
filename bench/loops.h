// Linkages whose loops are closed by ball constraints, as plain data and as engines: constrained forward dynamics.
#ifndef CARDAN_BENCH_LOOPS_H
#define CARDAN_BENCH_LOOPS_H

#include "engine.h"

namespace bench {

struct Linkage {
  std::string name;
  peers::Tree tree;
  std::vector<Loop> loops;
  std::vector<double> q, u; // a configuration that is closed, and a guess at its speeds
  int off = 0; // rods between pairs of bodies, declared beside the loops and never on (Cardan alone has them)
};

// A crank that turns, a coupler and a rocker.
Linkage four_bar();
// n planar four-bars in a row, each coupler on the crank to its left (IFToMM's N four-bars): loops close on Ground.
Linkage ladder(int n);
// A stack of n scissors, each standing on the one below: G M^-1 G^T is dense.
Linkage scissor_lift(int n);
// The same lift as two chains that cross: all its loops are open along both, down to the lowest bar.
Linkage crossed_chains(int n);
// n links in a ring, one of them pinned to Ground: one long loop.
Linkage ring(int n);

// A System of it with gravity, not yet frozen constraints and all; aborts if it cannot be built.
cdn_system *build_linkage(const Linkage &linkage);
// Configurations and speeds that satisfy the constraints, near those of the linkage.
Samples closed_samples(const Linkage &linkage, int n, double spread);

std::unique_ptr<Engine> make_cardan_linkage(const Linkage &linkage, const Samples &samples);
std::unique_ptr<Engine> make_simbody_linkage(const Linkage &linkage, const Samples &samples);
// Its connections are soft: accelerations are near, not equal. NULL if MuJoCo does not take the model.
std::unique_ptr<Engine> make_mujoco_linkage(const Linkage &linkage, const Samples &samples);

} // namespace bench

#endif
