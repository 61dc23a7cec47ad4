/* How accelerations vary while friction slips, by the implicit function theorem.
 *
 * Friction i pushes with -sigma e along its rows H, where sigma = mu(v) N(lambda), and v = H u + rest. At constant
 * sigma a change of q and u turns e, and carries the rows along. Then sigma changes by
 *
 *   d sigma = N d mu + mu N' dlambda,     dlambda = dlambda0 + L d sigma,     N' = dN/dlambda,
 *
 * with the columns L of the System's answer: (1 - mu N' L) d sigma = N d mu + mu N' dlambda0. The answer to d sigma is
 * added. A reaction r that is kept does not change: r' L d sigma = -r' dlambda0. A slip that begins has a column of
 * sigma for each of its equations, and accelerates along the direction of all of them: so
 *
 *   d(sigma_k a_0 - sigma_0 a_k) = 0,     da = da0 + B d sigma. */
#include <math.h>

#include "hybrid/joint_vary.h"
#include "hybrid/press.h"
#include "hybrid/slip.h"
#include "matter/derivatives.h"

/* The rows of changes of follower i: its size, and of a slip that begins its accelerations. */
static int rows_of(const hybrid_room *room, const cdn_state *state, int i) {
  return cdni_friction_begins(room, hybrid_statuses(room, state), i) ? 1 + friction_at(room, i)->n : 1;
}

int cdni_hybrid_slip_count(const hybrid_room *room, const cdn_state *state) {
  int n = 0;
  for (int i = 0; i < hybrid_followers(room); i++)
    if (cdni_follower_acts(room, hybrid_statuses(room, state), i)) n += rows_of(room, state, i);
  return n;
}

static const double *multipliers(const hybrid_room *room, cdn_state *state) {
  return (const double *)cdni_state_storage(state, (cdn_cache){ 0, CDN_MULTIPLIERS }) +
         cdni_constraints_first_row(room->constraints);
}

/* ---- at constant multipliers ---- */

/* For a change of the speed of slip: that of e, and of mu. */
static double turn(const friction_law *law, const double *numbers, const double *p, int n, const double *dv,
                   double *de) {
  const double length = numbers[FRICTION_REST] >= 0 ? cone_norm(law->v) : 0, along = cone_dot(dv, law->e);
  for (int k = 0; k < CONE_MOST_TANGENTS; k++) de[k] = n > 1 && length > 0 ? (dv[k] - law->e[k] * along) / length : 0;
  const double more = along + cone_dot(law->v, de);
  return law->along < 0 ? -p[FRICTION_VISCOUS] * more : p[FRICTION_VISCOUS] * more;
}

/* One friction: V has the derivatives of its speeds (n x nu) by q or u. Adds sigma H^T de to tau's, and N dmu. */
static void add_turns(const friction_law *law, const double *numbers, const double *params, int n, size_t nu, double N,
                      const double *H, const double *V, double *tau, double *change) {
  for (size_t c = 0; c < nu; c++) {
    double dv[CONE_MOST_TANGENTS] = { 0 }, de[CONE_MOST_TANGENTS];
    for (int k = 0; k < n; k++) dv[k] = V[(size_t)k * nu + c];
    change[c] += N * turn(law, numbers, params, n, dv, de);
    for (int k = 0; k < n; k++)
      for (size_t u = 0; u < nu && de[k] != 0; u++) tau[u * nu + c] += law->mu * N * de[k] * H[(size_t)k * nu + u];
  }
}

/* out += by times the change of the norm of x, whose numbers change by these rows. */
static void add_norm(int n, const double *x, size_t columns, const double *rows, double by, double *out) {
  double size = 0;
  for (int k = 0; k < n; k++) size = hypot(size, x[k]);
  for (int k = 0; k < n && size > 0; k++)
    for (size_t c = 0; c < columns; c++) out[c] += by * x[k] / size * rows[(size_t)k * columns + c];
}

