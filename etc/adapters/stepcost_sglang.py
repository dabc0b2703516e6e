"""A time predictor of SGLang's simulator (tools/sglang-simulator) that asks stepcost.

The simulator knows its own predictors by name; this module adds one.  Start the simulator
by this file, with the arguments of its launch_server:
    PYTHONPATH=python python3 etc/adapters/stepcost_sglang.py --model-path M --sim-config-path S.json
where S.json has "predictor": {"name": "stepcost", "config": "gateway.ini", "arm": "operators"};
without "arm" the first one prices."""
import runpy

import stepcost
from sglang_simulator.simulation.manager import ConfigManager
from sglang_simulator.time_predictor import base


class StepcostPredictor(base.InferTimePredictor):
    def __init__(self, model, hw, config, stepcost_config, arm=None):
        super().__init__(model, hw, config)
        self.oracle = stepcost.oracle(stepcost_config, arm)
        self.reset_metrics()

    def predict_infer_time(self, batch):
        """Returns seconds.  A fault is a PredictorError, or a negative number where the
        simulator has no such error yet."""
        mode, rows = getattr(batch, "forward_mode", None), []
        for r in batch.reqs:
            new, past = r.extend_length, r.past_kv_length
            is_prefill = mode == "EXTEND" or mode != "DECODE" and (new > 1 or past == 0)
            rows.append([past, new, past + new if is_prefill else past])
        try:
            answer = self.oracle.scheduled(rows)
        except stepcost.Error as e:
            if hasattr(base, "PredictorError"):
                raise base.PredictorError("prediction_failed", str(e)) from e
            return -1.0
        for kind, n in answer["provenance"].items():
            self.lookups[kind] = self.lookups.get(kind, 0) + n
        return answer["seconds"]

    def get_metrics(self):
        """Returns the share of table lookups by how they were answered."""
        n = sum(self.lookups.values())
        return {"stepcost_" + kind: x / n for kind, x in self.lookups.items()} if n else {}

    def reset_metrics(self):
        self.lookups = {}


def choose(model, hw, config, known=ConfigManager.get_inference_time_predictor):
    wanted = ConfigManager._get_raw_config().get("predictor", {})
    if wanted.get("name") != "stepcost":
        return known(model, hw, config)
    return StepcostPredictor(model, hw, config, wanted["config"], wanted.get("arm"))


ConfigManager.get_inference_time_predictor = staticmethod(choose)  # also where it spawns processes
if __name__ == "__main__":
    runpy.run_module("sglang_simulator.simulation.sglang.launch_server", run_name="__main__")
