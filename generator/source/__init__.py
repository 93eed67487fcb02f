"""The edit engine: puts one thing into a Python file that somebody else owns, finds it again, takes it out exactly.

Knows nothing of ops. `text.Source` is the file, one small file each is a kind of insertion, `registry` names the kinds,
`fragment` reads what a template renders, `merge` brings an inserted symbol up to a new template. Below them: `row`
(what stands between brackets), `body` (statements of a block), `address` and `walk` (where a node hangs), `dialect` (a
fragment's layout and the file's).

Taking out is exact in any order because both sides only ever split and join the space around an item: what an insertion
added is told by the insertion, not by what happens to stand beside it now.
"""
