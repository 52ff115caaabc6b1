"""What the tests stand on: clients, stand-ins for the gateway, backends, faults."""
