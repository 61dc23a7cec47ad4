/* The program `cardan-mpi`: the ranks of an MPI job run the cases of a study that are missing. `cardan sweep` looks at
 * results and gathers them. */
#include <mpi.h>
#include <string.h>

#include "ranks.h"
#include "sweep.h"

static const help_page page = {
  NULL, "STUDY.json [options]",
  "Runs the cases of a study that are missing, in all ranks of an MPI job. Started alone it is one rank.\n"
  "A rank that has ended a block takes the next one. A rank that crashes ends the job. Started again, the\n"
  "job goes on where it was. The folder of results must be one that all ranks see. 'cardan sweep' looks at\n"
  "the same study (--status) and makes one table of it (--gather): see docs/sweeps.md.\n",
  "  mpirun -n 8 cardan-mpi study.json\n"
  "  srun --mpi=pmix -n 8 cardan-mpi study.json\n"
  "  cardan sweep study.json --gather results.h5\n",
  "which study? Name its file, STUDY.json"
};

/* Every rank reads the study. Where one cannot, the first such rank says why, and all end. */
static int load_everywhere(const char *path, cdn_sweep **sweep) {
  int rank, n, first;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &n);
  const cdn_status status = cdn_sweep_load(path, sweep);
  const int failed = status == CDN_OK ? n : rank;
  MPI_Allreduce(&failed, &first, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
  if (first == rank) complain_last_error();
  return first < n ? CMD_INPUT : CMD_OK;
}

static int run_study(const char *path, bool quiet) {
  int rank, n;
  int64_t least, most;
  cdn_sweep *sweep;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &n);
  int code = load_everywhere(path, &sweep);
  if (code == CMD_OK) code = ranks_run(sweep, &least, &most);
  if (code == CMD_OK && rank == 0 && !quiet) {
    code = sweep_print_status(sweep);
    printf("  ranks          %d, each ran %lld to %lld cases\n", n, (long long)least, (long long)most);
  }
  cdn_sweep_destroy(sweep);
  return code;
}

int main(int argc, char **argv) {
  const char *study;
  bool quiet = false;
  const option table[] = {
    { "quiet", 0, OPTION_FLAG, &quiet, NULL, "no summary" },
  };
  const int n = sizeof table / sizeof table[0];
  char *only_help[] = { "--help" };
  program_name = "cardan-mpi";
  if (argc == 2 && (strcmp(argv[1], "--version") == 0 || strcmp(argv[1], "-V") == 0)) return print_version();
  const bool manual = argc == 3 && strcmp(argv[1], "help") == 0 && strcmp(argv[2], "--man") == 0;
  const bool completion = argc > 1 && strcmp(argv[1], "completion") == 0;
  if (manual) choose_manual("studies of many cases over the ranks of an MPI job");
  if (completion && !choose_completion(argv[2])) return CMD_USAGE;
  const bool printed = manual || completion;
  int code = options_parse(&page, table, n, printed ? 1 : argc - 1, printed ? only_help : argv + 1, &study);
  if (code == OPTIONS_GO) {
    MPI_Init(&argc, &argv);
    code = run_study(study, quiet);
    MPI_Finalize();
  }
  if (!finish_output(stdout, "standard output") && code == CMD_OK) code = CMD_OUTPUT;
  return code;
}
