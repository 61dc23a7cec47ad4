/* Documents and elements over libxml2. An io_xml_node is an xmlNode under another name. Marks of parts that were
 * read are in libxml2's own `_private` fields, so that the wrapper needs no memory. */
#ifndef _GNU_SOURCE
#  define _GNU_SOURCE /* strtod_l */
#endif
#include "io/xml.h"

#include <errno.h>
#include <limits.h>
#include <locale.h>
#include <stdio.h>

#include <libxml/parser.h>
#include <libxml/tree.h>

struct io_xml_document {
  cdn_allocator allocator;
  xmlDoc *tree;
  locale_t locale; /* "C": numbers do not depend on the user's decimal point */
};

/* The first complaint of the parser, which is the one that helps; later ones follow from it. */
typedef struct complaint {
  bool made, entity;
  int line;
  char text[256];
} complaint;

static xmlNode *tree_node(const io_xml_node *node) { return (xmlNode *)(uintptr_t)node; }
static io_xml_node *own_node(xmlNode *node) { return (io_xml_node *)node; }

/* ---- parsing ---- */

#if LIBXML_VERSION >= 21200
typedef const xmlError *error_argument;
#else
typedef xmlErrorPtr error_argument;
#endif

static void on_error(void *context, error_argument error) {
  complaint *c = ((xmlParserCtxt *)context)->_private;
  if (!c || c->made || !error || error->level < XML_ERR_ERROR || error->domain == XML_FROM_NAMESPACE) return;
  c->made = true;
  c->line = error->line;
  snprintf(c->text, sizeof c->text, "%s", error->message ? error->message : "malformed XML");
  for (size_t n = strlen(c->text); n > 0 && (unsigned char)c->text[n - 1] <= ' '; n--) c->text[n - 1] = 0;
}

/* Entities of one's own can grow a small file to fill the memory, and no model needs them. */
static void on_entity(void *context, const xmlChar *name, int type, const xmlChar *public_id, const xmlChar *system_id,
                      xmlChar *content) {
  (void)name, (void)type, (void)public_id, (void)system_id, (void)content;
  xmlParserCtxt *parser = context;
  complaint *c = parser->_private;
  if (!c->entity) c->line = parser->input ? parser->input->line : 0;
  c->entity = true;
  xmlStopParser(parser);
}

/* A declared prefix is split off by libxml2, an undeclared one is not: make both "prefix:name". */
static cdn_status join_prefix(xmlNode *node) {
  if (!node->ns || !node->ns->prefix) return CDN_OK;
  xmlChar *joined = xmlBuildQName(node->name, node->ns->prefix, NULL, 0);
  if (!joined) return CDN_ERR_NOMEM;
  xmlNodeSetName(node, joined);
  xmlFree(joined);
  return CDN_OK;
}

/* The next node of a walk over the whole tree; trees may be too deep for recursion. */
static xmlNode *next_in_tree(xmlNode *node) {
  if (node->children && node->type == XML_ELEMENT_NODE) return node->children;
  while (node && !node->next) node = node->parent && node->parent->type == XML_ELEMENT_NODE ? node->parent : NULL;
  return node ? node->next : NULL;
}

/* Breaks of lines and tabs that an attribute has as &#10; and the like become blanks, as those become that it has as
 * themselves. No
 * number or name needs them, and names go into tables. */
static void blank_breaks(xmlAttr *a) {
  for (xmlNode *text = a->children; text; text = text->next)
    for (xmlChar *c = text->type == XML_TEXT_NODE ? text->content : NULL; c && *c; c++)
      if (*c < ' ') *c = ' ';
}

static cdn_status tidy(xmlNode *root) {
  for (xmlNode *n = root; n; n = next_in_tree(n)) {
    if (n->type != XML_ELEMENT_NODE) continue;
    CDNI_TRY(join_prefix(n));
    /* An xmlAttr begins with the same members as an xmlNode up to `doc`; its ns is at another place, and is checked
     * here. */
    for (xmlAttr *a = n->properties; a; a = a->next) {
      blank_breaks(a);
      if (!a->ns || !a->ns->prefix) continue;
      xmlChar *joined = xmlBuildQName(a->name, a->ns->prefix, NULL, 0);
      if (!joined) return CDN_ERR_NOMEM;
      xmlNodeSetName((xmlNode *)a, joined);
      xmlFree(joined);
    }
  }
  return CDN_OK;
}

