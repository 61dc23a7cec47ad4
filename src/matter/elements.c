/* Bodies, mobilizers and motions as elements that are looked up: names, kinds, parameters. */
#include <stdio.h>

#include "matter/checks.h"
#include "matter/subsystem.h"

/* ---- what a mobilizer's numbers are ---- */

char cdni_mobility_dimension(const matter *m, int u) {
  for (int32_t i = 1; i < m->tree.n; i++) {
    const tree_node *node = &m->tree.node[i];
    if (u >= node->u && u < node->u + node->nu) return cdni_kind_dimension(cdni_kind_of(node), u - node->u);
  }
  return 0;
}

/* ---- bodies ---- */

static const cdni_parameter mass_table[MASS_PARAMETERS] = {
  CDNI_NOT_NEGATIVE("mass", "kg"),           CDNI_VECTOR("com", "m"),
  CDNI_NOT_NEGATIVE("inertia.xx", "kg m^2"), CDNI_NOT_NEGATIVE("inertia.yy", "kg m^2"),
  CDNI_NOT_NEGATIVE("inertia.zz", "kg m^2"), CDNI_ANY("inertia.xy", "kg m^2"),
  CDNI_ANY("inertia.xz", "kg m^2"),          CDNI_ANY("inertia.yz", "kg m^2"),
};

static const char *body_name(const cdn_system *system, int i) { return cdn_body_name(system, (cdn_body){ i }); }

static int mass_count(const cdn_system *system, int i) {
  (void)system, (void)i;
  return MASS_PARAMETERS;
}

static void mass_parameter(const cdn_system *system, int i, int k, cdni_parameter_place *out) {
  const matter *m = cdni_matter(system);
  out->is = mass_table[k];
  if (k > 0 && CDNI_AT(m->bodies, matter_body, i).improper) out->is.lower = -INFINITY;
  out->array = m->mass;
  out->at = MASS_PARAMETERS * i + k;
}

static cdn_status set_mass(cdn_state *state, const char *function, int i, int first, int n, const double *values) {
  const matter *m = cdni_matter(cdn_state_system(state));
  double all[MASS_PARAMETERS];
  memcpy(all, cdn_state_parameters(state, m->mass) + MASS_PARAMETERS * i, sizeof all);
  memcpy(all + first, values, (size_t)n * sizeof *values);
  return cdni_body_set_mass(state, function, (cdn_body){ i }, cdni_unpack_mass(all));
}

/* ---- mobilizers ---- */

enum { ARMATURE = FRAME_PARAMETERS, OWN };
static const cdni_parameter frame_table[FRAME_PARAMETERS] = { CDNI_FRAME("X_PF"), CDNI_FRAME("X_BM") };

static const char *mobilizer_name(const cdn_system *system, int i) {
  return cdn_body_mobilizer_name(system, (cdn_body){ i });
}
/* Only what moves names coordinates and speeds. */
static bool is_weld(const cdn_system *system, int i) {
  return CDNI_AT(cdni_matter(system)->nodes, tree_node, i).nu == 0;
}
static const char *mobilizer_kind_name(const cdn_system *system, int i) {
  return i > 0 ? cdni_body_kind_name(system, (cdn_body){ i }) : NULL;
}

static int mobilizer_count(const cdn_system *system, int i) {
  return i > 0 ? OWN + cdni_body_kind(cdni_matter(system), i)->n_parameters : 0;
}

static void mobilizer_parameter(const cdn_system *system, int i, int k, cdni_parameter_place *out) {
  const matter *m = cdni_matter(system);
  const tree_node *node = &m->tree.node[i];
  if (k < FRAME_PARAMETERS) {
    out->is = frame_table[k], out->array = m->frames, out->at = FRAME_PARAMETERS * i + k;
  } else if (k == ARMATURE) {
    out->is = (cdni_parameter)CDNI_NOT_NEGATIVE("armature", "kg|kg m^2");
    out->array = m->armature, out->at = i;
    /* one number for all mobilities: of a joint that turns and slides it is both */
    out->dimension = node->nu ? cdni_mobility_dimension(m, node->u) : 0;
    for (int u = 1; u < node->nu; u++)
      if (cdni_mobility_dimension(m, node->u + u) != out->dimension) out->is.unit = "kg m^2, kg";
  } else {
    out->is = cdni_kind_of(node)->parameters[k - OWN];
    out->array = m->params, out->at = CDN_MOBILIZER_PARAMS * i + k - OWN;
  }
}

/* All are checked before one is set. */
static cdn_status set_mobilizer(cdn_state *state, const char *function, int i, int first, int n, const double *values) {
  const matter *m = cdni_matter(cdn_state_system(state));
  const cdn_body body = { i };
  double all[OWN + CDN_MOBILIZER_PARAMS], *params = all + OWN;
  memcpy(all, cdn_state_parameters(state, m->frames) + FRAME_PARAMETERS * i, FRAME_PARAMETERS * sizeof *all);
  all[ARMATURE] = cdn_state_parameters(state, m->armature)[i];
  memcpy(params, cdn_state_parameters(state, m->params) + CDN_MOBILIZER_PARAMS * i,
         CDN_MOBILIZER_PARAMS * sizeof *params);
  memcpy(all + first, values, (size_t)n * sizeof *values);
  const cdn_transform X_PF = cdni_unpack_transform(all), X_BM = cdni_unpack_transform(all + 12);
  const int end = first + n;
  for (int check = 1; check >= 0; check--) {
    if (first < 12) CDNI_TRY(cdni_body_set_frame(state, function, body, 0, X_PF, check));
    if (first < 24 && end > 12) CDNI_TRY(cdni_body_set_frame(state, function, body, 12, X_BM, check));
    if (first <= ARMATURE && end > ARMATURE)
      CDNI_TRY(cdni_body_set_armature(state, function, body, all[ARMATURE], check));
    if (end > OWN) CDNI_TRY(cdni_body_set_mobilizer_params(state, function, body, params, check));
  }
  return CDN_OK;
}

