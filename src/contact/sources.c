/* Sources of contacts of the user's: each is a subsystem, whose contacts are an entry of its own, so that it is called
 * again only where something that it reads has changed. They are put among the contacts of pairs. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "contact/sources.h"

#include "contact/laws.h"
#include "contact/materials.h"
#include "contact/points.h"
#include "contact/touch.h"
#include "rooms.h"

CDNI_DEF(contact_source_def);

/* A contact of a source, in the order of its two shapes. */
typedef struct source_contact {
  int32_t a, b, feature, unused;
  cdn_vec3 point, normal;
  double depth, elastic, energy, damping, friction[5], curvature[2];
} source_contact;

static const contact_source *source_at(const contact_room *room, int i) {
  return cdn_subsystem_self(room->system, CDNI_AT(room->sources, cdn_subsystem, i));
}

const char *cdni_contact_source_name(const contact_room *room) {
  return room && room->sources.count > 0 ? source_at(room, 0)->name : NULL;
}

bool cdni_contact_reads(const contact_room *room) {
  for (int i = 0; room && i < (int)room->sources.count; i++)
    if (source_at(room, i)->n_reads > 0) return true;
  return false;
}

/* ---- one source ---- */

struct cdn_source_output {
  const contact_source *source;
  const contact_room *room;
  cdn_region_output *out;
};

static cdn_status wrong(const cdn_source_output *out, const char *reason) {
  return cdni_refuse(CDN_ERR_ARG, "cdn_source_add", "source '%s': %s", out->source->name, reason);
}

cdn_status cdn_source_add(cdn_source_output *out, cdn_shape a, cdn_shape b, const cdn_law_contact *contact) {
  CDNI_NEED_OBJECT(out, CDN_ERR_ARG);
  CDNI_NEED_OBJECT(contact, CDN_ERR_ARG);
  const contact_room *room = out->room;
  const shape *first = cdni_shape_at(room, a), *second = cdni_shape_at(room, b);
  if (!first || !second) return wrong(out, "a contact has a shape that this System does not have");
  if (room->group[first->body] == room->group[second->body])
    return wrong(out, "the two shapes of a contact are on one body, or on bodies that are welded together");
  cdn_law_contact c;
  const char *reason = cdni_own_contact_read(&c, contact);
  if (!reason) reason = cdni_own_contact_check(&c, INFINITY, NULL);
  if (!reason && (c.feature < 0 || c.feature >= SOURCE_FEATURES)) reason = "a feature must be from 0 to 2^24 - 1";
  if (reason) return wrong(out, reason);
  void *place;
  CDNI_TRY(cdn_region_output_add(out->out, 1, &place));
  const bool in_order = a.i < b.i;
  *(source_contact *)place = (source_contact){ .a = in_order ? a.i : b.i,
                                               .b = in_order ? b.i : a.i,
                                               .feature = (out->source->i + 1) * SOURCE_FEATURES + c.feature,
                                               .point = c.point,
                                               .normal = cdn_scale((in_order ? 1 : -1) / cdn_norm(c.normal), c.normal),
                                               .depth = c.depth,
                                               .elastic = c.elastic,
                                               .energy = c.energy,
                                               .damping = c.damping,
                                               .friction = { c.static_friction, c.dynamic_friction, c.viscous_friction,
                                                             c.torsional_friction, c.rolling_friction },
                                               .curvature = { c.curvature[0], c.curvature[1] } };
  return CDN_OK;
}

static cdn_status find(const void *self, cdn_state *state, cdn_region_output *out) {
  const contact_source *s = self;
  cdn_source_output to = { s, cdni_contact(cdn_state_system(state)), out };
  cdni_state_clear_error(state);
  const cdn_status status = s->find(s->self, state, &to);
  if (status == CDN_OK) return CDN_OK;
  cdn_error on_state, of_thread;
  cdn_state_last_error(state, &on_state);
  cdn_last_error(&of_thread);
  const cdn_error *e = on_state.code == status ? &on_state : &of_thread;
  char text[sizeof e->text];
  snprintf(text, sizeof text, "%s", e->code == status && e->text[0] ? e->text : "it told no reason");
  return cdni_state_fail(state, status, on_state.code == status && on_state.recoverable, "cdn_contact_count", s->name,
                         "source of contacts '%s' failed: %s", s->name, text);
}

