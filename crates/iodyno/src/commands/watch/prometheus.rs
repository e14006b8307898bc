//! `watch --prometheus ADDR`: the raw counters over HTTP, on the same way in as `serve`.

use super::{Args, Watching, since_the_last_line};
use crate::commands::Context;
use crate::exit::{Exit, Failure};
use host::signals::Stop;
use report::exposition;
use serve::Metrics;
use std::net::{IpAddr, Ipv4Addr, SocketAddr};

/// `9100`, `:9100` or `ADDR:PORT`; without an address the loopback one.
pub fn address(text: &str) -> Result<SocketAddr, String> {
    let port = text.strip_prefix(':').unwrap_or(text);
    if let Ok(port) = port.parse::<u16>() {
        return Ok(SocketAddr::new(IpAddr::V4(Ipv4Addr::LOCALHOST), port));
    }
    text.parse().map_err(|_| {
        "an address is a port (9100) or an IP address with a port (0.0.0.0:9100)".into()
    })
}

/// Serves until told to stop.
pub fn serve(
    address: SocketAddr,
    args: &Args,
    context: &Context,
    stop: &Stop,
) -> Result<Exit, Failure> {
    let failed = |error: std::io::Error| {
        Failure::new(
            Exit::Failed,
            format!("cannot serve metrics at {address}: {error}"),
        )
        .hint("Choose another port, or an address of this machine.")
    };
    let server = Metrics::bind(address, &args.allow_host).map_err(failed)?;
    let bound = server.address().map_err(failed)?;
    let watching = Watching::start(context, args, since_the_last_line(args))?;
    context.out.say(format!("serving http://{bound}/metrics"));
    if !bound.ip().is_loopback() {
        context.out.note(
            "Everybody who reaches this address can read which devices and processes do I/O here.",
        );
    }
    server
        .run(stop, &mut || metrics(&watching))
        .map_err(failed)?;
    Ok(Exit::Fine)
}

fn metrics(watching: &Watching) -> String {
    let status = watching.sampler.status();
    let readings = watching.sampler.readings(status.last_ns, status.last_ns);
    let mut text = exposition::text(&observe::metrics(), &readings);
    if let Some(layers) = watching.tracing.read() {
        text.push_str(&exposition::layers(&layers));
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bare_port_is_served_to_this_machine_only() {
        assert_eq!(address("9100").unwrap().to_string(), "127.0.0.1:9100");
        assert_eq!(address(":9100").unwrap().to_string(), "127.0.0.1:9100");
        assert_eq!(address("0.0.0.0:9100").unwrap().to_string(), "0.0.0.0:9100");
        assert_eq!(address("[::1]:9100").unwrap().to_string(), "[::1]:9100");
        assert!(address("example").unwrap_err().contains("0.0.0.0:9100"));
    }
}
