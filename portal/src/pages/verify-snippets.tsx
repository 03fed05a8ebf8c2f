import { Tabs } from 'radix-ui'
import { lookUp } from '../look-up.ts'
import { CodeBlock } from '../ui/code-block.tsx'
import { Section } from '../ui/page.tsx'
import { rich } from '../rich.ts'
import { t } from '../t.ts'

const SOURCES = import.meta.glob<string>('../snippets/verify.*', { query: '?raw', import: 'default', eager: true })

const SNIPPETS: readonly [string, string][] = [
  ['Node', 'mjs'],
  ['Python', 'py'],
  ['PHP', 'php'],
  ['Go', 'go'],
  ['bash', 'sh'],
]

/** How a receiver checks that a POST comes from here, in five languages. */
export function VerifySnippets({ webhookId }: { webhookId: string }) {
  return (
    <Section title={t('Verify the signature')}>
      <p className="mb-3 leading-relaxed text-muted">
        {rich(
          'Compute HMAC-SHA256 over {input} with the secret, compare in constant time, and reject requests older than 5 minutes. The code reads the secret from {variable}; each POST carries {header}.',
          {
            input: <code className="font-mono">t + "." + raw body</code>,
            variable: <code className="font-mono">WEBHOOK_SECRET</code>,
            header: <code className="font-mono">X-Webhook-ID: {webhookId}</code>,
          },
        )}
      </p>
      <Tabs.Root defaultValue="Node">
        <Tabs.List aria-label={t('Language')} className="mb-3 flex flex-wrap gap-1">
          {SNIPPETS.map(([name]) => (
            <Tabs.Trigger
              key={name}
              value={name}
              className="h-8 rounded-lg px-3 text-[13px] font-medium text-muted hover:text-ink data-[state=active]:bg-accent-soft data-[state=active]:text-accent-strong"
            >
              {name}
            </Tabs.Trigger>
          ))}
        </Tabs.List>
        {SNIPPETS.map(([name, extension]) => (
          <Tabs.Content key={name} value={name} tabIndex={-1}>
            <CodeBlock
              label={t('{name}: verify a webhook', { name })}
              code={(lookUp(SOURCES, `../snippets/verify.${extension}`) ?? '').trimEnd()}
            />
          </Tabs.Content>
        ))}
      </Tabs.Root>
    </Section>
  )
}
