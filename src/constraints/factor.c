/* The elimination in numbers: inertias, rows and blocks, from the leaves to Ground (plan.h). */
#include "constraints/loops.h"

/* ---- memory ---- */

static size_t lay_out(const loop_plan *p, char *base, loop_factor *f) {
  const size_t nb = (size_t)p->tree->n, nu = (size_t)p->tree->nu, m = (size_t)p->m_all;
  size_t at = 0;
  f->count = cdni_part(base, &at, (size_t)p->n_blocks, sizeof *f->count);
  f->n_redundant = cdni_part(base, &at, 1, sizeof *f->n_redundant);
  f->n_shared = cdni_part(base, &at, 1, sizeof *f->n_shared);
  f->main = cdni_part(base, &at, m, sizeof *f->main);
  f->root = cdni_part(base, &at, m, sizeof *f->root);
  f->n_entries = cdni_part(base, &at, 1, sizeof *f->n_entries);
  f->trail = cdni_part(base, &at, cdni_loop_trail_size(p), 1);
  f->redundant = cdni_part(base, &at, m, sizeof *f->redundant);
  f->P = cdni_part(base, &at, nb, sizeof *f->P);
  f->passed = cdni_part(base, &at, nb, sizeof *f->passed);
  f->in_ground = cdni_part(base, &at, nb, sizeof *f->in_ground);
  f->g = cdni_part(base, &at, nu, sizeof *f->g);
  f->D_inv = cdni_part(base, &at, 6 * nu, sizeof *f->D_inv);
  f->K = cdni_part(base, &at, (size_t)p->n_K, sizeof *f->K);
  f->v = cdni_part(base, &at, (size_t)p->n_v, sizeof *f->v);
  f->S = cdni_part(base, &at, (size_t)p->n_S, sizeof *f->S);
  f->Z = cdni_part(base, &at, (size_t)p->n_diagonal, sizeof *f->Z);
  f->T = cdni_part(base, &at, (size_t)p->n_T, sizeof *f->T);
  f->Y = cdni_part(base, &at, m, sizeof *f->Y);
  f->scale = cdni_part(base, &at, m, sizeof *f->scale);
  f->sine = cdni_part(base, &at, (size_t)p->n_blocks, sizeof *f->sine);
  f->C = cdni_part(base, &at, 6 * (size_t)p->n_C, sizeof *f->C);
  f->E = cdni_part(base, &at, (size_t)p->n_E, sizeof *f->E);
  f->E_D = cdni_part(base, &at, 6 * (size_t)p->n_E, sizeof *f->E_D);
  f->R = cdni_part(base, &at, p->n_C > 0 ? 6 * nb : 0, sizeof *f->R);
  f->tip_Y = cdni_part(base, &at, (size_t)p->n_tip_rows, sizeof *f->tip_Y);
  f->lever = cdni_part(base, &at, m, sizeof *f->lever);
  return at;
}

size_t cdni_loop_factor_size(const loop_plan *p) {
  loop_factor unused;
  return lay_out(p, NULL, &unused);
}

loop_factor cdni_loop_factor_at(const loop_plan *p, void *memory) {
  loop_factor f;
  lay_out(p, memory, &f);
  return f;
}

/* ---- what comes in ---- */

static int equations_of(const constraint_element *c, loop_level level) {
  return level == LOOP_POSITION ? c->np : level == LOOP_VELOCITY ? c->np + c->nv : c->m;
}

