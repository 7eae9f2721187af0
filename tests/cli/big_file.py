#!/usr/bin/env python3
"""A big file of any format and shape, for what an import may take of memory.

big_file.py --list             the formats with their shapes, a pair a line
big_file.py FORMAT SHAPE SIZE  writes it to standard output: about SIZE bytes of entries

Shapes: texts (entries of 2 kB), tiny (the shortest entries), one (a single entry whose text is that
long and full of escapes), and what else a format can hold by the million: trees, responses, beside
(records that are no nodes), rewinds, choices (other ways in which one message was said), documents, marks,
rows (of a database), lines, tokens (with their probabilities).
"""
import json
import sys

WORDS = 'word ' * 400
DOCUMENTS = 50000
ESCAPED = 'line\\n\\"\\u00e9\\" '


def text_of(shape, i):
    return f'{i} ' + (WORDS if shape in ('texts', 'choices', 'responses') else '')


def mapping(i, text, parent=None):
    entry = {'id': f'n{i}', 'children': [], 'parent': parent or (f'n{i - 1}' if i else None),
             'message': {'author': {'role': 'user' if i % 2 else 'assistant'},
                         'content': {'content_type': 'text', 'parts': [text]}}}
    return f'"n{i}":' + json.dumps(entry)


def ulid(i):
    digits = '0123456789ABCDEFGHJKMNPQRSTVWXYZ'
    text = ''
    for _ in range(16):
        text = digits[i % 32] + text
        i //= 32
    return '01M7QH7CAN' + text


def loom_node(i, text):
    node = {'ulid': ulid(i), 'author': ulid(1 << 40), 'created': '2026-02-23T10:00:00.000Z',
            'text': text}
    if i:
        node['parent'] = ulid(i - 1)
    return json.dumps(node)


# Of each format the shapes, each as (head, entry of a number and a text, what stands between, tail).
def loom(shape):
    head = '{"loom":"export","version":1,"trees":['
    tree = '{"ulid":"%s","title":"t","mode":"dialogue","nodes":['
    agents = ',"agents":[{"ulid":"%s","name":"ada","kind":"human"}]}' % ulid(1 << 40)
    if shape == 'trees':
        return (head, lambda i, t: tree % ulid(i * 2) + loom_node(0, t).replace(
            ulid(0), ulid(i * 2 + 1)) + ']}', ',', ']' + agents)
    if shape == 'tokens':
        tokens = [['word ', -0.5, [['other ', -1.5]]]] * 10
        node = lambda i, t: loom_node(i, 'word ' * 10)[:-1] + (
            ',"generation":' + json.dumps({'logprobs': tokens}) + '}')
        return head + tree % ulid(1 << 41), node, ',', ']}]' + agents.replace('human', 'model')
    if shape == 'documents':
        return (head + ']' + agents[:-1] + ',"documents":[',
                lambda i, t: json.dumps({'name': f'd{i}', 'text': t}), ',', ']}')
    return head + tree % ulid(1 << 41), loom_node, ',', ']}]' + agents


def pyloom(shape):
    if shape == 'responses':
        return ('{"root":{"id":"r","text":"top","children":[]},"model_responses":{',
                lambda i, t: f'"m{i}":' + json.dumps({'id': f'm{i}', 'model': 'm', 'completions': [
                    {'text': t, 'finishReason': 'stop', 'tokens': []}]}), ',', '}}')
    if shape == 'documents':
        return ('{"root":{"id":"r","text":"top","children":[]},"memories":[',
                lambda i, t: json.dumps({'text': t}), ',', ']}')
    return ('{"root":{"id":"r","text":"top","children":[', lambda i, t: json.dumps({'text': t}),
            ',', ']}}')


def exoloom(shape):
    return ('{"loomType":"exoloom","schemaVersion":1,"tree":{"title":"t","nodes":{',
            lambda i, t: f'"{i}":' + json.dumps({'content': t, 'parentId': i - 1 if i else None}),
            ',', '}}}')


def logitloom(shape):
    return ('{"isLogitLoomTreeVersion":1,"prompt":"Say","roots":[',
            lambda i, t: json.dumps({'id': f't{i}', 'text': t}), ',', ']}')


def miniloom(shape):
    return ('{"loomTree":{"nodeStore":{"0":{"id":"0","type":"root","patch":"","parent":null,'
            '"children":[]},',
            lambda i, t: f'"{i + 1}":' + json.dumps({'type': 'gen', 'parent': '0', 'patch': [
                {'diffs': [[1, t]], 'start2': 0}]}), ',', '}}}')


