/* rows.c -- The rows of the policy, and nothing else. */
#include <math.h>
#include "policy/policy.h"

/* ---- constants ---- */

#define NUMBER(name, value, unit, row_group)                                   \
	{                                                                      \
		FROM(row_group), #name, value, unit                            \
	}
static const struct number_row numbers[] = {
    /* how far apart GPUs are: logarithms of ratios */
    NUMBER(same_rate, .02, "log",
	   "chosen: data sheets round by less, GPUs differ by more"),
    NUMBER(other_gpu, 1e-3, "log",
	   "definition: every other GPU is farther than the same one"),
    NUMBER(other_generation, 100, "log",
	   "definition: a number format that one of them lacks outweighs any "
	   "ratio of bandwidths"),
    NUMBER(peak_share, .01, "1",
	   "definition: peaks decide between GPUs of one bandwidth"),

    /* which kernels may be substituted */
    NUMBER(activation_share, .5, "1",
	   "chosen: a GEMM of decodes moves weights more than activations"),
    NUMBER(untuned_times, 2.5, "1",
	   "bench_data: FP8 experts of h200-sxm.vllm-0.24 (moe_suspect) take "
	   "3.5 to 6 times those of TensorRT-LLM, tuned ones of several "
	   "engines differ by 1.3"),

    /* how far apart shapes are: sums of logarithms of ratios */
    NUMBER(cache_bytes, 100e6, "byte",
	   "data sheets: L2 caches of 50 MB (H100) to 128 MB (RTX PRO 6000)"),
    NUMBER(cache_distance, 4, "1",
	   "chosen by leaving a tenth of the points of experts out: L40S "
	   "12.3 to 10.6 %, RTX PRO 6000 8.3 to 7.6 "
	   "(t/plugins/operators_held_out)"),
    NUMBER(residual_distance, 4, "1",
	   "chosen by leaving a tenth of the points out: MLA modules in "
	   "prefill 7.6 to 3.9 %, experts on H200 6.6 to 6.1 "
	   "(t/plugins/operators_held_out)"),
    NUMBER(other_kv_distance, 1, "log",
	   "chosen by leaving a tenth of the points of MLA modules out "
	   "(t/plugins/operators_held_out)"),
    NUMBER(least_moe_distance, .05, "log",
	   "families of experts left out of the tables in turn: median error "
	   "5 to 11 %, 12 to 25 % by the law alone"),
    NUMBER(least_neighbour_distance, .01, "log",
	   "definition: a donor at no distance counts finitely"),

    /* messages */
    NUMBER(rank_doubling, 1.15, "1",
	   "bench_data: all_reduce from 4 to 8 ranks takes 1.04 to 1.28 times "
	   "as long with NVLink, medians of 12 sets"),
    NUMBER(logits_gather, .5, "1",
	   "algorithm: an all-reduce is a reduce-scatter and an all-gather"),
    NUMBER(gather_ranks, 8, "1",
	   "bench_data: collective is measured up to 8 ranks"),
    NUMBER(nvlink_bytes_us, 100e3, "byte/us",
	   "data sheets: NVLink has 200 GB/s or more one way, PCIe 5 has 64"),
    NUMBER(stage_latency_us, 10, "us",
	   "assumed: no table has sends between pipeline stages"),
    NUMBER(stage_reached, .7, "1",
	   "assumed: no table has sends between pipeline stages"),
    NUMBER(link_reached, .7, "1",
	   "fitted: h100-sxm.deepep-sglang-0.5.6, normal mode in a node"),
    NUMBER(net_reached, .88, "1",
	   "fitted: h100-sxm.deepep-sglang-0.5.6, 16 to 32 GPUs; 17 % mean "
	   "error (t/plugins/operators_held_out)"),
    NUMBER(net_bytes_us, 50e3, "byte/us",
	   "data sheets: a network adapter of 400 Gb/s for each GPU"),
    NUMBER(dispatch_bytes, 1 + 4. / 128, "byte",
	   "DeepEP: FP8 with a scale of 4 bytes for 128 elements"),
    NUMBER(combine_bytes, 2, "byte", "DeepEP: bf16 on the way back"),
    NUMBER(normal_start_us, 35, "us", "fitted: h100-sxm.deepep-sglang-0.5.6"),
    NUMBER(normal_doubling_us, 25, "us",
	   "fitted: h100-sxm.deepep-sglang-0.5.6, a doubling of nodes"),
    NUMBER(low_latency_start_us, 15, "us",
	   "fitted: h100-sxm.deepep-sglang-0.5.6"),
    NUMBER(low_latency_doubling_us, 6, "us",
	   "fitted: h100-sxm.deepep-sglang-0.5.6, a doubling of nodes"),
    NUMBER(decode_set_ranks, 8, "1",
	   "bench_data: low_latency is measured with 8 ranks on every GPU"),
    NUMBER(
	decode_rank_doubling, .1, "1",
	"chosen: the share that a doubling of ranks within the links adds; "
	"published runs of DeepSeek-R1 with decode on 16 to 48 ranks of GB200"),
    NUMBER(decode_few_ranks, 4, "1",
	   "chosen: half of the measured ranks send half as many copies"),
    NUMBER(decode_few_factor, .75, "1",
	   "chosen: of the time with 8 ranks; published runs with decode on 4 "
	   "ranks"),
    NUMBER(decode_net_us, 30, "us",
	   "chosen: the start of an exchange between machines of 8 GPUs"),
    NUMBER(reduce_net_us, 15, "us",
	   "chosen: the start of one way over the network"),
    NUMBER(ring_bytes_us, 40e3, "byte/us",
	   "published runs of DeepSeek-R1 on 16 H100: 40 GB/s of a network "
	   "adapter of 400 Gb/s"),
    NUMBER(verify_heads, 64, "1",
	   "arithmetic: with 64 heads on a rank a token of latent attention "
	   "computes more than 110 FLOP a byte of its cache, so more queries "
	   "cost more"),
    NUMBER(ranks_distance, 8, "1",
	   "chosen: a network lies between some ranks and not between others"),
    NUMBER(experts_distance, .25, "1",
	   "chosen: the number of experts changes no bytes"),

    /* MXFP4 experts by Marlin (mxfp4_kernel) */
    NUMBER(marlin_start_us, 20, "us",
	   "chosen: small against the kernels that the tables have"),
    NUMBER(marlin_reached, .2072, "1",
	   "fitted: a step of 8,192 tokens of gpt-oss-120b takes 0.333 s on "
	   "H100 and H200 (SemiAnalysisAI/InferenceX, vLLM 0.18): 205 "
	   "TFLOP/s"),
    NUMBER(marlin_rows, 8, "token",
	   "chosen: half of Marlin's smallest tile, for each expert in use"),

    /* experts in FP8 blocks by DeepGEMM as vLLM 0.11 calls it */
    NUMBER(padded_reached, .645, "1",
	   "vllm-project/vllm pull request 13932, H100: DeepSeek-V3's experts "
	   "take 6,355 us at tp 1 and 3,745 at tp 2, 5.64 GB less"),

    /* small kernels, in addition to the rows of `small` */
    NUMBER(small_reached, .8, "1",
	   "chosen: what copies reach; small_us was then fitted to TPOT of "
	   "published runs (mean error 7.9 % at 2 us, 8.5 at 1 and at 3)"),
    NUMBER(core_small_kernels, 4, "1",
	   "counted in the engines: norms, rope and KV write"),
    NUMBER(logit_passes, 3, "1",
	   "counted in the engines: softmax and sampling pass the logits"),
    NUMBER(sampling_kernels, 5, "1",
	   "counted in the engines: what sampling launches"),

    /* padding; steps of both phases */
    NUMBER(pad_decodes, 8, "token",
	   "engines: graphs are captured at every 8 tokens"),
    NUMBER(pad_prompts, 64, "token",
	   "chosen: finer than the steps of the tables"),
    NUMBER(pad_prompts_from, 256, "token",
	   "chosen: a step of 64 is a quarter there, and less beyond"),
    NUMBER(mixed_decode, 1.5, "1",
	   "attention_mixed of rtxpro6000.llmservingsim and "
	   "rtx4090.llmservingsim: 1.5 to 1.8 with 4 heads a KV head"),

    /* Mamba-2's step, which no table has */
    NUMBER(
	mamba_step_us, 2, "us",
	"vLLM's selective_state_update on H100 and H200, 16 published points "
	"(vllm-project/vllm pull requests 43083 and 44251)"),
    NUMBER(mamba_reached, .78, "1",
	   "the same points: within 8 % from 2,048 states a step and below "
	   "256, 10 to 34 % too slow between"),
    NUMBER(mhc_streams, 4, "1",
	   "config.json of DeepSeek-V4: hc_mult, which layers do not tell"),
};

