/* Cardan: measures, named values that are computed from a State. Programs read them; forces and events use them;
 * other measures integrate, differentiate, delay, sample or hold them, or keep their extremes.
 *
 * A measure is a lazy cache entry with a ticket: it is computed when asked for, and never out of date. The memory of
 * a measure (an integral, a history) is part of the State, so it is right in copies of a State and in trial steps. A
 * value has 1 to CDN_MEASURE_MOST doubles. See docs/measures.md.
 *
 * I want to
 *   count measures, find one by name, get its name: cdn_system_measure_count, cdn_system_find_measure, cdn_measure_name
 *   make it follow a measure: feedback: cdn_control_follow_measure
 *   record a control: cdn_system_add_control_measure
 *   add an event where a measure crosses a level: cdn_system_add_measure_event
 *   measure a point's position, velocity or acceleration: cdn_system_add_station_measure
 *   measure one coordinate, speed or rate of a body: cdn_system_add_coordinate_measure
 *   measure one slot of q, u, z or their rates: cdn_system_add_slot_measure
 *   measure energy: cdn_system_add_energy_measure
 *   measure contacts: gap, count, depth, force, friction, power, slip: cdn_default_contact_measure_def,
 *       cdn_system_add_contact_measure
 *   measure time, or a sinusoid of time: cdn_system_add_time_measure, cdn_system_add_sinusoid_measure
 *   hold constant numbers, or numbers that I change in a State: cdn_system_add_constant_measure,
 *       cdn_system_add_variable_measure
 *   hold numbers that other code computes: cdn_system_add_result_measure
 *   add and scale measures: cdn_system_add_sum_measure
 *   multiply measures: cdn_system_add_product_measure
 *   take one number of a measure: cdn_system_add_component_measure
 *   integrate a measure over time: cdn_system_add_integral_measure
 *   differentiate a measure by time: cdn_system_add_derivative_measure
 *   delay a measure: cdn_system_add_delay_measure, cdn_default_delay_def
 *   keep samples of a measure and read them late, as MuJoCo does: cdn_system_add_record_measure,
 *       cdn_default_record_def
 *   keep a minimum or maximum: cdn_system_add_extreme_measure
 *   know when the extreme was met: cdn_measure_extreme_times
 *   sample and hold a measure, for digital control: cdn_system_add_sample_hold_measure
 *   add a measure of my own: cdn_system_add_custom_measure
 *   close a loop of measures: cdn_measure_set_operand
 *   read a measure: cdn_measure_value
 *   read its derivative by time: cdn_measure_derivative
 *   differentiate measures by q, u, z, forces and controls: cdn_measure_state_derivatives
 *   set the number that a measure holds: cdn_measure_set_value
 *   reset what a measure remembers: cdn_measure_reset
 *   know a measure's size, stage and number of derivatives: cdn_measure_size, cdn_measure_stage,
 *       cdn_measure_derivatives
 *   depend on a measure in an element of my own: cdn_measure_ticket */
#ifndef CARDAN_MEASURES_H
#define CARDAN_MEASURES_H

#include <cardan/contact.h>
#include <cardan/events.h>
#include <cardan/forces.h>

CDN_BEGIN_DECLS

#define CDN_MEASURE_MOST 256

/* ---- building ---------------------------------------------------------------------------- */

/* Every adder copies its arguments and is sticky (system.h). `name` may be NULL ("measure<i>"). Operands are
 * measures that were added before; cdn_measure_set_operand closes loops. Building mistakes (cdn_system_freeze then
 * fails): operands that do not exist, sizes that do not match, numbers that are not finite. */

