"""Checks the arrows between the rooms of the library, by the #include lines of the sources.

usage: rooms.py ROOT [--draw]

docs/architecture.md lists the rooms, those that may be included by others last. A file may include headers of its own
room and of rooms on lower lines. A header that is private to its room (internal.h, and those whose first lines say "Private
to the room") is included by its room only. --draw prints the arrows that are there.
"""
import os
import re
import sys


def read_order(root):
    """The rooms by line: a line of the block has one room or more."""
    text = open(os.path.join(root, "docs", "architecture.md"), encoding="utf-8").read()
    block = re.search(r"```rooms\n(.*?)```", text, re.S)
    if not block:
        sys.exit("docs/architecture.md has no block of rooms")
    lines = [re.findall(r"src/(\w+)/", line) for line in block.group(1).splitlines()]
    return {room: level for level, line in enumerate(lines) for room in line}


def is_private(path):
    if os.path.basename(path) == "internal.h":
        return True
    head = open(path, encoding="utf-8").read(2000)
    comment = re.match(r"/\*.*?\*/", head, re.S)
    return bool(comment) and "Private to the room" in comment.group(0)


def includes(path):
    return re.findall(r'^#\s*include "([^"]+)"', open(path, encoding="utf-8").read(), re.M)


def exposes(source, header, seen):
    """A private header that comes along with a header of its room, or None."""
    if header in seen or not os.path.exists(os.path.join(source, header)):
        return None
    seen.add(header)
    path = os.path.join(source, header)
    if is_private(path):
        return header
    own = [h for h in includes(path) if h.split("/")[0] == header.split("/")[0]]
    return next((found for h in own if (found := exposes(source, h, seen))), None)


def main():
    root = sys.argv[1]
    source = os.path.join(root, "src")
    level = read_order(root)
    mistakes, arrows = [], {}
    rooms = sorted(d for d in os.listdir(source) if os.path.isdir(os.path.join(source, d)))
    for room in rooms:
        if room not in level:
            mistakes.append(f"src/{room} is not among the rooms of docs/architecture.md")
    for room in level:
        if room not in rooms:
            mistakes.append(f"docs/architecture.md has a room src/{room}, which is not there")
    for room in (r for r in rooms if r in level):
        for folder, _, files in os.walk(os.path.join(source, room)):
            for name in sorted(f for f in files if f.endswith((".c", ".h"))):
                path = os.path.join(folder, name)
                for header in includes(path):
                    other = header.split("/")[0]
                    if other not in level or other == room:
                        continue
                    arrows.setdefault(room, set()).add(other)
                    where = f"{os.path.relpath(path, root)} includes {header}"
                    if level[other] <= level[room]:
                        mistakes.append(f"{where}: room {other} is not below {room}")
                    private = exposes(source, header, set())
                    if private == header:
                        mistakes.append(f"{where}, which is private to room {other}")
                    elif private:
                        mistakes.append(f"{where}, and so {private}, which is private to room {other}")
    if "--draw" in sys.argv:
        for room in sorted(arrows, key=level.get):
            print(f"{room} -> {' '.join(sorted(arrows[room], key=level.get))}")
    for mistake in mistakes:
        print(mistake)
    return 1 if mistakes or not arrows else 0


sys.exit(main())
