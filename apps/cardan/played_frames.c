/* Molecules as they are shown: a topology of AMBER's, of which each atom moves freely, and frames of a trajectory, or
 * the one of a file of coordinates. */
#define _POSIX_C_SOURCE 200809L
#include <cardan/molecule.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "played.h"

bool is_topology(const char *path) {
  unsigned char head[2] = { 0, 0 };
  struct stat kind;
  /* what comes through a pipe is read once, by whoever loads it */
  FILE *file = path && stat(path, &kind) == 0 && S_ISREG(kind.st_mode) ? fopen(path, "rb") : NULL;
  const size_t n = file ? fread(head, 1, sizeof head, file) : 0;
  if (file) fclose(file);
  /* %VERSION or %FLAG, or compressed, which model files are not */
  return n == 2 && (head[0] == '%' || (head[0] == 0x1f && head[1] == 0x8b));
}

/* ---- the molecule ---------------------------------------------------------------------------- */

static int refused(void) {
  cdn_error error;
  cdn_last_error(&error);
  complain_error("", &error);
  return error.code == CDN_ERR_NOMEM ? CMD_FAILED : CMD_INPUT;
}

static void show_warnings(int n, const char *const *warnings, bool quiet) {
  for (int i = 0; !quiet && i < n; i++) complain("%s", visible(warnings[i]));
}

/* Atoms start apart from each other, whatever frame comes first. */
static cdn_molecule *describe(const cdn_prmtop *prmtop) {
  cdn_molecule *m = cdn_molecule_from_prmtop(prmtop, NULL);
  double *x = allocate(3 * (size_t)prmtop->n_atoms, sizeof *x);
  for (int i = 0; i < prmtop->n_atoms; i++) x[3 * i] = 0.1 * i;
  if (m) cdn_molecule_set_positions(m, x), cdn_molecule_set_mobility(m, "atoms");
  free(x);
  return m;
}

static cdn_status make_state(const cdn_prmtop *prmtop, molecule_shown *out) {
  cdn_molecule *molecule = describe(prmtop);
  cdn_system *system = cdn_system_create(NULL);
  cdn_status status = molecule && system ? CDN_OK : CDN_ERR_NOMEM;
  if (!status) out->field = cdn_system_add_molecule(system, NULL, molecule, cdn_ground());
  if (!status) status = cdn_system_freeze(system);
  if (!status) status = cdn_state_create(system, &out->state);
  cdn_system_release(system);
  cdn_molecule_destroy(molecule);
  return status;
}

static bool takes_options(const model_arguments *a) {
  if (!a->key && !a->state && a->controls.n == 0 && a->mocap.n == 0 && !a->ground.there) return true;
  complain("%s is a molecule: it has no keyframes, states of JSON, controls, mocap bodies or ground", visible(a->path));
  return false;
}

int molecule_open(molecule_shown *out, const model_arguments *arguments) {
  *out = (molecule_shown){ .field = { -1 } };
  if (!takes_options(arguments)) return CMD_USAGE;
  cdn_molecule_read_def def = cdn_default_molecule_read_def();
  def.ignore_box = true; /* it does not matter to what is shown */
  if (cdn_prmtop_load(arguments->path, &def, &out->prmtop) != CDN_OK) return refused();
  return make_state(out->prmtop, out) == CDN_OK ? CMD_OK : refused();
}

void molecule_close(molecule_shown *m) {
  cdn_state_destroy(m->state);
  cdn_prmtop_destroy(m->prmtop);
}

/* ---- frames ---------------------------------------------------------------------------------- */

struct frame_file {
  const molecule_shown *molecule;
  cdn_dcd *dcd; /* NULL: one frame, which stays in x[0] */
  double n, from, apart;
  cdn_vec3 *x[2];
  int64_t held[2]; /* which frames these are; -1: none */
  double *between;
};

static bool is_dcd(const char *path) { return ends_in(path, ".dcd") || ends_in(path, ".dcd.gz"); }

