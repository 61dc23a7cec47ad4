/* Model files that are no ordinary files: what waits for ever, has no end, or is no file at all is refused with a
 * message; pipes, such as standard input, are read. And models that hold nothing. */
#define _POSIX_C_SOURCE 200809L
#include "testing.h"

#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

static const char pendulum[] = "<mujoco model='pendulum'><worldbody><body name='bob'><joint name='hinge' axis='0 1 0'/>"
                               "<geom size='0.1' pos='0 0 -1'/></body></worldbody></mujoco>";

static char directory[] = "/tmp/cardan-files-XXXXXX";

static void enter(void) {
  ck_assert_ptr_nonnull(mkdtemp(directory));
  ck_assert_int_eq(chdir(directory), 0);
}

static void leave(void) {
  (void)!unlink("main.xml"), (void)!unlink("fifo"), (void)!rmdir("folder");
  (void)!chdir("/");
  ck_assert_int_eq(rmdir(directory), 0);
}

static void write_text(const char *name, const char *text) {
  FILE *file = fopen(name, "w");
  ck_assert_ptr_nonnull(file);
  fputs(text, file);
  ck_assert_int_eq(fclose(file), 0);
}

/* The status, and the message in *e. */
static cdn_status load(const char *path, cdn_error *e) {
  cdn_model *model = NULL;
  const cdn_status status = cdn_model_load(path, NULL, &model);
  cdn_model_last_error(model, e);
  if (status == CDN_OK) ck_assert_str_eq(cdn_model_name(model), "pendulum");
  cdn_model_destroy(model);
  return status;
}

START_TEST(test_includes_are_regular_files) {
  static const char *const odd[] = { "fifo", "/dev/zero", "/dev/stdin", "folder", "/dev/null" };
  enter();
  ck_assert_int_eq(mkfifo("fifo", 0600), 0);
  ck_assert_int_eq(mkdir("folder", 0700), 0);
  for (size_t i = 0; i < sizeof odd / sizeof *odd; i++) {
    char text[200];
    cdn_error e;
    struct stat info;
    if (stat(odd[i], &info) != 0 || S_ISREG(info.st_mode)) continue; /* standard input may be closed, or a file */
    snprintf(text, sizeof text, "<mujoco>\n<worldbody>\n<include file='%s'/></worldbody></mujoco>", odd[i]);
    write_text("main.xml", text);
    FAILS(load("main.xml", &e), CDN_ERR_FILE);
    ck_assert_msg(strstr(e.text, "main.xml:3: <include>") && strstr(e.text, odd[i]) &&
                      strstr(e.text, "no regular file"),
                  "%s", e.text);
  }
  leave();
}
END_TEST

START_TEST(test_what_has_no_end_is_refused) {
  cdn_error e;
  FAILS(load("/dev/zero", &e), CDN_ERR_LIMIT);
  ck_assert_msg(strstr(e.text, "/dev/zero") && strstr(e.text, "256 MiB"), "%s", e.text);
  FAILS(load("/", &e), CDN_ERR_FILE);
  FAILS(load("/dev/null", &e), CDN_ERR_PARSE);
  ck_assert_msg(strstr(e.text, "empty"), "%s", e.text);
}
END_TEST

/* As a shell's `cardan info <(make the model)`, or `make the model | cardan info /dev/stdin`. */
START_TEST(test_pipes_are_read) {
  cdn_error e;
  int ends[2];
  char path[40];
  ck_assert_int_eq(pipe(ends), 0);
  ck_assert_int_eq(write(ends[1], pendulum, strlen(pendulum)), (ssize_t)strlen(pendulum));
  close(ends[1]);
  snprintf(path, sizeof path, "/dev/fd/%d", ends[0]);
  if (access(path, R_OK) == 0) {
    const cdn_status status = load(path, &e);
    ck_assert_msg(status == CDN_OK, "%s", e.text);
  }
  close(ends[0]);
}
END_TEST

/* MuJoCo reads them: the world alone, with nothing that moves. */
START_TEST(test_models_without_bodies) {
  static const char *const empty[] = {
    "<mujoco model='e'/>", "<mujoco model='e'><worldbody/></mujoco>",
    "<mujoco model='e'><worldbody><geom size='1'/></worldbody><sensor><e_kinetic/></sensor></mujoco>"
  };
  for (size_t i = 0; i < sizeof empty / sizeof *empty; i++) {
    cdn_model *model = NULL;
    cdn_state *state = NULL;
    cdn_error e;
    const cdn_status status = cdn_model_load_string(empty[i], strlen(empty[i]), "m.xml", NULL, &model);
    cdn_model_last_error(model, &e);
    ck_assert_msg(status == CDN_OK, "%s", e.text);
    OK(cdn_state_create(cdn_model_system(model), &state));
    OK_ON(state, cdn_realize(state, CDN_STAGE_REPORT));
    double mass = -1, moving = -1;
    cdn_freedom freedom = { .net = -1 };
    OK_ON(state, cdn_system_mass(state, &mass, &moving));
    OK_ON(state, cdn_degrees_of_freedom(state, &freedom, NULL));
    ck_assert(mass == 0 && moving == 0 && freedom.net == 0 && cdn_model_body_count(model) == 0);
    OK_ON(state, cdn_find_equilibrium(state, NULL, NULL));
    cdn_stepper *stepper = NULL;
    OK_ON(state, cdn_stepper_create(state, NULL, &stepper));
    OK_STEP(stepper, cdn_stepper_advance(stepper, 1, NULL));
    cdn_stepper_destroy(stepper);
    cdn_state_destroy(state);
    cdn_model_destroy(model);
  }
}
END_TEST

CHECK_MAIN("model files", test_includes_are_regular_files, test_what_has_no_end_is_refused, test_pipes_are_read,
           test_models_without_bodies)
