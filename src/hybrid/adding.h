/* What adders of elements have in common. Private to the room. */
#ifndef CARDAN_HYBRID_ADDING_H
#define CARDAN_HYBRID_ADDING_H

#include "hybrid/internal.h"
#include "system/adding.h"

static const double FINITE = 1.7976931348623157e308;

/* Refuses; returns false. */
bool cdni_hybrid_refuse(cdni_adder *by, const char *text);
/* Refuses a constraint that is not there, or that an element switches already. */
bool cdni_hybrid_check_constraint(cdni_adder *by, const hybrid_room *room, cdn_constraint c, const char *what);
/* Refuses a mobilizer that is not there, and an axis that is not finite. */
bool cdni_hybrid_check_mobilizer(cdni_adder *by, cdn_body mobilizer, cdn_vec3 axis);
/* A unit vector along the axis; 0 for 0. */
v3 cdni_hybrid_axis(cdn_vec3 axis);
/* Adds an element of `size` bytes to a list, and its n parameters. */
bool cdni_hybrid_keep(cdni_adder *by, cdni_array *list, size_t size, const void *element, cdni_array *params, int n,
                      const double *values);

#endif
