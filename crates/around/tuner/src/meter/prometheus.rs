//! Counters that a Prometheus server has collected, with the moments at which it collected them.
//!
//! A range of a selector (`http_requests_total[5m]`) gives the samples as they were scraped, each with its time; what an
//! expression is worth at a moment (`rate(…[1m])`) would mix what several settings did, and hide that nothing new was
//! scraped. The growth is worked out here, between samples of one window.

use super::outside::{Reading, Source};
use host::{clock, http};
use model::text::clean_to;
use serde_json::Value;
use std::collections::BTreeMap;

/// How long an answer is waited for, ms.
const ANSWER_MS: u64 = 5_000;
/// How far back the first question looks, and every other one, as a selector has it: two samples have to be in it.
const FIRST: &str = "[10m]";
const LATER: &str = "[5m]";
/// Questions may fail for so long: a network loses one now and then, and a server that is started anew is away for seconds.
const AWAY_NS: u64 = 60_000_000_000;
/// Samples of one window: with fewer its rate would be that of a moment.
const SAMPLES: u64 = 4;
/// A window is no shorter, ms.
const WINDOW_MIN_MS: u64 = 4_000;
/// Characters of the server's words in a message.
const WORDS_MAX: usize = 300;

/// A selector of counters, asked of a server.
#[derive(Debug)]
pub struct Prometheus {
    url: String,
    query: String,
    /// What to add to a time of the server's to get one of the monotonic clock, s.
    offset_s: f64,
    /// Since when every question failed, ns.
    away_since_ns: Option<u64>,
}

/// What the first look at a selector told.
#[derive(Clone, Debug, PartialEq)]
pub struct Scraped {
    /// The metric's name.
    pub name: String,
    /// Between two samples, ms.
    pub every_ms: u64,
}

impl Scraped {
    /// How long a window has to be so that several samples are in it, ms.
    pub fn window_ms(&self) -> u64 {
        (SAMPLES * self.every_ms).max(WINDOW_MIN_MS)
    }
}

impl Prometheus {
    /// Looks once at what a selector gives, and at the server's clock.
    ///
    /// # Errors
    /// When there is no such server, when it does not take the query, has no samples of it, or says that it is no counter.
    pub fn connect(url: &str, query: &str) -> Result<(Prometheus, Scraped), String> {
        must_be_plain(url)?;
        let mut prometheus = Prometheus {
            url: url.trim_end_matches('/').into(),
            query: query.trim().into(),
            offset_s: 0.0,
            away_since_ns: None,
        };
        prometheus.offset_s = prometheus.clock_offset_s()?;
        let found = samples(&prometheus.range(FIRST)?);
        let scraped = prometheus.scraped(&found)?;
        prometheus.must_count(&scraped.name)?;
        Ok((prometheus, scraped))
    }

    /// What the monotonic clock shows when the server's shows 0, s. The answer is taken to be from the middle of the wait.
    fn clock_offset_s(&self) -> Result<f64, String> {
        let asked_s = clock::monotonic_ns() as f64 / 1e9;
        let data = self.ask("query", &[("query", "time()")])?;
        let answered_s = clock::monotonic_ns() as f64 / 1e9;
        let theirs_s = data["result"][0].as_f64();
        let theirs_s = theirs_s.ok_or_else(|| self.told("does not tell its time".into(), LOOK))?;
        Ok(f64::midpoint(asked_s, answered_s) - theirs_s)
    }

    fn range(&self, over: &str) -> Result<Value, String> {
        let query = format!("{}{over}", self.query);
        self.ask("query", &[("query", &query)])
    }

