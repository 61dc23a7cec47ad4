/* Cardan: regions, which are arrays in the State whose length varies, such as the contacts that an evaluation finds.
 *
 * A region has elements of one size, of any trivially copyable type. There are three kinds:
 * - a variable region, which is set like any other variable;
 * - a computed region, which a function of the subsystem fills;
 * - an auto-update region, which remembers: a variable region and the computed region with its next contents.
 *
 * A region belongs to the State. It is copied, saved, loaded and compared with the State. Only the present elements
 * count: two States with the same elements are the same, whatever their regions held before. A region allocates only
 * when it becomes longer than it ever was in this State. docs/state.md has an example.
 *
 * I want to
 *   declare an array whose length varies: as a variable: cdn_declare_region
 *   — as a computed value (contacts that are found): cdn_declare_computed_region, cdn_region_output_add
 *   — as a variable that accepted steps update: cdn_declare_auto_region
 *   read such an array: a variable, a computed value: cdn_region_get, cdn_region_eval
 *   set such an array, or some of its elements: cdn_region_set, cdn_region_set_elements
 *   make it longer or shorter: cdn_region_append, cdn_region_resize */
#ifndef CARDAN_REGIONS_H
#define CARDAN_REGIONS_H

#include <cardan/state.h>

CDN_BEGIN_DECLS

/* ---- declaring ---------------------------------------------------------------------------- */

/** A variable region. */
typedef struct cdn_region {
  int32_t of;        /**< as in cdn_dvar */
  cdn_ticket ticket; /**< for lists of prerequisites */
} cdn_region;
/** A computed region. */
typedef struct cdn_computed_region {
  int32_t of;        /**< as in cdn_dvar */
  cdn_ticket ticket; /**< for lists of prerequisites */
} cdn_computed_region;

/** Declares a variable region with elements of `element` bytes. By default it has n elements: copies of `initial`, or
 *  zeros if that is NULL. Changing it invalidates the stage `invalidates` (CDN_STAGE_MODEL or later), every later
 *  stage, and every entry that has its ticket as a prerequisite. */
CDN_API cdn_region cdn_declare_region(cdn_declarer *d, const char *name, size_t element, int n, const void *initial,
                                      cdn_stage invalidates);

/** The list to which a compute function adds the elements of its region. Valid during that call only. */
typedef struct cdn_region_output cdn_region_output;
/** Computes a region. The region is empty when the function is called, and has no elements if the function fails. The
 *  function may read from the State only prerequisites of the region, and entries computed from them. */
typedef cdn_status cdn_region_fn(const void *self, cdn_state *state, cdn_region_output *out);
/** Declares a computed region with elements of `element` bytes. It is computed when `stage` is realized, or
 *  earlier when asked for. CDN_STAGE_EMPTY: only when asked for. It is valid until one of its prerequisites changes. */
CDN_API cdn_computed_region cdn_declare_computed_region(cdn_declarer *d, const char *name, size_t element,
                                                        cdn_region_fn *calc, int n_prerequisites,
                                                        const cdn_ticket *prerequisites, cdn_stage stage);
/** For compute functions: adds n elements, filled with zeros. *elements points to the first of them (NULL if n is 0),
 *  until the next call of this function. Errors: CDN_ERR_ARG (n < 0, a NULL), CDN_ERR_LIMIT (more than 2^30 bytes),
 *  CDN_ERR_NOMEM. Nothing was added then; return the status. */
CDN_API cdn_status cdn_region_output_add(cdn_region_output *out, int n, void **elements) CDN_NODISCARD;

/** An auto-update region: a variable region, and the computed region with its next contents. See cdn_autovar. */
typedef struct cdn_auto_region {
  cdn_region variable;
  cdn_computed_region update;
} cdn_auto_region;
/** Declares an auto-update region. `calc` computes the next contents and may read the present ones. Read the update in
 *  computations. At the end of each accepted step the two regions are swapped, which invalidates nothing else. */
CDN_API cdn_auto_region cdn_declare_auto_region(cdn_declarer *d, const char *name, size_t element, int n,
                                                const void *initial, cdn_region_fn *calc, int n_prerequisites,
                                                const cdn_ticket *prerequisites);

/* ---- reading ------------------------------------------------------------------------------
 *
 * *elements points to the elements, or is NULL if there are none. The pointer is valid until the region changes: by a
 * setter, by an evaluation, at the end of a step, or when another State is copied to this one or loaded. *n is the
 * number of elements. Either pointer may be NULL. CDN_ERR_ARG if there is no such region: then NULL and 0. */

/** The elements of a variable region. */
CDN_API cdn_status cdn_region_get(const cdn_state *state, cdn_region r, const void **elements, int *n) CDN_NODISCARD;
/** The elements of a computed region, which is computed if it is not valid. Errors: also those of its function. */
CDN_API cdn_status cdn_region_eval(cdn_state *state, cdn_computed_region r, const void **elements,
                                   int *n) CDN_NODISCARD;

/* ---- setting ------------------------------------------------------------------------------
 *
 * Setters copy the bytes of `elements` as they are; a NaN is not refused. NULL stands for zeros. `elements` may point
 * into the region itself. Errors: CDN_ERR_ARG (no such region; a negative number; while something of the State is being
 * computed), CDN_ERR_LIMIT (more than 2^30 bytes), CDN_ERR_NOMEM. Nothing has changed then. */

/** Replaces all elements by n others. */
CDN_API cdn_status cdn_region_set(cdn_state *state, cdn_region r, int n, const void *elements) CDN_NODISCARD;
/** Sets elements first ... first + n - 1. CDN_ERR_ARG if the region does not have all of them. */
CDN_API cdn_status cdn_region_set_elements(cdn_state *state, cdn_region r, int first, int n,
                                           const void *elements) CDN_NODISCARD;
/** Adds n elements at the end. */
CDN_API cdn_status cdn_region_append(cdn_state *state, cdn_region r, int n, const void *elements) CDN_NODISCARD;
/** Makes the region n elements long: drops the last ones, or adds zeros. */
CDN_API cdn_status cdn_region_resize(cdn_state *state, cdn_region r, int n) CDN_NODISCARD;

CDN_END_DECLS
#endif
