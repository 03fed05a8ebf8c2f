/** Converts bold and strikethrough to Markdown, which doubles the sign that WhatsApp uses. */
export function toMarkdown(text: string): string {
  return text
    .replace(/(?<![\w*])\*(?=\S)([^*\n]+?)(?<=\S)\*(?![\w*])/g, '**$1**')
    .replace(/(?<![\w~])~(?=\S)([^~\n]+?)(?<=\S)~(?![\w~])/g, '~~$1~~')
}

const BOLD = '\u0001'

/** Converts the Markdown of Chatwoot's editor to the format of WhatsApp. */
export function fromMarkdown(text: string): string {
  return text
    .replace(/\\\r?\n/g, '\n')
    .replace(/\*\*(?=\S)([^\n]+?)(?<=\S)\*\*/g, `${BOLD}$1${BOLD}`)
    .replace(/(?<![\w*\\])\*(?=\S)([^*\n]+?)(?<=[^\s\\])\*(?![\w*])/g, '_$1_')
    .replace(/~~(?=\S)([^\n]+?)(?<=\S)~~/g, '~$1~')
    .replace(/\[([^\]\n]+)\]\((https?:\/\/[^\s)]+)\)/g, (_, words: string, url: string) =>
      words === url ? url : `${words} (${url})`,
    )
    .replace(/\\([*_~`[\]()#+\-.!>\\])/g, '$1')
    .replaceAll(BOLD, '*')
}
