/* The live run does what pages ask: time, the past, accuracy and method, recordings; and what it cannot do, it says. */
#define _POSIX_C_SOURCE 200809L
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "view_rig.h"

/* A pendulum of two links under gravity. */
static void make(view_rig *r) {
  live_rig_begin(r);
  cdn_body_def b = cdn_default_body_def();
  b.name = "upper", b.mobilizer = CDN_PIN;
  b.mass = (cdn_mass_properties){ 1, { 0, 0, 0 }, { 0.1, 0.1, 0.1, 0, 0, 0 } };
  b.X_PF.R = b.X_BM.R = cdn_rotation_axis_angle(cdn_v3(1, 0, 0), PI / 2);
  b.X_BM.p = cdn_v3(0, 0, 1);
  const cdn_body upper = cdn_system_add_body(r->system, &b);
  b.name = "lower", b.parent = upper;
  cdn_system_add_body(r->system, &b);
  cdn_system_add_gravity(r->system, "gravity", cdn_v3(0, 0, -9.81));
  r->pull = cdn_system_add_perturbation(r->system, NULL);
  live_rig_freeze(r);
  OK(cdn_body_set_q(r->state, upper, 1, (double[]){ 1 }));
}

static json_t *plain(const char *type) { return json_pack("{s:s}", "type", type); }
static json_t *with_value(const char *type, double value) {
  return json_pack("{s:s,s:f}", "type", type, "value", value);
}
static json_t *with_name(const char *type, const char *name) {
  return json_pack("{s:s,s:s}", "type", type, "name", name);
}

static void turn_to_status(view_rig *r) { live_rig_turns(r, 13); }

START_TEST(time_goes_and_stops) {
  view_rig r;
  make(&r);
  live_rig_run(&r, NULL);
  live_rig_turns(&r, 60);
  NEAR(live_rig_time(&r), 1, 1e-9);
  ck_assert_int_eq(r.frames, 61); /* with the first State */
  ck_assert(r.frame.time == live_rig_time(&r));
  NEAR(number_of(r.status, "reached"), 1, 1e-6);
  ck_assert(json_is_null(json_object_get(r.status, "note")));

  ck_assert_ptr_null(live_rig_ask(&r, plain("pause")));
  const double stands = live_rig_time(&r);
  turn_to_status(&r);
  ck_assert(live_rig_time(&r) == stands);
  ck_assert_str_eq(text_of(r.status, "state"), "paused");
  const int64_t steps = (int64_t)number_of(r.status, "steps");
  /* the first step ends where the method is already */
  ck_assert_ptr_null(live_rig_ask(&r, json_pack("{s:s,s:i}", "type", "step", "n", 3)));
  turn_to_status(&r);
  ck_assert(live_rig_time(&r) > stands);
  ck_assert_int_le((int64_t)number_of(r.status, "steps"), steps + 3);
  ck_assert_int_ge((int64_t)number_of(r.status, "steps"), steps + 2);

  ck_assert_ptr_null(live_rig_ask(&r, with_value("speed", 0.25)));
  const double before = live_rig_time(&r);
  ck_assert_ptr_null(live_rig_ask(&r, plain("run")));
  live_rig_turns(&r, 59);
  NEAR(live_rig_time(&r) - before, 0.25, 1e-9);

  ck_assert_ptr_null(live_rig_ask(&r, plain("reset")));
  ck_assert_uint_eq(r.frame.flags, 1);
  NEAR(live_rig_time(&r), 0.25 / 60, 1e-9);
  ck_assert(r.live->past.past[0].time == 0);
  ck_assert(cdn_body_q(r.live->past.past[0].state, (cdn_body){ 1 })[0] == 1);
  live_rig_drop(&r);
}
END_TEST

