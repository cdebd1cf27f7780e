"""Reads the samples of a recording, as docs/Recordings.md describes."""
import contextlib, json, sqlite3


def connect(path):
    # Close the connection explicitly, because a connection without references is closed later. A
    # recorder that ends while another program has the file open cannot remove the log.
    return contextlib.closing(sqlite3.connect(f"file:{path}?mode=ro", uri=True))


def samples(path):
    """Yields each sample of a recording as JSON, oldest first."""
    texts = {}
    with connect(path) as database:
        rows = database.execute(
            "SELECT id, base, data FROM sample JOIN payload ON sample = id ORDER BY id")
        for sample, base, data in rows:
            if base is None:
                # A complete sample starts a part. Later samples have bases only in the same part.
                texts = {}
            texts[sample] = data.encode() if base is None else decode(data, texts[base])
            yield json.loads(texts[sample])


def result(path):
    """Returns the recorded result of a run, or None."""
    with connect(path) as database:
        row = database.execute("SELECT data FROM result").fetchone()
        return row and json.loads(row[0])


def count(path):
    """Returns the number of samples so far, which is 0 if there is no recording yet."""
    try:
        with connect(path) as database:
            return database.execute("SELECT count(*) FROM sample").fetchone()[0]
    except sqlite3.Error:
        return 0


def decode(data, base):
    output, index, end = bytearray(), 0, 0

    def integer():
        nonlocal index
        value = shift = 0
        while True:
            byte = data[index]
            index += 1
            value |= (byte & 127) << shift
            if byte < 128:
                return value
            shift += 7

    while index < len(data):
        instruction = integer()
        length = instruction >> 1
        if instruction & 1:
            distance = integer()
            start = end + ((distance >> 1) ^ -(distance & 1))
            end = start + length
            output += base[start:end]
        else:
            output += data[index:index + length]
            index += length
    return bytes(output)
