/* shared by tests */
/* A molecule alone in a System, and chains of atoms. */
#ifndef CARDAN_TESTS_MOLECULE_SYSTEM_H
#define CARDAN_TESTS_MOLECULE_SYSTEM_H

#include "testing.h"

#include <cardan/molecule.h>

typedef struct molecule_system {
  cdn_system *system;
  cdn_state *state;
  cdn_force field;
} molecule_system;

static inline molecule_system build_molecule(const cdn_molecule *m) {
  molecule_system out = { .system = cdn_system_create(NULL) };
  out.field = cdn_system_add_molecule(out.system, NULL, m, cdn_ground());
  OK_FREEZE(out.system);
  OK(cdn_state_create(out.system, &out.state));
  return out;
}

static inline void drop_molecule(molecule_system *m) {
  cdn_state_destroy(m->state);
  cdn_system_release(m->system);
}

/* A chain of atoms without terms; masses NULL: 1. */
static inline cdn_molecule *chain_of_atoms(int n, const double (*x)[3], const double *masses, bool closed) {
  cdn_molecule *m = cdn_molecule_create("chain");
  for (int i = 0; i < n; i++) {
    cdn_atom_def a = cdn_default_atom_def();
    a.mass = masses ? masses[i] : 1, a.position = cdn_v3(x[i][0], x[i][1], x[i][2]);
    cdn_molecule_add_atom(m, &a);
    if (i > 0) cdn_molecule_add_bond(m, i - 1, i);
  }
  if (closed) cdn_molecule_add_bond(m, n - 1, 0);
  return m;
}

#endif
