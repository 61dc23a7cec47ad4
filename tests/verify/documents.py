#!/usr/bin/env python3
"""What documents tell people to type runs as it is printed, and prints what they show.

    documents.py CARDAN ROOT BUILD [PYTHON]

Each page has a folder of its own, with the repository's examples/ and docs/ in it. From top to bottom:

- `sh`, `console`: each line is a command. `$ command` is followed by what it prints; `...` stands for anything. One
  that is to fail has `# ends with 1` behind it. Verbs of ./run would install packages: that they exist is all that is
  looked at. Indented blocks are run as well where they begin with a model of the repository. Options of all other
  commands `cardan` exist.
- `c`, `cpp` with a main(): a program. It is compiled and run, and must not fail. What it prints is in a block `output`
  behind it. "Save it as `name.c`" above it makes a file instead, which commands of the page compile and run.
- `c` without: fragments. They compile, with the names of fragments.h, those that a comment of the page declares
  (`<!-- given: double speed; -->`), and those of the page's fragments above them.
- `python`: runs, with PYTHON; without `import cardan` it goes on from the block above. `output` as above.
- other blocks with a file's name above them are saved; `json` is JSON.
- pictures of docs/pictures/tutorial are made by the page. With CARDAN_KEEP_PICTURES in the environment they go there.
  CARDAN_PAGES names the pages to look at.

Numbers may differ by two units of the last digit that is shown, the errors of verdicts by a factor of ten (pages.py). The README's
program is examples/pendulum.c. docs/README.md lists every page once, and only pages.
"""
import json
import os
import pathlib
import re
import shlex
import shutil
import signal
import subprocess
import sys
import tempfile

from pages import blocks, compare

program, root, build = (pathlib.Path(p).resolve() for p in sys.argv[1:4])
python = sys.argv[4] if len(sys.argv) > 4 else None
here = pathlib.Path(__file__).resolve().parent
mistakes = []

# ---- where commands run: as in the folder of the source tree, but what they write goes elsewhere

top = pathlib.Path(tempfile.mkdtemp(prefix='cardan-documents-'))
viewer = top / 'viewer.html'  # stands for the page of the viewer
viewer.write_text('<!doctype html><meta http-equiv="Content-Security-Policy" content="script-src \'sha256-a=\'; '
                  'style-src \'sha256-b=\';"><!--cardan-data-->')
(top / 'cardan.pc').write_text(f'''Name: cardan
Description: the library of this build
Version: 0
Libs: -L{build} -lcardan -lm
Cflags: -I{root}/include
''')
(top / 'bin').mkdir()
if python: (top / 'bin/python3').symlink_to(shutil.which(python))
environment = dict(os.environ, PATH=f'{top}/bin:{program.parent}:{os.environ["PATH"]}', CARDAN_PAGE=str(viewer),
                   LD_LIBRARY_PATH=str(build), PKG_CONFIG_PATH=str(top), PYTHONDONTWRITEBYTECODE='1',
                   PYTHONPATH=os.pathsep.join([str(build / 'python'), str(root / 'python/tests/stand_in')]))
environment.pop('DISPLAY', None)


def output_of(*command):
    return subprocess.run(command, capture_output=True, text=True, env=environment).stdout


verbs = set(re.findall(r'^  (\w+) ', output_of(root / 'run'), flags=re.M))
options = {}


def options_of(verb):
    if verb not in options:
        options[verb] = set(re.findall(r'^  (?:-\w, )?(--[\w-]+)', output_of(program, verb, '--help'), flags=re.M))
    return options[verb]


