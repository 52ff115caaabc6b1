"""The rules: pure Python that knows neither HTTP nor storage."""
