#!/usr/bin/env python3
"""Fits the power of a GPU to measured serving runs, and scores it.

    tools/power_fit.py [--write] [FILE]
    tools/power_fit.py --scored

Each run of FILE (bench_data/serving/ml-energy-power.csv) is simulated by
`stepcost run`, which tells the share of time that its bytes and FLOP take at
the peak rates. The coefficients of keys/power.h are fitted to the measured
watts. Results have simulated times, which are shorter than measured ones, so
the fit is at the measured times over the median of how much longer they were;
runs that took FAR_OFF times as long or longer are not fitted, because they
waited for a host. The score leaves out one model after the other, and predicts
its power and the energy of a token at the simulated time: of all its runs. --write replaces etc/power.csv, and bench_data/accuracy/power.csv: the
errors of models left out, from which results have support and intervals of
energy. `stepcost` is on the PATH, and STEPCOST_DATA_PATH is set. --scored
simulates nothing, and sums that file up by GPU and model.
"""
import csv
import json
import os
import re
import statistics
import subprocess
import sys

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), '..')
LIMIT_W = {'h100-sxm': 700, 'b200-sxm': 1000}
P = [0.5, 0.8, 1.0, 1.3]
Q = [0.15, 0.22, 0.34, 0.5, 0.8]
REPEATS = 7
FAR_OFF = 2.5
ERRORS = os.path.join(ROOT, 'bench_data', 'accuracy', 'power.csv')
COLUMNS = ('plugin,version,preset,tables,source_row,gpu_family,model_class,weight_format,kv_format,tp,ep,pp,engine,'
           'computed_share,input_tokens,output_tokens,load,saturated,metric,measured_ms,predicted_ms,fold,left_out,'
           'n_params,engine_keys,loading').split(',')


def model_names():
    """The name of a model here, by the name of its publisher."""
    names, section = {}, ''
    with open(os.path.join(ROOT, 'etc', 'measured.ini'), encoding='utf-8') as f:
        for line in f:
            head = re.match(r'\[(\w+)\]', line)
            section = head.group(1) if head else section
            if section == 'model' and '=' in line and not line.startswith(';'):
                key, value = line.split('=', 1)
                names[key.strip().lower()] = value.strip()
    return names


def described(name):
    """Class, format and number of parameters of a model, as trust/place.c has them."""
    got = subprocess.run(['stepcost', 'model', 'show', name, '--format', 'json'], capture_output=True, text=True,
                         check=True)
    facts = json.loads(got.stdout)
    attention = {g['attention'] for g in facts['groups']}
    most = max(facts['groups'], key=lambda g: g['layers'])
    bits = most['expert_bits'] or most['ffn_bits'] or most['attention_bits']
    kind = ('linear' if 'linear' in attention else 'mla' if 'mla' in attention else
            'moe' if any(g['experts'] for g in facts['groups']) else
            'dense' if attention <= {'full', 'window', 'chunk'} else 'hybrid')
    weights = ('bf16' if bits > 9 else 'fp8_block' if bits > 8.0005 else 'fp8' if bits > 7 else
               'nvfp4' if bits > 4.4 else 'mxfp4')
    return {'model_class': kind, 'weight_format': weights, 'kv_format': facts['kv_format'],
            'n_params': facts['parameters']}


def simulate(row, name):
    gpus = int(row['gpu_count'])
    running = max(1, round(float(row['running'])))
    prompt = 1500 if 'fim' in row['workload'] else 300
    experts = int(row['expert_parallel_size']) > 1
    keys = {
        'model.config': name, 'hardware.config': row['gpu'],
        'engine.preset': 'vllm-0.15', 'engine.max_num_seqs': max(running, 8),
        'engine.tensor_parallel_size': gpus // int(row['data_parallel_size']),
        'engine.data_parallel_size': row['data_parallel_size'],
        'engine.enable_expert_parallel': 'true' if experts else 'false',
        'engine.memory_check': 'off', 'engine.num_gpu_blocks': 'unlimited',
        'workload.num_requests': running, 'workload.concurrency': running,
        'workload.input_tokens': prompt,
        'workload.output_tokens': max(2, min(600, round(float(row['output_tokens'])))),
    }
    command = ['stepcost', 'run', os.path.join(ROOT, 'etc', 'published.ini'), '--format', 'json', '--quiet']
    for key, value in keys.items():
        command += ['--set', f'{key}={value}']
    got = subprocess.run(command, capture_output=True, text=True, check=False)
    if got.returncode:
        return None, got.stderr.strip()
    return json.loads(got.stdout), ''


def find(document, key):
    """The first value of that key, wherever it is."""
    if isinstance(document, dict):
        if key in document and isinstance(document[key], (int, float)):
            return document[key]
        document = list(document.values())
    if isinstance(document, list):
        for x in document:
            value = find(x, key)
            if value is not None:
                return value
    return None


def place(row, name, document, known):
    """The columns of a row that name the model, the split and the load."""
    if name not in known:
        known[name] = described(name)
    split, load = document['simulated'], document['simulated']['workload']
    return {**known[name], 'source_row': row['id'], 'gpu_family': row['gpu'].split('-')[0].upper(),
            'tp': split['tensor_parallel_size'], 'ep': split['expert_parallel_size'], 'pp': 1, 'engine': 'vllm',
            'computed_share': 1, 'input_tokens': load['input_tokens'], 'output_tokens': load['output_tokens'],
            'load': f"{find(document, 'scheduled_sequences') / find(document, 'num_steps'):.6g}",
            'saturated': 0, 'fold': row['model'], 'left_out': 'model', 'loading': 'loop'}


def read(path):
    runs, names, refused, known = [], model_names(), 0, {}
    with open(path, encoding='utf-8') as f:
        for row in csv.DictReader(f):
            name = names.get(row['model'].lower())
            document, why = simulate(row, name) if name else (None, 'unknown model')
            memory = find(document, 'memory_utilization')
            tpot = find(document, 'mean_tpot_ms')
            if memory is None or not tpot:
                refused += 1
                print(f"# {row['id']} {row['model']}: {why}", file=sys.stderr)
                continue
            measured_ms = 1000 * float(row['running']) / float(row['output_throughput'])
            runs.append({'model': row['model'], 'gpu': row['gpu'], 'longer': measured_ms / tpot,
                         'memory': memory, 'compute': find(document, 'compute_utilization'),
                         'watts': float(row['power_w']) / int(row['gpu_count']),
                         'joules': float(row['power_w']) / float(row['output_throughput']),
                         'gpu_s': find(document, 'energy_per_token_j') / find(document, 'gpu_power_w'),
                         'place': place(row, name, document, known)})
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
            row = {**r['place'], 'plugin': 'power', 'version': version, 'metric': metric,
                   'measured_ms': f'{measured:.6g}', 'predicted_ms': f'{predicted:.6g}'}
            yield ','.join(str(row.get(c, '')) for c in COLUMNS)


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
    served = [r for r in all_runs if r['longer'] < FAR_OFF]
    usual = statistics.median(r['longer'] for r in served)
    runs = [{**r, 'memory': r['memory'] * usual / r['longer'], 'compute': r['compute'] * usual / r['longer']}
            for r in served]
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
    lines, rows = ['gpu,limit_w,a,b,p,c,q,error,source'], [','.join(COLUMNS)]
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
    for path, text in ((os.path.join(ROOT, 'etc', 'power.csv'), lines), (ERRORS, rows)):
        with open(path, 'w', encoding='utf-8') as f:
            f.write('\n'.join(text) + '\n')


if __name__ == '__main__':
    main()