def run_view(folder, command):
    """A view goes on until it is stopped: it has shown where its page is."""
    process = subprocess.Popen(['bash', '-c', 'exec ' + command], cwd=folder, env=environment, text=True,
                               stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    first = process.stdout.readline()
    process.send_signal(signal.SIGINT)
    rest, _ = process.communicate(timeout=60)
    return (0 if 'http://' in first and process.returncode in (0, 130) else process.returncode or 1), first + rest


class Page:
    """A page, and the folder in which its reader works."""

    def __init__(self, path):
        self.path, self.name, self.text = path, str(path.relative_to(root)), path.read_text()
        self.blocks, self.python = blocks(self.text), None
        self.folder = top / self.name.replace('/', '_')
        self.folder.mkdir()
        for entry in ('examples', 'docs'): (self.folder / entry).symlink_to(root / entry)

    def wrong(self, line, what): mistakes.append(f'{self.name}:{line}: {what}')

    def run(self, line, command):
        """Runs a line as a person would, and returns what it printed; None if it is only looked at."""
        if re.match(r'\./run\b', command):
            verb = (command.split() + [''])[1]
            if verb not in verbs: self.wrong(line, f'./run has no verb "{verb}"')
            return None
        if re.match(r'sudo |ssh ', command) or not python and re.match(r'python3 ', command): return None
        if re.match(r'cardan view\b(?!.*--html)', command):
            code, output = run_view(self.folder, command)
        else:
            done = subprocess.run(['bash', '-c', command], cwd=self.folder, env=environment, text=True, timeout=120,
                                  stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
            code, output = done.returncode, done.stdout
        wanted = re.search(r'# ends with (\d+)$', command)
        if code != (int(wanted.group(1)) if wanted else 0): self.wrong(line, f'"{command}" ends with {code}:\n{output}')
        return output

    def check_shown(self, line, what, shown, printed):
        if printed is not None and (mistake := compare(shown.splitlines(), printed)):
            self.wrong(line, f'{what} {mistake}')

    # ---- blocks

    def check_commands(self, block):
        """A block with `$ command` shows what is printed; others are commands alone, with comments behind #."""
        text = block.text.replace('\\\n', ' ')
        if re.search(r'^\$ ', text, flags=re.M):
            for part in re.split(r'^\$ ', text, flags=re.M)[1:]:
                command, _, shown = part.partition('\n')
                self.check_shown(block.line, f'"{command}"', shown, self.run(block.line, command))
        else:
            for line in text.splitlines():
                if command := re.sub(r'(^|\s+)#.*', '', line).strip(): self.run(block.line, command)

    def check_options(self, block):
        """Commands that are not run, as they are about files of the reader's: their options exist."""
        for verb, rest in re.findall(r'^(?:\$ )?cardan (\w+)\b(.*)$', block.text.replace('\\\n', ' '), flags=re.M):
            for option in re.findall(r'(?<![\w-])--[a-z][\w-]*', rest.split('#')[0]):
                if option not in options_of(verb): self.wrong(block.line, f'cardan {verb} has no option {option}')

    def output_behind(self, block):
        """The text of the block `output` that follows, without the reader's being told anything in between."""
        at = self.blocks.index(block) + 1
        if at == len(self.blocks) or self.blocks[at].language != 'output': return ''
        return self.blocks[at].text

    def check_program(self, block):
        """One that shows something until it is stopped is only compiled."""
        source = self.folder / f'program{block.line}.{block.language}'
        source.write_text(block.text)
        compiler = {'c': 'cc -std=c17', 'cpp': 'c++ -std=c++17'}[block.language]
        built = source.with_suffix('')
        self.run(block.line, f'{compiler} -Wall -Wno-unused -Werror {source} $(pkg-config --cflags --libs cardan) -lm -o {built}')
        if built.exists() and 'cdn_view_run' not in block.text:
            needs = re.search(r'argc < \d', block.text)
            if not needs: self.check_shown(block.line, 'the program', self.output_behind(block), self.run(block.line, str(built)))

    def check_python(self, block):
        """All blocks of a page run in one process. One with `import cardan` begins anew."""
        if not python: return
        if not self.python:
            self.python = subprocess.Popen([python, here / 'run_blocks.py'], text=True, cwd=self.folder, env=environment,
                                           stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        try:
            print(json.dumps(block.text), file=self.python.stdin, flush=True)
            printed, failure = json.loads(self.python.stdout.readline())
        except (OSError, ValueError) as lost:
            return self.wrong(block.line, f'Python has ended: {lost}')
        if failure: self.wrong(block.line, failure)
        self.check_shown(block.line, 'the block', self.output_behind(block), printed)

    def check_pictures(self):
        """Pictures of tutorials are those that the page's commands make; ./run pictures keeps them."""
        for m in re.finditer(r'^!\[[^\]]*\]\((.*pictures/tutorial/([^/)]+))\)', self.text, flags=re.M):
            made, line = self.folder / m.group(2), self.text.count('\n', 0, m.start()) + 1
            if not made.exists(): self.wrong(line, f'no command of the page makes {m.group(2)}')
            elif 'CARDAN_KEEP_PICTURES' in os.environ: shutil.copy(made, self.path.parent / m.group(1))

    def check(self):
        if not python and self.name.startswith('docs/tutorial_python/'): return
        for block in self.blocks:
            if block.file:
                (self.folder / block.file).parent.mkdir(parents=True, exist_ok=True)
                (self.folder / block.file).write_text(block.text)
                used = any(block.file in other.text for other in self.blocks if other is not block)
                if not used: self.wrong(block.line, f'no command of the page uses {block.file}')
            elif block.is_program(): self.check_program(block)
            elif block.language == 'python': self.check_python(block)
            elif block.is_commands(): self.check_commands(block)
            elif block.language is None and 'docs/command.md' not in self.name: self.check_options(block)
            if block.language == 'json': json.loads(block.text)
        if self.python: self.python.communicate()
        self.check_pictures()


# ---- fragments: all are one function, so that one call of the compiler reads the headers once

def fragment_of(page, block):
    """What is at the level of files becomes local: GCC has functions in functions. `...` stands for more."""
    text = re.sub(r'^static ', '', re.sub(r'^( *)\.\.\.$', r'\1;', block.text, flags=re.M), flags=re.M)
    return f'{{\n{block.given}\n#line {block.line} "{page.name}"\n{text}\n;'


def check_fragments(pages):
    functions = []
    for number, page in enumerate(pages):
        those = [block for block in page.blocks if block.language == 'c' and not block.is_program() and not block.file]
        if those:
            body = ''.join(fragment_of(page, block) for block in those)
            functions.append(f'int page{number}(void) {{\n{body}{"}" * len(those)}\nreturn 0;\n}}\n')
    source = top / 'fragments.c'
    source.write_text(f'#include "{here}/fragments.h"\n' + '\n'.join(functions))
    if 'clang' in output_of('cc', '--version'): return  # has no functions in functions
    done = subprocess.run(f'cc -std=gnu17 -Wall -Wno-unused -Werror -fsyntax-only -fmax-errors=0 -Wno-maybe-uninitialized '
                          f'$(pkg-config --cflags cardan) {source}', shell=True, env=environment, text=True,
                          capture_output=True)
    if done.returncode: mistakes.append(done.stderr)


# ---- pages that say what there is

def check_synopsis(page):
    """Every subcommand is there with the options that its help lists, but for those that all models have."""
    commands = re.findall(r'^cardan (\w+) (.*(?:\n +.*)*)', page.blocks[0].text, flags=re.M)
    listed = re.findall(r'^  (\w+) ', output_of(program, '--help').split('commands')[1].split('examples')[0], flags=re.M)
    for name in sorted(set(listed) - {'help', 'completion'} - {name for name, _ in commands}):
        mistakes.append(f'{page.name}: the synopsis lacks cardan {name}')
    common = (options_of('info') & options_of('eval') & options_of('speed') - {'--json'}) | {'--control', '--quiet', '--help'}
    for name in {name for name, _ in commands}:
        shown = set(re.findall(r'(?<![\w-])--?[a-z][\w-]*', ' '.join(rest for other, rest in commands if other == name)))
        shown = {'--output' if option == '-o' else option for option in shown}
        for option in sorted(shown - options_of(name)):
            mistakes.append(f'{page.name}: cardan {name} --help has no {option}')
        for option in sorted(options_of(name) - common - shown):
            mistakes.append(f'{page.name}: the synopsis of cardan {name} lacks {option}')


def check_index(names):
    listed = re.findall(r'^\| [^|]*\[[^\]]+\]\(([\w/-]+\.md)\)', (root / 'docs/README.md').read_text(), flags=re.M)
    for name in sorted(set(names) - set(listed)):
        mistakes.append(f'docs/README.md: {name} is missing: add a line to the table of its part')
    for name in sorted(set(listed) - set(names) | {name for name in listed if listed.count(name) > 1}):
        mistakes.append(f'docs/README.md: {name} is listed, and is no page, or is listed twice')


def main():
    paths = sorted((root / 'docs').rglob('*.md'))
    check_index([str(path.relative_to(root / 'docs')) for path in paths if path.name != 'README.md'])
    wanted = os.environ.get('CARDAN_PAGES', '').split()
    pages = [Page(path) for path in [root / 'README.md', *paths] if not wanted or path.name in wanted or str(path.relative_to(root)) in wanted]
    for page in pages:
        if page.name == 'docs/command.md': check_synopsis(page)
        if page.name == 'README.md':
            for block in page.blocks:
                if block.language == 'c' and block.text != (root / 'examples/pendulum.c').read_text():
                    mistakes.append('README.md and examples/pendulum.c differ: copy the program over')
        page.check()
    check_fragments(pages)
    shutil.rmtree(top)
    print('\n'.join(mistakes) or 'commands and programs of documents run, and print what is shown')
    sys.exit(1 if mistakes else 0)


main()
