/* Forces that keep reactions, at a moment, and their impulses: in an impact reactions that are finite have none.
 * They act along rows of their own, and push p along the rows of contacts follow them: all accelerations,
 * multipliers and reactions are linear in both as long as statuses stay. So the forces are found by Newton's
 * method, whose slopes are differences of whole solutions; it ends after one step where no status changes. Those
 * that act on one side come and go until none is against its sense. */
#include <float.h>
#include <math.h>

#include "hybrid/impact.h"
#include "hybrid/press.h"
#include "math/lu.h"
#include "matter/operators.h"

enum { MOST_KEPT_STEPS = 40, MOST_CHOICES = 30 };

void cdni_kept_begin(moment *m) {
  for (int i = 0; i < hybrid_kept(m->room); i++) {
    const bool turns = m->fired && m->fired->turns && m->fired->turns[i];
    m->kept_before[i] = kept_at(m->room, i)->sense == 0 || kept_acts(m->room, m->state, i) != turns;
  }
}

/* The answer to impulses is that of masses and constraints alone. */
static cdn_status answer_impulse(moment *m, const double *G, double *X, double *L) {
  memset(m->f, 0, (size_t)m->all_nu * sizeof *m->f);
  memcpy(m->f + m->first_u, G, (size_t)m->nu * sizeof *G);
  CDNI_TRY(cdn_solve_constrained(m->state, m->f, NULL, m->x, m->lambda));
  memcpy(X, m->x + m->first_u, (size_t)m->nu * sizeof *X);
  memcpy(L, m->lambda + m->first_row, (size_t)m->equations * sizeof *L);
  return CDN_OK;
}

cdn_status cdni_moment_respond_kept(moment *m, bool impulses) {
  const hybrid_room *room = m->room;
  const size_t nu = (size_t)m->nu, eq = (size_t)m->equations, joints = JOINT_NUMBERS * (size_t)room->joints;
  for (int i = 0; i < hybrid_kept(room); i++) {
    double *G = m->kept_G + (size_t)i * nu, *X = m->kept_X + (size_t)i * nu, *L = m->kept_L + (size_t)i * eq;
    CDNI_TRY(cdni_constraint_full_rows(room->constraints, m->state, kept_at(room, i)->push, G));
    memcpy(X, G, nu * sizeof *X);
    if (impulses) CDNI_TRY(answer_impulse(m, G, X, L));
    else CDNI_TRY(room->answer.solve(m->state, 1, X, L));
    const joint_cause cause = { X, L, 1, 1, kept_at(room, i)->push, (double[]){ 1 } };
    CDNI_TRY(cdni_joint_change(room, m->state, &cause, 1, m->kept_J + (size_t)i * joints));
  }
  return CDN_OK;
}

/* What there is without these forces: now, or before an impulse. */
static void begin(moment *m, bool impulses) {
  const size_t eq = (size_t)m->equations, joints = JOINT_NUMBERS * (size_t)m->room->joints;
  memcpy(m->kept_b, m->b, (size_t)m->rows * sizeof *m->b);
  if (impulses) {
    memset(m->kept_lambda, 0, eq * sizeof *m->kept_lambda);
    memset(m->kept_joints, 0, joints * sizeof *m->kept_joints);
    return;
  }
  memcpy(m->kept_lambda, m->free_lambda, eq * sizeof *m->free_lambda);
  memcpy(m->kept_joints, m->free_joints, joints * sizeof *m->free_joints);
}

/* ---- what is kept, with the pushes that have been found ---- */

/* The row of a moment that stands for an equation of a constraint, with its sign; -1: there is none. */
static int row_of(const moment *m, int constraint, int equation, double *sign) {
  *sign = 1;
  for (int i = 0; i < hybrid_sides(m->room); i++) {
    if (side_at(m->room, i)->constraint != constraint || m->side_cone[i] < 0) continue;
    *sign = side_at(m->room, i)->sign;
    return m->cones[m->side_cone[i]].normal;
  }
  for (int i = 0; i < hybrid_frictions(m->room); i++)
    if (friction_at(m->room, i)->slip == constraint && m->friction_cone[i] >= 0) {
      *sign = friction_scale(m->room, m->state, i, equation);
      return m->cones[m->friction_cone[i]].tangent + equation;
    }
  return -1;
}

