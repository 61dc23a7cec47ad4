/* Shared by the files of soft rows. Private to them. */
#ifndef CARDAN_SOFT_INTERNAL_H
#define CARDAN_SOFT_INTERNAL_H

#include <math.h>

#include <cardan/regions.h>

#include "constraints/loops.h"
#include "contact/contact.h"
#include "soft/diagonal.h"
#include "soft/elements.h"
#include "soft/rows.h"
#include "soft/soft.h"

/* A provider of rows of a subsystem. */
typedef struct soft_provider {
  cdn_row_provider ops;
  cdn_subsystem subsystem;
  char *name;
} soft_provider;

struct soft_room {
  cdni_array providers; /* soft_provider */
  cdn_soft_def def;
  bool has_def;
  /* Known from freezing on. */
  const matter *matter;
  const constraint_room *constraints; /* NULL: none */
  const contact_room *contact;        /* NULL: contact is not convex */
  const contact_room *compliant;      /* NULL: contact is not compliant */
  const soft_element_room *elements;  /* NULL: there are none */
  uint8_t *moves;                     /* by body: whether a mobility is between it and Ground */
  int32_t *trunk;                     /* by body: the first body of its tree; 0: Ground */
  cdn_computed_region groups;         /* soft_group */
  /* Companions of the groups: bytes; the numbers from which the plan was made. With couplings, and without. */
  cdn_computed_region plan[2], shape[2];
  cdn_computed_region results; /* a companion of the accelerations: soft_results */
  cdn_cache guess;             /* guess.c: one number */
  cdn_region rows_before;      /* soft_row_before */
  cdn_soft_def
      newton; /* `def` for implicit steps, and derivatives: Newton's method, to rounding. A tolerance would be relative
               * to the cost at
                                * the start, which goes with the square of the step. */
};

/* Whether something's rows are scaled by the exact inverse inertia. */
static inline bool cdni_soft_is_exact(const soft_room *room) {
  return room->def.exact_diagonal && (room->contact || room->elements);
}

enum { SOFT_MOST_RECORDS = 1000 };

/* Changes of forces below this part of them are rounding, whatever the tolerance is. */
#define SOFT_LEAST_CHANGE 1e-12

/* What exact rows give way in the first pass (exact.c), as a part of the inverse inertia that they meet. Smaller: a
 * pass leaves less; larger: the elimination rounds less, by 1e-16 over that, times how unlike masses are. A row on one
 * mobility is no weight on bodies, and rounds nothing. */
#define SOFT_GIVE 1e-6
#define SOFT_GIVE_OF_JOINT 1e-13

/* What the region of results begins with; then soft_outcome, one a group, udot, nu numbers, and cdn_soft_iteration, by
 * iteration. */
typedef struct soft_results {
  cdn_soft_statistics statistics;
  double scale; /* by which the residual is measured: 1/2 |udot0|_M^2 + cost there */
  double gap;   /* by which costs may be above the least even if udot and forces belong together */
  bool guessed; /* a step has asked for it: it may follow from a guess */
} soft_results;
typedef struct soft_outcome {
  double residual[SOFT_MOST_ROWS], force[SOFT_MOST_ROWS];
} soft_outcome;
static inline soft_outcome *soft_outcomes(soft_results *r) { return (soft_outcome *)(r + 1); }
/* report.c: those of a State with n groups, whose accelerations are computed. CDN_ERR_PARSE: a checkpoint brought
 * others. */
cdn_status cdni_soft_results(const soft_room *room, cdn_state *state, int n, soft_results **results);
/* The groups of a State and their results, after its accelerations are computed; results NULL: there are no groups. */
cdn_status cdni_soft_find(cdn_state *state, const soft_group **groups, int *n, soft_results **results);

/* groups.c: of a State. */
cdn_region_fn cdni_soft_calc_groups;
/* Takes from ref of a group on a pair what its rows have besides J udot: the centripetal accelerations of the point. */
void cdni_soft_count_rates(const soft_room *room, cdn_state *state, soft_group *g);
/* report.c: the name of the soft element, or of the provider, whose group it is; NULL: a contact's. */
const char *cdni_soft_group_name(const soft_room *room, const soft_group *g);
/* contacts.c: the rows of the points of contact. diagonal: what scales them; NULL: the approximations. */
cdn_status cdni_soft_add_contacts(const soft_room *room, cdn_state *state, const soft_diagonal *diagonal,
                                  cdn_region_output *out);

