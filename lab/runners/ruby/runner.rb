# Runner of two Ruby libraries; the protocol is in docs/reference/runner-protocol.md.
# frozen_string_literal: true

require 'digest'
require 'json'

PASSWORD = 'correct horse battery staple'
SALT = (0..15).to_a.pack('C*')

class NotOffered < StandardError; end

# `digests` and `ciphers` map names to what makes one, `passwords` to what derives from the parameters of a task.
Library = Struct.new(:name, :version, :digests, :ciphers, :passwords, keyword_init: true)

def sequence(range) = range.to_a.pack('C*')

def works?
  yield
  true
rescue StandardError
  false
end

# Ruby's own implementations.
def digest_library
  digests = {
    'md5' => Digest::MD5, 'sha1' => Digest::SHA1, 'sha256' => Digest::SHA256, 'sha384' => Digest::SHA384,
    'sha512' => Digest::SHA512, 'ripemd160' => Digest::RMD160
  }
  Library.new(name: 'Digest', version: Digest::VERSION, digests: digests.transform_values { |kind| -> { kind.new } },
              ciphers: {}, passwords: {})
end

def openssl_library
  require 'openssl'
  digests = {
    'md4' => 'MD4', 'md5' => 'MD5', 'sha1' => 'SHA1', 'sha224' => 'SHA224', 'sha256' => 'SHA256', 'sha384' => 'SHA384',
    'sha512' => 'SHA512', 'sha512-256' => 'SHA512-256', 'sha3-224' => 'SHA3-224', 'sha3-256' => 'SHA3-256',
    'sha3-384' => 'SHA3-384', 'sha3-512' => 'SHA3-512', 'blake2b' => 'BLAKE2b512', 'blake2s' => 'BLAKE2s256',
    'ripemd160' => 'RIPEMD160', 'whirlpool' => 'whirlpool', 'sm3' => 'SM3'
  }.transform_values { |name| -> { OpenSSL::Digest.new(name) } }
  ciphers = { 'des-cbc' => 'des-cbc', 'des-ede3-cbc' => 'des-ede3-cbc', 'rc2-128-cbc' => 'rc2-cbc',
              'aes-128-cbc' => 'aes-128-cbc' }.transform_values { |name| -> { encryption(name) } }
  Library.new(
    name: 'openssl', version: "#{OpenSSL::VERSION}, #{OpenSSL::OPENSSL_LIBRARY_VERSION}",
    digests: digests.select { |_, make| works?(&make) }, ciphers: ciphers.select { |_, make| works?(&make) },
    passwords: {
      'pbkdf2-hmac-sha256' => lambda { |task|
        OpenSSL::KDF.pbkdf2_hmac(PASSWORD, salt: SALT, iterations: task['iterations'], length: 32, hash: 'SHA256')
      },
      'scrypt' => lambda { |task|
        OpenSSL::KDF.scrypt(PASSWORD, salt: SALT, N: task['n'], r: task['r'], p: task['p'], length: 32)
      }
    }
  )
end

def encryption(name)
  cipher = OpenSSL::Cipher.new(name).encrypt
  cipher.padding = 0
  cipher.key = sequence(1..cipher.key_len)
  cipher.iv = sequence(0...cipher.iv_len)
  cipher
end

# ---- Modes: each prepares outside the clock and returns the pass that is timed ----

def expect(task, total)
  raise "the file has #{total} bytes, the task says #{task['bytes']}" if total != task['bytes']
end

# Yields the file in pieces of `chunk_bytes`, each into `buffer` where one is given, and returns its size.
def each_piece(task, buffer = nil)
  chunk_bytes = task['chunk_bytes'].zero? ? task['bytes'] + 1 : task['chunk_bytes']
  total = 0
  File.open(task['path'], 'rb') do |file|
    while (piece = buffer ? file.read(chunk_bytes, buffer) : file.read(chunk_bytes))
      total += piece.bytesize
      yield piece
    end
  end
  expect(task, total)
  total
end

# The file as an array of chunks, so that none has to be cut while the clock runs.
def load_chunks(task) = [].tap { |chunks| each_piece(task) { |piece| chunks << piece } }

def hexadecimal(bytes) = bytes.unpack1('H*')

def digest_mode(task, make)
  chunks = load_chunks(task)
  lambda do |_checking|
    digest = make.call
    chunks.each { |chunk| digest << chunk }
    digest.hexdigest
  end
end

def digest_file_mode(task, make)
  lambda do |_checking|
    digest = make.call
    each_piece(task, +'') { |piece| digest << piece }
    digest.hexdigest
  end
end

def read_file_mode(task, _make)
  ->(_checking) { each_piece(task, +'') {}.to_s }
end

