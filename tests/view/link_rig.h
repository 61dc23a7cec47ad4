/* A server of the viewer for tests, with a page of a few bytes. */
#ifndef CARDAN_TESTS_LINK_RIG_H
#define CARDAN_TESTS_LINK_RIG_H

#include "../testing.h"
#include "socket_page.h"
#include "view/link.h"

extern const char rig_page[];
/* Opens a server on any free port. */
cdni_link *rig_open(void);
/* Writes the page to a file, whose path it returns. */
const char *rig_page_path(void);
/* Publishes frame k of a run: n bytes, of which the first four are k, and the last one is its lowest byte. */
void rig_frame(cdni_link *link, int run, uint32_t k, size_t n);
/* How many threads and open files this process has. */
int count_threads(void);
int count_files(void);
/* Waits until there are n pages; the test fails after 10 s. */
void wait_pages(const cdni_link *link, int n);

#endif
