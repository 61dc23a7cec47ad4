/* What the reader and the writer of DCD trajectories share. */
#ifndef CARDAN_IO_DCD_H
#define CARDAN_IO_DCD_H

#include "io/molecule.h"

/* The places of the 20 integers behind "CORD", and where they are in a file. */
enum {
  DCD_FRAMES = 0,
  DCD_FIRST = 1,
  DCD_INTERVAL = 2,
  DCD_STEPS = 3,
  DCD_FIXED = 8,
  DCD_STEP = 9,
  DCD_CELL = 10,
  DCD_DIMENSION4 = 11,
  DCD_VERSION = 19,
  DCD_NUMBERS = 20
};
enum { DCD_MARK = 4, DCD_FIRST_RECORD = 84, DCD_NUMBERS_AT = 8, DCD_LINE = 80, DCD_CHARMM_VERSION = 24 };

/* CHARMM's unit of time, sqrt(Da A^2 mol/kcal), ps, with the digits that programs give it in these files. */
#define DCD_TIME_UNIT 0.04888821

struct cdn_dcd {
  io_log log;
  io_bytes bytes;
  int32_t n_atoms;
  int64_t n_frames, n_told; /* that are there; that the header says */
  int64_t header, frame;    /* sizes, bytes */
  int64_t first_step, interval;
  double time_step;
  bool swapped, has_cell, xplor;
  char *title;
  size_t title_size;
  char warning[160];
};

/* Opens a trajectory for the function of that name. */
cdn_status io_dcd_open(const char *function, const char *path, const cdn_prmtop *prmtop,
                       const cdn_molecule_read_def *known, cdn_dcd **out);
/* Whether the file's least significant bytes come first. */
bool io_dcd_is_little(const cdn_dcd *d);

#endif
