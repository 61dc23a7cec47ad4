/* shared by tests in this folder */
/* Questions of one State: the equations of motion, forces, reactions and power. */
#include "hybrid/hybrid.h"
#include "matrix.h"

/* ---- what acts ---- */

/* Adds the forces of rows; or only of those whose features know them, too. */
static bool add_rows(cell *c, bool known, cdn_spatial *F_G, double *f) {
  int n;
  if (!cell_call(c, cdn_soft_count(c->state, &n), "cdn_soft_count")) return false;
  cdn_spatial F[SCENE_MOST_BODIES];
  double own[6 * SCENE_MOST_BODIES];
  for (int i = 0; i < n; i++) {
    cdn_soft_group g;
    if (!cell_call(c, cdn_soft_get(c->state, i, &g), "cdn_soft_get")) return false;
    if (known && !(g.name && strcmp(g.name, "provided rows") == 0)) continue;
    if (!cell_call(c, cdn_soft_group_forces(c->state, i, F, own), "cdn_soft_group_forces")) return false;
    for (int b = 0; b < c->nb; b++) F_G[b].w = cdn_add(F_G[b].w, F[b].w), F_G[b].v = cdn_add(F_G[b].v, F[b].v);
    for (int k = 0; k < c->nu; k++) f[k] += own[k];
  }
  return true;
}

/* Adds the forces of friction that slips, along the changes of its rates with u. */
static bool add_slips(cell *c, double *f) {
  const cdn_system *system = cdn_state_system(c->state);
  double *u = cell_room(c, (size_t)c->nu), sigma[3], here[3], there[3];
  for (int i = 0; i < cdn_system_dry_friction_count(system); i++) {
    const cdn_dry_friction id = { i };
    if (cdn_dry_friction_get_status(c->state, id) != CDN_FRICTION_SLIP) continue;
    const cdn_constraint slip = cdni_hybrid_friction_constraint(cdni_hybrid(system), i);
    const int n = cdn_constraint_get_equations(system, slip).nv;
    if (!cell_call(c, cdn_dry_friction_force(c->state, id, sigma), "cdn_dry_friction_force") ||
        !cell_call(c, cdn_state_copy(c->other, c->state), "cdn_state_copy") ||
        !cell_call(c, cdn_state_set_u(c->other, u), "cdn_state_set_u") ||
        !cell_call(c, cdn_calc_constraint_verr(c->other, slip, here), "cdn_calc_constraint_verr"))
      return false;
    for (int k = 0; k < c->nu; k++) {
      u[k] = 1;
      if (!cell_call(c, cdn_state_set_u(c->other, u), "cdn_state_set_u") ||
          !cell_call(c, cdn_calc_constraint_verr(c->other, slip, there), "cdn_calc_constraint_verr"))
        return false;
      for (int j = 0; j < n; j++) f[k] += sigma[j] * (there[j] - here[j]);
      u[k] = 0;
    }
  }
  return true;
}

/* Generalized forces of spatial ones. */
static bool project(cell *c, const cdn_spatial *F_G, double *f) {
  double *to = cell_room(c, (size_t)c->nu);
  if (!cell_call(c, cdn_multiply_by_J_transpose(c->state, F_G, to), "cdn_multiply_by_J_transpose")) return false;
  for (int k = 0; k < c->nu; k++) f[k] += to[k];
  return true;
}

/* By the definitions of features with rows of their own. */
static void add_defined(cell *c, cdn_spatial *F_G, double *f) {
  scene *s = c->s;
  for (s->now = 0; s->now < s->features; s->now++)
    if (s->feature[s->now]->forces) s->feature[s->now]->forces(s, c->state, F_G, f);
}

static bool has_exact_rows(const cell *c) {
  bool any = false;
  for (int i = 0; i < c->s->features; i++) any = any || c->s->feature[i]->exact;
  return any;
}

