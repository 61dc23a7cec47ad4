/* Building the tree: bodies with checked mass properties and mobilizers, in the order of addition. */
#include <math.h>
#include <stdio.h>

#include "matter/checks.h"
#include "matter/mobilizers/mobilizers.h"
#include "matter/subsystem.h"

/* ---- the kinds ---- */

typedef struct mobilizer_info {
  const char *name;
  int nq, nu;
  hinge_form form;
} mobilizer_info;

static const mobilizer_info infos[CDN_MOBILIZER_COUNT] = {
#define INFO(ENUM, name, NQ, NU, FORM, ...) [CDN_##ENUM] = { #name, NQ, NU, FORM },
  MOBILIZER_LIST(INFO)
};

static bool is_kind(cdn_mobilizer kind) { return kind >= CDN_WELD && kind < CDN_MOBILIZER_COUNT; }

const char *cdn_mobilizer_name(cdn_mobilizer kind) { return is_kind(kind) ? infos[kind].name : "?"; }
int cdn_mobilizer_nq(cdn_mobilizer kind) { return is_kind(kind) ? infos[kind].nq : 0; }
int cdn_mobilizer_nu(cdn_mobilizer kind) { return is_kind(kind) ? infos[kind].nu : 0; }

cdn_body_def cdn_default_body_def(void) {
  return (cdn_body_def){ .struct_size = sizeof(cdn_body_def),
                         .X_PF = cdn_transform_identity(),
                         .X_BM = cdn_transform_identity() };
}

/* ---- the room ---- */

static void free_matter(cdn_system *system, void *room) {
  matter *m = room;
  const cdn_allocator *a = cdni_system_allocator(system);
  for (size_t i = 0; i < m->bodies.count; i++) {
    cdni_strfree(a, CDNI_AT(m->bodies, matter_body, i).name);
    cdni_strfree(a, CDNI_AT(m->bodies, matter_body, i).mobilizer_name);
  }
  cdni_array *arrays[] = { &m->nodes, &m->bodies, &m->q0, &m->u0, &m->frames0, &m->mass0, &m->armature0 };
  for (int i = 0; i < CDNI_COUNT(arrays); i++) cdni_array_free(a, arrays[i]);
}

/* A mobility with nothing outboard that resists has no acceleration: name the joint now rather than at the first step. */
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
    else if (!b->improper && status == CDN_OK && cdn_mobilizer_nu(b->mobilizer) > 0 &&
             CDNI_AT(m->armature0, double, i) == 0)
      status = cdni_system_fail(
          system, CDN_ERR_SINGULAR, "cdn_system_freeze", b->mobilizer_name,
          "joint '%s' moves body '%s', and neither it nor anything beyond it has mass: give it mass or armature, or weld it",
          b->mobilizer_name, b->name);
  }
  cdni_free(a, inert, n);
  return status;
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
  m->kernels = cdni_tree_kernels();
  return CDN_OK;
}

static const cdni_room_ops room_ops = { freeze_matter, cdni_matter_planned, free_matter };

const matter *cdni_matter(const cdn_system *system) { return cdni_system_room_get(system, CDNI_ROOM_MATTER); }

/* ---- adding bodies ---- */

