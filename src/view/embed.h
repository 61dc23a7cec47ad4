/* A page in a file that needs no server: viewer.html with the messages of docs/wire.md in it. Private to the room and
 * to the command. It streams: what it keeps does not grow with the data. */
#ifndef CARDAN_VIEW_EMBED_H
#define CARDAN_VIEW_EMBED_H

#include <cardan/stream.h>

/* The path of viewer.html: what the environment variable CARDAN_PAGE says, else the page that `./run page` made for
 * this build, else the installed one. NULL: there is none, and cdni_page_remedy says what to do. Static storage. */
const char *cdni_page_path(void);
extern const char cdni_page_remedy[];
/* Reads the page of a path (NULL: cdni_page_path); `*bytes`, from malloc, end with a zero byte that is not counted.
 * Errors: CDN_ERR_FILE, in the name of `function`. */
cdn_status cdni_page_read(const char *path, const char *function, char **bytes, size_t *n) CDN_NODISCARD;

/* The parts of the page's Content-Security-Policy that name its script and its style by their hashes: "script-src
 * 'sha256-...'; style-src 'sha256-...';". Errors: CDN_ERR_PARSE (it has none), in the name of `function`. */
cdn_status cdni_page_hashes(const char *html, const char *function, char *out, size_t size) CDN_NODISCARD;

/* A mesh or a texture is a record of the kind that its first word says. */
typedef enum embed_kind { EMBED_FRAME = 1, EMBED_LOOK = 2, EMBED_TEXT = 3 } embed_kind;
typedef struct cdni_embed cdni_embed;

/* Begins a page that goes to `write`. `page`: path of viewer.html, or NULL: cdni_page_path. Errors: CDN_ERR_FILE (there
 * is no page, or it cannot be read, or written), CDN_ERR_PARSE (the file is no page of this version), CDN_ERR_NOMEM. */
cdn_status cdni_embed_begin(const char *page, cdn_write_fn *write, void *context, cdni_embed **out) CDN_NODISCARD;
/* The next message, in the order of docs/wire.md. Bytes are not kept. Errors: those of `write`. */
cdn_status cdni_embed_add(cdni_embed *embed, embed_kind kind, const void *bytes, size_t n) CDN_NODISCARD;
/* Writes the rest of the page, and ends it in any case. *data (may be NULL): how many bytes the data take in the
 * page. */
cdn_status cdni_embed_end(cdni_embed *embed, size_t *data) CDN_NODISCARD;
/* Ends it unfinished. NULL is allowed. */
void cdni_embed_drop(cdni_embed *embed);

#endif
