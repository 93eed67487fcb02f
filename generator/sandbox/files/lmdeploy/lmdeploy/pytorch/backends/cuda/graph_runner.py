# Copyright (c) scaffold. A sandbox counterpart in the form of lmdeploy, not its code.
from lmdeploy.pytorch.models.utils.cudagraph import CudaGraphMeta, next_power_of_2

from ..graph_runner import GraphRunner


class CUDAGraphRunner(GraphRunner):
    """Replays one graph for each size of batch."""

    def make_meta(self, batch_size: int, num_blocks: int) -> CudaGraphMeta:
        """What the buffers of a graph are made from."""
        max_batches = min(next_power_of_2(batch_size), self.cache_config.max_batches)
        return CudaGraphMeta(
            max_batchs=max_batches,
            max_tokens=max_batches,
            num_blocks=num_blocks,
            is_decoding=True,
            device=self.device,
            input_buffers=dict(),
            output_buffers=dict(),
            vocab_size=self.model_config.vocab_size,
            is_ssm=len(self.model_config.states_shapes) > 0,
            use_mrope=self.model_config.use_mrope,
        )
