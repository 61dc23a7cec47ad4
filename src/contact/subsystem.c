/* The room's subsystem: what a State has for shapes and contacts, and what a System with shapes must not be. */
#include <stdio.h>

#include "contact/entries.h"
#include "contact/law_kinds.h"
#include "contact/laws.h"
#include "contact/memory.h"
#include "contact/pairs.h"
#include "contact/points.h"
#include "contact/rigid.h"
#include "contact/room.h"
#include "contact/search.h"
#include "contact/sources.h"
#include "contact/step.h"
#include "contact/touch.h"

/* Whether two kinds can touch for sure: by a law, or, where contact is soft, because their distance is known. */
static bool can_touch(const contact_room *room, cdn_contact_model model, cdn_geometry_kind a, cdn_geometry_kind b) {
  const struct contact_law *law = room->law[model][a][b];
  if (model == CDN_CONTACT_RIGID) return false; /* each pair tells */
  if (model == CDN_CONTACT_COMPLIANT || cdni_is_own_law(law)) return law != NULL;
  return a != CDN_GEOMETRY_CUSTOM && b != CDN_GEOMETRY_CUSTOM && cdn_geometry_pair_is_supported(a, b);
}

static const char *const missing_things[] = {
  [CDN_CONTACT_COMPLIANT] = "law of contact", [CDN_CONTACT_SOFT] = "distance", [CDN_CONTACT_RIGID] = "rigid contact"
};

/* What is the matter with two kinds that may touch. */
typedef struct lacking {
  bool any; /* law, or distance */
  unsigned parts;
} lacking;

static lacking lacking_of(const contact_room *room, cdn_contact_model model, cdn_geometry_kind a, cdn_geometry_kind b) {
  if (!can_touch(room, model, a, b)) return (lacking){ !room->def.pass_without_law, 0 };
  const bool asked = room->def.needs && model == CDN_CONTACT_COMPLIANT;
  return (lacking){ false, asked ? room->def.needs & ~cdni_law_parts(room, a, b) : 0 };
}

/* A law of the library's that wants a support function, which a custom geometry has not. */
static bool lacks_support(const contact_room *room, cdn_contact_model model, const shape *a, const shape *b) {
  const cdn_geometry *g = &a->geometry, *h = &b->geometry;
  if (model != CDN_CONTACT_COMPLIANT || !room->law[model][g->kind][h->kind]) return false;
  return !cdni_contact_own_law(room, g->kind, h->kind) && !cdni_library_law_acts(g, h);
}

static cdn_status report(const contact_room *room, cdn_contact_model model, const shape *a, const shape *b, lacking l,
                         cdn_declarer *d) {
  const cdn_geometry_kind kinds[2] = { a->geometry.kind, b->geometry.kind };
  const char *kind_a = cdn_geometry_kind_name(kinds[0]), *kind_b = cdn_geometry_kind_name(kinds[1]);
  if (l.any && lacks_support(room, model, a, b))
    return cdn_declare_error(
        d, CDN_ERR_UNSUPPORTED,
        "shapes '%s' (a %s) and '%s' (a %s) may touch, and their law of contact asks a custom geometry for "
        "cdn_surface_ops.support, which it lacks: give it one, give the pair a law (cdn_system_add_contact_law), or "
        "keep them apart by cdn_system_exclude_contact or by their type and affinity",
        a->name, kind_a, b->name, kind_b);
  if (l.any)
    return cdn_declare_error(
        d, CDN_ERR_UNSUPPORTED,
        "shapes '%s' (a %s) and '%s' (a %s) may touch, and there is no %s for them: keep them apart by "
        "cdn_system_exclude_contact or by their type and affinity, or replace one by %s",
        a->name, kind_a, b->name, kind_b, missing_things[model],
        model == CDN_CONTACT_RIGID ? "convex pieces" : "capsules and spheres");
  char text[512];
  cdni_law_lacks(0, l.parts, text, sizeof text);
  return cdn_declare_error(d, CDN_ERR_UNSUPPORTED,
                           "shapes '%s' (a %s) and '%s' (a %s) may touch by the law '%s', which lacks what "
                           "cdn_contact_def.needs asks for: %s; give them a law that has it "
                           "(cdn_system_add_contact_law), keep them apart, or ask for less",
                           a->name, kind_a, b->name, kind_b, room->law[model][kinds[0]][kinds[1]]->name, text);
}

