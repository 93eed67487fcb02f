"""`vllm-register`: one plan for every list that a model has to be in."""
