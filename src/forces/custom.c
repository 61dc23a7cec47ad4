/* Forces that users bring: a subsystem that also adds forces. Which sum one belongs to is its own affair. */
#include <math.h>
#include <stdio.h>

#include <cardan/dynamics.h>

#include "controls/controls.h"
#include "forces/derivatives.h"

typedef struct custom {
  cdn_force_ops ops; /* prerequisites: our copy */
  cdn_subsystem subsystem;
  cdn_force_reads reads; /* including the variables behind its own declarations and prerequisites */
  bool by_masses;        /* it depends on masses */
} custom;

/* ---- computing ---- */

/* Keeps the callback's own message if there is one, and adds the force's name if the message names no element. */
static cdn_status pass_on(cdn_state *state, cdn_status status, const char *function, const char *name) {
  cdn_error e;
  cdn_state_last_error(state, &e);
  if (e.code == CDN_OK)
    return cdni_state_fail(state, status, status == CDN_ERR_NONFINITE, "cdn_realize", name,
                           "%s of custom force '%s' failed: %s", function, name, cdn_status_text(status));
  if (e.element[0]) return status;
  strncpy(e.element, name, sizeof e.element - 1);
  cdni_state_set_error(state, &e);
  return status;
}

static cdn_status tell_mistake(const force_collector *c, cdn_state *state, const char *name) {
  static const char function[] = "cdn_realize";
  const cdn_system *system = cdn_state_system(state);
  cdn_body body = { c->body };
  if (c->mobility == MISTAKE_OF_PATH)
    return cdni_state_fail(state, c->mistake, c->mistake != CDN_ERR_ARG, function, name,
                           c->mistake == CDN_ERR_ARG
                               ? "custom force '%s' acts along path %d, which this System does not have"
                           : c->mistake == CDN_ERR_NONFINITE
                               ? "custom force '%s' added a NaN or an infinity along path %d"
                               : "custom force '%s' acts along path %d, of which two neighbouring points meet",
                           name, c->body);
  if (!cdni_body_exists(c->to.matter, body))
    return cdni_state_fail(state, c->mistake, false, function, name,
                           "custom force '%s' acts on body %d, which this System does not have", name, c->body);
  if (c->mistake == CDN_ERR_NONFINITE)
    return cdni_state_fail(state, c->mistake, true, function, name,
                           "custom force '%s' added a NaN or an infinity to %s '%s'", name,
                           c->mobility < 0 ? "body" : "joint",
                           c->mobility < 0 ? cdn_body_name(system, body) : cdn_body_mobilizer_name(system, body));
  return cdni_state_fail(state, c->mistake, false, function, name,
                         "custom force '%s' acts on mobility %d of joint '%s', which has %d", name, c->mobility,
                         cdn_body_mobilizer_name(system, body), c->to.matter->tree.node[body.i].nu);
}

static bool belongs_to(const custom *e, const force_part *part) {
  return e->reads == part->reads && (e->ops.calc_potential != NULL) == part->potential;
}

static cdn_status calc_one(const force_batch *b, int i, cdn_state *state, cdn_forces *out) {
  const custom *e = b->elements;
  force_collector *collector = (force_collector *)out;
  cdni_state_clear_error(state);
  collector->mistake = CDN_OK;
  cdn_status status = e[i].ops.calc_force(cdn_subsystem_self(b->room->system, e[i].subsystem), state, out);
  if (status != CDN_OK) return pass_on(state, status, "calc_force", force_name(b, i));
  return collector->mistake != CDN_OK ? tell_mistake(collector, state, force_name(b, i)) : CDN_OK;
}

static cdn_status calc(const force_batch *b, cdn_state *state, cdn_forces *out) {
  const custom *e = b->elements;
  for (int i = 0; i < b->n; i++) {
    if (!belongs_to(&e[i], b->part) || !force_is_on(b, i)) continue;
    CDNI_TRY(calc_one(b, i, state, out));
  }
  return CDN_OK;
}

static cdn_status calc_potential(const force_batch *b, cdn_state *state, double *energy) {
  const custom *e = b->elements;
  for (int i = 0; i < b->n; i++) {
    if (!e[i].ops.calc_potential || !force_is_on(b, i)) continue;
    cdni_state_clear_error(state);
    double own = 0;
    cdn_status status = e[i].ops.calc_potential(cdn_subsystem_self(b->room->system, e[i].subsystem), state, &own);
    if (status != CDN_OK) return pass_on(state, status, "calc_potential", force_name(b, i));
    if (!isfinite(own))
      return cdni_state_fail(state, CDN_ERR_NONFINITE, true, "cdn_potential_energy", force_name(b, i),
                             "the potential of custom force '%s' is %g", force_name(b, i), own);
    *energy += own;
  }
  return CDN_OK;
}

