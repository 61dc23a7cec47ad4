/* A trajectory file as States of its System. */
#include "played.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

struct played_run {
  frame_file *frames; /* of a molecule; NULL: a table of rows */
  double next;        /* frame */
  cdni_rows *rows;
  const cdn_system *system;
  int nq, nu;
  int *column; /* of each q, then of each u; -1: there is none */
  double *y;   /* work: q and u */
};

/* The columns of a pool; false, with a message, if a coordinate is missing. */
static bool find_columns(played_run *r, const char *path, cdn_pool pool, int n, int *column) {
  /* Room for one character more than the longest column has: a longer name is cut off there, and is no column. */
  size_t room = 200;
  for (int k = 1; k < cdni_rows_columns(r->rows); k++) {
    const size_t length = strlen(cdni_rows_name(r->rows, k)) + 2;
    room = length > room ? length : room;
  }
  char *name = allocate(room, 1);
  bool found = true;
  for (int i = 0; i < n && found; i++) {
    cdn_system_slot_name(r->system, pool, i, name, room);
    column[i] = -1;
    for (int k = 1; k < cdni_rows_columns(r->rows) && column[i] < 0; k++)
      if (strcmp(cdni_rows_name(r->rows, k), name) == 0) column[i] = k;
    if (column[i] >= 0 || pool == CDN_POOL_U) continue;
    complain("%s: has no column '%s' and is no run of this model: name the model, with the options, that was simulated",
             path, name);
    found = false;
  }
  free(name);
  return found;
}

static played_run *open_frames(const char *path, const molecule_shown *molecule, bool quiet, int *code) {
  frame_file *f = frames_open(path, molecule, quiet, code);
  played_run *r = f ? allocate(1, sizeof *r) : NULL;
  if (r) r->frames = f;
  return r;
}

played_run *run_open(const char *path, const cdn_system *system, const molecule_shown *molecule, bool quiet,
                     int *code) {
  if (molecule) return open_frames(path, molecule, quiet, code);
  played_run *r = allocate(1, sizeof *r);
  r->system = system;
  r->nq = cdn_system_nq(system), r->nu = cdn_system_nu(system);
  r->column = allocate((size_t)(r->nq + r->nu) + 1, sizeof *r->column);
  r->y = allocate((size_t)(r->nq + r->nu) + 1, sizeof *r->y);
  r->rows = open_rows(path, code);
  if (*code == CMD_OK && (!find_columns(r, path, CDN_POOL_Q, r->nq, r->column) ||
                          !find_columns(r, path, CDN_POOL_U, r->nu, r->column + r->nq)))
    *code = CMD_INPUT;
  if (*code == CMD_OK) return r;
  run_close(r);
  return NULL;
}

void run_close(played_run *r) {
  if (!r) return;
  frames_close(r->frames);
  if (r->rows) cdni_rows_close(r->rows);
  free(r->column);
  free(r->y);
  free(r);
}

double run_first_time(const played_run *r) { return r->frames ? run_frame_time(r, 0) : cdni_rows_first_time(r->rows); }
double run_last_time(const played_run *r) {
  return r->frames ? run_frame_time(r, run_rows(r) - 1) : cdni_rows_last_time(r->rows);
}
double run_rows(const played_run *r) { return r->frames ? frames_count(r->frames) : cdni_rows_count(r->rows); }
double run_frame_time(const played_run *r, double k) { return frames_time(r->frames, k); }

/* A quaternion and its opposite are one rotation: the second row's sign is the one that is nearer to the first's. */
static void turn_signs(const played_run *r, const double *row, const double *next, double share) {
  for (int b = 1; b < cdn_system_body_count(r->system); b++) {
    const cdn_body body = { b };
    if (!cdn_body_has_quaternion(r->system, body)) continue;
    const int first = cdn_body_first_q(r->system, body);
    double dot = 0;
    for (int k = 0; k < 4; k++) dot += row[r->column[first + k]] * next[r->column[first + k]];
    for (int k = 0; dot < 0 && k < 4; k++) {
      const int column = r->column[first + k];
      r->y[first + k] = (1 - share) * row[column] - share * next[column];
    }
  }
}

static cdn_status set_between(const played_run *r, double time, const double *row, const double *next,
                              cdn_state *state) {
  const double span = next[0] - row[0], share = span > 0 ? fmin(fmax((time - row[0]) / span, 0), 1) : 0;
  for (int i = 0; i < r->nq + r->nu; i++) {
    const int c = r->column[i];
    r->y[i] = c < 0 ? 0 : (1 - share) * row[c] + share * next[c];
  }
  turn_signs(r, row, next, share);
  CDN_TRY(cdn_state_set_time(state, time));
  CDN_TRY(cdn_state_set_q(state, r->y));
  CDN_TRY(cdn_state_set_u(state, r->y + r->nq));
  return cdn_mocap_take(state);
}

/* Rows have no statuses of rigid contact, limits and friction: they follow from the row's q and u, and hold until the
 * next row. Between rows they would not: gaps of q between two rows are not those of the run. Where none fit the row,
 * those of before are shown. */
static cdn_status set(const played_run *r, double time, const double *row, const double *next, cdn_state *state) {
  if (cdn_system_one_sided_count(r->system) + cdn_system_dry_friction_count(r->system) > 0) {
    CDN_TRY(set_between(r, row[0], row, row, state));
    const cdn_status status = cdn_settle(state, 0);
    if (status != CDN_OK && status != CDN_ERR_CONSTRAINT && status != CDN_ERR_SINGULAR) return status;
  }
  return set_between(r, time, row, next, state);
}

cdn_status run_set(const played_run *r, double time, cdn_state *state) {
  const double *row, *next;
  if (r->frames) return frames_set(r->frames, time, state);
  CDN_TRY(cdni_rows_at(r->rows, time, &row, &next));
  return set(r, time, row, next ? next : row, state);
}

/* The time of the first frame that is later, by more than rounding. */
static double next_frame_time(const played_run *r, double time) {
  const double first = run_frame_time(r, 0), apart = run_frame_time(r, 1) - first, last = run_rows(r) - 1;
  if (!(apart > 0)) return time;
  const double k = fmax(floor((time - first) / apart + 1e-6) + 1, 0);
  return k <= last ? run_frame_time(r, k) : time;
}

cdn_status run_next_time(const played_run *r, double time, double *next) {
  const double *row, *behind;
  if (r->frames) {
    *next = next_frame_time(r, time);
    return CDN_OK;
  }
  CDN_TRY(cdni_rows_at(r->rows, time, &row, &behind));
  *next = row[0] > time ? row[0] : behind ? behind[0] : time;
  return CDN_OK;
}

void run_rewind(played_run *r) {
  if (r->frames) r->next = 0;
  else cdni_rows_rewind(r->rows);
}

cdn_status run_set_next(played_run *r, cdn_state *state, bool *more) {
  const double *row;
  if (r->frames) {
    *more = r->next < run_rows(r);
    return *more ? frames_set(r->frames, run_frame_time(r, r->next++), state) : CDN_OK;
  }
  CDN_TRY(cdni_rows_next(r->rows, &row));
  *more = row != NULL;
  return row ? set(r, row[0], row, row, state) : CDN_OK;
}
