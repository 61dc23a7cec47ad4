/* Singular poses: how near one is, block by block of the elimination, and whose equations lose rank there. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "constraints/loops.h"
#include "constraints/project.h"

/* One a constraint, and two a mix. Of those there are no more than a quarter of the equations: what goes on from a
 * mix is at least four equations less than what came to it. */
int cdni_constraint_most_sines(const cdn_system *system) {
  const constraint_room *room = cdni_constraints(system);
  return room ? (int)room->elements.count + room->m / 2 : 0;
}

cdn_status cdni_constraint_sines(cdn_state *state, int *n, double *sines) {
  const constraint_room *room = cdni_constraints(cdn_state_system(state));
  const loop_plan *plan;
  const loop_factor *f;
  CDNI_TRY(cdni_constraint_factor(room, state, &plan, &f));
  *n = f ? plan->n_blocks : 0;
  for (int i = 0; i < *n; i++) sines[i] = plan->yields[i] ? 1 : f->sine[i];
  return CDN_OK;
}

int cdni_constraint_redundant_in(cdn_state *state, int block) {
  const constraint_room *room = cdni_constraints(cdn_state_system(state));
  const loop_plan *plan;
  const loop_factor *f;
  int n = 0;
  if (cdni_constraint_factor(room, state, &plan, &f) != CDN_OK || !f || block >= plan->n_blocks || plan->yields[block])
    return 0;
  for (int k = 0; k < f->count[block]; k++) n += f->redundant[plan->first[block] + k] != 0;
  return n;
}

cdn_status cdni_constraint_contradiction(cdn_state *state, double time_scale, double *size, int *constraint) {
  const constraint_room *room = cdni_constraints(cdn_state_system(state));
  const loop_plan *plan;
  const loop_factor *f;
  *size = 0;
  if (*cdn_state_parameters(state, room->baumgarte) > 0) return CDN_OK;
  CDNI_TRY(cdni_constraint_factor(room, state, &plan, &f));
  if (!f || *f->n_redundant == 0) return CDN_OK;
  CDNI_TRY(cdni_state_ensure(state, CDN_UDOTERR));
  const double *e = cdn_state_udoterr(state), *unit = cdn_state_parameters(state, room->units);
  for (int i = 0; i < plan->n_constraints; i++) {
    const int c = plan->constraint[i];
    const constraint_element *x = constraint_at(room, c);
    for (int k = 0; k < x->np; k++) {
      const double error = fabs(e[room->first_row + x->row + k]) * time_scale * time_scale / unit[c];
      if (error > *size) *size = error, *constraint = c;
    }
  }
  return CDN_OK;
}

/* ---- names ---- */

enum { MOST_CONSTRAINTS = 2, MOST_JOINTS = 4 };

typedef struct list {
  int item[MOST_JOINTS], n, most;
  bool more;
} list;

static void put(list *l, int item) {
  for (int i = 0; i < l->n; i++)
    if (l->item[i] == item) return;
  if (l->n == l->most) l->more = true;
  else l->item[l->n++] = item;
}

/* The constraints whose equations a block has: its own, or those of the sources of a mix. */
static void find_constraints(const loop_plan *p, int block, list *out) {
  if (block < p->n_constraints) {
    put(out, p->constraint[block]);
    return;
  }
  const int mix = (block - p->n_constraints) / 2;
  for (int s = p->source_first[mix]; s < p->source_first[mix + 1]; s++) find_constraints(p, p->source[s], out);
}

/* The bodies whose joints are on the loop of a constraint. */
static void find_joints(const constraint_room *room, const cdn_state *state, int constraint, list *out) {
  const constraint_element *c = constraint_at(room, constraint);
  const int32_t *bodies = constraint_bodies(room, state, c);
  for (int b = 0; b < c->n_bodies; b++)
    for (int i = bodies[b]; i > 0 && i != c->ancestor; i = room->matter->tree.node[i].parent) put(out, i);
}

static void add_name(char *text, size_t size, const char *name, bool first) {
  const size_t used = strlen(text);
  snprintf(text + used, size - used, "%s'%.20s'", first ? "" : ", ", name);
}

static void add(char *text, size_t size, const char *more) {
  const size_t used = strlen(text);
  snprintf(text + used, size - used, "%s", more);
}

static void name(const constraint_room *room, const cdn_state *state, list *constraints, char *text, size_t size) {
  const cdn_system *system = cdn_state_system(state);
  list joints = { .most = MOST_JOINTS };
  snprintf(text, size, constraints->n + constraints->more > 1 ? "constraints " : "constraint ");
  for (int i = 0; i < constraints->n; i++) {
    add_name(text, size, constraint_at(room, constraints->item[i])->name, i == 0);
    find_joints(room, state, constraints->item[i], &joints);
  }
  add(text, size, constraints->more ? ", ..." : "");
  if (joints.n == 0) return;
  add(text, size, " with the joints of ");
  for (int i = 0; i < joints.n; i++) add_name(text, size, cdn_body_name(system, (cdn_body){ joints.item[i] }), i == 0);
  add(text, size, joints.more ? ", ..." : "");
}

void cdni_constraint_name_block(cdn_state *state, int block, char *text, size_t size) {
  const cdn_system *system = cdn_state_system(state);
  const constraint_room *room = cdni_constraints(system);
  list constraints = { .most = MOST_CONSTRAINTS };
  const loop_plan *plan;
  if (cdni_constraint_plan(room, state, &plan) == CDN_OK && block < plan->n_blocks)
    find_constraints(plan, block, &constraints);
  name(room, state, &constraints, text, size);
}

void cdni_constraint_name(const cdn_state *state, int constraint, char *text, size_t size) {
  const cdn_system *system = cdn_state_system(state);
  list constraints = { .most = MOST_CONSTRAINTS };
  put(&constraints, constraint);
  name(cdni_constraints(system), state, &constraints, text, size);
}
