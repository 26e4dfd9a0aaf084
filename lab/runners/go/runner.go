// Runner of Go's own cryptography and of golang.org/x/crypto; the protocol is in docs/reference/runner-protocol.md.
package main

import (
	"bufio"
	"bytes"
	"crypto/aes"
	"crypto/cipher"
	"crypto/des"
	"crypto/md5"
	"crypto/pbkdf2"
	"crypto/sha1"
	"crypto/sha256"
	"crypto/sha3"
	"crypto/sha512"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"hash"
	"hash/adler32"
	"hash/crc32"
	"hash/fnv"
	"io"
	"log"
	"maps"
	"os"
	"runtime"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"
	"time"

	"golang.org/x/crypto/argon2"
	"golang.org/x/crypto/blake2b"
	"golang.org/x/crypto/blake2s"
	"golang.org/x/crypto/md4"
	"golang.org/x/crypto/ripemd160"
	"golang.org/x/crypto/scrypt"
	legacysha3 "golang.org/x/crypto/sha3"
	"golang.org/x/sys/unix"
)

const lineBytesMax = 64 * 1024

const password = "correct horse battery staple"

var salt = sequence(0, 16)

type task struct {
	ID         uint64 `json:"id"`
	Mode       string `json:"mode"`
	Algorithm  string `json:"algorithm"`
	Path       string `json:"path"`
	RepeatPath string `json:"repeat_path"`
	Bytes      int64  `json:"bytes"`
	ChunkBytes int64  `json:"chunk_bytes"`
	WarmUp     int    `json:"warm_up"`
	Repeats    int    `json:"repeats"`
	Count      int    `json:"count"`
	Iterations int    `json:"iterations"`
	N          int    `json:"n"`
	R          int    `json:"r"`
	P          int    `json:"p"`
	MemoryKiB  uint32 `json:"memory_kib"`
	Lanes      uint8  `json:"lanes"`
}

// What Go and its extended library have.

var digests = map[string]func() hash.Hash{
	"md4":        md4.New,
	"md5":        md5.New,
	"sha1":       sha1.New,
	"sha224":     sha256.New224,
	"sha256":     sha256.New,
	"sha384":     sha512.New384,
	"sha512":     sha512.New,
	"sha512-256": sha512.New512_256,
	"sha3-224":   func() hash.Hash { return sha3.New224() },
	"sha3-256":   func() hash.Hash { return sha3.New256() },
	"sha3-384":   func() hash.Hash { return sha3.New384() },
	"sha3-512":   func() hash.Hash { return sha3.New512() },
	"keccak256":  legacysha3.NewLegacyKeccak256,
	"blake2b":    func() hash.Hash { return must(blake2b.New512(nil)) },
	"blake2s":    func() hash.Hash { return must(blake2s.New256(nil)) },
	"ripemd160":  ripemd160.New,
	"crc32":      func() hash.Hash { return crc32.NewIEEE() },
	"crc32c":     func() hash.Hash { return crc32.New(castagnoli) },
	"adler32":    func() hash.Hash { return adler32.New() },
	"fnv1-32":    func() hash.Hash { return fnv.New32() },
	"fnv1-64":    func() hash.Hash { return fnv.New64() },
	"fnv1a-32":   func() hash.Hash { return fnv.New32a() },
	"fnv1a-64":   func() hash.Hash { return fnv.New64a() },
}

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

var ciphers = map[string]func() cipher.BlockMode{
	"des-cbc":      encrypter(des.NewCipher, 8),
	"des-ede3-cbc": encrypter(des.NewTripleDESCipher, 24),
	"aes-128-cbc":  encrypter(aes.NewCipher, 16),
}

// x/crypto/bcrypt chooses the salt itself, so bcrypt is not here.
var passwords = map[string]func(*task) ([]byte, error){
	"pbkdf2-hmac-sha256": func(t *task) ([]byte, error) {
		return pbkdf2.Key(sha256.New, password, salt, t.Iterations, 32)
	},
	"scrypt": func(t *task) ([]byte, error) {
		return scrypt.Key([]byte(password), salt, t.N, t.R, t.P, 32)
	},
	"argon2id": func(t *task) ([]byte, error) {
		return argon2.IDKey([]byte(password), salt, uint32(t.Iterations), t.MemoryKiB, t.Lanes, 32), nil
	},
}

