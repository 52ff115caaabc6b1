"""The API stack: two doors, the functions behind both, their background work and the callers' policies."""

from aws_cdk import CfnOutput
from aws_cdk import aws_apigatewayv2 as gateway
from aws_cdk import aws_apigatewayv2_authorizers as authorizers
from aws_cdk import aws_certificatemanager as acm
from constructs import Construct
from memory_stores.routes import ROUTES

from infra import access
from infra.agents import AgentRole
from infra.bundling import bundled
from infra.data import DataStack
from infra.doors import Door
from infra.functions import Functions
from infra.maintenance import Maintenance
from infra.nag import acknowledge
from infra.routes import FALLBACK, add_routes
from infra.settings import Domain, Settings
from infra.stack import ProjectStack


class ApiStack(ProjectStack):
    """Everything that answers requests."""

    def __init__(self, scope: Construct, settings: Settings, data: DataStack) -> None:
        super().__init__(scope, "api", settings, "Memory stores: doors and functions")
        functions = Functions(self, "Functions", settings, data, bundled(settings))
        serving = {name: functions.add(name) for name in sorted({route.function for route in ROUTES} | {FALLBACK})}
        maintenance = Maintenance(self, "Maintenance", functions)

        self._domains: dict[str, gateway.DomainName] = {}
        key_door = Door(self, "KeyDoor", settings, self._mapping("KeyDoor", settings.key_door_domain))
        signed_door = Door(self, "SignedDoor", settings, self._mapping("SignedDoor", settings.signed_door_domain))
        add_routes(key_door.api, serving, gateway.HttpNoneAuthorizer())
        add_routes(signed_door.api, serving, authorizers.HttpIamAuthorizer())
        acknowledge(
            key_door.api,
            "The functions check the API key themselves: a Lambda authorizer cannot cache two header styles, and one "
            "read costs less than a second invocation.",
            "AwsSolutions-APIG4",
        )
        agent_role = AgentRole(self, "AgentRole", signed_door.api, serving["sessions"])
        for function in (*serving.values(), maintenance.function):
            function.add_environment("AGENT_ROLE_ARN", agent_role.role_arn)
        self._policies(settings, signed_door.api)
        CfnOutput(self, "KeyDoorUrl", value=key_door.url)
        CfnOutput(self, "SignedDoorUrl", value=signed_door.url)

    def _mapping(self, door: str, domain: Domain | None) -> gateway.DomainMappingOptions | None:
        """A door's place on its domain. Doors that share a domain name share the domain."""
        if domain is None:
            return None
        if domain.name not in self._domains:
            certificate = acm.Certificate.from_certificate_arn(self, f"{door}Certificate", domain.certificate_arn)
            created = gateway.DomainName(
                self,
                f"{door}Domain",
                domain_name=domain.name,
                certificate=certificate,
                security_policy=gateway.SecurityPolicy.TLS_1_2,
            )
            self._domains[domain.name] = created
            CfnOutput(self, f"{door}DomainTarget", value=created.regional_domain_name)
        return gateway.DomainMappingOptions(
            domain_name=self._domains[domain.name], mapping_key=domain.base_path or None
        )

    def _policies(self, settings: Settings, api: gateway.HttpApi) -> None:
        access.DoorPolicy(self, "AdminPolicy", api, access.ADMIN, "All of the memory stores' API")
        access.DoorPolicy(self, "WriterPolicy", api, access.WRITER, "Read memory stores, write memories")
        access.DoorPolicy(self, "ReaderPolicy", api, access.READER, "Read memory stores")
        for policy in settings.store_policies:
            name = f"{policy.access} {policy.memory_store_id}"
            construct_id = name.replace("_", " ").title().replace(" ", "") + "Policy"
            access.DoorPolicy(self, construct_id, api, access.store_routes(policy), name)
