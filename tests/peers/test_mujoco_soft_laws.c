/* What solref, solimp, impratio and the cones make of positions and speeds, and the functions of the rows, against
 * MuJoCo 2.2.2 on the same numbers: ours are given MuJoCo's positions, speeds and inverse weights. */
#include <stdio.h>

#include "../testing.h"
#include "soft/impedance.h"
#include "random_mjcf.h"
#include "soft_models.h"

enum { ZONES = 3, KINDS = 8 };

typedef struct seen {
  int rows[KINDS], zones[KINDS][4], hessians;
} seen;

static bool near(double a, double b, double relative) {
  return fabs(a - b) <= relative * fmax(fabs(a), fabs(b)) || fabs(a - b) < 1e-300;
}
#define SAME(a, b, scale, what)                                                                                      \
  ck_assert_msg(fabs((a) - (b)) <= 1e-14 * (scale), "%s, row %d of type %d, %s: ours %.17g, MuJoCo %.17g", label, i, \
                d->efc_type[i], what, (double)(a), (double)(b))

static const double *weight(const mjModel *m, int body) { return m->body_invweight0 + 2 * body; }

/* The law, the number of rows and the inverse weight of the first of MuJoCo's rows from i on. */
static soft_law law_of(const mjModel *m, const mjData *d, int i, int *rows, double *diagonal) {
  const int id = d->efc_id[i];
  const double *ref, *imp;
  *rows = 1;
  switch (d->efc_type[i]) {
    case mjCNSTR_EQUALITY: {
      const int a = m->eq_obj1id[id], b = m->eq_obj2id[id];
      ref = m->eq_solref + mjNREF * id, imp = m->eq_solimp + mjNIMP * id;
      *rows = m->eq_type[id] == mjEQ_CONNECT ? 3 : m->eq_type[id] == mjEQ_WELD ? 6 : 1;
      if (*rows > 1) *diagonal = weight(m, a)[0] + weight(m, b)[0];
      else *diagonal = m->dof_invweight0[m->jnt_dofadr[a]] + (b < 0 ? 0 : m->dof_invweight0[m->jnt_dofadr[b]]);
      break;
    }
    case mjCNSTR_FRICTION_DOF:
      ref = m->dof_solref + mjNREF * id, imp = m->dof_solimp + mjNIMP * id;
      *diagonal = m->dof_invweight0[id];
      break;
    case mjCNSTR_LIMIT_JOINT:
      ref = m->jnt_solref + mjNREF * id, imp = m->jnt_solimp + mjNIMP * id;
      *diagonal = m->dof_invweight0[m->jnt_dofadr[id]];
      break;
    default: {
      const mjContact *c = d->contact + id;
      const double tran = weight(m, m->geom_bodyid[c->geom1])[0] + weight(m, m->geom_bodyid[c->geom2])[0];
      const bool pyramid = d->efc_type[i] == mjCNSTR_CONTACT_PYRAMIDAL;
      ref = c->solref, imp = c->solimp;
      *rows = pyramid ? 2 * (c->dim - 1) : c->dim;
      *diagonal = pyramid ? tran * (1 + c->friction[0] * c->friction[0]) : tran;
    }
  }
  return (soft_law){ { ref[0], ref[1] }, { imp[0], imp[1], imp[2], imp[3], imp[4] } };
}

