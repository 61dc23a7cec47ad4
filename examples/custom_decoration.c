/* Marks of one's own in a picture: the centre of mass of a double pendulum, the arrow of its velocity, and its height
 * as text. Whatever draws the scene shows them: `cdn_view`, `cdn_renderer`, a program. Run it with `--serve` to look at
 * them in a browser; Ctrl-C ends it. */
#include <cardan/core.h>
#include <cardan/operators.h>
#include <cardan/view.h>
#include <cardan/scene.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>

static cdn_view *view;
static void stop(int number) {
  (void)number;
  cdn_view_stop(view);
}

static cdn_status declare(void *self, cdn_declarer *d) {
  (void)self, (void)d; /* no variables of its own */
  return CDN_OK;
}

static cdn_status decorate(const void *self, cdn_state *state, cdn_decorations *d) {
  const float orange[4] = { 1, 0.5f, 0, 1 };
  char text[32];
  cdn_vec3 p, v;
  (void)self;
  cdn_status status = cdn_center_of_mass(state, &p);
  if (!status) status = cdn_center_of_mass_velocity(state, &v);
  if (status) return status;
  snprintf(text, sizeof text, "%.2f m", p.z);
  status = cdn_decorate_point(d, p, cdn_decorations_scale(d), orange);
  if (!status) status = cdn_decorate_arrow(d, p, cdn_add(p, cdn_scale(0.2, v)), orange);
  return status ? status : cdn_decorate_text(d, p, text, NULL);
}

static cdn_system *build(void) {
  cdn_system *system = cdn_system_create(NULL);
  cdn_body_def def = cdn_default_body_def();
  def.name = "upper", def.mobilizer = CDN_PIN;
  def.mass = (cdn_mass_properties){ .mass = 1, .inertia = { 0.1, 0.1, 0.1, 0, 0, 0 } };
  def.X_PF.R = def.X_BM.R = cdn_rotation_axis_angle(cdn_v3(1, 0, 0), 1.5707963267948966);
  def.X_BM.p = cdn_v3(0, 0, 1);
  def.parent = cdn_system_add_body(system, &def);
  def.name = "lower";
  cdn_system_add_body(system, &def);
  cdn_system_add_gravity(system, "gravity", cdn_v3(0, 0, -9.81));
  const cdn_subsystem_ops ops = {
    .struct_size = sizeof ops, .name = "centre of mass", .declare = declare, .decorate = decorate
  };
  cdn_system_add_subsystem(system, &ops, NULL);
  return system;
}

/* The marks are where the State says. */
static cdn_status check(cdn_state *state, bool *good) {
  cdn_scene *scene = NULL;
  cdn_vec3 p;
  int n = 0;
  cdn_status status = cdn_scene_create(state, NULL, &scene);
  if (!status) status = cdn_scene_update(scene, state);
  if (!status) status = cdn_center_of_mass(state, &p);
  const cdn_mark *marks = status ? NULL : cdn_scene_marks(scene, &n);
  *good = n == 3 && marks[0].kind == CDN_MARK_POINT && cdn_norm(cdn_sub(marks[0].X_G.p, p)) < 1e-12 &&
          marks[2].kind == CDN_MARK_TEXT;
  for (int i = 0; i < n; i++)
    printf("mark of kind %d%s%s\n", (int)marks[i].kind, marks[i].text ? ": " : "", marks[i].text ? marks[i].text : "");
  cdn_scene_destroy(scene);
  return status;
}

int main(int argc, char **argv) {
  cdn_system *system = build();
  cdn_state *state = NULL;
  bool good = false;
  cdn_view_def look = cdn_default_view_def();
  cdn_stepper_def how = cdn_default_stepper_def();
  look.serve = argc > 1 && strcmp(argv[1], "--serve") == 0;
  if (!look.serve) how.final_time = 0.5;
  cdn_status status = cdn_system_freeze(system);
  if (!status) status = cdn_state_create(system, &state);
  if (!status) status = cdn_state_set_q(state, (const double[]){ 1, 0.5 });
  if (!status) status = check(state, &good);
  if (!status) status = cdn_view_open(state, &look, &view);
  if (!status && look.serve) printf("open %s\n", cdn_view_address(view)), fflush(stdout);
  signal(SIGINT, stop);
  if (!status) status = cdn_view_run(view, &how);
  if (status == CDN_ERR_UNSUPPORTED) status = CDN_OK; /* this library has no viewer; the scene has the marks */
  if (status) fprintf(stderr, "custom_decoration: %s\n", cdn_last_error_text());
  cdn_view_close(view), cdn_state_destroy(state), cdn_system_release(system);
  return !status && good ? 0 : 1;
}
