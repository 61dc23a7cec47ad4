/* Core: statuses, the message of an error, memory and growable arrays. */
#include "core/core.h"

#include <float.h>
#include <math.h>
#include <stdio.h>

#include "../check_main.h"

/* ---- names ---- */

START_TEST(status_names) {
  ck_assert_str_eq(cdn_status_name(CDN_OK), "CDN_OK");
  ck_assert_str_eq(cdn_status_name(CDN_ERR_STEP), "CDN_ERR_STEP");
  ck_assert_str_eq(cdn_status_text(CDN_ERR_NOMEM), "out of memory");
  ck_assert_str_eq(cdn_status_name((cdn_status)12345), "CDN_?");
  ck_assert_ptr_nonnull(cdn_status_text((cdn_status)12345));

  /* Numbers run down without a gap, and each has a name of its own. */
  int count = 0;
#define COUNT(name, code, text) ck_assert_int_eq(code, -count++);
  CDN_STATUS_LIST(COUNT)
#undef COUNT
  for (int i = 0; i < count; i++)
    for (int j = 0; j < i; j++) ck_assert_str_ne(cdn_status_name((cdn_status)-i), cdn_status_name((cdn_status)-j));
}
END_TEST

START_TEST(stage_names) {
  ck_assert_str_eq(cdn_stage_name(CDN_STAGE_EMPTY), "Empty");
  ck_assert_str_eq(cdn_stage_name(CDN_STAGE_INSTANCE), "Instance");
  ck_assert_str_eq(cdn_stage_name(CDN_STAGE_POSITION), "Position");
  ck_assert_str_eq(cdn_stage_name(CDN_STAGE_ACCELERATION), "Acceleration");
  ck_assert_str_eq(cdn_stage_name(CDN_STAGE_REPORT), "Report");
  ck_assert_str_eq(cdn_stage_name(CDN_STAGE_COUNT), "?");
}
END_TEST

START_TEST(version) {
  ck_assert_uint_eq(cdn_version(), CDN_VERSION);
  ck_assert_uint_eq(cdn_version() / 1000000, CDN_VERSION_MAJOR);
}
END_TEST

/* ---- errors ---- */

START_TEST(error_tells_all) {
  cdn_error e = { .recoverable = true, .stage = CDN_STAGE_REPORT, .index = 7, .value = 3 };
  cdn_status s = cdni_error_set(&e, CDN_ERR_ARG, "cdn_f", "knee", "mass %g of %s", 1.5, "shank");
  ck_assert_int_eq(s, CDN_ERR_ARG);
  ck_assert_int_eq(e.code, CDN_ERR_ARG);
  ck_assert(!e.recoverable);
  ck_assert_int_eq(e.stage, CDN_STAGE_EMPTY);
  ck_assert_int_eq(e.index, -1);
  ck_assert(e.value == 0);
  ck_assert_str_eq(e.function, "cdn_f");
  ck_assert_str_eq(e.element, "knee");
  ck_assert_str_eq(e.text, "mass 1.5 of shank");

  /* No element, no function: empty strings, never NULL. No error to fill: only the code. */
  cdni_error_set(&e, CDN_ERR_FILE, NULL, NULL, "gone");
  ck_assert_str_eq(e.function, "");
  ck_assert_str_eq(e.element, "");
  ck_assert_int_eq(cdni_error_set(NULL, CDN_ERR_CYCLE, "f", "e", "text"), CDN_ERR_CYCLE);
}
END_TEST

START_TEST(error_quotes_itself) {
  cdn_error e;
  cdni_error_set(&e, CDN_ERR_ARG, "f", "knee", "first");
  cdni_error_set(&e, CDN_ERR_ARG, "f", e.element, "then: %s", e.text);
  ck_assert_str_eq(e.element, "knee");
  ck_assert_str_eq(e.text, "then: first");
}
END_TEST

START_TEST(error_is_one_line_of_whole_characters) {
  cdn_error e;
  cdni_error_set(&e, CDN_ERR_PARSE, "f", "two\nlines", "tab\there\r\n");
  ck_assert_str_eq(e.element, "two lines");
  ck_assert_str_eq(e.text, "tab here  ");

  /* Characters of two, three and four bytes at every offset from the place of the cut. */
  static const char *const characters[] = { "\xC3\xA9", "\xE2\x82\xAC", "\xF0\x9D\x84\x9E" };
  for (int k = 0; k < CDNI_COUNT(characters); k++)
    for (int lead = 0; lead < 4; lead++) {
      char name[256] = { 0 };
      memset(name, 'a', (size_t)lead);
      while (strlen(name) < sizeof name - 8) strcat(name, characters[k]);
      cdni_error_set(&e, CDN_ERR_PARSE, "f", name, "%s%s%s", name, name, name);

      size_t bytes = strlen(characters[k]), length = strlen(e.element);
      ck_assert_uint_eq((length - (size_t)lead) % bytes, 0);
      ck_assert_uint_gt(length + bytes, sizeof e.element - 1);
      ck_assert_int_eq(strncmp(e.element, name, length), 0);
      ck_assert_uint_lt(strlen(e.text), sizeof e.text);
    }

  /* Text that fills the space exactly loses nothing. */
  char full[sizeof e.element];
  memset(full, 'x', sizeof full - 1);
  full[sizeof full - 1] = '\0';
  cdni_error_set(&e, CDN_ERR_PARSE, "f", full, "t");
  ck_assert_str_eq(e.element, full);
}
END_TEST

