/* Elements of every sort are listed and found by name; their parameters are listed with units and limits, read and
 * set, and refused beyond the limits; and every element keeps a pointer of the program's. */
#include "../testing.h"

static cdn_body add_body(cdn_system *system, const char *name, cdn_mobilizer mobilizer) {
  cdn_body_def def = cdn_default_body_def();
  def.name = name, def.mobilizer = mobilizer;
  def.mass.mass = 2, def.mass.inertia = (cdn_inertia){ 1, 1, 1, 0, 0, 0 };
  def.params[0] = 0.5, def.params[1] = 0.25;
  return cdn_system_add_body(system, &def);
}

typedef struct world {
  cdn_system *system;
  cdn_state *state;
  cdn_body pin, slider, free, screw, oval;
  cdn_control control;
  cdn_shape shape; /* the last one: "crate" */
} world;

/* One element of each type, and forces and constraints of every kind that a few bodies can have. */
static world make_world(void) {
  world w = { .system = cdn_system_create(NULL) };
  cdn_system *s = w.system;
  w.pin = add_body(s, "arm", CDN_PIN), w.slider = add_body(s, "cart", CDN_SLIDER);
  w.free = add_body(s, "drone", CDN_FREE), w.screw = add_body(s, "nut", CDN_SCREW);
  w.oval = add_body(s, "egg", CDN_ELLIPSOID);
  const cdn_vec3 o = cdn_v3(0, 0, 0), x = cdn_v3(1, 0, 0), z = cdn_v3(0, 0, 1);
  const cdn_transform X = cdn_transform_identity();

  cdn_control_def control = cdn_default_control_def();
  control.name = "valve", control.unit = "V", control.upper = 12;
  w.control = cdn_system_add_control(s, &control);
  cdn_actuator_def actuator = cdn_default_actuator_def();
  actuator.body = w.pin, actuator.control = w.control, actuator.upper = 3;

  cdn_system_add_gravity(s, "gravity", cdn_v3(0, -9.8, 0));
  cdn_system_add_mobility_spring(s, "turn spring", w.pin, 0, 7, 0.5);
  cdn_system_add_mobility_spring(s, "slide spring", w.slider, 0, 7, 0.5);
  cdn_system_add_mobility_damper(s, "damper", w.slider, 0, 1);
  cdn_system_add_mobility_force(s, "push", w.slider, 0, 1);
  cdn_system_add_global_damper(s, "drag", 0.125);
  cdn_system_add_actuator(s, "motor", &actuator);
  cdn_system_add_mobility_stop(s, "stop", w.slider, 0, -INFINITY, 2, 100, 0.5);
  cdn_system_add_mobility_friction(s, "dry", w.slider, 0, 2, 300, 0.25);
  cdn_system_add_rotation_spring(s, "aligner", w.free, 3, cdn_rotation_identity());
  cdn_system_add_rotation_stop(s, "cone", w.free, 1, 3, 0);
  cdn_system_add_two_point_spring(s, "line", w.pin, x, w.slider, o, 20, 0.75);
  cdn_system_add_two_point_damper(s, "shock", w.pin, x, w.slider, o, 5);
  cdn_system_add_two_point_force(s, "pull", w.pin, x, w.slider, o, 5);
  cdn_system_add_body_force(s, "wind", w.free, o, x, z);
  cdn_system_add_linear_bushing(s, "rubber", w.free, X, w.slider, X, NULL, NULL);

  cdn_smooth_contact_def smooth = cdn_default_smooth_contact_def();
  smooth.name = "heel", smooth.ball_body = w.free, smooth.radius = 0.25;
  cdn_system_add_smooth_contact(s, &smooth);

  const double a[5] = { 0, 1, 0, 0, 0 };
  const cdn_mobility on_pin = { w.pin, 0 }, on_slider = { w.slider, 0 };
  cdn_system_constrain_rod(s, "rod", w.pin, x, w.free, o, 1.5);
  cdn_system_constrain_ball(s, "ball", w.pin, x, w.free, o);
  cdn_system_constrain_point_in_plane(s, "plane", cdn_ground(), cdn_v3(0, 2, 0), 0.5, w.free, o);
  cdn_system_constrain_point_on_line(s, "wire", cdn_ground(), z, o, w.free, o);
  cdn_system_constrain_angle(s, "angle", cdn_ground(), z, w.free, x, 1);
  cdn_system_constrain_joint(s, "hinge", CDN_PIN, cdn_ground(), X, w.free, X, NULL);
  cdn_system_constrain_joint(s, "thread", CDN_SCREW, cdn_ground(), X, w.free, X, NULL);
  cdn_system_constrain_coordinate(s, "held", w.pin, 0, 0.25);
  cdn_system_constrain_speed(s, "paced", w.slider, 0, 0.25);
  cdn_system_constrain_acceleration(s, "hurried", w.slider, 0, 0.25);
  cdn_system_couple_by_polynomial(s, "gear", on_pin, 0, on_slider, 0, a);
  cdn_system_constrain_no_slip(s, "wheel", cdn_ground(), o, x, w.pin, w.slider);
  cdn_system_constrain_rotation(s, "glued", w.slider, w.free);
  cdn_system_constrain_slip_on_line(s, "bead", w.slider, x, w.free, o);
  cdn_system_constrain_sphere_on_plane(s, "marble", cdn_ground(), X, w.free, o, 0.125, false);
  cdn_system_constrain_sphere_on_sphere(s, "pair", w.slider, o, 0.5, w.free, o, 0.25, false);
  cdn_system_constrain_line_on_line(s, "edges", w.slider, X, w.free, X, false);

  cdn_shape_def shape = cdn_default_shape_def();
  shape.name = "floor", shape.geometry.kind = CDN_GEOMETRY_HALF_SPACE;
  const cdn_shape floor = cdn_system_add_shape(s, &shape);
  static const cdn_geometry solids[] = { { CDN_GEOMETRY_SPHERE, { 0.5 }, NULL },
                                         { CDN_GEOMETRY_CAPSULE, { 0.5, 0.25 }, NULL },
                                         { CDN_GEOMETRY_ELLIPSOID, { 0.5, 0.25, 1 }, NULL },
                                         { CDN_GEOMETRY_CYLINDER, { 0.5, 0.25 }, NULL },
                                         { CDN_GEOMETRY_BOX, { 0.5, 0.25, 2 }, NULL } };
  static const char *const names[] = { "knob", "bone", "pebble", "can", "crate" };
  for (int i = 0; i < 5; i++) {
    shape.name = names[i], shape.geometry = solids[i], shape.body = w.free;
    w.shape = cdn_system_add_shape(s, &shape);
  }
  cdn_contact_material material = cdn_contact_material_of_pair();
  material.dissipation = 0.5;
  cdn_contact_pair_def touching = cdn_default_contact_pair_def();
  touching.name = "landing", touching.a = floor, touching.b = w.shape, touching.material = &material;
  cdn_system_add_contact_pair(s, &touching);

  cdn_soft_limit_def limit = cdn_default_soft_limit_def();
  limit.name = "bumper", limit.body = w.slider, limit.lower = -1, limit.disabled = true;
  cdn_system_add_soft_limit(s, &limit);
  cdn_friction_loss_def loss = cdn_default_friction_loss_def();
  loss.name = "rust", loss.body = w.free, loss.mobility = 4, loss.loss = 0.5, loss.disabled = true;
  cdn_system_add_friction_loss(s, &loss);
  cdn_soft_equality_def soft = cdn_default_soft_equality_def();
  soft.name = "glue", soft.kind = CDN_SOFT_WELD, soft.a = w.pin, soft.b = w.free, soft.disabled = true;
  cdn_system_add_soft_equality(s, &soft);
  soft.name = "belt", soft.kind = CDN_SOFT_COUPLE, soft.y = on_pin, soft.x = on_slider;
  cdn_system_add_soft_equality(s, &soft);
  cdn_soft_tendon_def tendon = cdn_default_soft_tendon_def();
  tendon.name = "cord", tendon.joints = 2, tendon.joint[0] = on_pin, tendon.joint[1] = on_slider,
  tendon.disabled = true;
  tendon.coefficient[0] = 0.5, tendon.coefficient[1] = -1, tendon.upper = 3;
  cdn_system_add_soft_tendon(s, &tendon);
  tendon.name = "worn cord", tendon.kind = CDN_TENDON_LOSS, tendon.loss = 2;
  cdn_system_add_soft_tendon(s, &tendon);

  cdn_motion_def motion = cdn_default_motion_def();
  motion.name = "drive", motion.body = w.screw, motion.params[0] = 0.5, motion.params[1] = 3;
  cdn_system_add_motion(s, &motion);
  cdn_system_add_time_measure(s, "clock");
  cdn_event_def event = cdn_default_event_def();
  event.kind = CDN_EVENT_PERIODIC, event.period = 1, event.name = "tick";
  cdn_system_add_event(s, &event);
  const cdn_path path = cdn_system_add_path(s, "tendon");
  cdn_path_add_point(s, path, w.pin, o);
  cdn_path_add_sphere(s, path, w.slider, o, 0.125);
  cdn_path_pass_by(s, path, w.slider, x);
  cdn_path_add_point(s, path, cdn_ground(), cdn_v3(3, 2, 1));
  cdn_path_add_pulley(s, path, 2);
  cdn_path_add_point(s, path, w.slider, x);
  cdn_path_add_point(s, path, cdn_ground(), o);
  cdn_system_add_path_spring(s, "elastic", path, 12, 0.5, 1.5);
  cdn_one_sided_def ground = cdn_default_one_sided_def();
  ground.name = "ground", ground.constraint = cdn_system_find_constraint(s, "marble"), ground.restitution = 0.5;
  cdn_system_make_one_sided(s, &ground);
  cdn_dry_friction_def brake = cdn_default_dry_friction_def();
  brake.name = "brake", brake.slip = cdn_system_find_constraint(s, "paced"), brake.load = 3, brake.mu_dynamic = 0.25;
  cdn_system_add_dry_friction(s, &brake);
  cdn_kept_reaction_def winch = cdn_default_kept_reaction_def();
  winch.name = "winch", winch.push = cdn_system_constrain_speed(s, "wound", w.slider, 0, 0), winch.value = 4;
  winch.constraint = cdn_system_find_constraint(s, "marble");
  cdn_system_keep_reaction(s, &winch);
  cdn_system_add_path_damper(s, "viscous", path, 2);
  OK_FREEZE(s);
  OK(cdn_state_create(s, &w.state));
  return w;
}

