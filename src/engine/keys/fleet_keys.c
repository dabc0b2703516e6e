/* fleet_keys.c -- The tables of [autoscaler] and [failures], and what their
 * keys come to. */
#include "engine/keys/fleet_keys.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "base/number.h"
#include "engine/count.h"
#include "keys/keys.h"
#include "stepcost/knob.h"

#define A struct autoscaler_keys
/* A metric decides. */
#define SCALED "target>0"
const sc_knob *const autoscaler_key[] = {
    SC_CHOICE(A, metric, "none", fleet_metric_words,
	      "the figure that decides, summed over the ready replicas; none: "
	      "the number of replicas stays"),
    SC_DOUBLE(A, target, "0", 0, 1e12, "1",
	      "what one replica should have of the metric"),
    SC_INT(A, min_replicas, "1", 1, 4096, "1", "never fewer", .when = SCALED),
    SC_INT(A, max_replicas, "0", 0, 1024, "1",
	   "never more; needed with a metric"),
    SC_DOUBLE(A, tolerance, "0.1", 0, 1e6, "1",
	      "nothing changes while the metric is that close to the target",
	      .when = SCALED),
    SC_DOUBLE(A, sync_period_s, "15", 0.001, 1e9, "s",
	      "time between two decisions", .when = SCALED),
    SC_DOUBLE(A, metric_delay_s, "0", 0, 1e9, "s",
	      "age of the metric at a decision", .when = SCALED),
    SC_DOUBLE(A, scale_up_stabilization_s, "0", 0, 1e9, "s",
	      "replicas are added only as far as all decisions of that time "
	      "agree",
	      .when = SCALED),
    SC_DOUBLE(A, scale_down_stabilization_s, "300", 0, 1e9, "s",
	      "the same for stopping replicas", .when = SCALED),
    SC_INT(A, scale_up_pods, "4", 0, 4096, "1",
	   "in policy_period_s that many may be added", .when = SCALED),
    SC_INT(A, scale_up_percent, "100", 0, 1000000, "%",
	   "or that share, whichever is more", .when = SCALED),
    SC_DOUBLE(A, policy_period_s, "15", 0.001, 1e9, "s", "see scale_up_pods",
	      .when = SCALED),
    SC_DOUBLE(A, node_provision_s, "0", 0, 1e9, "s",
	      "of a start: until there is a machine"),
    SC_DOUBLE(A, image_pull_s, "0", 0, 1e9, "s",
	      "of a start: until the container's image is there"),
    KEY_TEXT_OF(A, weights_load_s, "auto",
		"of a start: until the weights are on the GPU; auto: those of "
		"one GPU by weights_bandwidth_gbs"),
    SC_DOUBLE(A, weights_bandwidth_gbs, "0", 0, 1e9, "GB/s",
	      "of each GPU, to load its weights; 0: they take no time"),
    SC_DOUBLE(A, compile_s, "0", 0, 1e9, "s", "of a start: compilation"),
    SC_DOUBLE(A, graph_capture_s, "0", 0, 1e9, "s",
	      "of a start: capture of graphs"),
    SC_DOUBLE(A, warmup_s, "0", 0, 1e9, "s", "of a start: the rest"),
    SC_DOUBLE(A, drain_s, "30", 0, 1e9, "s",
	      "a replica that stops has that long for its requests; those that "
	      "are left are sent again",
	      .when = SCALED),
    SC_DOUBLE(A, gpu_hour_price, "0", 0, 1e9, "USD",
	      "of one GPU for an hour; 0: the GPU's usd_per_hour"),
};
const uint32_t autoscaler_n_keys =
    sizeof autoscaler_key / sizeof *autoscaler_key;

#define F struct failures_keys
const sc_knob *const failures_key[] = {
    KEY_TEXT_OF(F, at, "",
		"REPLICA:SECONDS,... when replicas die, counted from 0"),
    SC_DOUBLE(F, mtbf_hours, "0", 0, 1e9, "h",
	      "mean time until a replica dies, drawn at random; 0: none does"),
    SC_DOUBLE(F, detect_s, "0", 0, 1e9, "s",
	      "until the router and the clients know of a death; requests that "
	      "are sent there meanwhile fail at once",
	      .when = "at=* ; mtbf_hours>0"),
    SC_BOOL(F, restart, "true",
	    "a dead replica starts again when its death is known; its start "
	    "takes what [autoscaler] says",
	    .when = "at=* ; mtbf_hours>0"),
    SC_INT(F, max_retries, "5", 0, 1000, "1",
	   "how often a request is sent again that had no token yet; then, or "
	   "with tokens, it fails"),
};
const uint32_t failures_n_keys = sizeof failures_key / sizeof *failures_key;

