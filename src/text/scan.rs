//! Byte search for the text machines.
//!
//! Owns the one loop that both machines spend their time in. Refuses to know what the bytes mean. Private, so
//! its example is a call: `position_of_either(b"ab\n", b'\n', b'\r')` is `Some(2)`.

/// Where the first byte stands that equals `a` or `b`.
///
/// Looks at eight bytes at a time: a byte of `word ^ pattern` is zero where the word holds the wanted byte, and
/// `(x - 0x01…) & !x & 0x80…` is non-zero if and only if `x` has a zero byte.
pub(crate) fn position_of_either(bytes: &[u8], a: u8, b: u8) -> Option<usize> {
    const ONES: u64 = u64::from_ne_bytes([0x01; 8]);
    const HIGH_BITS: u64 = u64::from_ne_bytes([0x80; 8]);
    let pattern_a = u64::from_ne_bytes([a; 8]);
    let pattern_b = u64::from_ne_bytes([b; 8]);
    let (words, _) = bytes.as_chunks::<8>();
    let clear = words.iter().take_while(|word| {
        let word = u64::from_ne_bytes(**word);
        let (x, y) = (word ^ pattern_a, word ^ pattern_b);
        let zero_bytes = (x.wrapping_sub(ONES) & !x) | (y.wrapping_sub(ONES) & !y);
        zero_bytes & HIGH_BITS == 0
    });
    let start = clear.count() * 8;
    let rest = bytes.get(start..)?;
    let found = rest.iter().position(|byte| *byte == a || *byte == b)?;
    Some(start + found)
}

/// Whether `text` starts with `beginning`, eight bytes at a time: the comparison of the standard library takes one at a
/// time on wasm.
pub(crate) fn starts_with(text: &[u8], beginning: &[u8]) -> bool {
    let Some(text) = text.get(..beginning.len()) else {
        return false;
    };
    let ((words, rest), (wanted, wanted_rest)) =
        (text.as_chunks::<8>(), beginning.as_chunks::<8>());
    let is_equal = |(word, wanted): (&[u8; 8], &[u8; 8])| {
        u64::from_ne_bytes(*word) == u64::from_ne_bytes(*wanted)
    };
    words.iter().zip(wanted).all(is_equal) && rest == wanted_rest
}

/// Where `part` begins in `text`: for short texts, since the standard library's search, linear in
/// all cases, is several times the size.
#[inline(never)]
pub(crate) fn find(text: &str, part: &str) -> Option<usize> {
    let mut windows = text.as_bytes().windows(part.len().max(1));
    windows.position(|window| window == part.as_bytes())
}

/// Bytes as text, with U+FFFD for what is not UTF-8: the standard library's way with chunks is
/// several times the size.
#[inline(never)]
pub(crate) fn lossy(bytes: &[u8]) -> String {
    let mut text = String::new();
    let mut rest = bytes;
    loop {
        let error = match std::str::from_utf8(rest) {
            Ok(valid) => {
                text.push_str(valid);
                return text;
            }
            Err(error) => error,
        };
        let (valid, behind) = rest
            .split_at_checked(error.valid_up_to())
            .unwrap_or_default();
        text.push_str(std::str::from_utf8(valid).unwrap_or_default());
        text.push(char::REPLACEMENT_CHARACTER);
        // Without a length the bytes end within a character.
        let faulty = error.error_len().unwrap_or(behind.len());
        rest = behind.get(faulty..).unwrap_or_default();
    }
}

/// What stands before the first of these ASCII characters; all of the text if there is none.
#[inline(never)]
pub(crate) fn before_any<'a>(text: &'a str, characters: &[u8]) -> &'a str {
    let at = text.bytes().position(|byte| characters.contains(&byte));
    at.and_then(|at| text.get(..at)).unwrap_or(text)
}

/// What stands behind the last such ASCII character; all of the text if there is none.
pub(crate) fn behind_last(text: &str, character: u8) -> &str {
    let at = text.bytes().rposition(|byte| byte == character);
    at.and_then(|at| text.get(at + 1..)).unwrap_or(text)
}

/// Whether `part` stands somewhere in `text`.
pub(crate) fn contains(text: &str, part: &str) -> bool {
    find(text, part).is_some()
}

#[cfg(test)]
mod tests {
    use super::{find, lossy, position_of_either, starts_with};

    #[test]
    fn finds_parts() {
        for (text, part, at) in [
            ("abcabd", "abd", Some(3)),
            ("abc", "abc", Some(0)),
            ("ab", "abc", None),
            ("aéa", "éa", Some(1)),
            ("", "a", None),
        ] {
            assert_eq!(find(text, part), at);
        }
    }

    #[test]
    fn bytes_become_text_as_the_standard_library_has_it() {
        let whole = "a\u{e9}\u{20ac}\u{1f642}b".as_bytes();
        for cut in 0..whole.len() {
            for (at, byte) in [(0, 0xff), (cut, 0xc3), (cut, 0xf0), (cut, 0x80)] {
                let mut bytes = whole[..=cut].to_vec();
                bytes[at] = byte;
                bytes.extend_from_slice(&whole[cut..]);
                assert_eq!(lossy(&bytes), String::from_utf8_lossy(&bytes));
                assert_eq!(lossy(&whole[..cut]), String::from_utf8_lossy(&whole[..cut]));
            }
        }
    }

    #[test]
    fn a_beginning_differs_at_any_byte_and_may_be_all_of_the_text() {
        let text = b"{\"id\":\"chatcmpl-1\",\"model\"";
        for length in 0..=text.len() {
            assert!(starts_with(text, &text[..length]));
            assert!(starts_with(&text[..length], &text[..length]));
            assert!(!starts_with(
                &text[..length],
                &[&text[..length], b"x"].concat()
            ));
            for at in 0..length {
                let mut other = text[..length].to_vec();
                other[at] ^= 1;
                assert!(!starts_with(text, &other), "byte {at} of {length}");
            }
        }
    }

    #[test]
    fn finds_the_first_of_two_bytes_at_every_place_and_length() {
        for length in 0..40 {
            let mut bytes = vec![0xE5; length];
            assert_eq!(position_of_either(&bytes, b'\n', b'\r'), None);
            for at in (0..length).rev() {
                bytes[at] = if at % 3 == 0 { b'\n' } else { b'\r' };
                assert_eq!(position_of_either(&bytes, b'\n', b'\r'), Some(at));
            }
        }
    }

    #[test]
    fn near_misses_are_not_found() {
        let bytes: Vec<u8> = (0..=255).filter(|byte| !b"\"\\".contains(byte)).collect();
        assert_eq!(position_of_either(&bytes, b'"', b'\\'), None);
    }
}
