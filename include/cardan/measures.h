/* Cardan: measures. Values computed from a State that have a name: to be read, integrated, differentiated, delayed,
 * sampled and held, to have their extremes kept, and to be used by forces and events.
 *
 * A measure is a lazy cache entry with a ticket: computed when it is asked for, never stale. What it has to remember
 * (an integral, a history) is part of the State, so copies and trial steps are right without further ado. Values are
 * 1 to CDN_MEASURE_MOST doubles. See docs/measures.md. */
#ifndef CARDAN_MEASURES_H
#define CARDAN_MEASURES_H

#include <cardan/events.h>
#include <cardan/forces.h>

CDN_BEGIN_DECLS

#define CDN_MEASURE_MOST 16

/* ---- building ---------------------------------------------------------------------------- */

/* Every adder copies what it is given and is sticky; `name` may be NULL ("measure<i>"). Operands are measures that
 * have been added before; see cdn_measure_set_operand for loops. Refused (at freezing): operands that are not there, sizes
 * that do not fit, numbers that are not finite. */

/** n numbers that never change. */
CDN_API cdn_measure cdn_system_add_constant_measure(cdn_system *system, const char *name, int n, const double *value);
/** n numbers that cdn_measure_set_value changes in a State. */
CDN_API cdn_measure cdn_system_add_variable_measure(cdn_system *system, const char *name, int n, const double *initial);
/** n numbers that somebody computes elsewhere and puts there by cdn_measure_set_value (Simbody's Result): valid until
 *  something changes that belongs to `stage` (Instance to Acceleration) or those before it, or instead of all that to just
 *  these prerequisites, if n_prerequisites > 0; copied. Until it is set again, asking for it fails with CDN_ERR_ARG.
 *  Setting it makes what is computed from it invalid. */
CDN_API cdn_measure cdn_system_add_result_measure(cdn_system *system, const char *name, int n, cdn_stage stage,
                                                  int n_prerequisites, const cdn_ticket *prerequisites);
/** t, s. */
CDN_API cdn_measure cdn_system_add_time_measure(cdn_system *system, const char *name);
/** amplitude sin(frequency t + phase); rad/s, rad. All its derivatives are known. */
CDN_API cdn_measure cdn_system_add_sinusoid_measure(cdn_system *system, const char *name, double amplitude,
                                                    double frequency, double phase);
/** One slot of a pool or of its rates: `which` is CDN_Q, CDN_U, CDN_Z, CDN_QDOT, CDN_UDOT or CDN_ZDOT (prescribed q and
 *  u are those in effect). A slot that the System does not have is refused when it is frozen. */
CDN_API cdn_measure cdn_system_add_slot_measure(cdn_system *system, const char *name, cdn_ticket which, int slot);
/** The same of the k-th q or u of a body's mobilizer. */
CDN_API cdn_measure cdn_system_add_coordinate_measure(cdn_system *system, const char *name, cdn_body body,
                                                      cdn_ticket which, int k);

typedef enum cdn_station_quantity {
  CDN_STATION_POSITION,    /**< from Ground's origin, m */
  CDN_STATION_VELOCITY,    /**< in Ground, m/s */
  CDN_STATION_ACCELERATION /**< in Ground, m/s^2 */
} cdn_station_quantity;
/** x, y, z in Ground's axes of what the station p_B of a body does. */
CDN_API cdn_measure cdn_system_add_station_measure(cdn_system *system, const char *name, cdn_body body, cdn_vec3 p_B,
                                                   cdn_station_quantity quantity);

typedef enum cdn_energy { CDN_ENERGY_KINETIC, CDN_ENERGY_POTENTIAL, CDN_ENERGY_TOTAL } cdn_energy;
/** J, of all bodies. */
CDN_API cdn_measure cdn_system_add_energy_measure(cdn_system *system, const char *name, cdn_energy energy);

