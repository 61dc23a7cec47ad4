/* The outward passes of kinematics: poses and hinge matrices from q, inertias in Ground's axes, velocities
 * and the accelerations that udot = 0 leaves. */
#include "matter/hinge.h"
#include "matter/kernel_sincos.h"
#include "matter/mobilizers/mobilizers.h"
#include "matter/mobilizers/reverse.h"

/* The pose by way of R_GF, for all kinds; reversed ones are placed in M's axes and then turned around. Not inlined: one
 * copy of everything is long enough. The parent's R_GM comes by address for the reason given in kernel_mass.c. */
static __attribute__((noinline)) void general_position(const tree_node *n, const tree_data *d, const body_frames *c,
                                                       const m3 *parent, body_pose *pose, real *H) {
  bool reversed = n->variant & 1;
  m3 R_GP = *parent;
  real H_MF[36];
  m3 R = reversed ? m3_identity() : m3_mul_m3(R_GP, m3_load(c->R_PF)), R_out;
  v3 p_out;
  hinge_form form = HINGE_FULL;
  real *H_out = reversed ? H_MF : H;
  const custom_across *x;
#define PLACE_CASE(ROW, name, KIND, NQ, NU, FORM, ...)      \
  case ROW_##ROW:                                           \
    name##_place(c, d->q + n->q, R, &R_out, &p_out, H_out); \
    form = FORM;                                            \
    break;
  switch (n->variant / 2) {
    MOBILIZER_LIST(PLACE_CASE)
    default: /* function-based and custom: their record is in F's axes (M's if reversed) */
      x = &d->custom[n->custom];
      R_out = m3_mul_m3(R, x->R);
      p_out = m3_mul(R, x->p);
      for (int k = 0; k < n->nu; k++) ((sv *)H_out)[k] = (sv){ m3_mul(R, x->H[k].w), m3_mul(R, x->H[k].v) };
  }
  if (reversed) {
    reverse_position(c, R_GP, R_out, p_out, form, n->nu, H_MF, pose, H);
  } else {
    pose->R_GM = R_out;
    pose->r = m3_mul_add(R_GP, v3_load(c->p_PF), p_out);
  }
}

/* ---- sines of pins ---- */

#if CDNI_LANES == 1 && SINCOS_LANES > 1
enum { AHEAD = 8 };
typedef struct angles {
  int next, n;
  double sine[AHEAD], cosine[AHEAD];
} angles;

/* The sines of body path[k] (NULL: body k) and of the pins that follow before `end`. */
static __attribute__((noinline)) void find_ahead(const tree *t, const real *q, const int32_t *path, int k, int end,
                                                 angles *a) {
  double x[AHEAD] = { 0 };
  a->next = a->n = 0;
  for (; k < end && a->n < AHEAD; k++) {
    const tree_node *n = &t->node[path ? path[k] : k];
    if (n->variant == 2 * ROW_PIN) x[a->n++] = q[n->q];
  }
  for (int i = 0; i < a->n; i += SINCOS_LANES) SINCOS_KERNEL(x + i, a->sine + i, a->cosine + i);
}

CDNI_INLINE void next_angle(const tree *t, const real *q, const int32_t *path, int k, int end, angles *a, real *sine,
                            real *cosine) {
  if (a->next == a->n) find_ahead(t, q, path, k, end, a);
  *sine = a->sine[a->next], *cosine = a->cosine[a->next];
  a->next++;
}
#else
typedef struct angles {
  int next, n;
} angles;

CDNI_INLINE void next_angle(const tree *t, const real *q, const int32_t *path, int k, int end, angles *a, real *sine,
                            real *cosine) {
  (void)end, (void)a;
  r_sincos(q[t->node[path ? path[k] : k].q], sine, cosine);
}
#endif

/* ---- poses ---- */

/* Stores the pose of body path[k], without p_GM, or, of the whole tree, of body k. Returns its R_GM; that of its parent
 * is given. */
CDNI_INLINE columns position_body(const tree *t, const tree_data *d, bool whole, const int32_t *path, int k, int end,
                                  columns R_GP, angles *a) {
  const int i = whole ? k : path[k];
  const tree_node *n = &t->node[i];
  const body_frames *c = &d->frames[i];
  const body_pose *parent = whole ? &d->pose[n->parent] : NULL;
  body_pose *pose = &d->pose[i];
  real *H = d->H + n->H, sine, cosine;
  switch (n->variant) {
    case 2 * ROW_PIN:
      next_angle(t, d->q, path, k, end, a, &sine, &cosine);
      return pin_position(c, sine, cosine, R_GP, parent, pose, H);
#define POSITION_CASE(ROW, name) \
  case 2 * ROW_##ROW: return name##_position(c, d->q + n->q, R_GP, parent, pose, H);
      OWN_POSITION_LIST(POSITION_CASE)
    case 2 * ROW_FREE:
      if (n->parent == 0) return free_position_on_ground(c, d->q + n->q, parent, pose, H);
      return free_position(c, d->q + n->q, R_GP, parent, pose, H);
    default:
      general_position(n, d, c, &d->pose[n->parent].R_GM, pose, H);
      pose->p_GM = parent ? v3_add(parent->p_GM, pose->r) : v3_zero();
      return columns_of(pose->R_GM);
  }
}

