"""Where a command finds its checkouts, and what it says when it does not."""

import os
from pathlib import Path

import pytest

from generator.errors import ScaffoldError
from generator.workspace.checkout import REPOS
from generator.workspace.find import find_workspace

OPS = ("lmdeploy", "dlinfer")


def clone(repo: str, root: Path) -> Path:
    """An empty checkout: just what a folder is recognised by."""
    spec = REPOS[repo]
    (root / spec.packages[0] / spec.sign).mkdir(parents=True)
    return root.resolve()


@pytest.fixture
def ws(tmp_path):
    """A workspace whose folders are not called like the repositories."""
    clone("lmdeploy", tmp_path / "ws/engine")
    clone("dlinfer", tmp_path / "ws/device")
    return tmp_path / "ws"


def find(cwd, need=OPS, env=None, **flags):
    """Look from `cwd`, never above the folder of the test: neighbouring tests have checkouts too."""
    home = next((p for p in (Path(cwd), *Path(cwd).parents) if p.name.startswith("test_")), Path(cwd))
    found = {k.replace("_", "-"): str(v) for k, v in flags.items()}
    return find_workspace(found, {"HOME": str(home)} | (env or {}), Path(cwd), need)


@pytest.mark.parametrize("cwd", ["", "engine", "device", "engine/lmdeploy/pytorch", "device/dlinfer/vendor"])
def test_found_by_contents_from_anywhere_in_the_workspace(ws, cwd):
    found = find(ws / cwd)
    assert found.roots == {"lmdeploy": (ws / "engine").resolve(), "dlinfer": (ws / "device").resolve()}
    assert found["lmdeploy"].package == (ws / "engine/lmdeploy").resolve()


@pytest.mark.parametrize("repo", REPOS)
def test_every_repository_has_a_flag_a_variable_and_a_key(tmp_path, repo):
    root = clone(repo, tmp_path / "far/away")
    cwd = tmp_path / "here"
    cwd.mkdir()
    home = {"HOME": str(tmp_path)}  # the walk ends here: neighbouring tests have checkouts too
    by_flag = find_workspace({repo: "../far/away"}, home, cwd, (repo,))
    by_env = find_workspace({}, home | {REPOS[repo].variable: str(root)}, cwd, (repo,))
    (cwd / "scaffold.toml").write_text(f'{repo} = "../far/away"\n')
    by_file = find_workspace({}, home, cwd, (repo,))
    assert by_flag.roots == by_env.roots == by_file.roots == {repo: root}


def test_flags_before_variables_before_file_before_the_walk(ws, tmp_path):
    roots = {name: clone("lmdeploy", tmp_path / name) for name in ("flag", "env", "file")}
    (ws / "scaffold.toml").write_text('lmdeploy = "../file"\n')
    env = {"SCAFFOLD_LMDEPLOY": str(roots["env"])}
    assert find(ws, env=env, lmdeploy=roots["flag"])["lmdeploy"].root == roots["flag"]
    assert find(ws, env=env)["lmdeploy"].root == roots["env"]
    assert find(ws)["lmdeploy"].root == roots["file"]
    assert find(ws)["dlinfer"].root == (ws / "device").resolve()


def test_a_named_workspace_is_the_only_place_looked_in(ws, tmp_path):
    other = tmp_path / "other"
    clone("lmdeploy", other / "lmdeploy")
    with pytest.raises(ScaffoldError, match="no dlinfer checkout found"):
        find(ws, workspace=other)
    found = find(ws, workspace=other, dlinfer=ws / "device")
    assert found["lmdeploy"].root == (other / "lmdeploy").resolve()


def test_the_file_is_found_from_below_and_is_relative_to_itself(ws, tmp_path):
    moved = tmp_path / "elsewhere"
    clone("dlinfer", moved)
    (ws / "scaffold.toml").write_text('dlinfer = "../elsewhere"\n[check]\nallow = []\n')
    assert find(ws / "engine/lmdeploy")["dlinfer"].root == moved.resolve()


def test_a_flag_may_name_a_folder_inside_the_checkout(ws, tmp_path):
    assert find(tmp_path, lmdeploy=ws / "engine/lmdeploy", dlinfer=ws / "device").roots == find(ws).roots


