import { useMutation } from '@tanstack/react-query'
import { ExternalLink } from 'lucide-react'
import type { FormEvent } from 'react'
import { bringPasskey, parseCredential } from '../api/passkey.ts'
import type { Pairing } from '../api/records.ts'
import { errorText } from '../error-text.ts'
import { Button } from '../ui/button.tsx'
import { CopyButton } from '../ui/copy.tsx'
import { TextArea } from '../ui/field.tsx'
import { Notice } from '../ui/page.tsx'
import { passkeyScript } from './passkey-script.ts'
import { useShowPairing } from './passkey-parts.tsx'
import { rich } from '../rich.ts'
import { t } from '../t.ts'

/** Without the extension: the user runs a script in the console and pastes its output here. */
export function ByConsole({ pairing }: { pairing: Pairing }) {
  const script = passkeyScript(pairing.passkey?.options)
  return (
    <div className="space-y-3">
      <Notice tone="bad">
        {t(
          'Be careful: a person who makes you paste a script there can take over your WhatsApp. Paste this one only because you started this pairing yourself, read it first, and never paste a script that someone sends you.',
        )}
      </Notice>
      <ol className="list-decimal space-y-3 pl-5 leading-relaxed">
        <li>
          {rich('Open {a} in a new tab. You need not be signed in there.', {
            a: (
              <a
                className="inline-flex items-center gap-1 font-medium text-accent-strong underline"
                href="https://web.whatsapp.com/"
                target="_blank"
                rel="noreferrer"
              >
                web.whatsapp.com
                <ExternalLink size={13} aria-hidden />
              </a>
            ),
          })}
        </li>
        <li>
          {rich(
            'Open the developer tools (F12, on a Mac {kbd}) and choose the console. If the browser asks for it, type {code}.',
            { kbd: <kbd>⌥⌘I</kbd>, code: <code>allow pasting</code> },
          )}
        </li>
        <li className="space-y-2">
          <span className="block">{t('Paste this script, press Enter, and use your passkey.')}</span>
          <CopyButton text={script} label={t('Copy the script')} />
          <details className="text-[13px]">
            <summary className="cursor-pointer text-muted">{t('Read the script')}</summary>
            <pre className="mt-2 rounded-lg border bg-raised p-3 font-mono text-[12px] break-all whitespace-pre-wrap">
              {script}
            </pre>
          </details>
        </li>
        <li className="space-y-2">
          <span className="block">{t('Copy the line that it shows, and paste it here.')}</span>
          <Answer id={pairing.id} />
        </li>
      </ol>
    </div>
  )
}

function Answer({ id }: { id: string }) {
  const show = useShowPairing(id)
  const bring = useMutation({
    mutationFn: async (text: string) => await bringPasskey(id, parseCredential(text)),
    onSuccess: show,
  })
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    bring.mutate(String(new FormData(event.currentTarget).get('answer')))
  }
  return (
    <form onSubmit={submit} className="space-y-2">
      <TextArea
        label={t('Answer of the script')}
        name="answer"
        required
        spellCheck={false}
        autoComplete="off"
        placeholder='{"id":"…"}'
        error={bring.error ? errorText(bring.error) : null}
      />
      <Button look="primary" type="submit" busy={bring.isPending}>
        {t('Submit')}
      </Button>
    </form>
  )
}
