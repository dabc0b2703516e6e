//! Constants and structs of stepcost/plugin.h; made by tools/abi.py --rust.
#![allow(dead_code, non_camel_case_types)]
use std::ffi::{c_char, c_void};
pub const SC_ABI_MAJOR: u32 = 1;
pub const SC_ABI_MINOR: u32 = 3;
pub const SC_OK: i32 = 0;
pub const SC_EINVAL: i32 = -1;
pub const SC_ENODATA: i32 = -2;
pub const SC_ENOMEM: i32 = -3;
pub const SC_EUNSUP: i32 = -4;
#[repr(C)]
#[derive(Clone, Copy)]
pub struct sc_error {
    pub size: u32,
    pub code: i32,
    pub text: [c_char; 248],
}
const _: () = assert!(std::mem::size_of::<sc_error>() == 256);
impl sc_error {
    /// 0 and NULL everywhere.
    pub const NOTHING: Self = unsafe { std::mem::zeroed() };
}
pub const SC_FP32: u32 = 1;
pub const SC_FP16: u32 = 2;
pub const SC_BF16: u32 = 3;
pub const SC_FP8: u32 = 4;
pub const SC_INT8: u32 = 5;
pub const SC_FP4: u32 = 6;
pub const SC_INT4: u32 = 7;
pub const SC_ATTN_NONE: u32 = 0;
pub const SC_ATTN_FULL: u32 = 1;
pub const SC_ATTN_WINDOW: u32 = 2;
pub const SC_ATTN_CHUNK: u32 = 3;
pub const SC_ATTN_MLA: u32 = 4;
pub const SC_ATTN_LINEAR: u32 = 5;
pub const SC_LINEAR_NONE: u32 = 0;
pub const SC_LINEAR_GDN: u32 = 1;
pub const SC_LINEAR_KDA: u32 = 2;
pub const SC_LINEAR_MAMBA2: u32 = 3;
pub const SC_LINEAR_MAMBA1: u32 = 4;
pub const SC_LINEAR_LIGHTNING: u32 = 5;
pub const SC_LINEAR_SHORT_CONV: u32 = 6;
pub const SC_LINEAR_MATRIX: u32 = 7;
pub const SC_FFN_NONE: u32 = 0;
pub const SC_FFN_GATED: u32 = 1;
pub const SC_FFN_PLAIN: u32 = 2;
pub const SC_FFN_MOE: u32 = 3;
pub const SC_LAYER_QK_NORM: u32 = 1;
pub const SC_LAYER_SPARSE: u32 = 2;
pub const SC_LAYER_OTHER: u32 = 4;
pub const SC_LAYER_INDEXER: u32 = 8;
pub const SC_LAYER_OUTPUT_GATE: u32 = 16;
pub const SC_LAYER_QK_NORM_ALL_HEADS: u32 = 32;
#[repr(C)]
#[derive(Clone, Copy)]
pub struct sc_layers {
    pub size: u32,
    pub n_layers: u32,
    /// SC_ATTN_*
    pub attention: u32,
    pub n_heads: u32,
    pub n_kv_heads: u32,
    pub head_dim: u32,
    /// tokens; 0: no window
    pub window: u32,
    /// MLA, else 0
    pub q_lora_rank: u32,
    /// MLA, else 0
    pub kv_lora_rank: u32,
    /// MLA, else 0
    pub qk_nope_dim: u32,
    /// MLA, else 0
    pub qk_rope_dim: u32,
    /// MLA, else 0
    pub v_dim: u32,
    /// SC_FFN_*
    pub ffn: u32,
    /// of the dense FFN, or of one routed expert
    pub ffn_dim: u32,
    /// MoE, else 0
    pub n_experts: u32,
    /// MoE, else 0
    pub experts_per_token: u32,
    pub n_shared_experts: u32,
    pub shared_ffn_dim: u32,
    /// SC_FP8 …
    pub attn_format: u32,
    /// SC_FP8 …
    pub ffn_format: u32,
    /// SC_FP8 …
    pub expert_format: u32,
    pub reserved: u32,
    /// Stored bits per weight, scales included: 16, 8, 4.25 …
    pub attn_bits: f64,
    /// Stored bits per weight, scales included: 16, 8, 4.25 …
    pub ffn_bits: f64,
    /// Stored bits per weight, scales included: 16, 8, 4.25 …
    pub expert_bits: f64,
    /// SC_LAYER_*
    pub flags: u32,
    /// Bits of activations in quantized layers, as the checkpoint asks for: 16, 8 or 4; 0: not known.
    pub activation_bits: u32,
    /// SC_LINEAR_*
    pub linear_kind: u32,
    /// Heads of keys and of values, and their sizes. Mamba-2: groups, size of the state, heads, size of a head.
    pub linear_k_heads: u32,
    /// Heads of keys and of values, and their sizes. Mamba-2: groups, size of the state, heads, size of a head.
    pub linear_k_dim: u32,
    /// Heads of keys and of values, and their sizes. Mamba-2: groups, size of the state, heads, size of a head.
    pub linear_v_heads: u32,
    /// Heads of keys and of values, and their sizes. Mamba-2: groups, size of the state, heads, size of a head.
    pub linear_v_dim: u32,
    /// width of the convolution
    pub linear_conv: u32,
    /// Mamba-2: tokens of a chunk; 0: not known
    pub linear_chunk: u32,
    /// of a number of the recurrent state
    pub state_bits: u32,
    /// SC_LAYER_SPARSE: the indexer, and how many tokens it chooses.
    pub index_heads: u32,
    /// SC_LAYER_SPARSE: the indexer, and how many tokens it chooses.
    pub index_dim: u32,
    /// SC_LAYER_SPARSE: the indexer, and how many tokens it chooses.
    pub index_topk: u32,
    /// tokens that one entry of the KV cache stands for
    pub compress_ratio: u32,
    /// Output projection of low rank (DeepSeek-V4), which no other kind of attention here has.
    pub o_groups: u32,
    /// Output projection of low rank (DeepSeek-V4), which no other kind of attention here has.
    pub o_lora_rank: u32,
}
const _: () = assert!(std::mem::size_of::<sc_layers>() == 176);
impl sc_layers {
    /// 0 and NULL everywhere.
    pub const NOTHING: Self = unsafe { std::mem::zeroed() };
}
#[repr(C)]
#[derive(Clone, Copy)]
pub struct sc_model {
    pub size: u32,
    pub hidden: u32,
    pub vocab: u32,
    /// 0 or 1
    pub tied_embeddings: u32,
    pub compute_format: u32,
    pub head_format: u32,
    pub kv_format: u32,
    pub n_groups: u32,
    /// [n_groups]
    pub group: *const *const sc_layers,
    pub name: *const c_char,
    pub embed_bits: f64,
    pub head_bits: f64,
    pub kv_bits: f64,
    /// parameters of the whole model, embeddings included
    pub n_params: u64,
}
const _: () = assert!(std::mem::size_of::<sc_model>() == 80);
impl sc_model {
    /// 0 and NULL everywhere.
    pub const NOTHING: Self = unsafe { std::mem::zeroed() };
}
#[repr(C)]
#[derive(Clone, Copy)]
pub struct sc_hardware {
    pub size: u32,
    /// 0: unknown
    pub sm_count: u32,
    pub name: *const c_char,
    /// dense peak FLOP/s by number format, index SC_*; 0: unsupported
    pub peak_flops: [f64; 16],
    /// byte/s
    pub mem_bandwidth: f64,
    pub mem_bytes: f64,
    pub l2_bytes: f64,
    /// byte/s, one direction, within a node
    pub link_bandwidth: f64,
    pub link_latency_us: f64,
    /// between nodes
    pub net_bandwidth: f64,
    /// between nodes
    pub net_latency_us: f64,
    pub tdp_watts: f64,
    pub usd_per_hour: f64,
}
const _: () = assert!(std::mem::size_of::<sc_hardware>() == 216);
impl sc_hardware {
    /// 0 and NULL everywhere.
    pub const NOTHING: Self = unsafe { std::mem::zeroed() };
}
#[repr(C)]
#[derive(Clone, Copy)]
pub struct sc_parallel {
    pub size: u32,
    pub tp: u32,
    pub pp: u32,
    pub ep: u32,
    pub dp: u32,
}
const _: () = assert!(std::mem::size_of::<sc_parallel>() == 20);
impl sc_parallel {
    /// 0 and NULL everywhere.
    pub const NOTHING: Self = unsafe { std::mem::zeroed() };
}
pub const SC_SAMPLING_UNKNOWN: u32 = 0;
pub const SC_SAMPLING_GREEDY: u32 = 1;
pub const SC_SAMPLING_RANDOM: u32 = 2;
pub const SC_SAMPLING_TOP_P: u32 = 3;
pub const SC_ENGINE_UNKNOWN: u32 = 0;
pub const SC_ENGINE_VLLM: u32 = 1;
pub const SC_ENGINE_SGLANG: u32 = 2;
pub const SC_ENGINE_TENSORRT_LLM: u32 = 3;
#[repr(C)]
#[derive(Clone, Copy)]
pub struct sc_engine {
    pub size: u32,
    pub max_num_seqs: u32,
    pub max_num_batched_tokens: u32,
    pub block_size: u32,
    /// largest captured batch; 0: no graphs (eager)
    pub graph_max_tokens: u32,
    /// 0 or 1
    pub async_scheduling: u32,
    /// SC_SAMPLING_*: how requests sample tokens
    pub sampling: u32,
    /// SC_ENGINE_*: the engine that is modelled
    pub engine: u32,
    /// draft tokens per sequence; 0: none
    pub num_speculative_tokens: u32,
    /// engine preset, "vllm-0.24"; NULL: none
    pub preset: *const c_char,
    /// tokens that the KV cache of one replica holds; 0: not known, as where single steps are priced
    pub kv_tokens: f64,
    /// the engine's own name of the back end of its all-to-all ("deepep_low_latency"); NULL: none
    pub expert_dispatch: *const c_char,
}
const _: () = assert!(std::mem::size_of::<sc_engine>() == 64);
impl sc_engine {
    /// 0 and NULL everywhere.
    pub const NOTHING: Self = unsafe { std::mem::zeroed() };
}
#[repr(C)]
#[derive(Clone, Copy)]
pub struct sc_table {
    pub size: u32,
    pub n_cols: u32,
    pub n_rows: u64,
    /// "h100-sxm.infersim", "gemm"
    pub set: *const c_char,
    /// "h100-sxm.infersim", "gemm"
    pub op: *const c_char,
    /// path, for messages
    pub origin: *const c_char,
    pub col_name: *const *const c_char,
    pub col: *const *const f64,
    pub text: *const *const *const c_char,
    pub n_notes: u32,
    pub reserved: u32,
    /// [2 * n_notes]
    pub note: *const *const c_char,
}
const _: () = assert!(std::mem::size_of::<sc_table>() == 80);
impl sc_table {
    /// 0 and NULL everywhere.
    pub const NOTHING: Self = unsafe { std::mem::zeroed() };
}
#[repr(C)]
#[derive(Clone, Copy)]
pub struct sc_host {
    pub size: u32,
    pub abi_minor: u32,
    pub ctx: *mut c_void,
    /// Writes a message to the host's log. level: 0 debug, 1 info, 2 warning. Call it from create() only. An instance may write 100 messages of 1000 bytes; the host counts the others. [main]
    pub log: Option<unsafe extern "C" fn(*const sc_host, i32, *const c_char)>,
    /// Returns a later interface by its name, or NULL if the host does not know it. [main]
    pub extension: Option<unsafe extern "C" fn(*const sc_host, *const c_char) -> *const c_void>,
}
const _: () = assert!(std::mem::size_of::<sc_host>() == 32);
impl sc_host {
    /// 0 and NULL everywhere.
    pub const NOTHING: Self = unsafe { std::mem::zeroed() };
}
#[repr(C)]
#[derive(Clone, Copy)]
pub struct sc_setup {
    pub size: u32,
    pub n_tables: u32,
    pub host: *const sc_host,
    pub model: *const sc_model,
    pub hardware: *const sc_hardware,
    pub parallel: *const sc_parallel,
    pub engine: *const sc_engine,
    /// [n_tables]
    pub table: *const *const sc_table,
    /// the folder of the plugin's own data, an absolute path; NULL: it has none.
    pub plugin_dir: *const c_char,
}
const _: () = assert!(std::mem::size_of::<sc_setup>() == 64);
impl sc_setup {
    /// 0 and NULL everywhere.
    pub const NOTHING: Self = unsafe { std::mem::zeroed() };
}
pub const SC_STEP_GRAPH: u32 = 1;
#[repr(C)]
#[derive(Clone, Copy)]
pub struct sc_step {
    pub size: u32,
    /// SC_STEP_*
    pub flags: u32,
    /// counts steps of this replica from 0
    pub step_index: u64,
    pub replica: u32,
    pub n_prefill: u32,
    pub n_decode: u32,
    /// Sequences that emit a token at the end of the step: all decodes, and the prefills that complete their prompt.
    pub n_sampled: u32,
    /// [n_prefill] new tokens, >= 1
    pub prefill_new: *const u32,
    /// [n_prefill] tokens in the KV cache before
    pub prefill_ctx: *const u32,
    /// [n_decode] tokens in the KV cache before
    pub decode_ctx: *const u32,
    /// 1: the chunk ends its prompt
    pub prefill_last: *const u32,
    /// Tokens verified per sequence; NULL: 1 each.
    pub decode_new: *const u32,
    /// request ids
    pub prefill_id: *const u64,
    /// request ids
    pub decode_id: *const u64,
    /// shared prefix
    pub prefill_group: *const u32,
    /// shared prefix
    pub decode_group: *const u32,
    /// for data parallelism in lockstep: tokens of the whole group in this step, and of its busiest rank, both after padding. The requests of this step are then those of one rank. 0: the step holds the requests of the whole group, and the cost model spreads them over the ranks.
    pub dp_tokens: u32,
    /// for data parallelism in lockstep: tokens of the whole group in this step, and of its busiest rank, both after padding. The requests of this step are then those of one rank. 0: the step holds the requests of the whole group, and the cost model spreads them over the ranks.
    pub dp_max_tokens: u32,
    /// the sum of decode_ctx. 0 with n_decode > 0: the host did not compute it, so the reader adds decode_ctx up.
    pub decode_ctx_sum: u64,
    /// [n_prefill] tokens of the whole prompt, computed or not; NULL: not known, and ctx + new stands for it.
    pub prefill_prompt: *const u32,
}
const _: () = assert!(std::mem::size_of::<sc_step>() == 128);
impl sc_step {
    /// 0 and NULL everywhere.
    pub const NOTHING: Self = unsafe { std::mem::zeroed() };
}
pub const SC_PREFILL: u32 = 0;
pub const SC_DECODE: u32 = 1;
pub const SC_EXACT: u32 = 0;
pub const SC_INTERPOLATED: u32 = 1;
pub const SC_CLAMPED: u32 = 2;
pub const SC_SUBSTITUTED: u32 = 3;
pub const SC_FALLBACK: u32 = 4;
pub const SC_N_PROVENANCE: u32 = 5;
pub const SC_BOUND_NONE: u32 = 0;
pub const SC_BOUND_COMPUTE: u32 = 1;
pub const SC_BOUND_MEMORY: u32 = 2;
pub const SC_BOUND_COMM: u32 = 3;
pub const SC_BOUND_OVERHEAD: u32 = 4;
#[repr(C)]
#[derive(Clone, Copy)]
pub struct sc_result {
    pub size: u32,
    /// SC_BOUND_*
    pub bound: u32,
    /// how long the engine waits for the step
    pub total_us: f64,
    /// time before the model rounds it; NaN: total_us
    pub exact_us: f64,
    /// Pipeline parallelism: time until the next step may enter; NaN: total_us.
    pub ready_us: f64,
    /// Part of total_us that asynchronous scheduling hides; NaN: 0. More than total_us is an error.
    pub host_us: f64,
    /// [2] by SC_PREFILL, SC_DECODE
    pub gemm_us: [f64; 2],
    /// [2] by SC_PREFILL, SC_DECODE
    pub attention_us: [f64; 2],
    pub compute_us: [f64; 2],
    pub memory_us: [f64; 2],
    pub comm_us: f64,
    pub overhead_us: f64,
    pub flops: f64,
    pub bytes: f64,
    pub energy_j: f64,
    /// Number of distinct (op, shape) per phase.
    pub lookups: [u32; SC_N_PROVENANCE as usize],
    pub reserved: u32,
    /// Time that lookups of each kind priced. More than 1000 times total_us is an error.
    pub lookup_us: [f64; SC_N_PROVENANCE as usize],
    /// NULL if the caller does not ask for parts, else the caller's array [2 * n_parts], all NaN. Part i of the descriptor goes to index i in prefill and to n_parts + i in decode; kinds without a phase (COMM, OVERHEAD) go to index i alone. The parts of one kind that are filled in sum to sc_result's own field for that kind.
    pub part_us: *mut f64,
    /// FLOPs in use: those that the price rests on, of all ranks together
    pub gemm_flops: [f64; 2],
    /// FLOPs in use: those that the price rests on, of all ranks together
    pub attention_flops: [f64; 2],
    /// bytes moved on one rank
    pub weight_bytes: f64,
    /// bytes moved on one rank
    pub kv_bytes: [f64; 2],
    /// bytes moved on one rank
    pub activation_bytes: f64,
    /// MFU of attention in effect; the least and the greatest looked up
    pub attention_mfu: [f64; 2],
    /// MFU of attention in effect; the least and the greatest looked up
    pub attention_mfu_low: [f64; 2],
    /// MFU of attention in effect; the least and the greatest looked up
    pub attention_mfu_high: [f64; 2],
    /// How sure the model is of exact_us. Standard deviation of an error that is drawn anew for each step.
    pub noise_us: f64,
    /// 5 % and 95 % quantile, for a model that has quantiles instead of sigma_us: one error, the same draw for all steps of a run
    pub low_us: f64,
    /// 5 % and 95 % quantile, for a model that has quantiles instead of sigma_us: one error, the same draw for all steps of a run
    pub high_us: f64,
    /// NULL if the caller does not ask, else the caller's array [n_sigma], all 0: the standard deviation due to source i of the descriptor. A source has one draw for all steps of a run; two sources are independent.
    pub sigma_us: *mut f64,
}
const _: () = assert!(std::mem::size_of::<sc_result>() == 360);
impl sc_result {
    /// 0 and NULL everywhere.
    pub const NOTHING: Self = unsafe { std::mem::zeroed() };
}
pub const SC_OP_GEMM: u32 = 1;
pub const SC_OP_PREFILL: u32 = 2;
pub const SC_OP_DECODE: u32 = 3;
pub const SC_OP_ALL_REDUCE: u32 = 4;
pub const SC_OP_MOE: u32 = 5;
pub const SC_OP_MLA_DECODE: u32 = 6;
pub const SC_OP_MLA_PREFILL: u32 = 7;
pub const SC_OP_MLA_CORE: u32 = 8;
pub const SC_OP_MLA_BMM: u32 = 9;
pub const SC_OP_COLLECTIVE: u32 = 10;
pub const SC_OP_ALL_TO_ALL: u32 = 11;
pub const SC_OP_LINEAR: u32 = 12;
pub const SC_OP_SPARSE_DECODE: u32 = 13;
pub const SC_OP_SPARSE_PREFILL: u32 = 14;
pub const SC_OP_MHC: u32 = 15;
#[repr(C)]
#[derive(Clone, Copy)]
pub struct sc_kernel {
    pub size: u32,
    pub op: u32,
    pub format: u32,
    /// Heads of the whole model, with ranks = tp, for MFU tables keyed by model shape; otherwise heads of one rank, with ranks = 1.
    pub heads: u32,
    /// Heads of the whole model, with ranks = tp, for MFU tables keyed by model shape; otherwise heads of one rank, with ranks = 1.
    pub kv_heads: u32,
    /// Heads of the whole model, with ranks = tp, for MFU tables keyed by model shape; otherwise heads of one rank, with ranks = 1.
    pub head_dim: u32,
    /// Heads of the whole model, with ranks = tp, for MFU tables keyed by model shape; otherwise heads of one rank, with ranks = 1.
    pub ranks: u32,
    pub reserved: u32,
    pub m: u64,
    pub n: u64,
    pub k: u64,
    pub batch: u64,
    pub new_tokens: u64,
    pub context: u64,
    pub bytes: u64,
    /// The word in tables, "fp8_block"; NULL: the name of `format`.
    pub dtype: *const c_char,
    /// of the projections in an MLA module
    pub gemm_dtype: *const c_char,
    /// SC_*; 0: 16 bit
    pub kv_format: u32,
    /// tokens; 0: no window
    pub window: u32,
    /// of the whole EP group
    pub tokens: u64,
    /// of the whole model
    pub hidden: u32,
    /// of the whole model
    pub inter: u32,
    /// of the whole model
    pub experts: u32,
    /// of the whole model
    pub topk: u32,
    pub tp: u32,
    pub ep: u32,
    /// which kernel of a family: column `op` of a table
    pub kind: *const c_char,
    /// "low_latency", "normal"
    pub mode: *const c_char,
    /// "power_law_1.2", "balanced"
    pub routing: *const c_char,
    /// SC_LINEAR_*
    pub linear_kind: u32,
    /// Mamba-2: groups, size of the state
    pub k_heads: u32,
    /// Mamba-2: groups, size of the state
    pub k_dim: u32,
    /// Mamba-2: heads, size of a head
    pub v_heads: u32,
    /// Mamba-2: heads, size of a head
    pub v_dim: u32,
    pub conv: u32,
    pub chunk: u32,
    /// 1: with an indexer of its own
    pub indexer: u32,
    /// tokens that an entry of the KV cache stands for
    pub ratio: u32,
    /// residual streams
    pub streams: u32,
    /// tokens in the KV cache before the new ones
    pub prefix: u64,
    /// "deepseek_v32", "glm_5", "deepseek_v4_flash", "deepseek_v4_pro"
    pub model: *const c_char,
    /// that a dispatch or combine occupies; 0: not told
    pub sms: u32,
    pub reserved2: u32,
}
const _: () = assert!(std::mem::size_of::<sc_kernel>() == 232);
impl sc_kernel {
    /// 0 and NULL everywhere.
    pub const NOTHING: Self = unsafe { std::mem::zeroed() };
}
#[repr(C)]
#[derive(Clone, Copy)]
pub struct sc_kernel_result {
    pub size: u32,
    /// SC_EXACT …
    pub provenance: u32,
    pub latency_us: f64,
    /// MFU that was looked up; NaN: the model has none
    pub mfu: f64,
    /// Shape of the table entry that answered, "32-8-128 tp1".
    pub used: [c_char; 64],
}
const _: () = assert!(std::mem::size_of::<sc_kernel_result>() == 88);
impl sc_kernel_result {
    /// 0 and NULL everywhere.
    pub const NOTHING: Self = unsafe { std::mem::zeroed() };
}
pub const SC_KNOB_DOUBLE: u32 = 1;
pub const SC_KNOB_INT: u32 = 2;
pub const SC_KNOB_BOOL: u32 = 3;
pub const SC_KNOB_CHOICE: u32 = 4;
pub const SC_KNOB_TEXT: u32 = 5;
pub const SC_KNOB_NUMBERS: u32 = 6;
#[repr(C)]
#[derive(Clone, Copy)]
pub struct sc_numbers {
    pub size: u32,
    pub n: u32,
    /// [n]
    pub value: *const f64,
}
const _: () = assert!(std::mem::size_of::<sc_numbers>() == 16);
impl sc_numbers {
    /// 0 and NULL everywhere.
    pub const NOTHING: Self = unsafe { std::mem::zeroed() };
}
pub const SC_SCALE_LINEAR: u32 = 0;
pub const SC_SCALE_LOG: u32 = 1;
#[repr(C)]
#[derive(Clone, Copy)]
pub struct sc_knob {
    pub size: u32,
    pub r#type: u32,
    pub offset: u32,
    pub reserved: u32,
    /// [a-z0-9_]+
    pub name: *const c_char,
    /// the default, as text in the INI
    pub def: *const c_char,
    /// inclusive; ignored for bool, choice, text and numbers
    pub min: f64,
    /// inclusive; ignored for bool, choice, text and numbers
    pub max: f64,
    /// "us", "1", "TFLOP/s" …
    pub unit: *const c_char,
    /// One sentence: what the knob changes, and the source of that claim.
    pub help: *const c_char,
    /// NULL-terminated, or NULL
    pub choices: *const *const c_char,
    /// When the knob has an effect, by values of this plugin's knobs; NULL: always. ";" separates groups, and one that holds suffices; "&" joins the terms of a group: KNOB=VALUE (several by "|"), KNOB>NUMBER, KNOB<NUMBER: "memory=hybrid & kv_bw_gain>0", "memory=single ; gemm_memory_floor=true".
    pub when: *const c_char,
    /// Bounds that fits and sweeps use; both 0, or NaN: min, max.
    pub fit_low: f64,
    /// Bounds that fits and sweeps use; both 0, or NaN: min, max.
    pub fit_high: f64,
    /// SC_SCALE_*: which steps of the knob are alike
    pub scale: u32,
    pub reserved2: u32,
}
const _: () = assert!(std::mem::size_of::<sc_knob>() == 104);
impl sc_knob {
    /// 0 and NULL everywhere.
    pub const NOTHING: Self = unsafe { std::mem::zeroed() };
}
#[repr(C)]
#[derive(Clone, Copy)]
pub struct sc_preset {
    pub size: u32,
    pub reserved: u32,
    pub name: *const c_char,
    pub help: *const c_char,
    pub values: *const *const c_char,
}
const _: () = assert!(std::mem::size_of::<sc_preset>() == 32);
impl sc_preset {
    /// 0 and NULL everywhere.
    pub const NOTHING: Self = unsafe { std::mem::zeroed() };
}
pub const SC_CAP_ORDER_SENSITIVE: u32 = 1;
pub const SC_CAP_NOT_MONOTONE: u32 = 2;
pub const SC_CAP_ADDITIVE: u32 = 4;
pub const SC_CAP_DOES_IO: u32 = 8;
pub const SC_CAP_DECODE_NEW: u32 = 16;
pub const SC_CAP_TABLES: u32 = 32;
pub const SC_PART_GEMM: u32 = 0;
pub const SC_PART_ATTENTION: u32 = 1;
pub const SC_PART_COMM: u32 = 2;
pub const SC_PART_OVERHEAD: u32 = 3;
#[repr(C)]
#[derive(Clone, Copy)]
pub struct sc_part {
    pub size: u32,
    /// SC_PART_*: the field of sc_result it belongs to
    pub kind: u32,
    /// [a-z0-9_]+, unique in the plugin
    pub name: *const c_char,
    /// one line
    pub help: *const c_char,
}
const _: () = assert!(std::mem::size_of::<sc_part>() == 24);
impl sc_part {
    /// 0 and NULL everywhere.
    pub const NOTHING: Self = unsafe { std::mem::zeroed() };
}
pub const SC_NEED_TABLE: u32 = 1;
pub const SC_NEED_ATTENTION: u32 = 2;
pub const SC_NEED_FFN: u32 = 3;
pub const SC_NEED_LINEAR: u32 = 4;
pub const SC_NEED_FORMAT: u32 = 5;
pub const SC_NEED_GPU: u32 = 6;
pub const SC_NEED_OPTIONAL: u32 = 1;
#[repr(C)]
#[derive(Clone, Copy)]
pub struct sc_need {
    pub size: u32,
    /// SC_NEED_*
    pub kind: u32,
    /// SC_NEED_OPTIONAL
    pub flags: u32,
    pub reserved: u32,
    pub value: *const c_char,
    /// of a table, by comma: its columns, and notes of its MANIFEST; NULL: any
    pub columns: *const c_char,
    /// of a table, by comma: its columns, and notes of its MANIFEST; NULL: any
    pub notes: *const c_char,
    /// as sc_knob.when; NULL: always
    pub when: *const c_char,
    /// one line, or NULL
    pub help: *const c_char,
}
const _: () = assert!(std::mem::size_of::<sc_need>() == 56);
impl sc_need {
    /// 0 and NULL everywhere.
    pub const NOTHING: Self = unsafe { std::mem::zeroed() };
}
#[repr(C)]
#[derive(Clone, Copy)]
pub struct sc_sigma {
    pub size: u32,
    pub reserved: u32,
    /// [a-z0-9_]+, unique in the plugin
    pub name: *const c_char,
    /// one line
    pub help: *const c_char,
}
const _: () = assert!(std::mem::size_of::<sc_sigma>() == 24);
impl sc_sigma {
    /// 0 and NULL everywhere.
    pub const NOTHING: Self = unsafe { std::mem::zeroed() };
}
#[repr(C)]
#[derive(Clone, Copy)]
pub struct sc_request_costs {
    pub size: u32,
    pub reserved: u32,
    pub before_us: f64,
    pub prompt_token_us: f64,
    pub after_us: f64,
    pub output_token_us: f64,
}
const _: () = assert!(std::mem::size_of::<sc_request_costs>() == 40);
impl sc_request_costs {
    /// 0 and NULL everywhere.
    pub const NOTHING: Self = unsafe { std::mem::zeroed() };
}
#[repr(C)]
#[derive(Clone, Copy)]
pub struct sc_plugin {
    pub size: u32,
    pub abi_major: u32,
    pub abi_minor: u32,
    pub capabilities: u32,
    /// name in the INI, [a-z0-9_]+; the file is NAME.so
    pub name: *const c_char,
    /// of the cost model
    pub version: *const c_char,
    /// one line
    pub summary: *const c_char,
    pub n_knobs: u32,
    pub n_presets: u32,
    pub knob: *const *const sc_knob,
    pub preset: *const *const sc_preset,
    /// bytes of the knob block that create() receives
    pub knob_block: u32,
    pub reserved: u32,
    /// [main] required. A plugin that needs `knobs` later copies them. *inst may be NULL. A create() that fails frees what it allocated; the host does not call destroy() then.
    pub create: Option<unsafe extern "C" fn(*mut *mut c_void, *const sc_setup, *const c_void, *mut sc_error) -> i32>,
    /// [main] required.
    pub destroy: Option<unsafe extern "C" fn(*mut c_void)>,
    /// [instance] required.
    pub eval: Option<unsafe extern "C" fn(*mut c_void, *const sc_step, *mut sc_result, *mut sc_error) -> i32>,
    /// [instance] optional. out[i] answers step[i]; stops at the first error and stores its index in *n_done.
    pub eval_batch: Option<unsafe extern "C" fn(*mut c_void, u32, *const *const sc_step, *const *mut sc_result, *mut u32, *mut sc_error) -> i32>,
    /// [instance] optional.
    pub kernel: Option<unsafe extern "C" fn(*mut c_void, *const sc_kernel, *mut sc_kernel_result, *mut sc_error) -> i32>,
    pub n_parts: u32,
    pub reserved_parts: u32,
    /// [n_parts]; NULL: none
    pub part: *const *const sc_part,
    /// unique in the world: [a-z0-9.-]+ with a dot, "org.example.h28fix"
    pub id: *const c_char,
    pub author: *const c_char,
    /// SPDX: "BSD-3-Clause"
    pub licence: *const c_char,
    pub url: *const c_char,
    /// one line
    pub citation: *const c_char,
    pub n_needs: u32,
    pub n_sigma: u32,
    /// [n_needs]
    pub need: *const *const sc_need,
    /// [n_sigma]
    pub sigma: *const *const sc_sigma,
    /// [main] optional. Asked once after create(). The host presets 0. It then counts in place of the times that the engine's preset has for these.
    pub request_costs: Option<unsafe extern "C" fn(*mut c_void, *mut sc_request_costs, *mut sc_error) -> i32>,
}
const _: () = assert!(std::mem::size_of::<sc_plugin>() == 200);
impl sc_plugin {
    /// 0 and NULL everywhere.
    pub const NOTHING: Self = unsafe { std::mem::zeroed() };
}
pub const SC_ENTRY: &str = "stepcost_plugin";
pub type sc_entry_fn = Option<unsafe extern "C" fn(u32, u32) -> *const sc_plugin>;
