/* Shapes, their numbers in a State, and what the room keeps on a System. Private to the room. */
#ifndef CARDAN_CONTACT_ROOM_H
#define CARDAN_CONTACT_ROOM_H

#include <cardan/contact_law.h>
#include <cardan/regions.h>

#include "contact/contact.h"
#include "contact/lookup.h"
#include "geometry/geometry.h"
#include "geometry/kind.h"
#include "matter/matter.h"

typedef struct shape {
  char *name;
  int32_t body;
  cdn_geometry geometry; /* with the default sizes */
  uint32_t type, affinity;
  int32_t group;
  cdn_surface *hull; /* of a mesh that is convex, in rigid contact: touches in place of it; else NULL */
} shape;

/* The numbers of a material in a State, and of a frame: R by columns, then p. */
enum {
  MATERIAL_MODULUS,
  MATERIAL_DISSIPATION,
  MATERIAL_STATIC,
  MATERIAL_DYNAMIC,
  MATERIAL_VISCOUS,
  MATERIAL_THICKNESS,
  MATERIAL_TORSIONAL,
  MATERIAL_ROLLING,
  MATERIAL_RESTITUTION,
  MATERIAL_RATIO,
  MATERIAL_PRIORITY,
  MATERIAL_CONDIM,
  MATERIAL_NUMBERS
};
/* Behind them, where materials are about to be combined: modulus^(2/3). */
enum { MATERIAL_ROOT = MATERIAL_NUMBERS, MATERIAL_PREPARED };
enum { FRAME_NUMBERS = 12, SURFACE_MOTION_NUMBERS = 6 };
/* Those of a soft material, and of a pair's, which begins alike. */
enum {
  SOFT_REF,
  SOFT_IMP = SOFT_REF + 2,
  SOFT_FRICTION = SOFT_IMP + 5,
  SOFT_CONDIM = SOFT_FRICTION + 3,
  SOFT_PRIORITY,
  SOFT_SOLMIX,
  SOFT_MARGIN,
  SOFT_GAP,
  SOFT_NUMBERS
};
enum {
  SOFT_PAIR_FRICTION = SOFT_FRICTION,
  SOFT_PAIR_CONDIM = SOFT_PAIR_FRICTION + 5,
  SOFT_PAIR_MARGIN,
  SOFT_PAIR_GAP,
  SOFT_PAIR_NUMBERS
};

/* Two bodies, or two shapes, that never touch, and the rule that says so. */
typedef struct kept_apart {
  int32_t a, b; /* a < b */
  cdn_contact_rule rule;
} kept_apart;

/* A pair that the user has named. */
typedef struct named_pair {
  char *name;
  int32_t a, b; /* a < b */
  cdn_contact_model model;
} named_pair;

/* Pairs in ascending order of their shapes. */
typedef struct pair_entry {
  int32_t a, b, i;
} pair_entry;

