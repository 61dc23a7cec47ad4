/* Making an assembly, and its locks and bounds. */
#include "studies/assembly.h"

#include <math.h>

#include "matter/checks.h"

CDNI_DEF(assembly_def, .tolerance = 1e-10, .accuracy = 1e-8, .time_scale = 0.1, .most_iterations = 500);

/* ---- failures ------------------------------------------------------------------------------- */

cdn_status cdni_assembly_fail(cdn_assembly *a, cdn_status code, const char *function, const char *element,
                              const char *format, ...) {
  va_list args;
  va_start(args, format);
  cdni_error_vset(&a->error, code, function, element, format, args);
  va_end(args);
  return code;
}

cdn_status cdni_assembly_fail_state(cdn_assembly *a, cdn_state *state, const char *function, cdn_status status) {
  cdn_state_last_error(state, &a->error);
  if (a->error.code != status) return cdni_assembly_fail(a, status, function, NULL, "%s", cdn_status_text(status));
  a->error.function = function;
  cdni_error_tell(&a->error);
  return status;
}

void cdn_assembly_last_error_sized(const cdn_assembly *a, cdn_error *out, size_t size) {
  const cdn_error none = { 0 };
  cdni_sized_write(out, size, a ? &a->error : &none, sizeof none);
}

/* ---- memory --------------------------------------------------------------------------------- */

/* Where everything is in a block; its size. */
static size_t lay_out(cdn_assembly *a, char *base) {
  const size_t nq = (size_t)a->nq, nu = (size_t)a->nu, d = sizeof(double);
  size_t at = 0;
  a->slot = cdni_part(base, &at, nu, sizeof *a->slot);
  a->locked = cdni_part(base, &at, nu, 1), a->fixed = cdni_part(base, &at, nu, 1),
  a->held = cdni_part(base, &at, nu, 1);
  a->stays = cdni_part(base, &at, nu, 1), a->concerned = cdni_part(base, &at, nu, 1);
  a->group = cdni_part(base, &at, nu, sizeof *a->group);
  a->prescribed = cdni_part(base, &at, nq + nu, 1);
  double **const by_mobility[] = { &a->lower, &a->upper, &a->x, &a->gradient, &a->push, &a->u };
  for (int i = 0; i < CDNI_COUNT(by_mobility); i++) *by_mobility[i] = cdni_part(base, &at, nu, d);
  double **const by_coordinate[] = { &a->q, &a->start, &a->came, &a->best };
  for (int i = 0; i < CDNI_COUNT(by_coordinate); i++) *by_coordinate[i] = cdni_part(base, &at, nq > nu ? nq : nu, d);
  if (!a->room) return at + CDNI_ALIGN;
  const size_t m = (size_t)a->room->m, nb = (size_t)a->m->tree.n;
  a->A = cdni_part(base, &at, nb, sizeof *a->A);
  a->member = cdni_part(base, &at, a->room->elements.count, sizeof *a->member);
  a->weights = cdni_part(base, &at, (size_t)a->m->tree.nu, d);
  a->b = cdni_part(base, &at, m, d), a->lambda = cdni_part(base, &at, m, d), a->damping = cdni_part(base, &at, m, d);
  a->pooled = cdni_part(base, &at, (size_t)cdn_system_nudoterr(a->system), d);
  return at + CDNI_ALIGN;
}

/* Which coordinate's rate each mobility is. */
static void find_slots(cdn_assembly *a) {
  for (int k = 0; k < a->nu; k++) a->slot[k] = -1, a->lower[k] = -INFINITY, a->upper[k] = INFINITY;
  for (int i = 1; a->m && i < a->m->tree.n; i++) {
    const tree_node *n = &a->m->tree.node[i];
    for (int k = cdni_first_plain_coordinate(a->m, i); k < n->nq; k++)
      a->slot[a->first_u + n->u + k - (n->nq - n->nu)] = a->first_q + n->q + k;
  }
}

static bool is_sensible(const cdn_assembly_def *def) {
  return def->tolerance > 0 && isfinite(def->tolerance) && def->accuracy > 0 && isfinite(def->accuracy) &&
         def->time_scale > 0 && isfinite(def->time_scale) && def->most_iterations > 0 && def->restarts >= 0;
}

