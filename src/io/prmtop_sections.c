/* The sections of a prmtop: %FLAG, %FORMAT and columns, as AMBER's file format specification says
 * (https://ambermd.org/prmtop.pdf). Numbers may touch, so they are told apart by their columns alone. */
#include <ctype.h>

#include "io/prmtop.h"

/* ---- what a flag means ---- */

#define PRMTOP_SECTION_ROW(flag, kind, count, needed) { #flag, kind },
static const struct {
  const char *flag;
  char kind;
} known[] = { PRMTOP_SECTION_LIST(PRMTOP_SECTION_ROW) };
_Static_assert(sizeof known / sizeof *known == PRMTOP_SECTION_COUNT, "each section has a row");

/* Sections that change the energy, and how to do without. A star stands for the rest of a flag. */
static const struct {
  const char *flag, *what;
} refused[] = {
  { "CTITLE", "this is CHARMM's force field (CHAMBER)" },
  { "FORCE_FIELD_TYPE", "this is CHARMM's force field (CHAMBER), or another of its kind" },
  { "CHARMM_*", "this is CHARMM's force field (CHAMBER)" },
  { "CMAP_*", "it has correction maps of torsions (CMAP), as ff19SB has" },
  { "LENNARD_JONES_CCOEF", "it has 12-6-4 terms of Lennard-Jones" },
  { "LENNARD_JONES_14_*", "it has Lennard-Jones coefficients of their own for 1-4 pairs, as CHARMM's force field has" },
  { "LENNARD_JONES_*", "it has terms of Lennard-Jones beyond A and B" },
  { "POLARIZABILITY", "it has polarizable atoms" },
  { "DIPOLE_DAMP_FACTOR", "it has polarizable atoms" },
  { "AMOEBA_*", "this is the AMOEBA force field" },
  { "LES_*", "it has several copies of atoms (LES)" },
  { "PERT_*", "it is a perturbed topology" },
};

/* Sections that say nothing of the energy in vacuum, or in a model of the solvent. */
static const char *const ignored[] = { "SOLTY",          "HBCUT",       "JOIN_ARRAY",      "IROTAT",
                                       "BOX_DIMENSIONS", "ATOM_NUMBER", "ATOM_ELEMENT",    "ATOM_BFACTOR",
                                       "ATOM_OCCUPANCY", "ATOM_ALTLOC", "RESIDUE_CHAINID", "RESIDUE_NUMBER",
                                       "RESIDUE_ICODE" };

static bool is(const char *flag, const char *pattern) {
  const size_t n = strlen(pattern);
  return pattern[n - 1] == '*' ? strncmp(flag, pattern, n - 1) == 0 : strcmp(flag, pattern) == 0;
}

static int find(const char *flag) {
  for (int i = 0; i < PRMTOP_SECTION_COUNT; i++)
    if (strcmp(flag, known[i].flag) == 0) return i;
  return -1;
}

static cdn_status refuse_what_acts(prmtop_data *p, int line, const char *flag) {
  for (int i = 0; i < CDNI_COUNT(refused); i++)
    if (is(flag, refused[i].flag))
      return io_fail(&p->log, CDN_ERR_UNSUPPORTED, line,
                     "%%FLAG %s: %s, which is not computed; build the topology with a force field that does without, "
                     "such as ff99SB or ff14SB",
                     flag, refused[i].what);
  for (int i = 0; i < CDNI_COUNT(ignored); i++)
    if (strcmp(flag, ignored[i]) == 0) return CDN_OK;
  io_warn(&p->log, line, "%%FLAG %s: this section is not known and left out", flag);
  return p->log.error.code;
}

cdn_status io_prmtop_fail(prmtop_data *p, prmtop_section_id id, cdn_status code, long k, const char *format, ...) {
  const prmtop_section *s = &p->section[id];
  char text[400];
  va_list args;
  va_start(args, format);
  cdni_vprint(text, sizeof text, format, args);
  va_end(args);
  const int line = k < 0 || s->per_line < 1 ? s->line : s->first_line + (int)(k / s->per_line);
  return io_fail(&p->log, code, line, "%%FLAG %s: %s", s->flag ? s->flag : known[id].flag, text);
}

/* ---- formats ---- */

