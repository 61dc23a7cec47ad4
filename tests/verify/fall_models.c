/* MJCF models in which a body must not get through another one. */
#include "fall_models.h"

#include "../testing.h"

static void write_text(fall_model *f, const char *option, const char *world, const char *joint, const char *body,
                       const char *key) {
  const int n = snprintf(f->text, sizeof f->text,
                         "<mujoco>%s<worldbody>%s<body name=\"body\">%s%s</body></worldbody>"
                         "<keyframe><key name=\"go\" %s/></keyframe></mujoco>",
                         option, world, joint, body, key);
  ck_assert_int_lt(n, (int)sizeof f->text);
}

static void guard_under(fall_model *f, double z, double behind, double half) {
  f->guard = (guard){ .present = true, .X = { cdn_rotation_identity(), cdn_v3(0, 0, z) }, .behind = behind };
  f->guard.half[0] = f->guard.half[1] = half;
}

/* What lies on the ground: a plane, a thick box, or a table of that half thickness, whose tops are at z = 0. */
static double write_floor(fall_model *f, dice *d, int kind, char world[400]) {
  const double t = dice_uniform(d, 0.01, 0.03);
  if (kind == 0) snprintf(world, 400, "<geom type=\"plane\" size=\"20 20 .1\"/>");
  else if (kind == 1) snprintf(world, 400, "<geom type=\"box\" size=\"20 20 .1\" pos=\"0 0 -.1\"/>");
  else
    snprintf(
        world, 400,
        "<geom type=\"plane\" size=\"5 5 .1\" pos=\"0 0 -.7\"/><geom type=\"box\" size=\"2 2 %g\" pos=\"0 0 %g\"/>", t,
        -t);
  guard_under(f, kind == 2 ? -t : 0, kind == 2 ? t : 0.05, kind == 2 ? 1.5 : 15);
  return kind == 2 ? t : 0.1;
}

static void make_fall(fall_model *f, dice *d, bool box, int floor) {
  char world[400], body[200], key[200];
  const double h = dice_uniform(d, 0.3, 1.5), r = dice_uniform(d, 0.01, 0.05);
  const double thick = write_floor(f, d, floor, world);
  const cdn_quaternion q = cdn_quaternion_from_rotation(dice_rotation(d));
  if (box) snprintf(body, sizeof body, "<geom type=\"box\" size=\"%g %g %g\"/>", 3 * r, 2 * r, fmin(r, 0.5 * thick));
  else snprintf(body, sizeof body, "<geom type=\"sphere\" size=\"%g\"/>", r);
  snprintf(key, sizeof key, "qpos=\"0 0 %g %g %g %g %g\"", h + 4 * r, q.w, q.x, q.y, q.z);
  write_text(f, "", world, "<freejoint/>", body, key);
  f->end = 1.5 * sqrt(2 * h / 9.81), f->finest = 0.2 * fmin(r, thick) / (sqrt(20 * h) + 1);
}

static void make_throw(fall_model *f, dice *d) {
  char world[200], body[100], key[200];
  const double t = dice_uniform(d, 0.01, 0.05), r = dice_uniform(d, 0.01, 0.05), v = dice_uniform(d, 2, 8);
  snprintf(world, sizeof world, "<geom type=\"box\" size=\"%g 4 4\" pos=\"2 0 0\"/>", t);
  snprintf(body, sizeof body, "<geom type=\"sphere\" size=\"%g\"/>", r);
  snprintf(key, sizeof key, "qpos=\"0 0 0 1 0 0 0\" qvel=\"%g 0 3 0 0 0\"", v);
  write_text(f, "", world, "<freejoint/>", body, key);
  f->guard = (guard){ .present = true, .X = { cdn_rotation_z_to(cdn_v3(-1, 0, 0)), cdn_v3(2, 0, 0) }, .behind = t };
  f->guard.half[0] = f->guard.half[1] = 3.5;
  f->end = 3 / v, f->finest = 0.2 * fmin(r, t) / 10;
}

