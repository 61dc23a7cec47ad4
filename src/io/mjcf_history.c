/* What actuators and sensors keep of the past: nsample, interp, delay. */
#include <math.h>

#include "io/mjcf_actuator.h"

/* In the order of cdn_interpolation. */
static const char *const words[] = { "zoh", "linear", "cubic" };

cdn_status io_mjcf_read_history(mjcf_reader *r, io_xml_node *node, double *delay, int *samples, int *interpolation) {
  CDNI_TRY(io_xml_int(r->log, node, "nsample", samples, NULL));
  CDNI_TRY(io_xml_keyword(r->log, node, "interp", words, CDNI_COUNT(words), interpolation, NULL));
  return io_xml_double(r->log, node, "delay", delay, NULL);
}

cdn_status io_mjcf_check_history(mjcf_reader *r, io_xml_node *node, double delay, double period, int samples) {
  if (delay < 0 || period < 0)
    return io_xml_fail(r->log, CDN_ERR_PARSE, node, "its delay is %g and its interval %g; write 0 or more", delay,
                       period);
  if (samples < 0 || samples > 65536)
    return io_xml_fail(r->log, CDN_ERR_PARSE, node, "its nsample is %d; write 0 to 65536", samples);
  if ((delay > 0 || period > 0) && samples == 0)
    return io_xml_fail(r->log, CDN_ERR_PARSE, node,
                       "it is read late or at times, but keeps nothing; write nsample='N', at least the delay over the "
                       "time step");
  return CDN_OK;
}
