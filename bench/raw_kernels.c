/* Matter's passes without a System around them. */
#include "raw_kernels.h"

#include "matter/subsystem.h"

void raw_forward_dynamics(cdn_state *arrays, const double *q, const double *u) {
  const matter *m = cdni_matter(cdn_state_system(arrays));
  tree_data d = cdni_matter_data(m, arrays);
  d.q = q;
  d.u = u;
  m->kernels->position(&m->tree, &d);
  m->kernels->inertia(&m->tree, &d);
  m->kernels->velocity(&m->tree, &d);
  rmask singular;
  m->kernels->forward(&m->tree, &d, false, &singular);
}