/* ---- engines ---- */

static const struct engine_row engines[] = {
    {FROM("vLLM: asynchronous scheduling from 0.14, 8-bit activations of MXFP4 "
	  "on Blackwell from 0.15, piecewise graphs, a batch queue, ranks that "
	  "pad to the busiest in every step before 0.17 (vllm-project/vllm "
	  "pull request 34102); its GEMM tables hold quantization "
	  "(doc/tables.md)"),
     .name = "vllm", .code = SC_ENGINE_VLLM, .host_before = HOST_SYNC,
     .host_from = {0, 14}, .host = HOST_ASYNC, .mxfp4_from = {0, 15},
     .pads_less_from = {0, 17}, .captures_prompts = 1, .queues_batches = 1},
    {FROM("SGLang 0.5: an overlap scheduler in Python, graphs of decodes; its "
	  "GEMM tables are the bare kernel (doc/tables.md)"),
     .name = "sglang", .code = SC_ENGINE_SGLANG, .host_before = HOST_OVERLAP,
     .host_from = SINCE_EVER, .host = HOST_OVERLAP, .mxfp4_from = SINCE_EVER,
     .pads_less_from = SINCE_EVER, .quantizes_apart = 1},
    {FROM("TensorRT-LLM: all host code overlaps from 1.1, graphs of decodes; "
	  "its GEMM tables hold no quantization"),
     .name = "trtllm", .other_name = "tensorrt-llm",
     .code = SC_ENGINE_TENSORRT_LLM, .host_before = HOST_OVERLAP,
     .host_from = {1, 1}, .host = HOST_ASYNC, .mxfp4_from = SINCE_EVER,
     .pads_less_from = SINCE_EVER, .quantizes_apart = 1},
};

