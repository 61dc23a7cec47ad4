/* The points of soft contact, and what materials say of them, in Cardan and in MuJoCo 2.2.2: the same random files at
 * the same random poses. Geoms are of kinds whose points are MuJoCo's; of other kinds a table says how far they
 * agree. */
#include "mujoco_bridge.h"

#include <stdarg.h>
#include <stdio.h>

#include "../testing.h"
#include "contact/contact.h"

#include <cardan/queries.h>
#include "random_mjcf.h"

/* ---- random files ---- */

enum { BODIES = 7, MOST_GEOMS = 40, TEXT = 40000 };

typedef struct maker {
  uint64_t rng;
  char text[TEXT];
  size_t used;
  int geoms, body_of[MOST_GEOMS];
} maker;

static void put(maker *k, const char *format, ...) {
  va_list args;
  va_start(args, format);
  k->used += (size_t)vsnprintf(k->text + k->used, sizeof k->text - k->used, format, args);
  va_end(args);
  ck_assert(k->used < sizeof k->text);
}

static int below(maker *k, int n) { return random_below(&k->rng, n); }

/* " name=...": n random numbers. MuJoCo 2.2.2 reads one number too many where a space is last. */
static void put_numbers(maker *k, const char *name, int n, const double lo[], const double hi[]) {
  put(k, " %s='", name);
  for (int i = 0; i < n; i++) put(k, i ? " %.4f" : "%.4f", random_uniform(&k->rng, lo[i], hi[i]));
  put(k, "'");
}

static void put_law(maker *k) {
  static const double lo[] = { 0.003, 0.2, 0.0, 0.2, 1 }, hi[] = { 0.1, 2, 1.0, 0.9, 4 };
  static const double imp_lo[] = { 0, 0.5, 0, 0.1, 1 }, imp_hi[] = { 0.9, 1, 0.01, 0.9, 4 };
  const int form = below(k, 4);
  if (form == 0) put_numbers(k, "solref", 2, (double[]){ -5000, -200 }, (double[]){ -100, -1 });
  if (form > 1) put_numbers(k, "solref", 1 + below(k, 2), lo, hi);
  if (below(k, 2)) put_numbers(k, "solimp", 1 + below(k, 5), imp_lo, imp_hi);
}

static void put_material(maker *k) {
  static const int condims[] = { 1, 3, 3, 4, 6 };
  static const double none[] = { 0, 0, 0, 0, 0 }, most[] = { 1.2, 0.1, 0.01, 0.1, 0.1 };
  if (below(k, 2)) put(k, " condim='%d'", condims[below(k, 5)]);
  if (below(k, 2)) put_numbers(k, "friction", 1 + below(k, 3), none, most);
  if (below(k, 3) == 0) put(k, " priority='%d'", below(k, 4) - 1);
  if (below(k, 2)) put(k, " solmix='%.2f'", below(k, 4) ? random_uniform(&k->rng, 0, 3) : 0.0);
  if (below(k, 2)) put_numbers(k, "margin", 1, most + 2, most + 1);
  if (below(k, 3) == 0) put_numbers(k, "gap", 1, none, most + 1);
  put_law(k);
}

/* Boxes and cylinders touch the planes alone. */
static void put_geom(maker *k, int body) {
  static const double lo[] = { 0.1, 0.1, 0.1 }, hi[] = { 0.4, 0.4, 0.4 }, at[] = { -0.2, -0.2, -0.2 };
  static const double back[] = { 0.2, 0.2, 0.2 }, turned[] = { 0, 0, 0 }, round[] = { 180, 180, 180 };
  const int type = below(k, 4);
  static const char *const names[] = { "sphere", "capsule", "box", "cylinder" };
  k->body_of[k->geoms] = body;
  put(k, "<geom name='g%d' mass='1'", k->geoms++);
  put_numbers(k, "pos", 3, at, back);
  put_numbers(k, "euler", 3, turned, round);
  put(k, " type='%s'", names[type]);
  put_numbers(k, "size", (int[]){ 1, 2, 3, 2 }[type], lo, hi);
  if (type >= 2) put(k, " contype='2' conaffinity='4'");
  put_material(k);
  put(k, "/>");
}

