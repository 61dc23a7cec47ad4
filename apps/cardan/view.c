/* cardan view: a model in a browser, running. */
#define _GNU_SOURCE
#include "view.h"

#include "played.h"

#include <errno.h>
#include <math.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cardan/view.h>

static const help_page page = {
  "view", "MODEL [RUN.csv...] [options]  or  MOLECULE.prmtop COORDS.inpcrd|RUN.dcd... [options]",
  "Shows the model in a browser, running: run, pause, step, scrub back, pull bodies, drag coordinates, plot, change the\n"
  "accuracy, the method, controls and parameters while it goes. Serves one page to this machine, until Ctrl-C. Without a\n"
  "display it prints the address and how to reach it from another machine.\n"
  "With runs that 'cardan simulate' wrote it plays them, several over each other. With --html it writes a page in one file,\n"
  "with the runs in it: whoever gets it needs a browser, and nothing else.\n"
  "A molecule is an AMBER topology, with coordinates or DCD trajectories.\n",
  "  cardan view humanoid.xml\n"
  "  cardan view robot.urdf --paused --accuracy 1e-6 --duration 20\n"
  "  cardan view walker.xml loose.csv tight.csv\n"
  "  cardan view walker.xml walk.csv --html walk.html\n"
  "  cardan view --checkpoint run.checkpoint\n"
  "  cardan view walker.xml --speed 0.1 --port 8000 --no-browser\n",
  NULL
};

extern char **environ;

/* ---- the browser ----------------------------------------------------------------------------- */

static bool is_set(const char *name) {
  const char *value = getenv(name);
  return value && value[0];
}

/* Whether a browser was started. */
static bool open_browser(const char *address) {
  if (!is_set("DISPLAY") && !is_set("WAYLAND_DISPLAY")) return false;
  char *const arguments[] = { (char *)"xdg-open", (char *)address, NULL };
  posix_spawn_file_actions_t quiet;
  pid_t child;
  posix_spawn_file_actions_init(&quiet);
  posix_spawn_file_actions_addopen(&quiet, STDOUT_FILENO, "/dev/null", 1, 0);
  posix_spawn_file_actions_addopen(&quiet, STDERR_FILENO, "/dev/null", 1, 0);
  const bool started = posix_spawnp(&child, "xdg-open", &quiet, NULL, arguments, environ) == 0;
  posix_spawn_file_actions_destroy(&quiet);
  return started;
}

/* Whether only this machine reaches the address. */
static bool is_own(const char *host) {
  return !host || strncmp(host, "127.", 4) == 0 || strcmp(host, "::1") == 0 || strcmp(host, "localhost") == 0;
}

void announce(const view_arguments *a, const char *address) {
  printf("%s\n", address);
  fflush(stdout);
  if (!is_own(a->host) && !a->model.quiet)
    complain(
        "--listen %s: other machines reach this view. Whoever has the address looks and steers, and it goes over the "
        "network unencrypted: where you do not trust the network, leave --listen out and use the tunnel",
        a->host);
  if ((!a->no_browser && open_browser(address)) || a->model.quiet) return;
  const char *port = strrchr(address, ':');
  const int n = port ? (int)strcspn(port + 1, "/") : 0;
  char host[256] = "HOST";
  gethostname(host, sizeof host - 1);
  fprintf(stderr, "Open this address in a browser; Ctrl-C ends. From another machine: ssh -L %.*s:127.0.0.1:%.*s %s\n",
          n, port + 1, n, port + 1, host);
}

/* ---- signals --------------------------------------------------------------------------------- */

static cdn_view *shown;

static void stop(int signal) {
  (void)signal;
  cdn_view_stop(shown);
}

/* A second signal ends the program. */
void catch_stop(cdn_view *view) {
  shown = view;
  struct sigaction action = { .sa_handler = stop, .sa_flags = (int)SA_RESETHAND | SA_RESTART };
  sigemptyset(&action.sa_mask);
  sigaction(SIGINT, &action, NULL);
  sigaction(SIGTERM, &action, NULL);
}

/* ---- the view -------------------------------------------------------------------------------- */

