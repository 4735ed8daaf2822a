import { once } from 'node:events'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { run, stop } from '../../../bench/harness/processes.mjs'

/** Another process locks the file. @param {string} data @param {'exclusive' | 'immediate'} kind */
async function lock(data, kind) {
  const file = fileURLToPath(new URL('../locker.mjs', import.meta.url))
  const child = run(file, [join(data, 'items.db'), kind])
  await once(/** @type {import('node:stream').Readable} */ (child.stdout), 'data')
  return () => stop(child)
}

/**
 * Locked while the service runs, and when it starts again.
 *
 * @param {import('../scenario.mjs').Scenario} scenario
 */
export async function locked(scenario) {
  const { data } = scenario.place
  await scenario.start()
  await scenario.writeAll(5)
  const unlock = await lock(data, 'immediate')
  await scenario.sendDuring(1)
  await unlock()
  await scenario.expectRecovery()
  await scenario.stop()
  const unlockAgain = await lock(data, 'exclusive')
  await scenario.refuseStart(/items\.db.*locked/)
  await unlockAgain()
  await scenario.start()
  await scenario.expectNothingLost()
}