/* Our function of MuJoCo's rows from i on, and its references, in contact coordinates. */
static soft_function function_of(const char *label, const mjModel *m, const mjData *d, int i, int rows, seen *s) {
  double diagonal, x = d->efc_pos[i] - d->efc_margin[i];
  const soft_law law = law_of(m, d, i, &rows, &diagonal);
  const int type = d->efc_type[i];
  if (type == mjCNSTR_EQUALITY && rows > 1) x = mju_norm(d->efc_pos + i, rows) - d->efc_margin[i];
  const bool safe = !(m->opt.disableflags & mjDSBL_REFSAFE);
  const soft_response a = cdni_soft_response(&law, x, safe ? 2 * m->opt.timestep : 0);
  const double R = cdni_soft_regularisation(a.d, diagonal);
  soft_function f = { .kind = SOFT_LIMIT, .rows = 1, .D = { 1 / R } };
  s->rows[type]++;
  if (type == mjCNSTR_EQUALITY) {
    f.kind = SOFT_EQUALITY;
    f.rows = rows;
    /* MuJoCo 2.2.2 takes the inverse weight of translations for the rotations of a weld, too. */
    for (int k = 1; k < rows; k++) f.D[k] = f.D[0];
  } else if (type == mjCNSTR_FRICTION_DOF) {
    f.kind = SOFT_FRICTION_LOSS;
    f.loss = d->efc_frictionloss[i];
  } else if (type == mjCNSTR_CONTACT_ELLIPTIC || type == mjCNSTR_CONTACT_PYRAMIDAL) {
    const mjContact *c = d->contact + d->efc_id[i];
    f = cdni_soft_cone(type == mjCNSTR_CONTACT_ELLIPTIC ? SOFT_ELLIPTIC : SOFT_PYRAMIDAL, c->dim, c->friction, R,
                       m->opt.impratio);
    SAME(f.mu, c->mu, f.mu, "mu");
  }
  const int first = i;
  for (int k = 0; k < rows; k++, i++) {
    const double D = f.D[f.kind == SOFT_PYRAMIDAL ? 0 : k], *theirs = d->efc_KBIP + 4 * i;
    SAME(D, d->efc_D[i], D, "D");
    SAME(1 / D, d->efc_R[i], 1 / D, "R");
    SAME(a.d, theirs[2], 1, "impedance");
    SAME(a.B, theirs[1], a.B, "damping");
    const bool tangent = f.kind == SOFT_FRICTION_LOSS || (f.kind == SOFT_ELLIPTIC && i > first);
    const double K = tangent ? 0 : a.K, here = d->efc_pos[i] - d->efc_margin[i];
    if (!tangent) SAME(K, theirs[0], K, "stiffness");
    const double ref = -a.B * d->efc_vel[i] - K * a.d * here;
    SAME(ref, d->efc_aref[i], a.B * fabs(d->efc_vel[i]) + K * a.d * fabs(here), "aref");
  }
  return f;
}

/* Random residuals: ours, and what they are in MuJoCo's rows. */
static void draw(const soft_function *f, uint64_t *seed, double *r, double *jar) {
  double T = 0;
  const double size = pow(10, random_uniform(seed, -3, 3));
  for (int k = 0; k < f->rows; k++) r[k] = random_uniform(seed, -size, size);
  if (f->kind == SOFT_FRICTION_LOSS) r[0] *= f->loss / f->D[0] / size * 3;
  if (f->kind == SOFT_ELLIPTIC) {
    /* each zone as often */
    for (int k = 1; k < f->rows; k++) T += f->friction[k - 1] * r[k] * f->friction[k - 1] * r[k];
    const double low = -2 * sqrt(T) / (f->mu * f->mu), high = 2 * sqrt(T), which = random_uniform(seed, 0, 3);
    if (which < 1) r[0] = random_uniform(seed, low, low / 2);
    else if (which < 2) r[0] = random_uniform(seed, low / 2, high / 2);
    else r[0] = random_uniform(seed, high / 2, high);
  }
  if (f->kind != SOFT_PYRAMIDAL) {
    for (int k = 0; k < f->rows; k++) jar[k] = r[k];
    return;
  }
  for (int k = 1; k < f->rows; k++) {
    jar[2 * k - 2] = r[0] + f->friction[k - 1] * r[k];
    jar[2 * k - 1] = r[0] - f->friction[k - 1] * r[k];
  }
}

