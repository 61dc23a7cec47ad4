#define _POSIX_C_SOURCE 200809L
#include "socket_page.h"

#include <arpa/inet.h>
#include <errno.h>
#include <poll.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include <check.h>

double seconds(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* ---- addresses ---- */

const char *path_of(const char *address) { return strchr(address + strlen("http://"), '/'); }

const char *host_of(const char *address) {
  static char host[256];
  const char *from = address + strlen("http://");
  snprintf(host, sizeof host, "%.*s", (int)(path_of(address) - from), from);
  return host;
}

int dial(const char *address) {
  const char *host = host_of(address);
  struct sockaddr_in to = { .sin_family = AF_INET, .sin_port = htons((uint16_t)atoi(strrchr(host, ':') + 1)) };
  to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  const int fd = socket(AF_INET, SOCK_STREAM, 0);
  ck_assert(fd >= 0);
  ck_assert_msg(connect(fd, (struct sockaddr *)&to, sizeof to) == 0, "connect: %s", strerror(errno));
  return fd;
}

static bool can_read(int fd, double timeout) {
  struct pollfd p = { .fd = fd, .events = POLLIN };
  return poll(&p, 1, (int)(1000 * (timeout > 0 ? timeout : 0))) == 1;
}

char *ask(const char *address, const char *text) {
  enum { MOST = 1 << 20 };
  char *answer = calloc(1, MOST + 1);
  const int fd = dial(address);
  (void)!send(fd, text, strlen(text), MSG_NOSIGNAL);
  for (size_t n = 0; n < MOST && can_read(fd, 0.3);) {
    const ssize_t some = recv(fd, answer + n, MOST - n, 0);
    if (some <= 0) break;
    n += (size_t)some;
  }
  close(fd);
  return answer;
}

/* ---- the page ---- */

/* Adds what comes; false if the server hung up, or nothing came in time. */
static bool receive(socket_page *p, double timeout, bool *ended) {
  *ended = false;
  if (!can_read(p->fd, timeout)) return false;
  if (p->room - p->n < 65536) p->bytes = realloc(p->bytes, p->room = 2 * p->room + 65536);
  const ssize_t n = recv(p->fd, p->bytes + p->n, p->room - p->n, 0);
  *ended = n <= 0;
  if (n > 0) p->n += (size_t)n;
  return n > 0;
}

static void drop(socket_page *p, size_t n) {
  memmove(p->bytes, p->bytes + n, p->n - n);
  p->n -= n;
}

int page_open(socket_page *p, const char *address, const handshake *with) {
  const handshake h = with ? *with : (handshake){ 0 };
  char request[2048], path[512], *at = request, *end = request + sizeof request;
  *p = (socket_page){ .fd = dial(address) };
  snprintf(path, sizeof path, "%slive", path_of(address));
  at += snprintf(at, (size_t)(end - at),
                 "GET %s HTTP/1.1\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\n"
                 "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n",
                 h.path ? h.path : path);
  if (!h.host || *h.host) at += snprintf(at, (size_t)(end - at), "Host: %s\r\n", h.host ? h.host : host_of(address));
  if (!h.origin)
    at += snprintf(at, (size_t)(end - at), "Origin: http://%s\r\n", h.host && *h.host ? h.host : host_of(address));
  else if (*h.origin) at += snprintf(at, (size_t)(end - at), "Origin: %s\r\n", h.origin);
  if (!h.protocol || *h.protocol)
    at += snprintf(at, (size_t)(end - at), "Sec-WebSocket-Protocol: %s\r\n", h.protocol ? h.protocol : "cardan-view-1");
  snprintf(at, (size_t)(end - at), "\r\n");
  (void)!send(p->fd, request, strlen(request), MSG_NOSIGNAL);
  bool ended = false;
  for (double stop = seconds() + 10; seconds() < stop && !ended;) {
    receive(p, 0.1, &ended);
    for (size_t i = 0; i + 4 <= p->n; i++) {
      if (memcmp(p->bytes + i, "\r\n\r\n", 4) != 0) continue;
      int status = 0;
      p->bytes[i] = 0;
      sscanf((char *)p->bytes, "HTTP/%*s %d", &status);
      // the accept key of RFC 6455, 1.3
      if (status == 101) ck_assert_ptr_nonnull(strstr((char *)p->bytes, "s3pPLMBiTxaQ9kYGzzhZRbK+xOo="));
      drop(p, i + 4);
      return status;
    }
  }
  return 0;
}

void page_close(socket_page *p) {
  if (p->fd >= 0) close(p->fd);
  free(p->bytes);
  free(p->message);
  *p = (socket_page){ .fd = -1 };
}

bool page_send(socket_page *p, int op, bool last, const void *bytes, size_t n) {
  static const unsigned char mask[4] = { 0x37, 0xfa, 0x21, 0x3d };
  unsigned char *frame = malloc(n + 14);
  size_t at = 0;
  frame[at++] = (unsigned char)((last ? 0x80 : 0) | op);
  const int digits = n < 126 ? 0 : n < 65536 ? 2 : 8;
  frame[at++] = (unsigned char)(0x80 | (digits == 0 ? n : digits == 2 ? 126 : 127));
  for (int i = digits - 1; i >= 0; i--) frame[at++] = (unsigned char)((uint64_t)n >> 8 * i);
  memcpy(frame + at, mask, 4), at += 4;
  for (size_t i = 0; i < n; i++) frame[at + i] = ((const unsigned char *)bytes)[i] ^ mask[i % 4];
  const ssize_t sent = send(p->fd, frame, at + n, MSG_NOSIGNAL);
  free(frame);
  return sent == (ssize_t)(at + n);
}

bool page_say(socket_page *p, const char *text) { return page_send(p, OP_TEXT, true, text, strlen(text)); }

/* The next frame's head; 0: it has not come whole. */
static size_t frame_length(const socket_page *p, size_t *head) {
  if (p->n < 2) return 0;
  const size_t short_length = p->bytes[1] & 127;
  const int digits = short_length < 126 ? 0 : short_length == 126 ? 2 : 8;
  *head = 2 + (size_t)digits;
  if (p->n < *head) return 0;
  size_t length = digits ? 0 : short_length;
  for (int i = 0; i < digits; i++) length = length << 8 | p->bytes[2 + i];
  return p->n >= *head + length ? *head + length : 0;
}

int page_read(socket_page *p, double timeout) {
  const double stop = seconds() + timeout;
  int kind = 0;
  p->size = 0;
  for (bool ended = false;;) {
    size_t head = 0;
    const size_t whole = frame_length(p, &head);
    if (whole == 0) {
      if (ended) return p->size = 0, OP_CLOSE;
      if (!receive(p, stop - seconds(), &ended) && !ended) return -1;
      continue;
    }
    const int op = p->bytes[0] & 15;
    const bool last = p->bytes[0] & 0x80;
    const size_t n = whole - head;
    if (op == OP_PING) page_send(p, OP_PONG, true, p->bytes + head, n), p->pongs++;
    if (op == OP_CLOSE) p->size = n < 2 ? 1005 : (size_t)(p->bytes[head] << 8 | p->bytes[head + 1]);
    if (op == OP_TEXT || op == OP_BINARY) kind = op;
    if (op == OP_TEXT || op == OP_BINARY || op == OP_MORE) {
      p->message = realloc(p->message, p->size + n + 1);
      memcpy(p->message + p->size, p->bytes + head, n);
      p->size += n;
      p->message[p->size] = 0;
    }
    drop(p, whole);
    if (op == OP_CLOSE) return OP_CLOSE;
    if (last && op < OP_CLOSE) return kind;
  }
}

void page_expect(socket_page *p, const char *part, double timeout) {
  for (double stop = seconds() + timeout; seconds() < stop;) {
    const int op = page_read(p, stop - seconds());
    ck_assert_msg(op != OP_CLOSE, "the server closed (%zu) in place of '%s'", p->size, part);
    if (op == OP_TEXT && strstr((char *)p->message, part)) return;
  }
  ck_abort_msg("no text with '%s' came", part);
}

int page_expect_close(socket_page *p, double timeout) {
  for (double stop = seconds() + timeout; seconds() < stop;)
    if (page_read(p, stop - seconds()) == OP_CLOSE) return (int)p->size;
  ck_abort_msg("the server did not close");
  return 0;
}
