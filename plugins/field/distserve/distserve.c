/* distserve: the profiled polynomials of DistServe's simulator, one phase at a
 * time; distserve.md has the formulas. */
#include "field.h"
#include "stepcost/batch.h"

#define ENGINES(X) X(ENGINE_DISTSERVE, "distserve"), X(ENGINE_VLLM, "vllm")
SC_WORDS(engine, ENGINES);
struct knobs {
	const char *model, *gpu;
	int64_t engine;
};
static const sc_knob *const knobs[] = {
    SC_TEXT(struct knobs, model, "",
	    "A model of the origin's profiles: facebook/opt-13b, "
	    "facebook/opt-66b. Empty: by the name of the model."),
    SC_TEXT(struct knobs, gpu, "",
	    "Another GPU of the origin's list, a100-80-sxm alone. Empty: that "
	    "of [hardware]."),
    SC_CHOICE(struct knobs, engine, "distserve", engine_words,
	      "The engine that was profiled."),
};

/* a + b x + c y, ms. */
struct law {
	double a, b, c;
};
static const struct profile {
	int64_t engine;
	const char *model;
	uint32_t tp;
	double large_batch;
	struct law prefill, small, large;
} profiles[] = {
    /* profile_data of LLMServe/DistServe @ 82831f1; A100 80 GB */
    /* clang-format off */
    {ENGINE_DISTSERVE, "facebook/opt-13b", 1, 95,
     {18.10254647486372, 0.1019122572698738, 7.122264314252114e-06},
     {19.934702624895458, 0.0006269356524350583, 0.03850697740828398},
     {7.1661889468253595, 0.0005798000403396046, 0.15831096191764046}},
    {ENGINE_DISTSERVE, "facebook/opt-13b", 2, 95,
     {14.742973695171262, 0.06857720739764, 2.4495727400243586e-06},
     {13.294796350285385, 0.00034109219700723494, 0.06296393225243659},
     {10.638741913126715, 0.00031183369638295723, 0.08562913604102729}},
    {ENGINE_DISTSERVE, "facebook/opt-13b", 4, 95,
     {12.062297033449054, 0.03808140082550695, 5.226249731787869e-07},
     {10.256231678259395, 0.00018786702316166354, 0.03269273629225551},
     {10.483514938375274, 0.00017120888562939117, 0.04566648525887034}},
    {ENGINE_DISTSERVE, "facebook/opt-66b", 2, 95,
     {43.05881348288936, 0.2742292870458432, 2.2478042467169447e-05},
     {48.288015489286245, 0.0009424343535737985, 0.12755020094383188},
     {28.727693993711597, 0.00047448475459061987, 0.29617792360743994}},
    {ENGINE_DISTSERVE, "facebook/opt-66b", 3, 95,
     {32.998230028437035, 0.19568256864690514, 1.2205248980953765e-05},
     {35.8015439512012, 0.0005845004786127403, 0.0952669764890301},
     {22.653861586978355, 0.0005358489190129727, 0.208514444037787}},
    {ENGINE_DISTSERVE, "facebook/opt-66b", 4, 95,
     {29.441636037717455, 0.151352180625198, 8.317450765979451e-06},
     {30.760284619429587, 0.000451947603788462, 0.063284195750671},
     {27.47082137429487, 0.0004046845541646486, 0.12480667738300383}},
    {ENGINE_DISTSERVE, "facebook/opt-66b", 8, 95,
     {25.490662375045222, 0.10659177664763161, 3.3910502518615973e-06},
     {23.15511135047022, 0.00022691488497826264, 0.04800638397272423},
     {21.71772781576609, 0.0003758089655762475, 0.08978614175851013}},
    {ENGINE_VLLM, "facebook/opt-13b", 1, 95,
     {22.052204789310185, 0.14050923870128956, 8.076584822611088e-06},
     {23.475041008414784, 0.000592934466077393, 0.060726861260369455},
     {20.206356173691958, 0.0004907727036234946, 0.1200031385587413}},
    {ENGINE_VLLM, "facebook/opt-13b", 2, 95,
     {27.440806247810684, 0.0905453268062731, 8.452054313246025e-06},
     {24.54058424191086, 0.00022440145424035404, 0.08715787269447899},
     {17.947769467112806, 0.0004570851465217072, 0.11179075830699213}},
    {ENGINE_VLLM, "facebook/opt-13b", 4, 95,
     {30.536322590049405, 0.05150644936810146, 4.232473132942393e-07},
     {25.90114444283343, 7.753634454230709e-05, 0.05528087160867803},
     {23.88388468859458, 0.00028400164093310935, 0.06276523831046728}},
    {ENGINE_VLLM, "facebook/opt-66b", 2, 95,
     {58.3822026348141, 0.3826408030281867, -7.1141486747694485e-06},
     {57.07344137197128, 0.0036461138777547255, 0.2249373634499222},
     {26.983759428854572, 0.006200132376379982, 0.4482569479277445}},
    {ENGINE_VLLM, "facebook/opt-66b", 3, 95,
     {45.74453423698261, 0.2778127747865773, 3.64624693008797e-05},
     {44.93958620555262, 0.0008096152552620141, 0.21287979591036174},
     {43.69602916834496, 0.0008402567346080152, 0.24006467608312998}},
    {ENGINE_VLLM, "facebook/opt-66b", 4, 95,
     {42.965489361973944, 0.2128658422785494, 4.601017396226869e-05},
     {39.58178936012414, 0.0006945721692406896, 0.13580868185596764},
     {40.859718006896806, 0.0004264871259058686, 0.19508372547790553}},
    {ENGINE_VLLM, "facebook/opt-66b", 8, 95,
     {38.931193445523604, 0.1573682229779579, 4.531676245669589e-06},
     {31.176041922273107, 0.00027556543631760213, 0.0679770397053775},
     {29.087774405517447, 0.0006027720257746419, 0.1389608688300688}},
    /* clang-format on */
};

