import type { Reader, Tx } from '../transaction.ts'

/** Sets a value unless it is set: all processes use the first one. */
export async function initSetting(tx: Tx, input: { name: string; value: string }): Promise<string> {
  await tx.insert('settings', [{ name: input.name, value: input.value }], 'on conflict (name) do nothing')
  return (await getSetting(tx, input.name))!
}

export async function changeSetting(tx: Tx, input: { name: string; from: string; to: string }): Promise<void> {
  await tx.run('update settings set value = ? where name = ? and value = ?', input.to, input.name, input.from)
}

export async function getSetting(reader: Reader, name: string): Promise<string | undefined> {
  return (await reader.get<{ value: string }>('select value from settings where name = ?', name))?.value
}
