/* Mesh files: what each format gives, and broken ones. */
#define _POSIX_C_SOURCE 200809L
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "core/core.h"
#include "testing.h"

static char path[300];

/* A file of this name in a directory of the test's own. */
static const char *file_of(const char *name, const void *bytes, size_t size) {
  static char directory[200];
  if (!directory[0]) {
    const char *base = getenv("TMPDIR");
    snprintf(directory, sizeof directory, "%s/cardan_meshes_XXXXXX", base ? base : "/tmp");
    ck_assert_ptr_nonnull(mkdtemp(directory));
  }
  snprintf(path, sizeof path, "%s/%s", directory, name);
  FILE *file = fopen(path, "wb");
  ck_assert_ptr_nonnull(file);
  ck_assert_uint_eq(fwrite(bytes, 1, size, file), size);
  fclose(file);
  return path;
}

static const char *text_file(const char *name, const char *text) { return file_of(name, text, strlen(text)); }

#define REFUSED(call, code, words)                                                                \
  do {                                                                                            \
    cdn_last_error_clear();                                                                       \
    FAILS(call, code);                                                                            \
    ck_assert_msg(strstr(cdn_last_error_text(), (words)) != NULL, "'%s'", cdn_last_error_text()); \
  } while (0)

static const float corners[12] = { 0, 0, 0, 1, 0, 0, 0, 2, 0, 0, 0, 3 };
static const int32_t faces[12] = { 0, 2, 1, 0, 1, 3, 0, 3, 2, 1, 2, 3 };

/* The tetrahedron with the corners 0, x, 2 y, 3 z, scaled; the origin is `place`. */
static void check_tetrahedron(const cdn_surface *s, double x, double y, double z, double place) {
  cdn_surface_info info;
  OK(cdn_surface_get_info(s, &info));
  ck_assert_int_eq(info.n_vertices, 4);
  ck_assert_int_eq(info.n_triangles, 4);
  ck_assert(info.closed);
  ck_assert(!info.turned);
  const cdn_geometry g = { .kind = info.kind, .surface = s };
  const cdn_transform X = cdn_transform_identity();
  cdn_vec3 least, most;
  OK(cdn_geometry_bounds(&g, &X, &least, &most));
  const double end[3] = { x, 2 * y, 3 * z };
  for (int k = 0; k < 3; k++) {
    NEAR((&least.x)[k], place + fmin(0, end[k]), 1e-6 * fabs(end[k]));
    NEAR((&most.x)[k], place + fmax(0, end[k]), 1e-6 * fabs(end[k]));
  }
}

static size_t put_msh(unsigned char *to, int n_vertices, int n_normals, int n_texcoords, int n_faces) {
  const int32_t counts[4] = { n_vertices, n_normals, n_texcoords, n_faces };
  const size_t skipped = 4 * (3 * (size_t)n_normals + 2 * (size_t)n_texcoords), v = 12 * (size_t)n_vertices;
  memcpy(to, counts, 16);
  memcpy(to + 16, corners, v);
  memset(to + 16 + v, 0x7f, skipped);
  memcpy(to + 16 + v + skipped, faces, 12 * (size_t)n_faces);
  return 16 + v + skipped + 12 * (size_t)n_faces;
}

START_TEST(msh) {
  unsigned char bytes[400];
  cdn_surface *s;
  size_t size = put_msh(bytes, 4, 0, 0, 4);
  OK(cdn_surface_load(file_of("plain.msh", bytes, size), NULL, false, &s));
  check_tetrahedron(s, 1, 1, 1, 0);
  cdn_surface_release(s);
  OK(cdn_surface_load(path, NULL, true, &s));
  check_tetrahedron(s, 1, 1, 1, 0);
  cdn_surface_release(s);
  size = put_msh(bytes, 4, 4, 4, 4);
  const double scale[3] = { 0.5, 2, 3 }, mirror[3] = { 1, -1, 1 };
  OK(cdn_surface_load(file_of("full.MSH", bytes, size), scale, false, &s));
  check_tetrahedron(s, 0.5, 2, 3, 0);
  cdn_surface_release(s);
  OK(cdn_surface_load(path, mirror, false, &s));
  check_tetrahedron(s, 1, -1, 1, 0);
  cdn_surface_release(s);
  /* Points only. */
  size = put_msh(bytes, 4, 0, 0, 0);
  OK(cdn_surface_load(file_of("points.msh", bytes, size), NULL, true, &s));
  check_tetrahedron(s, 1, 1, 1, 0);
  cdn_surface_release(s);
  REFUSED(cdn_surface_load(path, NULL, false, &s), CDN_ERR_ARG, "points.msh' has no triangles");
}
END_TEST

