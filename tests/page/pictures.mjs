// Measures of pictures and pages.

// In one moment: the camera, where the page says that a body is, and the middle of the pixels that `is` picks (from the top
// left). It is counted in the page, as pictures are large.
export function look(page, body, is) {
  return page.evaluate(`(() => {
    const is = ${is}, { width, height, rgba } = window.cardan.pixels();
    const camera = window.cardan.camera(), said = window.cardan.project(${body});
    const box = document.querySelector('.stage canvas').getBoundingClientRect().toJSON();
    let x = 0, y = 0, count = 0;
    for (let row = 0; row < height; row++) {
      for (let column = 0; column < width; column++) {
        const at = 4 * (row * width + column);
        if (!is(rgba[at], rgba[at + 1], rgba[at + 2])) continue;
        x += column + 0.5;
        y += height - row - 0.5; // WebGL's rows go up
        count++;
      }
    }
    return { camera, said, box, seen: { x: x / count, y: y / count, count, width } };
  })()`);
}

// The share of pixels with a clear colour. Background and grid are nearly grey.
export function shareOf(page) {
  return page.evaluate(`(() => {
    const { rgba } = window.cardan.pixels();
    let n = 0;
    for (let i = 0; i < rgba.length; i += 4) n += Math.max(rgba[i], rgba[i + 1], rgba[i + 2]) - Math.min(rgba[i], rgba[i + 1], rgba[i + 2]) > 45;
    return n / (rgba.length / 4);
  })()`);
}

const minus = (a, b) => a.map((x, i) => x - b[i]);
const dot = (a, b) => a.reduce((sum, x, i) => sum + x * b[i], 0);
const cross = (a, b) => [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]];
const unit = a => a.map(x => x / Math.hypot(...a));

// Where a camera at `position` that looks at `target`, z up, sees a point, by the rule of the pinhole.
export function project({ position, target, fov, aspect }, box, point) {
  const ahead = unit(minus(target, position)), right = unit(cross(ahead, [0, 0, 1])), up = cross(right, ahead);
  const away = minus(point.slice(0, 3), position), scale = Math.tan((fov * Math.PI) / 360) * dot(away, ahead);
  return {
    x: box.left + (box.width / 2) * (1 + dot(away, right) / (scale * aspect)),
    y: box.top + (box.height / 2) * (1 - dot(away, up) / scale),
  };
}

// Runs in the page: texts whose contrast on what is behind them is below 4.5 (3 for large ones), by the formulas of WCAG 2.
export function contrasts() {
  const parse = color => (/rgba?\(([^)]+)\)/.exec(color)?.[1] ?? '0 0 0 0').split(/[ ,/]+/).filter(Boolean).map(Number);
  const light = ([r, g, b]) => {
    const [x, y, z] = [r, g, b].map(c => (c / 255 <= 0.04045 ? c / 255 / 12.92 : ((c / 255 + 0.055) / 1.055) ** 2.4));
    return 0.2126 * x + 0.7152 * y + 0.0722 * z;
  };
  const behind = element => {
    for (let e = element; e; e = e.parentElement) {
      const color = parse(getComputedStyle(e).backgroundColor);
      if ((color[3] ?? 1) > 0.99) return color;
    }
    return [255, 255, 255];
  };
  const bad = [];
  for (const element of document.querySelectorAll('#app *')) {
    const own = [...element.childNodes].some(node => node.nodeType === 3 && node.textContent.trim());
    if (!own || !element.offsetParent || element.closest(':disabled')) continue;
    const style = getComputedStyle(element);
    const [a, b] = [light(parse(style.color)), light(behind(element))].sort((x, y) => y - x);
    const ratio = (a + 0.05) / (b + 0.05);
    if (ratio < (parseFloat(style.fontSize) >= 24 ? 3 : 4.5)) bad.push(`${element.tagName} "${element.textContent.slice(0, 30)}": ${ratio.toFixed(2)}`);
  }
  return bad;
}
