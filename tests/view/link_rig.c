#define _POSIX_C_SOURCE 200809L
#include "link_rig.h"

#include <dirent.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

const char rig_page[] =
    "<!doctype html><meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; script-src "
    "'sha256-Scr1pt+/='; style-src 'sha256-Sty1e='; img-src data:\"><title>a page</title><!--cardan-data-->";

static char path[64];
static void remove_page(void) { unlink(path); }

const char *rig_page_path(void) {
  if (path[0]) return path;
  strcpy(path, "/tmp/cardan-link-XXXXXX");
  const int fd = mkstemp(path);
  ck_assert(fd >= 0 && write(fd, rig_page, strlen(rig_page)) == (ssize_t)strlen(rig_page));
  close(fd);
  atexit(remove_page);
  return path;
}

cdni_link *rig_open(void) {
  cdni_link *link;
  const cdni_link_def def = { .page = rig_page_path() };
  const cdn_status status = cdni_link_open(&def, &link);
  ck_assert_msg(status == CDN_OK, "%s", cdn_last_error_text());
  return link;
}

void rig_frame(cdni_link *link, int run, uint32_t k, size_t n) {
  unsigned char *frame = cdni_link_frame(link, run, n);
  ck_assert_ptr_nonnull(frame);
  ck_assert_uint_eq((uintptr_t)frame % 8, 0);
  memcpy(frame, &k, sizeof k);
  frame[n - 1] = (unsigned char)k;
  cdni_link_publish(link, run, n);
}

static int count_in(const char *folder) {
  DIR *directory = opendir(folder);
  if (!directory) return 0;
  int n = 0;
  while (readdir(directory)) n++;
  closedir(directory);
  return n;
}

int count_threads(void) { return count_in("/proc/self/task"); }
int count_files(void) { return count_in("/proc/self/fd"); }

void wait_pages(const cdni_link *link, int n) {
  for (int i = 0; i < 1000 && cdni_link_pages(link) != n; i++)
    nanosleep(&(struct timespec){ .tv_nsec = 10000000 }, NULL);
  ck_assert_int_eq(cdni_link_pages(link), n);
}