/* Names the first pair that may touch and lacks something. */
static cdn_status check_pairs(const contact_room *room, cdn_declarer *d) {
  const int n = (int)room->shapes.count;
  lacking of[CDN_CONTACT_RIGID + 1][CDN_GEOMETRY_KIND_COUNT][CDN_GEOMETRY_KIND_COUNT];
  bool any = false, present[CDN_GEOMETRY_KIND_COUNT] = { false };
  for (int i = 0; i < n; i++) present[CDNI_AT(room->shapes, shape, i).geometry.kind] = true;
  for (int a = 0; a < CDN_GEOMETRY_KIND_COUNT; a++)
    for (int b = 0; b < CDN_GEOMETRY_KIND_COUNT; b++)
      for (int k = 0; k <= CDN_CONTACT_RIGID; k++) {
        const lacking *l = &of[k][a][b];
        of[k][a][b] = lacking_of(room, (cdn_contact_model)k, (cdn_geometry_kind)a, (cdn_geometry_kind)b);
        any = any || (room->uses[k] && (l->any || l->parts) && present[a] && present[b]);
      }
  any = any || present[CDN_GEOMETRY_CUSTOM];
  for (int i = 0; any && i < n; i++)
    for (int j = i + 1; j < n; j++) {
      const shape *a = &CDNI_AT(room->shapes, shape, i), *b = &CDNI_AT(room->shapes, shape, j);
      const cdn_contact_model model = contact_model_of(room, i, j);
      const cdn_geometry solids[2] = { shape_solid(a), shape_solid(b) };
      lacking l = of[model][a->geometry.kind][b->geometry.kind];
      const bool known = model == CDN_CONTACT_RIGID
                             ? cdni_rigid_is_known(&solids[0], &solids[1])
                             : model == CDN_CONTACT_SOFT && cdni_pair_is_supported(&a->geometry, &b->geometry);
      if (lacks_support(room, model, a, b)) l.any = !room->def.pass_without_law;
      if (cdni_is_own_law(law_between(room, i, j))) l.any = false;
      if ((l.any || l.parts) && !known && cdni_contact_accepts(room, i, j)) return report(room, model, a, b, l, d);
    }
  return CDN_OK;
}

static void declare_points(contact_room *room, cdn_declarer *d) {
  room->soft = cdn_declare_parameters(d, "soft_materials", (int)room->soft0.count, room->soft0.data);
  room->soft_pairs =
      cdn_declare_parameters(d, "soft_pair_materials", (int)room->soft_pairs0.count, room->soft_pairs0.data);
  const cdn_ticket reads[] = { room->poses.ticket, room->vicinity.ticket, room->soft.ticket, room->soft_pairs.ticket,
                               room->pair_numbers.ticket };
  const bool merged = room->sources.count > 0 && room->def.model == CDN_CONTACT_SOFT;
  const cdn_computed_region of_pairs =
      cdn_declare_computed_region(d, merged ? "points_of_pairs" : "points", sizeof(contact_point),
                                  cdni_contact_find_points, CDNI_COUNT(reads), reads, CDN_STAGE_EMPTY);
  const cdn_ticket of_all[] = { of_pairs.ticket, room->soft.ticket, room->soft_pairs.ticket, room->enabled.ticket };
  room->points = of_pairs;
  if (!merged) return;
  room->of_pairs = of_pairs;
  room->points = cdn_declare_computed_region(d, "points", sizeof(contact_point), cdni_contact_merge_points,
                                             CDNI_COUNT(of_all), of_all, CDN_STAGE_EMPTY);
  cdni_contact_sources_precede(room, d, room->points);
}