static const struct host_row hosts[] = {
    {FROM("robust regression of served TPOT: 57 published runs, Qwen3-32B on "
	  "H100, vLLM 0.12"),
     .host = HOST_SYNC, .step_us = 1580, .seq_us = 49, .is_hidden = 1},
    {FROM("robust regression of served TPOT: 387 published runs of SGLang 0.5 "
	  "and TensorRT-LLM 1.0, 5 pairs of model and GPU"),
     .host = HOST_OVERLAP, .step_us = 510, .seq_us = 22},
    {FROM("robust regression of served TPOT: 621 published runs of vLLM from "
	  "0.14 and TensorRT-LLM from 1.1, 11 pairs of model and GPU"),
     .host = HOST_ASYNC, .step_us = 12, .seq_us = 5.2},
};

static const struct order_row orders[] = {
    {FROM("bench_data: FP8 GEMMs of TensorRT-LLM have a floor of 8 to 14 us "
	  "that served models do not show; TPOT of published runs 9.4 % off "
	  "by its own table, 7.9 by SGLang's"),
     .of = "gemm", .dtype = "fp8", .simulated = ENGINE_TRTLLM,
     .asked = {ENGINE_SGLANG, ENGINE_TRTLLM, ENGINE_VLLM, ENGINE_OTHER,
	       END_OF_ORDER}},
    {FROM("as for fp8"), .of = "gemm", .dtype = "fp4",
     .simulated = ENGINE_TRTLLM,
     .asked = {ENGINE_SGLANG, ENGINE_TRTLLM, ENGINE_VLLM, ENGINE_OTHER,
	       END_OF_ORDER}},
    {FROM("bench_data: the faster of these counts, since vLLM's has a floor of "
	  "71 to 90 us of host time on Hopper and GB200; TPOT of published "
	  "runs 8.4 % off by the own module, 7.9 by the faster"),
     .of = ORDER_MODULES, .asked = {ENGINE_VLLM, ENGINE_TRTLLM, END_OF_ORDER}},
    {FROM("bench_data: NCCL's sets are of no engine, and no engine has "
	  "collectives of its own"),
     .of = ORDER_COLLECTIVES,
     .asked = {ENGINE_OTHER, ENGINE_VLLM, ENGINE_SGLANG, ENGINE_TRTLLM,
	       END_OF_ORDER}},
    {FROM("published runs, TPOT: 7.9 % off by own tables, 9.6 by vLLM's alone, "
	  "11.0 by TensorRT-LLM's, 15.6 by SGLang's"),
     .asked = {ENGINE_AUTO, ENGINE_VLLM, ENGINE_SGLANG, ENGINE_TRTLLM,
	       ENGINE_OTHER, END_OF_ORDER}},
};

