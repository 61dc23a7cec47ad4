/* Declaring what is not in a State's block: regions, whose length varies, and arrays that States share. */
#include <stdio.h>

#include "system/structs.h"

static const char *name_of(const cdn_declarer *d) {
  return CDNI_AT(d->system->subsystems, subsystem, d->subsystem).name;
}

/* Gives a node a slot in one of the lists of the System. */
static bool take_slot(cdn_declarer *d, cdni_array *list, int32_t ticket, storage where) {
  if (!cdni_array_push(&d->system->allocator, list, sizeof ticket, &ticket)) {
    cdn_declare_error(d, CDN_ERR_NOMEM, "out of memory");
    return false;
  }
  node *n = node_at(d->system, ticket);
  n->storage = where;
  n->slot = (int32_t)list->count - 1;
  return true;
}

/* ---- regions ---- */

static bool is_sized(cdn_declarer *d, const char *name, size_t element, int n) {
  if (element == 0) cdn_declare_error(d, CDN_ERR_ARG, "the elements of region '%s.%s' have size 0", name_of(d), name);
  else if (n < 0) cdn_declare_error(d, CDN_ERR_ARG, "region '%s.%s' has %d elements", name_of(d), name, n);
  else if (element > MOST_BYTES || (size_t)n > MOST_BYTES / element)
    cdn_declare_error(d, CDN_ERR_LIMIT,
                      "region '%s.%s' has %d elements of %zu bytes: all of them may have %zu bytes at most", name_of(d),
                      name, n, element, MOST_BYTES);
  else return true;
  return false;
}

/* What a variable or an entry of one count, declared as usual, needs to become a region. */
static void make_region(cdn_declarer *d, int32_t ticket, size_t element, cdn_region_fn *calc) {
  node *n = node_at(d->system, ticket);
  n->element = element;
  n->calc_region = calc;
  take_slot(d, &d->system->regions, ticket, IN_REGION);
}

/* The default contents take the place of the default count. */
static void set_initial(cdn_declarer *d, int32_t ticket, size_t element, int n, const void *initial) {
  node *v = node_at(d->system, ticket);
  cdni_free(&d->system->allocator, v->initial, v->initial_size);
  v->initial_size = (size_t)n * element;
  v->initial = cdni_calloc(&d->system->allocator, v->initial_size);
  if (n > 0 && !v->initial) {
    v->initial_size = 0;
    cdn_declare_error(d, CDN_ERR_NOMEM, "out of memory");
  } else if (n > 0 && initial) memcpy(v->initial, initial, v->initial_size);
}

cdn_region cdn_declare_region(cdn_declarer *d, const char *name, size_t element, int n, const void *initial,
                              cdn_stage invalidates) {
  cdn_region r = { 0, { TICKET_NONE } };
  CDNI_NEED_OBJECT(d, r);
  if (!is_sized(d, name, element, n)) return r;
  const cdn_dvar v = cdn_declare_discrete(d, name, sizeof(int64_t), NULL, invalidates);
  if (v.ticket.i == TICKET_NONE) return r;
  r = (cdn_region){ v.of, v.ticket };
  set_initial(d, r.ticket.i, element, n, initial);
  make_region(d, r.ticket.i, element, NULL);
  return r;
}

cdn_computed_region cdn_declare_computed_region(cdn_declarer *d, const char *name, size_t element, cdn_region_fn *calc,
                                                int n_prerequisites, const cdn_ticket *prerequisites, cdn_stage stage) {
  cdn_computed_region r = { 0, { TICKET_NONE } };
  CDNI_NEED_OBJECT(d, r);
  if (!is_sized(d, name, element, 0)) return r;
  const cdn_cache c = cdn_declare_eager_cache(d, name, sizeof(int64_t), calc ? cdni_calc_region : NULL, n_prerequisites,
                                              prerequisites, stage);
  if (c.ticket.i == TICKET_NONE) return r;
  r = (cdn_computed_region){ c.of, c.ticket };
  make_region(d, r.ticket.i, element, calc);
  return r;
}

cdn_auto_region cdn_declare_auto_region(cdn_declarer *d, const char *name, size_t element, int n, const void *initial,
                                        cdn_region_fn *calc, int n_prerequisites, const cdn_ticket *prerequisites) {
  cdn_auto_region r = { { 0, { TICKET_NONE } }, { 0, { TICKET_NONE } } };
  CDNI_NEED_OBJECT(d, r);
  if (!is_sized(d, name, element, n)) return r;
  const cdn_autovar v = cdn_declare_auto_update(d, name, sizeof(int64_t), NULL, calc ? cdni_calc_region : NULL,
                                                n_prerequisites, prerequisites);
  if (v.variable.ticket.i == TICKET_NONE || v.update.ticket.i == TICKET_NONE) return r;
  r.variable = (cdn_region){ v.variable.of, v.variable.ticket };
  r.update = (cdn_computed_region){ v.update.of, v.update.ticket };
  set_initial(d, r.variable.ticket.i, element, n, initial);
  make_region(d, r.variable.ticket.i, element, NULL);
  make_region(d, r.update.ticket.i, element, calc);
  node_at(d->system, r.variable.ticket.i)->partner = r.update.ticket.i;
  node_at(d->system, r.update.ticket.i)->partner = r.variable.ticket.i;
  return r;
}

cdn_computed_region cdni_declare_companion_region(cdn_declarer *d, const char *name, size_t element,
                                                  cdn_computed_region of) {
  cdn_computed_region r = { 0, { TICKET_NONE } };
  const cdn_cache c = cdni_declare_companion(d, name, sizeof(int64_t), (cdn_cache){ of.of, of.ticket });
  if (c.ticket.i == TICKET_NONE) return r;
  r = (cdn_computed_region){ c.of, c.ticket };
  make_region(d, r.ticket.i, element, NULL);
  return r;
}

void cdni_declare_unsaved(cdn_declarer *d, cdn_ticket entry) {
  if (entry.i != TICKET_NONE) node_at(d->system, entry.i)->unsaved = true;
}

/* ---- shared arrays ---- */

cdn_dvar cdn_declare_shared_parameters(cdn_declarer *d, const char *name, int n, const double *defaults) {
  CDNI_NEED_OBJECT(d, ((cdn_dvar){ 0, { TICKET_NONE } }));
  const cdn_dvar v = cdn_declare_parameters(d, name, n, defaults);
  if (v.ticket.i != TICKET_NONE) take_slot(d, &d->system->shared, v.ticket.i, SHARED);
  return v;
}
