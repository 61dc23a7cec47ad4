#!/usr/bin/env python3
"""Draws docs/mobilizers/*.svg, one for each kind of mobilizer: `python3 docs/mobilizers/draw.py`.

Grey: the frame F and what is fixed to the parent. Orange: the frame M and what is fixed to the body. Green: the
coordinates. z is up, x comes to the left front, y goes to the right. Nothing but the standard library is used.
"""
import math
import os

PARENT, BODY, MOVE, FAINT = '#5b6570', '#d9660f', '#1a8a4a', '#b9c0c7'
WIDTH, HEIGHT, MARGIN, LARGEST = 320, 240, 30, 125
AZIMUTH, ELEVATION = math.radians(32), math.radians(24)
X, Y, Z, O = (1, 0, 0), (0, 1, 0), (0, 0, 1), (0, 0, 0)

# ---- vectors and rotations (by columns) ----


def add(*vs):
    return tuple(map(sum, zip(*vs)))


def mul(s, v):
    return tuple(s * c for c in v)


def dot(a, b):
    return sum(x * y for x, y in zip(a, b))


def cross(a, b):
    return (a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0])


def unit(v):
    return mul(1 / math.sqrt(dot(v, v)), v)


def turn(v, axis, angle):
    """v turned about a unit axis."""
    c, s = math.cos(angle), math.sin(angle)
    return add(mul(c, v), mul(s, cross(axis, v)), mul((1 - c) * dot(axis, v), axis))


def turned(R, axis, degrees):
    return tuple(turn(v, axis, math.radians(degrees)) for v in R)


def at(R, p, v):
    """The point that is v in a frame at p with axes R."""
    return add(p, *(mul(c, e) for c, e in zip(v, R)))


I = (X, Y, Z)

# ---- one drawing ----


