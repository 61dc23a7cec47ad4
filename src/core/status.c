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

const char *cdn_status_advice(cdn_status status) {
  switch ((int)status) {
    case CDN_ERR_NONFINITE:
      return "look at the element named for a division by zero, a root or a logarithm of a negative number, or values that "
             "grow without bound; where its formula does not hold let it fail recoverably, which makes steps shorter";
    case CDN_ERR_SINGULAR:
      return "a joint: give mass to the bodies that it moves, or armature to it, keep the motion away from this "
             "configuration, or describe it with another mobilizer (a ball in place of pins in line); a force or constraint "
             "between two points: keep them apart";
    case CDN_ERR_CALLBACK:
      return "see the message of the callback named; if shorter steps may cure the failure, let the callback report it as recoverable (cdn_state_fail)";
    case CDN_ERR_CONSTRAINT:
      return "see whether the constraint named can be satisfied where the others lead (limits of reach, a pose in which a "
             "mechanism locks), or raise constraint_tolerance";
    case CDN_ERR_UNDECLARED: return "add the ticket of the value that was read to the prerequisites of the entry named";
    case CDN_ERR_NOMEM: return "free memory, or take a smaller model";
    default: return "";
  }
}

const char *cdn_stage_name(cdn_stage stage) {
  static const char *const names[CDN_STAGE_COUNT] = { "Empty",    "Topology", "Model", "Instance",     "Time",
                                                      "Position", "Velocity", "Force", "Acceleration", "Report" };
  int i = (int)stage;
  return i >= 0 && i < CDN_STAGE_COUNT ? names[i] : "?";
}

uint32_t cdn_version(void) { return CDN_VERSION; }