static void end(world w) { cdn_state_destroy(w.state), cdn_system_release(w.system); }

START_TEST(test_names_lead_to_elements) {
  const world w = make_world();
  int i = -1;
  for (int type = 0; type < CDN_ELEMENT_COUNT; type++) {
    ck_assert_ptr_nonnull(cdn_element_type_name((cdn_element_type)type));
    const int n = cdn_element_count(w.system, (cdn_element_type)type);
    ck_assert_msg(n > 0, "no %s", cdn_element_type_name((cdn_element_type)type));
    for (int k = 0; k < n; k++) {
      i = cdn_system_find_element(w.system, (cdn_element_type)type,
                                  cdn_element_name(w.system, (cdn_element_type)type, k));
      ck_assert_int_eq(i, k);
    }
    ck_assert_ptr_null(cdn_element_name(w.system, (cdn_element_type)type, n));
    ck_assert_ptr_null(cdn_element_name(w.system, (cdn_element_type)type, -1));
    ck_assert_int_eq(cdn_system_find_element(w.system, (cdn_element_type)type, "nobody"), -1);
    ck_assert(strstr(cdn_last_error_text(), cdn_element_type_name((cdn_element_type)type)) &&
              strstr(cdn_last_error_text(), "'nobody'"));
  }
  i = cdn_system_find_element(w.system, CDN_ELEMENT_MOBILIZER, "cart");
  ck_assert_int_eq(i, w.slider.i);
  ck_assert_str_eq(cdn_element_kind(w.system, CDN_ELEMENT_MOBILIZER, i), "slider");
  ck_assert_str_eq(cdn_element_kind(w.system, CDN_ELEMENT_FORCE, 1), "mobility_spring");
  ck_assert_str_eq(cdn_element_kind(w.system, CDN_ELEMENT_CONSTRAINT, 0), "rod");
  ck_assert_str_eq(cdn_element_kind(w.system, CDN_ELEMENT_MOTION, 0), "sinusoid");
  ck_assert_str_eq(cdn_element_kind(w.system, CDN_ELEMENT_MEASURE, 0), "time");
  ck_assert_str_eq(cdn_element_kind(w.system, CDN_ELEMENT_EVENT, 0), "periodic");
  ck_assert_str_eq(cdn_element_kind(w.system, CDN_ELEMENT_SHAPE, w.shape.i), "box");
  ck_assert_ptr_null(cdn_element_kind(w.system, CDN_ELEMENT_CONTACT_PAIR, 0));
  ck_assert_ptr_null(cdn_element_kind(w.system, CDN_ELEMENT_BODY, 1));
  ck_assert_ptr_null(cdn_element_type_name((cdn_element_type)-1));
  ck_assert_int_eq(cdn_element_count(w.system, CDN_ELEMENT_COUNT), 0);
  ck_assert_int_eq(cdn_system_find_element(w.system, CDN_ELEMENT_COUNT, "arm"), -1);
  end(w);
}
END_TEST

