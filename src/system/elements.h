/* How rooms offer their elements to those who look them up (cardan/elements.h): each room has a list of its types. */
#ifndef CARDAN_SYSTEM_ELEMENTS_H
#define CARDAN_SYSTEM_ELEMENTS_H

#include <cardan/elements.h>
#include <math.h>

#include "system/system.h"

/* ---- one parameter, as the tables of kinds describe it ---- */

enum {
  CDNI_EXCLUDES_LOWER = 1,
  CDNI_EXCLUDES_UPPER = 2,
  CDNI_MAY_BE_INFINITE = 4, /* the State holds +-DBL_MAX then */
};

typedef struct cdni_parameter {
  const char *name;
  /* Of elements on a mobility "of lengths|of angles". */
  const char *unit;
  double lower, upper;
  int flags;
  /* > 0: so many numbers from this one on are a direction or a quaternion, whose length is 1. */
  int normalized;
  const char *advice; /* what else to do if a limit refuses a value; may be NULL */
} cdni_parameter;

#define CDNI_ANY(name, unit) \
  { name, unit, -INFINITY, INFINITY, 0, 0, NULL }
#define CDNI_NOT_NEGATIVE(name, unit) \
  { name, unit, 0, INFINITY, 0, 0, NULL }
#define CDNI_POSITIVE(name, unit) \
  { name, unit, 0, INFINITY, CDNI_EXCLUDES_LOWER, 0, NULL }
#define CDNI_BOUND(name, unit) \
  { name, unit, -INFINITY, INFINITY, CDNI_MAY_BE_INFINITE, 0, NULL }
#define CDNI_VECTOR(name, unit) CDNI_ANY(name ".x", unit), CDNI_ANY(name ".y", unit), CDNI_ANY(name ".z", unit)
#define CDNI_DIRECTION(name) \
  { name ".x", "1", -INFINITY, INFINITY, 0, 3, NULL }, CDNI_ANY(name ".y", "1"), CDNI_ANY(name ".z", "1")
#define CDNI_QUATERNION(name) { name ".w", "1", -INFINITY, INFINITY, 0, 4, NULL }, CDNI_VECTOR(name, "1")
/* R by columns, then p. */
#define CDNI_FRAME(name)                                                                       \
  CDNI_VECTOR(name ".R.x", "1"), CDNI_VECTOR(name ".R.y", "1"), CDNI_VECTOR(name ".R.z", "1"), \
      CDNI_VECTOR(name ".p", "m")

/* CDN_OK, or a code and the reason: the first of n numbers that is not finite, or beyond its limits. */
cdn_status cdni_parameters_check(const cdni_parameter *table, int n, const double *values, char *reason, size_t size);
/* Scales directions and quaternions to unit length; a zero one stays as it is. */
void cdni_parameters_normalize(const cdni_parameter *table, int n, double *values);
/* ---- a type of elements ---- */

/* Parameter k of an element: its description, and where a State has it. */
typedef struct cdni_parameter_place {
  cdni_parameter is;
  char name[64];  /* in place of is.name, if that is NULL */
  char unit[32];  /* likewise */
  char dimension; /* of the mobility: 'L' or 'A', which chooses among units; 0: not known */
  cdn_dvar array;
  int at;
} cdni_parameter_place;

typedef struct cdni_elements {
  cdn_element_type type;
  int (*count)(const cdn_system *system);
  const char *(*name)(const cdn_system *system, int i); /* of one that is there */
  /* Whether it is of no matter that another has its name; NULL: never. */
  bool (*may_share)(const cdn_system *system, int i);
  const char *(*kind)(const cdn_system *system, int i); /* NULL: the type has no kinds */
  /* Of a frozen System; NULL: the type has no parameters. */
  int (*parameter_count)(const cdn_system *system, int i);
  void (*parameter)(const cdn_system *system, int i, int k, cdni_parameter_place *out);
  /* Sets some parameters of one that is there, all or none; what fails is told on the State. */
  cdn_status (*set)(cdn_state *state, const char *function, int i, int first, int n, const double *values);
} cdni_elements;

/* The number of the element of that name, -1: there is none (NULL included). */
int cdni_find_by_name(const cdn_system *system, cdn_element_type type, const char *name);

/* What a room's list ends with. */
#define CDNI_NO_MORE_ELEMENTS \
  { .type = CDN_ELEMENT_COUNT }

/* The parameters of a subsystem of the user's: all numbers of its arrays, for elements that are subsystems. */
int cdni_subsystem_parameter_count(const cdn_system *system, cdn_subsystem id);
void cdni_subsystem_parameter(const cdn_system *system, cdn_subsystem id, int k, cdni_parameter_place *out);
cdn_status cdni_subsystem_set_parameters(cdn_state *state, const char *function, cdn_subsystem id, int first, int n,
                                         const double *values);
/* Says that a subsystem's arrays are the parameters of a room's elements, and not its own. */
void cdni_subsystem_is_room(cdn_system *system, cdn_subsystem id);

#endif
