// Stands for the vendors' endpoints: whoever asks is first told to call the tool `loom`, once it is
// offered, and then to stop. Speaks Messages, Responses, chat completions and generateContent.
import http from 'node:http';

const text = `→ annotate r001 "by ${process.argv[2]}"`;

let called = false;

function events(response, list) {
	response.writeHead(200, { 'Content-Type': 'text/event-stream' });
	for (const [name, data] of list)
		response.write(`${name ? `event: ${name}\n` : ''}data: ${JSON.stringify(data)}\n\n`);
	response.end();
}

// The name under which a client offers our tool.
function tool(names) {
	return names.find((name) => /loom/.test(name) && !/context|resource|prompt/.test(name));
}

function messages(body, response) {
	const name = tool((body.tools ?? []).map((one) => one.name));
	// A client that begins to talk before its servers are there is kept busy.
	const waits = !name && !called && (body.tools ?? []).some((one) => one.name === 'Bash');
	const done = called || (!name && !waits);
	const input = waits ? { command: 'sleep 1', description: 'wait' } : { text };
	called ||= Boolean(name);
	const block = done ? { type: 'text', text: '' }
		: { type: 'tool_use', id: `toolu_${Date.now()}`, name: name ?? 'Bash', input: {} };
	const delta = done ? { type: 'text_delta', text: 'Done.' }
		: { type: 'input_json_delta', partial_json: JSON.stringify(input) };
	events(response, [
		['message_start', { type: 'message_start', message: { id: 'msg_1', type: 'message', role: 'assistant', model: body.model,
			content: [], stop_reason: null, stop_sequence: null, usage: { input_tokens: 1, output_tokens: 1 } } }],
		['content_block_start', { type: 'content_block_start', index: 0, content_block: block }],
		['content_block_delta', { type: 'content_block_delta', index: 0, delta }],
		['content_block_stop', { type: 'content_block_stop', index: 0 }],
		['message_delta', { type: 'message_delta', delta: { stop_reason: done ? 'end_turn' : 'tool_use', stop_sequence: null },
			usage: { output_tokens: 1 } }],
		['message_stop', { type: 'message_stop' }],
	]);
}

function responses(body, response) {
	const flat = (body.tools ?? []).flatMap((one) => (one.tools ?? [one]).map((inner) =>
		({ name: inner.name, space: one.tools ? one.name : undefined })));
	const found = flat.find((one) => /loom/.test(`${one.space ?? ''}${one.name}`) && !/context|resource|prompt/.test(one.name ?? ''));
	const done = called || !found;
	called ||= Boolean(found);
	const item = done ? { type: 'message', id: 'msg_1', role: 'assistant', status: 'completed',
		content: [{ type: 'output_text', text: 'Done.', annotations: [] }] }
		: { type: 'function_call', id: 'fc_1', call_id: 'call_1', name: found.name, status: 'completed',
			...(found.space ? { namespace: found.space } : {}), arguments: JSON.stringify({ text }) };
	events(response, [
		['response.created', { type: 'response.created', response: { id: 'resp_1' } }],
		['response.output_item.added', { type: 'response.output_item.added', output_index: 0, item }],
		['response.output_item.done', { type: 'response.output_item.done', output_index: 0, item }],
		['response.completed', { type: 'response.completed', response: { id: 'resp_1', status: 'completed', output: [item],
			usage: { input_tokens: 1, output_tokens: 1, total_tokens: 2 } } }],
	]);
}

function chat(body, response) {
	const name = tool((body.tools ?? []).map((one) => one.function.name));
	const done = called || !name;
	called ||= Boolean(name);
	const head = { id: 'c_1', object: 'chat.completion.chunk', created: 1, model: body.model };
	const delta = done ? { role: 'assistant', content: 'Done.' } : { role: 'assistant', tool_calls: [{ index: 0, id: 'call_1',
		type: 'function', function: { name, arguments: JSON.stringify({ text }) } }] };
	response.writeHead(200, { 'Content-Type': 'text/event-stream' });
	for (const choice of [{ index: 0, delta, finish_reason: null },
		{ index: 0, delta: {}, finish_reason: done ? 'stop' : 'tool_calls' }])
		response.write(`data: ${JSON.stringify({ ...head, choices: [choice],
			usage: { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 } })}\n\n`);
	response.end('data: [DONE]\n\n');
}

function generate(body, url, response) {
	const names = (body.tools ?? []).flatMap((one) => one.functionDeclarations ?? []).map((one) => one.name);
	const name = tool(names);
	const done = called || !name;
	called ||= Boolean(name);
	const parts = done ? [{ text: 'Done.' }] : [{ functionCall: { name, args: { text } } }];
	const answer = { candidates: [{ index: 0, content: { role: 'model', parts }, finishReason: 'STOP' }],
		usageMetadata: { promptTokenCount: 1, candidatesTokenCount: 1, totalTokenCount: 2 } };
	if (url.includes('stream')) {
		events(response, [[null, answer]]);
	} else {
		response.writeHead(200, { 'Content-Type': 'application/json' });
		response.end(JSON.stringify(answer));
	}
}

const server = http.createServer((request, response) => {
	let all = '';
	request.on('data', (data) => { all += data; });
	request.on('end', () => {
		let body = {};
		try { body = JSON.parse(all); } catch { /* none */ }
		const path = request.url;
		if (/count_tokens|countTokens/i.test(path)) {
			response.writeHead(200, { 'Content-Type': 'application/json' });
			response.end(JSON.stringify({ input_tokens: 1, totalTokens: 1 }));
		} else if (/\/messages/.test(path)) messages(body, response);
		else if (/\/responses/.test(path)) responses(body, response);
		else if (/\/chat\/completions/.test(path)) chat(body, response);
		else if (/generateContent/i.test(path)) generate(body, path, response);
		else {
			response.writeHead(/\/models/.test(path) ? 200 : 404, { 'Content-Type': 'application/json' });
			response.end(JSON.stringify({ data: [], models: [] }));
		}
	});
});
server.listen(0, '127.0.0.1', () => console.log(server.address().port));
