"""``listen`` and timeouts, against a server that does what the test says."""

import json
import threading
import time
import unittest
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Dict, List
from urllib.parse import parse_qs, urlsplit

from postern_sdk import PosternClient, PosternError

FORGOTTEN = (404, {"X-Error-Code": "not_found"}, {"error": "listener not found"})


def event(n: int) -> Dict[str, Any]:
    return {"cursor": str(n), "kind": "message", "body": json.dumps({"n": n})}


def page(*numbers: int) -> Any:
    return (200, {}, {"data": [event(n) for n in numbers], "cursor": str(numbers[-1]), "missed": 0})


def opened(id: str) -> Any:
    return (201, {}, {"id": id, "cursor": "7"})


class AgainstAServer(unittest.TestCase):
    def setUp(self) -> None:
        self.seen: List[str] = []
        self.answers: Dict[str, List[Any]] = {}
        self.ended = threading.Event()
        test = self

        class Handler(BaseHTTPRequestHandler):
            def answer(self) -> None:
                self.rfile.read(int(self.headers.get("Content-Length", 0)))
                test.seen.append(f"{self.command} {self.path}")
                planned = test.answers.get(self.command)
                if planned:
                    answer = planned.pop(0)
                else:
                    after = parse_qs(urlsplit(self.path).query).get("after", ["0"])[0]
                    answer = (200, {}, {"data": [], "cursor": after, "missed": 0})
                if answer == "silent":
                    test.ended.wait(10)
                    return
                if isinstance(answer, bytes):
                    for byte in answer:
                        if test.ended.wait(0.01):
                            return
                        try:
                            self.wfile.write(bytes([byte]))
                        except OSError:
                            return
                    return
                status, headers, body = answer
                self.send_response(status)
                for name, value in headers.items():
                    self.send_header(name, value)
                self.end_headers()
                self.wfile.write(json.dumps(body).encode())

            do_GET = do_POST = do_DELETE = answer

            def log_message(self, *_: Any) -> None:
                pass

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        threading.Thread(target=self.server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True).start()
        self.client = PosternClient(f"http://127.0.0.1:{self.server.server_port}", "ptn_test", max_retries=0)

    def tearDown(self) -> None:
        self.ended.set()
        self.server.shutdown()
        self.server.server_close()

    def read(self, count: int, **options: Any) -> List[int]:
        events = self.client.listen(**options)
        numbers = [next(events)["payload"]["n"] for _ in range(count)]
        events.close()  # type: ignore[attr-defined]
        return numbers

    def test_on_acknowledge_gives_the_position_behind_each_handled_event_and_resume_goes_on_there(self) -> None:
        self.answers = {"POST": [opened("lsn_1")], "GET": [page(8, 9), page(10)]}
        positions: List[Dict[str, Any]] = []
        self.assertEqual(self.read(3, keep_hours=24, on_acknowledge=positions.append), [8, 9, 10])
        self.assertEqual(positions, [{"id": "lsn_1", "cursor": cursor, "keep_hours": 24} for cursor in ("8", "9")])
        self.answers = {"GET": [page(10)]}
        self.assertEqual(self.read(1, resume=positions[-1]), [10])
        self.assertEqual(self.seen[-1], "GET /v1/listeners/lsn_1/events?after=9&wait=20&keep_hours=24")

    def test_a_resumed_listener_is_neither_shortened_nor_deleted(self) -> None:
        self.answers = {"GET": [page(8)]}
        self.read(1, resume={"id": "lsn_1", "cursor": "7"})
        self.assertEqual(self.seen, ["GET /v1/listeners/lsn_1/events?after=7&wait=20&keep_hours=168"])

    def test_ending_the_loop_takes_one_short_try_while_the_gateway_answers_nothing(self) -> None:
        self.answers = {"POST": [opened("lsn_1")], "GET": [page(8)], "DELETE": ["silent", "silent"]}
        started = time.monotonic()
        self.read(1)
        self.assertLess(time.monotonic() - started, 3)
        self.assertEqual([request for request in self.seen if "DELETE" in request], ["DELETE /v1/listeners/lsn_1"])

    def test_a_listener_that_the_gateway_has_forgotten_is_opened_again(self) -> None:
        self.answers = {"POST": [opened("lsn_2")], "GET": [FORGOTTEN, page(8)]}
        missed: List[Any] = []
        self.assertEqual(self.read(1, resume={"id": "lsn_1", "cursor": "3"}, on_missed=missed.append), [8])
        self.assertEqual(missed, [None])

    def test_a_proxy_without_a_gateway_is_retried_at_the_start_at_a_reopening_and_later(self) -> None:
        for status in (404, 503):
            away = (status, {}, {})
            self.answers = {
                "POST": [away, opened("lsn_1"), away, opened("lsn_2")],
                "GET": [away, FORGOTTEN, page(8)],
            }
            missed: List[Any] = []
            self.assertEqual(self.read(1, on_missed=missed.append), [8])
            self.assertEqual(missed, [None])

    def test_a_server_that_ignores_wait_is_asked_a_few_times_a_second(self) -> None:
        empty = (200, {}, {"data": [], "cursor": "7", "missed": 0})
        self.answers = {"POST": [opened("lsn_1")], "GET": [empty, empty, empty, page(8)]}
        started = time.monotonic()
        self.read(1)
        self.assertGreaterEqual(time.monotonic() - started, 0.75)

    def test_the_timeout_covers_an_answer_that_drips_in(self) -> None:
        head = b"HTTP/1.0 200 OK\r\n\r\n"
        for drip in (head * 20, head + b" " * 400, b"HTTP/1.0 500 Oh\r\n\r\n" + b" " * 400):
            self.answers = {"GET": [drip]}
            client = PosternClient(f"http://127.0.0.1:{self.server.server_port}", "ptn_test", timeout=0.5, max_retries=0)
            started = time.monotonic()
            with self.assertRaisesRegex(PosternError, "no answer within 0.5 seconds") as caught:
                client.me()
            self.assertEqual(caught.exception.status, 0)
            self.assertLess(time.monotonic() - started, 3)

    def test_a_retry_after_that_is_no_number_of_seconds_is_ignored(self) -> None:
        for value in ("nan", "-5", "", "inf", "1_0", "Wed, 21 Oct 2026 07:28:00 GMT"):
            self.answers = {"GET": [(429, {"Retry-After": value}, {})]}
            client = PosternClient(f"http://127.0.0.1:{self.server.server_port}", "ptn_test", max_retries=1)
            client.me()
            self.answers = {"GET": [(400, {"Retry-After": value}, {})]}
            with self.assertRaises(PosternError) as caught:
                client.me()
            self.assertIsNone(caught.exception.retry_after)


if __name__ == "__main__":
    unittest.main()
