/* The measures that a spec's sensors become. */
#ifndef CARDAN_IO_SENSOR_H
#define CARDAN_IO_SENSOR_H

#include <cardan/contact.h>
#include <cardan/elements.h>
#include <cardan/hybrid.h>
#include <cardan/measures.h>
#include <cardan/paths.h>
#include <cardan/spec.h>

#include "core/core.h"

/* A side of a sensor of contacts: anything, a shape, or the bodies from first to last. */
typedef struct io_side {
  cdn_sensor_side kind;
  cdn_shape shape;
  int32_t first, last;
} io_side;

/* A limit of a joint or a tendon; with type CDN_ELEMENT_COUNT there is none. */
typedef struct io_limit {
  cdn_element_type type; /* a soft element, or a force */
  int element;
  bool ball;              /* it has the upper bound alone */
  cdn_one_sided rigid[2]; /* in place of an element: the lower and the upper limit; { -1 }: none */
} io_limit;

/* Something that a sensor sees: a shape of the System, or a geometry that touches nothing. */
typedef struct io_seen {
  cdn_shape shape; /* { -1 }: none */
  cdn_body body;
  cdn_transform X_BS;
  cdn_geometry geometry;
} io_seen;

typedef struct io_sensor_part {
  cdn_sensor_kind kind;
  double cutoff, noise;     /* noise: 0, unless it shall be drawn */
  uint32_t user;            /* of random numbers */
  cdn_body body, reference; /* of a joint sensor: the body that it moves; of a subtree sensor: its root */
  int32_t first, last;      /* bodies of the subtree: their numbers are consecutive */
  bool has_reference;
  cdn_transform X_BS, X_BR;
  cdn_force gravity; /* { -1 }: none */
  cdn_vec3 field;
  double focal[2], pixels[2];
  bool of_pixels; /* of rays */
  double extent;
  io_limit limit;
  cdn_path path;      /* of a tendon; { -1 }: it is of none */
  cdn_force driven;   /* an actuator's force */
  cdni_array driving; /* cdn_force: of actuators on a joint or a tendon; the measure's own, as is what it sees */
  /* Of touch and contacts. */
  cdn_geometry volume;
  io_side side[2];
  int contacts, data;
  cdn_sensor_reduce reduce;
  /* Of distances: the measure's own. Those of the first side come first. */
  const cdn_allocator *memory;
  cdni_array seen; /* io_seen */
  int n_first;
} io_sensor_part;

/* How the numbers of a sensor are cut off, and what noise does to them. */
typedef enum io_sensed_type {
  IO_SENSED_REAL,
  IO_SENSED_POSITIVE, /* a negative number says that there is nothing */
  IO_SENSED_AXIS,
  IO_SENSED_QUATERNION,
  IO_SENSED_UNCUT
} io_sensed_type;

/* What a sensor is of. */
typedef enum io_sensed_of {
  IO_OF_NOTHING,
  IO_OF_JOINT,
  IO_OF_BALL,
  IO_OF_FRAME,
  IO_OF_VOLUME,
  IO_OF_SUBTREE,
  IO_OF_ACTUATOR,
  IO_OF_DRIVEN_JOINT,
  IO_OF_DRIVEN_TENDON,
  IO_OF_TENDON,
  IO_OF_JOINT_LIMIT,
  IO_OF_TENDON_LIMIT,
  IO_OF_CONTACTS,
  IO_OF_SHAPES,
  IO_OF_USER
} io_sensed_of;

typedef struct io_sensor_kind {
  int count; /* of numbers; 0: io_sensed_count, or as the spec says */
  cdn_stage stage;
  io_sensed_type type;
  io_sensed_of of;
  cdn_status (*calc)(const io_sensor_part *s, cdn_state *state, double *value);
} io_sensor_kind;

/* sensor_kinds.c: the row of a kind, NULL if there is none; and the measure of a sensor, of that
 * name, whose `seen` it takes. */
const io_sensor_kind *io_sensor_kind_of(cdn_sensor_kind kind);
cdn_measure io_add_sensor(cdn_system *system, const cdn_spec_sensor *of, const char *name, const io_sensor_part *s);
void io_forget_lists(io_sensor_part *s);

/* How many numbers a contact has. */
int io_sensed_count(int data);
/* Where a ray of a rangefinder begins in the sensor's frame, and its direction, of unit length: of a pixel, or the only
 * one. */
void io_ray_line(const double focal[2], const double pixels[2], double extent, bool of_pixels, int column, int row,
                 cdn_vec3 *eye, cdn_vec3 *along);
/* How many numbers the rays have, all together; 0: none, or too many. */
int io_rays_count(int data, bool of_pixels, const double pixels[2]);

/* sensor_frames.c */
cdn_status io_sensed_joint(const io_sensor_part *s, cdn_state *state, double *value);
cdn_status io_sensed_pose(const io_sensor_part *s, cdn_state *state, double *value);
cdn_status io_sensed_motion(const io_sensor_part *s, cdn_state *state, double *value);
cdn_status io_sensed_acceleration(const io_sensor_part *s, cdn_state *state, double *value);
cdn_status io_sensed_subtree(const io_sensor_part *s, cdn_state *state, double *value);
cdn_status io_sensed_picture(const io_sensor_part *s, cdn_state *state, double *value);
cdn_status io_sensed_inside(const io_sensor_part *s, cdn_state *state, double *value);
cdn_status io_sensed_field(const io_sensor_part *s, cdn_state *state, double *value);
cdn_status io_sensed_time(const io_sensor_part *s, cdn_state *state, double *value);
cdn_status io_sensed_energy(const io_sensor_part *s, cdn_state *state, double *value);
/* sensor_forces.c: values of sensors of forces, limits and actuators. */
cdn_status io_sensed_force(const io_sensor_part *s, cdn_state *state, double *value);
cdn_status io_sensed_touch(const io_sensor_part *s, cdn_state *state, double *value);
cdn_status io_sensed_limit(const io_sensor_part *s, cdn_state *state, double *value);
cdn_status io_sensed_tendon(const io_sensor_part *s, cdn_state *state, double *value);
cdn_status io_sensed_drives(const io_sensor_part *s, cdn_state *state, double *value);
cdn_status io_sensed_drive(const io_sensor_part *s, cdn_state *state, double *value);
/* sensor_distances.c */
cdn_status io_sensed_range(const io_sensor_part *s, cdn_state *state, double *value);
cdn_status io_sensed_distance(const io_sensor_part *s, cdn_state *state, double *value);
/* sensor_contacts.c */
cdn_status io_sensed_contacts(const io_sensor_part *s, cdn_state *state, double *value);

#endif
