/* Building the tree: bodies with checked mass properties and mobilizers, in the order of addition. */
#include <math.h>

#include <cardan/mobilizers.h>

#include "matter/checks.h"
#include "matter/custom.h"
#include "matter/mobilizers/mobilizers.h"
#include "matter/mobilizers/reverse.h"
#include "matter/subsystem.h"
#include "rooms.h"

/* ---- the kinds ---- */

typedef struct mobilizer_info {
  cdn_mobilizer kind;
  const char *name;
  int nq, nu;
  hinge_form form;
  bool quaternion, bias;
} mobilizer_info;

static const mobilizer_info infos[] = {
#define INFO(ROW, name, KIND, NQ, NU, FORM, QUATERNION, BIAS, ...) \
  [ROW_##ROW] = { CDN_##KIND, #name, NQ, NU, FORM, QUATERNION, BIAS },
  MOBILIZER_LIST(INFO)
};

/* A kind without a row does not compile. */
#define HAS_ROW(ROW, name, KIND, ...) | 1u << CDN_##KIND
_Static_assert((1u << CDN_FUNCTION_BASED | 1u << CDN_CUSTOM_MOBILIZER MOBILIZER_LIST(HAS_ROW)) ==
                   (1u << CDN_MOBILIZER_COUNT) - 1,
               "each mobilizer has a row of MOBILIZER_LIST");
#undef HAS_ROW
/* Nor does one whose form of H no kernel has. */
#define SHAPE_BIT(SHAPE, NU, FORM) | 1ull << (8 * FORM + NU)
#define HAS_SHAPE(ROW, name, KIND, nq, nu, form, ...)                     \
  _Static_assert((0ull HINGE_LIST(SHAPE_BIT)) >> (8 * (form) + (nu)) & 1, \
                 #name ": HINGE_LIST has no such form of H for so many speeds; HINGE_FULL has all numbers");
MOBILIZER_LIST(HAS_SHAPE)
#undef HAS_SHAPE
#undef SHAPE_BIT

static bool is_kind(cdn_mobilizer kind) { return kind >= CDN_WELD && kind < CDN_MOBILIZER_COUNT; }
static bool has_ops(cdn_mobilizer kind) { return kind == CDN_FUNCTION_BASED || kind == CDN_CUSTOM_MOBILIZER; }

/* The row of a kind, with Euler angles or in its usual form; ROW_CUSTOM if there is none. */
static mobilizer_row row_of(cdn_mobilizer kind, bool euler) {
  int row = 0;
  while (row < ROW_CUSTOM && infos[row].kind != kind) row++;
  if (!euler || row == ROW_CUSTOM) return (mobilizer_row)row;
  return infos[row].quaternion ? (mobilizer_row)(row + 1) : ROW_CUSTOM;
}

const char *cdn_mobilizer_name(cdn_mobilizer kind) {
  if (has_ops(kind)) return kind == CDN_CUSTOM_MOBILIZER ? "custom" : "function_based";
  return is_kind(kind) ? infos[row_of(kind, false)].name : "?";
}
int cdn_mobilizer_nq(cdn_mobilizer kind) { return is_kind(kind) && !has_ops(kind) ? infos[row_of(kind, false)].nq : 0; }
int cdn_mobilizer_nu(cdn_mobilizer kind) { return is_kind(kind) && !has_ops(kind) ? infos[row_of(kind, false)].nu : 0; }

/* The shape of H for a number of mobilities in a form. */
static hinge_shape shape_of(hinge_form form, int nu) {
#define SHAPE_IS(SHAPE, NU, FORM) \
  if (form == FORM && nu == NU) return SHAPE_##SHAPE;
  HINGE_LIST(SHAPE_IS)
  return SHAPE_NONE;
}

#define IDENTITY                                   \
  {                                                \
    .R = { { 1, 0, 0 }, { 0, 1, 0 }, { 0, 0, 1 } } \
  }
CDNI_DEF(body_def, .X_PF = IDENTITY, .X_BM = IDENTITY);

/* ---- the room ---- */

static void free_matter(cdn_system *system, void *room) {
  matter *m = room;
  const cdn_allocator *a = cdni_system_allocator(system);
  for (size_t i = 0; i < m->bodies.count; i++) {
    cdni_strfree(a, CDNI_AT(m->bodies, matter_body, i).name);
    cdni_strfree(a, CDNI_AT(m->bodies, matter_body, i).mobilizer_name);
  }
  cdni_array *arrays[] = { &m->nodes, &m->blocks,    &m->bodies,  &m->q0,      &m->u0,     &m->frames0,
                           &m->mass0, &m->armature0, &m->params0, &m->customs, &m->motions };
  for (size_t i = 0; i < m->customs.count; i++) cdni_custom_free(a, &CDNI_AT(m->customs, custom_mobilizer, i));
  for (size_t i = 0; i < m->motions.count; i++) cdni_motion_free(a, &CDNI_AT(m->motions, matter_motion, i));
  for (int i = 0; i < CDNI_COUNT(arrays); i++) cdni_array_free(a, arrays[i]);
}

/* Whether a mobilizer's motion is prescribed from the start; then its bodies need no inertia. */
static bool is_driven(const matter *m, const matter_body *b) {
  return b->lock != CDN_LEVEL_NONE || (b->motion >= 0 && cdni_motion_at(m, b->motion)->enabled);
}

/* A mobility without inertia outboard has no acceleration: the joint is named now and not at the first step. */
static cdn_status check_regular(cdn_system *system, const matter *m) {
  const cdn_allocator *a = cdni_system_allocator(system);
  size_t n = m->nodes.count;
  bool *inert = cdni_calloc(a, n);
  if (!inert) return cdni_system_fail(system, CDN_ERR_NOMEM, "cdn_system_freeze", NULL, "out of memory");
  cdn_status status = CDN_OK;
  for (size_t i = n; i-- > 1;) {
    const matter_body *b = &CDNI_AT(m->bodies, matter_body, i);
    const double *mass = &CDNI_AT(m->mass0, double, MASS_PARAMETERS *i);
    for (int k = 0; k < MASS_PARAMETERS; k++)
      if ((k == 0 || k > 3) && mass[k] != 0) inert[i] = true;
    if (inert[i]) inert[b->parent] = true;
    else if (!b->improper && !is_driven(m, b) && status == CDN_OK && CDNI_AT(m->nodes, tree_node, i).nu > 0 &&
             CDNI_AT(m->armature0, double, i) == 0)
      status = cdni_system_fail(
          system, CDN_ERR_SINGULAR, "cdn_system_freeze", b->mobilizer_name,
          "joint '%s' moves body '%s', and neither it nor anything beyond it has mass: give it mass or armature, or weld it",
          b->mobilizer_name, b->name);
  }
  cdni_free(a, inert, n);
  return status;
}

/* The block whose last body this is, -1 for Ground. Blocks are in the order of their bodies. */
static int32_t find_block(const cdni_array *blocks, int32_t last) {
  size_t low = 0, high = blocks->count;
  while (low < high) {
    const size_t middle = (low + high) / 2;
    if (CDNI_AT(*blocks, tree_block, middle).end <= last) low = middle + 1;
    else high = middle;
  }
  return last == 0 ? -1 : (int32_t)low;
}

static cdn_status make_blocks(cdn_system *system, matter *m) {
  enum { MOST = 8 };
  tree_block *block = NULL;
  for (int32_t i = 1; i < m->tree.n; i++) {
    const tree_node *n = &m->tree.node[i];
    /* The only child of the body before it is the first and the last that is met there. */
    if (block && n->parent == i - 1 && n->first_in && block->nu + n->nu <= MOST) {
      block->end = i + 1;
      block->nu += n->nu;
      continue;
    }
    const tree_block one = {
      .first = i, .end = i + 1, .parent = find_block(&m->blocks, n->parent), .u = n->u, .nu = n->nu
    };
    block = cdni_array_push(cdni_system_allocator(system), &m->blocks, sizeof one, &one);
    if (!block) return cdni_system_fail(system, CDN_ERR_NOMEM, "cdn_system_freeze", NULL, "out of memory");
  }
  m->tree.block = m->blocks.data;
  m->tree.n_blocks = (int32_t)m->blocks.count;
  return CDN_OK;
}

static cdn_status freeze_matter(cdn_system *system, void *room) {
  matter *m = room;
  CDNI_TRY(check_regular(system, m));
  /* Inward passes meet the last child first. */
  for (size_t i = m->nodes.count; i-- > 1;) {
    tree_node *n = &CDNI_AT(m->nodes, tree_node, i), *parent = &CDNI_AT(m->nodes, tree_node, n->parent);
    n->first_in = !parent->has_children;
    parent->has_children = 1;
  }
  m->tree.node = m->nodes.data;
  m->tree.n = (int32_t)m->nodes.count;
  m->tree.nq = (int32_t)m->q0.count;
  m->tree.nu = (int32_t)m->u0.count;
  m->tree.n_custom = (int32_t)m->customs.count;
  for (size_t i = 1; i < m->nodes.count; i++) m->tree.n_quaternions += CDNI_AT(m->nodes, tree_node, i).quaternion;
  CDNI_TRY(make_blocks(system, m));
  return CDN_OK;
}

const cdni_room_ops cdni_matter_room = { .size = sizeof(matter),
                                         .elements = cdni_matter_elements,
                                         .freeze = freeze_matter,
                                         .planned = cdni_matter_planned,
                                         .destroy = free_matter };

const matter *cdni_matter(const cdn_system *system) { return cdni_system_room_get(system, CDNI_ROOM_MATTER); }

/* ---- adding bodies ---- */

/* Describes a def's mobilizer: its place in the tree, without the offsets. `custom` is its index among those with
 * ops. */
static tree_node describe(const matter *m, const cdn_body_def *def, int32_t custom, hinge_form *form) {
  tree_node node = { .kind = (uint8_t)def->mobilizer, .custom = custom };
  mobilizer_row row = row_of(def->mobilizer, def->euler);
  if (custom >= 0) {
    const cdn_custom_mobilizer_ops *ops = &CDNI_AT(m->customs, custom_mobilizer, custom).ops;
    node.nq = (uint8_t)ops->nq, node.nu = (uint8_t)ops->nu;
    node.quaternion = ops->quaternion;
    node.bias = ops->Hdot_u != NULL;
    *form = HINGE_FULL;
  } else {
    node.nq = (uint8_t)infos[row].nq, node.nu = (uint8_t)infos[row].nu;
    node.quaternion = infos[row].quaternion;
    node.bias = infos[row].bias;
    *form = infos[row].form;
  }
  if (def->reversed) {
    *form = REVERSED_FORM(*form);
    if (*form == HINGE_FULL) node.bias = 1; /* M's axes turn in F */
  }
  node.variant = (uint8_t)(2 * row + def->reversed);
  node.shape = (uint8_t)shape_of(*form, node.nu);
  return node;
}

/* Appends one body's defaults: all of them, or none if memory runs out. */
static bool append(cdn_system *system, matter *m, const cdn_body_def *def, const matter_body *body, int32_t custom) {
  const cdn_allocator *a = cdni_system_allocator(system);
  tree *t = &m->tree;
  hinge_form form;
  tree_node node = describe(m, def, custom, &form);
  int nq = node.nq, nu = node.nu;
  node.parent = body->parent;
  node.q = (int32_t)m->q0.count, node.u = (int32_t)m->u0.count;
  node.H = t->nH, node.G = t->nG, node.D = t->nD;
  double *frames = cdni_array_extend(a, &m->frames0, sizeof(double), FRAME_PARAMETERS);
  double *mass = cdni_array_extend(a, &m->mass0, sizeof(double), MASS_PARAMETERS);
  double *armature = cdni_array_extend(a, &m->armature0, sizeof(double), 1);
  double *params = cdni_array_extend(a, &m->params0, sizeof(double), CDN_MOBILIZER_PARAMS);
  double *q = nq ? cdni_array_extend(a, &m->q0, sizeof(double), (size_t)nq) : NULL;
  double *u = nu ? cdni_array_extend(a, &m->u0, sizeof(double), (size_t)nu) : NULL;
  if (!frames || !mass || !armature || !params || (nq && !q) || (nu && !u)) return false;
  cdni_pack_transform(frames, def->X_PF);
  cdni_pack_transform(frames + 12, def->X_BM);
  cdni_pack_mass(mass, def->mass);
  *armature = def->armature;
  memcpy(params, def->params, sizeof def->params);
  if (def->q0 && q) memcpy(q, def->q0, (size_t)nq * sizeof *q);
  else if (node.quaternion) q[0] = 1; /* the identity quaternion */
  if (def->u0 && u) memcpy(u, def->u0, (size_t)nu * sizeof *u);
  switch (form) {
    case HINGE_NONE: break;
    case HINGE_ANGULAR:
    case HINGE_LINEAR: t->nH += 3 * nu, t->nG += 6 * nu, t->nD += nu * (nu + 1) / 2; break;
    case HINGE_FREE: t->nH += 9, t->nD += 21; break;
    case HINGE_FULL: t->nH += 6 * nu, t->nG += 6 * nu, t->nD += nu * (nu + 1) / 2; break;
  }
  return cdni_array_push(a, &m->nodes, sizeof node, &node) && cdni_array_push(a, &m->bodies, sizeof *body, body);
}

/* The matter of a System that is being built, with Ground in it. */
matter *cdni_matter_building(cdn_system *system) {
  bool fresh = !cdni_system_room_get(system, CDNI_ROOM_MATTER);
  matter *m = cdni_system_room(system, CDNI_ROOM_MATTER);
  if (!m || !fresh) return m;
  const cdn_allocator *a = cdni_system_allocator(system);
  cdn_body_def def = cdn_default_body_def();
  matter_body ground = { .name = cdni_strdup(a, "Ground"),
                         .mobilizer_name = cdni_strdup(a, "Ground"),
                         .parent = -1,
                         .improper = true,
                         .motion = -1 };
  if (!ground.name || !ground.mobilizer_name || !append(system, m, &def, &ground, -1)) {
    cdni_strfree(a, ground.name);
    cdni_strfree(a, ground.mobilizer_name);
    cdni_system_fail(system, CDN_ERR_NOMEM, "cdn_system_add_body", NULL, "out of memory");
    return NULL;
  }
  m->subsystem = cdn_system_add_subsystem(system, &cdni_matter_ops, &m);
  cdni_subsystem_is_room(system, m->subsystem);
  return m;
}

static bool check_def(cdni_adder *by, const matter *m, const cdn_body_def *def) {
  char reason[160];
  cdn_status bad;
  if (def->parent.i < 0 || (size_t)def->parent.i >= m->bodies.count)
    cdni_adder_refuse(by, CDN_ERR_ARG, "its parent (id %d) is not a body of this System; add the parent first",
                      (int)def->parent.i);
  else if (!is_kind(def->mobilizer))
    cdni_adder_refuse(by, CDN_ERR_ARG, "there is no mobilizer kind %d", (int)def->mobilizer);
  else if ((bad = cdni_check_mass(def->mass, def->allow_improper, reason, sizeof reason)) != CDN_OK)
    cdni_adder_refuse(by, bad, "%s", reason);
  else if ((bad = cdni_check_frame(def->X_PF)) != CDN_OK || (bad = cdni_check_frame(def->X_BM)) != CDN_OK)
    cdni_adder_refuse(by, bad,
                      "X_PF or X_BM is not finite, or its R not a rotation to 1e-9 (start from cdn_default_body_def)");
  else if (!(def->armature >= 0) || !isfinite(def->armature))
    cdni_adder_refuse(by, CDN_ERR_ARG, "armature is %g; it must be finite and not negative", def->armature);
  else if ((bad = cdni_check_params(&cdni_mobilizer_kinds[def->mobilizer], def->params, reason, sizeof reason)) !=
           CDN_OK)
    cdni_adder_refuse(by, bad, "%s", reason);
  else if ((unsigned)def->lock > CDN_LEVEL_POSITION)
    cdni_adder_refuse(by, CDN_ERR_ARG, "there is no level %d to lock it at", (int)def->lock);
  else if (def->euler && row_of(def->mobilizer, true) == ROW_CUSTOM)
    cdni_adder_refuse(by, CDN_ERR_ARG, "a %s mobilizer has no quaternion that Euler angles could replace",
                      cdn_mobilizer_name(def->mobilizer));
  return by->ok;
}

static bool check_coordinates(cdni_adder *by, const matter *m, const cdn_body_def *def, int32_t custom) {
  hinge_form form;
  tree_node node = describe(m, def, custom, &form);
  size_t bad;
  if ((def->q0 && !cdni_all_finite(def->q0, node.nq, &bad)) || (def->u0 && !cdni_all_finite(def->u0, node.nu, &bad)))
    cdni_adder_refuse(by, CDN_ERR_NONFINITE, "q0 or u0 has a NaN or an infinity");
  else if (def->q0 && node.quaternion && def->q0[0] == 0 && def->q0[1] == 0 && def->q0[2] == 0 && def->q0[3] == 0)
    cdni_adder_refuse(by, CDN_ERR_ARG, "the quaternion in q0 is zero; (1,0,0,0) is the identity");
  return by->ok;
}

cdn_body cdn_system_add_body(cdn_system *system, const cdn_body_def *def) {
  cdn_body id = { -1 };
  if (cdni_system_refuses(system, __func__)) return id;
  cdn_body_def known;
  const char *unreadable = read_body_def(&known, def);
  def = &known;
  if (unreadable) {
    cdni_system_fail(system, CDN_ERR_VERSION, __func__, NULL, "%s", unreadable);
    return id;
  }
  matter *m = cdni_matter_building(system);
  if (!m || cdni_system_refuses(system, __func__)) return id;
  cdni_adder by = { system, __func__, "body", .ok = true };
  cdni_adder_name(&by, def->name, m->bodies.count);
  const char *name = by.name;
  if (!check_def(&by, m, def)) return id;

  int32_t custom = -1;
  if (has_ops(def->mobilizer) && cdni_custom_add(system, m, def, name, &custom) != CDN_OK) return id;
  if (!check_coordinates(&by, m, def, custom)) return id;

  const cdn_allocator *a = cdni_system_allocator(system);
  cdn_transform I = cdn_transform_identity();
  matter_body body = { .name = cdni_strdup(a, name),
                       .mobilizer_name = cdni_strdup(a, def->mobilizer_name ? def->mobilizer_name : name),
                       .parent = def->parent.i,
                       .improper = def->allow_improper,
                       .lock = def->lock,
                       .motion = -1,
                       .X_BM_identity = memcmp(&def->X_BM, &I, sizeof I) == 0 };
  if (!body.name || !body.mobilizer_name || !append(system, m, def, &body, custom)) {
    cdni_strfree(a, body.name);
    cdni_strfree(a, body.mobilizer_name);
    cdni_system_fail(system, CDN_ERR_NOMEM, __func__, name, "out of memory");
    return id;
  }
  id.i = (int32_t)m->bodies.count - 1;
  return id;
}

/* ---- the tree of a System ---- */

static const matter_body *body_at(const cdn_system *system, cdn_body body) {
  const matter *m = cdni_matter(system);
  if (!m || body.i < 0 || (size_t)body.i >= m->bodies.count) return NULL;
  return &CDNI_AT(m->bodies, matter_body, body.i);
}

int cdn_system_body_count(const cdn_system *system) {
  CDNI_NEED_OBJECT(system, 0);
  const matter *m = cdni_matter(system);
  return m ? (int)m->bodies.count : 1;
}

const char *cdn_body_name(const cdn_system *system, cdn_body body) {
  CDNI_NEED_OBJECT(system, NULL);
  const matter_body *b = body_at(system, body);
  return b ? b->name : body.i == 0 ? "Ground" : "?";
}

const char *cdn_body_mobilizer_name(const cdn_system *system, cdn_body body) {
  CDNI_NEED_OBJECT(system, NULL);
  const matter_body *b = body_at(system, body);
  return b ? b->mobilizer_name : "?";
}

cdn_body cdn_body_parent(const cdn_system *system, cdn_body body) {
  CDNI_NEED_OBJECT(system, (cdn_body){ -1 });
  const matter_body *b = body_at(system, body);
  return (cdn_body){ b ? b->parent : -1 };
}

cdn_mobilizer cdn_body_mobilizer(const cdn_system *system, cdn_body body) {
  CDNI_NEED_OBJECT(system, (cdn_mobilizer){ 0 });
  return body_at(system, body) ? (cdn_mobilizer)CDNI_AT(cdni_matter(system)->nodes, tree_node, body.i).kind : CDN_WELD;
}
const char *cdni_body_kind_name(const cdn_system *system, cdn_body body) {
  return cdn_mobilizer_name(cdn_body_mobilizer(system, body));
}

static const tree_node *node_at(const cdn_system *system, cdn_body body) {
  return body_at(system, body) ? &CDNI_AT(cdni_matter(system)->nodes, tree_node, body.i) : NULL;
}

bool cdn_body_is_reversed(const cdn_system *system, cdn_body body) {
  CDNI_NEED_OBJECT(system, false);
  const tree_node *n = node_at(system, body);
  return n && (n->variant & 1);
}
bool cdn_body_has_quaternion(const cdn_system *system, cdn_body body) {
  CDNI_NEED_OBJECT(system, false);
  const tree_node *n = node_at(system, body);
  return n && n->quaternion;
}
int cdn_body_nq(const cdn_system *system, cdn_body body) {
  CDNI_NEED_OBJECT(system, 0);
  const tree_node *n = node_at(system, body);
  return n ? n->nq : 0;
}
int cdn_body_nu(const cdn_system *system, cdn_body body) {
  CDNI_NEED_OBJECT(system, 0);
  const tree_node *n = node_at(system, body);
  return n ? n->nu : 0;
}

const char *cdn_body_unit(const cdn_system *system, cdn_body body, cdn_pool pool, int k) {
  CDNI_NEED_OBJECT(system, NULL);
  const tree_node *n = node_at(system, body);
  const bool is_q = pool == CDN_POOL_Q, is_u = pool == CDN_POOL_U;
  if (!n || !(is_q || is_u) || k < 0 || k >= (is_q ? n->nq : n->nu)) return NULL;
  const int lengths = cdni_kind_lengths(cdni_kind_of(n));
  if (lengths < 0 || (is_q && n->quaternion && k < 4)) return "";
  const bool is_length = k >= (is_q ? n->nq : n->nu) - lengths;
  return cdn_system_unit(system, is_q ? (is_length ? "m" : "rad") : is_length ? "m/s" : "rad/s");
}

/* Slots in the System's pools once it is frozen; before, slots within matter alone. */
int cdn_body_first_q(const cdn_system *system, cdn_body body) {
  CDNI_NEED_OBJECT(system, 0);
  if (!body_at(system, body)) return -1;
  const matter *m = cdni_matter(system);
  return cdni_subsystem_runs(system, m->subsystem).q + CDNI_AT(m->nodes, tree_node, body.i).q;
}

int cdn_body_first_u(const cdn_system *system, cdn_body body) {
  CDNI_NEED_OBJECT(system, 0);
  if (!body_at(system, body)) return -1;
  const matter *m = cdni_matter(system);
  return cdni_subsystem_runs(system, m->subsystem).u + CDNI_AT(m->nodes, tree_node, body.i).u;
}

cdn_body cdn_system_find_body(const cdn_system *system, const char *name) {
  CDNI_NEED_OBJECT(system, ((cdn_body){ -1 }));
  return (cdn_body){ cdni_find_by_name(system, CDN_ELEMENT_BODY, name) };
}