START_TEST(what_the_machine_cannot_do_is_said) {
  view_rig r;
  make(&r);
  live_rig_run(&r, NULL);
  live_rig_tick = 0.1; /* each turn takes six times what it simulates */
  live_rig_turns(&r, 30);
  NEAR(number_of(r.status, "reached"), 1.0 / 6, 0.01);
  ck_assert_ptr_nonnull(strstr(text_of(r.status, "note"), "0.17 times real time, not 1"));
  /* below half of what was asked another way is offered; it goes on where the run is, and knows no errors */
  ck_assert_str_eq(text_of(r.status, "offers"), "interactive");
  ck_assert_ptr_nonnull(live_rig_ask(&r, with_name("preset", "magic")));
  const double q = cdn_state_q(cdni_live_shown(r.live))[0], before = live_rig_time(&r);
  ck_assert_ptr_null(live_rig_ask(&r, plain("pause")));
  ck_assert_ptr_null(live_rig_ask(&r, with_name("preset", "interactive")));
  ck_assert(live_rig_time(&r) >= before && before > 0);
  NEAR(cdn_state_q(cdni_live_shown(r.live))[0], q, 0.5);
  ck_assert_ptr_null(live_rig_ask(&r, plain("run")));
  live_rig_tick = 1.0 / 60;
  live_rig_turns(&r, 90);
  ck_assert(json_is_null(json_object_get(r.status, "note")));
  ck_assert(json_is_null(json_object_get(r.status, "offers")));
  ck_assert(json_is_null(json_object_get(r.status, "delivered")) &&
            json_is_false(json_object_get(r.status, "companion")));
  NEAR(number_of(r.status, "step"), 0.002, 1e-12);
  ck_assert_str_eq(text_of(r.status, "method"), "mujoco-implicit-fast");
  live_rig_drop(&r);
}
END_TEST

/* A clock that goes on by a millisecond whenever it is read. */
static double quick_clock;
static double read_quick_clock(void) { return quick_clock += 1e-3; }

START_TEST(as_fast_as_possible_the_companion_follows) {
  view_rig r;
  double ratio = 0;
  make(&r);
  live_rig_run(&r, NULL);
  live_rig_turns(&r, 1);
  r.view->clock = read_quick_clock;
  for (int k = 0; k < 50; k++) {
    cdn_certificate c;
    r.view->link = (void *)&r; /* somebody looks: a turn ends at its deadline */
    cdni_live_advance(r.live, INFINITY, read_quick_clock() + 15e-3);
    r.view->link = NULL;
    const double now = live_rig_time(&r);
    OK_STEP(r.live->stepper, cdn_stepper_certificate(r.live->stepper, &c));
    ck_assert(c.delivered != CDN_VERDICT_DELIVERED || c.compared_until == now);
    ratio = c.compared_until / now;
  }
  ck_assert(live_rig_time(&r) > 1);
  ck_assert(ratio > 0.9);
  live_rig_drop(&r);
}
END_TEST

/* ---- the past ---- */

START_TEST(the_past_comes_back) {
  view_rig r;
  make(&r);
  live_rig_run(&r, NULL);
  live_rig_turns(&r, 60);
  double q[2];
  memcpy(q, cdn_state_q(cdni_live_shown(r.live)), sizeof q);
  live_rig_turns(&r, 60);
  ck_assert_ptr_null(live_rig_ask(&r, json_pack("{s:s,s:f}", "type", "seek", "time", 1.001)));
  NEAR(live_rig_time(&r), 1, 1e-9);
  ck_assert_mem_eq(cdn_state_q(cdni_live_shown(r.live)), q, sizeof q);
  ck_assert_uint_eq(r.frame.flags, 1);
  turn_to_status(&r);
  ck_assert_str_eq(text_of(r.status, "state"), "paused");
  NEAR(number_of(r.status, "to"), 2, 1e-9);
  ck_assert(number_of(r.status, "from") == 0);
  /* forward again: the run was not touched */
  ck_assert_ptr_null(live_rig_ask(&r, json_pack("{s:s,s:f}", "type", "seek", "time", 99.0)));
  NEAR(live_rig_time(&r), 2, 1e-9);
  ck_assert(!r.live->of_the_past && r.live->stepper);
  /* from the past on: what came later is forgotten */
  ck_assert_ptr_null(live_rig_ask(&r, json_pack("{s:s,s:f}", "type", "seek", "time", 0.5)));
  ck_assert_ptr_null(live_rig_ask(&r, plain("run")));
  turn_to_status(&r);
  AT_MOST(number_of(r.status, "to"), 0.8);
  live_rig_drop(&r);
}
END_TEST

START_TEST(the_past_is_bounded_and_thins_out) {
  view_rig r;
  make(&r);
  r.def.history = 1; /* as little as possible: 16 States */
  live_rig_run(&r, NULL);
  live_rig_turns(&r, 1200);
  const view_history *h = &r.live->past;
  ck_assert_int_eq(h->capacity, 16);
  ck_assert_int_eq(h->n, 16);
  ck_assert_int_eq(h->made, 16);
  ck_assert(h->past[0].time == 0);
  NEAR(h->past[15].time, 20, 1e-6);
  NEAR(h->past[15].time - h->past[14].time, 1.0 / 60, 0.02);
  for (int i = 1; i < h->n; i++) {
    const double age = 20 - h->past[i].time, gap = h->past[i].time - h->past[i - 1].time;
    ck_assert(gap > 0);
    /* no gap is longer than twice the age */
    AT_MOST(gap, 2 * age + 0.1);
  }
  live_rig_drop(&r);
}
END_TEST