/* ---- how it varies ---- */

static bool is_differenced(const force_batch *b, int i) {
  return !((const custom *)b->elements)[i].ops.calc_derivative && force_is_on(b, i);
}

static cdn_subsystem subsystem_of(const force_batch *b, int i) { return ((const custom *)b->elements)[i].subsystem; }

static cdn_status derivative(const force_batch *b, cdn_state *state, cdn_force_derivatives *out) {
  const custom *e = b->elements;
  for (int i = 0; i < b->n; i++) {
    if (!e[i].ops.calc_derivative || !force_is_on(b, i)) continue;
    cdni_state_clear_error(state);
    out->mistake = CDN_OK;
    cdn_status status = e[i].ops.calc_derivative(cdn_subsystem_self(b->room->system, e[i].subsystem), state, out);
    cdni_derivative_end_z(out);
    if (status != CDN_OK) return pass_on(state, status, "calc_derivative", force_name(b, i));
    if (out->mistake == CDN_OK) continue;
    return cdni_state_fail(state, out->mistake, false, out->pass->function, force_name(b, i),
                           "calc_derivative of custom force '%s' gave a wrong id, a NaN or an infinity, a line "
                           "without length, or a wrong number of bodies (body %d, mobility %d)",
                           force_name(b, i), out->body, out->mobility);
  }
  return CDN_OK;
}

/* ---- kinks ---- */

static int count_kinks(const void *element) { return ((const custom *)element)->ops.n_kinks; }

static cdn_status calc_kinks(const force_batch *b, cdn_state *state, double *values, double *rates) {
  const custom *e = b->elements;
  for (int i = 0; i < b->n; i++) {
    const int n = e[i].ops.n_kinks;
    for (int k = 0; k < n; k++) values[k] = rates[k] = NAN;
    if (n > 0 && force_is_on(b, i)) {
      cdni_state_clear_error(state);
      cdn_status status =
          e[i].ops.calc_kinks(cdn_subsystem_self(b->room->system, e[i].subsystem), state, values, rates);
      if (status != CDN_OK) return pass_on(state, status, "calc_kinks", force_name(b, i));
    }
    values += n, rates += n;
  }
  return CDN_OK;
}

/* ---- prerequisites ---- */

/* A measure does not describe its derivatives: a force that reads a control which follows one is differenced. */
static bool feeds_back(const cdn_system *system, const custom *e) {
  for (int i = 0; i < cdn_system_control_count(system); i++) {
    const cdn_control control = { i };
    if (!cdni_control_feeds_back(system, control)) continue;
    const cdn_ticket ticket = cdn_control_ticket(system, control);
    for (int k = 0; k < e->ops.n_prerequisites; k++)
      if (e->ops.prerequisites[k].i == ticket.i) return true;
  }
  return false;
}

/* A force that has z, or asks for something that varies with u or z, belongs to a later sum than it said. */
static void prepare(force_set *set, cdn_declarer *d) {
  const cdn_system *system = cdni_declarer_system(d);
  for (size_t i = 0; i < set->elements.count; i++) {
    custom *e = &CDNI_AT(set->elements, custom, i);
    if (cdni_subsystem_runs(system, e->subsystem).nz > 0) e->reads = CDN_READS_EVERYTHING;
    if (feeds_back(system, e)) e->ops.calc_derivative = NULL;
    for (int k = 0; k < e->ops.n_prerequisites; k++) {
      const int32_t t = e->ops.prerequisites[k].i;
      if (t == CDN_Z.i) e->reads = CDN_READS_EVERYTHING;
      if ((t == CDN_U.i || t == CDN_U_EFF.i || t == CDN_QDOT.i || t == CDN_TWIST.i) && e->reads == CDN_READS_POSITION)
        e->reads = CDN_READS_VELOCITY;
    }
  }
}

static bool has_part(const force_set *set, const force_part *part) {
  for (size_t i = 0; i < set->elements.count; i++)
    if (belongs_to(&CDNI_AT(set->elements, custom, i), part)) return true;
  return false;
}

/* What has a ticket by now alone. */
static void depend_on_more(const custom *e, cdn_declarer *d, cdn_cache entry) {
  const cdn_system *system = cdni_declarer_system(d);
  cdn_ticket more[CDN_FORCE_MORE_PREREQUISITES];
  if (!e->ops.more_prerequisites) return;
  const int n = e->ops.more_prerequisites(cdn_subsystem_self(system, e->subsystem), system, more);
  for (int k = 0; k < n && k < CDN_FORCE_MORE_PREREQUISITES; k++) cdni_declare_prerequisite(d, entry, more[k]);
}

