"""The list of constants: list.txt, which says for each why it has its value, and bare.txt: numbers without a name that
somebody chose, and the pieces of the source where they are."""
import os

HERE = os.path.dirname(os.path.abspath(__file__))
KINDS = {
    'fact': 'a number of mathematics, of physics or of a formula',
    'layout': 'a place or a count in an array, a code, the size of a buffer',
    'limit': 'a bound that no sensible model reaches: what is beyond is refused, left out or not tried again',
    'rounding': 'so many roundings of a double (2.2e-16), or of what an iteration leaves',
    'promise': 'a definition that the documentation promises',
    'cited': 'the source is named where the constant stands',
    'derived': 'where it stands a comment says from what it follows',
    'looks': 'of pictures and of the viewer alone',
    'measured': 'chosen by trial; the sections above say what the sweep shows of it, if its problems reach it',
}
SWEPT = ['limit', 'rounding', 'promise', 'cited', 'derived', 'measured']


def read_list():
    """{(room, name, value): kind}"""
    kind_of, room = {}, None
    with open(os.path.join(HERE, 'list.txt'), encoding='utf-8') as f:
        for number, line in enumerate(f, 1):
            line = line.strip()
            if line.startswith('['):
                room = line.strip('[]')
            elif line:
                kind, names = line.split(': ', 1)
                assert kind in KINDS, f'list.txt:{number}: {kind}'
                for item in names.split(', '):
                    name, value = item.split('=', 1)
                    assert (room, name, value) not in kind_of, f'list.txt:{number}: {room} {item} is there twice'
                    kind_of[room, name, value] = kind
    return kind_of


def read_bare():
    """[(room, a piece of the source, the number in it)]"""
    rows = []
    with open(os.path.join(HERE, 'bare.txt'), encoding='utf-8') as f:
        for line in f:
            rows.append(tuple(part.strip() for part in line.split(' | ')))
    return rows
