/* cardan convert: a model file as one of another format. */
#include "command.h"

#include <string.h>

static const help_page page = {
  "convert", "MODEL -o FILE [options]",
  "Reads a model and writes it as the file's name ends: FILE.json is Cardan's own format, which holds all that was read,\n"
  "and FILE.xml is MJCF. Both are read again to the last bit, wherever a model can be read. FILE.urdf is URDF.\n",
  "  cardan convert humanoid.xml -o humanoid.json && cardan simulate humanoid.json --duration 2\n"
  "  cardan convert robot.urdf -o robot.xml --lossy\n",
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

/* The model is built, too, for what building says of it; what is written is as the file has it. */
static int convert(const model_arguments *a, const char *output, bool lossy) {
  cdn_model_options options = cdn_default_model_options();
  cdn_model *model = NULL;
  cdn_spec *spec = NULL;
  options.keep_fixed = a->keep_fixed, options.floating_base = a->floating_base;
  int code = load_model(a, &model);
  cdn_model_destroy(model);
  if (code != CMD_OK) return code;
  const cdn_status status = cdn_spec_load(a->path, &options, &spec);
  if (status != CDN_OK) complain("%s", cdn_last_error_text());
  code = status == CDN_OK ? save(a, spec, output, lossy) : CMD_INPUT;
  cdn_spec_destroy(spec);
  if (code == CMD_OK && !a->quiet) printf("%s\n", output);
  return code;
}

int command_convert(int argc, char **argv) {
  model_arguments a = { .quiet = false };
  const char *output = NULL;
  bool lossy = false;
  const option table[] = {
    { "output", 'o', OPTION_TEXT, &output, "FILE", "the file: .json, .xml or .urdf" },
    { "lossy", 0, OPTION_FLAG, &lossy, NULL, "leave out what the format cannot hold, and list it" },
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
  return convert(&a, output, lossy);
}
