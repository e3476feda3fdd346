_leadline() {
    local i cur prev opts cmd
    COMPREPLY=()
    if [[ "${BASH_VERSINFO[0]}" -ge 4 ]]; then
        cur="$2"
    else
        cur="${COMP_WORDS[COMP_CWORD]}"
    fi
    prev="$3"
    cmd=""
    opts=""

    for i in "${COMP_WORDS[@]:0:COMP_CWORD}"
    do
        case "${cmd},${i}" in
            ",$1")
                cmd="leadline"
                ;;
            leadline,check)
                cmd="leadline__subcmd__check"
                ;;
            leadline,compare)
                cmd="leadline__subcmd__compare"
                ;;
            leadline,confirm)
                cmd="leadline__subcmd__confirm"
                ;;
            leadline,diskspd)
                cmd="leadline__subcmd__diskspd"
                ;;
            leadline,explain)
                cmd="leadline__subcmd__explain"
                ;;
            leadline,fio)
                cmd="leadline__subcmd__fio"
                ;;
            leadline,help)
                cmd="leadline__subcmd__help"
                ;;
            leadline,limits)
                cmd="leadline__subcmd__limits"
                ;;
            leadline,list)
                cmd="leadline__subcmd__list"
                ;;
            leadline,measure)
                cmd="leadline__subcmd__measure"
                ;;
            leadline,plan)
                cmd="leadline__subcmd__plan"
                ;;
            leadline,plot)
                cmd="leadline__subcmd__plot"
                ;;
            leadline,report)
                cmd="leadline__subcmd__report"
                ;;
            leadline,schema)
                cmd="leadline__subcmd__schema"
                ;;
            leadline,show)
                cmd="leadline__subcmd__show"
                ;;
            leadline,study)
                cmd="leadline__subcmd__study"
                ;;
            leadline,tag)
                cmd="leadline__subcmd__tag"
                ;;
            leadline,vdbench)
                cmd="leadline__subcmd__vdbench"
                ;;
            *)
                ;;
        esac
    done

    case "${cmd}" in
        leadline)
            opts="-h -V --help --version measure confirm study fio diskspd vdbench plan report compare plot schema show tag explain help limits check list"
            if [[ ${cur} == -* || ${COMP_CWORD} -eq 1 ]] ; then
                COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
                return 0
            fi
            case "${prev}" in
                *)
                    COMPREPLY=()
                    ;;
            esac
            COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
            return 0
            ;;
        leadline__subcmd__check)
            opts="-h --profiles --json --help"
            if [[ ${cur} == -* || ${COMP_CWORD} -eq 2 ]] ; then
                COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
                return 0
            fi
            case "${prev}" in
                --profiles)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                *)
                    COMPREPLY=()
                    ;;
            esac
            COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
            return 0
            ;;
        leadline__subcmd__compare)
            opts="-o -h --baseline --fail-on --across --interleave --rounds --out --json --output --force --hosts --launcher --accept-lost-hosts --accept-unlike-hosts --map --fresh-device --assert --assert-strict --setup --junit --markdown --help"
            if [[ ${cur} == -* || ${COMP_CWORD} -eq 2 ]] ; then
                COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
                return 0
            fi
            case "${prev}" in
                --baseline)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --fail-on)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --across)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --rounds)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --out)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --output)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                -o)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --hosts)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --launcher)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --map)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --assert)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --setup)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --junit)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --markdown)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                *)
                    COMPREPLY=()
                    ;;
            esac
            COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
            return 0
            ;;
        leadline__subcmd__confirm)
            opts="-h --out --force --keep --json --destroy --help"
            if [[ ${cur} == -* || ${COMP_CWORD} -eq 2 ]] ; then
                COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
                return 0
            fi
            case "${prev}" in
                --out)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --destroy)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                *)
                    COMPREPLY=()
                    ;;
            esac
            COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
            return 0
            ;;
        leadline__subcmd__diskspd)
            opts=""
            if [[ ${cur} == -* || ${COMP_CWORD} -eq 2 ]] ; then
                COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
                return 0
            fi
            case "${prev}" in
                *)
                    COMPREPLY=()
                    ;;
            esac
            COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
            return 0
            ;;
        leadline__subcmd__explain)
            opts="-h --help"
            if [[ ${cur} == -* || ${COMP_CWORD} -eq 2 ]] ; then
                COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
                return 0
            fi
            case "${prev}" in
                *)
                    COMPREPLY=()
                    ;;
            esac
            COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
            return 0
            ;;
        leadline__subcmd__fio)
            opts=""
            if [[ ${cur} == -* || ${COMP_CWORD} -eq 2 ]] ; then
                COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
                return 0
            fi
            case "${prev}" in
                *)
                    COMPREPLY=()
                    ;;
            esac
            COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
            return 0
            ;;
        leadline__subcmd__help)
            opts="-h --help"
            if [[ ${cur} == -* || ${COMP_CWORD} -eq 2 ]] ; then
                COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
                return 0
            fi
            case "${prev}" in
                *)
                    COMPREPLY=()
                    ;;
            esac
            COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
            return 0
            ;;
        leadline__subcmd__limits)
            opts="-h --service --quota --large --assigned --pool --disk --vm --nfs --nconnect --bs --read --latency --inflight --flows --demand --measured --run --table --here --limits --json --help"
            if [[ ${cur} == -* || ${COMP_CWORD} -eq 2 ]] ; then
                COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
                return 0
            fi
            case "${prev}" in
                --service)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --quota)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --assigned)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --pool)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --disk)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --vm)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --nfs)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --nconnect)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --bs)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --read)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --latency)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --inflight)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --flows)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --demand)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --measured)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --run)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --limits)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                *)
                    COMPREPLY=()
                    ;;
            esac
            COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
            return 0
            ;;
        leadline__subcmd__list)
            opts="-h --history --lines --json --help"
            if [[ ${cur} == -* || ${COMP_CWORD} -eq 2 ]] ; then
                COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
                return 0
            fi
            case "${prev}" in
                *)
                    COMPREPLY=()
                    ;;
            esac
            COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
            return 0
            ;;
        leadline__subcmd__measure)
            opts="-h --size --time --until-interval --bs --depth --jobs --buffered --out --force --seed --quick --full --engine --server-cache --keep --json --fail-on-grade --destroy --hosts --launcher --accept-lost-hosts --accept-unlike-hosts --map --fresh-device --assert --assert-strict --setup --junit --markdown --help"
            if [[ ${cur} == -* || ${COMP_CWORD} -eq 2 ]] ; then
                COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
                return 0
            fi
            case "${prev}" in
                --size)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --time)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --until-interval)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --bs)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --depth)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --jobs)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --out)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --seed)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --engine)
                    COMPREPLY=($(compgen -W "io_uring libaio psync threads pvsync2" -- "${cur}"))
                    return 0
                    ;;
                --server-cache)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --fail-on-grade)
                    COMPREPLY=($(compgen -W "B C F" -- "${cur}"))
                    return 0
                    ;;
                --destroy)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --hosts)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --launcher)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --map)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --assert)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --setup)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --junit)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --markdown)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                *)
                    COMPREPLY=()
                    ;;
            esac
            COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
            return 0
            ;;
        leadline__subcmd__plan)
            opts="-h --json --as --help measure study fio diskspd vdbench"
            if [[ ${cur} == -* || ${COMP_CWORD} -eq 2 ]] ; then
                COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
                return 0
            fi
            case "${prev}" in
                --as)
                    COMPREPLY=($(compgen -W "fio vdbench diskspd" -- "${cur}"))
                    return 0
                    ;;
                *)
                    COMPREPLY=()
                    ;;
            esac
            COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
            return 0
            ;;
        leadline__subcmd__plot)
            opts="-o -h --x --y --by --only --published --label --out --output --force --help"
            if [[ ${cur} == -* || ${COMP_CWORD} -eq 2 ]] ; then
                COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
                return 0
            fi
            case "${prev}" in
                --x)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --y)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --by)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --only)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --published)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --label)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --output)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --out)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                -o)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                *)
                    COMPREPLY=()
                    ;;
            esac
            COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
            return 0
            ;;
        leadline__subcmd__report)
            opts="-o -h --label --html --json --csv --csv-parts --csv-totals --hdr --text --as --out --output --force --fail-on-grade --help"
            if [[ ${cur} == -* || ${COMP_CWORD} -eq 2 ]] ; then
                COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
                return 0
            fi
            case "${prev}" in
                --label)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --as)
                    COMPREPLY=($(compgen -W "fio fio-json fio-json-plus diskspd diskspd-xml vdbench" -- "${cur}"))
                    return 0
                    ;;
                --output)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --out)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                -o)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --fail-on-grade)
                    COMPREPLY=($(compgen -W "B C F" -- "${cur}"))
                    return 0
                    ;;
                *)
                    COMPREPLY=()
                    ;;
            esac
            COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
            return 0
            ;;
        leadline__subcmd__schema)
            opts="-h --help run plan compare study limits list check"
            if [[ ${cur} == -* || ${COMP_CWORD} -eq 2 ]] ; then
                COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
                return 0
            fi
            case "${prev}" in
                *)
                    COMPREPLY=()
                    ;;
            esac
            COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
            return 0
            ;;
        leadline__subcmd__show)
            opts="-h --help"
            if [[ ${cur} == -* || ${COMP_CWORD} -eq 2 ]] ; then
                COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
                return 0
            fi
            case "${prev}" in
                *)
                    COMPREPLY=()
                    ;;
            esac
            COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
            return 0
            ;;
        leadline__subcmd__study)
            opts=""
            if [[ ${cur} == -* || ${COMP_CWORD} -eq 2 ]] ; then
                COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
                return 0
            fi
            case "${prev}" in
                *)
                    COMPREPLY=()
                    ;;
            esac
            COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
            return 0
            ;;
        leadline__subcmd__tag)
            opts="-h --help"
            if [[ ${cur} == -* || ${COMP_CWORD} -eq 2 ]] ; then
                COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
                return 0
            fi
            case "${prev}" in
                *)
                    COMPREPLY=()
                    ;;
            esac
            COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
            return 0
            ;;
        leadline__subcmd__vdbench)
            opts=""
            if [[ ${cur} == -* || ${COMP_CWORD} -eq 2 ]] ; then
                COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
                return 0
            fi
            case "${prev}" in
                *)
                    COMPREPLY=()
                    ;;
            esac
            COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
            return 0
            ;;
    esac
}

