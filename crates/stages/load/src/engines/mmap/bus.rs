//! SIGBUS: how an I/O error of a mapping reaches the thread that touched it.
//!
//! The handler replaces the page that cannot be had by an empty one of this process alone, so that the copy goes on, and
//! leaves word for the thread. A fault at any other place gets whatever handled the signal before.

use std::cell::Cell;
use std::sync::OnceLock;

thread_local! {
    /// The mapping that the thread is copying from or to: address and length. Constant and without a destructor, so that
    /// the handler may look at it.
    static AREA: Cell<(usize, usize)> = const { Cell::new((0, 0)) };
    static FAULTS: Cell<u32> = const { Cell::new(0) };
}

/// What handled the signal before.
static BEFORE: OnceLock<libc::sigaction> = OnceLock::new();

/// Catches SIGBUS from now on, in this whole process.
pub fn catch() {
    BEFORE.get_or_init(|| {
        // SAFETY: sigaction is plain data, for which all-zero is a valid value: no flags, an empty mask.
        let (mut action, mut before): (libc::sigaction, libc::sigaction) =
            unsafe { std::mem::zeroed() };
        action.sa_sigaction = handle as Handler as usize;
        action.sa_flags = libc::SA_SIGINFO | libc::SA_ONSTACK;
        // SAFETY: both pointers are valid for the call, and `handle` has the form that SA_SIGINFO asks for. A fault
        // before `BEFORE` is set could only be a foreign one; it is then fatal as by default.
        unsafe { libc::sigaction(libc::SIGBUS, &action, &mut before) };
        before
    });
}

/// Runs a copy from or to a mapping; whether every page of it could be had.
pub fn guarded(base: usize, bytes: usize, copy: impl FnOnce()) -> bool {
    FAULTS.set(0);
    AREA.set((base, bytes));
    // The handler runs on this thread: the compiler must not move the copy out from between the two.
    std::sync::atomic::compiler_fence(std::sync::atomic::Ordering::SeqCst);
    copy();
    std::sync::atomic::compiler_fence(std::sync::atomic::Ordering::SeqCst);
    AREA.set((0, 0));
    FAULTS.get() == 0
}

/// A handler with SA_SIGINFO.
type Handler = extern "C" fn(libc::c_int, *mut libc::siginfo_t, *mut libc::c_void);

extern "C" fn handle(signal: libc::c_int, info: *mut libc::siginfo_t, context: *mut libc::c_void) {
    // SAFETY: the kernel hands a valid siginfo_t to a handler with SA_SIGINFO, and SIGBUS has an address in it.
    let address = unsafe { (*info).si_addr() } as usize;
    let (base, bytes) = AREA.get();
    // SAFETY: sysconf is a look-up of a number.
    let page = unsafe { libc::sysconf(libc::_SC_PAGESIZE) } as usize;
    let is_ours = address >= base && address - base < bytes.next_multiple_of(page);
    if is_ours && replace(address / page * page, page) {
        FAULTS.set(FAULTS.get() + 1);
        return;
    }
    match BEFORE.get() {
        // What another process sent is no fault: whoever hears of it may go on, and faults are still to be caught.
        Some(before) if before.sa_flags & libc::SA_SIGINFO != 0 => {
            // SAFETY: with SA_SIGINFO the action is a function of this form.
            let before: Handler = unsafe { std::mem::transmute(before.sa_sigaction) };
            before(signal, info, context);
        }
        before => {
            // SAFETY: the action is either what was installed before or the default; returning repeats the fault, and
            // that action deals with it.
            unsafe {
                let default = std::mem::zeroed();
                libc::sigaction(signal, before.unwrap_or(&default), std::ptr::null_mut());
            }
        }
    }
}

/// Puts an empty page of this process in the place of one that cannot be had.
fn replace(page_start: usize, page: usize) -> bool {
    let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_FIXED;
    let protection = libc::PROT_READ | libc::PROT_WRITE;
    // SAFETY: the page belongs to the mapping that this thread is working on, whose owner unmaps all of its range, and
    // nobody relies on its content. mmap is a bare system call here and takes no lock of the process's own.
    let placed = unsafe {
        libc::mmap(
            page_start as *mut libc::c_void,
            page,
            protection,
            flags,
            -1,
            0,
        )
    };
    placed != libc::MAP_FAILED
}
