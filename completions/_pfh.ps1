
using namespace System.Management.Automation
using namespace System.Management.Automation.Language

Register-ArgumentCompleter -Native -CommandName 'pfh' -ScriptBlock {
    param($wordToComplete, $commandAst, $cursorPosition)

    $commandElements = $commandAst.CommandElements
    $command = @(
        'pfh'
        for ($i = 1; $i -lt $commandElements.Count; $i++) {
            $element = $commandElements[$i]
            if ($element -isnot [StringConstantExpressionAst] -or
                $element.StringConstantType -ne [StringConstantType]::BareWord -or
                $element.Value.StartsWith('-') -or
                $element.Value -eq $wordToComplete) {
                break
        }
        $element.Value
    }) -join ';'

    $completions = @(switch ($command) {
        'pfh' {
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('-V', '-V ', [CompletionResultType]::ParameterName, 'Print version')
            [CompletionResult]::new('--version', '--version', [CompletionResultType]::ParameterName, 'Print version')
            [CompletionResult]::new('hash', 'hash', [CompletionResultType]::ParameterValue, 'Print digests of files, directories, devices and standard input')
            [CompletionResult]::new('algorithms', 'algorithms', [CompletionResultType]::ParameterValue, 'List the algorithms: names, digest length, how far to trust them, code path on this CPU')
            [CompletionResult]::new('cpu', 'cpu', [CompletionResultType]::ParameterValue, 'Show what hashing uses on this CPU: features, backends, and the kernels of each algorithm')
            [CompletionResult]::new('completions', 'completions', [CompletionResultType]::ParameterValue, 'Print completions for a shell')
            [CompletionResult]::new('man', 'man', [CompletionResultType]::ParameterValue, 'Write the man pages into a directory')
            [CompletionResult]::new('help', 'help', [CompletionResultType]::ParameterValue, 'Print this message or the help of the given subcommand(s)')
            break
        }
        'pfh;hash' {
            [CompletionResult]::new('-a', '-a', [CompletionResultType]::ParameterName, 'Algorithms, separated by commas, or repeated; all are made in one read. `pfh algorithms` lists them')
            [CompletionResult]::new('--algorithm', '--algorithm', [CompletionResultType]::ParameterName, 'Algorithms, separated by commas, or repeated; all are made in one read. `pfh algorithms` lists them')
            [CompletionResult]::new('-f', '-f', [CompletionResultType]::ParameterName, 'Format of the list: gnu, bsd, hashdeep, md5deep, sfv, csv, jsonl, dfxml, ssdeep, sdhash, mrsh-v2 or tlsh [default: gnu for one algorithm, bsd for several, jsonl with --resume]')
            [CompletionResult]::new('--format', '--format', [CompletionResultType]::ParameterName, 'Format of the list: gnu, bsd, hashdeep, md5deep, sfv, csv, jsonl, dfxml, ssdeep, sdhash, mrsh-v2 or tlsh [default: gnu for one algorithm, bsd for several, jsonl with --resume]')
            [CompletionResult]::new('-o', '-o', [CompletionResultType]::ParameterName, 'Write to FILE, which appears whole or not at all [default: standard output]')
            [CompletionResult]::new('--output', '--output', [CompletionResultType]::ParameterName, 'Write to FILE, which appears whole or not at all [default: standard output]')
            [CompletionResult]::new('--piecewise', '--piecewise', [CompletionResultType]::ParameterName, 'Also print the digest of every piece of SIZE bytes (K, M, G: powers of 1024)')
            [CompletionResult]::new('--stats', '--stats', [CompletionResultType]::ParameterName, 'Print where the time went, on standard error')
            [CompletionResult]::new('--progress', '--progress', [CompletionResultType]::ParameterName, 'Show progress on standard error')
            [CompletionResult]::new('--files-from', '--files-from', [CompletionResultType]::ParameterName, 'Read paths from FILE as well, one a line; `-` is standard input')
            [CompletionResult]::new('--files-from0', '--files-from0', [CompletionResultType]::ParameterName, 'Read paths from FILE as well, each ended by NUL (as `find -print0` writes them); `-` is standard input')
            [CompletionResult]::new('--include', '--include', [CompletionResultType]::ParameterName, 'Read only files that match GLOB (repeatable: one of them). Quote it for the shell')
            [CompletionResult]::new('--exclude', '--exclude', [CompletionResultType]::ParameterName, 'Leave out files and directories that match GLOB (repeatable). `GLOB/` leaves out directories only')
            [CompletionResult]::new('--min-size', '--min-size', [CompletionResultType]::ParameterName, 'Leave out files smaller than SIZE')
            [CompletionResult]::new('--max-size', '--max-size', [CompletionResultType]::ParameterName, 'Leave out files larger than SIZE')
            [CompletionResult]::new('--max-depth', '--max-depth', [CompletionResultType]::ParameterName, 'Descend at most N levels below the paths given; 1 is the files directly in a directory')
            [CompletionResult]::new('-t', '-t', [CompletionResultType]::ParameterName, 'Threads [default: one for each core]')
            [CompletionResult]::new('--threads', '--threads', [CompletionResultType]::ParameterName, 'Threads [default: one for each core]')
            [CompletionResult]::new('-p', '-p', [CompletionResultType]::ParameterName, 'Readers per device, where reading is a role of its own (--mode mtp, --io direct, rotating disks)')
            [CompletionResult]::new('--prefetchers', '--prefetchers', [CompletionResultType]::ParameterName, 'Readers per device, where reading is a role of its own (--mode mtp, --io direct, rotating disks)')
            [CompletionResult]::new('-m', '-m', [CompletionResultType]::ParameterName, 'Ceiling over all buffers (K, M, G: powers of 1024)')
            [CompletionResult]::new('--memory', '--memory', [CompletionResultType]::ParameterName, 'Ceiling over all buffers (K, M, G: powers of 1024)')
            [CompletionResult]::new('--mode', '--mode', [CompletionResultType]::ParameterName, 'How threads share reading and hashing')
            [CompletionResult]::new('--order', '--order', [CompletionResultType]::ParameterName, 'The order in which files are read; the output is always in the order of the walk')
            [CompletionResult]::new('--backend', '--backend', [CompletionResultType]::ParameterName, 'Instructions that hash many files at once, instead of the best that this CPU has; `pfh cpu` lists the names')
            [CompletionResult]::new('--io', '--io', [CompletionResultType]::ParameterName, 'How contents pass the page cache')
            [CompletionResult]::new('--medium', '--medium', [CompletionResultType]::ParameterName, 'What the files lie on, where the system does not know or is wrong')
            [CompletionResult]::new('-0', '-0', [CompletionResultType]::ParameterName, 'End records with NUL instead of a line feed, and escape nothing (formats gnu, bsd, md5deep)')
            [CompletionResult]::new('--null', '--null', [CompletionResultType]::ParameterName, 'End records with NUL instead of a line feed, and escape nothing (formats gnu, bsd, md5deep)')
            [CompletionResult]::new('--resume', '--resume', [CompletionResultType]::ParameterName, 'Continue the JSON Lines file given with -o: skip what it records with the same path, size and modification time')
            [CompletionResult]::new('--unordered', '--unordered', [CompletionResultType]::ParameterName, 'Print records as they finish rather than in the order of the walk')
            [CompletionResult]::new('-q', '-q', [CompletionResultType]::ParameterName, 'Do not print warnings about single files (the exit status still tells)')
            [CompletionResult]::new('--quiet', '--quiet', [CompletionResultType]::ParameterName, 'Do not print warnings about single files (the exit status still tells)')
            [CompletionResult]::new('-r', '-r', [CompletionResultType]::ParameterName, 'Accepted for the habit: directories are always walked')
            [CompletionResult]::new('--recursive', '--recursive', [CompletionResultType]::ParameterName, 'Accepted for the habit: directories are always walked')
            [CompletionResult]::new('-x', '-x', [CompletionResultType]::ParameterName, 'Stay on the filesystem of each path given')
            [CompletionResult]::new('--one-file-system', '--one-file-system', [CompletionResultType]::ParameterName, 'Stay on the filesystem of each path given')
            [CompletionResult]::new('--follow-files', '--follow-files', [CompletionResultType]::ParameterName, 'Read files that symbolic links lead to. (Links among the paths given are always followed.)')
            [CompletionResult]::new('--follow-directories', '--follow-directories', [CompletionResultType]::ParameterName, 'Walk directories that symbolic links lead to; loops are detected')
            [CompletionResult]::new('--preserve-access-time', '--preserve-access-time', [CompletionResultType]::ParameterName, 'Leave access times as they are, where the system permits')
            [CompletionResult]::new('--balance', '--balance', [CompletionResultType]::ParameterName, 'With --mode mtp: prefer files that fit the free part of the memory table')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('-V', '-V ', [CompletionResultType]::ParameterName, 'Print version')
            [CompletionResult]::new('--version', '--version', [CompletionResultType]::ParameterName, 'Print version')
            break
        }
        'pfh;algorithms' {
            [CompletionResult]::new('--json', '--json', [CompletionResultType]::ParameterName, 'Print JSON Lines instead of a table')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help')
            [CompletionResult]::new('-V', '-V ', [CompletionResultType]::ParameterName, 'Print version')
            [CompletionResult]::new('--version', '--version', [CompletionResultType]::ParameterName, 'Print version')
            break
        }
        'pfh;cpu' {
            [CompletionResult]::new('--json', '--json', [CompletionResultType]::ParameterName, 'Print one JSON object instead of tables')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help')
            [CompletionResult]::new('-V', '-V ', [CompletionResultType]::ParameterName, 'Print version')
            [CompletionResult]::new('--version', '--version', [CompletionResultType]::ParameterName, 'Print version')
            break
        }
        'pfh;completions' {
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('-V', '-V ', [CompletionResultType]::ParameterName, 'Print version')
            [CompletionResult]::new('--version', '--version', [CompletionResultType]::ParameterName, 'Print version')
            break
        }
        'pfh;man' {
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help')
            [CompletionResult]::new('-V', '-V ', [CompletionResultType]::ParameterName, 'Print version')
            [CompletionResult]::new('--version', '--version', [CompletionResultType]::ParameterName, 'Print version')
            break
        }
        'pfh;help' {
            [CompletionResult]::new('hash', 'hash', [CompletionResultType]::ParameterValue, 'Print digests of files, directories, devices and standard input')
            [CompletionResult]::new('algorithms', 'algorithms', [CompletionResultType]::ParameterValue, 'List the algorithms: names, digest length, how far to trust them, code path on this CPU')
            [CompletionResult]::new('cpu', 'cpu', [CompletionResultType]::ParameterValue, 'Show what hashing uses on this CPU: features, backends, and the kernels of each algorithm')
            [CompletionResult]::new('completions', 'completions', [CompletionResultType]::ParameterValue, 'Print completions for a shell')
            [CompletionResult]::new('man', 'man', [CompletionResultType]::ParameterValue, 'Write the man pages into a directory')
            [CompletionResult]::new('help', 'help', [CompletionResultType]::ParameterValue, 'Print this message or the help of the given subcommand(s)')
            break
        }
        'pfh;help;hash' {
            break
        }
        'pfh;help;algorithms' {
            break
        }
        'pfh;help;cpu' {
            break
        }
        'pfh;help;completions' {
            break
        }
        'pfh;help;man' {
            break
        }
        'pfh;help;help' {
            break
        }
    })

    $completions.Where{ $_.CompletionText -like "$wordToComplete*" } |
        Sort-Object -Property ListItemText
}