class Drawing:
    """Made twice: the first pass finds how large it is, the second draws it as large as it fits."""

    def __init__(self, center=(0, 0), unit=100):
        self.parts, self.seen = [], []
        self.center, self.unit = center, unit

    def spot(self, p):
        ca, sa, ce, se = math.cos(AZIMUTH), math.sin(AZIMUTH), math.cos(ELEVATION), math.sin(ELEVATION)
        x, y = -sa * p[0] + ca * p[1], -se * (ca * p[0] + sa * p[1]) + ce * p[2]
        self.seen.append((x, y))
        return (WIDTH / 2 + self.unit * (x - self.center[0]), HEIGHT / 2 - self.unit * (y - self.center[1]))

    def fitted(self):
        low, high = [[f(s[i] for s in self.seen) for i in (0, 1)] for f in (min, max)]
        unit = min((WIDTH - 2 * MARGIN) / (high[0] - low[0]), (HEIGHT - 2 * MARGIN) / (high[1] - low[1]), LARGEST)
        return Drawing(((low[0] + high[0]) / 2, (low[1] + high[1]) / 2), unit)

    def path(self, points, color, width=1.5, dash=None, fill='none', close=False, opacity=None):
        d = 'M' + ' L'.join('%.1f %.1f' % self.spot(p) for p in points) + ('Z' if close else '')
        more = (f' stroke-dasharray="{dash}"' if dash else '') + (f' fill-opacity="{opacity}"' if opacity else '')
        self.parts.append(f'<path d="{d}" stroke="{color}" stroke-width="{width}" fill="{fill}"{more}/>')

    def text(self, spot, words, color, size=15):
        """words: plain, or with a subscript: 'q_1', 'X_FM|(q)'."""
        if '_' in words:
            head, rest = words.split('_')
            index, _, tail = rest.partition('|')
            words = f'{head}<tspan dy="4" font-size="{size - 4}">{index}</tspan>'
            if tail:
                words += f'<tspan dy="-4">{tail}</tspan>'
        x, y = spot
        self.parts.append(f'<text x="{x:.1f}" y="{y:.1f}" fill="{color}" font-size="{size}">{words}</text>')

    def head(self, tip, before, color, size=9):
        """An arrowhead at spot `tip`, coming from spot `before`."""
        dx, dy = tip[0] - before[0], tip[1] - before[1]
        n = math.hypot(dx, dy) or 1
        dx, dy = dx / n, dy / n
        a = (tip[0] - size * dx + 0.4 * size * dy, tip[1] - size * dy - 0.4 * size * dx)
        b = (tip[0] - size * dx - 0.4 * size * dy, tip[1] - size * dy + 0.4 * size * dx)
        points = ' '.join('%.1f,%.1f' % s for s in (tip, a, b))
        self.parts.append(f'<polygon points="{points}" fill="{color}"/>')

    def arrow(self, start, end, color=MOVE, label=None, width=2.0, shift=(6, -4), where=0.5):
        self.path([start, add(end, mul(0.04, add(start, mul(-1, end))))], color, width)
        self.head(self.spot(end), self.spot(start), color)
        if label:
            x, y = self.spot(add(mul(1 - where, start), mul(where, end)))
            self.text((x + shift[0], y + shift[1]), label, color)

    def arc(self, center, axis, start, degrees, label, radius=0.45, both=False, shift=None):
        """An arrow round a unit axis, from the direction `start` on."""
        n = 24
        u = unit(add(start, mul(-dot(start, axis), axis)))
        points = [add(center, mul(radius, turn(u, axis, math.radians(degrees * i / n)))) for i in range(n + 1)]
        self.path(points, MOVE, 2)
        self.head(self.spot(points[-1]), self.spot(points[-3]), MOVE)
        middle = add(center, mul(radius + 0.16, turn(u, axis, math.radians(degrees / 2))))
        x, y = self.spot(middle)
        dx, dy = shift or (-6, 5)
        self.text((x + dx, y + dy), label, MOVE)

    def frame(self, R, p, name, color, length=0.8, prime='', axes='xyz', shift=(-16, -5), width=2.4):
        for letter, e in zip('xyz', R):
            if letter not in axes:
                continue
            tip = add(p, mul(length, e))
            self.path([p, tip], color, width)
            self.head(self.spot(tip), self.spot(p), color, 8)
            s = self.spot(add(p, mul(length + 0.13, e)))
            self.text((s[0] - 4, s[1] + 5), letter + prime, color, 13)
        s = self.spot(p)
        self.parts.append(f'<circle cx="{s[0]:.1f}" cy="{s[1]:.1f}" r="3.2" fill="{color}"/>')
        self.text((s[0] + shift[0], s[1] + shift[1]), name, color, 15)

    def box(self, R, p, low, high, color):
        """Edges and faces of a box between two corners given in a frame."""
        c = [[low[i], high[i]] for i in range(3)]
        for k in range(3):
            i, j = (k + 1) % 3, (k + 2) % 3
            for side in (0, 1):
                corner = [[0, 0], [1, 0], [1, 1], [0, 1]]
                points = []
                for a, b in corner:
                    v = [0, 0, 0]
                    v[k], v[i], v[j] = c[k][side], c[i][a], c[j][b]
                    points.append(at(R, p, v))
                self.path(points, color, 0.8, fill=color, close=True, opacity='0.07')

    def circle(self, center, R, radius, color, width=1.2, dash=None, fill='none', opacity=None):
        """In the plane of R's first two axes; radius may be two half lengths."""
        a, b = radius if isinstance(radius, tuple) else (radius, radius)
        points = []
        for i in range(48):
            t = 2 * math.pi * i / 48
            points.append(at(R, center, (a * math.cos(t), b * math.sin(t), 0)))
        self.path(points, color, width, dash, fill, True, opacity)

    def save(self, name):
        body = '\n'.join(self.parts)
        with open(os.path.join(os.path.dirname(os.path.abspath(__file__)), name + '.svg'), 'w') as f:
            f.write(f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" width="{WIDTH}" '
                    f'height="{HEIGHT}" font-family="sans-serif" font-style="italic" stroke-linecap="round" '
                    f'stroke-linejoin="round">\n<rect width="{WIDTH}" height="{HEIGHT}" rx="8" fill="#ffffff"/>\n'
                    f'{body}\n</svg>\n')