/* ---- the keys ---- */

static const char *at_of(const struct ini *c, const char *section,
			 const char *key)
{
	const struct ini_item *t = c ? ini_find(c, section, key) : NULL;
	return t ? t->at : section;
}

/* Refuses keys of [autoscaler] that contradict each other. */
static int check(const struct autoscaler_keys *a, const struct ini *c,
		 struct problem *p)
{
	static const char *const needs_metric[] = {"target", "max_replicas"};
	for (int i = 0; a->metric == FLEET_METRIC_NONE && i < 2; i++)
		if (ini_find(c, "autoscaler", needs_metric[i]))
			return problem_set(
			    p, EXIT_USAGE, "%s: %s needs a metric",
			    at_of(c, "autoscaler", needs_metric[i]),
			    needs_metric[i]);
	if (a->metric == FLEET_METRIC_NONE)
		return 0;
	if (!(a->target >= 0.001))
		return problem_set(p, EXIT_USAGE,
				   "%s: metric = %s needs a target of at least "
				   "0.001",
				   at_of(c, "autoscaler", "metric"),
				   fleet_metric_words[a->metric]);
	if (a->max_replicas < a->min_replicas)
		return problem_set(
		    p, EXIT_USAGE,
		    "%s: max_replicas = %lld: at least min_replicas = %lld",
		    at_of(c, "autoscaler", "max_replicas"),
		    (long long)a->max_replicas, (long long)a->min_replicas);
	return 0;
}

int fleet_keys_fill(struct autoscaler_keys *a, struct failures_keys *f,
		    const struct ini *c, struct problem *p)
{
	if (knobs_fill(a, autoscaler_key, autoscaler_n_keys, NULL, c,
		       "autoscaler", "", p) < 0 ||
	    knobs_fill(f, failures_key, failures_n_keys, NULL, c, "failures",
		       "", p) < 0)
		return -1;
	return check(a, c, p);
}

/* Replicas that end their last requests are there beside the new ones. */
int64_t fleet_most_replicas(const struct autoscaler_keys *a, int64_t start)
{
	int64_t most = 2 * a->max_replicas;
	if (a->metric == FLEET_METRIC_NONE)
		return start;
	return most > start ? most : start;
}

static int some_die(const struct failures_keys *f)
{
	return *f->at || f->mtbf_hours > 0;
}

void fleet_keys_write(struct jw *j, const struct autoscaler_keys *a,
		      const struct failures_keys *f)
{
	if (a->metric != FLEET_METRIC_NONE || some_die(f) ||
	    a->gpu_hour_price > 0) {
		jw_object(j, "autoscaler");
		knobs_write(j, a, autoscaler_key, autoscaler_n_keys);
		jw_end(j);
	}
	if (!some_die(f))
		return;
	jw_object(j, "failures");
	knobs_write(j, f, failures_key, failures_n_keys);
	jw_end(j);
}

/* ---- the numbers ---- */

static int64_t ns_of(double seconds)
{
	return llround(1e9 * seconds);
}

static int refuse(const struct fleet_facts *f, const char *section,
		  const char *key, const char *value, const char *why,
		  struct problem *p)
{
	return problem_set(p, EXIT_USAGE, "%s: %s = %s: %s",
			   at_of(f->ini, section, key), key, value, why);
}

/* *seconds: of loading the weights. */
static int read_weights(double *seconds, const struct autoscaler_keys *a,
			const struct fleet_facts *f, struct problem *p)
{
	const char *text = a->weights_load_s;
	*seconds = a->weights_bandwidth_gbs > 0
		       ? f->weight_bytes / (1e9 * a->weights_bandwidth_gbs)
		       : 0;
	if (!strcmp(text, "auto"))
		return 0;
	const char *end = number_parse(text, seconds);
	return end != text && !*end && *seconds >= 0 && *seconds <= 1e9
		   ? 0
		   : refuse(f, "autoscaler", "weights_load_s", text,
			    "not auto or a number in [0, 1e9]", p);
}

static int is_earlier(const void *va, const void *vb)
{
	const struct fleet_death *a = va, *b = vb;
	if (a->at_ns != b->at_ns)
		return a->at_ns < b->at_ns ? -1 : 1;
	return a->replica < b->replica ? -1 : a->replica > b->replica;
}

