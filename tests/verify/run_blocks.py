"""Reads a list of programs as JSON, and runs them in order. Writes a list of [what was printed, how it failed or null].
A program without `import cardan` goes on with the names of the one before."""
import contextlib
import io
import json
import re
import sys
import traceback

names, said = {}, []
for number, text in enumerate(json.load(sys.stdin)):
    if re.search(r'^import cardan', text, flags=re.M): names = {'__name__': '__main__'}
    printed, failure = io.StringIO(), None
    try:
        with contextlib.redirect_stdout(printed): exec(compile(text, f'block {number + 1}', 'exec'), names)
    except Exception: failure = traceback.format_exc(limit=-2)
    said.append([printed.getvalue(), failure])
json.dump(said, sys.stdout)
