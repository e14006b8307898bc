//! Secrets: made of the kernel's random numbers, compared in the same time whatever they are.

use subtle::ConstantTimeEq;

/// A secret of 32 bytes in hexadecimal digits.
///
/// # Errors
/// When the kernel has no random numbers.
pub fn fresh() -> host::Result<String> {
    Ok(host::random::bytes::<32>()?
        .iter()
        .map(|byte| format!("{byte:02x}"))
        .collect())
}

/// Whether two texts are equal. How long it takes depends on their lengths alone, so that nobody learns a secret digit by
/// digit.
pub fn equal(one: &str, other: &str) -> bool {
    one.as_bytes().ct_eq(other.as_bytes()).into()
}

#[cfg(test)]
mod tests {
    #[test]
    fn equal_is_equal() {
        let secret = super::fresh().unwrap();
        assert_eq!(secret.len(), 64);
        assert!(super::equal(&secret, &secret.clone()));
        assert!(
            !super::equal(&secret, &secret[..63])
                && !super::equal(&secret, "")
                && super::equal("", "")
        );
        assert!(!super::equal("a", "b"));
    }
}
