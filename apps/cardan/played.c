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

int played_open(played *p, const model_arguments *arguments, const char *run, uint32_t layers) {
  *p = (played){ .arguments = arguments };
  int code = load_start(arguments, &p->model, &p->state);
  if (code != CMD_OK) return code;
  const int told = cdn_model_warning_count(p->model);
  cdn_scene_def def = cdn_default_scene_def();
  def.layers = layers;
  if (cdn_model_create_scene(p->model, p->state, &def, &p->scene) != CDN_OK) return played_failed(p);
  for (int i = told; !arguments->quiet && i < cdn_model_warning_count(p->model); i++)
    fprintf(stderr, "%s\n", visible(cdn_model_warning(p->model, i)));
  if (run) p->run = run_open(run, cdn_model_system(p->model), &code);
  p->from = p->run ? run_first_time(p->run) : cdn_state_time(p->state);
  p->end = p->run ? run_last_time(p->run) : p->from;
  return code;
}

void played_close(played *p) {
  run_close(p->run);
  cdn_scene_destroy(p->scene);
  cdn_state_destroy(p->state);
  cdn_model_destroy(p->model);
}

bool played_time(const played *p, const char *text, double *time) {
  char *end = NULL;
  *time = text ? strtod(text, &end) : p->end;
  if (!text || (end != text && !*end && *time >= p->from && *time <= p->end)) return true;
  complain("--time %s: the run is from %g to %g s", text, p->from, p->end);
  return false;
}

cdn_status played_show(played *p, double time) {
  if (p->run) CDN_TRY(run_set(p->run, time, p->state));
  return cdn_scene_update(p->scene, p->state);
}

double played_frame_count(const played *p, double fps) { return floor((p->end - p->from) * fps + 1e-9) + 1; }

int played_frames(played *p, const char *label, double fps, int (*add)(void *to, double time), void *to) {
  static const double most = 1e7; /* more than four days of video */
  const double span = p->end - p->from, wanted = played_frame_count(p, fps);
  if (!(wanted <= most)) {
    complain("--fps %g: the run of %g s has %g frames, and there may be %g", fps, span, wanted, most);
    return CMD_USAGE;
  }
  progress bar = progress_begin(label, 0, wanted, p->arguments->quiet);
  int code = CMD_OK;
  for (int i = 0; i < (int)wanted && code == CMD_OK; i++) {
    const double time = fmin(p->from + i / fps, p->end);
    progress_count(&bar, i, wanted, "frames");
    code = played_show(p, time) == CDN_OK ? add(to, time) : played_failed(p);
  }
  progress_erase(&bar);
  return code;
}