START_TEST(broken_msh) {
  unsigned char bytes[400];
  cdn_surface *s;
  const size_t size = put_msh(bytes, 4, 4, 4, 4);
  for (size_t i = 0; i < size; i++)
    REFUSED(cdn_surface_load(file_of("cut.msh", bytes, i), NULL, false, &s), CDN_ERR_FILE, "cut.msh");
  REFUSED(cdn_surface_load(file_of("long.msh", bytes, size + 1), NULL, false, &s), CDN_ERR_FILE, "size");
  const int32_t odd[] = { -1, INT32_MIN, INT32_MAX, 1 << 30 };
  for (int i = 0; i < 4; i++)
    for (int k = 0; k < 4; k++) {
      unsigned char changed[400];
      memcpy(changed, bytes, size);
      memcpy(changed + 4 * k, &odd[i], 4);
      REFUSED(cdn_surface_load(file_of("count.msh", changed, size), NULL, false, &s), CDN_ERR_FILE, "count.msh");
    }
  /* Numbers of a triangle, and of a vertex, that are none. */
  const int32_t big = 1000;
  memcpy(bytes + size - 4, &big, 4);
  REFUSED(cdn_surface_load(file_of("index.msh", bytes, size), NULL, false, &s), CDN_ERR_ARG,
          "index.msh': corner 2 of triangle 3");
  const float nan = NAN;
  memcpy(bytes + 20, &nan, 4);
  REFUSED(cdn_surface_load(file_of("nan.msh", bytes, size), NULL, false, &s), CDN_ERR_ARG,
          "nan.msh': coordinate y of vertex 0");
  REFUSED(cdn_surface_load(text_file("gmsh.msh", "$MeshFormat\n4.1 0 8\n$EndMeshFormat\n"), NULL, false, &s),
          CDN_ERR_UNSUPPORTED, "Gmsh");
  ck_assert_ptr_null(s);
}
END_TEST

START_TEST(bad_calls) {
  cdn_surface *s;
  const double zero[3] = { 1, 0, 1 }, nan[3] = { 1, 1, NAN };
  REFUSED(cdn_surface_load("/nowhere/foot.stl", NULL, false, &s), CDN_ERR_FILE, "/nowhere/foot.stl");
  REFUSED(cdn_surface_load("/nowhere/foot.msh", NULL, false, &s), CDN_ERR_FILE, "/nowhere/foot.msh");
  REFUSED(cdn_surface_load("/nowhere/foot.fbx", NULL, false, &s), CDN_ERR_UNSUPPORTED, "foot.fbx");
  REFUSED(cdn_surface_load("foot", NULL, false, &s), CDN_ERR_UNSUPPORTED, "'foot'");
  REFUSED(cdn_surface_load("a.stl", zero, false, &s), CDN_ERR_ARG, "scale of 'a.stl'");
  REFUSED(cdn_surface_load("a.stl", nan, false, &s), CDN_ERR_ARG, "scale of 'a.stl'");
  FAILS(cdn_surface_load(NULL, NULL, false, &s), CDN_ERR_ARG);
  FAILS(cdn_surface_load("a.stl", NULL, false, NULL), CDN_ERR_ARG);
}
END_TEST

#ifdef TEST_ASSIMP

static size_t put_stl(unsigned char *to) {
  memset(to, ' ', 80);
  const uint32_t n = 4;
  memcpy(to + 80, &n, 4);
  size_t at = 84;
  for (int i = 0; i < 4; i++) {
    memset(to + at, 0, 50);
    for (int k = 0; k < 3; k++) memcpy(to + at + 12 + 12 * k, corners + 3 * faces[3 * i + k], 12);
    at += 50;
  }
  return at;
}

