//! The manifests field by field, as the API of Kubernetes 1.34 demands them. A real server takes them in `make k8s`.

use super::*;

fn owner() -> Owner {
    Owner {
        run: "4f1c22".into(),
        component: "load-1".into(),
    }
}

const TIMES: JobTimes = JobTimes {
    start: 300,
    run: 900,
    ttl: 600,
};

fn pod() -> PodWish {
    PodWish {
        image: "registry.example/iodyno:0.1.0".into(),
        pull_secret: None,
        words: vec!["k8s".into(), "in-pod".into()],
        volume: PodVolume::Claim {
            name: "iodyno-4f1c22-claim-1".into(),
            read_only: false,
            is_new: true,
        },
        node: None,
        tolerations: Vec::new(),
        user: 65534,
        group: 65534,
        cpu_millis: 4000,
        memory_bytes: 1 << 30,
        host_network: false,
    }
}

/// Members of an object that the API knows at this place; it refuses no others, but kubectl warns of them.
fn known(value: &Value, names: &[&str]) {
    for name in value.as_object().unwrap().keys() {
        assert!(
            names.contains(&name.as_str()),
            "the API has no {name} here: {value}"
        );
    }
}

#[test]
fn every_object_says_whose_it_is() {
    let all = [
        claim(&owner(), "fast", 1 << 30),
        job(&owner(), &pod(), TIMES),
        daemon_set(&owner(), &pod()),
    ];
    for object in &all {
        let metadata = &object["metadata"];
        assert_eq!(metadata["name"], "iodyno-4f1c22-load-1");
        assert_eq!(metadata["labels"]["app.kubernetes.io/managed-by"], "iodyno");
        assert_eq!(metadata["labels"]["app.kubernetes.io/instance"], "4f1c22");
        assert!(metadata.get("namespace").is_none(), "kubectl says which");
    }
    for object in &all[1..] {
        let labels = &object["spec"]["template"]["metadata"]["labels"];
        assert_eq!(labels["app.kubernetes.io/instance"], "4f1c22");
        assert_eq!(labels["app.kubernetes.io/managed-by"], "iodyno");
    }
}

#[test]
fn a_claim_is_one_of_a_file_system_for_one_node() {
    let claim = claim(&owner(), "fast", 10 << 30);
    assert_eq!(
        (&claim["apiVersion"], &claim["kind"]),
        (&json!("v1"), &json!("PersistentVolumeClaim"))
    );
    known(
        &claim["spec"],
        &["accessModes", "volumeMode", "storageClassName", "resources"],
    );
    assert_eq!(claim["spec"]["accessModes"], json!(["ReadWriteOnce"]));
    assert_eq!(claim["spec"]["storageClassName"], "fast");
    assert_eq!(
        claim["spec"]["resources"]["requests"]["storage"],
        "10737418240"
    );
}

#[test]
fn a_job_runs_once_and_ends() {
    let job = job(&owner(), &pod(), TIMES);
    assert_eq!(
        (&job["apiVersion"], &job["kind"]),
        (&json!("batch/v1"), &json!("Job"))
    );
    let spec = &job["spec"];
    known(
        spec,
        &[
            "backoffLimit",
            "completions",
            "parallelism",
            "activeDeadlineSeconds",
            "ttlSecondsAfterFinished",
            "template",
        ],
    );
    assert_eq!(
        (&spec["backoffLimit"], &spec["completions"]),
        (&json!(0), &json!(1))
    );
    assert_eq!(
        (
            &spec["activeDeadlineSeconds"],
            &spec["ttlSecondsAfterFinished"]
        ),
        (&json!(1320), &json!(600))
    );
    assert_eq!(spec["template"]["spec"]["restartPolicy"], "Never");
    assert_eq!(spec["template"]["spec"]["activeDeadlineSeconds"], 900);
}

#[test]
fn a_set_selects_its_own_pods_and_keeps_them() {
    let set = daemon_set(&owner(), &pod());
    assert_eq!(
        (&set["apiVersion"], &set["kind"]),
        (&json!("apps/v1"), &json!("DaemonSet"))
    );
    known(&set["spec"], &["selector", "template"]);
    let labels = set["spec"]["template"]["metadata"]["labels"]
        .as_object()
        .unwrap();
    let selected = set["spec"]["selector"]["matchLabels"].as_object().unwrap();
    assert!(!selected.is_empty());
    for (name, value) in selected {
        assert_eq!(labels.get(name), Some(value), "the API refuses another");
    }
    assert_eq!(set["spec"]["template"]["spec"]["restartPolicy"], "Always");
}

