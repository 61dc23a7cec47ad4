/* What a State keeps in another System. */
#include "view/carry.h"

#include <math.h>
#include <stdio.h>

#include <cardan/constraints.h>
#include <cardan/contact.h>
#include <cardan/controls.h>
#include <cardan/forces.h>
#include <cardan/motion.h>

/* Parameters of an element: its numbers in both Systems, and where its initial values are. */
typedef struct carry_block {
  cdn_element_type type;
  int from, to; /* to -1: there is none */
  int first, n;
} carry_block;

/* ---- which is which ---- */

static bool same_text(const char *a, const char *b) { return a == b || (a && b && strcmp(a, b) == 0); }

/* The same element of the other System, or -1. */
static int find_same(const view_carry *c, cdn_element_type type, int i) {
  const int found = cdn_system_find_element(c->to, type, cdn_element_name(c->from, type, i));
  if (found < 0) return -1;
  return same_text(cdn_element_kind(c->from, type, i), cdn_element_kind(c->to, type, found)) ? found : -1;
}

static bool add_block(view_carry *c, cdn_element_type type, int i) {
  const int n = cdn_element_parameter_count(c->from, type, i);
  if (n == 0) return true;
  carry_block b = { .type = type, .from = i, .to = find_same(c, type, i), .first = (int)c->numbers.count, .n = n };
  if (b.to >= 0 && cdn_element_parameter_count(c->to, type, b.to) != n) b.to = -1;
  double *initial = cdni_array_extend(c->allocator, &c->numbers, sizeof *initial, (size_t)n);
  if (!initial || !cdni_array_push(c->allocator, &c->blocks, sizeof b, &b)) return false;
  for (int k = 0; k < n; k++) {
    cdn_parameter p;
    initial[k] = cdn_element_parameter(c->from, type, i, k, &p) == CDN_OK ? p.initial : NAN;
  }
  if (n > c->most) c->most = n;
  return true;
}

static bool add_pair(const view_carry *c, cdni_array *list, int to, int from) {
  const int pair[2] = { to, from };
  return cdni_array_push(c->allocator, list, sizeof pair, pair) != NULL;
}

static bool add_all(view_carry *c) {
  for (int s = 0; s < CDN_ELEMENT_COUNT; s++) {
    if (s == CDN_ELEMENT_SUBSYSTEM) continue; /* the numbers of custom forces are those of forces */
    for (int i = 0; i < cdn_element_count(c->from, (cdn_element_type)s); i++)
      if (!add_block(c, (cdn_element_type)s, i)) return false;
  }
  for (int i = 0; i < cdn_system_control_count(c->to); i++) {
    const cdn_control old = cdn_system_find_control(c->from, cdn_control_name(c->to, (cdn_control){ i }));
    if (old.i >= 0 && !cdn_control_follows(c->to, (cdn_control){ i }) && !add_pair(c, &c->controls, i, old.i))
      return false;
  }
  for (int i = 0; i < cdn_system_nz(c->to); i++) {
    char name[96];
    cdn_system_slot_name(c->to, CDN_POOL_Z, i, name, sizeof name);
    const int old = cdn_system_find_slot(c->from, CDN_POOL_Z, name);
    if (old >= 0 && !add_pair(c, &c->z, i, old)) return false;
  }
  return true;
}

cdn_status cdni_carry_make(const cdn_system *from, const cdn_system *to, const cdn_allocator *allocator,
                           view_carry *out) {
  *out = (view_carry){ .from = from, .to = to, .allocator = allocator };
  if (cdn_system_nq(from) != cdn_system_nq(to) || cdn_system_nu(from) != cdn_system_nu(to) ||
      cdn_system_body_count(from) != cdn_system_body_count(to))
    return cdni_refuse(CDN_ERR_ARG, "cdn_view_run",
                       "the model with the other law of contact has other bodies or joints");
  if (add_all(out)) return CDN_OK;
  cdni_carry_free(out);
  return cdni_refuse(CDN_ERR_NOMEM, "cdn_view_run", "out of memory for what is carried over");
}

void cdni_carry_free(view_carry *c) {
  cdni_array_free(c->allocator, &c->blocks);
  cdni_array_free(c->allocator, &c->numbers);
  cdni_array_free(c->allocator, &c->controls);
  cdni_array_free(c->allocator, &c->z);
}

/* ---- one State ---- */

typedef struct message {
  char *text;
  size_t size;
  int n;
} message;

/* Names the first few. */
static void tell(message *s, const char *what, const char *type, const char *name) {
  enum { MOST = 4 };
  if (!s->text) return;
  const size_t used = strlen(s->text);
  if (s->n++ < MOST)
    snprintf(s->text + used, s->size - used, "%s%.60s of %s '%.60s'", used ? ", " : "", what, type, name ? name : "?");
  else if (s->n == MOST + 1) snprintf(s->text + used, s->size - used, " and others");
}

static bool is_changed(double value, double initial) { return !(value == initial || (isnan(value) && isnan(initial))); }

