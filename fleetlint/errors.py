"""What several rooms that read from outside raise."""


class SourceError(Exception):
    """Something that a run needs and that cannot be used: one sentence that names it and says what to do."""