/* ---- numbers that change while it goes ---- */

/* A fresh stepper from this State delivers the same bits. */
static void compare_with_fresh(view_rig *r, cdn_state *from, cdn_stepper_def def) {
  cdn_stepper *fresh;
  OK_ON(from, cdn_stepper_create(from, &def, &fresh));
  for (int i = 0; i < 30; i++) {
    double t = cdn_state_time(cdn_stepper_state(r->live->stepper));
    live_rig_turn(r);
    t = cdn_state_time(cdn_stepper_state(r->live->stepper));
    OK_STEP(fresh, cdn_stepper_advance(fresh, t, NULL));
    const cdn_state *a = cdn_stepper_state(fresh), *b = cdn_stepper_state(r->live->stepper);
    ck_assert_mem_eq(cdn_state_q(a), cdn_state_q(b), 2 * sizeof(double));
    ck_assert_mem_eq(cdn_state_u(a), cdn_state_u(b), 2 * sizeof(double));
  }
  cdn_stepper_destroy(fresh);
}

START_TEST(accuracy_and_method_change_at_the_present_state) {
  view_rig r;
  make(&r);
  live_rig_run(&r, NULL);
  cdn_state *from;
  OK(cdn_state_create(r.system, &from));
  cdn_stepper_def def = cdn_default_stepper_def();
  def.companion = true;
  live_rig_turns(&r, 30);
  OK(cdn_state_copy(from, cdni_live_shown(r.live)));
  ck_assert_ptr_null(live_rig_ask(&r, with_value("accuracy", 1e-8)));
  def.accuracy = 1e-8;
  compare_with_fresh(&r, from, def);
  OK(cdn_state_copy(from, cdni_live_shown(r.live)));
  ck_assert_ptr_null(live_rig_ask(&r, with_name("method", "bogacki-shampine")));
  def.method = CDN_METHOD_BOGACKI_SHAMPINE;
  compare_with_fresh(&r, from, def);
  turn_to_status(&r);
  ck_assert(number_of(r.status, "accuracy") == 1e-8);
  ck_assert_str_eq(text_of(r.status, "method"), "bogacki-shampine");
  ck_assert_ptr_nonnull(strstr(text_of(r.status, "verdict"), "asked 1e-8, delivered about"));
  /* what is refused changes nothing, and the certificate goes on */
  const double steps = number_of(r.status, "steps");
  ck_assert_ptr_nonnull(strstr(live_rig_ask(&r, with_value("accuracy", 7)), "between 1e-15 and 1"));
  turn_to_status(&r);
  ck_assert(number_of(r.status, "accuracy") == 1e-8);
  ck_assert(number_of(r.status, "steps") >= steps);
  cdn_state_destroy(from);
  live_rig_drop(&r);
}
END_TEST

START_TEST(the_steps_are_those_of_a_run_without_a_view) {
  view_rig r;
  make(&r);
  cdn_stepper_def def = cdn_default_stepper_def();
  live_rig_run(&r, &def);
  live_rig_turns(&r, 300);
  cdn_stepper *alone;
  cdn_certificate with, without;
  OK_ON(r.state, cdn_stepper_create(r.state, &def, &alone));
  OK_STEP(alone, cdn_stepper_advance(alone, live_rig_time(&r), NULL));
  OK(cdn_stepper_certificate(alone, &without));
  OK(cdn_stepper_certificate(r.live->stepper, &with));
  ck_assert_int_eq(with.steps, without.steps);
  ck_assert_int_eq(with.evaluations, without.evaluations);
  ck_assert_mem_eq(cdn_state_q(cdn_stepper_state(alone)), cdn_state_q(cdni_live_shown(r.live)), 2 * sizeof(double));
  cdn_stepper_destroy(alone);
  live_rig_drop(&r);
}
END_TEST

START_TEST(plots_have_values) {
  view_rig r;
  make(&r);
  live_rig_run(&r, NULL);
  ck_assert_ptr_null(live_rig_ask(&r, json_pack("{s:s,s:[i,i,i,i]}", "type", "plots", "series", 0, 2, 6, 11)));
  live_rig_turn(&r);
  ck_assert_uint_eq(r.frame.values, 4);
  cdn_state *shown = cdni_live_shown(r.live);
  ck_assert(r.frame.value[0] == cdn_state_q(shown)[0] && r.frame.value[1] == cdn_state_u(shown)[0]);
  /* the energy is that of the start: both hang at an angle of 1 rad to the second's axis */
  double kinetic, potential;
  OK(cdn_kinetic_energy(shown, &kinetic));
  OK(cdn_potential_energy(shown, &potential));
  ck_assert(r.frame.value[2] == kinetic + potential);
  ck_assert_ptr_nonnull(
      strstr(live_rig_ask(&r, json_pack("{s:s,s:[i]}", "type", "plots", "series", 999)), "from 0 to"));
  live_rig_turn(&r);
  ck_assert_uint_eq(r.frame.values, 4);
  live_rig_drop(&r);
}
END_TEST

