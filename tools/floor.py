#!/usr/bin/env python3
"""Prices steps of every model on every GPU, and looks for prices that are faster
than the hardware.

Usage: floor.py [--sample]

It needs stepcost on the PATH.  Without --sample it prices some 60,000 steps,
which takes several minutes.  It prints a line for each plugin, and fails if a
price is below floor_us without a warning, or if a plugin that interpolates
measured kernels has any such price."""
import collections
import csv
import io
import os
import subprocess
import sys
import tempfile

TABLES = ['operators', 'latency_interp']
PLUGINS = TABLES + ['roofline_v1']
STEPS = [(decode, '') for decode in (
    '100', '131072', '1048576', '16x8', '8000x8', '131072x8', '16x64',
    '4096x64', '32768x64', '1000x256', '8000x256')]
STEPS += [('', '0:1'), ('', '0:8192'), ('', '131072:512'),
          ('', '1000000:16x4'), ('4096x32', '0:2048'),
          ('100000;16x7', '5000:3')]
SAMPLE = [('llama-3.1-8b-fp8', 'rtxpro6000'), ('minimax-m2.5', 'l40s'),
          ('llama-4-scout', 'h100-sxm'), ('deepseek-v3', 'h200-sxm'),
          ('gpt-oss-20b', 'rtxpro6000'), ('qwen2.5-7b-gptq-int4', 'rtx4090'),
          ('mistral-nemo-12b', 'h100-pcie')]


def names(data, folder):
    return sorted(name[:-4] for name in os.listdir(
        os.path.join(data, 'etc', folder)) if name.endswith('.ini'))


def configuration(model, gpu, ranks):
    arms = ''.join('[cost_model:%s]\nplugin = %s\n%s' % (
        plugin, plugin, 'other_gpu = true\n' * (plugin == 'latency_interp'))
        for plugin in PLUGINS)
    return ('[model]\nconfig = %s\n[hardware]\nconfig = %s\n[engine]\n'
            'preset = vllm-0.24\ntensor_parallel_size = %d\n'
            '[tables]\nset = auto\n%s' % (model, gpu, ranks, arms))


def prices(folder, model, gpu, ranks):
    """The rows of all arms that price the model; those that refuse it have
    none."""
    config = os.path.join(folder, 'c.ini')
    with open(config, 'w') as f:
        f.write(configuration(model, gpu, ranks))
    done = subprocess.run(
        ['stepcost', 'eval', config, '--steps', os.path.join(folder, 's.csv'),
         '--format', 'csv', '--quiet'], capture_output=True, text=True)
    return csv.DictReader(io.StringIO(done.stdout))


def main():
    if sys.argv[1:] not in ([], ['--sample']):
        sys.exit(__doc__)
    data = os.environ.get('STEPCOST_DATA_PATH', '.').split(':')[0]
    pairs = SAMPLE if sys.argv[1:] else [
        (model, gpu) for model in names(data, 'models')
        for gpu in names(data, 'hardware')]
    rows, marked, bad = (collections.Counter(), collections.Counter(), 0)
    with tempfile.TemporaryDirectory() as folder:
        with open(os.path.join(folder, 's.csv'), 'w') as f:
            f.write('step,decode,prefill\n')
            for i, step in enumerate(STEPS):
                f.write('%d,%s,%s\n' % ((i,) + step))
        for model, gpu in pairs:
            for ranks in (1, 8):
                for row in prices(folder, model, gpu, ranks):
                    arm, mark = row['arm'], row['faster_than_hardware']
                    us = max(float(row['total_us']), float(row['exact_us']))
                    is_below = us < float(row['floor_us']) * (1 - 1e-6)
                    rows[arm] += 1
                    marked[arm] += mark != ''
                    if (is_below and not mark) or (mark and arm in TABLES):
                        bad += 1
                        print('%s: %s on %d %s: step %s: %s us, floor %s us: '
                              '%s' % (arm, model, ranks, gpu,
                                      STEPS[int(row['step'])],
                                      row['total_us'], row['floor_us'],
                                      mark or 'no warning'))
    for arm in PLUGINS:
        print('%-16s %7d steps, %5d faster than the hardware' % (
            arm, rows[arm], marked[arm]))
    sys.exit(1 if bad else 0)


if __name__ == '__main__':
    main()
