"""The names of stages."""


class StageName(str):
    """The name of a stage: its kind and, where a recipe may have several of the kind, a slash and a label.

    It is a text, so that it can be the name of a folder, a key of JSON, and a word in a message.

    >>> name = StageName("score", "perplexity")
    >>> name, name.kind, name.label
    ('score/perplexity', 'score', 'perplexity')
    >>> StageName("score/perplexity") == name, StageName("ingest").label
    (True, '')
    """

    def __new__(cls, kind: str, label: str = "") -> "StageName":
        return super().__new__(cls, f"{kind}/{label}" if label else kind)

    @property
    def kind(self) -> str:
        """`score` of `score/perplexity`."""
        return self.partition("/")[0]

    @property
    def label(self) -> str:
        """`perplexity` of `score/perplexity`; empty if there is only one stage of the kind."""
        return self.partition("/")[2]


INGEST = StageName("ingest")
