/* cardan modes: how a model vibrates about an equilibrium. */
#include <cardan/equilibrium.h>
#include <cardan/modes.h>

#include "command.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const help_page page = {
  "modes", "MODEL [options]",
  "Finds the nearest equilibrium (stable or not; --here: takes the state as it is), and the model's modes there:\n"
  "eigenvalues of the linearized equations, in 1/s, with frequency and damping ratio, and what each mode moves\n"
  "most. A positive real part grows. --shapes adds all displacements, in the order of u.\n",
  "  cardan modes linkage.xml\n"
  "  cardan modes humanoid.xml --key standing --json\n"
  "  cardan modes top.xml --here\n",
  WHICH_MODEL
};

typedef struct modes {
  int n, nu;
  double *re, *im, *shape_re, *shape_im;
} modes;

/* Elements of a shape that differ by less are equal: the first one is named. */
static const double SAME = 1e-6;
/* A part of an eigenvalue below this is rounding, and is not printed in tables. */
static const double ROUNDING = 1e-10;

/* A conjugate pair is one mode; the eigenvalue with the positive imaginary part is printed. */
static bool is_shown(const modes *m, int k) { return m->im[k] >= 0; }
static double frequency(const modes *m, int k) { return m->im[k] / (2 * 3.14159265358979323846); }
/* Damping ratio: 1 without oscillation, 0 if it neither decays nor grows. */
static double damping_ratio(const modes *m, int k) {
  const double size = hypot(m->re[k], m->im[k]);
  return size > 0 ? -m->re[k] / size : 0;
}

static void print_json(const cdn_state *state, const modes *m, bool shapes) {
  json_writer w = jw_begin(stdout);
  jw_numbers(&w, "q", cdn_state_q(state), cdn_system_nq(cdn_state_system(state)));
  jw_array(&w, "modes", false);
  for (int k = 0; k < m->n; k++) {
    if (!is_shown(m, k)) continue;
    jw_object(&w, NULL, !shapes);
    jw_number(&w, "re", m->re[k]);
    jw_number(&w, "im", m->im[k]);
    jw_number(&w, "frequency", frequency(m, k));
    jw_number(&w, "damping_ratio", damping_ratio(m, k));
    if (shapes) jw_numbers(&w, "shape_re", m->shape_re + k * m->nu, m->nu);
    if (shapes) jw_numbers(&w, "shape_im", m->shape_im + k * m->nu, m->nu);
    jw_close(&w);
  }
  jw_close(&w);
  jw_end(&w);
}

/* The speed with the largest displacement. */
static void name_largest(const cdn_system *system, const modes *m, int k, char *name, size_t size) {
  int largest = 0;
  for (int i = 1; i < m->nu; i++) {
    const double a = hypot(m->shape_re[k * m->nu + i], m->shape_im[k * m->nu + i]);
    if (a > hypot(m->shape_re[k * m->nu + largest], m->shape_im[k * m->nu + largest]) * (1 + SAME)) largest = i;
  }
  cdn_system_slot_name(system, CDN_POOL_U, largest, name, size);
}

static void print_tables(const cdn_model *model, const modes *m, bool shapes) {
  const cdn_system *system = cdn_model_system(model);
  char name[128];
  printf("%s\n\n  %4s %14s %14s %14s %10s  %s\n", visible(cdn_model_name(model)), "mode", "re, 1/s", "im, 1/s",
         "frequency, Hz", "damping", "moves most");
  for (int k = 0, number = 1; k < m->n; k++) {
    if (!is_shown(m, k)) continue;
    name_largest(system, m, k, name, sizeof name);
    const double re = fabs(m->re[k]) > ROUNDING * m->im[k] ? m->re[k] : 0;
    printf("  %4d %14.6g %14.6g %14.6g %10.4f  %s\n", number++, re, m->im[k], frequency(m, k),
           re != 0 ? damping_ratio(m, k) : 0, visible(name));
    for (int i = 0; shapes && i < m->nu; i++) {
      printf("       %14.6g %14.6g  %s\n", m->shape_re[k * m->nu + i], m->shape_im[k * m->nu + i],
             visible_slot(system, CDN_POOL_U, i));
    }
  }
}

static cdn_status find(cdn_state *state, bool here, modes *m) {
  m->nu = cdn_system_nu(cdn_state_system(state));
  const size_t room = 2 * (size_t)m->nu * (size_t)m->nu;
  m->re = allocate(2 * (size_t)m->nu, sizeof *m->re), m->im = allocate(2 * (size_t)m->nu, sizeof *m->im);
  m->shape_re = allocate(room, sizeof *m->re), m->shape_im = allocate(room, sizeof *m->im);
  cdn_equilibrium_def def = cdn_default_equilibrium_def();
  def.goal = CDN_EQUILIBRIUM_ANY;
  if (!here) {
    const cdn_status status = cdn_find_equilibrium(state, &def, NULL);
    if (status != CDN_OK) return status;
  }
  return cdn_linear_modes(state, &m->n, m->re, m->im, m->shape_re, m->shape_im);
}

int command_modes(int argc, char **argv) {
  model_arguments arguments = { 0 };
  text_list locks = { .n = 0 };
  bool json = false, here = false, shapes = false;
  const option table[] = {
    { "here", 0, OPTION_FLAG, &here, NULL, "about the state as it is, in motion if it moves" },
    { "shapes", 0, OPTION_FLAG, &shapes, NULL, "also the displacements of each mode" },
    { "lock", 0, OPTION_LIST, &locks, "JOINT[=Q]", "hold a joint where it is, or at Q; as often as needed" },
    { "state", 0, OPTION_TEXT, &arguments.state, "STATE.json", "state to start from ('-': standard input)" },
    { "key", 0, OPTION_TEXT, &arguments.key, "NAME", "start from a keyframe of the model" },
    CONTROL_OPTION(arguments),
    { "json", 0, OPTION_FLAG, &json, NULL, "write JSON instead of tables" },
    MODEL_OPTIONS(arguments),
  };
  int code = options_parse(&page, table, sizeof table / sizeof table[0], argc, argv, &arguments.path);
  if (code != OPTIONS_GO) return code;

  cdn_model *model;
  cdn_state *state;
  code = load_start(&arguments, &model, &state);
  if (code == CMD_OK) code = lock_joints(&locks, state);
  if (code == CMD_OK) {
    modes m = { .n = 0 };
    if (find(state, here, &m) != CDN_OK) {
      cdn_error error;
      cdn_state_last_error(state, &error);
      complain_error(arguments.path, &error);
      code = CMD_FAILED;
    } else if (json) print_json(state, &m, shapes);
    else print_tables(model, &m, shapes);
    free(m.re), free(m.im), free(m.shape_re), free(m.shape_im);
  }
  cdn_state_destroy(state);
  cdn_model_destroy(model);
  return code;
}
