/* What the files of the link share. Private to the room. The server's thread runs inside libwebsockets and calls
 * cdni_link_callback; all else is called by the program's thread. Both hold `mutex` while they touch what is below
 * it. */
#ifndef VIEW_LINK_PARTS_H
#define VIEW_LINK_PARTS_H

#include <pthread.h>
#include <stdatomic.h>

#include <libwebsockets.h>

#include "core/core.h"
#include "view/link.h"

enum {
  MOST_PAGES = 16,
  MOST_STRANGERS = 32,       /* connections that have not shown the token yet: the oldest goes for one more */
  MOST_RUNS = 64,            /* whose frames are told apart */
  MOST_TEXTS = 1000,         /* that wait for one page */
  MOST_REQUEST = 64 * 1024,  /* bytes */
  MOST_REQUESTS = 1000,      /* a second, of one page; and that wait */
  MOST_WAITING = 256 * 1024, /* bytes of requests that wait: JSON takes up to a hundred times as much as values */
  PIECE = 64 * 1024,         /* longer messages go in pieces */
  FRAMES_UNDERWAY = 16,      /* frames that a page has not taken yet */
  FRAMES_TO_PING = 4,
  TOKEN = 32 /* digits */
};

/* Shared by what is sent to several pages. */
typedef struct message {
  int references;
  bool text, opening;
  size_t size;
  unsigned char bytes[];
} message;

/* LWS_PRE bytes, then the frame. */
typedef struct frame_buffer {
  unsigned char *bytes;
  size_t capacity, size;
  bool sending; /* the server's thread reads it */
} frame_buffer;

/* One buffer is the newest frame, one may be on its way to a page, and one is written. */
typedef struct frames {
  frame_buffer buffer[3];
  int newest, writing; /* -1: none */
  uint64_t serial;     /* of the newest; 0: there was none */
} frames;

/* A page that is connected. */
typedef struct page {
  struct page *next;
  struct lws *wsi;
  int64_t number; /* > 0 */
  /* What it is to get. */
  message **queue; /* a ring */
  size_t first, count, room;
  int texts;       /* of the queue that are no opening */
  size_t sent;     /* bytes of the first that went */
  bool tell_steer; /* it does not know who steers */
  bool doomed;     /* it does not read, and will be disconnected */
  uint64_t slot_sent[LINK_SLOTS], frame_sent[MOST_RUNS];
  int next_run;
  uint64_t frames, pinged, ponged; /* frames sent: until now, at the last ping, and at the last ping that came back */
  /* What comes from it. Of the server's thread only. */
  char *request;
  size_t request_size;
  int64_t second; /* for which requests are counted */
  int requests;
} page;

struct cdni_link {
  struct lws_context *context;
  pthread_t thread;
  struct lws_protocols protocols[2];
  char *host;
  int port;
  char token[TOKEN + 1], address[1200];
  char *html;
  size_t html_size;
  char hashes[256];       /* of the page's script and style, for the header */
  unsigned char *scratch; /* LWS_PRE + PIECE bytes of the server's thread */
  lws_sorted_usec_list_t last_moment;

  pthread_mutex_t mutex;
  pthread_cond_t requested;
  page *pages;
  int n_pages;
  int64_t last_page, steering; /* numbers; 0: none steers */
  message **opening;
  size_t n_opening, opening_room;
  message *slots[LINK_SLOTS];
  uint64_t slot_serial[LINK_SLOTS];
  frames runs[MOST_RUNS];
  json_t *requests[MOST_REQUESTS];
  size_t request_sizes[MOST_REQUESTS];
  int first_request, n_requests;
  size_t waiting; /* bytes of requests */
  message *bye;
  bool ending;
  /* Of the server's thread only. */
  struct lws *strangers[MOST_STRANGERS]; /* the oldest first */
  int n_strangers;
  bool ended; /* it waits for pages no longer */
};

/* ---- link_token.c ---- */

/* A new token, or that of a file, which is made where there is none. Errors: CDN_ERR_FILE. */
cdn_status cdni_link_make_token(const char *path, char token[TOKEN + 1]);

/* ---- link_messages.c ---- */

message *cdni_link_make(const void *bytes, size_t n, bool text);
void cdni_link_release(message *m); /* the mutex is held, or nobody else has it */
bool cdni_link_push(page *p, message *m);
/* Takes the first message off the queue. */
void cdni_link_shift(page *p);
void cdni_link_drop_queue(page *p);

/* ---- link_requests.c: what pages send ---- */

/* Both return false where the page is to be disconnected; the close reason is set then. */
bool cdni_link_receive(cdni_link *link, page *p, const char *bytes, size_t n);
/* Tells all pages who steers. The mutex is held. */
void cdni_link_tell_steer(cdni_link *link);

/* ---- link_http.c: what is not a message ---- */

/* Whether a request may become a connection to `live`: 0, or 1 after an answer was written. */
int cdni_link_admit(cdni_link *link, struct lws *wsi);
/* The answer to a request of a page. `at` counts the bytes of the page that were sent. */
int cdni_link_answer(cdni_link *link, struct lws *wsi, const char *path, size_t *at);
int cdni_link_answer_more(cdni_link *link, struct lws *wsi, size_t *at);

/* ---- link_strangers.c ---- */

void cdni_link_add_stranger(cdni_link *link, struct lws *wsi);
/* It has shown the token, or it is gone. */
void cdni_link_drop_stranger(cdni_link *link, const struct lws *wsi);

/* ---- link_service.c ---- */

int cdni_link_callback(struct lws *wsi, enum lws_callback_reasons reason, void *user, void *in, size_t n);
void *cdni_link_serve(void *link);

#endif
