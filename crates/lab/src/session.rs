//! A conversation with one runner.

use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

use crate::plausibility::{self, Moment, Work};
use crate::process::{Fault, Launch, Process};
use crate::protocol::{Done, Message, Request, Sample, Task, VERSION};
use crate::quantity::counted;
use crate::results::{FailureKind, Hello};

/// How long a runner whose input has ended may take to end.
const PATIENCE: Duration = Duration::from_secs(5);

/// The limits of a runner.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// From the start to `hello`.
    pub start: Duration,
    /// From a task to its `done`.
    pub task: Duration,
    /// Resident bytes of all its processes together.
    pub memory_bytes: u64,
}

/// A runner that has said `hello`.
#[derive(Debug)]
pub struct Session {
    process: Process,
    hello: Hello,
    limits: Limits,
}

/// The unchecked answer of a runner to a task.
#[derive(Clone, Debug, PartialEq)]
pub struct Answers {
    /// The answer of the pass before the warm-up.
    pub check: String,
    /// As many as were asked for.
    pub samples: Vec<Sample>,
    /// Costs of the task other than its time.
    pub done: Done,
}

/// Why a task, or a start, gave nothing.
#[derive(Clone, Debug, PartialEq)]
pub struct Failed {
    /// The kind.
    pub kind: FailureKind,
    /// The message of the runner, or its fault, with the end of its standard error.
    pub message: String,
}

/// How a task ended that gave no answers.
#[derive(Debug)]
pub enum Ended {
    /// The runner can take the next task.
    Refused(Box<Session>, Failed),
    /// The runner was ended.
    Broken(Failed),
    /// The user wants to stop; the runner was ended.
    Cancelled,
}

impl Session {
    /// Starts a runner and waits for its `hello`. None when the user wants to stop.
    ///
    /// # Errors
    /// Why it is not there, with the end of its standard error.
    pub fn start(launch: &Launch, limits: Limits, cancel: &AtomicBool) -> Result<Option<Session>, Failed> {
        let crash = |message| Failed { kind: FailureKind::Crash, message };
        let process = Process::start(launch, limits.memory_bytes);
        let mut process = process.map_err(|error| crash(format!("cannot start `{}`: {error}", launch.program)))?;
        let said = process.receive(Instant::now() + limits.start, cancel);
        let fault = match said.map(|line| parse(&line)) {
            Ok(Ok(Message::Hello(hello))) if hello.protocol == VERSION => {
                return Ok(Some(Session { process, hello, limits }));
            }
            Ok(Ok(Message::Hello(hello))) => {
                format!("speaks version {} of the protocol, not {VERSION}", hello.protocol)
            }
            Ok(Ok(Message::Unavailable { message })) => return Err(crash(message)),
            Ok(Ok(_)) => "did not say hello first".to_owned(),
            Ok(Err(garbage)) => garbage,
            Err(Fault::Cancelled) => return Ok(None),
            Err(Fault::Timeout) => format!("did not say hello within {} s", limits.start.as_secs_f64()),
            Err(fault @ Fault::Memory(_)) => {
                let message = with_stderr(&above_limit(&fault, limits), &process.end());
                return Err(Failed { kind: FailureKind::Memory, message });
            }
            Err(fault) => fault.to_string(),
        };
        Err(crash(with_stderr(&fault, &process.end())))
    }

    /// The description that the runner gave of itself.
    #[must_use]
    pub fn hello(&self) -> &Hello {
        &self.hello
    }

    /// Gives it a task and returns what it answers, and itself for the next.
    ///
    /// # Errors
    /// Where it gave no answers as the protocol wants them.
    pub fn ask(mut self, task: &Task, cancel: &AtomicBool) -> Result<(Session, Answers), Ended> {
        match self.converse(task, cancel) {
            Ok(Ok(answers)) => Ok((self, answers)),
            Ok(Err(refusal)) => Err(Ended::Refused(Box::new(self), refusal)),
            Err(Stop::Cancelled) => Err(Ended::Cancelled),
            Err(Stop::Failed(kind, fault)) => {
                Err(Ended::Broken(Failed { kind, message: with_stderr(&fault, &self.process.end()) }))
            }
        }
    }

    /// Ends the runner because of what it answered.
    #[must_use]
    pub fn dismiss(self, kind: FailureKind, fault: &str) -> Failed {
        Failed { kind, message: with_stderr(fault, &self.process.end()) }
    }

    /// Closes its input and waits for its end.
    ///
    /// # Errors
    /// The fault of its end; the runner has then been killed.
    pub fn finish(mut self) -> Result<(), String> {
        self.process.close_input();
        let fault = match self.process.wait_for_end(PATIENCE) {
            Some(status) if status.success() => return Ok(()),
            Some(status) => Fault::Ended(Some(status)).to_string(),
            None => "did not end with its input".to_owned(),
        };
        Err(with_stderr(&fault, &self.process.end()))
    }

