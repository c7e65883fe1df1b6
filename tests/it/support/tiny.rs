//! A disk that is soon full.

/// A small file system of its own, where the test may mount one.
pub struct Tiny<'a>(&'a std::path::Path);

impl<'a> Tiny<'a> {
    /// 256 kB, until this is dropped.
    pub fn mount(at: &'a std::path::Path) -> Option<Self> {
        #[expect(clippy::disallowed_methods, reason = "tests start programs")]
        let mounted = std::process::Command::new("mount")
            .args(["-t", "tmpfs", "-o", "size=256k,mode=0700", "tmpfs"])
            .arg(at)
            .output()
            .is_ok_and(|output| output.status.success());
        if !mounted {
            eprintln!("skipped: no file system can be mounted here");
        }
        mounted.then_some(Self(at))
    }
}

impl Drop for Tiny<'_> {
    fn drop(&mut self) {
        #[expect(clippy::disallowed_methods, reason = "tests start programs")]
        let _ = std::process::Command::new("umount")
            .arg("-l")
            .arg(self.0)
            .output();
    }
}
