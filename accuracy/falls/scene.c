/* Scenes: random numbers, guards, and which family makes a scene. */
#include "scene.h"

#include "families.h"

const char *const scene_law_names[LAW_COUNT] = { "hertz", "pressure", "springs", "soft", "none" };

double dice_uniform(dice *d, double least, double most) {
  uint64_t x = d->state += 0x9e3779b97f4a7c15u;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
  return least + (most - least) * ((double)((x ^ (x >> 31)) >> 11) * 0x1p-53);
}

double dice_log(dice *d, double least, double most) { return exp(dice_uniform(d, log(least), log(most))); }

int dice_below(dice *d, int n) { return (int)dice_uniform(d, 0, n); }

bool dice_chance(dice *d, double probability) { return dice_uniform(d, 0, 1) < probability; }

cdn_vec3 dice_direction(dice *d) {
  const double z = dice_uniform(d, -1, 1), angle = dice_uniform(d, 0, 2 * PI), r = sqrt(1 - z * z);
  return cdn_v3(r * cos(angle), r * sin(angle), z);
}

cdn_rotation dice_rotation(dice *d) {
  const cdn_vec3 axis = dice_direction(d);
  return cdn_rotation_axis_angle(axis, dice_uniform(d, 0, PI));
}

/* ---- families ---- */

typedef struct family {
  const char *name;
  int weight; /* of 100 scenes; 0: only by name */
  bool (*make)(dice *d, scene *out);
} family;

static const family families[] = {
  { "fall", 34, family_fall },    { "thrown", 8, family_thrown }, { "bullet", 10, family_bullet },
  { "moving", 7, family_moving }, { "arm", 9, family_arm },       { "rotor", 4, family_rotor },
  { "swing", 4, family_swing },   { "tree", 4, family_tree },     { "deep", 6, family_deep },
  { "hertz", 5, family_hertz },   { "pulse", 3, family_pulse },   { "writes", 3, family_writes },
  { "cut", 3, family_cut },       { "flight", 0, family_flight },
};
enum { FAMILIES = sizeof families / sizeof *families };

const char *const scene_families[] = { "fall", "thrown", "bullet", "moving", "arm",    "rotor", "swing",
                                       "tree", "deep",   "hertz",  "pulse",  "writes", "cut",   "flight" };
const int scene_family_count = FAMILIES;

static const family *choose(dice *d, const char *name) {
  int ticket = dice_below(d, 100), i = 0;
  if (name) {
    for (i = 0; i < FAMILIES; i++) {
      if (!strcmp(families[i].name, name)) return &families[i];
    }
    return NULL;
  }
  while (i < FAMILIES - 2 && (ticket -= families[i].weight) >= 0) i++;
  return &families[i];
}

bool scene_make(uint64_t seed, int index, const char *name, scene *out) {
  dice d = { seed * 0x2545f4914f6cdd1du + (uint64_t)index * 0x9e3779b97f4a7c15u };
  for (int i = 0; i < 4; i++) dice_uniform(&d, 0, 1);
  const family *f = choose(&d, name);
  if (!f) return false;
  *out = (scene){ .seed = seed, .index = index, .family = f->name, .most_steps = 20000 };
  static const int reports[] = { 1, 7, 40, 120 };
  out->reports = reports[dice_below(&d, 4)];
  return f->make(&d, out);
}

void scene_clear(scene *s) {
  cdn_state_destroy(s->start);
  s->start = NULL;
}

/* ---- values ---- */

double scene_time(const scene *s, int i) { return i + 1 == s->reports ? s->end : s->end * (i + 1) / s->reports; }

int scene_value_count(const scene *s) {
  const cdn_system *system = cdn_state_system(s->start);
  return cdn_system_nq(system) + cdn_system_nu(system) + cdn_system_nz(system);
}

void scene_values(const cdn_state *at, double *y) {
  const cdn_system *system = cdn_state_system(at);
  const size_t nq = (size_t)cdn_system_nq(system), nu = (size_t)cdn_system_nu(system),
               nz = (size_t)cdn_system_nz(system);
  memcpy(y, cdn_state_q(at), nq * sizeof *y), memcpy(y + nq, cdn_state_u(at), nu * sizeof *y);
  if (nz) memcpy(y + nq + nu, cdn_state_z(at), nz * sizeof *y);
}

/* ---- guards ---- */

bool guard_is_behind(const guard *g, const cdn_transform *X_of, const cdn_transform *X_body) {
  const cdn_transform X = cdn_transform_invert(cdn_transform_multiply(*X_body, g->X));
  const cdn_vec3 p = cdn_transform_point(X, cdn_transform_point(*X_of, g->centre));
  if (!g->polar) return p.z < -g->behind && fabs(p.x) < g->half[0] && fabs(p.y) < g->half[1];
  const double beyond = atan2(p.y, p.x), angle = beyond < 0 ? beyond + PI : -1;
  return angle > g->behind && fabs(p.z) < g->half[0] && fabs(hypot(p.x, p.y) - g->radius) < g->half[1];
}

bool scene_is_behind(const scene *s, cdn_state *at) {
  const guard *g = &s->guard;
  cdn_transform X_of, X_body;
  return g->present && !cdn_body_pose(at, g->of, &X_of) && !cdn_body_pose(at, g->body, &X_body) &&
         guard_is_behind(g, &X_of, &X_body);
}