    fn converse(&mut self, task: &Task, cancel: &AtomicBool) -> Result<Result<Answers, Failed>, Stop> {
        let line =
            serde_json::to_string(&Request::Task(task.clone())).map_err(|error| Stop::garbage(error.to_string()))?;
        let started = Instant::now();
        let deadline = started + self.limits.task;
        // Where it has ended, `receive` tells how.
        let _ = self.process.send(&line);
        let mut check = None;
        let mut samples: Vec<Sample> = Vec::new();
        // When the work of the next repeat began, as far as the runner's lines tell, and what was seen of those that
        // ended.
        let mut begun: Option<(Moment, Option<u32>)> = None;
        let mut work: Vec<Option<Work>> = Vec::new();
        let varies = !task.repeat_path.is_empty();
        loop {
            let line = self.process.receive(deadline, cancel).map_err(|fault| self.describe(fault))?;
            let now = Moment { at: Instant::now(), cpu: self.process.cpu_time() };
            let message = parse(&line).map_err(Stop::garbage)?;
            let id = match &message {
                Message::Check { id, .. } | Message::NotOffered { id, .. } | Message::Error { id, .. } => *id,
                Message::Begin { id, .. } => *id,
                Message::Sample(sample) => sample.id,
                Message::Done(done) => done.id,
                Message::Hello(_) | Message::Unavailable { .. } => {
                    return Err(Stop::garbage(format!("out of turn: {}", start_of(&line))));
                }
            };
            if id != task.id {
                return Err(Stop::garbage(format!("answered task {id} when task {} was asked", task.id)));
            }
            match (message, &check) {
                (Message::Check { answer, .. }, None) => {
                    check = Some(answer);
                    // With passes between that are not reported, nothing is known of the first repeat.
                    begun = (!varies && task.warm_up == 0).then_some((now, None));
                }
                (Message::Begin { repeat, .. }, Some(_)) if varies && repeat as usize == samples.len() => {
                    begun = Some((now, Some(repeat)));
                }
                (Message::Sample(sample), Some(_)) if sample.repeat as usize == samples.len() => {
                    if sample.repeat == task.repeats {
                        return Err(Stop::garbage(format!("more than {}", repeats(task.repeats))));
                    }
                    if varies && begun.is_none_or(|(_, repeat)| repeat != Some(sample.repeat)) {
                        return Err(Stop::garbage(format!("repeat {} without its `begin`", sample.repeat)));
                    }
                    work.push(begun.map(|(begin, _)| now.work_since(begin)));
                    begun = (!varies).then_some((now, None));
                    samples.push(sample);
                }
                (Message::Done(done), Some(check)) => {
                    if samples.len() != task.repeats as usize {
                        let told = repeats(samples.len());
                        return Err(Stop::garbage(format!("{told} instead of {}", task.repeats)));
                    }
                    // It may have taken and returned them between two observations.
                    if let Some(bytes) = done.peak_bytes.filter(|bytes| *bytes > self.limits.memory_bytes) {
                        return Err(self.describe(Fault::Memory(bytes)));
                    }
                    let passed = started.elapsed().as_nanos();
                    let clock_ns = self.hello.clock_ns;
                    if let Some(objection) = plausibility::objection(task, &samples, passed, &work, clock_ns) {
                        return Err(Stop::Failed(FailureKind::Implausible, objection));
                    }
                    return Ok(Ok(Answers { check: check.clone(), samples, done }));
                }
                (Message::NotOffered { message, .. }, _) => {
                    return Ok(Err(Failed { kind: FailureKind::NotOffered, message }));
                }
                (Message::Error { message, .. }, _) => return Ok(Err(Failed { kind: FailureKind::Error, message })),
                _ => return Err(Stop::garbage(format!("out of turn: {}", start_of(&line)))),
            }
        }
    }

    fn describe(&self, fault: Fault) -> Stop {
        let kind = match fault {
            Fault::Cancelled => return Stop::Cancelled,
            Fault::Timeout => FailureKind::Timeout,
            Fault::Ended(_) | Fault::System(_) => FailureKind::Crash,
            Fault::TooLong | Fault::NotText => FailureKind::Garbage,
            Fault::Memory(_) => FailureKind::Memory,
        };
        let told = match kind {
            FailureKind::Timeout => format!("{fault} ({} s)", self.limits.task.as_secs_f64()),
            FailureKind::Memory => above_limit(&fault, self.limits),
            _ => fault.to_string(),
        };
        Stop::Failed(kind, told)
    }
}

/// The reason why a conversation ends.
enum Stop {
    Cancelled,
    Failed(FailureKind, String),
}

impl Stop {
    fn garbage(message: String) -> Stop {
        Stop::Failed(FailureKind::Garbage, message)
    }
}

fn above_limit(fault: &Fault, limits: Limits) -> String {
    format!("{fault}; the limit is {} MiB (`--memory`)", limits.memory_bytes >> 20)
}

fn repeats(count: impl TryInto<u64>) -> String {
    counted(count, "repeat", "repeats")
}

fn parse(line: &str) -> Result<Message, String> {
    serde_json::from_str(line).map_err(|error| format!("wrote what is no answer ({error}): {}", start_of(line)))
}

/// Enough of a line to recognise it.
fn start_of(line: &str) -> String {
    const CHARACTERS_MAX: usize = 200;
    let mut text: String = line.chars().take(CHARACTERS_MAX).collect();
    if text.len() < line.len() {
        text.push('…');
    }
    text
}

fn with_stderr(fault: &str, stderr: &str) -> String {
    if stderr.is_empty() { fault.to_owned() } else { format!("{fault}; on standard error: {stderr}") }
}
