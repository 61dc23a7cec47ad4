/* Rays and distances among shapes: a cart with a rangefinder drives towards a wall with a door, past a ball. The
 * program prints what a fan of 9 rays meets, what is near the cart, and how far the cart is from the ball. */
#include <cardan/core.h>
#include <cardan/queries.h>
#include <math.h>
#include <stdio.h>

static cdn_shape add(cdn_system *system, const char *name, cdn_body body, cdn_geometry geometry, cdn_vec3 p) {
  cdn_shape_def def = cdn_default_shape_def();
  def.name = name, def.body = body, def.geometry = geometry, def.X_BS.p = p;
  return cdn_system_add_shape(system, &def);
}

/* The nearest thing in each direction; the cart itself does not count. */
static cdn_status scan(cdn_state *state, cdn_body cart) {
  const cdn_system *system = cdn_state_system(state);
  cdn_shape_query_def others = cdn_default_shape_query_def();
  others.except = cart;
  cdn_transform X_GC;
  CDN_TRY(cdn_body_pose(state, cart, &X_GC));
  for (int i = -4; i <= 4; i++) {
    const double angle = 0.15 * i;
    cdn_shape_hit hit;
    int n;
    CDN_TRY(cdn_shapes_ray(state, cdn_transform_point(X_GC, cdn_v3(0, 0, 0.3)), cdn_v3(cos(angle), sin(angle), 0), 20,
                           &others, 1, &hit, &n));
    if (n == 0) printf("%+.2f rad: nothing\n", angle);
    else printf("%+.2f rad: %-10s at %.4f m\n", angle, cdn_shape_name(system, hit.shape), hit.hit.distance);
  }
  return CDN_OK;
}

static cdn_status look_around(cdn_state *state, cdn_body cart, cdn_shape hull, cdn_shape ball) {
  const cdn_system *system = cdn_state_system(state);
  cdn_transform X_GC;
  CDN_TRY(cdn_body_pose(state, cart, &X_GC));
  cdn_shape_query_def others = cdn_default_shape_query_def();
  others.except = cart;
  cdn_shape_proximity near[4];
  cdn_proximity gap;
  int n;
  CDN_TRY(cdn_shapes_near_point(state, X_GC.p, 3, &others, 4, near, &n));
  for (int i = 0; i < n; i++)
    printf("%s is %.4f m from the middle of the cart\n", cdn_shape_name(system, near[i].shape), near[i].near.distance);
  CDN_TRY(cdn_shapes_distance(state, hull, ball, &gap));
  printf("between cart and ball: %.6f m\n", gap.distance);
  /* box 1 m long at x = 2.5, ball of 0.5 m at (4, 1.5): the corner (3, 0.3, 0) is nearest */
  return n > 0 && fabs(gap.distance - (sqrt(1 + 1.2 * 1.2) - 0.5)) < 1e-12 ? CDN_OK : CDN_ERR_ARG;
}

int main(void) {
  cdn_system *system = cdn_system_create(NULL);
  cdn_body_def def = cdn_default_body_def();
  def.name = "cart", def.mobilizer = CDN_SLIDER; /* along x */
  def.mass.mass = 10, def.mass.inertia = (cdn_inertia){ 1, 1, 1, 0, 0, 0 };
  const cdn_body cart = cdn_system_add_body(system, &def);
  const cdn_geometry box = { .kind = CDN_GEOMETRY_BOX, .size = { 0.5, 0.3, 0.2 } };
  const cdn_geometry wall = { .kind = CDN_GEOMETRY_BOX, .size = { 0.1, 2, 1 } };
  const cdn_geometry sphere = { .kind = CDN_GEOMETRY_SPHERE, .size = { 0.5 } };
  const cdn_shape hull = add(system, "cart", cart, box, cdn_v3(0, 0, 0));
  add(system, "left wall", cdn_ground(), wall, cdn_v3(8, 2.5, 0));
  add(system, "right wall", cdn_ground(), wall, cdn_v3(8, -2.5, 0));
  const cdn_shape ball = add(system, "ball", cdn_ground(), sphere, cdn_v3(4, 1.5, 0));

  cdn_state *state = NULL;
  cdn_status status = cdn_system_freeze(system);
  if (!status) status = cdn_state_create(system, &state);
  if (!status) status = cdn_body_set_q(state, cart, 1, (double[]){ 2.5 });
  if (!status) status = scan(state, cart);
  if (!status) status = look_around(state, cart, hull, ball);
  if (status) fprintf(stderr, "rangefinder: %s\n", cdn_last_error_text());
  cdn_state_destroy(state);
  cdn_system_release(system);
  return status != CDN_OK;
}