    /// The `data` of an answer that succeeded.
    fn ask(&self, path: &str, parameters: &[(&str, &str)]) -> Result<Value, String> {
        let url = format!("{}/api/v1/{path}", self.url);
        let answer = http::get(&url, parameters, ANSWER_MS).map_err(|error| error.to_string())?;
        let mut document: Value = model::json::read_bytes(&answer.body).map_err(|_| {
            let said = clean_to(&String::from_utf8_lossy(&answer.body), WORDS_MAX);
            let how = format!("answers {} and no JSON: {said}", answer.status);
            self.told(how, "Name the address at which its pages are")
        })?;
        match document["status"].as_str() {
            Some("success") => Ok(document["data"].take()),
            _ => {
                let said = document["error"].as_str().unwrap_or("no reason");
                let said = clean_to(said, WORDS_MAX);
                Err(self.told(format!("refuses {}: {said}", self.query), GIVE_COUNTER))
            }
        }
    }

    fn scraped(&self, found: &BTreeMap<String, Vec<(f64, f64)>>) -> Result<Scraped, String> {
        let steps = found.values().flat_map(|all| all.windows(2));
        let mut steps: Vec<f64> = steps.map(|two| two[1].0 - two[0].0).collect();
        steps.sort_by(f64::total_cmp);
        let Some(middle) = steps.get(steps.len() / 2).filter(|step| **step > 0.0) else {
            let how = format!(
                "has fewer than two samples of {} in ten minutes",
                self.query
            );
            return Err(self.told(how, "Look whether it is scraped, under Status, Targets"));
        };
        let name = self.query.split('{').next().unwrap_or_default().trim();
        Ok(Scraped {
            name: if name.is_empty() { &self.query } else { name }.into(),
            every_ms: (middle * 1e3).round().max(1.0) as u64,
        })
    }

    /// A level that rises and falls has no growth. Where the server does not know what it is, what falls is told in its window.
    fn must_count(&self, name: &str) -> Result<(), String> {
        let known = self.ask("metadata", &[("metric", name)])?;
        match known[name][0]["type"].as_str() {
            Some(kind @ ("gauge" | "gaugehistogram" | "info" | "stateset")) => Err(self.told(
                format!("says that {name} is a {kind}, which counts nothing"),
                GIVE_COUNTER,
            )),
            _ => Ok(()),
        }
    }

    /// After a question that failed: whether another one is worth it.
    fn may_be_away(&mut self, now_ns: u64) -> bool {
        let since_ns = *self.away_since_ns.get_or_insert(now_ns);
        now_ns < since_ns + AWAY_NS
    }

    fn told(&self, how: String, advice: &str) -> String {
        format!("{} {how}. {advice}", self.url)
    }
}

const LOOK: &str = "Look whether it is a Prometheus server";
const GIVE_COUNTER: &str = "Give the counter itself, without rate() and [1m], as in 'http_requests_total{job=\"web\"}'; its growth \
                            is worked out between the samples of a window";

/// What cannot be asked, or would be shown to everybody by `ps`.
fn must_be_plain(url: &str) -> Result<(), String> {
    let Some(rest) = url.strip_prefix("http://") else {
        let tunnel = "ssh -L 9090:localhost:9090 HOST";
        return Err(format!(
            "{} is no address that begins with http://. To a server behind TLS or a log-in make a tunnel ({tunnel})",
            clean_to(&model::secret::cut(url), WORDS_MAX)
        ));
    };
    match rest
        .split('/')
        .next()
        .is_some_and(|host| host.contains('@'))
    {
        true => Err(
            "a password in an address is shown to every user by ps. Make a tunnel past the log-in"
                .into(),
        ),
        false => Ok(()),
    }
}

impl Source for Prometheus {
    fn read(&mut self) -> Result<Vec<Reading>, String> {
        let all = match self.range(LATER) {
            Ok(data) => samples(&data),
            Err(_) if self.may_be_away(clock::monotonic_ns()) => return Ok(Vec::new()),
            Err(why) => return Err(why),
        };
        self.away_since_ns = None;
        let reading = |(series, (at_s, count)): (&String, (f64, f64))| {
            let at_s = at_s + self.offset_s;
            (at_s >= 0.0).then(|| Reading {
                series: series.clone(),
                at_ns: (at_s * 1e9) as u64,
                count,
            })
        };
        let each = all
            .iter()
            .flat_map(|(series, all)| all.iter().map(move |sample| (series, *sample)));
        Ok(each.filter_map(reading).collect())
    }
}