/* Two atoms of a molecule: the page has picoseconds, and one of them a second is the usual speed. */
START_TEST(small_models_have_small_times) {
  static const char molecule[] =
      "<mujoco><option gravity='0 0 0'/><worldbody><body><freejoint/><geom size='1e-10' mass='2e-26'/>"
      "<body pos='1e-10 0 0'><joint axis='0 1 0' stiffness='1e-19'/><geom size='1e-10' "
      "mass='2e-27'/></body></body></worldbody></mujoco>";
  view_rig r;
  live_rig_load(&r, molecule, CDN_MODEL_NO_CONTACT);
  live_rig_run(&r, NULL);
  const json_t *time = json_object_get(r.model_text, "time");
  ck_assert_str_eq(text_of(time, "unit"), "ps");
  ck_assert(number_of(time, "seconds") == 1e-12);
  live_rig_turns(&r, 60);
  NEAR(live_rig_time(&r), 1e-12, 1e-20);
  NEAR(number_of(r.status, "reached"), 1, 1e-6);
  live_rig_drop(&r);
  make(&r);
  r.def.time_unit = "fs";
  live_rig_run(&r, NULL);
  time = json_object_get(r.model_text, "time");
  ck_assert_str_eq(text_of(time, "unit"), "fs");
  ck_assert(number_of(time, "seconds") == 1);
  live_rig_drop(&r);
}
END_TEST

/* A ball of 1 kg on the floor: the contact bears its weight, and a pendulum's hinge that of both links at rest. */
START_TEST(forces_are_plotted) {
  view_rig r;
  live_rig_load(
      &r,
      "<mujoco><worldbody><geom type='plane' size='1 1 1'/><body pos='0 0 .2'><freejoint/><geom size='.2' mass='1'/>"
      "</body><body pos='2 0 2'><joint name='hinge' axis='0 1 0'/><geom size='.1' mass='3' pos='0 0 -.5'/></body>"
      "</worldbody></mujoco>",
      CDN_MODEL_COMPLIANT);
  live_rig_run(&r, NULL);
  int force = -1, reaction = -1;
  const json_t *series = json_object_get(r.model_text, "series");
  for (size_t i = 0; i < json_array_size(series); i++) {
    const char *name = text_of(json_array_get(series, i), "name");
    if (strcmp(name, "contact force") == 0) force = (int)i;
    if (strcmp(name, "hinge reaction") == 0) reaction = (int)i;
  }
  ck_assert(force >= 0 && reaction >= 0);
  ck_assert_ptr_null(live_rig_ask(&r, json_pack("{s:s,s:[i,i]}", "type", "plots", "series", force, reaction)));
  live_rig_turns(&r, 240);
  NEAR(r.frame.value[0], 9.81, 0.01);
  NEAR(r.frame.value[1], 3 * 9.81, 1e-6);
  live_rig_drop(&r);
}
END_TEST

START_TEST(a_recording_has_the_rows_that_were_shown) {
  view_rig r;
  char path[] = "/tmp/cardan-recording-XXXXXX", name[64];
  const int there = mkstemp(path);
  ck_assert_int_ge(there, 0);
  make(&r);
  r.def.recording = path;
  live_rig_run(&r, NULL);
  ck_assert_ptr_null(live_rig_ask(&r, json_pack("{s:s,s:b}", "type", "record", "on", 1)));
  live_rig_turns(&r, 20);
  snprintf(name, sizeof name, "%s-2", path); /* the first name is taken */
  ck_assert_str_eq(text_of(r.status, "recording"), name);
  ck_assert_ptr_null(live_rig_ask(&r, json_pack("{s:s,s:b}", "type", "record", "on", 0)));
  FILE *file = fopen(name, "r");
  ck_assert_ptr_nonnull(file);
  char line[1024];
  int lines = 0;
  while (fgets(line, sizeof line, file)) lines++;
  fclose(file);
  /* the header, the State where it was begun, and one row a turn */
  ck_assert_int_eq(lines, 1 + 1 + 21);
  unlink(name);
  unlink(path);
  close(there);
  live_rig_drop(&r);
}
END_TEST

