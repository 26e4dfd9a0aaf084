// Runner of Node's `crypto`; the protocol is in docs/reference/runner-protocol.md.

import crypto from 'node:crypto';
import fs from 'node:fs';
import { PerformanceObserver } from 'node:perf_hooks';
import readline from 'node:readline';

const PASSWORD = 'correct horse battery staple';
const SALT = sequence(0, 16);

const DIGESTS = {
  'md4': 'md4', 'md5': 'md5', 'sha1': 'sha1', 'sha224': 'sha224', 'sha256': 'sha256', 'sha384': 'sha384',
  'sha512': 'sha512', 'sha512-256': 'sha512-256', 'sha3-224': 'sha3-224', 'sha3-256': 'sha3-256',
  'sha3-384': 'sha3-384', 'sha3-512': 'sha3-512', 'blake2b': 'blake2b512', 'blake2s': 'blake2s256',
  'ripemd160': 'ripemd160', 'whirlpool': 'whirlpool', 'sm3': 'sm3',
};
// Node's name, key and block bytes
const CIPHERS = {
  'des-cbc': ['des-cbc', 8, 8],
  'des-ede3-cbc': ['des-ede3-cbc', 24, 8],
  'rc2-128-cbc': ['rc2-cbc', 16, 8],
  'aes-128-cbc': ['aes-128-cbc', 16, 16],
};
const PASSWORDS = {
  'pbkdf2-hmac-sha256': (task) => crypto.pbkdf2Sync(PASSWORD, SALT, task.iterations, 32, 'sha256'),
  'scrypt': ({ n, r, p }) =>
    crypto.scryptSync(PASSWORD, SALT, 32, { N: n, r, p, maxmem: 128 * r * (n + p + 2) + (1 << 20) }),
};
if (crypto.argon2Sync) { // since Node 24.7
  PASSWORDS.argon2id = (task) => crypto.argon2Sync('argon2id', {
    message: PASSWORD, nonce: SALT, parallelism: task.lanes, tagLength: 32, memory: task.memory_kib, passes: task.iterations,
  });
}

class NotOffered extends Error {}

function sequence(first, length) {
  return Buffer.from(Array.from({ length }, (_, index) => first + index));
}

// `crypto.getHashes` also names what a provider that is not loaded would have, so each is tried.
function works(make) {
  try {
    make();
    return true;
  } catch {
    return false;
  }
}

function newCipher(name) {
  const [nodeName, keyBytes, blockBytes] = CIPHERS[name];
  return crypto.createCipheriv(nodeName, sequence(1, keyBytes), sequence(0, blockBytes)).setAutoPadding(false);
}

const offered = new Set([
  ...Object.keys(DIGESTS).filter((name) => works(() => crypto.createHash(DIGESTS[name]))),
  ...Object.keys(CIPHERS).filter((name) => works(() => newCipher(name))),
  ...Object.keys(PASSWORDS),
]);

// ---- Modes: each prepares outside the clock and returns the pass that is timed ----

function load(task) {
  const data = fs.readFileSync(task.path);
  expectBytes(task, data.length);
  return data;
}

function expectBytes(task, found) {
  if (found !== task.bytes) throw new Error(`the file has ${found} bytes, the task says ${task.bytes}`);
}

function* chunks(data, chunkBytes) {
  const step = chunkBytes || data.length;
  for (let start = 0; start < data.length; start += step) yield data.subarray(start, start + step);
}

// Reads the file in pieces of `chunk_bytes`; a piece is overwritten by the next.
function* pieces(task) {
  const piece = Buffer.allocUnsafe(task.chunk_bytes || task.bytes + 1);
  const file = fs.openSync(task.path);
  let total = 0;
  try {
    for (let length; (length = fs.readSync(file, piece)) > 0; total += length) yield piece.subarray(0, length);
  } finally {
    fs.closeSync(file);
  }
  expectBytes(task, total);
}

function digestOf(task, parts) {
  const hash = crypto.createHash(DIGESTS[task.algorithm]);
  for (const part of parts) hash.update(part);
  return hash.digest('hex');
}

function digestEach(task, messages) {
  const name = DIGESTS[task.algorithm];
  return (checking) => {
    const every = checking ? crypto.createHash(name) : null;
    let last;
    for (const message of messages) {
      last = crypto.createHash(name).update(message).digest();
      every?.update(last);
    }
    return (every?.digest() ?? last).toString('hex');
  };
}

function lastBlockOf(task, parts) {
  const cipher = newCipher(task.algorithm);
  let ciphertext = Buffer.alloc(0);
  for (const part of parts) ciphertext = cipher.update(part);
  return ciphertext.subarray(-CIPHERS[task.algorithm][2]).toString('hex');
}