void ask_equations(cell *c) {
  double *r = cell_room(c, (size_t)c->nu), *G = cell_room(c, (size_t)c->nu), *soft = cell_room(c, (size_t)c->nu);
  double *rows = cell_room(c, (size_t)c->nu), *sum = cell_room(c, (size_t)c->nu);
  double *all = cell_room(c, (size_t)c->nu);
  double *known = cell_room(c, (size_t)c->nu), *defined = cell_room(c, (size_t)c->nu);
  cdn_spatial F_rows[SCENE_MOST_BODIES] = { 0 }, F_known[SCENE_MOST_BODIES] = { 0 },
              F_defined[SCENE_MOST_BODIES] = { 0 };
  ASK(cdn_residual(c->state, c->udot, r));
  const double *tau = cdn_motion_forces(c->state);
  ASK(tau ? CDN_OK : CDN_ERR_ARG);
  if (c->m > 0) ASK(cdn_multiply_by_G_transpose(c->state, c->lambda, G));
  if (!add_rows(c, false, F_rows, rows) || !project(c, F_rows, rows)) return;
  memcpy(all, rows, (size_t)c->nu * sizeof *all);
  if (!add_slips(c, all)) return;
  const bool slips = memcmp(all, rows, (size_t)c->nu * sizeof *all) != 0;
  double scale = 1;
  for (int k = 0; k < c->nu; k++) {
    sum[k] = r[k] + tau[k] + G[k];
    if (c->prescribed[k] && slips) sum[k] = all[k]; /* its u changes no rate of slip */
    scale = fmax(scale, fmax(fmax(fabs(r[k]), fabs(tau[k])), fmax(fabs(G[k]), fabs(rows[k]))));
  }
  cell_near(c, "M udot + f_bias - f + tau + G^T lambda", sum, all, c->nu, scale, 1e-7);
  /* What groups say of their forces is what inverse dynamics says, and what the rows were told to do. */
  if (!has_exact_rows(c)) {
    ASK(cdn_soft_forces(c->state, c->udot, soft));
    cell_near(c, "forces of rows", rows, soft, c->nu, scale, 1e-7);
  }
  add_defined(c, F_defined, defined);
  if (!add_rows(c, true, F_known, known) || !project(c, F_known, known) || !project(c, F_defined, defined)) return;
  cell_near(c, "forces of rows by their definition", known, defined, c->nu, scale, 1e-7);
  if (c->m == 0) return;
  double *b = cell_room(c, (size_t)c->m), *zero = cell_room(c, (size_t)c->m);
  const double *error = cdn_state_udoterr(c->state);
  ASK(error ? CDN_OK : CDN_ERR_ARG);
  ASK(cdn_calc_constraint_bias(c->state, b));
  cell_near(c, "udoterr", error, zero, c->m, largest_of(b, c->m, largest_of(c->udot, c->nu, 1)), 1e-10);
}

/* With all that acts, an open tree has the State's accelerations. */
void ask_total(cell *c) {
  cdn_spatial F[SCENE_MOST_BODIES];
  double *f = cell_room(c, (size_t)c->nu), *r = cell_room(c, (size_t)c->nu), *zero = cell_room(c, (size_t)c->nu);
  double *size = cell_room(c, (size_t)c->nu);
  ASK(cdn_total_forces(c->state, F, f));
  ASK(cdn_inverse_dynamics(c->state, c->udot, F, f, r));
  memcpy(size, f, (size_t)c->nu * sizeof *f);
  if (!project(c, F, size)) return;
  cell_near(c, "M udot + f_bias - total forces", r, zero, c->nu, largest_of(size, c->nu, largest_of(f, c->nu, 1)),
            1e-7);
}

void ask_laws(cell *c) {
  scene *s = c->s;
  cell_skip(c);
  for (s->now = 0; s->now < s->features; s->now++) {
    if (!s->feature[s->now]->law) continue;
    c->idle = false;
    const double error = s->feature[s->now]->law(s, c->state);
    if (!(error <= 1e-9)) cell_wrong(c, "rows of %s are off by %.2g", s->feature[s->now]->name, error);
  }
}

/* ---- inverse dynamics ---- */

void ask_inverse(cell *c) {
  double *f = cell_room(c, (size_t)c->nu), *lambda = cell_room(c, (size_t)c->m), unbalanced = 0;
  double *want = cell_room(c, (size_t)c->nu), *r = cell_room(c, (size_t)c->nu);
  ASK(cdn_residual(c->state, c->udot, r));
  const double *tau = cdn_motion_forces(c->state);
  ASK(tau ? CDN_OK : CDN_ERR_ARG);
  ASK(cdn_constrained_inverse_dynamics(c->state, c->udot, NULL, f, c->m ? lambda : NULL, &unbalanced));
  for (int k = 0; k < c->nu; k++) want[k] = -tau[k];
  const double scale = largest_of(r, c->nu, largest_of(c->lambda, c->m, 1));
  cell_near(c, "f of inverse dynamics", f, want, c->nu, scale, 1e-7);
  cell_near(c, "multipliers of inverse dynamics", lambda, c->lambda, c->m, scale, 1e-7);
}

