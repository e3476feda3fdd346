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
complete -c leadline -n "__fish_leadline_needs_command" -f -a "confirm" -d 'Take up a survey: make the experiment that would decide between the causes that it left'
complete -c leadline -n "__fish_leadline_needs_command" -f -a "study" -d 'One study: latency, IOPS, throughput, mix, depth, size, curve, limit and more; `leadline study --help` lists them'
complete -c leadline -n "__fish_leadline_needs_command" -f -a "fio" -d 'Run fio job files and command lines unchanged'
complete -c leadline -n "__fish_leadline_needs_command" -f -a "diskspd" -d 'Run DISKSPD command lines and profiles unchanged'
complete -c leadline -n "__fish_leadline_needs_command" -f -a "vdbench" -d 'Run Vdbench parameter files unchanged'
complete -c leadline -n "__fish_leadline_needs_command" -f -a "plan" -d 'Show what would run, for how long, and how much would be written, without running it; the exit status says whether it is accepted'
complete -c leadline -n "__fish_leadline_needs_command" -f -a "report" -d 'Turn a run file into a report'
complete -c leadline -n "__fish_leadline_needs_command" -f -a "compare" -d 'Compare two results, or folders of repeats: what changed, by how much, and how certain that is'
complete -c leadline -n "__fish_leadline_needs_command" -f -a "plot" -d 'Draw any figure of runs over any axis, as SVG or PNG'
complete -c leadline -n "__fish_leadline_needs_command" -f -a "schema" -d 'Print the JSON Schema of an output: each key with its meaning and unit'
complete -c leadline -n "__fish_leadline_needs_command" -f -a "show" -d 'Show a run file in the terminal, or a result of fio, DISKSPD or Vdbench'
complete -c leadline -n "__fish_leadline_needs_command" -f -a "tag" -d 'Give a run a tag that `list` shows (for example baseline); a tagged run is never removed'
complete -c leadline -n "__fish_leadline_needs_command" -f -a "explain" -d 'Explain a finding: what it saw, why it matters, what to do, and what it means for the figures'
complete -c leadline -n "__fish_leadline_needs_command" -f -a "help" -d 'Show the help of a verb'
complete -c leadline -n "__fish_leadline_needs_command" -f -a "limits" -d 'What a provider\'s own limits allow a set-up, what a demand needs, and which limit a figure is at'
complete -c leadline -n "__fish_leadline_needs_command" -f -a "check" -d 'Check storage against what an application asks of it, by a published limit: pass, fail or undecided'
complete -c leadline -n "__fish_leadline_needs_command" -f -a "list" -d 'List run files with their grade (A to F) and figures, those of one target side by side, and where these changed'
complete -c leadline -n "__fish_leadline_using_subcommand measure" -l size -d 'Bytes of each worker\'s file [default: 1g; 256m with --quick]' -r
complete -c leadline -n "__fish_leadline_using_subcommand measure" -l time -d 'Measured time of each point [default: 5s; 2s with --quick, 30s with --full]' -r
complete -c leadline -n "__fish_leadline_using_subcommand measure" -l until-interval -d 'End each point when the 95 % intervals of its IOPS and mean latency are within this share of them, such as 2%: after a quarter of its time at the earliest, four times its time at the latest, and within the time of the whole' -r
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
complete -c leadline -n "__fish_leadline_using_subcommand measure" -l server-cache -d 'What is known of the server\'s cache, for the labels of the result' -r
complete -c leadline -n "__fish_leadline_using_subcommand measure" -l fail-on-grade -d 'Exit with 99 if the grade is this one or a worse one; results are written all the same' -r -f -a "B\t'With exceptions, or worse'
C\t'Good for comparisons only, or worse'
F\t'Not to be used'"
complete -c leadline -n "__fish_leadline_using_subcommand measure" -l destroy -d 'Allow overwriting this file or block device (repeatable)' -r
complete -c leadline -n "__fish_leadline_using_subcommand measure" -l hosts -d 'Run on these hosts at once: a list a,b,c or a file with one host per line' -r
complete -c leadline -n "__fish_leadline_using_subcommand measure" -l launcher -d 'What starts a process on a host: local, ssh, slurm, or a command that contains {host} [default: ssh]' -r
complete -c leadline -n "__fish_leadline_using_subcommand measure" -l map -d 'Run on a simulated volume in virtual time in place of PATH and all below it; sim:@FILE reads the law from a file, and * in place of PATH stands for every path that has no --map of its own. A --map that matches no target is an error' -r
complete -c leadline -n "__fish_leadline_using_subcommand measure" -l assert -d 'Exit with 99 if the result does not keep these limits: randread.p99<2ms,iops>100k. ROW.FIGURE of iops, bw, mean, max or a percentile; ROW is a stage, workload or operation, and without one all are meant: a rate of all operations together, a latency of each. The 95 % interval decides; a limit inside of it is undecided' -r
complete -c leadline -n "__fish_leadline_using_subcommand measure" -l setup -d 'The set-up, in the options of `leadline limits`: which published limit the run comes nearest to becomes part of its verdict: --setup \'--vm D8s_v3 --disk 3xP30\'' -r
complete -c leadline -n "__fish_leadline_using_subcommand measure" -l junit -d 'What became of the limits, or the comparison, as JUnit XML' -r
complete -c leadline -n "__fish_leadline_using_subcommand measure" -l markdown -d 'The same as Markdown, for the summary of a CI job' -r
complete -c leadline -n "__fish_leadline_using_subcommand measure" -l buffered -d 'Use the client\'s page cache instead of bypassing it (O_DIRECT)'
complete -c leadline -n "__fish_leadline_using_subcommand measure" -l force -d 'Replace the report and the run file of that name'
complete -c leadline -n "__fish_leadline_using_subcommand measure" -l quick -d 'Fewer and shorter points: about half a minute'
complete -c leadline -n "__fish_leadline_using_subcommand measure" -l full -d 'More block sizes, mixes and depths, 30 s each: about 20 minutes'
complete -c leadline -n "__fish_leadline_using_subcommand measure" -l keep -d 'Keep the survey\'s files for the next run instead of deleting them'
complete -c leadline -n "__fish_leadline_using_subcommand measure" -l json -d 'The result as JSON on standard output'
complete -c leadline -n "__fish_leadline_using_subcommand measure" -l accept-lost-hosts -d 'Do not fail if a host is lost and the others finish, and start without hosts that refuse the plan'
complete -c leadline -n "__fish_leadline_using_subcommand measure" -l accept-unlike-hosts -d 'Start although a target is on different file systems, mounts or servers on different hosts'
complete -c leadline -n "__fish_leadline_using_subcommand measure" -l fresh-device -d 'Start each stage with new simulated volumes instead of keeping their credits and caches for the whole run'
complete -c leadline -n "__fish_leadline_using_subcommand measure" -l assert-strict -d 'Exit with 99 for undecided limits too'
complete -c leadline -n "__fish_leadline_using_subcommand measure" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c leadline -n "__fish_leadline_using_subcommand confirm" -l out -d 'Name of the report and the run file, without extension [default: that of RUN with -confirmed]; NAME-2, NAME-3 and so on if it exists' -r -F
complete -c leadline -n "__fish_leadline_using_subcommand confirm" -l destroy -d 'Allow overwriting this file or block device (repeatable): as for the survey, it is overwritten' -r
complete -c leadline -n "__fish_leadline_using_subcommand confirm" -l force -d 'Replace the report and the run file of that name'
complete -c leadline -n "__fish_leadline_using_subcommand confirm" -l keep -d 'Keep the survey\'s files for the next run instead of deleting them'
complete -c leadline -n "__fish_leadline_using_subcommand confirm" -l json -d 'The result as JSON on standard output'
complete -c leadline -n "__fish_leadline_using_subcommand confirm" -s h -l help -d 'Print help'
complete -c leadline -n "__fish_leadline_using_subcommand plan" -l as -d 'The plan as a job of this tool: any plan as fio\'s, others\' only as their own' -r -f -a "fio\t'A job file; what fio cannot do is in its comments'
vdbench\t'The parameter file as it was understood'
diskspd\t'The XML profile'"
complete -c leadline -n "__fish_leadline_using_subcommand plan" -l json -d 'The plan as JSON'
complete -c leadline -n "__fish_leadline_using_subcommand plan" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c leadline -n "__fish_leadline_using_subcommand report" -l label -d 'Label of a run among several, once for each in their order [default: what distinguishes them: their names, hosts, machines or files]' -r
complete -c leadline -n "__fish_leadline_using_subcommand report" -l as -d 'In the output format of another tool' -r -f -a "fio\t'fio\'s normal text'
fio-json\t'fio\'s JSON'
fio-json-plus\t'fio\'s JSON with histogram bins'
diskspd\t'DISKSPD\'s text (-Rtext)'
diskspd-xml\t'DISKSPD\'s XML (-Rxml)'
vdbench\t'Vdbench\'s output directory, named by --output'"
complete -c leadline -n "__fish_leadline_using_subcommand report" -s o -l output -d 'Write to this file instead of standard output [default for HTML: RUN.html, for several runs the first unused of curves.html, curves-2.html, ...; for vdbench a directory: RUN.output]' -r -F
complete -c leadline -n "__fish_leadline_using_subcommand report" -l fail-on-grade -d 'Exit with 99 if the grade of a run is this one or a worse one; the report is written all the same' -r -f -a "B\t'With exceptions, or worse'
C\t'Good for comparisons only, or worse'
F\t'Not to be used'"
complete -c leadline -n "__fish_leadline_using_subcommand report" -l html -d 'One self-contained HTML page (the default)'
complete -c leadline -n "__fish_leadline_using_subcommand report" -l json -d 'leadline\'s own JSON; `leadline schema run` describes every key'
complete -c leadline -n "__fish_leadline_using_subcommand report" -l csv -d 'The interval series as CSV'
complete -c leadline -n "__fish_leadline_using_subcommand report" -l csv-parts -d 'Hosts and targets as CSV'
complete -c leadline -n "__fish_leadline_using_subcommand report" -l csv-totals -d 'The totals of each workload, operation and stage as CSV'
complete -c leadline -n "__fish_leadline_using_subcommand report" -l hdr -d 'The histograms of all intervals as an HdrHistogram interval log'
complete -c leadline -n "__fish_leadline_using_subcommand report" -l text -d 'Tables for a terminal'
complete -c leadline -n "__fish_leadline_using_subcommand report" -l force -d 'Replace a file that is not a leadline report'
complete -c leadline -n "__fish_leadline_using_subcommand report" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c leadline -n "__fish_leadline_using_subcommand compare" -l baseline -d 'A is the newest finished run that `leadline tag` gave this name, here or in leadline\'s own place' -r
complete -c leadline -n "__fish_leadline_using_subcommand compare" -l fail-on -d 'Exit with 99 if a change is shown to be so: iops<-3%,randread.p99>+10% (repeatable). The figures that it names are among those that are judged first' -r
complete -c leadline -n "__fish_leadline_using_subcommand compare" -l across -d 'Compare although these differ, separated by commas: mix, bs, order, size, fill, direct, depth, jobs, host-count, rate, arrivals, sync, think' -r
complete -c leadline -n "__fish_leadline_using_subcommand compare" -l rounds -d 'Rounds of --interleave' -r
complete -c leadline -n "__fish_leadline_using_subcommand compare" -l out -d 'Name of the run file of --interleave, without extension [default: compare-DATE-TIME]; NAME-2, NAME-3 and so on if it exists' -r -F
complete -c leadline -n "__fish_leadline_using_subcommand compare" -s o -l output -d 'Write to this file instead of standard output' -r -F
complete -c leadline -n "__fish_leadline_using_subcommand compare" -l hosts -d 'With --interleave: Run on these hosts at once: a list a,b,c or a file with one host per line' -r
complete -c leadline -n "__fish_leadline_using_subcommand compare" -l launcher -d 'With --interleave: What starts a process on a host: local, ssh, slurm, or a command that contains {host} [default: ssh]' -r
complete -c leadline -n "__fish_leadline_using_subcommand compare" -l map -d 'With --interleave: Run on a simulated volume in virtual time in place of PATH and all below it; sim:@FILE reads the law from a file, and * in place of PATH stands for every path that has no --map of its own. A --map that matches no target is an error' -r
complete -c leadline -n "__fish_leadline_using_subcommand compare" -l assert -d 'Exit with 99 if the result does not keep these limits: randread.p99<2ms,iops>100k. ROW.FIGURE of iops, bw, mean, max or a percentile; ROW is a stage, workload or operation, and without one all are meant: a rate of all operations together, a latency of each. The 95 % interval decides; a limit inside of it is undecided' -r
complete -c leadline -n "__fish_leadline_using_subcommand compare" -l setup -d 'The set-up, in the options of `leadline limits`: which published limit the run comes nearest to becomes part of its verdict: --setup \'--vm D8s_v3 --disk 3xP30\'' -r
complete -c leadline -n "__fish_leadline_using_subcommand compare" -l junit -d 'What became of the limits, or the comparison, as JUnit XML' -r
complete -c leadline -n "__fish_leadline_using_subcommand compare" -l markdown -d 'The same as Markdown, for the summary of a CI job' -r
complete -c leadline -n "__fish_leadline_using_subcommand compare" -l interleave -d 'Run two jobs (fio, Vdbench or DISKSPD files) in rounds of A, B, B, A and B, A, A, B in turn, and compare them in pairs'
complete -c leadline -n "__fish_leadline_using_subcommand compare" -l json -d 'The comparison as JSON; `leadline schema compare` describes every key'
complete -c leadline -n "__fish_leadline_using_subcommand compare" -l force -d 'Replace files that are not leadline\'s'
complete -c leadline -n "__fish_leadline_using_subcommand compare" -l accept-lost-hosts -d 'With --interleave: Do not fail if a host is lost and the others finish, and start without hosts that refuse the plan'
complete -c leadline -n "__fish_leadline_using_subcommand compare" -l accept-unlike-hosts -d 'With --interleave: Start although a target is on different file systems, mounts or servers on different hosts'
complete -c leadline -n "__fish_leadline_using_subcommand compare" -l fresh-device -d 'With --interleave: Start each stage with new simulated volumes instead of keeping their credits and caches for the whole run'
complete -c leadline -n "__fish_leadline_using_subcommand compare" -l assert-strict -d 'Exit with 99 for undecided limits too'
complete -c leadline -n "__fish_leadline_using_subcommand compare" -s h -l help -d 'Print help'
complete -c leadline -n "__fish_leadline_using_subcommand plot" -l x -d 'What is along x' -r
complete -c leadline -n "__fish_leadline_using_subcommand plot" -l y -d 'What is shown; several with commas are charts one below the other' -r
complete -c leadline -n "__fish_leadline_using_subcommand plot" -l by -d 'What the colours stand for [default: the first thing that the lines differ in]' -r
complete -c leadline -n "__fish_leadline_using_subcommand plot" -l only -d 'Only points with this value: block=4k, op=read, reads=100, run=NAME (repeatable)' -r
complete -c leadline -n "__fish_leadline_using_subcommand plot" -l published -d 'Draw these published figures beside the runs; a wrong name lists all' -r
complete -c leadline -n "__fish_leadline_using_subcommand plot" -l label -d 'Label of a run, once for each in their order [default: what distinguishes them]' -r
complete -c leadline -n "__fish_leadline_using_subcommand plot" -s o -l output -d 'Write to this file, NAME.svg or NAME.png, instead of standard output' -r -F
complete -c leadline -n "__fish_leadline_using_subcommand plot" -l force -d 'Replace a file that is not such a picture'
complete -c leadline -n "__fish_leadline_using_subcommand plot" -s h -l help -d 'Print help'
complete -c leadline -n "__fish_leadline_using_subcommand schema" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c leadline -n "__fish_leadline_using_subcommand show" -s h -l help -d 'Print help'
complete -c leadline -n "__fish_leadline_using_subcommand tag" -s h -l help -d 'Print help'
complete -c leadline -n "__fish_leadline_using_subcommand explain" -s h -l help -d 'Print help'
complete -c leadline -n "__fish_leadline_using_subcommand help" -s h -l help -d 'Print help'
complete -c leadline -n "__fish_leadline_using_subcommand limits" -l service -d 'Service level: anf-standard, anf-premium, anf-ultra, anf-flexible, gcnv-standard, gcnv-premium, gcnv-extreme, gcnv-flex and others' -r
complete -c leadline -n "__fish_leadline_using_subcommand limits" -l quota -d 'Quota of the volume' -r
complete -c leadline -n "__fish_leadline_using_subcommand limits" -l assigned -d 'Throughput that was set for the volume, or for a pool whose throughput is set' -r
complete -c leadline -n "__fish_leadline_using_subcommand limits" -l pool -d 'Size of the pool that the volume is in' -r
complete -c leadline -n "__fish_leadline_using_subcommand limits" -l disk -d 'Disks of each machine: how many, of which kind, and the host\'s cache (none, ro, rw); a size, IOPS or throughput where the kind has them: 3xP30:none,P30:ro or gp3:500GiB:6000iops' -r
complete -c leadline -n "__fish_leadline_using_subcommand limits" -l vm -d 'Size of the machines, and how many' -r
complete -c leadline -n "__fish_leadline_using_subcommand limits" -l nfs -d 'Version of NFS: 3 or 4.1' -r
complete -c leadline -n "__fish_leadline_using_subcommand limits" -l nconnect -d 'TCP connections of a mount (nconnect)' -r
complete -c leadline -n "__fish_leadline_using_subcommand limits" -l bs -d 'Bytes of an I/O' -r
complete -c leadline -n "__fish_leadline_using_subcommand limits" -l read -d 'Share of reads in percent' -r
complete -c leadline -n "__fish_leadline_using_subcommand limits" -l latency -d 'What one I/O takes when it is alone' -r
complete -c leadline -n "__fish_leadline_using_subcommand limits" -l inflight -d 'I/Os in flight in total' -r
complete -c leadline -n "__fish_leadline_using_subcommand limits" -l flows -d 'TCP connections in total' -r
complete -c leadline -n "__fish_leadline_using_subcommand limits" -l demand -d 'What is wanted: adds the headroom, and the smallest quota of each level and set of disks that do it' -r
complete -c leadline -n "__fish_leadline_using_subcommand limits" -l measured -d 'What was measured: which limit it is at. Classes and ways to disks apart, and after @ the IOPS that a generator was held to: read:cached:78.3k,write:uncached:12.6k@12800' -r
complete -c leadline -n "__fish_leadline_using_subcommand limits" -l run -d 'A result, whoever measured it: a run file, or `last` for the latest, or what fio, Vdbench or DISKSPD wrote: which limit each of its stages is at' -r -F
complete -c leadline -n "__fish_leadline_using_subcommand limits" -l limits -d 'More rows, in place of those built in, or of a file before, about the same (repeatable)' -r -F
complete -c leadline -n "__fish_leadline_using_subcommand limits" -l large -d 'A large volume, where its quota would suit a regular one too'
complete -c leadline -n "__fish_leadline_using_subcommand limits" -l table -d 'What each service level gives for each quota'
complete -c leadline -n "__fish_leadline_using_subcommand limits" -l here -d 'What this machine says of itself: its system, and size, region and disks from its cloud\'s metadata service'
complete -c leadline -n "__fish_leadline_using_subcommand limits" -l json -d 'The result as JSON on standard output; `leadline schema limits` describes every key'
complete -c leadline -n "__fish_leadline_using_subcommand limits" -s h -l help -d 'Print help'
complete -c leadline -n "__fish_leadline_using_subcommand check" -l profiles -d 'Profiles of your own instead of those that are built in (TOML)' -r -F
complete -c leadline -n "__fish_leadline_using_subcommand check" -l json -d 'The verdict as JSON; `leadline schema check` describes every key'
complete -c leadline -n "__fish_leadline_using_subcommand check" -s h -l help -d 'Print help'
complete -c leadline -n "__fish_leadline_using_subcommand list" -l history -d 'The runs of one target together, with changes, also where standard output is no terminal'
complete -c leadline -n "__fish_leadline_using_subcommand list" -l lines -d 'A line for each run, also on a terminal'
complete -c leadline -n "__fish_leadline_using_subcommand list" -l json -d 'The history as JSON; `leadline schema list` describes every key'
complete -c leadline -n "__fish_leadline_using_subcommand list" -s h -l help -d 'Print help'
