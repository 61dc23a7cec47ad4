/* Laws of contact of the user's, each between two kinds of geometry or two shapes. */
#include <cardan/contact_law.h>
#include <math.h>
#include <stdio.h>

#include "contact/law_kinds.h"
#include "contact/laws.h"
#include "contact/materials.h"
#include "contact/pairs.h"
#include "contact/room.h"
#include "contact/touch.h"
#include "rooms.h"

CDNI_DEF(law_contact, .energy = NAN, .static_friction = -1, .dynamic_friction = -1, .viscous_friction = -1,
         .torsional_friction = -1, .rolling_friction = -1);
CDNI_DEF(contact_law_def, .a = (cdn_geometry_kind)-1, .b = (cdn_geometry_kind)-1, .shape_a = { -1 }, .shape_b = { -1 });

/* ---- those of a System ---- */

void cdni_contact_free_laws(cdn_system *system, contact_room *room) {
  const cdn_allocator *a = cdni_system_allocator(system);
  for (size_t i = 0; i < room->laws.count; i++) {
    own_law *law = &CDNI_AT(room->laws, own_law, i);
    cdni_strfree(a, law->name);
    if (law->self_size > 0) cdni_free(a, law->self, law->self_size);
  }
  cdni_array_free(a, &room->laws);
}

const own_law *cdni_contact_own_law(const contact_room *room, cdn_geometry_kind a, cdn_geometry_kind b) {
  for (size_t i = 0; i < room->laws.count; i++) {
    const own_law *law = &CDNI_AT(room->laws, own_law, i);
    if (law->shapes[0] < 0 && ((law->a == a && law->b == b) || (law->a == b && law->b == a))) return law;
  }
  return NULL;
}

/* ---- of two shapes ---- */

static bool is_of_shapes(const own_law *law) { return law->shapes[0] >= 0; }

const contact_law *cdni_contact_law_of_shapes(const contact_room *room, int i, int j) {
  for (size_t k = 0; k < room->laws.count; k++) {
    const own_law *law = &CDNI_AT(room->laws, own_law, k);
    if ((law->shapes[0] == i && law->shapes[1] == j) || (law->shapes[0] == j && law->shapes[1] == i)) return &law->law;
  }
  return NULL;
}

/* ---- acting ---- */

struct cdn_law_output {
  own_contact_fn *add;
  void *context;
  const touch_pair *pair;
  const own_law *law;
  bool turned; /* the law's a is the pair's second shape */
  combined_material m;
  double margin;
  int32_t last; /* feature */
};

static cdn_status wrong(const touch_pair *pair, const char *reason) {
  const contact_room *room = pair->room;
  return cdni_refuse(CDN_ERR_ARG, "cdn_law_add", "law '%s' of shapes '%s' and '%s': %s", pair->law->name,
                     CDNI_AT(room->shapes, shape, pair->shape[0]).name,
                     CDNI_AT(room->shapes, shape, pair->shape[1]).name, reason);
}

static bool is_finite(cdn_vec3 v) { return isfinite(v.x) && isfinite(v.y) && isfinite(v.z); }

const char *cdni_own_contact_read(cdn_law_contact *c, const cdn_law_contact *given) {
  return read_law_contact(c, given);
}