/* Those that were changed; the others stay as the second System has them. */
static cdn_status carry_block_of(const view_carry *c, const carry_block *b, const cdn_state *from, cdn_state *to,
                                 double *values, message *lost) {
  const double *initial = &CDNI_AT(c->numbers, double, b->first);
  double *ours = values + c->most;
  int first = -1;
  CDNI_TRY(cdn_element_get_parameters(from, b->type, b->from, 0, b->n, values));
  for (int k = 0; k < b->n && first < 0; k++)
    if (is_changed(values[k], initial[k])) first = k;
  if (first < 0) return CDN_OK;
  if (b->to >= 0) {
    CDNI_TRY(cdn_element_get_parameters(to, b->type, b->to, 0, b->n, ours));
    for (int k = 0; k < b->n; k++)
      if (is_changed(values[k], initial[k])) ours[k] = values[k];
    const cdn_status status = cdn_element_set_parameters(to, b->type, b->to, 0, b->n, ours);
    if (status == CDN_OK || status == CDN_ERR_NOMEM) return status;
  }
  cdn_parameter p;
  const bool known = cdn_element_parameter(c->from, b->type, b->from, first, &p) == CDN_OK;
  tell(lost, known ? p.name : "parameters", cdn_element_type_name(b->type),
       cdn_element_name(c->from, b->type, b->from));
  return CDN_OK;
}

static cdn_status carry_parameters(const view_carry *c, const cdn_state *from, cdn_state *to, message *lost) {
  double *values = cdni_alloc(c->allocator, (size_t)(2 * c->most + 1) * sizeof *values);
  if (!values) return CDN_ERR_NOMEM;
  cdn_status status = CDN_OK;
  for (size_t i = 0; i < c->blocks.count && status == CDN_OK; i++)
    status = carry_block_of(c, &CDNI_AT(c->blocks, carry_block, i), from, to, values, lost);
  cdni_free(c->allocator, values, (size_t)(2 * c->most + 1) * sizeof *values);
  return status;
}

/* Constraints, motions and forces that are on or off. */
static cdn_status carry_switches(const view_carry *c, const cdn_state *from, cdn_state *to) {
  for (int i = 0; i < cdn_element_count(c->from, CDN_ELEMENT_CONSTRAINT); i++) {
    const cdn_constraint old = { i }, same = { find_same(c, CDN_ELEMENT_CONSTRAINT, i) };
    const bool on = cdn_constraint_is_enabled(from, old);
    if (same.i >= 0 && on != cdn_constraint_is_enabled(to, same)) CDNI_TRY(cdn_constraint_set_enabled(to, same, on));
  }
  for (int i = 0; i < cdn_element_count(c->from, CDN_ELEMENT_MOTION); i++) {
    const cdn_motion old = { i }, same = { find_same(c, CDN_ELEMENT_MOTION, i) };
    const bool on = cdn_motion_is_enabled(from, old);
    if (same.i >= 0 && on != cdn_motion_is_enabled(to, same)) CDNI_TRY(cdn_motion_set_enabled(to, same, on));
  }
  for (int i = 0; i < cdn_element_count(c->from, CDN_ELEMENT_FORCE); i++) {
    const cdn_force old = { i }, same = { find_same(c, CDN_ELEMENT_FORCE, i) };
    const bool on = cdn_force_is_enabled(from, old);
    if (same.i >= 0 && on != cdn_force_is_enabled(to, same)) CDNI_TRY(cdn_force_set_enabled(to, same, on));
  }
  return CDN_OK;
}

static cdn_status carry_locks(const view_carry *c, const cdn_state *from, cdn_state *to) {
  for (int i = 1; i < cdn_system_body_count(c->from); i++) {
    const cdn_motion_level level = cdn_body_lock_level(from, (cdn_body){ i });
    if (level != CDN_LEVEL_NONE) CDNI_TRY(cdn_body_lock(to, (cdn_body){ i }, level));
  }
  return CDN_OK;
}

cdn_status cdni_carry(view_carry *c, const cdn_state *from, cdn_state *to, char *lost, size_t size) {
  message s = { lost, size, 0 };
  if (lost) lost[0] = 0;
  CDNI_TRY(cdn_state_set_time(to, cdn_state_time(from)));
  CDNI_TRY(cdn_state_set_q(to, cdn_state_q(from)));
  CDNI_TRY(cdn_state_set_u(to, cdn_state_u(from)));
  CDNI_TRY(cdn_mocap_take(to));
  CDNI_TRY(carry_parameters(c, from, to, &s));
  CDNI_TRY(carry_switches(c, from, to));
  CDNI_TRY(carry_locks(c, from, to));
  const int(*control)[2] = c->controls.data, (*z)[2] = c->z.data;
  for (size_t i = 0; i < c->controls.count; i++) {
    const cdn_control old = { control[i][1] }, same = { control[i][0] };
    CDNI_TRY(cdn_control_set(to, same, cdn_control_given(from, old)));
  }
  for (size_t i = 0; i < c->z.count; i++)
    CDNI_TRY(cdn_state_set_slots(to, CDN_POOL_Z, z[i][0], 1, &cdn_state_z(from)[z[i][1]]));
  return cdn_contact_forget(to);
}
