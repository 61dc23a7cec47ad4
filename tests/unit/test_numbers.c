/* Numbers as text: the shortest that reads back as the same bits, in every locale; and files that are read in every
 * locale. */
#define _XOPEN_SOURCE 700
#include <float.h>
#include <math.h>
#include <stdio.h>

#include "../testing.h"
#include "comma_locale.h"

/* The shortest decimals, as exact arithmetic finds them. */
START_TEST(known_numbers) {
  static const struct {
    double x;
    const char *text;
  } known[] = {
    { 0, "0.0" },
    { -0.0, "-0.0" },
    { 3, "3.0" },
    { 1.0 / 3, "0.3333333333333333" },
    { 0.1, "0.1" },
    { -0.0001, "-0.0001" },
    { 1.5e-5, "1.5e-05" },
    { 100000, "100000.0" },
    { 1e15, "1e+15" },
    { 1e22, "1e+22" },
    { 5e-324, "5e-324" }, /* the least above zero: any of 3e-324 to 7e-324 reads back as it */
    { 1e-323, "1e-323" },
    { DBL_MIN, "2.2250738585072014e-308" },
    { DBL_MAX, "1.7976931348623157e+308" },
    { 0x1p-44, "5.684341886080802e-14" }, /* the closest decimal of 16 digits, ...801e-14, is another double */
    { 9007199254740993.0, "9007199254740992.0" },
    { INFINITY, "inf" },
    { -INFINITY, "-inf" },
    { NAN, "nan" },
    { -(double)NAN, "nan" },
  };
  char text[CDN_NUMBER_SIZE];
  for (size_t i = 0; i < sizeof known / sizeof *known; i++)
    ck_assert_str_eq(cdn_number_text(known[i].x, text), known[i].text);
  ck_assert_str_eq(cdn_number_text(copysign(NAN, -1), text), "nan");
}
END_TEST

static int count_digits(const char *text) {
  int n = 0, zeros = 0;
  for (; *text && *text != 'e'; text++) {
    if (*text < '0' || *text > '9' || (n == 0 && *text == '0')) continue;
    n++;
    zeros = *text == '0' ? zeros + 1 : 0;
  }
  return n - zeros;
}

/* No decimal of fewer digits, on either side of x, reads back as x. */
static void check_shortest(double x) {
  char text[CDN_NUMBER_SIZE], shorter[CDN_NUMBER_SIZE];
  cdn_number_text(x, text);
  ck_assert_msg(strtod(text, NULL) == x && strpbrk(text, ".e"), "%a as %s", x, text);
  const int digits = count_digits(text);
  for (int n = 1; n < digits; n++) {
    snprintf(shorter, sizeof shorter, "%.*e", n - 1, x);
    const double closest = strtod(shorter, NULL), unit = pow(10, floor(log10(fabs(x))) + 1 - n);
    for (int k = -1; k <= 1; k++) {
      snprintf(shorter, sizeof shorter, "%.*e", n - 1, closest + k * unit);
      ck_assert_msg(strtod(shorter, NULL) != x, "%a as %s, though %s would do", x, text, shorter);
    }
  }
}

START_TEST(no_shorter_text_would_do) {
  uint64_t seed = 88172645463325252u;
  for (int e = -1070; e < 1020; e += 3) check_shortest(ldexp(1, e));
  for (int i = 0; i < 4000; i++) {
    seed ^= seed << 13, seed ^= seed >> 7, seed ^= seed << 17;
    double x;
    uint64_t bits = i % 4 ? seed : seed & 0x000fffffffffffff; /* every fourth is below DBL_MIN */
    memcpy(&x, &bits, sizeof x);
    if (isfinite(x) && x != 0 && fabs(x) < 1e300) check_shortest(x);
  }
}
END_TEST

