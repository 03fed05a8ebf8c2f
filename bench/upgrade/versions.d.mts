/** The oldest commit of the same schema whose program can stay beside a later one. */
export function oldestCommit(): string
/** The program of a commit, or as it lies here, built in a folder of its own; `later`: tables that it adds a column to. */
export function buildVersion(folder: string, version: { commit?: string; later?: readonly string[] }): string
