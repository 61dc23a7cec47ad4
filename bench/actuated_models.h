// Models with actuators, tendons, sensors and media, as MJCF that every MuJoCo from 2.2.2 on reads.
#ifndef CARDAN_BENCH_ACTUATED_MODELS_H
#define CARDAN_BENCH_ACTUATED_MODELS_H

#include <string>

namespace bench {

// A leg of seven hinges and 24 muscles that wrap around the hip, the knee and the ankle. No shape touches another.
std::string leg_of_24_muscles();
// A quadruped of 12 motors on a floor; with sensors: 50 of them.
std::string quadruped(bool with_sensors);
// Six links with five motors, in water: by the inertia box of each body, or by ellipsoids.
std::string swimmer(bool ellipsoids);
// Chains of 10 hinges each on one floating body: 1000 bodies beside it.
std::string thousand_bodies();

} // namespace bench

#endif
