/* The server's thread: what libwebsockets calls, and what it sends to each page next. */
#define _POSIX_C_SOURCE 200809L
#include "view/link_parts.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>

/* What libwebsockets keeps for each connection. */
typedef struct session {
  page *page; /* NULL: it has none, for it asked for an address */
  size_t at;  /* bytes sent of the answer */
} session;

/* ---- pages come and go ---- */

static bool fill(cdni_link *link, page *p) {
  for (size_t i = 0; i < link->n_opening; i++)
    if (!cdni_link_push(p, link->opening[i])) return false;
  return true;
}

static void forget(cdni_link *link, page *p) {
  for (page **at = &link->pages; *at; at = &(*at)->next) {
    if (*at != p) continue;
    *at = p->next;
    link->n_pages--;
    break;
  }
  if (link->steering == p->number) {
    link->steering = 0;
    cdni_link_tell_steer(link);
  }
  cdni_link_drop_queue(p);
  free(p->request);
  free(p);
}

static int begin(cdni_link *link, struct lws *wsi, session *s) {
  // what the kernel keeps for a page that is slow becomes old: little is enough between two frames
  const int kept = 256 * 1024;
  setsockopt(lws_get_socket_fd(wsi), SOL_SOCKET, SO_SNDBUF, &kept, sizeof kept);
  page *p = calloc(1, sizeof *p);
  if (!p) return -1;
  p->wsi = wsi;
  pthread_mutex_lock(&link->mutex);
  p->number = ++link->last_page;
  p->next = link->pages;
  link->pages = p;
  if (link->n_pages++ == 0) link->steering = p->number;
  cdni_link_tell_steer(link);
  const bool good = fill(link, p);
  pthread_mutex_unlock(&link->mutex);
  s->page = p;
  cdni_link_drop_stranger(link, wsi);
  lws_callback_on_writable_all_protocol(link->context, link->protocols);
  return good ? 0 : -1;
}

static void end(cdni_link *link, session *s) {
  if (!s->page) return;
  pthread_mutex_lock(&link->mutex);
  forget(link, s->page);
  pthread_mutex_unlock(&link->mutex);
  s->page = NULL;
  lws_callback_on_writable_all_protocol(link->context, link->protocols);
}

/* ---- what a page gets next ---- */

static bool wants_frame(const cdni_link *link, const page *p, int run) {
  return link->runs[run].newest >= 0 && p->frame_sent[run] != link->runs[run].serial;
}

/* A run with a frame that the page has not got; -1: there is none, or the page has not taken those underway. */
static int next_run(const cdni_link *link, const page *p) {
  if (p->frames - p->ponged >= FRAMES_UNDERWAY) return -1;
  for (int k = 0; k < MOST_RUNS; k++)
    if (wants_frame(link, p, (p->next_run + k) % MOST_RUNS)) return (p->next_run + k) % MOST_RUNS;
  return -1;
}

static int next_slot(const cdni_link *link, const page *p) {
  for (int i = 0; i < LINK_SLOTS; i++)
    if (link->slots[i] && p->slot_sent[i] != link->slot_serial[i]) return i;
  return -1;
}

static bool wants(const cdni_link *link, const page *p) {
  return link->ending || p->count > 0 || p->tell_steer || next_slot(link, p) >= 0 || next_run(link, p) >= 0 ||
         p->frames - p->pinged >= FRAMES_TO_PING;
}

/* The next piece of a message. */
static int send_piece(cdni_link *link, page *p, const message *m, size_t *sent) {
  const size_t left = m->size - *sent, n = left < PIECE ? left : PIECE;
  const int kind = lws_write_ws_flags(m->text ? LWS_WRITE_TEXT : LWS_WRITE_BINARY, *sent == 0, n == left);
  if (n > 0) memcpy(link->scratch + LWS_PRE, m->bytes + *sent, n);
  if (lws_write(p->wsi, link->scratch + LWS_PRE, n, (enum lws_write_protocol)kind) < (int)n) return -1;
  *sent += n;
  return 0;
}

static int send_queued(cdni_link *link, page *p) {
  message *m = p->queue[p->first];
  if (send_piece(link, p, m, &p->sent) != 0) return -1;
  if (p->sent == m->size) cdni_link_shift(p);
  return 0;
}

static int send_text(page *p, const char *text) {
  unsigned char bytes[LWS_PRE + 128];
  const size_t n = strlen(text);
  memcpy(bytes + LWS_PRE, text, n);
  return lws_write(p->wsi, bytes + LWS_PRE, n, LWS_WRITE_TEXT) < (int)n ? -1 : 0;
}

static int send_steer(const cdni_link *link, page *p) {
  char text[128];
  snprintf(text, sizeof text, "{\"type\":\"steer\",\"steer\":%s,\"pages\":%d}",
           link->steering == p->number ? "true" : "false", link->n_pages);
  p->tell_steer = false;
  return send_text(p, text);
}

/* Texts of slots are a few kilobytes: in one piece, but for those that some program makes longer. */
static int send_slot(cdni_link *link, page *p, int slot) {
  p->slot_sent[slot] = link->slot_serial[slot];
  if (link->slots[slot]->size > PIECE) return cdni_link_push(p, link->slots[slot]) ? 0 : -1;
  size_t sent = 0;
  return send_piece(link, p, link->slots[slot], &sent);
}

/* A page answers a ping after all that came before: so far it has read. */
static int send_ping(page *p) {
  unsigned char bytes[LWS_PRE + sizeof p->frames];
  memcpy(bytes + LWS_PRE, &p->frames, sizeof p->frames);
  p->pinged = p->frames;
  return lws_write(p->wsi, bytes + LWS_PRE, sizeof p->frames, LWS_WRITE_PING) < 0 ? -1 : 0;
}