#[test]
fn a_pod_asks_for_no_rights() {
    let job = job(&owner(), &pod(), TIMES);
    let spec = &job["spec"]["template"]["spec"];
    known(
        spec,
        &[
            "restartPolicy",
            "activeDeadlineSeconds",
            "automountServiceAccountToken",
            "enableServiceLinks",
            "terminationGracePeriodSeconds",
            "securityContext",
            "containers",
            "volumes",
        ],
    );
    assert_eq!(spec["automountServiceAccountToken"], false);
    let security = &spec["securityContext"];
    assert_eq!(
        (
            &security["runAsNonRoot"],
            &security["runAsUser"],
            &security["fsGroup"]
        ),
        (&json!(true), &json!(65534), &json!(65534))
    );
    assert_eq!(security["seccompProfile"]["type"], "RuntimeDefault");
    let container = &spec["containers"][0];
    known(
        container,
        &[
            "name",
            "image",
            "imagePullPolicy",
            "args",
            "env",
            "resources",
            "securityContext",
            "volumeMounts",
        ],
    );
    assert_eq!(
        container["securityContext"],
        json!({"allowPrivilegeEscalation": false, "readOnlyRootFilesystem": true, "capabilities": {"drop": ["ALL"]}})
    );
    assert_eq!(
        container["env"],
        json!([{"name": "IODYNO_STATE_DIR", "value": "/data/state"}])
    );
    assert_eq!(
        container["resources"],
        json!({"requests": {"cpu": "250m", "memory": "268435456"}, "limits": {"cpu": "4000m", "memory": "1073741824"}})
    );
}

#[test]
fn every_mount_has_its_volume_and_each_volume_one_source() {
    let volumes = [
        pod().volume,
        PodVolume::HostPath("/srv".into()),
        PodVolume::Empty,
    ];
    for volume in volumes {
        let job = job(&owner(), &PodWish { volume, ..pod() }, TIMES);
        let spec = &job["spec"]["template"]["spec"];
        let names: Vec<&Value> = spec["volumes"]
            .as_array()
            .unwrap()
            .iter()
            .map(|volume| {
                assert_eq!(volume.as_object().unwrap().len(), 2, "{volume}");
                &volume["name"]
            })
            .collect();
        let mounts = spec["containers"][0]["volumeMounts"].as_array().unwrap();
        let mut places: Vec<&str> = mounts
            .iter()
            .map(|mount| {
                assert!(names.contains(&&mount["name"]), "{mount}");
                mount["mountPath"].as_str().unwrap()
            })
            .collect();
        places.sort_unstable();
        places.dedup();
        assert_eq!(
            places.len(),
            mounts.len(),
            "the API refuses one place twice"
        );
    }
}

#[test]
fn a_claim_with_data_keeps_its_owners_and_one_that_is_read_is_mounted_so() {
    let volume = PodVolume::Claim {
        name: "iodyno-training-set".into(),
        read_only: true,
        is_new: false,
    };
    let job = job(&owner(), &PodWish { volume, ..pod() }, TIMES);
    let spec = &job["spec"]["template"]["spec"];
    assert!(spec["securityContext"].get("fsGroup").is_none());
    assert_eq!(
        spec["volumes"][0]["persistentVolumeClaim"],
        json!({"claimName": "iodyno-training-set", "readOnly": true})
    );
    assert_eq!(spec["containers"][0]["volumeMounts"][0]["readOnly"], true);
}

#[test]
fn a_node_is_asked_for_by_its_name_and_taints_are_borne() {
    let wish = PodWish {
        node: Some("n1".into()),
        tolerations: vec![
            parse_toleration("dedicated=db:NoSchedule").unwrap(),
            parse_toleration("all").unwrap(),
        ],
        host_network: true,
        pull_secret: Some("registry".into()),
        ..pod()
    };
    let job = job(&owner(), &wish, TIMES);
    let spec = &job["spec"]["template"]["spec"];
    let term = &spec["affinity"]["nodeAffinity"]["requiredDuringSchedulingIgnoredDuringExecution"]
        ["nodeSelectorTerms"][0];
    assert_eq!(
        term["matchFields"],
        json!([{"key": "metadata.name", "operator": "In", "values": ["n1"]}])
    );
    assert_eq!(
        spec["tolerations"],
        json!([{"key": "dedicated", "operator": "Equal", "value": "db", "effect": "NoSchedule"}, {"operator": "Exists"}])
    );
    assert_eq!(spec["hostNetwork"], true);
    assert_eq!(spec["imagePullSecrets"], json!([{"name": "registry"}]));
}

#[test]
fn tolerations_are_read_as_taints_are_written() {
    assert!(parse_toleration("a:Sometimes").is_err() && parse_toleration("").is_err());
    assert!(parse_toleration("=x").is_err() && parse_toleration("a b").is_err());
    let exists = parse_toleration("gpu:NoExecute").unwrap();
    assert_eq!(
        toleration(&exists),
        json!({"key": "gpu", "operator": "Exists", "effect": "NoExecute"})
    );
}

#[test]
fn a_list_is_one_document_in_a_namespace() {
    let both = list(vec![claim(&owner(), "fast", 1)], Some("bench"));
    assert_eq!(
        (&both["apiVersion"], &both["kind"]),
        (&json!("v1"), &json!("List"))
    );
    assert_eq!(both["items"][0]["metadata"]["namespace"], "bench");
}