struct contact_room {
  cdni_array shapes;                            /* shape */
  cdni_array frames0, sizes0, materials0, ones; /* double: FRAME_NUMBERS, 3, MATERIAL_NUMBERS, 1 a shape */
  cdni_array soft0, soft_pairs0;                /* double: SOFT_NUMBERS a shape, SOFT_PAIR_NUMBERS a pair */
  cdni_array surface_motions0;          /* double: SURFACE_MOTION_NUMBERS a shape, velocity and spin of its surface */
  cdni_array excluded, excluded_shapes; /* kept_apart; in ascending order once the System is frozen */
  cdni_array pairs, pair_numbers0;      /* named_pair; double: MATERIAL_NUMBERS a pair, < 0: none */
  lookup shape_names, pair_names, pair_shapes;
  cdni_array laws;    /* own_law */
  int shape_laws;     /* how many of them are of two shapes */
  cdni_array sources; /* cdn_subsystem, each a contact_source */
  cdn_contact_def def;
  bool has_def;
  cdn_contact_filter_fn *filter;
  void *filter_self;
  size_t filter_size; /* 0: the pointer is the user's */
  /* Known once the System is frozen. */
  const cdn_system *system;
  const matter *matter;
  int32_t *group, *parent; /* a body's group of welded bodies, named after the first of them; the group's parent; */
  int n_bodies;
  cdni_array pair_order; /* pair_entry */
  uint64_t *may;    /* a bit for each pair a < b, at b (b - 1) / 2 + a: whether all rules but the filter let it touch */
  size_t may_words; /* 0: there are too many shapes for it */
  bool uses[CDN_CONTACT_RIGID + 1]; /* whether two shapes may touch by this model, as far as is known */
  bool mixed;                       /* whether pairs differ in it */
  /* Which law acts between two kinds, or NULL; of contact that is not compliant one without functions. */
  const struct contact_law *law[CDN_CONTACT_RIGID + 1][CDN_GEOMETRY_KIND_COUNT][CDN_GEOMETRY_KIND_COUNT];
  cdn_dvar frames, sizes, materials, enabled, surface_motions, transition, pair_numbers;
  cdn_dvar soft, soft_pairs;  /* soft contact only */
  cdn_cache places;           /* shape_place, one a shape */
  cdn_cache poses;            /* shape_pose, one a shape; then their boxes */
  cdn_computed_region points; /* contact_point; soft contact only */
  cdn_computed_region touches, energies, enclosed, forces;
  cdn_computed_region of_pairs; /* beside sources: points, or touches, of pairs alone */
  /* Of where shapes are, the touches, their energies, and all forces; reserved with the first shape. */
  cdn_ticket poses_ticket, touches_ticket, energies_ticket, values_ticket;
  cdn_computed_region vicinity; /* has no elements; while it is valid, the lists may be */
  cdn_computed_region neighbours;
  cdn_region kept; /* step.c: touches of the start of a step */
  /* The memory of friction; 0: there is none. */
  int slots, slot_numbers;
  /* Of rigid contact: how many, and rigid_feature of each. */
  int rigid_slots;
  cdn_dvar rigid;
  cdn_zvar displacements;
  cdn_autovar owners;
  cdn_computed_region patches, patch_forces;
};

/* A shape on its body, by parameters alone: its geometry, its frame seen from the body's frame M, the ball about it. */
typedef struct shape_place {
  cdn_geometry geometry;
  m3 R_MS;
  v3 p_MS;
  v3 center_M;
  double radius; /* INFINITY: a half-space */
  double depth;  /* about how deep its deepest point is */
  double material[MATERIAL_PREPARED];
} shape_place;

/* A shape in Ground. */
typedef struct shape_pose {
  cdn_transform X_GS;
  cdn_vec3 center; /* of the ball */
} shape_pose;

static inline cdn_transform shape_pose_at(const shape_place *place, const body_pose *M) {
  const m3 R = m3_mul_m3(M->R_GM, place->R_MS);
  return (cdn_transform){ { cdni_from_v3(R.x), cdni_from_v3(R.y), cdni_from_v3(R.z) },
                          cdni_from_v3(m3_mul_add(M->R_GM, place->p_MS, M->p_GM)) };
}

/* What touches: the geometry of a shape, or the hull in place of a mesh. */
static inline cdn_geometry shape_solid(const shape *s) {
  return s->hull ? (cdn_geometry){ .kind = CDN_GEOMETRY_CONVEX, .surface = s->hull } : s->geometry;
}
/* `sizes`: the State's, of all shapes. */
static inline cdn_geometry shape_geometry(const contact_room *room, const double *sizes, int i) {
  cdn_geometry g = CDNI_AT(room->shapes, shape, i).geometry;
  memcpy(g.size, sizes + 3 * i, sizeof g.size);
  return g;
}
/* The boxes of the shapes, behind their poses. */
static inline const cdni_box *shape_boxes(const contact_room *room, const shape_pose *poses) {
  return (const cdni_box *)(poses + room->shapes.count);
}
static inline int shape_body(const contact_room *room, int i) { return CDNI_AT(room->shapes, shape, i).body; }
/* The room of a subsystem. */
static inline const contact_room *contact_of(const void *self) { return *(const contact_room *const *)self; }

#endif
