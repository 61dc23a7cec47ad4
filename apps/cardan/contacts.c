/* Shapes and contacts of a model, as info and eval print them. */
#include "command.h"

#include <string.h>

/* ---- shapes --------------------------------------------------------------------------------- */

/* Writes as many of the pairs that may touch as there is room for; returns how many there are. */
static int list_pairs(const cdn_system *system, int room, cdn_shape (*pairs)[2]) {
  const int n = cdn_system_shape_count(system);
  int found = 0;
  for (int i = 0; i < n; i++)
    for (int j = i + 1; j < n; j++) {
      const cdn_shape a = { i }, b = { j };
      if (!cdn_shapes_may_touch(system, a, b)) continue;
      if (found < room) pairs[found][0] = a, pairs[found][1] = b;
      found++;
    }
  return found;
}

static const char *kind_of(cdn_state *state, cdn_shape shape) {
  cdn_geometry geometry;
  cdn_transform X_GS;
  return cdn_shape_get(state, shape, &geometry, &X_GS) == CDN_OK ? cdn_geometry_kind_name(geometry.kind) : "?";
}

void print_shapes_json(json_writer *w, cdn_state *state) {
  const cdn_system *system = cdn_state_system(state);
  jw_array(w, "shapes", false);
  for (int i = 0; i < cdn_system_shape_count(system); i++) {
    const cdn_shape shape = { i };
    jw_object(w, NULL, true);
    jw_text(w, "name", cdn_shape_name(system, shape));
    jw_text(w, "kind", kind_of(state, shape));
    jw_text(w, "body", cdn_body_name(system, cdn_shape_body(system, shape)));
    jw_close(w);
  }
  jw_close(w);
  enum { MOST = 1000 };
  static cdn_shape pairs[MOST][2];
  const int n = list_pairs(system, MOST, pairs);
  jw_integer(w, "pairs_that_may_touch", n);
  jw_array(w, "pairs", false);
  for (int k = 0; k < n && k < MOST; k++) {
    jw_array(w, NULL, true);
    for (int e = 0; e < 2; e++) jw_text(w, NULL, cdn_shape_name(system, pairs[k][e]));
    jw_close(w);
  }
  jw_close(w);
}

static void print_pairs(const cdn_system *system) {
  enum { MOST = 30, COLUMNS = 110 };
  cdn_shape pairs[MOST][2];
  const int n = list_pairs(system, MOST, pairs);
  int column = printf("\n  %d pairs may touch%s", n, n > 0 ? ":" : "");
  for (int k = 0; k < n && k < MOST; k++) {
    char item[200];
    int length = snprintf(item, sizeof item, " %.80s", visible(cdn_shape_name(system, pairs[k][0])));
    length += snprintf(item + length, sizeof item - (size_t)length, " - %.80s%s",
                       visible(cdn_shape_name(system, pairs[k][1])), k < n - 1 ? "," : "");
    if (column + length > COLUMNS) column = printf("\n   ") - 1;
    column += printf("%s", item);
  }
  if (n > MOST) printf(" and %d more", n - MOST);
  printf("\n");
}

void print_shapes(cdn_state *state) {
  const cdn_system *system = cdn_state_system(state);
  const int n = cdn_system_shape_count(system);
  int width = 5;
  for (int i = 0; i < n; i++) {
    const int length = (int)strlen(visible(cdn_shape_name(system, (cdn_shape){ i })));
    if (length > width) width = length;
  }
  if (n > 0) printf("\n  %-*s  %-12s body\n", width, "shape", "kind");
  for (int i = 0; i < n; i++) {
    const cdn_shape shape = { i };
    printf("  %-*s  %-12s ", width, visible(cdn_shape_name(system, shape)), kind_of(state, shape));
    printf("%s\n", visible(cdn_body_name(system, cdn_shape_body(system, shape))));
  }
  if (n > 0) print_pairs(system);
}

/* ---- contacts -------------------------------------------------------------------------------- */

cdn_status print_contacts_json(json_writer *w, cdn_state *state) {
  const cdn_system *system = cdn_state_system(state);
  int n;
  CDN_TRY(cdn_contact_count(state, &n));
  jw_array(w, "contacts", false);
  for (int i = 0; i < n; i++) {
    cdn_contact c;
    CDN_TRY(cdn_contact_get(state, i, &c));
    jw_object(w, NULL, true);
    jw_text(w, "a", cdn_shape_name(system, c.a));
    jw_text(w, "b", cdn_shape_name(system, c.b));
    jw_numbers(w, "point", (const double[]){ c.point.x, c.point.y, c.point.z }, 3);
    jw_numbers(w, "normal", (const double[]){ c.normal.x, c.normal.y, c.normal.z }, 3);
    jw_number(w, "depth", c.depth);
    jw_number(w, "force", c.force);
    jw_numbers(w, "friction", (const double[]){ c.friction.x, c.friction.y, c.friction.z }, 3);
    jw_close(w);
  }
  jw_close(w);
  return CDN_OK;
}

cdn_status print_contacts(cdn_state *state) {
  const cdn_system *system = cdn_state_system(state);
  int n;
  CDN_TRY(cdn_contact_count(state, &n));
  if (n > 0) printf("\n  contacts: depth, m; force, N\n");
  for (int i = 0; i < n; i++) {
    char depth[CDN_NUMBER_SIZE], force[CDN_NUMBER_SIZE];
    cdn_contact c;
    CDN_TRY(cdn_contact_get(state, i, &c));
    printf("  %24s %24s  %s", rounded(c.depth, depth), rounded(c.force, force), visible(cdn_shape_name(system, c.a)));
    printf(" - %s\n", visible(cdn_shape_name(system, c.b)));
  }
  return CDN_OK;
}
