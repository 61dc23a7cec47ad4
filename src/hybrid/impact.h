/* The laws of impact. Private to the room. */
#ifndef CARDAN_HYBRID_IMPACT_H
#define CARDAN_HYBRID_IMPACT_H

#include "hybrid/moment.h"

/* Finds impulses of the cones of m, with all e times `by`: from the speeds m->v the impulses m->total and the speeds
 * m->w afterwards. */
typedef cdn_status impact_law(moment *m, double by);
impact_law cdni_impact_by_phases;  /* Newton, Poisson: phases.c */
impact_law cdni_impact_by_springs; /* Stronge, the compliant limit: springs.c */
impact_law cdni_impact_by_user;    /* users.c */

/* Whether impacts of a System are sets of all contacts in phases, which may leave gaps open (m->allowed). */
bool cdni_impact_by_sets(const hybrid_room *room);
/* One impact of all cones by a law; e is lowered where the law would add energy. */
cdn_status cdni_impact_strike(moment *m, impact_law *law, bool *lowered);
/* One contact after another, by a law: pairwise.c. */
cdn_status cdni_impact_in_turn(moment *m, impact_law *law, bool *lowered);

/* e of each normal at the speeds m->v, for a law: 0 if it approaches more slowly than it is captured. */
cdn_status cdni_impact_restitution(moment *m, impact_law *law);
/* Of what has jammed: without any approach no impulses are an answer, too, but not that of nature. It approaches by its
 * accelerations without pushes, m->b. The cones get the statuses of the impulses that end this, as a guess. phases.c */
cdn_status cdni_impact_foresee(moment *m);
/* Ends all approach that is left at the speeds m->w without restitution, by impulses that m->total grows by. */
cdn_status cdni_impact_end(moment *m);

/* Bytes of m->law_work: of a law, the most of all laws, behind these of contacts in turn, of all. */
size_t cdni_impact_spring_work(int rows, int cones);
size_t cdni_impact_user_work(int cones);
size_t cdni_impact_law_work(int rows, int cones);
size_t cdni_impact_turn_work(const hybrid_room *room, int rows, int cones);
size_t cdni_impact_work(const hybrid_room *room, int rows, int cones);

#endif