/* ---- a flood of nonsense ---- */

START_TEST(nonsense_is_refused_and_changes_nothing) {
  static const char *const nonsense[] = {
    "{}",
    "{'type':'explode'}",
    "{'type':7}",
    "{'type':'step','n':0}",
    "{'type':'step','n':1.5}",
    "{'type':'step','n':1e300}",
    "{'type':'step','n':'all'}",
    "{'type':'speed'}",
    "{'type':'speed','value':-1}",
    "{'type':'speed','value':'fast'}",
    "{'type':'accuracy','value':0}",
    "{'type':'method','name':'magic'}",
    "{'type':'method'}",
    "{'type':'contact','name':'soft'}",
    "{'type':'keyframe','name':'home'}",
    "{'type':'layers','mask':-1}",
    "{'type':'layers','mask':32768}",
    "{'type':'select','body':3}",
    "{'type':'select','body':-1}",
    "{'type':'select'}",
    "{'type':'plots','series':3}",
    "{'type':'plots','series':[-1]}",
    "{'type':'coordinate','index':2,'value':0}",
    "{'type':'coordinate','index':0}",
    "{'type':'control','index':0,'value':1}",
    "{'type':'parameters','element_type':'force','element':9}",
    "{'type':'parameters','element_type':'farce','element':0}",
    "{'type':'parameters','element_type':'measure','element':0}",
    "{'type':'parameter','element_type':'body','element':1,'index':0,'value':-5}",
    "{'type':'parameter','element_type':'body','element':1,'index':999,'value':1}",
    "{'type':'perturb','body':0,'station':[0,0,0],'target':[0,0,0]}",
    "{'type':'perturb','body':1,'station':[0,0],'target':[0,0,0]}",
    "{'type':'perturb','body':1,'station':[0,0,'x'],'target':[0,0,0]}",
    "{'type':'seek'}",
    "{'type':'seek','time':1e300}",
    "{'type':'speed','value':1e300}",
    "{'type':'accuracy','value':1e300}",
    "{'type':'coordinate','index':0,'value':1e300}",
    "{'type':'parameter','element_type':'body','element':1,'index':0,'value':1e300}",
    "{'type':'parameter','element_type':'force','element':1,'index':0,'value':1}", /* of the pull */
    "{'type':'parameters','element_type':'force','element':1}",
    "{'type':'perturb','body':1,'station':[0,0,0],'target':[0,0,1e300]}",
    "{'type':'perturb','body':1e300,'station':[0,0,0],'target':[0,0,0]}",
    "{'type':'record'}",
    "{'type':'record','on':1}",
    "{'type':'companion'}",
    "{'type':'companion','on':'yes'}",
  };
  view_rig r;
  make(&r);
  cdn_stepper_def def = cdn_default_stepper_def();
  live_rig_run(&r, &def);
  for (size_t i = 0; i < sizeof nonsense / sizeof *nonsense; i++) {
    char text[256];
    snprintf(text, sizeof text, "%s", nonsense[i]);
    for (char *c = text; *c; c++)
      if (*c == '\'') *c = '"';
    const char *error = live_rig_ask(&r, json_loads(text, 0, NULL));
    ck_assert_msg(error && error[0], "%s was accepted", nonsense[i]);
  }
  ck_assert_int_eq(r.live->state, LIVE_RUNNING);
  cdn_stepper *alone;
  OK_ON(r.state, cdn_stepper_create(r.state, &def, &alone));
  OK_STEP(alone, cdn_stepper_advance(alone, live_rig_time(&r), NULL));
  ck_assert_mem_eq(cdn_state_q(cdn_stepper_state(alone)), cdn_state_q(cdni_live_shown(r.live)), 2 * sizeof(double));
  cdn_stepper_destroy(alone);
  live_rig_drop(&r);
}
END_TEST

