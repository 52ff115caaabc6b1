"""The function of sessions."""

from memory_stores.dialects.claude import sessions
from memory_stores.entry import serve

handler = serve("sessions", vars(sessions))