/* Whether there is a reaction to keep: its constraint holds. */
static bool is_held(const moment *m, int i) {
  const kept_reaction *x = kept_at(m->room, i);
  double sign;
  if (x->constraint < 0 || cdn_constraint_is_enabled(m->state, (cdn_constraint){ x->constraint })) return true;
  const int row = row_of(m, x->constraint, x->equation, &sign);
  for (int k = 0; k < m->n_cones && row >= 0; k++)
    if (m->cones[k].normal == row) return m->cones[k].closed;
  return row >= 0;
}

static double reaction_now(const moment *m, int i) {
  const kept_reaction *x = kept_at(m->room, i);
  double sign, sum;
  if (x->constraint < 0) {
    const size_t width = JOINT_NUMBERS * (size_t)m->room->joints, at = JOINT_NUMBERS * (size_t)x->joint;
    sum = m->free_joints[at];
    for (int r = 0; r < m->rows; r++) sum += m->J[(size_t)r * width + at] * m->p[r];
    return sum;
  }
  const int row = row_of(m, x->constraint, x->equation, &sign);
  if (row >= 0) return -sign * m->p[row];
  const size_t at = (size_t)(constraint_at(m->room->constraints, x->constraint)->row + x->equation);
  sum = m->free_lambda[at];
  for (int r = 0; r < m->rows; r++) sum += cdni_sparse_at(&m->L, r, (int)at) * m->p[r];
  return sum;
}

/* ---- all together ---- */

/* The cones with these forces. */
static bool solve_with(moment *m, const double *forces, bool impulses) {
  const size_t nu = (size_t)m->nu, eq = (size_t)m->equations, joints = JOINT_NUMBERS * (size_t)m->room->joints;
  memcpy(m->b, m->kept_b, (size_t)m->rows * sizeof *m->b);
  memcpy(m->free_lambda, m->kept_lambda, eq * sizeof *m->free_lambda);
  memcpy(m->free_joints, m->kept_joints, joints * sizeof *m->free_joints);
  for (size_t i = 0; i < (size_t)hybrid_kept(m->room); i++) {
    for (int r = 0; r < m->rows; r++) m->b[r] += cdni_sparse_dot(&m->G, r, m->kept_X + i * nu) * forces[i];
    for (size_t k = 0; k < eq; k++) m->free_lambda[k] += m->kept_L[i * eq + k] * forces[i];
    for (size_t k = 0; k < joints; k++) m->free_joints[k] += m->kept_J[i * joints + k] * forces[i];
  }
  return cdni_moment_solve(m, impulses, m->free_lambda);
}

typedef struct keeping {
  moment *m;
  bool impulses;
  int n, *acts;           /* those that act */
  double *A, *r, *forces; /* n x n, n; the forces of all */
  double *slopes;         /* of all: by how much its own force changes each reaction */
} keeping;

/* In an impact a reaction that is kept has no impulse. */
static double wanted(const keeping *x, int i) { return x->impulses ? 0 : kept_value(x->m->room, x->m->state, i); }

/* How far the reactions are from their values; the largest number as a scale. */
static double distance(const keeping *x, double *r, double *scale) {
  double most = 0;
  *scale = DBL_MIN;
  for (int k = 0; k < x->n; k++) {
    const double value = wanted(x, x->acts[k]), now = reaction_now(x->m, x->acts[k]);
    r[k] = value - now, most = fmax(most, fabs(r[k])), *scale = fmax(*scale, fmax(fabs(value), fabs(now)));
  }
  for (int k = 0; k < x->m->equations; k++) *scale = fmax(*scale, fabs(x->m->kept_lambda[k]));
  return most;
}