static int contact_of(const char *word) {
  for (int i = 0; word && i < CONTACT_WORDS; i++)
    if (strcmp(word, contact_words[i]) == 0) return i;
  return 0;
}

static cdn_status build(void *context, int contact, cdn_model **out) {
  model_arguments arguments = *(const model_arguments *)context;
  arguments.contact = contact_words[contact];
  return load_model(&arguments, out) == CMD_OK ? CDN_OK : CDN_ERR_ARG;
}

int complain_last(const char *doing) {
  cdn_error error;
  cdn_last_error(&error);
  complain_error(doing, &error);
  return error.code == CDN_ERR_FILE || error.code == CDN_ERR_UNSUPPORTED ? CMD_OUTPUT
         : error.code == CDN_ERR_ARG                                     ? CMD_USAGE
                                                                         : CMD_FAILED;
}

/* "walker.xml" is recorded as "walker-view.csv" beside it. */
static char *name_recording(const view_arguments *a) {
  if (a->record) return strcpy(allocate(strlen(a->record) + 1, 1), a->record);
  const char *path = a->model.path, *slash = strrchr(path, '/'), *dot = strrchr(path, '.');
  const int stem = (int)(dot && (!slash || dot > slash) ? dot - path : (ptrdiff_t)strlen(path));
  char *name = allocate(strlen(path) + 16, 1);
  sprintf(name, "%.*s-view.csv", stem, path);
  return name;
}

static int show(view_arguments *a, cdn_model *model, cdn_state *state) {
  cdn_view_def def = cdn_default_view_def();
  char *recording = name_recording(a);
  def.model = model;
  def.source = a->model.path;
  def.host = a->host, def.port = (int)a->port, def.token = a->token;
  def.speed = a->as_fast ? 0 : a->speed;
  def.paused = a->paused;
  def.recording = recording, def.controls = a->controls, def.record_controls = a->record_controls;
  def.contacts = contact_words, def.n_contacts = CONTACT_WORDS, def.contact = contact_of(a->model.contact);
  def.build = build, def.context = &a->model;
  cdn_status status = cdn_view_open(state, &def, &shown);
  free(recording);
  if (status != CDN_OK) {
    const int code = complain_last(a->model.path);
    return status == CDN_ERR_PARSE ? CMD_INPUT : code; /* a table of controls that does not fit */
  }
  catch_stop(shown);
  announce(a, cdn_view_address(shown));
  suggest_armature(&a->model, cdn_realize(state, CDN_STAGE_ACCELERATION));
  cdn_stepper_def how = cdn_default_stepper_def();
  how.method = a->method;
  how.accuracy = a->accuracy;
  how.fixed_step = a->step;
  how.companion = !a->no_companion;
  if (a->duration > 0) how.final_time = cdn_state_time(state) + a->duration;
  status = cdn_view_run(shown, &how);
  const int code = status == CDN_OK ? CMD_OK : complain_last(a->model.path);
  cdn_view_close(shown);
  return code;
}

static int view(view_arguments *a) {
  cdn_model *model;
  cdn_state *state = NULL;
  if (a->runs.n > 0 || a->html || is_topology(a->model.path)) return view_replay(a);
  a->model.pull = true;
  int code = load_start(&a->model, &model, &state);
  if (code == CMD_OK) code = settle_steps(&a->model, a->method_name, model, &a->method, &a->step);
  if (code == CMD_OK) code = lock_joints(&a->locks, state);
  if (code == CMD_OK && !a->no_assemble) code = assemble_for_run(&a->model, model, a->accuracy / 10, state);
  if (code == CMD_OK) code = show(a, model, state);
  cdn_state_destroy(state);
  cdn_model_destroy(model);
  return code;
}

static bool makes_sense(view_arguments *a) {
  if (!settle_names(&a->model, &a->method_name, a->accuracy, &a->no_companion)) return false;
  if (a->accuracy == 0) a->accuracy = cdn_default_stepper_def().accuracy;
  if (a->summaries.n > a->runs.n && !a->checkpoint)
    complain("--summary: %d certificates are named, and %d runs", a->summaries.n, a->runs.n);
  else if (a->port > 65535 || a->port != floor(a->port))
    complain("--port is a whole number up to 65535, not %g", a->port);
  else if (a->accuracy < 1e-15 || a->accuracy > 0.5) complain("--accuracy is from 1e-15 to 0.5, not %g", a->accuracy);
  else if (choose_method(&a->model, a->method_name, a->step, &a->method)) {
    settle_onset(&a->model, a->step, a->accuracy);
    return true;
  }
  return false;
}

