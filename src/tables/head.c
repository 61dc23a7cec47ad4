/* Columns and attributes of tables. */
#include "tables/internal.h"

static char *copy(const cdn_allocator *a, const char *text) { return cdni_strdup(a, text ? text : ""); }

bool tables_copy_head(const cdn_allocator *a, table_head *head, int n, const char *const *names,
                      const char *const *units) {
  head->name = cdni_calloc(a, (size_t)n * sizeof *head->name);
  head->unit = cdni_calloc(a, (size_t)n * sizeof *head->unit);
  head->n_columns = n;
  bool ok = head->name && head->unit;
  for (int i = 0; i < n && ok; i++) {
    head->name[i] = copy(a, names[i]);
    head->unit[i] = copy(a, units ? units[i] : NULL);
    ok = head->name[i] && head->unit[i];
  }
  return ok;
}

static void free_attribute(const cdn_allocator *a, table_attribute *x) {
  cdni_strfree(a, x->name);
  cdni_strfree(a, x->text);
}

void tables_free_head(const cdn_allocator *a, table_head *head) {
  const size_t n = (size_t)head->n_columns;
  for (size_t i = 0; i < n; i++) {
    if (head->name) cdni_strfree(a, head->name[i]);
    if (head->unit) cdni_strfree(a, head->unit[i]);
  }
  cdni_free(a, head->name, n * sizeof *head->name);
  cdni_free(a, head->unit, n * sizeof *head->unit);
  for (size_t i = 0; i < head->attributes.count; i++) free_attribute(a, &CDNI_AT(head->attributes, table_attribute, i));
  cdni_array_free(a, &head->attributes);
  *head = (table_head){ 0 };
}

const table_attribute *tables_find(const table_head *head, const char *name) {
  for (size_t i = 0; i < head->attributes.count; i++) {
    const table_attribute *x = &CDNI_AT(head->attributes, table_attribute, i);
    if (strcmp(x->name, name) == 0) return x;
  }
  return NULL;
}

bool tables_keep(const cdn_allocator *a, table_head *head, const char *name, const char *text, double number) {
  table_attribute *there = (table_attribute *)tables_find(head, name);
  table_attribute kept = { cdni_strdup(a, name), cdni_strdup(a, text), number };
  if (kept.name && (kept.text || !text) &&
      (there || (there = cdni_array_push(a, &head->attributes, sizeof kept, NULL)))) {
    free_attribute(a, there);
    *there = kept;
    return true;
  }
  free_attribute(a, &kept);
  return false;
}

static int compare(const void *one, const void *other) {
  return strcmp(*(const char *const *)one, *(const char *const *)other);
}

static const char *find_twins(const cdn_allocator *a, const table_head *head, bool *out_of_memory) {
  const size_t n = (size_t)head->n_columns, size = n * sizeof(char *);
  char **sorted = cdni_alloc(a, size);
  const char *twin = NULL;
  *out_of_memory = !sorted;
  if (!sorted) return NULL;
  memcpy(sorted, head->name, size);
  qsort(sorted, n, sizeof *sorted, compare);
  for (size_t i = 1; i < n && !twin; i++)
    if (strcmp(sorted[i - 1], sorted[i]) == 0) twin = sorted[i];
  cdni_free(a, sorted, size);
  return twin;
}

const char *tables_refuse_twins(const table_head *head, cdn_status *code) {
  bool out_of_memory;
  const cdn_allocator a = cdni_allocator_or_default((cdn_allocator){ 0 });
  static _Thread_local char why[160];
  const char *twins = find_twins(&a, head, &out_of_memory);
  *code = out_of_memory ? CDN_ERR_NOMEM : CDN_ERR_ARG;
  if (out_of_memory) return "out of memory for a table";
  if (!twins) return NULL;
  snprintf(why, sizeof why, "two columns have the name '%.80s'; give each a name of its own, or choose .csv", twins);
  return why;
}
