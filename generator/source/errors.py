"""What an edit can fail with. This room imports nothing from the others."""


class SourceError(Exception):
    """An edit that cannot be made. Same attributes as every error the command line prints.

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


class Unparsable(SourceError):
    """The file is not Python that LibCST can read and give back byte for byte."""


class AnchorMissing(SourceError):
    """The place where something should be inserted is not in the file."""


class Taken(SourceError):
    """The name is in the file already, bound to something that this insertion did not make."""


class Edited(SourceError):
    """What was inserted has been changed since, so it cannot be taken out without losing an edit (exit 1)."""

    exit_code = 1
