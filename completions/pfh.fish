# Print an optspec for argparse to handle cmd's options that are independent of any subcommand.
function __fish_pfh_global_optspecs
    string join \n h/help V/version
end

function __fish_pfh_needs_command
    # Figure out if the current invocation already has a command.
    set -l cmd (commandline -opc)
    set -e cmd[1]
    argparse -s (__fish_pfh_global_optspecs) -- $cmd 2>/dev/null
    or return
    if set -q argv[1]
        # Also print the command, so this can be used to figure out what it is.
        echo $argv[1]
        return 1
    end
    return 0
end

function __fish_pfh_using_subcommand
    set -l cmd (__fish_pfh_needs_command)
    test -z "$cmd"
    and return 1
    contains -- (string replace -r ',.*' '' -- $cmd[1]) md4 md5 sha1 sha1dc sha224 sha256 sha384 sha512 sha512-224 sha512-256 sha3-224 sha3-256 sha3-384 sha3-512 shake128 shake256 keccak256 blake2b blake2s blake3 ripemd128 ripemd160 ripemd256 ripemd320 whirlpool tiger sm3 streebog256 streebog512 crc32 crc32c crc64nvme adler32 xxh32 xxh64 xxh3-64 xxh3-128 fnv1-32 fnv1-64 fnv1a-32 fnv1a-64 ssdeep sdhash mrsh-v2 tlsh
    and set cmd hash
    contains -- $cmd[1] $argv
end