static void put_pair(maker *k, int second) {
  static const double none[] = { 0, 0, 0, 0, 0 }, most[] = { 1.2, 1.2, 0.1, 0.01, 0.01 };
  const int first = below(k, 2);
  put(k, "<pair geom1='g%d' geom2='g%d'", first, second);
  if (below(k, 2)) put(k, " condim='6'");
  if (below(k, 2)) put_numbers(k, "friction", 1 + below(k, 5), none, most);
  if (below(k, 2)) put_numbers(k, "margin", 1, none, most + 2);
  if (below(k, 3) == 0) put_numbers(k, "gap", 1, none, most + 2);
  put_law(k);
  put(k, "/>");
}

/* Margins are o_margin at least: MuJoCo's broad phase does not know what overrides them. */
static void make(maker *k, uint64_t seed) {
  k->rng = seed, k->used = 0, k->geoms = 0;
  const bool elliptic = below(k, 2), stiff = below(k, 2), slow = below(k, 2);
  put(k, "<mujoco><option cone='%s' impratio='%d' timestep='%s' tolerance='1e-15' iterations='500'",
      elliptic ? "elliptic" : "pyramidal", stiff ? 5 : 1, slow ? "0.02" : "0.002");
  if (below(k, 5) == 0) {
    put(k, " o_margin='0.01' o_solref='-300 -20' o_solimp='.4 .8 .02'><flag override='enable'/></option>");
  } else put(k, "/>");
  put(k,
      "<default><geom margin='.01' condim='4' solref='0.05 0.7' solimp='.1 .2'/><pair margin='.01' solref='.03 1'/></default>");
  put(k, "<worldbody>");
  for (int i = 0; i < 2; i++) {
    k->body_of[k->geoms] = 0;
    put(k, "<geom name='g%d' type='plane' size='9 9 9' contype='5' conaffinity='3'", k->geoms++);
    if (i == 1) put(k, " pos='1 0 0' euler='10 -50 20'");
    put_material(k);
    put(k, "/>");
  }
  for (int body = 1; body <= BODIES; body++) {
    put(k, "<body name='b%d'><freejoint/>", body);
    for (int n = 1 + below(k, 2); n > 0; n--) put_geom(k, body);
    put(k, "</body>");
  }
  put(k, "</worldbody><contact>");
  for (int n = below(k, 4), from = 2 + below(k, k->geoms - 5); n > 0; n--) put_pair(k, from + n - 1);
  put(k, "</contact></mujoco>");
}

/* ---- comparison ---- */

typedef struct model {
  mjModel *m;
  mjData *d;
  cdn_model *model;
  cdn_state *state;
  mj_bridge bridge;
} model;

/* `soft` NULL: as the file has it. */
static void load_with(model *to, const char *text, const char *name, const cdn_soft_def *soft) {
  char message[500] = "";
  to->m = mj_bridge_load_string(text, "model.xml", message, sizeof message);
  ck_assert_msg(to->m != NULL, "%s: MuJoCo: %s", name, message);
  to->d = mj_makeData(to->m);
  cdn_model_options options = cdn_default_model_options();
  options.contact = CDN_MODEL_SOFT, options.solving = CDN_MODEL_SOLVE_AS_FILE;
  cdn_spec *spec;
  cdn_system *system = cdn_system_create(NULL);
  if (soft) cdn_system_set_soft(system, soft);
  OK(cdn_spec_load_string(text, strlen(text), name, &options, &spec));
  const cdn_status status = cdn_model_build(spec, &options, system, &to->model);
  cdn_error reason;
  cdn_model_last_error(to->model, &reason);
  ck_assert_msg(status == CDN_OK, "%s: %s", name, reason.text);
  OK_FREEZE(system);
  OK(cdn_state_create(system, &to->state));
  cdn_system_release(system);
  cdn_spec_destroy(spec);
  ck_assert(mj_bridge_init(&to->bridge, to->m, to->model));
}

