/* The list of paths while building: items, their checks, their parameters. */
#include <math.h>
#include <stdio.h>

#include "matter/checks.h"
#include "paths/internal.h"
#include "rooms.h"
#include "system/elements.h"

const path_room *cdni_paths(const cdn_system *system) { return cdni_system_room_get(system, CDNI_ROOM_PATHS); }
bool cdni_path_exists(const path_room *room, cdn_path path) {
  return room && path.i >= 0 && (size_t)path.i < room->paths.count;
}

/* ---- parameters of items ---- */

#define PLACE CDNI_VECTOR("p", "m")
#define SIDE CDNI_VECTOR("side", "m")
static const cdni_parameter point_table[] = { PLACE };
static const cdni_parameter obstacle_table[] = { PLACE, CDNI_POSITIVE("radius", "m"), SIDE };
static const cdni_parameter pulley_table[] = { CDNI_POSITIVE("divisor", "1") };
static const cdni_parameter coordinate_table[] = { CDNI_ANY("coefficient", "1|m/rad") };

/* A kind of items: how many parameters each has, and where the first is among its numbers. */
typedef struct item_kind {
  const char *word;
  const cdni_parameter *table;
  int n, first;
} item_kind;
#define ITEM_KIND(word, table, first) \
  { word, table, CDNI_COUNT(table), first }
static const item_kind kinds[] = {
  [PATH_POINT] = ITEM_KIND("point", point_table, ITEM_PLACE),
  [PATH_SPHERE] = ITEM_KIND("sphere", obstacle_table, ITEM_PLACE),
  [PATH_CYLINDER] = ITEM_KIND("cylinder", obstacle_table, ITEM_PLACE),
  [PATH_PULLEY] = ITEM_KIND("pulley", pulley_table, ITEM_DIVISOR),
  [PATH_COORDINATE] = ITEM_KIND("coordinate", coordinate_table, ITEM_COEFFICIENT),
};
_Static_assert(CDNI_COUNT(kinds) == PATH_ITEM_KINDS, "each kind of items has parameters");

const char *cdni_path_item_word(path_item_kind kind) { return kinds[kind].word; }

/* ---- adding ---- */

cdn_path cdn_system_add_path(cdn_system *system, const char *name) {
  const cdn_path none = { -1 };
  cdni_adder by;
  path_room *room = cdni_adder_begin(&by, system, CDNI_ROOM_PATHS, __func__, "path");
  if (!room) return none;
  cdni_adder_name(&by, name, room->paths.count);
  if (cdni_find_by_name(system, CDN_ELEMENT_PATH, by.name) >= 0) {
    cdni_adder_refuse(&by, CDN_ERR_ARG, "there is a path of that name already: give each its own");
    return none;
  }
  if (room->paths.count == 0) {
    room->lengths_ticket = cdni_ticket_reserve(system);
    room->rates_ticket = cdni_ticket_reserve(system);
  }
  const cdn_allocator *a = cdni_system_allocator(system);
  path_entry path = { .name = cdni_strdup(a, by.name) };
  if (path.name && cdni_array_push(a, &room->paths, sizeof path, &path))
    return (cdn_path){ (int32_t)room->paths.count - 1 };
  cdni_strfree(a, path.name);
  cdni_adder_refuse(&by, CDN_ERR_NOMEM, "out of memory");
  return none;
}

/* Starts a change of a path; NULL: the System takes none, or there is no such path. */
static path_entry *begin(cdni_adder *by, cdn_system *system, const char *function, cdn_path path) {
  path_room *room = cdni_adder_begin(by, system, CDNI_ROOM_PATHS, function, "path");
  if (!room) return NULL;
  if (cdni_path_exists(room, path)) {
    path_entry *entry = &CDNI_AT(room->paths, path_entry, path.i);
    by->name = entry->name;
    return entry;
  }
  cdni_system_fail(system, CDN_ERR_ARG, function, NULL, "there is no path %d in this System", (int)path.i);
  return NULL;
}