void ask_tau(cell *c) {
  const cdn_system *system = cdn_state_system(c->state);
  const double *tau = cdn_motion_forces(c->state);
  double power = 0, sum = 0, size = 1, own[6];
  ASK(tau ? CDN_OK : CDN_ERR_ARG);
  ASK(cdn_motion_power(c->state, &power));
  for (int k = 0; k < c->nu; k++) {
    if (!c->prescribed[k] && tau[k] != 0) cell_wrong(c, "tau[%d] of a free mobility is %g", k, tau[k]);
    sum -= tau[k] * c->u[k], size = fmax(size, fabs(tau[k] * c->u[k]));
  }
  cell_near(c, "power of motions", &power, &sum, 1, size, 1e-12);
  for (int i = 0; i < cdn_system_motion_count(system); i++) {
    const cdn_motion motion = { i };
    const cdn_body body = cdn_motion_body(system, motion);
    const double zeros[6] = { 0 };
    const bool drives = cdn_body_driver(c->state, body).motion.i == i;
    ASK(cdn_motion_force(c->state, motion, own));
    cell_near(c, "force of a motion", own, drives ? tau + cdn_body_first_u(system, body) : zeros,
              cdn_body_nu(system, body), largest_of(tau, c->nu, 1), 1e-12);
  }
}

/* ---- reactions: Newton's and Euler's laws for each body ---- */

static cdn_vec3 times(cdn_inertia I, cdn_vec3 x) {
  return cdn_v3(I.xx * x.x + I.xy * x.y + I.xz * x.z, I.xy * x.x + I.yy * x.y + I.yz * x.z,
                I.xz * x.x + I.yz * x.y + I.zz * x.z);
}

static cdn_spatial rate_of_momentum(const cell *c, cdn_body b, cdn_spatial A, cdn_spatial V) {
  const cdn_mass_properties m = cdn_body_mass_properties(c->state, b);
  cdn_transform X;
  OK_ON(c->state, cdn_body_pose(c->state, b, &X));
  const cdn_vec3 r = cdn_rotate(X.R, m.com);
  const cdn_vec3 a = cdn_add(A.v, cdn_add(cdn_cross(A.w, r), cdn_cross(V.w, cdn_cross(V.w, r))));
  const cdn_inertia I = cdn_inertia_reexpress(X.R, m.inertia);
  const cdn_vec3 turn = cdn_add(times(I, A.w), cdn_cross(V.w, times(I, V.w)));
  return (cdn_spatial){ cdn_add(turn, cdn_scale(m.mass, cdn_cross(r, a))), cdn_scale(m.mass, a) };
}

void ask_reactions(cell *c) {
  const cdn_system *system = cdn_state_system(c->state);
  cdn_spatial R[SCENE_MOST_BODIES], F[SCENE_MOST_BODIES];
  double *f = cell_room(c, (size_t)c->nu);
  ASK(cdn_calc_reaction_forces(c->state, c->udot, CDN_REACTION_ON_BODY_AT_ORIGIN, R));
  ASK(cdn_total_forces(c->state, F, f));
  double scale = 1, got[6 * SCENE_MOST_BODIES], want[6 * SCENE_MOST_BODIES];
  for (int b = 1; b < c->nb; b++) {
    F[b].w = cdn_add(F[b].w, R[b].w), F[b].v = cdn_add(F[b].v, R[b].v);
    scale = fmax(scale, fmax(cdn_norm(R[b].w), cdn_norm(R[b].v)));
  }
  for (int b = c->nb - 1; b > 0; b--) { /* what a body feels its parent feels the opposite of */
    const cdn_body parent = cdn_body_parent(system, (cdn_body){ b });
    cdn_transform X, P;
    OK_ON(c->state, cdn_body_pose(c->state, (cdn_body){ b }, &X));
    OK_ON(c->state, cdn_body_pose(c->state, parent, &P));
    F[parent.i].v = cdn_sub(F[parent.i].v, R[b].v);
    F[parent.i].w = cdn_sub(F[parent.i].w, cdn_add(R[b].w, cdn_cross(cdn_sub(X.p, P.p), R[b].v)));
  }
  for (int b = 1; b < c->nb; b++) {
    cdn_spatial A, V;
    OK_ON(c->state, cdn_body_acceleration(c->state, (cdn_body){ b }, &A));
    OK_ON(c->state, cdn_body_velocity(c->state, (cdn_body){ b }, &V));
    const cdn_spatial D = rate_of_momentum(c, (cdn_body){ b }, A, V);
    memcpy(want + 6 * b, &D, sizeof D), memcpy(got + 6 * b, &F[b], sizeof D);
    scale = fmax(scale, fmax(cdn_norm(D.w), cdn_norm(D.v)));
  }
  cell_near(c, "forces on bodies with reactions", got + 6, want + 6, 6 * (c->nb - 1), scale, 1e-9);
}

