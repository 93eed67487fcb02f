"""What the command line can say to a user when it cannot go on.

The bottom of the house: every room may import this file, and it imports none of them. `source/` and `spec/` have an
error of their own instead, so that they stand alone; the command line prints all of them alike.
"""


class ScaffoldError(Exception):
    """A failure a user can act on: what is wrong, where, and what to do next.

    Attributes:
        what: one sentence without a final full stop.
        where: `path` or `path:line`, or None.
        next: what to do next, an imperative sentence, or None.
        exit_code: 2 for wrong usage, bad input or a missing anchor (nothing was written); 1 for conflicts.
    """

    exit_code = 2

    def __init__(self, what: str, *, where: str | None = None, next: str | None = None):
        super().__init__(what)
        self.what, self.where, self.next = what, where, next


class ConflictError(ScaffoldError):
    """Something could not be merged; it was kept and is listed."""

    exit_code = 1
