/* What subsystems hold in a State goes over to the subsystems of the same names of another System: auxiliary states,
 * discrete variables, regions. What the rooms hold is numbered by their elements, and is not carried here. */
#include "system/carry.h"
#include "system/structs.h"

typedef struct carrying {
  cdn_state *to;
  const cdn_state *from;
  cdni_carried_fn *tell;
  void *context;
} carrying;

static const subsystem *subsystem_at(const cdn_system *s, int i) { return &CDNI_AT(s->subsystems, subsystem, i); }

static bool is_like(const subsystem *a, const subsystem *b) {
  return !b->is_room && a->ops.declare == b->ops.declare && strcmp(a->name, b->name) == 0;
}

/* The one of this name and kind: of several, the one with as many before it. -1: there is none. */
static int find_like(const cdn_system *s, const cdn_system *other, int i) {
  const subsystem *wanted = subsystem_at(s, i);
  int before = 0;
  for (int k = 0; k < i; k++) before += is_like(wanted, subsystem_at(s, k));
  for (int k = 0; k < (int)other->subsystems.count; k++)
    if (is_like(wanted, subsystem_at(other, k)) && before-- == 0) return k;
  return -1;
}

/* Group number k of a subsystem, or NULL. */
static const z_group *group_of(const cdn_system *s, int owner, int k) {
  for (size_t i = 0; i < s->z_groups.count; i++) {
    const z_group *g = &CDNI_AT(s->z_groups, z_group, i);
    if (g->subsystem == owner && k-- == 0) return g;
  }
  return NULL;
}

static cdn_status carry_z(const carrying *c, int old, int new) {
  const cdn_system *a = c->from->system, *b = c->to->system;
  const z_group *g;
  for (int k = 0; (g = group_of(a, old, k)) != NULL; k++) {
    const z_group *h = group_of(b, new, k);
    if (!h || h->n != g->n) c->tell(c->context, subsystem_at(a, old)->name, "its auxiliary states do not fit");
    else if (g->n > 0)
      CDNI_TRY(cdn_state_set_slots(c->to, CDN_POOL_Z, h->first, h->n, cdn_state_z(c->from) + g->first));
  }
  return CDN_OK;
}

static cdn_status carry_region(const carrying *c, int32_t old, int32_t new) {
  const void *elements;
  int n;
  CDNI_TRY(cdn_region_get(c->from, (cdn_region){ 0, { old } }, &elements, &n));
  CDNI_TRY(cdn_region_resize(c->to, (cdn_region){ 0, { new } }, n));
  return n > 0 ? cdn_region_set(c->to, (cdn_region){ 0, { new } }, n, elements) : CDN_OK;
}

static int32_t find_variable(const cdn_system *s, int owner, const char *name) {
  for (size_t t = TICKET_FIRST_FREE; t < s->nodes.count; t++) {
    const node *n = node_at(s, (int32_t)t);
    if (n->kind == NODE_VARIABLE && n->subsystem == owner && strcmp(n->name, name) == 0) return (int32_t)t;
  }
  return TICKET_NONE;
}

/* Parameters go by the subsystem's elements. */
static cdn_status carry_variable(const carrying *c, int32_t ticket, int owner) {
  const cdn_system *a = c->from->system, *b = c->to->system;
  const node *x = node_at(a, ticket);
  const int32_t other = find_variable(b, owner, x->name);
  if (other == TICKET_NONE) return CDN_OK; /* one that the subsystem makes for what it found in its System */
  const node *y = node_at(b, other);
  if (y->storage != x->storage || y->size != x->size || y->element != x->element) {
    c->tell(c->context, x->name, "its variable is of another size");
    return CDN_OK;
  }
  if (x->storage == IN_REGION) return carry_region(c, ticket, other);
  return cdn_state_set_discrete(c->to, (cdn_dvar){ 0, { other } },
                                cdn_state_discrete(c->from, (cdn_dvar){ 0, { ticket } }));
}

cdn_status cdni_carry_subsystems(cdn_state *to, const cdn_state *from, cdni_carried_fn *tell, void *context) {
  const carrying c = { to, from, tell, context };
  const cdn_system *a = from->system, *b = to->system;
  for (int i = 0; i < (int)a->subsystems.count; i++) {
    const subsystem *s = subsystem_at(a, i);
    const int other = s->is_room ? -1 : find_like(a, b, i);
    if (other < 0) continue;
    CDNI_TRY(carry_z(&c, i, other));
    for (size_t t = TICKET_FIRST_FREE; t < a->nodes.count; t++) {
      const node *n = node_at(a, (int32_t)t);
      if (n->kind == NODE_VARIABLE && !n->parameters && !n->hint && n->subsystem == i)
        CDNI_TRY(carry_variable(&c, (int32_t)t, other));
    }
  }
  return CDN_OK;
}
