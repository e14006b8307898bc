//! `iodyno cloud`: what disks of the cloud promise, which of them carry a load, and which one a measured rate fits.
//! Asks no network: types come from a dated file, the machine from its firmware and the names of its disks.

mod documents;
mod measured;
mod words;

use crate::context::Context;
use crate::exit::{Exit, Failure};
use diagnose::cloud::{self, CloudError, Data, Need, OfferWish, Prices};
use documents::{Answer, CloudDocument};
use host::Host;
use model::units::{parse_bytes, parse_duration_ms};
use std::path::PathBuf;

/// Arguments of `cloud`.
#[derive(Debug, clap::Args)]
pub struct CloudArgs {
    /// A type of disk: gp3, aws:gp3, P30, pl1 … Without one: what carries --iops or --bandwidth, what --record or
    /// --series looks like, or what this machine is.
    #[arg(value_name = "TYPE", conflicts_with_all = ["record", "series", "bandwidth"])]
    pub kind: Option<String>,
    /// Its size: 100GiB, 2TiB; a bare number is GiB, and so is GB, as providers count.
    #[arg(value_name = "SIZE", value_parser = size)]
    pub size: Option<SizeArg>,
    /// I/Os a second: provisioned for TYPE, or needed by a load.
    #[arg(long, value_name = "N", value_parser = positive)]
    pub iops: Option<f64>,
    /// Bandwidth provisioned for TYPE, in the unit of its provider (MB/s or MiB/s).
    #[arg(long, value_name = "N", value_parser = positive, requires = "kind")]
    pub mbps: Option<f64>,
    /// The instance type that TYPE is attached to: m5.large, Standard_D4s_v5.
    #[arg(long, value_name = "NAME", requires = "kind")]
    pub instance: Option<String>,
    /// Bytes a second that a load needs: 200m.
    #[arg(long, value_name = "BYTES", value_parser = bytes)]
    pub bandwidth: Option<u64>,
    /// Size of the load's I/Os [default: 4k; with --bandwidth alone large ones, of 1m].
    #[arg(long, value_name = "BYTES", value_parser = bytes, conflicts_with = "kind")]
    pub bs: Option<u64>,
    /// Room that the load needs: 500g.
    #[arg(long = "size", value_name = "BYTES", value_parser = size, conflicts_with = "kind")]
    pub room: Option<SizeArg>,
    /// Only disks of this provider: aws, azure, gcp, alibaba.
    #[arg(long, value_name = "NAME")]
    pub provider: Option<String>,
    /// Prices, to order by: a JSON file as the guide describes it.
    #[arg(long, value_name = "FILE", conflicts_with = "kind")]
    pub prices: Option<PathBuf>,
    /// A record whose rate is to be recognised.
    #[arg(long, value_name = "ID", conflicts_with_all = ["series", "iops", "bandwidth"])]
    pub record: Option<i64>,
    /// A file with one rate a line, or of fio's write_iops_log, whose plateau is to be recognised.
    #[arg(long, value_name = "FILE", conflicts_with_all = ["iops", "bandwidth"])]
    pub series: Option<PathBuf>,
    /// Time between two lines of --series, where it does not say itself.
    #[arg(long, value_name = "TIME", default_value = "1s", value_parser = parse_duration_ms)]
    pub every: u64,
    /// Types and instances of your own, in front of those that come along.
    #[arg(long, value_name = "FILE")]
    pub data: Option<PathBuf>,
    /// The path whose disks are looked at, where nothing else is asked [default: the working directory].
    #[arg(long, value_name = "TARGET")]
    pub target: Option<String>,
    /// Look at a captured machine in place of this one.
    #[arg(long, value_name = "FILE.host")]
    pub root: Option<PathBuf>,
}

/// A size as it was given.
#[derive(Clone, Debug)]
pub struct SizeArg {
    /// GiB.
    gib: f64,
    /// The words, where they say GB and mean GiB.
    decimal: Option<String>,
}

impl SizeArg {
    /// That providers sell GiB and many write GB.
    fn note(&self) -> Option<String> {
        let (words, gib) = (self.decimal.as_ref()?, self.gib);
        Some(format!(
            "note: {words} is read as {gib} GiB, because providers count a GB as 2^30 bytes"
        ))
    }
}

/// Answers the one question that the arguments ask.
pub fn run(args: &CloudArgs, context: &Context) -> Result<Exit, Failure> {
    let own = args
        .data
        .as_deref()
        .map(host::files::read_text)
        .transpose()?;
    let own = own
        .map(|text| Data::parse(&text))
        .transpose()
        .map_err(failure)?;
    let data = own.map_or_else(
        || cloud::builtin().clone(),
        |own| own.over(cloud::builtin()),
    );
    if let Some(provider) = &args.provider {
        known_provider(&data, provider)?;
    }
    let sizes = args.size.iter().chain(&args.room);
    for note in sizes.filter_map(SizeArg::note) {
        context.out.note(note);
    }
    let answer = answer(args, context, &data)?;
    for line in words::lines(&answer) {
        context.out.say(line);
    }
    context.out.document(&CloudDocument::new(&data, &answer))?;
    Ok(Exit::Fine)
}

