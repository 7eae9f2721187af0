// The older SDK, with its handshake: a subscription is told of what another process writes.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { ResourceUpdatedNotificationSchema } from '@modelcontextprotocol/sdk/types.js';
import { door } from './door.mjs';

const client = new Client({ name: 'test', version: '1' });
await client.connect(door(StdioClientTransport, StreamableHTTPClientTransport));
const updated = new Promise((resolve, reject) => {
	client.setNotificationHandler(ResourceUpdatedNotificationSchema, (notice) =>
		resolve(notice.params.uri));
	setTimeout(() => reject(new Error('no update')), 10000).unref();
});
await client.subscribeResource({ uri: 'loom://node/r001' });
execFileSync(process.env.LOOM, ['do', 'annotate', 'r001', 'from outside'], {
	cwd: process.env.GROVE,
});
assert.equal(await updated, 'loom://node/r001');
await client.ping();
await client.close();
console.log('updated');
