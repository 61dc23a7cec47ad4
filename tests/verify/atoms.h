/* Atoms with Lennard-Jones forces in any units, for tests that compare metres with nanometres. */
#ifndef CARDAN_TESTS_ATOMS_H
#define CARDAN_TESTS_ATOMS_H

#include "../testing.h"

typedef struct units {
  const char *name;
  double length, mass, time; /* of a nanometre, a dalton, a picosecond */
} units;

/* Argon. */
static const double SIGMA = 0.34, EPSILON = 0.996, MASS = 39.948;
static double epsilon_in(const units *s) { return EPSILON * s->mass * s->length * s->length / (s->time * s->time); }

typedef struct pair {
  cdn_body a, b;
  double epsilon, sigma;
} pair;

static cdn_status between(const pair *p, cdn_state *state, cdn_vec3 *r, double *s6) {
  cdn_transform A, B;
  CDN_TRY(cdn_body_pose(state, p->a, &A));
  CDN_TRY(cdn_body_pose(state, p->b, &B));
  *r = cdn_sub(B.p, A.p);
  *s6 = pow(p->sigma * p->sigma / cdn_dot(*r, *r), 3);
  return CDN_OK;
}

static cdn_status pair_force(const void *self, cdn_state *state, cdn_forces *f) {
  const pair *p = self;
  cdn_vec3 r;
  double s6;
  CDN_TRY(between(p, state, &r, &s6));
  const cdn_vec3 push = cdn_scale(24 * p->epsilon * (2 * s6 * s6 - s6) / cdn_dot(r, r), r);
  cdn_forces_add_point(f, p->b, cdn_v3(0, 0, 0), push);
  cdn_forces_add_point(f, p->a, cdn_v3(0, 0, 0), cdn_scale(-1, push));
  return CDN_OK;
}

static cdn_status pair_potential(const void *self, cdn_state *state, double *energy) {
  const pair *p = self;
  cdn_vec3 r;
  double s6;
  CDN_TRY(between(p, state, &r, &s6));
  *energy = 4 * p->epsilon * (s6 * s6 - s6);
  return CDN_OK;
}

static void attract(cdn_system *system, const units *s, cdn_body a, cdn_body b) {
  const pair p = { a, b, epsilon_in(s), SIGMA * s->length };
  char name[24];
  snprintf(name, sizeof name, "pair%d_%d", (int)a.i, (int)b.i);
  cdn_force_ops ops = {
    .struct_size = sizeof ops, .reads = CDN_READS_POSITION, .calc_force = pair_force, .calc_potential = pair_potential
  };
  ops.subsystem = (cdn_subsystem_ops){ .struct_size = sizeof ops.subsystem, .name = name, .self_size = sizeof p };
  cdn_system_add_custom_force(system, &ops, &p);
}

static cdn_state *state_of(cdn_system *system) {
  cdn_state *state = NULL;
  OK_FREEZE(system);
  OK(cdn_state_create(system, &state));
  cdn_system_release(system);
  return state;
}

#endif
