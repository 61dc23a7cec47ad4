/* Cardan: sampling at a temperature: thermal speeds, thermostats, Hamiltonian Monte Carlo. It serves any System:
 * molecules are one user. docs/sampling.md has a program.
 *
 * kT is the thermal energy: Boltzmann's constant times the temperature in J, or R T in kJ/mol where the System is in
 * nm, ps and Da (CDN_GAS_CONSTANT times the temperature in K). Random numbers are those of the State's place in the
 * stream (random.h): call cdn_system_use_random while building. Units else: those of the System.
 *
 * I want to
 *   draw speeds at a temperature, all anew or in part (Langevin): cdn_draw_speeds
 *   count the speeds that share the thermal energy: cdn_count_thermal_freedoms
 *   read the temperature that the speeds have now: cdn_calc_kT
 *   multiply by a factor S of M^-1 = S S^T in O(n): cdn_multiply_by_sqrt_M_inv
 *   get the gradient of the kinetic energy along the mobilities: cdn_calc_kinetic_gradient
 *   hold the temperature of a run by Nose-Hoover chains: cdn_default_nose_hoover_def, cdn_system_add_nose_hoover
 *   — change its numbers in a State: cdn_nose_hoover_set
 *   — read the energy that the chain has, and what is conserved: cdn_nose_hoover_energy
 *   sample by Hamiltonian Monte Carlo, by Langevin dynamics, or by redrawing: cdn_default_hmc_def, cdn_hmc_create
 *   — go on, look, give it up: cdn_hmc_advance, cdn_hmc_state, cdn_hmc_destroy
 *   — know the acceptance and the step length: cdn_hmc_get_report
 *   — swap States among samplers at several temperatures (replica exchange): cdn_hmc_exchange
 *   take steps that are reversible and preserve volume, without a test: cdn_hmc_steps */
#ifndef CARDAN_SAMPLING_H
#define CARDAN_SAMPLING_H

#include <cardan/constraints.h>
#include <cardan/forces.h>
#include <cardan/random.h>

CDN_BEGIN_DECLS

/* ---- thermal speeds ------------------------------------------------------------------------- */

/** u = S z (nu from nu) with S S^T = M^-1: independent normal numbers z of deviation 1 become speeds of covariance
 *  M^-1. S = (1 - H psi K)^T D^(-1/2), from the factors of the articulated bodies (A. Jain, I.-H. Park, N. Vaidehi, J.
 *  Chem. Theory Comput. 8:2581, 2012). Prescribed mobilities get 0. Constraints do not count. Stage: Position. O(n).
 *  Errors: as in operators.h. */
CDN_API cdn_status cdn_multiply_by_sqrt_M_inv(cdn_state *state, const double *z, double *u) CDN_NODISCARD;
/** g (nu): the change of the kinetic energy u^T M u / 2 along each mobility, while u (nu, any) keeps its numbers. The
 *  momenta p = M u then change at the rate g + f plus the terms of the commutators of angular velocities. Stage:
 *  Position. O(n). Errors: as in operators.h. */
CDN_API cdn_status cdn_calc_kinetic_gradient(cdn_state *state, const double *u, double *g) CDN_NODISCARD;

/** Sets u to keep u + sqrt(1 - keep^2) r, where r is drawn from the speeds that obey all constraints and have the
 *  density exp(-u^T M u / (2 kT)). keep = 0 draws all anew. keep = exp(-friction h), once in each step of length h, is
 *  Langevin's friction and noise, solved exactly. u of prescribed mobilities stays. `user`: who draws (random.h); the
 *  same place gives the same numbers, so a second draw in one step needs another user, or a place that is set. Stage:
 *  Position. O(n), plus one solution with the constraints. CDN_ERR_ARG: kT < 0, keep outside 0 to 1, no random numbers
 *  in the System. Other errors: as in operators.h, constraints.h. */
CDN_API cdn_status cdn_draw_speeds(cdn_state *state, double kT, double keep, uint32_t user) CDN_NODISCARD;
/** The number of speeds that share the thermal energy: mobilities without the prescribed ones, less the equations of
 *  enabled constraints that are independent. The mean kinetic energy is kT / 2 times it. If you have removed motion of
 *  the whole (3 for its translation, 3 for its rotation), subtract that yourself. Stage: Position. Cost: that of
 *  cdn_redundant_equations. */
