#include "rocking.h"

#include <stdio.h>

#include "problem.h"

static cdn_state *start(const problem *p) {
  const double b = ROCKING_HALF_WIDTH, h = ROCKING_HALF_HEIGHT, J = (b * b + h * h) / 3;
  double q[3 * ROCKING_BLOCKS];
  cdn_system *system = cdn_system_create(NULL);
  (void)p;
  cdn_system_add_gravity(system, "gravity", cdn_v3(0, -9.81, 0));
  for (int i = 0; i < ROCKING_BLOCKS; i++) {
    const double lean = rocking_lean(i);
    char name[40];
    snprintf(name, sizeof name, "block %d", i);
    const cdn_body block = add_mobile(system, name, cdn_ground(), CDN_PLANAR, solid(1, cdn_v3(0, 0, 0), J, J, J));
    for (int k = 0; k < 2; k++) {
      cdn_rigid_contact_def c = cdn_default_rigid_contact_def();
      snprintf(name, sizeof name, "%s corner of block %d", k ? "right" : "left", i);
      c.name = name, c.b = block, c.p_B = cdn_v3(k ? b : -b, -h, 0), c.mu_dynamic = 2;
      c.X_AP = frame_z(cdn_v3(0, 1, 0), cdn_v3(0, 0, 0));
      cdn_system_add_rigid_contact(system, &c);
    }
    q[3 * i] = -lean;
    q[3 * i + 1] = b - b * cos(lean) + h * sin(lean), q[3 * i + 2] = b * sin(lean) + h * cos(lean);
  }
  cdn_state *state = state_of(system);
  MUST(state, cdn_state_set_q(state, q));
  return state;
}

extern const problem rocking_blocks;
const problem rocking_blocks = {
  .name = "rocking-blocks",
  .what = "twenty blocks that rock, each by itself, 2.5 s",
  .end = 2.5,
  .start = start,
};
