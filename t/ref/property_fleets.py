"""Random fleets for property_cases.py: routers with their keys, sessions, replicas
that are added, stopped or die, and what their GPUs draw."""
import conserve

ROUTERS = {
    "round_robin": {},
    "least_outstanding": {},
    "power_of_two": {},
    "prefix_affinity": {},
    "random": {},
    "session": dict(request_stats_window=[0.02, 60]),
    "cache_aware": dict(cache_threshold=[0, 0.3, 1], balance_abs_threshold=[0, 3, 64], max_tree_size=[0, 3000, 10 ** 6],
                        eviction_interval_secs=[0, 0.1, 120]),
    "prefixaware": dict(prefix_min_match_length=[0, 128], request_stats_window=[0.1, 60]),
    "endpoint_picker": dict(scorers=["queue-scorer:1", "prefix-cache-scorer:3,queue-scorer:2",
                                     "no-hit-lru-scorer:1,kv-cache-utilization-scorer:2"],
                            picker=["max-score-picker", "weighted-random-picker", "random-picker"],
                            refresh_metrics_interval_ms=[1, 50], block_size_tokens=[4, 16],
                            lru_capacity_per_server=[1, 31250]),
    "kv": dict(overlap_score_credit=[0, 1], router_temperature=[0, 0.5], use_kv_events=["true", "false"],
               router_ttl_secs=[0, 120], kv_event_delay_us=[0, 5000], prefill_load_scale=[0, 1]),
}


def some(rng, keys):
    return {k: rng.choice(v) for k, v in keys.items() if rng.random() < 0.5}


def sessions(rng, workload, loop):
    """Prompts with common beginnings, in sessions or not."""
    if "trace" in workload:
        return
    if rng.random() < 0.5:
        workload.update(prompt_groups=rng.choice([1, 3]), shared_prefix_tokens=rng.choice([1, 16, 200]))
    if rng.random() < 0.5 and not loop:
        workload.update(turns=rng.choice([2, 3, 5]), think_time_s=rng.choice([0, 0.1, "exponential:0.2"]))


def scaled(rng):
    """[autoscaler], with starts that take a while."""
    given = dict(metric=rng.choice(["num_requests_waiting", "num_requests_running", "kv_cache_usage_perc"]),
                 target=rng.choice([0.1, 2]), max_replicas=rng.choice([3, 6]), sync_period_s=rng.choice([0.1, 1]),
                 metric_delay_s=rng.choice([0, 0.3]), weights_load_s=rng.choice([0, 0.2]),
                 scale_down_stabilization_s=rng.choice([0, 1]), drain_s=rng.choice([0, 0.1, 30]),
                 gpu_hour_price=rng.choice([0, 2]))
    return "[autoscaler]\n" + conserve.lines(given)


def deaths(rng, replicas):
    given = dict(at=",".join("%d:%g" % (rng.randrange(replicas), rng.random()) for _ in range(rng.choice([1, 2]))),
                 detect_s=rng.choice([0, 0.1]), restart=rng.choice(["true", "false"]), max_retries=rng.choice([0, 5]))
    return "[failures]\n" + conserve.lines(given)


def fleet(rng, engine, workload, apart, loop):
    """Sections behind [engine], and whether replicas come, go or die."""
    routing = rng.choice(sorted(ROUTERS))
    engine["routing"] = routing
    if not apart:
        engine["replicas"] = rng.choice([2, 3, 5])
    sessions(rng, workload, loop)
    keys = some(rng, ROUTERS[routing])
    if rng.random() < 0.3:
        keys["ties"] = rng.choice(["random", "first"])
    sections = "[router]\n" + conserve.lines(keys) if keys else ""
    if apart or rng.random() < 0.5:
        return sections, False
    scales, dies = rng.choice([(True, False), (False, True), (True, True)])
    return sections + (scaled(rng) if scales else "") + (deaths(rng, engine["replicas"]) if dies else ""), True


def power(rng):
    """Keys of [hardware], and the most that a GPU draws by them (None: not told)."""
    if rng.random() < 0.6:
        return "", None
    limit, a = rng.choice([100, 700]), rng.choice([0, 0.3])
    given = dict(power_limit_w=limit, power_a=a, power_b=0.4, power_p=rng.choice([0.5, 1]),
                 power_c=0.6 - a, power_q=rng.choice([0.5, 1]), idle_w=rng.choice([0, 60]),
                 usd_per_kwh=rng.choice([0, 0.1]), pue=rng.choice([1, 1.3]))
    return conserve.lines(given), limit
