# Print an optspec for argparse to handle cmd's options that are independent of any subcommand.
function __fish_iodyno_global_optspecs
    string join \n json h/help V/version
end

function __fish_iodyno_needs_command
    # Figure out if the current invocation already has a command.
    set -l cmd (commandline -opc)
    set -e cmd[1]
    argparse -s (__fish_iodyno_global_optspecs) -- $cmd 2>/dev/null
    or return
    if set -q argv[1]
        # Also print the command, so this can be used to figure out what it is.
        echo $argv[1]
        return 1
    end
    return 0
end

function __fish_iodyno_using_subcommand
    set -l cmd (__fish_iodyno_needs_command)
    test -z "$cmd"
    and return 1
    contains -- $cmd[1] $argv
end

complete -c iodyno -n "__fish_iodyno_needs_command" -l json -d 'Print one JSON document on stdout; words for people go to stderr'
complete -c iodyno -n "__fish_iodyno_needs_command" -s h -l help -d 'Print help'
complete -c iodyno -n "__fish_iodyno_needs_command" -s V -l version -d 'Print version'
complete -c iodyno -n "__fish_iodyno_needs_command" -f -a "inspect" -d 'Show the I/O path below a target with every setting; changes nothing'
complete -c iodyno -n "__fish_iodyno_needs_command" -f -a "diff" -d 'What differs between two machines, captures or moments, ranked by how likely it matters; changes nothing'
complete -c iodyno -n "__fish_iodyno_needs_command" -f -a "check" -d 'Say why a target is slow: its path, short safe loads, all sensors and all rules; changes no setting without --prove'
complete -c iodyno -n "__fish_iodyno_needs_command" -f -a "run" -d 'Load a target once and keep the measurement as a record'
complete -c iodyno -n "__fish_iodyno_needs_command" -f -a "guard" -d 'Visit a target again and again, from a timer: say what is slower or set otherwise than it was, and what changed with it'
complete -c iodyno -n "__fish_iodyno_needs_command" -f -a "watch" -d 'Watch every sensor live: devices, layers, CPUs, interrupts, memory, processes'
complete -c iodyno -n "__fish_iodyno_needs_command" -f -a "limit" -d 'Show what a limit of a control group holds and what passes it by, and how groups share a disk'
complete -c iodyno -n "__fish_iodyno_needs_command" -f -a "loop" -d 'Make, list and remove loop devices over files that are really written, with a file system and a unit for systemd'
complete -c iodyno -n "__fish_iodyno_needs_command" -f -a "dataset" -d 'Read a data set of small files, cold and warm, here and elsewhere in turns, and say which is worth it by how much'
complete -c iodyno -n "__fish_iodyno_needs_command" -f -a "k8s" -d 'Load and check the storage of a Kubernetes cluster, by storage class, claim, node or host path'
complete -c iodyno -n "__fish_iodyno_needs_command" -f -a "tune" -d 'Prove by a randomised experiment on the live kernel which setting helps, and put everything back'
complete -c iodyno -n "__fish_iodyno_needs_command" -f -a "boots" -d 'Show how far a plan of boots is that `tune --reboot-plan` has made, or take its next step'
complete -c iodyno -n "__fish_iodyno_needs_command" -f -a "apply" -d 'Put in place what a tune has proved'
complete -c iodyno -n "__fish_iodyno_needs_command" -f -a "set" -d 'Put values in place that you choose, without a proof, and keep the old ones for `undo`'
complete -c iodyno -n "__fish_iodyno_needs_command" -f -a "import" -d 'Make records of what other tools measured: fio, rados bench, iostat and others, also pasted into a page'
complete -c iodyno -n "__fish_iodyno_needs_command" -f -a "undo" -d 'Put old values back: after a death, or after `apply` or `set`'
complete -c iodyno -n "__fish_iodyno_needs_command" -f -a "status" -d 'Show what iodyno has changed and not yet put back; changes nothing'
complete -c iodyno -n "__fish_iodyno_needs_command" -f -a "fleet" -d 'Do the same on many hosts at once, over ssh or any command that leads to them, and say which host is different'
complete -c iodyno -n "__fish_iodyno_needs_command" -f -a "serve" -d 'Serve the web pages and the interface behind them, to a browser on this machine'
complete -c iodyno -n "__fish_iodyno_needs_command" -f -a "judge" -d 'Let the experiment engine decide for any other system: JSON lines on stdin and stdout'
complete -c iodyno -n "__fish_iodyno_needs_command" -f -a "cloud" -d 'Say what a disk of the cloud promises, which type carries a load, and which one a measured rate looks like'
complete -c iodyno -n "__fish_iodyno_needs_command" -f -a "compare" -d 'Put records and other tools\' results side by side, rank devices, hold them against bounds; changes nothing'
complete -c iodyno -n "__fish_iodyno_needs_command" -f -a "history" -d 'Show one device over time, and where it changed for good; changes nothing'
complete -c iodyno -n "__fish_iodyno_needs_command" -f -a "list" -d 'List the records: all, or those of a host, device, job, setting, tag, time'
complete -c iodyno -n "__fish_iodyno_needs_command" -f -a "show" -d 'Show one record'
complete -c iodyno -n "__fish_iodyno_needs_command" -f -a "tag" -d 'Put words of your own on records, to find them by'
complete -c iodyno -n "__fish_iodyno_needs_command" -f -a "note" -d 'Write a sentence of your own on a record'
complete -c iodyno -n "__fish_iodyno_needs_command" -f -a "delete" -d 'Delete records for good; asks first'
complete -c iodyno -n "__fish_iodyno_needs_command" -f -a "export" -d 'Write records for other programs: JSON, CSV, Parquet'
complete -c iodyno -n "__fish_iodyno_needs_command" -f -a "merge" -d 'Take in the records of another store'
complete -c iodyno -n "__fish_iodyno_needs_command" -f -a "store" -d 'Say where the records are; check them, or copy them'
complete -c iodyno -n "__fish_iodyno_needs_command" -f -a "report" -d 'Write a record as one page with figures, as Markdown, JSON or CSV, and its figures as SVG'
complete -c iodyno -n "__fish_iodyno_needs_command" -f -a "explain" -d 'Explain a knob, a rule, a sensor, an engine, a kernel parameter (sysctl:vm.dirty_ratio) or a profile of them'
complete -c iodyno -n "__fish_iodyno_needs_command" -f -a "catalogue" -d 'List everything that `explain` knows'
complete -c iodyno -n "__fish_iodyno_needs_command" -f -a "rights" -d 'Say which rights a verb can make use of here, which are missing, and how to grant them; changes nothing'
complete -c iodyno -n "__fish_iodyno_needs_command" -f -a "completions" -d 'Print completions for a shell'
complete -c iodyno -n "__fish_iodyno_needs_command" -f -a "attend" -d 'Answer a `fleet` on standard input and output: what it starts on each host'
complete -c iodyno -n "__fish_iodyno_needs_command" -f -a "manual" -d 'Print a manual page'
complete -c iodyno -n "__fish_iodyno_needs_command" -f -a "serve-door" -d 'Listen for a `serve`, without any right: what it starts for itself'
complete -c iodyno -n "__fish_iodyno_needs_command" -f -a "openapi" -d 'Print the OpenAPI description of what `serve` answers'
complete -c iodyno -n "__fish_iodyno_needs_command" -f -a "fill" -d 'Write a file of noise: what `limit` starts inside a group, whose file it is then'
complete -c iodyno -n "__fish_iodyno_needs_command" -f -a "help" -d 'Print this message or the help of the given subcommand(s)'
complete -c iodyno -n "__fish_iodyno_using_subcommand inspect" -l root -d 'Read a captured machine in place of this one' -r -F
complete -c iodyno -n "__fish_iodyno_using_subcommand inspect" -l capture -d 'Save what was read about the target, to look at it elsewhere with --root' -r -F
complete -c iodyno -n "__fish_iodyno_using_subcommand inspect" -l container -d 'Take the target as this container names it, and do what is done within its limits: the container\'s name, its id, or the number of a process in it' -r
complete -c iodyno -n "__fish_iodyno_using_subcommand inspect" -l all -d 'Every setting, not only those that people change'
complete -c iodyno -n "__fish_iodyno_using_subcommand inspect" -l mask -d 'Also replace identifiers, host names, addresses and unit names in what is saved; serial numbers and secrets never are in it'
complete -c iodyno -n "__fish_iodyno_using_subcommand inspect" -l force -d 'Replace a capture that is there'
complete -c iodyno -n "__fish_iodyno_using_subcommand inspect" -l json -d 'Print one JSON document on stdout; words for people go to stderr'
complete -c iodyno -n "__fish_iodyno_using_subcommand inspect" -s h -l help -d 'Print help'
complete -c iodyno -n "__fish_iodyno_using_subcommand inspect" -s V -l version -d 'Print version'
complete -c iodyno -n "__fish_iodyno_using_subcommand diff" -l target -d 'Target below which to look in a capture that was made of several' -r
complete -c iodyno -n "__fish_iodyno_using_subcommand diff" -l preset -d 'A load by its purpose, such as oltp, wal or backup; `iodyno catalogue` lists them' -r
complete -c iodyno -n "__fish_iodyno_using_subcommand diff" -l job -d 'A fio job file' -r -F
complete -c iodyno -n "__fish_iodyno_using_subcommand diff" -l section -d 'Only these sections of the job file' -r
complete -c iodyno -n "__fish_iodyno_using_subcommand diff" -l engine -d 'native, or fio: the fio that is installed here runs the same job' -r -f -a "native\t''
fio\t''"
complete -c iodyno -n "__fish_iodyno_using_subcommand diff" -l rw -d 'read, write, randread, randwrite, rw, randrw, trim or randtrim [default: randread]' -r
complete -c iodyno -n "__fish_iodyno_using_subcommand diff" -l bs -d 'Block size [default: 4k]' -r
complete -c iodyno -n "__fish_iodyno_using_subcommand diff" -l iodepth -d 'I/Os in flight for each job [default: 32]' -r
complete -c iodyno -n "__fish_iodyno_using_subcommand diff" -l numjobs -d 'Threads that each run the job [default: 1]' -r
complete -c iodyno -n "__fish_iodyno_using_subcommand diff" -l direct -d '1 for O_DIRECT, 0 for the page cache [default: 1]' -r
complete -c iodyno -n "__fish_iodyno_using_subcommand diff" -l size -d 'Bytes of the target to use [default: the whole of a file or device, 1G of scratch in a directory]' -r
complete -c iodyno -n "__fish_iodyno_using_subcommand diff" -l ioengine -d 'What produces the load: io_uring, libaio, psync and more; `iodyno catalogue` lists them [default: io_uring]' -r
complete -c iodyno -n "__fish_iodyno_using_subcommand diff" -l command -d 'A shell command that makes the load, all its words in one: \'pgbench -P 1 -c 8 -T 3600 bench\'. It does what you could do yourself' -r
complete -c iodyno -n "__fish_iodyno_using_subcommand diff" -l metric-regex -d 'Which lines of the command tell its rate: the numbers in the groups are added up [default: those of pgbench -P 1 and sysbench --report-interval=1]' -r
complete -c iodyno -n "__fish_iodyno_using_subcommand diff" -l metric-better -d 'Which way the printed rate is better: higher or lower [default: higher]' -r -f -a "higher\t''
lower\t''"
complete -c iodyno -n "__fish_iodyno_using_subcommand diff" -l engine-option -d 'An option of that engine alone: `iodyno explain ENGINE` lists them' -r
complete -c iodyno -n "__fish_iodyno_using_subcommand diff" -l rwmixread -d 'Share of reads in a mix, per cent [default: 50]' -r
complete -c iodyno -n "__fish_iodyno_using_subcommand diff" -l rate-iops -d 'I/Os per second for each job; as fast as it goes without' -r
complete -c iodyno -n "__fish_iodyno_using_subcommand diff" -l arrivals -d 'With a rate: linear or poisson [default: linear]' -r
complete -c iodyno -n "__fish_iodyno_using_subcommand diff" -l fsync -d 'fsync after so many writes' -r
complete -c iodyno -n "__fish_iodyno_using_subcommand diff" -l cpus-allowed -d 'CPUs to pin the jobs to, such as 1 or 0,2' -r
complete -c iodyno -n "__fish_iodyno_using_subcommand diff" -l max-size -d 'Use at most so much of the target for each job, whatever it says, all of its processes together; the engine files has its own options for that' -r
complete -c iodyno -n "__fish_iodyno_using_subcommand diff" -l max-runtime -d 'Run each job at most so long, whatever it says' -r
complete -c iodyno -n "__fish_iodyno_using_subcommand diff" -l here -d 'With --container and --overwrite or --destroy-data: the target once more, as it is named on this machine' -r -F
complete -c iodyno -n "__fish_iodyno_using_subcommand diff" -l all -d 'Also what hardly matters'
complete -c iodyno -n "__fish_iodyno_using_subcommand diff" -l open-loop -d 'With a rate: I/Os arrive by the clock, whether or not earlier ones came back; latency counts from the arrival'
complete -c iodyno -n "__fish_iodyno_using_subcommand diff" -l destroy-data -d 'Allow writes to a block device: everything on it is lost'
complete -c iodyno -n "__fish_iodyno_using_subcommand diff" -l overwrite -d 'Allow writes to an existing file: its content is lost'
complete -c iodyno -n "__fish_iodyno_using_subcommand diff" -l force-signature -d 'With --destroy-data: also when a file system or RAID signature is on the device'
complete -c iodyno -n "__fish_iodyno_using_subcommand diff" -l json -d 'Print one JSON document on stdout; words for people go to stderr'
complete -c iodyno -n "__fish_iodyno_using_subcommand diff" -s h -l help -d 'Print help'
complete -c iodyno -n "__fish_iodyno_using_subcommand diff" -s V -l version -d 'Print version'
complete -c iodyno -n "__fish_iodyno_using_subcommand check" -l observe -d 'Watch this long before the first load [default: 2s; 500ms with --quick, 5s with --deep]' -r
complete -c iodyno -n "__fish_iodyno_using_subcommand check" -l disk-spec -d 'What the storage is sold as: aws:gp3:100GiB:iops=6000, or figures alone: iops=3000:bandwidth=125m' -r
complete -c iodyno -n "__fish_iodyno_using_subcommand check" -l layers -d 'How closely the block layer is traced beside the loads [default: auto]' -r -f -a "off\t'Not at all'
auto\t'Full, but off for a disk in memory, where tracing would be most of what is measured'
lite\t'Completions only, with the kernel\'s own time stamps'
full\t'Every event of every I/O: by eBPF, or by the next of the others here that this machine has'
perf\t'The same without eBPF, from perf\'s rings'
tracefs\t'The same without eBPF, from buffers of tracefs'
blktrace\t'The same from blktrace, one trace a device'"
complete -c iodyno -n "__fish_iodyno_using_subcommand check" -l root -d 'Judge a captured machine; nothing is loaded' -r -F
complete -c iodyno -n "__fish_iodyno_using_subcommand check" -l replay -d 'Judge a document of an earlier `check --json` again; nothing is loaded' -r -F
complete -c iodyno -n "__fish_iodyno_using_subcommand check" -l profile -d 'Say what differs from a named set of kernel parameters, and whether it matters: container-host, throughput-performance, postgresql and more; `iodyno catalogue` lists them' -r
complete -c iodyno -n "__fish_iodyno_using_subcommand check" -l prove -d 'Make the experiments that decide about the first three findings, each in this time at the most [default: 3m]. They change settings of the device, one at a time, and put them back; what they speak against is withdrawn' -r
complete -c iodyno -n "__fish_iodyno_using_subcommand check" -l rehearse -d 'Rehearse on a simulated disk, without touching the real one: \'cloud\', or with the effects that values are to have in the experiments of --prove, \'cloud,scheduler=none:+8%\'. A wrong name lists the disks' -r
complete -c iodyno -n "__fish_iodyno_using_subcommand check" -l fail-on -d 'End with status 1 when anything of this level or above is found' -r -f -a "note\t'Anything at all'
warning\t'What costs speed or safety now'
wrong\t'What makes a measurement worthless'"
complete -c iodyno -n "__fish_iodyno_using_subcommand check" -l keep-free -d 'Free space that scratch leaves to others [default: 5 % of the file system, at least 256 MiB]' -r
complete -c iodyno -n "__fish_iodyno_using_subcommand check" -l container -d 'Take the target as this container names it, and do what is done within its limits: the container\'s name, its id, or the number of a process in it' -r
complete -c iodyno -n "__fish_iodyno_using_subcommand check" -l quick -d 'At most 10 s'
complete -c iodyno -n "__fish_iodyno_using_subcommand check" -l deep -d 'Up to 5 min: longer loads, more depths, buffered writes, reads beside writes'
complete -c iodyno -n "__fish_iodyno_using_subcommand check" -l no-load -d 'Load nothing: judge the path and its settings alone, with --observe what others do as well'
complete -c iodyno -n "__fish_iodyno_using_subcommand check" -l all -d 'Show notes and withdrawn suspicions as well'
complete -c iodyno -n "__fish_iodyno_using_subcommand check" -l json -d 'Print one JSON document on stdout; words for people go to stderr'
complete -c iodyno -n "__fish_iodyno_using_subcommand check" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c iodyno -n "__fish_iodyno_using_subcommand check" -s V -l version -d 'Print version'
complete -c iodyno -n "__fish_iodyno_using_subcommand run" -l runtime -d 'How long to run [default: 10s]' -r
complete -c iodyno -n "__fish_iodyno_using_subcommand run" -l seed -d 'Seed of offsets and data; without it, one that is printed' -r
complete -c iodyno -n "__fish_iodyno_using_subcommand run" -l interval -d 'Length of an interval of --stream and of the series in the record' -r
complete -c iodyno -n "__fish_iodyno_using_subcommand run" -l layers -d 'Trace the block layer, and show where an I/O spends its time [default: off]' -r -f -a "off\t'Not at all'
auto\t'Full, but off for a disk in memory, where tracing would be most of what is measured'
lite\t'Completions only, with the kernel\'s own time stamps'
full\t'Every event of every I/O: by eBPF, or by the next of the others here that this machine has'
perf\t'The same without eBPF, from perf\'s rings'
tracefs\t'The same without eBPF, from buffers of tracefs'
blktrace\t'The same from blktrace, one trace a device'"
complete -c iodyno -n "__fish_iodyno_using_subcommand run" -l rehearse -d 'Rehearse on a simulated disk, without touching the real one: \'cloud\'. A wrong name lists the disks' -r
complete -c iodyno -n "__fish_iodyno_using_subcommand run" -l preset -d 'A load by its purpose, such as oltp, wal or backup; `iodyno catalogue` lists them' -r
complete -c iodyno -n "__fish_iodyno_using_subcommand run" -l job -d 'A fio job file' -r -F
complete -c iodyno -n "__fish_iodyno_using_subcommand run" -l section -d 'Only these sections of the job file' -r
complete -c iodyno -n "__fish_iodyno_using_subcommand run" -l engine -d 'native, or fio: the fio that is installed here runs the same job' -r -f -a "native\t''
fio\t''"
complete -c iodyno -n "__fish_iodyno_using_subcommand run" -l rw -d 'read, write, randread, randwrite, rw, randrw, trim or randtrim [default: randread]' -r
complete -c iodyno -n "__fish_iodyno_using_subcommand run" -l bs -d 'Block size [default: 4k]' -r
complete -c iodyno -n "__fish_iodyno_using_subcommand run" -l iodepth -d 'I/Os in flight for each job [default: 32]' -r
complete -c iodyno -n "__fish_iodyno_using_subcommand run" -l numjobs -d 'Threads that each run the job [default: 1]' -r
complete -c iodyno -n "__fish_iodyno_using_subcommand run" -l direct -d '1 for O_DIRECT, 0 for the page cache [default: 1]' -r
complete -c iodyno -n "__fish_iodyno_using_subcommand run" -l size -d 'Bytes of the target to use [default: the whole of a file or device, 1G of scratch in a directory]' -r
complete -c iodyno -n "__fish_iodyno_using_subcommand run" -l ioengine -d 'What produces the load: io_uring, libaio, psync and more; `iodyno catalogue` lists them [default: io_uring]' -r
complete -c iodyno -n "__fish_iodyno_using_subcommand run" -l command -d 'A shell command that makes the load, all its words in one: \'pgbench -P 1 -c 8 -T 3600 bench\'. It does what you could do yourself' -r
complete -c iodyno -n "__fish_iodyno_using_subcommand run" -l metric-regex -d 'Which lines of the command tell its rate: the numbers in the groups are added up [default: those of pgbench -P 1 and sysbench --report-interval=1]' -r
complete -c iodyno -n "__fish_iodyno_using_subcommand run" -l metric-better -d 'Which way the printed rate is better: higher or lower [default: higher]' -r -f -a "higher\t''
lower\t''"
complete -c iodyno -n "__fish_iodyno_using_subcommand run" -l engine-option -d 'An option of that engine alone: `iodyno explain ENGINE` lists them' -r
complete -c iodyno -n "__fish_iodyno_using_subcommand run" -l rwmixread -d 'Share of reads in a mix, per cent [default: 50]' -r
complete -c iodyno -n "__fish_iodyno_using_subcommand run" -l rate-iops -d 'I/Os per second for each job; as fast as it goes without' -r
complete -c iodyno -n "__fish_iodyno_using_subcommand run" -l arrivals -d 'With a rate: linear or poisson [default: linear]' -r
complete -c iodyno -n "__fish_iodyno_using_subcommand run" -l fsync -d 'fsync after so many writes' -r
complete -c iodyno -n "__fish_iodyno_using_subcommand run" -l cpus-allowed -d 'CPUs to pin the jobs to, such as 1 or 0,2' -r
complete -c iodyno -n "__fish_iodyno_using_subcommand run" -l max-size -d 'Use at most so much of the target for each job, whatever it says, all of its processes together; the engine files has its own options for that' -r
complete -c iodyno -n "__fish_iodyno_using_subcommand run" -l max-runtime -d 'Run each job at most so long, whatever it says' -r
complete -c iodyno -n "__fish_iodyno_using_subcommand run" -l here -d 'With --container and --overwrite or --destroy-data: the target once more, as it is named on this machine' -r -F
complete -c iodyno -n "__fish_iodyno_using_subcommand run" -l keep-free -d 'Free space that scratch leaves to others [default: 5 % of the file system, at least 256 MiB]' -r
complete -c iodyno -n "__fish_iodyno_using_subcommand run" -l sweep -d 'Vary an option: iodepth=1,4,16 or iodepth=1..256 in doublings. Once for each option; all combinations are visited, in random order, again and again, and the knee of the curve is told' -r
complete -c iodyno -n "__fish_iodyno_using_subcommand run" -l latency-target -d 'With --find-max: what must hold, such as p99=2ms, p99.9=10ms, p50=200us or mean=1ms' -r
complete -c iodyno -n "__fish_iodyno_using_subcommand run" -l max-depth -d 'With --find-max: the deepest queue of each job to try, or, with --open-loop, the deepest that arrivals may fill' -r
complete -c iodyno -n "__fish_iodyno_using_subcommand run" -l steps -d 'With --interference: steps of each side' -r
complete -c iodyno -n "__fish_iodyno_using_subcommand run" -l write-bs -d 'With --interference: block size of the sequential writes' -r
complete -c iodyno -n "__fish_iodyno_using_subcommand run" -l repeats -d 'How often each point of a sweep (default 3) or cell of a matrix (default 2) is visited' -r
complete -c iodyno -n "__fish_iodyno_using_subcommand run" -l budget -d 'Time for a sweep, a search or a matrix in all, without making the target ready' -r
complete -c iodyno -n "__fish_iodyno_using_subcommand run" -l round -d 'With --steady: length of a round; SNIA\'s own is 60s' -r
complete -c iodyno -n "__fish_iodyno_using_subcommand run" -l steady-limit -d 'With --steady: give up after this time' -r
complete -c iodyno -n "__fish_iodyno_using_subcommand run" -l container -d 'Take the target as this container names it, and do what is done within its limits: the container\'s name, its id, or the number of a process in it' -r
complete -c iodyno -n "__fish_iodyno_using_subcommand run" -l stream -d 'Print a JSON line on stdout for every interval, and the record\'s at the end; words go to stderr'
complete -c iodyno -n "__fish_iodyno_using_subcommand run" -l strict -d 'Refuse a job that would not measure what it says'
complete -c iodyno -n "__fish_iodyno_using_subcommand run" -l dry-run -d 'Judge the job and say what would be run; load nothing'
complete -c iodyno -n "__fish_iodyno_using_subcommand run" -l corrected -d 'Run the job as the lint corrects it'
complete -c iodyno -n "__fish_iodyno_using_subcommand run" -l unkept -d 'Print the record and do not keep it: whoever started this does'
complete -c iodyno -n "__fish_iodyno_using_subcommand run" -l given -d 'The target is open on the standard input: whoever started this, which is iodyno, opened it'
complete -c iodyno -n "__fish_iodyno_using_subcommand run" -l hold -d 'Once everything is prepared, say so and wait for a line with the moment to begin: what leads a fleet gives it'
complete -c iodyno -n "__fish_iodyno_using_subcommand run" -l open-loop -d 'With a rate: I/Os arrive by the clock, whether or not earlier ones came back; latency counts from the arrival'
complete -c iodyno -n "__fish_iodyno_using_subcommand run" -l destroy-data -d 'Allow writes to a block device: everything on it is lost'
complete -c iodyno -n "__fish_iodyno_using_subcommand run" -l overwrite -d 'Allow writes to an existing file: its content is lost'
complete -c iodyno -n "__fish_iodyno_using_subcommand run" -l force-signature -d 'With --destroy-data: also when a file system or RAID signature is on the device'
complete -c iodyno -n "__fish_iodyno_using_subcommand run" -l find-max -d 'Find the highest rate that keeps --latency-target'
complete -c iodyno -n "__fish_iodyno_using_subcommand run" -l interference -d 'Measure how much writing disturbs reading: a matrix of write bandwidth and read rate. Writes to the target'
complete -c iodyno -n "__fish_iodyno_using_subcommand run" -l precondition -d 'Write the whole target twice in sequence before measuring (SNIA\'s workload independent preconditioning)'
complete -c iodyno -n "__fish_iodyno_using_subcommand run" -l steady -d 'Run until the load has settled by SNIA\'s rule, and tell the burst from what lasts'
complete -c iodyno -n "__fish_iodyno_using_subcommand run" -l json -d 'Print one JSON document on stdout; words for people go to stderr'
complete -c iodyno -n "__fish_iodyno_using_subcommand run" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c iodyno -n "__fish_iodyno_using_subcommand run" -s V -l version -d 'Print version'
complete -c iodyno -n "__fish_iodyno_using_subcommand guard" -l budget -d 'The most device time of this visit: up to a third, and to 20s, for its loads, the rest for experiments on settings that changed' -r
complete -c iodyno -n "__fish_iodyno_using_subcommand guard" -l busy -d 'Load nothing while others keep a device of the path busy for more than this part of the time' -r
complete -c iodyno -n "__fish_iodyno_using_subcommand guard" -l textfile -d 'Write the state as metrics into this file, as node_exporter\'s textfile collector reads it: its name ends in .prom' -r -F
complete -c iodyno -n "__fish_iodyno_using_subcommand guard" -l webhook -d 'Post the answer as JSON where something is raised or cleared, to the URL in this file, which only its owner may read' -r -F
complete -c iodyno -n "__fish_iodyno_using_subcommand guard" -l keep-free -d 'Free space that scratch leaves to others [default: 5 % of the file system, at least 256 MiB]' -r
complete -c iodyno -n "__fish_iodyno_using_subcommand guard" -l no-load -d 'Load nothing and prove nothing: compare the settings alone'
complete -c iodyno -n "__fish_iodyno_using_subcommand guard" -l no-proof -d 'Make no experiment on a setting that changed'
complete -c iodyno -n "__fish_iodyno_using_subcommand guard" -l accept -d 'Take the target as the last visit found it for what is usual from now on; loads nothing'
complete -c iodyno -n "__fish_iodyno_using_subcommand guard" -l journal -d 'Tell systemd\'s journal as well, in fields of its own: IODYNO_TARGET, IODYNO_STATE, IODYNO_RECORD'
complete -c iodyno -n "__fish_iodyno_using_subcommand guard" -l json -d 'Print one JSON document on stdout; words for people go to stderr'
complete -c iodyno -n "__fish_iodyno_using_subcommand guard" -s h -l help -d 'Print help'
complete -c iodyno -n "__fish_iodyno_using_subcommand guard" -s V -l version -d 'Print version'
complete -c iodyno -n "__fish_iodyno_using_subcommand watch" -l interval -d 'Time between two samples, 10ms to 10s' -r
complete -c iodyno -n "__fish_iodyno_using_subcommand watch" -l frames -d 'Pictures a second on the full screen, 1 to 10 [default: 2]' -r
complete -c iodyno -n "__fish_iodyno_using_subcommand watch" -l prometheus -d 'Serve the raw counters to Prometheus at this address; a bare port is served on the loopback address' -r
complete -c iodyno -n "__fish_iodyno_using_subcommand watch" -l allow-host -d 'With --prometheus: a name by which it may be asked besides localhost, the address, and, where others reach it, this machine\'s name. Repeat for more' -r
complete -c iodyno -n "__fish_iodyno_using_subcommand watch" -l every -d 'Time between two lines or documents (--plain, --json), not less than --interval [default: 1s]' -r
complete -c iodyno -n "__fish_iodyno_using_subcommand watch" -l count -d 'End after so many lines or documents (--plain, --json)' -r
complete -c iodyno -n "__fish_iodyno_using_subcommand watch" -l layers -d 'How closely the block layer is traced [default: lite, but off for a disk in memory]' -r -f -a "off\t'Not at all'
auto\t'Full, but off for a disk in memory, where tracing would be most of what is measured'
lite\t'Completions only, with the kernel\'s own time stamps'
full\t'Every event of every I/O: by eBPF, or by the next of the others here that this machine has'
perf\t'The same without eBPF, from perf\'s rings'
tracefs\t'The same without eBPF, from buffers of tracefs'
blktrace\t'The same from blktrace, one trace a device'"
complete -c iodyno -n "__fish_iodyno_using_subcommand watch" -l cgroup -d 'Control groups to watch beside the busiest: as below /sys/fs/cgroup, or by a process in it or a container' -r
complete -c iodyno -n "__fish_iodyno_using_subcommand watch" -l file -d 'Files whose share of the page cache to watch' -r -F
complete -c iodyno -n "__fish_iodyno_using_subcommand watch" -l container -d 'Take the target as this container names it, and do what is done within its limits: the container\'s name, its id, or the number of a process in it' -r
complete -c iodyno -n "__fish_iodyno_using_subcommand watch" -l plain -d 'Lines in the manner of iostat'
complete -c iodyno -n "__fish_iodyno_using_subcommand watch" -l ascii -d 'Draw the full screen with nothing but ASCII; so it is anyway where the locale is not UTF-8'
complete -c iodyno -n "__fish_iodyno_using_subcommand watch" -l latencies -d 'With --json: how many I/Os took how long, by bucket, of each device that is traced'
complete -c iodyno -n "__fish_iodyno_using_subcommand watch" -l json -d 'Print one JSON document on stdout; words for people go to stderr'
complete -c iodyno -n "__fish_iodyno_using_subcommand watch" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c iodyno -n "__fish_iodyno_using_subcommand watch" -s V -l version -d 'Print version'
complete -c iodyno -n "__fish_iodyno_using_subcommand limit" -l read-bps -d 'Bytes that the group may read in a second: 10m' -r
complete -c iodyno -n "__fish_iodyno_using_subcommand limit" -l write-bps -d 'Bytes that the group may write in a second' -r
complete -c iodyno -n "__fish_iodyno_using_subcommand limit" -l read-iops -d 'Reads that the group may do in a second' -r
complete -c iodyno -n "__fish_iodyno_using_subcommand limit" -l write-iops -d 'Writes that the group may do in a second' -r
complete -c iodyno -n "__fish_iodyno_using_subcommand limit" -l memory -d 'With a limit: the most memory that the group may have, which bounds its dirty pages' -r
complete -c iodyno -n "__fish_iodyno_using_subcommand limit" -l group -d 'Enter this group in place of one made for the purpose, and measure the limits that it has: as /proc/PID/cgroup names it, the number of a process, a container\'s id or name, or `self` for the group that iodyno is in' -r
complete -c iodyno -n "__fish_iodyno_using_subcommand limit" -l containers -d 'Load the disk from so many groups at once, each with the limit, and show how they share it: 1,2,4' -r
complete -c iodyno -n "__fish_iodyno_using_subcommand limit" -l weights -d 'With --containers: the weight of each group on the disk, by turns, and whether they get such shares: 100,400' -r
complete -c iodyno -n "__fish_iodyno_using_subcommand limit" -l runtime -d 'How long each program runs' -r
complete -c iodyno -n "__fish_iodyno_using_subcommand limit" -l keep-free -d 'Free space that scratch leaves to others [default: 5 % of the file system, at least 256 MiB]' -r
complete -c iodyno -n "__fish_iodyno_using_subcommand limit" -l container -d 'Take the target as this container names it, and do what is done within its limits: the container\'s name, its id, or the number of a process in it' -r
complete -c iodyno -n "__fish_iodyno_using_subcommand limit" -l json -d 'Print one JSON document on stdout; words for people go to stderr'
complete -c iodyno -n "__fish_iodyno_using_subcommand limit" -s h -l help -d 'Print help'
complete -c iodyno -n "__fish_iodyno_using_subcommand limit" -s V -l version -d 'Print version'
complete -c iodyno -n "__fish_iodyno_using_subcommand loop; and not __fish_seen_subcommand_from create list remove help" -l json -d 'Print one JSON document on stdout; words for people go to stderr'
complete -c iodyno -n "__fish_iodyno_using_subcommand loop; and not __fish_seen_subcommand_from create list remove help" -s h -l help -d 'Print help'
complete -c iodyno -n "__fish_iodyno_using_subcommand loop; and not __fish_seen_subcommand_from create list remove help" -s V -l version -d 'Print version'
complete -c iodyno -n "__fish_iodyno_using_subcommand loop; and not __fish_seen_subcommand_from create list remove help" -f -a "create" -d 'Write a file in full, set a loop device up over it, make a file system on it and mount it'
complete -c iodyno -n "__fish_iodyno_using_subcommand loop; and not __fish_seen_subcommand_from create list remove help" -f -a "list" -d 'Show the loop devices that iodyno made with what is wrong with them, and the others in a line each; changes nothing'
complete -c iodyno -n "__fish_iodyno_using_subcommand loop; and not __fish_seen_subcommand_from create list remove help" -f -a "remove" -d 'Take a loop device away that iodyno made: its mount, device, unit and file'
complete -c iodyno -n "__fish_iodyno_using_subcommand loop; and not __fish_seen_subcommand_from create list remove help" -f -a "help" -d 'Print this message or the help of the given subcommand(s)'
complete -c iodyno -n "__fish_iodyno_using_subcommand loop; and __fish_seen_subcommand_from create" -l size -d 'Its size, such as 200g; every byte of it is written' -r
complete -c iodyno -n "__fish_iodyno_using_subcommand loop; and __fish_seen_subcommand_from create" -l fs -d 'The file system to make on the device' -r -f -a "ext4\t''
xfs\t''
none\t''"
complete -c iodyno -n "__fish_iodyno_using_subcommand loop; and __fish_seen_subcommand_from create" -l mount -d 'Mount it on this empty directory, which is made where it is missing' -r -F
complete -c iodyno -n "__fish_iodyno_using_subcommand loop; and __fish_seen_subcommand_from create" -l inodes -d 'How many files ext4 shall have room for, for many small ones; xfs makes inodes as they are needed' -r
complete -c iodyno -n "__fish_iodyno_using_subcommand loop; and __fish_seen_subcommand_from create" -l direct-io -d 'Whether the device does direct I/O to its file: where the file system allows it, in any case, or not' -r -f -a "auto\t''
yes\t''
no\t''"
complete -c iodyno -n "__fish_iodyno_using_subcommand loop; and __fish_seen_subcommand_from create" -l sector -d 'Size of a logical sector of the device, bytes [default: what direct I/O to the file needs, 512 or more]' -r
complete -c iodyno -n "__fish_iodyno_using_subcommand loop; and __fish_seen_subcommand_from create" -l keep-free -d 'Free space that scratch leaves to others [default: 5 % of the file system, at least 256 MiB]' -r
complete -c iodyno -n "__fish_iodyno_using_subcommand loop; and __fish_seen_subcommand_from create" -l unit -d 'Write a unit for systemd that attaches and mounts it at boot'
complete -c iodyno -n "__fish_iodyno_using_subcommand loop; and __fish_seen_subcommand_from create" -l dry-run -d 'Show the commands that do the same, and the unit; make nothing'
complete -c iodyno -n "__fish_iodyno_using_subcommand loop; and __fish_seen_subcommand_from create" -l json -d 'Print one JSON document on stdout; words for people go to stderr'
complete -c iodyno -n "__fish_iodyno_using_subcommand loop; and __fish_seen_subcommand_from create" -s h -l help -d 'Print help'
complete -c iodyno -n "__fish_iodyno_using_subcommand loop; and __fish_seen_subcommand_from create" -s V -l version -d 'Print version'
complete -c iodyno -n "__fish_iodyno_using_subcommand loop; and __fish_seen_subcommand_from list" -l json -d 'Print one JSON document on stdout; words for people go to stderr'
complete -c iodyno -n "__fish_iodyno_using_subcommand loop; and __fish_seen_subcommand_from list" -s h -l help -d 'Print help'
complete -c iodyno -n "__fish_iodyno_using_subcommand loop; and __fish_seen_subcommand_from list" -s V -l version -d 'Print version'
complete -c iodyno -n "__fish_iodyno_using_subcommand loop; and __fish_seen_subcommand_from remove" -l keep-file -d 'Keep the file with the data in it'
complete -c iodyno -n "__fish_iodyno_using_subcommand loop; and __fish_seen_subcommand_from remove" -l json -d 'Print one JSON document on stdout; words for people go to stderr'
complete -c iodyno -n "__fish_iodyno_using_subcommand loop; and __fish_seen_subcommand_from remove" -s h -l help -d 'Print help'
complete -c iodyno -n "__fish_iodyno_using_subcommand loop; and __fish_seen_subcommand_from remove" -s V -l version -d 'Print version'
complete -c iodyno -n "__fish_iodyno_using_subcommand loop; and __fish_seen_subcommand_from help" -f -a "create" -d 'Write a file in full, set a loop device up over it, make a file system on it and mount it'
complete -c iodyno -n "__fish_iodyno_using_subcommand loop; and __fish_seen_subcommand_from help" -f -a "list" -d 'Show the loop devices that iodyno made with what is wrong with them, and the others in a line each; changes nothing'
complete -c iodyno -n "__fish_iodyno_using_subcommand loop; and __fish_seen_subcommand_from help" -f -a "remove" -d 'Take a loop device away that iodyno made: its mount, device, unit and file'
complete -c iodyno -n "__fish_iodyno_using_subcommand loop; and __fish_seen_subcommand_from help" -f -a "help" -d 'Print this message or the help of the given subcommand(s)'
complete -c iodyno -n "__fish_iodyno_using_subcommand dataset" -l against -d 'Read the same elsewhere in turns: a copy of the tree, or a directory in which files of the same sizes and depths are made and removed. Repeat for more' -r -F
complete -c iodyno -n "__fish_iodyno_using_subcommand dataset" -l scratch -d 'A directory on the tree\'s own file system for a packed file without a name, to say what packing would give there' -r -F
complete -c iodyno -n "__fish_iodyno_using_subcommand dataset" -l readers -d 'How many threads read at once, each number by itself: 1,4' -r
complete -c iodyno -n "__fish_iodyno_using_subcommand dataset" -l epochs -d 'How often the sample is read, each time in an order of its own' -r
complete -c iodyno -n "__fish_iodyno_using_subcommand dataset" -l sample -d 'Files that are drawn at random to be read' -r
complete -c iodyno -n "__fish_iodyno_using_subcommand dataset" -l sample-bytes -d 'Bytes of these files at most: so much is written where a copy or a packed file is made' -r
complete -c iodyno -n "__fish_iodyno_using_subcommand dataset" -l huge -d 'A file of more bytes is none of the small ones: it is counted and not read' -r
complete -c iodyno -n "__fish_iodyno_using_subcommand dataset" -l budget -d 'Time for walking and reading; making copies comes on top' -r
complete -c iodyno -n "__fish_iodyno_using_subcommand dataset" -l order -d 'The order of files: random, another one each epoch, or as the directories list them, as tar reads' -r -f -a "random\t'At random, as training reads'
listed\t'As the directories list them, as tar and rsync read'"
complete -c iodyno -n "__fish_iodyno_using_subcommand dataset" -l cold -d 'How caches are emptied for the cold figures: each file\'s pages, or, as root, everything that this machine has cached, which slows down all that runs here' -r -f -a "files\t'Each file\'s pages are dropped'
machine\t'All clean caches of the machine are dropped (/proc/sys/vm/drop_caches)'
no\t'Nothing: only warm figures'"
complete -c iodyno -n "__fish_iodyno_using_subcommand dataset" -l seed -d 'Seed of the sample and of all orders [default: from the clock]' -r
complete -c iodyno -n "__fish_iodyno_using_subcommand dataset" -l keep-free -d 'Free space that scratch leaves to others [default: 5 % of the file system, at least 256 MiB]' -r
complete -c iodyno -n "__fish_iodyno_using_subcommand dataset" -l container -d 'Take the target as this container names it, and do what is done within its limits: the container\'s name, its id, or the number of a process in it' -r
complete -c iodyno -n "__fish_iodyno_using_subcommand dataset" -l json -d 'Print one JSON document on stdout; words for people go to stderr'
complete -c iodyno -n "__fish_iodyno_using_subcommand dataset" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c iodyno -n "__fish_iodyno_using_subcommand dataset" -s V -l version -d 'Print version'
complete -c iodyno -n "__fish_iodyno_using_subcommand k8s; and not __fish_seen_subcommand_from run check compare in-pod help" -l json -d 'Print one JSON document on stdout; words for people go to stderr'
complete -c iodyno -n "__fish_iodyno_using_subcommand k8s; and not __fish_seen_subcommand_from run check compare in-pod help" -s h -l help -d 'Print help'
complete -c iodyno -n "__fish_iodyno_using_subcommand k8s; and not __fish_seen_subcommand_from run check compare in-pod help" -s V -l version -d 'Print version'
complete -c iodyno -n "__fish_iodyno_using_subcommand k8s; and not __fish_seen_subcommand_from run check compare in-pod help" -f -a "run" -d 'Load one place of a cluster from a pod, as `iodyno run` does, and keep the measurement as a record'
complete -c iodyno -n "__fish_iodyno_using_subcommand k8s; and not __fish_seen_subcommand_from run check compare in-pod help" -f -a "check" -d 'Say why the storage of a pod is slow, as `iodyno check` does, at one place or on every node'
complete -c iodyno -n "__fish_iodyno_using_subcommand k8s; and not __fish_seen_subcommand_from run check compare in-pod help" -f -a "compare" -d 'Load several places in turns, in rounds of random order, and say by how much they differ'
complete -c iodyno -n "__fish_iodyno_using_subcommand k8s; and not __fish_seen_subcommand_from run check compare in-pod help" -f -a "in-pod" -d 'What runs in the pod'
complete -c iodyno -n "__fish_iodyno_using_subcommand k8s; and not __fish_seen_subcommand_from run check compare in-pod help" -f -a "help" -d 'Print this message or the help of the given subcommand(s)'
complete -c iodyno -n "__fish_iodyno_using_subcommand k8s; and __fish_seen_subcommand_from run" -l storage-class -d 'A new volume of this storage class, which goes at the end. `compare` takes several: fast,slow' -r
complete -c iodyno -n "__fish_iodyno_using_subcommand k8s; and __fish_seen_subcommand_from run" -l pvc -d 'A claim that is there. What it holds stays as it is: scratch has no name and goes at the end' -r
complete -c iodyno -n "__fish_iodyno_using_subcommand k8s; and __fish_seen_subcommand_from run" -l host-path -d 'A directory of a node' -r
complete -c iodyno -n "__fish_iodyno_using_subcommand k8s; and __fish_seen_subcommand_from run" -l node -d 'Run on this node; without other storage, load the disk on which it has its pods. `compare` takes several' -r
complete -c iodyno -n "__fish_iodyno_using_subcommand k8s; and __fish_seen_subcommand_from run" -l claim-size -d 'Size of a volume that is made for --storage-class' -r
complete -c iodyno -n "__fish_iodyno_using_subcommand k8s; and __fish_seen_subcommand_from run" -l path -d 'A directory or a file inside of the storage [default: all of it]; a file is only read' -r
complete -c iodyno -n "__fish_iodyno_using_subcommand k8s; and __fish_seen_subcommand_from run" -l preset -d 'A load by its purpose, such as oltp, wal or backup; `iodyno catalogue` lists them' -r
complete -c iodyno -n "__fish_iodyno_using_subcommand k8s; and __fish_seen_subcommand_from run" -l runtime -d 'How long to run [default: 10s]' -r
complete -c iodyno -n "__fish_iodyno_using_subcommand k8s; and __fish_seen_subcommand_from run" -l image -d 'The image, which `make image` makes and which your registry, or each node, has' -r
complete -c iodyno -n "__fish_iodyno_using_subcommand k8s; and __fish_seen_subcommand_from run" -l image-pull-secret -d 'The secret by which the image is pulled' -r
complete -c iodyno -n "__fish_iodyno_using_subcommand k8s; and __fish_seen_subcommand_from run" -l cpu -d 'The most CPU that a pod may have: 4, 500m' -r
complete -c iodyno -n "__fish_iodyno_using_subcommand k8s; and __fish_seen_subcommand_from run" -l memory -d 'The most memory that a pod may have' -r
complete -c iodyno -n "__fish_iodyno_using_subcommand k8s; and __fish_seen_subcommand_from run" -l toleration -d 'Bear a taint: KEY, KEY=VALUE, KEY=VALUE:EFFECT, or all' -r
complete -c iodyno -n "__fish_iodyno_using_subcommand k8s; and __fish_seen_subcommand_from run" -l as-user -d 'Whom the load runs as, for directories that others may not write to: UID or UID:GID. Root, 0, has no capabilities all the same' -r
complete -c iodyno -n "__fish_iodyno_using_subcommand k8s; and __fish_seen_subcommand_from run" -l context -d 'The context of your kubeconfig [default: the current one]' -r
complete -c iodyno -n "__fish_iodyno_using_subcommand k8s; and __fish_seen_subcommand_from run" -s n -l namespace -d 'The namespace [default: that of the context]' -r
complete -c iodyno -n "__fish_iodyno_using_subcommand k8s; and __fish_seen_subcommand_from run" -l kubectl -d 'The kubectl that asks the cluster [default: the one in the search path]' -r -F
complete -c iodyno -n "__fish_iodyno_using_subcommand k8s; and __fish_seen_subcommand_from run" -l wait -d 'How long to wait for a volume, a node, an image and the start of a pod' -r
complete -c iodyno -n "__fish_iodyno_using_subcommand k8s; and __fish_seen_subcommand_from run" -l deadline -d 'How long a pod may run; the cluster ends it then' -r
complete -c iodyno -n "__fish_iodyno_using_subcommand k8s; and __fish_seen_subcommand_from run" -l host-network -d 'Use the nodes\' network, where there is none for pods'
complete -c iodyno -n "__fish_iodyno_using_subcommand k8s; and __fish_seen_subcommand_from run" -l print -d 'Print the manifests, for `kubectl apply -f -`, and do nothing'
complete -c iodyno -n "__fish_iodyno_using_subcommand k8s; and __fish_seen_subcommand_from run" -l json -d 'Print one JSON document on stdout; words for people go to stderr'
complete -c iodyno -n "__fish_iodyno_using_subcommand k8s; and __fish_seen_subcommand_from run" -s h -l help -d 'Print help'
complete -c iodyno -n "__fish_iodyno_using_subcommand k8s; and __fish_seen_subcommand_from run" -s V -l version -d 'Print version'
complete -c iodyno -n "__fish_iodyno_using_subcommand k8s; and __fish_seen_subcommand_from check" -l storage-class -d 'A new volume of this storage class, which goes at the end. `compare` takes several: fast,slow' -r
complete -c iodyno -n "__fish_iodyno_using_subcommand k8s; and __fish_seen_subcommand_from check" -l pvc -d 'A claim that is there. What it holds stays as it is: scratch has no name and goes at the end' -r
complete -c iodyno -n "__fish_iodyno_using_subcommand k8s; and __fish_seen_subcommand_from check" -l host-path -d 'A directory of a node' -r
complete -c iodyno -n "__fish_iodyno_using_subcommand k8s; and __fish_seen_subcommand_from check" -l node -d 'Run on this node; without other storage, load the disk on which it has its pods. `compare` takes several' -r
complete -c iodyno -n "__fish_iodyno_using_subcommand k8s; and __fish_seen_subcommand_from check" -l claim-size -d 'Size of a volume that is made for --storage-class' -r
complete -c iodyno -n "__fish_iodyno_using_subcommand k8s; and __fish_seen_subcommand_from check" -l path -d 'A directory or a file inside of the storage [default: all of it]; a file is only read' -r
complete -c iodyno -n "__fish_iodyno_using_subcommand k8s; and __fish_seen_subcommand_from check" -l disk-spec -d 'What the storage is sold as: aws:gp3:100GiB:iops=6000, or figures alone: iops=3000:bandwidth=125m' -r
complete -c iodyno -n "__fish_iodyno_using_subcommand k8s; and __fish_seen_subcommand_from check" -l image -d 'The image, which `make image` makes and which your registry, or each node, has' -r
complete -c iodyno -n "__fish_iodyno_using_subcommand k8s; and __fish_seen_subcommand_from check" -l image-pull-secret -d 'The secret by which the image is pulled' -r
complete -c iodyno -n "__fish_iodyno_using_subcommand k8s; and __fish_seen_subcommand_from check" -l cpu -d 'The most CPU that a pod may have: 4, 500m' -r
complete -c iodyno -n "__fish_iodyno_using_subcommand k8s; and __fish_seen_subcommand_from check" -l memory -d 'The most memory that a pod may have' -r
complete -c iodyno -n "__fish_iodyno_using_subcommand k8s; and __fish_seen_subcommand_from check" -l toleration -d 'Bear a taint: KEY, KEY=VALUE, KEY=VALUE:EFFECT, or all' -r
complete -c iodyno -n "__fish_iodyno_using_subcommand k8s; and __fish_seen_subcommand_from check" -l as-user -d 'Whom the load runs as, for directories that others may not write to: UID or UID:GID. Root, 0, has no capabilities all the same' -r
complete -c iodyno -n "__fish_iodyno_using_subcommand k8s; and __fish_seen_subcommand_from check" -l context -d 'The context of your kubeconfig [default: the current one]' -r
complete -c iodyno -n "__fish_iodyno_using_subcommand k8s; and __fish_seen_subcommand_from check" -s n -l namespace -d 'The namespace [default: that of the context]' -r
complete -c iodyno -n "__fish_iodyno_using_subcommand k8s; and __fish_seen_subcommand_from check" -l kubectl -d 'The kubectl that asks the cluster [default: the one in the search path]' -r -F
complete -c iodyno -n "__fish_iodyno_using_subcommand k8s; and __fish_seen_subcommand_from check" -l wait -d 'How long to wait for a volume, a node, an image and the start of a pod' -r
complete -c iodyno -n "__fish_iodyno_using_subcommand k8s; and __fish_seen_subcommand_from check" -l deadline -d 'How long a pod may run; the cluster ends it then' -r
complete -c iodyno -n "__fish_iodyno_using_subcommand k8s; and __fish_seen_subcommand_from check" -l every-node -d 'Check on every node at once, by a DaemonSet: the disk on which each has its pods, or --host-path'
complete -c iodyno -n "__fish_iodyno_using_subcommand k8s; and __fish_seen_subcommand_from check" -l quick -d 'At most 10 s'
complete -c iodyno -n "__fish_iodyno_using_subcommand k8s; and __fish_seen_subcommand_from check" -l deep -d 'Up to 5 min: longer loads, more depths, buffered writes, reads beside writes'
complete -c iodyno -n "__fish_iodyno_using_subcommand k8s; and __fish_seen_subcommand_from check" -l host-network -d 'Use the nodes\' network, where there is none for pods'
complete -c iodyno -n "__fish_iodyno_using_subcommand k8s; and __fish_seen_subcommand_from check" -l print -d 'Print the manifests, for `kubectl apply -f -`, and do nothing'
complete -c iodyno -n "__fish_iodyno_using_subcommand k8s; and __fish_seen_subcommand_from check" -l json -d 'Print one JSON document on stdout; words for people go to stderr'
complete -c iodyno -n "__fish_iodyno_using_subcommand k8s; and __fish_seen_subcommand_from check" -s h -l help -d 'Print help'
complete -c iodyno -n "__fish_iodyno_using_subcommand k8s; and __fish_seen_subcommand_from check" -s V -l version -d 'Print version'
complete -c iodyno -n "__fish_iodyno_using_subcommand k8s; and __fish_seen_subcommand_from compare" -l storage-class -d 'A new volume of this storage class, which goes at the end. `compare` takes several: fast,slow' -r
complete -c iodyno -n "__fish_iodyno_using_subcommand k8s; and __fish_seen_subcommand_from compare" -l pvc -d 'A claim that is there. What it holds stays as it is: scratch has no name and goes at the end' -r
complete -c iodyno -n "__fish_iodyno_using_subcommand k8s; and __fish_seen_subcommand_from compare" -l host-path -d 'A directory of a node' -r
complete -c iodyno -n "__fish_iodyno_using_subcommand k8s; and __fish_seen_subcommand_from compare" -l node -d 'Run on this node; without other storage, load the disk on which it has its pods. `compare` takes several' -r
complete -c iodyno -n "__fish_iodyno_using_subcommand k8s; and __fish_seen_subcommand_from compare" -l claim-size -d 'Size of a volume that is made for --storage-class' -r
complete -c iodyno -n "__fish_iodyno_using_subcommand k8s; and __fish_seen_subcommand_from compare" -l path -d 'A directory or a file inside of the storage [default: all of it]; a file is only read' -r
complete -c iodyno -n "__fish_iodyno_using_subcommand k8s; and __fish_seen_subcommand_from compare" -l rounds -d 'How often each place is loaded' -r
complete -c iodyno -n "__fish_iodyno_using_subcommand k8s; and __fish_seen_subcommand_from compare" -l seed -d 'Seed of the orders [default: from the clock]' -r
complete -c iodyno -n "__fish_iodyno_using_subcommand k8s; and __fish_seen_subcommand_from compare" -l preset -d 'A load by its purpose, such as oltp, wal or backup; `iodyno catalogue` lists them' -r
complete -c iodyno -n "__fish_iodyno_using_subcommand k8s; and __fish_seen_subcommand_from compare" -l runtime -d 'How long to run [default: 10s]' -r
complete -c iodyno -n "__fish_iodyno_using_subcommand k8s; and __fish_seen_subcommand_from compare" -l image -d 'The image, which `make image` makes and which your registry, or each node, has' -r
complete -c iodyno -n "__fish_iodyno_using_subcommand k8s; and __fish_seen_subcommand_from compare" -l image-pull-secret -d 'The secret by which the image is pulled' -r
complete -c iodyno -n "__fish_iodyno_using_subcommand k8s; and __fish_seen_subcommand_from compare" -l cpu -d 'The most CPU that a pod may have: 4, 500m' -r
complete -c iodyno -n "__fish_iodyno_using_subcommand k8s; and __fish_seen_subcommand_from compare" -l memory -d 'The most memory that a pod may have' -r
complete -c iodyno -n "__fish_iodyno_using_subcommand k8s; and __fish_seen_subcommand_from compare" -l toleration -d 'Bear a taint: KEY, KEY=VALUE, KEY=VALUE:EFFECT, or all' -r
complete -c iodyno -n "__fish_iodyno_using_subcommand k8s; and __fish_seen_subcommand_from compare" -l as-user -d 'Whom the load runs as, for directories that others may not write to: UID or UID:GID. Root, 0, has no capabilities all the same' -r
complete -c iodyno -n "__fish_iodyno_using_subcommand k8s; and __fish_seen_subcommand_from compare" -l context -d 'The context of your kubeconfig [default: the current one]' -r
complete -c iodyno -n "__fish_iodyno_using_subcommand k8s; and __fish_seen_subcommand_from compare" -s n -l namespace -d 'The namespace [default: that of the context]' -r
complete -c iodyno -n "__fish_iodyno_using_subcommand k8s; and __fish_seen_subcommand_from compare" -l kubectl -d 'The kubectl that asks the cluster [default: the one in the search path]' -r -F
complete -c iodyno -n "__fish_iodyno_using_subcommand k8s; and __fish_seen_subcommand_from compare" -l wait -d 'How long to wait for a volume, a node, an image and the start of a pod' -r
complete -c iodyno -n "__fish_iodyno_using_subcommand k8s; and __fish_seen_subcommand_from compare" -l deadline -d 'How long a pod may run; the cluster ends it then' -r
complete -c iodyno -n "__fish_iodyno_using_subcommand k8s; and __fish_seen_subcommand_from compare" -l host-network -d 'Use the nodes\' network, where there is none for pods'
complete -c iodyno -n "__fish_iodyno_using_subcommand k8s; and __fish_seen_subcommand_from compare" -l print -d 'Print the manifests, for `kubectl apply -f -`, and do nothing'
complete -c iodyno -n "__fish_iodyno_using_subcommand k8s; and __fish_seen_subcommand_from compare" -l json -d 'Print one JSON document on stdout; words for people go to stderr'
complete -c iodyno -n "__fish_iodyno_using_subcommand k8s; and __fish_seen_subcommand_from compare" -s h -l help -d 'Print help'
complete -c iodyno -n "__fish_iodyno_using_subcommand k8s; and __fish_seen_subcommand_from compare" -s V -l version -d 'Print version'
complete -c iodyno -n "__fish_iodyno_using_subcommand k8s; and __fish_seen_subcommand_from in-pod" -l run -d 'The run id' -r
complete -c iodyno -n "__fish_iodyno_using_subcommand k8s; and __fish_seen_subcommand_from in-pod" -l stay -d 'Stay at the end, until somebody ends the pod: a set would start it anew'
complete -c iodyno -n "__fish_iodyno_using_subcommand k8s; and __fish_seen_subcommand_from in-pod" -l node-disk -d 'What is loaded is a disk of the node: leave so much of it free that the kubelet evicts nobody'
complete -c iodyno -n "__fish_iodyno_using_subcommand k8s; and __fish_seen_subcommand_from in-pod" -l json -d 'Print one JSON document on stdout; words for people go to stderr'
complete -c iodyno -n "__fish_iodyno_using_subcommand k8s; and __fish_seen_subcommand_from in-pod" -s h -l help -d 'Print help'
complete -c iodyno -n "__fish_iodyno_using_subcommand k8s; and __fish_seen_subcommand_from in-pod" -s V -l version -d 'Print version'
complete -c iodyno -n "__fish_iodyno_using_subcommand k8s; and __fish_seen_subcommand_from help" -f -a "run" -d 'Load one place of a cluster from a pod, as `iodyno run` does, and keep the measurement as a record'
complete -c iodyno -n "__fish_iodyno_using_subcommand k8s; and __fish_seen_subcommand_from help" -f -a "check" -d 'Say why the storage of a pod is slow, as `iodyno check` does, at one place or on every node'
complete -c iodyno -n "__fish_iodyno_using_subcommand k8s; and __fish_seen_subcommand_from help" -f -a "compare" -d 'Load several places in turns, in rounds of random order, and say by how much they differ'
complete -c iodyno -n "__fish_iodyno_using_subcommand k8s; and __fish_seen_subcommand_from help" -f -a "in-pod" -d 'What runs in the pod'
complete -c iodyno -n "__fish_iodyno_using_subcommand k8s; and __fish_seen_subcommand_from help" -f -a "help" -d 'Print this message or the help of the given subcommand(s)'
complete -c iodyno -n "__fish_iodyno_using_subcommand tune" -l knob -d 'A knob to try, with values if not its own choices: scheduler or nr_requests=64,256. Repeat for more' -r
complete -c iodyno -n "__fish_iodyno_using_subcommand tune" -l metric -l goal -d 'What the values are judged by; `iodyno explain METER` says what each one measures [default: iops; printed with --command]' -r -f -a "bandwidth\t''
cpu_per_io\t''
device_bandwidth\t''
device_iops\t''
duration\t''
fairness\t''
group_bandwidth\t''
group_iops\t''
iops\t''
latency\t''
mysql\t''
p99\t''
p999\t''
p99_read\t''
p99_write\t''
postgresql\t''
printed\t''
prometheus\t''
result\t''"
complete -c iodyno -n "__fish_iodyno_using_subcommand tune" -l sql-client -d 'How the client of --metric postgresql or mysql is started: \'sudo -u postgres psql -p 5433\' [default: psql, mysql]' -r
complete -c iodyno -n "__fish_iodyno_using_subcommand tune" -l cgroup -d 'The control group whose I/O --metric group_iops or group_bandwidth counts: its path as /proc/PID/cgroup names it, the number of a process in it, or a container\'s id or name' -r
complete -c iodyno -n "__fish_iodyno_using_subcommand tune" -l prometheus -d 'The Prometheus server that --metric prometheus asks: http://HOST:9090' -r
complete -c iodyno -n "__fish_iodyno_using_subcommand tune" -l query -d 'The counter that it is asked for, a selector without rate() and range: \'http_requests_total{job="web"}\'' -r
complete -c iodyno -n "__fish_iodyno_using_subcommand tune" -l beside -d 'A command that runs beside the load for as long as it does, such as a bulk writer. Values are judged by what the load gets beside it; what others on the device lose or gain by them is told' -r
complete -c iodyno -n "__fish_iodyno_using_subcommand tune" -l budget -d 'Time for all knobs together' -r
complete -c iodyno -n "__fish_iodyno_using_subcommand tune" -l rope -d 'Differences up to this count as equal' -r
complete -c iodyno -n "__fish_iodyno_using_subcommand tune" -l alpha -d 'Probability of naming a winner where there is none, over all knobs together' -r
complete -c iodyno -n "__fish_iodyno_using_subcommand tune" -l seed -d 'Seed of every random choice; without it, one that is printed' -r
complete -c iodyno -n "__fish_iodyno_using_subcommand tune" -l wait-quiet -d 'Wait at the most so long until nobody else has used the device for 3 seconds; it comes on top of the budget' -r
complete -c iodyno -n "__fish_iodyno_using_subcommand tune" -l stop-if -d 'End and put everything back at once when the device crosses this bound: \'await>20ms\', \'write.iops<500\', \'bw<100M\'; or what the values are judged by does: \'metric<500\'. Repeat for more' -r
complete -c iodyno -n "__fish_iodyno_using_subcommand tune" -l rehearse -d 'Rehearse on a simulated disk, without touching the real one: \'cloud\', or with the effects that values are to have, \'cloud,scheduler=bfq:+8%\'. A wrong name lists the disks' -r
complete -c iodyno -n "__fish_iodyno_using_subcommand tune" -l layers -d 'When to trace the block layer: auto traces a few windows after each decision, so that the proof is free of what tracing costs; lite and full trace all windows' -r -f -a "off\t'Not at all'
auto\t'Full, but off for a disk in memory, where tracing would be most of what is measured'
lite\t'Completions only, with the kernel\'s own time stamps'
full\t'Every event of every I/O: by eBPF, or by the next of the others here that this machine has'
perf\t'The same without eBPF, from perf\'s rings'
tracefs\t'The same without eBPF, from buffers of tracefs'
blktrace\t'The same from blktrace, one trace a device'"
complete -c iodyno -n "__fish_iodyno_using_subcommand tune" -l keep-free -d 'Free space that scratch leaves to others [default: 5 % of the file system, at least 256 MiB]' -r
complete -c iodyno -n "__fish_iodyno_using_subcommand tune" -l preset -d 'A load by its purpose, such as oltp, wal or backup; `iodyno catalogue` lists them' -r
complete -c iodyno -n "__fish_iodyno_using_subcommand tune" -l job -d 'A fio job file' -r -F
complete -c iodyno -n "__fish_iodyno_using_subcommand tune" -l section -d 'Only these sections of the job file' -r
complete -c iodyno -n "__fish_iodyno_using_subcommand tune" -l engine -d 'native, or fio: the fio that is installed here runs the same job' -r -f -a "native\t''
fio\t''"
complete -c iodyno -n "__fish_iodyno_using_subcommand tune" -l rw -d 'read, write, randread, randwrite, rw, randrw, trim or randtrim [default: randread]' -r
complete -c iodyno -n "__fish_iodyno_using_subcommand tune" -l bs -d 'Block size [default: 4k]' -r
complete -c iodyno -n "__fish_iodyno_using_subcommand tune" -l iodepth -d 'I/Os in flight for each job [default: 32]' -r
complete -c iodyno -n "__fish_iodyno_using_subcommand tune" -l numjobs -d 'Threads that each run the job [default: 1]' -r
complete -c iodyno -n "__fish_iodyno_using_subcommand tune" -l direct -d '1 for O_DIRECT, 0 for the page cache [default: 1]' -r
complete -c iodyno -n "__fish_iodyno_using_subcommand tune" -l size -d 'Bytes of the target to use [default: the whole of a file or device, 1G of scratch in a directory]' -r
complete -c iodyno -n "__fish_iodyno_using_subcommand tune" -l ioengine -d 'What produces the load: io_uring, libaio, psync and more; `iodyno catalogue` lists them [default: io_uring]' -r
complete -c iodyno -n "__fish_iodyno_using_subcommand tune" -l command -d 'A shell command that makes the load, all its words in one: \'pgbench -P 1 -c 8 -T 3600 bench\'. It does what you could do yourself' -r
complete -c iodyno -n "__fish_iodyno_using_subcommand tune" -l metric-regex -d 'Which lines of the command tell its rate: the numbers in the groups are added up [default: those of pgbench -P 1 and sysbench --report-interval=1]' -r
complete -c iodyno -n "__fish_iodyno_using_subcommand tune" -l metric-better -d 'Which way the printed rate is better: higher or lower [default: higher]' -r -f -a "higher\t''
lower\t''"
complete -c iodyno -n "__fish_iodyno_using_subcommand tune" -l engine-option -d 'An option of that engine alone: `iodyno explain ENGINE` lists them' -r
complete -c iodyno -n "__fish_iodyno_using_subcommand tune" -l rwmixread -d 'Share of reads in a mix, per cent [default: 50]' -r
complete -c iodyno -n "__fish_iodyno_using_subcommand tune" -l rate-iops -d 'I/Os per second for each job; as fast as it goes without' -r
complete -c iodyno -n "__fish_iodyno_using_subcommand tune" -l arrivals -d 'With a rate: linear or poisson [default: linear]' -r
complete -c iodyno -n "__fish_iodyno_using_subcommand tune" -l fsync -d 'fsync after so many writes' -r
complete -c iodyno -n "__fish_iodyno_using_subcommand tune" -l cpus-allowed -d 'CPUs to pin the jobs to, such as 1 or 0,2' -r
complete -c iodyno -n "__fish_iodyno_using_subcommand tune" -l max-size -d 'Use at most so much of the target for each job, whatever it says, all of its processes together; the engine files has its own options for that' -r
complete -c iodyno -n "__fish_iodyno_using_subcommand tune" -l max-runtime -d 'Run each job at most so long, whatever it says' -r
complete -c iodyno -n "__fish_iodyno_using_subcommand tune" -l here -d 'With --container and --overwrite or --destroy-data: the target once more, as it is named on this machine' -r -F
complete -c iodyno -n "__fish_iodyno_using_subcommand tune" -l reboot-plan -d 'Change nothing, and write a plan that tries this argument of the kernel in eight pairs of boots, in random order: mitigations=off, nvme.poll_queues=4. The budget is the load of all boots together' -r
complete -c iodyno -n "__fish_iodyno_using_subcommand tune" -l plan-dir -d 'The directory in which the plan is made [default: boots in the state directory]' -r -F
complete -c iodyno -n "__fish_iodyno_using_subcommand tune" -l next-boot -d 'The shell command that boots with the command line in $IODYNO_COMMAND_LINE [default: kexec, where it is installed; else you do it by hand]' -r
complete -c iodyno -n "__fish_iodyno_using_subcommand tune" -l settle -d 'How long a boot is left alone before its load' -r
complete -c iodyno -n "__fish_iodyno_using_subcommand tune" -l container -d 'Take the target as this container names it, and do what is done within its limits: the container\'s name, its id, or the number of a process in it' -r
complete -c iodyno -n "__fish_iodyno_using_subcommand tune" -l run-again -d 'The command ends by itself: each window is one run of it, judged by the number that it prints at its end, or by how long it takes where it prints none'
complete -c iodyno -n "__fish_iodyno_using_subcommand tune" -l even-if-pointless -d 'Try a knob that was named also where it cannot act on this load'
complete -c iodyno -n "__fish_iodyno_using_subcommand tune" -l strict -d 'Refuse a job that would not measure what it says'
complete -c iodyno -n "__fish_iodyno_using_subcommand tune" -l accept-worse-p99 -d 'Accept a worse p99 in exchange for throughput'
complete -c iodyno -n "__fish_iodyno_using_subcommand tune" -l dry-run -d 'Show what would be changed, for how long and how it is put back; do nothing'
complete -c iodyno -n "__fish_iodyno_using_subcommand tune" -l aa -d 'Write the value that is set already instead of the arm\'s: a check of iodyno itself, which must find no winner'
complete -c iodyno -n "__fish_iodyno_using_subcommand tune" -l stream -d 'Print a JSON line on stdout for each step of the experiment, and the record\'s at the end; words go to stderr'
complete -c iodyno -n "__fish_iodyno_using_subcommand tune" -l open-loop -d 'With a rate: I/Os arrive by the clock, whether or not earlier ones came back; latency counts from the arrival'
complete -c iodyno -n "__fish_iodyno_using_subcommand tune" -l destroy-data -d 'Allow writes to a block device: everything on it is lost'
complete -c iodyno -n "__fish_iodyno_using_subcommand tune" -l overwrite -d 'Allow writes to an existing file: its content is lost'
complete -c iodyno -n "__fish_iodyno_using_subcommand tune" -l force-signature -d 'With --destroy-data: also when a file system or RAID signature is on the device'
complete -c iodyno -n "__fish_iodyno_using_subcommand tune" -l json -d 'Print one JSON document on stdout; words for people go to stderr'
complete -c iodyno -n "__fish_iodyno_using_subcommand tune" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c iodyno -n "__fish_iodyno_using_subcommand tune" -s V -l version -d 'Print version'
complete -c iodyno -n "__fish_iodyno_using_subcommand boots" -l measure -d 'Measure this boot, and boot the next one, or say which it is'
complete -c iodyno -n "__fish_iodyno_using_subcommand boots" -l json -d 'Print one JSON document on stdout; words for people go to stderr'
complete -c iodyno -n "__fish_iodyno_using_subcommand boots" -s h -l help -d 'Print help'
complete -c iodyno -n "__fish_iodyno_using_subcommand boots" -s V -l version -d 'Print version'
complete -c iodyno -n "__fish_iodyno_using_subcommand apply" -l only -d 'Only the value of this knob, of several that won; repeat it for more that were proved together' -r
complete -c iodyno -n "__fish_iodyno_using_subcommand apply" -l confirm -d 'Put everything back unless `keep` is typed within this time: after Ctrl-C, a lost connection or silence too' -r
complete -c iodyno -n "__fish_iodyno_using_subcommand apply" -l as -d 'Write the proven values for another tool to stdout; change nothing' -r -f -a "ansible\t'A list of tasks for Ansible'
tuned\t'A profile for TuneD'
shell\t'A POSIX shell script that also puts back'"
complete -c iodyno -n "__fish_iodyno_using_subcommand apply" -s o -l output -d 'With --as: into this file, which must be new' -r -F
complete -c iodyno -n "__fish_iodyno_using_subcommand apply" -l mark -d 'Mark the change as one that a fleet began, so that it is found again' -r
complete -c iodyno -n "__fish_iodyno_using_subcommand apply" -l persist -d 'Make the settings outlive a reboot, the way this distribution does it'
complete -c iodyno -n "__fish_iodyno_using_subcommand apply" -l outrank -d 'With --persist: where a file of somebody else would have the last word, write one whose name sorts after it'
complete -c iodyno -n "__fish_iodyno_using_subcommand apply" -l despite-owners -d 'With --persist: also where somebody else keeps the last word, such as TuneD'
complete -c iodyno -n "__fish_iodyno_using_subcommand apply" -l write-proposal -d 'With --persist: make the change of /etc/fstab or of another file that was shown'
complete -c iodyno -n "__fish_iodyno_using_subcommand apply" -l even-if-it-fades -d 'With --persist: also where it is not known whether the gain lasts'
complete -c iodyno -n "__fish_iodyno_using_subcommand apply" -l dry-run -d 'Show what would be written; do nothing'
complete -c iodyno -n "__fish_iodyno_using_subcommand apply" -l from-elsewhere -d 'Apply a record that was not measured on this machine; shows first what of it is trusted'
complete -c iodyno -n "__fish_iodyno_using_subcommand apply" -l json -d 'Print one JSON document on stdout; words for people go to stderr'
complete -c iodyno -n "__fish_iodyno_using_subcommand apply" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c iodyno -n "__fish_iodyno_using_subcommand apply" -s V -l version -d 'Print version'
complete -c iodyno -n "__fish_iodyno_using_subcommand set" -l confirm -d 'Put everything back unless `keep` is typed within this time: after Ctrl-C, a lost connection or silence too' -r
complete -c iodyno -n "__fish_iodyno_using_subcommand set" -l persist -d 'Make the settings outlive a reboot, the way this distribution does it'
complete -c iodyno -n "__fish_iodyno_using_subcommand set" -l outrank -d 'With --persist: where a file of somebody else would have the last word, write one whose name sorts after it'
complete -c iodyno -n "__fish_iodyno_using_subcommand set" -l despite-owners -d 'With --persist: also where somebody else keeps the last word, such as TuneD'
complete -c iodyno -n "__fish_iodyno_using_subcommand set" -l write-proposal -d 'With --persist: make the change of /etc/fstab or of another file that was shown'
complete -c iodyno -n "__fish_iodyno_using_subcommand set" -l dry-run -d 'Show what would be written; do nothing'
complete -c iodyno -n "__fish_iodyno_using_subcommand set" -l json -d 'Print one JSON document on stdout; words for people go to stderr'
complete -c iodyno -n "__fish_iodyno_using_subcommand set" -s h -l help -d 'Print help'
complete -c iodyno -n "__fish_iodyno_using_subcommand set" -s V -l version -d 'Print version'
complete -c iodyno -n "__fish_iodyno_using_subcommand import" -l tag -d 'A tag for the new records; may be given more than once' -r
complete -c iodyno -n "__fish_iodyno_using_subcommand import" -l host -d 'Which host the results are of, where they do not say' -r
complete -c iodyno -n "__fish_iodyno_using_subcommand import" -l device -d 'Which device the results are of, where they do not say' -r
complete -c iodyno -n "__fish_iodyno_using_subcommand import" -l dry-run -d 'Say what is found and keep nothing'
complete -c iodyno -n "__fish_iodyno_using_subcommand import" -s v -l verbose -d 'List every line that could not be read, and every unit and loss with its records'
complete -c iodyno -n "__fish_iodyno_using_subcommand import" -l json -d 'Print one JSON document on stdout; words for people go to stderr'
complete -c iodyno -n "__fish_iodyno_using_subcommand import" -s h -l help -d 'Print help'
complete -c iodyno -n "__fish_iodyno_using_subcommand import" -s V -l version -d 'Print version'
complete -c iodyno -n "__fish_iodyno_using_subcommand undo" -l all -d 'Undo every journal, all changes that were left in place too'
complete -c iodyno -n "__fish_iodyno_using_subcommand undo" -l unfinished -d 'Undo what ended unfinished alone: a change that was left in place stays, also where nothing else is there'
complete -c iodyno -n "__fish_iodyno_using_subcommand undo" -l with-later -d 'Undo the later changes too that were made to the same settings, the last one first'
complete -c iodyno -n "__fish_iodyno_using_subcommand undo" -l salvage -d 'Of a damaged journal, put back what its whole lines say. The file is kept under another name'
complete -c iodyno -n "__fish_iodyno_using_subcommand undo" -l forget -d 'Remove the journal of a device that is gone for good, or of a file that you have edited since; writes no setting'
complete -c iodyno -n "__fish_iodyno_using_subcommand undo" -l accept -d 'Take what the settings show now for what was left in place, so that `status` calls it no drift; writes no setting'
complete -c iodyno -n "__fish_iodyno_using_subcommand undo" -l json -d 'Print one JSON document on stdout; words for people go to stderr'
complete -c iodyno -n "__fish_iodyno_using_subcommand undo" -s h -l help -d 'Print help'
complete -c iodyno -n "__fish_iodyno_using_subcommand undo" -s V -l version -d 'Print version'
complete -c iodyno -n "__fish_iodyno_using_subcommand status" -l json -d 'Print one JSON document on stdout; words for people go to stderr'
complete -c iodyno -n "__fish_iodyno_using_subcommand status" -s h -l help -d 'Print help'
complete -c iodyno -n "__fish_iodyno_using_subcommand status" -s V -l version -d 'Print version'
complete -c iodyno -n "__fish_iodyno_using_subcommand fleet" -l hosts -d 'The hosts: a list (db1,root@db2:2222,web[01:10]), a file with one a line, or an Ansible inventory (INI or YAML). Only `undo` goes without: then it means the hosts that were lost while something was changed there' -r
complete -c iodyno -n "__fish_iodyno_using_subcommand fleet" -l group -d 'Of an inventory only this group' -r
complete -c iodyno -n "__fish_iodyno_using_subcommand fleet" -l via -d 'How to reach a host in place of ssh: \'ip netns exec {host} {command}\', \'podman exec -i {host} {command}\', \'kubectl exec -i {host} -- {command}\'' -r
complete -c iodyno -n "__fish_iodyno_using_subcommand fleet" -l ssh-config -d 'Configuration of ssh in place of the user\'s (ssh -F)' -r -F
complete -c iodyno -n "__fish_iodyno_using_subcommand fleet" -l at-once -d 'Hosts that are prepared and asked at once; those of a load that begins together then wait for each other' -r
complete -c iodyno -n "__fish_iodyno_using_subcommand fleet" -l connect-timeout -d 'The longest that connecting to a host may take' -r
complete -c iodyno -n "__fish_iodyno_using_subcommand fleet" -l silence -d 'A host that says nothing for so long is given up; the verb there puts everything back by itself' -r
complete -c iodyno -n "__fish_iodyno_using_subcommand fleet" -l timeout -d 'The longest that one host may take in all [default: no limit]' -r
complete -c iodyno -n "__fish_iodyno_using_subcommand fleet" -l ready-timeout -d 'When half of the hosts are ready to begin a load, the others get so much longer; twice what the first took, if that is more' -r
complete -c iodyno -n "__fish_iodyno_using_subcommand fleet" -l binary -d 'The binary for hosts of another architecture, as `uname -m` calls it: aarch64=PATH' -r
complete -c iodyno -n "__fish_iodyno_using_subcommand fleet" -l sudo -d 'Become root on the hosts by `sudo -n`, which asks nothing: the right must be there without a password'
complete -c iodyno -n "__fish_iodyno_using_subcommand fleet" -l json -d 'Print one JSON document on stdout; words for people go to stderr'
complete -c iodyno -n "__fish_iodyno_using_subcommand fleet" -s h -l help -d 'Print help'
complete -c iodyno -n "__fish_iodyno_using_subcommand fleet" -s V -l version -d 'Print version'
complete -c iodyno -n "__fish_iodyno_using_subcommand serve" -l listen -d 'Where to listen; :0 takes a free port. Anything but a loopback address needs --tls-cert and --tls-key' -r
complete -c iodyno -n "__fish_iodyno_using_subcommand serve" -l target -d 'A directory that may be loaded from the browser, besides mounts and disks. Repeat for more' -r -F
complete -c iodyno -n "__fish_iodyno_using_subcommand serve" -l allow-host -d 'A name by which the server may be called besides localhost. Repeat for more' -r
complete -c iodyno -n "__fish_iodyno_using_subcommand serve" -l tls-cert -d 'Certificate, PEM, with what it is signed with' -r -F
complete -c iodyno -n "__fish_iodyno_using_subcommand serve" -l tls-key -d 'Its key, PEM; a file that others may read is refused' -r -F
complete -c iodyno -n "__fish_iodyno_using_subcommand serve" -l address-file -d 'Write the address into this file, for you alone, in place of printing it: its token belongs in no log' -r -F
complete -c iodyno -n "__fish_iodyno_using_subcommand serve" -l import-time -d 'How long an import of a file that was sent may take' -r
complete -c iodyno -n "__fish_iodyno_using_subcommand serve" -l read-only -d 'Show everything, change and start nothing'
complete -c iodyno -n "__fish_iodyno_using_subcommand serve" -l json -d 'Print one JSON document on stdout; words for people go to stderr'
complete -c iodyno -n "__fish_iodyno_using_subcommand serve" -s h -l help -d 'Print help'
complete -c iodyno -n "__fish_iodyno_using_subcommand serve" -s V -l version -d 'Print version'
complete -c iodyno -n "__fish_iodyno_using_subcommand judge" -l arm -d 'Name of an arm; once for each, the default first' -r
complete -c iodyno -n "__fish_iodyno_using_subcommand judge" -l class -d 'How long a switch between arms keeps acting: fast, learned or slow' -r
complete -c iodyno -n "__fish_iodyno_using_subcommand judge" -l metric -d 'What the driver\'s numbers are called, as it stands behind a change: tps, p99' -r
complete -c iodyno -n "__fish_iodyno_using_subcommand judge" -l unit -d 'Their unit: /s, bytes/s and ns get their prefixes, any other one is printed as it is' -r
complete -c iodyno -n "__fish_iodyno_using_subcommand judge" -l grain -d 'Time for which one number stands, from 10ms to 1s' -r
complete -c iodyno -n "__fish_iodyno_using_subcommand judge" -l rope -d 'Differences up to this count as equal' -r
complete -c iodyno -n "__fish_iodyno_using_subcommand judge" -l alpha -d 'Probability of naming a winner where there is none' -r
complete -c iodyno -n "__fish_iodyno_using_subcommand judge" -l memory -d 'How long a switch may plausibly go on acting, up to 40s: a verdict excludes an effect that fades within this time, and says so where it cannot. 1s for fast, 10s for learned and slow without it' -r
complete -c iodyno -n "__fish_iodyno_using_subcommand judge" -l budget -d 'Device time of all windows together. Without it, what is enough for most: 2m 30s for two fast arms' -r
complete -c iodyno -n "__fish_iodyno_using_subcommand judge" -l seed -d 'Seed of the order of all windows; without it, a new one, which the first line names' -r
complete -c iodyno -n "__fish_iodyno_using_subcommand judge" -l lower-is-better -d 'Less is better: a latency, a number of errors'
complete -c iodyno -n "__fish_iodyno_using_subcommand judge" -l json -d 'Print one JSON document on stdout; words for people go to stderr'
complete -c iodyno -n "__fish_iodyno_using_subcommand judge" -s h -l help -d 'Print help'
complete -c iodyno -n "__fish_iodyno_using_subcommand judge" -s V -l version -d 'Print version'
complete -c iodyno -n "__fish_iodyno_using_subcommand cloud" -l iops -d 'I/Os a second: provisioned for TYPE, or needed by a load' -r
complete -c iodyno -n "__fish_iodyno_using_subcommand cloud" -l mbps -d 'Bandwidth provisioned for TYPE, in the unit of its provider (MB/s or MiB/s)' -r
complete -c iodyno -n "__fish_iodyno_using_subcommand cloud" -l instance -d 'The instance type that TYPE is attached to: m5.large, Standard_D4s_v5' -r
complete -c iodyno -n "__fish_iodyno_using_subcommand cloud" -l bandwidth -d 'Bytes a second that a load needs: 200m' -r
complete -c iodyno -n "__fish_iodyno_using_subcommand cloud" -l bs -d 'Size of the load\'s I/Os [default: 4k; with --bandwidth alone large ones, of 1m]' -r
complete -c iodyno -n "__fish_iodyno_using_subcommand cloud" -l size -d 'Room that the load needs: 500g' -r
complete -c iodyno -n "__fish_iodyno_using_subcommand cloud" -l provider -d 'Only disks of this provider: aws, azure, gcp, alibaba' -r
complete -c iodyno -n "__fish_iodyno_using_subcommand cloud" -l prices -d 'Prices, to order by: a JSON file as the guide describes it' -r -F
complete -c iodyno -n "__fish_iodyno_using_subcommand cloud" -l record -d 'A record whose rate is to be recognised' -r
complete -c iodyno -n "__fish_iodyno_using_subcommand cloud" -l series -d 'A file with one rate a line, or of fio\'s write_iops_log, whose plateau is to be recognised' -r -F
complete -c iodyno -n "__fish_iodyno_using_subcommand cloud" -l every -d 'Time between two lines of --series, where it does not say itself' -r
complete -c iodyno -n "__fish_iodyno_using_subcommand cloud" -l data -d 'Types and instances of your own, in front of those that come along' -r -F
complete -c iodyno -n "__fish_iodyno_using_subcommand cloud" -l target -d 'The path whose disks are looked at, where nothing else is asked [default: the working directory]' -r
complete -c iodyno -n "__fish_iodyno_using_subcommand cloud" -l root -d 'Look at a captured machine in place of this one' -r -F
complete -c iodyno -n "__fish_iodyno_using_subcommand cloud" -l json -d 'Print one JSON document on stdout; words for people go to stderr'
complete -c iodyno -n "__fish_iodyno_using_subcommand cloud" -s h -l help -d 'Print help'
complete -c iodyno -n "__fish_iodyno_using_subcommand cloud" -s V -l version -d 'Print version'
complete -c iodyno -n "__fish_iodyno_using_subcommand compare" -l base -d 'Which of them the others are compared with [default: the first]' -r
complete -c iodyno -n "__fish_iodyno_using_subcommand compare" -l by -d 'Rank by this measure: iops, bw, read.p99, mean [default: IOPS, of large blocks bandwidth]' -r
complete -c iodyno -n "__fish_iodyno_using_subcommand compare" -l fail-if -d 'End with status 1 when this is so: p99>+5%, read.p99>2ms, write.iops<-10%, bw<200MiB/s. May be given more than once' -r
complete -c iodyno -n "__fish_iodyno_using_subcommand compare" -l junit -d 'Write the bounds as JUnit XML, for a build server' -r -F
complete -c iodyno -n "__fish_iodyno_using_subcommand compare" -l markdown -d 'Write the comparison as Markdown; to stdout without a file' -r -F
complete -c iodyno -n "__fish_iodyno_using_subcommand compare" -s n -l limit -d 'How many records to look through with --rank' -r
complete -c iodyno -n "__fish_iodyno_using_subcommand compare" -l host -d 'Of this host' -r
complete -c iodyno -n "__fish_iodyno_using_subcommand compare" -l device -d 'With this block device on the path: sda, /dev/nvme0n1' -r
complete -c iodyno -n "__fish_iodyno_using_subcommand compare" -l serial -d 'With the disk of this serial number, wherever it was and whatever its name' -r
complete -c iodyno -n "__fish_iodyno_using_subcommand compare" -l target -d 'Of this target, or of one below it' -r
complete -c iodyno -n "__fish_iodyno_using_subcommand compare" -l job -d 'Of this job: words of it ("randread bs=4k iodepth=32"), or its fingerprint from --json' -r
complete -c iodyno -n "__fish_iodyno_using_subcommand compare" -l kernel -d 'Made under this kernel release, or one that begins so: 6.1' -r
complete -c iodyno -n "__fish_iodyno_using_subcommand compare" -l verb -d 'Made by this verb: run, tune, check, watch, import' -r
complete -c iodyno -n "__fish_iodyno_using_subcommand compare" -l tag -d 'With this tag' -r
complete -c iodyno -n "__fish_iodyno_using_subcommand compare" -l setting -d 'With this setting on the path, or with this value of it: scheduler=none' -r
complete -c iodyno -n "__fish_iodyno_using_subcommand compare" -l since -d 'Measured since: 2026-11-21, "2026-11-21 18:30", or 7d ago' -r
complete -c iodyno -n "__fish_iodyno_using_subcommand compare" -l until -d 'Measured before' -r
complete -c iodyno -n "__fish_iodyno_using_subcommand compare" -l text -d 'With this text in summary, target, job, model, tags or notes' -r
complete -c iodyno -n "__fish_iodyno_using_subcommand compare" -l rank -d 'Rank devices, one table for each job that several of them had'
complete -c iodyno -n "__fish_iodyno_using_subcommand compare" -l strict -d 'Count as crossed what may be: a limit that lies inside an interval'
complete -c iodyno -n "__fish_iodyno_using_subcommand compare" -l json -d 'Print one JSON document on stdout; words for people go to stderr'
complete -c iodyno -n "__fish_iodyno_using_subcommand compare" -s h -l help -d 'Print help'
complete -c iodyno -n "__fish_iodyno_using_subcommand compare" -s V -l version -d 'Print version'
complete -c iodyno -n "__fish_iodyno_using_subcommand history" -l measure -d 'What is looked at: iops, bw, p99, read.mean; may be given more than once [default: iops and p99]' -r
complete -c iodyno -n "__fish_iodyno_using_subcommand history" -l like -d 'Records of the same job on a like device as this one, and this one' -r
complete -c iodyno -n "__fish_iodyno_using_subcommand history" -l alpha -d 'Chance of finding a change anywhere where there is none' -r
complete -c iodyno -n "__fish_iodyno_using_subcommand history" -l seed -d 'Seed of the draws behind the probabilities' -r
complete -c iodyno -n "__fish_iodyno_using_subcommand history" -s n -l limit -d 'How many of the newest records to look at' -r
complete -c iodyno -n "__fish_iodyno_using_subcommand history" -l host -d 'Of this host' -r
complete -c iodyno -n "__fish_iodyno_using_subcommand history" -l device -d 'With this block device on the path: sda, /dev/nvme0n1' -r
complete -c iodyno -n "__fish_iodyno_using_subcommand history" -l serial -d 'With the disk of this serial number, wherever it was and whatever its name' -r
complete -c iodyno -n "__fish_iodyno_using_subcommand history" -l target -d 'Of this target, or of one below it' -r
complete -c iodyno -n "__fish_iodyno_using_subcommand history" -l job -d 'Of this job: words of it ("randread bs=4k iodepth=32"), or its fingerprint from --json' -r
complete -c iodyno -n "__fish_iodyno_using_subcommand history" -l kernel -d 'Made under this kernel release, or one that begins so: 6.1' -r
complete -c iodyno -n "__fish_iodyno_using_subcommand history" -l verb -d 'Made by this verb: run, tune, check, watch, import' -r
complete -c iodyno -n "__fish_iodyno_using_subcommand history" -l tag -d 'With this tag' -r
complete -c iodyno -n "__fish_iodyno_using_subcommand history" -l setting -d 'With this setting on the path, or with this value of it: scheduler=none' -r
complete -c iodyno -n "__fish_iodyno_using_subcommand history" -l since -d 'Measured since: 2026-11-21, "2026-11-21 18:30", or 7d ago' -r
complete -c iodyno -n "__fish_iodyno_using_subcommand history" -l until -d 'Measured before' -r
complete -c iodyno -n "__fish_iodyno_using_subcommand history" -l text -d 'With this text in summary, target, job, model, tags or notes' -r
complete -c iodyno -n "__fish_iodyno_using_subcommand history" -l json -d 'Print one JSON document on stdout; words for people go to stderr'
complete -c iodyno -n "__fish_iodyno_using_subcommand history" -s h -l help -d 'Print help'
complete -c iodyno -n "__fish_iodyno_using_subcommand history" -s V -l version -d 'Print version'
complete -c iodyno -n "__fish_iodyno_using_subcommand list" -s n -l limit -d 'How many to show' -r
complete -c iodyno -n "__fish_iodyno_using_subcommand list" -l before -d 'Only records before this number: what comes after a page' -r
complete -c iodyno -n "__fish_iodyno_using_subcommand list" -l host -d 'Of this host' -r
complete -c iodyno -n "__fish_iodyno_using_subcommand list" -l device -d 'With this block device on the path: sda, /dev/nvme0n1' -r
complete -c iodyno -n "__fish_iodyno_using_subcommand list" -l serial -d 'With the disk of this serial number, wherever it was and whatever its name' -r
complete -c iodyno -n "__fish_iodyno_using_subcommand list" -l target -d 'Of this target, or of one below it' -r
complete -c iodyno -n "__fish_iodyno_using_subcommand list" -l job -d 'Of this job: words of it ("randread bs=4k iodepth=32"), or its fingerprint from --json' -r
complete -c iodyno -n "__fish_iodyno_using_subcommand list" -l kernel -d 'Made under this kernel release, or one that begins so: 6.1' -r
complete -c iodyno -n "__fish_iodyno_using_subcommand list" -l verb -d 'Made by this verb: run, tune, check, watch, import' -r
complete -c iodyno -n "__fish_iodyno_using_subcommand list" -l tag -d 'With this tag' -r
complete -c iodyno -n "__fish_iodyno_using_subcommand list" -l setting -d 'With this setting on the path, or with this value of it: scheduler=none' -r
complete -c iodyno -n "__fish_iodyno_using_subcommand list" -l since -d 'Measured since: 2026-11-21, "2026-11-21 18:30", or 7d ago' -r
complete -c iodyno -n "__fish_iodyno_using_subcommand list" -l until -d 'Measured before' -r
complete -c iodyno -n "__fish_iodyno_using_subcommand list" -l text -d 'With this text in summary, target, job, model, tags or notes' -r
complete -c iodyno -n "__fish_iodyno_using_subcommand list" -l json -d 'Print one JSON document on stdout; words for people go to stderr'
complete -c iodyno -n "__fish_iodyno_using_subcommand list" -s h -l help -d 'Print help'
complete -c iodyno -n "__fish_iodyno_using_subcommand list" -s V -l version -d 'Print version'
complete -c iodyno -n "__fish_iodyno_using_subcommand show" -l json -d 'Print one JSON document on stdout; words for people go to stderr'
complete -c iodyno -n "__fish_iodyno_using_subcommand show" -s h -l help -d 'Print help'
complete -c iodyno -n "__fish_iodyno_using_subcommand show" -s V -l version -d 'Print version'
complete -c iodyno -n "__fish_iodyno_using_subcommand tag" -l add -d 'Add this tag; may be given several times, or several after commas' -r
complete -c iodyno -n "__fish_iodyno_using_subcommand tag" -l remove -d 'Take this tag away' -r
complete -c iodyno -n "__fish_iodyno_using_subcommand tag" -l json -d 'Print one JSON document on stdout; words for people go to stderr'
complete -c iodyno -n "__fish_iodyno_using_subcommand tag" -s h -l help -d 'Print help'
complete -c iodyno -n "__fish_iodyno_using_subcommand tag" -s V -l version -d 'Print version'
complete -c iodyno -n "__fish_iodyno_using_subcommand note" -l remove -d 'Take the note of this number away' -r
complete -c iodyno -n "__fish_iodyno_using_subcommand note" -l json -d 'Print one JSON document on stdout; words for people go to stderr'
complete -c iodyno -n "__fish_iodyno_using_subcommand note" -s h -l help -d 'Print help'
complete -c iodyno -n "__fish_iodyno_using_subcommand note" -s V -l version -d 'Print version'
complete -c iodyno -n "__fish_iodyno_using_subcommand delete" -l yes -d 'Do not ask'
complete -c iodyno -n "__fish_iodyno_using_subcommand delete" -l json -d 'Print one JSON document on stdout; words for people go to stderr'
complete -c iodyno -n "__fish_iodyno_using_subcommand delete" -s h -l help -d 'Print help'
complete -c iodyno -n "__fish_iodyno_using_subcommand delete" -s V -l version -d 'Print version'
complete -c iodyno -n "__fish_iodyno_using_subcommand export" -l csv -d 'A table as CSV on stdout: records (the default), samples, intervals, histograms or settings' -r
complete -c iodyno -n "__fish_iodyno_using_subcommand export" -l parquet -d 'All tables as Parquet into this directory, which is new or empty' -r -F
complete -c iodyno -n "__fish_iodyno_using_subcommand export" -l host -d 'Of this host' -r
complete -c iodyno -n "__fish_iodyno_using_subcommand export" -l device -d 'With this block device on the path: sda, /dev/nvme0n1' -r
complete -c iodyno -n "__fish_iodyno_using_subcommand export" -l serial -d 'With the disk of this serial number, wherever it was and whatever its name' -r
complete -c iodyno -n "__fish_iodyno_using_subcommand export" -l target -d 'Of this target, or of one below it' -r
complete -c iodyno -n "__fish_iodyno_using_subcommand export" -l job -d 'Of this job: words of it ("randread bs=4k iodepth=32"), or its fingerprint from --json' -r
complete -c iodyno -n "__fish_iodyno_using_subcommand export" -l kernel -d 'Made under this kernel release, or one that begins so: 6.1' -r
complete -c iodyno -n "__fish_iodyno_using_subcommand export" -l verb -d 'Made by this verb: run, tune, check, watch, import' -r
complete -c iodyno -n "__fish_iodyno_using_subcommand export" -l tag -d 'With this tag' -r
complete -c iodyno -n "__fish_iodyno_using_subcommand export" -l setting -d 'With this setting on the path, or with this value of it: scheduler=none' -r
complete -c iodyno -n "__fish_iodyno_using_subcommand export" -l since -d 'Measured since: 2026-11-21, "2026-11-21 18:30", or 7d ago' -r
complete -c iodyno -n "__fish_iodyno_using_subcommand export" -l until -d 'Measured before' -r
complete -c iodyno -n "__fish_iodyno_using_subcommand export" -l text -d 'With this text in summary, target, job, model, tags or notes' -r
complete -c iodyno -n "__fish_iodyno_using_subcommand export" -l all -d 'Every record'
complete -c iodyno -n "__fish_iodyno_using_subcommand export" -l json -d 'Print one JSON document on stdout; words for people go to stderr'
complete -c iodyno -n "__fish_iodyno_using_subcommand export" -s h -l help -d 'Print help'
complete -c iodyno -n "__fish_iodyno_using_subcommand export" -s V -l version -d 'Print version'
complete -c iodyno -n "__fish_iodyno_using_subcommand merge" -l json -d 'Print one JSON document on stdout; words for people go to stderr'
complete -c iodyno -n "__fish_iodyno_using_subcommand merge" -s h -l help -d 'Print help'
complete -c iodyno -n "__fish_iodyno_using_subcommand merge" -s V -l version -d 'Print version'
complete -c iodyno -n "__fish_iodyno_using_subcommand store; and not __fish_seen_subcommand_from check backup help" -l json -d 'Print one JSON document on stdout; words for people go to stderr'
complete -c iodyno -n "__fish_iodyno_using_subcommand store; and not __fish_seen_subcommand_from check backup help" -s h -l help -d 'Print help'
complete -c iodyno -n "__fish_iodyno_using_subcommand store; and not __fish_seen_subcommand_from check backup help" -s V -l version -d 'Print version'
complete -c iodyno -n "__fish_iodyno_using_subcommand store; and not __fish_seen_subcommand_from check backup help" -f -a "check" -d 'Look at every page and every record; changes nothing'
complete -c iodyno -n "__fish_iodyno_using_subcommand store; and not __fish_seen_subcommand_from check backup help" -f -a "backup" -d 'Copy the store into a new file while it is in use'
complete -c iodyno -n "__fish_iodyno_using_subcommand store; and not __fish_seen_subcommand_from check backup help" -f -a "help" -d 'Print this message or the help of the given subcommand(s)'
complete -c iodyno -n "__fish_iodyno_using_subcommand store; and __fish_seen_subcommand_from check" -l json -d 'Print one JSON document on stdout; words for people go to stderr'
complete -c iodyno -n "__fish_iodyno_using_subcommand store; and __fish_seen_subcommand_from check" -s h -l help -d 'Print help'
complete -c iodyno -n "__fish_iodyno_using_subcommand store; and __fish_seen_subcommand_from check" -s V -l version -d 'Print version'
complete -c iodyno -n "__fish_iodyno_using_subcommand store; and __fish_seen_subcommand_from backup" -l json -d 'Print one JSON document on stdout; words for people go to stderr'
complete -c iodyno -n "__fish_iodyno_using_subcommand store; and __fish_seen_subcommand_from backup" -s h -l help -d 'Print help'
complete -c iodyno -n "__fish_iodyno_using_subcommand store; and __fish_seen_subcommand_from backup" -s V -l version -d 'Print version'
complete -c iodyno -n "__fish_iodyno_using_subcommand store; and __fish_seen_subcommand_from help" -f -a "check" -d 'Look at every page and every record; changes nothing'
complete -c iodyno -n "__fish_iodyno_using_subcommand store; and __fish_seen_subcommand_from help" -f -a "backup" -d 'Copy the store into a new file while it is in use'
complete -c iodyno -n "__fish_iodyno_using_subcommand store; and __fish_seen_subcommand_from help" -f -a "help" -d 'Print this message or the help of the given subcommand(s)'
complete -c iodyno -n "__fish_iodyno_using_subcommand report" -s o -l output -d 'Where to; the ending says what: .html, .md, .json, .csv. `-` is stdout. By default iodyno-N.html here' -r -F
complete -c iodyno -n "__fish_iodyno_using_subcommand report" -l format -d 'What to write, where the ending does not say' -r -f -a "html\t'One page with figures, tables and data, that needs no network'
md\t'Words and tables, for tickets'
json\t'The whole record'
csv\t'Every sample, one value a line'"
complete -c iodyno -n "__fish_iodyno_using_subcommand report" -l figures -d 'Also write every figure as an SVG file into this directory' -r -F
complete -c iodyno -n "__fish_iodyno_using_subcommand report" -l force -d 'Replace files that are there'
complete -c iodyno -n "__fish_iodyno_using_subcommand report" -l json -d 'Print one JSON document on stdout; words for people go to stderr'
complete -c iodyno -n "__fish_iodyno_using_subcommand report" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c iodyno -n "__fish_iodyno_using_subcommand report" -s V -l version -d 'Print version'
complete -c iodyno -n "__fish_iodyno_using_subcommand explain" -l json -d 'Print one JSON document on stdout; words for people go to stderr'
complete -c iodyno -n "__fish_iodyno_using_subcommand explain" -s h -l help -d 'Print help'
complete -c iodyno -n "__fish_iodyno_using_subcommand explain" -s V -l version -d 'Print version'
complete -c iodyno -n "__fish_iodyno_using_subcommand catalogue" -l json -d 'Print one JSON document on stdout; words for people go to stderr'
complete -c iodyno -n "__fish_iodyno_using_subcommand catalogue" -s h -l help -d 'Print help'
complete -c iodyno -n "__fish_iodyno_using_subcommand catalogue" -s V -l version -d 'Print version'
complete -c iodyno -n "__fish_iodyno_using_subcommand rights" -l json -d 'Print one JSON document on stdout; words for people go to stderr'
complete -c iodyno -n "__fish_iodyno_using_subcommand rights" -s h -l help -d 'Print help'
complete -c iodyno -n "__fish_iodyno_using_subcommand rights" -s V -l version -d 'Print version'
complete -c iodyno -n "__fish_iodyno_using_subcommand completions" -l json -d 'Print one JSON document on stdout; words for people go to stderr'
complete -c iodyno -n "__fish_iodyno_using_subcommand completions" -s h -l help -d 'Print help'
complete -c iodyno -n "__fish_iodyno_using_subcommand completions" -s V -l version -d 'Print version'
complete -c iodyno -n "__fish_iodyno_using_subcommand attend" -l json -d 'Print one JSON document on stdout; words for people go to stderr'
complete -c iodyno -n "__fish_iodyno_using_subcommand attend" -s h -l help -d 'Print help'
complete -c iodyno -n "__fish_iodyno_using_subcommand attend" -s V -l version -d 'Print version'
complete -c iodyno -n "__fish_iodyno_using_subcommand manual" -l list -d 'Print the verbs and the verbs below them, one a line, each with what it does after a tab'
complete -c iodyno -n "__fish_iodyno_using_subcommand manual" -l json -d 'Print one JSON document on stdout; words for people go to stderr'
complete -c iodyno -n "__fish_iodyno_using_subcommand manual" -s h -l help -d 'Print help'
complete -c iodyno -n "__fish_iodyno_using_subcommand manual" -s V -l version -d 'Print version'
complete -c iodyno -n "__fish_iodyno_using_subcommand serve-door" -l json -d 'Print one JSON document on stdout; words for people go to stderr'
complete -c iodyno -n "__fish_iodyno_using_subcommand serve-door" -s h -l help -d 'Print help'
complete -c iodyno -n "__fish_iodyno_using_subcommand serve-door" -s V -l version -d 'Print version'
complete -c iodyno -n "__fish_iodyno_using_subcommand openapi" -l json -d 'Print one JSON document on stdout; words for people go to stderr'
complete -c iodyno -n "__fish_iodyno_using_subcommand openapi" -s h -l help -d 'Print help'
complete -c iodyno -n "__fish_iodyno_using_subcommand openapi" -s V -l version -d 'Print version'
complete -c iodyno -n "__fish_iodyno_using_subcommand fill" -l json -d 'Print one JSON document on stdout; words for people go to stderr'
complete -c iodyno -n "__fish_iodyno_using_subcommand fill" -s h -l help -d 'Print help'
complete -c iodyno -n "__fish_iodyno_using_subcommand fill" -s V -l version -d 'Print version'
complete -c iodyno -n "__fish_iodyno_using_subcommand help; and not __fish_seen_subcommand_from inspect diff check run guard watch limit loop dataset k8s tune boots apply set import undo status fleet serve judge cloud compare history list show tag note delete export merge store report explain catalogue rights completions attend manual serve-door openapi fill help" -f -a "inspect" -d 'Show the I/O path below a target with every setting; changes nothing'
complete -c iodyno -n "__fish_iodyno_using_subcommand help; and not __fish_seen_subcommand_from inspect diff check run guard watch limit loop dataset k8s tune boots apply set import undo status fleet serve judge cloud compare history list show tag note delete export merge store report explain catalogue rights completions attend manual serve-door openapi fill help" -f -a "diff" -d 'What differs between two machines, captures or moments, ranked by how likely it matters; changes nothing'
complete -c iodyno -n "__fish_iodyno_using_subcommand help; and not __fish_seen_subcommand_from inspect diff check run guard watch limit loop dataset k8s tune boots apply set import undo status fleet serve judge cloud compare history list show tag note delete export merge store report explain catalogue rights completions attend manual serve-door openapi fill help" -f -a "check" -d 'Say why a target is slow: its path, short safe loads, all sensors and all rules; changes no setting without --prove'
complete -c iodyno -n "__fish_iodyno_using_subcommand help; and not __fish_seen_subcommand_from inspect diff check run guard watch limit loop dataset k8s tune boots apply set import undo status fleet serve judge cloud compare history list show tag note delete export merge store report explain catalogue rights completions attend manual serve-door openapi fill help" -f -a "run" -d 'Load a target once and keep the measurement as a record'
complete -c iodyno -n "__fish_iodyno_using_subcommand help; and not __fish_seen_subcommand_from inspect diff check run guard watch limit loop dataset k8s tune boots apply set import undo status fleet serve judge cloud compare history list show tag note delete export merge store report explain catalogue rights completions attend manual serve-door openapi fill help" -f -a "guard" -d 'Visit a target again and again, from a timer: say what is slower or set otherwise than it was, and what changed with it'
complete -c iodyno -n "__fish_iodyno_using_subcommand help; and not __fish_seen_subcommand_from inspect diff check run guard watch limit loop dataset k8s tune boots apply set import undo status fleet serve judge cloud compare history list show tag note delete export merge store report explain catalogue rights completions attend manual serve-door openapi fill help" -f -a "watch" -d 'Watch every sensor live: devices, layers, CPUs, interrupts, memory, processes'
complete -c iodyno -n "__fish_iodyno_using_subcommand help; and not __fish_seen_subcommand_from inspect diff check run guard watch limit loop dataset k8s tune boots apply set import undo status fleet serve judge cloud compare history list show tag note delete export merge store report explain catalogue rights completions attend manual serve-door openapi fill help" -f -a "limit" -d 'Show what a limit of a control group holds and what passes it by, and how groups share a disk'
complete -c iodyno -n "__fish_iodyno_using_subcommand help; and not __fish_seen_subcommand_from inspect diff check run guard watch limit loop dataset k8s tune boots apply set import undo status fleet serve judge cloud compare history list show tag note delete export merge store report explain catalogue rights completions attend manual serve-door openapi fill help" -f -a "loop" -d 'Make, list and remove loop devices over files that are really written, with a file system and a unit for systemd'
complete -c iodyno -n "__fish_iodyno_using_subcommand help; and not __fish_seen_subcommand_from inspect diff check run guard watch limit loop dataset k8s tune boots apply set import undo status fleet serve judge cloud compare history list show tag note delete export merge store report explain catalogue rights completions attend manual serve-door openapi fill help" -f -a "dataset" -d 'Read a data set of small files, cold and warm, here and elsewhere in turns, and say which is worth it by how much'
complete -c iodyno -n "__fish_iodyno_using_subcommand help; and not __fish_seen_subcommand_from inspect diff check run guard watch limit loop dataset k8s tune boots apply set import undo status fleet serve judge cloud compare history list show tag note delete export merge store report explain catalogue rights completions attend manual serve-door openapi fill help" -f -a "k8s" -d 'Load and check the storage of a Kubernetes cluster, by storage class, claim, node or host path'
complete -c iodyno -n "__fish_iodyno_using_subcommand help; and not __fish_seen_subcommand_from inspect diff check run guard watch limit loop dataset k8s tune boots apply set import undo status fleet serve judge cloud compare history list show tag note delete export merge store report explain catalogue rights completions attend manual serve-door openapi fill help" -f -a "tune" -d 'Prove by a randomised experiment on the live kernel which setting helps, and put everything back'
complete -c iodyno -n "__fish_iodyno_using_subcommand help; and not __fish_seen_subcommand_from inspect diff check run guard watch limit loop dataset k8s tune boots apply set import undo status fleet serve judge cloud compare history list show tag note delete export merge store report explain catalogue rights completions attend manual serve-door openapi fill help" -f -a "boots" -d 'Show how far a plan of boots is that `tune --reboot-plan` has made, or take its next step'
complete -c iodyno -n "__fish_iodyno_using_subcommand help; and not __fish_seen_subcommand_from inspect diff check run guard watch limit loop dataset k8s tune boots apply set import undo status fleet serve judge cloud compare history list show tag note delete export merge store report explain catalogue rights completions attend manual serve-door openapi fill help" -f -a "apply" -d 'Put in place what a tune has proved'
complete -c iodyno -n "__fish_iodyno_using_subcommand help; and not __fish_seen_subcommand_from inspect diff check run guard watch limit loop dataset k8s tune boots apply set import undo status fleet serve judge cloud compare history list show tag note delete export merge store report explain catalogue rights completions attend manual serve-door openapi fill help" -f -a "set" -d 'Put values in place that you choose, without a proof, and keep the old ones for `undo`'
complete -c iodyno -n "__fish_iodyno_using_subcommand help; and not __fish_seen_subcommand_from inspect diff check run guard watch limit loop dataset k8s tune boots apply set import undo status fleet serve judge cloud compare history list show tag note delete export merge store report explain catalogue rights completions attend manual serve-door openapi fill help" -f -a "import" -d 'Make records of what other tools measured: fio, rados bench, iostat and others, also pasted into a page'
complete -c iodyno -n "__fish_iodyno_using_subcommand help; and not __fish_seen_subcommand_from inspect diff check run guard watch limit loop dataset k8s tune boots apply set import undo status fleet serve judge cloud compare history list show tag note delete export merge store report explain catalogue rights completions attend manual serve-door openapi fill help" -f -a "undo" -d 'Put old values back: after a death, or after `apply` or `set`'
complete -c iodyno -n "__fish_iodyno_using_subcommand help; and not __fish_seen_subcommand_from inspect diff check run guard watch limit loop dataset k8s tune boots apply set import undo status fleet serve judge cloud compare history list show tag note delete export merge store report explain catalogue rights completions attend manual serve-door openapi fill help" -f -a "status" -d 'Show what iodyno has changed and not yet put back; changes nothing'
complete -c iodyno -n "__fish_iodyno_using_subcommand help; and not __fish_seen_subcommand_from inspect diff check run guard watch limit loop dataset k8s tune boots apply set import undo status fleet serve judge cloud compare history list show tag note delete export merge store report explain catalogue rights completions attend manual serve-door openapi fill help" -f -a "fleet" -d 'Do the same on many hosts at once, over ssh or any command that leads to them, and say which host is different'
complete -c iodyno -n "__fish_iodyno_using_subcommand help; and not __fish_seen_subcommand_from inspect diff check run guard watch limit loop dataset k8s tune boots apply set import undo status fleet serve judge cloud compare history list show tag note delete export merge store report explain catalogue rights completions attend manual serve-door openapi fill help" -f -a "serve" -d 'Serve the web pages and the interface behind them, to a browser on this machine'
complete -c iodyno -n "__fish_iodyno_using_subcommand help; and not __fish_seen_subcommand_from inspect diff check run guard watch limit loop dataset k8s tune boots apply set import undo status fleet serve judge cloud compare history list show tag note delete export merge store report explain catalogue rights completions attend manual serve-door openapi fill help" -f -a "judge" -d 'Let the experiment engine decide for any other system: JSON lines on stdin and stdout'
complete -c iodyno -n "__fish_iodyno_using_subcommand help; and not __fish_seen_subcommand_from inspect diff check run guard watch limit loop dataset k8s tune boots apply set import undo status fleet serve judge cloud compare history list show tag note delete export merge store report explain catalogue rights completions attend manual serve-door openapi fill help" -f -a "cloud" -d 'Say what a disk of the cloud promises, which type carries a load, and which one a measured rate looks like'
complete -c iodyno -n "__fish_iodyno_using_subcommand help; and not __fish_seen_subcommand_from inspect diff check run guard watch limit loop dataset k8s tune boots apply set import undo status fleet serve judge cloud compare history list show tag note delete export merge store report explain catalogue rights completions attend manual serve-door openapi fill help" -f -a "compare" -d 'Put records and other tools\' results side by side, rank devices, hold them against bounds; changes nothing'
complete -c iodyno -n "__fish_iodyno_using_subcommand help; and not __fish_seen_subcommand_from inspect diff check run guard watch limit loop dataset k8s tune boots apply set import undo status fleet serve judge cloud compare history list show tag note delete export merge store report explain catalogue rights completions attend manual serve-door openapi fill help" -f -a "history" -d 'Show one device over time, and where it changed for good; changes nothing'
complete -c iodyno -n "__fish_iodyno_using_subcommand help; and not __fish_seen_subcommand_from inspect diff check run guard watch limit loop dataset k8s tune boots apply set import undo status fleet serve judge cloud compare history list show tag note delete export merge store report explain catalogue rights completions attend manual serve-door openapi fill help" -f -a "list" -d 'List the records: all, or those of a host, device, job, setting, tag, time'
complete -c iodyno -n "__fish_iodyno_using_subcommand help; and not __fish_seen_subcommand_from inspect diff check run guard watch limit loop dataset k8s tune boots apply set import undo status fleet serve judge cloud compare history list show tag note delete export merge store report explain catalogue rights completions attend manual serve-door openapi fill help" -f -a "show" -d 'Show one record'
complete -c iodyno -n "__fish_iodyno_using_subcommand help; and not __fish_seen_subcommand_from inspect diff check run guard watch limit loop dataset k8s tune boots apply set import undo status fleet serve judge cloud compare history list show tag note delete export merge store report explain catalogue rights completions attend manual serve-door openapi fill help" -f -a "tag" -d 'Put words of your own on records, to find them by'
complete -c iodyno -n "__fish_iodyno_using_subcommand help; and not __fish_seen_subcommand_from inspect diff check run guard watch limit loop dataset k8s tune boots apply set import undo status fleet serve judge cloud compare history list show tag note delete export merge store report explain catalogue rights completions attend manual serve-door openapi fill help" -f -a "note" -d 'Write a sentence of your own on a record'
complete -c iodyno -n "__fish_iodyno_using_subcommand help; and not __fish_seen_subcommand_from inspect diff check run guard watch limit loop dataset k8s tune boots apply set import undo status fleet serve judge cloud compare history list show tag note delete export merge store report explain catalogue rights completions attend manual serve-door openapi fill help" -f -a "delete" -d 'Delete records for good; asks first'
complete -c iodyno -n "__fish_iodyno_using_subcommand help; and not __fish_seen_subcommand_from inspect diff check run guard watch limit loop dataset k8s tune boots apply set import undo status fleet serve judge cloud compare history list show tag note delete export merge store report explain catalogue rights completions attend manual serve-door openapi fill help" -f -a "export" -d 'Write records for other programs: JSON, CSV, Parquet'
complete -c iodyno -n "__fish_iodyno_using_subcommand help; and not __fish_seen_subcommand_from inspect diff check run guard watch limit loop dataset k8s tune boots apply set import undo status fleet serve judge cloud compare history list show tag note delete export merge store report explain catalogue rights completions attend manual serve-door openapi fill help" -f -a "merge" -d 'Take in the records of another store'
complete -c iodyno -n "__fish_iodyno_using_subcommand help; and not __fish_seen_subcommand_from inspect diff check run guard watch limit loop dataset k8s tune boots apply set import undo status fleet serve judge cloud compare history list show tag note delete export merge store report explain catalogue rights completions attend manual serve-door openapi fill help" -f -a "store" -d 'Say where the records are; check them, or copy them'
complete -c iodyno -n "__fish_iodyno_using_subcommand help; and not __fish_seen_subcommand_from inspect diff check run guard watch limit loop dataset k8s tune boots apply set import undo status fleet serve judge cloud compare history list show tag note delete export merge store report explain catalogue rights completions attend manual serve-door openapi fill help" -f -a "report" -d 'Write a record as one page with figures, as Markdown, JSON or CSV, and its figures as SVG'
complete -c iodyno -n "__fish_iodyno_using_subcommand help; and not __fish_seen_subcommand_from inspect diff check run guard watch limit loop dataset k8s tune boots apply set import undo status fleet serve judge cloud compare history list show tag note delete export merge store report explain catalogue rights completions attend manual serve-door openapi fill help" -f -a "explain" -d 'Explain a knob, a rule, a sensor, an engine, a kernel parameter (sysctl:vm.dirty_ratio) or a profile of them'
complete -c iodyno -n "__fish_iodyno_using_subcommand help; and not __fish_seen_subcommand_from inspect diff check run guard watch limit loop dataset k8s tune boots apply set import undo status fleet serve judge cloud compare history list show tag note delete export merge store report explain catalogue rights completions attend manual serve-door openapi fill help" -f -a "catalogue" -d 'List everything that `explain` knows'
complete -c iodyno -n "__fish_iodyno_using_subcommand help; and not __fish_seen_subcommand_from inspect diff check run guard watch limit loop dataset k8s tune boots apply set import undo status fleet serve judge cloud compare history list show tag note delete export merge store report explain catalogue rights completions attend manual serve-door openapi fill help" -f -a "rights" -d 'Say which rights a verb can make use of here, which are missing, and how to grant them; changes nothing'
complete -c iodyno -n "__fish_iodyno_using_subcommand help; and not __fish_seen_subcommand_from inspect diff check run guard watch limit loop dataset k8s tune boots apply set import undo status fleet serve judge cloud compare history list show tag note delete export merge store report explain catalogue rights completions attend manual serve-door openapi fill help" -f -a "completions" -d 'Print completions for a shell'
complete -c iodyno -n "__fish_iodyno_using_subcommand help; and not __fish_seen_subcommand_from inspect diff check run guard watch limit loop dataset k8s tune boots apply set import undo status fleet serve judge cloud compare history list show tag note delete export merge store report explain catalogue rights completions attend manual serve-door openapi fill help" -f -a "attend" -d 'Answer a `fleet` on standard input and output: what it starts on each host'
complete -c iodyno -n "__fish_iodyno_using_subcommand help; and not __fish_seen_subcommand_from inspect diff check run guard watch limit loop dataset k8s tune boots apply set import undo status fleet serve judge cloud compare history list show tag note delete export merge store report explain catalogue rights completions attend manual serve-door openapi fill help" -f -a "manual" -d 'Print a manual page'
complete -c iodyno -n "__fish_iodyno_using_subcommand help; and not __fish_seen_subcommand_from inspect diff check run guard watch limit loop dataset k8s tune boots apply set import undo status fleet serve judge cloud compare history list show tag note delete export merge store report explain catalogue rights completions attend manual serve-door openapi fill help" -f -a "serve-door" -d 'Listen for a `serve`, without any right: what it starts for itself'
complete -c iodyno -n "__fish_iodyno_using_subcommand help; and not __fish_seen_subcommand_from inspect diff check run guard watch limit loop dataset k8s tune boots apply set import undo status fleet serve judge cloud compare history list show tag note delete export merge store report explain catalogue rights completions attend manual serve-door openapi fill help" -f -a "openapi" -d 'Print the OpenAPI description of what `serve` answers'
complete -c iodyno -n "__fish_iodyno_using_subcommand help; and not __fish_seen_subcommand_from inspect diff check run guard watch limit loop dataset k8s tune boots apply set import undo status fleet serve judge cloud compare history list show tag note delete export merge store report explain catalogue rights completions attend manual serve-door openapi fill help" -f -a "fill" -d 'Write a file of noise: what `limit` starts inside a group, whose file it is then'
complete -c iodyno -n "__fish_iodyno_using_subcommand help; and not __fish_seen_subcommand_from inspect diff check run guard watch limit loop dataset k8s tune boots apply set import undo status fleet serve judge cloud compare history list show tag note delete export merge store report explain catalogue rights completions attend manual serve-door openapi fill help" -f -a "help" -d 'Print this message or the help of the given subcommand(s)'
complete -c iodyno -n "__fish_iodyno_using_subcommand help; and __fish_seen_subcommand_from loop" -f -a "create" -d 'Write a file in full, set a loop device up over it, make a file system on it and mount it'
complete -c iodyno -n "__fish_iodyno_using_subcommand help; and __fish_seen_subcommand_from loop" -f -a "list" -d 'Show the loop devices that iodyno made with what is wrong with them, and the others in a line each; changes nothing'
complete -c iodyno -n "__fish_iodyno_using_subcommand help; and __fish_seen_subcommand_from loop" -f -a "remove" -d 'Take a loop device away that iodyno made: its mount, device, unit and file'
complete -c iodyno -n "__fish_iodyno_using_subcommand help; and __fish_seen_subcommand_from k8s" -f -a "run" -d 'Load one place of a cluster from a pod, as `iodyno run` does, and keep the measurement as a record'
complete -c iodyno -n "__fish_iodyno_using_subcommand help; and __fish_seen_subcommand_from k8s" -f -a "check" -d 'Say why the storage of a pod is slow, as `iodyno check` does, at one place or on every node'
complete -c iodyno -n "__fish_iodyno_using_subcommand help; and __fish_seen_subcommand_from k8s" -f -a "compare" -d 'Load several places in turns, in rounds of random order, and say by how much they differ'
complete -c iodyno -n "__fish_iodyno_using_subcommand help; and __fish_seen_subcommand_from k8s" -f -a "in-pod" -d 'What runs in the pod'
complete -c iodyno -n "__fish_iodyno_using_subcommand help; and __fish_seen_subcommand_from store" -f -a "check" -d 'Look at every page and every record; changes nothing'
complete -c iodyno -n "__fish_iodyno_using_subcommand help; and __fish_seen_subcommand_from store" -f -a "backup" -d 'Copy the store into a new file while it is in use'
