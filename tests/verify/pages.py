"""What a page of Markdown holds: its blocks, and whether what they show is what is printed."""
import re


class Block:
    """A block of code: its language (None: indented), its text, the line where the text begins, the file that the reader
    is told to save it as, and declarations that a comment above it gives."""

    def __init__(self, language, text, line, above):
        self.language, self.text, self.line = language, text, line
        said = re.search(r'\bas\s+`([\w./-]+\.\w+)`', above)
        self.file = said.group(1) if said and language is not None else None
        given = re.search(r'<!-- given: (.*?) -->$', above, flags=re.S)
        self.given = given.group(1) if given else ''

    def is_program(self):
        return self.language in ('c', 'cpp') and re.search(r'^int main\(', self.text, flags=re.M)

    def is_commands(self):
        """Indented blocks are run where they begin with a model of the repository: others stand for what readers have."""
        return self.language in ('sh', 'console') or self.language is None and bool(
            re.match(r'(\$ )?(\./run|cardan [a-z]+ +examples/[\w./-]*\w\.(xml|urdf))', self.text))


def blocks(text):
    found, above = [], 0
    for m in re.finditer(r'^```(\w*)\n(.*?)^```$|(?<=\n\n)((?: {4}[^\n]*\n)+)(?=\n|\Z)', text, flags=re.S | re.M):
        indented = m.group(3) is not None
        inside = re.sub(r'^ {4}', '', m.group(3), flags=re.M) if indented else m.group(2)
        line = text.count('\n', 0, m.start()) + (1 if indented else 2)
        found.append(Block(None if indented else m.group(1), inside, line, text[above:m.start()].rstrip().split('\n\n')[-1]))
        above = m.end()
    return found


# ---- what is printed

NUMBER = re.compile(r'(?<![\w.])[-+]?\d+(?:\.\d+)?(?:e[-+]?\d+)?(?![\w.]*\w)')


def tolerance(number):
    """Two units of the last digit that is shown, half a unit if there is but one. Counts may differ by 2 %."""
    mantissa, _, exponent = number.partition('e')
    decimals = len(mantissa.partition('.')[2])
    if not decimals and not exponent: return 0.02 * abs(float(number))
    return (2 if decimals else 0.5) * 10.0 ** (int(exponent or 0) - decimals)


def alike(shown, printed):
    """The same words, and numbers that agree within their tolerance, or 1e-9. `...` within a line stands for anything. Of a
    verdict the size of the error counts."""
    shown, printed = ' '.join(shown.split()), ' '.join(printed.split())
    words = [[re.escape(word) for word in NUMBER.split(part)] for part in shown.split('...')]
    found = re.fullmatch('.*?'.join(f'({NUMBER.pattern})'.join(part) for part in words), printed)
    if not found: return False
    verdict = shown.index('delivered') if shown.startswith('asked') or ' asked ' in shown else len(shown)
    for a, b in zip(NUMBER.finditer(shown), found.groups()):
        wanted, number = float(a.group()), float(b)
        if a.start() > verdict:
            if not 0.1 * abs(wanted) <= abs(number) <= 10 * abs(wanted):
                return False
        elif abs(wanted - number) > max(tolerance(a.group()), 1e-9):
            return False
    return True


def compare(shown, printed):
    """Lines that are shown come in their order; lines between them are left out only where `...` says so. Returns what is
    wrong, or None."""
    lines, at, free = printed.splitlines(), 0, False
    for line in shown:
        if line.strip() == '...':
            free = True
            continue
        likely = [i for i in range(at, len(lines)) if alike(line, lines[i])]
        found = next((i for i in likely if line.split() == lines[i].split()), likely[0] if likely else None)
        if found is None or (found != at and not free):
            return f'does not print "{line.strip()}" there, but:\n{printed}'
        at, free = found + 1, False
    if at < len(lines) and not free:
        return 'prints more than is shown:\n' + '\n'.join(lines[at:])
    return None