static void load(model *to, const char *text, const char *name) { load_with(to, text, name, NULL); }

static void unload(model *of) {
  mj_bridge_free(&of->bridge);
  mj_deleteData(of->d);
  mj_deleteModel(of->m);
  cdn_state_destroy(of->state);
  cdn_model_destroy(of->model);
}

static void pose(model *p, uint64_t *rng, double spread) {
  double q[7 * BODIES];
  for (int b = 0; b < BODIES; b++) {
    random_quaternion(rng, q + 7 * b);
    for (int i = 4; i < 7; i++) q[7 * b + i] = random_uniform(rng, -spread, spread);
    q[7 * b + 6] = random_uniform(rng, 0, spread);
  }
  OK_ON(p->state, cdn_state_set_q(p->state, q));
  mj_bridge_q_to_mujoco(&p->bridge, q, p->d->qpos);
  mj_kinematics(p->m, p->d);
  mj_collision(p->m, p->d);
}

static int n_states, n_near;

/* Speeds, and the accelerations that follow: by the cone, the ratio of impedances and refsafe of the file, too. Both
 * solvers iterate until rounding stops them, which in MuJoCo's is at 1e-9 to 1e-4. */
static void compare_accelerations(model *p, uint64_t *rng, const char *name) {
  enum { MOST = 6 * BODIES };
  double u[MOST], theirs[MOST], off = 0, size = 0;
  const double *q = cdn_state_q(p->state);
  const int n = p->m->nv;
  ck_assert_int_le(n, MOST);
  for (int i = 0; i < n; i++) u[i] = random_uniform(rng, -1, 1);
  OK_ON(p->state, cdn_state_set_u(p->state, u));
  mj_bridge_u_to_mujoco(&p->bridge, q, u, p->d->qvel);
  mju_zero(p->d->qacc_warmstart, p->m->nv);
  mj_forward(p->m, p->d);
  mj_bridge_u_from_mujoco(&p->bridge, q, p->d->qacc, theirs);
  const double *ours = cdn_state_udot(p->state);
  ck_assert_ptr_nonnull(ours);
  for (int i = 0; i < n; i++) off = fmax(off, fabs(ours[i] - theirs[i])), size = fmax(size, fabs(theirs[i]));
  ck_assert_msg(off < 1e-3 * size, "%s: udot is off by %g of %g", name, off, size);
  n_states++, n_near += off < 1e-6 * size;
}

static int spec_shape(const model *p, int32_t shape) {
  const char *name = cdn_shape_name(cdn_state_system(p->state), (cdn_shape){ shape });
  return cdn_spec_find(cdn_model_spec(p->model), CDN_SPEC_SHAPE, name);
}

static cdn_vec3 vec3(const double *v) { return cdn_v3(v[0], v[1], v[2]); }

/* Our point for a contact of MuJoCo's: of the same shapes, and there. */
static const contact_point *find(const model *p, const mjContact *c, const contact_point *points, int n) {
  const contact_point *best = NULL;
  double least = INFINITY;
  for (int i = 0; i < n; i++) {
    const int a = spec_shape(p, points[i].a), b = spec_shape(p, points[i].b);
    if (!((a == c->geom1 && b == c->geom2) || (a == c->geom2 && b == c->geom1))) continue;
    const double far = cdn_norm(cdn_sub(points[i].point, vec3(c->pos)));
    if (far < least) least = far, best = &points[i];
  }
  return best;
}

static double off_by(const double *a, const double *b, int n) {
  double most = 0;
  for (int i = 0; i < n; i++) most = fmax(most, fabs(a[i] - b[i]));
  return most;
}

static int n_points, n_pairs, n_in_gap;