/* A reader's warning, and why a System is refused. */
static void write_sentences(char text[600]) {
  static const char file[] = "<mujoco><worldbody><geom size='1' solref='0.125 -1.5'/></worldbody></mujoco>";
  cdn_model *model;
  cdn_system *system = cdn_system_create(NULL);
  cdn_body_def def = cdn_default_body_def();
  OK(cdn_model_load_string(file, strlen(file), "file.xml", NULL, &model));
  def.mobilizer = CDN_PIN, def.mass.mass = -1.5;
  cdn_system_add_body(system, &def);
  FAILS(cdn_system_freeze(system), CDN_ERR_ARG);
  snprintf(text, 600, "%s; %s", cdn_model_warning(model, 0), cdn_last_error_text());
  cdn_model_destroy(model);
  cdn_system_release(system);
}

START_TEST(a_decimal_comma_changes_nothing) {
  static const double x[] = { 1.5e-3, 0.1, 1e300, 3, 1.0 / 3, 1.5e-9, 5e-324, -2.5 };
  enum { N = sizeof x / sizeof *x };
  char plain[N][CDN_NUMBER_SIZE], text[CDN_NUMBER_SIZE], path[512];
  for (int i = 0; i < N; i++) cdn_number_text(x[i], plain[i]);
  const char *root = getenv("CARDAN_SOURCE_ROOT");
  snprintf(path, sizeof path, "%s/examples/models/pendulum.xml", root ? root : ".");
  cdn_model *model = NULL;
  cdn_state *state = NULL;
  cdn_trajectory *trajectory = NULL;
  cdn_buffer rows[2] = { { 0 }, { 0 } };
  double masses[2], moving;
  bool taken = true;
  char verdict[2][400], refusal[2][400], sentences[2][600];
  const cdn_certificate certificate = { .accuracy = 1e-5,
                                        .error_estimate = 3.2e-3,
                                        .error_time = 2.6,
                                        .steps = 10,
                                        .amplification = 117.5,
                                        .delivered = CDN_VERDICT_NOT_DELIVERED,
                                        .compared_until = 3 };
  for (int comma = 0; comma < 2 && taken; comma++) {
    if (comma && !(taken = take_comma_locale())) break;
    OK(cdn_model_load(path, NULL, &model));
    OK(cdn_state_create(cdn_model_system(model), &state));
    OK_ON(state, cdn_model_set_key(model, "whirl", state));
    OK_ON(state, cdn_system_mass(state, &masses[comma], &moving));
    OK_ON(state, cdn_trajectory_create(state, NULL, cdn_buffer_write, &rows[comma], &trajectory));
    OK(cdn_trajectory_header(trajectory));
    OK_ON(state, cdn_trajectory_row(trajectory, state, NULL));
    cdn_certificate_verdict(&certificate, verdict[comma], sizeof verdict[comma]);
    FAILS(cdn_body_set_armature(state, (cdn_body){ 1 }, -0.5), CDN_ERR_ARG);
    snprintf(refusal[comma], sizeof refusal[comma], "%s", cdn_last_error_text());
    write_sentences(sentences[comma]);
    ck_assert_str_eq(sentences[comma], sentences[0]);
    ck_assert_str_eq(verdict[comma], verdict[0]);
    ck_assert_str_eq(refusal[comma], refusal[0]);
    ck_assert(strstr(verdict[0], "3.2e-3") && strstr(refusal[0], "-0.5") && strstr(sentences[0], "-1.5"));
    cdn_trajectory_destroy(trajectory);
    cdn_state_destroy(state);
    cdn_model_destroy(model);
    for (int i = 0; i < N; i++) ck_assert_str_eq(cdn_number_text(x[i], text), plain[i]);
    ck_assert(masses[comma] == masses[0]);
    ck_assert_uint_eq(rows[comma].size, rows[0].size);
    ck_assert(memcmp(rows[comma].bytes, rows[0].bytes, rows[0].size) == 0);
  }
  setlocale(LC_ALL, "C");
  for (int k = 0; k < 2; k++) cdn_buffer_free(&rows[k]);
  if (!taken) SKIP("no locale with a decimal comma can be made here");
}
END_TEST

CHECK_MAIN("numbers", known_numbers, no_shorter_text_would_do, a_decimal_comma_changes_nothing)
