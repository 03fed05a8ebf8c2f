export const renderDocs = (_url: string): string => ''
export const DOCS_CSS = ''
