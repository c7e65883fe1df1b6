//! `[backends.EDITOR]`: the extension through which an editor is driven.

use super::reader::Section;

/// The extension that the section names.
pub(super) fn read(section: Section<'_, '_>) -> Option<String> {
    let extension = section.get("extension").and_then(|value| {
        let text = value.string()?;
        if !is_extension(&text) {
            value.problem(format!(
                "must be a publisher, a dot and a name, such as \"surfaced.surfaced\", not {text:?}"
            ));
            return None;
        }
        Some(text)
    });
    section.finish();
    extension
}

/// Whether a text is `publisher.name` of characters that mean nothing in a URL or a path.
fn is_extension(text: &str) -> bool {
    let part = |part: &str, also: &[u8]| {
        let bytes = part.as_bytes();
        bytes.first().is_some_and(u8::is_ascii_alphanumeric)
            && bytes
                .iter()
                .all(|byte| byte.is_ascii_alphanumeric() || also.contains(byte))
    };
    text.split_once('.')
        .is_some_and(|(publisher, name)| part(publisher, b"-") && part(name, b"-._"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_extension_is_a_publisher_and_a_name() {
        for text in [
            "swarmify.swarm-ext",
            "surfaced.surfaced",
            "A1-b.c_d.E-2",
            "0.0",
        ] {
            assert!(is_extension(text), "{text}");
        }
        for text in [
            "", ".", "a", "a.", ".b", "a..b", "-a.b", "a.-b", "a_b.c", "a.b/c", "a.b?p=", "a.b c",
            "a.b\n", "a.\u{fc}", "../a.b", "a.b%2f",
        ] {
            assert!(!is_extension(text), "{text:?}");
        }
    }
}
