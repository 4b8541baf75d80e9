"""The demo's bitext: sentences of a small grammar of ours, and held-out data to measure on.

`captions`, `kitchen` and `travel` hold the kinds of sentences, `lexicon` the words, `czech` and `english`
their inflection; `meanings` and `drawing` say what is meant, `writing` puts it into files.
"""

from .recipe import demo_recipe
from .writing import DemoFiles, write_demo

__all__ = ["DemoFiles", "demo_recipe", "write_demo"]
