/* The bed of springs that stands for a pressure field on a polygon.
 *
 * The pressure is linear: p(x) = p_m + g.x from the middle of the area A. Four springs of a quarter of the stiffness
 * each stand at +-b_1 and +-b_2 from the middle, where b_k are the columns of sqrt 2 C and C C is the mean of x x^T
 * over the area. They have the polygon's force, moment and stiffness, also against tilting: the sum of 1/4 b b^T over
 * the four is C C. They are within the area, and their places vary continuously with it.
 *
 * Each is damped by the velocity at its own place. So the damping of the bed is that of the pressure at each place, -d
 * p(x) V(x), as far as force and moment go, and a box that rocks comes to rest. */
#include <math.h>

#include "contact/bed.h"
#include "contact/motion.h"
#include "contact/touch.h"

/* The root of a symmetric matrix A of two rows is (A + r I) / sqrt (trace A + 2 r), r = sqrt (det A). */
void cdni_bed_set(touch *t, const double middle[2], const double moments[3]) {
  const double xx = 2 * moments[0], xy = 2 * moments[1], yy = 2 * moments[2];
  const double root = sqrt(fmax(xx * yy - xy * xy, 0)), sum = sqrt(fmax(xx + yy + 2 * root, 0));
  t->middle[0] = middle[0], t->middle[1] = middle[1];
  t->half[0] = sum > 0 ? (xx + root) / sum : 0;
  t->half[1] = sum > 0 ? xy / sum : 0;
  t->half[2] = sum > 0 ? (yy + root) / sum : 0;
}

/* The parts by which the springs on one side of the middle bear more than their quarter, and those on the other
 * less. */
static void find_tilt(const touch *t, double tilt[2]) {
  const double xx = t->half[0], xy = t->half[1], yy = t->half[2], x = t->middle[0], y = t->middle[1];
  const double determinant = xx * yy - xy * xy, least = 1e-9 * (xx * xx + yy * yy + 2 * xy * xy);
  const double scale = determinant > least ? -2 / determinant : 0; /* a sliver bears next to nothing */
  tilt[0] = fmax(fmin(scale * (yy * x - xy * y), 1), -1);
  tilt[1] = fmax(fmin(scale * (xx * y - xy * x), 1), -1);
}

void cdni_bed_springs(const touch *t, bed_spring springs[4]) {
  const cdn_vec3 axes[2] = { t->tangent, cdn_cross(t->normal, t->tangent) };
  double tilt[2], off[2] = { 0, 0 }, place[4][2];
  find_tilt(t, tilt);
  for (int i = 0; i < 4; i++) {
    const int k = i / 2;
    const double side = i % 2 ? 1 : -1;
    springs[i].force = 0.25 * t->elastic * (1 + side * tilt[k]);
    place[i][0] = t->middle[0] + side * t->half[k], place[i][1] = t->middle[1] + side * t->half[k + 1];
    for (int l = 0; l < 2; l++) off[l] += 0.25 * (1 + side * tilt[k]) * place[i][l];
  }
  /* the point of the touch is where they have no moment, exactly */
  for (int i = 0; i < 4; i++)
    springs[i].arm = cdn_add(cdn_scale(place[i][0] - off[0], axes[0]), cdn_scale(place[i][1] - off[1], axes[1]));
}

double cdni_bed_damped(const touch *t, const relative_motion *m, cdn_vec3 *moment) {
  bed_spring springs[4];
  double more = 0;
  cdn_vec3 across = { 0, 0, 0 };
  cdni_bed_springs(t, springs);
  const pressure_law *law = &cdni_pressure_laws[LAW_SPRING];
  for (int i = 0; i < 4; i++) {
    const double V = cdn_dot(t->normal, cdn_add(m->u, cdn_cross(m->w, springs[i].arm)));
    const double numbers[] = { springs[i].force, t->numbers[1], 0 };
    const double change = law_force(law, numbers, t->depth, -V) - springs[i].force;
    more += change;
    across = cdn_add(across, cdn_scale(change, springs[i].arm));
  }
  *moment = cdn_cross(across, t->normal);
  return fmax(t->elastic + more, 0);
}
