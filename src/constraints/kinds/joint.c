/* Mobilizers as loop joints: the motions of M in F that a kind of mobilizer does not allow become equations. Each
 * kind is a list of entries; a new kind is a line in the table. */
#include <math.h>

#include <cardan/mobilizers.h>

#include "constraints/kinds/equations.h"
#include "matter/kinds.h"

/* Entries of the lists: conditions on M in F; p is from F's origin to M's. */
typedef enum joint_equation_kind {
  ROTATION, /* R_FM is the identity: its rotation vector is zero. 3 equations */
  ALIGNED,  /* M's z is F's: the rotation vector that turns one into the other, which has no z, is zero. 2 */
  RIGHT,    /* axis i of F is at right angles with axis k of M */
  IN_F,     /* p has no component along axis i of F */
  IN_M,     /* p has no component along axis i of M */
  ON_SHELL, /* p along axis i of F is M's z there, times the half length i of the ellipsoid */
  THREAD,   /* p along F's z is the pitch times the angle about it, by the turn that is nearest */
  NO_SPIN   /* velocity level: M does not turn in F about its own z */
} joint_equation_kind;

typedef struct joint_equation {
  uint8_t kind, i, k;
} joint_equation;

enum { X, Y, Z };
#define POINT \
  { IN_F, X, 0 }, { IN_F, Y, 0 }, { IN_F, Z, 0 }

static const struct joint_form {
  const char *name;
  int np, nv;
  joint_equation equation[4];
  int n;
  bool along_x; /* instead, where the kind's parameters say so: see SPHERICAL_COORDS */
} forms[CDN_MOBILIZER_COUNT] = {
  [CDN_WELD] = { "weld joint", 6, 0, { { ROTATION, 0, 0 }, POINT }, 4, false },
  [CDN_PIN] = { "pin joint", 5, 0, { { ALIGNED, 0, 0 }, POINT }, 4, false },
  [CDN_SLIDER] = { "slider joint", 5, 0, { { ROTATION, 0, 0 }, { IN_F, Y, 0 }, { IN_F, Z, 0 } }, 3, false },
  [CDN_BALL] = { "ball joint", 3, 0, { POINT }, 3, false },
  [CDN_UNIVERSAL] = { "universal joint", 4, 0, { { RIGHT, X, Y }, POINT }, 4, false },
  [CDN_CYLINDER] = { "cylinder joint", 4, 0, { { ALIGNED, 0, 0 }, { IN_F, X, 0 }, { IN_F, Y, 0 } }, 3, false },
  [CDN_BEND_STRETCH] = { "bend_stretch joint", 4, 0, { { ALIGNED, 0, 0 }, { IN_F, Z, 0 }, { IN_M, Y, 0 } }, 3, false },
  [CDN_PLANAR] = { "planar joint", 3, 0, { { ALIGNED, 0, 0 }, { IN_F, Z, 0 } }, 2, false },
  [CDN_GIMBAL] = { "gimbal joint", 3, 0, { POINT }, 3, false },
  [CDN_ELLIPSOID] = { "ellipsoid joint",
                      3,
                      0,
                      { { ON_SHELL, X, 0 }, { ON_SHELL, Y, 0 }, { ON_SHELL, Z, 0 } },
                      3,
                      false },
  [CDN_TRANSLATION] = { "translation joint", 3, 0, { { ROTATION, 0, 0 } }, 1, false },
  [CDN_LINE_ORIENTATION] = { "line_orientation joint", 3, 1, { POINT, { NO_SPIN, 0, 0 } }, 4, false },
  [CDN_FREE_LINE] = { "free_line joint", 0, 1, { { NO_SPIN, 0, 0 } }, 1, false },
  [CDN_SPHERICAL_COORDS] = { "spherical_coords joint",
                             3,
                             0,
                             { { RIGHT, Z, Y }, { IN_M, Y, 0 }, { IN_M, X, 0 } },
                             3,
                             true },
  [CDN_SCREW] = { "screw joint",
                  5,
                  0,
                  { { ALIGNED, 0, 0 }, { IN_F, X, 0 }, { IN_F, Y, 0 }, { THREAD, 0, 0 } },
                  4,
                  false },
};

/* Parameters: X_AF, X_BM, and those of the mobilizer. */
enum { X_AF = 0, X_BM = 12, OWN = 24, N_PARAMS = OWN + CDN_MOBILIZER_PARAMS };
/* Those of the mobilizer follow. */
static const cdni_parameter table[] = { CDNI_FRAME("X_AF"),          CDNI_FRAME("X_BM"),
                                        CDNI_ANY("params[0]", NULL), CDNI_ANY("params[1]", NULL),
                                        CDNI_ANY("params[2]", NULL), CDNI_ANY("params[3]", NULL) };

