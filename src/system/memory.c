/* Memory of a State beside its block, for results whose size varies with what is switched on. */
#include "system/structs.h"

int cdni_declare_memory(cdn_declarer *d) { return d->system->n_memories++; }

void cdni_declare_kept_in_memory(cdn_declarer *d, cdn_cache entry) {
  if (entry.i != TICKET_NONE) node_at(d->system, entry.i)->in_memory = true;
}

bool cdni_memories_create(cdn_state *s) {
  const cdn_system *sys = s->system;
  if (sys->n_memories == 0) return true;
  s->memories = cdni_calloc(&sys->allocator, (size_t)sys->n_memories * sizeof *s->memories);
  return s->memories != NULL;
}

void cdni_memories_destroy(cdn_state *s) {
  const cdn_system *sys = s->system;
  for (int i = 0; s->memories && i < sys->n_memories; i++)
    cdni_free(&sys->allocator, s->memories[i].data, s->memories[i].capacity);
  cdni_free(&sys->allocator, s->memories, (size_t)sys->n_memories * sizeof *s->memories);
}

void *cdni_state_memory(const cdn_state *s, int memory) { return s->memories[memory].data; }

void *cdni_state_take_memory(cdn_state *s, int memory, size_t bytes) {
  state_memory *m = &s->memories[memory];
  if (bytes > m->capacity) {
    const cdn_allocator *a = &s->system->allocator;
    void *data = cdni_alloc(a, bytes);
    if (!data) return NULL;
    cdni_free(a, m->data, m->capacity);
    m->data = data;
    m->capacity = bytes;
  }
  m->used = bytes;
  return m->data;
}

cdn_status cdni_memories_reserve(cdn_state *to, const cdn_state *from) {
  for (int i = 0; i < to->system->n_memories; i++) {
    const size_t used = to->memories[i].used, bytes = from->memories[i].used;
    if (bytes > to->memories[i].capacity) cdni_state_forget_memory(to);
    if (bytes > 0 && !cdni_state_take_memory(to, i, bytes)) return CDN_ERR_NOMEM;
    to->memories[i].used = used;
  }
  return CDN_OK;
}

void cdni_memories_copy(cdn_state *to, const cdn_state *from) {
  for (int i = 0; i < to->system->n_memories; i++) {
    to->memories[i].used = from->memories[i].used;
    if (from->memories[i].used > 0) memcpy(to->memories[i].data, from->memories[i].data, from->memories[i].used);
  }
}

void cdni_state_forget_memory(cdn_state *s) {
  for (size_t i = 0; i < s->system->nodes.count; i++)
    if (node_at(s->system, (int32_t)i)->in_memory) bit_clear(s->valid, (int32_t)i);
}
