/* Cardan: molecules in internal coordinates, and their force field (manual 11.3).
 *
 * A *molecule* is a description: atoms, bonds, terms of energy, and which bonds move. It may consist of several
 * molecules that no bond joins. cdn_system_add_molecule makes bodies of it, mobilizers, rods, and one force with
 * potential, its *force field*. The description may be changed and added to another System afterwards: so two Systems
 * of one molecule move different bonds.
 *
 * Units: nm, ps, Da, e, kJ/mol, rad; 1 kJ/mol is 1 Da nm^2/ps^2, so that they are consistent. Functions that end in _kA
 * take angstrom, kcal/mol and degrees (1 kcal = 4.184 kJ). Building is sticky: the description keeps the first mistake,
 * and cdn_system_add_molecule gives it to the System. docs/molecules.md has a program.
 *
 * I want to
 *   start the description of a molecule: cdn_molecule_create
 *   — of an AMBER topology: cdn_molecule_from_prmtop
 *   — copy it, give it up: cdn_molecule_copy, cdn_molecule_destroy
 *   read the first mistake in it: cdn_molecule_last_error
 *   add a residue, an atom, a bond: cdn_molecule_add_residue, cdn_default_atom_def, cdn_molecule_add_atom,
 *       cdn_molecule_add_bond
 *   count and find atoms, read one: cdn_molecule_atom_count, cdn_molecule_find_atom, cdn_molecule_atom
 *   move atoms of a description: cdn_molecule_set_positions, cdn_molecule_positions
 *   define a class of atoms (van der Waals): cdn_molecule_add_class, cdn_molecule_add_class_kA
 *   — how two classes meet: by a rule, by numbers: cdn_molecule_set_mixing, cdn_molecule_set_lj
 *   — the five rules themselves: cdn_mix_lj
 *   define a stretch, a bend, a torsion, an improper of classes: cdn_molecule_define_stretch,
 *       cdn_molecule_define_bend, cdn_molecule_define_torsion, cdn_molecule_define_improper
 *   — in kcal/mol, angstrom and degrees: cdn_molecule_define_stretch_kA, cdn_molecule_define_bend_kA,
 *       cdn_molecule_define_torsion_kA, cdn_molecule_define_improper_kA
 *   give every bond, angle and dihedral the term of its classes: cdn_molecule_assign_terms
 *   add a term of certain atoms: cdn_molecule_add_stretch, cdn_molecule_add_bend, cdn_molecule_add_torsion,
 *       cdn_molecule_add_improper
 *   — with a function of my own: cdn_molecule_add_custom_stretch, cdn_molecule_add_custom_bend,
 *       cdn_molecule_add_custom_torsion, cdn_molecule_add_custom_improper
 *   scale what neighbours do to each other: cdn_molecule_set_neighbour_scales, cdn_molecule_scale_pair
 *   choose Coulomb's constant: cdn_molecule_set_coulomb_constant
 *   put the molecule into a solvent: cdn_default_solvent_def, cdn_molecule_set_solvent
 *   cut pairs off, in vacuum: cdn_default_cutoff_def, cdn_molecule_set_cutoff
 *   let several threads sum pairs: cdn_molecule_set_threads
 *   say which bonds move, by a rule: cdn_molecule_set_mobility
 *   — one bond: cdn_molecule_set_bond_mobility
 *   — by which atoms its angle is measured: cdn_molecule_set_dihedral
 *   put atoms on a body of mine, alone or as a cluster: cdn_molecule_add_cluster, cdn_cluster_place_atom,
 *       cdn_cluster_place_cluster, cdn_cluster_mass_properties, cdn_molecule_attach_cluster
 *   make bodies and a force field of it: cdn_system_add_molecule
 *   find the body and the station of an atom: cdn_force_field_atom_place
 *   find the mobilizer of a bond, and what its coordinates are: cdn_force_field_bond_body,
 *       cdn_force_field_coordinate_name
 *   get positions of atoms in a State; set them: cdn_force_field_positions, cdn_force_field_set_positions
 *   get energies by term, forces on atoms: cdn_force_field_energies, cdn_force_field_forces
 *   get the name of a kind of term, the number of atoms: cdn_energy_term_name, cdn_force_field_atom_count
 *   get Born radii: cdn_force_field_born_radii
 *   switch a kind of term off, scale it: cdn_force_field_set_factor, cdn_force_field_factor
 *   change charges in a State: cdn_force_field_set_charges, cdn_force_field_charges
 *   — van der Waals' numbers: cdn_force_field_set_lj, cdn_force_field_lj
 *   — numbers of terms: cdn_force_field_set_term, cdn_force_field_term
 *   — count terms, find one: cdn_force_field_term_count, cdn_force_field_find_term */
