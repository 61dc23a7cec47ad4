/* Poses and boxes of shapes of several States in lanes. */
#include <stddef.h>

#include "contact/kernel_poses.h"
#include "contact/room.h"
#include "contact/search.h"
#include "math/lane_block.h"

static const shape_numbers numbers = { .size = offsetof(shape_place, geometry.size) / sizeof(double),
                                       .R_MS = offsetof(shape_place, R_MS) / sizeof(double),
                                       .p_MS = offsetof(shape_place, p_MS) / sizeof(double),
                                       .center_M = offsetof(shape_place, center_M) / sizeof(double) };
enum { PLACE_NUMBERS = sizeof(shape_place) / sizeof(double), GEOMETRY_NUMBERS = sizeof(cdn_geometry) / sizeof(double) };
_Static_assert(sizeof(shape_place) % sizeof(double) == 0 && sizeof(cdn_geometry) % sizeof(double) == 0 &&
                   offsetof(shape_place, geometry) == 0,
               "places are blocks of lanes");
_Static_assert(sizeof(shape_pose) == POSE_NUMBERS * sizeof(double) && sizeof(cdni_box) == BOX_NUMBERS * sizeof(double),
               "so are poses and boxes");

static void run_kernel(int lanes, shape_extent extent, const double *place, const double *body, double *pose,
                       double *box) {
  (void)&numbers, (void)extent, (void)place, (void)body, (void)pose, (void)box; /* where no kernels are wide */
  switch (cdni_kernel_set(lanes)) {
#define RUN(name, lanes, level) \
  case KERNEL_SET_##name: cdni_shape_pose_##name(&numbers, extent, place, body, pose, box); break;
    KERNEL_SETS_WIDE(RUN)
#undef RUN
    default: break;
  }
}

static shape_extent extent_of(cdn_geometry_kind kind) {
  if (kind == CDN_GEOMETRY_SPHERE) return EXTENT_BALL;
  if (kind == CDN_GEOMETRY_CAPSULE) return EXTENT_ROD;
  return kind == CDN_GEOMETRY_BOX ? EXTENT_BOX : EXTENT_OTHER;
}

/* Lane by lane. */
static void bound(int lanes, const double *place, const double *pose, double *box) {
  for (int l = 0; l < lanes; l++) {
    double geometry[GEOMETRY_NUMBERS], X_GS[12];
    cdn_geometry g;
    cdn_transform X;
    cdn_vec3 ends[2];
    lane_get(place, lanes, l, geometry, GEOMETRY_NUMBERS);
    lane_get(pose, lanes, l, X_GS, 12);
    memcpy(&g, geometry, sizeof g);
    memcpy(&X, X_GS, sizeof X);
    cdni_outer_bounds(&g, &X, &ends[0], &ends[1]);
    lane_put(box, lanes, l, (const double *)ends, BOX_NUMBERS);
  }
}

cdn_status cdni_contact_calc_poses_lanes(const contact_room *room, cdn_state *state, int lanes, double *poses) {
  CDNI_TRY(cdni_state_ensure(state, room->places.ticket));
  const size_t width = (size_t)lanes, n = room->shapes.count;
  const double *places = cdni_state_storage(state, room->places),
               *bodies = (const double *)cdni_matter_pose(cdni_matter(cdn_state_system(state)), state);
  if (!bodies) return cdni_state_last_status(state);
  double *boxes = poses + n * POSE_NUMBERS * width;
  for (size_t i = 0; i < n; i++) {
    const double *place = places + i * PLACE_NUMBERS * width;
    const double *body = bodies + (size_t)shape_body(room, (int)i) * (sizeof(body_pose) / sizeof(double)) * width;
    double *pose = poses + i * POSE_NUMBERS * width, *box = boxes + i * BOX_NUMBERS * width;
    const shape_extent extent = extent_of(CDNI_AT(room->shapes, shape, i).geometry.kind);
    run_kernel(lanes, extent, place, body, pose, box);
    if (extent == EXTENT_OTHER) bound(lanes, place, pose, box);
  }
  return CDN_OK;
}

cdn_status cdni_contact_prepare_lanes(const contact_room *room, cdn_state *state) {
  return cdni_state_ensure(state, room->poses.ticket);
}
