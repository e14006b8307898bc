//! How often suspicions were right: what the experiments of `check --prove` decided, counted by rule.

use crate::Store;
use crate::error::StoreError;
use model::finding::{ProofCount, ProofOutcome};
use rusqlite::{Connection, params};

/// Adds what became of the suspicions of a record.
pub fn put(
    connection: &Connection,
    record: i64,
    proofs: &[(String, &'static str)],
) -> rusqlite::Result<()> {
    let mut insert = connection.prepare("INSERT INTO proof VALUES (?1, ?2, ?3)")?;
    for (rule, outcome) in proofs {
        insert.execute(params![record, rule, outcome])?;
    }
    Ok(())
}

impl Store {
    /// The counts of every rule that was ever put to the proof in the records that are here, by rule.
    pub fn proofs(&self) -> Result<Vec<ProofCount>, StoreError> {
        let read = || {
            let mut statement = self.connection.prepare(
                "SELECT rule, sum(outcome = ?1), sum(outcome = ?2), sum(outcome = ?3)
                 FROM proof GROUP BY rule ORDER BY rule",
            )?;
            let outcomes = [
                ProofOutcome::Confirmed,
                ProofOutcome::Refuted,
                ProofOutcome::Undecided,
            ];
            let rows = statement.query_map(outcomes.map(ProofOutcome::word), |row| {
                Ok(ProofCount {
                    rule: row.get(0)?,
                    confirmed: row.get(1)?,
                    refuted: row.get(2)?,
                    undecided: row.get(3)?,
                })
            })?;
            rows.collect::<rusqlite::Result<Vec<_>>>()
        };
        read().map_err(|error| self.failed(&error))
    }
}

#[cfg(test)]
mod tests {
    use crate::tests::{Home, record};
    use model::finding::{Finding, FindingProof, ProofOutcome};

    fn proved(rule: &str, outcome: ProofOutcome) -> Finding {
        let proof = FindingProof {
            outcome,
            words: "It is so.".into(),
            effect: None,
            low: None,
            high: None,
            record: None,
        };
        Finding {
            rule: rule.into(),
            proof: Some(proof),
            ..Finding::default()
        }
    }

    #[test]
    fn suspicions_are_counted_by_rule_and_go_with_their_record() {
        use ProofOutcome::{Confirmed, Refuted, Undecided};
        let home = Home::new();
        let store = home.open();
        let with = |summary: &str, findings: Vec<Finding>| {
            let mut one = record("a", "vda", summary);
            one.findings = findings;
            store.insert(&one).unwrap()
        };
        let first = with(
            "one",
            vec![proved("merging_off", Refuted), Finding::default()],
        );
        with(
            "two",
            vec![
                proved("requests_run_out", Confirmed),
                proved("merging_off", Undecided),
            ],
        );
        with("three", vec![proved("requests_run_out", Confirmed)]);
        let words = |store: &crate::Store| -> Vec<String> {
            let counts = store.proofs().unwrap().into_iter();
            counts
                .map(|count| format!("{}: {}", count.rule, count.words()))
                .collect()
        };
        assert_eq!(
            words(&store),
            [
                "merging_off: right 0 of 1, undecided 1",
                "requests_run_out: right 2 of 2"
            ]
        );
        store.delete(&[first]).unwrap();
        assert_eq!(words(&store)[0], "merging_off: undecided 1");
    }
}
