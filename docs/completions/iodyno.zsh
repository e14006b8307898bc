#compdef iodyno

autoload -U is-at-least

_iodyno() {
    typeset -A opt_args
    typeset -a _arguments_options
    local ret=1

    if is-at-least 5.2; then
        _arguments_options=(-s -S -C)
    else
        _arguments_options=(-s -C)
    fi

    local context curcontext="$curcontext" state line
    _arguments "${_arguments_options[@]}" : \
'--json[Print one JSON document on stdout; words for people go to stderr]' \
'-h[Print help]' \
'--help[Print help]' \
'-V[Print version]' \
'--version[Print version]' \
":: :_iodyno_commands" \
"*::: :->iodyno" \
&& ret=0
    case $state in
    (iodyno)
        words=($line[1] "${words[@]}")
        (( CURRENT += 1 ))
        curcontext="${curcontext%:*:*}:iodyno-command-$line[1]:"
        case $line[1] in
            (inspect)
_arguments "${_arguments_options[@]}" : \
'(--container)--root=[Read a captured machine in place of this one]:FILE.host:_files' \
'(--root --container)--capture=[Save what was read about the target, to look at it elsewhere with --root]:FILE.host:_files' \
'--container=[Take the target as this container names it, and do what is done within its limits\: the container'\''s name, its id, or the number of a process in it]:NAME|ID|PID:_default' \
'--all[Every setting, not only those that people change]' \
'--mask[Also replace identifiers, host names, addresses and unit names in what is saved; serial numbers and secrets never are in it]' \
'--force[Replace a capture that is there]' \
'--json[Print one JSON document on stdout; words for people go to stderr]' \
'-h[Print help]' \
'--help[Print help]' \
'-V[Print version]' \
'--version[Print version]' \
'::target -- A directory, a file, a block device, a Ceph pool (rados\://POOL) or image (rbd\://POOL/IMAGE); without it the working directory, or of a captured machine the target for which it was captured:_default' \
&& ret=0
;;
(diff)
_arguments "${_arguments_options[@]}" : \
'--target=[Target below which to look in a capture that was made of several]:TARGET:_default' \
'--preset=[A load by its purpose, such as oltp, wal or backup; \`iodyno catalogue\` lists them]:PRESET:_default' \
'(--preset)--job=[A fio job file]:FILE.fio:_files' \
'*--section=[Only these sections of the job file]:NAME:_default' \
'--engine=[native, or fio\: the fio that is installed here runs the same job]:ENGINE:(native fio)' \
'--rw=[read, write, randread, randwrite, rw, randrw, trim or randtrim \[default\: randread\]]:RW:_default' \
'--bs=[Block size \[default\: 4k\]]:BS:_default' \
'--iodepth=[I/Os in flight for each job \[default\: 32\]]:IODEPTH:_default' \
'--numjobs=[Threads that each run the job \[default\: 1\]]:NUMJOBS:_default' \
'--direct=[1 for O_DIRECT, 0 for the page cache \[default\: 1\]]:DIRECT:_default' \
'--size=[Bytes of the target to use \[default\: the whole of a file or device, 1G of scratch in a directory\]]:SIZE:_default' \
'--ioengine=[What produces the load\: io_uring, libaio, psync and more; \`iodyno catalogue\` lists them \[default\: io_uring\]]:IOENGINE:_default' \
'(--preset --job --engine --rw --bs --iodepth --numjobs --direct --size --ioengine --engine-option --rwmixread --rate-iops --open-loop --fsync --cpus-allowed)--command=[A shell command that makes the load, all its words in one\: '\''pgbench -P 1 -c 8 -T 3600 bench'\''. It does what you could do yourself]:COMMAND:_default' \
'--metric-regex=[Which lines of the command tell its rate\: the numbers in the groups are added up \[default\: those of pgbench -P 1 and sysbench --report-interval=1\]]:REGEX:_default' \
'--metric-better=[Which way the printed rate is better\: higher or lower \[default\: higher\]]:WAY:(higher lower)' \
'*--engine-option=[An option of that engine alone\: \`iodyno explain ENGINE\` lists them]:NAME=VALUE:_default' \
'--rwmixread=[Share of reads in a mix, per cent \[default\: 50\]]:RWMIXREAD:_default' \
'--rate-iops=[I/Os per second for each job; as fast as it goes without]:RATE_IOPS:_default' \
'--arrivals=[With a rate\: linear or poisson \[default\: linear\]]:ARRIVALS:_default' \
'--fsync=[fsync after so many writes]:FSYNC:_default' \
'*--cpus-allowed=[CPUs to pin the jobs to, such as 1 or 0,2]:CPUS_ALLOWED:_default' \
'--max-size=[Use at most so much of the target for each job, whatever it says, all of its processes together; the engine files has its own options for that]:MAX_SIZE:_default' \
'--max-runtime=[Run each job at most so long, whatever it says]:MAX_RUNTIME:_default' \
'--here=[With --container and --overwrite or --destroy-data\: the target once more, as it is named on this machine]:PATH:_files' \
'--all[Also what hardly matters]' \
'--open-loop[With a rate\: I/Os arrive by the clock, whether or not earlier ones came back; latency counts from the arrival]' \
'--destroy-data[Allow writes to a block device\: everything on it is lost]' \
'--overwrite[Allow writes to an existing file\: its content is lost]' \
'--force-signature[With --destroy-data\: also when a file system or RAID signature is on the device]' \
'--json[Print one JSON document on stdout; words for people go to stderr]' \
'-h[Print help]' \
'--help[Print help]' \
'-V[Print version]' \
'--version[Print version]' \
':a -- The good side\: a capture (FILE.host), a document of inspect, check or run (FILE.json), a record'\''s number, or a target on this machine:_default' \
'::b -- The other side, in the same words; the same target on this machine without it:_default' \
'*::words -- The job in fio'\''s words\: `-- -rw=randread -bs=4k -iodepth=32`, a whole fio line, or a dd or cp line:_default' \
&& ret=0
;;
(check)
_arguments "${_arguments_options[@]}" : \
'--observe=[Watch this long before the first load \[default\: 2s; 500ms with --quick, 5s with --deep\]]:TIME:_default' \
'--disk-spec=[What the storage is sold as\: aws\:gp3\:100GiB\:iops=6000, or figures alone\: iops=3000\:bandwidth=125m]:SPEC:_default' \
'--layers=[How closely the block layer is traced beside the loads \[default\: auto\]]:LAYERS:((off\:"Not at all"
auto\:"Full, but off for a disk in memory, where tracing would be most of what is measured"
lite\:"Completions only, with the kernel'\''s own time stamps"
full\:"Every event of every I/O\: by eBPF, or by the next of the others here that this machine has"
perf\:"The same without eBPF, from perf'\''s rings"
tracefs\:"The same without eBPF, from buffers of tracefs"
blktrace\:"The same from blktrace, one trace a device"))' \
'(--observe --quick --deep --layers --container)--root=[Judge a captured machine; nothing is loaded]:FILE.host:_files' \
'(--root --observe --quick --deep --layers --no-load --container)--replay=[Judge a document of an earlier \`check --json\` again; nothing is loaded]:FILE.json:_files' \
'(--replay)--profile=[Say what differs from a named set of kernel parameters, and whether it matters\: container-host, throughput-performance, postgresql and more; \`iodyno catalogue\` lists them]:NAME:_default' \
'(--no-load --root --replay --container)--prove=[Make the experiments that decide about the first three findings, each in this time at the most \[default\: 3m\]. They change settings of the device, one at a time, and put them back; what they speak against is withdrawn]::TIME:_default' \
'(--no-load --root --replay --container)--rehearse=[Rehearse on a simulated disk, without touching the real one\: '\''cloud'\'', or with the effects that values are to have in the experiments of --prove, '\''cloud,scheduler=none\:+8%'\''. A wrong name lists the disks]:DISK[,KNOB=V:±N%…]:_default' \
'--fail-on=[End with status 1 when anything of this level or above is found]:LEVEL:((note\:"Anything at all"
warning\:"What costs speed or safety now"
wrong\:"What makes a measurement worthless"))' \
'--keep-free=[Free space that scratch leaves to others \[default\: 5 % of the file system, at least 256 MiB\]]:SIZE:_default' \
'--container=[Take the target as this container names it, and do what is done within its limits\: the container'\''s name, its id, or the number of a process in it]:NAME|ID|PID:_default' \
'(--deep)--quick[At most 10 s]' \
'--deep[Up to 5 min\: longer loads, more depths, buffered writes, reads beside writes]' \
'--no-load[Load nothing\: judge the path and its settings alone, with --observe what others do as well]' \
'--all[Show notes and withdrawn suspicions as well]' \
'--json[Print one JSON document on stdout; words for people go to stderr]' \
'-h[Print help (see more with '\''--help'\'')]' \
'--help[Print help (see more with '\''--help'\'')]' \
'-V[Print version]' \
'--version[Print version]' \
'::target -- A directory (scratch is made in it and removed), a file or a block device (which are only read); of a captured machine, without it, the target for which it was captured:_default' \
'*::words -- The job for which --profile says what matters, in fio'\''s words; it is not run:_default' \
&& ret=0
;;
(run)
_arguments "${_arguments_options[@]}" : \
'--runtime=[How long to run \[default\: 10s\]]:RUNTIME:_default' \
'--seed=[Seed of offsets and data; without it, one that is printed]:SEED:_default' \
'--interval=[Length of an interval of --stream and of the series in the record]:TIME:_default' \
'--layers=[Trace the block layer, and show where an I/O spends its time \[default\: off\]]:LAYERS:((off\:"Not at all"
auto\:"Full, but off for a disk in memory, where tracing would be most of what is measured"
lite\:"Completions only, with the kernel'\''s own time stamps"
full\:"Every event of every I/O\: by eBPF, or by the next of the others here that this machine has"
perf\:"The same without eBPF, from perf'\''s rings"
tracefs\:"The same without eBPF, from buffers of tracefs"
blktrace\:"The same from blktrace, one trace a device"))' \
'(--dry-run --given --hold --unkept --precondition --command --container)--rehearse=[Rehearse on a simulated disk, without touching the real one\: '\''cloud'\''. A wrong name lists the disks]:DISK:_default' \
'--preset=[A load by its purpose, such as oltp, wal or backup; \`iodyno catalogue\` lists them]:PRESET:_default' \
'(--preset)--job=[A fio job file]:FILE.fio:_files' \
'*--section=[Only these sections of the job file]:NAME:_default' \
'--engine=[native, or fio\: the fio that is installed here runs the same job]:ENGINE:(native fio)' \
'--rw=[read, write, randread, randwrite, rw, randrw, trim or randtrim \[default\: randread\]]:RW:_default' \
'--bs=[Block size \[default\: 4k\]]:BS:_default' \
'--iodepth=[I/Os in flight for each job \[default\: 32\]]:IODEPTH:_default' \
'--numjobs=[Threads that each run the job \[default\: 1\]]:NUMJOBS:_default' \
'--direct=[1 for O_DIRECT, 0 for the page cache \[default\: 1\]]:DIRECT:_default' \
'--size=[Bytes of the target to use \[default\: the whole of a file or device, 1G of scratch in a directory\]]:SIZE:_default' \
'--ioengine=[What produces the load\: io_uring, libaio, psync and more; \`iodyno catalogue\` lists them \[default\: io_uring\]]:IOENGINE:_default' \
'(--preset --job --engine --rw --bs --iodepth --numjobs --direct --size --ioengine --engine-option --rwmixread --rate-iops --open-loop --fsync --cpus-allowed)--command=[A shell command that makes the load, all its words in one\: '\''pgbench -P 1 -c 8 -T 3600 bench'\''. It does what you could do yourself]:COMMAND:_default' \
'--metric-regex=[Which lines of the command tell its rate\: the numbers in the groups are added up \[default\: those of pgbench -P 1 and sysbench --report-interval=1\]]:REGEX:_default' \
'--metric-better=[Which way the printed rate is better\: higher or lower \[default\: higher\]]:WAY:(higher lower)' \
'*--engine-option=[An option of that engine alone\: \`iodyno explain ENGINE\` lists them]:NAME=VALUE:_default' \
'--rwmixread=[Share of reads in a mix, per cent \[default\: 50\]]:RWMIXREAD:_default' \
'--rate-iops=[I/Os per second for each job; as fast as it goes without]:RATE_IOPS:_default' \
'--arrivals=[With a rate\: linear or poisson \[default\: linear\]]:ARRIVALS:_default' \
'--fsync=[fsync after so many writes]:FSYNC:_default' \
'*--cpus-allowed=[CPUs to pin the jobs to, such as 1 or 0,2]:CPUS_ALLOWED:_default' \
'--max-size=[Use at most so much of the target for each job, whatever it says, all of its processes together; the engine files has its own options for that]:MAX_SIZE:_default' \
'--max-runtime=[Run each job at most so long, whatever it says]:MAX_RUNTIME:_default' \
'--here=[With --container and --overwrite or --destroy-data\: the target once more, as it is named on this machine]:PATH:_files' \
'--keep-free=[Free space that scratch leaves to others \[default\: 5 % of the file system, at least 256 MiB\]]:SIZE:_default' \
'(--find-max --interference --steady --runtime --stream)*--sweep=[Vary an option\: iodepth=1,4,16 or iodepth=1..256 in doublings. Once for each option; all combinations are visited, in random order, again and again, and the knee of the curve is told]:OPTION=VALUES:_default' \
'--latency-target=[With --find-max\: what must hold, such as p99=2ms, p99.9=10ms, p50=200us or mean=1ms]:STATISTIC=TIME:_default' \
'--max-depth=[With --find-max\: the deepest queue of each job to try, or, with --open-loop, the deepest that arrivals may fill]:MAX_DEPTH:_default' \
'--steps=[With --interference\: steps of each side]:STEPS:_default' \
'--write-bs=[With --interference\: block size of the sequential writes]:WRITE_BS:_default' \
'--repeats=[How often each point of a sweep (default 3) or cell of a matrix (default 2) is visited]:REPEATS:_default' \
'--budget=[Time for a sweep, a search or a matrix in all, without making the target ready]:BUDGET:_default' \
'--round=[With --steady\: length of a round; SNIA'\''s own is 60s]:ROUND:_default' \
'--steady-limit=[With --steady\: give up after this time]:STEADY_LIMIT:_default' \
'--container=[Take the target as this container names it, and do what is done within its limits\: the container'\''s name, its id, or the number of a process in it]:NAME|ID|PID:_default' \
'--stream[Print a JSON line on stdout for every interval, and the record'\''s at the end; words go to stderr]' \
'(--corrected)--strict[Refuse a job that would not measure what it says]' \
'(--corrected)--dry-run[Judge the job and say what would be run; load nothing]' \
'--corrected[Run the job as the lint corrects it]' \
'--unkept[Print the record and do not keep it\: whoever started this does]' \
'(--hold --container)--given[The target is open on the standard input\: whoever started this, which is iodyno, opened it]' \
'--hold[Once everything is prepared, say so and wait for a line with the moment to begin\: what leads a fleet gives it]' \
'--open-loop[With a rate\: I/Os arrive by the clock, whether or not earlier ones came back; latency counts from the arrival]' \
'--destroy-data[Allow writes to a block device\: everything on it is lost]' \
'--overwrite[Allow writes to an existing file\: its content is lost]' \
'--force-signature[With --destroy-data\: also when a file system or RAID signature is on the device]' \
'(--interference --steady --runtime --stream)--find-max[Find the highest rate that keeps --latency-target]' \
'(--steady --runtime --stream)--interference[Measure how much writing disturbs reading\: a matrix of write bandwidth and read rate. Writes to the target]' \
'--precondition[Write the whole target twice in sequence before measuring (SNIA'\''s workload independent preconditioning)]' \
'(--runtime --stream)--steady[Run until the load has settled by SNIA'\''s rule, and tell the burst from what lasts]' \
'--json[Print one JSON document on stdout; words for people go to stderr]' \
'-h[Print help (see more with '\''--help'\'')]' \
'--help[Print help (see more with '\''--help'\'')]' \
'-V[Print version]' \
'--version[Print version]' \
'::target -- A directory (scratch is made in it and removed), a file or a block device, or of a Ceph cluster rados\://POOL or rbd\://POOL/IMAGE; without it, what the job file or the fio line names:_files' \
'*::words -- The job in fio'\''s words\: `-- -rw=randread -bs=4k -iodepth=32`, a whole fio line, or a dd or cp line:_default' \
&& ret=0
;;
(guard)
_arguments "${_arguments_options[@]}" : \
'--budget=[The most device time of this visit\: up to a third, and to 20s, for its loads, the rest for experiments on settings that changed]:TIME:_default' \
'--busy=[Load nothing while others keep a device of the path busy for more than this part of the time]:PERCENT:_default' \
'--textfile=[Write the state as metrics into this file, as node_exporter'\''s textfile collector reads it\: its name ends in .prom]:FILE:_files' \
'--webhook=[Post the answer as JSON where something is raised or cleared, to the URL in this file, which only its owner may read]:FILE:_files' \
'--keep-free=[Free space that scratch leaves to others \[default\: 5 % of the file system, at least 256 MiB\]]:SIZE:_default' \
'--no-load[Load nothing and prove nothing\: compare the settings alone]' \
'--no-proof[Make no experiment on a setting that changed]' \
'(--no-load --no-proof)--accept[Take the target as the last visit found it for what is usual from now on; loads nothing]' \
'--journal[Tell systemd'\''s journal as well, in fields of its own\: IODYNO_TARGET, IODYNO_STATE, IODYNO_RECORD]' \
'--json[Print one JSON document on stdout; words for people go to stderr]' \
'-h[Print help]' \
'--help[Print help]' \
'-V[Print version]' \
'--version[Print version]' \
'::target -- A directory (scratch is made in it and removed), a file or a block device (which are only read):_default' \
&& ret=0
;;
(watch)
_arguments "${_arguments_options[@]}" : \
'--interval=[Time between two samples, 10ms to 10s]:TIME:_default' \
'--frames=[Pictures a second on the full screen, 1 to 10 \[default\: 2\]]:N:_default' \
'--prometheus=[Serve the raw counters to Prometheus at this address; a bare port is served on the loopback address]:ADDR:_default' \
'*--allow-host=[With --prometheus\: a name by which it may be asked besides localhost, the address, and, where others reach it, this machine'\''s name. Repeat for more]:NAME:_default' \
'--every=[Time between two lines or documents (--plain, --json), not less than --interval \[default\: 1s\]]:TIME:_default' \
'--count=[End after so many lines or documents (--plain, --json)]:N:_default' \
'--layers=[How closely the block layer is traced \[default\: lite, but off for a disk in memory\]]:LAYERS:((off\:"Not at all"
auto\:"Full, but off for a disk in memory, where tracing would be most of what is measured"
lite\:"Completions only, with the kernel'\''s own time stamps"
full\:"Every event of every I/O\: by eBPF, or by the next of the others here that this machine has"
perf\:"The same without eBPF, from perf'\''s rings"
tracefs\:"The same without eBPF, from buffers of tracefs"
blktrace\:"The same from blktrace, one trace a device"))' \
'*--cgroup=[Control groups to watch beside the busiest\: as below /sys/fs/cgroup, or by a process in it or a container]:GROUP|PID|CONTAINER:_default' \
'*--file=[Files whose share of the page cache to watch]:FILE:_files' \
'--container=[Take the target as this container names it, and do what is done within its limits\: the container'\''s name, its id, or the number of a process in it]:NAME|ID|PID:_default' \
'(--prometheus)--plain[Lines in the manner of iostat]' \
'--ascii[Draw the full screen with nothing but ASCII; so it is anyway where the locale is not UTF-8]' \
'(--plain --prometheus)--latencies[With --json\: how many I/Os took how long, by bucket, of each device that is traced]' \
'--json[Print one JSON document on stdout; words for people go to stderr]' \
'-h[Print help (see more with '\''--help'\'')]' \
'--help[Print help (see more with '\''--help'\'')]' \
'-V[Print version]' \
'--version[Print version]' \
'*::devices -- Block devices by name (`nvme0n1`, `/dev/sda`), or paths\: the devices below them. Every device that does I/O where none is named:_default' \
&& ret=0
;;
(limit)
_arguments "${_arguments_options[@]}" : \
'(--group --container)--read-bps=[Bytes that the group may read in a second\: 10m]:BYTES:_default' \
'(--group --container)--write-bps=[Bytes that the group may write in a second]:BYTES:_default' \
'(--group --container)--read-iops=[Reads that the group may do in a second]:IOS:_default' \
'(--group --container)--write-iops=[Writes that the group may do in a second]:IOS:_default' \
'(--group --container)--memory=[With a limit\: the most memory that the group may have, which bounds its dirty pages]:BYTES:_default' \
'(--container)--group=[Enter this group in place of one made for the purpose, and measure the limits that it has\: as /proc/PID/cgroup names it, the number of a process, a container'\''s id or name, or \`self\` for the group that iodyno is in]:GROUP|PID|CONTAINER|self:_default' \
'(--group --container)*--containers=[Load the disk from so many groups at once, each with the limit, and show how they share it\: 1,2,4]:N,N:_default' \
'(--read-bps --write-bps --read-iops --write-iops)*--weights=[With --containers\: the weight of each group on the disk, by turns, and whether they get such shares\: 100,400]:N,N:_default' \
'--runtime=[How long each program runs]:RUNTIME:_default' \
'--keep-free=[Free space that scratch leaves to others \[default\: 5 % of the file system, at least 256 MiB\]]:SIZE:_default' \
'--container=[Take the target as this container names it, and do what is done within its limits\: the container'\''s name, its id, or the number of a process in it]:NAME|ID|PID:_default' \
'--json[Print one JSON document on stdout; words for people go to stderr]' \
'-h[Print help]' \
'--help[Print help]' \
'-V[Print version]' \
'--version[Print version]' \
':target -- A directory\: files are made in it, and removed:_files' \
'*::job -- With --containers\: what each group does, in fio'\''s words \[default\: -rw=randread -bs=4k -ioengine=libaio -iodepth=16 -direct=1\]:_default' \
&& ret=0
;;
(loop)
_arguments "${_arguments_options[@]}" : \
'--json[Print one JSON document on stdout; words for people go to stderr]' \
'-h[Print help]' \
'--help[Print help]' \
'-V[Print version]' \
'--version[Print version]' \
":: :_iodyno__subcmd__loop_commands" \
"*::: :->loop" \
&& ret=0

    case $state in
    (loop)
        words=($line[1] "${words[@]}")
        (( CURRENT += 1 ))
        curcontext="${curcontext%:*:*}:iodyno-loop-command-$line[1]:"
        case $line[1] in
            (create)
_arguments "${_arguments_options[@]}" : \
'--size=[Its size, such as 200g; every byte of it is written]:SIZE:_default' \
'--fs=[The file system to make on the device]:KIND:(ext4 xfs none)' \
'--mount=[Mount it on this empty directory, which is made where it is missing]:DIRECTORY:_files' \
'--inodes=[How many files ext4 shall have room for, for many small ones; xfs makes inodes as they are needed]:N:_default' \
'--direct-io=[Whether the device does direct I/O to its file\: where the file system allows it, in any case, or not]:WHEN:(auto yes no)' \
'--sector=[Size of a logical sector of the device, bytes \[default\: what direct I/O to the file needs, 512 or more\]]:BYTES:_default' \
'--keep-free=[Free space that scratch leaves to others \[default\: 5 % of the file system, at least 256 MiB\]]:SIZE:_default' \
'--unit[Write a unit for systemd that attaches and mounts it at boot]' \
'--dry-run[Show the commands that do the same, and the unit; make nothing]' \
'--json[Print one JSON document on stdout; words for people go to stderr]' \
'-h[Print help]' \
'--help[Print help]' \
'-V[Print version]' \
'--version[Print version]' \
':file -- The file to make. Nothing may have its name\: what exists is never overwritten:_files' \
&& ret=0
;;
(list)
_arguments "${_arguments_options[@]}" : \
'--json[Print one JSON document on stdout; words for people go to stderr]' \
'-h[Print help]' \
'--help[Print help]' \
'-V[Print version]' \
'--version[Print version]' \
&& ret=0
;;
(remove)
_arguments "${_arguments_options[@]}" : \
'--keep-file[Keep the file with the data in it]' \
'--json[Print one JSON document on stdout; words for people go to stderr]' \
'-h[Print help]' \
'--help[Print help]' \
'-V[Print version]' \
'--version[Print version]' \
':what -- Its file, its device (/dev/loop7) or the directory it is mounted on:_files' \
&& ret=0
;;
(help)
_arguments "${_arguments_options[@]}" : \
":: :_iodyno__subcmd__loop__subcmd__help_commands" \
"*::: :->help" \
&& ret=0

    case $state in
    (help)
        words=($line[1] "${words[@]}")
        (( CURRENT += 1 ))
        curcontext="${curcontext%:*:*}:iodyno-loop-help-command-$line[1]:"
        case $line[1] in
            (create)
_arguments "${_arguments_options[@]}" : \
&& ret=0
;;
(list)
_arguments "${_arguments_options[@]}" : \
&& ret=0
;;
(remove)
_arguments "${_arguments_options[@]}" : \
&& ret=0
;;
(help)
_arguments "${_arguments_options[@]}" : \
&& ret=0
;;
        esac
    ;;
esac
;;
        esac
    ;;
esac
;;
(dataset)
_arguments "${_arguments_options[@]}" : \
'*--against=[Read the same elsewhere in turns\: a copy of the tree, or a directory in which files of the same sizes and depths are made and removed. Repeat for more]:DIRECTORY:_files' \
'--scratch=[A directory on the tree'\''s own file system for a packed file without a name, to say what packing would give there]:DIRECTORY:_files' \
'*--readers=[How many threads read at once, each number by itself\: 1,4]:N,N:_default' \
'--epochs=[How often the sample is read, each time in an order of its own]:N:_default' \
'--sample=[Files that are drawn at random to be read]:FILES:_default' \
'--sample-bytes=[Bytes of these files at most\: so much is written where a copy or a packed file is made]:BYTES:_default' \
'--huge=[A file of more bytes is none of the small ones\: it is counted and not read]:BYTES:_default' \
'--budget=[Time for walking and reading; making copies comes on top]:TIME:_default' \
'--order=[The order of files\: random, another one each epoch, or as the directories list them, as tar reads]:ORDER:((random\:"At random, as training reads"
listed\:"As the directories list them, as tar and rsync read"))' \
'--cold=[How caches are emptied for the cold figures\: each file'\''s pages, or, as root, everything that this machine has cached, which slows down all that runs here]:COLD:((files\:"Each file'\''s pages are dropped"
machine\:"All clean caches of the machine are dropped (/proc/sys/vm/drop_caches)"
no\:"Nothing\: only warm figures"))' \
'--seed=[Seed of the sample and of all orders \[default\: from the clock\]]:SEED:_default' \
'--keep-free=[Free space that scratch leaves to others \[default\: 5 % of the file system, at least 256 MiB\]]:SIZE:_default' \
'--container=[Take the target as this container names it, and do what is done within its limits\: the container'\''s name, its id, or the number of a process in it]:NAME|ID|PID:_default' \
'--json[Print one JSON document on stdout; words for people go to stderr]' \
'-h[Print help (see more with '\''--help'\'')]' \
'--help[Print help (see more with '\''--help'\'')]' \
'-V[Print version]' \
'--version[Print version]' \
':tree -- The tree of files\: it is only read, and what it holds is never changed:_files' \
&& ret=0
;;
(k8s)
_arguments "${_arguments_options[@]}" : \
'--json[Print one JSON document on stdout; words for people go to stderr]' \
'-h[Print help]' \
'--help[Print help]' \
'-V[Print version]' \
'--version[Print version]' \
":: :_iodyno__subcmd__k8s_commands" \
"*::: :->k8s" \
&& ret=0

    case $state in
    (k8s)
        words=($line[1] "${words[@]}")
        (( CURRENT += 1 ))
        curcontext="${curcontext%:*:*}:iodyno-k8s-command-$line[1]:"
        case $line[1] in
            (run)
_arguments "${_arguments_options[@]}" : \
'*--storage-class=[A new volume of this storage class, which goes at the end. \`compare\` takes several\: fast,slow]:CLASS:_default' \
'*--pvc=[A claim that is there. What it holds stays as it is\: scratch has no name and goes at the end]:CLAIM:_default' \
'--host-path=[A directory of a node]:DIRECTORY:_default' \
'*--node=[Run on this node; without other storage, load the disk on which it has its pods. \`compare\` takes several]:NODE:_default' \
'--claim-size=[Size of a volume that is made for --storage-class]:SIZE:_default' \
'--path=[A directory or a file inside of the storage \[default\: all of it\]; a file is only read]:PATH:_default' \
'--preset=[A load by its purpose, such as oltp, wal or backup; \`iodyno catalogue\` lists them]:PRESET:_default' \
'--runtime=[How long to run \[default\: 10s\]]:TIME:_default' \
'--image=[The image, which \`make image\` makes and which your registry, or each node, has]:IMAGE:_default' \
'--image-pull-secret=[The secret by which the image is pulled]:SECRET:_default' \
'--cpu=[The most CPU that a pod may have\: 4, 500m]:CPUS:_default' \
'--memory=[The most memory that a pod may have]:BYTES:_default' \
'*--toleration=[Bear a taint\: KEY, KEY=VALUE, KEY=VALUE\:EFFECT, or all]:TAINT:_default' \
'--as-user=[Whom the load runs as, for directories that others may not write to\: UID or UID\:GID. Root, 0, has no capabilities all the same]:UID[:GID]:_default' \
'--context=[The context of your kubeconfig \[default\: the current one\]]:NAME:_default' \
'-n+[The namespace \[default\: that of the context\]]:NAME:_default' \
'--namespace=[The namespace \[default\: that of the context\]]:NAME:_default' \
'--kubectl=[The kubectl that asks the cluster \[default\: the one in the search path\]]:PATH:_files' \
'--wait=[How long to wait for a volume, a node, an image and the start of a pod]:TIME:_default' \
'--deadline=[How long a pod may run; the cluster ends it then]:TIME:_default' \
'--host-network[Use the nodes'\'' network, where there is none for pods]' \
'--print[Print the manifests, for \`kubectl apply -f -\`, and do nothing]' \
'--json[Print one JSON document on stdout; words for people go to stderr]' \
'-h[Print help]' \
'--help[Print help]' \
'-V[Print version]' \
'--version[Print version]' \
'*::words -- The job in fio'\''s words\: `-- -rw=randread -bs=4k -iodepth=32`:_default' \
&& ret=0
;;
(check)
_arguments "${_arguments_options[@]}" : \
'*--storage-class=[A new volume of this storage class, which goes at the end. \`compare\` takes several\: fast,slow]:CLASS:_default' \
'*--pvc=[A claim that is there. What it holds stays as it is\: scratch has no name and goes at the end]:CLAIM:_default' \
'--host-path=[A directory of a node]:DIRECTORY:_default' \
'*--node=[Run on this node; without other storage, load the disk on which it has its pods. \`compare\` takes several]:NODE:_default' \
'--claim-size=[Size of a volume that is made for --storage-class]:SIZE:_default' \
'--path=[A directory or a file inside of the storage \[default\: all of it\]; a file is only read]:PATH:_default' \
'--disk-spec=[What the storage is sold as\: aws\:gp3\:100GiB\:iops=6000, or figures alone\: iops=3000\:bandwidth=125m]:SPEC:_default' \
'--image=[The image, which \`make image\` makes and which your registry, or each node, has]:IMAGE:_default' \
'--image-pull-secret=[The secret by which the image is pulled]:SECRET:_default' \
'--cpu=[The most CPU that a pod may have\: 4, 500m]:CPUS:_default' \
'--memory=[The most memory that a pod may have]:BYTES:_default' \
'*--toleration=[Bear a taint\: KEY, KEY=VALUE, KEY=VALUE\:EFFECT, or all]:TAINT:_default' \
'--as-user=[Whom the load runs as, for directories that others may not write to\: UID or UID\:GID. Root, 0, has no capabilities all the same]:UID[:GID]:_default' \
'--context=[The context of your kubeconfig \[default\: the current one\]]:NAME:_default' \
'-n+[The namespace \[default\: that of the context\]]:NAME:_default' \
'--namespace=[The namespace \[default\: that of the context\]]:NAME:_default' \
'--kubectl=[The kubectl that asks the cluster \[default\: the one in the search path\]]:PATH:_files' \
'--wait=[How long to wait for a volume, a node, an image and the start of a pod]:TIME:_default' \
'--deadline=[How long a pod may run; the cluster ends it then]:TIME:_default' \
'(--storage-class --pvc --node)--every-node[Check on every node at once, by a DaemonSet\: the disk on which each has its pods, or --host-path]' \
'(--deep)--quick[At most 10 s]' \
'--deep[Up to 5 min\: longer loads, more depths, buffered writes, reads beside writes]' \
'--host-network[Use the nodes'\'' network, where there is none for pods]' \
'--print[Print the manifests, for \`kubectl apply -f -\`, and do nothing]' \
'--json[Print one JSON document on stdout; words for people go to stderr]' \
'-h[Print help]' \
'--help[Print help]' \
'-V[Print version]' \
'--version[Print version]' \
&& ret=0
;;
(compare)
_arguments "${_arguments_options[@]}" : \
'*--storage-class=[A new volume of this storage class, which goes at the end. \`compare\` takes several\: fast,slow]:CLASS:_default' \
'*--pvc=[A claim that is there. What it holds stays as it is\: scratch has no name and goes at the end]:CLAIM:_default' \
'--host-path=[A directory of a node]:DIRECTORY:_default' \
'*--node=[Run on this node; without other storage, load the disk on which it has its pods. \`compare\` takes several]:NODE:_default' \
'--claim-size=[Size of a volume that is made for --storage-class]:SIZE:_default' \
'--path=[A directory or a file inside of the storage \[default\: all of it\]; a file is only read]:PATH:_default' \
'--rounds=[How often each place is loaded]:N:_default' \
'--seed=[Seed of the orders \[default\: from the clock\]]:SEED:_default' \
'--preset=[A load by its purpose, such as oltp, wal or backup; \`iodyno catalogue\` lists them]:PRESET:_default' \
'--runtime=[How long to run \[default\: 10s\]]:TIME:_default' \
'--image=[The image, which \`make image\` makes and which your registry, or each node, has]:IMAGE:_default' \
'--image-pull-secret=[The secret by which the image is pulled]:SECRET:_default' \
'--cpu=[The most CPU that a pod may have\: 4, 500m]:CPUS:_default' \
'--memory=[The most memory that a pod may have]:BYTES:_default' \
'*--toleration=[Bear a taint\: KEY, KEY=VALUE, KEY=VALUE\:EFFECT, or all]:TAINT:_default' \
'--as-user=[Whom the load runs as, for directories that others may not write to\: UID or UID\:GID. Root, 0, has no capabilities all the same]:UID[:GID]:_default' \
'--context=[The context of your kubeconfig \[default\: the current one\]]:NAME:_default' \
'-n+[The namespace \[default\: that of the context\]]:NAME:_default' \
'--namespace=[The namespace \[default\: that of the context\]]:NAME:_default' \
'--kubectl=[The kubectl that asks the cluster \[default\: the one in the search path\]]:PATH:_files' \
'--wait=[How long to wait for a volume, a node, an image and the start of a pod]:TIME:_default' \
'--deadline=[How long a pod may run; the cluster ends it then]:TIME:_default' \
'--host-network[Use the nodes'\'' network, where there is none for pods]' \
'--print[Print the manifests, for \`kubectl apply -f -\`, and do nothing]' \
'--json[Print one JSON document on stdout; words for people go to stderr]' \
'-h[Print help]' \
'--help[Print help]' \
'-V[Print version]' \
'--version[Print version]' \
'*::words -- The job in fio'\''s words\: `-- -rw=randread -bs=4k -iodepth=32`:_default' \
&& ret=0
;;
(in-pod)
_arguments "${_arguments_options[@]}" : \
'--run=[The run id]:ID:_default' \
'--stay[Stay at the end, until somebody ends the pod\: a set would start it anew]' \
'--node-disk[What is loaded is a disk of the node\: leave so much of it free that the kubelet evicts nobody]' \
'--json[Print one JSON document on stdout; words for people go to stderr]' \
'-h[Print help]' \
'--help[Print help]' \
'-V[Print version]' \
'--version[Print version]' \
'*::words -- The verb with its words:_default' \
&& ret=0
;;
(help)
_arguments "${_arguments_options[@]}" : \
":: :_iodyno__subcmd__k8s__subcmd__help_commands" \
"*::: :->help" \
&& ret=0

    case $state in
    (help)
        words=($line[1] "${words[@]}")
        (( CURRENT += 1 ))
        curcontext="${curcontext%:*:*}:iodyno-k8s-help-command-$line[1]:"
        case $line[1] in
            (run)
_arguments "${_arguments_options[@]}" : \
&& ret=0
;;
(check)
_arguments "${_arguments_options[@]}" : \
&& ret=0
;;
(compare)
_arguments "${_arguments_options[@]}" : \
&& ret=0
;;
(in-pod)
_arguments "${_arguments_options[@]}" : \
&& ret=0
;;
(help)
_arguments "${_arguments_options[@]}" : \
&& ret=0
;;
        esac
    ;;
esac
;;
        esac
    ;;
esac
;;
(tune)
_arguments "${_arguments_options[@]}" : \
'*--knob=[A knob to try, with values if not its own choices\: scheduler or nr_requests=64,256. Repeat for more]:KNOB[=V,V…]:_default' \
'--metric=[What the values are judged by; \`iodyno explain METER\` says what each one measures \[default\: iops; printed with --command\]]:METER:(bandwidth cpu_per_io device_bandwidth device_iops duration fairness group_bandwidth group_iops iops latency mysql p99 p999 p99_read p99_write postgresql printed prometheus result)' \
'--goal=[What the values are judged by; \`iodyno explain METER\` says what each one measures \[default\: iops; printed with --command\]]:METER:(bandwidth cpu_per_io device_bandwidth device_iops duration fairness group_bandwidth group_iops iops latency mysql p99 p999 p99_read p99_write postgresql printed prometheus result)' \
'--sql-client=[How the client of --metric postgresql or mysql is started\: '\''sudo -u postgres psql -p 5433'\'' \[default\: psql, mysql\]]:COMMAND:_default' \
'--cgroup=[The control group whose I/O --metric group_iops or group_bandwidth counts\: its path as /proc/PID/cgroup names it, the number of a process in it, or a container'\''s id or name]:GROUP|PID|CONTAINER:_default' \
'--prometheus=[The Prometheus server that --metric prometheus asks\: http\://HOST\:9090]:URL:_default' \
'--query=[The counter that it is asked for, a selector without rate() and range\: '\''http_requests_total{job="web"}'\'']:SELECTOR:_default' \
'--beside=[A command that runs beside the load for as long as it does, such as a bulk writer. Values are judged by what the load gets beside it; what others on the device lose or gain by them is told]:COMMAND:_default' \
'--budget=[Time for all knobs together]:BUDGET:_default' \
'--rope=[Differences up to this count as equal]:ROPE:_default' \
'--alpha=[Probability of naming a winner where there is none, over all knobs together]:ALPHA:_default' \
'--seed=[Seed of every random choice; without it, one that is printed]:SEED:_default' \
'--wait-quiet=[Wait at the most so long until nobody else has used the device for 3 seconds; it comes on top of the budget]:TIME:_default' \
'*--stop-if=[End and put everything back at once when the device crosses this bound\: '\''await>20ms'\'', '\''write.iops<500'\'', '\''bw<100M'\''; or what the values are judged by does\: '\''metric<500'\''. Repeat for more]:BOUND:_default' \
'(--dry-run --beside --command --container --reboot-plan)--rehearse=[Rehearse on a simulated disk, without touching the real one\: '\''cloud'\'', or with the effects that values are to have, '\''cloud,scheduler=bfq\:+8%'\''. A wrong name lists the disks]:DISK[,KNOB=V:±N%…]:_default' \
'--layers=[When to trace the block layer\: auto traces a few windows after each decision, so that the proof is free of what tracing costs; lite and full trace all windows]:LAYERS:((off\:"Not at all"
auto\:"Full, but off for a disk in memory, where tracing would be most of what is measured"
lite\:"Completions only, with the kernel'\''s own time stamps"
full\:"Every event of every I/O\: by eBPF, or by the next of the others here that this machine has"
perf\:"The same without eBPF, from perf'\''s rings"
tracefs\:"The same without eBPF, from buffers of tracefs"
blktrace\:"The same from blktrace, one trace a device"))' \
'--keep-free=[Free space that scratch leaves to others \[default\: 5 % of the file system, at least 256 MiB\]]:SIZE:_default' \
'--preset=[A load by its purpose, such as oltp, wal or backup; \`iodyno catalogue\` lists them]:PRESET:_default' \
'(--preset)--job=[A fio job file]:FILE.fio:_files' \
'*--section=[Only these sections of the job file]:NAME:_default' \
'--engine=[native, or fio\: the fio that is installed here runs the same job]:ENGINE:(native fio)' \
'--rw=[read, write, randread, randwrite, rw, randrw, trim or randtrim \[default\: randread\]]:RW:_default' \
'--bs=[Block size \[default\: 4k\]]:BS:_default' \
'--iodepth=[I/Os in flight for each job \[default\: 32\]]:IODEPTH:_default' \
'--numjobs=[Threads that each run the job \[default\: 1\]]:NUMJOBS:_default' \
'--direct=[1 for O_DIRECT, 0 for the page cache \[default\: 1\]]:DIRECT:_default' \
'--size=[Bytes of the target to use \[default\: the whole of a file or device, 1G of scratch in a directory\]]:SIZE:_default' \
'--ioengine=[What produces the load\: io_uring, libaio, psync and more; \`iodyno catalogue\` lists them \[default\: io_uring\]]:IOENGINE:_default' \
'(--preset --job --engine --rw --bs --iodepth --numjobs --direct --size --ioengine --engine-option --rwmixread --rate-iops --open-loop --fsync --cpus-allowed)--command=[A shell command that makes the load, all its words in one\: '\''pgbench -P 1 -c 8 -T 3600 bench'\''. It does what you could do yourself]:COMMAND:_default' \
'--metric-regex=[Which lines of the command tell its rate\: the numbers in the groups are added up \[default\: those of pgbench -P 1 and sysbench --report-interval=1\]]:REGEX:_default' \
'--metric-better=[Which way the printed rate is better\: higher or lower \[default\: higher\]]:WAY:(higher lower)' \
'*--engine-option=[An option of that engine alone\: \`iodyno explain ENGINE\` lists them]:NAME=VALUE:_default' \
'--rwmixread=[Share of reads in a mix, per cent \[default\: 50\]]:RWMIXREAD:_default' \
'--rate-iops=[I/Os per second for each job; as fast as it goes without]:RATE_IOPS:_default' \
'--arrivals=[With a rate\: linear or poisson \[default\: linear\]]:ARRIVALS:_default' \
'--fsync=[fsync after so many writes]:FSYNC:_default' \
'*--cpus-allowed=[CPUs to pin the jobs to, such as 1 or 0,2]:CPUS_ALLOWED:_default' \
'--max-size=[Use at most so much of the target for each job, whatever it says, all of its processes together; the engine files has its own options for that]:MAX_SIZE:_default' \
'--max-runtime=[Run each job at most so long, whatever it says]:MAX_RUNTIME:_default' \
'--here=[With --container and --overwrite or --destroy-data\: the target once more, as it is named on this machine]:PATH:_files' \
'(--knob --beside --run-again --command --aa --stream --stop-if --cgroup --sql-client --prometheus --wait-quiet --container)--reboot-plan=[Change nothing, and write a plan that tries this argument of the kernel in eight pairs of boots, in random order\: mitigations=off, nvme.poll_queues=4. The budget is the load of all boots together]:ARGUMENT:_default' \
'--plan-dir=[The directory in which the plan is made \[default\: boots in the state directory\]]:DIR:_files' \
'--next-boot=[The shell command that boots with the command line in \$IODYNO_COMMAND_LINE \[default\: kexec, where it is installed; else you do it by hand\]]:COMMAND:_default' \
'--settle=[How long a boot is left alone before its load]:TIME:_default' \
'--container=[Take the target as this container names it, and do what is done within its limits\: the container'\''s name, its id, or the number of a process in it]:NAME|ID|PID:_default' \
'--run-again[The command ends by itself\: each window is one run of it, judged by the number that it prints at its end, or by how long it takes where it prints none]' \
'--even-if-pointless[Try a knob that was named also where it cannot act on this load]' \
'--strict[Refuse a job that would not measure what it says]' \
'--accept-worse-p99[Accept a worse p99 in exchange for throughput]' \
'--dry-run[Show what would be changed, for how long and how it is put back; do nothing]' \
'--aa[Write the value that is set already instead of the arm'\''s\: a check of iodyno itself, which must find no winner]' \
'(--dry-run)--stream[Print a JSON line on stdout for each step of the experiment, and the record'\''s at the end; words go to stderr]' \
'--open-loop[With a rate\: I/Os arrive by the clock, whether or not earlier ones came back; latency counts from the arrival]' \
'--destroy-data[Allow writes to a block device\: everything on it is lost]' \
'--overwrite[Allow writes to an existing file\: its content is lost]' \
'--force-signature[With --destroy-data\: also when a file system or RAID signature is on the device]' \
'--json[Print one JSON document on stdout; words for people go to stderr]' \
'-h[Print help (see more with '\''--help'\'')]' \
'--help[Print help (see more with '\''--help'\'')]' \
'-V[Print version]' \
'--version[Print version]' \
':target -- A directory (scratch is made in it and removed), a file or a block device:_files' \
'*::words -- The job in fio'\''s words\: `-- -rw=randread -bs=4k -iodepth=32`, a whole fio line, or a dd or cp line:_default' \
&& ret=0
;;
(boots)
_arguments "${_arguments_options[@]}" : \
'--measure[Measure this boot, and boot the next one, or say which it is]' \
'--json[Print one JSON document on stdout; words for people go to stderr]' \
'-h[Print help]' \
'--help[Print help]' \
'-V[Print version]' \
'--version[Print version]' \
':directory -- The directory of the plan:_files' \
&& ret=0
;;
(apply)
_arguments "${_arguments_options[@]}" : \
'*--only=[Only the value of this knob, of several that won; repeat it for more that were proved together]:KNOB:_default' \
'--confirm=[Put everything back unless \`keep\` is typed within this time\: after Ctrl-C, a lost connection or silence too]:TIME:_default' \
'(--persist --confirm --dry-run)--as=[Write the proven values for another tool to stdout; change nothing]:FORM:((ansible\:"A list of tasks for Ansible"
tuned\:"A profile for TuneD"
shell\:"A POSIX shell script that also puts back"))' \
'-o+[With --as\: into this file, which must be new]:FILE:_files' \
'--output=[With --as\: into this file, which must be new]:FILE:_files' \
'--mark=[Mark the change as one that a fleet began, so that it is found again]:MARK:_default' \
'--persist[Make the settings outlive a reboot, the way this distribution does it]' \
'--outrank[With --persist\: where a file of somebody else would have the last word, write one whose name sorts after it]' \
'--despite-owners[With --persist\: also where somebody else keeps the last word, such as TuneD]' \
'--write-proposal[With --persist\: make the change of /etc/fstab or of another file that was shown]' \
'--even-if-it-fades[With --persist\: also where it is not known whether the gain lasts]' \
'--dry-run[Show what would be written; do nothing]' \
'--from-elsewhere[Apply a record that was not measured on this machine; shows first what of it is trusted]' \
'--json[Print one JSON document on stdout; words for people go to stderr]' \
'-h[Print help (see more with '\''--help'\'')]' \
'--help[Print help (see more with '\''--help'\'')]' \
'-V[Print version]' \
'--version[Print version]' \
':record -- Number of the tune'\''s record, as `iodyno list` shows it:_default' \
&& ret=0
;;
(set)
_arguments "${_arguments_options[@]}" : \
'--confirm=[Put everything back unless \`keep\` is typed within this time\: after Ctrl-C, a lost connection or silence too]:TIME:_default' \
'--persist[Make the settings outlive a reboot, the way this distribution does it]' \
'--outrank[With --persist\: where a file of somebody else would have the last word, write one whose name sorts after it]' \
'--despite-owners[With --persist\: also where somebody else keeps the last word, such as TuneD]' \
'--write-proposal[With --persist\: make the change of /etc/fstab or of another file that was shown]' \
'--dry-run[Show what would be written; do nothing]' \
'--json[Print one JSON document on stdout; words for people go to stderr]' \
'-h[Print help]' \
'--help[Print help]' \
'-V[Print version]' \
'--version[Print version]' \
'*::settings -- A knob with its value\: scheduler=none, smp_affinity_list@24=0-1. Repeat it for more:_default' \
':target -- A directory, a file or a block device\: what lies below it gets the values:_files' \
&& ret=0
;;
(import)
_arguments "${_arguments_options[@]}" : \
'*--tag=[A tag for the new records; may be given more than once]:TAG:_default' \
'--host=[Which host the results are of, where they do not say]:NAME:_default' \
'--device=[Which device the results are of, where they do not say]:NAME:_default' \
'--dry-run[Say what is found and keep nothing]' \
'-v[List every line that could not be read, and every unit and loss with its records]' \
'--verbose[List every line that could not be read, and every unit and loss with its records]' \
'--json[Print one JSON document on stdout; words for people go to stderr]' \
'-h[Print help]' \
'--help[Print help]' \
'-V[Print version]' \
'--version[Print version]' \
'*::files -- Files that other tools wrote, or pages that their output was pasted into; a folder stands for the files in it, `-` for stdin. The files that blktrace writes for each CPU are read together:_default' \
&& ret=0
;;
(undo)
_arguments "${_arguments_options[@]}" : \
'()--all[Undo every journal, all changes that were left in place too]' \
'(--all)--unfinished[Undo what ended unfinished alone\: a change that was left in place stays, also where nothing else is there]' \
'--with-later[Undo the later changes too that were made to the same settings, the last one first]' \
'(--with-later --forget)--salvage[Of a damaged journal, put back what its whole lines say. The file is kept under another name]' \
'(--with-later)--forget[Remove the journal of a device that is gone for good, or of a file that you have edited since; writes no setting]' \
'(--with-later --salvage --forget)--accept[Take what the settings show now for what was left in place, so that \`status\` calls it no drift; writes no setting]' \
'--json[Print one JSON document on stdout; words for people go to stderr]' \
'-h[Print help]' \
'--help[Print help]' \
'-V[Print version]' \
'--version[Print version]' \
'::id -- The journal to undo, as `status` names it; without it, what ended unfinished, else the last change that was left in place:_default' \
&& ret=0
;;
(status)
_arguments "${_arguments_options[@]}" : \
'--json[Print one JSON document on stdout; words for people go to stderr]' \
'-h[Print help]' \
'--help[Print help]' \
'-V[Print version]' \
'--version[Print version]' \
&& ret=0
;;
(fleet)
_arguments "${_arguments_options[@]}" : \
'--hosts=[The hosts\: a list (db1,root@db2\:2222,web\[01\:10\]), a file with one a line, or an Ansible inventory (INI or YAML). Only \`undo\` goes without\: then it means the hosts that were lost while something was changed there]:LIST|FILE:_default' \
'--group=[Of an inventory only this group]:NAME:_default' \
'(--ssh-config)--via=[How to reach a host in place of ssh\: '\''ip netns exec {host} {command}'\'', '\''podman exec -i {host} {command}'\'', '\''kubectl exec -i {host} -- {command}'\'']:TEMPLATE:_default' \
'--ssh-config=[Configuration of ssh in place of the user'\''s (ssh -F)]:FILE:_files' \
'--at-once=[Hosts that are prepared and asked at once; those of a load that begins together then wait for each other]:N:_default' \
'--connect-timeout=[The longest that connecting to a host may take]:TIME:_default' \
'--silence=[A host that says nothing for so long is given up; the verb there puts everything back by itself]:TIME:_default' \
'--timeout=[The longest that one host may take in all \[default\: no limit\]]:TIME:_default' \
'--ready-timeout=[When half of the hosts are ready to begin a load, the others get so much longer; twice what the first took, if that is more]:TIME:_default' \
'*--binary=[The binary for hosts of another architecture, as \`uname -m\` calls it\: aarch64=PATH]:ARCH=PATH:_default' \
'--sudo[Become root on the hosts by \`sudo -n\`, which asks nothing\: the right must be there without a password]' \
'--json[Print one JSON document on stdout; words for people go to stderr]' \
'-h[Print help]' \
'--help[Print help]' \
'-V[Print version]' \
'--version[Print version]' \
'*::words -- What to do on each host\: inspect, check, run, status, apply or undo with their own words; `diff TARGET` compares the settings of the hosts; `forget` removes the binary that was sent:_default' \
&& ret=0
;;
(serve)
_arguments "${_arguments_options[@]}" : \
'--listen=[Where to listen; \:0 takes a free port. Anything but a loopback address needs --tls-cert and --tls-key]:ADDR:_default' \
'*--target=[A directory that may be loaded from the browser, besides mounts and disks. Repeat for more]:DIR:_files' \
'*--allow-host=[A name by which the server may be called besides localhost. Repeat for more]:NAME:_default' \
'--tls-cert=[Certificate, PEM, with what it is signed with]:FILE:_files' \
'--tls-key=[Its key, PEM; a file that others may read is refused]:FILE:_files' \
'--address-file=[Write the address into this file, for you alone, in place of printing it\: its token belongs in no log]:FILE:_files' \
'--import-time=[How long an import of a file that was sent may take]:TIME:_default' \
'--read-only[Show everything, change and start nothing]' \
'--json[Print one JSON document on stdout; words for people go to stderr]' \
'-h[Print help]' \
'--help[Print help]' \
'-V[Print version]' \
'--version[Print version]' \
&& ret=0
;;
(judge)
_arguments "${_arguments_options[@]}" : \
'*--arm=[Name of an arm; once for each, the default first]:NAME:_default' \
'--class=[How long a switch between arms keeps acting\: fast, learned or slow]:CLASS:_default' \
'--metric=[What the driver'\''s numbers are called, as it stands behind a change\: tps, p99]:NAME:_default' \
'--unit=[Their unit\: /s, bytes/s and ns get their prefixes, any other one is printed as it is]:UNIT:_default' \
'--grain=[Time for which one number stands, from 10ms to 1s]:GRAIN:_default' \
'--rope=[Differences up to this count as equal]:ROPE:_default' \
'--alpha=[Probability of naming a winner where there is none]:ALPHA:_default' \
'--memory=[How long a switch may plausibly go on acting, up to 40s\: a verdict excludes an effect that fades within this time, and says so where it cannot. 1s for fast, 10s for learned and slow without it]:TIME:_default' \
'--budget=[Device time of all windows together. Without it, what is enough for most\: 2m 30s for two fast arms]:BUDGET:_default' \
'--seed=[Seed of the order of all windows; without it, a new one, which the first line names]:SEED:_default' \
'--lower-is-better[Less is better\: a latency, a number of errors]' \
'--json[Print one JSON document on stdout; words for people go to stderr]' \
'-h[Print help]' \
'--help[Print help]' \
'-V[Print version]' \
'--version[Print version]' \
&& ret=0
;;
(cloud)
_arguments "${_arguments_options[@]}" : \
'--iops=[I/Os a second\: provisioned for TYPE, or needed by a load]:N:_default' \
'--mbps=[Bandwidth provisioned for TYPE, in the unit of its provider (MB/s or MiB/s)]:N:_default' \
'--instance=[The instance type that TYPE is attached to\: m5.large, Standard_D4s_v5]:NAME:_default' \
'--bandwidth=[Bytes a second that a load needs\: 200m]:BYTES:_default' \
'()--bs=[Size of the load'\''s I/Os \[default\: 4k; with --bandwidth alone large ones, of 1m\]]:BYTES:_default' \
'()--size=[Room that the load needs\: 500g]:BYTES:_default' \
'--provider=[Only disks of this provider\: aws, azure, gcp, alibaba]:NAME:_default' \
'()--prices=[Prices, to order by\: a JSON file as the guide describes it]:FILE:_files' \
'(--series --iops --bandwidth)--record=[A record whose rate is to be recognised]:ID:_default' \
'(--iops --bandwidth)--series=[A file with one rate a line, or of fio'\''s write_iops_log, whose plateau is to be recognised]:FILE:_files' \
'--every=[Time between two lines of --series, where it does not say itself]:TIME:_default' \
'--data=[Types and instances of your own, in front of those that come along]:FILE:_files' \
'--target=[The path whose disks are looked at, where nothing else is asked \[default\: the working directory\]]:TARGET:_default' \
'--root=[Look at a captured machine in place of this one]:FILE.host:_files' \
'--json[Print one JSON document on stdout; words for people go to stderr]' \
'-h[Print help]' \
'--help[Print help]' \
'-V[Print version]' \
'--version[Print version]' \
'::kind -- A type of disk\: gp3, aws\:gp3, P30, pl1 … Without one\: what carries --iops or --bandwidth, what --record or --series looks like, or what this machine is:_default' \
'::size -- Its size\: 100GiB, 2TiB; a bare number is GiB, and so is GB, as providers count:_default' \
&& ret=0
;;
(compare)
_arguments "${_arguments_options[@]}" : \
'--base=[Which of them the others are compared with \[default\: the first\]]:RECORD|FILE:_default' \
'--by=[Rank by this measure\: iops, bw, read.p99, mean \[default\: IOPS, of large blocks bandwidth\]]:MEASURE:_default' \
'*--fail-if=[End with status 1 when this is so\: p99>+5%, read.p99>2ms, write.iops<-10%, bw<200MiB/s. May be given more than once]:BOUND:_default' \
'--junit=[Write the bounds as JUnit XML, for a build server]:FILE:_files' \
'(--rank)--markdown=[Write the comparison as Markdown; to stdout without a file]::FILE:_files' \
'-n+[How many records to look through with --rank]:LIMIT:_default' \
'--limit=[How many records to look through with --rank]:LIMIT:_default' \
'--host=[Of this host]:NAME:_default' \
'--device=[With this block device on the path\: sda, /dev/nvme0n1]:NAME:_default' \
'--serial=[With the disk of this serial number, wherever it was and whatever its name]:SERIAL:_default' \
'--target=[Of this target, or of one below it]:PATH:_default' \
'--job=[Of this job\: words of it ("randread bs=4k iodepth=32"), or its fingerprint from --json]:WORDS:_default' \
'--kernel=[Made under this kernel release, or one that begins so\: 6.1]:RELEASE:_default' \
'--verb=[Made by this verb\: run, tune, check, watch, import]:VERB:_default' \
'--tag=[With this tag]:TAG:_default' \
'--setting=[With this setting on the path, or with this value of it\: scheduler=none]:NAME[=VALUE]:_default' \
'--since=[Measured since\: 2026-11-21, "2026-11-21 18\:30", or 7d ago]:WHEN:_default' \
'--until=[Measured before]:WHEN:_default' \
'--text=[With this text in summary, target, job, model, tags or notes]:TEXT:_default' \
'(--fail-if --base)--rank[Rank devices, one table for each job that several of them had]' \
'--strict[Count as crossed what may be\: a limit that lies inside an interval]' \
'--json[Print one JSON document on stdout; words for people go to stderr]' \
'-h[Print help]' \
'--help[Print help]' \
'-V[Print version]' \
'--version[Print version]' \
'*::what -- Numbers of records, or files\: documents of iodyno, and what other tools printed, which is read and not kept:_default' \
&& ret=0
;;
(history)
_arguments "${_arguments_options[@]}" : \
'*--measure=[What is looked at\: iops, bw, p99, read.mean; may be given more than once \[default\: iops and p99\]]:MEASURE:_default' \
'()--like=[Records of the same job on a like device as this one, and this one]:RECORD:_default' \
'--alpha=[Chance of finding a change anywhere where there is none]:ALPHA:_default' \
'--seed=[Seed of the draws behind the probabilities]:SEED:_default' \
'-n+[How many of the newest records to look at]:LIMIT:_default' \
'--limit=[How many of the newest records to look at]:LIMIT:_default' \
'--host=[Of this host]:NAME:_default' \
'--device=[With this block device on the path\: sda, /dev/nvme0n1]:NAME:_default' \
'--serial=[With the disk of this serial number, wherever it was and whatever its name]:SERIAL:_default' \
'--target=[Of this target, or of one below it]:PATH:_default' \
'--job=[Of this job\: words of it ("randread bs=4k iodepth=32"), or its fingerprint from --json]:WORDS:_default' \
'--kernel=[Made under this kernel release, or one that begins so\: 6.1]:RELEASE:_default' \
'--verb=[Made by this verb\: run, tune, check, watch, import]:VERB:_default' \
'--tag=[With this tag]:TAG:_default' \
'--setting=[With this setting on the path, or with this value of it\: scheduler=none]:NAME[=VALUE]:_default' \
'--since=[Measured since\: 2026-11-21, "2026-11-21 18\:30", or 7d ago]:WHEN:_default' \
'--until=[Measured before]:WHEN:_default' \
'--text=[With this text in summary, target, job, model, tags or notes]:TEXT:_default' \
'--json[Print one JSON document on stdout; words for people go to stderr]' \
'-h[Print help]' \
'--help[Print help]' \
'-V[Print version]' \
'--version[Print version]' \
'::of -- Whose history\: a device (vda), the serial number of a disk, or a target (/srv); all records without it:_default' \
&& ret=0
;;
(list)
_arguments "${_arguments_options[@]}" : \
'-n+[How many to show]:LIMIT:_default' \
'--limit=[How many to show]:LIMIT:_default' \
'--before=[Only records before this number\: what comes after a page]:RECORD:_default' \
'--host=[Of this host]:NAME:_default' \
'--device=[With this block device on the path\: sda, /dev/nvme0n1]:NAME:_default' \
'--serial=[With the disk of this serial number, wherever it was and whatever its name]:SERIAL:_default' \
'--target=[Of this target, or of one below it]:PATH:_default' \
'--job=[Of this job\: words of it ("randread bs=4k iodepth=32"), or its fingerprint from --json]:WORDS:_default' \
'--kernel=[Made under this kernel release, or one that begins so\: 6.1]:RELEASE:_default' \
'--verb=[Made by this verb\: run, tune, check, watch, import]:VERB:_default' \
'--tag=[With this tag]:TAG:_default' \
'--setting=[With this setting on the path, or with this value of it\: scheduler=none]:NAME[=VALUE]:_default' \
'--since=[Measured since\: 2026-11-21, "2026-11-21 18\:30", or 7d ago]:WHEN:_default' \
'--until=[Measured before]:WHEN:_default' \
'--text=[With this text in summary, target, job, model, tags or notes]:TEXT:_default' \
'--json[Print one JSON document on stdout; words for people go to stderr]' \
'-h[Print help]' \
'--help[Print help]' \
'-V[Print version]' \
'--version[Print version]' \
&& ret=0
;;
(show)
_arguments "${_arguments_options[@]}" : \
'--json[Print one JSON document on stdout; words for people go to stderr]' \
'-h[Print help]' \
'--help[Print help]' \
'-V[Print version]' \
'--version[Print version]' \
':record -- Number of the record, as `iodyno list` shows it:_default' \
&& ret=0
;;
(tag)
_arguments "${_arguments_options[@]}" : \
'*--add=[Add this tag; may be given several times, or several after commas]:TAG:_default' \
'*--remove=[Take this tag away]:TAG:_default' \
'--json[Print one JSON document on stdout; words for people go to stderr]' \
'-h[Print help]' \
'--help[Print help]' \
'-V[Print version]' \
'--version[Print version]' \
'*::records -- Numbers of the records; without any, every tag that is in use is shown:_default' \
&& ret=0
;;
(note)
_arguments "${_arguments_options[@]}" : \
'()--remove=[Take the note of this number away]:NOTE:_default' \
'--json[Print one JSON document on stdout; words for people go to stderr]' \
'-h[Print help]' \
'--help[Print help]' \
'-V[Print version]' \
'--version[Print version]' \
':record -- Number of the record:_default' \
'*::text -- The note; without it, the notes that there are:_default' \
&& ret=0
;;
(delete)
_arguments "${_arguments_options[@]}" : \
'--yes[Do not ask]' \
'--json[Print one JSON document on stdout; words for people go to stderr]' \
'-h[Print help]' \
'--help[Print help]' \
'-V[Print version]' \
'--version[Print version]' \
'*::records -- Numbers of the records:_default' \
&& ret=0
;;
(export)
_arguments "${_arguments_options[@]}" : \
'--csv=[A table as CSV on stdout\: records (the default), samples, intervals, histograms or settings]::TABLE:_default' \
'(--csv)--parquet=[All tables as Parquet into this directory, which is new or empty]:DIR:_files' \
'--host=[Of this host]:NAME:_default' \
'--device=[With this block device on the path\: sda, /dev/nvme0n1]:NAME:_default' \
'--serial=[With the disk of this serial number, wherever it was and whatever its name]:SERIAL:_default' \
'--target=[Of this target, or of one below it]:PATH:_default' \
'--job=[Of this job\: words of it ("randread bs=4k iodepth=32"), or its fingerprint from --json]:WORDS:_default' \
'--kernel=[Made under this kernel release, or one that begins so\: 6.1]:RELEASE:_default' \
'--verb=[Made by this verb\: run, tune, check, watch, import]:VERB:_default' \
'--tag=[With this tag]:TAG:_default' \
'--setting=[With this setting on the path, or with this value of it\: scheduler=none]:NAME[=VALUE]:_default' \
'--since=[Measured since\: 2026-11-21, "2026-11-21 18\:30", or 7d ago]:WHEN:_default' \
'--until=[Measured before]:WHEN:_default' \
'--text=[With this text in summary, target, job, model, tags or notes]:TEXT:_default' \
'()--all[Every record]' \
'--json[Print one JSON document on stdout; words for people go to stderr]' \
'-h[Print help]' \
'--help[Print help]' \
'-V[Print version]' \
'--version[Print version]' \
'*::records -- Numbers of the records:_default' \
&& ret=0
;;
(merge)
_arguments "${_arguments_options[@]}" : \
'--json[Print one JSON document on stdout; words for people go to stderr]' \
'-h[Print help]' \
'--help[Print help]' \
'-V[Print version]' \
'--version[Print version]' \
':other -- The other store\: its file, a backup of it, or its directory:_files' \
&& ret=0
;;
(store)
_arguments "${_arguments_options[@]}" : \
'--json[Print one JSON document on stdout; words for people go to stderr]' \
'-h[Print help]' \
'--help[Print help]' \
'-V[Print version]' \
'--version[Print version]' \
":: :_iodyno__subcmd__store_commands" \
"*::: :->store" \
&& ret=0

    case $state in
    (store)
        words=($line[1] "${words[@]}")
        (( CURRENT += 1 ))
        curcontext="${curcontext%:*:*}:iodyno-store-command-$line[1]:"
        case $line[1] in
            (check)
_arguments "${_arguments_options[@]}" : \
'--json[Print one JSON document on stdout; words for people go to stderr]' \
'-h[Print help]' \
'--help[Print help]' \
'-V[Print version]' \
'--version[Print version]' \
&& ret=0
;;
(backup)
_arguments "${_arguments_options[@]}" : \
'--json[Print one JSON document on stdout; words for people go to stderr]' \
'-h[Print help]' \
'--help[Print help]' \
'-V[Print version]' \
'--version[Print version]' \
':file -- The new file:_files' \
&& ret=0
;;
(help)
_arguments "${_arguments_options[@]}" : \
":: :_iodyno__subcmd__store__subcmd__help_commands" \
"*::: :->help" \
&& ret=0

    case $state in
    (help)
        words=($line[1] "${words[@]}")
        (( CURRENT += 1 ))
        curcontext="${curcontext%:*:*}:iodyno-store-help-command-$line[1]:"
        case $line[1] in
            (check)
_arguments "${_arguments_options[@]}" : \
&& ret=0
;;
(backup)
_arguments "${_arguments_options[@]}" : \
&& ret=0
;;
(help)
_arguments "${_arguments_options[@]}" : \
&& ret=0
;;
        esac
    ;;
esac
;;
        esac
    ;;
esac
;;
(report)
_arguments "${_arguments_options[@]}" : \
'-o+[Where to; the ending says what\: .html, .md, .json, .csv. \`-\` is stdout. By default iodyno-N.html here]:FILE:_files' \
'--output=[Where to; the ending says what\: .html, .md, .json, .csv. \`-\` is stdout. By default iodyno-N.html here]:FILE:_files' \
'--format=[What to write, where the ending does not say]:FORMAT:((html\:"One page with figures, tables and data, that needs no network"
md\:"Words and tables, for tickets"
json\:"The whole record"
csv\:"Every sample, one value a line"))' \
'--figures=[Also write every figure as an SVG file into this directory]:DIR:_files' \
'--force[Replace files that are there]' \
'--json[Print one JSON document on stdout; words for people go to stderr]' \
'-h[Print help (see more with '\''--help'\'')]' \
'--help[Print help (see more with '\''--help'\'')]' \
'-V[Print version]' \
'--version[Print version]' \
'*::records -- Number of the record, as `iodyno list` shows it, or a file that `iodyno show N --json` printed. Several are set side by side on common axes, against the first; then files of other tools are taken as well:_default' \
&& ret=0
;;
(explain)
_arguments "${_arguments_options[@]}" : \
'--json[Print one JSON document on stdout; words for people go to stderr]' \
'-h[Print help]' \
'--help[Print help]' \
'-V[Print version]' \
'--version[Print version]' \
':id -- The thing, as `iodyno catalogue` names it, KIND\:NAME, or what the field calls it\: clat, noop, %util:_default' \
&& ret=0
;;
(catalogue)
_arguments "${_arguments_options[@]}" : \
'--json[Print one JSON document on stdout; words for people go to stderr]' \
'-h[Print help]' \
'--help[Print help]' \
'-V[Print version]' \
'--version[Print version]' \
&& ret=0
;;
(rights)
_arguments "${_arguments_options[@]}" : \
'--json[Print one JSON document on stdout; words for people go to stderr]' \
'-h[Print help]' \
'--help[Print help]' \
'-V[Print version]' \
'--version[Print version]' \
'::verb -- Say it of this verb, with the commands that grant what is missing; without one, of all in short:_default' \
'::target -- On this directory, file or block device:_files' \
&& ret=0
;;
(completions)
_arguments "${_arguments_options[@]}" : \
'--json[Print one JSON document on stdout; words for people go to stderr]' \
'-h[Print help]' \
'--help[Print help]' \
'-V[Print version]' \
'--version[Print version]' \
':shell -- bash, zsh, fish or elvish:(bash elvish fish powershell zsh)' \
&& ret=0
;;
(attend)
_arguments "${_arguments_options[@]}" : \
'--json[Print one JSON document on stdout; words for people go to stderr]' \
'-h[Print help]' \
'--help[Print help]' \
'-V[Print version]' \
'--version[Print version]' \
&& ret=0
;;
(manual)
_arguments "${_arguments_options[@]}" : \
'--list[Print the verbs and the verbs below them, one a line, each with what it does after a tab]' \
'--json[Print one JSON document on stdout; words for people go to stderr]' \
'-h[Print help]' \
'--help[Print help]' \
'-V[Print version]' \
'--version[Print version]' \
'::verb -- The verb whose page is printed; the page of the program without it:_default' \
&& ret=0
;;
(serve-door)
_arguments "${_arguments_options[@]}" : \
'--json[Print one JSON document on stdout; words for people go to stderr]' \
'-h[Print help]' \
'--help[Print help]' \
'-V[Print version]' \
'--version[Print version]' \
&& ret=0
;;
(openapi)
_arguments "${_arguments_options[@]}" : \
'--json[Print one JSON document on stdout; words for people go to stderr]' \
'-h[Print help]' \
'--help[Print help]' \
'-V[Print version]' \
'--version[Print version]' \
&& ret=0
;;
(fill)
_arguments "${_arguments_options[@]}" : \
'--json[Print one JSON document on stdout; words for people go to stderr]' \
'-h[Print help]' \
'--help[Print help]' \
'-V[Print version]' \
'--version[Print version]' \
':bytes -- Its size, in whole blocks of 1 MiB:_default' \
&& ret=0
;;
(help)
_arguments "${_arguments_options[@]}" : \
":: :_iodyno__subcmd__help_commands" \
"*::: :->help" \
&& ret=0

    case $state in
    (help)
        words=($line[1] "${words[@]}")
        (( CURRENT += 1 ))
        curcontext="${curcontext%:*:*}:iodyno-help-command-$line[1]:"
        case $line[1] in
            (inspect)
_arguments "${_arguments_options[@]}" : \
&& ret=0
;;
(diff)
_arguments "${_arguments_options[@]}" : \
&& ret=0
;;
(check)
_arguments "${_arguments_options[@]}" : \
&& ret=0
;;
(run)
_arguments "${_arguments_options[@]}" : \
&& ret=0
;;
(guard)
_arguments "${_arguments_options[@]}" : \
&& ret=0
;;
(watch)
_arguments "${_arguments_options[@]}" : \
&& ret=0
;;
(limit)
_arguments "${_arguments_options[@]}" : \
&& ret=0
;;
(loop)
_arguments "${_arguments_options[@]}" : \
":: :_iodyno__subcmd__help__subcmd__loop_commands" \
"*::: :->loop" \
&& ret=0

    case $state in
    (loop)
        words=($line[1] "${words[@]}")
        (( CURRENT += 1 ))
        curcontext="${curcontext%:*:*}:iodyno-help-loop-command-$line[1]:"
        case $line[1] in
            (create)
_arguments "${_arguments_options[@]}" : \
&& ret=0
;;
(list)
_arguments "${_arguments_options[@]}" : \
&& ret=0
;;
(remove)
_arguments "${_arguments_options[@]}" : \
&& ret=0
;;
        esac
    ;;
esac
;;
(dataset)
_arguments "${_arguments_options[@]}" : \
&& ret=0
;;
(k8s)
_arguments "${_arguments_options[@]}" : \
":: :_iodyno__subcmd__help__subcmd__k8s_commands" \
"*::: :->k8s" \
&& ret=0

    case $state in
    (k8s)
        words=($line[1] "${words[@]}")
        (( CURRENT += 1 ))
        curcontext="${curcontext%:*:*}:iodyno-help-k8s-command-$line[1]:"
        case $line[1] in
            (run)
_arguments "${_arguments_options[@]}" : \
&& ret=0
;;
(check)
_arguments "${_arguments_options[@]}" : \
&& ret=0
;;
(compare)
_arguments "${_arguments_options[@]}" : \
&& ret=0
;;
(in-pod)
_arguments "${_arguments_options[@]}" : \
&& ret=0
;;
        esac
    ;;
esac
;;
(tune)
_arguments "${_arguments_options[@]}" : \
&& ret=0
;;
(boots)
_arguments "${_arguments_options[@]}" : \
&& ret=0
;;
(apply)
_arguments "${_arguments_options[@]}" : \
&& ret=0
;;
(set)
_arguments "${_arguments_options[@]}" : \
&& ret=0
;;
(import)
_arguments "${_arguments_options[@]}" : \
&& ret=0
;;
(undo)
_arguments "${_arguments_options[@]}" : \
&& ret=0
;;
(status)
_arguments "${_arguments_options[@]}" : \
&& ret=0
;;
(fleet)
_arguments "${_arguments_options[@]}" : \
&& ret=0
;;
(serve)
_arguments "${_arguments_options[@]}" : \
&& ret=0
;;
(judge)
_arguments "${_arguments_options[@]}" : \
&& ret=0
;;
(cloud)
_arguments "${_arguments_options[@]}" : \
&& ret=0
;;
(compare)
_arguments "${_arguments_options[@]}" : \
&& ret=0
;;
(history)
_arguments "${_arguments_options[@]}" : \
&& ret=0
;;
(list)
_arguments "${_arguments_options[@]}" : \
&& ret=0
;;
(show)
_arguments "${_arguments_options[@]}" : \
&& ret=0
;;
(tag)
_arguments "${_arguments_options[@]}" : \
&& ret=0
;;
(note)
_arguments "${_arguments_options[@]}" : \
&& ret=0
;;
(delete)
_arguments "${_arguments_options[@]}" : \
&& ret=0
;;
(export)
_arguments "${_arguments_options[@]}" : \
&& ret=0
;;
(merge)
_arguments "${_arguments_options[@]}" : \
&& ret=0
;;
(store)
_arguments "${_arguments_options[@]}" : \
":: :_iodyno__subcmd__help__subcmd__store_commands" \
"*::: :->store" \
&& ret=0

    case $state in
    (store)
        words=($line[1] "${words[@]}")
        (( CURRENT += 1 ))
        curcontext="${curcontext%:*:*}:iodyno-help-store-command-$line[1]:"
        case $line[1] in
            (check)
_arguments "${_arguments_options[@]}" : \
&& ret=0
;;
(backup)
_arguments "${_arguments_options[@]}" : \
&& ret=0
;;
        esac
    ;;
esac
;;
(report)
_arguments "${_arguments_options[@]}" : \
&& ret=0
;;
(explain)
_arguments "${_arguments_options[@]}" : \
&& ret=0
;;
(catalogue)
_arguments "${_arguments_options[@]}" : \
&& ret=0
;;
(rights)
_arguments "${_arguments_options[@]}" : \
&& ret=0
;;
(completions)
_arguments "${_arguments_options[@]}" : \
&& ret=0
;;
(attend)
_arguments "${_arguments_options[@]}" : \
&& ret=0
;;
(manual)
_arguments "${_arguments_options[@]}" : \
&& ret=0
;;
(serve-door)
_arguments "${_arguments_options[@]}" : \
&& ret=0
;;
(openapi)
_arguments "${_arguments_options[@]}" : \
&& ret=0
;;
(fill)
_arguments "${_arguments_options[@]}" : \
&& ret=0
;;
(help)
_arguments "${_arguments_options[@]}" : \
&& ret=0
;;
        esac
    ;;
esac
;;
        esac
    ;;
esac
}

(( $+functions[_iodyno_commands] )) ||
_iodyno_commands() {
    local commands; commands=(
'inspect:Show the I/O path below a target with every setting; changes nothing' \
'diff:What differs between two machines, captures or moments, ranked by how likely it matters; changes nothing' \
'check:Say why a target is slow\: its path, short safe loads, all sensors and all rules; changes no setting without --prove' \
'run:Load a target once and keep the measurement as a record' \
'guard:Visit a target again and again, from a timer\: say what is slower or set otherwise than it was, and what changed with it' \
'watch:Watch every sensor live\: devices, layers, CPUs, interrupts, memory, processes' \
'limit:Show what a limit of a control group holds and what passes it by, and how groups share a disk' \
'loop:Make, list and remove loop devices over files that are really written, with a file system and a unit for systemd' \
'dataset:Read a data set of small files, cold and warm, here and elsewhere in turns, and say which is worth it by how much' \
'k8s:Load and check the storage of a Kubernetes cluster, by storage class, claim, node or host path' \
'tune:Prove by a randomised experiment on the live kernel which setting helps, and put everything back' \
'boots:Show how far a plan of boots is that \`tune --reboot-plan\` has made, or take its next step' \
'apply:Put in place what a tune has proved' \
'set:Put values in place that you choose, without a proof, and keep the old ones for \`undo\`' \
'import:Make records of what other tools measured\: fio, rados bench, iostat and others, also pasted into a page' \
'undo:Put old values back\: after a death, or after \`apply\` or \`set\`' \
'status:Show what iodyno has changed and not yet put back; changes nothing' \
'fleet:Do the same on many hosts at once, over ssh or any command that leads to them, and say which host is different' \
'serve:Serve the web pages and the interface behind them, to a browser on this machine' \
'judge:Let the experiment engine decide for any other system\: JSON lines on stdin and stdout' \
'cloud:Say what a disk of the cloud promises, which type carries a load, and which one a measured rate looks like' \
'compare:Put records and other tools'\'' results side by side, rank devices, hold them against bounds; changes nothing' \
'history:Show one device over time, and where it changed for good; changes nothing' \
'list:List the records\: all, or those of a host, device, job, setting, tag, time' \
'show:Show one record' \
'tag:Put words of your own on records, to find them by' \
'note:Write a sentence of your own on a record' \
'delete:Delete records for good; asks first' \
'export:Write records for other programs\: JSON, CSV, Parquet' \
'merge:Take in the records of another store' \
'store:Say where the records are; check them, or copy them' \
'report:Write a record as one page with figures, as Markdown, JSON or CSV, and its figures as SVG' \
'explain:Explain a knob, a rule, a sensor, an engine, a kernel parameter (sysctl\:vm.dirty_ratio) or a profile of them' \
'catalogue:List everything that \`explain\` knows' \
'rights:Say which rights a verb can make use of here, which are missing, and how to grant them; changes nothing' \
'completions:Print completions for a shell' \
'attend:Answer a \`fleet\` on standard input and output\: what it starts on each host' \
'manual:Print a manual page' \
'serve-door:Listen for a \`serve\`, without any right\: what it starts for itself' \
'openapi:Print the OpenAPI description of what \`serve\` answers' \
'fill:Write a file of noise\: what \`limit\` starts inside a group, whose file it is then' \
'help:Print this message or the help of the given subcommand(s)' \
    )
    _describe -t commands 'iodyno commands' commands "$@"
}
(( $+functions[_iodyno__subcmd__apply_commands] )) ||
_iodyno__subcmd__apply_commands() {
    local commands; commands=()
    _describe -t commands 'iodyno apply commands' commands "$@"
}
(( $+functions[_iodyno__subcmd__attend_commands] )) ||
_iodyno__subcmd__attend_commands() {
    local commands; commands=()
    _describe -t commands 'iodyno attend commands' commands "$@"
}
(( $+functions[_iodyno__subcmd__boots_commands] )) ||
_iodyno__subcmd__boots_commands() {
    local commands; commands=()
    _describe -t commands 'iodyno boots commands' commands "$@"
}
(( $+functions[_iodyno__subcmd__catalogue_commands] )) ||
_iodyno__subcmd__catalogue_commands() {
    local commands; commands=()
    _describe -t commands 'iodyno catalogue commands' commands "$@"
}
(( $+functions[_iodyno__subcmd__check_commands] )) ||
_iodyno__subcmd__check_commands() {
    local commands; commands=()
    _describe -t commands 'iodyno check commands' commands "$@"
}
(( $+functions[_iodyno__subcmd__cloud_commands] )) ||
_iodyno__subcmd__cloud_commands() {
    local commands; commands=()
    _describe -t commands 'iodyno cloud commands' commands "$@"
}
(( $+functions[_iodyno__subcmd__compare_commands] )) ||
_iodyno__subcmd__compare_commands() {
    local commands; commands=()
    _describe -t commands 'iodyno compare commands' commands "$@"
}
(( $+functions[_iodyno__subcmd__completions_commands] )) ||
_iodyno__subcmd__completions_commands() {
    local commands; commands=()
    _describe -t commands 'iodyno completions commands' commands "$@"
}
(( $+functions[_iodyno__subcmd__dataset_commands] )) ||
_iodyno__subcmd__dataset_commands() {
    local commands; commands=()
    _describe -t commands 'iodyno dataset commands' commands "$@"
}
(( $+functions[_iodyno__subcmd__delete_commands] )) ||
_iodyno__subcmd__delete_commands() {
    local commands; commands=()
    _describe -t commands 'iodyno delete commands' commands "$@"
}
(( $+functions[_iodyno__subcmd__diff_commands] )) ||
_iodyno__subcmd__diff_commands() {
    local commands; commands=()
    _describe -t commands 'iodyno diff commands' commands "$@"
}
(( $+functions[_iodyno__subcmd__explain_commands] )) ||
_iodyno__subcmd__explain_commands() {
    local commands; commands=()
    _describe -t commands 'iodyno explain commands' commands "$@"
}
(( $+functions[_iodyno__subcmd__export_commands] )) ||
_iodyno__subcmd__export_commands() {
    local commands; commands=()
    _describe -t commands 'iodyno export commands' commands "$@"
}
(( $+functions[_iodyno__subcmd__fill_commands] )) ||
_iodyno__subcmd__fill_commands() {
    local commands; commands=()
    _describe -t commands 'iodyno fill commands' commands "$@"
}
(( $+functions[_iodyno__subcmd__fleet_commands] )) ||
_iodyno__subcmd__fleet_commands() {
    local commands; commands=()
    _describe -t commands 'iodyno fleet commands' commands "$@"
}
(( $+functions[_iodyno__subcmd__guard_commands] )) ||
_iodyno__subcmd__guard_commands() {
    local commands; commands=()
    _describe -t commands 'iodyno guard commands' commands "$@"
}
(( $+functions[_iodyno__subcmd__help_commands] )) ||
_iodyno__subcmd__help_commands() {
    local commands; commands=(
'inspect:Show the I/O path below a target with every setting; changes nothing' \
'diff:What differs between two machines, captures or moments, ranked by how likely it matters; changes nothing' \
'check:Say why a target is slow\: its path, short safe loads, all sensors and all rules; changes no setting without --prove' \
'run:Load a target once and keep the measurement as a record' \
'guard:Visit a target again and again, from a timer\: say what is slower or set otherwise than it was, and what changed with it' \
'watch:Watch every sensor live\: devices, layers, CPUs, interrupts, memory, processes' \
'limit:Show what a limit of a control group holds and what passes it by, and how groups share a disk' \
'loop:Make, list and remove loop devices over files that are really written, with a file system and a unit for systemd' \
'dataset:Read a data set of small files, cold and warm, here and elsewhere in turns, and say which is worth it by how much' \
'k8s:Load and check the storage of a Kubernetes cluster, by storage class, claim, node or host path' \
'tune:Prove by a randomised experiment on the live kernel which setting helps, and put everything back' \
'boots:Show how far a plan of boots is that \`tune --reboot-plan\` has made, or take its next step' \
'apply:Put in place what a tune has proved' \
'set:Put values in place that you choose, without a proof, and keep the old ones for \`undo\`' \
'import:Make records of what other tools measured\: fio, rados bench, iostat and others, also pasted into a page' \
'undo:Put old values back\: after a death, or after \`apply\` or \`set\`' \
'status:Show what iodyno has changed and not yet put back; changes nothing' \
'fleet:Do the same on many hosts at once, over ssh or any command that leads to them, and say which host is different' \
'serve:Serve the web pages and the interface behind them, to a browser on this machine' \
'judge:Let the experiment engine decide for any other system\: JSON lines on stdin and stdout' \
'cloud:Say what a disk of the cloud promises, which type carries a load, and which one a measured rate looks like' \
'compare:Put records and other tools'\'' results side by side, rank devices, hold them against bounds; changes nothing' \
'history:Show one device over time, and where it changed for good; changes nothing' \
'list:List the records\: all, or those of a host, device, job, setting, tag, time' \
'show:Show one record' \
'tag:Put words of your own on records, to find them by' \
'note:Write a sentence of your own on a record' \
'delete:Delete records for good; asks first' \
'export:Write records for other programs\: JSON, CSV, Parquet' \
'merge:Take in the records of another store' \
'store:Say where the records are; check them, or copy them' \
'report:Write a record as one page with figures, as Markdown, JSON or CSV, and its figures as SVG' \
'explain:Explain a knob, a rule, a sensor, an engine, a kernel parameter (sysctl\:vm.dirty_ratio) or a profile of them' \
'catalogue:List everything that \`explain\` knows' \
'rights:Say which rights a verb can make use of here, which are missing, and how to grant them; changes nothing' \
'completions:Print completions for a shell' \
'attend:Answer a \`fleet\` on standard input and output\: what it starts on each host' \
'manual:Print a manual page' \
'serve-door:Listen for a \`serve\`, without any right\: what it starts for itself' \
'openapi:Print the OpenAPI description of what \`serve\` answers' \
'fill:Write a file of noise\: what \`limit\` starts inside a group, whose file it is then' \
'help:Print this message or the help of the given subcommand(s)' \
    )
    _describe -t commands 'iodyno help commands' commands "$@"
}
(( $+functions[_iodyno__subcmd__help__subcmd__apply_commands] )) ||
_iodyno__subcmd__help__subcmd__apply_commands() {
    local commands; commands=()
    _describe -t commands 'iodyno help apply commands' commands "$@"
}
(( $+functions[_iodyno__subcmd__help__subcmd__attend_commands] )) ||
_iodyno__subcmd__help__subcmd__attend_commands() {
    local commands; commands=()
    _describe -t commands 'iodyno help attend commands' commands "$@"
}
(( $+functions[_iodyno__subcmd__help__subcmd__boots_commands] )) ||
_iodyno__subcmd__help__subcmd__boots_commands() {
    local commands; commands=()
    _describe -t commands 'iodyno help boots commands' commands "$@"
}
(( $+functions[_iodyno__subcmd__help__subcmd__catalogue_commands] )) ||
_iodyno__subcmd__help__subcmd__catalogue_commands() {
    local commands; commands=()
    _describe -t commands 'iodyno help catalogue commands' commands "$@"
}
(( $+functions[_iodyno__subcmd__help__subcmd__check_commands] )) ||
_iodyno__subcmd__help__subcmd__check_commands() {
    local commands; commands=()
    _describe -t commands 'iodyno help check commands' commands "$@"
}
(( $+functions[_iodyno__subcmd__help__subcmd__cloud_commands] )) ||
_iodyno__subcmd__help__subcmd__cloud_commands() {
    local commands; commands=()
    _describe -t commands 'iodyno help cloud commands' commands "$@"
}
(( $+functions[_iodyno__subcmd__help__subcmd__compare_commands] )) ||
_iodyno__subcmd__help__subcmd__compare_commands() {
    local commands; commands=()
    _describe -t commands 'iodyno help compare commands' commands "$@"
}
(( $+functions[_iodyno__subcmd__help__subcmd__completions_commands] )) ||
_iodyno__subcmd__help__subcmd__completions_commands() {
    local commands; commands=()
    _describe -t commands 'iodyno help completions commands' commands "$@"
}
(( $+functions[_iodyno__subcmd__help__subcmd__dataset_commands] )) ||
_iodyno__subcmd__help__subcmd__dataset_commands() {
    local commands; commands=()
    _describe -t commands 'iodyno help dataset commands' commands "$@"
}
(( $+functions[_iodyno__subcmd__help__subcmd__delete_commands] )) ||
_iodyno__subcmd__help__subcmd__delete_commands() {
    local commands; commands=()
    _describe -t commands 'iodyno help delete commands' commands "$@"
}
(( $+functions[_iodyno__subcmd__help__subcmd__diff_commands] )) ||
_iodyno__subcmd__help__subcmd__diff_commands() {
    local commands; commands=()
    _describe -t commands 'iodyno help diff commands' commands "$@"
}
(( $+functions[_iodyno__subcmd__help__subcmd__explain_commands] )) ||
_iodyno__subcmd__help__subcmd__explain_commands() {
    local commands; commands=()
    _describe -t commands 'iodyno help explain commands' commands "$@"
}
(( $+functions[_iodyno__subcmd__help__subcmd__export_commands] )) ||
_iodyno__subcmd__help__subcmd__export_commands() {
    local commands; commands=()
    _describe -t commands 'iodyno help export commands' commands "$@"
}
(( $+functions[_iodyno__subcmd__help__subcmd__fill_commands] )) ||
_iodyno__subcmd__help__subcmd__fill_commands() {
    local commands; commands=()
    _describe -t commands 'iodyno help fill commands' commands "$@"
}
(( $+functions[_iodyno__subcmd__help__subcmd__fleet_commands] )) ||
_iodyno__subcmd__help__subcmd__fleet_commands() {
    local commands; commands=()
    _describe -t commands 'iodyno help fleet commands' commands "$@"
}
(( $+functions[_iodyno__subcmd__help__subcmd__guard_commands] )) ||
_iodyno__subcmd__help__subcmd__guard_commands() {
    local commands; commands=()
    _describe -t commands 'iodyno help guard commands' commands "$@"
}
(( $+functions[_iodyno__subcmd__help__subcmd__help_commands] )) ||
_iodyno__subcmd__help__subcmd__help_commands() {
    local commands; commands=()
    _describe -t commands 'iodyno help help commands' commands "$@"
}
(( $+functions[_iodyno__subcmd__help__subcmd__history_commands] )) ||
_iodyno__subcmd__help__subcmd__history_commands() {
    local commands; commands=()
    _describe -t commands 'iodyno help history commands' commands "$@"
}
(( $+functions[_iodyno__subcmd__help__subcmd__import_commands] )) ||
_iodyno__subcmd__help__subcmd__import_commands() {
    local commands; commands=()
    _describe -t commands 'iodyno help import commands' commands "$@"
}
(( $+functions[_iodyno__subcmd__help__subcmd__inspect_commands] )) ||
_iodyno__subcmd__help__subcmd__inspect_commands() {
    local commands; commands=()
    _describe -t commands 'iodyno help inspect commands' commands "$@"
}
(( $+functions[_iodyno__subcmd__help__subcmd__judge_commands] )) ||
_iodyno__subcmd__help__subcmd__judge_commands() {
    local commands; commands=()
    _describe -t commands 'iodyno help judge commands' commands "$@"
}
(( $+functions[_iodyno__subcmd__help__subcmd__k8s_commands] )) ||
_iodyno__subcmd__help__subcmd__k8s_commands() {
    local commands; commands=(
'run:Load one place of a cluster from a pod, as \`iodyno run\` does, and keep the measurement as a record' \
'check:Say why the storage of a pod is slow, as \`iodyno check\` does, at one place or on every node' \
'compare:Load several places in turns, in rounds of random order, and say by how much they differ' \
'in-pod:What runs in the pod' \
    )
    _describe -t commands 'iodyno help k8s commands' commands "$@"
}
(( $+functions[_iodyno__subcmd__help__subcmd__k8s__subcmd__check_commands] )) ||
_iodyno__subcmd__help__subcmd__k8s__subcmd__check_commands() {
    local commands; commands=()
    _describe -t commands 'iodyno help k8s check commands' commands "$@"
}
(( $+functions[_iodyno__subcmd__help__subcmd__k8s__subcmd__compare_commands] )) ||
_iodyno__subcmd__help__subcmd__k8s__subcmd__compare_commands() {
    local commands; commands=()
    _describe -t commands 'iodyno help k8s compare commands' commands "$@"
}
(( $+functions[_iodyno__subcmd__help__subcmd__k8s__subcmd__in-pod_commands] )) ||
_iodyno__subcmd__help__subcmd__k8s__subcmd__in-pod_commands() {
    local commands; commands=()
    _describe -t commands 'iodyno help k8s in-pod commands' commands "$@"
}
(( $+functions[_iodyno__subcmd__help__subcmd__k8s__subcmd__run_commands] )) ||
_iodyno__subcmd__help__subcmd__k8s__subcmd__run_commands() {
    local commands; commands=()
    _describe -t commands 'iodyno help k8s run commands' commands "$@"
}
(( $+functions[_iodyno__subcmd__help__subcmd__limit_commands] )) ||
_iodyno__subcmd__help__subcmd__limit_commands() {
    local commands; commands=()
    _describe -t commands 'iodyno help limit commands' commands "$@"
}
(( $+functions[_iodyno__subcmd__help__subcmd__list_commands] )) ||
_iodyno__subcmd__help__subcmd__list_commands() {
    local commands; commands=()
    _describe -t commands 'iodyno help list commands' commands "$@"
}
(( $+functions[_iodyno__subcmd__help__subcmd__loop_commands] )) ||
_iodyno__subcmd__help__subcmd__loop_commands() {
    local commands; commands=(
'create:Write a file in full, set a loop device up over it, make a file system on it and mount it' \
'list:Show the loop devices that iodyno made with what is wrong with them, and the others in a line each; changes nothing' \
'remove:Take a loop device away that iodyno made\: its mount, device, unit and file' \
    )
    _describe -t commands 'iodyno help loop commands' commands "$@"
}
(( $+functions[_iodyno__subcmd__help__subcmd__loop__subcmd__create_commands] )) ||
_iodyno__subcmd__help__subcmd__loop__subcmd__create_commands() {
    local commands; commands=()
    _describe -t commands 'iodyno help loop create commands' commands "$@"
}
(( $+functions[_iodyno__subcmd__help__subcmd__loop__subcmd__list_commands] )) ||
_iodyno__subcmd__help__subcmd__loop__subcmd__list_commands() {
    local commands; commands=()
    _describe -t commands 'iodyno help loop list commands' commands "$@"
}
(( $+functions[_iodyno__subcmd__help__subcmd__loop__subcmd__remove_commands] )) ||
_iodyno__subcmd__help__subcmd__loop__subcmd__remove_commands() {
    local commands; commands=()
    _describe -t commands 'iodyno help loop remove commands' commands "$@"
}
(( $+functions[_iodyno__subcmd__help__subcmd__manual_commands] )) ||
_iodyno__subcmd__help__subcmd__manual_commands() {
    local commands; commands=()
    _describe -t commands 'iodyno help manual commands' commands "$@"
}
(( $+functions[_iodyno__subcmd__help__subcmd__merge_commands] )) ||
_iodyno__subcmd__help__subcmd__merge_commands() {
    local commands; commands=()
    _describe -t commands 'iodyno help merge commands' commands "$@"
}
(( $+functions[_iodyno__subcmd__help__subcmd__note_commands] )) ||
_iodyno__subcmd__help__subcmd__note_commands() {
    local commands; commands=()
    _describe -t commands 'iodyno help note commands' commands "$@"
}
(( $+functions[_iodyno__subcmd__help__subcmd__openapi_commands] )) ||
_iodyno__subcmd__help__subcmd__openapi_commands() {
    local commands; commands=()
    _describe -t commands 'iodyno help openapi commands' commands "$@"
}
(( $+functions[_iodyno__subcmd__help__subcmd__report_commands] )) ||
_iodyno__subcmd__help__subcmd__report_commands() {
    local commands; commands=()
    _describe -t commands 'iodyno help report commands' commands "$@"
}
(( $+functions[_iodyno__subcmd__help__subcmd__rights_commands] )) ||
_iodyno__subcmd__help__subcmd__rights_commands() {
    local commands; commands=()
    _describe -t commands 'iodyno help rights commands' commands "$@"
}
(( $+functions[_iodyno__subcmd__help__subcmd__run_commands] )) ||
_iodyno__subcmd__help__subcmd__run_commands() {
    local commands; commands=()
    _describe -t commands 'iodyno help run commands' commands "$@"
}
(( $+functions[_iodyno__subcmd__help__subcmd__serve_commands] )) ||
_iodyno__subcmd__help__subcmd__serve_commands() {
    local commands; commands=()
    _describe -t commands 'iodyno help serve commands' commands "$@"
}
(( $+functions[_iodyno__subcmd__help__subcmd__serve-door_commands] )) ||
_iodyno__subcmd__help__subcmd__serve-door_commands() {
    local commands; commands=()
    _describe -t commands 'iodyno help serve-door commands' commands "$@"
}
(( $+functions[_iodyno__subcmd__help__subcmd__set_commands] )) ||
_iodyno__subcmd__help__subcmd__set_commands() {
    local commands; commands=()
    _describe -t commands 'iodyno help set commands' commands "$@"
}
(( $+functions[_iodyno__subcmd__help__subcmd__show_commands] )) ||
_iodyno__subcmd__help__subcmd__show_commands() {
    local commands; commands=()
    _describe -t commands 'iodyno help show commands' commands "$@"
}
(( $+functions[_iodyno__subcmd__help__subcmd__status_commands] )) ||
_iodyno__subcmd__help__subcmd__status_commands() {
    local commands; commands=()
    _describe -t commands 'iodyno help status commands' commands "$@"
}
(( $+functions[_iodyno__subcmd__help__subcmd__store_commands] )) ||
_iodyno__subcmd__help__subcmd__store_commands() {
    local commands; commands=(
'check:Look at every page and every record; changes nothing' \
'backup:Copy the store into a new file while it is in use' \
    )
    _describe -t commands 'iodyno help store commands' commands "$@"
}
(( $+functions[_iodyno__subcmd__help__subcmd__store__subcmd__backup_commands] )) ||
_iodyno__subcmd__help__subcmd__store__subcmd__backup_commands() {
    local commands; commands=()
    _describe -t commands 'iodyno help store backup commands' commands "$@"
}
(( $+functions[_iodyno__subcmd__help__subcmd__store__subcmd__check_commands] )) ||
_iodyno__subcmd__help__subcmd__store__subcmd__check_commands() {
    local commands; commands=()
    _describe -t commands 'iodyno help store check commands' commands "$@"
}
(( $+functions[_iodyno__subcmd__help__subcmd__tag_commands] )) ||
_iodyno__subcmd__help__subcmd__tag_commands() {
    local commands; commands=()
    _describe -t commands 'iodyno help tag commands' commands "$@"
}
(( $+functions[_iodyno__subcmd__help__subcmd__tune_commands] )) ||
_iodyno__subcmd__help__subcmd__tune_commands() {
    local commands; commands=()
    _describe -t commands 'iodyno help tune commands' commands "$@"
}
(( $+functions[_iodyno__subcmd__help__subcmd__undo_commands] )) ||
_iodyno__subcmd__help__subcmd__undo_commands() {
    local commands; commands=()
    _describe -t commands 'iodyno help undo commands' commands "$@"
}
(( $+functions[_iodyno__subcmd__help__subcmd__watch_commands] )) ||
_iodyno__subcmd__help__subcmd__watch_commands() {
    local commands; commands=()
    _describe -t commands 'iodyno help watch commands' commands "$@"
}
(( $+functions[_iodyno__subcmd__history_commands] )) ||
_iodyno__subcmd__history_commands() {
    local commands; commands=()
    _describe -t commands 'iodyno history commands' commands "$@"
}
(( $+functions[_iodyno__subcmd__import_commands] )) ||
_iodyno__subcmd__import_commands() {
    local commands; commands=()
    _describe -t commands 'iodyno import commands' commands "$@"
}
(( $+functions[_iodyno__subcmd__inspect_commands] )) ||
_iodyno__subcmd__inspect_commands() {
    local commands; commands=()
    _describe -t commands 'iodyno inspect commands' commands "$@"
}
(( $+functions[_iodyno__subcmd__judge_commands] )) ||
_iodyno__subcmd__judge_commands() {
    local commands; commands=()
    _describe -t commands 'iodyno judge commands' commands "$@"
}
(( $+functions[_iodyno__subcmd__k8s_commands] )) ||
_iodyno__subcmd__k8s_commands() {
    local commands; commands=(
'run:Load one place of a cluster from a pod, as \`iodyno run\` does, and keep the measurement as a record' \
'check:Say why the storage of a pod is slow, as \`iodyno check\` does, at one place or on every node' \
'compare:Load several places in turns, in rounds of random order, and say by how much they differ' \
'in-pod:What runs in the pod' \
'help:Print this message or the help of the given subcommand(s)' \
    )
    _describe -t commands 'iodyno k8s commands' commands "$@"
}
(( $+functions[_iodyno__subcmd__k8s__subcmd__check_commands] )) ||
_iodyno__subcmd__k8s__subcmd__check_commands() {
    local commands; commands=()
    _describe -t commands 'iodyno k8s check commands' commands "$@"
}
(( $+functions[_iodyno__subcmd__k8s__subcmd__compare_commands] )) ||
_iodyno__subcmd__k8s__subcmd__compare_commands() {
    local commands; commands=()
    _describe -t commands 'iodyno k8s compare commands' commands "$@"
}
(( $+functions[_iodyno__subcmd__k8s__subcmd__help_commands] )) ||
_iodyno__subcmd__k8s__subcmd__help_commands() {
    local commands; commands=(
'run:Load one place of a cluster from a pod, as \`iodyno run\` does, and keep the measurement as a record' \
'check:Say why the storage of a pod is slow, as \`iodyno check\` does, at one place or on every node' \
'compare:Load several places in turns, in rounds of random order, and say by how much they differ' \
'in-pod:What runs in the pod' \
'help:Print this message or the help of the given subcommand(s)' \
    )
    _describe -t commands 'iodyno k8s help commands' commands "$@"
}
(( $+functions[_iodyno__subcmd__k8s__subcmd__help__subcmd__check_commands] )) ||
_iodyno__subcmd__k8s__subcmd__help__subcmd__check_commands() {
    local commands; commands=()
    _describe -t commands 'iodyno k8s help check commands' commands "$@"
}
(( $+functions[_iodyno__subcmd__k8s__subcmd__help__subcmd__compare_commands] )) ||
_iodyno__subcmd__k8s__subcmd__help__subcmd__compare_commands() {
    local commands; commands=()
    _describe -t commands 'iodyno k8s help compare commands' commands "$@"
}
(( $+functions[_iodyno__subcmd__k8s__subcmd__help__subcmd__help_commands] )) ||
_iodyno__subcmd__k8s__subcmd__help__subcmd__help_commands() {
    local commands; commands=()
    _describe -t commands 'iodyno k8s help help commands' commands "$@"
}
(( $+functions[_iodyno__subcmd__k8s__subcmd__help__subcmd__in-pod_commands] )) ||
_iodyno__subcmd__k8s__subcmd__help__subcmd__in-pod_commands() {
    local commands; commands=()
    _describe -t commands 'iodyno k8s help in-pod commands' commands "$@"
}
(( $+functions[_iodyno__subcmd__k8s__subcmd__help__subcmd__run_commands] )) ||
_iodyno__subcmd__k8s__subcmd__help__subcmd__run_commands() {
    local commands; commands=()
    _describe -t commands 'iodyno k8s help run commands' commands "$@"
}
(( $+functions[_iodyno__subcmd__k8s__subcmd__in-pod_commands] )) ||
_iodyno__subcmd__k8s__subcmd__in-pod_commands() {
    local commands; commands=()
    _describe -t commands 'iodyno k8s in-pod commands' commands "$@"
}
(( $+functions[_iodyno__subcmd__k8s__subcmd__run_commands] )) ||
_iodyno__subcmd__k8s__subcmd__run_commands() {
    local commands; commands=()
    _describe -t commands 'iodyno k8s run commands' commands "$@"
}
(( $+functions[_iodyno__subcmd__limit_commands] )) ||
_iodyno__subcmd__limit_commands() {
    local commands; commands=()
    _describe -t commands 'iodyno limit commands' commands "$@"
}
(( $+functions[_iodyno__subcmd__list_commands] )) ||
_iodyno__subcmd__list_commands() {
    local commands; commands=()
    _describe -t commands 'iodyno list commands' commands "$@"
}
(( $+functions[_iodyno__subcmd__loop_commands] )) ||
_iodyno__subcmd__loop_commands() {
    local commands; commands=(
'create:Write a file in full, set a loop device up over it, make a file system on it and mount it' \
'list:Show the loop devices that iodyno made with what is wrong with them, and the others in a line each; changes nothing' \
'remove:Take a loop device away that iodyno made\: its mount, device, unit and file' \
'help:Print this message or the help of the given subcommand(s)' \
    )
    _describe -t commands 'iodyno loop commands' commands "$@"
}
(( $+functions[_iodyno__subcmd__loop__subcmd__create_commands] )) ||
_iodyno__subcmd__loop__subcmd__create_commands() {
    local commands; commands=()
    _describe -t commands 'iodyno loop create commands' commands "$@"
}
(( $+functions[_iodyno__subcmd__loop__subcmd__help_commands] )) ||
_iodyno__subcmd__loop__subcmd__help_commands() {
    local commands; commands=(
'create:Write a file in full, set a loop device up over it, make a file system on it and mount it' \
'list:Show the loop devices that iodyno made with what is wrong with them, and the others in a line each; changes nothing' \
'remove:Take a loop device away that iodyno made\: its mount, device, unit and file' \
'help:Print this message or the help of the given subcommand(s)' \
    )
    _describe -t commands 'iodyno loop help commands' commands "$@"
}
(( $+functions[_iodyno__subcmd__loop__subcmd__help__subcmd__create_commands] )) ||
_iodyno__subcmd__loop__subcmd__help__subcmd__create_commands() {
    local commands; commands=()
    _describe -t commands 'iodyno loop help create commands' commands "$@"
}
(( $+functions[_iodyno__subcmd__loop__subcmd__help__subcmd__help_commands] )) ||
_iodyno__subcmd__loop__subcmd__help__subcmd__help_commands() {
    local commands; commands=()
    _describe -t commands 'iodyno loop help help commands' commands "$@"
}
(( $+functions[_iodyno__subcmd__loop__subcmd__help__subcmd__list_commands] )) ||
_iodyno__subcmd__loop__subcmd__help__subcmd__list_commands() {
    local commands; commands=()
    _describe -t commands 'iodyno loop help list commands' commands "$@"
}
(( $+functions[_iodyno__subcmd__loop__subcmd__help__subcmd__remove_commands] )) ||
_iodyno__subcmd__loop__subcmd__help__subcmd__remove_commands() {
    local commands; commands=()
    _describe -t commands 'iodyno loop help remove commands' commands "$@"
}
(( $+functions[_iodyno__subcmd__loop__subcmd__list_commands] )) ||
_iodyno__subcmd__loop__subcmd__list_commands() {
    local commands; commands=()
    _describe -t commands 'iodyno loop list commands' commands "$@"
}
(( $+functions[_iodyno__subcmd__loop__subcmd__remove_commands] )) ||
_iodyno__subcmd__loop__subcmd__remove_commands() {
    local commands; commands=()
    _describe -t commands 'iodyno loop remove commands' commands "$@"
}
(( $+functions[_iodyno__subcmd__manual_commands] )) ||
_iodyno__subcmd__manual_commands() {
    local commands; commands=()
    _describe -t commands 'iodyno manual commands' commands "$@"
}
(( $+functions[_iodyno__subcmd__merge_commands] )) ||
_iodyno__subcmd__merge_commands() {
    local commands; commands=()
    _describe -t commands 'iodyno merge commands' commands "$@"
}
(( $+functions[_iodyno__subcmd__note_commands] )) ||
_iodyno__subcmd__note_commands() {
    local commands; commands=()
    _describe -t commands 'iodyno note commands' commands "$@"
}
(( $+functions[_iodyno__subcmd__openapi_commands] )) ||
_iodyno__subcmd__openapi_commands() {
    local commands; commands=()
    _describe -t commands 'iodyno openapi commands' commands "$@"
}
(( $+functions[_iodyno__subcmd__report_commands] )) ||
_iodyno__subcmd__report_commands() {
    local commands; commands=()
    _describe -t commands 'iodyno report commands' commands "$@"
}
(( $+functions[_iodyno__subcmd__rights_commands] )) ||
_iodyno__subcmd__rights_commands() {
    local commands; commands=()
    _describe -t commands 'iodyno rights commands' commands "$@"
}
(( $+functions[_iodyno__subcmd__run_commands] )) ||
_iodyno__subcmd__run_commands() {
    local commands; commands=()
    _describe -t commands 'iodyno run commands' commands "$@"
}
(( $+functions[_iodyno__subcmd__serve_commands] )) ||
_iodyno__subcmd__serve_commands() {
    local commands; commands=()
    _describe -t commands 'iodyno serve commands' commands "$@"
}
(( $+functions[_iodyno__subcmd__serve-door_commands] )) ||
_iodyno__subcmd__serve-door_commands() {
    local commands; commands=()
    _describe -t commands 'iodyno serve-door commands' commands "$@"
}
(( $+functions[_iodyno__subcmd__set_commands] )) ||
_iodyno__subcmd__set_commands() {
    local commands; commands=()
    _describe -t commands 'iodyno set commands' commands "$@"
}
(( $+functions[_iodyno__subcmd__show_commands] )) ||
_iodyno__subcmd__show_commands() {
    local commands; commands=()
    _describe -t commands 'iodyno show commands' commands "$@"
}
(( $+functions[_iodyno__subcmd__status_commands] )) ||
_iodyno__subcmd__status_commands() {
    local commands; commands=()
    _describe -t commands 'iodyno status commands' commands "$@"
}
(( $+functions[_iodyno__subcmd__store_commands] )) ||
_iodyno__subcmd__store_commands() {
    local commands; commands=(
'check:Look at every page and every record; changes nothing' \
'backup:Copy the store into a new file while it is in use' \
'help:Print this message or the help of the given subcommand(s)' \
    )
    _describe -t commands 'iodyno store commands' commands "$@"
}
(( $+functions[_iodyno__subcmd__store__subcmd__backup_commands] )) ||
_iodyno__subcmd__store__subcmd__backup_commands() {
    local commands; commands=()
    _describe -t commands 'iodyno store backup commands' commands "$@"
}
(( $+functions[_iodyno__subcmd__store__subcmd__check_commands] )) ||
_iodyno__subcmd__store__subcmd__check_commands() {
    local commands; commands=()
    _describe -t commands 'iodyno store check commands' commands "$@"
}
(( $+functions[_iodyno__subcmd__store__subcmd__help_commands] )) ||
_iodyno__subcmd__store__subcmd__help_commands() {
    local commands; commands=(
'check:Look at every page and every record; changes nothing' \
'backup:Copy the store into a new file while it is in use' \
'help:Print this message or the help of the given subcommand(s)' \
    )
    _describe -t commands 'iodyno store help commands' commands "$@"
}
(( $+functions[_iodyno__subcmd__store__subcmd__help__subcmd__backup_commands] )) ||
_iodyno__subcmd__store__subcmd__help__subcmd__backup_commands() {
    local commands; commands=()
    _describe -t commands 'iodyno store help backup commands' commands "$@"
}
(( $+functions[_iodyno__subcmd__store__subcmd__help__subcmd__check_commands] )) ||
_iodyno__subcmd__store__subcmd__help__subcmd__check_commands() {
    local commands; commands=()
    _describe -t commands 'iodyno store help check commands' commands "$@"
}
(( $+functions[_iodyno__subcmd__store__subcmd__help__subcmd__help_commands] )) ||
_iodyno__subcmd__store__subcmd__help__subcmd__help_commands() {
    local commands; commands=()
    _describe -t commands 'iodyno store help help commands' commands "$@"
}
(( $+functions[_iodyno__subcmd__tag_commands] )) ||
_iodyno__subcmd__tag_commands() {
    local commands; commands=()
    _describe -t commands 'iodyno tag commands' commands "$@"
}
(( $+functions[_iodyno__subcmd__tune_commands] )) ||
_iodyno__subcmd__tune_commands() {
    local commands; commands=()
    _describe -t commands 'iodyno tune commands' commands "$@"
}
(( $+functions[_iodyno__subcmd__undo_commands] )) ||
_iodyno__subcmd__undo_commands() {
    local commands; commands=()
    _describe -t commands 'iodyno undo commands' commands "$@"
}
(( $+functions[_iodyno__subcmd__watch_commands] )) ||
_iodyno__subcmd__watch_commands() {
    local commands; commands=()
    _describe -t commands 'iodyno watch commands' commands "$@"
}

if [ "$funcstack[1]" = "_iodyno" ]; then
    _iodyno "$@"
else
    compdef _iodyno iodyno
fi