fn answer<'a>(args: &CloudArgs, context: &Context, data: &'a Data) -> Result<Answer<'a>, Failure> {
    if let Some(kind) = &args.kind {
        let wish = OfferWish {
            kind: match &args.provider {
                Some(provider) if !kind.contains(':') => format!("{provider}:{kind}"),
                _ => kind.clone(),
            },
            size_gib: args.size.as_ref().map(|size| size.gib),
            iops: args.iops,
            mbps: args.mbps,
            instance: args.instance.clone(),
        };
        let offer = cloud::offer(data, &wish).map_err(failure)?;
        return Ok(Answer::Promise(Box::new(offer)));
    }
    if args.record.is_some() || args.series.is_some() {
        return measured::answer(args, context, data);
    }
    if args.iops.is_some() || args.bandwidth.is_some() {
        return carriers(args, data);
    }
    if args.room.is_some() || args.bs.is_some() || args.prices.is_some() {
        return Err(Failure::usage(
            "say what the load needs: --iops N, --bandwidth X, or both",
        ));
    }
    let host = match &args.root {
        Some(file) => Host::open(file)?,
        None => context.host.clone(),
    };
    let path = inventory::collect(&host, args.target.as_deref().unwrap_or("."))?;
    Ok(Answer::Machine(cloud::machine_of(data, &path)))
}

fn carriers<'a>(args: &CloudArgs, data: &'a Data) -> Result<Answer<'a>, Failure> {
    let bs = args.bs.unwrap_or(if args.iops.is_some() {
        4 << 10
    } else {
        1 << 20
    });
    let bandwidth = args.bandwidth.map(|bytes| bytes as f64);
    // Who names neither a number of I/Os nor their size asks for bytes alone.
    let by_bandwidth = args.bs.and(bandwidth).map(|bytes| bytes / bs as f64);
    let iops = args.iops.or(by_bandwidth).unwrap_or(0.0);
    let need = Need {
        iops,
        bytes_per_s: bandwidth.unwrap_or(0.0).max(iops * bs as f64),
        bs,
        size_gib: args.room.as_ref().map_or(0.0, |room| room.gib),
        provider: args.provider.clone().unwrap_or_default(),
    };
    let prices = args
        .prices
        .as_deref()
        .map(host::files::read_text)
        .transpose()?;
    let prices = prices
        .map(|text| Prices::parse(&text))
        .transpose()
        .map_err(failure)?;
    let found = cloud::carriers(data, &need, prices.as_ref());
    if found.is_empty() {
        let hint = ": spread it over several disks, and mind the limit of the instance".to_string();
        return Err(Failure::new(
            Exit::Undecided,
            CloudError::NothingCarries(hint).to_string(),
        ));
    }
    let currency = prices.map(|prices| prices.currency);
    Ok(Answer::Carriers {
        need,
        found,
        currency,
    })
}

fn known_provider(data: &Data, provider: &str) -> Result<(), Failure> {
    let mut names: Vec<&str> = data
        .types
        .iter()
        .map(|kind| kind.provider.as_str())
        .collect();
    names.sort_unstable();
    names.dedup();
    match names.contains(&provider) {
        true => Ok(()),
        false => Err(Failure::usage(format!(
            "no provider is called `{provider}`; there are {}",
            names.join(", ")
        ))),
    }
}

fn failure(error: CloudError) -> Failure {
    Failure::usage(error.to_string())
}

fn size(text: &str) -> Result<SizeArg, String> {
    let is_bare = text
        .bytes()
        .all(|byte| byte.is_ascii_digit() || byte == b'.');
    let gib = match is_bare {
        true => text.parse::<f64>().map_err(|error| error.to_string())?,
        false => parse_bytes(text).map_err(|error| error.to_string())? as f64 / (1u64 << 30) as f64,
    };
    let unit = text.trim_start_matches(|c: char| !c.is_ascii_alphabetic());
    let is_decimal = ["mb", "gb", "tb"].contains(&unit.to_ascii_lowercase().as_str());
    if gib > 0.0 {
        let decimal = is_decimal.then(|| text.to_string());
        Ok(SizeArg { gib, decimal })
    } else {
        Err("a size must be above 0".into())
    }
}

fn bytes(text: &str) -> Result<u64, String> {
    let bytes = parse_bytes(text).map_err(|error| error.to_string())?;
    if bytes > 0 {
        Ok(bytes)
    } else {
        Err("it must be above 0".into())
    }
}

fn positive(text: &str) -> Result<f64, String> {
    let number = text
        .replace(',', "")
        .parse::<f64>()
        .ok()
        .filter(|number| *number > 0.0 && number.is_finite());
    number.ok_or_else(|| format!("`{text}` is not a number above 0"))
}
