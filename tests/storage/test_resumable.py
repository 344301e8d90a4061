"""Files that grow: what is kept of a stopped run, and whatever may have happened to it since."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from geceval.errors import GecevalError
from geceval.extraction import runs
from geceval.extraction.files import Counts, ExtractionSettings, annotate_files
from geceval.formats import open_output
from geceval.storage.resumable import PartError, PartialFile
from mutations import mutations

PLAIN = ExtractionSettings(lang="plain")
N_PAIRS = 40


@pytest.fixture
def stopped(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[Path]:
    """A pair of files, of which a run has done a part and was stopped."""
    monkeypatch.setattr(runs, "CHUNK_TOKENS", 40)
    paths = [tmp_path / "src.txt", tmp_path / "cor.txt"]
    paths[0].write_text("".join(f"The cat {n} sat on mat .\n" for n in range(N_PAIRS)))
    paths[1].write_text("".join(f"The cats {n} sit on the mat .\n" for n in range(N_PAIRS)))
    annotate_files(paths, tmp_path / "expected.m2", settings=PLAIN, format="parallel")

    def stop(finished: Iterator[int], total: Callable[[], int | None], done: int) -> Iterator[int]:
        assert done == 0
        for number in finished:
            assert total() == N_PAIRS
            yield number
            if number > 12:
                raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        annotate_files(paths, tmp_path / "o.m2", settings=PLAIN, format="parallel", progress=stop)
    return paths


def resumed(paths: list[Path]) -> str | bytes:
    """Resume a run; return what came out, or what was said."""
    target = paths[0].with_name("o.m2")
    try:
        annotate_files(paths, target, settings=PLAIN, format="parallel", resume=True)
    except GecevalError as error:
        return str(error)
    return target.read_bytes()


def put_back(kept: dict[Path, bytes]) -> None:
    for path in next(iter(kept)).parent.glob("o.m2*"):
        path.unlink()
    for path, data in kept.items():
        path.write_bytes(data)


@pytest.mark.parametrize("name", ["o.m2.part", "o.m2.part.json"])
def test_partial_altered_files_are_never_published(stopped: list[Path], name: str) -> None:
    """Whatever is changed is refused with one sentence, or makes no difference."""
    folder = stopped[0].parent
    expected = (folder / "expected.m2").read_bytes()
    kept = {path: path.read_bytes() for path in folder.glob("o.m2*")}
    text = kept[folder / name].decode()
    n_refused = 0
    letters = '0123456789{}[]",: aN\ud800\x00é'
    for spoiled in mutations(text, letters=letters, n=400):
        put_back(kept)
        (folder / name).write_bytes(spoiled.encode("utf-8", "surrogatepass"))
        found = resumed(stopped)
        if isinstance(found, bytes):
            assert found == expected
        else:
            n_refused += 1
            assert found.startswith(str(folder / "o.m2.part")), found
            assert found.endswith("begin anew with --restart"), found
            assert not (folder / "o.m2").exists()
    assert n_refused > 300
    put_back(kept)
    assert resumed(stopped) == expected


def test_partial_forged_states_are_refused(stopped: list[Path]) -> None:
    """Also those that have the right seal."""
    from geceval.storage.resumable import _seal

    path = stopped[0].with_name("o.m2.part.json")
    record = json.loads(path.read_text())
    del record["seal"]
    counts = record["note"]
    changes: list[dict[str, object]] = [
        {"made_from": []},
        {"made_from": {"the settings": 1}},
        {"bytes": -1},
        {"bytes": True},
        {"bytes": 1.0},
        {"checksum": None},
        {"note": [1]},
        {"note": {}},
        {"note": {**counts, "sentences": -1}},
        {"note": {**counts, "sentences": "12"}},
        {"note": {**counts, "types": 3}},
        {"note": {**counts, "types": {"R:SPELL": None}}},
        {"note": {**counts, "lost": []}},
        {"note": {**counts, "more": 1}},
    ]
    for change in changes:
        forged = {**record, **change}
        path.write_text(json.dumps({**forged, "seal": _seal(forged)}))
        found = resumed(stopped)
        assert isinstance(found, str), change
        assert "part.json is damaged; begin anew with --restart" in found


def test_partial_counts_of_a_record() -> None:
    counts = Counts(sentences=3, edits=2)
    counts.types["R:SPELL"] += 2
    assert Counts.restore(json.loads(json.dumps(counts.record()))) == counts


def test_partial_progress_begins_where_the_run_was_resumed(stopped: list[Path]) -> None:
    state = json.loads(stopped[0].with_name("o.m2.part.json").read_text())
    n_done = state["note"]["sentences"]
    seen: list[int] = []

    def progress(
        finished: Iterator[int], total: Callable[[], int | None], done: int
    ) -> Iterator[int]:
        assert done == n_done
        for number in finished:
            assert total() == N_PAIRS
            seen.append(number)
            yield number

    target = stopped[0].with_name("o.m2")
    annotate_files(
        stopped, target, settings=PLAIN, format="parallel", resume=True, progress=progress
    )
    assert 0 < n_done < N_PAIRS
    assert seen == list(range(n_done, N_PAIRS))


@pytest.mark.parametrize("name", ["gold.m2", "gold.jsonl", "gold.m2.gz", "gold.xml"])
def test_partial_progress_knows_the_total_of_a_corpus(stopped: list[Path], name: str) -> None:
    """Where it has lines, by which the total is estimated; XML has none."""
    folder = stopped[0].parent
    annotate_files(stopped, folder / name, settings=PLAIN, format="parallel")
    totals: list[int | None] = []

    def progress(
        finished: Iterator[int], total: Callable[[], int | None], done: int
    ) -> Iterator[int]:
        assert done == 0
        for number in finished:
            totals.append(total())
            yield number

    annotate_files([folder / name], folder / "again.m2", settings=PLAIN, progress=progress)
    if name == "gold.xml":
        assert totals == [None] * N_PAIRS
    else:
        # Headers and blank lines weigh most at the beginning.
        assert totals[0] == pytest.approx(N_PAIRS, rel=0.3)
        assert totals[-1] == N_PAIRS


class Disk:
    """Notes what is put on the disk and what is renamed, in order."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.events: list[tuple[str, str]] = []
        fsync, replace = os.fsync, os.replace

        def noted_fsync(handle: int) -> None:
            self.events.append(("sync", Path(os.readlink(f"/proc/self/fd/{handle}")).name))
            fsync(handle)

        def noted_replace(source: os.PathLike[str], target: os.PathLike[str]) -> None:
            self.events.append(("rename", Path(source).name))
            replace(source, target)

        monkeypatch.setattr(os, "fsync", noted_fsync)
        monkeypatch.setattr(os, "replace", noted_replace)


