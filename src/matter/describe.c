/* What a checkpoint compares of matter: the tree and its motions. Frames and masses are parameters, and so part of the State. */
#include <cardan/motion.h>

#include "matter/subsystem.h"

void cdni_matter_describe(const void *self, const cdn_system *system, cdn_description *d) {
  (void)self;
  for (int32_t i = 1; i < cdn_system_body_count(system); i++) {
    cdn_body body = { i };
    cdn_describe(d, cdn_body_name(system, body), "a body on %s by the %s%s joint '%s' of %d q, %d u",
                 cdn_body_name(system, cdn_body_parent(system, body)),
                 cdn_body_is_reversed(system, body) ? "reversed " : "",
                 cdn_mobilizer_name(cdn_body_mobilizer(system, body)), cdn_body_mobilizer_name(system, body),
                 cdn_body_nq(system, body), cdn_body_nu(system, body));
  }
  for (int32_t i = 0; i < cdn_system_motion_count(system); i++) {
    cdn_motion motion = { i };
    cdn_describe(d, cdn_motion_name(system, motion), "a motion of body %s",
                 cdn_body_name(system, cdn_motion_body(system, motion)));
  }
}
