// The service as a process, and what it prints.

import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { run } from '../../bench/harness/processes.mjs'

const cli = fileURLToPath(new URL('../../dist/tools/cli/resourcery.js', import.meta.url))
const module = fileURLToPath(new URL('service.mjs', import.meta.url))

/**
 * Runs a command of `resourcery` for the module.
 *
 * @param {'start' | 'backup' | 'restore'} command
 * @param {import('./place.mjs').Place} place
 * @param {string[]} args
 */
function spawnCommand(command, { data, layout }, args) {
  const child = run(cli, [command, module, ...args], { DATA: data, LAYOUT: layout }, 'pipe')
  const output = { stdout: '', stderr: '' }
  for (const name of /** @type {const} */ (['stdout', 'stderr']))
    child[name]?.on('data', (text) => {
      output[name] += text
    })
  return { child, output, exited: once(child, 'exit') }
}

/**
 * @param {'backup' | 'restore'} command
 * @param {import('./place.mjs').Place} place
 * @param {string[]} args
 */
export async function runCommand(command, place, ...args) {
  const { child, output, exited } = spawnCommand(command, place, args)
  await exited
  return { code: child.exitCode, output: output.stdout + output.stderr }
}

export class RunningService {
  /** @type {ReturnType<typeof spawnCommand>} */
  #spawned
  address = ''

  /** @param {ReturnType<typeof spawnCommand>} spawned */
  constructor(spawned) {
    this.#spawned = spawned
  }

  /**
   * Starts the service, or returns what it says if it does not start.
   *
   * @param {import('./place.mjs').Place} place
   */
  static async start(place) {
    const service = new RunningService(spawnCommand('start', place, ['--port', '0']))
    const { child, output, exited } = service.#spawned
    while (child.exitCode === null && service.address === '') {
      await Promise.race([once(/** @type {any} */ (child.stdout), 'data'), exited])
      service.address = /^Listens at (\S+)/m.exec(output.stdout)?.[1] ?? ''
    }
    return service
  }

  get isRunning() {
    const { exitCode, signalCode } = this.#spawned.child
    return exitCode === null && signalCode === null
  }

  /** What it printed on standard error since the last call. */
  takeErrors() {
    const { output } = this.#spawned
    const text = output.stderr
    output.stderr = ''
    return text
  }

  get exitCode() {
    return this.#spawned.child.exitCode
  }

  /** @param {NodeJS.Signals} signal */
  async stop(signal = 'SIGTERM') {
    if (this.isRunning) this.#spawned.child.kill(signal)
    await this.#spawned.exited
  }
}
