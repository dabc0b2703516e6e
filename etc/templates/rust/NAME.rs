//! @NAME@: what it prices and how; @NAME@.md.
//!
//! Without std, which would bring threads, files and a clock along.  The
//! structs are those of stepcost/plugin.h, field by field.
#![no_std]
use core::ffi::{c_char, c_void};
use core::mem::{offset_of, size_of};
use core::ptr::null;

#[panic_handler]
fn panic(_: &core::panic::PanicInfo) -> ! {
    unsafe { abort() }
}
#[link(name = "c")]
extern "C" {
    fn abort() -> !;
    fn malloc(n: usize) -> *mut c_void;
    fn free(p: *mut c_void);
}

#[repr(C)]
pub struct Step {
    size: u32,
    flags: u32,
    step_index: u64,
    replica: u32,
    n_prefill: u32,
    n_decode: u32,
    n_sampled: u32,
    prefill_new: *const u32,
    prefill_ctx: *const u32,
    decode_ctx: *const u32,
    // more, optional columns follow
}
#[repr(C)]
pub struct Outcome {
    size: u32,
    bound: u32,
    total_us: f64,
    exact_us: f64,
    ready_us: f64,
    host_us: f64,
    gemm_us: [f64; 2],
    attention_us: [f64; 2],
    compute_us: [f64; 2],
    memory_us: [f64; 2],
    comm_us: f64,
    overhead_us: f64,
    // flops, bytes, energy_j and the lookups follow
}
#[repr(C)]
pub struct Knob {
    size: u32,
    kind: u32,
    offset: u32,
    reserved: u32,
    name: *const c_char,
    def: *const c_char,
    min: f64,
    max: f64,
    unit: *const c_char,
    help: *const c_char,
    choices: *const *const c_char,
}
#[repr(C)]
pub struct Plugin {
    size: u32,
    abi_major: u32,
    abi_minor: u32,
    capabilities: u32,
    name: *const c_char,
    version: *const c_char,
    summary: *const c_char,
    n_knobs: u32,
    n_presets: u32,
    knob: *const &'static Knob,
    preset: *const c_void,
    knob_block: u32,
    reserved: u32,
    create: unsafe extern "C" fn(*mut *mut c_void, *const c_void, *const Knobs, *mut c_void) -> i32,
    destroy: unsafe extern "C" fn(*mut c_void),
    eval: unsafe extern "C" fn(*const Knobs, &Step, &mut Outcome, *mut c_void) -> i32,
    // eval_batch and kernel may follow
}
unsafe impl Sync for Knob {}
unsafe impl Sync for Plugin {}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct Knobs {
    base_us: f64,
    per_token_us: f64,
}

const fn knob(name: &'static [u8], offset: usize, def: &'static [u8], max: f64, help: &'static [u8]) -> Knob {
    Knob {
        size: size_of::<Knob>() as u32,
        kind: 1, // SC_KNOB_DOUBLE
        offset: offset as u32,
        reserved: 0,
        name: name.as_ptr().cast(),
        def: def.as_ptr().cast(),
        min: 0.0,
        max,
        unit: b"us\0".as_ptr().cast(),
        help: help.as_ptr().cast(),
        choices: null(),
    }
}
static BASE: Knob = knob(b"base_us\0", offset_of!(Knobs, base_us), b"6000\0", 1e9,
    b"Time of a step that computes nothing; a guess.\0");
static PER_TOKEN: Knob = knob(b"per_token_us\0", offset_of!(Knobs, per_token_us), b"25\0", 1e6,
    b"Time that each token computed adds; a guess.\0");
static KNOBS: [&Knob; 2] = [&BASE, &PER_TOKEN];

/// The second argument is the sc_setup: model, hardware and tables.
unsafe extern "C" fn create(inst: *mut *mut c_void, _: *const c_void, block: *const Knobs, _: *mut c_void) -> i32 {
    let k = malloc(size_of::<Knobs>()) as *mut Knobs;
    if k.is_null() {
        return -3; // SC_ENOMEM
    }
    *k = *block;
    *inst = k.cast();
    0
}

unsafe extern "C" fn destroy(inst: *mut c_void) {
    free(inst)
}

unsafe extern "C" fn eval(inst: *const Knobs, step: &Step, out: &mut Outcome, _: *mut c_void) -> i32 {
    let k = &*inst;
    let mut tokens = step.n_decode as u64;
    for i in 0..step.n_prefill as usize {
        tokens += *step.prefill_new.add(i) as u64;
    }
    out.overhead_us = k.base_us;
    out.total_us = k.base_us + k.per_token_us * tokens as f64;
    0
}

static PLUGIN: Plugin = Plugin {
    size: size_of::<Plugin>() as u32,
    abi_major: 1,
    abi_minor: 0,
    capabilities: 0,
    name: b"@NAME@\0".as_ptr().cast(),
    version: b"1\0".as_ptr().cast(),
    summary: b"a constant and a time per token\0".as_ptr().cast(),
    n_knobs: KNOBS.len() as u32,
    n_presets: 0,
    knob: KNOBS.as_ptr(),
    preset: null(),
    knob_block: size_of::<Knobs>() as u32,
    reserved: 0,
    create,
    destroy,
    eval,
};

#[no_mangle]
pub extern "C" fn stepcost_plugin(major: u32, _minor: u32) -> *const Plugin {
    if major == 1 { &PLUGIN } else { null() }
}