/* ---- motions ---- */

static const cdni_parameter sinusoid_table[] = { CDNI_ANY("amplitude", NULL), CDNI_ANY("rate", "rad/s"),
                                                 CDNI_ANY("phase", "rad") };

static const matter_motion *motion_at(const cdn_system *system, int i) {
  return cdni_motion_at(cdni_matter(system), i);
}
static const char *motion_name(const cdn_system *system, int i) { return motion_at(system, i)->name; }
static const char *motion_kind(const cdn_system *system, int i) { return motion_at(system, i)->ops.name; }

static int motion_count(const cdn_system *system, int i) {
  const matter_motion *x = motion_at(system, i);
  switch (x->kind) {
    case CDN_MOTION_SINUSOID: return CDNI_COUNT(sinusoid_table);
    case CDN_MOTION_STEADY: return cdn_body_nu(system, (cdn_body){ x->body });
    case CDN_MOTION_CONTROLLED: return 0;
    case CDN_MOTION_MOCAP: return MOCAP_INPUTS;
    default: return CDN_MOTION_PARAMS;
  }
}

static void motion_parameter(const cdn_system *system, int i, int k, cdni_parameter_place *out) {
  const matter *m = cdni_matter(system);
  const matter_motion *x = motion_at(system, i);
  const tree_node *node = &m->tree.node[x->body];
  out->array = m->motion_params, out->at = CDN_MOTION_PARAMS * i + k;
  if (x->kind == CDN_MOTION_MOCAP) {
    static const char *const units[] = { "rad/s", "m/s" };
    out->array = m->mocap, out->at = MOCAP_INPUTS * x->mocap + k;
    snprintf(out->name, sizeof out->name, "%s", cdni_mocap_input_names[k]);
    if (k >= MOCAP_U) out->is.unit = k == MOCAP_TIME ? "s" : units[k >= MOCAP_U + 3];
    else if (k >= MOCAP_Q + 4) out->is.unit = "m";
    return;
  }
  if (x->kind == CDN_MOTION_SINUSOID) {
    static const char *const units[] = {
      [CDN_LEVEL_ACCELERATION] = "m/s^2|rad/s^2", [CDN_LEVEL_VELOCITY] = "m/s|rad/s", [CDN_LEVEL_POSITION] = "m|rad"
    };
    out->is = sinusoid_table[k];
    if (k > 0) return;
    out->is.unit = units[x->level];
    out->dimension = cdni_mobility_dimension(m, node->u);
    for (int u = 1; u < node->nu; u++)
      if (cdni_mobility_dimension(m, node->u + u) != out->dimension) out->is.unit = NULL;
    return;
  }
  const bool steady = x->kind == CDN_MOTION_STEADY;
  snprintf(out->name, sizeof out->name, "%s[%d]", steady ? "u" : "params", k);
  if (steady) out->is.unit = "m/s|rad/s", out->dimension = cdni_mobility_dimension(m, node->u + k);
}

static cdn_status set_motion(cdn_state *state, const char *function, int i, int first, int n, const double *values) {
  const matter *m = cdni_matter(cdn_state_system(state));
  size_t bad;
  if (!cdni_all_finite(values, (size_t)n, &bad))
    return cdni_state_fail(state, CDN_ERR_NONFINITE, false, function, cdni_motion_at(m, i)->name,
                           "motion '%s': parameter %d is %g; nothing was changed", cdni_motion_at(m, i)->name,
                           first + (int)bad, values[bad]);
  const int mocap = cdni_motion_at(m, i)->mocap;
  if (mocap >= 0) return cdn_state_set_parameters(state, m->mocap, MOCAP_INPUTS * mocap + first, n, values);
  return cdn_state_set_parameters(state, m->motion_params, CDN_MOTION_PARAMS * i + first, n, values);
}

const cdni_elements cdni_matter_elements[] = {
  { .type = CDN_ELEMENT_BODY,
    .count = cdn_system_body_count,
    .name = body_name,
    .parameter_count = mass_count,
    .parameter = mass_parameter,
    .set = set_mass },
  { .type = CDN_ELEMENT_MOBILIZER,
    .count = cdn_system_body_count,
    .name = mobilizer_name,
    .may_share = is_weld,
    .kind = mobilizer_kind_name,
    .parameter_count = mobilizer_count,
    .parameter = mobilizer_parameter,
    .set = set_mobilizer },
  { .type = CDN_ELEMENT_MOTION,
    .count = cdn_system_motion_count,
    .name = motion_name,
    .kind = motion_kind,
    .parameter_count = motion_count,
    .parameter = motion_parameter,
    .set = set_motion },
  CDNI_NO_MORE_ELEMENTS,
};
