/* Checkpoints of `cardan md`: a line of text with the options, one that says where the run is, then the States. Numbers
 * of the line read back as the same bits. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/whole_file.h"
#include "md.h"

static const char begins[] = "cardan md checkpoint 3";
enum { N_NUMBERS = 25, LONGEST = 1024 };

/* All numbers of a position, in the order of the file. */
static void list(md_position *p, double *numbers[N_NUMBERS]) {
  md_sums *s = &p->sums;
  double *all[N_NUMBERS] = { &p->steps,
                             &p->frames,
                             &p->interval,
                             &p->table,
                             &p->table_sum,
                             &p->t0,
                             &p->within,
                             &s->n,
                             &s->t0,
                             &s->E0,
                             &s->t,
                             &s->tt,
                             &s->E,
                             &s->EE,
                             &s->tE,
                             &s->kinetic,
                             &s->heat,
                             &s->chain,
                             &s->constraint_error,
                             &s->distance,
                             &s->trajectories,
                             &s->accepted,
                             &s->unsolved,
                             &s->exp,
                             &s->exp_squares };
  memcpy(numbers, all, sizeof all);
}

/* ---- writing ------------------------------------------------------------------------------- */

static cdn_status save_states(const md_sampler *s, cdn_buffer *bytes) {
  CDN_TRY(cdn_state_save(md_sampler_state(s), cdn_buffer_write, bytes));
  return s->companion ? cdn_state_save(cdn_hmc_state(s->companion), cdn_buffer_write, bytes) : CDN_OK;
}

bool md_save(const md_arguments *a, const md_position *position, const md_sampler *s) {
  md_position p = *position;
  double *numbers[N_NUMBERS];
  cdn_buffer bytes = { .size = 0 };
  cdni_whole_file file;
  char options[LONGEST];
  bool written = false;
  list(&p, numbers);
  md_options_text(a, options, sizeof options);
  errno = 0;
  if (save_states(s, &bytes) == CDN_OK && cdni_whole_begin(&file, a->checkpoint)) {
    fprintf(file.file, "%s\n%s\n", begins, options);
    for (int i = 0; i < N_NUMBERS; i++) fprintf(file.file, "%.17g%c", *numbers[i], i + 1 < N_NUMBERS ? ' ' : '\n');
    const bool good = fwrite(bytes.bytes, 1, bytes.size, file.file) == bytes.size;
    written = cdni_whole_end(&file, good);
  }
  if (!written)
    complain("%s: the checkpoint could not be written%s%s", visible(a->checkpoint), errno ? ": " : "",
             errno ? strerror(errno) : "");
  cdn_buffer_free(&bytes);
  return written;
}

/* ---- reading ------------------------------------------------------------------------------- */

static cdn_status read_bytes(void *context, void *bytes, size_t size) {
  return fread(bytes, 1, size, context) == size ? CDN_OK : CDN_ERR_PARSE;
}

/* A line without its end. */
static bool read_line(FILE *file, char text[LONGEST]) {
  if (!fgets(text, LONGEST, file)) return false;
  char *end = strchr(text, '\n');
  if (end) *end = 0;
  return end;
}

/* The lines of text: finite numbers that a run can have. */
static bool read_head(FILE *file, char options[LONGEST], md_position *p) {
  double *numbers[N_NUMBERS];
  char first[LONGEST];
  list(p, numbers);
  bool good = read_line(file, first) && strcmp(first, begins) == 0 && read_line(file, options);
  for (int i = 0; i < N_NUMBERS; i++) good = good && fscanf(file, " %lf", numbers[i]) == 1 && isfinite(*numbers[i]);
  good = good && fgetc(file) == '\n';
  for (int i = 0; i < 3; i++)
    good = good && *numbers[i] >= 0 && *numbers[i] < 1e15 && trunc(*numbers[i]) == *numbers[i];
  return good && p->interval >= 1 && p->table >= -1 && p->table < 1e15 && p->sums.n >= 1;
}

static cdn_status read_states(const md_arguments *a, const md_molecule *m, FILE *file, cdn_state **companion) {
  CDN_TRY(cdn_state_load(m->state, read_bytes, file));
  if (!a->companion) return CDN_OK;
  CDN_TRY(cdn_state_create(m->system, companion));
  return cdn_state_load(*companion, read_bytes, file);
}

static int load(const md_arguments *a, const md_molecule *m, FILE *file, md_position *p, cdn_state **companion) {
  char theirs[LONGEST], ours[LONGEST];
  const char *path = visible(a->resume);
  if (!read_head(file, theirs, p)) {
    complain("%s: is no checkpoint of 'cardan md', or is damaged", path);
    return CMD_INPUT;
  }
  md_options_text(a, ours, sizeof ours);
  if (strcmp(theirs, ours) != 0 || (p->table >= 0) != (a->table && strcmp(a->table, "-") != 0)) {
    complain("%s: is of a run with other options: %s%s", path, visible(theirs),
             p->table >= 0 ? ", and with --table" : ", and without --table");
    return CMD_USAGE;
  }
  const cdn_status status = read_states(a, m, file, companion);
  if (status == CDN_OK) return CMD_OK;
  cdn_error error;
  cdn_state_last_error(*companion ? *companion : m->state, &error);
  if (error.text[0]) complain_error(a->resume, &error);
  else complain("%s: is damaged", path);
  return status == CDN_ERR_NOMEM ? CMD_FAILED : CMD_INPUT;
}

int md_resume(const md_arguments *a, const md_molecule *m, md_position *position, cdn_state **companion) {
  *companion = NULL;
  FILE *file = fopen(a->resume, "rb");
  if (!file) {
    complain("%s: could not be read: %s", visible(a->resume), strerror(errno));
    return CMD_INPUT;
  }
  const int code = load(a, m, file, position, companion);
  fclose(file);
  return code;
}