/* What pages show in green or red is the library's verdict: nothing before the first step, and where it is unknown. */
START_TEST(the_status_has_the_verdict) {
  view_rig r;
  cdn_certificate c;
  cdn_stepper_def def = cdn_default_stepper_def();
  make(&r);
  def.companion = true;
  def.final_time = 1;
  live_rig_run(&r, &def);
  OK(cdni_live_send_status(r.live));
  ck_assert(json_is_null(json_object_get(r.status, "delivered")));
  ck_assert_str_eq(text_of(r.status, "verdict"), "");
  live_rig_turns(&r, 90);
  turn_to_status(&r);
  NEAR(live_rig_time(&r), 1, 1e-12);
  ck_assert_str_eq(text_of(r.status, "state"), "ended");
  OK_STEP(r.live->stepper, cdn_stepper_certificate(r.live->stepper, &c));
  ck_assert_int_eq(c.delivered, CDN_VERDICT_DELIVERED);
  ck_assert(json_is_true(json_object_get(r.status, "delivered")));
  /* the steps share the accuracy: the words are those of the library */
  ck_assert_ptr_eq(strstr(text_of(r.status, "verdict"), "asked 1e-4, delivered about"), text_of(r.status, "verdict"));
  live_rig_drop(&r);

  /* without an end it is the accuracy of each step */
  make(&r);
  def.final_time = INFINITY;
  live_rig_run(&r, &def);
  live_rig_turns(&r, 90);
  turn_to_status(&r);
  ck_assert_ptr_eq(strstr(text_of(r.status, "verdict"), "accuracy of each step: asked 1e-4, delivered about"),
                   text_of(r.status, "verdict"));
  ck_assert_ptr_null(live_rig_ask(&r, json_pack("{s:s,s:b}", "type", "companion", "on", 0)));
  live_rig_turns(&r, 90);
  turn_to_status(&r);
  ck_assert(json_is_null(json_object_get(r.status, "delivered")));
  ck_assert_ptr_nonnull(strstr(text_of(r.status, "verdict"), "unknown"));
  live_rig_drop(&r);
}
END_TEST

/* The estimate comes and goes with the companion; the run goes on from where it is. */
START_TEST(the_companion_is_switched_while_it_runs) {
  view_rig r;
  make(&r);
  live_rig_run(&r, NULL);
  live_rig_turns(&r, 30);
  turn_to_status(&r);
  ck_assert(json_is_true(json_object_get(r.status, "companion")));
  ck_assert(json_is_number(json_object_get(r.status, "estimate")));
  const double time = live_rig_time(&r);
  ck_assert_ptr_null(live_rig_ask(&r, json_pack("{s:s,s:b,s:i}", "type", "companion", "on", 0, "id", 5)));
  ck_assert_int_eq(r.live->state, LIVE_RUNNING);
  live_rig_turns(&r, 30);
  turn_to_status(&r);
  ck_assert(json_is_false(json_object_get(r.status, "companion")));
  ck_assert(json_is_null(json_object_get(r.status, "estimate")));
  ck_assert(live_rig_time(&r) > time);
  ck_assert_ptr_null(cdn_stepper_companion(r.live->stepper));
  ck_assert_ptr_null(live_rig_ask(&r, json_pack("{s:s,s:b,s:i}", "type", "companion", "on", 1, "id", 6)));
  live_rig_turns(&r, 30);
  turn_to_status(&r);
  ck_assert(json_is_true(json_object_get(r.status, "companion")));
  ck_assert(json_is_number(json_object_get(r.status, "estimate")));
  live_rig_drop(&r);
}
END_TEST

/* ---- memory ---- */

START_TEST(a_frame_allocates_nothing) {
  view_rig r;
  make(&r);
  r.def.history = 1;
  r.def.layers = CDN_LAYER_ALL;
  live_rig_run(&r, NULL);
  ck_assert_ptr_null(live_rig_ask(&r, json_pack("{s:s,s:[i,i,i]}", "type", "plots", "series", 0, 6, 11)));
  ck_assert_ptr_null(live_rig_ask(&r, json_pack("{s:s,s:i}", "type", "select", "body", 1)));
  live_rig_turns(&r, 120);
  const int64_t calls = r.memory.calls;
  live_rig_turns(&r, 600);
  ck_assert_int_eq(r.memory.calls, calls);
  live_rig_drop(&r);
}
END_TEST

/* ---- events ---- */

static cdn_status height(const void *self, cdn_state *state, double *value) {
  (void)self;
  *value = cdn_state_q(state)[0];
  return CDN_OK;
}
static cdn_status bounce(const void *self, cdn_state *state, const cdn_occurrence *what, cdn_action *action) {
  (void)self;
  (void)what;
  (void)action;
  return cdn_body_set_u(state, (cdn_body){ 1 }, 1, (double[]){ -cdn_state_u(state)[0] });
}

