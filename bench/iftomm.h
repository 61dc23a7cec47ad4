// The IFToMM library of computational benchmark problems, A01 to A05: models, criteria of accuracy, published CPU
// times.
#ifndef CARDAN_BENCH_IFTOMM_H
#define CARDAN_BENCH_IFTOMM_H

#include "runs_in_time.h"

namespace bench {

struct Published {
  const char *program; // and its machine
  double seconds;
};

struct Iftomm {
  Problem problem;
  const char *criterion; // what `error` is
  double most;           // error that counts as solved
  double (*error)(const Run &run);
  std::vector<Published> published = {};
};

std::vector<Iftomm> iftomm_problems();

} // namespace bench

#endif
