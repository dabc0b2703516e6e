"""A time predictor of SGLang's simulator (tools/sglang-simulator) that asks stepcost.

Register it as `predictor.name: stepcost`.  `config` has `stepcost_config`, an INI of
stepcost, and may have `stepcost_arm`."""
import stepcost

try:
    from time_predictor.base import InferTimePredictor
except ImportError:  # outside of the simulator
    class InferTimePredictor:
        def __init__(self, model, hw, config):
            self.model, self.hw, self.config = model, hw, config


class StepcostPredictor(InferTimePredictor):
    def __init__(self, model, hw, config):
        super().__init__(model, hw, config)
        self.oracle = stepcost.oracle(config["stepcost_config"], config.get("stepcost_arm"))
        self.lookups = {}

    def predict_infer_time(self, batch):
        """Returns seconds; negative: the cost model failed."""
        reqs = [[r.extend_length, r.past_kv_length] for r in batch.reqs]
        if not reqs:
            return 0.0
        try:
            answer = self.oracle.price(reqs)
        except stepcost.Error:
            return -1.0
        for kind, n in answer["provenance"].items():
            self.lookups[kind] = self.lookups.get(kind, 0) + n
        return answer["seconds"]

    def get_metrics(self):
        """Returns the share of table lookups by how they were answered."""
        n = sum(self.lookups.values())
        return {"stepcost_" + kind: x / n for kind, x in self.lookups.items()} if n else {}