/* Every number of every element: names differ and lead back, what is read is the default, and what is read can be
 * set. */
START_TEST(test_parameters_are_listed) {
  const world w = make_world();
  int all = 0;
  for (int type = 0; type < CDN_ELEMENT_COUNT; type++)
    for (int i = 0; i < cdn_element_count(w.system, (cdn_element_type)type); i++) {
      const char *name = cdn_element_name(w.system, (cdn_element_type)type, i);
      const int n = cdn_element_parameter_count(w.system, (cdn_element_type)type, i);
      double values[64];
      ck_assert_int_le(n, 64);
      OK(cdn_element_get_parameters(w.state, (cdn_element_type)type, i, 0, n, values));
      for (int k = 0; k < n; k++) {
        cdn_parameter p;
        int found = -1;
        OK(cdn_element_parameter(w.system, (cdn_element_type)type, i, k, &p));
        found = cdn_element_find_parameter(w.system, (cdn_element_type)type, i, p.name);
        ck_assert_msg(found == k, "%s '%s': two parameters are called '%s'",
                      cdn_element_type_name((cdn_element_type)type), name, p.name);
        ck_assert_msg(p.initial == values[k], "%s.%s", name, p.name);
        ck_assert_msg(p.unit[0] || type == CDN_ELEMENT_CONTROL, "%s.%s has no unit", name, p.name);
        ck_assert(p.lower <= values[k] && values[k] <= p.upper && p.lower < p.upper);
        all++;
      }
      if (n > 0 && !(type == CDN_ELEMENT_BODY && i == 0))
        OK_ON(w.state, cdn_element_set_parameters(w.state, (cdn_element_type)type, i, 0, n, values));
      double again[64];
      OK(cdn_element_get_parameters(w.state, (cdn_element_type)type, i, 0, n, again));
      for (int k = 0; k < n; k++)
        ck_assert_msg(again[k] == values[k], "%s: %d: %.17g and %.17g", name, k, values[k], again[k]);
    }
  ck_assert_int_gt(all, 300);
  end(w);
}
END_TEST

typedef struct expected {
  cdn_element_type type;
  const char *element, *parameter, *unit;
  double initial, lower, upper;
  bool excludes_lower;
} expected;

