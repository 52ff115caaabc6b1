"""The command for whoever runs a deployment: the first API key, and what IAM identities stand for.

    python -m memory_stores.command create-api-key --table NAME --name NAME [--workspace ID] [--role ROLE]
    python -m memory_stores.command map-principal --table NAME --arn ARN --workspace ID --role ROLE
    python -m memory_stores.command unmap-principal --table NAME --arn ARN

It uses the AWS credentials of the shell. Each call prints one JSON object.
"""

import argparse
import json
from collections.abc import Sequence
from typing import Any

from botocore.exceptions import BotoCoreError, ClientError

from memory_stores.domain import ids
from memory_stores.domain.errors import MemoryStoresError
from memory_stores.domain.models import Actor, ActorType, Caller, Role
from memory_stores.operations import api_keys, identity
from memory_stores.operations.context import Context, Deadline
from memory_stores.runtime import open_storage

DEFAULT_WORKSPACE = "wrkspc_default"
_SECONDS = 60.0


def main(arguments: Sequence[str] | None = None) -> None:
    """Run one command and print its result as JSON on the standard output."""
    parser = _parser()
    options = parser.parse_args(arguments)
    try:
        print(json.dumps(options.run(options)))
    except (MemoryStoresError, BotoCoreError, ClientError) as error:
        parser.exit(1, f"{parser.prog}: {error}\n")


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m memory_stores.command", description="Set up a deployment.")
    commands = parser.add_subparsers(required=True, metavar="COMMAND")

    create = commands.add_parser("create-api-key", help="create an API key and print its secret, which is not kept")
    create.add_argument("--table", required=True, help="name of the deployment's table (output TableName)")
    create.add_argument("--name", required=True, help="display name of the key")
    create.add_argument("--workspace", default=DEFAULT_WORKSPACE, help=f"default: {DEFAULT_WORKSPACE}")
    create.add_argument("--role", default=Role.ADMIN, type=Role, choices=list(Role), help="default: admin")
    create.set_defaults(run=_create_api_key)

    principal = commands.add_parser("map-principal", help="say what workspace and role an IAM role or user has")
    principal.add_argument("--table", required=True, help="name of the deployment's table (output TableName)")
    principal.add_argument("--arn", required=True, help="ARN of the IAM role or user")
    principal.add_argument("--workspace", required=True, help="id of the workspace")
    principal.add_argument("--role", required=True, type=Role, choices=list(Role))
    principal.set_defaults(run=_map_principal)

    unmapped = commands.add_parser("unmap-principal", help="forget what an IAM role or user has")
    unmapped.add_argument("--table", required=True, help="name of the deployment's table (output TableName)")
    unmapped.add_argument("--arn", required=True, help="ARN of the IAM role or user")
    unmapped.set_defaults(run=_unmap_principal)
    return parser


def _create_api_key(options: argparse.Namespace) -> dict[str, Any]:
    ids.check_workspace_id(options.workspace, "workspace")
    key, secret = api_keys.create_api_key(
        _context(options, options.workspace), name=options.name, role=options.role, store_ids=None, expires_at=None
    )
    return {"id": key.id, "name": key.name, "role": key.role, "workspace_id": options.workspace, "secret": secret}


def _map_principal(options: argparse.Namespace) -> dict[str, Any]:
    context = _context(options, options.workspace)
    principal = identity.map_principal(context, options.arn, options.workspace, options.role)
    return {"principal": principal, "workspace_id": options.workspace, "role": options.role}


def _unmap_principal(options: argparse.Namespace) -> dict[str, Any]:
    return {"principal": identity.unmap_principal(_context(options, ""), options.arn)}


def _context(options: argparse.Namespace, workspace_id: str) -> Context:
    operator = Caller(workspace_id, Actor(ActorType.USER, "command"), Role.ADMIN)
    return Context(open_storage(options.table, ""), operator, options.run.__name__, Deadline(_SECONDS))


if __name__ == "__main__":
    main()
