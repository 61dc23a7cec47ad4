/* The viewer's server does what docs/wire.md says: addresses, order, newest frames, steering, requests and replies. */
#define _GNU_SOURCE
#include <signal.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "link_rig.h"

static void add_text(cdni_link *link, const char *text) { OK(cdni_link_add_opening(link, true, text, strlen(text))); }

/* ---- addresses ---- */

START_TEST(the_page_is_served) {
  cdni_link *link = rig_open();
  const char *address = cdni_link_address(link);
  ck_assert_msg(strncmp(address, "http://127.0.0.1:", 17) == 0, "%s", address);
  ck_assert_uint_eq(strlen(path_of(address)), 34);
  ck_assert_uint_eq(strspn(path_of(address) + 1, "0123456789abcdef"), 32);
  char request[512];
  snprintf(request, sizeof request, "GET %s HTTP/1.1\r\nHost: %s\r\n\r\n", path_of(address), host_of(address));
  char *answer = ask(address, request);
  ck_assert_msg(strncmp(answer, "HTTP/1.1 200", 12) == 0, "%s", answer);
  static const char *const headers[] = { "x-content-type-options: nosniff\r\n",
                                         "referrer-policy: no-referrer\r\n",
                                         "x-frame-options: DENY\r\n",
                                         "cache-control: no-store\r\n",
                                         "content-type: text/html; charset=utf-8\r\n",
                                         "content-security-policy: default-src 'none';",
                                         "frame-ancestors 'none'" };
  for (size_t i = 0; i < sizeof headers / sizeof *headers; i++)
    ck_assert_msg(strstr(answer, headers[i]), "no '%s' in:\n%s", headers[i], answer);
  // no address outside is ever asked: all that the policy allows is in the page, or is the server
  const char *policy = strstr(answer, "content-security-policy:");
  ck_assert_ptr_null(strstr(policy, "http:"));
  ck_assert_ptr_null(strstr(policy, "https:"));
  ck_assert_ptr_null(strstr(policy, "*"));
  // and only the page's own script runs
  ck_assert_ptr_null(strstr(policy, "unsafe"));
  ck_assert_ptr_nonnull(
      strstr(policy, "default-src 'none'; script-src 'sha256-Scr1pt+/='; style-src 'sha256-Sty1e='; img-src"));
  ck_assert_ptr_nonnull(strstr(policy, "connect-src 'self' ws://127.0.0.1:"));
  const char *body = strstr(answer, "\r\n\r\n") + 4;
  ck_assert_str_eq(body, rig_page);
  free(answer);
  cdni_link_close(link, NULL);
}
END_TEST

/* A page that would run any script is refused. */
START_TEST(pages_without_hashes) {
  static const char *const pages[] = {
    "<!doctype html><title>a page</title><!--cardan-data-->",
    "<meta http-equiv=\"Content-Security-Policy\" content=\"script-src 'unsafe-inline'; style-src 'sha256-x=';\">",
    "<meta http-equiv=\"Content-Security-Policy\" content=\"script-src 'sha256-x='; style-src *;\">",
    "<meta http-equiv=\"Content-Security-Policy\" content=\"script-src 'sha256-x=' *; style-src 'sha256-x=';\">",
    "<meta http-equiv=\"Content-Security-Policy\" content=\"script-src 'none'\"> script-src 'sha256-x='; style-src 'sha256-x=';",
  };
  char path[] = "/tmp/cardan-page-XXXXXX";
  const int fd = mkstemp(path);
  ck_assert_int_ge(fd, 0);
  close(fd);
  for (size_t i = 0; i < sizeof pages / sizeof *pages; i++) {
    FILE *file = fopen(path, "w");
    fputs(pages[i], file);
    fclose(file);
    cdni_link *link;
    FAILS(cdni_link_open(&(cdni_link_def){ .page = path }, &link), CDN_ERR_PARSE);
    ck_assert_ptr_nonnull(strstr(cdn_last_error_text(), "`./run page` makes one"));
  }
  unlink(path);
}
END_TEST

