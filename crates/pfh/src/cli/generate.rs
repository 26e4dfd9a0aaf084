//! Completions and man pages, from the same definitions that parse the command line.

use super::args::{Arguments, CompletionsArguments, ManArguments};
use super::command::{Command, Reporting};
use super::common_args::digest_names;
use super::exit::{Ending, Failed};
use super::message;
use clap::CommandFactory;
use clap_complete::Shell;

/// Prints completions for a shell. Names of algorithms are commands, too (`pfh sha256 FILE`), and what follows them is
/// completed as after `hash`; they are offered where a part of one is typed, since they are many.
pub(crate) fn completions(arguments: &CompletionsArguments) -> Result<Ending, Failed> {
    // In memory first, because writing would panic if nobody reads.
    let mut script = Vec::new();
    clap_complete::generate(arguments.shell, &mut Arguments::command(), "pfh", &mut script);
    let script = String::from_utf8_lossy(&script);
    let names: Vec<String> = digest_names().into_iter().filter(|name| name != "none").collect();
    Command::printing()?.print(match arguments.shell {
        Shell::Bash => bash_with_lists(&script, &names),
        Shell::Zsh => zsh_with_short_forms(&zsh_with_lists(&script), &names),
        Shell::Fish => fish_with_short_forms(&fish_with_lists(&script), &names),
        _ => script.into_owned(),
    })
}

/// Makes bash complete each word of a comma-separated list (`-a md5,sha<TAB>`), and short forms. clap's function
/// handles only the first word of a list, so it gets the part after the last comma, and the part before it is put in
/// front of its answers; and it sees `hash` in the place of a short form.
fn bash_with_lists(script: &str, names: &[String]) -> String {
    let lists = "\
_pfh_lists() {
    local before= names=\"NAMES\" words=(\"${COMP_WORDS[@]}\")
    case \" $names \" in
        *\" ${words[1]%%,*} \"*) words[1]=hash ;;
    esac
    local COMP_WORDS=(\"${words[@]}\")
    case \"$3\" in
        -a|--algorithm|--tests) [[ \"$2\" == *,* ]] && before=\"${2%,*},\" ;;
    esac
    _pfh \"$1\" \"${2#\"$before\"}\" \"$3\"
    if [[ -n \"$before\" ]]; then
        COMPREPLY=(\"${COMPREPLY[@]/#/$before}\")
    fi
    if [[ \"$COMP_CWORD\" -eq 1 && -n \"$2\" ]]; then
        COMPREPLY+=($(compgen -W \"$names\" -- \"$2\"))
    fi
}

";
    let lists = lists.replace("NAMES", &names.join(" "));
    match script.rfind("if [[ \"${BASH_VERSINFO") {
        Some(end) => {
            script[..end].to_owned() + &lists + &script[end..].replace("complete -F _pfh ", "complete -F _pfh_lists ")
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

/// Makes zsh complete what follows a short form as what follows `hash`.
fn zsh_with_short_forms(script: &str, names: &[String]) -> String {
    let case = format!("            (hash|({})(|,*))\n", names.join("|"));
    let offer = format!("    [[ -n \"$PREFIX\" ]] && compadd - {}\n", names.join(" "));
    let describe = "    _describe -t commands 'pfh commands' commands \"$@\"\n";
    let script = script.replacen("            (hash)\n", &case, 1);
    script.replacen(describe, &(offer + describe), 1)
}

/// Makes fish complete what follows a short form as what follows `hash`.
fn fish_with_short_forms(script: &str, names: &[String]) -> String {
    let names = names.join(" ");
    let contains = "    contains -- $cmd[1] $argv\n";
    let short = format!("    contains -- (string replace -r ',.*' '' -- $cmd[1]) {names}\n    and set cmd hash\n");
    let condition = "__fish_pfh_needs_command; and string length -q -- (commandline -ct)";
    let offer = format!("complete -c pfh -n \"{condition}\" -f -a \"{names}\"\n");
    script.replacen(contains, &(short + contains), 1) + &offer
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