/** n numbers that never change. */
CDN_API cdn_measure cdn_system_add_constant_measure(cdn_system *system, const char *name, int n, const double *value);
/** n numbers of each State, changed by cdn_measure_set_value. */
CDN_API cdn_measure cdn_system_add_variable_measure(cdn_system *system, const char *name, int n, const double *initial);
/** n numbers that your program computes and sets with cdn_measure_set_value (Simbody's Result). The value stays
 *  valid until a variable of `stage` (Instance to Acceleration) or of an earlier stage changes; or, if
 *  n_prerequisites > 0, until one of the prerequisites (copied) changes. Without a valid value, reading it fails
 *  with CDN_ERR_ARG. Setting it invalidates everything computed from it. */
CDN_API cdn_measure cdn_system_add_result_measure(cdn_system *system, const char *name, int n, cdn_stage stage,
                                                  int n_prerequisites, const cdn_ticket *prerequisites);
/** The time t, s. */
CDN_API cdn_measure cdn_system_add_time_measure(cdn_system *system, const char *name);
/** amplitude sin(frequency t + phase), with frequency in rad/s and phase in rad. All its derivatives are known. */
CDN_API cdn_measure cdn_system_add_sinusoid_measure(cdn_system *system, const char *name, double amplitude,
                                                    double frequency, double phase);
/** One slot of a pool or of its rates. `which` is CDN_Q, CDN_U, CDN_Z, CDN_QDOT, CDN_UDOT or CDN_ZDOT; of prescribed
 *  q and u the effective values count. A slot that the System does not have is a building mistake. */
CDN_API cdn_measure cdn_system_add_slot_measure(cdn_system *system, const char *name, cdn_ticket which, int slot);
/** Coordinate k or speed k of a body's mobilizer; `which` as in cdn_system_add_slot_measure. */
CDN_API cdn_measure cdn_system_add_coordinate_measure(cdn_system *system, const char *name, cdn_body body,
                                                      cdn_ticket which, int k);

typedef enum cdn_station_quantity {
  CDN_STATION_POSITION,    /**< from Ground's origin, m */
  CDN_STATION_VELOCITY,    /**< in Ground, m/s */
  CDN_STATION_ACCELERATION /**< in Ground, m/s^2 */
} cdn_station_quantity;
/** Position, velocity or acceleration of station p_B (in B's axes, m) of a body: three numbers in Ground's axes. */
CDN_API cdn_measure cdn_system_add_station_measure(cdn_system *system, const char *name, cdn_body body, cdn_vec3 p_B,
                                                   cdn_station_quantity quantity);

/** Which energy of the System. */
typedef enum cdn_energy { CDN_ENERGY_KINETIC, CDN_ENERGY_POTENTIAL, CDN_ENERGY_TOTAL } cdn_energy;
/** Kinetic, potential or total energy of the system, J. */
CDN_API cdn_measure cdn_system_add_energy_measure(cdn_system *system, const char *name, cdn_energy energy);

/** The contacts of a measure: those between a side a and a side b. A side is a shape, or all shapes of a body, or any:
 *  a def with shape_a alone is about all contacts of that shape. */
typedef struct cdn_contact_measure_def {
  CDN_DEF_HEADER;
  const char *name;              /**< copied; NULL: "measure<i>" */
  cdn_contact_quantity quantity; /**< what it measures */
  cdn_shape shape_a, shape_b;    /**< { -1 }, the default: any */
  cdn_body body_a, body_b;       /**< { -1 }, the default: any */
} cdn_contact_measure_def;
CDN_DEF(contact_measure_def);
/** A quantity of the contacts between two sides (contact.h). Count, depth, energy and gap need Position, the others
 *  Velocity. No derivatives are known. The gap goes through zero where the first two shapes touch and where the last
 *  two part: with cdn_system_add_measure_event these are events. O(contacts) once they are computed; the gap: O(pairs
 *  of shapes) tests of boxes, and the distance of the nearest ones. */
CDN_API cdn_measure cdn_system_add_contact_measure(cdn_system *system, const cdn_contact_measure_def *def);

/** sum of weights[i] terms[i]; n_terms >= 1, all terms of one size. weights NULL: ones. Adds, subtracts and scales. */
CDN_API cdn_measure cdn_system_add_sum_measure(cdn_system *system, const char *name, int n_terms,
                                               const cdn_measure *terms, const double *weights);