#ifndef CARDAN_MOLECULE_H
#define CARDAN_MOLECULE_H

#include <cardan/constraints.h>
#include <cardan/forces.h>
#include <cardan/molecule_files.h>

CDN_BEGIN_DECLS

/** 1/(4 pi epsilon0) in kJ nm/(mol e^2) (CODATA 2018), the default, and the value that AMBER's programs use. */
#define CDN_COULOMB_CONSTANT 138.93545764438198
#define CDN_COULOMB_CONSTANT_AMBER 138.93064769688
/** R in kJ/(mol K). */
#define CDN_GAS_CONSTANT 0.00831446261815324

typedef struct cdn_molecule cdn_molecule;

/** Atoms, residues, classes and clusters are numbers from 0, in the order of addition. -1: none. */

/* ---- the description ---------------------------------------------------------------------- */

/** An empty description. `name`: copied; NULL: "molecule". NULL if memory ran out. */
CDN_API cdn_molecule *cdn_molecule_create(const char *name) CDN_NODISCARD;
/** The description of an AMBER topology: all terms, the file's exclusions, and the factors of its 1-4 pairs.
 *  `positions` (nm) may be NULL: zeros, to be set before it is added to a System. Mistakes are kept, as in building.
 *  NULL  if memory ran out. */
CDN_API cdn_molecule *cdn_molecule_from_prmtop(const cdn_prmtop *prmtop, const cdn_vec3 *positions) CDN_NODISCARD;
/** A copy that has nothing in common with the original. NULL if memory ran out. O(size). */
CDN_API cdn_molecule *cdn_molecule_copy(const cdn_molecule *molecule) CDN_NODISCARD;
CDN_API void cdn_molecule_destroy(cdn_molecule *molecule); /**< NULL is allowed */
/** The first mistake of building; its code is CDN_OK if there was none. */
CDN_SIZED_VOID(cdn_molecule_last_error, (const cdn_molecule *molecule, cdn_error *out), (molecule, out), out);

/** Adds a residue, such as ("ALA", 2). Returns its number. */
CDN_API int cdn_molecule_add_residue(cdn_molecule *molecule, const char *name, int sequence);

typedef struct cdn_atom_def {
  CDN_DEF_HEADER;
  const char *name;  /**< such as "CA"; copied; NULL: "atom<i>" */
  int residue;       /**< default: the residue that was added last; -1 where there is none */
  int element;       /**< atomic number; default 0, unknown */
  double mass;       /**< Da, > 0; default 0: must be set */
  double charge;     /**< e; default 0 */
  int atom_class;    /**< default -1: no van der Waals force */
  double radius;     /**< intrinsic Born radius, nm; default 0: must be set where there is a solvent */
  double screen;     /**< Born screening factor; default 0.8 */
  cdn_vec3 position; /**< nm */
} cdn_atom_def;

CDN_DEF(atom_def);

/** Adds an atom; returns its number. */
CDN_API int cdn_molecule_add_atom(cdn_molecule *molecule, const cdn_atom_def *def);
/** Adds a bond of two atoms. By default it is rigid. */
CDN_API void cdn_molecule_add_bond(cdn_molecule *molecule, int a, int b);
CDN_API int cdn_molecule_atom_count(const cdn_molecule *molecule);
/** Reads an atom: fills *out, whose name points into the description. CDN_ERR_ARG: no such atom. */
CDN_SIZED(cdn_molecule_atom, (const cdn_molecule *molecule, int atom, cdn_atom_def *out), (molecule, atom, out), out);
/** The atom that `text` names: "CA" if that is unique, "2:CA" with the residue's sequence number, "ALA2:CA". -1 with
 *  the  thread's last error: none, or several. O(atoms). */
CDN_API int cdn_molecule_find_atom(const cdn_molecule *molecule, const char *text);
/** Sets, or reads, all positions: 3 numbers an atom, nm. */
CDN_API void cdn_molecule_set_positions(cdn_molecule *molecule, const double *x);
CDN_API void cdn_molecule_positions(const cdn_molecule *molecule, double *x);

