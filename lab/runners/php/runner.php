<?php
// Runner of two PHP extensions; the protocol is in docs/reference/runner-protocol.md.

declare(strict_types=1);

const PASSWORD = 'correct horse battery staple';

final class NotOffered extends Exception
{
}

function sequence(int $first, int $length): string
{
    return pack('C*', ...range($first, $first + $length - 1));
}

// ---- Libraries ----

/** hash() has implementations of its own, some of them assembler; crypt() and sodium come with PHP. */
function hash_library(): array
{
    $names = [
        'md4' => 'md4', 'md5' => 'md5', 'sha1' => 'sha1', 'sha224' => 'sha224', 'sha256' => 'sha256', 'sha384' => 'sha384',
        'sha512' => 'sha512', 'sha512-256' => 'sha512/256', 'sha3-224' => 'sha3-224', 'sha3-256' => 'sha3-256',
        'sha3-384' => 'sha3-384', 'sha3-512' => 'sha3-512', 'ripemd128' => 'ripemd128', 'ripemd160' => 'ripemd160',
        'ripemd256' => 'ripemd256', 'ripemd320' => 'ripemd320', 'whirlpool' => 'whirlpool', 'tiger' => 'tiger192,3',
        'crc32' => 'crc32b', 'crc32c' => 'crc32c', 'adler32' => 'adler32', 'fnv1-32' => 'fnv132', 'fnv1a-32' => 'fnv1a32',
        'fnv1-64' => 'fnv164', 'fnv1a-64' => 'fnv1a64', 'xxh32' => 'xxh32', 'xxh64' => 'xxh64', 'xxh3-64' => 'xxh3',
        'xxh3-128' => 'xxh128',
    ];
    $passwords = [
        'pbkdf2-hmac-sha256' => fn(array $task) => hash_pbkdf2('sha256', PASSWORD, sequence(0, 16), $task['iterations'], 32, true),
        'bcrypt' => derive_bcrypt(...),
    ];
    if (function_exists('sodium_crypto_pwhash')) {
        $passwords['argon2id'] = derive_argon2id(...);
    }
    return [
        'name' => 'hash', 'version' => 'PHP ' . PHP_VERSION, 'ciphers' => [], 'passwords' => $passwords,
        'digests' => array_intersect($names, hash_algos()),
    ];
}

/** Of openssl only what streams: its digests take a whole message, and so are not offered. */
function openssl_library(): array
{
    // OpenSSL's name, key and block bytes
    $ciphers = [
        'des-cbc' => ['des-cbc', 8, 8], 'des-ede3-cbc' => ['des-ede3-cbc', 24, 8], 'rc2-128-cbc' => ['rc2-cbc', 16, 8],
        'aes-128-cbc' => ['aes-128-cbc', 16, 16],
    ];
    $works = fn(array $cipher) => @openssl_encrypt('', $cipher[0], sequence(1, $cipher[1]), OPENSSL_RAW_DATA, sequence(0, $cipher[2])) !== false;
    return [
        'name' => 'openssl', 'version' => OPENSSL_VERSION_TEXT, 'digests' => [], 'ciphers' => array_filter($ciphers, $works),
        'passwords' => [
            'pbkdf2-hmac-sha256' => fn(array $task) => openssl_pbkdf2(PASSWORD, sequence(0, 16), 32, $task['iterations'], 'sha256'),
        ],
    ];
}

/** Bcrypt has a base64 of its own. */
function derive_bcrypt(array $task): string
{
    $standard = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';
    $bcrypt = './ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789';
    $salt = strtr(rtrim(base64_encode(sequence(0, 16)), '='), $standard, $bcrypt);
    $text = crypt(PASSWORD, sprintf('$2y$%02d$%s', $task['cost'], $salt));
    return base64_decode(strtr(substr($text, -31), $bcrypt, $standard));
}