/* The rows of constraint c, and its own matrix. */
static void enter_one(const constraint_room *room, const loop_plan *p, const constraint_rows *rows, loop_level level,
                      const double *damping, int c, loop_factor *f) {
  const constraint_element *e = constraint_on(room, p, c);
  const int m = f->count[c] = equations_of(e, level);
  for (int k = 0; damping && k < m; k++) {
    f->S[p->diagonal[c] + k * (e->m + 1)] = damping[p->first[c] + k];
    f->scale[p->first[c] + k] = damping[p->first[c] + k];
  }
  for (int b = 0; b < e->n_bodies; b++) {
    sv *K = f->K + p->slot_K[p->place_slot[p->place_first[c] + b]];
    const sv *J = rows->J + p->J[c] + b;
    for (int k = 0; k < m; k++) K[k] = sv_add(K[k], J[k * e->n_bodies]);
  }
  for (int i = 0; i < e->n_mobilities; i++) {
    const int at = p->mobility_first[c] + i, slot = p->mobility_slot[at];
    const int nu = p->tree->node[CDNI_AT(room->mobilities, constraint_mobility, e->first_mobility + i).body].nu;
    real *v = f->v + p->slot_v[slot] + p->mobility_k[at];
    for (int k = 0; k < m; k++) v[k * nu] += rows->g[p->g[c] + k * e->n_mobilities + i];
  }
}

static void enter(const constraint_room *room, const constraint_rows *rows, loop_level level, const double *damping,
                  loop_factor *f) {
  const loop_plan *p = rows->plan;
  memset(f->K, 0, (size_t)p->n_K * sizeof *f->K);
  if (p->n_v) memset(f->v, 0, (size_t)p->n_v * sizeof *f->v);
  memset(f->S, 0, (size_t)p->n_S * sizeof *f->S);
  memset(f->scale, 0, (size_t)p->m_all * sizeof *f->scale);
  memset(f->lever, 0, (size_t)p->m_all * sizeof *f->lever);
  for (int b = 0; b < p->n_blocks; b++) f->sine[b] = 1;
  for (int c = 0; c < p->n_constraints; c++) enter_one(room, p, rows, level, damping, c, f);
}

/* The same for the blocks of an island. */
static void enter_island(const constraint_room *room, const loop_plan *p, const constraint_rows *rows, int island,
                         loop_factor *f) {
  for (int n = p->island_body[island]; n < p->island_body[island + 1]; n++) {
    const int i = p->bodies[n], nu = p->tree->node[i].nu;
    for (int s = p->slot_first[i]; s < p->slot_first[i + 1]; s++) {
      const size_t m = (size_t)p->equations[p->slot_block[s]];
      memset(f->K + p->slot_K[s], 0, m * sizeof *f->K);
      if (s < p->slot_first[i] + p->n_open[i]) memset(f->v + p->slot_v[s], 0, m * (size_t)nu * sizeof *f->v);
    }
  }
  for (int n = p->island_block[island]; n < p->island_block[island + 1]; n++) {
    const int b = p->block_listed[n], m = p->equations[b];
    memset(f->S + p->diagonal[b], 0, (size_t)(m * m) * sizeof *f->S);
    for (int a = p->meet_first[b]; a < p->meet_first[b + 1]; a++)
      memset(f->S + p->meet_matrix[a], 0, (size_t)(m * p->equations[p->meet[a]]) * sizeof *f->S);
    for (int e = p->first[b]; e < p->first[b] + m; e++) f->scale[e] = f->lever[e] = 0;
    f->sine[b] = 1;
  }
  for (int n = p->island_block[island]; n < p->island_block[island + 1]; n++)
    if (p->block_listed[n] < p->n_constraints) enter_one(room, p, rows, LOOP_ALL, NULL, p->block_listed[n], f);
}

static int factor_all(const constraint_room *room, const tree_data *d, const constraint_rows *rows, loop_level level,
                      const double *weights, const double *D, const int32_t *was_redundant, const double *damping,
                      loop_factor *f) {
  const loop_plan *p = rows->plan;
  enter(room, rows, level, damping, f);
  *f->n_redundant = *f->n_shared = *f->n_entries = 0;
  memset(f->redundant, 0, (size_t)p->m_all * sizeof *f->redundant);
  if (!weights)
    for (int i = 1; i < p->tree->n; i++) f->P[i] = articulated_from_rigid(d->inertia[i]);
  const loop_weights soft = { .D = D };
  int64_t bad;
  cdni_loop_kernels[cdni_kernel_set(1)]->factor(p, d, weights, &soft, was_redundant, 0, false, f, &bad);
  if (bad < 0 && *f->n_redundant > 0) cdni_loop_null_mark(p, f);
  return (int)bad;
}

