/* Soft elements: limits, friction losses, equalities. Private to the files of soft rows. */
#ifndef CARDAN_SOFT_ROOM_ELEMENTS_H
#define CARDAN_SOFT_ROOM_ELEMENTS_H

#include <cardan/soft_elements.h>

#include "contact/contact.h"
#include "matter/matter.h"
#include "paths/paths.h"
#include "soft/impedance.h"
#include "soft/rows.h"
#include "system/elements.h"

#define SOFT_ELEMENT_LIST(X)    \
  X(LIMIT, limit)               \
  X(BALL_LIMIT, ball_limit)     \
  X(LOSS, loss)                 \
  X(CONNECT, connect)           \
  X(WELD, weld)                 \
  X(COUPLE, couple)             \
  X(TENDON_LIMIT, tendon_limit) \
  X(TENDON_LOSS, tendon_loss)   \
  X(PATH_LIMIT, path_limit)     \
  X(PATH_LOSS, path_loss)       \
  X(PATH_COUPLE, path_couple)   \
  X(PATH_INERTIA, path_inertia)
typedef enum soft_element_kind_id {
#define SOFT_ELEMENT_ENUM(ENUM, name) SOFT_ELEMENT_##ENUM,
  SOFT_ELEMENT_LIST(SOFT_ELEMENT_ENUM)
#undef SOFT_ELEMENT_ENUM
      SOFT_ELEMENT_KINDS
} soft_element_kind_id;

/* One element. Slots are matter's. */
typedef struct soft_element {
  char *name;
  int32_t kind, first_param;
  int32_t body[2];                   /* joints or ends; -1: none */
  int32_t q[2], u[2];                /* of coordinates; a friction loss: u[0], -1 for each mobility */
  int32_t first_term, terms, tendon; /* of a tendon: its joints in the room's list, and its number */
  int32_t path[2];                   /* of a tendon that is a path, or of two, whose numbers follow; -1: none */
} soft_element;

/* The last parameters of every kind: the law, and whether it is enabled. A ref of numbers that are not positive is in
 * 1/s^2 and 1/s. */
enum { LAW_REF, LAW_IMP = 2, LAW_ENABLED = 7, LAW_NUMBERS };
/* clang-format off */
#define SOFT_LAW_TABLE                                                                            \
  CDNI_ANY("ref[0]", "s"), CDNI_ANY("ref[1]", "1"),                                                 \
  { "imp[0]", "1", 0, 1, 0, 0, NULL }, { "imp[1]", "1", 0, 1, 0, 0, NULL }, CDNI_NOT_NEGATIVE("imp[2]", "m|rad"), \
  { "imp[3]", "1", 0, 1, 0, 0, NULL }, CDNI_NOT_NEGATIVE("imp[4]", "1"),                          \
  { "enabled", "1", 0, 1, 0, 0, "0 switches it off" }
/* clang-format on */
enum { SOFT_MOST_PARAMS = CDN_SOFT_MOST_TERMS + 3 + LAW_NUMBERS };

/* A joint of a tendon. */
typedef struct tendon_term {
  int32_t body, q, u;
} tendon_term;

/* An element in a State that is being evaluated. */
typedef struct soft_element_view {
  const matter *m;
  cdn_state *state;
  const soft_element *e;
  const double *params;
  tree_data d;
  inverse_weights weights;
  const tendon_term *terms; /* of the element */
  /* c^T M^-1 c of a tendon's coefficients or moments c, at the default coordinates; of two paths one each */
  const double *tendon_weight;
  const path_room *paths;
  soft_law law;
  double safe;  /* the least time constant */
  double onset; /* the depth over which limits set in */
  bool rates;   /* terms of J that change with time count. Otherwise rows are MuJoCo 2.2.2's */
  cdn_status (*add)(void *to, const soft_group *g);
  void *to;
  int32_t number;
} soft_element_view;

/* The rotation of a ball or free joint, whose coordinates are a quaternion or angles about x, y', z'. */
static inline cdn_rotation cdni_soft_rotation(const tree_node *node, const double *q) {
  if (node->quaternion) return cdn_rotation_from_quaternion((cdn_quaternion){ q[0], q[1], q[2], q[3] });
  const cdn_rotation x = cdn_rotation_axis_angle(cdn_v3(1, 0, 0), q[0]);
  const cdn_rotation y = cdn_rotation_axis_angle(cdn_v3(0, 1, 0), q[1]);
  return cdn_rotation_multiply(cdn_rotation_multiply(x, y), cdn_rotation_axis_angle(cdn_v3(0, 0, 1), q[2]));
}
static inline cdn_quaternion cdni_soft_quaternion(const tree_node *node, const double *q) {
  if (node->quaternion) return (cdn_quaternion){ q[0], q[1], q[2], q[3] };
  return cdn_quaternion_from_rotation(cdni_soft_rotation(node, q));
}

