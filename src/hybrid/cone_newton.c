/* Newton's method on the cones as they are. Each condition is a projection,
 *
 *   p_n = max(floor, p_n - rho w_n),   p_t = the nearest to p_t - rho w_t within the bound,
 *
 * whose derivative is known on either side. It is fast near a solution, and needs to be brought there. */
#include <float.h>
#include <math.h>
#include <string.h>

#include "core/core.h"
#include "hybrid/cone_set.h"

/* What rows give way, relative to the largest number of W; the residual at the end, relative to the pushes: where it is
 * small, and where it is small enough if it falls no more. */
static const double GIVE = 1e-8, END = 1e-15, ROUNDED = 1e-11;
enum { STEPS = 20, HALVINGS = 6, ROUNDS = 4, SWEEPS = 300 };

/* One cone's residual F, and its derivatives A by its pushes and B by its results. */
typedef struct law {
  double F[3], A[9], B[9];
} law;

static void hold(law *l, int slot, double F) { l->F[slot] = F, l->A[4 * slot] = 1; }

/* The tangents' part; N is the normal's projection, and whether it is free. */
static void press(const cone_set *s, const cone *a, cone *found, double rho, double N, bool is_free, law *l) {
  int act[CONE_MOST_TANGENTS];
  const int n = cdni_cone_tangents(s, a, act);
  const bool is_static = cone_is_static(a);
  const double mu = is_static ? a->mu_static : a->mu_dynamic;
  const double most = fmax(0, mu * N + (is_static ? a->base_static : a->base_dynamic));
  double q[3] = { 0, 0, 0 }, d[3] = { 0, 0, 0 };
  for (int t = 0; t < a->n; t++) hold(l, cone_place(a, t), s->p[a->tangent + t]);
  for (int t = 0; t < n; t++) q[act[t]] = s->p[a->tangent + act[t]] - rho * s->w[a->tangent + act[t]];
  const double size = cone_norm(q);
  for (int t = 0; t < 3 && size > 0; t++) d[t] = q[t] / size;
  found->status = a->slips || size > most ? CONE_SLIPS : CONE_STICKS;
  for (int t = 0; t < 3 && !a->slips && size > 0; t++) found->e[t] = -d[t];
  for (int t = 0; t < n; t++) {
    const int i = act[t], place = cone_place(a, i), row = 3 * place;
    const double along = a->slips ? -a->e[i] : d[i];
    if (found->status == CONE_STICKS) {
      l->F[place] = rho * s->w[a->tangent + i];
      l->A[row + place] = 0, l->B[row + place] = rho;
      continue;
    }
    l->F[place] -= most * along;
    if (is_free) l->A[row] = -mu * along, l->B[row] = mu * along * rho;
    for (int u = 0; u < n && !a->slips; u++) {
      const int j = act[u], to = row + cone_place(a, j);
      const double turn = most / size * ((i == j) - d[i] * d[j]);
      l->A[to] -= turn, l->B[to] += turn * rho;
    }
  }
}

/* `found` (a copy of the cone) gets the statuses of the projection. */
static void find_law(const cone_set *s, int k, cone *found, law *l) {
  const cone *a = &s->cones[k];
  double steepest = 0, N = 0;
  bool is_free = false;
  memset(l, 0, sizeof *l);
  for (int t = 0; t < a->n; t++) steepest = fmax(steepest, s->diagonal[a->tangent + t]);
  if (a->normal >= 0) steepest = fmax(steepest, s->diagonal[a->normal]);
  const double rho = 1 / fmax(steepest, DBL_MIN);
  if (a->normal >= 0) {
    const double q = s->p[a->normal] - rho * s->w[a->normal];
    is_free = cdni_cone_acts(s, a->normal) && q > a->floor;
    N = is_free ? q : a->floor;
    hold(l, 0, s->p[a->normal] - N);
    if (is_free) l->A[0] = 0, l->B[0] = rho;
  } else if (a->n < 3) l->A[0] = 1;
  for (int t = a->n; t < 2; t++) l->A[4 * (1 + t)] = 1;
  found->closed = is_free;
  press(s, a, found, rho, N, is_free, l);
  if (a->normal >= 0 && !is_free && a->floor <= 0) found->status = CONE_OPEN;
}

/* Rows that give way: each by `size` times its push, or times what that is more than one of `from` (NULL: 0). */
typedef struct giving {
  double size;
  const double *from;
} giving;
static const giving STIFF = { 0, NULL };

/* The residual by slot. Returns its size. */
static double find_residual(cone_set *s, giving give) {
  double sum = 0;
  cdni_cone_results(s);
  for (int r = 0; r < s->rows; r++) s->w[r] += give.size * (s->p[r] - (give.from ? give.from[r] : 0));
  for (int k = 0; k < s->n; k++) {
    cone found = s->cones[k];
    law l;
    find_law(s, k, &found, &l);
    for (int i = 0; i < 3; i++) s->r[3 * k + i] = l.F[i], sum += l.F[i] * l.F[i];
  }
  return sqrt(sum);
}

