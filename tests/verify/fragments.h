/* What fragments of C in documents find there: a System, a State and a run of the reader's, a model of a file, and
 * bodies of theirs. A page adds what it needs besides by <!-- given: declarations --> above a fragment. */
#include <cardan/cardan.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

extern cdn_system *system_;
#define system system_ /* stdlib.h has a function of this name */
extern cdn_state *state;
extern cdn_stepper *stepper;
extern cdn_model *model;
extern cdn_spec *spec;
extern cdn_status status;
extern const cdn_body base, belt, body, coupler, crank, elbow, fin, hand, head, lower_arm, rocker, shank, shin,
    upper_arm, wheel;
