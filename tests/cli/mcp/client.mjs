// The newer SDK: negotiation by MODE, the tools, a resource, a prompt, progress, a cancelled call.
import assert from 'node:assert/strict';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { door } from './door.mjs';

const mode = process.env.MODE === 'pin' ? { pin: '2026-07-28' } : process.env.MODE;
const transport = door(StdioClientTransport, StreamableHTTPClientTransport);
const client = new Client({ name: 'test', version: '1' }, { versionNegotiation: { mode } });
await client.connect(transport);
console.log(client.getNegotiatedProtocolVersion());

const tools = (await client.listTools()).tools.map((tool) => tool.name);
assert.deepEqual(tools, ['loom', 'loom_context']);
const call = (text, options) =>
	client.callTool({ name: 'loom', arguments: { text } }, options);
assert.match((await call('→ view r001')).content[0].text, /Once there was\./);
assert.equal((await call('→ view zz99')).isError, true);
await assert.rejects(client.callTool({ name: 'none', arguments: {} }));
const found = await client.complete({
	ref: { type: 'ref/resource', uri: 'loom://tree/{id}' },
	argument: { name: 'id', value: 'hou' },
});
assert.deepEqual(found.completion.values, ['House']);
const node = await client.readResource({ uri: 'loom://node/r001' });
assert.match(node.contents[0].text, /Once there was\./);
const prompt = await client.getPrompt({ name: 'loom-aware' });
assert.match(prompt.messages[0].content.text, /loom-aware/);

let last = 0;
await call('→ continue n:2 tokens:60\n→ tree', {
	onprogress: ({ progress }) => {
		assert.ok(progress > last);
		last = progress;
	},
});
const stop = new AbortController();
const cancelled = call('→ continue n:10 tokens:4000', { signal: stop.signal });
setTimeout(() => stop.abort(), 100);
await cancelled.catch(() => undefined);
assert.match((await call('→ tree')).content[0].text, /House/);
await client.close();
