/* What is written out in MJCF's document before its sections are read: copies of what names something in a replicate,
 * and cables. */
#ifndef CARDAN_IO_MJCF_EXPAND_H
#define CARDAN_IO_MJCF_EXPAND_H

#include "io/mjcf.h"

/* A suffix of names in a copy. */
typedef struct mjcf_suffix {
  int index;             /* among all, in the order in which they are read */
  int first, last, next; /* of the copies in this one; the next of those around; -1: none */
  const char *outer;     /* text of that of the copy around it, or NULL */
  char text[60];
} mjcf_suffix;

/* ---- mjcf_copies.c ---- */

/* The suffix of names in copy i of `count`: a separator and the number, with zeros before it, before the suffix of the
 * copy around it (or NULL). */
cdn_status io_mjcf_make_suffix(mjcf_reader *r, const char *separator, int count, int i, const char *outer,
                               const char **out);
/* An element with the reader's suffix has this full name. */
void io_mjcf_note_copy(mjcf_reader *r, const io_xml_node *node, const char *full_name);
/* An attached element is in the copy that has this suffix; `bare` is its name without. */
void io_mjcf_note_attached(mjcf_reader *r, mjcf_named kind, const char *bare, const char *full, const char *suffix);
/* Once all bodies are read: what names copied elements is copied with them, under their suffixes. */
cdn_status io_mjcf_copy_references(mjcf_reader *r);
void io_mjcf_free_copies(mjcf_reader *r);

/* ---- mjcf_composite.c ---- */

/* The name of the class of elements that no default class of a file touches. */
#define MJCF_PLAIN_CLASS "(none)"
/* Writes out the cables in a document, and the exclusions of their contacts into `root`. */
cdn_status io_mjcf_expand_composites(mjcf_reader *r, io_xml_node *in, io_xml_node *root);

#endif
