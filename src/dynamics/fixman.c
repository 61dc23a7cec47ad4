/* Fixman's potential: a force with potential on all mobilities. One entry holds ln det M + ln det(G M^-1 G^T) and its
 * gradient; force and energy take them times RT/2, and add what free angles and lengths do. */
#include "dynamics/fixman.h"

#include <cardan/fixman.h>
#include <cardan/molecule.h>

#include <math.h>

#include "constraints/log_det.h"
#include "core/sized.h"
#include "matter/log_det.h"
#include "rooms.h"
#include "system/kind_of.h"

CDNI_DEF(fixman_def, .temperature = 300, .gas_constant = CDN_GAS_CONSTANT);

/* A coordinate with its slots of the State. */
typedef struct slot {
  cdn_body body;
  int32_t k, q, mobility; /* the coordinate; its place in q; the body's mobility whose rate is its */
  cdn_fixman_kind kind;
} slot;

typedef struct fixman {
  cdn_allocator memory;
  double gas_constant, temperature;
  int n;
  slot *slots;
  char name[64];
  /* declared */
  const matter *matter;
  cdn_dvar v_temperature;
  cdn_cache sums;
} fixman;

/* ---- computing ---- */

static cdn_status calc_sums(const void *self, cdn_state *state, void *out) {
  const fixman *f = self;
  double *log_det = out, *g = log_det + 1;
  const constraint_room *room = cdni_constraints(cdn_state_system(state));
  CDNI_TRY(cdni_log_det_M(state, "cdn_realize", false, log_det, f->matter->tree.nu ? g : NULL));
  return cdni_constraint_add_log_det(room, state, "cdn_realize", log_det, g);
}

static cdn_status get(const fixman *f, cdn_state *state, const double **sums, double *RT) {
  *RT = f->gas_constant * *cdn_state_parameters(state, f->v_temperature);
  *sums = cdn_eval(state, f->sums);
  return *sums ? CDN_OK : cdni_state_last_status(state);
}

/* ln of the measure of an angle or a length, and its slope. */
static cdn_status measure(const fixman *f, cdn_state *state, const slot *s, const double *q, double *value,
                          double *slope) {
  const double x = q[s->q], of = s->kind == CDN_FIXMAN_ANGLE ? sin(x) : x;
  *value = s->kind == CDN_FIXMAN_ANGLE ? log(fabs(of)) : 2 * log(fabs(of));
  *slope = s->kind == CDN_FIXMAN_ANGLE ? cos(x) / of : 2 / of;
  if (of == 0)
    return cdni_state_fail(state, CDN_ERR_SINGULAR, true, "cdn_realize", f->name,
                           "Fixman's potential '%s': coordinate %d of joint '%s' is %g, where %s", f->name, s->k,
                           cdn_body_mobilizer_name(cdn_state_system(state), s->body), x,
                           s->kind == CDN_FIXMAN_ANGLE ? "an angle between bonds has no sine" : "a bond has no length");
  return CDN_OK;
}

static cdn_status calc_force(const void *self, cdn_state *state, cdn_forces *out) {
  const fixman *f = self;
  const double *sums;
  double RT;
  CDNI_TRY(get(f, state, &sums, &RT));
  for (int i = 1; i < f->matter->tree.n; i++) {
    const tree_node *n = &f->matter->tree.node[i];
    for (int k = 0; k < n->nu; k++) cdn_forces_add_mobility(out, (cdn_body){ i }, k, -0.5 * RT * sums[1 + n->u + k]);
  }
  const double *q = cdn_state_q_eff(state);
  for (int i = 0; q && i < f->n; i++) {
    double value, slope;
    CDNI_TRY(measure(f, state, &f->slots[i], q, &value, &slope));
    cdn_forces_add_mobility(out, f->slots[i].body, f->slots[i].mobility, RT * slope);
  }
  return q ? CDN_OK : cdni_state_last_status(state);
}

static cdn_status calc_potential(const void *self, cdn_state *state, double *energy) {
  const fixman *f = self;
  const double *sums;
  double RT, sum;
  CDNI_TRY(get(f, state, &sums, &RT));
  sum = 0.5 * sums[0];
  const double *q = cdn_state_q_eff(state);
  for (int i = 0; q && i < f->n; i++) {
    double value, slope;
    CDNI_TRY(measure(f, state, &f->slots[i], q, &value, &slope));
    sum -= value;
  }
  *energy += RT * sum;
  return q ? CDN_OK : cdni_state_last_status(state);
}

/* ---- declaring ---- */

static cdn_status declare(void *self, cdn_declarer *d) {
  fixman *f = self;
  const cdn_system *system = cdni_declarer_system(d);
  const matter *m = f->matter = cdni_matter(system);
  if (!m) return cdn_declare_error(d, CDN_ERR_ARG, "Fixman's potential '%s' needs bodies", f->name);
  for (int i = 0; i < f->n; i++) f->slots[i].q = cdn_body_first_q(system, f->slots[i].body) + f->slots[i].k;
  f->v_temperature = cdn_declare_parameters(d, "temperature", 1, &f->temperature);
  const cdn_ticket reads[] = { CDN_POSE,           CDN_Q_EFF,
                               m->inertia.ticket,  m->articulated.ticket,
                               m->frames.ticket,   m->driver_udot.ticket,
                               m->armature.ticket, m->params.ticket };
  f->sums =
      cdn_declare_cache(d, "sums", (1 + (size_t)m->tree.nu) * sizeof(double), calc_sums, CDNI_COUNT(reads), reads);
  return CDN_OK;
}

