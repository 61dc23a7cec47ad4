/* A page with its data: gzip by zlib, in base64, at the place that the page has for it. */
#include "view/embed.h"

#include <stdlib.h>
#include <zlib.h>

#include "core/core.h"

enum { ROOM = 48 * 1024, TEXT_ROOM = ROOM / 3 * 4 + 4 };

struct cdni_embed {
  cdn_write_fn *write;
  void *context;
  char *rest; /* of the page, behind its place for data */
  size_t n_rest, data;
  char *page;       /* up to that place */
  uint32_t *before; /* words of the last frame */
  unsigned char *differences;
  size_t n_before, room; /* words */
  z_stream z;
  bool deflates;
  unsigned char bytes[ROOM]; /* compressed, and not yet written */
  char text[TEXT_ROOM];
};

static const char opener[] = "cdni_embed_begin", place[] = "<!--cardan-data-->";

/* ---- the page ---- */

static cdn_status split_page(cdni_embed *e, const char *path) {
  size_t size;
  CDNI_TRY(cdni_page_read(path, opener, &e->page, &size));
  e->rest = strstr(e->page, place);
  if (!e->rest)
    return cdni_refuse(CDN_ERR_PARSE, opener,
                       "the page %s has no place for data: it is not of this version; `./run page` makes one",
                       path ? path : cdni_page_path());
  *e->rest = 0;
  e->rest += strlen(place);
  e->n_rest = size - (size_t)(e->rest - e->page);
  return CDN_OK;
}

/* ---- base64 ---- */

static cdn_status write_data(cdni_embed *e, const unsigned char *bytes, size_t n) {
  static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  char *to = e->text;
  for (size_t i = 0; i < n; i += 3) {
    const size_t left = n - i;
    const uint32_t b = (uint32_t)bytes[i] << 16 | (left > 1 ? (uint32_t)bytes[i + 1] << 8 : 0) |
                       (left > 2 ? (uint32_t)bytes[i + 2] : 0);
    *to++ = digits[b >> 18];
    *to++ = digits[b >> 12 & 63];
    *to++ = left > 1 ? digits[b >> 6 & 63] : '=';
    *to++ = left > 2 ? digits[b & 63] : '=';
  }
  e->data += (size_t)(to - e->text);
  return e->write(e->context, e->text, (size_t)(to - e->text));
}

/* ---- gzip ---- */

/* ROOM is divisible by three, so that all but the last piece end without '='. */
static cdn_status deflate_bytes(cdni_embed *e, const void *bytes, size_t n, bool last) {
  const unsigned char *from = bytes;
  int code = Z_OK;
  if (n == 0 && !last) return CDN_OK; // of nothing, `bytes` may be NULL
  do {
    const uInt some = n < (1u << 30) ? (uInt)n : 1u << 30;
    e->z.next_in = (unsigned char *)(uintptr_t)from, e->z.avail_in = some;
    code = deflate(&e->z, last && some == n ? Z_FINISH : Z_NO_FLUSH);
    from += some - e->z.avail_in, n -= some - e->z.avail_in;
    if (e->z.avail_out == 0 || code == Z_STREAM_END) {
      CDNI_TRY(write_data(e, e->bytes, ROOM - e->z.avail_out));
      e->z.next_out = e->bytes, e->z.avail_out = ROOM;
    }
  } while (last ? code != Z_STREAM_END : n > 0);
  return CDN_OK;
}

/* ---- life ---- */

void cdni_embed_drop(cdni_embed *e) {
  if (!e) return;
  if (e->deflates) deflateEnd(&e->z);
  free(e->before);
  free(e->differences);
  free(e->page);
  free(e);
}

