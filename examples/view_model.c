/* A view of a System of one's own in a browser: a cart with a pendulum, which the mouse can pull. Run it with `--serve`
 * and open the address that it prints; Ctrl-C ends it. Without, it runs the same without a server, for a second. */
#include <cardan/core.h>
#include <cardan/view.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>

static cdn_view *view;
static void stop(int number) {
  (void)number;
  cdn_view_stop(view);
}

static cdn_system *build(void) {
  cdn_system *system = cdn_system_create(NULL);
  cdn_body_def def = cdn_default_body_def();
  def.name = "cart", def.mobilizer = CDN_SLIDER;
  def.mass = (cdn_mass_properties){ .mass = 2, .inertia = { 0.1, 0.1, 0.1, 0, 0, 0 } };
  const cdn_body cart = cdn_system_add_body(system, &def);
  def.name = "pendulum", def.parent = cart, def.mobilizer = CDN_PIN;
  def.X_PF.R = def.X_BM.R = cdn_rotation_axis_angle(cdn_v3(1, 0, 0), 1.5707963267948966); /* turns about y */
  def.X_BM.p = cdn_v3(0, 0, 1);
  cdn_system_add_body(system, &def);
  cdn_system_add_gravity(system, "gravity", cdn_v3(0, 0, -9.81));
  cdn_system_add_mobility_spring(system, "spring", cart, 0, 20, 0);
  cdn_system_add_perturbation(system, NULL);
  return system;
}

int main(int argc, char **argv) {
  cdn_system *system = build();
  cdn_state *state = NULL;
  cdn_view_def look = cdn_default_view_def();
  cdn_stepper_def how = cdn_default_stepper_def();
  look.name = "cart and pendulum";
  look.serve = argc > 1 && strcmp(argv[1], "--serve") == 0;
  how.companion = true;
  if (!look.serve) how.final_time = 1;

  cdn_status status = cdn_system_freeze(system);
  if (!status) status = cdn_state_create(system, &state);
  if (!status) status = cdn_body_set_q(state, (cdn_body){ 2 }, 1, (const double[]){ 0.7 });
  if (!status) status = cdn_view_open(state, &look, &view);
  if (status == CDN_ERR_UNSUPPORTED) return 77; /* this library has no viewer */
  if (!status && look.serve) printf("open %s\n", cdn_view_address(view)), fflush(stdout);
  signal(SIGINT, stop);
  if (!status) status = cdn_view_run(view, &how);
  if (status) fprintf(stderr, "view_model: %s\n", cdn_last_error_text());
  cdn_view_close(view), cdn_state_destroy(state), cdn_system_release(system);
  return status ? 1 : 0;
}
