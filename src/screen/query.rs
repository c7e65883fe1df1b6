//! Questions that programs ask their terminal, and the answers while no person's terminal is there to give them.
//!
//! Without an answer fish and vim wait for seconds at their start. What is answered is what the emulator really has.

/// A question, with what is needed to answer it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Query {
    /// Primary device attributes (`CSI c`).
    Attributes,
    /// Secondary device attributes (`CSI > c`).
    Version,
    /// Device status (`CSI 5 n`).
    Status,
    /// Cursor position (`CSI 6 n`), where it was when the question was asked, from 0.
    Position {
        /// The row.
        row: u16,
        /// The column.
        col: u16,
    },
}

impl Query {
    /// The bytes to type into the program. A VT220 with colours (`62;22`), as xterm answers where it is set so.
    #[must_use]
    pub fn answer(self) -> Vec<u8> {
        match self {
            Self::Attributes => b"\x1b[?62;22c".to_vec(),
            Self::Version => b"\x1b[>1;10;0c".to_vec(),
            Self::Status => b"\x1b[0n".to_vec(),
            Self::Position { row, col } => format!("\x1b[{};{}R", row + 1, col + 1).into_bytes(),
        }
    }
}
