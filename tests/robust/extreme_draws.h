/* Arguments for test_extreme_arguments.c, drawn at random: some that make sense, and some that make none. */
#ifndef CARDAN_TESTS_EXTREME_DRAWS_H
#define CARDAN_TESTS_EXTREME_DRAWS_H

#include <float.h>
#include <limits.h>

#include "../property/random_tree.h"

enum { NUMBERS = 1 << 16 };

/* What calls need, and where their arguments come from. */
typedef struct world {
  rng r;
  bool wrong_id, is_nan; /* of the arguments drawn for this call */
  int null;              /* which pointer of the call is NULL; -1: none */
  const cdn_system *system;
  cdn_system *building;
  cdn_state *state, *pristine;
  cdn_stepper *stepper;
  cdn_ensemble *ensemble;
  cdn_assembly *assembly;
  cdn_trajectory *trajectory;
  cdn_model *model;
  cdn_check *check;
  cdn_invertible *invertible;
  cdn_invertible_motion *motion;
  cdn_state *plain; /* whose motion that is: without elements whose statuses change */
  cdn_spec *spec;
  cdn_carry_report *report;
  cdn_spec_tree *tree;
  cdn_function *function;
  cdn_surface *surface;
  cdn_scene *scene;
  cdn_view *view;
  cdn_renderer *renderer; /* of ten by ten pixels; NULL: there is none */
  cdn_forces *forces;
  cdn_rows *rows;
  cdn_row_list *provided;
  cdn_region_output *output;
  cdn_force_derivatives *derivatives;
  cdn_zdot_derivatives *rates;
  cdn_declarer *declarer;
  cdn_buffer bytes;
  int n_body, n_force, n_event, n_motion, n_constraint, n_measure, n_subsystem, n_goal, n_row_set, n_control, n_shape,
      n_contact_pair, n_soft_element, n_path, n_one_sided, n_dry_friction, n_kept_reaction;
  double numbers[NUMBERS];
  int32_t ids[NUMBERS];
  void *out; /* room for anything */
} world;

/* How a call has to be run. */
typedef enum call_kind { BUILDING, RUNNING, FORCES, ROWS, PROVIDED, OUTPUT, DERIVATIVES, RATES, DECLARER } call_kind;
typedef struct extreme_call {
  const char *name;
  cdn_status (*call)(world *w);
  call_kind kind;
  bool says;    /* returns a status */
  int pointers; /* how many of its arguments are pointers */
  int object;   /* which of these is the object that it is about; -1: it is about none */
} extreme_call;

/* ---- arguments ---------------------------------------------------------------------------------- */

static int draw_below(world *w, int n) { return pick(&w->r, n); }
static bool draw_bool(world *w) { return draw_below(w, 2); }

static double extreme_number(world *w) {
  static const double numbers[] = { NAN, INFINITY, -INFINITY, 0, -0.0, -1, 1e-300, 5e-324, 1e300, DBL_MAX, -DBL_MAX };
  const double x = numbers[draw_below(w, sizeof numbers / sizeof *numbers)];
  w->is_nan = w->is_nan || isnan(x);
  return x;
}

static double draw_double(world *w) { return draw_bool(w) ? uniform(&w->r, -2, 2) : extreme_number(w); }

/* Small numbers that may be right, and those that cannot be. */
static int draw_int(world *w) {
  static const int numbers[] = { INT_MIN, INT_MIN + 1, -1, 100, 1000, INT_MAX - 1, INT_MAX };
  return draw_bool(w) ? draw_below(w, 6) : numbers[draw_below(w, sizeof numbers / sizeof *numbers)];
}

/* The length of a list that is there. */
static int draw_count(world *w) {
  static const int numbers[] = { INT_MIN, INT_MIN + 1, -1, 100, 500 };
  return draw_bool(w) ? draw_below(w, 6) : numbers[draw_below(w, sizeof numbers / sizeof *numbers)];
}

static int64_t draw_steps(world *w) {
  static const int64_t numbers[] = { INT64_MIN, -1, 0, 1, 3 };
  return numbers[draw_below(w, sizeof numbers / sizeof *numbers)];
}

static size_t draw_size(world *w) {
  static const size_t numbers[] = { 0, 1, 2, 8, 100 };
  return numbers[draw_below(w, sizeof numbers / sizeof *numbers)];
}
static size_t draw_stride(world *w) { return draw_size(w); }
static int draw_enum(world *w) { return draw_int(w); }

