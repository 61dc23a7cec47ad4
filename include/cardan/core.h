/* Cardan: what a first program needs. It builds a System of bodies, mobilizers, forces and constraints, makes a State,
 * and runs it. Whatever else a program wants has a header of its own, by subject: cardan.h lists them all. */
#ifndef CARDAN_CORE_H
#define CARDAN_CORE_H
#include <cardan/system.h>
#include <cardan/mobilizers.h>
#include <cardan/matter.h>
#include <cardan/forces.h>
#include <cardan/constraints.h>
#include <cardan/motion.h>
#include <cardan/state.h>
#include <cardan/stepper.h>
#include <cardan/math.h>
#include <cardan/base.h>
#endif