static int kind_of(const void *data) { return *(const int32_t *)data; }

static const char *name_of(const constraint_element *c) { return forms[kind_of(c->data)].name; }

static bool check(const constraint_element *c, const double *p, char *reason, size_t size) {
  return constraint_check_frame(p + X_AF, "X_AF", reason, size) &&
         constraint_check_frame(p + X_BM, "X_BM", reason, size) &&
         cdni_check_params(&cdni_mobilizer_kinds[kind_of(c->data)], p + OWN, reason, size) == CDN_OK;
}

static const cdni_parameter *own_parameters(const constraint_element *c, int *first, int *n) {
  *first = OWN;
  const mobilizer_kind *kind = &cdni_mobilizer_kinds[kind_of(c->data)];
  *n = kind->n_parameters;
  return kind->parameters;
}

/* ---- where the frames are ---- */

typedef struct joint {
  v3 F[3], M[3]; /* axes, in Ground */
  v3 arm_F, arm_M;
  v3 p;
  const double *own;
} joint;

static joint place(const constraint_view *v) {
  const m3 F = constraint_axes(v, 0, v->params + X_AF), M = constraint_axes(v, 1, v->params + X_BM);
  joint j = { .F = { F.x, F.y, F.z }, .M = { M.x, M.y, M.z }, .own = v->params + OWN };
  j.arm_F = constraint_arm(v, 0, v->params + X_AF + 9);
  j.arm_M = constraint_arm(v, 1, v->params + X_BM + 9);
  j.p = v3_sub(constraint_place(v, 1, j.arm_M), constraint_place(v, 0, j.arm_F));
  return j;
}

/* The next entry of an element's list. */
static joint_equation entry(const constraint_view *v, int n) {
  const struct joint_form *form = &forms[kind_of(v->data)];
  joint_equation e = form->equation[n];
  if (form->along_x && e.kind == IN_M && e.i == X && ((int)v->params[OWN + 2] & 4)) e.i = Z;
  return e;
}
static int entries(const constraint_view *v) { return forms[kind_of(v->data)].n; }
static int equations(joint_equation e) { return e.kind == ROTATION ? 3 : e.kind == ALIGNED ? 2 : 1; }

/* Component of a in the axes F. */
static v3 in_F(const joint *j, v3 a) { return (v3){ v3_dot(j->F[X], a), v3_dot(j->F[Y], a), v3_dot(j->F[Z], a) }; }
static v3 from_F(const joint *j, v3 a) { return v3_fma(a.z, j->F[Z], v3_fma(a.y, j->F[Y], v3_scale(a.x, j->F[X]))); }

/* ---- ROTATION: e = log R_FM in F's axes, edot = B w, B = 1 - [e]/2 + c [e]^2 (w: of M in F) ---- */

typedef struct rotation {
  v3 e;
  double c, c1; /* c = (1 - (t/2) cot(t/2)) / t^2 for t = |e|, and (dc/dt) / t */
} rotation;

/* Of c in t^2: |B_2k| / (2k)!, k = 1, 2, ... */
static const double log_series[] = { 1.0 / 12,          1.0 / 720,
                                     1.0 / 30240,       1.0 / 1209600,
                                     1.0 / 47900160,    691 / 1307674368000.0,
                                     1 / 74724249600.0, 3617 / 10670622842880000.0 };

static rotation rotation_of(const joint *j) {
  cdn_rotation R;
  cdn_vec3 *column[3] = { &R.x, &R.y, &R.z };
  for (int k = 0; k < 3; k++) *column[k] = cdni_from_v3(in_F(j, j->M[k]));
  const cdn_quaternion q = cdn_quaternion_from_rotation(R);
  const v3 n = { q.x, q.y, q.z };
  const double s = v3_norm(n), t = 2 * atan2(s, q.w), t2 = t * t;
  rotation r = { .e = v3_scale(s > 0 ? t / s : 2, n) };
  if (t < 0.5) { /* closed forms cancel */
    for (int k = CDNI_COUNT(log_series) - 1; k >= 0; k--) r.c1 = r.c1 * t2 + 2 * r.c, r.c = r.c * t2 + log_series[k];
  } else {
    const double cot = q.w / s;
    r.c = (1 - t / 2 * cot) / t2;
    r.c1 = (cot / (2 * t) + 1 / (4 * s * s) - 2 / t2) / t2;
  }
  return r;
}

