/* Islands that are a tree by itself, or several: matter's own passes eliminate them, whose articulated inertias take
 * the weights of rows on bodies, and whose armatures take those on mobilities. */
#include <stddef.h>

#include "soft/internal.h"

bool cdni_soft_is_plain_group(const tree *t, const soft_group *g) {
  return g->place == SOFT_PAIR || (g->place == SOFT_JOINT && t->node[g->body[1]].nu == 1);
}

bool cdni_soft_is_plain(const soft_problem *p, int island, plain_range *range) {
  const loop_plan *plan = p->plan;
  const int from = plan->island_body[island], to = plan->island_body[island + 1];
  if (!p->plain || !cdni_soft_stands_apart(p, island)) return false;
  int first = plan->tree->n, last = 0;
  for (int at = from; at < to; at++) {
    if (plan->bodies[at] < first) first = plan->bodies[at];
    if (plan->bodies[at] > last) last = plan->bodies[at];
  }
  *range = (plain_range){ first, last + 1 };
  return last + 1 - first == to - from; /* nobody else's bodies are between */
}

void cdni_soft_plain_lay_out(const tree *t, size_t lanes, char *base, size_t *at, plain_pass *pass) {
  const size_t nb = (size_t)t->n * lanes;
  pass->articulated = cdni_part(base, at, nb, sizeof *pass->articulated);
  pass->mass = cdni_part(base, at, nb, sizeof *pass->mass);
  pass->z = cdni_part(base, at, nb, sizeof *pass->z);
  pass->G = cdni_part(base, at, (size_t)t->nG * lanes, sizeof(real));
  pass->D_inv = cdni_part(base, at, (size_t)t->nD * lanes, sizeof(real));
  pass->eps = cdni_part(base, at, (size_t)t->nu * lanes, sizeof(real));
}

/* Masses with the weights on mobilities. */
static void fill_masses(const matter *m, const tree_data *d, const double *D, const plain_range *range,
                        body_mass *mass) {
  const size_t lanes = (size_t)m->lanes, numbers = sizeof *mass / sizeof(double), first = (size_t)range->first;
  double *armature = (double *)mass + offsetof(body_mass, armature) / sizeof(double) * lanes;
  memcpy(mass + first * lanes, d->mass + first * lanes, (size_t)(range->end - range->first) * sizeof *mass * lanes);
  for (int i = range->first; i < range->end; i++)
    for (size_t l = 0; l < lanes && m->tree.node[i].nu == 1; l++)
      armature[(size_t)i * numbers * lanes + l] += D[(size_t)m->tree.node[i].u * 6 * lanes + l];
}

void cdni_soft_plain_solve(const matter *m, const tree_data *d, const plain_pass *pass, const plain_problem *problem,
                           const plain_range *range, bool factored, int64_t *singular) {
  tree_data own = *d;
  if (!factored) fill_masses(m, d, problem->D, range, pass->mass);
  own.articulated = pass->articulated, own.mass = pass->mass, own.z = pass->z;
  own.G = pass->G, own.D_inv = pass->D_inv, own.eps = pass->eps;
  own.force = problem->F, own.f_mob = problem->f, own.added = problem->P;
  own.udot = problem->y, own.A = problem->A_y;
  m->kernels->solve(&m->tree, &own, range->first, range->end, factored, singular);
}
