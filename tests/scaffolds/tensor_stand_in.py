"""A stand-in for torch: dense tensors over Python lists, with the few operations that graph files use.

It stands in because torch is in no environment of the quick tests. Indexing gives views that share their storage, and
shapes must match when something is copied, as in torch; `tests/upstream/test_graph_on_torch.py` runs the same generated
files on the real one.
"""

from __future__ import annotations

from itertools import product
from types import ModuleType


class Tensor:
    """A view of a list: shape, strides and offset."""

    def __init__(self, storage, shape, strides=None, offset=0, dtype=None):
        self.storage, self.shape, self.offset, self.dtype = storage, tuple(shape), offset, dtype
        self.strides = tuple(strides) if strides is not None else _strides(self.shape)

    def size(self, dim=None):
        return self.shape if dim is None else self.shape[dim]

    def numel(self):
        return len(list(self._places()))

    def data_ptr(self):
        return (id(self.storage), self.offset)

    def dim(self):
        return len(self.shape)

    def tolist(self):
        def build(tensor):
            return [build(tensor[i]) for i in range(tensor.shape[0])] if tensor.shape else tensor.item()

        return build(self)

    def item(self):
        (only,) = self._places()
        return self.storage[only]

    def flatten(self):
        return Tensor([self.storage[p] for p in self._places()], (self.numel(),), dtype=self.dtype)

    def fill_(self, value):
        for place in self._places():
            self.storage[place] = value
        return self

    def zero_(self):
        return self.fill_(0)

    def random_(self, low, high):
        return self.fill_(low)

    def copy_(self, other):
        values = [other.storage[p] for p in other._places()]
        if other.shape != self.shape:
            if other.numel() != 1:
                raise RuntimeError(f"shape {other.shape} cannot be copied to {self.shape}")
            values = values * self.numel()
        for place, value in zip(list(self._places()), values, strict=True):
            self.storage[place] = value
        return self

    def new_zeros(self, *shape):
        return zeros(*shape)

    def __neg__(self):
        return Tensor([-v for v in self.storage], self.shape, self.strides, self.offset, self.dtype)

    def __mul__(self, factor):
        return Tensor([v * factor for v in self.storage], self.shape, self.strides, self.offset, self.dtype)

    def __getitem__(self, index):
        index = index if isinstance(index, tuple) else (index,)
        shape, strides, offset = [], [], self.offset
        for at, stride in enumerate(self.strides):
            one = index[at] if at < len(index) else slice(None)
            if isinstance(one, slice):
                start, stop, _ = one.indices(self.shape[at])
                shape.append(max(0, stop - start))
                strides.append(stride)
                offset += start * stride
            else:
                offset += (one + self.shape[at] if one < 0 else one) * stride
        return Tensor(self.storage, shape, strides, offset, self.dtype)

    def __setitem__(self, index, value):
        view = self[index]
        view.copy_(value) if isinstance(value, Tensor) else view.fill_(value)

    def _places(self):
        for index in product(*map(range, self.shape)):
            yield self.offset + sum(i * s for i, s in zip(index, self.strides, strict=True))


def _strides(shape):
    strides, step = [], 1
    for size in reversed(shape):
        strides.insert(0, step)
        step *= size
    return strides


def _shape(size):
    return tuple(size[0]) if len(size) == 1 and isinstance(size[0], tuple | list) else tuple(size)


def full(size, value, dtype=None, device=None):
    shape = _shape((size,))
    count = 1
    for n in shape:
        count *= n
    return Tensor([value] * count, shape, dtype=dtype)


def zeros(*size, dtype=None, device=None):
    return full(_shape(size), 0, dtype)


def ones(*size, dtype=None, device=None):
    return full(_shape(size), 1, dtype)


def arange(start, stop=None, dtype=None, device=None):
    values = list(range(start) if stop is None else range(start, stop))
    return Tensor(values, (len(values),), dtype=dtype)


def tensor(values, dtype=None):
    """A tensor of nested lists."""
    if not isinstance(values, list):
        return Tensor([values], (), dtype=dtype)
    rows = [tensor(v) for v in values]
    return Tensor([x for r in rows for x in r.storage], (len(rows), *(rows[0].shape if rows else ())), dtype=dtype)


def torch_module() -> ModuleType:
    """The module that a graph file imports as `torch`."""
    module = ModuleType("torch")
    module.__path__ = []
    for function in (full, zeros, ones, arange, tensor):
        setattr(module, function.__name__, function)
    module.Tensor = Tensor
    for name in ("int8", "int32", "int64", "bool", "float16", "float32", "bfloat16", "uint8"):
        setattr(module, name, name)
    return module
