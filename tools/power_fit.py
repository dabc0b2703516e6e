#!/usr/bin/env python3
"""Fits the power of a GPU to measured serving runs, and scores it.

    tools/power_fit.py [--write] [FILE]
    tools/power_fit.py --scored

FILE (bench_data/serving/ml-energy-power.csv) has the power of the runs of
ml-energy.csv. `stepcost validate` simulates these as they were served, and
tells the share of time that bytes and FLOP take at the peak rates. The
coefficients of keys/power.h are fitted to the measured watts. Runs that took
FAR_OFF times as long as simulated or longer are not fitted, because they waited
for a host. The score leaves out one model after the other, and predicts power
and energy of a token of all its runs. --write replaces etc/power.csv, and
bench_data/accuracy/power.csv: the errors of models left out, from which results
have support and intervals of energy. `stepcost` is on the PATH, and
STEPCOST_DATA_PATH is set. --scored simulates nothing, and sums that file up by
GPU and model.
"""
import csv
import os
import statistics
import subprocess
import sys
import tempfile

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), '..')
LIMIT_W = {'h100-sxm': 700, 'b200-sxm': 1000}
P = [0.5, 0.8, 1.0, 1.3]
Q = [0.15, 0.22, 0.34, 0.5, 0.8]
REPEATS = 7
FAR_OFF = 2
ERRORS = os.path.join(ROOT, 'bench_data', 'accuracy', 'power.csv')
RUNS = os.path.join(ROOT, 'bench_data', 'serving', 'ml-energy.csv')


def simulate():
    """Rows of `validate` and of its errors in the time of a token, by id."""
    with tempfile.TemporaryDirectory() as folder:
        rows, errors = os.path.join(folder, 'rows.csv'), os.path.join(folder, 'errors.csv')
        subprocess.run(['stepcost', 'validate', 'published', '--quiet', '--measured', RUNS, '--arms', 'operators',
                        '--rows', rows, '--write-errors', errors], stdout=subprocess.DEVNULL, check=True)
        with open(rows, encoding='utf-8') as f:
            predicted = {row['id']: row for row in csv.DictReader(f) if row['gpu_power_w']}
        with open(errors, encoding='utf-8') as f:
            places = {row['source_row']: row for row in csv.DictReader(f) if row['metric'] == 'mean_tpot_ms'}
    return predicted, places


def read(path):
    """The measured runs that are simulated, and how many are not."""
    predicted, places = simulate()
    runs, refused = [], 0
    with open(path, encoding='utf-8') as f:
        for row in csv.DictReader(f):
            said = predicted.get(row['id'])
            if not said:
                refused += 1
                print(f"# {row['id']} {row['model']}: not simulated", file=sys.stderr)
                continue
            runs.append({'model': row['model'], 'gpu': row['gpu'],
                         'longer': float(said['measured_mean_tpot_ms']) / float(said['mean_tpot_ms']),
                         'memory': float(said['memory_utilization']), 'compute': float(said['compute_utilization']),
                         'watts': float(row['power_w']) / int(row['gpu_count']),
                         'joules': float(row['power_w']) / float(row['output_throughput']),
                         'gpu_s': float(said['energy_per_token_j']) / float(said['gpu_power_w']),
                         'place': places[row['id']]})
    return runs, refused


def solve(rows, n):
    """Least squares with n unknowns by elimination; rows: (x, y)."""
    m = [[sum(x[i] * x[j] for x, _ in rows) + (1e-9 if i == j else 0) for j in range(n)] +
         [sum(x[i] * y for x, y in rows)] for i in range(n)]
    for i in range(n):
        for j in range(n):
            if j != i:
                factor = m[j][i] / m[i][i]
                m[j] = [a - factor * b for a, b in zip(m[j], m[i])]
    return [m[i][n] / m[i][i] for i in range(n)]


def watts(law, limit, memory, compute):
    a, b, p, c, q = law
    return limit * min(1, a + b * memory**p + c * compute**q)


def errors(law, limit, runs):
    """Relative errors of the watts at the simulated time of a token."""
    return [abs(watts(law, limit, r['memory'], r['compute']) / r['watts'] - 1) for r in runs]


def energy_errors(law, limit, runs):
    """Relative errors of the energy of a token, simulated: watts of that law times GPU seconds of a token."""
    return [abs(watts(law, limit, r['memory'], r['compute']) * r['gpu_s'] / r['joules'] - 1) for r in runs]


def scored(version, law, limit, runs):
    """Rows of errors of a model that the law did not see."""
    for r in runs:
        power = watts(law, limit, r['memory'], r['compute'])
        for metric, measured, predicted in (('gpu_power_w', r['watts'], power),
                                            ('energy_per_token_j', r['joules'], power * r['gpu_s'])):
            yield {**r['place'], 'plugin': 'power', 'version': version, 'preset': '', 'tables': '', 'engine_keys': '',
                   'metric': metric, 'measured_ms': f'{measured:.6g}', 'predicted_ms': f'{predicted:.6g}',
                   'fold': r['model'], 'left_out': 'model'}


