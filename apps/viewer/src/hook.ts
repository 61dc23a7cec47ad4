// window.cardan: what tests ask of the page. Nothing of the page uses it.
//   state()          what the page knows: connection, status, who steers, counts of frames
//   model()          the message of that name
//   frame()          the newest frame of run 0 (time, number, poses, values, number of marks), or null
//   curve(run, i)    times and values of series i of a run that is over, or null
//   plotted(run, i) times and values of plot i of those that were chosen, or null
//   project(body)    where the origin of a body is on the page, in its pixels, by the newest frame
//   camera()         position, target and field of view of the camera
//   ticks(v, d)      numbers beside lines of a diagram that are d apart, as texts
//   groundHeight()   of the plane that a model without one gets
//   pixels()         the newest frame drawn: width, height, rgba by rows from below

import * as THREE from 'three';
import type { App } from './app';
import { formatTicks } from './base/format';
import type { Curve } from './wire/source';

const lists = (curve: Curve | null) => (curve ? { times: Array.from(curve.times), values: Array.from(curve.values) } : null);

export function installHook(app: App): void {
  const { picture } = app;
  const { stage } = picture;
  const hook = {
    state: () => ({
      connection: app.linked,
      hello: app.hello,
      status: app.status,
      steer: app.steer,
      selected: picture.selected,
      pulling: picture.pull !== null,
      layers: picture.layers,
      received: app.framesReceived,
      drawn: stage.frames,
      drawMs: stage.drawMs,
      calls: stage.renderer.info.render.calls,
      triangles: stage.renderer.info.render.triangles,
      updateMs: picture.updateMs,
      detail: stage.detail,
    }),
    model: () => app.model,
    frame: () => {
      const frame = picture.frames[0];
      return frame ? {
        time: frame.time, number: frame.number, bodies: frame.bodies, marks: frame.marks,
        poses: Array.from(frame.poses), values: Array.from(frame.values),
      } : null;
    },
    curve: (run: number, series: number) => lists(app.curve(run, series)),
    plotted: (run: number, plot: number) => lists(app.plots.curve(run, plot)),
    project: (body: number) => {
      const frame = picture.frames[0];
      if (!frame || body < 0 || body >= frame.bodies) return null;
      return stage.project(new THREE.Vector3().fromArray(frame.poses, 7 * body));
    },
    camera: () => ({
      position: stage.camera.position.toArray(), target: stage.controls.target.toArray(), fov: stage.camera.fov,
      view: stage.camera.matrixWorldInverse.toArray(), aspect: stage.camera.aspect,
    }),
    ticks: formatTicks,
    groundHeight: () => picture.groundHeight,
    pixels: () => {
      picture.refresh();
      return stage.readPixels();
    },
  };
  Object.assign(window, { cardan: hook });
}