/* Appends one body's defaults; everything is in place or nothing is. */
static bool append(cdn_system *system, matter *m, const cdn_body_def *def, const matter_body *body) {
  const cdn_allocator *a = cdni_system_allocator(system);
  const mobilizer_info *info = &infos[def->mobilizer];
  tree *t = &m->tree;
  tree_node node = { .parent = body->parent,
                     .q = (int32_t)m->q0.count,
                     .u = (int32_t)m->u0.count,
                     .H = t->nH,
                     .G = t->nG,
                     .D = t->nD,
                     .kind = (uint8_t)def->mobilizer,
                     .nq = (uint8_t)info->nq,
                     .nu = (uint8_t)info->nu };
  double *frames = cdni_array_extend(a, &m->frames0, sizeof(double), FRAME_PARAMETERS);
  double *mass = cdni_array_extend(a, &m->mass0, sizeof(double), MASS_PARAMETERS);
  double *armature = cdni_array_extend(a, &m->armature0, sizeof(double), 1);
  double *q = info->nq ? cdni_array_extend(a, &m->q0, sizeof(double), (size_t)info->nq) : NULL;
  double *u = info->nu ? cdni_array_extend(a, &m->u0, sizeof(double), (size_t)info->nu) : NULL;
  if (!frames || !mass || !armature || (info->nq && !q) || (info->nu && !u)) return false;
  cdni_pack_transform(frames, def->X_PF);
  cdni_pack_transform(frames + 12, def->X_BM);
  cdni_pack_mass(mass, def->mass);
  *armature = def->armature;
  if (def->q0 && q) memcpy(q, def->q0, (size_t)info->nq * sizeof *q);
  else if (info->nq > info->nu) q[0] = 1; /* the identity quaternion */
  if (def->u0 && u) memcpy(u, def->u0, (size_t)info->nu * sizeof *u);
  switch (info->form) {
    case HINGE_NONE: break;
    case HINGE_ANGULAR:
    case HINGE_LINEAR: t->nH += 3 * info->nu, t->nG += 6 * info->nu, t->nD += info->nu == 1 ? 1 : 6; break;
    case HINGE_FREE: t->nH += 9, t->nD += 21; break;
  }
  return cdni_array_push(a, &m->nodes, sizeof node, &node) && cdni_array_push(a, &m->bodies, sizeof *body, body);
}

/* The matter of a System that is being built, with Ground in it. */
matter *cdni_matter_building(cdn_system *system) {
  bool fresh = !cdni_system_room_get(system, CDNI_ROOM_MATTER);
  matter *m = cdni_system_room(system, CDNI_ROOM_MATTER, sizeof *m, &room_ops);
  if (!m || !fresh) return m;
  const cdn_allocator *a = cdni_system_allocator(system);
  cdn_body_def def = cdn_default_body_def();
  matter_body ground = {
    .name = cdni_strdup(a, "Ground"), .mobilizer_name = cdni_strdup(a, "Ground"), .parent = -1, .improper = true
  };
  if (!ground.name || !ground.mobilizer_name || !append(system, m, &def, &ground)) {
    cdni_strfree(a, ground.name);
    cdni_strfree(a, ground.mobilizer_name);
    cdni_system_fail(system, CDN_ERR_NOMEM, "cdn_system_add_body", NULL, "out of memory");
    return NULL;
  }
  m->subsystem = cdn_system_add_subsystem(system, &cdni_matter_ops, &m);
  return m;
}

static cdn_status check_def(cdn_system *system, const matter *m, const cdn_body_def *def, const char *name) {
  static const char function[] = "cdn_system_add_body";
  char reason[160];
  if (def->parent.i < 0 || (size_t)def->parent.i >= m->bodies.count)
    return cdni_system_fail(system, CDN_ERR_ARG, function, name,
                            "body '%s': its parent (id %d) is not a body of this System; add the parent first", name,
                            (int)def->parent.i);
  if (!is_kind(def->mobilizer))
    return cdni_system_fail(system, CDN_ERR_ARG, function, name, "body '%s': there is no mobilizer kind %d", name,
                            (int)def->mobilizer);
  if (cdni_check_mass(def->mass, def->allow_improper, reason, sizeof reason) != CDN_OK)
    return cdni_system_fail(system, cdni_check_mass(def->mass, def->allow_improper, reason, sizeof reason), function,
                            name, "body '%s': %s", name, reason);
  if (cdni_check_frame(def->X_PF) != CDN_OK || cdni_check_frame(def->X_BM) != CDN_OK)
    return cdni_system_fail(
        system, cdni_check_frame(def->X_PF) != CDN_OK ? cdni_check_frame(def->X_PF) : cdni_check_frame(def->X_BM),
        function, name,
        "body '%s': X_PF or X_BM is not finite, or its R not a rotation to 1e-9 (start from cdn_default_body_def)",
        name);
  size_t bad;
  const mobilizer_info *info = &infos[def->mobilizer];
  if (!(def->armature >= 0) || !isfinite(def->armature))
    return cdni_system_fail(system, CDN_ERR_ARG, function, name,
                            "body '%s': armature is %g; it must be finite and not negative", name, def->armature);
  if ((def->q0 && !cdni_all_finite(def->q0, (size_t)info->nq, &bad)) ||
      (def->u0 && !cdni_all_finite(def->u0, (size_t)info->nu, &bad)))
    return cdni_system_fail(system, CDN_ERR_NONFINITE, function, name, "body '%s': q0 or u0 has a NaN or an infinity",
                            name);
  if (def->q0 && info->nq > info->nu && def->q0[0] == 0 && def->q0[1] == 0 && def->q0[2] == 0 && def->q0[3] == 0)
    return cdni_system_fail(system, CDN_ERR_ARG, function, name,
                            "body '%s': the quaternion in q0 is zero; (1,0,0,0) is the identity", name);
  return CDN_OK;
}

