/* Sweeps in a library that was built without jansson. */
#include <cardan/sweep.h>
#include <math.h>

#include "core/sized.h"

CDNI_DEF(sweep_run_def, .between = NULL);

static cdn_status refuse(const char *function) {
  return cdni_refuse(CDN_ERR_UNSUPPORTED, function,
                     "studies are read by jansson, without which this library was built: install jansson (Debian: "
                     "libjansson-dev) and build again");
}

cdn_status cdn_sweep_load(const char *path, cdn_sweep **out) {
  (void)path;
  if (out) *out = NULL;
  return refuse(__func__);
}
cdn_status cdn_sweep_load_string(const char *text, size_t size, const char *path, cdn_sweep **out) {
  (void)text, (void)size, (void)path;
  if (out) *out = NULL;
  return refuse(__func__);
}
void cdn_sweep_destroy(cdn_sweep *sweep) { (void)sweep; }
void cdn_sweep_interrupt(cdn_sweep *sweep) { (void)sweep; }
int64_t cdn_sweep_case_count(const cdn_sweep *sweep) { return (void)sweep, 0; }
int64_t cdn_sweep_block_count(const cdn_sweep *sweep) { return (void)sweep, 0; }
int64_t cdn_sweep_block_size(const cdn_sweep *sweep) { return (void)sweep, 0; }
int cdn_sweep_variable_count(const cdn_sweep *sweep) { return (void)sweep, 0; }
int cdn_sweep_column_count(const cdn_sweep *sweep) { return (void)sweep, 0; }
const char *cdn_sweep_folder(const cdn_sweep *sweep) { return (void)sweep, NULL; }
const char *cdn_sweep_message(const cdn_sweep *sweep) { return (void)sweep, NULL; }
const char *cdn_sweep_variable_name(const cdn_sweep *sweep, int i) { return (void)sweep, (void)i, NULL; }
const char *cdn_sweep_column_name(const cdn_sweep *sweep, int i) { return (void)sweep, (void)i, NULL; }
const char *cdn_sweep_column_unit(const cdn_sweep *sweep, int i) { return (void)sweep, (void)i, NULL; }
const char *cdn_sweep_status_text(int status) { return cdn_status_text((cdn_status)status); }
const cdn_system *cdn_sweep_system(const cdn_sweep *sweep) { return (void)sweep, NULL; }

/* There is no sweep with which these could be called. */
cdn_status cdn_sweep_values(const cdn_sweep *sweep, int64_t k, double *values) {
  return (void)sweep, (void)k, (void)values, refuse(__func__);
}
cdn_status cdn_sweep_set_state(cdn_sweep *sweep, int64_t k, cdn_state *state) {
  return (void)sweep, (void)k, (void)state, refuse(__func__);
}
cdn_status cdn_sweep_run_case(cdn_sweep *sweep, int64_t k, double *row) {
  return (void)sweep, (void)k, (void)row, refuse(__func__);
}
cdn_status cdn_sweep_run_block(cdn_sweep *sweep, int64_t block, const cdn_sweep_run_def *def) {
  (void)sweep, (void)block, (void)read_sweep_run_def;
  return (void)def, refuse(__func__);
}
cdn_status cdn_sweep_missing(cdn_sweep *sweep, int64_t part, int64_t n_parts, int64_t room, int64_t *blocks,
                             int64_t *count) {
  return (void)sweep, (void)part, (void)n_parts, (void)room, (void)blocks, (void)count, refuse(__func__);
}
cdn_status cdn_sweep_status_sized(cdn_sweep *sweep, cdn_sweep_report *out, size_t struct_size) {
  return (void)sweep, (void)out, (void)struct_size, refuse(__func__);
}
cdn_status cdn_sweep_gather(cdn_sweep *sweep, const char *path) { return (void)sweep, (void)path, refuse(__func__); }
