import { type Simulator, startOpenSimulator as startOpen, startSimulator as start } from '@postern/simulator'
import type { SimulatorOptions } from '@postern/simulator/options'
import { createServerKeys } from '@postern/simulator/wire/certificate'
import type { Network } from '@postern/simulator/world/network'

export type { Simulator }

/** A process trusts one network permanently, so all simulators of a test process are the same network to the engine. */
const serverKeys = createServerKeys()

export const startSimulator = (options: SimulatorOptions = {}): Promise<Simulator> => start({ serverKeys, ...options })

export const startOpenSimulator = (options: SimulatorOptions = {}): Promise<Simulator & { network: Network }> =>
  startOpen({ serverKeys, ...options })
