export interface Relay {
  readonly port: number
  leadTo(port: number): void
  cut(): void
  silence(): void
  heal(options?: { broken?: boolean }): void
  close(): void
}

export function startRelay(targetPort: number): Promise<Relay>
