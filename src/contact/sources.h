/* Sources of contacts of the user's. Private to the room. */
#ifndef CARDAN_CONTACT_SOURCES_H
#define CARDAN_CONTACT_SOURCES_H

#include "contact/room.h"

/* A source: a subsystem, whose private part this is. */
typedef struct contact_source {
  cdn_system *system;
  char *name;
  cdn_contact_source_fn *find;
  void *self;
  size_t self_size; /* 0: the pointer is the user's */
  cdn_ticket *reads;
  int n_reads;
  int32_t i;
  cdn_computed_region found; /* source_contact */
} contact_source;

/* Features of contacts of source i begin at (i + 1) times this. */
enum { SOURCE_FEATURES = 1 << 24, MOST_SOURCES = 100 }; /* so that features are 32 bits */
static inline bool cdni_contact_is_of_source(const contact_room *room, int32_t feature) {
  return room->sources.count > 0 && feature >= SOURCE_FEATURES;
}

/* The contacts of the sources read poses and sizes of shapes. */
void cdni_contact_sources_declare(contact_room *room, cdn_declarer *d);
/* Makes the contacts of all sources prerequisites of a region. */
void cdni_contact_sources_precede(const contact_room *room, cdn_declarer *d, cdn_computed_region region);
/* Compute functions: those of pairs, and those of the sources among them. */
cdn_region_fn cdni_contact_merge_points, cdni_contact_merge_touches;

#endif