START_TEST(test_units_and_limits) {
  const world w = make_world();
  const double inf = INFINITY;
  const expected list[] = {
    { CDN_ELEMENT_BODY, "arm", "mass", "kg", 2, 0, inf, false },
    { CDN_ELEMENT_BODY, "arm", "inertia.yy", "kg m^2", 1, 0, inf, false },
    { CDN_ELEMENT_BODY, "arm", "com.z", "m", 0, -inf, inf, false },
    { CDN_ELEMENT_MOBILIZER, "arm", "armature", "kg m^2", 0, 0, inf, false },
    { CDN_ELEMENT_MOBILIZER, "cart", "armature", "kg", 0, 0, inf, false },
    { CDN_ELEMENT_MOBILIZER, "drone", "armature", "kg m^2, kg", 0, 0, inf, false },
    { CDN_ELEMENT_MOBILIZER, "nut", "pitch", "m/rad", 0.5, -inf, inf, false },
    { CDN_ELEMENT_MOBILIZER, "egg", "b", "m", 0.25, 0, inf, false },
    { CDN_ELEMENT_MOBILIZER, "arm", "X_PF.p.y", "m", 0, -inf, inf, false },
    { CDN_ELEMENT_MOBILIZER, "arm", "X_BM.R.y.y", "1", 1, -inf, inf, false },
    { CDN_ELEMENT_MOTION, "drive", "amplitude", "rad", 0.5, -inf, inf, false },
    { CDN_ELEMENT_MOTION, "drive", "rate", "rad/s", 3, -inf, inf, false },
    { CDN_ELEMENT_FORCE, "gravity", "g.y", "m/s^2", -9.8, -inf, inf, false },
    { CDN_ELEMENT_FORCE, "turn spring", "k", "N m/rad", 7, -inf, inf, false },
    { CDN_ELEMENT_FORCE, "turn spring", "q0", "rad", 0.5, -inf, inf, false },
    { CDN_ELEMENT_FORCE, "slide spring", "k", "N/m", 7, -inf, inf, false },
    { CDN_ELEMENT_FORCE, "slide spring", "q0", "m", 0.5, -inf, inf, false },
    { CDN_ELEMENT_FORCE, "damper", "c", "N s/m", 1, 0, inf, false },
    { CDN_ELEMENT_FORCE, "stop", "k", "N/m", 100, 0, inf, true },
    { CDN_ELEMENT_FORCE, "stop", "d", "s/m", 0.5, 0, inf, false },
    { CDN_ELEMENT_FORCE, "stop", "lower", "m", -inf, -inf, inf, false },
    { CDN_ELEMENT_FORCE, "stop", "upper", "m", 2, -inf, inf, false },
    { CDN_ELEMENT_FORCE, "dry", "loss", "N", 2, 0, inf, false },
    { CDN_ELEMENT_FORCE, "dry", "stiffness", "N/m", 300, 0, inf, true },
    { CDN_ELEMENT_FORCE, "dry", "damping_time", "s", 0.25, 0, inf, true },
    { CDN_ELEMENT_FORCE, "motor", "upper", "N m", 3, -inf, inf, false },
    { CDN_ELEMENT_FORCE, "motor", "bias[2]", "N m s/rad", 0, -inf, inf, false },
    { CDN_ELEMENT_FORCE, "heel", "radius", "m", 0.25, 0, inf, true },
    { CDN_ELEMENT_FORCE, "heel", "modulus", "Pa", 1e7, 0, inf, true },
    { CDN_ELEMENT_FORCE, "heel", "viscous_friction", "s/m", 0, 0, inf, false },
    { CDN_ELEMENT_FORCE, "heel", "depth_sharpness", "1/m", 300, 0, inf, true },
    { CDN_ELEMENT_FORCE, "line", "rest", "m", 0.75, 0, inf, false },
    { CDN_ELEMENT_FORCE, "rubber", "c[2]", "N m s/rad", 0, 0, inf, false },
    { CDN_ELEMENT_FORCE, "rubber", "k[3]", "N/m", 0, -inf, inf, false },
    { CDN_ELEMENT_CONSTRAINT, "rod", "length", "m", 1.5, 0, inf, true },
    { CDN_ELEMENT_CONSTRAINT, "held", "value", "rad", 0.25, -inf, inf, false },
    { CDN_ELEMENT_CONSTRAINT, "paced", "speed", "m/s", 0.25, -inf, inf, false },
    { CDN_ELEMENT_CONSTRAINT, "gear", "a[0]", "rad", 0, -inf, inf, false },
    { CDN_ELEMENT_CONSTRAINT, "gear", "a[2]", "rad/m^2", 0, -inf, inf, false },
    { CDN_ELEMENT_CONSTRAINT, "gear", "x0", "m", 0, -inf, inf, false },
    { CDN_ELEMENT_CONSTRAINT, "plane", "n.y", "1", 1, -inf, inf, false },
    { CDN_ELEMENT_CONSTRAINT, "thread", "pitch", "m/rad", 0, -inf, inf, false },
    { CDN_ELEMENT_CONSTRAINT, "pair", "radius_b", "m", 0.25, 0, inf, false },
    { CDN_ELEMENT_SOFT, "bumper", "lower", "m", -1, -inf, inf, false },
    { CDN_ELEMENT_SOFT, "rust", "loss", "N", 0.5, 0, inf, false },
    { CDN_ELEMENT_SOFT, "glue", "imp[1]", "1", 0.95, 0, 1, false },
    { CDN_ELEMENT_SOFT, "belt", "enabled", "1", 0, 0, 1, false },
    { CDN_ELEMENT_FORCE, "elastic", "lower", "m", 0.5, -inf, inf, false },
    { CDN_ELEMENT_FORCE, "viscous", "c", "N s/m", 2, 0, inf, false },
    { CDN_ELEMENT_PATH, "tendon", "1.radius", "m", 0.125, 0, inf, true },
    { CDN_ELEMENT_PATH, "tendon", "2.p.y", "m", 2, -inf, inf, false },
    { CDN_ELEMENT_PATH, "tendon", "3.divisor", "1", 2, 0, inf, true },
    { CDN_ELEMENT_ONE_SIDED, "ground", "restitution", "1", 0.5, 0, 1, false },
    { CDN_ELEMENT_DRY_FRICTION, "brake", "load", "N", 3, 0, inf, false },
    { CDN_ELEMENT_DRY_FRICTION, "brake", "mu_static", "1", -1, -1, inf, false },
    { CDN_ELEMENT_CONTROL, "valve", "lower", "V", -inf, -inf, inf, false },
    { CDN_ELEMENT_CONTROL, "valve", "upper", "V", 12, -inf, inf, false },
    { CDN_ELEMENT_SHAPE, "floor", "X_BS.p.z", "m", 0, -inf, inf, false },
    { CDN_ELEMENT_SHAPE, "floor", "modulus", "Pa", 1e7, 0, inf, true },
    { CDN_ELEMENT_SHAPE, "floor", "dissipation", "s/m", 0.1, 0, inf, false },
    { CDN_ELEMENT_SHAPE, "floor", "viscous_friction", "s/m", 0, 0, inf, false },
    { CDN_ELEMENT_SHAPE, "floor", "enabled", "1", 1, 0, 1, false },
    { CDN_ELEMENT_SHAPE, "knob", "radius", "m", 0.5, 0, inf, true },
    { CDN_ELEMENT_SHAPE, "bone", "half_length", "m", 0.25, 0, inf, false },
    { CDN_ELEMENT_SHAPE, "pebble", "half.z", "m", 1, 0, inf, true },
    { CDN_ELEMENT_SHAPE, "can", "half_length", "m", 0.25, 0, inf, true },
    { CDN_ELEMENT_SHAPE, "crate", "half.y", "m", 0.25, 0, inf, true },
    { CDN_ELEMENT_CONTACT_PAIR, "landing", "modulus", "Pa", -1, -1, inf, false },
    { CDN_ELEMENT_CONTACT_PAIR, "landing", "dissipation", "s/m", 0.5, -1, inf, false },
  };
  for (int n = 0; n < (int)(sizeof list / sizeof *list); n++) {
    const expected *e = &list[n];
    int i, k;
    double value;
    cdn_parameter p;
    i = cdn_system_find_element(w.system, e->type, e->element);
    k = cdn_element_find_parameter(w.system, e->type, i, e->parameter);
    OK(cdn_element_parameter(w.system, e->type, i, k, &p));
    ck_assert_str_eq(p.name, e->parameter);
    ck_assert_msg(strcmp(p.unit, e->unit) == 0, "%s.%s is in '%s'", e->element, e->parameter, p.unit);
    ck_assert_msg(p.initial == e->initial && p.lower == e->lower && p.upper == e->upper, "%s.%s: %g in %g ... %g",
                  e->element, e->parameter, p.initial, p.lower, p.upper);
    ck_assert_msg(p.excludes_lower == e->excludes_lower, "%s.%s", e->element, e->parameter);
    OK(cdn_parameter_get(w.state, e->type, e->element, e->parameter, &value));
    ck_assert(value == e->initial);
    /* beyond the limits: refused, with the names of both, and nothing changes */
    if (p.lower == -INFINITY) continue;
    const double beyond[] = { p.lower - 1, p.excludes_lower ? p.lower : p.lower - 1e-6, NAN };
    for (int b = 0; b < 3; b++) {
      FAILS(cdn_parameter_set(w.state, e->type, e->element, e->parameter, beyond[b]),
            b == 2 ? CDN_ERR_NONFINITE : CDN_ERR_ARG);
      cdn_error message;
      cdn_state_last_error(w.state, &message);
      ck_assert_str_eq(message.function, "cdn_parameter_set");
      ck_assert_msg(strstr(message.text, e->element), "'%s'", message.text);
      OK(cdn_parameter_get(w.state, e->type, e->element, e->parameter, &value));
      ck_assert(value == e->initial);
    }
  }
  end(w);
}
END_TEST

