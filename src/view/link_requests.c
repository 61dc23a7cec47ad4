/* What pages ask for: their texts are put together, counted, read, and kept until the program takes them. */
#define _POSIX_C_SOURCE 200809L
#include "view/link_parts.h"

#include <stdlib.h>
#include <time.h>

static bool refuse(page *p, enum lws_close_status code, const char *reason) {
  lws_close_reason(p->wsi, code, (unsigned char *)(uintptr_t)reason, strlen(reason));
  return false;
}

static double now(clockid_t clock) {
  struct timespec t;
  clock_gettime(clock, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static bool too_many(page *p) {
  const int64_t second = (int64_t)now(CLOCK_MONOTONIC);
  if (second != p->second) p->requests = 0;
  p->second = second;
  return ++p->requests > MOST_REQUESTS;
}

/* ---- who steers ---- */

void cdni_link_tell_steer(cdni_link *link) {
  for (page *p = link->pages; p; p = p->next) p->tell_steer = true;
}

static void let_steer(cdni_link *link, const page *p) {
  pthread_mutex_lock(&link->mutex);
  link->steering = p->number;
  cdni_link_tell_steer(link);
  pthread_mutex_unlock(&link->mutex);
  lws_callback_on_writable_all_protocol(link->context, link->protocols);
}

/* ---- requests ---- */

/* What changes nothing but what the page itself sees, and whether it sees anything. */
static bool is_own(const json_t *request) {
  static const char *const own[] = { "select", "plots", "drawn" };
  const char *type = json_string_value(json_object_get(request, "type"));
  for (int i = 0; i < CDNI_COUNT(own); i++)
    if (strcmp(type, own[i]) == 0) return true;
  return false;
}

/* Why the program does not get it, or NULL: it is the program's now. */
static const char *keep(cdni_link *link, const page *p, json_t *request, size_t size) {
  const char *reason = NULL;
  pthread_mutex_lock(&link->mutex);
  if (link->steering != p->number && !is_own(request)) reason = "another page steers; ask for the wheel first";
  else if (link->n_requests == MOST_REQUESTS || link->waiting + size > MOST_WAITING)
    reason = "earlier requests wait for the run: ask again later";
  else {
    const int at = (link->first_request + link->n_requests++) % MOST_REQUESTS;
    link->requests[at] = request;
    link->request_sizes[at] = size;
    link->waiting += size;
    pthread_cond_signal(&link->requested);
  }
  pthread_mutex_unlock(&link->mutex);
  return reason;
}

static bool take(cdni_link *link, page *p) {
  json_error_t error;
  json_t *request = json_loadb(p->request, p->request_size, 0, &error);
  const bool overflows = !request && json_error_code(&error) == json_error_numeric_overflow;
  if (overflows) request = json_object(); /* JSON has such numbers, and we have not: nobody knows whose they are */
  if (!json_is_object(request) || json_object_set_new(request, LINK_PAGE, json_integer(p->number)) != 0) {
    json_decref(request);
    return refuse(p, LWS_CLOSE_STATUS_INVALID_PAYLOAD, "a request is a JSON object");
  }
  const char *type = json_string_value(json_object_get(request, "type"));
  const bool steer = type && strcmp(type, "steer") == 0;
  if (steer) let_steer(link, p);
  const char *reason = overflows ? "the request has a number beyond 1.8e308"
                       : !type   ? "a request has a type, a text"
                       : steer   ? NULL
                                 : keep(link, p, request, p->request_size);
  if (type && !steer && !reason) return true;
  cdni_link_reply(link, request, reason);
  json_decref(request);
  return true;
}

bool cdni_link_receive(cdni_link *link, page *p, const char *bytes, size_t n) {
  const bool frame_ends = lws_remaining_packet_payload(p->wsi) == 0;
  if (lws_frame_is_binary(p->wsi)) return refuse(p, LWS_CLOSE_STATUS_UNACCEPTABLE_OPCODE, "requests are texts");
  if (p->request_size + n > MOST_REQUEST)
    return refuse(p, LWS_CLOSE_STATUS_MESSAGE_TOO_LARGE, "a request has at most 65536 bytes");
  if (frame_ends && too_many(p))
    return refuse(p, LWS_CLOSE_STATUS_POLICY_VIOLATION, "more than 1000 requests a second");
  if (!p->request) p->request = malloc(MOST_REQUEST);
  if (!p->request) return refuse(p, LWS_CLOSE_STATUS_UNEXPECTED_CONDITION, "out of memory");
  if (n > 0) memcpy(p->request + p->request_size, bytes, n);
  p->request_size += n;
  if (!frame_ends || !lws_is_final_fragment(p->wsi)) return true;
  const bool good = take(link, p);
  p->request_size = 0;
  return good;
}

json_t *cdni_link_next(cdni_link *link, double timeout) {
  json_t *request = NULL;
  pthread_mutex_lock(&link->mutex);
  if (link->n_requests == 0 && timeout > 0) {
    const double end = now(CLOCK_MONOTONIC) + (timeout < 1e6 ? timeout : 1e6);
    const struct timespec t = { .tv_sec = (time_t)end, .tv_nsec = (long)(1e9 * (end - (double)(time_t)end)) };
    while (link->n_requests == 0 && pthread_cond_timedwait(&link->requested, &link->mutex, &t) == 0) {}
  }
  if (link->n_requests > 0) {
    request = link->requests[link->first_request];
    link->waiting -= link->request_sizes[link->first_request];
    link->first_request = (link->first_request + 1) % MOST_REQUESTS;
    link->n_requests--;
  }
  pthread_mutex_unlock(&link->mutex);
  return request;
}