/* ---- among those of pairs ---- */

static int compare(const void *x, const void *y) {
  const source_contact *s = *(const source_contact *const *)x, *t = *(const source_contact *const *)y;
  if (s->a != t->a) return (s->a > t->a) - (s->a < t->a);
  if (s->b != t->b) return (s->b > t->b) - (s->b < t->b);
  return (s->feature > t->feature) - (s->feature < t->feature);
}

/* What a contact, or a touch, begins with. */
typedef struct identity {
  int32_t a, b, feature;
} identity;
_Static_assert(offsetof(touch, feature) == offsetof(identity, feature), "a touch begins with what it is of");
_Static_assert(offsetof(contact_point, feature) == offsetof(identity, feature), "a point as well");

typedef struct view {
  const contact_room *room;
  const shape_place *places;
  const shape_pose *poses;
  const double *soft, *soft_pairs, *pair_numbers;
  bool reads; /* see cdni_contact_reads */
} view;

/* Makes an element of a source's contact; *there false: it is too far away. */
typedef cdn_status make_fn(const view *v, cdn_state *state, const source_contact *c, void *element, bool *there);

static cdn_status make_point(const view *v, cdn_state *state, const source_contact *c, void *element, bool *there) {
  const int pair = cdni_contact_pair_of(v->room, c->a, c->b);
  const double *a = v->soft + SOFT_NUMBERS * c->a, *b = v->soft + SOFT_NUMBERS * c->b;
  const double *of_pair = pair < 0 ? NULL : v->soft_pairs + SOFT_PAIR_NUMBERS * pair;
  contact_point *p = element;
  (void)state;
  *there = -c->depth < cdni_soft_margin(a, b, of_pair);
  if (!*there) return CDN_OK;
  *p = cdni_contact_point_between(v->room, c->a, c->b, a, b, of_pair);
  p->feature = c->feature, p->point = c->point, p->normal = c->normal, p->distance = -c->depth;
  cdni_contact_point_tangents(fabs(c->normal.y) < 0.5 ? cdn_v3(0, 1, 0) : cdn_v3(0, 0, 1), p);
  return CDN_OK;
}

static cdn_status make_touch(const view *v, cdn_state *state, const source_contact *from, void *element, bool *there) {
  *there = from->depth > 0;
  if (!*there) return CDN_OK;
  const touch_pair pair = touch_pair_of(v->room, v->places, v->poses, v->pair_numbers, from->a, from->b);
  const combined_material m = cdni_combine_materials(&pair);
  cdn_law_contact c = cdn_default_law_contact();
  c.feature = from->feature, c.point = from->point, c.normal = from->normal, c.depth = from->depth;
  c.elastic = from->elastic, c.energy = from->energy, c.damping = from->damping;
  c.static_friction = from->friction[0], c.dynamic_friction = from->friction[1];
  c.viscous_friction = from->friction[2], c.torsional_friction = from->friction[3];
  c.rolling_friction = from->friction[4];
  c.curvature[0] = from->curvature[0], c.curvature[1] = from->curvature[1];
  touch *t = element;
  const char *reason = cdni_own_contact_check(&c, 0, &m);
  if (!reason) reason = cdni_own_touch(&pair, NULL, &c, &m, t);
  if (v->reads) t->energy = NAN;
  return reason ? cdni_state_fail(state, CDN_ERR_ARG, false, "cdn_contact_count", NULL,
                                  "a contact of a source of contacts: %s", reason)
                : CDN_OK;
}

/* All contacts of sources, in order. */
static cdn_status list_contacts(const contact_room *room, cdn_state *state, const source_contact **list) {
  const double *enabled = cdn_state_parameters(state, room->enabled);
  int at = 0, n;
  for (int i = 0; i < (int)room->sources.count; i++) {
    const void *elements;
    CDNI_TRY(cdn_region_eval(state, source_at(room, i)->found, &elements, &n));
    for (int k = 0; k < n; k++) {
      const source_contact *c = (const source_contact *)elements + k;
      if (enabled[c->a] != 0 && enabled[c->b] != 0) list[at++] = c;
    }
  }
  if (at > 1) qsort(list, (size_t)at, sizeof *list, compare);
  for (int k = 1; k < at; k++)
    if (compare(&list[k - 1], &list[k]) == 0)
      return cdni_state_fail(
          state, CDN_ERR_ARG, false, "cdn_contact_count", NULL,
          "source of contacts '%s': two contacts of shapes '%s' and '%s' have the feature %d: give each its own",
          source_at(room, list[k]->feature / SOURCE_FEATURES - 1)->name, CDNI_AT(room->shapes, shape, list[k]->a).name,
          CDNI_AT(room->shapes, shape, list[k]->b).name, (int)(list[k]->feature % SOURCE_FEATURES));
  list[at] = NULL;
  return CDN_OK;
}

