"""A strict server on the loopback, with the chat and Responses APIs of OpenAI, Anthropic's messages,
Ollama's chat and completions. rules.json says, for each model:
  refuse    members that are refused: {"stream_options": SHAPE}, "openai" | "fastapi" | "plain"
  efforts   the words that it takes for how much to think; another is refused
  off       false: it cannot be told not to think
  thinks    tokens that it thinks before it writes, unless it is told not to
  words     what it writes, a word a token
  window    tokens of a prompt, four bytes each, and its answer; more is refused
  breaks    how many events come before the connection ends
  loading   how often it says first that it is loading
  status, body, type   answers this instead
Requests are kept as asked<N>.json, the body as it came.
usage: strict.py"""
import http.server
import json
import os
import socketserver
import threading

lock = threading.Lock()
count = {"asked": 0}
loading = {}
LIMITS = ("max_tokens", "max_completion_tokens", "max_output_tokens")


class Refused(Exception):
    def __init__(self, status, body):
        self.status, self.body = status, body


def refuse(field, shape, why="Unsupported parameter"):
    if shape == "fastapi":
        raise Refused(422, {"detail": [{"type": "extra_forbidden", "loc": ["body", field],
                                        "msg": "Extra inputs are not permitted"}]})
    if shape == "plain":
        raise Refused(400, {"message": "%s: Extra inputs are not permitted" % field})
    raise Refused(400, {"error": {"message": "%s: '%s' is not supported with this model."
                                  % (why, field), "param": field, "code": "unsupported_parameter",
                                  "type": "invalid_request_error"}})


def effort_of(body):
    """How much it is told to think: a word, or None."""
    if "reasoning_effort" in body:
        return body["reasoning_effort"]
    if "reasoning" in body:
        return body["reasoning"].get("effort")
    if "think" in body:
        return "none" if body["think"] is False else body["think"]
    thinking = body.get("thinking")
    if thinking:
        if thinking["type"] == "disabled":
            return "none"
        return body.get("output_config", {}).get("effort", "medium")
    return None


def check(body, rules):
    for field, shape in rules.get("refuse", {}).items():
        if field in body:
            refuse(field, shape)
    effort = effort_of(body)
    if effort == "none" and rules.get("off") is False and "thinking" in body:
        raise Refused(400, {"type": "error", "error": {
            "type": "invalid_request_error",
            "message": "\"thinking.type.disabled\" is not supported for this model."}})
    if effort and effort not in rules.get("efforts", [effort]):
        raise Refused(400, {"error": {
            "message": "Unsupported value: '%s' is not supported with this model. Supported "
                       "values are: %s." % (effort, ", ".join("'%s'" % e for e in rules["efforts"])),
            "param": "reasoning_effort" if "reasoning_effort" in body else "reasoning.effort",
            "code": "unsupported_value"}})
    return effort


def say(body, rules, effort):
    """The tokens that it thinks, the words that it writes, and whether it was cut."""
    most = next((body[k] for k in LIMITS if k in body), None)
    if most is None:
        most = body.get("options", {}).get("num_predict", 10 ** 6)
    prompt = len(json.dumps(body.get("prompt", body.get("messages", body.get("input", "")))
                            )) // 4
    window = rules.get("window")
    if window and prompt + min(most, 64) > window:
        raise Refused(400, {"error": {
            "code": 400, "type": "exceed_context_size_error", "n_prompt_tokens": prompt,
            "n_ctx": window, "message": "request (%d tokens) exceeds the available context size "
                                        "(%d tokens), try increasing it" % (prompt, window)}})
    thoughts = 0 if effort == "none" else rules.get("thinks", 0)
    words = rules.get("words", "and so it went on.").split(" ")
    cut = thoughts + len(words) > most
    thoughts = min(thoughts, most)
    words = words[:max(0, most - thoughts)]
    return prompt, thoughts, words, cut