/// The samples of a matrix by series: when, s, and the counter. What is no number is left out.
fn samples(data: &Value) -> BTreeMap<String, Vec<(f64, f64)>> {
    let all = data["result"].as_array().into_iter().flatten();
    let of = |series: &Value| {
        let values = series["values"].as_array().into_iter().flatten();
        let samples = values.filter_map(|pair| {
            let count: f64 = pair[1].as_str()?.parse().ok()?;
            Some((pair[0].as_f64()?, count)).filter(|_| count.is_finite())
        });
        (series["metric"].to_string(), samples.collect())
    };
    all.map(of).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use serde_json::json;

    fn asked(query: &str) -> Prometheus {
        Prometheus {
            url: "http://mon:9090".into(),
            query: query.into(),
            offset_s: 0.0,
            away_since_ns: None,
        }
    }

    #[test]
    fn samples_keep_the_times_at_which_they_were_scraped() {
        let data = json!({"resultType": "matrix", "result": [
            {"metric": {"__name__": "a_total", "job": "x"}, "values": [[10.5, "7"], [25.5, "9"], [40.6, "NaN"], [55.5, "12"]]},
            {"metric": {"__name__": "a_total", "job": "y"}, "values": [[11, "1e3"]]},
        ]});
        let all = samples(&data);
        let lengths: Vec<usize> = all.values().map(Vec::len).collect();
        assert_eq!(lengths, [3, 1]);
        let scraped = asked("a_total{job=~\"x|y\"}").scraped(&all).unwrap();
        assert_eq!(
            (scraped.name.as_str(), scraped.every_ms),
            ("a_total", 29_900 + 100)
        );
        assert_eq!(scraped.window_ms(), 120_000);
        let none = asked("b").scraped(&BTreeMap::new()).unwrap_err();
        assert!(none.contains("fewer than two samples of b"), "{none}");
    }

    #[test]
    fn what_cannot_be_asked_is_told_before_anything_is_sent() {
        let tls = must_be_plain("https://me:secret@mon/").unwrap_err();
        assert!(tls.contains("ssh -L") && !tls.contains("secret"), "{tls}");
        let shown = must_be_plain("http://me:secret@mon:9090").unwrap_err();
        assert!(
            shown.contains("shown to every user") && !shown.contains("secret"),
            "{shown}"
        );
        assert!(must_be_plain("http://mon:9090/prometheus/x@y").is_ok());
    }

    #[test]
    fn a_question_that_is_lost_is_asked_again_and_a_server_that_is_gone_is_told() {
        let mut gone = Prometheus {
            url: "http://127.0.0.1:1".into(),
            ..asked("a_total")
        };
        assert_eq!(gone.read(), Ok(Vec::new()));
        assert_eq!(gone.read(), Ok(Vec::new()));
        gone.away_since_ns = gone.away_since_ns.map(|ns| ns.saturating_sub(AWAY_NS));
        let why = gone.read().unwrap_err();
        assert!(
            why.contains("127.0.0.1:1") && why.contains("refused"),
            "{why}"
        );
    }

    proptest! {
        /// Whatever a server says, there are samples or none.
        #[test]
        fn any_answer_is_read(text in "\\PC{0,200}", at in any::<f64>(), count in "[0-9eE.+-]{0,12}|NaN|\\+Inf") {
            let odd = json!({"result": [{"metric": text, "values": [[at, count], [text], 5, null]}, 7, {"values": {}}]});
            for (_, all) in samples(&odd) {
                prop_assert!(all.iter().all(|(_, count)| count.is_finite()));
            }
            if let Ok(value) = serde_json::from_str(&text) {
                samples(&value);
            }
        }
    }
}
