/* Private to the folder: many directions at once, and cells between them. */
#ifndef CARDAN_GEOMETRY_CONVEX_SURVEY_H
#define CARDAN_GEOMETRY_CONVEX_SURVEY_H

#include "geometry/convex/convex.h"
#include "math/kernel_sets.h"

enum { NET_DIRECTIONS = 16, SURVEY_DIRECTIONS = 384, SURVEY_CELLS = 128 };

/* Three directions; the cell is the spherical triangle between them. */
typedef struct survey_cell {
  int16_t at[3];
} survey_cell;

/* Columns, so that eight of a kind are side by side. Directions are unit vectors in the frame of a. */
typedef struct survey {
  int n; /* directions */
  double m[3][SURVEY_DIRECTIONS], w[3][SURVEY_DIRECTIONS], h[SURVEY_DIRECTIONS];
  double corner_a[3][SURVEY_DIRECTIONS], corner_b[3][SURVEY_DIRECTIONS];
} survey;

/* An ellipsoid with the half axes A: A n, A t1, A t2, and the largest |A m|^2. */
typedef struct safe_egg {
  cdn_vec3 e, e1, e2;
  double most;
} safe_egg;

/* What is known about a minimum, for the certificate: see certificate.c. */
enum { SAFE_TRIALS = 12 };
typedef struct safe_problem {
  double depth, flat;
  int corners, disks, eggs;
  double x[6], y[6]; /* corners from their mean, across n */
  double disk[2], lean[2], rim[2][2];
  safe_egg egg[2];
} safe_problem;

/* Where the search for the least depth begins. */
typedef struct deep_start {
  const probe
      *corners; /* four of M that are not flat; NULL: one along `axis`, three at an angle with this cosine to it */
  cdn_vec3 axis;
  double cosine;
  const probe *toward;  /* one more along answer->normal, or NULL */
  const minimum *known; /* or NULL */
  double ball;          /* taken from the probes along their directions */
  bool inside;          /* the origin is in M, to rounding */
} deep_start;

typedef struct survey_kernels {
  /* Of n points, a multiple of eight, in three columns: the first that is farthest along m. */
  int32_t (*farthest)(int n, const double *columns, cdn_vec3 m);
  /* The first of the tangents of T / 2 up to which h is surely not less than at the minimum; 0: none. */
  double (*safe)(const safe_problem *p, const double tangents[SAFE_TRIALS]);
  /* Writes the directions of a net: axes[0], and two rings around it, whose angles have these cosines and sines. */
  void (*lay)(survey *s, const cdn_vec3 axes[3], const double cosine[2], const double sine[2]);
  /* Support points of M and h along the directions `from` to s->n; unless these are the first ones, they get the length
   * 1. The columns behind them are overwritten. */
  void (*probe)(const core_pair *pair, survey *s, int from);
  /* For n cells, a bound of h from below on each; what is behind the n, up to the next multiple of eight, is written,
   * too. */
  void (*bound)(const survey *s, int n, const survey_cell *cells, double *least);
  /* kernel_deep.c: the least depth, or another minimum that is as deep to rounding. False: along answer->normal the two
   * do not overlap, or the probes are flat, and *answer is what it was. */
  bool (*deepest)(core_pair *pair, const deep_start *start, core_answer *answer);
} survey_kernels;

/* ---- a box and a small hull (box_hull.c, kernel_box_hull.c) ---- */

/* A box in the frame of a hull. */
typedef struct box_at_hull {
  cdn_vec3 axis[3], center;
  double half[3];
} box_at_hull;
/* A normal of a face of the difference, outward from the hull, and h along it. */
typedef enum axis_part { AXIS_OF_HULL, AXIS_OF_BOX, AXIS_OF_EDGES } axis_part;
typedef struct hull_axis {
  double h;
  axis_part part;
  int at, k; /* the triangle; 1 if it is along the negative axis k; the edge of the hull, with those along axis k */
} hull_axis;
typedef struct box_hull_kernels {
  /* The least h of all faces of the two. */
  void (*faces)(const cdn_surface *s, const box_at_hull *b, hull_axis *least);
  /* *least, or that of two edges if it is less. */
  void (*edges)(const cdn_surface *s, const box_at_hull *b, hull_axis *least);
} box_hull_kernels;
extern const box_hull_kernels *const cdni_box_hull_kernels[KERNEL_SET_COUNT];

/* survey.c: of curved cores, from the direction n of `toward`, where h(n) = h > 0. LEAST: *found is the least depth.
 * LOCAL: it is a local minimum of h. FAR: the cores are surely farther apart than reach. APART: along *n, or somewhere,
 * the two do not overlap. OPEN: nothing is known. */
typedef enum survey_end { SURVEY_LEAST, SURVEY_LOCAL, SURVEY_FAR, SURVEY_APART, SURVEY_OPEN } survey_end;
survey_end cdni_survey(core_pair *pair, cdn_vec3 *n, double h, minimum *found);

/* By kernel_set; NULL for sets of several lanes. */
extern const survey_kernels *const cdni_survey_kernels[KERNEL_SET_COUNT];

#endif