/* ---- one solution under way ---- */

/* A group as the solver sees it. */
typedef struct soft_work {
  const soft_group *g;
  int32_t C; /* of a pair: the matrix of its coupling, -1: none */
  /* Of a pair: from the origins of the two bodies' M to their points of the group; whether its rows are more than
   * forces there. */
  v3 r_a, r_b;
  bool turns;
  /* Of several joints (terms.c): J[2 i] A_outboard + J[2 i + 1] A_inboard is the part of joint i in the row; four
   * couplings for each two of them, that of body s of the first and t of the second in [2 s + t], where 0 is the
   * outboard and 1 the inboard body. */
  sv *J;
  int32_t *couplings;
  double r[SOFT_MOST_ROWS], f[SOFT_MOST_ROWS]; /* residual, force */
  double Jx[SOFT_MOST_ROWS], Jd[SOFT_MOST_ROWS];
  double bend;            /* of the function along Jd, by the weights */
  int32_t zone, factored; /* the pieces that r is on, and that H was of when it was factored */
  int32_t noted;          /* and that r was on in the last record */
  int32_t kept;           /* and, of an exact row, after the last pass */
  /* Forces that hold x: M x is J^T of them, on the null space of G; and those that hold y. */
  double held[SOFT_MOST_ROWS], next[SOFT_MOST_ROWS];
  double along[SOFT_MOST_ROWS], past[SOFT_MOST_ROWS]; /* of CG: forces that hold its direction, and the last gradient */
  double H[SOFT_MOST_ROWS * SOFT_MOST_ROWS], weighed[SOFT_MOST_ROWS * SOFT_MOST_ROWS]; /* weights; those factored */
  double
      base[SOFT_MOST_ROWS]; /* of an island that is passed again (exact.c): forces that act already; f is what comes to
                         * them */
} soft_work;

/* Whether the weights of a group are others than those factored. */
static inline bool cdni_soft_has_changed(const soft_work *w) {
  return w->zone != w->factored || w->zone == SOFT_ZONE_MIDDLE;
}

/* What a pass along a tree with weights writes, besides y and A_y: numbers of one State, or of several in lanes. */
typedef struct plain_pass {
  body_articulated *articulated;
  body_mass *mass; /* with weights on mobilities */
  sv *z;
  real *G, *D_inv, *eps;
} plain_pass;

typedef struct soft_row_kernels soft_row_kernels;

/* x = udot - udot0. By body and mobility; only islands have values.
 *
 * With couplings the islands of the plan are those of the problem. Without, only constraints connect trees to islands
 * of the plan; those that rows connect are one island of the problem, and its pieces. */
typedef struct soft_problem {
  const soft_room *room;
  const cdn_soft_def *def;
  const soft_row_kernels *kernels;
  cdn_state *state;
  const tree_data *d;
  const loop_plan *plan;
  const constraint_rows *rows; /* NULL: no constraint takes part */
  constraint_rows rows_there;
  const int32_t *was_redundant;
  loop_factor factor;
  const sv *A_0;   /* by body: the motion of udot0, without terms of velocity */
  soft_work *work; /* by group, those of an island in a row; at the end those on nothing that moves */
  int n;
  bool coupled;
  int which_plan; /* of the State's: 0 if bodies are coupled */
  bool exact;     /* a group is exact */
  bool passed;    /* the island under way has exact rows: its forces come to `base` */
  /* What exact rows give way then: this part of the inverse inertia that they meet, or `give` times their own, if that
   * is more. */
  double level, give;
  int n_islands;
  int32_t *piece_first, *piece; /* by island: islands of the plan */
  int32_t *island;              /* by island of the plan: the one whose piece it is */
  int32_t *first;               /* by island: its first group (n_islands + 1) */
  int32_t *order;               /* by place in `work`: the number of the group */
  sv *term_J;                   /* of groups on several joints: their J and couplings */
  int32_t *term_C;
  size_t terms, term_pairs;   /* how many there are */
  articulated_inertia *P;     /* by body: weights */
  uint8_t *changed;           /* by body: whether its elimination is another than that factored; Ground: no */
  double *D;                  /* nu x 6: weights on mobilities */
  double *x, *y, *step, *f;   /* nu: offset; that of the Newton step; direction; forces on mobilities */
  sv *A_x, *A_y, *A_step, *F; /* by body: motions of these; forces */
  void *scratch;              /* of the elimination */
  cdn_soft_iteration *record; /* by iteration */
  int records, most_records;
  double trace; /* of M, for def->cost_tolerance */
  bool guessed; /* guess.c: Newton's method starts where `past` of the work says */
  /* nu: of a step that goes straight, the forces on mobilities by which udot is d->udot; udot0 is not known then, and x
   * is all that comes to d->udot. NULL: x comes to udot0. */
  const double *load;
  bool plain;          /* plain.c: its islands may be eliminated by matter's passes */
  plain_pass pass;     /* memory for that */
  void *frame, *inner; /* of the State's workspace */
} soft_problem;

