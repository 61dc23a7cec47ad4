/* Checkpoints of `cardan md`: a line of text that says where the run is, then its stepper. Numbers of the line read
 * back as the same bits. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/whole_file.h"
#include "md.h"

static const char begins[] = "cardan md checkpoint 1";
enum { N_NUMBERS = 15 };

/* All numbers of a position, in the order of the file. */
static void list(md_position *p, double *numbers[N_NUMBERS]) {
  double *all[N_NUMBERS] = { &p->steps,   &p->frames,   &p->interval, &p->table,    &p->t0,
                             &p->kinetic, &p->within,   &p->trend.n,  &p->trend.t0, &p->trend.E0,
                             &p->trend.t, &p->trend.tt, &p->trend.E,  &p->trend.EE, &p->trend.tE };
  memcpy(numbers, all, sizeof all);
}

bool md_save(const md_arguments *a, const md_position *position, cdn_stepper *stepper) {
  md_position p = *position;
  double *numbers[N_NUMBERS];
  cdn_buffer bytes = { .size = 0 };
  cdni_whole_file file;
  bool written = false;
  list(&p, numbers);
  errno = 0;
  if (cdn_stepper_save(stepper, cdn_buffer_write, &bytes) == CDN_OK && cdni_whole_begin(&file, a->checkpoint)) {
    fputs(begins, file.file);
    for (int i = 0; i < N_NUMBERS; i++) fprintf(file.file, " %.17g", *numbers[i]);
    fputc('\n', file.file);
    const bool good = fwrite(bytes.bytes, 1, bytes.size, file.file) == bytes.size;
    written = cdni_whole_end(&file, good);
  }
  if (!written)
    complain("%s: the checkpoint could not be written%s%s", visible(a->checkpoint), errno ? ": " : "",
             errno ? strerror(errno) : "");
  cdn_buffer_free(&bytes);
  return written;
}

static cdn_status read_bytes(void *context, void *bytes, size_t size) {
  return fread(bytes, 1, size, context) == size ? CDN_OK : CDN_ERR_PARSE;
}

/* The line of text: finite numbers that a run can have. */
static bool read_head(FILE *file, md_position *p) {
  double *numbers[N_NUMBERS];
  char word[sizeof begins];
  list(p, numbers);
  bool good = fread(word, 1, sizeof word - 1, file) == sizeof word - 1 && memcmp(word, begins, sizeof word - 1) == 0;
  for (int i = 0; i < N_NUMBERS; i++) good = good && fscanf(file, " %lf", numbers[i]) == 1 && isfinite(*numbers[i]);
  good = good && fgetc(file) == '\n';
  for (int i = 0; i < 3; i++)
    good = good && *numbers[i] >= 0 && *numbers[i] < 1e15 && trunc(*numbers[i]) == *numbers[i];
  return good && p->interval >= 1 && p->table >= -1 && p->table < 1e15 && p->trend.n >= 1;
}

static int load(const md_arguments *a, const md_molecule *m, FILE *file, md_position *p, cdn_stepper **stepper) {
  const char *path = visible(a->resume);
  if (!read_head(file, p)) {
    complain("%s: is no checkpoint of 'cardan md', or is damaged", path);
    return CMD_INPUT;
  }
  const cdn_status status = cdn_stepper_load(m->state, NULL, NULL, read_bytes, file, stepper);
  if (status != CDN_OK) {
    cdn_error error;
    cdn_state_last_error(m->state, &error);
    if (error.text[0]) complain_error(a->resume, &error);
    else complain("%s: is damaged", path);
    return status == CDN_ERR_NOMEM ? CMD_FAILED : CMD_INPUT;
  }
  const cdn_stepper_def def = cdn_stepper_get_def(*stepper);
  if (def.fixed_step == a->step && def.method == a->method && def.companion == a->companion &&
      (p->table >= 0) == (a->table && strcmp(a->table, "-") != 0))
    return CMD_OK;
  complain("%s: is of a run with other options: it has steps of %g fs by %s%s%s", path, 1e3 * def.fixed_step,
           cdn_method_name(def.method), def.companion ? ", a companion" : "", p->table >= 0 ? ", a table" : "");
  return CMD_USAGE;
}

int md_resume(const md_arguments *a, const md_molecule *m, md_position *position, cdn_stepper **stepper) {
  FILE *file = fopen(a->resume, "rb");
  if (!file) {
    complain("%s: could not be read: %s", visible(a->resume), strerror(errno));
    return CMD_INPUT;
  }
  const int code = load(a, m, file, position, stepper);
  fclose(file);
  return code;
}