def test_the_nearest_workspace_wins_also_inside_a_checkout(ws):
    inner = ws / "engine/sandbox"
    clone("lmdeploy", inner / "a")
    clone("dlinfer", inner / "b")
    assert find(inner).roots == {"lmdeploy": (inner / "a").resolve(), "dlinfer": (inner / "b").resolve()}
    assert find(ws / "engine")["lmdeploy"].root == (ws / "engine").resolve()


def test_a_link_to_a_checkout_is_that_checkout(ws, tmp_path):
    linked = tmp_path / "linked"
    linked.mkdir()
    for name in ("engine", "device"):
        (linked / name).symlink_to(ws / name)
    assert find(linked).roots == find(ws).roots


def test_two_of_a_kind_are_not_guessed_between(ws):
    clone("lmdeploy", ws / "engine-old")
    with pytest.raises(ScaffoldError, match="more than one lmdeploy checkout: .*engine and .*engine-old") as error:
        find(ws)
    assert "--lmdeploy DIR" in error.value.next
    assert find(ws / "engine-old")["lmdeploy"].root == (ws / "engine-old").resolve()
    assert find(ws, lmdeploy=ws / "engine")["lmdeploy"].root == (ws / "engine").resolve()
    assert "lmdeploy" not in find(ws, need=("dlinfer",))


def test_what_is_missing_where_it_was_looked_for_and_how_to_tell(tmp_path):
    clone("lmdeploy", tmp_path / "a")
    with pytest.raises(ScaffoldError) as error:
        find(tmp_path / "a")
    text = f"{error.value.what} {error.value.next}"
    assert error.value.exit_code == 2
    for part in ("no dlinfer", str(tmp_path), "`dlinfer/vendor`", "--dlinfer", "SCAFFOLD_DLINFER", "scaffold.toml"):
        assert part in text


def test_a_named_folder_must_be_that_repository(ws):
    with pytest.raises(ScaffoldError, match="--dlinfer names no dlinfer checkout"):
        find(ws, dlinfer=ws / "engine")
    with pytest.raises(ScaffoldError, match="SCAFFOLD_LMDEPLOY names no folder"):
        find(ws, env={"SCAFFOLD_LMDEPLOY": "/no/such"})
    with pytest.raises(ScaffoldError, match="--workspace names no folder"):
        find(ws, workspace="nowhere")


def test_an_installed_package_is_no_checkout(tmp_path):
    site = tmp_path / "lib/python3.11/site-packages"
    clone("lmdeploy", site)
    with pytest.raises(ScaffoldError, match="no lmdeploy"):
        find(site, need=("lmdeploy",), env={"HOME": str(tmp_path)})


def test_the_walk_does_not_go_above_the_home_folder(ws):
    home = ws / "home"
    (home / "notes").mkdir(parents=True)
    assert find(home / "notes", env={"HOME": str(ws)}).roots == find(ws).roots
    with pytest.raises(ScaffoldError, match="no lmdeploy checkout found"):
        find(home / "notes", env={"HOME": str(home)})


def test_the_nearest_folder_with_a_checkout_is_the_workspace_even_if_it_lacks_one(ws):
    clone("lmdeploy", ws / "inner/lmdeploy")
    with pytest.raises(ScaffoldError, match="no dlinfer checkout found"):
        find(ws / "inner")


@pytest.mark.parametrize(
    "text, says",
    [("lmdeploy = [", "no TOML"), ("lmdeploy = 3", "must be a path"), ("workspace = ['a']", "must be a path")],
)
def test_a_broken_file_is_named(ws, text, says):
    (ws / "scaffold.toml").write_text(text)
    with pytest.raises(ScaffoldError, match=says) as error:
        find(ws)
    assert error.value.where == str(ws / "scaffold.toml")


def test_an_unlistable_folder_on_the_way_is_passed(ws, tmp_path):
    if os.geteuid() == 0:
        unlistable = (
            tmp_path / "ws/engine/gone"
        )  # root lists everything; a folder that vanished cannot be listed either
    else:
        unlistable = tmp_path / "ws/engine/closed"
        unlistable.mkdir(mode=0)
    assert find(unlistable).roots == find(ws).roots


def test_nothing_needed_gives_what_is_around(ws):
    assert find(ws, need=()).roots == find(ws).roots
