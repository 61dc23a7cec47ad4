/* One moment under way. Private to the room. */
#ifndef CARDAN_HYBRID_MOMENT_H
#define CARDAN_HYBRID_MOMENT_H

#include "hybrid/cones.h"
#include "hybrid/internal.h"
#include "hybrid/sparse.h"

/* Measured: flights no higher than this, m or rad, are told from rest no more. */
static const double FLIGHT_ROUNDING = 256 * 2.220446049250313e-16;

typedef struct moment_memory {
  size_t size;
  void *bytes;
} moment_memory;

typedef struct moment {
  const hybrid_room *room;
  cdn_state *state;
  const hybrid_fired *fired; /* NULL: the State was made by hand */
  double accuracy;
  double slow;             /* slips along several equations that are slower are at rest: they need not pass zero */
  double stopping;         /* s: the time that friction would take for what has been brought to rest */
  double equal;            /* the size of the run's equal steps, s, or 0 */
  int nu, first_u, all_nu; /* matter's speeds; all of the System */
  int equations, first_row, all_equations; /* of the constraints; of the System */
  int most_rows, most_cones;               /* of the elements that are there */
  moment_memory of_elements, of_rows;

  bool *in;                       /* one-sided elements that may push */
  int *side_cone, *friction_cone; /* by element; -1: it takes no part */
  cdn_friction_status *was;       /* by friction: its status before */
  double *was_e;                  /* and its direction, CONE_MOST_TANGENTS; of one that has begun to slip, where to */
  bool *begins;                   /* by friction: a slip that begins, along was_e, goes on so */
  bool starts;                    /* slips begin now */
  bool approach;                  /* bodies approach where nothing is between them: there is an impact */
  bool hit;                       /* there has been one */
  bool jammed;                    /* there was one without approach: no accelerations agree with friction */
  double residual;
  bool out_of_memory; /* why no solution was found */

  int rows, n_cones;
  cone *cones;
  sparse_rows G, X, L, W; /* rows x nu: of velocities, and M^-1 G^T; rows x equations: the multipliers; rows x rows */
  double *v;              /* the rows' velocities */
  double *b, *p, *w;      /* of the problem that is solved */
  double *e, *least, *total; /* of an impact: restitution and capture speed of normals, impulses */
  double *allowed;           /* of a captured step: how fast rows may go on, as gaps are open, and paths bend; else 0 */
  double *before;            /* speeds before an impact */
  bool captures;             /* this is a captured step */
  bool dull;                 /* nothing bounces */
  double span;               /* s, of a captured step, in which loads have impulses; 0: a moment */
  double step;               /* s, of a captured step whose speeds are those half of it ago; 0: others */
  double *f, *x, *lambda, *free_lambda;
  double *load, *applied; /* bend.c: the pushes about which soft rows answer; what users apply to mobilities */
  /* Of kept reactions: the answers to each force (as G, X, L and J); the signs that the forces must have, the forces,
   * and how much each changes its own reaction; b, and the multipliers and joints without any; which act, and did. */
  double *kept_G, *kept_X, *kept_L, *kept_J, *kept, *kept_b, *kept_lambda, *kept_joints;
  double *kept_total; /* impulses of these forces in an impact */
  bool *keeps, *kept_before;
  const char *unkept;      /* a force that does not change what it keeps; NULL: there is none */
  double *J, *free_joints; /* of what mobilizers transmit: rows x all its numbers; without pushes */
  double *changes;         /* changes.c, bounces.c */
  bool stops;              /* what was about to part is captured: u does not know that yet */
  bool *lands, *leaves;    /* by one-sided element, of a sequence of bounces: which have approached, and parted */
  bool *joins;             /* which have pushed, and go on together */
  double landing_speed, leaving_speed; /* their largest speeds; 0: there are none */
  double captured_below, lasted;       /* lasted: since the bounce before; 0: it is the first */
  void *law_work;                      /* of the laws of impact */
} moment;

/* Memory of what each element has; its end, with that of rows. */
cdn_status cdni_moment_begin(moment *m);
void cdni_moment_end(moment *m);
/* Everything that may act at the State is one set with one answer. */
cdn_status cdni_moment_settle(moment *m, cdn_hybrid_totals *totals);
/* The gap of a one-sided element, of a ratchet its speed; and its speed. */
cdn_status cdni_moment_gap(moment *m, int i, double *gap, double *speed);
/* What rounding of coordinates may add to a gap. */
double cdni_moment_rounding(const moment *m);
/* Rows and cones of all that is `in`, with their velocities. */
cdn_status cdni_moment_arrange(moment *m);
/* Memory for the rows of all elements that are there. */
cdn_status cdni_moment_begin_rows(moment *m);
/* Switches on the constraints of elements that are off, touch and approach, and marks them; *any: there are some. */
cdn_status cdni_moment_close_approaching(moment *m, bool *closed, bool *any);
/* Switches off all constraints of elements, so that the System answers without them. */
cdn_status cdni_moment_release(moment *m);
/* How the System answers to the rows: G, X, L, W, J. */
cdn_status cdni_moment_respond(moment *m);
cdn_status cdni_moment_fails(const moment *m, const char *what);
/* contradict.c: where no solution was found for b (speeds or accelerations without pushes): fails, with their names, if
 * contacts contradict each other. O(n^3) for n normals. */