START_TEST(test_setting_acts) {
  const world w = make_world();
  double value, energy, length;
  /* the same as the functions of the kinds, on which everything else depends */
  OK(cdn_parameter_set(w.state, CDN_ELEMENT_BODY, "arm", "mass", 3));
  ck_assert_double_eq(cdn_body_mass_properties(w.state, w.pin).mass, 3);
  OK(cdn_parameter_set(w.state, CDN_ELEMENT_MOBILIZER, "arm", "X_PF.p.y", 0.5));
  ck_assert_double_eq(cdn_body_X_PF(w.state, w.pin).p.y, 0.5);
  OK(cdn_parameter_set(w.state, CDN_ELEMENT_MOBILIZER, "cart", "armature", 0.25));
  ck_assert_double_eq(cdn_body_armature(w.state, w.slider), 0.25);
  OK(cdn_parameter_set(w.state, CDN_ELEMENT_MOBILIZER, "nut", "pitch", 2));
  ck_assert_double_eq(cdn_body_mobilizer_params(w.state, w.screw)[0], 2);
  OK(cdn_parameter_set(w.state, CDN_ELEMENT_MOTION, "drive", "rate", 4));
  ck_assert_double_eq(cdn_motion_params(w.state, (cdn_motion){ 0 })[1], 4);
  OK(cdn_parameter_set(w.state, CDN_ELEMENT_CONSTRAINT, "rod", "length", 2));
  ck_assert_double_eq(cdn_constraint_params(w.state, (cdn_constraint){ 0 }, NULL)[6], 2);
  OK(cdn_parameter_set(w.state, CDN_ELEMENT_CONTROL, "valve", "upper", 1));
  OK(cdn_control_set(w.state, w.control, 5));
  OK(cdn_control_value(w.state, w.control, &value));
  ck_assert_double_eq(value, 1);
  FAILS(cdn_parameter_set(w.state, CDN_ELEMENT_CONTROL, "valve", "lower", 2), CDN_ERR_ARG);
  OK(cdn_parameter_set(w.state, CDN_ELEMENT_SHAPE, "crate", "half.z", 3));
  OK(cdn_parameter_set(w.state, CDN_ELEMENT_SHAPE, "crate", "X_BS.p.y", 0.5));
  cdn_geometry geometry;
  cdn_transform X_GS;
  OK_ON(w.state, cdn_shape_get(w.state, w.shape, &geometry, &X_GS));
  ck_assert(geometry.size[0] == 0.5 && geometry.size[1] == 0.25 && geometry.size[2] == 3);
  ck_assert_double_eq_tol(X_GS.p.y - cdn_body_q(w.state, w.free)[5], 0.5, 1e-15);
  int touches;
  OK_ON(w.state, cdn_contact_count(w.state, &touches));
  ck_assert_int_gt(touches, 0);
  for (int i = 0; i < cdn_element_count(w.system, CDN_ELEMENT_SHAPE); i++)
    OK(cdn_parameter_set(w.state, CDN_ELEMENT_SHAPE, cdn_element_name(w.system, CDN_ELEMENT_SHAPE, i), "enabled", 0));
  OK_ON(w.state, cdn_contact_count(w.state, &touches));
  ck_assert_int_eq(touches, 0);
  FAILS(cdn_parameter_set(w.state, CDN_ELEMENT_SHAPE, "crate", "dynamic_friction", 2), CDN_ERR_ARG); /* above static */
  FAILS(cdn_parameter_set(w.state, CDN_ELEMENT_SHAPE, "crate", "X_BS.R.x.x", 2), CDN_ERR_ARG);
  OK(cdn_parameter_set(w.state, CDN_ELEMENT_CONTACT_PAIR, "landing", "dissipation", -1));
  FAILS(cdn_parameter_set(w.state, CDN_ELEMENT_CONTACT_PAIR, "landing", "dissipation", -0.5), CDN_ERR_ARG);
  FAILS(cdn_parameter_set(w.state, CDN_ELEMENT_CONTACT_PAIR, "landing", "modulus", 0), CDN_ERR_ARG);
  FAILS(cdn_parameter_set(w.state, CDN_ELEMENT_FORCE, "heel", "dynamic_friction", 2), CDN_ERR_ARG); /* above static */
  FAILS(cdn_parameter_set(w.state, CDN_ELEMENT_FORCE, "heel", "X_AP.R.y.y", 2), CDN_ERR_ARG);
  OK(cdn_parameter_set(w.state, CDN_ELEMENT_FORCE, "stop", "upper", INFINITY));
  OK(cdn_parameter_get(w.state, CDN_ELEMENT_FORCE, "stop", "upper", &value));
  ck_assert(value == INFINITY);
  FAILS(cdn_parameter_set(w.state, CDN_ELEMENT_FORCE, "line", "rest", INFINITY), CDN_ERR_NONFINITE);
  for (int f = 0; f < cdn_system_force_count(w.system); f++)
    OK(cdn_force_set_enabled(w.state, (cdn_force){ f }, f == 1));
  OK(cdn_parameter_set(w.state, CDN_ELEMENT_FORCE, "turn spring", "q0", 0.25));
  OK(cdn_potential_energy(w.state, &energy));
  NEAR(energy, 0.5 * 7 * 0.25 * 0.25, 1e-15);

  /* directions keep their length */
  const double n[3] = { 0, 0, 4 };
  int i, k;
  i = cdn_system_find_element(w.system, CDN_ELEMENT_CONSTRAINT, "plane");
  OK(cdn_element_set_parameters(w.state, CDN_ELEMENT_CONSTRAINT, i, 0, 3, n));
  OK(cdn_parameter_get(w.state, CDN_ELEMENT_CONSTRAINT, "plane", "n.z", &value));
  ck_assert_double_eq(value, 1);
  const double nowhere[3] = { 0 };
  FAILS(cdn_element_set_parameters(w.state, CDN_ELEMENT_CONSTRAINT, i, 0, 3, nowhere), CDN_ERR_ARG);
  OK(cdn_parameter_set(w.state, CDN_ELEMENT_FORCE, "aligner", "R0.x", 1));
  OK(cdn_parameter_get(w.state, CDN_ELEMENT_FORCE, "aligner", "R0.w", &length));
  NEAR(length, sqrt(0.5), 1e-15);

  /* numbers that belong together are set in one call, all or none */
  double frame[12] = { 0, 1, 0, -1, 0, 0, 0, 0, 1, 5, 6, 7 };
  k = cdn_element_find_parameter(w.system, CDN_ELEMENT_MOBILIZER, w.pin.i, "X_BM.R.x.x");
  OK(cdn_element_set_parameters(w.state, CDN_ELEMENT_MOBILIZER, w.pin.i, k, 12, frame));
  ck_assert_double_eq(cdn_body_X_BM(w.state, w.pin).R.x.y, 1);
  ck_assert_double_eq(cdn_body_X_BM(w.state, w.pin).p.z, 7);
  FAILS(cdn_parameter_set(w.state, CDN_ELEMENT_MOBILIZER, "arm", "X_BM.R.x.x", 0.5), CDN_ERR_ARG);
  double both[25];
  OK(cdn_element_get_parameters(w.state, CDN_ELEMENT_MOBILIZER, w.pin.i, 0, 25, both));
  both[9] = 100, both[24] = -1; /* a good frame, and a bad armature */
  FAILS(cdn_element_set_parameters(w.state, CDN_ELEMENT_MOBILIZER, w.pin.i, 0, 25, both), CDN_ERR_ARG);
  ck_assert_double_eq(cdn_body_X_PF(w.state, w.pin).p.x, 0);
  const double inertia[] = { 1, 1, 5 }; /* no body has it */
  FAILS(cdn_element_set_parameters(w.state, CDN_ELEMENT_BODY, w.pin.i, 4, 3, inertia), CDN_ERR_ARG);
  end(w);
}
END_TEST

