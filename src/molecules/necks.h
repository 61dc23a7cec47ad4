/* Tables of the necks of GBn and GBn2 (J. Mongan, C. Simmerling, J. A. McCammon, D. A. Case, A. Onufriev, J. Chem.
 * Theory Comput. 3:156, 2007): the largest value m0 (1/angstrom) and its distance d0 (angstrom), by the radii of two
 * atoms, 1.0 to 2.0 angstrom in steps of 0.05. Private to the room. */
#ifndef CARDAN_MOLECULES_NECKS_H
#define CARDAN_MOLECULES_NECKS_H

enum { NECK_RADII = 21 };
extern const double cdni_neck_m0[NECK_RADII * NECK_RADII], cdni_neck_d0[NECK_RADII * NECK_RADII];

#endif
