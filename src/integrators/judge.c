/* By which method, how accurately and in which steps the companion judges a run. */
#include <math.h>

#include "integrators/companion.h"
#include "integrators/singular.h"
#include "integrators/stepper.h"

/* Two runs with the same steps miss the same things. The companion's steps are shorter, as its errors must be smaller.
 * But where the motion is nearly a polynomial there are no errors, and both runs would double their steps to the end.
 * So the companion's steps are at most this part of the run's longest step until then. If it is of another kind, with
 * more evaluations in a step, they may be that many times as long. Measured: docs/constants.md. */
static const double PART_OF_STEP = 0.8;

/* Evaluations in a step, about. */
static double evaluations_in_step(const cdni_method *m) {
  if (m == &cdni_dormand_prince_8) return 12;
  if (m == &cdni_dormand_prince || m == &cdni_fehlberg || m == &cdni_merson) return 6;
  return m == &cdni_adams ? 2 : 1;
}

void cdni_judge_limit_steps(cdn_stepper *judge) {
  const cdn_stepper *s = judge->judged;
  if (!s || s->def.fixed_step > 0) return;
  const cdni_method *a = cdni_singular_own_method(s), *b = cdni_singular_own_method(judge);
  const double part = a == b ? PART_OF_STEP : fmax(PART_OF_STEP, evaluations_in_step(b) / evaluations_in_step(a));
  double most = part * cdni_companion_longest_step(s, judge->t);
  if (s->def.max_step > 0) most = fmin(most, PART_OF_STEP * s->def.max_step);
  judge->def.max_step = fmax(most, judge->def.min_step);
  judge->control.next = fmin(judge->control.next, judge->def.max_step);
}

/* The companion's accuracy, over the run's: of its own kind; of a run by a method of low order, by a pair, by the
 * implicit contact step; the part of that where orders vary; of stiff runs by IDA. Measured: docs/constants.md. */
static const double OF_OWN_KIND = 0.1, OF_LOW_ORDER = 0.01, OF_PAIRS = 0.03, OF_CONVEX = 0.03, OF_VARYING_ORDER = 0.25,
                    OF_IDA = 0.07;

/* A method of low order needs two to ten times its evaluations for a tenth of the accuracy, so the default method
 * judges it at less cost, at a hundredth. Pairs of order 4 and 5 and the methods of SUNDIALS have judges of another
 * kind, too: two methods do not make the same mistake. The implicit contact step is judged by itself: where contact is
 * stiff, nothing else gets on. Its error goes with the power 2/3 of the accuracy.
 *
 * The errors of methods of variable order follow the accuracy less evenly, and may be as large at a tenth of it; a
 * fortieth costs little more. */
static cdn_stepper_def judge_of(const cdn_stepper *s, cdn_stepper_def def) {
  double part = OF_OWN_KIND;
  switch (def.method) {
    case CDN_METHOD_BOGACKI_SHAMPINE:
    case CDN_METHOD_VERLET:
    case CDN_METHOD_SEMI_EXPLICIT_EULER:
    case CDN_METHOD_SEMI_EXPLICIT_EULER_2:
    case CDN_METHOD_EXPLICIT_EULER:
    case CDN_METHOD_TRAPEZOID:
      def.method = CDN_METHOD_DEFAULT;
      part = OF_LOW_ORDER;
      break;
    case CDN_METHOD_MERSON:
    case CDN_METHOD_DORMAND_PRINCE:
    case CDN_METHOD_FEHLBERG:
      def.method = CDN_METHOD_DORMAND_PRINCE_8;
      part = OF_PAIRS;
      break;
    case CDN_METHOD_IMPLICIT_CONTACT: part = OF_CONVEX; break;
    case CDN_METHOD_CVODE_BDF:
    case CDN_METHOD_CVODE_ADAMS:
    case CDN_METHOD_IDA: def.method = CDN_METHOD_DEFAULT; break;
    case CDN_METHOD_DEFAULT:
    case CDN_METHOD_DORMAND_PRINCE_8:
    case CDN_METHOD_ADAMS:
    case CDN_METHOD_MUJOCO_EULER: /* the rest have no errors to control */
    case CDN_METHOD_MUJOCO_IMPLICIT:
    case CDN_METHOD_MUJOCO_IMPLICIT_FAST:
    case CDN_METHOD_MUJOCO_MIDPOINT:
    case CDN_METHOD_MUJOCO_RK4:
    case CDN_METHOD_COUNT: break;
  }
  if (cdni_choose_method(&def, s->system) == &cdni_adams) part *= OF_VARYING_ORDER;
  def.accuracy *= part;
  return def;
}

/* No method of ours gets on where a problem is stiff. */
static cdn_stepper_def stiff_judge_of(cdn_stepper_def def) {
  def.accuracy *= def.method == CDN_METHOD_IDA ? OF_IDA : OF_OWN_KIND;
  def.method = CDN_METHOD_CVODE_BDF;
  return def;
}

bool cdni_judge_has_other(const cdn_stepper *s) {
  return s->def.method == CDN_METHOD_CVODE_BDF || s->def.method == CDN_METHOD_IDA;
}

/* Close to rounding more accuracy gains nothing. */
static const double NEAR_ROUNDING = 2.5e-12, LEAST = 1e-15;

cdn_stepper_def cdni_judge_def(const cdn_stepper *s, bool stiff) {
  cdn_stepper_def def = s->def;
  def.companion = false;
  def.user = s->def.companion_user;
  def.return_on_events = false;
  def.initial_step = 0;
  if (def.max_step > 0) def.max_step = fmax(PART_OF_STEP * def.max_step, def.min_step);
  if (def.fixed_step > 0) {
    def.fixed_step *= 0.5;
    return def;
  }
  def.constraint_tolerance = fmax(OF_OWN_KIND * def.constraint_tolerance, 1e-13);
  def = stiff ? stiff_judge_of(def) : judge_of(s, def);
  def.accuracy = fmax(fmin(OF_OWN_KIND * s->def.accuracy, fmax(def.accuracy, NEAR_ROUNDING)), LEAST);
  return def;
}