static cdn_status parse(io_log *log, io_xml_document *document, const char *text, size_t size) {
  complaint c = { 0 };
  xmlInitParser();
  xmlParserCtxt *parser = xmlNewParserCtxt();
  if (!parser) return io_fail(log, CDN_ERR_NOMEM, 0, "out of memory");
  parser->_private = &c;
  parser->sax->serror = on_error;
  parser->sax->entityDecl = on_entity;
  const int options = XML_PARSE_HUGE | XML_PARSE_NONET | XML_PARSE_BIG_LINES | XML_PARSE_NOENT | XML_PARSE_NOCDATA;
  document->tree = xmlCtxtReadMemory(parser, text, (int)size, NULL, NULL, options);
  xmlFreeParserCtxt(parser);
  if (c.entity)
    return io_fail(log, CDN_ERR_PARSE, c.line,
                   "the document declares entities of its own, which is not accepted; "
                   "write their text where they are used");
  if (!document->tree || !xmlDocGetRootElement(document->tree)) {
    if (!c.made) return io_fail(log, CDN_ERR_NOMEM, 0, "out of memory, or a document without any element");
    return io_fail(log, CDN_ERR_PARSE, c.line > 0 ? c.line : 1, "not a well-formed XML document: %s", c.text);
  }
  if (tidy(xmlDocGetRootElement(document->tree)) != CDN_OK) return io_fail(log, CDN_ERR_NOMEM, 0, "out of memory");
  return CDN_OK;
}

/* A tree takes many times the memory of its text, and a source without an end (/dev/zero) must be refused. */
enum { MOST_MEGABYTES = 256, MOST_BYTES = MOST_MEGABYTES << 20 };
static cdn_status refuse_size(io_log *log) {
  return io_fail(log, CDN_ERR_LIMIT, 1, "the file is larger than %d MiB, the most that a model file may have",
                 (int)MOST_MEGABYTES);
}

static io_xml_document *start(const io_log *log) {
  io_xml_document *document = cdni_calloc(&log->allocator, sizeof *document);
  if (!document) return NULL;
  document->allocator = log->allocator;
  document->locale = newlocale(LC_ALL_MASK, "C", (locale_t)0);
  if (document->locale) return document;
  io_xml_close(document);
  return NULL;
}

cdn_status io_xml_copy(io_log *log, const io_xml_node *root, io_xml_document **out) {
  *out = start(log);
  if (*out) (*out)->tree = xmlCopyDoc(tree_node(root)->doc, 1);
  if (*out && (*out)->tree) {
    (*out)->tree->_private = *out;
    return CDN_OK;
  }
  io_xml_close(*out);
  *out = NULL;
  return io_fail(log, CDN_ERR_NOMEM, 0, "out of memory");
}

cdn_status io_xml_open_memory(io_log *log, const char *text, size_t size, io_xml_document **out) {
  *out = NULL;
  if (!text || size == 0) return io_fail(log, CDN_ERR_PARSE, 1, "the file is empty; a URDF or MJCF model is wanted");
  if (size > MOST_BYTES) return refuse_size(log);
  io_xml_document *document = start(log);
  if (!document) return io_fail(log, CDN_ERR_NOMEM, 0, "out of memory");
  const cdn_status status = parse(log, document, text, size);
  if (status == CDN_OK) {
    document->tree->_private = document;
    *out = document;
  } else {
    io_xml_close(document);
  }
  return status;
}

