/* The soft rows of a State: convex functions with their Jacobians. */
#ifndef CARDAN_SOFT_ROWS_H
#define CARDAN_SOFT_ROWS_H

#include <cardan/soft.h>

#include "matter/records.h"
#include "paths/paths.h"
#include "soft/function.h"

/* What the rows of a group act on. */
typedef enum soft_place {
  SOFT_PAIR,  /* the acceleration of body b relative to body a, at a point */
  SOFT_JOINT, /* the mobilities of one joint */
  SOFT_TERMS  /* one row on mobilities of several joints, and on bodies: the sum of slope udot and J A */
} soft_place;

/* One term of a row of SOFT_TERMS: a mobility, or a body. */
typedef struct soft_term {
  int32_t body; /* of a mobility: the outboard body of its joint. Of a body: the body itself */
  int32_t u;    /* of a mobility: its slot among the speeds. Of a body: SOFT_TERM_BODY minus its index in `row` */
  double slope; /* of a mobility: its coefficient */
} soft_term;
/* Paths name more bodies than rows of a provider may. */
enum { SOFT_TERM_BODY = -1, SOFT_MOST_BODIES = PATH_MOST_BODIES, SOFT_MIXED_TERMS = PATH_MOST_TERMS };
/* Terms of one row: as many mobilities as have room where others have bodies. */
enum { SOFT_MOST_TERMS = PATH_MOST_COORDINATES };
_Static_assert((int)SOFT_MOST_TERMS >= (int)CDN_SOFT_MOST_TERMS, "room for the mobilities of providers");
_Static_assert(SOFT_MOST_TERMS * sizeof(soft_term) <=
                   SOFT_MIXED_TERMS * sizeof(soft_term) + SOFT_MOST_BODIES * sizeof(sv),
               "they make no group larger");

/* One group of rows: it adds the cost s(r), where r = J a - ref are the residuals of its rows, and a accelerations.
 * Vectors are in Ground. */
typedef struct soft_group {
  soft_function s;
  double ref[SOFT_MOST_ROWS]; /* wanted accelerations (MuJoCo's aref), less Jdot u */
  /* About the inverse inertia J M^-1 J^T of each row, as MuJoCo approximates it. A cone has one number, in about[0].
   * 0: not known, as in groups of several rows that a provider gave. */
  double about[SOFT_MOST_ROWS];
  int32_t place;   /* soft_place */
  int32_t body[2]; /* SOFT_PAIR: a and b. SOFT_JOINT: the outboard body of the joint, in body[1] */
  int32_t terms;   /* SOFT_TERMS: how many */
  /* give > 0: the group is one row that is solved in several passes (exact.c). Each pass has D = 1 / (R + give): it
   * is softer than the row, and the next one corrects the residual give f that it leaves. R = 0: the row is exact. */
  double R, give;
  /* 1: the derivatives of the force are known in closed form (force_derivatives.c); so it is for a contact, and for
   * a row on mobilities with constant coefficients. With the violation x and the velocity v of a row: d ref[0] / dx =
   * -stiffness, d ref[k] / dv[k] = -damping, d D / dx = growth D. */
  int32_t known;
  double stiffness, damping, growth;
  /* SOFT_PAIR: a point of b, and the vector from there to the point of a. This is zero, unless the row is about two
   * stations that should coincide. */
  v3 point, arm;
  union {
    sv B[SOFT_MOST_ROWS];        /* of a pair: r_k = B_k . (A_b - A_a) - ref_k, with A at the point: rotation first */
    double g[SOFT_MOST_ROWS][6]; /* of a joint: r_k = g_k . udot - ref_k */
    soft_term term[SOFT_MOST_TERMS];
    struct {
      soft_term mixed[SOFT_MIXED_TERMS]; /* the same as term */
      sv row[SOFT_MOST_BODIES];          /* J of bodies, about M's origins */
    };
  };
  /* SOFT_PAIR. 1: r is the whole acceleration of the point, and ref has its centripetal part. 0: r is J udot alone. */
  int32_t rates;
  /* Where the group comes from, for reports: 1 + the number of a contact of the State, of a soft element, or of a
   * provider of the user's. The other two are 0. */
  int32_t contact, element, provider;
  int32_t source; /* of a contact: its number among all points; points within a gap are not contacts */
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
/* How many pairs of terms a group has. Their order is (0, 1), (0, 2), (1, 2), (0, 3), ... */
static inline int cdni_soft_term_pairs(const soft_group *g) {
  return g->place == SOFT_TERMS ? g->terms * (g->terms - 1) / 2 : 0;
}

/* Lets the force of a group begin smoothly: D grows from about 0 at the depth 0 to its full value at the depth `onset`.
 * `depth` > 0 is the depth of the violation. Call it before anything else scales D. */
void cdni_soft_set_in(soft_group *g, double depth, double onset);

#endif