/* Room for one element's rows, and what mobilizers transmit (NULL: nobody follows it), with its changes. */
typedef struct slip_changes {
  const hybrid_room *room;
  derivative_pass *p;
  double *V, *joints, *by[3];
  size_t columns[3];
} slip_changes;

/* Zero, and what follows a mobilizer. */
static void begin_changes(const slip_changes *x, int i, double mu, double *const change[3]) {
  const hybrid_room *room = x->room;
  const int kept = i - hybrid_frictions(room),
            joint = kept >= 0 ? kept_at(room, kept)->joint : friction_at(room, i)->joint;
  for (int k = 0; k < 3; k++) {
    if (!change[k]) continue;
    memset(change[k], 0, x->columns[k] * sizeof **change);
    if (joint < 0) continue;
    const size_t at = JOINT_NUMBERS * (size_t)joint;
    const double *by = x->by[k] + at * x->columns[k];
    if (kept >= 0) memcpy(change[k], by, x->columns[k] * sizeof **change);
    else add_norm(JOINT_NUMBERS, x->joints + at, x->columns[k], by, mu, change[k]);
  }
}

/* Of a slip that begins: how its accelerations along its columns change, into the rows behind that of the size. */
static cdn_status add_accelerations(const slip_changes *x, int i, double *const change[3]) {
  const hybrid_room *room = x->room;
  const size_t nu = x->columns[0], n = (size_t)friction_at(room, i)->n;
  const int elements[] = { i, i, i }, across[] = { 0, 1, 2 };
  friction_law laws[CONE_MOST_TANGENTS];
  double *by[2] = { x->V, x->V + n * nu };
  CDNI_TRY(cdni_slip_laws(room, x->p->state, (int)n, elements, across, laws));
  CDNI_TRY(
      cdni_constraint_differentiate_accelerations(room->constraints, x->p, friction_at(room, i)->slip, by[0], by[1]));
  for (size_t j = 0; j < n; j++)
    for (int k = 0; k < 3; k++) {
      double *to = change[k] ? change[k] + (1 + j) * x->columns[k] : NULL;
      if (to) memset(to, 0, x->columns[k] * sizeof *to);
      for (size_t c = 0; to && k < 2 && c < nu; c++)
        for (size_t e = 0; e < n; e++) to[c] += laws[j].pull[e] * by[k][e * nu + c];
    }
  return CDN_OK;
}

static cdn_status one(const slip_changes *x, int i, double *const change[3]) {
  const hybrid_room *room = x->room;
  derivative_pass *p = x->p;
  const size_t nu = (size_t)p->m->tree.nu;
  const follower follows = cdni_follower(room, i);
  const double *now = follower_force(room, p->state, i);
  double *V = x->V;
  if (follows.keeps) { /* its row, with a constant force */
    begin_changes(x, i, 1, change);
    return cdni_constraint_differentiate_off(room->constraints, p, follows.push, now, V);
  }
  const double *numbers = friction_numbers(room, p->state, i), *params = friction_params(room, p->state, i);
  const pressing pressed = { .lambda = multipliers(room, p->state), .joints = x->joints };
  double *H = V + CONE_MOST_TANGENTS * nu, force[CONE_MOST_TANGENTS] = { 0 };
  friction_law law;
  CDNI_TRY(cdni_friction_law(room, p->state, i, &law));
  begin_changes(x, i, law.mu, change);
  const double N = cdni_friction_press(room, p->state, i, &pressed, NULL);
  const bool begins = rows_of(room, p->state, i) > 1;
  for (int k = 0; k < follows.n; k++) force[k] = begins ? now[k] : -law.mu * N * law.pull[k];
  CDNI_TRY(cdni_constraint_differentiate_off(room->constraints, p, follows.push, force, V));
  CDNI_TRY(cdni_constraint_full_rows(room->constraints, p->state, follows.push, H));
  for (size_t k = nu; follows.n > 1 && k < 2 * nu; k++) V[k] *= law.scale, H[k] *= law.scale;
  if (change[0]) add_turns(&law, numbers, params, follows.n, nu, N, H, V, p->dq, change[0]);
  if (change[1]) add_turns(&law, numbers, params, follows.n, nu, N, H, H, p->du, change[1]);
  return begins ? add_accelerations(x, i, change) : CDN_OK;
}

