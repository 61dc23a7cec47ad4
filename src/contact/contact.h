/* Functions and types of the contact room for the rooms above it, beyond the public header. */
#ifndef CARDAN_CONTACT_CONTACT_H
#define CARDAN_CONTACT_CONTACT_H

#include <cardan/contact.h>

#include "system/system.h"

typedef struct contact_room contact_room;

/* The def that the System was given, NULL: none so far. */
const cdn_contact_def *cdni_contact_given(const cdn_system *system);

/* As cdn_system_exclude_contact, with the rule that keeps the bodies apart; the same of two shapes. Sticky. */
void cdni_contact_exclude(cdn_system *system, cdn_body a, cdn_body b, cdn_contact_rule rule);
void cdni_contact_exclude_shapes(cdn_system *system, cdn_shape a, cdn_shape b, cdn_contact_rule rule);

/* The name of the first source of contacts of the user's; NULL: there is none, or no contact at all. */
const char *cdni_contact_source_name(const contact_room *room);
/* Whether a source of contacts of the user's reads more than poses: its forces have no potential, and may vary with
 * time, u, z and controls. */
bool cdni_contact_reads(const contact_room *room);

/* The shapes of a System, NULL if it has none. */
const contact_room *cdni_contact(const cdn_system *system);

/* The variable in which a State has the owners of the slots of its friction's memory, and how many doubles it takes; 0:
 * there is no memory. */
int cdni_contact_memory_variable(const cdn_system *system, cdn_dvar *variable);
/* The z of that memory, displacements that follow the bodies' where nothing slides: the first of them, and how many. */
int cdni_contact_memory_z(const cdn_state *state, int *first);
/* For a search in which time stands still: at the end of a step of it, contacts that have begun get their slots, those
 * that have ended lose them, and what slides has slid. */
cdn_status cdni_contact_hold(cdn_state *state);
/* How many patches have no slot, and the shapes of the first of them. */
cdn_status cdni_contact_without_memory(cdn_state *state, int *n, cdn_shape *a, cdn_shape *b);
/* Copies the memory between States of one System. */
cdn_status cdni_contact_copy_memory(cdn_state *to, cdn_state *from);

/* ---- soft.c, points.c: points of soft contact ---- */

/* What the materials of two shapes say of their contact. */
typedef struct soft_contact {
  cdn_soft_law law;
  double friction[5]; /* two sliding ones, torsional, two rolling ones */
  double margin;      /* margin - gap: the distance at which a row is at rest, and from which on there is none */
  int64_t dimension;  /* rows: 1, 3, 4 or 6; so wide that no bytes are unused */
} soft_contact;

/* NULL, or what is wrong with a solref or a solimp of finite numbers. */
const char *cdni_soft_check_law(const double *ref, const double *imp);

/* A point where two shapes overlap, or are near each other. Vectors are in Ground. */
typedef struct contact_point {
  int32_t a, b, feature;  /* shapes a < b; what tells the pair's points apart: the same from step to step */
  int32_t body[2];        /* of a and b */
  int32_t pair;           /* the pair that the user has named, or -1 */
  cdn_vec3 point, normal; /* midway between the surfaces; from a to b */
  cdn_vec3 tangent[2];    /* right-handed: normal, tangent[0], tangent[1] */
  double distance;        /* negative: the shapes overlap */
  soft_contact soft;
} contact_point;

/* The points of a State with a distance below the pair's margin, in ascending order of (a, b, feature). A point whose
 * distance is not below soft.margin lies in the gap, and has no rows. Only for Systems whose contact is soft.
 * The pointer is valid until the poses or the materials of shapes change. */
cdn_status cdni_contact_points(const contact_room *room, cdn_state *state, const contact_point **points, int *n);
/* point_motion.c: how a point varies with small motions of its bodies. Column k < 12: a turn (3) and a displacement, of
 * the material of a at the point, then of b. */
typedef struct contact_point_motion {
  cdn_vec3 point[12], normal[12], tangent[2][12];
  double distance[12];
} contact_point_motion;
/* Whether it is known for the two kinds of shapes; the points of a State are there when it is asked for. */
bool cdni_contact_motion_is_known(const contact_room *room, const contact_point *p);
void cdni_contact_move_point(const contact_room *room, cdn_state *state, const contact_point *p,
                             contact_point_motion *out);
/* What the points are computed from: a prerequisite for entries of rooms above; known as soon as the room has
 * declared. */
cdn_ticket cdni_contact_points_ticket(const contact_room *room);
/* Of a State of several lanes: the poses of the shapes, which the lanes' own States take from there. */
cdn_status cdni_contact_prepare_lanes(const contact_room *room, cdn_state *state);
/* motion.c: whether the surface of any shape runs over its body. */
bool cdni_contact_any_surface_runs(const contact_room *room, cdn_state *state);
/* The velocity of b's surface over its body less that of a's, at the point, in Ground; *run: whether one of
 * them runs. */