static v3 rotation_rate(const rotation *r, v3 w) {
  const v3 ew = v3_cross(r->e, w);
  return v3_fma(r->c, v3_cross(r->e, ew), v3_fma(-0.5, ew, w));
}

static void rotation_rows(const constraint_view *v, int row, const joint *j) {
  rotation r = rotation_of(j);
  r.e = v3_neg(r.e); /* B^T */
  for (int i = 0; i < 3; i++) {
    const v3 unit = { i == 0, i == 1, i == 2 };
    const v3 moment = from_F(j, rotation_rate(&r, unit));
    constraint_twist(v, row + i, 1, moment);
    constraint_twist(v, row + i, 0, v3_neg(moment));
  }
}

static void rotation_bias(const constraint_view *v, double *bias, const joint *j) {
  const rotation r = rotation_of(j);
  const v3 w_a = constraint_w(v, 0), w_b = constraint_w(v, 1), w = in_F(j, v3_sub(w_b, w_a));
  const v3 edot = rotation_rate(&r, w), ew = v3_cross(r.e, w), edot_w = v3_cross(edot, w);
  v3 sum = rotation_rate(&r, in_F(j, v3_cross(w_b, w_a))); /* wdot in F where neither accelerates */
  sum = v3_fma(-0.5, edot_w, sum);
  sum = v3_fma(r.c1 * v3_dot(r.e, edot), v3_cross(r.e, ew), sum);
  sum = v3_fma(r.c, v3_add(v3_cross(edot, ew), v3_cross(r.e, edot_w)), sum);
  bias[0] += sum.x, bias[1] += sum.y, bias[2] += sum.z;
}

/* ---- ALIGNED: e_x = -k F_y . z, e_y = k F_x . z for M's z, where k = t / sin t and cos t = F_z . z ---- */

typedef struct alignment {
  double k, k1, k2; /* with the derivatives by cos t */
  double along[2];  /* -F_y . z and F_x . z */
  v3 across[2];     /* -F_y and F_x */
} alignment;

static cdn_status alignment_of(const constraint_view *v, const joint *j, alignment *a) {
  const double c = v3_dot(j->F[Z], j->M[Z]);
  a->across[0] = v3_neg(j->F[Y]), a->across[1] = j->F[X];
  for (int i = 0; i < 2; i++) a->along[i] = v3_dot(a->across[i], j->M[Z]);
  const double s2 = a->along[0] * a->along[0] + a->along[1] * a->along[1], s = sqrt(s2);
  if (s == 0 && c < 0)
    return cdni_constraint_singular(v, "its two z axes point in opposite directions, and it cannot tell which way to "
                                       "turn them");
  if (c > 0.9) { /* k is the sum of n! / (2 n + 1)!! (1 - c)^n; s^2 = (1 - c) (1 + c) */
    const double y = s2 / (1 + c);
    double term = 1;
    a->k = a->k1 = a->k2 = 0;
    for (int n = 0; n < 14; n++) {
      const double next = term * (n + 1) / (2 * n + 3), after = next * (n + 2) / (2 * n + 5);
      a->k += term;
      a->k1 -= (n + 1) * next;
      a->k2 += (n + 1) * (n + 2) * after;
      term = next * y;
    }
    return CDN_OK;
  }
  a->k = atan2(s, c) / s;
  a->k1 = (c * a->k - 1) / s2;
  a->k2 = (a->k + 3 * c * a->k1) / s2;
  return CDN_OK;
}

/* The direction whose angle with M's z changes at the rate of equation i. */
static v3 alignment_direction(const joint *j, const alignment *a, int i) {
  return v3_fma(a->k1 * a->along[i], j->F[Z], v3_scale(a->k, a->across[i]));
}

static double alignment_bias(const constraint_view *v, const joint *j, const alignment *a, int i) {
  const double cdot = rate_angle(v, 0, 1, j->F[Z], j->M[Z]), along = rate_angle(v, 0, 1, a->across[i], j->M[Z]);
  return bias_angle(v, 0, 1, alignment_direction(j, a, i), j->M[Z]) + 2 * a->k1 * cdot * along +
         a->k2 * cdot * cdot * a->along[i];
}

/* ---- THREAD: the angle about z is that of (F_x . x + F_y . y, F_y . x - F_x . y) for M's x and y ---- */

typedef struct thread {
  double s, c, square; /* sine and cosine, not normalized; sum of their squares */
  v3 x, y;             /* directions whose angles with M's x and y add to the rate of the angle */
} thread;

