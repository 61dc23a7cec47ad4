/* Random sets of contacts between free bodies: their matrix by bodies, as hybrid/cones.h wants it. */
#ifndef CONTACT_SETS_H
#define CONTACT_SETS_H

#include "hybrid/cones.h"
#include "random_numbers.h"

typedef struct contact_set {
  int bodies, n, rows;
  int *of;         /* two bodies of each contact; -1: what does not move */
  double *J;       /* two times 3 x 6 of each: the speeds of normal and tangents by those of the bodies */
  double *inverse; /* of masses: 6 of each body */
  double *u;       /* speeds without pushes: 6 of each body */
  int *first, *column;
  double *value, *b, *p, *w;
  cone *cones;
} contact_set;

typedef enum contact_pile {
  PILE_OF_SPHERES,  /* about three contacts of each body, in all directions */
  COLUMNS_OF_BOXES, /* four contacts between each two, more than the bodies have speeds */
  WALL_OF_BRICKS    /* each brick lies on two others, by two contacts on each */
} contact_pile;

/* About n contacts; each mu is drawn from 0 to `mu`. Bodies fall, and turn at random. */
contact_set draw_contacts(rng *r, contact_pile pile, int n, double mu);
void free_contacts(contact_set *set);
/* Expects that p and w fulfil all conditions, within `tolerance` of the largest push and the largest speed, and that w
 * is what the pushes make of the bodies' speeds. Returns the largest violation. */
double worst_violation(const contact_set *set);
cone_problem problem_of(contact_set *set);
/* A matrix of which no number is left out: first has rows + 1, column has rows x rows. */
cone_matrix full_matrix(int rows, const double *W, int *first, int *column);
const cdn_allocator *cones_allocator(void);

#endif
