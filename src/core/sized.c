/* Structs of callers, by the size that the caller knows. */
#include "core/sized.h"

/* More bytes than any struct of the interface will have, so that a size which was never set is not followed far. */
enum { MOST = 1 << 16 };

const char *cdni_sized_copy(void *to, const void *from, size_t size, cdni_sized known) {
  /* The first member alone is no struct: whatever an older program has, it has more than that. */
  if (size < 2 * known.align || size % known.align != 0 || size > MOST) return known.unset;
  const char *bytes = from;
  for (size_t i = known.size; i < size; i++)
    if (bytes[i]) return known.newer;
  memcpy(to, from, size < known.size ? size : known.size);
  return NULL;
}

const char *cdni_sized_read(void *to, const void *from, cdni_sized known) {
  uint32_t size;
  if (!from) return known.unset;
  memcpy(&size, from, sizeof size);
  const char *wrong = cdni_sized_copy(to, from, size, known);
  size = (uint32_t)known.size;
  memcpy(to, &size, sizeof size);
  return wrong;
}

void cdni_sized_write(void *out, size_t size, const void *full, size_t known) {
  if (!out) return;
  memcpy(out, full, size < known ? size : known);
  if (size > known) memset((char *)out + known, 0, size - known);
}