/* The change that Newton's method makes. False: there is none. */
static bool find_change(cone_set *s, double give) {
  cone_factor *f = &s->factor;
  cdni_cone_factor_clear(f);
  for (int k = 0; k < s->n; k++) {
    const cone *a = &s->cones[k];
    int rows[3];
    cone_places(a, rows);
    double *own = cdni_cone_factor_block(f, k, k);
    cone found = *a;
    law l;
    find_law(s, k, &found, &l);
    for (int i = 0; i < 9; i++) own[i] += l.A[i] + give * l.B[i];
    for (int j = 0; j < 3; j++) {
      const double *B = l.B + j;
      if (rows[j] < 0 || (B[0] == 0 && B[3] == 0 && B[6] == 0)) continue;
      double *block = NULL;
      int of = -1;
      for (int x = s->first[rows[j]]; x < s->first[rows[j] + 1]; x++) {
        const int to = s->slot[s->column[x]];
        if (to / 3 != of) of = to / 3, block = cdni_cone_factor_block(f, k, of);
        for (int i = 0; i < 3; i++) block[3 * i + to % 3] += B[3 * i] * s->value[x];
      }
    }
  }
  if (!cdni_cone_factor_decompose(f)) return false;
  for (int i = 0; i < 3 * s->n; i++) s->d[i] = -s->r[i];
  cdni_cone_factor_solve(f, s->d);
  return cdni_all_finite(s->d, 3 * (size_t)s->n, NULL);
}

static double move(cone_set *s, double by, giving give) {
  for (int r = 0; r < s->rows; r++) s->p[r] = s->was[r] + by * s->d[s->slot[r]];
  return find_residual(s, give);
}

/* Newton's method. The equations of its changes give way a little, so that they have a solution. */
static bool descend(cone_set *s, giving give) {
  const double least = fmax(give.size, GIVE * s->most);
  double norm = find_residual(s, give), before = INFINITY;
  for (int k = 0; k < STEPS; k++) {
    if (norm <= END * s->scale_p || (norm <= ROUNDED * s->scale_p && norm > 0.5 * before)) return true;
    double by = 1;
    before = norm;
    if (!find_change(s, least)) return false;
    memcpy(s->was, s->p, (size_t)s->rows * sizeof *s->was);
    norm = move(s, by, give);
    for (int i = 0; i < HALVINGS && !(norm < before); i++) norm = move(s, by /= 2, give);
    if (!(norm < before)) return norm <= ROUNDED * s->scale_p;
  }
  return norm <= ROUNDED * s->scale_p;
}

/* The statuses of the projection. */
static void read_statuses(cone_set *s) {
  for (int k = 0; k < s->n; k++) {
    cone found = s->cones[k];
    law l;
    find_law(s, k, &found, &l);
    s->cones[k] = found;
  }
}

/* And its pushes. */
static void settle(cone_set *s) {
  read_statuses(s);
  for (int r = 0; r < s->rows; r++) s->p[r] -= s->r[s->slot[r]];
  cdni_cone_results(s);
  cdni_cone_judge(s);
}

bool cdni_cone_newton(cone_set *s) {
  bool differ = false;
  s->unique = false;
  memcpy(s->near, s->p, (size_t)s->rows * sizeof *s->near);
  if (!cdni_cone_factor_prepare(s)) return false;
  for (int k = 0; k < s->n; k++) {
    cone *a = &s->cones[k];
    differ = differ || a->mu_static != a->mu_dynamic || a->base_static != a->base_dynamic;
    a->status = a->slips ? CONE_SLIPS : CONE_STICKS;
  }
  for (int k = 0; k < (differ ? ROUNDS : 1); k++) {
    if (!descend(s, STIFF)) return false;
    settle(s);
    if (s->residual <= CONE_TOLERANCE) return true;
  }
  return false;
}

/* What rows give way where the least of many solutions is sought, relative to the largest number of W, and what part of
 * it remains at once on the way there, at first and at last; a change of pushes that tells that there is but one; a
 * push that tries who does not push, both relative to the largest. */
static const double LESSEN = 1e-7, FIRST_PART = 1e-3, LAST_PART = 0.5, UNIQUE = 1e-6, TOUCH = 1e-2;
/* So often the solution without that is sought from the one before; so many statuses may be others. */
enum { APPROACHES = 3, FEW_GUESSES = 3 };

