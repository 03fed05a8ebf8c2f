import { type Simulator, startOpenSimulator as startOpen, startSimulator as start } from '@postern/simulator'
import type { SimulatorOptions } from '@postern/simulator/options'
import { createServerKeys } from '@postern/simulator/wire/certificate'
import type { Network } from '@postern/simulator/world/network'
import { noteJudged } from './judged.ts'

export type { Simulator }

/** A process trusts one network permanently, so all simulators of a test process are the same network to the engine. */
const serverKeys = createServerKeys()

export const startSimulator = async (options: SimulatorOptions = {}): Promise<Simulator> =>
  counted(await start({ serverKeys, ...options }))

export const startOpenSimulator = async (options: SimulatorOptions = {}): Promise<Simulator & { network: Network }> =>
  counted(await startOpen({ serverKeys, ...options }))

/** The stanzas that a simulator has compared count when it is closed. */
function counted<S extends Simulator>(simulator: S): S {
  const close = simulator.close.bind(simulator)
  simulator.close = async () => {
    noteJudged(simulator)
    await close()
  }
  return simulator
}
