//! Counters of a database, asked for through the client that is installed: one process, kept open over pipes.

use super::outside::{Reading, Source};
use host::{Workload, clock};
use model::secret;
use model::text::clean_to;

/// How long an answer is waited for, ns.
const ANSWER_NS: u64 = 10_000_000_000;
/// How long the rest of what a client says is waited for once it complains, ns.
const WORDS_NS: u64 = 300_000_000;
/// Between two looks for an answer, ns.
const LOOK_NS: u64 = 500_000;
/// How long a client may take to end after it was asked to, ms.
const END_MS: u64 = 500;
/// Characters of the command in a message.
const SHOWN_MAX: usize = 60;
/// Characters of a client's words in a message.
const WORDS_MAX: usize = 400;

/// How a kind of client is spoken to.
#[derive(Clone, Copy, Debug)]
pub struct Client {
    /// What it is called where the user names no command.
    pub usual: &'static str,
    /// How it is started then, as the shell takes it.
    pub start: &'static str,
    /// Words behind the user's command that make its answers plain lines.
    pub words: &'static str,
    /// What it is told first.
    pub greeting: &'static str,
    /// The question, whose answer is a line with a number.
    pub question: &'static str,
    /// The number in a line.
    pub count: fn(&str) -> Option<f64>,
    /// How much each question adds to the count.
    pub own: f64,
    /// Whether a word of the command is a password in a way of this client's own.
    pub is_secret: fn(&str) -> bool,
    /// What to do where it does not answer.
    pub advice: &'static str,
}

/// A client at work.
#[derive(Debug)]
pub struct Sql {
    client: Client,
    shown: String,
    workload: Workload,
    asked: f64,
}

impl Sql {
    /// Starts the client with the user's command, or with its usual one.
    ///
    /// # Errors
    /// When the command holds a password, which every user of the machine could read, or cannot be started.
    pub fn start(client: Client, command: Option<&str>) -> Result<Sql, String> {
        let shown = clean_to(command.unwrap_or(client.usual), SHOWN_MAX);
        let command = command.unwrap_or(client.start);
        if let Some(why) = holds_secret(command, client.is_secret) {
            return Err(why);
        }
        let workload = Workload::start_asked(&format!("{command} {}", client.words));
        let mut workload = workload.map_err(|error| error.to_string())?;
        workload.ask(client.greeting);
        Ok(Sql {
            client,
            shown,
            workload,
            asked: 0.0,
        })
    }

    /// The first number among what it says now.
    fn answer(&mut self) -> Result<Option<(u64, f64)>, ()> {
        for line in self.workload.take_lines() {
            if let Some(count) = (self.client.count)(&line.text) {
                return Ok(Some((line.at_ns, count)));
            }
            if is_complaint(&line.text) {
                return Err(());
            }
        }
        Ok(None)
    }

    /// Why there is no answer, in the client's own words, once it has said them.
    fn failed(&mut self, how: &str) -> String {
        let until_ns = clock::monotonic_ns() + WORDS_NS;
        while !self.workload.has_ended() && clock::monotonic_ns() < until_ns {
            clock::sleep_ns(LOOK_NS);
        }
        let status = self.workload.status();
        self.workload.end(END_MS);
        let words = self.workload.last_lines();
        let words: Vec<&str> = words.iter().map(|line| line.trim()).collect();
        let said = clean_to(&secret::cut(&words.join("; ")), WORDS_MAX);
        let how = match (said.is_empty(), status) {
            (false, _) => said,
            (true, Some(status)) => format!("it ended with status {status} and said nothing"),
            (true, None) => how.to_string(),
        };
        let stop = if how.ends_with(['.', '?']) { "" } else { "." };
        format!(
            "`{}` gives no count: {how}{stop} {}",
            self.shown, self.client.advice
        )
    }
}

impl Source for Sql {
    fn read(&mut self) -> Result<Vec<Reading>, String> {
        self.asked += self.client.own;
        if !self.workload.ask(self.client.question) {
            return Err(self.failed("it takes no more questions"));
        }
        let until_ns = clock::monotonic_ns() + ANSWER_NS;
        loop {
            // Whoever has ended has said everything that this look finds.
            let has_ended = self.workload.has_ended();
            match self.answer() {
                Ok(Some((at_ns, count))) => {
                    return Ok(vec![Reading {
                        series: self.client.usual.into(),
                        at_ns,
                        count: count - self.asked,
                    }]);
                }
                Ok(None) if has_ended => return Err(self.failed("it ended and said nothing")),
                Ok(None) if clock::monotonic_ns() > until_ns => {
                    return Err(self.failed("it has been silent for 10 s"));
                }
                Ok(None) => clock::sleep_ns(LOOK_NS),
                Err(()) => return Err(self.failed("it refuses the question")),
            }
        }
    }
}

