"""Which elicitkit this is."""

from importlib import metadata


def version() -> str:
    """The installed version, as `--version` and the greeting to a server have it."""
    try:
        return metadata.version("elicitkit")
    except metadata.PackageNotFoundError:  # It is run from a checkout.
        return "0+uninstalled"
