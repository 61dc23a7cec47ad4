// Runs through time under error control, in Cardan and in Simbody: what they cost and where they lead.
#ifndef CARDAN_BENCH_RUNS_IN_TIME_H
#define CARDAN_BENCH_RUNS_IN_TIME_H

#include <string>
#include <vector>

#include "engine.h"

namespace bench {

// An axis of body a stays at right angles to one of b; -1 is Ground.
struct Square {
  int a, b;
  cdn_vec3 x_A, y_B;
};

// A spring and a damper between stations of two bodies; -1 is Ground.
struct Strut {
  int a, b;
  cdn_vec3 p_A, p_B;
  double stiffness, rest, damping;
};

struct Problem {
  std::string name;
  peers::Tree tree;
  std::vector<double> q, u; // at the start, in Cardan's order
  double end;
  std::vector<Loop> loops = {}; // closed at the start
  std::vector<Square> squares = {};
  std::vector<Strut> struts = {};
  double drive = 0;       // a constant force on the first body's first mobility
  double restitution = 0; // > 0: whenever the first q falls through zero, its u turns about and keeps this part
};

// A run with equally spaced reports: rows of (q, u) in Cardan's order and conventions.
struct Run {
  std::vector<double> rows;
  double evaluations = 0, seconds = 0; // those of dense output included
  bool failed = false;
};

constexpr int n_reports = 10;

struct OurMethod {
  const char *name;
  cdn_method method;
  double tightest; // accuracy that it can be asked for in reasonable time
};
constexpr OurMethod our_methods[] = {
  { "default", CDN_METHOD_DEFAULT, 1e-9 },
  { "Merson", CDN_METHOD_MERSON, 1e-9 },
  { "Dormand-Prince 5", CDN_METHOD_DORMAND_PRINCE, 1e-9 },
  { "Fehlberg", CDN_METHOD_FEHLBERG, 1e-9 },
  { "Dormand-Prince 8", CDN_METHOD_DORMAND_PRINCE_8, 1e-9 },
  { "Adams", CDN_METHOD_ADAMS, 1e-9 },
  { "CVODE BDF", CDN_METHOD_CVODE_BDF, 1e-9 },
  { "CVODE Adams", CDN_METHOD_CVODE_ADAMS, 1e-9 },
  { "IDA", CDN_METHOD_IDA, 1e-9 },
  { "Bogacki-Shampine", CDN_METHOD_BOGACKI_SHAMPINE, 1e-7 },
  { "Verlet", CDN_METHOD_VERLET, 1e-5 },
  { "trapezoid", CDN_METHOD_TRAPEZOID, 1e-5 },
};
Run run_cardan(const Problem &problem, cdn_method method, double accuracy);

enum class Peer { merson, fehlberg, adams, bdf, verlet };
constexpr Peer all_peers[] = { Peer::merson, Peer::fehlberg, Peer::adams, Peer::bdf, Peer::verlet };
const char *name_of(Peer peer);
Run run_simbody(const Problem &problem, Peer peer, double accuracy);

// The largest distance at any report: root mean squares of q, and of u relative to 1 and the value, whichever is
// larger.
double error_of(const Problem &problem, const Run &run, const Run &reference);

} // namespace bench

#endif
