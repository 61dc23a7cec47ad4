/* Laws of contact of the user's, each between two kinds of geometry. */
#include <cardan/contact_law.h>
#include <math.h>
#include <stdio.h>

#include "contact/law_kinds.h"
#include "contact/laws.h"
#include "contact/materials.h"
#include "contact/room.h"
#include "contact/touch.h"
#include "rooms.h"

CDNI_DEF(law_contact, .energy = NAN, .static_friction = -1, .dynamic_friction = -1, .viscous_friction = -1,
         .torsional_friction = -1, .rolling_friction = -1);
CDNI_DEF(contact_law_def, .a = (cdn_geometry_kind)-1, .b = (cdn_geometry_kind)-1);

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
    if ((law->a == a && law->b == b) || (law->a == b && law->b == a)) return law;
  }
  return NULL;
}

/* ---- acting ---- */

struct cdn_law_output {
  cdn_region_output *out; /* NULL: one touch is wanted, */
  touch *one;             /* which goes here; */
  int wanted;             /* its feature, or -1: the deepest one */
  bool found;
  const touch_pair *pair;
  const own_law *law;
  bool turned; /* the law's a is the pair's second shape */
  combined_material m;
  int32_t last; /* feature */
};

static cdn_status wrong(const cdn_law_output *out, const char *reason) {
  const contact_room *room = out->pair->room;
  return cdni_refuse(CDN_ERR_ARG, "cdn_law_add", "law '%s' of shapes '%s' and '%s': %s", out->law->name,
                     CDNI_AT(room->shapes, shape, out->pair->shape[0]).name,
                     CDNI_AT(room->shapes, shape, out->pair->shape[1]).name, reason);
}

static bool is_finite(cdn_vec3 v) { return isfinite(v.x) && isfinite(v.y) && isfinite(v.z); }

/* What the pressure of a law says of a contact; of a law without one, the spring that has the contact's force. Returns
 * NULL, or what is wrong. */
static const char *follow(const own_law *law, cdn_law_contact *c) {
  const pressure_law *p = &law->pressure;
  if (!p->pressure) {
    const double spring[CDN_LAW_NUMBERS] = { c->elastic, c->damping, c->depth };
    memcpy(c->numbers, spring, sizeof spring);
    return NULL;
  }
  c->elastic = law_force(p, c->numbers, c->depth, 0);
  c->energy = p->potential ? p->potential(c->numbers, c->depth) : NAN;
  return isfinite(c->elastic) ? NULL : "its pressure is not finite";
}

static cdn_status put(cdn_law_output *out, const touch *t) {
  void *place = out->one;
  if (out->out) CDNI_TRY(cdn_region_output_add(out->out, 1, &place));
  else if (out->wanted >= 0 ? t->feature != out->wanted : out->found && !(t->depth > out->one->depth)) return CDN_OK;
  out->found = true;
  *(touch *)place = *t;
  return CDN_OK;
}

cdn_status cdn_law_add(cdn_law_output *out, const cdn_law_contact *contact) {
  CDNI_NEED_OBJECT(out, CDN_ERR_ARG);
  CDNI_NEED_OBJECT(contact, CDN_ERR_ARG);
  cdn_law_contact c;
  const char *unreadable = read_law_contact(&c, contact);
  if (unreadable) return wrong(out, unreadable);
  if (!is_finite(c.point) || !is_finite(c.normal)) return wrong(out, "the point or the normal is not finite");
  if (!(fabs(cdn_norm(c.normal) - 1) < 1e-6)) return wrong(out, "the normal is no unit vector");
  const double numbers[] = { c.depth, c.elastic, c.damping };
  for (int i = 0; i < CDNI_COUNT(numbers); i++)
    if (!(numbers[i] >= 0) || !isfinite(numbers[i]))
      return wrong(out, "depth, elastic force and damping must be finite numbers >= 0");
  double friction[] = { c.static_friction, c.dynamic_friction, c.viscous_friction, c.torsional_friction,
                        c.rolling_friction };
  const double usual[] = { out->m.friction[0], out->m.friction[1], out->m.friction[2], out->m.torsional,
                           out->m.rolling };
  for (int i = 0; i < CDNI_COUNT(friction); i++) {
    if (friction[i] == -1) friction[i] = usual[i];
    if (!(friction[i] >= 0) || !isfinite(friction[i]))
      return wrong(out, "a coefficient of friction must be a finite number >= 0, or -1: that of the materials");
  }
  if (isinf(c.energy)) return wrong(out, "the energy is infinite: give NaN if nobody computes it");
  if (c.feature <= out->last)
    return wrong(out, "features must be >= 0, and ascend from one contact of the pair to the next");
  const char *follows = follow(out->law, &c);
  if (follows) return wrong(out, follows);
  out->last = c.feature;
  const cdn_vec3 normal = cdn_scale((out->turned ? -1 : 1) / cdn_norm(c.normal), c.normal);
  touch t = { .a = out->pair->shape[0],
              .b = out->pair->shape[1],
              .feature = c.feature,
              .law = out->law->law.pressure,
              .point = c.point,
              .normal = normal,
              .tangent = contact_tangent(normal),
              .depth = c.depth,
              .elastic = c.elastic,
              .energy = c.energy,
              .friction = { fmax(friction[0], friction[1]), friction[1], friction[2] },
              .torsional = friction[3],
              .rolling = friction[4],
              .modulus = out->m.modulus };
  memcpy(t.numbers, c.numbers, sizeof t.numbers);
  return put(out, &t);
}

