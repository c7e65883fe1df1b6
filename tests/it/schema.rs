//! The committed schema is what the code says.

use std::path::Path;

/// `SURFACED_BLESS=1 cargo nextest run schema` writes the file anew.
#[test]
fn the_committed_schema_matches_the_code() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("schema/openrpc.json");
    let text = format!(
        "{}\n",
        serde_json::to_string_pretty(&surfaced::proto::openrpc::document()).unwrap()
    );
    #[expect(
        clippy::disallowed_methods,
        reason = "the one switch that writes the file"
    )]
    if std::env::var_os("SURFACED_BLESS").is_some() {
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(&path, &text).unwrap();
    }
    let committed = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(
        committed == text,
        "schema/openrpc.json is not what src/proto says: run SURFACED_BLESS=1 cargo nextest run schema"
    );
}