/* "%FORMAT(5E16.8)": 5, 'E', 16. False: it is no such format. */
static bool read_format(const char *text, int *per_line, char *type, int *width) {
  enum { MOST = 1000 };
  const char *c = text + strlen("%FORMAT");
  long n = 0, w = 0;
  while (*c == ' ') c++;
  if (*c++ != '(') return false;
  while (isdigit((unsigned char)*c) && n <= MOST) n = 10 * n + *c++ - '0';
  *type = (char)toupper((unsigned char)*c);
  if (!*type || !strchr("AIEFGD", *type)) return false;
  for (c++; isdigit((unsigned char)*c) && w <= MOST; c++) w = 10 * w + *c - '0';
  if (*c == '.')
    for (c++; isdigit((unsigned char)*c); c++) {}
  *per_line = n > 0 ? (int)n : 1, *width = (int)w;
  return *c == ')' && n <= MOST && w > 0 && w <= MOST;
}

static cdn_status check_format(prmtop_data *p, prmtop_section *s, const io_lines *l) {
  char type;
  if (!read_format(l->text, &s->per_line, &type, &s->width))
    return io_fail(&p->log, CDN_ERR_PARSE, l->line, "%%FLAG %s: the format '%.40s' cannot be read", s->flag, l->text);
  const char *allowed = s->kind == 'I' ? "I" : s->kind == 'E' ? "EFGD" : "A";
  if (!strchr(allowed, type))
    return io_fail(&p->log, CDN_ERR_PARSE, l->line, "%%FLAG %s: the format '%.40s' is not one of %s", s->flag, l->text,
                   s->kind == 'I'   ? "integers"
                   : s->kind == 'E' ? "numbers"
                                    : "texts");
  return CDN_OK;
}

/* ---- data ---- */

static cdn_status wrong(prmtop_data *p, const prmtop_section *s, int line, const char *what, const char *field) {
  char shown[40];
  io_field_text(field, strlen(field) < (size_t)s->width ? strlen(field) : (size_t)s->width, shown, sizeof shown);
  return io_fail(&p->log, CDN_ERR_PARSE, line, "%%FLAG %s: %s: '%s' in columns of %d; make the file again", s->flag,
                 what, shown, s->width);
}

static cdn_status add_value(prmtop_data *p, prmtop_section *s, const io_lines *l, const char *field, size_t width) {
  double x = 0;
  int32_t i = 0;
  char name[PRMTOP_NAME] = "";
  const char *mistake = NULL;
  const void *value = s->kind == 'I' ? (const void *)&i : s->kind == 'E' ? (const void *)&x : name;
  const size_t size = s->kind == 'I' ? sizeof i : s->kind == 'E' ? sizeof x : sizeof name;
  if (s->kind == 'I') mistake = io_field_int(field, width, &i);
  else if (s->kind == 'E') mistake = io_field_double(l, field, width, &x);
  else io_field_text(field, width, name, sizeof name);
  if (mistake) return wrong(p, s, l->line, mistake, field);
  if (cdni_array_push(&p->log.allocator, &s->values, size, value)) return CDN_OK;
  return io_fail(&p->log, CDN_ERR_NOMEM, 0, "out of memory");
}

static cdn_status add_text(prmtop_data *p, prmtop_section *s, const io_lines *l) {
  if (s->values.count > 0) return CDN_OK; /* of a title the first line counts */
  char *text = cdni_array_extend(&p->log.allocator, &s->values, 1, l->length + 1);
  if (!text) return io_fail(&p->log, CDN_ERR_NOMEM, 0, "out of memory");
  io_field_text(l->text, l->length, text, l->length + 1);
  return CDN_OK;
}

