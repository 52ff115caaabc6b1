"""Put on PYTHONPATH, it refuses every connection that the process tries to open."""

import socket
from typing import Any, NoReturn


def refuse(*_arguments: Any, **_options: Any) -> NoReturn:
    raise RuntimeError("synthesis opened a connection")


for name in ("connect", "connect_ex"):
    setattr(socket.socket, name, refuse)
socket.getaddrinfo = refuse
