/* A run that is saved on its way and goes on from there: the swing of a double pendulum, where the smallest difference
 * would soon be a large one. Both runs end with the same bits. */
#include <cardan/core.h>
#include <stdio.h>
#include <string.h>

static cdn_status build(cdn_system *system) {
  static const double angle[] = { 2, -1 };
  cdn_body_def def = cdn_default_body_def();
  def.mobilizer = CDN_PIN;
  def.X_BM.p = cdn_v3(0, 1, 0);
  def.mass.mass = 1;
  def.name = "upper", def.q0 = &angle[0];
  def.parent = cdn_system_add_body(system, &def);
  def.name = "lower", def.q0 = &angle[1];
  cdn_system_add_body(system, &def);
  cdn_system_add_gravity(system, "gravity", cdn_v3(0, -9.80665, 0));
  return cdn_system_freeze(system);
}

int main(void) {
  cdn_system *system = cdn_system_create(NULL);
  cdn_state *state = NULL;
  cdn_stepper *through = NULL, *resumed = NULL;
  cdn_stepper_def how = cdn_default_stepper_def();
  how.accuracy = 1e-6;
  FILE *file = tmpfile();
  cdn_status status = build(system);
  if (status == CDN_OK) status = cdn_state_create(system, &state);
  if (status == CDN_OK) status = cdn_stepper_create(state, &how, &through);

  /* Saving changes nothing: the run goes on. (cdn_buffer_write and cdn_buffer_read keep the bytes in memory.) */
  if (status == CDN_OK) status = cdn_stepper_advance(through, 7.5, NULL);
  if (status == CDN_OK) status = cdn_stepper_save(through, cdn_file_write, file);
  if (status == CDN_OK) status = cdn_stepper_advance(through, 20, NULL);

  /* Perhaps in another process, on another day: the model is built again, and the stepper comes with all that it
   * knew. */
  if (file) rewind(file);
  if (status == CDN_OK) status = cdn_stepper_load(state, NULL, NULL, cdn_file_read, file, &resumed);
  if (status == CDN_OK) status = cdn_stepper_advance(resumed, 20, NULL);

  bool same = false;
  if (status == CDN_OK) {
    const double *a = cdn_state_q(cdn_stepper_state(through)), *b = cdn_state_q(cdn_stepper_state(resumed));
    same = memcmp(a, b, 2 * sizeof *a) == 0;
    printf("after 20 s: %+.15f %+.15f, saved and resumed at 7.5 s: %+.15f %+.15f\n", a[0], a[1], b[0], b[1]);
  }
  if (status != CDN_OK) fprintf(stderr, "checkpoint: %s\n", cdn_last_error_text());
  if (file) fclose(file);
  cdn_stepper_destroy(through), cdn_stepper_destroy(resumed);
  cdn_state_destroy(state), cdn_system_release(system);
  return same ? 0 : 1;
}
