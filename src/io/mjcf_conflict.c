/* Options of the world that a model and those that it attaches do not share: the main file's <compiler conflict>
 * says whether its own count (with warnings), whether both are merged, or whether that is an error. As in MuJoCo, an
 * option is a wish only where a file writes it. */
#include <stdio.h>

#include "io/mjcf.h"

/* Whether a worldbody's element may have bodies in it. */
static bool holds_bodies(const io_xml_node *node) {
  return io_xml_is(node, "body") || io_xml_is(node, "frame") || io_xml_is(node, "replicate");
}

/* ---- what both say --------------------------------------------------------------------------- */

/* Numbers may be written in several ways. */
static bool same_text(const io_xml_node *node, const char *a, const char *b) {
  for (;;) {
    a += strspn(a, " "), b += strspn(b, " ");
    const size_t n = strcspn(a, " "), m = strcspn(b, " ");
    if (n == 0 || m == 0) return n == m;
    char word[2][40], *end[2];
    snprintf(word[0], sizeof word[0], "%.*s", (int)n, a);
    snprintf(word[1], sizeof word[1], "%.*s", (int)m, b);
    const double x = io_xml_strtod(node, word[0], &end[0]), y = io_xml_strtod(node, word[1], &end[1]);
    const bool numbers = !*end[0] && !*end[1];
    if (numbers ? x != y : n != m || strncmp(a, b, n) != 0) return false;
    a += n, b += m;
  }
}

static void look_for(io_xml_node *option, const char *element, const char *attribute, const char **found) {
  io_xml_node *node = strcmp(element, "option") == 0 ? option : io_xml_child(option, element);
  for (; node; node = node == option ? NULL : io_xml_next_named(node, element)) {
    const char *text = io_xml_peek(node, attribute);
    if (text) *found = text;
  }
}

/* The reader of the main file. */
static mjcf_reader *main_of(mjcf_reader *r) {
  while (r->outer) r = r->outer;
  return r;
}

/* The text of an attribute in the main file's elements of this name, the last one that has it; or NULL. */
static cdn_status find_in_main(mjcf_reader *of, const char *element, const char *attribute, const char **found) {
  mjcf_reader *r = main_of(of);
  const int before = io_mjcf_enter(r, 0);
  mjcf_walk walk = io_mjcf_walk(r, r->root);
  *found = NULL;
  for (io_xml_node *node; (node = io_mjcf_walk_next(&walk)) != NULL;)
    if (io_xml_is(node, "option")) look_for(node, element, attribute, found);
  io_mjcf_enter(r, before);
  return walk.status;
}

/* Whether a flag is not as it is where no file says so. */
static bool is_set(const char *flag, const char *text) {
  static const char *const off[] = { "override",    "energy",   "fwdinv", "invdiscrete",
                                     "sensornoise", "multiccd", "sleep",  "diagexact" };
  bool enables = false;
  for (int i = 0; i < CDNI_COUNT(off); i++) enables = enables || strcmp(flag, off[i]) == 0;
  return strcmp(text, enables ? "enable" : "disable") == 0;
}

/* Both say something, and not the same. */
static cdn_status refuse(mjcf_reader *r, io_xml_node *node, const char *name, const char *text, const char *here) {
  return io_xml_fail(
      r->log, CDN_ERR_PARSE, node,
      "the attached model has %s='%.40s', the one around it '%.40s'; its compiler's conflict='%s' asks for equal ones",
      name, text, here, main_of(r)->conflict_fails ? "error" : "merge");
}

/* ---- merging --------------------------------------------------------------------------------- */

typedef enum merging { EQUAL, LEAST, MOST, UNION } merging;

static merging how_to_merge(const char *element, const char *name) {
  static const struct {
    const char *name;
    merging how;
  } options[] = { { "timestep", LEAST },
                  { "tolerance", LEAST },
                  { "ls_tolerance", LEAST },
                  { "noslip_tolerance", LEAST },
                  { "ccd_tolerance", LEAST },
                  { "sleep_tolerance", LEAST },
                  { "iterations", MOST },
                  { "ls_iterations", MOST },
                  { "noslip_iterations", MOST },
                  { "ccd_iterations", MOST },
                  { "sdf_iterations", MOST },
                  { "sdf_initpoints", MOST },
                  { "actuatorgroupdisable", UNION } };
  if (strcmp(element, "flag") == 0) return UNION;
  for (int i = 0; i < CDNI_COUNT(options); i++)
    if (strcmp(name, options[i].name) == 0) return options[i].how;
  return EQUAL;
}

/* Numbers of two lists, each once. */
static void join(const char *a, const char *b, char *text, size_t size) {
  const char *const lists[] = { a, b };
  size_t used = 0;
  text[0] = '\0';
  for (int k = 0; k < 2; k++)
    for (const char *at = lists[k] + strspn(lists[k], " "); *at; at += strspn(at, " ")) {
      const int n = (int)strcspn(at, " ");
      char word[40], padded[400];
      snprintf(word, sizeof word, " %.*s ", n, at);
      snprintf(padded, sizeof padded, " %.390s ", text);
      if (!strstr(padded, word) && used + (size_t)n + 2 < size)
        used += (size_t)snprintf(text + used, size - used, "%s%.*s", used ? " " : "", n, at);
      at += n;
    }
}

