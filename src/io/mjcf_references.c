/* Which attributes of elements are names of others. */
#include "io/mjcf_references.h"

static const struct {
  const char *attribute;
  mjcf_named of;
} references[] = {
  { "joint", MJCF_OF_JOINT },         { "joint1", MJCF_OF_JOINT },     { "joint2", MJCF_OF_JOINT },
  { "jointinparent", MJCF_OF_JOINT }, { "body", MJCF_OF_BODY },        { "body1", MJCF_OF_BODY },
  { "body2", MJCF_OF_BODY },          { "subtree1", MJCF_OF_BODY },    { "subtree2", MJCF_OF_BODY },
  { "target", MJCF_OF_BODY },         { "geom", MJCF_OF_GEOM },        { "geom1", MJCF_OF_GEOM },
  { "geom2", MJCF_OF_GEOM },          { "site", MJCF_OF_SITE },        { "site1", MJCF_OF_SITE },
  { "site2", MJCF_OF_SITE },          { "cranksite", MJCF_OF_SITE },   { "slidersite", MJCF_OF_SITE },
  { "refsite", MJCF_OF_SITE },        { "sidesite", MJCF_OF_SITE },    { "tendon", MJCF_OF_TENDON },
  { "tendon1", MJCF_OF_TENDON },      { "tendon2", MJCF_OF_TENDON },   { "actuator", MJCF_OF_ACTUATOR },
  { "camera", MJCF_OF_CAMERA },       { "objname", MJCF_OF_ANYTHING }, { "refname", MJCF_OF_ANYTHING }
};

/* objname and refname are of what objtype and reftype say. */
static mjcf_named kind_of(const io_xml_node *node, const char *attribute, mjcf_named of) {
  static const char *const words[MJCF_OF_KINDS] = { "body", "joint", "geom", "site", "tendon", "actuator", "camera" };
  if (of != MJCF_OF_ANYTHING) return of;
  const char *type = io_xml_peek(node, attribute[0] == 'o' ? "objtype" : "reftype");
  if (type && strcmp(type, "xbody") == 0) return MJCF_OF_BODY;
  for (int i = 0; type && i < MJCF_OF_KINDS; i++)
    if (strcmp(type, words[i]) == 0) return (mjcf_named)i;
  return MJCF_OF_ANYTHING;
}

bool io_mjcf_reference(const io_xml_node *node, int i, mjcf_reference *out) {
  if (i >= CDNI_COUNT(references)) return false;
  out->attribute = references[i].attribute;
  out->text = io_xml_peek(node, out->attribute);
  out->of = kind_of(node, out->attribute, references[i].of);
  return true;
}

bool io_mjcf_is_of_the_model(const mjcf_reference *ref) {
  return ref->text && ref->of < MJCF_OF_KINDS && (ref->of != MJCF_OF_BODY || strcmp(ref->text, "world") != 0);
}

mjcf_named io_mjcf_kind_of_element(const io_xml_node *node) {
  static const struct {
    const char *word;
    mjcf_named kind;
  } words[] = { { "body", MJCF_OF_BODY }, { "joint", MJCF_OF_JOINT }, { "freejoint", MJCF_OF_JOINT },
                { "geom", MJCF_OF_GEOM }, { "site", MJCF_OF_SITE },   { "camera", MJCF_OF_CAMERA } };
  for (int i = 0; i < CDNI_COUNT(words); i++)
    if (io_xml_is(node, words[i].word)) return words[i].kind;
  return MJCF_OF_ANYTHING;
}