static void make_bullet(fall_model *f, dice *d) {
  char world[200], key[200];
  const double t = dice_uniform(d, 0.002, 0.02), v = dice_uniform(d, 1, 10);
  snprintf(world, sizeof world, "<geom type=\"box\" size=\"%g 1 1\"/>", t);
  snprintf(key, sizeof key, "qpos=\"-3 0 0 1 0 0 0\" qvel=\"%g 0 0 0 0 0\"", v);
  write_text(f, "<option gravity=\"0 0 0\"/>", world, "<freejoint/>",
             "<geom type=\"sphere\" size=\".01\" mass=\".05\"/>", key);
  f->guard = (guard){ .present = true, .X = { cdn_rotation_z_to(cdn_v3(-1, 0, 0)), cdn_v3(0, 0, 0) }, .behind = t };
  f->guard.half[0] = f->guard.half[1] = 0.9;
  f->end = 5 / v, f->finest = 0.2 * t / 10;
}

static void make_arm(fall_model *f, dice *d) {
  char key[100];
  const double w = dice_uniform(d, 2, 12);
  snprintf(key, sizeof key, "qpos=\"0\" qvel=\"%g\"", w);
  write_text(f, "", "<geom type=\"box\" size=\".01 .01 .1\" pos=\"-.5 0 0\"/>",
             "<joint type=\"hinge\" axis=\"0 0 1\"/>",
             "<geom type=\"capsule\" size=\".01\" fromto=\"0 0 0 .45 0 0\" mass=\"1\" contype=\"0\" conaffinity=\"0\"/>"
             "<geom type=\"sphere\" size=\".02\" pos=\".5 0 0\" mass=\".1\"/>",
             key);
  f->guard = (guard){ .present = true, .polar = true, .centre = { 0.5, 0, 0 }, .radius = 0.5, .behind = 0.03 };
  f->guard.X = cdn_transform_identity(), f->guard.half[0] = f->guard.half[1] = 0.02;
  f->end = 1.3 * PI / w, f->finest = 0.2 * 0.01 / (0.5 * w);
}

static void make_pendulum(fall_model *f, dice *d) {
  char world[200];
  const double t = dice_uniform(d, 0.01, 0.03);
  snprintf(world, sizeof world, "<geom type=\"box\" size=\"%g 1 .3\" pos=\"0 0 -1\"/>", t);
  write_text(f, "", world, "<joint type=\"hinge\" axis=\"0 1 0\"/>",
             "<geom type=\"sphere\" size=\".03\" pos=\"-1 0 0\"/>", "qpos=\"0\"");
  f->guard = (guard){ .present = true, .X = { cdn_rotation_z_to(cdn_v3(-1, 0, 0)), cdn_v3(0, 0, -1) } };
  f->guard.centre = cdn_v3(-1, 0, 0), f->guard.behind = t, f->guard.half[0] = f->guard.half[1] = 0.25;
  f->end = 0.72, f->finest = 0.2 * t / 5;
}

void fall_model_make(dice *d, int kind, fall_model *out) {
  memset(out, 0, sizeof *out);
  if (kind < 6) make_fall(out, d, kind >= 3, kind % 3);
  else if (kind == 6) make_throw(out, d);
  else if (kind == 7) dice_chance(d, 0.5) ? make_bullet(out, d) : make_pendulum(out, d);
  else make_arm(out, d);
}

void fall_model_scene(const fall_model *f, cdn_model_contact contact, scene *out) {
  cdn_model *model;
  cdn_model_options options = cdn_default_model_options();
  cdn_error error = { .code = CDN_OK };
  options.contact = contact;
  const cdn_status status = cdn_model_load_string(f->text, strlen(f->text), "fall.xml", &options, &model);
  if (status) cdn_model_last_error(model, &error);
  ck_assert_msg(!status, "%s: %s\n%s", cdn_status_name(status), error.text, f->text);
  *out = (scene){
    .family = "model", .end = f->end, .finest = f->finest, .reports = 10, .most_steps = 4000, .guard = f->guard
  };
  out->law = contact == CDN_MODEL_SOFT ? LAW_SOFT : LAW_HERTZ;
  out->chaotic = true;
  out->guard.of = cdn_model_find_body(model, "body");
  OK(cdn_state_create(cdn_model_system(model), &out->start));
  OK_ON(out->start, cdn_model_set_key(model, "go", out->start));
  snprintf(out->what, sizeof out->what, "%.200s", strstr(f->text, "<worldbody>"));
  cdn_model_destroy(model);
}
