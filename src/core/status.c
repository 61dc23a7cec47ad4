/* Names and texts of statuses and stages, and the version of the library that runs. */
#include "core/core.h"

const char *cdn_status_name(cdn_status status) {
  switch ((int)status) {
#define STATUS_NAME(name, code, text) \
  case code: return "CDN_" #name;
    CDN_STATUS_LIST(STATUS_NAME)
#undef STATUS_NAME
    default: return "CDN_?";
  }
}

const char *cdn_status_text(cdn_status status) {
  switch ((int)status) {
#define STATUS_TEXT(name, code, text) \
  case code: return text;
    CDN_STATUS_LIST(STATUS_TEXT)
#undef STATUS_TEXT
    default: return "unknown status";
  }
}

const char *cdn_stage_name(cdn_stage stage) {
  static const char *const names[CDN_STAGE_COUNT] = { "Empty",    "Topology", "Model", "Instance",     "Time",
                                                      "Position", "Velocity", "Force", "Acceleration", "Report" };
  int i = (int)stage;
  return i >= 0 && i < CDN_STAGE_COUNT ? names[i] : "?";
}

uint32_t cdn_version(void) { return CDN_VERSION; }