int command_view(int argc, char **argv) {
  view_arguments a = { .speed = 1 };
  const option table[] = {
    { "run", 0, OPTION_OPERANDS, &a.runs, NULL, NULL },
    { "port", 0, OPTION_POSITIVE, &a.port, "N", "the port to listen on (default: any free one)" },
    { "listen", 0, OPTION_TEXT, &a.host, "ADDRESS", "listen there, not on 127.0.0.1: others can then look and steer" },
    { "token", 0, OPTION_TEXT, &a.token, "FILE",
      "keep the random part of the address in FILE, for the next time (with --port)" },
    { "html", 0, OPTION_TEXT, &a.html, "FILE", "write one page with viewer and data in it, which needs no server" },
    { "checkpoint", 0, OPTION_TEXT, &a.checkpoint, "FILE",
      "play what a run wrote that was saved there, in place of MODEL" },
    { "summary", 0, OPTION_LIST, &a.summaries, "FILE.json",
      "the certificate of a run that is played ('simulate --summary'), in the order of the runs" },
    { "no-browser", 0, OPTION_FLAG, &a.no_browser, NULL, "open no browser: print the address" },
    { "speed", 0, OPTION_POSITIVE, &a.speed, "X", "times real time (default 1)" },
    { "as-fast", 0, OPTION_FLAG, &a.as_fast, NULL, "as fast as it goes" },
    { "paused", 0, OPTION_FLAG, &a.paused, NULL, "begin paused" },
    { "duration", 0, OPTION_POSITIVE, &a.duration, "T",
      "end the run T seconds after its start; its steps then share the accuracy (default: no end, accuracy of "
      "each step)" },
    { "accuracy", 0, OPTION_POSITIVE, &a.accuracy, "A", "accuracy of the run (default 1e-4)" },
    { "step", 0, OPTION_POSITIVE, &a.step, "H", "steps of this size, s, without error control" },
    { "method", 0, OPTION_TEXT, &a.method_name, "NAME",
      "how steps are taken (see docs/methods.md); file: as the model's file says" },
    { "no-companion", 0, OPTION_FLAG, &a.no_companion, NULL,
      "no second run beside the run: faster, its error unknown" },
    { "record", 0, OPTION_TEXT, &a.record, "FILE.csv", "where the record button writes (default: MODEL-view.csv)" },
    { "controls", 0, OPTION_TEXT, &a.controls, "FILE.csv",
      "take controls over time from a table, as 'simulate --controls'" },
    { "record-controls", 0, OPTION_TEXT, &a.record_controls, "FILE.csv",
      "write what the sliders of controls do, for 'simulate --controls'" },
    { "initial", 0, OPTION_TEXT, &a.model.state, "STATE.json", "state to start from ('-': standard input)" },
    { "key", 0, OPTION_TEXT, &a.model.key, "NAME", "start from a keyframe of the model" },
    CONTROL_OPTION(a.model),
    { "lock", 0, OPTION_LIST, &a.locks, "JOINT[=Q]", "hold a joint where it is, or at Q; as often as needed" },
    { "no-assemble", 0, OPTION_FLAG, &a.no_assemble, NULL, "start as it is, whatever the constraints' errors" },
    PRESET_OPTION(a.model),
    MODEL_OPTIONS(a.model),
  };
  const int code = options_parse(&page, table, sizeof table / sizeof *table, argc, argv, &a.model.path);
  if (code != OPTIONS_GO) return code;
  if (a.checkpoint) return makes_sense(&a) ? view_checkpoint(&a) : CMD_USAGE;
  if (!a.model.path) {
    complain(WHICH_MODEL);
    return wrong_usage(&page);
  }
  return makes_sense(&a) ? view(&a) : CMD_USAGE;
}
