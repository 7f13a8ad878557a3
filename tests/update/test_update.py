"""Updates of a small project from a bare repository on this machine, with real git and no network."""

import sqlite3
import subprocess
from collections.abc import Callable
from contextlib import closing
from functools import partial
from pathlib import Path

import pytest
from typer.testing import CliRunner

from compression_subnet.cli import app
from compression_subnet.errors import CompressionSubnetError, ConfigurationError
from compression_subnet.update import Release, commands, newest, parse_tag
from compression_subnet.update.apply import Applied, apply_release, install, try_out
from compression_subnet.update.checkout import Checkout
from compression_subnet.update.releases import parse_tags

STORE = """
import sqlite3
class Store:
    def __init__(self, path):
        self._db = sqlite3.connect(path)
        if self._db.execute("SELECT count(*) FROM rounds").fetchone()[0] != 3:
            raise SystemExit("not the rounds that there were")
        self._db.execute("DROP TABLE rounds")
        self._db.commit()
    def __enter__(self):
        return self
    def __exit__(self, *error):
        self._db.close()
"""


def git(folder: Path, *arguments: str) -> str:
    identity = ("-c", "user.name=t", "-c", "user.email=t@example.invalid", "-c", "init.defaultBranch=main")
    command = ["git", *identity, "-C", str(folder), *arguments]
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout.strip()


class Project:
    """A remote with releases, and an operator's checkout of it."""

    def __init__(self, folder: Path):
        self.upstream, self.bare, self.folder = folder / "upstream", folder / "bare.git", folder / "checkout"
        for made in (self.upstream, self.bare):
            made.mkdir()
        git(self.upstream, "init", "-q")
        git(self.bare, "init", "-q", "--bare")
        git(self.upstream, "remote", "add", "origin", str(self.bare))
        self.publish("0.1.0", "v0.1.0")
        subprocess.run(["git", "clone", "-q", str(self.bare), str(self.folder)], check=True)
        self.installed: list[str] = []

    def publish(self, version: str, tag: str | None, files: dict[str, str] | None = None) -> str:
        """Commit a release, push it, and return the commit."""
        package = self.upstream / "compression_subnet"
        contents = {
            "compression_subnet/__init__.py": f'__version__ = "{version}"\n',
            "compression_subnet/cli.py": "",
            "compression_subnet/validator/__init__.py": "",
            "compression_subnet/validator/records/store.py": STORE,
            "neurons/validator.py": "",
            "neurons/miner.py": "",
            ".gitignore": "__pycache__\n",
        } | (files or {})
        for name, text in contents.items():
            (self.upstream / name).parent.mkdir(parents=True, exist_ok=True)
            (self.upstream / name).write_text(text)
        assert package.is_dir()
        git(self.upstream, "add", ".")
        git(self.upstream, "commit", "-q", "--allow-empty", "-m", version)
        if tag is not None:
            git(self.upstream, "tag", tag)
        git(self.upstream, "push", "-q", "origin", "HEAD:main", "--tags")
        return git(self.upstream, "rev-parse", "HEAD")

    def version(self) -> str:
        return (self.folder / "compression_subnet" / "__init__.py").read_text().split('"')[1]

    def install(self, folder: Path) -> None:
        assert folder == self.folder
        self.installed.append(self.version())

    def update(
        self, *, signed: bool = False, store: Path | None = None, install: Callable[[Path], None] | None = None
    ) -> Applied:
        checkout = Checkout(self.folder)
        releases = checkout.releases()
        release = newest(releases, self.version())
        assert release is not None
        return apply_release(
            checkout,
            release,
            releases[release],
            signed=signed,
            install=install or self.install,
            try_out=partial(try_out, store=store),
        )


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Project:
    for name in ("GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE"):
        monkeypatch.delenv(name, raising=False)
    return Project(tmp_path)


@pytest.mark.parametrize(
    "tag",
    ["1.2.3", "v1.2", "v1.2.3.4", "v1.2.3rc1", "v1.2.3-1", "v01.2.3", "main", "vv1.2.3", "v1.2.x", "v1.2.3\n", "", "v"],
)
def test_other_tags_are_no_releases(tag: str) -> None:
    assert parse_tag(tag) is None


def test_a_release_is_a_version_and_versions_are_ordered_by_number() -> None:
    assert parse_tag("v1.2.3") == Release(1, 2, 3)
    assert Release(0, 9, 9) < Release(0, 10, 0) < Release(1, 0, 0)
    assert (Release(1, 2, 3).tag, str(Release(1, 2, 3))) == ("v1.2.3", "1.2.3")


