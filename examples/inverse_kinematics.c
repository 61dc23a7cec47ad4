/* Inverse kinematics from markers: a leg of three bodies (pelvis free, hip a ball, knee a pin with bounds) carries nine
 * markers. A walk of our own makes the recording, with noise, and with markers that are out of sight now and then; the
 * leg is then tracked through it frame by frame, and the joints compared with the walk. */
#include <cardan/core.h>
#include <cardan/assembly.h>
#include <math.h>
#include <stdio.h>

enum { MARKERS = 9, FRAMES = 200 };
static const double NOISE = 0.002; /* m */

/* Noise with the same numbers in every run. */
static double next_noise(void) {
  static uint32_t x = 1;
  x = x * 1664525u + 1013904223u;
  return NOISE * ((double)x / 2147483648. - 1);
}

int main(void) {
  cdn_system *system = cdn_system_create(NULL);
  cdn_body_def def = cdn_default_body_def();
  def.mass = (cdn_mass_properties){ 8, cdn_v3(0, -0.2, 0), { 0.1, 0.1, 0.1, 0, 0, 0 } };
  def.name = "pelvis", def.mobilizer = CDN_FREE;
  cdn_body body[3];
  body[0] = cdn_system_add_body(system, &def);
  def.name = "thigh", def.mobilizer = CDN_BALL, def.parent = body[0], def.X_PF.p = cdn_v3(0, -0.1, 0.1);
  body[1] = cdn_system_add_body(system, &def);
  def.name = "shank", def.mobilizer = CDN_PIN, def.parent = body[1], def.X_PF.p = cdn_v3(0, -0.42, 0);
  body[2] = cdn_system_add_body(system, &def);

  static const char *const names[MARKERS] = { "asis left", "asis right", "sacrum",         "trochanter",   "mid thigh",
                                              "knee",      "tibia",      "ankle, outside", "ankle, inside" };
  static const int on[MARKERS] = { 0, 0, 0, 1, 1, 1, 2, 2, 2 };
  const cdn_vec3 at[MARKERS] = { { 0.1, 0.05, -0.12 },  { 0.1, 0.05, 0.12 },  { -0.1, 0.06, 0 },
                                 { 0.02, 0, 0.08 },     { 0.06, -0.2, 0.03 }, { 0, -0.4, 0.06 },
                                 { 0.05, -0.15, 0.02 }, { 0, -0.4, 0.05 },    { 0, -0.4, -0.05 } };

  cdn_state *walk = NULL, *found = NULL;
  cdn_assembly *assembly = NULL;
  cdn_assembly_def how = cdn_default_assembly_def();
  how.accuracy = 1e-6;
  cdn_status status = cdn_system_freeze(system);
  if (!status) status = cdn_state_create(system, &walk);
  if (!status) status = cdn_state_create(system, &found);
  if (!status) status = cdn_assembly_create(system, &how, &assembly);
  for (int i = 0; i < MARKERS; i++) cdn_assembly_add_marker(assembly, names[i], body[on[i]], at[i], 1);
  if (!status) status = cdn_assembly_set_bounds(assembly, body[2], 0, -2.4, 0); /* a knee bends one way */

  double worst_rms = 0, worst_knee = 0;
  for (int frame = 0; !status && frame < FRAMES; frame++) {
    const double t = frame / 100., s = sin(6.283 * t), knee = -0.6 + 0.5 * s;
    const double pelvis[7] = { 1, 0.02 * s, 0.05 * s, 0, 1.2 * t, 0.95 + 0.02 * s, 0 };
    const double hip[4] = { 1, 0.03 * s, 0.02, 0.2 * sin(6.283 * t + 1) };
    cdn_vec3 seen[MARKERS];
    status = cdn_body_set_q(walk, body[0], 7, pelvis);
    if (!status) status = cdn_body_set_q(walk, body[1], 4, hip);
    if (!status) status = cdn_body_set_q(walk, body[2], 1, &knee);
    for (int i = 0; !status && i < MARKERS; i++) {
      status = cdn_body_station(walk, body[on[i]], at[i], &seen[i], NULL);
      seen[i] = cdn_add(seen[i], cdn_v3(next_noise(), next_noise(), next_noise()));
      if ((frame / 10 + i) % 9 == 0) seen[i].x = NAN; /* an arm is in the way */
    }
    cdn_assembly_report report;
    if (!status) status = cdn_track(assembly, found, t, MARKERS, seen, &report);
    if (status) break;
    const double off = fabs(*cdn_body_q(found, body[2]) - knee);
    worst_rms = fmax(worst_rms, report.marker_rms), worst_knee = fmax(worst_knee, off);
    if (frame % 25 == 0)
      printf("%4.2f s  %d markers, rms %.1f mm, most %.1f mm at %s; knee %+.3f rad (was %+.3f), %d steps\n", t,
             report.markers, 1e3 * report.marker_rms, 1e3 * report.marker_most,
             cdn_assembly_goal_name(assembly, report.worst_marker), *cdn_body_q(found, body[2]), knee,
             report.iterations);
  }
  printf("rms at most %.1f mm; the knee is off by %.3f rad at most\n", 1e3 * worst_rms, worst_knee);
  if (status) fprintf(stderr, "inverse_kinematics: %s\n", cdn_last_error_text());
  cdn_assembly_destroy(assembly), cdn_state_destroy(walk), cdn_state_destroy(found), cdn_system_release(system);
  return !status && worst_rms < 2 * NOISE && worst_knee < 0.05 ? 0 : 1;
}
