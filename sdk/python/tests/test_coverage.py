import inspect
import json
import re
import unittest
from pathlib import Path
from typing import Any, Iterator, List
from unittest import mock

from postern_sdk import PosternClient, PosternOperator
from postern_sdk.transport import Transport

OPENAPI = Path(__file__).resolve().parents[3] / "openapi.json"


def calls_of(value: Any) -> Iterator[Any]:
    for name, member in inspect.getmembers(value):
        if name.startswith("_"):
            continue
        if inspect.ismethod(member):
            yield member
        elif type(member).__module__.startswith("postern_sdk"):
            yield from calls_of(member)


def call(method: Any) -> None:
    parameters = inspect.signature(method).parameters.values()
    ids = ["an id" for each in parameters if each.kind is each.POSITIONAL_OR_KEYWORD]
    named = {each.name: "x" for each in parameters if each.kind is each.KEYWORD_ONLY}
    method(*ids, **named)


class Coverage(unittest.TestCase):
    def test_every_operation_of_openapi_json_has_a_method_and_no_method_asks_for_anything_else(self) -> None:
        requested: List[str] = []
        with mock.patch.object(Transport, "call", lambda _, method, path, **more: requested.append(f"{method} {path}")), \
                mock.patch.object(Transport, "all", lambda _, path, query: requested.append(f"GET {path}")), \
                mock.patch.object(Transport, "download", lambda _, path, method="GET", body=None: requested.append(f"{method} {path}")), \
                mock.patch.object(Transport, "follow", lambda _, path, *more: requested.append(f"GET {path}")):
            for client in (PosternClient("http://127.0.0.1:1", "ptn_x"), PosternOperator("http://127.0.0.1:1", "x")):
                for method in calls_of(client):
                    call(method)
        paths = json.loads(OPENAPI.read_text())["paths"]
        known = {f"{method.upper()} {re.sub(r'{[a-z_]+}', 'an%20id', path)}" for path in paths for method in paths[path]}
        self.assertGreater(len(known), 55)
        self.assertEqual(sorted(known - set(requested)), [])
        self.assertEqual(sorted(set(requested) - known), [])