// The key schedule is part of what is measured, as it is in the other languages.
func encrypter(newCipher func([]byte) (cipher.Block, error), keyBytes int) func() cipher.BlockMode {
	return func() cipher.BlockMode {
		block := must(newCipher(sequence(1, keyBytes)))
		return cipher.NewCBCEncrypter(block, sequence(0, block.BlockSize()))
	}
}

func sequence(first byte, length int) []byte {
	sequence := make([]byte, length)
	for i := range sequence {
		sequence[i] = first + byte(i)
	}
	return sequence
}

// must is for calls that fail on wrong arguments only, and whose arguments are constants.
func must[T any](value T, err error) T {
	if err != nil {
		panic(err)
	}
	return value
}

// Modes: each prepares outside the clock and returns the pass that is timed.

type pass func(checking bool) (answer string, err error)

type notOffered string

func (n notOffered) Error() string { return string(n) }

func prepare(t *task) (pass, error) {
	switch t.Mode {
	case "digest", "digest-file", "strings", "messages":
		newDigest, ok := digests[t.Algorithm]
		switch {
		case !ok:
			return nil, notOffered(t.Algorithm + " is not in this library")
		case t.Mode == "digest":
			return digestMemory(t, newDigest)
		case t.Mode == "strings":
			return digestStrings(t, newDigest)
		case t.Mode == "messages":
			return digestMessages(t, newDigest)
		}
		return digestFile(t, newDigest), nil
	case "cipher", "cipher-file":
		newEncrypter, ok := ciphers[t.Algorithm]
		switch {
		case !ok:
			return nil, notOffered(t.Algorithm + " is not in this library")
		case t.Mode == "cipher":
			return encryptMemory(t, newEncrypter)
		}
		return encryptFile(t, newEncrypter), nil
	case "read-file":
		return func(bool) (string, error) {
			total, err := pieces(t, func([]byte) {})
			return strconv.FormatInt(total, 10), err
		}, nil
	case "password":
		derive, ok := passwords[t.Algorithm]
		if !ok {
			return nil, notOffered(t.Algorithm + " is not in this library")
		}
		return func(bool) (string, error) {
			var derived []byte
			var err error
			for range t.Count {
				if derived, err = derive(t); err != nil {
					return "", err
				}
			}
			return hex.EncodeToString(derived), nil
		}, nil
	}
	return nil, notOffered("unknown mode")
}

func load(t *task) ([]byte, error) {
	data, err := os.ReadFile(t.Path)
	if err == nil {
		err = t.expect(int64(len(data)))
	}
	return data, err
}

func (t *task) expect(total int64) error {
	if total != t.Bytes {
		return fmt.Errorf("the file has %d bytes, the task says %d", total, t.Bytes)
	}
	return nil
}

// pieces reads the file in pieces of chunk_bytes and returns how many bytes it had.
func pieces(t *task, use func([]byte)) (int64, error) {
	file, err := os.Open(t.Path)
	if err != nil {
		return 0, err
	}
	defer file.Close()
	piece := make([]byte, chunkOr(t, t.Bytes+1))
	total := int64(0)
	for {
		n, err := io.ReadFull(file, piece)
		if n > 0 {
			use(piece[:n])
			total += int64(n)
		}
		if err == io.EOF || err == io.ErrUnexpectedEOF {
			return total, t.expect(total)
		}
		if err != nil {
			return total, err
		}
	}
}

func chunkOr(t *task, whole int64) int64 {
	if t.ChunkBytes > 0 {
		return t.ChunkBytes
	}
	return max(whole, 1)
}

func digestMemory(t *task, newDigest func() hash.Hash) (pass, error) {
	data, err := load(t)
	return func(bool) (string, error) {
		digest := newDigest()
		for chunk := range slices.Chunk(data, int(chunkOr(t, t.Bytes))) {
			digest.Write(chunk)
		}
		return hex.EncodeToString(digest.Sum(nil)), nil
	}, err
}

