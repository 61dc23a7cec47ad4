/* PLY, as text and in both orders of bytes. Of its elements, vertices and faces are kept; polygons become fans of
 * triangles. */
#define _GNU_SOURCE // strtod_l
#include <errno.h>
#include <locale.h>
#include <math.h>
#include <stdio.h>

#include "io/meshes.h"

enum { MOST_ELEMENTS = 16, MOST_PROPERTIES = 64, MOST_CORNERS = 1 << 16, LINE = 1024 };

typedef enum number_type { INT8, UINT8, INT16, UINT16, INT32, UINT32, FLOAT32, FLOAT64, NO_TYPE } number_type;
typedef enum encoding { TEXT, LITTLE, BIG } encoding;

typedef struct property {
  number_type type, count; /* count: of a list; NO_TYPE: it is a number */
  int place;               /* 0 to 2: x, y, z; 3: corners of a face; -1: not used */
} property;

typedef struct element {
  double n;
  bool is_vertex, is_face;
  int n_properties;
  property property[MOST_PROPERTIES];
} element;

typedef struct ply {
  mesh_file *mesh;
  FILE *file;
  encoding encoding;
  int n_elements;
  element element[MOST_ELEMENTS];
  cdni_array vertices, triangles;
  double *corners; /* of one face */
  locale_t locale; /* whose numbers have a point */
} ply;

static cdn_status broken(const ply *p, const char *what) {
  return cdni_refuse(CDN_ERR_FILE, "cdn_surface_load", "the mesh file '%s' is broken: %s; export it again",
                     p->mesh->path, what);
}

/* ---- the header ---- */

static number_type type_of(const char *name) {
  static const char *const names[][2] = { { "char", "int8" },     { "uchar", "uint8" },   { "short", "int16" },
                                          { "ushort", "uint16" }, { "int", "int32" },     { "uint", "uint32" },
                                          { "float", "float32" }, { "double", "float64" } };
  int i = 0;
  while (i < NO_TYPE && strcmp(name, names[i][0]) != 0 && strcmp(name, names[i][1]) != 0) i++;
  return (number_type)i;
}

static cdn_status add_element(ply *p, const char *line) {
  char name[64];
  double n;
  if (p->n_elements == MOST_ELEMENTS || sscanf(line, "element %63s %lf", name, &n) != 2 || !(n >= 0 && n < 2e9) ||
      n != floor(n))
    return broken(p, "an element of its header has no name or no count");
  p->element[p->n_elements++] =
      (element){ .n = n, .is_vertex = strcmp(name, "vertex") == 0, .is_face = strcmp(name, "face") == 0 };
  return CDN_OK;
}

static cdn_status add_property(ply *p, const char *line) {
  char first[64], second[64] = "", third[64] = "", name[64] = "";
  element *e = p->n_elements > 0 ? &p->element[p->n_elements - 1] : NULL;
  const int n = sscanf(line, "property %63s %63s %63s %63s", first, second, third, name);
  const bool is_list = n == 4 && strcmp(first, "list") == 0;
  if (!e || e->n_properties == MOST_PROPERTIES || (n != 2 && !is_list))
    return broken(p, "its header has an odd property");
  property *q = &e->property[e->n_properties++];
  *q = (property){ type_of(is_list ? third : first), is_list ? type_of(second) : NO_TYPE, -1 };
  if (q->type == NO_TYPE || (is_list && q->count == NO_TYPE))
    return broken(p, "a property of its header has an unknown type");
  if (is_list && e->is_face && (strcmp(name, "vertex_indices") == 0 || strcmp(name, "vertex_index") == 0)) q->place = 3;
  if (!is_list && e->is_vertex && second[0] >= 'x' && second[0] <= 'z' && !second[1]) q->place = second[0] - 'x';
  return CDN_OK;
}

static cdn_status read_header(ply *p) {
  char line[LINE], format[32] = "";
  if (!fgets(line, LINE, p->file) || strncmp(line, "ply", 3) != 0 || line[3 + strspn(line + 3, " \r\n")])
    return broken(p, "its first line is not 'ply'");
  for (;;) {
    if (!fgets(line, LINE, p->file) || !strchr(line, '\n')) return broken(p, "its header has no end");
    if (strncmp(line, "element ", 8) == 0) CDNI_TRY(add_element(p, line));
    else if (strncmp(line, "property ", 9) == 0) CDNI_TRY(add_property(p, line));
    else if (strncmp(line, "format ", 7) == 0) sscanf(line, "format %31s", format);
    else if (strncmp(line, "end_header", 10) == 0) break;
    else if (strncmp(line, "comment", 7) != 0 && strncmp(line, "obj_info", 8) != 0 && line[strspn(line, " \t\r\n")])
      return broken(p, "its header has an odd line");
  }
  if (strcmp(format, "ascii") == 0) p->encoding = TEXT;
  else if (strcmp(format, "binary_little_endian") == 0) p->encoding = LITTLE;
  else if (strcmp(format, "binary_big_endian") == 0) p->encoding = BIG;
  else return broken(p, "its header has no format that PLY has");
  return CDN_OK;
}

/* ---- numbers ---- */