/* ---- van der Waals -------------------------------------------------------------------------- */

/** How the radius and the depth of two classes follow from those of each. `radius` is half the distance of the minimum:
 *  E(d) = e ((2 r/d)^12 - 2 (2 r/d)^6). */
typedef enum cdn_mixing {
  CDN_MIX_LORENTZ_BERTHELOT, /**< r = (ri + rj)/2, e = sqrt(ei ej): AMBER, CHARMM. The default */
  CDN_MIX_JORGENSEN,         /**< geometric means of both: OPLS */
  CDN_MIX_HALGREN,           /**< r = (ri^3 + rj^3)/(ri^2 + rj^2), e = 4 ei ej/(sqrt ei + sqrt ej)^2: MMFF, AMOEBA */
  CDN_MIX_WALDMAN_HAGLER,    /**< r^6 = (ri^6 + rj^6)/2, e = sqrt(ei ej) ri^3 rj^3/r^6 (1993) */
  CDN_MIX_KONG,              /**< Kong (1973): e r^6 geometric, e r^12 the mean of 13th roots */
  CDN_MIX_COUNT
} cdn_mixing;

/** Mixes two radii (nm) and depths (kJ/mol). CDN_ERR_ARG: no such rule, a negative number. */
CDN_API cdn_status cdn_mix_lj(cdn_mixing rule, double ri, double ei, double rj, double ej, double *r,
                              double *e) CDN_NODISCARD;
/** Adds a class: half the distance of the minimum (nm, >= 0) and the depth (kJ/mol, >= 0). Returns its number. */
CDN_API int cdn_molecule_add_class(cdn_molecule *molecule, const char *name, double radius, double depth);
CDN_API int cdn_molecule_add_class_kA(cdn_molecule *molecule, const char *name, double radius, double depth);
CDN_API void cdn_molecule_set_mixing(cdn_molecule *molecule, cdn_mixing rule);
/** Lets two classes meet by E = A/d^12 - B/d^6 (kJ/mol nm^12, nm^6), whatever the rule says. */
CDN_API void cdn_molecule_set_lj(cdn_molecule *molecule, int class_i, int class_j, double A, double B);

/* ---- terms of bonds ------------------------------------------------------------------------- */

enum { CDN_ANY_CLASS = -1 }; /**< a wildcard, for the ends of a torsion and three places of an improper */

/** E = k (r - r0)^2, without a half: AMBER's and DuMM's convention. k >= 0 in kJ/mol/nm^2, r0 > 0 in nm. */
CDN_API void cdn_molecule_define_stretch(cdn_molecule *molecule, int c1, int c2, double k, double r0);
/** E = k (theta - theta0)^2; kJ/mol/rad^2. The class in the middle is c2. */
CDN_API void cdn_molecule_define_bend(cdn_molecule *molecule, int c1, int c2, int c3, double k, double theta0);
/** E = k (1 + cos(n phi - phase)), n = 1 to 6; several n of the same classes add up. phi is zero at cis, positive
 *  clockwise seen along the middle bond (IUPAC). */
CDN_API void cdn_molecule_define_torsion(cdn_molecule *molecule, int c1, int c2, int c3, int c4, int n, double k,
                                         double phase);
/** The same function of the dihedral c1-c2-c3-c4 where c3 is the central atom, bonded to the three others (AMBER). */
CDN_API void cdn_molecule_define_improper(cdn_molecule *molecule, int c1, int c2, int c3, int c4, int n, double k,
                                          double phase);
CDN_API void cdn_molecule_define_stretch_kA(cdn_molecule *molecule, int c1, int c2, double k, double r0);
CDN_API void cdn_molecule_define_bend_kA(cdn_molecule *molecule, int c1, int c2, int c3, double k, double theta0);
CDN_API void cdn_molecule_define_torsion_kA(cdn_molecule *molecule, int c1, int c2, int c3, int c4, int n, double k,
                                            double phase);
CDN_API void cdn_molecule_define_improper_kA(cdn_molecule *molecule, int c1, int c2, int c3, int c4, int n, double k,
                                             double phase);
