/* Pairs of shapes that the spec names, which touch whatever the masks are. A spec's friction is MuJoCo's: of two shapes
 * the one with the larger priority decides; between equals the larger numbers do, each by itself. Materials combine so,
 * too. */
#include <math.h>
#include <stdio.h>

#include "contact/contact.h"
#include "io/build.h"

static cdn_status no_memory(io_log *log) { return io_fail(log, CDN_ERR_NOMEM, 0, "out of memory"); }

/* ---- friction ---- */

/* MuJoCo's least coefficient. */
static const double LEAST = 1e-5;

/* condim tells which of the numbers act: sliding, torsional, rolling, and sliding along the second tangent. */
static io_friction with_condim(int condim, const double *friction) {
  io_friction f = { .torsional = condim >= 4 ? fmax(friction[1], 0) : 0,
                    .rolling = condim >= 6 ? fmax(friction[2], 0) : 0,
                    .ratio = 1 };
  if (condim < 2) return f;
  f.sliding = fmax(friction[0], 0);
  if (friction[3] == friction[0]) return f;
  f.sliding = fmax(f.sliding, LEAST), f.ratio = fmax(friction[3], LEAST) / f.sliding;
  return f;
}

/* What the two shapes have together, before condim. */
static int mix(const cdn_spec_shape *a, const cdn_spec_shape *b, double friction[3]) {
  const cdn_spec_shape *winner = a->priority > b->priority ? a : b;
  const bool equals = a->priority == b->priority;
  for (int i = 0; i < 3; i++) friction[i] = equals ? fmax(a->friction[i], b->friction[i]) : winner->friction[i];
  return equals ? (a->condim > b->condim ? a->condim : b->condim) : winner->condim;
}

/* ---- adding ---- */

static cdn_status add_pair(io_builder *b, const char *name, int i, int j, io_friction friction,
                           const cdn_soft_pair_material *soft) {
  cdn_contact_material material = cdn_contact_material_of_pair();
  if (soft->law.ref[0] != 0) material.restitution = io_restitution(&soft->law);
  material.static_friction = material.dynamic_friction = friction.sliding;
  material.torsional_friction = friction.torsional, material.rolling_friction = friction.rolling;
  material.friction_ratio = friction.ratio;
  cdn_contact_pair_def def = cdn_default_contact_pair_def();
  def.name = name, def.a = b->ready[i].shape, def.b = b->ready[j].shape, def.material = &material;
  def.soft = b->convex ? soft : NULL;
  if (cdn_system_add_contact_pair(b->system, &def).i < 0) return CDN_OK; /* the System tells */
  const int known[2] = { i < j ? i : j, i < j ? j : i };
  return cdni_array_push(&b->log->allocator, &b->pairs, sizeof known[0], &known[0]) &&
                 cdni_array_push(&b->log->allocator, &b->pairs, sizeof known[1], &known[1])
             ? CDN_OK
             : no_memory(b->log);
}

/* Whether one of the first n / 2 pairs is of these shapes. */
static bool is_paired(const io_builder *b, size_t n, int i, int j) {
  for (size_t k = 0; 2 * k + 1 < n; k++) {
    const int *known = &CDNI_AT(b->pairs, int, 2 * k);
    if (known[0] == (i < j ? i : j) && known[1] == (i < j ? j : i)) return true;
  }
  return false;
}

/* ---- pairs of the spec ---- */

static cdn_status find_end(io_builder *b, const cdn_spec_contact *contact, const char *name, int *i) {
  *i = name ? io_names_find(&b->spec_shapes, name) : -1;
  if (*i >= 0) return CDN_OK;
  return io_fail(b->log, CDN_ERR_ARG, contact->line, "the pair '%.60s' names a shape '%.60s', which does not exist",
                 contact->name, name ? name : "");
}

/* What the pair says, and else what the shapes have together. */
static io_friction pair_friction(io_builder *b, const cdn_spec_contact *contact, int i, int j) {
  double friction[4];
  const int condim = mix(io_spec_shape(b->spec, i), io_spec_shape(b->spec, j), friction);
  const double *own = contact->friction;
  static const int place[4] = { 0, 2, 3, 1 };
  friction[3] = friction[0];
  for (int k = 0; k < 4; k++)
    if (own[place[k]] >= 0) friction[k] = own[place[k]];
  if (own[1] >= 0 && own[1] != friction[0] && !b->convex && !b->rigid)
    io_warn(b->log, contact->line, "pair '%.60s': friction is the same along all directions here, and is %g",
            contact->name, friction[0]);
  return with_condim(contact->condim > 0 ? contact->condim : condim, friction);
}

static cdn_soft_pair_material pair_softness(const cdn_spec_contact *contact) {
  cdn_soft_pair_material soft = cdn_default_soft_pair_material();
  soft.law = contact->law, soft.margin = contact->margin, soft.gap = contact->gap;
  if (contact->condim > 0) soft.condim = contact->condim;
  for (int k = 0; k < 5; k++)
    if (contact->friction[k] >= 0) soft.friction[k] = contact->friction[k];
  return soft;
}

static cdn_status build_named_pairs(io_builder *b) {
  for (int k = 0; k < cdn_spec_count(b->spec, CDN_SPEC_CONTACT); k++) {
    const cdn_spec_contact *contact = io_spec_contact(b->spec, k);
    int i, j;
    if (contact->exclude) continue;
    CDNI_TRY(find_end(b, contact, contact->shape_a, &i));
    CDNI_TRY(find_end(b, contact, contact->shape_b, &j));
    /* A shape that is left out has been named. */
    if (i == j || !b->ready[i].there || !b->ready[j].there || is_paired(b, b->pairs.count, i, j)) continue;
    const cdn_soft_pair_material soft = pair_softness(contact);
    CDNI_TRY(add_pair(b, contact->name, i, j, pair_friction(b, contact, i, j), &soft));
  }
  return CDN_OK;
}

