//! The one loop that runs a terminal's verb over a transport.

use std::time::Duration;

use crate::launch::step::{BoxedConversation, Step};
use crate::proto::{Failure, Kind};
use crate::transport::Transport;

/// How long a command that stays is waited for where nobody says.
const STAY: Duration = Duration::from_secs(5);

/// More steps than any terminal needs; a conversation that wants more turns in circles.
const MOST_STEPS: usize = 64;

/// Runs a conversation to its end.
///
/// # Errors
/// What the conversation failed with, or what the transport failed with where a command could not be run at all.
pub async fn converse<T>(
    transport: &dyn Transport,
    conversation: BoxedConversation<T>,
) -> Result<T, Failure> {
    converse_within(transport, conversation, STAY).await
}

/// The same; a command that stays is waited for at most so long.
///
/// # Errors
/// As of [`converse`].
pub async fn converse_within<T>(
    transport: &dyn Transport,
    mut conversation: BoxedConversation<T>,
    stay: Duration,
) -> Result<T, Failure> {
    let mut answer = None;
    for _ in 0..MOST_STEPS {
        match conversation.next(answer) {
            Step::Run(mut invocation) => {
                if invocation.stays.is_some() {
                    invocation.timeout.get_or_insert(stay);
                }
                answer = Some(transport.run(invocation).await?);
            }
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
