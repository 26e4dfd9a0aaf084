# Folds by LibTomCrypt (CryptX): see generate.py. Arguments: the lengths of the messages.
use strict;
use warnings;
use Crypt::Digest;
use Crypt::Mac::HMAC;
use Crypt::Mac::BLAKE2b;
use Crypt::Mac::BLAKE2s;
use Crypt::Digest::SHAKE;

my $cycle = join '', map { chr } 0 .. 250;
my @messages = map { substr $cycle x (int($_ / 251) + 1), 0, $_ } @ARGV;

sub key { join '', map { chr(255 - $_ % 256) } 0 .. $_[0] - 1 }

sub fold {
    my ($name, $key_bytes, $digest) = @_;
    my $all = Crypt::Digest->new('SHA256');
    $all->add($digest->($_)) for @messages;
    print "$name libtomcrypt $key_bytes ", $all->hexdigest, "\n";
}

my %names = (
    'md4' => 'MD4', 'md5' => 'MD5', 'sha1' => 'SHA1', 'sha224' => 'SHA224', 'sha256' => 'SHA256', 'sha384' => 'SHA384',
    'sha512' => 'SHA512', 'sha512-224' => 'SHA512_224', 'sha512-256' => 'SHA512_256', 'sha3-224' => 'SHA3_224',
    'sha3-256' => 'SHA3_256', 'sha3-384' => 'SHA3_384', 'sha3-512' => 'SHA3_512', 'keccak256' => 'Keccak256',
    'ripemd128' => 'RIPEMD128', 'ripemd160' => 'RIPEMD160', 'ripemd256' => 'RIPEMD256', 'ripemd320' => 'RIPEMD320',
    'whirlpool' => 'Whirlpool', 'tiger' => 'Tiger192', 'blake2b-160' => 'BLAKE2b_160', 'blake2b-256' => 'BLAKE2b_256',
    'blake2b-384' => 'BLAKE2b_384', 'blake2b-512' => 'BLAKE2b_512', 'blake2s-128' => 'BLAKE2s_128',
    'blake2s-160' => 'BLAKE2s_160', 'blake2s-224' => 'BLAKE2s_224', 'blake2s-256' => 'BLAKE2s_256',
);
for my $name (sort keys %names) {
    my $theirs = $names{$name};
    fold($name, 0, sub { Crypt::Digest->new($theirs)->add($_[0])->digest });
    next if $name =~ /^blake2.-/;
    for my $bytes (1, 20, 64, 65, 128, 129, 200) {
        my $key = key($bytes);
        fold("hmac-$name", $bytes, sub { Crypt::Mac::HMAC->new($theirs, $key)->add($_[0])->mac });
    }
}
for my $strength (128, 256) {
    for my $bytes (1, 16, 31, 32, 33, 64) {
        fold("shake$strength-" . 8 * $bytes, 0, sub { Crypt::Digest::SHAKE->new($strength)->add($_[0])->done($bytes) });
    }
}
for my $bytes (1, 20, 31, 32) {
    for my $key_bytes (1, 16, 32) {
        my $key = key($key_bytes);
        my $name = 8 * $bytes;
        fold("keyed-blake2b-$name", $key_bytes, sub { Crypt::Mac::BLAKE2b->new($bytes, $key)->add($_[0])->mac });
        fold("keyed-blake2s-$name", $key_bytes, sub { Crypt::Mac::BLAKE2s->new($bytes, $key)->add($_[0])->mac });
    }
}
