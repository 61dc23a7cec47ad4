/* The medium around the bodies of a spec. */
#include "core/sized.h"
#include "io/model.h"

CDNI_DEF(spec_medium, .density = 0);

cdn_status cdn_spec_get_medium_sized(const cdn_spec *spec, cdn_spec_medium *out, size_t size) {
  const uint32_t struct_size = (uint32_t)size;
  cdni_sized_write(out, size, spec ? &spec->whole.medium : &spec_medium_defaults, sizeof *out);
  if (out && size >= sizeof struct_size) memcpy(out, &struct_size, sizeof struct_size);
  if (spec && out) return CDN_OK;
  return cdni_refuse(CDN_ERR_ARG, "cdn_spec_get_medium", "the spec, or where its medium shall go, is NULL");
}

const char *io_check_medium(const cdn_spec_medium *m) {
  const double numbers[] = { m->density, m->viscosity, m->wind.x, m->wind.y, m->wind.z };
  if (!cdni_all_finite(numbers, CDNI_COUNT(numbers), NULL)) return "a number of the medium is NaN or infinite";
  return m->density < 0 || m->viscosity < 0 ? "density and viscosity must not be negative" : NULL;
}

cdn_status cdn_spec_set_medium(cdn_spec *spec, const cdn_spec_medium *def) {
  static const char function[] = "cdn_spec_set_medium";
  if (!spec) return cdni_refuse(CDN_ERR_ARG, function, "the spec is NULL");
  cdn_spec_medium known;
  const char *wrong = def ? read_spec_medium(&known, def) : "no def is given: start with cdn_default_spec_medium()";
  if (wrong) return cdni_error_set(&spec->log.error, def ? CDN_ERR_VERSION : CDN_ERR_ARG, function, NULL, "%s", wrong);
  if ((wrong = io_check_medium(&known)))
    return cdni_error_set(&spec->log.error, strstr(wrong, "NaN") ? CDN_ERR_NONFINITE : CDN_ERR_ARG, function, NULL,
                          "%s", wrong);
  spec->whole.medium = known;
  return CDN_OK;
}
