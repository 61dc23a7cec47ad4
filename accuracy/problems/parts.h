/* What the builders of problems have in common. They serve the program of this folder and the tests. */
#ifndef CARDAN_ACCURACY_PARTS_H
#define CARDAN_ACCURACY_PARTS_H

#include <math.h>
#include <string.h>

#include <cardan/cardan.h>

#define PI 3.14159265358979323846

/* The call must succeed, or the program ends with the message that the State (which may be NULL) has kept: a problem
 * that cannot be built is a mistake in this folder. */
#define MUST(state, call) must((state), (call), #call)
void must(const cdn_state *state, cdn_status status, const char *call);

/* The mass properties of a point and of a body with a diagonal central inertia. */
cdn_mass_properties point_mass(double mass, cdn_vec3 at);
cdn_mass_properties solid(double mass, cdn_vec3 com, double ixx, double iyy, double izz);
/* A frame at p whose z axis (a pin's) or x axis (a slider's) points along `axis`. */
cdn_transform frame_z(cdn_vec3 axis, cdn_vec3 p);
cdn_transform frame_x(cdn_vec3 axis, cdn_vec3 p);
/* A body on a pin about `axis` through p of the parent and through the body's own origin; parallel axes at q = 0. */
cdn_body add_pin(cdn_system *system, const char *name, cdn_body parent, cdn_vec3 axis, cdn_vec3 p,
                 cdn_mass_properties mass);
/* A body of that kind whose frames are its parent's and its own. */
cdn_body add_mobile(cdn_system *system, const char *name, cdn_body parent, cdn_mobilizer kind,
                    cdn_mass_properties mass);
/* A point on a slider along x of Ground. */
cdn_body add_on_rail(cdn_system *system, const char *name, double m);

/* A State of the System, which it keeps alive: the caller's reference is dropped. */
cdn_state *state_of(cdn_system *system);
/* The same, at q and u (NULL: as declared). */
cdn_state *state_with(cdn_system *system, const double *q, const double *u);

#endif