const char *cdni_own_contact_check(cdn_law_contact *c, double margin, const combined_material *m) {
  if (!is_finite(c->point) || !is_finite(c->normal)) return "the point or the normal is not finite";
  if (!(fabs(cdn_norm(c->normal) - 1) < 1e-6)) return "the normal is no unit vector";
  if (!(c->depth >= -margin) || !isfinite(c->depth)) return "the depth must be a finite number >= 0, or >= -margin";
  const double numbers[] = { c->elastic, c->damping, c->curvature[0], c->curvature[1] };
  for (int i = 0; i < CDNI_COUNT(numbers); i++)
    if (!(numbers[i] >= 0) || !isfinite(numbers[i]))
      return "elastic force, damping and curvatures must be finite numbers >= 0";
  if (c->curvature[1] > c->curvature[0] || (c->curvature[0] > 0) != (c->curvature[1] > 0))
    return "of two curvatures the first must be the larger one, and both be above 0, or 0";
  double *friction[] = { &c->static_friction, &c->dynamic_friction, &c->viscous_friction, &c->torsional_friction,
                         &c->rolling_friction };
  for (int i = 0; i < CDNI_COUNT(friction); i++) {
    if (*friction[i] == -1 && !m) continue;
    if (*friction[i] == -1) *friction[i] = i < 3 ? m->friction[i] : i == 3 ? m->torsional : m->rolling;
    if (!(*friction[i] >= 0) || !isfinite(*friction[i]))
      return "a coefficient of friction must be a finite number >= 0, or -1: that of the materials";
  }
  return isinf(c->energy) ? "the energy is infinite: give NaN if nobody computes it" : NULL;
}

cdn_status cdn_law_add(cdn_law_output *out, const cdn_law_contact *contact) {
  CDNI_NEED_OBJECT(out, CDN_ERR_ARG);
  CDNI_NEED_OBJECT(contact, CDN_ERR_ARG);
  cdn_law_contact c;
  const char *reason = read_law_contact(&c, contact);
  if (!reason) reason = cdni_own_contact_check(&c, out->margin, &out->m);
  if (!reason && c.feature <= out->last)
    reason = "features must be >= 0, and ascend from one contact of the pair to the next";
  if (reason) return wrong(out->pair, reason);
  out->last = c.feature;
  c.normal = cdn_scale((out->turned ? -1 : 1) / cdn_norm(c.normal), c.normal);
  return out->add(out->context, &c, &out->m);
}

/* Calls the user's function. */
static cdn_status run(const touch_pair *pair, double margin, own_contact_fn *add, void *context) {
  const contact_room *room = pair->room;
  const own_law *law = (const own_law *)pair->law;
  const bool first = is_of_shapes(law) ? pair->shape[0] == law->shapes[0] : pair->g[0]->kind == law->a;
  const int a = first ? 0 : 1, b = 1 - a;
  cdn_law_output result = { .add = add,
                            .context = context,
                            .pair = pair,
                            .law = law,
                            .turned = a == 1,
                            .m = cdni_combine_materials(pair),
                            .margin = margin,
                            .last = -1 };
  const combined_material *m = &result.m;
  const cdn_contact_material of_a = cdni_contact_material_of(pair->material[a]),
                             of_b = cdni_contact_material_of(pair->material[b]);
  cdn_contact_material both = cdn_default_contact_material();
  both.modulus = m->modulus, both.dissipation = m->dissipation;
  both.static_friction = m->friction[0], both.dynamic_friction = m->friction[1], both.viscous_friction = m->friction[2];
  both.torsional_friction = m->torsional, both.rolling_friction = m->rolling;
  const cdn_law_input in = { .system = room->system,
                             .a = { pair->shape[a] },
                             .b = { pair->shape[b] },
                             .geometry_a = pair->g[a],
                             .geometry_b = pair->g[b],
                             .X_GA = *pair->X[a],
                             .X_GB = *pair->X[b],
                             .material_a = &of_a,
                             .material_b = &of_b,
                             .combined = &both,
                             .margin = margin };
  return law->find(law->self, &in, &result);
}

cdn_status cdni_own_law_contacts(const touch_pair *pair, cdn_state *state, double margin, own_contact_fn *add,
                                 void *context) {
  const cdn_status status = run(pair, margin, add, context);
  if (status == CDN_OK) return CDN_OK;
  cdn_error error;
  cdn_last_error(&error);
  const bool told = error.code == status && error.text[0];
  return cdni_state_fail(
      state, status, false, "cdn_contact_count", pair->law->name, "law '%s' of shapes '%s' and '%s' failed: %s",
      pair->law->name, CDNI_AT(pair->room->shapes, shape, pair->shape[0]).name,
      CDNI_AT(pair->room->shapes, shape, pair->shape[1]).name, told ? error.text : "it told no reason");
}

/* ---- touches ---- */

