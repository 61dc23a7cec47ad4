/* The line between a view and its pages: a server with a thread of its own. It knows messages, and neither models nor
 * Systems. Private to src/view. docs/wire.md describes the messages. All functions but link_open and link_close may be
 * called from one thread while the server's thread works; none of them waits for a page. */
#ifndef VIEW_LINK_H
#define VIEW_LINK_H

#include <jansson.h>

#include <cardan/base.h>

typedef struct cdni_link cdni_link;

/* Member of a request: the number of the page that sent it. */
#define LINK_PAGE "from_page"

typedef struct cdni_link_def {
  const char *host; /* NULL: 127.0.0.1 */
  int port;         /* 0: any free one */
  const char *page; /* path of viewer.html; NULL: cdni_page_path of view/embed.h */
  const char
      *token; /* path of a file with the token, which only its user can read, made where there is none; NULL: a new
              * token */
} cdni_link_def;

/* Errors: CDN_ERR_ARG (bad host or port), CDN_ERR_FILE (no page, port in use, token that others can read),
 * CDN_ERR_NOMEM, with a message and its remedy. */
cdn_status cdni_link_open(const cdni_link_def *def, cdni_link **out) CDN_NODISCARD;
/* Sends `bye` with this text, closes all connections and ends the thread. NULL is allowed. */
void cdni_link_close(cdni_link *link, const char *bye);
/* "http://127.0.0.1:PORT/TOKEN/"; of a server that listens on all addresses, one that other machines reach, where there
 * is one. */
const char *cdni_link_address(const cdni_link *link);
/* How many pages are open. */
int cdni_link_pages(const cdni_link *link);

/* Whether the page of this number is open. */
bool cdni_link_has_page(const cdni_link *link, int64_t number);

/* What every new page gets first: hello, textures, meshes, model. Begins anew with `clear`; bytes are copied. Pages
 * that are open
 * get what is added at once, too. */
void cdni_link_clear_opening(cdni_link *link);
cdn_status cdni_link_add_opening(cdni_link *link, bool text, const void *bytes, size_t n) CDN_NODISCARD;

/* A buffer of at least n bytes for the next frame of a run (0 ... 63), 8-aligned; NULL: no memory. Publishing makes it
 * the newest frame of that run: a frame that was not sent yet is dropped. No allocation once the frames have their
 * size. */
void *cdni_link_frame(cdni_link *link, int run, size_t n);
void cdni_link_publish(cdni_link *link, int run, size_t n);

/* Texts. A text of a slot replaces an earlier one of that slot that was not sent yet; LINK_QUEUE keeps all of them (a
 * page that does not read 1000 of them is disconnected). New pages get the last text of each slot. */
typedef enum cdni_link_slot { LINK_QUEUE = -1, LINK_STATUS, LINK_SELECTED, LINK_VALUES, LINK_SLOTS } cdni_link_slot;
cdn_status cdni_link_send(cdni_link *link, cdni_link_slot slot, const char *text) CDN_NODISCARD;
/* A reply to the page that sent a request. `id` is the request's; if it had none, only an error is told. */
void cdni_link_reply(cdni_link *link, const json_t *request, const char *error);

/* The next request of the page that steers, or of another one if it changes only what that page sees; to be freed with
 * json_decref; NULL: there is none now. It is an object with a text `type`. Waits at most `timeout` s (0: not at all).
 */
json_t *cdni_link_next(cdni_link *link, double timeout);

#endif
