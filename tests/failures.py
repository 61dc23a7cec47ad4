"""failures.py LOG: the last lines that each failed test of Meson's testlog.json printed."""
import json
import sys

LINES = 20

for line in open(sys.argv[1], encoding="utf-8"):
    test = json.loads(line)
    if test["result"] in ("OK", "EXPECTEDFAIL", "SKIP"):
        continue
    print(f"---- {test['name']}: {test['result']} after {test['duration']:.0f} s")
    printed = (test.get("stdout") or "").splitlines() + (test.get("stderr") or "").splitlines()
    print("\n".join(text[:300] for text in printed[-LINES:]))
