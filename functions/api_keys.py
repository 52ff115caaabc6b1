"""The function of API keys."""

from memory_stores.dialects.claude import api_keys
from memory_stores.entry import serve

handler = serve("api_keys", vars(api_keys))