def start(d, base=True):
    if base:
        d.box(I, O, (-0.28, -0.28, -0.22), (0.28, 0.28, -0.06), PARENT)
    d.frame(I, O, 'F', PARENT)


def body(d, R, p, size=0.2):
    d.box(R, p, (-size, -size, -size / 2), (size, size, size / 2), BODY)


def M(d, R, p, length=0.6, shift=(6, 16), prime='\u2032'):
    d.frame(R, p, 'M', BODY, length, prime, shift=shift)


def euler(a, b, c):
    """Axes after turns about x, y', z', and the axes on the way."""
    R1 = turned(I, X, a)
    R2 = turned(R1, R1[1], b)
    return turned(R2, R2[2], c), R1, R2


# ---- the kinds ----


def weld(d):
    start(d)
    d.box(I, O, (-0.28, -0.28, -0.06), (0.28, 0.28, 0.14), BODY)
    M(d, I, O, 0.5, shift=(8, -8))


def pin(d):
    start(d)
    R = turned(I, Z, 40)
    d.circle(O, I, 0.62, FAINT, dash='4 4')
    body(d, R, (0, 0, 0.1), 0.26)
    M(d, R, O, 0.95, shift=(8, 4))
    d.arc(O, Z, X, 40, 'q_0', 0.62, shift=(-8, 8))


def slider(d):
    p = (1.5, 0, 0)
    start(d)
    d.path([O, (2.1, 0, 0)], FAINT, 1.2, '4 4')
    body(d, I, p)
    M(d, I, p, 0.55)
    d.arrow((0, 0, 0.16), add(p, (0, 0, 0.16)), label='q_0', shift=(-22, -6))


def rotations(d, p=O, radius=0.17):
    for i, e in enumerate(I):
        d.arc(add(p, mul(0.5, e)), e, I[(i + 1) % 3], 230, f'u_{i}', radius, shift=(-6, 4))


def ball(d):
    start(d)
    R, _, _ = euler(38, -25, 60)
    for Q in (I, (Y, Z, X), (X, Z, Y)):
        d.circle(O, Q, 0.3, FAINT)
    M(d, R, O, 1.0, shift=(8, 18))
    rotations(d)


def free(d):
    start(d)
    p = (0.0, 1.5, 0.6)
    R, _, _ = euler(25, -20, 55)
    body(d, R, p)
    M(d, R, p, 0.55, shift=(-8, 20))
    d.arrow(O, p, label='p_FM', shift=(-8, -12), where=0.6)
    rotations(d)


def universal(d):
    start(d)
    R1 = turned(I, X, 30)
    R = turned(R1, R1[1], 35)
    d.path([mul(-0.6, R1[1]), mul(1.1, R1[1])], FAINT, 1.2, '4 4')
    body(d, R, O, 0.22)
    M(d, R, O, 0.85, shift=(4, 22))
    d.arc(mul(0.55, X), X, Y, 240, 'q_0', 0.17)
    d.arc(mul(1.02, R1[1]), R1[1], Z, 240, 'q_1', 0.17, shift=(0, 4))


def cylinder(d):
    start(d)
    p = (0, 0, 1.1)
    R = turned(I, Z, 40)
    d.path([O, (0, 0, 1.9)], FAINT, 1.2, '4 4')
    d.path([p, add(p, mul(0.75, X))], FAINT, 1.2, '4 4')
    body(d, R, p, 0.22)
    M(d, R, p, 0.75, shift=(8, -6))
    d.arc(p, Z, X, 40, 'q_0', 0.55, shift=(-10, 8))
    d.arrow((0, -0.35, 0), (0, -0.35, 1.1), label='q_1', shift=(-22, 0))


def bend_stretch(d):
    start(d)
    R = turned(I, Z, 65)
    p = mul(1.5, R[0])
    d.circle(O, I, 0.6, FAINT, dash='4 4')
    d.path([O, p], FAINT, 1.2, '4 4')
    body(d, R, p, 0.18)
    M(d, R, p, 0.55, shift=(-20, 16))
    d.arc(O, Z, X, 65, 'q_0', 0.6, shift=(-12, 8))
    up = (0, 0, 0.12)
    d.arrow(up, add(p, up), label='q_1', shift=(4, -8))