/* A ball that is dropped from 0.1 m touches the floor after sqrt(0.2 / g), then every 2 sqrt(0.2 / g). */
START_TEST(events_are_told_once) {
  view_rig r;
  live_rig_begin(&r);
  cdn_body_def b = cdn_default_body_def();
  b.mobilizer = CDN_SLIDER, b.mass.mass = 1;
  cdn_system_add_body(r.system, &b);
  cdn_system_add_gravity(r.system, NULL, cdn_v3(-10, 0, 0));
  cdn_event_def e = cdn_default_event_def();
  e.name = "bounce", e.value = height, e.handle = bounce, e.direction = CDN_FALLING;
  cdn_system_add_event(r.system, &e);
  live_rig_freeze(&r);
  OK(cdn_body_set_q(r.state, (cdn_body){ 1 }, 1, (double[]){ 0.1 }));
  live_rig_run(&r, NULL);
  live_rig_turns(&r, 60);
  const double fall = sqrt(0.02);
  ck_assert_int_eq(r.events, (int)((1 - fall) / (2 * fall)) + 1);
  ck_assert_str_eq(text_of(r.event, "text"), "bounce");
  NEAR(number_of(r.event, "time"), (2 * r.events - 1) * fall, 1e-3);
  live_rig_drop(&r);
}
END_TEST

/* ---- the end ---- */

START_TEST(a_view_without_a_server_runs_to_the_end) {
  view_rig r;
  make(&r);
  live_rig_open(&r);
  FAILS(cdn_view_run(r.view, NULL), CDN_ERR_ARG);
  cdn_stepper_def def = cdn_default_stepper_def();
  def.final_time = 0.5;
  OK(cdn_view_run(r.view, &def));
  NEAR(r.frame.time, 0.5, 0);
  ck_assert_str_eq(text_of(r.event, "text"), "the run has reached its end");
  /* a live run that has ended can be stepped no further, but can begin anew */
  OK(cdni_live_open(r.view, &def, &r.live));
  live_rig_turns(&r, 40);
  ck_assert_int_eq(r.live->state, LIVE_ENDED);
  ck_assert_ptr_nonnull(strstr(live_rig_ask(&r, plain("step")), "reached its end"));
  ck_assert_ptr_nonnull(strstr(live_rig_ask(&r, plain("run")), "reached its end"));
  ck_assert_ptr_null(live_rig_ask(&r, plain("reset")));
  ck_assert_ptr_null(live_rig_ask(&r, plain("step")));
  ck_assert(live_rig_time(&r) > 0);
  live_rig_drop(&r);
}
END_TEST

static cdn_status explode(const void *self, cdn_state *state, cdn_forces *forces) {
  (void)self;
  (void)forces;
  if (cdn_state_time(state) < 0.25) return CDN_OK;
  return cdn_state_fail(state, CDN_ERR_CALLBACK, false, "fuse", "it blew");
}

START_TEST(a_run_that_fails_says_why_and_can_begin_anew) {
  view_rig r;
  live_rig_begin(&r);
  cdn_body_def b = cdn_default_body_def();
  b.mobilizer = CDN_SLIDER, b.mass.mass = 1;
  cdn_system_add_body(r.system, &b);
  cdn_force_ops ops = { .struct_size = sizeof ops, .calc_force = explode };
  ops.subsystem.name = "fuse";
  cdn_system_add_custom_force(r.system, &ops, NULL);
  live_rig_run(&r, NULL);
  live_rig_turns(&r, 30);
  ck_assert_int_eq(r.live->state, LIVE_FAILED);
  ck_assert_str_eq(text_of(r.event, "kind"), "error");
  ck_assert_ptr_nonnull(strstr(text_of(r.event, "text"), "it blew"));
  turn_to_status(&r);
  ck_assert_str_eq(text_of(r.status, "state"), "failed");
  ck_assert_ptr_nonnull(strstr(text_of(r.status, "note"), "it blew"));
  ck_assert_ptr_null(live_rig_ask(&r, plain("reset")));
  ck_assert_ptr_null(live_rig_ask(&r, plain("run")));
  ck_assert_int_eq(r.live->state, LIVE_RUNNING);
  live_rig_turns(&r, 5);
  NEAR(live_rig_time(&r), 0.1, 0.02);
  live_rig_drop(&r);
}
END_TEST

