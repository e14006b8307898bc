//! Bytes that nobody can guess: secrets of a session.

use rustix::rand::{GetRandomFlags, getrandom};

/// As many bytes from the kernel's generator (getrandom(2)).
///
/// # Errors
/// When the kernel has none to give, which one that has booted never says.
pub fn bytes<const N: usize>() -> crate::Result<[u8; N]> {
    let mut bytes = [0u8; N];
    let mut filled = 0;
    while filled < N {
        filled += getrandom(&mut bytes[filled..], GetRandomFlags::empty())
            .map_err(|error| crate::Error::io("read", "the kernel's random numbers", error))?;
    }
    Ok(bytes)
}

#[cfg(test)]
mod tests {
    #[test]
    fn no_two_are_alike() {
        let (first, second) = (super::bytes::<32>().unwrap(), super::bytes::<32>().unwrap());
        assert!(first != second && first != [0; 32]);
    }
}
