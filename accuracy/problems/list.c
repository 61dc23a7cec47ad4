/* All problems, in the order in which they are run and printed. */
#include "contacts.h"
#include "cranks.h"
#include "extremes.h"
#include "kinks.h"
#include "loops.h"
#include "motions.h"
#include "oscillators.h"
#include "pendulums.h"
#include "tops.h"

#define MOTION(motion, text, until)                                                      \
  static cdn_state *start_##motion(const problem *p) { return (void)p, motion.start(); } \
  static const problem rods_##motion = { .name = #motion, .what = text, .end = until, .start = start_##motion }

MOTION(chain10, "ten rods on turning pins, released near hanging, 10 s", 10);
MOTION(oscillatory, "five links on springs of up to 60 Hz, without dampers, 1 s", 1);
MOTION(springs, "the ten rods on stiff springs with dampers, 5 s", 5);
MOTION(humanoid, "a limp person on springs and dampers, thrown, 3 s", 3);
MOTION(stiff, "three links whose dampers let errors decay at some thousand a second, 1 s", 1);

const problem *const problems[] = {
  /* libraries */
  &pendulum_a01, &pendulum_a01_long, &ladder_1, &ladder_2, &ladder_5, &ladder_10, &ladder_pinned_5, &loop_andrews,
  &loop_bricard, &loop_governor, &loop_car_axis, &crank_sundials, &pendulum_rod, &pendulum_ark, &pendulum_double,
  &top_i123, &top_box, &loop_rolling_disc,
  /* pendulums */
  &pendulum_longest, &pendulum_spherical, &pendulum_double_small, &pendulum_shaken, &pendulum_chaos_5,
  &pendulum_chaos_8, &pendulum_chaos_12, &pendulum_chaos_16, &pendulum_chaos_20, &pendulum_chaos_25, &pendulum_chaos_30,
  &pendulum_chaos_40,
  /* tops */
  &top_i123_long, &top_symmetric_5, &top_symmetric_40, &top_symmetric_150, &top_across_5, &top_across_150, &top_first_5,
  &top_first_150, &top_middle_5, &top_middle_40, &top_third_5, &top_third_40, &top_third_150, &top_third_long,
  &top_middle_2, &top_heavy, &top_heavy_tip, &top_heavy_long, &top_orbit,
  /* mechanisms */
  &crank_heavy, &crank_fast, &crank_whip_80, &crank_whip_96, &crank_whip_99, &crank_driven,
  /* springs */
  &oscillator_10, &oscillator_1e3, &oscillator_1e4, &oscillator_small, &oscillator_row, &oscillator_row_damped,
  &oscillator_row_stiff, &oscillator_maxwell, &oscillator_spinning_pair, &rods_chain10, &rods_oscillatory,
  &rods_springs, &rods_humanoid, &rods_stiff,
  /* kinks and events */
  &kink_stops, &kink_stops_hard, &kink_bilinear, &kink_coulomb, &kink_pendulum_stop, &event_ball_5, &event_ball_9,
  &event_ball_rest, &event_relay, &event_bouncing, &extreme_digital,
  /* rigid contact and friction that sticks */
  &contact_ball, &contact_table, &contact_rope, &contact_rocking, &contact_belt, &contact_chain, &contact_pulled,
  &contact_pin, &contact_woodpecker, &contact_motor, &contact_ratchet, &contact_oscillator,
  &contact_oscillator_unstable, &contact_clearance, &contact_bar, &contact_rods, &contact_ladder, &contact_flat,
  &contact_groove, &shapes_backspin, &shapes_slide, &shapes_tip, &shapes_rock, &shapes_flat, &shapes_stack,
  &shapes_coin, &shapes_tippe, &shapes_limbs,
  /* extremes */
  &extreme_molecule, &extreme_orbit_metres, &extreme_masses, &extreme_balls
};
const int problem_count = sizeof problems / sizeof *problems;

const problem *find_problem(const char *name) {
  for (int i = 0; i < problem_count; i++) {
    if (!strcmp(problems[i]->name, name)) return problems[i];
  }
  return NULL;
}
