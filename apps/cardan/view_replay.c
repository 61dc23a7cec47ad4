/* cardan view of runs that are over: played in a browser, or written as a page in a file. */
#include "view.h"

#include <errno.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cardan/view.h>

#include "core/whole_file.h"
#include "played.h"
#include "simulate.h"
#include "view/replay.h"

/* ---- runs ------------------------------------------------------------------------------------ */

/* How far a page in a file has come. */
typedef struct effort {
  const view_arguments *arguments;
  double began, rows, done; /* by the clock, s; of all runs */
  bool told;
} effort;

typedef struct file_run {
  played_run *file;
  effort *effort;
} file_run;

static cdn_status set(void *run, double time, cdn_state *state) {
  return run_set(((file_run *)run)->file, time, state);
}
static cdn_status next_time(void *run, double time, double *next) {
  return run_next_time(((file_run *)run)->file, time, next);
}

/* After some seconds it is known how long the page takes. */
static void tell_effort(effort *e) {
  static const double LOOK = 3;
  const double spent = wall_clock() - e->began;
  if (++e->done, e->told || spent < LOOK || e->arguments->model.quiet) return;
  e->told = true;
  complain(
      "%s: about %.0f rows become frames, which takes about %.0f s; a run with a longer --report makes a smaller page",
      e->arguments->html, e->rows, spent * e->rows / e->done);
}

static cdn_status set_next(void *run, cdn_state *state, bool *more) {
  const file_run *r = run;
  tell_effort(r->effort);
  return run_set_next(r->file, state, more);
}

/* A model that stands still is a run of one row. */
typedef struct still {
  double time;
  bool told;
} still;
static cdn_status set_still(void *self, double time, cdn_state *state) {
  (void)time;
  return cdn_state_set_time(state, ((still *)self)->time);
}
static cdn_status no_next_time(void *self, double time, double *next) {
  (void)self;
  *next = time;
  return CDN_OK;
}
static cdn_status set_still_once(void *self, cdn_state *state, bool *more) {
  still *s = self;
  *more = !s->told;
  s->told = true;
  return set_still(self, s->time, state);
}

typedef struct gallery {
  cdn_model *model; /* NULL: a molecule */
  molecule_shown molecule;
  cdn_scene *scene; /* the molecule's */
  cdn_state *state; /* the molecule's, or the model's */
  file_run file[REPLAY_MOST_RUNS];
  effort effort;
  char verdict[REPLAY_MOST_RUNS][512];
  still start;
  cdni_replayed run[REPLAY_MOST_RUNS];
  int n;
} gallery;

static const char *base_name(const char *path) { return strrchr(path, '/') ? strrchr(path, '/') + 1 : path; }

/* What the run's certificate says. */
static bool read_verdict(gallery *g, int i, const char *path) {
  json_t *summary = json_load_file(path, 0, NULL);
  const char *verdict = json_string_value(json_object_get(summary, "verdict"));
  const json_t *delivered = json_object_get(summary, "delivered");
  if (verdict) {
    snprintf(g->verdict[i], sizeof g->verdict[i], "%.511s", verdict);
    g->run[i].verdict = g->verdict[i];
    g->run[i].delivered = json_is_true(delivered)    ? CDN_VERDICT_DELIVERED
                          : json_is_false(delivered) ? CDN_VERDICT_NOT_DELIVERED
                                                     : CDN_VERDICT_UNKNOWN;
  } else {
    complain("%s: is no certificate of 'cardan simulate --summary'", path);
  }
  json_decref(summary);
  return verdict != NULL;
}

static int open_molecule(gallery *g, const view_arguments *a) {
  if (a->runs.n == 0) {
    complain("%s is the topology of a molecule: name its coordinates (inpcrd, rst7) or a DCD file behind it",
             visible(a->model.path));
    return CMD_USAGE;
  }
  const int code = molecule_open(&g->molecule, &a->model);
  g->state = g->molecule.state;
  if (code == CMD_OK && cdn_scene_create(g->state, NULL, &g->scene) != CDN_OK) return complain_last(a->model.path);
  return code;
}

static int open_gallery(gallery *g, const view_arguments *a) {
  g->effort = (effort){ .arguments = a, .began = wall_clock() };
  const bool molecule = is_topology(a->model.path);
  int code = molecule ? open_molecule(g, a) : load_start(&a->model, &g->model, &g->state);
  for (int i = 0; i < a->runs.n && code == CMD_OK; i++) {
    g->file[i] = (file_run){ run_open(a->runs.item[i], cdn_state_system(g->state), molecule ? &g->molecule : NULL,
                                      a->model.quiet, &code),
                             &g->effort };
    played_run *file = g->file[i].file;
    if (!file) break;
    g->effort.rows += run_rows(file);
    g->n = i + 1;
    g->run[i] = (cdni_replayed){ .name = base_name(a->runs.item[i]),
                                 .from = run_first_time(file),
                                 .to = run_last_time(file),
                                 .rows = run_rows(file),
                                 .context = &g->file[i],
                                 .set = set,
                                 .next_time = next_time,
                                 .set_next = set_next };
    if (i < a->summaries.n && !read_verdict(g, i, a->summaries.item[i])) code = CMD_INPUT;
  }
  if (code != CMD_OK || a->runs.n > 0) return code;
  g->start.time = cdn_state_time(g->state);
  g->n = 1;
  g->run[0] = (cdni_replayed){ .name = base_name(a->model.path),
                               .from = g->start.time,
                               .to = g->start.time,
                               .rows = 1,
                               .context = &g->start,
                               .set = set_still,
                               .next_time = no_next_time,
                               .set_next = set_still_once };
  return code;
}