START_TEST(test_what_is_not_there) {
  const world w = make_world();
  double value;
  cdn_parameter p;
  FAILS(cdn_parameter_set(w.state, CDN_ELEMENT_FORCE, "turn spring", "stiffness", 1), CDN_ERR_ARG);
  ck_assert(strstr(cdn_last_error_text(), "it has: k, q0, k2, k3"));
  FAILS(cdn_parameter_get(w.state, CDN_ELEMENT_FORCE, "sprung", "k", &value), CDN_ERR_ARG);
  FAILS(cdn_parameter_get(w.state, (cdn_element_type)77, "turn spring", "k", &value), CDN_ERR_ARG);
  FAILS(cdn_element_parameter(w.system, CDN_ELEMENT_FORCE, 1, 4, &p), CDN_ERR_ARG);
  FAILS(cdn_element_parameter(w.system, CDN_ELEMENT_FORCE, 1000, 0, &p), CDN_ERR_ARG);
  FAILS(cdn_element_parameter(w.system, CDN_ELEMENT_EVENT, 0, 0, &p), CDN_ERR_ARG);
  FAILS(cdn_element_parameter(w.system, CDN_ELEMENT_FORCE, 1, 0, NULL), CDN_ERR_ARG);
  FAILS(cdn_element_get_parameters(w.state, CDN_ELEMENT_FORCE, 1, 3, 2, (double[2]){ 0 }), CDN_ERR_ARG);
  FAILS(cdn_element_get_parameters(w.state, CDN_ELEMENT_FORCE, 1, 0, -1, &value), CDN_ERR_ARG);
  FAILS(cdn_element_get_parameters(w.state, CDN_ELEMENT_FORCE, 1, INT32_MAX, INT32_MAX, &value), CDN_ERR_ARG);
  FAILS(cdn_element_set_parameters(w.state, CDN_ELEMENT_FORCE, 1, 0, 1, NULL), CDN_ERR_ARG);
  ck_assert_int_eq(cdn_element_find_parameter(w.system, CDN_ELEMENT_CONSTRAINT, 0, NULL), -1);
  FAILS(cdn_parameter_set(NULL, CDN_ELEMENT_FORCE, "turn spring", "k", 1), CDN_ERR_ARG);
  /* Ground moves nowhere */
  ck_assert_int_eq(cdn_element_parameter_count(w.system, CDN_ELEMENT_MOBILIZER, 0), 0);
  end(w);

  cdn_system *system = cdn_system_create(NULL);
  add_body(system, "arm", CDN_PIN);
  ck_assert_int_eq(cdn_element_count(system, CDN_ELEMENT_BODY), 2);
  ck_assert_int_eq(cdn_element_parameter_count(system, CDN_ELEMENT_BODY, 1), 0);
  FAILS(cdn_element_parameter(system, CDN_ELEMENT_BODY, 1, 0, &p), CDN_ERR_NOT_FROZEN);
  cdn_system_release(system);
}
END_TEST