int cdni_loop_factor_damped(const constraint_room *room, const tree_data *d, const constraint_rows *rows,
                            loop_level level, const double *weights, const int32_t *was_redundant,
                            const double *damping, loop_factor *f) {
  return factor_all(room, d, rows, level, weights, NULL, was_redundant, damping, f);
}

int cdni_loop_factor_joints(const constraint_room *room, const tree_data *d, const constraint_rows *rows,
                            const int32_t *was_redundant, const double *D, loop_factor *f) {
  return factor_all(room, d, rows, LOOP_ALL, NULL, D, was_redundant, NULL, f);
}

int cdni_loop_factor(const constraint_room *room, const tree_data *d, const constraint_rows *rows, loop_level level,
                     const double *weights, const int32_t *was_redundant, loop_factor *f) {
  return cdni_loop_factor_damped(room, d, rows, level, weights, was_redundant, NULL, f);
}

int cdni_loop_factor_island(const constraint_room *room, const loop_plan *p, const tree_data *d,
                            const constraint_rows *rows, const int32_t *was_redundant, const loop_weights *weights,
                            int island, loop_factor *f) {
  if (p->n_blocks > 0) enter_island(room, p, rows, island, f);
  for (int n = p->island_body[island]; n < p->island_body[island + 1] && !weights->changed; n++)
    if (p->reached[p->bodies[n]]) memset(f->R + 6 * p->bodies[n], 0, 6 * sizeof *f->R);
  int64_t bad;
  cdni_loop_kernels[cdni_kernel_set(1)]->factor(p, d, NULL, weights, was_redundant, island, true, f, &bad);
  return (int)bad;
}

void cdni_loop_give_back(const loop_plan *p, const tree_data *d, int island, const uint8_t *changed, loop_factor *f) {
  if (p->n_C > 0) cdni_loop_kernels[cdni_kernel_set(1)]->give_back(p, d, island, changed, f);
}

/* ---- in lanes ---- */

bool cdni_loop_fits_lanes(const loop_plan *p) { return p->n_blocks == 0 && p->n_C == 0; }

static size_t lay_out_lanes(const loop_plan *p, int lanes, char *base, loop_factor *f) {
  const size_t width = (size_t)lanes, nb = (size_t)p->tree->n * width, nu = (size_t)p->tree->nu * width;
  size_t at = 0;
  *f = (loop_factor){ .P = NULL };
  f->P = cdni_part(base, &at, nb, sizeof *f->P);
  f->in_ground = cdni_part(base, &at, (size_t)p->tree->n, 1);
  f->g = cdni_part(base, &at, nu, sizeof *f->g);
  f->D_inv = cdni_part(base, &at, 6 * nu, sizeof *f->D_inv);
  return at;
}

size_t cdni_loop_factor_lanes_size(const loop_plan *p, int lanes) {
  loop_factor unused;
  return lay_out_lanes(p, lanes, NULL, &unused);
}

loop_factor cdni_loop_factor_lanes_at(const loop_plan *p, int lanes, void *memory) {
  loop_factor f;
  lay_out_lanes(p, lanes, memory, &f);
  return f;
}

void cdni_loop_factor_lanes(int lanes, const loop_plan *p, const tree_data *d, const loop_weights *weights, int island,
                            loop_factor *f, int64_t *singular) {
  cdni_loop_kernels[cdni_kernel_set(lanes)]->factor(p, d, NULL, weights, NULL, island, false, f, singular);
}