/* In pieces, so that pipes do as well. */
cdn_status io_read_text(io_log *log, const char *path, cdni_array *text) {
  if (io_file_look(&log->files, path) == IO_FILE_DIRECTORY)
    return io_fail(log, CDN_ERR_FILE, 0, "this is a directory; give the model file inside it");
  FILE *file = io_file_open(&log->files, path);
  if (!file) return io_fail(log, CDN_ERR_FILE, 0, "cannot open the file: %s", strerror(errno));
  cdn_status status = CDN_OK;
  char piece[16384];
  for (size_t n; status == CDN_OK && (n = fread(piece, 1, sizeof piece, file)) > 0;) {
    char *to = text->count + n <= MOST_BYTES ? cdni_array_extend(&log->allocator, text, 1, n) : NULL;
    if (to) memcpy(to, piece, n);
    else if (text->count + n > MOST_BYTES) status = refuse_size(log);
    else status = io_fail(log, CDN_ERR_NOMEM, 0, "out of memory");
  }
  if (status == CDN_OK && ferror(file))
    status = io_fail(log, CDN_ERR_FILE, 0, "cannot read the file: %s", strerror(errno));
  fclose(file);
  return status;
}

cdn_status io_xml_open(io_log *log, const char *path, io_xml_document **out) {
  *out = NULL;
  cdni_array text = { 0 };
  cdn_status status = io_read_text(log, path, &text);
  if (status == CDN_OK) status = io_xml_open_memory(log, text.data, text.count, out);
  cdni_array_free(&log->allocator, &text);
  return status;
}

void io_xml_close(io_xml_document *document) {
  if (!document) return;
  cdn_allocator allocator = document->allocator;
  if (document->tree) xmlFreeDoc(document->tree);
  if (document->locale) freelocale(document->locale);
  cdni_free(&allocator, document, sizeof *document);
}

io_xml_node *io_xml_root(io_xml_document *document) { return own_node(xmlDocGetRootElement(document->tree)); }

/* ---- elements ---- */

static xmlNode *element_from(xmlNode *node) {
  while (node && node->type != XML_ELEMENT_NODE) node = node->next;
  return node;
}

/* Most names differ in their first letter. */
static bool is_same(const char *a, const char *b) { return a[0] == b[0] && strcmp(a, b) == 0; }

const char *io_xml_name(const io_xml_node *node) { return (const char *)tree_node(node)->name; }
bool io_xml_is(const io_xml_node *node, const char *name) { return is_same(io_xml_name(node), name); }

int io_xml_line(const io_xml_node *node) {
  const long line = xmlGetLineNo(tree_node(node));
  return line < 1 ? 1 : line > INT_MAX ? INT_MAX : (int)line;
}

io_xml_node *io_xml_parent(const io_xml_node *node) {
  xmlNode *parent = tree_node(node)->parent;
  return parent && parent->type == XML_ELEMENT_NODE ? own_node(parent) : NULL;
}

io_xml_node *io_xml_first(const io_xml_node *node) { return own_node(element_from(tree_node(node)->children)); }
io_xml_node *io_xml_next(const io_xml_node *node) { return own_node(element_from(tree_node(node)->next)); }

io_xml_node *io_xml_child(const io_xml_node *node, const char *name) {
  io_xml_node *child = io_xml_first(node);
  return child && !io_xml_is(child, name) ? io_xml_next_named(child, name) : child;
}

io_xml_node *io_xml_next_named(const io_xml_node *node, const char *name) {
  io_xml_node *next = io_xml_next(node);
  while (next && !io_xml_is(next, name)) next = io_xml_next(next);
  return next;
}

/* ---- attributes as text ---- */

const char *io_xml_text(const io_xml_node *node, char *text, size_t size) {
  static const char blanks[] = " \t\r\n";
  for (const xmlNode *n = tree_node(node)->children; n; n = n->next) {
    const char *from = n->type == XML_TEXT_NODE && n->content ? (const char *)n->content : "";
    from += strspn(from, blanks);
    size_t length = strlen(from);
    while (length > 0 && strchr(blanks, from[length - 1])) length--;
    if (length == 0) continue;
    if (length >= size) return NULL;
    snprintf(text, size, "%.*s", (int)length, from);
    return text;
  }
  return NULL;
}

