/* The soft rows of a State: convex functions with their Jacobians. */
#ifndef CARDAN_CONSTRAINTS_SOFT_ROWS_H
#define CARDAN_CONSTRAINTS_SOFT_ROWS_H

#include "constraints/soft/function.h"
#include "matter/records.h"

/* What the rows of a group act on. */
typedef enum soft_place {
  SOFT_PAIR,  /* the acceleration of body b relative to body a, at a point */
  SOFT_JOINT, /* the mobilities of one joint */
  SOFT_FREE   /* several bodies and mobilities: spatial rows and coefficients that stand elsewhere */
} soft_place;

/* One group: s(J a - ref). Vectors are in Ground. */
typedef struct soft_group {
  soft_function s;
  double ref[SOFT_MOST_ROWS]; /* aref; terms of J that change with time are in it */
  int32_t place;
  int32_t body[2]; /* of a pair: a and b; of a joint: its outboard body, in body[1] */
  v3 point;        /* of a pair */
  union {
    sv B[SOFT_MOST_ROWS];        /* of a pair: r_k = B_k . (A_b - A_a) - ref_k, with A at the point: rotation first */
    double g[SOFT_MOST_ROWS][6]; /* of a joint: r_k = g_k . udot - ref_k */
    struct {
      int32_t first_body, n_bodies, first_mobility, n_mobilities;
    } free;
  };
  /* Of a pair: whether r is the acceleration of the point as it is (then ref has its centripetal part), or J udot alone. */
  int32_t rates;
  /* Who it is, for reports: the number of a contact, or of an element. */
  int32_t source;
} soft_group;

#endif