/** The products a[i] b[i]; if b has one number, a[i] b[0]. */
CDN_API cdn_measure cdn_system_add_product_measure(cdn_system *system, const char *name, cdn_measure a, cdn_measure b);
/** Number i of a measure. */
CDN_API cdn_measure cdn_system_add_component_measure(cdn_system *system, const char *name, cdn_measure operand, int i);

/** The time integral, from `initial` (NULL: zeros). It is a z variable: the stepper's method integrates it under error
 *  control. `scale` > 0 is its unit change (manual 9.2): below it errors are absolute, accuracy x scale. */
CDN_API cdn_measure cdn_system_add_integral_measure(cdn_system *system, const char *name, cdn_measure operand,
                                                    const double *initial, double scale);

/** The time derivative. Exact if the operand knows it (cdn_measure_derivatives). Otherwise the derivative of the
 *  parabola through the present value and the values at the ends of the last two accepted steps: of order 2; of
 *  order 1 during the first step after a start or a handler's change; 0 at the start or change itself. */
CDN_API cdn_measure cdn_system_add_derivative_measure(cdn_system *system, const char *name, cdn_measure operand);

typedef struct cdn_delay_def {
  CDN_DEF_HEADER;
  const char *name;    /**< copied; NULL: "measure<i>" */
  cdn_measure operand; /**< the measure that is delayed */
  double delay;        /**< s, > 0; no step of a run is longer than a quarter of it */
  /** The value before the run began, as many numbers as the operand has. NULL: the operand's value when the run
   *  began. */
  const double *history;
  /** How many past values are kept, 64 to 65536: those at the ends of steps that are at least 4 delay / (capacity - 8)
   *  apart. Default 256. */
  int capacity;
} cdn_delay_def;
CDN_DEF(delay_def);
/** The operand's value `delay` seconds ago. It depends on time and accepted steps only, so a force may read the
 *  delay of a measure that depends on that force. Between the ends of steps it is interpolated: from six values
 *  (order 6), or from four values and rates if the operand knows its derivative (order 8); with a lower order next
 *  to a jump. The interpolation never spans a change that a handler made. */
CDN_API cdn_measure cdn_system_add_delay_measure(cdn_system *system, const cdn_delay_def *def);

/** How a value between two samples is found. */
typedef enum cdn_interpolation {
  CDN_INTERPOLATE_HOLD,   /**< it is that of the earlier sample */
  CDN_INTERPOLATE_LINEAR, /**< on the straight line between them */
  CDN_INTERPOLATE_CUBIC   /**< on the cubic through them whose slopes are those between their neighbours, and 0 at the
                           *   first and the last sample (Catmull and Rom 1974) */
} cdn_interpolation;

typedef struct cdn_record_def {
  CDN_DEF_HEADER;
  const char *name;    /**< copied; NULL: "measure<i>" */
  cdn_measure operand; /**< the measure whose samples are kept */
  double delay;        /**< s, >= 0 */
  double period;       /**< s, >= 0. Default 0: a sample is taken at the end of each step */
  /** With a period: when the last sample before time 0 was taken, s, above -period; 0 (the default) stands for
   *  -period, so that one is taken at time 0. */
  double phase;
  int samples; /**< how many are kept, 1 (the default) to 65536 */
  cdn_interpolation interpolation;
  double step; /**< of the run, s, > 0: before it there are samples of 0, this far apart from each other and time 0 */
} cdn_record_def;
CDN_DEF(record_def);
/** Samples of the operand at the ends of accepted steps, as MuJoCo keeps them in runs of equal steps. With a period a
 *  sample is taken at the first end of a step that is not before its next multiple. The value: with a delay, what the
 *  samples were `delay` ago; those before the State's time can be read, and times outside them have the value of the
 *  nearest one; it depends on time and accepted steps only. Without a delay: the newest sample, that of this moment
 *  included. Steps do not become shorter: a run under error control had better take a delay, or a sample-and-hold. */