/* The forces of those that act, from none. False: there are none. */
static bool find_forces(keeping *x) {
  const size_t n = (size_t)x->n;
  double scale;
  memset(x->forces, 0, (size_t)hybrid_kept(x->m->room) * sizeof *x->forces);
  bool found = solve_with(x->m, x->forces, x->impulses);
  for (int step = 0; step < MOST_KEPT_STEPS && found; step++) {
    const double far = distance(x, x->r, &scale);
    if (far <= 1e-12 * scale && (step > 0 || far == 0)) return true;
    if (n == 0) return true;
    double by = scale, most = 0;
    for (size_t k = 0; k < n; k++) by = fmax(by, fabs(x->forces[x->acts[k]]));
    for (size_t c = 0; c < n && found; c++) {
      double *force = &x->forces[x->acts[c]], was = *force;
      *force += by * 1e-3;
      found = solve_with(x->m, x->forces, x->impulses);
      for (size_t k = 0; k < n; k++) {
        const double value = wanted(x, x->acts[k]);
        x->A[k * n + c] = (value - x->r[k] - reaction_now(x->m, x->acts[k])) / (by * -1e-3);
      }
      x->slopes[x->acts[c]] = x->A[c * n + c];
      *force = was;
    }
    for (size_t k = 0; k < n * n; k++) most = fmax(most, fabs(x->A[k]));
    x->m->unkept = kept_at(x->m->room, x->acts[0])->name; /* unless there is a step to take */
    for (size_t k = 1; k < n; k++)
      if (fabs(x->A[k * n + k]) < fabs(x->A[0])) x->m->unkept = kept_at(x->m->room, x->acts[k])->name;
    if (!found || !(most > 0) || !cdni_eliminate(x->n, most, x->A, 1, x->r)) return false;
    x->m->unkept = NULL;
    for (size_t k = 0; k < n; k++) x->forces[x->acts[k]] += x->r[k];
    found = solve_with(x->m, x->forces, x->impulses);
  }
  return found && distance(x, x->r, &scale) <= 1e-9 * scale;
}

/* Which of them act against their sense, or do not act where they have to. Returns whether any has changed. */
static bool choose(const keeping *x) {
  const moment *m = x->m;
  bool changed = false;
  double largest = 0;
  for (int r = 0; r < m->rows && x->impulses; r++) largest = fmax(largest, fabs(m->p[r]));
  for (int i = 0; i < hybrid_kept(m->room); i++) {
    const kept_reaction *k = kept_at(m->room, i);
    const double by = k->sense * (reaction_now(m, i) - wanted(x, i)), scale = fmax(fabs(wanted(x, i)), largest);
    const bool acted = m->keeps[i], held = is_held(m, i);
    const bool wrong = acted && k->sense * x->slopes[i] * x->forces[i] < 0;
    const bool needed = held && (k->sense == 0 || (!acted && by < -1e-12 * scale));
    m->keeps[i] = held && (acted ? !wrong : needed);
    changed = changed || m->keeps[i] != acted;
  }
  return changed;
}

static bool solve(keeping *x) {
  moment *m = x->m;
  const int all = hybrid_kept(m->room);
  bool found = false;
  for (int i = 0; i < all; i++) m->keeps[i] = m->kept_before[i] && is_held(m, i);
  for (int round = 0; round < MOST_CHOICES; round++) {
    x->n = 0;
    for (int i = 0; i < all; i++)
      if (m->keeps[i]) x->acts[x->n++] = i;
    found = find_forces(x);
    if (!found || !choose(x)) break;
    found = false;
  }
  for (int i = 0; i < all; i++) m->kept[i] = kept_at(m->room, i)->sense * (x->slopes[i] < 0 ? -1 : 1);
  return found;
}

bool cdni_moment_solve_kept(moment *m, bool impulses) {
  const size_t n = (size_t)hybrid_kept(m->room);
  const bool rests = impulses && !cdni_impact_by_sets(m->room);
  if (n == 0 || rests) return cdni_moment_solve(m, impulses, impulses ? NULL : m->free_lambda);
  begin(m, impulses);
  double *A = cdn_work_push(m->state, (n * n + n) * sizeof *A + n * sizeof(int));
  if (!A) return m->out_of_memory = true, false;
  keeping x = { .m = m, .impulses = impulses, .A = A, .r = A + n * n, .acts = (int *)(A + n * n + n) };
  x.forces = m->kept + n, x.slopes = m->kept + 2 * n;
  const bool found = solve(&x);
  for (size_t i = 0; i < n && impulses; i++) m->kept_total[i] += x.forces[i];
  cdn_work_pop(m->state, A);
  return found;
}

void cdni_kept_set_statuses(const moment *m, double *status) {
  for (int i = 0; i < hybrid_kept(m->room); i++) {
    double *to = status + kept_place(m->room, i);
    to[KEPT_ACTS] = m->keeps[i], to[KEPT_SIGN] = m->keeps[i] ? m->kept[i] : 0;
  }
}
