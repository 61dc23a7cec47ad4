/* How a projection varies. With the rows G of the constraints on the free mobilities, a step of it goes by -x, x = G^+
 * e = G^T y: what errors e (of positions, or of velocities) ask for. Where q vary by v, and what is projected by w,
 *
 *   dx = (1 - G^+ G) d(G^T y) v + G^+ (G w + d(G p) v),    p = -x for positions, u - x for velocities,
 *
 * so that what is left of w is (1 - G^+ G) (w - d(G^T y) v) - G^+ d(G p) v. Mobilities whose accelerations are
 * prescribed are not moved: their w stays, and the free ones take G w of it, too. Of positions it is then carried along
 * to where the step leads. A second step, from farther away than the tolerance, is not counted. */
#include "constraints/constraints.h"
#include "constraints/project.h"
#include "math/null_space.h"
#include "matter/derivatives.h"
#include "matter/move.h"
#include "matter/operators.h"

typedef struct varied {
  cdn_state *state;
  const char *function;
  const matter *m;
  const constraint_room *room;
  int first_row;
  size_t nu, equations;
  /* of the level */
  cdni_null_space rows;  /* on the free mobilities */
  int n, *at, *equation; /* which these are, and of each row the equation of the room */
  bool *held;            /* the others */
  double *e, *x, *y;     /* errors by row, nu, by equation */
  double *pull, *turn;   /* d(G^T y), nu x nu; d(G p), equations x nu */
  double *p, *other, *column, *b, *by_q, *by_u, *G;
} varied;

/* Divides memory, or counts the doubles if there is none. */
static size_t divide(varied *s, double *memory) {
  const size_t nu = s->nu, m = s->equations;
  size_t at = 0;
  s->rows.A = cdni_take(memory, &at, m * nu), s->rows.scale = cdni_take(memory, &at, m),
  s->rows.size = cdni_take(memory, &at, m);
  s->rows.order = (int32_t *)cdni_take(memory, &at, m);
  s->at = (int *)cdni_take(memory, &at, nu), s->equation = (int *)cdni_take(memory, &at, m);
  s->e = cdni_take(memory, &at, m), s->x = cdni_take(memory, &at, nu), s->y = cdni_take(memory, &at, m);
  s->pull = cdni_take(memory, &at, nu * nu), s->turn = cdni_take(memory, &at, m * nu);
  s->p = cdni_take(memory, &at, nu), s->other = cdni_take(memory, &at, m * nu);
  s->column = cdni_take(memory, &at, nu), s->b = cdni_take(memory, &at, m);
  s->by_q = cdni_take(memory, &at, MOVE_COLUMNS * nu), s->by_u = cdni_take(memory, &at, MOVE_COLUMNS * nu);
  s->G = cdni_take(memory, &at, (size_t)cdn_system_nudoterr(cdn_state_system(s->state)) * nu);
  return at;
}

/* What projections do not move, of positions and of velocities. */
static void mark_held(const varied *s) {
  const int32_t *prescribed = cdni_matter_data(s->m, s->state).prescribed;
  for (int b = 1; b < s->m->tree.n; b++)
    for (int k = 0; k < s->m->tree.node[b].nu; k++) s->held[s->m->tree.node[b].u + k] = prescribed && prescribed[b];
}

/* ---- the equations of a level ---- */

static cdn_status gather(varied *s, bool position) {
  const cdn_system *system = cdn_state_system(s->state);
  CDNI_TRY(cdn_calc_G(s->state, s->G));
  const double *errors = position ? cdn_state_qerr(s->state) : cdn_state_uerr(s->state);
  if (!errors) return cdni_state_last_status(s->state);
  s->n = s->rows.m = 0;
  for (size_t k = 0; k < s->nu; k++)
    if (!s->held[k]) s->at[s->n++] = (int)k;
  for (int c = 0; c < cdn_system_constraint_count(system); c++) {
    const cdn_constraint_equations of = cdn_constraint_get_equations(system, (cdn_constraint){ c });
    for (int k = 0; k < (position ? of.np : of.np + of.nv); k++, s->rows.m++) {
      s->equation[s->rows.m] = of.row + k - s->first_row;
      s->e[s->rows.m] = errors[(position ? of.qerr : of.uerr) + k];
      for (int i = 0; i < s->n; i++)
        s->rows.A[s->rows.m * s->n + i] = s->G[(size_t)(of.row + k) * s->nu + (size_t)s->at[i]];
    }
  }
  s->rows.n = s->n;
  /* the sine that makes an equation redundant in the elimination, too */
  cdni_null_space_factor(&s->rows, 3e-6);
  return CDN_OK;
}

/* x and y. */
static void find_step(varied *s) {
  memset(s->column, 0, (size_t)s->n * sizeof *s->column);
  cdni_null_space_reach(&s->rows, s->e, s->column);
  cdni_null_space_multipliers(&s->rows, s->column, s->b);
  memset(s->y, 0, s->equations * sizeof *s->y);
  for (int k = 0; k < s->rows.m; k++) s->y[s->equation[k]] = s->b[k];
  cdni_null_space_leave(&s->rows, s->column);
  memset(s->x, 0, s->nu * sizeof *s->x);
  for (int i = 0; i < s->n; i++) s->x[s->at[i]] = s->column[i];
}

