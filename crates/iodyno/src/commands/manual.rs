//! The manual pages: `iodyno(1)` of the program, `iodyno-VERB(1)` of each verb, made from the same definitions as the parser.

use crate::context::Context;
use crate::exit::{Exit, Failure};
use clap::Command;
use clap_mangen::Man;
use std::io::Result as Written;

/// Arguments of `manual`.
#[derive(Debug, clap::Args)]
pub struct ManualArgs {
    /// The verb whose page is printed; the page of the program without it.
    #[arg(conflicts_with = "list")]
    pub verb: Option<String>,
    /// Print the verbs and the verbs below them, one a line, each with what it does after a tab.
    #[arg(long)]
    pub list: bool,
}

/// Prints one page, or the list of verbs.
pub fn run(args: &ManualArgs, command: Command, context: &Context) -> Result<Exit, Failure> {
    // `help` has no page: `--help` says the same.
    let mut command = command.disable_help_subcommand(true);
    command.build();
    let text = match &args.verb {
        _ if args.list => listed(&command, ""),
        None => page(|page| program_page(&command, page))?,
        Some(verb) => {
            let found = visible(&command).find(|known| known.get_name() == verb);
            let found = found.ok_or_else(|| Failure::usage(format!("no verb is called {verb}")))?;
            page(|page| verb_page(found, page))?
        }
    };
    context.out.text(text.trim_end());
    Ok(Exit::Fine)
}

fn page(render: impl FnOnce(&mut Vec<u8>) -> Written<()>) -> Result<String, Failure> {
    let mut page = Vec::new();
    render(&mut page).map_err(|error| {
        let message = format!("cannot make the manual page: {error}");
        Failure::new(Exit::Failed, message)
    })?;
    Ok(String::from_utf8_lossy(&page).into_owned())
}

fn visible(command: &Command) -> impl Iterator<Item = &Command> {
    command.get_subcommands().filter(|verb| !verb.is_hide_set())
}

fn about(command: &Command) -> String {
    let about = command.get_about().map(ToString::to_string);
    about.unwrap_or_default().replace('\n', " ")
}

fn listed(command: &Command, above: &str) -> String {
    let entry = |verb: &Command| {
        let name = format!("{above}{}", verb.get_name());
        let below = listed(verb, &format!("{name} "));
        format!("{name}\t{}\n{below}", about(verb))
    };
    visible(command).map(entry).collect()
}

/// What no option says: how every verb ends, where it keeps what, and what it takes from the environment.
const MORE: &str = r#".SH "EXIT STATUS"
.TP
0
all went well
.TP
1
a threshold was crossed (\fBcheck \-\-fail\-on\fR, \fBcompare \-\-fail\-if\fR)
.TP
2
the command line or a document makes no sense
.TP
3
rights are missing; \fBiodyno rights\fR says which, and how to grant them
.TP
4
refused for the sake of the data or the machine
.TP
5
the target or the host failed
.TP
6
the experiment could not decide
.TP
130
stopped by a signal, with everything put back
.SH FILES
.TP
\fI/var/lib/iodyno\fR
records, and the journals that \fBiodyno undo\fR reads; without root \fI$XDG_STATE_HOME/iodyno\fR, or \fI~/.local/state/iodyno\fR
.TP
\fI/run/iodyno\fR
one lock for each device, held by whoever changes its settings
.SH ENVIRONMENT
.TP
\fBIODYNO_STATE_DIR\fR
the directory of records and journals
.TP
\fBNO_COLOR\fR
no colours on a terminal
"#;

/// Title, name, synopsis and options: what every page begins with.
fn beginning(man: &Man, page: &mut Vec<u8>) -> Written<()> {
    man.render_title(page)?;
    man.render_name_section(page)?;
    man.render_synopsis_section(page)?;
    man.render_options_section(page)
}

fn program_page(command: &Command, page: &mut Vec<u8>) -> Written<()> {
    let man = Man::new(command.clone());
    beginning(&man, page)?;
    man.render_subcommands_section(page)?;
    page.extend(MORE.as_bytes());
    Ok(())
}

fn verb_page(verb: &Command, page: &mut Vec<u8>) -> Written<()> {
    let source = concat!("iodyno ", env!("CARGO_PKG_VERSION"));
    beginning(&Man::new(verb.clone()).source(source), page)?;
    verbs_below(verb, page)?;
    page.extend(b".SH \"SEE ALSO\"\n\\fBiodyno\\fR(1)\n");
    Ok(())
}

/// Each verb below a verb as a section of its page.
fn verbs_below(verb: &Command, page: &mut Vec<u8>) -> Written<()> {
    for below in visible(verb) {
        let name = below.get_bin_name().unwrap_or(below.get_name());
        let mut section = Vec::new();
        let man = Man::new(below.clone());
        man.render_synopsis_section(&mut section)?;
        man.render_description_section(&mut section)?;
        man.render_options_section(&mut section)?;
        let section = String::from_utf8_lossy(&section).replace(".SH ", ".SS ");
        page.extend(format!(".SH \"{}\"\n{section}", name.to_uppercase()).bytes());
        verbs_below(below, page)?;
    }
    Ok(())
}
