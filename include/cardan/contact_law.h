/* Cardan: laws of contact of your own, what laws lack, and contacts that no pair of shapes has.
 *
 * A law acts between two kinds of geometry, or between two shapes, in place of the library's law or where it has none.
 * For two shapes that may touch, and whose boxes overlap, it finds their contacts (places, normals, depths) from
 * geometries, poses and materials alone. Where contact is compliant its pressure, a function of depth and rate, gives
 * the normal force; energy, derivatives, bends and the row of an implicit step follow from it. Soft contact and
 * invertible contact take the places, normals and depths, and have laws of their own. Friction, its memory, reports and
 * measures are the library's. examples/custom_contact_law.c is a whole program.
 *
 * A *source of contacts* adds contacts that the library does not look for: on a signed distance field, or on a terrain
 * that the program alone knows. docs/hooks.md compares both with MuJoCo's callbacks.
 *
 * I want to
 *   find the contacts of two kinds of geometry, or of two shapes, by a function of my own: cdn_default_contact_law_def,
 *       cdn_system_add_contact_law, cdn_default_law_contact, cdn_law_add
 *   add contacts that no pair of shapes has: cdn_default_contact_source_def, cdn_system_add_contact_source,
 *       cdn_source_add
 *   know which law acts between two kinds, and what it lacks: cdn_system_contact_law */
#ifndef CARDAN_CONTACT_LAW_H
#define CARDAN_CONTACT_LAW_H

#include <cardan/contact.h>
#include <cardan/system.h>

CDN_BEGIN_DECLS

/* ---- pressure, by the numbers of a contact ---- */

enum { CDN_LAW_NUMBERS = 5 }; /**< numbers of a contact that its law may use */

/* Each function below must depend on its arguments alone; several threads may call it at once. */

/** Force along the normal, N, of a contact with the depth `depth` (m, > 0), which grows at `rate` (m/s). A negative
 *  force counts as 0. The force must not fall as depth or rate grows: else a step of CDN_METHOD_IMPLICIT_CONTACT may
 *  have no solution. */
typedef double cdn_law_pressure_fn(const double *numbers, double depth, double rate);
/** Its derivatives, where it is positive: slope[0] by the depth, N/m; slope[1] by the rate, N s/m. */
typedef void cdn_law_slopes_fn(const double *numbers, double depth, double rate, double slope[2]);
/** Energy that is stored at a depth, J: its derivative by the depth is the pressure at the rate 0. */
typedef double cdn_law_potential_fn(const double *numbers, double depth);
/** Where the pressure is not smooth; NaN, which both are before the call: nowhere. */
typedef struct cdn_law_bends {
  double depth; /**< where it sets in, m. The library ends steps at the depth 0, whatever is said here */
  double rate;  /**< below this one it is 0, at any depth, m/s: the contact lets go, and steps end there */
} cdn_law_bends;
typedef void cdn_law_bends_fn(const double *numbers, cdn_law_bends *out);

/* ---- where shapes touch ---- */

/** Arguments of a law: two shapes. Geometry a is of the def's first kind, b of its second; if both kinds are the same,
 *  a is the shape with the lower id. The library owns it; later releases append members. */
typedef struct cdn_law_input {
  const cdn_system *system; /**< the System of the State */
  cdn_shape a, b;
  const cdn_geometry *geometry_a, *geometry_b;         /**< with the State's sizes */
  cdn_transform X_GA, X_GB;                            /**< poses of their frames S in Ground */
  const cdn_contact_material *material_a, *material_b; /**< the State's */
  /** Both combined by the rules of docs/materials.md, with the numbers of a pair of the user's: its modulus is E* of
   *  Hertz's law. `thickness` is not combined. */
  const cdn_contact_material *combined;
  /** m: shapes that are apart by less have contacts, too, whose depths are negative. 0 where contact is compliant */
  double margin;
} cdn_law_input;

