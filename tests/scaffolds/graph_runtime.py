"""Runs the three methods of a graph file on a CPU, with stand-ins for lmdeploy's classes."""

from __future__ import annotations

import sys
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

MAX_BATCHES, NUM_BLOCKS = 8, 4


@dataclass
class CudaGraphMeta:
    """lmdeploy's `CudaGraphMeta`, as far as graph files read it."""

    max_batchs: int
    max_tokens: int
    num_blocks: int
    device: Any = None
    input_buffers: Any = None
    vocab_size: int = 100
    is_decoding: bool = True
    is_ssm: bool = True
    use_mrope: bool = True


class Graph:
    """A captured graph: made once, then filled and updated for every step.

    Args:
        path: the graph file.
        torch: the module that it gets as `torch`.
        max_tokens: more than `MAX_BATCHES` for speculative decoding.
    """

    def __init__(self, path: Path, torch: Any, max_tokens: int = MAX_BATCHES, **flags: bool):
        self.torch = torch
        self.context = SimpleNamespace(moe_metadata=SimpleNamespace(x_active_mask=None))
        self.mixin = _load(path, torch, lambda: self.context)
        self.meta = CudaGraphMeta(MAX_BATCHES, max_tokens, NUM_BLOCKS, **flags)
        self.meta.input_buffers = self.mixin.make_buffers_cudagraph(self.mixin, self.meta)

    def step(self, batch: int, *, tokens: int | None = None, **fields: dict[str, Any]) -> tuple[dict, Any, Any]:
        """Fill and update for one step; returns the model's inputs, the attention metadata and the step context.

        Args:
            tokens: of the step, by default one for each sequence.
            fields: `attn`, `moe`, `context` and `kwargs`: what is set on the metadata, and forward arguments.
        """
        torch, count = self.torch, tokens or batch
        attn = SimpleNamespace(
            block_offsets=torch.ones(batch, 2),
            q_start_loc=torch.arange(batch + 1),
            q_seqlens=torch.ones(batch),
            kv_seqlens=torch.ones(batch),
            kv_start_indices=_starts(torch, self.meta, count),
            cache_seqlens=torch.ones(batch),
            is_multi_token_decoding=count != batch,
            **fields.get("attn", {}),
        )
        moe = SimpleNamespace(**{"x_active_mask": None, **fields.get("moe", {})})
        self.context.__dict__.clear()
        self.context.__dict__.update(moe_metadata=moe, **fields.get("context", {}))
        kwargs = {"state_ids": torch.arange(batch), "mrope_position_ids": torch.ones(3, count)}
        kwargs |= fields.get("kwargs", {})
        given = (torch.ones(1, count), torch.ones(1, count), [], attn, None)
        inputs = self.mixin.fill_buffers_cudagraph(self.mixin, self.meta, *given, **kwargs)
        self.mixin.update_context_cudagraph(self.mixin, self.meta, self.context)
        return inputs, attn, self.context


def _starts(torch, meta: CudaGraphMeta, count: int):
    """One for each token; MACA wants them in a column."""
    flat = len(meta.input_buffers["kv_start_indices"].size()) == 1
    return torch.ones(count) if flat else torch.ones(count, 1)


class _Anything:
    """Stands for whatever a file only mentions: annotations, base classes, other modules' functions."""

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        return _Anything()

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        return args[0] if len(args) == 1 and callable(args[0]) else _Anything()

    def __getitem__(self, index: Any) -> Any:
        return self

    def __mro_entries__(self, bases: tuple) -> tuple:
        return ()


def _load(path: Path, torch: Any, context) -> Any:
    """The mixin class that the file has patched."""

    class CudaGraphMixin:
        pass

    cudagraph = _module("lmdeploy.pytorch.models.utils.cudagraph", CudaGraphMixin=CudaGraphMixin)
    cudagraph.CudaGraphMeta, cudagraph.next_power_of_2 = CudaGraphMeta, _next_power_of_2
    manager = SimpleNamespace(current_context=context)
    inputs = _module("lmdeploy.pytorch.model_inputs", get_step_ctx_manager=lambda: manager)
    file = ModuleType("graph_file")
    known = {m.__name__: m for m in (cudagraph, inputs, file)}
    with _modules(torch, known):
        exec(compile(path.read_bytes(), str(path), "exec"), vars(file))
    return CudaGraphMixin


def _next_power_of_2(n: int) -> int:
    return 1 << (n - 1).bit_length()


def _module(name: str, **names: Any) -> ModuleType:
    module = ModuleType(name)
    module.__path__ = []
    module.__dict__.update(names)
    module.__getattr__ = lambda _: _Anything()
    return module


@contextmanager
def _modules(torch: Any, known: dict[str, ModuleType]):
    """Everything that a graph file imports: torch as given, the known ones, and empty ones for the rest."""
    names = ["lmdeploy", "lmdeploy.utils", "lmdeploy.pytorch", "lmdeploy.pytorch.config", "lmdeploy.pytorch.models"]
    names += ["lmdeploy.pytorch.models.utils", "lmdeploy.pytorch.backends", "lmdeploy.pytorch.backends.graph_runner"]
    names += ["torch_npu", "packaging", "packaging.version"]
    stand_ins = {name: _module(name) for name in names} | known | {"torch": torch}
    if type(torch).__name__ == "module" and not hasattr(torch, "profiler"):
        torch.__getattr__ = lambda _: _Anything()
        stand_ins["torch.profiler"] = _module("torch.profiler")
    before = {name: sys.modules.get(name) for name in stand_ins}
    sys.modules.update(stand_ins)
    try:
        yield
    finally:
        for name, module in before.items():
            if module is None:
                sys.modules.pop(name, None)
            else:
                sys.modules[name] = module