cdn_status cdn_assembly_create(const cdn_system *system, const cdn_assembly_def *def, cdn_assembly **out) {
  cdn_assembly_def known;
  if (out) *out = NULL;
  if (!system || !out) return cdni_refuse(CDN_ERR_ARG, __func__, "the System, or where the assembly shall go, is NULL");
  if (!cdn_system_is_frozen(system))
    return cdni_refuse(CDN_ERR_NOT_FROZEN, __func__, "System '%s' is not frozen yet: call cdn_system_freeze first",
                       cdn_system_name(system));
  const char *unreadable = read_assembly_def(&known, def ? def : &assembly_def_defaults);
  if (unreadable) return cdni_refuse(CDN_ERR_VERSION, __func__, "%s", unreadable);
  def = &known;
  if (!is_sensible(def))
    return cdni_refuse(CDN_ERR_ARG, __func__,
                       "tolerance, accuracy, time_scale and most_iterations of the def are > 0, restarts is >= 0");
  const cdn_allocator *allocator = cdni_system_allocator(system);
  cdn_assembly *a = cdni_calloc(allocator, sizeof *a);
  if (!a) return cdni_refuse(CDN_ERR_NOMEM, __func__, "out of memory");
  a->system = system, a->allocator = *allocator, a->def = *def;
  cdn_system_retain(system);
  a->m = cdni_matter(system);
  a->room = cdni_constraints(system);
  if (a->room && a->room->m == 0) a->room = NULL;
  a->nq = cdn_system_nq(system), a->nu = cdn_system_nu(system);
  if (a->m) {
    const cdni_runs runs = cdni_subsystem_runs(system, a->m->subsystem);
    a->first_q = runs.q, a->first_u = runs.u;
  }
  a->block_size = lay_out(a, NULL);
  a->block = cdni_calloc(&a->allocator, a->block_size);
  if (!a->block) {
    cdn_assembly_destroy(a);
    return cdni_refuse(CDN_ERR_NOMEM, __func__, "out of memory");
  }
  lay_out(a, a->block);
  find_slots(a);
  *out = a;
  return CDN_OK;
}

void cdn_assembly_destroy(cdn_assembly *a) {
  if (!a) return;
  const cdn_system *system = a->system;
  const cdn_allocator allocator = a->allocator;
  cdni_assembly_free_goals(a);
  if (a->block) cdni_free(&allocator, a->block, a->block_size);
  cdni_free(&allocator, a->factor_block, a->factor_size);
  cdni_free(&allocator, a, sizeof *a);
  cdn_system_release(system);
}

/* ---- slots ---------------------------------------------------------------------------------- */

static bool find_body(cdn_assembly *a, const char *function, const char *name, cdn_body body) {
  if (cdni_body_exists(a->m, body)) return true;
  cdni_assembly_fail(a, CDN_ERR_ARG, function, name, "there is no body %d in this System", (int)body.i);
  return false;
}

bool cdni_assembly_slots(cdn_assembly *a, const char *function, const char *name, cdn_body body, int k, bool coordinate,
                         int32_t *q, int32_t *u) {
  if (!find_body(a, function, name, body)) return false;
  const tree_node *n = &a->m->tree.node[body.i];
  const int ahead = coordinate ? n->nq - n->nu : 0;
  char reason[300];
  if (cdni_body_lacks_slot(a->system, body, k, coordinate ? "use an orientation sensor, or lock the whole joint" : NULL,
                           reason, sizeof reason)) {
    cdni_assembly_fail(a, CDN_ERR_ARG, function, name ? name : cdn_body_mobilizer_name(a->system, body), "%s", reason);
    return false;
  }
  *u = a->first_u + n->u + k - ahead;
  *q = a->slot[*u];
  return true;
}

/* ---- locks and bounds ----------------------------------------------------------------------- */

static cdn_status no_assembly(const char *function) {
  return cdni_refuse(CDN_ERR_ARG, function, "the assembly is NULL");
}

cdn_status cdn_assembly_lock(cdn_assembly *a, cdn_body body, bool locked) {
  if (!a) return no_assembly("cdn_assembly_lock");
  if (!find_body(a, "cdn_assembly_lock", NULL, body)) return CDN_ERR_ARG;
  const tree_node *n = &a->m->tree.node[body.i];
  for (int k = 0; k < n->nu; k++) a->locked[a->first_u + n->u + k] = locked;
  return CDN_OK;
}

cdn_status cdn_assembly_lock_coordinate(cdn_assembly *a, cdn_body body, int k, bool locked) {
  int32_t q, u;
  if (!a) return no_assembly(__func__);
  if (!cdni_assembly_slots(a, __func__, NULL, body, k, true, &q, &u)) return CDN_ERR_ARG;
  a->locked[u] = locked;
  return CDN_OK;
}

cdn_status cdn_assembly_set_bounds(cdn_assembly *a, cdn_body body, int k, double lower, double upper) {
  int32_t q, u;
  if (!a) return no_assembly(__func__);
  if (!cdni_assembly_slots(a, __func__, NULL, body, k, true, &q, &u)) return CDN_ERR_ARG;
  if (isnan(lower) || isnan(upper))
    return cdni_assembly_fail(a, CDN_ERR_NONFINITE, __func__, NULL, "the bounds are %g and %g", lower, upper);
  if (lower > upper || lower == INFINITY || upper == -INFINITY)
    return cdni_assembly_fail(a, CDN_ERR_ARG, __func__, cdn_body_mobilizer_name(a->system, body),
                              "the bounds %g and %g leave no value", lower, upper);
  a->lower[u] = lower, a->upper[u] = upper;
  a->bounded = false;
  for (int i = 0; i < a->nu; i++) a->bounded = a->bounded || a->lower[i] > -INFINITY || a->upper[i] < INFINITY;
  return CDN_OK;
}
