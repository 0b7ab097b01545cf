"""Forms: what is asked, described field by field and frozen before it is sent."""

from .builder import FormElicitation
from .content import Content
from .form import Form, FormSource
from .typed import bind

__all__ = ["Content", "Form", "FormElicitation", "FormSource", "bind"]
