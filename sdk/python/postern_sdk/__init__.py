"""A typed client for the Postern messaging gateway, and the check of its webhook signatures."""

from .client import PosternClient
from .errors import PosternError
from .operator import PosternOperator
from .verify_webhook import WebhookVerificationError, verify_webhook

__all__ = ["PosternClient", "PosternError", "PosternOperator", "WebhookVerificationError", "verify_webhook"]
__version__ = "0.1.0"
