/* What closes the loops of a model file, as hard constraints. */
#include "io/build.h"

static cdn_constraint add_coupling(io_builder *b, const io_loop *loop) {
  const cdn_mobility y = { b->joint_bodies[loop->y], 0 };
  const double y0 = io_joint_at(b->d, loop->y)->ref;
  if (loop->x < 0) return cdn_system_constrain_coordinate(b->system, loop->name, y.body, 0, y0 + loop->c[0]);
  const cdn_mobility x = { b->joint_bodies[loop->x], 0 };
  return cdn_system_couple_by_polynomial(b->system, loop->name, y, y0, x, io_joint_at(b->d, loop->x)->ref, loop->c);
}

static cdn_constraint add_loop(io_builder *b, const io_loop *loop) {
  if (loop->kind == IO_COUPLING) return add_coupling(b, loop);
  const cdn_body on_a = b->bodies[loop->a], on_b = b->bodies[loop->b];
  if (loop->kind == IO_WELD)
    return cdn_system_constrain_joint(b->system, loop->name, CDN_WELD, on_a, loop->X_A, on_b, loop->X_B, NULL);
  return cdn_system_constrain_ball(b->system, loop->name, on_a, loop->X_A.p, on_b, loop->X_B.p);
}

void io_build_loops(io_builder *b) {
  if (b->model->options.tree_only) return;
  for (int i = 0; i < (int)b->d->loops.count; i++) {
    const io_loop *loop = io_loop_at(b->d, i);
    const cdn_constraint constraint = add_loop(b, loop);
    if (loop->inactive) cdn_system_disable_constraint(b->system, constraint);
  }
}