static void compare_point(const model *p, const mjContact *c, const contact_point *o, const char *name) {
  char where[200];
  snprintf(where, sizeof where, "%s, geoms %d (type %d) and %d (type %d), distance %g", name, c->geom1,
           p->m->geom_type[c->geom1], c->geom2, p->m->geom_type[c->geom2], c->dist);
  ck_assert_msg(o != NULL, "%s: no point of ours", where);
  const double side = spec_shape(p, o->a) == c->geom1 ? 1 : -1;
  const double near = cdn_norm(cdn_sub(o->point, vec3(c->pos))),
               normal = cdn_norm(cdn_sub(cdn_scale(side, o->normal), vec3(c->frame)));
  ck_assert_msg(near < 1e-12 && normal < 1e-11 && fabs(o->distance - c->dist) < 1e-12,
                "%s: the point is off by %g, its normal by %g, its distance by %g", where, near, normal,
                fabs(o->distance - c->dist));
  for (int t = 0; t < 2; t++) {
    const cdn_vec3 theirs = vec3(c->frame + 3 + 3 * t), line = cdn_cross(o->tangent[t], theirs);
    ck_assert_msg(cdn_norm(line) < 1e-9, "%s: tangent %d is off by %g", where, t, cdn_norm(line));
  }
  const soft_contact *s = &o->soft;
  ck_assert_msg(s->dimension == c->dim, "%s: dimension %d, MuJoCo %d", where, (int)s->dimension, c->dim);
  ck_assert_msg(fabs(s->margin - c->includemargin) < 1e-15, "%s: margin %g, MuJoCo %g", where, s->margin,
                c->includemargin);
  ck_assert_msg(off_by(s->friction, c->friction, 5) < 1e-15, "%s: friction %g %g %g %g %g, MuJoCo %g %g %g %g %g",
                where, s->friction[0], s->friction[1], s->friction[2], s->friction[3], s->friction[4], c->friction[0],
                c->friction[1], c->friction[2], c->friction[3], c->friction[4]);
  ck_assert_msg(off_by(s->law.ref, c->solref, 2) < 1e-15, "%s: solref %g %g, MuJoCo %g %g", where, s->law.ref[0],
                s->law.ref[1], c->solref[0], c->solref[1]);
  ck_assert_msg(off_by(s->law.imp, c->solimp, 5) < 1e-15, "%s: solimp %g %g %g %g %g, MuJoCo %g %g %g %g %g", where,
                s->law.imp[0], s->law.imp[1], s->law.imp[2], s->law.imp[3], s->law.imp[4], c->solimp[0], c->solimp[1],
                c->solimp[2], c->solimp[3], c->solimp[4]);
  ck_assert_msg((o->distance < s->margin) == !c->exclude, "%s: excluded %d", where, c->exclude);
  n_points++, n_pairs += o->pair >= 0, n_in_gap += c->exclude != 0;
}

static void compare(model *p, const char *name) {
  const contact_point *points;
  int n;
  OK_ON(p->state, cdni_contact_points(cdni_contact(cdn_state_system(p->state)), p->state, &points, &n));
  for (int i = 0; i < p->d->ncon; i++) compare_point(p, &p->d->contact[i], find(p, &p->d->contact[i], points, n), name);
  ck_assert_msg(n == p->d->ncon, "%s: %d points, MuJoCo %d", name, n, p->d->ncon);
  for (int i = 1; i < n; i++) {
    const contact_point *a = &points[i - 1], *b = &points[i];
    ck_assert(a->a < b->a || (a->a == b->a && (a->b < b->b || (a->b == b->b && a->feature < b->feature))));
  }
}

START_TEST(points_parameters_and_accelerations_are_mujocos) {
  mj_bridge_handlers();
  static maker k;
  n_points = n_pairs = n_in_gap = n_states = n_near = 0;
  for (int seed = 1; seed <= 200; seed++) {
    char name[40];
    snprintf(name, sizeof name, "seed %d", seed);
    make(&k, (uint64_t)seed);
    model p;
    load(&p, k.text, name);
    uint64_t rng = (uint64_t)seed + 1000;
    for (int i = 0; i < 20; i++) {
      pose(&p, &rng, 0.7);
      compare(&p, name);
      compare_accelerations(&p, &rng, name);
    }
    unload(&p);
  }
  ck_assert_int_gt(n_points, 20000);
  ck_assert_int_gt(n_pairs, 500);
  ck_assert_int_gt(n_in_gap, 500);
  ck_assert_int_gt(n_near, 0.99 * n_states);
}
END_TEST