/* Forces of a step that goes straight may have this part of them left to change. */
static inline double cdni_soft_least_change(const soft_problem *p) {
  return fmax(p->def->tolerance, SOFT_LEAST_CHANGE);
}

/* solve.c: the plan, the islands, and memory, for n groups. `udot` is what A_0 is the motion of. Numbers of the groups
 * are not there yet. Newton's method in `def` asks for couplings. `load`: as in the problem. */
cdn_status cdni_soft_begin(soft_problem *p, const soft_room *room, cdn_state *state, const tree_data *d,
                           const double *udot, const cdn_soft_def *def, const double *load, const soft_group *groups,
                           int n);
/* Residuals at udot0, of which x is 0. */
void cdni_soft_start(soft_problem *p);
/* Solves all islands: x, and in `work` the forces of the rows. In three parts, or at once. */
cdn_status cdni_soft_run_begin(soft_problem *p, const soft_group *groups, soft_results *head);
cdn_status cdni_soft_run_islands(soft_problem *p, soft_results *head);
cdn_status cdni_soft_run_end(soft_problem *p, const soft_group *groups, soft_results *head);
cdn_status cdni_soft_run(soft_problem *p, const soft_group *groups, soft_results *head);
/* Adds the forces to F and f; results go to the State. */
cdn_status cdni_soft_tell(soft_problem *p, soft_results *head, sv *F, double *f);
void cdni_soft_end(soft_problem *p);
/* Whether the plans of two States of one System are equal, and their islands are eliminated alike. */
bool cdni_soft_are_alike(const soft_problem *p, const soft_problem *q);
/* guess.c: declares it. */
void cdni_soft_declare_guess(soft_room *room, cdn_declarer *d);
/* Whether the evaluation under way is a step's that has a guess; and how far its rows are from udot0, into `past`. */
bool cdni_soft_has_guess(const soft_room *room, cdn_state *state);
cdn_status cdni_soft_look_at_guess(soft_problem *p, const soft_group *groups);
/* exact.c: whether an island has rows that passes solve; its accelerations. */
bool cdni_soft_has_exact(const soft_problem *p, int island);
cdn_status cdni_soft_solve_exact(soft_problem *p, int island, soft_results *results);
/* Exact rows on nothing that moves. */
cdn_status cdni_soft_check_still(soft_problem *p);
/* exact_vary.c: cdni_soft_vary where there are exact rows. */
cdn_status cdni_soft_vary_exact(soft_problem *p, const char *function, int n, const soft_variation *variations);
/* vary.c: a column of accelerations, in x, with its motions in A_x. */
void cdni_soft_load_column(soft_problem *p, const double *column, int stride);
/* J^T of p->F and p->f, in f; uses p->F up. */
void cdni_soft_add_up(const soft_problem *p, double *f);
/* Lets exact rows begin a pass as they ended the last one: free, or at a bound. */
void cdni_soft_keep_free(const soft_problem *p, int island);
/* s, f, H and the zone of an exact row in a pass; its function, and where that is evaluated. */
double cdni_soft_exact_function(const soft_problem *p, soft_work *w, const double *r);
soft_function cdni_soft_pass_function(const soft_problem *p, const soft_work *w, double *shift);
/* s, f, H and the zone of a group at the residual r, in an island under way: of what comes to its base. */
static inline double cdni_soft_row_function(const soft_problem *p, soft_work *w, const double *r) {
  if (!p->passed) return cdni_soft_function_again(&w->g->s, r, w->f, w->H, &w->zone);
  double sum =
      w->g->give > 0 ? cdni_soft_exact_function(p, w, r) : cdni_soft_function(&w->g->s, r, w->f, w->H, &w->zone);
  for (int k = 0; k < w->g->s.rows; k++) sum += w->base[k] * r[k], w->f[k] -= w->base[k];
  return sum;
}

