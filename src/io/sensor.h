/* The measures that a spec's sensors become. */
#ifndef CARDAN_IO_SENSOR_H
#define CARDAN_IO_SENSOR_H

#include <cardan/contact.h>
#include <cardan/measures.h>
#include <cardan/paths.h>
#include <cardan/spec.h>

/* A side of a sensor of contacts: anything, a shape, or the bodies from first to last. */
typedef struct io_side {
  cdn_sensor_side kind;
  cdn_shape shape;
  int32_t first, last;
} io_side;

typedef struct io_sensor_part {
  cdn_sensor_kind kind;
  double cutoff;
  cdn_body body, reference; /* of a joint sensor: the body that it moves; of a subtree sensor: its root */
  int32_t first, last;      /* bodies of the subtree: their numbers are consecutive */
  bool has_reference;
  cdn_transform X_BS, X_BR;
  cdn_force gravity; /* { -1 }: none */
  cdn_force driven;  /* of actuators: the force */
  cdn_path path;     /* of tendons */
  /* Of touch and contacts. */
  cdn_geometry volume;
  io_side side[2];
  int contacts, data;
  cdn_sensor_reduce reduce;
} io_sensor_part;

/* How many numbers a contact has. */
int io_sensed_count(int data);

/* sensor_forces.c: values of sensors of forces, distances and actuators. */
cdn_status io_sensed_force(const io_sensor_part *s, cdn_state *state, double *value);
cdn_status io_sensed_touch(const io_sensor_part *s, cdn_state *state, double *value);
cdn_status io_sensed_range(const io_sensor_part *s, cdn_state *state, double *value);
cdn_status io_sensed_drive(const io_sensor_part *s, cdn_state *state, double *value);
/* sensor_contacts.c */
cdn_status io_sensed_contacts(const io_sensor_part *s, cdn_state *state, double *value);

#endif
