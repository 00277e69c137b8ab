"""Finding and mending what a disk, a killed process or another program did to a store.

Nothing is deleted: whatever a repair replaces is first put into ``HOME/aside/<time>``. A run that another process works
on is not touched.
"""

from __future__ import annotations

import json
import re
import sqlite3
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import closing, suppress
from dataclasses import asdict
from pathlib import Path
from typing import Any, NamedTuple

import sqlalchemy as sa
from filelock import Timeout

from kernlab import paths
from kernlab.errors import StoreError
from kernlab.runs import layout, notes, record, tensors
from kernlab.runs.layout import METRICS, RECORDS, RUNS, SNAPSHOTS, Folder, as_stored
from kernlab.runs.record import Run
from kernlab.runs.store import Store

__all__ = ["Report", "Trouble", "check"]

_YOUNG = 60.0  # seconds in which a folder without a record may be one that is being made


class Trouble(NamedTuple):
    """One thing that is wrong."""

    run: str  # its id; empty where it is not one run's
    what: str  # the file or the column
    why: str
    repair: str  # what a repair does about it; empty where it can do nothing
    mended: bool  # the repair has been done


class Report(NamedTuple):
    """The result of a check."""

    store: Path  # the folder
    runs: int  # how many were checked
    troubles: list[Trouble]  # what is wrong, or was
    aside: Path | None  # the folder with what was replaced
    notes: list[str]  # sentences on the place of the store

    @property
    def whole(self) -> bool:
        """Nothing is wrong, or nothing any more."""
        return all(trouble.mended for trouble in self.troubles)


def check(root: Path | None = None, *, repair: bool = False) -> Report:
    """Check everything in the store, and mend what can be mended.

    Args:
        root: the folder of the store. Default: :func:`kernlab.paths.home`.
        repair: change the store; otherwise it is only read.

    Raises:
        StoreError: the store cannot be opened, or is in use by others while its database has to be replaced.
    """
    return _Check(Path(root) if root is not None else paths.home(), repair).report()


