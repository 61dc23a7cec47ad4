/* Freezing the dependency graph: edges from each ticket to the entries computed from it, an order that respects
 * them, and for every ticket the bitset of everything downstream. A setter then clears bits; nothing recurses at run
 * time. */
#include "system/structs.h"

/* The edge from an eager entry to its stage: the stage is not realized before the entry is valid. */
static bool add_eager_edges(cdn_system *s) {
  for (size_t i = 0; i < s->nodes.count; i++) {
    const node *n = node_at(s, (int32_t)i);
    if (n->kind == NODE_ENTRY && n->eager != CDN_STAGE_EMPTY &&
        !cdni_edge_add(s, (int32_t)i, TICKET_STAGE_EMPTY + (int32_t)n->eager))
      return false;
  }
  return true;
}

/* Marks everything that can be reached from `from` (itself included), by sweeping the edges until nothing changes. */
static void reach(const cdn_system *s, int32_t from, bool *mark) {
  memset(mark, 0, s->nodes.count * sizeof *mark);
  mark[from] = true;
  for (bool changed = true; changed;) {
    changed = false;
    for (size_t e = 0; e < s->edges.count; e++) {
      const edge *p = &CDNI_AT(s->edges, edge, e);
      if (mark[p->from] && !mark[p->to]) mark[p->to] = changed = true;
    }
  }
}

/* A subsystem's rates depend on all its declarations, except entries that follow from the rates. */
static bool connect_rates(cdn_system *s, bool *mark) {
  static const int32_t rates[] = { TICKET_QDOT, TICKET_UDOT, TICKET_ZDOT };
  for (int r = 0; r < CDNI_COUNT(rates); r++) {
    reach(s, rates[r], mark);
    for (size_t i = TICKET_FIRST_FREE; i < s->nodes.count; i++) {
      const node *n = node_at(s, (int32_t)i);
      if (n->subsystem < 0 || mark[i] || (n->kind != NODE_VARIABLE && n->kind != NODE_ENTRY)) continue;
      const subsystem *sub = &CDNI_AT(s->subsystems, subsystem, n->subsystem);
      bool has = rates[r] == TICKET_ZDOT ? sub->ops.calc_zdot != NULL : sub->moves;
      /* qdot is ready at Velocity stage, so it does not read entries of later stages. */
      if (rates[r] == TICKET_QDOT && n->eager > CDN_STAGE_VELOCITY) continue;
      if (has && !cdni_edge_add(s, (int32_t)i, rates[r])) return false;
    }
  }
  return true;
}

static cdn_status check_prerequisites(cdn_system *s) {
  for (size_t e = 0; e < s->edges.count; e++) {
    const edge *p = &CDNI_AT(s->edges, edge, e);
    if (node_at(s, p->from)->kind == NODE_NONE)
      return cdni_system_fail(
          s, CDN_ERR_ARG, "cdn_system_freeze", node_at(s, p->to)->name,
          "cache entry '%s' has a prerequisite that nothing in this System declares: add the subsystem that declares it, or remove the prerequisite",
          node_at(s, p->to)->name);
  }
  return CDN_OK;
}

/* Names the entries on one cycle: walk backwards among the nodes that could not be ordered. */
static cdn_status report_cycle(cdn_system *s, const int32_t *missing) {
  int32_t at = 0;
  while (missing[at] <= 0) at++;
  char names[320] = "";
  size_t length = 0;
  int32_t first = -1;
  for (int hops = 0; hops < 2 * (int)s->nodes.count; hops++) {
    for (size_t e = 0; e < s->edges.count; e++) {
      const edge *p = &CDNI_AT(s->edges, edge, e);
      if (p->to == at && missing[p->from] > 0) {
        at = p->from;
        break;
      }
    }
    /* The first hops only make sure that we are on the cycle. */
    if (hops < (int)s->nodes.count) continue;
    const char *name = node_at(s, at)->name;
    if (at == first || length + strlen(name) + 8 > sizeof names) break;
    if (first < 0) first = at;
    length += strlen(strcpy(names + length, length ? " <- " : ""));
    length += strlen(strcpy(names + length, name));
  }
  return cdni_system_fail(s, CDN_ERR_CYCLE, "cdn_system_freeze", node_at(s, at)->name,
                          "cache entries depend on each other in a cycle: %s. Take one of these prerequisites away",
                          names);
}

/* Kahn's algorithm; smaller tickets first, so the order is the declared one where the graph leaves it open. */
static cdn_status sort(cdn_system *s, int32_t *order, int32_t *missing) {
  size_t n = s->nodes.count, done = 0;
  for (size_t e = 0; e < s->edges.count; e++) missing[CDNI_AT(s->edges, edge, e).to]++;
  for (bool progress = true; progress;) {
    progress = false;
    for (size_t i = 0; i < n; i++) {
      if (missing[i] != 0) continue;
      missing[i] = -1;
      order[done++] = (int32_t)i;
      progress = true;
      for (size_t e = 0; e < s->edges.count; e++)
        if (CDNI_AT(s->edges, edge, e).from == (int32_t)i) missing[CDNI_AT(s->edges, edge, e).to]--;
    }
  }
  return done == n ? CDN_OK : report_cycle(s, missing);
}

