"""A client of the published protocols, with its own digests: client.py HTTP-URL NSRLSVR-HOST NSRLSVR-PORT COUNT."""

import hashlib
import json
import random
import socket
import sys
import urllib.error
import urllib.request

url, host, port, count = sys.argv[1], sys.argv[2], int(sys.argv[3]), int(sys.argv[4])
files = [b"known file %d" % number for number in range(count)]
noise = random.Random(1)


def ask(path, body=None):
    data = None if body is None else json.dumps(body).encode()
    request = urllib.request.Request(url + path, data, {"Content-Type": "application/json"})
    try:
        with urllib.request.urlopen(request) as answer:
            return answer.status, json.load(answer)
    except urllib.error.HTTPError as error:
        return error.code, json.load(error)


names = {"md5": "MD5", "sha1": "SHA-1", "sha256": "SHA-256"}
connection = socket.create_connection((host, port))
lines = connection.makefile("rwb")


def line(text):
    lines.write(text)
    lines.flush()
    return lines.readline()


assert line(b"Version: 2.0\r\n") == b"OK\r\n"
for algorithm, name in names.items():
    digests = [hashlib.new(algorithm, file).hexdigest() for file in files]
    others = [noise.randbytes(len(digests[0]) // 2).hex() for _ in files]
    both = [digest for pair in zip(digests, others) for digest in pair]
    status, found = ask("/bulk/" + algorithm, {"hashes": both})
    assert status == 200 and [file[name] for file in found] == [digest.upper() for digest in digests]
    status, found = ask("/v1/lookup", {"digests": both})
    known = [answer["class"] != "unknown" for answer in found["answers"]]
    assert status == 200 and known == [True, False] * count
    for digest, other, file in list(zip(digests, others, files))[::25]:
        status, found = ask("/lookup/%s/%s" % (algorithm, digest))
        assert status == 200 and found[name] == digest.upper() and found["FileSize"] == str(len(file))
        status, found = ask("/lookup/%s/%s" % (algorithm, other))
        assert status == 404 and found == {"message": "Non existing " + name, "query": other}
    for place in range(0, len(both), 512):
        some = both[place:place + 512]
        answer = line(b"query " + " ".join(some).encode() + b"\n")
        assert answer == b"OK " + b"10" * (len(some) // 2) + b"\r\n"
lines.write(b"bye\r\n")
lines.flush()
assert lines.read() == b""
print("agreed")