def openloom(shape):
    return ('{"version":"1.0","rootNodeId":"n0","nodes":{',
            lambda i, t: f'"n{i}":' + json.dumps({'text': t, 'author': 'model', 'parentId':
                                                  f'n{i - 1}' if i else None}), ',', '}}')


def webloom(shape):
    return ('{"title":"t","nodes":[',
            lambda i, t: json.dumps({'id': f'n{i}', 'text': t, 'parent_ids':
                                     [f'n{i - 1}'] if i else []}), ',', ']}')


def basemode(shape):
    def node(i, t):
        return {'id': f'n{i}', 'tree_id': 'n0', 'parent_id': f'n{i - 1}' if i else None, 'text': t,
                'model': 'm', 'metadata': {}}
    if shape == 'rows':
        return ('{"database":"basemode"}\n{"row":"tree","id":"n0"}\n',
                lambda i, t: json.dumps(dict(node(i, t), row='node')), '\n', '\n')
    return '{"nodes":[', lambda i, t: json.dumps(node(i, t)), ',', ']}'


def bonsai(shape):
    return ('{"nodes":[', lambda i, t: json.dumps({'id': f'n{i}', 'text': t, 'parentIds':
                                                   [f'n{i - 1}'] if i else []}), ',', ']}')


def loomsidian(shape):
    def node(i, t):
        return f'"n{i}":' + json.dumps({'text': t, 'parentId': f'n{i - 1}' if i else None})
    if shape == 'trees':
        return ('{"settings":{},"state":{', lambda i, t: f'"note {i}.md":{{"current":"x","hoisted":'
                f'[],"nodes":{{"x{i}":' + json.dumps({'text': t, 'parentId': None}) + '}}', ',',
                '}}')
    return '{"current":"n0","hoisted":[],"nodes":{', node, ',', '}}'


def mikupad(shape):
    chunk = (lambda i, t: json.dumps(json.dumps({'type': 'user', 'content': t} if i % 2 else
                                                {'content': t, 'prob': 0.5}))[1:-1])
    if shape == 'chunks':
        chunk = lambda i, t: json.dumps(json.dumps({'content': t, 'prob': 0.5}))[1:-1]
    return '{"endpoint":"\\"x\\"","prompt":"[', chunk, ',', ']"}'


def kobold(shape):
    if shape == 'choices':
        return ('{"gamestarted":true,"prompt":"p","actions":["x"],"actions_metadata":{"0":'
                '{"Selected Text":"x","Alternative Text":[',
                lambda i, t: json.dumps({'Text': t}), ',', ']}}}')
    if shape == 'numbered':
        return ('{"gamestarted":true,"file_version":2,"prompt":"p","actions":{"action_count":1,'
                '"actions":{', lambda i, t: f'"{i}":' + json.dumps({'Selected Text': t,
                                                                    'Options': []}), ',', '}}}')
    return ('{"gamestarted":true,"prompt":"p","actions":[', lambda i, t: json.dumps(t), ',', ']}')


def chatgpt(shape):
    if shape == 'trees':
        return ('[', lambda i, t: f'{{"title":"t{i}","conversation_id":"c{i}","mapping":{{'
                + mapping(0, t) + '}}', ',', ']')
    return ('[{"title":"t","mapping":{', mapping, ',', '}}]')


def claude(shape):
    def message(i, t):
        return json.dumps({'uuid': f'm{i}', 'sender': 'human' if i % 2 else 'assistant',
                           'text': t, 'content': [{'type': 'text', 'text': t}]})
    if shape == 'trees':
        return ('[', lambda i, t: f'{{"uuid":"c{i}","name":"t{i}","chat_messages":['
                + message(0, t) + ']}', ',', ']')
    return '[{"uuid":"c","name":"t","chat_messages":[', message, ',', ']}]'


def librechat(shape):
    return ('{"conversationId":"c","title":"t","messages":[',
            lambda i, t: json.dumps({'messageId': f'm{i}', 'parentMessageId': f'm{i - 1}' if i else
                                     '00000000-0000-0000-0000-000000000000', 'text': t,
                                     'isCreatedByUser': i % 2 == 0}), ',', ']}')


