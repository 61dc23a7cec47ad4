/* A System in motion under invertible contact: what its files share. Private to them. */
#ifndef CARDAN_STUDIES_INVERTIBLE_H
#define CARDAN_STUDIES_INVERTIBLE_H

#include <math.h>

#include "contact/contact.h"
#include "matter/matter.h"
#include "soft/invertible.h"
#include "studies/statics.h"

/* A coordinate with bounds, in the def or by a mobility stop. */
typedef struct bound_given {
  int32_t q, u;
  double lower, upper;
} bound_given;

/* What presses on a bound, or may soon. */
typedef struct bound_within {
  int32_t limit, side; /* side -1: the lower bound, 1: the upper one */
  int32_t u;
  double distance;
} bound_within;

/* The rows of contact at one State. Numbers of rows are those of `problem`, whose arrays are the ones here. */
typedef struct contact_rows {
  cdn_invertible_problem problem;
  int n, normals;
  bound_within *bounds;
  contact_within *points;
  double *J, *MJ; /* n x nu: J; row k: M^-1 J_k^T */
  double *A;
  double *R, *dR, *f, *v, *c, *before, *back; /* n; dR by the distance */
  double *mu, *v_min, *dv_min;                /* contacts; normals; by the distance */
  int room, point_room;
  double *memory;
  size_t size;
} contact_rows;

/* A contact that closes: what its impulses have been so far. */
typedef struct closing {
  int32_t a, b, feature;
  double speed; /* at which it began to close */
  double sum[3];
  bool seen;
} closing;

struct cdn_invertible_motion {
  cdn_allocator allocator;
  const cdn_system *system;
  const matter *m;
  cdn_state *state, *scratch; /* that moves; for all else */
  cdn_invertible_motion_def def;
  cdn_invertible_law law;
  bound_given *given;
  int n_given;
  double *enabled; /* one a shape */
  int nq, nu, nz, shapes;
  cdn_invertible *solver;
  contact_rows rows;   /* of the last step */
  contact_rows own[3]; /* of one position, and on both sides of it */
  cdni_array closings; /* closing */
  cdn_invertible_report report;
  double *vector; /* work: 8 (nq + nu + nz + 1) */
};

/* ---- invertible.c ---- */

/* Tells a failure of a State or of a contact problem on the State that moves. */
cdn_status cdni_motion_tell(cdn_invertible_motion *motion, const char *function, cdn_status status);
cdn_status cdni_motion_no_memory(cdn_invertible_motion *motion, const char *function);

/* ---- invertible_rows.c ---- */

/* Finds the contacts of a State, and fills J, distances' R and v_min, mu. */
cdn_status cdni_contact_rows_find(cdn_invertible_motion *motion, cdn_state *state, const cdn_invertible_law *law,
                                  contact_rows *rows);
/* Fills MJ and A. */
cdn_status cdni_contact_rows_weigh(cdn_invertible_motion *motion, cdn_state *state, contact_rows *rows);
void cdni_contact_rows_free(cdn_invertible_motion *motion, contact_rows *rows);
static inline double contact_rows_distance(const contact_rows *rows, int normal) {
  const int limits = rows->problem.n_limits;
  return normal < limits ? rows->bounds[normal].distance : rows->points[normal - limits].distance;
}
/* out = J x, or out += factor J^T x. */
void cdni_contact_rows_multiply(const contact_rows *rows, const double *matrix, int nu, const double *x, double *out);
void cdni_contact_rows_add_transpose(const contact_rows *rows, const double *matrix, int nu, double factor,
                                     const double *x, double *out);

/* ---- invertible_inverse.c ---- */

/* Speeds that take q to `next` in a step of h, quaternions of any length. */
cdn_status cdni_motion_speeds(cdn_invertible_motion *motion, const double *q, const double *next, double *w);
/* tau at the middle one of three positions; `derivative`, if not NULL: nu x 3 nu, by displacements of the three. */
cdn_status cdni_motion_inverse_at(cdn_invertible_motion *motion, const cdn_invertible_law *law, const double *q,
                                  double *tau, double *derivative);
cdn_status cdni_motion_check_inverse(cdn_invertible_motion *motion, const char *function);

#endif
