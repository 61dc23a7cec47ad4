/* The XML layer: what counts as a number, what messages say, and documents that try to do harm. */
#define _XOPEN_SOURCE 700
#include "../testing.h"
#include "comma_locale.h"

#include <stdio.h>

#include "io/xml.h"

static io_log xml_log;
static io_xml_document *document;

static io_xml_node *open_text(const char *text) {
  io_log_init(&xml_log, (cdn_allocator){ 0 }, "test.xml");
  cdn_status status = io_xml_open_memory(&xml_log, text, strlen(text), &document);
  ck_assert_msg(status == CDN_OK, "%s", xml_log.error.text);
  return io_xml_root(document);
}

static void close_text(void) {
  io_xml_close(document);
  document = NULL;
  io_log_free(&xml_log);
}

/* Opening must fail, with a message that holds `expected`. */
static void refuse(const char *text, size_t size, cdn_status code, const char *expected) {
  io_log_init(&xml_log, (cdn_allocator){ 0 }, "test.xml");
  FAILS(io_xml_open_memory(&xml_log, text, size, &document), code);
  ck_assert_ptr_null(document);
  ck_assert_msg(strstr(xml_log.error.text, expected), "'%s' is not in '%s'", expected, xml_log.error.text);
  io_log_free(&xml_log);
}

/* Reads x='...' as one number; true if it was accepted. */
static bool number(const char *text, double *value) {
  char xml[200];
  snprintf(xml, sizeof xml, "<a x='%s'/>", text);
  io_xml_node *root = open_text(xml);
  bool good = io_xml_double(&xml_log, root, "x", value, NULL) == CDN_OK;
  ck_assert(good == (xml_log.error.code == CDN_OK));
  close_text();
  return good;
}

START_TEST(test_numbers_accepted) {
  /* The compiler's own reading of the same digits is the truth. */
  const struct {
    const char *text;
    double value;
  } cases[] = {
    { "1", 1 },
    { "+1", 1 },
    { "-.5", -.5 },
    { "1.", 1. },
    { "1e-3", 1e-3 },
    { " 1E+05\t", 1e5 },
    { "\n0.1\r\n", 0.1 },
    { "00012.50", 12.5 },
    { "4.9406564584124654e-324", 4.9406564584124654e-324 },
    { "1e-999", 0 },
    { "1.7976931348623157e308", 1.7976931348623157e308 },
    { "0.1000000000000000055511151231257827", 0.1 },
    { "-0", -0. },
    { "3.141592653589793", 3.141592653589793 },
  };
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    double value = 77;
    ck_assert_msg(number(cases[i].text, &value), "'%s' was refused", cases[i].text);
    ck_assert_msg(memcmp(&value, &cases[i].value, sizeof value) == 0, "'%s' gives %.17g", cases[i].text, value);
  }
}
END_TEST

START_TEST(test_numbers_refused) {
  static const char *const cases[] = { "",    " ",     "nan", "inf",  "-inf",  "0x10",     "1e",
                                       "1e+", ".",     "-",   "1,5",  "1.2.3", "--1",      "1f",
                                       "1 2", "1e999", "one", "${x}", "1d3",   "\xc2\xb5", "1-2" };
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    double value = 77;
    ck_assert_msg(!number(cases[i], &value), "'%s' was accepted as %g", cases[i], value);
  }
}
END_TEST

START_TEST(test_locale_does_not_matter) {
  if (!take_comma_locale()) SKIP("no locale with a decimal comma can be made here");
  double value = 0;
  ck_assert(number("0.5", &value));
  ck_assert(value == 0.5);
  ck_assert(!number("0,5", &value));
  setlocale(LC_ALL, "C");
}
END_TEST

