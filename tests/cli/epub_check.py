"""Checks an EPUB by the rules of its container and its package, and prints its text.

usage: epub_check.py FILE: exit status 1 with a line for each rule that is broken; the text of the
chapters in the order of reading on standard output."""
import sys
import xml.etree.ElementTree as ET
import zipfile

OPF = "{http://www.idpf.org/2007/opf}"
DC = "{http://purl.org/dc/elements/1.1/}"
XHTML = "{http://www.w3.org/1999/xhtml}"
OPS = "{http://www.idpf.org/2007/ops}"
bad = []


def rule(holds, text):
    if not holds:
        bad.append(text)


def page(book, name):
    root = ET.fromstring(book.read(name))
    rule(root.tag == XHTML + "html", name + " is no XHTML page")
    title = root.find(f"{XHTML}head/{XHTML}title")
    rule(title is not None and (title.text or "").strip(), name + " has no title")
    for link in root.iter(XHTML + "link"):
        rule("book/" + link.get("href") in book.namelist(), name + ": a link leads nowhere")
    return root


def container(book, data):
    first = book.infolist()[0]
    rule(first.filename == "mimetype", "the first file is not mimetype")
    rule(first.compress_type == zipfile.ZIP_STORED, "mimetype is compressed")
    rule(not first.extra and first.flag_bits & 1 == 0, "mimetype has an extra field")
    rule(data[30:58] == b"mimetypeapplication/epub+zip", "the mimetype is not at byte 38")
    rule(book.testzip() is None, "a checksum is wrong")
    rule(len(set(book.namelist())) == len(book.namelist()), "a name occurs twice")
    root = ET.fromstring(book.read("META-INF/container.xml"))
    return next(e.get("full-path") for e in root.iter() if e.tag.endswith("rootfile"))


def package(book, name):
    root = ET.fromstring(book.read(name))
    rule(root.get("version") == "3.0", "the package is not of version 3.0")
    meta = root.find(OPF + "metadata")
    for key in ("identifier", "title", "language"):
        rule((meta.findtext(DC + key) or "").strip(), "no " + key)
    ids = [e.get("id") for e in meta if e.get("id")]
    rule(root.get("unique-identifier") in ids, "the identifier is not there")
    modified = [e.text for e in meta if e.get("property") == "dcterms:modified"]
    rule(len(modified) == 1 and len(modified[0]) == 20 and modified[0].endswith("Z"), "no time of change")
    items = {e.get("id"): e for e in root.find(OPF + "manifest")}
    files = {"book/" + e.get("href") for e in items.values()}
    rest = set(book.namelist()) - files - {"mimetype", "META-INF/container.xml", name}
    rule(not rest, f"not in the manifest: {rest}")
    rule(files <= set(book.namelist()), "a file of the manifest is missing")
    rule(sum(e.get("properties") == "nav" for e in items.values()) == 1, "not one table of contents")
    spine = [items[e.get("idref")] for e in root.find(OPF + "spine")]
    rule(spine, "nothing to read")
    contents = next(e for e in items.values() if e.get("properties") == "nav")
    return ["book/" + e.get("href") for e in spine], "book/" + contents.get("href")


def main():
    data = open(sys.argv[1], "rb").read()
    book = zipfile.ZipFile(sys.argv[1])
    pages, contents = package(book, container(book, data))
    nav = page(book, contents).find(f".//{XHTML}nav")
    rule(nav is not None and nav.get(OPS + "type") == "toc", "no table of contents")
    linked = ["book/" + a.get("href") for a in nav.iter(XHTML + "a")]
    rule(linked == pages, "the table of contents is not what is read")
    for name in pages:
        print("".join(page(book, name).find(XHTML + "body").itertext()))
    for line in bad:
        print("broken:", line, file=sys.stderr)
    return 1 if bad else 0


sys.exit(main())
