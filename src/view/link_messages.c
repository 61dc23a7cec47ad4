/* What the program tells pages: it is kept here until the server's thread sends it. */
#include "view/link_parts.h"

#include <stdlib.h>

static const char out_of_memory[] = "out of memory for a message to the pages";

message *cdni_link_make(const void *bytes, size_t n, bool text) {
  message *m = malloc(sizeof *m + n);
  if (!m) return NULL;
  *m = (message){ .references = 1, .text = text, .size = n };
  if (n > 0) memcpy(m->bytes, bytes, n);
  return m;
}

void cdni_link_release(message *m) {
  if (m && --m->references == 0) free(m);
}

/* ---- the queue of a page ---- */

static bool grow_queue(page *p) {
  const size_t room = p->room > 0 ? 2 * p->room : 16;
  message **queue = malloc(room * sizeof(message *));
  if (!queue) return false;
  for (size_t i = 0; i < p->count; i++) queue[i] = p->queue[(p->first + i) % p->room];
  free(p->queue);
  p->queue = queue, p->room = room, p->first = 0;
  return true;
}

bool cdni_link_push(page *p, message *m) {
  p->doomed = p->doomed || (!m->opening && p->texts >= MOST_TEXTS);
  if (p->doomed) return true;
  if (p->count == p->room && !grow_queue(p)) return false;
  p->queue[(p->first + p->count++) % p->room] = m;
  p->texts += !m->opening;
  m->references++;
  return true;
}

void cdni_link_shift(page *p) {
  message *m = p->queue[p->first];
  p->first = (p->first + 1) % p->room;
  p->count--;
  p->texts -= !m->opening;
  p->sent = 0;
  cdni_link_release(m);
}

void cdni_link_drop_queue(page *p) {
  while (p->count > 0) cdni_link_shift(p);
  free(p->queue);
  p->queue = NULL;
  p->room = p->first = 0;
}

/* Messages of an opening that is no longer true, but for one that was sent in part. */
static void drop_opening(page *p) {
  size_t kept = 0;
  for (size_t i = 0; i < p->count; i++) {
    message *m = p->queue[(p->first + i) % p->room];
    if (m->opening && !(i == 0 && p->sent > 0)) cdni_link_release(m);
    else p->queue[(p->first + kept++) % p->room] = m;
  }
  p->count = kept;
}

static cdn_status push_to_all(cdni_link *link, message *m) {
  for (page *p = link->pages; p; p = p->next)
    if (!cdni_link_push(p, m)) return CDN_ERR_NOMEM;
  return CDN_OK;
}

/* ---- the opening ---- */

static void forget_frames(frames *f) {
  f->newest = -1;
  f->serial = 0;
}

void cdni_link_clear_opening(cdni_link *link) {
  pthread_mutex_lock(&link->mutex);
  for (page *p = link->pages; p; p = p->next) {
    drop_opening(p);
    memset(p->frame_sent, 0, sizeof p->frame_sent);
  }
  for (size_t i = 0; i < link->n_opening; i++) cdni_link_release(link->opening[i]);
  link->n_opening = 0;
  for (int i = 0; i < MOST_RUNS; i++) forget_frames(&link->runs[i]);
  for (int i = 0; i < LINK_SLOTS; i++) {
    cdni_link_release(link->slots[i]);
    link->slots[i] = NULL;
  }
  pthread_mutex_unlock(&link->mutex);
}

static bool keep_opening(cdni_link *link, message *m) {
  if (link->n_opening == link->opening_room) {
    const size_t room = link->opening_room > 0 ? 2 * link->opening_room : 16;
    message **grown = realloc(link->opening, room * sizeof(message *));
    if (!grown) return false;
    link->opening = grown, link->opening_room = room;
  }
  link->opening[link->n_opening++] = m;
  return true;
}