START_TEST(nothing_is_obeyed) {
  static const struct {
    const char *text, *shown;
  } cases[] = {
    { "plain", "plain" },
    { "\xC3\xA9\xE2\x82\xAC\xF0\x9D\x84\x9E", "\xC3\xA9\xE2\x82\xAC\xF0\x9D\x84\x9E" },
    { "a\x1b[2Jb\x7f", "a\\x1b[2Jb\\x7f" },
    { "two\nlines\t", "two\\nlines\\t" },
    { "\xC2\x9B", "\\u009b" },
    { "\xE2\x80\xAE"
      "abc\xE2\x81\xA6",
      "\\u202eabc\\u2066" },
    { "\x9B\xFF\xC3", "\\x9b\\xff\\xc3" }, /* no UTF-8 */
    { "\xC0\x80\xE0\x80\x80\xED\xA0\x80", "\\xc0\\x80\\xe0\\x80\\x80\\xed\\xa0\\x80" },
  };
  char out[128];
  for (int i = 0; i < CDNI_COUNT(cases); i++)
    ck_assert_str_eq(cdn_visible_text(cases[i].text, out, sizeof out), cases[i].shown);
  ck_assert_str_eq(cdn_visible_text("ab\x1b", out, 6), "ab"); /* never within a character */
  ck_assert_str_eq(cdn_visible_text("ab\xC3\xA9", out, 4), "ab");
  ck_assert_str_eq(cdn_visible_text(NULL, out, sizeof out), "");
  ck_assert_str_eq(cdn_visible_text("a", NULL, 0), "");
  cdn_error e;
  cdni_error_set(&e, CDN_ERR_PARSE, "f", "jo\x1bint", "the joint '%s' is\nwrong", "jo\xC2\x9Bint");
  ck_assert_str_eq(e.element, "jo\\x1bint");
  ck_assert_str_eq(e.text, "the joint 'jo\\u009bint' is wrong");
}
END_TEST

START_TEST(finite_or_not) {
  double x[9] = { 0, -1, DBL_MAX, -DBL_MAX, DBL_MAX, DBL_MIN, 5e-324, -0.0, 1 };
  const double bad_ones[] = { NAN, INFINITY, -INFINITY };
  size_t bad = 99;
  ck_assert(cdni_all_finite(x, 9, &bad));
  ck_assert(cdni_all_finite(NULL, 0, &bad));
  ck_assert_uint_eq(bad, 99);
  for (size_t i = 0; i < 9; i++)
    for (int k = 0; k < 3; k++) {
      double keep = x[i];
      x[i] = bad_ones[k];
      ck_assert(!cdni_all_finite(x, 9, &bad));
      ck_assert_uint_eq(bad, i);
      ck_assert(!cdni_all_finite(x, 9, NULL));
      x[i] = keep;
    }
  /* The first of several. */
  x[3] = INFINITY;
  x[6] = NAN;
  ck_assert(!cdni_all_finite(x, 9, &bad));
  ck_assert_uint_eq(bad, 3);
}
END_TEST

/* ---- memory ---- */

/* Counts bytes by the sizes that it is told, and fails when `left` runs out. */
typedef struct counter {
  size_t bytes;
  int blocks, left;
} counter;

static void *count_alloc(void *context, size_t size, size_t align) {
  counter *c = context;
  ck_assert_uint_gt(size, 0);
  ck_assert_uint_eq(align, CDNI_ALIGN);
  if (c->left == 0) return NULL;
  c->left--;
  c->bytes += size;
  c->blocks++;
  return aligned_alloc(align, (size + align - 1) / align * align);
}

static void count_free(void *context, void *memory, size_t size) {
  counter *c = context;
  ck_assert_ptr_nonnull(memory);
  c->bytes -= size;
  c->blocks--;
  free(memory);
}