/* What neither parts nor pushes may push in the least solution. */
static void touch_all(cone_set *s) {
  for (int k = 0; k < s->n; k++) {
    const cone *a = &s->cones[k];
    if (a->normal < 0 || fabs(s->w[a->normal]) > CONE_TOLERANCE * s->scale_w) continue;
    if (s->p[a->normal] - a->floor <= 1e-3 * TOUCH * s->scale_p) s->p[a->normal] += TOUCH * s->scale_p;
  }
}

/* Whether a solution stays where rows give way a little. */
static bool is_least(cone_set *s) {
  double most = 0;
  touch_all(s);
  find_residual(s, (giving){ LESSEN * s->most, NULL });
  if (!find_change(s, LESSEN * s->most)) return true;
  for (int i = 0; i < 3 * s->n; i++) most = fmax(most, fabs(s->d[i]));
  return most <= UNIQUE * s->scale_p;
}

/* The solution of rows that give way, on a way that does not depend on the solution that is known: from no pushes at
 * all, and from rows that give way much. */
static bool find_least(cone_set *s) {
  double give = 1, by = FIRST_PART;
  memset(s->p, 0, (size_t)s->rows * sizeof *s->p);
  if (!descend(s, (giving){ give * s->most, NULL })) return false;
  while (give > LESSEN && by < LAST_PART) {
    const double next = fmax(by * give, LESSEN);
    memcpy(s->near, s->p, (size_t)s->rows * sizeof *s->near);
    if (descend(s, (giving){ next * s->most, NULL })) give = next;
    else memcpy(s->p, s->near, (size_t)s->rows * sizeof *s->p), by = sqrt(by);
  }
  return give == LESSEN;
}

/* The same from the pushes that are there, where that way takes too long. Whole steps: what they overshoot the next
 * takes back. */
static bool find_least_from_here(cone_set *s) {
  const giving give = { LESSEN * s->most, NULL };
  double norm = find_residual(s, give);
  for (int k = 0; k < STEPS && norm > ROUNDED * s->scale_p; k++) {
    if (!find_change(s, give.size)) return false;
    const double by = k % 8 == 7 ? 0.5 : 1; /* out of a circle of whole steps */
    for (int r = 0; r < s->rows; r++) s->p[r] += by * s->d[s->slot[r]];
    norm = find_residual(s, give);
  }
  return norm <= ROUNDED * s->scale_p;
}

/* The solution near that: rows give way by what pushes differ from it, which is next to nothing. */
static bool find_near(cone_set *s) {
  for (int k = 0; k < APPROACHES; k++) {
    memcpy(s->near, s->p, (size_t)s->rows * sizeof *s->near);
    if (!descend(s, (giving){ LESSEN * s->most, s->near })) return false;
    find_residual(s, STIFF);
    settle(s);
    if (s->residual <= CONE_TOLERANCE) return true;
  }
  return false;
}

/* As exact as the equations of its statuses, if these have such a solution near it. */
static void make_exact(cone_set *s) {
  double worst = 0;
  memcpy(s->near, s->p, (size_t)s->rows * sizeof *s->near);
  bool exact = cdni_cone_evaluate(s);
  for (int i = 0; i < s->n && exact; i++) worst = fmax(worst, cdni_cone_look(s, &s->cones[i]).size);
  if (exact && worst <= CONE_TOLERANCE) return;
  memcpy(s->p, s->near, (size_t)s->rows * sizeof *s->p);
  cdni_cone_results(s);
  cdni_cone_judge(s);
}

void cdni_cone_lessen(cone_set *s, bool from_here) {
  if (!cdni_cone_factor_prepare(s)) return;
  memcpy(s->kept_p, s->p, (size_t)s->rows * sizeof *s->p);
  memcpy(s->kept, s->cones, (size_t)s->n * sizeof *s->kept);
  if (!is_least(s)) {
    if (from_here && find_least_from_here(s)) {
      read_statuses(s);
      memcpy(s->near, s->p, (size_t)s->rows * sizeof *s->near);
      if (cdni_cone_guess(s, FEW_GUESSES)) return;
    } else if (!from_here && find_least(s) && find_near(s)) {
      make_exact(s);
      return;
    }
  }
  memcpy(s->p, s->kept_p, (size_t)s->rows * sizeof *s->p);
  memcpy(s->cones, s->kept, (size_t)s->n * sizeof *s->kept);
  cdni_cone_results(s);
  cdni_cone_judge(s);
}

bool cdni_cone_alternate(cone_set *s, int rounds) {
  for (int k = 0; k < rounds; k++) {
    for (int i = 0; i < s->n; i++) s->cones[i].status = s->cones[i].slips ? CONE_SLIPS : CONE_STICKS;
    cdni_cone_sweep(s, SWEEPS, 1);
    if (cdni_cone_newton(s)) return true;
    memcpy(s->p, s->near, (size_t)s->rows * sizeof *s->near);
  }
  return false;
}
