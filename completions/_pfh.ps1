
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
            [CompletionResult]::new('compare', 'compare', [CompletionResultType]::ParameterValue, 'Find similar files: all against all, two sides, clusters, indexes')
            [CompletionResult]::new('match', 'match', [CompletionResultType]::ParameterValue, 'Find files, and entries of lists, whose digests are known or similar to known ones')
            [CompletionResult]::new('known', 'known', [CompletionResultType]::ParameterValue, 'Build sets of known files, and look digests up in them')
            [CompletionResult]::new('verify', 'verify', [CompletionResultType]::ParameterValue, 'Compare files with a list of digests, of any format that pfh reads')
            [CompletionResult]::new('convert', 'convert', [CompletionResultType]::ParameterValue, 'Write lists of digests in another format, and tell what that format cannot express')
            [CompletionResult]::new('certify', 'certify', [CompletionResultType]::ParameterValue, 'Write the report on a list that is filed with it: what was hashed, by whom, when and how')
            [CompletionResult]::new('dupes', 'dupes', [CompletionResultType]::ParameterValue, 'Find files, and whole directories, with the same contents, and what they cost')
            [CompletionResult]::new('covers', 'covers', [CompletionResultType]::ParameterValue, 'Find files of which there is no copy elsewhere: may this disk be wiped?')
            [CompletionResult]::new('audit', 'audit', [CompletionResultType]::ParameterValue, 'Verify collections over the years: what changed, moved, went missing or rotted')
            [CompletionResult]::new('bag', 'bag', [CompletionResultType]::ParameterValue, 'Make, verify and update bags (BagIt): directories whose contents are listed with digests')
            [CompletionResult]::new('copy', 'copy', [CompletionResultType]::ParameterValue, 'Copy files and directories, and verify each copy by reading it back')
            [CompletionResult]::new('shard', 'shard', [CompletionResultType]::ParameterValue, 'Plan hashing on many machines: walk once, and cut the listing into shards')
            [CompletionResult]::new('merge', 'merge', [CompletionResultType]::ParameterValue, 'Join the results of the shards of a plan into one list')
            [CompletionResult]::new('frash', 'frash', [CompletionResultType]::ParameterValue, 'Measure how similarity digests behave (FRASH): times, lengths, blocks in common, fragments, noise')
            [CompletionResult]::new('algorithms', 'algorithms', [CompletionResultType]::ParameterValue, 'List the algorithms: names, digest length, how far to trust them, code path on this CPU')
            [CompletionResult]::new('cpu', 'cpu', [CompletionResultType]::ParameterValue, 'Show what hashing uses on this CPU: features, backends, and the kernels of each algorithm and similarity family')
            [CompletionResult]::new('lab', 'lab', [CompletionResultType]::ParameterValue, 'Measure hash and cipher implementations of many languages, and check their answers')
            [CompletionResult]::new('completions', 'completions', [CompletionResultType]::ParameterValue, 'Print completions for a shell')
            [CompletionResult]::new('man', 'man', [CompletionResultType]::ParameterValue, 'Write the man pages into a directory')
            [CompletionResult]::new('help', 'help', [CompletionResultType]::ParameterValue, 'Print this message or the help of the given subcommand(s)')
            break
        }
        'pfh;hash' {
            [CompletionResult]::new('-a', '-a', [CompletionResultType]::ParameterName, 'Algorithms, separated by commas, or repeated; one read computes them all. `pfh algorithms` lists them')
            [CompletionResult]::new('--algorithm', '--algorithm', [CompletionResultType]::ParameterName, 'Algorithms, separated by commas, or repeated; one read computes them all. `pfh algorithms` lists them')
            [CompletionResult]::new('-f', '-f', [CompletionResultType]::ParameterName, 'Format of the list: gnu, bsd, hashdeep, md5deep, sfv, csv, jsonl, dfxml, ssdeep, sdhash, mrsh-v2 or tlsh [default: gnu for one algorithm, bsd for several, jsonl with --resume]')
            [CompletionResult]::new('--format', '--format', [CompletionResultType]::ParameterName, 'Format of the list: gnu, bsd, hashdeep, md5deep, sfv, csv, jsonl, dfxml, ssdeep, sdhash, mrsh-v2 or tlsh [default: gnu for one algorithm, bsd for several, jsonl with --resume]')
            [CompletionResult]::new('-o', '-o', [CompletionResultType]::ParameterName, 'Write to FILE, which appears whole or not at all; `-` is standard output [default: -]')
            [CompletionResult]::new('--output', '--output', [CompletionResultType]::ParameterName, 'Write to FILE, which appears whole or not at all; `-` is standard output [default: -]')
            [CompletionResult]::new('--piecewise', '--piecewise', [CompletionResultType]::ParameterName, 'Also print the digest of every piece of SIZE bytes (K, M, G: powers of 1024)')
            [CompletionResult]::new('--facts', '--facts', [CompletionResultType]::ParameterName, 'Also find facts about contents: the longest run of one byte, sectors of zeros, the entropy of a byte')
            [CompletionResult]::new('--stats', '--stats', [CompletionResultType]::ParameterName, 'Print where the time went, on standard error')
            [CompletionResult]::new('--progress', '--progress', [CompletionResultType]::ParameterName, 'Show progress on standard error')
            [CompletionResult]::new('--key-file', '--key-file', [CompletionResultType]::ParameterName, 'Read the key of hmac-… and keyed-… algorithms from FILE; `-` is standard input')
            [CompletionResult]::new('--derive-key', '--derive-key', [CompletionResultType]::ParameterName, 'Derive keys from the files, in this context (blake3-derive-key; `b3sum --derive-key`)')
            [CompletionResult]::new('--sdhash-profile', '--sdhash-profile', [CompletionResultType]::ParameterName, 'Version of sdhash that digests and scores are compatible with')
            [CompletionResult]::new('--sdhash-blocks', '--sdhash-blocks', [CompletionResultType]::ParameterName, 'Block size of sdhash in KiB, 1 to 16, or 0 for none (`sdhash -b`) [default: 16 from 16 MiB on, none below]')
            [CompletionResult]::new('--sdhash-segments', '--sdhash-segments', [CompletionResultType]::ParameterName, 'Segment size of sdhash in MiB (`sdhash -z`); 0 for none')
            [CompletionResult]::new('--files-from', '--files-from', [CompletionResultType]::ParameterName, 'Also read paths from FILE, one per line; `-` is standard input')
            [CompletionResult]::new('--files-from0', '--files-from0', [CompletionResultType]::ParameterName, 'Also read paths from FILE, each terminated by NUL (as `find -print0` writes them); `-` is standard input')
            [CompletionResult]::new('--include', '--include', [CompletionResultType]::ParameterName, 'Read only files that match GLOB (repeatable: any one suffices). Quote it for the shell')
            [CompletionResult]::new('--exclude', '--exclude', [CompletionResultType]::ParameterName, 'Exclude files and directories that match GLOB (repeatable). `GLOB/` excludes directories only')
            [CompletionResult]::new('--min-size', '--min-size', [CompletionResultType]::ParameterName, 'Exclude files smaller than SIZE')
            [CompletionResult]::new('--max-size', '--max-size', [CompletionResultType]::ParameterName, 'Exclude files larger than SIZE')
            [CompletionResult]::new('--max-depth', '--max-depth', [CompletionResultType]::ParameterName, 'Descend at most N levels below the given paths; 1 means only the files directly in a directory')
            [CompletionResult]::new('-t', '-t', [CompletionResultType]::ParameterName, 'Number of threads [default: one per core]')
            [CompletionResult]::new('-j', '-j', [CompletionResultType]::ParameterName, 'Number of threads [default: one per core]')
            [CompletionResult]::new('--threads', '--threads', [CompletionResultType]::ParameterName, 'Number of threads [default: one per core]')
            [CompletionResult]::new('-p', '-p', [CompletionResultType]::ParameterName, 'Number of readers per device, where threads only read (--mode mtp, --io direct, rotating disks)')
            [CompletionResult]::new('--prefetchers', '--prefetchers', [CompletionResultType]::ParameterName, 'Number of readers per device, where threads only read (--mode mtp, --io direct, rotating disks)')
            [CompletionResult]::new('-m', '-m', [CompletionResultType]::ParameterName, 'Memory limit for all buffers together (K, M, G: powers of 1024)')
            [CompletionResult]::new('--memory', '--memory', [CompletionResultType]::ParameterName, 'Memory limit for all buffers together (K, M, G: powers of 1024)')
            [CompletionResult]::new('--slot', '--slot', [CompletionResultType]::ParameterName, 'Largest slot of the memory table: what one read asks for at most [default: 64K to 1M, by what is computed; 4M with --io direct]')
            [CompletionResult]::new('--mode', '--mode', [CompletionResultType]::ParameterName, 'How threads share reading and hashing')
            [CompletionResult]::new('--order', '--order', [CompletionResultType]::ParameterName, 'The order in which files are read; the output is always in the order of the walk')
            [CompletionResult]::new('--backend', '--backend', [CompletionResultType]::ParameterName, 'Instructions for hashing many files at once and for similarity digests, instead of the best that this CPU has; `pfh cpu` lists the names')
            [CompletionResult]::new('--io', '--io', [CompletionResultType]::ParameterName, 'How reading uses the page cache')
            [CompletionResult]::new('--medium', '--medium', [CompletionResultType]::ParameterName, 'Type of storage that the files are on, if the system does not know it or is wrong')
            [CompletionResult]::new('--profile', '--profile', [CompletionResultType]::ParameterName, 'Take the options that `pfh lab advise --save` found (threads, prefetchers, mode, order, method, medium) from FILE, except those that are given here')
            [CompletionResult]::new('--plan', '--plan', [CompletionResultType]::ParameterName, 'Hash shards of the plan in the folder PLAN, which `pfh shard` made, instead of paths. Results appear there')
            [CompletionResult]::new('--shard', '--shard', [CompletionResultType]::ParameterName, 'The number of the shard, from 0; or I/N: every shard whose number is I modulo N, one after the other')
            [CompletionResult]::new('-b', '-b', [CompletionResultType]::ParameterName, 'Accepted for compatibility: contents are always read as they are')
            [CompletionResult]::new('--binary', '--binary', [CompletionResultType]::ParameterName, 'Accepted for compatibility: contents are always read as they are')
            [CompletionResult]::new('--tag', '--tag', [CompletionResultType]::ParameterName, 'Same as `-f bsd`')
            [CompletionResult]::new('--json', '--json', [CompletionResultType]::ParameterName, 'Same as `-f jsonl`')
            [CompletionResult]::new('--allow-empty', '--allow-empty', [CompletionResultType]::ParameterName, 'Replace an existing FILE of -o even with a list that has not a single complete file')
            [CompletionResult]::new('-0', '-0', [CompletionResultType]::ParameterName, 'End records with NUL instead of a line feed, and escape nothing (formats gnu, bsd, md5deep)')
            [CompletionResult]::new('--null', '--null', [CompletionResultType]::ParameterName, 'End records with NUL instead of a line feed, and escape nothing (formats gnu, bsd, md5deep)')
            [CompletionResult]::new('--zero', '--zero', [CompletionResultType]::ParameterName, 'End records with NUL instead of a line feed, and escape nothing (formats gnu, bsd, md5deep)')
            [CompletionResult]::new('--uppercase', '--uppercase', [CompletionResultType]::ParameterName, 'Write digests in upper-case hexadecimal (formats gnu, bsd, sfv)')
            [CompletionResult]::new('--base64', '--base64', [CompletionResultType]::ParameterName, 'Write digests in base64 (formats gnu, bsd), as `cksum --base64` does')
            [CompletionResult]::new('--resume', '--resume', [CompletionResultType]::ParameterName, 'Continue the JSON Lines file given with -o: skip files that it records with the same path, size and modification time')
            [CompletionResult]::new('--compact', '--compact', [CompletionResultType]::ParameterName, 'With --resume: first drop lines that are superseded by a later line about the same path')
            [CompletionResult]::new('--unordered', '--unordered', [CompletionResultType]::ParameterName, 'Print records as they finish rather than in the order of the walk')
            [CompletionResult]::new('-q', '-q', [CompletionResultType]::ParameterName, 'Do not print warnings about single files and lines (the totals at the end and the exit status still count them)')
            [CompletionResult]::new('--quiet', '--quiet', [CompletionResultType]::ParameterName, 'Do not print warnings about single files and lines (the totals at the end and the exit status still count them)')
            [CompletionResult]::new('--verbose', '--verbose', [CompletionResultType]::ParameterName, 'Print every warning, rather than the first ten of each kind in each directory')
            [CompletionResult]::new('--key-hex', '--key-hex', [CompletionResultType]::ParameterName, 'The key file holds hexadecimal digits; white space between them is ignored')
            [CompletionResult]::new('--mrsh-network', '--mrsh-network', [CompletionResultType]::ParameterName, 'Compute mrsh-v2 digests as its build for network packets does, without the first and the last chunk')
            [CompletionResult]::new('-r', '-r', [CompletionResultType]::ParameterName, 'Accepted for compatibility: directories are always walked')
            [CompletionResult]::new('--recursive', '--recursive', [CompletionResultType]::ParameterName, 'Accepted for compatibility: directories are always walked')
            [CompletionResult]::new('-x', '-x', [CompletionResultType]::ParameterName, 'Stay on the filesystem of each given path')
            [CompletionResult]::new('--one-file-system', '--one-file-system', [CompletionResultType]::ParameterName, 'Stay on the filesystem of each given path')
            [CompletionResult]::new('--follow-files', '--follow-files', [CompletionResultType]::ParameterName, 'Read files that symbolic links point to. (Links among the given paths are always followed.)')
            [CompletionResult]::new('--follow-directories', '--follow-directories', [CompletionResultType]::ParameterName, 'Walk directories that symbolic links point to; loops are detected')
            [CompletionResult]::new('--preserve-access-time', '--preserve-access-time', [CompletionResultType]::ParameterName, 'Preserve access times where the system permits it')
            [CompletionResult]::new('--balance', '--balance', [CompletionResultType]::ParameterName, 'With --mode mtp: prefer files that fit the free part of the memory table')
            [CompletionResult]::new('--any-tree', '--any-tree', [CompletionResultType]::ParameterName, 'Hash what lies at the paths of the plan even if the directories there are not those that were planned')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('-V', '-V ', [CompletionResultType]::ParameterName, 'Print version')
            [CompletionResult]::new('--version', '--version', [CompletionResultType]::ParameterName, 'Print version')
            break
        }
        'pfh;compare' {
            [CompletionResult]::new('--digests', '--digests', [CompletionResultType]::ParameterName, 'Also compare the digests in LIST (repeatable), which ssdeep, sdhash, mrsh-v2, tlsh or `pfh hash` wrote; `-` is standard input')
            [CompletionResult]::new('--against', '--against', [CompletionResultType]::ParameterName, 'Compare with the files below PATH instead of with each other (repeatable)')
            [CompletionResult]::new('--against-digests', '--against-digests', [CompletionResultType]::ParameterName, 'Compare with the digests in LIST instead of with each other (repeatable)')
            [CompletionResult]::new('--as', '--as', [CompletionResultType]::ParameterName, 'Read the lists as this format, instead of recognising it: a format of `pfh hash`, or one that is only read')
            [CompletionResult]::new('-a', '-a', [CompletionResultType]::ParameterName, 'Family of digests: ssdeep, sdhash, mrsh-v2 or tlsh [default: that of the lists or the index, or ssdeep]')
            [CompletionResult]::new('--algorithm', '--algorithm', [CompletionResultType]::ParameterName, 'Family of digests: ssdeep, sdhash, mrsh-v2 or tlsh [default: that of the lists or the index, or ssdeep]')
            [CompletionResult]::new('--top', '--top', [CompletionResultType]::ParameterName, 'Print only the K best matches of each file; of equally good ones, the first')
            [CompletionResult]::new('--heatmap', '--heatmap', [CompletionResultType]::ParameterName, 'Write a picture of all scores as SVG, for at most 512 files, instead of printing pairs')
            [CompletionResult]::new('--build-index', '--build-index', [CompletionResultType]::ParameterName, 'Write an index of the digests (ssdeep, tlsh) instead of comparing them')
            [CompletionResult]::new('--index', '--index', [CompletionResultType]::ParameterName, 'Compare with the digests in this index instead of with each other')
            [CompletionResult]::new('--threshold', '--threshold', [CompletionResultType]::ParameterName, 'Lowest score to report, 0 to 100; with tlsh the largest distance [default: 1; tlsh: 30]')
            [CompletionResult]::new('--sample', '--sample', [CompletionResultType]::ParameterName, 'sdhash: use only the first N filters of the first digest of a pair (`sdhash -s`)')
            [CompletionResult]::new('-f', '-f', [CompletionResultType]::ParameterName, 'Format of the pairs [default: that of the family''s own program]')
            [CompletionResult]::new('--format', '--format', [CompletionResultType]::ParameterName, 'Format of the pairs [default: that of the family''s own program]')
            [CompletionResult]::new('-o', '-o', [CompletionResultType]::ParameterName, 'Write to FILE, which appears whole or not at all; `-` is standard output [default: -]')
            [CompletionResult]::new('--output', '--output', [CompletionResultType]::ParameterName, 'Write to FILE, which appears whole or not at all; `-` is standard output [default: -]')
            [CompletionResult]::new('-j', '-j', [CompletionResultType]::ParameterName, 'Number of threads [default: one per core]')
            [CompletionResult]::new('--threads', '--threads', [CompletionResultType]::ParameterName, 'Number of threads [default: one per core]')
            [CompletionResult]::new('-m', '-m', [CompletionResultType]::ParameterName, 'Memory limit for digests, comparison and sorting (K, M, G: powers of 1024)')
            [CompletionResult]::new('--memory', '--memory', [CompletionResultType]::ParameterName, 'Memory limit for digests, comparison and sorting (K, M, G: powers of 1024)')
            [CompletionResult]::new('--progress', '--progress', [CompletionResultType]::ParameterName, 'Show progress on standard error')
            [CompletionResult]::new('--sdhash-profile', '--sdhash-profile', [CompletionResultType]::ParameterName, 'Version of sdhash that digests and scores are compatible with')
            [CompletionResult]::new('--sdhash-blocks', '--sdhash-blocks', [CompletionResultType]::ParameterName, 'Block size of sdhash in KiB, 1 to 16, or 0 for none (`sdhash -b`) [default: 16 from 16 MiB on, none below]')
            [CompletionResult]::new('--sdhash-segments', '--sdhash-segments', [CompletionResultType]::ParameterName, 'Segment size of sdhash in MiB (`sdhash -z`); 0 for none')
            [CompletionResult]::new('--files-from', '--files-from', [CompletionResultType]::ParameterName, 'Also read paths from FILE, one per line; `-` is standard input')
            [CompletionResult]::new('--files-from0', '--files-from0', [CompletionResultType]::ParameterName, 'Also read paths from FILE, each terminated by NUL (as `find -print0` writes them); `-` is standard input')
            [CompletionResult]::new('--include', '--include', [CompletionResultType]::ParameterName, 'Read only files that match GLOB (repeatable: any one suffices). Quote it for the shell')
            [CompletionResult]::new('--exclude', '--exclude', [CompletionResultType]::ParameterName, 'Exclude files and directories that match GLOB (repeatable). `GLOB/` excludes directories only')
            [CompletionResult]::new('--min-size', '--min-size', [CompletionResultType]::ParameterName, 'Exclude files smaller than SIZE')
            [CompletionResult]::new('--max-size', '--max-size', [CompletionResultType]::ParameterName, 'Exclude files larger than SIZE')
            [CompletionResult]::new('--max-depth', '--max-depth', [CompletionResultType]::ParameterName, 'Descend at most N levels below the given paths; 1 means only the files directly in a directory')
            [CompletionResult]::new('--clusters', '--clusters', [CompletionResultType]::ParameterName, 'Print groups of files that pairs join, directly or indirectly, instead of the pairs')
            [CompletionResult]::new('--symmetric', '--symmetric', [CompletionResultType]::ParameterName, 'sdhash: if two digests have the same number of filters, compare both ways and take the higher score')
            [CompletionResult]::new('--fast', '--fast', [CompletionResultType]::ParameterName, 'sdhash: compare filters folded to a quarter of their length, with the scores of `sdhash --fast` in version 4.0')
            [CompletionResult]::new('--resemblance', '--resemblance', [CompletionResultType]::ParameterName, 'mrsh-v2: score how much of the larger file is in the smaller one, that is, how alike they are (`mrsh -f`)')
            [CompletionResult]::new('--allow-empty', '--allow-empty', [CompletionResultType]::ParameterName, 'Replace an existing FILE of -o even with a result for which there was not a single digest')
            [CompletionResult]::new('-q', '-q', [CompletionResultType]::ParameterName, 'Do not print warnings about single files and lines (the totals at the end and the exit status still count them)')
            [CompletionResult]::new('--quiet', '--quiet', [CompletionResultType]::ParameterName, 'Do not print warnings about single files and lines (the totals at the end and the exit status still count them)')
            [CompletionResult]::new('--verbose', '--verbose', [CompletionResultType]::ParameterName, 'Print every warning, rather than the first ten of each kind in each directory')
            [CompletionResult]::new('--mrsh-network', '--mrsh-network', [CompletionResultType]::ParameterName, 'Compute mrsh-v2 digests as its build for network packets does, without the first and the last chunk')
            [CompletionResult]::new('-r', '-r', [CompletionResultType]::ParameterName, 'Accepted for compatibility: directories are always walked')
            [CompletionResult]::new('--recursive', '--recursive', [CompletionResultType]::ParameterName, 'Accepted for compatibility: directories are always walked')
            [CompletionResult]::new('-x', '-x', [CompletionResultType]::ParameterName, 'Stay on the filesystem of each given path')
            [CompletionResult]::new('--one-file-system', '--one-file-system', [CompletionResultType]::ParameterName, 'Stay on the filesystem of each given path')
            [CompletionResult]::new('--follow-files', '--follow-files', [CompletionResultType]::ParameterName, 'Read files that symbolic links point to. (Links among the given paths are always followed.)')
            [CompletionResult]::new('--follow-directories', '--follow-directories', [CompletionResultType]::ParameterName, 'Walk directories that symbolic links point to; loops are detected')
            [CompletionResult]::new('--preserve-access-time', '--preserve-access-time', [CompletionResultType]::ParameterName, 'Preserve access times where the system permits it')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('-V', '-V ', [CompletionResultType]::ParameterName, 'Print version')
            [CompletionResult]::new('--version', '--version', [CompletionResultType]::ParameterName, 'Print version')
            break
        }
        'pfh;match' {
            [CompletionResult]::new('--digests', '--digests', [CompletionResultType]::ParameterName, 'Also look through the digests in LIST (repeatable); `-` is standard input')
            [CompletionResult]::new('--digest', '--digest', [CompletionResultType]::ParameterName, 'The digest to look for: hexadecimal, or as ssdeep, sdhash, mrsh-v2 or tlsh write it')
            [CompletionResult]::new('--known', '--known', [CompletionResultType]::ParameterName, 'A list of digests to look for (repeatable): in any format of `pfh hash`, plain hexadecimal, or as ssdeep, sdhash, mrsh-v2 or tlsh wrote it')
            [CompletionResult]::new('--as', '--as', [CompletionResultType]::ParameterName, 'Read the lists as this format, instead of recognising it: a format of `pfh hash`, or one that is only read')
            [CompletionResult]::new('--only', '--only', [CompletionResultType]::ParameterName, 'Print only files of these classes: good, bad, other, known (all three) or unknown')
            [CompletionResult]::new('--fail-on', '--fail-on', [CompletionResultType]::ParameterName, 'Exit with status 1 if there is a file of these classes; `none` for never [default: bad; with --blocks: known]')
            [CompletionResult]::new('-a', '-a', [CompletionResultType]::ParameterName, 'Look only for digests of this algorithm or family, and assume it where a list names none [default: the one that the list names, or by length: CRC-32, MD5, SHA-1, SHA-224, SHA-256, SHA-384, SHA-512]')
            [CompletionResult]::new('--algorithm', '--algorithm', [CompletionResultType]::ParameterName, 'Look only for digests of this algorithm or family, and assume it where a list names none [default: the one that the list names, or by length: CRC-32, MD5, SHA-1, SHA-224, SHA-256, SHA-384, SHA-512]')
            [CompletionResult]::new('--top', '--top', [CompletionResultType]::ParameterName, 'Print only the K most similar known digests for each file')
            [CompletionResult]::new('--blocks', '--blocks', [CompletionResultType]::ParameterName, 'Look for fragments of known files: the paths are disk images, and the set has digests of blocks of SIZE bytes')
            [CompletionResult]::new('--step', '--step', [CompletionResultType]::ParameterName, 'With --blocks: look for blocks at every multiple of SIZE bytes in the image; SIZE is a multiple of 512 that divides the length of blocks [default: 512]')
            [CompletionResult]::new('--key-file', '--key-file', [CompletionResultType]::ParameterName, 'Read the key of hmac-… and keyed-… algorithms from FILE; `-` is standard input')
            [CompletionResult]::new('--derive-key', '--derive-key', [CompletionResultType]::ParameterName, 'Derive keys from the files, in this context (blake3-derive-key; `b3sum --derive-key`)')
            [CompletionResult]::new('--threshold', '--threshold', [CompletionResultType]::ParameterName, 'Lowest score to report, 0 to 100; with tlsh the largest distance [default: 1; tlsh: 30]')
            [CompletionResult]::new('--sample', '--sample', [CompletionResultType]::ParameterName, 'sdhash: use only the first N filters of the first digest of a pair (`sdhash -s`)')
            [CompletionResult]::new('-f', '-f', [CompletionResultType]::ParameterName, 'Format of the pairs [default: that of the family''s own program]')
            [CompletionResult]::new('--format', '--format', [CompletionResultType]::ParameterName, 'Format of the pairs [default: that of the family''s own program]')
            [CompletionResult]::new('-o', '-o', [CompletionResultType]::ParameterName, 'Write to FILE, which appears whole or not at all; `-` is standard output [default: -]')
            [CompletionResult]::new('--output', '--output', [CompletionResultType]::ParameterName, 'Write to FILE, which appears whole or not at all; `-` is standard output [default: -]')
            [CompletionResult]::new('-j', '-j', [CompletionResultType]::ParameterName, 'Number of threads [default: one per core]')
            [CompletionResult]::new('--threads', '--threads', [CompletionResultType]::ParameterName, 'Number of threads [default: one per core]')
            [CompletionResult]::new('-m', '-m', [CompletionResultType]::ParameterName, 'Memory limit for digests, comparison and sorting (K, M, G: powers of 1024)')
            [CompletionResult]::new('--memory', '--memory', [CompletionResultType]::ParameterName, 'Memory limit for digests, comparison and sorting (K, M, G: powers of 1024)')
            [CompletionResult]::new('--progress', '--progress', [CompletionResultType]::ParameterName, 'Show progress on standard error')
            [CompletionResult]::new('--sdhash-profile', '--sdhash-profile', [CompletionResultType]::ParameterName, 'Version of sdhash that digests and scores are compatible with')
            [CompletionResult]::new('--sdhash-blocks', '--sdhash-blocks', [CompletionResultType]::ParameterName, 'Block size of sdhash in KiB, 1 to 16, or 0 for none (`sdhash -b`) [default: 16 from 16 MiB on, none below]')
            [CompletionResult]::new('--sdhash-segments', '--sdhash-segments', [CompletionResultType]::ParameterName, 'Segment size of sdhash in MiB (`sdhash -z`); 0 for none')
            [CompletionResult]::new('--files-from', '--files-from', [CompletionResultType]::ParameterName, 'Also read paths from FILE, one per line; `-` is standard input')
            [CompletionResult]::new('--files-from0', '--files-from0', [CompletionResultType]::ParameterName, 'Also read paths from FILE, each terminated by NUL (as `find -print0` writes them); `-` is standard input')
            [CompletionResult]::new('--include', '--include', [CompletionResultType]::ParameterName, 'Read only files that match GLOB (repeatable: any one suffices). Quote it for the shell')
            [CompletionResult]::new('--exclude', '--exclude', [CompletionResultType]::ParameterName, 'Exclude files and directories that match GLOB (repeatable). `GLOB/` excludes directories only')
            [CompletionResult]::new('--min-size', '--min-size', [CompletionResultType]::ParameterName, 'Exclude files smaller than SIZE')
            [CompletionResult]::new('--max-size', '--max-size', [CompletionResultType]::ParameterName, 'Exclude files larger than SIZE')
            [CompletionResult]::new('--max-depth', '--max-depth', [CompletionResultType]::ParameterName, 'Descend at most N levels below the given paths; 1 means only the files directly in a directory')
            [CompletionResult]::new('--check-sets', '--check-sets', [CompletionResultType]::ParameterName, 'Read each set whole before anything else, and refuse one of which a byte is not as it was written')
            [CompletionResult]::new('--negate', '--negate', [CompletionResultType]::ParameterName, 'Print the files that --only would leave out')
            [CompletionResult]::new('--names-only', '--names-only', [CompletionResultType]::ParameterName, 'Print nothing but the names of files, one in a line, as they are')
            [CompletionResult]::new('-0', '-0', [CompletionResultType]::ParameterName, 'With --names-only: end names with NUL instead of a line feed, as `xargs -0` reads them')
            [CompletionResult]::new('--null', '--null', [CompletionResultType]::ParameterName, 'With --names-only: end names with NUL instead of a line feed, as `xargs -0` reads them')
            [CompletionResult]::new('--zero', '--zero', [CompletionResultType]::ParameterName, 'With --names-only: end names with NUL instead of a line feed, as `xargs -0` reads them')
            [CompletionResult]::new('--not-found', '--not-found', [CompletionResultType]::ParameterName, 'Print the entries of sets that no file was, instead of files')
            [CompletionResult]::new('--all-names', '--all-names', [CompletionResultType]::ParameterName, 'Print every name that the lists give for a cryptographic digest, not only the first in each list and the number of others')
            [CompletionResult]::new('--key-hex', '--key-hex', [CompletionResultType]::ParameterName, 'The key file holds hexadecimal digits; white space between them is ignored')
            [CompletionResult]::new('--symmetric', '--symmetric', [CompletionResultType]::ParameterName, 'sdhash: if two digests have the same number of filters, compare both ways and take the higher score')
            [CompletionResult]::new('--fast', '--fast', [CompletionResultType]::ParameterName, 'sdhash: compare filters folded to a quarter of their length, with the scores of `sdhash --fast` in version 4.0')
            [CompletionResult]::new('--resemblance', '--resemblance', [CompletionResultType]::ParameterName, 'mrsh-v2: score how much of the larger file is in the smaller one, that is, how alike they are (`mrsh -f`)')
            [CompletionResult]::new('--allow-empty', '--allow-empty', [CompletionResultType]::ParameterName, 'Replace an existing FILE of -o even with a result for which there was not a single digest')
            [CompletionResult]::new('-q', '-q', [CompletionResultType]::ParameterName, 'Do not print warnings about single files and lines (the totals at the end and the exit status still count them)')
            [CompletionResult]::new('--quiet', '--quiet', [CompletionResultType]::ParameterName, 'Do not print warnings about single files and lines (the totals at the end and the exit status still count them)')
            [CompletionResult]::new('--verbose', '--verbose', [CompletionResultType]::ParameterName, 'Print every warning, rather than the first ten of each kind in each directory')
            [CompletionResult]::new('--mrsh-network', '--mrsh-network', [CompletionResultType]::ParameterName, 'Compute mrsh-v2 digests as its build for network packets does, without the first and the last chunk')
            [CompletionResult]::new('-r', '-r', [CompletionResultType]::ParameterName, 'Accepted for compatibility: directories are always walked')
            [CompletionResult]::new('--recursive', '--recursive', [CompletionResultType]::ParameterName, 'Accepted for compatibility: directories are always walked')
            [CompletionResult]::new('-x', '-x', [CompletionResultType]::ParameterName, 'Stay on the filesystem of each given path')
            [CompletionResult]::new('--one-file-system', '--one-file-system', [CompletionResultType]::ParameterName, 'Stay on the filesystem of each given path')
            [CompletionResult]::new('--follow-files', '--follow-files', [CompletionResultType]::ParameterName, 'Read files that symbolic links point to. (Links among the given paths are always followed.)')
            [CompletionResult]::new('--follow-directories', '--follow-directories', [CompletionResultType]::ParameterName, 'Walk directories that symbolic links point to; loops are detected')
            [CompletionResult]::new('--preserve-access-time', '--preserve-access-time', [CompletionResultType]::ParameterName, 'Preserve access times where the system permits it')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('-V', '-V ', [CompletionResultType]::ParameterName, 'Print version')
            [CompletionResult]::new('--version', '--version', [CompletionResultType]::ParameterName, 'Print version')
            break
        }
        'pfh;known' {
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('-V', '-V ', [CompletionResultType]::ParameterName, 'Print version')
            [CompletionResult]::new('--version', '--version', [CompletionResultType]::ParameterName, 'Print version')
            [CompletionResult]::new('build', 'build', [CompletionResultType]::ParameterValue, 'Build a set from lists, and from other sets')
            [CompletionResult]::new('check', 'check', [CompletionResultType]::ParameterValue, 'Compare a downloaded archive of NSRL with the check values that NIST publishes beside it')
            [CompletionResult]::new('info', 'info', [CompletionResultType]::ParameterValue, 'Show what is in a set, and where it comes from')
            [CompletionResult]::new('lookup', 'lookup', [CompletionResultType]::ParameterValue, 'Look digests up in sets')
            [CompletionResult]::new('export', 'export', [CompletionResultType]::ParameterValue, 'Write a set as a list, or as a Bloom filter')
            [CompletionResult]::new('serve', 'serve', [CompletionResultType]::ParameterValue, 'Answer other programs about sets, by HTTP and by the protocol of nsrlsvr')
            [CompletionResult]::new('help', 'help', [CompletionResultType]::ParameterValue, 'Print this message or the help of the given subcommand(s)')
            break
        }
        'pfh;known;build' {
            [CompletionResult]::new('--blocks', '--blocks', [CompletionResultType]::ParameterName, 'Build a set of the blocks of files, for `pfh match --blocks`: the sources are files and directories, and each whole block of SIZE bytes is hashed')
            [CompletionResult]::new('--class', '--class', [CompletionResultType]::ParameterName, 'Class of the files in the lists: good, bad or other. Sets keep their own classes')
            [CompletionResult]::new('--as', '--as', [CompletionResultType]::ParameterName, 'Read the lists as this format, instead of recognising it: a format of `pfh hash`, or nsrl, hashkeeper, ilook, encase, sleuthkit, vics, icse, hashdb, bagit, ocfl, avp or imager')
            [CompletionResult]::new('--columns', '--columns', [CompletionResultType]::ParameterName, 'Read the lists as tables with these columns, by name or number: `md5=Hash,name="File Name",size=3`. Also sha1, sha256 …, product and category')
            [CompletionResult]::new('-a', '-a', [CompletionResultType]::ParameterName, 'Take only digests by these algorithms [default: md5, sha1, sha224, sha256, sha384, sha512, sha3-256, sha3-512, blake2b, blake3, tiger, whirlpool, as far as the lists have them]')
            [CompletionResult]::new('--algorithm', '--algorithm', [CompletionResultType]::ParameterName, 'Take only digests by these algorithms [default: md5, sha1, sha224, sha256, sha384, sha512, sha3-256, sha3-512, blake2b, blake3, tiger, whirlpool, as far as the lists have them]')
            [CompletionResult]::new('--keep', '--keep', [CompletionResultType]::ParameterName, 'Keep beside digests, as far as the sources tell: size, name, product, category of each file; `digests` keeps the way from one digest to the others of the file')
            [CompletionResult]::new('--release', '--release', [CompletionResultType]::ParameterName, 'The release of the lists, to be shown with each match')
            [CompletionResult]::new('--note', '--note', [CompletionResultType]::ParameterName, 'A note about the lists, to be kept in the set')
            [CompletionResult]::new('--except', '--except', [CompletionResultType]::ParameterName, 'Leave out files that are in this set (repeatable)')
            [CompletionResult]::new('--common', '--common', [CompletionResultType]::ParameterName, 'Take only files that are in this set, too (repeatable)')
            [CompletionResult]::new('-m', '-m', [CompletionResultType]::ParameterName, 'Memory limit for sorting (K, M, G: powers of 1024); temporary files take the rest')
            [CompletionResult]::new('--memory', '--memory', [CompletionResultType]::ParameterName, 'Memory limit for sorting (K, M, G: powers of 1024); temporary files take the rest')
            [CompletionResult]::new('--keep-going', '--keep-going', [CompletionResultType]::ParameterName, 'Leave out lines and rows that cannot be read, and sources without wanted digests, instead of making no set; with --blocks, files that cannot be read')
            [CompletionResult]::new('--allow-empty', '--allow-empty', [CompletionResultType]::ParameterName, 'Replace an existing SET even with a set that has not a single file')
            [CompletionResult]::new('-q', '-q', [CompletionResultType]::ParameterName, 'Do not print warnings about single lines (the totals at the end and the exit status still count them)')
            [CompletionResult]::new('--quiet', '--quiet', [CompletionResultType]::ParameterName, 'Do not print warnings about single lines (the totals at the end and the exit status still count them)')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('-V', '-V ', [CompletionResultType]::ParameterName, 'Print version')
            [CompletionResult]::new('--version', '--version', [CompletionResultType]::ParameterName, 'Print version')
            break
        }
        'pfh;known;check' {
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('-V', '-V ', [CompletionResultType]::ParameterName, 'Print version')
            [CompletionResult]::new('--version', '--version', [CompletionResultType]::ParameterName, 'Print version')
            break
        }
        'pfh;known;info' {
            [CompletionResult]::new('--verify', '--verify', [CompletionResultType]::ParameterName, 'Read the whole set and check that it is as it was written')
            [CompletionResult]::new('--json', '--json', [CompletionResultType]::ParameterName, 'Print a JSON object instead of text')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help')
            [CompletionResult]::new('-V', '-V ', [CompletionResultType]::ParameterName, 'Print version')
            [CompletionResult]::new('--version', '--version', [CompletionResultType]::ParameterName, 'Print version')
            break
        }
        'pfh;known;lookup' {
            [CompletionResult]::new('--known', '--known', [CompletionResultType]::ParameterName, 'Look in this set, too (repeatable); also CLASS=SET')
            [CompletionResult]::new('--filter', '--filter', [CompletionResultType]::ParameterName, 'Ask this Bloom filter first: digests that it does not have are unknown, and the set is not asked for them')
            [CompletionResult]::new('-f', '-f', [CompletionResultType]::ParameterName, 'Format of the answers')
            [CompletionResult]::new('--format', '--format', [CompletionResultType]::ParameterName, 'Format of the answers')
            [CompletionResult]::new('--check-sets', '--check-sets', [CompletionResultType]::ParameterName, 'Read each set whole before anything else, and refuse one of which a byte is not as it was written')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('-V', '-V ', [CompletionResultType]::ParameterName, 'Print version')
            [CompletionResult]::new('--version', '--version', [CompletionResultType]::ParameterName, 'Print version')
            break
        }
        'pfh;known;export' {
            [CompletionResult]::new('-f', '-f', [CompletionResultType]::ParameterName, 'A format of `pfh hash`; `digests`, a line for each digest of one algorithm; or `bloom`, a Bloom filter in the format of DCSO, which hashlookup uses')
            [CompletionResult]::new('--format', '--format', [CompletionResultType]::ParameterName, 'A format of `pfh hash`; `digests`, a line for each digest of one algorithm; or `bloom`, a Bloom filter in the format of DCSO, which hashlookup uses')
            [CompletionResult]::new('-a', '-a', [CompletionResultType]::ParameterName, 'Only digests by these algorithms [default: all of the set; for `bloom` sha1]')
            [CompletionResult]::new('--algorithm', '--algorithm', [CompletionResultType]::ParameterName, 'Only digests by these algorithms [default: all of the set; for `bloom` sha1]')
            [CompletionResult]::new('--only', '--only', [CompletionResultType]::ParameterName, 'Only files of these classes')
            [CompletionResult]::new('--letters', '--letters', [CompletionResultType]::ParameterName, 'Write the digits of digests in lower or upper case [default: upper for `bloom`, otherwise lower]')
            [CompletionResult]::new('--probability', '--probability', [CompletionResultType]::ParameterName, 'For `bloom`: the chance that the filter says "maybe" of a digest that the set does not have')
            [CompletionResult]::new('-o', '-o', [CompletionResultType]::ParameterName, 'Write to FILE, which appears whole or not at all [default: standard output]')
            [CompletionResult]::new('--output', '--output', [CompletionResultType]::ParameterName, 'Write to FILE, which appears whole or not at all [default: standard output]')
            [CompletionResult]::new('-m', '-m', [CompletionResultType]::ParameterName, 'Memory limit (K, M, G: powers of 1024)')
            [CompletionResult]::new('--memory', '--memory', [CompletionResultType]::ParameterName, 'Memory limit (K, M, G: powers of 1024)')
            [CompletionResult]::new('--allow-empty', '--allow-empty', [CompletionResultType]::ParameterName, 'Replace an existing FILE even if no entry is written')
            [CompletionResult]::new('-q', '-q', [CompletionResultType]::ParameterName, 'Do not print what the list lacks')
            [CompletionResult]::new('--quiet', '--quiet', [CompletionResultType]::ParameterName, 'Do not print what the list lacks')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('-V', '-V ', [CompletionResultType]::ParameterName, 'Print version')
            [CompletionResult]::new('--version', '--version', [CompletionResultType]::ParameterName, 'Print version')
            break
        }
        'pfh;known;serve' {
            [CompletionResult]::new('--listen', '--listen', [CompletionResultType]::ParameterName, 'Answer HTTP at this address [default port: 9180; port 0 is any free one]')
            [CompletionResult]::new('--host', '--host', [CompletionResultType]::ParameterName, 'Also answer HTTP for this host (repeatable), beside localhost and addresses')
            [CompletionResult]::new('--nsrlsvr', '--nsrlsvr', [CompletionResultType]::ParameterName, 'Also speak the protocol of nsrlsvr at this address [default port: 9120]')
            [CompletionResult]::new('--nsrlsvr-classes', '--nsrlsvr-classes', [CompletionResultType]::ParameterName, 'Classes of the files that the protocol of nsrlsvr calls known, which has no classes: good, bad, other')
            [CompletionResult]::new('--max-connections', '--max-connections', [CompletionResultType]::ParameterName, 'Most connections at a time; further ones are refused [default: 4096, or what the limit on open files allows]')
            [CompletionResult]::new('--max-client-connections', '--max-client-connections', [CompletionResultType]::ParameterName, 'Most connections of one client at a time by each protocol; further ones are refused [default: a quarter of --max-connections, and 16 at least]')
            [CompletionResult]::new('--max-rate', '--max-rate', [CompletionResultType]::ParameterName, 'Most requests of one client in a second; 0 for any number. A client is an address (IPv6: a network of 64 bits)')
            [CompletionResult]::new('--max-digests', '--max-digests', [CompletionResultType]::ParameterName, 'Most digests in a request over HTTP')
            [CompletionResult]::new('--max-body', '--max-body', [CompletionResultType]::ParameterName, 'Longest body of a request over HTTP (K, M, G: powers of 1024)')
            [CompletionResult]::new('--max-line-digests', '--max-line-digests', [CompletionResultType]::ParameterName, 'Most digests in a line of the protocol of nsrlsvr')
            [CompletionResult]::new('--max-line', '--max-line', [CompletionResultType]::ParameterName, 'Longest line of the protocol of nsrlsvr (K, M, G: powers of 1024)')
            [CompletionResult]::new('-m', '-m', [CompletionResultType]::ParameterName, 'Memory limit for requests and answers on their way, beside a few kilobytes of each connection (K, M, G: powers of 1024). The sets are mapped, and are not in it')
            [CompletionResult]::new('--memory', '--memory', [CompletionResultType]::ParameterName, 'Memory limit for requests and answers on their way, beside a few kilobytes of each connection (K, M, G: powers of 1024). The sets are mapped, and are not in it')
            [CompletionResult]::new('--timeout', '--timeout', [CompletionResultType]::ParameterName, 'Time for a client to begin its first request, to send one that it has begun, and to take each part of an answer')
            [CompletionResult]::new('--idle', '--idle', [CompletionResultType]::ParameterName, 'Time for which a connection of the protocol of nsrlsvr may be without a request after its first')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('-V', '-V ', [CompletionResultType]::ParameterName, 'Print version')
            [CompletionResult]::new('--version', '--version', [CompletionResultType]::ParameterName, 'Print version')
            break
        }
        'pfh;known;help' {
            [CompletionResult]::new('build', 'build', [CompletionResultType]::ParameterValue, 'Build a set from lists, and from other sets')
            [CompletionResult]::new('check', 'check', [CompletionResultType]::ParameterValue, 'Compare a downloaded archive of NSRL with the check values that NIST publishes beside it')
            [CompletionResult]::new('info', 'info', [CompletionResultType]::ParameterValue, 'Show what is in a set, and where it comes from')
            [CompletionResult]::new('lookup', 'lookup', [CompletionResultType]::ParameterValue, 'Look digests up in sets')
            [CompletionResult]::new('export', 'export', [CompletionResultType]::ParameterValue, 'Write a set as a list, or as a Bloom filter')
            [CompletionResult]::new('serve', 'serve', [CompletionResultType]::ParameterValue, 'Answer other programs about sets, by HTTP and by the protocol of nsrlsvr')
            [CompletionResult]::new('help', 'help', [CompletionResultType]::ParameterValue, 'Print this message or the help of the given subcommand(s)')
            break
        }
        'pfh;known;help;build' {
            break
        }
        'pfh;known;help;check' {
            break
        }
        'pfh;known;help;info' {
            break
        }
        'pfh;known;help;lookup' {
            break
        }
        'pfh;known;help;export' {
            break
        }
        'pfh;known;help;serve' {
            break
        }
        'pfh;known;help;help' {
            break
        }
        'pfh;verify' {
            [CompletionResult]::new('-a', '-a', [CompletionResultType]::ParameterName, 'The algorithm of digests for which LIST names none [default: by their length]')
            [CompletionResult]::new('--algorithm', '--algorithm', [CompletionResultType]::ParameterName, 'The algorithm of digests for which LIST names none [default: by their length]')
            [CompletionResult]::new('--as', '--as', [CompletionResultType]::ParameterName, 'Read LIST as this format, instead of recognising it: a format of `pfh hash`, or one that is only read')
            [CompletionResult]::new('--sample', '--sample', [CompletionResultType]::ParameterName, 'Read only this share of the files, chosen at random')
            [CompletionResult]::new('--seed', '--seed', [CompletionResultType]::ParameterName, 'The number that decides the choice of --sample [default: another one each time, which is printed]')
            [CompletionResult]::new('--strip-prefix', '--strip-prefix', [CompletionResultType]::ParameterName, 'Remove PREFIX from the paths of LIST; other paths are not below ROOT')
            [CompletionResult]::new('-f', '-f', [CompletionResultType]::ParameterName, 'Format of the output')
            [CompletionResult]::new('--format', '--format', [CompletionResultType]::ParameterName, 'Format of the output')
            [CompletionResult]::new('-o', '-o', [CompletionResultType]::ParameterName, 'Write to FILE, which appears whole or not at all; `-` is standard output [default: -]')
            [CompletionResult]::new('--output', '--output', [CompletionResultType]::ParameterName, 'Write to FILE, which appears whole or not at all; `-` is standard output [default: -]')
            [CompletionResult]::new('--compat', '--compat', [CompletionResultType]::ParameterName, 'Print, and exit with, what another program does, so that scripts move over; see the guides')
            [CompletionResult]::new('--progress', '--progress', [CompletionResultType]::ParameterName, 'Show progress on standard error')
            [CompletionResult]::new('--include', '--include', [CompletionResultType]::ParameterName, 'Check only files that match GLOB (repeatable: any one suffices). Quote it for the shell')
            [CompletionResult]::new('--exclude', '--exclude', [CompletionResultType]::ParameterName, 'Leave out files and directories that match GLOB (repeatable). `GLOB/` leaves out directories only')
            [CompletionResult]::new('-t', '-t', [CompletionResultType]::ParameterName, 'Number of threads [default: one per core]')
            [CompletionResult]::new('-j', '-j', [CompletionResultType]::ParameterName, 'Number of threads [default: one per core]')
            [CompletionResult]::new('--threads', '--threads', [CompletionResultType]::ParameterName, 'Number of threads [default: one per core]')
            [CompletionResult]::new('-p', '-p', [CompletionResultType]::ParameterName, 'Number of readers per device, where threads only read (--mode mtp, --io direct, rotating disks)')
            [CompletionResult]::new('--prefetchers', '--prefetchers', [CompletionResultType]::ParameterName, 'Number of readers per device, where threads only read (--mode mtp, --io direct, rotating disks)')
            [CompletionResult]::new('-m', '-m', [CompletionResultType]::ParameterName, 'Memory limit for all buffers together (K, M, G: powers of 1024)')
            [CompletionResult]::new('--memory', '--memory', [CompletionResultType]::ParameterName, 'Memory limit for all buffers together (K, M, G: powers of 1024)')
            [CompletionResult]::new('--slot', '--slot', [CompletionResultType]::ParameterName, 'Largest slot of the memory table: what one read asks for at most [default: 64K to 1M, by what is computed; 4M with --io direct]')
            [CompletionResult]::new('--mode', '--mode', [CompletionResultType]::ParameterName, 'How threads share reading and hashing')
            [CompletionResult]::new('--order', '--order', [CompletionResultType]::ParameterName, 'The order in which files are read; the output is always in the order of the walk')
            [CompletionResult]::new('--backend', '--backend', [CompletionResultType]::ParameterName, 'Instructions for hashing many files at once and for similarity digests, instead of the best that this CPU has; `pfh cpu` lists the names')
            [CompletionResult]::new('--io', '--io', [CompletionResultType]::ParameterName, 'How reading uses the page cache')
            [CompletionResult]::new('--medium', '--medium', [CompletionResultType]::ParameterName, 'Type of storage that the files are on, if the system does not know it or is wrong')
            [CompletionResult]::new('--key-file', '--key-file', [CompletionResultType]::ParameterName, 'Read the key of hmac-… and keyed-… algorithms from FILE; `-` is standard input')
            [CompletionResult]::new('--derive-key', '--derive-key', [CompletionResultType]::ParameterName, 'Derive keys from the files, in this context (blake3-derive-key; `b3sum --derive-key`)')
            [CompletionResult]::new('--ignore-new', '--ignore-new', [CompletionResultType]::ParameterName, 'Do not look for files that LIST does not have; then moved files are missing')
            [CompletionResult]::new('--ignore-missing', '--ignore-missing', [CompletionResultType]::ParameterName, 'Files that are missing are no finding')
            [CompletionResult]::new('--structure', '--structure', [CompletionResultType]::ParameterName, 'Compare names and sizes only; no contents are read')
            [CompletionResult]::new('--size-first', '--size-first', [CompletionResultType]::ParameterName, 'Compare names and sizes of all files before any is read, and do not read files whose size differs')
            [CompletionResult]::new('--backslashes', '--backslashes', [CompletionResultType]::ParameterName, 'The paths of LIST have backslashes between their components, as on Windows')
            [CompletionResult]::new('--piecewise', '--piecewise', [CompletionResultType]::ParameterName, 'Names in LIST that end with ` offset START-END` are of pieces, which are not compared (gnu, bsd)')
            [CompletionResult]::new('--all', '--all', [CompletionResultType]::ParameterName, 'Print files that match, too')
            [CompletionResult]::new('-q', '-q', [CompletionResultType]::ParameterName, 'Print the verdict only. With --compat gnu: no line for files that match')
            [CompletionResult]::new('--quiet', '--quiet', [CompletionResultType]::ParameterName, 'Print the verdict only. With --compat gnu: no line for files that match')
            [CompletionResult]::new('--status', '--status', [CompletionResultType]::ParameterName, 'With --compat gnu: print nothing for files; the exit status tells')
            [CompletionResult]::new('--strict', '--strict', [CompletionResultType]::ParameterName, 'With --compat gnu: also exit with 1 if lines of the list are improperly formatted')
            [CompletionResult]::new('-w', '-w', [CompletionResultType]::ParameterName, 'With --compat gnu: warn about each line that is improperly formatted')
            [CompletionResult]::new('--warn', '--warn', [CompletionResultType]::ParameterName, 'With --compat gnu: warn about each line that is improperly formatted')
            [CompletionResult]::new('-v', '-v', [CompletionResultType]::ParameterName, 'With --compat hashdeep: print the counts; twice: also each file that does not match; three times: also those that do')
            [CompletionResult]::new('--verbose', '--verbose', [CompletionResultType]::ParameterName, 'With --compat hashdeep: print the counts; twice: also each file that does not match; three times: also those that do')
            [CompletionResult]::new('-x', '-x', [CompletionResultType]::ParameterName, 'Stay on the filesystem of ROOT')
            [CompletionResult]::new('--one-file-system', '--one-file-system', [CompletionResultType]::ParameterName, 'Stay on the filesystem of ROOT')
            [CompletionResult]::new('--follow-files', '--follow-files', [CompletionResultType]::ParameterName, 'Read files that symbolic links point to')
            [CompletionResult]::new('--follow-directories', '--follow-directories', [CompletionResultType]::ParameterName, 'Walk directories that symbolic links point to; loops are detected')
            [CompletionResult]::new('--preserve-access-time', '--preserve-access-time', [CompletionResultType]::ParameterName, 'Preserve access times where the system permits it')
            [CompletionResult]::new('--balance', '--balance', [CompletionResultType]::ParameterName, 'With --mode mtp: prefer files that fit the free part of the memory table')
            [CompletionResult]::new('--key-hex', '--key-hex', [CompletionResultType]::ParameterName, 'The key file holds hexadecimal digits; white space between them is ignored')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('-V', '-V ', [CompletionResultType]::ParameterName, 'Print version')
            [CompletionResult]::new('--version', '--version', [CompletionResultType]::ParameterName, 'Print version')
            break
        }
        'pfh;convert' {
            [CompletionResult]::new('-f', '-f', [CompletionResultType]::ParameterName, 'Format of the new list: one of `pfh hash`')
            [CompletionResult]::new('--format', '--format', [CompletionResultType]::ParameterName, 'Format of the new list: one of `pfh hash`')
            [CompletionResult]::new('-o', '-o', [CompletionResultType]::ParameterName, 'Write to FILE, which appears whole or not at all [default: standard output]')
            [CompletionResult]::new('--output', '--output', [CompletionResultType]::ParameterName, 'Write to FILE, which appears whole or not at all [default: standard output]')
            [CompletionResult]::new('-a', '-a', [CompletionResultType]::ParameterName, 'Only these digests, in this order [default: all that the format has a place for]')
            [CompletionResult]::new('--algorithm', '--algorithm', [CompletionResultType]::ParameterName, 'Only these digests, in this order [default: all that the format has a place for]')
            [CompletionResult]::new('--as', '--as', [CompletionResultType]::ParameterName, 'Read the lists as this format, instead of recognising it: a format of `pfh hash`, or nsrl, hashkeeper, ilook, encase, sleuthkit, vics, icse, hashdb, bagit, ocfl, avp, avp-report or imager')
            [CompletionResult]::new('--allow-empty', '--allow-empty', [CompletionResultType]::ParameterName, 'Replace an existing FILE of -o even if the lists have not a single entry')
            [CompletionResult]::new('--join', '--join', [CompletionResultType]::ParameterName, 'Make one entry of all that the lists state of a file: digests by several algorithms, its size and time')
            [CompletionResult]::new('--piecewise', '--piecewise', [CompletionResultType]::ParameterName, 'Names in the lists that end with ` offset START-END` are of pieces (gnu, bsd, hashdeep, md5deep)')
            [CompletionResult]::new('--read-null', '--read-null', [CompletionResultType]::ParameterName, 'Records of the lists end with NUL, and nothing is escaped (with --as gnu, bsd or md5deep)')
            [CompletionResult]::new('-0', '-0', [CompletionResultType]::ParameterName, 'End records with NUL instead of a line feed, and escape nothing (formats gnu, bsd, md5deep)')
            [CompletionResult]::new('--null', '--null', [CompletionResultType]::ParameterName, 'End records with NUL instead of a line feed, and escape nothing (formats gnu, bsd, md5deep)')
            [CompletionResult]::new('--zero', '--zero', [CompletionResultType]::ParameterName, 'End records with NUL instead of a line feed, and escape nothing (formats gnu, bsd, md5deep)')
            [CompletionResult]::new('--uppercase', '--uppercase', [CompletionResultType]::ParameterName, 'Write digests in upper-case hexadecimal (formats gnu, bsd, sfv)')
            [CompletionResult]::new('--base64', '--base64', [CompletionResultType]::ParameterName, 'Write digests in base64 (formats gnu, bsd), as `cksum --base64` does')
            [CompletionResult]::new('-q', '-q', [CompletionResultType]::ParameterName, 'Do not print what the list lacks')
            [CompletionResult]::new('--quiet', '--quiet', [CompletionResultType]::ParameterName, 'Do not print what the list lacks')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('-V', '-V ', [CompletionResultType]::ParameterName, 'Print version')
            [CompletionResult]::new('--version', '--version', [CompletionResultType]::ParameterName, 'Print version')
            break
        }
        'pfh;certify' {
            [CompletionResult]::new('--by', '--by', [CompletionResultType]::ParameterName, 'Who makes the report. Nobody is assumed: an account is not a person')
            [CompletionResult]::new('--role', '--role', [CompletionResultType]::ParameterName, 'The role of this person: forensic examiner, archivist, owner of the device')
            [CompletionResult]::new('--case', '--case', [CompletionResultType]::ParameterName, 'The case that the report belongs to')
            [CompletionResult]::new('--evidence', '--evidence', [CompletionResultType]::ParameterName, 'The evidence or the item that was hashed')
            [CompletionResult]::new('--device', '--device', [CompletionResultType]::ParameterName, 'A device that was hashed or used: make, model, serial number. May be repeated')
            [CompletionResult]::new('--as', '--as', [CompletionResultType]::ParameterName, 'Read the list as this format, instead of recognising it: a format of `pfh hash`, or one that is only read')
            [CompletionResult]::new('-o', '-o', [CompletionResultType]::ParameterName, 'Write to FILE, which appears whole or not at all [default: standard output]')
            [CompletionResult]::new('--output', '--output', [CompletionResultType]::ParameterName, 'Write to FILE, which appears whole or not at all [default: standard output]')
            [CompletionResult]::new('--host', '--host', [CompletionResultType]::ParameterName, 'Also name the machine and the user: those of this report, and those that the list states')
            [CompletionResult]::new('--json', '--json', [CompletionResultType]::ParameterName, 'Write a JSON object instead of a page')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('-V', '-V ', [CompletionResultType]::ParameterName, 'Print version')
            [CompletionResult]::new('--version', '--version', [CompletionResultType]::ParameterName, 'Print version')
            break
        }
        'pfh;dupes' {
            [CompletionResult]::new('--digests', '--digests', [CompletionResultType]::ParameterName, 'Also look through the files in LIST (repeatable), which `pfh hash` or another program wrote; `-` is standard input')
            [CompletionResult]::new('-f', '-f', [CompletionResultType]::ParameterName, 'Format of the groups')
            [CompletionResult]::new('--format', '--format', [CompletionResultType]::ParameterName, 'Format of the groups')
            [CompletionResult]::new('-a', '-a', [CompletionResultType]::ParameterName, 'Algorithm whose digests are compared [default: the first of the lists, or blake3]')
            [CompletionResult]::new('--algorithm', '--algorithm', [CompletionResultType]::ParameterName, 'Algorithm whose digests are compared [default: the first of the lists, or blake3]')
            [CompletionResult]::new('--as', '--as', [CompletionResultType]::ParameterName, 'Read the lists as this format, instead of recognising it: a format of `pfh hash`, or one that is only read')
            [CompletionResult]::new('-o', '-o', [CompletionResultType]::ParameterName, 'Write to FILE, which appears whole or not at all; `-` is standard output [default: -]')
            [CompletionResult]::new('--output', '--output', [CompletionResultType]::ParameterName, 'Write to FILE, which appears whole or not at all; `-` is standard output [default: -]')
            [CompletionResult]::new('-t', '-t', [CompletionResultType]::ParameterName, 'Number of threads [default: one per core]')
            [CompletionResult]::new('-j', '-j', [CompletionResultType]::ParameterName, 'Number of threads [default: one per core]')
            [CompletionResult]::new('--threads', '--threads', [CompletionResultType]::ParameterName, 'Number of threads [default: one per core]')
            [CompletionResult]::new('-m', '-m', [CompletionResultType]::ParameterName, 'Memory limit for reading and sorting (K, M, G: powers of 1024)')
            [CompletionResult]::new('--memory', '--memory', [CompletionResultType]::ParameterName, 'Memory limit for reading and sorting (K, M, G: powers of 1024)')
            [CompletionResult]::new('--progress', '--progress', [CompletionResultType]::ParameterName, 'Show progress on standard error')
            [CompletionResult]::new('--files-from', '--files-from', [CompletionResultType]::ParameterName, 'Also read paths from FILE, one per line; `-` is standard input')
            [CompletionResult]::new('--files-from0', '--files-from0', [CompletionResultType]::ParameterName, 'Also read paths from FILE, each terminated by NUL (as `find -print0` writes them); `-` is standard input')
            [CompletionResult]::new('--include', '--include', [CompletionResultType]::ParameterName, 'Read only files that match GLOB (repeatable: any one suffices). Quote it for the shell')
            [CompletionResult]::new('--exclude', '--exclude', [CompletionResultType]::ParameterName, 'Exclude files and directories that match GLOB (repeatable). `GLOB/` excludes directories only')
            [CompletionResult]::new('--min-size', '--min-size', [CompletionResultType]::ParameterName, 'Exclude files smaller than SIZE')
            [CompletionResult]::new('--max-size', '--max-size', [CompletionResultType]::ParameterName, 'Exclude files larger than SIZE')
            [CompletionResult]::new('--max-depth', '--max-depth', [CompletionResultType]::ParameterName, 'Descend at most N levels below the given paths; 1 means only the files directly in a directory')
            [CompletionResult]::new('--no-directories', '--no-directories', [CompletionResultType]::ParameterName, 'Compare files only')
            [CompletionResult]::new('--all', '--all', [CompletionResultType]::ParameterName, 'Also print what lies in directories that are printed themselves')
            [CompletionResult]::new('--empty', '--empty', [CompletionResultType]::ParameterName, 'Also print files without contents, which are all the same')
            [CompletionResult]::new('--allow-empty', '--allow-empty', [CompletionResultType]::ParameterName, 'Replace an existing FILE of -o even if not a single file was found; with `pfh covers`, no file to be covered counts as covered')
            [CompletionResult]::new('-q', '-q', [CompletionResultType]::ParameterName, 'Do not print warnings about single files and lines (the totals at the end and the exit status still count them)')
            [CompletionResult]::new('--quiet', '--quiet', [CompletionResultType]::ParameterName, 'Do not print warnings about single files and lines (the totals at the end and the exit status still count them)')
            [CompletionResult]::new('--verbose', '--verbose', [CompletionResultType]::ParameterName, 'Print every warning, rather than the first ten of each kind in each directory')
            [CompletionResult]::new('-r', '-r', [CompletionResultType]::ParameterName, 'Accepted for compatibility: directories are always walked')
            [CompletionResult]::new('--recursive', '--recursive', [CompletionResultType]::ParameterName, 'Accepted for compatibility: directories are always walked')
            [CompletionResult]::new('-x', '-x', [CompletionResultType]::ParameterName, 'Stay on the filesystem of each given path')
            [CompletionResult]::new('--one-file-system', '--one-file-system', [CompletionResultType]::ParameterName, 'Stay on the filesystem of each given path')
            [CompletionResult]::new('--follow-files', '--follow-files', [CompletionResultType]::ParameterName, 'Read files that symbolic links point to. (Links among the given paths are always followed.)')
            [CompletionResult]::new('--follow-directories', '--follow-directories', [CompletionResultType]::ParameterName, 'Walk directories that symbolic links point to; loops are detected')
            [CompletionResult]::new('--preserve-access-time', '--preserve-access-time', [CompletionResultType]::ParameterName, 'Preserve access times where the system permits it')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('-V', '-V ', [CompletionResultType]::ParameterName, 'Print version')
            [CompletionResult]::new('--version', '--version', [CompletionResultType]::ParameterName, 'Print version')
            break
        }
        'pfh;covers' {
            [CompletionResult]::new('--digests', '--digests', [CompletionResultType]::ParameterName, 'Also find the files in LIST elsewhere (repeatable); `-` is standard input')
            [CompletionResult]::new('--by', '--by', [CompletionResultType]::ParameterName, 'Look for them below PATH (repeatable). Files that are among those to be found do not count')
            [CompletionResult]::new('--by-digests', '--by-digests', [CompletionResultType]::ParameterName, 'Look for them in LIST (repeatable)')
            [CompletionResult]::new('-f', '-f', [CompletionResultType]::ParameterName, 'Format of the files without a copy')
            [CompletionResult]::new('--format', '--format', [CompletionResultType]::ParameterName, 'Format of the files without a copy')
            [CompletionResult]::new('-a', '-a', [CompletionResultType]::ParameterName, 'Algorithm whose digests are compared [default: the first of the lists, or blake3]')
            [CompletionResult]::new('--algorithm', '--algorithm', [CompletionResultType]::ParameterName, 'Algorithm whose digests are compared [default: the first of the lists, or blake3]')
            [CompletionResult]::new('--as', '--as', [CompletionResultType]::ParameterName, 'Read the lists as this format, instead of recognising it: a format of `pfh hash`, or one that is only read')
            [CompletionResult]::new('-o', '-o', [CompletionResultType]::ParameterName, 'Write to FILE, which appears whole or not at all; `-` is standard output [default: -]')
            [CompletionResult]::new('--output', '--output', [CompletionResultType]::ParameterName, 'Write to FILE, which appears whole or not at all; `-` is standard output [default: -]')
            [CompletionResult]::new('-t', '-t', [CompletionResultType]::ParameterName, 'Number of threads [default: one per core]')
            [CompletionResult]::new('-j', '-j', [CompletionResultType]::ParameterName, 'Number of threads [default: one per core]')
            [CompletionResult]::new('--threads', '--threads', [CompletionResultType]::ParameterName, 'Number of threads [default: one per core]')
            [CompletionResult]::new('-m', '-m', [CompletionResultType]::ParameterName, 'Memory limit for reading and sorting (K, M, G: powers of 1024)')
            [CompletionResult]::new('--memory', '--memory', [CompletionResultType]::ParameterName, 'Memory limit for reading and sorting (K, M, G: powers of 1024)')
            [CompletionResult]::new('--progress', '--progress', [CompletionResultType]::ParameterName, 'Show progress on standard error')
            [CompletionResult]::new('--files-from', '--files-from', [CompletionResultType]::ParameterName, 'Also read paths from FILE, one per line; `-` is standard input')
            [CompletionResult]::new('--files-from0', '--files-from0', [CompletionResultType]::ParameterName, 'Also read paths from FILE, each terminated by NUL (as `find -print0` writes them); `-` is standard input')
            [CompletionResult]::new('--include', '--include', [CompletionResultType]::ParameterName, 'Read only files that match GLOB (repeatable: any one suffices). Quote it for the shell')
            [CompletionResult]::new('--exclude', '--exclude', [CompletionResultType]::ParameterName, 'Exclude files and directories that match GLOB (repeatable). `GLOB/` excludes directories only')
            [CompletionResult]::new('--min-size', '--min-size', [CompletionResultType]::ParameterName, 'Exclude files smaller than SIZE')
            [CompletionResult]::new('--max-size', '--max-size', [CompletionResultType]::ParameterName, 'Exclude files larger than SIZE')
            [CompletionResult]::new('--max-depth', '--max-depth', [CompletionResultType]::ParameterName, 'Descend at most N levels below the given paths; 1 means only the files directly in a directory')
            [CompletionResult]::new('--allow-empty', '--allow-empty', [CompletionResultType]::ParameterName, 'Replace an existing FILE of -o even if not a single file was found; with `pfh covers`, no file to be covered counts as covered')
            [CompletionResult]::new('-q', '-q', [CompletionResultType]::ParameterName, 'Do not print warnings about single files and lines (the totals at the end and the exit status still count them)')
            [CompletionResult]::new('--quiet', '--quiet', [CompletionResultType]::ParameterName, 'Do not print warnings about single files and lines (the totals at the end and the exit status still count them)')
            [CompletionResult]::new('--verbose', '--verbose', [CompletionResultType]::ParameterName, 'Print every warning, rather than the first ten of each kind in each directory')
            [CompletionResult]::new('-r', '-r', [CompletionResultType]::ParameterName, 'Accepted for compatibility: directories are always walked')
            [CompletionResult]::new('--recursive', '--recursive', [CompletionResultType]::ParameterName, 'Accepted for compatibility: directories are always walked')
            [CompletionResult]::new('-x', '-x', [CompletionResultType]::ParameterName, 'Stay on the filesystem of each given path')
            [CompletionResult]::new('--one-file-system', '--one-file-system', [CompletionResultType]::ParameterName, 'Stay on the filesystem of each given path')
            [CompletionResult]::new('--follow-files', '--follow-files', [CompletionResultType]::ParameterName, 'Read files that symbolic links point to. (Links among the given paths are always followed.)')
            [CompletionResult]::new('--follow-directories', '--follow-directories', [CompletionResultType]::ParameterName, 'Walk directories that symbolic links point to; loops are detected')
            [CompletionResult]::new('--preserve-access-time', '--preserve-access-time', [CompletionResultType]::ParameterName, 'Preserve access times where the system permits it')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('-V', '-V ', [CompletionResultType]::ParameterName, 'Print version')
            [CompletionResult]::new('--version', '--version', [CompletionResultType]::ParameterName, 'Print version')
            break
        }
        'pfh;audit' {
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('-V', '-V ', [CompletionResultType]::ParameterName, 'Print version')
            [CompletionResult]::new('--version', '--version', [CompletionResultType]::ParameterName, 'Print version')
            [CompletionResult]::new('init', 'init', [CompletionResultType]::ParameterValue, 'Make a ledger, and read all files for the first time')
            [CompletionResult]::new('run', 'run', [CompletionResultType]::ParameterValue, 'Compare the collection with the ledger')
            [CompletionResult]::new('status', 'status', [CompletionResultType]::ParameterValue, 'Show how the collection stands')
            [CompletionResult]::new('history', 'history', [CompletionResultType]::ParameterValue, 'Show all that was found of a file')
            [CompletionResult]::new('report', 'report', [CompletionResultType]::ParameterValue, 'Write the report of a run')
            [CompletionResult]::new('export', 'export', [CompletionResultType]::ParameterValue, 'Write a list of the expected files with the digests that the ledger expects, without reading them')
            [CompletionResult]::new('accept', 'accept', [CompletionResultType]::ParameterValue, 'Accept open findings: what was seen is expected from now on')
            [CompletionResult]::new('forget', 'forget', [CompletionResultType]::ParameterValue, 'Expect a file, or all files below a directory, no longer')
            [CompletionResult]::new('relocate', 'relocate', [CompletionResultType]::ParameterValue, 'Record that the collection, or a part of it, is at another path now')
            [CompletionResult]::new('migrate', 'migrate', [CompletionResultType]::ParameterValue, 'Change the algorithm: verify by the old digests and compute new ones in the same reading')
            [CompletionResult]::new('head', 'head', [CompletionResultType]::ParameterValue, 'Print the end of the chain of events, to be kept elsewhere')
            [CompletionResult]::new('verify-ledger', 'verify-ledger', [CompletionResultType]::ParameterValue, 'Check that no event was changed or lost, and that the tables follow from the events')
            [CompletionResult]::new('help', 'help', [CompletionResultType]::ParameterValue, 'Print this message or the help of the given subcommand(s)')
            break
        }
        'pfh;audit;init' {
            [CompletionResult]::new('-a', '-a', [CompletionResultType]::ParameterName, 'Algorithms, separated by commas [default: sha256]')
            [CompletionResult]::new('--algorithm', '--algorithm', [CompletionResultType]::ParameterName, 'Algorithms, separated by commas [default: sha256]')
            [CompletionResult]::new('--include', '--include', [CompletionResultType]::ParameterName, 'Keep only files that match GLOB (repeatable), as for `pfh hash`')
            [CompletionResult]::new('--exclude', '--exclude', [CompletionResultType]::ParameterName, 'Leave out files and directories that match GLOB (repeatable). `GLOB/` leaves out directories only')
            [CompletionResult]::new('--min-size', '--min-size', [CompletionResultType]::ParameterName, 'Leave out files smaller than SIZE')
            [CompletionResult]::new('--max-size', '--max-size', [CompletionResultType]::ParameterName, 'Leave out files larger than SIZE')
            [CompletionResult]::new('--io', '--io', [CompletionResultType]::ParameterName, 'How reading uses the page cache. With `direct`, the medium is read and not the cache')
            [CompletionResult]::new('--rate', '--rate', [CompletionResultType]::ParameterName, 'Read at most SIZE bytes a second on average, waiting between files')
            [CompletionResult]::new('-t', '-t', [CompletionResultType]::ParameterName, 'Number of threads [default: one per core]')
            [CompletionResult]::new('-j', '-j', [CompletionResultType]::ParameterName, 'Number of threads [default: one per core]')
            [CompletionResult]::new('--threads', '--threads', [CompletionResultType]::ParameterName, 'Number of threads [default: one per core]')
            [CompletionResult]::new('-m', '-m', [CompletionResultType]::ParameterName, 'Memory limit for reading and sorting (K, M, G: powers of 1024)')
            [CompletionResult]::new('--memory', '--memory', [CompletionResultType]::ParameterName, 'Memory limit for reading and sorting (K, M, G: powers of 1024)')
            [CompletionResult]::new('-f', '-f', [CompletionResultType]::ParameterName, 'Format of the report on standard output or in FILE of -o')
            [CompletionResult]::new('--format', '--format', [CompletionResultType]::ParameterName, 'Format of the report on standard output or in FILE of -o')
            [CompletionResult]::new('-o', '-o', [CompletionResultType]::ParameterName, 'Write the report to FILE, which appears whole or not at all; `-` is standard output [default: -]')
            [CompletionResult]::new('--output', '--output', [CompletionResultType]::ParameterName, 'Write the report to FILE, which appears whole or not at all; `-` is standard output [default: -]')
            [CompletionResult]::new('--progress', '--progress', [CompletionResultType]::ParameterName, 'Show progress on standard error')
            [CompletionResult]::new('-x', '-x', [CompletionResultType]::ParameterName, 'Stay on the filesystem of each path')
            [CompletionResult]::new('--one-file-system', '--one-file-system', [CompletionResultType]::ParameterName, 'Stay on the filesystem of each path')
            [CompletionResult]::new('--follow-files', '--follow-files', [CompletionResultType]::ParameterName, 'Keep files that symbolic links point to; otherwise links are left out')
            [CompletionResult]::new('--follow-directories', '--follow-directories', [CompletionResultType]::ParameterName, 'Walk directories that symbolic links point to')
            [CompletionResult]::new('--idle', '--idle', [CompletionResultType]::ParameterName, 'Let everything else on this machine go first: the lowest priority for the processor, and the idle class for disks (by `ionice`)')
            [CompletionResult]::new('--wait', '--wait', [CompletionResultType]::ParameterName, 'Wait until another run on the ledger has ended, instead of refusing to run')
            [CompletionResult]::new('-q', '-q', [CompletionResultType]::ParameterName, 'Do not print warnings about single files and lines (the totals at the end and the exit status still count them)')
            [CompletionResult]::new('--quiet', '--quiet', [CompletionResultType]::ParameterName, 'Do not print warnings about single files and lines (the totals at the end and the exit status still count them)')
            [CompletionResult]::new('--verbose', '--verbose', [CompletionResultType]::ParameterName, 'Print every warning, rather than the first ten of each kind in each directory')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('-V', '-V ', [CompletionResultType]::ParameterName, 'Print version')
            [CompletionResult]::new('--version', '--version', [CompletionResultType]::ParameterName, 'Print version')
            break
        }
        'pfh;audit;run' {
            [CompletionResult]::new('--share', '--share', [CompletionResultType]::ParameterName, 'Of the unchanged files read only this share of all bytes, such as 1/30 (implies --rolling)')
            [CompletionResult]::new('--interval', '--interval', [CompletionResultType]::ParameterName, 'Of the unchanged files read those that were not read for this time, such as 90d (implies --rolling)')
            [CompletionResult]::new('--for', '--for', [CompletionResultType]::ParameterName, 'Begin no more files after this time, such as 2h or 90m. Files that are left come first in the next run')
            [CompletionResult]::new('--bytes', '--bytes', [CompletionResultType]::ParameterName, 'Begin no more files after this number of bytes')
            [CompletionResult]::new('--io', '--io', [CompletionResultType]::ParameterName, 'How reading uses the page cache. With `direct`, the medium is read and not the cache')
            [CompletionResult]::new('--rate', '--rate', [CompletionResultType]::ParameterName, 'Read at most SIZE bytes a second on average, waiting between files')
            [CompletionResult]::new('-t', '-t', [CompletionResultType]::ParameterName, 'Number of threads [default: one per core]')
            [CompletionResult]::new('-j', '-j', [CompletionResultType]::ParameterName, 'Number of threads [default: one per core]')
            [CompletionResult]::new('--threads', '--threads', [CompletionResultType]::ParameterName, 'Number of threads [default: one per core]')
            [CompletionResult]::new('-m', '-m', [CompletionResultType]::ParameterName, 'Memory limit for reading and sorting (K, M, G: powers of 1024)')
            [CompletionResult]::new('--memory', '--memory', [CompletionResultType]::ParameterName, 'Memory limit for reading and sorting (K, M, G: powers of 1024)')
            [CompletionResult]::new('-f', '-f', [CompletionResultType]::ParameterName, 'Format of the report on standard output or in FILE of -o')
            [CompletionResult]::new('--format', '--format', [CompletionResultType]::ParameterName, 'Format of the report on standard output or in FILE of -o')
            [CompletionResult]::new('-o', '-o', [CompletionResultType]::ParameterName, 'Write the report to FILE, which appears whole or not at all; `-` is standard output [default: -]')
            [CompletionResult]::new('--output', '--output', [CompletionResultType]::ParameterName, 'Write the report to FILE, which appears whole or not at all; `-` is standard output [default: -]')
            [CompletionResult]::new('--progress', '--progress', [CompletionResultType]::ParameterName, 'Show progress on standard error')
            [CompletionResult]::new('--full', '--full', [CompletionResultType]::ParameterName, 'Read every file, also those whose size, times and inode did not change')
            [CompletionResult]::new('--rolling', '--rolling', [CompletionResultType]::ParameterName, 'Also read unchanged files, those first that were verified longest ago, as far as the limits allow')
            [CompletionResult]::new('--allow-empty', '--allow-empty', [CompletionResultType]::ParameterName, 'Run even if a directory of the collection is empty: otherwise it is taken for one where nothing is mounted')
            [CompletionResult]::new('--idle', '--idle', [CompletionResultType]::ParameterName, 'Let everything else on this machine go first: the lowest priority for the processor, and the idle class for disks (by `ionice`)')
            [CompletionResult]::new('--wait', '--wait', [CompletionResultType]::ParameterName, 'Wait until another run on the ledger has ended, instead of refusing to run')
            [CompletionResult]::new('-q', '-q', [CompletionResultType]::ParameterName, 'Do not print warnings about single files and lines (the totals at the end and the exit status still count them)')
            [CompletionResult]::new('--quiet', '--quiet', [CompletionResultType]::ParameterName, 'Do not print warnings about single files and lines (the totals at the end and the exit status still count them)')
            [CompletionResult]::new('--verbose', '--verbose', [CompletionResultType]::ParameterName, 'Print every warning, rather than the first ten of each kind in each directory')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('-V', '-V ', [CompletionResultType]::ParameterName, 'Print version')
            [CompletionResult]::new('--version', '--version', [CompletionResultType]::ParameterName, 'Print version')
            break
        }
        'pfh;audit;status' {
            [CompletionResult]::new('--interval', '--interval', [CompletionResultType]::ParameterName, 'Count files that were not read for this time, such as 90d [default: the interval of the policy]')
            [CompletionResult]::new('--json', '--json', [CompletionResultType]::ParameterName, 'Print one JSON object')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help')
            [CompletionResult]::new('-V', '-V ', [CompletionResultType]::ParameterName, 'Print version')
            [CompletionResult]::new('--version', '--version', [CompletionResultType]::ParameterName, 'Print version')
            break
        }
        'pfh;audit;history' {
            [CompletionResult]::new('--json', '--json', [CompletionResultType]::ParameterName, 'Print JSON Lines')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help')
            [CompletionResult]::new('-V', '-V ', [CompletionResultType]::ParameterName, 'Print version')
            [CompletionResult]::new('--version', '--version', [CompletionResultType]::ParameterName, 'Print version')
            break
        }
        'pfh;audit;report' {
            [CompletionResult]::new('--run', '--run', [CompletionResultType]::ParameterName, 'The number of the run [default: the last one that ended]')
            [CompletionResult]::new('-f', '-f', [CompletionResultType]::ParameterName, 'Format of the report')
            [CompletionResult]::new('--format', '--format', [CompletionResultType]::ParameterName, 'Format of the report')
            [CompletionResult]::new('-o', '-o', [CompletionResultType]::ParameterName, 'Write to FILE, which appears whole or not at all; `-` is standard output [default: -]')
            [CompletionResult]::new('--output', '--output', [CompletionResultType]::ParameterName, 'Write to FILE, which appears whole or not at all; `-` is standard output [default: -]')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('-V', '-V ', [CompletionResultType]::ParameterName, 'Print version')
            [CompletionResult]::new('--version', '--version', [CompletionResultType]::ParameterName, 'Print version')
            break
        }
        'pfh;audit;export' {
            [CompletionResult]::new('-f', '-f', [CompletionResultType]::ParameterName, 'Format of the list: one of `pfh hash` [default: gnu for one algorithm, bsd for several]')
            [CompletionResult]::new('--format', '--format', [CompletionResultType]::ParameterName, 'Format of the list: one of `pfh hash` [default: gnu for one algorithm, bsd for several]')
            [CompletionResult]::new('-a', '-a', [CompletionResultType]::ParameterName, 'Only these digests, in this order [default: all of the ledger''s algorithms that the format has a place for]')
            [CompletionResult]::new('--algorithm', '--algorithm', [CompletionResultType]::ParameterName, 'Only these digests, in this order [default: all of the ledger''s algorithms that the format has a place for]')
            [CompletionResult]::new('-o', '-o', [CompletionResultType]::ParameterName, 'Write to FILE, which appears whole or not at all; `-` is standard output [default: -]')
            [CompletionResult]::new('--output', '--output', [CompletionResultType]::ParameterName, 'Write to FILE, which appears whole or not at all; `-` is standard output [default: -]')
            [CompletionResult]::new('--allow-empty', '--allow-empty', [CompletionResultType]::ParameterName, 'Replace an existing FILE of -o even if no file is expected')
            [CompletionResult]::new('-q', '-q', [CompletionResultType]::ParameterName, 'Do not print what the list lacks')
            [CompletionResult]::new('--quiet', '--quiet', [CompletionResultType]::ParameterName, 'Do not print what the list lacks')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('-V', '-V ', [CompletionResultType]::ParameterName, 'Print version')
            [CompletionResult]::new('--version', '--version', [CompletionResultType]::ParameterName, 'Print version')
            break
        }
        'pfh;audit;accept' {
            [CompletionResult]::new('--why', '--why', [CompletionResultType]::ParameterName, 'The reason, which the ledger keeps')
            [CompletionResult]::new('--by', '--by', [CompletionResultType]::ParameterName, 'Who decides, which the ledger keeps [default: the user]')
            [CompletionResult]::new('--wait', '--wait', [CompletionResultType]::ParameterName, 'Wait until another run on the ledger has ended, instead of refusing')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help')
            [CompletionResult]::new('-V', '-V ', [CompletionResultType]::ParameterName, 'Print version')
            [CompletionResult]::new('--version', '--version', [CompletionResultType]::ParameterName, 'Print version')
            break
        }
        'pfh;audit;forget' {
            [CompletionResult]::new('--why', '--why', [CompletionResultType]::ParameterName, 'The reason, which the ledger keeps')
            [CompletionResult]::new('--by', '--by', [CompletionResultType]::ParameterName, 'Who decides, which the ledger keeps [default: the user]')
            [CompletionResult]::new('--wait', '--wait', [CompletionResultType]::ParameterName, 'Wait until another run on the ledger has ended, instead of refusing')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help')
            [CompletionResult]::new('-V', '-V ', [CompletionResultType]::ParameterName, 'Print version')
            [CompletionResult]::new('--version', '--version', [CompletionResultType]::ParameterName, 'Print version')
            break
        }
        'pfh;audit;relocate' {
            [CompletionResult]::new('--why', '--why', [CompletionResultType]::ParameterName, 'The reason, which the ledger keeps')
            [CompletionResult]::new('--by', '--by', [CompletionResultType]::ParameterName, 'Who says so, which the ledger keeps [default: the user]')
            [CompletionResult]::new('--allow-empty', '--allow-empty', [CompletionResultType]::ParameterName, 'Go on even if none of the expected files is at the new path')
            [CompletionResult]::new('--wait', '--wait', [CompletionResultType]::ParameterName, 'Wait until another run on the ledger has ended, instead of refusing')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help')
            [CompletionResult]::new('-V', '-V ', [CompletionResultType]::ParameterName, 'Print version')
            [CompletionResult]::new('--version', '--version', [CompletionResultType]::ParameterName, 'Print version')
            break
        }
        'pfh;audit;migrate' {
            [CompletionResult]::new('--to', '--to', [CompletionResultType]::ParameterName, 'The new algorithm')
            [CompletionResult]::new('--for', '--for', [CompletionResultType]::ParameterName, 'Begin no more files after this time, such as 2h; the next migration goes on')
            [CompletionResult]::new('--io', '--io', [CompletionResultType]::ParameterName, 'How reading uses the page cache. With `direct`, the medium is read and not the cache')
            [CompletionResult]::new('--rate', '--rate', [CompletionResultType]::ParameterName, 'Read at most SIZE bytes a second on average, waiting between files')
            [CompletionResult]::new('-t', '-t', [CompletionResultType]::ParameterName, 'Number of threads [default: one per core]')
            [CompletionResult]::new('-j', '-j', [CompletionResultType]::ParameterName, 'Number of threads [default: one per core]')
            [CompletionResult]::new('--threads', '--threads', [CompletionResultType]::ParameterName, 'Number of threads [default: one per core]')
            [CompletionResult]::new('-m', '-m', [CompletionResultType]::ParameterName, 'Memory limit for reading and sorting (K, M, G: powers of 1024)')
            [CompletionResult]::new('--memory', '--memory', [CompletionResultType]::ParameterName, 'Memory limit for reading and sorting (K, M, G: powers of 1024)')
            [CompletionResult]::new('-f', '-f', [CompletionResultType]::ParameterName, 'Format of the report on standard output or in FILE of -o')
            [CompletionResult]::new('--format', '--format', [CompletionResultType]::ParameterName, 'Format of the report on standard output or in FILE of -o')
            [CompletionResult]::new('-o', '-o', [CompletionResultType]::ParameterName, 'Write the report to FILE, which appears whole or not at all; `-` is standard output [default: -]')
            [CompletionResult]::new('--output', '--output', [CompletionResultType]::ParameterName, 'Write the report to FILE, which appears whole or not at all; `-` is standard output [default: -]')
            [CompletionResult]::new('--progress', '--progress', [CompletionResultType]::ParameterName, 'Show progress on standard error')
            [CompletionResult]::new('--allow-empty', '--allow-empty', [CompletionResultType]::ParameterName, 'Run even if a directory of the collection is empty')
            [CompletionResult]::new('--idle', '--idle', [CompletionResultType]::ParameterName, 'Let everything else on this machine go first: the lowest priority for the processor, and the idle class for disks (by `ionice`)')
            [CompletionResult]::new('--wait', '--wait', [CompletionResultType]::ParameterName, 'Wait until another run on the ledger has ended, instead of refusing to run')
            [CompletionResult]::new('-q', '-q', [CompletionResultType]::ParameterName, 'Do not print warnings about single files and lines (the totals at the end and the exit status still count them)')
            [CompletionResult]::new('--quiet', '--quiet', [CompletionResultType]::ParameterName, 'Do not print warnings about single files and lines (the totals at the end and the exit status still count them)')
            [CompletionResult]::new('--verbose', '--verbose', [CompletionResultType]::ParameterName, 'Print every warning, rather than the first ten of each kind in each directory')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('-V', '-V ', [CompletionResultType]::ParameterName, 'Print version')
            [CompletionResult]::new('--version', '--version', [CompletionResultType]::ParameterName, 'Print version')
            break
        }
        'pfh;audit;head' {
            [CompletionResult]::new('-o', '-o', [CompletionResultType]::ParameterName, 'Write to FILE, which appears whole or not at all; `-` is standard output [default: -]')
            [CompletionResult]::new('--output', '--output', [CompletionResultType]::ParameterName, 'Write to FILE, which appears whole or not at all; `-` is standard output [default: -]')
            [CompletionResult]::new('--sign', '--sign', [CompletionResultType]::ParameterName, 'Sign the file of -o with this SSH key, by `ssh-keygen -Y sign -n pfh-ledger`: the signature is in FILE.sig')
            [CompletionResult]::new('--timestamp-request', '--timestamp-request', [CompletionResultType]::ParameterName, 'Also write a request for a time stamp of the file of -o (RFC 3161), to be sent to an authority')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('-V', '-V ', [CompletionResultType]::ParameterName, 'Print version')
            [CompletionResult]::new('--version', '--version', [CompletionResultType]::ParameterName, 'Print version')
            break
        }
        'pfh;audit;verify-ledger' {
            [CompletionResult]::new('--head', '--head', [CompletionResultType]::ParameterName, 'Also check that the ledger still has the end of the chain in FILE, which `pfh audit head` wrote')
            [CompletionResult]::new('--timestamp', '--timestamp', [CompletionResultType]::ParameterName, 'Also check that ANSWER is a time stamp of the file of --head (RFC 3161): that it was granted, and is of this file')
            [CompletionResult]::new('--timestamp-request', '--timestamp-request', [CompletionResultType]::ParameterName, 'Also check that the time stamp answers this request')
            [CompletionResult]::new('--timestamp-ca', '--timestamp-ca', [CompletionResultType]::ParameterName, 'Check the signature of the time stamp with the certificates in FILE (PEM)')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('-V', '-V ', [CompletionResultType]::ParameterName, 'Print version')
            [CompletionResult]::new('--version', '--version', [CompletionResultType]::ParameterName, 'Print version')
            break
        }
        'pfh;audit;help' {
            [CompletionResult]::new('init', 'init', [CompletionResultType]::ParameterValue, 'Make a ledger, and read all files for the first time')
            [CompletionResult]::new('run', 'run', [CompletionResultType]::ParameterValue, 'Compare the collection with the ledger')
            [CompletionResult]::new('status', 'status', [CompletionResultType]::ParameterValue, 'Show how the collection stands')
            [CompletionResult]::new('history', 'history', [CompletionResultType]::ParameterValue, 'Show all that was found of a file')
            [CompletionResult]::new('report', 'report', [CompletionResultType]::ParameterValue, 'Write the report of a run')
            [CompletionResult]::new('export', 'export', [CompletionResultType]::ParameterValue, 'Write a list of the expected files with the digests that the ledger expects, without reading them')
            [CompletionResult]::new('accept', 'accept', [CompletionResultType]::ParameterValue, 'Accept open findings: what was seen is expected from now on')
            [CompletionResult]::new('forget', 'forget', [CompletionResultType]::ParameterValue, 'Expect a file, or all files below a directory, no longer')
            [CompletionResult]::new('relocate', 'relocate', [CompletionResultType]::ParameterValue, 'Record that the collection, or a part of it, is at another path now')
            [CompletionResult]::new('migrate', 'migrate', [CompletionResultType]::ParameterValue, 'Change the algorithm: verify by the old digests and compute new ones in the same reading')
            [CompletionResult]::new('head', 'head', [CompletionResultType]::ParameterValue, 'Print the end of the chain of events, to be kept elsewhere')
            [CompletionResult]::new('verify-ledger', 'verify-ledger', [CompletionResultType]::ParameterValue, 'Check that no event was changed or lost, and that the tables follow from the events')
            [CompletionResult]::new('help', 'help', [CompletionResultType]::ParameterValue, 'Print this message or the help of the given subcommand(s)')
            break
        }
        'pfh;audit;help;init' {
            break
        }
        'pfh;audit;help;run' {
            break
        }
        'pfh;audit;help;status' {
            break
        }
        'pfh;audit;help;history' {
            break
        }
        'pfh;audit;help;report' {
            break
        }
        'pfh;audit;help;export' {
            break
        }
        'pfh;audit;help;accept' {
            break
        }
        'pfh;audit;help;forget' {
            break
        }
        'pfh;audit;help;relocate' {
            break
        }
        'pfh;audit;help;migrate' {
            break
        }
        'pfh;audit;help;head' {
            break
        }
        'pfh;audit;help;verify-ledger' {
            break
        }
        'pfh;audit;help;help' {
            break
        }
        'pfh;bag' {
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('-V', '-V ', [CompletionResultType]::ParameterName, 'Print version')
            [CompletionResult]::new('--version', '--version', [CompletionResultType]::ParameterName, 'Print version')
            [CompletionResult]::new('create', 'create', [CompletionResultType]::ParameterValue, 'Make directories bags of version 1.0')
            [CompletionResult]::new('verify', 'verify', [CompletionResultType]::ParameterValue, 'Verify bags of versions 0.93 to 1.0, and report everything that is wrong')
            [CompletionResult]::new('update', 'update', [CompletionResultType]::ParameterValue, 'Write new manifests after files were added, removed or changed')
            [CompletionResult]::new('help', 'help', [CompletionResultType]::ParameterValue, 'Print this message or the help of the given subcommand(s)')
            break
        }
        'pfh;bag;create' {
            [CompletionResult]::new('--copy-to', '--copy-to', [CompletionResultType]::ParameterName, 'Leave the directory as it is, and make the bag in BAG, with a verified copy of its contents (as by `pfh copy`)')
            [CompletionResult]::new('-a', '-a', [CompletionResultType]::ParameterName, 'Algorithms, separated by commas, or repeated; one read computes them all [default: sha512]')
            [CompletionResult]::new('--algorithm', '--algorithm', [CompletionResultType]::ParameterName, 'Algorithms, separated by commas, or repeated; one read computes them all [default: sha512]')
            [CompletionResult]::new('--tag', '--tag', [CompletionResultType]::ParameterName, 'Write a label and a value into bag-info.txt (repeatable); the order is kept, and a label may be repeated')
            [CompletionResult]::new('-t', '-t', [CompletionResultType]::ParameterName, 'Number of threads [default: one per core]')
            [CompletionResult]::new('-j', '-j', [CompletionResultType]::ParameterName, 'Number of threads [default: one per core]')
            [CompletionResult]::new('--threads', '--threads', [CompletionResultType]::ParameterName, 'Number of threads [default: one per core]')
            [CompletionResult]::new('-m', '-m', [CompletionResultType]::ParameterName, 'Memory limit for reading and sorting (K, M, G: powers of 1024)')
            [CompletionResult]::new('--memory', '--memory', [CompletionResultType]::ParameterName, 'Memory limit for reading and sorting (K, M, G: powers of 1024)')
            [CompletionResult]::new('--progress', '--progress', [CompletionResultType]::ParameterName, 'Show progress on standard error')
            [CompletionResult]::new('-q', '-q', [CompletionResultType]::ParameterName, 'Do not print warnings about single files and lines (the totals at the end and the exit status still count them)')
            [CompletionResult]::new('--quiet', '--quiet', [CompletionResultType]::ParameterName, 'Do not print warnings about single files and lines (the totals at the end and the exit status still count them)')
            [CompletionResult]::new('--verbose', '--verbose', [CompletionResultType]::ParameterName, 'Print every warning, rather than the first ten of each kind in each directory')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('-V', '-V ', [CompletionResultType]::ParameterName, 'Print version')
            [CompletionResult]::new('--version', '--version', [CompletionResultType]::ParameterName, 'Print version')
            break
        }
        'pfh;bag;verify' {
            [CompletionResult]::new('--profile', '--profile', [CompletionResultType]::ParameterName, 'Also check what this profile demands (BagIt Profiles 1.3 and 1.4, JSON)')
            [CompletionResult]::new('-f', '-f', [CompletionResultType]::ParameterName, 'Format of the verdicts and findings')
            [CompletionResult]::new('--format', '--format', [CompletionResultType]::ParameterName, 'Format of the verdicts and findings')
            [CompletionResult]::new('-o', '-o', [CompletionResultType]::ParameterName, 'Write to FILE, which appears whole or not at all; `-` is standard output [default: -]')
            [CompletionResult]::new('--output', '--output', [CompletionResultType]::ParameterName, 'Write to FILE, which appears whole or not at all; `-` is standard output [default: -]')
            [CompletionResult]::new('-t', '-t', [CompletionResultType]::ParameterName, 'Number of threads [default: one per core]')
            [CompletionResult]::new('-j', '-j', [CompletionResultType]::ParameterName, 'Number of threads [default: one per core]')
            [CompletionResult]::new('--threads', '--threads', [CompletionResultType]::ParameterName, 'Number of threads [default: one per core]')
            [CompletionResult]::new('-m', '-m', [CompletionResultType]::ParameterName, 'Memory limit for reading and sorting (K, M, G: powers of 1024)')
            [CompletionResult]::new('--memory', '--memory', [CompletionResultType]::ParameterName, 'Memory limit for reading and sorting (K, M, G: powers of 1024)')
            [CompletionResult]::new('--progress', '--progress', [CompletionResultType]::ParameterName, 'Show progress on standard error')
            [CompletionResult]::new('--complete', '--complete', [CompletionResultType]::ParameterName, 'Check everything but digests: nothing is hashed (`bagit.py --completeness-only`)')
            [CompletionResult]::new('--oxum', '--oxum', [CompletionResultType]::ParameterName, 'Compare only the number and the bytes of the files with Payload-Oxum (`bagit.py --fast`)')
            [CompletionResult]::new('-q', '-q', [CompletionResultType]::ParameterName, 'Do not print warnings about single files and lines (the totals at the end and the exit status still count them)')
            [CompletionResult]::new('--quiet', '--quiet', [CompletionResultType]::ParameterName, 'Do not print warnings about single files and lines (the totals at the end and the exit status still count them)')
            [CompletionResult]::new('--verbose', '--verbose', [CompletionResultType]::ParameterName, 'Print every warning, rather than the first ten of each kind in each directory')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('-V', '-V ', [CompletionResultType]::ParameterName, 'Print version')
            [CompletionResult]::new('--version', '--version', [CompletionResultType]::ParameterName, 'Print version')
            break
        }
        'pfh;bag;update' {
            [CompletionResult]::new('-a', '-a', [CompletionResultType]::ParameterName, 'Algorithms of the new manifests [default: those of the old ones]. Manifests by others are removed')
            [CompletionResult]::new('--algorithm', '--algorithm', [CompletionResultType]::ParameterName, 'Algorithms of the new manifests [default: those of the old ones]. Manifests by others are removed')
            [CompletionResult]::new('--tag', '--tag', [CompletionResultType]::ParameterName, 'Set a label in bag-info.txt (repeatable): all of its values are replaced, and an empty one removes it')
            [CompletionResult]::new('-t', '-t', [CompletionResultType]::ParameterName, 'Number of threads [default: one per core]')
            [CompletionResult]::new('-j', '-j', [CompletionResultType]::ParameterName, 'Number of threads [default: one per core]')
            [CompletionResult]::new('--threads', '--threads', [CompletionResultType]::ParameterName, 'Number of threads [default: one per core]')
            [CompletionResult]::new('-m', '-m', [CompletionResultType]::ParameterName, 'Memory limit for reading and sorting (K, M, G: powers of 1024)')
            [CompletionResult]::new('--memory', '--memory', [CompletionResultType]::ParameterName, 'Memory limit for reading and sorting (K, M, G: powers of 1024)')
            [CompletionResult]::new('--progress', '--progress', [CompletionResultType]::ParameterName, 'Show progress on standard error')
            [CompletionResult]::new('-q', '-q', [CompletionResultType]::ParameterName, 'Do not print warnings about single files and lines (the totals at the end and the exit status still count them)')
            [CompletionResult]::new('--quiet', '--quiet', [CompletionResultType]::ParameterName, 'Do not print warnings about single files and lines (the totals at the end and the exit status still count them)')
            [CompletionResult]::new('--verbose', '--verbose', [CompletionResultType]::ParameterName, 'Print every warning, rather than the first ten of each kind in each directory')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('-V', '-V ', [CompletionResultType]::ParameterName, 'Print version')
            [CompletionResult]::new('--version', '--version', [CompletionResultType]::ParameterName, 'Print version')
            break
        }
        'pfh;bag;help' {
            [CompletionResult]::new('create', 'create', [CompletionResultType]::ParameterValue, 'Make directories bags of version 1.0')
            [CompletionResult]::new('verify', 'verify', [CompletionResultType]::ParameterValue, 'Verify bags of versions 0.93 to 1.0, and report everything that is wrong')
            [CompletionResult]::new('update', 'update', [CompletionResultType]::ParameterValue, 'Write new manifests after files were added, removed or changed')
            [CompletionResult]::new('help', 'help', [CompletionResultType]::ParameterValue, 'Print this message or the help of the given subcommand(s)')
            break
        }
        'pfh;bag;help;create' {
            break
        }
        'pfh;bag;help;verify' {
            break
        }
        'pfh;bag;help;update' {
            break
        }
        'pfh;bag;help;help' {
            break
        }
        'pfh;copy' {
            [CompletionResult]::new('--to', '--to', [CompletionResultType]::ParameterName, 'A destination (repeatable). All given paths are sources then')
            [CompletionResult]::new('-a', '-a', [CompletionResultType]::ParameterName, 'Algorithms, separated by commas, or repeated; one read computes them all')
            [CompletionResult]::new('--algorithm', '--algorithm', [CompletionResultType]::ParameterName, 'Algorithms, separated by commas, or repeated; one read computes them all')
            [CompletionResult]::new('-o', '-o', [CompletionResultType]::ParameterName, 'Write a list of all copied files to FILE, which appears whole or not at all; `-` is standard output')
            [CompletionResult]::new('--output', '--output', [CompletionResultType]::ParameterName, 'Write a list of all copied files to FILE, which appears whole or not at all; `-` is standard output')
            [CompletionResult]::new('-f', '-f', [CompletionResultType]::ParameterName, 'Format of the list: one of `pfh hash` [default: gnu for one algorithm, bsd for several]')
            [CompletionResult]::new('--format', '--format', [CompletionResultType]::ParameterName, 'Format of the list: one of `pfh hash` [default: gnu for one algorithm, bsd for several]')
            [CompletionResult]::new('--include', '--include', [CompletionResultType]::ParameterName, 'Copy only files that match GLOB (repeatable), as in `pfh hash`')
            [CompletionResult]::new('--exclude', '--exclude', [CompletionResultType]::ParameterName, 'Leave out files and directories that match GLOB (repeatable), as in `pfh hash`')
            [CompletionResult]::new('--read-back', '--read-back', [CompletionResultType]::ParameterName, 'How copies are read back: around the page cache (`direct`), or after they were dropped from it (`drop`)')
            [CompletionResult]::new('-t', '-t', [CompletionResultType]::ParameterName, 'Number of threads [default: one per core]')
            [CompletionResult]::new('-j', '-j', [CompletionResultType]::ParameterName, 'Number of threads [default: one per core]')
            [CompletionResult]::new('--threads', '--threads', [CompletionResultType]::ParameterName, 'Number of threads [default: one per core]')
            [CompletionResult]::new('-m', '-m', [CompletionResultType]::ParameterName, 'Memory limit for reading and sorting (K, M, G: powers of 1024)')
            [CompletionResult]::new('--memory', '--memory', [CompletionResultType]::ParameterName, 'Memory limit for reading and sorting (K, M, G: powers of 1024)')
            [CompletionResult]::new('--progress', '--progress', [CompletionResultType]::ParameterName, 'Show progress on standard error')
            [CompletionResult]::new('-x', '-x', [CompletionResultType]::ParameterName, 'Stay on the filesystem of each source')
            [CompletionResult]::new('--one-file-system', '--one-file-system', [CompletionResultType]::ParameterName, 'Stay on the filesystem of each source')
            [CompletionResult]::new('-q', '-q', [CompletionResultType]::ParameterName, 'Do not print warnings about single files and lines (the totals at the end and the exit status still count them)')
            [CompletionResult]::new('--quiet', '--quiet', [CompletionResultType]::ParameterName, 'Do not print warnings about single files and lines (the totals at the end and the exit status still count them)')
            [CompletionResult]::new('--verbose', '--verbose', [CompletionResultType]::ParameterName, 'Print every warning, rather than the first ten of each kind in each directory')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('-V', '-V ', [CompletionResultType]::ParameterName, 'Print version')
            [CompletionResult]::new('--version', '--version', [CompletionResultType]::ParameterName, 'Print version')
            break
        }
        'pfh;shard' {
            [CompletionResult]::new('-o', '-o', [CompletionResultType]::ParameterName, 'The folder of the plan, which must be new or empty. All machines need it, under any path')
            [CompletionResult]::new('--output', '--output', [CompletionResultType]::ParameterName, 'The folder of the plan, which must be new or empty. All machines need it, under any path')
            [CompletionResult]::new('--shards', '--shards', [CompletionResultType]::ParameterName, 'Number of shards: 8 to 32 for each worker, so that none waits long for the last one')
            [CompletionResult]::new('--shard-size', '--shard-size', [CompletionResultType]::ParameterName, 'As many shards as it takes for a mean weight of at most SIZE (K, M, G: powers of 1024)')
            [CompletionResult]::new('--per-file', '--per-file', [CompletionResultType]::ParameterName, 'Weight of a file beside its size: the bytes that are read in the time that it takes to open one')
            [CompletionResult]::new('--split', '--split', [CompletionResultType]::ParameterName, 'Split files of more than SIZE bytes into parts of SIZE, which several tasks read at the same time (K, M, G)')
            [CompletionResult]::new('--status', '--status', [CompletionResultType]::ParameterName, 'Print the numbers of the shards of PLAN that have no result, instead of planning')
            [CompletionResult]::new('-a', '-a', [CompletionResultType]::ParameterName, 'Algorithms, separated by commas, or repeated, as of `pfh hash`; all shards compute them')
            [CompletionResult]::new('--algorithm', '--algorithm', [CompletionResultType]::ParameterName, 'Algorithms, separated by commas, or repeated, as of `pfh hash`; all shards compute them')
            [CompletionResult]::new('--piecewise', '--piecewise', [CompletionResultType]::ParameterName, 'Also compute the digest of every piece of SIZE bytes (K, M, G: powers of 1024)')
            [CompletionResult]::new('--facts', '--facts', [CompletionResultType]::ParameterName, 'Also find facts about contents, as `pfh hash` does')
            [CompletionResult]::new('--sdhash-profile', '--sdhash-profile', [CompletionResultType]::ParameterName, 'Version of sdhash that digests and scores are compatible with')
            [CompletionResult]::new('--sdhash-blocks', '--sdhash-blocks', [CompletionResultType]::ParameterName, 'Block size of sdhash in KiB, 1 to 16, or 0 for none (`sdhash -b`) [default: 16 from 16 MiB on, none below]')
            [CompletionResult]::new('--sdhash-segments', '--sdhash-segments', [CompletionResultType]::ParameterName, 'Segment size of sdhash in MiB (`sdhash -z`); 0 for none')
            [CompletionResult]::new('--files-from', '--files-from', [CompletionResultType]::ParameterName, 'Also read paths from FILE, one per line; `-` is standard input')
            [CompletionResult]::new('--files-from0', '--files-from0', [CompletionResultType]::ParameterName, 'Also read paths from FILE, each terminated by NUL (as `find -print0` writes them); `-` is standard input')
            [CompletionResult]::new('--include', '--include', [CompletionResultType]::ParameterName, 'Read only files that match GLOB (repeatable: any one suffices). Quote it for the shell')
            [CompletionResult]::new('--exclude', '--exclude', [CompletionResultType]::ParameterName, 'Exclude files and directories that match GLOB (repeatable). `GLOB/` excludes directories only')
            [CompletionResult]::new('--min-size', '--min-size', [CompletionResultType]::ParameterName, 'Exclude files smaller than SIZE')
            [CompletionResult]::new('--max-size', '--max-size', [CompletionResultType]::ParameterName, 'Exclude files larger than SIZE')
            [CompletionResult]::new('--max-depth', '--max-depth', [CompletionResultType]::ParameterName, 'Descend at most N levels below the given paths; 1 means only the files directly in a directory')
            [CompletionResult]::new('--progress', '--progress', [CompletionResultType]::ParameterName, 'Show progress on standard error')
            [CompletionResult]::new('--mrsh-network', '--mrsh-network', [CompletionResultType]::ParameterName, 'Compute mrsh-v2 digests as its build for network packets does, without the first and the last chunk')
            [CompletionResult]::new('-r', '-r', [CompletionResultType]::ParameterName, 'Accepted for compatibility: directories are always walked')
            [CompletionResult]::new('--recursive', '--recursive', [CompletionResultType]::ParameterName, 'Accepted for compatibility: directories are always walked')
            [CompletionResult]::new('-x', '-x', [CompletionResultType]::ParameterName, 'Stay on the filesystem of each given path')
            [CompletionResult]::new('--one-file-system', '--one-file-system', [CompletionResultType]::ParameterName, 'Stay on the filesystem of each given path')
            [CompletionResult]::new('--follow-files', '--follow-files', [CompletionResultType]::ParameterName, 'Read files that symbolic links point to. (Links among the given paths are always followed.)')
            [CompletionResult]::new('--follow-directories', '--follow-directories', [CompletionResultType]::ParameterName, 'Walk directories that symbolic links point to; loops are detected')
            [CompletionResult]::new('--preserve-access-time', '--preserve-access-time', [CompletionResultType]::ParameterName, 'Preserve access times where the system permits it')
            [CompletionResult]::new('--verbose', '--verbose', [CompletionResultType]::ParameterName, 'Print every warning, rather than the first ten of each kind in each directory')
            [CompletionResult]::new('-q', '-q', [CompletionResultType]::ParameterName, 'Do not print warnings, nor how the shards turned out')
            [CompletionResult]::new('--quiet', '--quiet', [CompletionResultType]::ParameterName, 'Do not print warnings, nor how the shards turned out')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('-V', '-V ', [CompletionResultType]::ParameterName, 'Print version')
            [CompletionResult]::new('--version', '--version', [CompletionResultType]::ParameterName, 'Print version')
            break
        }
        'pfh;merge' {
            [CompletionResult]::new('--shard', '--shard', [CompletionResultType]::ParameterName, 'Only the files that begin in this shard: those of its list, and those whose first part is there. The shards in which the last of them goes on must have results, too')
            [CompletionResult]::new('-f', '-f', [CompletionResultType]::ParameterName, 'Format of the list, as of `pfh hash` [default: that of `pfh hash` for these digests]')
            [CompletionResult]::new('--format', '--format', [CompletionResultType]::ParameterName, 'Format of the list, as of `pfh hash` [default: that of `pfh hash` for these digests]')
            [CompletionResult]::new('-o', '-o', [CompletionResultType]::ParameterName, 'Write to FILE, which appears whole or not at all; `-` is standard output [default: -]')
            [CompletionResult]::new('--output', '--output', [CompletionResultType]::ParameterName, 'Write to FILE, which appears whole or not at all; `-` is standard output [default: -]')
            [CompletionResult]::new('--progress', '--progress', [CompletionResultType]::ParameterName, 'Show progress on standard error')
            [CompletionResult]::new('--allow-empty', '--allow-empty', [CompletionResultType]::ParameterName, 'Replace an existing LIST of -o even with a list that has not a single complete file')
            [CompletionResult]::new('-0', '-0', [CompletionResultType]::ParameterName, 'End records with NUL instead of a line feed, and escape nothing (formats gnu, bsd, md5deep)')
            [CompletionResult]::new('--null', '--null', [CompletionResultType]::ParameterName, 'End records with NUL instead of a line feed, and escape nothing (formats gnu, bsd, md5deep)')
            [CompletionResult]::new('--zero', '--zero', [CompletionResultType]::ParameterName, 'End records with NUL instead of a line feed, and escape nothing (formats gnu, bsd, md5deep)')
            [CompletionResult]::new('--uppercase', '--uppercase', [CompletionResultType]::ParameterName, 'Write digests in upper-case hexadecimal (formats gnu, bsd, sfv)')
            [CompletionResult]::new('--base64', '--base64', [CompletionResultType]::ParameterName, 'Write digests in base64 (formats gnu, bsd), as `cksum --base64` does')
            [CompletionResult]::new('-q', '-q', [CompletionResultType]::ParameterName, 'Do not print warnings about single files and lines (the totals at the end and the exit status still count them)')
            [CompletionResult]::new('--quiet', '--quiet', [CompletionResultType]::ParameterName, 'Do not print warnings about single files and lines (the totals at the end and the exit status still count them)')
            [CompletionResult]::new('--verbose', '--verbose', [CompletionResultType]::ParameterName, 'Print every warning, rather than the first ten of each kind in each directory')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('-V', '-V ', [CompletionResultType]::ParameterName, 'Print version')
            [CompletionResult]::new('--version', '--version', [CompletionResultType]::ParameterName, 'Print version')
            break
        }
        'pfh;frash' {
            [CompletionResult]::new('--tests', '--tests', [CompletionResultType]::ParameterName, 'Experiments: generation, comparison, compression, common-block, fragment, alignment, noise, repetition, variety, needle, cross, threshold [default: all]')
            [CompletionResult]::new('-a', '-a', [CompletionResultType]::ParameterName, 'Families: ssdeep, sdhash, mrsh-v2, tlsh [default: all]')
            [CompletionResult]::new('--algorithm', '--algorithm', [CompletionResultType]::ParameterName, 'Families: ssdeep, sdhash, mrsh-v2, tlsh [default: all]')
            [CompletionResult]::new('--seed', '--seed', [CompletionResultType]::ParameterName, 'Seed of the random numbers: the same seed gives the same results, except for times')
            [CompletionResult]::new('--plots', '--plots', [CompletionResultType]::ParameterName, 'Also draw each experiment, as SVG, into a directory, which is created if it does not exist')
            [CompletionResult]::new('--runs', '--runs', [CompletionResultType]::ParameterName, 'Number of repetitions, each with other random bytes and offsets')
            [CompletionResult]::new('--bytes', '--bytes', [CompletionResultType]::ParameterName, 'Length of the files that are given a common block [default: 512 KiB, 2 MiB, 8 MiB], and of the longest file that is timed [default: 2048000]')
            [CompletionResult]::new('-m', '-m', [CompletionResultType]::ParameterName, 'Memory limit for the contents of all files together (K, M, G: powers of 1024)')
            [CompletionResult]::new('--memory', '--memory', [CompletionResultType]::ParameterName, 'Memory limit for the contents of all files together (K, M, G: powers of 1024)')
            [CompletionResult]::new('-o', '-o', [CompletionResultType]::ParameterName, 'Write to FILE, which appears whole or not at all; `-` is standard output [default: -]')
            [CompletionResult]::new('--output', '--output', [CompletionResultType]::ParameterName, 'Write to FILE, which appears whole or not at all; `-` is standard output [default: -]')
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
        'pfh;lab' {
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('-V', '-V ', [CompletionResultType]::ParameterName, 'Print version')
            [CompletionResult]::new('--version', '--version', [CompletionResultType]::ParameterName, 'Print version')
            [CompletionResult]::new('list', 'list', [CompletionResultType]::ParameterValue, 'List the experiments, or the comparisons of whole programs of one')
            [CompletionResult]::new('doctor', 'doctor', [CompletionResultType]::ParameterValue, 'Show which runners are available, build them, and tell how to install what they lack')
            [CompletionResult]::new('run', 'run', [CompletionResultType]::ParameterValue, 'Run an experiment and save its results')
            [CompletionResult]::new('report', 'report', [CompletionResultType]::ParameterValue, 'Write a report of results: HTML, with CSV, JSON Lines and Markdown beside it')
            [CompletionResult]::new('claims', 'claims', [CompletionResultType]::ParameterValue, 'Print all claims of the studies and where each is judged, and recompute their published fits; or the verdicts of results on them')
            [CompletionResult]::new('compare', 'compare', [CompletionResultType]::ParameterValue, 'Compare two results: of two machines, systems or versions')
            [CompletionResult]::new('measure', 'measure', [CompletionResultType]::ParameterValue, 'Run a shell command once and print what it cost, as JSON; experiments start this')
            [CompletionResult]::new('mount', 'mount', [CompletionResultType]::ParameterValue, 'Show a directory as slow as a storage device, and with its faults, until Ctrl-C (docs/reference/devices.md)')
            [CompletionResult]::new('advise', 'advise', [CompletionResultType]::ParameterValue, 'Measure a path and this machine for a minute, and advise: what limits, how long it takes, which options to use')
            [CompletionResult]::new('survey', 'survey', [CompletionResultType]::ParameterValue, 'Find samples for `pfh lab advise`')
            [CompletionResult]::new('sample', 'sample', [CompletionResultType]::ParameterValue, 'Read a sample for `pfh lab advise`')
            [CompletionResult]::new('runner', 'runner', [CompletionResultType]::ParameterValue, 'Act as a runner: answer tasks on standard input (docs/reference/runner-protocol.md)')
            [CompletionResult]::new('help', 'help', [CompletionResultType]::ParameterValue, 'Print this message or the help of the given subcommand(s)')
            break
        }
        'pfh;lab;list' {
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help')
            [CompletionResult]::new('-V', '-V ', [CompletionResultType]::ParameterName, 'Print version')
            [CompletionResult]::new('--version', '--version', [CompletionResultType]::ParameterName, 'Print version')
            break
        }
        'pfh;lab;doctor' {
            [CompletionResult]::new('--install', '--install', [CompletionResultType]::ParameterName, 'Print the commands that install what GROUP needs; `all` for every group')
            [CompletionResult]::new('--runners', '--runners', [CompletionResultType]::ParameterName, 'Also look for runners in DIR')
            [CompletionResult]::new('--run', '--run', [CompletionResultType]::ParameterName, 'With --install: run the commands')
            [CompletionResult]::new('--json', '--json', [CompletionResultType]::ParameterName, 'Print JSON Lines instead of a table')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help')
            [CompletionResult]::new('-V', '-V ', [CompletionResultType]::ParameterName, 'Print version')
            [CompletionResult]::new('--version', '--version', [CompletionResultType]::ParameterName, 'Print version')
            break
        }
        'pfh;lab;run' {
            [CompletionResult]::new('-o', '-o', [CompletionResultType]::ParameterName, 'Save the results in DIR [default: a new folder with the experiment''s name and the time]')
            [CompletionResult]::new('--output', '--output', [CompletionResultType]::ParameterName, 'Save the results in DIR [default: a new folder with the experiment''s name and the time]')
            [CompletionResult]::new('--runner', '--runner', [CompletionResultType]::ParameterName, 'Measure only this runner (repeatable). Others may still be asked for the right answers')
            [CompletionResult]::new('-a', '-a', [CompletionResultType]::ParameterName, 'Measure only this algorithm of the experiment (repeatable)')
            [CompletionResult]::new('--algorithm', '--algorithm', [CompletionResultType]::ParameterName, 'Measure only this algorithm of the experiment (repeatable)')
            [CompletionResult]::new('--profile', '--profile', [CompletionResultType]::ParameterName, 'Measure only under this profile (repeatable); `today` is the default profile, without changes')
            [CompletionResult]::new('--device', '--device', [CompletionResultType]::ParameterName, 'Measure whole programs only on this device of the experiment (repeatable): `here` is the disk of -o, or of --keep-corpora. With =DIR, in the folder DIR in its place: a device of your own that the experiment names needs it, and a simulated one can be replaced by it')
            [CompletionResult]::new('--device-note', '--device-note', [CompletionResultType]::ParameterName, 'Describe the device NAME (repeatable), for example by the speed of its network, which no system tells: the results keep TEXT, and reports print it')
            [CompletionResult]::new('--comparison', '--comparison', [CompletionResultType]::ParameterName, 'Measure only this comparison of whole programs (repeatable): a name that `pfh lab list NAME` prints')
            [CompletionResult]::new('--rounds', '--rounds', [CompletionResultType]::ParameterName, 'Measure N rounds, in the place of the experiment''s number')
            [CompletionResult]::new('--corpus', '--corpus', [CompletionResultType]::ParameterName, 'Give whole programs a copy of the files in DIR, in the place of every corpus of the experiment')
            [CompletionResult]::new('--keep-corpora', '--keep-corpora', [CompletionResultType]::ParameterName, 'Make corpora in DIR and leave them there, and use those that are there already. They do not depend on the seed')
            [CompletionResult]::new('--runners', '--runners', [CompletionResultType]::ParameterName, 'Also look for runners in DIR')
            [CompletionResult]::new('--seed', '--seed', [CompletionResultType]::ParameterName, 'Seed of the data and of the order [default: a new one each time; it is saved]')
            [CompletionResult]::new('--memory', '--memory', [CompletionResultType]::ParameterName, 'Memory limit for all processes of one runner together (K, M, G: powers of 1024) [default: half of the memory]')
            [CompletionResult]::new('--progress', '--progress', [CompletionResultType]::ParameterName, 'Show progress on standard error')
            [CompletionResult]::new('--full', '--full', [CompletionResultType]::ParameterName, 'Use the sizes of the published study, which takes hours')
            [CompletionResult]::new('--resume', '--resume', [CompletionResultType]::ParameterName, 'Continue the results in the folder of -o')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('-V', '-V ', [CompletionResultType]::ParameterName, 'Print version')
            [CompletionResult]::new('--version', '--version', [CompletionResultType]::ParameterName, 'Print version')
            break
        }
        'pfh;lab;report' {
            [CompletionResult]::new('-o', '-o', [CompletionResultType]::ParameterName, 'Write the HTML to FILE, and the other forms beside it with other extensions [default: report.html in DIR]')
            [CompletionResult]::new('--output', '--output', [CompletionResultType]::ParameterName, 'Write the HTML to FILE, and the other forms beside it with other extensions [default: report.html in DIR]')
            [CompletionResult]::new('--volume', '--volume', [CompletionResultType]::ParameterName, 'Project times to a volume of SIZE (K, M, G: powers of 1024) [default: the 722G of the study of 2015]')
            [CompletionResult]::new('--clock', '--clock', [CompletionResultType]::ParameterName, 'The clock whose times are compared; on a busy machine processor time is less disturbed')
            [CompletionResult]::new('--key-space', '--key-space', [CompletionResultType]::ParameterName, 'Project how long N keys last: a number, or symbols^length [default: 95^8, eight printable characters]')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('-V', '-V ', [CompletionResultType]::ParameterName, 'Print version')
            [CompletionResult]::new('--version', '--version', [CompletionResultType]::ParameterName, 'Print version')
            break
        }
        'pfh;lab;claims' {
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help')
            [CompletionResult]::new('-V', '-V ', [CompletionResultType]::ParameterName, 'Print version')
            [CompletionResult]::new('--version', '--version', [CompletionResultType]::ParameterName, 'Print version')
            break
        }
        'pfh;lab;compare' {
            [CompletionResult]::new('--clock', '--clock', [CompletionResultType]::ParameterName, 'The clock whose times are compared')
            [CompletionResult]::new('-o', '-o', [CompletionResultType]::ParameterName, 'Write HTML to FILE [default: Markdown on standard output]')
            [CompletionResult]::new('--output', '--output', [CompletionResultType]::ParameterName, 'Write HTML to FILE [default: Markdown on standard output]')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('-V', '-V ', [CompletionResultType]::ParameterName, 'Print version')
            [CompletionResult]::new('--version', '--version', [CompletionResultType]::ParameterName, 'Print version')
            break
        }
        'pfh;lab;measure' {
            [CompletionResult]::new('--output', '--output', [CompletionResultType]::ParameterName, 'Write the output of the command to FILE [default: nowhere]')
            [CompletionResult]::new('--until-closed', '--until-closed', [CompletionResultType]::ParameterName, 'End as soon as standard input is closed, as it is when the program that holds it ends, and the command with it')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help')
            [CompletionResult]::new('-V', '-V ', [CompletionResultType]::ParameterName, 'Print version')
            [CompletionResult]::new('--version', '--version', [CompletionResultType]::ParameterName, 'Print version')
            break
        }
        'pfh;lab;mount' {
            [CompletionResult]::new('--device', '--device', [CompletionResultType]::ParameterName, 'The device: a name (see below), or the path of a description that ends in `.toml`')
            [CompletionResult]::new('--until-closed', '--until-closed', [CompletionResultType]::ParameterName, 'End as soon as standard input is closed, as it is when the program that holds it ends')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('-V', '-V ', [CompletionResultType]::ParameterName, 'Print version')
            [CompletionResult]::new('--version', '--version', [CompletionResultType]::ParameterName, 'Print version')
            break
        }
        'pfh;lab;advise' {
            [CompletionResult]::new('--volume', '--volume', [CompletionResultType]::ParameterName, 'Advise for a volume of SIZE, such as 25TB [default: what PATH holds]')
            [CompletionResult]::new('--files', '--files', [CompletionResultType]::ParameterName, 'Advise for N files, such as 1.2M [default: those of PATH, in proportion to --volume]')
            [CompletionResult]::new('--deadline', '--deadline', [CompletionResultType]::ParameterName, 'Time that there is each night, such as 8h, at most 24h: tells how many nights a full cycle takes')
            [CompletionResult]::new('-a', '-a', [CompletionResultType]::ParameterName, 'Algorithms to compare, separated by commas, or repeated; the first is the one that is planned [default: sha256,md5,sha1,sha512,blake3; with --from, those that were measured]')
            [CompletionResult]::new('--algorithms', '--algorithms', [CompletionResultType]::ParameterName, 'Algorithms to compare, separated by commas, or repeated; the first is the one that is planned [default: sha256,md5,sha1,sha512,blake3; with --from, those that were measured]')
            [CompletionResult]::new('--seconds', '--seconds', [CompletionResultType]::ParameterName, 'Measure for about N seconds')
            [CompletionResult]::new('--from', '--from', [CompletionResultType]::ParameterName, 'Do not measure, but take the measurements that --save wrote')
            [CompletionResult]::new('--save', '--save', [CompletionResultType]::ParameterName, 'Save the measurements and the options to use in FILE, for --from and for `pfh hash --profile`')
            [CompletionResult]::new('-o', '-o', [CompletionResultType]::ParameterName, 'Write the advice to FILE [default: standard output]')
            [CompletionResult]::new('--output', '--output', [CompletionResultType]::ParameterName, 'Write the advice to FILE [default: standard output]')
            [CompletionResult]::new('--progress', '--progress', [CompletionResultType]::ParameterName, 'Show progress on standard error')
            [CompletionResult]::new('--json', '--json', [CompletionResultType]::ParameterName, 'Print JSON instead of text')
            [CompletionResult]::new('--html', '--html', [CompletionResultType]::ParameterName, 'Print a page in HTML instead of text')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('-V', '-V ', [CompletionResultType]::ParameterName, 'Print version')
            [CompletionResult]::new('--version', '--version', [CompletionResultType]::ParameterName, 'Print version')
            break
        }
        'pfh;lab;survey' {
            [CompletionResult]::new('--walk', '--walk', [CompletionResultType]::ParameterName, 'Walk the path that FILE holds, terminated by NUL')
            [CompletionResult]::new('--list', '--list', [CompletionResultType]::ParameterName, 'Only ask for the sizes of the files in FILE, each path terminated by NUL')
            [CompletionResult]::new('--seconds', '--seconds', [CompletionResultType]::ParameterName, 'Stop after N seconds')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help')
            [CompletionResult]::new('-V', '-V ', [CompletionResultType]::ParameterName, 'Print version')
            [CompletionResult]::new('--version', '--version', [CompletionResultType]::ParameterName, 'Print version')
            break
        }
        'pfh;lab;sample' {
            [CompletionResult]::new('--walk', '--walk', [CompletionResultType]::ParameterName, 'Read all files below the path that FILE holds, terminated by NUL')
            [CompletionResult]::new('--list', '--list', [CompletionResultType]::ParameterName, 'Read the files in FILE, each path terminated by NUL')
            [CompletionResult]::new('--bytes-max', '--bytes-max', [CompletionResultType]::ParameterName, 'Read at most SIZE of each file')
            [CompletionResult]::new('--seconds', '--seconds', [CompletionResultType]::ParameterName, 'Stop after N seconds')
            [CompletionResult]::new('-a', '-a', [CompletionResultType]::ParameterName, 'The algorithm, or `none`')
            [CompletionResult]::new('--algorithm', '--algorithm', [CompletionResultType]::ParameterName, 'The algorithm, or `none`')
            [CompletionResult]::new('--readers', '--readers', [CompletionResultType]::ParameterName, 'Begin with N readers for places that answer late')
            [CompletionResult]::new('-t', '-t', [CompletionResultType]::ParameterName, 'Number of threads [default: one per core]')
            [CompletionResult]::new('-j', '-j', [CompletionResultType]::ParameterName, 'Number of threads [default: one per core]')
            [CompletionResult]::new('--threads', '--threads', [CompletionResultType]::ParameterName, 'Number of threads [default: one per core]')
            [CompletionResult]::new('-p', '-p', [CompletionResultType]::ParameterName, 'Number of readers per device, where threads only read (--mode mtp, --io direct, rotating disks)')
            [CompletionResult]::new('--prefetchers', '--prefetchers', [CompletionResultType]::ParameterName, 'Number of readers per device, where threads only read (--mode mtp, --io direct, rotating disks)')
            [CompletionResult]::new('-m', '-m', [CompletionResultType]::ParameterName, 'Memory limit for all buffers together (K, M, G: powers of 1024)')
            [CompletionResult]::new('--memory', '--memory', [CompletionResultType]::ParameterName, 'Memory limit for all buffers together (K, M, G: powers of 1024)')
            [CompletionResult]::new('--slot', '--slot', [CompletionResultType]::ParameterName, 'Largest slot of the memory table: what one read asks for at most [default: 64K to 1M, by what is computed; 4M with --io direct]')
            [CompletionResult]::new('--mode', '--mode', [CompletionResultType]::ParameterName, 'How threads share reading and hashing')
            [CompletionResult]::new('--order', '--order', [CompletionResultType]::ParameterName, 'The order in which files are read; the output is always in the order of the walk')
            [CompletionResult]::new('--backend', '--backend', [CompletionResultType]::ParameterName, 'Instructions for hashing many files at once and for similarity digests, instead of the best that this CPU has; `pfh cpu` lists the names')
            [CompletionResult]::new('--io', '--io', [CompletionResultType]::ParameterName, 'How reading uses the page cache')
            [CompletionResult]::new('--medium', '--medium', [CompletionResultType]::ParameterName, 'Type of storage that the files are on, if the system does not know it or is wrong')
            [CompletionResult]::new('--balance', '--balance', [CompletionResultType]::ParameterName, 'With --mode mtp: prefer files that fit the free part of the memory table')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('-V', '-V ', [CompletionResultType]::ParameterName, 'Print version')
            [CompletionResult]::new('--version', '--version', [CompletionResultType]::ParameterName, 'Print version')
            break
        }
        'pfh;lab;runner' {
            [CompletionResult]::new('--lanes', '--lanes', [CompletionResultType]::ParameterName, 'Hash many messages at once; offers only algorithms that have lanes, and modes with many messages')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help')
            [CompletionResult]::new('-V', '-V ', [CompletionResultType]::ParameterName, 'Print version')
            [CompletionResult]::new('--version', '--version', [CompletionResultType]::ParameterName, 'Print version')
            break
        }
        'pfh;lab;help' {
            [CompletionResult]::new('list', 'list', [CompletionResultType]::ParameterValue, 'List the experiments, or the comparisons of whole programs of one')
            [CompletionResult]::new('doctor', 'doctor', [CompletionResultType]::ParameterValue, 'Show which runners are available, build them, and tell how to install what they lack')
            [CompletionResult]::new('run', 'run', [CompletionResultType]::ParameterValue, 'Run an experiment and save its results')
            [CompletionResult]::new('report', 'report', [CompletionResultType]::ParameterValue, 'Write a report of results: HTML, with CSV, JSON Lines and Markdown beside it')
            [CompletionResult]::new('claims', 'claims', [CompletionResultType]::ParameterValue, 'Print all claims of the studies and where each is judged, and recompute their published fits; or the verdicts of results on them')
            [CompletionResult]::new('compare', 'compare', [CompletionResultType]::ParameterValue, 'Compare two results: of two machines, systems or versions')
            [CompletionResult]::new('measure', 'measure', [CompletionResultType]::ParameterValue, 'Run a shell command once and print what it cost, as JSON; experiments start this')
            [CompletionResult]::new('mount', 'mount', [CompletionResultType]::ParameterValue, 'Show a directory as slow as a storage device, and with its faults, until Ctrl-C (docs/reference/devices.md)')
            [CompletionResult]::new('advise', 'advise', [CompletionResultType]::ParameterValue, 'Measure a path and this machine for a minute, and advise: what limits, how long it takes, which options to use')
            [CompletionResult]::new('survey', 'survey', [CompletionResultType]::ParameterValue, 'Find samples for `pfh lab advise`')
            [CompletionResult]::new('sample', 'sample', [CompletionResultType]::ParameterValue, 'Read a sample for `pfh lab advise`')
            [CompletionResult]::new('runner', 'runner', [CompletionResultType]::ParameterValue, 'Act as a runner: answer tasks on standard input (docs/reference/runner-protocol.md)')
            [CompletionResult]::new('help', 'help', [CompletionResultType]::ParameterValue, 'Print this message or the help of the given subcommand(s)')
            break
        }
        'pfh;lab;help;list' {
            break
        }
        'pfh;lab;help;doctor' {
            break
        }
        'pfh;lab;help;run' {
            break
        }
        'pfh;lab;help;report' {
            break
        }
        'pfh;lab;help;claims' {
            break
        }
        'pfh;lab;help;compare' {
            break
        }
        'pfh;lab;help;measure' {
            break
        }
        'pfh;lab;help;mount' {
            break
        }
        'pfh;lab;help;advise' {
            break
        }
        'pfh;lab;help;survey' {
            break
        }
        'pfh;lab;help;sample' {
            break
        }
        'pfh;lab;help;runner' {
            break
        }
        'pfh;lab;help;help' {
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
            [CompletionResult]::new('compare', 'compare', [CompletionResultType]::ParameterValue, 'Find similar files: all against all, two sides, clusters, indexes')
            [CompletionResult]::new('match', 'match', [CompletionResultType]::ParameterValue, 'Find files, and entries of lists, whose digests are known or similar to known ones')
            [CompletionResult]::new('known', 'known', [CompletionResultType]::ParameterValue, 'Build sets of known files, and look digests up in them')
            [CompletionResult]::new('verify', 'verify', [CompletionResultType]::ParameterValue, 'Compare files with a list of digests, of any format that pfh reads')
            [CompletionResult]::new('convert', 'convert', [CompletionResultType]::ParameterValue, 'Write lists of digests in another format, and tell what that format cannot express')
            [CompletionResult]::new('certify', 'certify', [CompletionResultType]::ParameterValue, 'Write the report on a list that is filed with it: what was hashed, by whom, when and how')
            [CompletionResult]::new('dupes', 'dupes', [CompletionResultType]::ParameterValue, 'Find files, and whole directories, with the same contents, and what they cost')
            [CompletionResult]::new('covers', 'covers', [CompletionResultType]::ParameterValue, 'Find files of which there is no copy elsewhere: may this disk be wiped?')
            [CompletionResult]::new('audit', 'audit', [CompletionResultType]::ParameterValue, 'Verify collections over the years: what changed, moved, went missing or rotted')
            [CompletionResult]::new('bag', 'bag', [CompletionResultType]::ParameterValue, 'Make, verify and update bags (BagIt): directories whose contents are listed with digests')
            [CompletionResult]::new('copy', 'copy', [CompletionResultType]::ParameterValue, 'Copy files and directories, and verify each copy by reading it back')
            [CompletionResult]::new('shard', 'shard', [CompletionResultType]::ParameterValue, 'Plan hashing on many machines: walk once, and cut the listing into shards')
            [CompletionResult]::new('merge', 'merge', [CompletionResultType]::ParameterValue, 'Join the results of the shards of a plan into one list')
            [CompletionResult]::new('frash', 'frash', [CompletionResultType]::ParameterValue, 'Measure how similarity digests behave (FRASH): times, lengths, blocks in common, fragments, noise')
            [CompletionResult]::new('algorithms', 'algorithms', [CompletionResultType]::ParameterValue, 'List the algorithms: names, digest length, how far to trust them, code path on this CPU')
            [CompletionResult]::new('cpu', 'cpu', [CompletionResultType]::ParameterValue, 'Show what hashing uses on this CPU: features, backends, and the kernels of each algorithm and similarity family')
            [CompletionResult]::new('lab', 'lab', [CompletionResultType]::ParameterValue, 'Measure hash and cipher implementations of many languages, and check their answers')
            [CompletionResult]::new('completions', 'completions', [CompletionResultType]::ParameterValue, 'Print completions for a shell')
            [CompletionResult]::new('man', 'man', [CompletionResultType]::ParameterValue, 'Write the man pages into a directory')
            [CompletionResult]::new('help', 'help', [CompletionResultType]::ParameterValue, 'Print this message or the help of the given subcommand(s)')
            break
        }
        'pfh;help;hash' {
            break
        }
        'pfh;help;compare' {
            break
        }
        'pfh;help;match' {
            break
        }
        'pfh;help;known' {
            [CompletionResult]::new('build', 'build', [CompletionResultType]::ParameterValue, 'Build a set from lists, and from other sets')
            [CompletionResult]::new('check', 'check', [CompletionResultType]::ParameterValue, 'Compare a downloaded archive of NSRL with the check values that NIST publishes beside it')
            [CompletionResult]::new('info', 'info', [CompletionResultType]::ParameterValue, 'Show what is in a set, and where it comes from')
            [CompletionResult]::new('lookup', 'lookup', [CompletionResultType]::ParameterValue, 'Look digests up in sets')
            [CompletionResult]::new('export', 'export', [CompletionResultType]::ParameterValue, 'Write a set as a list, or as a Bloom filter')
            [CompletionResult]::new('serve', 'serve', [CompletionResultType]::ParameterValue, 'Answer other programs about sets, by HTTP and by the protocol of nsrlsvr')
            break
        }
        'pfh;help;known;build' {
            break
        }
        'pfh;help;known;check' {
            break
        }
        'pfh;help;known;info' {
            break
        }
        'pfh;help;known;lookup' {
            break
        }
        'pfh;help;known;export' {
            break
        }
        'pfh;help;known;serve' {
            break
        }
        'pfh;help;verify' {
            break
        }
        'pfh;help;convert' {
            break
        }
        'pfh;help;certify' {
            break
        }
        'pfh;help;dupes' {
            break
        }
        'pfh;help;covers' {
            break
        }
        'pfh;help;audit' {
            [CompletionResult]::new('init', 'init', [CompletionResultType]::ParameterValue, 'Make a ledger, and read all files for the first time')
            [CompletionResult]::new('run', 'run', [CompletionResultType]::ParameterValue, 'Compare the collection with the ledger')
            [CompletionResult]::new('status', 'status', [CompletionResultType]::ParameterValue, 'Show how the collection stands')
            [CompletionResult]::new('history', 'history', [CompletionResultType]::ParameterValue, 'Show all that was found of a file')
            [CompletionResult]::new('report', 'report', [CompletionResultType]::ParameterValue, 'Write the report of a run')
            [CompletionResult]::new('export', 'export', [CompletionResultType]::ParameterValue, 'Write a list of the expected files with the digests that the ledger expects, without reading them')
            [CompletionResult]::new('accept', 'accept', [CompletionResultType]::ParameterValue, 'Accept open findings: what was seen is expected from now on')
            [CompletionResult]::new('forget', 'forget', [CompletionResultType]::ParameterValue, 'Expect a file, or all files below a directory, no longer')
            [CompletionResult]::new('relocate', 'relocate', [CompletionResultType]::ParameterValue, 'Record that the collection, or a part of it, is at another path now')
            [CompletionResult]::new('migrate', 'migrate', [CompletionResultType]::ParameterValue, 'Change the algorithm: verify by the old digests and compute new ones in the same reading')
            [CompletionResult]::new('head', 'head', [CompletionResultType]::ParameterValue, 'Print the end of the chain of events, to be kept elsewhere')
            [CompletionResult]::new('verify-ledger', 'verify-ledger', [CompletionResultType]::ParameterValue, 'Check that no event was changed or lost, and that the tables follow from the events')
            break
        }
        'pfh;help;audit;init' {
            break
        }
        'pfh;help;audit;run' {
            break
        }
        'pfh;help;audit;status' {
            break
        }
        'pfh;help;audit;history' {
            break
        }
        'pfh;help;audit;report' {
            break
        }
        'pfh;help;audit;export' {
            break
        }
        'pfh;help;audit;accept' {
            break
        }
        'pfh;help;audit;forget' {
            break
        }
        'pfh;help;audit;relocate' {
            break
        }
        'pfh;help;audit;migrate' {
            break
        }
        'pfh;help;audit;head' {
            break
        }
        'pfh;help;audit;verify-ledger' {
            break
        }
        'pfh;help;bag' {
            [CompletionResult]::new('create', 'create', [CompletionResultType]::ParameterValue, 'Make directories bags of version 1.0')
            [CompletionResult]::new('verify', 'verify', [CompletionResultType]::ParameterValue, 'Verify bags of versions 0.93 to 1.0, and report everything that is wrong')
            [CompletionResult]::new('update', 'update', [CompletionResultType]::ParameterValue, 'Write new manifests after files were added, removed or changed')
            break
        }
        'pfh;help;bag;create' {
            break
        }
        'pfh;help;bag;verify' {
            break
        }
        'pfh;help;bag;update' {
            break
        }
        'pfh;help;copy' {
            break
        }
        'pfh;help;shard' {
            break
        }
        'pfh;help;merge' {
            break
        }
        'pfh;help;frash' {
            break
        }
        'pfh;help;algorithms' {
            break
        }
        'pfh;help;cpu' {
            break
        }
        'pfh;help;lab' {
            [CompletionResult]::new('list', 'list', [CompletionResultType]::ParameterValue, 'List the experiments, or the comparisons of whole programs of one')
            [CompletionResult]::new('doctor', 'doctor', [CompletionResultType]::ParameterValue, 'Show which runners are available, build them, and tell how to install what they lack')
            [CompletionResult]::new('run', 'run', [CompletionResultType]::ParameterValue, 'Run an experiment and save its results')
            [CompletionResult]::new('report', 'report', [CompletionResultType]::ParameterValue, 'Write a report of results: HTML, with CSV, JSON Lines and Markdown beside it')
            [CompletionResult]::new('claims', 'claims', [CompletionResultType]::ParameterValue, 'Print all claims of the studies and where each is judged, and recompute their published fits; or the verdicts of results on them')
            [CompletionResult]::new('compare', 'compare', [CompletionResultType]::ParameterValue, 'Compare two results: of two machines, systems or versions')
            [CompletionResult]::new('measure', 'measure', [CompletionResultType]::ParameterValue, 'Run a shell command once and print what it cost, as JSON; experiments start this')
            [CompletionResult]::new('mount', 'mount', [CompletionResultType]::ParameterValue, 'Show a directory as slow as a storage device, and with its faults, until Ctrl-C (docs/reference/devices.md)')
            [CompletionResult]::new('advise', 'advise', [CompletionResultType]::ParameterValue, 'Measure a path and this machine for a minute, and advise: what limits, how long it takes, which options to use')
            [CompletionResult]::new('survey', 'survey', [CompletionResultType]::ParameterValue, 'Find samples for `pfh lab advise`')
            [CompletionResult]::new('sample', 'sample', [CompletionResultType]::ParameterValue, 'Read a sample for `pfh lab advise`')
            [CompletionResult]::new('runner', 'runner', [CompletionResultType]::ParameterValue, 'Act as a runner: answer tasks on standard input (docs/reference/runner-protocol.md)')
            break
        }
        'pfh;help;lab;list' {
            break
        }
        'pfh;help;lab;doctor' {
            break
        }
        'pfh;help;lab;run' {
            break
        }
        'pfh;help;lab;report' {
            break
        }
        'pfh;help;lab;claims' {
            break
        }
        'pfh;help;lab;compare' {
            break
        }
        'pfh;help;lab;measure' {
            break
        }
        'pfh;help;lab;mount' {
            break
        }
        'pfh;help;lab;advise' {
            break
        }
        'pfh;help;lab;survey' {
            break
        }
        'pfh;help;lab;sample' {
            break
        }
        'pfh;help;lab;runner' {
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
