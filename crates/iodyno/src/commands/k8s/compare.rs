//! `iodyno k8s compare`: the same load at several places in turns, in rounds of random order, so that what drifts in a cluster
//! from minute to minute is on all sides of a ratio.

use super::args::K8sCompareArgs;
use super::cluster::{self, K8sCluster};
use super::home;
use super::places::{self, Place};
use super::plan::RunPlan;
use super::single::{in_a_pod, make_claim, must_be_usable};
use super::words;
use crate::commands::job_args::fresh_seed;
use crate::context::Context;
use crate::exit::{Exit, Failure};
use crate::keep::Kept;
use compare::turns::{self, Turn};
use kube::document::{K8S_SCHEMA, K8sDocument, PlaceDone};
use model::record::Record;
use stats::dice::Dice;
use store::Store;

/// What was measured.
#[derive(Debug, Default)]
struct Rounds {
    /// The order of each round that was begun.
    order: Vec<Vec<usize>>,
    /// Place, round, record.
    records: Vec<(usize, usize, Record)>,
    /// Whether each was kept.
    kept: Vec<Kept>,
    /// Why a place has no further record.
    errors: Vec<Option<Failure>>,
    /// What ended it before its time: a stop.
    stopped: Option<Failure>,
}

/// Loads the places in turns, and says by how much they differ.
pub fn run(args: &K8sCompareArgs, context: &Context) -> Result<Exit, Failure> {
    let places = places::several(&args.storage)?;
    let plan = RunPlan::of_load(&args.load, (&args.storage, &args.pod, &args.cluster))?;
    if plan.cluster.print {
        return plan.print(plan.manifests(&places), context);
    }
    let store = Store::open(&context.state_dir)?;
    let seed = args.seed.unwrap_or_else(fresh_seed);
    let names: Vec<String> = places.iter().map(Place::name).collect();
    let purpose = format!("k8s compare of {}", names.join(", "));
    let mut made = K8sCluster::begin(plan.cluster, context, &purpose)?;
    let measured = measure(&plan, &places, (args.rounds, seed), &store, &mut made);
    let scope = made.scope.clone();
    let ended = made.end();
    let mut rounds = match measured {
        Ok(rounds) => rounds,
        Err(why) => return Err(cluster::failed(context, why, ended)),
    };
    let turns: Vec<Turn<'_>> = rounds
        .records
        .iter()
        .map(|(place, round, record)| Turn {
            place: *place,
            round: *round,
            record,
        })
        .collect();
    let measures = turns::rows(places.len(), &turns);
    let done = done(&places, &rounds);
    let said = words::of_turns(&done, &measures, rounds.order.len() as u32);
    said.into_iter().for_each(|line| context.out.say(line));
    say_records(&done, context);
    context.out.document(&K8sDocument {
        schema: K8S_SCHEMA,
        run: plan.run.clone(),
        context: scope.cluster.name().to_string(),
        namespace: scope.namespace,
        places: done,
        order: rounds.order.clone(),
        seed: Some(seed),
        measures,
        is_cut: rounds.stopped.is_some(),
    })?;
    rounds.kept.into_iter().try_for_each(Kept::must_be_stored)?;
    let failed = rounds.errors.iter_mut().find_map(Option::take);
    match rounds.stopped.or(failed) {
        Some(why) => Err(cluster::failed(context, why, ended)),
        None => ended.map(|()| Exit::Fine),
    }
}

/// Every place in every round. One that fails takes part in no further round; the others go on.
fn measure(
    plan: &RunPlan<'_>,
    places: &[Place],
    (count, seed): (u32, u64),
    store: &Store,
    cluster: &mut K8sCluster<'_>,
) -> Result<Rounds, Failure> {
    let mut read_only = Vec::new();
    for place in places {
        read_only.push(must_be_usable(plan, place, cluster)?);
    }
    for (at, place) in places.iter().enumerate() {
        make_claim(plan, (at + 1, place), cluster)?;
    }
    let mut rounds = Rounds {
        errors: places.iter().map(|_| None).collect(),
        ..Rounds::default()
    };
    let mut dice = Dice::new(seed);
    for round in 0..count as usize {
        let mut order: Vec<usize> = (0..places.len()).collect();
        dice.shuffle(&mut order);
        rounds.order.push(order.clone());
        for at in order {
            if rounds.errors[at].is_some() {
                continue;
            }
            let (number, component) = (at + 1, format!("load-{}-{}", at + 1, round + 1));
            let told = format!("round {} of {count}: {}", round + 1, places[at].name());
            cluster.context.out.note(told);
            let place = (number, &places[at]);
            match in_a_pod(plan, place, (&component, read_only[at]), cluster) {
                Ok(done) => {
                    rounds.kept.push(home::keep(store, &done.record));
                    rounds.records.push((at, round, done.record));
                    rounds.errors[at] = done.failure;
                }
                Err(why) if why.exit == Exit::Interrupted => {
                    rounds.stopped = Some(why);
                    return Ok(rounds);
                }
                Err(why) => {
                    let name = places[at].name();
                    cluster
                        .context
                        .out
                        .note(format!("{name}: {}; it is left out", why.message));
                    rounds.errors[at] = Some(why.told());
                }
            }
        }
    }
    Ok(rounds)
}

fn done(places: &[Place], rounds: &Rounds) -> Vec<PlaceDone> {
    let both = || rounds.records.iter().zip(&rounds.kept);
    let one = |(at, place): (usize, &Place)| {
        let own = || both().filter(move |((of, _, _), _)| *of == at);
        let last = own().next_back().map(|((_, _, record), _)| record);
        PlaceDone {
            name: place.name(),
            storage: place.storage.clone(),
            node: last.map(|record| record.provenance.hostname.clone()),
            records: own().filter_map(|(_, kept)| kept.id).collect(),
            summary: last.map(|record| record.summary.clone()),
            error: rounds.errors[at].as_ref().map(|why| why.message.clone()),
        }
    };
    places.iter().enumerate().map(one).collect()
}

fn say_records(done: &[PlaceDone], context: &Context) {
    let ids = done.iter().flat_map(|place| &place.records);
    let ids: Vec<String> = ids.map(i64::to_string).collect();
    if !ids.is_empty() {
        context
            .out
            .say(format!("  show them: iodyno compare {}", ids.join(" ")));
    }
}