/* ---- limits and dry friction of joints ---- */

static const char joints[] =
    "<mujoco><compiler autolimits='true'/><option cone='%s' tolerance='1e-15' iterations='500'/><default><joint armature='.01'/></default><worldbody>"
    "<geom type='plane' size='9 9 9'/><body pos='0 0 1'><joint type='hinge' axis='0 1 0' range='-20 30' margin='.1' "
    "solreflimit='.05 .6' frictionloss='.3' solimplimit='.5 .9 .1'/><geom type='capsule' fromto='0 0 0 .4 0 0' size='.1'/>"
    "<body pos='.4 0 0'><joint type='ball' range='0 40' solreflimit='-300 -20' frictionloss='.1' solreffriction='.1 1'/>"
    "<geom type='capsule' fromto='0 0 0 .4 0 0' size='.1'/><body pos='.4 0 0'><joint type='slide' range='-.1 .2' "
    "axis='1 0 0' frictionloss='2' solimpfriction='.4 .5'/><geom type='sphere' size='.2'/></body></body></body>"
    "<body pos='0 1 .2'><freejoint/><geom type='sphere' size='.2'/></body></worldbody></mujoco>";

static void pose_joints(model *p, uint64_t *rng) {
  double q[100];
  for (int i = 0; i < cdn_system_nq(cdn_model_system(p->model)); i++) q[i] = random_uniform(rng, -0.7, 0.7);
  for (int i = 0; i < cdn_model_joint_count(p->model); i++) {
    const cdn_model_joint joint = cdn_model_get_joint(p->model, i);
    if (joint.nq >= 4) random_quaternion(rng, q + joint.first_q);
    if (joint.nq == 7) q[joint.first_q + 6] = random_uniform(rng, 0.1, 1.5);
  }
  OK_ON(p->state, cdn_state_set_q(p->state, q));
  mj_bridge_q_to_mujoco(&p->bridge, q, p->d->qpos);
}

START_TEST(joints_accelerate_as_mujocos) {
  mj_bridge_handlers();
  n_states = n_near = 0;
  for (int elliptic = 0; elliptic < 2; elliptic++) {
    char text[2000];
    snprintf(text, sizeof text, joints, elliptic ? "elliptic" : "pyramidal");
    model p;
    cdn_soft_def soft = cdn_default_soft_def();
    soft.tolerance = 1e-15, soft.shortest_time = 0.004;
    soft.cone = elliptic ? CDN_SOFT_ELLIPTIC : CDN_SOFT_PYRAMIDAL;
    load_with(&p, text, "joints", &soft);
    ck_assert_int_eq(cdn_model_not_understood_count(p.model), 0);
    uint64_t rng = 5;
    for (int i = 0; i < 500; i++) {
      pose_joints(&p, &rng);
      compare_accelerations(&p, &rng, "joints");
    }
    unload(&p);
  }
  ck_assert_int_gt(n_near, 0.99 * n_states);
}
END_TEST

START_TEST(a_humanoid_accelerates_as_mujocos) {
  static char text[200000];
  if (!mj_bridge_read_model("humanoid.xml", text, sizeof text))
    SKIP("there is no humanoid.xml among the shared models");
  mj_bridge_handlers();
  n_states = n_near = 0;
  model p;
  load(&p, text, "humanoid");
  p.m->opt.tolerance = 1e-15, p.m->opt.iterations = 500;
  uint64_t rng = 9;
  int tendons = 0;
  for (int i = 0; i < 300; i++) {
    pose_joints(&p, &rng);
    compare_accelerations(&p, &rng, "humanoid");
    for (int k = 0; k < p.d->nefc; k++) tendons += p.d->efc_type[k] == mjCNSTR_LIMIT_TENDON;
  }
  ck_assert_int_gt(tendons, 50);
  unload(&p);
  ck_assert_int_gt(n_near, 0.99 * n_states);
}
END_TEST

