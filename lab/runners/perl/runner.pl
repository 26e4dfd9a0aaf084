# Runner of two Perl libraries; the protocol is in docs/reference/runner-protocol.md.

use v5.28;
use warnings;

use Digest::SHA;
use JSON::PP;
use Time::HiRes qw(clock_gettime clock_getres CLOCK_MONOTONIC CLOCK_PROCESS_CPUTIME_ID);

use constant PASSWORD => 'correct horse battery staple';
use constant SALT     => pack 'C*', 0 .. 15;

my $json = JSON::PP->new->utf8;
binmode STDOUT;
$| = 1;

sub say_line { say $json->encode({@_}) }

# What an algorithm that the library lacks, or an unknown mode, ends with.
package NotOffered { sub new { bless {message => $_[1]} } }

# ---- Libraries: tables of constructors. A digest has `add` and `digest`, a cipher `add`. ----

my %KEY_BYTES = ('des-cbc' => 8, 'des-ede3-cbc' => 24, 'rc2-128-cbc' => 16, 'aes-128-cbc' => 16);

sub block_bytes { $_[0] =~ /^aes/ ? 16 : 8 }

# Bcrypt has a base64 of its own.
sub bcrypt {
    my ($task) = @_;
    require MIME::Base64;
    my $salt = MIME::Base64::encode_base64(SALT, '');
    $salt =~ s/=+$//;
    $salt =~ tr{A-Za-z0-9+/}{./A-Za-z0-9};
    my $text = substr crypt(PASSWORD, sprintf '$2b$%02d$%s', $task->{cost}, $salt), -31;
    $text =~ tr{./A-Za-z0-9}{A-Za-z0-9+/};
    return MIME::Base64::decode_base64("$text=");
}

