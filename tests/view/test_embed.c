/* Pages in files: what comes out of the element `cardan-data` is what went in, by a base64 decoder of its own and
 * zlib. */
#define _POSIX_C_SOURCE 200809L
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
#include <zlib.h>

#include "../testing.h"
#include "view/embed.h"

static const char page_before[] = "<html><body>\n", after[] = "<p>\xc3\xa4</p></body></html>\n";
static char path[] = "/tmp/cardan-page-XXXXXX";

static void write_page(const char *middle) {
  static bool made;
  if (!made) close(mkstemp(path));
  made = true;
  FILE *file = fopen(path, "w");
  fprintf(file, "%s%s%s", page_before, middle, after);
  fclose(file);
}

static void remove_page(void) { unlink(path); }

/* Checks once a text: a check a digit takes minutes. */
static size_t decode(const char *text, size_t n, unsigned char *bytes) {
  static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  ck_assert_uint_eq(n % 4, 0);
  int value[256];
  for (int i = 0; i < 256; i++) value[i] = -1;
  for (int i = 0; i < 64; i++) value[(unsigned char)digits[i]] = i;
  size_t size = 0;
  bool good = true;
  for (size_t i = 0; i < n; i += 4) {
    uint32_t word = 0;
    int pads = 0;
    for (int k = 0; k < 4; k++) {
      const bool pad = text[i + k] == '=';
      const int digit = pad ? 0 : value[(unsigned char)text[i + k]];
      good = good && digit >= 0 && (pad || pads == 0);
      pads += pad;
      word = word << 6 | (uint32_t)(digit & 63);
    }
    good = good && pads < 3 && (pads == 0 || i + 4 == n);
    for (int k = 0; k < 3 - pads; k++) bytes[size++] = (unsigned char)(word >> (16 - 8 * k));
  }
  ck_assert(good);
  return size;
}

/* The data of a page; the page about them must be as it was. */
static unsigned char *read_data(const char *page, size_t n, size_t *size, size_t *in_page) {
  static const char opening[] = "<script id=\"cardan-data\" type=\"text/plain\">", closing[] = "</script>";
  ck_assert(strncmp(page, page_before, strlen(page_before)) == 0);
  const char *from = page + strlen(page_before);
  ck_assert(strncmp(from, opening, strlen(opening)) == 0);
  from += strlen(opening);
  const char *to = strstr(from, closing);
  ck_assert_ptr_nonnull(to);
  ck_assert_str_eq(to + strlen(closing), after);
  ck_assert_uint_eq(n, strlen(page));
  *in_page = (size_t)(to - from);
  unsigned char *packed = malloc(*in_page), *data = malloc(64u << 20);
  z_stream z = {
    .next_in = packed, .avail_in = (uInt)decode(from, *in_page, packed), .next_out = data, .avail_out = 64u << 20
  };
  ck_assert_int_eq(inflateInit2(&z, MAX_WBITS + 16), Z_OK);
  ck_assert_int_eq(inflate(&z, Z_FINISH), Z_STREAM_END);
  ck_assert_uint_eq(z.avail_in, 0);
  *size = z.total_out;
  inflateEnd(&z);
  free(packed);
  return data;
}

enum { MOST_WORDS = 400000 };
/* Sizes 0 to 40, then some large ones: padding, and pieces of the compressor. */
static size_t size_of(int i) { return i < 40 ? (size_t)i : (size_t)i * 20011; }
static void fill(unsigned char *bytes, size_t n, int seed) {
  uint32_t x = (uint32_t)seed * 2654435761u + 1;
  for (size_t i = 0; i < n; i++) x = x * 1664525 + 1013904223, bytes[i] = (unsigned char)(x >> 24);
}

/* docs/wire.md: the frame's words from the bytes of differences, and the words of the frame before. */
static void undo_differences(const unsigned char *bytes, size_t words, uint32_t *before) {
  for (size_t i = 0; i < words; i++)
    before[i] += bytes[i] | (uint32_t)bytes[words + i] << 8 | (uint32_t)bytes[2 * words + i] << 16 |
                 (uint32_t)bytes[3 * words + i] << 24;
  memset(before + words, 0, 4 * (MOST_WORDS - words));
}

/* A mesh or a texture begins with its kind. */
static void fill_record(unsigned char *bytes, int i) {
  const uint32_t kind = 2;
  fill(bytes, size_of(i), i);
  if (i % 3 == 1 && size_of(i) >= sizeof kind) memcpy(bytes, &kind, sizeof kind);
}