static bool precedes(const identity *p, const source_contact *c) {
  return !c || p->a < c->a || (p->a == c->a && (p->b < c->b || (p->b == c->b && p->feature < c->feature)));
}

static cdn_status merge_lists(const view *v, cdn_state *state, make_fn *make, size_t size, const char *elements, int n,
                              const source_contact *const *list, cdn_region_output *out) {
  union {
    contact_point point;
    touch touch;
  } made;
  void *place;
  for (int i = 0; i < n || *list;) {
    const void *from;
    if (i < n && precedes((const void *)(elements + (size_t)i * size), *list)) from = elements + (size_t)i++ * size;
    else {
      bool there;
      CDNI_TRY(make(v, state, *list++, &made, &there));
      if (!there) continue;
      from = &made;
    }
    CDNI_TRY(cdn_region_output_add(out, 1, &place));
    memcpy(place, from, size);
  }
  return CDN_OK;
}

static cdn_status merge(const void *self, cdn_state *state, make_fn *make, size_t size, cdn_region_output *out) {
  const contact_room *room = contact_of(self);
  const void *elements;
  int n, most = 1, found;
  CDNI_TRY(cdni_state_ensure(state, room->poses.ticket));
  CDNI_TRY(cdni_state_ensure(state, room->places.ticket));
  CDNI_TRY(cdn_region_eval(state, room->of_pairs, &elements, &n));
  for (int i = 0; i < (int)room->sources.count; i++) {
    CDNI_TRY(cdn_region_eval(state, source_at(room, i)->found, NULL, &found));
    most += found;
  }
  const bool soft = cdni_contact_any_soft(room);
  const view v = { .room = room,
                   .places = cdni_state_storage(state, room->places),
                   .poses = cdni_state_storage(state, room->poses),
                   .soft = soft ? cdn_state_parameters(state, room->soft) : NULL,
                   .soft_pairs = soft ? cdn_state_parameters(state, room->soft_pairs) : NULL,
                   .pair_numbers = cdn_state_parameters(state, room->pair_numbers),
                   .reads = cdni_contact_reads(room) };
  const source_contact **list = cdn_work_push(state, (size_t)most * sizeof *list);
  if (!list) return CDN_ERR_NOMEM;
  cdn_status status = list_contacts(room, state, list);
  if (status == CDN_OK) status = merge_lists(&v, state, make, size, elements, n, list, out);
  cdn_work_pop(state, list);
  return status;
}

cdn_status cdni_contact_merge_points(const void *self, cdn_state *state, cdn_region_output *out) {
  return merge(self, state, make_point, sizeof(contact_point), out);
}

cdn_status cdni_contact_merge_touches(const void *self, cdn_state *state, cdn_region_output *out) {
  return merge(self, state, make_touch, sizeof(touch), out);
}

/* ---- a source as a subsystem ---- */

static cdn_status declare(void *self, cdn_declarer *d) {
  contact_source *s = self;
  const cdn_system *system = cdni_declarer_system(d);
  if (cdni_contact(system)->shapes.count == 0)
    return cdn_declare_error(d, CDN_ERR_ARG,
                             "source of contacts '%s': its contacts are of shapes, and there are none: add them by "
                             "cdn_system_add_shape (with type and affinity 0 they touch nothing else)",
                             s->name);
  if (!cdni_matter(system)) return CDN_OK;
  const cdn_ticket reads[] = { CDN_POSE, cdn_stage_ticket(CDN_STAGE_INSTANCE) };
  s->found = cdn_declare_computed_region(d, "found", sizeof(source_contact), find, 2, reads, CDN_STAGE_EMPTY);
  for (int i = 0; i < s->n_reads; i++)
    cdni_declare_prerequisite(d, (cdn_cache){ s->found.of, s->found.ticket }, s->reads[i]);
  return CDN_OK;
}