static double number_of(uint64_t bits, number_type type) {
  const uint32_t low = (uint32_t)bits;
  float single;
  double number;
  memcpy(&single, &low, sizeof single);
  memcpy(&number, &bits, sizeof number);
  switch (type) {
    case INT8: return (int8_t)low;
    case UINT8: return (uint8_t)low;
    case INT16: return (int16_t)low;
    case UINT16: return (uint16_t)low;
    case INT32: return (int32_t)low;
    case UINT32: return low;
    case FLOAT32: return single;
    default: return number;
  }
}

static bool read_text_number(ply *p, double *out) {
  char word[64], *end;
  if (fscanf(p->file, "%63s", word) != 1) return false;
  *out = strtod_l(word, &end, p->locale);
  return end != word && !*end;
}

static bool read_number(ply *p, number_type type, double *out) {
  static const int sizes[] = { 1, 1, 2, 2, 4, 4, 4, 8 };
  unsigned char bytes[8];
  const int n = sizes[type];
  uint64_t bits = 0;
  if (p->encoding == TEXT) return read_text_number(p, out);
  if (fread(bytes, 1, (size_t)n, p->file) != (size_t)n) return false;
  for (int i = 0; i < n; i++) bits = bits << 8 | bytes[p->encoding == BIG ? i : n - 1 - i];
  *out = number_of(bits, type);
  return true;
}

/* ---- elements ---- */

static cdn_status add_face(ply *p, int n) {
  for (int k = 0; k < n; k++)
    if (!(p->corners[k] >= 0 && p->corners[k] < (double)p->vertices.count) || p->corners[k] != floor(p->corners[k]))
      return broken(p, "a face has a corner that is no vertex before it");
  for (int k = 2; k < n; k++) {
    const int t[3] = { (int)p->corners[0], (int)p->corners[k - 1], (int)p->corners[k] };
    if (!cdni_array_push(NULL, &p->triangles, sizeof t, t))
      return cdni_refuse(CDN_ERR_NOMEM, "cdn_surface_load", "no memory for the triangles of '%s'", p->mesh->path);
  }
  return CDN_OK;
}

static cdn_status read_list(ply *p, const property *q, int *n) {
  double count, number;
  if (!read_number(p, q->count, &count)) return broken(p, "it ends early, or has a word that is no number");
  if (!(count >= 0 && count <= MOST_CORNERS) || count != floor(count)) return broken(p, "a list has an odd length");
  *n = (int)count;
  for (int k = 0; k < *n; k++) {
    if (!read_number(p, q->type, &number)) return broken(p, "it ends early, or has a word that is no number");
    if (q->place == 3) p->corners[k] = number;
  }
  return CDN_OK;
}

static cdn_status read_one(ply *p, const element *e) {
  double vertex[3] = { 0, 0, 0 }, number;
  int corners = 0, n = 0;
  for (int i = 0; i < e->n_properties; i++) {
    const property *q = &e->property[i];
    if (q->count != NO_TYPE) {
      CDNI_TRY(read_list(p, q, &n));
      if (q->place == 3) corners = n;
    } else if (!read_number(p, q->type, &number)) return broken(p, "it ends early, or has a word that is no number");
    else if (q->place >= 0) vertex[q->place] = number;
  }
  if (e->is_face) return add_face(p, corners);
  if (!e->is_vertex || cdni_array_push(NULL, &p->vertices, sizeof vertex, vertex)) return CDN_OK;
  return cdni_refuse(CDN_ERR_NOMEM, "cdn_surface_load", "no memory for the vertices of '%s'", p->mesh->path);
}

static cdn_status read_all(ply *p) {
  CDNI_TRY(read_header(p));
  for (int i = 0; i < p->n_elements; i++) {
    const element *e = &p->element[i];
    if (e->n_properties == 0 && e->n > 0) return broken(p, "an element of its header has no properties");
    for (double k = 0; k < e->n; k++) CDNI_TRY(read_one(p, e));
  }
  return p->vertices.count > 0 ? CDN_OK : broken(p, "it has no vertices");
}

cdn_status cdni_mesh_read_ply(mesh_file *mesh) {
  ply *p = cdni_calloc(NULL, sizeof *p);
  double *corners = cdni_alloc(NULL, MOST_CORNERS * sizeof *corners);
  FILE *file = io_file_open(mesh->files, mesh->path);
  cdn_status status;
  if (!p || !corners) status = cdni_refuse(CDN_ERR_NOMEM, "cdn_surface_load", "no memory to read '%s'", mesh->path);
  else if (!file)
    status = cdni_refuse(CDN_ERR_FILE, "cdn_surface_load", "the mesh file '%s' cannot be opened: %s", mesh->path,
                         strerror(errno));
  else {
    p->mesh = mesh, p->file = file, p->corners = corners;
    p->locale = newlocale(LC_ALL_MASK, "C", (locale_t)0);
    status = read_all(p);
    freelocale(p->locale);
    mesh->vertices = p->vertices.data, mesh->n_vertices = (int)p->vertices.count;
    mesh->triangles = p->triangles.data, mesh->n_triangles = (int)p->triangles.count;
  }
  if (file) fclose(file);
  cdni_free(NULL, corners, 0);
  cdni_free(NULL, p, 0);
  return status;
}
