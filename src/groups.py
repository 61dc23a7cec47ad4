"""Groups source files that can be compiled as one, and writes a file for each group that includes its files.

Usage: groups.py FOLDER FILE...; prints the paths of what it wrote into FOLDER.

Starting clang takes 0.15 s and reading headers 0.1 s, longer than the rest of most files where nothing is optimized.
Two files go together if neither uses a name, for whatever it be, that the other one has for itself (a static function
or variable, a type, an enumerator, a macro), headers that one alone includes have no name in common with the other or
its headers, and both ask the same of the system.
"""
import pathlib
import re
import sys

MOST = 12  # files in a group: several groups are compiled at the same time
STANDARD = {name + '.h' for name in (
    'ctype', 'errno', 'float', 'inttypes', 'limits', 'math', 'stdarg', 'stdatomic', 'stdbool', 'stddef', 'stdint', 'stdio',
    'stdlib', 'string', 'time')}
STANDARD |= {'cardan/cardan.h', 'cardan/contact.h', 'cardan/model.h', 'cardan/stream.h', 'cardan/measures.h'}


def stripped(text, literals=False):
    """Without comments and continued lines, and without literals."""
    text = re.sub(r'/\*.*?\*/', ' ', text, flags=re.S)
    text = re.sub(r'//[^\n]*', '', text)
    text = re.sub(r'\\\n', ' ', text)
    return text if literals else re.sub(r'"(\\.|[^"\\\n])*"|\'(\\.|[^\'\\\n])+\'', '""', text)


def own_names(text, all_functions=False):
    """Names that a file has at file scope, of functions those that are static or all of them.

    Lines of that scope begin in the first column (.clang-format)."""
    names = set(re.findall(r'^\s*#\s*define\s+(\w+)', text, re.M))
    names |= set(re.findall(r'\b(?:struct|union|enum)\s+(\w+)\s*\{', text))
    names |= set(re.findall(r'^START_TEST\((\w+)\)', text, re.M))
    for body in re.findall(r'\benum\b[^{;()]*\{([^}]*)\}', text):
        names |= {m.group(1) for m in re.finditer(r'(?:^|,)\s*(\w+)', body)}
    for line in re.findall(r'^[A-Za-z_}].*', text, re.M):
        line = re.sub(r'__attribute__\s*\(\(.*?\)\)', '', line)
        if '(' in line.split('=')[0]:
            if all_functions or 'static' in line:
                names |= set(re.findall(r'(\w+)\s*\(', line[:line.index('(') + 1]))
            continue
        if re.fullmatch(r'\w+\s*', line): # a macro
            continue
        # variables and types: what comes before =, [, {, a comma or the end
        plain = re.sub(r'=[^,]*', '= ', re.sub(r'\{.*?\}|\[.*?\]', ' ', line))
        names |= set(re.findall(r'(\w+)\s*(?=[=,;]|$)', plain))
    return {name for name in names if not re.match(r'cdn|CDN|enum$|struct$|union$|\d', name)}


def words(text):
    return set(re.findall(r'[A-Za-z_]\w*', text))


class Headers:
    """Of the project, with the names that they have at file scope."""

    def __init__(self, root):
        self.texts = {path: stripped(path.read_text(), literals=True)
                      for top in ('src', 'tests', 'accuracy', 'apps') for path in (root / top).rglob('*.h')}
        self.names = {path: own_names(stripped(text), True) for path, text in self.texts.items()}
        self.used = {path: words(stripped(text)) for path, text in self.texts.items()}

    def of(self, path, text, found=None):
        """Those that a file includes, and they include."""
        found = set() if found is None else found
        for name in re.findall(r'^\s*#\s*include\s+"([^"]+)"', text, re.M):
            wanted = (path.parent / name).resolve()
            tail = '/' + re.sub(r'^(\.\./)+', '', name)
            for header in [wanted] if wanted in self.texts else [h for h in self.texts if str(h).endswith(tail)]:
                if header not in found:
                    found.add(header)
                    self.of(header, self.texts[header], found)
        return found


class Source:
    def __init__(self, path, headers):
        text = stripped(path.read_text(), literals=True)
        bare = stripped(text)
        self.path = path
        self.names = own_names(bare)
        self.used = words(bare)
        self.headers = headers.of(path, text)
        self.asks = (set(re.findall(r'^\s*#\s*include\s+<([\w/]+\.h)>', text, re.M)) - STANDARD |
                     set(re.findall(r'^\s*#\s*define\s+(_[A-Z].*)', text, re.M)))

    def goes_with(self, other, headers):
        if self.asks != other.asks or self.names & other.used or other.names & self.used:
            return False
        alone = [a.headers - b.headers for a, b in ((self, other), (other, self))]
        names = [set().union(*(headers.names[h] for h in those)) for those in alone]
        used = [set().union(*(headers.used[h] for h in those)) for those in alone]
        return not (names[0] & names[1] or self.used & names[1] or other.used & names[0] or
                    self.names & used[1] or other.names & used[0])


def main():
    folder, paths = pathlib.Path(sys.argv[1]), [pathlib.Path(path).resolve() for path in sys.argv[2:]]
    headers = Headers(pathlib.Path(__file__).resolve().parents[1])
    groups = []
    for source in [Source(path, headers) for path in paths]:
        fits = (g for g in groups if len(g) < MOST and all(source.goes_with(other, headers) for other in g))
        group = next(fits, None)
        if group is None:
            groups.append([source])
        else:
            group.append(source)
    folder.mkdir(parents=True, exist_ok=True)
    for i, group in enumerate(groups):
        written = folder / f'group{i}.c'
        text = ''.join(f'#include "{source.path}"\n' for source in group)
        if not written.exists() or written.read_text() != text:
            written.write_text(text)
        print(written)


main()