/** Gives each bond, angle and dihedral of the bonds the terms of its atoms' classes; the definition with the fewest
 *  wildcards wins. A bond or angle without a definition is a mistake, which is named; dihedrals may have none. */
CDN_API void cdn_molecule_assign_terms(cdn_molecule *molecule);

/** Add a term of certain atoms, by its numbers (kJ/mol, nm, rad) as the definitions above have them. */
CDN_API void cdn_molecule_add_stretch(cdn_molecule *molecule, int a, int b, double k, double r0);
CDN_API void cdn_molecule_add_bend(cdn_molecule *molecule, int a, int b, int c, double k, double theta0);
CDN_API void cdn_molecule_add_torsion(cdn_molecule *molecule, int a, int b, int c, int d, int n, double k,
                                      double phase);
CDN_API void cdn_molecule_add_improper(cdn_molecule *molecule, int a, int b, int c, int d, int n, double k,
                                       double phase);
/** Energies (kJ/mol) that are functions of one input: the distance (nm), the angle (rad, 0 to pi), the dihedral (rad,
 *  -pi to pi; the function must have that period). The function is retained. */
CDN_API void cdn_molecule_add_custom_stretch(cdn_molecule *molecule, int a, int b, cdn_function *energy);
CDN_API void cdn_molecule_add_custom_bend(cdn_molecule *molecule, int a, int b, int c, cdn_function *energy);
CDN_API void cdn_molecule_add_custom_torsion(cdn_molecule *molecule, int a, int b, int c, int d, cdn_function *energy);
/** As a custom torsion; its energy counts as an improper's. With it a harmonic improper is written. */
CDN_API void cdn_molecule_add_custom_improper(cdn_molecule *molecule, int a, int b, int c, int d, cdn_function *energy);

/* ---- pairs ---------------------------------------------------------------------------------- */

/** Factors of Coulomb's and van der Waals' terms of atoms that are 1, 2, 3, 4 bonds apart: (0, 0, 1/1.2, 1) and (0, 0,
 *  1/2, 1) by default. */
CDN_API void cdn_molecule_set_neighbour_scales(cdn_molecule *molecule, const double coulomb[4], const double lj[4]);
/** Factors of one pair, whatever the bonds between the two atoms say. */
CDN_API void cdn_molecule_scale_pair(cdn_molecule *molecule, int a, int b, double coulomb, double lj);
CDN_API void cdn_molecule_set_coulomb_constant(cdn_molecule *molecule, double k);

typedef enum cdn_solvent_model {
  CDN_SOLVENT_VACUUM, /**< none */
  CDN_SOLVENT_HCT,    /**< Hawkins, Cramer, Truhlar 1996; AMBER's igb 1 */
  CDN_SOLVENT_OBC1,   /**< Onufriev, Bashford, Case 2004, model I; igb 2 */
  CDN_SOLVENT_OBC2,   /**< model II; igb 5 */
  CDN_SOLVENT_GBN,    /**< Mongan, Simmerling, McCammon, Case, Onufriev 2007; igb 7 */
  CDN_SOLVENT_GBN2,   /**< Nguyen, Roe, Simmerling 2013; igb 8 */
  CDN_SOLVENT_COUNT
} cdn_solvent_model;

typedef struct cdn_solvent_def {
  CDN_DEF_HEADER;
  cdn_solvent_model model; /**< default CDN_SOLVENT_VACUUM */
  double solute, solvent;  /**< relative permittivities; defaults 1, 78.5 */
  double kappa;            /**< Debye's screening, 1/nm; default 0: no salt */
  double surface;          /**< ACE surface term, 4 pi gamma in kJ/mol/nm^2; default 28.3919551; 0: none */
  double probe;            /**< radius of its probe, nm; default 0.14 */
} cdn_solvent_def;

CDN_DEF(solvent_def);

/** A generalized Born solvent, for all atoms: pairs have no cutoff then. */
CDN_API void cdn_molecule_set_solvent(cdn_molecule *molecule, const cdn_solvent_def *def);

typedef struct cdn_cutoff_def {
  CDN_DEF_HEADER;
  double distance;     /**< nm, > 0; default 1 */
  double switching;    /**< where Lennard-Jones begins to fade, nm; default 0: nine tenths of the distance. The
                          distance itself: it ends with a jump, and energy is not conserved */
  double permittivity; /**< relative, of what is beyond, for the reaction field; default 78.3; INFINITY is allowed */
  double skin;         /**< nm; the list of neighbours holds while no atom has moved by half of it; default 0.15. It
                          changes the computing time alone */
} cdn_cutoff_def;

