"""Against a gateway at POSTERN_URL, with a key, a number and an open pairing of an account."""

import json
import os
import threading
import unittest
from http.server import BaseHTTPRequestHandler, HTTPServer
from typing import Any, Dict, List, Tuple

from postern_sdk import PosternClient, PosternError

URL = os.environ["POSTERN_URL"]
KEY = os.environ["POSTERN_API_KEY"]
SESSION = os.environ["POSTERN_SESSION"]
PAIRING = os.environ["POSTERN_PAIRING"]


class AgainstAGateway(unittest.TestCase):
    def setUp(self) -> None:
        self.client = PosternClient(URL, KEY)

    def test_a_message_is_sent_once_per_key_and_found_again(self) -> None:
        message = {"session_id": SESSION, "to": "15551230001", "text": "¿Qué tal? 😀", "idempotency_key": "python-1"}
        queued = self.client.send(**message)
        self.assertEqual(queued["request_id"], "python-1")
        self.assertEqual(self.client.send(**message)["message_id"], queued["message_id"])
        self.assertEqual(self.client.messages.get(queued["message_id"])["id"], queued["message_id"])
        self.assertNotEqual(self.client.send(session_id=SESSION, to="15551230001", text="x")["request_id"], "python-1")

    def test_every_entry_of_a_list_comes_page_after_page(self) -> None:
        made = [self.client.keys.create(label=f"python {n}", scopes=["read"])["id"] for n in range(3)]
        listed = [key["id"] for key in self.client.keys.all(limit=1)]
        self.assertEqual(len(listed), len(set(listed)))
        self.assertLessEqual(set(made), set(listed))
        self.assertEqual(len(self.client.keys.list(limit=1)["data"]), 1)
        for key in made:
            self.client.keys.revoke(key)

    def test_a_pairing_is_followed_to_its_end(self) -> None:
        steps = self.client.pairings.events(PAIRING)
        seen = [next(steps)["status"]]
        self.client.pairings.cancel(PAIRING)
        seen += [step["status"] for step in steps]
        self.assertEqual(seen[-1], "cancelled")

    def test_a_file_is_uploaded_as_it_is(self) -> None:
        uploaded = self.client.sandbox.upload_media(b"a,b\n1,2\n", "text/csv")
        self.assertEqual((uploaded["size"], uploaded["mime_type"]), (8, "text/csv"))
        self.assertTrue(uploaded["media_url"].startswith("sandbox-upload:"))

    def test_a_refusal_says_what_is_at_fault(self) -> None:
        with self.assertRaises(PosternError) as caught:
            self.client.send(session_id=SESSION, to="")
        error = caught.exception
        self.assertEqual((error.status, error.param), (400, "to"))
        self.assertTrue(error.code and error.request_id and error.doc_url and error.message)
        with self.assertRaises(PosternError) as caught:
            PosternClient(URL, "ptn_wrong").me()
        self.assertEqual(caught.exception.status, 401)
        self.assertIn("missing or invalid API key: a key is ptn_", caught.exception.message)
        self.assertNotIn("ptn_wrong", repr(caught.exception))


class AgainstWhatFails(unittest.TestCase):
    def setUp(self) -> None:
        self.replies: List[Tuple[int, Dict[str, str]]] = []
        self.keys: List[Any] = []
        test = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                self.rfile.read(int(self.headers.get("Content-Length", 0)))
                test.keys.append(self.headers.get("Idempotency-Key"))
                status, headers = test.replies.pop(0)
                self.send_response(status)
                for name, value in headers.items():
                    self.send_header(name, value)
                self.end_headers()
                self.wfile.write(json.dumps({"message_id": "msg_1", "error": "later"}).encode())

            def log_message(self, *_: Any) -> None:
                pass

        self.server = HTTPServer(("127.0.0.1", 0), Handler)
        threading.Thread(target=self.server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True).start()
        self.client = PosternClient(f"http://127.0.0.1:{self.server.server_port}", "ptn_test")

    def tearDown(self) -> None:
        self.server.shutdown()
        self.server.server_close()

    def test_429_502_and_503_are_waited_out_with_one_idempotency_key(self) -> None:
        self.replies = [(status, {"Retry-After": "0"}) for status in (429, 502, 503)] + [(202, {})]
        self.assertEqual(self.client.send(session_id="s", to="1", text="x")["message_id"], "msg_1")
        self.assertEqual(len(self.keys), 4)
        self.assertEqual(len(set(self.keys)), 1)
        self.assertTrue(self.keys[0])

    def test_what_might_be_done_twice_a_long_wait_and_a_redirect_are_raised_at_once(self) -> None:
        self.replies = [(502, {}), (429, {"Retry-After": "864000"}), (302, {"Location": "http://127.0.0.1:1/"})]
        for status in (502, 429, 302):
            with self.assertRaises(PosternError) as caught:
                self.client.webhooks.create(session_id="s")
            self.assertEqual(caught.exception.status, status)
        self.assertEqual(self.replies, [])

    def test_an_error_in_the_plain_form_has_its_text_and_what_its_headers_say(self) -> None:
        self.replies = [(409, {"X-Error-Code": "session_offline", "X-Request-Id": "req_1"})]
        with self.assertRaises(PosternError) as caught:
            self.client.send(session_id="s", to="1", text="x")
        error = caught.exception
        self.assertEqual((error.message, error.code, error.request_id), ("later", "session_offline", "req_1"))
        self.assertEqual((error.param, error.doc_url), (None, None))

    def test_what_cannot_be_right_is_named_at_once(self) -> None:
        wrong = [
            (("", "ptn_x"), "base_url is missing"),
            (("127.0.0.1:8080", "ptn_x"), "base_url must begin with http"),
            (("http://a:b@gateway", "ptn_x"), "without user"),
            (("http://gateway/v1", "ptn_x"), "must not end with /v1"),
            (("http://gateway", ""), "api_key is missing"),
            (("http://gateway", "whsec_x"), "secret of a webhook"),
            (("http://gateway", "sk_x"), "must begin with ptn_"),
            (("http://gateway", "ptn_x\n"), "a line break"),
        ]
        for arguments, said in wrong:
            with self.assertRaisesRegex(TypeError, said):
                PosternClient(*arguments)
        with self.assertRaisesRegex(TypeError, "timeout must be a number"):
            PosternClient("http://gateway", "ptn_x", timeout=0)
        with self.assertRaisesRegex(TypeError, "an id must be"):
            self.client.webhooks.get("")