const MODES = {
  'digest'(task) {
    const data = load(task);
    return () => digestOf(task, chunks(data, task.chunk_bytes));
  },
  'digest-file': (task) => () => digestOf(task, pieces(task)),
  'read-file': (task) => () => {
    let total = 0;
    for (const piece of pieces(task)) total += piece.length;
    return String(total);
  },
  'cipher'(task) {
    const data = load(task);
    return (checking) => {
      if (!checking) return lastBlockOf(task, chunks(data, task.chunk_bytes));
      const cipher = newCipher(task.algorithm);
      const whole = crypto.createHash('sha256');
      for (const chunk of chunks(data, task.chunk_bytes)) whole.update(cipher.update(chunk));
      return whole.digest('hex');
    };
  },
  'cipher-file': (task) => () => lastBlockOf(task, pieces(task)),
  'strings'(task) {
    const data = load(task);
    const strings = [];
    for (let start = 0, end; (end = data.indexOf('\n', start)) >= 0; start = end + 1) strings.push(data.subarray(start, end));
    return digestEach(task, strings);
  },
  'messages'(task) {
    const data = load(task);
    const { bytes, count } = task;
    if (!bytes || !count || bytes % count) throw new Error(`${bytes} bytes are not ${count} messages of one length`);
    return digestEach(task, [...chunks(data, bytes / count)]);
  },
  'password': (task) => () => {
    let derived;
    for (let index = 0; index < task.count; index++) derived = PASSWORDS[task.algorithm](task);
    return derived.toString('hex');
  },
};

function prepare(task) {
  if (!Object.hasOwn(MODES, task.mode)) throw new NotOffered('unknown mode');
  const kind = { cipher: CIPHERS, 'cipher-file': CIPHERS, password: PASSWORDS }[task.mode] ?? DIGESTS;
  if (task.mode !== 'read-file' && !(Object.hasOwn(kind, task.algorithm) && offered.has(task.algorithm))) {
    throw new NotOffered(`${task.algorithm} is not in this library`);
  }
  return MODES[task.mode](task);
}

// ---- The conversation ----

function say(line) {
  const bytes = Buffer.from(JSON.stringify(line) + '\n');
  for (let written = 0; written < bytes.length; written += writeSome(bytes, written));
}

// Standard output may be a pipe that does not block.
function writeSome(bytes, start) {
  try {
    return fs.writeSync(1, bytes, start);
  } catch (error) {
    if (error.code === 'EAGAIN') return 0;
    throw error;
  }
}

const cpuMicroseconds = () => {
  const { user, system } = process.cpuUsage();
  return user + system;
};

function peakBytes() {
  try {
    // Linux hands getrusage's figure on from the process that started this one.
    return Number(/VmHWM:\s*(\d+) kB/.exec(fs.readFileSync('/proc/self/status', 'latin1'))[1]) * 1024;
  } catch {
    return process.resourceUsage().maxRSS * 1024;
  }
}

const collections = { count: 0, ns: 0 };
new PerformanceObserver((list) => {
  for (const { duration } of list.getEntries()) {
    collections.count += 1;
    collections.ns += Math.round(duration * 1e6);
  }
}).observe({ entryTypes: ['gc'] });
const collectionsReported = () => new Promise((resolve) => setTimeout(resolve, 1));

async function carryOut(task) {
  const { id } = task;
  await collectionsReported();
  const before = { ...collections };
  let pass = prepare(task);
  say({ type: 'check', id, answer: pass(true) });
  for (let index = 0; index < task.warm_up; index++) pass(false);
  for (let repeat = 0; repeat < task.repeats; repeat++) {
    if (task.repeat_path !== undefined) { // other data for each repeat
      pass = prepare({ ...task, path: task.repeat_path + repeat });
      say({ type: 'begin', id, repeat });
    }
    const wall = process.hrtime.bigint();
    const cpu = cpuMicroseconds();
    const answer = pass(false);
    const cpu_ns = (cpuMicroseconds() - cpu) * 1000;
    const wall_ns = Number(process.hrtime.bigint() - wall);
    say({ type: 'sample', id, repeat, wall_ns, cpu_ns, answer });
  }
  await collectionsReported();
  say({
    type: 'done', id, gc_count: collections.count - before.count, gc_ns: collections.ns - before.ns, peak_bytes: peakBytes(),
  });
}

say({
  type: 'hello', protocol: 1, language: 'JavaScript', language_version: `Node ${process.versions.node}`, library: 'crypto',
  library_version: `OpenSSL ${process.versions.openssl}`, provider: '', backend: '', stand_in: false, varies: true,
  clock_ns: 1000,
  algorithms: [...offered],
});
for await (const line of readline.createInterface({ input: process.stdin })) {
  const task = JSON.parse(line);
  try {
    await carryOut(task);
  } catch (error) { // whatever the library throws ends the task, not the runner
    say({ type: error instanceof NotOffered ? 'not-offered' : 'error', id: task.id, message: error.message });
  }
}
