//! A verb as a list of commands that are run one after the other.

use std::collections::VecDeque;

use crate::launch::step::{Answer, Conversation, Invocation, Step};
use crate::proto::Failure;

type Read<T> = Box<dyn FnMut(Answer, &mut T) -> Result<(), Failure> + Send>;

/// Commands that are run in order, each answer read into the result; the first failure ends it.
pub struct Sequence<T> {
    waiting: VecDeque<(Invocation, Read<T>)>,
    reading: Option<Read<T>>,
    result: T,
}

impl<T> Sequence<T> {
    /// No commands yet; `result` is what they begin with.
    pub const fn new(result: T) -> Self {
        Self {
            waiting: VecDeque::new(),
            reading: None,
            result,
        }
    }

    /// The same with one more command.
    #[must_use]
    pub fn then(
        mut self,
        invocation: Invocation,
        read: impl FnMut(Answer, &mut T) -> Result<(), Failure> + Send + 'static,
    ) -> Self {
        self.waiting.push_back((invocation, Box::new(read)));
        self
    }

    /// Only the commands.
    #[must_use]
    pub fn into_invocations(self) -> Vec<Invocation> {
        self.waiting
            .into_iter()
            .map(|(invocation, _)| invocation)
            .collect()
    }
}

impl<T: Clone + Send> Conversation for Sequence<T> {
    type Output = T;

    fn next(&mut self, answer: Option<Answer>) -> Step<T> {
        if let (Some(read), Some(answer)) = (&mut self.reading, answer)
            && let Err(failure) = read(answer, &mut self.result)
        {
            return Step::Failed(failure);
        }
        match self.waiting.pop_front() {
            Some((invocation, read)) => {
                self.reading = Some(read);
                Step::Run(invocation)
            }
            None => Step::Done(self.result.clone()),
        }
    }
}