/* Reads one "REPLICA:SECONDS" from *text, and goes on behind it. */
static int read_death(struct fleet_death *d, const char **text)
{
	char number[24];
	double seconds;
	size_t n = strspn(*text, "0123456789");
	if (n == 0 || n >= sizeof number || (*text)[n] != ':')
		return -1;
	memcpy(number, *text, n);
	number[n] = '\0';
	const char *from = *text + n + 1, *end = number_parse(from, &seconds);
	if (end == from || count_read(&d->replica, number) < 0 ||
	    !(seconds >= 0) || !(seconds <= 1e9))
		return -1;
	d->at_ns = ns_of(seconds);
	*text = end + strspn(end, ", ");
	return end == *text && *end ? -1 : 0;
}

static int read_deaths(struct fleet_rules *r, const char *text,
		       const struct fleet_facts *f, uint64_t most,
		       struct problem *p)
{
	const char *at = text + strspn(text, " ");
	while (*at) {
		if (r->n_deaths == FLEET_DEATHS)
			return refuse(f, "failures", "at", text,
				      "more than 64 deaths", p);
		struct fleet_death *d = &r->death[r->n_deaths++];
		if (read_death(d, &at) < 0)
			return refuse(f, "failures", "at", text,
				      "not REPLICA:SECONDS,REPLICA:SECONDS,…",
				      p);
		if (d->replica >= most)
			return refuse(f, "failures", "at", text,
				      "there is no such replica", p);
	}
	qsort(r->death, r->n_deaths, sizeof *r->death, is_earlier);
	return 0;
}

static int check_engine(const struct fleet_rules *r,
			const struct autoscaler_keys *a,
			const struct fleet_facts *f, struct problem *p)
{
	const char *at = a->metric == FLEET_METRIC_NONE
			     ? at_of(f->ini, "failures", "at")
			     : at_of(f->ini, "autoscaler", "metric");
	if (!fleet_changes(r))
		return 0;
	if (f->is_apart)
		return problem_set(p, EXIT_USAGE,
				   "%s: prefill and decode replicas that are "
				   "apart neither die nor change their number",
				   at);
	if (f->has_ranks)
		return problem_set(
		    p, EXIT_USAGE,
		    "%s: replicas of several data-parallel ranks "
		    "neither die nor change their number",
		    at);
	return 0;
}

int fleet_resolve(struct fleet_rules *r, const struct autoscaler_keys *a,
		  const struct failures_keys *k, const struct fleet_facts *f,
		  struct problem *p)
{
	double weights_s;
	if (read_weights(&weights_s, a, f, p) < 0)
		return -1;
	*r = (struct fleet_rules){
	    .metric = (uint64_t)a->metric,
	    .target = (uint64_t)llround(1e3 * a->target / f->per_replica),
	    .start = (uint64_t)f->replicas * f->per_replica,
	    .min = (uint64_t)a->min_replicas * f->per_replica,
	    .max = (uint64_t)a->max_replicas * f->per_replica,
	    .tolerance = (uint64_t)llround(1e6 * a->tolerance),
	    .up_window_ns = ns_of(a->scale_up_stabilization_s),
	    .down_window_ns = ns_of(a->scale_down_stabilization_s),
	    .period_ns = ns_of(a->policy_period_s),
	    .up_pods = (uint64_t)a->scale_up_pods,
	    .up_percent = (uint64_t)a->scale_up_percent,
	    .sync_ns = ns_of(a->sync_period_s),
	    .delay_ns = ns_of(a->metric_delay_s),
	    .cold_start_ns =
		ns_of(a->node_provision_s + a->image_pull_s + weights_s +
		      a->compile_s + a->graph_capture_s + a->warmup_s),
	    .drain_ns = ns_of(a->drain_s),
	    .dies = (uint64_t)some_die(k),
	    .mtbf_ns = 3600e9 * k->mtbf_hours,
	    .detect_ns = ns_of(k->detect_s),
	    .restart = (uint64_t)k->restart,
	    .max_retries = (uint64_t)k->max_retries,
	    .gpus = f->gpus / f->per_replica,
	    .gpu_hour_price =
		a->gpu_hour_price > 0 ? a->gpu_hour_price : f->usd_per_hour,
	};
	uint64_t most =
	    (uint64_t)fleet_most_replicas(a, f->replicas) * f->per_replica;
	return read_deaths(r, k->at, f, most, p) < 0 ? -1
						     : check_engine(r, a, f, p);
}
