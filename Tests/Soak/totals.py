"""Compares counted totals with true totals. Each function yields a fact, and whether it holds."""
import json
import recordings

ENDS = ("completed", "skipped", "interrupted", "unfinished")


def run(result):
    """The accesses that were offered ended in one of the possible ways."""
    for load in result["runs"]:
        for name, client in load["clients"].items():
            ended = sum(client[key] for key in ENDS) + sum(client["errors"].values())
            yield (f"run: {name}: {client['offered']} offered, {ended} ended",
                   client["offered"] == ended)
        for invariant in load["invariants"]:
            yield f"run: invariant {invariant['name']}", invariant.get("passed") is True


def run_recording(result, path):
    """The recording of a run contains its result, and its last sample has the same counts."""
    yield "run: the recording contains the result", recordings.result(path) == result
    last = None
    for sample in recordings.samples(path):
        if sample["clients"]:
            last = sample
    for client in last["clients"]:
        total = result["runs"][0]["clients"][client["name"]]
        counts = client["counts"]
        differing = [f"{key} {counts[key]}, not {total[key]}"
                     for key in counts if counts[key] != total[key]]
        yield (f"run: {client['name']} in the recording: {', '.join(differing) or 'equal counts'}",
               not differing)


def commits(true, path, lines):
    """`record` and `top --follow` counted each commit of the writer once."""
    recorded = sum(report["wal"].get("commits", 0) for report in recordings.samples(path)
                   if report.get("wal"))
    with open(lines) as file:
        reports = [json.loads(line) for line in file]
    followed = sum(report["wal"].get("commits", 0) for report in reports if report.get("wal"))
    yield f"record: {recorded} commits, {true} committed", recorded == true
    yield f"top --follow: {followed} commits, {true} committed", followed == true


def events(client):
    """The client received the events that the agent counted, except those reported as lost."""
    missing = 0
    for kind, received, counted in client.rows():
        missing += counted - received
        yield f"agent: {kind}: {received} received, {counted} counted", 0 <= counted - received <= client.lost
    yield f"agent: {missing} events missing, {client.lost} reported as lost", missing <= client.lost
