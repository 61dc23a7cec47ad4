/* Cardan: every public header. */
#ifndef CARDAN_CARDAN_H
#define CARDAN_CARDAN_H
#include <cardan/base.h>
#include <cardan/stream.h>
#include <cardan/math.h>
#include <cardan/angles.h>
#include <cardan/spatial.h>
#include <cardan/system.h>
#include <cardan/state.h>
#include <cardan/functions.h>
#include <cardan/events.h>
#include <cardan/matter.h>
#include <cardan/motion.h>
#include <cardan/operators.h>
#include <cardan/forces.h>
#include <cardan/dynamics.h>
#include <cardan/constraints.h>
#include <cardan/assembly.h>
#include <cardan/derivatives.h>
#include <cardan/measures.h>
#include <cardan/stepper.h>
#include <cardan/ensemble.h>
#include <cardan/equilibrium.h>
#include <cardan/modes.h>
#include <cardan/model.h>
#include <cardan/trajectory.h>
#endif