/* ---- pairs without a law ---- */

static bool masks_allow(const cdn_spec_shape *a, const cdn_spec_shape *b) {
  return (((uint32_t)a->contype & (uint32_t)b->conaffinity) | ((uint32_t)b->contype & (uint32_t)a->conaffinity)) != 0;
}

static bool lacks_law(const io_builder *b, int i, int j) {
  const cdn_spec_shape *first = io_spec_shape(b->spec, i), *second = io_spec_shape(b->spec, j);
  const cdn_geometry_kind k = b->ready[i].geometry.kind, l = b->ready[j].geometry.kind;
  if (!b->ready[i].there || !b->ready[j].there) return false;
  if (b->rigid    ? cdni_rigid_is_known(&b->ready[i].geometry, &b->ready[j].geometry)
      : b->convex ? cdn_geometry_pair_is_supported(k, l)
                  : cdni_contact_has_law(k, l))
    return false;
  if (k == CDN_GEOMETRY_HALF_SPACE && l == CDN_GEOMETRY_HALF_SPACE) return false; /* MuJoCo's never touch, either */
  return masks_allow(first, second) && io_shapes_may_touch(b, i, j);
}

/* Whether a shape may lack laws: only height fields do, unless contact is rigid. */
static bool may_lack(const io_builder *b, int i) {
  return b->ready[i].there && (b->rigid || b->ready[i].geometry.kind == CDN_GEOMETRY_HEIGHT_FIELD);
}

/* A model without such shapes is not looked at. */
static void warn_of_lacking_laws(io_builder *b) {
  const int n = cdn_spec_count(b->spec, CDN_SPEC_SHAPE);
  int count = 0, at[2] = { 0, 0 };
  for (int i = 0; i < n; i++)
    for (int j = 0; may_lack(b, i) && j < n; j++)
      if ((i < j || !may_lack(b, j)) && lacks_law(b, i, j) && count++ == 0) at[0] = i, at[1] = j;
  if (count > 0)
    io_warn(b->log, io_spec_shape(b->spec, at[1])->line,
            "%d pair%s of shapes %s no %s and pass%s through each other%s '%.60s' (%s) and '%.60s' (%s)", count,
            count == 1 ? "" : "s", count == 1 ? "has" : "have",
            b->rigid    ? "rigid contact"
            : b->convex ? "distance"
                        : "law of contact",
            count == 1 ? "es" : "", count == 1 ? ":" : "; the first:", cdn_shape_name(b->system, b->ready[at[0]].shape),
            cdn_geometry_kind_name(b->ready[at[0]].geometry.kind), cdn_shape_name(b->system, b->ready[at[1]].shape),
            cdn_geometry_kind_name(b->ready[at[1]].geometry.kind));
}

/* ---- pyramids that are too steep ---- */

/* The edges of a pyramid are n + mu t: for a large mu they lie almost in the surface, and hold up next to nothing. A
 * box of the size 0.2 m with the usual solref sinks by 9 cm at this coefficient, and falls through the floor at twice
 * as much. */
static const double STEEP = 10;

static bool touches_steeply(const io_builder *b, int i) {
  const cdn_spec_shape *shape = io_spec_shape(b->spec, i);
  if (!b->ready[i].there || !(shape->friction[0] >= STEEP)) return false;
  for (int j = 0; j < cdn_spec_count(b->spec, CDN_SPEC_SHAPE); j++) {
    const cdn_spec_shape *other = io_spec_shape(b->spec, j);
    double friction[3];
    if (j == i || !b->ready[j].there || !masks_allow(shape, other)) continue;
    if (mix(shape, other, friction) > 1 && friction[0] >= STEEP && io_shapes_may_touch(b, i, j)) return true;
  }
  return false;
}

static void warn_of_steep(io_builder *b, int line, const char *what, const char *name, double friction) {
  io_warn(b->log, line,
          "%s '%.60s': a friction of %g makes pyramids so steep that contact gives way, and bodies fall through: write "
          "<option cone=\"elliptic\"/>, or a friction below %g",
          what, name, friction, STEEP);
}

/* Only the first shape and the first pair are named: what cures one of them cures all. */
static void warn_of_pyramids(io_builder *b) {
  bool found = false;
  if (!b->convex || b->spec->whole.solver.cone != CDN_SPEC_PYRAMIDAL) return;
  for (int i = 0; !found && i < cdn_spec_count(b->spec, CDN_SPEC_SHAPE); i++) {
    if (!(found = touches_steeply(b, i))) continue;
    const cdn_spec_shape *shape = io_spec_shape(b->spec, i);
    warn_of_steep(b, shape->line, "shape", cdn_shape_name(b->system, b->ready[i].shape), shape->friction[0]);
  }
  for (int k = 0; !found && k < cdn_spec_count(b->spec, CDN_SPEC_CONTACT); k++) {
    const cdn_spec_contact *contact = io_spec_contact(b->spec, k);
    const double friction = fmax(contact->friction[0], contact->friction[1]);
    found = !contact->exclude && contact->condim != 1 && friction >= STEEP;
    if (found) warn_of_steep(b, contact->line, "pair", contact->name ? contact->name : "", friction);
  }
}

cdn_status io_build_pairs(io_builder *b) {
  b->pairs.count = 0;
  warn_of_lacking_laws(b);
  warn_of_pyramids(b);
  return build_named_pairs(b);
}
