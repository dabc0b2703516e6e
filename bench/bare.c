/* bare -- the baseline: the idealised schedule as one would write it down, with
 * nothing around it.  Same work per token as the simulator's (KV blocks, a
 * histogram of the gaps), a linear cost model inlined.  The simulator takes
 * longer; the difference is the price of its generality.
 * usage: bare light|heavy REQUESTS
 * prints: steps, sequence-steps, mean gap and its p99 in ms */
#include <inttypes.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_SEQS = 256, BUDGET = 2048, BLOCK = 16, SUB_BITS = 9 };

struct sequence {
	uint32_t prompt, context, left;
	int64_t arrival_ns, first_ns, last_ns;
};
struct histogram {
	uint64_t n, bucket[(64 - SUB_BITS) << SUB_BITS];
	int64_t sum;
};
static struct sequence running[MAX_SEQS];
static struct histogram gaps, ttft, tpot, e2e;

static void add(struct histogram *h, int64_t v)
{
	uint64_t x = (uint64_t)v;
	unsigned shift = 0;
	if (x >> SUB_BITS)
		shift = 63u - (unsigned)__builtin_clzll(x) - SUB_BITS;
	h->bucket[((uint64_t)shift << SUB_BITS) + (x >> shift)]++;
	h->sum += v;
	h->n++;
}

static double quantile(const struct histogram *h, double q)
{
	uint64_t seen = 0, want = (uint64_t)(q * (double)h->n);
	for (size_t i = 0; i < sizeof h->bucket / sizeof *h->bucket; i++) {
		seen += h->bucket[i];
		if (seen > want) {
			size_t shift = i >> SUB_BITS ? (i >> SUB_BITS) - 1 : 0;
			return (double)((i - (shift << SUB_BITS)) << shift);
		}
	}
	return 0;
}

static uint64_t state = 42;
static double uniform(void)
{
	uint64_t x = (state += 0x9e3779b97f4a7c15u);
	x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9u;
	x = (x ^ x >> 27) * 0x94d049bb133111ebu;
	return ((double)((x ^ x >> 31) >> 11) + 0.5) * 0x1p-53;
}

static int is_heavy;
static int64_t now_ns, next_ns;
static struct sequence make(uint64_t i)
{
	struct sequence s = {512, 0, 128, next_ns, 0, 0};
	if (is_heavy) {
		s.prompt = (uint32_t)(1 + uniform() * 1023);
		s.left = (uint32_t)(1 + uniform() * 1023);
		next_ns += (int64_t)(-log(uniform()) * 1e9 / 30);
	} else {
		next_ns = (int64_t)(i + 1) * 49999000;
	}
	return s;
}

int main(int argc, char **argv)
{
	if (argc != 3)
		return 2;
	uint64_t n = strtoull(argv[2], NULL, 10), taken = 0;
	uint64_t steps = 0, sequence_steps = 0;
	uint32_t n_running = 0;
	int64_t blocks = 0, most_blocks = 0;
	is_heavy = !strcmp(argv[1], "heavy");
	while (n_running || taken < n) {
		uint32_t budget = BUDGET, chunk[MAX_SEQS], kept = 0, i;
		uint64_t context = 0, prefill = 0;
		if (n_running == 0 && next_ns > now_ns)
			now_ns = next_ns;
		for (i = 0;; i++) {
			if (i == n_running) {
				if (taken == n || next_ns > now_ns ||
				    n_running == MAX_SEQS || budget == 0)
					break;
				running[n_running++] = make(taken++);
			}
			struct sequence *s = &running[i];
			if (s->context >= s->prompt) {
				chunk[i] = budget ? 1 : 0;
				context += s->context;
			} else {
				uint32_t rest = s->prompt - s->context;
				chunk[i] = rest < budget ? rest : budget;
				prefill += chunk[i];
			}
			budget -= chunk[i];
			blocks += (s->context + chunk[i] + BLOCK - 1) / BLOCK -
				  (s->context + BLOCK - 1) / BLOCK;
			sequence_steps++;
		}
		most_blocks = blocks > most_blocks ? blocks : most_blocks;
		now_ns +=
		    llround(1e3 * (7200 + 6. * (double)prefill +
				   9. * n_running + 0.035 * (double)context));
		for (i = 0; i < n_running; i++) {
			struct sequence *s = &running[i];
			s->context += chunk[i];
			if (chunk[i] && s->context >= s->prompt) {
				if (s->first_ns == 0)
					s->first_ns = now_ns;
				else
					add(&gaps, now_ns - s->last_ns);
				s->last_ns = now_ns;
				s->left--;
			}
			if (s->left) {
				if (kept != i)
					running[kept] = *s;
				kept++;
				continue;
			}
			add(&ttft, s->first_ns - s->arrival_ns);
			add(&e2e, now_ns - s->arrival_ns);
			add(&tpot, now_ns - s->first_ns);
			blocks -= (s->context + BLOCK - 1) / BLOCK;
		}
		n_running = kept;
		steps++;
	}
	printf("%" PRIu64 " %" PRIu64 " %.3f %.3f %" PRId64 "\n", steps,
	       sequence_steps, (double)gaps.sum / (double)gaps.n / 1e6,
	       quantile(&gaps, 0.99) / 1e6, most_blocks);
	return (int)(ttft.n != n || e2e.n != n || tpot.n != n);
}
