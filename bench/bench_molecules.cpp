// Full steps of molecules, without cutoffs and on one thread: all torsions move by the step of sampling.h here, all
// atoms by leapfrog in OpenMM's CPU platform, which computes in single precision. And what Fixman's potential adds.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <limits>
#include <string>

#include <cardan/fixman.h>
#include <cardan/molecule.h>
#include <cardan/operators.h>
#include <cardan/sampling.h>

#include "molecules_openmm.h"
#include "report.h"
#include "run_options.h"
#include "timing.h"

namespace bench {

namespace {

constexpr double time_step = 0.002, kT = CDN_GAS_CONSTANT * 300; // ps, kJ/mol
constexpr double unknown = std::numeric_limits<double>::quiet_NaN();
constexpr double most_vacuum = 0.2, most_obc2 = 0.5;                   // of OpenMM's time
constexpr double most_fixman = 1 / 50.0, most_fixman_small = 1 / 15.0; // of a step; of a peptide's

[[noreturn]] void fail(const char *what) {
  std::fprintf(stderr, "bench_molecules: %s: %s\n", what, cdn_last_error_text());
  std::exit(1);
}
void need(cdn_status status, const char *what) {
  if (status != CDN_OK) fail(what);
}

struct Files {
  cdn_prmtop *prmtop = nullptr;
  cdn_restart *restart = nullptr;
  std::vector<double> x;

  explicit Files(const std::string &path) {
    need(cdn_prmtop_load((path + ".prmtop").c_str(), nullptr, &prmtop), path.c_str());
    need(cdn_restart_load((path + ".inpcrd").c_str(), prmtop, nullptr, &restart), path.c_str());
    for (int i = 0; i < prmtop->n_atoms; i++) {
      const cdn_vec3 p = restart->positions[i];
      x.insert(x.end(), { p.x, p.y, p.z });
    }
  }
  Files(const Files &) = delete;
  Files &operator=(const Files &) = delete;
  ~Files() {
    cdn_restart_destroy(restart);
    cdn_prmtop_destroy(prmtop);
  }
};

struct Ours {
  cdn_hmc *hmc = nullptr;
  double energy = 0; // of the start
  int atoms = 0, speeds = 0, rods = 0;

  Ours(const Files &files, bool obc2, bool fixman) {
    cdn_molecule *molecule = cdn_molecule_from_prmtop(files.prmtop, files.restart->positions);
    cdn_solvent_def solvent = cdn_default_solvent_def();
    solvent.model = CDN_SOLVENT_OBC2;
    if (obc2) cdn_molecule_set_solvent(molecule, &solvent);
    cdn_molecule_set_mobility(molecule, "torsions");
    cdn_system *system = cdn_system_create(nullptr);
    const cdn_force field = cdn_system_add_molecule(system, nullptr, molecule, cdn_ground());
    cdn_molecule_destroy(molecule);
    if (fixman) cdn_system_add_fixman(system, nullptr, nullptr);
    cdn_system_use_random(system, 1);
    need(cdn_system_freeze(system), "freeze");
    cdn_state *state;
    need(cdn_state_create(system, &state), "state");
    double term[CDN_TERM_COUNT];
    need(cdn_force_field_energies(state, field, term), "energies");
    for (double x : term) energy += x;
    need(cdn_draw_speeds(state, kT, 0, 1), "speeds");
    cdn_hmc_def def = cdn_default_hmc_def();
    def.kT = kT, def.step = time_step, def.no_metropolis = true;
    need(cdn_hmc_create(state, &def, &hmc), "sampler");
    atoms = files.prmtop->n_atoms, speeds = cdn_system_nu(system), rods = cdn_system_nudoterr(system);
    cdn_state_destroy(state);
    cdn_system_release(system);
  }
  Ours(const Ours &) = delete;
  Ours &operator=(const Ours &) = delete;
  ~Ours() { cdn_hmc_destroy(hmc); }

