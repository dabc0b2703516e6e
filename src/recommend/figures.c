/* figures.c -- Works out the figures of a configuration. */
#include "recommend/figures.h"
#include <math.h>
#include <string.h>
#include "record/usd.h"

const struct recommend_figure_row recommend_figure[RECOMMEND_FIGURES] = {
    [RECOMMEND_RATE] = {"request_rate", 1},
    [RECOMMEND_TOKENS] = {"output_throughput", 1},
    [RECOMMEND_TOKENS_PER_GPU] = {"output_throughput_per_gpu", 1},
    [RECOMMEND_TOKENS_PER_USER] = {"output_throughput_per_user", 1},
    [RECOMMEND_GPUS] = {"gpus", -1},
    [RECOMMEND_USD_PER_HOUR] = {"usd_per_hour", -1},
    [RECOMMEND_USD_PER_MTOK] = {"usd_per_million_output_tokens", -1},
    [RECOMMEND_JOULES] = {"energy_per_token_j", -1},
};

void recommend_figures_of(const struct work_survey *survey,
			  const struct work_served *served,
			  double v[RECOMMEND_FIGURES])
{
	double tokens = served->output_throughput;
	double tpot_ms = served->mean_tpot_ms;
	v[RECOMMEND_JOULES] = served->joules_per_token;
	v[RECOMMEND_RATE] = served->request_rate;
	v[RECOMMEND_TOKENS] = tokens;
	v[RECOMMEND_TOKENS_PER_GPU] = tokens / survey->gpus;
	v[RECOMMEND_TOKENS_PER_USER] = tpot_ms > 0 ? 1000 / tpot_ms : NAN;
	v[RECOMMEND_GPUS] = survey->gpus;
	v[RECOMMEND_USD_PER_HOUR] = survey->usd_per_hour;
	const struct usd_of of = {survey->usd_per_hour, tokens,
				  served->joules_per_token,
				  survey->usd_per_joule};
	v[RECOMMEND_USD_PER_MTOK] = usd_per_mtok(&of).sum;
}

static int find(const char *name, size_t n)
{
	for (int i = 0; i < RECOMMEND_FIGURES; i++)
		if (!strncmp(recommend_figure[i].name, name, n) &&
		    !recommend_figure[i].name[n])
			return i;
	return -1;
}

int recommend_figures_parse(const char *text, enum recommend_figure out[2],
			    struct problem *p)
{
	out[0] = RECOMMEND_TOKENS_PER_GPU;
	out[1] = RECOMMEND_TOKENS_PER_USER;
	if (!*text)
		return 0;
	size_t n = strcspn(text, ",");
	int x = find(text, n);
	int y = text[n] ? find(text + n + 1, strlen(text + n + 1)) : -1;
	if (x < 0 || y < 0 || x == y)
		return problem_set(
		    p, EXIT_USAGE,
		    "--front %s: not X,Y with two of request_rate, "
		    "output_throughput, output_throughput_per_gpu, "
		    "output_throughput_per_user, gpus, usd_per_hour, "
		    "usd_per_million_output_tokens, "
		    "energy_per_token_j",
		    text);
	out[0] = (enum recommend_figure)x;
	out[1] = (enum recommend_figure)y;
	return 0;
}
