/* splitwise: SplitwiseSim's table of whole batches; splitwise.md has the
 * rules. */
#include "field.h"
#include "stepcost/batch.h"

struct knobs {
	const char *model, *gpu;
};
static const sc_knob *const knobs[] = {
    SC_TEXT(struct knobs, model, "",
	    "A model of the origin's table: llama2-70b, bloom-176b. Empty: by "
	    "the name of the model."),
    SC_TEXT(struct knobs, gpu, "",
	    "Another GPU of the origin's table (h100-80gb-pcap, for example). "
	    "Empty: that of [hardware]."),
};

/* Medians of perf_model.csv of Mutinifni/splitwise-sim @ 8f99e7d, by prompt
 * length times batch; s. */
enum { POINTS = 9 };
static const struct profile {
	const char *model, *gpu;
	uint32_t tp;
	double tokens[POINTS], prompt_s[POINTS], token_s[POINTS];
} profiles[] = {
    /* clang-format off */
    {"bloom-176b",
     "a100-80gb",
     8,
     {128, 256, 512, 1024, 2048, 4096, 8192, 16384, 32768},
     {0.07966843713074923, 0.09916399419307707, 0.17438230104744434, 0.2874673455953598, 0.5360554573126137, 1.3326430150773376, 3.591468118596822, 5.782002554042265, 11.25182795501314},
     {0.047612100487618936, 0.047706697895154956, 0.049312983617212064, 0.049442481044239886, 0.05018820409116694, 0.05163132658275944, 0.05427385195924747, 0.06538046831925085, 0.09658297453273645}},
    {"bloom-176b",
     "h100-80gb",
     8,
     {128, 256, 512, 1024, 2048, 4096, 8192, 16384, 32768},
     {0.04828443902079016, 0.05117948295082897, 0.07614180399104953, 0.1322169970080722, 0.25196400948334485, 0.6495982770284172, 1.4115745809976943, 2.5219093060004525, 4.99645071401028},
     {0.03573924211114205, 0.03615448040398219, 0.036166175006905436, 0.03633388049151624, 0.03673894313809381, 0.03752989886950987, 0.039016441875421554, 0.045841567142679555, 0.06382134215911762}},
    {"bloom-176b",
     "h100-80gb-pcap",
     8,
     {128, 256, 512, 1024, 2048, 4096, 8192, 16384, 32768},
     {0.0627697707270272, 0.06653332783607765, 0.0989843451883644, 0.17188209611049388, 0.32755321232834833, 0.8444777601369424, 1.8350469552970028, 3.278482097800588, 6.495385928213365},
     {0.03573924211114205, 0.03615448040398219, 0.036166175006905436, 0.03633388049151624, 0.03673894313809381, 0.03752989886950987, 0.039016441875421554, 0.045841567142679555, 0.06382134215911762}},
    {"llama2-70b",
     "a100-80gb",
     2,
     {128, 256, 512, 1024, 2048, 4096, 8192, 16384, 32768},
     {0.08107582805678248, 0.11293220799416304, 0.1954800640232861, 0.39729519601678476, 0.7659395324881189, 1.537107671960257, 3.111850628920365, 6.632632521912456, 0.794215691043064},
     {0.05367899321635643, 0.05409943375655809, 0.059891934762429995, 0.0573906462720236, 0.05768663755354039, 0.05872773978901352, 0.061432565054141255, 0.07218983482637602, 0.0672432982323558}},
    {"llama2-70b",
     "a100-80gb",
     4,
     {128, 256, 512, 1024, 2048, 4096, 8192, 16384, 32768},
     {0.06365380412898958, 0.07857072888873518, 0.12697135901544246, 0.24738405196694657, 0.4273927035392262, 1.0691130324848928, 2.6200586535269395, 5.131725720013492, 10.947819818975404},
     {0.04241922981743738, 0.04217594286324236, 0.04451529473395173, 0.04497658597226585, 0.045049960918882206, 0.04625269468125748, 0.04724682378170161, 0.05234534905097762, 0.0729468416836934}},
    {"llama2-70b",
     "a100-80gb",
     8,
     {128, 256, 512, 1024, 2048, 4096, 8192, 16384, 32768},
     {0.06534724007360637, 0.06675650901161134, 0.0930164810270071, 0.1608600309700705, 0.2827095299726352, 0.7083550450042821, 1.780966780497692, 3.52454145392403, 7.553992661996745},
     {0.04303125888805866, 0.043483437884114975, 0.045033139639275174, 0.0445615851808904, 0.0456972767023267, 0.04647336346757283, 0.04847078598617745, 0.05301698394519401, 0.0716051476655572}},
    {"llama2-70b",
     "h100-80gb",
     2,
     {128, 256, 512, 1024, 2048, 4096, 8192, 16384, 32768},
     {0.04833135998342186, 0.05184943799395114, 0.08382702799281105, 0.15721048103296198, 0.3002854189835489, 0.6224591985228471, 1.2663056575111113, 2.397773579985369, 0.3605542419827543},
     {0.03724067232124214, 0.037839421205860604, 0.037106234967107264, 0.0373880918819263, 0.03865191775697695, 0.03896883839359104, 0.0398346414220314, 0.052296058319263365, 0.042301435678330196}},
    {"llama2-70b",
     "h100-80gb",
     4,
     {128, 256, 512, 1024, 2048, 4096, 8192, 16384, 32768},
     {0.04908608901314437, 0.050976584025193006, 0.05971699999645352, 0.10463126251124777, 0.2004504704673309, 0.4567018584930338, 0.9249478529964108, 1.7260537210386246, 3.5204732670099474},
     {0.028360612845821965, 0.0300300567494302, 0.029379983897228297, 0.029581458674235943, 0.029878506044615206, 0.030457160002496972, 0.03108533592088016, 0.03688472518138221, 0.05235591869045958}},
    {"llama2-70b",
     "h100-80gb",
     8,
     {128, 256, 512, 1024, 2048, 4096, 8192, 16384, 32768},
     {0.05818541598273441, 0.051658510987181216, 0.05385797604685649, 0.07768386948737316, 0.13442320300964639, 0.3762156415032223, 0.8314855720091145, 1.5517261609784327, 2.9363297179806978},
     {0.02987266007185672, 0.028266553230323337, 0.03056174722271708, 0.02997299270359726, 0.03163489250889723, 0.03132911609342977, 0.03259232873922052, 0.03861935059888303, 0.05016084560871447}},
    {"llama2-70b",
     "h100-80gb-pcap",
     2,
     {128, 256, 512, 1024, 2048, 4096, 8192, 16384, 32768},
     {0.06283076797844842, 0.06740426939213648, 0.10897513639065436, 0.20437362534285056, 0.39037104467861355, 0.8091969580797013, 1.6461973547644448, 3.11710565398098, 0.4687205145775806},
     {0.03724067232124214, 0.037839421205860604, 0.037106234967107264, 0.0373880918819263, 0.03865191775697695, 0.03896883839359104, 0.0398346414220314, 0.052296058319263365, 0.042301435678330196}},
    {"llama2-70b",
     "h100-80gb-pcap",
     4,
     {128, 256, 512, 1024, 2048, 4096, 8192, 16384, 32768},
     {0.06381191571708768, 0.06626955923275091, 0.07763209999538959, 0.1360206412646221, 0.26058561160753013, 0.5937124160409439, 1.2024322088953343, 2.243869837350212, 4.576615247112931},
     {0.028360612845821965, 0.0300300567494302, 0.029379983897228297, 0.029581458674235943, 0.029878506044615206, 0.030457160002496972, 0.03108533592088016, 0.03688472518138221, 0.05235591869045958}},
    {"llama2-70b",
     "h100-80gb-pcap",
     8,
     {128, 256, 512, 1024, 2048, 4096, 8192, 16384, 32768},
     {0.07564104077755474, 0.06715606428333558, 0.07001536886091345, 0.1009890303335851, 0.1747501639125403, 0.48908033395418904, 1.080931243611849, 2.017244009271962, 3.8172286333749073},
     {0.02987266007185672, 0.028266553230323337, 0.03056174722271708, 0.02997299270359726, 0.03163489250889723, 0.03132911609342977, 0.03259232873922052, 0.03861935059888303, 0.05016084560871447}},
    /* clang-format on */
};

