/* Shared by the files of the constraints room. Each kind of constraint is one file that defines one constraint_kind. */
#ifndef CARDAN_CONSTRAINTS_INTERNAL_H
#define CARDAN_CONSTRAINTS_INTERNAL_H

#include "constraints/elements.h"
#include "system/elements.h"

/* ---- the kinds: to add one, add its file, and its line here ---- */

#define CONSTRAINT_KIND_LIST(X)                   \
  X(ROD, rod)                                     \
  X(BALL, ball)                                   \
  X(JOINT, joint)                                 \
  X(POINT_IN_PLANE, point_in_plane)               \
  X(POINT_ON_LINE, point_on_line)                 \
  X(CONSTANT_ANGLE, constant_angle)               \
  X(CONSTANT_COORDINATE, constant_coordinate)     \
  X(CONSTANT_SPEED, constant_speed)               \
  X(CONSTANT_ACCELERATION, constant_acceleration) \
  X(PRESCRIBED_MOTION, prescribed_motion)         \
  X(CONTROLLED_COORDINATE, controlled_coordinate) \
  X(CONTROLLED_SPEED, controlled_speed)           \
  X(COORDINATE_COUPLER, coordinate_coupler)       \
  X(SPEED_COUPLER, speed_coupler)                 \
  X(POLYNOMIAL_COUPLER, polynomial_coupler)       \
  X(NO_SLIP_1D, no_slip_1d)                       \
  X(RELATIVE_ROTATION, relative_rotation)         \
  X(SLIP_ON_LINE, slip_on_line)                   \
  X(SPHERE_ON_PLANE, sphere_on_plane)             \
  X(SPHERE_ON_SPHERE, sphere_on_sphere)           \
  X(LINE_ON_LINE, line_on_line)                   \
  X(CUSTOM, custom)                               \
  X(SHAPE_CONTACT, shape_contact)

#define CONSTRAINT_KIND_ENUM(ENUM, name) CONSTRAINT_##ENUM,
typedef enum constraint_kind_id { CONSTRAINT_KIND_LIST(CONSTRAINT_KIND_ENUM) CONSTRAINT_KIND_COUNT } constraint_kind_id;
#undef CONSTRAINT_KIND_ENUM

enum { CONSTRAINT_MOST_EQUATIONS = 32, CONSTRAINT_MOST_BODIES = 16, CONSTRAINT_MOST_MOBILITIES = 64 };

/* One element, as the functions of its kind see it. Twists are valid from Velocity stage on. */
typedef struct constraint_view {
  const constraint_room *room;
  const constraint_element *c;
  cdn_state *state;
  const void *data;
  const double *params, *frames;
  const int32_t *body;
  const constraint_mobility *mobility;
  const body_pose *pose;
  const body_twist *twist;
  const double *q, *u;
  double t;
  sv *J;     /* the rows, J[k * n_bodies + b]; zero before calc_rows */
  double *g; /* the coefficients, g[k * n_mobilities + i]; zero before calc_rows */
} constraint_view;

struct constraint_change;

typedef struct constraint_kind {
  const char *name;
  /* A more precise name for one element; may be NULL. */
  const char *(*name_of)(const constraint_element *c);
  int n_params;
  const cdni_parameter *params; /* n_params; NULL: those of each element are its user's */
  /* The last of them are described by another table, of n; NULL: none. */
  const cdni_parameter *(*own_parameters)(const constraint_element *c, int *first, int *n);
  /* The unit of parameter k, where the table has none; may be NULL. */
  void (*unit_of)(const matter *m, const constraint_mobility *mobility, int k, char *text, size_t size);
  /* False, with the reason, for parameters within their limits that do not go together; may be NULL. */
  bool (*check)(const constraint_element *c, const double *params, char *reason, size_t size);
  cdn_status (*calc_position)(const constraint_view *v, double *e); /* np errors */
  cdn_status (*calc_rows)(const constraint_view *v);
  /* Turns e, which holds J V + g u, into the np + nv velocity errors; NULL: they are equal. */
  cdn_status (*finish_velocity)(const constraint_view *v, double *e);
  /* Adds the bias of the m equations. The rows are valid and may be read. Every kind has it: where the bias is zero it
   * is cdni_constraint_no_bias. */
  cdn_status (*add_bias)(const constraint_view *v, double *bias);
  /* Of one equation between positions: its error changes at most by the ways of its bodies' origins and of its
   * mobilities, and by arm[k] for each rad that body k turns, as long as it changes by less than `error`. NULL: not
   * known. */
  void (*find_arms)(const constraint_view *v, double error, double *arm);
  /* Adds the derivatives of rows and bias along a change (derivatives.h); NULL: rows and bias are differenced. */
  cdn_status (*vary)(const constraint_view *v, const struct constraint_change *change);
  void (*destroy)(void *data);
} constraint_kind;