/* A custom force and a custom constraint: what they declare has names, too. */
typedef struct thruster {
  cdn_dvar gains, limit;
} thruster;
static cdn_status declare_thruster(void *self, cdn_declarer *d) {
  thruster *t = self;
  t->gains = cdn_declare_parameters(d, "gain", 2, (const double[]){ 3, 4 });
  t->limit = cdn_declare_parameters(d, "limit", 1, (const double[]){ 5 });
  return CDN_OK;
}
static cdn_status calc_thrust(const void *self, cdn_state *state, cdn_forces *forces) {
  (void)self, (void)state, (void)forces;
  return CDN_OK;
}
static cdn_status calc_rows(const void *self, const cdn_constraint_input *in, cdn_rows *rows) {
  (void)self, (void)in;
  cdn_rows_add_mobility(rows, 0, (cdn_body){ 1 }, 0, 1);
  return CDN_OK;
}

START_TEST(test_custom_elements) {
  cdn_system *system = cdn_system_create(NULL);
  const cdn_body arm = add_body(system, "arm", CDN_PIN);
  const cdn_force_ops ops = { .subsystem = { .struct_size = sizeof ops.subsystem,
                                             .name = "thruster",
                                             .self_size = sizeof(thruster),
                                             .declare = declare_thruster },
                              .struct_size = sizeof ops,
                              .calc_force = calc_thrust };
  cdn_system_add_custom_force(system, &ops, &(thruster){ 0 });
  const cdn_constraint_ops rows = { .struct_size = sizeof rows, .name = "brake", .nv = 1, .calc_rows = calc_rows };
  const cdn_mobility on_arm = { arm, 0 };
  cdn_custom_constraint_def def = cdn_default_custom_constraint_def();
  def.name = "grip", def.ops = &rows, def.mobilities = &on_arm, def.n_mobilities = 1;
  def.params = (const double[]){ 8, 9 }, def.n_params = 2;
  cdn_system_constrain_custom(system, &def);
  OK_FREEZE(system);
  cdn_state *state;
  OK(cdn_state_create(system, &state));

  const char *force = cdn_element_name(system, CDN_ELEMENT_FORCE, 0);
  double value;
  ck_assert_int_eq(cdn_element_parameter_count(system, CDN_ELEMENT_FORCE, 0), 3);
  OK(cdn_parameter_get(state, CDN_ELEMENT_FORCE, force, "gain[1]", &value));
  ck_assert_double_eq(value, 4);
  OK(cdn_parameter_set(state, CDN_ELEMENT_FORCE, force, "limit", 6));
  OK(cdn_parameter_get(state, CDN_ELEMENT_SUBSYSTEM, "thruster", "limit", &value));
  ck_assert_double_eq(value, 6);
  const double three[] = { 1, 2, 3 }, bad[] = { 7, 7, NAN };
  OK(cdn_element_set_parameters(state, CDN_ELEMENT_FORCE, 0, 0, 3, three));
  FAILS(cdn_element_set_parameters(state, CDN_ELEMENT_FORCE, 0, 0, 3, bad), CDN_ERR_NONFINITE);
  OK(cdn_parameter_get(state, CDN_ELEMENT_FORCE, force, "gain[0]", &value));
  ck_assert_double_eq(value, 1);
  ck_assert_str_eq(cdn_element_kind(system, CDN_ELEMENT_CONSTRAINT, 0), "brake");
  OK(cdn_parameter_set(state, CDN_ELEMENT_CONSTRAINT, "grip", "params[1]", 10));
  OK(cdn_parameter_get(state, CDN_ELEMENT_CONSTRAINT, "grip", "params[1]", &value));
  ck_assert_double_eq(value, 10);
  /* arrays of the library's rooms are parameters of their elements, and not of subsystems */
  for (int i = 0; i < cdn_element_count(system, CDN_ELEMENT_SUBSYSTEM); i++)
    if (strcmp(cdn_element_name(system, CDN_ELEMENT_SUBSYSTEM, i), "thruster") != 0)
      ck_assert_int_eq(cdn_element_parameter_count(system, CDN_ELEMENT_SUBSYSTEM, i), 0);
  cdn_state_destroy(state), cdn_system_release(system);
}
END_TEST