/* A line of data. Only the last line of a section may have fewer values than its format says. */
static cdn_status add_line(prmtop_data *p, prmtop_section *s, io_lines *l) {
  if (s->kind == 'T') return add_text(p, s, l);
  size_t n = l->length;
  while (n > 0 && l->text[n - 1] == ' ') n--;
  if (n == 0 && s->kind != 'A') return CDN_OK;
  const size_t width = (size_t)s->width, fields = (n + width - 1) / width;
  if (fields > (size_t)s->per_line)
    return io_fail(&p->log, CDN_ERR_PARSE, l->line,
                   "%%FLAG %s: the line is longer than its %d columns of %d; make the file again", s->flag, s->per_line,
                   s->width);
  if (s->values.count != (size_t)(l->line - s->first_line) * (size_t)s->per_line && s->kind != 'A')
    return io_fail(&p->log, CDN_ERR_PARSE, l->line - 1,
                   "%%FLAG %s: the line has fewer than %d numbers, and is not the last of its section; make the file "
                   "again",
                   s->flag, s->per_line);
  if (s->kind != 'A' && n % width != 0)
    return wrong(p, s, l->line, "the line ends within a number, or numbers are not in their columns",
                 l->text + n / width * width);
  /* names are padded with blanks, which an editor may have cut off */
  const size_t count = s->kind == 'A' ? (size_t)s->per_line : fields;
  for (size_t k = 0; k < count; k++) {
    const size_t at = k * width, left = at < n ? n - at : 0;
    CDNI_TRY(add_value(p, s, l, left ? l->text + at : "", left < width ? left : width));
  }
  return CDN_OK;
}

/* ---- sections ---- */

/* The text behind %FLAG, without blanks. */
static void flag_of(const char *line, char *flag, size_t size) {
  line += strlen("%FLAG");
  io_field_text(line, strlen(line), flag, size);
}

static cdn_status begin_section(prmtop_data *p, const io_lines *l, prmtop_section **s) {
  char flag[100];
  flag_of(l->text, flag, sizeof flag);
  const int i = find(flag);
  *s = NULL;
  if (i < 0) return refuse_what_acts(p, l->line, flag);
  if (p->section[i].there)
    return io_fail(&p->log, CDN_ERR_PARSE, l->line, "%%FLAG %s is here and in line %d; remove one of the sections",
                   flag, p->section[i].line);
  *s = &p->section[i];
  **s = (prmtop_section){ .flag = known[i].flag, .kind = known[i].kind, .line = l->line, .there = true };
  return CDN_OK;
}

static cdn_status check_beginning(prmtop_data *p, const io_lines *l) {
  if (strncmp(l->text, "%VERSION", 8) == 0 || strncmp(l->text, "%FLAG", 5) == 0 || strncmp(l->text, "%COMMENT", 8) == 0)
    return CDN_OK;
  return io_fail(
      &p->log, CDN_ERR_UNSUPPORTED, l->line,
      "the file does not begin with %%VERSION: it is no prmtop of AMBER 7 or later; give the topology file, or "
      "write it anew with ParmEd or AMBER's new_to_old and its reverse");
}

static cdn_status read_lines(prmtop_data *p, io_lines *l) {
  prmtop_section *s = NULL;
  bool there, any = false;
  for (;;) {
    CDNI_TRY(io_lines_next(l, &there));
    if (!there) break;
    if (!any) CDNI_TRY(check_beginning(p, l));
    any = true;
    if (strncmp(l->text, "%FLAG", 5) == 0) {
      if (s && s->per_line == 0)
        return io_fail(&p->log, CDN_ERR_PARSE, s->line, "%%FLAG %s: the section has no %%FORMAT", s->flag);
      CDNI_TRY(begin_section(p, l, &s));
    } else if (strncmp(l->text, "%FORMAT", 7) == 0) {
      if (s) CDNI_TRY(check_format(p, s, l));
      if (s) s->first_line = l->line + 1;
    } else if (strncmp(l->text, "%VERSION", 8) == 0 || strncmp(l->text, "%COMMENT", 8) == 0) {
      continue;
    } else if (s && s->per_line == 0) {
      return io_fail(&p->log, CDN_ERR_PARSE, l->line, "%%FLAG %s: there are data before its %%FORMAT", s->flag);
    } else if (s) {
      CDNI_TRY(add_line(p, s, l));
    }
  }
  if (!any) return io_fail(&p->log, CDN_ERR_PARSE, 0, "the file is empty");
  if (s && s->per_line == 0)
    return io_fail(&p->log, CDN_ERR_PARSE, s->line, "%%FLAG %s: the file ends here; it is cut off", s->flag);
  return CDN_OK;
}

/* ---- their lengths ---- */

