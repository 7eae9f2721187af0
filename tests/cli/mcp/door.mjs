// The door to use: the pipe of SERVE, or the server at URL with TOKEN.
export function door(Stdio, Http) {
	if (!process.env.URL) return new Stdio({ command: process.env.SERVE, args: [] });
	return new Http(new URL(process.env.URL), {
		requestInit: { headers: { Authorization: `Bearer ${process.env.TOKEN}` } },
	});
}