/* islands.c: finds them, and puts the groups in their order; those on nothing that moves come last. */
typedef struct soft_pairs { /* of bodies that the plan couples, sorted */
  const int32_t *pair;
  int n;
} soft_pairs;
void cdni_soft_sort(soft_problem *p, const soft_group *groups, const soft_pairs *pairs);
/* The island of the plan that a body is in. */
int cdni_soft_piece(const soft_problem *p, int body);
/* Body i of a group, or the one inboard of its joint; 0: it does not move. */
int cdni_soft_coupled_body(const soft_room *room, const soft_group *g, int i, int inboard);
int cdni_soft_compare_pairs(const void *x, const void *y);
/* Where a group on a pair acts. */
void cdni_soft_place(const body_pose *pose, soft_work *w);

/* terms.c: groups on several joints. */
/* Writes their J. */
void cdni_soft_spread_terms(const soft_problem *p, const soft_work *w);
/* Their weights, of the weight h of the row. */
void cdni_soft_weigh_terms(const soft_problem *p, const soft_work *w, double h);

/* P += J^T H J; HJ has the rows of H J. */
static inline void cdni_soft_add_inertia(int n, const sv *HJ, const sv *J, articulated_inertia *P) {
  for (int k = 0; k < n; k++) {
    const sv minus = sv_neg(HJ[k]);
    P->J = s3_minus_outer(P->J, minus.w, J[k].w);
    P->F = m3_minus_outer(P->F, minus.w, J[k].v);
    P->M = s3_minus_outer(P->M, minus.v, J[k].v);
  }
}
/* kernel_weights.c: the weights of an island's groups, in P, D and the factorization's couplings: all, or what groups
 * that have changed add to those factored. */
void cdni_soft_weigh(const soft_problem *p, int island, bool all);

/* problem.c */
/* J v of a group: of accelerations A of bodies and a of mobilities, without ref. */
void cdni_soft_multiply(const tree *t, const soft_work *w, const sv *A, const double *a, double *out);
/* F += J^T force, f += J^T force. */
void cdni_soft_add_force(const tree *t, const soft_work *w, const double *force, sv *F, double *f);
/* x^T M y of an island, for offsets with the motions A_x and A_y. */
double cdni_soft_metric(const soft_problem *p, int island, const double *x, const sv *A_x, const double *y,
                        const sv *A_y);
/* Sets forces, y and its motions to zero on n islands of the plan. */
void cdni_soft_clear(const soft_problem *p, const int32_t *piece, int n);
/* The motion P J^T f of an island's forces f, where P is M^-1 on the accelerations that the constraints allow, goes to
 * x and A_x. The pieces must be factored. */
void cdni_soft_follow(const soft_problem *p, int island, double *x, sv *A_x);
/* The length of M x, or with rows of M x + J^T (f - next), on mobilities that are free to move. */
double cdni_soft_length(const soft_problem *p, int island, const double *x, const sv *A_x, bool with_rows);

/* newton.c, gradients.c, pgs.c: the accelerations of an island. They add to the statistics, and to the scale. */
cdn_status cdni_soft_newton(soft_problem *p, int island, soft_results *results);
/* Newton's method, which asks its caller for linear algebra: with the weights at the present H factored, if it wants a
 * step, or with the factors that are there, the y and A_y that F and f make. */
/* Tolerances below this are met by refining, for an elimination leaves its rounding times how stiff rows are in the
 * forces. That takes the inertias of bodies. */