static const struct {
	const char *ours, *theirs;
} same[] = {{"llama-2-70b", "llama2-70b"},
	    {"a100-80-sxm", "a100-80gb"},
	    {"h100-sxm", "h100-80gb"}};

struct inst {
	const struct profile *of;
};

static const char *origin_name(const char *knob, const char *name)
{
	for (size_t i = 0; !*knob && i < sizeof same / sizeof *same; i++)
		if (!strcasecmp(same[i].ours, name))
			return same[i].theirs;
	return *knob ? knob : name;
}

static int32_t start(struct inst *s, const sc_setup *setup,
		     const struct knobs *k, sc_error *err)
{
	const char *model = origin_name(k->model, setup->model->name);
	const char *gpu = origin_name(k->gpu, setup->hardware->name);
	const sc_parallel *p = setup->parallel;
	int32_t rc = field_split(p, FIELD_TP, "SplitwiseSim", err);
	if (rc != SC_OK)
		return rc;
	for (size_t i = 0; i < sizeof profiles / sizeof *profiles; i++)
		if (profiles[i].tp == p->tp &&
		    !strcasecmp(profiles[i].model, model) &&
		    !strcasecmp(profiles[i].gpu, gpu))
			s->of = &profiles[i];
	if (s->of)
		return SC_OK;
	return sc_fail(err, SC_EUNSUP,
		       "SplitwiseSim has no table of %s on %s at tensor "
		       "parallel size %u: llama2-70b (2, 4, 8) and bloom-176b "
		       "(8) on a100-80gb, h100-80gb, h100-80gb-pcap; knobs "
		       "model and gpu name them",
		       model, gpu, p->tp);
}

