"""MiniStack, the emulator of AWS, as a child process on loopback."""

import errno
import http.client
import os
import shutil
import signal
import socket
import subprocess
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import boto3
from botocore.config import Config

from infra.local import tools
from infra.local.setup import MINISTACK, LocalError

HOST = "127.0.0.1"
ACCOUNT = "000000000000"
REGION = "us-east-1"
_SECRET = "local"  # the emulator never checks the root user's
START_SECONDS = 30
STOP_SECONDS = 60


class Emulator:
    """One emulator whose state, temporary files and log are in one folder.

    The state is saved when it stops in an orderly way, also when the process that started it dies, but not when the
    emulator itself is killed.
    """

    def __init__(self, folder: Path, port: int = 0) -> None:
        """`port` 0 takes a free one."""
        self.folder = folder
        self.log = folder / "emulator.log"
        self.port = port or free_port()
        self.endpoint_url = f"http://{HOST}:{self.port}"
        self._process: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        """Return once it answers. Raises LocalError when the port is taken or it does not come up."""
        check_port(self.port)
        shutil.rmtree(self.folder / "tmp", ignore_errors=True)
        (self.folder / "tmp").mkdir(parents=True)
        script = Path(__file__).with_name("emulator_process.py")
        with self.log.open("wb") as log:
            self._process = subprocess.Popen(
                [tools.python(MINISTACK), "-P", script],
                stdin=subprocess.PIPE,
                stdout=log,
                stderr=log,
                cwd=self.folder,
                env=self._environment(),
                umask=0o077,  # its state holds secrets
                start_new_session=True,  # Ctrl-C reaches this program alone, which then stops the emulator
            )
        self._wait_until_ready()

    def check(self) -> None:
        """Raises LocalError when it has stopped by itself."""
        if self._process is None or self._process.poll() is not None:
            raise LocalError(f"The emulator stopped unexpectedly: its log is {self.log}.")

    def wait(self) -> None:
        """Block until it stops by itself, which is an error. Raises LocalError."""
        if self._process:
            self._process.wait()
        self.check()

    def stop(self) -> None:
        """Let it save its state and end, with everything that it started."""
        if self._process is None or self._process.stdin is None:
            return
        self._process.stdin.close()
        try:
            self._process.wait(STOP_SECONDS)
        except subprocess.TimeoutExpired:
            os.killpg(self._process.pid, signal.SIGKILL)
            self._process.wait()
        self._process = None
        shutil.rmtree(self.folder / "tmp", ignore_errors=True)

    def client(self, service: Any) -> Any:
        """A boto3 client of the account's root user, which the emulator always lets through."""
        session = boto3.session.Session(ACCOUNT, _SECRET, region_name=REGION)
        return session.client(service, endpoint_url=self.endpoint_url, config=Config(proxies={}))

    def get(self, path: str, headers: Mapping[str, str], timeout: float) -> tuple[int, str]:
        """Status and body of a GET, past any proxy. Raises OSError when there is no answer within `timeout` seconds."""
        connection = http.client.HTTPConnection(HOST, self.port, timeout=timeout)
        try:
            connection.request("GET", path, headers=dict(headers))
            answer = connection.getresponse()
            return answer.status, answer.read().decode(errors="replace")
        except http.client.HTTPException as error:
            raise OSError(f"no valid HTTP answer: {error!r}") from error
        finally:
            connection.close()

    def environment(self) -> dict[str, str]:
        """The environment in which the AWS tools, as root user, reach this emulator and nothing else."""
        return tools.environment(
            AWS_ENDPOINT_URL=self.endpoint_url,
            AWS_ACCESS_KEY_ID=ACCOUNT,
            AWS_SECRET_ACCESS_KEY=_SECRET,
            AWS_REGION=REGION,
            AWS_DEFAULT_REGION=REGION,
            AWS_CONFIG_FILE=os.devnull,
            AWS_SHARED_CREDENTIALS_FILE=os.devnull,
        )

    def _environment(self) -> dict[str, str]:
        # Functions inherit this environment: nothing of the machine's own may leak into them.
        return {
            "PATH": os.defpath,
            "HOME": str(self.folder),
            "TMPDIR": str(self.folder / "tmp"),
            "LANG": "C.UTF-8",
            "GATEWAY_PORT": str(self.port),
            "BIND_HOST": HOST,
            "MINISTACK_HOST": HOST,
            "MINISTACK_ACCOUNT_ID": ACCOUNT,
            "MINISTACK_REGION": REGION,
            "AUTH": "true",
            "PERSIST_STATE": "1",
            "STATE_DIR": str(self.folder / "state"),
            "S3_PERSIST": "1",
            "S3_DATA_DIR": str(self.folder / "s3"),
            "IOT_MTLS_ENABLED": "0",
            "SFTP_ENABLED": "0",
        }

    def _wait_until_ready(self) -> None:
        deadline = time.monotonic() + START_SECONDS
        while time.monotonic() < deadline:
            self.check()
            try:
                self.get("/_ministack/ready", {}, timeout=5)
                return
            except OSError:
                time.sleep(0.1)
        raise LocalError(f"The emulator does not answer after {START_SECONDS} seconds: its log is {self.log}.")


def check_port(port: int) -> None:
    """Raises LocalError when the port cannot be listened on."""
    try:
        with socket.socket() as probe:
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            probe.bind((HOST, port))
    except OSError as error:
        reason = {errno.EADDRINUSE: "taken", errno.EACCES: "not allowed for this user"}.get(
            error.errno or 0, str(error)
        )
        raise LocalError(f"Port {port} is {reason}: choose another one, `make run PORT=4600`.") from None


def free_port() -> int:
    """A port of loopback that nothing listens on."""
    with socket.socket() as probe:
        probe.bind((HOST, 0))
        port: int = probe.getsockname()[1]
        return port
