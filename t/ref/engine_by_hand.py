#!/usr/bin/env python3
"""TAP: the reference in engine.py against cases worked out by hand."""
import sys

sys.dont_write_bytecode = True
from engine import Request, Run, settings  # noqa: E402


def main():
    def case(name, want, got):
        nonlocal n, bad
        n += 1
        print("%sok %d - %s" % ("" if want == got else "not ", n, name))
        if want != got:
            bad += 1
            print("#  got: %s\n# want: %s" % (got, want))

    def serve(requests, **given):
        return Run(settings(**given), requests)

    n = bad = 0
    # One request: 10 tokens of prompt (110 us), then two decodes (101 us each).
    run = serve([Request(0, 5000, 10, 3)])
    case("one request: token times", [115000, 216000, 317000], run.requests[0].token_ns)
    case("one request: kv of the decodes", [[], [10], [11]], [s.decode for s in run.steps])
    # A prompt over the budget comes in chunks; the second request gets what
    # the first leaves.
    run = serve([Request(0, 0, 10, 1), Request(1, 0, 4, 2)], max_num_batched_tokens=6)
    case("chunks share the budget",
         [[(0, True, 0, 6)], [(0, True, 6, 4), (1, True, 0, 2)], [(1, True, 2, 2)],
          [(1, False, 4, 1)]], [s.members for s in run.steps])
    run = serve([Request(0, 0, 10, 1)], long_prefill_token_threshold=4)
    case("a threshold caps chunks", [4, 4, 2], [s.prefill[0][1] for s in run.steps])
    # An arrival at the very end of a step takes part in the next.
    run = serve([Request(0, 0, 10, 2), Request(1, 110000, 1, 1), Request(2, 110001, 1, 1)])
    case("an arrival at a step's start", [1, 2, 1], [len(s.members) for s in run.steps])
    # Three blocks of 4.  Request 0 needs its second block at its 5th token,
    # then its third; request 1 (4 + 1 tokens held) is preempted and starts over.
    run = serve([Request(0, 0, 4, 6), Request(1, 0, 4, 3)], block_size=4, num_gpu_blocks=3)
    case("preemption by recompute", (1, [[(0, True, 0, 4), (1, True, 0, 4)],
                                         [(0, False, 4, 1)], [(0, False, 5, 1)]]),
         (run.scheduler.preemptions, [s.members for s in run.steps[:3]]))
    case("the victim recomputes its token", (1, True, 0, 5),
         [m for s in run.steps[1:] for m in s.members if m[0] == 1][0])
    # The second of two equal prompts of 9 tokens hits floor(8/4) blocks.
    run = serve([Request(0, 0, 9, 1, group="a", shared=9),
                 Request(1, 1000000, 9, 1, group="a", shared=9)],
                block_size=4, enable_prefix_caching=True)
    case("prefix hit", [(0, 9), (8, 1)], [s.prefill[0] for s in run.steps])
    case("hit rate", 8 / 18, run.summary()["prefix_cache_hit_rate"])
    # Full blocks only, and never all of the prompt.
    run = serve([Request(0, 0, 8, 1, group="a", shared=8),
                 Request(1, 0, 8, 1, group="a", shared=8)],
                block_size=4, enable_prefix_caching=True)
    case("a full hit recomputes the last block, at once", [(0, 8), (4, 4)], run.steps[0].prefill)
    # Two requests of 5 tokens (two blocks of 4) through four blocks; the third
    # comes back to the first's prefix after one more request evicted two tails.
    run = serve([Request(0, 0, 5, 1, group="a", shared=5),
                 Request(1, 1000000, 5, 1, group="b", shared=5),
                 Request(2, 2000000, 9, 1),
                 Request(3, 3000000, 5, 1, group="b", shared=5),
                 Request(4, 4000000, 5, 1, group="a", shared=5)],
                block_size=4, num_gpu_blocks=4, enable_prefix_caching=True)
    case("LRU: tails go first, then the older head", [(0, 5), (0, 5), (0, 9), (4, 1), (0, 5)],
         [s.prefill[0] for s in run.steps])
    # Asynchronous: two batches at once, the second knows of the first's token.
    run = serve([Request(0, 0, 10, 3)], async_scheduling=True, schedule_us=7)
    case("async: executions follow without a gap", [(7000, 117000), (117000, 218000), (218000, 319000)],
         [(s.start_ns, s.end_ns) for s in run.steps])
    run = serve([Request(0, 0, 10, 4), Request(1, 50000, 5, 1)], async_scheduling=True)
    case("async: a newcomer waits for the batch after the next",
         [[0], [0], [0, 1], [0]], [[m[0] for m in s.members] for s in run.steps])
    case("async: its time", 110000 + 101000 + 106000, run.requests[1].token_ns[0])
    # Priority: the worse request is the victim although it was admitted first.
    run = serve([Request(0, 0, 4, 3, priority=1), Request(1, 0, 4, 3)],
                block_size=4, num_gpu_blocks=2, scheduling_policy="priority")
    case("priority decides who is served and who yields", [1, 0],
         sorted((0, 1), key=lambda i: run.requests[i].token_ns[-1]))
    run = serve([Request(0, 0, 40, 1), Request(1, 0, 8, 9), Request(2, 0, 8, 10)],
                block_size=4, num_gpu_blocks=4, max_model_len=18)
    case("rejected: too long for the model, for the cache", [True, False, True],
         [r.rejected for r in run.requests])
    print("1..%d" % n)
    return bad != 0


if __name__ == "__main__":
    sys.exit(main())
