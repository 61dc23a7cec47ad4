/* What the files that dress a scene share. Private to the room. */
#ifndef CARDAN_IO_DRESS_H
#define CARDAN_IO_DRESS_H

#include "io/build.h"
#include "io/model.h"
#include "scene/scene.h"

/* A mesh as its file has it for looks: in parts of one look each, or as one. */
typedef struct dressed_mesh {
  bool tried[2]; /* as one; in parts */
  mesh_part *whole, *part;
  int n_whole, n; /* 0: there is none */
} dressed_mesh;

/* A picture that the scene has already, or that cannot be had. */
typedef struct dressed_texture {
  int asset;   /* -1: it is not one of the model's */
  char *path;  /* then: of its file */
  int texture; /* of the scene; -1: it cannot be had */
} dressed_texture;

typedef struct dresser {
  cdn_model *model;
  cdn_scene *scene;
  io_log *log;
  bool has_contact;    /* the System has shapes of contact: shapes that are nothing else are there already */
  cdni_array loaded;   /* io_loaded_asset, one an asset */
  cdni_array meshes;   /* dressed_mesh, one an asset */
  cdni_array textures; /* dressed_texture */
  io_names names[CDN_ASSET_MATERIAL + 1]; /* of assets, by their types */
  io_list lost;                           /* assets that are not to be had */
  char reason[400];                       /* why the first of them is not */
  int stand_ins;                          /* shapes that others stand in for */
  io_list unturned;                       /* meshes that say that another axis than z is up */
  io_list undefined;                      /* materials that shapes name and the file does not define */
  io_list lost_textures;
  char texture_reason[400];
  int unmirrored; /* the line of the first material with reflectance that is not a plane's; 0: there is none */
} dresser;

/* dress.c: the number of an asset, or -1. */
int io_dress_asset(const dresser *r, const char *name, cdn_asset_type type);

/* dress_looks.c */
/* The parts by looks of a mesh whose shape says no colour, or NULL. */
const dressed_mesh *io_dress_parts(dresser *r, const cdn_spec_shape *shape);
/* The look of such a part. */
cdn_status io_dress_part(dresser *r, const mesh_part *part, cdn_visual_def *def);
/* Colour, pattern or texture, and the rest of the material, of a visual that has its geometry. */
cdn_status io_dress_paint(dresser *r, const cdn_spec_shape *shape, cdn_visual_def *def);
cdn_status io_dress_sky(dresser *r);
/* Warns of what is not shown. */
void io_dress_tell(dresser *r);
void io_dress_free(dresser *r);

#endif
