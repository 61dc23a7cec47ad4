/* shared by tests in this folder */
/* Scenes of rigid contact, ropes and friction, and their runs. */
#ifndef CARDAN_TESTS_HYBRID_SCENES_H
#define CARDAN_TESTS_HYBRID_SCENES_H

#include <cardan/model.h>

#include "runs.h"

/* A body of mass m on a slider along x of Ground; one in the x-y plane, with a central inertia J about z; a point. */
cdn_body add_slider(cdn_system *system, const char *name, double m);
cdn_body add_planar(cdn_system *system, const char *name, double m, double J);
cdn_body add_point(cdn_system *system, const char *name, double m);
/* A table whose height is A sin(w t). */
cdn_body add_shaking_table(cdn_system *system, double A, double w);
/* A frame whose z is the unit vector n in the x-y plane, whose x is at a right angle to it in the plane, at p. */
cdn_transform facing(cdn_vec3 n, cdn_vec3 p);
/* A model of examples/models with rigid contact, and a State of it; the caller destroys both. */
cdn_model *rigid_example(const char *name, cdn_state **state);
/* Frozen, with a State that keeps the System. */
cdn_state *hybrid_state(cdn_system *system, const double *q, const double *u);
/* Height of a point that bounces with e, at time t, from rest at h. */
double bouncing_height(double g, double h, double e, double t);
/* Dry friction of a belt that pulls a slider along: N times the coefficients. */
cdn_dry_friction add_belt(cdn_system *system, const char *name, cdn_body slider, double speed, double N,
                          double mu_static, double mu_dynamic);

/* A run that is shown at its events. */
cdn_stepper *event_run(cdn_state *state, double accuracy);
/* Advances to the next event that says `what` after the element's name ("touches"), at most to t; false: none came. */
bool run_to_event(cdn_stepper *run, const char *what, double t);
/* The verdict on it must not be that its accuracy was missed. */
void check_verdict(cdn_stepper *run);
void end_event_run(cdn_stepper *run, cdn_state *state);
/* Inverse dynamics returns what leads to accelerations: nothing is missing at those of the State, and with an actuator
 * of each mobility it returns forces that lead to others. */
void check_inverse(cdn_state *state);
/* Runs a rod of 1 kg and 1 m from its start of "rigid-pin" to rest on a bearing with mu r = 0.02 m, turn by turn
 * (../shared/hybrid/reference_values.json), and ends the run. */
void check_swings_of_pin(cdn_state *state, cdn_dry_friction bearing);

#endif