/* ---- other kinds ---- */

/* Two geoms, and how their points are MuJoCo's where they overlap by up to 0.01 m. */
typedef struct other_kind {
  const char *name, *ground, *moving;
  /* The least parts of poses at which distance and normal of the deepest point are: turned anyhow, and lying flat. */
  double distance[2], normal[2];
  int most, most_of_theirs; /* points */
} other_kind;

#define BALL "type='sphere' size='.3'"
#define PLANE "type='plane' size='1 1 1'"
#define PILL "type='capsule' size='.1 .3'"
#define EGG "type='ellipsoid' size='.2 .3 .4'"
#define CAN "type='cylinder' size='.2 .3'"
#define BRICK "type='box' size='.2 .3 .4'"
#define CUBE "type='box' size='.3 .3 .3'"
#define HULL "type='mesh' mesh='hull'"
/* MuJoCo 2.2.2 finds the distances of most convex pairs by libccd, to about 1e-3 of their size, and a single point. Of
 * two boxes whose faces touch it writes half the depth. */
static const other_kind others[] = {
  { "sphere, box", BALL, BRICK, { 1, 1 }, { 1, 1 }, 1, 1 },
  { "sphere, cylinder", BALL, CAN, { 0.5, 0.99 }, { 0.8, 0.98 }, 1, 1 },
  { "sphere, ellipsoid", BALL, EGG, { 0.3, 0.95 }, { 0.99, 0.98 }, 1, 1 },
  { "sphere, hull", BALL, HULL, { 0.3, 0.99 }, { 0.8, 0.98 }, 1, 1 },
  { "capsule, ellipsoid", PILL, EGG, { 0.2, 0.5 }, { 0.75, 0.98 }, 1, 1 },
  { "capsule, cylinder", PILL, CAN, { 0.25, 0.98 }, { 0.4, 0.98 }, 2, 1 },
  { "capsule, box", PILL, BRICK, { 0.98, 1 }, { 0.99, 0.98 }, 2, 2 },
  { "capsule, hull", PILL, HULL, { 0.25, 0.99 }, { 0.3, 0.98 }, 2, 1 },
  { "half-space, ellipsoid", PLANE, EGG, { 1, 1 }, { 1, 1 }, 1, 1 },
  { "half-space, hull", PLANE, HULL, { 1, 1 }, { 1, 1 }, 4, 3 },
  { "ellipsoid, ellipsoid", EGG, EGG, { 0.3, 0.6 }, { 0.95, 0.98 }, 1, 1 },
  { "cylinder, cylinder", CAN, CAN, { 0.45, 0.9 }, { 0.6, 0.95 }, 8, 1 },
  { "cylinder, box", CAN, BRICK, { 0.55, 0.95 }, { 0.55, 0.98 }, 8, 1 },
  { "box, box", CUBE, BRICK, { 0.4, 0 }, { 0.99, 1 }, 8, 8 },
  { "box, hull", CUBE, HULL, { 0.8, 0.99 }, { 0.8, 0.98 }, 8, 1 },
  { "hull, hull", HULL, HULL, { 0.8, 0.99 }, { 0.75, 0.98 }, 8, 1 },
};

static void make_other(const other_kind *o, char *text, size_t size) {
  snprintf(text, size,
           "<mujoco><asset><mesh name='hull' vertex='-.2 -.2 -.2 .2 -.2 -.2 -.2 .2 -.2 .2 .2 -.2 0 0 .3'/></asset>"
           "<worldbody><geom %s/><body><freejoint/><geom %s mass='1'/></body></worldbody></mujoco>",
           o->ground, o->moving);
}

