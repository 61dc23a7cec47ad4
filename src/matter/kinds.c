/* A row for each kind of mobilizer. */
#include <cardan/mobilizers.h>

#include "matter/kinds.h"

#include <math.h>

static const cdni_parameter ellipsoid[] = { { "a", "m", 0, INFINITY, 0, 0, "it is half length 0 of the ellipsoid" },
                                            { "b", "m", 0, INFINITY, 0, 0, "it is half length 1 of the ellipsoid" },
                                            { "c", "m", 0, INFINITY, 0, 0, "it is half length 2 of the ellipsoid" } };
static const cdni_parameter spherical[] = { CDNI_ANY("az0", "rad"),
                                            CDNI_ANY("ze0", "rad"),
                                            { "flags", "1", 0, 15, 0, 0, "they are a sum of 1, 2, 4, 8" } };
static const cdni_parameter screw[] = { CDNI_ANY("pitch", "m/rad") };
static const cdni_parameter custom[] = { CDNI_ANY("params[0]", NULL), CDNI_ANY("params[1]", NULL),
                                         CDNI_ANY("params[2]", NULL), CDNI_ANY("params[3]", NULL) };
_Static_assert(CDNI_COUNT(custom) == CDN_MOBILIZER_PARAMS, "custom mobilizers have all parameters");
#define PARAMETERS(name) .parameters = (name), .n_parameters = CDNI_COUNT(name)

static bool accepts_spherical(const double *params, char *reason, size_t size) {
  if (params[2] == floor(params[2])) return true;
  cdni_print(reason, size, "flags is %g; they are a sum of 1, 2, 4, 8", params[2]);
  return false;
}

static void decode_spherical(const double *params, double *kernel) {
  const int flags = (int)params[2];
  const double s2 = flags & 8 ? -1 : 1;
  kernel[2] = flags & 1 ? -1 : 1;
  kernel[3] = flags & 2 ? -1 : 1;
  kernel[4] = flags & 4 ? s2 : 0;
  kernel[5] = flags & 4 ? 0 : s2;
}

const mobilizer_kind cdni_mobilizer_kinds[] = {
  [CDN_WELD] = { "" },
  [CDN_PIN] = { "A" },
  [CDN_SLIDER] = { "L" },
  [CDN_BALL] = { "AAA", SPEEDS_TURN_IN_F, .ball = true, .columns = COLUMNS_FIXED_IN_F },
  [CDN_FREE] = { "AAALLL", SPEEDS_TURN_IN_F, .ball = true, .carriers = { 070, 070, 070 } },
  [CDN_UNIVERSAL] = { "AA", .carriers = { 0, 01 } },
  [CDN_CYLINDER] = { "AL", .columns = COLUMNS_FIXED },
  [CDN_BEND_STRETCH] = { "AL", .swings = true, .carriers = { 0, 01 } },
  [CDN_PLANAR] = { "ALL", .carriers = { 06 } },
  [CDN_GIMBAL] = { "AAA", .carriers = { 0, 01, 03 } },
  [CDN_BUSHING] = { "AAALLL", .carriers = { 070, 071, 073 } },
  [CDN_ELLIPSOID] = { "AAA", SPEEDS_TURN_IN_F, .swings = true, .columns = COLUMNS_STRETCHED, PARAMETERS(ellipsoid) },
  [CDN_TRANSLATION] = { "LLL", .columns = COLUMNS_FIXED },
  [CDN_LINE_ORIENTATION] = { "AA", SPEEDS_TURN_ABOUT_AXES, .carriers = { 02, 01 } },
  [CDN_FREE_LINE] = { "AALLL", SPEEDS_TURN_ABOUT_AXES, .carriers = { 036, 035 } },
  [CDN_SPHERICAL_COORDS] = { "AAL", .swings = true, .carriers = { 0, 01, 03 }, PARAMETERS(spherical),
                             .accepts = accepts_spherical, .decode = decode_spherical },
  [CDN_SCREW] = { "A", PARAMETERS(screw) },
  /* Their ops tell: custom.h. */
  [CDN_FUNCTION_BASED] = { NULL, .swings = true },
  [CDN_CUSTOM_MOBILIZER] = { NULL, .swings = true, PARAMETERS(custom) },
};
_Static_assert(CDNI_COUNT(cdni_mobilizer_kinds) == CDN_MOBILIZER_COUNT, "each mobilizer has a row");