def planar(d):
    for i in range(7):
        t = 0.3 * i
        d.path([(t, 0, 0), (t, 1.8, 0)], FAINT, 0.7)
        d.path([(0, t, 0), (1.8, t, 0)], FAINT, 0.7)
    start(d, base=False)
    p = (0.9, 1.2, 0)
    R = turned(I, Z, 35)
    d.box(R, p, (-0.18, -0.18, 0), (0.18, 0.18, 0.1), BODY)
    M(d, R, p, 0.65, shift=(8, -8))
    d.arrow(O, (0.9, 0, 0), label='q_1', width=3, shift=(-24, 2))
    d.arrow((0.9, 0, 0), p, label='q_2', width=3, shift=(-14, 18))
    d.path([p, add(p, mul(0.7, X))], FAINT, 1.2, '4 4')
    d.arc(p, Z, X, 35, 'q_0', 0.52, shift=(-12, 10))


def gimbal_arcs(d, p, R, R1, R2, radius=0.17, reach=0.8):
    d.arc(add(p, mul(0.7 * reach, X)), X, Y, 240, 'q_0', radius, shift=(-16, 6))
    d.path([p, add(p, mul(reach * 1.2, R1[1]))], FAINT, 1.2, '4 4')
    d.path([p, add(p, mul(reach * 0.9, X))], FAINT, 1.2, '4 4')
    d.arc(add(p, mul(reach, R1[1])), R1[1], Z, 240, 'q_1', radius, shift=(-2, 12))
    d.arc(add(p, mul(reach, R2[2])), R2[2], R2[0], 240, 'q_2', radius, shift=(-18, -2))


def gimbal(d):
    start(d)
    R, R1, R2 = euler(28, 26, 35)
    body(d, R, O, 0.2)
    M(d, R, O, 1.05, shift=(-4, 26))
    gimbal_arcs(d, O, R, R1, R2)


def staircase(d, p, first):
    a, b = (p[0], 0, 0), (p[0], p[1], 0)
    d.arrow(O, a, label=f'q_{first}', width=3, shift=(-24, 2))
    d.arrow(a, b, label=f'q_{first + 1}', width=3, shift=(-6, 18))
    d.arrow(b, p, label=f'q_{first + 2}', width=3, shift=(6, 14), where=0.4)


def bushing(d):
    start(d)
    p = (0.6, 1.5, 0.6)
    R, R1, R2 = euler(25, 22, 30)
    body(d, R, p, 0.17)
    M(d, R, p, 0.75, shift=(-8, 20))
    staircase(d, p, 3)
    gimbal_arcs(d, p, R, R1, R2, 0.15, 0.62)


def ellipsoid(d):
    a, b, c = 0.6, 1.1, 0.5
    for t in (-0.7, 0.0, 0.7):
        s = math.cos(t)
        d.circle((0, 0, c * math.sin(t)), I, (a * s, b * s), FAINT, 0.8)
    for k in range(4):
        t = math.pi * k / 4
        e = (a * math.cos(t), b * math.sin(t), 0)
        points = [add(mul(math.cos(s * math.pi / 24), e), (0, 0, c * math.sin(s * math.pi / 24))) for s in range(48)]
        d.path(points, FAINT, 0.8, close=True)
    start(d, base=False)
    R, _, _ = euler(-42, 12, -20)
    n = R[2]
    p = (a * n[0], b * n[1], c * n[2])
    d.arrow(O, mul(0.8, n), BODY, 'n', 1.4, shift=(-14, -2), where=1)
    d.arrow(O, p, label='p_FM', shift=(4, 18), where=0.5)
    M(d, R, p, 0.6, shift=(8, -4))


def translation(d):
    start(d)
    p = (0.7, 1.4, 0.7)
    body(d, I, p, 0.17)
    M(d, I, p, 0.55, shift=(8, -8))
    staircase(d, p, 0)


