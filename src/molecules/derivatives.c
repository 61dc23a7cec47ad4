/* How the forces of a molecule vary: second derivatives of all terms and pairs, as blocks between bodies
 * (forces/forces.h: force_web). Of a pair at the places a and b, with d = a - b and an energy E of its distance r, the
 * derivatives by a and b are -(c d d^T + s 1), s = E'/r, c = (E'' - s)/r^2. */
#include "molecules/derivatives.h"

#include <math.h>

#include <cardan/derivatives.h>

#include "forces/forces.h"
#include "system/system.h"

enum { BLOCK = SPATIAL * SPATIAL };

/* ---- blocks ---- */

/* Forces on an atom by the motion of one at b where H is minus the derivative of one by the other, by rows. */
static void add_block(v3 a, v3 b, const double H[9], double *K) {
  static const v3 unit[3] = { { 1, 0, 0 }, { 0, 1, 0 }, { 0, 0, 1 } };
  for (int k = 0; k < SPATIAL; k++) {
    const v3 dx = k < 3 ? v3_cross(unit[k], b) : unit[k - 3];
    const v3 f = { v3_dot(v3_load(H), dx), v3_dot(v3_load(H + 3), dx), v3_dot(v3_load(H + 6), dx) };
    const v3 moment = v3_cross(a, f);
    const double column[SPATIAL] = { moment.x, moment.y, moment.z, f.x, f.y, f.z };
    for (int i = 0; i < SPATIAL; i++) K[SPATIAL * i + k] += column[i];
  }
}

/* Sums over the atoms b of one body, with one atom a: of c l l^T, where l = (a x d, d) is the line of the pair, by its
 * lower triangle; of s, and s b. */
typedef struct lines {
  double along[SPATIAL * (SPATIAL + 1) / 2], s;
  v3 sb;
} lines;

static void add_line(lines *sum, v3 a, v3 b, double slope, double curvature, double r2) {
  const v3 d = v3_sub(a, b), m = v3_cross(a, d);
  const double s = -slope / r2, c = -(curvature - slope) / (r2 * r2);
  const double l[SPATIAL] = { m.x, m.y, m.z, d.x, d.y, d.z };
  for (int i = 0, at = 0; i < SPATIAL; i++)
    for (int k = 0; k <= i; k++, at++) sum->along[at] += c * l[i] * l[k];
  sum->s += s, sum->sb = v3_fma(s, b, sum->sb);
}

static void add_lines(const lines *sum, v3 a, double *K) {
  for (int i = 0, at = 0; i < SPATIAL; i++)
    for (int k = 0; k <= i; k++, at++) {
      K[SPATIAL * i + k] += sum->along[at];
      if (k < i) K[SPATIAL * k + i] += sum->along[at];
    }
  /* the sum of s (1; a x) (1; b x)^T = [ (a . b) 1 - b a^T, a x; -(b x), 1 ] */
  const double x[3] = { a.x, a.y, a.z }, y[3] = { sum->sb.x, sum->sb.y, sum->sb.z };
  const double ab = v3_dot(a, sum->sb);
  for (int i = 0; i < 3; i++) {
    const int next = (i + 1) % 3, last = (i + 2) % 3;
    for (int k = 0; k < 3; k++) K[SPATIAL * i + k] += (i == k ? ab : 0) - y[i] * x[k];
    K[SPATIAL * next + 3 + last] -= sum->s * x[i], K[SPATIAL * last + 3 + next] += sum->s * x[i];
    K[SPATIAL * (3 + next) + last] += y[i], K[SPATIAL * (3 + last) + next] -= y[i];
    K[SPATIAL * (3 + i) + 3 + i] += sum->s;
  }
}

/* ---- a row: of one body with all others ---- */

static bool is_left_out(const field *f, int i, int j) {
  const int low = i < j ? i : j, high = i < j ? j : i;
  for (int k = f->left_start[low]; k < f->left_start[low + 1] && f->left_out[k] <= high; k++)
    if (f->left_out[k] == high) return true;
  return false;
}

static void add_atom(const second *s, int i, double *K) {
  const field *f = s->f;
  const v3 a = mol_at_slot(s, i);
  for (int body = 0; body < f->n_bodies; body++) {
    lines sum = { .s = 0 };
    if (body == s->home[i]) continue;
    for (int j = f->bodies[body].first; j < f->bodies[body + 1].first; j++) {
      const v3 b = mol_at_slot(s, j), d = v3_sub(a, b);
      const double r2 = v3_dot(d, d);
      pair_law law = { 0 };
      if (!is_left_out(f, i, j)) law = mol_pair_law(f, &s->t, i, j, s->t.coulomb, s->t.lj, false, r2);
      if (s->born) mol_add_born_pair(s, i, j, sqrt(r2), &law.slope, &law.curvature);
      if (law.slope != 0 || law.curvature != 0) add_line(&sum, a, b, law.slope, law.curvature, r2);
    }
    add_lines(&sum, a, K + BLOCK * body);
  }
}

static void add_scaled(const second *s, int body, double *K) {
  const field *f = s->f;
  const double coulomb = f->coulomb_constant * s->factor[CDN_TERM_COULOMB_SCALED];
  for (int k = 0; k < f->n_pairs; k++) {
    const field_pair *p = &f->pairs[k];
    for (int end = 0; end < 2 && p->moves; end++) {
      const int i = end ? p->j : p->i, j = end ? p->i : p->j;
      if (s->home[i] != body || s->home[j] == body) continue;
      const v3 a = mol_at_slot(s, i), b = mol_at_slot(s, j), d = v3_sub(a, b);
      const double r2 = v3_dot(d, d);
      const pair_law law =
          mol_pair_law(f, &s->t, i, j, coulomb * p->coulomb, s->factor[CDN_TERM_LJ_SCALED] * p->lj, true, r2);
      lines sum = { .s = 0 };
      add_line(&sum, a, b, law.slope, law.curvature, r2);
      add_lines(&sum, a, K + BLOCK * s->home[j]);
    }
  }
}