/* What both together say. */
static cdn_status merge_texts(mjcf_reader *r, io_xml_node *node, const char *name, const char *text, const char *here,
                              char *both, size_t size) {
  const merging how = how_to_merge(io_xml_name(node), name);
  if (how == EQUAL) return refuse(r, node, name, text, here);
  if (how == UNION && io_xml_is(node, "flag")) {
    snprintf(both, size, "%s", is_set(name, text) ? text : here);
  } else if (how == UNION) {
    join(here, text, both, size);
  } else {
    char *end;
    const double x = io_xml_strtod(node, text, &end), y = io_xml_strtod(node, here, &end);
    snprintf(both, size, "%s", (how == LEAST) == (x < y) ? text : here);
  }
  return CDN_OK;
}

/* The main file's last element of its kind, into which merged options go. */
static io_xml_node *last_option(mjcf_reader *r, const io_xml_node *like) {
  io_xml_node *option = NULL;
  for (io_xml_node *node = io_xml_first(r->root); node; node = io_xml_next(node)) option = node;
  if (!option || !io_xml_is(option, "option")) option = io_xml_add(r->root, "option", io_xml_line(r->root));
  if (!option || io_xml_is(like, "option")) return option;
  io_xml_node *flag = io_xml_child(option, "flag");
  return flag ? flag : io_xml_add(option, "flag", io_xml_line(r->root));
}

static cdn_status merge_element(mjcf_reader *r, io_xml_node *node) {
  const char *name, *text, *here;
  for (int i = 0; io_xml_attribute(node, i, &name, &text); i++) {
    char both[400];
    CDNI_TRY(find_in_main(r, io_xml_name(node), name, &here));
    if (here && same_text(node, here, text)) continue;
    snprintf(both, sizeof both, "%.390s", text);
    if (here) CDNI_TRY(merge_texts(r, node, name, text, here, both, sizeof both));
    io_xml_node *to = last_option(main_of(r), node);
    if (!to || !io_xml_set(to, name, both)) return io_mjcf_out_of_memory(r);
  }
  return CDN_OK;
}

static cdn_status merge_option(mjcf_reader *r, io_xml_node *node) {
  CDNI_TRY(merge_element(r, node));
  for (io_xml_node *flag = io_xml_child(node, "flag"); flag; flag = io_xml_next_named(flag, "flag"))
    CDNI_TRY(merge_element(r, flag));
  return CDN_OK;
}

static cdn_status merge_attached(mjcf_reader *r, io_xml_node *node, bool *deeper) {
  const char *name = io_xml_is(node, "attach") ? io_xml_peek(node, "model") : NULL;
  mjcf_reader *child = NULL;
  *deeper = holds_bodies(node);
  if (name) CDNI_TRY(io_mjcf_open_model(r, node, name, &child));
  if (!child) return CDN_OK; /* io_mjcf_attach tells what is wrong */
  return io_mjcf_take_error(r, child, io_mjcf_read_sections(child, child->root, "option", merge_option));
}

cdn_status io_mjcf_merge_options(mjcf_reader *r) {
  return r->conflict_merges ? io_mjcf_descend_worlds(r, merge_attached) : CDN_OK;
}

/* ---- telling --------------------------------------------------------------------------------- */

static cdn_status compare_element(mjcf_reader *r, io_xml_node *node) {
  const char *name, *text, *here;
  for (int i = 0; io_xml_attribute(node, i, &name, &text); i++) {
    CDNI_TRY(find_in_main(r, io_xml_name(node), name, &here));
    if (!here || same_text(node, here, text)) continue;
    /* what the main file has set already, an attached one may leave */
    const bool asked =
        how_to_merge(io_xml_name(node), name) != UNION || (io_xml_is(node, "flag") && is_set(name, text));
    if (main_of(r)->conflict_fails && asked) return refuse(r, node, name, text, here);
    io_warn(r->log, io_xml_line(node), "the attached model's %s %s='%.40s' does not count: the model has '%.40s'",
            io_xml_name(node), name, text, here);
  }
  return CDN_OK;
}

static cdn_status compare_option(mjcf_reader *r, io_xml_node *node) {
  const bool merged = main_of(r)->conflict_merges && !r->outer->outer;
  if (!merged) CDNI_TRY(compare_element(r, node));
  io_xml_ignore_all(node);
  for (io_xml_node *flag = io_xml_child(node, "flag"); flag; flag = io_xml_next_named(flag, "flag")) {
    if (!merged) CDNI_TRY(compare_element(r, flag));
    io_xml_ignore_all(flag);
  }
  return CDN_OK;
}

cdn_status io_mjcf_compare_options(mjcf_reader *r) {
  return io_mjcf_read_sections(r, r->root, "option", compare_option);
}