/* Calls the user's function. */
static cdn_status run(const touch_pair *pair, cdn_law_output *result) {
  const contact_room *room = pair->room;
  const own_law *law = (const own_law *)pair->law;
  const int a = pair->g[0]->kind == law->a ? 0 : 1, b = 1 - a;
  result->pair = pair, result->law = law, result->turned = a == 1, result->last = -1;
  result->m = cdni_combine_materials(pair);
  const combined_material *m = &result->m;
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
                             .combined = &both };
  return law->find(law->self, &in, result);
}

static cdn_status find(const touch_pair *pair, cdn_state *state, cdn_region_output *out) {
  cdn_law_output result = { .out = out };
  const cdn_status status = run(pair, &result);
  if (status == CDN_OK) return CDN_OK;
  cdn_error error;
  cdn_last_error(&error);
  const bool told = error.code == status && error.text[0];
  return cdni_state_fail(
      state, status, false, "cdn_contact_count", pair->law->name, "law '%s' of shapes '%s' and '%s' failed: %s",
      pair->law->name, CDNI_AT(pair->room->shapes, shape, pair->shape[0]).name,
      CDNI_AT(pair->room->shapes, shape, pair->shape[1]).name, told ? error.text : "it told no reason");
}

static bool find_again(const touch_pair *pair, int feature, touch *out) {
  cdn_law_output result = { .one = out, .wanted = feature };
  return run(pair, &result) == CDN_OK && result.found;
}

static double force_at(const touch_pair *pair, double depth, const cdn_proximity *near) {
  const cdn_transform X_b = pose_at_depth(pair, depth, near);
  touch_pair there = *pair;
  touch t;
  there.X[1] = &X_b;
  return find_again(&there, -1, &t) ? t.elastic : NAN;
}

/* ---- adding ---- */

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
  if ((unsigned)d.a >= CDN_GEOMETRY_KIND_COUNT || (unsigned)d.b >= CDN_GEOMETRY_KIND_COUNT) {
    cdni_adder_refuse(&by, CDN_ERR_ARG, "give two kinds of geometry, a and b: they are %d and %d", (int)d.a, (int)d.b);
    return;
  }
  const own_law *other = cdni_contact_own_law(room, d.a, d.b);
  if (other) {
    cdni_adder_refuse(&by, CDN_ERR_ARG, "'%s' is the law of a %s and a %s already: a System has one law for two kinds",
                      other->name, cdn_geometry_kind_name(d.a), cdn_geometry_kind_name(d.b));
    return;
  }
  if (!d.find || (d.self_size > 0 && !d.self)) {
    cdni_adder_refuse(&by, CDN_ERR_ARG, d.find ? "self is NULL, but self_size is not 0" : "it has no function `find`");
    return;
  }
  if (!d.pressure && (d.slopes || d.potential || d.bends)) {
    cdni_adder_refuse(&by, CDN_ERR_ARG, "it has %s, but no function `pressure`: set that too",
                      d.slopes      ? "slopes"
                      : d.potential ? "a potential"
                                    : "bends");
    return;
  }
  const cdn_allocator *a = cdni_system_allocator(system);
  own_law law = { .name = cdni_strdup(a, by.name), .a = d.a, .b = d.b, .find = d.find, .self_size = d.self_size };
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
    return;
  }
  cdni_strfree(a, law.name);
  if (d.self_size > 0 && law.self) cdni_free(a, law.self, d.self_size);
  cdni_system_fail(system, CDN_ERR_NOMEM, __func__, by.name, "out of memory");
}