static void close_gallery(gallery *g) {
  for (int i = 0; i < REPLAY_MOST_RUNS; i++) run_close(g->file[i].file);
  cdn_scene_destroy(g->scene);
  if (g->state != g->molecule.state) cdn_state_destroy(g->state);
  molecule_close(&g->molecule);
  cdn_model_destroy(g->model);
}

/* ---- where they are shown -------------------------------------------------------------------- */

static int play(const view_arguments *a, const gallery *g, cdn_view *view) {
  catch_stop(view);
  announce(a, cdn_view_address(view));
  return cdni_view_replay(view, g->run, g->n) == CDN_OK ? CMD_OK : complain_last(a->model.path);
}

static int cannot_write(const char *path) {
  complain("%s: could not be written%s%s", path, errno ? ": " : "", errno ? strerror(errno) : "");
  return CMD_OUTPUT;
}

static int write_page(const view_arguments *a, const gallery *g, cdn_view *view) {
  enum { LARGE = 50000000 };
  cdni_whole_file page;
  if (!cdni_whole_begin(&page, a->html)) return cannot_write(a->html);
  int64_t frames;
  size_t data = 0;
  const cdn_status status = cdni_view_write_page(view, g->run, g->n, NULL, cdn_file_write, page.file, &frames, &data);
  const int code = status == CDN_OK ? CMD_OK : complain_last(a->html);
  if (!cdni_whole_end(&page, code == CMD_OK)) return code != CMD_OK ? code : cannot_write(a->html);
  if (!a->model.quiet)
    fprintf(stderr, "%s: %lld frame%s in %.3g MB beside the viewer%s\n", a->html, (long long)frames,
            frames == 1 ? "" : "s", 1e-6 * (double)data,
            data > LARGE ? "; a run with a longer --report makes a smaller page" : "");
  return CMD_OK;
}

static int show(const view_arguments *a, const gallery *g) {
  cdn_view *view;
  cdn_view_def def = cdn_default_view_def();
  def.model = g->model;
  def.scene = g->scene;
  if (!g->model) def.name = base_name(a->model.path);
  def.source = a->model.path;
  def.host = a->host, def.port = (int)a->port, def.token = a->token;
  def.serve = !a->html;
  def.speed = a->speed;
  def.paused = a->paused;
  if (cdn_view_open(g->state, &def, &view) != CDN_OK) return complain_last(a->model.path);
  const int code = a->html ? write_page(a, g, view) : play(a, g, view);
  cdn_view_close(view);
  return code;
}

static bool makes_sense(const view_arguments *a) {
  for (int i = 0; a->html && i < a->runs.n; i++)
    if (strcmp(a->html, a->runs.item[i]) == 0 || strcmp(a->html, a->model.path) == 0) {
      complain("%s is an input and would be overwritten; choose another file for --html", a->html);
      return false;
    }
  if (a->runs.n > REPLAY_MOST_RUNS)
    complain("%d runs are named, and at most %d are shown at once", a->runs.n, REPLAY_MOST_RUNS);
  else if (a->record) complain("--record: a replay is not recorded again");
  else if (a->controls || a->record_controls) complain("--controls, --record-controls: a replay takes no controls");
  else if (a->duration > 0) complain("--duration: a replay ends where its run ends");
  else if (a->as_fast) complain("--as-fast: a replay has a --speed");
  else return true;
  return false;
}

int view_replay(const view_arguments *a) {
  if (!makes_sense(a)) return CMD_USAGE;
  gallery g = { .n = 0 };
  int code = open_gallery(&g, a);
  if (code == CMD_OK) code = show(a, &g);
  close_gallery(&g);
  return code;
}

int view_checkpoint(const view_arguments *a) {
  if (a->model.path || a->runs.n > 0) {
    complain("--checkpoint: the checkpoint names the model and the run; name no others");
    return CMD_USAGE;
  }
  checkpoint from = { .head = NULL };
  simulate_arguments run = { .model = { .quiet = a->model.quiet } };
  int code = checkpoint_read(&from, a->checkpoint, &run) ? CMD_OK : CMD_INPUT;
  if (code == CMD_OK && !run.output) {
    complain("%s: its run writes no trajectory that could be played; 'cardan simulate --resume %s' goes on with it",
             a->checkpoint, a->checkpoint);
    code = CMD_INPUT;
  }
  if (code == CMD_OK) {
    view_arguments shown = *a;
    shown.model = run.model;
    shown.runs.item[0] = run.output, shown.runs.n = 1;
    // a run that goes on has none yet
    if (run.summary && shown.summaries.n == 0 && access(run.summary, R_OK) == 0)
      shown.summaries.item[shown.summaries.n++] = run.summary;
    code = view_replay(&shown);
  }
  checkpoint_close(&from);
  return code;
}