START_TEST(what_goes_in_comes_out) {
  enum { N = 60 };
  write_page("<!--cardan-data-->");
  unsigned char *bytes = malloc(size_of(N));
  uint32_t *before = malloc(4 * MOST_WORDS);
  for (int count = 0; count <= N; count += count < 6 ? 1 : 9) {
    cdn_buffer out = { 0 };
    cdni_embed *embed;
    OK(cdni_embed_begin(path, cdn_buffer_write, &out, &embed));
    for (int i = 0; i < count; i++) {
      fill_record(bytes, i);
      OK(cdni_embed_add(embed, (embed_kind)(1 + i % 3), bytes, size_of(i)));
    }
    size_t told, in_page, size, at = 0;
    OK(cdni_embed_end(embed, &told));
    OK(cdn_buffer_write(&out, "", 1));
    memset(before, 0, 4 * MOST_WORDS);
    unsigned char *data = read_data(out.bytes, out.size - 1, &size, &in_page);
    ck_assert_uint_eq(told, in_page);
    for (int i = 0; i < count; i++) {
      const bool is_frame = i % 3 == 0;
      const size_t n = is_frame ? (size_of(i) + 3) / 4 * 4 : size_of(i);
      uint32_t head[2];
      memcpy(head, data + at, 8);
      ck_assert_uint_eq(head[0], n);
      ck_assert_uint_eq(head[1], is_frame ? 4 : 1 + i % 3);
      fill_record(bytes, i);
      if (is_frame) undo_differences(data + at + 8, n / 4, before);
      ck_assert(memcmp(is_frame ? (void *)before : data + at + 8, bytes, size_of(i)) == 0);
      at += 8 + (n + 7) / 8 * 8;
    }
    ck_assert_uint_eq(at, size);
    free(data);
    cdn_buffer_free(&out);
  }
  free(bytes);
  free(before);
  remove_page();
}
END_TEST

static cdn_status full(void *left, const void *bytes, size_t n) {
  (void)bytes;
  size_t *room = left;
  if (n > *room) return CDN_ERR_FILE;
  *room -= n;
  return CDN_OK;
}

START_TEST(failures_are_told) {
  cdni_embed *embed;
  cdn_buffer out = { 0 };
  FAILS(cdni_embed_begin("/nowhere/viewer.html", cdn_buffer_write, &out, &embed), CDN_ERR_FILE);
  ck_assert_ptr_nonnull(strstr(cdn_last_error_text(), "/nowhere/viewer.html"));
  ck_assert_ptr_nonnull(strstr(cdn_last_error_text(), "./run page"));
  write_page("no place");
  FAILS(cdni_embed_begin(path, cdn_buffer_write, &out, &embed), CDN_ERR_PARSE);
  ck_assert_ptr_nonnull(strstr(cdn_last_error_text(), "./run page"));
  ck_assert_ptr_null(embed);
  write_page("<!--cardan-data-->");
  unsigned char bytes[200000];
  fill(bytes, sizeof bytes, 3);
  for (size_t room = 0; room < 300000; room += 50000) { // the disk is full here and there
    size_t left = room;
    cdn_status status = cdni_embed_begin(path, full, &left, &embed);
    ck_assert(room == 0 ? status == CDN_ERR_FILE : status == CDN_OK);
    if (status != CDN_OK) continue;
    status = cdni_embed_add(embed, EMBED_LOOK, bytes, sizeof bytes);
    if (status == CDN_OK) status = cdni_embed_end(embed, NULL);
    else cdni_embed_drop(embed);
    ck_assert(status == (room < 266000 ? CDN_ERR_FILE : CDN_OK)); // four thirds of them
  }
  cdni_embed_drop(NULL);
  cdn_buffer_free(&out);
  remove_page();
}
END_TEST

START_TEST(the_page_is_found) {
  write_page("<!--cardan-data-->");
  setenv("CARDAN_PAGE", path, 1);
  ck_assert_str_eq(cdni_page_path(), path);
  cdn_buffer out = { 0 };
  cdni_embed *embed;
  OK(cdni_embed_begin(NULL, cdn_buffer_write, &out, &embed));
  cdni_embed_drop(embed);
  remove_page();
  FAILS(cdni_embed_begin(NULL, cdn_buffer_write, &out, &embed), CDN_ERR_FILE);
  ck_assert_ptr_nonnull(strstr(cdn_last_error_text(), path));
  cdn_buffer_free(&out);
}
END_TEST

CHECK_MAIN("embed", what_goes_in_comes_out, failures_are_told, the_page_is_found)
