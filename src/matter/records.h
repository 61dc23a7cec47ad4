/* The matter tree as the kernels see it: what is fixed (topology), what is fixed at Instance stage, and one record a
 * body for the results of each pass. Inside matter a body's frame is its M frame, and results are expressed in
 * Ground. */
#ifndef CARDAN_MATTER_RECORDS_H
#define CARDAN_MATTER_RECORDS_H

#include "math/spatial.h"

/* Which rows of the hinge matrix H are there: nothing, rotations only, translations only, a free joint, whose H is a
 * rotation for both halves, or all of them: a spatial vector a mobility. Every pass is specialized for these. */
typedef enum hinge_form { HINGE_NONE, HINGE_ANGULAR, HINGE_LINEAR, HINGE_FREE, HINGE_FULL } hinge_form;

/* The shapes that H comes in: X(SHAPE, mobilities, form). A pass has one branch for each. */
#define HINGE_LIST(X)            \
  X(NONE, 0, HINGE_NONE)         \
  X(ANGULAR_1, 1, HINGE_ANGULAR) \
  X(ANGULAR_2, 2, HINGE_ANGULAR) \
  X(ANGULAR_3, 3, HINGE_ANGULAR) \
  X(LINEAR_1, 1, HINGE_LINEAR)   \
  X(LINEAR_3, 3, HINGE_LINEAR)   \
  X(FREE, 6, HINGE_FREE)         \
  X(FULL_1, 1, HINGE_FULL)       \
  X(FULL_2, 2, HINGE_FULL)       \
  X(FULL_3, 3, HINGE_FULL)       \
  X(FULL_4, 4, HINGE_FULL)       \
  X(FULL_5, 5, HINGE_FULL)       \
  X(FULL_6, 6, HINGE_FULL)

typedef enum hinge_shape {
#define HINGE_ENUM(SHAPE, NU, FORM) SHAPE_##SHAPE,
  HINGE_LIST(HINGE_ENUM)
#undef HINGE_ENUM
      HINGE_SHAPE_COUNT
} hinge_shape;

/* One body's place in the tree; const in the System. Offsets count reals. */
typedef struct tree_node {
  int32_t parent;     /* < own index; -1 for Ground */
  int32_t q, u;       /* first slots */
  int32_t H;          /* offset in H: 3 a mobility (free: 9, the rotation R_GF; full: 6 a mobility) */
  int32_t G, D;       /* offsets of G = P H D^-1 (6 a mobility) and of D^-1 (see hinge.h) */
  int32_t custom;     /* index among the mobilizers that ops describe (function-based and custom), or -1 */
  uint8_t kind;       /* cdn_mobilizer */
  uint8_t variant;    /* 2 mobilizer_row + reversed: what the position pass and N branch on */
  uint8_t shape;      /* hinge_shape: what every other pass branches on */
  uint8_t bias;       /* Hdot u is not zero (5.3) */
  uint8_t quaternion; /* in the first four q */
  uint8_t nq, nu;
  uint8_t first_in; /* first child to reach its parent in an inward pass: it stores, later ones add */
  uint8_t has_children;
} tree_node;

/* Bodies in a row, each the parent of the next and of no other: what has pairs of mobilities (the mass matrix,
 * derivatives) takes the mobilities of such a row eight at a time. All of a block, or nothing, is inboard of
 * another. */
typedef struct tree_block {
  int32_t first, end; /* bodies first to end - 1, of which the last may have several children */
  int32_t parent;     /* the block whose last body is the first one's parent; -1 for Ground */
  int32_t u, nu;      /* first slot, and how many: at most 8 */
} tree_block;

typedef struct tree {
  int32_t n; /* bodies, Ground included */
  int32_t nq, nu;
  int32_t nH, nG, nD; /* reals in all */
  int32_t n_custom, n_quaternions;
  int32_t n_blocks;
  tree_node *node;
  tree_block *block;
} tree;

/* One body's constants at Instance stage, re-expressed once for the M frames: where F is in the parent's M frame, and
 * the parameters of the mobilizer; */
typedef struct body_frames {
  real R_PF[9]; /* by columns */
  real p_PF[3];
  real kind[6]; /* what the mobilizer's parameters say; see its file */
} body_frames;

/* and its inertia about M's origin, in M's axes. */
typedef struct body_mass {
  real I[6], mc[3], m; /* I, mass times centre of mass, mass */
  real armature;
  real massless; /* 1 where the body adds no inertia of its own, else 0 */
} body_mass;

/* Massless is a property shared by all lanes of a batch, so branching on it is allowed. */
CDNI_INLINE bool body_is_massless(const body_mass *c) { return r_any(r_greater(c->massless, r_set(0))); }

typedef struct body_pose {
  m3 R_GM;
  v3 p_GM;
  v3 r; /* from the parent's M origin to this one's */
} body_pose;

typedef struct body_twist {
  sv V;     /* of M's origin */
  sv a_cor; /* acceleration that udot = 0 leaves relative to the parent's (Coriolis, centrifugal) */
} body_twist;

typedef struct body_articulated {
  articulated_inertia P; /* with all children, before the projection on this body's own mobilities */
  real scale_J, scale_M; /* magnitudes from which pivots of D are judged */
} body_articulated;

/* What the ops of a function-based or custom mobilizer gave, in F's axes (M's, if it is reversed): the caller of a pass
 * fills these records first. */
typedef struct custom_across {
  m3 R; /* X_FM */
  v3 p;
  sv H[6];
  sv bias; /* Hdot u: for the velocity pass */
} custom_across;