static const char obj[] = "# a tetrahedron\nv 0 0 0\nv 1 0 0\nv 0 2 0\nv 0 0 3\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n";

static const char stl[] =
    "solid foot\n"
    "facet normal 0 0 -1\nouter loop\nvertex 0 0 0\nvertex 0 2 0\nvertex 1 0 0\nendloop\nendfacet\n"
    "facet normal 0 -1 0\nouter loop\nvertex 0 0 0\nvertex 1 0 0\nvertex 0 0 3\nendloop\nendfacet\n"
    "facet normal -1 0 0\nouter loop\nvertex 0 0 0\nvertex 0 0 3\nvertex 0 2 0\nendloop\nendfacet\n"
    "facet normal 1 1 1\nouter loop\nvertex 1 0 0\nvertex 0 2 0\nvertex 0 0 3\nendloop\nendfacet\n"
    "endsolid foot\n";

/* In centimetres, with z up, and a node that moves it by 100 cm along each axis. */
static const char dae[] =
    "<?xml version=\"1.0\"?><COLLADA xmlns=\"http://www.collada.org/2005/11/COLLADASchema\" version=\"1.4.1\">"
    "<asset><unit name=\"cm\" meter=\"0.01\"/><up_axis>Z_UP</up_axis></asset>"
    "<library_geometries><geometry id=\"g\"><mesh>"
    "<source id=\"p\"><float_array id=\"pa\" count=\"12\">0 0 0 100 0 0 0 200 0 0 0 300</float_array>"
    "<technique_common><accessor source=\"#pa\" count=\"4\" stride=\"3\"><param name=\"X\" type=\"float\"/>"
    "<param name=\"Y\" type=\"float\"/><param name=\"Z\" type=\"float\"/></accessor></technique_common></source>"
    "<vertices id=\"v\"><input semantic=\"POSITION\" source=\"#p\"/></vertices>"
    "<triangles count=\"4\"><input semantic=\"VERTEX\" source=\"#v\" offset=\"0\"/><p>0 2 1 0 1 3 0 3 2 1 2 3</p></triangles>"
    "</mesh></geometry></library_geometries>"
    "<library_visual_scenes><visual_scene id=\"s\"><node id=\"n\"><translate>100 100 100</translate>"
    "<instance_geometry url=\"#g\"/></node></visual_scene></library_visual_scenes>"
    "<scene><instance_visual_scene url=\"#s\"/></scene></COLLADA>";

static const char ply[] =
    "ply\nformat ascii 1.0\ncomment a tetrahedron\nelement vertex 4\nproperty float x\nproperty float y\nproperty float z\n"
    "element face 4\nproperty list uchar int vertex_indices\nend_header\n"
    "0 0 0\n1 0 0\n0 2 0\n0 0 3\n3 0 2 1\n3 0 1 3\n3 0 3 2\n3 1 2 3\n";

static size_t put_ply(unsigned char *to) {
  static const char head[] =
      "ply\nformat binary_little_endian 1.0\nelement vertex 4\nproperty float x\nproperty float y\nproperty float z\n"
      "element face 4\nproperty list uchar int vertex_indices\nend_header\n";
  size_t at = strlen(head);
  memcpy(to, head, at);
  memcpy(to + at, corners, sizeof corners), at += sizeof corners;
  for (int i = 0; i < 4; i++) {
    to[at++] = 3;
    memcpy(to + at, faces + 3 * i, 12), at += 12;
  }
  return at;
}

/* y is up: the corners x, 3 y, -2 z are turned to x, 2 y, 3 z. A node moves it by 1, 1, -1. `buffer`: "" or the uri. */
#  define GLTF(buffer)                                                                                                           \
    "{\"asset\":{\"version\":\"2.0\"},\"scene\":0,\"scenes\":[{\"nodes\":[0]}],"                                                 \
    "\"nodes\":[{\"mesh\":0,\"translation\":[1,1,-1]}],"                                                                         \
    "\"meshes\":[{\"primitives\":[{\"attributes\":{\"POSITION\":0},\"indices\":1}]}],\"buffers\":[{" buffer                      \
    "\"byteLength\":72}],\"bufferViews\":[{\"buffer\":0,\"byteLength\":48},{\"buffer\":0,\"byteOffset\":48,\"byteLength\":24}]," \
    "\"accessors\":[{\"bufferView\":0,\"componentType\":5126,\"count\":4,\"type\":\"VEC3\",\"min\":[0,0,-2],\"max\":[1,3,0]},"   \
    "{\"bufferView\":1,\"componentType\":5123,\"count\":12,\"type\":\"SCALAR\"}]}"
