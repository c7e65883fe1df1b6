//! Secrets that are looked for afterwards.

/// A secret that no other run has: whatever else goes on at the machine cannot be taken for it.
pub fn secret() -> String {
    format!("hunter2-{}", uuid::Uuid::new_v4().simple())
}