cdn_status cdni_contact_surface_motion(const contact_room *room, cdn_state *state, const contact_point *p, bool *run,
                                       cdn_spatial *out);
cdn_ticket cdni_contact_surface_motion_ticket(const contact_room *room);
/* Whether two shapes may touch so. All are false without shapes: a room with options alone declares nothing. */
bool cdni_contact_any_soft(const contact_room *room);
bool cdni_contact_any_rigid(const contact_room *room);
bool cdni_contact_any_compliant(const contact_room *room);
/* Whether forces of some contact are those of rows, known with accelerations: it is soft, or rigid. */
bool cdni_contact_has_rows(const contact_room *room);
/* reports.c: by which model contact i of a State acts, as cdn_contact_get counts, and its number among those of that
 * model; and the other way round. */
cdn_status cdni_contact_number_in_model(cdn_state *state, const contact_room *room, int i, cdn_contact_model *model,
                                        int *number);
cdn_status cdni_contact_of_model(cdn_state *state, const contact_room *room, cdn_contact_model model, int number,
                                 int *i);

/* What the rows of a contact do, where contact is soft or rigid; the rooms of rows know. */
typedef struct contact_force {
  double force[6]; /* on b: along the normal and two tangents, N; about them, N m */
  bool pyramid;    /* what friction is bounded by, or else an ellipse */
  bool sticks;
} contact_force;
/* Of contact i of a State, as cdn_contact_get counts, which has rows. Realizes Acceleration. */
typedef cdn_status contact_force_fn(cdn_state *state, int i, contact_force *out);
/* reports.c: contact i of a State, which has it, with all but its stored energy, which depends on more; that energy.
 * `rows`: what its rows do, if it has some; NULL: forces are 0 there. */
cdn_status cdni_contact_report(cdn_state *state, const contact_room *room, int i, const contact_force *rows,
                               cdn_contact *c);
cdn_status cdni_contact_energy(cdn_state *state, const contact_room *room, int i, double *energy);

/* ---- reach.c: points for studies with contact of their own ---- */

/* A point where two shapes overlap, or are nearer than some distance. Vectors are in Ground. */
typedef struct contact_within {
  int32_t a, b, feature;           /* shapes a < b; what tells the pair's points apart */
  int32_t body[2];                 /* of a and b */
  cdn_vec3 point, normal, tangent; /* midway between the surfaces; from a to b; the first of two tangents */
  double distance;                 /* negative: the shapes overlap */
  double friction;                 /* dynamic */
} contact_within;
/* Those nearer than `reach` (m) of shapes that may touch, in ascending order of (a, b): the first `space` of them, and
 * how many there are. `enabled`: one number a shape, 0: it takes no part, whatever the State says. Realizes
 * Position. */
cdn_status cdni_contact_within(const contact_room *room, cdn_state *state, const double *enabled, double reach,
                               int space, contact_within *out, int *n);
/* Which shapes the State has switched on. */
const double *cdni_contact_enabled(const contact_room *room, cdn_state *state);

/* ---- measured.c: numbers of the contacts between two sides ---- */

/* { -1 }: any. */
typedef struct cdni_contact_side {
  cdn_shape shape;
  cdn_body body;
} cdni_contact_side;
static inline int cdni_contact_quantity_size(cdn_contact_quantity q) {
  return q == CDN_CONTACT_FORCE || q == CDN_CONTACT_FRICTION ? 3 : 1;
}
static inline bool cdni_contact_quantity_moves(cdn_contact_quantity q) {
  return q != CDN_CONTACT_COUNT && q != CDN_CONTACT_DEPTH && q != CDN_CONTACT_ENERGY && q != CDN_CONTACT_GAP;
}
/* Whether it is known with accelerations only: forces of soft contact. Known from freezing on. */
bool cdni_contact_quantity_accelerates(const cdn_system *system, cdn_contact_quantity q);
/* What a quantity is computed from, known as soon as a shape was added. */
cdn_ticket cdni_contact_ticket(const cdn_system *system, cdn_contact_quantity q);
/* Any quantity but the gap. `rows` is asked where contact has rows. */
cdn_status cdni_contact_sum(cdn_state *state, const cdni_contact_side side[2], cdn_contact_quantity quantity,
                            contact_force_fn *rows, double *out);
/* The least distance, as the laws have it; DBL_MAX where no pair may touch. */
cdn_status cdni_contact_gap(cdn_state *state, const cdni_contact_side side[2], double *gap);

/* Whether a law acts between two kinds of geometry. */
bool cdni_contact_has_law(cdn_geometry_kind a, cdn_geometry_kind b);

/* Whether two geometries can touch rigidly (rigid_features.c). */
bool cdni_rigid_is_known(const cdn_geometry *a, const cdn_geometry *b);

#endif