function derive_argon2id(array $task): string
{
    if ($task['lanes'] !== 1) {
        throw new NotOffered('sodium has one lane');
    }
    return sodium_crypto_pwhash(
        32, PASSWORD, sequence(0, 16), $task['iterations'], $task['memory_kib'] * 1024, SODIUM_CRYPTO_PWHASH_ALG_ARGON2ID13);
}

// ---- Modes: each prepares outside the clock and returns the pass that is timed ----

function expect(array $task, int $total): void
{
    if ($total !== $task['bytes']) {
        throw new RuntimeException("the file has $total bytes, the task says {$task['bytes']}");
    }
}

/** The file in pieces of `chunk_bytes`. */
function pieces(array $task): Generator
{
    $file = @fopen($task['path'], 'rb') ?: throw new RuntimeException(error_get_last()['message']);
    stream_set_read_buffer($file, 0);
    $chunk_bytes = $task['chunk_bytes'] ?: $task['bytes'] + 1;
    $total = 0;
    while (($piece = fread($file, $chunk_bytes)) !== false && $piece !== '') {
        yield $piece;
        $total += strlen($piece);
    }
    fclose($file);
    expect($task, $total);
}

function digest_of(string $name, iterable $parts): string
{
    $digest = hash_init($name);
    foreach ($parts as $part) {
        hash_update($digest, $part);
    }
    return hash_final($digest);
}

function digest_each(string $name, array $messages): Closure
{
    return function (bool $checking) use ($name, $messages) {
        $every = $checking ? hash_init($name) : null;
        $last = '';
        foreach ($messages as $message) {
            $last = hash($name, $message, true);
            if ($every) {
                hash_update($every, $last);
            }
        }
        return $every ? hash_final($every) : bin2hex($last);
    };
}

/** Encrypts part after part; openssl_encrypt() keeps no state, but in CBC the last block is the next vector. */
function encrypt_all(array $cipher, iterable $parts, ?HashContext $whole = null): string
{
    [$name, $key_bytes, $block_bytes] = $cipher;
    $key = sequence(1, $key_bytes);
    $vector = sequence(0, $block_bytes);
    foreach ($parts as $part) {
        $ciphertext = openssl_encrypt($part, $name, $key, OPENSSL_RAW_DATA | OPENSSL_ZERO_PADDING, $vector);
        $vector = substr($ciphertext, -$block_bytes);
        if ($whole) {
            hash_update($whole, $ciphertext);
        }
    }
    return bin2hex($vector);
}

function prepare(array $library, array $task): Closure
{
    $offered = fn(string $kind) => $library[$kind][$task['algorithm']]
        ?? throw new NotOffered("{$task['algorithm']} is not in this library");
    switch ($task['mode']) {
        case 'digest':
            $name = $offered('digests');
            $chunks = iterator_to_array(pieces($task), false);
            return fn(bool $checking) => digest_of($name, $chunks);
        case 'digest-file':
            $name = $offered('digests');
            return fn(bool $checking) => digest_of($name, pieces($task));
        case 'read-file':
            return function (bool $checking) use ($task) {
                $total = 0;
                foreach (pieces($task) as $piece) {
                    $total += strlen($piece);
                }
                return (string) $total;
            };
        case 'cipher':
            $cipher = $offered('ciphers');
            $chunks = iterator_to_array(pieces($task), false);
            return function (bool $checking) use ($cipher, $chunks) {
                $whole = $checking ? hash_init('sha256') : null;
                $last = encrypt_all($cipher, $chunks, $whole);
                return $whole ? hash_final($whole) : $last;
            };
        case 'cipher-file':
            $cipher = $offered('ciphers');
            return fn(bool $checking) => encrypt_all($cipher, pieces($task));
        case 'strings':
            $name = $offered('digests');
            $strings = explode("\n", implode('', iterator_to_array(pieces($task), false)));
            array_pop($strings);
            return digest_each($name, $strings);
        case 'messages':
            $name = $offered('digests');
            ['bytes' => $bytes, 'count' => $count] = $task;
            if ($bytes === 0 || $count === 0 || $bytes % $count) {
                throw new RuntimeException("$bytes bytes are not $count messages of one length");
            }
            return digest_each($name, str_split(implode('', iterator_to_array(pieces($task), false)), intdiv($bytes, $count)));
        case 'password':
            $derive = $offered('passwords');
            return function (bool $checking) use ($derive, $task) {
                $derived = '';
                for ($index = 0; $index < $task['count']; $index++) {
                    $derived = $derive($task);
                }
                return bin2hex($derived);
            };
        default:
            throw new NotOffered('unknown mode');
    }
}

