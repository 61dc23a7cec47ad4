/* A State that goes over to another System. Private to the room. */
#ifndef CARDAN_STUDIES_CARRY_H
#define CARDAN_STUDIES_CARRY_H

#include <cardan/carry.h>

#include "core/core.h"

/* Names in order, with the numbers of their elements. */
typedef struct carry_name {
  const char *name;
  int i;
} carry_name;

typedef struct carrier {
  cdn_state *from, *to;
  cdn_state *base; /* of the old System, with its defaults */
  const cdn_system *old, *new;
  const cdn_allocator *memory;
  struct {
    carry_name *names;
    int n;
  } tables[CDN_ELEMENT_COUNT]; /* of the new System */
  cdn_carry_report *report;
  cdn_status status; /* of what cannot return it: memory ran out */
} carrier;

/* The element of this name in the new System, or -1. */
int cdni_carry_find(const carrier *c, cdn_element_type type, const char *name);
void cdni_carry_tell(carrier *c, cdn_element_type type, cdn_carry_fate fate, const char *name, const double error[4],
                     const char *format, ...) CDN_PRINTF(6, 7);
/* carry_motion.c: q and u, locks, applied forces; tells which mobilizers are new, gone, or others. */
cdn_status cdni_carry_motion(carrier *c);

#endif
