/* cardan convert: a model file as one of another format. */
#include "command.h"

#include <stdlib.h>
#include <string.h>

#include <cardan/spec_edit.h>

static const help_page page = {
  "convert", "MODEL -o FILE [options]",
  "Reads a model and writes it as the file's name ends: FILE.json is Cardan's own format, which holds all that was read,\n"
  "and FILE.xml is MJCF. Both are read again to the last bit, wherever a model can be read. FILE.urdf is URDF.\n",
  "  cardan convert humanoid.xml -o humanoid.json && cardan simulate humanoid.json --duration 2\n"
  "  cardan convert robot.urdf -o robot.xml --lossy\n"
  "  cardan convert arm.xml --attach gripper.xml:left_:hand -o both.json\n",
  WHICH_MODEL
};

static void tell(void *context, const char *what) {
  const model_arguments *a = context;
  if (!a->quiet) fprintf(stderr, "left out: %s\n", visible(what));
}

static int save(const model_arguments *a, const cdn_spec *spec, const char *output, bool lossy) {
  cdn_save_options options = cdn_default_save_options();
  if (lossy) options.tell_lost = tell, options.context = (void *)(uintptr_t)a;
  const cdn_status status = cdn_spec_save(spec, output, &options);
  if (status == CDN_OK) return CMD_OK;
  const bool may_lose = ends_in(output, ".xml") || ends_in(output, ".urdf");
  const char *hint = status == CDN_ERR_UNSUPPORTED && may_lose && !lossy ? "; --lossy leaves out what can be" : "";
  complain("%s%s", cdn_last_error_text(), hint);
  return status == CDN_ERR_UNSUPPORTED ? CMD_USAGE : CMD_OUTPUT;
}

/* ---- editing --------------------------------------------------------------------------------- */

typedef struct edits {
  text_list attached, deleted;
} edits;

static void tell_edit(void *context, const char *what) {
  const model_arguments *a = context;
  if (!a->quiet) fprintf(stderr, "%s\n", visible(what));
}

static int complain_edit(const cdn_spec *spec) {
  cdn_error error;
  cdn_spec_last_error(spec, &error);
  complain("%s", error.text);
  return CMD_INPUT;
}

static int load_spec(const model_arguments *a, const char *path, cdn_spec **spec) {
  cdn_model_options options = cdn_default_model_options();
  options.keep_fixed = a->keep_fixed, options.floating_base = a->floating_base;
  if (cdn_spec_load(path, &options, spec) == CDN_OK) return CMD_OK;
  complain("%s", cdn_last_error_text());
  return CMD_INPUT;
}

/* The part of a text behind its last colon, which is cut off; NULL: there is none. */
static char *cut_last(char *text) {
  char *colon = strrchr(text, ':');
  if (colon) *colon = 0;
  return colon ? colon + 1 : NULL;
}

/* FILE:PREFIX, FILE:PREFIX:PLACE; the place is a frame or a body of the model. */
static int attach(const model_arguments *a, cdn_spec *spec, const char *wish) {
  cdn_attach_def def = cdn_default_attach_def();
  char *text = malloc(strlen(wish) + 1);
  cdn_spec *child = NULL;
  if (!text) {
    complain("out of memory");
    return CMD_FAILED;
  }
  strcpy(text, wish);
  char *last = cut_last(text), *before = last ? cut_last(text) : NULL;
  const char *place = before && last[0] ? last : NULL;
  def.prefix = before ? before : last;
  if (place && cdn_spec_find(spec, CDN_SPEC_FRAME, place) >= 0) def.frame = place;
  else def.body = place;
  def.tell = tell_edit, def.context = (void *)(uintptr_t)a;
  int code = CMD_OK;
  if (!def.prefix) {
    complain("--attach %s: write FILE:PREFIX:PLACE, where PLACE is a site or a body of the model", visible(wish));
    code = CMD_USAGE;
  }
  if (code == CMD_OK) code = load_spec(a, text, &child);
  if (code == CMD_OK && cdn_spec_attach(spec, child, &def) != CDN_OK) code = complain_edit(spec);
  cdn_spec_destroy(child);
  free(text);
  return code;
}

static int delete_body(const model_arguments *a, cdn_spec *spec, const char *name) {
  const int i = cdn_spec_find(spec, CDN_SPEC_BODY, name);
  if (i < 0) {
    complain("--delete %s: the model has no body of this name; cardan info lists them", visible(name));
    return CMD_USAGE;
  }
  return cdn_spec_delete(spec, CDN_SPEC_BODY, i, tell_edit, (void *)(uintptr_t)a) == CDN_OK ? CMD_OK
                                                                                            : complain_edit(spec);
}