static xmlAttr *find_attribute(const io_xml_node *node, const char *name) {
  xmlAttr *a = tree_node(node)->properties;
  while (a && !is_same((const char *)a->name, name)) a = a->next;
  return a;
}

static const char *text_of(const xmlAttr *a) {
  const xmlNode *text = a->children;
  return text && text->type == XML_TEXT_NODE && text->content ? (const char *)text->content : "";
}

const char *io_xml_peek(const io_xml_node *node, const char *attribute) {
  const xmlAttr *a = find_attribute(node, attribute);
  return a ? text_of(a) : NULL;
}

bool io_xml_attribute(const io_xml_node *node, int i, const char **name, const char **text) {
  const xmlAttr *a = tree_node(node)->properties;
  while (a && i-- > 0) a = a->next;
  if (!a) return false;
  *name = (const char *)a->name;
  *text = io_xml_peek(node, *name);
  return true;
}

io_xml_node *io_xml_add(io_xml_node *parent, const char *name, int line) {
  xmlNode *node = xmlNewChild(tree_node(parent), NULL, BAD_CAST name, NULL);
  if (node) node->line = (unsigned short)line;
  return own_node(node);
}

bool io_xml_set(io_xml_node *node, const char *attribute, const char *text) {
  return xmlSetProp(tree_node(node), BAD_CAST attribute, BAD_CAST text) != NULL;
}

bool io_xml_affix(io_xml_node *node, const char *attribute, const char *before, const char *after) {
  xmlChar *text = xmlStrdup(BAD_CAST before);
  if (text) text = xmlStrcat(text, BAD_CAST io_xml_peek(node, attribute));
  if (text) text = xmlStrcat(text, BAD_CAST after);
  const bool good = text && io_xml_set(node, attribute, (const char *)text);
  xmlFree(text);
  return good;
}

io_xml_node *io_xml_add_before(io_xml_node *node, const char *name, int line) {
  xmlNode *added = xmlNewDocNode(tree_node(node)->doc, NULL, BAD_CAST name, NULL);
  if (!added) return NULL;
  added->line = (unsigned short)line;
  return own_node(xmlAddPrevSibling(tree_node(node), added));
}

io_xml_node *io_xml_duplicate(io_xml_node *node) {
  xmlNode *from = tree_node(node), *copy = xmlDocCopyNode(from, from->doc, 1);
  return copy ? own_node(xmlAddChild(from->parent, copy)) : NULL;
}

void io_xml_remove(io_xml_node *node) {
  xmlUnlinkNode(tree_node(node));
  xmlFreeNode(tree_node(node));
}

static int read_mark; /* its address means "read" */

const char *io_xml_string(io_xml_node *node, const char *attribute) {
  xmlAttr *a = find_attribute(node, attribute);
  if (!a) return NULL;
  a->_private = &read_mark;
  return text_of(a);
}

double io_xml_strtod(const io_xml_node *node, const char *text, char **end) {
  const io_xml_document *document = tree_node(node)->doc->_private;
  return strtod_l(text, end, document->locale);
}

/* ---- unread parts ---- */

void io_xml_mark(io_xml_node *node) { tree_node(node)->_private = &read_mark; }

void io_xml_ignore(io_xml_node *node, const char *attribute) {
  xmlAttr *a = find_attribute(node, attribute);
  if (a) a->_private = &read_mark;
}

void io_xml_ignore_all(io_xml_node *node) {
  for (xmlAttr *a = tree_node(node)->properties; a; a = a->next) a->_private = &read_mark;
}

void io_xml_report_rest(io_log *log, io_xml_node *node) {
  for (xmlAttr *a = tree_node(node)->properties; a; a = a->next) {
    if (a->_private) continue;
    char name[400];
    snprintf(name, sizeof name, "%s %s", io_xml_name(node), (const char *)a->name);
    io_not_understood(log, io_xml_line(node), name);
  }
  for (io_xml_node *child = io_xml_first(node); child; child = io_xml_next(child))
    if (!tree_node(child)->_private) io_not_understood(log, io_xml_line(child), io_xml_name(child));
}
