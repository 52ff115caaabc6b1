"""What a caller can do, one function a verb. Operations know the rules and the storage, and no dialect."""
