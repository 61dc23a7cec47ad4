/* Independent groups. A constraint ties the free mobilities on its paths together, and constraints that share
 * mobilities form a group. A group that no error and no goal concerns must not move at all, not even by rounding,
 * which the elimination and the null space of the whole would spread. */
#include <math.h>

#include "studies/assembly.h"

static int32_t find(int32_t *group, int32_t k) {
  while (group[k] != k) k = group[k] = group[group[k]];
  return k;
}

/* Adds mobility k to the mobilities of a constraint, of which *member is one. */
static void join(cdn_assembly *a, int k, int32_t *member) {
  if (a->fixed[k]) return;
  if (*member < 0) *member = find(a->group, k);
  else a->group[find(a->group, k)] = find(a->group, *member);
}

void cdni_assembly_group(cdn_assembly *a, bool speeds) {
  for (int k = 0; k < a->nu; k++) a->group[k] = k;
  for (int i = 0; a->room && i < a->plan->n_constraints; i++) {
    const constraint_element *c = constraint_on(a->room, a->plan, i);
    a->member[i] = -1;
    if (c->np + (speeds ? c->nv : 0) == 0) continue;
    for (int b = 0; b < c->n_bodies; b++) {
      int at = constraint_bodies_on(a->plan, i)[b];
      for (; at > c->ancestor; at = a->m->tree.node[at].parent)
        for (int k = 0; k < a->m->tree.node[at].nu; k++) join(a, a->first_u + a->m->tree.node[at].u + k, &a->member[i]);
    }
    for (int g = 0; g < c->n_mobilities; g++)
      join(a, a->first_u + CDNI_AT(a->room->mobilities, constraint_mobility, c->first_mobility + g).u, &a->member[i]);
  }
}

void cdni_assembly_concern_none(cdn_assembly *a) { memset(a->concerned, 0, (size_t)a->nu * sizeof *a->concerned); }

void cdni_assembly_concern(cdn_assembly *a, int k) { a->concerned[find(a->group, k)] = true; }

bool cdni_assembly_is_concerned(cdn_assembly *a, int k) { return a->concerned[find(a->group, k)]; }

void cdni_assembly_concern_errors(cdn_assembly *a, const cdn_state *state, bool speeds, double above) {
  cdni_assembly_concern_none(a);
  if (!a->room) return;
  const double *unit = cdn_state_parameters(state, a->room->units);
  for (int i = 0; i < a->plan->n_constraints; i++) {
    const constraint_element *c = constraint_on(a->room, a->plan, i);
    for (int k = 0; k < c->m && a->member[i] >= 0; k++)
      if (fabs(a->b[a->plan->first[i] + k]) / unit[a->plan->constraint[i]] *
              (speeds && k < c->np ? a->def.time_scale : 1) >
          above)
        cdni_assembly_concern(a, a->member[i]);
  }
}

void cdni_assembly_concern_goals(cdn_assembly *a, int rows) {
  cdni_assembly_concern_none(a);
  for (int i = 0; i < rows; i++) {
    const double *row = a->J + (size_t)i * (size_t)a->nu;
    double most = 0;
    for (int k = 0; k < a->nu; k++) most = fmax(most, fabs(row[k]));
    for (int k = 0; k < a->nu; k++)
      if (fabs(row[k]) > 1e-13 * most && !a->fixed[k]) cdni_assembly_concern(a, k);
  }
}