cdn_status cdni_moment_contradicts(const moment *m, const double *b);
/* The accelerations along each row without any push: b, and the multipliers. */
cdn_status cdni_moment_free_accelerations(moment *m);
/* The bounds of all frictions, at the pushes p; *depends: some follow from the pushes. Returns their largest relative
 * change. lambda: multipliers without pushes (NULL: none). */
double cdni_moment_set_bounds(moment *m, bool impulses, const double *lambda, bool *depends);
/* kept_moment.c: how the System answers the forces that keep reactions, and which of these acted; the cones solved
 * together with these forces, and whose are on afterwards. */
cdn_status cdni_moment_respond_kept(moment *m, bool impulses);
void cdni_kept_begin(moment *m);
bool cdni_moment_solve_kept(moment *m, bool impulses);
void cdni_kept_set_statuses(const moment *m, double *status);
/* The cones of the moment, with b, p and w of it. */
cone_problem cdni_moment_problem(const moment *m);
/* Solves the cones for b. lambda: multipliers without pushes (NULL: none). False: no solution was found. */
bool cdni_moment_solve(moment *m, bool impulses, const double *lambda);

/* several.c: chooses among several solutions of accelerations, from the one that has been found. */
void cdni_moment_choose(moment *m, cdn_hybrid_totals *totals);

/* changes.c: notes the statuses before the moment, and what slots hold before and after their renewal; then impulses
 * that have been found (total) with the speeds before and after them (v, w); and keeps all that beside the totals. */
void cdni_changes_begin(moment *m);
void cdni_changes_renewed(moment *m);
void cdni_changes_note(moment *m);
void cdni_changes_keep(const moment *m, const cdn_hybrid_totals *totals);

/* statuses.c: speeds along the rows below this are zero: what impulses and projection leave. */
double cdni_moment_at_rest(const moment *m);
/* After that: whether elements that part are none of the set, which has to be solved without them. */
bool cdni_moment_parts(moment *m);
/* Solves for accelerations, which tell the statuses; and writes these into the State. */
cdn_status cdni_moment_accelerate(moment *m, bool *found);
cdn_status cdni_moment_set_statuses(moment *m);
/* hold.c: brings the speeds of all constraints that are enabled to rest, and notes how long friction would take. */
cdn_status cdni_moment_project(moment *m);
/* Whether slow slips that have been brought to rest are much motion by a long lever: friction would take longer for
 * them than the accuracy tells apart, and other speeds than `before` differ by more than that. */
bool cdni_moment_stops_too_much(const moment *m, const double *before);
/* Brings the speeds to rest that these statuses hold, and those from which slips begin. */
cdn_status cdni_moment_hold(moment *m);
/* Whether a slip whose direction was read from its speed is too slow for that now, as what sticks beside it has been
 * brought to rest. Then statuses have to be found again; each time this ends at least one such slip. */
cdn_status cdni_moment_slowed(moment *m, bool *slowed);

/* W = G X, and J. */
cdn_status cdni_moment_multiply(moment *m);
/* What says that there was no memory, if there was none. */
cdn_status cdni_moment_fits(const moment *m, bool fits);

/* bend.c: calls `solve` for the pushes p, until soft rows answer as they do at the solution. X, L and W are the answer
 * of accelerations then, in which soft rows follow. */
typedef cdn_status moment_solver(moment *m, bool *found);
cdn_status cdni_moment_bend(moment *m, moment_solver *solve, bool *found);
/* Whether the solved State keeps the conditions that its statuses stand for, as soft rows may have come or gone on the
 * way. Accelerations must be valid. */
cdn_status cdni_moment_check(moment *m);

/* bounces.c: the beginning of a moment; before and after an impact: whether bounces are followed below the accuracy,
 * and up to which speed what lands is captured; what is captured is brought to rest; and the end, where the last flight
 * of a sequence gets its speed. */
void cdni_bounces_begin(moment *m);
void cdni_bounces_forget(moment *m, int side);      /* its slot holds something else now */
bool cdni_bounces_flies(const moment *m, int side); /* in the last flight of a sequence */
void cdni_bounces_expect(moment *m, bool *fine, double *captures);
void cdni_bounces_note(moment *m);
cdn_status cdni_bounces_hold(moment *m, double rest);
cdn_status cdni_bounces_end(moment *m, cdn_hybrid_totals *totals);

/* jam.c: friction is about to jam while it slips: takes speeds to where no force agrees. `jammed`: it has. */
cdn_status cdni_moment_pass_jam(moment *m);

/* unloaded.c: closes what touches without any load. */
cdn_status cdni_moment_keep_closed(moment *m);

/* impact.c: changes u by impulses. */
cdn_status cdni_moment_collide(moment *m, cdn_hybrid_totals *totals);

#endif
