// What a plane mirrors, laid over it: three.js draws the picture once more, as it is seen in the plane.

import * as THREE from 'three';
import { Reflector } from 'three/examples/jsm/objects/Reflector.js';

const SIZE = 768; // pixels of what is mirrored

export type Mirror = Reflector;

interface Fading {
  gridFade: { value: number };
  gridCenter: { value: THREE.Vector3 };
}

// `part` of the light is mirrored; it fades as the plane does.
export function makeMirror(geometry: THREE.BufferGeometry, part: number, { gridFade, gridCenter }: Fading): Mirror {
  const shader = {
    name: 'mirror',
    uniforms: {
      color: { value: null }, tDiffuse: { value: null }, textureMatrix: { value: null },
      part: { value: part }, gridFade: { value: 1 }, gridCenter: { value: new THREE.Vector3() },
    },
    vertexShader: `uniform mat4 textureMatrix;
varying vec4 vSeen;
varying vec3 vWorld;
void main() {
  vSeen = textureMatrix * vec4(position, 1.0);
  vWorld = (modelMatrix * vec4(position, 1.0)).xyz;
  gl_Position = projectionMatrix * modelViewMatrix * vec4(position, 1.0);
}`,
    fragmentShader: `uniform sampler2D tDiffuse;
uniform float part;
uniform float gridFade;
uniform vec3 gridCenter;
varying vec4 vSeen;
varying vec3 vWorld;
void main() {
  if (!gl_FrontFacing) discard;
  gl_FragColor = vec4(texture2DProj(tDiffuse, vSeen).rgb, part * (1.0 - smoothstep(0.15, 1.0, distance(vWorld, gridCenter) / gridFade)));
  #include <colorspace_fragment>
}`,
  };
  const mirror = new Reflector(geometry, { shader, textureWidth: SIZE, textureHeight: SIZE, multisample: 0, clipBias: 1e-4 });
  const material = mirror.material as THREE.ShaderMaterial;
  material.uniforms['gridFade'] = gridFade;
  material.uniforms['gridCenter'] = gridCenter;
  material.transparent = true;
  material.depthWrite = false;
  material.depthFunc = THREE.LessEqualDepth;
  mirror.renderOrder = -0.5; // after its plane
  mirror.frustumCulled = false;
  // The plane is no part of what is seen in it.
  const draw = mirror.onBeforeRender;
  mirror.onBeforeRender = (...all) => {
    const plane = mirror.parent!;
    plane.visible = false;
    draw.apply(mirror, all);
    plane.visible = true;
  };
  return mirror;
}