/* ---- power ---- */

static bool energy_at(cell *c, double h, double *energy) {
  double *y = cell_room(c, (size_t)(c->nq + c->nu + c->nz)), potential = 0;
  for (int i = 0; i < c->nq; i++) y[i] = c->q[i] + h * c->qdot[i];
  for (int i = 0; i < c->nu; i++) y[c->nq + i] = c->u[i] + h * c->udot[i];
  for (int i = 0; i < c->nz; i++) y[c->nq + c->nu + i] = c->z[i] + h * c->zdot[i];
  cdn_status status = cdn_state_copy(c->other, c->state);
  if (status == CDN_OK) status = cdn_state_set_ty(c->other, c->t + h, y);
  if (status == CDN_OK) status = cdn_kinetic_energy(c->other, energy);
  if (status == CDN_OK) status = cdn_potential_energy(c->other, &potential);
  *energy += potential;
  return cell_call(c, status, "the energy");
}

/* The power of forces without potential, motions and constraints is the rate of the energy. */
void ask_power(cell *c) {
  double power = 0, motions = 0, constraints = 0, rate[2], e[2];
  ASK(cdn_nonpotential_power(c->state, &power));
  ASK(cdn_motion_power(c->state, &motions));
  ASK(cdn_constraint_power(c->state, &constraints));
  for (int level = 0; level < 2; level++) {
    const double h = 2e-5 / (1 << level);
    for (int k = 0; k < 2; k++)
      if (!energy_at(c, k ? -h : h, &e[k])) return;
    rate[level] = (e[0] - e[1]) / (2 * h);
  }
  const double got = power + motions + constraints, want = (4 * rate[1] - rate[0]) / 3;
  const double scale = 1 + fabs(power) + fabs(motions) + fabs(constraints) + 1e-3 * fabs(e[0]);
  cell_near(c, "power", &got, &want, 1, scale, 2e-7);
}

void ask_contributions(cell *c) {
  const cdn_system *system = cdn_state_system(c->state);
  cdn_spatial F[SCENE_MOST_BODIES], own[SCENE_MOST_BODIES], sum[SCENE_MOST_BODIES] = { 0 };
  double *f = cell_room(c, (size_t)c->nu), *f_sum = cell_room(c, (size_t)c->nu), *f_own = cell_room(c, (size_t)c->nu);
  double potential = 0, all = 0, power, part;
  ASK(cdn_applied_forces(c->state, F, f));
  ASK(cdn_potential_energy(c->state, &all));
  for (int i = 0; i < cdn_system_force_count(system); i++) {
    double along = 0;
    ASK(cdn_force_contribution(c->state, (cdn_force){ i }, own, f_own, &power, &part));
    potential += part;
    for (int b = 0; b < c->nb; b++) sum[b].w = cdn_add(sum[b].w, own[b].w), sum[b].v = cdn_add(sum[b].v, own[b].v);
    for (int k = 0; k < c->nu; k++) f_sum[k] += f_own[k], along += f_own[k] * c->u[k];
    cell_near(c, "power of a force", &power, &along, 1, 1 + fabs(along), 1e-10);
  }
  const double *applied = cdn_state_applied_mobility_forces(c->state);
  for (int b = 1; b < c->nb; b++) {
    const cdn_spatial A = cdn_state_applied_body_force(c->state, (cdn_body){ b });
    sum[b].w = cdn_add(sum[b].w, A.w), sum[b].v = cdn_add(sum[b].v, A.v);
  }
  sum[0] = F[0];
  const double scale = largest_of((const double *)F, 6 * c->nb, largest_of(f, c->nu, 1));
  cell_near(c, "forces of all elements", (const double *)sum, (const double *)F, 6 * c->nb, scale, 1e-11);
  if (!project(c, F, f)) return;
  double *f_applied = cell_room(c, (size_t)c->nu);
  for (int k = 0; k < c->nu; k++) f_applied[k] = f_sum[k] + applied[k];
  cdn_spatial outside[SCENE_MOST_BODIES] = { 0 };
  for (int b = 1; b < c->nb; b++) outside[b] = cdn_state_applied_body_force(c->state, (cdn_body){ b });
  if (!project(c, outside, f_applied)) return;
  cell_near(c, "generalized forces of all elements", f_applied, f, c->nu, scale, 1e-10);
  cell_near(c, "potentials of all elements", &potential, &all, 1, 1 + fabs(all), 1e-11);
}
