"""The function of stores."""

from memory_stores.dialects.claude import stores
from memory_stores.entry import serve

handler = serve("stores", vars(stores))