/** sum of weights[i] terms[i], 1 term or more of one size; weights NULL: ones. Adds, subtracts and scales. */
CDN_API cdn_measure cdn_system_add_sum_measure(cdn_system *system, const char *name, int n_terms,
                                               const cdn_measure *terms, const double *weights);
/** The product of each number of a with that of b, or with the one that b has. */
CDN_API cdn_measure cdn_system_add_product_measure(cdn_system *system, const char *name, cdn_measure a, cdn_measure b);
/** One number of a measure that has several. */
CDN_API cdn_measure cdn_system_add_component_measure(cdn_system *system, const char *name, cdn_measure operand, int i);

/** The integral over time, from `initial` (NULL: zeros), as z: by the method that steps, under its error control. `scale`
 *  > 0 is the change that counts as a unit (manual 9.2): below it errors are absolute, accuracy x scale. */
CDN_API cdn_measure cdn_system_add_integral_measure(cdn_system *system, const char *name, cdn_measure operand,
                                                    const double *initial, double scale);

/** The derivative with respect to time: exact if the operand knows it (cdn_measure_derivatives), else that of the
 *  parabola through the operand's value now and at the ends of the last two accepted steps: of order 2, order 1 during
 *  the step after a start or a handler's change, 0 at these themselves. */
CDN_API cdn_measure cdn_system_add_derivative_measure(cdn_system *system, const char *name, cdn_measure operand);

typedef struct cdn_delay_def {
  CDN_DEF_HEADER;
  const char *name;
  cdn_measure operand;
  double delay; /**< s, > 0; no step of a run is longer than a quarter of it */
  /** The value before the run began, as many numbers as the operand has. NULL: what it was when it began. */
  const double *history;
  /** Values kept, 64 to 65536: those at the ends of steps, but not closer than 4 delay / (capacity - 8). Default 256. */
  int capacity;
} cdn_delay_def;
/** cdn_default_delay_def for a struct of `size` bytes (docs/abi.md). */
CDN_API void cdn_delay_def_init(void *def, size_t size);
static inline cdn_delay_def cdn_default_delay_def(void) {
  cdn_delay_def def;
  cdn_delay_def_init(&def, sizeof def);
  return def;
}
/** The operand's value `delay` ago. It depends on time and on accepted steps only, so forces may read the delay of what
 *  depends on them. Between the ends of steps it is interpolated from six values, or four values and rates where the
 *  operand knows its derivative (order 6, order 8; lower next to a jump), never across the change that a handler made. */
CDN_API cdn_measure cdn_system_add_delay_measure(cdn_system *system, const cdn_delay_def *def);

typedef enum cdn_extreme { CDN_MINIMUM, CDN_MAXIMUM, CDN_MAX_ABS, CDN_MIN_ABS } cdn_extreme;
/** The extreme of each number since the run began, in magnitude with its sign (CDN_MIN_ABS: 0 from a change of sign on). Turning points within a step count: they
 *  are found on a polynomial through the present value and those at the ends of the last four steps, of order 5, or the
 *  values and rates of the last three where the operand knows its derivative, of order 7. Where forces or other rates read
 *  it, a step ends where the value comes up with its extreme. */
CDN_API cdn_measure cdn_system_add_extreme_measure(cdn_system *system, const char *name, cdn_measure operand,
                                                   cdn_extreme which);

/** The operand's value at phase + n period, held until the next sample; `initial` (NULL: zeros) before the first one. A
 *  slow variable, set by a periodic event of the measure's name. */
CDN_API cdn_measure cdn_system_add_sample_hold_measure(cdn_system *system, const char *name, cdn_measure operand,
                                                       double period, double phase, const double *initial);