static cdn_status thread_of(const constraint_view *v, const joint *j, thread *t) {
  t->s = v3_dot(j->F[Y], j->M[X]) - v3_dot(j->F[X], j->M[Y]);
  t->c = v3_dot(j->F[X], j->M[X]) + v3_dot(j->F[Y], j->M[Y]);
  t->square = t->s * t->s + t->c * t->c;
  if (t->square == 0)
    return cdni_constraint_singular(v, "its two z axes point in opposite directions, and there is no angle about them");
  t->x = v3_scale(1 / t->square, v3_fma(t->c, j->F[Y], v3_scale(-t->s, j->F[X])));
  t->y = v3_scale(-1 / t->square, v3_fma(t->c, j->F[X], v3_scale(t->s, j->F[Y])));
  return CDN_OK;
}

static double thread_error(const joint *j, const thread *t) {
  const double pitch = j->own[0], along = v3_dot(j->F[Z], j->p);
  return pitch == 0 ? along : pitch * remainder(along / pitch - atan2(t->s, t->c), 2 * 3.14159265358979323846);
}

static double thread_bias(const constraint_view *v, const joint *j, const thread *t) {
  const double sdot = rate_angle(v, 0, 1, j->F[Y], j->M[X]) - rate_angle(v, 0, 1, j->F[X], j->M[Y]);
  const double cdot = rate_angle(v, 0, 1, j->F[X], j->M[X]) + rate_angle(v, 0, 1, j->F[Y], j->M[Y]);
  const double rate = (t->c * sdot - t->s * cdot) / t->square;
  return bias_angle(v, 0, 1, t->x, j->M[X]) + bias_angle(v, 0, 1, t->y, j->M[Y]) -
         2 * rate * (t->c * cdot + t->s * sdot) / t->square;
}

/* ---- the list ---- */

static cdn_status calc_position(const constraint_view *v, double *e) {
  const joint j = place(v);
  for (int n = 0; n < entries(v); n++) {
    const joint_equation q = entry(v, n);
    switch (q.kind) {
      case ROTATION: {
        const rotation r = rotation_of(&j);
        e[0] = r.e.x, e[1] = r.e.y, e[2] = r.e.z;
        break;
      }
      case ALIGNED: {
        alignment a;
        CDNI_TRY(alignment_of(v, &j, &a));
        e[0] = a.k * a.along[0], e[1] = a.k * a.along[1];
        break;
      }
      case THREAD: {
        thread t;
        CDNI_TRY(thread_of(v, &j, &t));
        e[0] = thread_error(&j, &t);
        break;
      }
      case RIGHT: e[0] = v3_dot(j.F[q.i], j.M[q.k]); break;
      case IN_F: e[0] = v3_dot(j.F[q.i], j.p); break;
      case IN_M: e[0] = v3_dot(j.M[q.i], j.p); break;
      case ON_SHELL: e[0] = v3_dot(j.F[q.i], j.p) - j.own[q.i] * v3_dot(j.F[q.i], j.M[Z]); break;
      case NO_SPIN: continue;
    }
    e += equations(q);
  }
  return CDN_OK;
}

static cdn_status calc_rows(const constraint_view *v) {
  const joint j = place(v);
  for (int n = 0, row = 0; n < entries(v); row += equations(entry(v, n)), n++) {
    const joint_equation q = entry(v, n);
    switch (q.kind) {
      case ROTATION: rotation_rows(v, row, &j); break;
      case ALIGNED: {
        alignment a;
        CDNI_TRY(alignment_of(v, &j, &a));
        for (int i = 0; i < 2; i++) row_angle(v, row + i, 0, 1, alignment_direction(&j, &a, i), j.M[Z]);
        break;
      }
      case THREAD: {
        thread t;
        CDNI_TRY(thread_of(v, &j, &t));
        row_along(v, row, 0, 1, j.arm_M, j.F[Z]);
        row_angle(v, row, 0, 1, v3_scale(-j.own[0], t.x), j.M[X]);
        row_angle(v, row, 0, 1, v3_scale(-j.own[0], t.y), j.M[Y]);
        break;
      }
      case RIGHT: row_angle(v, row, 0, 1, j.F[q.i], j.M[q.k]); break;
      case IN_F: row_along(v, row, 0, 1, j.arm_M, j.F[q.i]); break;
      case IN_M: row_along(v, row, 1, 0, j.arm_F, v3_neg(j.M[q.i])); break;
      case ON_SHELL:
        row_along(v, row, 0, 1, j.arm_M, j.F[q.i]);
        row_angle(v, row, 0, 1, v3_scale(-j.own[q.i], j.F[q.i]), j.M[Z]);
        break;
      case NO_SPIN:
        constraint_twist(v, row, 1, j.M[Z]);
        constraint_twist(v, row, 0, v3_neg(j.M[Z]));
        break;
    }
  }
  return CDN_OK;
}

