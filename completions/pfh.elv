
use builtin;
use str;

set edit:completion:arg-completer[pfh] = {|@words|
    fn spaces {|n|
        builtin:repeat $n ' ' | str:join ''
    }
    fn cand {|text desc|
        edit:complex-candidate $text &display=$text' '(spaces (- 14 (wcswidth $text)))$desc
    }
    var command = 'pfh'
    for word $words[1..-1] {
        if (str:has-prefix $word '-') {
            break
        }
        set command = $command';'$word
    }
    var completions = [
        &'pfh'= {
            cand -h 'Print help (see more with ''--help'')'
            cand --help 'Print help (see more with ''--help'')'
            cand -V 'Print version'
            cand --version 'Print version'
            cand hash 'Print digests of files, directories, devices and standard input'
            cand algorithms 'List the algorithms: names, digest length, how far to trust them, code path on this CPU'
            cand cpu 'Show what hashing uses on this CPU: features, backends, and the kernels of each algorithm'
            cand completions 'Print completions for a shell'
            cand man 'Write the man pages into a directory'
            cand help 'Print this message or the help of the given subcommand(s)'
        }
        &'pfh;hash'= {
            cand -a 'Algorithms, separated by commas, or repeated; all are made in one read. `pfh algorithms` lists them'
            cand --algorithm 'Algorithms, separated by commas, or repeated; all are made in one read. `pfh algorithms` lists them'
            cand -f 'Format of the list: gnu, bsd, hashdeep, md5deep, sfv, csv, jsonl, dfxml, ssdeep, sdhash, mrsh-v2 or tlsh [default: gnu for one algorithm, bsd for several, jsonl with --resume]'
            cand --format 'Format of the list: gnu, bsd, hashdeep, md5deep, sfv, csv, jsonl, dfxml, ssdeep, sdhash, mrsh-v2 or tlsh [default: gnu for one algorithm, bsd for several, jsonl with --resume]'
            cand -o 'Write to FILE, which appears whole or not at all [default: standard output]'
            cand --output 'Write to FILE, which appears whole or not at all [default: standard output]'
            cand --piecewise 'Also print the digest of every piece of SIZE bytes (K, M, G: powers of 1024)'
            cand --stats 'Print where the time went, on standard error'
            cand --progress 'Show progress on standard error'
            cand --files-from 'Read paths from FILE as well, one a line; `-` is standard input'
            cand --files-from0 'Read paths from FILE as well, each ended by NUL (as `find -print0` writes them); `-` is standard input'
            cand --include 'Read only files that match GLOB (repeatable: one of them). Quote it for the shell'
            cand --exclude 'Leave out files and directories that match GLOB (repeatable). `GLOB/` leaves out directories only'
            cand --min-size 'Leave out files smaller than SIZE'
            cand --max-size 'Leave out files larger than SIZE'
            cand --max-depth 'Descend at most N levels below the paths given; 1 is the files directly in a directory'
            cand -t 'Threads [default: one for each core]'
            cand --threads 'Threads [default: one for each core]'
            cand -p 'Readers per device, where reading is a role of its own (--mode mtp, --io direct, rotating disks)'
            cand --prefetchers 'Readers per device, where reading is a role of its own (--mode mtp, --io direct, rotating disks)'
            cand -m 'Ceiling over all buffers (K, M, G: powers of 1024)'
            cand --memory 'Ceiling over all buffers (K, M, G: powers of 1024)'
            cand --mode 'How threads share reading and hashing'
            cand --order 'The order in which files are read; the output is always in the order of the walk'
            cand --backend 'Instructions that hash many files at once, instead of the best that this CPU has; `pfh cpu` lists the names'
            cand --io 'How contents pass the page cache'
            cand --medium 'What the files lie on, where the system does not know or is wrong'
            cand -0 'End records with NUL instead of a line feed, and escape nothing (formats gnu, bsd, md5deep)'
            cand --null 'End records with NUL instead of a line feed, and escape nothing (formats gnu, bsd, md5deep)'
            cand --resume 'Continue the JSON Lines file given with -o: skip what it records with the same path, size and modification time'
            cand --unordered 'Print records as they finish rather than in the order of the walk'
            cand -q 'Do not print warnings about single files (the exit status still tells)'
            cand --quiet 'Do not print warnings about single files (the exit status still tells)'
            cand -r 'Accepted for the habit: directories are always walked'
            cand --recursive 'Accepted for the habit: directories are always walked'
            cand -x 'Stay on the filesystem of each path given'
            cand --one-file-system 'Stay on the filesystem of each path given'
            cand --follow-files 'Read files that symbolic links lead to. (Links among the paths given are always followed.)'
            cand --follow-directories 'Walk directories that symbolic links lead to; loops are detected'
            cand --preserve-access-time 'Leave access times as they are, where the system permits'
            cand --balance 'With --mode mtp: prefer files that fit the free part of the memory table'
            cand -h 'Print help (see more with ''--help'')'
            cand --help 'Print help (see more with ''--help'')'
            cand -V 'Print version'
            cand --version 'Print version'
        }
        &'pfh;algorithms'= {
            cand --json 'Print JSON Lines instead of a table'
            cand -h 'Print help'
            cand --help 'Print help'
            cand -V 'Print version'
            cand --version 'Print version'
        }
        &'pfh;cpu'= {
            cand --json 'Print one JSON object instead of tables'
            cand -h 'Print help'
            cand --help 'Print help'
            cand -V 'Print version'
            cand --version 'Print version'
        }
        &'pfh;completions'= {
            cand -h 'Print help (see more with ''--help'')'
            cand --help 'Print help (see more with ''--help'')'
            cand -V 'Print version'
            cand --version 'Print version'
        }
        &'pfh;man'= {
            cand -h 'Print help'
            cand --help 'Print help'
            cand -V 'Print version'
            cand --version 'Print version'
        }
        &'pfh;help'= {
            cand hash 'Print digests of files, directories, devices and standard input'
            cand algorithms 'List the algorithms: names, digest length, how far to trust them, code path on this CPU'
            cand cpu 'Show what hashing uses on this CPU: features, backends, and the kernels of each algorithm'
            cand completions 'Print completions for a shell'
            cand man 'Write the man pages into a directory'
            cand help 'Print this message or the help of the given subcommand(s)'
        }
        &'pfh;help;hash'= {
        }
        &'pfh;help;algorithms'= {
        }
        &'pfh;help;cpu'= {
        }
        &'pfh;help;completions'= {
        }
        &'pfh;help;man'= {
        }
        &'pfh;help;help'= {
        }
    ]
    $completions[$command]
}
