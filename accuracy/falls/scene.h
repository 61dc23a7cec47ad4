/* Scenes in which a body must not get through another one, drawn at random: each is given by a seed and a number, and
 * by nothing else. */
#ifndef CARDAN_ACCURACY_SCENE_H
#define CARDAN_ACCURACY_SCENE_H

#include <stdio.h>

#include "parts.h"

/* A state of the generator, and numbers of it. */
typedef struct dice {
  uint64_t state;
} dice;
double dice_uniform(dice *d, double least, double most);
double dice_log(dice *d, double least, double most); /* uniform in the logarithm */
int dice_below(dice *d, int n);
bool dice_chance(dice *d, double probability);
cdn_vec3 dice_direction(dice *d);
cdn_rotation dice_rotation(dice *d);

/* A place behind which a body's centre can get only through an obstacle: in frame X of `body`, points of z < -behind,
 * within `half` of the axis in x and in y. Or, where `polar`, angles about z that lie beyond PI by more than `behind`
 * (rad) and by less than a half turn, and points near `radius`. */
typedef struct guard {
  bool present, polar;
  cdn_body of, body; /* whose centre; where the place is */
  cdn_vec3 centre;   /* on the body `of` */
  cdn_transform X;
  double behind, half[2], radius;
} guard;

typedef enum scene_law { LAW_HERTZ, LAW_PRESSURE, LAW_SPRINGS, LAW_SOFT, LAW_NONE, LAW_COUNT } scene_law;

typedef struct scene scene;
struct scene {
  uint64_t seed;
  int index;
  const char *family;
  char what[240];
  scene_law law;
  cdn_state *start; /* owns the System */
  double end, finest;
  int reports;
  guard guard;
  bool chaotic;       /* it tumbles: small errors grow */
  bool deep;          /* starts inside: it must be pushed out, be refused, or stop by name */
  int64_t max_steps;  /* of one call, after which it is made again; 0: no limit */
  int64_t most_steps; /* a run that takes more is cut */
  double fixed_step;  /* with which methods of equal steps can follow it */
  double x[8];        /* of the family */
  void (*write)(const scene *s, cdn_state *at, int report); /* between calls, or NULL */
  void (*exact)(const scene *s, double t, double *y);       /* closed form, or NULL */
};

extern const char *const scene_law_names[LAW_COUNT];
extern const char *const scene_families[];
extern const int scene_family_count;

/* Scene number `index` of the seed; `family`: NULL for any. Free it by scene_clear. False: these numbers give no
 * scene. */
bool scene_make(uint64_t seed, int index, const char *family, scene *out);
void scene_clear(scene *s);
/* Whether the State is behind the guard. */
bool scene_is_behind(const scene *s, cdn_state *at);
/* Whether the body at X_of is behind the guard of the body at X_body. */
bool guard_is_behind(const guard *g, const cdn_transform *X_of, const cdn_transform *X_body);
/* When report i is, s. */
double scene_time(const scene *s, int i);
/* q, u and z of a State, one after the other, and how many they are. */
int scene_value_count(const scene *s);
void scene_values(const cdn_state *at, double *y);

/* ---- for families ---- */

typedef struct solid_shape {
  cdn_geometry geometry;
  double inner, outer; /* radii of balls in it and about it, both about its middle */
  double half[3];      /* of the box about it */
} solid_shape;

/* A solid of a random kind (or of `kind` where that is >= 0) within a ball of radius `size`; false: no surface. */
bool solid_shape_make(dice *d, int kind, double size, solid_shape *out);
void solid_shape_clear(solid_shape *s);
cdn_mass_properties solid_shape_mass(const solid_shape *s, double density);
/* A box of triangles no longer than `edge`. */
cdn_surface *box_mesh(const double half[3], double edge);

/* The law that acts between two kinds, or LAW_NONE. */
scene_law law_between(cdn_geometry_kind a, cdn_geometry_kind b, bool soft);

#endif