START_TEST(tokens_differ) {
  cdni_link *a = rig_open(), *b = rig_open();
  ck_assert_str_ne(path_of(cdni_link_address(a)), path_of(cdni_link_address(b)));
  cdni_link_close(a, NULL);
  cdni_link_close(b, NULL);
}
END_TEST

static void write_token(const char *path, const char *text, mode_t mode) {
  unlink(path);
  FILE *file = fopen(path, "w");
  fputs(text, file);
  fclose(file);
  ck_assert_int_eq(chmod(path, mode), 0);
}

/* A file keeps the token, for its user alone. */
START_TEST(tokens_of_files) {
  static const char good[] = "0123456789abcdef0123456789abcdef";
  char folder[] = "/tmp/cardan-token-XXXXXX", path[100], other[100], first[64];
  ck_assert_ptr_nonnull(mkdtemp(folder));
  snprintf(path, sizeof path, "%s/token", folder);
  snprintf(other, sizeof other, "%s/other", folder);
  const cdni_link_def def = { .page = rig_page_path(), .token = path };
  const mode_t before = umask(0);
  cdni_link *link;
  OK(cdni_link_open(&def, &link));
  umask(before);
  snprintf(first, sizeof first, "%s", path_of(cdni_link_address(link)));
  cdni_link_close(link, NULL);
  struct stat about;
  ck_assert_int_eq(stat(path, &about), 0);
  ck_assert_uint_eq(about.st_mode & 07777, 0600);
  OK(cdni_link_open(&def, &link));
  ck_assert_str_eq(path_of(cdni_link_address(link)), first);
  cdni_link_close(link, NULL);
  write_token(path, good, 0400);
  OK(cdni_link_open(&def, &link));
  ck_assert_mem_eq(path_of(cdni_link_address(link)) + 1, good, 32);
  cdni_link_close(link, NULL);
  /* what others can read, what is no token, what leads elsewhere */
  static const struct {
    const char *text;
    mode_t mode;
  } wrong[] = { { good, 0604 },
                { good, 0640 },
                { "", 0600 },
                { "0123", 0600 },
                { "../../index.html?x=0123456789abc", 0600 },
                { "0123456789ABCDEF0123456789ABCDEF", 0600 },
                { "0123456789abcdef0123456789abcdef0", 0600 } };
  for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
    write_token(path, wrong[i].text, wrong[i].mode);
    FAILS(cdni_link_open(&def, &link), CDN_ERR_FILE);
    ck_assert_ptr_nonnull(strstr(cdn_last_error_text(), "Remove the file, and a new one is made"));
  }
  write_token(other, good, 0600);
  unlink(path);
  ck_assert_int_eq(symlink(other, path), 0);
  FAILS(cdni_link_open(&def, &link), CDN_ERR_FILE);
  unlink(path);
  ck_assert_int_eq(mkdir(path, 0700), 0);
  FAILS(cdni_link_open(&def, &link), CDN_ERR_FILE);
  rmdir(path);
  unlink(other);
  rmdir(folder);
  FAILS(cdni_link_open(&def, &link), CDN_ERR_FILE); /* nor is a folder made */
}
END_TEST

START_TEST(addresses_that_fail) {
  cdni_link *link = rig_open(), *other;
  cdni_link_def def = { .page = rig_page_path(), .port = atoi(strrchr(host_of(cdni_link_address(link)), ':') + 1) };
  FAILS(cdni_link_open(&def, &other), CDN_ERR_FILE);
  ck_assert_ptr_nonnull(strstr(cdn_last_error_text(), "is in use: choose another"));
  ck_assert_ptr_null(other);
  def.port = -1;
  FAILS(cdni_link_open(&def, &other), CDN_ERR_ARG);
  def.port = 70000;
  FAILS(cdni_link_open(&def, &other), CDN_ERR_ARG);
  def.port = 0, def.host = "203.0.113.7"; // of RFC 5737: nobody's
  FAILS(cdni_link_open(&def, &other), CDN_ERR_ARG);
  ck_assert_ptr_nonnull(strstr(cdn_last_error_text(), "no address of this machine"));
  def.host = "no such name";
  FAILS(cdni_link_open(&def, &other), CDN_ERR_ARG);
  ck_assert_ptr_nonnull(strstr(cdn_last_error_text(), "no such name"));
  def.host = NULL, def.page = "/nowhere/viewer.html";
  FAILS(cdni_link_open(&def, &other), CDN_ERR_FILE);
  ck_assert_ptr_nonnull(strstr(cdn_last_error_text(), "./run page"));
  cdni_link_close(link, NULL);
  cdni_link_close(NULL, NULL);
}
END_TEST