struct soft_element_room;
typedef struct soft_element_kind {
  const char *name;
  int n_params; /* LAW_NUMBERS included */
  const cdni_parameter *params;
  /* The unit of parameter k, where the table has none; may be NULL. */
  void (*unit_of)(const struct soft_element_room *room, const soft_element *e, int k, char *text, size_t size);
  /* NULL, or why numbers do not go together. */
  const char *(*check)(const double *params);
  cdn_status (*add_groups)(const soft_element_view *v);
} soft_element_kind;

/* What an entry lacks; NULL: nothing. Its elements are refused. */
const char *cdni_soft_element_kind_lacks(const soft_element_kind *kind);
extern const soft_element_kind *const cdni_soft_element_kinds[SOFT_ELEMENT_KINDS];

#define SOFT_ELEMENT_EXTERN(ENUM, name) extern const soft_element_kind cdni_soft_element_##name;
SOFT_ELEMENT_LIST(SOFT_ELEMENT_EXTERN)
#undef SOFT_ELEMENT_EXTERN

typedef struct soft_element_room {
  cdni_array elements; /* soft_element */
  cdni_array defaults; /* double */
  cdni_array terms;    /* tendon_term */
  int n_tendons;
  cdn_cache tendon_weights;
  const path_room *paths;
  bool has_paths; /* an element is along a path */
  const matter *matter;
  cdn_dvar params;
} soft_element_room;

/* NULL: none were added. */
const soft_element_room *cdni_soft_element_room(const cdn_system *system);
/* What the groups depend on beside poses, speeds and masses: the parameters of all elements; how light tendons are. */
cdn_ticket cdni_soft_element_ticket(const soft_element_room *room);
cdn_ticket cdni_soft_tendon_ticket(const soft_element_room *room);
/* Adds the groups of the enabled elements in their order, each by add(to, ...). */
cdn_status cdni_soft_element_groups(const soft_element_room *room, cdn_state *state, double safe, double onset,
                                    bool rates, cdn_status (*add)(void *to, const soft_group *g), void *to);

/* ---- for the kinds ---- */

/* An element that is being added. */
typedef struct soft_adder {
  cdni_adder by;
  soft_element_room *room;
  soft_element element;
} soft_adder;
/* `unreadable`: why the def cannot be read, or NULL. */
void cdni_soft_element_begin(soft_adder *a, cdn_system *system, soft_element_kind_id kind, const char *function,
                             const char *name, const char *unreadable);
/* Body or coordinate number `place` (0 or 1) of the element. */
void cdni_soft_element_add_body(soft_adder *a, int place, cdn_body body);
void cdni_soft_element_add_coordinate(soft_adder *a, int place, cdn_body body, int k);
/* One more joint of a tendon. */
void cdni_soft_element_add_term(soft_adder *a, cdn_body body, int k);
/* The element is along path number `place` (0 or 1), after it any before. */
void cdni_soft_element_add_path(soft_adder *a, int place, cdn_path path);
/* `params` has the kind's own numbers; the law and the switch follow. */
cdn_soft_element cdni_soft_element_add(soft_adder *a, double params[SOFT_MOST_PARAMS], const cdn_soft_law *law,
                                       bool disabled);

/* A group with nothing in it. */
static inline soft_group cdni_soft_element_group(const soft_element_view *v, soft_kind kind, int rows) {
  return (soft_group){ .s = { .kind = kind, .rows = rows }, .element = v->number + 1 };
}
/* Of a row with the violation x and its rate: D and aref. */
static inline void cdni_soft_element_row(soft_group *g, int k, const soft_response *a, double weight, double x,
                                         double rate) {
  g->about[k] = weight;
  g->s.D[k] = 1 / cdni_soft_regularisation(a->d, weight);
  g->ref[k] = -a->B * rate - a->K * a->d * x;
}

/* Of a group of one row on mobilities, with constant coefficients: how it varies is known. */
static inline void cdni_soft_element_know(soft_group *g, const soft_response *a, bool by_place) {
  g->known = 1;
  g->damping = a->B;
  if (by_place) g->stiffness = a->stiffness, g->growth = a->growth;
}

#endif
