/* Shapes and contacts of a model, as info and eval print them. */
#include <cardan/elements.h>

#include "command.h"

#include <math.h>
#include <string.h>

/* ---- law ------------------------------------------------------------------------------------ */

const char *contact_word(const cdn_system *system) {
  static const char *const words[] = {
    [CDN_CONTACT_COMPLIANT] = "compliant", [CDN_CONTACT_SOFT] = "soft", [CDN_CONTACT_RIGID] = "rigid"
  };
  if (cdn_system_shape_count(system) == 0) return "none";
  return words[cdn_system_contact_model(system)];
}

static bool is_compliant(cdn_state *state) {
  return cdn_system_contact_model(cdn_state_system(state)) == CDN_CONTACT_COMPLIANT;
}

/* All shapes of a file have the same: a number of the first one's material. */
static double number_of_material(cdn_state *state, const char *name) {
  double value = NAN;
  if (cdn_system_shape_count(cdn_state_system(state)) > 0)
    (void)!cdn_parameter_get(state, CDN_ELEMENT_SHAPE, cdn_shape_name(cdn_state_system(state), (cdn_shape){ 0 }), name,
                             &value);
  return value;
}

static bool slips(const model_arguments *arguments) {
  return arguments->friction && strcmp(arguments->friction, "slip") == 0;
}

void print_contact_law(cdn_state *state, const model_arguments *arguments) {
  char modulus[CDN_NUMBER_SIZE], dissipation[CDN_NUMBER_SIZE];
  if (cdn_system_shape_count(cdn_state_system(state)) == 0) return;
  if (!is_compliant(state)) {
    const bool soft = cdn_system_contact_model(cdn_state_system(state)) == CDN_CONTACT_SOFT;
    printf("  surfaces      %s\n", soft ? "soft, each as the file has it (docs/soft_contact.md)"
                                        : "rigid, with the file's friction and solref (docs/hybrid.md)");
    return;
  }
  printf("  surfaces      modulus %s Pa (%s), dissipation %s s/m; friction %s\n",
         rounded(number_of_material(state, "modulus"), modulus),
         arguments->stiffness > 0 ? "--stiffness" : "by the rule of docs/contact_files.md",
         rounded(number_of_material(state, "dissipation"), dissipation),
         slips(arguments) ? "by the slip speed" : "sticks");
}

void print_contact_law_json(json_writer *w, cdn_state *state, const model_arguments *arguments) {
  const bool any = cdn_system_shape_count(cdn_state_system(state)) > 0 && is_compliant(state);
  jw_number(w, "modulus", any ? number_of_material(state, "modulus") : NAN);
  jw_number(w, "dissipation", any ? number_of_material(state, "dissipation") : NAN);
  jw_text(w, "friction", !any ? "none" : slips(arguments) ? "slip" : "stick");
}

static cdn_model_hull_info hulls_of(const cdn_model *model) {
  cdn_model_hull_info hulls = { 0 };
  (void)!cdn_model_get_hulls(model, &hulls);
  return hulls;
}

void print_hulls(const cdn_model *model) {
  const cdn_model_hull_info hulls = hulls_of(model);
  if (hulls.count == 0) return;
  printf("  hulls         %d, %d triangles", hulls.count, hulls.triangles);
  if (hulls.triangles < hulls.triangles_of_files)
    printf(" of %d; corners left out are at most %.2g mm outside (--exact-hulls keeps all)", hulls.triangles_of_files,
           1e3 * hulls.farthest);
  printf("\n");
}

void print_hulls_json(json_writer *w, const cdn_model *model) {
  const cdn_model_hull_info hulls = hulls_of(model);
  jw_object(w, "hulls", true);
  jw_integer(w, "count", hulls.count);
  jw_integer(w, "triangles_of_files", hulls.triangles_of_files);
  jw_integer(w, "triangles", hulls.triangles);
  jw_number(w, "farthest", hulls.farthest);
  jw_close(w);
}

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

/* How many pairs each rule keeps apart. */
static void count_rules(const cdn_system *system, int counts[CDN_RULE_COUNT]) {
  const int n = cdn_system_shape_count(system);
  memset(counts, 0, sizeof(int) * CDN_RULE_COUNT);
  for (int i = 0; i < n; i++)
    for (int j = i + 1; j < n; j++) counts[cdn_shapes_rule(system, (cdn_shape){ i }, (cdn_shape){ j })]++;
}

static const struct {
  const char *key, *text;
} rules[CDN_RULE_COUNT] = {
  [CDN_RULE_ONE_PIECE] = { "one_piece", "on one body, or on bodies that are welded together" },
  [CDN_RULE_MASKS] = { "masks", "by their masks" },
  [CDN_RULE_GROUP] = { "group", "in one group" },
  [CDN_RULE_PARENT] = { "parent", "on a body and its parent" },
  [CDN_RULE_EXCLUDED] = { "excluded", "excluded by the file, or by the SRDF file beside it" },
  [CDN_RULE_OVERLAP] = { "overlap", "on bodies that overlap in the first pose" },
  [CDN_RULE_FILTER] = { "filter", "by the filter" },
};

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
  int counts[CDN_RULE_COUNT];
  count_rules(system, counts);
  jw_object(w, "pairs_left_out", true);
  for (int r = 1; r < CDN_RULE_COUNT; r++) jw_integer(w, rules[r].key, counts[r]);
  jw_close(w);
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

