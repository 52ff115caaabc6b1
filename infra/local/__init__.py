"""The whole deployment on this machine: an emulator of AWS on loopback with the real app deployed into it.

`make run` keeps one in `.local/`; tests start throw-away ones with `infra.local.deployment.deployment()`.
"""
