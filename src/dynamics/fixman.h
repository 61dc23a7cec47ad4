/* Fixman's potential, as the dynamics subsystem sees it. Private to the room. */
#ifndef CARDAN_DYNAMICS_FIXMAN_H
#define CARDAN_DYNAMICS_FIXMAN_H

#include "dynamics/internal.h"

/* Lets what potentials of this sort have computed depend on the constraints, which have declared since. */
void cdni_fixman_declare_reads(const dynamics *dyn, cdn_declarer *d);

#endif
