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

static const char crane[] =
    "<mujoco model='crane'><worldbody><body name='boom' pos='0 0 1'><joint name='boom' axis='0 1 0'/>"
    "<geom size='.1' mass='1'/><site name='hook' pos='.5 0 0'/></body></worldbody></mujoco>";
static const char load[] =
    "<mujoco model='load'><option timestep='.01'/><worldbody><body name='rope'><joint name='rope' axis='0 1 0'/>"
    "<geom size='.1' pos='0 0 -.3' mass='1'/><body name='box' pos='0 0 -.5'><joint name='box' axis='1 0 0'/>"
    "<geom size='.1' pos='.1 0 0' mass='1'/></body></body></worldbody><actuator><motor name='box' joint='box'/></actuator>"
    "</mujoco>";

START_TEST(models_are_put_together) {
  enter_directory();
  write_file("crane.xml", crane);
  write_file("load.xml", load);
  SUCCEEDS("convert crane.xml --attach load.xml:a_:hook --attach load.xml:b_ -o both.json");
  SAYS(errors, "timestep");
  SUCCEEDS("info both.json");
  SAYS(output, "a_rope");
  SAYS(output, "b_box");
  SUCCEEDS("convert both.json --detach a_ -o again.json --quiet");
  SUCCEEDS("info again.json");
  SAYS(output, "rope");
  SUCCEEDS("convert load.xml --delete box -o less.json");
  SAYS(errors, "actuator 'box'");
  EXITS(2, "convert load.xml --delete nobody -o less.json");
  SAYS(errors, "nobody");
  EXITS(2, "convert crane.xml --attach load.xml -o both.json");
  SAYS(errors, "PREFIX");
  EXITS(3, "convert crane.xml --attach load.xml:a_:nowhere -o both.json");
  SAYS(errors, "nowhere");
  EXITS(3, "convert crane.xml --attach nothing.xml:a_ -o both.json");
  EXITS(3, "convert load.xml --attach load.xml: -o both.json");
  SAYS(errors, "another prefix");
  EXITS(3, "convert load.xml --detach a_ -o both.json");
}
END_TEST

CHECK_MAIN("command convert", files_of_other_formats_evaluate_alike, what_is_lost_is_told, models_are_put_together)