/** One contact of a law. Vectors are in Ground. */
typedef struct cdn_law_contact {
  CDN_DEF_HEADER;
  int32_t feature;        /**< >= 0, ascending from one contact of the pair to the next: the same from step to step */
  cdn_vec3 point, normal; /**< where the force acts; unit vector from a to b. Soft contact: the point is midway */
  double depth;           /**< m, >= -margin of the input; of a source of contacts: any */
  /* What follows is for compliant contact; soft and invertible contact do not read it. Of a law with a pressure the
   * next three are not read either: they follow. */
  double elastic; /**< normal force without dissipation, N, >= 0 */
  /** Stored energy, J. The force along the normals must be its negative gradient by the poses. Default NaN: nobody
   *  computes it; the force then counts as one without a potential. */
  double energy;
  double damping; /**< s/m, >= 0: the force is elastic (1 + damping x rate of the depth). Default 0 */
  /** Coefficients of friction, >= 0, torsional and rolling ones in m. Default -1: those of `combined`. */
  double static_friction, dynamic_friction, viscous_friction, torsional_friction, rolling_friction;
  double numbers[CDN_LAW_NUMBERS]; /**< what the law's pressure is told of this contact. Default 0 */
  /** Relative principal curvatures, 1/m, larger first. Both > 0, and a law without a pressure: Hertz's law, by the
   *  combined modulus and dissipation; the three above are not read. Its energy counts as a potential, which is right
   *  if the curvatures do not vary with the pose. Default 0: `elastic` tells the force */
  double curvature[2];
} cdn_law_contact;
CDN_DEF(law_contact);

/** Where a law puts its contacts; valid during one call. */
typedef struct cdn_law_output cdn_law_output;
/** Adds a contact, for laws. Errors: CDN_ERR_ARG (numbers that are not finite or out of their limits, a normal that is
 *  no unit vector, features that do not ascend), CDN_ERR_NOMEM. Return them. */
CDN_API cdn_status cdn_law_add(cdn_law_output *out, const cdn_law_contact *contact) CDN_NODISCARD;

/** Adds the contacts of two shapes, or none. It must be a function of `in` alone, and several threads may call it at
 *  once. `self` is that of the def. A status other than CDN_OK fails the evaluation of the State. */
typedef cdn_status cdn_law_fn(const void *self, const cdn_law_input *in, cdn_law_output *out);

typedef struct cdn_contact_law_def {
  CDN_DEF_HEADER;
  const char *name;       /**< for messages; copied; NULL: "law0", "law1", ... */
  cdn_geometry_kind a, b; /**< the kinds, in any order; custom ones included */
  cdn_law_fn *find;       /**< must be set */
  const void *self;       /**< a copy of self_size bytes, or the pointer itself if 0 */
  size_t self_size;       /**< bytes that `self` points to */
  /** Default NULL: each contact tells its elastic force, energy and damping at its depth, and implicit steps take a
   *  spring that has this force. */
  cdn_law_pressure_fn *pressure;
  /* Optional, beside a pressure; NULL: the law lacks it (cdn_contact_law_info). */
  cdn_law_slopes_fn *slopes;       /**< NULL: differences of the pressure */
  cdn_law_potential_fn *potential; /**< NULL: the force counts as one without a potential, whose power is integrated */
  cdn_law_bends_fn *bends;         /**< NULL: no step ends where a contact lets go */
  /** Two shapes: the law acts between these alone, before any law of their kinds. Their kinds are a and b, which need
   *  not be given. Default -1: all shapes of the two kinds */
  cdn_shape shape_a, shape_b;
} cdn_contact_law_def;
CDN_DEF(contact_law_def);
/** Gives two kinds of geometry, or two shapes, a law of the user's. Building mistakes: kinds that are none, one shape
 *  instead of two, two laws for the same, slopes, a potential or bends without a pressure. Sticky. Runs end steps where
 *  shapes begin to touch, and look for contacts that a step has missed, by the library's distance of the two
 *  geometries, if it knows one. */
CDN_API void cdn_system_add_contact_law(cdn_system *system, const cdn_contact_law_def *def);

/* ---- contacts that no pair of shapes has ---- */

