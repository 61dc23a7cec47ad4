/* Impact by a law of the user's: what it is told, and whether its impulses may be. */
#include <math.h>

#include "hybrid/impact.h"
#include "matter/operators.h"

/* What impulses and speeds may be beyond their limits, relative to the largest; energy has that of a strike. */
static const double BEYOND = 1e-9, GAINED = 1e-10;

static size_t divide(void *base, int cones, cdn_impact_contact **contacts) {
  size_t at = 0;
  *contacts = cdni_part(base, &at, (size_t)cones, sizeof **contacts);
  return at;
}

size_t cdni_impact_user_work(int cones) {
  cdn_impact_contact *contacts;
  return divide(NULL, cones, &contacts);
}

static void describe(const moment *m, cdn_impact_contact *contacts) {
  for (int i = 0; i < m->n_cones; i++) {
    const cone *c = &m->cones[i];
    contacts[i] = (cdn_impact_contact){ .normal = { -1 },
                                        .friction = { -1 },
                                        .normal_row = c->normal,
                                        .tangent_row = c->n > 0 ? c->tangent : -1,
                                        .tangents = c->n };
    if (c->normal >= 0) contacts[i].restitution = m->e[c->normal];
  }
  for (int i = 0; i < hybrid_sides(m->room); i++)
    if (m->side_cone[i] >= 0) contacts[m->side_cone[i]].normal.i = i;
  for (int i = 0; i < hybrid_frictions(m->room); i++) {
    if (m->friction_cone[i] < 0) continue;
    contacts[m->friction_cone[i]].friction.i = i;
    contacts[m->friction_cone[i]].mu = friction_params(m->room, m->state, i)[FRICTION_DYNAMIC];
  }
}

static const char *name_of(const moment *m, const cdn_impact_contact *c) {
  return c->normal.i >= 0 ? side_at(m->room, c->normal.i)->name : friction_at(m->room, c->friction.i)->name;
}

static cdn_status refuse(const moment *m, const cdn_impact_contact *c, const char *what, double by) {
  const char *name = c ? name_of(m, c) : NULL;
  return cdni_state_fail(m->state, CDN_ERR_CONSTRAINT, false, "cdn_settle", name, "impact law '%s': %s%s%s%s: %.3g",
                         m->room->own_name, what, c ? " '" : "", c ? name : "", c ? "'" : "", by);
}

/* Whether the impulses m->total, which lead to the speeds m->w, are those of contacts. */
static cdn_status check(moment *m, const cdn_impact_contact *contacts) {
  double impulse = 0, speed = 0, energy = 0, scale = 0;
  bool depends = false;
  for (int r = 0; r < m->rows; r++)
    if (!isfinite(m->total[r]) || !isfinite(m->w[r]))
      return refuse(m, NULL, "its impulses must be finite; the first that is not is that of row", r);
  for (int r = 0; r < m->rows; r++) {
    const double part = 0.5 * m->total[r] * (m->v[r] + m->w[r]);
    impulse = fmax(impulse, fabs(m->total[r])), speed = fmax(speed, fmax(fabs(m->v[r]), fabs(m->w[r])));
    energy += part, scale += fabs(part);
  }
  memcpy(m->p, m->total, (size_t)m->rows * sizeof *m->p);
  cdni_moment_set_bounds(m, true, NULL, &depends);
  for (int i = 0; i < m->n_cones; i++) {
    const cone *c = &m->cones[i];
    const double P = c->normal >= 0 ? m->total[c->normal] : 0, w = c->normal >= 0 ? m->w[c->normal] : 0;
    const double excess = cone_size(c, m->total) - fmax(0, c->mu_dynamic * P + c->base_dynamic);
    if (-P > BEYOND * impulse) return refuse(m, &contacts[i], "it pulls at", P);
    if (-w > BEYOND * speed) return refuse(m, &contacts[i], "a speed of approach is left at", w);
    if (c->n > 0 && excess > BEYOND * impulse)
      return refuse(m, &contacts[i], "its friction exceeds mu times the push at", excess);
  }
  return energy > GAINED * scale ? refuse(m, NULL, "it gains energy, J", energy) : CDN_OK;
}

/* All numbers of W. */
static cdn_status spread(const moment *m, double **response) {
  const size_t rows = (size_t)m->rows;
  CDNI_TRY(cdni_operator_work(m->state, "cdn_settle", (rows * rows + 1) * sizeof(double), (void **)response));
  memset(*response, 0, rows * rows * sizeof **response);
  for (size_t r = 0; r < rows; r++) cdni_sparse_add_to(&m->W, (int)r, 1, *response + r * rows);
  return CDN_OK;
}

cdn_status cdni_impact_by_user(moment *m, double by) {
  const size_t rows = (size_t)m->rows;
  cdn_impact_contact *contacts;
  double *response;
  (void)by; /* it gains no energy: nothing is lowered */
  CDNI_TRY(spread(m, &response));
  divide(m->law_work, m->n_cones, &contacts);
  describe(m, contacts);
  const cdn_impact_set set = { .time = cdn_state_time(m->state),
                               .n = m->n_cones,
                               .rows = m->rows,
                               .contacts = contacts,
                               .speeds = m->v,
                               .response = response };
  memset(m->total, 0, rows * sizeof *m->total);
  const cdn_status status = m->room->own.solve(m->room->own_self, &set, m->total);
  cdn_work_pop(m->state, response);
  if (status != CDN_OK)
    return cdni_state_fail(m->state, status, false, "cdn_settle", NULL, "impact law '%s' failed: %s", m->room->own_name,
                           cdn_status_name(status));
  for (int r = 0; r < m->rows; r++) m->w[r] = m->v[r] + cdni_sparse_dot(&m->W, r, m->total);
  return check(m, contacts);
}
