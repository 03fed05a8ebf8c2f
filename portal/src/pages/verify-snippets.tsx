import { Tabs } from 'radix-ui'
import bash from '../snippets/verify.sh?raw'
import go from '../snippets/verify.go?raw'
import node from '../snippets/verify.mjs?raw'
import php from '../snippets/verify.php?raw'
import python from '../snippets/verify.py?raw'
import { CodeBlock } from '../ui/code-block.tsx'
import { Section } from '../ui/page.tsx'

const SNIPPETS: readonly [string, string, string][] = [
  ['node', 'Node', node],
  ['python', 'Python', python],
  ['php', 'PHP', php],
  ['go', 'Go', go],
  ['bash', 'bash', bash],
]

/** How a receiver checks that a POST comes from here, in five languages. */
export function VerifySnippets({ webhookId }: { webhookId: string }) {
  return (
    <Section title="Verify the signature">
      <p className="mb-3 leading-relaxed text-muted">
        Compute HMAC-SHA256 over <code className="font-mono">t + "." + raw body</code> with the secret, compare in
        constant time, and refuse what is older than 5 minutes. The secret is read from{' '}
        <code className="font-mono">POSTERN_WEBHOOK_SECRET</code>; posts of this webhook carry{' '}
        <code className="font-mono">X-Webhook-ID: {webhookId}</code>.
      </p>
      <Tabs.Root defaultValue="node">
        <Tabs.List aria-label="Language" className="mb-3 flex flex-wrap gap-1">
          {SNIPPETS.map(([id, name]) => (
            <Tabs.Trigger
              key={id}
              value={id}
              className="h-8 rounded-lg px-3 text-[13px] font-medium text-muted hover:text-ink data-[state=active]:bg-accent-soft data-[state=active]:text-accent-strong"
            >
              {name}
            </Tabs.Trigger>
          ))}
        </Tabs.List>
        {SNIPPETS.map(([id, name, code]) => (
          <Tabs.Content key={id} value={id} tabIndex={-1}>
            <CodeBlock label={`${name}: verify a webhook`} code={code.trimEnd()} />
          </Tabs.Content>
        ))}
      </Tabs.Root>
    </Section>
  )
}
