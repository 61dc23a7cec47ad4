/* `cardan assemble` as its users meet it: goals, locks, states that go on to other commands, mistakes. */
#include "command_run.h"

/* Without constraints goals are met exactly, and what nobody wants stays. */
START_TEST(goals_are_met) {
  enter_directory();
  SUCCEEDS("assemble one.xml --goal hinge=0.25");
  SAYS(output, "degrees of freedom   1");
  SAYS(output, "hinge.q");
  SAYS(output, "0.25");
  ck_assert_str_eq(errors, "");

  write_file("state.json", creature_state);
  SUCCEEDS("assemble creature.xml --quiet --initial state.json --goal slide=-0.125 --goal 'root[4]=1.5' -o -");
  json_t *state = parse(output);
  ck_assert(number(state, "time") == 0.1);
  const double was[] = { 0.9, 0.1, -0.2, 0.30000000000000004, 1, 2, 3, 0.7, 0.1, 0.2, 0.3, -0.6, 0.017 };
  for (size_t i = 0; i < 13; i++) {
    const double q = element(state, "q", 13, i);
    if (i == 12) NEAR(q, -0.125, 1e-15);
    else if (i == 4) NEAR(q, 1.5, 1e-15);
    else if (i > 10 || i == 5 || i == 6) ck_assert(q == was[i]);
  }
  /* quaternions come out of unit length: they turn as they did */
  double ratio = element(state, "q", 13, 0) / was[0];
  for (size_t i = 1; i < 4; i++) NEAR(element(state, "q", 13, i), ratio * was[i], 1e-15);
  NEAR(element(state, "u", 11, 1), 1.7, 0);
  json_decref(state);
}
END_TEST

START_TEST(locked_joints_stay) {
  enter_directory();
  SUCCEEDS("assemble one.xml --key raised --lock hinge=0.7 --goal hinge=0.25 -o held.json");
  SAYS(output, "degrees of freedom   0");
  json_t *state = parse_file("held.json");
  ck_assert(element(state, "q", 1, 0) == 0.7);
  json_decref(state);
  SUCCEEDS("simulate one.xml --duration 0.1 --initial held.json -o rows.csv");
  ck_assert(parse_csv_file("rows.csv")->value[0][1] == 0.7);
  SUCCEEDS("simulate one.xml --duration 0.1 --initial held.json --no-assemble");
}
END_TEST

START_TEST(mistakes) {
  enter_directory();
  EXITS(2, "assemble");
  EXITS(2, "assemble one.xml --goal hinge");
  SAYS(errors, "JOINT=VALUE");
  EXITS(2, "assemble one.xml --goal hinge=");
  EXITS(2, "assemble one.xml --goal hinge=nan");
  SAYS(errors, "not a finite number");
  EXITS(2, "assemble one.xml --goal hing=1");
  SAYS(errors, "did you mean 'hinge'");
  EXITS(2, "assemble one.xml --goal 'hinge[1]=1'");
  SAYS(errors, "hinge");
  EXITS(2, "assemble one.xml --goal 'hinge[x]=1'");
  SAYS(errors, "number in brackets");
  EXITS(2, "assemble creature.xml --quiet --goal root=1");
  SAYS(errors, "7 coordinates");
  EXITS(2, "assemble creature.xml --quiet --goal 'root[0]=1'");
  SAYS(errors, "no speed");
  EXITS(2, "assemble one.xml --goal =1");
  EXITS(2, "assemble one.xml --lock elbow");
  EXITS(3, "assemble nowhere.xml");
  EXITS(4, "assemble one.xml -o nowhere/state.json");
  EXITS(2, "simulate --resume run.checkpoint --no-assemble");
  SUCCEEDS("assemble --help");
  SAYS(output, "--goal JOINT=VALUE");
}
END_TEST

CHECK_MAIN("command_assemble", goals_are_met, locked_joints_stay, mistakes)