static const char gltf[] =
    GLTF("\"uri\":\"data:application/octet-stream;base64,"
         "AAAAAAAAAAAAAAAAAACAPwAAAAAAAAAAAAAAAAAAAAAAAADAAAAAAAAAQEAAAAAAAAACAAEAAAABAAMAAAADAAIAAQACAAMA\",");

static size_t put_glb(unsigned char *to) {
  static const float turned[12] = { 0, 0, 0, 1, 0, 0, 0, 0, -2, 0, 3, 0 };
  static const char json[] = GLTF("") "   ";
  const uint32_t n = (uint32_t)strlen(json) / 4 * 4, size = 12 + 8 + n + 8 + 72;
  const uint32_t head[5] = { 0x46546c67, 2, size, n, 0x4e4f534a }, chunk[2] = { 72, 0x004e4942 };
  memcpy(to, head, 20);
  memcpy(to + 20, json, n);
  memcpy(to + 20 + n, chunk, 8);
  memcpy(to + 28 + n, turned, 48);
  for (int i = 0; i < 12; i++) {
    const uint16_t index = (uint16_t)faces[i];
    memcpy(to + 76 + n + 2 * i, &index, 2);
  }
  return size;
}

START_TEST(formats_of_assimp) {
  unsigned char bytes[2000];
  const double scale[3] = { 0.5, -2, 3 };
  cdn_surface *s;
  for (int convex = 0; convex < 2; convex++) {
    OK(cdn_surface_load(file_of("binary.stl", bytes, put_stl(bytes)), NULL, convex, &s));
    check_tetrahedron(s, 1, 1, 1, 0);
    cdn_surface_release(s);
    OK(cdn_surface_load(text_file("text.STL", stl), NULL, convex, &s));
    check_tetrahedron(s, 1, 1, 1, 0);
    cdn_surface_release(s);
    OK(cdn_surface_load(text_file("text.obj", obj), scale, convex, &s));
    check_tetrahedron(s, 0.5, -2, 3, 0);
    cdn_surface_release(s);
    OK(cdn_surface_load(text_file("text.dae", dae), NULL, convex, &s));
    check_tetrahedron(s, 1, 1, 1, 1);
    cdn_surface_release(s);
    OK(cdn_surface_load(text_file("text.ply", ply), NULL, convex, &s));
    check_tetrahedron(s, 1, 1, 1, 0);
    cdn_surface_release(s);
    OK(cdn_surface_load(file_of("binary.PLY", bytes, put_ply(bytes)), NULL, convex, &s));
    check_tetrahedron(s, 1, 1, 1, 0);
    cdn_surface_release(s);
    OK(cdn_surface_load(text_file("text.gltf", gltf), NULL, convex, &s));
    check_tetrahedron(s, 1, 1, 1, 1);
    cdn_surface_release(s);
    OK(cdn_surface_load(file_of("binary.glb", bytes, put_glb(bytes)), NULL, convex, &s));
    check_tetrahedron(s, 1, 1, 1, 1);
    cdn_surface_release(s);
  }
}
END_TEST

/* ROS readers take COLLADA's unit, and take its axes as they stand: they turn nothing for <up_axis> (RViz since 1.13.23
 * drops the turn of the root and keeps its scale; Gazebo reads the unit alone). So do we. */
START_TEST(collada_is_scaled_and_not_turned) {
  static const char *const ups[] = { "<up_axis>Z_UP</up_axis>", "<up_axis>Y_UP</up_axis>", "<up_axis>X_UP</up_axis>",
                                     "" };
  char text[sizeof dae + 100];
  for (int i = 0; i < 4; i++) {
    cdn_surface *s;
    const char *at = strstr(dae, ups[0]);
    snprintf(text, sizeof text, "%.*s%s%s", (int)(at - dae), dae, ups[i], at + strlen(ups[0]));
    OK(cdn_surface_load(text_file("up.dae", text), NULL, false, &s));
    check_tetrahedron(s, 1, 1, 1, 1);
    cdn_surface_release(s);
  }
}
END_TEST

