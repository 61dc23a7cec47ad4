"""Checks the arrows between the rooms of the library, by the #include lines of the sources and by the symbols of the
objects.

usage: rooms.py ROOT [--objects BUILD] [--draw]

docs/architecture.md lists the rooms, those that may be included by others last. A file may include headers of its own
room and of rooms on lower lines. A header that is private to its room (internal.h, and those whose first lines say
"Private to the room"), or to some files of it, is included by its room only. What a file calls or reads is defined in
its own room or in a room on a lower line, also where a public header declares it: nm tells, of the objects of the build
directory BUILD. A new kind of mobilizer concerns few files: few see the lists of kinds. --draw prints the arrows that
are there.
"""
import os
import re
import subprocess
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
    return bool(comment) and re.search(r"[Pp]rivate\W+to (?!the library)", comment.group(0)) is not None


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


def room_of_object(path, build):
    """src_ROOM_file.c.o of the library, or an object in a folder src/ROOM/ (kernels)."""
    name = re.match(r"src_([a-z]+)_", os.path.basename(path))
    folder = re.match(r"src/([a-z]+)/", os.path.relpath(path, build))
    found = folder or name
    return found.group(1) if found else None


def objects_of(build):
    """The objects of one library: the shared one's; and those that are compiled with flags of their own."""
    for folder, folders, files in os.walk(build):
        if folder == build:
            folders[:] = [f for f in folders if f == "src" or re.match(r"libcardan\.(so|\d+|dylib)", f)]
        yield from (os.path.join(folder, f) for f in files if f.endswith(".o"))


def symbols(paths):
    """By object: what it defines for others, and what it takes from others."""
    found = {path: (set(), set()) for path in paths}
    lines = subprocess.run(["nm", "-P", "-A", *paths], capture_output=True, text=True, check=True).stdout.splitlines()
    for line in lines:
        path, symbol, kind = re.match(r"(.+\.o): (\S+) (\S)", line).groups()
        if kind in "TDRBVW":
            found[path][0].add(symbol)
        elif kind == "U":
            found[path][1].add(symbol)
    return found


def check_symbols(build, level, mistakes):
    room = {path: room_of_object(path, build) for path in objects_of(build)}
    found = symbols([path for path in room if room[path] in level])
    if not found:
        mistakes.append(f"{build} has no objects of the library")
    owner = {symbol: room[path] for path, (defined, _) in found.items() for symbol in defined}
    for path, (_, taken) in sorted(found.items()):
        for symbol in sorted(taken):
            here, there = room[path], owner.get(symbol, room[path])
            if here != there and level[there] <= level[here]:
                mistakes.append(f"{os.path.basename(path)} needs {symbol}, and room {there} is not below {here}")


KINDS = {"include/cardan/mobilizers.h", "src/matter/mobilizers/mobilizers.h"}


def check_kinds(root, mistakes):
    """At most 64 files are compiled anew when a list of kinds of mobilizers changes; kernels count five times."""
    def included(path):
        text = open(os.path.join(root, path), encoding="utf-8").read()
        for public, name in re.findall(r'^#\s*include [<"](cardan/)?([^>"]+)[>"]', text, re.M):
            header = os.path.join("include/cardan" if public else "src", name)
            if os.path.exists(os.path.join(root, header)):
                yield header

    def sees(path, seen):
        if path in KINDS:
            return True
        if path in seen:
            return False
        seen.add(path)
        return any(sees(header, seen) for header in included(path))

    sources = [os.path.relpath(os.path.join(folder, name), root)
               for folder, _, names in os.walk(os.path.join(root, "src")) for name in names if name.endswith(".c")]
    seeing = [path for path in sources if sees(path, set())]
    compiled = sum(5 if os.path.basename(path).startswith("kernel") else 1 for path in seeing)
    if not seeing or compiled > 64:
        mistakes.append(f"{compiled} files are compiled anew for a new kind of mobilizer, which 64 may be: include "
                        "matter/kinds.h in place of a list of kinds")


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
    check_kinds(root, mistakes)
    if "--objects" in sys.argv:
        check_symbols(sys.argv[sys.argv.index("--objects") + 1], level, mistakes)
    if "--draw" in sys.argv:
        for room in sorted(arrows, key=level.get):
            print(f"{room} -> {' '.join(sorted(arrows[room], key=level.get))}")
    for mistake in mistakes:
        print(mistake)
    return 1 if mistakes or not arrows else 0


sys.exit(main())