START_TEST(all_addresses) {
  cdni_link *link;
  OK(cdni_link_open(&(cdni_link_def){ .page = rig_page_path(), .host = "0.0.0.0" }, &link));
  socket_page page;
  ck_assert_int_eq(page_open(&page, cdni_link_address(link), NULL), 101);
  page_close(&page);
  ck_assert_int_eq(page_open(&page, cdni_link_address(link), &(handshake){ .host = "192.0.2.1:80" }), 101);
  page_close(&page);
  ck_assert_int_eq(page_open(&page, cdni_link_address(link), &(handshake){ .host = "evil.example:80" }), 403);
  page_close(&page);
  cdni_link_close(link, NULL);
}
END_TEST

/* ---- the opening ---- */

START_TEST(the_opening_comes_first_and_whole) {
  cdni_link *link = rig_open();
  socket_page page;
  enum { LARGE = 3000001 };
  unsigned char *mesh = malloc(LARGE);
  for (int i = 0; i < LARGE; i++) mesh[i] = (unsigned char)(i * 7 + i / 1000);
  add_text(link, "{\"type\":\"hello\"}");
  OK(cdni_link_add_opening(link, false, mesh, LARGE));
  OK(cdni_link_send(link, LINK_STATUS, "{\"type\":\"status\"}"));
  rig_frame(link, 0, 5, 4096);
  for (int visit = 0; visit < 3; visit++) {
    ck_assert_int_eq(page_open(&page, cdni_link_address(link), NULL), 101);
    ck_assert_int_eq(page_read(&page, 10), OP_TEXT);
    ck_assert_str_eq((char *)page.message, "{\"type\":\"hello\"}");
    ck_assert_int_eq(page_read(&page, 10), OP_BINARY);
    ck_assert_uint_eq(page.size, LARGE);
    ck_assert(memcmp(page.message, mesh, LARGE) == 0);
    ck_assert_int_eq(page_read(&page, 10), OP_TEXT);
    ck_assert_str_eq((char *)page.message, "{\"type\":\"steer\",\"steer\":true,\"pages\":1}");
    ck_assert_int_eq(page_read(&page, 10), OP_TEXT);
    ck_assert_str_eq((char *)page.message, "{\"type\":\"status\"}");
    ck_assert_int_eq(page_read(&page, 10), OP_BINARY);
    ck_assert_uint_eq(page.size, 4096);
    page_close(&page);
    wait_pages(link, 0);
  }
  // what is added comes to pages that are open; what was cleared does not come any more
  ck_assert_int_eq(page_open(&page, cdni_link_address(link), NULL), 101);
  page_expect(&page, "status", 10);
  cdni_link_clear_opening(link);
  add_text(link, "{\"type\":\"model\",\"name\":\"second\"}");
  page_expect(&page, "second", 10);
  page_close(&page);
  wait_pages(link, 0);
  ck_assert_int_eq(page_open(&page, cdni_link_address(link), NULL), 101);
  ck_assert_int_eq(page_read(&page, 10), OP_TEXT);
  ck_assert_ptr_nonnull(strstr((char *)page.message, "second"));
  page_close(&page);
  free(mesh);
  cdni_link_close(link, NULL);
}
END_TEST

/* ---- frames ---- */

static uint32_t frame_number(const socket_page *page) {
  uint32_t k;
  memcpy(&k, page->message, sizeof k);
  ck_assert_uint_eq(page->message[page->size - 1], k & 255);
  return k;
}