/* ---- formats ---- */

#define ANY_BITS .bits_from = 0, .bits_to = INFINITY
static const struct weights_row weights[] = {
    {FROM("definition"), .format = SC_BF16, ANY_BITS, .gemm = "bf16",
     .experts = "bf16"},
    {FROM("kernels of 16 bit are measured in bf16"), .format = SC_FP16,
     ANY_BITS, .gemm = "bf16", .experts = "bf16"},
    {FROM("a scale for a tensor or a channel: 8.00 bits"), .format = SC_FP8,
     .bits_from = 0, .bits_to = 8.0005, .scales = SCALES_TENSOR, .gemm = "fp8",
     .experts = "fp8"},
    {FROM("DeepSeek-V3: a scale for 128 x 128 weights: 8.002 bits"),
     .format = SC_FP8, ANY_BITS, .scales = SCALES_BLOCK, .gemm = "fp8_block",
     .experts = "fp8_block"},
    {FROM("OCP MX: MXFP4 on both sides; AMD multiplies it"), .format = SC_FP4,
     .bits_from = 4.24, .bits_to = 4.26, .activation_bits = 4,
     .gemm = "w4a4_mxfp4", .experts = "w4a4_mxfp4"},
    {FROM("OCP MX: MXFP4 has a scale of 8 bits for 32 weights"),
     .format = SC_FP4, .bits_from = 4.24, .bits_to = 4.26, .is_wide = 1,
     .gemm = "w4a16", .experts = "w4a16_mxfp4"},
    {FROM("the same with MXFP8 activations"), .format = SC_FP4,
     .bits_from = 4.24, .bits_to = 4.26, .gemm = "w4a16",
     .experts = "w4a8_mxfp4_mxfp8"},
    {FROM("NVIDIA: NVFP4 has a scale of 8 bits for 16 weights"),
     .format = SC_FP4, .bits_from = 4.49, .bits_to = 4.51, .gemm = "fp4",
     .experts = "nvfp4"},
    {FROM("FP4 at other bits: no table has it; NVFP4 is nearest"),
     .format = SC_FP4, ANY_BITS, .gemm = "fp4", .experts = "nvfp4",
     .gemm_how = SC_SUBSTITUTED, .experts_how = SC_SUBSTITUTED},
    {FROM("GPTQ and AWQ: 16-bit activations"), .format = SC_INT4, ANY_BITS,
     .gemm = "w4a16", .experts = "w4a16"},
    {FROM("weights alone in INT8; no table has such experts"),
     .format = SC_INT8, ANY_BITS, .is_wide = 1, .gemm = "w8a16",
     .experts = "fp8", .experts_how = SC_SUBSTITUTED},
    {FROM("W8A8; no table has such experts"), .format = SC_INT8, ANY_BITS,
     .gemm = "int8", .experts = "fp8", .experts_how = SC_SUBSTITUTED},
    {FROM("no table has another format"), ANY_BITS, .gemm = "bf16",
     .experts = "bf16", .gemm_how = SC_SUBSTITUTED,
     .experts_how = SC_SUBSTITUTED},
};