@pytest.mark.parametrize(
    ("installed", "found"),
    [
        ("0.1.0", Release(0, 10, 1)),
        ("0.10.0", Release(0, 10, 1)),
        ("0.10.1", None),
        ("0.10.1.dev3", None),
        ("2.0.0", None),
    ],
)
def test_only_what_is_newer_than_the_installed_is_taken(installed: str, found: Release | None) -> None:
    assert newest([Release(0, 10, 1), Release(0, 2, 0), Release(0, 9, 9)], installed) == found


def test_a_listing_gives_releases_with_their_objects_and_passes_over_the_rest() -> None:
    sha = "a" * 40
    listing = f"{sha}\trefs/tags/v1.0.0\n{sha}\trefs/tags/nightly\n{sha}\trefs/heads/v2.0.0\nnonsense\n"
    assert parse_tags(listing) == {Release(1, 0, 0): sha}


def test_an_update_checks_out_installs_and_tries_the_newest_release(project: Project) -> None:
    project.publish("0.2.0", "v0.2.0")
    commit = project.publish("0.3.0", "v0.3.0")
    project.publish("0.4.0", "v0.4.0rc1")
    project.publish("0.5.0", None)
    applied = project.update()
    assert (applied.release, applied.fault, applied.former.branch) == (Release(0, 3, 0), "", "main")
    assert git(project.folder, "rev-parse", "HEAD") == commit
    assert project.installed == ["0.3.0"]


def test_files_that_are_not_tracked_stay_and_do_not_hinder(project: Project) -> None:
    (project.folder / "validator.sqlite").write_bytes(b"a record")
    project.publish("0.2.0", "v0.2.0")
    assert project.update().fault == ""
    assert (project.folder / "validator.sqlite").read_bytes() == b"a record"


def test_a_changed_file_stops_it_before_anything_is_done(project: Project) -> None:
    project.publish("0.2.0", "v0.2.0")
    (project.folder / "neurons" / "miner.py").write_text("# mine\n")
    with pytest.raises(ConfigurationError, match=r"1 tracked files were changed, the first neurons/miner\.py"):
        project.update()
    assert project.version() == "0.1.0"
    assert (project.folder / "neurons" / "miner.py").read_text() == "# mine\n"


BROKEN = {
    "it cannot be imported": {"compression_subnet/__init__.py": '__version__ = "0.2.0"\nimport nothing'},
    "its command line fails": {"compression_subnet/cli.py": "raise SystemExit('no')"},
    "its validator does not start": {"neurons/validator.py": "import nothing_of_that_name"},
    "its miner does not start": {"neurons/miner.py": "1 / 0"},
}


@pytest.mark.parametrize("kind", BROKEN)
def test_a_release_that_does_not_work_is_taken_back(project: Project, kind: str) -> None:
    before = git(project.folder, "rev-parse", "HEAD")
    project.publish("0.2.0", "v0.2.0", BROKEN[kind])
    applied = project.update()
    assert applied.fault
    assert git(project.folder, "rev-parse", "HEAD") == before
    assert git(project.folder, "rev-parse", "--abbrev-ref", "HEAD") == "main"
    assert project.version() == "0.1.0"
    assert project.installed[-1] == "0.1.0"
    assert Checkout(project.folder).changes() == []


def test_a_tag_that_holds_another_version_is_taken_back(project: Project) -> None:
    project.publish("0.1.9", "v0.2.0")
    assert project.update().fault == "tag v0.2.0 holds version 0.1.9"
    assert project.version() == "0.1.0"


def test_what_cannot_be_installed_is_taken_back(project: Project) -> None:
    project.publish("0.2.0", "v0.2.0")

    def fails(folder: Path) -> None:
        project.install(folder)
        if project.version() == "0.2.0":
            raise CompressionSubnetError("no such version of torch")

    applied = project.update(install=fails)
    assert applied.fault == "no such version of torch"
    assert project.installed == ["0.2.0", "0.1.0"]


def test_where_going_back_fails_too_the_operator_is_told_what_to_do(project: Project) -> None:
    project.publish("0.2.0", "v0.2.0")

    def fails(folder: Path) -> None:
        raise CompressionSubnetError("the disk is full")

    with pytest.raises(ConfigurationError, match=r"git checkout main && pip install -c constraints\.txt -e \."):
        project.update(install=fails)
    assert project.version() == "0.1.0"


