//! Completions and man pages, from the same definitions that parse the command line.

use super::args::{Arguments, CompletionsArguments, ManArguments};
use super::command::{Command, Reporting};
use super::exit::{Ending, Failed};
use super::message;
use clap::CommandFactory;
use clap_complete::Shell;

/// Prints completions for a shell.
pub(crate) fn completions(arguments: &CompletionsArguments) -> Result<Ending, Failed> {
    // In memory first, because writing would panic if nobody reads.
    let mut script = Vec::new();
    clap_complete::generate(arguments.shell, &mut Arguments::command(), "pfh", &mut script);
    let script = String::from_utf8_lossy(&script);
    Command::printing()?.print(match arguments.shell {
        Shell::Bash => bash_with_lists(&script),
        Shell::Zsh => zsh_with_lists(&script),
        Shell::Fish => fish_with_lists(&script),
        _ => script.into_owned(),
    })
}

/// Makes bash complete each word of a comma-separated list (`-a md5,sha<TAB>`). clap's function handles only the first
/// word, so it gets the part after the last comma, and the part before it is put in front of its answers.
fn bash_with_lists(script: &str) -> String {
    let lists = "\
_pfh_lists() {
    local before=
    case \"$3\" in
        -a|--algorithm|--tests) [[ \"$2\" == *,* ]] && before=\"${2%,*},\" ;;
    esac
    _pfh \"$1\" \"${2#\"$before\"}\" \"$3\"
    if [[ -n \"$before\" ]]; then
        COMPREPLY=(\"${COMPREPLY[@]/#/$before}\")
    fi
}

";
    match script.rfind("if [[ \"${BASH_VERSINFO") {
        Some(end) => {
            script[..end].to_owned() + lists + &script[end..].replace("complete -F _pfh ", "complete -F _pfh_lists ")
        }
        None => script.to_owned(),
    }
}

/// Makes zsh complete lists: `:LIST:(a b)` is one of these words, `_sequence` several with commas between them.
fn zsh_with_lists(script: &str) -> String {
    let line = |line: &str| match line.split_once(":LIST:(") {
        Some((before, after)) => match after.rsplit_once(")'") {
            Some((words, rest)) => format!("{before}:LIST:_sequence compadd - {words}'{rest}"),
            None => line.to_owned(),
        },
        None => line.to_owned(),
    };
    script.lines().map(|text| line(text) + "\n").collect()
}

/// Makes fish complete lists, by its own function for them, whose words have no description.
fn fish_with_lists(script: &str) -> String {
    let mut lines: Vec<String> = Vec::new();
    let mut rest = script.lines();
    while let Some(line) = rest.next() {
        let is_list = line.contains(" -l algorithm ") || line.contains(" -l tests ");
        let Some((before, first)) = line.split_once(" -a \"").filter(|_| is_list) else {
            lines.push(line.to_owned());
            continue;
        };
        let mut words = vec![first];
        while !words.last().is_some_and(|word| word.ends_with('"')) {
            match rest.next() {
                Some(word) => words.push(word),
                None => break,
            }
        }
        let words = words.iter().map(|word| word.trim_end_matches('"').split(['\t', '\\']).next().unwrap_or_default());
        let words = words.collect::<Vec<_>>().join(" ");
        lines.push(format!("{before} -a \"(__fish_complete_list , 'string split \\' \\' \\'{words}\\'')\""));
    }
    lines.join("\n") + "\n"
}

/// Writes `pfh.1`, `pfh-hash.1` ….
pub(crate) fn man(arguments: &ManArguments) -> Result<Ending, Failed> {
    let command = Command::begin(Reporting::DEFAULT, None);
    clap_mangen::generate_to(Arguments::command(), &arguments.directory)
        .map_err(|error| Failed::internal(format_args!("{}: {error}", message::quoted_path(&arguments.directory))))?;
    command.finish(Ok(()), 1, None)
}
