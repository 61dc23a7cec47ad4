/* Cardan: every public header, by subject. docs/functions.md lists their functions in this order. */
#ifndef CARDAN_CARDAN_H
#define CARDAN_CARDAN_H

#include <cardan/core.h>

/* Model files */
#include <cardan/model.h>
#include <cardan/spec.h>
#include <cardan/spec_joints.h>
#include <cardan/spec_edit.h>
#include <cardan/meshes.h>

/* Files of molecules */
#include <cardan/molecule.h>
#include <cardan/molecule_files.h>
#include <cardan/fixman.h>

/* What a System has */
#include <cardan/elements.h>

/* Runs: recording, inputs, events, values of a State */
#include <cardan/table.h>
#include <cardan/follow.h>
#include <cardan/trajectory.h>
#include <cardan/vectors.h>
#include <cardan/measures.h>
#include <cardan/actuators.h>
#include <cardan/controls.h>
#include <cardan/media.h>
#include <cardan/random.h>
#include <cardan/paths.h>
#include <cardan/events.h>
#include <cardan/functions.h>
#include <cardan/stream.h>
#include <cardan/carry.h>
#include <cardan/deliver.h>
#include <cardan/diagnostics.h>
#include <cardan/ensemble.h>
#include <cardan/sweep.h>

/* The equations of motion */
#include <cardan/operators.h>
#include <cardan/derivatives.h>

/* Poses that fulfil something */
#include <cardan/assembly.h>
#include <cardan/equilibrium.h>
#include <cardan/minimize.h>
#include <cardan/modes.h>

/* Contact */
#include <cardan/contact.h>
#include <cardan/contact_law.h>
#include <cardan/queries.h>
#include <cardan/geometry.h>
#include <cardan/soft.h>
#include <cardan/soft_elements.h>
#include <cardan/hybrid.h>
#include <cardan/invertible.h>

/* Pictures */
#include <cardan/view.h>
#include <cardan/perturbation.h>
#include <cardan/sampling.h>
#include <cardan/scene.h>
#include <cardan/render.h>

/* Rotations and spatial vectors */
#include <cardan/angles.h>
#include <cardan/spatial.h>

/* Parts of your own */
#include <cardan/dynamics.h>
#include <cardan/rows.h>
#include <cardan/regions.h>
#include <cardan/check.h>

#endif