static cdn_status differentiate(slip_changes *x, double *const by[3]) {
  const hybrid_room *room = x->room;
  if (x->by[0]) {
    double *const wanted[3] = { by[0] ? x->by[0] : NULL, by[1] ? x->by[1] : NULL, by[2] ? x->by[2] : NULL };
    CDNI_TRY(cdni_hybrid_vary_joints(room, x->p->state, x->p->function, wanted));
  }
  for (int i = 0, k = 0; i < hybrid_followers(room); i++) {
    double *change[3] = { NULL, NULL, NULL };
    if (!cdni_follower_acts(room, hybrid_statuses(room, x->p->state), i)) continue;
    for (int c = 0; c < 3; c++)
      if (by[c]) change[c] = by[c] + (size_t)k * x->columns[c];
    CDNI_TRY(one(x, i, change));
    k += rows_of(room, x->p->state, i);
  }
  return CDN_OK;
}

/* Whether a force follows what a mobilizer transmits. */
static bool joints_follow(const hybrid_room *room, const cdn_state *state) {
  for (int i = 0; i < hybrid_followers(room); i++) {
    const int kept = i - hybrid_frictions(room);
    if (!cdni_follower_acts(room, hybrid_statuses(room, state), i)) continue;
    if ((kept >= 0 ? kept_at(room, kept)->joint : friction_at(room, i)->joint) >= 0) return true;
  }
  return false;
}

cdn_status cdni_hybrid_differentiate(const hybrid_room *room, derivative_pass *p, double *const by[3]) {
  const size_t nu = (size_t)p->m->tree.nu, nz = (size_t)cdn_system_nz(cdn_state_system(p->state));
  const size_t numbers = joints_follow(room, p->state) ? JOINT_NUMBERS * (size_t)room->joints : 0;
  slip_changes x = { .room = room, .p = p, .columns = { nu, nu, nz } };
  const size_t rows = 2 * CONE_MOST_TANGENTS * nu;
  CDNI_TRY(
      cdni_operator_work(p->state, p->function, (rows + numbers * (2 * nu + nz) + 1) * sizeof(double), (void **)&x.V));
  if (numbers > 0) x.by[0] = x.V + rows, x.by[1] = x.by[0] + numbers * nu, x.by[2] = x.by[1] + numbers * nu;
  cdn_status status = cdni_joints_of(room, p->state, &x.joints);
  if (status == CDN_OK) {
    status = differentiate(&x, by);
    if (x.joints) cdn_work_pop(p->state, x.joints);
  }
  cdn_work_pop(p->state, x.V);
  return status;
}

/* ---- with them ---- */

typedef struct slip_columns {
  const hybrid_room *room;
  cdn_state *state;
  int n, *elements, *across;
  friction_law *laws;
  double *G, *X, *L, *A, *B, *r; /* rows of one, nu x n, equations x n, n x n twice; n x the most columns */
  double *scale;                 /* of equations of reactions and directions: their largest number; else 1 */
  double *sigma, *a, *rows, *D;  /* forces; accelerations of slips that begin, their rows (n x nu), and their answer */
  double *joints, *J;            /* what mobilizers transmit; joints x n */
  bool follows;                  /* a force follows it */
} slip_columns;