static void add_item(cdni_adder *by, path_entry *path, const path_item *item) {
  char reason[200];
  const item_kind *kind = &kinds[item->kind];
  const bool sum = path->items.count > 0 && item_at(path, 0)->kind == PATH_COORDINATE;
  if (path->items.count > 0 && sum != (item->kind == PATH_COORDINATE))
    cdni_adder_refuse(by, CDN_ERR_ARG, "it has both points and coordinates: add two paths");
  if (by->ok && cdni_parameters_check(kind->table, kind->n, item->numbers + kind->first, reason, sizeof reason))
    cdni_adder_refuse(by, CDN_ERR_ARG, "%s %d: %s", kind->word, (int)path->items.count, reason);
  if (by->ok && !cdni_array_push(cdni_system_allocator(by->system), &path->items, sizeof *item, item))
    cdni_adder_refuse(by, CDN_ERR_NOMEM, "out of memory");
}

static path_item placed(path_item_kind kind, cdn_body body, cdn_vec3 p, double radius) {
  return (path_item){ .kind = kind, .body = body.i, .side_body = -1, .numbers = { p.x, p.y, p.z, radius } };
}

static void add_placed(cdn_system *system, const char *function, cdn_path id, cdn_body body, const path_item *item) {
  cdni_adder by;
  path_entry *path = begin(&by, system, function, id);
  if (!path) return;
  cdni_adder_check_body(&by, body);
  if (by.ok) add_item(&by, path, item);
}

void cdn_path_add_point(cdn_system *system, cdn_path path, cdn_body body, cdn_vec3 p_B) {
  const path_item item = placed(PATH_POINT, body, p_B, 0);
  add_placed(system, __func__, path, body, &item);
}

void cdn_path_add_sphere(cdn_system *system, cdn_path path, cdn_body body, cdn_vec3 p_B, double radius) {
  const path_item item = placed(PATH_SPHERE, body, p_B, radius);
  add_placed(system, __func__, path, body, &item);
}

void cdn_path_add_cylinder(cdn_system *system, cdn_path id, cdn_body body, const cdn_transform *X_BC, double radius) {
  const cdn_transform X = X_BC ? *X_BC : cdn_transform_identity();
  cdni_adder by;
  path_entry *path = begin(&by, system, __func__, id);
  if (!path) return;
  path_item item = placed(PATH_CYLINDER, body, X.p, radius);
  item.R = X.R;
  cdni_adder_check_body(&by, body);
  if (cdni_check_frame(X) != CDN_OK)
    cdni_adder_refuse(&by, CDN_ERR_ARG, "the cylinder's frame is not a rotation and a place, or not finite");
  if (by.ok) add_item(&by, path, &item);
}

void cdn_path_pass_by(cdn_system *system, cdn_path id, cdn_body body, cdn_vec3 p_B) {
  cdni_adder by;
  const double p[3] = { p_B.x, p_B.y, p_B.z };
  path_entry *path = begin(&by, system, __func__, id);
  if (!path) return;
  path_item *last = path->items.count > 0 ? &CDNI_AT(path->items, path_item, path->items.count - 1) : NULL;
  cdni_adder_check_body(&by, body);
  cdni_adder_check_numbers(&by, "the station", p, 3);
  if (!last || (last->kind != PATH_SPHERE && last->kind != PATH_CYLINDER))
    cdni_adder_refuse(&by, CDN_ERR_ARG, "it has no obstacle to pass by: call this after the sphere or the cylinder");
  if (!by.ok) return;
  last->side_body = body.i;
  memcpy(last->numbers + ITEM_SIDE, p, sizeof p);
}

void cdn_path_add_pulley(cdn_system *system, cdn_path id, double divisor) {
  cdni_adder by;
  path_entry *path = begin(&by, system, __func__, id);
  const path_item item = { .kind = PATH_PULLEY, .side_body = -1, .numbers = { [ITEM_DIVISOR] = divisor } };
  if (path) add_item(&by, path, &item);
}

void cdn_path_add_coordinate(cdn_system *system, cdn_path id, cdn_body body, int k, double coefficient) {
  cdni_adder by;
  path_entry *path = begin(&by, system, __func__, id);
  if (!path) return;
  cdni_adder_check_body(&by, body);
  cdni_adder_check_slot(&by, body, k, "use a pin, a slider, or the angle of a ball");
  if (!by.ok) return;
  const tree_node *node = &CDNI_AT(cdni_matter(system)->nodes, tree_node, body.i);
  const int extra = cdn_body_nq(system, body) - cdn_body_nu(system, body);
  const path_coordinate c = { .body = body.i, .q = node->q + k, .u = node->u + k - extra };
  const path_item item = { .kind = PATH_COORDINATE,
                           .body = body.i,
                           .side_body = -1,
                           .q = c.q,
                           .u = c.u,
                           .numbers = { [ITEM_COEFFICIENT] = coefficient } };
  add_item(&by, path, &item);
  if (by.ok && !cdni_array_push(cdni_system_allocator(system), &path->coordinates, sizeof c, &c))
    cdni_adder_refuse(&by, CDN_ERR_NOMEM, "out of memory");
}

