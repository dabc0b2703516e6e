#!/usr/bin/env python3
"""Writes rows of MLPerf's offline scenario with their configurations, for one of
the equal instances of a system.

usage: mlperf_offline.py INFERENCE_RESULTS SUMMARIES >ROWS.csv

INFERENCE_RESULTS is a bare clone of mlcommons/inference_results_v5.1, SUMMARIES the
folder of token lengths of openshift-psap/performance-dashboard.  Rows are those of
bench_data/serving/mlperf-v5.1.csv that TensorRT-LLM ran and that have a configuration
closed/SUBMITTER/configs/SYSTEM/Offline/MODEL.py.  GPUs and throughput are divided by
the number of instances.
"""
import csv
import os
import re
import statistics
import subprocess
import sys

from files import BENCH_DATA, rows_of

MODELS = {"llama2-70b": ("llama2-70b", "llama2-70b-99"),
          "llama3.1-405b": ("llama3_1-405b", "llama3-1-405b"),
          "llama3.1-8b": ("llama3_1-8b", "llama3-1-8b-datacenter"),
          "mixtral-8x7b": ("mixtral-8x7b", "mixtral-8x7b")}
KEPT = ["id", "mode", "arrival", "model", "gpu"]
COLUMNS = KEPT + ["gpu_count", "instances", "tensor_parallel_size", "pipeline_parallel_size", "dtype",
                  "engine", "workload", "max_num_seqs", "max_num_batched_tokens", "input_tokens",
                  "output_tokens", "mean_e2el_ms", "output_throughput", "submitter", "system", "flags"]


def show(clone, path):
    return subprocess.run(["git", "--git-dir=" + clone, "show", "HEAD:" + path],
                          capture_output=True, text=True).stdout


def value(text, name, section=""):
    """The first value of a setting behind a word, without quotes; "": there is none."""
    text = re.sub(r"#.*", "", text)
    text = text[max(text.find(section), 0):]
    found = re.search(rf"\b{name}\b'?: *(?:{{\s*'[^']*': *)?'?([\w.]+)'?", text)
    return found.group(1) if found else ""


def input_tokens(folder, name):
    lengths = [float(r["input_length"]) for r in rows_of(os.path.join(folder, name + ".csv"))]
    return round(statistics.mean(lengths))


def configured(row, clone, summaries):
    model = row["workload"].replace("mlperf-", "").replace("-99.9", "").replace("-99", "")
    if model not in MODELS or row["scenario"] != "Offline" or row["engine"] != "trtllm":
        return None
    name, summary = MODELS[model]
    text = show(clone, f"closed/{row['submitter']}/configs/"
                       f"{row['system'].replace('_TRT', '')}/Offline/{name}.py")
    text = text or show(clone, f"closed/{row['submitter']}/configs/{row['system']}/Offline/{name}.py")
    if not text:
        return None
    tp, pp = (int(value(text, f"{p}_parallelism") or 1) for p in ("tensor", "pipeline"))
    n = int(row["gpu_count"]) // (tp * pp)
    precision = value(text, "precision")
    return dict({c: row[c] for c in KEPT}, id=row["id"] + "-instance", gpu_count=tp * pp, instances=n, tensor_parallel_size=tp,
                pipeline_parallel_size=pp, dtype="nvfp4" if precision == "fp4" else precision,
                engine="trtllm", workload="mlperf-" + model,
                max_num_seqs=value(text, "gpu_batch_size"),
                max_num_batched_tokens=value(text, "max_num_tokens", "trtllm_runtime_flags"),
                input_tokens=input_tokens(summaries, summary),
                output_tokens=round(float(row["output_tokens"])),
                output_throughput=f"{float(row['output_throughput']) / n:.6g}",
                submitter=row["submitter"], system=row["system"])


def main():
    out = csv.DictWriter(sys.stdout, COLUMNS, lineterminator="\n", restval="")
    out.writeheader()
    for row in rows_of(os.path.join(BENCH_DATA, "serving", "mlperf-v5.1.csv")):
        made = configured(row, *sys.argv[1:3])
        if made:
            out.writerow(made)


if __name__ == "__main__":
    main()