/* The potential behind a force; NULL: it is another force. */
static const fixman *find(const cdn_system *system, cdn_force force) {
  const cdn_subsystem own = cdn_force_subsystem(system, force);
  return own.i >= 0 && cdni_subsystem_is_of(system, own, declare) ? cdn_subsystem_self(system, own) : NULL;
}

void cdni_fixman_declare_reads(const dynamics *dyn, cdn_declarer *d) {
  const cdn_system *system = cdni_declarer_system(d);
  cdn_ticket reads[5];
  const int n = dyn->constraints ? cdni_constraint_log_det_reads(dyn->constraints, reads) : 0;
  for (int i = 0; n > 0 && i < cdn_system_force_count(system); i++) {
    const fixman *f = find(system, (cdn_force){ i });
    for (int k = 0; f && k < n; k++) cdni_declare_prerequisite(d, f->sums, reads[k]);
  }
}

/* ---- adding ---- */

static void free_slots(fixman *f) { cdni_free(&f->memory, f->slots, (size_t)(f->n + 1) * sizeof *f->slots); }
static void destroy(void *self) { free_slots(self); }

static bool fill(fixman *f, cdni_adder *a, const cdn_fixman_def *def) {
  const double numbers[] = { def->temperature, def->gas_constant };
  cdni_adder_check_numbers(a, "its temperature or its gas constant", numbers, 2);
  if (a->ok && !(def->temperature >= 0 && def->gas_constant > 0))
    cdni_adder_refuse(a, CDN_ERR_ARG, "the temperature %g is negative, or the gas constant %g is not positive",
                      def->temperature, def->gas_constant);
  if (a->ok && (def->n_coordinates < 0 || (def->n_coordinates > 0 && !def->coordinates)))
    cdni_adder_refuse(a, CDN_ERR_ARG, "it has %d coordinates, and the list is %s", def->n_coordinates,
                      def->coordinates ? "given" : "NULL");
  if (!a->ok) return false;
  f->slots = cdni_calloc(&f->memory, (size_t)(def->n_coordinates + 1) * sizeof *f->slots);
  if (!f->slots) return cdni_adder_refuse(a, CDN_ERR_NOMEM, "out of memory"), false;
  f->n = def->n_coordinates;
  for (int i = 0; i < f->n && a->ok; i++) {
    const cdn_fixman_coordinate *c = &def->coordinates[i];
    if ((int)c->kind < 0 || c->kind >= CDN_FIXMAN_KIND_COUNT)
      cdni_adder_refuse(a, CDN_ERR_ARG, "coordinate %d of its list is of kind %d, which there is not", i, (int)c->kind);
    cdni_adder_check_slot(a, c->body, c->k, "list angles and lengths of bonds alone");
    if (!a->ok) return false;
    f->slots[i] = (slot){ .body = c->body,
                          .k = c->k,
                          .mobility = c->k - cdn_body_nq(a->system, c->body) + cdn_body_nu(a->system, c->body),
                          .kind = c->kind };
  }
  return a->ok;
}

cdn_force cdn_system_add_fixman(cdn_system *system, const char *name, const cdn_fixman_def *given) {
  const cdn_force none = { -1 };
  CDNI_NEED_OBJECT(system, none);
  cdni_adder a;
  cdn_fixman_def def = fixman_def_defaults;
  if (!cdni_adder_begin(&a, system, CDNI_ROOM_DYNAMICS, __func__, "Fixman's potential")) return none;
  cdni_adder_name(&a, name ? name : "Fixman", 0);
  const char *unreadable = given ? read_fixman_def(&def, given) : NULL;
  if (unreadable) cdni_adder_fail_unreadable(&a, given, unreadable);
  fixman f = { .memory = *cdni_system_allocator(system),
               .gas_constant = def.gas_constant,
               .temperature = def.temperature };
  cdni_print(f.name, sizeof f.name, "%s", a.name);
  cdn_force_ops ops = {
    .struct_size = sizeof ops, .reads = CDN_READS_POSITION, .calc_force = calc_force, .calc_potential = calc_potential
  };
  ops.subsystem.name = f.name;
  ops.subsystem.self_size = sizeof f;
  ops.subsystem.declare = declare;
  ops.subsystem.destroy = destroy;
  const cdn_force id = fill(&f, &a, &def) ? cdn_system_add_custom_force(system, &ops, &f) : none;
  if (id.i < 0) free_slots(&f);
  else cdni_force_depends_on_masses(system, id);
  return id;
}

/* ---- its temperature ---- */

cdn_status cdn_fixman_set_temperature(cdn_state *state, cdn_force force, double temperature) {
  CDNI_NEED(state, state);
  const fixman *f = find(cdn_state_system(state), force);
  if (!f)
    return cdni_state_fail(state, CDN_ERR_ARG, false, __func__, NULL, "force %d is not Fixman's potential", force.i);
  if (!(temperature >= 0) || !isfinite(temperature))
    return cdni_state_fail(state, CDN_ERR_ARG, false, __func__, f->name,
                           "Fixman's potential '%s': the temperature %g is negative or not finite", f->name,
                           temperature);
  return cdn_state_set_parameters(state, f->v_temperature, 0, 1, &temperature);
}

double cdn_fixman_temperature(const cdn_state *state, cdn_force force) {
  CDNI_NEED_OBJECT(state, NAN);
  const fixman *f = find(cdn_state_system(state), force);
  return f ? *cdn_state_parameters(state, f->v_temperature) : NAN;
}
