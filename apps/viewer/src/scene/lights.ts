// The lights of a model, by MJCF's law: a spot has a power of the cosine within its angle, and what is farther gets
// less as a polynomial says.
// Without lights of the model there is one of the page's own.

import * as THREE from 'three';
import type { Light, Model } from '../wire/messages';
import { WORDS } from './poses';

// three.js has laws of its own, with other numbers. A light's `distance` and `decay` stand for the coefficients of
// the polynomial, and
// the cosine of its penumbra for 1 / (1 + exponent).
const chunk = THREE.ShaderChunk as Record<string, string>;
chunk['lights_pars_begin'] = chunk['lights_pars_begin']!
  .replace(/float getDistanceAttenuation\([^)]*\) \{[\s\S]*?\n\}\n/, `float getDistanceAttenuation( const in float d, const in float b, const in float c ) {
  return 1.0 / max( 1.0 + b * d + c * d * d, 1e-6 );
}
`)
  .replace(/float getSpotAttenuation\([^)]*\) \{[\s\S]*?\n\}\n/, `float getSpotAttenuation( const in float cone, const in float power, const in float cosine ) {
  return cosine < cone ? 0.0 : pow( max( cosine, 1e-6 ), 1.0 / power - 1.0 );
}
`);

const USUAL = 0.7; // brightness of MJCF's lights
const MOST = 8;
const MOST_SHADOWS = 2;

interface Lamp {
  from: Light;
  light: THREE.DirectionalLight | THREE.SpotLight | THREE.PointLight;
}

// A point or a direction (w 0) of a body in Ground.
function toGround(m: Float32Array, at: number, v: readonly number[], w: number, out: THREE.Vector3): THREE.Vector3 {
  const [x, y, z] = v as [number, number, number];
  return out.set(m[at]! * x + m[at + 3]! * y + m[at + 6]! * z + m[at + 9]! * w, m[at + 1]! * x + m[at + 4]! * y + m[at + 7]! * z + m[at + 10]! * w,
    m[at + 2]! * x + m[at + 5]! * y + m[at + 8]! * z + m[at + 11]! * w);
}

export class Lights {
  readonly group = new THREE.Group();
  private lamps: Lamp[] = [];
  private strength = 2.4;
  private shadows = true;
  private radius = 1;
  private readonly place = new THREE.Vector3();
  private readonly along = new THREE.Vector3();

  build(model: Model, up: THREE.Vector3, radius: number): void {
    for (const { light } of this.lamps) light.dispose();
    this.group.clear();
    this.radius = radius;
    const turn = new THREE.Quaternion().setFromUnitVectors(new THREE.Vector3(0, 0, 1), up);
    const down = new THREE.Vector3(-0.5, 0.6, -1.1).applyQuaternion(turn).normalize();
    const own: Light = { body: 0, position: [0, 0, 0], direction: down.toArray(), directional: true, rgb: [USUAL, USUAL, USUAL] };
    const lights = model.lights.filter(light => Math.hypot(...light.direction) > 0).slice(0, MOST);
    let shadows = 0;
    this.lamps = (lights.length > 0 ? lights : [own]).map(from => {
      const light = this.make(from);
      const casts = (from.castshadow ?? true) && !(light instanceof THREE.PointLight) && shadows < MOST_SHADOWS &&
        (from.directional || !from.attenuation?.[1]); // three.js would take the coefficient for the end of the shadows
      light.userData['casts'] = casts;
      if (casts) {
        shadows++;
        this.prepareShadow(light as THREE.DirectionalLight | THREE.SpotLight);
      }
      this.group.add(light);
      if (!(light instanceof THREE.PointLight)) this.group.add(light.target);
      return { from, light };
    });
    this.setShadows(this.shadows);
    this.setStrength(this.strength);
    this.update(undefined, new THREE.Vector3(...model.center));
  }

  private make(from: Light): Lamp['light'] {
    const color = new THREE.Color(...from.rgb);
    if (from.directional) return new THREE.DirectionalLight(color);
    const [a, b, c] = from.attenuation ?? [1, 0, 0];
    const first = Math.max(a, 1e-6);
    const cutoff = from.cutoff ?? Math.PI;
    color.multiplyScalar(1 / first);
    if (cutoff > Math.PI / 2) return new THREE.PointLight(color, 1, b / first, c / first);
    const light = new THREE.SpotLight(color, 1, b / first, cutoff, 0, c / first);
    light.penumbra = 1 - Math.acos(1 / (1 + (from.exponent ?? 0))) / cutoff;
    return light;
  }

  private prepareShadow(light: THREE.DirectionalLight | THREE.SpotLight): void {
    const { shadow } = light;
    shadow.mapSize.set(2048, 2048);
    shadow.bias = -0.0004;
    shadow.intensity = 0.75;
    shadow.normalBias = 0.004 * this.radius;
    shadow.camera.near = 0.1 * this.radius;
    shadow.camera.far = 12 * this.radius;
    if (light instanceof THREE.DirectionalLight) {
      const half = 1.6 * this.radius, camera = light.shadow.camera;
      camera.left = camera.bottom = -half;
      camera.right = camera.top = half;
    } else {
      shadow.camera.near = 0.02 * this.radius;
      shadow.camera.far = 60 * this.radius;
    }
    shadow.camera.updateProjectionMatrix();
  }

  setShadows(shadows: boolean): void {
    this.shadows = shadows;
    for (const { light } of this.lamps) light.castShadow = shadows && light.userData['casts'] === true;
  }

  get castShadows(): boolean {
    return this.shadows;
  }

  // Of a light with MJCF's usual brightness.
  setStrength(strength: number): void {
    this.strength = strength;
    for (const { light } of this.lamps) light.intensity = strength / USUAL;
  }

  // Lights go with their bodies. Those far away go with what moves, or shadows would end where the model has walked
  // away.
  update(matrices: Float32Array | undefined, center: THREE.Vector3): void {
    for (const { from, light } of this.lamps) {
      const known = matrices && WORDS * (from.body + 1) <= matrices.length;
      if (known) toGround(matrices, WORDS * from.body, from.position, 1, this.place);
      else this.place.set(...from.position);
      if (known) toGround(matrices, WORDS * from.body, from.direction, 0, this.along);
      else this.along.set(...from.direction);
      this.along.normalize();
      if (from.directional) this.place.copy(center).addScaledVector(this.along, -6 * this.radius);
      light.position.copy(this.place);
      if (!(light instanceof THREE.PointLight)) light.target.position.copy(this.place).addScaledVector(this.along, this.radius);
    }
  }
}
