//! @NAME@: what it prices and how; @NAME@.md.
//!
//! abi.rs has the structs of stepcost/plugin.h.  A panic, such as an index out
//! of range, becomes an error of the arm.
mod abi;
use abi::*;
use std::cell::RefCell;
use std::ffi::{c_char, c_void};
use std::mem::{offset_of, size_of};
use std::panic::{catch_unwind, set_hook, AssertUnwindSafe};
use std::ptr::null;

// ---- the cost model: change these ----

#[repr(C)]
#[derive(Clone, Copy)]
struct Knobs {
    base_us: f64,
    per_token_us: f64,
}

/// Prices a step: total_us is its time, the other fields are its parts.
fn price(k: &Knobs, step: &sc_step, out: &mut sc_result) {
    let new = list(step.prefill_new, step.n_prefill);
    let tokens = u64::from(step.n_decode) + new.iter().map(|&n| u64::from(n)).sum::<u64>();
    out.overhead_us = k.base_us;
    out.total_us = k.base_us + k.per_token_us * tokens as f64;
}

static KNOBS: [&Shared<sc_knob>; 2] = [
    &knob(c"base_us", offset_of!(Knobs, base_us), c"6000", 1e9, c"Time of a step that computes nothing; a guess."),
    &knob(c"per_token_us", offset_of!(Knobs, per_token_us), c"25", 1e6, c"Time that each token computed adds; a guess."),
];

// ---- between the host and the cost model ----

/// Returns a list of the step; it is empty where the host gives none.
fn list<'a>(p: *const u32, n: u32) -> &'a [u32] {
    if p.is_null() { &[] } else { unsafe { std::slice::from_raw_parts(p, n as usize) } }
}

/// A struct with pointers to constants alone, so all threads may read it.
#[repr(transparent)]
struct Shared<T>(T);
unsafe impl<T> Sync for Shared<T> {}

const fn knob(name: &'static std::ffi::CStr, offset: usize, def: &'static std::ffi::CStr, max: f64,
              help: &'static std::ffi::CStr) -> Shared<sc_knob> {
    Shared(sc_knob {
        size: size_of::<sc_knob>() as u32,
        r#type: SC_KNOB_DOUBLE,
        offset: offset as u32,
        name: name.as_ptr(),
        def: def.as_ptr(),
        min: 0.0,
        max,
        unit: c"us".as_ptr(),
        help: help.as_ptr(),
        fit_low: f64::NAN, // not given
        fit_high: f64::NAN,
        ..sc_knob::NOTHING
    })
}

thread_local! {
    static PANIC: RefCell<String> = const { RefCell::new(String::new()) };
}

/// Runs f, whose panic is an error with Rust's message.
fn guarded(err: *mut sc_error, f: impl FnOnce()) -> i32 {
    if catch_unwind(AssertUnwindSafe(f)).is_ok() {
        return SC_OK;
    }
    let message = PANIC.with(|p| p.borrow().replace('\n', " "));
    if !err.is_null() {
        let text = unsafe { &mut (*err).text };
        let room = text.len() - 1;
        for (to, from) in text.iter_mut().zip(message.bytes().take(room).chain([0])) {
            *to = from as c_char;
        }
    }
    SC_EINVAL
}

/// The setup has the model, the hardware and the tables.
unsafe extern "C" fn create(inst: *mut *mut c_void, _setup: *const sc_setup, block: *const c_void, err: *mut sc_error) -> i32 {
    set_hook(Box::new(|info| PANIC.with(|p| *p.borrow_mut() = info.to_string())));
    guarded(err, || unsafe { *inst = Box::into_raw(Box::new(*block.cast::<Knobs>())).cast() })
}

unsafe extern "C" fn destroy(inst: *mut c_void) {
    drop(unsafe { Box::from_raw(inst.cast::<Knobs>()) })
}

unsafe extern "C" fn eval(inst: *mut c_void, step: *const sc_step, out: *mut sc_result, err: *mut sc_error) -> i32 {
    guarded(err, || unsafe { price(&*inst.cast::<Knobs>(), &*step, &mut *out) })
}

static PLUGIN: Shared<sc_plugin> = Shared(sc_plugin {
    size: size_of::<sc_plugin>() as u32,
    abi_major: SC_ABI_MAJOR,
    abi_minor: SC_ABI_MINOR,
    name: c"@NAME@".as_ptr(),
    version: c"1".as_ptr(),
    summary: c"a constant and a time per token".as_ptr(),
    n_knobs: KNOBS.len() as u32,
    knob: KNOBS.as_ptr().cast(),
    knob_block: size_of::<Knobs>() as u32,
    create: Some(create),
    destroy: Some(destroy),
    eval: Some(eval),
    // id: c"org.example.name".as_ptr(), unique in the world; author, licence, citation
    ..sc_plugin::NOTHING
});

/// Version 1.x of the host; another major version has other structs.
#[no_mangle]
pub extern "C" fn stepcost_plugin(major: u32, _minor: u32) -> *const sc_plugin {
    if major == SC_ABI_MAJOR { &PLUGIN.0 } else { null() }
}