static cdn_status read_pointers(prmtop_data *p) {
  static const char *const names[] = { "NATOM",  "NTYPES", "NBONH", "MBONA", "NTHETH", "MTHETA", "NPHIH",    "MPHIA",
                                       "NHPARM", "NPARM",  "NNB",   "NRES",  "NBONA",  "NTHETA", "NPHIA",    "NUMBND",
                                       "NUMANG", "NPTRA",  "NATYP", "NPHB",  "IFPERT", "NBPER",  "NGPER",    "NDPER",
                                       "MBPER",  "MGPER",  "MDPER", "IFBOX", "NMXRS",  "IFCAP",  "NUMEXTRA", "NCOPY" };
  _Static_assert(sizeof names / sizeof *names == PRMTOP_POINTERS, "each has a name");
  const prmtop_section *s = &p->section[PRM_POINTERS];
  if (!s->there)
    return io_fail(&p->log, CDN_ERR_PARSE, 0,
                   "there is no section %%FLAG POINTERS: this is no prmtop, or it is cut off");
  if (s->values.count < NUMEXTRA || s->values.count > PRMTOP_POINTERS)
    return io_prmtop_fail(p, PRM_POINTERS, CDN_ERR_PARSE, -1,
                          "the section has %zu numbers instead of 30 to 32; the file "
                          "is cut off or damaged",
                          s->values.count);
  for (size_t k = 0; k < s->values.count; k++) {
    p->n[k] = CDNI_AT(s->values, int32_t, k);
    if (p->n[k] < 0)
      return io_prmtop_fail(p, PRM_POINTERS, CDN_ERR_PARSE, (long)k, "%s is negative: %d", names[k], p->n[k]);
  }
  if (p->n[NATOM] < 1 || p->n[NRES] < 1 || p->n[NTYPES] < 1)
    return io_prmtop_fail(p, PRM_POINTERS, CDN_ERR_PARSE, 0,
                          "there are %d atoms, %d residues, %d types of atoms: none "
                          "may be 0",
                          p->n[NATOM], p->n[NRES], p->n[NTYPES]);
  if (p->n[NATOM] > CDN_MOST_ATOMS)
    return io_prmtop_fail(p, PRM_POINTERS, CDN_ERR_LIMIT, 0, "there are %d atoms; %d is the limit", p->n[NATOM],
                          CDN_MOST_ATOMS);
  return CDN_OK;
}

static cdn_status check_length(prmtop_data *p, prmtop_section_id id, double wanted, bool needed) {
  prmtop_section *s = &p->section[id];
  if (!s->there && needed)
    return io_fail(&p->log, CDN_ERR_PARSE, 0,
                   "there is no section %%FLAG %s: the file is cut off, or was made by a program that leaves it out; "
                   "make it again with tleap or ParmEd",
                   known[id].flag);
  if (!s->there || wanted < 0) return CDN_OK;
  while (s->kind == 'A' && (double)s->values.count > wanted &&
         ((const char *)s->values.data)[(s->values.count - 1) * PRMTOP_NAME] == 0)
    s->values.count--;
  if ((double)s->values.count == wanted) return CDN_OK;
  return io_prmtop_fail(p, id, CDN_ERR_PARSE, (double)s->values.count < wanted ? -1 : (long)wanted,
                        "the section has %zu %s; POINTERS (line %d) says %.0f: the file is cut off or damaged",
                        s->values.count, s->kind == 'A' ? "names" : "numbers", p->section[PRM_POINTERS].line, wanted);
}

static cdn_status check_lengths(prmtop_data *p) {
  double n[PRMTOP_POINTERS];
  for (int k = 0; k < PRMTOP_POINTERS; k++) n[k] = p->n[k];
#define PRMTOP_SECTION_CHECK(flag, kind, count, needed) CDNI_TRY(check_length(p, PRM_##flag, count, needed));
  PRMTOP_SECTION_LIST(PRMTOP_SECTION_CHECK)
  return CDN_OK;
}

cdn_status io_prmtop_read_sections(prmtop_data *p) {
  io_lines *lines = cdni_alloc(&p->log.allocator, sizeof *lines);
  if (!lines) return io_fail(&p->log, CDN_ERR_NOMEM, 0, "out of memory");
  cdn_status status = io_lines_open(lines, &p->log);
  if (status == CDN_OK) status = read_lines(p, lines);
  io_lines_close(lines);
  cdni_free(&p->log.allocator, lines, sizeof *lines);
  if (status == CDN_OK) status = read_pointers(p);
  return status == CDN_OK ? check_lengths(p) : status;
}
