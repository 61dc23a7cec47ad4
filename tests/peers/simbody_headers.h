// Simbody, as its package was compiled: with its asserts, on which the layout of its classes depends.
#ifndef CARDAN_TESTS_PEERS_SIMBODY_HEADERS_H
#define CARDAN_TESTS_PEERS_SIMBODY_HEADERS_H

#ifdef NDEBUG
#  undef NDEBUG
#endif
#include <Simbody.h>

#endif
