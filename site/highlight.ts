import { escapeHtml } from './html.ts'

interface Grammar {
  comment?: string
  string: string
  keyword?: string
  name?: string
}

const C_STRING = '"(?:[^"\\\\\\n]|\\\\.)*"|\'(?:[^\'\\\\\\n]|\\\\.)*\''
const NUMBER = '\\b\\d[\\d_.]*\\b'
const JSON_GRAMMAR: Grammar = {
  name: '"(?:[^"\\\\]|\\\\.)*"(?=\\s*:)',
  string: '"(?:[^"\\\\]|\\\\.)*"',
  keyword: '\\b(?:true|false|null)\\b',
}
const SCRIPT: Grammar = {
  comment: '//[^\\n]*|/\\*[^]*?\\*/',
  string: `${C_STRING}|\`(?:[^\`\\\\]|\\\\.)*\``,
  keyword:
    '\\b(?:import|from|export|const|let|await|async|new|if|else|for|of|return|throw|try|catch|function|true|false|null|undefined)\\b',
}
const SHELL: Grammar = {
  comment: '(?<=^|\\s)#[^\\n]*',
  string: '"(?:[^"\\\\]|\\\\.)*"|\'[^\']*\'',
  keyword: '(?<=^|[|;&(]\\s*)(?:curl|export|npx|npm|node|postern|alias|cd|cp|docker|psql|systemctl|echo|git)\\b',
  name: '\\$\\{?\\w+\\}?',
}

/** The keywords, strings and comments of each language. */
const GRAMMARS: ReadonlyMap<string, Grammar> = new Map([
  ['json', JSON_GRAMMAR],
  ['js', SCRIPT],
  ['ts', SCRIPT],
  ['bash', SHELL],
  ['sh', SHELL],
  [
    'python',
    {
      comment: '#[^\\n]*',
      string: `[fb]?"""[^]*?"""|[fb]?(?:${C_STRING})`,
      keyword:
        '\\b(?:import|from|as|with|def|return|if|else|elif|for|in|not|and|or|print|raise|try|except|None|True|False)\\b',
    },
  ],
  [
    'php',
    {
      comment: '//[^\\n]*|/\\*[^]*?\\*/',
      string: C_STRING,
      keyword: '<\\?php|\\b(?:function|return|foreach|as|if|echo|exit|new|true|false|null|const)\\b',
      name: '\\$\\w+',
    },
  ],
  [
    'go',
    {
      comment: '//[^\\n]*',
      string: `"(?:[^"\\\\\\n]|\\\\.)*"|\`[^\`]*\``,
      keyword:
        '\\b(?:package|import|func|return|if|else|for|range|var|const|defer|nil|true|false|map|string|any|err)\\b',
    },
  ],
])

/** Highlights code as HTML; leaves it as it is if the language is unknown. */
export function highlight(text: string, language: string): string {
  const grammar = GRAMMARS.get(language)
  if (grammar === undefined) return escapeHtml(text)
  const parts = Object.entries({ ...grammar, number: NUMBER }).map(([name, source]) => `(?<${name}>${source})`)
  const order = ['comment', 'name', 'string', 'keyword', 'number']
  parts.sort((a, b) => order.indexOf(nameOf(a)) - order.indexOf(nameOf(b)))
  let html = ''
  let at = 0
  for (const match of text.matchAll(new RegExp(parts.join('|'), 'gm'))) {
    const kind = Object.entries(match.groups!).find(([, value]) => value !== undefined)![0]
    html += `${escapeHtml(text.slice(at, match.index))}<span class="t-${kind}">${escapeHtml(match[0])}</span>`
    at = match.index + match[0].length
  }
  return html + escapeHtml(text.slice(at))
}

const nameOf = (part: string): string => /^\(\?<(\w+)>/.exec(part)![1]!
