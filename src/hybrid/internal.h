/* Shared by the files of hybrid mechanics. Private to the room. */
#ifndef CARDAN_HYBRID_INTERNAL_H
#define CARDAN_HYBRID_INTERNAL_H

#include "constraints/elements.h"
#include "contact/rigid.h"
#include "hybrid/cones.h"
#include "hybrid/hybrid.h"
#include "system/elements.h"

typedef struct one_sided {
  char *name;
  int32_t constraint;
  bool speed;                   /* its equation is at velocity level: a ratchet */
  double sign;                  /* its gap is sign times the constraint's error */
  const cdn_function *by_speed; /* NULL: none */
} one_sided;
enum { ONE_SIDED_RESTITUTION, ONE_SIDED_CAPTURE, ONE_SIDED_STIFFNESS, ONE_SIDED_PARAMS };

typedef struct dry_friction {
  char *name;
  int32_t slip, normal, reaction; /* constraint; one-sided element and constraint, or -1 */
  int32_t n;                      /* equations, at most CONE_MOST_TANGENTS */
  bool shares;              /* its normal has an earlier friction (spin, rolling), or no room for it in its cone */
  const char *part;         /* of a slot's contact: "", " spin", " rolling"; static storage */
  int32_t mobilizer, joint; /* whose mobilizer presses: a body, or -1; its place among such frictions, or -1 */
  v3 axis;                  /* in its frame M: a unit vector; only the force across it presses. 0: all */
} dry_friction;
enum {
  FRICTION_LOAD,
  FRICTION_STATIC,
  FRICTION_DYNAMIC,
  FRICTION_VISCOUS,
  FRICTION_RATIO,
  FRICTION_LENGTH,
  FRICTION_PARAMS
};

/* A force along the row of `push`, a constraint that never holds, which keeps a reaction: a multiplier, or (constraint
 * -1) the part along `axis` of what a mobilizer transmits. */
typedef struct kept_reaction {
  char *name;
  int32_t push, constraint, equation, mobilizer, joint;
  v3 axis;
  int32_t sense; /* 1: at least the value, -1: at most, 0: exactly */
} kept_reaction;
enum { KEPT_VALUE, KEPT_PARAMS };

/* The status in a State: one number of each one-sided element (0 or 1), then six of each friction: what it does, the
 * direction of its slip (three), the speed below which the slip may have come to its end (negative: it is slower), and
 * whether it begins (slip.c). Then come two of each kept reaction: whether its force acts, and the sign of that force
 * (exactly: 0). Last comes one of each one-sided element: how far below zero its gap must be to touch. What has let go
 * slowly is near zero for a while, and rounding is no touch. */
enum {
  FRICTION_STATUS,
  FRICTION_DIRECTION,
  FRICTION_REST = FRICTION_DIRECTION + CONE_MOST_TANGENTS,
  FRICTION_BEGINS,
  FRICTION_NUMBERS
};
enum { KEPT_ACTS, KEPT_SIGN, KEPT_NUMBERS };

/* Speeds of slip below this are at rest, m/s or rad/s: what is left where others hold friction at its bound, or where
 * prescribed motions are held. */
static const double SLIP_AT_REST = 1e-12;

/* What the last moment did, behind the totals of a State: its time, when captured steps go on (0: they do not), how
 * many have been calm and how many have to be, and when they ended last; the times between the last moments and between
 * those before, and for how many moments these have become shorter; how far from a jam it has left friction that slips
 * (0: none does); then the numbers of each one-sided element and of each friction. Last come those of the flight of
 * each one-sided element (bounces.c): when it left an impact, with what part of the speed of approach, whether that was
 * the part at the impact before, and, if it is the last of a sequence, with what speed. */
enum {
  LAST_TIME,
  LAST_RESUME,
  LAST_CALM,
  LAST_NEED,
  LAST_END,
  LAST_BETWEEN,
  LAST_BEFORE,
  LAST_SHORTER,
  LAST_EASE,
  LAST_NUMBERS
};
enum {
  CHANGE_BEFORE,
  CHANGE_IMPULSE,
  CHANGE_ENERGY = CHANGE_IMPULSE + CONE_MOST_TANGENTS,
  CHANGE_A, /* of what a slot held: its shapes, and which of their features */
  CHANGE_B,
  CHANGE_FEATURE,
  CHANGE_NUMBERS
};
enum { FLIGHT_TIME, FLIGHT_RATIO, FLIGHT_STEADY, FLIGHT_LAST, FLIGHT_NUMBERS };