@pytest.fixture
def store(project: Project) -> Path:
    path = project.folder / "validator.sqlite"
    with closing(sqlite3.connect(path)) as db:
        db.execute("PRAGMA journal_mode = WAL")
        db.execute("CREATE TABLE rounds (number INTEGER)")
        db.executemany("INSERT INTO rounds VALUES (?)", [(1,), (2,), (3,)])
        db.commit()
    return path


def test_the_record_is_opened_as_a_copy_and_left_as_it_is(project: Project, store: Path) -> None:
    project.publish("0.2.0", "v0.2.0")
    assert project.update(store=store).fault == ""
    with closing(sqlite3.connect(store)) as db:
        assert db.execute("SELECT count(*) FROM rounds").fetchone() == (3,)
    assert list(store.parent.glob(".update-*")) == []


def test_a_release_that_cannot_open_the_record_is_taken_back(project: Project, store: Path) -> None:
    with closing(sqlite3.connect(store)) as db:
        db.execute("DELETE FROM rounds WHERE number = 1")
        db.commit()
    project.publish("0.2.0", "v0.2.0")
    assert "not the rounds that there were" in project.update(store=store).fault
    assert project.version() == "0.1.0"


def test_a_tag_that_was_moved_is_refused(project: Project) -> None:
    project.publish("0.2.0", "v0.2.0")
    git(project.folder, "fetch", "-q", "--tags")
    project.publish("0.2.0", None, {"neurons/miner.py": "# something else"})
    git(project.upstream, "tag", "-f", "v0.2.0")
    git(project.upstream, "push", "-q", "-f", "origin", "v0.2.0")
    with pytest.raises(ConfigurationError, match=r"clobber|v0\.2\.0"):
        project.update()
    assert project.version() == "0.1.0"


def test_an_unsigned_tag_is_refused_where_signatures_are_asked_for(project: Project) -> None:
    project.publish("0.2.0", "v0.2.0")
    with pytest.raises(ConfigurationError, match="git verify-tag"):
        project.update(signed=True)
    assert project.version() == "0.1.0"


def test_what_is_no_checkout_and_a_remote_that_is_gone_are_named(project: Project, tmp_path: Path) -> None:
    with pytest.raises(ConfigurationError, match="no git checkout"):
        Checkout(tmp_path)
    with pytest.raises(ConfigurationError, match="git ls-remote"):
        Checkout(project.folder, "nowhere").releases()


def test_pips_failure_is_an_error_of_ours(tmp_path: Path) -> None:
    with pytest.raises(CompressionSubnetError, match="pip install"):
        install(tmp_path)


def call(*arguments: str) -> tuple[int, str]:
    result = CliRunner().invoke(app, ["update", *arguments])
    return result.exit_code, " ".join(result.output.split())


@pytest.fixture
def installed_from(project: Project, monkeypatch: pytest.MonkeyPatch) -> Project:
    """The package as if it were installed from the project's checkout."""
    monkeypatch.setattr(commands, "package_file", str(project.folder / "compression_subnet" / "__init__.py"))
    monkeypatch.setattr(commands, "__version__", "0.1.0")
    monkeypatch.setattr("compression_subnet.update.apply.install", lambda folder, extras: project.install(folder))
    return project


def test_the_command_wants_to_know_what_to_do() -> None:
    for arguments in ([], ["--check", "--apply"]):
        status, said = call(*arguments)
        assert status == 2
        assert "either --check or --apply" in said


def test_the_command_says_what_there_is_and_changes_nothing(installed_from: Project) -> None:
    assert call("--check") == (0, "0.1.0 is the newest release")
    installed_from.publish("0.2.0", "v0.2.0")
    assert call("--check") == (1, "0.2.0 is available, 0.1.0 is installed")
    assert installed_from.version() == "0.1.0"


def test_the_command_applies_the_newest_release(installed_from: Project) -> None:
    assert call("--apply") == (0, "0.1.0 is the newest release")
    installed_from.publish("0.2.0", "v0.2.0")
    status, said = call("--apply", "--extra", "reader")
    assert status == 0
    assert said.startswith("0.2.0 is installed; back to what was before: git checkout main")
    assert (installed_from.version(), installed_from.installed) == ("0.2.0", ["0.2.0"])


def test_the_command_says_that_it_took_a_release_back(installed_from: Project) -> None:
    installed_from.publish("0.2.0", "v0.2.0", BROKEN["its miner does not start"])
    status, said = call("--apply")
    assert status == 1
    assert "0.2.0 does not work here" in said and "main is installed as before" in said
    assert installed_from.version() == "0.1.0"