def openwebui(shape):
    def message(i, t):
        return f'"m{i}":' + json.dumps({'parentId': f'm{i - 1}' if i else None, 'role': 'user',
                                        'content': t})
    if shape == 'trees':
        return ('[', lambda i, t: f'{{"id":"c{i}","title":"t{i}","chat":{{"history":{{"messages":{{'
                + message(0, t) + '}}}}', ',', ']')
    return ('[{"id":"c","title":"t","chat":{"history":{"messages":{', message, ',', '}}}}]')


def llamacpp(shape):
    def message(i, t):
        return json.dumps({'type': 'message', 'message': {
            'convId': 's', 'role': 'user', 'content': t, 'id': f'm{i}',
            'parent': f'm{i - 1}' if i else None, 'children': []}})
    head = '{"type":"session","harness":"llama.app","id":"s","name":"t","currNode":"m0"}\n'
    if shape == 'trees':
        return ('[', lambda i, t: '{"conv":{"id":"c%d","name":"t"},"messages":[%s]}' % (
            i, json.dumps({'role': 'user', 'content': t, 'id': f'm{i}', 'parent': None})), ',', ']')
    return head, message, '\n', '\n'


def sillytavern(shape):
    head = '{"user_name":"unused","character_name":"unused","chat_metadata":{}}\n'
    if shape == 'choices':
        return (head + '{"name":"a","is_user":false,"mes":"x","swipes":["x",',
                lambda i, t: json.dumps(t), ',', ']}\n')
    return (head, lambda i, t: json.dumps({'is_user': i % 2 == 0, 'mes': t}), '\n', '\n')


def pi(shape):
    head = '{"type":"session","version":3,"id":"s","cwd":"/"}\n'
    if shape == 'beside':
        return (head, lambda i, t: json.dumps({'type': 'model_change', 'id': f'e{i}', 'parentId':
                                               f'e{i - 1}' if i else None}), '\n', '\n')
    return (head, lambda i, t: json.dumps({
        'type': 'message', 'id': f'e{i}', 'parentId': f'e{i - 1}' if i else None,
        'message': {'role': 'user', 'content': t}}), '\n', '\n')


def claude_code(shape):
    if shape == 'beside':
        kind = (lambda i: 'user' if i % 1000 == 999 else 'progress')
    else:
        kind = (lambda i: 'user')
    return ('{"type":"summary","summary":"s","leafUuid":"u0"}\n',
            lambda i, t: json.dumps({'type': kind(i), 'uuid': f'u{i}', 'parentUuid':
                                     f'u{i - 1}' if i else None,
                                     'message': {'role': 'user', 'content': t}}), '\n', '\n')


def codex(shape):
    head = '{"type":"session_meta","payload":{"id":"s","cwd":"/"}}\n'
    if shape == 'beside':
        return (head, lambda i, t: json.dumps({'type': 'event_msg', 'payload': {
            'type': 'token_count', 'i': i}}), '\n', '\n')
    return (head, lambda i, t: json.dumps({'type': 'response_item', 'payload': {
        'type': 'message', 'role': 'user' if i % 2 else 'assistant',
        'content': [{'type': 'text', 'text': t}]}}), '\n', '\n')


def gemini(shape):
    head = '{"sessionId":"s","projectHash":"p"}\n'
    if shape == 'rewinds':
        return (head, lambda i, t: json.dumps({'id': f'm{i}', 'type': 'user', 'content': t})
                + '\n' + json.dumps({'$rewindTo': f'm{i}'}), '\n', '\n')
    return (head, lambda i, t: json.dumps({'id': f'm{i}', 'type': 'user' if i % 2 else 'gemini',
                                           'content': t}), '\n', '\n')


def copilot(shape):
    head = '{"type":"session.start","id":"e0","parentId":null,"data":{"sessionId":"s"}}\n'
    kind = 'user.message' if shape != 'beside' else 'assistant.turn_start'
    return (head, lambda i, t: json.dumps({'type': kind, 'id': f'e{i + 1}', 'parentId': f'e{i}',
                                           'data': {'content': t}}), '\n', '\n')


def textgen(shape):
    return ('{"visible":[],"internal":[', lambda i, t: json.dumps([t, t]), ',', ']}')


def lmstudio(shape):
    def version(t):
        return {'type': 'singleStep', 'role': 'user', 'content': [{'type': 'text', 'text': t}]}
    if shape == 'choices':
        return ('{"name":"t","messages":[{"currentlySelected":0,"versions":[',
                lambda i, t: json.dumps(version(t)), ',', ']}]}')
    return ('{"name":"t","messages":[', lambda i, t: json.dumps({
        'versions': [version(t)], 'currentlySelected': 0}), ',', ']}')


