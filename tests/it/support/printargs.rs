//! A program that writes down how it was started, and stays.

use std::path::{Path, PathBuf};

use super::env::Sandbox;
use super::wait;

/// `printargs NAME WORDS…`: what it received, byte for byte.
pub struct PrintArgs {
    bin: PathBuf,
    out: PathBuf,
}

/// How it was started.
#[derive(Debug, PartialEq, Eq)]
pub struct Started {
    /// Its directory, as the kernel names it.
    pub cwd: String,
    /// The value of `SECRET`, empty where it has none.
    pub secret: String,
    /// Its words after the name.
    pub words: Vec<String>,
}

impl PrintArgs {
    /// Puts it into the place; its directory is on the PATH of commands made after this.
    pub fn install(sandbox: &mut Sandbox) -> Self {
        let out = sandbox.root().join("out");
        std::fs::create_dir(&out).unwrap();
        let script = format!(
            r#"#!/bin/sh
name=$1
shift
{{ printf '%s\0' "$(pwd -P; printf x)" "$SECRET" "$@"; }} >'{out}'/."$name"
mv '{out}'/."$name" '{out}'/"$name"
exec cat
"#,
            out = out.display()
        );
        let bin = sandbox.script("printargs", &script);
        sandbox.prepend_path(&bin);
        Self { bin, out }
    }

    /// Its path.
    pub fn path(&self) -> String {
        self.bin.join("printargs").display().to_string()
    }

    /// Waits until the one of this name was started.
    #[track_caller]
    pub fn wait_for(&self, name: &str) -> Started {
        let bytes = wait::until(&format!("printargs {name}"), || {
            std::fs::read(self.out.join(name)).ok()
        });
        let text = String::from_utf8(bytes).unwrap();
        let mut words: Vec<_> = text
            .strip_suffix('\0')
            .unwrap()
            .split('\0')
            .map(str::to_owned)
            .collect();
        let cwd = words.remove(0);
        let secret = words.remove(0);
        Started {
            cwd: cwd.strip_suffix("\nx").unwrap().to_owned(),
            secret,
            words,
        }
    }

    /// Whether one of this name was started.
    pub fn ran(&self, name: &str) -> bool {
        Path::new(&self.out).join(name).exists()
    }
}