/** Where a source puts its contacts; valid during one call. */
typedef struct cdn_source_output cdn_source_output;
/** Adds a contact of two shapes, of which neither needs to be near the other, nor to pass a rule of contact: they name
 *  bodies and materials. The normal is from a to b. Contacts come in any order; `feature` (below 2^24) tells those of
 *  two shapes apart, and cdn_contact.feature is 2^24 (1 + number of the source) more. Contacts whose shapes are apart
 *  by more than their margin (compliant contact: at all) are left out, and so are those of shapes that are switched
 *  off. Errors: CDN_ERR_ARG (no such shapes, one body or bodies that are welded together, numbers as in cdn_law_add),
 *  CDN_ERR_NOMEM. Return them. */
CDN_API cdn_status cdn_source_add(cdn_source_output *out, cdn_shape a, cdn_shape b,
                                  const cdn_law_contact *contact) CDN_NODISCARD;

/** Adds the contacts of a State, or none. It may read the poses of bodies and shapes, parameters, and what the def says
 *  it reads; several threads may call it at once, for different States. A status other than CDN_OK fails the evaluation
 *  of the State, with the message of cdn_state_fail, or the thread's last one. */
typedef cdn_status cdn_contact_source_fn(const void *self, cdn_state *state, cdn_source_output *out);

typedef struct cdn_contact_source_def {
  CDN_DEF_HEADER;
  const char *name;            /**< for messages; copied; NULL: "source0", "source1", ... */
  cdn_contact_source_fn *find; /**< adds the contacts; must be set */
  const void *self;            /**< a copy of self_size bytes, or the pointer itself if 0 */
  size_t self_size;            /**< bytes that `self` points to */
  /** What it reads beyond poses and parameters: CDN_T, CDN_U_EFF, CDN_Z, tickets of controls and measures. It is called
   *  again only if one of them, or a pose, has changed. Copied. Default: nothing */
  const cdn_ticket *reads;
  int n_reads;
} cdn_contact_source_def;
CDN_DEF(contact_source_def);
/** Adds a source of contacts. Soft and compliant contact see them, in forces, friction, reports and measures;
 *  invertible contact does not. Derivatives are differences; where contact is compliant, those of all forces of
 *  contact. No step ends where such a contact begins, and no run looks for one that a step has missed. Its force counts
 *  as one without a potential if it reads more than poses. Building mistakes: no function, more than 100 sources.
 *  Freezing fails with CDN_ERR_CYCLE if what it reads is computed from contacts, and with CDN_ERR_ARG without shapes.
 *  Sticky. */
CDN_API void cdn_system_add_contact_source(cdn_system *system, const cdn_contact_source_def *def);

/* ---- what a law has ---- */

/** What a law of contact says, or lacks; see cdn_contact_def.needs. */
typedef enum cdn_law_part {
  CDN_LAW_PRESSURE = 1,  /**< by depth and rate; lacking: implicit steps take a spring of force / depth */
  CDN_LAW_SLOPES = 2,    /**< of the pressure, in closed form; lacking: differences of it */
  CDN_LAW_POTENTIAL = 4, /**< lacking: power is integrated, so the energy certificate sees errors of that too */
  CDN_LAW_BENDS = 8,     /**< lacking: steps do not end where a contact lets go */
  CDN_LAW_DISTANCE = 16, /**< of the two kinds; lacking: steps do not end where they begin to touch */
  CDN_LAW_DERIVATIVES =
      32 /**< of the whole contact in closed form; lacking: differences of the contact, or of all forces */
} cdn_law_part;
enum { CDN_LAW_PARTS = 6 };

typedef struct cdn_contact_law_info {
  const char *name; /**< the law's; lives as long as the System */
  bool own;         /**< the user's */
  unsigned parts;   /**< cdn_law_part: what it has */
  char lacks[512];  /**< what it lacks, and what is done instead, in words; "" if nothing */
} cdn_contact_law_info;
/** The law that acts between two kinds of geometry; laws of two shapes are not asked. Errors: CDN_ERR_ARG (a kind that
 *  is none), CDN_ERR_UNSUPPORTED (none acts). Answers for a System with soft contact as well, which takes no more of a
 *  law than where shapes touch. */
CDN_SIZED(cdn_system_contact_law,
          (const cdn_system *system, cdn_geometry_kind a, cdn_geometry_kind b, cdn_contact_law_info *out),
          (system, a, b, out), out);

CDN_END_DECLS
#endif
