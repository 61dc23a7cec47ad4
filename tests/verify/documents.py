#!/usr/bin/env python3
"""What documents tell people to type runs as it is printed, and prints what they show.

    documents.py CARDAN ROOT BUILD

Commands are the lines of README.md's blocks of `sh`, the first block of each page of docs/ and docs/evidence/ where
it is one of commands, and all blocks of the tutorial. `$ command` is followed by what it prints; `...` stands for any
lines. Numbers may differ in the last digits that are shown. Verbs of ./run would install packages: that they exist is
all that is looked at. Blocks of `c` of docs/coming_from.md compile. A block of `c` with a main() is a program: it
compiles, links and runs without an error. The README's program is examples/pendulum.c. docs/README.md lists every
page once, and only pages.
"""
import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import tempfile

program, root, build = (pathlib.Path(p).resolve() for p in sys.argv[1:4])
mistakes = []

# ---- where commands run: as in the folder of the source tree, but what they write goes elsewhere ----

folder = pathlib.Path(tempfile.mkdtemp(prefix='cardan-documents-'))
for entry in ('examples', 'docs'):
    (folder / entry).symlink_to(root / entry)
page = folder / 'viewer.html'  # stands for the page of the viewer
page.write_text('<!doctype html><meta http-equiv="Content-Security-Policy" content="script-src \'sha256-a=\'; '
                'style-src \'sha256-b=\';"><!--cardan-data-->')
(folder / 'cardan.pc').write_text(f'''Name: cardan
Description: the library of this build
Version: 0
Libs: -L{build} -lcardan -lm
Cflags: -I{root}/include
''')
environment = dict(os.environ, PATH=f'{program.parent}:{os.environ["PATH"]}', CARDAN_PAGE=str(page), LD_LIBRARY_PATH=str(build),
                   PKG_CONFIG_PATH=str(folder))
environment.pop('DISPLAY', None)
verbs = set(re.findall(r'^  (\w+) ', subprocess.run([root / 'run'], capture_output=True, text=True).stdout, flags=re.M))


