/* What an <attach> attaches of a model: the world, or a body or a frame as a spec of its own. Of the keyframes it has
 * the numbers of its joints and actuators. As in MuJoCo, frames around it in its own file do not count. */
#include "io/mjcf_attach.h"

/* What is taken of a model, while it is found. */
typedef struct taking {
  const mjcf_child *child;
  cdn_spec *spec; /* a copy of the model's, of which the rest is removed */
  io_spec_index names;
  io_marks gone, direct;
  cdni_array bodies; /* int */
} taking;

/* ---- a body or a frame ----------------------------------------------------------------------- */

static bool take_body(const mjcf_reader *r, taking *t, int place) {
  return cdni_array_push(&r->log->allocator, &t->bodies, sizeof(int), &io_place_at(&r->tree, place)->body) != NULL;
}

static int find_frame(const mjcf_reader *r, const char *name) {
  for (size_t i = 0; i < r->frames.count; i++)
    if (strcmp(CDNI_AT(r->frames, mjcf_frame, i).name, name) == 0) return (int)i;
  return -1;
}

static bool is_in_frame(const mjcf_reader *r, int frame, int of) {
  while (frame >= 0 && frame != of) frame = CDNI_AT(r->frames, mjcf_frame, frame).outer;
  return frame == of;
}

static bool take_frame(const mjcf_reader *r, taking *t, int of) {
  static const cdn_spec_kind kinds[] = { CDN_SPEC_SHAPE, CDN_SPEC_FRAME, CDN_SPEC_CAMERA, CDN_SPEC_LIGHT };
  const mjcf_frame *frame = &CDNI_AT(r->frames, mjcf_frame, of);
  for (int k = 0; k < CDNI_COUNT(kinds); k++)
    for (int i = frame->before.of[kinds[k]]; i < frame->after.of[kinds[k]]; i++) t->direct.of[kinds[k]][i] = true;
  for (int i = 1; i < (int)r->tree.places.count; i++)
    if (is_in_frame(r, io_place_at(&r->tree, i)->frame, of) && !take_body(r, t, i)) return false;
  return true;
}

/* ---- what refers to it ----------------------------------------------------------------------- */

/* What names a site, a geom or a camera, as a spec has it, refers to the body of that alone. */
static cdn_status follow_sources(taking *t) {
  const mjcf_reader *r = &t->child->reader;
  for (int kind = 0; kind < CDN_SPEC_KIND_COUNT; kind++)
    for (size_t k = 0; k < r->sources[kind].count; k++) {
      const mjcf_source *s = &CDNI_AT(r->sources[kind], mjcf_source, k);
      if (s->of == CDN_SPEC_BODY) continue;
      const bool moves = t->direct.of[s->of] && t->direct.of[s->of][s->i];
      const char *ground = kind == CDN_SPEC_ACTUATOR && s->text == offsetof(cdn_spec_actuator, body) ? "Ground" : NULL;
      const char **text = io_spec_text(t->spec, (cdn_spec_kind)kind, s->element, s->text);
      if (moves) CDNI_TRY(io_spec_retext(t->spec, text, ground));
      else if (t->gone.of[s->of][s->i]) t->gone.of[kind][s->element] = true;
    }
  return CDN_OK;
}

static cdn_status remove_rest(taking *t) {
  const io_taken taken = { (int)t->bodies.count, t->bodies.data, &t->direct };
  CDNI_TRY(io_marks_around(t->spec, &t->names, &taken, &t->gone));
  CDNI_TRY(follow_sources(t));
  io_marks_spread(t->spec, &t->names, &t->gone, NULL, NULL);
  return io_spec_remove_marked(t->spec, &t->names, &t->gone);
}

/* ---- the part -------------------------------------------------------------------------------- */

static cdn_status make_maps(const cdn_allocator *a, const taking *t, mjcf_part *part) {
  for (int kind = 0; kind < CDN_SPEC_KIND_COUNT; kind++) {
    const int n = part->n_to[kind] = t->gone.n[kind] + 1;
    const int kept = part->n_from[kind] = cdn_spec_count(t->spec, (cdn_spec_kind)kind) + 1;
    part->to[kind] = cdni_alloc(a, (size_t)n * sizeof(int));
    part->from[kind] = cdni_alloc(a, (size_t)kept * sizeof(int));
    if (!part->to[kind] || !part->from[kind]) return CDN_ERR_NOMEM;
    for (int i = 0, at = 0; i < t->gone.n[kind]; i++) {
      part->to[kind][i] = t->gone.of[kind][i] ? -1 : at;
      if (!t->gone.of[kind][i]) part->from[kind][at++] = i;
    }
  }
  return CDN_OK;
}