CDN_API cdn_measure cdn_system_add_record_measure(cdn_system *system, const cdn_record_def *def);

/** Which extreme; those of ABS compare magnitudes and keep the sign. */
typedef enum cdn_extreme { CDN_MINIMUM, CDN_MAXIMUM, CDN_MAX_ABS, CDN_MIN_ABS } cdn_extreme;
/** The extreme of each number since the run began. CDN_MAX_ABS and CDN_MIN_ABS compare magnitudes and keep the sign.
 *  MIN_ABS: once the operand has changed sign the minimum is 0. Turning points within a step count: they are found
 *  on a polynomial of order 5 through the present value and the values at the ends of the last four steps, or of
 *  order 7 through the values and rates of the last three if the operand knows its derivative. If forces or other
 *  rates read the extreme, a step ends where the value reaches it. */
CDN_API cdn_measure cdn_system_add_extreme_measure(cdn_system *system, const char *name, cdn_measure operand,
                                                   cdn_extreme which);

/** The operand's value at the times phase + n period (s), held until the next sample; `initial` (NULL: zeros) before
 *  the first sample. A periodic event with the measure's name sets it. */
CDN_API cdn_measure cdn_system_add_sample_hold_measure(cdn_system *system, const char *name, cdn_measure operand,
                                                       double period, double phase, const double *initial);

/** A measure of your own. */
typedef struct cdn_measure_ops {
  uint32_t struct_size;
  size_t self_size; /**< bytes of the private part */
  int n;            /**< numbers in its value, 1 to CDN_MEASURE_MOST */
  int derivatives;  /**< how many time derivatives calc_value can compute */
  /** calc_value may read everything of this stage and earlier ones (Instance to Acceleration); for each derivative,
   *  of one stage more (Position, Velocity, Acceleration). */
  cdn_stage stage;
  /** If n_prerequisites > 0, calc_value may read only these (and what they are computed from) instead. The fewer
   *  they are, the less often the value is computed. Copied. */
  const cdn_ticket *prerequisites;
  int n_prerequisites;
  /** Computes the value (derivative 0) or a time derivative. A NaN or an infinity is a recoverable failure. */
  cdn_status (*calc_value)(const void *self, cdn_state *state, int derivative, double *value);
  void (*destroy)(void *self); /**< may be NULL */
} cdn_measure_ops;
CDN_API cdn_measure cdn_system_add_custom_measure(cdn_system *system, const char *name, const cdn_measure_ops *ops,
                                                  const void *self);

/** Gives an integral, a delay, a late record or a sample-and-hold another operand of the same size. The operand may
 *  have been added later: this closes loops such as x' = -x. A loop without such a measure in it fails freezing with
 *  CDN_ERR_CYCLE. */
CDN_API void cdn_measure_set_operand(cdn_system *system, cdn_measure measure, cdn_measure operand);

/** The effective value of a control (controls.h). It has no derivatives. Stage: that of the control's source, at
 *  most Force. */
CDN_API cdn_measure cdn_system_add_control_measure(cdn_system *system, const char *name, cdn_control control);
/** Lets a control follow number `component` of a measure (feedback; see controls.h). Freezing fails with
 *  CDN_ERR_CYCLE if the measure depends on the control: a measure of accelerations cannot control a force that
 *  causes them. */
CDN_API void cdn_control_follow_measure(cdn_system *system, cdn_control control, cdn_measure measure, int component);

/** Adds a triggered event (events.h) with the value measure[i] - level. def->value must be NULL; the other callbacks of
 *  the def are yours. */
CDN_API cdn_event cdn_system_add_measure_event(cdn_system *system, cdn_measure measure, int i, double level,
                                               const cdn_event_def *def);

/* ---- measures of a System ----------------------------------------------------------------- */