/* Time, all parameters, and whatever the element's subsystem has declared. A potential is no function of z. */
static void depend(const force_set *set, const force_part *part, const matter *m, cdn_declarer *d, cdn_cache entry) {
  (void)m;
  for (size_t i = 0; i < set->elements.count; i++) {
    const custom *e = &CDNI_AT(set->elements, custom, i);
    if (part ? !belongs_to(e, part) : !e->ops.calc_potential) continue;
    cdni_declare_prerequisite(d, entry, CDN_T);
    cdni_declare_prerequisite(d, entry, cdn_stage_ticket(CDN_STAGE_INSTANCE));
    cdn_ticket own;
    for (int k = 0; (own = cdni_subsystem_variable(cdni_declarer_system(d), e->subsystem, k)).i != 0; k++)
      if (part || own.i != CDN_Z.i) cdni_declare_prerequisite(d, entry, own);
    for (int k = 0; k < e->ops.n_prerequisites; k++)
      if (part || e->ops.prerequisites[k].i != CDN_Z.i) cdni_declare_prerequisite(d, entry, e->ops.prerequisites[k]);
    depend_on_more(e, d, entry);
  }
}

/* Its prerequisites, and what its subsystem has declared. */
static cdn_ticket tickets_of(const cdn_system *system, const void *element, int k) {
  const custom *e = element;
  cdn_ticket more[CDN_FORCE_MORE_PREREQUISITES];
  if (k < e->ops.n_prerequisites) return e->ops.prerequisites[k];
  k -= e->ops.n_prerequisites;
  int n =
      e->ops.more_prerequisites ? e->ops.more_prerequisites(cdn_subsystem_self(system, e->subsystem), system, more) : 0;
  n = n < CDN_FORCE_MORE_PREREQUISITES ? n : CDN_FORCE_MORE_PREREQUISITES;
  return k < n ? more[k] : cdni_subsystem_variable(system, e->subsystem, k - n);
}

static bool knows_controls(const void *element) { return ((const custom *)element)->ops.calc_control_derivative; }

static cdn_status by_control(const force_batch *b, int i, cdn_state *state, cdn_control control, cdn_forces *out) {
  const custom *e = b->elements;
  force_collector *collector = (force_collector *)out;
  cdni_state_clear_error(state);
  collector->mistake = CDN_OK;
  cdn_status status =
      e[i].ops.calc_control_derivative(cdn_subsystem_self(b->room->system, e[i].subsystem), state, control, out);
  if (status != CDN_OK) return pass_on(state, status, "calc_control_derivative", force_name(b, i));
  return collector->mistake != CDN_OK ? tell_mistake(collector, state, force_name(b, i)) : CDN_OK;
}

/* ---- adding ---- */

static size_t prerequisites_size(const custom *e) { return (size_t)e->ops.n_prerequisites * sizeof(cdn_ticket); }

static void destroy(force_set *set, const cdn_allocator *a) {
  for (size_t i = 0; i < set->elements.count; i++) {
    const custom *e = &CDNI_AT(set->elements, custom, i);
    if (e->ops.prerequisites) cdni_free(a, (void *)e->ops.prerequisites, prerequisites_size(e));
  }
}

#define CUSTOM_PART(READS, POTENTIAL) \
  { .reads = (READS), .potential = (POTENTIAL), .bodies = true, .mobilities = true, .calc = calc }

static void describe(const force_room *room, const void *element, char *text, size_t size) {
  static const char *const reads[] = { "positions", "velocities", "everything" };
  const custom *e = element;
  (void)room;
  snprintf(text, size, " that reads %s%s", reads[e->reads], e->ops.calc_potential ? ", with a potential" : "");
}

const force_kind cdni_force_custom = {
  .name = "custom",
  .element_size = sizeof(custom),
  .parts = { CUSTOM_PART(CDN_READS_POSITION, false), CUSTOM_PART(CDN_READS_POSITION, true),
             CUSTOM_PART(CDN_READS_VELOCITY, false), CUSTOM_PART(CDN_READS_VELOCITY, true),
             CUSTOM_PART(CDN_READS_EVERYTHING, false), CUSTOM_PART(CDN_READS_EVERYTHING, true) },
  .calc_potential = calc_potential,
  .derivative = derivative,
  .is_differenced = is_differenced,
  .calc_one = calc_one,
  .subsystem_of = subsystem_of,
  .count_kinks = count_kinks,
  .calc_kinks = calc_kinks,
  .prepare = prepare,
  .has_part = has_part,
  .depend = depend,
  .reads = tickets_of,
  .knows_controls = knows_controls,
  .by_control = by_control,
  .destroy = destroy,
  .describe = describe,
};

