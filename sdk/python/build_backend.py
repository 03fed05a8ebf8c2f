"""Makes the wheel with the standard library alone, so that it can be made where nothing can be downloaded.

Called by pip (PEP 517), or by hand: ``python3 build_backend.py FOLDER``.
"""

from __future__ import annotations

import base64
import hashlib
import sys
import zipfile
from pathlib import Path
from typing import Any, Dict, List, Optional

HERE = Path(__file__).resolve().parent
PACKAGE = "postern_sdk"
VERSION = "0.1.0"
INFO = f"{PACKAGE}-{VERSION}.dist-info"

METADATA = f"""Metadata-Version: 2.1
Name: postern-sdk
Version: {VERSION}
Summary: Client and webhook verification for the Postern messaging gateway. Standard library alone.
License: MIT
Requires-Python: >=3.9
Description-Content-Type: text/markdown

"""
WHEEL = "Wheel-Version: 1.0\nGenerator: postern-sdk\nRoot-Is-Purelib: true\nTag: py3-none-any\n"


def get_requires_for_build_wheel(_settings: Optional[Dict[str, Any]] = None) -> List[str]:
    return []


def build_wheel(
    folder: str, _settings: Optional[Dict[str, Any]] = None, _metadata_folder: Optional[str] = None
) -> str:
    name = f"{PACKAGE}-{VERSION}-py3-none-any.whl"
    files = {f"{PACKAGE}/{path.name}": path.read_bytes() for path in sorted((HERE / PACKAGE).iterdir()) if path.is_file()}
    files[f"{INFO}/METADATA"] = METADATA.encode() + (HERE / "README.md").read_bytes()
    files[f"{INFO}/WHEEL"] = WHEEL.encode()
    record = f"{INFO}/RECORD"
    lines = [f"{path},sha256={_digest(content)},{len(content)}" for path, content in files.items()]
    files[record] = "\n".join([*lines, f"{record},,", ""]).encode()
    with zipfile.ZipFile(Path(folder) / name, "w", zipfile.ZIP_DEFLATED) as wheel:
        for path, content in files.items():
            # The same sources give the same bytes.
            wheel.writestr(zipfile.ZipInfo(path, (1980, 1, 1, 0, 0, 0)), content, zipfile.ZIP_DEFLATED)
    return name


def _digest(content: bytes) -> str:
    return base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode()


if __name__ == "__main__":
    print(build_wheel(sys.argv[1]))
