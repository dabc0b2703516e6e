"""Gives vLLM's `--simulate-forward` a time: wraps execute_model() of a model runner.

    stepcost_time(runner, "gateway.ini")

sleeps for the time of each batch; with `clock`, a function of seconds, the caller moves
its own clock instead."""
import functools
import time

import stepcost


def rows_of(output, prompts):
    """[num_computed_tokens, num_scheduled_tokens, num_prompt_tokens] of each request;
    prompts: request id -> tokens of its prompt, kept from call to call."""
    rows = []
    for new in output.scheduled_new_reqs:
        prompts[new.req_id] = len(new.prompt_token_ids)
        rows.append([new.num_computed_tokens, output.num_scheduled_tokens[new.req_id], prompts[new.req_id]])
    cached = output.scheduled_cached_reqs
    for req_id, computed in zip(cached.req_ids, cached.num_computed_tokens):
        rows.append([computed, output.num_scheduled_tokens[req_id], prompts.get(req_id, computed)])
    for req_id in output.finished_req_ids:
        prompts.pop(req_id, None)
    return rows


def stepcost_time(runner, config, arm=None, clock=time.sleep):
    """Returns the runner, which now takes the time of the cost model for each batch."""
    oracle, prompts, execute = stepcost.oracle(config, arm), {}, runner.execute_model

    @functools.wraps(execute)
    def execute_model(output, *more, **named):
        rows = rows_of(output, prompts)
        result = execute(output, *more, **named)
        if rows:
            clock(oracle.scheduled(rows)["seconds"])
        return result

    runner.execute_model = execute_model
    return runner