/* A word that all tables share needs no row. */
static const struct word_row words[] = {
    {FROM("no set has a module in fp8; its blocks are nearest"), .word = "fp8",
     .gemm = "fp8", .experts = "fp8", .module = "fp8_block",
     .module_how = SC_SUBSTITUTED},
    {FROM("no set has a module in int8; FP8 blocks move as much"),
     .word = "int8", .gemm = "int8", .experts = "int8", .module = "fp8_block",
     .module_how = SC_SUBSTITUTED},
    {FROM("bench_data: tables of GEMMs call NVFP4 fp4"), .word = "fp4",
     .gemm = "fp4", .experts = "nvfp4", .module = "nvfp4"},
    {FROM("bench_data: tables of GEMMs call NVFP4 fp4"), .word = "nvfp4",
     .gemm = "fp4", .experts = "nvfp4", .module = "nvfp4"},
    {FROM("no set has a module of weights alone in 4 bits; bf16 multiplies "
	  "alike"),
     .word = "w4a16", .gemm = "w4a16", .experts = "w4a16", .module = "bf16",
     .module_how = SC_SUBSTITUTED},
    {FROM("no set has a module of weights alone in 8 bits; bf16 multiplies "
	  "alike"),
     .word = "w8a16", .gemm = "w8a16", .experts = "w8a16", .module = "bf16",
     .module_how = SC_SUBSTITUTED},
    {FROM("bench_data: tables of GEMMs do not tell 4-bit formats apart"),
     .word = "w4a16_mxfp4", .gemm = "w4a16", .experts = "w4a16_mxfp4",
     .module = "w4a16_mxfp4"},
    {FROM("stored as INT4: multiplied with 16-bit activations"), .word = "int4",
     .gemm = "w4a16", .experts = "w4a16", .module = "bf16",
     .module_how = SC_SUBSTITUTED},
    {FROM("stored as MXFP4: multiplied with 16-bit activations"),
     .word = "mxfp4", .gemm = "w4a16", .experts = "w4a16_mxfp4",
     .module = "w4a16_mxfp4"},
};

static const struct plain_row plain[] = {
    {FROM("definition"), SC_BF16, "bf16"},
    {FROM("kernels of 16 bit are measured in bf16"), SC_FP16, "bf16"},
    {FROM("definition"), SC_FP8, "fp8"},
    {FROM("NVFP4 is the FP4 that GPUs multiply"), SC_FP4, "fp4"},
    {FROM("16-bit activations, as GPTQ and AWQ"), SC_INT4, "w4a16"},
    {FROM("8-bit activations"), SC_INT8, "int8"},
};

static const struct stand_in_row stand_ins[] = {
    {FROM("the same bytes and FLOPs except the scales"), "fp8_block", "fp8"},
    {FROM("the same bytes, and FLOPs at the same peak"), "int8", "fp8"},
    {FROM("served runs of weights alone in INT4 or INT8 on H100 and B200: its "
	  "residual at their own law's bytes"),
     NULL, "bf16"},
};

static const struct quantized_row quantized[] = {
    {FROM("doc/tables.md: tables of GEMMs that are the bare kernel"), "fp8"},
    {FROM("doc/tables.md: tables of GEMMs that are the bare kernel"),
     "fp8_block"},
    {FROM("doc/tables.md: tables of GEMMs that are the bare kernel"), "fp4"},
};

/* ---- kernels ---- */

