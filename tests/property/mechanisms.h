/* shared by tests in this folder */
/* Mechanisms with closed loops, of textbooks and of no use, that can be assembled. */
#ifndef CARDAN_TESTS_MECHANISMS_H
#define CARDAN_TESTS_MECHANISMS_H

#include "random_tree.h"

/* A frozen System; its States hold it. */
typedef cdn_system *make_mechanism(void);

/* Ground 4, crank 1, coupler 3, rocker 3.5: Grashof, so that the crank turns fully. Bodies crank, coupler, rocker. */
cdn_system *four_bar(void);
/* The four-bar of these lengths, its loop closed by a pin's two equations, point in plane twice. */
cdn_system *four_bar_of(double ground, double crank, double coupler, double rocker);
/* Crank 1, rod 3, a slider along x at height `offset`. Bodies crank, rod; the rod's end stays on the line. */
cdn_system *slider_crank(double offset);
/* The four-bar with a dyad on its coupler: bodies coupler_arm, second_rocker. */
cdn_system *six_bar(void);
/* A leg of Theo Jansen's walking machine, 1 = 10 of his numbers; loops closed by balls, whose third equation is
 * redundant. Bodies crank, upper, lower_link, foot, and three rods. */
cdn_system *theo_jansen(void);
/* A platform on six legs, each a universal joint and a slider: sliders leg0.slider ..., platform. */
cdn_system *stewart(void);
/* The places of the legs on the base, and on the platform, i from 0 to 5. */
cdn_vec3 stewart_base(int i);
cdn_vec3 stewart_top(int i);
/* A closed ring of n links of length 1 whose first and last joint are `gap` apart: pins in a plane, or balls. */
cdn_system *ring(int n, double gap, bool spatial);
/* n free bodies, 1 long, hung in a row between two places of Ground `gap` apart by balls. */
cdn_system *free_chain(int n, double gap);

/* The State of a frozen System; the caller's reference is dropped. */
cdn_state *mechanism_state(cdn_system *system);
/* Coordinates anywhere: angles, rotations, and distances up to `size`. */
void scatter(cdn_state *state, rng *r, double size);
cdn_body body_named(const cdn_state *state, const char *name);
double *coordinate_copy(const cdn_state *state);

/* The call must succeed; if it does not, the assembly tells why. */
#define OK_ASSEMBLY(a, call)                                                                                         \
  do {                                                                                                               \
    cdn_status ok_ = (call);                                                                                         \
    cdn_error ok_error_ = { .code = CDN_OK };                                                                        \
    if (ok_ != CDN_OK) cdn_assembly_last_error((a), &ok_error_);                                                     \
    ck_assert_msg(ok_ == CDN_OK, "%s: %s: [%s] %s", #call, cdn_status_name(ok_), ok_error_.element, ok_error_.text); \
  } while (0)

#endif
