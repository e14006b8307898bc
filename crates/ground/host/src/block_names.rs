//! The kernel's names of block devices.

use crate::Host;

impl Host {
    /// The kernel's name of the block device `major:minor`, as it stands in /sys/class/block; none where /sys does not show
    /// it. podman masks /sys/dev/block in its containers, and leaves the devices themselves in sight.
    pub fn block_name(&self, number: &str) -> Option<String> {
        let link = self.link(&format!("/sys/dev/block/{number}"));
        let name = link.and_then(|link| link.rsplit('/').next().map(str::to_string));
        name.or_else(|| {
            let has_number = |name: &String| {
                let found = self.text(&format!("/sys/class/block/{name}/dev"));
                found.is_some_and(|found| found.trim() == number)
            };
            self.list("/sys/class/block").into_iter().find(has_number)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_device_is_named_by_its_number_also_where_the_links_are_masked() {
        let text = "iodyno-host 1\npath: /sys/dev/block/8:16\nlink: ../../devices/p/sdb\n\
             path: /sys/class/block/vda\nlink: ../../devices/v/block/vda\n\
             path: /sys/devices/v/block/vda/dev\nlines: 1\n254:0\n";
        let host = Host::from_archive(crate::Archive::parse(text).unwrap());
        let name = |number| host.block_name(number);
        assert_eq!(name("8:16").as_deref(), Some("sdb"));
        assert_eq!(name("254:0").as_deref(), Some("vda"));
        assert_eq!((name("254:1"), name("")), (None, None));
    }
}