/* Whether anything depends on a variable other than by way of its effective value. */
static bool is_read(const cdn_system *s, int32_t variable, int32_t effective) {
  for (size_t e = 0; e < s->edges.count; e++) {
    const edge *p = &CDNI_AT(s->edges, edge, e);
    if (p->from == variable && p->to != effective) return true;
  }
  return false;
}

/* The stack of calls bears so many entries that wait for each other: what is longer is found here, not in a run.
 * `nested` says for each node how many entries there are on the longest way from it on. */
static cdn_status check_nesting(cdn_system *s, const int32_t *order, const int32_t *nested) {
  int32_t longest = order[0];
  for (size_t i = 0; i < s->nodes.count; i++)
    if (nested[i] > nested[longest]) longest = (int32_t)i;
  s->most_nested = nested[longest];
  if (s->most_nested <= MOST_NESTED) return CDN_OK;
  int32_t at = longest;
  for (bool found = true; found && node_at(s, at)->kind != NODE_ENTRY;) {
    found = false;
    for (size_t e = 0; e < s->edges.count && !found; e++) {
      const edge *p = &CDNI_AT(s->edges, edge, e);
      if (p->from != at || nested[p->to] != s->most_nested) continue;
      at = p->to, found = true;
    }
  }
  const char *name = node_at(s, at)->name;
  return cdni_system_fail(
      s, CDN_ERR_LIMIT, "cdn_system_freeze", name,
      "%d cache entries, from '%s' on, are each computed from the one before: %d is the most. Let fewer "
      "measures or entries read one another in a row",
      s->most_nested, name, MOST_NESTED);
}

static cdn_status build(cdn_system *s, int32_t *order, int32_t *missing, bool *mark) {
  size_t n = s->nodes.count;
  if (!add_eager_edges(s) || !connect_rates(s, mark))
    return cdni_system_fail(s, CDN_ERR_NOMEM, "cdn_system_freeze", NULL, "out of memory");
  CDNI_TRY(check_prerequisites(s));
  CDNI_TRY(sort(s, order, missing));

  s->q_is_read = is_read(s, TICKET_Q, TICKET_Q_EFF);
  s->u_is_read = is_read(s, TICKET_U, TICKET_U_EFF);

  /* Downstream sets and the longest ways, last to first. */
  size_t words = (size_t)s->words;
  int32_t *nested = missing;
  for (size_t k = n; k-- > 0;) {
    int32_t from = order[k];
    uint64_t *down = s->downstream + (size_t)from * words;
    nested[from] = 0;
    for (size_t e = 0; e < s->edges.count; e++) {
      const edge *p = &CDNI_AT(s->edges, edge, e);
      if (p->from != from) continue;
      bit_set(down, p->to);
      if (nested[p->to] > nested[from]) nested[from] = nested[p->to];
      for (size_t w = 0; w < words; w++) down[w] |= s->downstream[(size_t)p->to * words + w];
    }
    nested[from] += node_at(s, from)->kind == NODE_ENTRY;
  }
  CDNI_TRY(check_nesting(s, order, nested));

  /* Eager entries by stage, in order. */
  int32_t count = 0;
  for (int stage = 0; stage < CDN_STAGE_COUNT; stage++) {
    s->eager_first[stage] = count;
    for (size_t k = 0; stage > CDN_STAGE_EMPTY && k < n; k++)
      if (node_at(s, order[k])->kind == NODE_ENTRY && node_at(s, order[k])->eager == (cdn_stage)stage)
        s->eager[count++] = order[k];
  }
  s->eager_first[CDN_STAGE_COUNT] = count;
  return CDN_OK;
}

cdn_status cdni_graph_freeze(cdn_system *s) {
  const cdn_allocator *a = &s->allocator;
  size_t n = s->nodes.count;
  s->words = (int)((n + 63) / 64);
  s->downstream = cdni_calloc(a, n * (size_t)s->words * sizeof(uint64_t));
  s->eager = cdni_calloc(a, n * sizeof(int32_t));
  int32_t *order = cdni_calloc(a, n * sizeof *order), *missing = cdni_calloc(a, n * sizeof *missing);
  bool *mark = cdni_calloc(a, n * sizeof *mark);
  cdn_status status = s->downstream && s->eager && order && missing && mark
                          ? build(s, order, missing, mark)
                          : cdni_system_fail(s, CDN_ERR_NOMEM, "cdn_system_freeze", NULL, "out of memory");
  if (order) cdni_free(a, order, n * sizeof *order);
  if (missing) cdni_free(a, missing, n * sizeof *missing);
  if (mark) cdni_free(a, mark, n * sizeof *mark);
  return status;
}
