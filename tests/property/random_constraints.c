/* shared by tests in this folder */
#include "random_constraints.h"

/* The mobilities between two bodies and Ground: what a constraint between them has to work with. */
static int mobilities_between(const random_tree *tree, int a, int b) {
  bool on[TREE_MOST_BODIES + 1] = { false };
  int n = 0;
  for (int i = a; i > 0; i = tree->parent[i]) on[i] = !on[i];
  for (int i = b; i > 0; i = tree->parent[i]) on[i] = !on[i];
  for (int i = 1; i <= tree->bodies; i++) n += on[i] ? cdn_body_nu(tree->system, (cdn_body){ i }) : 0;
  return n;
}

void add_random_constraints(random_tree *tree, int n, uint64_t seed) {
  rng r = rng_of(seed + 4711);
  cdn_system *system = tree->system;
  for (int k = 0; k < n; k++) {
    const cdn_body a = { pick(&r, tree->bodies + 1) }, b = { pick(&r, tree->bodies + 1) };
    const cdn_vec3 p = random_vec3(&r, 0.7), q = random_vec3(&r, 0.7);
    const int free = a.i == b.i ? 0 : mobilities_between(tree, a.i, b.i);
    const int kind = pick(&r, 5);
    const double number = uniform(&r, 0.5, 2);
    if (free < 4) continue;
    if (kind == 0) cdn_system_constrain_rod(system, NULL, a, p, b, q, number);
    if (kind == 1 && free >= 6) cdn_system_constrain_ball(system, NULL, a, p, b, q);
    if (kind == 2) cdn_system_constrain_point_in_plane(system, NULL, a, p, 0.3 * number, b, q);
    if (kind == 3 && free >= 6) cdn_system_constrain_angle(system, NULL, a, p, b, q, number);
    if (kind == 4 && tree->kind[b.i] == CDN_PIN) cdn_system_constrain_coordinate(system, NULL, b, 0, number);
  }
}