/* What the pressure of a law says of a contact; of a law without one, Hertz's by the curvatures, or the spring that has
 * the contact's force. Returns NULL, or what is wrong. */
static const char *press(const own_law *law, const combined_material *m, const cdn_law_contact *c, touch *t) {
  const pressure_law *p = law ? &law->pressure : NULL;
  if (p && p->pressure) {
    memcpy(t->numbers, c->numbers, sizeof t->numbers);
    t->law = law->law.pressure;
    t->elastic = law_force(p, t->numbers, t->depth, 0);
    t->energy = p->potential ? p->potential(t->numbers, t->depth) : NAN;
  } else if (c->curvature[0] > 0) cdni_hertz_touch(m, 1, c->curvature, t->depth, t);
  else {
    const double spring[CDN_LAW_NUMBERS] = { c->elastic, c->damping, c->depth };
    memcpy(t->numbers, spring, sizeof t->numbers);
    t->law = LAW_SPRING, t->elastic = c->elastic, t->energy = c->energy;
  }
  return isfinite(t->elastic) ? NULL : "its pressure is not finite";
}

const char *cdni_own_touch(const touch_pair *pair, const own_law *law, const cdn_law_contact *c,
                           const combined_material *m, touch *out) {
  *out =
      (touch){ .a = pair->shape[0],
               .b = pair->shape[1],
               .feature = c->feature,
               .point = c->point,
               .normal = c->normal,
               .tangent = contact_tangent(c->normal),
               .depth = c->depth,
               .friction = { fmax(c->static_friction, c->dynamic_friction), c->dynamic_friction, c->viscous_friction },
               .torsional = c->torsional_friction,
               .rolling = c->rolling_friction,
               .modulus = m->modulus };
  return press(law, m, c, out);
}

/* Where touches go. */
typedef struct touch_sink {
  const touch_pair *pair;
  cdn_region_output *out; /* NULL: one touch is wanted, */
  touch *one;             /* which goes here; */
  int wanted;             /* its feature, or -1: the deepest one */
  bool found;
} touch_sink;

static cdn_status add_touch(void *context, const cdn_law_contact *c, const combined_material *m) {
  touch_sink *to = context;
  touch t;
  void *place = to->one;
  const char *reason = cdni_own_touch(to->pair, (const own_law *)to->pair->law, c, m, &t);
  if (reason) return wrong(to->pair, reason);
  if (to->out) CDNI_TRY(cdn_region_output_add(to->out, 1, &place));
  else if (to->wanted >= 0 ? t.feature != to->wanted : to->found && !(t.depth > to->one->depth)) return CDN_OK;
  to->found = true;
  *(touch *)place = t;
  return CDN_OK;
}

static cdn_status find(const touch_pair *pair, cdn_state *state, cdn_region_output *out) {
  touch_sink to = { .pair = pair, .out = out };
  return cdni_own_law_contacts(pair, state, 0, add_touch, &to);
}

bool cdni_is_own_law(const contact_law *law) { return law && law->find == find; }

static bool find_again(const touch_pair *pair, int feature, touch *out) {
  touch_sink to = { .pair = pair, .one = out, .wanted = feature };
  return run(pair, 0, add_touch, &to) == CDN_OK && to.found;
}

static double force_at(const touch_pair *pair, double depth, const cdn_proximity *near) {
  const cdn_transform X_b = pose_at_depth(pair, depth, near);
  touch_pair there = *pair;
  touch t;
  there.X[1] = &X_b;
  return find_again(&there, -1, &t) ? t.elastic : NAN;
}

/* ---- adding ---- */