def test_partial_is_on_the_disk_before_the_state_says_so(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with PartialFile(tmp_path / "a", {}, resume=False) as part:
        disk = Disk(monkeypatch)
        part.append("text", {})
        folder = ("sync", tmp_path.name)
        state = [("sync", "a.part.new"), ("rename", "a.part.new"), folder]
        assert disk.events == [("sync", "a.part"), *state]
        disk.events.clear()
        part.publish()
        assert disk.events == [("sync", "a.part"), ("rename", "a.part"), folder]


@pytest.mark.parametrize("name", ["a.txt", "a.gz", "a.zst"])
def test_outputs_are_on_the_disk_before_they_have_their_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    disk = Disk(monkeypatch)
    with open_output(tmp_path / name) as out:
        out.write("text")
    (synced, temporary), (renamed, again), folder = disk.events
    assert (synced, renamed, folder) == ("sync", "rename", ("sync", tmp_path.name))
    assert temporary == again
    assert temporary.startswith(f".{name}.")


def test_outputs_that_cannot_be_put_on_the_disk(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "a").write_text("old")

    def refuse(_: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", refuse)
    with (
        pytest.raises(GecevalError, match="a: cannot be written: no space left on device"),
        open_output(tmp_path / "a") as out,
    ):
        out.write("new")
    assert [(path.name, path.read_text()) for path in tmp_path.iterdir()] == [("a", "old")]


@pytest.mark.parametrize("resume", [True, False])
def test_partial_state_of_a_complete_file_is_ignored(tmp_path: Path, resume: bool) -> None:
    """A run may be killed between its last two steps: the file has its name, but a state, too."""
    target = tmp_path / "out.m2"
    with PartialFile(target, {"source": "a"}, resume=False) as part:
        part.append("done\n", {"sentences": 1})
        state = tmp_path.joinpath("out.m2.part.json").read_bytes()
        part.publish()
    tmp_path.joinpath("out.m2.part.json").write_bytes(state)
    with PartialFile(target, {"source": "a"}, resume=resume) as part:
        assert part.n_bytes == 0
        assert part.saved is None
    assert [path.name for path in tmp_path.iterdir()] == ["out.m2"]
    assert target.read_text() == "done\n"


def test_partial_that_lost_its_content_is_refused(tmp_path: Path) -> None:
    target = tmp_path / "out.m2"
    target.write_text("an older file\n")
    with PartialFile(target, {"source": "a"}, resume=False) as part:
        part.append("done\n", {"sentences": 1})
    tmp_path.joinpath("out.m2.part").write_bytes(b"")
    with pytest.raises(PartError, match="some of it is missing"):
        PartialFile(target, {"source": "a"}, resume=True)


def test_partial_says_how_far_a_run_got(tmp_path: Path) -> None:
    with PartialFile(tmp_path / "a", {}, resume=False) as part:
        part.append("text", {"sentences": 1234})
    with pytest.raises(PartError, match=r"\(1,234 sentences\)"):
        PartialFile(tmp_path / "a", {}, resume=False)
    with PartialFile(tmp_path / "a", {}, resume=False, restart=True) as part:
        assert part.saved is None
        part.append("text", {})
    with pytest.raises(PartError, match=r"\(4 bytes\)"):
        PartialFile(tmp_path / "a", {}, resume=False)
    with PartialFile(tmp_path / "a", {}, resume=True) as part:
        assert part.saved == {}
