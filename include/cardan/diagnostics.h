/* Cardan: what is the matter with a State or a run: how well forward and inverse dynamics agree, why shapes that are
 * near each other push each other or do not, where the time goes. cdn_certificate (stepper.h) has what a run as a whole
 * is worth, cdn_failure why it failed. docs/diagnostics.md introduces them.
 *
 * I want to
 *   know how well the accelerations solve the equations of motion: cdn_calc_imbalance
 *   know why shapes that are near push each other or do not: cdn_near_pairs, cdn_near_pair_text
 *   measure the time of each computed value, by subsystem: cdn_state_set_timed, cdn_state_get_time
 *   — of a run: cdn_stepper_set_timed, cdn_stepper_get_time */
#ifndef CARDAN_DIAGNOSTICS_H
#define CARDAN_DIAGNOSTICS_H

#include <cardan/contact.h>
#include <cardan/stepper.h>

CDN_BEGIN_DECLS

/* ---- forward and inverse dynamics -------------------------------------------------------------- */

/** By how much the State's accelerations miss the equations of motion. Later releases append members. */
typedef struct cdn_imbalance {
  double largest; /**< the largest generalized force that is missing, N or N m */
  double scale;   /**< the largest generalized force among those that should add up to zero, N or N m */
  char slot[96];  /**< the speed that `largest` belongs to, or "" */
} cdn_imbalance;
/** Inverse dynamics at the State's own udot, M udot + f_bias, less the forces of force elements, those that soft rows
 *  have at this udot, of constraints and of motions: zero if the forward dynamics were exact. Soft rows are solved by
 *  iterations, so this tells how well (MuJoCo's fwdinv flag). f (nu) receives the missing forces; NULL: only the
 *  summary. Realizes Acceleration. Errors: those of cdn_residual. O(bodies + rows + constraints). */
CDN_SIZED(cdn_calc_imbalance, (cdn_state *state, double *f, cdn_imbalance *out), (state, f, out), out);

/* ---- near pairs ---------------------------------------------------------------------------------- */

/** Why two shapes that are near each other have a force between them, or have none. */
typedef enum cdn_near_reason {
  CDN_NEAR_FORCE,   /**< they push each other */
  CDN_NEAR_RULE,    /**< a rule keeps them from touching: cdn_near_pair.rule */
  CDN_NEAR_OFF,     /**< one of them is switched off in this State */
  CDN_NEAR_APART,   /**< they do not overlap, nor come nearer than their margin */
  CDN_NEAR_NO_PUSH, /**< they have a contact whose force is zero: they part, or they are in the gap of the margin */
  CDN_NEAR_NO_LAW,  /**< they overlap, and no law of contact is known for these two kinds of shapes */
  CDN_NEAR_COUNT
} cdn_near_reason;

/** Two shapes. The struct never changes. */
typedef struct cdn_near_pair {
  cdn_shape a, b;         /**< a.i < b.i */
  double distance;        /**< m; negative: how deep they overlap */
  double force;           /**< sum of the normal forces of their contacts, N */
  cdn_near_reason reason; /**< why they do not touch, or that they do */
  cdn_contact_rule rule;  /**< CDN_RULE_NONE unless reason is CDN_NEAR_RULE */
} cdn_near_pair;
/** Lists pairs of shapes that are at most `within` (m, >= 0) apart, without those of one piece (CDN_RULE_ONE_PIECE):
 *  at most `room` of them into `out`, by their numbers; *n is how many there are. Two half-spaces are no pair. Realizes
 *  what contact forces need. Errors: CDN_ERR_ARG, and those of realization. O(shapes^2) tests of boxes: for looking,
 *  not for every step. */
CDN_API cdn_status cdn_near_pairs(cdn_state *state, double within, int room, cdn_near_pair *out, int *n) CDN_NODISCARD;
/** Writes what it says in a sentence without a full stop, such as "'foot' and 'floor' overlap by 0.01 m, and may not
 *  touch: one body is the other's parent", cut to `size` bytes. */
CDN_API void cdn_near_pair_text(const cdn_system *system, const cdn_near_pair *pair, char *text, size_t size);

/* ---- time ------------------------------------------------------------------------------------------ */

/** Starts measuring the time of every computed value of this State, from zero; false: ends it and forgets. A State
 *  that is timed takes two looks at the clock, about 50 ns, for each computation; others take none. The results have
 *  the same bits. Copies are not timed. CDN_ERR_NOMEM. */
CDN_API cdn_status cdn_state_set_timed(cdn_state *state, bool timed) CDN_NODISCARD;
/** Times of a computed value. Later releases append members. */
typedef struct cdn_entry_time {
  int64_t count;   /**< how often it was computed */
  double seconds;  /**< without what it asked for itself: so times add up */
  cdn_stage stage; /**< at which it is computed at the latest; Empty: when it is asked for */
} cdn_entry_time;
/** Writes the times of a ticket (1 to cdn_system_ticket_count - 1; cdn_ticket_name has its name, "subsystem.entry"), or
 *  of ticket 0: all that is outside of computations, such as the method and the caller, since cdn_state_set_timed.
 *  CDN_ERR_ARG: the State is not timed, or there is no such ticket. O(1). */
CDN_SIZED(cdn_state_get_time, (const cdn_state *state, cdn_ticket ticket, cdn_entry_time *out), (state, ticket, out),
          out);
/** The same of a run: of the State in which the stepper takes its steps, rejected ones too, without reports and without
 *  its companion. Call it between calls of advance. */
CDN_API cdn_status cdn_stepper_set_timed(cdn_stepper *stepper, bool timed) CDN_NODISCARD;
CDN_SIZED(cdn_stepper_get_time, (const cdn_stepper *stepper, cdn_ticket ticket, cdn_entry_time *out),
          (stepper, ticket, out), out);

CDN_END_DECLS
#endif