/* d(G^T y) (NULL: not wanted) and the derivatives of the acceleration errors at p. */
static cdn_status differentiate(const varied *s, const double *p_or_null, double *pull, double *errors) {
  derivative_pass pass;
  const size_t nb = (size_t)s->m->tree.n;
  sv *no_force;
  CDNI_TRY(cdni_operator_work(s->state, s->function, nb * sizeof *no_force, (void **)&no_force));
  memset(no_force, 0, nb * sizeof *no_force);
  cdn_status status = cdni_derivatives_begin(&pass, s->state, s->function, p_or_null, no_force, pull, NULL, NULL);
  if (status == CDN_OK) {
    memset(pass.sum, 0, nb * sizeof *pass.sum); /* the constraints' forces alone */
    status = cdni_constraint_differentiate(s->room, &pass, s->y, errors, NULL);
    if (status == CDN_OK && pull) status = cdni_derivatives_fill(&pass);
    cdni_derivatives_end(&pass);
  }
  cdn_work_pop(s->state, no_force);
  return status;
}

/* Accelerations of the constraints are G p + b: b's part is taken out. */
static cdn_status find_turns(varied *s) {
  memset(s->turn, 0, s->equations * s->nu * sizeof *s->turn);
  memset(s->other, 0, s->equations * s->nu * sizeof *s->other);
  CDNI_TRY(differentiate(s, s->p, s->pull, s->turn));
  CDNI_TRY(differentiate(s, NULL, NULL, s->other));
  for (size_t k = 0; k < s->equations * s->nu; k++) s->turn[k] -= s->other[k];
  return CDN_OK;
}

/* ---- columns ---- */

/* Column c of w, from that of v, on the free mobilities. */
static void vary_column(const varied *s, size_t columns, size_t c, const double *v, double *w) {
  for (int k = 0; k < s->rows.m; k++) {
    const double *turn = s->turn + (size_t)s->equation[k] * s->nu;
    const double *G = s->G + (size_t)(s->equation[k] + s->first_row) * s->nu;
    s->b[k] = 0;
    for (size_t l = 0; l < s->nu; l++)
      s->b[k] -= turn[l] * v[l * columns + c] + (s->held[l] ? G[l] * w[l * columns + c] : 0);
  }
  for (int i = 0; i < s->n; i++) {
    const size_t row = (size_t)s->at[i];
    s->column[i] = w[row * columns + c];
    for (size_t l = 0; l < s->nu; l++) s->column[i] -= s->pull[row * s->nu + l] * v[l * columns + c];
  }
  cdni_null_space_enter(&s->rows, s->column);
  cdni_null_space_reach(&s->rows, s->b, s->column);
  cdni_null_space_leave(&s->rows, s->column);
  for (int i = 0; i < s->n; i++) w[(size_t)s->at[i] * columns + c] = s->column[i];
}

/* The same for a column of q, carried along to the new place. */
static void move_column(const varied *s, size_t columns, size_t c, double *q) {
  double *old = s->p; /* no longer needed */
  for (size_t k = 0; k < s->nu; k++) old[k] = q[k * columns + c];
  vary_column(s, columns, c, q, q);
  for (int b = 1; b < s->m->tree.n; b++) {
    const tree_node *node = &s->m->tree.node[b];
    double moved[MOVE_COLUMNS] = { 0 };
    for (int r = 0; r < node->nu; r++)
      for (int k = 0; k < node->nu; k++) {
        const size_t at = (size_t)(node->u + k);
        moved[r] += s->by_q[MOVE_COLUMNS * (node->u + r) + k] * old[at] +
                    s->by_u[MOVE_COLUMNS * (node->u + r) + k] * (q[at * columns + c] - old[at]);
      }
    for (int r = 0; r < node->nu; r++) q[(size_t)(node->u + r) * columns + c] = moved[r];
  }
}

static cdn_status positions(varied *s, int n, const projection_variation *v) {
  CDNI_TRY(gather(s, true));
  find_step(s);
  for (size_t k = 0; k < s->nu; k++) s->p[k] = -s->x[k];
  CDNI_TRY(find_turns(s));
  for (size_t k = 0; k < s->nu; k++) s->x[k] = -s->x[k];
  CDNI_TRY(cdni_move_vary(s->state, s->function, MOVE_STRAIGHT, 1, s->x, s->by_q, s->by_u));
  for (int k = 0; k < n; k++)
    for (int c = 0; c < v[k].columns; c++) move_column(s, (size_t)v[k].columns, (size_t)c, v[k].q);
  return cdn_project_q(s->state, NULL, NULL);
}

static cdn_status velocities(varied *s, int n, const projection_variation *v) {
  CDNI_TRY(gather(s, false));
  find_step(s);
  const double *u = cdn_state_u_eff(s->state);
  if (!u) return cdni_state_last_status(s->state);
  for (size_t k = 0; k < s->nu; k++) s->p[k] = u[k] - s->x[k];
  CDNI_TRY(find_turns(s));
  for (int k = 0; k < n; k++)
    for (int c = 0; c < v[k].columns; c++) vary_column(s, (size_t)v[k].columns, (size_t)c, v[k].q, v[k].u);
  return CDN_OK;
}

cdn_status cdni_project_vary(cdn_state *state, const char *function, int n, const projection_variation *variations) {
  const cdn_system *system = cdn_state_system(state);
  varied s = { .state = state, .function = function, .m = cdni_matter(system), .room = cdni_constraints(system) };
  if (!s.room || !cdni_constraint_any_enabled(s.room, state)) return CDN_OK;
  s.nu = (size_t)s.m->tree.nu, s.equations = (size_t)cdni_constraints_equations(s.room);
  s.first_row = cdni_constraints_first_row(s.room);
  const size_t size = divide(&s, NULL);
  void *frame;
  CDNI_TRY(cdni_operator_work(state, function, size * sizeof(double) + s.nu * sizeof *s.held, &frame));
  divide(&s, frame);
  s.held = (bool *)((double *)frame + size);
  mark_held(&s);
  cdn_status status = positions(&s, n, variations);
  if (status == CDN_OK) status = velocities(&s, n, variations);
  cdn_work_pop(state, frame);
  return status;
}
