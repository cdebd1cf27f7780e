"""Random keys, mouse events, invalid bytes, and sizes, from a seed."""

# All keys, except q and control characters that quit, stop, or suspend the output.
KEYS = b" abcdefghijklmnoprstuvwxyzABCDEFGHIJKLMNOPRSTUVWXYZ0123456789/?[]()<>+-.,:;=*%\t\r\x7f"
NAMED = [b"\x1b[A", b"\x1b[B", b"\x1b[C", b"\x1b[D", b"\x1bOA", b"\x1b[5~", b"\x1b[6~", b"\x1b[H",
         b"\x1b[F", b"\x1b[Z", b"\x1bOP", b"\x1b[3~", b"\x1b[1;5C", b"\x1b[200~", b"\x1b"]
TRUNCATED = [b"\x1b[", b"\x1bO", b"\x1b[<", b"\x1b[<0;", b"\x1b[<0;5", b"\x1b[M", b"\x1b[M ",
             b"\x1b[<99999999999999999999;1;1M", b"\x1b[<0;0;0M", b"\x1b[<-1;-1;-1m", b"\x1b]52;c;",
             b"\x1b[?1;2c", b"\x1bP", b"\x1b[<0;1;1;1;1M", b"\x1b[1;1R", b"\x1b[[A", b"\x1b\x1b["]
INVALID = [b"\xff", b"\xc3", b"\xc3(", b"\xe2\x82", b"\xf0\x9f", b"\xed\xa0\x80", b"\xf8\x88\x80",
           b"\xc0\xaf", b"\xf4\x90\x80\x80", b"\x80\x80", b"\x00", b"\xe2\x82\xac", b"\xf0\x9f\x98\x80"]


def key(chance):
    """Returns the bytes of a key, a mouse event, or nonsense."""
    kind = chance.random()
    if kind < 0.5:
        return bytes([chance.choice(KEYS)])
    if kind < 0.65:
        return chance.choice(NAMED)
    if kind < 0.8:
        button = chance.choice([0, 0, 1, 2, 3, 32, 35, 64, 65, 66, 67, 128, 255])
        place = f"{chance.randint(0, 520)};{chance.randint(0, 220)}"
        return f"\x1b[<{button};{place}{chance.choice('Mm')}".encode()
    return chance.choice(TRUNCATED if kind < 0.9 else INVALID)


def size(chance):
    """Returns columns and rows, often at the edges."""
    if chance.random() < 0.2:
        return chance.choice([(1, 1), (500, 200), (500, 1), (1, 200), (80, 24), (2, 2), (40, 10)])
    return chance.randint(1, 500), chance.randint(1, 200)


def play(terminal, chance, steps):
    """Types and resizes without waiting for frames."""
    for _ in range(steps):
        if terminal.process.poll() is not None:
            return
        if chance.random() < 0.4:
            terminal.resize(*size(chance))
        terminal.send(b"".join(key(chance) for _ in range(chance.randint(1, 6))))
        if chance.random() < 0.3:
            terminal.pump(chance.random() * 0.05)


def calm(terminal):
    """Ends all prompts, incomplete sequences, and characters."""
    terminal.resize(100, 30)
    for _ in range(6):
        terminal.send(b"\x1b")
        terminal.pump(0.06)
