"""Runs programs as somebody who types them one after the other. Reads each as a line of JSON; answers with a line: what
was printed, and how it failed or null. A program without `import cardan` goes on with the names of the one before."""
import contextlib
import io
import json
import re
import sys
import traceback

names = {}
for number, line in enumerate(sys.stdin):
    text = json.loads(line)
    if re.search(r'^import cardan', text, flags=re.M): names = {'__name__': '__main__'}
    printed, failure = io.StringIO(), None
    try:
        with contextlib.redirect_stdout(printed): exec(compile(text, f'block {number + 1}', 'exec'), names)
    except Exception: failure = traceback.format_exc(limit=-2)
    print(json.dumps([printed.getvalue(), failure]), flush=True)
