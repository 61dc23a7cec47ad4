/* shared by tests in this folder */
/* The matrix: every feature that takes part in the equations of motion, crossed in pairs, with every question that can
 * be asked of a State.
 *
 * A feature is a row of a table (features_*.c) and adds itself to a random tree whose pose is known; a question is a
 * row of another (questions.c). A feature's row says what it refuses; what is known to be wrong is a table, too
 * (expected.c). test_matrix.c crosses them. */
#ifndef CARDAN_TESTS_MATRIX_H
#define CARDAN_TESTS_MATRIX_H

#include "../../testing.h"

/* Kinds that no row covers do not compile: switches over enums have no default. */
#pragma GCC diagnostic error "-Wswitch"

/* ---- scenes ---- */

typedef struct feature feature;
enum { SCENE_MOST_BODIES = 16 };

/* A random tree with places for features: joints of known kinds, in a pose that is known while the System is built. */
typedef struct scene {
  cdn_system *system; /* being built; its State keeps it afterwards */
  cdn_state *state;   /* NULL: it could not be frozen */
  const feature *feature[2];
  int features, now;                  /* number of features; which one of them is being called */
  int32_t id[2];                      /* whatever a feature wants to remember */
  const char *element[2];             /* that features have added: what messages name */
  cdn_body pin, slider, ball;         /* a chain on a body of the random tree */
  cdn_body cylinder, loose[2];        /* on Ground; loose are free joints, the second one with angles */
  int size, n_taken, n_pairs;         /* bodies of the random tree; of coordinates and pairs what features have taken */
  const char *odd_joint;              /* a joint of a kind that some questions refuse, or NULL */
  cdn_transform X[SCENE_MOST_BODIES]; /* of all bodies in Ground */
  double q[7 * SCENE_MOST_BODIES];    /* the pose */
  int first_q[SCENE_MOST_BODIES];
  double u_size;     /* speeds are random up to this */
  bool unsettled;    /* no statuses agree beside its soft rows, which is said by name */
  double speeds_off; /* how far they were from what features ask for */
  cdn_contact_def contact;
  cdn_soft_def soft;
  bool has_contact, has_soft;
  uint64_t seed;
  void *random; /* rng */
} scene;

/* Builds it; state NULL if freezing refuses (cdn_last_error_text). */
void scene_build(scene *s, const feature *const *features, int n, int size, uint64_t seed);
void scene_drop(scene *s);
/* Random numbers, the same on every machine. */
double scene_number(scene *s, double low, double high);
cdn_vec3 scene_vec3(scene *s, double size);
cdn_rotation scene_rotation(scene *s);
/* A coordinate of a body in the pose. */
double scene_q(const scene *s, cdn_body body, int k);
/* A place of Ground on a body. */
cdn_vec3 scene_station(const scene *s, cdn_body body, cdn_vec3 p_G);
cdn_transform scene_frame(const scene *s, cdn_body body, cdn_transform X_GF);
/* A path of that name past a sphere and a cylinder, with a pulley, over four bodies and Ground; and its length. */
cdn_path scene_cable(scene *s, const char *name, double *length);
/* Two bodies, others at each call: equations between them do not depend on those between the others. */
void scene_pair(scene *s, cdn_body *a, cdn_body *b);
/* A coordinate that is a pin's, a slider's or a cylinder's, another joint at each call. */
cdn_mobility scene_coordinate(scene *s);

/* ---- features ---- */

/* A question that a feature refuses, by CDN_ERR_UNSUPPORTED and a message that names what it is about. */
typedef struct refusal {
  const char *question, *method; /* of methods NULL: all. A list ends with a question NULL */
  const char *text;              /* what the message has; NULL: the element of the scene */
} refusal;

typedef enum contact_need { ANY_CONTACT, COMPLIANT_CONTACT, SOFT_CONTACT, RIGID_CONTACT } contact_need;

struct feature {
  const char *name;
  void (*add)(scene *s);
  void (*begin)(scene *s, cdn_state *state); /* locks, discrete variables; may be NULL */
  /* Adds forces that cdn_residual and the functions of soft rows and constraints do not know; may be NULL. */
  void (*forces)(scene *s, cdn_state *state, cdn_spatial *F_G, double *f);
  /* How far its own equations are from being satisfied, relative to their terms; may be NULL. */
  double (*law)(scene *s, cdn_state *state);
  contact_need contact; /* a System has one model of contact, beside which pairs may be rigid */
  /* The library differences its forces, with steps of 6e-6: what varies within millimetres is known less exactly. */
  bool differenced;
  const refusal *refuses; /* NULL: nothing */
  bool soft, exact;       /* has soft rows; has exact ones */
  bool settles;           /* has statuses, which follow from the State once it is complete */
  bool tip; /* pulls at two points until they meet, where its force jumps and is as stiff as one likes: an equilibrium
             * there is told only up to some stiffness (docs/equilibrium.md) */
  const void *data;
};

typedef struct feature_table {
  const feature *rows;
  int n;
} feature_table;
feature_table force_features(void), soft_features(void), contact_features(void), constraint_features(void),
    motion_features(void), own_features(void), actuator_features(void), hybrid_features(void);