START_TEST(test_vectors_and_messages) {
  io_xml_node *root = open_text("<robot name='r'>\n"
                                " <joint name='knee'>\n"
                                "  <axis xyz='1 2'/>\n"
                                " </joint>\n"
                                "</robot>");
  io_xml_node *axis = io_xml_first(io_xml_first(root));
  cdn_vec3 v = { 7, 8, 9 };
  FAILS(io_xml_vec3(&xml_log, axis, "xyz", &v, NULL), CDN_ERR_PARSE);
  ck_assert_str_eq(xml_log.error.text,
                   "test.xml:3: <axis> of <joint name='knee'>: attribute 'xyz' has 2 numbers, 3 are needed");
  ck_assert(v.x == 7 && v.y == 8 && v.z == 9);
  /* The first message stays. */
  FAILS(io_xml_missing(&xml_log, axis, "other", NULL), CDN_ERR_PARSE);
  ck_assert_ptr_nonnull(strstr(xml_log.error.text, "'xyz'"));
  close_text();

  root = open_text("<a five='1 2 3 4 5' none='' w='no'/>");
  double x[6] = { 0, 0, 0, 0, 0, 42 };
  int count = -1;
  OK(io_xml_doubles_upto(&xml_log, root, "five", x, 1, 6, &count));
  ck_assert(count == 5 && x[4] == 5 && x[5] == 42);
  OK(io_xml_doubles_upto(&xml_log, root, "absent", x, 1, 6, &count));
  ck_assert_int_eq(count, 0);
  static const char *const words[] = { "yes", "maybe", "never" };
  int which = 9;
  FAILS(io_xml_keyword(&xml_log, root, "w", words, 3, &which, NULL), CDN_ERR_PARSE);
  ck_assert_str_eq(xml_log.error.text, "test.xml:1: <a>: attribute 'w' is 'no'; it can be yes, maybe or never");
  ck_assert_int_eq(which, 9);
  close_text();

  root = open_text("<a five='1 2 3 4 5'/>");
  FAILS(io_xml_doubles_upto(&xml_log, root, "five", x, 1, 4, &count), CDN_ERR_PARSE);
  ck_assert_str_eq(xml_log.error.text, "test.xml:1: <a>: attribute 'five' has 5 numbers, 1 to 4 are needed");
  close_text();
}
END_TEST

START_TEST(test_what_was_not_read) {
  io_xml_node *root =
      open_text("<a x='1' y='2' z='3'>text<b/><!-- c --><c q='1'/><b/><p:d xmlns:p='urn:p' p:e='1'/></a>");
  double x;
  OK(io_xml_double(&xml_log, root, "x", &x, NULL));
  io_xml_ignore(root, "z");
  io_xml_node *c = io_xml_child(root, "c");
  ck_assert_ptr_nonnull(c);
  io_xml_mark(c);
  io_xml_report_rest(&xml_log, root);
  ck_assert_uint_eq(xml_log.notes.count, 3);
  const io_note *notes = xml_log.notes.data;
  ck_assert_str_eq(notes[0].element, "a y");
  ck_assert_str_eq(notes[1].element, "b");
  ck_assert_int_eq(notes[1].count, 2);
  ck_assert_str_eq(notes[2].element, "p:d");
  io_xml_node *prefixed = io_xml_child(root, "p:d");
  ck_assert_ptr_nonnull(prefixed);
  ck_assert_str_eq(io_xml_string(prefixed, "p:e"), "1");
  close_text();
}
END_TEST

START_TEST(test_bad_documents) {
  refuse("", 0, CDN_ERR_PARSE, "the file is empty");
  refuse(" \n \n", 4, CDN_ERR_PARSE, "not a well-formed XML document");
  refuse("hello", 5, CDN_ERR_PARSE, "test.xml:1: not a well-formed XML document");
  refuse("<a>\n<b>\n</a>", 12, CDN_ERR_PARSE, "test.xml:3: not a well-formed XML document");
  refuse("<a x='1' x='2'/>", 16, CDN_ERR_PARSE, "x redefined");
  refuse("<a>\0</a>", 8, CDN_ERR_PARSE, "test.xml:1");
  refuse("\x7f"
         "ELF\x02\x01\x01\0\0\0\0",
         11, CDN_ERR_PARSE, "test.xml:1");
  refuse("\xff\xfe\xff\xfe\xff\xfe", 6, CDN_ERR_PARSE, "test.xml:1");
  refuse("<a/><b/>", 8, CDN_ERR_PARSE, "test.xml:1");
  refuse("<a>&lt;&nosuch;</a>", 19, CDN_ERR_PARSE, "nosuch");
}
END_TEST

