/* The chemical elements. Masses are the standard atomic weights of IUPAC (2021, abridged to five digits; of elements
 * without one, the mass number of the longest-lived isotope). */
#include <ctype.h>
#include <math.h>

#include "io/molecule.h"

typedef struct element {
  char symbol[3];
  double mass; /* Da */
} element;

static const element elements[] = {
  { "", 0 },        { "H", 1.0080 },  { "He", 4.0026 }, { "Li", 6.94 },   { "Be", 9.0122 }, { "B", 10.81 },
  { "C", 12.011 },  { "N", 14.007 },  { "O", 15.999 },  { "F", 18.998 },  { "Ne", 20.180 }, { "Na", 22.990 },
  { "Mg", 24.305 }, { "Al", 26.982 }, { "Si", 28.085 }, { "P", 30.974 },  { "S", 32.06 },   { "Cl", 35.45 },
  { "Ar", 39.95 },  { "K", 39.098 },  { "Ca", 40.078 }, { "Sc", 44.956 }, { "Ti", 47.867 }, { "V", 50.942 },
  { "Cr", 51.996 }, { "Mn", 54.938 }, { "Fe", 55.845 }, { "Co", 58.933 }, { "Ni", 58.693 }, { "Cu", 63.546 },
  { "Zn", 65.38 },  { "Ga", 69.723 }, { "Ge", 72.630 }, { "As", 74.922 }, { "Se", 78.971 }, { "Br", 79.904 },
  { "Kr", 83.798 }, { "Rb", 85.468 }, { "Sr", 87.62 },  { "Y", 88.906 },  { "Zr", 91.224 }, { "Nb", 92.906 },
  { "Mo", 95.95 },  { "Tc", 97 },     { "Ru", 101.07 }, { "Rh", 102.91 }, { "Pd", 106.42 }, { "Ag", 107.87 },
  { "Cd", 112.41 }, { "In", 114.82 }, { "Sn", 118.71 }, { "Sb", 121.76 }, { "Te", 127.60 }, { "I", 126.90 },
  { "Xe", 131.29 }, { "Cs", 132.91 }, { "Ba", 137.33 }, { "La", 138.91 }, { "Ce", 140.12 }, { "Pr", 140.91 },
  { "Nd", 144.24 }, { "Pm", 145 },    { "Sm", 150.36 }, { "Eu", 151.96 }, { "Gd", 157.25 }, { "Tb", 158.93 },
  { "Dy", 162.50 }, { "Ho", 164.93 }, { "Er", 167.26 }, { "Tm", 168.93 }, { "Yb", 173.05 }, { "Lu", 174.97 },
  { "Hf", 178.49 }, { "Ta", 180.95 }, { "W", 183.84 },  { "Re", 186.21 }, { "Os", 190.23 }, { "Ir", 192.22 },
  { "Pt", 195.08 }, { "Au", 196.97 }, { "Hg", 200.59 }, { "Tl", 204.38 }, { "Pb", 207.2 },  { "Bi", 208.98 },
  { "Po", 209 },    { "At", 210 },    { "Rn", 222 },    { "Fr", 223 },    { "Ra", 226 },    { "Ac", 227 },
  { "Th", 232.04 }, { "Pa", 231.04 }, { "U", 238.03 },
};
enum { KNOWN_ELEMENTS = CDNI_COUNT(elements) };

const char *io_element_symbol(int atomic_number) {
  return atomic_number > 0 && atomic_number < KNOWN_ELEMENTS ? elements[atomic_number].symbol : "";
}

/* How many characters of the symbol the text begins with in either case: all of them, or 0. */
static size_t begins_with(const char *text, const char *symbol) {
  size_t n = 0;
  for (; symbol[n]; n++)
    if (toupper((unsigned char)text[n]) != toupper((unsigned char)symbol[n])) return 0;
  return n;
}

int io_element_number(const char *symbol) {
  const size_t n = strlen(symbol);
  for (int i = 1; i < KNOWN_ELEMENTS && n > 0; i++)
    if (begins_with(symbol, elements[i].symbol) == n) return i;
  return 0;
}

int io_element_by_mass(double mass, const char *name) {
  /* Weights in files have two digits or more. Three hydrogens may each have taken thrice their mass from an atom. */
  const double rounded = 0.02, otherwise = 0.5, taken = 9.2, heaviest_hydrogen = 4.1;
  int nearest = 1;
  while (*name >= '0' && *name <= '9') name++;
  for (int i = 2; i < KNOWN_ELEMENTS; i++)
    if (fabs(elements[i].mass - mass) < fabs(elements[nearest].mass - mass)) nearest = i;
  const double off = fabs(elements[nearest].mass - mass);
  if (off < rounded && begins_with(name, elements[nearest].symbol)) return nearest;
  if (mass < heaviest_hydrogen && begins_with(name, "H")) return 1;
  static const int common[] = { 6, 7, 8 };
  for (int i = 0; i < CDNI_COUNT(common); i++) {
    const element *e = &elements[common[i]];
    if (begins_with(name, e->symbol) && mass < e->mass + otherwise && mass > e->mass - taken) return common[i];
  }
  return off < otherwise ? nearest : 0;
}
