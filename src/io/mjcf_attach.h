/* Models that are attached to a model: private to the files that attach them. */
#ifndef CARDAN_IO_MJCF_ATTACH_H
#define CARDAN_IO_MJCF_ATTACH_H

#include "io/mjcf_expand.h"
#include "io/spec_references.h"

/* What is attached of a model: its world, or a body or a frame of it. */
typedef struct mjcf_part {
  const char *word, *name; /* "body" or "frame", and which; NULL: the world */
  cdn_spec *spec;          /* with that alone. Of the world: the model's own, which is not the part's */
  io_spec_index names;     /* of its elements */
  /* Its elements of the model's, and the model's of its own (-1: it does not have that); NULL: they are the same. */
  int *from[CDN_SPEC_KIND_COUNT], *to[CDN_SPEC_KIND_COUNT];
  int n_from[CDN_SPEC_KIND_COUNT], n_to[CDN_SPEC_KIND_COUNT];
  cdn_transform X_undone; /* from the model's Ground, or the body that the frame is on, to the frame around the part */
} mjcf_part;

/* A model, read once, whatever number of times it is attached. */
typedef struct mjcf_child {
  char *path;   /* NULL: the outer model itself */
  char *folder; /* where its file is, seen from that of the outer model: "" or "folder/" */
  io_xml_document *xml;
  cdn_spec *spec;
  mjcf_reader reader;
  bool read;
  cdni_array parts; /* mjcf_part * */
} mjcf_child;

/* Something that is attached. */
typedef struct mjcf_attachment {
  const mjcf_child *child;
  const mjcf_part *part;
  io_xml_node *node;            /* the <attach> */
  const char *prefix, *suffix;  /* suffix NULL: none */
  char mark[24];                /* in names that are made up, if another one has this prefix; or "" */
  int place, frame;             /* what it is attached to */
  cdn_transform X;              /* where the child's Ground is on that body */
  bool shares;                  /* its assets and classes are there already */
  bool again;                   /* the same <attach> was met before, in a replicate */
  int joints, actuators;        /* how many there were before its own */
  int *at[CDN_SPEC_KIND_COUNT]; /* what its elements are in the spec; -1: they are not there yet */
  int *places;                  /* what the child's places are in the tree; -1: not there */
} mjcf_attachment;

static inline mjcf_attachment *io_mjcf_attachment(const mjcf_reader *r, int i) {
  return CDNI_AT(r->attachments, mjcf_attachment *, i);
}

/* ---- mjcf_part.c ---- */

cdn_status io_mjcf_find_part(mjcf_reader *r, io_xml_node *node, mjcf_child *child, const char *word, const char *name,
                             const mjcf_part **part);
void io_mjcf_free_part(const cdn_allocator *a, const mjcf_child *child, mjcf_part *part);
static inline int io_mjcf_from(const mjcf_part *part, int kind, int i) {
  return part->from[kind] ? part->from[kind][i] : i;
}
static inline int io_mjcf_to(const mjcf_part *part, int kind, int i) { return part->to[kind] ? part->to[kind][i] : i; }

/* ---- mjcf_join.c ---- */

/* Assets, classes and what lies on the child's Ground. */
cdn_status io_mjcf_attach_ground(mjcf_reader *r, mjcf_attachment *a, mjcf_body_mass *sum, int *selected);

#endif
