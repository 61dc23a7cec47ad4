/* Private to the files of paths. */
#ifndef CARDAN_PATHS_INTERNAL_H
#define CARDAN_PATHS_INTERNAL_H

#include "paths/paths.h"
#include "system/adding.h"

typedef enum path_item_kind {
  PATH_POINT,
  PATH_SPHERE,
  PATH_CYLINDER,
  PATH_PULLEY,
  PATH_COORDINATE,
  PATH_ITEM_KINDS
} path_item_kind;

/* Numbers of an item, parameters of the State: */
enum {
  ITEM_PLACE,           /* 3: of a point, of an obstacle's origin */
  ITEM_RADIUS = 3,      /* of an obstacle */
  ITEM_DIVISOR = 3,     /* of a pulley */
  ITEM_COEFFICIENT = 0, /* of a coordinate: first, so that those of a path lie evenly */
  ITEM_SIDE = 4,        /* 3: of an obstacle */
  ITEM_NUMBERS = PATH_NUMBERS
};

typedef struct path_item {
  path_item_kind kind;
  int32_t body, side_body; /* side_body -1: none */
  cdn_rotation R;          /* of a cylinder, in its body */
  int32_t q, u;            /* of a coordinate: matter's slots */
  double numbers[ITEM_NUMBERS];
} path_item;

typedef struct path_entry {
  char *name;
  cdni_array items;       /* path_item */
  cdni_array coordinates; /* path_coordinate: the items of a path of these */
  /* Known once the System is frozen. */
  int32_t first;             /* its first item among those of all paths */
  int32_t first_gap, n_gaps; /* of points */
} path_entry;

struct path_room {
  cdni_array paths; /* path_entry */
  int n_items, n_gaps;
  const matter *matter;
  cdn_dvar numbers;                        /* ITEM_NUMBERS an item */
  cdn_ticket lengths_ticket, rates_ticket; /* from the first path on, before the System is frozen */
  cdn_cache gaps, lengths, rates;
};

static inline const path_entry *path_at(const path_room *room, int i) { return &CDNI_AT(room->paths, path_entry, i); }
static inline const path_item *item_at(const path_entry *path, int i) { return &CDNI_AT(path->items, path_item, i); }

/* paths.c: what an item is called in parameters and messages. */
const char *cdni_path_item_word(path_item_kind kind);

/* values.c */
cdn_status cdni_paths_declare(void *self, cdn_declarer *d);
void cdni_paths_describe(const void *self, const cdn_system *system, cdn_description *d);

#endif
