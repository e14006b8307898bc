//! Kubernetes' names of the containers on a node. The kubelet links the log of each container under a name that says whose it
//! is, for those who collect logs: no client and no server is asked.

use crate::{Host, group};

/// Where the links are, whatever the runtime and wherever the logs themselves (`pkg/kubelet/kuberuntime/legacy.go` of 1.34).
const LOGS: &str = "/var/log/containers";

/// A container of a pod.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PodContainer {
    /// Of the pod.
    pub namespace: String,
    /// As the node has it: of a static pod with the node's name behind it.
    pub pod: String,
    /// As the pod names it.
    pub container: String,
    /// What the runtime calls it: 64 hexadecimal digits.
    pub id: String,
}

impl PodContainer {
    /// `POD_NAMESPACE_CONTAINER-ID.log`: names of Kubernetes have no underscore.
    fn of_link(link: &str) -> Option<PodContainer> {
        let (rest, id) = link.strip_suffix(".log")?.rsplit_once('-')?;
        let mut words = rest.split('_').map(str::to_string);
        let (pod, namespace, container) = (words.next()?, words.next()?, words.next()?);
        let is_whole = words.next().is_none() && group::is_container_id(id);
        is_whole.then(|| PodContainer {
            namespace,
            pod,
            container,
            id: id.into(),
        })
    }

    /// `POD`, `POD/CONTAINER` or `NAMESPACE/POD/CONTAINER`.
    fn is_named(&self, name: &str) -> bool {
        let words: Vec<&str> = name.split('/').collect();
        match words[..] {
            [pod] => pod == self.pod,
            [pod, container] => (pod, container) == (&self.pod, &self.container),
            [namespace, pod, container] => {
                (namespace, pod, container) == (&self.namespace, &self.pod, &self.container)
            }
            _ => false,
        }
    }

    /// The name that no other on the node has.
    pub fn whole_name(&self) -> String {
        format!("{}/{}/{}", self.namespace, self.pod, self.container)
    }
}

/// The running containers of this node that a name stands for: several where a pod has several and only the pod is named.
pub fn named(host: &Host, name: &str) -> Vec<PodContainer> {
    let links = host.list(LOGS);
    let all = links.iter().filter_map(|link| PodContainer::of_link(link));
    // Of a container that was started anew there are logs of each time.
    let running = |one: &PodContainer| group::first_process(host, &one.id).is_some();
    all.filter(|one| one.is_named(name))
        .filter(running)
        .collect()
}

/// The id of the one running container that a name stands for.
pub(crate) fn id_of(host: &Host, name: &str) -> Option<String> {
    match &named(host, name)[..] {
        [one] => Some(one.id.clone()),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Archive;

    const ONE: &str = "0a1b2c3d4e5f60718293a4b5c6d7e8f90a1b2c3d4e5f60718293a4b5c6d7e8f9";
    const TWO: &str = "1a1b2c3d4e5f60718293a4b5c6d7e8f90a1b2c3d4e5f60718293a4b5c6d7e8f9";
    const GONE: &str = "2a1b2c3d4e5f60718293a4b5c6d7e8f90a1b2c3d4e5f60718293a4b5c6d7e8f9";

    fn node() -> Host {
        let link = |name: &str, id: &str| format!("path: {LOGS}/{name}-{id}.log\nlines: 1\nx\n");
        let process = |pid: u32, id: &str| {
            format!(
                "path: /proc/{pid}/cgroup\nlines: 1\n0::/kubepods.slice/cri-containerd-{id}.scope\n"
            )
        };
        let parts = [
            link("web-7d9c-x2_shop_db", ONE),
            link("web-7d9c-x2_shop_db", GONE),
            link("web-7d9c-x2_shop_log-shipper", TWO),
            link("job-1_default_job", GONE),
            process(70, ONE),
            process(71, TWO),
            "path: /var/log/containers/stray.log\nlines: 1\nx\n".into(),
        ];
        Host::from_archive(Archive::parse(&format!("iodyno-host 1\n{}", parts.concat())).unwrap())
    }

    #[test]
    fn a_container_is_named_as_kubernetes_does() {
        let host = node();
        for name in ["web-7d9c-x2/db", "shop/web-7d9c-x2/db"] {
            assert_eq!(id_of(&host, name).as_deref(), Some(ONE), "{name}");
        }
        assert_eq!(
            id_of(&host, "web-7d9c-x2/log-shipper").as_deref(),
            Some(TWO)
        );
        for name in [
            "job-1",
            "job-1/job",
            "other/web-7d9c-x2/db",
            "web",
            "",
            "/",
            "stray",
        ] {
            assert_eq!(id_of(&host, name), None, "{name}");
        }
    }

    #[test]
    fn of_a_pod_with_several_none_is_taken_and_all_are_told() {
        let host = node();
        assert_eq!(id_of(&host, "web-7d9c-x2"), None);
        let all = named(&host, "web-7d9c-x2");
        let names: Vec<String> = all.iter().map(PodContainer::whole_name).collect();
        assert_eq!(
            names,
            ["shop/web-7d9c-x2/db", "shop/web-7d9c-x2/log-shipper"]
        );
    }

    #[test]
    fn the_group_of_a_pod_s_container_is_its_own() {
        let groups = group::named(&node(), "web-7d9c-x2/db").unwrap();
        let own = format!("/kubepods.slice/cri-containerd-{ONE}.scope");
        assert_eq!(groups.path(""), Some(own.as_str()));
    }
}
