/* Laws of contact of the user's, each between two kinds of geometry. */
#include <cardan/contact_law.h>
#include <math.h>
#include <stdio.h>

#include "contact/internal.h"
#include "rooms.h"

CDNI_DEF(law_contact, .energy = NAN, .static_friction = -1, .dynamic_friction = -1, .viscous_friction = -1,
         .torsional_friction = -1, .rolling_friction = -1);
CDNI_DEF(contact_law_def, .a = (cdn_geometry_kind)-1, .b = (cdn_geometry_kind)-1);

/* ---- adding ---- */

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

bool cdni_contact_any_law(const contact_room *room, cdn_geometry_kind a, cdn_geometry_kind b) {
  return cdni_contact_law(a, b) || cdni_contact_own_law(room, a, b);
}

static void refuse(cdn_system *system, const char *function, const char *name, const char *format, ...)
    CDN_PRINTF(4, 5);
static void refuse(cdn_system *system, const char *function, const char *name, const char *format, ...) {
  va_list args;
  va_start(args, format);
  cdni_system_refuse(system, CDN_ERR_ARG, function, "law", name, format, args);
  va_end(args);
}

void cdn_system_add_contact_law(cdn_system *system, const cdn_contact_law_def *def) {
  static const char function[] = "cdn_system_add_contact_law";
  CDNI_NEED_OBJECT_OR_NOTHING(system);
  if (cdni_system_refuses(system, function)) return;
  cdn_contact_law_def d;
  const char *unreadable =
      def ? read_contact_law_def(&d, def) : "no def is given: start with cdn_default_contact_law_def()";
  if (unreadable) {
    cdni_system_fail(system, def ? CDN_ERR_VERSION : CDN_ERR_ARG, function, NULL, "%s", unreadable);
    return;
  }
  contact_room *room = cdni_system_room(system, CDNI_ROOM_CONTACT);
  if (!room) return;
  char made_up[32];
  snprintf(made_up, sizeof made_up, "law%zu", room->laws.count);
  const char *name = d.name ? d.name : made_up;
  if ((unsigned)d.a >= CDN_GEOMETRY_KIND_COUNT || (unsigned)d.b >= CDN_GEOMETRY_KIND_COUNT) {
    refuse(system, function, name, "give two kinds of geometry, a and b: they are %d and %d", (int)d.a, (int)d.b);
    return;
  }
  const own_law *other = cdni_contact_own_law(room, d.a, d.b);
  if (other) {
    refuse(system, function, name, "'%s' is the law of a %s and a %s already: a System has one law for two kinds",
           other->name, cdn_geometry_kind_name(d.a), cdn_geometry_kind_name(d.b));
    return;
  }
  if (!d.find || (d.self_size > 0 && !d.self)) {
    refuse(system, function, name, d.find ? "self is NULL, but self_size is not 0" : "it has no function `find`");
    return;
  }
  const cdn_allocator *a = cdni_system_allocator(system);
  own_law law = { .name = cdni_strdup(a, name), .a = d.a, .b = d.b, .find = d.find, .self_size = d.self_size };
  law.self = d.self_size > 0 ? cdni_alloc(a, d.self_size) : (void *)(uintptr_t)d.self;
  if (law.name && (d.self_size == 0 || law.self) && cdni_array_push(a, &room->laws, sizeof law, &law)) {
    if (d.self_size > 0) memcpy(law.self, d.self, d.self_size);
    return;
  }
  cdni_strfree(a, law.name);
  if (d.self_size > 0 && law.self) cdni_free(a, law.self, d.self_size);
  cdni_system_fail(system, CDN_ERR_NOMEM, function, name, "out of memory");
}

/* ---- acting ---- */

struct cdn_law_output {
  cdn_region_output *out;
  const touch_pair *pair;
  const own_law *law;
  bool turned; /* the law's a is the pair's second shape */
  combined_material m;
  int32_t last; /* feature */
};

static cdn_status wrong(const cdn_law_output *out, const char *why) {
  const contact_room *room = out->pair->room;
  return cdni_refuse(CDN_ERR_ARG, "cdn_law_add", "law '%s' of shapes '%s' and '%s': %s", out->law->name,
                     CDNI_AT(room->shapes, shape, out->pair->shape[0]).name,
                     CDNI_AT(room->shapes, shape, out->pair->shape[1]).name, why);
}

static bool is_finite(cdn_vec3 v) { return isfinite(v.x) && isfinite(v.y) && isfinite(v.z); }

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
  void *place;
  CDNI_TRY(cdn_region_output_add(out->out, 1, &place));
  out->last = c.feature;
  const cdn_vec3 normal = cdn_scale((out->turned ? -1 : 1) / cdn_norm(c.normal), c.normal);
  *(touch *)place = (touch){ .a = out->pair->shape[0],
                             .b = out->pair->shape[1],
                             .feature = c.feature,
                             .point = c.point,
                             .normal = normal,
                             .tangent = contact_tangent(normal),
                             .depth = c.depth,
                             .elastic = c.elastic,
                             .energy = c.energy,
                             .damping = c.damping,
                             .friction = { fmax(friction[0], friction[1]), friction[1], friction[2] },
                             .torsional = friction[3],
                             .rolling = friction[4],
                             .modulus = out->m.modulus };
  return CDN_OK;
}

static cdn_contact_material material_of(const double *x) {
  cdn_contact_material m = cdn_default_contact_material();
  m.modulus = x[MATERIAL_MODULUS], m.dissipation = x[MATERIAL_DISSIPATION];
  m.static_friction = x[MATERIAL_STATIC], m.dynamic_friction = x[MATERIAL_DYNAMIC];
  m.viscous_friction = x[MATERIAL_VISCOUS], m.thickness = x[MATERIAL_THICKNESS];
  m.torsional_friction = x[MATERIAL_TORSIONAL], m.rolling_friction = x[MATERIAL_ROLLING];
  m.larger_friction = x[MATERIAL_LARGER];
  return m;
}

cdn_status cdni_contact_act(const own_law *law, const touch_pair *pair, cdn_state *state, cdn_region_output *out) {
  const contact_room *room = pair->room;
  const int a = pair->g[0]->kind == law->a ? 0 : 1, b = 1 - a;
  cdn_law_output result = { .out = out, .pair = pair, .law = law, .turned = a == 1, .last = -1 };
  result.m = cdni_combine_materials(pair->material[0], pair->material[1], pair->numbers);
  const cdn_contact_material of_a = material_of(pair->material[a]), of_b = material_of(pair->material[b]);
  cdn_contact_material both = cdn_default_contact_material();
  both.modulus = result.m.modulus, both.dissipation = result.m.dissipation;
  both.static_friction = result.m.friction[0], both.dynamic_friction = result.m.friction[1];
  both.viscous_friction = result.m.friction[2];
  both.torsional_friction = result.m.torsional, both.rolling_friction = result.m.rolling;
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
  const cdn_status status = law->find(law->self, &in, &result);
  if (status == CDN_OK) return CDN_OK;
  cdn_error error;
  cdn_last_error(&error);
  const bool told = error.code == status && error.text[0];
  return cdni_state_fail(state, status, false, "cdn_contact_count", law->name,
                         "law '%s' of shapes '%s' and '%s' failed: %s", law->name,
                         CDNI_AT(room->shapes, shape, pair->shape[0]).name,
                         CDNI_AT(room->shapes, shape, pair->shape[1]).name, told ? error.text : "it told no reason");
}
