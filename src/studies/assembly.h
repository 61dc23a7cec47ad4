/* The internals of an assembly, shared by its files. */
#ifndef CARDAN_STUDIES_ASSEMBLY_H
#define CARDAN_STUDIES_ASSEMBLY_H

#include <cardan/assembly.h>

#include "constraints/loops.h"
#include "math/null_space.h"

typedef enum goal_kind { GOAL_COORDINATE, GOAL_MARKER, GOAL_ORIENTATION, GOAL_SPEED, GOAL_OWN } goal_kind;

typedef struct assembly_goal {
  char *name;
  goal_kind kind;
  double weight;
  cdn_body body;
  int32_t q, u;      /* slots of a coordinate or speed */
  cdn_vec3 p_B;      /* marker */
  cdn_rotation R_BS; /* sensor */
  double value;      /* wanted, */
  cdn_vec3 p_G;      /* or seen */
  cdn_rotation R_GS;
  bool seen;
  cdn_goal_ops ops;
  void *self;
  int32_t rows;
} assembly_goal;

struct cdn_assembly {
  const cdn_system *system;
  cdn_allocator allocator;
  cdn_assembly_def def;
  cdn_error error, mistake;    /* the last failure; the first mistake of an adder */
  const matter *m;             /* NULL: no bodies */
  const constraint_room *room; /* NULL: no constraints */
  int nq, nu, first_q, first_u, n_rows;
  cdni_array goals; /* assembly_goal */
  int most_rows;    /* of one goal */

  /* By mobility of the System: */
  int32_t *slot;         /* the coordinate whose rate it is, or -1 */
  bool *locked;          /* locked by this assembly */
  double *lower, *upper; /* bounds of that coordinate */
  bool bounded;          /* there are bounds */
  /* for the present call: */
  bool *fixed;     /* locked here or in the State */
  bool *held;      /* held at a bound in the step towards the goals */
  bool *stays;     /* held at a bound on the way back to the constraints */
  int32_t *group;  /* another mobility that constraints tie it to, or itself: a forest, one tree for each group */
  bool *concerned; /* for the root of a group: whether the present errors or goals concern the group */
  double *x, *gradient, *push, *u;
  double *q, *start, *came, *best; /* coordinates (or speeds) */
  bool *prescribed;                /* nq and nu flags */
  void *block;
  size_t block_size;

  /* Of constraints: */
  const loop_plan *plan; /* of those that are on in the State at hand */
  loop_factor factor;
  void *factor_block;
  size_t factor_size;
  int32_t *member; /* by constraint of the plan: a mobility that it binds, or -1 */
  sv *A;
  double *weights;              /* matter's nu: 1, or infinite for what does not move */
  double *b, *lambda, *damping; /* by equation of the plan */
  double *pooled;               /* as many as the System has multipliers */

  /* Of goals; allocated when their number is known: */
  double *r, *J;        /* rows, rows x nu */
  double *G, *g_lambda; /* m x nu, of the free mobilities; m */
  double *H, *L;        /* nu x nu */
  double *step;
  double *S, *moved, *kept, *pulled; /* assembly_curvature.c: nu x nu, and nu each */
  bool stepped, trusted;
  int32_t *map; /* free mobilities */
  cdni_null_space null;
  int made_rows;
  void *goal_block;
  size_t goal_block_size;

  int iterations;
  uint64_t random;
};

/* ---- assembly.c ---- */

/* Stores a failure; returns its code. */
cdn_status cdni_assembly_fail(cdn_assembly *a, cdn_status code, const char *function, const char *element,
                              const char *format, ...) CDN_PRINTF(5, 6);
/* Stores a failure whose message is on a State. */
cdn_status cdni_assembly_fail_state(cdn_assembly *a, cdn_state *state, const char *function, cdn_status status);
/* The slots of coordinate k, or mobility k, of a body. False, with the message stored, if it does not exist. */
bool cdni_assembly_slots(cdn_assembly *a, const char *function, const char *name, cdn_body body, int k, bool coordinate,
                         int32_t *q, int32_t *u);

static inline int assembly_goal_count(const cdn_assembly *a) { return (int)a->goals.count; }
static inline assembly_goal *assembly_goal_at(const cdn_assembly *a, int i) {
  return &CDNI_AT(a->goals, assembly_goal, i);
}
/* Whether a goal counts, among goals of positions or of speeds. */
static inline bool assembly_goal_counts(const assembly_goal *g, bool speeds) {
  return g->weight > 0 && g->seen && (g->kind == GOAL_SPEED) == speeds;
}

/* ---- assembly_goals.c ---- */

