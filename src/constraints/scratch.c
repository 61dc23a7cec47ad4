/* Lists for a while, in the workspace of a State, so that choosing a plan allocates only while the workspace grows. */
#include "constraints/plan_maker.h"

enum { LEAST_PIECE = 16384 };

struct scratch_piece {
  scratch_piece *below;
  size_t used, size;
};

static void *scratch_alloc(void *context, size_t size, size_t align) {
  scratch *s = context;
  const size_t header = cdni_aligned(sizeof(scratch_piece));
  (void)align; /* CDNI_ALIGN, as the workspace is */
  if (size > SIZE_MAX / 4) return NULL;
  size = cdni_aligned(size);
  if (!s->last || s->last->size - s->last->used < size) {
    const size_t usual = s->last ? 2 * s->last->size : LEAST_PIECE, all = size + header > usual ? size + header : usual;
    scratch_piece *piece = cdn_work_push(s->state, all);
    if (!piece) return NULL;
    *piece = (scratch_piece){ s->last, header, all };
    s->last = piece;
  }
  void *out = (char *)s->last + s->last->used;
  s->last->used += size;
  return out;
}

static void scratch_free(void *context, void *memory, size_t size) {
  (void)context;
  (void)memory;
  (void)size;
}

void cdni_scratch_begin(scratch *s, cdn_state *state) {
  *s = (scratch){ .allocator = { scratch_alloc, scratch_free, s }, .state = state };
}

void cdni_scratch_end(scratch *s) {
  while (s->last) {
    scratch_piece *below = s->last->below;
    cdn_work_pop(s->state, s->last);
    s->last = below;
  }
}
