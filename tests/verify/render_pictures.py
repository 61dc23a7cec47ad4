#!/usr/bin/env python3
"""Pictures of `cardan render` against stored ones that people have looked at, by the structural similarity of their grey
values (Wang, Bovik, Sheikh, Simoncelli: Image quality assessment: from error visibility to structural similarity, IEEE
Transactions on Image Processing 13, 2004): 1 for equal pictures.

    render_pictures.py CARDAN SOURCE_ROOT            compare; 77: this cardan renders nothing
    render_pictures.py CARDAN SOURCE_ROOT --write    make the stored pictures again, and look at them
"""
import os
import struct
import subprocess
import sys
import tempfile
import zlib

LEAST = 0.98  # other processors round rays at edges otherwise: some pixels of 19200
SCENES = {
    'walker': ['walker.xml'],
    'five_bar': ['five_bar.xml', '--show', 'joints,constraints', '--from', '0.2,-1,0.3'],
    'stairs': ['stairs.xml', '--from', '0.8,-1,0.45'],
    'arm': ['arm.urdf', '--show', 'masses,frames'],
}


def read_png(path):
    """Width, height, and rows of grey values 0 to 255 over white, of a PNG with 8 bits a channel."""
    data = open(path, 'rb').read()
    assert data[:8] == b'\x89PNG\r\n\x1a\n', path
    at, packed = 8, b''
    while at < len(data):
        size, kind = struct.unpack('>I4s', data[at:at + 8])
        body = data[at + 8:at + 8 + size]
        if kind == b'IHDR':
            width, height, depth, color, _, _, interlace = struct.unpack('>IIBBBBB', body)
            assert depth == 8 and color in (2, 6) and not interlace, path
        elif kind == b'IDAT':
            packed += body
        at += size + 12
    n = 3 if color == 2 else 4
    raw, rows, before = zlib.decompress(packed), [], bytearray(width * n)
    for y in range(height):
        start = y * (width * n + 1)
        how, line = raw[start], bytearray(raw[start + 1:start + 1 + width * n])
        for i in range(width * n):
            a = line[i - n] if i >= n else 0
            b, c = before[i], before[i - n] if i >= n else 0
            p = a + b - c
            paeth = a if abs(p - a) <= abs(p - b) and abs(p - a) <= abs(p - c) else b if abs(p - b) <= abs(p - c) else c
            line[i] = (line[i] + (0, a, b, (a + b) // 2, paeth)[how]) & 255
        before = line
        row = []
        for x in range(width):
            r, g, b = line[n * x:n * x + 3]
            grey = 0.299 * r + 0.587 * g + 0.114 * b
            opacity = line[n * x + 3] / 255 if n == 4 else 1
            row.append(grey * opacity + 255 * (1 - opacity))
        rows.append(row)
    return width, height, rows


def similarity(one, other):
    """The mean over windows of 8 x 8 pixels, four pixels apart."""
    width, height, a = one
    assert other[:2] == (width, height), 'the sizes differ'
    b, total, windows = other[2], 0.0, 0
    for y in range(0, height - 7, 4):
        for x in range(0, width - 7, 4):
            p = [v for row in a[y:y + 8] for v in row[x:x + 8]]
            q = [v for row in b[y:y + 8] for v in row[x:x + 8]]
            mp, mq = sum(p) / 64, sum(q) / 64
            vp, vq = sum(v * v for v in p) / 64 - mp * mp, sum(v * v for v in q) / 64 - mq * mq
            cov = sum(v * w for v, w in zip(p, q)) / 64 - mp * mq
            c1, c2 = (0.01 * 255) ** 2, (0.03 * 255) ** 2
            total += (2 * mp * mq + c1) * (2 * cov + c2) / ((mp * mp + mq * mq + c1) * (vp + vq + c2))
            windows += 1
    return total / windows


def main():
    cardan, root = sys.argv[1:3]
    stored = os.path.join(root, 'tests/data/pictures')
    bad, before = 0, None
    with tempfile.TemporaryDirectory() as folder:
        for name, (model, *options) in SCENES.items():
            path = os.path.join(stored if '--write' in sys.argv else folder, name + '.png')
            done = subprocess.run([cardan, 'render', os.path.join(root, 'examples/models', model), *options, '--size', '160x120',
                                   '--samples', '4', '-o', path, '--quiet'], capture_output=True, text=True)
            if 'Embree' in done.stderr and done.returncode:
                print(done.stderr)
                return 77
            if done.returncode:
                print(f'{name}: {done.stderr}')
                return 1
            picture = read_png(path)
            same = similarity(picture, read_png(os.path.join(stored, name + '.png')))
            unlike = similarity(picture, before) if before else 0
            before = picture
            print(f'{name}: {same:.5f}; to the one before: {unlike:.5f}')
            bad += same < LEAST or unlike >= LEAST  # the measure tells pictures apart
    return 1 if bad else 0


sys.exit(main())
