import type { Pairing } from '../api/records.ts'
import { CopyButton } from '../ui/copy.tsx'

/** The way with the extension: a secret link is carried there by hand, and nothing else. */
export function ByExtension({ pairing }: { pairing: Pairing }) {
  return (
    <ol className="list-decimal space-y-3 pl-5 leading-relaxed">
      <li>
        Once: in Chrome, Edge or Brave open <code>chrome://extensions</code>, switch on “Developer mode”, choose “Load
        unpacked”, and pick the folder <code>extension</code> that comes with this gateway.
      </li>
      <li className="space-y-2">
        <span className="block">
          Copy this link. It is a secret, works once, and ends with this request. Do not open it: it is for the
          extension.
        </span>
        {pairing.passkey && <CopyButton text={pairing.passkey.link} label="Copy the link" />}
      </li>
      <li>
        Click the extension “Postern passkey”, paste the link, and press “Continue”. WhatsApp Web opens; you need not be
        signed in there.
      </li>
      <li>On that page press “Use my passkey”, and do what the browser or your phone asks for.</li>
      <li>Come back here.</li>
    </ol>
  )
}