static cdn_status add_term(const second *s, const field_term *t, int body, double *K) {
  const field_work *w = &s->w;
  const int n = mol_term_atoms(t->kind);
  double twice[4][4][9];
  cdn_vec3 once[4];
  term_result law;
  CDNI_TRY(mol_term_law(t, s->parameter, mol_term_coordinate(t, w->x, w->y, w->z, once), 2, &law));
  mol_term_second(t, w->x, w->y, w->z, twice);
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) {
      const double a[3] = { once[i].x, once[i].y, once[i].z }, b[3] = { once[j].x, once[j].y, once[j].z };
      double H[9];
      if (s->home[t->slot[i]] != body || s->home[t->slot[j]] == body) continue;
      for (int k = 0; k < 9; k++)
        H[k] = s->factor[t->kind] * (law.curvature * a[k / 3] * b[k % 3] + law.slope * twice[i][j][k]);
      add_block(mol_at_slot(s, t->slot[i]), mol_at_slot(s, t->slot[j]), H, K + BLOCK * s->home[t->slot[j]]);
    }
  return CDN_OK;
}

static cdn_status add_terms(const second *s, int body, double *K) {
  const field *f = s->f;
  for (int k = 0; k < f->n_terms; k++) {
    const field_term *t = &f->terms[k];
    bool has = false;
    for (int i = 0; i < mol_term_atoms(t->kind); i++) has = has || s->home[t->slot[i]] == body;
    if (has && t->moves && t->pin < 0 && s->factor[t->kind] != 0) CDNI_TRY(add_term(s, t, body, K));
  }
  return CDN_OK;
}

static cdn_status find_row(const void *law, int body, double *K) {
  const second *s = law;
  const field *f = s->f;
  for (int i = f->bodies[body].first; i < f->bodies[body + 1].first; i++) add_atom(s, i, K);
  add_scaled(s, body, K);
  return add_terms(s, body, K);
}

/* ---- pins ---- */

static cdn_status add_pins(const second *s, cdn_state *state, cdn_force_derivatives *d) {
  const field *f = s->f;
  const double *q = cdn_state_q_eff(state);
  double *stiffness = cdn_work_push(state, ((size_t)f->n_bodies + 1) * sizeof *stiffness);
  if (!stiffness) return cdni_state_fail(state, CDN_ERR_NOMEM, false, "cdn_realize", f->name, "out of memory");
  memset(stiffness, 0, (size_t)f->n_bodies * sizeof *stiffness);
  cdn_status status = mol_add_pins_stiffness(f, state, s->factor, stiffness);
  for (int k = 0; k < f->n_terms && status == CDN_OK; k++) {
    const field_term *t = &f->terms[k];
    term_result law;
    if (t->pin < 0 || mol_is_of_pin(t) || s->factor[t->kind] == 0) continue;
    const int at = cdn_body_first_q(cdn_state_system(state), f->bodies[t->pin].body);
    status = mol_term_law(t, s->parameter, q[at] + t->offset, 2, &law);
    if (status == CDN_OK) stiffness[t->pin] += s->factor[t->kind] * law.curvature;
  }
  for (int b = 0; b < f->n_bodies && status == CDN_OK; b++)
    if (stiffness[b] != 0)
      cdn_force_derivatives_add_mobility(d, f->bodies[b].body, 0, f->bodies[b].body, 0, -stiffness[b], 0);
  cdn_work_pop(state, stiffness);
  return status;
}

/* ---- together ---- */

/* Bodies of slots and of the web, and an origin among the atoms. */
static void make_web(second *s, int32_t *memory) {
  const field *f = s->f;
  int32_t *body = memory + f->n;
  s->home = memory;
  for (int b = 0; b < f->n_bodies; b++) {
    body[b] = f->bodies[b].body.i;
    for (int i = f->bodies[b].first; i < f->bodies[b + 1].first; i++) memory[i] = b;
  }
  v3 sum = v3_zero();
  for (int i = 0; i < f->n; i++) sum = v3_add(sum, (v3){ s->w.x[i], s->w.y[i], s->w.z[i] });
  s->web = (force_web){
    .n = f->n_bodies, .body = body, .origin = v3_scale(1.0 / f->n, sum), .find_row = find_row, .law = s
  };
}

cdn_status mol_calc_derivative(const void *self, cdn_state *state, cdn_force_derivatives *d) {
  const field *f = self;
  second s = { .f = f,
               .factor = cdn_state_parameters(state, f->v_factor),
               .parameter = cdn_state_parameters(state, f->v_parameter) };
  if (!cdni_force_derivatives_by_q(d)) return CDN_OK;
  CDNI_TRY(mol_get_tables(f, state, &s.t));
  cdn_status status = mol_begin(f, state, &s.w);
  int32_t *memory = NULL;
  if (!status) {
    memory = cdn_work_push(state, ((size_t)f->n + (size_t)f->n_bodies) * sizeof *memory);
    if (!memory) status = cdni_state_fail(state, CDN_ERR_NOMEM, false, "cdn_realize", f->name, "out of memory");
  }
  if (!status) {
    make_web(&s, memory);
    status = mol_begin_born(&s, state);
    if (!status) status = add_pins(&s, state, d);
    if (!status) status = cdni_force_derivatives_add_web(d, &s.web);
    if (!status && s.born) status = mol_add_born_derivatives(&s, state, d);
    mol_end_born(&s, state);
    cdn_work_pop(state, memory);
  }
  mol_end(state, &s.w);
  return status;
}