// ---- The conversation ----

function say(array $line): void
{
    fwrite(STDOUT, json_encode($line, JSON_THROW_ON_ERROR | JSON_UNESCAPED_SLASHES | JSON_INVALID_UTF8_SUBSTITUTE) . "\n");
}

/** Of the process, in steps of a microsecond; it has one thread. */
function cpu_ns(): int
{
    $usage = getrusage();
    return ($usage['ru_utime.tv_sec'] + $usage['ru_stime.tv_sec']) * 1_000_000_000
        + ($usage['ru_utime.tv_usec'] + $usage['ru_stime.tv_usec']) * 1000;
}

/** Linux hands getrusage's figure on from the process that started this one, so the status file is asked first. */
function peak_bytes(): int
{
    $status = @file_get_contents('/proc/self/status');
    return preg_match('/^VmHWM:\s*(\d+) kB/m', (string) $status, $found) ? (int) $found[1] * 1024 : getrusage()['ru_maxrss'] * 1024;
}

function carry_out(array $library, array $task): void
{
    $id = $task['id'];
    $collections = gc_status()['runs'];
    $pass = prepare($library, $task);
    say(['type' => 'check', 'id' => $id, 'answer' => $pass(true)]);
    for ($index = 0; $index < $task['warm_up']; $index++) {
        $pass(false);
    }
    for ($repeat = 0; $repeat < $task['repeats']; $repeat++) {
        if (isset($task['repeat_path'])) { // other data for each repeat
            $pass = prepare($library, ['path' => $task['repeat_path'] . $repeat] + $task);
            say(['type' => 'begin', 'id' => $id, 'repeat' => $repeat]);
        }
        $wall = hrtime(true);
        $cpu = cpu_ns();
        $answer = $pass(false);
        $cpu = cpu_ns() - $cpu;
        $wall = hrtime(true) - $wall;
        say(['type' => 'sample', 'id' => $id, 'repeat' => $repeat, 'wall_ns' => $wall, 'cpu_ns' => $cpu, 'answer' => $answer]);
    }
    say(['type' => 'done', 'id' => $id, 'gc_count' => gc_status()['runs'] - $collections, 'peak_bytes' => peak_bytes()]);
}

if ($argv[1] === 'openssl' && !extension_loaded('openssl')) {
    say(['type' => 'unavailable', 'message' => 'PHP has no extension openssl']);
    exit;
}
$library = $argv[1] === 'openssl' ? openssl_library() : hash_library();
say([
    'type' => 'hello', 'protocol' => 1, 'language' => 'PHP', 'language_version' => PHP_VERSION, 'library' => $library['name'],
    'library_version' => $library['version'], 'provider' => '', 'backend' => '', 'stand_in' => false, 'varies' => true, 'clock_ns' => 1000,
    'algorithms' => array_merge(...array_map(array_keys(...), [$library['digests'], $library['ciphers'], $library['passwords']])),
]);
while (($line = fgets(STDIN)) !== false) {
    $task = json_decode($line, true, flags: JSON_THROW_ON_ERROR);
    try {
        carry_out($library, $task);
    } catch (NotOffered $reason) {
        say(['type' => 'not-offered', 'id' => $task['id'], 'message' => $reason->getMessage()]);
    } catch (Throwable $error) { // whatever the library throws ends the task, not the runner
        say(['type' => 'error', 'id' => $task['id'], 'message' => $error->getMessage()]);
    }
}