/* Fails unless each kind of geometry touches something in the table of contact. */
void contact_features_have_all_kinds(void);
int feature_count(void);
const feature *feature_at(int i);
/* The first coordinate and speed of a joint as they act: those that are prescribed, too. */
static inline double q_of(cdn_state *state, cdn_body body) {
  const double *q = cdn_state_q_eff(state);
  return q ? q[cdn_body_first_q(cdn_state_system(state), body)] : NAN;
}
static inline double u_of(cdn_state *state, cdn_body body) {
  const double *u = cdn_state_u_eff(state);
  return u ? u[cdn_body_first_u(cdn_state_system(state), body)] : NAN;
}
/* The feature that is being called. */
static inline const feature *scene_feature(const scene *s) { return s->feature[s->now]; }

/* ---- questions ---- */

/* A pair of features on a tree, and what became of the question that is being asked. */
typedef struct cell {
  scene *s;
  cdn_state *state, *other; /* the latter to change */
  int nq, nu, nz, nb, m;
  double *q, *u, *z, *udot, *qdot, *zdot, *lambda, t;
  bool *prescribed;  /* nu */
  double *reference; /* y at the end of a short run, once a method has been asked for */
  int turn;          /* which of several methods a question takes */
  const char *method;
  void *random;
  bool idle;                     /* there was nothing to ask */
  bool unsettled;                /* forces bend so near that differences tell nothing: few cells may be so */
  char wrong[400], refused[600]; /* "": it is not */
} cell;

typedef struct question {
  const char *name;
  void (*ask)(cell *c);
  int turns; /* of how many methods it takes one: 1, if it takes none */
  int every; /* within the suite it is asked of one pair in so many: 1 of each */
} question;
int question_count(void);
const question *question_at(int i);

/* For questions. Whether the call succeeded; if not the cell knows what it said. */
bool cell_call(cell *c, cdn_status status, const char *call);
#define ASK(call)                             \
  do {                                        \
    if (!cell_call(c, (call), #call)) return; \
  } while (0)
/* The answer is wrong unless each of n numbers is within tolerance times `scale` of what it should be. */
void cell_near(cell *c, const char *what, const double *got, const double *want, int n, double scale, double tolerance);
void cell_wrong(cell *c, const char *format, ...);
/* There is nothing of that sort in the cell. */
static inline void cell_skip(cell *c) { c->idle = true; }
/* The largest magnitude of n numbers, and of `least`. */
double largest_of(const double *x, int n, double least);
/* Numbers that live until the question has been answered. */
double *cell_room(cell *c, size_t n);
void cell_random(cell *c, double *x, int n);
bool cell_is_differenced(const cell *c);
/* Of exact derivatives against differences; of what is solved by iteration; of what the library differences itself. */
double cell_derivative_tolerance(const cell *c);
bool cell_open(cell *c, scene *s, int turn);
void cell_close(cell *c);

void ask_equations(cell *c), ask_inverse(cell *c), ask_tau(cell *c), ask_reactions(cell *c), ask_power(cell *c),
    ask_contributions(cell *c), ask_laws(cell *c), ask_total(cell *c);
void ask_udot_derivatives(cell *c), ask_tau_derivatives(cell *c), ask_multiplier_derivatives(cell *c),
    ask_zdot_derivatives(cell *c), ask_qdot_derivatives(cell *c), ask_step_derivatives(cell *c),
    ask_control_derivatives(cell *c), ask_regressors(cell *c);
void ask_method(cell *c), ask_step_inverse(cell *c), ask_lanes(cell *c), ask_lanes_advance(cell *c), ask_copy(cell *c),
    ask_checkpoint(cell *c), ask_run_checkpoint(cell *c), ask_vector(cell *c), ask_run_vector(cell *c),
    ask_invertible(cell *c);
void ask_linearization(cell *c), ask_eigenvalues(cell *c), ask_normal_modes(cell *c), ask_equilibrium(cell *c),
    ask_impulses(cell *c), ask_goals(cell *c), ask_verdict(cell *c);
/* A stepper at c->state whose next step is exactly h, or that controls errors if h is 0; false if it refuses. */
bool cell_stepper(cell *c, cdn_state *from, cdn_method method, double h, cdn_stepper **out);
/* y of a State; and how far two are apart in the norm that accuracy is about. */
void cell_y(const cell *c, const cdn_state *state, double *y);
double cell_distance(const cell *c, const double *a, const double *b);
/* Moves `other` to the cell's State, displaced along a direction (nu, nu and nz numbers) by h. */
typedef struct direction {
  const double *q, *u, *z, *f; /* NULL: not along these */
} direction;
bool cell_move(cell *c, const direction *d, double h);

/* ---- what is expected ---- */

/* Whether it is refused, and what the message has to name, any of two; texts NULL: no refusal is expected. */
typedef struct expectation {
  const char *text[2];
} expectation;
expectation expected_refusal(const cell *c, const scene *s, const char *asked);
/* Why a cell is known to be wrong; NULL: it is not. */
const char *known_failure(const cell *c, const scene *s, const char *asked);

#endif
