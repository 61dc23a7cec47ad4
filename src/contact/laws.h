/* What a law of contact is, and between which shapes it acts. Private to the room. */
#ifndef CARDAN_CONTACT_LAWS_H
#define CARDAN_CONTACT_LAWS_H

#include "contact/pairs.h"
#include "contact/room.h"
#include "contact/touch.h"
#include "laws/laws.h"

/* Two shapes, and the law that acts between them; NULL: none. */
typedef struct contact_law contact_law;
typedef struct touch_pair {
  const contact_law *law;
  const cdn_geometry *g[2];
  const cdn_transform *X[2];
  int32_t shape[2];
  const double *material[2], *numbers; /* of the shapes, prepared; of the pair, or NULL */
  const contact_room *room;
} touch_pair;

/* Two shapes of a State; pair_numbers: as the State has them. */
static inline touch_pair touch_pair_of(const contact_room *room, const shape_place *places, const shape_pose *poses,
                                       const double *pair_numbers, int i, int j) {
  return (touch_pair){ .law = room->law[places[i].geometry.kind][places[j].geometry.kind],
                       .g = { &places[i].geometry, &places[j].geometry },
                       .X = { &poses[i].X_GS, &poses[j].X_GS },
                       .shape = { i, j },
                       .material = { places[i].material, places[j].material },
                       .numbers = cdni_contact_pair_numbers(room, pair_numbers, i, j),
                       .room = room };
}

/* What a law does. A column that is NULL or 0 is what it lacks, or does not need. */
struct contact_law {
  const char *name;
  /* Adds a touch, or several, for a pair that overlaps. */
  cdn_status (*find)(const touch_pair *pair, cdn_state *state, cdn_region_output *out);
  /* The touch with that feature (-1: the deepest one) once more, at another pose: derivatives are differences of it,
   * unless they are exact. False: there is none. */
  bool (*touch)(const touch_pair *pair, int feature, touch *out);
  bool exact;
  int16_t pressure; /* law of the pressure of its touches */
  double damping;   /* their d, over the dissipation of the materials */
  int features;     /* contacts of a pair that come and go one by one */
  /* As cdni_pair_distance, where the distance of the shapes is not that of what the law acts between. */
  bool (*near)(const cdn_geometry *const g[2], const cdn_transform *const X[2], cdn_proximity *near);
  double (*reach)(const cdn_geometry *a,
                  const cdn_geometry *b); /* how much nearer they are for it than their distance */
  /* The elastic force if b were moved along the normal of `near` until it is `depth` deep; NaN: unknown. */
  double (*force)(const touch_pair *pair, double depth, const cdn_proximity *near);
  double (*energy)(const touch_pair *pair); /* of all touches of a pair, which then have none of their own; */
  bool (*acts)(const touch_pair *pair);     /* of such a pair: whether anything is pressed */
};

void cdni_contact_choose_laws(contact_room *room);
/* laws.c: the law of the library, or NULL. */
const contact_law *cdni_library_law(cdn_geometry_kind a, cdn_geometry_kind b);
/* Whether it acts between these two: kinds do not tell whether a custom geometry has a support function. */
bool cdni_library_law_acts(const cdn_geometry *a, const cdn_geometry *b);

/* The pose of b, moved along the normal until it is `depth` deep. */
static inline cdn_transform pose_at_depth(const touch_pair *pair, double depth, const cdn_proximity *near) {
  cdn_transform X = *pair->X[1];
  X.p = cdn_sub(X.p, cdn_scale(depth + near->distance, near->normal));
  return X;
}

/* A law of the user's. */
typedef struct own_law {
  contact_law law;
  char *name;
  cdn_geometry_kind a, b;
  cdn_law_fn *find;
  pressure_law pressure;
  void *self;
  size_t self_size; /* 0: the pointer is the user's */
} own_law;
/* The law of the pressure of a touch. */
static inline const pressure_law *pressure_at(const contact_room *room, int law) {
  return law < LAW_COUNT ? &cdni_pressure_laws[law] : &CDNI_AT(room->laws, own_law, law - LAW_COUNT).pressure;
}
static inline double normal_force(const contact_room *room, const touch *t, double rate) {
  return law_force(pressure_at(room, t->law), t->numbers, t->depth, rate);
}

#endif
