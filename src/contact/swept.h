/* How shapes move between two marks: marks, paths, and what of a pair's motion is known without a look. Private to the
 * room. */
#ifndef CARDAN_CONTACT_SWEPT_H
#define CARDAN_CONTACT_SWEPT_H

#include "contact/room.h"

static inline double larger(double a, double b) { return a > b ? a : b; }
static inline double smaller(double a, double b) { return a < b ? a : b; }

static inline cdni_box cdni_swept_grown(const cdni_box *box, double by) {
  cdni_box out;
  for (int k = 0; k < 3; k++) out.least[k] = box->least[k] - by, out.most[k] = box->most[k] + by;
  return out;
}

/* One a shape; behind them the mean of c and v of those that have an end, from which boxes are seen. */
typedef struct shape_mark {
  cdn_transform X; /* in Ground */
  cdn_vec3 c, v;   /* the ball's middle, or the place of a shape without end */
  cdn_vec3 w;      /* of its body */
  double turn;     /* the largest angular speed of the bodies that carry it */
  double lever;    /* how far it may be from the axes of these turns */
} shape_mark;

typedef struct path {
  cdn_vec3 point[4]; /* control points */
  double off;        /* how far the true path may be from the cubic */
} path;

/* How a pair moves between two marks: b as seen from a. */
typedef struct pair_motion {
  path p;
  double turned, length; /* by how much turns and all motion change the distance, at most, m */
  double angle;
  double depth, size; /* of the smaller one */
  bool convex;
  bool flat; /* one of them is a half-space that hardly turns */
} pair_motion;

/* A turn by so much, rad, may bring another side to the other. */
#define CDNI_WIDE 0.5

size_t cdni_swept_mark_size(const void *self);
cdn_status cdni_swept_mark(const void *self, cdn_state *state, void *to);
bool cdni_swept_strays(const void *self, const void *a, const void *b, double h, double part, const void *m);
/* How far each shape moves at most, as seen from the mean of all, with what turns add. Unless `tight`, without roots,
 * and so up to 1.8 times as far as it does. */
void cdni_swept_travels(const contact_room *room, const shape_place *places, const shape_mark *a, const shape_mark *b,
                        double h, bool tight, double *travel);
/* The same of one as seen from the other. */
double cdni_swept_travel_of_pair(const shape_place *places, const int both[2], const shape_mark *a, const shape_mark *b,
                                 double h);
pair_motion cdni_swept_pair(const shape_place *places, const int both[2], const shape_mark *a, const shape_mark *b,
                            double h);
/* How far a pair goes against n at most, from the point `from` of its path. */
double cdni_swept_against(const path *p, cdn_vec3 n, int from);
/* Whether a plane across n, from one to the other, has been between two convex shapes all the time, of which it parts
 * them by `gap` at b. */
bool cdni_swept_beside(const pair_motion *m, const shape_place *places, const int both[2], const shape_mark *a,
                       const shape_mark *b, double h, cdn_vec3 n, double gap);

#endif
