"""Runs inside MiniStack's environment: the emulator, which ends when the process that started it does."""

import os
import runpy
import signal
import sys
import threading


def stop_with_parent() -> None:
    """Ask the emulator to save its state and stop once the other end of standard input is gone, for whatever reason."""
    sys.stdin.buffer.read()
    os.kill(os.getpid(), signal.SIGTERM)


if __name__ == "__main__":
    threading.Thread(target=stop_with_parent, daemon=True).start()
    try:
        runpy.run_module("ministack", run_name="__main__")
    finally:
        sys.stderr.flush()
        os.killpg(0, signal.SIGKILL)  # what still runs a function, and this process: it leads its own group