static void print_rules(const cdn_system *system) {
  int counts[CDN_RULE_COUNT], n = 0;
  count_rules(system, counts);
  for (int r = 1; r < CDN_RULE_COUNT; r++) n += counts[r];
  if (n > 0) printf("  %d pairs are left out\n", n);
  for (int r = 1; r < CDN_RULE_COUNT; r++)
    if (counts[r] > 0) printf("    %6d %s\n", counts[r], rules[r].text);
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
  if (n > 0) print_rules(system);
}

/* ---- contacts -------------------------------------------------------------------------------- */

/* All contacts of a pair of shapes together: a patch of polygons or springs, the two ends of a capsule. */
typedef struct resultant {
  cdn_shape a, b;
  int points;
  double depth, force;              /* the largest; the size of the sum of the normal forces */
  cdn_vec3 point, normal, friction; /* the centre of the normal forces, their direction; the sum, on b */
  cdn_vec3 moment;                  /* on b, of all about that point */
} resultant;

/* Those from contact i on that are of one pair; sets *i to the first contact of the next pair. */
static cdn_status sum_pair(cdn_state *state, int n, int *i, resultant *out) {
  const int first = *i;
  double weight = 0;
  cdn_vec3 sum = { 0, 0, 0 };
  cdn_contact c;
  *out = (resultant){ .points = 0 };
  for (; *i < n; ++*i) {
    CDN_TRY(cdn_contact_get(state, *i, &c));
    if (*i > first && (c.a.i != out->a.i || c.b.i != out->b.i)) break;
    out->a = c.a, out->b = c.b, out->points++;
    out->depth = fmax(out->depth, c.depth);
    sum = cdn_add(sum, cdn_scale(c.force, c.normal));
    out->friction = cdn_add(out->friction, c.friction);
    out->point = cdn_add(out->point, cdn_scale(c.force, c.point));
    weight += c.force;
  }
  CDN_TRY(cdn_contact_get(state, first, &c));
  out->force = cdn_norm(sum);
  out->normal = out->force > 0 ? cdn_scale(1 / out->force, sum) : c.normal;
  out->point = weight > 0 ? cdn_scale(1 / weight, out->point) : c.point;
  for (int k = first; k < *i; k++) {
    CDN_TRY(cdn_contact_get(state, k, &c));
    const cdn_vec3 arm = cdn_sub(c.point, out->point);
    const cdn_vec3 f = cdn_add(cdn_add(cdn_scale(c.force, c.normal), c.friction), c.side_force);
    out->moment = cdn_add(out->moment, cdn_add(cdn_add(c.moment, c.side_moment), cdn_cross(arm, f)));
  }
  return CDN_OK;
}

static void put_vector(json_writer *w, const char *key, cdn_vec3 v) {
  jw_numbers(w, key, (const double[]){ v.x, v.y, v.z }, 3);
}

cdn_status print_contacts_json(json_writer *w, cdn_state *state) {
  const cdn_system *system = cdn_state_system(state);
  int n;
  CDN_TRY(cdn_contact_count(state, &n));
  jw_array(w, "contacts", false);
  for (int i = 0; i < n;) {
    resultant r;
    CDN_TRY(sum_pair(state, n, &i, &r));
    jw_object(w, NULL, true);
    jw_text(w, "a", cdn_shape_name(system, r.a));
    jw_text(w, "b", cdn_shape_name(system, r.b));
    jw_integer(w, "points", r.points);
    jw_number(w, "depth", r.depth);
    put_vector(w, "point", r.point);
    put_vector(w, "normal", r.normal);
    jw_number(w, "force", r.force);
    put_vector(w, "friction", r.friction);
    put_vector(w, "moment", r.moment);
    jw_close(w);
  }
  jw_close(w);
  return CDN_OK;
}

cdn_status print_contacts(cdn_state *state) {
  const cdn_system *system = cdn_state_system(state);
  int n;
  CDN_TRY(cdn_contact_count(state, &n));
  if (n > 0) printf("\n  contacts: depth, m; normal force, N; friction, N; points\n");
  for (int i = 0; i < n;) {
    char depth[CDN_NUMBER_SIZE], force[CDN_NUMBER_SIZE], friction[CDN_NUMBER_SIZE];
    resultant r;
    CDN_TRY(sum_pair(state, n, &i, &r));
    printf("  %16s %16s %16s %4d  %s", rounded(r.depth, depth), rounded(r.force, force),
           rounded(cdn_norm(r.friction), friction), r.points, visible(cdn_shape_name(system, r.a)));
    printf(" - %s\n", visible(cdn_shape_name(system, r.b)));
  }
  return CDN_OK;
}
