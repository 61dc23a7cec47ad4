/* shared by tests in this folder */
/* An allocator that counts, checks what is given back, and can fail on demand. */
#ifndef CARDAN_TESTS_COUNTING_ALLOCATOR_H
#define CARDAN_TESTS_COUNTING_ALLOCATOR_H

#include "../testing.h"

typedef struct counting_allocator {
  int64_t calls;       /* of alloc, failed ones included */
  int64_t outstanding; /* blocks not given back */
  int64_t bytes;       /* of these */
  int64_t largest;     /* bytes of the largest request so far */
  int64_t misuse;      /* freed with a wrong size, not ours, or badly aligned requests */
  int64_t fail_at;     /* the call (from 1) that fails; 0: none */
  bool fail_after;     /* and every call after that one */
} counting_allocator;

/* The allocator to put into a def; `c` must outlive what it allocates. */
cdn_allocator allocator_of(counting_allocator *c);

/* A call for which the k-th allocation failed says so by its status, and the thread's last failure in words. */
static inline void must_say_no_memory(cdn_status status, int64_t k) {
  cdn_error message;
  cdn_last_error(&message);
  ck_assert_msg(status == CDN_ERR_NOMEM, "%s after failure at call %ld", cdn_status_name(status), (long)k);
  ck_assert_msg(message.code == CDN_ERR_NOMEM && message.text[0], "after failure at call %ld: %s", (long)k,
                cdn_last_error_text());
  cdn_last_error_clear();
}

#endif
