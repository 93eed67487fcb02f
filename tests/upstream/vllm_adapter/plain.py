"""A decoder in plain torch, written from the papers and from nothing of vLLM or of this project's generator.

`<checkpoint>/plain/` holds its options, and its parameters under its own names; `logits` is what proofs compare with.
"""

import json
import math
from functools import lru_cache

import torch
import torch.nn.functional as F
from safetensors.torch import load_file


def logits(folder, ids, pixels=None):
    """Return the logits (tokens, vocabulary) of one sequence; its image tokens stand for `pixels`."""
    options, weights = _read(folder)
    decoder = Decoder(options, weights)
    return decoder.run(ids, None if pixels is None else look(folder, options, weights, pixels))


def look(folder, options, weights, pixels):
    """Return what the language model sees of an image: transformers' tower, and a projector of two layers."""
    from transformers import CLIPVisionConfig, CLIPVisionModel

    with open(f"{folder}/config.json") as file:
        tower = CLIPVisionModel(CLIPVisionConfig(**json.load(file)["vision_config"])).float().eval()
    tower.load_state_dict(load_file(f"{folder}/plain/tower.safetensors"))
    features = tower(pixels, output_hidden_states=True).hidden_states[-2][0, 1:]
    hidden = F.gelu(F.linear(features, weights["look1"], weights["look1.bias"]))
    return F.linear(hidden, weights["look2"], weights["look2.bias"])


@lru_cache(maxsize=4)
def _read(folder):
    with open(f"{folder}/plain/options.json") as file:
        return json.load(file), load_file(f"{folder}/plain/weights.safetensors")


def stretched(frequency, size, theta, factor, length, fast=32, slow=1):
    """Frequencies of YaRN (arXiv 2309.00071): slow ones divided by `factor`, fast ones kept, a ramp between."""

    def place(turns):
        return size * math.log(length / (turns * 2 * math.pi)) / (2 * math.log(theta))

    low, high = max(math.floor(place(fast)), 0), min(math.ceil(place(slow)), size - 1)
    ramp = ((torch.arange(len(frequency)) - low) / max(high - low, 0.001)).clamp(0, 1).double()
    return frequency * (1 - ramp) + frequency / factor * ramp


