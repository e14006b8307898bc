//! What is known of engines by name, for those who cannot ask the engine itself: records and results of other tools name
//! engines that iodyno has, and engines of fio's that it has not.

/// Engines that have one I/O in flight for each job, whatever `iodepth` says. A test of the load stage holds this list to
/// what the engines say of themselves.
const SYNCHRONOUS: [&str; 8] = [
    "psync", "sync", "vsync", "pvsync", "pvsync2", "mmap", "splice", "stream",
];

/// Engines that issue no block I/O of a stated size and order: a command of the user's, trees of small files, a data set
/// that is there, and looking on.
const WITHOUT_BLOCKS: [&str; 4] = ["command", "dataset", "files", "none"];

/// Whether an engine has one I/O in flight for each job, whatever `iodepth` says.
pub fn is_synchronous(engine: &str) -> bool {
    SYNCHRONOUS.contains(&engine)
}

/// Whether an engine reads and writes blocks itself.
pub fn is_block_io(engine: &str) -> bool {
    !WITHOUT_BLOCKS.contains(&engine)
}