static size_t divide(slip_columns *x, size_t columns, char *frame) {
  const size_t n = (size_t)x->n, nu = (size_t)x->room->matter->tree.nu, d = sizeof(double);
  const size_t m = (size_t)cdni_constraints_equations(x->room->constraints);
  size_t at = 0;
  x->elements = cdni_part(frame, &at, n, sizeof *x->elements);
  x->across = cdni_part(frame, &at, n, sizeof *x->across);
  x->sigma = cdni_part(frame, &at, n, d), x->a = cdni_part(frame, &at, n, d);
  x->rows = cdni_part(frame, &at, n * nu, d), x->D = cdni_part(frame, &at, n * n, d);
  x->laws = cdni_part(frame, &at, n, sizeof *x->laws);
  x->G = cdni_part(frame, &at, CONE_MOST_TANGENTS * nu, d), x->X = cdni_part(frame, &at, nu * n, d);
  x->L = cdni_part(frame, &at, m * n, d), x->A = cdni_part(frame, &at, n * n, d);
  x->B = cdni_part(frame, &at, n * n, d), x->r = cdni_part(frame, &at, n * columns, d);
  x->scale = cdni_part(frame, &at, n, d);
  x->J = cdni_part(frame, &at, JOINT_NUMBERS * (size_t)x->room->joints * n, d);
  return at;
}

/* to (rows x columns) += A (rows x n) times d sigma. */
static void add_answer(const slip_columns *x, size_t rows, const double *A, size_t columns, double *to) {
  const size_t n = (size_t)x->n;
  for (size_t k = 0; k < rows; k++)
    for (size_t j = 0; j < n; j++)
      for (size_t c = 0; c < columns && A[k * n + j] != 0; c++)
        to[k * columns + c] += A[k * n + j] * x->r[j * columns + c];
}

/* How a kept reaction changes along the columns. */
static void change_kept(const slip_columns *x, int element, const pressing *p, double *out) {
  cdni_kept_now(x->room, element - hybrid_frictions(x->room), p, out);
}

/* How what mobilizers transmit changes along a variation, in scratch that the caller gives back. */
static cdn_status change_joints(const slip_columns *x, const slip_variation *v, double **J) {
  const size_t columns = (size_t)v->columns, none = 0;
  const double zero = 0;
  *J = NULL;
  if (!x->follows) return CDN_OK;
  CDNI_TRY(cdni_operator_work(x->state, "cdn_forward_dynamics_derivatives",
                              (JOINT_NUMBERS * (size_t)x->room->joints * columns + 1) * sizeof **J, (void **)J));
  for (size_t c = 0; c < columns; c++) {
    const joint_cause cause = { v->udot + c, v->lambda ? v->lambda + c : &zero, columns, v->lambda ? columns : none, -1,
                                NULL };
    const cdn_status status = cdni_joint_change(x->room, x->state, &cause, columns, *J + c);
    if (status != CDN_OK) {
      cdn_work_pop(x->state, *J);
      return status;
    }
  }
  return CDN_OK;
}

/* Whether column i is across a slip that begins, and turns it. */
static bool steers(const slip_columns *x, int i) {
  const int first = i - x->across[i];
  return x->across[i] > 0 && x->sigma[first] != 0 && hybrid_steers(x->room, x->state)[x->elements[i]] >= 0 &&
         cdni_slip_turns(x->n, x->D, x->across, i);
}

/* By how much the acceleration along column i changes at constant forces: `change` is what a constant udot leaves. */
static double change_acceleration(const slip_columns *x, const slip_variation *v, int i, const double *change,
                                  size_t column) {
  const size_t nu = (size_t)x->room->matter->tree.nu;
  double sum = change ? change[column] : 0;
  for (size_t u = 0; u < nu; u++) sum += x->rows[(size_t)i * nu + u] * v->udot[u * (size_t)v->columns + column];
  return sum;
}

