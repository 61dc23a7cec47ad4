/* What the derivatives of contacts share. Private to the room. */
#ifndef CARDAN_CONTACT_DERIVATIVES_H
#define CARDAN_CONTACT_DERIVATIVES_H

#include <cardan/derivatives.h>

#include "contact/laws.h"
#include "contact/motion.h"
#include "contact/near.h"
#include "contact/touch.h"

/* A small motion of the two bodies, and what it does to the contact. */
typedef struct small_motion {
  cdn_vec3 theta_a, delta_a, theta_b, delta_b;
} small_motion;
typedef struct effect {
  cdn_vec3 n, p;                    /* changes of the normal and of the point */
  double gap, elastic, pressed;     /* of the elastic force, and of the force along the normal at one rate; */
  double stamp;                     /* of r_1 r_2 over the depth, as a part of it; */
  double spread;                    /* of its spread, */
  bool varies;                      /* some of its coefficients change, which are */
  double friction[5];               /* static, dynamic, viscous, torsional, rolling; */
  cdn_vec3 side_force, side_moment; /* and of what belongs to a stiffness that varies */
  cdn_vec3 over_a, over_b;          /* displacements of the point relative to the bodies */
} effect;

typedef struct spot {
  const touch *t;
  cdn_vec3 x_a;       /* nearest point of a, above its skin; */
  double skin, depth; /* thickness of that, and the depth with the skin of either */
  double share;       /* of the depth that a gives way */
  surface_tensor A, B;
  const cdn_transform *X[2]; /* of two capsules, whose normal is that of their law; else NULL */
  double radius_a;
  rods_place rods;
  bool differenced; /* the law itself tells how the touch varies with b's pose */
  effect by_b[6];
  double stored;                   /* 1: the elastic force has a potential; or else 0 */
  double rate;                     /* of the depth */
  double N, slope[2], still_slope; /* force along the normal; by depth and by rate; by depth at the rate 0 */
  relative_motion m;
  cdn_vec3 w_a, w_b;       /* angular velocities of the bodies */
  cdn_vec3 over_a, over_b; /* velocities of the surfaces over their bodies */
  cdn_vec3 spin_a, spin_b; /* angular velocities of that */
  double transition, size;
} spot;

typedef struct push_on_b {
  cdn_vec3 force, moment;
} push_on_b;

/* What a small motion, or a small change of the velocities, does to a contact. */
typedef struct contact_change {
  cdn_vec3 n;             /* changes of the normal, */
  cdn_vec3 slip;          /* of the slip velocity, */
  cdn_vec3 turn, carried; /* of the angular velocities of relative_motion, */
  double elastic;         /* of the elastic force, */
  double spread, stamp;   /* as of an effect, */
  const double *friction; /* likewise; NULL: they do not change; */
  double dN;              /* and of the normal force */
} contact_change;

/* `moves`: the motion counts, too. */
spot cdni_contact_spot(const motion_view *v, const touch *t, const double *pair_numbers, double transition, bool moves);
/* Column k < 12: a turn (3) and a displacement of a, then of b. */
small_motion cdni_contact_unit_motion(int column);
effect cdni_contact_effect(const spot *c, const small_motion *d);
/* derivatives_law.c: how a touch varies with the turns about its point (3) and displacements (3) of b, by differences
 * of its law. `size`: of the smaller shape. `rate`: that of the depth. */
void cdni_contact_difference_law(const touch_pair *pair, const touch *t, double size, double rate, effect by_b[6]);
effect cdni_contact_effect_of_law(const touch *t, const effect by_b[6], const small_motion *d);
/* Column k < 12: a turn (3) and a displacement of a, then of b; and likewise of their velocities. */
void cdni_contact_changes(const spot *c, int column, effect *e, contact_change *by_X, contact_change *by_V);
/* A column of the two bodies' forces about their stations, which have moved with the bodies. F: the force on b. */
void cdni_contact_put_column(double *matrix, int column, push_on_b by, cdn_vec3 F, cdn_vec3 over_a, cdn_vec3 over_b);
/* The point of a touch in the axes of its two bodies. */
cdn_status cdni_contact_stations(cdn_state *state, const touch *t, const cdn_body bodies[2], cdn_vec3 stations[2]);

#endif
