/* A server with a thread of its own: how it begins and ends. */
#define _GNU_SOURCE
#include "view/embed.h"
#include "view/link_parts.h"

#include <errno.h>
#include <ifaddrs.h>
#include <net/if.h>
#include <netdb.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

static const char opener[] = "cdni_link_open";

/* ---- the address ---- */

static cdn_status cannot_listen(const cdni_link *link, int code) {
  if (code == EADDRINUSE)
    return cdni_refuse(CDN_ERR_FILE, opener, "port %d of %s is in use: choose another, or 0 for any free one",
                       link->port, link->host);
  if (code == EACCES)
    return cdni_refuse(CDN_ERR_FILE, opener,
                       "port %d may be opened by root only: choose one above 1023, or 0 for any free one", link->port);
  if (code == EADDRNOTAVAIL)
    return cdni_refuse(CDN_ERR_ARG, opener,
                       "%s is no address of this machine: listen on 127.0.0.1, or on 0.0.0.0 for all of its addresses",
                       link->host);
  return cdni_refuse(CDN_ERR_FILE, opener, "could not listen on port %d of %s: %s", link->port, link->host,
                     strerror(code));
}

/* Finds the address in numbers, and tries it: libwebsockets would not tell what is wrong. */
static cdn_status try_address(const cdni_link *link, char number[NI_MAXHOST]) {
  char port[16];
  struct addrinfo *found, wanted = { .ai_socktype = SOCK_STREAM, .ai_flags = AI_PASSIVE | AI_NUMERICSERV };
  snprintf(port, sizeof port, "%d", link->port);
  if (getaddrinfo(link->host, port, &wanted, &found) != 0)
    return cdni_refuse(CDN_ERR_ARG, opener, "%s is no address: listen on 127.0.0.1, or on 0.0.0.0 for all addresses",
                       link->host);
  const int on = 1, s = socket(found->ai_family, SOCK_STREAM | SOCK_CLOEXEC, 0);
  int code = s < 0 ? errno : 0;
  if (code == 0 && setsockopt(s, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on) != 0) code = errno;
  if (code == 0 && (bind(s, found->ai_addr, found->ai_addrlen) != 0 || listen(s, 1) != 0)) code = errno;
  if (code == 0)
    code = getnameinfo(found->ai_addr, found->ai_addrlen, number, NI_MAXHOST, NULL, 0, NI_NUMERICHOST) != 0;
  if (s >= 0) close(s);
  freeaddrinfo(found);
  return code == 0 ? CDN_OK : cannot_listen(link, code);
}

/* An address by which other machines reach this one; as it was, if there is none. */
static void find_own(int family, char number[NI_MAXHOST]) {
  struct ifaddrs *all;
  if (getifaddrs(&all) != 0) return;
  for (const struct ifaddrs *a = all; a && !number[0]; a = a->ifa_next) {
    const bool fits =
        a->ifa_addr && a->ifa_addr->sa_family == family && (a->ifa_flags & IFF_UP) && !(a->ifa_flags & IFF_LOOPBACK);
    const socklen_t size = family == AF_INET ? sizeof(struct sockaddr_in) : sizeof(struct sockaddr_in6);
    /* an address of the link alone would need the name of the link, too */
    if (!fits || getnameinfo(a->ifa_addr, size, number, NI_MAXHOST, NULL, 0, NI_NUMERICHOST) != 0 ||
        strchr(number, '%'))
      number[0] = 0;
  }
  freeifaddrs(all);
}

/* ---- libwebsockets ---- */

static cdn_status listen_to(cdni_link *link, char *number) {
  static const lws_retry_bo_t idle = { .secs_since_valid_ping = 20, .secs_since_valid_hangup = 40 };
  static const struct lws_protocol_vhost_options headers[] = {
    { &headers[1], NULL, "x-content-type-options:", "nosniff" },
    { &headers[2], NULL, "referrer-policy:", "no-referrer" },
    { &headers[3], NULL, "x-frame-options:", "DENY" },
    { NULL, NULL, "cross-origin-resource-policy:", "same-origin" },
  };
  const bool everywhere = strcmp(number, "0.0.0.0") == 0 || strcmp(number, "::") == 0,
             six = strchr(number, ':') != NULL;
  link->protocols[0] = (struct lws_protocols){ "cardan-view-1", cdni_link_callback, 64, 4096, 0, NULL, 0 };
  struct lws_context_creation_info info = { .port = link->port,
                                            .iface = everywhere ? NULL : number,
                                            .protocols = link->protocols,
                                            .headers = headers,
                                            .vhost_name = "cardan",
                                            .gid = (gid_t)-1,
                                            .uid = (uid_t)-1,
                                            .user = link,
                                            .timeout_secs = 10,
                                            .keepalive_timeout = 5,
                                            .fd_limit_per_thread = 4 * MOST_PAGES + 2 * MOST_STRANGERS,
                                            .max_http_header_data = 4096,
                                            .max_http_header_pool = 2 * MOST_PAGES + 2 * MOST_STRANGERS,
                                            .retry_and_idle_policy = &idle };
  info.options = LWS_SERVER_OPTION_EXPLICIT_VHOSTS | LWS_SERVER_OPTION_FAIL_UPON_UNABLE_TO_BIND |
                 (six ? 0 : LWS_SERVER_OPTION_DISABLE_IPV6);
  lws_set_log_level(0, NULL);
  // the context sets how the program takes SIGPIPE, which is not the library's to say; sockets are written without it
  struct sigaction before;
  sigaction(SIGPIPE, NULL, &before);
  link->context = lws_create_context(&info);
  sigaction(SIGPIPE, &before, NULL);
  if (!link->context) return cdni_refuse(CDN_ERR_NOMEM, opener, "libwebsockets could not begin");
  struct lws_vhost *vhost = lws_create_vhost(link->context, &info);
  const int port = vhost ? lws_get_vhost_listen_port(vhost) : 0;
  if (port <= 0) return cannot_listen(link, EADDRINUSE);
  link->port = port;
  char own[NI_MAXHOST] = "";
  if (everywhere) find_own(six ? AF_INET6 : AF_INET, own);
  const char *shown = own[0] ? own : everywhere ? (six ? "::1" : "127.0.0.1") : number;
  snprintf(link->address, sizeof link->address, "http://%s%s%s:%d/%s/", six ? "[" : "", shown, six ? "]" : "", port,
           link->token);
  return CDN_OK;
}