class _Check:
    def __init__(self, root: Path, repair: bool) -> None:
        self.root, self.repair = root, repair
        self.aside = root / "aside" / time.strftime("%Y%m%d-%H%M%S")
        self.troubles: list[Trouble] = []

    def report(self) -> Report:
        found: tuple[int, list[str]] = (0, [])
        if not self._database():
            found = self._runs()
        elif not self.repair:
            with suppress(StoreError):  # so damaged that nothing in it can be read, or in use
                found = self._runs()
        runs, notes = found
        return Report(self.root, runs, self.troubles, self.aside if self.aside.exists() else None, notes)

    def _found(
        self, run: str, what: str, why: object, repair: str = "", mend: Callable[..., None] | None = None, *about: Any
    ) -> bool:
        """Report a trouble; a repair mends it first, by ``mend(*about)``. Returns whether that was done."""
        mended, reason = False, str(why)
        if self.repair and mend:
            try:
                mend(*about)
                mended = True
            except (OSError, StoreError) as error:
                reason += f" (the repair failed: {error})"
        self.troubles.append(Trouble(run, what, reason, repair, mended))
        return mended

    def _set_aside(self, file: Path) -> None:
        """Move a file or folder out of the store."""
        to = self.aside / file.relative_to(self.root)
        to.parent.mkdir(parents=True, exist_ok=True)
        file.rename(to)

    def _execute(self, statement: sa.Executable, *replaced: Mapping[str, Any], table: sa.Table = RUNS) -> None:
        """Change the database; rows of the table that are replaced are kept as lines of JSON."""
        if replaced:
            self.aside.mkdir(parents=True, exist_ok=True)
            with open(self.aside / f"{table.name}.jsonl", "a", encoding="utf-8", errors="backslashreplace") as file:
                file.writelines(json.dumps(row, default=repr) + "\n" for row in replaced)
        with self.store.writing() as connection:
            connection.execute(statement)

    # -- the database

    def _database(self) -> bool:
        """Whether SQLite finds its file damaged, and no repair has replaced it."""
        path = self.root / "kernlab.db"
        if not path.exists():
            return False
        try:
            with closing(sqlite3.connect(f"file:{path}?mode=ro", uri=True)) as connection:
                found = [str(row[0]) for row in connection.execute("PRAGMA integrity_check(10)")]
        except sqlite3.OperationalError:
            return False  # it cannot be opened here, which the store says better
        except sqlite3.DatabaseError as error:
            found = [str(error)]
        if found == ["ok"]:
            return False
        repair = "what can be read of it is copied into a new database"
        return not self._found("", "kernlab.db", "; ".join(found), repair, self._rebuild)

    def _rebuild(self) -> None:
        """Put a new database in place of the old one, with every row of it that can be read."""
        path, fresh = self.root / "kernlab.db", self.root / "kernlab.db.new"
        for folder in (self.root / "runs").glob("*"):
            if not Folder(folder).abandoned():
                raise StoreError("no run may be under way while the database is replaced", folder.name, "stop it first")
        with closing(sqlite3.connect(path, timeout=1)) as old:
            try:
                # Merging the log needs the database for this connection alone, and so does BEGIN without a log.
                old.execute("PRAGMA journal_mode = DELETE")
                old.execute("BEGIN EXCLUSIVE")
            except sqlite3.OperationalError as error:
                if "locked" in str(error):
                    fix = "end the app and all other commands that use it"
                    raise StoreError("the database must not be in use while it is replaced", error, fix) from error
            except sqlite3.DatabaseError:
                pass
            old.text_factory = lambda raw: raw.decode(errors="replace")
            fresh.unlink(missing_ok=True)
            engine = sa.create_engine(f"sqlite:///{fresh}")
            layout.TABLES.create_all(engine)
            engine.dispose()
            with closing(sqlite3.connect(fresh)) as new:
                for table in layout.TABLES.sorted_tables:
                    names = [column.name for column in table.columns]
                    into = f"{table.name} ({', '.join(names)}) VALUES ({', '.join('?' * len(names))})"
                    new.executemany(f"INSERT OR IGNORE INTO {into}", _rows(old, table))  # ignored: half of a row
                new.execute(f"PRAGMA user_version = {layout.VERSION}")
                new.commit()
        for end in ("", "-wal", "-shm", "-journal"):
            if (file := path.with_name(path.name + end)).exists():
                self._set_aside(file)
        fresh.replace(path)

    # -- the runs

    def _runs(self) -> tuple[int, list[str]]:
        with Store(self.root) as store:
            if self.repair and store.refused:
                with store.writing():  # says why it cannot be written to
                    pass
            self.store = store
            back = self._folders()
            rows = store.rows(RECORDS)
            for row in rows:
                if layout.is_id(row["id"]):
                    self._run(row)
                else:
                    self._found(repr(row["id"]), "id", "it is not the id of a run", "its row is set aside",
                                self._execute, sa.delete(RUNS).where(RUNS.c.id == row["id"]), row)  # fmt: skip
            self._stray_rows(back)
            return len(rows), store.notes

    def _folders(self) -> set[str]:
        """Folders without a row: one with a copy of its record comes back as a run. Returns those runs' ids."""
        known, back = {row["id"] for row in self.store.rows(sa.select(RUNS.c.id))}, set()
        for path in sorted((self.root / "runs").iterdir()):
            if path.name in known or _young(path) or not Folder(path).abandoned():
                continue
            run = self._copy(path.name)
            if run and not run.damage and run.id == path.name:
                back.add(run.id)
                row = {name: value for name, value in asdict(run).items() if name != "damage"}
                self._found(path.name, "folder", "the database does not know this run", "it is entered again",
                            self._execute, sa.insert(RUNS).values(row))  # fmt: skip
            else:
                self._found(path.name, "folder", "the database does not know it, and it has no whole record.json",
                            "it is set aside", self._set_aside, path)  # fmt: skip
        for path in self.root.glob(f"{layout.IMPORTING}*"):
            if not _young(path):
                self._found("", path.name, "an import was broken off", "it is set aside", self._set_aside, path)
        return back

    def _copy(self, run_id: str) -> Run | None:
        """The second copy of a run's record, from its folder."""
        try:
            text = Folder(self.root / "runs" / run_id).record.read_text(encoding="utf-8")
            return record.read(json.loads(text)["run"])
        except (OSError, ValueError, LookupError, TypeError, AttributeError, RecursionError):
            return None

    def _run(self, row: dict[str, Any]) -> None:
        folder = self.store.folder(row["id"])
        lock = folder.lock()
        if self.repair:
            folder.path.mkdir(exist_ok=True)
            try:
                lock.acquire(timeout=1)
            except Timeout:  # a process works on it
                return
        elif not folder.abandoned():
            return
        try:
            self._record(row)
            self._files(self.store.get(row["id"]), folder)
        finally:
            lock.release()

    def _record(self, row: dict[str, Any]) -> None:
        """Columns that are wrong: taken from the copy in the folder, or without a copy from the other columns."""
        run = record.read(row)
        if not run.damage:
            return
        copy, values, repairs = self._copy(run.id), {}, []
        wrong = _names(run)
        for name in wrong:
            if copy and name not in _names(copy) and (copy.status != "damaged" or name != "status"):
                values[name], source = getattr(copy, name), "is taken from the copy in the run's folder"
            elif name == "spec":
                values[name] = run.resolved or run.summary.get("spec") or {}
                source = "is taken from what the training resolved it to"
            else:
                values[name] = {"status": "interrupted", "facts": {}}.get(name, getattr(run, name))
                source = f"becomes {json.dumps(values[name])}"
            repairs.append(f"{name} {source}")
        if row["status"] == "finished" and any(name in wrong and not values[name] for name in ("facts", "summary")):
            values["status"] = "interrupted"
            repairs.append("its status becomes interrupted: resumed, it makes them anew")
        if record.read({**row, **values}).damage:
            self._found(run.id, "record", "; ".join(run.damage))
        else:
            change = sa.update(RUNS).where(RUNS.c.id == row["id"]).values(values)
            self._found(run.id, "record", "; ".join(run.damage), "; ".join(repairs), self._execute, change, row)

    def _files(self, run: Run, folder: Folder) -> None:
        """Missing, truncated and left-over files of one run."""
        if run.damage:
            return
        done = run.status == "finished"
        for file in (folder.checkpoint, folder.static, folder.model):
            is_checkpoint = file == folder.checkpoint
            why, repair = _damage(file, is_checkpoint), "it is set aside"
            if not file.exists() and done and not is_checkpoint:
                why, repair = "the file is missing", "nothing is set aside"
            if not done and is_checkpoint:
                repair += "; resumed, the run begins at its start"
            elif done and not is_checkpoint:
                repair += "; the run becomes interrupted: resumed, it makes the file anew"
            if why:
                self._found(run.id, file.stem, why, repair, self._lose, run, file, done and not is_checkpoint)
        try:
            notes.read(folder.notes)
        except StoreError as error:
            self._found(run.id, folder.notes.name, error.given, "it is set aside", self._set_aside, folder.notes)
        self._snapshots(run.id, folder)
        for file in [*folder.path.glob("*.part"), *folder.path.glob("snapshots/*.part")]:
            self._found(run.id, file.name, "the writing of this file was broken off", "it is set aside",
                        self._set_aside, file)  # fmt: skip

    def _lose(self, run: Run, file: Path, again: bool) -> None:
        if file.exists():
            self._set_aside(file)
        if again:
            self._execute(sa.update(RUNS).where(RUNS.c.id == run.id).values(status="interrupted"))

    def _snapshots(self, run_id: str, folder: Folder) -> None:
        """Rows of snapshots without a file, and files without a row."""
        mine = SNAPSHOTS.c.run_id == run_id
        rows = {
            row["step"]: row
            for row in self.store.rows(as_stored(SNAPSHOTS).where(mine))
            if isinstance(row["step"], int)
        }
        for step, row in rows.items():
            file = folder.snapshot(step)
            if why := _damage(file) if file.exists() else "the file is missing":
                self._found(run_id, f"snapshot {step}", why, "it is set aside: the others are shown without it",
                            self._forget, file, row)  # fmt: skip
        known = {folder.snapshot(step).name for step in rows}
        for file in sorted(folder.path.glob("snapshots/*.safetensors")):
            if file.name in known:
                continue
            epoch = None
            with suppress(StoreError, FileNotFoundError):
                epoch = tensors.load(file, names=())[1].get("epoch")
            what, why = f"snapshot {file.stem}", "the database does not know this file"
            if isinstance(epoch, float | int) and re.fullmatch(r"\d{1,18}", file.stem):
                new = {"run_id": run_id, "step": int(file.stem), "epoch": float(epoch)}
                self._found(run_id, what, why, "it is entered again", self._execute, sa.insert(SNAPSHOTS).values(new))
            else:
                self._found(run_id, what, why, "it is set aside", self._set_aside, file)

    def _forget(self, file: Path, row: Mapping[str, Any]) -> None:
        if file.exists():
            self._set_aside(file)
        here = (SNAPSHOTS.c.run_id == row["run_id"]) & (SNAPSHOTS.c.step == row["step"])
        self._execute(sa.delete(SNAPSHOTS).where(here), row, table=SNAPSHOTS)

    def _stray_rows(self, back: set[str]) -> None:
        """Metrics and snapshots that belong to no run, or are not numbers."""
        kinds = {"step": ("integer",), "epoch": ("real", "integer"), "value": ("real", "integer", "null")}
        for table in (METRICS, SNAPSHOTS):
            lost = table.c.run_id.not_in(sa.select(RUNS.c.id)) & table.c.run_id.not_in(back)
            odd = sa.or_(*(sa.func.typeof(column).not_in(kinds[column.name])
                           for column in table.columns if column.name in kinds))  # fmt: skip
            for where, why in ((lost, "rows of runs that the database does not know"), (odd, "rows without numbers")):
                if rows := self.store.rows(as_stored(table).where(where)):
                    self._found("", table.name, f"{len(rows)} {why}", "they are set aside", self._set_rows_aside,
                                table, where, rows)  # fmt: skip

    def _set_rows_aside(self, table: sa.Table, where: sa.ColumnElement[bool], rows: list[dict[str, Any]]) -> None:
        self._execute(sa.delete(table).where(where), *rows, table=table)


