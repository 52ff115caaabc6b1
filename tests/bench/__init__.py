"""What each operation costs in AWS calls, hops, capacity and time of its own; how long the functions import."""