def fit_terms(runs, limit, p, q, terms):
    """Least absolute relative errors, by least squares with weights that are repeated."""
    weight = [1] * len(runs)
    for _ in range(REPEATS):
        rows = []
        for r, w in zip(runs, weight):
            memory, compute = r['memory'], r['compute']
            x = [limit / r['watts'], limit * memory**p / r['watts'], limit * compute**q / r['watts']]
            rows.append(([w**0.5 * x[t] for t in terms], w**0.5))
        found = [0, 0, 0]
        for t, v in zip(terms, solve(rows, len(terms))):
            found[t] = v
        law = (found[0], found[1], p, found[2], q)
        error = errors(law, limit, runs)
        weight = [1 / max(0.02, e) for e in error]
    return sum(error), law


def fit(all_runs, limit):
    """The coefficients with the least error of those that are not negative."""
    runs = [r for r in all_runs if r['longer'] < FAR_OFF]
    found = [fit_terms(runs, limit, p, q, terms) for p in P for q in Q
             for terms in ((0, 1, 2), (0, 2), (0, 1), (0,))]
    return min(x for x in found if min(x[1]) >= 0)[1]


def percent(errors_found):
    return f'{100 * statistics.mean(errors_found):5.1f} {100 * statistics.median(errors_found):5.1f}'


def score(here, limit, version):
    """One line of errors of models left out, and their rows."""
    power, near, energy, constant, rows = [], [], [], [], []
    for model in sorted({r['model'] for r in here}):
        others = [r for r in here if r['model'] != model]
        own = [r for r in here if r['model'] == model]
        without = fit(others, limit)
        power += errors(without, limit, own)
        near += errors(without, limit, [r for r in own if r['longer'] < FAR_OFF])
        energy += energy_errors(without, limit, own)
        middle = statistics.median(r['watts'] for r in others)
        constant += [abs(middle / r['watts'] - 1) for r in own]
        rows += scored(version, without, limit, own)
    line = '    '.join(percent(x) for x in (power, near, energy, constant))
    return line, statistics.mean(power), rows, len(near)


def scored_runs():
    """By GPU and model: of each run how far power and energy of a token were off, and how much longer it took."""
    runs, found = {}, {}
    with open(ERRORS, encoding='utf-8') as f:
        for row in csv.DictReader(f):
            key = row['gpu_family'], row['fold'], row['source_row']
            runs.setdefault(key, {})[row['metric']] = float(row['predicted_ms']) / float(row['measured_ms'])
    for (gpu, model, _), ratio in runs.items():
        power, energy = ratio['gpu_power_w'], ratio['energy_per_token_j']
        found.setdefault((gpu, model), []).append((abs(power - 1), abs(energy - 1), power / energy))
    return found


def show_scored():
    found = scored_runs()
    print('Errors of models that the fit left out, in %. Longer: times as long as simulated, median.')
    print('                                               runs longer       power      energy')
    for gpu in sorted({gpu for gpu, _ in found}):
        here = {model: x for (of, model), x in found.items() if of == gpu}
        every = [x for runs in here.values() for x in runs]
        right = [x for x in every if x[2] < FAR_OFF]
        groups = [('all', every), (f'less than {FAR_OFF} times as long', right)]
        groups += sorted(here.items(), key=lambda item: -statistics.mean(x[0] for x in item[1]))
        for name, runs in groups:
            power, energy, longer = zip(*runs)
            print(f'{gpu} {name.split("/")[-1]:41} {len(runs):4} {statistics.median(longer):6.2f} '
                  f'{percent(power)} {percent(energy)}')


def main():
    if '--scored' in sys.argv:
        show_scored()
        return
    words = [w for w in sys.argv[1:] if w != '--write']
    runs, refused = read(words[0] if words else os.path.join(ROOT, 'bench_data', 'serving', 'ml-energy-power.csv'))
    lines, rows = ['gpu,limit_w,a,b,p,c,q,error,source'], []
    print(f'{len(runs)} runs, {refused} not simulated')
    print('Error in % of models that the fit left out, mean and median: power, the same of runs that took')
    print(f'less than {FAR_OFF} times as long as simulated, energy of a token; power, if it is the median of the')
    print('other models.')
    print('GPU        runs models   power          not far off    energy         median power')
    for gpu in sorted({r['gpu'] for r in runs}):
        here, limit = [r for r in runs if r['gpu'] == gpu], LIMIT_W[gpu]
        coefficients = [f'{x:.4g}' for x in (limit, *fit(here, limit))]
        line, error, more, near = score(here, limit, ' '.join(coefficients))
        rows += more
        print(f"{gpu:10} {len(here):4} {len({r['model'] for r in here}):6}   {line}   ({near} runs)")
        lines.append(f'{gpu},' + ','.join(coefficients) + f',{error:.3f},ML.ENERGY leaderboard v3')
    if '--write' not in sys.argv:
        print('\n'.join(lines))
        return
    with open(os.path.join(ROOT, 'etc', 'power.csv'), 'w', encoding='utf-8') as f:
        f.write('\n'.join(lines) + '\n')
    with open(ERRORS, 'w', encoding='utf-8', newline='') as f:
        out = csv.DictWriter(f, rows[0], lineterminator='\n')
        out.writeheader()
        out.writerows(rows)


if __name__ == '__main__':
    main()
