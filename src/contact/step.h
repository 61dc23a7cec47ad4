/* Rows of contacts for an implicit step: what compliant contact does as convex functions of the velocities at the
 * step's end, at a pose that is predicted (soft/step.c solves with them). */
#ifndef CARDAN_CONTACT_STEP_H
#define CARDAN_CONTACT_STEP_H

#include "contact/contact.h"
#include "laws/laws.h"
#include "matter/records.h"

typedef enum contact_step_kind {
  /* One row along the normal, V > 0: the surfaces part. The pressure of a law at the depth w = depth - h (V - V of the
   * State) that V leads to, and at the rate -V. */
  CONTACT_STEP_PRESS,
  /* Rows of friction: -P(K (h' V + x)) - viscous V, where P shortens a vector to the length `bound`, and h' is
   * `time`. */
  CONTACT_STEP_SLIDE
} contact_step_kind;

/* V_k = w_k . W + v_k . U + offset_k of the motion of b relative to a, with U at the point. */
typedef struct contact_step_row {
  int32_t kind, rows;
  int32_t body[2];
  int32_t touch; /* of those of the State; of a patch the first one; -1: of one that was kept */
  int32_t first; /* of the numbers of memory that the rows move, among those of all slots; -1: none */
  cdn_vec3 point, w[3], v[3];
  double V[3], offset[3]; /* V of the State */
  const pressure_law *law;
  double numbers[CDN_LAW_NUMBERS], depth;
  double usual;     /* a depth, > 0, by which the slope of the pressure is measured */
  double stiffness; /* K */
  double time, bound, viscous;
  double x[3]; /* displacement in the plane that the step begins with, m */
  /* Memory alone: the whole displacement; the time in which it forgets, s; its rate by the turning of what lies between
   * the surfaces, m/s. */
  double whole[3], forget, carried[3];
} contact_step_row;

typedef struct contact_step {
  double h;             /* the part of the step that is implicit, s */
  const double *z;      /* nz: where z would be without the rates of this stage */
  const double *normal; /* by touch: forces that bound friction, N */
} contact_step;

/* Declares the variable that keeps touches. */
void cdni_contact_step_declare(contact_room *room, cdn_declarer *d);
/* Keeps the touches of the State. They are there at later poses as well: a pair that does not touch at a pose, but did
 * then, has its pressure, without friction, from the depth at which the surfaces, moved with their bodies, are. */
cdn_status cdni_contact_step_hold(const contact_room *room, cdn_state *state);
/* The touches of a State, and the most rows that it can have. */
cdn_status cdni_contact_step_touches(const contact_room *room, cdn_state *state, int *n, int *rows);
cdn_status cdni_contact_step_rows(const contact_room *room, cdn_state *state, const contact_step *step,
                                  contact_step_row *rows, int *n);
/* The normal forces of the touches of the State. */
cdn_status cdni_contact_step_normals(const contact_room *room, cdn_state *state, double *normal);
/* F (by body, about M's origins) loses all that the rows stand for. */
cdn_status cdni_contact_step_remove(const contact_room *room, cdn_state *state, sv *F);
/* Rates of memory at the end of the stage, for the rows' forces, three numbers a row; zdot has nz numbers. */
void cdni_contact_step_rates(cdn_state *state, const contact_step *step, const contact_step_row *rows, int n,
                             const double *forces, double *zdot);

#endif