def aistudio(shape):
    return ('{"runSettings":{},"chunkedPrompt":{"chunks":[', lambda i, t: json.dumps({
        'role': 'user' if i % 2 else 'model', 'text': t}), ',', ']}}')


def grok(shape):
    def response(i, t):
        return json.dumps({'response': {'_id': f'm{i}', 'sender': 'human' if i % 2 else 'assistant',
                                        'parent_response_id': f'm{i - 1}' if i else None,
                                        'message': t}})
    if shape == 'trees':
        return ('{"conversations":[', lambda i, t: '{"conversation":{"id":"c%d"},"responses":[%s]}' % (
            i, response(0, t)), ',', ']}')
    return ('{"conversations":[{"conversation":{"id":"c"},"responses":[', response, ',', ']}]}')


def opencode(shape):
    def info(i):
        return {'id': f'm{i}', 'role': 'user' if i % 2 else 'assistant'}
    if shape == 'rows':
        return ('{"database":"opencode"}\n{"row":"session","id":"s"}\n', lambda i, t: json.dumps(
            {'row': 'message', 'id': f'm{i}', 'data': info(i)}) + '\n' + json.dumps(
                {'row': 'part', 'data': {'type': 'text', 'text': t}}), '\n', '\n')
    return ('{"info":{"id":"s","projectID":"p"},"messages":[', lambda i, t: json.dumps({
        'info': info(i), 'parts': [{'type': 'text', 'text': t}]}), ',', ']}')


def inspect(shape):
    def message(i, t):
        return {'id': f'm{i}', 'role': 'user' if i % 2 else 'assistant', 'content': t}
    if shape == 'trees':
        return ('{"eval":{"task":"t","model":"m"},"samples":[', lambda i, t: json.dumps({
            'id': i, 'epoch': 1, 'input': '', 'messages': [message(0, t)]}), ',', ']}')
    return ('{"id":"s","epoch":1,"input":"","messages":[', lambda i, t: json.dumps(message(i, t)),
            ',', ']}')


def petri(shape):
    def event(i, t):
        return json.dumps({'type': 'transcript_event', 'view': ['target'], 'edit': {
            'operation': 'add', 'message': {'id': f'm{i}', 'role': 'user', 'content': t}}})
    head = '{"metadata":{"transcript_id":"t"},"events":['
    if shape == 'rewinds':
        return (head, lambda i, t: event(i, t) + ',{"view":"target","edit":{"operation":"rollback",'
                '"count":1}}', ',', ']}')
    return head, event, ',', ']}'


def llm(shape):
    return ('{"database":"llm"}\n', lambda i, t: json.dumps({
        'row': 'response', 'id': f'r{i}', 'prompt': 'p', 'response': t,
        'conversation_id': f'c{i}' if shape == 'trees' else 'c'}), '\n', '\n')


def hermes(shape):
    if shape == 'trees':
        return ('', lambda i, t: json.dumps({'id': f's{i}', 'source': 'cli', 'started_at': 1.5,
                                             'messages': [{'role': 'user', 'content': t}]}),
                '\n', '\n')
    return ('{"database":"hermes"}\n{"row":"session","id":"s","started_at":1.5}\n',
            lambda i, t: json.dumps({'row': 'message', 'id': i, 'role': 'user', 'content': t}),
            '\n', '\n')


def training(shape):
    if shape == 'lines':
        return ('', lambda i, t: json.dumps({'text': t}), '\n', '\n')
    if shape == 'list':
        return ('[', lambda i, t: json.dumps({'messages': [{'role': 'user', 'content': t}]}),
                ',', ']')
    return ('', lambda i, t: json.dumps({'messages': [{'role': 'user', 'content': t}]}), '\n', '\n')


def transcript(shape):
    return ('', lambda i, t: ('Human: ' if i % 2 == 0 else 'Assistant: ') + t, '\n\n', '\n')