def chunks(kind, model, prompt, thoughts, words, cut):
    """The answer's events, by kind."""
    thought = "hm " * thoughts
    text = ["%s%s" % (" " if i else "", w) for i, w in enumerate(words)]
    used = thoughts + len(words)
    if kind == "chat":
        if thought:
            yield None, {"model": model, "choices": [{"index": 0, "delta": {
                "reasoning_content": thought}}]}
        for word in text:
            yield None, {"choices": [{"index": 0, "delta": {"content": word}}]}
        yield None, {"choices": [{"index": 0, "delta": {},
                                  "finish_reason": "length" if cut else "stop"}]}
        yield None, {"choices": [], "usage": {
            "prompt_tokens": prompt, "completion_tokens": used,
            "completion_tokens_details": {"reasoning_tokens": thoughts}}}
    elif kind == "completions":
        for word in text:
            yield None, {"choices": [{"index": 0, "text": word}]}
        yield None, {"choices": [{"index": 0, "text": "",
                                  "finish_reason": "length" if cut else "stop"}]}
        yield None, {"choices": [], "usage": {"prompt_tokens": prompt,
                                              "completion_tokens": used}}
    elif kind == "responses":
        yield None, {"type": "response.created", "response": {"status": "in_progress"}}
        if thought:
            yield None, {"type": "response.reasoning_summary_text.delta", "delta": thought}
            yield None, {"type": "response.output_item.done", "item": {
                "type": "reasoning", "encrypted_content": "sealed", "summary": []}}
        for word in text:
            yield None, {"type": "response.output_text.delta", "delta": word}
        yield None, {"type": "response.incomplete" if cut else "response.completed", "response": {
            "object": "response", "model": model, "status": "incomplete" if cut else "completed",
            "incomplete_details": {"reason": "max_output_tokens"} if cut else None,
            "error": None, "output": [],
            "usage": {"input_tokens": prompt, "output_tokens": used,
                      "input_tokens_details": {"cached_tokens": 0},
                      "output_tokens_details": {"reasoning_tokens": thoughts}}}}
    elif kind == "messages":
        yield "message_start", {"type": "message_start", "message": {
            "model": model, "content": [], "usage": {"input_tokens": prompt, "output_tokens": 0}}}
        if thought:
            for delta in ({"type": "thinking_delta", "thinking": thought},
                          {"type": "signature_delta", "signature": "signed"}):
                yield "content_block_delta", {"type": "content_block_delta", "index": 0,
                                              "delta": delta}
        for word in text:
            yield "content_block_delta", {"type": "content_block_delta", "index": 1, "delta": {
                "type": "text_delta", "text": word}}
        yield "message_delta", {"type": "message_delta", "delta": {
            "stop_reason": "max_tokens" if cut else "end_turn"}, "usage": {
                "output_tokens": used, "output_tokens_details": {"thinking_tokens": thoughts}}}
        yield "message_stop", {"type": "message_stop"}


KINDS = {"/v1/chat/completions": "chat", "/v1/completions": "completions",
         "/v1/responses": "responses", "/v1/messages": "messages"}


class Strict(http.server.BaseHTTPRequestHandler):
    def reply(self, status, body, kind="application/json"):
        if not isinstance(body, str):
            body = json.dumps(body)
        body = body.encode()
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def do_GET(self):
        self.reply(404, {"detail": "Not Found"})

    def do_POST(self):
        raw = self.rfile.read(int(self.headers["Content-Length"]))
        body = json.loads(raw)
        with lock:
            with open("asked.new", "wb") as out:
                out.write(raw)
            os.rename("asked.new", "asked%d.json" % count["asked"])
            count["asked"] += 1
            rules = json.load(open("rules.json")).get(body["model"], {})
            loading[body["model"]] = loading.get(body["model"], 0) + 1
            waits = loading[body["model"]] <= rules.get("loading", 0)
        if waits:
            self.reply(503, {"error": {"message": "Loading model", "type": "unavailable_error",
                                       "code": 503}})
        elif "status" in rules:
            self.reply(rules["status"], rules["body"], rules.get("type", "application/json"))
        else:
            try:
                self.answer(KINDS[self.path], body, say(body, rules, check(body, rules)),
                            rules.get("breaks", 10 ** 6))
            except Refused as refused:
                self.reply(refused.status, refused.body)

    def answer(self, kind, body, said, most):
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream")
        self.end_headers()
        try:
            for number, (name, event) in enumerate(chunks(kind, body["model"], *said)):
                if number == most:
                    return
                lead = "event: %s\n" % name if name else ""
                self.wfile.write(("%sdata: %s\n\n" % (lead, json.dumps(event))).encode())
                self.wfile.flush()
            if kind in ("chat", "completions"):
                self.wfile.write(b"data: [DONE]\n\n")
        except OSError:
            pass

    def log_message(self, *words):
        pass


class Server(socketserver.ThreadingMixIn, http.server.HTTPServer):
    daemon_threads = True


server = Server(("127.0.0.1", 0), Strict)
open("port.new", "w").write(str(server.server_port))
os.rename("port.new", "port")
server.serve_forever()