func digestFile(t *task, newDigest func() hash.Hash) pass {
	return func(bool) (string, error) {
		digest := newDigest()
		_, err := pieces(t, func(piece []byte) { digest.Write(piece) })
		return hex.EncodeToString(digest.Sum(nil)), err
	}
}

func digestStrings(t *task, newDigest func() hash.Hash) (pass, error) {
	data, err := load(t)
	lines := slices.Collect(bytes.Lines(data))
	for i, line := range lines {
		lines[i] = bytes.TrimSuffix(line, []byte("\n"))
	}
	return digestEach(lines, newDigest), err
}

func digestMessages(t *task, newDigest func() hash.Hash) (pass, error) {
	data, err := load(t)
	if err != nil {
		return nil, err
	}
	if t.Bytes == 0 || t.Count <= 0 || t.Bytes%int64(t.Count) != 0 {
		return nil, fmt.Errorf("%d bytes are not %d messages of one length", t.Bytes, t.Count)
	}
	return digestEach(slices.Collect(slices.Chunk(data, len(data)/t.Count)), newDigest), nil
}

func digestEach(messages [][]byte, newDigest func() hash.Hash) pass {
	digest := newDigest()
	return func(checking bool) (string, error) {
		var every []byte
		sum := make([]byte, 0, digest.Size())
		for _, message := range messages {
			digest.Reset()
			digest.Write(message)
			sum = digest.Sum(sum[:0])
			if checking {
				every = append(every, sum...)
			}
		}
		if checking {
			digest.Reset()
			digest.Write(every)
			sum = digest.Sum(sum[:0])
		}
		return hex.EncodeToString(sum), nil
	}
}

func encryptMemory(t *task, newEncrypter func() cipher.BlockMode) (pass, error) {
	data, err := load(t)
	chunkBytes := chunkOr(t, t.Bytes)
	ciphertext := make([]byte, min(chunkBytes, t.Bytes))
	return func(checking bool) (string, error) {
		encrypter, whole := newEncrypter(), sha256.New()
		var encrypted []byte
		for chunk := range slices.Chunk(data, int(chunkBytes)) {
			encrypted = ciphertext[:len(chunk)]
			encrypter.CryptBlocks(encrypted, chunk)
			if checking {
				whole.Write(encrypted)
			}
		}
		if checking {
			return hex.EncodeToString(whole.Sum(nil)), nil
		}
		return lastBlock(encrypted, encrypter.BlockSize()), nil
	}, err
}

func encryptFile(t *task, newEncrypter func() cipher.BlockMode) pass {
	return func(bool) (string, error) {
		encrypter := newEncrypter()
		var encrypted []byte
		_, err := pieces(t, func(piece []byte) {
			encrypter.CryptBlocks(piece, piece)
			encrypted = piece
		})
		return lastBlock(encrypted, encrypter.BlockSize()), err
	}
}

func lastBlock(ciphertext []byte, blockBytes int) string {
	return hex.EncodeToString(ciphertext[max(0, len(ciphertext)-blockBytes):])
}

// The conversation.

type (
	helloLine struct {
		Type            string   `json:"type"`
		Protocol        int      `json:"protocol"`
		Language        string   `json:"language"`
		LanguageVersion string   `json:"language_version"`
		Library         string   `json:"library"`
		LibraryVersion  string   `json:"library_version"`
		Provider        string   `json:"provider"`
		Backend         string   `json:"backend"`
		StandIn         bool     `json:"stand_in"`
		Varies          bool     `json:"varies"`
		ClockNS         int64    `json:"clock_ns"`
		Algorithms      []string `json:"algorithms"`
	}
	checkLine struct {
		Type   string `json:"type"`
		ID     uint64 `json:"id"`
		Answer string `json:"answer"`
	}
	beginLine struct {
		Type   string `json:"type"`
		ID     uint64 `json:"id"`
		Repeat int    `json:"repeat"`
	}
	sampleLine struct {
		Type   string `json:"type"`
		ID     uint64 `json:"id"`
		Repeat int    `json:"repeat"`
		WallNS int64  `json:"wall_ns"`
		CPUNS  int64  `json:"cpu_ns"`
		Answer string `json:"answer"`
	}
	doneLine struct {
		Type      string `json:"type"`
		ID        uint64 `json:"id"`
		GCCount   uint32 `json:"gc_count"`
		GCNS      uint64 `json:"gc_ns"`
		PeakBytes int64  `json:"peak_bytes"`
	}
	messageLine struct {
		Type    string `json:"type"`
		ID      uint64 `json:"id"`
		Message string `json:"message"`
	}
)