impl Drop for Sql {
    fn drop(&mut self) {
        self.workload.end(END_MS);
    }
}

/// Why a command must not be started as it is: `ps` shows it to everybody.
fn holds_secret(command: &str, is_secret: fn(&str) -> bool) -> Option<String> {
    let variables = ["PGPASSWORD=", "MYSQL_PWD="];
    let plain = without_users(command);
    let holds = secret::cut(&plain) != plain
        || variables.iter().any(|name| command.contains(name))
        || command
            .split_whitespace()
            .any(|word| is_secret(word.trim_matches(['\'', '"'])));
    holds.then(|| {
        "--sql-client holds a password, which everybody on this machine can read in the list of processes. Leave it to \
         the client's own file (~/.pgpass or ~/.my.cnf, mode 600)"
            .into()
    })
}

/// A command without the users that its addresses name alone: a name is no secret, and `cut` would take it for one.
fn without_users(command: &str) -> String {
    let mut parts = command.split("://");
    let mut plain = parts
        .next()
        .unwrap_or_default()
        .replace("username=", "user ");
    for part in parts {
        let authority = part.split(['/', ' ', '\'', '"']).next().unwrap_or_default();
        let user = authority.split_once('@').map_or("", |(user, _)| user);
        let is_name = !user.is_empty() && !user.contains(':');
        let rest = if is_name {
            &part[user.len() + 1..]
        } else {
            part
        };
        plain.push_str("://");
        plain.push_str(rest);
    }
    plain
}

/// Whether a client complains, in the words that psql, mysql and the shell begin with.
fn is_complaint(line: &str) -> bool {
    let begins = ["ERROR", "FATAL", "PANIC", "psql: error"];
    begins.iter().any(|word| line.starts_with(word))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn number(line: &str) -> Option<f64> {
        line.trim().parse::<u64>().ok().map(|count| count as f64)
    }

    const PLAIN: Client = Client {
        usual: "client",
        start: "client",
        words: "",
        greeting: "hello\n",
        question: "how many\n",
        count: number,
        own: 1.0,
        is_secret: |word| word.starts_with("-psecret"),
        advice: "Look at it",
    };

    fn asked(script: &str) -> Result<Vec<f64>, String> {
        let mut sql = Sql::start(PLAIN, Some(script))?;
        let mut counts = Vec::new();
        for _ in 0..3 {
            match sql.read() {
                Ok(readings) => counts.extend(readings.iter().map(|reading| reading.count)),
                Err(why) => return Err(why),
            }
        }
        Ok(counts)
    }

    #[test]
    fn one_client_answers_all_questions_and_they_are_not_counted() {
        let counts = asked(
            "read -r hello; n=70; while read -r q; do n=$((n+1)); echo NOTICE: $hello; echo $n; done; :",
        );
        assert_eq!(counts.unwrap(), [70.0, 70.0, 70.0]);
    }

    #[test]
    fn a_client_that_fails_is_told_in_its_own_words() {
        let why = asked("echo connection refused >&2; exit 2; :").unwrap_err();
        assert!(
            why.contains("connection refused") && why.ends_with("Look at it"),
            "{why}"
        );
        let why = asked("exit 2; :").unwrap_err();
        assert!(
            why.contains("ended with status 2 and said nothing"),
            "{why}"
        );
        let why = asked("echo ERROR:  no such table; sleep 100; :").unwrap_err();
        assert!(why.contains("no such table"), "{why}");
        let why = asked("read -r a; read -r b; echo 5; :").unwrap_err();
        assert!(why.contains("gives no count"), "{why}");
        let why = asked("no-such-client-here").unwrap_err();
        assert!(why.contains("not found"), "{why}");
    }

    #[test]
    fn a_password_on_the_command_line_is_refused_before_it_is_started() {
        for command in [
            "psql postgresql://me:secret@host/db",
            "PGPASSWORD=secret psql",
            "psql 'host=db password=secret'",
            "mysql '-psecret'",
            "mysql --password=secret",
        ] {
            let why = asked(command).unwrap_err();
            assert!(
                why.contains("holds a password") && !why.contains("secret"),
                "{why}"
            );
        }
        for command in [
            "psql -p5433 bench",
            "sudo -u postgres psql -p 5433 bench",
            "psql postgresql://me@host/db",
            "psql --username=me 'host=db user=me'",
        ] {
            assert_eq!(holds_secret(command, PLAIN.is_secret), None, "{command}");
        }
    }

    proptest! {
        #[test]
        fn no_line_breaks_it(line in any::<String>()) {
            is_complaint(&line);
            let shown = holds_secret(&line, PLAIN.is_secret).unwrap_or_default();
            prop_assert!(shown.len() < 400);
        }
    }
}
