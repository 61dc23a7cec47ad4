"""Halves and doubles constants, one at a time, and runs the problems that read them."""
import concurrent.futures
import json
import os
import re
import subprocess
import tempfile

import problems
import report

NUMBER = re.compile(r'-?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?')
TIME_LIMIT = 30  # s, of one run


class Problem:
    def __init__(self, name, argv):
        self.name, self.argv = name, argv


def all_problems(root, build, scratch):
    models = os.path.join(root, 'examples', 'models')
    found = []
    for problem, method, accuracy in problems.RUNS:
        truth = os.path.join(scratch, problem + '.truth')
        found.append(Problem(f'{problem}, {method}, {accuracy}',
                             [os.path.join(build, 'accuracy', 'one_run'), problem, method, accuracy, truth]))
    for name, text in problems.COMMANDS:
        words = text.split()
        more = ['--quiet', '--report', '0.1', '-o', '-'] if words[0] == 'simulate' else []
        found.append(Problem(name, [os.path.join(build, 'apps', 'cardan', 'cardan'), words[0],
                                    os.path.join(models, words[1])] + words[2:] + more))
    for name in problems.EXAMPLES:
        found.append(Problem('example ' + name, [os.path.join(build, 'examples', name)]))
    return found


class Outcome:
    """Of one run: what it printed, its exit status, the blocks that it took, the constants that it read."""

    def __init__(self, root, problem, constant=None, factor=None):
        handle, count = tempfile.mkstemp()
        os.close(handle)
        environment = dict(os.environ, CARDAN_COUNTED=count, CARDAN_SOURCE_ROOT=root, OPENBLAS_NUM_THREADS='1')
        if constant is not None:
            environment['CARDAN_SCALED'] = f'{constant}:{factor}'
        before = os.times()
        try:
            done = subprocess.run(problem.argv, env=environment, cwd=root, capture_output=True, text=True,
                                  timeout=TIME_LIMIT)
            self.status, self.text = done.returncode, done.stdout
        except subprocess.TimeoutExpired:
            self.status, self.text = 'time', ''
        after = os.times()
        self.seconds = after.elapsed - before.elapsed
        self.blocks, self.read = 0, set()
        with open(count, encoding='ascii') as f:
            for line in f:
                words = line.split()
                self.blocks += int(words[0])
                self.read.update(int(w) for w in words[1:])
        os.unlink(count)

    @property
    def numbers(self):
        return [float(x) for x in NUMBER.findall(self.text)]

    @property
    def error(self):
        """From the truth, of one_run; else None."""
        found = re.match(r'\w+, reached \S+, error ([-+.\de]+|nan|inf)', self.text)
        return float(found.group(1)) if found else None


def apart(a, b):
    return abs(a - b) / max(abs(a), abs(b), 1e-6)


class Baseline:
    def __init__(self, root, problem):
        if not os.path.exists(problem.argv[-1]):
            Outcome(root, problem)  # finds the truth
        self.problem, self.first, self.again = problem, Outcome(root, problem), Outcome(root, problem)
        self.steady = abs(self.first.blocks - self.again.blocks) < 1e-3 * self.first.blocks
        # times and what threads change are no results
        self.ignored = {i for i, (x, y) in enumerate(zip(self.first.numbers, self.again.numbers)) if x != y}

    def compare(self, other):
        """Ratio of costs; ratio of errors or None; largest relative change of what is printed; whether it failed."""
        first = self.first
        cost = other.blocks / first.blocks if self.steady and other.blocks else None
        failed = other.status != first.status
        if first.error is not None:
            least = 0.01 * float(self.problem.argv[3])  # smaller errors are nothing
            ratio = None if failed or other.error is None else max(other.error, least) / max(first.error, least)
            return cost, ratio, None, failed
        x, y = first.numbers, other.numbers
        if failed or len(x) != len(y):
            return cost, None, None if failed else 1.0, failed
        changes = [apart(a, b) for i, (a, b) in enumerate(zip(x, y)) if i not in self.ignored]
        return cost, None, max(changes or [0]), False


def run(root, build, count, budget, workers, only=None):
    """Sweeps constants 0 ... count - 1; {constant: {'problems': n, '0.5': rows, '2': rows}}. A constant may take
    so many blocks, by what its problems take as they are; the cheapest ones run first, three at least."""
    os.nice(10)
    scratch = os.path.join(build, 'truths')
    os.makedirs(scratch, exist_ok=True)
    with concurrent.futures.ThreadPoolExecutor(workers) as pool:
        baselines = list(pool.map(lambda p: Baseline(root, p), all_problems(root, build, scratch)))
        for b in baselines:
            print(f'{b.problem.name}: {b.first.blocks / 1e6:.1f} million blocks, {b.first.seconds:.2f} s, '
                  f'{len(b.first.read)} constants, status {b.first.status}' + ('' if b.steady else ', unsteady'),
                  flush=True)
        found = {}

        def one(constant):
            readers = sorted((b for b in baselines if constant in b.first.read), key=lambda b: b.first.blocks)
            result, spent = {'problems': len(readers), '0.5': [], '2': [], 'ran': 0}, 0
            for b in readers:
                spent += 2 * b.first.blocks
                if spent > budget and result['ran'] >= 3:
                    break
                result['ran'] += 1
                for factor in ('0.5', '2'):
                    result[factor].append([b.problem.name, *b.compare(Outcome(root, b.problem, constant, factor))])
            return constant, result

        wanted = range(count) if only is None else only
        for done, (constant, result) in enumerate(pool.map(one, wanted)):
            found[constant] = result
            if done % 20 == 19:
                print(f'{done + 1} constants', flush=True)
        return found


def save(found, keys, path):
    """One line a constant. Constants that were not swept this time keep their lines."""
    with open(path, encoding='utf-8') as f:
        known = {tuple(key): row for key, row in json.load(f)}
    for i, row in found.items():
        sides = {factor: report.condense(row[factor]) for factor in ('0.5', '2')}
        known[tuple(keys[i])] = {'problems': row['problems'], 'ran': row['ran'], **sides}
    rows = [json.dumps([key, known[tuple(key)]]) for key in keys if tuple(key) in known]
    with open(path, 'w', encoding='utf-8') as f:
        f.write('[\n' + ',\n'.join(rows) + '\n]\n')
