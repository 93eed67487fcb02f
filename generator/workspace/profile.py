"""The profiles of both checkouts of an op, in one import."""

from .dlinfer_profile import DlinferProfile, probe_dlinfer
from .lmdeploy_profile import LmdeployProfile, probe_lmdeploy

__all__ = ["DlinferProfile", "LmdeployProfile", "probe_dlinfer", "probe_lmdeploy"]
