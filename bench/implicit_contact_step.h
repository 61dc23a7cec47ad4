// The implicit contact step under error control against the same step with equal sizes, at equal errors.
#ifndef CARDAN_BENCH_IMPLICIT_CONTACT_STEP_H
#define CARDAN_BENCH_IMPLICIT_CONTACT_STEP_H

#include "report.h"

namespace bench {

void run_implicit_contact_step(Report *report);

} // namespace bench

#endif