static cdn_status take(const mjcf_reader *c, taking *t, int place, int frame) {
  CDNI_TRY(io_spec_index_make(t->spec, &t->names));
  CDNI_TRY(io_marks_make(t->spec, &t->gone));
  CDNI_TRY(io_marks_make(t->spec, &t->direct));
  if (frame < 0 ? !take_body(c, t, place) : !take_frame(c, t, frame)) return CDN_ERR_NOMEM;
  return remove_rest(t);
}

/* The body at `place`, or a frame. */
static cdn_status cut(const mjcf_reader *r, const mjcf_child *child, int place, int frame, mjcf_part *part) {
  const cdn_allocator *a = &r->log->allocator;
  const mjcf_reader *c = &child->reader;
  CDNI_TRY(cdn_spec_copy(child->spec, &part->spec));
  taking t = { .child = child, .spec = part->spec };
  cdn_status status = take(c, &t, place, frame);
  if (status == CDN_OK) status = make_maps(a, &t, part);
  io_spec_index_free(t.spec, &t.names);
  io_marks_free(t.spec, &t.gone);
  io_marks_free(t.spec, &t.direct);
  cdni_array_free(a, &t.bodies);
  part->X_undone =
      cdn_transform_invert(frame < 0 ? io_place_at(&c->tree, place)->X_PS : CDNI_AT(c->frames, mjcf_frame, frame).X_BS);
  return status;
}

static cdn_status fill(mjcf_reader *r, io_xml_node *node, const mjcf_child *child, mjcf_part *part) {
  const mjcf_reader *c = &child->reader;
  const bool of_body = strcmp(part->word, "body") == 0;
  part->spec = child->spec;
  if (part->name) {
    const int place = of_body ? io_mjcf_find_body(c, part->name) : 0;
    const int frame = of_body ? -1 : find_frame(c, part->name);
    part->spec = NULL;
    if (place <= 0 && frame < 0)
      return io_xml_fail(r->log, CDN_ERR_PARSE, node, "there is no %s '%.60s' in the attached model; correct the name",
                         part->word, part->name);
    if (cut(r, child, place, frame, part) != CDN_OK) return io_mjcf_out_of_memory(r);
  }
  return io_spec_index_make(part->spec, &part->names) == CDN_OK ? CDN_OK : io_mjcf_out_of_memory(r);
}

cdn_status io_mjcf_find_part(mjcf_reader *r, io_xml_node *node, mjcf_child *child, const char *word, const char *name,
                             const mjcf_part **out) {
  const cdn_allocator *a = &r->log->allocator;
  for (size_t i = 0; i < child->parts.count; i++) {
    const mjcf_part *known = *out = CDNI_AT(child->parts, mjcf_part *, i);
    if (!name ? !known->name : known->name && strcmp(known->word, word) == 0 && strcmp(known->name, name) == 0)
      return CDN_OK;
  }
  mjcf_part *part = cdni_calloc(a, sizeof *part);
  *out = part;
  if (!part || !cdni_array_push(a, &child->parts, sizeof part, &part)) {
    cdni_free(a, part, sizeof *part);
    return io_mjcf_out_of_memory(r);
  }
  part->word = word, part->name = name;
  return fill(r, node, child, part);
}

void io_mjcf_free_part(const cdn_allocator *a, const mjcf_child *child, mjcf_part *part) {
  for (int kind = 0; kind < CDN_SPEC_KIND_COUNT; kind++) {
    if (part->to[kind]) cdni_free(a, part->to[kind], (size_t)part->n_to[kind] * sizeof(int));
    if (part->from[kind]) cdni_free(a, part->from[kind], (size_t)part->n_from[kind] * sizeof(int));
  }
  if (part->spec) io_spec_index_free(part->spec, &part->names);
  if (part->spec != child->spec) cdn_spec_destroy(part->spec);
  cdni_free(a, part, sizeof *part);
}