def cipher_mode(task, make)
  chunks = load_chunks(task)
  lambda do |checking|
    cipher = make.call
    whole = Digest::SHA256.new
    ciphertext = +''
    chunks.each do |chunk|
      cipher.update(chunk, ciphertext)
      whole << ciphertext if checking
    end
    checking ? whole.hexdigest : hexadecimal(ciphertext.byteslice(-cipher.block_size..))
  end
end

def cipher_file_mode(task, make)
  lambda do |_checking|
    cipher = make.call
    ciphertext = +''
    each_piece(task, +'') { |piece| cipher.update(piece, ciphertext) }
    hexadecimal(ciphertext.byteslice(-cipher.block_size..))
  end
end

def strings_mode(task, make)
  data = File.binread(task['path'])
  expect(task, data.bytesize)
  digest_each(data.split("\n"), make)
end

def messages_mode(task, make)
  bytes, count = task.values_at('bytes', 'count')
  raise "#{bytes} bytes are not #{count} messages of one length" unless bytes.positive? && count.positive? && (bytes % count).zero?

  digest_each(load_chunks(task.merge('chunk_bytes' => bytes / count)), make)
end

def digest_each(messages, make)
  digest = make.call
  lambda do |checking|
    next hexadecimal(digest.digest(messages.map { |message| digest.digest(message) }.join)) if checking

    last = nil
    messages.each { |message| last = digest.digest(message) }
    hexadecimal(last)
  end
end

def password_mode(task, derive)
  lambda do |_checking|
    derived = nil
    task['count'].times { derived = derive.call(task) }
    hexadecimal(derived)
  end
end

# What each mode takes its algorithm from.
MODES = { 'digest' => :digests, 'digest-file' => :digests, 'read-file' => nil, 'cipher' => :ciphers, 'cipher-file' => :ciphers,
          'strings' => :digests, 'messages' => :digests, 'password' => :passwords }.freeze

def prepare(library, task)
  mode, algorithm = task.values_at('mode', 'algorithm')
  raise NotOffered, 'unknown mode' unless MODES.key?(mode)

  chosen = MODES[mode] && library[MODES[mode]].fetch(algorithm) { raise NotOffered, "#{algorithm} is not in this library" }
  send("#{mode.tr('-', '_')}_mode", task, chosen)
end

# ---- The conversation ----

def say(**line) = $stdout.puts(JSON.generate(line))

def wall_ns = Process.clock_gettime(Process::CLOCK_MONOTONIC, :nanosecond)

def cpu_ns = Process.clock_gettime(Process::CLOCK_THREAD_CPUTIME_ID, :nanosecond)

# Linux hands getrusage's figure on from the process that started this one, so the status file is asked.
def peak_bytes
  File.read('/proc/self/status')[/^VmHWM:\s*(\d+) kB/, 1].to_i * 1024
rescue SystemCallError
  0
end

def collection_ns = (GC.stat[:time] || 0) * 1_000_000 # since Ruby 3.1

def carry_out(library, task)
  id = task['id']
  collections = GC.count
  collections_ns = collection_ns
  pass = prepare(library, task)
  say(type: 'check', id:, answer: pass.call(true))
  task['warm_up'].times { pass.call(false) }
  task['repeats'].times do |repeat|
    if task.key?('repeat_path') # other data for each repeat
      pass = prepare(library, task.merge('path' => "#{task['repeat_path']}#{repeat}"))
      say(type: 'begin', id:, repeat:)
    end
    wall = wall_ns
    cpu = cpu_ns
    answer = pass.call(false)
    cpu = cpu_ns - cpu
    wall = wall_ns - wall
    say(type: 'sample', id:, repeat:, wall_ns: wall, cpu_ns: cpu, answer:)
  end
  say(type: 'done', id:, gc_count: GC.count - collections, gc_ns: collection_ns - collections_ns, peak_bytes:)
end

$stdout.sync = true
begin
  library = ARGV[0] == 'openssl' ? openssl_library : digest_library
rescue LoadError => e
  say(type: 'unavailable', message: e.message)
  exit
end
say(type: 'hello', protocol: 1, language: 'Ruby', language_version: RUBY_VERSION, library: library.name,
    library_version: library.version, provider: '', backend: '', stand_in: false, varies: true,
    clock_ns: Process.clock_getres(Process::CLOCK_THREAD_CPUTIME_ID, :nanosecond),
    algorithms: [library.digests, library.ciphers, library.passwords].flat_map(&:keys))
$stdin.set_encoding('UTF-8')
$stdin.each_line do |line|
  task = JSON.parse(line)
  carry_out(library, task)
rescue NotOffered => e
  say(type: 'not-offered', id: task['id'], message: e.message)
rescue StandardError => e # whatever a library raises ends the task, not the runner
  say(type: 'error', id: task['id'], message: e.message)
end
