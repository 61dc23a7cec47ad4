"""site.py SOURCE_ROOT FOLDER [CARDAN]: the documents as pages that a browser reads from files, in FOLDER/html.

The pages are docs/*.md, the reference of every header, made of its comments, and, if a command is named, models of
examples/ that move. Sphinx makes the pages, with MyST for Markdown. Its warnings are errors: a link that leads nowhere
stops it.
"""
import html
import pathlib
import re
import shutil
import subprocess
import sys

root, folder = pathlib.Path(sys.argv[1]).resolve(), pathlib.Path(sys.argv[2]).resolve()
cardan = pathlib.Path(sys.argv[3]).resolve() if len(sys.argv) > 3 else None
sys.path.insert(0, str(root / 'tools'))
import headers
import python_reference

source = folder / 'source'
MOVING = ['walker.xml', 'quadruped.xml']


def take(names):
    """Files of the repository, where they are in it: links from page to page stay as they are."""
    for name in names:
        (source / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(root / name, source / name)


def sources():
    listed = subprocess.run(['git', 'ls-files', '-co', '--exclude-standard'], cwd=root, capture_output=True, text=True).stdout.split('\n')
    listed = listed if len(listed) > 1 else [str(p.relative_to(root)) for p in root.rglob('*') if p.is_file()]
    wanted = re.compile(r'(docs/.*\.(md|svg|png|gif)|README\.md|CHANGELOG\.md|CONTRIBUTING\.md|LICENSE)$')
    return [name for name in listed if wanted.match(name) and (root / name).exists()]


# ---- links to what is no page

def without_foreign_links(text, page):
    """Links to sources, which the site does not have, become their names."""
    def replace(m):
        words, target = m.group(1), m.group(2)
        if re.match(r'[a-z]+:|#', target): return m.group()
        place = (source / page).parent / target.split('#')[0]
        return m.group() if place.exists() else words
    text = re.sub(r'^```rooms$', '```text', text, flags=re.M)
    return re.sub(r'(?<!!)\[([^\]\n]*(?:\n[^\]\n]*)?)\]\(([^)\s]+)\)', replace, text)


# ---- the reference

FUNCTIONS = set(headers.read(root).public)


def prose(doc):
    """A comment of a header as Markdown: names of functions are links, what could be markup is not."""
    def plain(text): return re.sub(r'([*_<>\\\[\]|#$`])', r'\\\1', text)

    def part(text):
        if re.fullmatch(r'`[^`]+`', text): return text
        return re.sub(r'cdn(?:\\_\w+)+(?:\(\))?', lambda m: linked(m.group()), plain(text))

    def linked(text):
        name = text.replace('\\', '').removesuffix('()')
        return f'{{c:func}}`{name}`' if name in FUNCTIONS else text

    return ''.join(part(text) for text in re.split(r'(`[^`\n]+`)', doc))


def directive(kind, declaration, doc):
    return f'```{{c:{kind}}} {declaration}\n\n{prose(doc)}\n```\n'


def reference_of(name, items):
    text = (root / 'include/cardan' / name).read_text()
    intro = re.match(r'/\*(.*?)\*/', text, flags=re.S).group(1)
    intro = re.sub(r'\n \*', '\n', intro).split('I want to')[0].strip()
    out = [f'# {name}\n', f'`#include <cardan/{name}>`\n', prose(re.sub(r'\n ', '\n', intro)) + '\n']
    for item in items:
        if item.behind: continue
        if item.kind == 'function':
            out.append(directive('function', item.text.rstrip(';'), item.doc))
        elif item.kind == 'callback':
            out.append(directive('type', item.text.rstrip(';').replace('typedef ', '', 1), item.doc))
        elif item.kind in ('struct', 'handle') or (item.kind == 'enum' and not item.name.startswith('enum ')):
            kind = 'struct' if item.kind != 'enum' else 'enum'
            out.append(directive(kind, item.name, item.doc))
            if item.members:
                out.append('| ' + ('member | type' if kind == 'struct' else 'constant | value') + ' | |\n|---|---|---|')
                for m in item.members:
                    lengths = ''.join(f'[{n}]' for n in m.lengths)
                    out.append(f'| `{m.name}{lengths}` | `{m.type.replace("|", "or")}` | {prose(m.doc)} |')
                out.append('')
        elif item.kind == 'enum':
            out += [f'| constant | value | |\n|---|---|---|'] + [f'| `{m.name}` | `{m.type}` | {prose(m.doc)} |' for m in item.members] + ['']
        elif item.kind == 'constant':
            out.append(directive('var', f'{item.returns} {item.name}', item.doc))
        elif item.kind == 'number' and item.doc:
            out.append(directive('macro', item.name, f'{item.returns}: {item.doc}'))
    return '\n'.join(out)


def reference():
    (source / 'reference').mkdir()
    reading = headers.read(root)
    for name, items in reading.headers.items():
        if name in ('cardan.h', 'core.h'): continue
        (source / 'reference' / name.replace('.h', '.md')).write_text(reference_of(name, items))
    names = sorted(n.replace('.h', '') for n in reading.headers if n not in ('cardan.h', 'core.h'))
    (source / 'reference/index.md').write_text(
        '# Reference\n\nOne page for each header, and one for the Python package. [All functions](../docs/functions.md) lists '
        'what each function is for.\n\n```{toctree}\n:maxdepth: 1\npython\n' + '\n'.join(names) + '\n```\n')
    (source / 'reference/python.md').write_text(python_reference.page(root, prose))


# ---- models that move

def moving(place):
    """Pages of the viewer in files, one for each model; returns the models."""
    place.mkdir(parents=True)
    for model in MOVING:
        table = folder / 'run.csv'
        run = lambda *command: subprocess.run([cardan, *command], check=True, capture_output=True, cwd=root)
        path = pathlib.Path('examples/models') / model  # pages show it
        run('simulate', path, '--duration', '3', '--report', '0.02', '--no-companion', '--quiet', '-o', table)
        try: run('view', path, table, '--html', place / model.replace('.xml', '.html'), '--quiet')
        except subprocess.CalledProcessError: return [] # there is no page of the viewer
    return MOVING


def moving_page(pages):
    frames = '\n'.join(f'## {p}\n\n```{{raw}} html\n<iframe src="moving/{html.escape(p.replace(".xml", ".html"))}" '
                       'style="width:100%;height:32rem;border:0" loading="lazy"></iframe>\n```\n' for p in pages)
    (source / 'moving.md').write_text('# Models that move\n\nEach frame is a page of the viewer in a file: turn it, '
                                      'stop it, look at its curves.\n\n' + frames)


# ---- the whole

PARTS = re.compile(r'^### (.*)$', flags=re.M)


def add_chapters(page, names):
    """Pages of a folder named after a page are its chapters."""
    with open(source / 'docs' / (page + '.md'), 'a', encoding='utf-8') as file:
        print('\n```{toctree}\n:hidden:\n' + '\n'.join(names) + '\n```', file=file)


def index(pages):
    """The parts of docs/README.md are those of the site."""
    text = (root / 'docs/README.md').read_text()
    use, proofs = text.split('## Pages of evidence')
    parts = PARTS.split(use)[1:] + ['Evidence', proofs]
    trees = []
    for title, table in zip(parts[::2], parts[1::2]):
        names = re.findall(r'^\| [^|]*\[[^\]]+\]\(([\w/-]+)\.md\)', table, flags=re.M)
        chapters = [n for n in names if n.split('/')[0] in names and '/' in n]
        for page in {n.split('/')[0] for n in chapters}: add_chapters(page, [n for n in chapters if n.startswith(page + '/')])
        names = [n for n in names if n not in chapters]
        trees.append(f'```{{toctree}}\n:caption: {title}\n:maxdepth: 1\n' + '\n'.join(f'docs/{n}' for n in names) + '\n```\n')
    more = ['README', 'CHANGELOG', 'CONTRIBUTING', 'docs/README']
    (source / 'index.md').write_text(
        '# Cardan\n\nSimulation of jointed bodies in internal coordinates, under error control.\n\n'
        + ('See [models that move](moving.md). ' if pages else '')
        + 'Begin with [twenty minutes](docs/tutorial.md), an hour [in C](docs/tutorial_c.md) or '
        '[in Python](docs/tutorial_python.md), or [look a word up](docs/words.md).\n\n' + '\n'.join(trees)
        + '```{toctree}\n:caption: Reference\n:maxdepth: 1\nreference/index\n' + ('moving\n' if pages else '') + '```\n\n'
        + '```{toctree}\n:caption: The project\n:maxdepth: 1\n' + '\n'.join(more) + '\n```\n')


CONF = '''
project, copyright, html_title = 'Cardan', '2026, the Cardan developers', 'Cardan'
extensions, html_theme = ['myst_parser'], 'furo'
myst_heading_anchors, myst_enable_extensions = 4, ['html_image']
html_copy_source = html_show_sourcelink = False
html_static_path, html_css_files = ['static'], ['cardan.css']
suppress_warnings = ['myst.header', 'toc.excluded']
'''

# Room for the 120 columns of code; what programs print stands upright.
CSS = '''
.content { width: 58em; max-width: 100%; }
.content pre { font-size: 12.5px; }
.highlight .go { font-style: normal; }
'''


def main():
    shutil.rmtree(folder, ignore_errors=True)
    source.mkdir(parents=True)
    names = sources()
    take(names)
    for name in names:
        if name.endswith('.md'):
            (source / name).write_text(without_foreign_links((source / name).read_text(), name))
    reference()
    pages = moving(folder / 'html/moving') if cardan else []
    if pages: moving_page(pages)
    index(pages)
    (source / 'conf.py').write_text(CONF)
    (source / 'static').mkdir()
    (source / 'static/cardan.css').write_text(CSS)
    done = subprocess.run(['sphinx-build', '-q', '-W', '--keep-going', '-j', '2', '-b', 'html', source, folder / 'html'])
    if done.returncode: sys.exit('site.py: Sphinx found something wrong: see above')
    print(f'{folder / "html/index.html"}')


main()
