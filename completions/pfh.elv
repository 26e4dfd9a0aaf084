
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
            cand compare 'Find similar files: all against all, two sides, clusters, indexes'
            cand match 'Find files, and entries of lists, whose digests are known or similar to known ones'
            cand known 'Build sets of known files, and look digests up in them'
            cand verify 'Compare files with a list of digests, of any format that pfh reads'
            cand convert 'Write lists of digests in another format, and tell what that format cannot express'
            cand certify 'Write the report on a list that is filed with it: what was hashed, by whom, when and how'
            cand dupes 'Find files, and whole directories, with the same contents, and what they cost'
            cand covers 'Find files of which there is no copy elsewhere: may this disk be wiped?'
            cand audit 'Verify collections over the years: what changed, moved, went missing or rotted'
            cand bag 'Make, verify and update bags (BagIt): directories whose contents are listed with digests'
            cand copy 'Copy files and directories, and verify each copy by reading it back'
            cand shard 'Plan hashing on many machines: walk once, and cut the listing into shards'
            cand merge 'Join the results of the shards of a plan into one list'
            cand frash 'Measure how similarity digests behave (FRASH): times, lengths, blocks in common, fragments, noise'
            cand algorithms 'List the algorithms: names, digest length, how far to trust them, code path on this CPU'
            cand cpu 'Show what hashing uses on this CPU: features, backends, and the kernels of each algorithm and similarity family'
            cand lab 'Measure hash and cipher implementations of many languages, and check their answers'
            cand completions 'Print completions for a shell'
            cand man 'Write the man pages into a directory'
            cand help 'Print this message or the help of the given subcommand(s)'
        }
        &'pfh;hash'= {
            cand -a 'Algorithms, separated by commas, or repeated; one read computes them all. `pfh algorithms` lists them'
            cand --algorithm 'Algorithms, separated by commas, or repeated; one read computes them all. `pfh algorithms` lists them'
            cand -f 'Format of the list: gnu, bsd, hashdeep, md5deep, sfv, csv, jsonl, dfxml, ssdeep, sdhash, mrsh-v2 or tlsh [default: gnu for one algorithm, bsd for several, jsonl with --resume]'
            cand --format 'Format of the list: gnu, bsd, hashdeep, md5deep, sfv, csv, jsonl, dfxml, ssdeep, sdhash, mrsh-v2 or tlsh [default: gnu for one algorithm, bsd for several, jsonl with --resume]'
            cand -o 'Write to FILE, which appears whole or not at all; `-` is standard output [default: -]'
            cand --output 'Write to FILE, which appears whole or not at all; `-` is standard output [default: -]'
            cand --piecewise 'Also print the digest of every piece of SIZE bytes (K, M, G: powers of 1024)'
            cand --facts 'Also find facts about contents: the longest run of one byte, sectors of zeros, the entropy of a byte'
            cand --stats 'Print where the time went, on standard error'
            cand --progress 'Show progress on standard error'
            cand --key-file 'Read the key of hmac-… and keyed-… algorithms from FILE; `-` is standard input'
            cand --derive-key 'Derive keys from the files, in this context (blake3-derive-key; `b3sum --derive-key`)'
            cand --sdhash-profile 'Version of sdhash that digests and scores are compatible with'
            cand --sdhash-blocks 'Block size of sdhash in KiB, 1 to 16, or 0 for none (`sdhash -b`) [default: 16 from 16 MiB on, none below]'
            cand --sdhash-segments 'Segment size of sdhash in MiB (`sdhash -z`); 0 for none'
            cand --files-from 'Also read paths from FILE, one per line; `-` is standard input'
            cand --files-from0 'Also read paths from FILE, each terminated by NUL (as `find -print0` writes them); `-` is standard input'
            cand --include 'Read only files that match GLOB (repeatable: any one suffices). Quote it for the shell'
            cand --exclude 'Exclude files and directories that match GLOB (repeatable). `GLOB/` excludes directories only'
            cand --min-size 'Exclude files smaller than SIZE'
            cand --max-size 'Exclude files larger than SIZE'
            cand --max-depth 'Descend at most N levels below the given paths; 1 means only the files directly in a directory'
            cand -t 'Number of threads [default: one per core]'
            cand -j 'Number of threads [default: one per core]'
            cand --threads 'Number of threads [default: one per core]'
            cand -p 'Number of readers per device, where threads only read (--mode mtp, --io direct, rotating disks)'
            cand --prefetchers 'Number of readers per device, where threads only read (--mode mtp, --io direct, rotating disks)'
            cand -m 'Memory limit for all buffers together (K, M, G: powers of 1024)'
            cand --memory 'Memory limit for all buffers together (K, M, G: powers of 1024)'
            cand --slot 'Largest slot of the memory table: what one read asks for at most [default: 64K to 1M, by what is computed; 4M with --io direct]'
            cand --mode 'How threads share reading and hashing'
            cand --order 'The order in which files are read; the output is always in the order of the walk'
            cand --backend 'Instructions for hashing many files at once and for similarity digests, instead of the best that this CPU has; `pfh cpu` lists the names'
            cand --io 'How reading uses the page cache'
            cand --medium 'Type of storage that the files are on, if the system does not know it or is wrong'
            cand --profile 'Take the options that `pfh lab advise --save` found (threads, prefetchers, mode, order, method, medium) from FILE, except those that are given here'
            cand --plan 'Hash shards of the plan in the folder PLAN, which `pfh shard` made, instead of paths. Results appear there'
            cand --shard 'The number of the shard, from 0; or I/N: every shard whose number is I modulo N, one after the other'
            cand -b 'Accepted for compatibility: contents are always read as they are'
            cand --binary 'Accepted for compatibility: contents are always read as they are'
            cand --tag 'Same as `-f bsd`'
            cand --json 'Same as `-f jsonl`'
            cand --allow-empty 'Replace an existing FILE of -o even with a list that has not a single complete file'
            cand -0 'End records with NUL instead of a line feed, and escape nothing (formats gnu, bsd, md5deep)'
            cand --null 'End records with NUL instead of a line feed, and escape nothing (formats gnu, bsd, md5deep)'
            cand --zero 'End records with NUL instead of a line feed, and escape nothing (formats gnu, bsd, md5deep)'
            cand --uppercase 'Write digests in upper-case hexadecimal (formats gnu, bsd, sfv)'
            cand --base64 'Write digests in base64 (formats gnu, bsd), as `cksum --base64` does'
            cand --resume 'Continue the JSON Lines file given with -o: skip files that it records with the same path, size and modification time'
            cand --compact 'With --resume: first drop lines that are superseded by a later line about the same path'
            cand --unordered 'Print records as they finish rather than in the order of the walk'
            cand -q 'Do not print warnings about single files and lines (the totals at the end and the exit status still count them)'
            cand --quiet 'Do not print warnings about single files and lines (the totals at the end and the exit status still count them)'
            cand --verbose 'Print every warning, rather than the first ten of each kind in each directory'
            cand --key-hex 'The key file holds hexadecimal digits; white space between them is ignored'
            cand --mrsh-network 'Compute mrsh-v2 digests as its build for network packets does, without the first and the last chunk'
            cand -r 'Accepted for compatibility: directories are always walked'
            cand --recursive 'Accepted for compatibility: directories are always walked'
            cand -x 'Stay on the filesystem of each given path'
            cand --one-file-system 'Stay on the filesystem of each given path'
            cand --follow-files 'Read files that symbolic links point to. (Links among the given paths are always followed.)'
            cand --follow-directories 'Walk directories that symbolic links point to; loops are detected'
            cand --preserve-access-time 'Preserve access times where the system permits it'
            cand --balance 'With --mode mtp: prefer files that fit the free part of the memory table'
            cand --any-tree 'Hash what lies at the paths of the plan even if the directories there are not those that were planned'
            cand -h 'Print help (see more with ''--help'')'
            cand --help 'Print help (see more with ''--help'')'
            cand -V 'Print version'
            cand --version 'Print version'
        }
        &'pfh;compare'= {
            cand --digests 'Also compare the digests in LIST (repeatable), which ssdeep, sdhash, mrsh-v2, tlsh or `pfh hash` wrote; `-` is standard input'
            cand --against 'Compare with the files below PATH instead of with each other (repeatable)'
            cand --against-digests 'Compare with the digests in LIST instead of with each other (repeatable)'
            cand --as 'Read the lists as this format, instead of recognising it: a format of `pfh hash`, or one that is only read'
            cand -a 'Family of digests: ssdeep, sdhash, mrsh-v2 or tlsh [default: that of the lists or the index, or ssdeep]'
            cand --algorithm 'Family of digests: ssdeep, sdhash, mrsh-v2 or tlsh [default: that of the lists or the index, or ssdeep]'
            cand --top 'Print only the K best matches of each file; of equally good ones, the first'
            cand --heatmap 'Write a picture of all scores as SVG, for at most 512 files, instead of printing pairs'
            cand --build-index 'Write an index of the digests (ssdeep, tlsh) instead of comparing them'
            cand --index 'Compare with the digests in this index instead of with each other'
            cand --threshold 'Lowest score to report, 0 to 100; with tlsh the largest distance [default: 1; tlsh: 30]'
            cand --sample 'sdhash: use only the first N filters of the first digest of a pair (`sdhash -s`)'
            cand -f 'Format of the pairs [default: that of the family''s own program]'
            cand --format 'Format of the pairs [default: that of the family''s own program]'
            cand -o 'Write to FILE, which appears whole or not at all; `-` is standard output [default: -]'
            cand --output 'Write to FILE, which appears whole or not at all; `-` is standard output [default: -]'
            cand -j 'Number of threads [default: one per core]'
            cand --threads 'Number of threads [default: one per core]'
            cand -m 'Memory limit for digests, comparison and sorting (K, M, G: powers of 1024)'
            cand --memory 'Memory limit for digests, comparison and sorting (K, M, G: powers of 1024)'
            cand --progress 'Show progress on standard error'
            cand --sdhash-profile 'Version of sdhash that digests and scores are compatible with'
            cand --sdhash-blocks 'Block size of sdhash in KiB, 1 to 16, or 0 for none (`sdhash -b`) [default: 16 from 16 MiB on, none below]'
            cand --sdhash-segments 'Segment size of sdhash in MiB (`sdhash -z`); 0 for none'
            cand --files-from 'Also read paths from FILE, one per line; `-` is standard input'
            cand --files-from0 'Also read paths from FILE, each terminated by NUL (as `find -print0` writes them); `-` is standard input'
            cand --include 'Read only files that match GLOB (repeatable: any one suffices). Quote it for the shell'
            cand --exclude 'Exclude files and directories that match GLOB (repeatable). `GLOB/` excludes directories only'
            cand --min-size 'Exclude files smaller than SIZE'
            cand --max-size 'Exclude files larger than SIZE'
            cand --max-depth 'Descend at most N levels below the given paths; 1 means only the files directly in a directory'
            cand --clusters 'Print groups of files that pairs join, directly or indirectly, instead of the pairs'
            cand --symmetric 'sdhash: if two digests have the same number of filters, compare both ways and take the higher score'
            cand --fast 'sdhash: compare filters folded to a quarter of their length, with the scores of `sdhash --fast` in version 4.0'
            cand --resemblance 'mrsh-v2: score how much of the larger file is in the smaller one, that is, how alike they are (`mrsh -f`)'
            cand --allow-empty 'Replace an existing FILE of -o even with a result for which there was not a single digest'
            cand -q 'Do not print warnings about single files and lines (the totals at the end and the exit status still count them)'
            cand --quiet 'Do not print warnings about single files and lines (the totals at the end and the exit status still count them)'
            cand --verbose 'Print every warning, rather than the first ten of each kind in each directory'
            cand --mrsh-network 'Compute mrsh-v2 digests as its build for network packets does, without the first and the last chunk'
            cand -r 'Accepted for compatibility: directories are always walked'
            cand --recursive 'Accepted for compatibility: directories are always walked'
            cand -x 'Stay on the filesystem of each given path'
            cand --one-file-system 'Stay on the filesystem of each given path'
            cand --follow-files 'Read files that symbolic links point to. (Links among the given paths are always followed.)'
            cand --follow-directories 'Walk directories that symbolic links point to; loops are detected'
            cand --preserve-access-time 'Preserve access times where the system permits it'
            cand -h 'Print help (see more with ''--help'')'
            cand --help 'Print help (see more with ''--help'')'
            cand -V 'Print version'
            cand --version 'Print version'
        }
        &'pfh;match'= {
            cand --digests 'Also look through the digests in LIST (repeatable); `-` is standard input'
            cand --digest 'The digest to look for: hexadecimal, or as ssdeep, sdhash, mrsh-v2 or tlsh write it'
            cand --known 'A list of digests to look for (repeatable): in any format of `pfh hash`, plain hexadecimal, or as ssdeep, sdhash, mrsh-v2 or tlsh wrote it'
            cand --as 'Read the lists as this format, instead of recognising it: a format of `pfh hash`, or one that is only read'
            cand --only 'Print only files of these classes: good, bad, other, known (all three) or unknown'
            cand --fail-on 'Exit with status 1 if there is a file of these classes; `none` for never [default: bad; with --blocks: known]'
            cand -a 'Look only for digests of this algorithm or family, and assume it where a list names none [default: the one that the list names, or by length: CRC-32, MD5, SHA-1, SHA-224, SHA-256, SHA-384, SHA-512]'
            cand --algorithm 'Look only for digests of this algorithm or family, and assume it where a list names none [default: the one that the list names, or by length: CRC-32, MD5, SHA-1, SHA-224, SHA-256, SHA-384, SHA-512]'
            cand --top 'Print only the K most similar known digests for each file'
            cand --blocks 'Look for fragments of known files: the paths are disk images, and the set has digests of blocks of SIZE bytes'
            cand --step 'With --blocks: look for blocks at every multiple of SIZE bytes in the image; SIZE is a multiple of 512 that divides the length of blocks [default: 512]'
            cand --key-file 'Read the key of hmac-… and keyed-… algorithms from FILE; `-` is standard input'
            cand --derive-key 'Derive keys from the files, in this context (blake3-derive-key; `b3sum --derive-key`)'
            cand --threshold 'Lowest score to report, 0 to 100; with tlsh the largest distance [default: 1; tlsh: 30]'
            cand --sample 'sdhash: use only the first N filters of the first digest of a pair (`sdhash -s`)'
            cand -f 'Format of the pairs [default: that of the family''s own program]'
            cand --format 'Format of the pairs [default: that of the family''s own program]'
            cand -o 'Write to FILE, which appears whole or not at all; `-` is standard output [default: -]'
            cand --output 'Write to FILE, which appears whole or not at all; `-` is standard output [default: -]'
            cand -j 'Number of threads [default: one per core]'
            cand --threads 'Number of threads [default: one per core]'
            cand -m 'Memory limit for digests, comparison and sorting (K, M, G: powers of 1024)'
            cand --memory 'Memory limit for digests, comparison and sorting (K, M, G: powers of 1024)'
            cand --progress 'Show progress on standard error'
            cand --sdhash-profile 'Version of sdhash that digests and scores are compatible with'
            cand --sdhash-blocks 'Block size of sdhash in KiB, 1 to 16, or 0 for none (`sdhash -b`) [default: 16 from 16 MiB on, none below]'
            cand --sdhash-segments 'Segment size of sdhash in MiB (`sdhash -z`); 0 for none'
            cand --files-from 'Also read paths from FILE, one per line; `-` is standard input'
            cand --files-from0 'Also read paths from FILE, each terminated by NUL (as `find -print0` writes them); `-` is standard input'
            cand --include 'Read only files that match GLOB (repeatable: any one suffices). Quote it for the shell'
            cand --exclude 'Exclude files and directories that match GLOB (repeatable). `GLOB/` excludes directories only'
            cand --min-size 'Exclude files smaller than SIZE'
            cand --max-size 'Exclude files larger than SIZE'
            cand --max-depth 'Descend at most N levels below the given paths; 1 means only the files directly in a directory'
            cand --check-sets 'Read each set whole before anything else, and refuse one of which a byte is not as it was written'
            cand --negate 'Print the files that --only would leave out'
            cand --names-only 'Print nothing but the names of files, one in a line, as they are'
            cand -0 'With --names-only: end names with NUL instead of a line feed, as `xargs -0` reads them'
            cand --null 'With --names-only: end names with NUL instead of a line feed, as `xargs -0` reads them'
            cand --zero 'With --names-only: end names with NUL instead of a line feed, as `xargs -0` reads them'
            cand --not-found 'Print the entries of sets that no file was, instead of files'
            cand --all-names 'Print every name that the lists give for a cryptographic digest, not only the first in each list and the number of others'
            cand --key-hex 'The key file holds hexadecimal digits; white space between them is ignored'
            cand --symmetric 'sdhash: if two digests have the same number of filters, compare both ways and take the higher score'
            cand --fast 'sdhash: compare filters folded to a quarter of their length, with the scores of `sdhash --fast` in version 4.0'
            cand --resemblance 'mrsh-v2: score how much of the larger file is in the smaller one, that is, how alike they are (`mrsh -f`)'
            cand --allow-empty 'Replace an existing FILE of -o even with a result for which there was not a single digest'
            cand -q 'Do not print warnings about single files and lines (the totals at the end and the exit status still count them)'
            cand --quiet 'Do not print warnings about single files and lines (the totals at the end and the exit status still count them)'
            cand --verbose 'Print every warning, rather than the first ten of each kind in each directory'
            cand --mrsh-network 'Compute mrsh-v2 digests as its build for network packets does, without the first and the last chunk'
            cand -r 'Accepted for compatibility: directories are always walked'
            cand --recursive 'Accepted for compatibility: directories are always walked'
            cand -x 'Stay on the filesystem of each given path'
            cand --one-file-system 'Stay on the filesystem of each given path'
            cand --follow-files 'Read files that symbolic links point to. (Links among the given paths are always followed.)'
            cand --follow-directories 'Walk directories that symbolic links point to; loops are detected'
            cand --preserve-access-time 'Preserve access times where the system permits it'
            cand -h 'Print help (see more with ''--help'')'
            cand --help 'Print help (see more with ''--help'')'
            cand -V 'Print version'
            cand --version 'Print version'
        }
        &'pfh;known'= {
            cand -h 'Print help (see more with ''--help'')'
            cand --help 'Print help (see more with ''--help'')'
            cand -V 'Print version'
            cand --version 'Print version'
            cand build 'Build a set from lists, and from other sets'
            cand check 'Compare a downloaded archive of NSRL with the check values that NIST publishes beside it'
            cand info 'Show what is in a set, and where it comes from'
            cand lookup 'Look digests up in sets'
            cand export 'Write a set as a list, or as a Bloom filter'
            cand serve 'Answer other programs about sets, by HTTP and by the protocol of nsrlsvr'
            cand help 'Print this message or the help of the given subcommand(s)'
        }
        &'pfh;known;build'= {
            cand --blocks 'Build a set of the blocks of files, for `pfh match --blocks`: the sources are files and directories, and each whole block of SIZE bytes is hashed'
            cand --class 'Class of the files in the lists: good, bad or other. Sets keep their own classes'
            cand --as 'Read the lists as this format, instead of recognising it: a format of `pfh hash`, or nsrl, hashkeeper, ilook, encase, sleuthkit, vics, icse, hashdb, bagit, ocfl, avp or imager'
            cand --columns 'Read the lists as tables with these columns, by name or number: `md5=Hash,name="File Name",size=3`. Also sha1, sha256 …, product and category'
            cand -a 'Take only digests by these algorithms [default: md5, sha1, sha224, sha256, sha384, sha512, sha3-256, sha3-512, blake2b, blake3, tiger, whirlpool, as far as the lists have them]'
            cand --algorithm 'Take only digests by these algorithms [default: md5, sha1, sha224, sha256, sha384, sha512, sha3-256, sha3-512, blake2b, blake3, tiger, whirlpool, as far as the lists have them]'
            cand --keep 'Keep beside digests, as far as the sources tell: size, name, product, category of each file; `digests` keeps the way from one digest to the others of the file'
            cand --release 'The release of the lists, to be shown with each match'
            cand --note 'A note about the lists, to be kept in the set'
            cand --except 'Leave out files that are in this set (repeatable)'
            cand --common 'Take only files that are in this set, too (repeatable)'
            cand -m 'Memory limit for sorting (K, M, G: powers of 1024); temporary files take the rest'
            cand --memory 'Memory limit for sorting (K, M, G: powers of 1024); temporary files take the rest'
            cand --keep-going 'Leave out lines and rows that cannot be read, and sources without wanted digests, instead of making no set; with --blocks, files that cannot be read'
            cand --allow-empty 'Replace an existing SET even with a set that has not a single file'
            cand -q 'Do not print warnings about single lines (the totals at the end and the exit status still count them)'
            cand --quiet 'Do not print warnings about single lines (the totals at the end and the exit status still count them)'
            cand -h 'Print help (see more with ''--help'')'
            cand --help 'Print help (see more with ''--help'')'
            cand -V 'Print version'
            cand --version 'Print version'
        }
        &'pfh;known;check'= {
            cand -h 'Print help (see more with ''--help'')'
            cand --help 'Print help (see more with ''--help'')'
            cand -V 'Print version'
            cand --version 'Print version'
        }
        &'pfh;known;info'= {
            cand --verify 'Read the whole set and check that it is as it was written'
            cand --json 'Print a JSON object instead of text'
            cand -h 'Print help'
            cand --help 'Print help'
            cand -V 'Print version'
            cand --version 'Print version'
        }
        &'pfh;known;lookup'= {
            cand --known 'Look in this set, too (repeatable); also CLASS=SET'
            cand --filter 'Ask this Bloom filter first: digests that it does not have are unknown, and the set is not asked for them'
            cand -f 'Format of the answers'
            cand --format 'Format of the answers'
            cand --check-sets 'Read each set whole before anything else, and refuse one of which a byte is not as it was written'
            cand -h 'Print help (see more with ''--help'')'
            cand --help 'Print help (see more with ''--help'')'
            cand -V 'Print version'
            cand --version 'Print version'
        }
        &'pfh;known;export'= {
            cand -f 'A format of `pfh hash`; `digests`, a line for each digest of one algorithm; or `bloom`, a Bloom filter in the format of DCSO, which hashlookup uses'
            cand --format 'A format of `pfh hash`; `digests`, a line for each digest of one algorithm; or `bloom`, a Bloom filter in the format of DCSO, which hashlookup uses'
            cand -a 'Only digests by these algorithms [default: all of the set; for `bloom` sha1]'
            cand --algorithm 'Only digests by these algorithms [default: all of the set; for `bloom` sha1]'
            cand --only 'Only files of these classes'
            cand --letters 'Write the digits of digests in lower or upper case [default: upper for `bloom`, otherwise lower]'
            cand --probability 'For `bloom`: the chance that the filter says "maybe" of a digest that the set does not have'
            cand -o 'Write to FILE, which appears whole or not at all [default: standard output]'
            cand --output 'Write to FILE, which appears whole or not at all [default: standard output]'
            cand -m 'Memory limit (K, M, G: powers of 1024)'
            cand --memory 'Memory limit (K, M, G: powers of 1024)'
            cand --allow-empty 'Replace an existing FILE even if no entry is written'
            cand -q 'Do not print what the list lacks'
            cand --quiet 'Do not print what the list lacks'
            cand -h 'Print help (see more with ''--help'')'
            cand --help 'Print help (see more with ''--help'')'
            cand -V 'Print version'
            cand --version 'Print version'
        }
        &'pfh;known;serve'= {
            cand --listen 'Answer HTTP at this address [default port: 9180; port 0 is any free one]'
            cand --host 'Also answer HTTP for this host (repeatable), beside localhost and addresses'
            cand --nsrlsvr 'Also speak the protocol of nsrlsvr at this address [default port: 9120]'
            cand --nsrlsvr-classes 'Classes of the files that the protocol of nsrlsvr calls known, which has no classes: good, bad, other'
            cand --max-connections 'Most connections at a time; further ones are refused [default: 4096, or what the limit on open files allows]'
            cand --max-client-connections 'Most connections of one client at a time by each protocol; further ones are refused [default: a quarter of --max-connections, and 16 at least]'
            cand --max-rate 'Most requests of one client in a second; 0 for any number. A client is an address (IPv6: a network of 64 bits)'
            cand --max-digests 'Most digests in a request over HTTP'
            cand --max-body 'Longest body of a request over HTTP (K, M, G: powers of 1024)'
            cand --max-line-digests 'Most digests in a line of the protocol of nsrlsvr'
            cand --max-line 'Longest line of the protocol of nsrlsvr (K, M, G: powers of 1024)'
            cand -m 'Memory limit for requests and answers on their way, beside a few kilobytes of each connection (K, M, G: powers of 1024). The sets are mapped, and are not in it'
            cand --memory 'Memory limit for requests and answers on their way, beside a few kilobytes of each connection (K, M, G: powers of 1024). The sets are mapped, and are not in it'
            cand --timeout 'Time for a client to begin its first request, to send one that it has begun, and to take each part of an answer'
            cand --idle 'Time for which a connection of the protocol of nsrlsvr may be without a request after its first'
            cand -h 'Print help (see more with ''--help'')'
            cand --help 'Print help (see more with ''--help'')'
            cand -V 'Print version'
            cand --version 'Print version'
        }
        &'pfh;known;help'= {
            cand build 'Build a set from lists, and from other sets'
            cand check 'Compare a downloaded archive of NSRL with the check values that NIST publishes beside it'
            cand info 'Show what is in a set, and where it comes from'
            cand lookup 'Look digests up in sets'
            cand export 'Write a set as a list, or as a Bloom filter'
            cand serve 'Answer other programs about sets, by HTTP and by the protocol of nsrlsvr'
            cand help 'Print this message or the help of the given subcommand(s)'
        }
        &'pfh;known;help;build'= {
        }
        &'pfh;known;help;check'= {
        }
        &'pfh;known;help;info'= {
        }
        &'pfh;known;help;lookup'= {
        }
        &'pfh;known;help;export'= {
        }
        &'pfh;known;help;serve'= {
        }
        &'pfh;known;help;help'= {
        }
        &'pfh;verify'= {
            cand -a 'The algorithm of digests for which LIST names none [default: by their length]'
            cand --algorithm 'The algorithm of digests for which LIST names none [default: by their length]'
            cand --as 'Read LIST as this format, instead of recognising it: a format of `pfh hash`, or one that is only read'
            cand --sample 'Read only this share of the files, chosen at random'
            cand --seed 'The number that decides the choice of --sample [default: another one each time, which is printed]'
            cand --strip-prefix 'Remove PREFIX from the paths of LIST; other paths are not below ROOT'
            cand -f 'Format of the output'
            cand --format 'Format of the output'
            cand -o 'Write to FILE, which appears whole or not at all; `-` is standard output [default: -]'
            cand --output 'Write to FILE, which appears whole or not at all; `-` is standard output [default: -]'
            cand --compat 'Print, and exit with, what another program does, so that scripts move over; see the guides'
            cand --progress 'Show progress on standard error'
            cand --include 'Check only files that match GLOB (repeatable: any one suffices). Quote it for the shell'
            cand --exclude 'Leave out files and directories that match GLOB (repeatable). `GLOB/` leaves out directories only'
            cand -t 'Number of threads [default: one per core]'
            cand -j 'Number of threads [default: one per core]'
            cand --threads 'Number of threads [default: one per core]'
            cand -p 'Number of readers per device, where threads only read (--mode mtp, --io direct, rotating disks)'
            cand --prefetchers 'Number of readers per device, where threads only read (--mode mtp, --io direct, rotating disks)'
            cand -m 'Memory limit for all buffers together (K, M, G: powers of 1024)'
            cand --memory 'Memory limit for all buffers together (K, M, G: powers of 1024)'
            cand --slot 'Largest slot of the memory table: what one read asks for at most [default: 64K to 1M, by what is computed; 4M with --io direct]'
            cand --mode 'How threads share reading and hashing'
            cand --order 'The order in which files are read; the output is always in the order of the walk'
            cand --backend 'Instructions for hashing many files at once and for similarity digests, instead of the best that this CPU has; `pfh cpu` lists the names'
            cand --io 'How reading uses the page cache'
            cand --medium 'Type of storage that the files are on, if the system does not know it or is wrong'
            cand --key-file 'Read the key of hmac-… and keyed-… algorithms from FILE; `-` is standard input'
            cand --derive-key 'Derive keys from the files, in this context (blake3-derive-key; `b3sum --derive-key`)'
            cand --ignore-new 'Do not look for files that LIST does not have; then moved files are missing'
            cand --ignore-missing 'Files that are missing are no finding'
            cand --structure 'Compare names and sizes only; no contents are read'
            cand --size-first 'Compare names and sizes of all files before any is read, and do not read files whose size differs'
            cand --backslashes 'The paths of LIST have backslashes between their components, as on Windows'
            cand --piecewise 'Names in LIST that end with ` offset START-END` are of pieces, which are not compared (gnu, bsd)'
            cand --all 'Print files that match, too'
            cand -q 'Print the verdict only. With --compat gnu: no line for files that match'
            cand --quiet 'Print the verdict only. With --compat gnu: no line for files that match'
            cand --status 'With --compat gnu: print nothing for files; the exit status tells'
            cand --strict 'With --compat gnu: also exit with 1 if lines of the list are improperly formatted'
            cand -w 'With --compat gnu: warn about each line that is improperly formatted'
            cand --warn 'With --compat gnu: warn about each line that is improperly formatted'
            cand -v 'With --compat hashdeep: print the counts; twice: also each file that does not match; three times: also those that do'
            cand --verbose 'With --compat hashdeep: print the counts; twice: also each file that does not match; three times: also those that do'
            cand -x 'Stay on the filesystem of ROOT'
            cand --one-file-system 'Stay on the filesystem of ROOT'
            cand --follow-files 'Read files that symbolic links point to'
            cand --follow-directories 'Walk directories that symbolic links point to; loops are detected'
            cand --preserve-access-time 'Preserve access times where the system permits it'
            cand --balance 'With --mode mtp: prefer files that fit the free part of the memory table'
            cand --key-hex 'The key file holds hexadecimal digits; white space between them is ignored'
            cand -h 'Print help (see more with ''--help'')'
            cand --help 'Print help (see more with ''--help'')'
            cand -V 'Print version'
            cand --version 'Print version'
        }
        &'pfh;convert'= {
            cand -f 'Format of the new list: one of `pfh hash`'
            cand --format 'Format of the new list: one of `pfh hash`'
            cand -o 'Write to FILE, which appears whole or not at all [default: standard output]'
            cand --output 'Write to FILE, which appears whole or not at all [default: standard output]'
            cand -a 'Only these digests, in this order [default: all that the format has a place for]'
            cand --algorithm 'Only these digests, in this order [default: all that the format has a place for]'
            cand --as 'Read the lists as this format, instead of recognising it: a format of `pfh hash`, or nsrl, hashkeeper, ilook, encase, sleuthkit, vics, icse, hashdb, bagit, ocfl, avp, avp-report or imager'
            cand --allow-empty 'Replace an existing FILE of -o even if the lists have not a single entry'
            cand --join 'Make one entry of all that the lists state of a file: digests by several algorithms, its size and time'
            cand --piecewise 'Names in the lists that end with ` offset START-END` are of pieces (gnu, bsd, hashdeep, md5deep)'
            cand --read-null 'Records of the lists end with NUL, and nothing is escaped (with --as gnu, bsd or md5deep)'
            cand -0 'End records with NUL instead of a line feed, and escape nothing (formats gnu, bsd, md5deep)'
            cand --null 'End records with NUL instead of a line feed, and escape nothing (formats gnu, bsd, md5deep)'
            cand --zero 'End records with NUL instead of a line feed, and escape nothing (formats gnu, bsd, md5deep)'
            cand --uppercase 'Write digests in upper-case hexadecimal (formats gnu, bsd, sfv)'
            cand --base64 'Write digests in base64 (formats gnu, bsd), as `cksum --base64` does'
            cand -q 'Do not print what the list lacks'
            cand --quiet 'Do not print what the list lacks'
            cand -h 'Print help (see more with ''--help'')'
            cand --help 'Print help (see more with ''--help'')'
            cand -V 'Print version'
            cand --version 'Print version'
        }
        &'pfh;certify'= {
            cand --by 'Who makes the report. Nobody is assumed: an account is not a person'
            cand --role 'The role of this person: forensic examiner, archivist, owner of the device'
            cand --case 'The case that the report belongs to'
            cand --evidence 'The evidence or the item that was hashed'
            cand --device 'A device that was hashed or used: make, model, serial number. May be repeated'
            cand --as 'Read the list as this format, instead of recognising it: a format of `pfh hash`, or one that is only read'
            cand -o 'Write to FILE, which appears whole or not at all [default: standard output]'
            cand --output 'Write to FILE, which appears whole or not at all [default: standard output]'
            cand --host 'Also name the machine and the user: those of this report, and those that the list states'
            cand --json 'Write a JSON object instead of a page'
            cand -h 'Print help (see more with ''--help'')'
            cand --help 'Print help (see more with ''--help'')'
            cand -V 'Print version'
            cand --version 'Print version'
        }
        &'pfh;dupes'= {
            cand --digests 'Also look through the files in LIST (repeatable), which `pfh hash` or another program wrote; `-` is standard input'
            cand -f 'Format of the groups'
            cand --format 'Format of the groups'
            cand -a 'Algorithm whose digests are compared [default: the first of the lists, or blake3]'
            cand --algorithm 'Algorithm whose digests are compared [default: the first of the lists, or blake3]'
            cand --as 'Read the lists as this format, instead of recognising it: a format of `pfh hash`, or one that is only read'
            cand -o 'Write to FILE, which appears whole or not at all; `-` is standard output [default: -]'
            cand --output 'Write to FILE, which appears whole or not at all; `-` is standard output [default: -]'
            cand -t 'Number of threads [default: one per core]'
            cand -j 'Number of threads [default: one per core]'
            cand --threads 'Number of threads [default: one per core]'
            cand -m 'Memory limit for reading and sorting (K, M, G: powers of 1024)'
            cand --memory 'Memory limit for reading and sorting (K, M, G: powers of 1024)'
            cand --progress 'Show progress on standard error'
            cand --files-from 'Also read paths from FILE, one per line; `-` is standard input'
            cand --files-from0 'Also read paths from FILE, each terminated by NUL (as `find -print0` writes them); `-` is standard input'
            cand --include 'Read only files that match GLOB (repeatable: any one suffices). Quote it for the shell'
            cand --exclude 'Exclude files and directories that match GLOB (repeatable). `GLOB/` excludes directories only'
            cand --min-size 'Exclude files smaller than SIZE'
            cand --max-size 'Exclude files larger than SIZE'
            cand --max-depth 'Descend at most N levels below the given paths; 1 means only the files directly in a directory'
            cand --no-directories 'Compare files only'
            cand --all 'Also print what lies in directories that are printed themselves'
            cand --empty 'Also print files without contents, which are all the same'
            cand --allow-empty 'Replace an existing FILE of -o even if not a single file was found; with `pfh covers`, no file to be covered counts as covered'
            cand -q 'Do not print warnings about single files and lines (the totals at the end and the exit status still count them)'
            cand --quiet 'Do not print warnings about single files and lines (the totals at the end and the exit status still count them)'
            cand --verbose 'Print every warning, rather than the first ten of each kind in each directory'
            cand -r 'Accepted for compatibility: directories are always walked'
            cand --recursive 'Accepted for compatibility: directories are always walked'
            cand -x 'Stay on the filesystem of each given path'
            cand --one-file-system 'Stay on the filesystem of each given path'
            cand --follow-files 'Read files that symbolic links point to. (Links among the given paths are always followed.)'
            cand --follow-directories 'Walk directories that symbolic links point to; loops are detected'
            cand --preserve-access-time 'Preserve access times where the system permits it'
            cand -h 'Print help (see more with ''--help'')'
            cand --help 'Print help (see more with ''--help'')'
            cand -V 'Print version'
            cand --version 'Print version'
        }
        &'pfh;covers'= {
            cand --digests 'Also find the files in LIST elsewhere (repeatable); `-` is standard input'
            cand --by 'Look for them below PATH (repeatable). Files that are among those to be found do not count'
            cand --by-digests 'Look for them in LIST (repeatable)'
            cand -f 'Format of the files without a copy'
            cand --format 'Format of the files without a copy'
            cand -a 'Algorithm whose digests are compared [default: the first of the lists, or blake3]'
            cand --algorithm 'Algorithm whose digests are compared [default: the first of the lists, or blake3]'
            cand --as 'Read the lists as this format, instead of recognising it: a format of `pfh hash`, or one that is only read'
            cand -o 'Write to FILE, which appears whole or not at all; `-` is standard output [default: -]'
            cand --output 'Write to FILE, which appears whole or not at all; `-` is standard output [default: -]'
            cand -t 'Number of threads [default: one per core]'
            cand -j 'Number of threads [default: one per core]'
            cand --threads 'Number of threads [default: one per core]'
            cand -m 'Memory limit for reading and sorting (K, M, G: powers of 1024)'
            cand --memory 'Memory limit for reading and sorting (K, M, G: powers of 1024)'
            cand --progress 'Show progress on standard error'
            cand --files-from 'Also read paths from FILE, one per line; `-` is standard input'
            cand --files-from0 'Also read paths from FILE, each terminated by NUL (as `find -print0` writes them); `-` is standard input'
            cand --include 'Read only files that match GLOB (repeatable: any one suffices). Quote it for the shell'
            cand --exclude 'Exclude files and directories that match GLOB (repeatable). `GLOB/` excludes directories only'
            cand --min-size 'Exclude files smaller than SIZE'
            cand --max-size 'Exclude files larger than SIZE'
            cand --max-depth 'Descend at most N levels below the given paths; 1 means only the files directly in a directory'
            cand --allow-empty 'Replace an existing FILE of -o even if not a single file was found; with `pfh covers`, no file to be covered counts as covered'
            cand -q 'Do not print warnings about single files and lines (the totals at the end and the exit status still count them)'
            cand --quiet 'Do not print warnings about single files and lines (the totals at the end and the exit status still count them)'
            cand --verbose 'Print every warning, rather than the first ten of each kind in each directory'
            cand -r 'Accepted for compatibility: directories are always walked'
            cand --recursive 'Accepted for compatibility: directories are always walked'
            cand -x 'Stay on the filesystem of each given path'
            cand --one-file-system 'Stay on the filesystem of each given path'
            cand --follow-files 'Read files that symbolic links point to. (Links among the given paths are always followed.)'
            cand --follow-directories 'Walk directories that symbolic links point to; loops are detected'
            cand --preserve-access-time 'Preserve access times where the system permits it'
            cand -h 'Print help (see more with ''--help'')'
            cand --help 'Print help (see more with ''--help'')'
            cand -V 'Print version'
            cand --version 'Print version'
        }
        &'pfh;audit'= {
            cand -h 'Print help (see more with ''--help'')'
            cand --help 'Print help (see more with ''--help'')'
            cand -V 'Print version'
            cand --version 'Print version'
            cand init 'Make a ledger, and read all files for the first time'
            cand run 'Compare the collection with the ledger'
            cand status 'Show how the collection stands'
            cand history 'Show all that was found of a file'
            cand report 'Write the report of a run'
            cand export 'Write a list of the expected files with the digests that the ledger expects, without reading them'
            cand accept 'Accept open findings: what was seen is expected from now on'
            cand forget 'Expect a file, or all files below a directory, no longer'
            cand relocate 'Record that the collection, or a part of it, is at another path now'
            cand migrate 'Change the algorithm: verify by the old digests and compute new ones in the same reading'
            cand head 'Print the end of the chain of events, to be kept elsewhere'
            cand verify-ledger 'Check that no event was changed or lost, and that the tables follow from the events'
            cand help 'Print this message or the help of the given subcommand(s)'
        }
        &'pfh;audit;init'= {
            cand -a 'Algorithms, separated by commas [default: sha256]'
            cand --algorithm 'Algorithms, separated by commas [default: sha256]'
            cand --include 'Keep only files that match GLOB (repeatable), as for `pfh hash`'
            cand --exclude 'Leave out files and directories that match GLOB (repeatable). `GLOB/` leaves out directories only'
            cand --min-size 'Leave out files smaller than SIZE'
            cand --max-size 'Leave out files larger than SIZE'
            cand --io 'How reading uses the page cache. With `direct`, the medium is read and not the cache'
            cand --rate 'Read at most SIZE bytes a second on average, waiting between files'
            cand -t 'Number of threads [default: one per core]'
            cand -j 'Number of threads [default: one per core]'
            cand --threads 'Number of threads [default: one per core]'
            cand -m 'Memory limit for reading and sorting (K, M, G: powers of 1024)'
            cand --memory 'Memory limit for reading and sorting (K, M, G: powers of 1024)'
            cand -f 'Format of the report on standard output or in FILE of -o'
            cand --format 'Format of the report on standard output or in FILE of -o'
            cand -o 'Write the report to FILE, which appears whole or not at all; `-` is standard output [default: -]'
            cand --output 'Write the report to FILE, which appears whole or not at all; `-` is standard output [default: -]'
            cand --progress 'Show progress on standard error'
            cand -x 'Stay on the filesystem of each path'
            cand --one-file-system 'Stay on the filesystem of each path'
            cand --follow-files 'Keep files that symbolic links point to; otherwise links are left out'
            cand --follow-directories 'Walk directories that symbolic links point to'
            cand --idle 'Let everything else on this machine go first: the lowest priority for the processor, and the idle class for disks (by `ionice`)'
            cand --wait 'Wait until another run on the ledger has ended, instead of refusing to run'
            cand -q 'Do not print warnings about single files and lines (the totals at the end and the exit status still count them)'
            cand --quiet 'Do not print warnings about single files and lines (the totals at the end and the exit status still count them)'
            cand --verbose 'Print every warning, rather than the first ten of each kind in each directory'
            cand -h 'Print help (see more with ''--help'')'
            cand --help 'Print help (see more with ''--help'')'
            cand -V 'Print version'
            cand --version 'Print version'
        }
        &'pfh;audit;run'= {
            cand --share 'Of the unchanged files read only this share of all bytes, such as 1/30 (implies --rolling)'
            cand --interval 'Of the unchanged files read those that were not read for this time, such as 90d (implies --rolling)'
            cand --for 'Begin no more files after this time, such as 2h or 90m. Files that are left come first in the next run'
            cand --bytes 'Begin no more files after this number of bytes'
            cand --io 'How reading uses the page cache. With `direct`, the medium is read and not the cache'
            cand --rate 'Read at most SIZE bytes a second on average, waiting between files'
            cand -t 'Number of threads [default: one per core]'
            cand -j 'Number of threads [default: one per core]'
            cand --threads 'Number of threads [default: one per core]'
            cand -m 'Memory limit for reading and sorting (K, M, G: powers of 1024)'
            cand --memory 'Memory limit for reading and sorting (K, M, G: powers of 1024)'
            cand -f 'Format of the report on standard output or in FILE of -o'
            cand --format 'Format of the report on standard output or in FILE of -o'
            cand -o 'Write the report to FILE, which appears whole or not at all; `-` is standard output [default: -]'
            cand --output 'Write the report to FILE, which appears whole or not at all; `-` is standard output [default: -]'
            cand --progress 'Show progress on standard error'
            cand --full 'Read every file, also those whose size, times and inode did not change'
            cand --rolling 'Also read unchanged files, those first that were verified longest ago, as far as the limits allow'
            cand --allow-empty 'Run even if a directory of the collection is empty: otherwise it is taken for one where nothing is mounted'
            cand --idle 'Let everything else on this machine go first: the lowest priority for the processor, and the idle class for disks (by `ionice`)'
            cand --wait 'Wait until another run on the ledger has ended, instead of refusing to run'
            cand -q 'Do not print warnings about single files and lines (the totals at the end and the exit status still count them)'
            cand --quiet 'Do not print warnings about single files and lines (the totals at the end and the exit status still count them)'
            cand --verbose 'Print every warning, rather than the first ten of each kind in each directory'
            cand -h 'Print help (see more with ''--help'')'
            cand --help 'Print help (see more with ''--help'')'
            cand -V 'Print version'
            cand --version 'Print version'
        }
        &'pfh;audit;status'= {
            cand --interval 'Count files that were not read for this time, such as 90d [default: the interval of the policy]'
            cand --json 'Print one JSON object'
            cand -h 'Print help'
            cand --help 'Print help'
            cand -V 'Print version'
            cand --version 'Print version'
        }
        &'pfh;audit;history'= {
            cand --json 'Print JSON Lines'
            cand -h 'Print help'
            cand --help 'Print help'
            cand -V 'Print version'
            cand --version 'Print version'
        }
        &'pfh;audit;report'= {
            cand --run 'The number of the run [default: the last one that ended]'
            cand -f 'Format of the report'
            cand --format 'Format of the report'
            cand -o 'Write to FILE, which appears whole or not at all; `-` is standard output [default: -]'
            cand --output 'Write to FILE, which appears whole or not at all; `-` is standard output [default: -]'
            cand -h 'Print help (see more with ''--help'')'
            cand --help 'Print help (see more with ''--help'')'
            cand -V 'Print version'
            cand --version 'Print version'
        }
        &'pfh;audit;export'= {
            cand -f 'Format of the list: one of `pfh hash` [default: gnu for one algorithm, bsd for several]'
            cand --format 'Format of the list: one of `pfh hash` [default: gnu for one algorithm, bsd for several]'
            cand -a 'Only these digests, in this order [default: all of the ledger''s algorithms that the format has a place for]'
            cand --algorithm 'Only these digests, in this order [default: all of the ledger''s algorithms that the format has a place for]'
            cand -o 'Write to FILE, which appears whole or not at all; `-` is standard output [default: -]'
            cand --output 'Write to FILE, which appears whole or not at all; `-` is standard output [default: -]'
            cand --allow-empty 'Replace an existing FILE of -o even if no file is expected'
            cand -q 'Do not print what the list lacks'
            cand --quiet 'Do not print what the list lacks'
            cand -h 'Print help (see more with ''--help'')'
            cand --help 'Print help (see more with ''--help'')'
            cand -V 'Print version'
            cand --version 'Print version'
        }
        &'pfh;audit;accept'= {
            cand --why 'The reason, which the ledger keeps'
            cand --by 'Who decides, which the ledger keeps [default: the user]'
            cand --wait 'Wait until another run on the ledger has ended, instead of refusing'
            cand -h 'Print help'
            cand --help 'Print help'
            cand -V 'Print version'
            cand --version 'Print version'
        }
        &'pfh;audit;forget'= {
            cand --why 'The reason, which the ledger keeps'
            cand --by 'Who decides, which the ledger keeps [default: the user]'
            cand --wait 'Wait until another run on the ledger has ended, instead of refusing'
            cand -h 'Print help'
            cand --help 'Print help'
            cand -V 'Print version'
            cand --version 'Print version'
        }
        &'pfh;audit;relocate'= {
            cand --why 'The reason, which the ledger keeps'
            cand --by 'Who says so, which the ledger keeps [default: the user]'
            cand --allow-empty 'Go on even if none of the expected files is at the new path'
            cand --wait 'Wait until another run on the ledger has ended, instead of refusing'
            cand -h 'Print help'
            cand --help 'Print help'
            cand -V 'Print version'
            cand --version 'Print version'
        }
        &'pfh;audit;migrate'= {
            cand --to 'The new algorithm'
            cand --for 'Begin no more files after this time, such as 2h; the next migration goes on'
            cand --io 'How reading uses the page cache. With `direct`, the medium is read and not the cache'
            cand --rate 'Read at most SIZE bytes a second on average, waiting between files'
            cand -t 'Number of threads [default: one per core]'
            cand -j 'Number of threads [default: one per core]'
            cand --threads 'Number of threads [default: one per core]'
            cand -m 'Memory limit for reading and sorting (K, M, G: powers of 1024)'
            cand --memory 'Memory limit for reading and sorting (K, M, G: powers of 1024)'
            cand -f 'Format of the report on standard output or in FILE of -o'
            cand --format 'Format of the report on standard output or in FILE of -o'
            cand -o 'Write the report to FILE, which appears whole or not at all; `-` is standard output [default: -]'
            cand --output 'Write the report to FILE, which appears whole or not at all; `-` is standard output [default: -]'
            cand --progress 'Show progress on standard error'
            cand --allow-empty 'Run even if a directory of the collection is empty'
            cand --idle 'Let everything else on this machine go first: the lowest priority for the processor, and the idle class for disks (by `ionice`)'
            cand --wait 'Wait until another run on the ledger has ended, instead of refusing to run'
            cand -q 'Do not print warnings about single files and lines (the totals at the end and the exit status still count them)'
            cand --quiet 'Do not print warnings about single files and lines (the totals at the end and the exit status still count them)'
            cand --verbose 'Print every warning, rather than the first ten of each kind in each directory'
            cand -h 'Print help (see more with ''--help'')'
            cand --help 'Print help (see more with ''--help'')'
            cand -V 'Print version'
            cand --version 'Print version'
        }
        &'pfh;audit;head'= {
            cand -o 'Write to FILE, which appears whole or not at all; `-` is standard output [default: -]'
            cand --output 'Write to FILE, which appears whole or not at all; `-` is standard output [default: -]'
            cand --sign 'Sign the file of -o with this SSH key, by `ssh-keygen -Y sign -n pfh-ledger`: the signature is in FILE.sig'
            cand --timestamp-request 'Also write a request for a time stamp of the file of -o (RFC 3161), to be sent to an authority'
            cand -h 'Print help (see more with ''--help'')'
            cand --help 'Print help (see more with ''--help'')'
            cand -V 'Print version'
            cand --version 'Print version'
        }
        &'pfh;audit;verify-ledger'= {
            cand --head 'Also check that the ledger still has the end of the chain in FILE, which `pfh audit head` wrote'
            cand --timestamp 'Also check that ANSWER is a time stamp of the file of --head (RFC 3161): that it was granted, and is of this file'
            cand --timestamp-request 'Also check that the time stamp answers this request'
            cand --timestamp-ca 'Check the signature of the time stamp with the certificates in FILE (PEM)'
            cand -h 'Print help (see more with ''--help'')'
            cand --help 'Print help (see more with ''--help'')'
            cand -V 'Print version'
            cand --version 'Print version'
        }
        &'pfh;audit;help'= {
            cand init 'Make a ledger, and read all files for the first time'
            cand run 'Compare the collection with the ledger'
            cand status 'Show how the collection stands'
            cand history 'Show all that was found of a file'
            cand report 'Write the report of a run'
            cand export 'Write a list of the expected files with the digests that the ledger expects, without reading them'
            cand accept 'Accept open findings: what was seen is expected from now on'
            cand forget 'Expect a file, or all files below a directory, no longer'
            cand relocate 'Record that the collection, or a part of it, is at another path now'
            cand migrate 'Change the algorithm: verify by the old digests and compute new ones in the same reading'
            cand head 'Print the end of the chain of events, to be kept elsewhere'
            cand verify-ledger 'Check that no event was changed or lost, and that the tables follow from the events'
            cand help 'Print this message or the help of the given subcommand(s)'
        }
        &'pfh;audit;help;init'= {
        }
        &'pfh;audit;help;run'= {
        }
        &'pfh;audit;help;status'= {
        }
        &'pfh;audit;help;history'= {
        }
        &'pfh;audit;help;report'= {
        }
        &'pfh;audit;help;export'= {
        }
        &'pfh;audit;help;accept'= {
        }
        &'pfh;audit;help;forget'= {
        }
        &'pfh;audit;help;relocate'= {
        }
        &'pfh;audit;help;migrate'= {
        }
        &'pfh;audit;help;head'= {
        }
        &'pfh;audit;help;verify-ledger'= {
        }
        &'pfh;audit;help;help'= {
        }
        &'pfh;bag'= {
            cand -h 'Print help (see more with ''--help'')'
            cand --help 'Print help (see more with ''--help'')'
            cand -V 'Print version'
            cand --version 'Print version'
            cand create 'Make directories bags of version 1.0'
            cand verify 'Verify bags of versions 0.93 to 1.0, and report everything that is wrong'
            cand update 'Write new manifests after files were added, removed or changed'
            cand help 'Print this message or the help of the given subcommand(s)'
        }
        &'pfh;bag;create'= {
            cand --copy-to 'Leave the directory as it is, and make the bag in BAG, with a verified copy of its contents (as by `pfh copy`)'
            cand -a 'Algorithms, separated by commas, or repeated; one read computes them all [default: sha512]'
            cand --algorithm 'Algorithms, separated by commas, or repeated; one read computes them all [default: sha512]'
            cand --tag 'Write a label and a value into bag-info.txt (repeatable); the order is kept, and a label may be repeated'
            cand -t 'Number of threads [default: one per core]'
            cand -j 'Number of threads [default: one per core]'
            cand --threads 'Number of threads [default: one per core]'
            cand -m 'Memory limit for reading and sorting (K, M, G: powers of 1024)'
            cand --memory 'Memory limit for reading and sorting (K, M, G: powers of 1024)'
            cand --progress 'Show progress on standard error'
            cand -q 'Do not print warnings about single files and lines (the totals at the end and the exit status still count them)'
            cand --quiet 'Do not print warnings about single files and lines (the totals at the end and the exit status still count them)'
            cand --verbose 'Print every warning, rather than the first ten of each kind in each directory'
            cand -h 'Print help (see more with ''--help'')'
            cand --help 'Print help (see more with ''--help'')'
            cand -V 'Print version'
            cand --version 'Print version'
        }
        &'pfh;bag;verify'= {
            cand --profile 'Also check what this profile demands (BagIt Profiles 1.3 and 1.4, JSON)'
            cand -f 'Format of the verdicts and findings'
            cand --format 'Format of the verdicts and findings'
            cand -o 'Write to FILE, which appears whole or not at all; `-` is standard output [default: -]'
            cand --output 'Write to FILE, which appears whole or not at all; `-` is standard output [default: -]'
            cand -t 'Number of threads [default: one per core]'
            cand -j 'Number of threads [default: one per core]'
            cand --threads 'Number of threads [default: one per core]'
            cand -m 'Memory limit for reading and sorting (K, M, G: powers of 1024)'
            cand --memory 'Memory limit for reading and sorting (K, M, G: powers of 1024)'
            cand --progress 'Show progress on standard error'
            cand --complete 'Check everything but digests: nothing is hashed (`bagit.py --completeness-only`)'
            cand --oxum 'Compare only the number and the bytes of the files with Payload-Oxum (`bagit.py --fast`)'
            cand -q 'Do not print warnings about single files and lines (the totals at the end and the exit status still count them)'
            cand --quiet 'Do not print warnings about single files and lines (the totals at the end and the exit status still count them)'
            cand --verbose 'Print every warning, rather than the first ten of each kind in each directory'
            cand -h 'Print help (see more with ''--help'')'
            cand --help 'Print help (see more with ''--help'')'
            cand -V 'Print version'
            cand --version 'Print version'
        }
        &'pfh;bag;update'= {
            cand -a 'Algorithms of the new manifests [default: those of the old ones]. Manifests by others are removed'
            cand --algorithm 'Algorithms of the new manifests [default: those of the old ones]. Manifests by others are removed'
            cand --tag 'Set a label in bag-info.txt (repeatable): all of its values are replaced, and an empty one removes it'
            cand -t 'Number of threads [default: one per core]'
            cand -j 'Number of threads [default: one per core]'
            cand --threads 'Number of threads [default: one per core]'
            cand -m 'Memory limit for reading and sorting (K, M, G: powers of 1024)'
            cand --memory 'Memory limit for reading and sorting (K, M, G: powers of 1024)'
            cand --progress 'Show progress on standard error'
            cand -q 'Do not print warnings about single files and lines (the totals at the end and the exit status still count them)'
            cand --quiet 'Do not print warnings about single files and lines (the totals at the end and the exit status still count them)'
            cand --verbose 'Print every warning, rather than the first ten of each kind in each directory'
            cand -h 'Print help (see more with ''--help'')'
            cand --help 'Print help (see more with ''--help'')'
            cand -V 'Print version'
            cand --version 'Print version'
        }
        &'pfh;bag;help'= {
            cand create 'Make directories bags of version 1.0'
            cand verify 'Verify bags of versions 0.93 to 1.0, and report everything that is wrong'
            cand update 'Write new manifests after files were added, removed or changed'
            cand help 'Print this message or the help of the given subcommand(s)'
        }
        &'pfh;bag;help;create'= {
        }
        &'pfh;bag;help;verify'= {
        }
        &'pfh;bag;help;update'= {
        }
        &'pfh;bag;help;help'= {
        }
        &'pfh;copy'= {
            cand --to 'A destination (repeatable). All given paths are sources then'
            cand -a 'Algorithms, separated by commas, or repeated; one read computes them all'
            cand --algorithm 'Algorithms, separated by commas, or repeated; one read computes them all'
            cand -o 'Write a list of all copied files to FILE, which appears whole or not at all; `-` is standard output'
            cand --output 'Write a list of all copied files to FILE, which appears whole or not at all; `-` is standard output'
            cand -f 'Format of the list: one of `pfh hash` [default: gnu for one algorithm, bsd for several]'
            cand --format 'Format of the list: one of `pfh hash` [default: gnu for one algorithm, bsd for several]'
            cand --include 'Copy only files that match GLOB (repeatable), as in `pfh hash`'
            cand --exclude 'Leave out files and directories that match GLOB (repeatable), as in `pfh hash`'
            cand --read-back 'How copies are read back: around the page cache (`direct`), or after they were dropped from it (`drop`)'
            cand -t 'Number of threads [default: one per core]'
            cand -j 'Number of threads [default: one per core]'
            cand --threads 'Number of threads [default: one per core]'
            cand -m 'Memory limit for reading and sorting (K, M, G: powers of 1024)'
            cand --memory 'Memory limit for reading and sorting (K, M, G: powers of 1024)'
            cand --progress 'Show progress on standard error'
            cand -x 'Stay on the filesystem of each source'
            cand --one-file-system 'Stay on the filesystem of each source'
            cand -q 'Do not print warnings about single files and lines (the totals at the end and the exit status still count them)'
            cand --quiet 'Do not print warnings about single files and lines (the totals at the end and the exit status still count them)'
            cand --verbose 'Print every warning, rather than the first ten of each kind in each directory'
            cand -h 'Print help (see more with ''--help'')'
            cand --help 'Print help (see more with ''--help'')'
            cand -V 'Print version'
            cand --version 'Print version'
        }
        &'pfh;shard'= {
            cand -o 'The folder of the plan, which must be new or empty. All machines need it, under any path'
            cand --output 'The folder of the plan, which must be new or empty. All machines need it, under any path'
            cand --shards 'Number of shards: 8 to 32 for each worker, so that none waits long for the last one'
            cand --shard-size 'As many shards as it takes for a mean weight of at most SIZE (K, M, G: powers of 1024)'
            cand --per-file 'Weight of a file beside its size: the bytes that are read in the time that it takes to open one'
            cand --split 'Split files of more than SIZE bytes into parts of SIZE, which several tasks read at the same time (K, M, G)'
            cand --status 'Print the numbers of the shards of PLAN that have no result, instead of planning'
            cand -a 'Algorithms, separated by commas, or repeated, as of `pfh hash`; all shards compute them'
            cand --algorithm 'Algorithms, separated by commas, or repeated, as of `pfh hash`; all shards compute them'
            cand --piecewise 'Also compute the digest of every piece of SIZE bytes (K, M, G: powers of 1024)'
            cand --facts 'Also find facts about contents, as `pfh hash` does'
            cand --sdhash-profile 'Version of sdhash that digests and scores are compatible with'
            cand --sdhash-blocks 'Block size of sdhash in KiB, 1 to 16, or 0 for none (`sdhash -b`) [default: 16 from 16 MiB on, none below]'
            cand --sdhash-segments 'Segment size of sdhash in MiB (`sdhash -z`); 0 for none'
            cand --files-from 'Also read paths from FILE, one per line; `-` is standard input'
            cand --files-from0 'Also read paths from FILE, each terminated by NUL (as `find -print0` writes them); `-` is standard input'
            cand --include 'Read only files that match GLOB (repeatable: any one suffices). Quote it for the shell'
            cand --exclude 'Exclude files and directories that match GLOB (repeatable). `GLOB/` excludes directories only'
            cand --min-size 'Exclude files smaller than SIZE'
            cand --max-size 'Exclude files larger than SIZE'
            cand --max-depth 'Descend at most N levels below the given paths; 1 means only the files directly in a directory'
            cand --progress 'Show progress on standard error'
            cand --mrsh-network 'Compute mrsh-v2 digests as its build for network packets does, without the first and the last chunk'
            cand -r 'Accepted for compatibility: directories are always walked'
            cand --recursive 'Accepted for compatibility: directories are always walked'
            cand -x 'Stay on the filesystem of each given path'
            cand --one-file-system 'Stay on the filesystem of each given path'
            cand --follow-files 'Read files that symbolic links point to. (Links among the given paths are always followed.)'
            cand --follow-directories 'Walk directories that symbolic links point to; loops are detected'
            cand --preserve-access-time 'Preserve access times where the system permits it'
            cand --verbose 'Print every warning, rather than the first ten of each kind in each directory'
            cand -q 'Do not print warnings, nor how the shards turned out'
            cand --quiet 'Do not print warnings, nor how the shards turned out'
            cand -h 'Print help (see more with ''--help'')'
            cand --help 'Print help (see more with ''--help'')'
            cand -V 'Print version'
            cand --version 'Print version'
        }
        &'pfh;merge'= {
            cand --shard 'Only the files that begin in this shard: those of its list, and those whose first part is there. The shards in which the last of them goes on must have results, too'
            cand -f 'Format of the list, as of `pfh hash` [default: that of `pfh hash` for these digests]'
            cand --format 'Format of the list, as of `pfh hash` [default: that of `pfh hash` for these digests]'
            cand -o 'Write to FILE, which appears whole or not at all; `-` is standard output [default: -]'
            cand --output 'Write to FILE, which appears whole or not at all; `-` is standard output [default: -]'
            cand --progress 'Show progress on standard error'
            cand --allow-empty 'Replace an existing LIST of -o even with a list that has not a single complete file'
            cand -0 'End records with NUL instead of a line feed, and escape nothing (formats gnu, bsd, md5deep)'
            cand --null 'End records with NUL instead of a line feed, and escape nothing (formats gnu, bsd, md5deep)'
            cand --zero 'End records with NUL instead of a line feed, and escape nothing (formats gnu, bsd, md5deep)'
            cand --uppercase 'Write digests in upper-case hexadecimal (formats gnu, bsd, sfv)'
            cand --base64 'Write digests in base64 (formats gnu, bsd), as `cksum --base64` does'
            cand -q 'Do not print warnings about single files and lines (the totals at the end and the exit status still count them)'
            cand --quiet 'Do not print warnings about single files and lines (the totals at the end and the exit status still count them)'
            cand --verbose 'Print every warning, rather than the first ten of each kind in each directory'
            cand -h 'Print help (see more with ''--help'')'
            cand --help 'Print help (see more with ''--help'')'
            cand -V 'Print version'
            cand --version 'Print version'
        }
        &'pfh;frash'= {
            cand --tests 'Experiments: generation, comparison, compression, common-block, fragment, alignment, noise, repetition, variety, needle, cross, threshold [default: all]'
            cand -a 'Families: ssdeep, sdhash, mrsh-v2, tlsh [default: all]'
            cand --algorithm 'Families: ssdeep, sdhash, mrsh-v2, tlsh [default: all]'
            cand --seed 'Seed of the random numbers: the same seed gives the same results, except for times'
            cand --plots 'Also draw each experiment, as SVG, into a directory, which is created if it does not exist'
            cand --runs 'Number of repetitions, each with other random bytes and offsets'
            cand --bytes 'Length of the files that are given a common block [default: 512 KiB, 2 MiB, 8 MiB], and of the longest file that is timed [default: 2048000]'
            cand -m 'Memory limit for the contents of all files together (K, M, G: powers of 1024)'
            cand --memory 'Memory limit for the contents of all files together (K, M, G: powers of 1024)'
            cand -o 'Write to FILE, which appears whole or not at all; `-` is standard output [default: -]'
            cand --output 'Write to FILE, which appears whole or not at all; `-` is standard output [default: -]'
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
        &'pfh;lab'= {
            cand -h 'Print help (see more with ''--help'')'
            cand --help 'Print help (see more with ''--help'')'
            cand -V 'Print version'
            cand --version 'Print version'
            cand list 'List the experiments, or the comparisons of whole programs of one'
            cand doctor 'Show which runners are available, build them, and tell how to install what they lack'
            cand run 'Run an experiment and save its results'
            cand report 'Write a report of results: HTML, with CSV, JSON Lines and Markdown beside it'
            cand claims 'Print all claims of the studies and where each is judged, and recompute their published fits; or the verdicts of results on them'
            cand compare 'Compare two results: of two machines, systems or versions'
            cand measure 'Run a shell command once and print what it cost, as JSON; experiments start this'
            cand mount 'Show a directory as slow as a storage device, and with its faults, until Ctrl-C (docs/reference/devices.md)'
            cand advise 'Measure a path and this machine for a minute, and advise: what limits, how long it takes, which options to use'
            cand survey 'Find samples for `pfh lab advise`'
            cand sample 'Read a sample for `pfh lab advise`'
            cand runner 'Act as a runner: answer tasks on standard input (docs/reference/runner-protocol.md)'
            cand help 'Print this message or the help of the given subcommand(s)'
        }
        &'pfh;lab;list'= {
            cand -h 'Print help'
            cand --help 'Print help'
            cand -V 'Print version'
            cand --version 'Print version'
        }
        &'pfh;lab;doctor'= {
            cand --install 'Print the commands that install what GROUP needs; `all` for every group'
            cand --runners 'Also look for runners in DIR'
            cand --run 'With --install: run the commands'
            cand --json 'Print JSON Lines instead of a table'
            cand -h 'Print help'
            cand --help 'Print help'
            cand -V 'Print version'
            cand --version 'Print version'
        }
        &'pfh;lab;run'= {
            cand -o 'Save the results in DIR [default: a new folder with the experiment''s name and the time]'
            cand --output 'Save the results in DIR [default: a new folder with the experiment''s name and the time]'
            cand --runner 'Measure only this runner (repeatable). Others may still be asked for the right answers'
            cand -a 'Measure only this algorithm of the experiment (repeatable)'
            cand --algorithm 'Measure only this algorithm of the experiment (repeatable)'
            cand --profile 'Measure only under this profile (repeatable); `today` is the default profile, without changes'
            cand --device 'Measure whole programs only on this device of the experiment (repeatable): `here` is the disk of -o, or of --keep-corpora. With =DIR, in the folder DIR in its place: a device of your own that the experiment names needs it, and a simulated one can be replaced by it'
            cand --device-note 'Describe the device NAME (repeatable), for example by the speed of its network, which no system tells: the results keep TEXT, and reports print it'
            cand --comparison 'Measure only this comparison of whole programs (repeatable): a name that `pfh lab list NAME` prints'
            cand --rounds 'Measure N rounds, in the place of the experiment''s number'
            cand --corpus 'Give whole programs a copy of the files in DIR, in the place of every corpus of the experiment'
            cand --keep-corpora 'Make corpora in DIR and leave them there, and use those that are there already. They do not depend on the seed'
            cand --runners 'Also look for runners in DIR'
            cand --seed 'Seed of the data and of the order [default: a new one each time; it is saved]'
            cand --memory 'Memory limit for all processes of one runner together (K, M, G: powers of 1024) [default: half of the memory]'
            cand --progress 'Show progress on standard error'
            cand --full 'Use the sizes of the published study, which takes hours'
            cand --resume 'Continue the results in the folder of -o'
            cand -h 'Print help (see more with ''--help'')'
            cand --help 'Print help (see more with ''--help'')'
            cand -V 'Print version'
            cand --version 'Print version'
        }
        &'pfh;lab;report'= {
            cand -o 'Write the HTML to FILE, and the other forms beside it with other extensions [default: report.html in DIR]'
            cand --output 'Write the HTML to FILE, and the other forms beside it with other extensions [default: report.html in DIR]'
            cand --volume 'Project times to a volume of SIZE (K, M, G: powers of 1024) [default: the 722G of the study of 2015]'
            cand --clock 'The clock whose times are compared; on a busy machine processor time is less disturbed'
            cand --key-space 'Project how long N keys last: a number, or symbols^length [default: 95^8, eight printable characters]'
            cand -h 'Print help (see more with ''--help'')'
            cand --help 'Print help (see more with ''--help'')'
            cand -V 'Print version'
            cand --version 'Print version'
        }
        &'pfh;lab;claims'= {
            cand -h 'Print help'
            cand --help 'Print help'
            cand -V 'Print version'
            cand --version 'Print version'
        }
        &'pfh;lab;compare'= {
            cand --clock 'The clock whose times are compared'
            cand -o 'Write HTML to FILE [default: Markdown on standard output]'
            cand --output 'Write HTML to FILE [default: Markdown on standard output]'
            cand -h 'Print help (see more with ''--help'')'
            cand --help 'Print help (see more with ''--help'')'
            cand -V 'Print version'
            cand --version 'Print version'
        }
        &'pfh;lab;measure'= {
            cand --output 'Write the output of the command to FILE [default: nowhere]'
            cand --until-closed 'End as soon as standard input is closed, as it is when the program that holds it ends, and the command with it'
            cand -h 'Print help'
            cand --help 'Print help'
            cand -V 'Print version'
            cand --version 'Print version'
        }
        &'pfh;lab;mount'= {
            cand --device 'The device: a name (see below), or the path of a description that ends in `.toml`'
            cand --until-closed 'End as soon as standard input is closed, as it is when the program that holds it ends'
            cand -h 'Print help (see more with ''--help'')'
            cand --help 'Print help (see more with ''--help'')'
            cand -V 'Print version'
            cand --version 'Print version'
        }
        &'pfh;lab;advise'= {
            cand --volume 'Advise for a volume of SIZE, such as 25TB [default: what PATH holds]'
            cand --files 'Advise for N files, such as 1.2M [default: those of PATH, in proportion to --volume]'
            cand --deadline 'Time that there is each night, such as 8h, at most 24h: tells how many nights a full cycle takes'
            cand -a 'Algorithms to compare, separated by commas, or repeated; the first is the one that is planned [default: sha256,md5,sha1,sha512,blake3; with --from, those that were measured]'
            cand --algorithms 'Algorithms to compare, separated by commas, or repeated; the first is the one that is planned [default: sha256,md5,sha1,sha512,blake3; with --from, those that were measured]'
            cand --seconds 'Measure for about N seconds'
            cand --from 'Do not measure, but take the measurements that --save wrote'
            cand --save 'Save the measurements and the options to use in FILE, for --from and for `pfh hash --profile`'
            cand -o 'Write the advice to FILE [default: standard output]'
            cand --output 'Write the advice to FILE [default: standard output]'
            cand --progress 'Show progress on standard error'
            cand --json 'Print JSON instead of text'
            cand --html 'Print a page in HTML instead of text'
            cand -h 'Print help (see more with ''--help'')'
            cand --help 'Print help (see more with ''--help'')'
            cand -V 'Print version'
            cand --version 'Print version'
        }
        &'pfh;lab;survey'= {
            cand --walk 'Walk the path that FILE holds, terminated by NUL'
            cand --list 'Only ask for the sizes of the files in FILE, each path terminated by NUL'
            cand --seconds 'Stop after N seconds'
            cand -h 'Print help'
            cand --help 'Print help'
            cand -V 'Print version'
            cand --version 'Print version'
        }
        &'pfh;lab;sample'= {
            cand --walk 'Read all files below the path that FILE holds, terminated by NUL'
            cand --list 'Read the files in FILE, each path terminated by NUL'
            cand --bytes-max 'Read at most SIZE of each file'
            cand --seconds 'Stop after N seconds'
            cand -a 'The algorithm, or `none`'
            cand --algorithm 'The algorithm, or `none`'
            cand --readers 'Begin with N readers for places that answer late'
            cand -t 'Number of threads [default: one per core]'
            cand -j 'Number of threads [default: one per core]'
            cand --threads 'Number of threads [default: one per core]'
            cand -p 'Number of readers per device, where threads only read (--mode mtp, --io direct, rotating disks)'
            cand --prefetchers 'Number of readers per device, where threads only read (--mode mtp, --io direct, rotating disks)'
            cand -m 'Memory limit for all buffers together (K, M, G: powers of 1024)'
            cand --memory 'Memory limit for all buffers together (K, M, G: powers of 1024)'
            cand --slot 'Largest slot of the memory table: what one read asks for at most [default: 64K to 1M, by what is computed; 4M with --io direct]'
            cand --mode 'How threads share reading and hashing'
            cand --order 'The order in which files are read; the output is always in the order of the walk'
            cand --backend 'Instructions for hashing many files at once and for similarity digests, instead of the best that this CPU has; `pfh cpu` lists the names'
            cand --io 'How reading uses the page cache'
            cand --medium 'Type of storage that the files are on, if the system does not know it or is wrong'
            cand --balance 'With --mode mtp: prefer files that fit the free part of the memory table'
            cand -h 'Print help (see more with ''--help'')'
            cand --help 'Print help (see more with ''--help'')'
            cand -V 'Print version'
            cand --version 'Print version'
        }
        &'pfh;lab;runner'= {
            cand --lanes 'Hash many messages at once; offers only algorithms that have lanes, and modes with many messages'
            cand -h 'Print help'
            cand --help 'Print help'
            cand -V 'Print version'
            cand --version 'Print version'
        }
        &'pfh;lab;help'= {
            cand list 'List the experiments, or the comparisons of whole programs of one'
            cand doctor 'Show which runners are available, build them, and tell how to install what they lack'
            cand run 'Run an experiment and save its results'
            cand report 'Write a report of results: HTML, with CSV, JSON Lines and Markdown beside it'
            cand claims 'Print all claims of the studies and where each is judged, and recompute their published fits; or the verdicts of results on them'
            cand compare 'Compare two results: of two machines, systems or versions'
            cand measure 'Run a shell command once and print what it cost, as JSON; experiments start this'
            cand mount 'Show a directory as slow as a storage device, and with its faults, until Ctrl-C (docs/reference/devices.md)'
            cand advise 'Measure a path and this machine for a minute, and advise: what limits, how long it takes, which options to use'
            cand survey 'Find samples for `pfh lab advise`'
            cand sample 'Read a sample for `pfh lab advise`'
            cand runner 'Act as a runner: answer tasks on standard input (docs/reference/runner-protocol.md)'
            cand help 'Print this message or the help of the given subcommand(s)'
        }
        &'pfh;lab;help;list'= {
        }
        &'pfh;lab;help;doctor'= {
        }
        &'pfh;lab;help;run'= {
        }
        &'pfh;lab;help;report'= {
        }
        &'pfh;lab;help;claims'= {
        }
        &'pfh;lab;help;compare'= {
        }
        &'pfh;lab;help;measure'= {
        }
        &'pfh;lab;help;mount'= {
        }
        &'pfh;lab;help;advise'= {
        }
        &'pfh;lab;help;survey'= {
        }
        &'pfh;lab;help;sample'= {
        }
        &'pfh;lab;help;runner'= {
        }
        &'pfh;lab;help;help'= {
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
            cand compare 'Find similar files: all against all, two sides, clusters, indexes'
            cand match 'Find files, and entries of lists, whose digests are known or similar to known ones'
            cand known 'Build sets of known files, and look digests up in them'
            cand verify 'Compare files with a list of digests, of any format that pfh reads'
            cand convert 'Write lists of digests in another format, and tell what that format cannot express'
            cand certify 'Write the report on a list that is filed with it: what was hashed, by whom, when and how'
            cand dupes 'Find files, and whole directories, with the same contents, and what they cost'
            cand covers 'Find files of which there is no copy elsewhere: may this disk be wiped?'
            cand audit 'Verify collections over the years: what changed, moved, went missing or rotted'
            cand bag 'Make, verify and update bags (BagIt): directories whose contents are listed with digests'
            cand copy 'Copy files and directories, and verify each copy by reading it back'
            cand shard 'Plan hashing on many machines: walk once, and cut the listing into shards'
            cand merge 'Join the results of the shards of a plan into one list'
            cand frash 'Measure how similarity digests behave (FRASH): times, lengths, blocks in common, fragments, noise'
            cand algorithms 'List the algorithms: names, digest length, how far to trust them, code path on this CPU'
            cand cpu 'Show what hashing uses on this CPU: features, backends, and the kernels of each algorithm and similarity family'
            cand lab 'Measure hash and cipher implementations of many languages, and check their answers'
            cand completions 'Print completions for a shell'
            cand man 'Write the man pages into a directory'
            cand help 'Print this message or the help of the given subcommand(s)'
        }
        &'pfh;help;hash'= {
        }
        &'pfh;help;compare'= {
        }
        &'pfh;help;match'= {
        }
        &'pfh;help;known'= {
            cand build 'Build a set from lists, and from other sets'
            cand check 'Compare a downloaded archive of NSRL with the check values that NIST publishes beside it'
            cand info 'Show what is in a set, and where it comes from'
            cand lookup 'Look digests up in sets'
            cand export 'Write a set as a list, or as a Bloom filter'
            cand serve 'Answer other programs about sets, by HTTP and by the protocol of nsrlsvr'
        }
        &'pfh;help;known;build'= {
        }
        &'pfh;help;known;check'= {
        }
        &'pfh;help;known;info'= {
        }
        &'pfh;help;known;lookup'= {
        }
        &'pfh;help;known;export'= {
        }
        &'pfh;help;known;serve'= {
        }
        &'pfh;help;verify'= {
        }
        &'pfh;help;convert'= {
        }
        &'pfh;help;certify'= {
        }
        &'pfh;help;dupes'= {
        }
        &'pfh;help;covers'= {
        }
        &'pfh;help;audit'= {
            cand init 'Make a ledger, and read all files for the first time'
            cand run 'Compare the collection with the ledger'
            cand status 'Show how the collection stands'
            cand history 'Show all that was found of a file'
            cand report 'Write the report of a run'
            cand export 'Write a list of the expected files with the digests that the ledger expects, without reading them'
            cand accept 'Accept open findings: what was seen is expected from now on'
            cand forget 'Expect a file, or all files below a directory, no longer'
            cand relocate 'Record that the collection, or a part of it, is at another path now'
            cand migrate 'Change the algorithm: verify by the old digests and compute new ones in the same reading'
            cand head 'Print the end of the chain of events, to be kept elsewhere'
            cand verify-ledger 'Check that no event was changed or lost, and that the tables follow from the events'
        }
        &'pfh;help;audit;init'= {
        }
        &'pfh;help;audit;run'= {
        }
        &'pfh;help;audit;status'= {
        }
        &'pfh;help;audit;history'= {
        }
        &'pfh;help;audit;report'= {
        }
        &'pfh;help;audit;export'= {
        }
        &'pfh;help;audit;accept'= {
        }
        &'pfh;help;audit;forget'= {
        }
        &'pfh;help;audit;relocate'= {
        }
        &'pfh;help;audit;migrate'= {
        }
        &'pfh;help;audit;head'= {
        }
        &'pfh;help;audit;verify-ledger'= {
        }
        &'pfh;help;bag'= {
            cand create 'Make directories bags of version 1.0'
            cand verify 'Verify bags of versions 0.93 to 1.0, and report everything that is wrong'
            cand update 'Write new manifests after files were added, removed or changed'
        }
        &'pfh;help;bag;create'= {
        }
        &'pfh;help;bag;verify'= {
        }
        &'pfh;help;bag;update'= {
        }
        &'pfh;help;copy'= {
        }
        &'pfh;help;shard'= {
        }
        &'pfh;help;merge'= {
        }
        &'pfh;help;frash'= {
        }
        &'pfh;help;algorithms'= {
        }
        &'pfh;help;cpu'= {
        }
        &'pfh;help;lab'= {
            cand list 'List the experiments, or the comparisons of whole programs of one'
            cand doctor 'Show which runners are available, build them, and tell how to install what they lack'
            cand run 'Run an experiment and save its results'
            cand report 'Write a report of results: HTML, with CSV, JSON Lines and Markdown beside it'
            cand claims 'Print all claims of the studies and where each is judged, and recompute their published fits; or the verdicts of results on them'
            cand compare 'Compare two results: of two machines, systems or versions'
            cand measure 'Run a shell command once and print what it cost, as JSON; experiments start this'
            cand mount 'Show a directory as slow as a storage device, and with its faults, until Ctrl-C (docs/reference/devices.md)'
            cand advise 'Measure a path and this machine for a minute, and advise: what limits, how long it takes, which options to use'
            cand survey 'Find samples for `pfh lab advise`'
            cand sample 'Read a sample for `pfh lab advise`'
            cand runner 'Act as a runner: answer tasks on standard input (docs/reference/runner-protocol.md)'
        }
        &'pfh;help;lab;list'= {
        }
        &'pfh;help;lab;doctor'= {
        }
        &'pfh;help;lab;run'= {
        }
        &'pfh;help;lab;report'= {
        }
        &'pfh;help;lab;claims'= {
        }
        &'pfh;help;lab;compare'= {
        }
        &'pfh;help;lab;measure'= {
        }
        &'pfh;help;lab;mount'= {
        }
        &'pfh;help;lab;advise'= {
        }
        &'pfh;help;lab;survey'= {
        }
        &'pfh;help;lab;sample'= {
        }
        &'pfh;help;lab;runner'= {
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