sub core {
    my %digests;
    for my $bits (1, 224, 256, 384, 512) {
        $digests{"sha$bits"} = sub { Digest::SHA->new($bits) };
    }
    $digests{'sha512-256'} = sub { Digest::SHA->new(512256) };
    my @versions = ("Digest::SHA $Digest::SHA::VERSION");
    for my $name (qw(MD4 MD5 Whirlpool)) {
        my $class = "Digest::$name";
        eval "require $class" or next;
        push @versions, "$class " . $class->VERSION;
        $digests{lc $name} = sub { $class->new };
    }
    # crypt(3) is the system's: not all have bcrypt.
    my %passwords;
    $passwords{bcrypt} = \&bcrypt if (crypt('x', '$2b$04$' . '.' x 22) // '') =~ /^\$2b\$04\$.{53}$/;
    return {name => 'Digest', version => join(', ', @versions), digests => \%digests, ciphers => {}, passwords => \%passwords};
}

sub cryptx {
    eval { require CryptX; require Crypt::Digest; require Crypt::Mode::CBC; require Crypt::KeyDerivation }
        or return;
    my %names = (
        'md4' => 'MD4', 'md5' => 'MD5', 'sha1' => 'SHA1', 'sha224' => 'SHA224', 'sha256' => 'SHA256', 'sha384' => 'SHA384',
        'sha512' => 'SHA512', 'sha512-256' => 'SHA512_256', 'sha3-224' => 'SHA3_224', 'sha3-256' => 'SHA3_256',
        'sha3-384' => 'SHA3_384', 'sha3-512' => 'SHA3_512', 'keccak256' => 'Keccak256', 'blake2b' => 'BLAKE2b_512',
        'blake2s' => 'BLAKE2s_256', 'ripemd128' => 'RIPEMD128', 'ripemd160' => 'RIPEMD160', 'ripemd256' => 'RIPEMD256',
        'ripemd320' => 'RIPEMD320', 'whirlpool' => 'Whirlpool', 'tiger' => 'Tiger192',
    );
    my %digests;
    for my $name (keys %names) {
        my $cryptx_name = $names{$name};
        $digests{$name} = sub { Crypt::Digest->new($cryptx_name) } if eval { Crypt::Digest->new($cryptx_name) };
    }
    my %cryptx_ciphers =
        ('des-cbc' => 'DES', 'des-ede3-cbc' => 'DES_EDE', 'rc2-128-cbc' => 'RC2', 'aes-128-cbc' => 'AES');
    my %ciphers;
    for my $name (keys %cryptx_ciphers) {
        my $key    = pack 'C*', 1 .. $KEY_BYTES{$name};
        my $vector = pack 'C*', 0 .. block_bytes($name) - 1;
        $ciphers{$name} = sub {
            my $cipher = Crypt::Mode::CBC->new($cryptx_ciphers{$name}, 0);    # 0: no padding
            $cipher->start_encrypt($key, $vector);
            return $cipher;
        };
    }
    my %passwords = (
        'pbkdf2-hmac-sha256' => sub { Crypt::KeyDerivation::pbkdf2(PASSWORD, SALT, $_[0]{iterations}, 'SHA256', 32) },
    );
    return {
        name => 'CryptX', version => CryptX->VERSION, digests => \%digests, ciphers => \%ciphers, passwords => \%passwords,
    };
}

# ---- Modes: each prepares outside the clock and returns the pass that is timed ----

sub expect {
    my ($task, $total) = @_;
    $total == $task->{bytes} or die "the file has $total bytes, the task says $task->{bytes}\n";
}

# Calls `use` with each piece of `chunk_bytes` of the file. The piece is a copy, since CryptX takes no substr().
sub each_piece {
    my ($task, $use) = @_;
    my $chunk_bytes = $task->{chunk_bytes} || $task->{bytes} + 1;
    my $total       = 0;
    open my $file, '<:raw', $task->{path} or die "$!\n";
    while (1) {
        my $length = sysread($file, my $piece, $chunk_bytes) // die "$!\n";
        last if !$length;
        $use->($piece);
        $total += $length;
    }
    close $file or die "$!\n";
    expect($task, $total);
    return $total;
}

sub load {
    my ($task) = @_;
    my @chunks;
    each_piece($task, sub { push @chunks, $_[0] });
    return \@chunks;
}

sub digest_each {
    my ($new, @messages) = @_;
    my $digest_of = sub { $new->()->add($_[0])->digest };
    return sub {
        my ($checking) = @_;
        return unpack 'H*', $digest_of->(join '', map { $digest_of->($_) } @messages) if $checking;
        my $last;
        $last = $digest_of->($_) for @messages;
        return unpack 'H*', $last;
    };
}

my %modes = (
    'digest' => sub {
        my ($task, $new) = @_;
        my $chunks = load($task);
        return sub {
            my $digest = $new->();
            $digest->add($_) for @$chunks;
            return unpack 'H*', $digest->digest;
        };
    },
    'digest-file' => sub {
        my ($task, $new) = @_;
        return sub {
            my $digest = $new->();
            each_piece($task, sub { $digest->add($_[0]) });
            return unpack 'H*', $digest->digest;
        };
    },
    'read-file' => sub {
        my ($task) = @_;
        return sub { each_piece($task, sub { }) . '' };
    },
    'cipher' => sub {
        my ($task, $new) = @_;
        my $chunks = load($task);
        return sub {
            my ($checking) = @_;
            my $cipher     = $new->();
            my $whole      = Digest::SHA->new(256);
            my $ciphertext;
            for my $chunk (@$chunks) {
                $ciphertext = $cipher->add($chunk);
                $whole->add($ciphertext) if $checking;
            }
            return $checking ? $whole->hexdigest : unpack 'H*', substr $ciphertext, -block_bytes($task->{algorithm});
        };
    },
    'cipher-file' => sub {
        my ($task, $new) = @_;
        return sub {
            my $cipher = $new->();
            my $ciphertext;
            each_piece($task, sub { $ciphertext = $cipher->add($_[0]) });
            return unpack 'H*', substr $ciphertext, -block_bytes($task->{algorithm});
        };
    },
    'strings' => sub {
        my ($task, $new) = @_;
        return digest_each($new, split /\n/, join('', @{load({%$task, chunk_bytes => 0})}));
    },
    'messages' => sub {
        my ($task, $new) = @_;
        my ($bytes, $count) = @$task{qw(bytes count)};
        die "$bytes bytes are not $count messages of one length\n" if !$bytes || !$count || $bytes % $count;
        return digest_each($new, @{load({%$task, chunk_bytes => $bytes / $count})});
    },
    'password' => sub {
        my ($task, $derive) = @_;
        return sub {
            my $derived;
            $derived = $derive->($task) for 1 .. $task->{count};
            return unpack 'H*', $derived;
        };
    },
);

sub prepare {
    my ($library, $task) = @_;
    my $mode = $modes{$task->{mode}} or die NotOffered->new('unknown mode');
    return $mode->($task) if $task->{mode} eq 'read-file';
    my $table     = $task->{mode} =~ /^cipher/ ? 'ciphers' : $task->{mode} eq 'password' ? 'passwords' : 'digests';
    my $algorithm = $library->{$table}{$task->{algorithm}}
        or die NotOffered->new("$task->{algorithm} is not in this library");
    return $mode->($task, $algorithm);
}

# ---- The conversation ----

# This program has one thread, so the processor time of the process is the thread's.
sub nanoseconds { int(1e9 * clock_gettime($_[0])) }

# Linux hands getrusage's figure on from the process that started this one, so the status file is asked.
sub peak_bytes {
    open my $status, '<', '/proc/self/status' or return 0;
    while (<$status>) {
        return $1 * 1024 if /^VmHWM:\s*(\d+) kB/;
    }
    return 0;
}

sub carry_out {
    my ($library, $task) = @_;
    my $id   = $task->{id};
    my $pass = prepare($library, $task);
    say_line(type => 'check', id => $id, answer => $pass->(1));
    $pass->(0) for 1 .. $task->{warm_up};
    for my $repeat (0 .. $task->{repeats} - 1) {
        # Other data for each repeat.
        if (defined $task->{repeat_path}) {
            $pass = prepare($library, {%$task, path => "$task->{repeat_path}$repeat"});
            say_line(type => 'begin', id => $id, repeat => $repeat);
        }
        my ($wall, $cpu) = map { nanoseconds($_) } CLOCK_MONOTONIC, CLOCK_PROCESS_CPUTIME_ID;
        my $answer = $pass->(0);
        my $cpu_ns  = nanoseconds(CLOCK_PROCESS_CPUTIME_ID) - $cpu;
        my $wall_ns = nanoseconds(CLOCK_MONOTONIC) - $wall;
        say_line(type => 'sample', id => $id, repeat => $repeat, wall_ns => $wall_ns, cpu_ns => $cpu_ns, answer => $answer);
    }
    say_line(type => 'done', id => $id, peak_bytes => peak_bytes());
}

my $library = ($ARGV[0] // '') eq 'cryptx' ? cryptx() : core();
if (!$library) {
    say_line(type => 'unavailable', message => 'CryptX is not installed');
    exit;
}
say_line(
    type => 'hello', protocol => 1, language => 'Perl', language_version => sprintf('%vd', $^V), library => $library->{name},
    library_version => $library->{version}, provider => '', backend => '', stand_in => JSON::PP::false, varies => JSON::PP::true,
    clock_ns => int(1e9 * clock_getres(CLOCK_PROCESS_CPUTIME_ID) + 0.5) || 1,
    algorithms => [map { sort keys %$_ } @$library{qw(digests ciphers passwords)}],
);
while (my $line = <STDIN>) {
    my $task = $json->decode($line);
    defined $task->{$_} and utf8::encode($task->{$_}) for qw(path repeat_path);
    next if eval { carry_out($library, $task); 1 };
    my $error = $@;
    say_line(
        id => $task->{id}, ref $error eq 'NotOffered'
        ? (type => 'not-offered', message => $error->{message})
        : (type => 'error', message => "$error"),
    );
}