struct hybrid_room {
  cdni_array sides;                        /* one_sided */
  cdni_array frictions;                    /* dry_friction */
  cdni_array side_params, friction_params; /* double: defaults */
  cdni_array kept, kept_params;            /* kept_reaction; double */
  int32_t joints;                          /* what mobilizers transmit to frictions and kept reactions */
  cdn_impact_def impact;                   /* without pointers of the program */
  bool has_impact;
  cdn_impact_ops own; /* a law of the user's: `solve` is NULL if there is none */
  char *own_name;
  void *own_self;
  /* known from freezing on */
  const matter *matter;
  const constraint_room *constraints;
  cdn_subsystem subsystem;
  cdn_dvar sides_of, frictions_of, kept_of; /* the parameters */
  cdn_dvar status, totals;
  cdn_cache forces;         /* two numbers of each friction and of each kept reaction: along its equations */
  slip_answer answer;       /* of dynamics */
  int gaps, speeds, pushes; /* trigger groups */
  /* Two of each one-sided element, three of each friction, two of each kept reaction; what touches without a slot;
   * what slides off, one a slot; one of friction that jams; and one at the start. */
  int32_t first_event, jam_event, capture_event;
  /* Of rigid contact: the elements of the first slot, and how many frictions each has. */
  int32_t slots, first_slot, first_slot_friction, slot_frictions;
  const contact_room *contact;
};

static inline int hybrid_sides(const hybrid_room *room) { return (int)room->sides.count; }
static inline int hybrid_frictions(const hybrid_room *room) { return (int)room->frictions.count; }
static inline int hybrid_kept(const hybrid_room *room) { return (int)room->kept.count; }
static inline size_t hybrid_changes(const hybrid_room *room) {
  return LAST_NUMBERS + CHANGE_NUMBERS * (room->sides.count + room->frictions.count) +
         FLIGHT_NUMBERS * room->sides.count;
}
static inline const one_sided *side_at(const hybrid_room *room, int i) { return &CDNI_AT(room->sides, one_sided, i); }
static inline const dry_friction *friction_at(const hybrid_room *room, int i) {
  return &CDNI_AT(room->frictions, dry_friction, i);
}
static inline const double *side_params(const hybrid_room *room, const cdn_state *state, int i) {
  return cdn_state_parameters(state, room->sides_of) + (size_t)i * ONE_SIDED_PARAMS;
}
static inline const double *friction_params(const hybrid_room *room, const cdn_state *state, int i) {
  return cdn_state_parameters(state, room->frictions_of) + (size_t)i * FRICTION_PARAMS;
}
/* Whether a friction has a cone of its own, without a normal: nothing presses that a cone has, or its normal has
 * another friction in its cone. Then its bound follows the push of that normal. */
static inline bool friction_is_apart(const dry_friction *x) { return x->normal < 0 || x->shares; }
/* Where mu differs along the equations, the second row is multiplied by the ratio (and its force divided) in all
 * that decides about friction: there the bound is a circle, and the force points against the slip. Of equation k: */
static inline double friction_scale(const hybrid_room *room, const cdn_state *state, int i, int k) {
  return k == 1 ? friction_params(room, state, i)[FRICTION_RATIO] : 1;
}
/* The static coefficient: -1 stands for the dynamic one. */
static inline double friction_static(const double *params) {
  return params[FRICTION_STATIC] >= 0 ? params[FRICTION_STATIC] : params[FRICTION_DYNAMIC];
}
/* The statuses of all elements, and of one of these. */
static inline const double *hybrid_statuses(const hybrid_room *room, const cdn_state *state) {
  return cdn_state_discrete(state, room->status);
}
static inline const double *friction_numbers_in(const hybrid_room *room, const double *statuses, int i) {
  return statuses + hybrid_sides(room) + (size_t)i * FRICTION_NUMBERS;
}
static inline cdn_friction_status friction_status_in(const hybrid_room *room, const double *statuses, int i) {
  return (cdn_friction_status)friction_numbers_in(room, statuses, i)[FRICTION_STATUS];
}
static inline bool side_is_on(const hybrid_room *room, const cdn_state *state, int i) {
  return hybrid_statuses(room, state)[i] != 0;
}
static inline const double *friction_numbers(const hybrid_room *room, const cdn_state *state, int i) {
  return friction_numbers_in(room, hybrid_statuses(room, state), i);
}
static inline cdn_friction_status friction_status(const hybrid_room *room, const cdn_state *state, int i) {
  return friction_status_in(room, hybrid_statuses(room, state), i);
}

