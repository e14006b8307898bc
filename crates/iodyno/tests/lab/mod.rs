//! What needs another kernel, devices that this machine has not, or a cluster. `make lab`, `make ceph` and `make k8s` run it.

mod arm64_guest;
mod boots_guest;
mod ceph;
mod ceph_facts;
mod cloud_guest;
mod containers_guest;
mod disk_sensors;
mod drivers_guest;
mod faults;
mod groups_guest;
mod guard_guest;
mod inspect_guest;
mod k8s_cluster;
mod layers_guest;
mod limits_guest;
mod owners_guest;
pub mod persist;
mod power_guest;
mod safety_guest;
mod serve_guest;
pub mod stories_guest;
mod stories_of_files_guest;
