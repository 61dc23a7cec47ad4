/* shared by tests in this folder */
#include "counting_allocator.h"

/* Kept in front of every block, in a unit that keeps the alignment. */
typedef struct label {
  uint64_t mark;
  size_t size, align;
} label;
static const uint64_t MARK = 0x63617264616e2121u;

static size_t front(size_t align) {
  size_t unit = align < sizeof(label) ? sizeof(label) : align;
  return (unit + 15) / 16 * 16;
}

static void *count_alloc(void *context, size_t size, size_t align) {
  counting_allocator *c = context;
  c->calls++;
  if ((int64_t)size > c->largest) c->largest = (int64_t)size;
  if (size == 0 || align == 0 || (align & (align - 1)) != 0) c->misuse++;
  if (c->fail_at > 0 && (c->calls == c->fail_at || (c->fail_after && c->calls > c->fail_at))) return NULL;
  size_t before = front(align), unit = align < 16 ? 16 : align;
  char *block = aligned_alloc(unit, (before + size + unit - 1) / unit * unit);
  ck_assert_ptr_nonnull(block);
  memset(block, 0xa5, before + size); /* nobody may count on zeros */
  label l = { MARK, size, align };
  memcpy(block + before - sizeof l, &l, sizeof l);
  c->outstanding++;
  c->bytes += (int64_t)size;
  return block + before;
}

static void count_free(void *context, void *memory, size_t size) {
  counting_allocator *c = context;
  label l;
  if (!memory) {
    c->misuse++;
    return;
  }
  memcpy(&l, (char *)memory - sizeof l, sizeof l);
  if (l.mark != MARK || l.size != size) c->misuse++;
  if (l.mark != MARK) return;
  memset(memory, 0x5a, size < l.size ? size : l.size);
  memset((char *)memory - sizeof l, 0, sizeof l);
  c->outstanding--;
  c->bytes -= (int64_t)l.size;
  free((char *)memory - front(l.align));
}

cdn_allocator allocator_of(counting_allocator *c) {
  cdn_allocator a = { .alloc = count_alloc, .free = count_free, .context = c };
  return a;
}