CDN_API cdn_status cdn_count_thermal_freedoms(cdn_state *state, int *n) CDN_NODISCARD;
/** 2 K / n, the thermal energy that the State's speeds have now. `removed`: how many freedoms more do not count (0, 3
 *  or 6). NaN if none is left. Stage: Velocity. */
CDN_API cdn_status cdn_calc_kT(cdn_state *state, int removed, double *kT) CDN_NODISCARD;

/* ---- Nose-Hoover chains --------------------------------------------------------------------- */

enum { CDN_NOSE_HOOVER_MOST = 8 }; /**< the greatest length of a chain */

typedef struct cdn_nose_hoover_def {
  CDN_DEF_HEADER;
  double kT;       /**< the temperature as an energy, in the System's unit of energy; must be set: > 0 */
  double time;     /**< tau, the time in which the chain answers, in the System's unit of time; must be set: > 0 */
  double freedoms; /**< n; 0: the number of mobilities. cdn_count_thermal_freedoms gives it. Default 0 */
  int length;      /**< of the chain, 1 to CDN_NOSE_HOOVER_MOST. Default 3: fewer fail with stiff or few freedoms */
} cdn_nose_hoover_def;
CDN_DEF(nose_hoover_def);

/** A Nose-Hoover chain (G. J. Martyna, M. L. Klein, M. Tuckerman, J. Chem. Phys. 97:2635, 1992) for all mobilities, as
 *  a force without potential:
 *    f = -M u xi_1,  d xi_1/dt = (2 K - n kT) / Q_1 - xi_1 xi_2,  d xi_k/dt = (Q_(k-1) xi_(k-1)^2 - kT) / Q_k - xi_k
 *    xi_(k+1),  d s_k/dt = xi_k,  with Q_1 = n kT tau^2, the others kT tau^2.
 *  Its z are the xi, then the s. It runs with every method, and by cdn_hmc_steps, which keeps what is conserved best.
 *  Its force depends on masses: regressors (derivatives.h) refuse it while it is on. Sticky. */
CDN_API cdn_force cdn_system_add_nose_hoover(cdn_system *system, const char *name, const cdn_nose_hoover_def *def);
/** Sets kT, tau and n (0: the number of mobilities) in a State. CDN_ERR_ARG: not such a force, or kT or tau not > 0. */
CDN_API cdn_status cdn_nose_hoover_set(cdn_state *state, cdn_force force, double kT, double time,
                                       double freedoms) CDN_NODISCARD;
/** *chain: sum of Q_k xi_k^2 / 2 + n kT s_1 + kT (s_2 + ...). *conserved: that plus the kinetic and the potential
 *  energy; a run without other forces that lack a potential conserves it. Either may be NULL. Stage: Velocity. O(n). */
CDN_API cdn_status cdn_nose_hoover_energy(cdn_state *state, cdn_force force, double *chain,
                                          double *conserved) CDN_NODISCARD;

/* ---- Hamiltonian Monte Carlo and its relatives ---------------------------------------------- */

/** A sampler owns its States. One thread at a time may use it. */
typedef struct cdn_hmc cdn_hmc;

/** One trajectory: speeds are drawn, `steps` steps follow, and the end is accepted or not. So
 *    metropolis, friction INFINITY     Hamiltonian Monte Carlo (S. Duane, A. D. Kennedy, B. J. Pendleton, D. Roweth,
 *                                      Phys. Lett. B 195:216, 1987): exact for any step length
 *    metropolis, friction finite       the same with speeds that persist (A. M. Horowitz, 1991)
 *    no metropolis, steps 1, friction  Langevin dynamics, with the friction and noise of cdn_draw_speeds between steps
 *    no metropolis, friction INFINITY  dynamics whose speeds are drawn anew after so many steps (H. C. Andersen, 1980)
 *  A step: half a kick by the forces, a symmetric variational step of the kinetic energy alone, half a kick. It is
 *  implicit; it is solved by iteration to rounding. It is reversible and symplectic, quaternions included; constraints
 *  are held by RATTLE. With the Metropolis test each step must also lead back, or the trajectory is rejected (E. Zappa,
 *  M. Holmes-Cerfon, J. Goodman, Commun. Pure Appl. Math. 71:2609, 2018). One evaluation of the forces a step, and five
 *  to ten passes of O(n). */
