"""Acknowledgements for cdk-nag: each on its own construct, each with its reason."""

from aws_cdk import Acknowledgment, Validations
from constructs import Construct


def acknowledge(construct: Construct, reason: str, *rules: str) -> None:
    """Accept findings of the given rules on one construct. A finding of several has its own id, `Rule[Finding]`."""
    Validations.of(construct).acknowledge(*(Acknowledgment(id=rule, reason=reason) for rule in rules))