static void check_ops(force_adder *a, const cdn_force_ops *ops) {
  if (!ops->calc_force) cdni_adder_refuse(&a->by, CDN_ERR_ARG, "its ops have no calc_force");
  if (ops->reads < CDN_READS_POSITION || ops->reads > CDN_READS_EVERYTHING)
    cdni_adder_refuse(&a->by, CDN_ERR_ARG, "ops.reads is %d; take one of CDN_READS_POSITION, _VELOCITY and _EVERYTHING",
                      (int)ops->reads);
  if (ops->n_prerequisites < 0 || (ops->n_prerequisites > 0 && !ops->prerequisites))
    cdni_adder_refuse(&a->by, CDN_ERR_ARG, "ops has %d prerequisites%s", ops->n_prerequisites,
                      ops->prerequisites ? "" : ", but no list of them");
  if (ops->n_kinks < 0 || (ops->n_kinks > 0 && !ops->calc_kinks))
    cdni_adder_refuse(&a->by, CDN_ERR_ARG, "its ops have %d kinks%s", ops->n_kinks,
                      ops->calc_kinks ? "" : ", but no calc_kinks");
}

/* The caller's ops are two structs that grow, one behind the other: the subsystem's ops, then those of the force. */
static const char *read_ops(cdn_force_ops *to, const cdn_force_ops *from, size_t subsystem_size) {
  const size_t head = sizeof to->subsystem;
  cdni_sized known = CDNI_SIZED(cdn_force_ops, "struct_size of the ops is not set: set it to sizeof(cdn_force_ops)");
  memset(to, 0, sizeof *to);
  to->subsystem.struct_size = (uint32_t)head;
  to->struct_size = (uint32_t)sizeof *to;
  if (!from) return known.unset;
  uint32_t given;
  memcpy(&given, from, sizeof given);
  const size_t front = given ? given : subsystem_size;
  const char *wrong = cdni_sized_copy(
      to, from, front,
      CDNI_SIZED(cdn_subsystem_ops, "subsystem.struct_size of the ops is wrong: set it to sizeof(cdn_subsystem_ops)"));
  if (wrong) return wrong;
  uint32_t whole;
  memcpy(&whole, (const char *)from + front, sizeof whole);
  known.size -= head;
  wrong =
      whole > front ? cdni_sized_copy(&to->struct_size, (const char *)from + front, whole - front, known) : known.unset;
  to->subsystem.struct_size = (uint32_t)head;
  to->struct_size = (uint32_t)sizeof *to;
  return wrong;
}
_Static_assert(offsetof(cdn_force_ops, struct_size) == sizeof(cdn_subsystem_ops), "one behind the other");

/* Makes the element's list of prerequisites its own. */
static void copy_prerequisites(force_adder *a, custom *e) {
  const cdn_ticket *from = e->ops.prerequisites;
  e->ops.prerequisites = NULL;
  if (!a->by.ok || e->ops.n_prerequisites == 0) return;
  cdn_ticket *copy = cdni_alloc(cdni_system_allocator(a->by.system), prerequisites_size(e));
  if (copy) memcpy(copy, from, prerequisites_size(e));
  else cdni_adder_refuse(&a->by, CDN_ERR_NOMEM, "out of memory");
  e->ops.prerequisites = copy;
}

static cdn_force add(force_adder *a, custom *e) {
  const size_t before = a->room->sets[FORCE_CUSTOM].elements.count;
  const cdn_force id = cdni_force_add(a, e, NULL);
  /* The list owns the copy as soon as the element is in it. */
  if (e->ops.prerequisites && a->room->sets[FORCE_CUSTOM].elements.count == before)
    cdni_free(cdni_system_allocator(a->by.system), (void *)e->ops.prerequisites, prerequisites_size(e));
  return id;
}

cdn_force cdn_system_add_custom_force_sized(cdn_system *system, const cdn_force_ops *given, const void *self,
                                            size_t subsystem_size) {
  static const char function[] = "cdn_system_add_custom_force";
  cdn_force_ops known;
  const cdn_force_ops *ops = &known;
  const char *unreadable = read_ops(&known, given, subsystem_size);
  force_adder a;
  cdn_force id = { -1 };
  cdni_force_begin(&a, system, FORCE_CUSTOM, function, unreadable ? NULL : ops->subsystem.name);
  if (unreadable) cdni_adder_refuse(&a.by, CDN_ERR_VERSION, "%s", unreadable);
  else check_ops(&a, ops);
  if (!a.by.ok) return id;

  custom e = { .ops = *ops, .reads = ops->reads };
  e.ops.subsystem.name = a.by.name;
  copy_prerequisites(&a, &e);
  /* The System keeps its own copy of `self` and of the name; ours of the ops outlives them. */
  if (a.by.ok) e.subsystem = cdn_system_add_subsystem(system, &e.ops.subsystem, self);
  if (a.by.ok && e.subsystem.i < 0) a.by.ok = false;
  e.ops.subsystem.name = NULL;
  return add(&a, &e);
}