static int32_t draw_id(world *w, int n) {
  const int32_t i = draw_below(w, 3) ? draw_below(w, n > 0 ? n : 1) : draw_int(w);
  w->wrong_id = w->wrong_id || i < 0 || i >= n;
  return i;
}

static const char *draw_text(world *w) {
  static char longest[5000];
  static const char *const texts[] = { "name",   "",     "pin", "a name\nwith \"all\", it \x01 %s%n may have",
                                       "body 1", longest };
  memset(longest, 'x', sizeof longest - 1);
  return texts[draw_below(w, sizeof texts / sizeof *texts)];
}

static cdn_vec3 draw_vec3(world *w) {
  cdn_vec3 v = random_vec3(&w->r, 2);
  if (draw_below(w, 3) == 0) v.x = extreme_number(w);
  if (draw_below(w, 5) == 0) v.y = extreme_number(w);
  if (draw_below(w, 5) == 0) v.z = v.y;
  return v;
}

static cdn_rotation draw_rotation(world *w) {
  cdn_rotation R = random_rotation(&w->r);
  if (draw_below(w, 3) == 0) R.y = draw_vec3(w);
  if (draw_below(w, 5) == 0) R.x = R.z = R.y;
  return R;
}

static cdn_transform draw_transform(world *w) {
  return (cdn_transform){ draw_bool(w) ? draw_rotation(w) : cdn_rotation_identity(), draw_vec3(w) };
}
static cdn_quaternion draw_quaternion(world *w) {
  return (cdn_quaternion){ draw_double(w), draw_double(w), draw_double(w), draw_double(w) };
}
static cdn_spatial draw_spatial(world *w) { return (cdn_spatial){ draw_vec3(w), draw_vec3(w) }; }
static cdn_inertia draw_inertia(world *w) {
  cdn_inertia I = { 1, 1, 1, 0, 0, 0 };
  if (draw_bool(w)) I.yy = extreme_number(w);
  if (draw_bool(w)) I.xz = extreme_number(w);
  return I;
}
static cdn_angles draw_angles(world *w) { return (cdn_angles){ draw_double(w), draw_double(w), draw_double(w) }; }
static cdn_spatial_inertia draw_spatial_inertia(world *w) {
  return (cdn_spatial_inertia){ draw_double(w), draw_vec3(w), draw_inertia(w) };
}
static cdn_mass_properties draw_mass_properties(world *w) {
  return (cdn_mass_properties){ draw_double(w), draw_vec3(w), draw_inertia(w) };
}

static cdn_soft_law draw_soft_law(world *w) {
  cdn_soft_law law = cdn_default_soft_law();
  if (draw_bool(w)) law.ref[draw_below(w, 2)] = extreme_number(w);
  if (draw_bool(w)) law.imp[draw_below(w, 5)] = extreme_number(w);
  return law;
}

static cdn_muscle draw_muscle(world *w) {
  cdn_muscle muscle = cdn_default_muscle();
  if (draw_bool(w)) ((double *)&muscle)[draw_below(w, sizeof muscle / sizeof(double))] = extreme_number(w);
  return muscle;
}

static cdn_mobility draw_mobility(world *w) { return (cdn_mobility){ { draw_id(w, w->n_body) }, draw_int(w) }; }
static cdn_ticket draw_ticket(world *w) { return (cdn_ticket){ draw_int(w) }; }
static cdn_cache draw_cache(world *w) {
  const int32_t i = draw_bool(w) ? draw_below(w, 200) : draw_int(w);
  return (cdn_cache){ draw_below(w, 8) ? 0 : draw_int(w), { i } };
}
static cdn_zvar draw_zvar(world *w) { return (cdn_zvar){ draw_int(w), { draw_int(w) } }; }

/* Ordinary numbers with now and then an extreme one among the first. */
static void *draw_doubles(world *w) {
  for (int i = 0; i < 64; i++) w->numbers[i] = uniform(&w->r, -1, 1);
  if (draw_below(w, 3) == 0) w->numbers[draw_below(w, 8)] = extreme_number(w);
  return w->numbers;
}

static void *draw_ids(world *w) {
  for (int i = 0; i < 64; i++) w->ids[i] = draw_below(w, 5);
  if (draw_below(w, 3) == 0) w->ids[draw_below(w, 6)] = draw_int(w);
  return w->ids;
}

static void *draw_bytes(world *w) {
  memset(w->ids, 0, sizeof w->ids);
  return w->ids;
}

#endif
