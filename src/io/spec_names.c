/* Names of a spec: bodies and joints by name, and the two bodies of every joint. */
#include "io/joints.h"
#include "io/spec.h"

static cdn_status no_memory(cdn_spec *spec) { return io_fail(&spec->log, CDN_ERR_NOMEM, 0, "out of memory"); }

/* A mistake of the file's, or of the program's that made the spec. */
static cdn_status wrong(int line) { return line > 0 ? CDN_ERR_PARSE : CDN_ERR_ARG; }

static cdn_status twice(cdn_spec *spec, const char *word, const char *name, int line, int first) {
  if (line > 0)
    return io_fail(&spec->log, CDN_ERR_PARSE, line, "%s '%.60s' is defined twice, first at line %d; rename one", word,
                   name, first);
  return io_fail(&spec->log, CDN_ERR_ARG, 0, "%s '%.60s' is there twice; rename one", word, name);
}

static cdn_status enter_names(cdn_spec *spec, io_spec_names *names) {
  for (int i = 0; i < cdn_spec_count(spec, CDN_SPEC_BODY); i++) {
    const cdn_spec_body *body = io_spec_body(spec, i);
    const int known = io_names_add(names->allocator, &names->bodies, body->name, i);
    if (known < 0) return no_memory(spec);
    if (known != i) return twice(spec, spec->log.body_word, body->name, body->line, io_spec_body(spec, known)->line);
  }
  for (int i = 0; i < cdn_spec_count(spec, CDN_SPEC_JOINT); i++) {
    const cdn_spec_joint *joint = io_spec_joint(spec, i);
    const int known = io_names_add(names->allocator, &names->joints, joint->name, i);
    if (known < 0) return no_memory(spec);
    if (known != i) return twice(spec, "joint", joint->name, joint->line, io_spec_joint(spec, known)->line);
  }
  return CDN_OK;
}

int io_spec_find_body(const io_spec_names *names, const char *name) {
  if (!name) return -1;
  const int body = io_names_find(&names->bodies, name);
  return body >= 0 ? body : strcmp(name, "Ground") == 0 ? -1 : -2;
}

static cdn_status find_ends(cdn_spec *spec, io_spec_names *names, int i) {
  const cdn_spec_joint *joint = io_spec_joint(spec, i);
  const char *ends[2] = { joint->parent, joint->child };
  int *found[2] = { &names->parent[i], &names->child[i] };
  for (int k = 0; k < 2; k++) {
    *found[k] = io_spec_find_body(names, ends[k]);
    if (*found[k] == -2)
      return io_fail(&spec->log, wrong(joint->line), joint->line,
                     "joint '%.60s': there is no %s '%.60s'; add it or correct the name", joint->name,
                     spec->log.body_word, ends[k]);
  }
  if (names->parent[i] == names->child[i])
    return io_fail(&spec->log, wrong(joint->line), joint->line,
                   "joint '%.60s' connects %s '%.60s' with itself; name two different bodies as parent and child",
                   joint->name, spec->log.body_word, joint->child ? joint->child : "Ground");
  return CDN_OK;
}

cdn_status io_spec_names_make(cdn_spec *spec, io_spec_names *names) {
  const size_t n = (size_t)cdn_spec_count(spec, CDN_SPEC_JOINT);
  *names = (io_spec_names){ .allocator = &spec->log.allocator };
  names->parent = cdni_alloc(names->allocator, n * sizeof(int));
  names->child = cdni_alloc(names->allocator, n * sizeof(int));
  if (n && (!names->parent || !names->child)) return no_memory(spec);
  CDNI_TRY(enter_names(spec, names));
  for (int i = 0; i < (int)n; i++) CDNI_TRY(find_ends(spec, names, i));
  return CDN_OK;
}

void io_spec_names_free(const cdn_spec *spec, io_spec_names *names) {
  const cdn_allocator *a = &spec->log.allocator;
  const size_t bytes = sizeof(int) * (size_t)cdn_spec_count(spec, CDN_SPEC_JOINT);
  if (names->parent) cdni_free(a, names->parent, bytes);
  if (names->child) cdni_free(a, names->child, bytes);
  io_names_free(a, &names->bodies);
  io_names_free(a, &names->joints);
  *names = (io_spec_names){ 0 };
}
