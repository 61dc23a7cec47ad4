/* The numbers of an actuator of MJCF, as its elements write them. */
#ifndef CARDAN_IO_MJCF_ACTUATOR_H
#define CARDAN_IO_MJCF_ACTUATOR_H

#include "io/mjcf.h"

/* In the order of their words. */
enum { DYN_NONE, DYN_INTEGRATOR, DYN_FILTER, DYN_FILTEREXACT, DYN_MUSCLE, DYN_USER, DYN_OTHER };
enum { FIXED, AFFINE, GAIN_MUSCLE, GAIN_USER, GAIN_OTHER };
enum { BIAS_NONE, BIAS_AFFINE, BIAS_MUSCLE, BIAS_USER, BIAS_OTHER };
enum { MOST_NUMBERS = 10 }; /* of dynprm, gainprm, biasprm */

/* limited: 0 no, 1 yes, 2 if there is a range. */
typedef struct io_mjcf_bounds {
  int limited;
  double bounds[2];
} io_mjcf_bounds;

typedef struct io_mjcf_drive {
  int dyntype, gaintype, biastype;
  double dynprm[MOST_NUMBERS], gainprm[MOST_NUMBERS], biasprm[MOST_NUMBERS];
  double gear[6], length_range[2], rod;
  io_mjcf_bounds control, force, activation;
  double inherited; /* the control's range is this times the joint's; 0: it is not */
  double dampratio, delay;
  int samples, interpolation; /* cdn_interpolation */
} io_mjcf_drive;

/* mjcf_actuator_numbers.c: what no element has written, and what one element writes (io_mjcf_visit); `into` is an
 * io_mjcf_drive. */
io_mjcf_drive io_mjcf_start_drive(void);
cdn_status io_mjcf_read_drive(mjcf_reader *r, io_xml_node *node, void *into);
/* mjcf_history.c: nsample, interp and delay of an actuator or a sensor. */
cdn_status io_mjcf_read_history(mjcf_reader *r, io_xml_node *node, double *delay, int *samples, int *interpolation);
cdn_status io_mjcf_check_history(mjcf_reader *r, io_xml_node *node, double delay, double period, int samples);

#endif
