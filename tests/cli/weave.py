"""Writes Tapestry Loom's weaves, versions 0 and 1, by the layout that tools/weave/inside.h names.
weave.py FILE checks a weave of version 0 and prints what its nodes say along the way to the active one.

Weave(version).write(nodes, about) gives the bytes. A node is a dictionary: id (a number), from (a list
of ids), to, active, bookmarked, text (bytes) or tokens, facts, model, model_facts, and of version 1
time, modified, maker, color, seed, maker_id. A token is a dictionary: bytes, facts, and of version 1
logprob, id, entropy, others, original.
"""
import struct
import sys

NAN = float('nan')


def fx(words):
    value = 0
    for word in words:
        value = ((value << 5 | value >> 59) & (1 << 64) - 1 ^ word) * 0x517cc1b727220a95 & (1 << 64) - 1
    return value


def hash_text(text):
    words = [int.from_bytes(text[i:i + 8], 'little') for i in range(0, len(text) // 8 * 8, 8)]
    at = len(text) // 8 * 8
    for size in (4, 2, 1):
        if len(text) & size:
            words.append(int.from_bytes(text[at:at + size], 'little'))
            at += size
    return fx(words + [0xFF])


class Weave:
    def __init__(self, version):
        self.version = version
        self.id_size = 16 if version == 0 else 8
        self.parts = []
        self.at = 0

    def hash_id(self, number):
        words = [number & (1 << 64) - 1]
        return fx(words + [number >> 64] if self.version == 0 else words)

    def add(self, data):
        self.parts.append(data)
        self.at += len(data)

    def align(self, to):
        if self.at % to:
            self.add(bytes(to - self.at % to))

    # What is referred to is added first, and gives a function that writes the field at a place.
    def text(self, text):
        if len(text) <= 8:
            return lambda at: text.ljust(8, b'\xff')
        place = self.at
        self.add(text)
        size = len(text) & 0x3F | 0x80 | (len(text) & ~0x3F) << 2
        return lambda at: struct.pack('<Ii', size, place - at)

    def raw(self, data):
        place = self.at
        self.add(data)
        return lambda at: struct.pack('<iI', place - at, len(data))

    def maybe(self, text):
        if text is None:
            return lambda at: bytes(12)
        put = self.text(text)
        return lambda at: b'\x01\0\0\0' + put(at + 4)

    def items(self, fields, size, to):
        """Items, each a function of its place."""
        self.align(to)
        place = self.at
        for field in fields:
            data = field(self.at)
            assert len(data) == size, (len(data), size)
            self.add(data)
        return place

    def list(self, fields, size, to):
        place = self.items(fields, size, to)
        return lambda at: struct.pack('<iI', place - at, len(fields))

    @staticmethod
    def slots(hashes):
        count = len(hashes)
        slots = max(count * 8 // 7, count + 1) if count else 0
        control = bytearray(b'\xff' * ((slots + 15) // 16 * 16 + 15))
        probes = len(control) - 15
        mask = 1
        while mask < len(control):
            mask *= 2
        taken = [None] * slots
        for number, value in enumerate(hashes):
            at = value % slots
            step = 0
            while True:
                free = control.find(b'\xff', at, at + 16)
                if free >= 0:
                    break
                while True:
                    step += 16
                    at = (at + step) & mask - 1
                    if at < probes:
                        break
            slot = free % slots
            control[slot] = value >> 57
            if slot < len(control) - slots:
                control[slots + slot] = control[slot]
            taken[slot] = number
        return taken, bytes(control) if count else b''

    def map(self, keys, hashes, fields, size, to):
        taken, control = self.slots(hashes)
        self.align(4)
        self.add(b''.join(struct.pack('<I', slot or 0) for slot in reversed(taken)))
        table = self.at
        self.add(control)
        place = self.items(fields(), size, to)
        return lambda at: struct.pack('<iIIi', table - at if keys else 1, len(keys), len(taken),
                                      place - at - 12)

    def facts(self, facts):
        keys = [key.encode() for key in facts]

        def fields():
            texts = [(self.text(key), self.text(value.encode()))
                     for key, value in zip(keys, facts.values())]
            return [lambda at, k=k, v=v: k(at) + v(at + 8) for k, v in texts]
        return self.map(keys, [hash_text(key) for key in keys], fields, 16, 4)

    def ids(self, ids):
        return self.map(ids, [self.hash_id(i) for i in ids],
                        lambda: [lambda at, i=i: self.id(i) for i in ids], self.id_size, self.id_size)

    def id(self, number):
        return number.to_bytes(self.id_size, 'little')

    def maybe_id(self, number):
        if number is None:
            return bytes(2 * self.id_size)
        return b'\x01'.ljust(self.id_size, b'\0') + self.id(number)

    # ---- contents ----

    def other(self, token):
        put, facts = self.raw(token['bytes']), None
        if self.version == 0:
            facts = self.facts(token.get('facts', {}))
            return lambda at: put(at) + facts(at + 8)
        number = token.get('id')
        facts = self.facts(token.get('facts', {}))
        return lambda at: put(at) + struct.pack(
            '<f4xB7xQ', token.get('logprob', NAN), number is not None, number or 0) + facts(at + 32)

    def token(self, token):
        first = self.other(token)
        if self.version == 0:
            return first
        others = [self.other(one) for one in token.get('others', [])]
        listed = self.list(others, 48, 8)
        self.align(4)
        place = self.at
        self.add(listed(place))
        original = token.get('original')
        kind = 0 if original is None else 2 if original is True else 1
        known = self.raw(original) if kind == 1 else None
        return lambda at: (first(at) + struct.pack('<fi', token.get('entropy', NAN),
                                                   place - at - 52) +
                           bytes([kind, 0, 0, 0]) + (known(at + 60) if known else bytes(8)) + bytes(4))

    def content(self, node):
        if 'tokens' in node:
            fields = [self.token(token) for token in node['tokens']]
            put = self.list(fields, 24 if self.version == 0 else 72, 4 if self.version == 0 else 8)
            return lambda at: b'\x01\0\0\0' + put(at + 4)
        if node.get('text') is None:
            return lambda at: b'\x02' + bytes(11)
        put = self.raw(node['text'])
        return lambda at: bytes(4) + put(at + 4)

    def node0(self, node):
        to = self.ids(node.get('to', []))
        content = self.content(node)
        facts = self.facts(node.get('facts', {}))
        model = node.get('model')
        label = self.text(model.encode()) if model is not None else None
        model_facts = self.facts(node.get('model_facts', {})) if label else None
        above = (node.get('from') or [None])[0]

        def put(at):
            maker = b'\x01\0\0\0' + label(at + 116) + model_facts(at + 124) if label else bytes(28)
            return (self.id(node['id']) * 2 + self.maybe_id(above) + to(at + 64) +
                    bytes([node.get('active', 0), node.get('bookmarked', 0), 0, 0]) +
                    content(at + 84) + facts(at + 96) + maker + bytes(4))
        return put

    def node1(self, node):
        above, to = self.ids(node.get('from', [])), self.ids(node.get('to', []))
        time = self.text(node.get('time', '2026-02-23T10:00:00+00:00[UTC]').encode())
        content = self.content(node)
        facts = self.facts(node.get('facts', {}))
        label = node.get('model')
        maker = node.get('maker', 0 if label is not None else 2)
        name = self.text(label.encode()) if label is not None else None
        color = self.maybe(node.get('color')) if name and maker == 0 else None
        more = self.facts(node.get('model_facts', {})) if name and maker == 0 else None
        number = node.get('maker_id', 0).to_bytes(16, 'little')
        seed = node.get('seed')

        def put_maker(at):
            if not name:
                return bytes([maker]).ljust(112, b'\0')
            head = bytes([maker]).ljust(16, b'\0') + b'\x01'.ljust(16, b'\0') + name(at + 32)
            if maker == 1:
                return (head + bytes(8) + number).ljust(112, b'\0')
            return (head + color(at + 40) + bytes(12) + number +
                    struct.pack('<B3xI', seed is not None, seed or 0) + more(at + 88) + bytes(8))

        def put(at):
            return (self.id(node['id']) + bytes(8) + self.id(node['id']) + above(at + 24) +
                    to(at + 40) + bytes([node.get('active', 0), node.get('bookmarked', 0)]) +
                    bytes(6) + time(at + 64) + bytes([node.get('modified', 0), 0, 0, 0]) +
                    content(at + 76) + facts(at + 88) + bytes(8) + put_maker(at + 112))
        return put

    # ---- the whole ----

    def table(self, nodes):
        """The table of the nodes, whose fields are made in the order of its slots."""
        taken, control = self.slots([self.hash_id(node['id']) for node in nodes])
        make = self.node0 if self.version == 0 else self.node1
        size = 144 if self.version == 0 else 224
        fields = [make(nodes[number]) if number is not None else None for number in taken]
        self.align(16)
        for field in reversed(fields):
            self.add(field(self.at) if field else bytes(size))
        place = self.at
        self.add(control)
        return lambda at: struct.pack('<iII', place - at if nodes else 1, len(nodes), len(taken))

    def write(self, nodes, about=None):
        about = about or {}
        table = self.table(nodes)
        roots = self.ids([node['id'] for node in nodes if not node.get('from')])
        marked = [node['id'] for node in nodes if node.get('bookmarked')]
        active = [node['id'] for node in nodes if node.get('active')]
        if self.version == 0:
            marks = self.ids(marked)
            self.align(16)
            thread = self.list([], 16, 16)
            facts = self.facts(about.get('facts', {}))
            self.align(16)
            at = self.at
            self.add(table(at) + roots(at + 12) + bytes(4) +
                     self.maybe_id(active[0] if active else None) + marks(at + 64) +
                     thread(at + 80) + facts(at + 88) + bytes(8))
        else:
            taken, control = self.slots([self.hash_id(i) for i in active])
            self.align(8)
            for slot in reversed(taken):
                self.add(self.id(active[slot]) if slot is not None else bytes(8))
            place = self.at
            self.add(control)
            marks = self.ids(marked)
            title = self.maybe(about.get('title'))
            description = self.maybe(about.get('description'))
            created = self.text(about.get('created', b'2026-02-23T10:00:00+00:00[UTC]'))
            sources = [[self.text(name), self.maybe(version), self.text(time)]
                       for name, version, time in about.get('sources', [])]
            listed = self.list([lambda at, s=s: s[0](at) + s[1](at + 8) + s[2](at + 20)
                                for s in sources], 28, 4)
            facts = self.facts(about.get('facts', {}))
            self.align(16)
            at = self.at
            self.add(table(at) + roots(at + 12) +
                     struct.pack('<iII', place - at - 28 if active else 1, len(active), len(taken)) +
                     marks(at + 40) + title(at + 56) + description(at + 68) + created(at + 80) +
                     listed(at + 88) + facts(at + 96))
        return (b'VersionedTapestryWeave__' + struct.pack('<Q', self.version) + b''.join(self.parts))


class Check:
    """Checks a weave of version 0 as Tapestry's library does before it believes one: every value lies
    before what refers to it and behind the values checked before, aligned, and within the file."""

    def __init__(self, data):
        assert data[:24] == b'VersionedTapestryWeave__' and data[24:32] == bytes(8), 'the header'
        self.data = data[32:]
        self.start, self.end = 0, len(self.data)
        self.nodes = {}
        root = len(self.data) - 112
        self.inside(root, 112, 16, lambda: self.root(root))

    def number(self, at, form='<I'):
        return struct.unpack_from(form, self.data, at)[0]

    def inside(self, at, size, align, look):
        assert self.start <= at and at + size <= self.end and at % align == 0, (
            'a value out of order', at, size, align, self.start, self.end)
        kept = at + size, self.end
        self.end = at
        look()
        assert kept[0] >= self.end
        self.start, self.end = kept

    def to(self, at):
        return at + self.number(at, '<i')

    def table(self, at, size, align, look):
        count, slots = self.number(at + 4), self.number(at + 8)
        if not count and not slots:
            return count
        assert count < slots, 'a table that is full'
        controls = (slots + 15) // 16 * 16 + 15
        control = self.to(at)

        def buckets():
            full = [i for i in range(slots) if not self.data[control + i] & 0x80]
            assert len(full) == count
            for i in range(slots, min(2 * slots, controls - slots)):
                assert self.data[control + i] == self.data[control + i % slots], 'not wrapped'
            for i in full:
                look(control - (i + 1) * size, self.data[control + i])
        self.inside(control - slots * size, slots * size + controls, align, buckets)
        return count

    def map(self, at, size, align, look):
        numbers = []
        count = self.table(at, 4, 4, lambda slot, hashed: numbers.append((self.number(slot), hashed)))
        place = self.to(at + 12)
        found = []

        def items():
            for i in range(count):
                found.append(look(place + i * size))
        self.inside(place, count * size, align, items)
        assert sorted(n for n, _ in numbers) == list(range(count)), 'a table of other items'
        for number, hashed in numbers:
            assert hashed == found[number][0] >> 57, 'a control byte of another item'
        return [one[1] for one in found]

    def text(self, at):
        here = self.data[at:at + 8]
        if here[0] & 0xC0 != 0x80:
            return here.split(b'\xff')[0].decode()
        size = self.number(at)
        size = size & 0x3F | (size & ~0xFF) >> 2
        place = at + self.number(at + 4, '<i')
        self.inside(place, size, 1, lambda: None)
        return self.data[place:place + size].decode()

    def raw(self, at):
        place, size = self.to(at), self.number(at + 4)
        self.inside(place, size, 1, lambda: None)
        return self.data[place:place + size]

    def facts(self, at):
        def fact(place):
            name = self.text(place)
            return hash_text(name.encode()), (name, self.text(place + 8))
        return dict(self.map(at, 16, 4, fact))

    def ids(self, at):
        def one(place):
            number = int.from_bytes(self.data[place:place + 16], 'little')
            return Weave(0).hash_id(number), number
        return self.map(at, 16, 16, one)

    def maybe_id(self, at):
        assert self.data[at] < 2
        return int.from_bytes(self.data[at + 16:at + 32], 'little') if self.data[at] else None

    def content(self, at):
        if not self.data[at]:
            return self.raw(at + 4), None
        assert self.data[at] == 1
        place, count = self.to(at + 4), self.number(at + 8)
        tokens = []
        self.inside(place, count * 24, 4, lambda: tokens.extend(
            (self.raw(place + i * 24), self.facts(place + i * 24 + 8)) for i in range(count)))
        return b''.join(one[0] for one in tokens), tokens

    def node(self, slot, hashed):
        number = int.from_bytes(self.data[slot:slot + 16], 'little')
        assert number == int.from_bytes(self.data[slot + 16:slot + 32], 'little')
        assert Weave(0).hash_id(number) >> 57 == hashed
        node = {'from': self.maybe_id(slot + 32), 'to': self.ids(slot + 64)}
        node['active'], node['bookmarked'] = self.data[slot + 80], self.data[slot + 81]
        node['text'], node['tokens'] = self.content(slot + 84)
        node['facts'] = self.facts(slot + 96)
        assert self.data[slot + 112] < 2
        if self.data[slot + 112]:
            node['model'] = self.text(slot + 116)
            node['model_facts'] = self.facts(slot + 124)
        self.nodes[number] = node

    def root(self, at):
        self.table(at, 144, 16, self.node)
        self.roots = self.ids(at + 12)
        self.active = self.maybe_id(at + 32)
        self.bookmarks = self.ids(at + 64)
        self.inside(self.to(at + 80), self.number(at + 84) * 16, 16, lambda: None)
        self.facts = self.facts(at + 88)
        for number, node in self.nodes.items():
            assert (node['from'] is None) == (number in self.roots), 'a root that is none'
            assert node['from'] is None or number in self.nodes[node['from']]['to']
            assert all(self.nodes[kid]['from'] == number for kid in node['to'])
            assert node['active'] == (number == self.active)
            assert node['bookmarked'] == (number in self.bookmarks)


def main(path):
    with open(path, 'rb') as file:
        weave = Check(file.read())
    way, number = [], weave.active
    while number is not None:
        way.insert(0, weave.nodes[number]['text'].decode())
        number = weave.nodes[number]['from']
    print(len(weave.nodes), 'nodes', len(weave.roots), 'roots', len(weave.bookmarks), 'bookmarks')
    print('|'.join(way))


if __name__ == '__main__':
    main(sys.argv[1])