static int32_t create(void **inst, const sc_setup *setup, const void *block,
		      sc_error *err)
{
	struct inst *s = calloc(1, sizeof *s);
	if (!s)
		return sc_fail(err, SC_ENOMEM, "out of memory");
	int32_t rc = start(s, setup, block, err);
	if (rc == SC_OK)
		*inst = s;
	else
		free(s);
	return rc;
}

/* Linear between points, and beyond the ends along the line of the last two. */
static double at(const struct profile *of, const double y[POINTS], double x)
{
	const double *t = of->tokens;
	int i = 0;
	while (i < POINTS - 2 && x > t[i + 1])
		i++;
	double slope = (y[i + 1] - y[i]) / (t[i + 1] - t[i]);
	return slope * (x - t[i]) + y[i];
}

/* A token's time is looked up at the number of decodes, though the axis is
 * prompt length times batch: no context is in it. */
static int32_t eval(void *inst, const sc_step *step, sc_result *out,
		    sc_error *err)
{
	const struct inst *s = inst;
	double q = step->n_decode, us;
	for (uint32_t i = 0; i < step->n_prefill; i++)
		q += (double)step->prefill_ctx[i] + step->prefill_new[i];
	if (!step->n_prefill)
		us = step->n_decode ? at(s->of, s->of->token_s, q) * 1e6 : 1;
	else
		us = at(s->of, s->of->prompt_s, q) * 1e6 *
		     (step->n_decode ? 1.1 : 1);
	if (!(us > 0))
		return sc_fail(
		    err, SC_EUNSUP,
		    "SplitwiseSim's line through its last two points "
		    "falls to 0 at %g tokens",
		    q);
	return field_answer(out, us);
}

SC_EVAL_BATCH(eval);

static const sc_plugin plugin = {
    .size = sizeof plugin,
    .abi_major = SC_ABI_MAJOR,
    .abi_minor = SC_ABI_MINOR,
    .capabilities = SC_CAP_NOT_MONOTONE,
    .name = "splitwise",
    .version = "8f99e7d",
    .summary = "SplitwiseSim: a table of whole batches",
    .n_knobs = sizeof knobs / sizeof *knobs,
    .knob = knobs,
    .knob_block = sizeof(struct knobs),
    .create = create,
    .destroy = free,
    .eval = eval,
    .eval_batch = eval_batch,
    .id = "io.github.mutinifni.splitwise-sim",
    .author = "Pratyush Patel and others",
    .licence = "MIT",
    .url = "https://github.com/Mutinifni/splitwise-sim",
    .citation = "Patel et al., Splitwise, ISCA 2024; splitwise-sim at 8f99e7d",
};
SC_PLUGIN_DEFINE(plugin);