bool cdni_path_fits_rows(const path_room *room, const int32_t *which, int n) {
  int32_t seen[PATH_MOST_BODIES];
  int bodies = 0, coordinates = 0;
  for (int j = 0; j < n; j++) {
    const path_entry *path = path_at(room, which[j]);
    coordinates += (int)path->coordinates.count;
    for (size_t i = 0; i < path->items.count; i++) {
      const path_item *item = item_at(path, (int)i);
      int k = 0;
      if (item->kind == PATH_PULLEY || item->kind == PATH_COORDINATE || item->body == 0) continue;
      while (k < bodies && seen[k] != item->body) k++;
      if (k == PATH_MOST_BODIES) return false;
      if (k == bodies) seen[bodies++] = item->body;
    }
  }
  return coordinates <= PATH_MOST_COORDINATES && (bodies == 0 || coordinates + bodies <= PATH_MOST_TERMS);
}

/* ---- freezing ---- */

static bool is_point(const path_entry *path, size_t i) {
  return i < path->items.count && item_at(path, (int)i)->kind == PATH_POINT;
}

/* Why the items do not make a path; NULL: they do. Counts the gaps. */
static const char *check_items(path_entry *path, int *at) {
  const size_t n = path->items.count;
  if (n == 0) return "it has neither points nor coordinates";
  path->n_gaps = path->n_obstacles = 0;
  if (item_at(path, 0)->kind == PATH_COORDINATE) return NULL;
  for (size_t i = 0; i < n; i++) {
    const path_item_kind kind = item_at(path, (int)i)->kind;
    *at = (int)i;
    if ((kind == PATH_SPHERE || kind == PATH_CYLINDER) && !(i > 0 && is_point(path, i - 1) && is_point(path, i + 1)))
      return "an obstacle lies between two points: add one before and one behind it";
    if (kind == PATH_PULLEY && i + 1 == n) return "it ends with a pulley: add points behind it";
    if (kind == PATH_PULLEY && !is_point(path, i + 1)) return "a part begins with a point: add one behind the pulley";
    path->n_obstacles += kind == PATH_SPHERE || kind == PATH_CYLINDER;
    if (kind != PATH_POINT) continue;
    const bool begins = i == 0 || item_at(path, (int)i - 1)->kind == PATH_PULLEY;
    const bool ends = i + 1 == n || item_at(path, (int)i + 1)->kind == PATH_PULLEY;
    if (begins && ends) return "a part has one point alone: it needs two";
    path->n_gaps += !begins;
  }
  return NULL;
}

static cdn_status freeze(cdn_system *system, void *data) {
  path_room *room = data;
  for (size_t i = 0; i < room->paths.count; i++) {
    path_entry *path = &CDNI_AT(room->paths, path_entry, i);
    int at = 0;
    const char *wrong = check_items(path, &at);
    if (wrong)
      return cdni_system_fail(system, CDN_ERR_ARG, "cdn_system_freeze", path->name, "path '%s', item %d: %s",
                              path->name, at, wrong);
    path->first = room->n_items, path->first_gap = room->n_gaps;
    room->n_items += (int)path->items.count, room->n_gaps += path->n_gaps;
    room->n_obstacles += path->n_obstacles;
  }
  return CDN_OK;
}

static void destroy(cdn_system *system, void *data) {
  path_room *room = data;
  const cdn_allocator *a = cdni_system_allocator(system);
  for (size_t i = 0; i < room->paths.count; i++) {
    path_entry *path = &CDNI_AT(room->paths, path_entry, i);
    cdni_strfree(a, path->name);
    cdni_array_free(a, &path->items);
    cdni_array_free(a, &path->coordinates);
  }
  cdni_array_free(a, &room->paths);
}

/* ---- paths that are looked up ---- */

int cdn_system_path_count(const cdn_system *system) {
  const path_room *room = cdni_paths(system);
  return room ? (int)room->paths.count : 0;
}

