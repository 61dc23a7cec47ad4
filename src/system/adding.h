/* Adding elements: what adders of every kind have in common. The first thing that is wrong with an element fails the
 * System, by a message that begins with the element; the rest is skipped. */
#ifndef CARDAN_SYSTEM_ADDING_H
#define CARDAN_SYSTEM_ADDING_H

#include "system/system.h"

typedef struct cdni_adder {
  cdn_system *system;
  const char *function;
  const char *what, *name; /* as messages have them: "force 'tether'" */
  char made_up[32];        /* the name of an element without one */
  bool ok;                 /* false if a failure makes the rest pointless */
} cdni_adder;

/* Starts adding an element to a room, which is returned, made on first use; NULL: the System takes no more. */
void *cdni_adder_begin(cdni_adder *a, cdn_system *system, int room, const char *function, const char *what);
/* Its name: as the user says, or made of the first word of what it is and its number. */
void cdni_adder_name(cdni_adder *a, const char *name, size_t number);
/* Fails for a def that cannot be read, or is not given (NULL); `unreadable` says why. */
void cdni_adder_fail_unreadable(cdni_adder *a, const void *def, const char *unreadable);
/* Stores a building error that names the element. */
void cdni_adder_refuse(cdni_adder *a, cdn_status code, const char *format, ...) CDN_PRINTF(3, 4);
/* Refuses what refers to an element that is not among those that there are. */
void cdni_adder_check_there(cdni_adder *a, const char *what, int i, int count);
/* Refuses numbers that are not finite; NULL is allowed. */
void cdni_adder_check_numbers(cdni_adder *a, const char *what, const double *numbers, int n);

#endif
