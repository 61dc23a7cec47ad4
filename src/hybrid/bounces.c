/* Bounces that become ever smaller, to their end. Impact follows impact with one ratio of speeds, and of the times
 * between them: the flights that are still to come last as long as a geometric series says. When they are lower than
 * can be told, or slower than the accuracy, one last flight of that duration takes their place, and what lands then
 * stays. So rest comes when the sequence has its limit (8.6.1).
 *
 * Elements that leave an impact together (the corners of a box that falls flat) keep when they left, and the ratio of
 * their speed to that of the approach. The next ones to leave, by the landing of these and no others, must have the
 * same ratio, after a flight that has lasted as long as the speed and the present acceleration of each say. */
#include <math.h>

#include "hybrid/moment.h"
#include "matter/operators.h"

/* What is part of a sequence: speeds above this part of the fastest; ratios and times that agree so well. */
static const double APPRECIABLE = 1e-3, SAME_RATIO = 0.01, SAME_TIME = 0.05;
/* A last flight that lands more slowly than this many times its speed has not been disturbed. */
static const double UNDISTURBED = 1.5;
/* The last flight begins at so many times the speed of capture: roundings of gaps over speeds are times of landing, so
 * slower bounces would make the limit less certain. It must not depend on the accuracy, which a companion has of its
 * own. */
static const double BEFORE = 10;

static double *flight_of(const moment *m, int side) {
  const hybrid_room *room = m->room;
  return m->changes + hybrid_changes(room) - FLIGHT_NUMBERS * (size_t)(hybrid_sides(room) - side);
}

void cdni_bounces_begin(moment *m) {
  const cdn_hybrid_totals *totals = cdn_state_discrete(m->state, m->room->totals);
  const double *kept = (const double *)(totals + 1), *first = m->changes;
  double *flights = flight_of(m, 0);
  memcpy(flights, kept + (flights - first), FLIGHT_NUMBERS * (size_t)hybrid_sides(m->room) * sizeof *flights);
  m->landing_speed = m->leaving_speed = 0;
}

void cdni_bounces_forget(moment *m, int side) { memset(flight_of(m, side), 0, FLIGHT_NUMBERS * sizeof(double)); }

bool cdni_bounces_flies(const moment *m, int side) { return flight_of(m, side)[FLIGHT_LAST] > 0; }

/* The one-sided elements whose normals have an appreciable speed of this sign. Returns the largest; 0: none has. */
static double find_all(const moment *m, const double *speeds, double sign, bool *set) {
  double most = 0, largest = 0;
  for (int i = 0; i < m->n_cones; i++)
    if (m->cones[i].normal >= 0)
      most = fmax(most, fmax(fabs(m->v[m->cones[i].normal]), fabs(m->w[m->cones[i].normal])));
  for (int i = 0; i < hybrid_sides(m->room); i++) {
    const double speed = m->side_cone[i] >= 0 ? sign * speeds[m->cones[m->side_cone[i]].normal] : 0;
    set[i] = speed > APPRECIABLE * most;
    if (set[i]) largest = fmax(largest, speed);
  }
  return largest;
}

static bool follow_accuracy(const moment *m, const bool *set) {
  for (int i = 0; i < hybrid_sides(m->room); i++)
    if (set[i] && side_params(m->room, m->state, i)[ONE_SIDED_CAPTURE] != 0) return false;
  return true;
}

/* Before an impact: whether it may be one of a sequence, whose bounces are followed below the accuracy, or the end of
 * a last flight. */
void cdni_bounces_expect(moment *m, bool *fine, double *captures) {
  memcpy(m->w, m->v, (size_t)m->rows * sizeof *m->w);
  m->landing_speed = m->hit ? 0 : find_all(m, m->v, -1, m->lands);
  *fine = false, *captures = 0;
  if (!(m->landing_speed > 0) || !follow_accuracy(m, m->lands)) return;
  bool last = true;
  *fine = true;
  for (int i = 0; i < hybrid_sides(m->room); i++) {
    if (!m->lands[i]) continue;
    const double *flight = flight_of(m, i), v = -m->v[m->cones[m->side_cone[i]].normal];
    last = last && flight[FLIGHT_LAST] > 0 && v < UNDISTURBED * flight[FLIGHT_LAST];
    *fine = *fine && flight[FLIGHT_STEADY] != 0;
  }
  if (last) *fine = false, *captures = 2 * m->landing_speed;
}

