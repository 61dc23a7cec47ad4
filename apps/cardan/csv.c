/* Trajectories as comma-separated values. */
#include "simulate.h"

#include <string.h>

/* A field as the customary rules of CSV have it: quoted where it holds a comma, a quote or a line break. */
static void write_field(FILE *file, const char *text) {
  if (!strpbrk(text, ",\"\r\n")) {
    fputs(text, file);
    return;
  }
  fputc('"', file);
  for (; *text; text++) {
    if (*text == '"') fputc('"', file);
    fputc(*text, file);
  }
  fputc('"', file);
}

static void write_slot_names(FILE *file, const cdn_system *system, cdn_pool pool, int n) {
  char name[256];
  for (int i = 0; i < n; i++) {
    cdn_system_slot_name(system, pool, i, name, sizeof name);
    fputc(',', file);
    write_field(file, name);
  }
}

cdn_status csv_header(FILE *file, cdn_stepper *stepper, bool step_sizes) {
  const cdn_system *system = cdn_state_system(cdn_stepper_state(stepper));
  fputs("time", file);
  write_slot_names(file, system, CDN_POOL_Q, cdn_system_nq(system));
  write_slot_names(file, system, CDN_POOL_U, cdn_system_nu(system));
  fputs(",kinetic_energy,potential_energy", file);
  fputs(step_sizes ? ",step_size\n" : "\n", file);
  return CDN_OK;
}

static void write_numbers(FILE *file, const double *values, int n) {
  char text[NUMBER_SIZE];
  for (int i = 0; i < n; i++) {
    fputc(',', file);
    fputs(number_text(values[i], text), file);
  }
}

cdn_status csv_row(FILE *file, cdn_stepper *stepper, bool step_sizes) {
  cdn_state *state = cdn_stepper_state(stepper);
  const cdn_system *system = cdn_state_system(state);
  double energies[2], step = cdn_stepper_last_step(stepper);
  cdn_status status = cdn_kinetic_energy(state, &energies[0]);
  if (status == CDN_OK) status = cdn_potential_energy(state, &energies[1]);
  if (status != CDN_OK) return status;

  char text[NUMBER_SIZE];
  fputs(number_text(cdn_state_time(state), text), file);
  write_numbers(file, cdn_state_q(state), cdn_system_nq(system));
  write_numbers(file, cdn_state_u(state), cdn_system_nu(system));
  write_numbers(file, energies, 2);
  if (step_sizes) write_numbers(file, &step, 1);
  fputc('\n', file);
  return CDN_OK;
}
