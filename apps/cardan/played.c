/* A model that is shown as it moves. */
#include "played.h"

#include <math.h>
#include <stdlib.h>

#include "simulate.h"

int played_failed(const played *p) {
  cdn_error error;
  cdn_last_error(&error);
  complain_error(p->arguments->path, &error);
  return CMD_FAILED;
}

static int open_model(played *p, const cdn_scene_def *def) {
  int code = load_start(p->arguments, &p->model, &p->state);
  if (code != CMD_OK) return code;
  const int told = cdn_model_warning_count(p->model);
  if (cdn_model_create_scene(p->model, p->state, def, &p->scene) != CDN_OK) return played_failed(p);
  for (int i = told; !p->arguments->quiet && i < cdn_model_warning_count(p->model); i++)
    fprintf(stderr, "%s\n", visible(cdn_model_warning(p->model, i)));
  return CMD_OK;
}

static int open_molecule(played *p, const char *run, const cdn_scene_def *def) {
  if (!run) {
    complain("%s is the topology of a molecule: name its coordinates (inpcrd, rst7) or a DCD file behind it",
             visible(p->arguments->path));
    return CMD_USAGE;
  }
  const int code = molecule_open(&p->molecule, p->arguments);
  p->state = p->molecule.state;
  if (code == CMD_OK && cdn_scene_create(p->state, def, &p->scene) != CDN_OK) return played_failed(p);
  return code;
}

int played_open(played *p, const model_arguments *arguments, const char *run, uint32_t layers) {
  *p = (played){ .arguments = arguments, .molecule.field = { -1 } };
  cdn_scene_def def = cdn_default_scene_def();
  const bool molecule = is_topology(arguments->path);
  def.layers = molecule ? layers | CDN_LAYER_OWN : layers;
  int code = molecule ? open_molecule(p, run, &def) : open_model(p, &def);
  if (code != CMD_OK) return code;
  /* where there are no accelerations there are no statuses: the picture shows none */
  if (!run) (void)!settle_statuses(arguments, p->state);
  if (run) p->run = run_open(run, cdn_state_system(p->state), molecule ? &p->molecule : NULL, arguments->quiet, &code);
  p->from = p->run ? run_first_time(p->run) : cdn_state_time(p->state);
  p->end = p->run ? run_last_time(p->run) : p->from;
  return code;
}

void played_close(played *p) {
  run_close(p->run);
  cdn_scene_destroy(p->scene);
  if (p->state != p->molecule.state) cdn_state_destroy(p->state);
  molecule_close(&p->molecule);
  cdn_model_destroy(p->model);
}

bool played_time(const played *p, const char *text, double *time) {
  char *end = NULL;
  *time = text ? strtod(text, &end) : p->end;
  /* times of a DCD file are products of numbers of 32 bits */
  const double near = p->model ? 0 : 1e-6 * (fabs(p->from) + fabs(p->end));
  const bool inside = *time >= p->from - near && *time <= p->end + near;
  if (!text || (end != text && !*end && inside)) return true;
  complain("--time %s: the run is from %g to %g %s", text, p->from, p->end, p->model ? "s" : "ps");
  return false;
}

cdn_status played_show(played *p, double time) {
  if (p->run) CDN_TRY(run_set(p->run, time, p->state));
  return cdn_scene_update(p->scene, p->state);
}

double played_frame_count(const played *p, double fps) {
  return p->model ? floor((p->end - p->from) * fps + 1e-9) + 1 : run_rows(p->run);
}

int played_frames(played *p, const char *label, double fps, int (*add)(void *to, double time), void *to) {
  static const double most = 1e7; /* more than four days of video */
  const double wanted = played_frame_count(p, fps);
  if (!(wanted <= most)) {
    complain("--fps %g: the run has %g frames, and there may be %g", fps, wanted, most);
    return CMD_USAGE;
  }
  progress bar = progress_begin(label, 0, wanted, p->arguments->quiet);
  int code = CMD_OK;
  for (int i = 0; i < (int)wanted && code == CMD_OK; i++) {
    const double time = p->model ? fmin(p->from + i / fps, p->end) : run_frame_time(p->run, i);
    progress_count(&bar, i, wanted, "frames");
    code = played_show(p, time) == CDN_OK ? add(to, time) : played_failed(p);
  }
  progress_erase(&bar);
  return code;
}
