"""The function of memories."""

from memory_stores.dialects.claude import memories
from memory_stores.entry import serve

handler = serve("memories", vars(memories))