/* Contacts, where sources add some to those of pairs. */
static void declare_touches(contact_room *room, cdn_declarer *d) {
  const bool merged = room->sources.count > 0 && room->def.model != CDN_CONTACT_SOFT;
  cdn_ticket of_pairs[5] = { room->poses.ticket, room->vicinity.ticket, room->pair_numbers.ticket };
  int n = 3;
  if (cdni_contact_any_soft(room)) of_pairs[n++] = room->points.ticket;
  if (cdni_contact_any_rigid(room)) of_pairs[n++] = room->rigid.ticket;
  if (merged)
    room->of_pairs = cdn_declare_computed_region(d, "touches_of_pairs", sizeof(touch), cdni_contact_find_touches, n,
                                                 of_pairs, CDN_STAGE_EMPTY);
  const cdn_ticket of_all[] = { room->of_pairs.ticket, room->places.ticket, room->pair_numbers.ticket,
                                room->enabled.ticket };
  cdni_declare_well_known(d, room->touches_ticket);
  room->touches = cdn_declare_computed_region(
      d, "touches", sizeof(touch), merged ? cdni_contact_merge_touches : cdni_contact_find_touches,
      merged ? CDNI_COUNT(of_all) : n, merged ? of_all : of_pairs, CDN_STAGE_EMPTY);
  if (merged) cdni_contact_sources_precede(room, d, room->touches);
}

