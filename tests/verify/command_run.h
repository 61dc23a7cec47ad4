/* What the tests of the command share: a directory to work in, the program run in it, its JSON and CSV read. */
#ifndef CARDAN_TESTS_COMMAND_RUN_H
#define CARDAN_TESTS_COMMAND_RUN_H

#include "../testing.h"

#include <jansson.h>
#include <stdio.h>

enum { TEXT_SIZE = 1 << 20 };
extern char output[TEXT_SIZE], errors[TEXT_SIZE]; /* what the last run wrote */

/* A fresh working directory, removed at exit, that holds the models one.xml, creature.xml and ghost.urdf. */
void enter_directory(void);
void write_file(const char *name, const char *text);
/* Into TEXT_SIZE characters. */
void read_file(const char *name, char *text);
bool exists(const char *name);

/* The path of `cardan`. */
const char *program(void);
/* Runs it with these arguments, as a shell reads them; the streams go to `output` and `errors`. Returns the exit
 * code. */
int cardan(const char *format, ...) CDN_PRINTF(1, 2);

/* Starts it with these words, to a null, and kills it after so many seconds. True if it had not ended by itself
 * before. */
bool run_and_kill(char *const *words, double seconds);
/* Two files have the same bytes, which are text. */
void check_same_file(const char *a, const char *b);

#define SUCCEEDS(...)                                             \
  do {                                                            \
    int code_ = cardan(__VA_ARGS__);                              \
    ck_assert_msg(code_ == 0, "exit code %d: %s", code_, errors); \
  } while (0)
#define EXITS(expected, ...)                                               \
  do {                                                                     \
    int code_ = cardan(__VA_ARGS__);                                       \
    ck_assert_msg(code_ == (expected), "exit code %d: %s", code_, errors); \
  } while (0)
#define SAYS(text, part) ck_assert_msg(strstr(text, part) != NULL, "no '%s' in:\n%s", part, text)

/* one.xml: turns about y, its centre of mass LENGTH below the joint "hinge"; keyframes "raised" and "fast". */
#define MASS 2.0
#define LENGTH 0.75
#define INERTIA 0.125
#define ABOUT_JOINT (INERTIA + MASS * LENGTH * LENGTH)
#define G 9.81
extern const char pendulum[];
/* creature.xml: something of everything; and a state of it whose numbers need all their digits. */
extern const char creature_state[];

/* A few roundings of numbers of size 1 to 20. */
#define ROUNDING 2e-14

json_t *parse(const char *text);
json_t *parse_file(const char *name);
/* Two summaries of runs are the same but for how long the runs took. */
void check_same_summary(const char *a, const char *b);
json_t *member(json_t *object, const char *name);
double number(json_t *object, const char *name);
long long integer(json_t *object, const char *name);
/* Element i of an array that must have n numbers. */
double element(json_t *object, const char *name, size_t n, size_t i);

enum { MOST_ROWS = 2048, MOST_COLUMNS = 96 };
typedef struct table {
  char header[4096];
  int rows, columns;
  double value[MOST_ROWS][MOST_COLUMNS];
} table;

/* Every line must be whole and every field a number. The table is overwritten by the next call. */
table *parse_csv_file(const char *name);

#endif