static inline const kept_reaction *kept_at(const hybrid_room *room, int i) {
  return &CDNI_AT(room->kept, kept_reaction, i);
}
static inline double kept_value(const hybrid_room *room, const cdn_state *state, int i) {
  return cdn_state_parameters(state, room->kept_of)[i * KEPT_PARAMS + KEPT_VALUE];
}
/* Where its numbers are in the status. */
static inline int kept_place(const hybrid_room *room, int i) {
  return hybrid_sides(room) + hybrid_frictions(room) * FRICTION_NUMBERS + i * KEPT_NUMBERS;
}
static inline int slack_place(const hybrid_room *room, int i) { return kept_place(room, hybrid_kept(room)) + i; }
static inline int hybrid_numbers(const hybrid_room *room) { return slack_place(room, hybrid_sides(room)); }
static inline bool kept_acts_in(const hybrid_room *room, const double *statuses, int i) {
  return statuses[kept_place(room, i) + KEPT_ACTS] != 0;
}
static inline bool kept_acts(const hybrid_room *room, const cdn_state *state, int i) {
  return kept_acts_in(room, hybrid_statuses(room, state), i);
}

/* The slot of rigid contact of a one-sided element, or -1; whether it holds anything in a State. */
static inline int side_slot(const hybrid_room *room, int i) {
  return i >= room->first_slot && i < room->first_slot + room->slots ? i - room->first_slot : -1;
}
static inline int friction_slot(const hybrid_room *room, int i) {
  const int at = i - room->first_slot_friction;
  return at >= 0 && at < room->slots * room->slot_frictions ? at / room->slot_frictions : -1;
}
/* The friction of a slot against sliding; those against spin and rolling follow it. */
static inline int slot_friction(const hybrid_room *room, int slot) {
  return room->first_slot_friction + slot * room->slot_frictions;
}
static inline bool side_is_there(const hybrid_room *room, const cdn_state *state, int i) {
  const int slot = side_slot(room, i);
  return slot < 0 || cdni_rigid_slot(room->contact, state, slot)->kind != RIGID_NONE;
}

extern const cdn_subsystem_ops cdni_hybrid_ops;    /* subsystem.c */
extern const cdni_elements cdni_hybrid_elements[]; /* queries.c */
/* queries.c: "foot - floor". */
void cdni_hybrid_name_shapes(const cdn_system *system, int a, int b, char *text, size_t size);
/* Appends " spin" or " rolling". */
void cdni_hybrid_name_part(const dry_friction *x, char *text, size_t size);

/* The numbers of what a mobilizer transmits: a force, and a moment over a length. Of each force that follows
 * reactions: along the equations of its constraint. */
enum { JOINT_NUMBERS = 6, FOLLOWER_NUMBERS = CONE_MOST_TANGENTS };

/* Room for the numbers of one element's equations. */
enum { HYBRID_MOST_EQUATIONS = 32 };

/* The speed of slip of a friction (n numbers; the rest is 0), the second times the ratio of its coefficients. */
cdn_status cdni_friction_slip(const hybrid_room *room, cdn_state *state, int i, double v[CONE_MOST_TANGENTS]);
/* The direction of slip: that of v, or, where v is at rest or has just turned back, that of the status. */
void cdni_friction_direction(const double *numbers, int n, const double v[CONE_MOST_TANGENTS],
                             double e[CONE_MOST_TANGENTS]);

/* changes.c: of captured steps: when they go on, s (0: they do not); how many have been calm. */
double cdni_changes_captured(const hybrid_room *room, const cdn_state *state, int which);

/* ---- impact_def.c ---- */

void cdni_impact_forget(hybrid_room *room, const cdn_allocator *a);

/* elements.c: adds the elements of the slots of rigid contact. */
cdn_status cdni_hybrid_add_slots(cdn_system *system);
/* slots.c: before a moment: what has parted loses its slot, what touches gets one. `touches`: something without a slot
 * has come to a gap of zero. span > 0: also what may touch within that time, s. */
cdn_status cdni_hybrid_renew_slots(const hybrid_room *room, cdn_state *state, bool touches, double span);

/* ---- events.c ---- */

cdn_status cdni_hybrid_declare_events(hybrid_room *room, cdn_declarer *d);
cdn_status cdni_hybrid_triggers(const hybrid_room *room, cdn_state *state, int group, double *values);

/* ---- moment.c ---- */

/* What fired: by element, which of its two events. NULL: nothing. */
typedef struct hybrid_fired {
  const bool *touches, *lets_go; /* one-sided elements */
  const bool *slips, *sticks;    /* frictions */
  const bool *turns;             /* kept reactions */
  bool shapes_touch;             /* something without a slot does */
  bool jams;                     /* friction that slips is about to have no force */
  bool captures;                 /* steps of events have failed: captured steps take over */
  bool anything;
} hybrid_fired;
/* The run of a moment: its accuracy or the size of its equal steps (0: the other one, or neither), and the time up to
 * which the State may be taken on, if moments crowd. */
typedef struct hybrid_run {
  double accuracy, step, latest;
} hybrid_run;
cdn_status cdni_hybrid_settle(const hybrid_room *room, cdn_state *state, const hybrid_run *run,
                              const hybrid_fired *fired);

#endif
