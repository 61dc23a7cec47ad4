/* Connections that have not shown the token. Whoever opens many and says nothing takes the room of others like him, and
 * never that of pages. */
#include "view/link_parts.h"

void cdni_link_drop_stranger(cdni_link *link, const struct lws *wsi) {
  int n = 0;
  for (int i = 0; i < link->n_strangers; i++)
    if (link->strangers[i] != wsi) link->strangers[n++] = link->strangers[i];
  link->n_strangers = n;
}

void cdni_link_add_stranger(cdni_link *link, struct lws *wsi) {
  if (link->n_strangers == MOST_STRANGERS) {
    struct lws *oldest = link->strangers[0];
    cdni_link_drop_stranger(link, oldest);
    lws_set_timeout(oldest, PENDING_TIMEOUT_USER_REASON_BASE, LWS_TO_KILL_ASYNC);
  }
  link->strangers[link->n_strangers++] = wsi;
}