CDN_DEF(cutoff_def);

/** Leaves out pairs further apart, in vacuum; cdn_system_add_molecule refuses it with a solvent (CDN_ERR_UNSUPPORTED).
 *  With d the distance and s the switching, Lennard-Jones' energy is times 1 - 10 x^3 + 15 x^4 - 6 x^5 beyond s, x =
 *  (r - s)/(d - s). Coulomb's 1/r becomes 1/r + r^2 (e - 1)/((2 e + 1) d^3) - 3 e/((2 e + 1) d), which is zero at d:
 *  the reaction field of the permittivity e (I. G. Tironi et al., J. Chem. Phys. 102:5451, 1995). Both are OpenMM's
 *  CutoffNonPeriodic. Pairs with factors of their own (1-4) have no cutoff and no reaction field. A State keeps the
 *  list of neighbours; no result depends on it. Cost: O(atoms) an evaluation, O(atoms^2/64) when the list is made
 *  anew. */
CDN_API void cdn_molecule_set_cutoff(cdn_molecule *molecule, const cdn_cutoff_def *def);
/** How many threads sum pairs, the caller's included, 1 to 4096; default 1. More than 8 are not used, nor any for fewer
 *  than 500 atoms. They belong to the System and wait between evaluations. The number of threads changes the computing
 *  time alone: results have the same bits. States that several threads evaluate at once take turns: one has the
 *  threads, the others go without. */
CDN_API void cdn_molecule_set_threads(cdn_molecule *molecule, int threads);

/* ---- what moves ----------------------------------------------------------------------------- */

/** Of the two atoms of a bond the inner one is nearer to the root of the tree, the heaviest body of each molecule (of
 *  equal ones that with the lowest atom). Where the outer part is one atom, or atoms on the bond's line, and no bond
 *  beyond it bends, it has no dihedral, and q has none. Where nothing but the outer part is fixed to the inner atom,
 *  there is no angle, and q has none; the dihedral counts from where the description has it. Of several bonds at one
 *  atom whose directions would follow from each other the first one has no angle. A bond that would turn all that a
 *  root turns about a line has no dihedral. Where several bonds of a part bend, and no atom of it is off the line, one
 *  of them decides the plane. The others also have an azimuth, the last q: how far the plane of their angle has turned
 *  from where the description has it. */
typedef enum cdn_bond_mobility {
  CDN_BOND_RIGID,
  CDN_BOND_TORSION,      /**< a pin along the bond: q = (dihedral) */
  CDN_BOND_TORSION_BEND, /**< also the angle at the inner atom: q = (angle, dihedral) */
  CDN_BOND_FLEXIBLE,     /**< also the length: q = (angle, dihedral, length) */
  CDN_BOND_BALL,         /**< the outer part turns about the inner atom; q = (quaternion) */
  CDN_BOND_CUT,          /**< the bond closes a loop: a rod keeps its length */
  CDN_BOND_FREE,         /**< the outer part moves freely: the bond is a term of energy only */
  CDN_BOND_MOBILITY_COUNT
} cdn_bond_mobility;

/** Sets the mobility of many bonds by a rule; rules add up, the last one wins. Rules:
 *    "none"        every bond is rigid
 *    "torsions"    torsion: each bond that is in no ring and whose two atoms have further neighbours. Bonds of sulphur
 *                  with sulphur between residues are cut first
 *    "backbone"    of these, phi and psi of peptides: N-CA and CA-C
 *    "side-chains" of these, bonds outside the chain of N, CA, C and its other neighbours
 *    "bends", "flexible"  as "torsions", with angles; with angles and lengths
 *    "atoms"       every atom moves freely
 *  A rule may be followed by the sequence numbers of residues to which it applies: "torsions 3-7,12". A bond belongs to
 *  the residue of its first atom; both atoms' residues must be named. Rigid for others stays as it was. */
CDN_API void cdn_molecule_set_mobility(cdn_molecule *molecule, const char *rule);
CDN_API void cdn_molecule_set_bond_mobility(cdn_molecule *molecule, int a, int b, cdn_bond_mobility mobility);
/** The dihedral x-a-b-y is the coordinate of bond a-b. By default x is, of the neighbours of a, one of a chain (N, CA,
 *  C  of peptides, P to O3' of nucleic acids), then the heaviest, then the first by name (IUPAC); and so is y. */
