/* A four-bar that is dragged: the end of the coupler goes along a line as far as it can, and the loop stays closed. The
 * program keeps its own loop and shows each pose. Run it with `--serve` and open the address that it prints; Ctrl-C
 * ends it. */
#include <cardan/core.h>
#include <cardan/assembly.h>
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

static cdn_body add_link(cdn_system *system, const char *name, cdn_body parent, double at, double length) {
  cdn_body_def def = cdn_default_body_def();
  def.name = name, def.parent = parent, def.mobilizer = CDN_PIN, def.X_PF.p = cdn_v3(at, 0, 0);
  def.mass = (cdn_mass_properties){ 1, cdn_v3(length / 2, 0, 0), { 0, 0.1, 0.1, 0, 0, 0 } };
  return cdn_system_add_body(system, &def);
}

int main(int argc, char **argv) {
  cdn_system *system = cdn_system_create(NULL);
  const cdn_body crank = add_link(system, "crank", cdn_ground(), 0, 1),
                 coupler = add_link(system, "coupler", crank, 1, 3),
                 rocker = add_link(system, "rocker", cdn_ground(), 4, 3.5);
  cdn_system_constrain_ball(system, "pin", rocker, cdn_v3(3.5, 0, 0), coupler, cdn_v3(3, 0, 0));

  cdn_state *state = NULL;
  cdn_assembly *assembly = NULL;
  cdn_view_def look = cdn_default_view_def();
  look.serve = argc > 1 && strcmp(argv[1], "--serve") == 0;
  look.layers |= CDN_LAYER_JOINTS | CDN_LAYER_CONSTRAINTS;
  cdn_status status = cdn_system_freeze(system);
  if (!status) status = cdn_state_create(system, &state);
  if (!status) status = cdn_state_set_q(state, (const double[]){ 0.3, 0.9, 2.3 });
  if (!status) status = cdn_assembly_create(system, NULL, &assembly);
  const cdn_goal hand = cdn_assembly_add_marker(assembly, "hand", coupler, cdn_v3(3, 0, 0), 1);
  if (!status) status = cdn_view_open(state, &look, &view);
  if (status == CDN_ERR_UNSUPPORTED) return 77; /* this library has no viewer */
  if (!status && look.serve) printf("open %s\n", cdn_view_address(view)), fflush(stdout);
  signal(SIGINT, stop);

  double worst = 0;
  cdn_view_wishes wish = { .paused = false };
  for (int i = 0; !status && !wish.stopped && (look.serve || i < 200); i++) {
    cdn_assembly_report report = { .error = 0 };
    /* waits a 60th of a second for a wish, or until the page lets it go on */
    status = cdn_view_poll(view, state, look.serve ? 1.0 / 60 : 0, &wish);
    if (wish.paused && !wish.steps) continue;
    if (!status) status = cdn_assembly_observe_marker(assembly, hand, cdn_v3(3 + 1.5 * sin(0.05 * i), 3, 0));
    if (!status) status = cdn_assemble(assembly, state, &report);
    if (!status)
      status = cdn_state_set_time(state, i / 60.0); /* poses have no time of their own; the page plays them by it */
    if (!status) status = cdn_view_show(view, state);
    worst = fmax(worst, report.error);
  }
  printf("largest error of the loop: %.1e m\n", worst);
  if (status) fprintf(stderr, "drag_four_bar: %s\n", cdn_last_error_text());
  cdn_view_close(view), cdn_assembly_destroy(assembly), cdn_state_destroy(state), cdn_system_release(system);
  return !status && worst < 1e-9 ? 0 : 1;
}
