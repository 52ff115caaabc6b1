"""The dialect of the published `anthropic` SDKs, mounted at `/v1/`."""