CDN_API void cdn_molecule_set_dihedral(cdn_molecule *molecule, int x, int a, int b, int y);

/** An empty cluster: atoms that keep their places. Returns its number. */
CDN_API int cdn_molecule_add_cluster(cdn_molecule *molecule, const char *name);
/** Places an atom at p in a cluster. An atom may be in one cluster only. */
CDN_API void cdn_cluster_place_atom(cdn_molecule *molecule, int cluster, int atom, cdn_vec3 p);
/** Places all atoms of another cluster in this one, at X. */
CDN_API void cdn_cluster_place_cluster(cdn_molecule *molecule, int cluster, int inner, cdn_transform X);
/** Mass, centre of mass and central inertia in the cluster's frame. CDN_ERR_ARG: no such cluster, no atoms. */
CDN_API cdn_status cdn_cluster_mass_properties(const cdn_molecule *molecule, int cluster,
                                               cdn_mass_properties *out) CDN_NODISCARD;
/** Puts the cluster at X_BC on a body that is, or will be, in the System that the molecule is added to. The body's mass
 *  is the caller's affair. Atoms in no attached cluster get bodies by the mobility of bonds; a bond between both sorts
 *  is a term of energy only. */
CDN_API void cdn_molecule_attach_cluster(cdn_molecule *molecule, int cluster, cdn_body body, cdn_transform X_BC);

/* ---- in a System ---------------------------------------------------------------------------- */

/** Adds bodies, mobilizers and rods of a molecule, named after its atoms, and its force field; returns the latter. The
 *  default q are those of the description's positions, to 1e-12 nm. `parent`: the body on which the roots move, each by
 *  the mobilizer that its atoms need: 6 mobilities; 5 where it and what it carries is on one line, 3 for one atom; what
 *  balls carry does not count. Copies what it needs; sticky (system.h). */
CDN_API cdn_force cdn_system_add_molecule(cdn_system *system, const char *name, const cdn_molecule *molecule,
                                          cdn_body parent);

/** Kinds of terms. */
typedef enum cdn_energy_term {
  CDN_TERM_STRETCH,
  CDN_TERM_BEND,
  CDN_TERM_TORSION,
  CDN_TERM_IMPROPER,
  CDN_TERM_LJ,
  CDN_TERM_COULOMB,
  CDN_TERM_LJ_SCALED, /**< pairs with a factor of their own: 1-4 */
  CDN_TERM_COULOMB_SCALED,
  CDN_TERM_POLAR,   /**< generalized Born */
  CDN_TERM_SURFACE, /**< ACE */
  CDN_TERM_COUNT
} cdn_energy_term;

CDN_API const char *cdn_energy_term_name(cdn_energy_term term); /**< "stretch", "coulomb" and the like */

/** The number of atoms of a force field; -1 for another force. */
CDN_API int cdn_force_field_atom_count(const cdn_system *system, cdn_force field);
/** The body that carries an atom, and its station (nm, in the body's frame). CDN_ERR_ARG. */
CDN_API cdn_status cdn_force_field_atom_place(const cdn_system *system, cdn_force field, int atom, cdn_body *body,
                                              cdn_vec3 *p_B) CDN_NODISCARD;
/** The body whose mobilizer is the bond of two atoms; { -1 } if the bond does not move. */
CDN_API cdn_body cdn_force_field_bond_body(const cdn_system *system, cdn_force field, int a, int b);
/** What coordinate k (from 0) of such a body is: "angle", "dihedral", "length" or "azimuth" (cdn_bond_mobility), or a
 *  part "w", "x", "y", "z" of a ball's quaternion. Static text; NULL: the body is no bond of this field, or has no such
 *  coordinate. O(bodies). */
