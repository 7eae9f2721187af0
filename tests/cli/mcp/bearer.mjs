// Lets clients that cannot send a token in: copies bytes both ways, and adds the header to each request.
import net from 'node:net';

const [to, token] = [Number(process.argv[2]), process.argv[3]];
const server = net.createServer((client) => {
	const behind = net.connect(to, '127.0.0.1');
	let head = Buffer.alloc(0);
	let left = 0; // of a body under way; -1: until the connection ends
	client.on('data', (data) => {
		while (data.length) {
			if (left) {
				const part = left < 0 ? data : data.subarray(0, left);
				if (left > 0) left -= part.length;
				behind.write(part);
				data = data.subarray(part.length);
				continue;
			}
			head = Buffer.concat([head, data]);
			const end = head.indexOf('\r\n\r\n');
			if (end < 0) return;
			const text = head.subarray(0, end).toString('latin1');
			const length = /\r\ncontent-length: *(\d+)/i.exec(text);
			left = length ? Number(length[1]) : /\r\ntransfer-encoding:/i.test(text) ? -1 : 0;
			behind.write(`${text}\r\nAuthorization: Bearer ${token}\r\n\r\n`, 'latin1');
			data = head.subarray(end + 4);
			head = Buffer.alloc(0);
		}
	});
	behind.on('data', (data) => client.write(data));
	for (const [one, other] of [[client, behind], [behind, client]]) {
		one.on('end', () => other.end());
		one.on('error', () => other.destroy());
		one.on('close', () => other.destroy());
	}
});
server.listen(0, '127.0.0.1', () => console.log(server.address().port));