static void compare_functions(const char *label, const mjModel *m, mjData *d, uint64_t *seed, seen *s) {
  static double jar[3000], r[3000];
  double cost = 0, ours = 0;
  ck_assert_int_lt(d->nefc, 3000);
  soft_function *f = malloc((size_t)(d->nefc + 1) * sizeof *f);
  for (int i = 0; i < d->nefc;) {
    int rows;
    double diagonal;
    law_of(m, d, i, &rows, &diagonal);
    f[i] = function_of(label, m, d, i, rows, s);
    draw(&f[i], seed, r + i, jar + i);
    i += rows;
  }
  mj_constraintUpdate(m, d, jar, &cost, 1);
  for (int i = 0; i < d->nefc;) {
    int rows;
    double force[6], H[36], diagonal, scale = 0;
    int32_t zone;
    law_of(m, d, i, &rows, &diagonal);
    const soft_function *g = &f[i];
    ours += cdni_soft_function(g, r + i, force, H, &zone);
    const double *theirs = d->efc_force + i;
    if (g->kind == SOFT_PYRAMIDAL) {
      double decoded[6] = { 0 };
      for (int k = 1; k < g->rows; k++) {
        decoded[0] += theirs[2 * k - 2] + theirs[2 * k - 1];
        decoded[k] = g->friction[k - 1] * (theirs[2 * k - 2] - theirs[2 * k - 1]);
        scale += g->D[0] * (fabs(jar[i + 2 * k - 2]) + fabs(jar[i + 2 * k - 1]));
      }
      for (int k = 0; k < g->rows; k++)
        SAME(force[k], decoded[k], scale * fmax(1, k ? g->friction[k - 1] : 1), "force");
    } else {
      for (int k = 0; k < g->rows; k++) {
        scale = g->kind == SOFT_FRICTION_LOSS ? g->loss : g->D[k] * fabs(r[i + k]);
        if (zone == SOFT_ZONE_MIDDLE)
          scale = fabs(force[0]) * fmax(1, k ? g->friction[k - 1] : 1) + g->D[0] * fabs(r[i]);
        SAME(force[k], theirs[k], 10 * scale, "force");
      }
    }
    const int state = d->efc_state[i];
    const int expected = g->kind == SOFT_PYRAMIDAL   ? -1
                         : zone == SOFT_ZONE_NOTHING ? mjCNSTRSTATE_SATISFIED
                         : zone == SOFT_ZONE_MIDDLE  ? mjCNSTRSTATE_CONE
                         : zone == 1                 ? mjCNSTRSTATE_QUADRATIC
                         : zone == 2                 ? mjCNSTRSTATE_LINEARNEG
                                                     : mjCNSTRSTATE_LINEARPOS;
    if (expected >= 0)
      ck_assert_msg(state == expected, "%s, row %d: zone %d, MuJoCo's state %d", label, i, zone, state);
    s->zones[d->efc_type[i]][zone < 0 ? 3 : zone > 3 ? 1 : zone]++;
    if (zone == SOFT_ZONE_MIDDLE) {
      /* MuJoCo's diagonal is a difference of numbers of this size */
      const double *theirs_H = d->contact[d->efc_id[i]].H;
      double T = 0;
      for (int k = 1; k < g->rows; k++) T += g->friction[k - 1] * r[i + k] * g->friction[k - 1] * r[i + k];
      const double bend = 2 + fabs(r[i]) / sqrt(T);
      for (int a = 0; a < g->rows; a++) {
        for (int b = 0; b < g->rows; b++) {
          const double slopes = (a ? g->friction[a - 1] : 1) * (b ? g->friction[b - 1] : 1);
          SAME(H[a * g->rows + b], theirs_H[a * g->rows + b], H[0] * slopes * bend, "Hessian");
        }
      }
      s->hessians++;
    }
    i += rows;
  }
  ck_assert_msg(near(ours, cost, 1e-13), "%s: cost %.17g, MuJoCo %.17g", label, ours, cost);
  free(f);
}

START_TEST(test_laws) {
  static const char *const cones[] = { "pyramidal", "elliptic" };
  static const double ratios[] = { 1, 10, 0.3, 1e-3 };
  uint64_t seed = 31;
  seen s = { .hessians = 0 };
  for (int which = 0; which < SOFT_MODELS; which++) {
    for (int choice = 0; choice < 16; choice++) {
      const soft_choice c = { cones[choice % 2], ratios[choice / 2 % 4], choice < 8 ? "enable" : "disable", "Newton" };
      char *text = soft_model_text(which, &c), label[100];
      mjModel *m = soft_model_load(text);
      ck_assert(m != NULL);
      mjData *d = mj_makeData(m);
      snprintf(label, sizeof label, "%s, %s, impratio %g, refsafe %s", soft_model_names[which], c.cone, c.impratio,
               c.refsafe);
      for (int state = 0; state < 40; state++) {
        soft_model_state(m, d, &seed, 3);
        mj_fwdPosition(m, d);
        mj_fwdVelocity(m, d);
        compare_functions(label, m, d, &seed, &s);
      }
      mj_deleteData(d);
      mj_deleteModel(m);
      free(text);
    }
  }
  for (int type = 0; type < KINDS; type++) {
    printf("type %d: %d rows; zones nothing %d, full %d, other %d %d\n", type, s.rows[type], s.zones[type][0],
           s.zones[type][1], s.zones[type][2], s.zones[type][3]);
    if (type != mjCNSTR_FRICTION_TENDON && type != mjCNSTR_LIMIT_TENDON) ck_assert_int_ge(s.rows[type], 500);
  }
  ck_assert_int_ge(s.hessians, 500);
}
END_TEST

CHECK_MAIN("mujoco soft laws", test_laws)