var out = json.NewEncoder(os.Stdout)

func say(line any) {
	if err := out.Encode(line); err != nil {
		log.Fatal(err)
	}
}

func hello() helloLine {
	var step unix.Timespec
	must(0, unix.ClockGetres(unix.CLOCK_THREAD_CPUTIME_ID, &step))
	version := "x/crypto"
	if build, ok := debug.ReadBuildInfo(); ok {
		for _, module := range build.Deps {
			if module.Path == "golang.org/x/crypto" {
				version = "x/crypto " + module.Version
			}
		}
	}
	return helloLine{
		Type: "hello", Protocol: 1, Language: "Go", LanguageVersion: strings.TrimPrefix(runtime.Version(), "go"),
		Library: "crypto", LibraryVersion: runtime.Version() + ", " + version, Backend: os.Getenv("GODEBUG"),
		Varies: true, ClockNS: step.Nano(), Algorithms: slices.Concat(
			slices.Sorted(maps.Keys(digests)), slices.Sorted(maps.Keys(ciphers)), slices.Sorted(maps.Keys(passwords))),
	}
}

func carryOut(t *task) error {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	run, err := prepare(t)
	if err != nil {
		return err
	}
	answer, err := run(true)
	if err != nil {
		return err
	}
	say(checkLine{"check", t.ID, answer})
	for range t.WarmUp {
		if _, err := run(false); err != nil {
			return err
		}
	}
	for repeat := range t.Repeats {
		if t.RepeatPath != "" { // other data for each repeat
			other := *t
			other.Path = t.RepeatPath + strconv.Itoa(repeat)
			if run, err = prepare(&other); err != nil {
				return err
			}
			say(beginLine{"begin", t.ID, repeat})
		}
		wall, cpu := time.Now(), threadTime()
		answer, err := run(false)
		cpuNS, wallNS := threadTime()-cpu, time.Since(wall).Nanoseconds()
		if err != nil {
			return err
		}
		say(sampleLine{"sample", t.ID, repeat, wallNS, cpuNS, answer})
	}
	runtime.ReadMemStats(&after)
	say(doneLine{"done", t.ID, after.NumGC - before.NumGC, after.PauseTotalNs - before.PauseTotalNs, peakBytes()})
	return nil
}

func threadTime() int64 {
	var now unix.Timespec
	must(0, unix.ClockGettime(unix.CLOCK_THREAD_CPUTIME_ID, &now))
	return now.Nano()
}

// peakBytes asks the status file first: Linux hands getrusage's figure on from the process that started this one.
func peakBytes() int64 {
	if status, err := os.ReadFile("/proc/self/status"); err == nil {
		for line := range strings.Lines(string(status)) {
			var kibibytes int64
			if _, err := fmt.Sscanf(line, "VmHWM: %d kB", &kibibytes); err == nil {
				return kibibytes * 1024
			}
		}
	}
	var usage unix.Rusage
	must(0, unix.Getrusage(unix.RUSAGE_SELF, &usage))
	return usage.Maxrss * 1024
}

func main() {
	runtime.LockOSThread() // the clock of processor time is the thread's
	say(hello())
	in := bufio.NewScanner(os.Stdin)
	in.Buffer(nil, lineBytesMax+1)
	for in.Scan() {
		var t task
		err := json.Unmarshal(in.Bytes(), &t)
		if err == nil {
			err = carryOut(&t)
		}
		var reason notOffered
		if errors.As(err, &reason) {
			say(messageLine{"not-offered", t.ID, reason.Error()})
		} else if err != nil {
			say(messageLine{"error", t.ID, err.Error()})
		}
	}
	if err := in.Err(); err != nil {
		log.Fatal(err)
	}
}
