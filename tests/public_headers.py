"""The public headers as programs of the tests and docs/make_functions.py read them."""
import re


def parts(text):
    """What commas separate outside of parentheses."""
    found, depth, part = [], 0, ''
    for c in text:
        depth += (c == '(') - (c == ')')
        if c == ',' and depth == 0:
            found.append(part.strip())
            part = ''
        else:
            part += c
    return found + [part.strip()]


def expand(text):
    """The text of headers without the macros of base.h that declare pairs of functions (CDN_DEF, CDN_SIZED, ...): each
    is replaced by the exported function, and the inline one that calls it."""
    def pair(attribute, kind, name, parameters, sizes):
        inside = parameters[1:-1]
        return ('CDN_API %s %s_sized(%s, %s) %s;\nstatic inline %s %s %s(%s) { }' %
                (kind, name, inside, sizes, attribute, attribute, kind, name, inside))

    def replace(m):
        macro, a = m.group(1), parts(' '.join(m.group(2).split()))
        if macro == 'CDN_DEF':
            a += ['cdn_default_' + a[0], 'cdn_%s_init' % a[0]]
        if macro in ('CDN_DEF', 'CDN_DEF_PAIR'):
            return ('CDN_API void %s(void *def, size_t size);\nstatic inline cdn_%s %s(void) { }' % (a[2], a[0], a[1]))
        if macro == 'CDN_SIZED':
            return pair('CDN_NODISCARD', 'cdn_status', a[0], a[1], 'size_t struct_size')
        if macro == 'CDN_SIZED_VOID':
            return pair('', 'void', a[0], a[1], 'size_t struct_size')
        if macro == 'CDN_SIZED_VALUE':
            return ('CDN_API void %s_sized(%s, %s *out, size_t struct_size);\nstatic inline %s %s%s { }' %
                    (a[1], a[2][1:-1], a[0], a[0], a[1], a[2]))
        return pair(a[0], a[1], a[3], a[4], a[6][1:-1])

    return re.sub(r'^(CDN_DEF(?:_PAIR)?|CDN_SIZED\w*)\(((?:[^;])*)\);', replace, text, flags=re.M)


def defs(text):
    """Names (without cdn_) of the defs for which CDN_DEF declares the defaults."""
    return set(re.findall(r'^CDN_DEF\((\w+)\);', text, flags=re.M))
