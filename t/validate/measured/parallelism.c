#include "validate/measured/parallelism.h"
#include <math.h>
#include "tap.h"

static enum measured_ranks ranks;

static void split(double gpus, double tp, double dp, double ep,
		  const char *gpu_name, const char *want, const char *what)
{
	char gpu[20], text[80];
	snprintf(gpu, sizeof gpu, "%s", gpu_name ? gpu_name : "");
	struct measured_row r = {.gpu = gpu_name ? gpu : NULL,
				 .ranks = ranks,
				 .gpu_count = gpus,
				 .tensor_parallel_size = tp,
				 .pipeline_parallel_size = NAN,
				 .data_parallel_size = dp,
				 .expert_parallel_size = ep};
	struct parallelism is = parallelism_of(&r);
	snprintf(text, sizeof text, "tp %g pp %g dp %g ep %g%s", is.tp, is.pp,
		 is.dp, is.ep, is.repaired ? " repaired" : "");
	is(text, want, "%s", what);
}

int main(void)
{
	split(8, 4, 2, 8, "H200", "tp 4 pp 1 dp 2 ep 8", "as it says");
	split(8, 8, NAN, 0, "H200", "tp 8 pp 1 dp 1 ep 1", "blank and 0 are 1");
	split(8, NAN, NAN, NAN, "H200", "tp 0 pp 1 dp 1 ep 1", "tp unknown");
	split(64, 64, 1, 8, "B200", "tp 8 pp 1 dp 1 ep 8 repaired",
	      "tensor x expert parallel");
	split(16, 1, 16, 4, "B200", "tp 1 pp 1 dp 4 ep 4 repaired",
	      "data x expert parallel");
	split(16, 4, 4, 16, "H100", "tp 4 pp 1 dp 1 ep 4 repaired",
	      "both were written twice");
	split(16, 16, 1, 1, "GB200", "tp 16 pp 1 dp 1 ep 1",
	      "a rack may have that many");
	split(16, 8, 1, 1, "H200", "tp 8 pp 1 dp 1 ep 1", "two replicas");
	split(4, 4, 1, 2, "H200", "tp 4 pp 1 dp 1 ep 2", "four GPUs");
	split(1, 1, 1, 1, "H200", "tp 1 pp 1 dp 1 ep 1", "one GPU");
	split(64, 64, 1, 8, NULL, "tp 64 pp 1 dp 1 ep 8",
	      "a GPU without a name may be one of a rack");
	ranks = RANKS_SQUARE;
	split(1, 1, 1, 1, "H200", "tp 1 pp 1 dp 1 ep 1", "one of any launch");
	split(4, 4, 1, 2, "H200", "tp 2 pp 1 dp 1 ep 2 repaired",
	      "two, by its launch");
	split(4, 1, 4, 2, "H200", "tp 1 pp 1 dp 2 ep 2 repaired",
	      "two data parallel ranks");
	split(4, 4, 1, 4, "H200", "tp 4 pp 1 dp 1 ep 4", "but not these four");
	ranks = RANKS_EP_IS_TP;
	split(8, 4, 1, 1, "H200", "tp 4 pp 1 dp 1 ep 4",
	      "experts are always split by expert");
	ranks = RANKS_TP_IS_GPUS;
	split(8, 1, 1, 8, "H200", "tp 8 pp 1 dp 1 ep 8",
	      "attention is split over the ranks of the experts");
	split(8, 1, 8, 8, "H200", "tp 1 pp 1 dp 8 ep 8",
	      "but not where it is data parallel");
	split(NAN, 4, 1, 1, "H200", "tp 4 pp 1 dp 1 ep 1",
	      "tensor parallel as it says, where the GPUs are not known");
	return done();
}