/* Puts the second geom where it overlaps the first; false: a corner has passed another one. `flat`: nearly as the file
 * has it, on the top of the first. */
static bool touch_others(model *p, uint64_t *rng, bool flat) {
  double q[7] = { 1 };
  cdn_proximity near;
  if (flat) q[1 + random_below(rng, 3)] = random_uniform(rng, 0, 0.02);
  else random_quaternion(rng, q);
  const double length = sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3]);
  for (int i = 0; i < 4; i++) q[i] /= length;
  for (int i = 4; i < 7; i++) q[i] = flat ? random_uniform(rng, -0.1, 0.1) : random_uniform(rng, -1, 1);
  if (flat) q[6] = 1;
  OK_ON(p->state, cdn_state_set_q(p->state, q));
  OK_ON(p->state, cdn_shapes_distance(p->state, (cdn_shape){ 0 }, (cdn_shape){ 1 }, &near));
  const double by = -near.distance - random_uniform(rng, 0.0001, 0.01);
  q[4] += by * near.normal.x, q[5] += by * near.normal.y, q[6] += by * near.normal.z;
  OK_ON(p->state, cdn_state_set_q(p->state, q));
  OK_ON(p->state, cdn_shapes_distance(p->state, (cdn_shape){ 0 }, (cdn_shape){ 1 }, &near));
  mj_bridge_q_to_mujoco(&p->bridge, q, p->d->qpos);
  mj_kinematics(p->m, p->d);
  mj_collision(p->m, p->d);
  return near.distance < 0;
}

typedef struct tally {
  int poses, distance, normal, most, most_of_theirs;
} tally;

static void count(const model *p, tally *t) {
  const contact_point *points, *deepest;
  const mjContact *c = p->d->contact;
  int n;
  OK_ON(p->state, cdni_contact_points(cdni_contact(cdn_state_system(p->state)), p->state, &points, &n));
  ck_assert_int_ge(n, 1);
  deepest = points;
  for (int i = 1; i < n; i++)
    if (points[i].distance < deepest->distance) deepest = &points[i];
  for (int i = 1; i < p->d->ncon; i++)
    if (p->d->contact[i].dist < c->dist) c = &p->d->contact[i];
  t->poses++;
  if (n > t->most) t->most = n;
  if (p->d->ncon > t->most_of_theirs) t->most_of_theirs = p->d->ncon;
  if (p->d->ncon == 0) return;
  const double side = spec_shape(p, deepest->a) == c->geom1 ? 1 : -1;
  t->distance += fabs(deepest->distance - c->dist) < 1e-5;
  t->normal += cdn_norm(cdn_sub(cdn_scale(side, deepest->normal), vec3(c->frame))) < 1e-2;
}

START_TEST(other_kinds_agree_in_part) {
  mj_bridge_handlers();
  for (size_t k = 0; k < sizeof others / sizeof *others; k++)
    for (int flat = 0; flat < 2; flat++) {
      const other_kind *o = &others[k];
      char text[1500];
      tally t = { 0 };
      model p;
      uint64_t rng = 77;
      make_other(o, text, sizeof text);
      load(&p, text, o->name);
      while (t.poses < 300)
        if (touch_others(&p, &rng, flat)) count(&p, &t);
      ck_assert_msg(t.distance >= o->distance[flat] * t.poses && t.normal >= o->normal[flat] * t.poses,
                    "%s (flat: %d): of %d poses, %d have MuJoCo's distance, and %d its normal", o->name, flat, t.poses,
                    t.distance, t.normal);
      ck_assert_msg(t.most <= o->most && t.most_of_theirs <= o->most_of_theirs, "%s: up to %d points, MuJoCo %d",
                    o->name, t.most, t.most_of_theirs);
      unload(&p);
    }
}
END_TEST

CHECK_MAIN("mujoco soft contacts", points_parameters_and_accelerations_are_mujocos, joints_accelerate_as_mujocos,
           a_humanoid_accelerates_as_mujocos, other_kinds_agree_in_part)