CDN_API const char *cdn_force_field_coordinate_name(const cdn_system *system, cdn_force field, cdn_body body, int k);
/** Positions of all atoms in Ground, 3 numbers each, nm. Stage: Position. O(atoms). */
CDN_API cdn_status cdn_force_field_positions(cdn_state *state, cdn_force field, double *x) CDN_NODISCARD;
/** Sets q so that the atoms come as near to these positions as the mobilizers allow: roots are fitted to their atoms
 *  (those whose atoms are on one line to their neighbours', too), and each joint's coordinates are read off. Other
 *  numbers are not touched. What does not move keeps the lengths, angles and dihedrals of the description: positions
 *  in which these are others are not reached. O(atoms). CDN_ERR_SINGULAR: atoms from which a root's rotation would
 *  follow are on one line. */
CDN_API cdn_status cdn_force_field_set_positions(cdn_state *state, cdn_force field, const double *x) CDN_NODISCARD;
/** Energies by term (kJ/mol), CDN_TERM_COUNT numbers: of all terms and pairs, also within bodies. A term that is
 *  switched off is zero. Stage: Position. */
CDN_API cdn_status cdn_force_field_energies(cdn_state *state, cdn_force field, double *energy) CDN_NODISCARD;
/** Forces on all atoms in Ground (kJ/mol/nm), 3 numbers each: minus the gradient of the sum of all terms, as if every
 *  atom moved alone. Stage: Position. */
CDN_API cdn_status cdn_force_field_forces(cdn_state *state, cdn_force field, double *f) CDN_NODISCARD;
/** Born radii (nm), one an atom. CDN_ERR_UNSUPPORTED in vacuum. Stage: Position. */
CDN_API cdn_status cdn_force_field_born_radii(cdn_state *state, cdn_force field, double *radius) CDN_NODISCARD;

/** Scales a kind of term in a State (an Instance variable); 0 switches it off. Default 1. */
CDN_API cdn_status cdn_force_field_set_factor(cdn_state *state, cdn_force field, cdn_energy_term term,
                                              double factor) CDN_NODISCARD;
CDN_API double cdn_force_field_factor(const cdn_state *state, cdn_force field, cdn_energy_term term);
/** The charges (e), one an atom, which States share until one sets them. The pointer is valid until it does. */
CDN_API cdn_status cdn_force_field_set_charges(cdn_state *state, cdn_force field, const double *charge) CDN_NODISCARD;
CDN_API const double *cdn_force_field_charges(const cdn_state *state, cdn_force field);
/** Lets two classes of the description meet by E = A/d^12 - B/d^6 in a State (kJ/mol nm^12, nm^6); other States keep
 *  their numbers. CDN_ERR_ARG: no atom has one of the classes. CDN_ERR_NONFINITE. */
CDN_API cdn_status cdn_force_field_set_lj(cdn_state *state, cdn_force field, int class_i, int class_j, double A,
                                          double B) CDN_NODISCARD;
/** Reads A and B (either pointer may be NULL). CDN_ERR_ARG. */
CDN_API cdn_status cdn_force_field_lj(const cdn_state *state, cdn_force field, int class_i, int class_j, double *A,
                                      double *B) CDN_NODISCARD;
/** Terms of bonds are numbers from 0, in the order in which the description has them. How many there are; -1 for
 *  another force. */
CDN_API int cdn_force_field_term_count(const cdn_system *system, cdn_force field);
/** The first term of a kind and a periodicity (0: stretches, bends, functions of your own) with these atoms (2 to 4
 *  numbers), in this order or, but for impropers, in the reverse. -1 with the thread's last error: none. O(terms). */
CDN_API int cdn_force_field_find_term(const cdn_system *system, cdn_force field, cdn_energy_term kind, int n,
                                      const int *atoms);
/** Reads a term: its kind, periodicity, 4 atoms (-1 beyond the last one), and k and x0 (r0, theta0 or the phase) of
 *  this State, in the units of the adders; zeros for a function of your own. Any pointer may be NULL. CDN_ERR_ARG. */
CDN_API cdn_status cdn_force_field_term(const cdn_state *state, cdn_force field, int term, cdn_energy_term *kind,
                                        int *n, int *atoms, double *k, double *x0) CDN_NODISCARD;
/** Sets k and x0 of a term in a State; other States keep theirs. CDN_ERR_ARG: no such term, not finite, k < 0 of a
 *  stretch or bend, r0 <= 0. CDN_ERR_UNSUPPORTED: the term is a function of your own. */
CDN_API cdn_status cdn_force_field_set_term(cdn_state *state, cdn_force field, int term, double k,
                                            double x0) CDN_NODISCARD;

CDN_END_DECLS
#endif
