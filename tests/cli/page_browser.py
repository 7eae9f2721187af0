"""The page in a real browser: page_browser.py PROGRAM BROWSER, in an empty folder that is HOME.

Chromium is driven through its own protocol. Hostile texts must not run, a change must appear by itself,
the keyboard and a screen reader must find their way, and without scripts everything must be there."""
import atexit
import base64
import json
import os
import re
import shutil
import socket
import struct
import subprocess
import sys
import time

from http_client import Server, wait

loom, browser = sys.argv[1:3]
checks = 0
wrong = 0


def check(true, what, more=""):
    global checks, wrong
    checks += 1
    if not true:
        wrong += 1
        print("FAIL", what, str(more)[:500])


def run(*words):
    return subprocess.run([loom, *words], cwd="grove", text=True, capture_output=True, check=True).stdout


def made(at, text):
    return re.search(r"\[(\w+)\]", run("do", "--", "respond", at, text)).group(1)


class Tab:
    """One tab, over the browser's debugging socket."""

    def __init__(self):
        self.child = subprocess.Popen(
            [browser, "--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run",
             "--remote-debugging-port=0", "--user-data-dir=" + os.path.abspath("profile"), "about:blank"],
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        atexit.register(self.child.kill)
        port_file = "profile/DevToolsActivePort"
        wait("the browser starts", lambda: os.path.exists(port_file) and open(port_file).read().count("\n") >= 1)
        port = int(open(port_file).read().split("\n")[0])
        targets = []

        def found():
            with socket.create_connection(("127.0.0.1", port)) as asking:
                asking.sendall(b"GET /json HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n")
                text = b""
                while True:
                    piece = asking.recv(65536)
                    text += piece
                    length = re.search(rb"Content-Length: ?(\d+)", text, re.I)
                    if not piece or length and len(text.split(b"\r\n\r\n", 1)[-1]) >= int(length.group(1)):
                        break
            targets[:] = [one for one in json.loads(text.split(b"\r\n\r\n", 1)[1]) if one["type"] == "page"]
            return targets

        wait("a tab", found)
        path = "/" + targets[0]["webSocketDebuggerUrl"].split("/", 3)[3]
        self.socket = socket.create_connection(("127.0.0.1", port), timeout=60)
        self.socket.sendall(("GET %s HTTP/1.1\r\nHost: 127.0.0.1\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
                             "Sec-WebSocket-Key: %s\r\nSec-WebSocket-Version: 13\r\n\r\n" % (
                                 path, base64.b64encode(os.urandom(16)).decode())).encode())
        self.rest = b""
        while b"\r\n\r\n" not in self.rest:
            self.rest += self.socket.recv(65536)
        self.rest = self.rest.split(b"\r\n\r\n", 1)[1]
        self.number = 0
        self.events = []
        for domain in ("Page", "Runtime", "Network", "Log", "DOM", "Accessibility"):
            self.do(domain + ".enable")

    def take(self, count):
        while len(self.rest) < count:
            piece = self.socket.recv(1 << 16)
            if not piece:
                raise SystemExit("the browser is gone")
            self.rest += piece
        found, self.rest = self.rest[:count], self.rest[count:]
        return found

    def message(self):
        text = b""
        while True:
            first, second = self.take(2)
            size = second & 127
            if size == 126:
                size = struct.unpack(">H", self.take(2))[0]
            elif size == 127:
                size = struct.unpack(">Q", self.take(8))[0]
            text += self.take(size)
            if first & 128:
                return json.loads(text)

    def do(self, method, **params):
        self.number += 1
        text = json.dumps({"id": self.number, "method": method, "params": params}).encode()
        size = struct.pack(">BBH", 0x81, 0x80 | 126, len(text)) if len(text) > 125 else struct.pack(
            ">BB", 0x81, 0x80 | len(text))
        self.socket.sendall(size + b"\0\0\0\0" + text)
        while True:
            message = self.message()
            if message.get("id") == self.number:
                if "error" in message:
                    raise SystemExit("%s: %s" % (method, message["error"]))
                return message["result"]
            self.events.append(message)

    def run(self, script):
        result = self.do("Runtime.evaluate", expression=script, returnByValue=True, awaitPromise=True)
        return result["result"].get("value")

    def go(self, url):
        self.events = []
        self.do("Page.navigate", url=url)
        wait("the page " + url, lambda: self.run("document.readyState === 'complete' && location.href.startsWith(%s)"
                                                 % json.dumps(url.split("#")[0])))

    def key(self, name, code=0, text=None):
        for kind in ("keyDown", "keyUp"):
            self.do("Input.dispatchKeyEvent", type=kind, key=name, windowsVirtualKeyCode=code,
                    **({"text": text} if text and kind == "keyDown" else {}))


HOSTILE = ["<script>document.title='owned'</script>", "</div></main><script>document.title='owned'</script>",
           "<img src=x onerror=\"document.title='owned'\">", "\"><svg onload=\"document.title='owned'\">",
           "</title><script>document.title='owned'</script>", "<iframe srcdoc=\"<script>parent.document.title='owned'"
           "</script>\"></iframe>", "<a href=\"javascript:document.title='owned'\">x</a>", "<!--",
           "<meta http-equiv=refresh content=\"0;url=javascript:document.title='owned'\">",
           "<details open ontoggle=\"document.title='owned'\">x</details>", "<link rel=stylesheet href=//127.0.0.1:9/x>",
           "<style>@import '//127.0.0.1:9/x'; main { display: none }</style>", "<base href=//127.0.0.1:9>",
           "<object data=//127.0.0.1:9/x></object>", "<form action=//127.0.0.1:9><button autofocus onfocus="
           "\"document.title='owned'\">x</button></form>", "<math><mtext><table><mglyph><style><img src=x onerror="
           "\"document.title='owned'\">", "<noscript><p title=\"</noscript><img src=x onerror=document.title='owned'>\">"]


def test_hostile(tab, server):
    title = HOSTILE[4]
    run("new", "--title", title, "--root", "Begin.")
    at = "r001"
    for text in HOSTILE:
        beside, at = at, made(at, text)
        made(beside, "beside " + text)
    run("do", "switch", "to", at)
    link = run("page", "link", "r001", "--comment").strip()
    tab.go(link)
    for event in ("click", "focus", "toggle", "mouseover"):
        tab.run("document.querySelectorAll('main *').forEach(e => e.dispatchEvent(new Event('%s', {bubbles: true})))" % event)
    check(tab.run("document.title") == title, "the title is the tree's", tab.run("document.title"))
    check(tab.run("document.scripts.length") == 1, "one script", tab.run("document.scripts.length"))
    texts = tab.run("Array.from(document.querySelectorAll('article .text')).map(e => e.textContent)")
    check(texts[0] == "Begin." and texts[1:] == HOSTILE, "every text as it was written", texts)
    check(tab.run("document.querySelectorAll('main img, main svg, main iframe, main object, main style, main math, "
                  "main link, main meta, main script, main details[ontoggle]').length") == 0, "no element of a text")
    # The same by way of the script that renews the page.
    made(at, "More. " + HOSTILE[2])
    wait("the page renews itself", lambda: "More. " in tab.run("document.querySelector('main').textContent"))
    check(tab.run("document.title") == title and tab.run("document.scripts.length") == 1, "nor then")
    asked = [one["params"]["request"]["url"] for one in tab.events if one["method"] == "Network.requestWillBeSent"]
    check(asked and all(url.startswith("http://%s:%d/" % (server.host, server.port)) for url in asked), "nothing else is asked",
          [url for url in asked if not url.startswith("http://%s:%d/" % (server.host, server.port))])
    said = [one for one in tab.events if one["method"] in ("Runtime.exceptionThrown", "Page.javascriptDialogOpening")]
    check(not said, "no script fails or speaks", said)
    check(tab.run("(() => { const s = document.createElement('script'); s.textContent = 'document.title = \"in\"'; "
                  "document.body.append(s); return document.title; })()") == title, "an inline script would not run")


def test_live(tab):
    run("new", "--title", "Live", "--root", "One.")
    at = made("r001", "Two.")
    run("do", "switch", "to", at)
    link = run("page", "link", "r001").strip()
    tab.go(link)
    tab.run("document.querySelector('article a').focus()")
    held = tab.run("document.activeElement.getAttribute('href')")
    times = []
    for i in range(5):
        at = made(at, "Text %d." % i)
        start = time.monotonic()
        wait("a change", lambda: "Text %d." % i in tab.run("document.querySelector('main').textContent"))
        times.append(time.monotonic() - start)
    print("(a change is on the screen %.0f ms after the command that made it has ended, at most)" % (max(times) * 1000))
    check(tab.run("document.activeElement.getAttribute('href')") == held, "the focus stays")
    check("changed" in tab.run("document.getElementById('news').textContent"), "a screen reader is told")
    run("page", "revoke", link)
    wait("a revoked page goes", lambda: "nothing to read" in (tab.run("document.body.textContent") or ""))


def test_keyboard(tab):
    run("new", "--title", "Keys", "--root", "A root.")
    left, right = made("r001", "To the left."), made("r001", "To the right.")
    run("do", "switch", "to", "r001")
    tab.go(run("page", "link", "r001").strip())
    tab.key("Tab", 9)
    check(tab.run("document.activeElement.className") == "skip", "the first key reaches the way to the text")
    for _ in range(10):
        tab.key("Tab", 9)
        if "at=" + right in (tab.run("document.activeElement.getAttribute('href')") or ""):
            break
    tab.key("Enter", 13, "\r")
    wait("a fork is chosen by the keyboard", lambda: "at=" + right in tab.run("location.search"))
    wait("and read", lambda: "To the right." in (tab.run("document.querySelector('main').textContent") or ""))
    roles = [node["role"]["value"] for node in tab.do("Accessibility.getFullAXTree")["nodes"] if not node["ignored"]]
    for role in ("main", "heading", "navigation", "link", "article", "status", "banner", "contentinfo"):
        check(role in roles, "a screen reader finds: " + role, sorted(set(roles)))
    tab.do("Emulation.setDeviceMetricsOverride", width=360, height=640, deviceScaleFactor=2, mobile=True)
    check(tab.run("document.documentElement.scrollWidth <= innerWidth"), "it fits a phone")
    tab.do("Emulation.clearDeviceMetricsOverride")
    return left


def test_without_scripts(tab):
    run("new", "--title", "Plain", "--root", "A root.")
    link = run("page", "link", "r001", "--comment").strip()
    tab.do("Emulation.setScriptExecutionDisabled", value=True)
    tab.go(link)
    check("A root." in tab.run("document.querySelector('main').textContent"), "the text without scripts")
    tab.go(link + "?at=r001#comment")
    tab.run("document.getElementById('name').focus()")
    tab.do("Input.insertText", text="Ann")
    tab.run("document.getElementById('text').focus()")
    tab.do("Input.insertText", text="By form.\n\"><script>1</script>")
    tab.run("document.querySelector('form button').focus()")
    tab.key("Enter", 13, "\r")
    wait("thanks", lambda: "Thank you" in (tab.run("document.body.textContent") or ""))
    waiting = json.loads(run("approve", "--json"))["proposals"]
    check(len(waiting) == 1 and waiting[0]["guest"]["name"] == "Ann", "the comment waits", waiting)
    run("approve", waiting[0]["hash"])
    tab.go(link)
    check("By form." in tab.run("document.querySelector('blockquote').textContent"), "and stands there when accepted")
    tab.do("Emulation.setScriptExecutionDisabled", value=False)


def main():
    os.mkdir("grove")
    run("init")
    server = Server(loom, cwd="grove")
    tab = Tab()
    test_hostile(tab, server)
    test_live(tab)
    test_keyboard(tab)
    test_without_scripts(tab)
    tab.child.kill()
    tab.child.wait()
    server.stop()
    shutil.rmtree("profile", ignore_errors=True)
    print("%d checks, %d wrong" % (checks, wrong))
    sys.exit(1 if wrong else 0)


main()
