from __future__ import annotations

from typing import Any, Dict, Iterator, Mapping

from .transport import Transport, path_of


class Sessions:
    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def list(self, **query: Any) -> Dict[str, Any]:
        return self._transport.call("GET", "/v1/sessions", query=query)

    def all(self, **query: Any) -> Iterator[Dict[str, Any]]:
        return self._transport.all("/v1/sessions", query)

    def get(self, id: str) -> Dict[str, Any]:
        return self._transport.call("GET", path_of("v1", "sessions", id))

    def create_sandbox(self, **body: Any) -> Dict[str, Any]:
        return self._transport.call("POST", "/v1/sessions", body={"platform": "sandbox", **body})

    def update(self, id: str, **body: Any) -> Dict[str, Any]:
        return self._transport.call("PATCH", path_of("v1", "sessions", id), body=body)

    def delete(self, id: str) -> Dict[str, Any]:
        """Unlinks the number."""
        return self._transport.call("DELETE", path_of("v1", "sessions", id))

    def restart(self, id: str) -> Dict[str, Any]:
        return self._transport.call("POST", path_of("v1", "sessions", id, "restart"))

    def auto_reject(self, id: str, **body: Any) -> Dict[str, Any]:
        return self._transport.call("POST", path_of("v1", "sessions", id, "calls", "auto-reject"), body=body)

    def subscribe_presence(self, id: str, contact_jid: str) -> Dict[str, Any]:
        return self._transport.call("POST", path_of("v1", "sessions", id, "presence", "subscribe"), body={"contact_jid": contact_jid})

    def typing(self, id: str, **body: Any) -> Dict[str, Any]:
        return self._transport.call("POST", path_of("v1", "sessions", id, "typing"), body=body)

    def mark_read(self, id: str, **body: Any) -> Dict[str, Any]:
        return self._transport.call("POST", path_of("v1", "sessions", id, "read"), body=body)

    def check_contact(self, id: str, phone: str) -> Dict[str, Any]:
        """Whether a number has an account on the platform, and its JID."""
        return self._transport.call("GET", path_of("v1", "sessions", id, "contacts", "check"), query={"phone": phone})

    def privacy(self, id: str) -> Dict[str, Any]:
        return self._transport.call("GET", path_of("v1", "sessions", id, "privacy"))

    def update_privacy(self, id: str, **body: Any) -> Dict[str, Any]:
        """Changes what is given of the privacy settings; the answer has all of them."""
        return self._transport.call("PATCH", path_of("v1", "sessions", id, "privacy"), body=body)
    def proxy(self, id: str) -> Dict[str, Any]:
        """Scheme, host and port; never the user name and the password."""
        return self._transport.call("GET", path_of("v1", "sessions", id, "proxy"))

    def set_proxy(self, id: str, url: str) -> Dict[str, Any]:
        """From now on all connections of the number to the platform go through this proxy."""
        return self._transport.call("PUT", path_of("v1", "sessions", id, "proxy"), body={"url": url})

    def remove_proxy(self, id: str) -> Dict[str, Any]:
        return self._transport.call("DELETE", path_of("v1", "sessions", id, "proxy"))

    def test_proxy(self, id: str) -> Dict[str, Any]:
        return self._transport.call("POST", path_of("v1", "sessions", id, "proxy", "test"))

    def health(self, id: str) -> Dict[str, Any]:
        """Restrictions, bans and the limit of new chats, as the platform told them; answered chats and refusals."""
        return self._transport.call("GET", path_of("v1", "sessions", id, "health"))

    def people(self, id: str, **body: Any) -> Dict[str, Any]:
        """The phone numbers of hidden identifiers (``jids``), and the reverse (``phones``), as far as they are known."""
        return self._transport.call("POST", path_of("v1", "sessions", id, "people"), body=body)

    def profile(self, id: str) -> Dict[str, Any]:
        """What the number shows of itself."""
        return self._transport.call("GET", path_of("v1", "sessions", id, "profile"))

    def update_profile(self, id: str, **body: Any) -> Dict[str, Any]:
        """Changes what is given of name and about, on the phone too."""
        return self._transport.call("PATCH", path_of("v1", "sessions", id, "profile"), body=body)

    def set_picture(self, id: str, **body: Any) -> Dict[str, Any]:
        """``media_id`` of an uploaded file, or ``media_url``."""
        return self._transport.call("PUT", path_of("v1", "sessions", id, "profile", "picture"), body=body)

    def remove_picture(self, id: str) -> Dict[str, Any]:
        return self._transport.call("DELETE", path_of("v1", "sessions", id, "profile", "picture"))

    def reject_call(self, id: str, call_id: str) -> Dict[str, Any]:
        """The error has the status 404 if no such call rings."""
        return self._transport.call("POST", path_of("v1", "sessions", id, "calls", call_id, "reject"))

    def create_call_link(self, id: str, media: str) -> Dict[str, Any]:
        return self._transport.call("POST", path_of("v1", "sessions", id, "calls", "links"), body={"media": media})

    def react_in_newsletter(self, id: str, newsletter: str, **body: Any) -> Dict[str, Any]:
        """Both ids come from a ``newsletter_message`` event; an empty emoji takes the reaction back."""
        return self._transport.call("POST", path_of("v1", "sessions", id, "newsletters", newsletter, "react"), body=body)


class Pairings:
    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def create(self, **body: Any) -> Dict[str, Any]:
        return self._transport.call("POST", "/v1/pairings", body=body)

    def get(self, id: str) -> Dict[str, Any]:
        return self._transport.call("GET", path_of("v1", "pairings", id))

    def cancel(self, id: str) -> Dict[str, Any]:
        return self._transport.call("DELETE", path_of("v1", "pairings", id))

    def events(self, id: str) -> Iterator[Dict[str, Any]]:
        """The pairing at each of its steps, until it is over."""
        return self._transport.follow(path_of("v1", "pairings", id, "events"), "pairing")

    def new_code(self, id: str) -> Dict[str, Any]:
        return self._transport.call("POST", path_of("v1", "pairings", id, "code"))

    def answer_passkey(self, id: str, credential: Mapping[str, Any]) -> Dict[str, Any]:
        return self._transport.call("POST", path_of("v1", "pairings", id, "passkey"), body=credential)

    def confirm(self, id: str) -> Dict[str, Any]:
        return self._transport.call("POST", path_of("v1", "pairings", id, "confirm"))
