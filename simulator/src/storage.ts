/**
 * Storage for the state that a real server or phone would never lose.
 * `save` is one atomic step: all changes or none; `null` deletes the key.
 */
export interface SimulatorStorage {
  load(): Promise<Map<string, Uint8Array>>
  save(changes: Map<string, Uint8Array | null>): Promise<void>
}
