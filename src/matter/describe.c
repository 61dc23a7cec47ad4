/* Matter's part of the description that checkpoints compare: the tree, functions and callbacks of mobilizers,
 * motions. Frames, masses and parameters are part of the State. */
#include <inttypes.h>
#include <stdio.h>

#include <cardan/mobilizers.h>
#include <cardan/motion.h>

#include "core/archive.h"
#include "matter/custom.h"
#include "matter/subsystem.h"

/* The functions of a function-based mobilizer, their coordinates, and their axes. */
static void describe_functions(const char *body, const cdn_function_mobilizer *m, cdn_description *d) {
  for (int i = 0; i < 6; i++) {
    if (!m->function[i]) continue;
    char what[140], inputs[32] = "";
    double axis[3] = { m->axis[i].x, m->axis[i].y, m->axis[i].z };
    cdni_function_describe(m->function[i], what, sizeof what);
    for (int j = 0; j < cdn_function_n_inputs(m->function[i]); j++) {
      size_t n = strlen(inputs);
      snprintf(inputs + n, sizeof inputs - n, " q%d", m->input[i][j]);
    }
    cdn_describe(d, body, "a %s by a %s, of%s; axis %08" PRIx32, i < 3 ? "rotation" : "translation", what,
                 inputs[0] ? inputs : " nothing", cdni_checksum(axis, sizeof axis));
  }
}

static void describe_body(const matter *m, const cdn_system *system, cdn_body body, cdn_description *d) {
  const char *name = cdn_body_name(system, body);
  cdn_describe(d, name, "a body on %s by the %s%s joint '%s' of %d q, %d u",
               cdn_body_name(system, cdn_body_parent(system, body)),
               cdn_body_is_reversed(system, body) ? "reversed " : "", cdni_body_kind_name(system, body),
               cdn_body_mobilizer_name(system, body), cdn_body_nq(system, body), cdn_body_nu(system, body));
  const tree_node *node = &CDNI_AT(m->nodes, tree_node, body.i);
  if (node->custom < 0) return;
  const custom_mobilizer *x = &CDNI_AT(m->customs, custom_mobilizer, node->custom);
  if (node->kind == CDN_FUNCTION_BASED) describe_functions(name, &((const function_mobilizer *)x->self)->def, d);
  else cdn_describe(d, name, "a mobilizer of one's own, '%s', %zu bytes", x->ops.name, x->ops.self_size);
}

static void describe_motion(const cdn_system *system, const matter_motion *x, cdn_description *d) {
  static const char *const kinds[] = { "sinusoid", "steady", "custom", "controlled", "mocap" };
  static const char *const levels[] = { "no", "acceleration", "velocity", "position" };
  cdn_describe(d, x->name, "a %s motion of body %s at %s level", kinds[x->kind],
               cdn_body_name(system, (cdn_body){ x->body }), levels[x->level]);
  if (x->control.i >= 0)
    cdn_describe(d, x->name, "a motion that follows control '%s'", cdn_control_name(system, x->control));
}

void cdni_matter_describe(const void *self, const cdn_system *system, cdn_description *d) {
  const matter *m = cdni_matter(system);
  (void)self;
  for (int32_t i = 1; i < cdn_system_body_count(system); i++) describe_body(m, system, (cdn_body){ i }, d);
  for (int32_t i = 0; i < cdn_system_motion_count(system); i++) describe_motion(system, cdni_motion_at(m, i), d);
}