#define CONSTRAINT_KIND_EXTERN(ENUM, name) extern const constraint_kind cdni_constraint_##name;
CONSTRAINT_KIND_LIST(CONSTRAINT_KIND_EXTERN)
#undef CONSTRAINT_KIND_EXTERN

extern const constraint_kind *const cdni_constraint_kinds[CONSTRAINT_KIND_COUNT];
/* What an entry lacks that its other columns, or np equations between positions, call for; NULL: nothing. Its elements
 * are refused. */
const char *cdni_constraint_kind_lacks(const constraint_kind *kind, int np);
cdn_status cdni_constraint_no_bias(const constraint_view *v, double *bias);
/* The calc_rows of kinds whose one row is that of a mobility. */
cdn_status cdni_constraint_slot_row(const constraint_view *v);

/* ---- the room ---- */

extern const cdn_subsystem_ops cdni_constraints_ops;
extern const cdni_elements cdni_constraint_elements[]; /* parameters.c */

/* ---- adding, with the checks that all kinds share ---- */

typedef struct constraint_adder {
  cdni_adder by;
  constraint_room *room;
  constraint_element element;
  int32_t body[CONSTRAINT_MOST_BODIES];
  constraint_mobility mobility[CONSTRAINT_MOST_MOBILITIES];
} constraint_adder;

/* Starts to add an element with so many equations. */
void cdni_constraint_begin(constraint_adder *a, cdn_system *system, constraint_kind_id kind, const char *function,
                           const char *name, int np, int nv, int na);
/* Adds a body that the element names; returns its place in the list of these bodies. */
int cdni_constraint_add_body(constraint_adder *a, cdn_body body);
/* Adds two different bodies. */
void cdni_constraint_add_pair(constraint_adder *a, cdn_body body_a, cdn_body body_b);
/* Adds mobility k of a body; and coordinate k of a body, whose rate must be a speed. Returns its place in the list. */
int cdni_constraint_add_mobility(constraint_adder *a, cdn_body body, int k);
int cdni_constraint_add_coordinate(constraint_adder *a, cdn_body body, int k);
/* Ends the addition: checks the parameters and copies everything. Returns { -1 } if anything was wrong. There are
 * a->element.n_params parameters: as many as the kind has, unless the caller changed it. data may be NULL. What data
 * owns becomes the element's only on success. */
cdn_constraint cdni_constraint_add(constraint_adder *a, const void *data, size_t data_size, const double *params);
/* Sets all parameters of an element, which must be of this kind. */
cdn_status cdni_constraint_set(cdn_state *state, cdn_constraint constraint, constraint_kind_id kind,
                               const char *function, const double *params);
/* The parameters of a constraint; NULL if there is no such constraint, or it is of another kind. */
const double *cdni_constraint_params(const cdn_state *state, cdn_constraint constraint, constraint_kind_id kind);

/* ---- evaluating ---- */

const char *cdni_constraint_kind_name(const constraint_element *c);
/* Fails because an element has no equations in this State; `what` is the reason. */
cdn_status cdni_constraint_singular(const constraint_view *v, const char *what);
/* look.c: element i with its rows in scratch of the State, which the caller gives back (v->J). Evaluates twists. */
cdn_status cdni_constraint_take_rows(const constraint_room *room, cdn_state *state, int i, constraint_view *v);
/* A view of element i, without evaluating anything. */
constraint_view cdni_constraint_view(const constraint_room *room, cdn_state *state, int i);
/* J V + g u of the k-th equation of a view with rows. */
double cdni_constraint_row_rate(const constraint_view *v, int k);
/* The bias of each equation of the plan; evaluates it. */
cdn_status cdni_constraint_bias(const constraint_room *room, cdn_state *state, const double **bias);

#endif