static cdn_status add_bias(const constraint_view *v, double *bias) {
  const joint j = place(v);
  for (int n = 0; n < entries(v); n++) {
    const joint_equation q = entry(v, n);
    switch (q.kind) {
      case ROTATION: rotation_bias(v, bias, &j); break;
      case ALIGNED: {
        alignment a;
        CDNI_TRY(alignment_of(v, &j, &a));
        for (int i = 0; i < 2; i++) bias[i] += alignment_bias(v, &j, &a, i);
        break;
      }
      case THREAD: {
        thread t;
        CDNI_TRY(thread_of(v, &j, &t));
        bias[0] += bias_along(v, 0, 1, j.arm_M, j.F[Z]) - j.own[0] * thread_bias(v, &j, &t);
        break;
      }
      case RIGHT: bias[0] += bias_angle(v, 0, 1, j.F[q.i], j.M[q.k]); break;
      case IN_F: bias[0] += bias_along(v, 0, 1, j.arm_M, j.F[q.i]); break;
      case IN_M: bias[0] += bias_along(v, 1, 0, j.arm_F, v3_neg(j.M[q.i])); break;
      case ON_SHELL:
        bias[0] +=
            bias_along(v, 0, 1, j.arm_M, j.F[q.i]) + bias_angle(v, 0, 1, v3_scale(-j.own[q.i], j.F[q.i]), j.M[Z]);
        break;
      case NO_SPIN: bias[0] -= v3_dot(constraint_w(v, 0), v3_cross(constraint_w(v, 1), j.M[Z])); break;
    }
    bias += equations(q);
  }
  return CDN_OK;
}

const constraint_kind cdni_constraint_joint = {
  .name = "joint",
  .name_of = name_of,
  .n_params = N_PARAMS,
  .params = table,
  .own_parameters = own_parameters,
  .check = check,
  .calc_position = calc_position,
  .calc_rows = calc_rows,
  .add_bias = add_bias,
};

/* ---- the door ---- */

static void pack(double *params, cdn_transform F, cdn_transform M, const double *own) {
  cdni_pack_transform(params + X_AF, F);
  cdni_pack_transform(params + X_BM, M);
  for (int i = 0; i < CDN_MOBILIZER_PARAMS; i++) params[OWN + i] = own ? own[i] : 0;
}

cdn_constraint cdn_system_constrain_joint(cdn_system *system, const char *name, cdn_mobilizer kind, cdn_body a,
                                          cdn_transform F, cdn_body b, cdn_transform M, const double *own) {
  constraint_adder adder;
  double params[N_PARAMS];
  const bool known = kind >= 0 && kind < CDN_MOBILIZER_COUNT;
  const int32_t data = known ? (int32_t)kind : CDN_WELD;
  cdni_constraint_begin(&adder, system, CONSTRAINT_JOINT, "cdn_system_constrain_joint", name, forms[data].np,
                        forms[data].nv, 0);
  if (!known) cdni_adder_refuse(&adder.by, CDN_ERR_ARG, "there is no mobilizer %d", (int)kind);
  else if (kind == CDN_FREE || kind == CDN_BUSHING)
    cdni_adder_refuse(&adder.by, CDN_ERR_ARG, "a %s joint takes nothing away: it is no constraint",
                      cdn_mobilizer_name(kind));
  else if (!forms[kind].name)
    cdni_adder_refuse(&adder.by, CDN_ERR_UNSUPPORTED,
                      "a %s mobilizer says how its coordinates move M, not which motions it forbids: write the "
                      "equations as a custom constraint",
                      cdn_mobilizer_name(kind));
  cdni_constraint_add_pair(&adder, a, b);
  pack(params, F, M, own);
  return cdni_constraint_add(&adder, &data, sizeof data, params);
}

cdn_status cdn_joint_set(cdn_state *state, cdn_constraint constraint, cdn_transform F, cdn_transform M,
                         const double *own) {
  CDNI_NEED_OBJECT(state, CDN_ERR_ARG);
  double params[N_PARAMS];
  const double *now = cdni_constraint_params(state, constraint, CONSTRAINT_JOINT);
  pack(params, F, M, own || !now ? own : now + OWN);
  return cdni_constraint_set(state, constraint, CONSTRAINT_JOINT, "cdn_joint_set", params);
}
