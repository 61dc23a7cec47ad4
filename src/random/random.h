/* The interface of random numbers for the rooms above, beyond the public header. */
#ifndef CARDAN_RANDOM_ROOM_H
#define CARDAN_RANDOM_ROOM_H

#include <cardan/random.h>

/* The variable that holds a State's place in the stream, and its size in doubles; 0: the System has none. */
int cdni_random_variable(const cdn_system *system, cdn_dvar *v);
/* Of such variables: State k of several gets a stream of its own, the run of `first` plus k, if it has that run. */
void cdni_random_part(const double *first, double *values, int k);

#endif