/* Adds a force provider that a subsystem registers in `declare`. The element owns only these ops. */
static bool is_taken(const cdn_system *system, const char *name) {
  for (int i = 0; i < cdn_system_force_count(system); i++)
    if (strcmp(cdn_force_name(system, (cdn_force){ i }), name) == 0) return true;
  return false;
}

/* Whoever adds a force by a name does not know which names subsystems will declare. So a provider whose name is taken
 * gets a number. */
static const char *free_name(const cdn_system *system, const char *name, char *room, size_t size) {
  if (!name || !is_taken(system, name)) return name;
  for (int k = 2;; k++) {
    snprintf(room, size, "%.100s %d", name, k);
    if (!is_taken(system, room)) return room;
  }
}

cdn_force cdn_declare_forces(cdn_declarer *d, const cdn_force_provider *given) {
  CDNI_NEED_OBJECT(d, (cdn_force){ -1 });
  cdn_system *system = (cdn_system *)cdni_declarer_system(d); /* it is being frozen */
  cdn_force_provider known;
  const cdn_force_provider *provider = &known;
  const char *unreadable = CDNI_READ_OPS(cdn_force_provider, &known, given);
  force_adder a;
  const cdn_force none = { -1 };
  char other[128];
  const char *name = unreadable ? NULL : free_name(system, provider->name, other, sizeof other);
  cdni_force_begin(&a, system, FORCE_CUSTOM, __func__, name);
  if (unreadable) cdni_adder_refuse(&a.by, CDN_ERR_VERSION, "%s", unreadable);
  if (!a.by.ok) return none;
  if (a.room->system)
    cdni_adder_refuse(&a.by, CDN_ERR_FROZEN, "forces have been declared already: add the subsystem while building");
  custom e = { .subsystem = cdni_declarer_subsystem(d), .reads = provider->reads };
  e.ops = (cdn_force_ops){ .reads = provider->reads,
                           .calc_force = provider->calc_force,
                           .calc_potential = provider->calc_potential,
                           .calc_derivative = provider->calc_derivative,
                           .n_kinks = provider->n_kinks,
                           .calc_kinks = provider->calc_kinks,
                           .prerequisites = provider->prerequisites,
                           .n_prerequisites = provider->n_prerequisites };
  if (a.by.ok) check_ops(&a, &e.ops);
  copy_prerequisites(&a, &e);
  return add(&a, &e);
}

/* A custom force; NULL: it is none. */
static custom *custom_at(const force_room *room, cdn_force force) {
  if (!room || force.i < 0 || (size_t)force.i >= room->elements.count) return NULL;
  const force_element *e = &CDNI_AT(room->elements, force_element, force.i);
  return e->kind == FORCE_CUSTOM ? &CDNI_AT(room->sets[FORCE_CUSTOM].elements, custom, e->index) : NULL;
}

cdn_subsystem cdn_force_subsystem(const cdn_system *system, cdn_force force) {
  const cdn_subsystem none = { -1 };
  CDNI_NEED_OBJECT(system, none);
  const custom *e = custom_at(cdni_forces(system), force);
  return e ? e->subsystem : none;
}

/* ---- forces that depend on masses ---- */

void cdni_force_depends_on_masses(const cdn_system *system, cdn_force force) {
  custom *e = custom_at(cdni_forces(system), force);
  if (e) e->by_masses = true;
}

cdn_status cdni_forces_refuse_masses(cdn_state *state, const char *function) {
  const cdn_system *system = cdn_state_system(state);
  for (int i = 0; i < cdn_system_force_count(system); i++) {
    const custom *e = custom_at(cdni_forces(system), (cdn_force){ i });
    const char *name = cdn_force_name(system, (cdn_force){ i });
    if (e && e->by_masses && cdn_force_is_enabled(state, (cdn_force){ i }))
      return cdni_state_fail(state, CDN_ERR_UNSUPPORTED, false, function, name,
                             "force '%s' depends on masses, and is not differentiated by them: switch it off "
                             "(cdn_force_set_enabled)",
                             name);
  }
  return CDN_OK;
}