START_TEST(test_entities_are_refused) {
  /* Ten to the ninth letters, if it were expanded. */
  const char *bomb = "<!DOCTYPE a [\n<!ENTITY x0 'xxxxxxxxxx'>\n"
                     "<!ENTITY x1 '&x0;&x0;&x0;&x0;&x0;&x0;&x0;&x0;&x0;&x0;'>\n]>\n<a b='&x1;'>&x1;</a>";
  refuse(bomb, strlen(bomb), CDN_ERR_PARSE, "test.xml:2: the document declares entities");
  const char *thief = "<!DOCTYPE a [<!ENTITY f SYSTEM 'file:///etc/passwd'>]><a>&f;</a>";
  refuse(thief, strlen(thief), CDN_ERR_PARSE, "declares entities");
  /* A document type without entities, and the five that XML has of its own, do no harm. */
  io_xml_node *root = open_text("<!DOCTYPE a><a b='&lt;&#65;&amp;'/>");
  ck_assert_str_eq(io_xml_string(root, "b"), "<A&");
  close_text();
}
END_TEST

START_TEST(test_depth) {
  /* Deeper than any stack of recursive calls would like, and than 16 bits of line numbers. */
  enum { DEPTH = 200000 };
  char *text = malloc(DEPTH * 8 + 1), *end = text;
  for (int i = 0; i < DEPTH; i++) end += sprintf(end, "<a>\n");
  for (int i = 0; i < DEPTH; i++) end += sprintf(end, "</a>");
  io_log_init(&xml_log, (cdn_allocator){ 0 }, "deep.xml");
  OK(io_xml_open_memory(&xml_log, text, (size_t)(end - text), &document));
  int depth = 0;
  io_xml_node *last = NULL;
  for (io_xml_node *n = io_xml_root(document); n; n = io_xml_first(n), depth++) last = n;
  ck_assert_int_eq(depth, DEPTH);
  char where[100];
  io_xml_describe(last, where, sizeof where);
  ck_assert_str_eq(where, "<a>");
  close_text();
  free(text);
}
END_TEST

START_TEST(test_files) {
  io_log_init(&xml_log, (cdn_allocator){ 0 }, "/nonexistent/model.urdf");
  FAILS(io_xml_open(&xml_log, "/nonexistent/model.urdf", &document), CDN_ERR_FILE);
  ck_assert_str_eq(xml_log.error.text, "/nonexistent/model.urdf: cannot open the file: No such file or directory");
  io_log_free(&xml_log);
  io_log_init(&xml_log, (cdn_allocator){ 0 }, "/tmp");
  FAILS(io_xml_open(&xml_log, "/tmp", &document), CDN_ERR_FILE);
  ck_assert_str_eq(xml_log.error.text, "/tmp: this is a directory; give the model file inside it");
  io_log_free(&xml_log);
}
END_TEST

START_TEST(test_names) {
  /* More than one growth of the table, every name found again, strangers not. */
  enum { N = 5000 };
  static char names[N][16];
  const cdn_allocator a = cdni_allocator_or_default((cdn_allocator){ 0 });
  io_names table = { 0 };
  ck_assert_int_eq(io_names_find(&table, "x"), -1);
  for (int i = 0; i < N; i++) {
    snprintf(names[i], sizeof names[i], "n%d", i);
    ck_assert_int_eq(io_names_add(&a, &table, names[i], i), i);
  }
  for (int i = 0; i < N; i++) ck_assert_int_eq(io_names_find(&table, names[i]), i);
  ck_assert_int_eq(io_names_add(&a, &table, "n17", 99), 17);
  ck_assert_int_eq(io_names_find(&table, "n5000"), -1);
  io_names_free(&a, &table);
}
END_TEST

CHECK_MAIN("io_xml", test_numbers_accepted, test_numbers_refused, test_locale_does_not_matter,
           test_vectors_and_messages, test_what_was_not_read, test_bad_documents, test_entities_are_refused, test_depth,
           test_files, test_names)
