"""failures.py LOG: what each failed test of Meson's testlog.json printed: lines that tell of a failure, and the last ones."""
import json
import re
import sys

LINES = 20
# Of Check, Node's tests, the sanitizers, Python and the scripts here.
TELLING = re.compile(r":[FE]:|✖|AssertionError|Error \[|ERROR: |runtime error:|Traceback|Segmentation fault|[Ff]ailed|fails")

for line in open(sys.argv[1], encoding="utf-8"):
    test = json.loads(line)
    if test["result"] in ("OK", "EXPECTEDFAIL", "SKIP"):
        continue
    print(f"---- {test['name']}: {test['result']} after {test['duration']:.0f} s")
    printed = (test.get("stdout") or "").splitlines() + (test.get("stderr") or "").splitlines()
    earlier = range(max(len(printed) - LINES, 0))
    # A line that tells, and what follows it: names of what differs stand there.
    telling = [i for i in earlier if TELLING.search(printed[i])][:LINES]
    shown = sorted({i + k for i in telling for k in range(4) if i + k in earlier})
    if shown:
        print("\n".join(printed[i][:300] for i in shown))
        print("...")
    print("\n".join(text[:300] for text in printed[-LINES:]))
