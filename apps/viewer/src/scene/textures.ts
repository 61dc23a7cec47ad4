// Pictures with which visuals and the sky are painted.

import * as THREE from 'three';
import type { Texture } from '../wire/frame';

export class Textures {
  private readonly made = new Map<number, { texture: THREE.DataTexture; cube: boolean }>();

  add({ number, width, height, cube, rgba }: Texture): void {
    const texture = new THREE.DataTexture(rgba, width, height, THREE.RGBAFormat);
    texture.colorSpace = THREE.SRGBColorSpace;
    texture.magFilter = THREE.LinearFilter;
    // The sides of a cube are one below the other: coarser pictures would mix them.
    texture.generateMipmaps = !cube;
    texture.minFilter = cube ? THREE.LinearFilter : THREE.LinearMipmapLinearFilter;
    texture.wrapS = texture.wrapT = cube ? THREE.ClampToEdgeWrapping : THREE.RepeatWrapping;
    texture.anisotropy = 8;
    texture.needsUpdate = true;
    this.made.get(number)?.texture.dispose();
    this.made.set(number, { texture, cube });
  }

  clear(): void {
    for (const { texture } of this.made.values()) texture.dispose();
    this.made.clear();
  }

  get(number: number | undefined): THREE.DataTexture | null {
    return number === undefined ? null : this.made.get(number)?.texture ?? null;
  }

  // One that is no cube.
  flat(number: number | undefined): THREE.DataTexture | null {
    return number === undefined || this.made.get(number)?.cube ? null : this.get(number);
  }
}
