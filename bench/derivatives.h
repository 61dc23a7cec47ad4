// The rows for derivatives.
#ifndef CARDAN_BENCH_DERIVATIVES_H
#define CARDAN_BENCH_DERIVATIVES_H

#include "report.h"
#include "timing.h"

namespace bench {

// Times analytic derivatives of forward and inverse dynamics by q and u: against one-sided differences of Cardan's own
// forward dynamics (2 nu + 1 evaluations) and MuJoCo's mjd_transitionFD (one-sided, too, of a step; it has no other).
void add_derivative_rows(Report *report, const std::string &model, const peers::Tree &tree, const Samples &samples,
                         int sweeps);

// `forward` gives the derivatives of forward dynamics and M^-1, `inverse` those of inverse dynamics and M.
std::unique_ptr<Engine> make_derivatives(const peers::Tree &tree, const Samples &samples);

} // namespace bench

#endif