static cdn_status begin(cdni_embed *e, const char *page) {
  static const char opening[] = "<script id=\"cardan-data\" type=\"text/plain\">";
  CDNI_TRY(split_page(e, page));
  if (deflateInit2(&e->z, 9, Z_DEFLATED, MAX_WBITS + 16, 9, Z_DEFAULT_STRATEGY) != Z_OK)
    return cdni_refuse(CDN_ERR_NOMEM, opener, "out of memory");
  e->deflates = true;
  e->z.next_out = e->bytes, e->z.avail_out = ROOM;
  CDNI_TRY(e->write(e->context, e->page, strlen(e->page)));
  return e->write(e->context, opening, strlen(opening));
}

cdn_status cdni_embed_begin(const char *page, cdn_write_fn *write, void *context, cdni_embed **out) {
  *out = NULL;
  cdni_embed *e = malloc(sizeof *e);
  if (!e) return cdni_refuse(CDN_ERR_NOMEM, opener, "out of memory");
  memset(e, 0, offsetof(cdni_embed, bytes));
  e->write = write, e->context = context;
  const cdn_status status = begin(e, page);
  if (status == CDN_OK) *out = e;
  else cdni_embed_drop(e);
  return status;
}

static bool make_room(cdni_embed *e, size_t words) {
  if (words <= e->room) return true;
  const size_t room = words + words / 4;
  uint32_t *before = realloc(e->before, room * sizeof *before);
  if (before) e->before = before;
  unsigned char *differences = realloc(e->differences, 4 * room);
  if (differences) e->differences = differences;
  if (before && differences) e->room = room;
  return before && differences;
}

/* Frames follow each other closely: differences of their words, first bytes first, take half of the room that frames
 * take. */
static void make_differences(cdni_embed *e, const unsigned char *bytes, size_t n, size_t words) {
  for (size_t i = 0; i < words; i++) {
    uint32_t word = 0;
    for (size_t k = 0; k < 4 && 4 * i + k < n; k++) word |= (uint32_t)bytes[4 * i + k] << 8 * k;
    const uint32_t difference = word - (i < e->n_before ? e->before[i] : 0);
    for (size_t k = 0; k < 4; k++) e->differences[k * words + i] = (unsigned char)(difference >> 8 * k);
    e->before[i] = word;
  }
  e->n_before = words;
}

static cdn_status add_record(cdni_embed *e, uint32_t kind, const void *bytes, size_t n) {
  static const unsigned char zeros[8] = { 0 };
  unsigned char head[8];
  for (int i = 0; i < 4; i++) head[i] = (unsigned char)(n >> 8 * i), head[4 + i] = (unsigned char)(kind >> 8 * i);
  CDNI_TRY(deflate_bytes(e, head, sizeof head, false));
  CDNI_TRY(deflate_bytes(e, bytes, n, false));
  return deflate_bytes(e, zeros, (8 - n % 8) % 8, false);
}

cdn_status cdni_embed_add(cdni_embed *e, embed_kind kind, const void *bytes, size_t n) {
  enum { DIFFERENCES = 4 };
  const size_t words = n / 4 + (n % 4 > 0);
  if (n > UINT32_MAX - 4)
    return cdni_refuse(CDN_ERR_LIMIT, "cdni_embed_add", "a message of %zu bytes is longer than 4 GB", n);
  uint32_t record = kind;
  if (kind == EMBED_LOOK && n >= sizeof record) memcpy(&record, bytes, sizeof record);
  if (kind != EMBED_FRAME) return add_record(e, record, bytes, n);
  if (!make_room(e, words)) return cdni_refuse(CDN_ERR_NOMEM, "cdni_embed_add", "out of memory for a frame");
  make_differences(e, bytes, n, words);
  return add_record(e, DIFFERENCES, e->differences, 4 * words);
}

cdn_status cdni_embed_end(cdni_embed *e, size_t *data) {
  static const char closing[] = "</script>";
  cdn_status status = deflate_bytes(e, "", 0, true);
  if (status == CDN_OK) status = e->write(e->context, closing, strlen(closing));
  if (status == CDN_OK) status = e->write(e->context, e->rest, e->n_rest);
  if (data) *data = e->data;
  cdni_embed_drop(e);
  return status;
}
