import type { Pairing } from '../api/records.ts'
import { CopyButton } from '../ui/copy.tsx'
import { rich } from '../rich.ts'
import { t } from '../t.ts'

/** With the extension: the user copies a secret link into it. */
export function ByExtension({ pairing }: { pairing: Pairing }) {
  return (
    <ol className="list-decimal space-y-3 pl-5 leading-relaxed">
      <li>
        {rich(
          'Once: in Chrome, Edge or Brave open {code}, switch on “Developer mode”, choose “Load unpacked”, and pick the folder {code2} that comes with this gateway.',
          { code: <code>chrome://extensions</code>, code2: <code>extension</code> },
        )}
      </li>
      <li className="space-y-2">
        <span className="block">
          {t(
            'Copy this link. It is secret, valid once, and expires with this request. Do not open it: it is for the extension.',
          )}
        </span>
        {pairing.passkey && <CopyButton text={pairing.passkey.link} label={t('Copy the link')} />}
      </li>
      <li>
        {t(
          'Click the extension “Postern passkey”, paste the link, and press “Continue”. WhatsApp Web opens; you need not be signed in there.',
        )}
      </li>
      <li>{t('On that page press “Use my passkey”, and do what the browser or your phone asks for.')}</li>
      <li>{t('Come back here.')}</li>
    </ol>
  )
}