static void pong(page *p, const void *bytes, size_t n) {
  uint64_t number;
  if (n != sizeof number) return;
  memcpy(&number, bytes, n);
  if (number > p->ponged && number <= p->pinged) p->ponged = number;
}

/* The frame stays as it is while the mutex is free: it is marked. */
static int send_frame(cdni_link *link, page *p, int run) {
  frames *f = &link->runs[run];
  frame_buffer *b = &f->buffer[f->newest];
  b->sending = true;
  p->frame_sent[run] = f->serial;
  p->next_run = run + 1;
  p->frames++;
  pthread_mutex_unlock(&link->mutex);
  const int written = lws_write(p->wsi, b->bytes + LWS_PRE, b->size, LWS_WRITE_BINARY);
  pthread_mutex_lock(&link->mutex);
  b->sending = false;
  return written < (int)b->size ? -1 : 0;
}

static int close_page(page *p, enum lws_close_status code, const char *reason) {
  lws_close_reason(p->wsi, code, (unsigned char *)(uintptr_t)reason, strlen(reason));
  return -1;
}

static int say_bye(cdni_link *link, page *p) {
  size_t sent = 0;
  if (p->sent == 0 && link->bye && send_piece(link, p, link->bye, &sent) != 0) return -1;
  return close_page(p, LWS_CLOSE_STATUS_GOINGAWAY, "the server ends");
}

static int send_next(cdni_link *link, page *p) {
  int i;
  if (link->ending) return say_bye(link, p);
  if (p->count > 0) return send_queued(link, p);
  if (p->tell_steer) return send_steer(link, p);
  if (p->frames - p->pinged >= FRAMES_TO_PING) return send_ping(p);
  if ((i = next_slot(link, p)) >= 0) return send_slot(link, p, i);
  if ((i = next_run(link, p)) >= 0) return send_frame(link, p, i);
  return 0;
}

static int write_next(cdni_link *link, page *p) {
  pthread_mutex_lock(&link->mutex);
  const int result = send_next(link, p);
  const bool more = result == 0 && wants(link, p);
  pthread_mutex_unlock(&link->mutex);
  if (more) lws_callback_on_writable(p->wsi);
  return result;
}

/* The program has something new. */
static void look_around(cdni_link *link) {
  pthread_mutex_lock(&link->mutex);
  for (page *p = link->pages; p; p = p->next) {
    // what does not read cannot be told, either
    if (p->doomed) lws_set_timeout(p->wsi, PENDING_TIMEOUT_USER_REASON_BASE, LWS_TO_KILL_ASYNC);
    else if (wants(link, p)) lws_callback_on_writable(p->wsi);
  }
  pthread_mutex_unlock(&link->mutex);
}

/* ---- libwebsockets ---- */

/* Calls that have a connection of ours. */
static int converse(cdni_link *link, struct lws *wsi, enum lws_callback_reasons reason, session *s, void *in,
                    size_t n) {
  page *p = s ? s->page : NULL;
  switch (reason) {
    case LWS_CALLBACK_HTTP: return cdni_link_answer(link, wsi, in, &s->at);
    case LWS_CALLBACK_HTTP_WRITEABLE: return cdni_link_answer_more(link, wsi, &s->at);
    case LWS_CALLBACK_HTTP_CONFIRM_UPGRADE: return strcmp(in, "websocket") == 0 ? cdni_link_admit(link, wsi) : -1;
    case LWS_CALLBACK_ESTABLISHED: return begin(link, wsi, s);
    case LWS_CALLBACK_CLOSED: return end(link, s), 0;
    case LWS_CALLBACK_SERVER_WRITEABLE: return p ? write_next(link, p) : 0;
    case LWS_CALLBACK_RECEIVE: return p && cdni_link_receive(link, p, in, n) ? 0 : -1;
    case LWS_CALLBACK_RECEIVE_PONG:
      if (p) pong(p, in, n);
      look_around(link);
      return 0;
    default: return lws_callback_http_dummy(wsi, reason, s, in, n);
  }
}

int cdni_link_callback(struct lws *wsi, enum lws_callback_reasons reason, void *user, void *in, size_t n) {
  cdni_link *link = lws_context_user(lws_get_context(wsi));
  switch (reason) {
    case LWS_CALLBACK_EVENT_WAIT_CANCELLED: look_around(link); return 0;
    case LWS_CALLBACK_SERVER_NEW_CLIENT_INSTANTIATED: cdni_link_add_stranger(link, wsi); return 0;
    case LWS_CALLBACK_WSI_DESTROY: cdni_link_drop_stranger(link, wsi); return 0;
    case LWS_CALLBACK_PROTOCOL_INIT:
    case LWS_CALLBACK_PROTOCOL_DESTROY: return 0;
    default: return converse(link, wsi, reason, user, in, n);
  }
}

static void end_now(lws_sorted_usec_list_t *sul) { lws_container_of(sul, cdni_link, last_moment)->ended = true; }

/* Pages that do not read their last message within half a second do not get it. */
static bool goes_on(cdni_link *link) {
  pthread_mutex_lock(&link->mutex);
  const bool ending = link->ending, alone = link->n_pages == 0;
  pthread_mutex_unlock(&link->mutex);
  if (!ending) return true;
  if (!link->last_moment.cb) lws_sul_schedule(link->context, 0, &link->last_moment, end_now, LWS_US_PER_SEC / 2);
  return !alone && !link->ended;
}

void *cdni_link_serve(void *data) {
  cdni_link *link = data;
  while (goes_on(link) && lws_service(link->context, 0) >= 0) {}
  return NULL;
}
