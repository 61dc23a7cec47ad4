/* Robots that stand by PD on compliant contact, under error control with a companion: seconds of processor for a second
 * of motion. */
#ifndef CARDAN_BENCH_STANDING_ROBOTS_H
#define CARDAN_BENCH_STANDING_ROBOTS_H

namespace bench {

/* Of the models that are there; `directory` has models/ (NULL: none). */
void time_standing_robots(const char *directory);

} // namespace bench

#endif