if [[ "${BASH_VERSINFO[0]}" -eq 4 && "${BASH_VERSINFO[1]}" -ge 4 || "${BASH_VERSINFO[0]}" -gt 4 ]]; then
    complete -F _leadline -o nosort -o bashdefault -o default leadline
else
    complete -F _leadline -o bashdefault -o default leadline
fi

_leadline_front_end() {
    local at=1 list='' word cut
    [[ ${COMP_WORDS[1]} == plan ]] && at=2
    case "${COMP_WORDS[at]}" in
        fio) list='--accept-lost-hosts --accept-unlike-hosts --alloc-size= --allow_file_create= --allow_mounted_write= --allow_mounted_write=0 --assert-strict --assert= --atomic= --aux-path= --ba= --bs= --bs_is_seq_rand= --bs_unaligned --bsrange= --bssplit= --buffer_compress_chunk= --buffer_compress_percentage= --buffer_pattern= --buffered= --bwavgtime= --clat_percentiles= --client= --cmdhelp --continue_on_error= --continue_on_error=0 --continue_on_error=1 --continue_on_error=all --continue_on_error=io --continue_on_error=none --continue_on_error=read --continue_on_error=verify --continue_on_error=write --cpumask= --cpus_allowed= --cpus_allowed_policy= --cpus_allowed_policy=shared --cpus_allowed_policy=split --create_fsync= --create_on_open= --create_only= --create_serialize= --dataplacement= --dataplacement=none --dedupe_mode= --dedupe_mode=repeat --dedupe_percentage= --description= --destroy= --direct= --directory= --disable_bw_measurement= --disable_clat= --disable_lat= --disable_slat= --disk_util= --end_fsync= --end_syncfs= --end_syncfs=0 --enghelp --eta-interval= --eta-newline= --eta= --exit_what= --exit_what=all --exit_what=group --exit_what=stonewall --exitall --exitall_on_error --fadvise_hint= --fadvise_hint=0 --fadvise_hint=1 --fadvise_hint=random --fadvise_hint=sequential --fail-on-grade= --fallocate= --fallocate=0 --fallocate=1 --fallocate=keep --fallocate=native --fallocate=none --fallocate=posix --fallocate=truncate --fdatasync= --fdp= --fdp=0 --file_append= --file_append=0 --file_service_type= --file_service_type=gauss --file_service_type=normal --file_service_type=pareto --file_service_type=random --file_service_type=roundrobin --file_service_type=sequential --file_service_type=zipf --filename= --filename_format= --filesize= --fill_device= --fixedbufs --flow= --flow_id= --force_async= --fresh-device --fsync= --fsync_on_close= --group_reporting --gtod_reduce= --help --hipri --hipri_percentage= --hipri_percentage=100 --hosts= --ignore_error= --invalidate= --io_size= --io_submit_mode= --io_submit_mode=inline --io_submit_mode=offload --iodepth= --iodepth_batch= --iodepth_batch_complete_min= --iodepth_low= --ioengine= --ioengine=aio --ioengine=io_uring --ioengine=libaio --ioengine=linuxaio --ioengine=mmap --ioengine=null --ioengine=posixaio --ioengine=psync --ioengine=pvsync --ioengine=pvsync2 --ioengine=sim --ioengine=sync --ioengine=threads --ioengine=vsync --iomem_align= --iopsavgtime= --junit= --kb_base= --kb_base=1000 --kb_base=1024 --lat_percentiles= --launcher= --leadline-force --leadline-run= --lockfile= --lockfile=none --lockmem= --loops= --map= --markdown= --max-jobs= --max_latency= --mem= --mem=malloc --mem=mmap --mem=mmaphuge --mem=mmapshared --mem=shm --mem=shmhuge --name= --new_group --nice= --nonvectored= --norandommap --nowait= --nrfiles= --num_range= --num_range=1 --number_ios= --numjobs= --offset= --offset_align= --offset_increment= --output-format= --output= --overwrite= --parse-only --percentage_random= --percentile_list= --pre_read= --prio= --prioclass= --ramp_time= --random_distribution= --random_distribution=normal --random_distribution=pareto --random_distribution=random --random_distribution=zipf --random_distribution=zoned --random_distribution=zoned_abs --random_generator= --random_generator=lfsr --random_generator=tausworthe --random_generator=tausworthe64 --randrepeat= --randseed= --rate= --rate_ignore_thinktime= --rate_iops= --rate_iops_min= --rate_iops_min=0 --rate_min= --rate_min=0 --rate_process= --rate_process=linear --rate_process=poisson --readonly --refill_buffers --registerfiles --runtime= --rw= --rw=randread --rw=randrw --rw=randtrim --rw=randtrimwrite --rw=randwrite --rw=read --rw=readwrite --rw=rw --rw=trim --rw=trimwrite --rw=write --rw_sequencer= --rw_sequencer=identical --rw_sequencer=sequential --rwmixread= --rwmixwrite= --scramble_buffers= --section= --serialize_overlap= --server-cache= --setup= --showcmd --significant_figures= --sim= --size= --slat_percentiles= --sqthread_poll --sqthread_poll_cpu= --startdelay= --stats= --stats=1 --status-interval= --stonewall --strict --sync= --sync=0 --sync=1 --sync=dsync --sync=none --sync=sync --terse-version= --thinkcycles= --thinkcycles=0 --thinktime= --thinktime_blocks= --thinktime_blocks_type= --thinktime_blocks_type=complete --thinktime_blocks_type=issue --thinktime_iotime= --thinktime_spin= --thread --time_based --trim_percentage= --trim_percentage=0 --uncached= --unified_rw_reporting= --unified_rw_reporting=0 --unified_rw_reporting=1 --unified_rw_reporting=2 --unified_rw_reporting=both --unified_rw_reporting=mixed --unified_rw_reporting=none --unit_base= --unit_base=0 --unit_base=1 --unit_base=8 --unlink= --unlink_each_loop= --userspace_reap --verify= --verify=0 --verify_state_load= --verify_state_load=0 --version --wait_for= --warnings-fatal --write_barrier= --write_barrier=0 --write_hint= --write_hint=none --zero_buffers --zonemode= --zonemode=none --zonesize= --zonesize=0' ;;
        vdbench) list='--accept-lost-hosts --accept-unlike-hosts --assert-strict --assert= --destroy --fail-on-grade= --fresh-device --help --hosts= --junit= --launcher= --leadline-force --leadline-run --map= --markdown= --server-cache= --setup= --strict -c -d -e -f -h -i -k -l -m -o -p -r -s -t -w' ;;
        diskspd) list='--accept-lost-hosts --accept-unlike-hosts --assert-strict --assert= --destroy= --fail-on-grade= --fresh-device --hosts= --junit= --launcher= --leadline-force --leadline-run= --map= --markdown= --reuse --server-cache= --setup= --strict --text= --xml= -: -? -B -C -D -F -I -L -N -O -P -R -S -Sr -Sy -T -W -X -Z -Zr -a -ac -ag -ap -as -b -bs -c -d -e -f -ft -g -h -i -j -l -n -o -oc -p -r -rd -rs -s -t -u -un -v -w -x -ye -yf -yp -yr -ys -z' ;;
        study) list='--accept-lost-hosts --accept-unlike-hosts --arm --arrivals --assert-strict --assert= --bs --budget --buffered --counts --dataset --depths --destroy --distance --engine --factors --fail-on-grade --files --force --free --fresh-device --grid --groups --hosts= --jobs --json --junit= --keep --launcher= --loss --map= --markdown= --metric --order --out --points --precondition --prepare --quick --rated --rated-target --refine --repeat --rest --resume --rw --seed --server-cache --setup= --slo --step --study --target --time --undo --until-interval --warmup --yes arms burst cache combined curve depth iops latency limit map mix near-far scale-out screen size steady throughput' ;;
    esac
    # bash takes words apart at a "="; here it belongs to the word.
    word="${COMP_LINE:0:COMP_POINT}"
    word="${word##* }"
    if [[ -z $list || $COMP_CWORD -le $at || $word != -* ]]; then
        _leadline "$@"
        return
    fi
    mapfile -t COMPREPLY < <(compgen -W "$list" -- "$word")
    if [[ ${#COMPREPLY[@]} -eq 1 && ${COMPREPLY[0]} == *= ]]; then
        compopt -o nospace 2>/dev/null
    fi
    if [[ $word == *=* && $COMP_WORDBREAKS == *=* ]]; then
        cut="${word%"${word##*=}"}"
        COMPREPLY=("${COMPREPLY[@]#"$cut"}")
    fi
}

complete -F _leadline_front_end -o bashdefault -o default leadline
