// Folds by implementations in Go: see generate.py. Arguments: the lengths of the messages.
package main

import (
	"crypto/sha256"
	"fmt"
	"hash"
	"os"
	"strconv"

	"github.com/zeebo/blake3"
	"golang.org/x/crypto/blake2b"
	"golang.org/x/crypto/blake2s"
	"golang.org/x/crypto/md4"
	"golang.org/x/crypto/ripemd160"
	"golang.org/x/crypto/sha3"
)

func message(length int) []byte {
	bytes := make([]byte, length)
	for i := range bytes {
		bytes[i] = byte(i % 251)
	}
	return bytes
}

func key(length int) []byte {
	bytes := make([]byte, length)
	for i := range bytes {
		bytes[i] = byte(255 - i%256)
	}
	return bytes
}

func fold(name string, keyBytes int, digest func([]byte) []byte) {
	all := sha256.New()
	for _, argument := range os.Args[1:] {
		length, _ := strconv.Atoi(argument)
		all.Write(digest(message(length)))
	}
	fmt.Printf("%s go %d %x\n", name, keyBytes, all.Sum(nil))
}

func sum(make func() hash.Hash) func([]byte) []byte {
	return func(m []byte) []byte { h := make(); h.Write(m); return h.Sum(nil) }
}

func must(h hash.Hash, err error) hash.Hash {
	if err != nil {
		panic(err)
	}
	return h
}

func extended(h *blake3.Hasher, bytes int) func([]byte) []byte {
	return func(m []byte) []byte {
		h.Reset()
		h.Write(m)
		out := make([]byte, bytes)
		h.Digest().Read(out)
		return out
	}
}

func main() {
	fold("md4", 0, sum(md4.New))
	fold("ripemd160", 0, sum(ripemd160.New))
	fold("keccak256", 0, sum(sha3.NewLegacyKeccak256))
	for _, bytes := range []int{1, 20, 32, 63, 64} {
		name := fmt.Sprintf("blake2b-%d", 8*bytes)
		fold(name, 0, sum(func() hash.Hash { return must(blake2b.New(bytes, nil)) }))
		for _, n := range []int{1, 32, 64} {
			fold("keyed-"+name, n, sum(func() hash.Hash { return must(blake2b.New(bytes, key(n))) }))
		}
	}
	fold("blake2s-256", 0, sum(func() hash.Hash { return must(blake2s.New256(nil)) }))
	for _, bytes := range []int{1, 16, 31, 32, 33, 64} {
		name := fmt.Sprintf("blake3-%d", 8*bytes)
		fold(name, 0, extended(blake3.New(), bytes))
		keyed, err := blake3.NewKeyed(key(32))
		if err != nil {
			panic(err)
		}
		fold("keyed-"+name, 32, extended(keyed, bytes))
		fold(fmt.Sprintf("blake3-derive-key-%d", 8*bytes), 0, extended(blake3.NewDeriveKey("pfh 2026-11-22 test of derive-key"), bytes))
	}
}