/* When those that land have left, all together and nobody else, and their ratio; 0, 0 if that was not so. */
static void find_flight(const moment *m, double *time, double *ratio) {
  *time = *ratio = 0;
  for (int i = 0; i < hybrid_sides(m->room) && m->landing_speed > 0; i++)
    if (m->lands[i]) *time = flight_of(m, i)[FLIGHT_TIME], *ratio = flight_of(m, i)[FLIGHT_RATIO];
  for (int i = 0; i < hybrid_sides(m->room); i++) {
    const double *flight = flight_of(m, i);
    const bool left = flight[FLIGHT_RATIO] > 0 && flight[FLIGHT_TIME] == *time;
    if (*ratio > 0 && left != m->lands[i]) *time = *ratio = 0;
  }
}

/* After an impact: who leaves, and whether that continues a sequence. */
void cdni_bounces_note(moment *m) {
  double before, ratio_before;
  find_flight(m, &before, &ratio_before);
  for (int i = 0; i < hybrid_sides(m->room); i++)
    if (m->side_cone[i] >= 0) memset(flight_of(m, i), 0, FLIGHT_NUMBERS * sizeof(double));
  m->leaving_speed = m->landing_speed > 0 ? find_all(m, m->w, 1, m->leaves) : 0;
  if (!(m->leaving_speed > 0)) return;
  for (int i = 0; i < hybrid_sides(m->room); i++)
    m->joins[i] = m->side_cone[i] >= 0 && !m->leaves[i] && m->total[m->cones[m->side_cone[i]].normal] > 0;
  const double ratio = m->leaving_speed / m->landing_speed, time = cdn_state_time(m->state);
  const bool same = fabs(ratio - ratio_before) <= SAME_RATIO * ratio && ratio < 1 - SAME_RATIO;
  m->captured_below = 0;
  for (int i = 0; i < hybrid_sides(m->room); i++) {
    if (!m->leaves[i]) continue;
    flight_of(m, i)[FLIGHT_TIME] = time, flight_of(m, i)[FLIGHT_RATIO] = ratio, flight_of(m, i)[FLIGHT_STEADY] = same;
    m->captured_below = fmax(m->captured_below, m->least[m->cones[m->side_cone[i]].normal]);
  }
  m->lasted = same ? time - before : 0;
}

/* Switches the constraints of what is in contact after the impact, and of friction that is at rest there. */
static cdn_status switch_held(moment *m, double rest, bool on) {
  for (int i = 0; i < hybrid_sides(m->room); i++) {
    const cdn_constraint c = { side_at(m->room, i)->constraint };
    if (m->in[i]) CDNI_TRY(cdn_constraint_set_enabled(m->state, c, on));
  }
  for (int i = 0; i < hybrid_frictions(m->room); i++) {
    const dry_friction *x = friction_at(m->room, i);
    if (m->friction_cone[i] < 0 || (x->normal >= 0 && !m->in[x->normal])) continue;
    if (cone_size(&m->cones[m->friction_cone[i]], m->v) > rest) continue;
    CDNI_TRY(cdn_constraint_set_enabled(m->state, (cdn_constraint){ x->slip }, on));
  }
  return CDN_OK;
}

/* Brings to rest what is captured, before accelerations are asked for: those of a body that still turns would be its
 * centripetal ones. */
cdn_status cdni_bounces_hold(moment *m, double rest) {
  if (!m->stops) return CDN_OK;
  CDNI_TRY(switch_held(m, rest, true));
  CDNI_TRY(cdni_moment_project(m));
  return switch_held(m, rest, false);
}

/* Brings what leaves to rest, as if it had been captured, together with what lies on it; that is the least change of
 * momentum. */
