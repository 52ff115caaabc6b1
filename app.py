"""The CDK app: reads the settings, builds the stacks, checks them."""

import sys
from pathlib import Path

from infra.settings import Settings, SettingsError, default_context  # before the CDK: it says where Node is

from aws_cdk import App, Validations  # isort: skip
from cdk_nag import AwsSolutionsChecks, ServerlessChecks  # isort: skip

from infra.api import ApiStack
from infra.data import DataStack

app = App(context=default_context(Path(__file__).with_name("cdk.json")))
try:
    settings = Settings.from_context(app.node.get_all_context())
except SettingsError as error:
    sys.exit(f"Setting {error}")
ApiStack(app, settings, DataStack(app, settings))
Validations.of(app).add_plugins(AwsSolutionsChecks(app), ServerlessChecks(app))
app.synth()