static cdn_status open_dcd(frame_file *f, const char *path, bool quiet) {
  cdn_dcd_info info;
  CDN_TRY(cdn_dcd_open(path, f->molecule->prmtop, NULL, &f->dcd));
  CDN_TRY(cdn_dcd_get_info(f->dcd, &info));
  if (info.warning[0] && !quiet) complain("%s", visible(info.warning));
  f->n = (double)info.n_frames;
  f->apart = (double)info.interval * info.time_step, f->from = (double)info.first_step * info.time_step;
  /* a file whose header tells no times has a frame each ps */
  if (!(f->apart > 0) || !isfinite(f->apart + f->from)) f->apart = 1, f->from = 0;
  return CDN_OK;
}

static cdn_status open_restart(frame_file *f, const char *path, bool quiet) {
  cdn_molecule_read_def def = cdn_default_molecule_read_def();
  cdn_restart *restart;
  def.ignore_box = true;
  CDN_TRY(cdn_restart_load(path, f->molecule->prmtop, &def, &restart));
  show_warnings(restart->n_warnings, restart->warnings, quiet);
  memcpy(f->x[0], restart->positions, (size_t)f->molecule->prmtop->n_atoms * sizeof *f->x[0]);
  f->n = 1, f->from = isfinite(restart->time) ? restart->time : 0, f->held[0] = 0;
  cdn_restart_destroy(restart);
  return CDN_OK;
}

frame_file *frames_open(const char *path, const molecule_shown *molecule, bool quiet, int *code) {
  frame_file *f = allocate(1, sizeof *f);
  const size_t n = (size_t)molecule->prmtop->n_atoms;
  f->molecule = molecule;
  for (int k = 0; k < 2; k++) f->x[k] = allocate(n, sizeof *f->x[k]), f->held[k] = -1;
  f->between = allocate(3 * n, sizeof *f->between);
  *code = CMD_OK;
  if ((is_dcd(path) ? open_dcd(f, path, quiet) : open_restart(f, path, quiet)) != CDN_OK) *code = refused();
  else if (f->n < 1) {
    complain("%s: has no frames", visible(path));
    *code = CMD_INPUT;
  }
  if (*code == CMD_OK) return f;
  frames_close(f);
  return NULL;
}

void frames_close(frame_file *f) {
  if (!f) return;
  cdn_dcd_close(f->dcd);
  for (int k = 0; k < 2; k++) free(f->x[k]);
  free(f->between);
  free(f);
}

double frames_count(const frame_file *f) { return f->n; }
double frames_time(const frame_file *f, double k) { return f->from + k * f->apart; }

/* Frame k in x[slot]. */
static cdn_status hold(frame_file *f, int slot, int64_t k) {
  if (f->held[slot] == k) return CDN_OK;
  if (f->held[!slot] == k) {
    cdn_vec3 *x = f->x[slot];
    f->x[slot] = f->x[!slot], f->x[!slot] = x;
    f->held[!slot] = f->held[slot], f->held[slot] = k;
    return CDN_OK;
  }
  f->held[slot] = -1;
  CDN_TRY(cdn_dcd_read(f->dcd, k, f->x[slot]));
  f->held[slot] = k;
  return CDN_OK;
}

cdn_status frames_set(frame_file *f, double time, cdn_state *state) {
  const double last = f->n - 1, at = f->apart > 0 ? fmin(fmax((time - f->from) / f->apart, 0), last) : 0;
  /* a time that was calculated from a frame's number is that frame's */
  const double whole = fabs(at - round(at)) < 1e-6 ? round(at) : floor(at), share = fmax(at - whole, 0);
  CDN_TRY(hold(f, 0, (int64_t)whole));
  if (share > 0) CDN_TRY(hold(f, 1, (int64_t)whole + 1));
  for (int i = 0; i < f->molecule->prmtop->n_atoms; i++) {
    const cdn_vec3 a = f->x[0][i], b = share > 0 ? f->x[1][i] : a;
    const cdn_vec3 p = cdn_add(cdn_scale(1 - share, a), cdn_scale(share, b));
    f->between[3 * i] = p.x, f->between[3 * i + 1] = p.y, f->between[3 * i + 2] = p.z;
  }
  CDN_TRY(cdn_state_set_time(state, time));
  return cdn_force_field_set_positions(state, f->molecule->field, f->between);
}