struct inst {
	const struct profile *of;
	double pp;
};

static const char *const *const gpu_names[] = {
    (const char *const[]){"a100-80-sxm", "A100-80", NULL}};

static int32_t start(struct inst *s, const sc_setup *setup,
		     const struct knobs *k, sc_error *err)
{
	const char *model = *k->model ? k->model : setup->model->name;
	const sc_parallel *p = setup->parallel;
	int32_t rc = field_split(p, FIELD_TP | FIELD_PP, "DistServe", err);
	if (rc != SC_OK)
		return rc;
	if (field_gpu(gpu_names, 1, setup, k->gpu, "DistServe", err) < 0)
		return SC_EUNSUP;
	for (size_t i = 0; i < sizeof profiles / sizeof *profiles; i++)
		if (profiles[i].engine == k->engine &&
		    profiles[i].tp == p->tp &&
		    !strcasecmp(profiles[i].model, model))
			s->of = &profiles[i];
	s->pp = fmax(1, p->pp);
	if (s->of)
		return SC_OK;
	return sc_fail(
	    err, SC_EUNSUP,
	    "DistServe has no profile of %s at tensor parallel size "
	    "%u: facebook/opt-13b (1, 2, 4) and facebook/opt-66b (2, "
	    "3, 4, 8); knob model names one",
	    model, p->tp);
}

FIELD_CREATE(struct inst, start)

/* The origin prices a mixed step as its prefills alone.  The time is that of
 * one pipeline stage; each stage waits it in turn. */
static int32_t eval(void *inst, const sc_step *step, sc_result *out,
		    sc_error *err)
{
	const struct inst *s = inst;
	const struct profile *of = s->of;
	double n = 0, squares = 0, d = step->n_decode, ms = 0;
	(void)err;
	for (uint32_t i = 0; i < step->n_prefill; i++) {
		n += step->prefill_new[i];
		squares += (double)step->prefill_new[i] * step->prefill_new[i];
	}
	if (step->n_prefill) {
		const struct law *l = &of->prefill;
		ms = (l->a + l->b * n + l->c * squares) / s->pp + s->pp;
	} else if (step->n_decode) {
		const struct law *l =
		    d < of->large_batch ? &of->small : &of->large;
		double held = (double)sc_decode_ctx_sum(step) + d;
		ms = (l->a + l->b * held + l->c * d) / s->pp;
	}
	field_answer(out, ms * 1000 * s->pp);
	out->ready_us = fmax(ms * 1000, 1);
	return SC_OK;
}

SC_EVAL_BATCH(eval);

static const sc_plugin plugin = {
    .size = sizeof plugin,
    .abi_major = SC_ABI_MAJOR,
    .abi_minor = SC_ABI_MINOR,
    .capabilities = SC_CAP_NOT_MONOTONE,
    .name = "distserve",
    .version = "82831f1",
    .summary = "DistServe: profiled polynomials of OPT on A100",
    .n_knobs = sizeof knobs / sizeof *knobs,
    .knob = knobs,
    .knob_block = sizeof(struct knobs),
    .create = create,
    .destroy = free,
    .eval = eval,
    .eval_batch = eval_batch,
    .id = "io.github.llmserve.distserve",
    .author = "Yinmin Zhong and others",
    .licence = "Apache-2.0",
    .url = "https://github.com/LLMServe/DistServe",
    .citation = "Zhong et al., DistServe, OSDI 2024; simulator at 82831f1",
};
SC_PLUGIN_DEFINE(plugin);
