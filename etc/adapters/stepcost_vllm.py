"""Gives vLLM's `--simulate-forward` a time: wraps execute_model() of a model runner.

    stepcost_time(runner, "gateway.ini")

sleeps for the time of each batch; with `clock`, a function of seconds, the caller moves
its own clock instead."""
import functools
import time

import stepcost


class Rows:
    """The requests of SchedulerOutputs, one after another: [num_computed_tokens,
    num_scheduled_tokens, tokens to prefill] each.  A request that was preempted prefills
    its prompt and what it had generated."""

    def __init__(self):
        self.prompt, self.prefill = {}, {}  # request id -> tokens

    def of(self, output):
        rows = []
        for req_id in output.finished_req_ids:  # before this step; an id may come again
            self.prompt.pop(req_id, None), self.prefill.pop(req_id, None)
        for new in output.scheduled_new_reqs:
            tokens = getattr(new, "prefill_token_ids", None) or new.prompt_token_ids
            self.prompt[new.req_id] = self.prefill[new.req_id] = len(
                new.prompt_embeds if tokens is None else tokens)
            rows.append((new.req_id, new.num_computed_tokens))
        cached = output.scheduled_cached_reqs
        for i, req_id in enumerate(cached.req_ids):
            if req_id in getattr(cached, "resumed_req_ids", ()):
                self.prefill[req_id] = self.prompt[req_id] + cached.num_output_tokens[i]
            rows.append((req_id, cached.num_computed_tokens[i]))
        return [[computed, output.num_scheduled_tokens[req_id], self.prefill.get(req_id, computed)]
                for req_id, computed in rows]


def stepcost_time(runner, config, arm=None, clock=time.sleep):
    """Returns the runner, which now takes the time of the cost model for each batch."""
    oracle, rows, execute = stepcost.oracle(config, arm), Rows(), runner.execute_model

    @functools.wraps(execute)
    def execute_model(output, *more, **named):
        batch = rows.of(output)
        result = execute(output, *more, **named)
        if batch:
            clock(oracle.scheduled(batch)["seconds"])
        return result

    runner.execute_model = execute_model
    return runner