typedef struct cdn_hmc_def {
  CDN_DEF_HEADER;
  double kT;          /**< must be set: > 0 */
  double step;        /**< must be set: > 0 */
  int steps;          /**< of one trajectory, >= 1. Default 10 */
  double friction;    /**< 1/time, >= 0: speeds keep exp(-friction step steps) of themselves. Default INFINITY */
  bool no_metropolis; /**< every end is accepted. Default false */
  int64_t burn_in;    /**< trajectories in which the step length is adapted; they are not counted. Default 0 */
  double acceptance;  /**< mean acceptance that is adapted to, in (0, 1). Default 0.8 */
  uint32_t user;      /**< who draws (random.h): it and the next number. Default 0x686d63 */
} cdn_hmc_def;
CDN_DEF(hmc_def);

typedef struct cdn_hmc_report {
  int64_t trajectories; /**< since the burn-in */
  int64_t accepted;     /**< how many of them were accepted */
  /** Of those that were not: the iteration for a step found no end, or the end did not lead back to the start. */
  int64_t unsolved;
  int64_t burn_in_left; /**< trajectories of the burn-in to come */
  double step;          /**< length of a step now, in the System's unit of time */
  double mean_exp; /**< mean of the factors exp(-dH / kT) over all solved trajectories: 1 if the sampler is right */
  double mean_exp_error;    /**< its standard error, if trajectories were independent */
  double mean_energy_error; /**< mean of dH, in the System's unit of energy */
  double last_energy_error; /**< dH of the last trajectory, in the System's unit of energy */
} cdn_hmc_report;

/** Makes a sampler that starts from a copy of `initial`. The State must obey its constraints (cdn_project_q); its u
 *  matter only with finite friction. Refuses with CDN_ERR_UNSUPPORTED: orientations by angles in place of quaternions
 *  (balls, free joints, lines), lines that are reversed or carry a mass, a force or a constraint beside their axis,
 *  custom mobilizers with an N of their own, constraints of velocities or accelerations, mobilizers that move by a
 *  prescription, subsystems with q or u of their own; with the Metropolis test also forces without potential.
 *  CDN_ERR_ARG: numbers of the def, or no random numbers in the System. The message is on `initial`. */
CDN_API cdn_status cdn_hmc_create(cdn_state *initial, const cdn_hmc_def *def, cdn_hmc **out) CDN_NODISCARD;
CDN_API void cdn_hmc_destroy(cdn_hmc *hmc); /**< NULL is allowed */
/** n trajectories. Each takes the next count of the State's place in the stream; time goes on by step times steps. Bits
 *  depend on the State and the step length alone: a State that was saved (cdn_state_save) and loaded goes on with the
 *  same ones, if the sampler is made with the step of the report and without burn-in. A trajectory whose iteration
 *  finds no end, or whose forces fail, is rejected; without the Metropolis test it is an error (CDN_ERR_STEP, or
 *  theirs), whose message is on the State. */
CDN_API cdn_status cdn_hmc_advance(cdn_hmc *hmc, int64_t n) CDN_NODISCARD;
/** The State, which lives as long as the sampler, and which you may change between calls: other coordinates (those of
 *  another sampler of the System, for Gibbs' alternation: docs/sampling.md), locks of joints at rest, parameters, the
 *  place in the stream. */
CDN_API cdn_state *cdn_hmc_state(cdn_hmc *hmc);
CDN_SIZED_VOID(cdn_hmc_get_report, (const cdn_hmc *hmc, cdn_hmc_report *out), (hmc, out), out);
/** n steps of length h (negative: back) from the State's q and u: no draw, no test. For constant energy, for
 *  Nose-Hoover chains, and to look at the integrator itself. A chain goes along for half a step before each step and
 *  behind it, without forces (G. J. Martyna, M. E. Tuckerman, D. J. Tobias, M. L. Klein, Mol. Phys. 87:1117, 1996): so
 *  the whole is reversible, too. Other z stay as they are. */
CDN_API cdn_status cdn_hmc_steps(cdn_hmc *hmc, double h, int n) CDN_NODISCARD;
/** Replica exchange: neighbours (0 and 1, 2 and 3, ... if `odd` is false, else 1 and 2, ...) swap their q with the
 *  probability min(1, exp((1/kT_a - 1/kT_b) (U_a - U_b))); speeds go along, times the root of the ratio of kT. All n
 *  are of one System. Numbers come from the first one's place, whose count grows. *swaps (may be NULL): how many. */
CDN_API cdn_status cdn_hmc_exchange(cdn_hmc *const *hmc, int n, bool odd, int *swaps) CDN_NODISCARD;

CDN_END_DECLS
#endif