def textile(shape):
    if shape == 'turns':
        return ('{"loom":{"id":"l"},"turns":[', lambda i, t: json.dumps(
            {'id': f'n{i}', 'parentId': f'n{i - 1}' if i else None, 'payload': {'text': t},
             'meta': {'role': 'prose'}}), ',', ']}')
    if shape == 'marks':
        return ('{"loom":{"id":"l"},"turns":[{"id":"n","payload":{"text":"x"}},',
                lambda i, t: json.dumps({'id': f'm{i}', 'parentId': 'n', 'meta': {
                    'role': 'mark', 'kept': bool(i % 2)}}), ',', ']}')
    if shape == 'lines':
        return ('', lambda i, t: json.dumps(
            {'v': 1, 'id': f'n{i}', 'kind': 'x', 'parents': [f'n{i - 1}'] if i else [],
             'payload': {'text': t}}), '\n', '\n')
    return ('{"schemaVersion":1,"tree":{"id":"r","text":"","continuations":[',
            lambda i, t: json.dumps({'id': f'n{i}', 'text': t}), ',', ']}}')


def gptel(shape):
    return (':PROPERTIES:\n:GPTEL_MODEL: m\n:END:\n', lambda i, t: '* ' + t, '\n', '\n')


PLAIN = ('texts', 'tiny', 'one')
FORMATS = {
    'json': (loom, PLAIN + ('trees', 'documents', 'tokens')),
    'exoloom': (exoloom, PLAIN),
    'logitloom': (logitloom, PLAIN),
    'miniloom': (miniloom, PLAIN),
    'openloom': (openloom, PLAIN),
    'loomsidian': (loomsidian, PLAIN + ('trees',)),
    'mikupad': (mikupad, PLAIN + ('chunks',)),
    'kobold': (kobold, PLAIN + ('choices', 'numbered')),
    'basemode': (basemode, PLAIN + ('rows',)),
    'bonsai': (bonsai, PLAIN),
    'textile': (textile, PLAIN + ('turns', 'marks', 'lines')),
    'gptel': (gptel, ('texts', 'tiny')),
    'webloom': (webloom, PLAIN),
    'pyloom': (pyloom, PLAIN + ('responses', 'documents')),
    'chatgpt': (chatgpt, PLAIN + ('trees',)),
    'claude': (claude, PLAIN + ('trees',)),
    'librechat': (librechat, PLAIN),
    'open-webui': (openwebui, PLAIN + ('trees',)),
    'llama.cpp': (llamacpp, PLAIN + ('trees',)),
    'sillytavern': (sillytavern, PLAIN + ('choices',)),
    'pi': (pi, PLAIN + ('beside',)),
    'claude-code': (claude_code, PLAIN + ('beside',)),
    'codex': (codex, PLAIN + ('beside',)),
    'gemini': (gemini, PLAIN + ('rewinds',)),
    'copilot': (copilot, PLAIN + ('beside',)),
    'textgen': (textgen, PLAIN),
    'lmstudio': (lmstudio, PLAIN + ('choices',)),
    'aistudio': (aistudio, PLAIN),
    'grok': (grok, PLAIN + ('trees',)),
    'opencode': (opencode, PLAIN + ('rows',)),
    'inspect': (inspect, PLAIN + ('trees',)),
    'petri': (petri, PLAIN + ('rewinds',)),
    'llm': (llm, PLAIN + ('trees',)),
    'hermes': (hermes, PLAIN + ('trees',)),
    'jsonl': (training, PLAIN + ('list', 'lines')),
    'transcript': (transcript, PLAIN),
}


def write(out, form, shape, size):
    head, entry, between, tail = FORMATS[form][0](shape)
    text = 'x' * (size // DOCUMENTS)
    out.write(head)
    written = 0
    i = 0
    if shape == 'one':
        # The entry is made of a short text, and its long one is spelled into its place.
        before, after = entry(form == 'mikupad', 'HERE').split('HERE', 1) if form != 'claude' else (
            '{"uuid":"m0","sender":"human","text":"', '"}')
        once = ESCAPED if form not in ('mikupad', 'transcript') else 'line '
        out.write(before)
        while written < size:
            written += out.write(once * 4096)
        out.write(after)
    else:
        while written < size:
            if i:
                out.write(between)
            told = text if shape == 'documents' else text_of(shape, i)
            written += out.write(entry(i, told))
            i += 1
    out.write(tail)


def main(arguments):
    if arguments == ['--list']:
        for form, (_, shapes) in FORMATS.items():
            for shape in shapes:
                print(form, shape)
        return 0
    form, shape, size = arguments
    write(sys.stdout, form, shape, int(size))
    return 0


sys.exit(main(sys.argv[1:]))
