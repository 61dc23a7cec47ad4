/* cardan convert: a model file as one of another format. */
#include "command.h"

#include <string.h>

static const help_page page = {
  "convert", "MODEL -o FILE [options]",
  "Reads a model and writes it as the file's name ends: FILE.json is Cardan's own format, which holds all that was read,\n"
  "to the last bit. It can be read wherever a model can.\n",
  "  cardan convert humanoid.xml -o humanoid.json && cardan simulate humanoid.json --duration 2\n", WHICH_MODEL
};

int command_convert(int argc, char **argv) {
  model_arguments a = { .contact = "none" }; /* meshes need not be read */
  const char *output = NULL;
  const option table[] = {
    { "output", 'o', OPTION_TEXT, &output, "FILE", "the file: .json" },
    { "strict", 0, OPTION_FLAG, &a.strict, NULL, "refuse a model that holds anything not simulated" },
    { "keep-fixed", 0, OPTION_FLAG, &a.keep_fixed, NULL, "URDF: keep links behind fixed joints as bodies" },
    { "floating-base", 0, OPTION_FLAG, &a.floating_base, NULL, "URDF: free the root link instead of welding it" },
    { "quiet", 0, OPTION_FLAG, &a.quiet, NULL, "no warnings on standard error" },
  };
  int code = options_parse(&page, table, sizeof table / sizeof *table, argc, argv, &a.path);
  if (code != OPTIONS_GO) return code;
  if (!output) {
    complain("which file? Name it with -o: it ends in .json");
    return CMD_USAGE;
  }
  if (strcmp(output, a.path) == 0) {
    complain("%s is the input and would be overwritten; choose another output file", output);
    return CMD_USAGE;
  }
  cdn_model *model = NULL;
  code = load_model(&a, &model);
  if (code == CMD_OK) {
    const cdn_status status = cdn_spec_save(cdn_model_spec(model), output);
    if (status != CDN_OK) complain("%s", cdn_last_error_text());
    else if (!a.quiet) printf("%s\n", output);
    if (status != CDN_OK) code = status == CDN_ERR_UNSUPPORTED ? CMD_USAGE : CMD_OUTPUT;
  }
  cdn_model_destroy(model);
  return code;
}
