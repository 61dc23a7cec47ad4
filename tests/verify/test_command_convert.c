/* cardan convert: a model as a file of another format, which evaluates to the same bits; what is lost is told. */
#include "command_run.h"

/* An evaluation of a file in the state whose numbers need all their digits. */
static json_t *evaluated(const char *model) {
  SUCCEEDS("eval %s --json --quiet --matrices --state creature.json", model);
  return parse(output);
}

START_TEST(files_of_other_formats_evaluate_alike) {
  static const char *const others[] = { "model.json", "model.xml" };
  const char *name;
  json_t *value;
  enter_directory();
  write_file("creature.json", creature_state);
  SUCCEEDS("convert creature.xml -o model.json");
  SAYS(output, "model.json");
  SUCCEEDS("convert creature.xml -o model.xml --quiet");
  ck_assert_str_eq(output, "");
  json_t *first = evaluated("creature.xml");
  ck_assert_ptr_nonnull(json_object_get(first, "udot"));
  for (int k = 0; k < 2; k++) {
    json_t *again = evaluated(others[k]);
    json_object_foreach(first, name, value) if (strcmp(name, "file") != 0 && strcmp(name, "not_understood") != 0)
        ck_assert_msg(json_equal(value, json_object_get(again, name)), "%s: %s", others[k], name);
    json_decref(again);
  }
  json_decref(first);
}
END_TEST

START_TEST(what_is_lost_is_told) {
  enter_directory();
  EXITS(2, "convert one.xml");
  SAYS(errors, "-o");
  EXITS(2, "convert one.xml -o one.xml");
  EXITS(2, "convert one.xml -o one.yaml");
  SAYS(errors, ".json");
  EXITS(4, "convert one.xml -o nowhere/one.json");
  EXITS(3, "convert nothing.xml -o one.json");
  EXITS(2, "convert creature.xml -o creature.urdf --lossy"); /* a ball */
  SAYS(errors, "shoulder");
  EXITS(2, "convert one.xml -o one.urdf");
  SAYS(errors, "--lossy");
  SUCCEEDS("convert one.xml -o one.urdf --lossy");
  SAYS(errors, "left out: ");
  SUCCEEDS("info one.urdf");
}
END_TEST

CHECK_MAIN("command convert", files_of_other_formats_evaluate_alike, what_is_lost_is_told)