/* What a pass reads and writes. Not every pass uses every member. */
typedef struct tree_data {
  const body_frames *frames;
  const body_mass *mass;
  const real *q, *u;
  const custom_across *custom;
  body_pose *pose;
  real *H;
  rigid_inertia *inertia; /* re-expressed in Ground */
  body_twist *twist;
  body_articulated *articulated;
  real *G, *D_inv;
  const sv *force;   /* a body, at M's origin; NULL: none */
  const real *f_mob; /* nu; NULL: none */
  sv *z, *A;         /* nb each: bias forces and accelerations */
  real *eps;         /* nu */
  real *udot;        /* nu; `forward` finds those of prescribed mobilizers here */
  /* Not zero for bodies whose mobilizer's udot is known (12.5.1); NULL if there are none. All lanes alike. */
  const int32_t *prescribed;
  const articulated_inertia *added; /* by body: comes to what is articulated; NULL: nothing */
} tree_data;

/* The factors that M^-1 is made of, one record a mobility: M^-1 = (1 - H psi K)^T D^-1 (1 - H psi K). */
enum { MOST_MOBILITIES = 6 };
typedef struct mobility_factor {
  sv h;                        /* the column of H */
  sv g;                        /* of G = P H D^-1, at M's origin */
  real D_inv[MOST_MOBILITIES]; /* the row of the mobilizer's D^-1 */
} mobility_factor;

struct derivative_pass;

/* The passes, compiled for several instruction sets and numbers of lanes. X(result, name, arguments). Those that factor
 * D leave in *singular, for each lane, the index of the first body they met whose mobilizer has no inertia to work
 * against, or -1. */
/* clang-format off */
#define TREE_KERNEL_LIST(X)                                                                                                   \
  X(void, position, const tree *t, const tree_data *d)  /* q -> pose, H */                                                    \
  X(void, inertia, const tree *t, const tree_data *d)   /* pose -> inertia */                                                 \
  X(void, velocity, const tree *t, const tree_data *d)  /* u -> twist */                                                      \
  X(void, articulate, const tree *t, const tree_data *d, rmask *singular) /* inertia -> articulated, G, D_inv */                                \
  /* force, f_mob -> udot, A; fills articulated, G, D_inv unless factored */                                                  \
  X(void, forward, const tree *t, const tree_data *d, bool factored, rmask *singular)                                                           \
  /* of bodies from `first` on and before `end`, each with its parent, or on Ground: force, f_mob -> udot = M^-1 of them,    \
   * and its motion A; fills articulated, G, D_inv unless factored */                                                         \
  X(void, solve, const tree *t, const tree_data *d, int first, int end, bool factored, rmask *singular)                       \
  X(void, inverse, const tree *t, const tree_data *d, bool with_velocity, real *f) /* udot (NULL: 0) -> f */                  \
  X(void, multiply_N, const tree *t, const real *q, const real *u, real *qdot) /* not for bodies that ops describe */ \
  X(void, jacobian, const tree *t, const tree_data *d, const real *u, sv *V)       /* V = J u at M origins */                 \
  X(void, jacobian_transpose, const tree *t, const tree_data *d, real *f)          /* z (destroyed) -> f = J^T z */
/* Of one State: matrices, row-major. */
#define TREE_KERNEL_ONE_LANE_LIST(X)                                                                                          \
  /* pose, without p_GM, and H of `n` bodies, each after its parent */                                                         \
  X(void, position_of_path, const tree *t, const tree_data *d, const int32_t *path, int n)                                    \
  /* the rows of a point at r from a body's M origin, in columns of mobilities inboard of it; of a station those of v alone */ \
  X(void, jacobian_rows, const tree *t, const tree_data *d, int body, v3 r, bool station, double *J)                          \
  X(size_t, mass_matrix_scratch, const tree *t) /* bytes */                                                                   \
  X(void, mass_matrix, const tree *t, const tree_data *d, void *scratch, double *M)                                           \
  /* derivatives.h: columns, A and each body's own sums; eta, alpha and beta, where T and dc of joints that turn are there;   \
   * the matrices */                                                                                                          \
  X(void, derivatives_start, const struct derivative_pass *p, const tree_data *d, const sv *force)                            \
  X(void, derivatives_motion, const struct derivative_pass *p)                                                                \
  X(size_t, derivatives_scratch, const tree *t) /* bytes */                                                                   \
  X(void, derivatives_fill, const struct derivative_pass *p, const body_mass *mass, void *scratch)                            \
  /* M (lower triangle, 1 / D on the diagonal) = L^T D L, in place; X = scale M^-1 X for so many columns */                   \
  X(void, mass_factor, const tree *t, double *M)                                                                              \
  /* C += by A B; elements of A are `down` and `right` apart, and its zeros are skipped; rows of B and C are `columns` apart */  \
  X(void, add_product, int rows, int inner, int columns, double by, const double *A, size_t down, size_t right,               \
    const double *B, double *C)                                                                                               \
  X(size_t, mass_solve_scratch, const tree *t) /* bytes; enough for both */                                                   \
  X(void, mass_solve, const tree *t, const double *L, double scale, double *X, int columns, void *scratch)                    \
  X(void, mass_solve_deep, const tree *t, const body_pose *pose, const mobility_factor *factor, double scale, double *X,           \
    int columns, void *scratch)
/* clang-format on */

typedef struct tree_kernels {
  const char *name;
#define TREE_KERNEL_MEMBER(result, name, ...) result (*name)(__VA_ARGS__);
  TREE_KERNEL_LIST(TREE_KERNEL_MEMBER)
  TREE_KERNEL_ONE_LANE_LIST(TREE_KERNEL_MEMBER)
#undef TREE_KERNEL_MEMBER
} tree_kernels;

#endif