def run_view(command):
    """A view goes on until it is stopped: it has shown where its page is."""
    process = subprocess.Popen(['bash', '-c', 'exec ' + command], cwd=folder, env=environment, text=True,
                               stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    first = process.stdout.readline()
    process.send_signal(signal.SIGINT)
    rest, _ = process.communicate(timeout=60)
    return (0 if 'http://' in first and process.returncode in (0, 130) else process.returncode or 1), first + rest


def run(where, command):
    """Runs a line as a person would, and returns what it printed."""
    if re.match(r'\./run\b', command):
        verb = (command.split() + [''])[1]
        if verb not in verbs:
            mistakes.append(f'{where}: ./run has no verb "{verb}"')
        return ''
    if re.match(r'cardan view\b(?!.*--html)', command):
        code, output = run_view(command)
    else:
        done = subprocess.run(['bash', '-c', command], cwd=folder, env=environment, text=True, timeout=120,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        code, output = done.returncode, done.stdout
    if code != 0:
        mistakes.append(f'{where}: "{command}" ends with {code}:\n{output}')
    return output


# ---- what is printed ----

NUMBER = re.compile(r'(?<![\w.])[-+]?\d+(?:\.\d+)?(?:e[-+]?\d+)?(?![\w.]*\w)')


def alike(shown, printed):
    """The same words, and numbers that agree but for their last digits. Of a verdict the size of the error counts."""
    if NUMBER.sub('#', shown).split() != NUMBER.sub('#', printed).split():
        return False
    for k, (a, b) in enumerate(zip(NUMBER.findall(shown), NUMBER.findall(printed))):
        digits = len(re.sub(r'^0+|e.*|\D', '', a.lstrip('+-')))
        a, b = float(a), float(b)
        if shown.startswith('asked') and k > 0:
            if not 0.1 <= b / a <= 10:
                return False
        elif abs(a - b) > max(2 * abs(a) * 10.0 ** (1 - digits), 1e-9):
            return False
    return True


def compare(where, command, shown, printed):
    """Lines that are shown come in their order; lines between them are left out only where `...` says so."""
    lines, at, free = printed.splitlines(), 0, False
    for line in shown:
        if line.strip() == '...':
            free = True
            continue
        found = next((i for i in range(at, len(lines)) if alike(line, lines[i])), None)
        if found is None or (found != at and not free):
            mistakes.append(f'{where}: "{command}" does not print "{line.strip()}" there, but:\n{printed}')
            return
        at, free = found + 1, False
    if at < len(lines) and shown and not free:
        mistakes.append(f'{where}: "{command}" prints more than is shown:\n' + '\n'.join(lines[at:]))


def check_block(where, text):
    """A block with `$ command` shows what is printed; others are commands alone, with comments behind #."""
    lines = text.replace('\\\n', ' ').splitlines()
    if any(line.startswith('$ ') for line in lines):
        session = re.split(r'^\$ ', '\n'.join(lines), flags=re.M)[1:]
        for part in session:
            command, *shown = part.rstrip('\n').split('\n')
            compare(where, command, shown, run(where, command))
    else:
        for line in lines:
            command = re.sub(r'(^|\s+)#.*', '', line).strip()
            if command:
                run(where, command)


def blocks(text):
    """The language (None: indented) and the text of each block."""
    for m in re.finditer(r'^```(\w*)\n(.*?)^```$|(?<=\n\n)((?: {4}[^\n]*\n)+)(?=\n|\Z)', text, flags=re.S | re.M):
        yield (None, re.sub(r'^ {4}', '', m.group(3), flags=re.M)) if m.group(3) else (m.group(1), m.group(2))


def check_synopsis(where, text):
    """Every subcommand is there with the options that its help lists, but for those that all models have."""
    commands = re.findall(r'^cardan (\w+) (.*(?:\n +.*)*)', text, flags=re.M)
    help_page = subprocess.run([program, '--help'], capture_output=True, text=True).stdout
    listed = re.findall(r'^  (\w+) ', help_page.split('commands')[1].split('examples')[0], flags=re.M)
    for name in sorted(set(listed) - {'help', 'completion'} - {name for name, _ in commands}):
        mistakes.append(f'{where}: the synopsis lacks cardan {name}')
    pages = {name: subprocess.run([program, name, '--help'], capture_output=True, text=True).stdout for name, _ in commands}
    options = {name: set(re.findall(r'^  (?:-\w, )?(--[\w-]+)', own, flags=re.M)) for name, own in pages.items()}
    common = options['info'] & options['eval'] & options['speed'] - {'--json'} | {'--control', '--quiet', '--help'}
    for name, own in pages.items():
        shown = set(re.findall(r'(?<![\w-])--?[a-z][\w-]*', ' '.join(rest for other, rest in commands if other == name)))
        shown = {'--output' if option == '-o' else option for option in shown}
        for option in sorted(shown - options[name]):
            mistakes.append(f'{where}: cardan {name} --help has no {option}')
        for option in sorted(options[name] - common - shown):
            mistakes.append(f'{where}: the synopsis of cardan {name} lacks {option}')


def is_commands(language, text):
    return language in ('sh', 'console') or bool(re.match(r'(\$ )?(\./run|cardan [a-z]+ [\w./-]*\w\.(xml|urdf))', text))


for language, text in blocks((root / 'README.md').read_text()):
    if is_commands(language, text):
        check_block('README.md', text)

    if language == 'c' and text != (root / 'examples/pendulum.c').read_text():
        mistakes.append('README.md and examples/pendulum.c differ: copy the program over')

def check_program(where, number, text, compiler='cc -std=c17', suffix='c'):
    """A program ends without an error. One that shows something until it is stopped is only compiled."""
    source, built = folder / f'program{number}.{suffix}', folder / f'program{number}'
    source.write_text(text)
    run(where, f'{compiler} -Wall -Wno-unused -Werror {source} $(pkg-config --cflags --libs cardan) -lm -o {built}')
    if built.exists() and 'cdn_view_run' not in text:
        run(where, str(built))


def check_index(pages):
    listed = re.findall(r'^\| [^|]*\[[^\]]+\]\(([\w/-]+\.md)\)', (root / 'docs/README.md').read_text(), flags=re.M)
    for name in sorted(set(pages) - set(listed)):
        mistakes.append(f'docs/README.md: {name} is missing: add a line to the table of its part')
    for name in sorted(set(listed) - set(pages) | {name for name in listed if listed.count(name) > 1}):
        mistakes.append(f'docs/README.md: {name} is listed, and is no page, or is listed twice')


pages = sorted((root / 'docs').rglob('*.md'))
check_index([str(path.relative_to(root / 'docs')) for path in pages if path.name != 'README.md'])
programs = 0
for path in pages:
    where, found = str(path.relative_to(root)), list(blocks(path.read_text()))
    for language, text in found:
        if language == 'c' and re.search(r'^int main\(', text, flags=re.M):
            programs += 1
            check_program(where, programs, text)
        if language == 'cpp' and re.search(r'^int main\(', text, flags=re.M):
            programs += 1
            check_program(where, programs, text, 'c++ -std=c++17', 'cpp')
    if path.name == 'command.md':
        check_synopsis(where, found[0][1])
        continue
    for language, text in found if path.name == 'tutorial.md' else found[:1]:
        if is_commands(language, text):
            check_block(where, text)
    if path.name == 'coming_from.md':
        for number, text in enumerate(text for language, text in found if language == 'c'):
            source = folder / f'block{number}.c'
            source.write_text('#include <cardan/cardan.h>\n#include <stdio.h>\nint main(void) {\n' + text + 'return 0;\n}\n')
            run(where, f'cc -std=c17 -Wall -Wno-unused -Werror -fsyntax-only $(pkg-config --cflags cardan) {source}')

shutil.rmtree(folder)
print('\n'.join(mistakes) or 'commands of documents run as they are printed')
sys.exit(1 if mistakes else 0)
