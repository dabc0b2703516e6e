/* measured.c -- Any bytes as a file of measured runs, CSV or JSON as it begins,
 * as facts about them, and as the trace of one; before a line "==" an alias
 * file.  May be refused, must not crash; every value that was read is in the
 * file. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "fuzz.h"
#include "validate/measured/aliases.h"
#include "validate/measured/cells.h"
#include "validate/measured/facts.h"
#include "validate/measured/measured_read.h"
#include "validate/measured/measured_requests.h"
#include "validate/measured/rules.h"

/* The shipped files have a thousand keys more. */
static void put_shipped(void)
{
	static int is_done;
	struct ini aliases;
	struct problem p;
	if (is_done++)
		return;
	fuzz_put_data("etc/measured.ini",
		      "[column]\ntp = tensor_parallel_size\n"
		      "rate_rps = request_rate\nttft_mean = mean_ttft_ms\n"
		      "tpot_mean = mean_tpot_ms\ne2e_mean = mean_e2el_ms\n"
		      "[gpu]\nH100-SXM = h100-sxm\nH100 = h100-sxm\n"
		      "[model]\nmeta-llama/Llama-3.1-8B = llama-3.1-8b\n"
		      "[input_tokens]\nchat = 300\n"
		      "[origin]\ninternal = closed\n"
		      "[class]\nbench = closed\n"
		      "[arrival]\nfixed = closed\n"
		      "[protocol:closed]\nkind = closed\n"
		      "max_num_seqs = 1024\napi_overhead_us = 5000\n"
		      "[when:kv]\nengine = vllm\ngpu = H100*\n"
		      "engine.block_size = {block_size}\n"
		      "[when:client]\nprotocol = closed\n"
		      "concurrency = -, 1..64, 256, 500..\n"
		      "engine.max_num_seqs = "
		      "{max(3, min(10, floor(2500 / concurrency)))}\n"
		      "engine.api_overhead_us = 5000\n"
		      "[flags]\nleave_out = DRAFTS_, ODD\n");
	fuzz_put_data("etc/measured-apart.ini",
		      "[facts]\ncertainty = launch entry*\n"
		      "answers = A, WORKERS_*\n"
		      "[when:apart]\nmode = disagg*\n"
		      "engine:prefill.replicas = {prefill_workers}\n"
		      "engine:prefill.max_num_seqs = "
		      "{(min(9, prefill_max_batch) + 2) * prefill_tp}\n"
		      "[launch:apart]\nprotocol = closed\nmode = disagg*\n");
	fuzz_put_data("etc/protocols.csv",
		      "name,protocol,engine,gpu,concurrency,measured,ranks,"
		      "engine.max_num_seqs,source,note\n"
		      "old,closed,vllm,\"H100*,H200*\",1..64,..2025-10-31,"
		      "as_row,256,a,b\n"
		      "new,closed,\"-,unknown\",A100*,,2026-01-01..,"
		      "tp_is_gpus,,a,\n");
	if (aliases_read(&aliases, NULL, &p) < 0)
		abort();
	ini_free(&aliases);
}

static int set(void *user, const char *key, const struct ini_item *t)
{
	const struct measured_row *r = user;
	char value[300];
	if (cells_fill(t->value, r, value, sizeof value) &&
	    strlen(value) >= sizeof value)
		abort();
	return !key[0] || !t->value;
}

static void read_file(const char *path, const struct ini *aliases)
{
	struct measured m = {0};
	struct planned_request *request;
	struct problem p;
	uint64_t n;
	size_t laid;
	if (measured_read(&m, path, aliases, &p) == 0)
		for (size_t i = 0; i < m.n; i++) {
			if (strcmp(m.row[i].file, path) != 0)
				abort();
			if (m.row[i].gpu)
				alias_of(aliases, "gpu", m.row[i].gpu);
			rules_each(aliases, &m.row[i], "engine.", set,
				   &m.row[i]);
			rules_get(aliases, &m.row[i], "engine.block_size");
			measured_has_flag(&m.row[i], "A");
			facts_answer(&m.row[i], aliases, "A");
			measured_tpot_has_first_token(&m.row[i]);
		}
	facts_read(&m, path, aliases, &laid, &p);
	measured_keep_means(&m);
	measured_free(&m);
	if (measured_trace(path, aliases, NAN, &request, &n, &p) == 0)
		free(request);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const struct ini none;
	char own[300];
	struct ini aliases;
	struct problem p;
	size_t from, head = fuzz_split(data, size, &from);
	put_shipped();
	if (head)
		fuzz_put("aliases.ini", data, head);
	snprintf(own, sizeof own, "%s/aliases.ini", fuzz_folder());
	int named = head && aliases_read(&aliases, own, &p) == 0;
	read_file(fuzz_file(data + from, size - from),
		  named ? &aliases : &none);
	if (head)
		ini_free(&aliases);
	return 0;
}