/* Loads bytes that may be anything: a surface, or a message that names the file. */
static void load_anything(const char *name, const void *bytes, size_t size) {
  for (int convex = 0; convex < 2; convex++) {
    cdn_surface *s;
    cdn_last_error_clear();
    const cdn_status status = cdn_surface_load(file_of(name, bytes, size), NULL, convex, &s);
    if (!status) cdn_surface_release(s);
    else {
      ck_assert_ptr_null(s);
      ck_assert_msg(strstr(cdn_last_error_text(), name) != NULL, "'%s'", cdn_last_error_text());
    }
  }
}

START_TEST(broken_files) {
  unsigned char bytes[400], binary_ply[400], glb[2000];
  const size_t size = put_stl(bytes);
  const struct {
    const char *name;
    const void *bytes;
    size_t size;
  } files[] = { { "cut.stl", bytes, size },
                { "cut.stl", stl, sizeof stl - 1 },
                { "cut.obj", obj, sizeof obj - 1 },
                { "cut.dae", dae, sizeof dae - 1 },
                { "cut.ply", ply, sizeof ply - 1 },
                { "cut.ply", binary_ply, put_ply(binary_ply) },
                { "cut.gltf", gltf, sizeof gltf - 1 },
                { "cut.glb", glb, put_glb(glb) } };
  for (int f = 0; f < CDNI_COUNT(files); f++)
    for (size_t i = 0; i < files[f].size; i += f == 3 ? 7 : 3) load_anything(files[f].name, files[f].bytes, i);
  cdn_surface *s;
  REFUSED(cdn_surface_load(text_file("empty.obj", ""), NULL, false, &s), CDN_ERR_FILE, "empty.obj");
  /* A letter among the indices, which Assimp 5.2 reads for ever. */
  char odd[sizeof dae];
  memcpy(odd, dae, sizeof dae);
  strstr(odd, "<p>0 2 1")[6] = '.';
  REFUSED(cdn_surface_load(text_file("odd.dae", odd), NULL, false, &s), CDN_ERR_FILE, "odd.dae' has '.'");
  REFUSED(cdn_surface_load(text_file("lie.dae", "<html>no</html>"), NULL, false, &s), CDN_ERR_FILE, "lie.dae");
}
END_TEST

START_TEST(changed_bytes) {
  uint32_t seed = 1;
  unsigned char binary_ply[400], glb[2000];
  char changed[2000];
  const struct {
    const char *name, *text;
    size_t size;
  } files[] = { { "changed.stl", stl, sizeof stl - 1 },
                { "changed.obj", obj, sizeof obj - 1 },
                { "changed.dae", dae, sizeof dae - 1 },
                { "changed.ply", ply, sizeof ply - 1 },
                { "changed.ply", (char *)binary_ply, put_ply(binary_ply) },
                { "changed.gltf", gltf, sizeof gltf - 1 },
                { "changed.glb", (char *)glb, put_glb(glb) } };
  for (int f = 0; f < CDNI_COUNT(files); f++)
    for (int i = 0; i < 150; i++) {
      memcpy(changed, files[f].text, files[f].size);
      for (int k = 0; k < 1 + i % 4; k++) {
        seed = seed * 1664525u + 1013904223u;
        changed[(seed >> 8) % files[f].size] = "0123456789-e.<>/ \nf#"[(seed >> 4) % 20];
      }
      load_anything(files[f].name, changed, files[f].size);
    }
}
END_TEST

CHECK_MAIN("mesh files", msh, broken_msh, bad_calls, formats_of_assimp, collada_is_scaled_and_not_turned, broken_files,
           changed_bytes)

#else

START_TEST(without_assimp) {
  cdn_surface *s;
  REFUSED(cdn_surface_load(text_file("foot.obj", "v 0 0 0\n"), NULL, false, &s), CDN_ERR_UNSUPPORTED,
          "-Dmeshes=enabled");
}
END_TEST

CHECK_MAIN("mesh files", msh, broken_msh, bad_calls, without_assimp)

#endif
