# Every command sets itself up first; a machine needs make and Python 3.11 or later.
PYTHON ?= python3
PORT ?= 4566
STAGES ?=
LOCK = .venv/bin/uv pip compile --quiet --generate-hashes --no-emit-index-url --universal --python-version 3.11
export UV_CUSTOM_COMPILE_COMMAND = make lock

.PHONY: setup run test cdk bench lock openapi

setup: ## The tools: Python environments, Node, command line tools
	@command -v $(PYTHON) >/dev/null || { echo "$(PYTHON) is missing: install Python 3.11 or later." >&2; exit 1; }
	@$(PYTHON) infra/local/setup.py

run: setup ## The whole product on this machine; PORT=… moves it, Ctrl-C stops it
	@.venv/bin/python -m infra.local $(PORT)

test: setup ## Everything that proves it; STAGES="lint types" runs some of it
	@.venv/bin/python -m tests $(STAGES)

cdk: setup ## The CDK CLI with the project's own tools: make cdk ARGS="deploy --all"
	@PATH="$(CURDIR)/.venv/bin:$$(.venv/bin/python -c 'from infra.local.setup import node_folder; print(node_folder())'):$$PATH" node_modules/.bin/cdk $(ARGS)

openapi: setup ## docs/openapi.json, the published contract, from the code
	@.venv/bin/python -m infra.openapi

bench: setup ## What each call costs, against the table of its design
	@PYTHONPATH=functions .venv/bin/python -m tests.bench

lock: setup ## Renew the pins of requirements/ and package-lock.json
	cd requirements && ../$(LOCK) --upgrade project.in -o project.txt
	cd requirements && ../$(LOCK) uv.in -c project.txt -o uv.txt && ../$(LOCK) functions.in -c project.txt -o functions.txt
	cd requirements && ../$(LOCK) ministack.in -o ministack.txt && ../$(LOCK) --upgrade anthropic1.in -o anthropic1.txt
	.venv/bin/python infra/local/setup.py lock