static const struct small_row small[] = {
    {FROM("counted: two norms read and write state and residual in 16 bit"),
     SMALL_LAYER, .hidden = 16},
    {FROM("counted in the engines: the norms before and behind the module"),
     SMALL_MLA, .kernels = 2},
    {FROM("counted in the engines: norm, rope, KV write, norm; in 16 bit"),
     SMALL_SOFTMAX, .kernels = 4, .heads = 6, .kv_heads = 6},
    {FROM("counted in the engines: one kernel norms both"), SMALL_QK_NORM,
     .kernels = 1},
    {FROM("assumed: one kernel; what it reads and writes in 16 bit"),
     SMALL_GATE, .kernels = 1, .heads = 8},
    {FROM("assumed; the error of TPOT of 107 published runs of Qwen3.5-397B is "
	  "the same with 2 to 8"),
     SMALL_LINEAR, .kernels = 4, .channels = 6},
    {FROM("counted in the engines: the norms before and behind the module"),
     SMALL_SPARSE, .kernels = 2},
    {FROM(
	 "counted in the engines: before QKV and before the output; 16 bit in, "
	 "8 out"),
     SMALL_QUANTIZED, .kernels = 2, .hidden = 3, .heads = 3},
    {FROM("counted in the engines: top-k"), SMALL_EXPERTS, .kernels = 1},
    {FROM(
	 "counted in the engines: activation, sum with the experts; in 16 bit"),
     SMALL_SHARED, .kernels = 2, .hidden = 6, .ffn = 6},
    {FROM("counted in the engines: activation; gate, up, product in 16 bit"),
     SMALL_DENSE, .kernels = 1, .ffn = 6},
    {FROM("counted in the engines: before gate and up; 16 bit in, 8 out"),
     SMALL_DENSE_QUANTIZED, .kernels = 1, .hidden = 3},
};

static const struct ungated_row ungated[] = {
    {FROM("config.json of Nemotron 3 Nano: experts of relu2, without a gate; "
	  "TensorRT-LLM names its kernels nongated"),
     .hidden = 2688, .experts = 128},
    {FROM("config.json of Nemotron 3 Super and Ultra: the same; no other model "
	  "chooses 22 experts"),
     .topk = 22},
};

/* ---- prompts without a graph ---- */

static const struct eager_row eagers[] = {
    {FROM("fitted, of 1.0, 1.5, 2.0 ms: one prompt takes 99 to 160 ms in 60 to "
	  "94 layers, as three publishers measured"),
     .engine = ENGINE_SGLANG, .attention = SC_ATTN_MLA, .layer_us = 2000},
    {FROM("the same runs: DeepSeek under TensorRT-LLM 1.1 and 1.2"),
     .engine = ENGINE_TRTLLM, .attention = SC_ATTN_MLA, .layer_us = 2000},
    {FROM("the same runs: Qwen3.5-397B under SGLang 0.5.9"),
     .engine = ENGINE_SGLANG, .attention = SC_ATTN_LINEAR, .experts = MANY,
     .layer_us = 2000},
    {FROM(
	 "the same runs: Qwen3-235B under SGLang 0.5.6; smaller models show no "
	 "such floor"),
     .engine = ENGINE_SGLANG, .attention = SC_ATTN_FULL, .hidden = 4096,
     .experts = 128, .layer_us = 2000},
};

static const struct layer_row layers[] = {
    {FROM("fitted: TPOT of 7 published runs of DeepSeek-R1 on MI300X and "
	  "MI325X, SGLang 0.5.12; on MI355X such runs need none"),
     .gpu = "mi300x", .layer_us = 55},
    {FROM("as for MI300X: the same chip with other memory"), .gpu = "mi325x",
     .layer_us = 55},
};

/* ---- all ---- */

#define COUNT(table) (sizeof(table) / sizeof *(table))
const struct policy_rows policy_shipped = {
    .file = "policy/rows.c",
    .number = numbers,
    .n_numbers = COUNT(numbers),
    .engine = engines,
    .n_engines = COUNT(engines),
    .host = hosts,
    .n_hosts = COUNT(hosts),
    .order = orders,
    .n_orders = COUNT(orders),
    .weights = weights,
    .n_weights = COUNT(weights),
    .word = words,
    .n_words = COUNT(words),
    .plain = plain,
    .n_plain = COUNT(plain),
    .stand_in = stand_ins,
    .n_stand_ins = COUNT(stand_ins),
    .quantized = quantized,
    .n_quantized = COUNT(quantized),
    .small = small,
    .n_small = COUNT(small),
    .ungated = ungated,
    .n_ungated = COUNT(ungated),
    .eager = eagers,
    .n_eager = COUNT(eagers),
    .layer = layers,
    .n_layers = COUNT(layers),
};
