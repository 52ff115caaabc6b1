"""The APIs that clients speak: each parses its requests, renders its answers and maps errors, and holds no rules."""
