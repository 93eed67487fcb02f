"""What a declaration can be wrong with."""


class SpecError(Exception):
    """A declaration that cannot be used. Same attributes as every error the command line prints.

    Attributes:
        what: one sentence without a final full stop.
        where: `path` or `path:line`, or None.
        next: what to do next, or None.
        exit_code: 2, nothing was written.
    """

    exit_code = 2

    def __init__(self, what: str, *, where: str | None = None, next: str | None = None):
        super().__init__(what)
        self.what, self.where, self.next = what, where, next
