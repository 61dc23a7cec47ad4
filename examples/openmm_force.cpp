/* OpenMM's forces in a System of Cardan's: rigid waters in a periodic box, whose charges meet by Ewald's method (PME).
 * A custom force hands positions of atoms to OpenMM, and its forces back to the bodies; so all of OpenMM's forces and
 * platforms, GPUs too, serve models in internal coordinates. Both have nm, ps, Da and kJ/mol. The water is TIP3P
 * (Jorgensen and others 1983). It is let go from rest, and energy is kept. Built where OpenMM is (libopenmm-dev). */
#include <OpenMM.h>

#include <cardan/core.h>
#include <cardan/molecule.h>

#include <cmath>
#include <cstdio>
#include <vector>

namespace {

constexpr int EDGE = 2, WATERS = EDGE * EDGE * EDGE, ATOMS = 3 * WATERS;
constexpr double BOX = 1.6, OH = 0.09572, ANGLE = 1.82421813, CUTOFF = 0.75;

/* What the force needs. It is copied into the System as bytes: the objects themselves belong to main. */
struct Lent {
  OpenMM::Context *context;
  std::vector<OpenMM::Vec3> *x;
  cdn_body body[ATOMS];
  cdn_vec3 station[ATOMS];
};

/* Gives OpenMM the positions of this State. */
cdn_status place(const Lent &lent, cdn_state *state) {
  for (int i = 0; i < ATOMS; i++) {
    cdn_vec3 p;
    if (cdn_status status = cdn_body_station(state, lent.body[i], lent.station[i], &p, nullptr)) return status;
    (*lent.x)[i] = OpenMM::Vec3(p.x, p.y, p.z);
  }
  lent.context->setPositions(*lent.x);
  return CDN_OK;
}

cdn_status calc_force(const void *self, cdn_state *state, cdn_forces *forces) {
  const Lent &lent = *static_cast<const Lent *>(self);
  if (cdn_status status = place(lent, state)) return status;
  const OpenMM::State now = lent.context->getState(OpenMM::State::Forces);
  for (int i = 0; i < ATOMS; i++) {
    const OpenMM::Vec3 &f = now.getForces()[i];
    cdn_forces_add_point(forces, lent.body[i], lent.station[i], cdn_v3(f[0], f[1], f[2]));
  }
  return CDN_OK;
}

cdn_status calc_potential(const void *self, cdn_state *state, double *energy) {
  const Lent &lent = *static_cast<const Lent *>(self);
  if (cdn_status status = place(lent, state)) return status;
  *energy = lent.context->getState(OpenMM::State::Energy).getPotentialEnergy();
  return CDN_OK;
}

/* Cardan's part: every water is a rigid body. Its own force field has no terms. OpenMM's part: charges and radii. */
cdn_molecule *describe(OpenMM::System &theirs, OpenMM::NonbondedForce &pairs) {
  cdn_molecule *m = cdn_molecule_create("water");
  for (int w = 0; w < WATERS; w++) {
    const cdn_vec3 at = cdn_v3(BOX / EDGE * (w % EDGE), BOX / EDGE * (w / EDGE % EDGE), BOX / EDGE * (w / EDGE / EDGE));
    for (int k = 0; k < 3; k++) {
      const double turn = w + (k == 2 ? ANGLE : 0);
      const cdn_vec3 bond = k > 0 ? cdn_v3(OH * std::cos(turn), OH * std::sin(turn), 0) : cdn_v3(0, 0, 0);
      cdn_atom_def atom = cdn_default_atom_def();
      atom.element = k == 0 ? 8 : 1, atom.mass = k == 0 ? 15.9994 : 1.008, atom.position = cdn_add(at, bond);
      cdn_molecule_add_atom(m, &atom);
      theirs.addParticle(atom.mass);
      pairs.addParticle(k == 0 ? -0.834 : 0.417, k == 0 ? 0.315061 : 1, k == 0 ? 0.636386 : 0);
      if (k > 0) cdn_molecule_add_bond(m, 3 * w, 3 * w + k);
    }
    for (int k = 0; k < 3; k++) pairs.addException(3 * w + k, 3 * w + (k + 1) % 3, 0, 1, 0);
  }
  return m;
}

int run(OpenMM::Context &context, cdn_molecule *molecule) {
  std::vector<OpenMM::Vec3> x(ATOMS);
  Lent lent = {};
  lent.context = &context, lent.x = &x;
  cdn_system *system = cdn_system_create(nullptr);
  const cdn_force field = cdn_system_add_molecule(system, nullptr, molecule, cdn_ground());
  cdn_status status = field.i < 0 ? CDN_ERR_ARG : CDN_OK;
  for (int i = 0; i < ATOMS && !status; i++)
    status = cdn_force_field_atom_place(system, field, i, &lent.body[i], &lent.station[i]);
  cdn_force_ops ops = {};
  ops.struct_size = sizeof ops, ops.reads = CDN_READS_POSITION;
  ops.calc_force = calc_force, ops.calc_potential = calc_potential;
  ops.subsystem.struct_size = sizeof ops.subsystem, ops.subsystem.name = "OpenMM",
  ops.subsystem.self_size = sizeof lent;
  cdn_system_add_custom_force(system, &ops, &lent);

  cdn_state *state = nullptr;
  cdn_stepper *stepper = nullptr;
  cdn_stepper_def how = cdn_default_stepper_def();
  double energy[3] = { 0, 0, 0 };
  how.method = CDN_METHOD_VERLET, how.fixed_step = 0.001;
  if (!status) status = cdn_system_freeze(system);
  if (!status) status = cdn_state_create(system, &state);
  if (!status) status = cdn_potential_energy(state, &energy[0]);
  if (!status) status = cdn_stepper_create(state, &how, &stepper);
  if (!status) status = cdn_stepper_advance(stepper, 0.2, nullptr);
  if (!status) status = cdn_potential_energy(cdn_stepper_state(stepper), &energy[1]);
  if (!status) status = cdn_kinetic_energy(cdn_stepper_state(stepper), &energy[2]);
  if (status) std::fprintf(stderr, "openmm_force: %s\n", cdn_last_error_text());
  const double change = energy[1] + energy[2] - energy[0];
  std::printf("%d waters, %d mobilities, on OpenMM's %s: %.3f kJ/mol became motion; energy changes by %.2g\n", WATERS,
              cdn_system_nu(system), context.getPlatform().getName().c_str(), energy[2], change);
  cdn_stepper_destroy(stepper), cdn_state_destroy(state), cdn_system_release(system);
  return !status && energy[2] > 1 && std::fabs(change) < 0.01 * energy[2] ? 0 : 1;
}

} // namespace

int main() {
  OpenMM::System theirs;
  auto *pairs = new OpenMM::NonbondedForce(); /* the System's */
  cdn_molecule *molecule = describe(theirs, *pairs);
  pairs->setNonbondedMethod(OpenMM::NonbondedForce::PME);
  pairs->setCutoffDistance(CUTOFF);
  pairs->setUseSwitchingFunction(true);
  pairs->setSwitchingDistance(0.8 * CUTOFF);
  theirs.setDefaultPeriodicBoxVectors(OpenMM::Vec3(BOX, 0, 0), OpenMM::Vec3(0, BOX, 0), OpenMM::Vec3(0, 0, BOX));
  theirs.addForce(pairs);
  OpenMM::VerletIntegrator unused(0.001); /* a Context has to have one */
  OpenMM::Context context(theirs, unused, OpenMM::Platform::getPlatformByName("Reference"));
  const int code = run(context, molecule);
  cdn_molecule_destroy(molecule);
  return code;
}
