/* shared by tests */
/* Lumps of atoms: rigid molecules that no bond joins, for sums over many pairs. */
#ifndef CARDAN_TESTS_LUMPS_H
#define CARDAN_TESTS_LUMPS_H

#include "../molecule_system.h"

/* `count` lumps of 52 atoms, on a grid; each is a chain through places 0.15 nm apart. */
enum { LUMP = 52 };
static inline cdn_molecule *make_lumps(int count) {
  cdn_molecule *m = cdn_molecule_create("lumps");
  const int classes[2] = { cdn_molecule_add_class(m, "A", 0.15, 0.5), cdn_molecule_add_class(m, "B", 0.12, 0.3) };
  for (int lump = 0; lump < count; lump++)
    for (int i = 0; i < LUMP; i++) {
      const int turn = i / 4 % 4, row = i / 16; /* back and forth, so that neighbours are bonded */
      cdn_atom_def a = cdn_default_atom_def();
      const double x = i % 8 < 4 ? i % 4 : 3 - i % 4, y = row % 2 ? 3 - turn : turn;
      a.position = cdn_v3(0.15 * x + 0.8 * (lump % 3) + 0.01 * lump, 0.15 * y + 0.8 * (lump / 3 % 3),
                          0.15 * row + 0.8 * (lump / 9) + 0.02 * sin(lump + i));
      a.mass = 12, a.charge = (i % 2 ? 0.3 : -0.28) * (1 + 0.1 * (i % 5)), a.atom_class = classes[i % 3 == 0];
      a.radius = i % 2 ? 0.15 : 0.17, a.element = i % 2 ? 1 : 6;
      cdn_molecule_add_atom(m, &a);
      if (i > 0) cdn_molecule_add_bond(m, lump * LUMP + i - 1, lump * LUMP + i);
    }
  return m;
}

#endif
