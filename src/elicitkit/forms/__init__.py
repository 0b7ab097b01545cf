"""Forms: what is asked, described field by field and frozen before it is sent."""

from .builder import FormElicitation
from .content import Content
from .form import Form, FormSource

__all__ = ["Content", "Form", "FormElicitation", "FormSource"]
