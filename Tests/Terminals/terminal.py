"""A program on a pseudo-terminal, and the user's side of that terminal."""
import errno, fcntl, os, resource, select, signal, struct, subprocess, termios, time
import modes


class TimedOut(Exception):
    pass


class Terminal:
    def __init__(self, command, environment, folder, columns=80, rows=24):
        self.main, self.near = os.openpty()
        self.resize(columns, rows)
        self.settings = termios.tcgetattr(self.near)
        self.modes = modes.Modes()
        self.output = b""
        os.set_blocking(self.main, False)

        def prepare():
            fcntl.ioctl(0, termios.TIOCSCTTY, 0)
            # A crash must not write a core file.
            resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
            for number in (signal.SIGINT, signal.SIGQUIT, signal.SIGHUP, signal.SIGPIPE):
                signal.signal(number, signal.SIG_DFL)

        self.process = subprocess.Popen(
            command, stdin=self.near, stdout=self.near, stderr=self.near, cwd=folder,
            env=environment, start_new_session=True, preexec_fn=prepare)

    def resize(self, columns, rows):
        fcntl.ioctl(self.main, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))

    def read(self, timeout=0.0):
        """Reads the available output, and returns whether there was any."""
        if not select.select([self.main], [], [], timeout)[0]:
            return False
        try:
            part = os.read(self.main, 1 << 16)
        except OSError as error:
            if error.errno in (errno.EIO, errno.EAGAIN):
                return False
            raise
        self.modes.feed(part)
        self.output = (self.output + part)[-8000:]
        return bool(part)

    def pump(self, seconds):
        """Reads output for a time."""
        end = time.monotonic() + seconds
        while (rest := end - time.monotonic()) > 0:
            self.read(rest)

    def send(self, keys):
        """Types bytes while reading output, because the program may wait for either."""
        end = time.monotonic() + 20
        while keys and self.process.poll() is None:
            try:
                keys = keys[os.write(self.main, keys):]
            except BlockingIOError:
                pass
            self.read(0.001)
            if time.monotonic() > end:
                raise TimedOut("the program reads no input")

    def wait_for_output(self, timeout=30):
        """Waits until the program has taken over the terminal, and reads the first frame."""
        end = time.monotonic() + timeout
        while self.has_original_settings and self.process.poll() is None:
            if time.monotonic() > end:
                raise TimedOut(f"the program draws nothing: {self.shown}")
            self.read(0.02)
        self.pump(0.3)

    def wait(self, timeout=30):
        """Waits for the end and returns the exit status, which is negative for a signal."""
        end = time.monotonic() + timeout
        while self.process.poll() is None:
            if time.monotonic() > end:
                raise TimedOut(f"the program does not end: {self.shown}")
            self.read(0.02)
        while self.read():
            pass
        return self.process.returncode

    @property
    def shown(self):
        return repr(self.output[-600:].decode(errors="replace"))

    @property
    def has_original_settings(self):
        return termios.tcgetattr(self.near) == self.settings

    def problems(self):
        """Yields the differences from the terminal before the program started."""
        if not self.has_original_settings:
            yield "the settings differ (stty -g)"
        yield from self.modes.problems()

    def close(self):
        if self.process.poll() is None:
            os.killpg(self.process.pid, signal.SIGKILL)
            self.process.wait()
        os.close(self.main)
        os.close(self.near)
