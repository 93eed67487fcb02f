"""A name in lmdeploy that a patch is to replace."""

import pytest

from generator.errors import ScaffoldError
from generator.survey.bind import bind
from generator.survey.shelf import Shelf
from generator.survey.target_calls import own_calls
from generator.survey.targets import find_target, importers, lmdeploy_symbols
from generator.workspace.checkout import recognise

FILES = {
    "lmdeploy/__init__.py": "",
    "lmdeploy/pytorch/__init__.py": "",
    "lmdeploy/pytorch/engine/__init__.py": "from .cache import Cache, make\n",
    "lmdeploy/pytorch/engine/cache.py": """\
class Base:
    def shape(self, n, scale=1):
        return n

    @property
    def size(self):
        return 1


class Cache(Base):
    def __init__(self, blocks, *, device="cpu"):
        self.blocks = blocks

    @classmethod
    def allocate(cls, blocks: int, device: str = "cpu"):
        return cls(blocks, device=device)

    @staticmethod
    def align(size, to):
        return size

    async def swap(self, ids):
        return self.shape(3, scale=2)

    async def stream(self):
        yield 1


class Small(Cache):
    def __init__(self):
        super().__init__(4, device="npu")


def make(kind, count=1):
    return Cache(count)
""",
    "lmdeploy/pytorch/engine/user.py": """\
import other

from .cache import Cache
from .cache import make as build


def use(cache):
    build("a", count=2)
    Cache.allocate(4, device="npu")
    Cache.align(1, 2)
    cache.swap([1])
    other.swap(1, 2, 3)
    return Cache(2, device="npu")


def late():
    from .cache import make
    return make("b")
""",
    "lmdeploy/pytorch/engine/shadow.py": (
        "from .cache import Cache\n\n\nclass Cache(Cache):\n    def own(self):\n        pass\n"
    ),
    "lmdeploy/pytorch/engine/other.py": "class Other:\n    def shape(self):\n        return self.shape()\n",
}


@pytest.fixture(scope="module")
def shelf(tmp_path_factory):
    root = tmp_path_factory.mktemp("targets") / "lmdeploy"
    for path, text in FILES.items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text(text)
    return Shelf.of(recognise(root))


@pytest.fixture(scope="module")
def symbols(shelf):
    return lmdeploy_symbols(shelf)


@pytest.mark.parametrize(
    ("text", "dotted", "kind"),
    [
        ("lmdeploy.pytorch.engine.cache.Cache.allocate", "lmdeploy.pytorch.engine.cache.Cache.allocate", "method"),
        ("lmdeploy.pytorch.engine.make", "lmdeploy.pytorch.engine.make", "function"),
        ("cache.Cache", "lmdeploy.pytorch.engine.cache.Cache", "class"),
        ("Cache.allocate", "lmdeploy.pytorch.engine.cache.Cache.allocate", "method"),
        ("cache.Cache.shape", "lmdeploy.pytorch.engine.cache.Cache.shape", "method"),
        ("user.build", "lmdeploy.pytorch.engine.user.build", "function"),
    ],
)
def test_found_in_full_or_from_a_modules_name_on(symbols, shelf, text, dotted, kind):
    target = find_target(symbols, shelf, text)
    assert (target.dotted, target.kind, target.path) == (dotted, kind, "lmdeploy/pytorch/engine/cache.py")


def test_a_class_that_shadows_its_base(symbols, shelf):
    target = find_target(symbols, shelf, "shadow.Cache.own")
    assert (target.path, target.line) == ("lmdeploy/pytorch/engine/shadow.py", 5)


def test_what_it_is(symbols, shelf):
    def find(text):
        return find_target(symbols, shelf, text)

    assert find("Cache.allocate").binding == "classmethod"
    assert find("Cache.align").binding == "staticmethod"
    assert find("Base.size").binding == "property"
    assert find("Cache.swap").is_coroutine and not find("Cache.stream").is_coroutine
    assert str(find("cache.Cache").signature) == '(self, blocks, *, device="cpu")'


@pytest.mark.parametrize(
    ("text", "near"),
    [
        ("cache.Cache.alocate", "`cache.Cache.allocate`"),
        ("lmdeploy.pytorch.engine.cache.Cach", "`lmdeploy.pytorch.engine.cache.Cache`"),
        ("lmdeploy.pytorch.engine.cache", "name a function, class or method in it"),
        ("nothing.like.it", "look it up"),
        ("a b", "package.module.Class.method"),
    ],
)
def test_missing_names_the_nearest(symbols, shelf, text, near):
    with pytest.raises(ScaffoldError) as error:
        find_target(symbols, shelf, text)
    assert near in error.value.next and error.value.exit_code == 2


def test_who_copied_the_name(symbols, shelf):
    found = importers(symbols, shelf, find_target(symbols, shelf, "cache.make"))
    assert [(i.path.rpartition("/")[2], i.name) for i in found] == [("__init__.py", "make"), ("user.py", "build")]
    assert importers(symbols, shelf, find_target(symbols, shelf, "Cache.allocate")) == []


@pytest.mark.parametrize(
    ("text", "calls"),
    [
        ("cache.make", ['build("a", count=2)', 'make("b")']),
        ("cache.Cache", ["Cache(count)", 'Cache(2, device="npu")']),
        ("Cache.__init__", ["Cache(count)", 'Cache(2, device="npu")', 'super().__init__(4, device="npu")']),
        ("Cache.allocate", ['Cache.allocate(4, device="npu")']),
        ("Cache.swap", ["cache.swap([1])"]),
        ("Base.shape", ["self.shape(3, scale=2)"]),
    ],
)
def test_lmdeploys_own_calls_bind(symbols, shelf, text, calls):
    target = find_target(symbols, shelf, text)
    found = own_calls(symbols, shelf, target)
    assert sorted(f"{o.call.callee}({o.call.args_text})" for o in found) == sorted(calls)
    signature = target.signature if target.kind == "function" else target.signature.without_self()
    assert all(bind(own.call, signature).problem is None for own in found)
