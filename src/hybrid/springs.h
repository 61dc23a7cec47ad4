/* Contacts that push like springs within an impact, and their statuses. Private to the room. */
#ifndef CARDAN_HYBRID_SPRINGS_H
#define CARDAN_HYBRID_SPRINGS_H

#include "hybrid/impact.h"

/* A spring is compressed along F = k d^p. Then it gives way along a steeper curve, which ends where e^2 of the work is
 * returned; pressed again it goes back along that curve. One with e = 0 holds its depth, as long as it takes. */
typedef enum spring_mode { SPRING_APART, SPRING_LOADS, SPRING_UNLOADS, SPRING_HOLDS } spring_mode;

/* One of each cone. */
typedef struct spring {
  spring_mode mode;
  double k, e;
  double deepest, left;             /* where it has turned; where it lets go */
  bool sticks;                      /* its friction; else it slips */
  bool begins;                      /* along several equations: its slip has just begun */
  double along[CONE_MOST_TANGENTS]; /* the direction of its slip at the beginning of a step */
} spring;

typedef struct springs {
  moment *m;
  double exponent;
  double speed, size,
      force; /* scales: of approach and, as the unit of time is 1, of depths; of all speeds; of forces */
  spring *spring;
  cone *cones;
  double *push, *b, *p, *w; /* of a rate: all pushes; of its problem */
  double *y, *next, *rates; /* speeds, impulses, depths (at the rows of normals) */
  double *columns, *low, *middle, *high;
  bool failed;
} springs;

/* Speeds of slip that count as rest, relative to `size`. */
#define SPRING_REST 1e-12

/* The force of a spring at a depth, without that of one that holds. */
double cdni_spring_force(const springs *s, const spring *x, double depth);
/* The rates of y; `push` are the forces of all rows. */
void cdni_spring_rates(springs *s, const double *y, double *rates);
/* Decides which friction sticks, and where slips begin. */
void cdni_spring_decide(springs *s, const double *y);
/* The directions of slips at y, from which the next step begins. */
void cdni_spring_aim(springs *s);

/* One step of extrapolated midpoint rules from y to `next`. Returns its error, relative to the scales. */
double cdni_spring_step(springs *s, double h);

#endif