/** The number of measures: their ids are 0 to this, without it. Names live as long as the System. */
CDN_API int cdn_system_measure_count(const cdn_system *system);
/** The measure of this name, or { -1 }. O(number of measures). */
CDN_API cdn_measure cdn_system_find_measure(const cdn_system *system, const char *name);
CDN_API const char *cdn_measure_name(const cdn_system *system, cdn_measure measure); /**< NULL for a wrong id */
CDN_API int cdn_measure_size(const cdn_system *system, cdn_measure measure);         /**< 0 for a wrong id */
/** The ticket that names the measure as a prerequisite (of a custom force, or of another subsystem's entry);
 *  available as soon as the measure is added. */
CDN_API cdn_ticket cdn_measure_ticket(const cdn_system *system, cdn_measure measure);
/** The stage that the measure needs. Known once the System is frozen; Empty before, and for a wrong id. */
CDN_API cdn_stage cdn_measure_stage(const cdn_system *system, cdn_measure measure);
/** How many time derivatives are known exactly, once the System is frozen. CDN_MEASURE_ALL_DERIVATIVES: all of them. */
CDN_API int cdn_measure_derivatives(const cdn_system *system, cdn_measure measure);
#define CDN_MEASURE_ALL_DERIVATIVES 1000

/* ---- in a State --------------------------------------------------------------------------- */

/** The value, cdn_measure_size numbers. Realizes the measure's stage. Valid until the State changes. NULL on
 *  failure, with the message on the State. */
CDN_API const double *cdn_measure_value(cdn_state *state, cdn_measure measure);
/** Writes the time derivative of this order (0: the value) into `value`, cdn_measure_size numbers. CDN_ERR_UNSUPPORTED
 *  above cdn_measure_derivatives. */
CDN_API cdn_status cdn_measure_derivative(cdn_state *state, cdn_measure measure, int order,
                                          double *value) CDN_NODISCARD;
/** Derivatives of n measures at the State: dy = dy_dx dx + dy_dtau dtau + dy_dc dc, where y has their numbers one after
 *  the other (ny), x = (q in the tangent basis of derivatives.h, u, z) has nx = 2 nu + nz numbers, tau are forces on
 *  mobilities beside all that act (nu), and c the System's controls (nc). Matrices are row-major, ny rows each; any may
 *  be NULL. Of measures of a step's start these are what cdn_step_derivatives is for the step: MuJoCo's C and D.
 *
 *  They are central differences with steps of 6e-6: about 1e-9 of a value of the model's size, where the value is
 *  smooth; at a kink, or within such a step of one, the mean of both sides. What histories, sampled values and extremes
 *  remember does not vary. Columns of what is prescribed are zero, and so are those of controls that follow a source;
 *  of a control at a limit the difference is one-sided. Stage: that of the measures. Cost: two evaluations of the
 *  measures, and of what they need, for each column that is wanted. No variable of the State changes. CDN_ERR_ARG: no
 *  such measure, n < 0. */
CDN_API cdn_status cdn_measure_state_derivatives(cdn_state *state, int n, const cdn_measure *measures, double *dy_dx,
                                                 double *dy_dtau, double *dy_dc) CDN_NODISCARD;
/** Writes the time (s) at which each number of an extreme was reached, cdn_measure_size times. */
CDN_API cdn_status cdn_measure_extreme_times(cdn_state *state, cdn_measure measure, double *times) CDN_NODISCARD;
/** Sets a variable, a result, an integral, or the held value of a sample-and-hold. Invalidates everything computed
 *  from it. CDN_ERR_ARG for other kinds, and while something is being computed; CDN_ERR_NONFINITE. */
CDN_API cdn_status cdn_measure_set_value(cdn_state *state, cdn_measure measure, const double *value) CDN_NODISCARD;
/** Clears the memory of a measure: integrals and held values return to their initial values, histories and extremes
 *  begin anew, a result loses its value. */
CDN_API cdn_status cdn_measure_reset(cdn_state *state, cdn_measure measure) CDN_NODISCARD;

CDN_END_DECLS
#endif