START_TEST(test_user_pointers) {
  const world w = make_world();
  static char marks[CDN_ELEMENT_COUNT][64];
  for (int type = 0; type < CDN_ELEMENT_COUNT; type++)
    for (int i = cdn_element_count(w.system, (cdn_element_type)type) - 1; i >= 0; i -= 2) {
      ck_assert_ptr_null(cdn_element_user(w.system, (cdn_element_type)type, i));
      OK(cdn_element_set_user(w.system, (cdn_element_type)type, i, &marks[type][i % 64]));
    }
  for (int type = 0; type < CDN_ELEMENT_COUNT; type++)
    for (int i = cdn_element_count(w.system, (cdn_element_type)type) - 1, set = 1; i >= 0; i--, set = !set)
      ck_assert_ptr_eq(cdn_element_user(w.system, (cdn_element_type)type, i), set ? &marks[type][i % 64] : NULL);
  OK(cdn_element_set_user(w.system, CDN_ELEMENT_BODY, w.pin.i, NULL));
  ck_assert_ptr_null(cdn_element_user(cdn_state_system(w.state), CDN_ELEMENT_BODY, w.pin.i));
  FAILS(cdn_element_set_user(w.system, CDN_ELEMENT_BODY, 1000, marks), CDN_ERR_ARG);
  FAILS(cdn_element_set_user(w.system, (cdn_element_type)-1, 0, marks), CDN_ERR_ARG);
  ck_assert_ptr_null(cdn_element_user(w.system, CDN_ELEMENT_BODY, -1));
  ck_assert_ptr_null(cdn_element_user(w.system, (cdn_element_type)1000, 0));
  end(w);

  /* while building, too */
  cdn_system *system = cdn_system_create(NULL);
  const cdn_body arm = add_body(system, "arm", CDN_PIN);
  OK(cdn_element_set_user(system, CDN_ELEMENT_BODY, arm.i, marks));
  add_body(system, "hand", CDN_PIN);
  OK_FREEZE(system);
  ck_assert_ptr_eq(cdn_element_user(system, CDN_ELEMENT_BODY, arm.i), marks);
  ck_assert_ptr_null(cdn_element_user(system, CDN_ELEMENT_BODY, arm.i + 1));
  cdn_system_release(system);
}
END_TEST

CHECK_MAIN("elements", test_names_lead_to_elements, test_parameters_are_listed, test_units_and_limits,
           test_setting_acts, test_what_is_not_there, test_custom_elements, test_user_pointers)
