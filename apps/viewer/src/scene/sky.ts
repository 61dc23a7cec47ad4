// The sky of a model: a cube about the camera, behind everything.

import * as THREE from 'three';
import type { Sky as Message } from '../wire/messages';
import type { Shapes } from './shapes';
import type { Textures } from './textures';

export class Sky {
  readonly group = new THREE.Group();

  constructor(private readonly shapes: Shapes, private readonly textures: Textures) {}

  build(sky: Message | undefined): void {
    for (const child of [...this.group.children]) {
      this.group.remove(child);
      ((child as THREE.Mesh).material as THREE.Material).dispose();
    }
    const geometry = sky && this.shapes.geometry(`mesh${sky.mesh}`, false);
    const map = sky && this.textures.get(sky.texture);
    if (!geometry || !map) return;
    const material = new THREE.MeshBasicMaterial({ map, side: THREE.DoubleSide, depthTest: false, depthWrite: false });
    // However near and far a camera sees, and a mirror's sees in a skew box, the sky is in it.
    material.onBeforeCompile = shader => {
      shader.vertexShader = shader.vertexShader.replace('#include <project_vertex>', '#include <project_vertex>\n  gl_Position.z = 0.0;');
    };
    const mesh = new THREE.Mesh(geometry, material);
    mesh.frustumCulled = false;
    mesh.renderOrder = -10;
    mesh.matrixAutoUpdate = mesh.matrixWorldAutoUpdate = false;
    const place = new THREE.Vector3();
    mesh.onBeforeRender = (_renderer, _scene, camera) => {
      const far = (camera as THREE.PerspectiveCamera).far;
      mesh.matrixWorld.makeScale(far / 2, far / 2, far / 2).setPosition(place.setFromMatrixPosition(camera.matrixWorld));
    };
    this.group.add(mesh);
  }
}
