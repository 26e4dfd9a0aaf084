"""Finds fragments of files in images by block hashes, in the plainest way.

Usage: blocks.py ALGORITHM BLOCK_BYTES STEP_BYTES DIRECTORY IMAGE...
Prints the lines that `pfh match --blocks -f jsonl` prints, without the header, sets and check values.
"""
import hashlib
import json
import os
import sys

algorithm, block_bytes, step_bytes, directory = sys.argv[1], int(sys.argv[2]), int(sys.argv[3]), sys.argv[4]
SPACES = b" \t\n\x0b\x0c\r"


def kind(block):
    if block == block[:1] * len(block):
        return "constant"
    words = [block[at:at + 4] for at in range(0, len(block), 4)]
    repeats = ramps = 0
    for place, word in enumerate(words):
        within = place % 128
        repeats += word in words[place - min(within, 4):place]
        if within:
            before = int.from_bytes(words[place - 1], "little")
            ramps += (before + 1) % 2 ** 32 == int.from_bytes(word, "little")
    spaces = sum(byte in SPACES for byte in block)
    low = repeats * 4 > len(words) or ramps * 2 > len(words) or spaces * 4 > 3 * len(block)
    return "nonprobative" if low else "hashed"


known, files = {}, []
for name in sorted(os.listdir(directory)):
    path = directory + "/" + name
    data = open(path, "rb").read()
    if len(data) < block_bytes:
        continue
    files.append({"file": path, "bytes": len(data), "file_blocks": 0})
    for number in range(len(data) // block_bytes):
        block = data[number * block_bytes:][:block_bytes]
        if kind(block) == "hashed":
            places = known.setdefault(hashlib.new(algorithm, block).digest(), [])
            if len(places) < 16:
                places.append((len(files) - 1, number))
                files[-1]["file_blocks"] += 1

counts = dict.fromkeys(["blocks", "constant", "nonprobative", "found", "unknown", "fragments", "within_others"], 0)
seen = {}
for image in sys.argv[5:]:
    data, hits = open(image, "rb").read(), set()
    for offset in range(0, len(data) - block_bytes + 1, step_bytes):
        block = data[offset:offset + block_bytes]
        counts["blocks"] += 1
        what = kind(block)
        if what == "hashed":
            places = known.get(hashlib.new(algorithm, block).digest(), [])
            hits.update((offset, file, number) for file, number in places)
            what = "found" if places else "unknown"
        counts[what] += 1
    fragments = []
    for offset, file, number in hits:
        if (offset - block_bytes, file, number - 1) not in hits:
            length = 1
            while (offset + length * block_bytes, file, number + length) in hits:
                length += 1
            fragments.append((offset, -length, file, number))
    for offset, length, file, number in sorted(fragments):
        end = offset - length * block_bytes
        if any(of == file and start <= offset and start - count * block_bytes >= end and count < length
               for start, count, of, _ in fragments):
            counts["within_others"] += 1
            continue
        counts["fragments"] += 1
        seen.setdefault(file, set()).update(range(number, number - length))
        print(json.dumps({
            "type": "fragment", "image": image, "offset": offset, "bytes": -length * block_bytes,
            "class": "known-other", "file": files[file]["file"], "file_offset": number * block_bytes,
            "blocks": -length, "file_blocks": files[file]["file_blocks"]}))
for file in sorted(seen):
    print(json.dumps({"type": "file", "class": "known-other", "blocks": len(seen[file]), **files[file]}))
print(json.dumps({"type": "summary", "images": len(sys.argv) - 5, "unread": 0, **counts}))