#define SOFT_REFINED 1e-10
static inline bool cdni_soft_refines(const cdn_soft_def *def) { return def->tolerance < SOFT_REFINED; }
typedef enum soft_wish {
  SOFT_IS_DONE,
  SOFT_WANTS_STEP,
  SOFT_WANTS_CORRECTION, /* the same as a refinement, in the midst of the iteration */
  SOFT_WANTS_REFINEMENT
} soft_wish;
typedef struct soft_newton {
  soft_problem *p;
  int island;
  soft_results *results;
  soft_wish wish;
  bool from_guess;
  int it, most;
  double cost, asked;
  double left;     /* of a step that goes straight: what forces have left to change */
  int corrections; /* after a step, with its factors */
} soft_newton;
/* Whether nothing couples an island's bodies, and no constraint does. */
bool cdni_soft_stands_apart(const soft_problem *p, int island);
void cdni_soft_newton_begin(soft_newton *n, soft_problem *p, int island, soft_results *results);
void cdni_soft_newton_go_on(soft_newton *n);
cdn_status cdni_soft_descend(soft_problem *p, int island, soft_results *results);
cdn_status cdni_soft_relax(soft_problem *p, int island, soft_results *results);
/* plain.c: whether matter's passes eliminate an island, and the range of its bodies. */
typedef struct plain_range {
  int first, end;
} plain_range;
bool cdni_soft_is_plain(const soft_problem *p, int island, plain_range *range);
/* Whether the rows of a group allow that. */
bool cdni_soft_is_plain_group(const tree *t, const soft_group *g);
/* Memory for so many lanes, and what the pass reads there: forces F and f, and weights P and D, unless it is factored
 * already. */
void cdni_soft_plain_lay_out(const tree *t, size_t lanes, char *base, size_t *at, plain_pass *pass);
typedef struct plain_problem {
  const sv *F;
  const double *f;
  const articulated_inertia *P;
  const double *D;
  double *y;
  sv *A_y;
} plain_problem;
/* m, of as many lanes as the numbers have. */
void cdni_soft_plain_solve(const matter *m, const tree_data *d, const plain_pass *pass, const plain_problem *problem,
                           const plain_range *range, bool factored, int64_t *singular);
/* noslip.c: after a solution, forces along surfaces, and of dry friction, without R, at the normal forces that there
 * are. */
cdn_status cdni_soft_stop_slip(soft_problem *p, const soft_group *groups, soft_results *results);
/* The pieces of an island without weights, factored. */
cdn_status cdni_soft_factor_pieces(soft_problem *p, int island, cdn_soft_statistics *statistics);
/* The weights at the present H, factored: all, or what has changed since. */
cdn_status cdni_soft_factor(soft_problem *p, int island, bool all);
/* The weights alone. Returns whether only bodies that p->changed names need to be eliminated again. */
bool cdni_soft_renew_weights(soft_problem *p, int island, bool all);
/* newton.c: the cost of an island's groups at their residuals. Leaves their forces and weights. n_islands: of those on
 * nothing that moves. */
double cdni_soft_cost(const soft_problem *p, int island);

/* line.c: the step along d with the least cost. */
typedef struct soft_slope { /* of the cost, by t */
  double first, second;
} soft_slope;
typedef struct soft_line {
  double m0, m1;           /* d^T M x, d^T M d */
  double size;             /* the length of d; read if cost_tolerance is in force */
  double t;                /* where to begin; 0: by the slope there. Then the step; 0: the cost does not fall along d */
  soft_slope start, there; /* where t is given: at 0, of which `second` is not read, and at t */
  int evaluations;
} soft_line;
void cdni_soft_search(const soft_problem *p, int island, soft_line *line);
/* What ends an iteration where cost_tolerance is in force: improvements and gradients below this. */
static inline double soft_cost_limit(const soft_problem *p) { return p->def->cost_tolerance * p->trace; }

/* record.c: adds the iteration `it`, from 1 on, of an island. Active groups and changes are counted by their zones. */
void cdni_soft_record(soft_problem *p, int island, int it, const cdn_soft_iteration *own);
/* The same of a primal solver. cost: of the functions, afterwards. Returns by how much the whole cost
 * has fallen, from *before, which becomes the present one. */
double cdni_soft_note(soft_problem *p, int island, int it, const soft_line *line, double gradient, double cost,
                      double *before);

#endif
