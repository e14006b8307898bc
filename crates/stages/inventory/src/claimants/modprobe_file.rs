//! # modprobe file
//!
//! ## What it reads
//! `options MODULE NAME=VALUE …` of `*.conf` in `/etc/modprobe.d`, `/run/modprobe.d`, `/usr/local/lib/modprobe.d`,
//! `/usr/lib/modprobe.d` and `/lib/modprobe.d`; a file of an earlier directory masks those of its name in later ones.
//!
//! ## What it claims
//! Parameters of modules, such as `nvme poll_queues`.
//!
//! ## When it acts
//! When the module is loaded. One that is loaded in the initial RAM disk takes the options that were copied there when
//! the image was made; one that is built into the kernel takes none.
//!
//! ## Example
//! `/etc/modprobe.d/nvme.conf:1` wants `poll_queues` of `nvme` to be 4.
//!
//! ## Sources
//! - modprobe.d(5)

use crate::claims::{Claim, Claimant, On, Phase, Scene};
use crate::config_files::{drop_ins, logical_lines};

/// Where files are, the strongest first.
pub(crate) const DIRECTORIES: &[&str] = &[
    "/etc/modprobe.d",
    "/run/modprobe.d",
    "/usr/local/lib/modprobe.d",
    "/usr/lib/modprobe.d",
    "/lib/modprobe.d",
];

/// Parameters that act on a setting of another name, which shows what became of them.
const SHOWN_AS: &[(&str, &str)] = &[
    (
        "nvme_core.default_ps_max_latency_us",
        "nvme/ps_max_latency_us",
    ),
    ("nvme.poll_queues", "nvme/poll_queues"),
];

/// The claimant.
pub static CLAIMANT: Claimant = Claimant {
    id: "modprobe_file",
    since: "0.1.0",
    reads: &["/etc/modprobe.d", "/run/modprobe.d", "/usr/lib/modprobe.d"],
    claims,
};

fn claims(scene: &Scene<'_>) -> Vec<Claim> {
    let mut claims = Vec::new();
    for (number, file) in drop_ins(scene.host, DIRECTORIES, ".conf")
        .iter()
        .enumerate()
    {
        for (line, text) in logical_lines(&file.text) {
            let mut words = text.split_whitespace();
            if words.next() != Some("options") {
                continue;
            }
            let Some(module) = words.next() else { continue };
            let pairs = words.filter_map(|word| word.split_once('='));
            claims.extend(
                pairs
                    .flat_map(|(name, value)| {
                        parameter(module, name)
                            .into_iter()
                            .map(move |on| (on, value.trim_matches('"').to_string()))
                    })
                    .map(|(on, value)| Claim {
                        on,
                        phase: Phase::Module,
                        sequence: (number << 16) + line,
                        place: format!("{}:{line}", file.path),
                        wants: Some(value),
                        acts: format!("when the module {module} is loaded"),
                    }),
            );
        }
    }
    claims
}

/// The settings that a module's parameter is.
pub(super) fn parameter(module: &str, name: &str) -> Vec<On> {
    let module = module.replace('-', "_");
    let shown = SHOWN_AS
        .iter()
        .find(|(parameter, _)| *parameter == format!("{module}.{name}"));
    match shown {
        Some((_, setting)) => vec![On::Named((*setting).to_string())],
        None => vec![On::Path(format!("/sys/module/{module}/parameters/{name}"))],
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::claims::Scene;
    use host::{Archive, Host};

    fn found(text: &str) -> Vec<Claim> {
        let host = Host::from_archive(Archive::parse(&format!("iodyno-host 1\n{text}")).unwrap());
        let root = model::iopath::Layer::new(model::iopath::LayerKind::Target, "/");
        let path = model::iopath::IoPath::new("/", root);
        claims(&Scene::new(&host, &path))
    }

    #[test]
    fn options_become_parameters() {
        let claims = found(
            "path: /etc/modprobe.d/a.conf\nlines: 3\nblacklist x\noptions usb-storage quirks=1:2:u delay_use=0\n\
             options nvme_core default_ps_max_latency_us=0\n",
        );
        let on: Vec<&On> = claims.iter().map(|claim| &claim.on).collect();
        assert_eq!(
            on[0],
            &On::Path("/sys/module/usb_storage/parameters/quirks".into())
        );
        assert_eq!(on[2], &On::Named("nvme/ps_max_latency_us".into()));
        assert_eq!(
            (claims[0].wants.as_deref(), claims[0].place.as_str()),
            (Some("1:2:u"), "/etc/modprobe.d/a.conf:2")
        );
    }
}