START_TEST(frames_come_in_order_and_the_last_one_comes) {
  cdni_link *link = rig_open();
  socket_page page;
  enum { RUNS = 3, FRAMES = 300 };
  ck_assert_int_eq(page_open(&page, cdni_link_address(link), NULL), 101);
  page_expect(&page, "steer", 10);
  uint32_t last[RUNS] = { 0 };
  for (uint32_t k = 1; k <= FRAMES; k++) {
    for (int run = 0; run < RUNS; run++) rig_frame(link, run, (uint32_t)run << 16 | k, 64 + (size_t)1000 * (k % 7));
    for (int op; (op = page_read(&page, 0)) != -1;) {
      ck_assert_int_eq(op, OP_BINARY);
      const uint32_t number = frame_number(&page);
      ck_assert_uint_gt(number & 0xffff, last[number >> 16]);
      last[number >> 16] = number & 0xffff;
    }
  }
  while (last[0] < FRAMES || last[1] < FRAMES || last[2] < FRAMES) {
    ck_assert_int_eq(page_read(&page, 10), OP_BINARY);
    const uint32_t number = frame_number(&page);
    ck_assert_uint_gt(number & 0xffff, last[number >> 16]);
    last[number >> 16] = number & 0xffff;
  }
  ck_assert_int_eq(page_read(&page, 0.1), -1);
  ck_assert_ptr_null(cdni_link_frame(link, -1, 8));
  ck_assert_ptr_null(cdni_link_frame(link, 64, 8));
  page_close(&page);
  cdni_link_close(link, NULL);
}
END_TEST

/* ---- who steers ---- */

START_TEST(one_page_steers) {
  cdni_link *link = rig_open();
  socket_page a, b;
  ck_assert_int_eq(page_open(&a, cdni_link_address(link), NULL), 101);
  page_expect(&a, "\"steer\":true,\"pages\":1", 10);
  ck_assert_int_eq(page_open(&b, cdni_link_address(link), NULL), 101);
  page_expect(&b, "\"steer\":false,\"pages\":2", 10);
  page_expect(&a, "\"steer\":true,\"pages\":2", 10);

  page_say(&b, "{\"type\":\"run\",\"id\":7}");
  page_expect(&b, "\"to\":7", 10);
  ck_assert_ptr_null(strstr((char *)b.message, "null"));
  ck_assert_ptr_null(cdni_link_next(link, 0));

  page_say(&a, "{\"type\":\"run\",\"id\":8,\"from_page\":2}"); // cannot speak for another
  json_t *request = cdni_link_next(link, 10);
  ck_assert_str_eq(json_string_value(json_object_get(request, "type")), "run");
  cdni_link_reply(link, request, "no \"run\"\n");
  json_decref(request);
  page_expect(&a, "\"to\":8,\"error\":\"no \\\"run\\\"\\n\"", 10);
  page_say(&a, "{\"type\":\"run\"}");
  request = cdni_link_next(link, 10);
  cdni_link_reply(link, request, NULL); // without an id there is no reply
  json_decref(request);

  page_say(&b, "{\"type\":\"steer\",\"id\":9}");
  page_expect(&b, "\"to\":9,\"error\":null", 10);
  page_expect(&a, "\"steer\":false,\"pages\":2", 10);
  page_say(&a, "{\"type\":\"pause\",\"id\":10}");
  page_expect(&a, "\"to\":10,\"error\":\"another page steers", 10);
  page_say(&b, "{\"type\":\"pause\",\"id\":11}");
  request = cdni_link_next(link, 10);
  ck_assert_str_eq(json_string_value(json_object_get(request, "type")), "pause");

  // a reply to a page that has gone goes nowhere; the next one that asks steers
  page_close(&b);
  page_expect(&a, "\"steer\":false,\"pages\":1", 10);
  cdni_link_reply(link, request, NULL);
  json_decref(request);
  page_say(&a, "{\"type\":\"steer\"}");
  page_expect(&a, "\"steer\":true,\"pages\":1", 10);
  page_close(&a);
  cdni_link_close(link, NULL);
}
END_TEST

/* ---- texts ---- */

