/* Private to the room: a format whose library was missing when this one was built. */
#ifndef CARDAN_TABLES_ABSENT_H
#define CARDAN_TABLES_ABSENT_H

#include "tables/internal.h"

#define TABLES_ABSENT(name, what)                                                                       \
  static const char *refuses(const table_head *head, cdn_status *code) {                                \
    (void)head;                                                                                         \
    *code = CDN_ERR_UNSUPPORTED;                                                                        \
    return what;                                                                                        \
  }                                                                                                     \
  static cdn_status open(table_source *s) { return tables_refuse(s, CDN_ERR_UNSUPPORTED, "%s", what); } \
  const table_format name = { .refuses = refuses, .open = open }

#endif
