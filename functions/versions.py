"""The function of versions, redaction and restoring."""

from memory_stores.dialects.claude import versions
from memory_stores.entry import serve

handler = serve("versions", vars(versions))