void KERNEL(position)(const tree *t, const tree_data *d) {
  columns last = store_pose(columns_of(m3_identity()), column_of(v3_zero()), NULL, &d->pose[0]);
  angles a;
  a.next = a.n = 0;
  for (int i = 1; i < t->n; i++) {
    const int parent = t->node[i].parent;
    if (parent != i - 1) last = columns_load((const real *)&d->pose[parent].R_GM);
    last = position_body(t, d, true, NULL, i, t->n, last, &a);
  }
}

#if CDNI_LANES == 1
void KERNEL(position_of_path)(const tree *t, const tree_data *d, const int32_t *path, int n) {
  columns last = store_pose(columns_of(m3_identity()), column_of(v3_zero()), NULL, &d->pose[0]);
  angles a;
  a.next = a.n = 0;
  for (int k = 0; k < n; k++) last = position_body(t, d, false, path, k, n, last, &a);
}
#endif

void KERNEL(inertia)(const tree *t, const tree_data *d) {
  d->inertia[0] =
      (rigid_inertia){ { r_set(0), r_set(0), r_set(0), r_set(0), r_set(0), r_set(0) }, v3_zero(), r_set(0) };
  for (int i = 1; i < t->n; i++)
    d->inertia[i] = body_is_massless(&d->mass[i])
                        ? d->inertia[0]
                        : rigid_reexpress(d->pose[i].R_GM, d->mass[i].I, d->mass[i].mc, d->mass[i].m);
}

/* Hdot u in Ground's axes, for the kinds where H turns or stretches in F. */
#define BIAS_none(name, c, q, u, H, z) sv_zero()
#define BIAS_some(name, c, q, u, H, z) name##_bias(c, q, u, H, z)
#define BIAS_0 BIAS_none
#define BIAS_1 BIAS_some
static __attribute__((noinline)) sv bias(const tree *t, const tree_data *d, int i, sv V) {
  const tree_node *n = &t->node[i];
  const body_frames *c = &d->frames[i];
  const body_pose *pose = &d->pose[i], *parent = &d->pose[n->parent];
  const real *H = d->H + n->H, *q = d->q + n->q, *u = d->u + n->u;
  m3 R_GF;
  v3 p = v3_zero(); /* p_FM */
  real H_MF[36];
  sv b = sv_zero();
  if (n->variant & 1) {
    R_GF = m3_mul_m3(parent->R_GM, m3_load(c->R_PF));
    p = v3_sub(pose->r, m3_mul(parent->R_GM, v3_load(c->p_PF)));
  }
#define BIAS_CASE(ROW, name, KIND, NQ, NU, FORM, QUATERNION, BIAS, ...)   \
  case 2 * ROW_##ROW: return BIAS_##BIAS(name, c, q, u, H, pose->R_GM.z); \
  case 2 * ROW_##ROW + 1:                                                 \
    if (BIAS) {                                                           \
      reverse_H(FORM, NU, H, p, H_MF);                                    \
      b = BIAS_##BIAS(name, c, q, u, H_MF, R_GF.z);                       \
    }                                                                     \
    return FORM == HINGE_ANGULAR ? sv_neg(b) : reverse_bias(b, V, p);
  switch (n->variant) {
    MOBILIZER_LIST(BIAS_CASE)
    default: break;
  }
  b = d->custom[n->custom].bias;
  if (n->variant & 1) return reverse_bias((sv){ m3_mul(pose->R_GM, b.w), m3_mul(pose->R_GM, b.v) }, V, p);
  R_GF = m3_mul_m3(parent->R_GM, m3_load(c->R_PF));
  return (sv){ m3_mul(R_GF, b.w), m3_mul(R_GF, b.v) };
}

CDNI_INLINE sv velocity_body(const tree *t, const tree_data *d, int i, int nu, hinge_form form, sv V_P) {
  const tree_node *n = &t->node[i];
  sv V_J = hinge_mul(form, nu, d->H + n->H, d->u + n->u);
  bool biased = hinge_may_bias(form, nu) && n->bias;
  if (n->parent == 0) {
    d->twist[i] = (body_twist){ V_J, biased ? bias(t, d, i, V_J) : sv_zero() };
    return V_J;
  }
  /* A = phi^T A_P + H udot + (w_P x w_J, w_P x (w_P x r) + 2 w_P x v_J), and Hdot u where H is not fixed in F. */
  v3 r = d->pose[i].r, s = v3_cross(V_P.w, r);
  bool turns = form != HINGE_LINEAR && form != HINGE_NONE, slides = form != HINGE_ANGULAR && form != HINGE_NONE;
  v3 twice = slides ? v3_fma(r_set(2), V_J.v, s) : s;
  sv a_cor = { turns ? v3_cross(V_P.w, V_J.w) : v3_zero(), v3_cross(V_P.w, twice) };
  if (biased) a_cor = sv_add(a_cor, bias(t, d, i, V_J));
  const sv V = { v3_add(V_P.w, V_J.w), v3_add(v3_add(V_P.v, s), V_J.v) };
  d->twist[i] = (body_twist){ V, a_cor };
  return V;
}

void KERNEL(velocity)(const tree *t, const tree_data *d) {
  sv last = sv_zero();
  d->twist[0] = (body_twist){ last, last };
  for (int i = 1; i < t->n; i++) {
    const int parent = t->node[i].parent;
    if (parent != i - 1) last = d->twist[parent].V;
#define BODY(NU, FORM) last = velocity_body(t, d, i, NU, FORM, last)
    FOR_KIND(&t->node[i])
#undef BODY
  }
}