/* The right side of the equations: what changes them at constant forces. */
static void change_sizes(const slip_columns *x, const slip_variation *v, const double *J) {
  const size_t columns = (size_t)v->columns;
  const pressing p = { .lambda = multipliers(x->room, x->state),
                       .joints = x->joints,
                       .columns = v->lambda || J ? v->columns : 0,
                       .L = v->lambda,
                       .J = J };
  const double *change = v->change;
  for (int i = 0; i < x->n; i++) {
    double *r = x->r + (size_t)i * columns;
    const int element = x->elements[i], first = i - x->across[i];
    memset(r, 0, columns * sizeof *r);
    if (x->across[i] > 0) {
      /* the rows of accelerations come behind that of the size, which is where `change` is since the first column */
      const double *a0 = change ? change + columns : NULL, *ak = change ? a0 + (size_t)x->across[i] * columns : NULL;
      for (size_t c = 0; c < columns && steers(x, i); c++)
        r[c] = (x->sigma[i] * change_acceleration(x, v, first, a0, c) -
                x->sigma[first] * change_acceleration(x, v, i, ak, c)) /
               x->scale[i];
    } else if (cdni_follower(x->room, element).keeps) {
      change_kept(x, element, &p, r);
      for (size_t c = 0; c < columns; c++) r[c] = -(r[c] + (change ? change[c] : 0)) / x->scale[i];
    } else {
      cdni_friction_press(x->room, x->state, element, &p, r);
      for (size_t c = 0; c < columns; c++) r[c] = x->laws[i].mu * r[c] + (change ? change[c] : 0);
    }
    const bool last = i + 1 == x->n || x->across[i + 1] == 0;
    if (change && last) change += (size_t)rows_of(x->room, x->state, element) * columns;
  }
}

static cdn_status vary(slip_columns *x, const slip_variation *v) {
  const size_t n = (size_t)x->n, columns = (size_t)v->columns;
  double most = 0, *J;
  CDNI_TRY(change_joints(x, v, &J));
  change_sizes(x, v, J);
  if (J) cdn_work_pop(x->state, J);
  memcpy(x->B, x->A, n * n * sizeof *x->B);
  for (size_t k = 0; k < n * n; k++) most = fmax(most, fabs(x->B[k]));
  if (!cdni_eliminate(x->n, most, x->B, (int)columns, x->r)) {
    const char *name = cdni_follower(x->room, x->elements[0]).name;
    return cdni_state_fail(x->state, CDN_ERR_SINGULAR, false, "cdn_forward_dynamics_derivatives", name,
                           "the force of '%s' does not follow from the reactions that it causes (Painleve)", name);
  }
  add_answer(x, (size_t)x->room->matter->tree.nu, x->X, columns, v->udot);
  if (v->lambda) add_answer(x, (size_t)cdni_constraints_equations(x->room->constraints), x->L, columns, v->lambda);
  return CDN_OK;
}

/* Slips that begin: their accelerations, with their rows, and what forces change of them. */
static cdn_status see_accelerations(slip_columns *x) {
  const size_t n = (size_t)x->n, nu = (size_t)x->room->matter->tree.nu;
  const tree_data d = cdni_matter_data(x->room->matter, x->state);
  for (size_t i = 0; i < n; i++) {
    const follower of = cdni_follower(x->room, x->elements[i]);
    double a[CONE_MOST_TANGENTS] = { 0 };
    if (!cdni_friction_begins(x->room, hybrid_statuses(x->room, x->state), x->elements[i])) continue;
    CDNI_TRY(cdni_constraint_full_rows(x->room->constraints, x->state, of.push, x->G));
    CDNI_TRY(cdni_constraint_accelerations(x->room->constraints, x->state, of.push, d.A, d.udot, a));
    x->a[i] = cone_dot(x->laws[i].pull, a);
    double *row = x->rows + i * nu, *D = x->D + i * n;
    memset(row, 0, nu * sizeof *row), memset(D, 0, n * sizeof *D);
    for (size_t u = 0; u < nu; u++) {
      for (size_t e = 0; e < (size_t)of.n; e++) row[u] += x->laws[i].pull[e] * x->G[e * nu + u];
      for (size_t j = 0; j < n; j++) D[j] += row[u] * x->X[u * n + j];
    }
  }
  return CDN_OK;
}