/* Residuals times the roots of their weights, row by row of the goals that count; *sum is half their square. */
cdn_status cdni_assembly_residuals(cdn_assembly *a, cdn_state *state, bool speeds, double *r, int *rows, double *sum);
/* Derivatives of these residuals along u, rows x nu. */
cdn_status cdni_assembly_jacobian(cdn_assembly *a, cdn_state *state, bool speeds, double *J);
/* Fills the goals' part of a report. */
cdn_status cdni_assembly_report_goals(cdn_assembly *a, cdn_state *state, bool speeds, cdn_assembly_report *report);
void cdni_assembly_free_goals(cdn_assembly *a);

/* ---- assembly_restore.c: constraints ---- */

typedef struct assembly_errors {
  double half_square; /* half the sum of the squared errors in units */
  double most;        /* the largest error */
  int worst;          /* the constraint that has it; -1 if there is none */
} assembly_errors;

/* Takes the plan of a State's constraints, and makes room for its factorization. */
cdn_status cdni_assembly_take_plan(cdn_assembly *a, cdn_state *state);
/* Measures position errors, or velocity errors. */
cdn_status cdni_assembly_measure(cdn_assembly *a, cdn_state *state, bool speeds, assembly_errors *e);
/* Factors the constraints of the level at the present State; `damping` NULL: undamped. */
cdn_status cdni_assembly_factor(cdn_assembly *a, cdn_state *state, loop_level level, const double *damping);
/* x (nu) = the smallest change with G x = b, or as near as damping allows. */
cdn_status cdni_assembly_solve(cdn_assembly *a, cdn_state *state);
/* Sets q = start + scale N x, within bounds. */
cdn_status cdni_assembly_move(cdn_assembly *a, cdn_state *state, double scale);
/* The factor that shortens a step x so that no joint turns by more than a radian. */
double cdni_assembly_shorten(cdn_assembly *a, cdn_state *state, const double *x);
/* Moves q to the constraints, or as near as possible; e has the errors that are left. */
cdn_status cdni_assembly_restore(cdn_assembly *a, cdn_state *state, int most_iterations, assembly_errors *e);

/* ---- assembly_run.c, assembly_sides.c: one-sided elements ---- */

/* Assembles q or speeds once, with the constraints that are on. */
cdn_status cdni_assembly_once(cdn_assembly *a, cdn_state *state, const char *function, bool speeds,
                              cdn_assembly_report *report);
/* The same where gaps, and speeds of ratchets, must not be negative. */
cdn_status cdni_assembly_with_sides(cdn_assembly *a, cdn_state *state, const char *function, bool speeds,
                                    cdn_assembly_report *report);

/* ---- assembly_groups.c: groups of mobilities that constraints tie together ---- */

/* Finds the groups that enabled constraints tie together, of mobilities that are not fixed. */
void cdni_assembly_group(cdn_assembly *a, bool speeds);
void cdni_assembly_concern_none(cdn_assembly *a);
/* Marks the group of mobility k as concerned; whether it is. */
void cdni_assembly_concern(cdn_assembly *a, int k);
bool cdni_assembly_is_concerned(cdn_assembly *a, int k);
/* Marks only the groups of constraints whose last measured error is above a value, in units. */
void cdni_assembly_concern_errors(cdn_assembly *a, const cdn_state *state, bool speeds, double above);
/* Marks only the groups on which goals depend, by the rows of J. */
void cdni_assembly_concern_goals(cdn_assembly *a, int rows);

/* ---- assembly_curvature.c: the part of the curvature that the linear model of the goals omits ---- */

/* One linear least-squares problem: the free mobilities x = Z p, and the goals' half square in p. */
typedef struct assembly_reduced {
  int n, rank, d; /* free mobilities, independent constraints, and n - rank */
  double largest; /* of H's diagonal */
} assembly_reduced;

void cdni_assembly_curvature_begin(cdn_assembly *a);
/* Before a step: keeps the data to which gradients are compared after it. */
void cdni_assembly_curvature_keep(cdn_assembly *a, const assembly_reduced *p);
/* After a step from q = came, with the new residuals, before anything is prepared anew. */
cdn_status cdni_assembly_curvature_step(cdn_assembly *a, cdn_state *state, const assembly_reduced *p, int rows);
/* When the gradient after the step is known: updates S. */
void cdni_assembly_curvature_learn(cdn_assembly *a);
/* Adds S to H if S is trusted. Destroys L. */
void cdni_assembly_curvature_add(cdn_assembly *a, assembly_reduced *p);
/* x . S x of the step x. */
double cdni_assembly_curvature_along(const cdn_assembly *a);

/* ---- assembly_fit.c: goals ---- */

/* Lets goals fall along the constraints, which the State satisfies. *limit: they were still falling at the end. */
cdn_status cdni_assembly_fit(cdn_assembly *a, cdn_state *state, bool *limit);
/* Likewise for speeds, in one step. */
cdn_status cdni_assembly_fit_speeds(cdn_assembly *a, cdn_state *state);

#endif
