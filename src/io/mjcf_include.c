/* Walking the children of an element. An <include file="..."/> is replaced by the children of the included file's
 * root, at any depth of the model; its path is relative to the directory of the main file, as in MuJoCo. */
#include <errno.h>
#include <stdio.h>

#include "io/mjcf_expand.h"

enum { MAX_DOCUMENTS = 1000 };

/* An element on a walk through all that is below another one. */
typedef struct mjcf_found {
  io_xml_node *node;
  int document;
} mjcf_found;

int io_mjcf_enter(mjcf_reader *r, int document) {
  const int before = r->document;
  r->document = document;
  r->log->file = CDNI_AT(r->documents, mjcf_document, document).path;
  return before;
}

void io_mjcf_close_documents(mjcf_reader *r) {
  /* The main document and its path belong to the caller. */
  for (size_t i = 1; i < r->documents.count; i++) {
    mjcf_document *document = &CDNI_AT(r->documents, mjcf_document, i);
    io_xml_close(document->xml);
    cdni_strfree(&r->log->allocator, document->path);
  }
  cdni_array_free(&r->log->allocator, &r->documents);
}

char *io_mjcf_join_path(mjcf_reader *r, const char *file) {
  const char *main_path = CDNI_AT(r->documents, mjcf_document, 0).path;
  const char *slash = strrchr(main_path, '/');
  const size_t directory = file[0] == '/' || !slash ? 0 : (size_t)(slash - main_path) + 1;
  char *path = cdni_alloc(&r->log->allocator, directory + strlen(file) + 1);
  if (!path) return NULL;
  memcpy(path, main_path, directory);
  strcpy(path + directory, file);
  return path;
}

static cdn_status refuse_cycle(mjcf_reader *r, io_xml_node *node, const char *path) {
  for (const mjcf_reader *q = r; q; q = q->outer)
    for (int k = q->document; k >= 0; k = CDNI_AT(q->documents, mjcf_document, k).parent)
      if (strcmp(CDNI_AT(q->documents, mjcf_document, k).path, path) == 0)
        return io_xml_fail(r->log, CDN_ERR_PARSE, node,
                           "the files include or attach each other in a circle: '%s' is already being "
                           "read; take this element out",
                           path);
  return CDN_OK;
}

/* A further document; the caller opens it. */
static cdn_status add_document(mjcf_reader *r, io_xml_node *node, const char *path, int *document) {
  if (r->documents.count >= MAX_DOCUMENTS)
    return io_xml_fail(r->log, CDN_ERR_LIMIT, node, "more than %d included files", MAX_DOCUMENTS);
  mjcf_document *added = cdni_array_push(&r->log->allocator, &r->documents, sizeof *added, NULL);
  if (!added) return io_mjcf_out_of_memory(r);
  added->parent = r->document;
  added->path = cdni_strdup(&r->log->allocator, path);
  *document = (int)r->documents.count - 1;
  if (added->path) return CDN_OK;
  r->documents.count--;
  return io_mjcf_out_of_memory(r);
}

cdn_status io_mjcf_check_file(mjcf_reader *r, io_xml_node *node, const char *path) {
  CDNI_TRY(refuse_cycle(r, node, path));
  /* Opened here first, for a message with the line of the <include>. A pipe or a terminal is refused, since reading
   * it would wait for ever. */
  const io_file_kind kind = io_file_look(&r->log->files, path);
  if (kind == IO_FILE_DIRECTORY || kind == IO_FILE_OTHER)
    return io_xml_fail(r->log, CDN_ERR_FILE, node,
                       "'%s' is no regular file but a directory, a pipe or a device; name a file", path);
  FILE *file = io_file_open(&r->log->files, path);
  if (!file)
    return io_xml_fail(r->log, CDN_ERR_FILE, node,
                       "cannot open '%s': %s; paths are relative to the "
                       "directory of the main file",
                       path, strerror(errno));
  fclose(file);
  return CDN_OK;
}

static cdn_status open_document(mjcf_reader *r, io_xml_node *node, const char *path, int *document) {
  CDNI_TRY(io_mjcf_check_file(r, node, path));
  CDNI_TRY(add_document(r, node, path, document));
  const int before = io_mjcf_enter(r, *document);
  const cdn_status status = io_xml_open(r->log, path, &CDNI_AT(r->documents, mjcf_document, *document).xml);
  io_mjcf_enter(r, before);
  return status;
}