static int edit(const model_arguments *a, cdn_spec *spec, const edits *wishes) {
  int code = CMD_OK;
  for (int i = 0; i < wishes->attached.n && code == CMD_OK; i++) code = attach(a, spec, wishes->attached.item[i]);
  for (int i = 0; i < wishes->deleted.n && code == CMD_OK; i++) code = delete_body(a, spec, wishes->deleted.item[i]);
  return code;
}

/* What was edited must be a model. */
static int check(const cdn_spec *spec) {
  cdn_system *system = cdn_system_create(NULL);
  cdn_model *model = NULL;
  const bool good =
      system && cdn_model_build(spec, NULL, system, &model) == CDN_OK && cdn_system_freeze(system) == CDN_OK;
  if (!good) complain("what was edited cannot be built: %s", cdn_last_error_text());
  cdn_model_destroy(model);
  cdn_system_release(system);
  return good ? CMD_OK : CMD_INPUT;
}

/* With --detach PREFIX what has the prefix is written, and not the model. */
static int detach(const model_arguments *a, cdn_spec **spec, const char *prefix) {
  cdn_spec *out;
  if (!prefix) return CMD_OK;
  if (cdn_spec_detach(*spec, prefix, NULL, tell_edit, (void *)(uintptr_t)a, &out) != CDN_OK)
    return complain_edit(*spec);
  cdn_spec_destroy(*spec);
  *spec = out;
  return CMD_OK;
}

/* The model is built, too, for what building says of it; what is written is as the file has it. */
static int convert(const model_arguments *a, const char *output, bool lossy, const edits *wishes, const char *prefix) {
  cdn_model *model = NULL;
  cdn_spec *spec = NULL;
  int code = load_model(a, &model);
  cdn_model_destroy(model);
  if (code == CMD_OK) code = load_spec(a, a->path, &spec);
  if (code == CMD_OK) code = edit(a, spec, wishes);
  if (code == CMD_OK) code = detach(a, &spec, prefix);
  if (code == CMD_OK && (prefix || wishes->attached.n > 0 || wishes->deleted.n > 0)) code = check(spec);
  if (code == CMD_OK) code = save(a, spec, output, lossy);
  cdn_spec_destroy(spec);
  if (code == CMD_OK && !a->quiet) printf("%s\n", output);
  return code;
}

int command_convert(int argc, char **argv) {
  model_arguments a = { .quiet = false };
  const char *output = NULL, *prefix = NULL;
  bool lossy = false;
  edits wishes = { .attached = { .n = 0 } };
  const option table[] = {
    { "output", 'o', OPTION_TEXT, &output, "FILE", "the file: .json, .xml or .urdf" },
    { "lossy", 0, OPTION_FLAG, &lossy, NULL, "leave out what the format cannot hold, and list it" },
    { "attach", 0, OPTION_LIST, &wishes.attached, "FILE:PREFIX:PLACE",
      "put the model of FILE on a site or a body (Ground without one), with PREFIX before its names" },
    { "delete", 0, OPTION_LIST, &wishes.deleted, "BODY", "take a body out, with all that refers to it" },
    { "detach", 0, OPTION_TEXT, &prefix, "PREFIX", "write what has this prefix, in place of the whole model" },
    { "strict", 0, OPTION_FLAG, &a.strict, NULL, "refuse a model that holds anything not simulated" },
    { "keep-fixed", 0, OPTION_FLAG, &a.keep_fixed, NULL, "URDF: keep links behind fixed joints as bodies" },
    { "floating-base", 0, OPTION_FLAG, &a.floating_base, NULL, "URDF: free the root link instead of welding it" },
    { "quiet", 0, OPTION_FLAG, &a.quiet, NULL, "no warnings on standard error" },
  };
  int code = options_parse(&page, table, sizeof table / sizeof *table, argc, argv, &a.path);
  if (code != OPTIONS_GO) return code;
  if (!output) {
    complain("which file? Name it with -o: it ends in .json, .xml or .urdf");
    return CMD_USAGE;
  }
  if (strcmp(output, a.path) == 0) {
    complain("%s is the input and would be overwritten; choose another output file", output);
    return CMD_USAGE;
  }
  return convert(&a, output, lossy, &wishes, prefix);
}
