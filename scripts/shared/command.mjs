import { spawn, spawnSync } from 'node:child_process'

/** Runs a program to its end. If it fails, the error contains its output. */
export async function run(command, args, options = {}) {
  const child = spawn(command, args, { ...options, stdio: ['ignore', 'pipe', 'pipe'] })
  let out = ''
  let all = ''
  child.stdout.on('data', chunk => {
    out += chunk
    all += chunk
  })
  child.stderr.on('data', chunk => (all += chunk))
  const code = await new Promise((resolve, reject) => child.once('error', reject).once('close', resolve))
  if (code !== 0) throw new Error(`${command} ${args.slice(0, 4).join(' ')} … ended with ${code}:\n${all.slice(-4000)}`)
  return out.trim()
}

export function isInstalled(command) {
  return spawnSync('sh', ['-c', `command -v ${command}`]).status === 0
}