complete -c pfh -n "__fish_pfh_needs_command" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c pfh -n "__fish_pfh_needs_command" -s V -l version -d 'Print version'
complete -c pfh -n "__fish_pfh_needs_command" -f -a "hash" -d 'Print digests of files, directories, devices and standard input'
complete -c pfh -n "__fish_pfh_needs_command" -f -a "compare" -d 'Find similar files: all against all, two sides, clusters, indexes'
complete -c pfh -n "__fish_pfh_needs_command" -f -a "match" -d 'Find files, and entries of lists, whose digests are known or similar to known ones'
complete -c pfh -n "__fish_pfh_needs_command" -f -a "known" -d 'Build sets of known files, and look digests up in them'
complete -c pfh -n "__fish_pfh_needs_command" -f -a "verify" -d 'Compare files with a list of digests, of any format that pfh reads'
complete -c pfh -n "__fish_pfh_needs_command" -f -a "convert" -d 'Write lists of digests in another format, and tell what that format cannot express'
complete -c pfh -n "__fish_pfh_needs_command" -f -a "certify" -d 'Write the report on a list that is filed with it: what was hashed, by whom, when and how'
complete -c pfh -n "__fish_pfh_needs_command" -f -a "dupes" -d 'Find files, and whole directories, with the same contents, and what they cost'
complete -c pfh -n "__fish_pfh_needs_command" -f -a "covers" -d 'Find files of which there is no copy elsewhere: may this disk be wiped?'
complete -c pfh -n "__fish_pfh_needs_command" -f -a "audit" -d 'Verify collections over the years: what changed, moved, went missing or rotted'
complete -c pfh -n "__fish_pfh_needs_command" -f -a "bag" -d 'Make, verify and update bags (BagIt): directories whose contents are listed with digests'
complete -c pfh -n "__fish_pfh_needs_command" -f -a "copy" -d 'Copy files and directories, and verify each copy by reading it back'
complete -c pfh -n "__fish_pfh_needs_command" -f -a "shard" -d 'Plan hashing on many machines: walk once, and cut the listing into shards'
complete -c pfh -n "__fish_pfh_needs_command" -f -a "merge" -d 'Join the results of the shards of a plan into one list'
complete -c pfh -n "__fish_pfh_needs_command" -f -a "frash" -d 'Measure how similarity digests behave (FRASH): times, lengths, blocks in common, fragments, noise'
complete -c pfh -n "__fish_pfh_needs_command" -f -a "algorithms" -d 'List the algorithms: names, digest length, how far to trust them, code path on this CPU'
complete -c pfh -n "__fish_pfh_needs_command" -f -a "cpu" -d 'Show what hashing uses on this CPU: features, backends, and the kernels of each algorithm and similarity family'
complete -c pfh -n "__fish_pfh_needs_command" -f -a "lab" -d 'Measure hash and cipher implementations of many languages, and check their answers'
complete -c pfh -n "__fish_pfh_needs_command" -f -a "completions" -d 'Print completions for a shell'
complete -c pfh -n "__fish_pfh_needs_command" -f -a "man" -d 'Write the man pages into a directory'
complete -c pfh -n "__fish_pfh_needs_command" -f -a "help" -d 'Print this message or the help of the given subcommand(s)'
complete -c pfh -n "__fish_pfh_using_subcommand hash" -s a -l algorithm -d 'Algorithms, separated by commas, or repeated; one read computes them all. `pfh algorithms` lists them' -r -f -a "(__fish_complete_list , 'string split \' \' \'md4 md5 sha1 sha1dc sha224 sha256 sha384 sha512 sha512-224 sha512-256 sha3-224 sha3-256 sha3-384 sha3-512 shake128 shake256 keccak256 blake2b blake2s blake3 ripemd128 ripemd160 ripemd256 ripemd320 whirlpool tiger sm3 streebog256 streebog512 crc32 crc32c crc64nvme adler32 xxh32 xxh64 xxh3-64 xxh3-128 fnv1-32 fnv1-64 fnv1a-32 fnv1a-64 ssdeep sdhash mrsh-v2 tlsh none\'')"
complete -c pfh -n "__fish_pfh_using_subcommand hash" -s f -l format -d 'Format of the list: gnu, bsd, hashdeep, md5deep, sfv, csv, jsonl, dfxml, ssdeep, sdhash, mrsh-v2 or tlsh [default: gnu for one algorithm, bsd for several, jsonl with --resume]' -r -f -a "gnu\t''
bsd\t''
hashdeep\t''
md5deep\t''
sfv\t''
csv\t''
jsonl\t''
dfxml\t''
ssdeep\t''
sdhash\t''
mrsh-v2\t''
tlsh\t''"
complete -c pfh -n "__fish_pfh_using_subcommand hash" -s o -l output -d 'Write to FILE, which appears whole or not at all; `-` is standard output [default: -]' -r -F
complete -c pfh -n "__fish_pfh_using_subcommand hash" -l piecewise -d 'Also print the digest of every piece of SIZE bytes (K, M, G: powers of 1024)' -r
complete -c pfh -n "__fish_pfh_using_subcommand hash" -l facts -d 'Also find facts about contents: the longest run of one byte, sectors of zeros, the entropy of a byte' -r -f -a "sampled\t'The first 4096 bytes, and of the others 32 in each 1024'
exact\t'All bytes'"
complete -c pfh -n "__fish_pfh_using_subcommand hash" -l stats -d 'Print where the time went, on standard error' -r -f -a "text\t'For people'
json\t'One JSON object'"
complete -c pfh -n "__fish_pfh_using_subcommand hash" -l progress -d 'Show progress on standard error' -r -f -a "auto\t'When standard error is a terminal'
always\t'Also elsewhere, in the form of `log`'
log\t'One line per minute with the time, and one at the end, as suits log files'
never\t''"
complete -c pfh -n "__fish_pfh_using_subcommand hash" -l key-file -d 'Read the key of hmac-… and keyed-… algorithms from FILE; `-` is standard input' -r -F
complete -c pfh -n "__fish_pfh_using_subcommand hash" -l derive-key -d 'Derive keys from the files, in this context (blake3-derive-key; `b3sum --derive-key`)' -r
complete -c pfh -n "__fish_pfh_using_subcommand hash" -l sdhash-profile -d 'Version of sdhash that digests and scores are compatible with' -r -f -a "3.4\t''
4.0\t''"
complete -c pfh -n "__fish_pfh_using_subcommand hash" -l sdhash-blocks -d 'Block size of sdhash in KiB, 1 to 16, or 0 for none (`sdhash -b`) [default: 16 from 16 MiB on, none below]' -r
complete -c pfh -n "__fish_pfh_using_subcommand hash" -l sdhash-segments -d 'Segment size of sdhash in MiB (`sdhash -z`); 0 for none' -r
complete -c pfh -n "__fish_pfh_using_subcommand hash" -l files-from -d 'Also read paths from FILE, one per line; `-` is standard input' -r -F
complete -c pfh -n "__fish_pfh_using_subcommand hash" -l files-from0 -d 'Also read paths from FILE, each terminated by NUL (as `find -print0` writes them); `-` is standard input' -r -F
complete -c pfh -n "__fish_pfh_using_subcommand hash" -l include -d 'Read only files that match GLOB (repeatable: any one suffices). Quote it for the shell' -r
complete -c pfh -n "__fish_pfh_using_subcommand hash" -l exclude -d 'Exclude files and directories that match GLOB (repeatable). `GLOB/` excludes directories only' -r
complete -c pfh -n "__fish_pfh_using_subcommand hash" -l min-size -d 'Exclude files smaller than SIZE' -r
complete -c pfh -n "__fish_pfh_using_subcommand hash" -l max-size -d 'Exclude files larger than SIZE' -r
complete -c pfh -n "__fish_pfh_using_subcommand hash" -l max-depth -d 'Descend at most N levels below the given paths; 1 means only the files directly in a directory' -r
complete -c pfh -n "__fish_pfh_using_subcommand hash" -s t -s j -l threads -d 'Number of threads [default: one per core]' -r
complete -c pfh -n "__fish_pfh_using_subcommand hash" -s p -l prefetchers -d 'Number of readers per device, where threads only read (--mode mtp, --io direct, rotating disks)' -r
complete -c pfh -n "__fish_pfh_using_subcommand hash" -s m -l memory -d 'Memory limit for all buffers together (K, M, G: powers of 1024)' -r
complete -c pfh -n "__fish_pfh_using_subcommand hash" -l slot -d 'Largest slot of the memory table: what one read asks for at most [default: 64K to 1M, by what is computed; 4M with --io direct]' -r
complete -c pfh -n "__fish_pfh_using_subcommand hash" -l mode -d 'How threads share reading and hashing' -r -f -a "adaptive\t'Every worker reads and hashes; reads ahead where reads wait; idle workers help with large files'
mtp\t'As published: prefetchers only read, the other threads only hash'
smt\t'As published: every thread reads and hashes its own file'"
complete -c pfh -n "__fish_pfh_using_subcommand hash" -l order -d 'The order in which files are read; the output is always in the order of the walk' -r -f -a "auto\t'By path; by physical position on rotating disks'
path\t''
inode\t''
physical\t'By position on the medium, where the filesystem reports it'
size\t'Largest first'"
complete -c pfh -n "__fish_pfh_using_subcommand hash" -l backend -d 'Instructions for hashing many files at once and for similarity digests, instead of the best that this CPU has; `pfh cpu` lists the names' -r
complete -c pfh -n "__fish_pfh_using_subcommand hash" -l io -d 'How reading uses the page cache' -r -f -a "buffered\t'Through the page cache'
drop\t'Through it, but cached pages are dropped before and after reading'
direct\t'Around it (O_DIRECT); like `drop` where the filesystem refuses, which --stats counts'"
complete -c pfh -n "__fish_pfh_using_subcommand hash" -l medium -d 'Type of storage that the files are on, if the system does not know it or is wrong' -r -f -a "rotating\t''
solid-state\t''
network\t''
memory\t''"
complete -c pfh -n "__fish_pfh_using_subcommand hash" -l profile -d 'Take the options that `pfh lab advise --save` found (threads, prefetchers, mode, order, method, medium) from FILE, except those that are given here' -r -F
complete -c pfh -n "__fish_pfh_using_subcommand hash" -l plan -d 'Hash shards of the plan in the folder PLAN, which `pfh shard` made, instead of paths. Results appear there' -r -f -a "(__fish_complete_directories)"
complete -c pfh -n "__fish_pfh_using_subcommand hash" -l shard -d 'The number of the shard, from 0; or I/N: every shard whose number is I modulo N, one after the other' -r
complete -c pfh -n "__fish_pfh_using_subcommand hash" -s b -l binary -d 'Accepted for compatibility: contents are always read as they are'
complete -c pfh -n "__fish_pfh_using_subcommand hash" -l tag -d 'Same as `-f bsd`'
complete -c pfh -n "__fish_pfh_using_subcommand hash" -l json -d 'Same as `-f jsonl`'
complete -c pfh -n "__fish_pfh_using_subcommand hash" -l allow-empty -d 'Replace an existing FILE of -o even with a list that has not a single complete file'
complete -c pfh -n "__fish_pfh_using_subcommand hash" -s 0 -l null -l zero -d 'End records with NUL instead of a line feed, and escape nothing (formats gnu, bsd, md5deep)'
complete -c pfh -n "__fish_pfh_using_subcommand hash" -l uppercase -d 'Write digests in upper-case hexadecimal (formats gnu, bsd, sfv)'
complete -c pfh -n "__fish_pfh_using_subcommand hash" -l base64 -d 'Write digests in base64 (formats gnu, bsd), as `cksum --base64` does'
complete -c pfh -n "__fish_pfh_using_subcommand hash" -l resume -d 'Continue the JSON Lines file given with -o: skip files that it records with the same path, size and modification time'
complete -c pfh -n "__fish_pfh_using_subcommand hash" -l compact -d 'With --resume: first drop lines that are superseded by a later line about the same path'
complete -c pfh -n "__fish_pfh_using_subcommand hash" -l unordered -d 'Print records as they finish rather than in the order of the walk'
complete -c pfh -n "__fish_pfh_using_subcommand hash" -s q -l quiet -d 'Do not print warnings about single files and lines (the totals at the end and the exit status still count them)'
complete -c pfh -n "__fish_pfh_using_subcommand hash" -l verbose -d 'Print every warning, rather than the first ten of each kind in each directory'
complete -c pfh -n "__fish_pfh_using_subcommand hash" -l key-hex -d 'The key file holds hexadecimal digits; white space between them is ignored'
complete -c pfh -n "__fish_pfh_using_subcommand hash" -l mrsh-network -d 'Compute mrsh-v2 digests as its build for network packets does, without the first and the last chunk'
complete -c pfh -n "__fish_pfh_using_subcommand hash" -s r -l recursive -d 'Accepted for compatibility: directories are always walked'
complete -c pfh -n "__fish_pfh_using_subcommand hash" -s x -l one-file-system -d 'Stay on the filesystem of each given path'
complete -c pfh -n "__fish_pfh_using_subcommand hash" -l follow-files -d 'Read files that symbolic links point to. (Links among the given paths are always followed.)'
complete -c pfh -n "__fish_pfh_using_subcommand hash" -l follow-directories -d 'Walk directories that symbolic links point to; loops are detected'
complete -c pfh -n "__fish_pfh_using_subcommand hash" -l preserve-access-time -d 'Preserve access times where the system permits it'
complete -c pfh -n "__fish_pfh_using_subcommand hash" -l balance -d 'With --mode mtp: prefer files that fit the free part of the memory table'
complete -c pfh -n "__fish_pfh_using_subcommand hash" -l any-tree -d 'Hash what lies at the paths of the plan even if the directories there are not those that were planned'
complete -c pfh -n "__fish_pfh_using_subcommand hash" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c pfh -n "__fish_pfh_using_subcommand hash" -s V -l version -d 'Print version'
complete -c pfh -n "__fish_pfh_using_subcommand compare" -l digests -d 'Also compare the digests in LIST (repeatable), which ssdeep, sdhash, mrsh-v2, tlsh or `pfh hash` wrote; `-` is standard input' -r -F
complete -c pfh -n "__fish_pfh_using_subcommand compare" -l against -d 'Compare with the files below PATH instead of with each other (repeatable)' -r -F
complete -c pfh -n "__fish_pfh_using_subcommand compare" -l against-digests -d 'Compare with the digests in LIST instead of with each other (repeatable)' -r -F
complete -c pfh -n "__fish_pfh_using_subcommand compare" -l as -d 'Read the lists as this format, instead of recognising it: a format of `pfh hash`, or one that is only read' -r
complete -c pfh -n "__fish_pfh_using_subcommand compare" -s a -l algorithm -d 'Family of digests: ssdeep, sdhash, mrsh-v2 or tlsh [default: that of the lists or the index, or ssdeep]' -r -f -a "(__fish_complete_list , 'string split \' \' \'ssdeep sdhash mrsh-v2 tlsh\'')"
complete -c pfh -n "__fish_pfh_using_subcommand compare" -l top -d 'Print only the K best matches of each file; of equally good ones, the first' -r
complete -c pfh -n "__fish_pfh_using_subcommand compare" -l heatmap -d 'Write a picture of all scores as SVG, for at most 512 files, instead of printing pairs' -r -F
complete -c pfh -n "__fish_pfh_using_subcommand compare" -l build-index -d 'Write an index of the digests (ssdeep, tlsh) instead of comparing them' -r -F
complete -c pfh -n "__fish_pfh_using_subcommand compare" -l index -d 'Compare with the digests in this index instead of with each other' -r -F
complete -c pfh -n "__fish_pfh_using_subcommand compare" -l threshold -d 'Lowest score to report, 0 to 100; with tlsh the largest distance [default: 1; tlsh: 30]' -r
complete -c pfh -n "__fish_pfh_using_subcommand compare" -l sample -d 'sdhash: use only the first N filters of the first digest of a pair (`sdhash -s`)' -r
complete -c pfh -n "__fish_pfh_using_subcommand compare" -s f -l format -d 'Format of the pairs [default: that of the family\'s own program]' -r -f -a "ssdeep\t'As `ssdeep -d` and `-m`: `LATER matches EARLIER (SCORE)`'
ssdeep-pretty\t'As `ssdeep -p` and `-x`: each pair in both directions, grouped by file'
sdhash\t'As `sdhash -g` and `-c`: `NAME|NAME|SCORE`'
mrsh-v2\t'As `mrsh -g`: `NAME | NAME | SCORE`'
tlsh\t'As `tlsh -xref`: names and score between tabs'
csv\t'Comma-separated values with a header'
jsonl\t'JSON Lines: a header, pairs, a summary'"
complete -c pfh -n "__fish_pfh_using_subcommand compare" -s o -l output -d 'Write to FILE, which appears whole or not at all; `-` is standard output [default: -]' -r -F
complete -c pfh -n "__fish_pfh_using_subcommand compare" -s j -l threads -d 'Number of threads [default: one per core]' -r
complete -c pfh -n "__fish_pfh_using_subcommand compare" -s m -l memory -d 'Memory limit for digests, comparison and sorting (K, M, G: powers of 1024)' -r
complete -c pfh -n "__fish_pfh_using_subcommand compare" -l progress -d 'Show progress on standard error' -r -f -a "auto\t'When standard error is a terminal'
always\t'Also elsewhere, in the form of `log`'
log\t'One line per minute with the time, and one at the end, as suits log files'
never\t''"
complete -c pfh -n "__fish_pfh_using_subcommand compare" -l sdhash-profile -d 'Version of sdhash that digests and scores are compatible with' -r -f -a "3.4\t''
4.0\t''"
complete -c pfh -n "__fish_pfh_using_subcommand compare" -l sdhash-blocks -d 'Block size of sdhash in KiB, 1 to 16, or 0 for none (`sdhash -b`) [default: 16 from 16 MiB on, none below]' -r
complete -c pfh -n "__fish_pfh_using_subcommand compare" -l sdhash-segments -d 'Segment size of sdhash in MiB (`sdhash -z`); 0 for none' -r
complete -c pfh -n "__fish_pfh_using_subcommand compare" -l files-from -d 'Also read paths from FILE, one per line; `-` is standard input' -r -F
complete -c pfh -n "__fish_pfh_using_subcommand compare" -l files-from0 -d 'Also read paths from FILE, each terminated by NUL (as `find -print0` writes them); `-` is standard input' -r -F
complete -c pfh -n "__fish_pfh_using_subcommand compare" -l include -d 'Read only files that match GLOB (repeatable: any one suffices). Quote it for the shell' -r
complete -c pfh -n "__fish_pfh_using_subcommand compare" -l exclude -d 'Exclude files and directories that match GLOB (repeatable). `GLOB/` excludes directories only' -r
complete -c pfh -n "__fish_pfh_using_subcommand compare" -l min-size -d 'Exclude files smaller than SIZE' -r
complete -c pfh -n "__fish_pfh_using_subcommand compare" -l max-size -d 'Exclude files larger than SIZE' -r
complete -c pfh -n "__fish_pfh_using_subcommand compare" -l max-depth -d 'Descend at most N levels below the given paths; 1 means only the files directly in a directory' -r
complete -c pfh -n "__fish_pfh_using_subcommand compare" -l clusters -d 'Print groups of files that pairs join, directly or indirectly, instead of the pairs'
complete -c pfh -n "__fish_pfh_using_subcommand compare" -l symmetric -d 'sdhash: if two digests have the same number of filters, compare both ways and take the higher score'
complete -c pfh -n "__fish_pfh_using_subcommand compare" -l fast -d 'sdhash: compare filters folded to a quarter of their length, with the scores of `sdhash --fast` in version 4.0'
complete -c pfh -n "__fish_pfh_using_subcommand compare" -l resemblance -d 'mrsh-v2: score how much of the larger file is in the smaller one, that is, how alike they are (`mrsh -f`)'
complete -c pfh -n "__fish_pfh_using_subcommand compare" -l allow-empty -d 'Replace an existing FILE of -o even with a result for which there was not a single digest'
complete -c pfh -n "__fish_pfh_using_subcommand compare" -s q -l quiet -d 'Do not print warnings about single files and lines (the totals at the end and the exit status still count them)'
complete -c pfh -n "__fish_pfh_using_subcommand compare" -l verbose -d 'Print every warning, rather than the first ten of each kind in each directory'
complete -c pfh -n "__fish_pfh_using_subcommand compare" -l mrsh-network -d 'Compute mrsh-v2 digests as its build for network packets does, without the first and the last chunk'
complete -c pfh -n "__fish_pfh_using_subcommand compare" -s r -l recursive -d 'Accepted for compatibility: directories are always walked'
complete -c pfh -n "__fish_pfh_using_subcommand compare" -s x -l one-file-system -d 'Stay on the filesystem of each given path'
complete -c pfh -n "__fish_pfh_using_subcommand compare" -l follow-files -d 'Read files that symbolic links point to. (Links among the given paths are always followed.)'
complete -c pfh -n "__fish_pfh_using_subcommand compare" -l follow-directories -d 'Walk directories that symbolic links point to; loops are detected'
complete -c pfh -n "__fish_pfh_using_subcommand compare" -l preserve-access-time -d 'Preserve access times where the system permits it'
complete -c pfh -n "__fish_pfh_using_subcommand compare" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c pfh -n "__fish_pfh_using_subcommand compare" -s V -l version -d 'Print version'
complete -c pfh -n "__fish_pfh_using_subcommand match" -l digests -d 'Also look through the digests in LIST (repeatable); `-` is standard input' -r -F
complete -c pfh -n "__fish_pfh_using_subcommand match" -l digest -d 'The digest to look for: hexadecimal, or as ssdeep, sdhash, mrsh-v2 or tlsh write it' -r
complete -c pfh -n "__fish_pfh_using_subcommand match" -l known -d 'A list of digests to look for (repeatable): in any format of `pfh hash`, plain hexadecimal, or as ssdeep, sdhash, mrsh-v2 or tlsh wrote it' -r -F
complete -c pfh -n "__fish_pfh_using_subcommand match" -l as -d 'Read the lists as this format, instead of recognising it: a format of `pfh hash`, or one that is only read' -r
complete -c pfh -n "__fish_pfh_using_subcommand match" -l only -d 'Print only files of these classes: good, bad, other, known (all three) or unknown' -r -f -a "good\t''
bad\t''
other\t''
known\t'Good, bad or other'
unknown\t''
none\t'No file'"
complete -c pfh -n "__fish_pfh_using_subcommand match" -l fail-on -d 'Exit with status 1 if there is a file of these classes; `none` for never [default: bad; with --blocks: known]' -r -f -a "good\t''
bad\t''
other\t''
known\t'Good, bad or other'
unknown\t''
none\t'No file'"
complete -c pfh -n "__fish_pfh_using_subcommand match" -s a -l algorithm -d 'Look only for digests of this algorithm or family, and assume it where a list names none [default: the one that the list names, or by length: CRC-32, MD5, SHA-1, SHA-224, SHA-256, SHA-384, SHA-512]' -r -f -a "(__fish_complete_list , 'string split \' \' \'md4 md5 sha1 sha1dc sha224 sha256 sha384 sha512 sha512-224 sha512-256 sha3-224 sha3-256 sha3-384 sha3-512 shake128 shake256 keccak256 blake2b blake2s blake3 ripemd128 ripemd160 ripemd256 ripemd320 whirlpool tiger sm3 streebog256 streebog512 crc32 crc32c crc64nvme adler32 xxh32 xxh64 xxh3-64 xxh3-128 fnv1-32 fnv1-64 fnv1a-32 fnv1a-64 ssdeep sdhash mrsh-v2 tlsh none\'')"
complete -c pfh -n "__fish_pfh_using_subcommand match" -l top -d 'Print only the K most similar known digests for each file' -r
complete -c pfh -n "__fish_pfh_using_subcommand match" -l blocks -d 'Look for fragments of known files: the paths are disk images, and the set has digests of blocks of SIZE bytes' -r
complete -c pfh -n "__fish_pfh_using_subcommand match" -l step -d 'With --blocks: look for blocks at every multiple of SIZE bytes in the image; SIZE is a multiple of 512 that divides the length of blocks [default: 512]' -r
complete -c pfh -n "__fish_pfh_using_subcommand match" -l key-file -d 'Read the key of hmac-… and keyed-… algorithms from FILE; `-` is standard input' -r -F
complete -c pfh -n "__fish_pfh_using_subcommand match" -l derive-key -d 'Derive keys from the files, in this context (blake3-derive-key; `b3sum --derive-key`)' -r
complete -c pfh -n "__fish_pfh_using_subcommand match" -l threshold -d 'Lowest score to report, 0 to 100; with tlsh the largest distance [default: 1; tlsh: 30]' -r
complete -c pfh -n "__fish_pfh_using_subcommand match" -l sample -d 'sdhash: use only the first N filters of the first digest of a pair (`sdhash -s`)' -r
complete -c pfh -n "__fish_pfh_using_subcommand match" -s f -l format -d 'Format of the pairs [default: that of the family\'s own program]' -r -f -a "ssdeep\t'As `ssdeep -d` and `-m`: `LATER matches EARLIER (SCORE)`'
ssdeep-pretty\t'As `ssdeep -p` and `-x`: each pair in both directions, grouped by file'
sdhash\t'As `sdhash -g` and `-c`: `NAME|NAME|SCORE`'
mrsh-v2\t'As `mrsh -g`: `NAME | NAME | SCORE`'
tlsh\t'As `tlsh -xref`: names and score between tabs'
csv\t'Comma-separated values with a header'
jsonl\t'JSON Lines: a header, pairs, a summary'"
complete -c pfh -n "__fish_pfh_using_subcommand match" -s o -l output -d 'Write to FILE, which appears whole or not at all; `-` is standard output [default: -]' -r -F
complete -c pfh -n "__fish_pfh_using_subcommand match" -s j -l threads -d 'Number of threads [default: one per core]' -r
complete -c pfh -n "__fish_pfh_using_subcommand match" -s m -l memory -d 'Memory limit for digests, comparison and sorting (K, M, G: powers of 1024)' -r
complete -c pfh -n "__fish_pfh_using_subcommand match" -l progress -d 'Show progress on standard error' -r -f -a "auto\t'When standard error is a terminal'
always\t'Also elsewhere, in the form of `log`'
log\t'One line per minute with the time, and one at the end, as suits log files'
never\t''"
complete -c pfh -n "__fish_pfh_using_subcommand match" -l sdhash-profile -d 'Version of sdhash that digests and scores are compatible with' -r -f -a "3.4\t''
4.0\t''"
complete -c pfh -n "__fish_pfh_using_subcommand match" -l sdhash-blocks -d 'Block size of sdhash in KiB, 1 to 16, or 0 for none (`sdhash -b`) [default: 16 from 16 MiB on, none below]' -r
complete -c pfh -n "__fish_pfh_using_subcommand match" -l sdhash-segments -d 'Segment size of sdhash in MiB (`sdhash -z`); 0 for none' -r
complete -c pfh -n "__fish_pfh_using_subcommand match" -l files-from -d 'Also read paths from FILE, one per line; `-` is standard input' -r -F
complete -c pfh -n "__fish_pfh_using_subcommand match" -l files-from0 -d 'Also read paths from FILE, each terminated by NUL (as `find -print0` writes them); `-` is standard input' -r -F
complete -c pfh -n "__fish_pfh_using_subcommand match" -l include -d 'Read only files that match GLOB (repeatable: any one suffices). Quote it for the shell' -r
complete -c pfh -n "__fish_pfh_using_subcommand match" -l exclude -d 'Exclude files and directories that match GLOB (repeatable). `GLOB/` excludes directories only' -r
complete -c pfh -n "__fish_pfh_using_subcommand match" -l min-size -d 'Exclude files smaller than SIZE' -r
complete -c pfh -n "__fish_pfh_using_subcommand match" -l max-size -d 'Exclude files larger than SIZE' -r
complete -c pfh -n "__fish_pfh_using_subcommand match" -l max-depth -d 'Descend at most N levels below the given paths; 1 means only the files directly in a directory' -r
complete -c pfh -n "__fish_pfh_using_subcommand match" -l check-sets -d 'Read each set whole before anything else, and refuse one of which a byte is not as it was written'
complete -c pfh -n "__fish_pfh_using_subcommand match" -l negate -d 'Print the files that --only would leave out'
complete -c pfh -n "__fish_pfh_using_subcommand match" -l names-only -d 'Print nothing but the names of files, one in a line, as they are'
complete -c pfh -n "__fish_pfh_using_subcommand match" -s 0 -l null -l zero -d 'With --names-only: end names with NUL instead of a line feed, as `xargs -0` reads them'
complete -c pfh -n "__fish_pfh_using_subcommand match" -l not-found -d 'Print the entries of sets that no file was, instead of files'
complete -c pfh -n "__fish_pfh_using_subcommand match" -l all-names -d 'Print every name that the lists give for a cryptographic digest, not only the first in each list and the number of others'
complete -c pfh -n "__fish_pfh_using_subcommand match" -l key-hex -d 'The key file holds hexadecimal digits; white space between them is ignored'
complete -c pfh -n "__fish_pfh_using_subcommand match" -l symmetric -d 'sdhash: if two digests have the same number of filters, compare both ways and take the higher score'
complete -c pfh -n "__fish_pfh_using_subcommand match" -l fast -d 'sdhash: compare filters folded to a quarter of their length, with the scores of `sdhash --fast` in version 4.0'
complete -c pfh -n "__fish_pfh_using_subcommand match" -l resemblance -d 'mrsh-v2: score how much of the larger file is in the smaller one, that is, how alike they are (`mrsh -f`)'
complete -c pfh -n "__fish_pfh_using_subcommand match" -l allow-empty -d 'Replace an existing FILE of -o even with a result for which there was not a single digest'
complete -c pfh -n "__fish_pfh_using_subcommand match" -s q -l quiet -d 'Do not print warnings about single files and lines (the totals at the end and the exit status still count them)'
complete -c pfh -n "__fish_pfh_using_subcommand match" -l verbose -d 'Print every warning, rather than the first ten of each kind in each directory'
complete -c pfh -n "__fish_pfh_using_subcommand match" -l mrsh-network -d 'Compute mrsh-v2 digests as its build for network packets does, without the first and the last chunk'
complete -c pfh -n "__fish_pfh_using_subcommand match" -s r -l recursive -d 'Accepted for compatibility: directories are always walked'
complete -c pfh -n "__fish_pfh_using_subcommand match" -s x -l one-file-system -d 'Stay on the filesystem of each given path'
complete -c pfh -n "__fish_pfh_using_subcommand match" -l follow-files -d 'Read files that symbolic links point to. (Links among the given paths are always followed.)'
complete -c pfh -n "__fish_pfh_using_subcommand match" -l follow-directories -d 'Walk directories that symbolic links point to; loops are detected'
complete -c pfh -n "__fish_pfh_using_subcommand match" -l preserve-access-time -d 'Preserve access times where the system permits it'
complete -c pfh -n "__fish_pfh_using_subcommand match" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c pfh -n "__fish_pfh_using_subcommand match" -s V -l version -d 'Print version'
complete -c pfh -n "__fish_pfh_using_subcommand known; and not __fish_seen_subcommand_from build check info lookup export serve help" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c pfh -n "__fish_pfh_using_subcommand known; and not __fish_seen_subcommand_from build check info lookup export serve help" -s V -l version -d 'Print version'
complete -c pfh -n "__fish_pfh_using_subcommand known; and not __fish_seen_subcommand_from build check info lookup export serve help" -f -a "build" -d 'Build a set from lists, and from other sets'
complete -c pfh -n "__fish_pfh_using_subcommand known; and not __fish_seen_subcommand_from build check info lookup export serve help" -f -a "check" -d 'Compare a downloaded archive of NSRL with the check values that NIST publishes beside it'
complete -c pfh -n "__fish_pfh_using_subcommand known; and not __fish_seen_subcommand_from build check info lookup export serve help" -f -a "info" -d 'Show what is in a set, and where it comes from'
complete -c pfh -n "__fish_pfh_using_subcommand known; and not __fish_seen_subcommand_from build check info lookup export serve help" -f -a "lookup" -d 'Look digests up in sets'
complete -c pfh -n "__fish_pfh_using_subcommand known; and not __fish_seen_subcommand_from build check info lookup export serve help" -f -a "export" -d 'Write a set as a list, or as a Bloom filter'
complete -c pfh -n "__fish_pfh_using_subcommand known; and not __fish_seen_subcommand_from build check info lookup export serve help" -f -a "serve" -d 'Answer other programs about sets, by HTTP and by the protocol of nsrlsvr'
complete -c pfh -n "__fish_pfh_using_subcommand known; and not __fish_seen_subcommand_from build check info lookup export serve help" -f -a "help" -d 'Print this message or the help of the given subcommand(s)'
complete -c pfh -n "__fish_pfh_using_subcommand known; and __fish_seen_subcommand_from build" -l blocks -d 'Build a set of the blocks of files, for `pfh match --blocks`: the sources are files and directories, and each whole block of SIZE bytes is hashed' -r
complete -c pfh -n "__fish_pfh_using_subcommand known; and __fish_seen_subcommand_from build" -l class -d 'Class of the files in the lists: good, bad or other. Sets keep their own classes' -r -f -a "good\t'Known files that may be left out of the view'
bad\t'Known files that are looked for'
other\t'Known files from which nothing follows'"
complete -c pfh -n "__fish_pfh_using_subcommand known; and __fish_seen_subcommand_from build" -l as -d 'Read the lists as this format, instead of recognising it: a format of `pfh hash`, or nsrl, hashkeeper, ilook, encase, sleuthkit, vics, icse, hashdb, bagit, ocfl, avp or imager' -r
complete -c pfh -n "__fish_pfh_using_subcommand known; and __fish_seen_subcommand_from build" -l columns -d 'Read the lists as tables with these columns, by name or number: `md5=Hash,name="File Name",size=3`. Also sha1, sha256 …, product and category' -r
complete -c pfh -n "__fish_pfh_using_subcommand known; and __fish_seen_subcommand_from build" -s a -l algorithm -d 'Take only digests by these algorithms [default: md5, sha1, sha224, sha256, sha384, sha512, sha3-256, sha3-512, blake2b, blake3, tiger, whirlpool, as far as the lists have them]' -r
complete -c pfh -n "__fish_pfh_using_subcommand known; and __fish_seen_subcommand_from build" -l keep -d 'Keep beside digests, as far as the sources tell: size, name, product, category of each file; `digests` keeps the way from one digest to the others of the file' -r -f -a "size\t''
name\t''
product\t''
category\t''
digests\t''"
complete -c pfh -n "__fish_pfh_using_subcommand known; and __fish_seen_subcommand_from build" -l release -d 'The release of the lists, to be shown with each match' -r
complete -c pfh -n "__fish_pfh_using_subcommand known; and __fish_seen_subcommand_from build" -l note -d 'A note about the lists, to be kept in the set' -r
complete -c pfh -n "__fish_pfh_using_subcommand known; and __fish_seen_subcommand_from build" -l except -d 'Leave out files that are in this set (repeatable)' -r -F
complete -c pfh -n "__fish_pfh_using_subcommand known; and __fish_seen_subcommand_from build" -l common -d 'Take only files that are in this set, too (repeatable)' -r -F
complete -c pfh -n "__fish_pfh_using_subcommand known; and __fish_seen_subcommand_from build" -s m -l memory -d 'Memory limit for sorting (K, M, G: powers of 1024); temporary files take the rest' -r
complete -c pfh -n "__fish_pfh_using_subcommand known; and __fish_seen_subcommand_from build" -l keep-going -d 'Leave out lines and rows that cannot be read, and sources without wanted digests, instead of making no set; with --blocks, files that cannot be read'
complete -c pfh -n "__fish_pfh_using_subcommand known; and __fish_seen_subcommand_from build" -l allow-empty -d 'Replace an existing SET even with a set that has not a single file'
complete -c pfh -n "__fish_pfh_using_subcommand known; and __fish_seen_subcommand_from build" -s q -l quiet -d 'Do not print warnings about single lines (the totals at the end and the exit status still count them)'
complete -c pfh -n "__fish_pfh_using_subcommand known; and __fish_seen_subcommand_from build" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c pfh -n "__fish_pfh_using_subcommand known; and __fish_seen_subcommand_from build" -s V -l version -d 'Print version'
complete -c pfh -n "__fish_pfh_using_subcommand known; and __fish_seen_subcommand_from check" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c pfh -n "__fish_pfh_using_subcommand known; and __fish_seen_subcommand_from check" -s V -l version -d 'Print version'
complete -c pfh -n "__fish_pfh_using_subcommand known; and __fish_seen_subcommand_from info" -l verify -d 'Read the whole set and check that it is as it was written'
complete -c pfh -n "__fish_pfh_using_subcommand known; and __fish_seen_subcommand_from info" -l json -d 'Print a JSON object instead of text'
complete -c pfh -n "__fish_pfh_using_subcommand known; and __fish_seen_subcommand_from info" -s h -l help -d 'Print help'
complete -c pfh -n "__fish_pfh_using_subcommand known; and __fish_seen_subcommand_from info" -s V -l version -d 'Print version'
complete -c pfh -n "__fish_pfh_using_subcommand known; and __fish_seen_subcommand_from lookup" -l known -d 'Look in this set, too (repeatable); also CLASS=SET' -r -F
complete -c pfh -n "__fish_pfh_using_subcommand known; and __fish_seen_subcommand_from lookup" -l filter -d 'Ask this Bloom filter first: digests that it does not have are unknown, and the set is not asked for them' -r -F
complete -c pfh -n "__fish_pfh_using_subcommand known; and __fish_seen_subcommand_from lookup" -s f -l format -d 'Format of the answers' -r -f -a "text\t'Lines of class, name and what the set tells'
csv\t'Comma-separated values with a header'
jsonl\t'JSON Lines: a header, files, a summary'"
complete -c pfh -n "__fish_pfh_using_subcommand known; and __fish_seen_subcommand_from lookup" -l check-sets -d 'Read each set whole before anything else, and refuse one of which a byte is not as it was written'
complete -c pfh -n "__fish_pfh_using_subcommand known; and __fish_seen_subcommand_from lookup" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c pfh -n "__fish_pfh_using_subcommand known; and __fish_seen_subcommand_from lookup" -s V -l version -d 'Print version'
complete -c pfh -n "__fish_pfh_using_subcommand known; and __fish_seen_subcommand_from export" -s f -l format -d 'A format of `pfh hash`; `digests`, a line for each digest of one algorithm; or `bloom`, a Bloom filter in the format of DCSO, which hashlookup uses' -r
complete -c pfh -n "__fish_pfh_using_subcommand known; and __fish_seen_subcommand_from export" -s a -l algorithm -d 'Only digests by these algorithms [default: all of the set; for `bloom` sha1]' -r
complete -c pfh -n "__fish_pfh_using_subcommand known; and __fish_seen_subcommand_from export" -l only -d 'Only files of these classes' -r -f -a "good\t'Known files that may be left out of the view'
bad\t'Known files that are looked for'
other\t'Known files from which nothing follows'"
complete -c pfh -n "__fish_pfh_using_subcommand known; and __fish_seen_subcommand_from export" -l letters -d 'Write the digits of digests in lower or upper case [default: upper for `bloom`, otherwise lower]' -r -f -a "lower\t''
upper\t''"
complete -c pfh -n "__fish_pfh_using_subcommand known; and __fish_seen_subcommand_from export" -l probability -d 'For `bloom`: the chance that the filter says "maybe" of a digest that the set does not have' -r
complete -c pfh -n "__fish_pfh_using_subcommand known; and __fish_seen_subcommand_from export" -s o -l output -d 'Write to FILE, which appears whole or not at all [default: standard output]' -r -F
complete -c pfh -n "__fish_pfh_using_subcommand known; and __fish_seen_subcommand_from export" -s m -l memory -d 'Memory limit (K, M, G: powers of 1024)' -r
complete -c pfh -n "__fish_pfh_using_subcommand known; and __fish_seen_subcommand_from export" -l allow-empty -d 'Replace an existing FILE even if no entry is written'
complete -c pfh -n "__fish_pfh_using_subcommand known; and __fish_seen_subcommand_from export" -s q -l quiet -d 'Do not print what the list lacks'
complete -c pfh -n "__fish_pfh_using_subcommand known; and __fish_seen_subcommand_from export" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c pfh -n "__fish_pfh_using_subcommand known; and __fish_seen_subcommand_from export" -s V -l version -d 'Print version'
complete -c pfh -n "__fish_pfh_using_subcommand known; and __fish_seen_subcommand_from serve" -l listen -d 'Answer HTTP at this address [default port: 9180; port 0 is any free one]' -r
complete -c pfh -n "__fish_pfh_using_subcommand known; and __fish_seen_subcommand_from serve" -l host -d 'Also answer HTTP for this host (repeatable), beside localhost and addresses' -r
complete -c pfh -n "__fish_pfh_using_subcommand known; and __fish_seen_subcommand_from serve" -l nsrlsvr -d 'Also speak the protocol of nsrlsvr at this address [default port: 9120]' -r
complete -c pfh -n "__fish_pfh_using_subcommand known; and __fish_seen_subcommand_from serve" -l nsrlsvr-classes -d 'Classes of the files that the protocol of nsrlsvr calls known, which has no classes: good, bad, other' -r
complete -c pfh -n "__fish_pfh_using_subcommand known; and __fish_seen_subcommand_from serve" -l max-connections -d 'Most connections at a time; further ones are refused [default: 4096, or what the limit on open files allows]' -r
complete -c pfh -n "__fish_pfh_using_subcommand known; and __fish_seen_subcommand_from serve" -l max-client-connections -d 'Most connections of one client at a time by each protocol; further ones are refused [default: a quarter of --max-connections, and 16 at least]' -r
complete -c pfh -n "__fish_pfh_using_subcommand known; and __fish_seen_subcommand_from serve" -l max-rate -d 'Most requests of one client in a second; 0 for any number. A client is an address (IPv6: a network of 64 bits)' -r
complete -c pfh -n "__fish_pfh_using_subcommand known; and __fish_seen_subcommand_from serve" -l max-digests -d 'Most digests in a request over HTTP' -r
complete -c pfh -n "__fish_pfh_using_subcommand known; and __fish_seen_subcommand_from serve" -l max-body -d 'Longest body of a request over HTTP (K, M, G: powers of 1024)' -r
complete -c pfh -n "__fish_pfh_using_subcommand known; and __fish_seen_subcommand_from serve" -l max-line-digests -d 'Most digests in a line of the protocol of nsrlsvr' -r
complete -c pfh -n "__fish_pfh_using_subcommand known; and __fish_seen_subcommand_from serve" -l max-line -d 'Longest line of the protocol of nsrlsvr (K, M, G: powers of 1024)' -r
complete -c pfh -n "__fish_pfh_using_subcommand known; and __fish_seen_subcommand_from serve" -s m -l memory -d 'Memory limit for requests and answers on their way, beside a few kilobytes of each connection (K, M, G: powers of 1024). The sets are mapped, and are not in it' -r
complete -c pfh -n "__fish_pfh_using_subcommand known; and __fish_seen_subcommand_from serve" -l timeout -d 'Time for a client to begin its first request, to send one that it has begun, and to take each part of an answer' -r
complete -c pfh -n "__fish_pfh_using_subcommand known; and __fish_seen_subcommand_from serve" -l idle -d 'Time for which a connection of the protocol of nsrlsvr may be without a request after its first' -r
complete -c pfh -n "__fish_pfh_using_subcommand known; and __fish_seen_subcommand_from serve" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c pfh -n "__fish_pfh_using_subcommand known; and __fish_seen_subcommand_from serve" -s V -l version -d 'Print version'
complete -c pfh -n "__fish_pfh_using_subcommand known; and __fish_seen_subcommand_from help" -f -a "build" -d 'Build a set from lists, and from other sets'
complete -c pfh -n "__fish_pfh_using_subcommand known; and __fish_seen_subcommand_from help" -f -a "check" -d 'Compare a downloaded archive of NSRL with the check values that NIST publishes beside it'
complete -c pfh -n "__fish_pfh_using_subcommand known; and __fish_seen_subcommand_from help" -f -a "info" -d 'Show what is in a set, and where it comes from'
complete -c pfh -n "__fish_pfh_using_subcommand known; and __fish_seen_subcommand_from help" -f -a "lookup" -d 'Look digests up in sets'
complete -c pfh -n "__fish_pfh_using_subcommand known; and __fish_seen_subcommand_from help" -f -a "export" -d 'Write a set as a list, or as a Bloom filter'
complete -c pfh -n "__fish_pfh_using_subcommand known; and __fish_seen_subcommand_from help" -f -a "serve" -d 'Answer other programs about sets, by HTTP and by the protocol of nsrlsvr'
complete -c pfh -n "__fish_pfh_using_subcommand known; and __fish_seen_subcommand_from help" -f -a "help" -d 'Print this message or the help of the given subcommand(s)'
complete -c pfh -n "__fish_pfh_using_subcommand verify" -s a -l algorithm -d 'The algorithm of digests for which LIST names none [default: by their length]' -r -f -a "(__fish_complete_list , 'string split \' \' \'md4 md5 sha1 sha1dc sha224 sha256 sha384 sha512 sha512-224 sha512-256 sha3-224 sha3-256 sha3-384 sha3-512 shake128 shake256 keccak256 blake2b blake2s blake3 ripemd128 ripemd160 ripemd256 ripemd320 whirlpool tiger sm3 streebog256 streebog512 crc32 crc32c crc64nvme adler32 xxh32 xxh64 xxh3-64 xxh3-128 fnv1-32 fnv1-64 fnv1a-32 fnv1a-64 ssdeep sdhash mrsh-v2 tlsh none\'')"
complete -c pfh -n "__fish_pfh_using_subcommand verify" -l as -d 'Read LIST as this format, instead of recognising it: a format of `pfh hash`, or one that is only read' -r
complete -c pfh -n "__fish_pfh_using_subcommand verify" -l sample -d 'Read only this share of the files, chosen at random' -r
complete -c pfh -n "__fish_pfh_using_subcommand verify" -l seed -d 'The number that decides the choice of --sample [default: another one each time, which is printed]' -r
complete -c pfh -n "__fish_pfh_using_subcommand verify" -l strip-prefix -d 'Remove PREFIX from the paths of LIST; other paths are not below ROOT' -r
complete -c pfh -n "__fish_pfh_using_subcommand verify" -s f -l format -d 'Format of the output' -r -f -a "text\t'The verdict, the counts, and a line for each finding'
jsonl\t'JSON Lines: a header, the verdict, findings, a summary'
html\t'A page for people, which needs nothing else'"
complete -c pfh -n "__fish_pfh_using_subcommand verify" -s o -l output -d 'Write to FILE, which appears whole or not at all; `-` is standard output [default: -]' -r -F
complete -c pfh -n "__fish_pfh_using_subcommand verify" -l compat -d 'Print, and exit with, what another program does, so that scripts move over; see the guides' -r -f -a "gnu\t'`sha256sum --check` and its kin (GNU coreutils 9.1)'
hashdeep\t'`hashdeep -r -a` (4.4), with its faults'"
complete -c pfh -n "__fish_pfh_using_subcommand verify" -l progress -d 'Show progress on standard error' -r -f -a "auto\t'When standard error is a terminal'
always\t'Also elsewhere, in the form of `log`'
log\t'One line per minute with the time, and one at the end, as suits log files'
never\t''"
complete -c pfh -n "__fish_pfh_using_subcommand verify" -l include -d 'Check only files that match GLOB (repeatable: any one suffices). Quote it for the shell' -r
complete -c pfh -n "__fish_pfh_using_subcommand verify" -l exclude -d 'Leave out files and directories that match GLOB (repeatable). `GLOB/` leaves out directories only' -r
complete -c pfh -n "__fish_pfh_using_subcommand verify" -s t -s j -l threads -d 'Number of threads [default: one per core]' -r
complete -c pfh -n "__fish_pfh_using_subcommand verify" -s p -l prefetchers -d 'Number of readers per device, where threads only read (--mode mtp, --io direct, rotating disks)' -r
complete -c pfh -n "__fish_pfh_using_subcommand verify" -s m -l memory -d 'Memory limit for all buffers together (K, M, G: powers of 1024)' -r
complete -c pfh -n "__fish_pfh_using_subcommand verify" -l slot -d 'Largest slot of the memory table: what one read asks for at most [default: 64K to 1M, by what is computed; 4M with --io direct]' -r
complete -c pfh -n "__fish_pfh_using_subcommand verify" -l mode -d 'How threads share reading and hashing' -r -f -a "adaptive\t'Every worker reads and hashes; reads ahead where reads wait; idle workers help with large files'
mtp\t'As published: prefetchers only read, the other threads only hash'
smt\t'As published: every thread reads and hashes its own file'"
complete -c pfh -n "__fish_pfh_using_subcommand verify" -l order -d 'The order in which files are read; the output is always in the order of the walk' -r -f -a "auto\t'By path; by physical position on rotating disks'
path\t''
inode\t''
physical\t'By position on the medium, where the filesystem reports it'
size\t'Largest first'"
complete -c pfh -n "__fish_pfh_using_subcommand verify" -l backend -d 'Instructions for hashing many files at once and for similarity digests, instead of the best that this CPU has; `pfh cpu` lists the names' -r
complete -c pfh -n "__fish_pfh_using_subcommand verify" -l io -d 'How reading uses the page cache' -r -f -a "buffered\t'Through the page cache'
drop\t'Through it, but cached pages are dropped before and after reading'
direct\t'Around it (O_DIRECT); like `drop` where the filesystem refuses, which --stats counts'"
complete -c pfh -n "__fish_pfh_using_subcommand verify" -l medium -d 'Type of storage that the files are on, if the system does not know it or is wrong' -r -f -a "rotating\t''
solid-state\t''
network\t''
memory\t''"
complete -c pfh -n "__fish_pfh_using_subcommand verify" -l key-file -d 'Read the key of hmac-… and keyed-… algorithms from FILE; `-` is standard input' -r -F
complete -c pfh -n "__fish_pfh_using_subcommand verify" -l derive-key -d 'Derive keys from the files, in this context (blake3-derive-key; `b3sum --derive-key`)' -r
complete -c pfh -n "__fish_pfh_using_subcommand verify" -l ignore-new -d 'Do not look for files that LIST does not have; then moved files are missing'
complete -c pfh -n "__fish_pfh_using_subcommand verify" -l ignore-missing -d 'Files that are missing are no finding'
complete -c pfh -n "__fish_pfh_using_subcommand verify" -l structure -d 'Compare names and sizes only; no contents are read'
complete -c pfh -n "__fish_pfh_using_subcommand verify" -l size-first -d 'Compare names and sizes of all files before any is read, and do not read files whose size differs'
complete -c pfh -n "__fish_pfh_using_subcommand verify" -l backslashes -d 'The paths of LIST have backslashes between their components, as on Windows'
complete -c pfh -n "__fish_pfh_using_subcommand verify" -l piecewise -d 'Names in LIST that end with ` offset START-END` are of pieces, which are not compared (gnu, bsd)'
complete -c pfh -n "__fish_pfh_using_subcommand verify" -l all -d 'Print files that match, too'
complete -c pfh -n "__fish_pfh_using_subcommand verify" -s q -l quiet -d 'Print the verdict only. With --compat gnu: no line for files that match'
complete -c pfh -n "__fish_pfh_using_subcommand verify" -l status -d 'With --compat gnu: print nothing for files; the exit status tells'
complete -c pfh -n "__fish_pfh_using_subcommand verify" -l strict -d 'With --compat gnu: also exit with 1 if lines of the list are improperly formatted'
complete -c pfh -n "__fish_pfh_using_subcommand verify" -s w -l warn -d 'With --compat gnu: warn about each line that is improperly formatted'
complete -c pfh -n "__fish_pfh_using_subcommand verify" -s v -l verbose -d 'With --compat hashdeep: print the counts; twice: also each file that does not match; three times: also those that do'
complete -c pfh -n "__fish_pfh_using_subcommand verify" -s x -l one-file-system -d 'Stay on the filesystem of ROOT'
complete -c pfh -n "__fish_pfh_using_subcommand verify" -l follow-files -d 'Read files that symbolic links point to'
complete -c pfh -n "__fish_pfh_using_subcommand verify" -l follow-directories -d 'Walk directories that symbolic links point to; loops are detected'
complete -c pfh -n "__fish_pfh_using_subcommand verify" -l preserve-access-time -d 'Preserve access times where the system permits it'
complete -c pfh -n "__fish_pfh_using_subcommand verify" -l balance -d 'With --mode mtp: prefer files that fit the free part of the memory table'
complete -c pfh -n "__fish_pfh_using_subcommand verify" -l key-hex -d 'The key file holds hexadecimal digits; white space between them is ignored'
complete -c pfh -n "__fish_pfh_using_subcommand verify" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c pfh -n "__fish_pfh_using_subcommand verify" -s V -l version -d 'Print version'
complete -c pfh -n "__fish_pfh_using_subcommand convert" -s f -l format -d 'Format of the new list: one of `pfh hash`' -r
complete -c pfh -n "__fish_pfh_using_subcommand convert" -s o -l output -d 'Write to FILE, which appears whole or not at all [default: standard output]' -r -F
complete -c pfh -n "__fish_pfh_using_subcommand convert" -s a -l algorithm -d 'Only these digests, in this order [default: all that the format has a place for]' -r
complete -c pfh -n "__fish_pfh_using_subcommand convert" -l as -d 'Read the lists as this format, instead of recognising it: a format of `pfh hash`, or nsrl, hashkeeper, ilook, encase, sleuthkit, vics, icse, hashdb, bagit, ocfl, avp, avp-report or imager' -r
complete -c pfh -n "__fish_pfh_using_subcommand convert" -l allow-empty -d 'Replace an existing FILE of -o even if the lists have not a single entry'
complete -c pfh -n "__fish_pfh_using_subcommand convert" -l join -d 'Make one entry of all that the lists state of a file: digests by several algorithms, its size and time'
complete -c pfh -n "__fish_pfh_using_subcommand convert" -l piecewise -d 'Names in the lists that end with ` offset START-END` are of pieces (gnu, bsd, hashdeep, md5deep)'
complete -c pfh -n "__fish_pfh_using_subcommand convert" -l read-null -d 'Records of the lists end with NUL, and nothing is escaped (with --as gnu, bsd or md5deep)'
complete -c pfh -n "__fish_pfh_using_subcommand convert" -s 0 -l null -l zero -d 'End records with NUL instead of a line feed, and escape nothing (formats gnu, bsd, md5deep)'
complete -c pfh -n "__fish_pfh_using_subcommand convert" -l uppercase -d 'Write digests in upper-case hexadecimal (formats gnu, bsd, sfv)'
complete -c pfh -n "__fish_pfh_using_subcommand convert" -l base64 -d 'Write digests in base64 (formats gnu, bsd), as `cksum --base64` does'
complete -c pfh -n "__fish_pfh_using_subcommand convert" -s q -l quiet -d 'Do not print what the list lacks'
complete -c pfh -n "__fish_pfh_using_subcommand convert" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c pfh -n "__fish_pfh_using_subcommand convert" -s V -l version -d 'Print version'
complete -c pfh -n "__fish_pfh_using_subcommand certify" -l by -d 'Who makes the report. Nobody is assumed: an account is not a person' -r
complete -c pfh -n "__fish_pfh_using_subcommand certify" -l role -d 'The role of this person: forensic examiner, archivist, owner of the device' -r
complete -c pfh -n "__fish_pfh_using_subcommand certify" -l case -d 'The case that the report belongs to' -r
complete -c pfh -n "__fish_pfh_using_subcommand certify" -l evidence -d 'The evidence or the item that was hashed' -r
complete -c pfh -n "__fish_pfh_using_subcommand certify" -l device -d 'A device that was hashed or used: make, model, serial number. May be repeated' -r
complete -c pfh -n "__fish_pfh_using_subcommand certify" -l as -d 'Read the list as this format, instead of recognising it: a format of `pfh hash`, or one that is only read' -r
complete -c pfh -n "__fish_pfh_using_subcommand certify" -s o -l output -d 'Write to FILE, which appears whole or not at all [default: standard output]' -r -F
complete -c pfh -n "__fish_pfh_using_subcommand certify" -l host -d 'Also name the machine and the user: those of this report, and those that the list states'
complete -c pfh -n "__fish_pfh_using_subcommand certify" -l json -d 'Write a JSON object instead of a page'
complete -c pfh -n "__fish_pfh_using_subcommand certify" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c pfh -n "__fish_pfh_using_subcommand certify" -s V -l version -d 'Print version'
complete -c pfh -n "__fish_pfh_using_subcommand dupes" -l digests -d 'Also look through the files in LIST (repeatable), which `pfh hash` or another program wrote; `-` is standard input' -r -F
complete -c pfh -n "__fish_pfh_using_subcommand dupes" -s f -l format -d 'Format of the groups' -r -f -a "text\t'For people'
jsonl\t'JSON Lines: a header, groups, each followed by its members, a summary'
csv\t'Comma-separated values with a header: a line for each member'
fclones\t'As `fclones group`: groups of files, for `fclones link`, `dedupe`, `move` and `remove`; not with --digests'"
complete -c pfh -n "__fish_pfh_using_subcommand dupes" -s a -l algorithm -d 'Algorithm whose digests are compared [default: the first of the lists, or blake3]' -r -f -a "(__fish_complete_list , 'string split \' \' \'md4 md5 sha1 sha1dc sha224 sha256 sha384 sha512 sha512-224 sha512-256 sha3-224 sha3-256 sha3-384 sha3-512 shake128 shake256 keccak256 blake2b blake2s blake3 ripemd128 ripemd160 ripemd256 ripemd320 whirlpool tiger sm3 streebog256 streebog512 crc32 crc32c crc64nvme adler32 xxh32 xxh64 xxh3-64 xxh3-128 fnv1-32 fnv1-64 fnv1a-32 fnv1a-64 ssdeep sdhash mrsh-v2 tlsh none\'')"
complete -c pfh -n "__fish_pfh_using_subcommand dupes" -l as -d 'Read the lists as this format, instead of recognising it: a format of `pfh hash`, or one that is only read' -r
complete -c pfh -n "__fish_pfh_using_subcommand dupes" -s o -l output -d 'Write to FILE, which appears whole or not at all; `-` is standard output [default: -]' -r -F
complete -c pfh -n "__fish_pfh_using_subcommand dupes" -s t -s j -l threads -d 'Number of threads [default: one per core]' -r
complete -c pfh -n "__fish_pfh_using_subcommand dupes" -s m -l memory -d 'Memory limit for reading and sorting (K, M, G: powers of 1024)' -r
complete -c pfh -n "__fish_pfh_using_subcommand dupes" -l progress -d 'Show progress on standard error' -r -f -a "auto\t'When standard error is a terminal'
always\t'Also elsewhere, in the form of `log`'
log\t'One line per minute with the time, and one at the end, as suits log files'
never\t''"
complete -c pfh -n "__fish_pfh_using_subcommand dupes" -l files-from -d 'Also read paths from FILE, one per line; `-` is standard input' -r -F
complete -c pfh -n "__fish_pfh_using_subcommand dupes" -l files-from0 -d 'Also read paths from FILE, each terminated by NUL (as `find -print0` writes them); `-` is standard input' -r -F
complete -c pfh -n "__fish_pfh_using_subcommand dupes" -l include -d 'Read only files that match GLOB (repeatable: any one suffices). Quote it for the shell' -r
complete -c pfh -n "__fish_pfh_using_subcommand dupes" -l exclude -d 'Exclude files and directories that match GLOB (repeatable). `GLOB/` excludes directories only' -r
complete -c pfh -n "__fish_pfh_using_subcommand dupes" -l min-size -d 'Exclude files smaller than SIZE' -r
complete -c pfh -n "__fish_pfh_using_subcommand dupes" -l max-size -d 'Exclude files larger than SIZE' -r
complete -c pfh -n "__fish_pfh_using_subcommand dupes" -l max-depth -d 'Descend at most N levels below the given paths; 1 means only the files directly in a directory' -r
complete -c pfh -n "__fish_pfh_using_subcommand dupes" -l no-directories -d 'Compare files only'
complete -c pfh -n "__fish_pfh_using_subcommand dupes" -l all -d 'Also print what lies in directories that are printed themselves'
complete -c pfh -n "__fish_pfh_using_subcommand dupes" -l empty -d 'Also print files without contents, which are all the same'
complete -c pfh -n "__fish_pfh_using_subcommand dupes" -l allow-empty -d 'Replace an existing FILE of -o even if not a single file was found; with `pfh covers`, no file to be covered counts as covered'
complete -c pfh -n "__fish_pfh_using_subcommand dupes" -s q -l quiet -d 'Do not print warnings about single files and lines (the totals at the end and the exit status still count them)'
complete -c pfh -n "__fish_pfh_using_subcommand dupes" -l verbose -d 'Print every warning, rather than the first ten of each kind in each directory'
complete -c pfh -n "__fish_pfh_using_subcommand dupes" -s r -l recursive -d 'Accepted for compatibility: directories are always walked'
complete -c pfh -n "__fish_pfh_using_subcommand dupes" -s x -l one-file-system -d 'Stay on the filesystem of each given path'
complete -c pfh -n "__fish_pfh_using_subcommand dupes" -l follow-files -d 'Read files that symbolic links point to. (Links among the given paths are always followed.)'
complete -c pfh -n "__fish_pfh_using_subcommand dupes" -l follow-directories -d 'Walk directories that symbolic links point to; loops are detected'
complete -c pfh -n "__fish_pfh_using_subcommand dupes" -l preserve-access-time -d 'Preserve access times where the system permits it'
complete -c pfh -n "__fish_pfh_using_subcommand dupes" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c pfh -n "__fish_pfh_using_subcommand dupes" -s V -l version -d 'Print version'
complete -c pfh -n "__fish_pfh_using_subcommand covers" -l digests -d 'Also find the files in LIST elsewhere (repeatable); `-` is standard input' -r -F
complete -c pfh -n "__fish_pfh_using_subcommand covers" -l by -d 'Look for them below PATH (repeatable). Files that are among those to be found do not count' -r -F
complete -c pfh -n "__fish_pfh_using_subcommand covers" -l by-digests -d 'Look for them in LIST (repeatable)' -r -F
complete -c pfh -n "__fish_pfh_using_subcommand covers" -s f -l format -d 'Format of the files without a copy' -r -f -a "text\t'A path on each line'
jsonl\t'JSON Lines: a header, files, a summary'
csv\t'Comma-separated values with a header'
null\t'Paths, each terminated by NUL, as `xargs -0` reads them'"
complete -c pfh -n "__fish_pfh_using_subcommand covers" -s a -l algorithm -d 'Algorithm whose digests are compared [default: the first of the lists, or blake3]' -r -f -a "(__fish_complete_list , 'string split \' \' \'md4 md5 sha1 sha1dc sha224 sha256 sha384 sha512 sha512-224 sha512-256 sha3-224 sha3-256 sha3-384 sha3-512 shake128 shake256 keccak256 blake2b blake2s blake3 ripemd128 ripemd160 ripemd256 ripemd320 whirlpool tiger sm3 streebog256 streebog512 crc32 crc32c crc64nvme adler32 xxh32 xxh64 xxh3-64 xxh3-128 fnv1-32 fnv1-64 fnv1a-32 fnv1a-64 ssdeep sdhash mrsh-v2 tlsh none\'')"
complete -c pfh -n "__fish_pfh_using_subcommand covers" -l as -d 'Read the lists as this format, instead of recognising it: a format of `pfh hash`, or one that is only read' -r
complete -c pfh -n "__fish_pfh_using_subcommand covers" -s o -l output -d 'Write to FILE, which appears whole or not at all; `-` is standard output [default: -]' -r -F
complete -c pfh -n "__fish_pfh_using_subcommand covers" -s t -s j -l threads -d 'Number of threads [default: one per core]' -r
complete -c pfh -n "__fish_pfh_using_subcommand covers" -s m -l memory -d 'Memory limit for reading and sorting (K, M, G: powers of 1024)' -r
complete -c pfh -n "__fish_pfh_using_subcommand covers" -l progress -d 'Show progress on standard error' -r -f -a "auto\t'When standard error is a terminal'
always\t'Also elsewhere, in the form of `log`'
log\t'One line per minute with the time, and one at the end, as suits log files'
never\t''"
complete -c pfh -n "__fish_pfh_using_subcommand covers" -l files-from -d 'Also read paths from FILE, one per line; `-` is standard input' -r -F
complete -c pfh -n "__fish_pfh_using_subcommand covers" -l files-from0 -d 'Also read paths from FILE, each terminated by NUL (as `find -print0` writes them); `-` is standard input' -r -F
complete -c pfh -n "__fish_pfh_using_subcommand covers" -l include -d 'Read only files that match GLOB (repeatable: any one suffices). Quote it for the shell' -r
complete -c pfh -n "__fish_pfh_using_subcommand covers" -l exclude -d 'Exclude files and directories that match GLOB (repeatable). `GLOB/` excludes directories only' -r
complete -c pfh -n "__fish_pfh_using_subcommand covers" -l min-size -d 'Exclude files smaller than SIZE' -r
complete -c pfh -n "__fish_pfh_using_subcommand covers" -l max-size -d 'Exclude files larger than SIZE' -r
complete -c pfh -n "__fish_pfh_using_subcommand covers" -l max-depth -d 'Descend at most N levels below the given paths; 1 means only the files directly in a directory' -r
complete -c pfh -n "__fish_pfh_using_subcommand covers" -l allow-empty -d 'Replace an existing FILE of -o even if not a single file was found; with `pfh covers`, no file to be covered counts as covered'
complete -c pfh -n "__fish_pfh_using_subcommand covers" -s q -l quiet -d 'Do not print warnings about single files and lines (the totals at the end and the exit status still count them)'
complete -c pfh -n "__fish_pfh_using_subcommand covers" -l verbose -d 'Print every warning, rather than the first ten of each kind in each directory'
complete -c pfh -n "__fish_pfh_using_subcommand covers" -s r -l recursive -d 'Accepted for compatibility: directories are always walked'
complete -c pfh -n "__fish_pfh_using_subcommand covers" -s x -l one-file-system -d 'Stay on the filesystem of each given path'
complete -c pfh -n "__fish_pfh_using_subcommand covers" -l follow-files -d 'Read files that symbolic links point to. (Links among the given paths are always followed.)'
complete -c pfh -n "__fish_pfh_using_subcommand covers" -l follow-directories -d 'Walk directories that symbolic links point to; loops are detected'
complete -c pfh -n "__fish_pfh_using_subcommand covers" -l preserve-access-time -d 'Preserve access times where the system permits it'
complete -c pfh -n "__fish_pfh_using_subcommand covers" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c pfh -n "__fish_pfh_using_subcommand covers" -s V -l version -d 'Print version'
complete -c pfh -n "__fish_pfh_using_subcommand audit; and not __fish_seen_subcommand_from init run status history report export accept forget relocate migrate head verify-ledger help" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c pfh -n "__fish_pfh_using_subcommand audit; and not __fish_seen_subcommand_from init run status history report export accept forget relocate migrate head verify-ledger help" -s V -l version -d 'Print version'
complete -c pfh -n "__fish_pfh_using_subcommand audit; and not __fish_seen_subcommand_from init run status history report export accept forget relocate migrate head verify-ledger help" -f -a "init" -d 'Make a ledger, and read all files for the first time'
complete -c pfh -n "__fish_pfh_using_subcommand audit; and not __fish_seen_subcommand_from init run status history report export accept forget relocate migrate head verify-ledger help" -f -a "run" -d 'Compare the collection with the ledger'
complete -c pfh -n "__fish_pfh_using_subcommand audit; and not __fish_seen_subcommand_from init run status history report export accept forget relocate migrate head verify-ledger help" -f -a "status" -d 'Show how the collection stands'
complete -c pfh -n "__fish_pfh_using_subcommand audit; and not __fish_seen_subcommand_from init run status history report export accept forget relocate migrate head verify-ledger help" -f -a "history" -d 'Show all that was found of a file'
complete -c pfh -n "__fish_pfh_using_subcommand audit; and not __fish_seen_subcommand_from init run status history report export accept forget relocate migrate head verify-ledger help" -f -a "report" -d 'Write the report of a run'
complete -c pfh -n "__fish_pfh_using_subcommand audit; and not __fish_seen_subcommand_from init run status history report export accept forget relocate migrate head verify-ledger help" -f -a "export" -d 'Write a list of the expected files with the digests that the ledger expects, without reading them'
complete -c pfh -n "__fish_pfh_using_subcommand audit; and not __fish_seen_subcommand_from init run status history report export accept forget relocate migrate head verify-ledger help" -f -a "accept" -d 'Accept open findings: what was seen is expected from now on'
complete -c pfh -n "__fish_pfh_using_subcommand audit; and not __fish_seen_subcommand_from init run status history report export accept forget relocate migrate head verify-ledger help" -f -a "forget" -d 'Expect a file, or all files below a directory, no longer'
complete -c pfh -n "__fish_pfh_using_subcommand audit; and not __fish_seen_subcommand_from init run status history report export accept forget relocate migrate head verify-ledger help" -f -a "relocate" -d 'Record that the collection, or a part of it, is at another path now'
complete -c pfh -n "__fish_pfh_using_subcommand audit; and not __fish_seen_subcommand_from init run status history report export accept forget relocate migrate head verify-ledger help" -f -a "migrate" -d 'Change the algorithm: verify by the old digests and compute new ones in the same reading'
complete -c pfh -n "__fish_pfh_using_subcommand audit; and not __fish_seen_subcommand_from init run status history report export accept forget relocate migrate head verify-ledger help" -f -a "head" -d 'Print the end of the chain of events, to be kept elsewhere'
complete -c pfh -n "__fish_pfh_using_subcommand audit; and not __fish_seen_subcommand_from init run status history report export accept forget relocate migrate head verify-ledger help" -f -a "verify-ledger" -d 'Check that no event was changed or lost, and that the tables follow from the events'
complete -c pfh -n "__fish_pfh_using_subcommand audit; and not __fish_seen_subcommand_from init run status history report export accept forget relocate migrate head verify-ledger help" -f -a "help" -d 'Print this message or the help of the given subcommand(s)'
complete -c pfh -n "__fish_pfh_using_subcommand audit; and __fish_seen_subcommand_from init" -s a -l algorithm -d 'Algorithms, separated by commas [default: sha256]' -r
complete -c pfh -n "__fish_pfh_using_subcommand audit; and __fish_seen_subcommand_from init" -l include -d 'Keep only files that match GLOB (repeatable), as for `pfh hash`' -r
complete -c pfh -n "__fish_pfh_using_subcommand audit; and __fish_seen_subcommand_from init" -l exclude -d 'Leave out files and directories that match GLOB (repeatable). `GLOB/` leaves out directories only' -r
complete -c pfh -n "__fish_pfh_using_subcommand audit; and __fish_seen_subcommand_from init" -l min-size -d 'Leave out files smaller than SIZE' -r
complete -c pfh -n "__fish_pfh_using_subcommand audit; and __fish_seen_subcommand_from init" -l max-size -d 'Leave out files larger than SIZE' -r
complete -c pfh -n "__fish_pfh_using_subcommand audit; and __fish_seen_subcommand_from init" -l io -d 'How reading uses the page cache. With `direct`, the medium is read and not the cache' -r -f -a "buffered\t'Through the page cache'
drop\t'Through it, but cached pages are dropped before and after reading'
direct\t'Around it (O_DIRECT); like `drop` where the filesystem refuses, which --stats counts'"
complete -c pfh -n "__fish_pfh_using_subcommand audit; and __fish_seen_subcommand_from init" -l rate -d 'Read at most SIZE bytes a second on average, waiting between files' -r
complete -c pfh -n "__fish_pfh_using_subcommand audit; and __fish_seen_subcommand_from init" -s t -s j -l threads -d 'Number of threads [default: one per core]' -r
complete -c pfh -n "__fish_pfh_using_subcommand audit; and __fish_seen_subcommand_from init" -s m -l memory -d 'Memory limit for reading and sorting (K, M, G: powers of 1024)' -r
complete -c pfh -n "__fish_pfh_using_subcommand audit; and __fish_seen_subcommand_from init" -s f -l format -d 'Format of the report on standard output or in FILE of -o' -r -f -a "text\t'For people: the findings and the totals'
jsonl\t'Every event of the run as JSON Lines'
csv\t'Every event of the run as CSV, with expected and found digests'
premis\t'Every event of the run as PREMIS 3'
prometheus\t'Metrics for the textfile collector of Prometheus'
html\t'A page for people that needs nothing else'"
complete -c pfh -n "__fish_pfh_using_subcommand audit; and __fish_seen_subcommand_from init" -s o -l output -d 'Write the report to FILE, which appears whole or not at all; `-` is standard output [default: -]' -r -F
complete -c pfh -n "__fish_pfh_using_subcommand audit; and __fish_seen_subcommand_from init" -l progress -d 'Show progress on standard error' -r -f -a "auto\t'When standard error is a terminal'
always\t'Also elsewhere, in the form of `log`'
log\t'One line per minute with the time, and one at the end, as suits log files'
never\t''"
complete -c pfh -n "__fish_pfh_using_subcommand audit; and __fish_seen_subcommand_from init" -s x -l one-file-system -d 'Stay on the filesystem of each path'
complete -c pfh -n "__fish_pfh_using_subcommand audit; and __fish_seen_subcommand_from init" -l follow-files -d 'Keep files that symbolic links point to; otherwise links are left out'
complete -c pfh -n "__fish_pfh_using_subcommand audit; and __fish_seen_subcommand_from init" -l follow-directories -d 'Walk directories that symbolic links point to'
complete -c pfh -n "__fish_pfh_using_subcommand audit; and __fish_seen_subcommand_from init" -l idle -d 'Let everything else on this machine go first: the lowest priority for the processor, and the idle class for disks (by `ionice`)'
complete -c pfh -n "__fish_pfh_using_subcommand audit; and __fish_seen_subcommand_from init" -l wait -d 'Wait until another run on the ledger has ended, instead of refusing to run'
complete -c pfh -n "__fish_pfh_using_subcommand audit; and __fish_seen_subcommand_from init" -s q -l quiet -d 'Do not print warnings about single files and lines (the totals at the end and the exit status still count them)'
complete -c pfh -n "__fish_pfh_using_subcommand audit; and __fish_seen_subcommand_from init" -l verbose -d 'Print every warning, rather than the first ten of each kind in each directory'
complete -c pfh -n "__fish_pfh_using_subcommand audit; and __fish_seen_subcommand_from init" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c pfh -n "__fish_pfh_using_subcommand audit; and __fish_seen_subcommand_from init" -s V -l version -d 'Print version'
complete -c pfh -n "__fish_pfh_using_subcommand audit; and __fish_seen_subcommand_from run" -l share -d 'Of the unchanged files read only this share of all bytes, such as 1/30 (implies --rolling)' -r
complete -c pfh -n "__fish_pfh_using_subcommand audit; and __fish_seen_subcommand_from run" -l interval -d 'Of the unchanged files read those that were not read for this time, such as 90d (implies --rolling)' -r
complete -c pfh -n "__fish_pfh_using_subcommand audit; and __fish_seen_subcommand_from run" -l for -d 'Begin no more files after this time, such as 2h or 90m. Files that are left come first in the next run' -r
complete -c pfh -n "__fish_pfh_using_subcommand audit; and __fish_seen_subcommand_from run" -l bytes -d 'Begin no more files after this number of bytes' -r
complete -c pfh -n "__fish_pfh_using_subcommand audit; and __fish_seen_subcommand_from run" -l io -d 'How reading uses the page cache. With `direct`, the medium is read and not the cache' -r -f -a "buffered\t'Through the page cache'
drop\t'Through it, but cached pages are dropped before and after reading'
direct\t'Around it (O_DIRECT); like `drop` where the filesystem refuses, which --stats counts'"
complete -c pfh -n "__fish_pfh_using_subcommand audit; and __fish_seen_subcommand_from run" -l rate -d 'Read at most SIZE bytes a second on average, waiting between files' -r
complete -c pfh -n "__fish_pfh_using_subcommand audit; and __fish_seen_subcommand_from run" -s t -s j -l threads -d 'Number of threads [default: one per core]' -r
complete -c pfh -n "__fish_pfh_using_subcommand audit; and __fish_seen_subcommand_from run" -s m -l memory -d 'Memory limit for reading and sorting (K, M, G: powers of 1024)' -r
complete -c pfh -n "__fish_pfh_using_subcommand audit; and __fish_seen_subcommand_from run" -s f -l format -d 'Format of the report on standard output or in FILE of -o' -r -f -a "text\t'For people: the findings and the totals'
jsonl\t'Every event of the run as JSON Lines'
csv\t'Every event of the run as CSV, with expected and found digests'
premis\t'Every event of the run as PREMIS 3'
prometheus\t'Metrics for the textfile collector of Prometheus'
html\t'A page for people that needs nothing else'"
complete -c pfh -n "__fish_pfh_using_subcommand audit; and __fish_seen_subcommand_from run" -s o -l output -d 'Write the report to FILE, which appears whole or not at all; `-` is standard output [default: -]' -r -F
complete -c pfh -n "__fish_pfh_using_subcommand audit; and __fish_seen_subcommand_from run" -l progress -d 'Show progress on standard error' -r -f -a "auto\t'When standard error is a terminal'
always\t'Also elsewhere, in the form of `log`'
log\t'One line per minute with the time, and one at the end, as suits log files'
never\t''"
complete -c pfh -n "__fish_pfh_using_subcommand audit; and __fish_seen_subcommand_from run" -l full -d 'Read every file, also those whose size, times and inode did not change'
complete -c pfh -n "__fish_pfh_using_subcommand audit; and __fish_seen_subcommand_from run" -l rolling -d 'Also read unchanged files, those first that were verified longest ago, as far as the limits allow'
complete -c pfh -n "__fish_pfh_using_subcommand audit; and __fish_seen_subcommand_from run" -l allow-empty -d 'Run even if a directory of the collection is empty: otherwise it is taken for one where nothing is mounted'
complete -c pfh -n "__fish_pfh_using_subcommand audit; and __fish_seen_subcommand_from run" -l idle -d 'Let everything else on this machine go first: the lowest priority for the processor, and the idle class for disks (by `ionice`)'
complete -c pfh -n "__fish_pfh_using_subcommand audit; and __fish_seen_subcommand_from run" -l wait -d 'Wait until another run on the ledger has ended, instead of refusing to run'
complete -c pfh -n "__fish_pfh_using_subcommand audit; and __fish_seen_subcommand_from run" -s q -l quiet -d 'Do not print warnings about single files and lines (the totals at the end and the exit status still count them)'
complete -c pfh -n "__fish_pfh_using_subcommand audit; and __fish_seen_subcommand_from run" -l verbose -d 'Print every warning, rather than the first ten of each kind in each directory'
complete -c pfh -n "__fish_pfh_using_subcommand audit; and __fish_seen_subcommand_from run" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c pfh -n "__fish_pfh_using_subcommand audit; and __fish_seen_subcommand_from run" -s V -l version -d 'Print version'
complete -c pfh -n "__fish_pfh_using_subcommand audit; and __fish_seen_subcommand_from status" -l interval -d 'Count files that were not read for this time, such as 90d [default: the interval of the policy]' -r
complete -c pfh -n "__fish_pfh_using_subcommand audit; and __fish_seen_subcommand_from status" -l json -d 'Print one JSON object'
complete -c pfh -n "__fish_pfh_using_subcommand audit; and __fish_seen_subcommand_from status" -s h -l help -d 'Print help'
complete -c pfh -n "__fish_pfh_using_subcommand audit; and __fish_seen_subcommand_from status" -s V -l version -d 'Print version'
complete -c pfh -n "__fish_pfh_using_subcommand audit; and __fish_seen_subcommand_from history" -l json -d 'Print JSON Lines'
complete -c pfh -n "__fish_pfh_using_subcommand audit; and __fish_seen_subcommand_from history" -s h -l help -d 'Print help'
complete -c pfh -n "__fish_pfh_using_subcommand audit; and __fish_seen_subcommand_from history" -s V -l version -d 'Print version'
complete -c pfh -n "__fish_pfh_using_subcommand audit; and __fish_seen_subcommand_from report" -l run -d 'The number of the run [default: the last one that ended]' -r
complete -c pfh -n "__fish_pfh_using_subcommand audit; and __fish_seen_subcommand_from report" -s f -l format -d 'Format of the report' -r -f -a "text\t'For people: the findings and the totals'
jsonl\t'Every event of the run as JSON Lines'
csv\t'Every event of the run as CSV, with expected and found digests'
premis\t'Every event of the run as PREMIS 3'
prometheus\t'Metrics for the textfile collector of Prometheus'
html\t'A page for people that needs nothing else'"
complete -c pfh -n "__fish_pfh_using_subcommand audit; and __fish_seen_subcommand_from report" -s o -l output -d 'Write to FILE, which appears whole or not at all; `-` is standard output [default: -]' -r -F
complete -c pfh -n "__fish_pfh_using_subcommand audit; and __fish_seen_subcommand_from report" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c pfh -n "__fish_pfh_using_subcommand audit; and __fish_seen_subcommand_from report" -s V -l version -d 'Print version'
complete -c pfh -n "__fish_pfh_using_subcommand audit; and __fish_seen_subcommand_from export" -s f -l format -d 'Format of the list: one of `pfh hash` [default: gnu for one algorithm, bsd for several]' -r
complete -c pfh -n "__fish_pfh_using_subcommand audit; and __fish_seen_subcommand_from export" -s a -l algorithm -d 'Only these digests, in this order [default: all of the ledger\'s algorithms that the format has a place for]' -r
complete -c pfh -n "__fish_pfh_using_subcommand audit; and __fish_seen_subcommand_from export" -s o -l output -d 'Write to FILE, which appears whole or not at all; `-` is standard output [default: -]' -r -F
complete -c pfh -n "__fish_pfh_using_subcommand audit; and __fish_seen_subcommand_from export" -l allow-empty -d 'Replace an existing FILE of -o even if no file is expected'
complete -c pfh -n "__fish_pfh_using_subcommand audit; and __fish_seen_subcommand_from export" -s q -l quiet -d 'Do not print what the list lacks'
complete -c pfh -n "__fish_pfh_using_subcommand audit; and __fish_seen_subcommand_from export" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c pfh -n "__fish_pfh_using_subcommand audit; and __fish_seen_subcommand_from export" -s V -l version -d 'Print version'
complete -c pfh -n "__fish_pfh_using_subcommand audit; and __fish_seen_subcommand_from accept" -l why -d 'The reason, which the ledger keeps' -r
complete -c pfh -n "__fish_pfh_using_subcommand audit; and __fish_seen_subcommand_from accept" -l by -d 'Who decides, which the ledger keeps [default: the user]' -r
complete -c pfh -n "__fish_pfh_using_subcommand audit; and __fish_seen_subcommand_from accept" -l wait -d 'Wait until another run on the ledger has ended, instead of refusing'
complete -c pfh -n "__fish_pfh_using_subcommand audit; and __fish_seen_subcommand_from accept" -s h -l help -d 'Print help'
complete -c pfh -n "__fish_pfh_using_subcommand audit; and __fish_seen_subcommand_from accept" -s V -l version -d 'Print version'
complete -c pfh -n "__fish_pfh_using_subcommand audit; and __fish_seen_subcommand_from forget" -l why -d 'The reason, which the ledger keeps' -r
complete -c pfh -n "__fish_pfh_using_subcommand audit; and __fish_seen_subcommand_from forget" -l by -d 'Who decides, which the ledger keeps [default: the user]' -r
complete -c pfh -n "__fish_pfh_using_subcommand audit; and __fish_seen_subcommand_from forget" -l wait -d 'Wait until another run on the ledger has ended, instead of refusing'
complete -c pfh -n "__fish_pfh_using_subcommand audit; and __fish_seen_subcommand_from forget" -s h -l help -d 'Print help'
complete -c pfh -n "__fish_pfh_using_subcommand audit; and __fish_seen_subcommand_from forget" -s V -l version -d 'Print version'
complete -c pfh -n "__fish_pfh_using_subcommand audit; and __fish_seen_subcommand_from relocate" -l why -d 'The reason, which the ledger keeps' -r
complete -c pfh -n "__fish_pfh_using_subcommand audit; and __fish_seen_subcommand_from relocate" -l by -d 'Who says so, which the ledger keeps [default: the user]' -r
complete -c pfh -n "__fish_pfh_using_subcommand audit; and __fish_seen_subcommand_from relocate" -l allow-empty -d 'Go on even if none of the expected files is at the new path'
complete -c pfh -n "__fish_pfh_using_subcommand audit; and __fish_seen_subcommand_from relocate" -l wait -d 'Wait until another run on the ledger has ended, instead of refusing'
complete -c pfh -n "__fish_pfh_using_subcommand audit; and __fish_seen_subcommand_from relocate" -s h -l help -d 'Print help'
complete -c pfh -n "__fish_pfh_using_subcommand audit; and __fish_seen_subcommand_from relocate" -s V -l version -d 'Print version'
complete -c pfh -n "__fish_pfh_using_subcommand audit; and __fish_seen_subcommand_from migrate" -l to -d 'The new algorithm' -r
complete -c pfh -n "__fish_pfh_using_subcommand audit; and __fish_seen_subcommand_from migrate" -l for -d 'Begin no more files after this time, such as 2h; the next migration goes on' -r
complete -c pfh -n "__fish_pfh_using_subcommand audit; and __fish_seen_subcommand_from migrate" -l io -d 'How reading uses the page cache. With `direct`, the medium is read and not the cache' -r -f -a "buffered\t'Through the page cache'
drop\t'Through it, but cached pages are dropped before and after reading'
direct\t'Around it (O_DIRECT); like `drop` where the filesystem refuses, which --stats counts'"
complete -c pfh -n "__fish_pfh_using_subcommand audit; and __fish_seen_subcommand_from migrate" -l rate -d 'Read at most SIZE bytes a second on average, waiting between files' -r
complete -c pfh -n "__fish_pfh_using_subcommand audit; and __fish_seen_subcommand_from migrate" -s t -s j -l threads -d 'Number of threads [default: one per core]' -r
complete -c pfh -n "__fish_pfh_using_subcommand audit; and __fish_seen_subcommand_from migrate" -s m -l memory -d 'Memory limit for reading and sorting (K, M, G: powers of 1024)' -r
complete -c pfh -n "__fish_pfh_using_subcommand audit; and __fish_seen_subcommand_from migrate" -s f -l format -d 'Format of the report on standard output or in FILE of -o' -r -f -a "text\t'For people: the findings and the totals'
jsonl\t'Every event of the run as JSON Lines'
csv\t'Every event of the run as CSV, with expected and found digests'
premis\t'Every event of the run as PREMIS 3'
prometheus\t'Metrics for the textfile collector of Prometheus'
html\t'A page for people that needs nothing else'"
complete -c pfh -n "__fish_pfh_using_subcommand audit; and __fish_seen_subcommand_from migrate" -s o -l output -d 'Write the report to FILE, which appears whole or not at all; `-` is standard output [default: -]' -r -F
complete -c pfh -n "__fish_pfh_using_subcommand audit; and __fish_seen_subcommand_from migrate" -l progress -d 'Show progress on standard error' -r -f -a "auto\t'When standard error is a terminal'
always\t'Also elsewhere, in the form of `log`'
log\t'One line per minute with the time, and one at the end, as suits log files'
never\t''"
complete -c pfh -n "__fish_pfh_using_subcommand audit; and __fish_seen_subcommand_from migrate" -l allow-empty -d 'Run even if a directory of the collection is empty'
complete -c pfh -n "__fish_pfh_using_subcommand audit; and __fish_seen_subcommand_from migrate" -l idle -d 'Let everything else on this machine go first: the lowest priority for the processor, and the idle class for disks (by `ionice`)'
complete -c pfh -n "__fish_pfh_using_subcommand audit; and __fish_seen_subcommand_from migrate" -l wait -d 'Wait until another run on the ledger has ended, instead of refusing to run'
complete -c pfh -n "__fish_pfh_using_subcommand audit; and __fish_seen_subcommand_from migrate" -s q -l quiet -d 'Do not print warnings about single files and lines (the totals at the end and the exit status still count them)'
complete -c pfh -n "__fish_pfh_using_subcommand audit; and __fish_seen_subcommand_from migrate" -l verbose -d 'Print every warning, rather than the first ten of each kind in each directory'
complete -c pfh -n "__fish_pfh_using_subcommand audit; and __fish_seen_subcommand_from migrate" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c pfh -n "__fish_pfh_using_subcommand audit; and __fish_seen_subcommand_from migrate" -s V -l version -d 'Print version'
complete -c pfh -n "__fish_pfh_using_subcommand audit; and __fish_seen_subcommand_from head" -s o -l output -d 'Write to FILE, which appears whole or not at all; `-` is standard output [default: -]' -r -F
complete -c pfh -n "__fish_pfh_using_subcommand audit; and __fish_seen_subcommand_from head" -l sign -d 'Sign the file of -o with this SSH key, by `ssh-keygen -Y sign -n pfh-ledger`: the signature is in FILE.sig' -r -F
complete -c pfh -n "__fish_pfh_using_subcommand audit; and __fish_seen_subcommand_from head" -l timestamp-request -d 'Also write a request for a time stamp of the file of -o (RFC 3161), to be sent to an authority' -r -F
complete -c pfh -n "__fish_pfh_using_subcommand audit; and __fish_seen_subcommand_from head" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c pfh -n "__fish_pfh_using_subcommand audit; and __fish_seen_subcommand_from head" -s V -l version -d 'Print version'
complete -c pfh -n "__fish_pfh_using_subcommand audit; and __fish_seen_subcommand_from verify-ledger" -l head -d 'Also check that the ledger still has the end of the chain in FILE, which `pfh audit head` wrote' -r -F
complete -c pfh -n "__fish_pfh_using_subcommand audit; and __fish_seen_subcommand_from verify-ledger" -l timestamp -d 'Also check that ANSWER is a time stamp of the file of --head (RFC 3161): that it was granted, and is of this file' -r -F
complete -c pfh -n "__fish_pfh_using_subcommand audit; and __fish_seen_subcommand_from verify-ledger" -l timestamp-request -d 'Also check that the time stamp answers this request' -r -F
complete -c pfh -n "__fish_pfh_using_subcommand audit; and __fish_seen_subcommand_from verify-ledger" -l timestamp-ca -d 'Check the signature of the time stamp with the certificates in FILE (PEM)' -r -F
complete -c pfh -n "__fish_pfh_using_subcommand audit; and __fish_seen_subcommand_from verify-ledger" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c pfh -n "__fish_pfh_using_subcommand audit; and __fish_seen_subcommand_from verify-ledger" -s V -l version -d 'Print version'
complete -c pfh -n "__fish_pfh_using_subcommand audit; and __fish_seen_subcommand_from help" -f -a "init" -d 'Make a ledger, and read all files for the first time'
complete -c pfh -n "__fish_pfh_using_subcommand audit; and __fish_seen_subcommand_from help" -f -a "run" -d 'Compare the collection with the ledger'
complete -c pfh -n "__fish_pfh_using_subcommand audit; and __fish_seen_subcommand_from help" -f -a "status" -d 'Show how the collection stands'
complete -c pfh -n "__fish_pfh_using_subcommand audit; and __fish_seen_subcommand_from help" -f -a "history" -d 'Show all that was found of a file'
complete -c pfh -n "__fish_pfh_using_subcommand audit; and __fish_seen_subcommand_from help" -f -a "report" -d 'Write the report of a run'
complete -c pfh -n "__fish_pfh_using_subcommand audit; and __fish_seen_subcommand_from help" -f -a "export" -d 'Write a list of the expected files with the digests that the ledger expects, without reading them'
complete -c pfh -n "__fish_pfh_using_subcommand audit; and __fish_seen_subcommand_from help" -f -a "accept" -d 'Accept open findings: what was seen is expected from now on'
complete -c pfh -n "__fish_pfh_using_subcommand audit; and __fish_seen_subcommand_from help" -f -a "forget" -d 'Expect a file, or all files below a directory, no longer'
complete -c pfh -n "__fish_pfh_using_subcommand audit; and __fish_seen_subcommand_from help" -f -a "relocate" -d 'Record that the collection, or a part of it, is at another path now'
complete -c pfh -n "__fish_pfh_using_subcommand audit; and __fish_seen_subcommand_from help" -f -a "migrate" -d 'Change the algorithm: verify by the old digests and compute new ones in the same reading'
complete -c pfh -n "__fish_pfh_using_subcommand audit; and __fish_seen_subcommand_from help" -f -a "head" -d 'Print the end of the chain of events, to be kept elsewhere'
complete -c pfh -n "__fish_pfh_using_subcommand audit; and __fish_seen_subcommand_from help" -f -a "verify-ledger" -d 'Check that no event was changed or lost, and that the tables follow from the events'
complete -c pfh -n "__fish_pfh_using_subcommand audit; and __fish_seen_subcommand_from help" -f -a "help" -d 'Print this message or the help of the given subcommand(s)'
complete -c pfh -n "__fish_pfh_using_subcommand bag; and not __fish_seen_subcommand_from create verify update help" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c pfh -n "__fish_pfh_using_subcommand bag; and not __fish_seen_subcommand_from create verify update help" -s V -l version -d 'Print version'
complete -c pfh -n "__fish_pfh_using_subcommand bag; and not __fish_seen_subcommand_from create verify update help" -f -a "create" -d 'Make directories bags of version 1.0'
complete -c pfh -n "__fish_pfh_using_subcommand bag; and not __fish_seen_subcommand_from create verify update help" -f -a "verify" -d 'Verify bags of versions 0.93 to 1.0, and report everything that is wrong'
complete -c pfh -n "__fish_pfh_using_subcommand bag; and not __fish_seen_subcommand_from create verify update help" -f -a "update" -d 'Write new manifests after files were added, removed or changed'
complete -c pfh -n "__fish_pfh_using_subcommand bag; and not __fish_seen_subcommand_from create verify update help" -f -a "help" -d 'Print this message or the help of the given subcommand(s)'
complete -c pfh -n "__fish_pfh_using_subcommand bag; and __fish_seen_subcommand_from create" -l copy-to -d 'Leave the directory as it is, and make the bag in BAG, with a verified copy of its contents (as by `pfh copy`)' -r -f -a "(__fish_complete_directories)"
complete -c pfh -n "__fish_pfh_using_subcommand bag; and __fish_seen_subcommand_from create" -s a -l algorithm -d 'Algorithms, separated by commas, or repeated; one read computes them all [default: sha512]' -r
complete -c pfh -n "__fish_pfh_using_subcommand bag; and __fish_seen_subcommand_from create" -l tag -d 'Write a label and a value into bag-info.txt (repeatable); the order is kept, and a label may be repeated' -r
complete -c pfh -n "__fish_pfh_using_subcommand bag; and __fish_seen_subcommand_from create" -s t -s j -l threads -d 'Number of threads [default: one per core]' -r
complete -c pfh -n "__fish_pfh_using_subcommand bag; and __fish_seen_subcommand_from create" -s m -l memory -d 'Memory limit for reading and sorting (K, M, G: powers of 1024)' -r
complete -c pfh -n "__fish_pfh_using_subcommand bag; and __fish_seen_subcommand_from create" -l progress -d 'Show progress on standard error' -r -f -a "auto\t'When standard error is a terminal'
always\t'Also elsewhere, in the form of `log`'
log\t'One line per minute with the time, and one at the end, as suits log files'
never\t''"
complete -c pfh -n "__fish_pfh_using_subcommand bag; and __fish_seen_subcommand_from create" -s q -l quiet -d 'Do not print warnings about single files and lines (the totals at the end and the exit status still count them)'
complete -c pfh -n "__fish_pfh_using_subcommand bag; and __fish_seen_subcommand_from create" -l verbose -d 'Print every warning, rather than the first ten of each kind in each directory'
complete -c pfh -n "__fish_pfh_using_subcommand bag; and __fish_seen_subcommand_from create" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c pfh -n "__fish_pfh_using_subcommand bag; and __fish_seen_subcommand_from create" -s V -l version -d 'Print version'
complete -c pfh -n "__fish_pfh_using_subcommand bag; and __fish_seen_subcommand_from verify" -l profile -d 'Also check what this profile demands (BagIt Profiles 1.3 and 1.4, JSON)' -r -F
complete -c pfh -n "__fish_pfh_using_subcommand bag; and __fish_seen_subcommand_from verify" -s f -l format -d 'Format of the verdicts and findings' -r -f -a "text\t'For people'
jsonl\t'JSON Lines: a header, bags, each followed by its findings, a summary'"
complete -c pfh -n "__fish_pfh_using_subcommand bag; and __fish_seen_subcommand_from verify" -s o -l output -d 'Write to FILE, which appears whole or not at all; `-` is standard output [default: -]' -r -F
complete -c pfh -n "__fish_pfh_using_subcommand bag; and __fish_seen_subcommand_from verify" -s t -s j -l threads -d 'Number of threads [default: one per core]' -r
complete -c pfh -n "__fish_pfh_using_subcommand bag; and __fish_seen_subcommand_from verify" -s m -l memory -d 'Memory limit for reading and sorting (K, M, G: powers of 1024)' -r
complete -c pfh -n "__fish_pfh_using_subcommand bag; and __fish_seen_subcommand_from verify" -l progress -d 'Show progress on standard error' -r -f -a "auto\t'When standard error is a terminal'
always\t'Also elsewhere, in the form of `log`'
log\t'One line per minute with the time, and one at the end, as suits log files'
never\t''"
complete -c pfh -n "__fish_pfh_using_subcommand bag; and __fish_seen_subcommand_from verify" -l complete -d 'Check everything but digests: nothing is hashed (`bagit.py --completeness-only`)'
complete -c pfh -n "__fish_pfh_using_subcommand bag; and __fish_seen_subcommand_from verify" -l oxum -d 'Compare only the number and the bytes of the files with Payload-Oxum (`bagit.py --fast`)'
complete -c pfh -n "__fish_pfh_using_subcommand bag; and __fish_seen_subcommand_from verify" -s q -l quiet -d 'Do not print warnings about single files and lines (the totals at the end and the exit status still count them)'
complete -c pfh -n "__fish_pfh_using_subcommand bag; and __fish_seen_subcommand_from verify" -l verbose -d 'Print every warning, rather than the first ten of each kind in each directory'
complete -c pfh -n "__fish_pfh_using_subcommand bag; and __fish_seen_subcommand_from verify" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c pfh -n "__fish_pfh_using_subcommand bag; and __fish_seen_subcommand_from verify" -s V -l version -d 'Print version'
complete -c pfh -n "__fish_pfh_using_subcommand bag; and __fish_seen_subcommand_from update" -s a -l algorithm -d 'Algorithms of the new manifests [default: those of the old ones]. Manifests by others are removed' -r
complete -c pfh -n "__fish_pfh_using_subcommand bag; and __fish_seen_subcommand_from update" -l tag -d 'Set a label in bag-info.txt (repeatable): all of its values are replaced, and an empty one removes it' -r
complete -c pfh -n "__fish_pfh_using_subcommand bag; and __fish_seen_subcommand_from update" -s t -s j -l threads -d 'Number of threads [default: one per core]' -r
complete -c pfh -n "__fish_pfh_using_subcommand bag; and __fish_seen_subcommand_from update" -s m -l memory -d 'Memory limit for reading and sorting (K, M, G: powers of 1024)' -r
complete -c pfh -n "__fish_pfh_using_subcommand bag; and __fish_seen_subcommand_from update" -l progress -d 'Show progress on standard error' -r -f -a "auto\t'When standard error is a terminal'
always\t'Also elsewhere, in the form of `log`'
log\t'One line per minute with the time, and one at the end, as suits log files'
never\t''"
complete -c pfh -n "__fish_pfh_using_subcommand bag; and __fish_seen_subcommand_from update" -s q -l quiet -d 'Do not print warnings about single files and lines (the totals at the end and the exit status still count them)'
complete -c pfh -n "__fish_pfh_using_subcommand bag; and __fish_seen_subcommand_from update" -l verbose -d 'Print every warning, rather than the first ten of each kind in each directory'
complete -c pfh -n "__fish_pfh_using_subcommand bag; and __fish_seen_subcommand_from update" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c pfh -n "__fish_pfh_using_subcommand bag; and __fish_seen_subcommand_from update" -s V -l version -d 'Print version'
complete -c pfh -n "__fish_pfh_using_subcommand bag; and __fish_seen_subcommand_from help" -f -a "create" -d 'Make directories bags of version 1.0'
complete -c pfh -n "__fish_pfh_using_subcommand bag; and __fish_seen_subcommand_from help" -f -a "verify" -d 'Verify bags of versions 0.93 to 1.0, and report everything that is wrong'
complete -c pfh -n "__fish_pfh_using_subcommand bag; and __fish_seen_subcommand_from help" -f -a "update" -d 'Write new manifests after files were added, removed or changed'
complete -c pfh -n "__fish_pfh_using_subcommand bag; and __fish_seen_subcommand_from help" -f -a "help" -d 'Print this message or the help of the given subcommand(s)'
complete -c pfh -n "__fish_pfh_using_subcommand copy" -l to -d 'A destination (repeatable). All given paths are sources then' -r -f -a "(__fish_complete_directories)"
complete -c pfh -n "__fish_pfh_using_subcommand copy" -s a -l algorithm -d 'Algorithms, separated by commas, or repeated; one read computes them all' -r -f -a "(__fish_complete_list , 'string split \' \' \'md4 md5 sha1 sha1dc sha224 sha256 sha384 sha512 sha512-224 sha512-256 sha3-224 sha3-256 sha3-384 sha3-512 shake128 shake256 keccak256 blake2b blake2s blake3 ripemd128 ripemd160 ripemd256 ripemd320 whirlpool tiger sm3 streebog256 streebog512 crc32 crc32c crc64nvme adler32 xxh32 xxh64 xxh3-64 xxh3-128 fnv1-32 fnv1-64 fnv1a-32 fnv1a-64\'')"
complete -c pfh -n "__fish_pfh_using_subcommand copy" -s o -l output -d 'Write a list of all copied files to FILE, which appears whole or not at all; `-` is standard output' -r -F
complete -c pfh -n "__fish_pfh_using_subcommand copy" -s f -l format -d 'Format of the list: one of `pfh hash` [default: gnu for one algorithm, bsd for several]' -r
complete -c pfh -n "__fish_pfh_using_subcommand copy" -l include -d 'Copy only files that match GLOB (repeatable), as in `pfh hash`' -r
complete -c pfh -n "__fish_pfh_using_subcommand copy" -l exclude -d 'Leave out files and directories that match GLOB (repeatable), as in `pfh hash`' -r
complete -c pfh -n "__fish_pfh_using_subcommand copy" -l read-back -d 'How copies are read back: around the page cache (`direct`), or after they were dropped from it (`drop`)' -r -f -a "buffered\t'Through the page cache'
drop\t'Through it, but cached pages are dropped before and after reading'
direct\t'Around it (O_DIRECT); like `drop` where the filesystem refuses, which --stats counts'"
complete -c pfh -n "__fish_pfh_using_subcommand copy" -s t -s j -l threads -d 'Number of threads [default: one per core]' -r
complete -c pfh -n "__fish_pfh_using_subcommand copy" -s m -l memory -d 'Memory limit for reading and sorting (K, M, G: powers of 1024)' -r
complete -c pfh -n "__fish_pfh_using_subcommand copy" -l progress -d 'Show progress on standard error' -r -f -a "auto\t'When standard error is a terminal'
always\t'Also elsewhere, in the form of `log`'
log\t'One line per minute with the time, and one at the end, as suits log files'
never\t''"
complete -c pfh -n "__fish_pfh_using_subcommand copy" -s x -l one-file-system -d 'Stay on the filesystem of each source'
complete -c pfh -n "__fish_pfh_using_subcommand copy" -s q -l quiet -d 'Do not print warnings about single files and lines (the totals at the end and the exit status still count them)'
complete -c pfh -n "__fish_pfh_using_subcommand copy" -l verbose -d 'Print every warning, rather than the first ten of each kind in each directory'
complete -c pfh -n "__fish_pfh_using_subcommand copy" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c pfh -n "__fish_pfh_using_subcommand copy" -s V -l version -d 'Print version'
complete -c pfh -n "__fish_pfh_using_subcommand shard" -s o -l output -d 'The folder of the plan, which must be new or empty. All machines need it, under any path' -r -f -a "(__fish_complete_directories)"
complete -c pfh -n "__fish_pfh_using_subcommand shard" -l shards -d 'Number of shards: 8 to 32 for each worker, so that none waits long for the last one' -r
complete -c pfh -n "__fish_pfh_using_subcommand shard" -l shard-size -d 'As many shards as it takes for a mean weight of at most SIZE (K, M, G: powers of 1024)' -r
complete -c pfh -n "__fish_pfh_using_subcommand shard" -l per-file -d 'Weight of a file beside its size: the bytes that are read in the time that it takes to open one' -r
complete -c pfh -n "__fish_pfh_using_subcommand shard" -l split -d 'Split files of more than SIZE bytes into parts of SIZE, which several tasks read at the same time (K, M, G)' -r
complete -c pfh -n "__fish_pfh_using_subcommand shard" -l status -d 'Print the numbers of the shards of PLAN that have no result, instead of planning' -r -f -a "(__fish_complete_directories)"
complete -c pfh -n "__fish_pfh_using_subcommand shard" -s a -l algorithm -d 'Algorithms, separated by commas, or repeated, as of `pfh hash`; all shards compute them' -r -f -a "(__fish_complete_list , 'string split \' \' \'md4 md5 sha1 sha1dc sha224 sha256 sha384 sha512 sha512-224 sha512-256 sha3-224 sha3-256 sha3-384 sha3-512 shake128 shake256 keccak256 blake2b blake2s blake3 ripemd128 ripemd160 ripemd256 ripemd320 whirlpool tiger sm3 streebog256 streebog512 crc32 crc32c crc64nvme adler32 xxh32 xxh64 xxh3-64 xxh3-128 fnv1-32 fnv1-64 fnv1a-32 fnv1a-64 ssdeep sdhash mrsh-v2 tlsh none\'')"
complete -c pfh -n "__fish_pfh_using_subcommand shard" -l piecewise -d 'Also compute the digest of every piece of SIZE bytes (K, M, G: powers of 1024)' -r
complete -c pfh -n "__fish_pfh_using_subcommand shard" -l facts -d 'Also find facts about contents, as `pfh hash` does' -r -f -a "sampled\t'The first 4096 bytes, and of the others 32 in each 1024'
exact\t'All bytes'"
complete -c pfh -n "__fish_pfh_using_subcommand shard" -l sdhash-profile -d 'Version of sdhash that digests and scores are compatible with' -r -f -a "3.4\t''
4.0\t''"
complete -c pfh -n "__fish_pfh_using_subcommand shard" -l sdhash-blocks -d 'Block size of sdhash in KiB, 1 to 16, or 0 for none (`sdhash -b`) [default: 16 from 16 MiB on, none below]' -r
complete -c pfh -n "__fish_pfh_using_subcommand shard" -l sdhash-segments -d 'Segment size of sdhash in MiB (`sdhash -z`); 0 for none' -r
complete -c pfh -n "__fish_pfh_using_subcommand shard" -l files-from -d 'Also read paths from FILE, one per line; `-` is standard input' -r -F
complete -c pfh -n "__fish_pfh_using_subcommand shard" -l files-from0 -d 'Also read paths from FILE, each terminated by NUL (as `find -print0` writes them); `-` is standard input' -r -F
complete -c pfh -n "__fish_pfh_using_subcommand shard" -l include -d 'Read only files that match GLOB (repeatable: any one suffices). Quote it for the shell' -r
complete -c pfh -n "__fish_pfh_using_subcommand shard" -l exclude -d 'Exclude files and directories that match GLOB (repeatable). `GLOB/` excludes directories only' -r
complete -c pfh -n "__fish_pfh_using_subcommand shard" -l min-size -d 'Exclude files smaller than SIZE' -r
complete -c pfh -n "__fish_pfh_using_subcommand shard" -l max-size -d 'Exclude files larger than SIZE' -r
complete -c pfh -n "__fish_pfh_using_subcommand shard" -l max-depth -d 'Descend at most N levels below the given paths; 1 means only the files directly in a directory' -r
complete -c pfh -n "__fish_pfh_using_subcommand shard" -l progress -d 'Show progress on standard error' -r -f -a "auto\t'When standard error is a terminal'
always\t'Also elsewhere, in the form of `log`'
log\t'One line per minute with the time, and one at the end, as suits log files'
never\t''"
complete -c pfh -n "__fish_pfh_using_subcommand shard" -l mrsh-network -d 'Compute mrsh-v2 digests as its build for network packets does, without the first and the last chunk'
complete -c pfh -n "__fish_pfh_using_subcommand shard" -s r -l recursive -d 'Accepted for compatibility: directories are always walked'
complete -c pfh -n "__fish_pfh_using_subcommand shard" -s x -l one-file-system -d 'Stay on the filesystem of each given path'
complete -c pfh -n "__fish_pfh_using_subcommand shard" -l follow-files -d 'Read files that symbolic links point to. (Links among the given paths are always followed.)'
complete -c pfh -n "__fish_pfh_using_subcommand shard" -l follow-directories -d 'Walk directories that symbolic links point to; loops are detected'
complete -c pfh -n "__fish_pfh_using_subcommand shard" -l preserve-access-time -d 'Preserve access times where the system permits it'
complete -c pfh -n "__fish_pfh_using_subcommand shard" -l verbose -d 'Print every warning, rather than the first ten of each kind in each directory'
complete -c pfh -n "__fish_pfh_using_subcommand shard" -s q -l quiet -d 'Do not print warnings, nor how the shards turned out'
complete -c pfh -n "__fish_pfh_using_subcommand shard" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c pfh -n "__fish_pfh_using_subcommand shard" -s V -l version -d 'Print version'
complete -c pfh -n "__fish_pfh_using_subcommand merge" -l shard -d 'Only the files that begin in this shard: those of its list, and those whose first part is there. The shards in which the last of them goes on must have results, too' -r
complete -c pfh -n "__fish_pfh_using_subcommand merge" -s f -l format -d 'Format of the list, as of `pfh hash` [default: that of `pfh hash` for these digests]' -r -f -a "gnu\t''
bsd\t''
hashdeep\t''
md5deep\t''
sfv\t''
csv\t''
jsonl\t''
dfxml\t''
ssdeep\t''
sdhash\t''
mrsh-v2\t''
tlsh\t''"
complete -c pfh -n "__fish_pfh_using_subcommand merge" -s o -l output -d 'Write to FILE, which appears whole or not at all; `-` is standard output [default: -]' -r -F
complete -c pfh -n "__fish_pfh_using_subcommand merge" -l progress -d 'Show progress on standard error' -r -f -a "auto\t'When standard error is a terminal'
always\t'Also elsewhere, in the form of `log`'
log\t'One line per minute with the time, and one at the end, as suits log files'
never\t''"
complete -c pfh -n "__fish_pfh_using_subcommand merge" -l allow-empty -d 'Replace an existing LIST of -o even with a list that has not a single complete file'
complete -c pfh -n "__fish_pfh_using_subcommand merge" -s 0 -l null -l zero -d 'End records with NUL instead of a line feed, and escape nothing (formats gnu, bsd, md5deep)'
complete -c pfh -n "__fish_pfh_using_subcommand merge" -l uppercase -d 'Write digests in upper-case hexadecimal (formats gnu, bsd, sfv)'
complete -c pfh -n "__fish_pfh_using_subcommand merge" -l base64 -d 'Write digests in base64 (formats gnu, bsd), as `cksum --base64` does'
complete -c pfh -n "__fish_pfh_using_subcommand merge" -s q -l quiet -d 'Do not print warnings about single files and lines (the totals at the end and the exit status still count them)'
complete -c pfh -n "__fish_pfh_using_subcommand merge" -l verbose -d 'Print every warning, rather than the first ten of each kind in each directory'
complete -c pfh -n "__fish_pfh_using_subcommand merge" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c pfh -n "__fish_pfh_using_subcommand merge" -s V -l version -d 'Print version'
complete -c pfh -n "__fish_pfh_using_subcommand frash" -l tests -d 'Experiments: generation, comparison, compression, common-block, fragment, alignment, noise, repetition, variety, needle, cross, threshold [default: all]' -r
complete -c pfh -n "__fish_pfh_using_subcommand frash" -s a -l algorithm -d 'Families: ssdeep, sdhash, mrsh-v2, tlsh [default: all]' -r -f -a "(__fish_complete_list , 'string split \' \' \'ssdeep sdhash mrsh-v2 tlsh\'')"
complete -c pfh -n "__fish_pfh_using_subcommand frash" -l seed -d 'Seed of the random numbers: the same seed gives the same results, except for times' -r
complete -c pfh -n "__fish_pfh_using_subcommand frash" -l plots -d 'Also draw each experiment, as SVG, into a directory, which is created if it does not exist' -r -f -a "(__fish_complete_directories)"
complete -c pfh -n "__fish_pfh_using_subcommand frash" -l runs -d 'Number of repetitions, each with other random bytes and offsets' -r
complete -c pfh -n "__fish_pfh_using_subcommand frash" -l bytes -d 'Length of the files that are given a common block [default: 512 KiB, 2 MiB, 8 MiB], and of the longest file that is timed [default: 2048000]' -r
complete -c pfh -n "__fish_pfh_using_subcommand frash" -s m -l memory -d 'Memory limit for the contents of all files together (K, M, G: powers of 1024)' -r
complete -c pfh -n "__fish_pfh_using_subcommand frash" -s o -l output -d 'Write to FILE, which appears whole or not at all; `-` is standard output [default: -]' -r -F
complete -c pfh -n "__fish_pfh_using_subcommand frash" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c pfh -n "__fish_pfh_using_subcommand frash" -s V -l version -d 'Print version'
complete -c pfh -n "__fish_pfh_using_subcommand algorithms" -l json -d 'Print JSON Lines instead of a table'
complete -c pfh -n "__fish_pfh_using_subcommand algorithms" -s h -l help -d 'Print help'
complete -c pfh -n "__fish_pfh_using_subcommand algorithms" -s V -l version -d 'Print version'
complete -c pfh -n "__fish_pfh_using_subcommand cpu" -l json -d 'Print one JSON object instead of tables'
complete -c pfh -n "__fish_pfh_using_subcommand cpu" -s h -l help -d 'Print help'
complete -c pfh -n "__fish_pfh_using_subcommand cpu" -s V -l version -d 'Print version'
complete -c pfh -n "__fish_pfh_using_subcommand lab; and not __fish_seen_subcommand_from list doctor run report claims compare measure mount advise survey sample runner help" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c pfh -n "__fish_pfh_using_subcommand lab; and not __fish_seen_subcommand_from list doctor run report claims compare measure mount advise survey sample runner help" -s V -l version -d 'Print version'
complete -c pfh -n "__fish_pfh_using_subcommand lab; and not __fish_seen_subcommand_from list doctor run report claims compare measure mount advise survey sample runner help" -f -a "list" -d 'List the experiments, or the comparisons of whole programs of one'
complete -c pfh -n "__fish_pfh_using_subcommand lab; and not __fish_seen_subcommand_from list doctor run report claims compare measure mount advise survey sample runner help" -f -a "doctor" -d 'Show which runners are available, build them, and tell how to install what they lack'
complete -c pfh -n "__fish_pfh_using_subcommand lab; and not __fish_seen_subcommand_from list doctor run report claims compare measure mount advise survey sample runner help" -f -a "run" -d 'Run an experiment and save its results'
complete -c pfh -n "__fish_pfh_using_subcommand lab; and not __fish_seen_subcommand_from list doctor run report claims compare measure mount advise survey sample runner help" -f -a "report" -d 'Write a report of results: HTML, with CSV, JSON Lines and Markdown beside it'
complete -c pfh -n "__fish_pfh_using_subcommand lab; and not __fish_seen_subcommand_from list doctor run report claims compare measure mount advise survey sample runner help" -f -a "claims" -d 'Print all claims of the studies and where each is judged, and recompute their published fits; or the verdicts of results on them'
complete -c pfh -n "__fish_pfh_using_subcommand lab; and not __fish_seen_subcommand_from list doctor run report claims compare measure mount advise survey sample runner help" -f -a "compare" -d 'Compare two results: of two machines, systems or versions'
complete -c pfh -n "__fish_pfh_using_subcommand lab; and not __fish_seen_subcommand_from list doctor run report claims compare measure mount advise survey sample runner help" -f -a "measure" -d 'Run a shell command once and print what it cost, as JSON; experiments start this'
complete -c pfh -n "__fish_pfh_using_subcommand lab; and not __fish_seen_subcommand_from list doctor run report claims compare measure mount advise survey sample runner help" -f -a "mount" -d 'Show a directory as slow as a storage device, and with its faults, until Ctrl-C (docs/reference/devices.md)'
complete -c pfh -n "__fish_pfh_using_subcommand lab; and not __fish_seen_subcommand_from list doctor run report claims compare measure mount advise survey sample runner help" -f -a "advise" -d 'Measure a path and this machine for a minute, and advise: what limits, how long it takes, which options to use'
complete -c pfh -n "__fish_pfh_using_subcommand lab; and not __fish_seen_subcommand_from list doctor run report claims compare measure mount advise survey sample runner help" -f -a "survey" -d 'Find samples for `pfh lab advise`'
complete -c pfh -n "__fish_pfh_using_subcommand lab; and not __fish_seen_subcommand_from list doctor run report claims compare measure mount advise survey sample runner help" -f -a "sample" -d 'Read a sample for `pfh lab advise`'
complete -c pfh -n "__fish_pfh_using_subcommand lab; and not __fish_seen_subcommand_from list doctor run report claims compare measure mount advise survey sample runner help" -f -a "runner" -d 'Act as a runner: answer tasks on standard input (docs/reference/runner-protocol.md)'
complete -c pfh -n "__fish_pfh_using_subcommand lab; and not __fish_seen_subcommand_from list doctor run report claims compare measure mount advise survey sample runner help" -f -a "help" -d 'Print this message or the help of the given subcommand(s)'
complete -c pfh -n "__fish_pfh_using_subcommand lab; and __fish_seen_subcommand_from list" -s h -l help -d 'Print help'
complete -c pfh -n "__fish_pfh_using_subcommand lab; and __fish_seen_subcommand_from list" -s V -l version -d 'Print version'
complete -c pfh -n "__fish_pfh_using_subcommand lab; and __fish_seen_subcommand_from doctor" -l install -d 'Print the commands that install what GROUP needs; `all` for every group' -r
complete -c pfh -n "__fish_pfh_using_subcommand lab; and __fish_seen_subcommand_from doctor" -l runners -d 'Also look for runners in DIR' -r -f -a "(__fish_complete_directories)"
complete -c pfh -n "__fish_pfh_using_subcommand lab; and __fish_seen_subcommand_from doctor" -l run -d 'With --install: run the commands'
complete -c pfh -n "__fish_pfh_using_subcommand lab; and __fish_seen_subcommand_from doctor" -l json -d 'Print JSON Lines instead of a table'
complete -c pfh -n "__fish_pfh_using_subcommand lab; and __fish_seen_subcommand_from doctor" -s h -l help -d 'Print help'
complete -c pfh -n "__fish_pfh_using_subcommand lab; and __fish_seen_subcommand_from doctor" -s V -l version -d 'Print version'
complete -c pfh -n "__fish_pfh_using_subcommand lab; and __fish_seen_subcommand_from run" -s o -l output -d 'Save the results in DIR [default: a new folder with the experiment\'s name and the time]' -r -f -a "(__fish_complete_directories)"
complete -c pfh -n "__fish_pfh_using_subcommand lab; and __fish_seen_subcommand_from run" -l runner -d 'Measure only this runner (repeatable). Others may still be asked for the right answers' -r
complete -c pfh -n "__fish_pfh_using_subcommand lab; and __fish_seen_subcommand_from run" -s a -l algorithm -d 'Measure only this algorithm of the experiment (repeatable)' -r
complete -c pfh -n "__fish_pfh_using_subcommand lab; and __fish_seen_subcommand_from run" -l profile -d 'Measure only under this profile (repeatable); `today` is the default profile, without changes' -r
complete -c pfh -n "__fish_pfh_using_subcommand lab; and __fish_seen_subcommand_from run" -l device -d 'Measure whole programs only on this device of the experiment (repeatable): `here` is the disk of -o, or of --keep-corpora. With =DIR, in the folder DIR in its place: a device of your own that the experiment names needs it, and a simulated one can be replaced by it' -r
complete -c pfh -n "__fish_pfh_using_subcommand lab; and __fish_seen_subcommand_from run" -l device-note -d 'Describe the device NAME (repeatable), for example by the speed of its network, which no system tells: the results keep TEXT, and reports print it' -r
complete -c pfh -n "__fish_pfh_using_subcommand lab; and __fish_seen_subcommand_from run" -l comparison -d 'Measure only this comparison of whole programs (repeatable): a name that `pfh lab list NAME` prints' -r
complete -c pfh -n "__fish_pfh_using_subcommand lab; and __fish_seen_subcommand_from run" -l rounds -d 'Measure N rounds, in the place of the experiment\'s number' -r
complete -c pfh -n "__fish_pfh_using_subcommand lab; and __fish_seen_subcommand_from run" -l corpus -d 'Give whole programs a copy of the files in DIR, in the place of every corpus of the experiment' -r -f -a "(__fish_complete_directories)"
complete -c pfh -n "__fish_pfh_using_subcommand lab; and __fish_seen_subcommand_from run" -l keep-corpora -d 'Make corpora in DIR and leave them there, and use those that are there already. They do not depend on the seed' -r -f -a "(__fish_complete_directories)"
complete -c pfh -n "__fish_pfh_using_subcommand lab; and __fish_seen_subcommand_from run" -l runners -d 'Also look for runners in DIR' -r -f -a "(__fish_complete_directories)"
complete -c pfh -n "__fish_pfh_using_subcommand lab; and __fish_seen_subcommand_from run" -l seed -d 'Seed of the data and of the order [default: a new one each time; it is saved]' -r
complete -c pfh -n "__fish_pfh_using_subcommand lab; and __fish_seen_subcommand_from run" -l memory -d 'Memory limit for all processes of one runner together (K, M, G: powers of 1024) [default: half of the memory]' -r
complete -c pfh -n "__fish_pfh_using_subcommand lab; and __fish_seen_subcommand_from run" -l progress -d 'Show progress on standard error' -r -f -a "auto\t'When standard error is a terminal'
always\t'Also elsewhere, in the form of `log`'
log\t'One line per minute with the time, and one at the end, as suits log files'
never\t''"
complete -c pfh -n "__fish_pfh_using_subcommand lab; and __fish_seen_subcommand_from run" -l full -d 'Use the sizes of the published study, which takes hours'
complete -c pfh -n "__fish_pfh_using_subcommand lab; and __fish_seen_subcommand_from run" -l resume -d 'Continue the results in the folder of -o'
complete -c pfh -n "__fish_pfh_using_subcommand lab; and __fish_seen_subcommand_from run" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c pfh -n "__fish_pfh_using_subcommand lab; and __fish_seen_subcommand_from run" -s V -l version -d 'Print version'
complete -c pfh -n "__fish_pfh_using_subcommand lab; and __fish_seen_subcommand_from report" -s o -l output -d 'Write the HTML to FILE, and the other forms beside it with other extensions [default: report.html in DIR]' -r -F
complete -c pfh -n "__fish_pfh_using_subcommand lab; and __fish_seen_subcommand_from report" -l volume -d 'Project times to a volume of SIZE (K, M, G: powers of 1024) [default: the 722G of the study of 2015]' -r
complete -c pfh -n "__fish_pfh_using_subcommand lab; and __fish_seen_subcommand_from report" -l clock -d 'The clock whose times are compared; on a busy machine processor time is less disturbed' -r -f -a "wall\t'Elapsed time, which the studies compared'
cpu\t'Processor time, where the runner reports it'"
complete -c pfh -n "__fish_pfh_using_subcommand lab; and __fish_seen_subcommand_from report" -l key-space -d 'Project how long N keys last: a number, or symbols^length [default: 95^8, eight printable characters]' -r
complete -c pfh -n "__fish_pfh_using_subcommand lab; and __fish_seen_subcommand_from report" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c pfh -n "__fish_pfh_using_subcommand lab; and __fish_seen_subcommand_from report" -s V -l version -d 'Print version'
complete -c pfh -n "__fish_pfh_using_subcommand lab; and __fish_seen_subcommand_from claims" -s h -l help -d 'Print help'
complete -c pfh -n "__fish_pfh_using_subcommand lab; and __fish_seen_subcommand_from claims" -s V -l version -d 'Print version'
complete -c pfh -n "__fish_pfh_using_subcommand lab; and __fish_seen_subcommand_from compare" -l clock -d 'The clock whose times are compared' -r -f -a "wall\t'Elapsed time, which the studies compared'
cpu\t'Processor time, where the runner reports it'"
complete -c pfh -n "__fish_pfh_using_subcommand lab; and __fish_seen_subcommand_from compare" -s o -l output -d 'Write HTML to FILE [default: Markdown on standard output]' -r -F
complete -c pfh -n "__fish_pfh_using_subcommand lab; and __fish_seen_subcommand_from compare" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c pfh -n "__fish_pfh_using_subcommand lab; and __fish_seen_subcommand_from compare" -s V -l version -d 'Print version'
complete -c pfh -n "__fish_pfh_using_subcommand lab; and __fish_seen_subcommand_from measure" -l output -d 'Write the output of the command to FILE [default: nowhere]' -r -F
complete -c pfh -n "__fish_pfh_using_subcommand lab; and __fish_seen_subcommand_from measure" -l until-closed -d 'End as soon as standard input is closed, as it is when the program that holds it ends, and the command with it'
complete -c pfh -n "__fish_pfh_using_subcommand lab; and __fish_seen_subcommand_from measure" -s h -l help -d 'Print help'
complete -c pfh -n "__fish_pfh_using_subcommand lab; and __fish_seen_subcommand_from measure" -s V -l version -d 'Print version'
complete -c pfh -n "__fish_pfh_using_subcommand lab; and __fish_seen_subcommand_from mount" -l device -d 'The device: a name (see below), or the path of a description that ends in `.toml`' -r -F
complete -c pfh -n "__fish_pfh_using_subcommand lab; and __fish_seen_subcommand_from mount" -l until-closed -d 'End as soon as standard input is closed, as it is when the program that holds it ends'
complete -c pfh -n "__fish_pfh_using_subcommand lab; and __fish_seen_subcommand_from mount" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c pfh -n "__fish_pfh_using_subcommand lab; and __fish_seen_subcommand_from mount" -s V -l version -d 'Print version'
complete -c pfh -n "__fish_pfh_using_subcommand lab; and __fish_seen_subcommand_from advise" -l volume -d 'Advise for a volume of SIZE, such as 25TB [default: what PATH holds]' -r
complete -c pfh -n "__fish_pfh_using_subcommand lab; and __fish_seen_subcommand_from advise" -l files -d 'Advise for N files, such as 1.2M [default: those of PATH, in proportion to --volume]' -r
complete -c pfh -n "__fish_pfh_using_subcommand lab; and __fish_seen_subcommand_from advise" -l deadline -d 'Time that there is each night, such as 8h, at most 24h: tells how many nights a full cycle takes' -r
complete -c pfh -n "__fish_pfh_using_subcommand lab; and __fish_seen_subcommand_from advise" -s a -l algorithms -d 'Algorithms to compare, separated by commas, or repeated; the first is the one that is planned [default: sha256,md5,sha1,sha512,blake3; with --from, those that were measured]' -r
complete -c pfh -n "__fish_pfh_using_subcommand lab; and __fish_seen_subcommand_from advise" -l seconds -d 'Measure for about N seconds' -r
complete -c pfh -n "__fish_pfh_using_subcommand lab; and __fish_seen_subcommand_from advise" -l from -d 'Do not measure, but take the measurements that --save wrote' -r -F
complete -c pfh -n "__fish_pfh_using_subcommand lab; and __fish_seen_subcommand_from advise" -l save -d 'Save the measurements and the options to use in FILE, for --from and for `pfh hash --profile`' -r -F
complete -c pfh -n "__fish_pfh_using_subcommand lab; and __fish_seen_subcommand_from advise" -s o -l output -d 'Write the advice to FILE [default: standard output]' -r -F
complete -c pfh -n "__fish_pfh_using_subcommand lab; and __fish_seen_subcommand_from advise" -l progress -d 'Show progress on standard error' -r -f -a "auto\t'When standard error is a terminal'
always\t'Also elsewhere, in the form of `log`'
log\t'One line per minute with the time, and one at the end, as suits log files'
never\t''"
complete -c pfh -n "__fish_pfh_using_subcommand lab; and __fish_seen_subcommand_from advise" -l json -d 'Print JSON instead of text'
complete -c pfh -n "__fish_pfh_using_subcommand lab; and __fish_seen_subcommand_from advise" -l html -d 'Print a page in HTML instead of text'
complete -c pfh -n "__fish_pfh_using_subcommand lab; and __fish_seen_subcommand_from advise" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c pfh -n "__fish_pfh_using_subcommand lab; and __fish_seen_subcommand_from advise" -s V -l version -d 'Print version'
complete -c pfh -n "__fish_pfh_using_subcommand lab; and __fish_seen_subcommand_from survey" -l walk -d 'Walk the path that FILE holds, terminated by NUL' -r -F
complete -c pfh -n "__fish_pfh_using_subcommand lab; and __fish_seen_subcommand_from survey" -l list -d 'Only ask for the sizes of the files in FILE, each path terminated by NUL' -r -F
complete -c pfh -n "__fish_pfh_using_subcommand lab; and __fish_seen_subcommand_from survey" -l seconds -d 'Stop after N seconds' -r
complete -c pfh -n "__fish_pfh_using_subcommand lab; and __fish_seen_subcommand_from survey" -s h -l help -d 'Print help'
complete -c pfh -n "__fish_pfh_using_subcommand lab; and __fish_seen_subcommand_from survey" -s V -l version -d 'Print version'
complete -c pfh -n "__fish_pfh_using_subcommand lab; and __fish_seen_subcommand_from sample" -l walk -d 'Read all files below the path that FILE holds, terminated by NUL' -r -F
complete -c pfh -n "__fish_pfh_using_subcommand lab; and __fish_seen_subcommand_from sample" -l list -d 'Read the files in FILE, each path terminated by NUL' -r -F
complete -c pfh -n "__fish_pfh_using_subcommand lab; and __fish_seen_subcommand_from sample" -l bytes-max -d 'Read at most SIZE of each file' -r
complete -c pfh -n "__fish_pfh_using_subcommand lab; and __fish_seen_subcommand_from sample" -l seconds -d 'Stop after N seconds' -r
complete -c pfh -n "__fish_pfh_using_subcommand lab; and __fish_seen_subcommand_from sample" -s a -l algorithm -d 'The algorithm, or `none`' -r
complete -c pfh -n "__fish_pfh_using_subcommand lab; and __fish_seen_subcommand_from sample" -l readers -d 'Begin with N readers for places that answer late' -r
complete -c pfh -n "__fish_pfh_using_subcommand lab; and __fish_seen_subcommand_from sample" -s t -s j -l threads -d 'Number of threads [default: one per core]' -r
complete -c pfh -n "__fish_pfh_using_subcommand lab; and __fish_seen_subcommand_from sample" -s p -l prefetchers -d 'Number of readers per device, where threads only read (--mode mtp, --io direct, rotating disks)' -r
complete -c pfh -n "__fish_pfh_using_subcommand lab; and __fish_seen_subcommand_from sample" -s m -l memory -d 'Memory limit for all buffers together (K, M, G: powers of 1024)' -r
complete -c pfh -n "__fish_pfh_using_subcommand lab; and __fish_seen_subcommand_from sample" -l slot -d 'Largest slot of the memory table: what one read asks for at most [default: 64K to 1M, by what is computed; 4M with --io direct]' -r
complete -c pfh -n "__fish_pfh_using_subcommand lab; and __fish_seen_subcommand_from sample" -l mode -d 'How threads share reading and hashing' -r -f -a "adaptive\t'Every worker reads and hashes; reads ahead where reads wait; idle workers help with large files'
mtp\t'As published: prefetchers only read, the other threads only hash'
smt\t'As published: every thread reads and hashes its own file'"
complete -c pfh -n "__fish_pfh_using_subcommand lab; and __fish_seen_subcommand_from sample" -l order -d 'The order in which files are read; the output is always in the order of the walk' -r -f -a "auto\t'By path; by physical position on rotating disks'
path\t''
inode\t''
physical\t'By position on the medium, where the filesystem reports it'
size\t'Largest first'"
complete -c pfh -n "__fish_pfh_using_subcommand lab; and __fish_seen_subcommand_from sample" -l backend -d 'Instructions for hashing many files at once and for similarity digests, instead of the best that this CPU has; `pfh cpu` lists the names' -r
complete -c pfh -n "__fish_pfh_using_subcommand lab; and __fish_seen_subcommand_from sample" -l io -d 'How reading uses the page cache' -r -f -a "buffered\t'Through the page cache'
drop\t'Through it, but cached pages are dropped before and after reading'
direct\t'Around it (O_DIRECT); like `drop` where the filesystem refuses, which --stats counts'"
complete -c pfh -n "__fish_pfh_using_subcommand lab; and __fish_seen_subcommand_from sample" -l medium -d 'Type of storage that the files are on, if the system does not know it or is wrong' -r -f -a "rotating\t''
solid-state\t''
network\t''
memory\t''"
complete -c pfh -n "__fish_pfh_using_subcommand lab; and __fish_seen_subcommand_from sample" -l balance -d 'With --mode mtp: prefer files that fit the free part of the memory table'
complete -c pfh -n "__fish_pfh_using_subcommand lab; and __fish_seen_subcommand_from sample" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c pfh -n "__fish_pfh_using_subcommand lab; and __fish_seen_subcommand_from sample" -s V -l version -d 'Print version'
complete -c pfh -n "__fish_pfh_using_subcommand lab; and __fish_seen_subcommand_from runner" -l lanes -d 'Hash many messages at once; offers only algorithms that have lanes, and modes with many messages'
complete -c pfh -n "__fish_pfh_using_subcommand lab; and __fish_seen_subcommand_from runner" -s h -l help -d 'Print help'
complete -c pfh -n "__fish_pfh_using_subcommand lab; and __fish_seen_subcommand_from runner" -s V -l version -d 'Print version'
complete -c pfh -n "__fish_pfh_using_subcommand lab; and __fish_seen_subcommand_from help" -f -a "list" -d 'List the experiments, or the comparisons of whole programs of one'
complete -c pfh -n "__fish_pfh_using_subcommand lab; and __fish_seen_subcommand_from help" -f -a "doctor" -d 'Show which runners are available, build them, and tell how to install what they lack'
complete -c pfh -n "__fish_pfh_using_subcommand lab; and __fish_seen_subcommand_from help" -f -a "run" -d 'Run an experiment and save its results'
complete -c pfh -n "__fish_pfh_using_subcommand lab; and __fish_seen_subcommand_from help" -f -a "report" -d 'Write a report of results: HTML, with CSV, JSON Lines and Markdown beside it'
complete -c pfh -n "__fish_pfh_using_subcommand lab; and __fish_seen_subcommand_from help" -f -a "claims" -d 'Print all claims of the studies and where each is judged, and recompute their published fits; or the verdicts of results on them'
complete -c pfh -n "__fish_pfh_using_subcommand lab; and __fish_seen_subcommand_from help" -f -a "compare" -d 'Compare two results: of two machines, systems or versions'
complete -c pfh -n "__fish_pfh_using_subcommand lab; and __fish_seen_subcommand_from help" -f -a "measure" -d 'Run a shell command once and print what it cost, as JSON; experiments start this'
complete -c pfh -n "__fish_pfh_using_subcommand lab; and __fish_seen_subcommand_from help" -f -a "mount" -d 'Show a directory as slow as a storage device, and with its faults, until Ctrl-C (docs/reference/devices.md)'
complete -c pfh -n "__fish_pfh_using_subcommand lab; and __fish_seen_subcommand_from help" -f -a "advise" -d 'Measure a path and this machine for a minute, and advise: what limits, how long it takes, which options to use'
complete -c pfh -n "__fish_pfh_using_subcommand lab; and __fish_seen_subcommand_from help" -f -a "survey" -d 'Find samples for `pfh lab advise`'
complete -c pfh -n "__fish_pfh_using_subcommand lab; and __fish_seen_subcommand_from help" -f -a "sample" -d 'Read a sample for `pfh lab advise`'
complete -c pfh -n "__fish_pfh_using_subcommand lab; and __fish_seen_subcommand_from help" -f -a "runner" -d 'Act as a runner: answer tasks on standard input (docs/reference/runner-protocol.md)'
complete -c pfh -n "__fish_pfh_using_subcommand lab; and __fish_seen_subcommand_from help" -f -a "help" -d 'Print this message or the help of the given subcommand(s)'
complete -c pfh -n "__fish_pfh_using_subcommand completions" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c pfh -n "__fish_pfh_using_subcommand completions" -s V -l version -d 'Print version'
complete -c pfh -n "__fish_pfh_using_subcommand man" -s h -l help -d 'Print help'
complete -c pfh -n "__fish_pfh_using_subcommand man" -s V -l version -d 'Print version'
complete -c pfh -n "__fish_pfh_using_subcommand help; and not __fish_seen_subcommand_from hash compare match known verify convert certify dupes covers audit bag copy shard merge frash algorithms cpu lab completions man help" -f -a "hash" -d 'Print digests of files, directories, devices and standard input'
complete -c pfh -n "__fish_pfh_using_subcommand help; and not __fish_seen_subcommand_from hash compare match known verify convert certify dupes covers audit bag copy shard merge frash algorithms cpu lab completions man help" -f -a "compare" -d 'Find similar files: all against all, two sides, clusters, indexes'
complete -c pfh -n "__fish_pfh_using_subcommand help; and not __fish_seen_subcommand_from hash compare match known verify convert certify dupes covers audit bag copy shard merge frash algorithms cpu lab completions man help" -f -a "match" -d 'Find files, and entries of lists, whose digests are known or similar to known ones'
complete -c pfh -n "__fish_pfh_using_subcommand help; and not __fish_seen_subcommand_from hash compare match known verify convert certify dupes covers audit bag copy shard merge frash algorithms cpu lab completions man help" -f -a "known" -d 'Build sets of known files, and look digests up in them'
complete -c pfh -n "__fish_pfh_using_subcommand help; and not __fish_seen_subcommand_from hash compare match known verify convert certify dupes covers audit bag copy shard merge frash algorithms cpu lab completions man help" -f -a "verify" -d 'Compare files with a list of digests, of any format that pfh reads'
complete -c pfh -n "__fish_pfh_using_subcommand help; and not __fish_seen_subcommand_from hash compare match known verify convert certify dupes covers audit bag copy shard merge frash algorithms cpu lab completions man help" -f -a "convert" -d 'Write lists of digests in another format, and tell what that format cannot express'
complete -c pfh -n "__fish_pfh_using_subcommand help; and not __fish_seen_subcommand_from hash compare match known verify convert certify dupes covers audit bag copy shard merge frash algorithms cpu lab completions man help" -f -a "certify" -d 'Write the report on a list that is filed with it: what was hashed, by whom, when and how'
complete -c pfh -n "__fish_pfh_using_subcommand help; and not __fish_seen_subcommand_from hash compare match known verify convert certify dupes covers audit bag copy shard merge frash algorithms cpu lab completions man help" -f -a "dupes" -d 'Find files, and whole directories, with the same contents, and what they cost'
complete -c pfh -n "__fish_pfh_using_subcommand help; and not __fish_seen_subcommand_from hash compare match known verify convert certify dupes covers audit bag copy shard merge frash algorithms cpu lab completions man help" -f -a "covers" -d 'Find files of which there is no copy elsewhere: may this disk be wiped?'
complete -c pfh -n "__fish_pfh_using_subcommand help; and not __fish_seen_subcommand_from hash compare match known verify convert certify dupes covers audit bag copy shard merge frash algorithms cpu lab completions man help" -f -a "audit" -d 'Verify collections over the years: what changed, moved, went missing or rotted'
complete -c pfh -n "__fish_pfh_using_subcommand help; and not __fish_seen_subcommand_from hash compare match known verify convert certify dupes covers audit bag copy shard merge frash algorithms cpu lab completions man help" -f -a "bag" -d 'Make, verify and update bags (BagIt): directories whose contents are listed with digests'
complete -c pfh -n "__fish_pfh_using_subcommand help; and not __fish_seen_subcommand_from hash compare match known verify convert certify dupes covers audit bag copy shard merge frash algorithms cpu lab completions man help" -f -a "copy" -d 'Copy files and directories, and verify each copy by reading it back'
complete -c pfh -n "__fish_pfh_using_subcommand help; and not __fish_seen_subcommand_from hash compare match known verify convert certify dupes covers audit bag copy shard merge frash algorithms cpu lab completions man help" -f -a "shard" -d 'Plan hashing on many machines: walk once, and cut the listing into shards'
complete -c pfh -n "__fish_pfh_using_subcommand help; and not __fish_seen_subcommand_from hash compare match known verify convert certify dupes covers audit bag copy shard merge frash algorithms cpu lab completions man help" -f -a "merge" -d 'Join the results of the shards of a plan into one list'
complete -c pfh -n "__fish_pfh_using_subcommand help; and not __fish_seen_subcommand_from hash compare match known verify convert certify dupes covers audit bag copy shard merge frash algorithms cpu lab completions man help" -f -a "frash" -d 'Measure how similarity digests behave (FRASH): times, lengths, blocks in common, fragments, noise'
complete -c pfh -n "__fish_pfh_using_subcommand help; and not __fish_seen_subcommand_from hash compare match known verify convert certify dupes covers audit bag copy shard merge frash algorithms cpu lab completions man help" -f -a "algorithms" -d 'List the algorithms: names, digest length, how far to trust them, code path on this CPU'
complete -c pfh -n "__fish_pfh_using_subcommand help; and not __fish_seen_subcommand_from hash compare match known verify convert certify dupes covers audit bag copy shard merge frash algorithms cpu lab completions man help" -f -a "cpu" -d 'Show what hashing uses on this CPU: features, backends, and the kernels of each algorithm and similarity family'
complete -c pfh -n "__fish_pfh_using_subcommand help; and not __fish_seen_subcommand_from hash compare match known verify convert certify dupes covers audit bag copy shard merge frash algorithms cpu lab completions man help" -f -a "lab" -d 'Measure hash and cipher implementations of many languages, and check their answers'
complete -c pfh -n "__fish_pfh_using_subcommand help; and not __fish_seen_subcommand_from hash compare match known verify convert certify dupes covers audit bag copy shard merge frash algorithms cpu lab completions man help" -f -a "completions" -d 'Print completions for a shell'
complete -c pfh -n "__fish_pfh_using_subcommand help; and not __fish_seen_subcommand_from hash compare match known verify convert certify dupes covers audit bag copy shard merge frash algorithms cpu lab completions man help" -f -a "man" -d 'Write the man pages into a directory'
complete -c pfh -n "__fish_pfh_using_subcommand help; and not __fish_seen_subcommand_from hash compare match known verify convert certify dupes covers audit bag copy shard merge frash algorithms cpu lab completions man help" -f -a "help" -d 'Print this message or the help of the given subcommand(s)'
complete -c pfh -n "__fish_pfh_using_subcommand help; and __fish_seen_subcommand_from known" -f -a "build" -d 'Build a set from lists, and from other sets'
complete -c pfh -n "__fish_pfh_using_subcommand help; and __fish_seen_subcommand_from known" -f -a "check" -d 'Compare a downloaded archive of NSRL with the check values that NIST publishes beside it'
complete -c pfh -n "__fish_pfh_using_subcommand help; and __fish_seen_subcommand_from known" -f -a "info" -d 'Show what is in a set, and where it comes from'
complete -c pfh -n "__fish_pfh_using_subcommand help; and __fish_seen_subcommand_from known" -f -a "lookup" -d 'Look digests up in sets'
complete -c pfh -n "__fish_pfh_using_subcommand help; and __fish_seen_subcommand_from known" -f -a "export" -d 'Write a set as a list, or as a Bloom filter'
complete -c pfh -n "__fish_pfh_using_subcommand help; and __fish_seen_subcommand_from known" -f -a "serve" -d 'Answer other programs about sets, by HTTP and by the protocol of nsrlsvr'
complete -c pfh -n "__fish_pfh_using_subcommand help; and __fish_seen_subcommand_from audit" -f -a "init" -d 'Make a ledger, and read all files for the first time'
complete -c pfh -n "__fish_pfh_using_subcommand help; and __fish_seen_subcommand_from audit" -f -a "run" -d 'Compare the collection with the ledger'
complete -c pfh -n "__fish_pfh_using_subcommand help; and __fish_seen_subcommand_from audit" -f -a "status" -d 'Show how the collection stands'
complete -c pfh -n "__fish_pfh_using_subcommand help; and __fish_seen_subcommand_from audit" -f -a "history" -d 'Show all that was found of a file'
complete -c pfh -n "__fish_pfh_using_subcommand help; and __fish_seen_subcommand_from audit" -f -a "report" -d 'Write the report of a run'
complete -c pfh -n "__fish_pfh_using_subcommand help; and __fish_seen_subcommand_from audit" -f -a "export" -d 'Write a list of the expected files with the digests that the ledger expects, without reading them'
complete -c pfh -n "__fish_pfh_using_subcommand help; and __fish_seen_subcommand_from audit" -f -a "accept" -d 'Accept open findings: what was seen is expected from now on'
complete -c pfh -n "__fish_pfh_using_subcommand help; and __fish_seen_subcommand_from audit" -f -a "forget" -d 'Expect a file, or all files below a directory, no longer'
complete -c pfh -n "__fish_pfh_using_subcommand help; and __fish_seen_subcommand_from audit" -f -a "relocate" -d 'Record that the collection, or a part of it, is at another path now'
complete -c pfh -n "__fish_pfh_using_subcommand help; and __fish_seen_subcommand_from audit" -f -a "migrate" -d 'Change the algorithm: verify by the old digests and compute new ones in the same reading'
complete -c pfh -n "__fish_pfh_using_subcommand help; and __fish_seen_subcommand_from audit" -f -a "head" -d 'Print the end of the chain of events, to be kept elsewhere'
complete -c pfh -n "__fish_pfh_using_subcommand help; and __fish_seen_subcommand_from audit" -f -a "verify-ledger" -d 'Check that no event was changed or lost, and that the tables follow from the events'
complete -c pfh -n "__fish_pfh_using_subcommand help; and __fish_seen_subcommand_from bag" -f -a "create" -d 'Make directories bags of version 1.0'
complete -c pfh -n "__fish_pfh_using_subcommand help; and __fish_seen_subcommand_from bag" -f -a "verify" -d 'Verify bags of versions 0.93 to 1.0, and report everything that is wrong'
complete -c pfh -n "__fish_pfh_using_subcommand help; and __fish_seen_subcommand_from bag" -f -a "update" -d 'Write new manifests after files were added, removed or changed'
complete -c pfh -n "__fish_pfh_using_subcommand help; and __fish_seen_subcommand_from lab" -f -a "list" -d 'List the experiments, or the comparisons of whole programs of one'
complete -c pfh -n "__fish_pfh_using_subcommand help; and __fish_seen_subcommand_from lab" -f -a "doctor" -d 'Show which runners are available, build them, and tell how to install what they lack'
complete -c pfh -n "__fish_pfh_using_subcommand help; and __fish_seen_subcommand_from lab" -f -a "run" -d 'Run an experiment and save its results'
complete -c pfh -n "__fish_pfh_using_subcommand help; and __fish_seen_subcommand_from lab" -f -a "report" -d 'Write a report of results: HTML, with CSV, JSON Lines and Markdown beside it'
complete -c pfh -n "__fish_pfh_using_subcommand help; and __fish_seen_subcommand_from lab" -f -a "claims" -d 'Print all claims of the studies and where each is judged, and recompute their published fits; or the verdicts of results on them'
complete -c pfh -n "__fish_pfh_using_subcommand help; and __fish_seen_subcommand_from lab" -f -a "compare" -d 'Compare two results: of two machines, systems or versions'
complete -c pfh -n "__fish_pfh_using_subcommand help; and __fish_seen_subcommand_from lab" -f -a "measure" -d 'Run a shell command once and print what it cost, as JSON; experiments start this'
complete -c pfh -n "__fish_pfh_using_subcommand help; and __fish_seen_subcommand_from lab" -f -a "mount" -d 'Show a directory as slow as a storage device, and with its faults, until Ctrl-C (docs/reference/devices.md)'
complete -c pfh -n "__fish_pfh_using_subcommand help; and __fish_seen_subcommand_from lab" -f -a "advise" -d 'Measure a path and this machine for a minute, and advise: what limits, how long it takes, which options to use'
complete -c pfh -n "__fish_pfh_using_subcommand help; and __fish_seen_subcommand_from lab" -f -a "survey" -d 'Find samples for `pfh lab advise`'
complete -c pfh -n "__fish_pfh_using_subcommand help; and __fish_seen_subcommand_from lab" -f -a "sample" -d 'Read a sample for `pfh lab advise`'
complete -c pfh -n "__fish_pfh_using_subcommand help; and __fish_seen_subcommand_from lab" -f -a "runner" -d 'Act as a runner: answer tasks on standard input (docs/reference/runner-protocol.md)'
complete -c pfh -n "__fish_pfh_needs_command; and string length -q -- (commandline -ct)" -f -a "md4 md5 sha1 sha1dc sha224 sha256 sha384 sha512 sha512-224 sha512-256 sha3-224 sha3-256 sha3-384 sha3-512 shake128 shake256 keccak256 blake2b blake2s blake3 ripemd128 ripemd160 ripemd256 ripemd320 whirlpool tiger sm3 streebog256 streebog512 crc32 crc32c crc64nvme adler32 xxh32 xxh64 xxh3-64 xxh3-128 fnv1-32 fnv1-64 fnv1a-32 fnv1a-64 ssdeep sdhash mrsh-v2 tlsh"