cdn_path cdn_system_find_path(const cdn_system *system, const char *name) {
  CDNI_NEED_OBJECT(system, ((cdn_path){ -1 }));
  return (cdn_path){ cdni_find_by_name(system, CDN_ELEMENT_PATH, name) };
}

const char *cdn_path_name(const cdn_system *system, cdn_path path) {
  CDNI_NEED_OBJECT(system, NULL);
  const path_room *room = cdni_paths(system);
  return cdni_path_exists(room, path) ? path_at(room, path.i)->name : NULL;
}

cdn_ticket cdn_path_ticket(const cdn_system *system) {
  CDNI_NEED_OBJECT(system, ((cdn_ticket){ 0 }));
  const path_room *room = cdni_paths(system);
  return room ? room->lengths_ticket : (cdn_ticket){ 0 };
}

cdn_ticket cdn_path_rate_ticket(const cdn_system *system) {
  CDNI_NEED_OBJECT(system, ((cdn_ticket){ 0 }));
  const path_room *room = cdni_paths(system);
  return room ? room->rates_ticket : (cdn_ticket){ 0 };
}

static const char *name_of(const cdn_system *system, int i) { return path_at(cdni_paths(system), i)->name; }

/* The side of an obstacle without one is no parameter. */
static int numbers_of(const path_item *item) {
  const bool obstacle = item->kind == PATH_SPHERE || item->kind == PATH_CYLINDER;
  return obstacle && item->side_body < 0 ? ITEM_SIDE : kinds[item->kind].n;
}

static int parameter_count(const cdn_system *system, int i) {
  const path_entry *path = path_at(cdni_paths(system), i);
  int n = 0;
  for (size_t k = 0; k < path->items.count; k++) n += numbers_of(item_at(path, (int)k));
  return n;
}

/* The item of parameter *k, which becomes its number there. */
static int item_of(const path_entry *path, int *k) {
  int i = 0;
  while (*k >= numbers_of(item_at(path, i))) *k -= numbers_of(item_at(path, i++));
  return i;
}

static void parameter(const cdn_system *system, int i, int k, cdni_parameter_place *out) {
  const path_room *room = cdni_paths(system);
  const path_entry *path = path_at(room, i);
  const int at = item_of(path, &k);
  const path_item *item = item_at(path, at);
  out->is = kinds[item->kind].table[k];
  snprintf(out->name, sizeof out->name, "%d.%s", at, out->is.name);
  out->is.name = NULL;
  out->dimension = item->kind == PATH_COORDINATE ? cdni_mobility_dimension(room->matter, item->u) : 0;
  out->array = room->numbers, out->at = (path->first + at) * ITEM_NUMBERS + kinds[item->kind].first + k;
}

static cdn_status set(cdn_state *state, const char *function, int i, int first, int n, const double *values) {
  const path_room *room = cdni_paths(cdn_state_system(state));
  const path_entry *path = path_at(room, i);
  char reason[200];
  for (int pass = 0; pass < 2; pass++)
    for (int j = 0; j < n; j++) {
      int k = first + j;
      const int at = item_of(path, &k);
      const item_kind *kind = &kinds[item_at(path, at)->kind];
      const int place = (path->first + at) * ITEM_NUMBERS + kind->first + k;
      if (pass == 1) {
        CDNI_TRY(cdn_state_set_parameters(state, room->numbers, place, 1, &values[j]));
        continue;
      }
      const cdn_status status = cdni_parameters_check(&kind->table[k], 1, &values[j], reason, sizeof reason);
      if (status != CDN_OK)
        return cdni_state_fail(state, status, false, function, path->name, "path '%s', %s %d: %s; nothing was changed",
                               path->name, kind->word, at, reason);
    }
  return CDN_OK;
}

static const cdni_elements sorts[] = {
  { .type = CDN_ELEMENT_PATH,
    .count = cdn_system_path_count,
    .name = name_of,
    .parameter_count = parameter_count,
    .parameter = parameter,
    .set = set },
  CDNI_NO_MORE_ELEMENTS,
};

static const cdn_subsystem_ops ops = { .struct_size = sizeof ops,
                                       .name = "paths",
                                       .self_size = sizeof(path_room *),
                                       .declare = cdni_paths_declare,
                                       .describe = cdni_paths_describe };

const cdni_room_ops cdni_paths_room = {
  .size = sizeof(path_room), .freeze = freeze, .elements = sorts, .subsystem = &ops, .destroy = destroy
};