/* Between what it acts: two kinds, or two shapes, whose kinds are then put into the def. */
static void check_sides(cdni_adder *by, const contact_room *room, cdn_contact_law_def *d) {
  const int shapes = (int)room->shapes.count, i = d->shape_a.i, j = d->shape_b.i;
  if (i == -1 && j == -1) {
    if ((unsigned)d->a >= CDN_GEOMETRY_KIND_COUNT || (unsigned)d->b >= CDN_GEOMETRY_KIND_COUNT) {
      cdni_adder_refuse(by, CDN_ERR_ARG, "give two kinds of geometry, a and b: they are %d and %d", (int)d->a,
                        (int)d->b);
      return;
    }
    const own_law *other = cdni_contact_own_law(room, d->a, d->b);
    if (other)
      cdni_adder_refuse(by, CDN_ERR_ARG, "'%s' is the law of a %s and a %s already: a System has one law for two kinds",
                        other->name, cdn_geometry_kind_name(d->a), cdn_geometry_kind_name(d->b));
    return;
  }
  cdni_adder_check_there(by, "shape", i, shapes);
  cdni_adder_check_there(by, "shape", j, shapes);
  if (!by->ok) return;
  const shape *a = cdni_shape_at(room, d->shape_a), *b = cdni_shape_at(room, d->shape_b);
  const contact_law *other = cdni_contact_law_of_shapes(room, i, j);
  if (i == j) cdni_adder_refuse(by, CDN_ERR_ARG, "both of its shapes are '%s': give two", a->name);
  else if (other)
    cdni_adder_refuse(by, CDN_ERR_ARG, "'%s' is the law of shapes '%s' and '%s' already", other->name, a->name,
                      b->name);
  d->a = a->geometry.kind, d->b = b->geometry.kind;
}

static void check_functions(cdni_adder *by, const cdn_contact_law_def *d) {
  if (!d->find || (d->self_size > 0 && !d->self))
    cdni_adder_refuse(by, CDN_ERR_ARG, d->find ? "self is NULL, but self_size is not 0" : "it has no function `find`");
  else if (!d->pressure && (d->slopes || d->potential || d->bends))
    cdni_adder_refuse(by, CDN_ERR_ARG, "it has %s, but no function `pressure`: set that too",
                      d->slopes      ? "slopes"
                      : d->potential ? "a potential"
                                     : "bends");
}

void cdn_system_add_contact_law(cdn_system *system, const cdn_contact_law_def *def) {
  CDNI_NEED_OBJECT_OR_NOTHING(system);
  cdni_adder by;
  contact_room *room = cdni_adder_begin(&by, system, CDNI_ROOM_CONTACT, __func__, "law");
  if (!room) return;
  cdn_contact_law_def d;
  const char *unreadable =
      def ? read_contact_law_def(&d, def) : "no def is given: start with cdn_default_contact_law_def()";
  if (unreadable) {
    cdni_adder_fail_unreadable(&by, def, unreadable);
    return;
  }
  cdni_adder_name(&by, d.name, room->laws.count);
  check_sides(&by, room, &d);
  check_functions(&by, &d);
  if (!by.ok) return;
  const cdn_allocator *a = cdni_system_allocator(system);
  own_law law = { .name = cdni_strdup(a, by.name), .a = d.a, .b = d.b, .find = d.find, .self_size = d.self_size };
  law.shapes[0] = d.shape_a.i, law.shapes[1] = d.shape_b.i;
  law.pressure = (pressure_law){ law.name, CDN_LAW_NUMBERS, d.pressure, d.slopes, d.potential, d.bends };
  law.law = (contact_law){ .name = law.name,
                           .find = find,
                           .touch = find_again,
                           .pressure = (int16_t)(d.pressure ? LAW_COUNT + (int)room->laws.count : LAW_SPRING),
                           .features = 1,
                           .force = force_at };
  law.self = d.self_size > 0 ? cdni_alloc(a, d.self_size) : (void *)(uintptr_t)d.self;
  if (law.name && (d.self_size == 0 || law.self) && cdni_array_push(a, &room->laws, sizeof law, &law)) {
    if (d.self_size > 0) memcpy(law.self, d.self, d.self_size);
    room->shape_laws += is_of_shapes(&law);
    return;
  }
  cdni_strfree(a, law.name);
  if (d.self_size > 0 && law.self) cdni_free(a, law.self, d.self_size);
  cdni_system_fail(system, CDN_ERR_NOMEM, __func__, by.name, "out of memory");
}
