/* The soft rows of a State: convex functions with their Jacobians. */
#ifndef CARDAN_SOFT_ROWS_H
#define CARDAN_SOFT_ROWS_H

#include <cardan/soft.h>

#include "matter/records.h"
#include "soft/function.h"

/* What the rows of a group act on. */
typedef enum soft_place {
  SOFT_PAIR,  /* the acceleration of body b relative to body a, at a point */
  SOFT_JOINT, /* the mobilities of one joint */
  SOFT_TERMS  /* one row on mobilities of several joints, and on bodies: the sum of slope udot and J A */
} soft_place;

/* A mobility, or a body, in a row on several. */
typedef struct soft_term {
  int32_t body,
      u; /* the outboard body of its joint; its slot. Of a body: itself; SOFT_TERM_BODY less its place in `row` */
  double slope;
} soft_term;
enum { SOFT_TERM_BODY = -1, SOFT_MIXED_TERMS = CDN_ROW_MOST_BODIES + CDN_ROW_MOST_MOBILITIES };

/* One group: s(J a - ref). Vectors are in Ground. */
typedef struct soft_group {
  soft_function s;
  double ref[SOFT_MOST_ROWS]; /* aref; terms of J that change with time are in it */
  /* An approximation of the inverse inertia that each row meets, of a cone in the first: MuJoCo's. 0: not known, as of
   * providers' groups of several rows. */
  double about[SOFT_MOST_ROWS];
  int32_t place;
  int32_t body[2]; /* of a pair: a and b; of a joint: its outboard body, in body[1] */
  int32_t terms;   /* of several: how many */
  /* Of one row that passes solve (exact.c), as give > 0 says: D = 1 / (R + give), and what `give` gives way is taken
   * back. R = 0: the row is exact. */
  double R, give;
  /* 1: how the force varies is known (force_derivatives.c), for a contact or one mobility. Then ref[0] falls with the
   * violation by `stiffness`, the ref of every row with its velocity by `damping`, and D grows with the violation by
   * the part `growth` of itself. */
  int32_t known;
  double stiffness, damping, growth;
  v3 point, arm; /* of a pair: a point of b, and from there to that of a; 0 but for stations that should coincide */
  union {
    sv B[SOFT_MOST_ROWS];        /* of a pair: r_k = B_k . (A_b - A_a) - ref_k, with A at the point: rotation first */
    double g[SOFT_MOST_ROWS][6]; /* of a joint: r_k = g_k . udot - ref_k */
    soft_term term[CDN_SOFT_MOST_TERMS];
    struct {
      soft_term mixed[SOFT_MIXED_TERMS]; /* the same as term */
      sv row[CDN_ROW_MOST_BODIES];       /* J of bodies, about M's origins */
    };
  };
  /* Of a pair: whether r is the acceleration of the point as it is (then ref has its centripetal part), or J udot
   * alone. */
  int32_t rates;
  /* Who it is, for reports: 1 + the number of a contact of the State; 1 + that of a soft element; 1 + that of a
   * provider of the user's; one of the three is not 0. */
  int32_t contact, element, provider;
  int32_t source; /* of a contact: its number among the points, of which those in a gap are no contacts */
} soft_group;

/* The bodies that a group acts on. */
static inline int cdni_soft_bodies(const soft_group *g) { return g->place == SOFT_TERMS ? g->terms : 2; }
static inline int cdni_soft_body(const soft_group *g, int i) {
  return g->place == SOFT_TERMS ? g->term[i].body : g->body[i];
}
/* Whether the row of a group is exact. */
static inline bool cdni_soft_holds(const soft_group *g) { return g->give > 0 && !(g->R > 0); }
/* Whether a term is a body, and its J. */
static inline bool cdni_soft_is_body(const soft_term *t) { return t->u < 0; }
static inline sv cdni_soft_body_row(const soft_group *g, const soft_term *t) { return g->row[SOFT_TERM_BODY - t->u]; }
/* Of several terms, how many two of them there are: 0 and 1, 0 and 2, 1 and 2, 0 and 3, ... */
static inline int cdni_soft_term_pairs(const soft_group *g) {
  return g->place == SOFT_TERMS ? g->terms * (g->terms - 1) / 2 : 0;
}

/* Lets a group whose violation has the depth `depth` > 0 set in over the depth `onset`; before D is scaled by anything
 * else. */
void cdni_soft_set_in(soft_group *g, double depth, double onset);

#endif
