# Print an optspec for argparse to handle cmd's options that are independent of any subcommand.
function __fish_leadline_global_optspecs
    string join \n h/help V/version
end

function __fish_leadline_needs_command
    # Figure out if the current invocation already has a command.
    set -l cmd (commandline -opc)
    set -e cmd[1]
    argparse -s (__fish_leadline_global_optspecs) -- $cmd 2>/dev/null
    or return
    if set -q argv[1]
        # Also print the command, so this can be used to figure out what it is.
        echo $argv[1]
        return 1
    end
    return 0
end

function __fish_leadline_using_subcommand
    set -l cmd (__fish_leadline_needs_command)
    test -z "$cmd"
    and return 1
    contains -- $cmd[1] $argv
end

complete -c leadline -n "__fish_leadline_needs_command" -s h -l help -d 'Print help'
complete -c leadline -n "__fish_leadline_needs_command" -s V -l version -d 'Print version'
complete -c leadline -n "__fish_leadline_needs_command" -f -a "measure" -d 'Survey a directory, file or device: latency, IOPS, throughput, mix, depth; with a verdict and a report'
complete -c leadline -n "__fish_leadline_needs_command" -f -a "confirm" -d 'Continue a survey: run the experiment that separates the remaining causes'
complete -c leadline -n "__fish_leadline_needs_command" -f -a "study" -d 'One study: latency, IOPS, throughput, mix, depth, size, curve, limit and more; `leadline study --help` lists them'
complete -c leadline -n "__fish_leadline_needs_command" -f -a "fio" -d 'Run fio job files and command lines unchanged'
complete -c leadline -n "__fish_leadline_needs_command" -f -a "diskspd" -d 'Run DISKSPD command lines and profiles unchanged'
complete -c leadline -n "__fish_leadline_needs_command" -f -a "vdbench" -d 'Run Vdbench parameter files unchanged'
complete -c leadline -n "__fish_leadline_needs_command" -f -a "plan" -d 'Show what would run, for how long, and how much it would write, without running it; the exit status says whether the input is accepted'
complete -c leadline -n "__fish_leadline_needs_command" -f -a "report" -d 'Turn a run file into a report'
complete -c leadline -n "__fish_leadline_needs_command" -f -a "compare" -d 'Compare two results, or folders of repeats: what changed, by how much, and how certain that is'
complete -c leadline -n "__fish_leadline_needs_command" -f -a "plot" -d 'Draw any figure of runs over any axis, as SVG or PNG'
complete -c leadline -n "__fish_leadline_needs_command" -f -a "schema" -d 'Print the JSON Schema of an output: each key with its meaning and unit'
complete -c leadline -n "__fish_leadline_needs_command" -f -a "show" -d 'Show a run file in the terminal, or a result of fio, DISKSPD or Vdbench'
complete -c leadline -n "__fish_leadline_needs_command" -f -a "tag" -d 'Give a run a tag that `list` shows (for example baseline); a tagged run is never removed'
complete -c leadline -n "__fish_leadline_needs_command" -f -a "explain" -d 'Explain a finding: what it saw, why it matters, what to do, and what it means for the figures'
complete -c leadline -n "__fish_leadline_needs_command" -f -a "help" -d 'Show the help of a verb'
complete -c leadline -n "__fish_leadline_needs_command" -f -a "limits" -d 'What a provider\'s limits allow for a set-up, what a demand needs, and which limit a figure is at'
complete -c leadline -n "__fish_leadline_needs_command" -f -a "check" -d 'Check storage against an application\'s published requirement: pass, fail or undecided'
complete -c leadline -n "__fish_leadline_needs_command" -f -a "list" -d 'List run files with grade (A to F) and figures, grouped by target, and where the figures changed'
complete -c leadline -n "__fish_leadline_using_subcommand measure" -l size -d 'Bytes of each worker\'s file [default: 1g (256m with --quick)]' -r
complete -c leadline -n "__fish_leadline_using_subcommand measure" -l time -d 'Measured time of each point [default: 5s (2s with --quick, 30s with --full)]' -r
complete -c leadline -n "__fish_leadline_using_subcommand measure" -l until-interval -d 'End each point when the 95 % intervals of its IOPS and mean latency are within this share of them, such as 2%: after a quarter of its time at the earliest and four times its time at the latest, within the total time' -r
complete -c leadline -n "__fish_leadline_using_subcommand measure" -l bs -d 'Block size of the latency, IOPS, mix and depth points [default: 4k]' -r
complete -c leadline -n "__fish_leadline_using_subcommand measure" -l depth -d 'Queue depth of the IOPS, throughput and mix points [default: 32]' -r
complete -c leadline -n "__fish_leadline_using_subcommand measure" -l jobs -d 'Workers of each point except the latency points [default: 1]' -r
complete -c leadline -n "__fish_leadline_using_subcommand measure" -l out -d 'Name of the report and the run file, without extension [default: leadline-DATE-TIME]; NAME-2, NAME-3 and so on if it exists' -r -F
complete -c leadline -n "__fish_leadline_using_subcommand measure" -l seed -d 'Seed of all random choices [default: fresh for each run]' -r
complete -c leadline -n "__fish_leadline_using_subcommand measure" -l engine -d 'Back end' -r -f -a "io_uring\t'rings shared with the Linux kernel'
libaio\t'Linux native AIO'
psync\t'pread and pwrite'
threads\t'pread and pwrite in a pool of threads'
pvsync2\t'preadv2 and pwritev2'"
complete -c leadline -n "__fish_leadline_using_subcommand measure" -l server-cache -d 'What is known about the server\'s cache, for the labels of the result' -r
complete -c leadline -n "__fish_leadline_using_subcommand measure" -l fail-on-grade -d 'Exit with 99 if the grade is this one or worse; results are still written' -r -f -a "B\t'With exceptions, or worse'
C\t'Good for comparisons only, or worse'
F\t'Not to be used'"
complete -c leadline -n "__fish_leadline_using_subcommand measure" -l destroy -d 'Allow overwriting this file or block device (repeatable)' -r
complete -c leadline -n "__fish_leadline_using_subcommand measure" -l hosts -d 'Run on these hosts at once: a list a,b,c or a file with one host per line' -r
complete -c leadline -n "__fish_leadline_using_subcommand measure" -l launcher -d 'What starts a process on a host: local, ssh, slurm, or a command that contains {host} [default: ssh]' -r
complete -c leadline -n "__fish_leadline_using_subcommand measure" -l map -d 'Replace PATH and everything below it with a simulated volume in virtual time; sim:@FILE reads the law from a file, and * as PATH stands for every path without a --map of its own. A --map that matches no target is an error' -r
complete -c leadline -n "__fish_leadline_using_subcommand measure" -l assert -d 'Exit with 99 if the result breaks one of these limits: randread.p99<2ms,iops>100k. ROW.FIGURE of iops, bw, mean, max or a percentile; ROW is a stage, workload or operation; without one, all: rates of all operations together, latencies of each. The 95 % interval decides: undecided if the limit lies within the interval' -r
complete -c leadline -n "__fish_leadline_using_subcommand measure" -l setup -d 'The set-up, as options of `leadline limits`; the verdict then names the published limit that the run is nearest to: --setup \'--vm D8s_v3 --disk 3xP30\'' -r
complete -c leadline -n "__fish_leadline_using_subcommand measure" -l junit -d 'Results of the limits, or of the comparison, as JUnit XML' -r
complete -c leadline -n "__fish_leadline_using_subcommand measure" -l markdown -d 'The same as Markdown, for the summary of a CI job' -r
complete -c leadline -n "__fish_leadline_using_subcommand measure" -l buffered -d 'Use the client\'s page cache instead of O_DIRECT'
complete -c leadline -n "__fish_leadline_using_subcommand measure" -l force -d 'Replace the report and the run file of that name'
complete -c leadline -n "__fish_leadline_using_subcommand measure" -l quick -d 'Fewer and shorter points: about half a minute'
complete -c leadline -n "__fish_leadline_using_subcommand measure" -l full -d 'More block sizes, mixes and depths, 30 s each: about 20 minutes'
complete -c leadline -n "__fish_leadline_using_subcommand measure" -l keep -d 'Keep the survey\'s files for the next run instead of deleting them'
complete -c leadline -n "__fish_leadline_using_subcommand measure" -l json -d 'The result as JSON on standard output'
complete -c leadline -n "__fish_leadline_using_subcommand measure" -l accept-lost-hosts -d 'Do not fail if a host is lost while the others finish, and start without hosts that refuse the plan'
complete -c leadline -n "__fish_leadline_using_subcommand measure" -l accept-unlike-hosts -d 'Start although a target is on different file systems, mounts or servers on different hosts'
complete -c leadline -n "__fish_leadline_using_subcommand measure" -l fresh-device -d 'Reset simulated volumes at each stage instead of keeping their credits and caches for the whole run'
complete -c leadline -n "__fish_leadline_using_subcommand measure" -l assert-strict -d 'Also exit with 99 for undecided limits'
complete -c leadline -n "__fish_leadline_using_subcommand measure" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c leadline -n "__fish_leadline_using_subcommand confirm" -l out -d 'Name of the report and the run file, without extension [default: that of RUN with -confirmed]; NAME-2, NAME-3 and so on if it exists' -r -F
complete -c leadline -n "__fish_leadline_using_subcommand confirm" -l destroy -d 'Allow overwriting this file or block device (repeatable): it is overwritten, as in the survey' -r
complete -c leadline -n "__fish_leadline_using_subcommand confirm" -l force -d 'Replace the report and the run file of that name'
complete -c leadline -n "__fish_leadline_using_subcommand confirm" -l keep -d 'Keep the survey\'s files for the next run instead of deleting them'
complete -c leadline -n "__fish_leadline_using_subcommand confirm" -l json -d 'The result as JSON on standard output'
complete -c leadline -n "__fish_leadline_using_subcommand confirm" -s h -l help -d 'Print help'
complete -c leadline -n "__fish_leadline_using_subcommand plan" -l as -d 'The plan as a job of this tool: fio for any plan, the others only for plans read from their own language' -r -f -a "fio\t'A job file; comments say what fio cannot do'
vdbench\t'The parameter file as leadline read it'
diskspd\t'The XML profile'"
complete -c leadline -n "__fish_leadline_using_subcommand plan" -l json -d 'The plan as JSON'
complete -c leadline -n "__fish_leadline_using_subcommand plan" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c leadline -n "__fish_leadline_using_subcommand report" -l label -d 'Label of a run, once for each of several, in order [default: what distinguishes them: names, hosts, machines or files]' -r
complete -c leadline -n "__fish_leadline_using_subcommand report" -l as -d 'In the output format of another tool' -r -f -a "fio\t'fio\'s normal text'
fio-json\t'fio\'s JSON'
fio-json-plus\t'fio\'s JSON with histogram bins'
diskspd\t'DISKSPD\'s text (-Rtext)'
diskspd-xml\t'DISKSPD\'s XML (-Rxml)'
vdbench\t'Vdbench\'s output directory, named by --output'"
complete -c leadline -n "__fish_leadline_using_subcommand report" -s o -l output -l out -d 'Write to this file instead of standard output [default for HTML: RUN.html, for several runs the first unused of curves.html, curves-2.html, ...; for vdbench a directory: RUN.output]' -r -F
complete -c leadline -n "__fish_leadline_using_subcommand report" -l fail-on-grade -d 'Exit with 99 if the grade of a run is this one or worse; the report is still written' -r -f -a "B\t'With exceptions, or worse'
C\t'Good for comparisons only, or worse'
F\t'Not to be used'"
complete -c leadline -n "__fish_leadline_using_subcommand report" -l html -d 'One self-contained HTML page (default)'
complete -c leadline -n "__fish_leadline_using_subcommand report" -l json -d 'leadline\'s own JSON; `leadline schema run` describes every key'
complete -c leadline -n "__fish_leadline_using_subcommand report" -l csv -d 'The interval series as CSV'
complete -c leadline -n "__fish_leadline_using_subcommand report" -l csv-parts -d 'Hosts and targets as CSV'
complete -c leadline -n "__fish_leadline_using_subcommand report" -l csv-totals -d 'Totals of each workload, operation and stage as CSV'
complete -c leadline -n "__fish_leadline_using_subcommand report" -l hdr -d 'The histograms of all intervals as an HdrHistogram interval log'
complete -c leadline -n "__fish_leadline_using_subcommand report" -l text -d 'Tables for a terminal'
complete -c leadline -n "__fish_leadline_using_subcommand report" -l force -d 'Replace a file that is not a leadline report'
complete -c leadline -n "__fish_leadline_using_subcommand report" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c leadline -n "__fish_leadline_using_subcommand compare" -l baseline -d 'A is the newest finished run with this tag (`leadline tag`), in the current directory or leadline\'s own' -r
complete -c leadline -n "__fish_leadline_using_subcommand compare" -l fail-on -d 'Exit with 99 if the whole 95 % interval of a change is beyond a limit: iops<-3%,randread.p99>+10% (repeatable). The figures named are among those that decide' -r
complete -c leadline -n "__fish_leadline_using_subcommand compare" -l across -d 'Compare although these differ, comma-separated: mix, bs, order, size, fill, direct, depth, jobs, host-count, rate, arrivals, sync, think' -r
complete -c leadline -n "__fish_leadline_using_subcommand compare" -l rounds -d 'Rounds of --interleave' -r
complete -c leadline -n "__fish_leadline_using_subcommand compare" -l out -d 'Name of the run file of --interleave, without extension [default: compare-DATE-TIME]; NAME-2, NAME-3 and so on if it exists' -r -F
complete -c leadline -n "__fish_leadline_using_subcommand compare" -s o -l output -d 'Write to this file instead of standard output' -r -F
complete -c leadline -n "__fish_leadline_using_subcommand compare" -l hosts -d 'With --interleave: Run on these hosts at once: a list a,b,c or a file with one host per line' -r
complete -c leadline -n "__fish_leadline_using_subcommand compare" -l launcher -d 'With --interleave: What starts a process on a host: local, ssh, slurm, or a command that contains {host} [default: ssh]' -r
complete -c leadline -n "__fish_leadline_using_subcommand compare" -l map -d 'With --interleave: Replace PATH and everything below it with a simulated volume in virtual time; sim:@FILE reads the law from a file, and * as PATH stands for every path without a --map of its own. A --map that matches no target is an error' -r
complete -c leadline -n "__fish_leadline_using_subcommand compare" -l assert -d 'Exit with 99 if the result breaks one of these limits: randread.p99<2ms,iops>100k. ROW.FIGURE of iops, bw, mean, max or a percentile; ROW is a stage, workload or operation; without one, all: rates of all operations together, latencies of each. The 95 % interval decides: undecided if the limit lies within the interval' -r
complete -c leadline -n "__fish_leadline_using_subcommand compare" -l setup -d 'The set-up, as options of `leadline limits`; the verdict then names the published limit that the run is nearest to: --setup \'--vm D8s_v3 --disk 3xP30\'' -r
complete -c leadline -n "__fish_leadline_using_subcommand compare" -l junit -d 'Results of the limits, or of the comparison, as JUnit XML' -r
complete -c leadline -n "__fish_leadline_using_subcommand compare" -l markdown -d 'The same as Markdown, for the summary of a CI job' -r
complete -c leadline -n "__fish_leadline_using_subcommand compare" -l interleave -d 'Run two jobs (fio, Vdbench or DISKSPD files) in alternating rounds ABBA and BAAB, and compare them in pairs'
complete -c leadline -n "__fish_leadline_using_subcommand compare" -l json -d 'The comparison as JSON; `leadline schema compare` describes every key'
complete -c leadline -n "__fish_leadline_using_subcommand compare" -l force -d 'Replace files that are not leadline\'s'
complete -c leadline -n "__fish_leadline_using_subcommand compare" -l accept-lost-hosts -d 'With --interleave: Do not fail if a host is lost while the others finish, and start without hosts that refuse the plan'
complete -c leadline -n "__fish_leadline_using_subcommand compare" -l accept-unlike-hosts -d 'With --interleave: Start although a target is on different file systems, mounts or servers on different hosts'
complete -c leadline -n "__fish_leadline_using_subcommand compare" -l fresh-device -d 'With --interleave: Reset simulated volumes at each stage instead of keeping their credits and caches for the whole run'
complete -c leadline -n "__fish_leadline_using_subcommand compare" -l assert-strict -d 'Also exit with 99 for undecided limits'
complete -c leadline -n "__fish_leadline_using_subcommand compare" -s h -l help -d 'Print help'
complete -c leadline -n "__fish_leadline_using_subcommand plot" -l x -d 'What is along x' -r
complete -c leadline -n "__fish_leadline_using_subcommand plot" -l y -d 'What is shown; several, comma-separated, are charts one below the other' -r
complete -c leadline -n "__fish_leadline_using_subcommand plot" -l by -d 'What the colours stand for [default: the first axis in which the lines differ]' -r
complete -c leadline -n "__fish_leadline_using_subcommand plot" -l only -d 'Only points with this value: block=4k, op=read, reads=100, run=NAME (repeatable)' -r
complete -c leadline -n "__fish_leadline_using_subcommand plot" -l published -d 'Draw these published figures with the runs; an unknown name lists all' -r
complete -c leadline -n "__fish_leadline_using_subcommand plot" -l label -d 'Label of a run, once for each, in order [default: what distinguishes them]' -r
complete -c leadline -n "__fish_leadline_using_subcommand plot" -s o -l output -l out -d 'Write to this file, NAME.svg or NAME.png, instead of standard output' -r -F
complete -c leadline -n "__fish_leadline_using_subcommand plot" -l force -d 'Overwrite a file that leadline plot did not write'
complete -c leadline -n "__fish_leadline_using_subcommand plot" -s h -l help -d 'Print help'
complete -c leadline -n "__fish_leadline_using_subcommand schema" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c leadline -n "__fish_leadline_using_subcommand show" -s h -l help -d 'Print help'
complete -c leadline -n "__fish_leadline_using_subcommand tag" -s h -l help -d 'Print help'
complete -c leadline -n "__fish_leadline_using_subcommand explain" -s h -l help -d 'Print help'
complete -c leadline -n "__fish_leadline_using_subcommand help" -s h -l help -d 'Print help'
complete -c leadline -n "__fish_leadline_using_subcommand limits" -l service -d 'Service level: anf-standard, anf-premium, anf-ultra, anf-flexible, gcnv-standard, gcnv-premium, gcnv-extreme, gcnv-flex and others' -r
complete -c leadline -n "__fish_leadline_using_subcommand limits" -l quota -d 'Quota of the volume' -r
complete -c leadline -n "__fish_leadline_using_subcommand limits" -l assigned -d 'Throughput set for the volume, or for its pool where that is set' -r
complete -c leadline -n "__fish_leadline_using_subcommand limits" -l pool -d 'Size of the pool that the volume is in' -r
complete -c leadline -n "__fish_leadline_using_subcommand limits" -l disk -d 'Disks of each machine: how many, of which kind, and the host\'s cache (none, ro, rw); a size, IOPS or throughput where the kind has them: 3xP30:none,P30:ro or gp3:500GiB:6000iops' -r
complete -c leadline -n "__fish_leadline_using_subcommand limits" -l vm -d 'Size of the machines, and how many' -r
complete -c leadline -n "__fish_leadline_using_subcommand limits" -l nfs -d 'Version of NFS: 3 or 4.1' -r
complete -c leadline -n "__fish_leadline_using_subcommand limits" -l nconnect -d 'TCP connections of a mount (nconnect)' -r
complete -c leadline -n "__fish_leadline_using_subcommand limits" -l bs -d 'Bytes of an I/O' -r
complete -c leadline -n "__fish_leadline_using_subcommand limits" -l read -d 'Share of reads in percent' -r
complete -c leadline -n "__fish_leadline_using_subcommand limits" -l latency -d 'Latency at queue depth 1' -r
complete -c leadline -n "__fish_leadline_using_subcommand limits" -l inflight -d 'I/Os in flight in total' -r
complete -c leadline -n "__fish_leadline_using_subcommand limits" -l flows -d 'TCP connections in total' -r
complete -c leadline -n "__fish_leadline_using_subcommand limits" -l demand -d 'Required rate: adds the headroom, and the smallest quota of each level and disk set that meets it' -r
complete -c leadline -n "__fish_leadline_using_subcommand limits" -l measured -d 'Measured rate, to find which limit it is at. Operations and disk paths separately, and after @ the IOPS that the generator was limited to: read:cached:78.3k,write:uncached:12.6k@12800' -r
complete -c leadline -n "__fish_leadline_using_subcommand limits" -l run -d 'A result, to find which limit each of its stages is at: a run file, `last` for the latest, or output of fio, Vdbench or DISKSPD' -r -F
complete -c leadline -n "__fish_leadline_using_subcommand limits" -l limits -d 'More rows, replacing built-in or earlier rows with the same key (repeatable)' -r -F
complete -c leadline -n "__fish_leadline_using_subcommand limits" -l large -d 'Treat as a large volume, even if its quota fits a regular one'
complete -c leadline -n "__fish_leadline_using_subcommand limits" -l table -d 'Table of what each service level gives for each quota'
complete -c leadline -n "__fish_leadline_using_subcommand limits" -l here -d 'Describe this machine: its system, and size, region and disks from the cloud\'s metadata service'
complete -c leadline -n "__fish_leadline_using_subcommand limits" -l json -d 'The result as JSON on standard output; `leadline schema limits` describes every key'
complete -c leadline -n "__fish_leadline_using_subcommand limits" -s h -l help -d 'Print help'
complete -c leadline -n "__fish_leadline_using_subcommand check" -l profiles -d 'Your own profiles instead of the built-in ones (TOML)' -r -F
complete -c leadline -n "__fish_leadline_using_subcommand check" -l json -d 'The verdict, or the list, as JSON; `leadline schema check` describes every key'
complete -c leadline -n "__fish_leadline_using_subcommand check" -s h -l help -d 'Print help'
complete -c leadline -n "__fish_leadline_using_subcommand list" -l history -d 'Runs grouped by target, with changes, also if standard output is not a terminal'
complete -c leadline -n "__fish_leadline_using_subcommand list" -l lines -d 'A line for each run, also on a terminal'
complete -c leadline -n "__fish_leadline_using_subcommand list" -l json -d 'The history as JSON; `leadline schema list` describes every key'
complete -c leadline -n "__fish_leadline_using_subcommand list" -s h -l help -d 'Print help'