/* The document of an <include>, opened when it is first met. */
static cdn_status included(mjcf_reader *r, io_xml_node *node, int *document) {
  for (size_t i = 1; i < r->documents.count; i++) {
    if (CDNI_AT(r->documents, mjcf_document, i).include != node) continue;
    *document = (int)i;
    return CDN_OK;
  }
  const char *file;
  CDNI_TRY(io_xml_need_string(r->log, node, "file", &file));
  io_xml_report_rest(r->log, node);
  char *path = io_mjcf_join_path(r, file);
  if (!path) return io_mjcf_out_of_memory(r);
  cdn_status status = open_document(r, node, path, document);
  cdni_strfree(&r->log->allocator, path);
  if (status == CDN_OK)
    status = io_mjcf_expand_composites(r, io_xml_root(CDNI_AT(r->documents, mjcf_document, *document).xml), r->root);
  /* Remembered only now: a document without contents must not be walked. */
  if (status == CDN_OK) CDNI_AT(r->documents, mjcf_document, *document).include = node;
  return status;
}

mjcf_walk io_mjcf_walk(mjcf_reader *r, io_xml_node *parent) {
  mjcf_walk walk = { .r = r };
  walk.next[0] = io_xml_first(parent);
  walk.document[0] = r->document;
  return walk;
}

io_xml_node *io_mjcf_walk_next(mjcf_walk *walk) {
  mjcf_reader *r = walk->r;
  if (walk->status != CDN_OK) return NULL;
  for (;;) {
    io_xml_node *node = walk->next[walk->depth];
    if (!node) {
      /* The end of an included file: continue after the <include>. */
      if (walk->depth == 0) return NULL;
      walk->depth--;
      io_mjcf_enter(r, walk->document[walk->depth]);
      continue;
    }
    io_xml_mark(node);
    walk->next[walk->depth] = io_xml_next(node);
    if (!io_xml_is(node, "include")) return node;

    int document = 0;
    walk->status = included(r, node, &document);
    if (walk->status == CDN_OK && walk->depth == MJCF_INCLUDE_DEPTH)
      walk->status =
          io_xml_fail(r->log, CDN_ERR_LIMIT, node, "includes are nested more than %d deep", MJCF_INCLUDE_DEPTH);
    if (walk->status != CDN_OK) return NULL;
    walk->depth++;
    walk->document[walk->depth] = document;
    walk->next[walk->depth] = io_xml_first(io_xml_root(CDNI_AT(r->documents, mjcf_document, document).xml));
    io_mjcf_enter(r, document);
  }
}

/* From a stack, so that depth costs no recursion. */
static cdn_status descend(mjcf_reader *r, io_xml_node *from, mjcf_visit *visit) {
  cdni_array stack = { 0 };
  mjcf_found now = { from, r->document };
  cdn_status status = CDN_OK;
  for (bool more = true; more && status == CDN_OK;) {
    const int before = io_mjcf_enter(r, now.document);
    mjcf_walk walk = io_mjcf_walk(r, now.node);
    for (io_xml_node *child; status == CDN_OK && (child = io_mjcf_walk_next(&walk)) != NULL;) {
      const mjcf_found at = { .node = child, .document = r->document };
      bool deeper = false;
      status = visit(r, child, &deeper);
      if (status == CDN_OK && deeper && io_xml_first(child) &&
          !cdni_array_push(&r->log->allocator, &stack, sizeof at, &at))
        status = io_mjcf_out_of_memory(r);
    }
    if (status == CDN_OK) status = walk.status;
    io_mjcf_enter(r, before);
    more = stack.count > 0;
    if (more) now = CDNI_AT(stack, mjcf_found, --stack.count);
  }
  cdni_array_free(&r->log->allocator, &stack);
  return status;
}

cdn_status io_mjcf_descend_worlds(mjcf_reader *r, mjcf_visit *visit) {
  mjcf_walk walk = io_mjcf_walk(r, r->root);
  for (io_xml_node *section; (section = io_mjcf_walk_next(&walk)) != NULL;)
    if (io_xml_is(section, "worldbody")) CDNI_TRY(descend(r, section, visit));
  return walk.status;
}