START_TEST(what_was_shown_becomes_a_page) {
  view_rig r;
  char page[] = "/tmp/cardan-viewer-XXXXXX", out[] = "/tmp/cardan-page-XXXXXX";
  const int a = mkstemp(page), b = mkstemp(out);
  ck_assert(a >= 0 && b >= 0);
  static const char viewer[] = "<html><!--cardan-data--></html>";
  ck_assert_int_eq((int)write(a, viewer, strlen(viewer)), (int)strlen(viewer));
  make(&r);
  r.def.page = page, r.def.keep = true;
  live_rig_open(&r);
  r.view->sink = (view_sink){ 0 };
  FAILS(cdn_view_write(r.view, out), CDN_ERR_ARG);
  cdn_stepper_def def = cdn_default_stepper_def();
  def.final_time = 0.5;
  OK(cdn_view_run(r.view, &def));
  ck_assert(r.view->kept.n == 31 || r.view->kept.n == 32); /* by rounding */
  ck_assert(r.view->kept.from == 0);
  ck_assert(r.view->kept.to == 0.5);
  cdn_status status = cdn_view_write(r.view, out);
  ck_assert_msg(status == CDN_OK, "%s", cdn_last_error_text());
  FAILS(cdn_view_write(r.view, "/nowhere/page.html"), CDN_ERR_FILE);
  struct stat info;
  ck_assert_int_eq(stat(out, &info), 0); /* another file took the place of that which was there */
  ck_assert_msg(info.st_size > 1000, "%ld bytes", (long)info.st_size);
  unlink(page), unlink(out);
  close(a), close(b);
  live_rig_drop(&r);
}
END_TEST

/* ---- a program's own loop ---- */

/* Without a server a program may be as fast as it likes: frames are kept by the time of its States. */
START_TEST(frames_are_kept_by_the_time_of_states) {
  view_rig r;
  make(&r);
  r.def.keep = true;
  live_rig_open(&r);
  for (int i = 0; i < 40; i++) {
    OK(cdn_state_set_time(r.state, 1 + i / 120.0));
    OK(cdn_view_show(r.view, r.state));
  }
  ck_assert_int_eq((int)r.view->kept.n, 20);
  ck_assert(r.view->kept.from == 1);
  NEAR(r.view->kept.to, 1 + 38 / 120.0, 1e-15);
  live_rig_drop(&r);
}
END_TEST

START_TEST(a_program_with_its_own_loop_hears_what_is_wished) {
  view_rig r;
  make(&r);
  live_rig_open(&r);
  cdn_view_wishes wish;
  OK(cdn_view_poll(r.view, r.state, 0, &wish));
  ck_assert(!wish.paused && wish.steps == 0 && !wish.reset && wish.speed == 1 && !wish.stopped);
  OK(cdni_view_script(r.view, json_pack("{s:s,s:i}", "type", "step", "n", 2)));
  OK(cdni_view_script(r.view, json_pack("{s:s}", "type", "step")));
  OK(cdni_view_script(r.view, with_value("speed", 0)));
  OK(cdni_view_script(r.view, plain("reset")));
  OK(cdn_view_poll(r.view, r.state, 0, &wish));
  ck_assert(wish.paused && wish.steps == 3 && wish.reset && wish.speed == 0);
  OK(cdni_view_script(r.view, json_pack("{s:s,s:i,s:[i,i,i],s:[i,i,i]}", "type", "perturb", "body", 2, "station", 0, 0,
                                        0, "target", 1, 1, 1)));
  OK(cdni_view_script(r.view, json_pack("{s:s,s:i,s:f}", "type", "seek", "id", 77, "time", 1.0)));
  OK(cdn_view_poll(r.view, r.state, 0, &wish));
  ck_assert(wish.paused && wish.steps == 0 && !wish.reset);
  cdn_perturbation held;
  OK(cdn_perturbation_get(r.state, r.pull, &held));
  ck_assert_int_eq(held.body.i, 2);
  ck_assert_ptr_nonnull(strstr(text_of(r.reply, "error"), "the program decides"));
  cdn_view_stop(r.view);
  OK(cdn_view_poll(r.view, r.state, 0, &wish));
  ck_assert(wish.stopped);
  OK(cdn_view_show(r.view, r.state));
  ck_assert_str_eq(text_of(r.hello, "mode"), "shown");
  OK(cdn_view_say(r.view, 1, "here we are"));
  ck_assert_str_eq(text_of(r.event, "text"), "here we are");
  live_rig_drop(&r);
}
END_TEST

CHECK_MAIN("live run", time_goes_and_stops, the_status_has_the_verdict, what_the_machine_cannot_do_is_said,
           as_fast_as_possible_the_companion_follows, the_past_comes_back, the_past_is_bounded_and_thins_out,
           the_companion_is_switched_while_it_runs, accuracy_and_method_change_at_the_present_state,
           the_steps_are_those_of_a_run_without_a_view, plots_have_values, small_models_have_small_times,
           forces_are_plotted, a_recording_has_the_rows_that_were_shown, nonsense_is_refused_and_changes_nothing,
           a_frame_allocates_nothing, events_are_told_once, a_view_without_a_server_runs_to_the_end,
           a_run_that_fails_says_why_and_can_begin_anew, what_was_shown_becomes_a_page,
           a_program_with_its_own_loop_hears_what_is_wished, frames_are_kept_by_the_time_of_states)
