//! The one loop that runs a terminal's verb over a transport.

use crate::launch::step::{BoxedConversation, Step};
use crate::proto::{Failure, Kind};
use crate::transport::Transport;

/// More steps than any terminal needs; a conversation that wants more turns in circles.
const MOST_STEPS: usize = 64;

/// Runs a conversation to its end.
///
/// # Errors
/// What the conversation failed with, or what the transport failed with where a command could not be run at all.
pub async fn converse<T>(
    transport: &dyn Transport,
    mut conversation: BoxedConversation<T>,
) -> Result<T, Failure> {
    let mut answer = None;
    for _ in 0..MOST_STEPS {
        match conversation.next(answer) {
            Step::Run(invocation) => answer = Some(transport.run(invocation).await?),
            Step::Done(output) => return Ok(output),
            Step::Failed(failure) => return Err(failure),
        }
    }
    Err(Failure::new(
        Kind::Internal,
        format!("a conversation with a terminal did not end within {MOST_STEPS} steps"),
    ))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::launch::step::{Answer, Conversation, Invocation, Once};
    use crate::transport::Local;

    struct Endless;

    impl Conversation for Endless {
        type Output = ();
        fn next(&mut self, _: Option<Answer>) -> Step<()> {
            Step::Run(Invocation::new(["true"]))
        }
    }

    #[tokio::test]
    async fn answers_go_to_the_one_that_asked() {
        let local = Local::new("/usr/bin:/bin");
        let once = Once::new(Invocation::new(["echo", "7"]), |answer: Answer| {
            Ok(answer.text())
        });
        assert_eq!(converse(&local, Box::new(once)).await, Ok("7\n".to_owned()));
        let failure = converse(&local, Box::new(Endless)).await.unwrap_err();
        assert_eq!(failure.kind(), Kind::Internal);
    }
}