START_TEST(memory_is_aligned) {
  cdn_allocator a = cdni_allocator_or_default((cdn_allocator){ 0 });
  for (size_t size = 1; size < 300; size += 37) {
    unsigned char *p = cdni_calloc(&a, size);
    ck_assert_ptr_nonnull(p);
    ck_assert_uint_eq((uintptr_t)p % CDNI_ALIGN, 0);
    for (size_t i = 0; i < size; i++) ck_assert_uint_eq(p[i], 0);
    cdni_free(&a, p, size);
  }
  ck_assert_ptr_null(cdni_alloc(&a, 0));
  cdni_free(&a, NULL, 10);

  /* A size that rounding up would wrap to a small one. */
  volatile size_t huge = SIZE_MAX - 10;
  ck_assert_ptr_null(cdni_alloc(&a, huge));
  ck_assert_ptr_null(cdni_calloc(NULL, huge));
}
END_TEST

START_TEST(memory_comes_from_the_user) {
  counter c = { .left = -1 };
  cdn_allocator mine = cdni_allocator_or_default((cdn_allocator){ count_alloc, count_free, &c });
  void *p = cdni_alloc(&mine, 100);
  char *s = cdni_strdup(&mine, "ankle");
  ck_assert_str_eq(s, "ankle");
  ck_assert_uint_eq(c.bytes, 106);
  cdni_strfree(&mine, s);
  cdni_free(&mine, p, 100);
  cdni_strfree(&mine, NULL);
  ck_assert_ptr_null(cdni_strdup(&mine, NULL));
  ck_assert_uint_eq(c.bytes, 0);
  ck_assert_int_eq(c.blocks, 0);

  c.left = 0;
  ck_assert_ptr_null(cdni_alloc(&mine, 1));
  ck_assert_ptr_null(cdni_calloc(&mine, 1));
  ck_assert_ptr_null(cdni_strdup(&mine, "ankle"));
}
END_TEST

/* ---- arrays ---- */

START_TEST(array_grows) {
  counter c = { .left = -1 };
  cdn_allocator a = { count_alloc, count_free, &c };
  cdni_array array = { 0 };
  for (int i = 0; i < 1000; i++) {
    int *slot = cdni_array_push(&a, &array, sizeof i, &i);
    ck_assert_ptr_nonnull(slot);
    ck_assert_ptr_eq(slot, &CDNI_AT(array, int, i));
  }
  ck_assert_uint_eq(array.count, 1000);
  for (int i = 0; i < 1000; i++) ck_assert_int_eq(CDNI_AT(array, int, i), i);

  /* Without a value: zeros, also where an older block held something. */
  int *zero = cdni_array_push(&a, &array, sizeof(int), NULL);
  ck_assert_int_eq(*zero, 0);
  int *run = cdni_array_extend(&a, &array, sizeof(int), 5000);
  ck_assert_ptr_eq(run, &CDNI_AT(array, int, 1001));
  for (int i = 0; i < 5000; i++) ck_assert_int_eq(run[i], 0);
  ck_assert_uint_eq(array.count, 6001);

  cdni_array_free(&a, &array);
  ck_assert_uint_eq(c.bytes, 0);
  ck_assert_uint_eq(array.count, 0);
  ck_assert_ptr_null(array.data);
  cdni_array_free(&a, &array);
}
END_TEST

START_TEST(array_copies_its_own_elements) {
  cdni_array array = { 0 };
  double first = 42;
  cdni_array_push(NULL, &array, sizeof first, &first);
  /* Growing moves the block that the value lies in. */
  for (int i = 0; i < 100; i++) cdni_array_push(NULL, &array, sizeof(double), &CDNI_AT(array, double, i));
  for (int i = 0; i <= 100; i++) ck_assert(CDNI_AT(array, double, i) == 42);
  cdni_array_free(NULL, &array);
}
END_TEST

START_TEST(array_survives_a_lack_of_memory) {
  counter c = { .left = 1 };
  cdn_allocator a = { count_alloc, count_free, &c };
  cdni_array array = { 0 };
  int pushed = 0;
  while (cdni_array_push(&a, &array, sizeof pushed, &pushed)) pushed++;
  ck_assert_int_gt(pushed, 0);
  ck_assert_uint_eq(array.count, (size_t)pushed);
  for (int i = 0; i < pushed; i++) ck_assert_int_eq(CDNI_AT(array, int, i), i);

  /* A count whose bytes no size can express, an element of another size, nothing at all. */
  c.left = -1;
  ck_assert_ptr_null(cdni_array_extend(&a, &array, sizeof(int), SIZE_MAX / 2));
  ck_assert_ptr_null(cdni_array_push(&a, &array, sizeof(double), NULL));
  ck_assert_ptr_null(cdni_array_extend(&a, &array, sizeof(int), 0));
  ck_assert_uint_eq(array.count, (size_t)pushed);
  cdni_array_free(&a, &array);
  ck_assert_int_eq(c.blocks, 0);
}
END_TEST

CHECK_MAIN("core", status_names, stage_names, version, error_tells_all, error_quotes_itself,
           error_is_one_line_of_whole_characters, nothing_is_obeyed, finite_or_not, memory_is_aligned,
           memory_comes_from_the_user, array_grows, array_copies_its_own_elements, array_survives_a_lack_of_memory)