cdn_status cdni_link_add_opening(cdni_link *link, bool text, const void *bytes, size_t n) {
  message *m = cdni_link_make(bytes, n, text);
  if (!m) return cdni_refuse(CDN_ERR_NOMEM, __func__, out_of_memory);
  m->opening = true;
  pthread_mutex_lock(&link->mutex);
  cdn_status status = keep_opening(link, m) ? CDN_OK : CDN_ERR_NOMEM;
  if (status == CDN_OK) status = push_to_all(link, m);
  else cdni_link_release(m);
  pthread_mutex_unlock(&link->mutex);
  lws_cancel_service(link->context);
  return status == CDN_OK ? CDN_OK : cdni_refuse(status, __func__, out_of_memory);
}

/* ---- frames ---- */

static int unused_buffer(const frames *f) {
  int i = 0;
  while (i == f->newest || f->buffer[i].sending) i++; // at most two of the three are
  return i;
}

void *cdni_link_frame(cdni_link *link, int run, size_t n) {
  static const cdn_allocator none = { 0 };
  if (run < 0 || run >= MOST_RUNS) return NULL;
  frames *f = &link->runs[run];
  pthread_mutex_lock(&link->mutex);
  f->writing = unused_buffer(f);
  frame_buffer *b = &f->buffer[f->writing];
  pthread_mutex_unlock(&link->mutex);
  // nobody else looks at a buffer that is neither the newest nor being sent
  const cdn_allocator a = cdni_allocator_or_default(none);
  if (n > b->capacity) {
    cdni_free(&a, b->bytes, LWS_PRE + b->capacity);
    b->capacity = n + n / 4;
    b->bytes = cdni_alloc(&a, LWS_PRE + b->capacity);
    if (!b->bytes) b->capacity = 0;
  }
  return b->bytes ? b->bytes + LWS_PRE : NULL;
}

void cdni_link_publish(cdni_link *link, int run, size_t n) {
  if (run < 0 || run >= MOST_RUNS) return;
  frames *f = &link->runs[run];
  pthread_mutex_lock(&link->mutex);
  const bool somebody = link->n_pages > 0;
  if (f->writing >= 0 && n <= f->buffer[f->writing].capacity) {
    f->buffer[f->writing].size = n;
    f->newest = f->writing;
    f->serial++;
  }
  f->writing = -1;
  pthread_mutex_unlock(&link->mutex);
  if (somebody) lws_cancel_service(link->context);
}

/* ---- texts ---- */

cdn_status cdni_link_send(cdni_link *link, cdni_link_slot slot, const char *text) {
  message *m = cdni_link_make(text, strlen(text), true);
  if (!m) return cdni_refuse(CDN_ERR_NOMEM, __func__, out_of_memory);
  cdn_status status = CDN_OK;
  pthread_mutex_lock(&link->mutex);
  if (slot == LINK_QUEUE) {
    status = push_to_all(link, m);
    cdni_link_release(m);
  } else {
    cdni_link_release(link->slots[slot]);
    link->slots[slot] = m;
    link->slot_serial[slot]++;
  }
  pthread_mutex_unlock(&link->mutex);
  lws_cancel_service(link->context);
  return status == CDN_OK ? CDN_OK : cdni_refuse(status, __func__, out_of_memory);
}

void cdni_link_reply(cdni_link *link, const json_t *request, const char *error) {
  json_t *id = json_object_get(request, "id");
  const json_int_t from = json_integer_value(json_object_get(request, LINK_PAGE));
  if (!json_is_number(id) && !error) return;
  json_t *reply = json_pack("{s:s, s:O?, s:s?}", "type", "reply", "to", json_is_number(id) ? id : NULL, "error", error);
  char *text = reply ? json_dumps(reply, JSON_COMPACT) : NULL;
  message *m = text ? cdni_link_make(text, strlen(text), true) : NULL;
  free(text);
  json_decref(reply);
  pthread_mutex_lock(&link->mutex);
  page *p = link->pages;
  while (p && p->number != from) p = p->next;
  // without memory for the reply, the page is not told
  if (p && m) (void)cdni_link_push(p, m);
  cdni_link_release(m);
  pthread_mutex_unlock(&link->mutex);
  lws_cancel_service(link->context);
}