class Decoder:
    def __init__(self, options, weights):
        self.o, self.w = options, weights

    def linear(self, name, x):
        return F.linear(x, self.w[name], self.w.get(f"{name}.bias"))

    def norm(self, name, x):
        if self.o.get("layer_norm"):
            return F.layer_norm(x, x.shape[-1:], self.w[name], self.w.get(f"{name}.bias"), self.o["eps"])
        gain = self.w[name] + self.o.get("gain", 0)
        return x * torch.rsqrt(x.pow(2).mean(-1, keepdim=True) + self.o["eps"]) * gain

    def run(self, ids, seen=None):
        o = self.o
        x = self.w["embed"][ids.clamp(max=len(self.w["embed"]) - 1)] * o.get("embed_scale", 1)
        if seen is not None:
            x[ids == o["image_token"]] = seen
        for layer in range(o["layers"]):
            x = self.layer(f"{layer}.", layer, x)
        x = self.norm("final", x)
        out = self.linear("embed" if o.get("tied") else "head", x) * o.get("logit_scale", 1)
        cap = o.get("logit_cap")
        return torch.tanh(out / cap) * cap if cap else out

    def layer(self, p, number, x):
        o = self.o
        factor = o.get("residual_scale", 1)
        if o.get("parallel"):
            h = self.norm(p + "attn_pre", x)
            return x + factor * (self.attention(p, number, h) + self.feed(p, h))
        for half, part in (("attn", lambda h: self.attention(p, number, h)), ("mlp", lambda h: self.feed(p, h))):
            h = self.norm(f"{p}{half}_pre", x) if f"{p}{half}_pre" in self.w else x
            h = part(h)
            h = self.norm(f"{p}{half}_post", h) if f"{p}{half}_post" in self.w else h
            x = x + factor * h
        return x

    def rotate(self, x, number):
        """x: (tokens, heads, size); the first `rotary` of `size` are rotated."""
        o = self.o
        size = o.get("rotary", x.shape[-1])
        theta = o["thetas"][number] if "thetas" in o else o["theta"]
        frequency = theta ** (-torch.arange(0, size, 2).double() / size)
        if "yarn" in o:
            frequency = stretched(frequency, size, theta, **o["yarn"])
        angle = torch.outer(torch.arange(x.shape[0]).double(), frequency)[:, None]
        cos, sin = angle.cos().float(), angle.sin().float()
        part, rest = x[..., :size], x[..., size:]
        if o.get("pairs"):
            a, b = part[..., 0::2], part[..., 1::2]
            part = torch.stack([a * cos - b * sin, b * cos + a * sin], -1).flatten(-2)
        else:
            a, b = part[..., : size // 2], part[..., size // 2 :]
            part = torch.cat([a * cos - b * sin, b * cos + a * sin], -1)
        return torch.cat([part, rest], -1)

    def attention(self, p, number, h):
        o = self.o
        if o.get("latent"):
            return self.latent(p, number, h)
        size = o["head_dim"]
        q, k, v = (self.linear(p + n, h) for n in "qkv")
        if o.get("qk_norm") == "full":
            q, k = self.norm(p + "q_norm", q), self.norm(p + "k_norm", k)
        q, k, v = (t.view(len(h), -1, size) for t in (q, k, v))
        if o.get("qk_norm") == "head":
            q, k = self.norm(p + "q_norm", q), self.norm(p + "k_norm", k)
        q, k = self.rotate(q, number), self.rotate(k, number)
        out = self.softmax(q, k, v, o.get("scale", size**-0.5), o["windows"][number] if "windows" in o else None)
        return self.linear(p + "o", out)

    def softmax(self, q, k, v, scale, window):
        """q: (tokens, heads, size), k and v with as many heads or fewer; returns (tokens, heads * size)."""
        copies = q.shape[1] // k.shape[1]
        q, k, v = q.transpose(0, 1), k.transpose(0, 1), v.transpose(0, 1)
        k, v = (torch.stack([t] * copies, 1).flatten(0, 1) for t in (k, v))
        scores = torch.einsum("hqd,hkd->hqk", q, k) * scale
        cap = self.o.get("score_cap")
        scores = torch.tanh(scores / cap) * cap if cap else scores
        ago = torch.arange(q.shape[1])[:, None] - torch.arange(k.shape[1])[None]
        visible = (ago >= 0) & (ago < (window or math.inf))
        return torch.einsum("hqk,hkd->qhd", scores.masked_fill(~visible, -math.inf).softmax(-1), v).flatten(1)

    def latent(self, p, number, h):
        o = self.o
        nope, rope, value, heads = o["nope"], o["rope"], o["value"], o["heads"]
        q = (
            self.linear(p + "q_b", self.norm(p + "q_a_norm", self.linear(p + "q_a", h)))
            if p + "q_a" in self.w
            else self.linear(p + "q", h)
        )
        q = q.view(len(h), heads, nope + rope)
        both = self.linear(p + "kv_a", h)
        compressed, shared = both[:, :-rope], both[:, -rope:].unsqueeze(1)
        k_v = self.linear(p + "kv_b", self.norm(p + "kv_a_norm", compressed)).view(len(h), heads, nope + value)
        q = torch.cat([q[..., :nope], self.rotate(q[..., nope:], number)], -1)
        k = torch.cat([k_v[..., :nope], self.rotate(shared, number).expand(-1, heads, -1)], -1)
        return self.linear(p + "o", self.softmax(q, k, k_v[..., nope:], o["scale"], None))

    def feed(self, p, h):
        if p + "router" in self.w:
            return self.experts(p, h)
        return self.mlp(p, h)

    def activate(self, x):
        return {
            "silu": F.silu,
            "gelu": F.gelu,
            "gelu_tanh": lambda t: F.gelu(t, approximate="tanh"),
            "relu2": lambda t: F.relu(t) ** 2,
        }[self.o.get("act", "silu")](x)

    def mlp(self, p, h):
        if p + "gate" not in self.w:
            return self.linear(p + "down", self.activate(self.linear(p + "up", h)))
        return self.linear(p + "down", self.activate(self.linear(p + "gate", h)) * self.linear(p + "up", h))

    def experts(self, p, h):
        o = self.o
        raw = self.linear(p + "router", h)
        scores = raw.sigmoid() if o.get("scoring") == "sigmoid" else raw.softmax(-1)
        choice = scores + self.w.get(p + "router_bias", torch.zeros(()))
        chosen = choice.topk(o["top_k"], -1).indices
        weights = scores.gather(-1, chosen)
        if o.get("renormalize", True):
            weights = weights / weights.sum(-1, keepdim=True)
        weights = weights * o.get("routed_scale", 1)
        out = torch.zeros_like(h)
        for expert in range(raw.shape[-1]):
            share = (weights * (chosen == expert)).sum(-1, keepdim=True)
            out = out + share * self.mlp(f"{p}expert.{expert}.", h)
        if p + "shared.down" in self.w:
            shared = self.mlp(p + "shared.", h)
            if p + "shared_gate" in self.w:
                shared = shared * torch.sigmoid(self.linear(p + "shared_gate", h))
            out = out + shared
        return out
