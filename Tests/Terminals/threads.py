"""Sends signals to single threads, as a trap or a memory error does."""
import ctypes, os, platform

TGKILL = {"x86_64": 234, "aarch64": 131}[platform.machine()]


def others(process):
    """Returns the threads of a process, except the one that draws."""
    return [int(name) for name in os.listdir(f"/proc/{process}/task") if int(name) != process]


def send(process, thread, signal):
    if ctypes.CDLL(None, use_errno=True).syscall(TGKILL, process, thread, int(signal)) != 0:
        raise OSError(ctypes.get_errno(), "tgkill")