START_TEST(texts_of_slots_replace_each_other) {
  cdni_link *link = rig_open();
  socket_page page;
  char text[64];
  ck_assert_int_eq(page_open(&page, cdni_link_address(link), NULL), 101);
  page_expect(&page, "steer", 10);
  int seen = -1, statuses = 0, events = 0;
  for (int i = 0; i < 500; i++) {
    snprintf(text, sizeof text, "{\"type\":\"status\",\"i\":%d}", i);
    OK(cdni_link_send(link, LINK_STATUS, text));
    snprintf(text, sizeof text, "{\"type\":\"event\",\"i\":%d}", i);
    OK(cdni_link_send(link, LINK_QUEUE, text));
  }
  while (events < 500 || seen < 499) {
    int i = -1;
    ck_assert_int_eq(page_read(&page, 10), OP_TEXT);
    if (sscanf((char *)page.message, "{\"type\":\"event\",\"i\":%d}", &i) == 1) ck_assert_int_eq(i, events++);
    else if (sscanf((char *)page.message, "{\"type\":\"status\",\"i\":%d}", &i) == 1) {
      ck_assert_int_gt(i, seen);
      seen = i, statuses++;
    }
  }
  ck_assert_int_lt(statuses, 500);
  page_close(&page);
  cdni_link_close(link, NULL);
}
END_TEST

/* A text of a slot may be long. */
START_TEST(long_texts) {
  cdni_link *link = rig_open();
  socket_page page;
  enum { LONG = 300000 };
  char *text = malloc(LONG + 1);
  memset(text, 'a', LONG);
  text[LONG] = 0;
  ck_assert_int_eq(page_open(&page, cdni_link_address(link), NULL), 101);
  page_expect(&page, "steer", 10);
  OK(cdni_link_send(link, LINK_SELECTED, text));
  ck_assert_int_eq(page_read(&page, 10), OP_TEXT);
  ck_assert_str_eq((char *)page.message, text);
  page_close(&page);
  free(text);
  cdni_link_close(link, NULL);
}
END_TEST

/* ---- life ---- */

START_TEST(next_waits_as_long_as_asked) {
  cdni_link *link = rig_open();
  double begin = seconds();
  ck_assert_ptr_null(cdni_link_next(link, 0));
  AT_MOST(seconds() - begin, 0.1);
  begin = seconds();
  ck_assert_ptr_null(cdni_link_next(link, 0.2));
  AT_MOST(0.199, seconds() - begin);
  cdni_link_close(link, NULL);
}
END_TEST

START_TEST(nothing_is_left) {
  rig_page_path();
  signal(SIGPIPE, SIG_DFL);
  cdni_link_close(rig_open(), NULL); // ThreadSanitizer has a thread, too, after the first
  const int threads = count_threads(), files = count_files();
  for (int i = 0; i < 20; i++) {
    cdni_link *link = rig_open();
    socket_page page[3];
    for (int k = 0; k < i % 4; k++) ck_assert_int_eq(page_open(&page[k], cdni_link_address(link), NULL), 101);
    rig_frame(link, 0, 1, 100);
    OK(cdni_link_send(link, LINK_QUEUE, "{}"));
    cdni_link_close(link, "the \"model\" is done");
    for (int k = 0; k < i % 4; k++) {
      page_expect(&page[k], "{\"type\":\"bye\",\"text\":\"the \\\"model\\\" is done\"}", 10);
      ck_assert_int_eq(page_expect_close(&page[k], 10), 1001);
      page_close(&page[k]);
    }
  }
  ck_assert_int_eq(count_threads(), threads);
  ck_assert_int_eq(count_files(), files);
  ck_assert(signal(SIGPIPE, SIG_DFL) == SIG_DFL); // which is the program's
}
END_TEST

CHECK_MAIN("link", the_page_is_served, pages_without_hashes, tokens_differ, tokens_of_files, addresses_that_fail,
           all_addresses, the_opening_comes_first_and_whole, frames_come_in_order_and_the_last_one_comes,
           one_page_steers, texts_of_slots_replace_each_other, long_texts, next_waits_as_long_as_asked, nothing_is_left)