static cdn_status start_thread(cdni_link *link) {
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before); // signals are the program's
  const int code = pthread_create(&link->thread, NULL, cdni_link_serve, link);
  pthread_sigmask(SIG_SETMASK, &before, NULL);
  return code == 0 ? CDN_OK
                   : cdni_refuse(CDN_ERR_NOMEM, opener, "the server's thread could not start: %s", strerror(code));
}

/* ---- life ---- */

static void free_parts(cdni_link *link) {
  static const cdn_allocator none = { 0 };
  const cdn_allocator a = cdni_allocator_or_default(none);
  if (link->context) lws_context_destroy(link->context);
  for (size_t i = 0; i < link->n_opening; i++) cdni_link_release(link->opening[i]);
  for (int i = 0; i < LINK_SLOTS; i++) cdni_link_release(link->slots[i]);
  for (int i = 0; i < MOST_RUNS; i++)
    for (int k = 0; k < 3; k++)
      if (link->runs[i].buffer[k].bytes)
        cdni_free(&a, link->runs[i].buffer[k].bytes, LWS_PRE + link->runs[i].buffer[k].capacity);
  for (int i = 0; i < link->n_requests; i++) json_decref(link->requests[(link->first_request + i) % MOST_REQUESTS]);
  cdni_link_release(link->bye);
  free(link->opening);
  free(link->scratch);
  free(link->html);
  free(link->host);
  pthread_cond_destroy(&link->requested);
  pthread_mutex_destroy(&link->mutex);
  free(link);
}

static void begin_locks(cdni_link *link) {
  pthread_condattr_t monotonic;
  pthread_condattr_init(&monotonic);
  pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
  pthread_mutex_init(&link->mutex, NULL);
  pthread_cond_init(&link->requested, &monotonic);
  pthread_condattr_destroy(&monotonic);
}

static cdn_status begin(cdni_link *link, const cdni_link_def *def) {
  char number[NI_MAXHOST];
  link->host = strdup(def->host ? def->host : "127.0.0.1");
  link->scratch = malloc(LWS_PRE + PIECE);
  link->port = def->port;
  if (!link->host || !link->scratch) return cdni_refuse(CDN_ERR_NOMEM, opener, "out of memory");
  if (def->port < 0 || def->port > 65535)
    return cdni_refuse(CDN_ERR_ARG, opener, "port %d is none: ports are 1 to 65535, and 0 is any free one", def->port);
  CDNI_TRY(cdni_page_read(def->page, opener, &link->html, &link->html_size));
  CDNI_TRY(cdni_page_hashes(link->html, opener, link->hashes, sizeof link->hashes));
  CDNI_TRY(cdni_link_make_token(def->token, link->token));
  CDNI_TRY(try_address(link, number));
  CDNI_TRY(listen_to(link, number));
  return start_thread(link);
}

cdn_status cdni_link_open(const cdni_link_def *def, cdni_link **out) {
  *out = NULL;
  cdni_link *link = calloc(1, sizeof *link);
  if (!link) return cdni_refuse(CDN_ERR_NOMEM, opener, "out of memory");
  begin_locks(link);
  for (int i = 0; i < MOST_RUNS; i++) link->runs[i].newest = link->runs[i].writing = -1;
  const cdn_status status = begin(link, def);
  if (status == CDN_OK) *out = link;
  else free_parts(link);
  return status;
}

static message *make_bye(const char *text) {
  json_t *bye = json_pack("{s:s, s:s}", "type", "bye", "text", text ? text : "");
  char *bytes = bye ? json_dumps(bye, JSON_COMPACT) : NULL;
  message *m = bytes ? cdni_link_make(bytes, strlen(bytes), true) : NULL;
  free(bytes);
  json_decref(bye);
  return m;
}

void cdni_link_close(cdni_link *link, const char *bye) {
  if (!link) return;
  message *m = make_bye(bye);
  if (m && m->size > PIECE) cdni_link_release(m), m = NULL;
  pthread_mutex_lock(&link->mutex);
  link->bye = m;
  link->ending = true;
  pthread_mutex_unlock(&link->mutex);
  lws_cancel_service(link->context);
  pthread_join(link->thread, NULL);
  free_parts(link);
}

const char *cdni_link_address(const cdni_link *link) { return link->address; }

bool cdni_link_has_page(const cdni_link *link, int64_t number) {
  cdni_link *l = (cdni_link *)(uintptr_t)link;
  pthread_mutex_lock(&l->mutex);
  const page *p = l->pages;
  while (p && p->number != number) p = p->next;
  pthread_mutex_unlock(&l->mutex);
  return p != NULL;
}

int cdni_link_pages(const cdni_link *link) {
  cdni_link *l = (cdni_link *)(uintptr_t)link;
  pthread_mutex_lock(&l->mutex);
  const int n = l->n_pages;
  pthread_mutex_unlock(&l->mutex);
  return n;
}