static cdn_status stop_leaving(moment *m) {
  cdn_status status = CDN_OK;
  for (int on = 1; on >= 0; on--) {
    for (int i = 0; i < hybrid_sides(m->room); i++)
      if (m->leaves[i] || (m->joins[i] && !side_is_on(m->room, m->state, i)))
        CDNI_TRY(cdn_constraint_set_enabled(m->state, (cdn_constraint){ side_at(m->room, i)->constraint }, on));
    if (on) status = cdni_moment_project(m);
  }
  return status;
}

/* Gives what leaves the speed of a flight of all that are to come, `times` its present one, by impulses of its
 * normals: a multiple of those that would stop it. u: 2 nu numbers of work. */
static cdn_status fly_on(moment *m, double times, cdn_hybrid_totals *totals, double *u) {
  const size_t nu = (size_t)m->nu, first = (size_t)m->first_u;
  double *f = u + m->all_nu, energy = 0;
  memcpy(u, cdn_state_u(m->state), (size_t)m->all_nu * sizeof *u);
  CDNI_TRY(stop_leaving(m));
  const double *stopped = cdn_state_u(m->state);
  for (int k = 0; k < m->all_nu; k++) u[k] -= stopped[k];
  CDNI_TRY(cdn_realize(m->state, CDN_STAGE_VELOCITY));
  CDNI_TRY(cdn_multiply_by_M(m->state, u + first, f));
  for (size_t k = 0; k < nu; k++) energy += 0.5 * u[first + k] * f[k];
  totals->impact_energy -= (times * times - 1) * energy;
  for (int k = 0; k < m->all_nu; k++) u[k] = cdn_state_u(m->state)[k] + times * u[k];
  CDNI_TRY(cdn_state_set_u(m->state, u));
  return cdn_realize(m->state, CDN_STAGE_ACCELERATION);
}

/* Whether the flight before the impact has lasted as long as the ratio of speeds says, by what pulls each element back
 * now. */
static cdn_status check_flight(moment *m, double ratio, bool *agrees) {
  const tree_data d = cdni_matter_data(m->room->matter, m->state);
  *agrees = follow_accuracy(m, m->leaves);
  for (int i = 0; i < hybrid_sides(m->room) && *agrees; i++) {
    const one_sided *s = side_at(m->room, i);
    double aerr[HYBRID_MOST_EQUATIONS], gap, speed;
    if (!m->leaves[i]) continue;
    CDNI_TRY(cdni_constraint_accelerations(m->room->constraints, m->state, s->constraint, d.A, d.udot, aerr));
    CDNI_TRY(cdni_moment_gap(m, i, &gap, &speed));
    const double pull = -s->sign * aerr[0];
    *agrees = !side_is_on(m->room, m->state, i) && fabs(0.5 * pull * ratio * m->lasted - speed) <= SAME_TIME * speed;
  }
  return CDN_OK;
}

cdn_status cdni_bounces_end(moment *m, cdn_hybrid_totals *totals) {
  if (!(m->leaving_speed > 0 && m->lasted > 0)) return CDN_OK;
  const double ratio = m->leaving_speed / m->landing_speed, times = 1 / (1 - ratio);
  bool agrees;
  if (!(times * m->leaving_speed < m->accuracy || m->leaving_speed < BEFORE * m->captured_below)) return CDN_OK;
  CDNI_TRY(check_flight(m, ratio, &agrees));
  if (!agrees) return CDN_OK;
  double *work = cdn_work_push(m->state, ((size_t)m->all_nu + (size_t)m->nu) * sizeof *work);
  if (!work) return cdni_state_fail(m->state, CDN_ERR_NOMEM, false, "cdn_settle", NULL, "out of memory");
  const cdn_status status = fly_on(m, times, totals, work);
  cdn_work_pop(m->state, work);
  for (int i = 0; i < hybrid_sides(m->room); i++) {
    double gap;
    if (m->leaves[i]) CDNI_TRY(cdni_moment_gap(m, i, &gap, &flight_of(m, i)[FLIGHT_LAST]));
  }
  return status;
}