void cdni_contact_sources_declare(contact_room *room, cdn_declarer *d) {
  for (int i = 0; i < (int)room->sources.count; i++) {
    const contact_source *s = source_at(room, i);
    const cdn_cache entry = { s->found.of, s->found.ticket };
    cdni_declare_prerequisite(d, entry, room->poses.ticket);
    cdni_declare_prerequisite(d, entry, room->sizes.ticket);
  }
}

void cdni_contact_sources_precede(const contact_room *room, cdn_declarer *d, cdn_computed_region region) {
  for (int i = 0; i < (int)room->sources.count; i++)
    cdni_declare_prerequisite(d, (cdn_cache){ region.of, region.ticket }, source_at(room, i)->found.ticket);
}

static void describe(const void *self, const cdn_system *system, cdn_description *d) {
  (void)system;
  cdn_describe(d, ((const contact_source *)self)->name, "a source of contacts");
}

static void give_back(const cdn_allocator *a, contact_source *s) {
  cdni_strfree(a, s->name);
  if (s->self_size > 0 && s->self) cdni_free(a, s->self, s->self_size);
  if (s->reads) cdni_free(a, s->reads, (size_t)s->n_reads * sizeof *s->reads);
}

static void destroy(void *self) {
  contact_source *s = self;
  give_back(cdni_system_allocator(s->system), s);
}

/* ---- adding ---- */

static bool check_def(cdni_adder *by, const contact_room *room, const cdn_contact_source_def *d) {
  if (!d->find) cdni_adder_refuse(by, CDN_ERR_ARG, "it has no function `find`");
  else if (d->self_size > 0 && !d->self) cdni_adder_refuse(by, CDN_ERR_ARG, "self is NULL, but self_size is not 0");
  else if (d->n_reads < 0 || (d->n_reads > 0 && !d->reads))
    cdni_adder_refuse(by, CDN_ERR_ARG, "n_reads is %d%s", d->n_reads, d->reads ? "" : ", but there is no list of them");
  else if (room->sources.count >= MOST_SOURCES)
    cdni_adder_refuse(by, CDN_ERR_LIMIT, "a System has at most %d sources", MOST_SOURCES);
  return by->ok;
}

void cdn_system_add_contact_source(cdn_system *system, const cdn_contact_source_def *def) {
  CDNI_NEED_OBJECT_OR_NOTHING(system);
  cdni_adder by;
  contact_room *room = cdni_adder_begin(&by, system, CDNI_ROOM_CONTACT, __func__, "source");
  if (!room) return;
  cdn_contact_source_def d;
  const char *unreadable =
      def ? read_contact_source_def(&d, def) : "no def is given: start with cdn_default_contact_source_def()";
  if (unreadable) {
    cdni_adder_fail_unreadable(&by, def, unreadable);
    return;
  }
  cdni_adder_name(&by, d.name, room->sources.count);
  if (!check_def(&by, room, &d)) return;
  const cdn_allocator *a = cdni_system_allocator(system);
  const size_t size = (size_t)d.n_reads * sizeof *d.reads;
  contact_source s = { .system = system,
                       .name = cdni_strdup(a, by.name),
                       .find = d.find,
                       .self = d.self_size > 0 ? cdni_alloc(a, d.self_size) : (void *)(uintptr_t)d.self,
                       .self_size = d.self_size,
                       .reads = d.n_reads > 0 ? cdni_alloc(a, size) : NULL,
                       .n_reads = d.n_reads,
                       .i = (int32_t)room->sources.count };
  cdn_subsystem *id = cdni_array_extend(a, &room->sources, sizeof *id, 1);
  if (!id || !s.name || (d.self_size > 0 && !s.self) || (d.n_reads > 0 && !s.reads)) {
    give_back(a, &s);
    cdni_system_fail(system, CDN_ERR_NOMEM, __func__, by.name, "out of memory");
    return;
  }
  if (d.self_size > 0) memcpy(s.self, d.self, d.self_size);
  if (size > 0) memcpy(s.reads, d.reads, size);
  const cdn_subsystem_ops ops = { .struct_size = sizeof ops,
                                  .name = by.name,
                                  .self_size = sizeof s,
                                  .declare = declare,
                                  .describe = describe,
                                  .destroy = destroy };
  *id = cdn_system_add_subsystem(system, &ops, &s);
  if (id->i < 0) give_back(a, &s);
}
