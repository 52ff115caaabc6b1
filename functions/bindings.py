"""The function of what is attached to deployments and bots."""

from memory_stores.dialects.claude import bindings
from memory_stores.entry import serve

handler = serve("bindings", vars(bindings))
