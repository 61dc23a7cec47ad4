/* The page itself, and who may have it. There are two addresses: the page, and `live` beside it. */
#define _POSIX_C_SOURCE 200809L
#define _DEFAULT_SOURCE
#include "view/link_parts.h"

#include <arpa/inet.h>
#include <stdio.h>
#include <strings.h>
#include <unistd.h>

/* ---- who asks ---- */

enum { LONGEST = 256 };

/* Copies a header; false if it is missing or too long. */
static bool get_header(struct lws *wsi, enum lws_token_indexes token, char text[LONGEST]) {
  return lws_hdr_total_length(wsi, token) > 0 && lws_hdr_copy(wsi, text, LONGEST, token) > 0;
}

static bool is_literal(const char *name) {
  unsigned char address[sizeof(struct in6_addr)];
  return inet_pton(AF_INET, name, address) == 1 || inet_pton(AF_INET6, name, address) == 1;
}

/* The name in "name:port" or "[name]:port". */
static bool split_host(const char *host, char name[LONGEST]) {
  const bool bracket = host[0] == '[';
  const size_t n = strcspn(host + bracket, bracket ? "]" : ":");
  const char *rest = host + bracket + n + (bracket && host[bracket + n]);
  if (n == 0 || (*rest && (*rest != ':' || rest[1 + strspn(rest + 1, "0123456789")]))) return false;
  memcpy(name, host + bracket, n);
  name[n] = 0;
  return true;
}

/* A page of elsewhere whose name was made to lead here has its own name in Host. Names of this machine, and addresses
 * in numbers, are no such names. The port may be that of a tunnel. */
static bool good_host(const cdni_link *link, const char *host) {
  char name[LONGEST], own[LONGEST] = "";
  if (!split_host(host, name)) return false;
  if (strcasecmp(name, link->host) == 0 || strcasecmp(name, "localhost") == 0 || strcmp(name, "127.0.0.1") == 0 ||
      strcmp(name, "::1") == 0)
    return true;
  if (strcmp(link->host, "127.0.0.1") == 0) return false;
  if (gethostname(own, sizeof own - 1) != 0) own[0] = 0;
  return is_literal(name) || (own[0] && strcasecmp(name, own) == 0);
}

/* The same time for every token. */
static bool has_token(const cdni_link *link, const char *path) {
  unsigned char wrong = 0;
  if (path[0] != '/' || strnlen(path + 1, TOKEN + 1) <= TOKEN || path[1 + TOKEN] != '/') return false;
  for (int i = 0; i < TOKEN; i++) wrong |= (unsigned char)(path[1 + i] ^ link->token[i]);
  return wrong == 0;
}

/* ---- answers ---- */

static int refuse(struct lws *wsi, unsigned int code, const char *reason) {
  if (lws_return_http_status(wsi, code, reason) != 0) return -1;
  return lws_http_transaction_completed(wsi) ? -1 : 0;
}

int cdni_link_admit(cdni_link *link, struct lws *wsi) {
  char host[LONGEST], origin[LONGEST], path[LONGEST], protocol[LONGEST];
  const bool from_page = lws_hdr_total_length(wsi, WSI_TOKEN_ORIGIN) > 0;
  unsigned int code = 0;
  if (!get_header(wsi, WSI_TOKEN_HOST, host) || !good_host(link, host)) code = HTTP_STATUS_FORBIDDEN;
  else if (!get_header(wsi, WSI_TOKEN_GET_URI, path) || !has_token(link, path) || strcmp(path + TOKEN + 2, "live") != 0)
    code = HTTP_STATUS_NOT_FOUND;
  else if (from_page && (!get_header(wsi, WSI_TOKEN_ORIGIN, origin) || strncmp(origin, "http://", 7) != 0 ||
                         strcasecmp(origin + 7, host) != 0))
    code = HTTP_STATUS_FORBIDDEN;
  else if (!get_header(wsi, WSI_TOKEN_PROTOCOL, protocol) || !strstr(protocol, link->protocols[0].name))
    code = HTTP_STATUS_BAD_REQUEST;
  else {
    pthread_mutex_lock(&link->mutex);
    if (link->n_pages >= MOST_PAGES || link->ending) code = HTTP_STATUS_SERVICE_UNAVAILABLE;
    pthread_mutex_unlock(&link->mutex);
  }
  if (code == 0) return 0;
  return lws_return_http_status(wsi, code, NULL) == 0 ? 1 : -1;
}

static bool add(struct lws *wsi, const char *name, const char *value, unsigned char **at, unsigned char *end) {
  return lws_add_http_header_by_name(wsi, (const unsigned char *)name, (const unsigned char *)value, (int)strlen(value),
                                     at, end) == 0;
}

static bool send_head(cdni_link *link, struct lws *wsi, const char *host) {
  unsigned char head[LWS_PRE + 2048], *from = head + LWS_PRE, *at = from, *end = head + sizeof head - 1;
  char policy[1024];
  snprintf(policy, sizeof policy,
           "default-src 'none';%s img-src data: blob:; "
           "font-src data:; worker-src blob:; media-src blob:; connect-src 'self' ws://%s; base-uri 'none'; "
           "form-action 'none'; frame-ancestors 'none'",
           link->hashes, host);
  return lws_add_http_common_headers(wsi, HTTP_STATUS_OK, "text/html; charset=utf-8", link->html_size, &at, end) == 0 &&
         add(wsi, "content-security-policy:", policy, &at, end) && add(wsi, "cache-control:", "no-store", &at, end) &&
         lws_finalize_write_http_header(wsi, from, &at, end) == 0;
}

int cdni_link_answer(cdni_link *link, struct lws *wsi, const char *path, size_t *at) {
  char host[LONGEST];
  if (!get_header(wsi, WSI_TOKEN_HOST, host) || !good_host(link, host))
    return refuse(wsi, HTTP_STATUS_FORBIDDEN, "the host is not this server's");
  if (lws_hdr_total_length(wsi, WSI_TOKEN_GET_URI) <= 0)
    return refuse(wsi, HTTP_STATUS_METHOD_NOT_ALLOWED, "there is only GET");
  if (!has_token(link, path) || path[TOKEN + 2]) return refuse(wsi, HTTP_STATUS_NOT_FOUND, "not found");
  cdni_link_drop_stranger(link, wsi);
  if (!send_head(link, wsi, host)) return -1;
  *at = 0;
  lws_callback_on_writable(wsi);
  return 0;
}

int cdni_link_answer_more(cdni_link *link, struct lws *wsi, size_t *at) {
  const size_t left = link->html_size - *at, n = left < PIECE ? left : PIECE;
  memcpy(link->scratch + LWS_PRE, link->html + *at, n);
  const bool last = n == left;
  if (lws_write(wsi, link->scratch + LWS_PRE, n, last ? LWS_WRITE_HTTP_FINAL : LWS_WRITE_HTTP) < (int)n) return -1;
  *at += n;
  if (last) return lws_http_transaction_completed(wsi) ? -1 : 0;
  lws_callback_on_writable(wsi);
  return 0;
}