function __fish_leadline_front_end
    string match -q -- '-*' (commandline -ct)
    or return
    # fish would take a "?" for any letter.
    if string match -qr -- '\?' (commandline -ct)
        __fish_leadline_words | string match -r -- '^'(string escape --style=regex -- (commandline -ct))'.*'
        return
    end
    __fish_leadline_words
end

function __fish_leadline_words
    set -l cmd (commandline -opc)
    set -e cmd[1]
    test "$cmd[1]" = plan
    and set -e cmd[1]
    switch "$cmd[1]"
        case fio
            string split -- ' ' '--accept-lost-hosts --accept-unlike-hosts --alloc-size= --allow_file_create= --allow_mounted_write= --allow_mounted_write=0 --assert-strict --assert= --atomic= --aux-path= --ba= --bs= --bs_is_seq_rand= --bs_unaligned --bsrange= --bssplit= --buffer_compress_chunk= --buffer_compress_percentage= --buffer_pattern= --buffered= --bwavgtime= --clat_percentiles= --client= --cmdhelp --continue_on_error= --continue_on_error=0 --continue_on_error=1 --continue_on_error=all --continue_on_error=io --continue_on_error=none --continue_on_error=read --continue_on_error=verify --continue_on_error=write --cpumask= --cpus_allowed= --cpus_allowed_policy= --cpus_allowed_policy=shared --cpus_allowed_policy=split --create_fsync= --create_on_open= --create_only= --create_serialize= --dataplacement= --dataplacement=none --dedupe_mode= --dedupe_mode=repeat --dedupe_percentage= --description= --destroy= --direct= --directory= --disable_bw_measurement= --disable_clat= --disable_lat= --disable_slat= --disk_util= --end_fsync= --end_syncfs= --end_syncfs=0 --enghelp --eta-interval= --eta-newline= --eta= --exit_what= --exit_what=all --exit_what=group --exit_what=stonewall --exitall --exitall_on_error --fadvise_hint= --fadvise_hint=0 --fadvise_hint=1 --fadvise_hint=random --fadvise_hint=sequential --fail-on-grade= --fallocate= --fallocate=0 --fallocate=1 --fallocate=keep --fallocate=native --fallocate=none --fallocate=posix --fallocate=truncate --fdatasync= --fdp= --fdp=0 --file_append= --file_append=0 --file_service_type= --file_service_type=gauss --file_service_type=normal --file_service_type=pareto --file_service_type=random --file_service_type=roundrobin --file_service_type=sequential --file_service_type=zipf --filename= --filename_format= --filesize= --fill_device= --fixedbufs --flow= --flow_id= --force_async= --fresh-device --fsync= --fsync_on_close= --group_reporting --gtod_reduce= --help --hipri --hipri_percentage= --hipri_percentage=100 --hosts= --ignore_error= --invalidate= --io_size= --io_submit_mode= --io_submit_mode=inline --io_submit_mode=offload --iodepth= --iodepth_batch= --iodepth_batch_complete_min= --iodepth_low= --ioengine= --ioengine=aio --ioengine=io_uring --ioengine=libaio --ioengine=linuxaio --ioengine=mmap --ioengine=null --ioengine=posixaio --ioengine=psync --ioengine=pvsync --ioengine=pvsync2 --ioengine=sim --ioengine=sync --ioengine=threads --ioengine=vsync --iomem_align= --iopsavgtime= --junit= --kb_base= --kb_base=1000 --kb_base=1024 --lat_percentiles= --launcher= --leadline-force --leadline-run= --lockfile= --lockfile=none --lockmem= --loops= --map= --markdown= --max-jobs= --max_latency= --mem= --mem=malloc --mem=mmap --mem=mmaphuge --mem=mmapshared --mem=shm --mem=shmhuge --name= --new_group --nice= --nonvectored= --norandommap --nowait= --nrfiles= --num_range= --num_range=1 --number_ios= --numjobs= --offset= --offset_align= --offset_increment= --output-format= --output= --overwrite= --parse-only --percentage_random= --percentile_list= --pre_read= --prio= --prioclass= --ramp_time= --random_distribution= --random_distribution=normal --random_distribution=pareto --random_distribution=random --random_distribution=zipf --random_distribution=zoned --random_distribution=zoned_abs --random_generator= --random_generator=lfsr --random_generator=tausworthe --random_generator=tausworthe64 --randrepeat= --randseed= --rate= --rate_ignore_thinktime= --rate_iops= --rate_iops_min= --rate_iops_min=0 --rate_min= --rate_min=0 --rate_process= --rate_process=linear --rate_process=poisson --readonly --refill_buffers --registerfiles --runtime= --rw= --rw=randread --rw=randrw --rw=randtrim --rw=randtrimwrite --rw=randwrite --rw=read --rw=readwrite --rw=rw --rw=trim --rw=trimwrite --rw=write --rw_sequencer= --rw_sequencer=identical --rw_sequencer=sequential --rwmixread= --rwmixwrite= --scramble_buffers= --section= --serialize_overlap= --server-cache= --setup= --showcmd --significant_figures= --sim= --size= --slat_percentiles= --sqthread_poll --sqthread_poll_cpu= --startdelay= --stats= --stats=1 --status-interval= --stonewall --strict --sync= --sync=0 --sync=1 --sync=dsync --sync=none --sync=sync --terse-version= --thinkcycles= --thinkcycles=0 --thinktime= --thinktime_blocks= --thinktime_blocks_type= --thinktime_blocks_type=complete --thinktime_blocks_type=issue --thinktime_iotime= --thinktime_spin= --thread --time_based --trim_percentage= --trim_percentage=0 --uncached= --unified_rw_reporting= --unified_rw_reporting=0 --unified_rw_reporting=1 --unified_rw_reporting=2 --unified_rw_reporting=both --unified_rw_reporting=mixed --unified_rw_reporting=none --unit_base= --unit_base=0 --unit_base=1 --unit_base=8 --unlink= --unlink_each_loop= --userspace_reap --verify= --verify=0 --verify_state_load= --verify_state_load=0 --version --wait_for= --warnings-fatal --write_barrier= --write_barrier=0 --write_hint= --write_hint=none --zero_buffers --zonemode= --zonemode=none --zonesize= --zonesize=0'
        case vdbench
            string split -- ' ' '--accept-lost-hosts --accept-unlike-hosts --assert-strict --assert= --destroy --fail-on-grade= --fresh-device --help --hosts= --junit= --launcher= --leadline-force --leadline-run --map= --markdown= --server-cache= --setup= --strict -c -d -e -f -h -i -k -l -m -o -p -r -s -t -w'
        case diskspd
            string split -- ' ' '--accept-lost-hosts --accept-unlike-hosts --assert-strict --assert= --destroy= --fail-on-grade= --fresh-device --hosts= --junit= --launcher= --leadline-force --leadline-run= --map= --markdown= --reuse --server-cache= --setup= --strict --text= --xml= -: -? -B -C -D -F -I -L -N -O -P -R -S -Sr -Sy -T -W -X -Z -Zr -a -ac -ag -ap -as -b -bs -c -d -e -f -ft -g -h -i -j -l -n -o -oc -p -r -rd -rs -s -t -u -un -v -w -x -ye -yf -yp -yr -ys -z'
        case study
            string split -- ' ' '--accept-lost-hosts --accept-unlike-hosts --arm --arrivals --assert-strict --assert= --bs --budget --buffered --counts --dataset --depths --destroy --distance --engine --factors --fail-on-grade --files --force --free --fresh-device --grid --groups --hosts= --jobs --json --junit= --keep --launcher= --loss --map= --markdown= --metric --order --out --points --precondition --prepare --quick --rated --rated-target --refine --repeat --rest --resume --rw --seed --server-cache --setup= --slo --step --study --target --time --undo --until-interval --warmup --yes arms burst cache combined curve depth iops latency limit map mix near-far scale-out screen size steady throughput'
    end
end

complete -c leadline -a "(__fish_leadline_front_end)"