cdn_body cdn_system_add_body(cdn_system *system, const cdn_body_def *def) {
  static const char function[] = "cdn_system_add_body";
  cdn_body id = { -1 };
  if (cdni_system_refuses(system, function)) return id;
  if (!def || def->struct_size != sizeof *def) {
    cdni_system_fail(system, CDN_ERR_VERSION, function, NULL,
                     "the body def was not made by cdn_default_body_def of this library");
    return id;
  }
  matter *m = cdni_matter_building(system);
  if (!m || cdni_system_refuses(system, function)) return id;
  char made_up[32];
  snprintf(made_up, sizeof made_up, "body%zu", m->bodies.count);
  const char *name = def->name ? def->name : made_up;
  if (check_def(system, m, def, name) != CDN_OK) return id;

  const cdn_allocator *a = cdni_system_allocator(system);
  cdn_transform I = cdn_transform_identity();
  matter_body body = { .name = cdni_strdup(a, name),
                       .mobilizer_name = cdni_strdup(a, def->mobilizer_name ? def->mobilizer_name : name),
                       .parent = def->parent.i,
                       .mobilizer = def->mobilizer,
                       .improper = def->allow_improper,
                       .X_BM_identity = memcmp(&def->X_BM, &I, sizeof I) == 0 };
  if (!body.name || !body.mobilizer_name || !append(system, m, def, &body)) {
    cdni_strfree(a, body.name);
    cdni_strfree(a, body.mobilizer_name);
    cdni_system_fail(system, CDN_ERR_NOMEM, function, name, "out of memory");
    return id;
  }
  id.i = (int32_t)m->bodies.count - 1;
  return id;
}

/* ---- what the System knows of its tree ---- */

static const matter_body *body_at(const cdn_system *system, cdn_body body) {
  const matter *m = cdni_matter(system);
  if (!m || body.i < 0 || (size_t)body.i >= m->bodies.count) return NULL;
  return &CDNI_AT(m->bodies, matter_body, body.i);
}

int cdn_system_body_count(const cdn_system *system) {
  const matter *m = cdni_matter(system);
  return m ? (int)m->bodies.count : 1;
}

const char *cdn_body_name(const cdn_system *system, cdn_body body) {
  const matter_body *b = body_at(system, body);
  return b ? b->name : body.i == 0 ? "Ground" : "?";
}

const char *cdn_body_mobilizer_name(const cdn_system *system, cdn_body body) {
  const matter_body *b = body_at(system, body);
  return b ? b->mobilizer_name : "?";
}

cdn_body cdn_body_parent(const cdn_system *system, cdn_body body) {
  const matter_body *b = body_at(system, body);
  return (cdn_body){ b ? b->parent : -1 };
}

cdn_mobilizer cdn_body_mobilizer(const cdn_system *system, cdn_body body) {
  const matter_body *b = body_at(system, body);
  return b ? b->mobilizer : CDN_WELD;
}

/* Slots in the System's pools: known when it is frozen, and those of matter alone before. */
int cdn_body_first_q(const cdn_system *system, cdn_body body) {
  if (!body_at(system, body)) return -1;
  const matter *m = cdni_matter(system);
  return cdni_subsystem_runs(system, m->subsystem).q + CDNI_AT(m->nodes, tree_node, body.i).q;
}

int cdn_body_first_u(const cdn_system *system, cdn_body body) {
  if (!body_at(system, body)) return -1;
  const matter *m = cdni_matter(system);
  return cdni_subsystem_runs(system, m->subsystem).u + CDNI_AT(m->nodes, tree_node, body.i).u;
}

cdn_body cdn_system_find_body(const cdn_system *system, const char *name) {
  const matter *m = cdni_matter(system);
  for (size_t i = 0; m && name && i < m->bodies.count; i++)
    if (strcmp(CDNI_AT(m->bodies, matter_body, i).name, name) == 0) return (cdn_body){ (int32_t)i };
  return (cdn_body){ -1 };
}
