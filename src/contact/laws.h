/* What a law of contact is, and between which shapes it acts. Private to the room. */
#ifndef CARDAN_CONTACT_LAWS_H
#define CARDAN_CONTACT_LAWS_H

#include "contact/materials.h"
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

/* own_laws.c: the user's law of two shapes alone, or NULL. */
const contact_law *cdni_contact_law_of_shapes(const contact_room *room, int i, int j);
/* The law that acts between two shapes, or NULL. */
static inline const contact_law *law_between(const contact_room *room, int i, int j) {
  const contact_law *own = room->shape_laws > 0 ? cdni_contact_law_of_shapes(room, i, j) : NULL;
  const cdn_geometry_kind a = CDNI_AT(room->shapes, shape, i).geometry.kind,
                          b = CDNI_AT(room->shapes, shape, j).geometry.kind;
  return own ? own : room->law[contact_model_of(room, i, j)][a][b];
}

/* Two shapes of a State; pair_numbers: as the State has them. */
static inline touch_pair touch_pair_of(const contact_room *room, const shape_place *places, const shape_pose *poses,
                                       const double *pair_numbers, int i, int j) {
  return (touch_pair){ .law = law_between(room, i, j),
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
  int32_t shapes[2]; /* of kind a and b; -1: all */
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

/* own_laws.c: whether a law is the user's, so that its `find` tells where shapes touch, whatever the model. */
bool cdni_is_own_law(const contact_law *law);
/* The contacts that it finds of two shapes nearer than `margin`, one by one: the normal is from the pair's first shape
 * to its second. */
typedef cdn_status own_contact_fn(void *context, const cdn_law_contact *contact, const combined_material *m);
cdn_status cdni_own_law_contacts(const touch_pair *pair, cdn_state *state, double margin, own_contact_fn *add,
                                 void *context);
/* Reads the user's struct, of whatever size. NULL, or why it cannot be read. */
const char *cdni_own_contact_read(cdn_law_contact *c, const cdn_law_contact *given);
/* What is wrong with the numbers of a contact of the user's that is `margin` apart at most; NULL: nothing. Coefficients
 * of friction that are not given become those of the materials, if these are known. */
const char *cdni_own_contact_check(cdn_law_contact *c, double margin, const combined_material *m);
/* The touch of a contact that was checked, by a law, or without one (NULL). NULL, or what is wrong. */
const char *cdni_own_touch(const touch_pair *pair, const own_law *law, const cdn_law_contact *c,
                           const combined_material *m, touch *out);
/* laws.c: of a touch, what Hertz's law says by the relative curvatures k[0] >= k[1] > 0. */
void cdni_hertz_touch(const combined_material *m, double share, const double k[2], double depth, touch *t);

#endif