  // As a program takes them that looks at the energy of each.
  void step(int n) {
    double K, U;
    for (int i = 0; i < n; i++) {
      need(cdn_hmc_steps(hmc, time_step, 1), "step");
      need(cdn_kinetic_energy(cdn_hmc_state(hmc), &K), "kinetic energy");
      need(cdn_potential_energy(cdn_hmc_state(hmc), &U), "potential energy");
    }
  }
};

// Milliseconds of processor time a step: the least over `sweeps` batches of each in turn.
template <class A, class B> void race(A *a, B *b, int sweeps, double *of_a, double *of_b) {
  constexpr double batch = 1e7; // ns
  int rounds = 1;
  *of_a = *of_b = std::numeric_limits<double>::infinity();
  for (int sweep = 0; sweep <= sweeps; sweep++) { // the first one warms up, and tells how long a batch is
    double start = now();
    a->step(rounds);
    const double one = (now() - start) / rounds;
    start = now();
    b->step(rounds);
    const double other = (now() - start) / rounds;
    if (sweep == 0) rounds = std::max(1, static_cast<int>(batch / std::max(one, other)));
    else *of_a = std::min(*of_a, 1e-6 * one), *of_b = std::min(*of_b, 1e-6 * other);
  }
}

bool race_openmm(Report *report, const std::string &name, const Files &files, bool obc2, int sweeps) {
  Ours ours(files, obc2, false);
  std::unique_ptr<OpenMMRun> peer = make_openmm(files.prmtop, files.x, obc2, 0.5 * time_step);
  double of_ours, of_peer = unknown;
  if (peer) {
    const double energy = peer->potential();
    if (!(std::fabs(energy - ours.energy) <= 1e-3 * std::fabs(energy))) {
      std::fprintf(stderr, "bench_molecules: %s: OpenMM has another energy: %g, and here it is %g kJ/mol\n",
                   name.c_str(), energy, ours.energy);
      return false;
    }
    race(&ours, peer.get(), sweeps, &of_ours, &of_peer);
  } else race(&ours, &ours, sweeps, &of_ours, &of_peer), of_peer = unknown;
  report->add(name + (obc2 ? ", OBC2" : ", vacuum"), "ms", { of_ours, of_peer }, { "Cardan", "OpenMM 7.7" });
  const double most = obc2 ? most_obc2 : most_vacuum;
  if (!peer) {
    std::printf("  %d atoms, %d speeds, %d rods; OpenMM or its CPU platform is not to be had here\n", ours.atoms,
                ours.speeds, ours.rods);
    return true;
  }
  std::printf("  %d atoms, %d speeds, %d rods: %.3f of OpenMM's time; at most %.2f is asked%s\n", ours.atoms,
              ours.speeds, ours.rods, of_ours / of_peer, most, of_ours / of_peer > most ? ": MISSED" : "");
  return true;
}

// The forces of a System whose force field is off: Fixman's alone, or none.
struct Remaining {
  cdn_state *state = nullptr;
  std::vector<double> q;
  std::vector<cdn_spatial> F;
  std::vector<double> f;

  Remaining(const Ours &ours, bool fixman) {
    const cdn_system *system = cdn_state_system(cdn_hmc_state(ours.hmc));
    need(cdn_state_create(system, &state), "state");
    for (int i = 0; i < cdn_system_force_count(system); i++) // the force field, then Fixman's
      need(cdn_force_set_enabled(state, { i }, fixman && i == 1), "switch");
    q.assign(cdn_state_q(state), cdn_state_q(state) + cdn_system_nq(system));
    F.resize(static_cast<size_t>(cdn_system_body_count(system)));
    f.resize(static_cast<size_t>(cdn_system_nu(system)));
  }
  Remaining(const Remaining &) = delete;
  Remaining &operator=(const Remaining &) = delete;
  ~Remaining() { cdn_state_destroy(state); }

  void step(int n) {
    for (int i = 0; i < n; i++) {
      q.back() += 1e-3;
      need(cdn_state_set_q(state, q.data()), "q");
      need(cdn_applied_forces(state, F.data(), f.data()), "forces");
    }
  }
};

// The difference of two steps drowns in what else the machine does; that of two evaluations does not.
void race_fixman(Report *report, const std::string &name, const Files &files, int sweeps) {
  Ours ours(files, true, true);
  Remaining with(ours, true), without(ours, false);
  double of_step, of_with, of_without, again;
  race(&with, &without, 4 * sweeps, &of_with, &of_without);
  race(&ours, &with, sweeps, &of_step, &again);
  const double own = of_with - of_without, share = own / of_step;
  report->add(name + ", OBC2", "ms", { of_step, own }, { "step", "Fixman's" });
  const double most = ours.speeds < 100 ? most_fixman_small : most_fixman;
  std::printf("  Fixman's potential is 1/%.0f of a step; at most 1/%.0f is asked%s\n", 1 / share, 1 / most,
              share > most ? ": MISSED" : "");
}

int compare(const std::string &directory, const RunOptions &options) {
  Report report;
  const std::vector<std::string> names = { "trpzip2", "bpti", "dhfr" };
  for (bool obc2 : { false, true }) {
    report.print_header(std::string("molecules, a full step, ") + (obc2 ? "OBC2" : "vacuum") + ", ms",
                        { "Cardan", "OpenMM 7.7" });
    for (const std::string &name : names)
      if (options.wants(name) && !race_openmm(&report, name, Files(directory + "/" + name), obc2, options.sweeps))
        return 1;
  }
  report.print_header("molecules, a full step with Fixman's potential, ms", { "step", "Fixman's" });
  for (const std::string &name : names)
    if (options.wants(name)) race_fixman(&report, name, Files(directory + "/" + name), options.sweeps);
  return finish_run(report, options);
}

int run(int argc, char **argv) {
  const char *shared = std::getenv("CARDAN_SHARED");
  const std::string directory = std::string(shared ? shared : "../shared") + "/molecular";
  RunOptions options;
  int code = 0;
  options.sweeps = 10;
  if (!parse_run_options(argc, argv,
                         "usage: bench_molecules [--problem trpzip2|bpti|dhfr] [--sweeps N] [--json FILE]\n", &options,
                         &code))
    return code;
  if (FILE *file = std::fopen((directory + "/trpzip2.prmtop").c_str(), "r")) std::fclose(file);
  else {
    std::printf("bench_molecules: there are no molecules in %s: nothing is measured\n", directory.c_str());
    return 0;
  }
  pin_to_one_core();
  return compare(directory, options);
}

} // namespace

} // namespace bench

int main(int argc, char **argv) { return bench::run(argc, argv); }