def line(d, R, p):
    """A rod along M's z, with the two rotations that it has."""
    d.path([add(p, mul(-0.8, R[2])), add(p, mul(0.8, R[2]))], BODY, 6)
    M(d, R, p, 0.95, shift=(-20, -4))
    d.arc(add(p, mul(0.65, R[0])), R[0], R[1], 240, 'u_0', 0.17, shift=(-14, 10))
    d.arc(add(p, mul(0.65, R[1])), R[1], R[2], 240, 'u_1', 0.17, shift=(-4, 8))


def line_orientation(d):
    start(d)
    R, _, _ = euler(-35, 20, 15)
    line(d, R, O)


def free_line(d):
    start(d)
    R, _, _ = euler(-35, 20, 15)
    p = (0, 1.6, 0.5)
    line(d, R, p)
    d.arrow(O, p, label='p_FM', shift=(-14, -12))


def spherical_coords(d):
    start(d)
    R1 = turned(I, Z, 55)
    R = turned(R1, R1[1], 50)
    p = mul(1.6, R[2])
    d.path([O, (p[0], p[1], 0), p], FAINT, 1.2, '4 4')
    d.path([O, mul(0.9, R1[1])], FAINT, 1.2, '4 4')
    M(d, R, p, 0.5, shift=(-18, 18))
    d.arc(O, Z, X, 55, 'q_0', 0.65, shift=(-12, 8))
    d.arc(O, R1[1], Z, 50, 'q_1', 0.65, shift=(-6, 2))
    d.arrow(O, p, label='q_2', shift=(8, 12), where=0.62)


def screw(d):
    start(d)
    h = 0.11
    steps = [2 * math.pi * 2.6 * i / 119 for i in range(120)]
    d.path([(0.25 * math.cos(t), 0.25 * math.sin(t), h * t) for t in steps], FAINT, 2)
    angle = 360 + 50
    R = turned(I, Z, angle)
    p = (0, 0, h * math.radians(angle))
    d.path([p, add(p, mul(0.75, X))], FAINT, 1.2, '4 4')
    body(d, R, p, 0.2)
    M(d, R, p, 0.75, shift=(8, -6))
    d.arc(p, Z, X, 50, 'q_0', 0.55, shift=(-10, 8))
    d.arrow((0, -0.45, 0), (0, -0.45, p[2]), label='h q_0', shift=(-36, 0))


def function_based(d):
    start(d)

    def place(t):
        return (0.1 + 0.5 * t, 0.2 + 1.5 * t, 0.55 * math.sin(2.4 * t))
    d.path([place(i / 40) for i in range(44)], MOVE, 1.4, '5 4')
    for t in (0.05, 0.45, 0.95):
        R, _, _ = euler(-60 * t, 15 * t, 30 * t)
        p = place(t)
        if t < 0.8:
            for e in R:
                d.path([p, add(p, mul(0.33, e))], FAINT, 1.8)
        else:
            M(d, R, p, 0.5, shift=(-20, 2))
    d.arrow(place(0.6), place(0.7), label='X_FM|(q)', shift=(6, -14))


def reversed_(d):
    """What a bend and stretch is, seen from M."""
    d.box(I, O, (-0.28, -0.28, -0.22), (0.28, 0.28, -0.06), PARENT)
    d.frame(I, O, 'F', PARENT, 0.7)
    R = turned(I, Z, 60)
    p = mul(1.5, R[0])
    body(d, R, p)
    M(d, R, p, 0.75, shift=(6, 20))
    up = (0, 0, 0.14)
    d.arrow(add(p, up), up, label='p_MF', shift=(0, -10))
    d.path([p, add(p, mul(0.75, X))], FAINT, 1.2, '4 4')
    d.arc(p, Z, R[0], -60, 'R_MF', 0.58, shift=(-26, 12))


if __name__ == '__main__':
    for kind in (weld, pin, slider, ball, free, universal, cylinder, bend_stretch, planar, gimbal, bushing, ellipsoid,
                 translation, line_orientation, free_line, spherical_coords, screw, function_based, reversed_):
        first = Drawing()
        kind(first)
        second = first.fitted()
        kind(second)
        second.save(kind.__name__.rstrip('_'))
