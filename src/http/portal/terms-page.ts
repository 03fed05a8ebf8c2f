import { plainPage } from './plain-pages.ts'

const SECTIONS: ReadonlyArray<[string, string]> = [
  [
    'Who this is between',
    'You are whoever holds the account. The operator is whoever runs this gateway. Postern is the software; its authors are no party to these Terms.',
  ],
  [
    'What the gateway does',
    'It links phone numbers that you control to your programs: it sends the messages that you hand to it and posts what the numbers receive to the addresses that you name.',
  ],
  [
    'What you are answerable for',
    'You link only numbers that you may use, and you keep the rules of the messaging platform and the law of the people you write to. You write to people who expect it, and stop when they ask. You keep API keys, webhook secrets and passwords to yourself, and revoke what has leaked.',
  ],
  [
    'What is not allowed',
    'Unsolicited bulk messages, fraud, harassment, malware, and attempts to reach the data of other accounts.',
  ],
  [
    'The platform is not ours',
    'The gateway links as a companion device. The platform may limit or ban a number at any time, and neither the operator nor the authors can undo that.',
  ],
  [
    'Your data',
    'Message content is encrypted at rest and kept only as long as sending, delivering or retrying needs it: what you send up to 7 days after sending, what you receive until it is delivered or your plan’s retention ends. The delivery history holds sizes in place of content. Nothing is sold, and nothing is read by people.',
  ],
  [
    'Limits and ending',
    'Each plan has limits, shown in the portal; beyond them requests are refused, never billed in silence. You can unlink numbers and stop at any time. The operator may suspend an account that breaks these Terms.',
  ],
  [
    'Without warranty',
    'The service comes as it is. It is built not to lose what it has accepted, but it is not meant for emergencies, and liability is limited as far as the law allows.',
  ],
]

/** The Terms that every account accepts before it uses the gateway. */
export function termsPage(version: string): string {
  const sections = SECTIONS.map(([title, words], i) => `<h2>${i + 1}. ${title}</h2>\n<p>${words}</p>`).join('\n')
  return plainPage(
    'Terms of Service',
    `<h1>Terms of Service</h1>
<p>Version ${escapeHtml(version)}</p>
${sections}
<p>When the operator changes these Terms, they get a new version label. What you have accepted stays accepted.</p>`,
  )
}

const escapeHtml = (words: string): string => words.replace(/[&<>"]/g, char => `&#${char.charCodeAt(0)};`)