static cdn_status declare(void *self, cdn_declarer *d) {
  contact_room *room = *(contact_room **)self;
  const int n = (int)room->shapes.count;
  if (!room->matter) return CDN_OK;
  CDNI_TRY(check_pairs(room, d));
  room->frames = cdn_declare_parameters(d, "frames", FRAME_NUMBERS * n, room->frames0.data);
  room->sizes = cdn_declare_parameters(d, "sizes", 3 * n, room->sizes0.data);
  room->materials = cdn_declare_parameters(d, "materials", MATERIAL_NUMBERS * n, room->materials0.data);
  room->surface_motions =
      cdn_declare_parameters(d, "surface_motions", SURFACE_MOTION_NUMBERS * n, room->surface_motions0.data);
  room->enabled = cdn_declare_parameters(d, "enabled", n, room->ones.data);
  room->pair_numbers =
      cdn_declare_parameters(d, "pair_materials", (int)room->pair_numbers0.count, room->pair_numbers0.data);
  room->transition = cdn_declare_parameters(d, "transition_velocity", 1, &room->def.transition_velocity);
  const cdn_ticket of_places[] = { room->frames.ticket, room->sizes.ticket, room->materials.ticket,
                                   room->matter->frames.ticket };
  room->places = cdn_declare_eager_cache(d, "places", (size_t)n * sizeof(shape_place), cdni_contact_calc_places, 4,
                                         of_places, CDN_STAGE_INSTANCE);
  const cdn_ticket of_poses[] = { CDN_POSE, room->places.ticket };
  cdni_declare_well_known(d, room->poses_ticket);
  room->poses = cdn_declare_cache(d, "poses", (size_t)n * (sizeof(shape_pose) + sizeof(cdni_box)),
                                  cdni_contact_calc_poses, 2, of_poses);
  cdni_declare_in_lanes(d, room->places.ticket, CDNI_LANES_GATHERED);
  cdni_declare_in_lanes(d, room->poses.ticket, CDNI_LANES_TOGETHER);
  const cdn_ticket of_vicinity[] = { room->places.ticket, room->enabled.ticket };
  room->vicinity =
      cdn_declare_computed_region(d, "vicinity", 1, cdni_contact_forget_neighbours, 2, of_vicinity, CDN_STAGE_EMPTY);
  cdni_declare_unsaved(d, room->vicinity.ticket);
  /* what the list holds beyond the pairs that overlap depends on the State's history; no result depends on it */
  room->neighbours = cdni_declare_companion_region(d, "neighbours", 1, room->vicinity);
  cdni_declare_unsaved(d, room->neighbours.ticket);
  cdni_contact_sources_declare(room, d);
  if (cdni_contact_any_soft(room)) declare_points(room, d);
  if (cdni_contact_any_rigid(room)) {
    room->rigid_slots = cdni_rigid_slots_of(room->system);
    const size_t size = (size_t)(room->rigid_slots ? room->rigid_slots : 1) * sizeof(rigid_feature);
    room->rigid = cdn_declare_discrete(d, "rigid_slots", size, NULL, CDN_STAGE_INSTANCE);
  }
  declare_touches(room, d);
  room->enclosed = cdn_declare_computed_region(d, "enclosed", sizeof(enclosed_pair), cdni_contact_calc_enclosed, 1,
                                               &room->touches.ticket, CDN_STAGE_EMPTY);
  const cdn_ticket of_energies[] = { room->touches.ticket, room->enclosed.ticket };
  cdni_declare_well_known(d, room->energies_ticket);
  room->energies = cdn_declare_computed_region(d, "energies", sizeof(double), cdni_contact_calc_energies, 2,
                                               of_energies, CDN_STAGE_EMPTY);
  cdni_contact_declare_memory(room, d);
  const cdn_ticket of_forces[] = { room->touches.ticket, CDN_TWIST, room->transition.ticket,
                                   room->surface_motions.ticket,
                                   room->slots > 0 ? room->patches.ticket : room->touches.ticket };
  if (room->slots == 0) cdni_declare_well_known(d, room->values_ticket);
  room->forces = cdn_declare_computed_region(d, "forces", sizeof(touch_force), cdni_contact_calc_forces, 5, of_forces,
                                             CDN_STAGE_EMPTY);
  const cdn_ticket of_patches[] = { room->forces.ticket, CDN_Z };
  if (room->slots > 0) {
    if (!cdni_contact_has_derivatives(room)) cdni_declare_differenced_rates(d);
    cdni_declare_well_known(d, room->values_ticket);
    room->patch_forces = cdn_declare_computed_region(d, "patch_forces", sizeof(patch_force),
                                                     cdni_contact_calc_patch_forces, 2, of_patches, CDN_STAGE_EMPTY);
  }
  cdni_declare_sweeper(d, &cdni_contact_sweeper);
  if (!cdni_contact_any_compliant(room)) return CDN_OK;
  cdni_contact_step_declare(room, d);
  cdni_contact_declare_forces(room, d);
  cdni_declare_near_kinks(d, &cdni_contact_kinks, room->touches.ticket);
  return CDN_OK;
}

static void describe(const void *self, const cdn_system *system, cdn_description *d) {
  const contact_room *room = contact_of(self);
  for (size_t i = 0; i < room->shapes.count; i++) {
    const shape *s = &CDNI_AT(room->shapes, shape, i);
    cdn_describe(d, s->name, "a shape, %s, on %s", cdn_geometry_kind_name(s->geometry.kind),
                 cdn_body_name(system, (cdn_body){ s->body }));
  }
  for (size_t i = 0; i < room->pairs.count; i++) {
    const named_pair *p = &CDNI_AT(room->pairs, named_pair, i);
    cdn_describe(d, p->name, "a pair, of %s and %s", CDNI_AT(room->shapes, shape, p->a).name,
                 CDNI_AT(room->shapes, shape, p->b).name);
  }
}

const cdn_subsystem_ops cdni_contact_ops = { .struct_size = sizeof cdni_contact_ops,
                                             .name = "contact",
                                             .self_size = sizeof(contact_room *),
                                             .declare = declare,
                                             .calc_zdot = cdni_contact_calc_zdot,
                                             .calc_zdot_derivative = cdni_contact_zdot_derivative,
                                             .describe = describe };
