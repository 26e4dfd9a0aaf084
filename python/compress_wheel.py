"""Compresses the files in a wheel as well as deflate can: `compress_wheel.py WHEEL`. Takes a minute, and saves a twentieth."""

import pathlib
import sys
import zipfile

import zopfli.zipfile

wheel = pathlib.Path(sys.argv[1])
smaller = wheel.with_suffix(".smaller")
with zipfile.ZipFile(wheel) as given, zopfli.zipfile.ZipFile(smaller, "w", zipfile.ZIP_DEFLATED) as made:
    for information in given.infolist():
        made.writestr(information, given.read(information), zipfile.ZIP_DEFLATED)
smaller.replace(wheel)