/* The equation of column i for d sigma. */
static void set_equation(slip_columns *x, int i, const pressing *p) {
  const int n = x->n, element = x->elements[i], first = i - x->across[i];
  double *row = x->A + (size_t)i * (size_t)n, size = 0, most = 0;
  x->scale[i] = 1;
  if (x->across[i] > 0 && !steers(x, i)) {
    for (int j = 0; j < n; j++) row[j] = j == i;
    return;
  }
  if (x->across[i] > 0) {
    for (int j = 0; j < n; j++) row[j] = x->sigma[first] * x->D[i * n + j] - x->sigma[i] * x->D[first * n + j];
    row[first] += x->a[i], row[i] -= x->a[first];
  } else if (cdni_follower(x->room, element).keeps) change_kept(x, element, p, row);
  else {
    int width = 1;
    while (i + width < n && x->across[i + width] > 0) width++;
    cdni_friction_press(x->room, x->state, element, p, row);
    for (int j = 0; j < n; j++) row[j] *= -x->laws[i].mu;
    for (int k = i; k < i + width; k++) size = hypot(size, x->sigma[k]);
    if (width == 1 || size == 0) row[i] += 1;
    for (int k = i; k < i + width && width > 1 && size > 0; k++) row[k] += x->sigma[k] / size;
    return;
  }
  for (int j = 0; j < n; j++) most = fmax(most, fabs(row[j]));
  x->scale[i] = most;
  for (int j = 0; j < n; j++) row[j] /= most;
}

static cdn_status vary_all(slip_columns *x, int variations, const slip_variation *v) {
  const pressing p = {
    .lambda = multipliers(x->room, x->state), .joints = x->joints, .columns = x->n, .L = x->L, .J = x->J
  };
  cdni_slip_list_columns(x->room, x->state, x->elements, x->across);
  CDNI_TRY(cdni_slip_laws(x->room, x->state, x->n, x->elements, x->across, x->laws));
  for (int i = 0; i < x->n; i++)
    x->sigma[i] = cdni_slip_along(&x->laws[i], follower_force(x->room, x->state, x->elements[i]));
  CDNI_TRY(cdni_slip_columns(x->room, x->state, x->n, x->elements, x->laws, x->G, x->X));
  CDNI_TRY(x->room->answer.solve(x->state, x->n, x->X, x->L));
  CDNI_TRY(cdni_slip_joints(x->room, x->state, x->n, x->elements, x->laws, x->X, x->L, x->J));
  CDNI_TRY(see_accelerations(x));
  for (int i = 0; i < x->n; i++) set_equation(x, i, &p);
  for (int k = 0; k < variations; k++)
    if (v[k].columns > 0) CDNI_TRY(vary(x, &v[k]));
  return CDN_OK;
}

cdn_status cdni_hybrid_vary(const hybrid_room *room, cdn_state *state, const char *function, int n,
                            const slip_variation *variations) {
  slip_columns x = { .room = room, .state = state, .n = cdni_slip_list_columns(room, state, NULL, NULL) };
  size_t columns = 0;
  for (int k = 0; k < n; k++)
    columns = (size_t)variations[k].columns > columns ? (size_t)variations[k].columns : columns;
  void *frame;
  CDNI_TRY(cdni_operator_work(state, function, divide(&x, columns, NULL), &frame));
  divide(&x, columns, frame);
  x.follows = joints_follow(room, state);
  cdn_status status = cdni_joints_of(room, state, &x.joints);
  if (status == CDN_OK) {
    status = vary_all(&x, n, variations);
    if (x.joints) cdn_work_pop(state, x.joints);
  }
  cdn_work_pop(state, frame);
  return status;
}
