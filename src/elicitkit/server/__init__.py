"""Roads and the adapters that open them: how questions travel on each era, for each framework."""
