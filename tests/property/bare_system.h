/* shared by tests in this folder */
/* Systems without any mechanics. */
#ifndef CARDAN_TESTS_BARE_SYSTEM_H
#define CARDAN_TESTS_BARE_SYSTEM_H

#include "../testing.h"

/* An empty System, with the audit of undeclared reads on or off. */
cdn_system *bare_system(bool audit);
/* Freezes it and makes a State, which keeps it alive: the caller's reference is dropped. */
cdn_state *bare_state(cdn_system *system);

#endif