/** A measure of your own. */
typedef struct cdn_measure_ops {
  uint32_t struct_size;
  size_t self_size; /**< bytes of the private part */
  int n;            /**< numbers in its value */
  int derivatives;  /**< how many time derivatives calc_value knows */
  /** What it may read: everything that belongs to this stage and those before it (Instance to Acceleration), and for
   *  each derivative to one stage more (Position, Velocity, Acceleration). */
  cdn_stage stage;
  /** Instead of all that, just these (and whatever they are computed from), if n_prerequisites > 0: the fewer, the less
   *  often the value is computed. Copied. */
  const cdn_ticket *prerequisites;
  int n_prerequisites;
  /** The value (derivative 0), or its derivative-th time derivative. NaN and infinity are failures, recoverable. */
  cdn_status (*calc_value)(const void *self, cdn_state *state, int derivative, double *value);
  void (*destroy)(void *self); /**< may be NULL */
} cdn_measure_ops;
CDN_API cdn_measure cdn_system_add_custom_measure(cdn_system *system, const char *name, const cdn_measure_ops *ops,
                                                  const void *self);

/** Gives an integral, a delay or a sample-and-hold another operand of the same size, which may have been added after
 *  it: so loops are closed, such as x' = -x. A loop without one of these in it fails freezing with CDN_ERR_CYCLE. */
CDN_API void cdn_measure_set_operand(cdn_system *system, cdn_measure measure, cdn_measure operand);

/** Adds a triggered event (events.h) on measure[i] - level; def->value must be NULL. The def's callbacks are yours. */
CDN_API cdn_event cdn_system_add_measure_event(cdn_system *system, cdn_measure measure, int i, double level,
                                               const cdn_event_def *def);

/* ---- asking a System ---------------------------------------------------------------------- */

CDN_API int cdn_system_measure_count(const cdn_system *system);
/** The measure of this name, or { -1 }. O(number of measures). */
CDN_API cdn_measure cdn_system_find_measure(const cdn_system *system, const char *name);
CDN_API const char *cdn_measure_name(const cdn_system *system, cdn_measure measure); /**< NULL for a wrong id */
CDN_API int cdn_measure_size(const cdn_system *system, cdn_measure measure);         /**< 0 for a wrong id */
/** What names the measure as a prerequisite (of a custom force, another subsystem's entry), from its adding on. */
CDN_API cdn_ticket cdn_measure_ticket(const cdn_system *system, cdn_measure measure);
/** The stage whose results it needs, known once the System is frozen; Empty before, and for a wrong id. */
CDN_API cdn_stage cdn_measure_stage(const cdn_system *system, cdn_measure measure);
/** How many time derivatives are known exactly, once the System is frozen (many: CDN_MEASURE_ALL_DERIVATIVES). */
CDN_API int cdn_measure_derivatives(const cdn_system *system, cdn_measure measure);
#define CDN_MEASURE_ALL_DERIVATIVES 1000

/* ---- in a State --------------------------------------------------------------------------- */

/** cdn_measure_size numbers, realizing what they need; they last until something changes. NULL on failure
 *  (cdn_state_last_error). */
CDN_API const double *cdn_measure_value(cdn_state *state, cdn_measure measure);
/** Its time derivative of this order (0: the value) into `value`; CDN_ERR_UNSUPPORTED beyond cdn_measure_derivatives. */
CDN_API cdn_status cdn_measure_derivative(cdn_state *state, cdn_measure measure, int order,
                                          double *value) CDN_NODISCARD;
/** When each number of an extreme was met. */
CDN_API cdn_status cdn_measure_extreme_times(cdn_state *state, cdn_measure measure, double *times) CDN_NODISCARD;
/** Sets a variable, a result, an integral, or what a sample-and-hold holds; CDN_ERR_ARG for other kinds, and while
 *  something is being computed. */
CDN_API cdn_status cdn_measure_set_value(cdn_state *state, cdn_measure measure, const double *value);
/** Makes the measure forget: integrals and held values are as in a new State, histories and extremes begin anew, a result
 *  has no value. */
CDN_API cdn_status cdn_measure_reset(cdn_state *state, cdn_measure measure);

CDN_END_DECLS
#endif