def _young(path: Path) -> bool:
    """Whether a folder may be one that is being made; also after a clock was set back."""
    return abs(time.time() - path.stat().st_mtime) < _YOUNG


def _names(run: Run) -> list[str]:
    """The columns that are damaged."""
    return [re.split(r"\W", words)[0] for words in run.damage]


def _damage(file: Path, checkpoint: bool = False) -> str:
    """What is wrong with a file of arrays; empty where it is whole, or does not exist."""
    try:
        _, meta = tensors.load(file, names=())
    except FileNotFoundError:
        return ""
    except StoreError as error:
        return error.given
    except OSError as error:
        return str(error)
    why = record.checkpoint_damage(meta) if checkpoint else ""
    return why and f"its meta{why}"


def _rows(connection: sqlite3.Connection, table: sa.Table) -> Iterator[tuple[Any, ...]]:
    """Every row of a damaged table that can be read: those that cannot are skipped, by more and more at a time."""
    last, leap = -1, 1
    with suppress(sqlite3.DatabaseError):
        known = {row[1] for row in connection.execute(f"PRAGMA table_info({table.name})")}
        default = {column.name: getattr(column.server_default, "arg", "NULL") for column in table.columns}
        columns = ", ".join(name if name in known else f"{value} AS {name}" for name, value in default.items())
        while leap < 2**40:
            try:
                for row in connection.execute(
                    f"SELECT rowid, {columns} FROM {table.name} NOT INDEXED WHERE rowid > ? ORDER BY rowid", (last,)
                ):
                    last, leap = row[0], 1
                    yield row[1:]
                return
            except sqlite3.DatabaseError:
                last, leap = last + leap, 2 * leap
