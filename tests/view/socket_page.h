/* A page without a browser: raw sockets that talk to the viewer's server, rightly or wrongly. */
#ifndef CARDAN_TESTS_SOCKET_PAGE_H
#define CARDAN_TESTS_SOCKET_PAGE_H

#include <stdbool.h>
#include <stddef.h>

/* Of RFC 6455. */
enum { OP_MORE = 0, OP_TEXT = 1, OP_BINARY = 2, OP_CLOSE = 8, OP_PING = 9, OP_PONG = 10 };

typedef struct socket_page {
  int fd;
  unsigned char *bytes; /* that came and were not read */
  size_t n, room;
  unsigned char *message; /* the last one, with a zero byte behind it */
  size_t size;
  int pongs; /* how many pings were answered */
} socket_page;

typedef struct handshake {
  const char *path, *host, *origin, *protocol; /* NULL: the right one; "": none */
} handshake;

/* Seconds since some moment. */
double seconds(void);
/* A socket that is connected to the server of this address; aborts the test if it cannot. */
int dial(const char *address);
/* Sends text and returns the answer, until the server closes or is quiet for 0.3 s. The caller frees. */
char *ask(const char *address, const char *text);
/* Host of an address, "127.0.0.1:41234", and its path, "/5d0.../". */
const char *host_of(const char *address);
const char *path_of(const char *address);

/* Connects to `live`. Returns the status of HTTP: 101 if the page is open, 0 if the server just hung up. Close it in
 * either case. */
int page_open(socket_page *page, const char *address, const handshake *with);
void page_close(socket_page *page);
/* Sends a frame, masked. False if the server has closed. */
bool page_send(socket_page *page, int op, bool last, const void *bytes, size_t n);
bool page_say(socket_page *page, const char *text);
/* Reads the next message: OP_TEXT, OP_BINARY or OP_CLOSE (`size` is then its code, 0: the server hung up); -1: none
 * came within `timeout` s. Answers pings. */
int page_read(socket_page *page, double timeout);
/* Reads until a text has this part; the test fails if none comes within `timeout` s. */
void page_expect(socket_page *page, const char *part, double timeout);
/* Reads until the server closes; returns the code. The test fails if it does not within `timeout` s. */
int page_expect_close(socket_page *page, double timeout);

#endif
