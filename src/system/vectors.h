/* Which numbers of a State's variables belong to a part of its vectors (<cardan/vectors.h>). What rooms do not tell is
 * in CDN_VECTOR_PARAMETERS, if it is a parameter array, or in CDN_VECTOR_MEMORY. */
#ifndef CARDAN_SYSTEM_VECTORS_H
#define CARDAN_SYSTEM_VECTORS_H

#include <cardan/vectors.h>

#include "system/system.h"

/* What the bytes of a variable are. */
typedef enum vector_numbers {
  VECTOR_PARAMETERS, /* a parameter array */
  VECTOR_FLAGGED,    /* doubles; the first one is no part of the vector: 1 if any of the others is not 0 */
  VECTOR_INTEGERS    /* int32_t */
} vector_numbers;

/* The name of number k of a run, counted from its beginning. */
typedef void vector_name_fn(const cdn_system *system, int element, int k, char *name, size_t size);

/* Numbers of a variable that follow each other. */
typedef struct vector_run {
  cdn_vector_part part;
  cdn_dvar variable;
  vector_numbers numbers;
  int first, n;         /* of the variable's numbers */
  vector_name_fn *name; /* NULL: by the variable's name */
  int element;          /* for `name` */
} vector_run;

/* Runs of a part are in the order in which they were declared. If a run is all of its variable, the variable belongs
 * to no other part. */
void cdni_declare_vector_run(cdn_declarer *d, const vector_run *run);

#endif
